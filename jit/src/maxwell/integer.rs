//! Integer arithmetic.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{AddendPart, IntCompare, SumShift, XmadMode};

use super::{Done, LaneMask, LaneValue, Loc, Lower};
use crate::lane::{Emit, I32x4, Mask};

/// Carry into an addition.
#[derive(Clone, Copy)]
pub(super) enum Carry {
    None,
    One,
    /// The flag C.
    Flag,
    /// The flag O, which IADD3 has as another carry.
    Overflow,
}

/// A sum with its carry and overflow.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub value: I32x4,
    /// In the sign bit: carry and overflow.
    carry: I32x4,
    overflow: I32x4,
}

impl Lower<'_, '_> {
    /// `a + b + carry`
    pub(super) fn sum(&mut self, a: I32x4, b: I32x4, carry: Carry) -> Sum {
        let flag = match carry {
            Carry::Flag => Some(self.mask(Loc::Cc(2))),
            Carry::Overflow => Some(self.mask(Loc::Cc(3))),
            Carry::None | Carry::One => None,
        };
        let e = self.e();
        let mut value = e.iadd(a, b);
        match (carry, flag) {
            (_, Some(flag)) => value = e.isub(value, I32x4(flag.0)),
            (Carry::One, _) => {
                let one = e.i(1);
                value = e.iadd(value, one);
            }
            _ => {}
        }
        let (both, either) = (e.iand(a, b), e.ior(a, b));
        let lost = I32x4(e.b.ins().band_not(either.0, value.0));
        let carry = e.ior(both, lost);
        let (x, y) = (e.ixor(a, value), e.ixor(b, value));
        Sum { value, carry, overflow: e.iand(x, y) }
    }

    /// Z and S of an integer.
    pub(super) fn zero_and_sign(&mut self, value: I32x4) -> [Mask; 2] {
        let e = self.e();
        let zero = e.i(0);
        [e.ieq(value, zero), Mask(e.ishr(value, 31).0)]
    }

    /// The condition code of a result without carry.
    pub(super) fn int_condition(&mut self, value: I32x4) {
        let flags = self.zero_and_sign(value);
        self.set_condition(flags);
    }

    /// A result without carry, of which the condition code is told if `cc` says so.
    pub(super) fn set_int_cc(&mut self, dst: Reg, value: I32x4, cc: bool) -> Done {
        if cc {
            self.int_condition(value);
        }
        self.set_int(dst, value);
        Ok(())
    }

    /// The condition code of an addition; `chained` continues that of the lower words.
    pub(super) fn sum_condition(&mut self, value: I32x4, sum: Sum, chained: bool) {
        let [mut z, s] = self.zero_and_sign(value);
        if chained {
            let old = self.mask(Loc::Cc(0));
            z = self.e().and(z, old);
        }
        let e = self.e();
        let (c, o) = (e.ishr(sum.carry, 31), e.ishr(sum.overflow, 31));
        for (flag, value) in [I32x4(z.0), I32x4(s.0), c, o].into_iter().enumerate() {
            self.set(Loc::Cc(flag as u8), LaneValue::int(value));
        }
    }

    /// The sum, or on overflow the limit of the lost sign.
    fn saturate(&mut self, sum: Sum) -> I32x4 {
        let e = self.e();
        let over = Mask(e.ishr(sum.overflow, 31).0);
        let (sign, low) = (e.ishr(sum.value, 31), e.i(i32::MIN));
        let limit = e.ixor(sign, low);
        e.iselect(over, limit, sum.value)
    }

    /// The carry as a mask.
    pub(super) fn carry_mask(&mut self, sum: Sum) -> Mask {
        Mask(self.e().ishr(sum.carry, 31).0)
    }

    fn inot(&mut self, value: I32x4) -> I32x4 {
        I32x4(self.e().b.ins().bnot(value.0))
    }

    pub(super) fn ineg(&mut self, value: I32x4) -> I32x4 {
        let e = self.e();
        let zero = e.i(0);
        e.isub(zero, value)
    }

    /// A sum of signed sources: both signs add 1.
    pub(super) fn signed_sum(&mut self, (a, neg_a): (I32x4, bool), (b, neg_b): (I32x4, bool), x: bool) -> Sum {
        let carry = match (neg_a, neg_b, x) {
            (_, _, true) => Carry::Flag,
            (false, false, false) => Carry::None,
            _ => Carry::One,
        };
        let inverts = x || neg_a != neg_b;
        let a = if inverts && neg_a { self.inot(a) } else { a };
        let b = if inverts && neg_b { self.inot(b) } else { b };
        self.sum(a, b, carry)
    }

