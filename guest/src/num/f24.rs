//! Arithmetic of the PICA200's shader registers: 24-bit floats, 1 sign, 7 exponent, 16 mantissa bits.
//!
//! An operation takes its operands with subnormals as 0, computes in f64 rounded to nearest (exact for products, and
//! for sums whose exponents differ by less than 36) and cuts the result down to 24 bits. (Flushing: 3dbrew, tests on
//! hardware. Cutting: a change to an emulator, verified against one title. How many bits the console's adder keeps
//! inside is unknown.)

use super::float::F24;

/// Smallest normal magnitude: 2^-62.
pub const SMALLEST: f64 = f64::from_bits((1023 - 62) << 52);

/// From this magnitude on there is only infinity: 2^64.
pub const OVERFLOW: f64 = f64::from_bits((1023 + 64) << 52);

/// Bits of an f64's mantissa that 24-bit floats do not have.
pub const CUT: u64 = (1 << 36) - 1;

/// An operand of an arithmetic instruction: subnormals count as 0, of either sign.
pub fn operand(value: f32) -> f64 {
    let value = f64::from(value);
    if value.abs() < SMALLEST { 0.0 } else { value }
}

/// A result: towards zero to 24 bits, +0 below the smallest normal number, infinity above the largest. NaN is
/// the canonical one.
pub fn result(value: f64) -> f32 {
    if value.is_nan() {
        f32::NAN
    } else if value.abs() < SMALLEST {
        0.0
    } else if value.abs() >= OVERFLOW {
        f32::INFINITY.copysign(value as f32)
    } else {
        f64::from_bits(value.to_bits() & !CUT) as f32
    }
}

/// A value that enters a register from outside: cut. Subnormals stay, as far as the format has them, for programs
/// can move and compare them.
pub fn load(value: f32) -> f32 {
    /// Subnormals in units of the smallest one.
    const UNITS: f32 = f32::from_bits((127 + 78) << 23);
    if f64::from(value).abs() < SMALLEST { (value * UNITS).trunc() / UNITS } else { F24::truncate(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_encodable_and_at_most_one_unit_below() {
        let mut state = 1u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let exact = f64::from_bits(state & !(0x7FF << 52) | (940 + (state >> 20) % 180) << 52);
            let got = result(exact);
            assert_eq!(load(got).to_bits(), got.to_bits(), "{exact} gave {got}");
            if got.is_finite() && got != 0.0 {
                let (exact, got) = (exact.abs(), f64::from(got).abs());
                assert!(got <= exact && exact - got < exact / 65536.0, "{exact} gave {got}");
            }
        }
    }

    #[test]
    fn limits() {
        assert_eq!(result(SMALLEST), SMALLEST as f32);
        assert_eq!(result(-SMALLEST * 0.999).to_bits(), 0);
        assert_eq!(result(OVERFLOW * (1.0 - 1e-6)), f32::from_bits(0x5F7F_FF80));
        assert_eq!(result(OVERFLOW), f32::INFINITY);
        assert_eq!(result(f64::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(result(-0.0).to_bits(), 0);
        assert!(result(f64::NAN).is_nan());
        // 2^-63 is a subnormal of the format: registers hold it, arithmetic does not see it.
        let subnormal = (SMALLEST / 2.0) as f32;
        assert_eq!(operand(subnormal), 0.0);
        assert_eq!(load(1.0 + f32::EPSILON), 1.0);
        for bits in [1, 2, 0xFFFF, 0x1_0000, 0x80_0001] {
            assert_eq!(load(F24::decode(bits)), F24::decode(bits));
        }
        assert_eq!(load(F24::decode(5) + F24::decode(1) / 4.0), F24::decode(5));
    }
}
