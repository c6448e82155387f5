//! Which pixels of an 8x8 block a primitive covers, as 64 bits in Morton order.

use triglyph_guest::kernel::pixel::{Primitive, WIDE_EDGES};
use triglyph_guest::layout::morton;
use wide::i32x4;

/// Edge functions that cover a block: all three at least 0.
pub(super) fn coverage(primitive: &Primitive, x: u32, row: u32) -> u64 {
    if primitive.flags & WIDE_EDGES != 0 {
        return wide(primitive, x, row);
    }
    let mut at = [0i32; 3];
    let mut all_inside = true;
    for (k, at) in at.iter_mut().enumerate() {
        let (dx, dy) = (primitive.dx[k], primitive.dy[k]);
        // Without WIDE_EDGES every value near the bounding box fits 32 bits.
        *at = (primitive.edge[k] as i32)
            .wrapping_add(dx.wrapping_mul(x as i32))
            .wrapping_add(dy.wrapping_mul(row as i32));
        let (across, down) = (7 * dx, 7 * dy);
        if *at + across.max(0) + down.max(0) < 0 {
            return 0;
        }
        all_inside &= *at + across.min(0) + down.min(0) >= 0;
    }
    if all_inside { !0 } else { partial(primitive, at) }
}

/// The pixels of a block of which all three edge functions are at least 0; `at` holds them at its first pixel.
///
/// A pixel is outside when the sign bit of any function is set. The sixteen 2x2 quads come in Morton order, each the
/// sum of the first one and of the steps in the bits of its number.
fn partial(primitive: &Primitive, at: [i32; 3]) -> u64 {
    let mut quads = [i32x4::ZERO; 16];
    for (k, at) in at.into_iter().enumerate() {
        let (dx, dy) = (primitive.dx[k], primitive.dy[k]);
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
    let outside = quads.iter().enumerate().fold(0, |mask, (i, quad)| mask | (quad.to_bitmask() as u64 & 15) << (4 * i));
    !outside
}

/// As [`coverage`], in 64 bits.
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

/// The pixels of a block at (`x`, `row`) that lie in the rectangle `x0..=x1`, `y0..=y1`.
pub(super) fn inside(x: u32, row: u32, [x0, y0, x1, y1]: [u32; 4]) -> u64 {
    if x0 <= x && y0 <= row && x1 >= x + 7 && y1 >= row + 7 {
        return !0;
    }
    span(x, x0, x1, &COLUMNS) & span(row, y0, y1, &ROWS)
}

/// The union of `lines[low - start ..= high - start]`.
fn span(start: u32, low: u32, high: u32, lines: &[u64; 8]) -> u64 {
    (0..8).filter(|i| (low..=high).contains(&(start + i))).fold(0, |mask, i| mask | lines[i as usize])
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
                assert_eq!(coverage(&primitive, x, row), wide(&primitive, x, row), "seed {seed} at {x},{row}");
            }
        }
    }

    #[test]
    fn rectangles_cut_blocks() {
        assert_eq!(inside(8, 8, [0, 0, 100, 100]), !0);
        assert_eq!(inside(8, 8, [9, 9, 9, 9]), 1 << morton(1, 1));
        assert_eq!(inside(8, 8, [0, 0, 7, 100]), 0);
        assert_eq!(inside(0, 0, [4, 0, 7, 7]).count_ones(), 32);
    }
}
