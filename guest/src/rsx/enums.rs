//! Values of register fields. Sources: GCM headers, envytools nv30-40_3d.xml, RPCS3 gcm_enums.h.

use crate::kernel::program::{output, sampler};
use crate::table::regs::values;

pub use crate::gl::{CullFace, FrontFace, LogicOp, PolygonMode};

values! {
    /// Comparison of tests: incoming on the left, stored or reference on the right as the register says.
    Compare => output::Compare {
        Never = 0x0200 "NEVER"; Less = 0x0201 "LESS"; Equal = 0x0202 "EQUAL"; LessEqual = 0x0203 "LEQUAL";
        Greater = 0x0204 "GREATER"; NotEqual = 0x0205 "NOTEQUAL"; GreaterEqual = 0x0206 "GEQUAL";
        Always = 0x0207 "ALWAYS";
    }

    /// The operation on the stencil value.
    StencilOp => output::StencilOp {
        Zero = 0x0000 "ZERO"; Invert = 0x150A "INVERT"; Keep = 0x1E00 "KEEP"; Replace = 0x1E01 "REPLACE";
        /// Saturates at 255.
        IncrementSaturate = 0x1E02 "INCR";
        /// Saturates at 0.
        DecrementSaturate = 0x1E03 "DECR";
        IncrementWrap = 0x8507 "INCR_WRAP"; DecrementWrap = 0x8508 "DECR_WRAP";
    }

    /// Factor of a blend term.
    BlendFactor => output::BlendFactor {
        Zero = 0x0000 "ZERO"; One = 0x0001 "ONE"; SourceColor = 0x0300 "SRC_COLOR";
        InverseSourceColor = 0x0301 "ONE_MINUS_SRC_COLOR"; SourceAlpha = 0x0302 "SRC_ALPHA";
        InverseSourceAlpha = 0x0303 "ONE_MINUS_SRC_ALPHA"; DestinationAlpha = 0x0304 "DST_ALPHA";
        InverseDestinationAlpha = 0x0305 "ONE_MINUS_DST_ALPHA"; DestinationColor = 0x0306 "DST_COLOR";
        InverseDestinationColor = 0x0307 "ONE_MINUS_DST_COLOR";
        /// The smaller of source alpha and 1 - destination alpha for colours, 1 for alpha.
        SourceAlphaSaturate = 0x0308 "SRC_ALPHA_SATURATE";
        ConstantColor = 0x8001 "CONSTANT_COLOR"; InverseConstantColor = 0x8002 "ONE_MINUS_CONSTANT_COLOR";
        ConstantAlpha = 0x8003 "CONSTANT_ALPHA"; InverseConstantAlpha = 0x8004 "ONE_MINUS_CONSTANT_ALPHA";
    }

    /// How source and destination terms are combined: SUBTRACT takes the destination from the source, REVERSE_SUBTRACT
    /// the source from the destination, MIN and MAX ignore the factors. So do the signed ones, see
    /// [`BlendEquation::signed`].
    BlendEquation {
        Add = 0x8006 "ADD"; Min = 0x8007 "MIN"; Max = 0x8008 "MAX"; Subtract = 0x800A "SUBTRACT";
        ReverseSubtract = 0x800B "REVERSE_SUBTRACT"; ReverseSubtractSigned = 0xF005 "REVERSE_SUBTRACT_SIGNED";
        AddSigned = 0xF006 "ADD_SIGNED"; ReverseAddSigned = 0xF007 "REVERSE_ADD_SIGNED";
    }

    /// The topology of primitives.
    Primitive {
        /// Closes the draw.
        End = 0 "END";
        Points = 1 "POINTS"; Lines = 2 "LINES"; LineLoop = 3 "LINE_LOOP"; LineStrip = 4 "LINE_STRIP";
        Triangles = 5 "TRIANGLES"; TriangleStrip = 6 "TRIANGLE_STRIP"; TriangleFan = 7 "TRIANGLE_FAN";
        Quads = 8 "QUADS"; QuadStrip = 9 "QUAD_STRIP"; Polygon = 10 "POLYGON";
    }

    /// How the fog factor follows from the fog coordinate; the ABS modes take its magnitude.
    FogMode {
        /// After reset.
        Exp = 0x0800 "EXP";
        Exp2 = 0x0801 "EXP2"; ExpAbs = 0x0802 "EXP_ABS"; Exp2Abs = 0x0803 "EXP2_ABS"; LinearAbs = 0x0804 "LINEAR_ABS";
        Linear = 0x2601 "LINEAR";
    }

    /// Whether colours are interpolated.
    ShadeMode { Flat = 0x1D00 "FLAT"; Smooth = 0x1D01 "SMOOTH"; }

    /// Type of the components of a vertex array. D3DCOLOR is not the same on both chips, see
    /// [`Chip::component`](super::chip::Chip::component). SNORM16 is `(v + 0.5) / 32767.5`, UNORM8 `v / 255`; SINT16
    /// and UINT8 are not normalised. CMP has one word of three signed fields.
    VertexType {
        D3dColor = 0 "UB_D3DCOLOR"; Snorm16 = 1 "SNORM16"; Float32 = 2 "FLOAT32"; Float16 = 3 "FLOAT16";
        Unorm8 = 4 "UNORM8"; Sint16 = 5 "SINT16"; Cmp = 6 "CMP_11_11_10"; Uint8 = 7 "UINT8";
    }

    /// Format of colour targets; components from the highest bit down. Z before the others says that X is stored as 0,
    /// O that it is stored as all ones.
    SurfaceColor {
        Z1R5G5B5 = 1 "X1R5G5B5_Z1R5G5B5"; O1R5G5B5 = 2 "X1R5G5B5_O1R5G5B5"; R5g6b5 = 3 "R5G6B5";
        Z8R8G8B8 = 4 "X8R8G8B8_Z8R8G8B8"; O8R8G8B8 = 5 "X8R8G8B8_O8R8G8B8"; A8r8g8b8 = 8 "A8R8G8B8"; B8 = 9 "B8";
        G8b8 = 10 "G8B8"; Rgba16F = 11 "F_W16Z16Y16X16"; Rgba32F = 12 "F_W32Z32Y32X32"; R32F = 13 "F_X32";
        Z8B8G8R8 = 14 "X8B8G8R8_Z8B8G8R8"; O8B8G8R8 = 15 "X8B8G8R8_O8B8G8R8"; A8b8g8r8 = 16 "A8B8G8R8";
    }

    /// Format of the depth target.
    SurfaceDepth { Z16 = 1 "Z16"; Z24s8 = 2 "Z24S8"; }

    /// Samples of a pixel.
    Antialias {
        Center1 = 0 "CENTER_1"; DiagonalCentered2 = 3 "DIAGONAL_CENTERED_2"; SquareCentered4 = 4 "SQUARE_CENTERED_4";
        SquareRotated4 = 5 "SQUARE_ROTATED_4";
    }

    /// The treatment of texture coordinates outside of 0..1.
    Wrap => sampler::Wrap {
        Repeat = 1 "WRAP"; Mirror = 2 "MIRROR"; ClampToEdge = 3 "CLAMP_TO_EDGE"; Border = 4 "BORDER";
        /// Half way to the border colour, as GL_CLAMP.
        Clamp = 5 "CLAMP";
        MirrorOnceToEdge = 6 "MIRROR_ONCE_CLAMP_TO_EDGE"; MirrorOnceBorder = 7 "MIRROR_ONCE_BORDER";
        MirrorOnceClamp = 8 "MIRROR_ONCE_CLAMP";
    }

    /// Filter of minified textures: within a level, then between levels.
    MinFilter {
        Nearest = 1 "NEAREST"; Linear = 2 "LINEAR"; NearestNearest = 3 "NEAREST_NEAREST";
        LinearNearest = 4 "LINEAR_NEAREST"; NearestLinear = 5 "NEAREST_LINEAR"; LinearLinear = 6 "LINEAR_LINEAR";
        ConvolutionMin = 7 "CONVOLUTION_MIN";
    }

    /// Filter of magnified textures.
    MagFilter { Nearest = 1 "NEAREST"; Linear = 2 "LINEAR"; ConvolutionMag = 4 "CONVOLUTION_MAG"; }

    /// Largest anisotropy.
    Aniso { X1 = 0 "1"; X2 = 1 "2"; X4 = 2 "4"; X6 = 3 "6"; X8 = 4 "8"; X10 = 5 "10"; X12 = 6 "12"; X16 = 7 "16"; }

    /// Comparison of a depth texture: texel on the left, reference on the right.
    TexZfunc => output::Compare {
        Never = 0 "NEVER";
        /// nouveau calls this one GREATER: reference > texel.
        Less = 1 "LESS";
        Equal = 2 "EQUAL"; LessEqual = 3 "LEQUAL"; Greater = 4 "GREATER"; NotEqual = 5 "NOTEQUAL";
        GreaterEqual = 6 "GEQUAL"; Always = 7 "ALWAYS";
    }

    /// Memory of textures and fragment programs.
    TextureLocation {
        /// Of SET_CONTEXT_DMA_A.
        Local = 1 "LOCAL";
        /// Of SET_CONTEXT_DMA_B.
        Main = 2 "MAIN";
    }

    /// Memory of vertices and indices.
    VertexLocation {
        /// Of SET_CONTEXT_DMA_VERTEX_A.
        Local = 0 "LOCAL";
        /// Of SET_CONTEXT_DMA_VERTEX_B.
        Main = 1 "MAIN";
    }

    /// Axes of a texture.
    TextureDimension { D1 = 1 "1D"; D2 = 2 "2D"; D3 = 3 "3D"; }

    /// Weights of convolution filters.
    Convolution { Quincunx = 1 "QUINCUNX"; Gaussian = 2 "GAUSSIAN"; QuincunxAlt = 3 "QUINCUNX_ALT"; }

    /// Whether unsigned texels become -1 to 1.
    UnsignedRemap { Normal = 0 "NORMAL"; Biased = 1 "BIASED"; }

    /// The channel of a texel that a component of the result comes from.
    RemapFrom { A = 0 "A"; R = 1 "R"; G = 2 "G"; B = 3 "B"; }

    /// The source of a component of the result.
    RemapKind {
        Zero = 0 "ZERO"; One = 1 "ONE";
        /// The channel.
        Remap = 2 "REMAP", 3 "REMAP_3";
    }

    /// How the channels of two components are remapped: [`pair_remap`](super::texel::pair_remap).
    RemapOrder { Xyxy = 0 "XYXY"; Xxxy = 1 "XXXY"; }

    /// Where row 0 is in positions that fragment programs read.
    WindowOrigin { Top = 0 "TOP"; Bottom = 1 "BOTTOM"; }

    /// Where the centres of pixels are in positions that fragment programs read.
    PixelCenters { HalfPixels = 0 "HALF_PIXELS"; Integers = 1 "INTEGERS"; }

    /// Which part of a clip distance is kept.
    ClipPlane {
        /// All of it.
        Off = 0 "DISABLE";
        /// Below zero.
        Below = 1 "ENABLE_LT";
        /// Zero and above.
        Above = 2 "ENABLE_GE";
    }

    /// The count of a report.
    ReportType {
        ZpassPixelCount = 1 "ZPASS_PIXEL_COUNT"; ZcullStats = 2 "ZCULL_STATS"; ZcullStats1 = 3 "ZCULL_STATS1";
        ZcullStats2 = 4 "ZCULL_STATS2"; ZcullStats3 = 5 "ZCULL_STATS3";
    }

    /// Layout of the targets.
    SurfaceLayout { Linear = 1 "LINEAR"; Swizzled = 2 "SWIZZLED"; }

    /// Type of indices.
    IndexType { U32 = 0 "U32"; U16 = 1 "U16"; }

    /// When draws and clears happen.
    RenderMode {
        Always = 1 "ALWAYS";
        /// The value of a report was not zero when the method was executed.
        Conditional = 2 "CONDITIONAL";
    }
}

impl BlendEquation {
    /// Which operand is a signed byte. Neither has a factor then. Hardware: tests on the console after RPCS3 (#19410);
    /// all pictures of the signed equations on the NV2A, a relative (`docs/reference/nv2a.md`), which has no
    /// REVERSE_ADD_SIGNED.
    #[doc(hidden)]
    pub const fn signed(self) -> output::SignedOperand {
        match self {
            BlendEquation::AddSigned | BlendEquation::ReverseSubtractSigned => output::SignedOperand::Source,
            BlendEquation::ReverseAddSigned => output::SignedOperand::Destination,
            _ => output::SignedOperand::None,
        }
    }
}

impl From<BlendEquation> for output::BlendEquation {
    /// The signed ones without their sign.
    fn from(equation: BlendEquation) -> Self {
        match equation {
            BlendEquation::Add | BlendEquation::AddSigned | BlendEquation::ReverseAddSigned => Self::Add,
            BlendEquation::Min => Self::Min,
            BlendEquation::Max => Self::Max,
            BlendEquation::Subtract => Self::Subtract,
            BlendEquation::ReverseSubtract | BlendEquation::ReverseSubtractSigned => Self::ReverseSubtract,
        }
    }
}
