//! The 3DS's tiled layout: blocks of 8x8 (or 32x32) pixels in rows, Morton order inside a block.

use borsh::{BorshDeserialize, BorshSerialize};

/// Interleaves the low five bits of `x` (even bits of the result) and `y` (odd bits).
pub const fn morton(x: u32, y: u32) -> u32 {
    spread(x) | spread(y) << 1
}

/// The inverse of [`morton`] for indices below 1024.
pub const fn unmorton(index: u32) -> (u32, u32) {
    (gather(index), gather(index >> 1))
}

const fn spread(v: u32) -> u32 {
    v & 1 | (v & 2) << 1 | (v & 4) << 2 | (v & 8) << 3 | (v & 16) << 4
}

const fn gather(v: u32) -> u32 {
    v & 1 | v >> 1 & 2 | v >> 2 & 4 | v >> 3 & 8 | v >> 4 & 16
}

/// Edge length of the blocks of a tiled surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum Block {
    /// 8x8 pixels, the layout of textures and of nearly all render targets.
    B8,
    /// 32x32 pixels. The order inside is a plain 32x32 Morton order: unverified, no source gives it.
    B32,
}

impl Block {
    /// Pixels along one edge.
    pub const fn edge(self) -> u32 {
        match self {
            Block::B8 => 8,
            Block::B32 => 32,
        }
    }

    /// Index, in pixels, of pixel (`x`, `y`) in a surface of `width` pixels; `y` counts stored rows.
    pub const fn index(self, x: u32, y: u32, width: u32) -> u32 {
        let inside = self.edge() - 1;
        // Wrapping: a surface larger than the address space cannot be mapped, its accesses are dropped later.
        (y & !inside)
            .wrapping_mul(width)
            .wrapping_add((x & !inside).wrapping_mul(self.edge()))
            .wrapping_add(morton(x & inside, y & inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morton_inverts() {
        for index in 0..1024 {
            let (x, y) = unmorton(index);
            assert_eq!(morton(x, y), index);
        }
    }

    #[test]
    fn rows_of_blocks_follow_the_width() {
        assert_eq!(Block::B8.index(8, 0, 16), 64);
        assert_eq!(Block::B8.index(0, 8, 16), 128);
        assert_eq!(Block::B8.index(9, 9, 16), 128 + 64 + 3);
        assert_eq!(Block::B32.index(32, 0, 64), 1024);
    }
}
