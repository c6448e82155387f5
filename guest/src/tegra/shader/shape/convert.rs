//! Conversions.

use crate::tegra::shader::modifiers::{FloatFormat, IntSize, Rounding};
use crate::tegra::shader::number::Small;
use crate::tegra::shader::operand::{Operand, Reg, Src};
use crate::tegra::shader::part::{Part, shapes};
use crate::tegra::shader::source::{ConvertedInt, SignedFloat};

shapes! {
    /// Float to float.
    FloatToFloat {
        flags {
            /// The upper half of an f16 source.
            high h "h1",
            /// Rounds to an integer.
            integer j "int",
            ftz f "ftz", sat v "sat", cc o "cc",
        }
        modifiers { to: FloatFormat[z], from: FloatFormat[y], rounding: Rounding[r] }
        operands { dst: Reg[d], b: Src<Operand> = SignedFloat[b e s w i k l] }
    }

    /// Float to integer.
    FloatToInt {
        flags {
            /// The upper half of an f16 source.
            high h "h1",
            signed m "signed", ftz f "ftz", cc o "cc",
        }
        modifiers { to: IntSize[z], from: FloatFormat[y], rounding: Rounding[r] }
        operands { dst: Reg[d], b: Src<Operand> = SignedFloat[b e s w i k l] }
    }

    /// Integer to float.
    IntToFloat {
        flags { signed m "signed", cc o "cc" }
        modifiers { to: FloatFormat[z], from: IntSize[y], rounding: Rounding[r] }
        operands {
            dst: Reg[d], b: Src<Operand> = ConvertedInt[b e s w i k l],
            /// Byte of an 8-bit source, or first byte of a 16-bit one.
            byte: u8 = Small[h],
        }
    }

    /// Integer to integer.
    IntToInt {
        flags {
            /// The result is signed.
            to_signed m "to_signed",
            /// The source is signed.
            from_signed n "from_signed",
            sat v "sat", cc o "cc",
        }
        modifiers { to: IntSize[z], from: IntSize[y] }
        operands {
            dst: Reg[d], b: Src<Operand> = ConvertedInt[b e s w i k l],
            /// Byte of an 8-bit source, or first byte of a 16-bit one.
            byte: u8 = Small[h],
        }
    }
}
