//! Conversions that vectors of 32-bit lanes cannot express: 64 bits, 8 bits, halves in rounding modes other than to
//! nearest.

use triglyph_guest::tegra::shader::modifiers::{FloatFormat, IntSize, Rounding};

use super::double::{F16, F32, F64, Format, Unpacked, is_infinite, is_nan, is_zero};
use super::{long, words};

const SIGN: u64 = 1 << 63;
/// The NaN of conversions to half.
const HALF_NAN: u32 = 0x7FFF;

/// An f64 as the bits of a half.
pub fn half(how: u32, [low, high, ..]: [u32; 8]) -> [u32; 2] {
    let bits = long(low, high);
    let sign = (high >> 16) & 0x8000;
    let magnitude = match () {
        () if is_nan(bits) => return [HALF_NAN, 0],
        () if is_infinite(bits) => 0x7C00,
        () if is_zero(bits) => 0,
        () => Unpacked::of(bits).rounded(Rounding::from_bits(how as u8), &F16) as u32,
    };
    [sign | magnitude, 0]
}

/// The source format, which decides the result for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    Double,
    Smaller,
}

/// F2I, the source being widened to f64.
#[derive(Clone, Copy, Debug)]
pub struct FloatInt {
    pub from: FloatKind,
    pub to: IntSize,
    pub signed: bool,
    pub rounding: Rounding,
}

const fn bits_of(size: IntSize) -> u32 {
    match size {
        IntSize::Bits8 => 8,
        IntSize::Bits16 => 16,
        IntSize::Bits32 => 32,
        IntSize::Bits64 => 64,
    }
}

impl FloatInt {
    pub const fn pack(self) -> u32 {
        let double = matches!(self.from, FloatKind::Double);
        double as u32 | (self.signed as u32) << 1 | (self.rounding.bits() as u32) << 2 | bits_of(self.to) << 8
    }
}

/// See [`FloatInt`]. Small signed results are sign-extended to a word.
pub fn integer(code: u32, [low, high, ..]: [u32; 8]) -> [u32; 2] {
    let (double, signed) = (code & 1 != 0, code & 2 != 0);
    let (how, size) = (Rounding::from_bits((code >> 2 & 3) as u8), code >> 8);
    let bits = long(low, high);
    let top = 1u64 << (size - 1);
    let (least, most) = if signed { (top, top - 1) } else { (0, top | (top - 1)) };
    let negative = bits & SIGN != 0;
    let magnitude = match () {
        () if is_nan(bits) => {
            let value = if double || size == 64 { top } else { 0 };
            return words(extended(value, size, signed));
        }
        () if is_infinite(bits) => u128::MAX,
        () if is_zero(bits) => 0,
        () => whole(Unpacked::of(bits), how),
    };
    let limit = u128::from(if negative { least } else { most });
    let magnitude = magnitude.min(limit) as u64;
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    words(extended(value, size, signed))
}

/// The low bits of a value.
const fn extended(value: u64, size: u32, signed: bool) -> u64 {
    let up = value << (64 - size);
    if signed { (up as i64 >> (64 - size)) as u64 } else { up >> (64 - size) }
}

/// The magnitude of a number as an integer, rounded and saturated.
fn whole(v: Unpacked, how: Rounding) -> u128 {
    if v.exponent >= 0 {
        // 53 bits: below 2^64 if the exponent is small, else beyond every limit.
        return if v.exponent > 64 { u128::MAX } else { v.mantissa << v.exponent };
    }
    let down = v.exponent.unsigned_abs();
    let kept = v.mantissa.checked_shr(down).unwrap_or(0);
    let lost = v.mantissa ^ kept.checked_shl(down).unwrap_or(0);
    let half = 1u128.checked_shl(down - 1).unwrap_or(u128::MAX);
    let up = match how {
        Rounding::Nearest => lost > half || lost == half && kept & 1 == 1,
        Rounding::Up => lost != 0 && !v.negative,
        Rounding::Down => lost != 0 && v.negative,
        Rounding::Zero => false,
    };
    kept + u128::from(up)
}

/// I2F.
#[derive(Clone, Copy, Debug)]
pub struct IntFloat {
    pub signed: bool,
    pub abs: bool,
    pub neg: bool,
    pub to: FloatFormat,
    pub rounding: Rounding,
}

