//! Integer arithmetic.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{AddendPart, IntCompare, SumShift, XmadMode};

use super::{compare_words, join, set_both, truth};
use crate::maxwell::lane::{Condition, Lane};
use crate::maxwell::program::{Decoder, Op};

/// A sum as performed.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) value: u32,
    pub(super) carry: bool,
    pub(super) overflow: bool,
}

/// `a + b + carry`, each up to 32 bits.
pub(super) fn add(a: u32, b: u32, carry: u32) -> Sum {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let value = sum as u32;
    Sum { value, carry: sum >> 32 != 0, overflow: ((a ^ value) & (b ^ value)) >> 31 != 0 }
}

/// `±a ± b`, where a sign is inversion and one more; both signs: 1 more and no inversion. With a carry signs invert.
pub(super) fn add_signed(a: Neg<u32>, b: Neg<u32>, carry: Option<bool>) -> Sum {
    let invert = |source: Neg<u32>| if source.neg { !source.value } else { source.value };
    match (carry, a.neg && b.neg) {
        (Some(carry), _) => add(invert(a), invert(b), carry.into()),
        (None, true) => add(a.value, b.value, 1),
        (None, false) => add(invert(a), invert(b), (a.neg || b.neg).into()),
    }
}

/// The result limited to the signed numbers.
fn saturated(sum: Sum) -> Sum {
    // The sign of a sum that overflowed is the wrong one.
    let limit = if (sum.value as i32) < 0 { i32::MAX } else { i32::MIN };
    Sum { value: if sum.overflow { limit as u32 } else { sum.value }, ..sum }
}

/// Stores a sum; `chained`: zero only if it was before.
pub(super) fn store(lane: &mut Lane, dst: Reg, sum: Sum, chained: bool, cc: bool) {
    let zero = sum.value == 0 && (!chained || lane.condition.zero);
    lane.write(dst, sum.value);
    let sign = (sum.value as i32) < 0;
    lane.set_condition(cc, Condition { zero, sign, carry: sum.carry, overflow: sum.overflow });
}

fn part(part: AddendPart, value: u32) -> u32 {
    match part {
        AddendPart::All | AddendPart::Unknown(_) => value,
        AddendPart::Low => value & 0xFFFF,
        AddendPart::High => value >> 16,
    }
}

fn negate(neg: bool, value: u32) -> u32 {
    if neg { value.wrapping_neg() } else { value }
}

/// A word as number.
fn extend(signed: bool, value: u32) -> i64 {
    if signed { (value as i32).into() } else { value.into() }
}

/// A product of 64 bits, negated if wanted: one half of it.
fn product(a: i64, b: i64, neg: bool, high: bool) -> u32 {
    let product = a.wrapping_mul(b);
    let product = if neg { product.wrapping_neg() } else { product };
    (product >> if high { 32 } else { 0 }) as u32
}

/// A half of a word, extended.
fn half(value: u32, high: bool, signed: bool) -> u32 {
    let half = (value >> if high { 16 } else { 0 }) as u16;
    if signed { half as i16 as u32 } else { half.into() }
}

/// A part of a factor of IMADSP: 0 u32, 1 s32, 2 u24, 3 s24, 4 u16 lower, 5 s16 lower, 6 u16 upper, 7 s16 upper.
fn selected(code: u8, value: u32) -> u32 {
    match code & 7 {
        0 | 1 => value,
        2 => value & 0xFF_FFFF,
        3 => ((value << 8) as i32 >> 8) as u32,
        code => half(value, code & 2 != 0, code & 1 != 0),
    }
}

/// Whether a comparison that goes on from lower words holds.
fn compare_chained(operation: IntCompare, signed: bool, a: u32, b: u32, lower: Condition) -> bool {
    let difference = add(a, !b, lower.carry.into());
    let equal = difference.value == 0 && lower.zero;
    let less = match signed {
        true => ((difference.value as i32) < 0) != difference.overflow,
        false => !difference.carry,
    };
    match operation {
        IntCompare::False => false,
        IntCompare::Less => less,
        IntCompare::Equal => equal,
        IntCompare::LessOrEqual => less || equal,
        IntCompare::Greater => !less && !equal,
        IntCompare::NotEqual => !equal,
        IntCompare::GreaterOrEqual => !less,
        IntCompare::True => true,
    }
}

fn compared(lane: &Lane, operation: IntCompare, signed: bool, chained: bool, a: u32, b: u32) -> bool {
    match chained {
        true => compare_chained(operation, signed, a, b, lane.condition),
        false => compare_words(operation, signed, a, b),
    }
}

