//! Polygon clipping in clip space: -w <= x, y <= w and -w <= z <= 0, then w and the user plane.
//!
//! Sutherland and Hodgman, plane after plane in the order of the clip code's bits; the polygon's first vertex is
//! whichever the loop emits first. (3DS; the hardware's own method is unknown.)

use std::slice::ChunksExact;

use smallvec::SmallVec;

/// Index of the clip-space position in a record, in values.
const POSITION: usize = 4;

/// Values down to this count as inside: some titles place flat layers exactly on the near plane.
const INSIDE: f32 = -1e-8;

/// Floats of the corners that clipping a triangle at eight planes can give, for most records.
const ROOM: usize = 512;

/// A polygon's records, one after the other.
type Polygon = SmallVec<[f32; ROOM]>;

/// Clips triangles. Kept on the stack, as most polygons fit there.
pub(super) struct Clipper {
    /// Floats of a record.
    stride: usize,
    /// Before a plane and after it, in turns.
    polygons: [Polygon; 2],
}

impl Clipper {
    /// For records of so many floats.
    pub fn new(stride: usize) -> Self {
        Clipper { stride, polygons: [Polygon::new(), Polygon::new()] }
    }

    /// Clips a triangle of records at the planes in `planes` (bits of the clip code). Returns the records of the
    /// polygon, none or at least three, one after the other.
    pub fn clip(&mut self, triangle: [&[f32]; 3], planes: u8, user_plane: &[f32; 4]) -> &mut [f32] {
        let [mut polygon, mut other] = self.polygons.each_mut();
        polygon.clear();
        triangle.iter().for_each(|record| polygon.extend_from_slice(record));
        for plane in (0..8).filter(|plane| planes & 1 << plane != 0) {
            clip_at(polygon.chunks_exact(self.stride), |record| distance(record, plane, user_plane), other);
            (polygon, other) = (other, polygon);
            if polygon.len() < 3 * self.stride {
                return &mut [];
            }
        }
        polygon
    }
}

/// Clips a polygon by a plane into `out`.
fn clip_at(polygon: ChunksExact<'_, f32>, distance: impl Fn(&[f32]) -> f32, out: &mut Polygon) {
    out.clear();
    let Some(mut previous) = polygon.clone().next_back() else { return };
    let mut d_previous = distance(previous);
    for vertex in polygon {
        let d = distance(vertex);
        let (inside, inside_previous) = (d >= INSIDE, d_previous >= INSIDE);
        if inside != inside_previous {
            out.extend(between(vertex, d, previous, d_previous));
        }
        if inside {
            out.extend_from_slice(vertex);
        }
        (previous, d_previous) = (vertex, d);
    }
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

/// The point on the plane between `a` and `b`.
fn between<'r>(a: &'r [f32], da: f32, b: &'r [f32], db: f32) -> impl Iterator<Item = f32> + use<'r> {
    let t = db / (db - da);
    a.iter().zip(b).map(move |(a, b)| a * t + b * (1.0 - t))
}
