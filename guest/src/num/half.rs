//! IEEE halves (1.5.10) over the operations of [`Ops`]: rounded to nearest, ties to even, but for [`cut`], with
//! overflow to infinity and with subnormals. A NaN becomes the quiet one of its sign, 0x7E00 or 0xFE00.

use super::ops::Ops;

/// The nearest half, as an f32.
pub fn round<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let (sign, magnitude) = parts(o, x);

    // Normal halves: 13 bits of the mantissa go, a half of the last place is added first, a bit less where it is even.
    let (one, half, low) = (o.i(1), o.i(0xFFF), o.i(!0x1FFF));
    let odd = o.ishr(magnitude, 13);
    let odd = o.iand(odd, one);
    let normal = o.iadd(magnitude, half);
    let normal = o.iadd(normal, odd);
    let normal = o.iand(normal, low);
    let normal = o.float_of_bits(normal);

    // Subnormal halves are multiples of 2^-24, the last place of numbers from 0.5 on.
    let shift = o.f(0.5);
    let value = o.float_of_bits(magnitude);
    let subnormal = o.add(value, shift);
    let subnormal = o.sub(subnormal, shift);
    of_range(o, value, sign, [subnormal, normal], 65520.0)
}

/// The bit of the sign, and the others.
fn parts<O: Ops>(o: &mut O, x: O::F) -> (O::I, O::I) {
    let bits = o.bits(x);
    let (sign, magnitude) = (o.i(i32::MIN), o.i(i32::MAX));
    (o.iand(bits, sign), o.iand(bits, magnitude))
}

/// The result for a magnitude: one of these for a subnormal and a normal half, infinity from `limit` on, NaN for NaN.
fn of_range<O: Ops>(o: &mut O, value: O::F, sign: O::I, [subnormal, normal]: [O::F; 2], limit: f32) -> O::F {
    let (smallest, limit) = (o.f(SMALLEST), o.f(limit));
    let is_subnormal = o.lt(value, smallest);
    let is_finite = o.lt(value, limit);
    let is_nan = o.unordered(value, value);
    let (infinity, nan) = (o.f(f32::INFINITY), o.f(f32::from_bits(NAN)));
    let half = o.select(is_subnormal, subnormal, normal);
    let half = o.select(is_finite, half, infinity);
    let half = o.select(is_nan, nan, half);
    let half = o.bits(half);
    let signed = o.ior(half, sign);
    o.float_of_bits(signed)
}

/// The half next to `x` towards zero, as an f32; infinity from 65536 on.
pub fn cut<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let (sign, magnitude) = parts(o, x);
    let normal = cut_mantissa(o, magnitude);
    let normal = o.float_of_bits(normal);

    // Subnormal halves are multiples of 2^-24, the last place of numbers from 0.5 on: one less where that rounds up.
    let (shift, step) = (o.f(0.5), o.f(1.0 / 16_777_216.0));
    let value = o.float_of_bits(magnitude);
    let nearest = o.add(value, shift);
    let nearest = o.sub(nearest, shift);
    let lower = o.sub(nearest, step);
    let is_above = o.lt(value, nearest);
    let subnormal = o.select(is_above, lower, nearest);
    of_range(o, value, sign, [subnormal, normal], 65536.0)
}

/// The bits of an f32 without those of its mantissa that a half does not have.
pub fn cut_mantissa<O: Ops>(o: &mut O, bits: O::I) -> O::I {
    let kept = o.i(!0x1FFF);
    o.iand(bits, kept)
}

/// Smallest normal half.
const SMALLEST: f32 = 1.0 / 16384.0;
/// The quiet NaN of f32.
const NAN: u32 = 0x7FC0_0000;

