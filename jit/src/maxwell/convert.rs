//! Conversions.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::F64X2;
use triglyph_guest::num::half;
use triglyph_guest::num::mufu::MufuOps;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{FloatFormat, IntSize, Rounding};

use super::lane_value::flush;
use super::libcalls::{FloatInt, FloatKind, IntFloat, Libcall};
use super::{Done, LaneValue, Lower, exact};
use crate::lane::{Emit, F32x4, F64x4, I32x4, Mask};

/// Rounds to a whole number.
fn whole(e: &mut Emit<'_>, how: Rounding, value: F32x4) -> F32x4 {
    match how {
        Rounding::Nearest => e.nearest(value),
        Rounding::Down => e.floor(value),
        Rounding::Up => F32x4(e.b.ins().ceil(value.0)),
        Rounding::Zero => F32x4(e.b.ins().trunc(value.0)),
    }
}

/// Whole numbers as unsigned integers, saturated; NaN is 0.
fn unsigned(e: &mut Emit<'_>, value: F32x4) -> I32x4 {
    let zero = e.f(0.0);
    let value = e.max(value, zero);
    let middle = e.f(2_147_483_648.0);
    let upper = e.le(middle, value);
    let rest = e.sub(value, middle);
    let part = e.select(upper, rest, value);
    // What is above 2^32 saturates at 2^31 - 1 beyond the middle.
    let part = e.saturating_int(part);
    let top = e.i(i32::MIN);
    let added = e.iand(I32x4(upper.0), top);
    let value_bits = e.ior(part, added);
    let limit = e.f(4_294_967_296.0);
    let beyond = e.le(limit, value);
    let all = e.i(-1);
    e.iselect(beyond, all, value_bits)
}

/// An integer clamped to `low..=high`, signed.
fn limited(e: &mut Emit<'_>, value: I32x4, low: i32, high: i32) -> I32x4 {
    let (low, high) = (e.i(low), e.i(high));
    let value = e.imax(value, low);
    e.imin(value, high)
}

