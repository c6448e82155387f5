//! Walking over the tiles of a scene.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use smallvec::SmallVec;
use triglyph_guest::kernel::program::environment::FUEL_UNIT;

use super::context::DrawContext;
use super::cost::{LOOKED_AT, correct, cost, note_times};
use super::runaway::Runaways;
use super::stats::RasterStats;
use super::tile_renderer::{AT_ONCE, TileContext, TileRenderer, state_of};
use super::visibility::{self, Removed};
use crate::cache::{PixelCost, Removal, SceneKernel};
use crate::scene::Scene;

/// How tiles follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order<'a> {
    /// One after the other.
    Numbers,
    /// In any order, on any thread, until a flag is set, if there is one.
    Any(Option<&'a AtomicBool>),
}

/// A value for each tile; many scenes have few tiles.
pub(super) type OfTile<T> = SmallVec<[T; 4]>;
pub(super) type TileList = OfTile<Tile>;

/// The tiles of a scene that are not drawn yet, or not as a whole.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) tiles: TileList,
    /// Estimated and measured time of all of it, in nanoseconds.
    pub(super) expected: u64,
    pub(super) measured: u64,
    /// Those of them that kernels for parts of states have run.
    pub(super) parts: u64,
    pub(super) totals: Totals,
}

/// What threads have done of a walk since the last query.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) blocks: AtomicU64,
    pub(super) nanoseconds: AtomicU64,
    pub(super) hidden: AtomicU64,
    /// Nanoseconds of the kernels for parts of states.
    pub(super) parts: AtomicU64,
}

/// How far the tiles of a scene are drawn: see [`Drawing`].
pub(super) struct Progress<'d> {
    pub(super) walk: &'d mut Option<Walk>,
    pub(super) before: &'d [u32],
    /// An empty list for a walk.
    pub(super) tiles: &'d mut TileList,
}

/// A tile with primitives.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) number: usize,
    /// How many of them are drawn.
    pub(super) drawn: AtomicU32,
    pub(super) runaways: Runaways,
}

/// Draws the tiles of a scene that are not drawn yet.
pub(super) fn walk<P>(
    scene: &Scene<P::Kind>,
    renderer: &P,
    Progress { walk, before, tiles }: &mut Progress<'_>,
    context: &DrawContext<'_>,
    order: Order<'_>,
) -> RasterStats
where
    P: TileRenderer,
    Scene<P::Kind>: Sync,
{
    let walk = walk.get_or_insert_with(|| Walk::new(scene, renderer, before, std::mem::take(tiles)));
    let stop = if let Order::Any(stop) = order { stop } else { None };
    let tile = TileContext { interrupter: context.interrupter, stop, removal: context.removal.0 };
    let work = |i: usize| walk.draw(scene, renderer, i, &tile);
    match order {
        Order::Any(_) => context.scheduler.for_each(walk.tiles.len(), Duration::from_nanos(walk.expected), work),
        Order::Numbers => (0..walk.tiles.len()).for_each(work),
    }
    walk.end(scene, renderer)
}

impl Walk {
    /// All tiles that have more primitives than were drawn `before`, in an empty list.
    pub(super) fn new<P: TileRenderer>(
        scene: &Scene<P::Kind>,
        renderer: &P,
        before: &[u32],
        mut tiles: TileList,
    ) -> Self {
        let drawn = |tile: usize| before.get(tile).copied().unwrap_or(0);
        let busy = (0..scene.bins.len()).filter(|&tile| scene.bins[tile].len() > drawn(tile) as usize);
        // A filter does not know how many there will be.
        tiles.reserve_exact(busy.clone().count());
        tiles.extend(busy.map(|number| Tile {
            number,
            drawn: AtomicU32::new(drawn(number)),
            runaways: Runaways::default(),
        }));
        share_reserve(scene, renderer, &mut tiles);
        Walk { tiles, expected: cost(scene, renderer), measured: 0, parts: 0, totals: Totals::default() }
    }

