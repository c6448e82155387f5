//! Video instructions: parts of registers, saturation, a second operation.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::modifiers::{BoolOp, IntCompare};
use crate::tegra::shader::number::Small;
use crate::tegra::shader::operand::{Operand, Pred, PredSource, Reg, parse_operand, print_operand};
use crate::tegra::shader::part::{Part, modifiers, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

modifiers! {
    /// Which part of a register a source is.
    VideoPart, 3 bits; plain Word, others {
        Byte0 = 0 "b0"; Byte1 = 1 "b1"; Byte2 = 2 "b2"; Byte3 = 3 "b3"; Half0 = 4 "h0"; Half1 = 5 "h1";
        Word = 6 "word";
    }

    /// How the result `r` and the third source `c` are combined: MRG puts the lower half or the lowest byte of `r` in a
    /// half or a byte of `c`, ACC adds, NONE leaves `r`.
    SecondaryOp, 3 bits; plain None {
        Merge16High = 0 "mrg_16h"; Merge16Low = 1 "mrg_16l"; Merge8Byte0 = 2 "mrg_8b0"; Merge8Byte2 = 3 "mrg_8b2";
        Add = 4 "acc"; Min = 5 "min"; Max = 6 "max"; None = 7 "none";
    }

    /// The shift of the result of VMAD.
    VideoScale, 2 bits; plain None, others { None = 0 "none"; Shr7 = 1 "shr7"; Shr15 = 2 "shr15"; }
}

/// A source: a register or 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoSrc {
    /// A register or an immediate of 16 bits.
    pub value: Operand,
    /// Which part of the register.
    pub part: VideoPart,
}

/// A register or 16 bits: `b`, part, `i`.
pub(super) struct VideoSecond;

impl Part for VideoSecond {
    type Value = VideoSrc;
    const BITS: &'static [(u32, u32)] = &[(0, 8), (0, 3), (0, 16)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> VideoSrc {
        match fields.has(letters[0]) {
            true => VideoSrc {
                value: Operand::Reg(Reg(fields.byte(letters[0]))),
                part: VideoPart::from_bits(fields.byte(letters[1])),
            },
            false => VideoSrc { value: Operand::Immediate(fields.get(letters[2]) as u32), part: VideoPart::Word },
        }
    }

    fn write(value: &VideoSrc, word: &mut Encoder<'_>, letters: &[u8]) {
        match value.value {
            Operand::Reg(reg) if word.has(letters[0]) => {
                word.put(letters[0], reg.0.into());
                word.put(letters[1], value.part.bits().into());
            }
            Operand::Immediate(number) if !word.has(letters[0]) => word.put(letters[2], number.into()),
            _ => word.reject(letters[0], 0),
        }
    }

    fn print(value: &VideoSrc, listing: &Listing<'_>, out: &mut String) {
        print_operand(value.value, out);
        VideoPart::print(&value.part, listing, out);
    }

    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<VideoSrc, TextError> {
        let value = parse_operand(text)?;
        Ok(VideoSrc { value, part: VideoPart::parse(text, assembly)? })
    }
}

/// A part of a register: `a`, part.
pub(super) struct VideoFirst;

impl Part for VideoFirst {
    type Value = (Reg, VideoPart);
    const BITS: &'static [(u32, u32)] = &[(8, 8), (3, 3)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> (Reg, VideoPart) {
        (Reg(fields.byte(letters[0])), VideoPart::from_bits(fields.byte(letters[1])))
    }

    fn write(value: &(Reg, VideoPart), word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.0.0.into());
        word.put(letters[1], value.1.bits().into());
    }

    fn print(value: &(Reg, VideoPart), listing: &Listing<'_>, out: &mut String) {
        Reg::print(&value.0, listing, out);
        VideoPart::print(&value.1, listing, out);
    }

    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<(Reg, VideoPart), TextError> {
        Ok((Reg::parse(text, assembly)?, VideoPart::parse(text, assembly)?))
    }
}

shapes! {
    /// A sum; with both signs set 1 is added instead.
    VideoAdd {
        flags {
            signed_a m "sa", signed_b l "sb", signed x "sd", sat v "sat",
            /// The second source is negated.
            neg_b n "neg_b",
            /// The first source is negated.
            neg_a k "neg_a",
            cc o "cc",
        }
        modifiers { secondary: SecondaryOp[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// The smaller or the larger one.
    VideoMinMax {
        flags { signed_a m "sa", signed_b l "sb", signed x "sd", sat v "sat", max y "mx", cc o "cc" }
        modifiers { secondary: SecondaryOp[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// A product and an addend; with both signs set 1 is added.
    VideoMad {
        flags {
            signed_a m "sa", signed_b l "sb", sat v "sat",
            /// The product is negated.
            neg_product n "neg",
            neg_c k "neg_c", cc o "cc",
        }
        modifiers { scale: VideoScale[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// A comparison to a register.
    VideoSet {
        flags { signed_a m "sa", signed_b l "sb", cc o "cc" }
        modifiers { compare: IntCompare[y], secondary: SecondaryOp[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// A comparison to predicates.
    VideoSetPred {
        flags { signed_a m "sa", signed_b l "sb" }
        modifiers { compare: IntCompare[z], bop: BoolOp[k] }
        operands {
            dst: Pred[y], dst_not: Pred[q], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i],
            pred: PredSource[p],
        }
    }

    /// A shift.
    VideoShift {
        flags {
            signed_a m "sa", signed x "sd", sat v "sat",
            /// Only five bits of the distance count.
            wrap k "w",
            cc o "cc",
        }
        modifiers { secondary: SecondaryOp[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// The absolute difference.
    VideoAbsDiff {
        flags { signed_a m "sa", signed_b l "sb", signed x "sd", sat v "sat", cc o "cc" }
        modifiers { secondary: SecondaryOp[z] }
        operands { dst: Reg[d], a: (Reg, VideoPart) = VideoFirst[a h], b: VideoSrc = VideoSecond[b j i], c: Reg[c] }
    }

    /// Four absolute differences of bytes.
    VideoAbsDiff4 {
        flags { signed_a m "sa", signed_b l "sb", signed k "sd", sat v "sat", cc o "cc" }
        operands {
            dst: Reg[d], a: Reg[a], b: Reg[b], c: Reg[c],
            /// Selector of the first source's bytes; its codes are not known.
            select_a: u8 = Small[h],
            /// Selector of the second source's bytes; its codes are not known.
            select_b: u8 = Small[j],
            /// Bytes 0 and 1 of the result that count.
            lanes_xy: u8 = Small[x],
            /// Bytes 2 and 3 of the result that count.
            lanes_zw: u8 = Small[y],
            /// The use of the third source: 1 adds the differences to it.
            accumulate: u8 = Small[z],
        }
    }
}
