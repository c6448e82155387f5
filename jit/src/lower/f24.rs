//! Arithmetic in 24-bit floats ([`Numbers::F24`](triglyph_guest::kernel::vertex::Numbers::F24)).
//!
//! Registers are f32 lanes as everywhere, for they hold every 24-bit float. An operation makes two times two f64 lanes
//! of its operands, where a product of 17-bit mantissas is exact, cuts the bits that 24-bit floats do not have and
//! converts back: some thirty instructions for a product. Nothing falls back to the interpreter.

use cranelift_codegen::ir::types::{F32X4, F64X2, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::f24;
use triglyph_guest::num::ops::Ops;

use super::Lower;
use super::alu::Dot;
use super::decode::Operand;
use super::registers::{Number, normal};
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// Bits of an f32's mantissa that 24-bit floats do not have.
const CUT: i32 = 0x7F;

/// The smallest normal magnitude, 2^-62.
const SMALLEST: f32 = f24::SMALLEST as f32;

/// From this magnitude on there is only infinity, 2^64; times itself it is infinity in f32.
const OVERFLOW: f32 = f24::OVERFLOW as f32;

/// Four lanes of f64: the first two, the others.
#[derive(Clone, Copy)]
struct Wide([Value; 2]);

impl Lower<'_, '_> {
    /// Products from x on, then their sums from x on, each of them cut.
    pub fn f24_dot(&mut self, a: &Operand, b: &Operand, terms: Dot) -> Number {
        let last = if terms == Dot::Xyz { 2 } else { 3 };
        let mut total: Option<Number> = None;
        for c in 0..=last {
            let one = terms == Dot::Homogeneous && c == 3;
            let a = if one { normal(self.e.f(1.0)) } else { self.source(a, c) };
            let b = self.source(b, c);
            let product = product(self.e, a, b);
            total = Some(match total {
                Some(total) => sum(self.e, total, product),
                None => product,
            });
        }
        total.unwrap_or_else(|| normal(self.e.f(0.0)))
    }
}

/// A function that is computed in f32; its result is cut.
pub fn function(e: &mut Emit<'_>, x: Number, of: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> Number {
    let x = operand(e, x);
    let value = of(e, x);
    let cut = cut(e, value);
    normal(within_range(e, cut))
}

pub fn reciprocal(e: &mut Emit<'_>, x: Number) -> Number {
    let x = operand(e, x);
    let one = Wide([e.doubles(1.0); 2]);
    let wide = widen(e, x);
    let quotient = both(one, wide, |a, b| e.b.ins().fdiv(a, b));
    normal(result(e, quotient))
}

pub fn reciprocal_root(e: &mut Emit<'_>, x: Number) -> Number {
    let x = operand(e, x);
    let one = Wide([e.doubles(1.0); 2]);
    let wide = widen(e, x);
    let root = Wide(wide.0.map(|half| e.b.ins().sqrt(half)));
    let quotient = both(one, root, |a, b| e.b.ins().fdiv(a, b));
    normal(result(e, quotient))
}

pub fn sum(e: &mut Emit<'_>, a: Number, b: Number) -> Number {
    let [a, b] = [a, b].map(|number| {
        let value = operand(e, number);
        widen(e, value)
    });
    let sum = both(a, b, |a, b| e.b.ins().fadd(a, b));
    normal(result(e, sum))
}

/// 0 * infinity is 0.
pub fn product(e: &mut Emit<'_>, a: Number, b: Number) -> Number {
    let values = [a, b].map(|number| operand(e, number));
    let [wide_a, wide_b] = values.map(|value| widen(e, value));
    let product = both(wide_a, wide_b, |a, b| e.b.ins().fmul(a, b));
    let value = result(e, product);
    // NaN without a NaN among the factors is 0 * infinity, which is 0.
    let (nan, given) = (e.unordered(value, value), e.unordered(values[0], values[1]));
    let wrong = e.and_not(nan, given);
    let bits = e.bits(value);
    let bits = e.and_not(Mask(bits.0), wrong);
    normal(e.float_of_bits(I32x4(bits.0)))
}

/// Without the bits of the mantissa that 24-bit floats do not have; NaN stays one.
fn cut(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let (bits, cut) = (e.bits(value), e.i(!CUT));
    let nan = e.unordered(value, value);
    let cut = e.iand(bits, cut);
    let kept = e.or(Mask(cut.0), nan);
    e.float_of_bits(I32x4(kept.0))
}

fn both(a: Wide, b: Wide, mut f: impl FnMut(Value, Value) -> Value) -> Wide {
    Wide([f(a.0[0], b.0[0]), f(a.0[1], b.0[1])])
}

/// A number as arithmetic takes it: subnormals are +0, as is -0.
fn operand(e: &mut Emit<'_>, number: Number) -> F32x4 {
    if number.normal { number.value } else { flush(e, number.value) }
}

/// The value, +0 below the smallest normal magnitude.
fn flush(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let (magnitude, smallest) = (e.abs(value), e.f(SMALLEST));
    let small = e.lt(magnitude, smallest);
    let bits = e.bits(value);
    let kept = e.and_not(Mask(bits.0), small);
    e.float_of_bits(I32x4(kept.0))
}

/// A value of 17 bits, +0 below the smallest normal magnitude and infinity above the largest.
fn within_range(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let value = flush(e, value);
    let (up, down) = (e.f(OVERFLOW), e.f(1.0 / OVERFLOW));
    let value = e.mul(value, up);
    e.mul(value, down)
}

fn widen(e: &mut Emit<'_>, value: F32x4) -> Wide {
    let upper = e.shuffle(value.0, value.0, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
    Wide([value.0, upper].map(|half| e.b.ins().fvpromote_low(half)))
}

/// An exact or rounded result, cut.
fn result(e: &mut Emit<'_>, wide: Wide) -> F32x4 {
    let cut = e.longs(!f24::CUT);
    let halves = wide.0.map(|half| {
        let bits = e.cast(half, I64X2);
        let bits = e.b.ins().band(bits, cut);
        let half = e.cast(bits, F64X2);
        // Exact, but for what is out of range.
        e.b.ins().fvdemote(half)
    });
    let value = e.shuffle(halves[0], halves[1], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
    debug_assert_eq!(e.b.func.dfg.value_type(value), F32X4);
    within_range(e, F32x4(value))
}

/// What a register holds of floats that come from an array, see [`f24::load`].
pub(super) fn load(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    // Subnormals as multiples of the smallest one.
    let (up, down) = (e.f(f32::from_bits((127 + 78) << 23)), e.f(f32::from_bits((127 - 78) << 23)));
    let units = e.mul(value, up);
    let units = F32x4(e.b.ins().trunc(units.0));
    let subnormal = e.mul(units, down);

    let cut = cut(e, value);
    let (up, down) = (e.f(OVERFLOW), e.f(1.0 / OVERFLOW));
    let cut = e.mul(cut, up);
    let cut = e.mul(cut, down);

    let (magnitude, smallest) = (e.abs(value), e.f(SMALLEST));
    let small = e.lt(magnitude, smallest);
    e.select(small, subnormal, cut)
}
