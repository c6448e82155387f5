//! Removal of hidden surfaces: of the fragments of a tile only those are shaded that can still be seen in the end.
//!
//! It needs draws whose tests do not depend on their shading ([`Divided`]). The tests of a number of primitives come
//! first, in order, which stores depth and stencil as usual and records which pixels pass. A fragment that passes and
//! replaces the whole pixel hides all earlier ones there; shading then tests nothing. Not a byte differs from drawing
//! one primitive after the other.
//!
//! [`Divided`]: triglyph_guest::kernel::divided::Divided

use std::time::{Duration, Instant};

use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;

use super::runaway::Runaways;
use super::tile_renderer::{AT_ONCE, TileContext, TileRenderer, state_of};
use crate::cache::{Covered, HiddenSurfaces, PixelCost};
use crate::scene::{BlockSpan, Rect, Scene, TileScratch};

/// Blocks of a tile at most: eight rows of eight.
const BLOCKS: usize = 64;

/// Blocks that are collected at most: they stay in the second-level cache, and an 8x8 block has been drawn to some
/// dozens of times before.
const MAX_BLOCKS: usize = 2048;

/// Collects the blocks of the first primitives of a bin, as long as their states are divided; the first one has state
/// number `state`. Returns the number of primitives.
pub(super) fn collect<P: TileRenderer>(
    scene: &Scene<P::Kind>,
    renderer: &P,
    (bin, mut state): (&[u32], usize),
    area: Rect,
    context: &TileContext<'_>,
    scratch: &mut TileScratch,
) -> usize {
    // An interrupt waits for all of them.
    let mut time = if context.interrupter.is_some() { 2 * AT_ONCE * PixelCost::PARTS } else { u64::MAX };
    let mut collected = 0;
    for &primitive in bin {
        let now = state_of(scene, state, primitive);
        let done = scratch.blocks.len();
        if done >= MAX_BLOCKS || time == 0 || now != state && renderer.division(now).is_none() {
            break;
        }
        state = now;
        renderer.cover(primitive, state, area, &mut scratch.blocks);
        collected += 1;
        let end = scratch.blocks.len();
        time = time.saturating_sub((end - done) as u64 * 64 * renderer.kernel(state).pixel_cost().get(true));
        match scratch.spans.last_mut() {
            Some(span) if span.state == state => span.end = end,
            _ => scratch.spans.push(BlockSpan { state, end, ..BlockSpan::default() }),
        }
    }
    collected
}

/// Result of removing hidden surfaces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Removed {
    /// Pixels that were left out.
    pub hidden: u64,
    /// Time that the kernels of the parts have run.
    pub time: Duration,
}

impl Removed {
    pub fn add(&mut self, other: Removed) {
        self.hidden += other.hidden;
        self.time += other.time;
    }
}

/// Draws the collected blocks; leaves hidden pixels out if that takes less time, or `always`.
pub(super) fn draw<P: TileRenderer>(
    renderer: &P,
    area: Rect,
    scratch: &mut TileScratch,
    (runaways, always): (&Runaways, bool),
) -> Removed {
    look_for_hidden(renderer, area, scratch, LeaveOut::Nothing);
    if always || is_worthwhile(renderer, &scratch.spans) {
        let time = draw_visible(renderer, area, scratch);
        return Removed { hidden: scratch.spans.iter().map(|span| span.hidden).sum(), time };
    }
    draw_all(renderer, scratch, runaways);
    Removed::default()
}

/// Draws all blocks in order.
fn draw_all<P: TileRenderer>(renderer: &P, scratch: &mut TileScratch, runaways: &Runaways) {
    let start = Instant::now();
    for (span, blocks) in spans(&scratch.spans, &mut scratch.blocks) {
        renderer.shade(span.state, blocks, runaways);
    }
    let time = start.elapsed();
    for (surfaces, span, all) in shares(renderer, &scratch.spans, |span| span.covered.pixels) {
        surfaces.note_plain(span.covered.pixels, share(time, span.covered.pixels, all));
        surfaces.note_look();
    }
}

/// Does all tests, and shades the pixels that are visible after them. Returns the time of both.
fn draw_visible<P: TileRenderer>(renderer: &P, area: Rect, scratch: &mut TileScratch) -> Duration {
    let start = Instant::now();
    test(renderer, scratch);
    let tests = start.elapsed();
    look_for_hidden(renderer, area, scratch, LeaveOut::Hidden);
    let start = Instant::now();
    for (span, blocks) in spans(&scratch.spans, &mut scratch.blocks) {
        let visible = keep_first(blocks, |block| block.coverage != 0);
        if !visible.is_empty() && renderer.division(span.state).is_some_and(|division| division.has_shading) {
            renderer.shade_survivors(span.state, visible);
        }
    }
    let shading = start.elapsed();
    let tested = |span: &BlockSpan| if span.covered.tested { span.covered.pixels } else { 0 };
    let all_tested = scratch.spans.iter().map(tested).sum();
    for (surfaces, span, all) in shares(renderer, &scratch.spans, |span| span.visible) {
        let tests = share(tests, tested(span), all_tested);
        let shading = share(shading, span.visible, all);
        surfaces.note_removal(span.covered, tests, span.hidden, span.visible, shading);
        renderer.note_times_of_parts(span.state, tests, shading);
    }
    tests + shading
}

