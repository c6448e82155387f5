//! Values of fields of texture units, the procedural texture, the texture combiner and fog.
//!
//! Numbers and names: 3dbrew GPU/Internal Registers; names that it has not are those of Azahar and citro3d.

use crate::format;
use crate::kernel::combine::{self, Channel, ColorChannel};
use crate::kernel::{pixel, procedural};
use crate::table::regs::values;

values! {
    /// Texture coordinate of unit 2.
    TexCoord2 { Texcoord2 = 0 "TEXCOORD2"; Texcoord1 = 1 "TEXCOORD1"; }

    /// Texture coordinate of the procedural texture.
    TexCoord3 { Texcoord0 = 0 "TEXCOORD0"; Texcoord1 = 1 "TEXCOORD1"; Texcoord2 = 2 "TEXCOORD2"; }

    /// Filter within a level, or between levels.
    TextureFilter => pixel::Filter { Nearest = 0 "NEAREST"; Linear = 1 "LINEAR"; }

    /// The treatment of texture coordinates outside of 0..1 (4 to 7: hardware tests).
    TextureWrap => pixel::Wrap {
        Edge = 0 "CLAMP_TO_EDGE"; Border = 1 "CLAMP_TO_BORDER"; Repeat = 2 "REPEAT", 6 "REPEAT_6", 7 "REPEAT_7";
        Mirror = 3 "MIRRORED_REPEAT";
        /// Repeats below zero.
        RepeatThenEdge = 4 "REPEAT_THEN_EDGE";
        /// Repeats below zero.
        RepeatThenBorder = 5 "REPEAT_THEN_BORDER";
    }

    /// The kind of unit 0's texture.
    TextureType {
        D2 = 0 "2D"; Cube = 1 "CUBE_MAP"; Shadow = 2 "SHADOW_2D"; Projection = 3 "PROJECTION";
        ShadowCube = 4 "SHADOW_CUBE"; Off = 5 "DISABLED";
    }

    /// How a shadow map is projected.
    ShadowProjection { Perspective = 0 "PERSPECTIVE"; Orthographic = 1 "ORTHOGRAPHIC"; }

    /// Format of texels.
    TextureFormat => format::TexelFormat {
        Rgba8 = 0 "RGBA8"; Rgb8 = 1 "RGB8"; Rgb5A1 = 2 "RGB5A1"; Rgb565 = 3 "RGB565"; Rgba4 = 4 "RGBA4"; Ia8 = 5 "IA8";
        Rg8 = 6 "HILO8"; I8 = 7 "I8"; A8 = 8 "A8"; Ia4 = 9 "IA4"; I4 = 10 "I4"; A4 = 11 "A4"; Etc1 = 12 "ETC1";
        Etc1A4 = 13 "ETC1A4";
    }

    /// The treatment of the procedural texture's coordinates outside of 0..1.
    ProcTexClamp => procedural::Clamp {
        Zero = 0 "CLAMP_TO_ZERO"; Edge = 1 "CLAMP_TO_EDGE"; Repeat = 2 "SYMMETRICAL_REPEAT";
        MirroredRepeat = 3 "MIRRORED_REPEAT"; Pulse = 4 "PULSE";
    }

    /// Which rows of the procedural texture are shifted.
    ProcTexShift => procedural::Shift { None = 0 "NONE"; Odd = 1 "ODD"; Even = 2 "EVEN"; }

    /// Function of the coordinates of the procedural texture.
    ProcTexMap => procedural::Combine {
        U = 0 "U"; U2 = 1 "U2"; V = 2 "V"; V2 = 3 "V2"; Average = 4 "ADD"; Average2 = 5 "ADD2"; Root = 6 "SQRT2";
        Min = 7 "MIN"; Max = 8 "MAX"; AverageRoot = 9 "RMAX";
    }

    /// Filter of the procedural texture: within a level, then between levels.
    ProcTexFilter {
        Nearest = 0 "NEAREST", 6 "NEAREST_6"; Linear = 1 "LINEAR", 7 "LINEAR_7";
        NearestNearest = 2 "NEAREST_MIPMAP_NEAREST"; LinearNearest = 3 "LINEAR_MIPMAP_NEAREST";
        NearestLinear = 4 "NEAREST_MIPMAP_LINEAR"; LinearLinear = 5 "LINEAR_MIPMAP_LINEAR";
    }

    /// A table of the procedural texture.
    ProcTexTable {
        Noise = 0 "NOISE"; RgbMap = 2 "RGB_MAP"; AlphaMap = 3 "ALPHA_MAP"; Color = 4 "COLOR";
        ColorDifference = 5 "COLOR_DIFFERENCE";
    }

    /// Where a combiner stage takes an operand from.
    CombinerSource {
        /// The vertex colour.
        Primary = 0 "PRIMARY_COLOR";
        FragmentPrimary = 1 "FRAGMENT_PRIMARY_COLOR"; FragmentSecondary = 2 "FRAGMENT_SECONDARY_COLOR";
        Texture0 = 3 "TEXTURE0"; Texture1 = 4 "TEXTURE1"; Texture2 = 5 "TEXTURE2"; Texture3 = 6 "TEXTURE3";
        /// The combiner buffer.
        Buffer = 13 "PREVIOUS_BUFFER";
        Constant = 14 "CONSTANT"; Previous = 15 "PREVIOUS";
    }

    /// The components that a combiner stage takes of a colour operand.
    ColorOperand {
        Color = 0 "SRC_COLOR"; InverseColor = 1 "ONE_MINUS_SRC_COLOR"; Alpha = 2 "SRC_ALPHA";
        InverseAlpha = 3 "ONE_MINUS_SRC_ALPHA"; Red = 4 "SRC_RED"; InverseRed = 5 "ONE_MINUS_SRC_RED";
        Green = 8 "SRC_GREEN"; InverseGreen = 9 "ONE_MINUS_SRC_GREEN"; Blue = 12 "SRC_BLUE";
        InverseBlue = 13 "ONE_MINUS_SRC_BLUE";
    }

    /// The component that a combiner stage takes of an alpha operand.
    AlphaOperand {
        Alpha = 0 "SRC_ALPHA"; InverseAlpha = 1 "ONE_MINUS_SRC_ALPHA"; Red = 2 "SRC_RED";
        InverseRed = 3 "ONE_MINUS_SRC_RED"; Green = 4 "SRC_GREEN"; InverseGreen = 5 "ONE_MINUS_SRC_GREEN";
        Blue = 6 "SRC_BLUE"; InverseBlue = 7 "ONE_MINUS_SRC_BLUE";
    }

    /// The function of a combiner stage.
    CombinerFunction => combine::Function {
        Replace = 0 "REPLACE"; Modulate = 1 "MODULATE"; Add = 2 "ADD"; AddSigned = 3 "ADD_SIGNED";
        Interpolate = 4 "INTERPOLATE"; Subtract = 5 "SUBTRACT"; Dot3Rgb = 6 "DOT3_RGB"; Dot3Rgba = 7 "DOT3_RGBA";
        MultiplyAdd = 8 "MULT_ADD"; AddMultiply = 9 "ADD_MULT";
    }

    /// Scale of a combiner stage's result; the invalid 3 is 1.
    CombinerScale { X1 = 0 "1", 3 "1_3"; X2 = 1 "2"; X4 = 2 "4"; }

    /// The mode of the fog unit. Other modes do nothing.
    FogMode {
        Off = 0 "NONE"; Fog = 5 "FOG";
        /// Takes a gas buffer for a texture.
        Gas = 7 "GAS";
    }

    /// Density of gas that counts.
    GasSource { Plain = 0 "PLAIN_DENSITY"; Depth = 1 "DEPTH_DENSITY"; }
}

