//! Arithmetic of the PICA200's shader registers: 24-bit floats, 1 sign, 7 exponent, 16 mantissa bits.
//!
//! An operation takes its operands with subnormals as 0, rounds to the nearest number of [`INSIDE`] bits, and cuts that
//! down to the 17 of the format. (Flushing: 3dbrew, tests on hardware. Cutting: see [`INSIDE`].)

use super::float::F24;

/// Bits of significand, the leading one included, that adder and multiplier keep inside, before the result is cut.
///
/// No measurement on a console is known. 24 bits, rounded to nearest, are from a change to an emulator that was
/// compared with a console's pictures (Citra, pull request 7372: geometry of Rune Factory 4; an earlier one, 2873,
/// rounds where that one cuts). One result in 256 is a unit of the last place larger than if all bits were kept.
/// Singles have as many, so both tiers compute in these.
pub const INSIDE: u32 = f32::MANTISSA_DIGITS;

/// Smallest normal magnitude: 2^-62.
pub const SMALLEST: f32 = f32::from_bits((127 - 62) << 23);

/// From this magnitude on there is only infinity: 2^64.
pub const OVERFLOW: f32 = f32::from_bits((127 + 64) << 23);

/// Of the bits that an operation keeps inside, those that the format does not have.
pub const CUT: u32 = (1 << (INSIDE - 17)) - 1;

/// An operand of an arithmetic instruction: subnormals count as 0, of either sign.
pub fn operand(value: f32) -> f32 {
    if value.abs() < SMALLEST { 0.0 } else { value }
}

/// A result, of [`INSIDE`] bits: towards zero to 17, +0 below the smallest normal number, infinity above the largest.
/// NaN is the canonical one.
pub fn result(value: f32) -> f32 {
    if value.is_nan() {
        f32::NAN
    } else if value.abs() < SMALLEST {
        0.0
    } else if value.abs() >= OVERFLOW {
        f32::INFINITY.copysign(value)
    } else {
        f32::from_bits(value.to_bits() & !CUT)
    }
}

/// A value that enters a register from outside: cut. Subnormals stay, as far as the format has them, for programs
/// can move and compare them.
#[inline]
pub fn load(value: f32) -> f32 {
    let (bits, magnitude) = (value.to_bits(), value.abs().to_bits());
    let is_normal = (SMALLEST.to_bits()..OVERFLOW.to_bits()).contains(&magnitude);
    // Registers hold 24 bits, so that nearly all uniforms are such numbers, or zeros.
    if magnitude == 0 || is_normal && bits & CUT == 0 { value } else { cut_down(value) }
}

/// The result of [`load`] for a number that need not be one of the format.
fn cut_down(value: f32) -> f32 {
    /// Subnormals in units of the smallest one.
    const UNITS: f32 = f32::from_bits((127 + 78) << 23);
    if value.abs() < SMALLEST { (value * UNITS).trunc() / UNITS } else { F24::truncate(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_format_stay() {
        let ends = [SMALLEST, OVERFLOW, 0.0, 1.0, f32::MIN_POSITIVE].map(f32::to_bits);
        let near = ends.into_iter().flat_map(|bits| (0..600).map(move |step| bits.saturating_sub(300) + step));
        for bits in near.chain((0..0x1_0000).map(|step| step * 0x7FFF)) {
            for value in [bits, bits | 1 << 31].map(f32::from_bits) {
                assert_eq!(load(value).to_bits(), cut_down(value).to_bits(), "{value:e}");
            }
        }
    }

    #[test]
    fn results_are_encodable_and_at_most_one_unit_below() {
        let mut state = 1u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let inside = f32::from_bits((state >> 32) as u32 & 0x807F_FFFF | (60 + (state >> 20) as u32 % 140) << 23);
            let got = result(inside);
            assert_eq!(load(got).to_bits(), got.to_bits(), "{inside} gave {got}");
            if got.is_finite() && got != 0.0 {
                let (inside, got) = (inside.abs(), got.abs());
                assert!(got <= inside && inside - got < inside / 65536.0, "{inside} gave {got}");
            }
        }
    }

    /// Every number of the format, in the operations of one operand: exact where the result is a number of the format.
    #[test]
    fn all_numbers_of_the_format() {
        for bits in 0..1 << 24 {
            let value = F24::decode(bits);
            let (is_normal, taken) = (bits >> 16 & 0x7F != 0, operand(value));
            assert!(taken.to_bits() == if is_normal { value.to_bits() } else { 0 }, "{bits:06x}");
            assert!(load(value).to_bits() == value.to_bits() || value.is_nan(), "{bits:06x}");
            assert!(result(taken).to_bits() == taken.to_bits() || value.is_nan(), "{bits:06x}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(result(SMALLEST), SMALLEST);
        assert_eq!(result(-SMALLEST * 0.999).to_bits(), 0);
        assert_eq!(result(OVERFLOW * (1.0 - 1e-6)), f32::from_bits(0x5F7F_FF80));
        assert_eq!(result(OVERFLOW), f32::INFINITY);
        assert_eq!(result(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(result(-0.0).to_bits(), 0);
        assert!(result(f32::NAN).is_nan());
        // 2^-63 is a subnormal of the format: registers hold it, arithmetic does not see it.
        let subnormal = SMALLEST / 2.0;
        assert_eq!(operand(subnormal), 0.0);
        assert_eq!(load(1.0 + f32::EPSILON), 1.0);
        for bits in [1, 2, 0xFFFF, 0x1_0000, 0x80_0001] {
            assert_eq!(load(F24::decode(bits)), F24::decode(bits));
        }
        assert_eq!(load(F24::decode(5) + F24::decode(1) / 4.0), F24::decode(5));
    }
}
