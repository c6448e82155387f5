//! The blocks of a tile that a primitive of programs covers.
//!
//! Eight blocks of a row are compared with the edges at a time, by the values at their corners; those of narrow
//! primitives one by one. Single pixels are tested only in blocks that an edge divides.

use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::fragment::MAX_SAMPLES;
use wide::i32x8;

use super::coverage;
use crate::scene::Rect;
use crate::scene::program::{Edges, ProgramState, SamplePosition, Windows};

/// A primitive, and the other inputs of its coverage.
pub(super) struct Cover<'a> {
    /// Its number.
    pub index: u32,
    /// Its edges.
    pub edges: &'a Edges,
    /// The state that it is drawn with.
    pub state: &'a ProgramState,
    /// Pixels that may be covered: of one tile.
    pub clip: Rect,
    /// Samples of a pixel.
    pub samples: usize,
}

impl Cover<'_> {
    /// Adds the covered blocks, each as often as a pixel has samples.
    pub(super) fn add(&self, blocks: &mut Vec<PixelBlock>) {
        match self.samples {
            1 => self.add_samples::<1>(blocks),
            _ => self.add_samples::<MAX_SAMPLES>(blocks),
        }
    }

    /// The same for no more than `N` samples.
    fn add_samples<const N: usize>(&self, blocks: &mut Vec<PixelBlock>) {
        let masks: [u64; N] = std::array::from_fn(|sample| masked(&self.state.sample_masks, sample));
        let Rect { x0, y0, x1, y1 } = self.clip;
        let reach = reach(self.edges);
        if reach == TILE && x1 / 8 - x0 / 8 < NARROW {
            return self.add_narrow(&masks, blocks);
        }
        let near = NearEdges::new(self.edges);
        let last = |start: u32, last: u32| last.min(start + reach - 1);
        let mut y = y0 & !7;
        while y <= y1 {
            let mut x = x0 & !7;
            while x <= x1 {
                self.add_area(&near, &masks, Rect { x0: x, y0: y, x1: last(x, x1), y1: last(y, y1) }, blocks);
                x += reach;
            }
            y += reach;
        }
    }

    /// Adds the blocks of a clip rectangle that has few in a row.
    fn add_narrow<const N: usize>(&self, masks: &[u64; N], blocks: &mut Vec<PixelBlock>) {
        let (dx, dy) = (self.edges.dx, self.edges.dy);
        let Rect { x0, y0, x1, y1 } = self.clip;
        let positions = &self.state.sample_positions[..self.samples.min(N)];
        let mut line = [[0; 3]; N];
        for (line, position) in line.iter_mut().zip(positions) {
            *line = at(self.edges, x0 & !7, y0 & !7, *position);
        }
        for row in (y0 & !7..=y1).step_by(8) {
            let lines = coverage::rows(row, self.clip);
            let mut block_at = line;
            for x in (x0 & !7..=x1).step_by(8) {
                let allowed = lines & self.allowed(x, row);
                let near = |sample: usize| coverage::Edges { at: block_at[sample], dx, dy }.coverage();
                self.push(x, row, |sample| masks[sample] & allowed & near(sample), positions.len(), blocks);
                block_at.iter_mut().for_each(|at| advance(at, dx));
            }
            line.iter_mut().for_each(|line| advance(line, dy));
        }
    }

    /// Adds a block, once for each of `samples`, if there is a pixel whose sample is covered.
    #[inline]
    fn push(&self, x: u32, row: u32, covered: impl Fn(usize) -> u64, samples: usize, blocks: &mut Vec<PixelBlock>) {
        let block = PixelBlock { primitive: self.index, x: x as u16, row: row as u16, coverage: 0 };
        if samples == 1 {
            let coverage = covered(0);
            if coverage != 0 {
                blocks.push(PixelBlock { coverage, ..block });
            }
            return;
        }
        let covered: [u64; MAX_SAMPLES] =
            std::array::from_fn(|sample| if sample < samples { covered(sample) } else { 0 });
        if covered.iter().any(|&covered| covered != 0) {
            blocks.extend(covered[..samples].iter().map(|&coverage| PixelBlock { coverage, ..block }));
        }
    }

    /// Adds the blocks of a part of the clip rectangle no larger than the reach of the edges.
    fn add_area<const N: usize>(
        &self,
        near: &NearEdges<'_>,
        masks: &[u64; N],
        area: Rect,
        blocks: &mut Vec<PixelBlock>,
    ) {
        let positions = &self.state.sample_positions[..self.samples.min(N)];
        let mut line = [[0; 3]; N];
        for (line, position) in line.iter_mut().zip(positions) {
            *line = at(self.edges, area.x0, area.y0, *position);
        }
        // By number.
        let within = u32::MAX >> (31 - (area.x1 - area.x0) / 8);
        let mut row = area.y0;
        while row <= area.y1 {
            let mut eight = [Eight::default(); N];
            let mut any = 0;
            for (eight, line) in eight.iter_mut().zip(&line[..positions.len()]) {
                *eight = near.eight(*line);
                any |= eight.touched;
            }
            any &= within;
            let lines = coverage::rows(row, self.clip);
            while any != 0 {
                let lane = any.trailing_zeros();
                any &= any - 1;
                let x = area.x0 + 8 * lane;
                let allowed = lines & self.allowed(x, row);
                let covered = |sample: usize| masks[sample] & allowed & near.block(&eight[sample], lane);
                self.push(x, row, covered, positions.len(), blocks);
            }
            line.iter_mut().for_each(|line| advance(line, self.edges.dy));
            row += 8;
        }
    }

    /// Pixels of a block that the clip rectangle's columns, windows and stipple let pass.
    #[inline(always)]
    fn allowed(&self, x: u32, row: u32) -> u64 {
        let mut allowed = coverage::columns(x, self.clip);
        if let Some(Windows { rects, outside }) = &self.state.windows {
            let any = rects.iter().fold(0, |any, rect| any | coverage::inside(x, row, *rect));
            allowed &= if *outside { !any } else { any };
        }
        if let Some(stipple) = self.state.stipple.as_ref().filter(|_| self.edges.stippled) {
            allowed &= coverage::stipple(x, row, stipple);
        }
        allowed
    }
}

