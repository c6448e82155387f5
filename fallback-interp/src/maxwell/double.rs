//! f64 with every rounding: a product and an addend as integers.

use triglyph_guest::tegra::shader::modifiers::Rounding;

/// The NaN of operations without a result.
pub const NAN: u64 = 0xFFF8_0000_0000_0000;

/// A finite number: mantissa times 2^exponent.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

fn exact(v: f64) -> Exact {
    let bits = v.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    Exact { negative: v.is_sign_negative(), mantissa: mantissa.into(), exponent: exponent.max(1) - 1075 }
}

/// Bit of the leading one of what is added.
const TOP: u32 = 125;

impl Exact {
    /// With its leading one at `TOP`; the mantissa is not 0.
    fn normal(self) -> Exact {
        let shift = self.mantissa.leading_zeros() - (127 - TOP);
        Exact { mantissa: self.mantissa << shift, exponent: self.exponent - shift as i32, ..self }
    }
}

/// Shifted to the right, with a one at the end if anything else was lost.
fn sticky(v: u128, shift: u32) -> u128 {
    if shift == 0 {
        return v;
    }
    if shift > 127 {
        return u128::from(v != 0);
    }
    v >> shift | u128::from(v & ((1 << shift) - 1) != 0)
}

/// The result for the first NaN operand, if any.
fn nan(sources: &[f64]) -> Option<f64> {
    let first = sources.iter().find(|v| v.is_nan())?;
    Some(f64::from_bits(first.to_bits() | 1 << 51))
}

/// A result, which is the machine's NaN if it is one.
fn valid(v: f64) -> f64 {
    if v.is_nan() { f64::from_bits(NAN) } else { v }
}

/// a + b
pub fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    match rounding {
        Rounding::Nearest => valid(a + b),
        _ => fused(a, 1.0, b, rounding),
    }
}

/// a * b
pub fn mul(a: f64, b: f64, rounding: Rounding) -> f64 {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let product = a * b;
    match rounding {
        Rounding::Nearest => valid(product),
        _ if a == 0.0 || b == 0.0 => valid(product),
        // A zero of the product's sign changes nothing.
        _ => fused(a, b, 0f64.copysign(product), rounding),
    }
}

/// a * b + c
pub fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if let Some(nan) = nan(&[a, b, c]) {
        return nan;
    }
    match rounding {
        Rounding::Nearest => valid(a.mul_add(b, c)),
        _ => fused(a, b, c, rounding),
    }
}

fn fused(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        // Signs of infinities and of their products with 0 do not depend on rounding.
        return valid(a.signum() * b.signum() * if a.is_finite() && b.is_finite() { 0.0 } else { infinite(a, b) } + c);
    }
    let (a, b, c) = (exact(a), exact(b), exact(c));
    let product = Exact {
        negative: a.negative != b.negative,
        mantissa: a.mantissa * b.mantissa,
        exponent: a.exponent + b.exponent,
    };
    match (product.mantissa, c.mantissa) {
        (0, 0) if product.negative == c.negative => return if c.negative { -0.0 } else { 0.0 },
        (0, 0) => return zero(rounding),
        (0, _) => return round(c.normal(), rounding),
        (_, 0) => return round(product.normal(), rounding),
        _ => {}
    }
    let (product, c) = (product.normal(), c.normal());
    let (large, small) =
        if (product.exponent, product.mantissa) >= (c.exponent, c.mantissa) { (product, c) } else { (c, product) };
    let aligned = sticky(small.mantissa, (large.exponent - small.exponent) as u32);
    let mantissa = if large.negative == small.negative { large.mantissa + aligned } else { large.mantissa - aligned };
    if mantissa == 0 { zero(rounding) } else { round(Exact { mantissa, ..large }, rounding) }
}

/// The magnitude of a product with an infinity in it: NaN if the other one is 0.
fn infinite(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { f64::NAN } else { f64::INFINITY }
}

fn zero(rounding: Rounding) -> f64 {
    if rounding == Rounding::Down { -0.0 } else { 0.0 }
}

