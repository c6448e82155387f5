//! Texture formats as one table: the code in TEXTURE_FORMAT, and how texels are stored.
//!
//! What is in A, R, G, B before the remap of TEXTURE_CONTROL1 is in the alpha, red, green and blue of the coding's
//! texels. Sources: RPCS3 gcm_enums.h and TextureUtils, envytools nv30-40_3d.xml, Mesa nv30_format.

use crate::format::block::BlockCodec;
use crate::format::{BlockCoding, Coding};
use crate::kernel::program::output::{Bits, Channel, ColorFormat};
use crate::rsx::chip::Chip;
use crate::table::formats::formats;

/// A texture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TexelFormat {
    /// How texels are coded.
    pub coding: Coding,
    /// The conversion of such texels after the filter.
    pub kind: TexelKind,
}

/// The conversion after the filter. Which formats take which conversion is from tests on a console (RPCS3's
/// `get_format_features`): flags of the others do nothing, but for gamma and BX2 of depth, and gamma of pairs and
/// words, which hang it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelKind {
    /// Remap and every conversion.
    Color,
    /// The same, one component of 8 bits that is red, green and blue, which are never signed and of which red alone has
    /// gamma; alpha can be signed (a console's dump in RPCS3 #18171). The PC's chip has no such kind.
    Byte,
    /// Two components of 8 bits: the remap word means something else, see [`pair_remap`]; only the biased conversion.
    Pair,
    /// The same, one of 16 bits.
    Word,
    /// The same, two of 16 bits, which may be signed, too.
    WordPair,
    /// Two signed components: no conversion.
    SignedPair,
    /// Floats of four components, no remap and no conversion.
    Float4,
    /// One or two floats: no conversion.
    Float,
    /// Depth: can be compared; only the biased conversion.
    Depth,
}

/// Properties of a texture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRow {
    storage: Storage,
    kind: TexelKind,
}

/// How texels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// Each by itself.
    Packed {
        /// Bytes of a texel.
        bytes: u8,
        /// Bytes of a word, which has the byte order of the chip.
        word: u8,
        /// Fields of r, g, b, a, the first word being the lowest.
        channels: [Channel; 4],
    },
    /// Two in four bytes: where red, green and blue of each are, in the order of addresses.
    Pair { red: [u8; 2], green: [u8; 2], blue: [u8; 2] },
    /// In blocks.
    Block(BlockCodec),
    /// A small float of depth.
    Depth16,
}

const ABSENT: Channel = Channel::Absent;
const ONE: Channel = Channel::Ones(Bits { shift: 0, bits: 0 });

const fn packed(bytes: u8, word: u8, channels: [Channel; 4], kind: TexelKind) -> TextureRow {
    TextureRow { storage: Storage::Packed { bytes, word, channels }, kind }
}

const fn pair(red: [u8; 2], green: [u8; 2], blue: [u8; 2]) -> TextureRow {
    TextureRow { storage: Storage::Pair { red, green, blue }, kind: TexelKind::Color }
}

const fn blocks(codec: BlockCodec) -> TextureRow {
    TextureRow { storage: Storage::Block(codec), kind: TexelKind::Color }
}

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(Bits { shift, bits })
}

/// Fields of less than eight bits are widened by repeating their bits: in RPCS3's picture `texture_formats` 5 bits have
/// 24, 57, 198 and 231, not 25, 58, 197 and 230, in four formats, and 6 bits 52 and 203, not 53 and 202, in two.
const fn few(shift: u8, bits: u8) -> Channel {
    Channel::UnormRsx(Bits { shift, bits })
}

const fn float(shift: u8, bits: u8) -> Channel {
    Channel::Float(Bits { shift, bits })
}

const fn snorm(shift: u8, bits: u8) -> Channel {
    Channel::Snorm(Bits { shift, bits })
}

use TexelKind::{Byte, Color, Depth, Float, Float4, Pair, SignedPair, Word, WordPair};

