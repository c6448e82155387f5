//! Drawing a scene: tiles in parallel, primitives of a tile in submission order.
//!
//! ```text
//! scene ─► prepare (kernels, decoded textures) ─► tiles ─► coverage ─► blocks of one state ─► pixel kernel
//! ```
//! Walking tiles is the same for every kind of scene; a `Painter` says what covers a block and what shades it.
//!
//! **Invariant**: tiles are independent. Where two would share memory they are drawn one after the other instead; where
//! a program could load what another tile writes, but hardly ever does, that is found out by trying.

mod arena;
mod background;
mod cover;
mod coverage;
mod fixed;
mod program;
mod runaway;
mod undo;
mod visibility;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use smallvec::SmallVec;
use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::environment::FUEL_UNIT;

use self::runaway::Runaways;
use self::visibility::Removed;
use crate::cache::texture_cache::{Source, TextureCache};
use crate::cache::{DividedKernels, Division, Handle, Kernels, PixelCost, Removal, SceneKernel, kinds};
use crate::mem::{Memory, Misses};
use crate::probe::FragmentCounts;
use crate::scene::{Kind, Rect, Scene};
use crate::sched::{Interrupter, Scheduler};
pub use background::BackgroundScene;
pub use undo::Undo;

/// A kind of scene that can be drawn.
pub trait RasterKind: Kind {
    /// A texture of a state.
    type Texture: Source;
    /// A state that is ready to be drawn with.
    type Prepared: Debug + Send + Sync;

    /// Draws what is not drawn yet of `scene`, until that is interrupted.
    fn draw(
        scene: &Scene<Self>,
        drawing: &mut Drawing<Self::Prepared>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<Self::Texture>,
    ) -> RasterStats;

    /// Prepares the states of a scene that are not ready yet. False if that was interrupted.
    fn prepare(
        scene: &Scene<Self>,
        drawing: &mut Drawing<Self::Prepared>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<Self::Texture>,
    ) -> bool;

    /// Whether tiles are drawn one after the other, because they may share memory.
    fn is_ordered(scene: &Scene<Self>, memory: &Memory) -> bool;

    /// Calls `user` with what draws the tiles of a scene. Returns what that has counted as well.
    fn with_painter<U: PainterUser<Self>>(
        scene: &Scene<Self>,
        prepared: &[Self::Prepared],
        memory: &Memory,
        user: U,
    ) -> (U::Output, RasterStats);

    /// Notes what drawing a scene has written.
    fn mark_written(scene: &Scene<Self>, memory: &Memory);

    /// Parts of a nanosecond ([`PixelCost::PARTS`]) that a pixel of a state should take.
    fn expected_pixel_cost(state: &Self::State) -> u64;

    /// The blocks of an area that a primitive of the last state covers, each for every sample.
    fn cover(scene: &Scene<Self>, index: u32, area: Rect) -> Vec<PixelBlock>;

    /// Items for each block that [`Self::cover`] finds.
    fn samples(target: &Self::Target) -> usize;
}

/// What calls a painter, whose type only the kind of scene knows.
pub trait PainterUser<K: Kind> {
    /// What it returns.
    type Output;

    /// Calls the painter.
    fn call<P: Painter<Kind = K>>(self, painter: &P) -> Self::Output;
}

/// Counts the fragments that the primitives from `first` on have at each pixel, before any test. Samples of a pixel are
/// one fragment.
pub(crate) fn count_fragments<K: RasterKind>(scene: &Scene<K>, first: usize, counts: &mut FragmentCounts) {
    for index in first..scene.primitives.len() {
        counts.add(&K::cover(scene, index as u32, scene.bounds[index]), K::samples(&scene.target));
    }
}

/// Nanoseconds that primitives of a state with these bounds should take to draw.
pub(crate) fn expected_cost<K: RasterKind>(bounds: &[Rect], state: &K::State) -> u64 {
    let pixels = pixels_of(bounds, bounds.len() / LOOKED_AT + 1);
    pixels.saturating_mul(K::expected_pixel_cost(state)) / PixelCost::PARTS + bounds.len() as u64 * PRIMITIVE
}

