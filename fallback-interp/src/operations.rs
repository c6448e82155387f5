//! Comparisons and logic operations, which several pipelines have.

use triglyph_guest::kernel::operations::{Compare, LogicOp};
use triglyph_guest::rsx::operand::Test;

/// `a OP b`; with NaN only `Always` and `NotEqual` hold.
pub(crate) fn compare<T: PartialOrd>(operation: Compare, a: T, b: T) -> bool {
    match operation {
        Compare::Never => false,
        Compare::Always => true,
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::Less => a < b,
        Compare::LessEqual => a <= b,
        Compare::Greater => a > b,
        Compare::GreaterEqual => a >= b,
    }
}

/// Whether `v` is what the test asks for.
pub(crate) fn test(test: Test, v: f32) -> bool {
    match test {
        Test::FALSE => false,
        Test::LESS => v < 0.0,
        Test::EQUAL => v == 0.0,
        Test::LESS_EQUAL => v <= 0.0,
        Test::GREATER => v > 0.0,
        Test::NOT_EQUAL => v != 0.0,
        Test::GREATER_EQUAL => v >= 0.0,
        _ => true,
    }
}

/// Source and destination bit by bit.
pub(crate) fn logic(operation: LogicOp, s: u32, d: u32) -> u32 {
    match operation {
        LogicOp::Clear => 0,
        LogicOp::And => s & d,
        LogicOp::AndReverse => s & !d,
        LogicOp::Copy => s,
        LogicOp::Set => u32::MAX,
        LogicOp::CopyInverted => !s,
        LogicOp::NoOp => d,
        LogicOp::Invert => !d,
        LogicOp::Nand => !(s & d),
        LogicOp::Or => s | d,
        LogicOp::Nor => !(s | d),
        LogicOp::Xor => s ^ d,
        LogicOp::Equivalent => !(s ^ d),
        LogicOp::AndInverted => !s & d,
        LogicOp::OrReverse => s | !d,
        LogicOp::OrInverted => !s | d,
    }
}
