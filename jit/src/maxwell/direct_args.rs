//! Arguments about the memory that compiled code reaches by itself: ranges of bytes, mappings of global memory, images,
//! and which bytes were used. They have the layout of C.

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::environment::{Environment, Image, ImageKey, Usage};
use triglyph_guest::layout::{Blocks, SurfaceLayout};

/// A range of bytes. At least sixteen may be read, whatever the length.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    pub(super) first: *mut u8,
    pub(super) length: u32,
}

/// Replaces memory that is shorter than a load.
static PADDING: [u8; 16] = [0; 16];

/// Bytes that a constant buffer has at most.
pub const CONSTANT_BYTES: usize = 0x1_0000;

/// Longest range: offsets are signed.
const MAX_LENGTH: usize = 1 << 30;

impl Bytes {
    /// Offsets of the fields.
    pub const FIRST: usize = offset_of!(Bytes, first);
    pub const LENGTH: usize = offset_of!(Bytes, length);

    /// An empty range.
    pub const fn none() -> Bytes {
        Bytes { first: PADDING.as_ptr().cast_mut(), length: 0 }
    }

    /// A range; an empty one if it is too short.
    pub fn new(first: *mut u8, length: usize) -> Bytes {
        if length < PADDING.len() { Bytes::none() } else { Bytes { first, length: length.min(MAX_LENGTH) as u32 } }
    }

    /// The bytes, which others may access as well.
    fn shared(&self) -> &[AtomicU8] {
        // SAFETY: the bytes are those of a window, which the job borrows as long as its code runs, or the padding and
        // no bytes.
        unsafe { std::slice::from_raw_parts(self.first.cast(), self.length as usize) }
    }

    /// The bytes of a window.
    pub fn of(window: &Window<'_>) -> Bytes {
        Bytes::new(window.as_ptr(), window.len())
    }

    /// A constant buffer.
    #[inline]
    pub fn of_constants(window: &Window<'_>) -> Bytes {
        Bytes::new(window.as_ptr(), window.len().min(CONSTANT_BYTES))
    }
}

/// The mapping of global memory that an instruction has cached.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
pub struct Mapped {
    /// Address of the first byte. No address is 2^64 - 2^32.
    pub(super) start: u64,
    pub(super) bytes: Bytes,
    /// Offsets that were used. Loads note them in grids only.
    pub(super) used: UsedRange,
    pub(super) usage: Usage,
}

/// A range of bytes that each lane has used: of a mapping, or of an image as if its rows came one after the other. Warp
/// slices that are executed at once have one each.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
pub struct UsedRange {
    pub(super) low: [[u32; 4]; 2],
    pub(super) high: [[u32; 4]; 2],
}

impl UsedRange {
    /// Nothing was used.
    pub const NONE: UsedRange = UsedRange { low: [[u32::MAX; 4]; 2], high: [[0; 4]; 2] };

    /// Adds an access.
    fn add(&mut self, first: usize, size: usize) {
        let (low, high) = (&mut self.low[0][0], &mut self.high[0][0]);
        *low = (*low).min(first as u32);
        *high = (*high).max((first + size) as u32);
    }

    /// What all lanes have used since this was asked last, if anything.
    pub fn take(&mut self) -> Option<Range<u64>> {
        let UsedRange { low, high } = std::mem::replace(self, Self::NONE);
        let low = low.into_iter().flatten().min()?;
        let high = high.into_iter().flatten().max()?;
        (low < high).then(|| low.into()..high.into())
    }
}

impl Mapped {
    /// No mapping.
    pub const fn none() -> Mapped {
        Mapped { start: 0xFFFF_FFFF << 32, bytes: Bytes::none(), used: UsedRange::NONE, usage: Usage::Load }
    }

    /// Replaces the mapping by the one that an address is in, if there is one.
    pub fn change(&mut self, address: u64, usage: Usage, environment: &Environment<'_>) {
        self.finish(environment);
        *self = match environment.memory.span(address, usage) {
            Some(span) => Mapped { start: span.start, bytes: Bytes::of(&span.window), usage, ..Mapped::none() },
            None => Mapped::none(),
        };
    }

    /// Offset of an access, if all of it lies in the mapping.
    fn offset(&self, address: u64, size: usize) -> Option<usize> {
        // Addresses have 40 bits.
        let offset = usize::try_from((address & 0xFF_FFFF_FFFF).checked_sub(self.start)?).ok()?;
        (offset.checked_add(size)? <= self.bytes.length as usize).then_some(offset)
    }

