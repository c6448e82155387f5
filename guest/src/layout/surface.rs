//! Layouts of surfaces, as address formulas.

use borsh::{BorshDeserialize, BorshSerialize};

/// How the pixels of a surface are arranged in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum SurfaceLayout {
    /// Rows, one after another.
    Pitch,
    /// Bits of x and y interleaved, x first; of unequal sizes the longer one's remaining bits follow (RSX).
    Swizzled {
        /// log2 of the width, at most 12.
        log2_width: u8,
        /// log2 of the height, at most 12.
        log2_height: u8,
    },
    /// Blocks of GOBs (64 bytes x 8 rows) on top of each other, blocks in rows (Tegra).
    BlockLinear {
        /// log2 of the GOBs of a block, 0 to 5.
        log2_gobs: u8,
    },
    /// One slice of a volume whose blocks are several slices deep, from the slice's first byte on (Tegra).
    BlockSlice {
        /// log2 of the GOBs of a block in each slice, 0 to 5.
        log2_gobs: u8,
        /// log2 of the slices of a block, 0 to 5.
        log2_slices: u8,
    },
}

/// Which layout, without its sizes: what code is specialised to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum LayoutKind {
    /// [`SurfaceLayout::Pitch`].
    Pitch,
    /// [`SurfaceLayout::Swizzled`].
    Swizzled,
    /// [`SurfaceLayout::BlockLinear`] and [`SurfaceLayout::BlockSlice`].
    BlockLinear,
}

impl SurfaceLayout {
    /// Which layout it is.
    pub const fn kind(self) -> LayoutKind {
        match self {
            SurfaceLayout::Pitch => LayoutKind::Pitch,
            SurfaceLayout::Swizzled { .. } => LayoutKind::Swizzled,
            SurfaceLayout::BlockLinear { .. } | SurfaceLayout::BlockSlice { .. } => LayoutKind::BlockLinear,
        }
    }

    /// Byte offset of the pixel of `bytes` (a power of two) bytes at (`x`, `y`); `pitch`: bytes of a row, or GOBs of a
    /// row for block-linear. It is the sum of the offsets of (`x`, 0), whatever the pitch, and (0, `y`).
    #[inline]
    pub const fn offset(self, x: u32, y: u32, bytes: u32, pitch: u32) -> u64 {
        match self {
            SurfaceLayout::Pitch => y as u64 * pitch as u64 + x as u64 * bytes as u64,
            SurfaceLayout::Swizzled { log2_width, log2_height } => {
                swizzle(x, y, log2_width as u32, log2_height as u32) as u64 * bytes as u64
            }
            SurfaceLayout::BlockLinear { log2_gobs } => block_linear(x * bytes, y, pitch, log2_gobs as u32),
            SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => {
                block_slice(x * bytes, y, pitch, log2_gobs as u32, log2_slices as u32)
            }
        }
    }
}

/// Index of texel (`x`, `y`) of a swizzled image of at most 2^16 texels a side; bits of x and y beyond its size are
/// ignored.
#[inline]
pub const fn swizzle(x: u32, y: u32, log2_width: u32, log2_height: u32) -> u32 {
    let (x, y) = (x & ((1 << log2_width) - 1), y & ((1 << log2_height) - 1));
    // As many bits by turns as the shorter side has; then those that the longer one has left.
    let both = if log2_width < log2_height { log2_width } else { log2_height };
    let low = (1 << both) - 1;
    let above = ((x >> both | y >> both) as u64) << (2 * both);
    spread(x & low) | spread(y & low) << 1 | above as u32
}

/// Moves bit i of 16 bits to bit 2i.
const fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 8) & 0x00FF_00FF;
    let bits = (bits | bits << 4) & 0x0F0F_0F0F;
    let bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

/// Index of a texel of a swizzled volume: bit 0 of x, y, z, then bit 1 of each, as far as each goes.
pub const fn swizzle3(at: [u32; 3], log2: [u32; 3]) -> u32 {
    let (mut result, mut next, mut bit) = (0, 0, 0);
    while bit < 16 {
        let mut axis = 0;
        while axis < 3 {
            if bit < log2[axis] {
                result |= (at[axis] >> bit & 1) << next;
                next += 1;
            }
            axis += 1;
        }
        bit += 1;
    }
    result
}

