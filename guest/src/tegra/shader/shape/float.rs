//! Arithmetic of f32 and f64.

use crate::tegra::shader::modifiers::{BoolOp, FchkMode, FloatCompare, Fmz, MufuOp, Rounding, RroMode, Scale};
use crate::tegra::shader::number::Small;
use crate::tegra::shader::operand::{Neg, Operand, Pred, PredSource, Reg, Src};
use crate::tegra::shader::part::{Part, shapes};
use crate::tegra::shader::source::{Float, FloatReg, SignedFloat, SignedThird, Third};

shapes! {
    /// A sum.
    FloatAdd {
        flags { ftz f "ftz", sat v "sat", cc o "cc" }
        modifiers { rounding: Rounding[r] }
        operands { dst: Reg[d], a: Src<Reg> = FloatReg[a n m], b: Src<Operand> = SignedFloat[b e s w i k l] }
    }

    /// A product.
    FloatMul {
        flags {
            /// The product's sign is changed.
            neg n "neg",
            sat v "sat", cc o "cc",
        }
        modifiers { rounding: Rounding[r], scale: Scale[z], fmz: Fmz[f] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Float[b e s w i] }
    }

    /// A product and an addend, rounded once.
    FloatFma {
        flags {
            /// The product's sign is changed.
            neg n "neg",
            sat v "sat", cc o "cc",
        }
        modifiers { rounding: Rounding[r], fmz: Fmz[f] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Float[b e s w i], c: Neg<Operand> = SignedThird[c t u k] }
    }

    /// The smaller or the larger one.
    FloatMinMax {
        flags { ftz f "ftz", cc o "cc" }
        operands {
            dst: Reg[d], a: Src<Reg> = FloatReg[a n m], b: Src<Operand> = SignedFloat[b e s w i k l],
            /// True takes the smaller one.
            pred: PredSource[p],
        }
    }

    /// A comparison to a register.
    FloatSet {
        flags {
            /// 1.0 instead of all ones.
            bf h "bf",
            ftz f "ftz", cc o "cc",
        }
        modifiers { compare: FloatCompare[z], bop: BoolOp[j] }
        operands {
            dst: Reg[d], a: Src<Reg> = FloatReg[a n m], b: Src<Operand> = SignedFloat[b e s w i k l],
            pred: PredSource[p],
        }
    }

    /// A comparison to predicates.
    FloatSetPred {
        flags { ftz f "ftz" }
        modifiers { compare: FloatCompare[z], bop: BoolOp[j] }
        operands {
            dst: Pred[y], dst_not: Pred[q], a: Src<Reg> = FloatReg[a n m], b: Src<Operand> = SignedFloat[b e s w i k l],
            pred: PredSource[p],
        }
    }

    /// One of two sources by the sign of a third.
    FloatSelect {
        flags { ftz f "ftz" }
        modifiers { compare: FloatCompare[z] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Float[b e s w i], c: Operand = Third[c t u] }
    }

    /// Whether a quotient needs the slow way.
    FloatCheck {
        modifiers { mode: FchkMode[z] }
        operands { dst: Pred[y], a: Src<Reg> = FloatReg[a n m], b: Src<Operand> = SignedFloat[b e s w i k l] }
    }

    /// A sum whose signs depend on the lane of the quad.
    FloatSwizzledAdd {
        flags {
            /// Inactive lanes count; a hint.
            ndv h "ndv",
            ftz f "ftz", cc o "cc",
        }
        modifiers { rounding: Rounding[r] }
        operands {
            dst: Reg[d], a: Reg[a], b: Reg[b],
            /// Two bits for each lane of the quad, lane 0 in the top ones.
            signs: u8 = Small[z],
        }
    }

    /// Range reduction.
    RangeReduction {
        modifiers { mode: RroMode[z] }
        operands { dst: Reg[d], b: Src<Operand> = SignedFloat[b e s w i k l] }
    }

    /// A function of the special function unit.
    MultiFunction {
        flags { sat v "sat" }
        modifiers { op: MufuOp[z] }
        operands { dst: Reg[d], a: Src<Reg> = FloatReg[a n m] }
    }
}
