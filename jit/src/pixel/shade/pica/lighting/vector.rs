//! Vectors of three and their rotation by quaternions, in the contract's order of operations.

use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4};

/// x, y, z.
pub type Vector = [F32x4; 3];

/// (a.x*b.x + a.y*b.y) + a.z*b.z
pub fn dot(e: &mut Emit<'_>, a: Vector, b: Vector) -> F32x4 {
    let (x, y) = (e.mul(a[0], b[0]), e.mul(a[1], b[1]));
    let sum = e.add(x, y);
    let z = e.mul(a[2], b[2]);
    e.add(sum, z)
}

/// a + b
pub fn add(e: &mut Emit<'_>, a: Vector, b: Vector) -> Vector {
    [e.add(a[0], b[0]), e.add(a[1], b[1]), e.add(a[2], b[2])]
}

/// v * factor
pub fn scale<const N: usize>(e: &mut Emit<'_>, v: [F32x4; N], factor: F32x4) -> [F32x4; N] {
    v.map(|v| e.mul(v, factor))
}

/// The factor that makes a vector of this square length one of length 1; 1 for length 0.
pub fn shortening(e: &mut Emit<'_>, length2: F32x4) -> F32x4 {
    let length = e.sqrt(length2);
    shortening_by(e, length2, length)
}

/// As [`shortening`] where the length is known.
pub fn shortening_by(e: &mut Emit<'_>, length2: F32x4, length: F32x4) -> F32x4 {
    let one = e.f(1.0);
    let factor = e.div(one, length);
    let zero = e.f(0.0);
    let none = e.feq(length2, zero);
    e.select(none, one, factor)
}

/// A quaternion x, y, z, w of length 1.
pub fn normalize_quaternion(e: &mut Emit<'_>, q: [F32x4; 4]) -> [F32x4; 4] {
    let [x, y, z, w] = q;
    let (sum, square) = (dot(e, [x, y, z], [x, y, z]), e.mul(w, w));
    let length2 = e.add(sum, square);
    let factor = shortening(e, length2);
    scale(e, q, factor)
}

fn cross(e: &mut Emit<'_>, a: Vector, b: Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let (p, q) = (e.mul(a[i], b[j]), e.mul(a[j], b[i]));
        e.sub(p, q)
    })
}

/// `v` rotated by a quaternion.
pub fn rotate(e: &mut Emit<'_>, [x, y, z, w]: [F32x4; 4], v: Vector) -> Vector {
    let axis = [x, y, z];
    let crossed = cross(e, axis, v);
    let scaled = scale(e, v, w);
    let sum = add(e, crossed, scaled);
    let doubled = cross(e, axis, sum);
    let doubled = doubled.map(|c| e.add(c, c));
    add(e, v, doubled)
}

/// (0, 0, 1) rotated by a quaternion.
///
/// What [`rotate`] gives without the products with 0 and 1: the same but for the signs of zeros, which no result
/// depends on, and for NaN in fewer components, which every dot product spreads again.
pub fn rotate_z(e: &mut Emit<'_>, [x, y, z, w]: [F32x4; 4]) -> Vector {
    let first = sum_of_products(e, [y, w], [z, x]);
    let (p, q) = (e.mul(z, y), e.mul(x, w));
    let second = e.sub(p, q);
    let third = sum_of_products(e, [x, x], [y, y]);
    [e.add(first, first), e.add(second, second), one_less(e, third)]
}

/// (1, 0, 0) rotated by a quaternion, with the same differences.
pub fn rotate_x(e: &mut Emit<'_>, [x, y, z, w]: [F32x4; 4]) -> Vector {
    let first = sum_of_products(e, [y, y], [z, z]);
    let second = sum_of_products(e, [z, w], [x, y]);
    let (p, q) = (e.mul(x, z), e.mul(y, w));
    let third = e.sub(p, q);
    [one_less(e, first), e.add(second, second), e.add(third, third)]
}

/// a*a' + b*b'
fn sum_of_products(e: &mut Emit<'_>, a: [F32x4; 2], b: [F32x4; 2]) -> F32x4 {
    let (p, q) = (e.mul(a[0], a[1]), e.mul(b[0], b[1]));
    e.add(p, q)
}

/// 1 - 2*a
fn one_less(e: &mut Emit<'_>, a: F32x4) -> F32x4 {
    let one = e.f(1.0);
    let double = e.add(a, a);
    e.sub(one, double)
}
