//! Clipping in homogeneous space (Sutherland and Hodgman), before the division by w.

use super::project::{PLANES, Projection};

/// A vertex that clipping works on.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// Clip-space position.
    pub position: [f64; 4],
    /// The program's outputs; the position in it is not looked at any more.
    pub record: Vec<f32>,
}

impl Vertex {
    pub(super) fn new(projection: &Projection, record: &[f32], negated: bool) -> Self {
        Vertex { position: projection.position(record, negated), record: record.to_vec() }
    }

    /// The point between `self`, which lies inside of a plane, and `other`, which does not. Always from the inside, so
    /// that both neighbours of an edge find the same point.
    fn towards(&self, inside: f64, other: &Vertex, outside: f64) -> Vertex {
        let t = inside / (inside - outside);
        let position = [0, 1, 2, 3].map(|i| self.position[i] + (other.position[i] - self.position[i]) * t);
        let mix = |(&a, &b): (&f32, &f32)| (f64::from(a) + (f64::from(b) - f64::from(a)) * t) as f32;
        Vertex { position, record: self.record.iter().zip(&other.record).map(mix).collect() }
    }
}

/// Cuts off what of a convex polygon lies outside of the planes in `planes`. Less than three corners: nothing is left.
pub(super) fn polygon(projection: &Projection, mut corners: Vec<Vertex>, planes: u16) -> Vec<Vertex> {
    for plane in (0..PLANES).filter(|plane| planes >> plane & 1 != 0) {
        corners = cut(projection, &corners, plane);
        if corners.len() < 3 {
            return Vec::new();
        }
    }
    corners
}

fn cut(projection: &Projection, corners: &[Vertex], plane: u32) -> Vec<Vertex> {
    let distance = |v: &Vertex| projection.distance(plane, &v.position, &v.record);
    let mut out = Vec::with_capacity(corners.len() + 1);
    let Some(mut before) = corners.last() else { return out };
    for corner in corners {
        let (Some(d), Some(d_before)) = (distance(corner), distance(before)) else { return corners.to_vec() };
        match (d_before.inside(), d.inside()) {
            (true, true) => out.push(corner.clone()),
            (true, false) => out.push(before.towards(d_before.value, corner, d.value)),
            (false, true) => {
                out.push(corner.towards(d.value, before, d_before.value));
                out.push(corner.clone());
            }
            (false, false) => {}
        }
        before = corner;
    }
    out
}

/// The part of a line inside of the planes in `planes`.
pub(super) fn line(projection: &Projection, ends: [Vertex; 2], planes: u16) -> Option<[Vertex; 2]> {
    let [mut a, mut b] = ends;
    for plane in (0..PLANES).filter(|plane| planes >> plane & 1 != 0) {
        let distance = |v: &Vertex| projection.distance(plane, &v.position, &v.record);
        let (Some(da), Some(db)) = (distance(&a), distance(&b)) else { continue };
        match (da.inside(), db.inside()) {
            (true, true) => {}
            (true, false) => b = a.towards(da.value, &b, db.value),
            (false, true) => a = b.towards(db.value, &a, da.value),
            (false, false) => return None,
        }
    }
    Some([a, b])
}
