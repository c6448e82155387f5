//! Scenes: primitives of many draws, binned by tile, with the state each of them needs.
//!
//! A scene has one target. It collects until something must see the result; then [`crate::raster`] walks its tiles.
//! **Invariant**: a draw's state is copied into the scene; register writes cannot reach it afterwards.

use std::sync::Arc;

use triglyph_guest::kernel::lighting::{LightTables, LightingConstants};
use triglyph_guest::kernel::pixel::{FogTable, PixelConstants, Primitive};
use triglyph_guest::kernel::procedural::ProceduralData;
use triglyph_guest::layout::Block;

use crate::cache::PixelHandle;
use crate::cache::texture::TextureSource;

/// Edge of a tile in pixels: sixteen 8x8 blocks. Small enough to balance two threads on a 240x400 target, large
/// enough that a tile's bookkeeping does not show.
pub const TILE: u32 = 32;

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
    /// Bytes of a surface of `bytes` a pixel: whole rows of blocks, and for widths that are no multiple of a block
    /// the overhang of the last one.
    pub fn surface_bytes(&self, bytes: u32) -> u64 {
        let edge = self.block.edge();
        let rows = u64::from(self.rows.next_multiple_of(edge));
        let overhang = self.width.next_multiple_of(edge) - self.width;
        (rows * u64::from(self.width) + u64::from(overhang * edge)) * u64::from(bytes)
    }

    /// The address ranges of the surfaces, as (address, bytes).
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let color = self.color.map(|address| (address, self.surface_bytes(self.color_bytes)));
        let depth = self.depth.map(|address| (address, self.surface_bytes(self.depth_bytes)));
        color.into_iter().chain(depth)
    }

    /// Whether `size` bytes at `address` touch a surface.
    pub fn overlaps(&self, address: u64, size: u64) -> bool {
        self.ranges().any(|range| ranges_overlap(range, (address, size)))
    }

    /// Whether tiles share memory, so that they must be drawn one after the other: the surfaces overlap, or the
    /// blocks at the end of a row do because the width is no multiple of a block.
    pub fn tiles_alias(&self) -> bool {
        let surfaces: Vec<_> = self.ranges().collect();
        let overlap = matches!(surfaces[..], [a, b] if ranges_overlap(a, b));
        overlap || !self.width.is_multiple_of(self.block.edge())
    }
}

/// Whether two (address, bytes) ranges share a byte.
pub fn ranges_overlap(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
}

/// Pixels and stored rows, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First pixel.
    pub x0: u32,
    /// First stored row.
    pub y0: u32,
    /// Last pixel.
    pub x1: u32,
    /// Last stored row.
    pub y1: u32,
}

/// Which pixels a draw may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scissor {
    /// All of the target.
    Off,
    /// Those inside; `None` lets nothing pass.
    Inside(Option<Rect>),
    /// Those outside.
    Outside(Rect),
}

/// What the pixels of a draw need.
#[derive(Clone, Debug)]
pub struct DrawState {
    /// The kernel.
    pub kernel: PixelHandle,
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
    /// Textures of units 0 to 2, where the kernel samples them.
    pub textures: [Option<TextureSource>; 3],
    /// The scissor.
    pub scissor: Scissor,
    /// Whether a texture lies in the scene's own target: the reference alone defines what that reads.
    pub feedback: bool,
}

/// First primitive of a state.
#[derive(Debug)]
pub struct StateSpan {
    /// Index of the first primitive drawn with it.
    pub first: u32,
    /// The state.
    pub state: Arc<DrawState>,
}

/// A picture in the making.
#[derive(Debug)]
pub struct Scene {
    /// Where it goes.
    pub target: SceneTarget,
    /// Primitives in submission order.
    pub primitives: Vec<Primitive>,
    /// Bounding box of each primitive, within the target.
    pub bounds: Vec<Rect>,
    /// Varyings of all primitives.
    pub varyings: Vec<[f32; 3]>,
    /// States in submission order.
    pub states: Vec<StateSpan>,
    /// Primitive indices by tile, in submission order.
    pub bins: Vec<Vec<u32>>,
    tiles_across: u32,
}

/// Primitives after which a scene is drawn even if nobody asked, to bound its memory.
pub const FULL: usize = 1 << 18;

impl Scene {
    /// An empty scene.
    pub fn new(target: SceneTarget) -> Self {
        let mut scene = Scene {
            target,
            primitives: Vec::new(),
            bounds: Vec::new(),
            varyings: Vec::new(),
            states: Vec::new(),
            bins: Vec::new(),
            tiles_across: 0,
        };
        scene.reset(target);
        scene
    }

    /// Empties the scene for another picture, keeping its allocations.
    pub fn reset(&mut self, target: SceneTarget) {
        self.target = target;
        self.primitives.clear();
        self.bounds.clear();
        self.varyings.clear();
        self.states.clear();
        self.tiles_across = target.width.div_ceil(TILE);
        let tiles = (self.tiles_across * target.rows.div_ceil(TILE)) as usize;
        self.bins.iter_mut().for_each(Vec::clear);
        self.bins.resize_with(tiles, Vec::new);
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// Whether the scene has grown so large that it should be drawn.
    pub fn is_full(&self) -> bool {
        self.primitives.len() >= FULL
    }

    /// Makes `state` that of the primitives to come.
    pub fn set_state(&mut self, state: Arc<DrawState>) {
        let first = self.primitives.len() as u32;
        match self.states.last_mut() {
            Some(last) if last.first == first => last.state = state,
            _ => self.states.push(StateSpan { first, state }),
        }
    }

    /// Adds a primitive whose pixels lie in `bounds`, which lies in the target.
    pub fn push(&mut self, primitive: Primitive, bounds: Rect) {
        let index = self.primitives.len() as u32;
        self.primitives.push(primitive);
        self.bounds.push(bounds);
        for tile_y in bounds.y0 / TILE..=bounds.y1 / TILE {
            for tile_x in bounds.x0 / TILE..=bounds.x1 / TILE {
                if let Some(bin) = self.bins.get_mut((tile_y * self.tiles_across + tile_x) as usize) {
                    bin.push(index);
                }
            }
        }
    }

    /// The pixels of tile `index`.
    pub fn tile(&self, index: usize) -> Rect {
        let (x, y) = (index as u32 % self.tiles_across * TILE, index as u32 / self.tiles_across * TILE);
        let last = |start: u32, limit: u32| (start + TILE).min(limit) - 1;
        Rect { x0: x, y0: y, x1: last(x, self.target.width), y1: last(y, self.target.rows) }
    }

    /// The stored rows that primitives may touch.
    pub fn touched_rows(&self) -> Option<(u32, u32)> {
        let first = self.bounds.iter().map(|b| b.y0).min()?;
        let last = self.bounds.iter().map(|b| b.y1).max()?;
        Some((first, last))
    }
}