/// Byte offset of byte column `x`, row `y` (Tegra X1 TRM, block linear: GOBs of 64 bytes by 8 rows).
#[inline]
pub const fn block_linear(x: u32, y: u32, gobs_across: u32, log2_gobs: u32) -> u64 {
    block_slice(x, y, gobs_across, log2_gobs, 0)
}

/// The same in a slice of blocks of 2^`log2_slices` slices, from the slice's first byte on.
#[inline]
const fn block_slice(x: u32, y: u32, gobs_across: u32, log2_gobs: u32, log2_slices: u32) -> u64 {
    let block_rows = 8 << log2_gobs;
    let block = (y / block_rows) as u64 * gobs_across as u64 + (x / 64) as u64;
    let gob = (block << (log2_gobs + log2_slices)) + (y % block_rows / 8) as u64;
    gob * 512 + gob_offset(x % 64, y % 8) as u64
}

/// Byte offset inside a GOB.
#[inline]
pub const fn gob_offset(x: u32, y: u32) -> u32 {
    x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzled_texels_are_all_different() {
        for (width, height) in [(3, 1), (1, 3), (4, 4), (0, 5), (5, 0)] {
            let mut seen: Vec<u32> =
                (0..1 << height).flat_map(|y| (0..1 << width).map(move |x| swizzle(x, y, width, height))).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..1 << (width + height)).collect::<Vec<_>>());
        }
        assert_eq!(swizzle(3, 1, 3, 1), 7);
    }

    #[test]
    fn offsets_are_sums_of_those_of_columns_and_rows() {
        let swizzled = |log2_width, log2_height| SurfaceLayout::Swizzled { log2_width, log2_height };
        let layouts = [
            SurfaceLayout::Pitch,
            swizzled(5, 5),
            swizzled(6, 3),
            swizzled(3, 6),
            SurfaceLayout::BlockLinear { log2_gobs: 0 },
            SurfaceLayout::BlockLinear { log2_gobs: 2 },
            SurfaceLayout::BlockSlice { log2_gobs: 1, log2_slices: 2 },
        ];
        for (layout, bytes) in layouts.into_iter().flat_map(|layout| [1, 4, 16].map(|bytes| (layout, bytes))) {
            for (x, y) in (0..80).flat_map(|x| (0..80).map(move |y| (x, y))) {
                let sum = layout.offset(x, 0, bytes, 0) + layout.offset(0, y, bytes, 48);
                assert_eq!(layout.offset(x, y, bytes, 48), sum, "{layout:?} {bytes} {x} {y}");
            }
        }
    }

    #[test]
    fn images_are_volumes_of_one_slice() {
        for (width, height) in (0..=16).flat_map(|width| (0..=16).map(move |height| (width, height))) {
            for (x, y) in [(0, 0), (1, 0), (0, 1), (0x5A5A, 0xC3A7), (0xFFFF, 0xFFFF), (0x8001, 0x7FFE)] {
                assert_eq!(swizzle(x, y, width, height), swizzle3([x, y, 0], [width, height, 0]), "{width} {height}");
            }
        }
    }

    #[test]
    fn gobs_hold_each_byte_once() {
        let mut seen: Vec<u64> = (0..16).flat_map(|y| (0..128).map(move |x| block_linear(x, y, 2, 1))).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..2048).collect::<Vec<_>>());
    }

    #[test]
    fn slices_of_deep_blocks_are_those_of_volumes() {
        use crate::layout::Blocks;
        let blocks = Blocks { gobs_across: 3, rows: 40, slices: 6, log2_gobs: 1, log2_slices: 2 };
        let slice = SurfaceLayout::BlockSlice { log2_gobs: 1, log2_slices: 2 };
        for (x, y, z) in [(0, 0, 0), (63, 15, 3), (64, 16, 1), (190, 39, 5), (100, 33, 4)] {
            let at = blocks.slice_offset(z) + slice.offset(x, y, 1, blocks.gobs_across);
            assert_eq!(at, blocks.offset(x, y, z), "{x} {y} {z}");
        }
    }
}