impl From<CombinerSource> for combine::Source {
    fn from(source: CombinerSource) -> Self {
        match source {
            CombinerSource::Primary => Self::Primary,
            CombinerSource::FragmentPrimary => Self::FragmentPrimary,
            CombinerSource::FragmentSecondary => Self::FragmentSecondary,
            CombinerSource::Texture0 => Self::Texture(0),
            CombinerSource::Texture1 => Self::Texture(1),
            CombinerSource::Texture2 => Self::Texture(2),
            CombinerSource::Texture3 => Self::Texture(3),
            CombinerSource::Buffer => Self::Buffer,
            CombinerSource::Constant => Self::Constant,
            CombinerSource::Previous => Self::Previous,
        }
    }
}

impl ColorOperand {
    /// The components that it takes from `source`.
    #[doc(hidden)]
    pub const fn of(self, source: combine::Source) -> combine::ColorOperand {
        use ColorOperand::*;
        let (channel, invert) = match self {
            Color => (ColorChannel::Rgb, false),
            InverseColor => (ColorChannel::Rgb, true),
            Alpha => (ColorChannel::Splat(Channel::A), false),
            InverseAlpha => (ColorChannel::Splat(Channel::A), true),
            Red => (ColorChannel::Splat(Channel::R), false),
            InverseRed => (ColorChannel::Splat(Channel::R), true),
            Green => (ColorChannel::Splat(Channel::G), false),
            InverseGreen => (ColorChannel::Splat(Channel::G), true),
            Blue => (ColorChannel::Splat(Channel::B), false),
            InverseBlue => (ColorChannel::Splat(Channel::B), true),
        };
        combine::ColorOperand { source, channel, invert }
    }
}

impl AlphaOperand {
    /// The components that it takes from `source`.
    #[doc(hidden)]
    pub const fn of(self, source: combine::Source) -> combine::AlphaOperand {
        use AlphaOperand::*;
        let (channel, invert) = match self {
            Alpha => (Channel::A, false),
            InverseAlpha => (Channel::A, true),
            Red => (Channel::R, false),
            InverseRed => (Channel::R, true),
            Green => (Channel::G, false),
            InverseGreen => (Channel::G, true),
            Blue => (Channel::B, false),
            InverseBlue => (Channel::B, true),
        };
        combine::AlphaOperand { source, channel, invert }
    }
}

impl CombinerScale {
    /// Bits that results are shifted by.
    pub const fn shift(self) -> u8 {
        self.bits() as u8
    }
}