impl IntFloat {
    pub const fn pack(self) -> u32 {
        let to = match self.to {
            FloatFormat::F16 => 0,
            FloatFormat::F64 => 2,
            FloatFormat::F32 | FloatFormat::Unknown(_) => 1,
        };
        self.signed as u32
            | (self.abs as u32) << 1
            | (self.neg as u32) << 2
            | (self.rounding.bits() as u32) << 4
            | to << 8
    }
}

/// See [`IntFloat`]: of 64 bits, to which smaller ones are extended.
pub fn float(code: u32, [low, high, ..]: [u32; 8]) -> [u32; 2] {
    let [signed, abs, neg] = [0, 1, 2].map(|bit| code >> bit & 1 != 0);
    let mut value = long(low, high);
    // The most negative number has no positive counterpart: it stays.
    if signed && (abs && value & SIGN != 0) != neg {
        value = value.wrapping_neg();
    }
    let negative = signed && value & SIGN != 0;
    let magnitude = if negative { value.wrapping_neg() } else { value };
    let (format, sign_at): (&Format, u32) = match code >> 8 {
        0 => (&F16, 15),
        1 => (&F32, 31),
        _ => (&F64, 63),
    };
    // Unsigned ones are negated when they are rounded.
    let stored = match magnitude {
        0 => 0,
        _ => {
            let number = Unpacked { negative, mantissa: magnitude.into(), exponent: 0 };
            number.rounded(Rounding::from_bits((code >> 4 & 3) as u8), format)
        }
    };
    words(stored | u64::from(negative || neg && !signed) << sign_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_int(v: f64, to: IntSize, signed: bool, rounding: Rounding) -> u64 {
        let [low, high] = words(v.to_bits());
        let code = FloatInt { from: FloatKind::Double, to, signed, rounding }.pack();
        let [low, high] = integer(code, [low, high, 0, 0, 0, 0, 0, 0]);
        long(low, high)
    }

    #[test]
    fn integers_are_limited_and_rounded() {
        use IntSize::{Bits8, Bits16, Bits64};
        assert_eq!(to_int(-1e30, Bits64, true, Rounding::Zero), SIGN);
        assert_eq!(to_int(1e30, Bits64, false, Rounding::Zero), u64::MAX);
        assert_eq!(to_int(-0.5, Bits64, true, Rounding::Down), u64::MAX);
        assert_eq!(to_int(2.5, Bits64, true, Rounding::Nearest), 2);
        assert_eq!(to_int(-300.0, Bits8, true, Rounding::Nearest) as u32, 0xFFFF_FF80);
        assert_eq!(to_int(-3.0, Bits16, false, Rounding::Nearest), 0);
        assert_eq!(to_int(1e-310, Bits64, true, Rounding::Up), 1);
    }

    #[test]
    fn halves_round_in_every_direction() {
        let all = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];
        let halves = |v: f64| {
            let [low, high] = words(v.to_bits());
            all.map(|how| half(how.bits().into(), [low, high, 0, 0, 0, 0, 0, 0])[0])
        };
        assert_eq!(halves(65_520.0), [0x7C00, 0x7BFF, 0x7C00, 0x7BFF]);
        assert_eq!(halves(-1e-9), [0x8000, 0x8001, 0x8000, 0x8000]);
        assert_eq!(halves(1.0 + 2f64.powi(-11)), [0x3C00, 0x3C00, 0x3C01, 0x3C00]);
    }

    #[test]
    fn floats_of_integers_of_64_bits() {
        let code = |to, rounding| IntFloat { signed: true, abs: false, neg: false, to, rounding }.pack();
        let [low, high] = words(((1u64 << 53) + 1).wrapping_neg());
        let of = |rounding| {
            let [low, high] = float(code(FloatFormat::F64, rounding), [low, high, 0, 0, 0, 0, 0, 0]);
            f64::from_bits(long(low, high))
        };
        assert_eq!(of(Rounding::Nearest), -9_007_199_254_740_992.0);
        assert_eq!(of(Rounding::Down), -9_007_199_254_740_994.0);
        assert_eq!(
            f32::from_bits(float(code(FloatFormat::F32, Rounding::Zero), [u32::MAX, 0x7FFF_FFFF, 0, 0, 0, 0, 0, 0])[0]),
            2f32.powi(63).next_down()
        );
    }
}
