//! Drawing a scene: tiles in parallel, primitives of a tile in submission order.
//!
//! ```text
//! scene ─► prepare (kernels, decoded textures) ─► tiles ─► coverage ─► blocks of one state ─► pixel kernel
//! ```
//! Walking tiles is the same for every kind of scene; a `Painter` says what covers a block and what shades it.
//!
//! **Invariant**: tiles are independent. Where two would share memory they are drawn one after the other instead.

mod cover;
mod coverage;
mod fixed;
mod program;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use triglyph_guest::kernel::pixel::PixelBlock;

use crate::cache::{PixelCost, SceneKernel};
use crate::mem::Misses;
use crate::scene::{Kind, Rect, Scene};
use crate::sched::Scheduler;
pub use fixed::draw;
pub use program::draw_programs;

/// What drawing a scene took.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterStats {
    /// 8x8 blocks given to kernels.
    pub blocks: u64,
    /// Samples that passed the tests of draws that count them.
    pub samples: u64,
    /// Covered pixels of draws whose programs say what they reach.
    pub pixels: u64,
    /// What programs missed in memory.
    pub misses: Misses,
    /// Programs that did not end.
    pub exhausted: u32,
    /// Time in tiles, all threads added up.
    pub raster: Duration,
    /// Time for decoded textures.
    pub texture: Duration,
}

/// What a primitive costs besides its pixels.
const PRIMITIVE: u64 = 120;

/// Primitives whose size is looked at before a scene counts as large.
const LOOKED_AT: usize = 4096;

/// How scenes of a kind are drawn.
trait Painter: Sync {
    /// The kind.
    type Kind: Kind;

    /// Adds the blocks of primitive `index`, drawn with state number `state`, that lie in `area`.
    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>);

    /// The kernel that draws pixels of a state.
    fn kernel(&self, state: usize) -> &dyn SceneKernel;

    /// Shades blocks of one state.
    fn shade(&self, state: usize, blocks: &[PixelBlock]);
}

/// Draws all tiles of a scene, in order if they are not independent.
fn walk<P>(scene: &Scene<P::Kind>, painter: &P, scheduler: &Scheduler, independent: bool) -> RasterStats
where
    P: Painter,
    Scene<P::Kind>: Sync,
{
    let busy: Vec<usize> = (0..scene.bins.len()).filter(|&tile| !scene.bins[tile].is_empty()).collect();
    let expected = cost(scene, painter);
    let blocks = AtomicU64::new(0);
    let nanoseconds = AtomicU64::new(0);
    let work = |i: usize| {
        let start = Instant::now();
        blocks.fetch_add(draw_tile(scene, painter, busy[i]), Ordering::Relaxed);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    };
    if independent {
        scheduler.for_each(busy.len(), Duration::from_nanos(expected), work);
    } else {
        (0..busy.len()).for_each(work);
    }
    let measured = nanoseconds.into_inner();
    if scene.primitives.len() <= LOOKED_AT {
        correct(scene, painter, expected, measured);
    }
    note_times(scene, painter, measured);
    RasterStats { blocks: blocks.into_inner(), raster: Duration::from_nanos(measured), ..RasterStats::default() }
}

/// What drawing a scene costs, as far as it matters, in nanoseconds.
fn cost<P: Painter>(scene: &Scene<P::Kind>, painter: &P) -> u64 {
    pixel_costs(scene, painter) / PixelCost::PARTS + scene.primitives.len() as u64 * PRIMITIVE
}

/// What the pixels of a scene cost, as far as it matters, in parts of a nanosecond.
fn pixel_costs<P: Painter>(scene: &Scene<P::Kind>, painter: &P) -> u64 {
    (0..scene.states.len()).map(|state| pixels_of_state(scene, painter, state)).fold(0, u64::saturating_add)
}

/// The same of a state's pixels.
fn pixels_of_state<P: Painter>(scene: &Scene<P::Kind>, painter: &P, state: usize) -> u64 {
    let pixels = |bounds: &Rect| u64::from(bounds.width()) * u64::from(bounds.height());
    let looked_at = scene.bounds.len().min(LOOKED_AT);
    let end = scene.states.get(state + 1).map_or(looked_at, |next| looked_at.min(next.first as usize));
    let bounds = scene.bounds.get(scene.states[state].first as usize..end).unwrap_or_default();
    let kernel = painter.kernel(state);
    bounds.iter().map(pixels).sum::<u64>().saturating_mul(kernel.pixel_cost().get(kernel.is_compiled()))
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

/// Draws one tile and returns the number of blocks.
fn draw_tile<P: Painter>(scene: &Scene<P::Kind>, painter: &P, tile: usize) -> u64 {
    let area = scene.tile(tile);
    let mut bin = &scene.bins[tile][..];
    let mut blocks = scene.take_blocks();
    let mut total = 0;
    let mut state = 0;
    while let Some(&first) = bin.first() {
        while scene.states.get(state + 1).is_some_and(|next| next.first <= first) {
            state += 1;
        }
        let end = scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
        let (now, rest) = bin.split_at(bin.partition_point(|&primitive| primitive < end));
        bin = rest;
        for &primitive in now {
            painter.cover(primitive, state, area, &mut blocks);
        }
        total += blocks.len() as u64;
        if !blocks.is_empty() {
            painter.shade(state, &blocks);
        }
        blocks.clear();
    }
    scene.keep_blocks(blocks);
    total
}
