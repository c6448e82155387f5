//! Depth formats.

use borsh::{BorshDeserialize, BorshSerialize};

/// A depth buffer's format (3dbrew: GPU/Internal Registers, 0x116).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum DepthFormat {
    /// 16 bits of depth, 2 bytes.
    D16,
    /// 24 bits of depth, 3 bytes.
    D24,
    /// 24 bits of depth in the low bits, 8 bits of stencil in the top byte.
    D24S8,
}

impl DepthFormat {
    /// Bytes of one pixel, 2 to 4.
    pub const fn bytes(self) -> u32 {
        match self {
            DepthFormat::D16 => 2,
            DepthFormat::D24 => 3,
            DepthFormat::D24S8 => 4,
        }
    }

    /// The stored value of depth 1.0.
    pub const fn max(self) -> u32 {
        match self {
            DepthFormat::D16 => 0xFFFF,
            _ => 0xFF_FFFF,
        }
    }
}
