//! Polygon clipping in clip space: -w <= x, y <= w and -w <= z <= 0, then w and the user plane.
//!
//! Sutherland and Hodgman, plane after plane in the order of the clip code's bits; the polygon's first vertex is
//! whichever the loop emits first. (3DS; the hardware's own method is unknown.)

/// Where in a record the clip-space position stands.
const POSITION: usize = 4;

/// Values down to this count as inside: some titles place flat layers exactly on the near plane.
const INSIDE: f32 = -1e-8;

/// Corners that clipping a triangle at eight planes can give.
pub(super) const CORNERS: usize = 3 + 8;

/// A clipped vertex: a record.
pub(super) type Polygon = Vec<Vec<f32>>;

/// Clips a triangle of records at the planes in `planes` (bits of the clip code) and returns the polygon.
pub(super) fn clip(triangle: [&[f32]; 3], planes: u8, user_plane: &[f32; 4]) -> Polygon {
    let mut polygon: Polygon = triangle.iter().map(|record| record.to_vec()).collect();
    for plane in (0..8).filter(|plane| planes & 1 << plane != 0) {
        polygon = clip_at(&polygon, |record| distance(record, plane, user_plane));
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}

fn distance(record: &[f32], plane: u32, user: &[f32; 4]) -> f32 {
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| record[POSITION + i]);
    match plane {
        0 => w - x,
        1 => w + x,
        2 => w - y,
        3 => w + y,
        4 => -z,
        5 => w + z,
        6 => w - 1e-5,
        _ => ((user[0] * x + user[1] * y) + user[2] * z) + user[3] * w,
    }
}

fn clip_at(polygon: &[Vec<f32>], distance: impl Fn(&[f32]) -> f32) -> Polygon {
    let mut out = Polygon::with_capacity(CORNERS);
    let Some(mut previous) = polygon.last() else { return out };
    for vertex in polygon {
        let (d, d_previous) = (distance(vertex), distance(previous));
        let (inside, inside_previous) = (d >= INSIDE, d_previous >= INSIDE);
        if inside != inside_previous {
            out.push(between(vertex, d, previous, d_previous));
        }
        if inside {
            out.push(vertex.clone());
        }
        previous = vertex;
    }
    out
}

/// The point on the plane between `a` and `b`.
fn between(a: &[f32], da: f32, b: &[f32], db: f32) -> Vec<f32> {
    let t = db / (db - da);
    a.iter().zip(b).map(|(a, b)| a * t + b * (1.0 - t)).collect()
}
