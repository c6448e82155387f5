//! Fixed-function combiner stages (3dbrew: GPU/Internal Registers, texture environment).
//!
//! Everything is 8-bit integers. `out` starts as (0, 0, 0, 0), `buffer` as (0, 0, 0, 0), `next` as
//! [`super::pixel::PixelConstants::buffer_color`]. Each stage: colour = min(255, function(operands) << scale), alpha
//! likewise (with [`Function::Dot3Rgba`] as the colour function alpha is the dot product, scaled by the alpha scale);
//! then `buffer = next`, and the channels that the stage updates go from `out` to `next`. So an update is seen two
//! stages later.

use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

/// Six stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Combiners {
    /// In order of evaluation.
    pub stages: [Stage; 6],
}

/// One combiner stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Stage {
    /// Function of r, g, b.
    pub color: Function,
    /// Function of alpha.
    pub alpha: Function,
    /// Operands of the colour function.
    pub color_operands: [ColorOperand; 3],
    /// Operands of the alpha function.
    pub alpha_operands: [AlphaOperand; 3],
    /// log2 of the colour scale, 0 to 2.
    pub color_shift: u8,
    /// log2 of the alpha scale, 0 to 2.
    pub alpha_shift: u8,
    /// Whether r, g, b of the result go to the buffer.
    pub update_color: bool,
    /// Whether alpha of the result goes to the buffer.
    pub update_alpha: bool,
}

impl Stage {
    /// Passes the previous result on.
    pub const PASS: Stage = Stage {
        color: Function::Replace,
        alpha: Function::Replace,
        color_operands: [ColorOperand { source: Source::Previous, channel: ColorChannel::Rgb, invert: false }; 3],
        alpha_operands: [AlphaOperand { source: Source::Previous, channel: Channel::A, invert: false }; 3],
        color_shift: 0,
        alpha_shift: 0,
        update_color: false,
        update_alpha: false,
    };
}

listed! {
    /// Combiner functions of operands a, b, c; division truncates but for dot products (unverified: no console value
    /// is known of another function that divides), results are clamped to 0..255.
    /// In the order of the numbers that registers have (3dbrew: GPU/Internal Registers, 0x0C2).
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum Function {
        /// a
        Replace,
        /// a*b / 255
        Modulate,
        /// a + b
        Add,
        /// a + b - 128
        AddSigned,
        /// (a*c + b*(255-c)) / 255
        Interpolate,
        /// a - b
        Subtract,
        /// To r, g and b: the sum over r, g, b of terms of the numbers x = 2a - 255 and y = 2b - 255, where m(v) is v,
        /// or NOT v = -v - 1 for v < 0, and t = m(x) * m(y) / 255, rounded to nearest. A term is t where the signs of x
        /// and y are the same, else NOT t. As an alpha function: 0. (All 2,816 values that a console gave: Lectem,
        /// 3DS_gpu_tests, branch DOT3_RGB, made for Citra #767.)
        Dot3Rgb,
        /// The same, to alpha as well, whatever the alpha function is (Citra #2671). As an alpha function: 0.
        Dot3Rgba,
        /// (a*b + 255*c) / 255
        MultiplyAdd,
        /// min(255, a + b) * c / 255
        AddMultiply,
    }
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Source {
    /// The interpolated vertex colour.
    Primary,
    /// Primary result of fragment lighting.
    FragmentPrimary,
    /// Secondary result of fragment lighting.
    FragmentSecondary,
    /// Texture unit 0 to 3.
    Texture(u8),
    /// The combiner buffer.
    Buffer,
    /// The stage's constant.
    Constant,
    /// The result of the stage before; (0, 0, 0, 0) for the first.
    Previous,
    /// An invalid number: (0, 0, 0, 0).
    Zero,
}

/// An operand of a colour function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ColorOperand {
    /// Where from.
    pub source: Source,
    /// Which channels.
    pub channel: ColorChannel,
    /// Whether it is 255 minus the value.
    pub invert: bool,
}

/// The components that a colour operand takes from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum ColorChannel {
    /// r, g, b.
    Rgb,
    /// One channel three times.
    Splat(Channel),
    /// An invalid number: 0.
    Zero,
}

/// An operand of an alpha function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct AlphaOperand {
    /// Where from.
    pub source: Source,
    /// Which channel.
    pub channel: Channel,
    /// Whether it is 255 minus the value.
    pub invert: bool,
}

/// A colour channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum Channel {
    R,
    G,
    B,
    A,
}
