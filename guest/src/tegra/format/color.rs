//! Colour targets and surfaces of the 2D class.

use super::{at, float, formats, sint, snorm, srgb, uint, unorm};
use crate::kernel::program::output::{self, Channel};

const fn format(bytes: u8, channels: [Channel; 4]) -> output::ColorFormat {
    output::ColorFormat { bytes, swap: 1, channels }
}

formats! {
    /// Colour formats of targets, as in SET_COLOR_TARGET_FORMAT. The row is what a pixel is, r, g, b, a.
    ColorFormat: output::ColorFormat;

    R32G32B32A32Float = 0xC0 "RF32_GF32_BF32_AF32"
        format(16, [float(0, 32), float(32, 32), float(64, 32), float(96, 32)]);
    R32G32B32A32Sint = 0xC1 "RS32_GS32_BS32_AS32" format(16, [sint(0, 32), sint(32, 32), sint(64, 32), sint(96, 32)]);
    R32G32B32A32Uint = 0xC2 "RU32_GU32_BU32_AU32" format(16, [uint(0, 32), uint(32, 32), uint(64, 32), uint(96, 32)]);
    /// Bits without a component keep their value.
    R32G32B32X32Float = 0xC3 "RF32_GF32_BF32_X32"
        format(16, [float(0, 32), float(32, 32), float(64, 32), Channel::Absent]);
    /// Bits without a component keep their value.
    R32G32B32X32Sint = 0xC4 "RS32_GS32_BS32_X32"
        format(16, [sint(0, 32), sint(32, 32), sint(64, 32), Channel::Absent]);
    /// Bits without a component keep their value.
    R32G32B32X32Uint = 0xC5 "RU32_GU32_BU32_X32"
        format(16, [uint(0, 32), uint(32, 32), uint(64, 32), Channel::Absent]);
    R16G16B16A16Unorm = 0xC6 "R16_G16_B16_A16" format(8, [unorm(0, 16), unorm(16, 16), unorm(32, 16), unorm(48, 16)]);
    R16G16B16A16Snorm = 0xC7 "RN16_GN16_BN16_AN16"
        format(8, [snorm(0, 16), snorm(16, 16), snorm(32, 16), snorm(48, 16)]);
    R16G16B16A16Sint = 0xC8 "RS16_GS16_BS16_AS16" format(8, [sint(0, 16), sint(16, 16), sint(32, 16), sint(48, 16)]);
    R16G16B16A16Uint = 0xC9 "RU16_GU16_BU16_AU16" format(8, [uint(0, 16), uint(16, 16), uint(32, 16), uint(48, 16)]);
    R16G16B16A16Float = 0xCA "RF16_GF16_BF16_AF16"
        format(8, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]);
    R32G32Float = 0xCB "RF32_GF32" format(8, [float(0, 32), float(32, 32), Channel::Absent, Channel::Absent]);
    R32G32Sint = 0xCC "RS32_GS32" format(8, [sint(0, 32), sint(32, 32), Channel::Absent, Channel::Absent]);
    R32G32Uint = 0xCD "RU32_GU32" format(8, [uint(0, 32), uint(32, 32), Channel::Absent, Channel::Absent]);
    /// Bits without a component keep their value.
    R16G16B16X16Float = 0xCE "RF16_GF16_BF16_X16"
        format(8, [float(0, 16), float(16, 16), float(32, 16), Channel::Absent]);
    A8R8G8B8Unorm = 0xCF "A8R8G8B8" format(4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)]);
    A8R8G8B8Srgb = 0xD0 "A8RL8GL8BL8" format(4, [srgb(16, 8), srgb(8, 8), srgb(0, 8), unorm(24, 8)]);
    A2B10G10R10Unorm = 0xD1 "A2B10G10R10" format(4, [unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)]);
    A2B10G10R10Uint = 0xD2 "AU2BU10GU10RU10" format(4, [uint(0, 10), uint(10, 10), uint(20, 10), uint(30, 2)]);
    A8B8G8R8Unorm = 0xD5 "A8B8G8R8" format(4, [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)]);
    A8B8G8R8Srgb = 0xD6 "A8BL8GL8RL8" format(4, [srgb(0, 8), srgb(8, 8), srgb(16, 8), unorm(24, 8)]);
    A8B8G8R8Snorm = 0xD7 "AN8BN8GN8RN8" format(4, [snorm(0, 8), snorm(8, 8), snorm(16, 8), snorm(24, 8)]);
    A8B8G8R8Sint = 0xD8 "AS8BS8GS8RS8" format(4, [sint(0, 8), sint(8, 8), sint(16, 8), sint(24, 8)]);
    A8B8G8R8Uint = 0xD9 "AU8BU8GU8RU8" format(4, [uint(0, 8), uint(8, 8), uint(16, 8), uint(24, 8)]);
    R16G16Unorm = 0xDA "R16_G16" format(4, [unorm(0, 16), unorm(16, 16), Channel::Absent, Channel::Absent]);
    R16G16Snorm = 0xDB "RN16_GN16" format(4, [snorm(0, 16), snorm(16, 16), Channel::Absent, Channel::Absent]);
    R16G16Sint = 0xDC "RS16_GS16" format(4, [sint(0, 16), sint(16, 16), Channel::Absent, Channel::Absent]);
    R16G16Uint = 0xDD "RU16_GU16" format(4, [uint(0, 16), uint(16, 16), Channel::Absent, Channel::Absent]);
    R16G16Float = 0xDE "RF16_GF16" format(4, [float(0, 16), float(16, 16), Channel::Absent, Channel::Absent]);
    A2R10G10B10Unorm = 0xDF "A2R10G10B10" format(4, [unorm(20, 10), unorm(10, 10), unorm(0, 10), unorm(30, 2)]);
    B10G11R11Float = 0xE0 "BF10GF11RF11" format(4, [float(0, 11), float(11, 11), float(22, 10), Channel::Absent]);
    R32Sint = 0xE3 "RS32" format(4, [sint(0, 32), Channel::Absent, Channel::Absent, Channel::Absent]);
    R32Uint = 0xE4 "RU32" format(4, [uint(0, 32), Channel::Absent, Channel::Absent, Channel::Absent]);
    R32Float = 0xE5 "RF32" format(4, [float(0, 32), Channel::Absent, Channel::Absent, Channel::Absent]);
    /// Bits without a component keep their value.
    X8R8G8B8Unorm = 0xE6 "X8R8G8B8" format(4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Absent]);
    /// Bits without a component keep their value.
    X8R8G8B8Srgb = 0xE7 "X8RL8GL8BL8" format(4, [srgb(16, 8), srgb(8, 8), srgb(0, 8), Channel::Absent]);
    R5G6B5Unorm = 0xE8 "R5G6B5" format(2, [unorm(11, 5), unorm(5, 6), unorm(0, 5), Channel::Absent]);
    A1R5G5B5Unorm = 0xE9 "A1R5G5B5" format(2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), unorm(15, 1)]);
    G8R8Unorm = 0xEA "G8R8" format(2, [unorm(0, 8), unorm(8, 8), Channel::Absent, Channel::Absent]);
    G8R8Snorm = 0xEB "GN8RN8" format(2, [snorm(0, 8), snorm(8, 8), Channel::Absent, Channel::Absent]);
    G8R8Sint = 0xEC "GS8RS8" format(2, [sint(0, 8), sint(8, 8), Channel::Absent, Channel::Absent]);
    G8R8Uint = 0xED "GU8RU8" format(2, [uint(0, 8), uint(8, 8), Channel::Absent, Channel::Absent]);
    R16Unorm = 0xEE "R16" format(2, [unorm(0, 16), Channel::Absent, Channel::Absent, Channel::Absent]);
    R16Snorm = 0xEF "RN16" format(2, [snorm(0, 16), Channel::Absent, Channel::Absent, Channel::Absent]);
    R16Sint = 0xF0 "RS16" format(2, [sint(0, 16), Channel::Absent, Channel::Absent, Channel::Absent]);
    R16Uint = 0xF1 "RU16" format(2, [uint(0, 16), Channel::Absent, Channel::Absent, Channel::Absent]);
    R16Float = 0xF2 "RF16" format(2, [float(0, 16), Channel::Absent, Channel::Absent, Channel::Absent]);
    R8Unorm = 0xF3 "R8" format(1, [unorm(0, 8), Channel::Absent, Channel::Absent, Channel::Absent]);
    R8Snorm = 0xF4 "RN8" format(1, [snorm(0, 8), Channel::Absent, Channel::Absent, Channel::Absent]);
    R8Sint = 0xF5 "RS8" format(1, [sint(0, 8), Channel::Absent, Channel::Absent, Channel::Absent]);
    R8Uint = 0xF6 "RU8" format(1, [uint(0, 8), Channel::Absent, Channel::Absent, Channel::Absent]);
    A8Unorm = 0xF7 "A8" format(1, [Channel::Absent, Channel::Absent, Channel::Absent, unorm(0, 8)]);
    /// Bits without a component keep their value.
    X1R5G5B5Unorm = 0xF8 "X1R5G5B5" format(2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Absent]);
    /// Bits without a component keep their value.
    X8B8G8R8Unorm = 0xF9 "X8B8G8R8" format(4, [unorm(0, 8), unorm(8, 8), unorm(16, 8), Channel::Absent]);
    /// Bits without a component keep their value.
    X8B8G8R8Srgb = 0xFA "X8BL8GL8RL8" format(4, [srgb(0, 8), srgb(8, 8), srgb(16, 8), Channel::Absent]);
    /// Bit 15 becomes 0.
    Z1R5G5B5Unorm = 0xFB "Z1R5G5B5" format(2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Zeros(at(15, 1))]);
    /// Bit 15 becomes 1.
    O1R5G5B5Unorm = 0xFC "O1R5G5B5" format(2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Ones(at(15, 1))]);
    /// The top byte becomes 0.
    Z8R8G8B8Unorm = 0xFD "Z8R8G8B8" format(4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Zeros(at(24, 8))]);
    /// The top byte becomes 0xFF.
    O8R8G8B8Unorm = 0xFE "O8R8G8B8" format(4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Ones(at(24, 8))]);
    /// 32 bits as they are; of the 2D class.
    R32Raw = 0xFF "R32" format(4, [uint(0, 32), Channel::Absent, Channel::Absent, Channel::Absent]);
    A16Unorm = 0x40 "A16" format(2, [Channel::Absent, Channel::Absent, Channel::Absent, unorm(0, 16)]);
    A16Float = 0x41 "AF16" format(2, [Channel::Absent, Channel::Absent, Channel::Absent, float(0, 16)]);
    A32Float = 0x42 "AF32" format(4, [Channel::Absent, Channel::Absent, Channel::Absent, float(0, 32)]);
    A8R8Unorm = 0x43 "A8R8" format(2, [unorm(0, 8), Channel::Absent, Channel::Absent, unorm(8, 8)]);
    R16A16Unorm = 0x44 "R16_A16" format(4, [unorm(0, 16), Channel::Absent, Channel::Absent, unorm(16, 16)]);
    R16A16Float = 0x45 "RF16_AF16" format(4, [float(0, 16), Channel::Absent, Channel::Absent, float(16, 16)]);
    R32A32Float = 0x46 "RF32_AF32" format(8, [float(0, 32), Channel::Absent, Channel::Absent, float(32, 32)]);
    B8G8R8A8Unorm = 0x47 "B8G8R8A8" format(4, [unorm(8, 8), unorm(16, 8), unorm(24, 8), unorm(0, 8)]);
}

impl ColorFormat {
    /// The format of a pixel.
    pub const fn pixel(self) -> output::ColorFormat {
        *self.row()
    }

    /// Bytes of a pixel.
    pub const fn bytes(self) -> u32 {
        self.row().bytes as u32
    }

    /// Whether red, green and blue are stored non-linearly.
    pub const fn is_srgb(self) -> bool {
        matches!(self.row().channels[0], Channel::Srgb(_))
    }

    /// Whether its components are integers, which do not blend.
    pub const fn is_integer(self) -> bool {
        matches!(self.row().channels[0], Channel::Uint(_) | Channel::Sint(_))
    }
}
