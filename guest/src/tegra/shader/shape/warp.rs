//! Lanes of a warp, barriers, scheduling.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::modifiers::CcTest;
use crate::tegra::shader::number::{Number, Small};
use crate::tegra::shader::operand::{Pred, PredSource, Reg};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// Which lane SHFL reads.
    ShflMode, 2 bits {
        Index = 0 "idx"; Up = 1 "up"; Down = 2 "down";
        /// Exclusive or.
        Butterfly = 3 "bfly";
    }

    /// The question of VOTE to the lanes.
    VoteMode, 2 bits, others {
        All = 0 "all"; Any = 1 "any";
        /// All the same.
        Equal = 2 "eq";
    }

    /// The operation at a barrier.
    BarOp, 3 bits, others {
        Sync = 0 "sync"; Arrive = 1 "arv"; Reduce = 2 "red";
        /// Not known.
        Scan = 3 "scan";
        /// Source: Ryujinx
        SyncAll = 4 "syncall";
    }

    /// How a barrier joins predicates.
    BarReduction, 2 bits; plain PopCount, others { PopCount = 0 "popc"; And = 1 "and"; Or = 2 "or"; }

    /// The value that B2R reads.
    B2rMode, 2 bits, others { Barrier = 0 "bar"; Result = 1 "result"; Warp = 2 "warp"; }
}

/// A register or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegOrNumber {
    /// A register.
    Reg(Reg),
    /// A number, of at most 13 bits.
    Number(u16),
}

/// A register in one form, a number in another.
impl Part for RegOrNumber {
    type Value = RegOrNumber;
    const BITS: &'static [(u32, u32)] = &[(0, 8), (0, 13)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> RegOrNumber {
        match fields.has(letters[0]) {
            true => RegOrNumber::Reg(Reg(fields.byte(letters[0]))),
            false => RegOrNumber::Number(fields.get(letters[1]) as u16),
        }
    }

    fn write(value: &RegOrNumber, word: &mut Encoder<'_>, letters: &[u8]) {
        match *value {
            RegOrNumber::Reg(reg) if word.has(letters[0]) => word.put(letters[0], reg.0.into()),
            RegOrNumber::Number(number) if !word.has(letters[0]) => word.put(letters[1], number.into()),
            _ => word.reject(letters[0], 0),
        }
    }

    fn print(value: &RegOrNumber, listing: &Listing<'_>, out: &mut String) {
        match value {
            RegOrNumber::Reg(reg) => Reg::print(reg, listing, out),
            RegOrNumber::Number(number) => out.push_str(&format!("{number:#x}")),
        }
    }

    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<RegOrNumber, TextError> {
        if text.rest().starts_with('r') {
            return Reg::parse(text, assembly).map(RegOrNumber::Reg);
        }
        text.number("a number", 0x1FFF).map(|number| RegOrNumber::Number(number as u16))
    }
}

shapes! {
    /// A register of another lane.
    Shuffle {
        modifiers { mode: ShflMode[z] }
        operands {
            dst: Reg[d],
            /// Whether the lane was in its segment.
            pred: Pred[y],
            a: Reg[a],
            /// Lane or distance.
            index: RegOrNumber[b i],
            /// Limit in bits 4:0, segment in bits 12:8.
            mask: RegOrNumber[c j],
        }
    }

    /// A question to all lanes.
    Vote {
        modifiers { mode: VoteMode[z] }
        operands {
            /// The lanes where it is true.
            dst: Reg[d],
            pred: Pred[y], source: PredSource[p],
        }
    }

    /// Not known; without effect.
    VoteVtg {
        operands { mode: u8 = Small[z], value: u32 = Number[i] }
    }

    /// A barrier of the block.
    Barrier {
        modifiers { op: BarOp[z], reduction: BarReduction[y] }
        operands {
            number: RegOrNumber[a k],
            /// Threads; 0 or RZ for all.
            count: RegOrNumber[b l],
            /// The reduction.
            pred: PredSource[p],
        }
    }

    /// Barrier state to a register.
    BarrierToReg {
        modifiers { mode: B2rMode[z] }
        operands { dst: Reg[d], pred: Pred[y], a: Reg[a] }
    }

    /// A register to barrier state.
    RegToBarrier {
        modifiers { mode: B2rMode[z] }
        operands { name: u8 = Small[n], b: Reg[b] }
    }

    /// A wait for scoreboards; without effect here.
    DependencyBarrier {
        flags { le x "le" }
        operands { scoreboard: u8 = Small[z], count: u8 = Small[i], mask: u8 = Small[m] }
    }

    /// Nothing.
    Nothing {
        flags { trigger x "trig" }
        modifiers { test: CcTest[z] }
        operands { value: u32 = Number[i] }
    }

    /// The address of the instruction.
    ProgramCounter {
        operands { dst: Reg[d] }
    }
}
