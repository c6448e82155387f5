//! MUFU of Tegra X1's shader programs: the function unit, as lists of operations over an abstract machine.
//!
//! The unit looks a piece of the function up by the upper bits of the mantissa and evaluates `a + b t + c t^2` in fixed
//! point, with a square that leaves out low partial products. All of it is exact in f64, so the lists are in f64 where
//! a product needs more than 24 bits; scale and rounding constants are in the [`Table`]s. Source: envytools, its model
//! of the unit, which agrees with the first unified generation bit by bit. That Maxwell's is the same says ptx-math,
//! whose models were compared with such chips over all numbers: RSQ, SIN, COS and LG2 are the same in 70 million
//! numbers, one of 61, and so are RCP and EX2 where the result is not denormal (PTX scales there by itself).
//!
//! SIN, COS and EX2 take a fixed-point number that RRO has made, with a sign and 23 fraction bits, see [`rro`]:
//! radians as quarter turns, or the number itself. Sources: envytools, and for Maxwell a later form of
//! ptx-math. (Issue 1222 of yuzu has the same, but for a 1 in the last place of whole numbers, with which 2^1 would not
//! be 2, as it is on the console in nxgpucatch's tests.)
//!
//! | function | special results |
//! |---|---|
//! | RCP | 0 and denormals give infinity, infinity 0, with the sign |
//! | RSQ | 0 and denormals give infinity with the sign, negative numbers NaN |
//! | SQRT | correctly rounded; 0 and denormals give 0 with the sign, negative numbers NaN |
//! | LG2 | 0 and denormals give -infinity, negative numbers NaN, 1 gives +0 |
//! | RRO.EX2 | denormals give 0, magnitudes from 128 on 0x40800000, NaN 0x40000000, all with the sign |
//! | RRO.SINCOS | the same, but infinities alone give 0x40800000; whole turns are left out |
//! | EX2 | with bit 30 NaN, with bits 30 and 23 infinity or, of a negative number, 0 |
//! | SIN, COS | with bit 30 NaN; SIN of 0 gives 0 with the sign |
//! | RCP64H, RSQ64H | as RCP and RSQ, of the upper word of an f64 whose lower word is 0; the result's upper word, rounded to nearest, halves upwards in magnitude; not from the tables |
//!
//! A NaN gives [`NAN`], and so does what has no result. Denormals are taken as 0 (but by SIN, COS and EX2, whose
//! numbers are none of floating point), denormal results become 0 with their sign. Absolute value and negation come
//! before, saturation after these functions; both are the caller's.

pub mod fast;
mod table;
#[cfg(test)]
mod tests;

use super::ops::{Ops, Scalar, power_of_two};
use crate::tegra::shader::modifiers::{MufuOp, RroMode};

/// The bits of every NaN result.
pub const NAN: i32 = 0x7FFF_FFFF;

/// The operations that the function unit needs beside [`Ops`].
pub trait MufuOps: Ops {
    /// 64-bit float value; of as many lanes as `F`.
    type D: Copy;

