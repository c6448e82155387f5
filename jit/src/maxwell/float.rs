//! Arithmetic of f32 and f64.
//!
//! Denormals are flushed once for each value, and results that cannot be denormal are marked. NaN results become the
//! canonical NaN where their bits are used.
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::mufu;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{BoolOp, FloatCompare, Fmz, MufuOp, Rounding, Scale};

use super::double::Fused;
use super::lane_value::flush;
use super::{Done, LaneMask, LaneValue, Lanes, Loc, Lower, exact};
use crate::lane::{Emit, F32x4, I32x4, Mask};

impl Lower<'_, '_> {
    /// Absolute value and sign of a float.
    fn signed(&mut self, value: F32x4, neg: bool, abs: bool) -> F32x4 {
        let e = self.e();
        let value = if abs { e.abs(value) } else { value };
        if neg { e.neg(value) } else { value }
    }

    fn source_a(&mut self, a: Src<Reg>, ftz: bool) -> F32x4 {
        let value = if ftz { self.reg_flushed(a.value) } else { self.reg_float(a.value) };
        self.signed(value, a.neg, a.abs)
    }

    pub(super) fn source_b(&mut self, b: Src<Operand>, ftz: bool) -> F32x4 {
        let value = if ftz { self.operand_flushed(b.value) } else { self.operand_float(b.value) };
        self.signed(value, b.neg, b.abs)
    }

    fn source(&mut self, operand: Operand, ftz: bool) -> F32x4 {
        if ftz { self.operand_flushed(operand) } else { self.operand_float(operand) }
    }

    /// A result of arithmetic: denormals, saturation, condition code.
    fn result(&mut self, dst: Reg, value: F32x4, ftz: bool, sat: bool, cc: bool) {
        let e = self.e();
        let mut value = if ftz { flush(e, value) } else { value };
        if sat {
            value = e.clamp(value, 0.0, 1.0);
        }
        let number = match (ftz, sat) {
            (_, true) => LaneValue::number(value),
            (true, false) => LaneValue::normal(value),
            (false, false) => LaneValue::float(value),
        };
        if cc {
            self.float_condition(value);
        }
        self.set_reg(dst, number);
    }

    /// The condition code of a float: Z and S for NaN.
    pub(super) fn float_condition(&mut self, value: F32x4) {
        let e = self.e();
        let zero = e.f(0.0);
        let nan = e.unordered(value, value);
        let (is_zero, negative) = (e.feq(value, zero), e.lt(value, zero));
        let (z, s) = (e.or(is_zero, nan), e.or(negative, nan));
        self.set_condition([z, s]);
    }

    /// Z and S, no carry and no overflow.
    pub(super) fn set_condition(&mut self, [z, s]: [Mask; 2]) {
        let none = Mask(self.e().i(0).0);
        for (flag, mask) in [z, s, none, none].into_iter().enumerate() {
            self.set(Loc::Cc(flag as u8), LaneValue::int(I32x4(mask.0)));
        }
    }

    /// `a cmp b`
    pub(super) fn float_compare(&mut self, how: FloatCompare, a: F32x4, b: F32x4) -> Mask {
        use FloatCompare as C;
        let e = self.e();
        let mut ordered = |code: FloatCC| Mask(e.b.ins().fcmp(code, a.0, b.0));
        let (mask, not) = match how {
            C::False => (Mask(e.i(0).0), false),
            C::True => (Mask(e.i(-1).0), false),
            C::Less => (ordered(FloatCC::LessThan), false),
            C::Equal => (ordered(FloatCC::Equal), false),
            C::LessOrEqual => (ordered(FloatCC::LessThanOrEqual), false),
            C::Greater => (ordered(FloatCC::GreaterThan), false),
            C::GreaterOrEqual => (ordered(FloatCC::GreaterThanOrEqual), false),
            C::Num => (ordered(FloatCC::Ordered), false),
            C::Nan => (ordered(FloatCC::Unordered), false),
            C::NotEqual => {
                let (number, equal) = (ordered(FloatCC::Ordered), ordered(FloatCC::Equal));
                (e.and_not(number, equal), false)
            }
            C::LessU => (ordered(FloatCC::GreaterThanOrEqual), true),
            C::EqualU => {
                let (nan, equal) = (ordered(FloatCC::Unordered), ordered(FloatCC::Equal));
                (e.or(nan, equal), false)
            }
            C::LessOrEqualU => (ordered(FloatCC::GreaterThan), true),
            C::GreaterU => (ordered(FloatCC::LessThanOrEqual), true),
            C::NotEqualU => (ordered(FloatCC::NotEqual), false),
            C::GreaterOrEqualU => (ordered(FloatCC::LessThan), true),
        };
        if not { e.not(mask) } else { mask }
    }

