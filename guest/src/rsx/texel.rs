//! Texture formats: the byte of TEXTURE_FORMAT as a coding of images.
//!
//! Bit 5 (linear) and bit 6 (coordinates in texels) are flags. What stands in A, R, G, B before the remap of
//! TEXTURE_CONTROL1 is in the alpha, red, green and blue of the coding's texels. Sources: GCM headers, RPCS3
//! TextureUtils, envytools nv30-40_3d.xml, Mesa nv30_format.

use crate::format::block::BlockCodec;
use crate::format::{BlockCoding, Coding};
use crate::kernel::program::output::{Bits, Channel, ColorFormat};
use crate::rsx::chip::Chip;

/// A texture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TexelFormat {
    /// How texels are coded.
    pub coding: Coding,
    /// What the stages after the filter do with such texels.
    pub kind: TexelKind,
}

/// What the stages after the filter do. Which formats take which conversion is from tests on a console (RPCS3's
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

/// Flag of a format: rows instead of interleaved coordinates.
pub const LINEAR: u32 = 0x20;
/// Flag of a format: coordinates are in texels.
pub const UNNORMALIZED: u32 = 0x40;

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

const fn bc(codec: BlockCodec) -> Coding {
    Coding::Block(BlockCoding { codec, srgb: false })
}

/// The format of a byte of TEXTURE_FORMAT, flags included; `None` for one that does not exist.
pub const fn format(byte: u32, chip: Chip) -> Option<TexelFormat> {
    let big_endian = chip.big_endian();
    use TexelKind::*;
    const ABSENT: Channel = Channel::Absent;
    const ONE: Channel = Channel::Ones(Bits { shift: 0, bits: 0 });
    // Bytes of a texel, bytes of a unit of storage, fields of r, g, b, a.
    let (bytes, unit, channels, kind) = match byte & !(LINEAR | UNNORMALIZED) {
        0x81 => (1, 1, [unorm(0, 8), unorm(0, 8), unorm(0, 8), ABSENT], if chip.signs_bytes() { Color } else { Byte }),
        0x82 => (2, 2, [few(10, 5), few(5, 5), few(0, 5), few(15, 1)], Color),
        0x83 => (2, 2, [few(8, 4), few(4, 4), few(0, 4), few(12, 4)], Color),
        0x84 => (2, 2, [few(11, 5), few(5, 6), few(0, 5), ABSENT], Color),
        0x85 => (4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)], Color),
        0x86 => return Some(TexelFormat { coding: bc(BlockCodec::Bc1), kind: Color }),
        0x87 => return Some(TexelFormat { coding: bc(BlockCodec::Bc2), kind: Color }),
        0x88 => return Some(TexelFormat { coding: bc(BlockCodec::Bc3), kind: Color }),
        0x8B => (2, 2, [unorm(0, 8), unorm(8, 8), unorm(0, 8), unorm(8, 8)], Color),
        // Bytes in the order of addresses: B R G R, the second red is the even texel's (ps3autotests' texture_formats).
        0x8D => {
            return Some(TexelFormat {
                coding: Coding::Pair { red: [3, 1], green: [2; 2], blue: [0; 2] },
                kind: Color,
            });
        }
        0x8E => {
            return Some(TexelFormat {
                coding: Coding::Pair { red: [2, 0], green: [3; 2], blue: [1; 2] },
                kind: Color,
            });
        }
        0x8F => (2, 2, [few(10, 6), few(5, 5), few(0, 5), ABSENT], Color),
        0x90 => (4, 4, [unorm(8, 24); 4], Depth),
        0x91 => (4, 4, [float(8, 24); 4], Depth),
        0x92 => (2, 2, [unorm(0, 16); 4], Depth),
        0x93 => return Some(TexelFormat { coding: Coding::Depth16 { big_endian }, kind: Depth }),
        0x94 => (2, 2, [ONE, unorm(0, 16), ONE, unorm(0, 16)], Word),
        // The high half is red, of Y16_X16_FLOAT the low one (ps3autotests' texture_formats); alpha is what Mesa reads.
        0x95 => (4, 4, [unorm(16, 16), unorm(0, 16), unorm(0, 16), unorm(16, 16)], WordPair),
        0x97 => (2, 2, [few(11, 5), few(6, 5), few(1, 5), few(0, 1)], Color),
        0x98 => (2, 2, [unorm(8, 8), unorm(0, 8), unorm(0, 8), unorm(8, 8)], Pair),
        0x99 => {
            let (low, high) = (Channel::Snorm(Bits { shift: 0, bits: 8 }), Channel::Snorm(Bits { shift: 8, bits: 8 }));
            (2, 2, [high, low, low, high], SignedPair)
        }
        0x9A => (8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)], Float4),
        0x9B => (16, 4, [float(0, 32), float(32, 32), float(64, 32), float(96, 32)], Float4),
        0x9C => (4, 4, [float(0, 32); 4], Float),
        0x9D => (2, 2, [few(10, 5), few(5, 5), few(0, 5), ABSENT], Color),
        0x9E => (4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), ABSENT], Color),
        0x9F => (4, 4, [float(0, 16), float(16, 16), float(0, 16), float(16, 16)], Float),
        _ => return None,
    };
    let swap = if big_endian { unit } else { 1 };
    Some(TexelFormat { coding: Coding::Packed(ColorFormat { bytes, swap, channels }), kind })
}

impl TexelFormat {
    /// Whether the remap word means [`pair_remap`].
    pub const fn has_pair_remap(&self, byte: u32) -> bool {
        use TexelKind::{Pair, SignedPair, Word, WordPair};
        matches!(self.kind, Pair | Word | WordPair | SignedPair) || byte & !(LINEAR | UNNORMALIZED) == 0x9F
    }
}

/// What the low byte of TEXTURE_CONTROL1 means for formats of two components, `order` being bit 16. (RPCS3.)
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

    #[test]
    fn every_documented_byte_is_a_format() {
        let none = [0x80, 0x89, 0x8A, 0x8C, 0x96];
        for byte in 0x80..0xA0 {
            assert_eq!(format(byte, Chip::Rsx).is_none(), none.contains(&byte), "{byte:#x}");
            assert_eq!(format(byte | LINEAR | UNNORMALIZED, Chip::Rsx), format(byte, Chip::Rsx));
        }
        assert_eq!(format(0x05, Chip::Rsx), None);
        assert_eq!(format(0x85, Chip::Nv47).map(|f| f.coding.texels()), Some(Texels::Rgba8));
        assert_eq!(format(0x95, Chip::Nv47).map(|f| f.coding.texels()), Some(Texels::Float4));
    }

    #[test]
    fn sizes_of_texels() {
        let bytes = |byte| format(byte, Chip::Rsx).map(|f| f.coding.block().2);
        assert_eq!([0x81, 0x84, 0x85, 0x9A, 0x9B, 0x86, 0x88, 0x8D].map(bytes), [1, 2, 4, 8, 16, 8, 16, 4].map(Some));
    }
}
