//! Pixel formats and operations of the 2D classes.
//!
//! A pixel is a word of 1, 2 or 4 bytes in the channel's byte order. Source of numbers and names: envytools
//! (nv04_2d.xml and what it includes), RPCS3 gcm_enums.h.

use crate::format::pixel::{expand1, expand5, expand6};
use crate::table::formats::formats;
use crate::table::regs::values;

/// How the bits of a pixel are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bits {
    /// 8 bits of anything.
    Y8,
    /// 16 bits of anything.
    Y16,
    /// 32 bits of anything.
    Y32,
    /// R 15:11, G 10:5, B 4:0.
    R5G6B5,
    /// A 15, R 14:10, G 9:5, B 4:0.
    A1R5G5B5,
    /// As `A1R5G5B5`, the top bit is no alpha.
    X1R5G5B5,
    /// A 31:24, R 23:16, G 15:8, B 7:0.
    A8R8G8B8,
    /// As `A8R8G8B8`, the top byte is no alpha.
    X8R8G8B8,
    /// A 31:24, B 23:16, G 15:8, R 7:0.
    A8B8G8R8,
    /// As `A8B8G8R8`, the top byte is no alpha.
    X8B8G8R8,
}

impl Bits {
    /// Bytes of a pixel.
    pub const fn bytes(self) -> u32 {
        match self {
            Bits::Y8 => 1,
            Bits::Y16 | Bits::R5G6B5 | Bits::A1R5G5B5 | Bits::X1R5G5B5 => 2,
            _ => 4,
        }
    }

    /// `[r, g, b, a]` of a pixel, widened by repeating bits; without alpha a is 255. The Y formats are grey.
    pub const fn decode(self, word: u32) -> [u8; 4] {
        let bytes = word.to_le_bytes();
        match self {
            Bits::Y8 => [bytes[0], bytes[0], bytes[0], 255],
            Bits::Y16 => [bytes[1], bytes[1], bytes[1], 255],
            Bits::R5G6B5 => [expand5(word >> 11), expand6(word >> 5), expand5(word), 255],
            Bits::A1R5G5B5 => [expand5(word >> 10), expand5(word >> 5), expand5(word), expand1(word >> 15)],
            Bits::X1R5G5B5 => [expand5(word >> 10), expand5(word >> 5), expand5(word), 255],
            Bits::A8R8G8B8 | Bits::Y32 => [bytes[2], bytes[1], bytes[0], bytes[3]],
            Bits::X8R8G8B8 => [bytes[2], bytes[1], bytes[0], 255],
            Bits::A8B8G8R8 => [bytes[0], bytes[1], bytes[2], bytes[3]],
            Bits::X8B8G8R8 => [bytes[0], bytes[1], bytes[2], 255],
        }
    }

