//! Blocks of compressed texels, whatever the machine.

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
}
