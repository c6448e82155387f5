//! Faces of cubes.

/// The face that a direction leads to: +X, -X, +Y, -Y, +Z, -Z.
pub(super) fn face([x, y, z]: [f32; 3]) -> usize {
    let (axis, component) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        (4, z)
    } else if y.abs() >= x.abs() {
        (2, y)
    } else {
        (0, x)
    };
    if component < 0.0 { axis + 1 } else { axis }
}

/// s and t of a direction on a face (OpenGL 2.0 specification, table 3.19).
pub(super) fn on_face(face: usize, [x, y, z]: [f32; 3]) -> [f32; 2] {
    let (s, t, major) = match face {
        0 => (-z, -y, x),
        1 => (z, -y, -x),
        2 => (x, z, y),
        3 => (x, -z, -y),
        4 => (x, -y, z),
        _ => (-x, -y, -z),
    };
    [(s / major + 1.0) * 0.5, (t / major + 1.0) * 0.5]
}
