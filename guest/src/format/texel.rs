//! Texture formats (3dbrew: GPU/Internal Registers, 0x08E).

use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

listed! {
    /// A texture's texel format, in the order of the register's numbers.
    #[derive(PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
    pub enum TexelFormat {
        /// 4 bytes: A, B, G, R.
        Rgba8,
        /// 3 bytes: B, G, R.
        Rgb8,
        /// 2 bytes, as the render target's.
        Rgb5A1,
        /// 2 bytes, as the render target's.
        Rgb565,
        /// 2 bytes, as the render target's.
        Rgba4,
        /// 2 bytes: alpha, intensity.
        Ia8,
        /// 2 bytes: green, red; blue 0.
        Rg8,
        /// Intensity.
        I8,
        /// Alpha; colour 0.
        A8,
        /// High nibble intensity, low nibble alpha.
        Ia4,
        /// A nibble of intensity, even texels low.
        I4,
        /// A nibble of alpha, even texels low; colour 0.
        A4,
        /// 4x4 blocks of 8 bytes.
        Etc1,
        /// 4x4 blocks of 16 bytes: alpha nibbles, then an ETC1 block.
        Etc1A4,
    }
}

impl TexelFormat {
    /// Bits of one texel.
    pub const fn bits(self) -> u32 {
        match self {
            TexelFormat::Rgba8 => 32,
            TexelFormat::Rgb8 => 24,
            TexelFormat::Rgb5A1 | TexelFormat::Rgb565 | TexelFormat::Rgba4 | TexelFormat::Ia8 | TexelFormat::Rg8 => 16,
            TexelFormat::I8 | TexelFormat::A8 | TexelFormat::Ia4 | TexelFormat::Etc1A4 => 8,
            TexelFormat::I4 | TexelFormat::A4 | TexelFormat::Etc1 => 4,
        }
    }

    /// Whether texels have an alpha of their own; without it alpha is 255.
    pub const fn has_alpha(self) -> bool {
        use TexelFormat::{Etc1, I4, I8, Rg8, Rgb8, Rgb565};
        !matches!(self, Rgb8 | Rgb565 | Rg8 | I8 | I4 | Etc1)
    }

    /// Bytes of a level of `width` x `height` texels.
    pub const fn size(self, width: u32, height: u32) -> u32 {
        // 11-bit dimensions: 2047 * 2047 * 32 bits stay below 2^32 bytes but not below 2^32 bits.
        (width as u64 * height as u64 * self.bits() as u64 / 8) as u32
    }
}

/// Modifier pairs of ETC1 by table (Khronos Data Format, ETC1).
pub const ETC1_MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];
