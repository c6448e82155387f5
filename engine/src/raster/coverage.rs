//! Which pixels of an 8x8 block a primitive covers, as 64 bits in Morton order.

use triglyph_guest::kernel::pixel::{Primitive, WIDE_EDGES};
use triglyph_guest::layout::morton;
use wide::i32x4;

use crate::scene::Rect;

/// Three edge functions near a block. A pixel is covered where all of them are at least 0. Values anywhere in the
/// block fit 32 bits.
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
        let mut all_inside = true;
        for k in 0..3 {
            let (at, across, down) = (self.at[k], 7 * self.dx[k], 7 * self.dy[k]);
            if at + across.max(0) + down.max(0) < 0 {
                return 0;
            }
            all_inside &= at + across.min(0) + down.min(0) >= 0;
        }
        if all_inside { !0 } else { self.partial() }
    }

    /// The same for a block that is neither all in nor all out.
    ///
    /// A pixel is outside when the sign bit of any function is set. The sixteen 2x2 quads come in Morton order, each the
    /// sum of the first one and of the steps in the bits of its number.
    fn partial(&self) -> u64 {
        let mut quads = [i32x4::ZERO; 16];
        for k in 0..3 {
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
        let outside =
            quads.iter().enumerate().fold(0, |mask, (i, quad)| mask | (quad.to_bitmask() as u64 & 15) << (4 * i));
        !outside
    }
}

/// The pixels that a primitive which carries its edge functions covers in the block at (`x`, `row`).
pub(super) fn of_primitive(primitive: &Primitive, x: u32, row: u32) -> u64 {
    if primitive.flags & WIDE_EDGES != 0 {
        return wide(primitive, x, row);
    }
    let (dx, dy) = (primitive.dx, primitive.dy);
    // Without WIDE_EDGES every value near the bounding box fits 32 bits.
    let at = [0, 1, 2].map(|k| {
        (primitive.edge[k] as i32)
            .wrapping_add(dx[k].wrapping_mul(x as i32))
            .wrapping_add(dy[k].wrapping_mul(row as i32))
    });
    Edges { at, dx, dy }.coverage()
}

/// As [`of_primitive`], in 64 bits.
fn wide(primitive: &Primitive, x: u32, row: u32) -> u64 {
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
    span(x, x0, x1, &COLUMNS) & span(row, y0, y1, &ROWS)
}

/// The union of `lines[low - start ..= high - start]`.
fn span(start: u32, low: u32, high: u32, lines: &[u64; 8]) -> u64 {
    (0..8).filter(|i| (low..=high).contains(&(start + i))).fold(0, |mask, i| mask | lines[i as usize])
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
                assert_eq!(of_primitive(&primitive, x, row), wide(&primitive, x, row), "seed {seed} at {x},{row}");
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
    }
}