/// Pixels of a block whose sample may be covered.
fn masked(masks: &[u16; 4], sample: usize) -> u64 {
    const FIRST: u64 = 0x1111_1111_1111_1111;
    if *masks == [u16::MAX; 4] {
        return !0;
    }
    (0..4).fold(0, |set, i| set | (u64::from(masks[i] >> sample & 1) * FIRST) << i)
}

/// Pixels along a side of a tile.
const TILE: u32 = 64;

/// Blocks of a row from which on they are compared eight at a time.
const NARROW: u32 = 3;

/// Values are clamped to this, which is more than all steps in an area.
const FAR: i64 = 1 << 30;

/// Pixels along a side of the largest area in which edge functions in whole pixels have 32 bits: a tile, or less for
/// primitives of many thousand pixels.
///
/// Steps from pixel to pixel are multiples of 256, so values may be divided by 256, rounding down, without any sign
/// changing. Values that are further from 0 than the steps of an area make up for are clamped, which changes no sign
/// in it either.
fn reach(edges: &Edges) -> u32 {
    let (dx, dy) = (edges.dx, edges.dy);
    let steepest = (0..3).map(|k| i64::from(dx[k]).abs() + i64::from(dy[k]).abs()).max().unwrap_or(0);
    let mut reach = TILE;
    while i64::from(reach - 1) * steepest >= FAR {
        reach /= 2;
    }
    reach
}

/// Values of one sample at the pixel (`x`, `row`), the first one of an area.
fn at(edges: &Edges, x: u32, row: u32, sample: SamplePosition) -> [i32; 3] {
    let [right, down] = sample.map(i64::from);
    std::array::from_fn(|k| {
        let (dx, dy) = (i64::from(edges.dx[k]), i64::from(edges.dy[k]));
        let inside = (edges.corner[k] + dx * right + dy * down) >> 8;
        (inside + dx * i64::from(x) + dy * i64::from(row)).clamp(-FAR, FAR) as i32
    })
}

/// Moves values on by a block. What wraps is beyond the last one.
fn advance(values: &mut [i32; 3], steps: [i32; 3]) {
    for (value, step) in values.iter_mut().zip(steps) {
        *value = value.wrapping_add(step.wrapping_mul(8));
    }
}

/// Edge functions of a primitive in an area, for eight blocks of a row at a time.
struct NearEdges<'e> {
    edges: &'e Edges,
    /// What is added to the values at the first of eight blocks for the largest value in each of them.
    most: [i32x8; 3],
    /// The same for the least.
    least: [i32x8; 3],
}

