//! Quads: rings of cells within rings, and a row of them in the middle.

use super::edge::{Edge, Spacing};
use super::stitch::{middle, ring, transition};
use super::{Levels, Patch};

/// Divides a quad; triangles are counter-clockwise.
pub fn divide(spacing: Spacing, levels: &Levels) -> Patch {
    let outer = levels.outer.map(|level| Edge::new(level, spacing));
    let plain = levels.inner.map(|level| Edge::new(level, spacing));
    let divided = outer.iter().chain(&plain).any(|edge| edge.segments() > 1);
    let mut patch = Patch::default();
    let around = rim(&mut patch, &outer);
    if !divided {
        let [a, b, c, d] = [0, 1, 2, 3].map(|side| around[side][0]);
        patch.indices.extend([b, c, a, c, d, a]);
        return patch;
    }
    let inner = levels.inner.map(|level| Edge::inner(level, spacing, true));
    let grid = Grid::new(&mut patch, inner);
    for (side, edge) in outer.iter().enumerate() {
        // Along v, u, v, u.
        let edges = [edge, &inner[1 - side % 2]];
        transition(edges, &around[side], &grid.side(side, 1), &mut patch.indices);
    }
    let [columns, rows] = inner.map(|edge| edge.segments());
    for depth in 2..=columns.min(rows) / 2 {
        for side in 0..4 {
            ring(&grid.side(side, depth - 1), &grid.side(side, depth), &mut patch.indices);
        }
    }
    grid.middle(&mut patch);
    patch
}

/// The points of the four edges, u = 0 downwards, v = 0, u = 1 upwards, v = 1 back: each with the first one of the next
/// at its end.
fn rim(patch: &mut Patch, outer: &[Edge; 4]) -> [Vec<u32>; 4] {
    let mut next = 0;
    let mut sides = [0, 1, 2, 3].map(|side| {
        let edge = &outer[side];
        let at = |place: f32| match side {
            0 => [0.0, 1.0 - place],
            1 => [place, 0.0],
            2 => [1.0, place],
            _ => [1.0 - place, 1.0],
        };
        patch.coordinates.extend((0..edge.segments()).map(|index| at(edge.place(index))));
        let first = next;
        next += edge.segments();
        (first..=next).collect::<Vec<u32>>()
    });
    if let Some(last) = sides[3].last_mut() {
        *last = 0;
    }
    sides
}

/// The points inside.
struct Grid {
    /// Along u and v.
    edges: [Edge; 2],
    first: u32,
}

impl Grid {
    fn new(patch: &mut Patch, edges: [Edge; 2]) -> Self {
        let first = patch.coordinates.len() as u32;
        for j in 1..edges[1].segments() {
            let v = edges[1].place(j);
            patch.coordinates.extend((1..edges[0].segments()).map(|i| [edges[0].place(i), v]));
        }
        Grid { edges, first }
    }

    fn point(&self, i: u32, j: u32) -> u32 {
        self.first + (j - 1) * (self.edges[0].segments() - 1) + (i - 1)
    }

    /// A side of the ring so many points away from the edge.
    fn side(&self, side: usize, depth: u32) -> Vec<u32> {
        let [right, top] = [0, 1].map(|axis| self.edges[axis].segments() - depth);
        match side {
            0 => (depth..=top).rev().map(|j| self.point(depth, j)).collect(),
            1 => (depth..=right).map(|i| self.point(i, depth)).collect(),
            2 => (depth..=top).map(|j| self.point(right, j)).collect(),
            _ => (depth..=right).rev().map(|i| self.point(i, top)).collect(),
        }
    }

    /// The cells that no ring has.
    fn middle(&self, patch: &mut Patch) {
        let [columns, rows] = [0, 1].map(|axis| self.edges[axis].segments());
        let shorter = columns.min(rows);
        if shorter.is_multiple_of(2) {
            return;
        }
        let depth = shorter / 2;
        if columns > rows {
            let row = |j: u32| (depth..=columns - depth).map(|i| self.point(i, j)).collect::<Vec<_>>();
            middle(&row(depth), &row(depth + 1), false, &mut patch.indices);
        } else {
            let column = |i: u32| (depth..=rows - depth).rev().map(|j| self.point(i, j)).collect::<Vec<_>>();
            middle(&column(depth), &column(depth + 1), true, &mut patch.indices);
        }
    }
}