    /// A constant.
    fn d(&mut self, value: f64) -> Self::D;
    /// The same number; `a` is neither NaN nor denormal.
    fn promote(&mut self, a: Self::F) -> Self::D;
    /// The number without its bits after the 24th; it is 0 or within the normal range of `F`.
    fn truncate(&mut self, a: Self::D) -> Self::F;
    /// a + b
    fn dadd(&mut self, a: Self::D, b: Self::D) -> Self::D;
    /// a * b
    fn dmul(&mut self, a: Self::D, b: Self::D) -> Self::D;
    /// a / b
    fn ddiv(&mut self, a: Self::D, b: Self::D) -> Self::D;
    /// Largest integer not above `a`.
    fn dfloor(&mut self, a: Self::D) -> Self::D;
    /// Square root, rounded to nearest.
    fn dsqrt(&mut self, a: Self::D) -> Self::D;
    /// The f64 with this upper word, the lower word being 0.
    fn double_of_high(&mut self, a: Self::I) -> Self::D;
    /// The upper word of the bits plus 2^31.
    fn high_of_double(&mut self, a: Self::D) -> Self::I;
    /// Row `index` of a table, which has that many.
    fn row(&mut self, table: &'static Table, index: Self::I) -> [Self::D; 3];
}

/// The pieces of a function: `a + b t + c t^2` each.
#[derive(Debug)]
pub struct Table {
    /// a, b, c and a 0, so that rows are 32 bytes long.
    pub rows: &'static [[f64; 4]],
}

/// Rows of a table: `(a * scale_a + rounding, b, c * scale_c)`, all times 2^-unit. Exact.
const fn scaled<const N: usize>(
    rows: &[[i32; 3]; N],
    scale_a: f64,
    rounding: f64,
    scale_c: f64,
    unit: u32,
) -> [[f64; 4]; N] {
    let one = 1.0 / (1u64 << unit) as f64;
    let mut all = [[0.0; 4]; N];
    let mut i = 0;
    while i < N {
        let [a, b, c] = rows[i];
        all[i] = [(a as f64 * scale_a + rounding) * one, b as f64 * one, c as f64 * scale_c * one, 0.0];
        i += 1;
    }
    all
}

static RCP_ROWS: [[f64; 4]; 128] = scaled(&table::RCP, 8192.0, 18407.0, 1.0, 39);
static RSQ_ROWS: [[f64; 4]; 128] = scaled(&table::RSQ, 16384.0, 32767.0, 4.0, 40);
static LG2_ROWS: [[f64; 4]; 64] = scaled(&table::LG2, 4096.0, 13125.0, 2.0, 2);
static EX2_ROWS: [[f64; 4]; 64] = scaled(&table::EX2, 8192.0, 30690.0, 1.0, 38);
static SIN_ROWS: [[f64; 4]; 64] = scaled(&table::SINCOS, 2048.0, 0.0, 1.0, 37);

/// 1/x of a mantissa.
pub static RCP: Table = Table { rows: &RCP_ROWS };
/// 1/sqrt(x) of a mantissa, and of twice that.
pub static RSQ: Table = Table { rows: &RSQ_ROWS };
/// log2(x) of a mantissa, in units of 2^-36.
pub static LG2: Table = Table { rows: &LG2_ROWS };
/// 2^x of a fraction.
pub static EX2: Table = Table { rows: &EX2_ROWS };
/// The sine of a fraction of a quarter turn.
pub static SIN: Table = Table { rows: &SIN_ROWS };

/// A function of the unit of the bits of a number. Codes without a meaning give [`NAN`].
pub fn mufu<O: MufuOps>(o: &mut O, function: MufuOp, x: O::I) -> O::I {
    let value = o.float_of_bits(x);
    let result = match function {
        MufuOp::Cos => sine(o, x, 1.0),
        MufuOp::Sin => sine(o, x, 0.0),
        MufuOp::Ex2 => power(o, x),
        MufuOp::Lg2 => logarithm(o, value),
        MufuOp::Rcp => reciprocal(o, value),
        MufuOp::Rsq => reciprocal_root(o, value),
        MufuOp::Sqrt => root(o, value),
        MufuOp::Rcp64h => return reciprocal_high(o, x),
        MufuOp::Rsq64h => return reciprocal_root_high(o, x),
        MufuOp::Unknown(_) => return o.i(NAN),
    };
    o.bits(result)
}

/// [`mufu`] of a plain number.
pub fn scalar(function: MufuOp, x: u32) -> u32 {
    mufu(&mut Scalar, function, x as i32) as u32
}

/// The result of RRO for the bits of a number: sign, integer part in bits 30 to 23, and 23 fraction bits.
pub fn rro<O: MufuOps>(o: &mut O, mode: RroMode, x: O::I) -> O::I {
    let sign = mask(o, x, i32::MIN);
    let bits = mask(o, x, i32::MAX);
    let magnitude = o.float_of_bits(bits);
    let (fixed, end) = match mode {
        RroMode::SinCos => (turns(o, magnitude), f32::INFINITY),
        RroMode::Ex2 => {
            let limit = o.f(128.0);
            let is_inside = o.lt(magnitude, limit);
            let near = o.select(is_inside, magnitude, limit);
            let near = flush(o, near);
            (fixed_point(o, near), 128.0)
        }
    };
    let whole = o.to_int(fixed.whole);
    let whole = o.ishl(whole, 23);
    let fraction = o.to_int(fixed.fraction);
    let value = o.ior(whole, fraction);
    // Integers below others: the sign of the difference. None of these is negative.
    let end = o.i(end.to_bits() as i32);
    let is_inside = o.isub(bits, end);
    let is_inside = o.ishr(is_inside, 31);
    let infinity = o.i(f32::INFINITY.to_bits() as i32);
    let is_nan = o.isub(infinity, bits);
    let is_nan = o.ishr(is_nan, 31);
    let (nan, overflow) = (o.i(REDUCED_NAN), o.i(REDUCED_INFINITY));
    let special = choose(o, is_nan, nan, overflow);
    let value = choose(o, is_inside, value, special);
    o.ior(value, sign)
}

/// [`rro`] of a plain number.
pub fn scalar_rro(mode: RroMode, x: u32) -> u32 {
    rro(&mut Scalar, mode, x as i32) as u32
}

/// The result of RRO for NaN, without the sign.
const REDUCED_NAN: i32 = 0x4000_0000;
/// The result of RRO for numbers that are too large.
const REDUCED_INFINITY: i32 = 0x4080_0000;

/// A number in its parts.
struct Parts<O: Ops> {
    /// The sign in bit 31.
    sign: O::I,
    /// The number without its sign.
    magnitude: O::F,
    /// 0 to 255.
    exponent: O::I,
    /// The lower 23 bits.
    fraction: O::I,
}

fn mask<O: Ops>(o: &mut O, a: O::I, bits: i32) -> O::I {
    let bits = o.i(bits);
    o.iand(a, bits)
}

fn parts<O: Ops>(o: &mut O, x: O::F) -> Parts<O> {
    let bits = o.bits(x);
    let sign = mask(o, bits, i32::MIN);
    let magnitude = mask(o, bits, i32::MAX);
    let exponent = o.ishr(magnitude, 23);
    let fraction = mask(o, bits, 0x7F_FFFF);
    Parts { sign, magnitude: o.float_of_bits(magnitude), exponent, fraction }
}

fn with_sign<O: Ops>(o: &mut O, magnitude: O::F, sign: O::I) -> O::F {
    let bits = o.bits(magnitude);
    let bits = o.ior(bits, sign);
    o.float_of_bits(bits)
}

fn nan<O: Ops>(o: &mut O) -> O::F {
    let bits = o.i(NAN);
    o.float_of_bits(bits)
}

fn infinity<O: Ops>(o: &mut O) -> O::F {
    o.f(f32::INFINITY)
}

/// `value` where x is not NaN.
fn or_nan<O: Ops>(o: &mut O, x: O::F, value: O::F) -> O::F {
    let unordered = o.unordered(x, x);
    let nan = nan(o);
    o.select(unordered, nan, value)
}

/// `value` where x is not below 0; denormals are not.
fn unless_negative<O: Ops>(o: &mut O, x: O::F, value: O::F) -> O::F {
    let largest = o.f(-f32::MIN_POSITIVE);
    // -2^-126 itself is negative: compared with the next number towards 0.
    let above = o.bits(largest);
    let one = o.i(1);
    let above = o.isub(above, one);
    let above = o.float_of_bits(above);
    let negative = o.lt(x, above);
    let nan = nan(o);
    o.select(negative, nan, value)
}

/// `value`, or 0 if it is denormal; it is not negative.
fn flush<O: Ops>(o: &mut O, value: O::F) -> O::F {
    let (smallest, zero) = (o.f(f32::MIN_POSITIVE), o.f(0.0));
    let tiny = o.lt(value, smallest);
    o.select(tiny, zero, value)
}

/// The unit's square of 17 bits: the sum of `t >> (18 - bit)` over the bits of t, halved.
///
/// With t = 512 h + l, the bits of h with each other are all there: together they are h^2. What is left is l >> (9 -
/// bit) for the bits of h, twice, which the half takes away.
fn square<O: Ops>(o: &mut O, t: O::I) -> O::I {
    let high = o.ishr(t, 9);
    let low = mask(o, t, 0x1FF);
    let wide = o.to_float(high);
    let product = o.mul(wide, wide);
    let product = o.to_int(product);
    let mut sum = o.ishr(product, 1);
    // Bit 0 adds nothing.
    for bit in 1..8 {
        let wanted = o.ishl(high, 31 - bit);
        let wanted = o.ishr(wanted, 31);
        let product = o.ishr(low, 9 - bit);
        let product = o.iand(product, wanted);
        sum = o.iadd(sum, product);
    }
    sum
}

/// `a + b t + c square`, exact.
fn evaluate<O: MufuOps>(o: &mut O, table: &'static Table, index: O::I, t: O::I, square: O::I) -> O::D {
    let [a, b, c] = o.row(table, index);
    let (t, square) = (o.to_float(t), o.to_float(square));
    let (t, square) = (o.promote(t), o.promote(square));
    let linear = o.dmul(b, t);
    let quadratic = o.dmul(c, square);
    let sum = o.dadd(a, linear);
    o.dadd(sum, quadratic)
}

/// The piece and the place in it of a fraction of 23 bits, and that place's square.
fn piece<O: MufuOps>(o: &mut O, table: &'static Table, fraction: O::I) -> O::D {
    let index = o.ishr(fraction, 17);
    let t = mask(o, fraction, 0x1_FFFF);
    let square = square(o, t);
    evaluate(o, table, index, t, square)
}

fn reciprocal<O: MufuOps>(o: &mut O, x: O::F) -> O::F {
    let Parts { sign, magnitude, exponent, fraction } = parts(o, x);
    let index = o.ishr(fraction, 16);
    let t = mask(o, fraction, 0xFFFF);
    let twice = o.ishl(t, 1);
    let square = square(o, twice);
    let value = evaluate(o, &RCP, index, t, square);
    // 0.5 < value <= 1. The exponent is 1 to 254 where this counts.
    let value = o.truncate(value);
    let bias = o.i(127);
    let shift = o.isub(bias, exponent);
    let scale = power_of_two(o, shift);
    let value = o.mul(value, scale);
    let value = flush(o, value);
    ends(o, x, magnitude, sign, value)
}

/// The reciprocal's results at 0 and infinity, its sign, NaN.
fn ends<O: Ops>(o: &mut O, x: O::F, magnitude: O::F, sign: O::I, value: O::F) -> O::F {
    let (smallest, infinity, zero) = (o.f(f32::MIN_POSITIVE), infinity(o), o.f(0.0));
    let tiny = o.lt(magnitude, smallest);
    let value = o.select(tiny, infinity, value);
    let finite = o.lt(magnitude, infinity);
    let value = o.select(finite, value, zero);
    let value = with_sign(o, value, sign);
    or_nan(o, x, value)
}

fn reciprocal_root<O: MufuOps>(o: &mut O, x: O::F) -> O::F {
    let Parts { sign, magnitude, exponent, fraction } = parts(o, x);
    let bias = o.i(127);
    let power = o.isub(exponent, bias);
    // Odd powers of two have the upper half of the table.
    let odd = mask(o, power, 1);
    let odd = o.ishl(odd, 23);
    let place = o.ior(fraction, odd);
    let value = piece(o, &RSQ, place);
    let value = o.truncate(value);
    // Even powers of two are exact.
    let (whole, half, one) = (o.to_float(place), o.f(0.5), o.f(1.0));
    let exact = o.lt(whole, half);
    let value = o.select(exact, one, value);
    let power = o.ishr(power, 1);
    let zero = o.i(0);
    let power = o.isub(zero, power);
    let scale = power_of_two(o, power);
    let value = o.mul(value, scale);
    let value = ends(o, x, magnitude, sign, value);
    unless_negative(o, x, value)
}

fn root<O: MufuOps>(o: &mut O, x: O::F) -> O::F {
    let Parts { sign, magnitude, .. } = parts(o, x);
    let magnitude = flush(o, magnitude);
    let value = o.sqrt(magnitude);
    let value = with_sign(o, value, sign);
    let value = or_nan(o, x, value);
    unless_negative(o, x, value)
}

fn logarithm<O: MufuOps>(o: &mut O, x: O::F) -> O::F {
    let Parts { magnitude, exponent, fraction, .. } = parts(o, x);
    let value = piece(o, &LG2, fraction);
    let value = o.dfloor(value);
    let bias = o.i(127);
    let power = o.isub(exponent, bias);
    let whole = o.to_float(power);
    let negative = {
        let zero = o.f(0.0);
        o.lt(whole, zero)
    };
    let (plus, minus) = (o.f(1.0), o.f(-1.0));
    let sign = o.select(negative, minus, plus);
    let whole = o.promote(whole);
    let unit = o.d((1u64 << 36) as f64);
    let whole = o.dmul(whole, unit);
    let value = o.dadd(value, whole);
    // The magnitude of a negative one is that of its inverted bits.
    let (plus, minus) = (o.f(0.0), o.f(-1.0));
    let inversion = o.select(negative, minus, plus);
    let (sign, inversion) = (o.promote(sign), o.promote(inversion));
    let value = o.dmul(value, sign);
    let value = o.dadd(value, inversion);
    let unit = o.d(1.0 / (1u64 << 36) as f64);
    let unit = o.dmul(unit, sign);
    let value = o.dmul(value, unit);
    let value = o.truncate(value);
    let (one, zero) = (o.f(1.0), o.f(0.0));
    // Exactly 1: neither below nor above.
    let (below, above) = (o.lt(x, one), o.lt(one, x));
    let at_one = o.select(above, value, zero);
    let value = o.select(below, value, at_one);
    let (smallest, infinity, lowest) = (o.f(f32::MIN_POSITIVE), infinity(o), o.f(f32::NEG_INFINITY));
    let finite = o.lt(magnitude, infinity);
    let value = o.select(finite, value, infinity);
    let tiny = o.lt(magnitude, smallest);
    let value = o.select(tiny, lowest, value);
    let value = or_nan(o, x, value);
    unless_negative(o, x, value)
}

/// 2^x of a number that RRO has made.
fn power<O: MufuOps>(o: &mut O, x: O::I) -> O::F {
    let Reduced { sign, fixed, inside } = reduced(o, x);
    let zero = o.i(0);
    let negative = {
        let one = o.f(1.0);
        let signed = with_sign(o, one, sign);
        let zero = o.f(0.0);
        o.lt(signed, zero)
    };
    // Below 0: the next whole number down and the inverted fraction, unless that is 0.
    let (none, half, all) = (o.f(0.0), o.f(0.5), o.f(8_388_607.0));
    let inverted = o.sub(all, fixed.fraction);
    let next = {
        let one = o.f(1.0);
        o.add(fixed.whole, one)
    };
    let exact = o.lt(fixed.fraction, half);
    let down = o.select(exact, fixed.whole, next);
    let rest = o.select(exact, none, inverted);
    let whole = o.select(negative, down, fixed.whole);
    let fraction = o.select(negative, rest, fixed.fraction);
    let fraction = o.to_int(fraction);
    let value = piece(o, &EX2, fraction);
    let value = o.truncate(value);
    let whole = o.to_int(whole);
    let lowered = o.isub(zero, whole);
    // Selects between integers by way of floats of these bits would be denormals; the numbers are small.
    let (up, lowered) = (o.to_float(whole), o.to_float(lowered));
    let exponent = o.select(negative, lowered, up);
    let (lowest, highest) = (o.f(-127.0), o.f(127.0));
    let below = o.lt(exponent, lowest);
    let exponent = o.select(below, lowest, exponent);
    let above = o.lt(highest, exponent);
    let exponent = o.select(above, highest, exponent);
    let exponent = o.to_int(exponent);
    let scale = power_of_two(o, exponent);
    let value = o.mul(value, scale);
    let (none, infinity) = (o.f(0.0), infinity(o));
    let end = o.select(negative, none, infinity);
    let odd = remainder(o, fixed.whole, 2.0);
    let is_overflow = o.lt(half, odd);
    let nan = nan(o);
    let end = o.select(is_overflow, end, nan);
    o.select(inside, value, end)
}

/// A number that RRO has made in its parts.
struct Reduced<O: Ops> {
    /// The sign in bit 31.
    sign: O::I,
    /// Bits 30 to 23, and the others.
    fixed: Fixed<O::F>,
    /// Whether it is a number: bit 30 is clear.
    inside: O::M,
}

fn reduced<O: Ops>(o: &mut O, x: O::I) -> Reduced<O> {
    let sign = mask(o, x, i32::MIN);
    let whole = mask(o, x, i32::MAX);
    let whole = o.ishr(whole, 23);
    let whole = o.to_float(whole);
    let fraction = mask(o, x, 0x7F_FFFF);
    let fraction = o.to_float(fraction);
    let limit = o.f(128.0);
    let inside = o.lt(whole, limit);
    Reduced { sign, fixed: Fixed { whole, fraction }, inside }
}

/// A fixed-point number with 23 fraction bits in two parts.
struct Fixed<F> {
    /// The integer.
    whole: F,
    /// The 23 bits, as an integer.
    fraction: F,
}

/// A magnitude in units of 2^-23, truncated.
fn fixed_point<O: MufuOps>(o: &mut O, magnitude: O::F) -> Fixed<O::F> {
    let unit = o.d(8_388_608.0);
    let value = o.promote(magnitude);
    let value = o.dmul(value, unit);
    let value = o.dfloor(value);
    split(o, value)
}

/// An integer below 2^47 as multiples of 2^23 and the rest.
fn split<O: MufuOps>(o: &mut O, value: O::D) -> Fixed<O::F> {
    let (down, up) = (o.d(1.0 / 8_388_608.0), o.d(-8_388_608.0));
    let whole = o.dmul(value, down);
    let whole = o.dfloor(whole);
    let above = o.dmul(whole, up);
    let fraction = o.dadd(value, above);
    Fixed { whole: o.truncate(whole), fraction: o.truncate(fraction) }
}

/// sin(x + quarters pi / 2) of quarter turns that RRO has made, `quarters` being 0 or 1.
fn sine<O: MufuOps>(o: &mut O, x: O::I, quarters: f32) -> O::F {
    let Reduced { sign, fixed, inside } = reduced(o, x);
    let quarters_added = o.f(quarters);
    let quadrant = o.add(fixed.whole, quarters_added);
    // Odd quarters run backwards, the upper two are negative.
    let odd = remainder(o, quadrant, 2.0);
    let half = o.f(0.5);
    let backwards = o.lt(half, odd);
    let all = o.f(8_388_607.0);
    let inverted = o.sub(all, fixed.fraction);
    let fraction = o.select(backwards, inverted, fixed.fraction);
    let fraction = o.to_int(fraction);
    let value = piece(o, &SIN, fraction);
    let value = o.truncate(value);
    let four = remainder(o, quadrant, 4.0);
    let (middle, one, minus) = (o.f(1.5), o.f(1.0), o.f(-1.0));
    let lower = o.lt(middle, four);
    let factor = o.select(lower, minus, one);
    let value = o.mul(value, factor);
    let value = if quarters == 0.0 {
        let one = o.f(1.0);
        let signed = with_sign(o, one, sign);
        o.mul(value, signed)
    } else {
        value
    };
    let nan = nan(o);
    o.select(inside, value, nan)
}

/// Whole `a`, at least 0, modulo `n`, a power of two.
fn remainder<O: Ops>(o: &mut O, a: O::F, n: f32) -> O::F {
    let (inverse, n) = (o.f(1.0 / n), o.f(-n));
    let times = o.mul(a, inverse);
    let times = o.floor(times);
    let times = o.mul(times, n);
    o.add(a, times)
}

/// Quarter turns of a magnitude of radians as RRO makes them: modulo 4, in units of 2^-23.
fn turns<O: MufuOps>(o: &mut O, magnitude: O::F) -> Fixed<O::F> {
    // The mantissa times 2/pi, without 16 bits.
    let bits = o.bits(magnitude);
    let fraction = mask(o, bits, 0x7F_FFFF);
    let hidden = o.i(0x80_0000);
    let mantissa = o.ior(fraction, hidden);
    let mantissa = o.to_float(mantissa);
    let mantissa = o.promote(mantissa);
    let factor = o.d(f64::from(0xA2_F983) / 65_536.0);
    let product = o.dmul(mantissa, factor);
    let product = o.dfloor(product);
    // Times 2^(exponent - 135); below 2^-40 nothing is left, from 2^25 on nothing but multiples of four quarters.
    let exponent = o.ishr(bits, 23);
    let bias = o.i(135);
    let shift = o.isub(exponent, bias);
    let shift = o.to_float(shift);
    let (lowest, highest) = (o.f(-40.0), o.f(25.0));
    let below = o.lt(shift, lowest);
    let shift = o.select(below, lowest, shift);
    let above = o.lt(highest, shift);
    let shift = o.select(above, highest, shift);
    let shift = o.to_int(shift);
    let scale = power_of_two(o, shift);
    let scale = o.promote(scale);
    let value = o.dmul(product, scale);
    let value = o.dfloor(value);
    // Modulo 2^25, which is four quarters.
    let (down, up) = (o.d(1.0 / 33_554_432.0), o.d(-33_554_432.0));
    let whole = o.dmul(value, down);
    let whole = o.dfloor(whole);
    let above = o.dmul(whole, up);
    let value = o.dadd(value, above);
    split(o, value)
}

fn reciprocal_high<O: MufuOps>(o: &mut O, x: O::I) -> O::I {
    let value = o.double_of_high(x);
    let one = o.d(1.0);
    let result = o.ddiv(one, value);
    let result = o.high_of_double(result);
    high_ends(o, x, result)
}

fn reciprocal_root_high<O: MufuOps>(o: &mut O, x: O::I) -> O::I {
    // The root of the magnitude: negative numbers give NaN below.
    let magnitude = mask(o, x, i32::MAX);
    let value = o.double_of_high(magnitude);
    let root = o.dsqrt(value);
    let one = o.d(1.0);
    let result = o.ddiv(one, root);
    let result = o.high_of_double(result);
    let result = high_ends(o, x, result);
    // Negative: bit 31, and an exponent, and no NaN, which has its result.
    let exponent = mask(o, x, 0x7FF0_0000);
    let zero = o.i(0);
    let lowered = o.isub(zero, exponent);
    let negative = o.iand(x, lowered);
    let negative = o.ishr(negative, 31);
    let nan = o.i(NAN);
    choose(o, negative, nan, result)
}

/// `mask ? a : b` for a mask of all ones or 0.
fn choose<O: Ops>(o: &mut O, mask: O::I, a: O::I, b: O::I) -> O::I {
    let wanted = o.iand(mask, a);
    let ones = o.i(-1);
    let inverse = o.isub(ones, mask);
    let other = o.iand(inverse, b);
    o.ior(wanted, other)
}

/// The upper word of a reciprocal of x: 0 for denormal results, infinity for 0 and denormals, 0 for infinity; NaN; the
/// sign.
fn high_ends<O: Ops>(o: &mut O, x: O::I, result: O::I) -> O::I {
    const INFINITY: i32 = 0x7FF0_0000;
    // All ones where a number that is not negative is 0.
    let is_zero = |o: &mut O, a: O::I| {
        let one = o.i(1);
        let below = o.isub(a, one);
        o.ishr(below, 31)
    };
    let sign = mask(o, x, i32::MIN);
    let result = mask(o, result, i32::MAX);
    let exponent = mask(o, result, INFINITY);
    let denormal = is_zero(o, exponent);
    let (zero, infinity) = (o.i(0), o.i(INFINITY));
    let result = choose(o, denormal, zero, result);
    let exponent = mask(o, x, INFINITY);
    let tiny = is_zero(o, exponent);
    let result = choose(o, tiny, infinity, result);
    let missing = o.isub(infinity, exponent);
    let huge = is_zero(o, missing);
    let result = choose(o, huge, zero, result);
    let result = o.ior(result, sign);
    // NaN: above infinity.
    let magnitude = mask(o, x, i32::MAX);
    let beyond = o.isub(infinity, magnitude);
    let beyond = o.ishr(beyond, 31);
    let nan = o.i(NAN);
    choose(o, beyond, nan, result)
}

impl MufuOps for Scalar {
    type D = f64;

    fn d(&mut self, value: f64) -> f64 {
        value
    }
    fn promote(&mut self, a: f32) -> f64 {
        a.into()
    }
    fn truncate(&mut self, a: f64) -> f32 {
        f64::from_bits(a.to_bits() & !0x1FFF_FFFF) as f32
    }
    fn dadd(&mut self, a: f64, b: f64) -> f64 {
        a + b
    }
    fn dmul(&mut self, a: f64, b: f64) -> f64 {
        a * b
    }
    fn ddiv(&mut self, a: f64, b: f64) -> f64 {
        a / b
    }
    fn dfloor(&mut self, a: f64) -> f64 {
        a.floor()
    }
    fn dsqrt(&mut self, a: f64) -> f64 {
        a.sqrt()
    }
    fn double_of_high(&mut self, a: i32) -> f64 {
        f64::from_bits(u64::from(a as u32) << 32)
    }
    fn high_of_double(&mut self, a: f64) -> i32 {
        (a.to_bits().wrapping_add(1 << 31) >> 32) as i32
    }
    fn row(&mut self, table: &'static Table, index: i32) -> [f64; 3] {
        let [a, b, c, _] = table.rows[index as usize];
        [a, b, c]
    }
}