    /// A mask combined with a predicate.
    pub(super) fn join(&mut self, op: BoolOp, mask: Mask, pred: PredSource) -> Mask {
        let when = self.predicate(pred);
        self.join_when(op, mask, when)
    }

    pub(super) fn join_when(&mut self, op: BoolOp, mask: Mask, when: LaneMask) -> Mask {
        match (op, when) {
            (BoolOp::And | BoolOp::Unknown(_), LaneMask::All) | (BoolOp::Or | BoolOp::Xor, LaneMask::Empty) => mask,
            (BoolOp::Xor, LaneMask::All) => self.e().not(mask),
            (_, when) => {
                let other = self.mask_of(when);
                let e = self.e();
                match op {
                    BoolOp::And | BoolOp::Unknown(_) => e.and(mask, other),
                    BoolOp::Or => e.or(mask, other),
                    BoolOp::Xor => Mask(e.ixor(I32x4(mask.0), I32x4(other.0)).0),
                }
            }
        }
    }

    /// Sets a register to a mask, or to 1.0 in the lanes of the mask.
    pub(super) fn set_truth(&mut self, dst: Reg, mask: Mask, bf: bool, cc: bool) {
        let e = self.e();
        let value = if bf {
            let one = e.i(1f32.to_bits() as i32);
            e.iand(I32x4(mask.0), one)
        } else {
            I32x4(mask.0)
        };
        if cc {
            let zero = e.not(mask);
            let sign = if bf { Mask(e.i(0).0) } else { mask };
            self.set_condition([zero, sign]);
        }
        self.set_reg(dst, LaneValue::truth(value, mask));
    }

    /// Two results of a comparison.
    pub(super) fn set_predicates(
        &mut self,
        (dst, dst_not): (Pred, Pred),
        mask: Mask,
        bop: BoolOp,
        pred: PredSource,
    ) -> Done {
        let when = self.predicate(pred);
        let yes = self.join_when(bop, mask, when);
        if dst_not != Pred::PT {
            let not = self.e().not(mask);
            let no = self.join_when(bop, not, when);
            self.set_predicate(dst, yes);
            self.set_predicate(dst_not, no);
        } else {
            self.set_predicate(dst, yes);
        }
        Ok(())
    }

    /// Minimum or maximum, -0 being less than +0; of a NaN and a number the number.
    fn min_max(&mut self, a: F32x4, b: F32x4, smaller: Mask) -> F32x4 {
        let e = self.e();
        let (less, equal) = (e.lt(a, b), e.feq(a, b));
        let greater = e.lt(b, a);
        let [x, y] = [a, b].map(|v| e.bits(v));
        let (either, common) = (e.ior(x, y), e.iand(x, y));
        let low = e.iselect(less, x, y);
        let high = e.iselect(greater, x, y);
        let low = e.iselect(equal, either, low);
        let high = e.iselect(equal, common, high);
        let value = e.iselect(smaller, low, high);
        let nan = e.unordered(b, b);
        let value = e.iselect(nan, x, value);
        e.float_of_bits(value)
    }

    /// As [`Self::min_max`] where it is known at compile time which one is wanted.
    fn one_of(&mut self, a: F32x4, b: F32x4, smaller: bool, known: Option<f32>) -> F32x4 {
        let e = self.e();
        let value = if smaller { e.min(a, b) } else { e.max(a, b) };
        let simple = known.is_some_and(|b| !b.is_nan() && (b != 0.0 || b.is_sign_positive() && !smaller));
        if simple {
            return value;
        }
        let (x, y) = (e.bits(a), e.bits(b));
        let zeros = if smaller { e.ior(x, y) } else { e.iand(x, y) };
        let equal = e.feq(a, b);
        let value = e.bits(value);
        let value = e.iselect(equal, zeros, value);
        let nan = e.unordered(b, b);
        let value = e.iselect(nan, x, value);
        e.float_of_bits(value)
    }
}

