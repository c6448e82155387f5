//! Transcendental functions of the fast contract ([`Accuracy::Fast`](crate::kernel::Accuracy::Fast)), over the
//! operations of [`Ops`]: as near as programs can see, in half the operations of those in [`ops`](super::ops).

use super::ops::Ops;

/// Horner evaluation of `c[0] + x * (c[1] + x * (...))`.
fn polynomial<O: Ops, const N: usize>(o: &mut O, x: O::F, coefficients: [f32; N]) -> O::F {
    let mut terms = coefficients.into_iter().rev();
    let mut sum = o.f(terms.next().unwrap_or(0.0));
    for c in terms {
        let (product, c) = (o.mul(sum, x), o.f(c));
        sum = o.add(product, c);
    }
    sum
}

/// 2^x. Results below 2^-126 are 0, those above 2^128 infinity, of NaN NaN. Whole numbers are exact, others within 2
/// units in the last place.
pub fn exp2<O: Ops>(o: &mut O, x: O::F) -> O::F {
    // The order of the sources keeps NaN.
    let (lowest, highest) = (o.f(-126.0), o.f(128.0));
    let near = o.max(lowest, x);
    let near = o.min(highest, near);
    let whole = o.nearest(near);
    let fraction = o.sub(near, whole);
    // Minimax of 2^f on [-0.5, 0.5] with 1 at 0, relative error 3e-9.
    let mantissa = polynomial(
        o,
        fraction,
        [1.0, 0.693_147_24, 0.240_226_53, 0.055_503_104, 0.009_617_693, 0.001_340_664_3, 0.000_155_946_78],
    );
    // The exponent stays within 1 to 254, but for 2^128, which becomes infinity.
    let (bits, whole) = (o.bits(mantissa), o.to_int(whole));
    let exponent = o.ishl(whole, 23);
    let bits = o.iadd(bits, exponent);
    let value = o.float_of_bits(bits);
    let (tiny, zero) = (o.lt(x, lowest), o.f(0.0));
    o.select(tiny, zero, value)
}

/// log2(x). 0 and denormals, whatever their sign, give -infinity, other negative numbers and NaN give NaN. Error below
/// 2e-7, or 2 units in the last place where that is more; 1 gives +0.
pub fn log2<O: Ops>(o: &mut O, x: O::F) -> O::F {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) carries into the exponent.
    let (bits, root) = (o.bits(x), o.i(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32));
    let offset = o.isub(bits, root);
    let exponent = o.ishr(offset, 23);
    let shifted = o.ishl(exponent, 23);
    let mantissa = o.isub(bits, shifted);
    let (m, one) = (o.float_of_bits(mantissa), o.f(1.0));
    // log2(m) = 2/ln 2 * atanh(s); minimax in s^2, error 6e-8.
    let (numerator, denominator) = (o.sub(m, one), o.add(m, one));
    let s = o.div(numerator, denominator);
    let square = o.mul(s, s);
    let series = polynomial(o, square, [2.885_390_5, 0.961_587_85, 0.595_796_47]);
    let fraction = o.mul(s, series);
    let whole = o.to_float(exponent);
    let finite = o.add(whole, fraction);

    // The square root has the other results: infinity of infinity, NaN of NaN and negative numbers.
    let (infinity, lowest) = (o.f(f32::INFINITY), o.f(f32::NEG_INFINITY));
    let (smallest, negligible) = (o.f(f32::MIN_POSITIVE), o.f(-f32::MIN_POSITIVE));
    let root = o.sqrt(x);
    let is_finite = o.lt(x, infinity);
    let value = o.select(is_finite, finite, root);
    let is_zero = o.lt(negligible, x);
    let end = o.select(is_zero, lowest, root);
    let is_end = o.lt(x, smallest);
    o.select(is_end, end, value)
}