impl IntVisitor for Decoder<'_> {
    type Output = Op;

    fn iadd(&mut self, i: IntAdd) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = Neg { value: lane.read(i.a.value), neg: i.a.neg };
            let b = Neg { value: lane.operand(i.b.value, context), neg: i.b.neg };
            let sum = add_signed(a, b, i.x.then_some(lane.condition.carry));
            store(lane, i.dst, if i.sat { saturated(sum) } else { sum }, i.x, i.cc);
        })
    }

    fn iadd3(&mut self, i: IntAdd3) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = negate(i.a.neg, part(i.part_a, lane.read(i.a.value)));
            let b = negate(i.b.neg, part(i.part_b, lane.operand(i.b.value, context)));
            let c = negate(i.c.neg, part(i.part_c, lane.operand(i.c.value, context)));
            // Both carries of the lower words.
            let Condition { carry, overflow, .. } = lane.condition;
            let first = u64::from(a) + u64::from(b) + u64::from(i.x && carry);
            let shifted = match i.shift {
                SumShift::None | SumShift::Unknown(_) => first,
                SumShift::Right => (first & 0x1_FFFF_FFFF) >> 16,
                SumShift::Left => first << 16,
            };
            let sum = add(shifted as u32, c, (i.x && overflow).into());
            store(lane, i.dst, Sum { overflow: first >> 32 != 0, ..sum }, i.x, i.cc);
        })
    }

    fn iscadd(&mut self, i: IntScaledAdd) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = Neg { value: lane.read(i.a.value) << (i.shift & 31), neg: i.a.neg };
            let b = Neg { value: lane.operand(i.b.value, context), neg: i.b.neg };
            store(lane, i.dst, add_signed(a, b, None), false, i.cc);
        })
    }

    fn imad(&mut self, i: IntMad) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = extend(i.signed_a, lane.read(i.a));
            let b = extend(i.signed_b, lane.operand(i.b, context));
            let carry = i.x.then_some(lane.condition.carry);
            let c = Neg { value: lane.operand(i.c.value, context), neg: i.c.neg };
            let product = match i.hi {
                // The upper half is that of the negated product, unless both signs mean one more.
                true if !i.c.neg => Neg { value: product(a, b, i.neg, true), neg: false },
                hi => Neg { value: product(a, b, false, hi), neg: i.neg },
            };
            let sum = add_signed(product, c, carry);
            store(lane, i.dst, if i.sat { saturated(sum) } else { sum }, i.x, i.cc);
        })
    }

    fn imadsp(&mut self, i: IntMadParts) -> Op {
        let select_c = i.select_c_high << 1 | i.select_a & 1;
        self.lane(i.guard, move |lane, context| {
            let a = selected(i.select_a, lane.read(i.a));
            // The codes of the second factor begin with 24 bits.
            let b = selected(i.select_b + 2, lane.operand(i.b, context));
            let c = selected(select_c, lane.operand(i.c, context));
            lane.write(i.dst, a.wrapping_mul(b).wrapping_add(c));
        })
    }

    fn imul(&mut self, i: IntMul) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = extend(i.signed_a, lane.read(i.a));
            let b = extend(i.signed_b, lane.operand(i.b, context));
            lane.result(i.dst, product(a, b, false, i.hi), i.cc);
        })
    }

    fn xmad(&mut self, i: IntXmad) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (whole_b, c) = (lane.operand(i.b, context), lane.operand(i.c, context));
            let a = half(lane.read(i.a), i.high_a, i.signed_a);
            let b = half(whole_b, i.high_b, i.signed_b);
            let product = a.wrapping_mul(b) << if i.psl { 16 } else { 0 };
            let addend = match i.mode {
                XmadMode::Full | XmadMode::Unknown(_) => c,
                XmadMode::Low => c & 0xFFFF,
                XmadMode::High => c >> 16,
                XmadMode::Csfu => c.wrapping_sub((a >> 31) << 16).wrapping_sub((b >> 31) << 16),
                XmadMode::Cbcc => c.wrapping_add(whole_b << 16),
            };
            let sum = add(product, addend, (i.x && lane.condition.carry).into());
            let value = if i.mrg { sum.value & 0xFFFF | whole_b << 16 } else { sum.value };
            store(lane, i.dst, Sum { value, ..sum }, i.x, i.cc);
        })
    }

    fn imnmx(&mut self, i: IntMinMax) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (lane.read(i.a), lane.operand(i.b, context));
            let a_less = compare_words(IntCompare::Less, i.signed, a, b);
            let value = if a_less == lane.pred(i.pred) { a } else { b };
            lane.result(i.dst, value, i.cc);
        })
    }

    fn iset(&mut self, i: IntSet) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (lane.read(i.a), lane.operand(i.b, context));
            let compared = compared(lane, i.compare, i.signed, i.x, a, b);
            let value = truth(join(i.bop, compared, lane.pred(i.pred)), i.bf);
            lane.result(i.dst, value, i.cc);
        })
    }

    fn isetp(&mut self, i: IntSetPred) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (lane.read(i.a), lane.operand(i.b, context));
            let compared = compared(lane, i.compare, i.signed, i.x, a, b);
            set_both(lane, i.dst, i.dst_not, compared, i.bop, i.pred);
        })
    }

    fn icmp(&mut self, i: IntSelect) -> Op {
        self.lane(i.guard, move |lane, context| {
            let first = compare_words(i.compare, i.signed, lane.operand(i.c, context), 0);
            lane.write(i.dst, if first { lane.read(i.a) } else { lane.operand(i.b, context) });
        })
    }
}
