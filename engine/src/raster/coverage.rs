//! Which pixels of an 8x8 block a primitive covers, as 64 bits in Morton order.

#[cfg(target_arch = "x86_64")]
mod avx2;

use bytemuck::cast;
use triglyph_guest::kernel::pixel::{Primitive, WIDE_EDGES};
use triglyph_guest::layout::morton;
use wide::{i8x16, i16x8, i32x4, i32x8};

use crate::scene::Rect;

/// Three edge functions near a block. A pixel is covered where all of them are at least 0. Values anywhere in the
/// block fit 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Edges {
    /// Values at the block's first pixel.
    pub at: [i32; 3],
    /// Steps to the next column.
    pub dx: [i32; 3],
    /// Steps to the next row.
    pub dy: [i32; 3],
}

impl Edges {
    /// The pixels of a block that are covered.
    #[inline]
    pub(super) fn coverage(&self) -> u64 {
        let most = |k: usize| 7 * (self.dx[k].max(0) + self.dy[k].max(0));
        if (0..3).any(|k| self.at[k] + most(k) < 0) {
            return 0;
        }
        if self.crossing() == [false; 3] { !0 } else { self.divided() }
    }

    /// Which functions are below 0 somewhere in the block.
    #[inline]
    fn crossing(&self) -> [bool; 3] {
        let least = |k: usize| 7 * (self.dx[k].min(0) + self.dy[k].min(0));
        let crosses = |k: usize| self.at[k] + least(k) < 0;
        [crosses(0), crosses(1), crosses(2)]
    }

    /// The same where no function is known to be below 0 or not below 0 everywhere.
    #[inline]
    pub(super) fn divided(&self) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has AVX2, all that the function needs beside what everything is compiled for.
            return unsafe { avx2::divided(self) };
        }
        self.partial(self.crossing())
    }

    /// The same for a block that these functions divide.
    ///
    /// A pixel is outside when the sign bit of any function is set. The sixteen 2x2 quads come in Morton order, each
    /// the sum of the first one and of the steps in the bits of its number.
    fn partial(&self, crossing: [bool; 3]) -> u64 {
        let mut quads = [i32x4::ZERO; 16];
        for k in (0..3).filter(|&k| crossing[k]) {
            let (at, dx, dy) = (self.at[k], self.dx[k], self.dy[k]);
            let mut edge = [i32x4::new([at, at + dx, at + dy, at + dx + dy]); 16];
            for (bit, step) in [2 * dx, 2 * dy, 4 * dx, 4 * dy].into_iter().enumerate() {
                let step = i32x4::splat(step);
                let half = 1 << bit;
                for i in 0..half {
                    edge[half + i] = edge[i] + step;
                }
            }
            for (quad, edge) in quads.iter_mut().zip(edge) {
                *quad |= edge;
            }
        }
        // Saturation keeps signs.
        let signs = |quads: [i32x4; 4]| {
            let [a, b, c, d] = quads.map(i32x4::to_array);
            let narrow = |a: [i32; 4], b: [i32; 4]| i16x8::from_i32x8_saturate(cast([a, b]));
            let narrow = i8x16::from_i16x16_saturate(cast([narrow(a, b), narrow(c, d)]));
            narrow.to_bitmask() as u64 & 0xFFFF
        };
        let quad = |i: usize| [quads[i], quads[i + 1], quads[i + 2], quads[i + 3]];
        !(signs(quad(0)) | signs(quad(4)) << 16 | signs(quad(8)) << 32 | signs(quad(12)) << 48)
    }

    /// Moves on by eight columns.
    #[inline]
    pub(super) fn step_right(&mut self) {
        for k in 0..3 {
            self.at[k] = self.at[k].wrapping_add(self.dx[k].wrapping_mul(8));
        }
    }

    /// Moves on by eight rows.
    #[inline]
    pub(super) fn step_down(&mut self) {
        for k in 0..3 {
            self.at[k] = self.at[k].wrapping_add(self.dy[k].wrapping_mul(8));
        }
    }
}

/// For each of three values that grow by a step with each column: two sums of the value at the first of eight blocks in
/// a row and something else, for all eight. What wraps is beyond the last one that counts.
pub(super) fn eight_blocks(steps: [i32; 3], more: [[i32; 3]; 2]) -> [[i32x8; 3]; 2] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has AVX2, all that the function needs beside what everything is compiled for.
        return unsafe { avx2::eight_blocks(steps, more) };
    }
    let columns = i32x8::new([0, 8, 16, 24, 32, 40, 48, 56]);
    more.map(|more| [0, 1, 2].map(|k| columns * i32x8::splat(steps[k]) + i32x8::splat(more[k])))
}

/// The edge functions that a primitive carries, at (`x`, `row`); `None` when they need more than 32 bits.
pub(super) fn near(primitive: &Primitive, x: u32, row: u32) -> Option<Edges> {
    let (dx, dy) = (primitive.dx, primitive.dy);
    // Without WIDE_EDGES every value near the bounding box fits 32 bits.
    let at = |k: usize| {
        (primitive.edge[k] as i32)
            .wrapping_add(dx[k].wrapping_mul(x as i32))
            .wrapping_add(dy[k].wrapping_mul(row as i32))
    };
    (primitive.flags & WIDE_EDGES == 0).then(|| Edges { at: [at(0), at(1), at(2)], dx, dy })
}

