//! Video instructions: parts of registers, saturation, a second operation.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::IntCompare;

use super::{compare, compare_words, set_both};
use crate::maxwell::context::Context;
use crate::maxwell::lane::Lane;
use crate::maxwell::program::{Decoder, Op};

/// A part of a word, extended.
fn part(value: u32, part: VideoPart, signed: bool) -> i64 {
    let (shift, bits) = match part {
        VideoPart::Byte0 => (0, 8),
        VideoPart::Byte1 => (8, 8),
        VideoPart::Byte2 => (16, 8),
        VideoPart::Byte3 => (24, 8),
        VideoPart::Half0 => (0, 16),
        VideoPart::Half1 => (16, 16),
        VideoPart::Word | VideoPart::Unknown(_) => (0, 32),
    };
    let unused = 64 - bits;
    let placed = u64::from(value >> shift) << unused;
    if signed { placed as i64 >> unused } else { (placed >> unused) as i64 }
}

fn first(lane: &Lane, (reg, selected): (Reg, VideoPart), signed: bool) -> i64 {
    part(lane.read(reg), selected, signed)
}

/// An immediate has 16 bits.
fn second(lane: &Lane, b: VideoSrc, signed: bool, context: &Context<'_>) -> i64 {
    let selected = if matches!(b.value, Operand::Immediate(_)) { VideoPart::Half0 } else { b.part };
    part(lane.operand(b.value, context), selected, signed)
}

/// The word of a result, limited if wanted.
fn word(value: i128, signed: bool, sat: bool) -> u32 {
    match (sat, signed) {
        (false, _) => value as u32,
        (true, true) => value.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
        (true, false) => value.clamp(0, u32::MAX.into()) as u32,
    }
}

/// The second operation.
fn join(op: SecondaryOp, r: u32, c: u32, signed: bool) -> u32 {
    match op {
        SecondaryOp::Merge16High => c & 0xFFFF | r << 16,
        SecondaryOp::Merge16Low => c & 0xFFFF_0000 | r & 0xFFFF,
        SecondaryOp::Merge8Byte0 => c & 0xFFFF_FF00 | r & 0xFF,
        SecondaryOp::Merge8Byte2 => c & 0xFF00_FFFF | (r & 0xFF) << 16,
        SecondaryOp::Add => r.wrapping_add(c),
        SecondaryOp::Min => {
            if compare_words(IntCompare::Less, signed, r, c) {
                r
            } else {
                c
            }
        }
        SecondaryOp::Max => {
            if compare_words(IntCompare::Less, signed, r, c) {
                c
            } else {
                r
            }
        }
        SecondaryOp::None => r,
    }
}

impl Decoder<'_> {
    fn shift(&self, i: VideoShift, left: bool) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = i128::from(first(lane, i.a, i.signed_a));
            let amount = second(lane, i.b, false, context);
            let amount = if i.wrap { amount & 31 } else { amount.min(32) };
            let value = word(if left { a << amount } else { a >> amount }, i.signed, i.sat);
            lane.result(i.dst, join(i.secondary, value, lane.read(i.c), i.signed), i.cc);
        })
    }
}

impl VideoVisitor for Decoder<'_> {
    type Output = Op;

    fn vadd(&mut self, i: VideoAdd) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            let sum = match (i.neg_a, i.neg_b) {
                (false, false) => a + b,
                (true, false) => b - a,
                (false, true) => a - b,
                (true, true) => a + b + 1,
            };
            let value = word(sum.into(), i.signed, i.sat);
            lane.result(i.dst, join(i.secondary, value, lane.read(i.c), i.signed), i.cc);
        })
    }

    fn vmnmx(&mut self, i: VideoMinMax) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            let chosen = if i.max { a.max(b) } else { a.min(b) };
            let value = word(chosen.into(), i.signed, i.sat);
            lane.result(i.dst, join(i.secondary, value, lane.read(i.c), i.signed), i.cc);
        })
    }

    fn vmad(&mut self, i: VideoMad) -> Op {
        let signed = i.signed_a || i.signed_b;
        let shift = match i.scale {
            VideoScale::None | VideoScale::Unknown(_) => 0,
            VideoScale::Shr7 => 7,
            VideoScale::Shr15 => 15,
        };
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            let (product, c) =
                (i128::from(a) * i128::from(b), i128::from(part(lane.read(i.c), VideoPart::Word, signed)));
            let sum = match (i.neg_product, i.neg_c) {
                (false, false) => product + c,
                (true, false) => c - product,
                (false, true) => product - c,
                (true, true) => product + c + 1,
            };
            lane.result(i.dst, word(sum >> shift, signed, i.sat), i.cc);
        })
    }

    fn vset(&mut self, i: VideoSet) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            let value = compare(i.compare, a, b).into();
            lane.result(i.dst, join(i.secondary, value, lane.read(i.c), false), i.cc);
        })
    }

    fn vsetp(&mut self, i: VideoSetPred) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            set_both(lane, i.dst, i.dst_not, compare(i.compare, a, b), i.bop, i.pred);
        })
    }

    fn vshl(&mut self, i: VideoShift) -> Op {
        self.shift(i, true)
    }

    fn vshr(&mut self, i: VideoShift) -> Op {
        self.shift(i, false)
    }

    fn vabsdiff(&mut self, i: VideoAbsDiff) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (first(lane, i.a, i.signed_a), second(lane, i.b, i.signed_b, context));
            let value = word((a - b).abs().into(), i.signed, i.sat);
            lane.result(i.dst, join(i.secondary, value, lane.read(i.c), i.signed), i.cc);
        })
    }

    fn vabsdiff4(&mut self, _: VideoAbsDiff4) -> Op {
        self.nothing()
    }
}