/// The 16 bits of the nearest half, in the low bits.
pub fn bits<O: Ops>(o: &mut O, x: O::F) -> O::I {
    let rounded = round(o, x);
    let rounded = o.bits(rounded);
    let (sign, magnitude) = (o.i(0x8000), o.i(i32::MAX));
    let high = o.ishr(rounded, 16);
    let sign = o.iand(high, sign);
    let magnitude = o.iand(rounded, magnitude);
    let value = o.float_of_bits(magnitude);

    // The exponent's bias is 15 instead of 127.
    let bias = o.i(112 << 10);
    let normal = o.ishr(magnitude, 13);
    let normal = o.isub(normal, bias);

    let (unit, smallest, largest) = (o.f(16_777_216.0), o.f(SMALLEST), o.f(65504.0));
    let is_subnormal = o.lt(value, smallest);
    let is_large = o.lt(largest, value);
    let is_nan = o.unordered(value, value);
    let zero = o.f(0.0);
    let below = o.select(is_subnormal, value, zero);
    let subnormal = o.mul(below, unit);
    let subnormal = o.to_int(subnormal);

    let (infinity, nan) = (o.i(0x7C00), o.i(0x7E00));
    let [normal, subnormal, infinity, nan] = [normal, subnormal, infinity, nan].map(|i| o.float_of_bits(i));
    let half = o.select(is_subnormal, subnormal, normal);
    let half = o.select(is_large, infinity, half);
    let half = o.select(is_nan, nan, half);
    let half = o.bits(half);
    o.ior(half, sign)
}

/// The value of the half in the low 16 bits.
pub fn value<O: Ops>(o: &mut O, half: O::I) -> O::F {
    let (sign, magnitude) = (o.i(0x8000), o.i(0x7FFF));
    let sign = o.iand(half, sign);
    let sign = o.ishl(sign, 16);
    let magnitude = o.iand(half, magnitude);
    // Moved to the top, the exponent's bias is still 15: exact, also where the f32 is subnormal.
    let moved = o.ishl(magnitude, 13);
    let moved = o.float_of_bits(moved);
    let scale = o.f(f32::from_bits((127 + 112) << 23));
    let value = o.mul(moved, scale);
    // The largest exponent means infinity, with a mantissa NaN.
    let (largest, limit) = (o.f(65504.0), o.f(65536.0));
    let (infinity, nan) = (o.f(f32::INFINITY), o.f(f32::from_bits(NAN)));
    let is_large = o.lt(largest, value);
    let is_nan = o.lt(limit, value);
    let value = o.select(is_large, infinity, value);
    let value = o.select(is_nan, nan, value);
    let value = o.bits(value);
    let signed = o.ior(value, sign);
    o.float_of_bits(signed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::F16;
    use crate::num::ops::Scalar;

    #[test]
    fn every_half_is_itself() {
        for half in 0..=0xFFFF_u32 {
            let exact = F16::decode(half);
            let decoded = value(&mut Scalar, half as i32);
            assert_eq!(decoded.to_bits(), exact.to_bits(), "{half:#06x}");
            assert_eq!(round(&mut Scalar, exact).to_bits(), exact.to_bits(), "{half:#06x}");
            assert_eq!(cut(&mut Scalar, exact).to_bits(), exact.to_bits(), "{half:#06x}");
            let expected = if exact.is_nan() { half & 0x8000 | 0x7E00 } else { half };
            assert_eq!(bits(&mut Scalar, exact) as u32, expected, "{half:#06x}");
        }
    }

    #[test]
    fn values_between_two_halves_go_to_the_nearer_one_and_ties_to_even() {
        for half in 0..0x7C00_u32 {
            let (low, high) = (f64::from(F16::decode(half)), f64::from(F16::decode(half + 1)));
            let high = if high.is_infinite() { 65536.0 } else { high };
            let even = half + (half & 1);
            for (weight, expected) in [(0.25, half), (0.5, even), (0.75, half + 1)] {
                let x = (low + (high - low) * weight) as f32;
                assert_eq!(bits(&mut Scalar, x) as u32, expected, "{x} above {half:#06x}");
                assert_eq!(bits(&mut Scalar, -x) as u32, expected | 0x8000, "{x} above {half:#06x}");
                assert_eq!(round(&mut Scalar, x).to_bits(), F16::decode(expected).to_bits());
                assert_eq!(cut(&mut Scalar, x).to_bits(), F16::decode(half).to_bits());
                assert_eq!(cut(&mut Scalar, -x).to_bits(), F16::decode(half | 0x8000).to_bits());
            }
        }
    }

    #[test]
    fn what_lies_outside_becomes_zero_or_infinity() {
        for (x, expected) in [
            (1e-30, 0),
            (-1e-45, 0x8000),
            (2.0f32.powi(-25), 0),
            (65519.0, 0x7BFF),
            (65520.0, 0x7C00),
            (-1e30, 0xFC00),
            (f32::NEG_INFINITY, 0xFC00),
            (f32::from_bits(0xFF80_0001), 0xFE00),
        ] {
            assert_eq!(bits(&mut Scalar, x) as u32, expected, "{x}");
        }
    }
}
