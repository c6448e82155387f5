//! Colour targets: SURFACE_FORMAT's colour as stored fields, and the words that clears store.

use super::enums::SurfaceColor;
use crate::kernel::program::output::{Bits, Channel, ColorFormat};
use crate::num::half;
use crate::num::ops::Scalar;

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::UnormHalfUp(Bits { shift, bits })
}

/// Eight bits.
const fn byte(shift: u8) -> Channel {
    Channel::UnormRsx(Bits { shift, bits: 8 })
}

/// Singles are stored bit by bit: the console leaves the NaN of its programs, 0x7FFFFFFF, in memory (kd-11's
/// `fragment_tests/results.txt`), and they do not blend, so nothing else has to be known of them.
const fn single(shift: u8) -> Channel {
    Channel::Uint(Bits { shift, bits: 32 })
}

const fn float(shift: u8, bits: u8) -> Channel {
    Channel::Float(Bits { shift, bits })
}

/// How pixels of a colour target are stored. Channels without a place are dropped: B8 takes blue, G8B8 green and blue
/// (RPCS3).
pub const fn color_format(format: SurfaceColor, big_endian: bool) -> ColorFormat {
    use SurfaceColor::*;
    const ABSENT: Channel = Channel::Absent;
    const fn bits(shift: u8, bits: u8) -> Bits {
        Bits { shift, bits }
    }
    let (bytes, unit, channels) = match format {
        Z1R5G5B5 => (2, 2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Zeros(bits(15, 1))]),
        O1R5G5B5 => (2, 2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Ones(bits(15, 1))]),
        R5g6b5 => (2, 2, [unorm(11, 5), unorm(5, 6), unorm(0, 5), ABSENT]),
        Z8R8G8B8 => (4, 4, [byte(16), byte(8), byte(0), Channel::Zeros(bits(24, 8))]),
        O8R8G8B8 => (4, 4, [byte(16), byte(8), byte(0), Channel::Ones(bits(24, 8))]),
        A8r8g8b8 => (4, 4, [byte(16), byte(8), byte(0), byte(24)]),
        B8 => (1, 1, [ABSENT, ABSENT, byte(0), ABSENT]),
        G8b8 => (2, 2, [ABSENT, byte(8), byte(0), ABSENT]),
        Rgba16F => (8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]),
        Rgba32F => (16, 4, [single(0), single(32), single(64), single(96)]),
        R32F => (4, 4, [single(0), ABSENT, ABSENT, ABSENT]),
        Z8B8G8R8 => (4, 4, [byte(0), byte(8), byte(16), Channel::Zeros(bits(24, 8))]),
        O8B8G8R8 => (4, 4, [byte(0), byte(8), byte(16), Channel::Ones(bits(24, 8))]),
        A8b8g8r8 => (4, 4, [byte(0), byte(8), byte(16), byte(24)]),
    };
    ColorFormat { bytes, swap: if big_endian { unit } else { 1 }, channels }
}

/// Whether channels have 8 bits or less and are not floats.
pub const fn is_float(format: SurfaceColor) -> bool {
    matches!(format, SurfaceColor::Rgba16F | SurfaceColor::Rgba32F | SurfaceColor::R32F)
}

/// A pixel that a clear stores: bytes in the order of memory, and which bits of them are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearPixel {
    /// Values.
    pub value: [u8; 16],
    /// Bits that are stored.
    pub mask: [u8; 16],
}

/// What a clear of the lanes in `mask` (see [`lanes`]) to the value of COLOR_CLEAR_VALUE stores: its low bits as they
/// are (Mesa packs them as the format has them, RPCS3 found the same in games). Of floats it stores the lane's 8 bits
/// as v / 255 (unverified).
pub fn clear_pixel(format: &ColorFormat, word: u32, mask: u8) -> ClearPixel {
    let (mut value, mut stored) = (0u128, 0u128);
    let cleared = lanes(format, mask);
    for (i, channel) in format.channels.into_iter().enumerate() {
        let (at, field) = match channel {
            Channel::Zeros(at) => (at, 0),
            Channel::Ones(at) => (at, u32::MAX),
            _ if cleared >> i & 1 == 0 => continue,
            Channel::Float(at) | Channel::Uint(at) => {
                // r, g, b, a are in the word as in A8R8G8B8.
                let v = f32::from((word >> [16, 8, 0, 24][i]) as u8) * (1.0 / 255.0);
                (at, if at.bits == 16 { half::bits(&mut Scalar, v) as u32 } else { v.to_bits() })
            }
            Channel::UnormHalfUp(at) | Channel::UnormRsx(at) => (at, word >> at.shift),
            _ => continue,
        };
        let ones = u128::MAX >> (128 - u32::from(at.bits));
        value |= (u128::from(field) & ones) << at.shift;
        stored |= ones << at.shift;
    }
    ClearPixel { value: in_memory(value, format.swap), mask: in_memory(stored, format.swap) }
}

