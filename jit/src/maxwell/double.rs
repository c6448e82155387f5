//! Arithmetic of f64.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use triglyph_guest::num::mufu::MufuOps;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{FloatCompare, Rounding};

use super::libcalls::Libcall;
use super::{Done, LaneValue, Lower};
use crate::lane::{F64x4, I32x4, Mask};

/// Arithmetic of f64.
#[derive(Clone, Copy)]
pub(super) enum Fused {
    Sum([F64x4; 2]),
    Product([F64x4; 2]),
    /// A product and an addend.
    All([F64x4; 3]),
}

impl Fused {
    fn sources(&self) -> &[F64x4] {
        match self {
            Fused::Sum(both) | Fused::Product(both) => both,
            Fused::All(all) => all,
        }
    }
}

impl Lower<'_, '_> {
    /// The doubles of a pair of registers.
    pub(super) fn double(&mut self, reg: Reg) -> F64x4 {
        let (low, high) = (self.reg_int(reg), self.reg_int(Self::following(reg, 1)));
        self.e().double_of_words(low, high)
    }

    /// The words of a constant of 64 bits: the one at an odd word is the upper half, and the lower one 0.
    pub(super) fn wide_constant(&mut self, constant: Constant) -> [I32x4; 2] {
        let low = match constant.offset & 4 {
            0 => self.constant(constant),
            _ => LaneValue::int(self.e().i(0)),
        };
        let high = self.constant(Constant { offset: constant.offset | 4, ..constant });
        [low, high].map(|number| self.value_int(number))
    }

    pub(super) fn double_operand(&mut self, operand: Operand) -> F64x4 {
        match operand {
            Operand::Reg(reg) => self.double(reg),
            Operand::Constant(constant) => {
                let [low, high] = self.wide_constant(constant);
                self.e().double_of_words(low, high)
            }
            Operand::Immediate(high) => self.e().d(f64::from_bits(u64::from(high) << 32)),
        }
    }

    pub(super) fn double_signed(&mut self, value: F64x4, neg: bool, abs: bool) -> F64x4 {
        let e = self.e();
        let value = if abs { e.both(value, |e, half| e.b.ins().fabs(half)) } else { value };
        if neg { e.both(value, |e, half| e.b.ins().fneg(half)) } else { value }
    }

    pub(super) fn double_compare(&mut self, how: FloatCompare, a: F64x4, b: F64x4) -> Mask {
        use FloatCompare as C;
        let e = self.e();
        let (code, not) = match how {
            C::False => return Mask(e.i(0).0),
            C::True => return Mask(e.i(-1).0),
            C::Less => (FloatCC::LessThan, false),
            C::Equal => (FloatCC::Equal, false),
            C::LessOrEqual => (FloatCC::LessThanOrEqual, false),
            C::Greater => (FloatCC::GreaterThan, false),
            C::GreaterOrEqual => (FloatCC::GreaterThanOrEqual, false),
            C::Num => (FloatCC::Ordered, false),
            C::Nan => (FloatCC::Unordered, false),
            C::LessU => (FloatCC::GreaterThanOrEqual, true),
            C::LessOrEqualU => (FloatCC::GreaterThan, true),
            C::GreaterU => (FloatCC::LessThanOrEqual, true),
            C::NotEqualU => (FloatCC::NotEqual, false),
            C::GreaterOrEqualU => (FloatCC::LessThan, true),
            C::NotEqual => {
                let (number, equal) = (e.dcompare(FloatCC::Ordered, a, b), e.dcompare(FloatCC::Equal, a, b));
                return e.and_not(number, equal);
            }
            C::EqualU => {
                let (nan, equal) = (e.dcompare(FloatCC::Unordered, a, b), e.dcompare(FloatCC::Equal, a, b));
                return e.or(nan, equal);
            }
        };
        let mask = e.dcompare(code, a, b);
        if not { e.not(mask) } else { mask }
    }

    pub(super) fn set_double(&mut self, dst: Reg, value: F64x4) {
        let [low, high] = self.e().double_words(value);
        self.set_int(dst, low);
        self.set_int(Self::following(dst, 1), high);
    }

    /// Arithmetic of f64. A NaN result is the first NaN operand, made quiet, or the default NaN.
    pub(super) fn double_arithmetic(&mut self, dst: Reg, rounding: Rounding, cc: bool, what: Fused) -> Done {
        if rounding != Rounding::Nearest {
            return self.double_rounded(dst, rounding, cc, what);
        }
        let e = self.e();
        let mut value = match what {
            Fused::Sum([a, b]) => e.dadd(a, b),
            Fused::Product([a, b]) => e.dmul(a, b),
            Fused::All([a, b, c]) => F64x4([0, 1].map(|half| e.b.ins().fma(a.0[half], b.0[half], c.0[half]))),
        };
        let nan = e.dcompare(FloatCC::Unordered, value, value);
        let [mut low, mut high] = e.double_words(value);
        let (zero, invalid) = (e.i(0), e.i(0xFFF8_0000_u32 as i32));
        (low, high) = (e.iselect(nan, zero, low), e.iselect(nan, invalid, high));
        for &source in what.sources().iter().rev() {
            let nan = e.dcompare(FloatCC::Unordered, source, source);
            let [source_low, source_high] = e.double_words(source);
            let quiet = e.i(0x0008_0000);
            let source_high = e.ior(source_high, quiet);
            (low, high) = (e.iselect(nan, source_low, low), e.iselect(nan, source_high, high));
        }
        value = e.double_of_words(low, high);
        if cc {
            self.double_condition(value);
        }
        self.set_double(dst, value);
        Ok(())
    }

    /// As [`Self::double_arithmetic`] in another rounding mode: a sum of two, a product of two, or a product and an
    /// addend.
    pub(super) fn double_rounded(&mut self, dst: Reg, how: Rounding, cc: bool, what: Fused) -> Done {
        let e = self.e();
        let [a, b, c] = match what {
            Fused::Sum([a, c]) => [a, e.d(1.0), c],
            Fused::All(all) => all,
            Fused::Product([a, b]) => {
                // Adding a zero of the product's sign changes nothing.
                let [a_high, b_high] = [a, b].map(|v| e.double_words(v)[1]);
                let signs = e.ixor(a_high, b_high);
                let (zero, top) = (e.i(0), e.i(i32::MIN));
                let sign = e.iand(signs, top);
                [a, b, e.double_of_words(zero, sign)]
            }
        };
        let words: Vec<I32x4> = [a, b, c].into_iter().flat_map(|v| e.double_words(v)).collect();
        let [low, high] = self.libcall(Libcall::Fused, how.bits().into(), &words);
        let value = self.e().double_of_words(low, high);
        if cc {
            self.double_condition(value);
        }
        self.set_double(dst, value);
        Ok(())
    }

    pub(super) fn double_condition(&mut self, value: F64x4) {
        let e = self.e();
        let zero = e.d(0.0);
        let nan = e.dcompare(FloatCC::Unordered, value, value);
        let (none, negative) = (e.dcompare(FloatCC::Equal, value, zero), e.dcompare(FloatCC::LessThan, value, zero));
        let flags = [e.or(none, nan), e.or(negative, nan)];
        self.set_condition(flags);
    }
}
