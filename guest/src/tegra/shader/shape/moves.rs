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
        operands { dst: Reg = Reg[d], b: Operand = Int[b e s w i], quad_mask: u8 = Mask[m] }
    }

    /// One of two sources.
    Sel {
        operands { dst: Reg = Reg[d], a: Reg = Reg[a], b: Operand = Int[b e s w i], pred: PredSource = PredSource[p] }
    }

    /// Predicates or condition code to a register.
    PredToReg {
        flags {
            /// The condition code instead of the predicates.
            cc_source h "from_cc",
        }
        operands {
            dst: Reg = Reg[d],
            a: Reg = Reg[a],
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
            a: Reg = Reg[a],
            /// Mask of the bits that are set.
            b: Operand = Int[b e s w i],
            /// Byte of the register.
            byte: u8 = Small[z],
        }
    }

    /// Bytes of two registers by a selector.
    Permute {
        modifiers { mode: PrmtMode = PrmtMode[z] }
        operands { dst: Reg = Reg[d], a: Reg = Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u] }
    }

    /// Three predicates to a register.
    PredSet {
        flags { bf h "bf", cc o "cc" }
        modifiers { op1: BoolOp = BoolOp[j], op2: BoolOp = BoolOp[k] }
        operands {
            dst: Reg = Reg[d], a: PredSource = PredSource[m], b: PredSource = PredSource[n],
            c: PredSource = PredSource[p],
        }
    }

    /// Three predicates to two.
    PredSetPred {
        modifiers { op1: BoolOp = BoolOp[j], op2: BoolOp = BoolOp[k] }
        operands {
            dst: Pred = Pred[y], dst_not: Pred = Pred[q], a: PredSource = PredSource[m], b: PredSource = PredSource[n],
            c: PredSource = PredSource[p],
        }
    }

    /// A test of the condition code to a register.
    CcSet {
        flags { bf h "bf", cc o "cc" }
        modifiers { test: CcTest = CcTest[z], bop: BoolOp = BoolOp[j] }
        operands { dst: Reg = Reg[d], pred: PredSource = PredSource[p] }
    }

    /// A test of the condition code to predicates.
    CcSetPred {
        flags { cc o "cc" }
        modifiers { test: CcTest = CcTest[z], bop: BoolOp = BoolOp[j] }
        operands { dst: Pred = Pred[y], dst_not: Pred = Pred[q], pred: PredSource = PredSource[p] }
    }

    /// A special register.
    ReadSpecial {
        operands { dst: Reg = Reg[d], source: SpecialRegister = SpecialRegister[z] }
    }
}
