//! Scenes: primitives of many draws, binned by tile, with the state each of them needs.
//!
//! A scene has one target. It collects primitives until something reads the result; then [`crate::raster`] walks its
//! tiles. What a target, a primitive and a state are differs between machines of fixed-function fragments ([`fixed`])
//! and those whose stages are all programs ([`program`]); the rest is one for both. **Invariant**: a draw's state is
//! copied into the scene; register writes cannot reach it afterwards.

mod allowance;
pub mod fixed;
pub mod program;
pub mod resources;
mod texture_binding;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

pub use allowance::Allowance;
use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;

use crate::cache::Covered;
use crate::device::DroppedPrimitives;
pub use crate::rect::Rect;
pub use fixed::{DrawState, Fixed, SceneTarget, Scissor};

/// A way of drawing: what its scenes consist of.
pub trait SceneKind: Debug + Sized + 'static {
    /// The surfaces.
    type Target: Extent + Copy + Debug + PartialEq + Send + Sync;
    /// A primitive as kernels take it.
    type Primitive: Copy + Debug + Send + Sync;
    /// Inputs of coverage beside the primitive.
    type Edges: Copy + Debug + Send + Sync;
    /// State of the pixels of a draw.
    type State: Debug + Send + Sync;
    /// Edge of a tile in pixels, a multiple of 8. Small enough to balance two threads, large enough that a tile's
    /// bookkeeping, and calls of kernels with few blocks, do not show.
    const TILE: u32;
}

/// A target of so many pixels and rows.
pub trait Extent {
    /// Pixels of a row, and rows.
    fn extent(&self) -> (u32, u32);
}

/// Blocks of one state, after those of the span before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockSpan {
    pub(crate) state: usize,
    /// Where they end.
    pub(crate) end: usize,
    /// Its covered pixels, and how many of them later ones replace.
    pub(crate) covered: Covered,
    /// After the tests, when hidden pixels are left out: pixels that passed and are hidden, and the others that passed.
    pub(crate) hidden: u64,
    pub(crate) visible: u64,
}

/// Lists that drawing a tile needs.
#[derive(Debug, Default)]
pub(crate) struct TileScratch {
    pub(crate) blocks: Vec<PixelBlock>,
    pub(crate) spans: Vec<BlockSpan>,
    pub(crate) survivors: Vec<Survivors>,
}

impl TileScratch {
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.spans.clear();
        self.survivors.clear();
    }
}

/// First primitive of a state.
#[derive(Debug)]
pub struct StateSpan<S> {
    /// Index of the first primitive drawn with it.
    pub first: u32,
    /// The state.
    pub state: Arc<S>,
}

/// Sizes of the parts of a scene that were taken.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    primitives: usize,
    varyings: usize,
}

/// A scene: primitives for one target.
#[derive(Debug)]
pub struct Scene<K: SceneKind = Fixed> {
    /// The surfaces that it is drawn to.
    pub target: K::Target,
    /// Primitives in submission order.
    pub primitives: Vec<K::Primitive>,
    /// Edges of each primitive.
    pub edges: Vec<K::Edges>,
    /// Bounding box of each primitive, within the target.
    pub bounds: Vec<Rect>,
    /// Varyings of all primitives.
    pub varyings: Vec<[f32; 3]>,
    /// States in submission order.
    pub states: Vec<StateSpan<K::State>>,
    /// Primitive indices by tile, in submission order.
    pub bins: Vec<Vec<u32>>,
    /// Fuel for the primitives to come.
    pub allowance: Allowance,
    /// Fuel that primitives have taken since the last query.
    pub taken: u64,
    /// Primitives that were not added, by reason, since the last query.
    pub dropped: DroppedPrimitives,
    /// Fuel that its programs may take beyond what each of them has.
    pub reserve: u64,
    /// Nanoseconds that its primitives should take to draw, where that counts: see [`crate::render`].
    pub(crate) cost: u64,
    /// Sizes of the parts that were [taken](Self::take_part) before.
    before: Option<Taken>,
    tiles_across: u32,
    /// Bins of a larger target, kept for their allocations.
    spare_bins: Vec<Vec<u32>>,
    /// Lists that no tile needs now, kept for their allocations.
    spare: Mutex<Vec<TileScratch>>,
}

