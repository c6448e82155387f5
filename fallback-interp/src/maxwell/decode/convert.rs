//! Conversions.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{FloatFormat, IntSize, Rounding};

use crate::maxwell::context::Context;
use crate::maxwell::double;
use crate::maxwell::lane::{Condition, Lane};
use crate::maxwell::number::{self, flush_if, from_half, integral, saturate, to_f32, to_half};
use crate::maxwell::program::{Decoder, Op};

/// A source in its format, after signs.
fn source(lane: &Lane, b: Src<Operand>, from: FloatFormat, high: bool, ftz: bool, context: &Context<'_>) -> f64 {
    let sign = |v: f64| {
        let v = if b.abs { v.abs() } else { v };
        if b.neg { -v } else { v }
    };
    match from {
        FloatFormat::F16 => {
            let bits = lane.operand(b.value, context) >> if high { 16 } else { 0 };
            sign(from_half(bits).into())
        }
        FloatFormat::F64 => lane.double(b, context),
        FloatFormat::F32 | FloatFormat::Unknown(_) => flush_if(ftz, lane.float(b, context)).into(),
    }
}

/// Stores a number, exact or odd, in a format.
fn store_float(
    lane: &mut Lane,
    dst: Reg,
    v: f64,
    to: FloatFormat,
    rounding: Rounding,
    (ftz, sat, cc): (bool, bool, bool),
) {
    let condition = match to {
        FloatFormat::F64 => {
            let v = if v.is_nan() { f64::from_bits(v.to_bits() | 1 << 51) } else { v };
            lane.write_pair(dst, v.to_bits());
            v
        }
        FloatFormat::F16 => {
            let v = if !sat {
                v
            } else if v > 0.0 {
                v.min(1.0)
            } else {
                0.0
            };
            let bits = to_half(v, rounding);
            lane.write(dst, bits);
            from_half(bits).into()
        }
        FloatFormat::F32 | FloatFormat::Unknown(_) => {
            let v = flush_if(ftz, to_f32(v, rounding));
            let v = if sat { saturate(v) } else { v };
            lane.write(dst, number::bits(v));
            v.into()
        }
    };
    lane.set_condition(cc, Condition::of_float(condition));
}

/// Bits of an integer.
fn size(size: IntSize) -> u32 {
    match size {
        IntSize::Bits8 => 8,
        IntSize::Bits16 => 16,
        IntSize::Bits32 => 32,
        IntSize::Bits64 => 64,
    }
}

/// The lower bits of a value, extended.
fn cut(value: i64, bits: u32, signed: bool) -> i64 {
    let shift = 64 - bits;
    if signed { value << shift >> shift } else { ((value as u64) << shift >> shift) as i64 }
}

/// Smallest and largest integer of a size.
fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// A part of an integer source.
fn part(lane: &Lane, b: Operand, from: IntSize, byte: u8, signed: bool, context: &Context<'_>) -> i64 {
    let value = match from {
        IntSize::Bits64 => lane.wide_operand(b, context),
        IntSize::Bits8 => u64::from(lane.operand(b, context) >> (8 * (byte & 3))),
        // Halves begin at bytes 0 and 2.
        IntSize::Bits16 => u64::from(lane.operand(b, context) >> (8 * (byte & 2))),
        IntSize::Bits32 => lane.operand(b, context).into(),
    };
    cut(value as i64, size(from), signed)
}

impl ConvertVisitor for Decoder<'_> {
    type Output = Op;

    fn f2f(&mut self, i: FloatToFloat) -> Op {
        let wide = i.from == FloatFormat::F64 || i.to == FloatFormat::F64;
        let ftz = self.flushes(i.ftz) && !wide;
        self.lane(i.guard, move |lane, context| {
            let v = source(lane, i.b, i.from, i.high, ftz, context);
            let v = if i.from == i.to && i.integer { integral(v, i.rounding) } else { v };
            store_float(lane, i.dst, v, i.to, i.rounding, (ftz, i.sat, i.cc));
        })
    }

    fn f2i(&mut self, i: FloatToInt) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let v = source(lane, i.b, i.from, i.high, ftz, context);
            let bits = size(i.to);
            let (low, high) = range(bits, i.signed);
            let value = match v.is_nan() {
                true if bits == 64 || i.from == FloatFormat::F64 => cut(1 << (bits - 1), bits, i.signed),
                true => 0,
                // The conversion saturates.
                false => (integral(v, i.rounding) as i128).clamp(low, high) as i64,
            };
            match i.to {
                IntSize::Bits64 => lane.write_pair(i.dst, value as u64),
                _ => lane.write(i.dst, value as u32),
            }
            lane.set_condition(i.cc, Condition::of(value as u32));
        })
    }

    fn i2f(&mut self, i: IntToFloat) -> Op {
        self.lane(i.guard, move |lane, context| {
            let value = part(lane, i.b.value, i.from, i.byte, i.signed, context);
            // The most negative number of its size stays; unsigned ones have no sign to lose.
            let in_size = |value: i64| cut(value, size(i.from), true);
            let value = if i.b.abs && i.signed { in_size(value.wrapping_abs()) } else { value };
            let value = if i.b.neg && i.signed { in_size(value.wrapping_neg()) } else { value };
            let negative = i.signed && value < 0;
            let magnitude = if negative { value.unsigned_abs() } else { value as u64 };
            let (v, rounding) = match i.to {
                FloatFormat::F64 => (double::from_integer(magnitude, negative, i.rounding), i.rounding),
                _ => (double::odd_from_integer(magnitude, negative), i.rounding),
            };
            // Unsigned ones are negated when they are rounded.
            let neg = i.b.neg && !i.signed;
            let rounding = match (neg, rounding) {
                (true, Rounding::Down) => Rounding::Up,
                (true, Rounding::Up) => Rounding::Down,
                (_, rounding) => rounding,
            };
            let v = if neg { -v } else { v };
            store_float(lane, i.dst, v, i.to, rounding, (false, false, i.cc));
        })
    }

    fn i2i(&mut self, i: IntToInt) -> Op {
        self.lane(i.guard, move |lane, context| {
            // Of 64 bits there are only 32 here.
            let from = if i.from == IntSize::Bits64 { IntSize::Bits32 } else { i.from };
            let value = part(lane, i.b.value, from, i.byte, i.from_signed, context);
            let value = if i.b.abs { value.abs() } else { value };
            let value = if i.b.neg { -value } else { value };
            let bits = size(i.to).min(32);
            let (low, high) = range(bits, i.to_signed);
            let value = match i.sat {
                true => i128::from(value).clamp(low, high) as i64,
                false => cut(value, bits, false),
            };
            lane.result(i.dst, value as u32, i.cc);
        })
    }
}
