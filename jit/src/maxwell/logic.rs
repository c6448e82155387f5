//! Logic, shifts, bit fields, addresses.

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{LogicOp, LogicPred, ShfType};

use super::integer::Carry;
use super::{Done, Loc, Lower};
use crate::lane::{Emit, I32x4, Mask};

impl Lower<'_, '_> {
    fn inverted(&mut self, value: I32x4, invert: bool) -> I32x4 {
        if invert { I32x4(self.e().b.ins().bnot(value.0)) } else { value }
    }

    /// Register, predicate and condition code of a logic operation.
    fn logic_result(&mut self, dst: Reg, value: I32x4, (pred, op): (Pred, LogicPred), cc: bool, x: bool) {
        if pred != Pred::PT {
            let e = self.e();
            let zero = e.i(0);
            let mask = match op {
                LogicPred::False => Mask(e.i(0).0),
                LogicPred::True => Mask(e.i(-1).0),
                LogicPred::Zero => e.ieq(value, zero),
                LogicPred::NotZero => {
                    let zero = e.ieq(value, zero);
                    e.not(zero)
                }
            };
            self.set_predicate(pred, mask);
        }
        if cc {
            let [mut z, s] = self.zero_and_sign(value);
            if x {
                let old = self.mask(Loc::Cc(0));
                z = self.e().and(z, old);
            }
            self.set_condition([z, s]);
        }
        self.set_int(dst, value);
    }

    /// The bits in the opposite order.
    fn reversed(&mut self, value: I32x4) -> I32x4 {
        let e = self.e();
        let mut value = e.swap_bytes(value, 4);
        for (distance, mask) in [(4, 0x0F0F_0F0F), (2, 0x3333_3333), (1, 0x5555_5555)] {
            let mask = e.i(mask);
            let (low, high) = (e.iand(value, mask), e.ushr(value, distance));
            let (low, high) = (e.ishl(low, distance), e.iand(high, mask));
            value = e.ior(low, high);
        }
        value
    }

    fn count_down(&mut self, value: I32x4) -> I32x4 {
        self.lanewise([value], |e, [lane]| e.b.ins().clz(lane))
    }