    /// The pixel of a colour: channels are cut, not rounded; the X bits are those of alpha. Grey is green.
    pub const fn encode(self, [r, g, b, a]: [u8; 4]) -> u32 {
        let (red, green, blue) = (r as u32, g as u32, b as u32);
        match self {
            Bits::Y8 => green,
            Bits::Y16 => green << 8 | green,
            Bits::R5G6B5 => (red >> 3) << 11 | (green >> 2) << 5 | blue >> 3,
            Bits::A1R5G5B5 | Bits::X1R5G5B5 => (a as u32 >> 7) << 15 | (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3,
            Bits::A8R8G8B8 | Bits::X8R8G8B8 | Bits::Y32 => u32::from_le_bytes([b, g, r, a]),
            Bits::A8B8G8R8 | Bits::X8B8G8R8 => u32::from_le_bytes([r, g, b, a]),
        }
    }
}

formats! {
    /// Formats of the surfaces that 2D operations write. Z and O (or X) tell what a 3D target of this format stores in
    /// its unused bits; 2D operations store what comes. The row is how pixels are stored.
    SurfaceFormat: Bits;

    Y8 = 1 "Y8" Bits::Y8;
    X1R5G5B5Z = 2 "X1R5G5B5_Z1R5G5B5" Bits::X1R5G5B5;
    X1R5G5B5X = 3 "X1R5G5B5_X1R5G5B5" Bits::X1R5G5B5;
    R5G6B5 = 4 "R5G6B5" Bits::R5G6B5;
    Y16 = 5 "Y16" Bits::Y16;
    X8R8G8B8Z = 6 "X8R8G8B8_Z8R8G8B8" Bits::X8R8G8B8;
    X8R8G8B8X = 7 "X8R8G8B8_X8R8G8B8" Bits::X8R8G8B8;
    X1A7R8G8B8Z = 8 "X1A7R8G8B8_Z1A7R8G8B8" Bits::A8R8G8B8;
    X1A7R8G8B8X = 9 "X1A7R8G8B8_X1A7R8G8B8" Bits::A8R8G8B8;
    A8R8G8B8 = 0xA "A8R8G8B8" Bits::A8R8G8B8;
    Y32 = 0xB "Y32" Bits::Y32;
}

formats! {
    /// Formats of images from the processor. The row is how pixels are stored.
    CpuImageFormat: Bits;

    R5G6B5 = 1 "R5G6B5" Bits::R5G6B5;
    A1R5G5B5 = 2 "A1R5G5B5" Bits::A1R5G5B5;
    X1R5G5B5 = 3 "X1R5G5B5" Bits::X1R5G5B5;
    A8R8G8B8 = 4 "A8R8G8B8" Bits::A8R8G8B8;
    X8R8G8B8 = 5 "X8R8G8B8" Bits::X8R8G8B8;
}

/// Two pixels in a word with common colour differences: from the high byte down, a and b being the first and the second
/// pixel. The meaning of the E in the names of two more formats is documented nowhere; they are read like those without
/// (unverified).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Yuv {
    /// Cr, Y of b, Cb, Y of a.
    CrYbCbYa,
    /// Y of b, Cr, Y of a, Cb.
    YbCrYaCb,
}

impl Yuv {
    /// `[r, g, b, a]` of the first or the second pixel of a word: ITU-R BT.601 with Y from 16 to 235 (the hardware's
    /// coefficients are unknown), in 8-bit fixed point, rounded.
    pub fn decode(self, word: u32, second: bool) -> [u8; 4] {
        let [d0, d1, d2, d3] = word.to_le_bytes();
        let (ya, cb, yb, cr) = match self {
            Yuv::CrYbCbYa => (d0, d1, d2, d3),
            Yuv::YbCrYaCb => (d1, d0, d3, d2),
        };
        let y = 298 * (i32::from(if second { yb } else { ya }) - 16);
        let (cb, cr) = (i32::from(cb) - 128, i32::from(cr) - 128);
        let channel = |sum: i32| ((sum + 128) >> 8).clamp(0, 255) as u8;
        [channel(y + 409 * cr), channel(y - 100 * cb - 208 * cr), channel(y + 516 * cb), 255]
    }
}

/// How the pixels of a scaled image are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImagePixels {
    /// Pixels of their own.
    Single(Bits),
    /// Pixels in pairs.
    Pairs(Yuv),
}

formats! {
    /// Formats of scaled images. The row is how pixels are stored.
    ImageFormat: ImagePixels;

    A1R5G5B5 = 1 "A1R5G5B5" ImagePixels::Single(Bits::A1R5G5B5);
    X1R5G5B5 = 2 "X1R5G5B5" ImagePixels::Single(Bits::X1R5G5B5);
    A8R8G8B8 = 3 "A8R8G8B8" ImagePixels::Single(Bits::A8R8G8B8);
    X8R8G8B8 = 4 "X8R8G8B8" ImagePixels::Single(Bits::X8R8G8B8);
    CrYbCbYa = 5 "CR8YB8CB8YA8" ImagePixels::Pairs(Yuv::CrYbCbYa);
    YbCrYaCb = 6 "YB8CR8YA8CB8" ImagePixels::Pairs(Yuv::YbCrYaCb);
    R5G6B5 = 7 "R5G6B5" ImagePixels::Single(Bits::R5G6B5);
    Y8 = 8 "Y8" ImagePixels::Single(Bits::Y8);
    /// Whether the byte is alpha as well in a target that has alpha is unverified.
    Ay8 = 9 "AY8" ImagePixels::Single(Bits::Y8);
    EYbCrYaCb = 0xA "EYB8ECR8EYA8ECB8" ImagePixels::Pairs(Yuv::YbCrYaCb);
    ECrYbCbYa = 0xB "ECR8EYB8ECB8EYA8" ImagePixels::Pairs(Yuv::CrYbCbYa);
    A8B8G8R8 = 0xC "A8B8G8R8" ImagePixels::Single(Bits::A8B8G8R8);
    X8B8G8R8 = 0xD "X8B8G8R8" ImagePixels::Single(Bits::X8B8G8R8);
}

