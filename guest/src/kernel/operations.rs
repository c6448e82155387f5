//! Operations of the fixed stages after a fragment: comparisons, stencil, blending, logic. The contracts of the PICA200
//! and of shader pipelines share them.

use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

listed! {
    /// A comparison function.
    /// In the order of the PICA200's numbers.
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum Compare {
        /// false
        Never,
        /// true
        Always,
        /// a == b
        Equal,
        /// a != b
        NotEqual,
        /// a < b
        Less,
        /// a <= b
        LessEqual,
        /// a > b
        Greater,
        /// a >= b
        GreaterEqual,
    }
}

listed! {
    /// A stencil action.
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum StencilOp {
        /// old
        Keep,
        /// 0
        Zero,
        /// reference
        Replace,
        /// min(old + 1, 255)
        IncrementSaturate,
        /// max(old - 1, 0)
        DecrementSaturate,
        /// !old
        Invert,
        /// old + 1 mod 256
        IncrementWrap,
        /// old - 1 mod 256
        DecrementWrap,
    }
}

listed! {
    /// A blend equation; the result is clamped to 0..255, the division truncates.
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum BlendEquation {
        /// (P + Q) / 255
        Add,
        /// (P - Q) / 255
        Subtract,
        /// (Q - P) / 255
        ReverseSubtract,
        /// min(P, Q) / 255
        Min,
        /// max(P, Q) / 255
        Max,
    }
}

listed! {
    /// A logic operation of source s and destination d.
    /// In the order of the PICA200's numbers.
    #[derive(BorshSerialize, BorshDeserialize)]
    #[expect(missing_docs, reason = "the names are the definition")]
    pub enum LogicOp {
        Clear, And,
        /// s & !d
        AndReverse,
        Copy, Set, CopyInverted, NoOp, Invert, Nand, Or, Nor, Xor, Equivalent,
        /// !s & d
        AndInverted,
        /// s | !d
        OrReverse,
        /// !s | d
        OrInverted,
    }
}
