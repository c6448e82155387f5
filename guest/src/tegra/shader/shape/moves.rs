//! Moves, predicates, the condition code.

use crate::tegra::shader::modifiers::{BoolOp, CcTest, PrmtMode};
use crate::tegra::shader::number::{Mask, Small};
use crate::tegra::shader::operand::{Operand, Pred, PredSource, Reg};
use crate::tegra::shader::part::{Part, shapes};
use crate::tegra::shader::source::{Int, Third};
use crate::tegra::shader::special::SpecialRegister;

shapes! {
    /// One source, and which lanes of each 2x2 quad take it.
    Mov {
        operands { dst: Reg[d], b: Operand = Int[b e s w i], quad_mask: u8 = Mask[m] }
    }

    /// One of two sources.
    Sel {
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], pred: PredSource[p] }
    }

    /// Predicates or condition code to a register.
    PredToReg {
        flags {
            /// The condition code instead of the predicates.
            cc_source h "from_cc",
        }
        operands {
            dst: Reg[d], a: Reg[a],
            /// Mask of the bits that are taken.
            b: Operand = Int[b e s w i],
            /// Byte of the register.
            byte: u8 = Small[z],
        }
    }

    /// A register to predicates or condition code.
    RegToPred {
        flags {
            /// The condition code instead of the predicates.
            cc_target h "to_cc",
        }
        operands {
            a: Reg[a],
            /// Mask of the bits that are set.
            b: Operand = Int[b e s w i],
            /// Byte of the register.
            byte: u8 = Small[z],
        }
    }

    /// Bytes of two registers by a selector.
    Permute {
        modifiers { mode: PrmtMode[z] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u] }
    }

    /// Three predicates to a register.
    PredSet {
        flags { bf h "bf", cc o "cc" }
        modifiers { op1: BoolOp[j], op2: BoolOp[k] }
        operands { dst: Reg[d], a: PredSource[m], b: PredSource[n], c: PredSource[p] }
    }

    /// Three predicates to two.
    PredSetPred {
        modifiers { op1: BoolOp[j], op2: BoolOp[k] }
        operands { dst: Pred[y], dst_not: Pred[q], a: PredSource[m], b: PredSource[n], c: PredSource[p] }
    }

    /// A test of the condition code to a register.
    CcSet {
        flags { bf h "bf", cc o "cc" }
        modifiers { test: CcTest[z], bop: BoolOp[j] }
        operands { dst: Reg[d], pred: PredSource[p] }
    }

    /// A test of the condition code to predicates.
    CcSetPred {
        flags { cc o "cc" }
        modifiers { test: CcTest[z], bop: BoolOp[j] }
        operands { dst: Pred[y], dst_not: Pred[q], pred: PredSource[p] }
    }

    /// A special register.
    ReadSpecial {
        operands { dst: Reg[d], source: SpecialRegister[z] }
    }
}
