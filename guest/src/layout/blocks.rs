//! Block-linear images with slices, levels and layers (Tegra X1).
//!
//! Sources: the formulas of the Tegra X1's technical reference manual, as deko3d, Mesa's nvc0 driver and the emulators
//! yuzu and Ryujinx restate them. A GOB is 64 bytes by 8 rows. A block is one GOB wide, `2^log2_gobs` GOBs high and
//! `2^log2_slices` slices deep; blocks are arranged in rows.
//!
//! ```text
//! offset = slabs before the slice + rows of blocks + blocks + slices inside of the block + GOBs of the block + gob_offset
//! ```

use super::surface::gob_offset;
use borsh::{BorshDeserialize, BorshSerialize};

/// Bytes of a GOB.
pub const GOB_BYTES: u64 = 512;
/// Bytes of a row of a GOB.
pub const GOB_WIDTH: u32 = 64;
/// Rows of a GOB.
pub const GOB_ROWS: u32 = 8;

/// The block-linear layout of an image of one level. Sizes are what registers can hold; offsets that no address space
/// has saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Blocks {
    /// GOBs of a row.
    pub gobs_across: u32,
    /// Rows; of compressed formats those of texel blocks.
    pub rows: u32,
    /// Slices, at least 1.
    pub slices: u32,
    /// GOBs of a block down, log2, 0 to 5.
    pub log2_gobs: u8,
    /// Slices of a block, log2, 0 to 5.
    pub log2_slices: u8,
}

impl Blocks {
    /// Rows of a block.
    pub const fn block_rows(&self) -> u32 {
        GOB_ROWS << self.log2_gobs
    }

    /// Bytes of a block.
    pub const fn block_bytes(&self) -> u64 {
        GOB_BYTES << (self.log2_gobs + self.log2_slices)
    }

    /// Bytes of a row of blocks.
    pub const fn block_row_bytes(&self) -> u64 {
        (self.gobs_across as u64).saturating_mul(self.block_bytes())
    }

    /// Bytes of all blocks of the same slices.
    pub const fn slab_bytes(&self) -> u64 {
        self.block_row_bytes().saturating_mul(self.rows.div_ceil(self.block_rows()) as u64)
    }

    /// Bytes of the image.
    pub const fn bytes(&self) -> u64 {
        self.slab_bytes().saturating_mul(self.slices.div_ceil(1 << self.log2_slices) as u64)
    }

    /// Where slice `z` begins: its first byte of its first row.
    #[inline]
    pub const fn slice_offset(&self, z: u32) -> u64 {
        let inside = (z & ((1 << self.log2_slices) - 1)) as u64 * (GOB_BYTES << self.log2_gobs);
        self.slab_bytes().saturating_mul((z >> self.log2_slices) as u64).saturating_add(inside)
    }

    /// Byte offset of byte column `x` of row `y` of slice `z`.
    #[inline]
    pub const fn offset(&self, x: u32, y: u32, z: u32) -> u64 {
        // Shifts: the rows of a block are a power of two, which divisions do not see.
        let gob_row = y / GOB_ROWS;
        let block_row = self.block_row_bytes().saturating_mul((gob_row >> self.log2_gobs) as u64);
        let block = (x / GOB_WIDTH) as u64 * self.block_bytes();
        let gob = (gob_row & ((1 << self.log2_gobs) - 1)) as u64 * GOB_BYTES;
        let inside = block + gob + gob_offset(x % GOB_WIDTH, y % GOB_ROWS) as u64;
        self.slice_offset(z).saturating_add(block_row).saturating_add(inside)
    }

    /// The same image with blocks that are halved while half of one would still hold the whole image: down, and in
    /// depth if `in_depth` says so.
    const fn shrunk(mut self, in_depth: bool) -> Blocks {
        while self.log2_gobs > 0 && self.rows <= self.block_rows() / 2 {
            self.log2_gobs -= 1;
        }
        while in_depth && self.log2_slices > 0 && self.slices <= 1 << (self.log2_slices - 1) {
            self.log2_slices -= 1;
        }
        self
    }
}

/// An image with levels as texture headers describe it: levels follow each other, then comes the next layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Mipmaps {
    /// Texels of level 0 across, down and in depth, at least 1 each. Layers do not count as depth.
    pub size: [u32; 3],
    /// Texels of a texel block across and down; 1, 1 for formats that are not compressed.
    pub texel_block: [u32; 2],
    /// Bytes of a texel block.
    pub bytes: u32,
    /// GOBs of a block down, log2, 0 to 5, as the header has it.
    pub log2_gobs: u8,
    /// Slices of a block, log2, 0 to 5, as the header has it.
    pub log2_slices: u8,
    /// GOBs that rows of large levels are rounded up to, log2, 0 to 5; not 0 for sparse images only.
    pub log2_spacing: u8,
    /// Levels in memory, at least 1.
    pub levels: u32,
}