    /// Draws one of the tiles.
    pub(super) fn draw<P: TileRenderer>(
        &self,
        scene: &Scene<P::Kind>,
        renderer: &P,
        tile: usize,
        context: &TileContext<'_>,
    ) {
        let start = Instant::now();
        let done = draw_tile(scene, renderer, &self.tiles[tile], context);
        let Totals { blocks, nanoseconds, hidden, parts } = &self.totals;
        blocks.fetch_add(done.blocks, Ordering::Relaxed);
        parts.fetch_add(done.removed.time.as_nanos() as u64, Ordering::Relaxed);
        hidden.fetch_add(done.removed.hidden, Ordering::Relaxed);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Ends a round of drawing, once no thread draws. Returns what was done in it, and keeps the tiles that are left.
    pub(super) fn end<P: TileRenderer>(&mut self, scene: &Scene<P::Kind>, renderer: &P) -> RasterStats {
        let Totals { blocks, nanoseconds, hidden, parts } = std::mem::take(&mut self.totals);
        let taken = nanoseconds.into_inner();
        self.measured += taken;
        self.parts += parts.into_inner();
        self.tiles.retain_mut(|tile| (*tile.drawn.get_mut() as usize) < scene.bins[tile.number].len());
        if self.tiles.is_empty() {
            // Where hidden pixels were left out, the time does not give the cost of a pixel.
            if scene.primitives.len() <= LOOKED_AT && self.parts == 0 {
                correct(scene, renderer, self.expected, self.measured);
            }
            note_times(scene, renderer, self.measured.saturating_sub(self.parts));
        }
        RasterStats {
            blocks: blocks.into_inner(),
            hidden: hidden.into_inner(),
            raster: Duration::from_nanos(taken),
            ..RasterStats::default()
        }
    }
}

/// Instructions that the programs with loops of a tile may execute in a scene, however little fuel is left: 2^14 in
/// each quad.
const MIN_OF_TILE: u64 = 1 << 24;

/// Gives the tiles with programs that loop equal shares of the scene's reserve.
pub(super) fn share_reserve<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P, tiles: &mut [Tile]) {
    let looping = looping(scene, renderer);
    if looping.is_empty() {
        return;
    }
    let has = |bin: &[u32], of: &Range<u32>| {
        bin.get(bin.partition_point(|&primitive| primitive < of.start)).is_some_and(|&primitive| primitive < of.end)
    };
    let loops = |tile: &Tile| looping.iter().any(|of| has(&scene.bins[tile.number], of));
    let which: OfTile<bool> = tiles.iter().map(loops).collect();
    let count = which.iter().filter(|&&loops| loops).count() as u64;
    let share = scene.reserve / count.max(1);
    let reserve = (share / u64::from(FUEL_UNIT)).min(u32::MAX.into()) as u32;
    for (tile, _) in tiles.iter_mut().zip(which).filter(|(_, loops)| *loops) {
        tile.runaways = Runaways::new(share.max(MIN_OF_TILE), reserve);
    }
}

/// The primitives of states whose programs loop, in rows.
pub(super) fn looping<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = Vec::new();
    for state in (0..scene.states.len()).filter(|&state| renderer.loops(state)) {
        let first = scene.states[state].first;
        let end = scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
        match all.last_mut() {
            Some(last) if last.end == first => last.end = end,
            _ => all.push(first..end),
        }
    }
    all
}

/// Blocks that a kernel should be called with, at most.
pub(super) fn blocks_at_once(kernel: &dyn SceneKernel) -> usize {
    let cost = kernel.pixel_cost().get(kernel.is_compiled()).max(1);
    (AT_ONCE * PixelCost::PARTS / (64 * cost)).max(1) as usize
}

/// What was done in a tile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TileDone {
    /// Covered blocks.
    blocks: u64,
    /// Result of removing hidden surfaces.
    removed: Removed,
}

/// Draws one tile, or the rest of it, until an interrupt.
pub(super) fn draw_tile<P: TileRenderer>(
    scene: &Scene<P::Kind>,
    renderer: &P,
    tile: &Tile,
    context: &TileContext<'_>,
) -> TileDone {
    let area = scene.tile(tile.number);
    let bin = &scene.bins[tile.number][..];
    let mut drawn = tile.drawn.load(Ordering::Relaxed) as usize;
    let mut scratch = scene.take_scratch();
    let mut done = TileDone::default();
    let mut state = 0;
    let always = context.removal == Removal::Always;
    while drawn < bin.len() && !context.is_interrupted() {
        state = state_of(scene, state, bin[drawn]);
        if renderer.division(state).is_some() {
            drawn += visibility::collect(scene, renderer, (&bin[drawn..], state), area, context, &mut scratch);
            done.blocks += scratch.blocks.len() as u64;
            done.removed.add(visibility::draw(renderer, area, &mut scratch, (&tile.runaways, always)));
            scratch.clear();
            continue;
        }
        let blocks = &mut scratch.blocks;
        let end = scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
        let most = blocks_at_once(renderer.kernel(state));
        while drawn < bin.len() && bin[drawn] < end && blocks.len() < most {
            renderer.cover(bin[drawn], state, area, blocks);
            drawn += 1;
        }
        done.blocks += blocks.len() as u64;
        if !blocks.is_empty() {
            renderer.shade(state, blocks, &tile.runaways);
        }
        blocks.clear();
    }
    // Later calls happen after this one (threads are joined), so `Relaxed` suffices.
    tile.drawn.store(drawn as u32, Ordering::Relaxed);
    scene.keep_scratch(scratch);
    done
}