/// The pixels that a primitive covers in the block at (`x`, `row`), in 64 bits.
pub(super) fn wide(primitive: &Primitive, x: u32, row: u32) -> u64 {
    let mut mask = 0;
    for py in 0..8 {
        for px in 0..8 {
            let inside = (0..3).all(|k| {
                let (dx, dy) = (i64::from(primitive.dx[k]), i64::from(primitive.dy[k]));
                primitive.edge[k] + dx * i64::from(x + px) + dy * i64::from(row + py) >= 0
            });
            mask |= u64::from(inside) << morton(px, py);
        }
    }
    mask
}

/// The pixels of a block at (`x`, `row`) that lie in a rectangle.
pub(super) fn inside(x: u32, row: u32, Rect { x0, y0, x1, y1 }: Rect) -> u64 {
    if x0 <= x && y0 <= row && x1 >= x + 7 && y1 >= row + 7 {
        return !0;
    }
    span(x, x0, x1, &COLUMNS_BELOW) & span(row, y0, y1, &ROWS_BELOW)
}

/// Those of its columns that do, in all rows.
#[inline]
pub(super) fn columns(x: u32, Rect { x0, x1, .. }: Rect) -> u64 {
    if x0 <= x && x1 >= x + 7 { !0 } else { span(x, x0, x1, &COLUMNS_BELOW) }
}

/// Those of its rows that do, in all columns.
#[inline]
pub(super) fn rows(row: u32, Rect { y0, y1, .. }: Rect) -> u64 {
    if y0 <= row && y1 >= row + 7 { !0 } else { span(row, y0, y1, &ROWS_BELOW) }
}

/// The lines from `start` on that lie within `low..=high`; `below[n]` are the first n of them.
fn span(start: u32, low: u32, high: u32, below: &[u64; 9]) -> u64 {
    let first = low.saturating_sub(start).min(8) as usize;
    let end = (high + 1).saturating_sub(start).min(8) as usize;
    below[end] & !below[first]
}

/// The pixels of a block at (`x`, `row`) that a stipple of 32x32 pixels lets pass.
pub(super) fn stipple(x: u32, row: u32, pattern: &[u32; 32]) -> u64 {
    (0..8).fold(0, |mask, line| {
        let bits = pattern[((row + line) & 31) as usize] >> (x & 31) & 0xFF;
        let columns = (0..8).filter(|column| bits >> column & 1 != 0).fold(0, |m, column| m | COLUMNS[column]);
        mask | ROWS[line as usize] & columns
    })
}

/// Pixels of each column of a block.
const COLUMNS: [u64; 8] = lines(true);
/// Pixels of each row of a block.
const ROWS: [u64; 8] = lines(false);

/// The pixels of the first n columns.
const COLUMNS_BELOW: [u64; 9] = below(COLUMNS);
/// The pixels of the first n rows.
const ROWS_BELOW: [u64; 9] = below(ROWS);

const fn below(lines: [u64; 8]) -> [u64; 9] {
    let mut masks = [0; 9];
    let mut n = 0;
    while n < 8 {
        masks[n + 1] = masks[n] | lines[n];
        n += 1;
    }
    masks
}

const fn lines(columns: bool) -> [u64; 8] {
    let mut masks = [0; 8];
    let mut line = 0;
    while line < 8 {
        let mut along = 0;
        while along < 8 {
            let (x, y) = if columns { (line, along) } else { (along, line) };
            masks[line as usize] |= 1 << morton(x, y);
            along += 1;
        }
        line += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primitive(seed: u32) -> Primitive {
        let value = |n: u32| (seed.wrapping_mul(2_654_435_761).wrapping_add(n.wrapping_mul(40_503)) >> 8) as i32 % 3000;
        Primitive {
            edge: [value(1), value(2), value(3)].map(i64::from),
            dx: [value(4), value(5), value(6)],
            dy: [value(7), value(8), value(9)],
            ..Primitive::default()
        }
    }

    #[test]
    fn fast_and_wide_agree() {
        for seed in 0..5000 {
            let primitive = primitive(seed);
            for (x, row) in [(0, 0), (8, 0), (0, 16), (24, 8)] {
                let mut edges = near(&primitive, x, row).unwrap();
                assert_eq!(edges.coverage(), wide(&primitive, x, row), "seed {seed} at {x},{row}");
                assert_eq!(edges.partial(edges.crossing()), wide(&primitive, x, row), "seed {seed} at {x},{row}");
                edges.step_right();
                edges.step_down();
                assert_eq!(edges.coverage(), wide(&primitive, x + 8, row + 8), "seed {seed} after {x},{row}");
            }
        }
    }

    #[test]
    fn rectangles_cut_blocks() {
        let rect = |x0, y0, x1, y1| Rect { x0, y0, x1, y1 };
        assert_eq!(inside(8, 8, rect(0, 0, 100, 100)), !0);
        assert_eq!(inside(8, 8, rect(9, 9, 9, 9)), 1 << morton(1, 1));
        assert_eq!(inside(8, 8, rect(0, 0, 7, 100)), 0);
        assert_eq!(inside(0, 0, rect(4, 0, 7, 7)).count_ones(), 32);
        for (low, high) in (0..24).flat_map(|low| (low..24).map(move |high| (low, high))) {
            let want: u64 = (8..16).filter(|x| (low..=high).contains(x)).map(|x| COLUMNS[x as usize - 8]).sum();
            assert_eq!(inside(8, 0, rect(low, 0, high, 7)), want, "columns {low} to {high}");
        }
    }
}
