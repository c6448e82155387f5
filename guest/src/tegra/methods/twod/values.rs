//! Named values of fields of the class. Source: NVIDIA's class headers.

use crate::table::regs::{flatten, total, values};
use crate::tegra::format::ColorFormat;

values! {
    /// Caches that are meant.
    TextureCaches { L1Only = 0 "L1_ONLY"; L2Only = 1 "L2_ONLY"; L1AndL2 = 2 "L1_AND_L2"; }

    /// Caches; without visible effect.
    SectorPromotion {
        NoPromotion = 0 "NO_PROMOTION"; PromoteTo2V = 1 "PROMOTE_TO_2_V"; PromoteTo2H = 2 "PROMOTE_TO_2_H";
        PromoteTo4 = 3 "PROMOTE_TO_4";
    }

    /// Format of the colour key.
    ColorKeyFormat {
        A16R5G6B5 = 0 "A16R5G6B5"; A1R5G5B5 = 1 "A1R5G5B5"; A8R8G8B8 = 2 "A8R8G8B8"; A2R10G10B10 = 3 "A2R10G10B10";
        Y8 = 4 "Y8"; Y16 = 5 "Y16"; Y32 = 6 "Y32";
    }

    /// How source and destination are combined.
    Operation {
        SourceCopyAnd = 0 "SRCCOPY_AND"; RopAnd = 1 "ROP_AND"; BlendAnd = 2 "BLEND_AND";
        /// Source.
        SourceCopy = 3 "SRCCOPY";
        /// Raster operation.
        Rop = 4 "ROP";
        SourceCopyPremultiplied = 5 "SRCCOPY_PREMULT"; BlendPremultiplied = 6 "BLEND_PREMULT";
    }

    /// Which pattern.
    PatternSelect {
        Monochrome8x8 = 0 "MONOCHROME_8x8"; Monochrome64x1 = 1 "MONOCHROME_64x1";
        Monochrome1x64 = 2 "MONOCHROME_1x64"; Color = 3 "COLOR";
    }

    /// Order of work.
    HorizontalDirection {
        HwDecides = 0 "HW_DECIDES"; LeftToRight = 1 "LEFT_TO_RIGHT"; RightToLeft = 2 "RIGHT_TO_LEFT";
    }

    /// Order of work.
    VerticalDirection {
        HwDecides = 0 "HW_DECIDES"; TopToBottom = 1 "TOP_TO_BOTTOM"; BottomToTop = 2 "BOTTOM_TO_TOP";
    }

    /// Format of a pattern's colours.
    PatternColorFormat {
        A8X8R5G6B5 = 0 "A8X8R5G6B5"; A1R5G5B5 = 1 "A1R5G5B5"; A8R8G8B8 = 2 "A8R8G8B8"; A8Y8 = 3 "A8Y8";
        A8X8Y16 = 4 "A8X8Y16"; Y32 = 5 "Y32"; ByteExpand = 6 "BYTE_EXPAND";
    }

    /// Order of bits.
    BitOrder { Cga6 = 0 "CGA6_M1"; LittleEndian = 1 "LE_M1"; }

    /// Not used.
    MacroReductionFormat { Unsigned = 0 "UNSIGNED"; Signed = 1 "SIGNED"; }

    /// Not used.
    MacroReductionSize { FourBytes = 0 "FOUR_BYTES"; EightBytes = 1 "EIGHT_BYTES"; }

    /// Kinds of primitives.
    SolidPrimitive {
        Points = 0 "POINTS"; Lines = 1 "LINES"; Polyline = 2 "POLYLINE"; Triangles = 3 "TRIANGLES"; Rects = 4 "RECTS";
    }

    /// The format of pixels from the push buffer.
    CpuDataType { Color = 0 "COLOR"; Index = 1 "INDEX"; }

    /// Bits of an index.
    CpuIndexFormat { I1 = 0 "I1"; I4 = 1 "I4"; I8 = 2 "I8"; }

    /// Where a row begins.
    CpuWrap {
        WrapPixel = 0 "WRAP_PIXEL";
        /// Rows follow each other byte by byte.
        WrapByte = 1 "WRAP_BYTE";
        /// Rows begin at words.
        WrapDword = 2 "WRAP_DWORD";
    }

    /// Whether bits 0 are written.
    MonoOpacity { Transparent = 0 "TRANSPARENT"; Opaque = 1 "OPAQUE"; }

    /// Order of work.
    BlockShape { Auto = 0 "AUTO"; Shape8x8 = 1 "SHAPE_8X8"; Shape16x4 = 2 "SHAPE_16X4"; }

    /// Where texel centres are.
    SampleOrigin { Center = 0 "CENTER"; Corner = 1 "CORNER"; }

    /// How texels are filtered.
    BlitFilter { Point = 0 "POINT"; Bilinear = 1 "BILINEAR"; }
}

/// Formats of sources: those of colour targets, and two of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceFormat {
    /// One of colour targets.
    Color(ColorFormat),
    /// Bits of 8x8 blocks.
    Y1,
    /// A byte that is alpha as well as all three colours.
    Ay8,
}

impl SourceFormat {
    const OWN: &[(u32, &str)] = &[(0x1C, "Y1_8X8"), (0x1D, "AY8")];
    const LISTS: &[&[(u32, &str)]] = &[Self::OWN, ColorFormat::VALUES];

    /// Codes and names.
    pub const VALUES: &[(u32, &str)] = &flatten::<_, { total(Self::LISTS) }>(Self::LISTS);

    /// The format of a code; `None` if there is none.
    pub const fn from_register(code: u32) -> Option<SourceFormat> {
        match code {
            0x1C => Some(SourceFormat::Y1),
            0x1D => Some(SourceFormat::Ay8),
            _ => match ColorFormat::from_register(code) {
                Some(format) => Some(SourceFormat::Color(format)),
                None => None,
            },
        }
    }

    /// The code.
    pub const fn bits(self) -> u32 {
        match self {
            SourceFormat::Color(format) => format.bits(),
            SourceFormat::Y1 => 0x1C,
            SourceFormat::Ay8 => 0x1D,
        }
    }
}