const fn exponent(scale: Scale) -> i32 {
    match scale {
        Scale::None | Scale::Unknown(_) => 0,
        Scale::D2 => -1,
        Scale::D4 => -2,
        Scale::D8 => -3,
        Scale::M8 => 3,
        Scale::M4 => 2,
        Scale::M2 => 1,
    }
}

pub(super) const fn flushes(fmz: Fmz) -> bool {
    matches!(fmz, Fmz::Ftz | Fmz::Fmz)
}

/// Lanes in which one of two factors is 0.
pub(super) fn either_zero(e: &mut Emit<'_>, a: F32x4, b: F32x4) -> Mask {
    let zero = e.f(0.0);
    let (first, second) = (e.feq(a, zero), e.feq(b, zero));
    e.or(first, second)
}

impl FloatVisitor for Lower<'_, '_> {
    type Output = Done;

    fn fadd(&mut self, i: FloatAdd) -> Done {
        let ftz = self.flushes(i.ftz);
        let nearest = i.rounding == Rounding::Nearest;
        let sum = match (i.a.neg, i.b.neg) {
            (false, true) if nearest => {
                let (a, b) = (self.source_a(i.a, ftz), self.source_b(Src { neg: false, ..i.b }, ftz));
                self.e().sub(a, b)
            }
            (true, false) if nearest => {
                let (a, b) = (self.source_a(Src { neg: false, ..i.a }, ftz), self.source_b(i.b, ftz));
                self.e().sub(b, a)
            }
            _ => {
                let (a, b) = (self.source_a(i.a, ftz), self.source_b(i.b, ftz));
                exact::sum(self.e(), i.rounding, a, b)
            }
        };
        self.result(i.dst, sum, ftz, i.sat, i.cc);
        Ok(())
    }

    fn fmul(&mut self, i: FloatMul) -> Done {
        let (ftz, scale) = (self.flushes(flushes(i.fmz)), exponent(i.scale));
        let a = if ftz { self.reg_flushed(i.a) } else { self.reg_float(i.a) };
        let b = self.source(i.b, ftz);
        let e = self.e();
        let factor = if i.neg { e.neg(a) } else { a };
        let mut value = exact::product(e, i.rounding, factor, b, scale);
        if i.fmz == Fmz::Fmz {
            let (none, zero) = (either_zero(e, a, b), e.f(0.0));
            value = e.select(none, zero, value);
        }
        self.result(i.dst, value, ftz, i.sat, i.cc);
        Ok(())
    }

    fn ffma(&mut self, i: FloatFma) -> Done {
        let ftz = self.flushes(flushes(i.fmz));
        let a = if ftz { self.reg_flushed(i.a) } else { self.reg_float(i.a) };
        let (b, c) = (self.source(i.b, ftz), self.source(i.c.value, ftz));
        let e = self.e();
        let factor = if i.neg { e.neg_operand(a) } else { a };
        let c = if i.c.neg { e.neg_operand(c) } else { c };
        let mut value = exact::fused(e, i.rounding, factor, b, c);
        if i.fmz == Fmz::Fmz {
            let (none, zero) = (either_zero(e, a, b), e.f(0.0));
            let alone = exact::sum(e, i.rounding, zero, c);
            value = e.select(none, alone, value);
        }
        self.result(i.dst, value, ftz, i.sat, i.cc);
        Ok(())
    }

    fn fmnmx(&mut self, i: FloatMinMax) -> Done {
        let ftz = self.flushes(i.ftz);
        let (a, b) = (self.source_a(i.a, ftz), self.source_b(i.b, ftz));
        let known = Self::known(i.b.value).map(f32::from_bits).map(|v| if i.b.abs { v.abs() } else { v });
        let known = known.map(|v| if i.b.neg { -v } else { v });
        let value = match self.predicate(i.pred) {
            LaneMask::Lanes(mask) => self.min_max(a, b, mask),
            when => self.one_of(a, b, when == LaneMask::All, known),
        };
        if i.cc {
            self.float_condition(value);
        }
        self.set_reg(i.dst, if ftz { LaneValue::normal(value) } else { LaneValue::float(value) });
        Ok(())
    }

