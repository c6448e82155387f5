//! f64 arithmetic in rounding modes other than to nearest, in integers: the sum is truncated below its 55 highest bits
//! with a sticky bit for the rest, then rounded.

use triglyph_guest::tegra::shader::modifiers::Rounding;

use super::{long, words};

/// A finite number other than 0: `mantissa * 2^exponent`, with its sign.
#[derive(Clone, Copy)]
pub struct Unpacked {
    pub negative: bool,
    pub mantissa: u128,
    pub exponent: i32,
}

/// Highest bit of addends: a sum of two does not overflow, and a product can be shifted down.
const HIGHEST: u32 = 124;

/// Result of invalid operations.
const INVALID: u64 = 0xFFF8 << 48;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7FF0 << 48;

pub fn is_nan(bits: u64) -> bool {
    bits & !SIGN > INFINITY
}

pub fn is_infinite(bits: u64) -> bool {
    bits & !SIGN == INFINITY
}

pub fn is_zero(bits: u64) -> bool {
    bits & !SIGN == 0
}

impl Unpacked {
    /// From bits that are neither 0, infinite nor NaN.
    pub fn of(bits: u64) -> Unpacked {
        let stored = (bits >> 52 & 0x7FF) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let negative = bits & SIGN != 0;
        match stored {
            0 => Unpacked { negative, mantissa: fraction, exponent: -1074 },
            _ => Unpacked { negative, mantissa: fraction | 1 << 52, exponent: stored - 1075 },
        }
    }