/// The number as f64; the mantissa is not 0.
fn round(v: Exact, rounding: Rounding) -> f64 {
    let top = 127 - v.mantissa.leading_zeros() as i32;
    // The exponent of the last place: that of 53 bits, not below that of denormals.
    let last = (v.exponent + top - 52).max(-1074);
    let shift = last - v.exponent;
    let units = if shift >= 0 { v.mantissa.checked_shr(shift as u32).unwrap_or(0) } else { v.mantissa << -shift };
    let lost = if shift <= 0 { 0 } else { v.mantissa - units.checked_shl(shift as u32).unwrap_or(0) };
    let up = match rounding {
        Rounding::Nearest => {
            let half = 1u128.checked_shl(shift.max(1) as u32 - 1).unwrap_or(u128::MAX);
            lost > half || lost == half && units & 1 != 0
        }
        Rounding::Down => lost != 0 && v.negative,
        Rounding::Up => lost != 0 && !v.negative,
        Rounding::Zero => false,
    };
    let units = units as u64 + u64::from(up);
    // A normal number's leading one adds 1 to the exponent, a carry another one.
    let exponent = (last + 1074) as u64;
    let bits = (exponent << 52) + units;
    let infinity = f64::INFINITY.to_bits();
    let away = match rounding {
        Rounding::Nearest => true,
        Rounding::Down => v.negative,
        Rounding::Up => !v.negative,
        Rounding::Zero => false,
    };
    let bits = if exponent > 2046 || bits >= infinity { infinity - u64::from(!away) } else { bits };
    f64::from_bits(bits | u64::from(v.negative) << 63)
}

/// A magnitude as f64.
pub fn from_integer(magnitude: u64, negative: bool, rounding: Rounding) -> f64 {
    let exact = Exact { negative, mantissa: magnitude.into(), exponent: 0 };
    if magnitude == 0 { 0.0 } else { round(exact.normal(), rounding) }
}

/// A magnitude as f64, odd where it is not exact.
pub fn odd_from_integer(magnitude: u64, negative: bool) -> f64 {
    let cut = from_integer(magnitude, false, Rounding::Zero);
    let inexact = cut as u64 != magnitude;
    let odd = f64::from_bits(cut.to_bits() | u64::from(inexact));
    if negative { -odd } else { odd }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> impl Iterator<Item = [f64; 3]> {
        let mut state = 7u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let v = f64::from_bits(state ^ state >> 29);
            // Half of them near 1, so that sums cancel.
            if state >> 60 & 1 != 0 {
                f64::from_bits(v.to_bits() & 0x800F_FFFF_FFFF_FFFF | 0x3FE0_0000_0000_0000)
            } else {
                v
            }
        };
        (0..100_000).map(move |_| [next(), next(), next()])
    }

    #[test]
    fn integers_give_what_the_machine_gives_to_nearest() {
        for [a, b, c] in numbers() {
            let same = |got: f64, want: f64| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            let finite = a.is_finite() && b.is_finite() && c.is_finite();
            let got = fused(a, b, c, Rounding::Nearest);
            assert!(!finite || same(got, a.mul_add(b, c)), "{a:e} * {b:e} + {c:e}: {got:e}");
            assert!(!finite || same(fused(a, 1.0, c, Rounding::Nearest), a + c), "{a:e} + {c:e}");
        }
    }

    #[test]
    fn directions_enclose_what_is_exact() {
        for [a, b, c] in numbers() {
            let nearest = fma(a, b, c, Rounding::Nearest);
            if !nearest.is_finite() {
                continue;
            }
            let [down, up] = [Rounding::Down, Rounding::Up].map(|mode| fma(a, b, c, mode));
            let exact = down == up;
            assert!(down <= nearest && nearest <= up && (exact || down.next_up() == up), "{a:e} * {b:e} + {c:e}");
            let zero = fma(a, b, c, Rounding::Zero);
            assert_eq!(zero, if nearest > 0.0 { down } else { up }, "{a:e} * {b:e} + {c:e}");
        }
        assert_eq!(add(1.0, -1.0, Rounding::Down).to_bits(), (-0f64).to_bits());
        assert_eq!(mul(1e200, 1e200, Rounding::Zero), f64::MAX);
        assert_eq!(mul(f64::INFINITY, -2.0, Rounding::Up), f64::NEG_INFINITY);
        assert_eq!(fma(f64::INFINITY, 0.0, 1.0, Rounding::Up).to_bits(), NAN);
        assert_eq!(add(f64::from_bits(0x7FF0_0000_0000_0001), 1.0, Rounding::Up).to_bits(), 0x7FF8_0000_0000_0001);
    }

    #[test]
    fn integers_round_in_every_direction() {
        let v = (1u64 << 53) + 1;
        let modes = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];
        let (low, high) = (9_007_199_254_740_992.0, 9_007_199_254_740_994.0);
        assert_eq!(modes.map(|mode| from_integer(v, false, mode)), [low, low, high, low]);
        assert_eq!(modes.map(|mode| from_integer(v, true, mode)), [-low, -high, -low, -low]);
        assert_eq!(odd_from_integer(u64::MAX, false), 18_446_744_073_709_549_568.0);
    }
}
