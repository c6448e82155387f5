//! Textures.

use super::{at, formats};
use crate::format::block::BlockCodec;
use crate::kernel::program::output::Bits;

/// How texels are coded. What the components of packed ones are, the header's types say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Fields for red, green, blue, alpha; no bits for those that are missing, which read 0, alpha 1.
    Packed([Bits; 4]),
    /// Three mantissas of 9 bits and an exponent.
    SharedExponent,
    /// One bit a texel.
    Bits,
    /// Two texels side by side that share red and blue.
    Pair {
        /// Bytes of the two greens.
        green: [u8; 2],
        /// Byte of red, byte of blue.
        red_blue: [u8; 2],
    },
    /// Compressed. Of codecs that come with and without sign the row has the one without; see [`TextureFormat::codec`].
    Block(BlockCodec),
    /// Depth with coverage; not supported.
    Coverage,
}

/// A texture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRow {
    /// Bytes of a block; a block is a single texel for most formats.
    pub bytes: u8,
    /// Texels of a block across.
    pub width: u8,
    /// Texels of a block down.
    pub height: u8,
    /// How its texels are coded.
    pub coding: Coding,
}

const NONE: Bits = at(0, 0);

const fn group(bytes: u8, width: u8, coding: Coding) -> TextureRow {
    TextureRow { bytes, width, height: 1, coding }
}

const fn packed(bytes: u8, fields: [Bits; 4]) -> TextureRow {
    group(bytes, 1, Coding::Packed(fields))
}

const fn pairs(green: [u8; 2], red_blue: [u8; 2]) -> TextureRow {
    group(4, 2, Coding::Pair { green, red_blue })
}

const fn coverage(bytes: u8) -> TextureRow {
    group(bytes, 1, Coding::Coverage)
}

const fn block(codec: BlockCodec) -> TextureRow {
    let (width, height) = codec.size();
    TextureRow { bytes: codec.bytes() as u8, width: width as u8, height: height as u8, coding: Coding::Block(codec) }
}

const fn astc(width: u8, height: u8) -> TextureRow {
    block(BlockCodec::Astc { width, height })
}

