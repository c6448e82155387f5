//! The resources that a program uses while it runs: constants, memory, textures, images.

use borsh::{BorshDeserialize, BorshSerialize};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::kernel::program::output::ColorFormat;
use crate::kernel::program::reduction::Reduction;
use crate::kernel::program::sampler::{Shape, Texture};
use crate::kernel::window::Window;
use crate::layout::SurfaceLayout;

/// Instructions of a unit of [`Environment::reserve`].
pub const FUEL_UNIT: u32 = 1 << 16;

/// Units that a warp or quad takes of it at most, so that its count stays below 2^31.
pub const MAX_UNITS: u32 = 1 << 14;

/// Constant buffers of a stage.
pub const CONSTANT_BUFFERS: usize = 18;

/// The resources of a program, the same for all lanes of a draw or a grid.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Constant buffers, as long as they are bound.
    pub constants: &'a [Window<'a>; CONSTANT_BUFFERS],
    /// Textures of the key, index by index.
    pub textures: &'a [Texture<'a>],
    /// Images of the key, index by index.
    pub images: &'a [Image<'a>],
    /// Handles of the textures, then of the images, for [`Unit::Dynamic`](crate::kernel::maxwell::Unit::Dynamic). Of
    /// equal ones the first counts.
    pub handles: &'a [u32],
    /// Global memory.
    pub memory: &'a dyn GlobalMemory,
    /// Special register Y_DIRECTION: 1 or -1.
    pub y_direction: f32,
    /// The value of clocks and timers when a warp begins.
    pub clock: u64,
    /// Warps that ran out of fuel.
    pub exhausted: &'a AtomicU32,
    /// Instructions that warps have counted beyond what their code has: see [`crate::kernel::maxwell`].
    pub excess: &'a AtomicU64,
    /// Fuel that warps may take beyond their own, in units of [`FUEL_UNIT`]: see [`crate::kernel::maxwell`]. A kernel
    /// subtracts what its warps take; nothing else changes it while the kernel runs.
    pub reserve: &'a AtomicU32,
}

impl Environment<'static> {
    /// The environment of programs that reach none of this, as those of the RSX.
    pub const NONE: Environment<'static> = {
        static EXHAUSTED: AtomicU32 = AtomicU32::new(0);
        static EXCESS: AtomicU64 = AtomicU64::new(0);
        static RESERVE: AtomicU32 = AtomicU32::new(0);
        static CONSTANTS: [Window<'static>; CONSTANT_BUFFERS] = [Window::new(&[]); CONSTANT_BUFFERS];
        Environment {
            constants: &CONSTANTS,
            textures: &[],
            images: &[],
            handles: &[],
            memory: &NoMemory,
            y_direction: 1.0,
            clock: 0,
            exhausted: &EXHAUSTED,
            excess: &EXCESS,
            reserve: &RESERVE,
        }
    };
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("textures", &self.textures.len()).finish_non_exhaustive()
    }
}

/// Memory by GPU virtual address, 40 bits; higher bits of an address are ignored.
pub trait GlobalMemory: Sync {
    /// Reads; bytes that are not mapped read 0, and the machine reports a fault with the address.
    fn read(&self, address: u64, bytes: &mut [u8]);
    /// Writes; bytes that are not mapped are dropped and reported likewise.
    fn write(&self, address: u64, bytes: &[u8]);
    /// Memory around an address that programs may reach directly, in this way only. What they do there is reported to
    /// [`GlobalMemory::note`].
    fn span(&self, address: u64, usage: Usage) -> Option<Span<'_>> {
        let _ = (address, usage);
        None
    }
    /// A program has used bytes of a [`Span`] that it has for this: among `size` bytes from `address` on.
    fn note(&self, address: u64, size: u64, usage: Usage) {
        let _ = (address, size, usage);
    }
    /// A program has loaded or stored texels of image number `image`: among bytes `texels`, as if its rows came one
    /// after the other, slice after slice and layer after layer. It says so in grids only.
    fn note_image(&self, image: usize, texels: Range<u64>, stores: bool) {
        let _ = (image, texels, stores);
    }
}

/// The effect of an access on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// It loads.
    Load,
    /// It stores, and may load before.
    Store,
    /// It changes aligned values and does not use the old ones: the bytes that it gets need not be memory, but may be
    /// values of [`Reduction::identity`], which are joined with memory later.
    Reduce(Reduction),
}

/// Global memory in one stretch.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// Address of the first byte.
    pub start: u64,
    /// The bytes.
    pub window: Window<'a>,
}

/// Memory without a byte in it.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;

impl GlobalMemory for NoMemory {
    fn read(&self, _: u64, bytes: &mut [u8]) {
        bytes.fill(0);
    }

    fn write(&self, _: u64, _: &[u8]) {}
}

/// The part of a key for a surface instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ImageKey {
    /// Dimensions: 1D, 2D, 3D or an array.
    pub shape: Shape,
    /// How an element is stored. Typed accesses decode and encode it as [`crate::kernel::program::output`] says;
    /// integers are 32-bit words, unsigned ones zero-extended, signed ones sign-extended, clamped to their range when
    /// stored.
    pub format: ColorFormat,
    /// Where it is stored. Slices of a volume in block-linear layout are interleaved as [`crate::layout`] says.
    pub layout: SurfaceLayout,
}

/// An image that a program reads and writes. An element outside reads 0 in all components and drops what is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Image<'a> {
    /// Memory from the first element on; what is not in it reads 0.
    pub window: Window<'a>,
    /// Bytes of a row, or GOBs of one.
    pub pitch: u32,
    /// Elements.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// Slices, at least 1.
    pub depth: u32,
    /// log2 of the slices of a block (block-linear volumes).
    pub log2_depth: u8,
    /// Layers, at least 1.
    pub layers: u32,
    /// Bytes from one layer to the next.
    pub layer_bytes: u64,
}
