//! Triangles: rings within rings, each with two segments less on a side.

use super::edge::{Edge, Spacing};
use super::stitch::{ring, transition};
use super::{Levels, Patch};

/// Divides a triangle; triangles are counter-clockwise in (u, v).
pub fn divide(spacing: Spacing, levels: &Levels) -> Patch {
    let outer = [0, 1, 2].map(|side| Edge::new(levels.outer[side], spacing));
    let divided = outer.iter().any(|edge| edge.segments() > 1);
    let inner = Edge::inner(levels.inner[0], spacing, divided);
    let segments = inner.segments();
    let mut patch = Patch::default();
    let edges = [0, 1, 2].map(|side| (0..=outer[side].segments()).map(|index| outer[side].place(index)).collect());
    let mut around = Ring::new(&mut patch, 0.0, edges);
    if segments == 1 {
        patch.indices.extend(around.corners());
        return patch;
    }
    for depth in 1..=segments / 2 {
        let within = Ring::inside(&mut patch, &inner, depth);
        for (side, edge) in outer.iter().enumerate() {
            let (outside, inside) = (&around.sides[side], &within.sides[side]);
            match depth {
                1 => transition([edge, &inner], outside, inside, &mut patch.indices),
                _ => ring(outside, inside, &mut patch.indices),
            }
        }
        around = within;
    }
    if !segments.is_multiple_of(2) {
        patch.indices.extend(around.corners());
    }
    patch
}

/// A closed row of points, three sides counter-clockwise in (u, v): along u = 0 from v = 1 to w = 1, along v = 0 to u =
/// 1, along w = 0 back. Each side has the first point of the next one at its end.
struct Ring {
    sides: [Vec<u32>; 3],
}

impl Ring {
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
        if sides[0].len() == 1 {
            patch.coordinates.push(coordinates(0, sides[0][0], away));
            return Ring { sides: [vec![first], vec![first], vec![first]] };
        }
        let mut sides = [0, 1, 2].map(|side| {
            let start = patch.coordinates.len() as u32;
            let own = &sides[side][..sides[side].len() - 1];
            patch.coordinates.extend(own.iter().map(|&place| coordinates(side, place, away)));
            (start..=start + own.len() as u32).collect::<Vec<u32>>()
        });
        if let Some(last) = sides[2].last_mut() {
            *last = first;
        }
        Ring { sides }
    }

    fn corners(&self) -> [u32; 3] {
        [0, 1, 2].map(|side| self.sides[side][0])
    }
}

/// The point at `place` of a side whose distance from the patch's edge is `away`.
fn coordinates(side: usize, place: f32, away: f32) -> [f32; 2] {
    let along = place - away / 2.0;
    let rest = 1.0 - away - along;
    match side {
        0 => [away, rest],
        1 => [along, away],
        _ => [rest, along],
    }
}