/// Number of primitives after which a scene is drawn even if nothing reads it, to bound its memory.
pub const FULL: usize = 1 << 18;

/// Varyings after which it is: 48 MiB.
pub(crate) const FULL_VARYINGS: usize = 1 << 22;

impl<K: SceneKind> Scene<K> {
    /// An empty scene.
    pub fn new(target: K::Target) -> Self {
        let mut scene = Scene {
            target,
            primitives: Vec::new(),
            edges: Vec::new(),
            bounds: Vec::new(),
            varyings: Vec::new(),
            states: Vec::new(),
            bins: Vec::new(),
            allowance: Allowance::UNBOUNDED,
            taken: 0,
            dropped: DroppedPrimitives::default(),
            reserve: 0,
            cost: 0,
            before: None,
            tiles_across: 0,
            spare_bins: Vec::new(),
            spare: Mutex::default(),
        };
        scene.reset(target);
        scene
    }

    /// Empties the scene for another picture, keeping its allocations.
    pub fn reset(&mut self, target: K::Target) {
        self.target = target;
        (self.cost, self.reserve, self.before) = (0, 0, None);
        self.primitives.clear();
        self.edges.clear();
        self.bounds.clear();
        self.varyings.clear();
        self.states.clear();
        let (width, rows) = target.extent();
        self.tiles_across = width.div_ceil(K::TILE);
        let tiles = (self.tiles_across * rows.div_ceil(K::TILE)) as usize;
        self.bins.iter_mut().for_each(Vec::clear);
        while self.bins.len() > tiles {
            self.spare_bins.extend(self.bins.pop());
        }
        self.bins.resize_with(tiles, || self.spare_bins.pop().unwrap_or_default());
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// Whether the scene has grown so large that it should be drawn.
    pub fn is_full(&self) -> bool {
        let Taken { primitives, varyings } = self.before.unwrap_or_default();
        primitives + self.primitives.len() >= FULL || varyings + self.varyings.len() >= FULL_VARYINGS
    }

    /// Whether it continues a scene of which a part was taken; counters count both as one scene.
    pub fn is_continued(&self) -> bool {
        self.before.is_some()
    }

    /// Takes what there is so far, and goes on with an empty scene of the same target and fuel.
    pub(crate) fn take_part(&mut self, empty: Self) -> Self {
        let Taken { primitives, varyings } = self.before.unwrap_or_default();
        let (primitives, varyings) = (primitives + self.primitives.len(), varyings + self.varyings.len());
        let part = self.take(empty);
        self.before = Some(Taken { primitives, varyings });
        part
    }

    /// Takes the scene, and leaves an empty one with the same target and fuel.
    pub(crate) fn take(&mut self, mut empty: Self) -> Self {
        empty.reset(self.target);
        (empty.allowance, empty.taken) = (self.allowance, std::mem::take(&mut self.taken));
        empty.dropped = std::mem::take(&mut self.dropped);
        std::mem::replace(self, empty)
    }

    /// Bytes of its largest allocations.
    pub(crate) fn room(&self) -> usize {
        let each = [
            self.primitives.capacity() * size_of::<K::Primitive>(),
            self.edges.capacity() * size_of::<K::Edges>(),
            self.bounds.capacity() * size_of::<Rect>(),
            self.varyings.capacity() * size_of::<[f32; 3]>(),
        ];
        each.into_iter().sum()
    }

    /// Sets the state of the primitives that follow.
    pub fn set_state(&mut self, state: Arc<K::State>) {
        let first = self.primitives.len() as u32;
        match self.states.last_mut() {
            Some(last) if Arc::ptr_eq(&last.state, &state) => {}
            Some(last) if last.first == first => {
                last.state = state;
                if let [.., before, last] = &self.states[..]
                    && Arc::ptr_eq(&before.state, &last.state)
                {
                    self.states.pop();
                }
            }
            _ => self.states.push(StateSpan { first, state }),
        }
    }

    /// Whether no primitive has the last state yet.
    #[inline]
    pub fn has_unused_state(&self) -> bool {
        self.states.last().is_some_and(|span| span.first == self.primitives.len() as u32)
    }

    /// Takes the state of the primitives to come, if none has come yet.
    pub fn take_unused_state(&mut self) -> Option<StateSpan<K::State>> {
        if self.has_unused_state() { self.states.pop() } else { None }
    }

    /// Takes fuel for a triangle of so many pixels' area. False if there is none left: it is not drawn then.
    #[inline]
    pub fn charge(&mut self, area: u64, bounds: Rect) -> bool {
        let price = self.allowance.take(area, bounds);
        self.taken = self.taken.saturating_add(price.unwrap_or(0));
        price.is_some()
    }

    /// Takes fuel for work on a primitive before it is set up. False if there is none left: it is not drawn then.
    pub fn charge_work(&mut self, price: u64) -> bool {
        let is_left = self.allowance.take_work(price);
        self.taken = self.taken.saturating_add(if is_left { price } else { 0 });
        is_left
    }

    /// Adds a primitive whose pixels lie in `bounds`, which lies in the target.
    pub fn push(&mut self, primitive: K::Primitive, edges: K::Edges, bounds: Rect) {
        let index = self.primitives.len() as u32;
        self.primitives.push(primitive);
        self.edges.push(edges);
        self.bounds.push(bounds);
        if self.bins.is_empty() {
            return;
        }
        for tile_y in bounds.y0 / K::TILE..=bounds.y1 / K::TILE {
            for tile_x in bounds.x0 / K::TILE..=bounds.x1 / K::TILE {
                if let Some(bin) = self.bins.get_mut((tile_y * self.tiles_across + tile_x) as usize) {
                    bin.push(index);
                }
            }
        }
    }

    /// Takes all primitives of a scene that has no tiles, as if they had been set up here; `move_planes` adds to where
    /// the planes of one begin. False if there is no fuel for them all: none is taken then.
    pub fn take_all(&mut self, from: &mut Self, move_planes: impl Fn(&mut K::Primitive, u32)) -> bool {
        if !self.allowance.take_price(from.taken) {
            return false;
        }
        self.taken = self.taken.saturating_add(from.taken);
        self.dropped.add(&from.dropped);
        let planes = self.varyings.len() as u32;
        self.varyings.append(&mut from.varyings);
        let outlines = from.edges.drain(..).zip(from.bounds.drain(..));
        for (mut primitive, (edges, bounds)) in from.primitives.drain(..).zip(outlines) {
            move_planes(&mut primitive, planes);
            self.push(primitive, edges, bounds);
        }
        true
    }

    /// The smallest rectangle that holds the bounds of the primitives from `first` on, if there are any.
    pub fn bounds_from(&self, first: usize) -> Option<Rect> {
        self.bounds.get(first..)?.iter().copied().reduce(Rect::around)
    }

    /// Reduces it to a scene of one primitive, with all varyings.
    pub fn set_only(&mut self, state: Arc<K::State>, primitive: K::Primitive, edges: K::Edges, bounds: Rect) {
        self.states.clear();
        self.primitives.clear();
        self.edges.clear();
        self.bounds.clear();
        self.bins.iter_mut().for_each(Vec::clear);
        self.set_state(state);
        self.push(primitive, edges, bounds);
    }

    /// The pixels of tile `index`.
    pub fn tile(&self, index: usize) -> Rect {
        let (x, y) = (index as u32 % self.tiles_across * K::TILE, index as u32 / self.tiles_across * K::TILE);
        let last = |start: u32, limit: u32| (start + K::TILE).min(limit) - 1;
        let (width, rows) = self.target.extent();
        Rect { x0: x, y0: y, x1: last(x, width), y1: last(y, rows) }
    }

    /// Empty lists for a tile.
    pub(crate) fn take_scratch(&self) -> TileScratch {
        self.spare.lock().unwrap_or_else(|e| e.into_inner()).pop().unwrap_or_default()
    }

    /// Takes lists back.
    pub(crate) fn keep_scratch(&self, mut scratch: TileScratch) {
        scratch.clear();
        self.spare.lock().unwrap_or_else(|e| e.into_inner()).push(scratch);
    }

    /// The stored rows that primitives may touch.
    pub fn touched_rows(&self) -> Option<(u32, u32)> {
        let first = self.bounds.iter().map(|b| b.y0).min()?;
        let last = self.bounds.iter().map(|b| b.y1).max()?;
        Some((first, last))
    }
}
