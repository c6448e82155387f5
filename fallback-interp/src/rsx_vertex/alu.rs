//! Formulas of the vector and of the scalar unit.

use triglyph_guest::num::ops::{Scalar, cos, exp2, log2, sin};
use triglyph_guest::rsx::vertex::{RCC_MAX, RCC_MIN, ScalarOp, VectorOp};

use crate::program::{Vector, limit};

/// The vector unit's result.
pub(super) fn vector(op: VectorOp, [a, b, c]: [Vector; 3]) -> Vector {
    match op {
        VectorOp::Mov => a,
        VectorOp::Mul => map2(a, b, |a, b| a * b),
        VectorOp::Add => map2(a, c, |a, c| a + c),
        VectorOp::Mad => std::array::from_fn(|i| a[i] * b[i] + c[i]),
        VectorOp::Dp3 => [dot3(a, b); 4],
        VectorOp::Dph => [dot3(a, b) + b[3]; 4],
        VectorOp::Dp4 => [dot3(a, b) + a[3] * b[3]; 4],
        VectorOp::Dst => [1.0, a[1] * b[1], a[2], b[3]],
        VectorOp::Min => map2(a, b, |a, b| if a < b { a } else { b }),
        VectorOp::Max => map2(a, b, |a, b| if a > b { a } else { b }),
        VectorOp::Slt => map2(a, b, |a, b| flag(a < b)),
        VectorOp::Sge => map2(a, b, |a, b| flag(a >= b)),
        VectorOp::Seq => map2(a, b, |a, b| flag(a == b)),
        VectorOp::Sgt => map2(a, b, |a, b| flag(a > b)),
        VectorOp::Sle => map2(a, b, |a, b| flag(a <= b)),
        VectorOp::Sne => map2(a, b, |a, b| flag(a != b)),
        VectorOp::Frc => a.map(|a| a - a.floor()),
        VectorOp::Flr => a.map(f32::floor),
        VectorOp::Sfl => [0.0; 4],
        VectorOp::Str => [1.0; 4],
        VectorOp::Ssg => a.map(sign),
        // These have no result, another kind of it, or need a texture.
        VectorOp::Nop | VectorOp::Arl | VectorOp::Arr | VectorOp::Ara | VectorOp::Txl => [0.0; 4],
    }
}

/// The scalar unit's result.
pub(super) fn scalar(op: ScalarOp, c: Vector) -> Vector {
    let s = c[0];
    match op {
        ScalarOp::Mov => c,
        ScalarOp::Rcp => [1.0 / s; 4],
        ScalarOp::Rcc => [clamped_reciprocal(s); 4],
        ScalarOp::Rsq => [1.0 / s.sqrt(); 4],
        ScalarOp::Exp => {
            let whole = s.floor();
            [exp2(&mut Scalar, whole), s - whole, exp2(&mut Scalar, s), 1.0]
        }
        ScalarOp::Log => logarithm(s),
        ScalarOp::Lit => lit(c),
        ScalarOp::Lg2 => [log2(&mut Scalar, s); 4],
        ScalarOp::Ex2 => [exp2(&mut Scalar, s); 4],
        ScalarOp::Sin => [sin(&mut Scalar, s); 4],
        ScalarOp::Cos => [cos(&mut Scalar, s); 4],
        // These have no result.
        ScalarOp::Nop | ScalarOp::Psh | ScalarOp::Pop | ScalarOp::Ret => [0.0; 4],
        ScalarOp::Bra | ScalarOp::Bri | ScalarOp::Brb => [0.0; 4],
        ScalarOp::Cal | ScalarOp::Cli | ScalarOp::Clb => [0.0; 4],
    }
}

fn map2(a: Vector, b: Vector, f: impl Fn(f32, f32) -> f32) -> Vector {
    std::array::from_fn(|i| f(a[i], b[i]))
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

fn dot3(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sign(v: f32) -> f32 {
    if v > 0.0 {
        1.0
    } else if v < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn clamped_reciprocal(s: f32) -> f32 {
    let r = 1.0 / s;
    r.abs().clamp(RCC_MIN, RCC_MAX).copysign(r)
}

fn logarithm(s: f32) -> Vector {
    let m = s.abs();
    let l = log2(&mut Scalar, m);
    let whole = l.floor();
    let mantissa = if l == f32::NEG_INFINITY { 1.0 } else { m / exp2(&mut Scalar, whole) };
    [whole, mantissa, l, 1.0]
}

/// Coefficients of diffuse and specular light.
fn lit(c: Vector) -> Vector {
    if c[0] > 0.0 {
        let base = if c[1] > 0.0 { c[1] } else { 0.0 };
        let exponent = limit(c[3], -128.0, 128.0);
        let specular = match exponent {
            0.0 => 1.0,
            _ => exp2(&mut Scalar, exponent * log2(&mut Scalar, base)),
        };
        [1.0, c[0], specular, 1.0]
    } else {
        [1.0, 0.0, 0.0, 1.0]
    }
}