formats! {
    /// Texture formats, as in SET_TEXTURE_FORMAT; GCM's numbers are 0x80 more. The row is what a texel is.
    TextureFormat: TextureRow;

    B8 = 0x01 "B8" packed(1, 1, [unorm(0, 8), unorm(0, 8), unorm(0, 8), ABSENT], Byte);
    A1R5G5B5 = 0x02 "A1R5G5B5" packed(2, 2, [few(10, 5), few(5, 5), few(0, 5), few(15, 1)], Color);
    A4R4G4B4 = 0x03 "A4R4G4B4" packed(2, 2, [few(8, 4), few(4, 4), few(0, 4), few(12, 4)], Color);
    R5G6B5 = 0x04 "R5G6B5" packed(2, 2, [few(11, 5), few(5, 6), few(0, 5), ABSENT], Color);
    A8R8G8B8 = 0x05 "A8R8G8B8" packed(4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)], Color);
    Dxt1 = 0x06 "COMPRESSED_DXT1" blocks(BlockCodec::Bc1);
    Dxt23 = 0x07 "COMPRESSED_DXT23" blocks(BlockCodec::Bc2);
    Dxt45 = 0x08 "COMPRESSED_DXT45" blocks(BlockCodec::Bc3);
    G8B8 = 0x0B "G8B8" packed(2, 2, [unorm(0, 8), unorm(8, 8), unorm(0, 8), unorm(8, 8)], Color);
    /// Bytes in the order of addresses: B R G R, the second red is the even texel's (ps3autotests' texture_formats).
    B8R8G8R8 = 0x0D "COMPRESSED_B8R8_G8R8" pair([3, 1], [2; 2], [0; 2]);
    R8B8R8G8 = 0x0E "COMPRESSED_R8B8_R8G8" pair([2, 0], [3; 2], [1; 2]);
    R6G5B5 = 0x0F "R6G5B5" packed(2, 2, [few(10, 6), few(5, 5), few(0, 5), ABSENT], Color);
    Depth24 = 0x10 "DEPTH24_D8" packed(4, 4, [unorm(8, 24); 4], Depth);
    Depth24Float = 0x11 "DEPTH24_D8_FLOAT" packed(4, 4, [float(8, 24); 4], Depth);
    Depth16 = 0x12 "DEPTH16" packed(2, 2, [unorm(0, 16); 4], Depth);
    Depth16Float = 0x13 "DEPTH16_FLOAT" TextureRow { storage: Storage::Depth16, kind: Depth };
    X16 = 0x14 "X16" packed(2, 2, [ONE, unorm(0, 16), ONE, unorm(0, 16)], Word);
    /// The high half is red, of Y16_X16_FLOAT the low one (ps3autotests' texture_formats); alpha is what Mesa reads.
    Y16X16 = 0x15 "Y16_X16" packed(4, 4, [unorm(16, 16), unorm(0, 16), unorm(0, 16), unorm(16, 16)], WordPair);
    R5G5B5A1 = 0x17 "R5G5B5A1" packed(2, 2, [few(11, 5), few(6, 5), few(1, 5), few(0, 1)], Color);
    Hilo8 = 0x18 "COMPRESSED_HILO8" packed(2, 2, [unorm(8, 8), unorm(0, 8), unorm(0, 8), unorm(8, 8)], Pair);
    HiloS8 = 0x19 "COMPRESSED_HILO_S8" packed(2, 2, [snorm(8, 8), snorm(0, 8), snorm(0, 8), snorm(8, 8)], SignedPair);
    Rgba16Float = 0x1A "W16_Z16_Y16_X16_FLOAT"
        packed(8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)], Float4);
    Rgba32Float = 0x1B "W32_Z32_Y32_X32_FLOAT"
        packed(16, 4, [float(0, 32), float(32, 32), float(64, 32), float(96, 32)], Float4);
    X32Float = 0x1C "X32_FLOAT" packed(4, 4, [float(0, 32); 4], Float);
    D1R5G5B5 = 0x1D "D1R5G5B5" packed(2, 2, [few(10, 5), few(5, 5), few(0, 5), ABSENT], Color);
    D8R8G8B8 = 0x1E "D8R8G8B8" packed(4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), ABSENT], Color);
    Y16X16Float = 0x1F "Y16_X16_FLOAT"
        packed(4, 4, [float(0, 16), float(16, 16), float(0, 16), float(16, 16)], Float);
}

impl TextureFormat {
    /// The conversion of texels on a chip.
    #[doc(hidden)]
    pub const fn texels(self, chip: Chip) -> TexelFormat {
        let big_endian = chip.big_endian();
        let TextureRow { storage, kind } = *self.row();
        let coding = match storage {
            Storage::Packed { bytes, word, channels } => {
                Coding::Packed(ColorFormat { bytes, swap: if big_endian { word } else { 1 }, channels })
            }
            Storage::Pair { red, green, blue } => Coding::Pair { red, green, blue },
            Storage::Block(codec) => Coding::Block(BlockCoding { codec, srgb: false }),
            Storage::Depth16 => Coding::Depth16 { big_endian },
        };
        TexelFormat { coding, kind: if matches!(kind, Byte) && chip.signs_bytes() { Color } else { kind } }
    }

    /// Whether the remap word means [`pair_remap`].
    pub const fn has_pair_remap(self) -> bool {
        matches!(self.row().kind, Pair | Word | WordPair | SignedPair) || matches!(self, TextureFormat::Y16X16Float)
    }
}

/// The meaning of TEXTURE_CONTROL1's low byte for formats of two components, `order` being bit 16. (RPCS3.)
pub const fn pair_remap(low: u32, order: bool) -> u32 {
    match (low, order) {
        (0xE4, false) => 0x66,
        (0xE4, true) => 0x56,
        (0x4E, false) => 0x99,
        (0x4E, true) => 0xA9,
        (0xEE, _) => 0xAA,
        (0x44, _) => 0x55,
        (other, _) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::program::sampler::Texels;

    fn texels(code: u32, chip: Chip) -> Option<TexelFormat> {
        TextureFormat::from_register(code).map(|format| format.texels(chip))
    }

    #[test]
    fn every_documented_code_is_a_format() {
        let none = [0x00, 0x09, 0x0A, 0x0C, 0x16];
        for code in 0..0x20 {
            assert_eq!(texels(code, Chip::Rsx).is_none(), none.contains(&code), "{code:#x}");
        }
        assert_eq!(texels(0x05, Chip::Nv47).map(|f| f.coding.texels()), Some(Texels::Rgba8));
        assert_eq!(texels(0x15, Chip::Nv47).map(|f| f.coding.texels()), Some(Texels::Float4));
    }

    #[test]
    fn sizes_of_texels() {
        let bytes = |code| texels(code, Chip::Rsx).map(|f| f.coding.block().2);
        assert_eq!([0x01, 0x04, 0x05, 0x1A, 0x1B, 0x06, 0x08, 0x0D].map(bytes), [1, 2, 4, 8, 16, 8, 16, 4].map(Some));
    }
}
