//! Formulas of the operations that look at one lane alone.

use triglyph_guest::num::ops::{Scalar, cos, exp2, log2, sin};
use triglyph_guest::rsx::fragment::Op;

use super::pack;
use crate::program::Vector;

/// The result of an operation on its sources.
pub(super) fn evaluate(op: Op, [a, b, c]: [Vector; 3]) -> Vector {
    match op {
        Op::Mov => a,
        Op::Mul => map2(a, b, |a, b| a * b),
        Op::Add => map2(a, b, |a, b| a + b),
        Op::Mad => std::array::from_fn(|i| a[i] * b[i] + c[i]),
        Op::Dp3 => [dot3(a, b); 4],
        Op::Dp4 => [dot4(a, b); 4],
        Op::Dst => [1.0, a[1] * b[1], a[2], b[3]],
        Op::Min => map2(a, b, |a, b| if a < b { a } else { b }),
        Op::Max => map2(a, b, |a, b| if a > b { a } else { b }),
        Op::Slt => map2(a, b, |a, b| flag(a < b)),
        Op::Sge => map2(a, b, |a, b| flag(a >= b)),
        Op::Sle => map2(a, b, |a, b| flag(a <= b)),
        Op::Sgt => map2(a, b, |a, b| flag(a > b)),
        Op::Sne => map2(a, b, |a, b| flag(a != b)),
        Op::Seq => map2(a, b, |a, b| flag(a == b)),
        Op::Frc => a.map(|a| a - a.floor()),
        Op::Flr => a.map(f32::floor),
        Op::Pk2 => [pack::halves(a); 4],
        Op::Pk4 => [pack::signed_bytes(a); 4],
        Op::Pkb => [pack::bytes(a); 4],
        Op::Pk16 => [pack::shorts(a); 4],
        Op::Pkg => [pack::srgb_bytes(a); 4],
        Op::Up2 => pack::unpack_halves(a[0]),
        Op::Up4 => pack::unpack_signed_bytes(a[0]),
        Op::Upb => pack::unpack_bytes(a[0]),
        Op::Up16 => pack::unpack_shorts(a[0]),
        Op::Upg => pack::unpack_srgb_bytes(a[0]),
        Op::Rcp => [1.0 / a[0]; 4],
        Op::Rsq => [1.0 / a[0].abs().sqrt(); 4],
        Op::Ex2 => [exp2(&mut Scalar, a[0]); 4],
        Op::Lg2 => [log2(&mut Scalar, a[0]); 4],
        Op::Sin => [sin(&mut Scalar, a[0]); 4],
        Op::Cos => [cos(&mut Scalar, a[0]); 4],
        Op::Pow => [power(a[0], b[0]); 4],
        Op::Lit => lit(a),
        Op::Lif => [1.0, a[1], if a[1] > 0.0 { exp2(&mut Scalar, a[3]) } else { 0.0 }, 1.0],
        Op::Lrp => std::array::from_fn(|i| a[i] * b[i] + (1.0 - a[i]) * c[i]),
        Op::Str => [1.0; 4],
        Op::Sfl => [0.0; 4],
        Op::Bem => bump(a, b, c),
        Op::Dp2 => [a[0] * b[0] + a[1] * b[1]; 4],
        Op::Dp2a => [a[0] * b[0] + a[1] * b[1] + c[0]; 4],
        Op::Refl => {
            let twice = 2.0 * dot4(a, b);
            map2(a, b, |a, b| a - twice * b)
        }
        Op::Nrm => {
            let scale = 1.0 / dot3(a, a).sqrt();
            let z = a[2] * scale;
            [a[0] * scale, a[1] * scale, z, z]
        }
        Op::Div => a.map(|a| a / b[0]),
        Op::Divsq => {
            let root = b[0].abs().sqrt();
            a.map(|a| if a == 0.0 { 0.0 } else { a / root })
        }
        // What they do is unknown.
        Op::Bemlum | Op::Timeswtex => [0.0; 4],
        // These have no result, or one that needs a texture or other lanes.
        Op::Nop | Op::Kil | Op::Fenct | Op::Fencb | Op::Ddx | Op::Ddy => [0.0; 4],
        Op::Tex | Op::Txp | Op::Txd | Op::Txl | Op::Txb | Op::Texbem | Op::Txpbem => [0.0; 4],
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

fn dot4(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// `base^exponent` by way of logarithms.
fn power(base: f32, exponent: f32) -> f32 {
    let log = log2(&mut Scalar, base);
    exp2(&mut Scalar, exponent * log)
}

/// Coefficients of diffuse and specular light.
fn lit(a: Vector) -> Vector {
    let base = if a[1] > 0.0 { a[1] } else { 0.0 };
    let specular = if a[3] == 0.0 { 1.0 } else { power(base, a[3]) };
    if a[0] > 0.0 { [1.0, a[0], specular, 1.0] } else { [1.0, 0.0, 0.0, 1.0] }
}

/// Coordinates `a` moved by `b` through the matrix `c`.
pub(super) fn bump(a: Vector, b: Vector, c: Vector) -> Vector {
    let x = a[0] + b[0] * c[0] + b[1] * c[1];
    let y = a[1] + b[0] * c[2] + b[1] * c[3];
    [x, y, x, y]
}