/// What scenes are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct DrawContext<'a> {
    /// Guest memory.
    pub memory: &'a Memory,
    /// Threads.
    pub scheduler: &'a Scheduler,
    /// Who may interrupt drawing; otherwise all of the scene is drawn.
    pub interrupter: Option<&'a Interrupter>,
    /// When hidden surfaces are removed, and where the kernels for that are.
    pub removal: (Removal, &'a Kernels),
    /// Where surfaces are kept of scenes that may have to be drawn again; without it tiles are drawn in order then.
    pub undo: Option<&'a Undo>,
}

impl DrawContext<'_> {
    #[inline]
    fn is_interrupted(&self) -> bool {
        self.interrupter.is_some_and(Interrupter::is_set)
    }

    /// When hidden surfaces of a scene are removed, whose tiles are independent or not.
    fn removal_of<K: Kind>(&self, scene: &Scene<K>, independent: bool) -> Removal {
        let (removal, kernels) = self.removal;
        match removal {
            Removal::WhenFaster if !may_overlap(scene) => Removal::Never,
            // Who watches wants to see all that is shaded.
            _ if !independent || kernels.is_watched() => Removal::Never,
            removal => removal,
        }
    }
}

/// The kernels of a state's parts, as they serve one scene.
#[derive(Debug)]
struct Divided<S> {
    tests: Option<S>,
    shading: Option<S>,
    division: Division,
}

impl<S> Divided<S> {
    /// If all of them are compiled.
    fn new<K: kinds::Kind>(kernels: &DividedKernels<K>, select: impl Fn(&Handle<K>) -> S) -> Option<Self> {
        let select = |kernel: &Option<Handle<K>>| kernel.as_ref().map(&select);
        let DividedKernels { tests, shading, division } = kernels;
        kernels.is_compiled().then(|| Divided { tests: select(tests), shading: select(shading), division: *division })
    }
}

impl<S: SceneKernel> Divided<S> {
    /// Notes how long each of the kernels has run, in nanoseconds.
    fn note_times(&self, tests: u64, shading: u64) {
        for (kernel, nanoseconds) in [(&self.tests, tests), (&self.shading, shading)] {
            if let Some(kernel) = kernel {
                kernel.note_time(nanoseconds);
            }
        }
    }
}

/// Something of each state of a scene: many scenes have one.
type OfState<T> = SmallVec<[T; 1]>;

/// How far a scene is drawn whose states are prepared as `P`.
#[derive(Debug)]
pub struct Drawing<P> {
    /// States that are ready, the first ones.
    prepared: OfState<P>,
    walk: Option<Walk>,
    /// Primitives of each tile that were drawn before the walk; tiles beyond have none.
    before: Vec<u32>,
    /// An empty list for the next walk.
    tiles: TileList,
}

impl<P> Default for Drawing<P> {
    fn default() -> Self {
        Drawing { prepared: SmallVec::new(), walk: None, before: Vec::new(), tiles: SmallVec::new() }
    }
}

impl<P> Drawing<P> {
    /// Whether all of the scene is drawn.
    pub fn is_complete(&self) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.tiles.is_empty())
    }

    /// All of a scene is drawn, but more may be added to it.
    pub fn pause<K: Kind>(&mut self, scene: &Scene<K>) {
        self.walk = None;
        self.before.clear();
        self.before.extend(scene.bins.iter().map(|bin| bin.len() as u32));
    }

    /// What it is once nothing of a scene is drawn, with the memory that it has.
    pub fn reset(&mut self) {
        self.prepared.clear();
        self.before.clear();
        if let Some(walk) = self.walk.take() {
            self.tiles = walk.tiles;
            self.tiles.clear();
        }
    }

    /// Prepares states, in order. False if that was interrupted.
    fn prepare<S>(&mut self, states: &[S], context: &DrawContext<'_>, mut prepare: impl FnMut(&S) -> P) -> bool {
        self.prepared.reserve_exact(states.len() - self.prepared.len());
        for state in &states[self.prepared.len()..] {
            if context.is_interrupted() {
                return false;
            }
            self.prepared.push(prepare(state));
        }
        true
    }
}