    /// `op` by distances of 0 to 31, and another result for larger ones.
    fn shifted(
        &mut self,
        a: I32x4,
        b: Operand,
        wrap: bool,
        constant: impl FnOnce(&mut Emit<'_>, I32x4, u32) -> I32x4,
        scalar: impl FnMut(&mut Emit<'_>, [Value; 2]) -> Value,
        beyond: impl FnOnce(&mut Emit<'_>, I32x4) -> I32x4,
    ) -> I32x4 {
        if let Some(distance) = Self::known(b) {
            let e = self.e();
            return match distance {
                0..=31 => constant(e, a, distance),
                _ if wrap => constant(e, a, distance & 31),
                _ => beyond(e, a),
            };
        }
        let b = self.operand_int(b);
        let value = self.lanewise([a, b], scalar);
        if wrap {
            return value;
        }
        let e = self.e();
        let (high, zero) = (e.ushr(b, 5), e.i(0));
        let inside = e.ieq(high, zero);
        let other = beyond(e, a);
        e.iselect(inside, value, other)
    }
}

/// A function of two operands by its truth table, bit `b << 1 | c`.
fn two(e: &mut Emit<'_>, table: u8, b: I32x4, c: I32x4) -> I32x4 {
    let not = |e: &mut Emit<'_>, v: I32x4| I32x4(e.b.ins().bnot(v.0));
    let and_not = |e: &mut Emit<'_>, a: I32x4, b: I32x4| I32x4(e.b.ins().band_not(a.0, b.0));
    match table & 15 {
        0b0000 => e.i(0),
        0b1111 => e.i(-1),
        0b1100 => b,
        0b1010 => c,
        0b1000 => e.iand(b, c),
        0b1110 => e.ior(b, c),
        0b0110 => e.ixor(b, c),
        0b0100 => and_not(e, b, c),
        0b0010 => and_not(e, c, b),
        inverse => {
            let value = two(e, !inverse, b, c);
            not(e, value)
        }
    }
}

/// A function of three operands by its truth table, bit `a << 2 | b << 1 | c`.
fn three(e: &mut Emit<'_>, table: u8, [a, b, c]: [I32x4; 3]) -> I32x4 {
    let (high, low) = (table >> 4, table & 15);
    match (high, low) {
        _ if high == low => two(e, low, b, c),
        _ if high == !low & 15 => {
            let value = two(e, low, b, c);
            e.ixor(a, value)
        }
        (_, 0) => {
            let value = two(e, high, b, c);
            e.iand(a, value)
        }
        (15, _) => {
            let value = two(e, low, b, c);
            e.ior(a, value)
        }
        (0, _) => {
            let value = two(e, low, b, c);
            I32x4(e.b.ins().band_not(value.0, a.0))
        }
        _ => {
            let (yes, no) = (two(e, high, b, c), two(e, low, b, c));
            I32x4(e.b.ins().bitselect(a.0, yes.0, no.0))
        }
    }
}

/// A scalar limited to `most`, which is at most 63.
fn at_most(e: &mut Emit<'_>, value: Value, most: i64) -> Value {
    let most = e.b.ins().iconst(I64, most);
    e.b.ins().umin(value, most)
}

/// `(1 << min(length, 32)) - 1` of a 64-bit scalar.
fn ones(e: &mut Emit<'_>, length: Value) -> Value {
    let length = at_most(e, length, 32);
    let one = e.i64(1);
    let bit = e.b.ins().ishl(one, length);
    e.b.ins().iadd_imm_s(bit, -1)
}

/// Position and length of a field, as 64-bit scalars; the position at most 63.
fn field(e: &mut Emit<'_>, control: Value) -> (Value, Value) {
    let control = e.b.ins().uextend(I64, control);
    let pos = e.b.ins().band_imm_u(control, 0xFF);
    let length = e.b.ins().ushr_imm_u(control, 8);
    let length = e.b.ins().band_imm_u(length, 0xFF);
    (at_most(e, pos, 63), length)
}

impl LogicVisitor for Lower<'_, '_> {
    type Output = Done;

    fn lop(&mut self, i: LogicTwo) -> Done {
        let (a, b) = (self.reg_int(i.a.value), self.operand_int(i.b.value));
        let b = self.inverted(b, i.b.invert);
        let value = match i.op {
            LogicOp::PassB => b,
            op => {
                let a = self.inverted(a, i.a.invert);
                let e = self.e();
                match op {
                    LogicOp::And => e.iand(a, b),
                    LogicOp::Or => e.ior(a, b),
                    _ => e.ixor(a, b),
                }
            }
        };
        self.logic_result(i.dst, value, (i.pred, i.pred_op), i.cc, i.x);
        Ok(())
    }

    fn lop3(&mut self, i: LogicThree) -> Done {
        let sources = [self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c)];
        let value = three(self.e(), i.table, sources);
        self.logic_result(i.dst, value, (i.pred, i.pred_op), i.cc, i.x);
        Ok(())
    }

    fn shl(&mut self, i: ShiftLeft) -> Done {
        let a = self.reg_int(i.a);
        let value =
            self.shifted(a, i.b, i.wrap, |e, a, n| e.ishl(a, n), |e, [a, n]| e.b.ins().ishl(a, n), |e, _| e.i(0));
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn shr(&mut self, i: ShiftRight) -> Done {
        let mut a = self.reg_int(i.a);
        if i.brev {
            a = self.reversed(a);
        }
        let signed = i.signed;
        let value = self.shifted(
            a,
            i.b,
            i.wrap,
            |e, a, n| if signed { e.ishr(a, n) } else { e.ushr(a, n) },
            |e, [a, n]| if signed { e.b.ins().sshr(a, n) } else { e.b.ins().ushr(a, n) },
            |e, a| if signed { e.ishr(a, 31) } else { e.i(0) },
        );
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn shf_l(&mut self, i: FunnelShift) -> Done {
        self.funnel(i, |e, wide, distance| {
            let shifted = e.b.ins().ishl(wide, distance);
            e.b.ins().ushr_imm_u(shifted, 32)
        })
    }

    fn shf_r(&mut self, i: FunnelShift) -> Done {
        self.funnel(i, |e, wide, distance| {
            let shifted = match i.width {
                ShfType::Signed64 => e.b.ins().sshr(wide, distance),
                _ => e.b.ins().ushr(wide, distance),
            };
            if i.hi { e.b.ins().ushr_imm_u(shifted, 32) } else { shifted }
        })
    }

    fn bfe(&mut self, i: BitFieldExtract) -> Done {
        let mut a = self.reg_int(i.a);
        if i.brev {
            a = self.reversed(a);
        }
        let value = match Self::known(i.b) {
            Some(control) => {
                let (pos, length) = (control & 0xFF, control >> 8 & 0xFF);
                let e = self.e();
                match (length, i.signed) {
                    (0, _) => e.i(0),
                    (_, false) if pos > 31 => e.i(0),
                    (_, true) if pos > 31 => e.ishr(a, 31),
                    (_, signed) => {
                        // Shift left so that the field's end is at the top, then right.
                        let up = 32u32.saturating_sub(pos + length);
                        let raised = if up > 0 { e.ishl(a, up) } else { a };
                        let down = pos + up;
                        match (down, signed) {
                            (0, _) => raised,
                            (_, true) => e.ishr(raised, down),
                            (_, false) => e.ushr(raised, down),
                        }
                    }
                }
            }
            None => {
                let b = self.operand_int(i.b);
                self.lanewise([a, b], |e, [a, control]| {
                    let (pos, length) = field(e, control);
                    let value = if i.signed {
                        let wide = e.b.ins().sextend(I64, a);
                        let wide = e.b.ins().sshr(wide, pos);
                        // From the field's sign bit on; a length of 0 is handled separately.
                        let length = at_most(e, length, 32);
                        let all = e.b.ins().iconst(I64, 64);
                        let rest = e.b.ins().isub(all, length);
                        let up = e.b.ins().ishl(wide, rest);
                        let value = e.b.ins().sshr(up, rest);
                        let zero = e.i64(0);
                        e.b.ins().select(length, value, zero)
                    } else {
                        let wide = e.b.ins().uextend(I64, a);
                        let wide = e.b.ins().ushr(wide, pos);
                        let mask = ones(e, length);
                        e.b.ins().band(wide, mask)
                    };
                    e.b.ins().ireduce(I32, value)
                })
            }
        };
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn bfi(&mut self, i: BitFieldInsert) -> Done {
        let (a, c) = (self.reg_int(i.a), self.operand_int(i.c));
        let value = match Self::known(i.b) {
            Some(control) => {
                let (pos, length) = (control & 0xFF, control >> 8 & 0xFF);
                let mask = (((1u64 << length.min(32)) - 1) << pos.min(63)) as u32;
                let e = self.e();
                match mask {
                    0 => c,
                    _ => {
                        let moved = if pos > 0 { e.ishl(a, pos) } else { a };
                        let mask = Mask(e.i(mask as i32).0);
                        e.iselect(mask, moved, c)
                    }
                }
            }
            None => {
                let b = self.operand_int(i.b);
                self.lanewise([a, b, c], |e, [a, control, c]| {
                    let (pos, length) = field(e, control);
                    let mask = ones(e, length);
                    let mask = e.b.ins().ishl(mask, pos);
                    let [a, c] = [a, c].map(|v| e.b.ins().uextend(I64, v));
                    let moved = e.b.ins().ishl(a, pos);
                    let new = e.b.ins().band(moved, mask);
                    let old = e.b.ins().band_not(c, mask);
                    let value = e.b.ins().bor(new, old);
                    e.b.ins().ireduce(I32, value)
                })
            }
        };
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn flo(&mut self, i: FindLeadingOne) -> Done {
        let b = self.operand_int(i.b.value);
        let mut b = self.inverted(b, i.b.invert);
        if i.signed {
            let e = self.e();
            let sign = e.ishr(b, 31);
            b = e.ixor(b, sign);
        }
        let zeros = self.count_down(b);
        let e = self.e();
        let value = if i.shift {
            let (none, zero) = (e.i(-1), e.i(0));
            let nothing = e.ieq(b, zero);
            e.iselect(nothing, none, zeros)
        } else {
            let top = e.i(31);
            e.isub(top, zeros)
        };
        self.set_int_cc(i.dst, value, i.cc)
    }

    fn popc(&mut self, i: PopCount) -> Done {
        let b = self.operand_int(i.b.value);
        let b = self.inverted(b, i.b.invert);
        let value = self.lanewise([b], |e, [lane]| e.b.ins().popcnt(lane));
        self.set_int(i.dst, value);
        Ok(())
    }

    fn lea(&mut self, i: LoadAddress) -> Done {
        let (a, b) = (self.reg_int(i.a.value), self.operand_int(i.b));
        let a = if i.a.neg { self.ineg(a) } else { a };
        let shifted = self.e().ishl(a, i.shift.into());
        let sum = self.sum(shifted, b, if i.x { Carry::Flag } else { Carry::None });
        self.address_result(i.dst, i.pred, sum, i.cc, i.x);
        Ok(())
    }

    fn lea_hi(&mut self, i: LoadAddressHigh) -> Done {
        let (mut low, b, mut high) = (self.reg_int(i.a.value), self.operand_int(i.b), self.operand_int(i.c));
        if i.a.neg {
            let e = self.e();
            let zero = e.i(0);
            let carry = e.ieq(low, zero);
            let inverse = I32x4(e.b.ins().bnot(high.0));
            high = e.isub(inverse, I32x4(carry.0));
            low = e.isub(zero, low);
        }
        let e = self.e();
        let shifted = match u32::from(i.shift) {
            0 => high,
            n => {
                let (up, down) = (e.ishl(high, n), e.ushr(low, 32 - n));
                e.ior(up, down)
            }
        };
        let sum = self.sum(shifted, b, if i.x { Carry::Flag } else { Carry::None });
        self.address_result(i.dst, i.pred, sum, i.cc, i.x);
        Ok(())
    }
}

impl Lower<'_, '_> {
    fn address_result(&mut self, dst: Reg, pred: Pred, sum: super::integer::Sum, cc: bool, x: bool) {
        if pred != Pred::PT {
            let carry = self.carry_mask(sum);
            self.set_predicate(pred, carry);
        }
        if cc {
            self.sum_condition(sum.value, sum, x);
        }
        self.set_int(dst, sum.value);
    }

    fn funnel(&mut self, i: FunnelShift, f: impl Fn(&mut Emit<'_>, Value, Value) -> Value) -> Done {
        let (most, bits) = match i.width {
            ShfType::Bits32 | ShfType::Unknown(_) => (32, 31),
            ShfType::Unsigned64 | ShfType::Signed64 => (63, 63),
        };
        let (a, b, c) = (self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c));
        let value = self.lanewise([a, b, c], |e, [a, b, c]| {
            let [a, b, c] = [a, b, c].map(|v| e.b.ins().uextend(I64, v));
            let high = e.b.ins().ishl_imm_u(c, 32);
            let wide = e.b.ins().bor(high, a);
            let distance = if i.wrap { e.b.ins().band_imm_u(b, bits) } else { at_most(e, b, most) };
            let value = f(e, wide, distance);
            e.b.ins().ireduce(I32, value)
        });
        self.set_int_cc(i.dst, value, i.cc)
    }
}
