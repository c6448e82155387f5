//! Floating-point arithmetic as the contract has it: every rounding, flushing, NaN.
//!
//! f32 is computed in f64: products are exact there, and inexact sums are rounded to odd, so that rounding again gives
//! the
//! correctly rounded result (Boldo and Melquiond: Emulation of FMA and correctly rounded sums).

use triglyph_guest::num::half;
use triglyph_guest::num::ops::Scalar;
use triglyph_guest::tegra::shader::modifiers::{FloatCompare, Rounding};

/// Every NaN that arithmetic of f32 gives.
pub const NAN: u32 = 0x7FFF_FFFF;
/// Every NaN that arithmetic of f16 gives.
pub const HALF_NAN: u32 = 0x7FFF;

/// Bits of a result.
pub fn bits(v: f32) -> u32 {
    if v.is_nan() { NAN } else { v.to_bits() }
}

/// 0 of the same sign for a denormal number.
pub fn flush(v: f32) -> f32 {
    if v.abs() < f32::MIN_POSITIVE { 0f32.copysign(v) } else { v }
}

/// `v` flushed, if `wanted`.
pub fn flush_if(wanted: bool, v: f32) -> f32 {
    if wanted { flush(v) } else { v }
}

/// `v` within 0 and 1; NaN and -0 become +0.
pub fn saturate(v: f32) -> f32 {
    if v > 0.0 { v.min(1.0) } else { 0.0 }
}

/// The bits of a result, after flushing and saturation.
pub fn finish(v: f32, ftz: bool, sat: bool) -> u32 {
    let v = flush_if(ftz, v);
    bits(if sat { saturate(v) } else { v })
}

/// The sum, brought to the odd one of its neighbours where it is not exact.
pub fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // Two-sum (Knuth): the error is exact.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error == 0.0 || sum.to_bits() & 1 != 0 {
        return sum;
    }
    // Away from zero if the error has the sum's sign.
    if (error > 0.0) == (sum > 0.0) { f64::from_bits(sum.to_bits() + 1) } else { f64::from_bits(sum.to_bits() - 1) }
}

/// The sign of an exact zero sum.
fn zero_sum(sum: f64, a: f64, b: f64, rounding: Rounding) -> f64 {
    let mixed = a.is_sign_negative() != b.is_sign_negative();
    if sum == 0.0 && mixed { if rounding == Rounding::Down { -0.0 } else { 0.0 } } else { sum }
}

/// An f64 as f32. It is exact, or odd.
pub fn to_f32(v: f64, rounding: Rounding) -> f32 {
    let nearest = v as f32;
    let back = f64::from(nearest);
    if back == v || v.is_nan() {
        return nearest;
    }
    match rounding {
        Rounding::Down if back > v => nearest.next_down(),
        Rounding::Up if back < v => nearest.next_up(),
        Rounding::Zero if back.abs() > v.abs() && back > 0.0 => nearest.next_down(),
        Rounding::Zero if back.abs() > v.abs() => nearest.next_up(),
        _ => nearest,
    }
}

/// a + b
pub fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return a + b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    to_f32(zero_sum(odd_sum(a, b), a, b, rounding), rounding)
}

/// a * b * scale, the latter a power of two.
pub fn mul(a: f32, b: f32, scale: f64, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest && scale == 1.0 {
        return a * b;
    }
    to_f32(f64::from(a) * f64::from(b) * scale, rounding)
}

/// a * b + c, rounded once.
pub fn fma(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    if rounding == Rounding::Nearest {
        // Rounding twice is right where the first sum does not lie in the middle between two f32.
        let sum = product + c;
        let nearest = sum as f32;
        if sum.to_bits() & 0x1FFF_FFFF != 0x1000_0000 && nearest.abs() >= f32::MIN_POSITIVE {
            return nearest;
        }
    }
    to_f32(zero_sum(odd_sum(product, c), product, c, rounding), rounding)
}

/// A comparison.
pub fn compare(operation: FloatCompare, a: f64, b: f64) -> bool {
    use FloatCompare as Op;
    let unordered = a.is_nan() || b.is_nan();
    match operation {
        Op::False => false,
        Op::Less => a < b,
        Op::Equal => a == b,
        Op::LessOrEqual => a <= b,
        Op::Greater => a > b,
        Op::NotEqual => !unordered && a != b,
        Op::GreaterOrEqual => a >= b,
        Op::Num => !unordered,
        Op::Nan => unordered,
        Op::LessU => unordered || a < b,
        Op::EqualU => unordered || a == b,
        Op::LessOrEqualU => unordered || a <= b,
        Op::GreaterU => unordered || a > b,
        Op::NotEqualU => unordered || a != b,
        Op::GreaterOrEqualU => unordered || a >= b,
        Op::True => true,
    }
}