/// Something of each tile; many scenes have few.
type OfTile<T> = SmallVec<[T; 4]>;
type TileList = OfTile<Tile>;

/// The tiles of a scene that are not drawn yet, or not as a whole.
#[derive(Debug)]
struct Walk {
    tiles: TileList,
    /// Nanoseconds that all of it should take, and has taken so far.
    expected: u64,
    measured: u64,
    /// Those of them that kernels for parts of states have run.
    parts: u64,
    totals: Totals,
}

/// What threads have done of a walk since somebody asked.
#[derive(Debug, Default)]
struct Totals {
    blocks: AtomicU64,
    nanoseconds: AtomicU64,
    hidden: AtomicU64,
    /// Nanoseconds of the kernels for parts of states.
    parts: AtomicU64,
}

/// How far the tiles of a scene are drawn: see [`Drawing`].
struct Progress<'d> {
    walk: &'d mut Option<Walk>,
    before: &'d [u32],
    /// An empty list for a walk.
    tiles: &'d mut TileList,
}

/// A tile with primitives.
#[derive(Debug)]
struct Tile {
    number: usize,
    /// How many of them are drawn.
    drawn: AtomicU32,
    runaways: Runaways,
}

/// What drawing a scene took.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterStats {
    /// 8x8 blocks given to kernels.
    pub blocks: u64,
    /// Pixels that passed their tests but were left out.
    pub hidden: u64,
    /// Samples that passed the tests of draws that count them.
    pub samples: u64,
    /// Covered pixels of draws whose programs say what they reach.
    pub pixels: u64,
    /// What programs missed in memory.
    pub misses: Misses,
    /// Programs that did not end.
    pub exhausted: u32,
    /// Units of fuel that programs have taken from the scene's reserve.
    pub units: u64,
    /// Time in tiles, all threads added up.
    pub raster: Duration,
    /// Time for decoded textures.
    pub texture: Duration,
}

impl RasterStats {
    /// Without the work that it was.
    pub fn without_work(self) -> Self {
        let RasterStats { samples, pixels, misses, exhausted, units, .. } = self;
        RasterStats { samples, pixels, misses, exhausted, units, ..RasterStats::default() }
    }

    /// Adds what came of another part of the same scene.
    pub fn add(&mut self, other: &RasterStats) {
        self.blocks += other.blocks;
        self.hidden += other.hidden;
        self.samples = self.samples.wrapping_add(other.samples);
        self.pixels = self.pixels.wrapping_add(other.pixels);
        self.misses = self.misses.join(other.misses);
        self.exhausted = self.exhausted.wrapping_add(other.exhausted);
        self.units = self.units.wrapping_add(other.units);
        self.raster += other.raster;
        self.texture += other.texture;
    }
}

/// What a primitive costs besides its pixels.
const PRIMITIVE: u64 = 120;

/// Primitives whose size is looked at before a scene counts as large.
const LOOKED_AT: usize = 4096;

/// What draws the tiles of a scene.
pub trait Painter: Sync {
    /// The kind.
    type Kind: Kind;

    /// Adds the blocks of primitive `index`, drawn with state number `state`, that lie in `area`.
    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>);

    /// The kernel that draws pixels of a state.
    fn kernel(&self, state: usize) -> &dyn SceneKernel;

    /// Shades blocks of one state, in a tile with these runaways.
    fn shade(&self, state: usize, blocks: &[PixelBlock], runaways: &Runaways);

    /// Whether the program of a state may take fuel from the scene's reserve.
    fn loops(&self, state: usize) -> bool {
        let _ = state;
        false
    }

    /// How a state is divided, if there are kernels for its parts.
    fn division(&self, state: usize) -> Option<Division>;

    /// Does the tests of blocks of a divided state.
    fn test(&self, state: usize, blocks: &[PixelBlock], survivors: &[Survivors]);

    /// Counts blocks of a divided state, whose pixels have passed all tests.
    fn count(&self, state: usize, blocks: &[PixelBlock]);

    /// Shades blocks of a divided state, whose pixels have passed all tests.
    fn shade_survivors(&self, state: usize, blocks: &[PixelBlock]);

    /// Notes how long the kernels of a divided state have run for its tests and its shading, in nanoseconds.
    fn note_times_of_parts(&self, state: usize, tests: u64, shading: u64);
}

