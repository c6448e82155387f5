//! Integer arithmetic, logic, shifts and bit fields.

use crate::tegra::shader::modifiers::{
    AddendPart, BoolOp, IntCompare, LogicOp, LogicPred, MinMaxChain, ShfType, ShiftChain, SumShift, XmadMode,
};
use crate::tegra::shader::number::Small;
use crate::tegra::shader::operand::{Inv, Neg, Operand, Pred, PredSource, Reg};
use crate::tegra::shader::part::{Part, shapes};
use crate::tegra::shader::source::{Int, IntReg, Logic, LogicReg, SignedInt, SignedThird, Third};

shapes! {
    /// A sum. With both signs set nothing is negated and 1 is added (PO).
    IntAdd {
        flags {
            /// The carry comes in; signs then invert instead of negating.
            x x "x",
            sat v "sat", cc o "cc",
        }
        operands { dst: Reg[d], a: Neg<Reg> = IntReg[a n], b: Neg<Operand> = SignedInt[b e s w i k] }
    }

    /// A sum of three.
    IntAdd3 {
        flags { x x "x", cc o "cc" }
        modifiers { part_a: AddendPart[h], part_b: AddendPart[y], part_c: AddendPart[z], shift: SumShift[j] }
        operands {
            dst: Reg[d], a: Neg<Reg> = IntReg[a n], b: Neg<Operand> = SignedInt[b e s w i k],
            c: Neg<Operand> = SignedThird[c t u l],
        }
    }

    /// A shifted value and an addend.
    IntScaledAdd {
        flags { cc o "cc" }
        operands {
            dst: Reg[d], a: Neg<Reg> = IntReg[a n], b: Neg<Operand> = SignedInt[b e s w i k],
            /// 0 to 31.
            shift: u8 = Small[z],
        }
    }

    /// A product and an addend.
    IntMad {
        flags {
            /// The upper half of the product.
            hi h "hi",
            /// The product is negated.
            neg n "neg",
            signed_a m "s32a", signed_b l "s32b", x x "x", sat v "sat", cc o "cc",
        }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Neg<Operand> = SignedThird[c t u k] }
    }

    /// A product of parts and an addend.
    IntMadParts {
        operands {
            dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u],
            /// 0 u32, 1 s32, 2 u24, 3 s24, 4 u16 lower, 5 s16 lower, 6 u16 upper, 7 s16 upper.
            select_a: u8 = Small[z],
            /// 0 u24, 1 s24, 2 u16 lower, 3 s16 lower.
            select_b: u8 = Small[h],
            /// The upper two bits of the third source's selector; the lowest one is that of the first one's.
            select_c_high: u8 = Small[y],
        }
    }

    /// A product.
    IntMul {
        flags {
            /// The upper half of the product.
            hi h "hi",
            signed_a m "s32a", signed_b l "s32b", cc o "cc",
        }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i] }
    }

    /// A product of 16 bits each and an addend.
    IntXmad {
        flags {
            /// The product is shifted left by 16.
            psl j "psl",
            /// The upper half of the result is that of the second source.
            mrg q "mrg",
            x x "x", signed_a m "s16a", signed_b l "s16b",
            /// The upper half of the first source.
            high_a h "h1a",
            /// The upper half of the second source.
            high_b y "h1b",
            cc o "cc",
        }
        modifiers { mode: XmadMode[z] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u] }
    }

    /// The smaller or the larger one.
    IntMinMax {
        flags { signed m "s32", cc o "cc" }
        modifiers { chain: MinMaxChain[x] }
        operands {
            dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i],
            /// True takes the smaller one.
            pred: PredSource[p],
        }
    }

    /// A comparison to a register.
    IntSet {
        flags {
            /// 1.0 instead of all ones.
            bf h "bf",
            x x "x", signed m "s32", cc o "cc",
        }
        modifiers { compare: IntCompare[z], bop: BoolOp[j] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], pred: PredSource[p] }
    }

    /// A comparison to predicates.
    IntSetPred {
        flags { x x "x", signed m "s32" }
        modifiers { compare: IntCompare[z], bop: BoolOp[j] }
        operands { dst: Pred[y], dst_not: Pred[q], a: Reg[a], b: Operand = Int[b e s w i], pred: PredSource[p] }
    }

    /// One of two sources by a third compared with 0.
    IntSelect {
        flags { signed m "s32" }
        modifiers { compare: IntCompare[z] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u] }
    }

    /// A logic operation.
    LogicTwo {
        flags { x x "x", cc o "cc" }
        modifiers { op: LogicOp[z], pred_op: LogicPred[j] }
        operands { dst: Reg[d], pred: Pred[y], a: Inv<Reg> = LogicReg[a n], b: Inv<Operand> = Logic[b e s w i k] }
    }

    /// Any logic operation of three.
    LogicThree {
        flags { x x "x", cc o "cc" }
        modifiers { pred_op: LogicPred[j] }
        operands {
            dst: Reg[d], pred: Pred[y], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u],
            /// Bit `a << 2 | b << 1 | c` is the result.
            table: u8 = Small[z],
        }
    }

    /// A shift to the left.
    ShiftLeft {
        flags {
            /// Only five bits of the distance count.
            wrap z "w",
            x x "x", cc o "cc",
        }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i] }
    }

    /// A shift to the right.
    ShiftRight {
        flags {
            /// Only five bits of the distance count.
            wrap z "w",
            /// The bits are reversed first.
            brev q "brev",
            signed m "s32", cc o "cc",
        }
        modifiers { chain: ShiftChain[x] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i] }
    }

    /// A shift of two registers, `c` being the upper one.
    FunnelShift {
        flags {
            hi h "hi", x x "x",
            /// Only the bits of the distance that fit count.
            wrap j "w",
            cc o "cc",
        }
        modifiers { width: ShfType[z] }
        operands { dst: Reg[d], a: Reg[a], b: Operand = Int[b e s w i], c: Operand = Third[c t u] }
    }

    /// A field of bits.
    BitFieldExtract {
        flags {
            /// The bits are reversed first.
            brev q "brev",
            signed m "s32", cc o "cc",
        }
        operands {
            dst: Reg[d], a: Reg[a],
            /// Position in bits 7:0, size in bits 15:8.
            b: Operand = Int[b e s w i],
        }
    }

    /// A field of bits replaced.
    BitFieldInsert {
        flags { cc o "cc" }
        operands {
            dst: Reg[d], a: Reg[a],
            /// Position in bits 7:0, size in bits 15:8.
            b: Operand = Int[b e s w i],
            c: Operand = Third[c t u],
        }
    }

    /// The highest bit.
    FindLeadingOne {
        flags {
            /// The distance from bit 31 instead of the position.
            shift h "sh",
            signed m "s32", cc o "cc",
        }
        operands { dst: Reg[d], b: Inv<Operand> = Logic[b e s w i k] }
    }

    /// The number of ones.
    PopCount {
        operands { dst: Reg[d], b: Inv<Operand> = Logic[b e s w i k] }
    }

    /// An address: shifted value and base.
    LoadAddress {
        flags { x x "x", cc o "cc" }
        operands {
            dst: Reg[d], pred: Pred[y], a: Neg<Reg> = IntReg[a n], b: Operand = Int[b e s w i],
            /// 0 to 31.
            shift: u8 = Small[z],
        }
    }

    /// The upper half of an address; `c` is the upper word of the shifted value.
    LoadAddressHigh {
        flags { x x "x", cc o "cc" }
        operands {
            dst: Reg[d], pred: Pred[y], a: Neg<Reg> = IntReg[a n], b: Operand = Int[b e s w i],
            c: Operand = Third[c t u],
            /// 0 to 31.
            shift: u8 = Small[z],
        }
    }
}
