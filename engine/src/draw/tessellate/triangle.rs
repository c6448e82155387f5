//! Triangles: rings within rings, each with two segments less on a side.

use super::edge::{Edge, Spacing};
use super::stitch::{Row, stitch};
use super::{Levels, Patch};

/// Divides a triangle; triangles are counter-clockwise in (u, v).
pub fn divide(spacing: Spacing, levels: &Levels) -> Patch {
    let outer = [0, 1, 2].map(|side| Edge::new(levels.outer[side], spacing));
    let divided = outer.iter().any(|edge| edge.segments() > 1);
    let inner = Edge::inner(levels.inner[0], spacing, divided);
    let segments = inner.segments();
    let mut patch = Patch::default();
    let mut around = Ring::outermost(&mut patch, &outer);
    if segments == 1 {
        patch.indices.extend(around.corners());
        return patch;
    }
    for depth in 1..=segments / 2 {
        let within = Ring::inside(&mut patch, &inner, depth);
        for side in 0..3 {
            let (left, right) = (within.side(side), around.side(side));
            stitch(&left, &right, &mut patch.indices);
        }
        around = within;
    }
    if !segments.is_multiple_of(2) {
        patch.indices.extend(around.corners());
    }
    patch
}

/// A closed row of points, three sides counter-clockwise in (u, v): along v = 0 from w = 1 to u = 1, along w = 0 to v = 1, along
/// u = 0 back. Each side has the first point of the next one at its end.
struct Ring {
    sides: [(Vec<u32>, Vec<f64>); 3],
}

/// The edge, in order of the levels, that each side lies on.
const EDGE_OF_SIDE: [usize; 3] = [1, 2, 0];

impl Ring {
    fn outermost(patch: &mut Patch, edges: &[Edge; 3]) -> Ring {
        let sides = EDGE_OF_SIDE.map(|edge| {
            let edge = edges[edge];
            (0..=edge.segments()).map(|index| edge.place(index)).collect::<Vec<_>>()
        });
        Ring::new(patch, 0.0, sides)
    }

    /// The ring `depth` points away from the edge. A side's points are those of the inner level that lie beside it.
    fn inside(patch: &mut Patch, inner: &Edge, depth: u32) -> Ring {
        let places: Vec<f32> = (depth..=inner.segments() - depth).map(|index| inner.place(index)).collect();
        // The centre, where two thirds of a half are a third.
        let away = inner.place(depth) * (2.0 / 3.0);
        Ring::new(patch, away, [places.clone(), places.clone(), places])
    }

    /// `away`: the coordinate that is the same along a side.
    fn new(patch: &mut Patch, away: f32, sides: [Vec<f32>; 3]) -> Ring {
        let first = patch.coordinates.len() as u32;
        let mut next = first;
        let starts = [0, 1, 2].map(|side| {
            let points = &sides[side];
            let own = &points[..points.len() - 1];
            // A ring of one point has it as the first of a side without segments.
            let own = if points.len() == 1 && side == 0 { points } else { own };
            patch.coordinates.extend(own.iter().map(|&place| coordinates(side, place, away)));
            let start = next;
            next += own.len() as u32;
            start
        });
        let end = next;
        let mut rows =
            sides.map(|places| (Vec::new(), places.iter().map(|&place| f64::from(place)).collect::<Vec<_>>()));
        for (side, (vertices, places)) in rows.iter_mut().enumerate() {
            let after = if side == 2 || starts[side + 1] == end { first } else { starts[side + 1] };
            vertices.extend((0..places.len() as u32 - 1).map(|index| starts[side] + index));
            vertices.push(after);
        }
        Ring { sides: rows }
    }

    fn side(&self, side: usize) -> Row<'_> {
        Row { vertices: &self.sides[side].0, places: &self.sides[side].1 }
    }

    fn corners(&self) -> [u32; 3] {
        [0, 1, 2].map(|side| self.sides[side].0[0])
    }
}

/// The point at `place` of a side whose distance from the patch's edge is `away`.
fn coordinates(side: usize, place: f32, away: f32) -> [f32; 2] {
    let along = place - away / 2.0;
    let rest = 1.0 - away - along;
    match side {
        0 => [along, away],
        1 => [rest, along],
        _ => [away, rest],
    }
}