    /// Applies a scalar function to each lane.
    pub(super) fn lanewise<const N: usize>(
        &mut self,
        sources: [I32x4; N],
        mut f: impl FnMut(&mut Emit<'_>, [Value; N]) -> Value,
    ) -> I32x4 {
        let e = self.e();
        let mut result = None;
        for lane in 0..4u8 {
            let scalars = sources.map(|source| e.lane(source, lane));
            let value = f(e, scalars);
            result = Some(match result {
                None => e.b.ins().scalar_to_vector(cranelift_codegen::ir::types::I32X4, value),
                Some(vector) => e.b.ins().insertlane(vector, value, lane),
            });
        }
        result.map_or_else(|| self.e().i(0), I32x4)
    }

    /// The upper words of products.
    fn product_high(&mut self, a: I32x4, b: I32x4, signed: [bool; 2], neg: bool) -> I32x4 {
        if let ([first, second], false) = (signed, neg)
            && first == second
        {
            return self.e().imul_high(a, b, first);
        }
        self.lanewise([a, b], |e, lanes| {
            let mut wide = [lanes[0]; 2];
            for (n, wide) in wide.iter_mut().enumerate() {
                *wide = if signed[n] { e.b.ins().sextend(I64, lanes[n]) } else { e.b.ins().uextend(I64, lanes[n]) };
            }
            let product = e.b.ins().imul(wide[0], wide[1]);
            let product = if neg { e.b.ins().ineg(product) } else { product };
            let high = e.b.ins().ushr_imm_u(product, 32);
            e.b.ins().ireduce(I32, high)
        })
    }

    /// The lower or upper half of a register, extended.
    pub(super) fn half(&mut self, value: I32x4, high: bool, signed: bool) -> I32x4 {
        let e = self.e();
        match (high, signed) {
            (true, true) => e.ishr(value, 16),
            (true, false) => e.ushr(value, 16),
            (false, true) => {
                let up = e.ishl(value, 16);
                e.ishr(up, 16)
            }
            (false, false) => {
                let low = e.i(0xFFFF);
                e.iand(value, low)
            }
        }
    }

    /// `a cmp b`
    pub(super) fn int_compare(&mut self, how: IntCompare, a: I32x4, b: I32x4, signed: bool) -> Mask {
        let e = self.e();
        let code = match (how, signed) {
            (IntCompare::False, _) => return Mask(e.i(0).0),
            (IntCompare::True, _) => return Mask(e.i(-1).0),
            (IntCompare::Equal, _) => IntCC::Equal,
            (IntCompare::NotEqual, _) => IntCC::NotEqual,
            (IntCompare::Less, true) => return Mask(e.b.ins().icmp(IntCC::SignedGreaterThan, b.0, a.0)),
            (IntCompare::Greater, true) => IntCC::SignedGreaterThan,
            (IntCompare::LessOrEqual, true) => IntCC::SignedLessThanOrEqual,
            (IntCompare::GreaterOrEqual, true) => IntCC::SignedGreaterThanOrEqual,
            (IntCompare::Less, false) => IntCC::UnsignedLessThan,
            (IntCompare::Greater, false) => IntCC::UnsignedGreaterThan,
            (IntCompare::LessOrEqual, false) => IntCC::UnsignedLessThanOrEqual,
            (IntCompare::GreaterOrEqual, false) => IntCC::UnsignedGreaterThanOrEqual,
        };
        Mask(e.b.ins().icmp(code, a.0, b.0))
    }

    /// A comparison that continues one of lower words.
    fn chained_compare(&mut self, how: IntCompare, a: I32x4, b: I32x4, signed: bool) -> Mask {
        if matches!(how, IntCompare::False | IntCompare::True) {
            return self.int_compare(how, a, b, signed);
        }
        let inverted = self.inot(b);
        let sum = self.sum(a, inverted, Carry::Flag);
        // In the sign bit: whether A is less. Unsigned, that is where no carry is.
        let e = self.e();
        let less = if signed { e.ixor(sum.value, sum.overflow) } else { I32x4(e.b.ins().bnot(sum.carry.0)) };
        let less = Mask(e.ishr(less, 31).0);
        let zero = e.i(0);
        let no_rest = e.ieq(sum.value, zero);
        let lower = self.mask(Loc::Cc(0));
        let e = self.e();
        let equal = e.and(no_rest, lower);
        match how {
            IntCompare::Less => less,
            IntCompare::GreaterOrEqual => e.not(less),
            IntCompare::Equal => equal,
            IntCompare::NotEqual => e.not(equal),
            IntCompare::Greater => {
                let at_most = e.or(less, equal);
                e.not(at_most)
            }
            _ => e.or(less, equal),
        }
    }

    fn compare(&mut self, how: IntCompare, a: I32x4, b: I32x4, signed: bool, x: bool) -> Mask {
        if x { self.chained_compare(how, a, b, signed) } else { self.int_compare(how, a, b, signed) }
    }

    fn addend(&mut self, value: I32x4, part: AddendPart, neg: bool) -> I32x4 {
        let value = match part {
            AddendPart::All | AddendPart::Unknown(_) => value,
            AddendPart::Low => self.half(value, false, false),
            AddendPart::High => self.half(value, true, false),
        };
        if neg { self.ineg(value) } else { value }
    }
}

impl Lower<'_, '_> {
    /// The result of a sum; the condition code gets it, too, if there is one: of an extended sum or of another.
    fn set_sum(&mut self, dst: Reg, sum: Sum, saturated: bool, condition: Option<bool>) -> Done {
        let value = if saturated { self.saturate(sum) } else { sum.value };
        if let Some(extended) = condition {
            self.sum_condition(value, sum, extended);
        }
        self.set_int(dst, value);
        Ok(())
    }
}

impl IntVisitor for Lower<'_, '_> {
    type Output = Done;