/// log2(x) / 2 for levels of detail, within 0.004: of the bits, with a parabola instead of the logarithm's curve. What
/// is below 2^-126, and NaN, counts as 2^-126; of infinity 64.
pub fn half_log2<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let smallest = o.f(f32::MIN_POSITIVE);
    let x = o.max(x, smallest);
    let (bits, one) = (o.bits(x), o.i(1f32.to_bits() as i32));
    let linear = o.isub(bits, one);
    let (linear, scale) = (o.to_float(linear), o.f(0.5 / 8_388_608.0));
    let linear = o.mul(linear, scale);
    let low = o.i(0x7F_FFFF);
    let fraction = o.iand(bits, low);
    let (fraction, scale) = (o.to_float(fraction), o.f(1.0 / 8_388_608.0));
    let fraction = o.mul(fraction, scale);
    let square = o.mul(fraction, fraction);
    let bow = o.sub(fraction, square);
    let height = o.f(0.5 * 0.3466);
    let bow = o.mul(bow, height);
    o.add(linear, bow)
}

/// The part of `x` beyond whole turns, within half a turn: 2 pi in two parts (Cody and Waite), of which products of the
/// first with numbers below 2^16 are exact.
fn turned<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let inverse = o.f(0.5 * std::f32::consts::FRAC_1_PI);
    let turns = o.mul(x, inverse);
    let turns = o.nearest(turns);
    let (high, low) = (o.f(804.0 / 128.0), o.f(0.001_935_307_2));
    let (high, low) = (o.mul(turns, high), o.mul(turns, low));
    let rest = o.sub(x, high);
    o.sub(rest, low)
}

/// The sine of `x` within a quarter turn; beyond it anything from -1 to 1. NaN stays NaN.
fn quarter_sine<O: Ops>(o: &mut O, x: O::F) -> O::F {
    // Minimax on [0, pi/2], error 5e-9.
    let square = o.mul(x, x);
    let series = polynomial(o, square, [-0.166_666_57, 0.008_333_017, -0.000_198_066_15, 0.000_002_600_054_8]);
    let cube = o.mul(square, x);
    let rest = o.mul(cube, series);
    let sine = o.add(x, rest);
    let (lowest, highest) = (o.f(-1.0), o.f(1.0));
    let sine = o.max(lowest, sine);
    o.min(highest, sine)
}

/// sin(x), radians: error below 5e-7 up to 1000, then growing with |x|; never beyond -1 and 1. Both zeros give +0,
/// infinities and NaN give NaN.
pub fn sin<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let angle = turned(o, x);
    let bits = o.bits(angle);
    let (magnitude, sign) = (o.i(i32::MAX), o.i(i32::MIN));
    let (magnitude, sign) = (o.iand(bits, magnitude), o.iand(bits, sign));
    let magnitude = o.float_of_bits(magnitude);
    // In the second quarter the sine runs backwards. The smaller of both is within the first one.
    let half = o.f(std::f32::consts::PI);
    let rest = o.sub(half, magnitude);
    let folded = o.min(magnitude, rest);
    let sine = quarter_sine(o, folded);
    let bits = o.bits(sine);
    let bits = o.ior(bits, sign);
    o.float_of_bits(bits)
}