/// The smaller or the larger one: of a NaN and a number the number, -0 less than +0. NaN if both are.
pub fn choose(smaller: bool, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { b } else { a };
    }
    let a_less = a < b || a == b && a.is_sign_negative();
    if a_less == smaller { a } else { b }
}

/// A number to an integer, as a number.
pub fn integral(v: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => v.round_ties_even(),
        Rounding::Down => v.floor(),
        Rounding::Up => v.ceil(),
        Rounding::Zero => v.trunc(),
    }
}

/// The value of a half.
pub fn from_half(bits: u32) -> f32 {
    half::value(&mut Scalar, (bits & 0xFFFF) as i32)
}

/// An f64 as half. It is exact, or odd.
pub fn to_half(v: f64, rounding: Rounding) -> u32 {
    if v.is_nan() {
        return HALF_NAN;
    }
    let sign = u32::from(v.is_sign_negative()) << 15;
    if v.is_infinite() || v == 0.0 {
        return sign | if v == 0.0 { 0 } else { 0x7C00 };
    }
    // Numbers below the smallest normal one are multiples of its last place. Exact: a power of two.
    let exponent = ((v.to_bits() >> 52 & 0x7FF) as i32 - 1023).clamp(-14, 16);
    let units = v * f64::powi(2.0, 10 - exponent);
    let whole = integral(units, rounding).abs();
    // The leading one of a normal number adds 1 to the exponent, a carry another one.
    let stored = whole.min(4096.0) as u32 + ((exponent + 14) << 10) as u32;
    let towards_zero = match rounding {
        Rounding::Nearest => false,
        Rounding::Down => sign == 0,
        Rounding::Up => sign != 0,
        Rounding::Zero => true,
    };
    sign | stored.min(if towards_zero { 0x7BFF } else { 0x7C00 })
}

/// 0 of the same sign for a denormal half.
pub fn flush_half(bits: u32) -> u32 {
    if bits & 0x7C00 == 0 { bits & 0x8000 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Rounding; 4] = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];

    #[test]
    fn sums_round_once_in_every_direction() {
        let tiny = f32::from_bits(1);
        for (a, b, want) in [
            (1.0, tiny, [1.0, 1.0, 1f32.next_up(), 1.0]),
            (-1.0, tiny, [-1.0, -1.0, (-1f32).next_up(), (-1f32).next_up()]),
            (f32::MAX, f32::MAX, [f32::INFINITY, f32::MAX, f32::INFINITY, f32::MAX]),
            (1.0, -1.0, [0.0, -0.0, 0.0, 0.0]),
            (-0.0, -0.0, [-0.0; 4]),
            (0.0, 0.0, [0.0; 4]),
        ] {
            let got = MODES.map(|mode| add(a, b, mode).to_bits());
            assert_eq!(got, want.map(f32::to_bits), "{a} + {b}");
        }
    }

    #[test]
    fn fused_products_are_those_of_the_library() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(0x9E37_79B9) ^ (state >> 15) ^ 0x5851_F42D;
            f32::from_bits(state)
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let (got, want) = (fma(a, b, c, Rounding::Nearest), a.mul_add(b, c));
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a} * {b} + {c}: {got}, not {want}"
            );
            let near = (a.abs().sqrt(), b.abs().sqrt().recip());
            let (got, want) = (
                fma(near.0, near.1, -(near.0 * near.1), Rounding::Nearest),
                near.0.mul_add(near.1, -(near.0 * near.1)),
            );
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{near:?}: {got}, not {want}");
        }
    }

    #[test]
    fn halves_round_as_numbers_do() {
        for bits in (0..0x7C00).step_by(7) {
            let (low, high) = (f64::from(from_half(bits)), f64::from(from_half(bits + 1)));
            if high.is_infinite() {
                continue;
            }
            assert_eq!(MODES.map(|mode| to_half(low, mode)), [bits; 4]);
            let above = (low + high) / 2.0 + (high - low) / 8.0;
            assert_eq!(MODES.map(|mode| to_half(above, mode)), [bits + 1, bits, bits + 1, bits]);
            assert_eq!(MODES.map(|mode| to_half(-above, mode) & 0x7FFF), [bits + 1, bits + 1, bits, bits]);
            let even = bits + (bits & 1);
            assert_eq!(to_half((low + high) / 2.0, Rounding::Nearest), even);
        }
        assert_eq!(MODES.map(|mode| to_half(65520.0, mode)), [0x7C00, 0x7BFF, 0x7C00, 0x7BFF]);
        assert_eq!(MODES.map(|mode| to_half(-1e300, mode)), [0xFC00, 0xFC00, 0xFBFF, 0xFBFF]);
        assert_eq!(to_half(f64::NAN, Rounding::Nearest), HALF_NAN);
    }
}