/// How long a kernel should take for the blocks of one call, in nanoseconds: an interrupt waits that long.
const AT_ONCE: u64 = 40_000;

/// How a tile is drawn: what ends it early, and when its hidden surfaces are removed.
#[derive(Clone, Copy, Debug)]
struct TileContext<'a> {
    interrupter: Option<&'a Interrupter>,
    /// Set to stop early.
    stop: Option<&'a AtomicBool>,
    removal: Removal,
}

impl TileContext<'_> {
    #[inline]
    fn is_interrupted(&self) -> bool {
        self.interrupter.is_some_and(Interrupter::is_set) || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// How tiles follow each other.
#[derive(Clone, Copy, Debug)]
enum Order<'a> {
    /// One after the other.
    Numbers,
    /// In any order, on any thread, until a flag is set, if there is one.
    Any(Option<&'a AtomicBool>),
}

/// Draws the tiles of a scene that are not drawn yet.
fn walk<P>(
    scene: &Scene<P::Kind>,
    painter: &P,
    Progress { walk, before, tiles }: &mut Progress<'_>,
    context: &DrawContext<'_>,
    order: Order<'_>,
) -> RasterStats
where
    P: Painter,
    Scene<P::Kind>: Sync,
{
    let walk = walk.get_or_insert_with(|| Walk::new(scene, painter, before, std::mem::take(tiles)));
    let stop = if let Order::Any(stop) = order { stop } else { None };
    let tile = TileContext { interrupter: context.interrupter, stop, removal: context.removal.0 };
    let work = |i: usize| walk.draw(scene, painter, i, &tile);
    match order {
        Order::Any(_) => context.scheduler.for_each(walk.tiles.len(), Duration::from_nanos(walk.expected), work),
        Order::Numbers => (0..walk.tiles.len()).for_each(work),
    }
    walk.end(scene, painter)
}

impl Walk {
    /// All tiles that have more primitives than were drawn `before`, in an empty list.
    fn new<P: Painter>(scene: &Scene<P::Kind>, painter: &P, before: &[u32], mut tiles: TileList) -> Self {
        let drawn = |tile: usize| before.get(tile).copied().unwrap_or(0);
        let busy = (0..scene.bins.len()).filter(|&tile| scene.bins[tile].len() > drawn(tile) as usize);
        // A filter does not know how many there will be.
        tiles.reserve_exact(busy.clone().count());
        tiles.extend(busy.map(|number| Tile {
            number,
            drawn: AtomicU32::new(drawn(number)),
            runaways: Runaways::default(),
        }));
        share_reserve(scene, painter, &mut tiles);
        Walk { tiles, expected: cost(scene, painter), measured: 0, parts: 0, totals: Totals::default() }
    }

    /// Draws one of the tiles.
    fn draw<P: Painter>(&self, scene: &Scene<P::Kind>, painter: &P, tile: usize, context: &TileContext<'_>) {
        let start = Instant::now();
        let done = draw_tile(scene, painter, &self.tiles[tile], context);
        let Totals { blocks, nanoseconds, hidden, parts } = &self.totals;
        blocks.fetch_add(done.blocks, Ordering::Relaxed);
        parts.fetch_add(done.removed.time.as_nanos() as u64, Ordering::Relaxed);
        hidden.fetch_add(done.removed.hidden, Ordering::Relaxed);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Ends a round of drawing, once no thread draws. Returns what was done in it, and keeps the tiles that are left.
    fn end<P: Painter>(&mut self, scene: &Scene<P::Kind>, painter: &P) -> RasterStats {
        let Totals { blocks, nanoseconds, hidden, parts } = std::mem::take(&mut self.totals);
        let taken = nanoseconds.into_inner();
        self.measured += taken;
        self.parts += parts.into_inner();
        self.tiles.retain_mut(|tile| (*tile.drawn.get_mut() as usize) < scene.bins[tile.number].len());
        if self.tiles.is_empty() {
            // Where hidden pixels were left out, the time says nothing of what a pixel costs.
            if scene.primitives.len() <= LOOKED_AT && self.parts == 0 {
                correct(scene, painter, self.expected, self.measured);
            }
            note_times(scene, painter, self.measured.saturating_sub(self.parts));
        }
        RasterStats {
            blocks: blocks.into_inner(),
            hidden: hidden.into_inner(),
            raster: Duration::from_nanos(taken),
            ..RasterStats::default()
        }
    }
}

/// Gives the tiles with programs that loop equal shares of the scene's reserve.
fn share_reserve<P: Painter>(scene: &Scene<P::Kind>, painter: &P, tiles: &mut [Tile]) {
    let looping = looping(scene, painter);
    if looping.is_empty() {
        return;
    }
    let has = |bin: &[u32], of: &Range<u32>| {
        bin.get(bin.partition_point(|&primitive| primitive < of.start)).is_some_and(|&primitive| primitive < of.end)
    };
    let loops = |tile: &Tile| looping.iter().any(|of| has(&scene.bins[tile.number], of));
    let which: OfTile<bool> = tiles.iter().map(loops).collect();
    let count = which.iter().filter(|&&loops| loops).count() as u64;
    let share = scene.reserve / u64::from(FUEL_UNIT) / count.max(1);
    for (tile, _) in tiles.iter_mut().zip(which).filter(|(_, loops)| *loops) {
        tile.runaways.reserve = AtomicU32::new(share.min(u32::MAX.into()) as u32);
    }
}

/// The primitives of states whose programs loop, in rows.
fn looping<P: Painter>(scene: &Scene<P::Kind>, painter: &P) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = Vec::new();
    for state in (0..scene.states.len()).filter(|&state| painter.loops(state)) {
        let first = scene.states[state].first;
        let end = scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
        match all.last_mut() {
            Some(last) if last.end == first => last.end = end,
            _ => all.push(first..end),
        }
    }
    all
}

/// What drawing a scene costs, as far as it matters, in nanoseconds.
fn cost<P: Painter>(scene: &Scene<P::Kind>, painter: &P) -> u64 {
    pixel_costs(scene, painter) / PixelCost::PARTS + scene.primitives.len() as u64 * PRIMITIVE
}

/// What the pixels of a scene cost, as far as it matters, in parts of a nanosecond.
fn pixel_costs<P: Painter>(scene: &Scene<P::Kind>, painter: &P) -> u64 {
    (0..scene.states.len()).map(|state| pixels_of_state(scene, painter, state)).fold(0, u64::saturating_add)
}

/// The same of a state's pixels, by some of its primitives: no more than [`LOOKED_AT`] and one of each state.
fn pixels_of_state<P: Painter>(scene: &Scene<P::Kind>, painter: &P, state: usize) -> u64 {
    let step = scene.bounds.len() / LOOKED_AT + 1;
    let end = scene.states.get(state + 1).map_or(scene.bounds.len(), |next| next.first as usize);
    let bounds = scene.bounds.get(scene.states[state].first as usize..end).unwrap_or_default();
    let kernel = painter.kernel(state);
    pixels_of(bounds, step).saturating_mul(kernel.pixel_cost().get(kernel.is_compiled()))
}

/// About how many pixels rectangles have together, by one in `step` of them.
fn pixels_of(bounds: &[Rect], step: usize) -> u64 {
    let pixels = |bounds: &Rect| u64::from(bounds.width()) * u64::from(bounds.height());
    let looked_at = bounds.len().div_ceil(step).max(1) as u64;
    let found: u64 = bounds.iter().step_by(step).map(pixels).sum();
    found.saturating_mul(bounds.len() as u64) / looked_at
}

/// Corrects the estimates of all states by what a scene was expected to take and has taken.
fn correct<P: Painter>(scene: &Scene<P::Kind>, painter: &P, expected: u64, measured: u64) {
    for state in 0..scene.states.len() {
        let kernel = painter.kernel(state);
        kernel.pixel_cost().correct(kernel.is_compiled(), expected, measured);
    }
}

/// Divides the time that a scene has taken among the kernels of its states, by what their pixels should have cost.
fn note_times<P: Painter>(scene: &Scene<P::Kind>, painter: &P, measured: u64) {
    let all = pixel_costs(scene, painter).max(1);
    for state in (0..scene.states.len()).filter(|&state| painter.kernel(state).is_compiled()) {
        let part = u128::from(pixels_of_state(scene, painter, state));
        painter.kernel(state).note_time((u128::from(measured) * part / u128::from(all)) as u64);
    }
}

/// Blocks that a kernel should be called with, at most.
fn blocks_at_once(kernel: &dyn SceneKernel) -> usize {
    let cost = kernel.pixel_cost().get(kernel.is_compiled()).max(1);
    (AT_ONCE * PixelCost::PARTS / (64 * cost)).max(1) as usize
}

/// What was done in a tile.
#[derive(Clone, Copy, Debug, Default)]
struct TileDone {
    /// Covered blocks.
    blocks: u64,
    /// What removing hidden surfaces has done.
    removed: Removed,
}

/// Draws one tile, or what is left of it until that is interrupted.
fn draw_tile<P: Painter>(scene: &Scene<P::Kind>, painter: &P, tile: &Tile, context: &TileContext<'_>) -> TileDone {
    let area = scene.tile(tile.number);
    let bin = &scene.bins[tile.number][..];
    let mut drawn = tile.drawn.load(Ordering::Relaxed) as usize;
    let mut scratch = scene.take_scratch();
    let mut done = TileDone::default();
    let mut state = 0;
    let always = context.removal == Removal::Always;
    while drawn < bin.len() && !context.is_interrupted() {
        state = state_of(scene, state, bin[drawn]);
        if painter.division(state).is_some() {
            drawn += visibility::collect(scene, painter, (&bin[drawn..], state), area, context, &mut scratch);
            done.blocks += scratch.blocks.len() as u64;
            done.removed.add(visibility::draw(painter, area, &mut scratch, (&tile.runaways, always)));
            scratch.clear();
            continue;
        }
        let blocks = &mut scratch.blocks;
        let end = scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
        let most = blocks_at_once(painter.kernel(state));
        while drawn < bin.len() && bin[drawn] < end && blocks.len() < most {
            painter.cover(bin[drawn], state, area, blocks);
            drawn += 1;
        }
        done.blocks += blocks.len() as u64;
        if !blocks.is_empty() {
            painter.shade(state, blocks, &tile.runaways);
        }
        blocks.clear();
    }
    // Those who go on with it come after the call that this tile was drawn by.
    tile.drawn.store(drawn as u32, Ordering::Relaxed);
    scene.keep_scratch(scratch);
    done
}

/// The state of a primitive, which is `state` or one after it.
fn state_of<K: Kind>(scene: &Scene<K>, mut state: usize, primitive: u32) -> usize {
    while scene.states.get(state + 1).is_some_and(|next| next.first <= primitive) {
        state += 1;
    }
    state
}

/// Whether primitives may hide each other in a scene: they have more pixels than the tiles that they touch.
fn may_overlap<K: Kind>(scene: &Scene<K>) -> bool {
    let busy = scene.bins.iter().filter(|bin| !bin.is_empty()).count() as u64;
    pixels_of(&scene.bounds, scene.bounds.len() / LOOKED_AT + 1) > busy * u64::from(K::TILE * K::TILE) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_many_primitives_are_estimated() {
        let square = |edge: u32| Rect { x0: 5, y0: 9, x1: 4 + edge, y1: 8 + edge };
        assert_eq!(pixels_of(&[], 3), 0);
        assert_eq!(pixels_of(&[square(7)], 3), 49);
        let many: Vec<Rect> = (0..10_000).map(|n| square(4 + n % 5)).collect();
        let exact = pixels_of(&many, 1);
        assert_eq!(exact, 2000 * (16 + 25 + 36 + 49 + 64));
        assert!(pixels_of(&many, 3).abs_diff(exact) < exact / 100);
    }
}