    fn fset(&mut self, i: FloatSet) -> Done {
        let ftz = self.flushes(i.ftz);
        let (a, b) = (self.source_a(i.a, ftz), self.source_b(i.b, ftz));
        let mask = self.float_compare(i.compare, a, b);
        let mask = self.join(i.bop, mask, i.pred);
        self.set_truth(i.dst, mask, i.bf, i.cc);
        Ok(())
    }

    fn fsetp(&mut self, i: FloatSetPred) -> Done {
        let ftz = self.flushes(i.ftz);
        let (a, b) = (self.source_a(i.a, ftz), self.source_b(i.b, ftz));
        let mask = self.float_compare(i.compare, a, b);
        self.set_predicates((i.dst, i.dst_not), mask, i.bop, i.pred)
    }

    fn fcmp(&mut self, i: FloatSelect) -> Done {
        let ftz = self.flushes(i.ftz);
        let c = self.source(i.c, ftz);
        let zero = self.e().f(0.0);
        let mask = self.float_compare(i.compare, c, zero);
        let (a, b) = (self.reg(i.a), self.operand(i.b));
        let value = self.merge(mask, a, b);
        self.set_reg(i.dst, value);
        Ok(())
    }

    fn fchk(&mut self, i: FloatCheck) -> Done {
        let all = Mask(self.e().i(-1).0);
        self.set_predicate(i.dst, all);
        Ok(())
    }

