//! Arithmetic: one function per instruction, on sources after swizzle and negation (3dbrew: Shader Instruction Set, with
//! its table of special values, which were tested on hardware).

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

/// a * b, except that 0 * infinity is 0. 0 * NaN is NaN.
fn product(a: f32, b: f32) -> f32 {
    let product = a * b;
    if product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { product }
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

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    each(a, b, |a, b| a + b)
}

pub(super) fn mul(a: Vector, b: Vector) -> Vector {
    each(a, b, product)
}

/// Not fused: the product is rounded before the sum.
pub(super) fn mad(a: Vector, b: Vector, c: Vector) -> Vector {
    add(mul(a, b), c)
}

pub(super) fn dp3(a: Vector, b: Vector) -> Vector {
    let [x, y, z, _] = mul(a, b);
    [(x + y) + z; 4]
}

pub(super) fn dp4(a: Vector, b: Vector) -> Vector {
    let [x, y, z, w] = mul(a, b);
    [((x + y) + z) + w; 4]
}

/// `dp4` with 1 for the w of the first source.
pub(super) fn dph(a: Vector, b: Vector) -> Vector {
    dp4([a[0], a[1], a[2], 1.0], b)
}

pub(super) fn dst(a: Vector, b: Vector) -> Vector {
    [1.0, product(a[1], b[1]), a[2], b[3]]
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

pub(super) fn flr(a: Vector) -> Vector {
    a.map(f32::floor)
}

pub(super) fn ex2(a: Vector) -> Vector {
    scalar(a, |x| ops::exp2(&mut Scalar, x))
}

pub(super) fn lg2(a: Vector) -> Vector {
    scalar(a, |x| ops::log2(&mut Scalar, x))
}

/// There is no negative zero: adding 0 makes it positive, before the division and after it.
pub(super) fn rcp(a: Vector) -> Vector {
    scalar(a, |x| 1.0 / (x + 0.0) + 0.0)
}

/// As [`rcp`]; NaN for negative values.
pub(super) fn rsq(a: Vector) -> Vector {
    scalar(a, |x| 1.0 / (x + 0.0).sqrt())
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
