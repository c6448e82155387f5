//! Scenes of fixed-function fragments.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::lighting::{LightTables, LightingConstants};
use triglyph_guest::kernel::pixel::{FogTable, PixelConstants, Primitive};
use triglyph_guest::kernel::procedural::ProceduralData;
use triglyph_guest::layout::Block;

use super::{Extent, Rect, SceneKind};
use crate::cache::texture::TextureSource;
use crate::cache::{Handle, kinds};
use crate::mem::{GuestAddr, GuestRange, Memory};

/// Fixed-function fragments, shaded by pixel kernels.
#[derive(Debug)]
pub enum Fixed {}

impl SceneKind for Fixed {
    type Target = SceneTarget;
    type Primitive = Primitive;
    /// Such primitives carry their edge functions: interpolation works on them.
    type Edges = ();
    type State = DrawState;
    /// Sixteen blocks: targets have 240x400 pixels.
    const TILE: u32 = 32;
}

impl Extent for SceneTarget {
    fn extent(&self) -> (u32, u32) {
        (self.width, self.rows)
    }
}

/// The surfaces a scene draws to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneTarget {
    /// Address space of both surfaces.
    pub space: u32,
    /// Address of the colour surface; `None` when there is none.
    pub color: Option<u64>,
    /// Address of the depth surface; `None` when there is none.
    pub depth: Option<u64>,
    /// Bytes of a colour pixel.
    pub color_bytes: u32,
    /// Bytes of a depth pixel.
    pub depth_bytes: u32,
    /// Pixels of a row.
    pub width: u32,
    /// Stored rows.
    pub rows: u32,
    /// Layout of both surfaces.
    pub block: Block,
}

impl SceneTarget {
    /// No surface, no pixels.
    pub const NOWHERE: SceneTarget = SceneTarget {
        space: 0,
        color: None,
        depth: None,
        color_bytes: 0,
        depth_bytes: 0,
        width: 0,
        rows: 0,
        block: Block::B8,
    };

    /// Bytes of a surface of `bytes` a pixel: whole rows of blocks, and for widths that are no multiple of a block
    /// the overhang of the last one.
    pub fn surface_bytes(&self, bytes: u32) -> u64 {
        let edge = self.block.edge();
        let rows = u64::from(self.rows.next_multiple_of(edge));
        let overhang = self.width.next_multiple_of(edge) - self.width;
        (rows * u64::from(self.width) + u64::from(overhang * edge)) * u64::from(bytes)
    }

    /// The address ranges of the surfaces.
    pub fn ranges(&self) -> impl Iterator<Item = GuestRange> {
        let range = |address, bytes| GuestRange::new(self.space, address, self.surface_bytes(bytes));
        let color = self.color.map(|address| range(address, self.color_bytes));
        let depth = self.depth.map(|address| range(address, self.depth_bytes));
        color.into_iter().chain(depth)
    }

    /// Whether a range touches a surface, whatever the address it is mapped at.
    pub fn touches(&self, memory: &Memory, range: GuestRange) -> bool {
        self.ranges().any(|surface| surface.overlaps(range) || memory.share(surface, range))
    }

    /// The memory of a surface of `bytes` a pixel; empty where there is none.
    pub fn window<'m>(&self, memory: &'m Memory, surface: Option<u64>, bytes: u32) -> Window<'m> {
        surface.map_or(Window::default(), |address| {
            memory.writable(GuestAddr::new(self.space, address)).first(self.surface_bytes(bytes) as usize)
        })
    }

    /// Whether tiles share memory, so that they must be drawn one after the other: the surfaces have bytes in common,
    /// whatever the addresses they are mapped at, or the blocks at the end of a row do because the width is no multiple
    /// of a block.
    pub fn tiles_alias(&self, memory: &Memory) -> bool {
        let color = self.window(memory, self.color, self.color_bytes);
        let depth = self.window(memory, self.depth, self.depth_bytes);
        color.overlaps(depth) || !self.width.is_multiple_of(self.block.edge())
    }
}

/// The scissor: which pixels a draw may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scissor {
    /// All of the target.
    Off,
    /// Those inside; `None` lets nothing pass.
    Inside(Option<Rect>),
    /// Those outside.
    Outside(Rect),
}

/// State of the pixels of a draw.
#[derive(Clone, Debug)]
pub struct DrawState {
    /// The kernel, as the registers ask for it.
    pub kernel: Handle<kinds::Pixel>,
    /// One that stores the same with these constants for the primitives of this state, in less time. The reference
    /// does without it.
    pub simpler: Option<Handle<kinds::Pixel>>,
    /// Its constants.
    pub constants: PixelConstants,
    /// The fog table, when the kernel uses one.
    pub fog: Option<Arc<FogTable>>,
    /// Values of fragment lighting, when the kernel has it.
    pub lighting: Option<Arc<LightingConstants>>,
    /// Tables of fragment lighting, when the kernel has it.
    pub light_tables: Option<Arc<LightTables>>,
    /// The procedural texture, when the kernel has it.
    pub procedural: Option<Arc<ProceduralData>>,
    /// The largest density drawn so far, when the kernel draws densities.
    pub densest: Option<Arc<AtomicU32>>,
    /// Textures of units 0 to 2, where the kernel samples them.
    pub textures: [Option<TextureSource>; 3],
    /// The scissor.
    pub scissor: Scissor,
    /// Whether a texture lies in the scene's own target: the reference alone defines what that reads.
    pub feedback: bool,
}

impl DrawState {
    /// The kernel that draws.
    pub fn drawn_with(&self) -> &Handle<kinds::Pixel> {
        self.simpler.as_ref().unwrap_or(&self.kernel)
    }
}
