//! Logic, shifts, bit fields, addresses.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{LogicOp, LogicPred, ShfType};

use super::integer::{add, store};
use crate::maxwell::lane::{Condition, Lane};
use crate::maxwell::program::{Decoder, Op};

/// Stores the result of a logic operation and its predicate.
fn store_logic(lane: &mut Lane, dst: Reg, value: u32, pred: (Pred, LogicPred), chained: bool, cc: bool) {
    let holds = match pred.1 {
        LogicPred::False => false,
        LogicPred::True => true,
        LogicPred::Zero => value == 0,
        LogicPred::NotZero => value != 0,
    };
    let condition = Condition::of(value);
    let zero = condition.zero && (!chained || lane.condition.zero);
    lane.write(dst, value);
    lane.set_pred(pred.0, holds);
    lane.set_condition(cc, Condition { zero, ..condition });
}

/// The distance of a shift, at most `most` or modulo a power of two.
fn distance(value: u32, wrap: bool, most: u32, modulus: u32) -> u32 {
    if wrap { value & (modulus - 1) } else { value.min(most) }
}

/// Position and size of a bit field.
fn field(control: u32) -> (u32, u32) {
    (control & 0xFF, control >> 8 & 0xFF)
}

fn extract(value: u32, control: u32, signed: bool) -> u32 {
    let (position, size) = field(control);
    if size == 0 {
        return 0;
    }
    let end = (position + size).min(32);
    // What is beyond bit 31 is 0, or the sign.
    if position >= 32 {
        return if signed { ((value as i32) >> 31) as u32 } else { 0 };
    }
    let (left, right) = (32 - end, 32 - end + position);
    if signed { ((value << left) as i32 >> right) as u32 } else { value << left >> right }
}

fn insert(value: u32, control: u32, base: u32) -> u32 {
    let (position, size) = field(control);
    if position >= 32 || size == 0 {
        return base;
    }
    let mask = (u32::MAX >> (32 - size.min(32 - position))) << position;
    base & !mask | value << position & mask
}

/// The highest bit that differs from the sign, or is 1.
fn leading(value: u32, signed: bool, from_top: bool) -> u32 {
    let value = if signed && (value as i32) < 0 { !value } else { value };
    match (value, from_top) {
        (0, _) => u32::MAX,
        (value, true) => value.leading_zeros(),
        (value, false) => 31 - value.leading_zeros(),
    }
}

/// Both words of `high:low` by a shift.
fn funnel(i: &FunnelShift, low: u32, high: u32, amount: u32, left: bool) -> u32 {
    let wide = matches!(i.width, ShfType::Unsigned64 | ShfType::Signed64);
    let amount = if wide { distance(amount, i.wrap, 63, 64) } else { distance(amount, i.wrap, 32, 32) };
    let value = u64::from(high) << 32 | u64::from(low);
    let shifted = match (left, i.width) {
        (true, _) => value << amount,
        (false, ShfType::Signed64) => (value as i64 >> amount) as u64,
        (false, _) => value >> amount,
    };
    let upper = left || i.hi;
    (shifted >> if upper { 32 } else { 0 }) as u32
}

