//! Vectors of three components, and their rotation by a quaternion.

/// x, y, z.
pub(super) type Vector = [f32; 3];

/// (a.x*b.x + a.y*b.y) + a.z*b.z
pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

pub(super) fn length2(v: Vector) -> f32 {
    dot(v, v)
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

pub(super) fn scale(v: Vector, factor: f32) -> Vector {
    v.map(|k| k * factor)
}

/// Of length 1; a vector of length 0 stays.
pub(super) fn normalize(v: Vector) -> Vector {
    shortened(v, length2(v))
}

/// A quaternion x, y, z, w of length 1; one of length 0 stays.
pub(super) fn normalize_quaternion(q: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = q;
    shortened(q, ((x * x + y * y) + z * z) + w * w)
}

fn shortened<const N: usize>(v: [f32; N], length2: f32) -> [f32; N] {
    if length2 == 0.0 {
        return v;
    }
    let factor = 1.0 / length2.sqrt();
    v.map(|k| k * factor)
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `v` turned by the quaternion x, y, z, w.
pub(super) fn rotate([x, y, z, w]: [f32; 4], v: Vector) -> Vector {
    let axis = [x, y, z];
    let turned = cross(axis, add(cross(axis, v), scale(v, w)));
    add(v, scale(turned, 2.0))
}
