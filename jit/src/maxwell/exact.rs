//! Sums and products of f32 in an instruction's rounding mode, computed in f64: there a product is exact, and the error
//! of a sum is another f64 (Knuth's two-sum). Cost matters little: programs use other modes than to nearest only in
//! emulated divisions.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::FloatCC;
use triglyph_guest::num::mufu::MufuOps;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::modifiers::Rounding;

use crate::lane::{Emit, F32x4, F64x4, I32x4, Mask};

/// A product and an addend, exactly, and their sum rounded to nearest.
struct Fused {
    product: F64x4,
    addend: F64x4,
    /// The sum rounded to f64.
    sum: F64x4,
    value: F32x4,
    /// The exact sum less `value`, rounded to f64.
    rest: F64x4,
}

fn nearest(e: &mut Emit<'_>, a: F32x4, b: F32x4, c: F32x4) -> Fused {
    let [a, b, addend] = [a, b, c].map(|v| e.widen(v));
    let product = e.dmul(a, b);
    let (sum, error) = two_sum(e, product, addend);
    let value = e.narrow(sum);
    let wide = e.widen(value);
    let rest = e.dsub(sum, wide);
    let rest = e.dadd(rest, error);
    Fused { product, addend, sum, value, rest }
}

/// `a * b + c`, rounded once.
pub fn fused(e: &mut Emit<'_>, how: Rounding, a: F32x4, b: F32x4, c: F32x4) -> F32x4 {
    if how == Rounding::Nearest {
        return F32x4(e.b.ins().fma(a.0, b.0, c.0));
    }
    let Fused { product, addend, sum, value, rest } = nearest(e, a, b, c);
    let stepped = step(e, how, value, rest);
    if how != Rounding::Down {
        return stepped;
    }
    // An exact 0 is -0, unless both are +0.
    let zero = e.d(0.0);
    let cancelled = e.dcompare(FloatCC::Equal, sum, zero);
    let [product, addend] = [product, addend].map(|v| e.double_words(v)[1]);
    let signs = e.ior(product, addend);
    let top = e.i(i32::MIN);
    let signed = e.iand(signs, top);
    let signed = e.float_of_bits(signed);
    e.select(cancelled, signed, stepped)
}

/// `a * b + c` rounded to odd: an inexact result becomes the neighbour whose last bit is set. Rounding it again to 22
/// bits or fewer is as if rounded once.
pub fn fused_odd(e: &mut Emit<'_>, a: F32x4, b: F32x4, c: F32x4) -> F32x4 {
    let Fused { value, rest, .. } = nearest(e, a, b, c);
    let (down, up) = (step(e, Rounding::Down, value, rest), step(e, Rounding::Up, value, rest));
    // One of the two candidates is the value itself, the other one its neighbour on the side of the exact result.
    let [value, down, up] = [value, down, up].map(|v| e.bits(v));
    let moved = e.ieq(down, value);
    let neighbour = e.iselect(moved, up, down);
    let one = e.i(1);
    let last = e.iand(value, one);
    let odd = e.ieq(last, one);
    let value = e.iselect(odd, value, neighbour);
    e.float_of_bits(value)
}

/// `a + b`
pub fn sum(e: &mut Emit<'_>, how: Rounding, a: F32x4, b: F32x4) -> F32x4 {
    if how == Rounding::Nearest {
        return e.add(a, b);
    }
    let one = e.f(1.0);
    fused(e, how, a, one, b)
}

/// `a * b * 2^scale`, rounded once.
pub fn product(e: &mut Emit<'_>, how: Rounding, a: F32x4, b: F32x4, scale: i32) -> F32x4 {
    if how == Rounding::Nearest && scale == 0 {
        return e.mul(a, b);
    }
    let [a, b] = [a, b].map(|v| e.widen(v));
    let mut product = e.dmul(a, b);
    if scale != 0 {
        let factor = e.d(2f64.powi(scale));
        product = e.dmul(product, factor);
    }
    let value = e.narrow(product);
    let wide = e.widen(value);
    let rest = e.dsub(product, wide);
    step(e, how, value, rest)
}

/// The f32 of a double, rounded.
pub fn narrow(e: &mut Emit<'_>, how: Rounding, a: F64x4) -> F32x4 {
    let value = e.narrow(a);
    let wide = e.widen(value);
    let rest = e.dsub(a, wide);
    step(e, how, value, rest)
}

/// The sum and its error. Where the sum is not finite, the error is NaN or infinite: no step is taken.
fn two_sum(e: &mut Emit<'_>, a: F64x4, b: F64x4) -> (F64x4, F64x4) {
    let sum = e.dadd(a, b);
    let b_part = e.dsub(sum, a);
    let a_part = e.dsub(sum, b_part);
    let b_error = e.dsub(b, b_part);
    let a_error = e.dsub(a, a_part);
    (sum, e.dadd(a_error, b_error))
}

/// `value`, which is rounded to nearest, or its neighbour if the rounding mode requires it; `rest` is the error.
fn step(e: &mut Emit<'_>, how: Rounding, value: F32x4, rest: F64x4) -> F32x4 {
    if how == Rounding::Nearest {
        return value;
    }
    let zero = e.d(0.0);
    let below = e.dcompare(FloatCC::LessThan, rest, zero);
    let above = e.dcompare(FloatCC::GreaterThan, rest, zero);
    let bits = e.bits(value);
    // All ones for negative numbers.
    let negative = Mask(e.ishr(bits, 31).0);
    // As bits, one step up is +1 for positive numbers and -1 for negative ones.
    let change = match how {
        Rounding::Nearest => return value,
        Rounding::Down => {
            // -1 where the step is down, reversed for negative numbers.
            let both = e.and(below, negative);
            let down = e.and_not(below, negative);
            e.isub(I32x4(down.0), I32x4(both.0))
        }
        Rounding::Up => {
            let both = e.and(above, negative);
            let up = e.and_not(above, negative);
            e.isub(I32x4(both.0), I32x4(up.0))
        }
        Rounding::Zero => {
            let shrink_positive = e.and_not(below, negative);
            let shrink_negative = e.and(above, negative);
            let all = e.or(shrink_positive, shrink_negative);
            I32x4(all.0)
        }
    };
    let bits = e.iadd(bits, change);
    e.float_of_bits(bits)
}
