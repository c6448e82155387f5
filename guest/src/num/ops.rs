//! Transcendental functions as lists of operations over an abstract machine.
//!
//! [`Ops`] is implemented for plain `f32` by [`Scalar`] and by the compiler's emitter for four lanes. Only
//! operations whose result is the same on every host are in it: IEEE add, multiply, divide, square root, rounding to
//! integers, comparison and select, and two's complement integer operations. Nothing is fused.

/// The operations a numeric recipe may use. `F` is a float (or a vector of lanes), `I` its 32-bit integer twin.
pub trait Ops {
    /// 32-bit float value.
    type F: Copy;
    /// 32-bit integer value.
    type I: Copy;
    /// Result of a comparison.
    type M: Copy;

    /// A constant.
    fn f(&mut self, value: f32) -> Self::F;
    /// An integer constant.
    fn i(&mut self, value: i32) -> Self::I;
    /// a + b
    fn add(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// a - b
    fn sub(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// a * b
    fn mul(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// a / b
    fn div(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// Square root, rounded to nearest.
    fn sqrt(&mut self, a: Self::F) -> Self::F;
    /// Largest integer not above `a`.
    fn floor(&mut self, a: Self::F) -> Self::F;
    /// Nearest integer, ties to even.
    fn nearest(&mut self, a: Self::F) -> Self::F;
    /// a < b ? a : b, so b when either is NaN.
    fn min(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// b < a ? a : b, so b when either is NaN.
    fn max(&mut self, a: Self::F, b: Self::F) -> Self::F;
    /// a < b, false when either is NaN.
    fn lt(&mut self, a: Self::F, b: Self::F) -> Self::M;
    /// True when either is NaN.
    fn unordered(&mut self, a: Self::F, b: Self::F) -> Self::M;
    /// m ? a : b
    fn select(&mut self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Conversion of a whole number within the range of i32.
    fn to_int(&mut self, a: Self::F) -> Self::I;
    /// Conversion to float, exact below 2^24.
    fn to_float(&mut self, a: Self::I) -> Self::F;
    /// The bits of a float.
    fn bits(&mut self, a: Self::F) -> Self::I;
    /// The float of these bits.
    fn float_of_bits(&mut self, a: Self::I) -> Self::F;
    /// a + b, wrapping
    fn iadd(&mut self, a: Self::I, b: Self::I) -> Self::I;
    /// a - b, wrapping
    fn isub(&mut self, a: Self::I, b: Self::I) -> Self::I;
    /// a & b
    fn iand(&mut self, a: Self::I, b: Self::I) -> Self::I;
    /// a | b
    fn ior(&mut self, a: Self::I, b: Self::I) -> Self::I;
    /// a << n
    fn ishl(&mut self, a: Self::I, n: u32) -> Self::I;
    /// Arithmetic a >> n
    fn ishr(&mut self, a: Self::I, n: u32) -> Self::I;
}

/// Horner evaluation of c\[0\] + x*(c\[1\] + x*(...)).
fn polynomial<O: Ops>(o: &mut O, x: O::F, coefficients: &[f32]) -> O::F {
    let mut terms = coefficients.iter().rev();
    let mut sum = o.f(*terms.next().unwrap_or(&0.0));
    for &c in terms {
        let c = o.f(c);
        let product = o.mul(sum, x);
        sum = o.add(product, c);
    }
    sum
}

/// 2^x. NaN gives NaN, results below 2^-126 give 0, above 2^128 infinity. Error below 2 units in the last place.
pub fn exp2<O: Ops>(o: &mut O, x: O::F) -> O::F {
    // Clamped so that the exponent field below stays valid; both ends then give 0 and infinity. A NaN fails both
    // comparisons, runs through the polynomial as NaN and is put back at the end.
    let (low, high) = (o.f(-127.0), o.f(128.0));
    let below = o.lt(x, low);
    let above = o.lt(high, x);
    let clamped = o.select(below, low, x);
    let clamped = o.select(above, high, clamped);
    let nan = o.unordered(x, x);
    let zero = o.f(0.0);
    let finite = o.select(nan, zero, clamped);
    let half = o.f(0.5);
    let shifted = o.add(finite, half);
    let whole = o.floor(shifted);
    let fraction = o.sub(finite, whole);
    // Taylor series of 2^f on [-0.5, 0.5]: ln(2)^k / k!.
    let mantissa = polynomial(
        o,
        fraction,
        &[
            1.0,
            std::f32::consts::LN_2,
            0.240_226_5,
            0.055_504_11,
            0.009_618_129,
            0.001_333_356,
            0.000_154_035_3,
            0.000_015_252_73,
        ],
    );
    // mantissa * 2^whole with whole in -127..=128, in two factors of which each is a normal number.
    let whole = o.to_int(whole);
    let first = o.ishr(whole, 1);
    let second = o.isub(whole, first);
    let a = power_of_two(o, first);
    let b = power_of_two(o, second);
    let result = o.mul(mantissa, a);
    let result = o.mul(result, b);
    // Flushes what a subnormal product would be: the guests know no subnormals.
    let limit = o.f(f32::MIN_POSITIVE);
    let tiny = o.lt(result, limit);
    let result = o.select(tiny, zero, result);
    o.select(nan, x, result)
}

/// 2^exponent for -126..=127.
pub(super) fn power_of_two<O: Ops>(o: &mut O, exponent: O::I) -> O::F {
    let bias = o.i(127);
    let biased = o.iadd(exponent, bias);
    let bits = o.ishl(biased, 23);
    o.float_of_bits(bits)
}

/// log2(x). Zero and subnormals give -infinity, negative values and NaN give NaN, +infinity gives itself. Error
/// below 2 units in the last place outside of the neighbourhood of 1, 2^-24 absolute there.
pub fn log2<O: Ops>(o: &mut O, x: O::F) -> O::F {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) carries into the exponent.
    let bits = o.bits(x);
    let root = o.i(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32);
    let offset = o.isub(bits, root);
    let exponent = o.ishr(offset, 23);
    let shifted = o.ishl(exponent, 23);
    let mantissa = o.isub(bits, shifted);
    let m = o.float_of_bits(mantissa);
    // log2(m) = 2/ln 2 * atanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
    let one = o.f(1.0);
    let numerator = o.sub(m, one);
    let denominator = o.add(m, one);
    let s = o.div(numerator, denominator);
    let s2 = o.mul(s, s);
    let scale = 2.0 / std::f32::consts::LN_2;
    let series = polynomial(o, s2, &[scale, scale / 3.0, scale / 5.0, scale / 7.0, scale / 9.0]);
    let fraction = o.mul(s, series);
    let whole = o.to_float(exponent);
    let finite = o.add(whole, fraction);

    let (zero, smallest, infinity, nan) = (o.f(0.0), o.f(f32::MIN_POSITIVE), o.f(f32::INFINITY), o.f(f32::NAN));
    let positive = o.lt(x, infinity);
    let result = o.select(positive, finite, x);
    let tiny = o.lt(x, smallest);
    let minus_infinity = o.f(f32::NEG_INFINITY);
    let result = o.select(tiny, minus_infinity, result);
    let minus_smallest = o.f(-f32::MIN_POSITIVE);
    let below = o.lt(minus_smallest, x);
    let negative = o.lt(x, zero);
    // Negative beyond the subnormals: NaN.
    let keep = o.select(below, result, nan);
    let result = o.select(negative, keep, result);
    let is_nan = o.unordered(x, x);
    o.select(is_nan, x, result)
}

/// sin(x), radians. Absolute error below 2e-7 for |x| up to 8192, growing with |x| beyond; always within -1 to 1 and
/// a rounding error. Infinities and NaN give NaN.
pub fn sin<O: Ops>(o: &mut O, x: O::F) -> O::F {
    quarter_turns(o, x, 0.0)
}

/// cos(x), radians, as good as [`sin`].
pub fn cos<O: Ops>(o: &mut O, x: O::F) -> O::F {
    quarter_turns(o, x, 1.0)
}

/// pi / 2 in three parts (Cody and Waite): products of the first two with numbers below 2^14 are exact.
const HALF_PI: [f32; 3] = [201.0 / 128.0, 1014.0 / 2_097_152.0, 3.139_164_8e-7];

/// sin(x + quarters * pi / 2) by way of x = k * pi/2 + r.
fn quarter_turns<O: Ops>(o: &mut O, x: O::F, quarters: f32) -> O::F {
    let (turns, half) = (o.f(std::f32::consts::FRAC_2_PI), o.f(0.5));
    let k = o.mul(x, turns);
    let k = o.add(k, half);
    let k = o.floor(k);
    let mut r = x;
    for part in HALF_PI {
        let part = o.f(part);
        let product = o.mul(k, part);
        r = o.sub(r, product);
    }
    // |r| is a little above pi/4 where k was rounded the other way, and anything where k is too large to be exact. A
    // NaN passes both comparisons.
    let (low, high) = (o.f(-1.0), o.f(1.0));
    let (below, above) = (o.lt(r, low), o.lt(high, r));
    let r = o.select(below, low, r);
    let r = o.select(above, high, r);

    // Taylor series.
    let r2 = o.mul(r, r);
    let series = polynomial(o, r2, &[-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let r3 = o.mul(r, r2);
    let odd = o.mul(r3, series);
    let sine = o.add(r, odd);
    let cosine = polynomial(o, r2, &[1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0]);

    // Quadrant 0 to 3: odd ones take the cosine, the upper two are negative.
    let shift = o.f(quarters);
    let k = o.add(k, shift);
    let quadrant = modulo(o, k, 4.0);
    let odd = modulo(o, quadrant, 2.0);
    let (half, middle) = (o.f(0.5), o.f(1.5));
    let swapped = o.lt(half, odd);
    let value = o.select(swapped, cosine, sine);
    let zero = o.f(0.0);
    let negated = o.sub(zero, value);
    let negative = o.lt(middle, quadrant);
    o.select(negative, negated, value)
}

/// `a` modulo a power of two, for whole `a`: 0 to n - 1.
fn modulo<O: Ops>(o: &mut O, a: O::F, n: f32) -> O::F {
    let (inverse, n) = (o.f(1.0 / n), o.f(n));
    let whole = o.mul(a, inverse);
    let whole = o.floor(whole);
    let whole = o.mul(whole, n);
    o.sub(a, whole)
}

/// [`Ops`] on plain `f32`: the interpreter's instance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Ops for Scalar {
    type F = f32;
    type I = i32;
    type M = bool;

    fn f(&mut self, value: f32) -> f32 {
        value
    }
    fn i(&mut self, value: i32) -> i32 {
        value
    }
    fn add(&mut self, a: f32, b: f32) -> f32 {
        a + b
    }
    fn sub(&mut self, a: f32, b: f32) -> f32 {
        a - b
    }
    fn mul(&mut self, a: f32, b: f32) -> f32 {
        a * b
    }
    fn div(&mut self, a: f32, b: f32) -> f32 {
        a / b
    }
    fn sqrt(&mut self, a: f32) -> f32 {
        a.sqrt()
    }
    fn floor(&mut self, a: f32) -> f32 {
        a.floor()
    }
    fn nearest(&mut self, a: f32) -> f32 {
        a.round_ties_even()
    }
    fn min(&mut self, a: f32, b: f32) -> f32 {
        if a < b { a } else { b }
    }
    fn max(&mut self, a: f32, b: f32) -> f32 {
        if b < a { a } else { b }
    }
    fn lt(&mut self, a: f32, b: f32) -> bool {
        a < b
    }
    fn unordered(&mut self, a: f32, b: f32) -> bool {
        a.is_nan() || b.is_nan()
    }
    fn select(&mut self, m: bool, a: f32, b: f32) -> f32 {
        if m { a } else { b }
    }
    fn to_int(&mut self, a: f32) -> i32 {
        a as i32
    }
    fn to_float(&mut self, a: i32) -> f32 {
        a as f32
    }
    fn bits(&mut self, a: f32) -> i32 {
        a.to_bits() as i32
    }
    fn float_of_bits(&mut self, a: i32) -> f32 {
        f32::from_bits(a as u32)
    }
    fn iadd(&mut self, a: i32, b: i32) -> i32 {
        a.wrapping_add(b)
    }
    fn isub(&mut self, a: i32, b: i32) -> i32 {
        a.wrapping_sub(b)
    }
    fn iand(&mut self, a: i32, b: i32) -> i32 {
        a & b
    }
    fn ior(&mut self, a: i32, b: i32) -> i32 {
        a | b
    }
    fn ishl(&mut self, a: i32, n: u32) -> i32 {
        a << n
    }
    fn ishr(&mut self, a: i32, n: u32) -> i32 {
        a >> n
    }
}

/// Linear light of an sRGB value: `v / 12.92` up to 0.04045, else `((v + 0.055) / 1.055)^2.4` (IEC 61966-2-1).
pub fn srgb_to_linear<O: Ops>(o: &mut O, v: O::F) -> O::F {
    let (slope, offset, scale) = (o.f(1.0 / 12.92), o.f(0.055), o.f(1.0 / 1.055));
    let low = o.mul(v, slope);
    let base = o.add(v, offset);
    let base = o.mul(base, scale);
    let high = power(o, base, 2.4);
    let limit = o.f(0.040_45);
    let above = o.lt(limit, v);
    o.select(above, high, low)
}

/// The sRGB value of linear light: `v * 12.92` up to 0.0031308, else `1.055 * v^(1/2.4) - 0.055` (IEC 61966-2-1).
pub fn linear_to_srgb<O: Ops>(o: &mut O, v: O::F) -> O::F {
    let (slope, offset, scale) = (o.f(12.92), o.f(0.055), o.f(1.055));
    let low = o.mul(v, slope);
    let high = power(o, v, 1.0 / 2.4);
    let high = o.mul(high, scale);
    let high = o.sub(high, offset);
    let limit = o.f(0.003_130_8);
    let above = o.lt(limit, v);
    o.select(above, high, low)
}

/// base^exponent by way of log2 and exp2.
fn power<O: Ops>(o: &mut O, base: O::F, exponent: f32) -> O::F {
    let exponent = o.f(exponent);
    let log = log2(o, base);
    let log = o.mul(log, exponent);
    exp2(o, log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp2_is_close_to_the_exact_function() {
        for step in -1500..1500 {
            let x = step as f32 * 0.0837;
            let (got, want) = (exp2(&mut Scalar, x) as f64, (x as f64).exp2());
            let limit = if want < f64::from(f32::MIN_POSITIVE) { f64::from(f32::MIN_POSITIVE) } else { want * 2.5e-7 };
            assert!((got - want).abs() <= limit, "2^{x}: {got} instead of {want}");
        }
    }

    #[test]
    fn exp2_special_values() {
        assert_eq!(exp2(&mut Scalar, 0.0), 1.0);
        assert_eq!(exp2(&mut Scalar, 10.0), 1024.0);
        assert_eq!(exp2(&mut Scalar, f32::INFINITY), f32::INFINITY);
        assert_eq!(exp2(&mut Scalar, 1000.0), f32::INFINITY);
        assert_eq!(exp2(&mut Scalar, f32::NEG_INFINITY), 0.0);
        assert_eq!(exp2(&mut Scalar, -1000.0), 0.0);
        assert!(exp2(&mut Scalar, f32::NAN).is_nan());
    }

    #[test]
    fn log2_is_close_to_the_exact_function() {
        for step in 1..20_000 {
            let x = (step as f32 * 0.0317).powi(3);
            let (got, want) = (log2(&mut Scalar, x) as f64, (x as f64).log2());
            assert!((got - want).abs() <= 1.2e-7 + want.abs() * 2.5e-7, "log2 {x}: {got} instead of {want}");
        }
    }

    #[test]
    fn log2_special_values() {
        assert_eq!(log2(&mut Scalar, 1.0), 0.0);
        assert_eq!(log2(&mut Scalar, 8.0), 3.0);
        assert_eq!(log2(&mut Scalar, 0.0), f32::NEG_INFINITY);
        assert_eq!(log2(&mut Scalar, -0.0), f32::NEG_INFINITY);
        assert_eq!(log2(&mut Scalar, f32::INFINITY), f32::INFINITY);
        assert!(log2(&mut Scalar, -1.0).is_nan());
        assert!(log2(&mut Scalar, f32::NEG_INFINITY).is_nan());
        assert!(log2(&mut Scalar, f32::NAN).is_nan());
    }

    #[test]
    fn srgb_is_close_to_the_exact_curve_and_goes_both_ways() {
        for step in 0..=1000 {
            let v = step as f32 / 1000.0;
            let exact = if v > 0.040_45 { ((f64::from(v) + 0.055) / 1.055).powf(2.4) } else { f64::from(v) / 12.92 };
            let linear = srgb_to_linear(&mut Scalar, v);
            assert!((f64::from(linear) - exact).abs() < 1e-6, "{v}: {linear} instead of {exact}");
            let back = linear_to_srgb(&mut Scalar, linear);
            assert!((back - v).abs() < 1e-5, "{v}: came back as {back}");
        }
    }

    #[test]
    fn sin_and_cos_are_close_to_the_exact_functions() {
        for step in -400_000..400_000 {
            let x = step as f32 * 0.020_479;
            let (s, c) = (sin(&mut Scalar, x) as f64, cos(&mut Scalar, x) as f64);
            let (exact_s, exact_c) = (f64::from(x).sin(), f64::from(x).cos());
            assert!((s - exact_s).abs() < 2e-7, "sin {x}: {s} instead of {exact_s}");
            assert!((c - exact_c).abs() < 2e-7, "cos {x}: {c} instead of {exact_c}");
        }
    }

    #[test]
    fn sin_and_cos_special_values() {
        assert_eq!((sin(&mut Scalar, 0.0), cos(&mut Scalar, 0.0)), (0.0, 1.0));
        assert_eq!((sin(&mut Scalar, -0.0), sin(&mut Scalar, 1e-30)), (0.0, 1e-30));
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(sin(&mut Scalar, x).is_nan() && cos(&mut Scalar, x).is_nan());
        }
        let mut bits = 0x4600_0000u32;
        while bits < 0x7F80_0000 {
            let x = f32::from_bits(bits);
            for value in [sin(&mut Scalar, x), cos(&mut Scalar, -x), sin(&mut Scalar, -x)] {
                assert!(value.abs() <= 1.000_000_1, "{x}: {value}");
            }
            bits += 0x1357;
        }
    }
}
