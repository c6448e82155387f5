//! Arithmetic: one function per instruction, on sources after swizzle and negation (3dbrew: Shader Instruction Set,
//! with its table of special values, which were tested on hardware). Those that round are written for any
//! [`Arithmetic`].

use triglyph_guest::num::f24;
use triglyph_guest::num::ops::{self, Scalar};

use super::Vector;

/// A function of one source.
pub(super) type One = fn(Vector) -> Vector;
/// A function of two sources.
pub(super) type Two = fn(Vector, Vector) -> Vector;
/// A function of three sources.
pub(super) type Three = fn(Vector, Vector, Vector) -> Vector;
/// A comparison.
pub(super) type Comparison = fn(f32, f32) -> bool;

/// The operations that round, for one kind of numbers.
pub(super) trait Arithmetic {
    /// a + b
    fn sum(a: f32, b: f32) -> f32;
    /// a * b, except that 0 * infinity is 0. 0 * NaN is NaN.
    fn product(a: f32, b: f32) -> f32;
    /// 1 / a. There is no negative zero.
    fn reciprocal(a: f32) -> f32;
    /// 1 / sqrt(a), NaN for negative values; -0 is 0.
    fn reciprocal_root(a: f32) -> f32;
    /// `function` of `a`, which is computed in f32 whatever the numbers are.
    fn apply(a: f32, function: fn(f32) -> f32) -> f32;
}

/// f32, rounded to nearest.
pub(super) struct F32;

impl Arithmetic for F32 {
    fn sum(a: f32, b: f32) -> f32 {
        a + b
    }
    fn product(a: f32, b: f32) -> f32 {
        let product = a * b;
        if product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { product }
    }
    fn reciprocal(a: f32) -> f32 {
        1.0 / (a + 0.0) + 0.0
    }
    fn reciprocal_root(a: f32) -> f32 {
        1.0 / (a + 0.0).sqrt()
    }
    fn apply(a: f32, function: fn(f32) -> f32) -> f32 {
        function(a)
    }
}

/// The console's 24-bit floats.
pub(super) struct F24;

/// Operations have as many bits as singles before they are cut.
const _: () = assert!(f24::INSIDE == f32::MANTISSA_DIGITS);

impl Arithmetic for F24 {
    fn sum(a: f32, b: f32) -> f32 {
        f24::result(f24::operand(a) + f24::operand(b))
    }
    fn product(a: f32, b: f32) -> f32 {
        let (a, b) = (f24::operand(a), f24::operand(b));
        let product = a * b;
        if product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { f24::result(product) }
    }
    fn reciprocal(a: f32) -> f32 {
        f24::result(1.0 / f24::operand(a))
    }
    fn reciprocal_root(a: f32) -> f32 {
        f24::result(1.0 / f24::operand(a).sqrt())
    }
    fn apply(a: f32, function: fn(f32) -> f32) -> f32 {
        f24::result(function(f24::operand(a)))
    }
}

/// The larger; `b` when either is NaN.
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller; `b` when either is NaN.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

fn each(a: Vector, b: Vector, function: fn(f32, f32) -> f32) -> Vector {
    std::array::from_fn(|i| function(a[i], b[i]))
}

/// The function of x in all components.
fn scalar(a: Vector, function: fn(f32) -> f32) -> Vector {
    [function(a[0]); 4]
}

fn truth(value: bool) -> f32 {
    if value { 1.0 } else { 0.0 }
}

pub(super) fn add<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    each(a, b, N::sum)
}

pub(super) fn mul<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    each(a, b, N::product)
}

/// Not fused: the product is rounded before the sum.
pub(super) fn mad<N: Arithmetic>(a: Vector, b: Vector, c: Vector) -> Vector {
    add::<N>(mul::<N>(a, b), c)
}

pub(super) fn dp3<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    let [x, y, z, _] = mul::<N>(a, b);
    [N::sum(N::sum(x, y), z); 4]
}

pub(super) fn dp4<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    let [x, y, z, w] = mul::<N>(a, b);
    [N::sum(N::sum(N::sum(x, y), z), w); 4]
}

/// `dp4` with 1 for the w of the first source.
pub(super) fn dph<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    dp4::<N>([a[0], a[1], a[2], 1.0], b)
}

pub(super) fn dst<N: Arithmetic>(a: Vector, b: Vector) -> Vector {
    [1.0, N::product(a[1], b[1]), a[2], b[3]]
}

pub(super) fn max(a: Vector, b: Vector) -> Vector {
    each(a, b, larger)
}

pub(super) fn min(a: Vector, b: Vector) -> Vector {
    each(a, b, smaller)
}

pub(super) fn sge(a: Vector, b: Vector) -> Vector {
    each(a, b, |a, b| truth(a >= b))
}

pub(super) fn slt(a: Vector, b: Vector) -> Vector {
    each(a, b, |a, b| truth(a < b))
}

pub(super) fn mov(a: Vector) -> Vector {
    a
}

pub(super) fn flr<N: Arithmetic>(a: Vector) -> Vector {
    a.map(|x| N::apply(x, f32::floor))
}

pub(super) fn ex2<N: Arithmetic>(a: Vector) -> Vector {
    scalar(a, |x| N::apply(x, |x| ops::exp2(&mut Scalar, x)))
}

pub(super) fn lg2<N: Arithmetic>(a: Vector) -> Vector {
    scalar(a, |x| N::apply(x, |x| ops::log2(&mut Scalar, x)))
}

pub(super) fn rcp<N: Arithmetic>(a: Vector) -> Vector {
    scalar(a, N::reciprocal)
}

pub(super) fn rsq<N: Arithmetic>(a: Vector) -> Vector {
    scalar(a, N::reciprocal_root)
}

/// The value of LITP; its flags are the machine's business. (Tests on hardware by Panda3DS contributors.)
pub(super) fn litp(a: Vector) -> Vector {
    // Known as 127.9961; that these are its last bits is unverified.
    const BOUND: f32 = 127.0 + 255.0 / 256.0;
    let power = smaller(larger(a[1], -BOUND), BOUND);
    [larger(a[0], 0.0), power, 0.0, larger(a[3], 0.0)]
}

/// The comparison of a number in CMP; 6 and 7 are always true.
pub(super) fn comparison(number: u8) -> Comparison {
    match number & 7 {
        0 => |a, b| a == b,
        1 => |a, b| a != b,
        2 => |a, b| a < b,
        3 => |a, b| a <= b,
        4 => |a, b| a > b,
        5 => |a, b| a >= b,
        _ => |_, _| true,
    }
}
