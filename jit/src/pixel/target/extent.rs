//! Bounds of the blocks of a job in a surface.

use triglyph_guest::kernel::program::fragment::{PixelBlock, Samples};

/// Bounds over all blocks of a job.
pub struct Extent {
    pub right: u32,
    pub bottom: u32,
}

/// Pixels of each row of quads of a block, in Morton order: bit 3 of a pixel's number is bit 1 of its row, bit 5 is
/// bit 2.
const QUAD_ROWS: [u64; 4] = {
    let mut rows = [0; 4];
    let mut pixel = 0;
    while pixel < 64 {
        rows[pixel >> 3 & 1 | pixel >> 4 & 2] |= 1 << pixel;
        pixel += 1;
    }
    rows
};

impl Extent {
    /// The same bounds, but no lower than the last quad that is covered: surfaces often end with the memory that is
    /// mapped, and their heights are no multiples of a block's.
    pub fn touched(&self, samples: Samples, blocks: &[PixelBlock]) -> Extent {
        let down = u32::from(samples.down);
        let last = self.bottom / down - 8;
        let lowest = blocks.iter().filter(|block| u32::from(block.row) == last);
        let covered = lowest.fold(0, |covered, block| covered | block.coverage);
        let rows = (0..4).filter(|&row| covered & QUAD_ROWS[row as usize] != 0).map(|row| 2 * row + 2).max();
        Extent { bottom: (last + rows.unwrap_or(0)) * down, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use triglyph_guest::layout::morton;

    use super::*;

    #[test]
    fn the_lowest_blocks_end_with_their_last_quad() {
        let block = |row, coverage| PixelBlock { primitive: 0, x: 0, row, coverage };
        let row = |y: u32| (0..8).fold(0, |set, x| set | 1u64 << morton(x, y));
        let bottom = |down: u8, coverage| {
            let extent = Extent { right: 8, bottom: 16 * u32::from(down) };
            extent.touched(Samples { across: 1, down }, &[block(0, !0), block(8, coverage)]).bottom
        };
        let rows: Vec<u32> = (0..8).map(|y| bottom(1, row(y))).collect();
        assert_eq!(rows, [10, 10, 12, 12, 14, 14, 16, 16]);
        assert_eq!([bottom(1, row(0) | row(3)), bottom(2, row(4)), bottom(1, 0)], [12, 28, 8]);
    }
}