    /// Whether all of an access lies in the mapping.
    pub fn has(&self, address: u64, size: usize) -> bool {
        self.offset(address, size).is_some()
    }

    /// Reads if all bytes lie in the mapping, and says whether they do.
    pub fn read(&mut self, address: u64, bytes: &mut [u8], environment: &Environment<'_>) -> bool {
        let Some(offset) = self.offset(address, bytes.len()) else { return false };
        let from = &self.bytes.shared()[offset..];
        bytes.iter_mut().zip(from).for_each(|(byte, from)| *byte = from.load(Relaxed));
        match self.usage {
            Usage::Load => self.used.add(offset, bytes.len()),
            // An atomic that stores nothing.
            Usage::Store => environment.memory.note(address & 0xFF_FFFF_FFFF, bytes.len() as u64, Usage::Load),
            Usage::Reduce(_) => {}
        }
        true
    }

    /// Writes if all bytes lie in the mapping, which the GPU may write, and says whether they do.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(offset) = self.offset(address, bytes.len()) else { return false };
        let to = &self.bytes.shared()[offset..];
        bytes.iter().zip(to).for_each(|(byte, to)| to.store(*byte, Relaxed));
        self.used.add(offset, bytes.len());
        true
    }

    /// Tells the machine what has been used.
    pub fn finish(&mut self, environment: &Environment<'_>) {
        if let Some(used) = self.used.take() {
            environment.memory.note(self.start + used.start, used.end - used.start, self.usage);
        }
    }
}

/// What code needs of an image to find its texels.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DirectImage {
    /// Memory from the first texel on; none if it is too large, and the sizes are 0.
    pub(super) bytes: Bytes,
    /// Bytes of a row's texels.
    pub(super) row_bytes: u32,
    pub(super) rows: u32,
    pub(super) slices: u32,
    pub(super) layers: u32,
    /// Bytes from a row, or a row of blocks, to the next.
    pub(super) row_pitch: u32,
    /// Bytes from a slice, or as many as a block has, to the next.
    pub(super) slice_pitch: u32,
    pub(super) layer_pitch: u32,
    /// Slices of a block, log2.
    pub(super) log2_slices: u32,
}

impl DirectImage {
    /// Bytes of the largest image whose offsets cannot overflow.
    const MAX_BYTES: u64 = 1 << 30;

    const NONE: DirectImage = DirectImage {
        bytes: Bytes::none(),
        row_bytes: 0,
        rows: 0,
        slices: 0,
        layers: 0,
        row_pitch: 0,
        slice_pitch: 0,
        layer_pitch: 0,
        log2_slices: 0,
    };

    /// Of an image with this key, if there is one.
    pub fn new(key: Option<&ImageKey>, image: Option<&Image<'_>>) -> DirectImage {
        key.zip(image).and_then(|(key, image)| DirectImage::of(key, image)).unwrap_or(Self::NONE)
    }

    fn of(key: &ImageKey, image: &Image<'_>) -> Option<DirectImage> {
        let row_bytes = u64::from(image.width) * u64::from(key.format.bytes);
        let log2_slices = image.log2_depth.min(5);
        let (row_pitch, slice_pitch, size) = match key.layout {
            SurfaceLayout::Pitch => {
                let pitch = u64::from(image.pitch);
                let slice = pitch.checked_mul(image.height.into())?;
                (pitch, slice, slice.checked_mul(image.depth.into())?.checked_add(row_bytes)?)
            }
            SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. } => {
                let (rows, slices) = (image.height, image.depth);
                let blocks = Blocks { gobs_across: image.pitch, rows, slices, log2_gobs, log2_slices };
                (blocks.block_row_bytes(), blocks.slab_bytes(), blocks.bytes().checked_add(row_bytes)?)
            }
            SurfaceLayout::Swizzled { .. } => return None,
        };
        let all_layers = image.layer_bytes.checked_mul(image.layers.into())?.checked_add(size)?;
        let small = |bytes: u64| u32::try_from(bytes).ok().filter(|_| all_layers <= Self::MAX_BYTES);
        Some(DirectImage {
            bytes: Bytes::of(&image.window),
            row_bytes: small(row_bytes)?,
            rows: image.height,
            slices: image.depth,
            layers: image.layers,
            row_pitch: small(row_pitch)?,
            slice_pitch: small(slice_pitch)?,
            layer_pitch: small(image.layer_bytes)?,
            log2_slices: log2_slices.into(),
        })
    }
}

/// Which range of [`Context::used_images`](super::Context::used_images) notes loads of an image, or stores.
pub(super) const fn used_image(index: usize, stores: bool) -> usize {
    2 * index + stores as usize
}