impl Mipmaps {
    /// The blocks of a level. They are halved with the level; in depth from level 1 on (in that the sources differ).
    pub const fn level(&self, level: u32) -> Blocks {
        let [width, height, depth] = self.level_size(level);
        let row_bytes = width as u64 * self.bytes as u64;
        let mut gobs_across = row_bytes.div_ceil(GOB_WIDTH as u64) as u32;
        let spaced = self.log2_spacing > 0
            && width > (GOB_WIDTH / self.bytes) << self.log2_spacing
            && height > GOB_ROWS << self.log2_gobs
            && depth >= 1 << self.log2_slices;
        if spaced {
            gobs_across = gobs_across.next_multiple_of(1 << self.log2_spacing);
        }
        let Mipmaps { log2_gobs, log2_slices, .. } = *self;
        Blocks { gobs_across, rows: height, slices: depth, log2_gobs, log2_slices }.shrunk(level > 0)
    }

    /// Texel blocks of a level across and down, and its slices.
    pub const fn level_size(&self, level: u32) -> [u32; 3] {
        let [width, height, depth] = self.size;
        let [across, down] = self.texel_block;
        [at_level(width, level).div_ceil(across), at_level(height, level).div_ceil(down), at_level(depth, level)]
    }

    /// Where a level begins in its layer.
    pub const fn level_offset(&self, level: u32) -> u64 {
        let (mut offset, mut before) = (0u64, 0);
        while before < level {
            offset = offset.saturating_add(self.level(before).bytes());
            before += 1;
        }
        offset
    }

    /// Bytes from a layer to the next.
    pub const fn layer_bytes(&self) -> u64 {
        let unit = match self.log2_spacing {
            0 => self.level(0).shrunk(true).block_bytes(),
            spacing => GOB_BYTES << (spacing + self.log2_gobs + self.log2_slices),
        };
        self.level_offset(self.levels).div_ceil(unit).saturating_mul(unit)
    }
}

const fn at_level(size: u32, level: u32) -> u32 {
    let size = if level < 32 { size >> level } else { 0 };
    if size == 0 { 1 } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::surface::block_linear;

    #[test]
    fn images_of_one_slice_are_what_surfaces_are() {
        let blocks = Blocks { gobs_across: 3, rows: 50, slices: 1, log2_gobs: 1, log2_slices: 0 };
        for y in 0..50 {
            for x in 0..192 {
                assert_eq!(blocks.offset(x, y, 0), block_linear(x, y, 3, 1));
            }
        }
        assert_eq!(blocks.bytes(), 3 * 4 * 1024);
    }

    #[test]
    fn volumes_hold_each_byte_once() {
        let blocks = Blocks { gobs_across: 2, rows: 32, slices: 8, log2_gobs: 1, log2_slices: 2 };
        let bytes = |z| (0..32).flat_map(move |y| (0..128).map(move |x| blocks.offset(x, y, z)));
        let mut seen: Vec<u64> = (0..8).flat_map(bytes).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..blocks.bytes()).collect::<Vec<_>>());
    }

    #[test]
    fn nonsense_saturates() {
        let blocks = Blocks { gobs_across: u32::MAX, rows: u32::MAX, slices: u32::MAX, log2_gobs: 5, log2_slices: 5 };
        assert_eq!((blocks.bytes(), blocks.offset(u32::MAX, u32::MAX, u32::MAX)), (u64::MAX, u64::MAX));
    }

    /// TILE_WIDTH_IN_GOBS of sparse images: only levels that are larger than a spaced block in all directions.
    #[test]
    fn spacing_widens_large_levels() {
        let image = Mipmaps {
            size: [200, 200, 1],
            texel_block: [1, 1],
            bytes: 4,
            log2_gobs: 2,
            log2_slices: 0,
            log2_spacing: 2,
            levels: 3,
        };
        // 13 GOBs become 16; a level of 100 texels is wider than 64, one of 50 is not.
        assert_eq!([0, 1, 2].map(|level| image.level(level).gobs_across), [16, 8, 4]);
        assert_eq!(Mipmaps { size: [50, 200, 1], ..image }.level(0).gobs_across, 4);
        assert_eq!(Mipmaps { size: [200, 32, 1], ..image }.level(0).gobs_across, 13);
        assert!(image.layer_bytes().is_multiple_of(512 << 4));
    }
}