    fn iadd(&mut self, i: IntAdd) -> Done {
        let (a, b) = (self.reg_int(i.a.value), self.operand_int(i.b.value));
        let sum = self.signed_sum((a, i.a.neg), (b, i.b.neg), i.x);
        self.set_sum(i.dst, sum, i.sat, i.cc.then_some(i.x))
    }

    fn iadd3(&mut self, i: IntAdd3) -> Done {
        let (a, b, c) = (self.reg_int(i.a.value), self.operand_int(i.b.value), self.operand_int(i.c.value));
        let a = self.addend(a, i.part_a, i.a.neg);
        let b = self.addend(b, i.part_b, i.b.neg);
        let c = self.addend(c, i.part_c, i.c.neg);
        let [first_carry, last_carry] = if i.x { [Carry::Flag, Carry::Overflow] } else { [Carry::None; 2] };
        let first = self.sum(a, b, first_carry);
        let e = self.e();
        let shifted = match i.shift {
            SumShift::None | SumShift::Unknown(_) => first.value,
            SumShift::Left => e.ishl(first.value, 16),
            SumShift::Right => {
                let (low, carry) = (e.ushr(first.value, 16), e.ushr(first.carry, 31));
                let high = e.ishl(carry, 16);
                e.ior(low, high)
            }
        };
        let last = self.sum(shifted, c, last_carry);
        if i.cc {
            self.sum_condition(last.value, Sum { overflow: first.carry, ..last }, i.x);
        }
        self.set_int(i.dst, last.value);
        Ok(())
    }

    fn iscadd(&mut self, i: IntScaledAdd) -> Done {
        let (a, b) = (self.reg_int(i.a.value), self.operand_int(i.b.value));
        let shifted = self.e().ishl(a, i.shift.into());
        let sum = self.signed_sum((shifted, i.a.neg), (b, i.b.neg), false);
        self.set_sum(i.dst, sum, false, i.cc.then_some(false))
    }

    fn imad(&mut self, i: IntMad) -> Done {
        let (a, b, c) = (self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c.value));
        let signed = [i.signed_a, i.signed_b];
        // A negated lower half is inverted like a source; an upper half is that of the negated product.
        let (product, inverted) = match i.hi {
            false => (self.e().imul(a, b), i.neg),
            true if i.c.neg => (self.product_high(a, b, signed, false), i.neg),
            true => (self.product_high(a, b, signed, i.neg), false),
        };
        let sum = self.signed_sum((product, inverted), (c, i.c.neg), i.x);
        self.set_sum(i.dst, sum, i.sat, i.cc.then_some(i.x))
    }

