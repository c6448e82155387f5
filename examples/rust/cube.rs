//! The cube that the examples draw: its vertices, a transform, a light, the texels of its faces.

// Not every machine takes everything.
#![allow(dead_code)]

/// Vertices of twelve triangles.
pub const VERTICES: u32 = 36;
/// Bytes of a vertex.
pub const STRIDE: u32 = 32;
/// Texels across and down.
pub const SIZE: u32 = 64;
/// Ambient light: the least brightness of a face.
pub const AMBIENT: f32 = 0.25;

/// Position x, y, z; normal x, y, z; texture coordinates s, t of each vertex.
pub fn vertices() -> Vec<[f32; 8]> {
    let mut out = Vec::new();
    for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        for (s, t) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
            position[axis] = side;
            position[(axis + 1) % 3] = 2.0 * s - 1.0;
            position[(axis + 2) % 3] = 2.0 * t - 1.0;
            normal[axis] = side;
            out.push([position[0], position[1], position[2], normal[0], normal[1], normal[2], s, t]);
        }
    }
    out
}

/// The cube's rotation: about y, then about x.
fn rotation() -> [[f32; 3]; 3] {
    let ((sy, cy), (sx, cx)) = (0.6f32.sin_cos(), 0.5f32.sin_cos());
    [[cy, 0.0, sy], [sx * sy, cx, -sx * cy], [-cx * sy, sx, cx * cy]]
}

/// Rows that a position (x, y, z, 1) is multiplied with: x to the right, y upwards, depth from 0 at the near plane to w
/// at the far one, w.
pub fn transform(width: u32, height: u32) -> [[f32; 4]; 4] {
    const DISTANCE: f32 = 4.5;
    let [x, y, z] = rotation();
    let row = |row: [f32; 3], scale: f32, offset: f32| [row[0] * scale, row[1] * scale, row[2] * scale, offset];
    let (near, far) = (2.0, 7.0);
    let slope = far / (far - near);
    let depth = row(z, slope, slope * (DISTANCE - near));
    [row(x, 1.8 * height as f32 / width as f32, 0.0), row(y, 1.8, 0.0), depth, row(z, 1.0, DISTANCE)]
}

/// The direction to the light in the cube's own space, and 0.
pub fn light() -> [f32; 4] {
    let ([x, y, z], [a, b, c]) = (rotation(), [0.36, 0.64, -0.68]);
    let along = |i: usize| a * x[i] + b * y[i] + c * z[i];
    [along(0), along(1), along(2), 0.0]
}

/// Red, green, blue, alpha of texels in rows: a chequered pattern with a border.
pub fn texels() -> Vec<[u8; 4]> {
    let texel = |x: u32, y: u32| match (x, y) {
        _ if x.min(y) < 2 || x.max(y) >= SIZE - 2 => [30, 30, 40, 255],
        _ if (x / 8 + y / 8).is_multiple_of(2) => [240, 200, 90, 255],
        _ => [60, 130, 220, 255],
    };
    (0..SIZE * SIZE).map(|i| texel(i % SIZE, i / SIZE)).collect()
}