/// cos(x), radians, as good as [`sin`].
pub fn cos<O: Ops>(o: &mut O, x: O::F) -> O::F {
    let angle = turned(o, x);
    let (bits, magnitude) = (o.bits(angle), o.i(i32::MAX));
    let magnitude = o.iand(bits, magnitude);
    let magnitude = o.float_of_bits(magnitude);
    let quarter = o.f(std::f32::consts::FRAC_PI_2);
    let rest = o.sub(quarter, magnitude);
    quarter_sine(o, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::ops::Scalar;

    /// The largest error over floats from `low` to `high`, in units of `unit` of the exact result.
    fn largest_error(
        (low, high): (f32, f32),
        got: impl Fn(f32) -> f32,
        exact: impl Fn(f64) -> f64,
        unit: impl Fn(f64) -> f64,
    ) -> f64 {
        let steps = 200_000;
        let error = |step: u32| {
            let x = low + (high - low) * (step as f32 / steps as f32);
            let want = exact(f64::from(x));
            (f64::from(got(x)) - want).abs() / unit(want)
        };
        (0..=steps).map(error).fold(0.0, f64::max)
    }

    /// A unit in the last place of f32.
    fn last_place(value: f64) -> f64 {
        2f64.powf(value.abs().log2().floor() - 23.0)
    }

    #[test]
    fn powers_of_two() {
        let exp2 = |x| exp2(&mut Scalar, x);
        for range in [(-1.5, 1.5), (-126.0, 127.999), (-10.0, 10.0)] {
            assert!(largest_error(range, exp2, f64::exp2, last_place) < 2.0, "{range:?}");
        }
        for whole in -126..=127 {
            assert_eq!(exp2(whole as f32), 2f32.powi(whole));
        }
        for (x, want) in [(128.0, f32::INFINITY), (f32::INFINITY, f32::INFINITY), (-126.1, 0.0), (f32::MIN, 0.0)] {
            assert_eq!(exp2(x).to_bits(), want.to_bits(), "{x}");
        }
        assert_eq!(exp2(f32::NEG_INFINITY), 0.0);
        assert!(exp2(f32::NAN).is_nan());
    }

    #[test]
    fn logarithms() {
        let log2 = |x| log2(&mut Scalar, x);
        let unit = |want: f64| last_place(want).max(1e-7);
        for range in [(1e-30, 1e-20), (0.001, 1.0), (0.5, 2.0), (1.0, 1000.0), (1e20, 1e38)] {
            assert!(largest_error(range, log2, f64::log2, unit) < 2.0, "{range:?}");
        }
        assert_eq!(log2(1.0).to_bits(), 0);
        let ends = [0.0, -0.0, f32::from_bits(0x7F_FFFF), f32::from_bits(0x807F_FFFF)];
        assert_eq!(ends.map(log2), [f32::NEG_INFINITY; 4]);
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
        assert!([-1.0, -f32::MIN_POSITIVE, f32::NEG_INFINITY, f32::NAN].iter().all(|&x| log2(x).is_nan()));
    }

    #[test]
    fn sines() {
        let (sin, cos) = (|x| sin(&mut Scalar, x), |x| cos(&mut Scalar, x));
        for range in [(-4.0, 4.0), (-100.0, 100.0), (900.0, 1000.0)] {
            let errors = [largest_error(range, sin, f64::sin, |_| 1.0), largest_error(range, cos, f64::cos, |_| 1.0)];
            assert!(errors.iter().all(|&error| error < 5e-7), "{range:?}: {errors:?}");
        }
        assert_eq!([sin(0.0).to_bits(), sin(-0.0).to_bits()], [0, 0]);
        assert!([f32::INFINITY, f32::NEG_INFINITY, f32::NAN].iter().all(|&x| sin(x).is_nan() && cos(x).is_nan()));
        let large = (0..4096).map(|n| f32::from_bits(0x4480_0000 + n * 0x3_1357).min(f32::MAX));
        assert!(large.clone().all(|x| sin(x).abs() <= 1.0 && cos(x).abs() <= 1.0));
    }

    #[test]
    fn halved_logarithms_are_near() {
        for i in 0..100_000u32 {
            let x = f32::from_bits(0x2000_0000 + i * 9_973);
            let error = f64::from(half_log2(&mut Scalar, x)) - f64::from(x).log2() * 0.5;
            assert!(error.abs() < 0.004, "{x}: {error}");
        }
        assert_eq!([1.0, 4.0, f32::INFINITY].map(|x| half_log2(&mut Scalar, x)), [0.0, 1.0, 64.0]);
        assert_eq!([0.0, -1.0, f32::NAN].map(|x| half_log2(&mut Scalar, x)), [-63.0; 3]);
    }
}