    fn imadsp(&mut self, i: IntMadParts) -> Done {
        let (a, b, c) = (self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c));
        let a = self.selected(a, i.select_a);
        let b = self.selected(b, i.select_b + 2);
        let c = self.selected(c, i.select_c_high << 1 | i.select_a & 1);
        let e = self.e();
        let product = e.imul(a, b);
        let value = e.iadd(product, c);
        self.set_int(i.dst, value);
        Ok(())
    }

    fn imul(&mut self, i: IntMul) -> Done {
        let (a, b) = (self.reg_int(i.a), self.operand_int(i.b));
        let value = if i.hi { self.product_high(a, b, [i.signed_a, i.signed_b], false) } else { self.e().imul(a, b) };
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn xmad(&mut self, i: IntXmad) -> Done {
        let (a, b, c) = (self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c));
        let (first, second) = (self.half(a, i.high_a, i.signed_a), self.half(b, i.high_b, i.signed_b));
        let e = self.e();
        let mut product = e.imul(first, second);
        if i.psl {
            product = e.ishl(product, 16);
        }
        let addend = match i.mode {
            XmadMode::Full | XmadMode::Unknown(_) => c,
            XmadMode::Low => self.half(c, false, false),
            XmadMode::High => self.half(c, true, false),
            XmadMode::Csfu => {
                let mut addend = c;
                for factor in [first, second] {
                    // -1 for negative ones.
                    let sign = e.ishr(factor, 31);
                    let sign = e.ishl(sign, 16);
                    addend = e.iadd(addend, sign);
                }
                addend
            }
            XmadMode::Cbcc => {
                let up = e.ishl(b, 16);
                e.iadd(c, up)
            }
        };
        let sum = self.sum(product, addend, if i.x { Carry::Flag } else { Carry::None });
        let mut value = sum.value;
        if i.mrg {
            let low = self.half(value, false, false);
            let e = self.e();
            let high = e.ishl(b, 16);
            value = e.ior(low, high);
        }
        if i.cc {
            self.sum_condition(value, sum, i.x);
        }
        self.set_int(i.dst, value);
        Ok(())
    }

    fn imnmx(&mut self, i: IntMinMax) -> Done {
        let (a, b) = (self.reg_int(i.a), self.operand_int(i.b));
        let which = self.predicate(i.pred);
        let e = self.e();
        let mut bounds = || match i.signed {
            true => [e.imin(a, b), e.imax(a, b)],
            false => [e.umin(a, b), e.imax_unsigned(a, b)],
        };
        let value = match which {
            LaneMask::All => bounds()[0],
            LaneMask::Empty => bounds()[1],
            LaneMask::Lanes(mask) => {
                let [low, high] = bounds();
                e.iselect(mask, low, high)
            }
        };
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn iset(&mut self, i: IntSet) -> Done {
        let (a, b) = (self.reg_int(i.a), self.operand_int(i.b));
        let mask = self.compare(i.compare, a, b, i.signed, i.x);
        let mask = self.join(i.bop, mask, i.pred);
        self.set_truth(i.dst, mask, i.bf, i.cc);
        Ok(())
    }

    fn isetp(&mut self, i: IntSetPred) -> Done {
        let truth = self.reg(i.a).known_truth().filter(|_| Self::known(i.b) == Some(0) && !i.x);
        let mask = match (truth, i.compare) {
            (Some(truth), IntCompare::NotEqual) => truth,
            (Some(truth), IntCompare::Equal) => self.e().not(truth),
            _ => {
                let (a, b) = (self.reg_int(i.a), self.operand_int(i.b));
                self.compare(i.compare, a, b, i.signed, i.x)
            }
        };
        self.set_predicates((i.dst, i.dst_not), mask, i.bop, i.pred)
    }

    fn icmp(&mut self, i: IntSelect) -> Done {
        let (mut a, mut b, c) = (self.reg(i.a), self.operand(i.b), self.operand(i.c));
        let mask = match (c.known_truth(), i.compare) {
            (Some(truth), IntCompare::NotEqual) => truth,
            (Some(truth), IntCompare::Equal) => {
                (a, b) = (b, a);
                truth
            }
            (_, compare) => {
                let (c, zero) = (self.value_int(c), self.e().i(0));
                // Equality alone is one operation.
                let compare = if compare == IntCompare::NotEqual {
                    (a, b) = (b, a);
                    IntCompare::Equal
                } else {
                    compare
                };
                self.int_compare(compare, c, zero, i.signed)
            }
        };
        let value = self.merge(mask, a, b);
        self.set_reg(i.dst, value);
        Ok(())
    }
}

impl Lower<'_, '_> {
    /// A source operand of IMADSP: u32, s32, u24, s24, lower and upper half.
    fn selected(&mut self, value: I32x4, code: u8) -> I32x4 {
        match code & 7 {
            0 | 1 => value,
            2 => {
                let e = self.e();
                let low = e.i(0xFF_FFFF);
                e.iand(value, low)
            }
            3 => {
                let e = self.e();
                let up = e.ishl(value, 8);
                e.ishr(up, 8)
            }
            code => self.half(value, code >= 6, code & 1 != 0),
        }
    }
}
