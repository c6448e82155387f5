//! Clipping in homogeneous space (Sutherland and Hodgman), before the division by w.

use smallvec::SmallVec;

use super::project::{PLANES, Projection};

/// A vertex that clipping works on.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// Clip-space position.
    pub position: [f64; 4],
    /// The program's outputs; the position in it is not used any more.
    pub record: Record,
}

/// The outputs of a vertex: seldom more.
type Record = SmallVec<[f32; 32]>;

/// The corners of a polygon. Each plane that cuts one adds a corner.
pub(super) type Polygon = SmallVec<[Vertex; 6]>;

impl Vertex {
    pub(super) fn new(projection: &Projection, record: &[f32], negated: bool) -> Self {
        Vertex { position: projection.position(record, negated), record: record.into() }
    }

    /// The point between `self`, which lies inside of a plane, and `other`, which does not. Always from the inside, so
    /// that both neighbours of an edge find the same point. Floats in `linear` are linear in the window: there the
    /// point divides the edge otherwise.
    fn towards(&self, inside: f64, other: &Vertex, outside: f64, linear: &[usize]) -> Vertex {
        let t = inside / (inside - outside);
        let position = [0, 1, 2, 3].map(|i| self.position[i] + (other.position[i] - self.position[i]) * t);
        let mix = |(&a, &b): (&f32, &f32)| (f64::from(a) + (f64::from(b) - f64::from(a)) * t) as f32;
        let mut record: Record = self.record.iter().zip(&other.record).map(mix).collect();
        let in_window = t * other.position[3] / position[3];
        for &at in linear.iter().filter(|_| in_window.is_finite()) {
            let (a, b) = (f64::from(self.record[at]), f64::from(other.record[at]));
            record[at] = (a + (b - a) * in_window) as f32;
        }
        Vertex { position, record }
    }
}

/// Clips a convex polygon by the planes in `planes`. The result is empty if it has less than three corners. The floats
/// of records in `linear` are linear in the window.
pub(super) fn polygon(projection: &Projection, mut corners: Polygon, planes: u16, linear: &[usize]) -> Polygon {
    for plane in (0..PLANES).filter(|plane| planes >> plane & 1 != 0) {
        corners = cut(projection, &corners, plane, linear);
        if corners.len() < 3 {
            return Polygon::new();
        }
    }
    corners
}

fn cut(projection: &Projection, corners: &[Vertex], plane: u32, linear: &[usize]) -> Polygon {
    let distance = |v: &Vertex| projection.distance(plane, &v.position, &v.record);
    let mut out = Polygon::new();
    let Some(mut before) = corners.last() else { return out };
    for corner in corners {
        let (Some(d), Some(d_before)) = (distance(corner), distance(before)) else { return corners.into() };
        match (d_before.inside(), d.inside()) {
            (true, true) => out.push(corner.clone()),
            (true, false) => out.push(before.towards(d_before.value, corner, d.value, linear)),
            (false, true) => {
                out.push(corner.towards(d.value, before, d_before.value, linear));
                out.push(corner.clone());
            }
            (false, false) => {}
        }
        before = corner;
    }
    out
}

/// The part of a line inside of the planes in `planes`.
pub(super) fn line(projection: &Projection, ends: [Vertex; 2], planes: u16, linear: &[usize]) -> Option<[Vertex; 2]> {
    let [mut a, mut b] = ends;
    for plane in (0..PLANES).filter(|plane| planes >> plane & 1 != 0) {
        let distance = |v: &Vertex| projection.distance(plane, &v.position, &v.record);
        let (Some(da), Some(db)) = (distance(&a), distance(&b)) else { continue };
        match (da.inside(), db.inside()) {
            (true, true) => {}
            (true, false) => b = a.towards(da.value, &b, db.value, linear),
            (false, true) => a = b.towards(db.value, &a, da.value, linear),
            (false, false) => return None,
        }
    }
    Some([a, b])
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn what_is_linear_in_the_window_is_so_after_a_cut() {
        let near = Vertex { position: [0.0, 0.0, 0.0, 1.0], record: smallvec![0.0, 0.0] };
        let far = Vertex { position: [6.0, 0.0, 0.0, 3.0], record: smallvec![8.0, 8.0] };
        // Half way in space is three quarters of the way in the window: x/w is 0, 2 and 1.5.
        for (from, to) in [(&near, &far), (&far, &near)] {
            let between = from.towards(1.0, to, -1.0, &[1]);
            assert_eq!((between.position, &between.record[..]), ([3.0, 0.0, 0.0, 2.0], &[4.0, 6.0][..]));
        }
    }
}