impl ImagePixels {
    /// Bytes of a pixel: two of a pair have four.
    pub const fn bytes(self) -> u32 {
        match self {
            ImagePixels::Single(bits) => bits.bytes(),
            ImagePixels::Pairs(_) => 2,
        }
    }
}

values! {
    /// How the image and the old content are combined.
    Operation {
        /// The image, where a colour key lets it through.
        SourceCopyAnd = 0 "SRCCOPY_AND";
        /// A raster operation, where a colour key lets it through.
        RopAnd = 1 "ROP_AND";
        /// Blending with a constant, where a colour key lets it through.
        BlendAnd = 2 "BLEND_AND";
        /// The image.
        SourceCopy = 3 "SRCCOPY";
        /// The image times a constant.
        SourceCopyPremultiplied = 4 "SRCCOPY_PREMULT";
        /// Blending with the image's alpha times a constant.
        BlendPremultiplied = 5 "BLEND_PREMULT";
    }

    /// How channels lose bits. Not modelled: channels are cut.
    ColorConversion { Dither = 0 "DITHER"; Truncate = 1 "TRUNCATE"; SubtractTruncate = 2 "SUBTRACT_TRUNCATE"; }

    /// Where the point of a texel is.
    ImageOrigin { Center = 1 "CENTER"; Corner = 2 "CORNER"; }

    /// How a scaled image is filtered.
    ImageFilter { Nearest = 0 "ZOH"; Bilinear = 1 "FOH"; }
}

impl Operation {
    /// Whether the image is stored as it is when no colour key, raster operation or constant is bound: the RSX's driver
    /// creates no such objects.
    pub const fn is_copy(self) -> bool {
        matches!(self, Operation::SourceCopyAnd | Operation::SourceCopy | Operation::SourceCopyPremultiplied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back() {
        for (bits, count) in [(Bits::R5G6B5, 1 << 16), (Bits::A1R5G5B5, 1 << 16), (Bits::Y8, 1 << 8)] {
            for word in 0..count {
                assert_eq!(bits.encode(bits.decode(word)), word, "{bits:?}");
            }
        }
        for bits in [Bits::A8R8G8B8, Bits::A8B8G8R8, Bits::Y32] {
            assert_eq!(bits.encode(bits.decode(0x1234_5678)), 0x1234_5678);
        }
        assert_eq!(Bits::X8R8G8B8.encode(Bits::X8R8G8B8.decode(0x1234_5678)), 0xFF34_5678);
        assert_eq!(Bits::X1R5G5B5.decode(0x7C1F), [255, 0, 255, 255]);
        assert_eq!(Bits::A8B8G8R8.decode(0x0403_0201), [1, 2, 3, 4]);
    }

    #[test]
    fn pairs_share_their_colour_differences() {
        let grey = 0x80EB_8010;
        assert_eq!(Yuv::CrYbCbYa.decode(grey, false), [0, 0, 0, 255]);
        assert_eq!(Yuv::CrYbCbYa.decode(grey, true), [255, 255, 255, 255]);
        assert_eq!(Yuv::YbCrYaCb.decode(0xEB80_1080, true), [255, 255, 255, 255]);
        // Pure red in BT.601: Y 81, Cb 90, Cr 240.
        assert_eq!(Yuv::CrYbCbYa.decode(0xF051_5A51, false), [255, 0, 0, 255]);
    }

    #[test]
    fn numbers_are_those_of_the_documentation() {
        let known = |from: fn(u32) -> bool| (0..=16).filter(|&number| from(number)).collect::<Vec<_>>();
        assert_eq!(known(|n| SurfaceFormat::from_register(n).is_some()), (1..=11).collect::<Vec<_>>());
        assert_eq!(known(|n| CpuImageFormat::from_register(n).is_some()), (1..=5).collect::<Vec<_>>());
        assert_eq!(known(|n| ImageFormat::from_register(n).is_some()), (1..=13).collect::<Vec<_>>());
        assert_eq!(known(|n| Operation::from_register(n).is_some()), (0..=5).collect::<Vec<_>>());
        assert_eq!(SurfaceFormat::A8R8G8B8 as u32, 10);
    }
}
