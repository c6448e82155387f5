//! Values of fields of the per-fragment operations and the framebuffer.
//!
//! Numbers and names: 3dbrew GPU/Internal Registers; names that it has not are those of Azahar and citro3d.

use crate::format;
use crate::kernel::pixel;
use crate::table::regs::values;

values! {
    /// The output of fragments.
    FragmentMode {
        /// Tests, then blending or a logic operation.
        Default = 0 "DEFAULT";
        /// Densities of gas are added up.
        Gas = 1 "GAS";
        /// Depths are written to a shadow map.
        Shadow = 3 "SHADOW";
    }

    /// How source and destination terms are combined; 5 to 7 add (hardware test).
    BlendEquation => pixel::BlendEquation {
        Add = 0 "ADD", 5 "ADD_5", 6 "ADD_6", 7 "ADD_7"; Subtract = 1 "SUBTRACT";
        ReverseSubtract = 2 "REVERSE_SUBTRACT"; Min = 3 "MIN"; Max = 4 "MAX";
    }

    /// Factor of a blend term; 15 is invalid and taken as the source channel itself.
    BlendFactor => pixel::BlendFactor {
        Zero = 0 "ZERO"; One = 1 "ONE"; SourceColor = 2 "SRC_COLOR", 15 "SRC_COLOR_15";
        InverseSourceColor = 3 "ONE_MINUS_SRC_COLOR"; DestinationColor = 4 "DST_COLOR";
        InverseDestinationColor = 5 "ONE_MINUS_DST_COLOR"; SourceAlpha = 6 "SRC_ALPHA";
        InverseSourceAlpha = 7 "ONE_MINUS_SRC_ALPHA"; DestinationAlpha = 8 "DST_ALPHA";
        InverseDestinationAlpha = 9 "ONE_MINUS_DST_ALPHA"; ConstantColor = 10 "CONSTANT_COLOR";
        InverseConstantColor = 11 "ONE_MINUS_CONSTANT_COLOR"; ConstantAlpha = 12 "CONSTANT_ALPHA";
        InverseConstantAlpha = 13 "ONE_MINUS_CONSTANT_ALPHA";
        /// The smaller of source alpha and 1 - destination alpha for colours, 1 for alpha.
        SourceAlphaSaturate = 14 "SRC_ALPHA_SATURATE";
    }

    /// Operation on the bits of source and destination.
    LogicOp => pixel::LogicOp {
        Clear = 0 "CLEAR"; And = 1 "AND"; AndReverse = 2 "AND_REVERSE"; Copy = 3 "COPY"; Set = 4 "SET";
        CopyInverted = 5 "COPY_INVERTED"; NoOp = 6 "NOOP"; Invert = 7 "INVERT"; Nand = 8 "NAND"; Or = 9 "OR";
        Nor = 10 "NOR"; Xor = 11 "XOR"; Equivalent = 12 "EQUIV"; AndInverted = 13 "AND_INVERTED";
        OrReverse = 14 "OR_REVERSE"; OrInverted = 15 "OR_INVERTED";
    }

    /// Comparison of tests: alpha and depth of the fragment on the left, the reference of the stencil test.
    Compare => pixel::Compare {
        Never = 0 "NEVER"; Always = 1 "ALWAYS"; Equal = 2 "EQUAL"; NotEqual = 3 "NOTEQUAL"; Less = 4 "LESS";
        LessEqual = 5 "LEQUAL"; Greater = 6 "GREATER"; GreaterEqual = 7 "GEQUAL";
    }

    /// Comparison of the early depth test.
    EarlyDepthCompare { GreaterEqual = 0 "GEQUAL"; Greater = 1 "GREATER"; LessEqual = 2 "LEQUAL"; Less = 3 "LESS"; }

    /// Comparison of gas with the stored depth. Software makes the two bits out of the depth test's function: never,
    /// always, any kind of greater, anything else.
    GasCompare => pixel::Compare { Never = 0 "NEVER"; Always = 1 "ALWAYS"; Greater = 2 "GREATER"; Less = 3 "LESS"; }

    /// The operation on the stencil value.
    StencilOp => pixel::StencilOp {
        Keep = 0 "KEEP"; Zero = 1 "ZERO"; Replace = 2 "REPLACE";
        /// Saturates at 255.
        IncrementSaturate = 3 "INCR";
        /// Saturates at 0.
        DecrementSaturate = 4 "DECR";
        Invert = 5 "INVERT"; IncrementWrap = 6 "INCR_WRAP"; DecrementWrap = 7 "DECR_WRAP";
    }

    /// Format of the depth buffer.
    DepthFormat => format::DepthFormat { D16 = 0 "D16"; D24 = 2 "D24"; D24S8 = 3 "D24S8"; }

    /// Format of the colour buffer. Transfers have numbers of their own, see
    /// [`external::TransferFormat`](crate::pica::external::TransferFormat).
    ColorFormat => format::PixelFormat {
        Rgba8 = 0 "RGBA8"; Rgb8 = 1 "RGB8"; Rgb5A1 = 2 "RGB5A1"; Rgb565 = 3 "RGB565"; Rgba4 = 4 "RGBA4";
    }

    /// Bits of a pixel of the colour buffer.
    PixelSize { Bits16 = 0 "16"; Bits24 = 1 "24"; Bits32 = 2 "32"; }

    /// The index of the gas table.
    GasLookup { Density = 0 "DENSITY"; Light = 1 "LIGHT"; }
}
