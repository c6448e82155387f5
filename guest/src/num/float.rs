//! The 3DS's small float formats (3dbrew: GPU/Internal Registers; number tests of the shader page).
//!
//! | name | sign/exponent/mantissa | bias | used by |
//! |---|---|---|---|
//! | f16 | 1.5.10 | 15 | light vectors, procedural noise, gas, shadows |
//! | f20 | 1.7.12 | 63 | distance attenuation |
//! | f24 | 1.7.16 | 63 | shader registers, viewport, depth map, clip plane |
//! | f31 | 1.7.23 | 63 | inverse viewport |

/// A sign, `EXPONENT` bits of exponent and `MANTISSA` bits of mantissa, all below 2^32.
pub struct SmallFloat<const EXPONENT: u32, const MANTISSA: u32>;

/// 1.5.10, bias 15.
pub type F16 = SmallFloat<5, 10>;
/// 1.7.12, bias 63.
pub type F20 = SmallFloat<7, 12>;
/// 1.7.16, bias 63.
pub type F24 = SmallFloat<7, 16>;
/// 1.7.23, bias 63.
pub type F31 = SmallFloat<7, 23>;

impl<const EXPONENT: u32, const MANTISSA: u32> SmallFloat<EXPONENT, MANTISSA> {
    const BIAS: i32 = (1 << (EXPONENT - 1)) - 1;
    const EXPONENT_MAX: u32 = (1 << EXPONENT) - 1;
    const MANTISSA_MASK: u32 = (1 << MANTISSA) - 1;
    /// The smallest subnormal, the unit of all of them: a power of two.
    const SMALLEST: f32 = f32::from_bits(((127 + 1 - Self::BIAS - MANTISSA as i32) as u32) << 23);
    const SMALLEST_NORMAL: f32 = f32::from_bits(((127 + 1 - Self::BIAS) as u32) << 23);

    /// The value of the low `1 + EXPONENT + MANTISSA` bits of `bits`. Lossless, subnormals included; every NaN
    /// becomes the canonical quiet NaN of its sign.
    pub fn decode(bits: u32) -> f32 {
        let sign = (bits >> (EXPONENT + MANTISSA)) & 1;
        let exponent = (bits >> MANTISSA) & Self::EXPONENT_MAX;
        let mantissa = bits & Self::MANTISSA_MASK;
        let magnitude = if exponent == Self::EXPONENT_MAX {
            if mantissa == 0 { 0x7F80_0000 } else { 0x7FC0_0000 }
        } else if exponent == 0 {
            // Exact: the smallest subnormal of each format is a normal f32.
            (mantissa as f32 * Self::SMALLEST).to_bits()
        } else {
            let exponent32 = (exponent as i32 + 127 - Self::BIAS) as u32;
            exponent32 << 23 | mantissa << (23 - MANTISSA)
        };
        f32::from_bits(sign << 31 | magnitude)
    }

    /// The bits of a result of arithmetic: the nearest value toward zero. The mantissa is cut, values below the
    /// smallest normal become a zero of the same sign, values above the largest become infinity, NaN becomes the
    /// canonical NaN.
    pub fn encode(value: f32) -> u32 {
        let is_subnormal = value.abs() < Self::SMALLEST_NORMAL;
        Self::encode_constant(if is_subnormal { 0f32.copysign(value) } else { value })
    }

    /// The bits of a number that a program or a register holds: as [`encode`](Self::encode), but subnormals stay.
    pub fn encode_constant(value: f32) -> u32 {
        let bits = value.to_bits();
        let sign = bits >> 31 << (EXPONENT + MANTISSA);
        let infinity = Self::EXPONENT_MAX << MANTISSA;
        if value.is_nan() {
            return sign | infinity | 1 << (MANTISSA - 1);
        }
        let exponent = (bits >> 23 & 0xFF) as i32 - 127 + Self::BIAS;
        if exponent >= Self::EXPONENT_MAX as i32 {
            sign | infinity
        } else if exponent <= 0 {
            sign | (value.abs() / Self::SMALLEST) as u32
        } else {
            sign | (exponent as u32) << MANTISSA | (bits & 0x7F_FFFF) >> (23 - MANTISSA)
        }
    }

    /// `value` with the precision of this format: `decode(encode(value))`.
    pub fn truncate(value: f32) -> f32 {
        Self::decode(Self::encode(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f24_known_pairs() {
        // 3dbrew's examples and the subnormal limits.
        for (bits, want) in [
            (0x3F_0000, 0x3F80_0000),
            (0x40_0000, 0x4000_0000),
            (0xBF_0000, 0xBF80_0000),
            (0x00_FFFF, 0x207F_FF00),
            (0x00_0001, 0x1880_0000),
            (0x7F_8000, 0x7FC0_0000),
        ] {
            assert_eq!(F24::decode(bits).to_bits(), want, "{bits:#08x}");
        }
        assert_eq!(F20::decode(0x3F000), 1.0);
        assert_eq!(F20::decode(0x40800), 3.0);
    }

    #[test]
    fn f24_normal_values_round_trip() {
        for exponent in 1..0x7F {
            for mantissa in [0, 1, 0x8000, 0xFFFF] {
                for sign in [0, 1 << 23] {
                    let bits = sign | exponent << 16 | mantissa;
                    assert_eq!(F24::encode(F24::decode(bits)), bits);
                }
            }
        }
    }

    #[test]
    fn every_f16_but_nan_round_trips() {
        for bits in 0..0x1_0000 {
            let value = F16::decode(bits);
            assert!(value.is_nan() || F16::encode_constant(value) == bits, "{bits:#x}");
        }
    }

    #[test]
    fn encoding_truncates_flushes_and_overflows() {
        assert_eq!(F16::encode(F16::decode(0x83FF)), 0x8000);
        assert_eq!(F16::encode(F16::decode(0x400)), 0x400);
        assert_eq!(F16::encode_constant(1.9 * F16::decode(1)), 1);
        assert_eq!(F24::encode(1.0 + 1.9 / 65536.0), 0x3F_0001);
        assert_eq!(F24::encode(1e-30), 0);
        assert_eq!(F24::encode(-1e-30), 0x80_0000);
        assert_eq!(F24::encode(1e30), 0x7F_0000);
        assert_eq!(F24::encode(f32::NAN) & 0x7F_8000, 0x7F_8000);
    }
}