    fn times(self, other: Unpacked) -> Unpacked {
        Unpacked {
            negative: self.negative ^ other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    /// Normalised to have its highest bit at [`HIGHEST`].
    fn raised(self) -> Unpacked {
        let up = self.mantissa.leading_zeros() - (127 - HIGHEST);
        Unpacked { mantissa: self.mantissa << up, exponent: self.exponent - up as i32, ..self }
    }

    /// The sum; `None` if it is 0.
    fn plus(self, other: Unpacked) -> Option<Unpacked> {
        let (mut a, mut b) = (self.raised(), other.raised());
        if a.exponent < b.exponent {
            (a, b) = (b, a);
        }
        let low = shifted(b.mantissa, (a.exponent - b.exponent) as u32);
        if a.negative == b.negative {
            return Some(Unpacked { mantissa: a.mantissa + low, ..a });
        }
        let negative = if a.mantissa >= low { a.negative } else { b.negative };
        let mantissa = a.mantissa.abs_diff(low);
        (mantissa != 0).then_some(Unpacked { negative, mantissa, ..a })
    }

    /// The bits of the magnitude in a format, rounded.
    pub fn rounded(self, how: Rounding, format: &Format) -> u64 {
        let length = 128 - self.mantissa.leading_zeros() as i32;
        // Numbers below the smallest normal one keep fewer bits.
        let drop = (length - format.bits).max(format.lowest - self.exponent);
        let kept = if drop <= 0 { self.mantissa << -drop } else { self.mantissa.checked_shr(drop as u32).unwrap_or(0) };
        let lost = if drop <= 0 { 0 } else { self.mantissa ^ kept.checked_shl(drop as u32).unwrap_or(0) };
        let outwards = match how {
            Rounding::Up => !self.negative,
            Rounding::Down => self.negative,
            Rounding::Zero | Rounding::Nearest => false,
        };
        let half = 1u128.checked_shl((drop - 1).max(0) as u32).unwrap_or(u128::MAX);
        let up = match how {
            Rounding::Nearest => lost > half || lost == half && kept & 1 == 1,
            _ => outwards && lost != 0,
        };
        let resources = kept as u64 + u64::from(up);
        let infinity = format.highest << (format.bits - 1);
        let largest = infinity - u64::from(how != Rounding::Nearest && !outwards);
        // A leading bit adds one to the exponent.
        let exponent = (self.exponent + drop - format.lowest) as u64;
        if exponent >= format.highest {
            return largest;
        }
        let bits = (exponent << (format.bits - 1)) + resources;
        if bits >= infinity { largest } else { bits }
    }
}

/// A format of floats.
pub struct Format {
    /// Bits of a mantissa, the leading one included.
    bits: i32,
    /// Exponent of the lowest bit of the smallest numbers.
    lowest: i32,
    /// Exponent of infinity, as it is stored.
    highest: u64,
}

pub const F16: Format = Format { bits: 11, lowest: -24, highest: 31 };
pub const F32: Format = Format { bits: 24, lowest: -149, highest: 255 };
pub const F64: Format = Format { bits: 53, lowest: -1074, highest: 2047 };

/// Shifted right; the lowest bit is sticky.
fn shifted(value: u128, distance: u32) -> u128 {
    let kept = value.checked_shr(distance).unwrap_or(0);
    let back = kept.checked_shl(distance).unwrap_or(0);
    kept | u128::from(back != value)
}

/// `a * b + c`.
pub fn fused(how: u32, [a0, a1, b0, b1, c0, c1, ..]: [u32; 8]) -> [u32; 2] {
    let how = Rounding::from_bits(how as u8);
    words(fused_bits(how, [long(a0, a1), long(b0, b1), long(c0, c1)]))
}

fn fused_bits(how: Rounding, [a, b, c]: [u64; 3]) -> u64 {
    if let Some(&nan) = [a, b, c].iter().find(|&&bits| is_nan(bits)) {
        return nan | 1 << 51;
    }
    let sign = (a ^ b) & SIGN;
    let invalid = is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b);
    if invalid {
        return INVALID;
    }
    match (is_infinite(a) || is_infinite(b), is_infinite(c)) {
        (true, true) if sign != c & SIGN => return INVALID,
        (true, _) => return sign | INFINITY,
        (_, true) => return c,
        _ => {}
    }
    let cancelled = if how == Rounding::Down { SIGN } else { 0 };
    let sum = match (is_zero(a) || is_zero(b), is_zero(c)) {
        (true, true) => return if sign == c & SIGN { sign } else { cancelled },
        (true, false) => Some(Unpacked::of(c)),
        (false, true) => Some(Unpacked::of(a).times(Unpacked::of(b))),
        (false, false) => Unpacked::of(a).times(Unpacked::of(b)).plus(Unpacked::of(c)),
    };
    sum.map_or(cancelled, |sum| sum.rounded(how, &F64) | u64::from(sum.negative) << 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_nearest_is_what_the_host_does() {
        let mut state = 9u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 31;
            // Many near 1, so that sums cancel, some tiny.
            match state >> 61 {
                0..4 => bits & 0x800F_FFFF_FFFF_FFFF | 0x3FE0_0000_0000_0000,
                4 => bits & 0x801F_FFFF_FFFF_FFFF,
                _ => bits,
            }
        };
        for _ in 0..200_000 {
            let all = [next(), next(), next()];
            let [a, b, c] = all.map(f64::from_bits);
            let want = a.mul_add(b, c);
            let got = f64::from_bits(fused_bits(Rounding::Nearest, all));
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a:e} * {b:e} + {c:e} = {got:e}"
            );
        }
    }

    #[test]
    fn directions_are_next_to_each_other() {
        let one = 1f64.to_bits();
        let tiny = 1u64;
        let all = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];
        let sum = |c: f64| all.map(|how| f64::from_bits(fused_bits(how, [one, one, c.to_bits()])));
        assert_eq!(sum(f64::from_bits(tiny)), [1.0, 1.0, 1f64.next_up(), 1.0]);
        assert_eq!(sum(-f64::from_bits(tiny)), [1.0, 1f64.next_down(), 1.0, 1f64.next_down()]);
        assert_eq!(sum(-1.0).map(f64::to_bits), [0, SIGN, 0, 0]);
        let huge = all.map(|how| f64::from_bits(fused_bits(how, [f64::MAX.to_bits(), 2f64.to_bits(), 0])));
        assert_eq!(huge, [f64::INFINITY, f64::MAX, f64::INFINITY, f64::MAX]);
    }
}
