//! Colour formats of render targets, transfers and screens.
//!
//! All are little-endian words with red in the most significant bits (3dbrew: GPU/External Registers). Colours
//! are `[r, g, b, a]`, 8 bits each.

use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

listed! {
    /// A colour format. Its number differs between the transfer engine and the render target registers.
    /// In the order of the transfer engine's.
    #[derive(PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
    pub enum PixelFormat {
        /// 4 bytes: A, B, G, R.
        Rgba8,
        /// 3 bytes: B, G, R.
        Rgb8,
        /// R 15:11, G 10:5, B 4:0.
        Rgb565,
        /// R 15:11, G 10:6, B 5:1, A 0.
        Rgb5A1,
        /// R 15:12, G 11:8, B 7:4, A 3:0.
        Rgba4,
    }
}

impl PixelFormat {
    /// Bytes of one pixel, 2 to 4.
    pub const fn bytes(self) -> u32 {
        match self {
            PixelFormat::Rgba8 => 4,
            PixelFormat::Rgb8 => 3,
            _ => 2,
        }
    }

    /// Whether the format stores alpha; without it alpha reads 255.
    pub const fn has_alpha(self) -> bool {
        matches!(self, PixelFormat::Rgba8 | PixelFormat::Rgb5A1 | PixelFormat::Rgba4)
    }

    /// Expands a stored word (low [`Self::bytes`] bytes) to 8 bits a channel by bit replication.
    pub const fn decode(self, word: u32) -> [u8; 4] {
        match self {
            PixelFormat::Rgba8 => [(word >> 24) as u8, (word >> 16) as u8, (word >> 8) as u8, word as u8],
            PixelFormat::Rgb8 => [(word >> 16) as u8, (word >> 8) as u8, word as u8, 255],
            PixelFormat::Rgb565 => [expand5(word >> 11), expand6(word >> 5), expand5(word), 255],
            PixelFormat::Rgb5A1 => [expand5(word >> 11), expand5(word >> 6), expand5(word >> 1), expand1(word)],
            PixelFormat::Rgba4 => [expand4(word >> 12), expand4(word >> 8), expand4(word >> 4), expand4(word)],
        }
    }

    /// Cuts each channel to the stored width: truncation, no dithering.
    pub const fn encode(self, [r, g, b, a]: [u8; 4]) -> u32 {
        let (r, g, b, a) = (r as u32, g as u32, b as u32, a as u32);
        match self {
            PixelFormat::Rgba8 => r << 24 | g << 16 | b << 8 | a,
            PixelFormat::Rgb8 => r << 16 | g << 8 | b,
            PixelFormat::Rgb565 => (r >> 3) << 11 | (g >> 2) << 5 | b >> 3,
            PixelFormat::Rgb5A1 => (r >> 3) << 11 | (g >> 3) << 6 | (b >> 3) << 1 | a >> 7,
            PixelFormat::Rgba4 => (r >> 4) << 12 | (g >> 4) << 8 | (b >> 4) << 4 | a >> 4,
        }
    }
}

/// The low 5 bits of `v` widened to 8.
pub const fn expand5(v: u32) -> u8 {
    let v = v & 31;
    (v << 3 | v >> 2) as u8
}

/// The low 6 bits of `v` widened to 8.
pub const fn expand6(v: u32) -> u8 {
    let v = v & 63;
    (v << 2 | v >> 4) as u8
}

/// The low 4 bits of `v` widened to 8.
pub const fn expand4(v: u32) -> u8 {
    (v & 15) as u8 * 17
}

/// The low bit of `v` widened to 8.
pub const fn expand1(v: u32) -> u8 {
    (v & 1) as u8 * 255
}