/// The estimates of each span's kernel, with the sum of a count over all spans.
fn shares<'s, P: TileRenderer>(
    renderer: &'s P,
    spans: &'s [BlockSpan],
    of: impl Fn(&BlockSpan) -> u64,
) -> impl Iterator<Item = (&'s HiddenSurfaces, &'s BlockSpan, u64)> {
    let all = spans.iter().map(of).sum();
    spans.iter().map(move |span| (renderer.kernel(span.state).hidden_surfaces(), span, all))
}

/// The part of a time in nanoseconds, by pixels.
fn share(time: Duration, pixels: u64, all: u64) -> u64 {
    (time.as_nanos() as u64).saturating_mul(pixels).checked_div(all).unwrap_or(0)
}

/// The spans with their blocks, but for those without any.
fn spans<'s>(
    spans: &'s [BlockSpan],
    mut blocks: &'s mut [PixelBlock],
) -> impl Iterator<Item = (&'s BlockSpan, &'s mut [PixelBlock])> {
    let mut start = 0;
    let parts = spans.iter().map(move |span| {
        let (part, rest) = std::mem::take(&mut blocks).split_at_mut(span.end - start);
        (start, blocks) = (span.end, rest);
        (span, part)
    });
    parts.filter(|(_, blocks)| !blocks.is_empty())
}

/// Moves the blocks that are wanted to the front, in order, and returns them.
fn keep_first(blocks: &mut [PixelBlock], wanted: impl Fn(&PixelBlock) -> bool) -> &[PixelBlock] {
    let mut kept = 0;
    for index in 0..blocks.len() {
        if wanted(&blocks[index]) {
            blocks[kept] = blocks[index];
            kept += 1;
        }
    }
    &blocks[..kept]
}

/// Does all tests, and leaves the pixels that pass in the blocks.
fn test<P: TileRenderer>(renderer: &P, TileScratch { blocks, spans: all, survivors }: &mut TileScratch) {
    for (span, blocks) in spans(all, blocks) {
        if renderer.division(span.state).is_none_or(|division| !division.has_tests) {
            renderer.count(span.state, blocks);
            continue;
        }
        survivors.clear();
        survivors.resize_with(blocks.len(), Survivors::default);
        renderer.test(span.state, blocks, survivors);
        blocks.iter_mut().zip(&*survivors).for_each(|(block, survivors)| block.coverage = survivors.coverage());
    }
}

/// Whether leaving hidden pixels out should take less time.
fn is_worthwhile<P: TileRenderer>(renderer: &P, spans: &[BlockSpan]) -> bool {
    let estimates = spans.iter().map(|span| renderer.kernel(span.state).hidden_surfaces().estimate(span.covered));
    let [plain, removal] = estimates.fold([0, 0], |all, one| [all[0] + one[0], all[1] + one[1]]);
    removal + removal / 16 < plain
}

/// Whether hidden pixels are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaveOut {
    Nothing,
    Hidden,
}

/// Notes how many pixels are covered, and how many of them later ones replace; when these are left out, how many are
/// left.
fn look_for_hidden<P: TileRenderer>(
    renderer: &P,
    area: Rect,
    TileScratch { blocks, spans, .. }: &mut TileScratch,
    what: LeaveOut,
) {
    let division = |span: &BlockSpan| renderer.division(span.state);
    let written = spans.iter().fold(0, |all, span| all | division(span).map_or(0, |division| division.written));
    let [column, row] = [area.x0 / 8, area.y0 / 8];
    let mut replaced = [0u64; BLOCKS];
    for index in (0..spans.len()).rev() {
        let start = index.checked_sub(1).map_or(0, |before| spans[before].end);
        let span = &mut spans[index];
        let division = division(span);
        let replaces = written != 0 && division.is_some_and(|division| division.replaced & written == written);
        let (mut covered, mut hidden) = (0, 0);
        for block in blocks[start..span.end].iter_mut().rev() {
            let (x, y) = (u32::from(block.x) / 8 - column, u32::from(block.row) / 8 - row);
            let later = &mut replaced[(y * 8 + x) as usize % BLOCKS];
            let over = block.coverage & *later;
            covered += u64::from(block.coverage.count_ones());
            hidden += u64::from(over.count_ones());
            if replaces {
                *later |= block.coverage;
            }
            if what == LeaveOut::Hidden {
                block.coverage &= !over;
            }
        }
        if what == LeaveOut::Hidden {
            (span.visible, span.hidden) = (covered - hidden, hidden);
        } else {
            let tested = division.is_some_and(|division| division.has_tests);
            span.covered = Covered { pixels: covered, replaced: hidden, tested };
        }
    }
}
