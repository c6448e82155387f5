//! Blocks of compressed texels, whatever the machine.
//!
//! ```text
//! bc.rs          BC1 to BC5
//! bc6h.rs        BC6H
//! bc7.rs         BC7
//! partition.rs   partitions and weights of BC6H and BC7
//! etc.rs         ETC2, EAC
//! astc/          ASTC
//! bits.rs        fields of a block
//! ```
//! Decoding is total: any bits give texels.

mod astc;
mod bc;
mod bc6h;
mod bc7;
mod bits;
mod etc;
mod partition;

use crate::kernel::program::sampler::Texels;
use crate::num::F16;

/// Texels of the largest block.
pub const MAX_TEXELS: usize = astc::TEXELS;

/// How a block of texels is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockCodec {
    /// Two colours and mixtures of them; one may be transparent (DXT1).
    Bc1,
    /// As BC1 without transparency, and 4 bits of alpha for each texel (DXT2, DXT3).
    Bc2,
    /// As BC1 without transparency, and a BC4 block for alpha (DXT4, DXT5).
    Bc3,
    /// Two values and mixtures of them (RGTC1).
    Bc4 {
        /// -1 to 1 instead of 0 to 1.
        signed: bool,
    },
    /// Two BC4 blocks, red and green (RGTC2).
    Bc5 {
        /// -1 to 1 instead of 0 to 1.
        signed: bool,
    },
    /// Halves, red, green and blue (BPTC float).
    Bc6h {
        /// Whether values have signs.
        signed: bool,
    },
    /// Red, green, blue and alpha in one of eight modes (BPTC).
    Bc7,
    /// Red, green, blue.
    Etc2Rgb,
    /// Red, green, blue, and texels that are transparent.
    Etc2RgbPunchThrough,
    /// A block of EAC for alpha, then red, green, blue.
    Etc2Rgba,
    /// Red, 11 bits.
    EacR11 {
        /// -1 to 1 instead of 0 to 1.
        signed: bool,
    },
    /// Red and green, 11 bits each.
    EacRg11 {
        /// -1 to 1 instead of 0 to 1.
        signed: bool,
    },
    /// ASTC of two dimensions, low dynamic range.
    Astc {
        /// Texels across, 4 to 12.
        width: u8,
        /// Texels down, 4 to 12.
        height: u8,
    },
}

impl BlockCodec {
    /// Bytes of a block.
    pub const fn bytes(self) -> u32 {
        match self {
            BlockCodec::Bc1 | BlockCodec::Bc4 { .. } | BlockCodec::Etc2Rgb | BlockCodec::Etc2RgbPunchThrough => 8,
            BlockCodec::EacR11 { .. } => 8,
            _ => 16,
        }
    }

    /// Texels of a block, across and down.
    pub const fn size(self) -> (u32, u32) {
        match self {
            BlockCodec::Astc { width, height } => (width as u32, height as u32),
            _ => (4, 4),
        }
    }

    /// The format of decoded texels: bytes, or floats where bytes cannot hold them.
    pub const fn texels(self) -> Texels {
        match self {
            BlockCodec::Bc4 { .. } | BlockCodec::Bc5 { .. } | BlockCodec::Bc6h { .. } => Texels::Float4,
            BlockCodec::EacR11 { .. } | BlockCodec::EacRg11 { .. } => Texels::Float4,
            _ => Texels::Rgba8,
        }
    }

    /// Decodes a block of [`Texels::Rgba8`], row by row; of those with 8 bytes the first ones. `srgb`: whether they are
    /// sRGB, which stays as it is, but ASTC rounds in it. Texels of other codecs are black.
    pub fn decode_bytes(self, block: [u8; 16], srgb: bool, out: &mut [u32; MAX_TEXELS]) {
        let [first, second] = halves(block);
        let texels = match self {
            BlockCodec::Bc1 => bc::bc1(first),
            BlockCodec::Bc2 => bc::bc2(first, second),
            BlockCodec::Bc3 => bc::bc3(first, second),
            BlockCodec::Bc7 => bc7::bc7(block),
            BlockCodec::Etc2Rgb => etc::etc2(first, false),
            BlockCodec::Etc2RgbPunchThrough => etc::etc2(first, true),
            BlockCodec::Etc2Rgba => etc::etc2_alpha(first, second),
            BlockCodec::Astc { width, height } => return astc::astc(block, [width.into(), height.into()], srgb, out),
            _ => [0; 16],
        };
        out[..16].copy_from_slice(&texels);
    }

    /// Decodes a block of [`Texels::Float4`], row by row; of those with 8 bytes the first ones. Channels that it does
    /// not have are 0, alpha 1; so are those of other codecs.
    pub fn decode_floats(self, block: [u8; 16]) -> [[f32; 4]; 16] {
        let [first, second] = halves(block);
        let red = |values: [f32; 16]| values.map(|r| [r, 0.0, 0.0, 1.0]);
        let red_green = |r: [f32; 16], g: [f32; 16]| std::array::from_fn(|i| [r[i], g[i], 0.0, 1.0]);
        match self {
            BlockCodec::Bc4 { signed } => red(bc::bc4(first, signed)),
            BlockCodec::Bc5 { signed } => red_green(bc::bc4(first, signed), bc::bc4(second, signed)),
            BlockCodec::EacR11 { signed } => red(etc::eac11(first, signed)),
            BlockCodec::EacRg11 { signed } => red_green(etc::eac11(first, signed), etc::eac11(second, signed)),
            BlockCodec::Bc6h { signed } => bc6h::bc6h(block, signed).map(|texel| {
                let [r, g, b] = texel.map(|half| F16::decode(half.into()));
                [r, g, b, 1.0]
            }),
            _ => [[0.0, 0.0, 0.0, 1.0]; 16],
        }
    }
}

fn halves(block: [u8; 16]) -> [[u8; 8]; 2] {
    let word = u128::from_le_bytes(block);
    [(word as u64).to_le_bytes(), ((word >> 64) as u64).to_le_bytes()]
}