/// Values at eight blocks of a row.
#[derive(Clone, Copy, Default)]
struct Eight {
    /// Values at the first pixel of the first one.
    at: [i32; 3],
    /// Blocks that are not outside of an edge, by bit.
    touched: u32,
    /// Blocks that are inside of all edges.
    whole: u32,
}

impl<'e> NearEdges<'e> {
    #[inline]
    fn new(edges: &'e Edges) -> Self {
        let (dx, dy) = (edges.dx, edges.dy);
        let most = [0, 1, 2].map(|k| 7 * (dx[k].max(0) + dy[k].max(0)));
        let least = [0, 1, 2].map(|k| 7 * (dx[k].min(0) + dy[k].min(0)));
        let [most, least] = coverage::eight_blocks(dx, [most, least]);
        NearEdges { edges, most, least }
    }

    /// Eight blocks of a row with these values at the first of them.
    #[inline]
    fn eight(&self, at: [i32; 3]) -> Eight {
        // Below 0 where one of them is.
        let signs = |plus: &[i32x8; 3]| {
            let lowest =
                (i32x8::splat(at[0]) + plus[0]) | (i32x8::splat(at[1]) + plus[1]) | (i32x8::splat(at[2]) + plus[2]);
            lowest.to_bitmask()
        };
        Eight { at, touched: !signs(&self.most) & 255, whole: !signs(&self.least) & 255 }
    }

    /// The pixels that are covered of one of eight blocks.
    #[inline]
    fn block(&self, eight: &Eight, lane: u32) -> u64 {
        if eight.whole >> lane & 1 != 0 {
            return !0;
        }
        if eight.touched >> lane & 1 == 0 {
            return 0;
        }
        let (dx, dy) = (self.edges.dx, self.edges.dy);
        let at = std::array::from_fn(|k| eight.at[k] + 8 * lane as i32 * dx[k]);
        coverage::Edges { at, dx, dy }.divided()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pixel's sample is inside of all edges.
    fn is_inside(edges: &Edges, x: u32, y: u32, sample: SamplePosition) -> bool {
        (0..3).all(|k| {
            let along =
                |step: i32, pixel: u32, within: u8| i64::from(step) * (256 * i64::from(pixel) + i64::from(within));
            edges.corner[k] + along(edges.dx[k], x, sample[0]) + along(edges.dy[k], y, sample[1]) >= 0
        })
    }

    #[test]
    fn blocks_are_those_of_the_edge_functions() {
        let mut seed = 1u64;
        let mut random = |range: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as i64 % range
        };
        for round in 0..600 {
            // Small ones, and some that reach to the ends of the guard band.
            let size = [1 << 10, 1 << 14, 1 << 20, 1 << 24][round % 4];
            let step = |v: i64| (v - size / 2) as i32;
            let edges = Edges {
                dx: [step(random(size)), step(random(size)), step(random(size))],
                dy: [step(random(size)), step(random(size)), step(random(size))],
                corner: [0; 3].map(|_| (random(1 << 31) - (1 << 30)) * size / (1 << 18)),
                stippled: false,
            };
            let sample = [random(256) as u8, random(256) as u8];
            let (near, reach) = (NearEdges::new(&edges), reach(&edges));
            let (x, y) = (64 * random(20) as u32, 64 * random(20) as u32);
            let first = at(&edges, x, y, sample);
            for row in 0..reach / 8 {
                let mut line = first;
                (0..row).for_each(|_| advance(&mut line, edges.dy));
                let mut block_at = line;
                for block in 0..reach / 8 {
                    let found = near.block(&near.eight(line), block);
                    let alone = coverage::Edges { at: block_at, dx: edges.dx, dy: edges.dy }.coverage();
                    assert_eq!(alone, found, "round {round}: {edges:?} block {block} of row {row}");
                    advance(&mut block_at, edges.dx);
                    let want = (0..64).fold(0, |set, i| {
                        let (dx, dy) = triglyph_guest::layout::unmorton(i);
                        let inside = is_inside(&edges, x + 8 * block + dx, y + 8 * row + dy, sample);
                        set | u64::from(inside) << i
                    });
                    assert_eq!(found, want, "round {round}: {edges:?} block {block} of row {row}");
                }
            }
        }
    }
}
