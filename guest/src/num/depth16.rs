//! Floats of 16 bits that are depths (RSX), over the operations of [`Ops`]: 4 bits of exponent, whose bias is 7, and 12
//! of mantissa, no sign; 0x7000 is 1. Values are cut, those below 2^-6 are 0, those from 512 on 0xFFFF; NaN is 0.
//!
//! Hardware: depth buffers of the NV2A, a relative of the chip, in which each of 390 values is the one that is cut, and
//! none has an exponent of 0 (`docs/reference/nv2a.md`). RPCS3 has the same exponent and mantissa for the RSX.

use super::ops::Ops;

/// The largest f32 below 2^-6, which is the smallest depth.
const BELOW: u32 = 0x3C7F_FFFF;
/// The largest f32 below 512.
const MAX_BELOW_512: u32 = 0x43FF_FFFF;
/// The difference between the exponents of the two formats, as bits of an f32.
const BIAS: i32 = (127 - 7) << 23;

/// The 16 bits of a value.
pub fn bits<O: Ops>(o: &mut O, x: O::F) -> O::I {
    let (below, largest) = (o.f(f32::from_bits(BELOW)), o.f(f32::from_bits(MAX_BELOW_512)));
    let (zero, all, bias) = (o.f(0.0), o.i(0xFFFF), o.i(BIAS));
    let has_bits = o.lt(below, x);
    let is_large = o.lt(largest, x);
    let word = o.bits(x);
    let word = o.isub(word, bias);
    let word = o.ishr(word, 11);
    let [word, all] = [word, all].map(|i| o.float_of_bits(i));
    let word = o.select(is_large, all, word);
    let word = o.select(has_bits, word, zero);
    o.bits(word)
}

/// The value of 16 bits.
pub fn value<O: Ops>(o: &mut O, bits: O::I) -> O::F {
    let (bias, zero, below) = (o.i(BIAS), o.f(0.0), o.f(f32::from_bits(BELOW)));
    let word = o.ishl(bits, 11);
    let word = o.iadd(word, bias);
    let value = o.float_of_bits(word);
    let has_bits = o.lt(below, value);
    o.select(has_bits, value, zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::ops::Scalar;

    #[test]
    fn values_are_cut() {
        let all = [
            (0.0, 0),
            (0.015_624, 0),
            (0.015_625, 0x1000),
            (0.25, 0x5000),
            (0.999_999_9, 0x6FFF),
            (1.0, 0x7000),
            (511.9, 0xFFFE),
            (512.0, 0xFFFF),
            (f32::INFINITY, 0xFFFF),
            (-1.0, 0),
            (f32::NAN, 0),
        ];
        for (x, expected) in all {
            assert_eq!(bits(&mut Scalar, x), expected, "{x}");
        }
    }

    #[test]
    fn values_come_back() {
        for word in 0..=0xFFFF {
            let x = value(&mut Scalar, word);
            assert_eq!(bits(&mut Scalar, x), if word < 0x1000 { 0 } else { word });
        }
        assert_eq!(value(&mut Scalar, 0x7000), 1.0);
    }
}