    fn fswzadd(&mut self, i: FloatSwizzledAdd) -> Done {
        let ftz = self.flushes(i.ftz);
        // The code of each lane of the quad: signs of both, or B alone.
        let code = |lane: u32| i.signs >> (6 - 2 * lane) & 3;
        let codes: [u8; 4] = match self.lanes {
            Lanes::Alone => [code(0); 4],
            Lanes::Quad | Lanes::WarpSlice | Lanes::AloneInQuad => [0, 1, 2, 3].map(code),
        };
        let [a, b] = [i.a, i.b].map(|reg| if ftz { self.reg_flushed(reg) } else { self.reg_float(reg) });
        let e = self.e();
        let signs = |wanted: u8| codes.map(|code| if code == wanted { i32::MIN } else { 0 });
        let flip = |e: &mut Emit<'_>, value: F32x4, signs: [i32; 4]| {
            if signs == [0; 4] {
                return value;
            }
            let (bits, signs) = (e.bits(value), e.ints(signs));
            let bits = e.ixor(bits, signs);
            e.float_of_bits(bits)
        };
        let (x, y) = (flip(e, a, signs(1)), flip(e, b, signs(2)));
        let mut value = exact::sum(e, i.rounding, x, y);
        if codes.contains(&3) {
            let alone = Mask(e.ints(codes.map(|code| if code == 3 { -1 } else { 0 })).0);
            value = e.select(alone, b, value);
        }
        self.result(i.dst, value, ftz, false, i.cc);
        Ok(())
    }

    fn rro(&mut self, i: RangeReduction) -> Done {
        let mut bits = self.operand_int(i.b.value);
        let e = self.e();
        if i.b.abs {
            let keep = e.i(i32::MAX);
            bits = e.iand(bits, keep);
        }
        if i.b.neg {
            let sign = e.i(i32::MIN);
            bits = e.ixor(bits, sign);
        }
        if self.code.accuracy == Accuracy::Exact {
            bits = mufu::rro(self.e(), i.mode, bits);
        }
        self.set_int(i.dst, bits);
        Ok(())
    }

    fn mufu(&mut self, i: MultiFunction) -> Done {
        if self.code.accuracy == Accuracy::Fast {
            let source = self.source_a(i.a, false);
            if let Some(value) = mufu::fast::mufu(self.e(), i.op, source) {
                self.result(i.dst, value, false, i.sat, false);
                return Ok(());
            }
        }
        // A NaN needs its canonical bits: other bits could be a number as the upper word of an f64.
        let bits = self.reg_int(i.a.value);
        let e = self.e();
        let source = e.float_of_bits(bits);
        let source = self.signed(source, i.a.neg, i.a.abs);
        let e = self.e();
        let bits = e.bits(source);
        let result = mufu::mufu(e, i.op, bits);
        let value = e.float_of_bits(result);
        if i.sat {
            let value = e.clamp(value, 0.0, 1.0);
            self.set_reg(i.dst, LaneValue::loaded(value));
        } else if matches!(i.op, MufuOp::Rcp64h | MufuOp::Rsq64h | MufuOp::Unknown(_)) {
            self.set_int(i.dst, result);
        } else {
            self.set_reg(i.dst, LaneValue::normal(value));
        }
        Ok(())
    }

    fn dadd(&mut self, i: FloatAdd) -> Done {
        let (a, b) = (self.double(i.a.value), self.double_operand(i.b.value));
        let (a, b) = (self.double_signed(a, i.a.neg, i.a.abs), self.double_signed(b, i.b.neg, i.b.abs));
        self.double_arithmetic(i.dst, i.rounding, i.cc, Fused::Sum([a, b]))
    }

    fn dmul(&mut self, i: FloatMul) -> Done {
        let (a, b) = (self.double(i.a), self.double_operand(i.b));
        let a = self.double_signed(a, i.neg, false);
        self.double_arithmetic(i.dst, i.rounding, i.cc, Fused::Product([a, b]))
    }

    fn dfma(&mut self, i: FloatFma) -> Done {
        let (a, b, c) = (self.double(i.a), self.double_operand(i.b), self.double_operand(i.c.value));
        let (a, c) = (self.double_signed(a, i.neg, false), self.double_signed(c, i.c.neg, false));
        self.double_arithmetic(i.dst, i.rounding, i.cc, Fused::All([a, b, c]))
    }

    fn dmnmx(&mut self, i: FloatMinMax) -> Done {
        let (a, b) = (self.double(i.a.value), self.double_operand(i.b.value));
        let (a, b) = (self.double_signed(a, i.a.neg, i.a.abs), self.double_signed(b, i.b.neg, i.b.abs));
        let smaller = self.predicate_mask(i.pred);
        let e = self.e();
        let (less, greater) = (e.dcompare(FloatCC::LessThan, a, b), e.dcompare(FloatCC::LessThan, b, a));
        let equal = e.dcompare(FloatCC::Equal, a, b);
        let nan = [a, b].map(|v| e.dcompare(FloatCC::Unordered, v, v));
        let (x, y) = (e.double_words(a), e.double_words(b));
        let mut result = [x[0]; 2];
        for part in 0..2 {
            let (low, high) = (e.iselect(less, x[part], y[part]), e.iselect(greater, x[part], y[part]));
            let (either, common) = (e.ior(x[part], y[part]), e.iand(x[part], y[part]));
            let (low, high) = (e.iselect(equal, either, low), e.iselect(equal, common, high));
            let value = e.iselect(smaller, low, high);
            let value = e.iselect(nan[1], x[part], value);
            let none = e.i([0, 0xFFF8_0000_u32 as i32][part]);
            let both = e.and(nan[0], nan[1]);
            result[part] = e.iselect(both, none, value);
        }
        let value = e.double_of_words(result[0], result[1]);
        if i.cc {
            self.double_condition(value);
        }
        self.set_double(i.dst, value);
        Ok(())
    }

    fn dset(&mut self, i: FloatSet) -> Done {
        let (a, b) = (self.double(i.a.value), self.double_operand(i.b.value));
        let (a, b) = (self.double_signed(a, i.a.neg, i.a.abs), self.double_signed(b, i.b.neg, i.b.abs));
        let mask = self.double_compare(i.compare, a, b);
        let mask = self.join(i.bop, mask, i.pred);
        self.set_truth(i.dst, mask, i.bf, i.cc);
        Ok(())
    }

    fn dsetp(&mut self, i: FloatSetPred) -> Done {
        let (a, b) = (self.double(i.a.value), self.double_operand(i.b.value));
        let (a, b) = (self.double_signed(a, i.a.neg, i.a.abs), self.double_signed(b, i.b.neg, i.b.abs));
        let mask = self.double_compare(i.compare, a, b);
        self.set_predicates((i.dst, i.dst_not), mask, i.bop, i.pred)
    }
}