/// The channels of the bits of a colour or clear mask, bit 0 = r: masks name lanes of the word in the order of
/// A8R8G8B8, so that for A8B8G8R8 red and blue change places (RPCS3).
pub fn lanes(format: &ColorFormat, mask: u8) -> u8 {
    match format.channels {
        [Channel::UnormRsx(Bits { shift: 0, .. }), _, Channel::UnormRsx(Bits { shift: 16, .. }), _] => {
            mask & 0b1010 | (mask & 1) << 2 | mask >> 2 & 1
        }
        _ => mask,
    }
}

/// The bytes of a pixel of which `swap` bytes each are reversed.
pub fn in_memory(pixel: u128, swap: u8) -> [u8; 16] {
    let mut bytes = pixel.to_le_bytes();
    if swap > 1 {
        bytes.chunks_exact_mut(usize::from(swap)).for_each(<[u8]>::reverse);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(format: SurfaceColor, mask: u8) -> (Vec<u8>, Vec<u8>) {
        let format = color_format(format, true);
        let pixel = clear_pixel(&format, 0x7812_3456, mask);
        let size = usize::from(format.bytes);
        (pixel.value[..size].to_vec(), pixel.mask[..size].to_vec())
    }

    #[test]
    fn cleared_words_are_those_of_the_format() {
        assert_eq!(bytes(SurfaceColor::A8r8g8b8, 15), (vec![0x78, 0x12, 0x34, 0x56], vec![0xFF; 4]));
        assert_eq!(bytes(SurfaceColor::A8b8g8r8, 15), (vec![0x78, 0x12, 0x34, 0x56], vec![0xFF; 4]));
        assert_eq!(bytes(SurfaceColor::O8B8G8R8, 15), (vec![0xFF, 0x12, 0x34, 0x56], vec![0xFF; 4]));
        assert_eq!(bytes(SurfaceColor::Z8R8G8B8, 15).0, [0, 0x12, 0x34, 0x56]);
        assert_eq!(bytes(SurfaceColor::R5g6b5, 15), (vec![0x34, 0x56], vec![0xFF; 2]));
        assert_eq!(bytes(SurfaceColor::O1R5G5B5, 15).0, [0xB4, 0x56]);
        assert_eq!(bytes(SurfaceColor::B8, 15), (vec![0x56], vec![0xFF]));
        assert_eq!(bytes(SurfaceColor::G8b8, 2), (vec![0x34, 0], vec![0xFF, 0]));
        let (value, mask) = bytes(SurfaceColor::Rgba32F, 15);
        assert_eq!(value[..4], (f32::from(0x12u8) * (1.0 / 255.0)).to_be_bytes());
        assert_eq!(mask, [0xFF; 16]);
        let whole = clear_pixel(&color_format(SurfaceColor::Rgba16F, true), u32::MAX, 15);
        assert_eq!(whole.value[..4], [0x3C, 0, 0x3C, 0]);
    }

    #[test]
    fn masks_name_lanes() {
        // Bit 0 is the lane of bits 16 to 23.
        for format in [SurfaceColor::A8r8g8b8, SurfaceColor::A8b8g8r8] {
            assert_eq!(bytes(format, 1).1, [0, 0xFF, 0, 0]);
            assert_eq!(bytes(format, 2).1, [0, 0, 0xFF, 0]);
            assert_eq!(bytes(format, 4).1, [0, 0, 0, 0xFF]);
            assert_eq!(bytes(format, 8).1, [0xFF, 0, 0, 0]);
        }
        assert_eq!(bytes(SurfaceColor::R5g6b5, 1).1, [0xF8, 0]);
    }
}