formats! {
    /// Component layouts of texture headers, the field COMPONENTS.
    TextureFormat: TextureRow;

    R32G32B32A32 = 0x01 "R32_G32_B32_A32" packed(16, [at(0, 32), at(32, 32), at(64, 32), at(96, 32)]);
    /// Of buffers.
    R32G32B32 = 0x02 "R32_G32_B32" packed(12, [at(0, 32), at(32, 32), at(64, 32), NONE]);
    R16G16B16A16 = 0x03 "R16_G16_B16_A16" packed(8, [at(0, 16), at(16, 16), at(32, 16), at(48, 16)]);
    R32G32 = 0x04 "R32_G32" packed(8, [at(0, 32), at(32, 32), NONE, NONE]);
    /// The memory of `Zf32X24S8`: red is depth, green stencil.
    R32B24G8 = 0x05 "R32_B24G8" packed(8, [at(0, 32), at(32, 8), at(40, 24), NONE]);
    Etc2Rgb = 0x06 "ETC2_RGB" block(BlockCodec::Etc2Rgb);
    /// Alpha reads 1.
    X8B8G8R8 = 0x07 "X8B8G8R8" packed(4, [at(0, 8), at(8, 8), at(16, 8), NONE]);
    A8B8G8R8 = 0x08 "A8B8G8R8" packed(4, [at(0, 8), at(8, 8), at(16, 8), at(24, 8)]);
    A2B10G10R10 = 0x09 "A2B10G10R10" packed(4, [at(0, 10), at(10, 10), at(20, 10), at(30, 2)]);
    Etc2RgbPta = 0x0A "ETC2_RGB_PTA" block(BlockCodec::Etc2RgbPunchThrough);
    Etc2Rgba = 0x0B "ETC2_RGBA" block(BlockCodec::Etc2Rgba);
    R16G16 = 0x0C "R16_G16" packed(4, [at(0, 16), at(16, 16), NONE, NONE]);
    /// The memory of `S8Z24`.
    G8R24 = 0x0D "G8R24" packed(4, [at(0, 24), at(24, 8), NONE, NONE]);
    /// The memory of `Z24S8`: red is stencil, green depth.
    G24R8 = 0x0E "G24R8" packed(4, [at(0, 8), at(8, 24), NONE, NONE]);
    R32 = 0x0F "R32" packed(4, [at(0, 32), NONE, NONE, NONE]);
    Bc6hSigned = 0x10 "BC6H_SF16" block(BlockCodec::Bc6h { signed: true });
    Bc6hUnsigned = 0x11 "BC6H_UF16" block(BlockCodec::Bc6h { signed: false });
    A4B4G4R4 = 0x12 "A4B4G4R4" packed(2, [at(0, 4), at(4, 4), at(8, 4), at(12, 4)]);
    A5B5G5R1 = 0x13 "A5B5G5R1" packed(2, [at(0, 1), at(1, 5), at(6, 5), at(11, 5)]);
    A1B5G5R5 = 0x14 "A1B5G5R5" packed(2, [at(0, 5), at(5, 5), at(10, 5), at(15, 1)]);
    B5G6R5 = 0x15 "B5G6R5" packed(2, [at(0, 5), at(5, 6), at(11, 5), NONE]);
    B6G5R5 = 0x16 "B6G5R5" packed(2, [at(0, 5), at(5, 5), at(10, 6), NONE]);
    Bc7 = 0x17 "BC7U" block(BlockCodec::Bc7);
    G8R8 = 0x18 "G8R8" packed(2, [at(0, 8), at(8, 8), NONE, NONE]);
    /// R11; the sign is that of the type of red.
    Eac = 0x19 "EAC" block(BlockCodec::EacR11 { signed: false });
    /// RG11; the sign is that of the type of red.
    EacX2 = 0x1A "EACX2" block(BlockCodec::EacRg11 { signed: false });
    R16 = 0x1B "R16" packed(2, [at(0, 16), NONE, NONE, NONE]);
    /// As `R8` (unverified).
    Y8Video = 0x1C "Y8_VIDEO" packed(1, [at(0, 8), NONE, NONE, NONE]);
    R8 = 0x1D "R8" packed(1, [at(0, 8), NONE, NONE, NONE]);
    G4R4 = 0x1E "G4R4" packed(1, [at(0, 4), at(4, 4), NONE, NONE]);
    /// Eight texels of one bit a byte, bit 0 first (unverified).
    R1 = 0x1F "R1" group(1, 8, Coding::Bits);
    /// `mantissa * 2^(E - 24)`, mantissas R 8:0, G 17:9, B 26:18, exponent 31:27.
    E5B9G9R9SharedExponent = 0x20 "E5B9G9R9_SHAREDEXP" group(4, 1, Coding::SharedExponent);
    Bf10Gf11Rf11 = 0x21 "BF10GF11RF11" packed(4, [at(0, 11), at(11, 11), at(22, 10), NONE]);
    /// Two texels, bytes R, G0, B, G1: red byte 0, blue byte 2 for both (unverified).
    G8B8G8R8 = 0x22 "G8B8G8R8" pairs([1, 3], [0, 2]);
    /// Two texels, bytes G0, R, G1, B (unverified).
    B8G8R8G8 = 0x23 "B8G8R8G8" pairs([0, 2], [1, 3]);
    Dxt1 = 0x24 "DXT1" block(BlockCodec::Bc1);
    Dxt23 = 0x25 "DXT23" block(BlockCodec::Bc2);
    Dxt45 = 0x26 "DXT45" block(BlockCodec::Bc3);
    /// The sign is that of the type of red.
    Dxn1 = 0x27 "DXN1" block(BlockCodec::Bc4 { signed: false });
    /// The sign is that of the type of red.
    Dxn2 = 0x28 "DXN2" block(BlockCodec::Bc5 { signed: false });
    /// Red is stencil, green depth.
    Z24S8 = 0x29 "Z24S8" packed(4, [at(0, 8), at(8, 24), NONE, NONE]);
    X8Z24 = 0x2A "X8Z24" packed(4, [at(0, 24), NONE, NONE, NONE]);
    /// Red is depth, green stencil.
    S8Z24 = 0x2B "S8Z24" packed(4, [at(0, 24), at(24, 8), NONE, NONE]);
    /// With coverage; not supported.
    X4V4Z24Cov4R4V = 0x2C "X4V4Z24__COV4R4V" coverage(4);
    /// With coverage; not supported.
    X4V4Z24Cov8R8V = 0x2D "X4V4Z24__COV8R8V" coverage(4);
    /// With coverage; not supported.
    V8Z24Cov4R12V = 0x2E "V8Z24__COV4R12V" coverage(4);
    Zf32 = 0x2F "ZF32" packed(4, [at(0, 32), NONE, NONE, NONE]);
    /// Red is depth, green stencil.
    Zf32X24S8 = 0x30 "ZF32_X24S8" packed(8, [at(0, 32), at(32, 8), NONE, NONE]);
    /// With coverage; not supported.
    X8Z24X20V4S8Cov4R4V = 0x31 "X8Z24_X20V4S8__COV4R4V" coverage(8);
    /// With coverage; not supported.
    X8Z24X20V4S8Cov8R8V = 0x32 "X8Z24_X20V4S8__COV8R8V" coverage(8);
    /// With coverage; not supported.
    Zf32X20V4X8Cov4R4V = 0x33 "ZF32_X20V4X8__COV4R4V" coverage(8);
    /// With coverage; not supported.
    Zf32X20V4X8Cov8R8V = 0x34 "ZF32_X20V4X8__COV8R8V" coverage(8);
    /// With coverage; not supported.
    Zf32X20V4S8Cov4R4V = 0x35 "ZF32_X20V4S8__COV4R4V" coverage(8);
    /// With coverage; not supported.
    Zf32X20V4S8Cov8R8V = 0x36 "ZF32_X20V4S8__COV8R8V" coverage(8);
    /// With coverage; not supported.
    X8Z24X16V8S8Cov4R12V = 0x37 "X8Z24_X16V8S8__COV4R12V" coverage(8);
    /// With coverage; not supported.
    Zf32X16V8X8Cov4R12V = 0x38 "ZF32_X16V8X8__COV4R12V" coverage(8);
    /// With coverage; not supported.
    Zf32X16V8S8Cov4R12V = 0x39 "ZF32_X16V8S8__COV4R12V" coverage(8);
    Z16 = 0x3A "Z16" packed(2, [at(0, 16), NONE, NONE, NONE]);
    /// With coverage; not supported.
    V8Z24Cov8R24V = 0x3B "V8Z24__COV8R24V" coverage(4);
    /// With coverage; not supported.
    X8Z24X16V8S8Cov8R24V = 0x3C "X8Z24_X16V8S8__COV8R24V" coverage(8);
    /// With coverage; not supported.
    Zf32X16V8X8Cov8R24V = 0x3D "ZF32_X16V8X8__COV8R24V" coverage(8);
    /// With coverage; not supported.
    Zf32X16V8S8Cov8R24V = 0x3E "ZF32_X16V8S8__COV8R24V" coverage(8);
    Astc4x4 = 0x40 "ASTC_2D_4X4" astc(4, 4);
    Astc5x5 = 0x41 "ASTC_2D_5X5" astc(5, 5);
    Astc6x6 = 0x42 "ASTC_2D_6X6" astc(6, 6);
    Astc8x8 = 0x44 "ASTC_2D_8X8" astc(8, 8);
    Astc10x10 = 0x45 "ASTC_2D_10X10" astc(10, 10);
    Astc12x12 = 0x46 "ASTC_2D_12X12" astc(12, 12);
    Astc5x4 = 0x50 "ASTC_2D_5X4" astc(5, 4);
    Astc6x5 = 0x51 "ASTC_2D_6X5" astc(6, 5);
    Astc8x6 = 0x52 "ASTC_2D_8X6" astc(8, 6);
    Astc10x8 = 0x53 "ASTC_2D_10X8" astc(10, 8);
    Astc12x10 = 0x54 "ASTC_2D_12X10" astc(12, 10);
    Astc8x5 = 0x55 "ASTC_2D_8X5" astc(8, 5);
    Astc10x5 = 0x56 "ASTC_2D_10X5" astc(10, 5);
    Astc10x6 = 0x57 "ASTC_2D_10X6" astc(10, 6);
}

impl TextureFormat {
    /// The codec of a compressed format; `signed` is whether the header's type of red is a signed one.
    #[doc(hidden)]
    pub const fn codec(self, signed: bool) -> Option<BlockCodec> {
        let Coding::Block(codec) = self.row().coding else { return None };
        Some(match codec {
            BlockCodec::Bc4 { .. } => BlockCodec::Bc4 { signed },
            BlockCodec::Bc5 { .. } => BlockCodec::Bc5 { signed },
            BlockCodec::EacR11 { .. } => BlockCodec::EacR11 { signed },
            BlockCodec::EacRg11 { .. } => BlockCodec::EacRg11 { signed },
            other => other,
        })
    }

    /// Whether it holds depth; drivers route components themselves.
    pub const fn is_depth(self) -> bool {
        matches!(
            self,
            TextureFormat::Z16
                | TextureFormat::Z24S8
                | TextureFormat::X8Z24
                | TextureFormat::S8Z24
                | TextureFormat::Zf32
                | TextureFormat::Zf32X24S8
        )
    }
}