impl LogicVisitor for Decoder<'_> {
    type Output = Op;

    fn lop(&mut self, i: LogicTwo) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = lane.logic(Inv { value: Operand::Reg(i.a.value), invert: i.a.invert }, context);
            let b = lane.logic(i.b, context);
            let value = match i.op {
                LogicOp::And => a & b,
                LogicOp::Or => a | b,
                LogicOp::Xor => a ^ b,
                LogicOp::PassB => b,
            };
            store_logic(lane, i.dst, value, (i.pred, i.pred_op), i.x, i.cc);
        })
    }

    fn lop3(&mut self, i: LogicThree) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b, c) = (lane.read(i.a), lane.operand(i.b, context), lane.operand(i.c, context));
            let value = (0..8).filter(|row| i.table >> row & 1 != 0).fold(0, |value, row| {
                let of = |bit: u32, v: u32| if row >> bit & 1 != 0 { v } else { !v };
                value | of(2, a) & of(1, b) & of(0, c)
            });
            store_logic(lane, i.dst, value, (i.pred, i.pred_op), i.x, i.cc);
        })
    }

    fn shl(&mut self, i: ShiftLeft) -> Op {
        self.lane(i.guard, move |lane, context| {
            let amount = distance(lane.operand(i.b, context), i.wrap, 32, 32);
            let value = lane.read(i.a).checked_shl(amount).unwrap_or(0);
            lane.result(i.dst, value, i.cc);
        })
    }

    fn shr(&mut self, i: ShiftRight) -> Op {
        self.lane(i.guard, move |lane, context| {
            let amount = distance(lane.operand(i.b, context), i.wrap, 32, 32);
            let a = lane.read(i.a);
            let a = if i.brev { a.reverse_bits() } else { a };
            let value = match i.signed {
                true => ((a as i32) >> amount.min(31)) as u32,
                false => a.checked_shr(amount).unwrap_or(0),
            };
            lane.result(i.dst, value, i.cc);
        })
    }

    fn shf_l(&mut self, i: FunnelShift) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (low, amount, high) = (lane.read(i.a), lane.operand(i.b, context), lane.operand(i.c, context));
            lane.result(i.dst, funnel(&i, low, high, amount, true), i.cc);
        })
    }

    fn shf_r(&mut self, i: FunnelShift) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (low, amount, high) = (lane.read(i.a), lane.operand(i.b, context), lane.operand(i.c, context));
            lane.result(i.dst, funnel(&i, low, high, amount, false), i.cc);
        })
    }

    fn bfe(&mut self, i: BitFieldExtract) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = lane.read(i.a);
            let a = if i.brev { a.reverse_bits() } else { a };
            lane.result(i.dst, extract(a, lane.operand(i.b, context), i.signed), i.cc);
        })
    }

    fn bfi(&mut self, i: BitFieldInsert) -> Op {
        self.lane(i.guard, move |lane, context| {
            let value = insert(lane.read(i.a), lane.operand(i.b, context), lane.operand(i.c, context));
            lane.result(i.dst, value, i.cc);
        })
    }

    fn flo(&mut self, i: FindLeadingOne) -> Op {
        self.lane(i.guard, move |lane, context| {
            let value = leading(lane.logic(i.b, context), i.signed, i.shift);
            lane.result(i.dst, value, i.cc);
        })
    }

    fn popc(&mut self, i: PopCount) -> Op {
        self.lane(i.guard, move |lane, context| lane.write(i.dst, lane.logic(i.b, context).count_ones()))
    }

    fn lea(&mut self, i: LoadAddress) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = lane.read(i.a.value);
            let shifted = (if i.a.neg { a.wrapping_neg() } else { a }) << (i.shift & 31);
            let b = lane.operand(i.b, context);
            store_address(lane, i.dst, i.pred, shifted, b, (i.x, i.cc));
        })
    }

    fn lea_hi(&mut self, i: LoadAddressHigh) -> Op {
        self.lane(i.guard, move |lane, context| {
            let wide = u64::from(lane.operand(i.c, context)) << 32 | u64::from(lane.read(i.a.value));
            let wide = if i.a.neg { wide.wrapping_neg() } else { wide };
            let shifted = (wide << (i.shift & 31) >> 32) as u32;
            let b = lane.operand(i.b, context);
            store_address(lane, i.dst, i.pred, shifted, b, (i.x, i.cc));
        })
    }
}

/// Stores `shifted + b`, with the carry that came in if `x`.
fn store_address(lane: &mut Lane, dst: Reg, pred: Pred, shifted: u32, b: u32, (x, cc): (bool, bool)) {
    let sum = add(shifted, b, (x && lane.condition.carry).into());
    lane.set_pred(pred, sum.carry);
    store(lane, dst, sum, x, cc);
}
