//! Blending by a program, for the equations that factors cannot express (KHR_blend_equation_advanced).
//!
//! There are three registers T0, T1, T2 of r, g, b, a and the last result L, all 0 at first, and a condition for each
//! of r, g, b, at first 0. Source and destination are those of blending. Steps run one after the other, each on
//! triples, in f32:
//!
//! 1. Operands: a component each of [`BlendOperand`]; of alpha ones the same three times.
//! 2. The operation gives three numbers. Products whose second factor is [`BlendOperand::Nothing`] are 0 whatever the
//!    first one.
//! 3. [`BlendRoute`] exchanges them, or makes the first one alpha and nothing else.
//! 4. Of the components in `mask` (of alpha: always) those are written whose condition, that of red for alpha, passes
//!    `test` compared with 0: to L, and to the register of `output` if there is one.
//! 5. With `sets` the condition of each component that was written is its value.
//!
//! The result is T0; alpha is that of T0 with [`BlendProgram::alpha`], otherwise what the blend term of alpha gives.
//!
//! Sources: NVIDIA's class header for names; the programs that Ryujinx knows of the console's driver, with the
//! equations that they have to be, for the last result, conditions of single components and where the result is.
//! Precision is not known.

use borsh::{BorshDeserialize, BorshSerialize};

pub use crate::kernel::operations::Compare;

/// Steps of a program at most.
pub const MAX_STEPS: usize = 256;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BlendProgram {
    /// The steps, in order.
    pub steps: Vec<BlendStep>,
    /// Bits of f32 r, g, b of the constants.
    pub constants: [[u32; 3]; 8],
    /// Whether alpha is the program's as well.
    pub alpha: bool,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BlendStep {
    /// When a component is written: `condition OP 0`.
    pub test: Compare,
    /// The operation.
    pub operation: BlendOperation,
    /// A, B, C, D.
    pub operands: [BlendOperand; 4],
    /// Which constant [`BlendOperand::Constant`] is, 0 to 7.
    pub constant: u8,
    /// Where components go.
    pub route: BlendRoute,
    /// Components r, g, b that may be written, bit 0 = r.
    pub mask: u8,
    /// The register T0 to T2 that is written.
    pub output: Option<u8>,
    /// Whether conditions are set.
    pub sets: bool,
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum BlendOperation {
    /// `A * B + C * D`
    AddProducts,
    /// `A * B - C * D`
    SubtractProducts,
    /// `A < B ? A : B`
    Minimum,
    /// `A > B ? A : B`
    Maximum,
    /// `1 / A`
    Reciprocal,
    /// `B + D`
    Add,
    /// `B - D`
    Subtract,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum BlendOperand {
    /// 0, and no product.
    Nothing,
    /// 0.
    Zero,
    /// 1.
    One,
    /// r, g, b of the source.
    Source,
    /// Alpha of the source.
    SourceAlpha,
    /// 1 less that.
    InverseSourceAlpha,
    /// r, g, b of the destination.
    Destination,
    /// Alpha of the destination.
    DestinationAlpha,
    /// 1 less that.
    InverseDestinationAlpha,
    /// r, g, b of a register T0 to T2.
    Register(u8),
    /// r, g, b of L.
    Last,
    /// The step's constant.
    Constant,
}

/// Where the components of a result go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum BlendRoute {
    /// r, g, b.
    Rgb,
    /// g, b, r.
    Gbr,
    /// r, r, r.
    Red,
    /// g, g, g.
    Green,
    /// b, b, b.
    Blue,
    /// r becomes alpha.
    RedToAlpha,
}