/// 32-bit integers as doubles, exactly.
fn double_of_int(e: &mut Emit<'_>, value: I32x4, signed: bool) -> F64x4 {
    let bits = if signed {
        value
    } else {
        let top = e.i(i32::MIN);
        e.ixor(value, top)
    };
    let high = e.shuffle(bits.0, bits.0, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
    let wide = F64x4([bits.0, high].map(|half| {
        let wide = e.b.ins().swiden_low(half);
        e.b.ins().fcvt_from_sint(F64X2, wide)
    }));
    if signed {
        return wide;
    }
    let middle = e.d(2_147_483_648.0);
    e.dadd(wide, middle)
}

impl Lower<'_, '_> {
    /// The half of a register as f32.
    pub(super) fn half_float(&mut self, bits: I32x4, high: bool) -> F32x4 {
        let part = self.half(bits, high, false);
        half::value(self.e(), part)
    }

    /// The bits of an f32 as f16, NaN as the canonical one.
    pub(super) fn half_bits(&mut self, value: F32x4) -> I32x4 {
        let e = self.e();
        let bits = e.half_of(value);
        let nan = e.unordered(value, value);
        let only = e.i(0x7FFF);
        e.iselect(nan, only, bits)
    }

    /// A source of at most 32 bits.
    fn float_source(&mut self, b: Src<Operand>, from: FloatFormat, high: bool, ftz: bool) -> F32x4 {
        match from {
            FloatFormat::F32 | FloatFormat::F64 | FloatFormat::Unknown(_) => self.source_b(b, ftz),
            FloatFormat::F16 => {
                let bits = self.operand_int(b.value);
                let mut value = self.half_float(bits, high);
                // Halves are never flushed.
                let e = self.e();
                if b.abs {
                    value = e.abs(value);
                }
                if b.neg { e.neg(value) } else { value }
            }
        }
    }

    /// A source of any format as f64. Widening keeps the payload of a NaN, so an f32 NaN has to be the canonical one
    /// before.
    fn wide_source(&mut self, b: Src<Operand>, from: FloatFormat, high: bool, ftz: bool) -> F64x4 {
        let value = match from {
            FloatFormat::F64 => return self.double_source(b),
            FloatFormat::F16 => self.float_source(b, from, high, ftz),
            FloatFormat::F32 | FloatFormat::Unknown(_) => self.exact_source(b, ftz),
        };
        self.e().widen(value)
    }

    /// An f32 source whose NaNs have the bits of the contract.
    fn exact_source(&mut self, b: Src<Operand>, ftz: bool) -> F32x4 {
        let bits = self.operand_int(b.value);
        let e = self.e();
        let value = e.float_of_bits(bits);
        let value = if ftz { flush(e, value) } else { value };
        let value = if b.abs { e.abs(value) } else { value };
        if b.neg { e.neg(value) } else { value }
    }

    fn double_source(&mut self, b: Src<Operand>) -> F64x4 {
        let value = self.double_operand(b.value);
        let e = self.e();
        let value = if b.abs { e.both(value, |e, half| e.b.ins().fabs(half)) } else { value };
        if b.neg { e.both(value, |e, half| e.b.ins().fneg(half)) } else { value }
    }

    /// A result of a conversion to f32.
    fn converted(&mut self, dst: Reg, value: F32x4, (ftz, sat, cc): (bool, bool, bool)) {
        let e = self.e();
        let mut value = if ftz { flush(e, value) } else { value };
        if sat {
            value = e.clamp(value, 0.0, 1.0);
        }
        if cc {
            self.float_condition(value);
        }
        self.set_reg(dst, if ftz { LaneValue::normal(value) } else { LaneValue::float(value) });
    }

    /// An integer source as 32 bits, of 64 the lower ones.
    fn int_source(&mut self, b: Src<Operand>, from: IntSize, signed: bool, byte: u8) -> I32x4 {
        let bits = self.operand_int(b.value);
        match from {
            IntSize::Bits8 => {
                let e = self.e();
                let up = e.ishl(bits, 24 - 8 * u32::from(byte & 3));
                if signed { e.ishr(up, 24) } else { e.ushr(up, 24) }
            }
            IntSize::Bits16 => self.half(bits, byte & 2 != 0, signed),
            IntSize::Bits32 | IntSize::Bits64 => bits,
        }
    }

    /// A source of 64 bits; an immediate is the upper word, and so is a constant at an odd one.
    fn long_source(&mut self, operand: Operand) -> [I32x4; 2] {
        match operand {
            Operand::Reg(reg) => [self.reg_int(reg), self.reg_int(Self::following(reg, 1))],
            Operand::Constant(constant) => self.wide_constant(constant),
            Operand::Immediate(high) => [self.e().i(0), self.e().i(high as i32)],
        }
    }

    fn magnitude(&mut self, value: I32x4, abs: bool) -> I32x4 {
        if abs { I32x4(self.e().b.ins().iabs(value.0)) } else { value }
    }

    /// A signed integer of at most 32 bits under absolute value and negation, in which the most negative one of its
    /// size stays.
    fn signed_in_size(&mut self, value: I32x4, b: Src<Operand>, from: IntSize) -> I32x4 {
        let mut value = value;
        if b.abs {
            let magnitude = self.magnitude(value, true);
            value = self.cut(magnitude, from, true);
        }
        if b.neg {
            let negated = self.ineg(value);
            value = self.cut(negated, from, true);
        }
        value
    }
}

impl ConvertVisitor for Lower<'_, '_> {
    type Output = Done;

    fn f2f(&mut self, i: FloatToFloat) -> Done {
        let i = FloatToFloat { ftz: self.flushes(i.ftz), ..i };
        let flags = (i.ftz, i.sat, i.cc);
        match (i.from, i.to) {
            (FloatFormat::F64, FloatFormat::F32 | FloatFormat::Unknown(_)) => {
                let value = self.double_source(i.b);
                let value = exact::narrow(self.e(), i.rounding, value);
                self.converted(i.dst, value, (false, i.sat, i.cc));
            }
            (_, FloatFormat::F32 | FloatFormat::Unknown(_)) => {
                let mut value = self.float_source(i.b, i.from, i.high, i.ftz);
                if i.from == i.to && i.integer {
                    value = whole(self.e(), i.rounding, value);
                }
                self.converted(i.dst, value, flags);
            }
            (_, FloatFormat::F64) => self.double_from(&i),
            (_, FloatFormat::F16) => self.half_from(&i),
        }
        Ok(())
    }

    fn f2i(&mut self, i: FloatToInt) -> Done {
        let i = FloatToInt { ftz: self.flushes(i.ftz), ..i };
        if i.from == FloatFormat::F64 || matches!(i.to, IntSize::Bits8 | IntSize::Bits64) {
            let wide = self.wide_source(i.b, i.from, i.high, i.ftz);
            let sources = self.e().double_words(wide);
            let from = if i.from == FloatFormat::F64 { FloatKind::Double } else { FloatKind::Smaller };
            let code = FloatInt { from, to: i.to, signed: i.signed, rounding: i.rounding }.pack();
            let [low, high] = self.libcall(Libcall::Integer, code, &sources);
            self.set_int(i.dst, low);
            if i.to == IntSize::Bits64 {
                self.set_int(Self::following(i.dst, 1), high);
            }
            if i.cc {
                self.int_condition(low);
            }
            return Ok(());
        }
        let value = self.float_source(i.b, i.from, i.high, i.ftz);
        let e = self.e();
        let value = whole(e, i.rounding, value);
        let result = match (i.to == IntSize::Bits16, i.signed) {
            (false, true) => e.saturating_int(value),
            (false, false) => unsigned(e, value),
            (true, true) => {
                let value = e.saturating_int(value);
                limited(e, value, -0x8000, 0x7FFF)
            }
            (true, false) => {
                let value = e.saturating_int(value);
                limited(e, value, 0, 0xFFFF)
            }
        };
        self.set_int_cc(i.dst, result, i.cc)
    }

    fn i2f(&mut self, i: IntToFloat) -> Done {
        let rare = i.from == IntSize::Bits64 || i.to == FloatFormat::F16 || i.to == FloatFormat::F64 && i.cc;
        if rare {
            self.int_to_float(&i);
            return Ok(());
        }
        let value = self.int_source(i.b, i.from, i.signed, i.byte);
        let value = if i.signed { self.signed_in_size(value, i.b, i.from) } else { value };
        // Unsigned ones are negated when they are rounded.
        let neg = i.b.neg && !i.signed;
        let small = matches!(i.from, IntSize::Bits8 | IntSize::Bits16);
        let e = self.e();
        match i.to {
            FloatFormat::F32 | FloatFormat::F16 | FloatFormat::Unknown(_) => {
                let mut result = match (i.rounding, i.signed) {
                    _ if small => e.to_float(value),
                    (Rounding::Nearest, true) => e.to_float(value),
                    (Rounding::Nearest, false) => e.float_of_unsigned(value),
                    (rounding, signed) => {
                        let wide = double_of_int(e, value, signed);
                        exact::narrow(e, rounding, wide)
                    }
                };
                if neg {
                    result = e.neg(result);
                }
                if i.cc {
                    self.float_condition(result);
                }
                self.set_reg(i.dst, LaneValue::normal(result));
            }
            FloatFormat::F64 => {
                let mut wide = double_of_int(e, value, i.signed || small);
                if neg {
                    wide = e.both(wide, |e, half| e.b.ins().fneg(half));
                }
                self.set_double(i.dst, wide);
            }
        }
        Ok(())
    }

    fn i2i(&mut self, i: IntToInt) -> Done {
        // 64 bits do not occur here: their code means a word.
        let value = self.int_source(i.b, i.from, i.from_signed, i.byte);
        let result = if i.sat {
            self.saturated(value, &i)
        } else {
            let value = if i.from_signed { self.magnitude(value, i.b.abs) } else { value };
            let value = if i.b.neg { self.ineg(value) } else { value };
            self.cut(value, i.to, false)
        };
        self.set_int_cc(i.dst, result, i.cc)
    }
}

impl Lower<'_, '_> {
    /// F2F to f64.
    fn double_from(&mut self, i: &FloatToFloat) {
        let mut value = self.wide_source(i.b, i.from, i.high, false);
        let e = self.e();
        if i.from == i.to && i.integer {
            value = e.both(value, |e, half| match i.rounding {
                Rounding::Nearest => e.b.ins().nearest(half),
                Rounding::Down => e.b.ins().floor(half),
                Rounding::Up => e.b.ins().ceil(half),
                Rounding::Zero => e.b.ins().trunc(half),
            });
        }
        // A NaN is made quiet.
        let nan = e.dcompare(FloatCC::Unordered, value, value);
        let [low, high] = e.double_words(value);
        let quiet = e.i(0x0008_0000);
        let bit = e.iand(I32x4(nan.0), quiet);
        let high = e.ior(high, bit);
        if i.cc {
            self.double_condition(value);
        }
        self.set_int(i.dst, low);
        self.set_int(Self::following(i.dst, 1), high);
    }

    /// F2F to f16.
    fn half_from(&mut self, i: &FloatToFloat) {
        let nearest = i.from != FloatFormat::F64 && (i.rounding == Rounding::Nearest || i.from == FloatFormat::F16);
        let bits = if nearest {
            let mut value = self.float_source(i.b, i.from, i.high, i.ftz);
            if i.from == i.to && i.integer {
                value = whole(self.e(), i.rounding, value);
            }
            if i.sat {
                value = self.e().clamp(value, 0.0, 1.0);
            }
            self.half_bits(value)
        } else {
            let mut value = self.wide_source(i.b, i.from, i.high, i.ftz);
            let e = self.e();
            if i.sat {
                // NaN becomes 0.
                let (zero, one) = (e.d(0.0), e.d(1.0));
                value = e.pairwise(value, zero, |e, v, zero| {
                    let above = e.b.ins().fcmp(FloatCC::GreaterThan, v, zero);
                    let above = e.cast(above, F64X2);
                    e.b.ins().bitselect(above, v, zero)
                });
                value = e.pairwise(value, one, |e, v, one| {
                    let below = e.b.ins().fcmp(FloatCC::LessThan, v, one);
                    let below = e.cast(below, F64X2);
                    e.b.ins().bitselect(below, v, one)
                });
            }
            let sources = e.double_words(value);
            let [bits] = self.libcall(Libcall::Half, i.rounding.bits().into(), &sources);
            bits
        };
        if i.cc {
            let value = self.half_float(bits, false);
            self.float_condition(value);
        }
        self.set_int(i.dst, bits);
    }

    /// I2F from or to formats that need libcalls.
    fn int_to_float(&mut self, i: &IntToFloat) {
        let sources = if i.from == IntSize::Bits64 {
            self.long_source(i.b.value)
        } else {
            let mut low = self.int_source(i.b, i.from, i.signed, i.byte);
            if i.signed {
                low = self.signed_in_size(low, i.b, i.from);
            }
            let e = self.e();
            let high = if i.signed { e.ishr(low, 31) } else { e.i(0) };
            [low, high]
        };
        let wide = i.from == IntSize::Bits64;
        let (abs, neg) = (i.b.abs && wide, i.b.neg && (wide || !i.signed));
        let code = IntFloat { signed: i.signed, abs, neg, to: i.to, rounding: i.rounding }.pack();
        let [low, high] = self.libcall(Libcall::Float, code, &sources);
        match i.to {
            FloatFormat::F64 => {
                if i.cc {
                    let value = self.e().double_of_words(low, high);
                    self.double_condition(value);
                }
                self.set_int(Self::following(i.dst, 1), high);
            }
            FloatFormat::F16 if i.cc => {
                let value = self.half_float(low, false);
                self.float_condition(value);
            }
            _ if i.cc => {
                let value = self.e().float_of_bits(low);
                self.float_condition(value);
            }
            _ => {}
        }
        self.set_int(i.dst, low);
    }

    /// The low bits, extended.
    fn cut(&mut self, value: I32x4, to: IntSize, signed: bool) -> I32x4 {
        let bits = match to {
            IntSize::Bits8 => 24,
            IntSize::Bits16 => 16,
            IntSize::Bits32 | IntSize::Bits64 => return value,
        };
        let e = self.e();
        let up = e.ishl(value, bits);
        if signed { e.ishr(up, bits) } else { e.ushr(up, bits) }
    }

    /// An integer of 33 bits and a sign, saturated, in sign and magnitude.
    fn saturated(&mut self, value: I32x4, i: &IntToInt) -> I32x4 {
        let magnitude = self.magnitude(value, i.from_signed);
        let e = self.e();
        let sign = if i.from_signed && !i.b.abs { e.ishr(value, 31) } else { e.i(0) };
        let negative = Mask(if i.b.neg { e.b.ins().bnot(sign.0) } else { sign.0 });
        let bits = match i.to {
            IntSize::Bits8 => 8,
            IntSize::Bits16 => 16,
            IntSize::Bits32 | IntSize::Bits64 => 32,
        };
        let (low, high) = match i.to_signed {
            true => (1u32 << (bits - 1), (1u32 << (bits - 1)) - 1),
            false => (0, (u64::MAX >> (64 - bits)) as u32),
        };
        let (low, high) = (e.i(low as i32), e.i(high as i32));
        let (below, above) = (e.umin(magnitude, low), e.umin(magnitude, high));
        let zero = e.i(0);
        let below = e.isub(zero, below);
        e.iselect(negative, below, above)
    }
}
