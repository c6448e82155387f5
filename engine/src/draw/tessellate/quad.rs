//! Quads: a grid whose outermost ring meets the edges.

use super::edge::{Edge, Spacing};
use super::stitch::{Row, stitch};
use super::{Levels, Patch};

/// Divides a quad; triangles are counter-clockwise.
pub fn divide(spacing: Spacing, levels: &Levels) -> Patch {
    let outer = levels.outer.map(|level| Edge::new(level, spacing));
    let plain = levels.inner.map(|level| Edge::new(level, spacing));
    let divided = outer.iter().chain(&plain).any(|edge| edge.segments() > 1);
    let inner = levels.inner.map(|level| Edge::inner(level, spacing, divided));
    let grid = Grid { along_u: inner[0], along_v: inner[1] };
    // Edges divided as the inside is: the patch is one grid.
    let regular = outer == [inner[1], inner[0], inner[1], inner[0]];
    let mut patch = Patch::default();
    if regular {
        grid.fill(&mut patch, 0..=inner[0].segments(), 0..=inner[1].segments());
        return patch;
    }
    let (columns, rows) = (inner[0].segments() - 1, inner[1].segments() - 1);
    grid.fill(&mut patch, 1..=columns, 1..=rows);
    let width = columns as usize;
    let point = |i: usize, j: usize| (j * width + i) as u32;
    let (right, top) = (width - 1, rows as usize - 1);
    // The sides in counter-clockwise order, each with the inner row beside it: what is inside is on the left.
    let sides = [
        (1, (0..width).map(|i| point(i, 0)).collect::<Vec<_>>()),
        (2, (0..=top).map(|j| point(right, j)).collect()),
        (3, (0..width).rev().map(|i| point(i, top)).collect()),
        (0, (0..=top).rev().map(|j| point(0, j)).collect()),
    ];
    let mut corners = Corners::default();
    for (side, (edge, beside)) in sides.into_iter().enumerate() {
        let along = &inner[side % 2];
        let vertices = corners.edge(&mut patch, side, &outer[edge]);
        let places: Vec<f64> = (0..vertices.len() as u32).map(|at| f64::from(outer[edge].place(at))).collect();
        let inside: Vec<f64> = (1..=beside.len() as u32).map(|at| f64::from(along.place(at))).collect();
        let left = Row { vertices: &beside, places: &inside };
        stitch(&left, &Row { vertices: &vertices, places: &places }, &mut patch.indices);
    }
    patch
}

/// The vertices at the corners, made when the first edge gets to them.
#[derive(Default)]
struct Corners([Option<u32>; 4]);

impl Corners {
    /// The vertices of side 0 to 3 (v = 0, u = 1, v = 1, u = 0), counter-clockwise.
    fn edge(&mut self, patch: &mut Patch, side: usize, edge: &Edge) -> Vec<u32> {
        let at = |place: f32| match side {
            0 => [place, 0.0],
            1 => [1.0, place],
            2 => [1.0 - place, 1.0],
            _ => [0.0, 1.0 - place],
        };
        let last = edge.segments();
        (0..=last)
            .map(|index| {
                let mut add = || {
                    patch.coordinates.push(at(edge.place(index)));
                    patch.coordinates.len() as u32 - 1
                };
                match index {
                    0 => *self.0[side].get_or_insert_with(add),
                    _ if index == last => *self.0[(side + 1) % 4].get_or_insert_with(add),
                    _ => add(),
                }
            })
            .collect()
    }
}

/// Cells between points of both inner edges.
struct Grid {
    along_u: Edge,
    along_v: Edge,
}

impl Grid {
    /// Adds the points of some columns and rows, row by row, and the cells between them.
    fn fill(&self, patch: &mut Patch, columns: std::ops::RangeInclusive<u32>, rows: std::ops::RangeInclusive<u32>) {
        let (first_column, last_column) = columns.into_inner();
        let (first_row, last_row) = rows.into_inner();
        let first = patch.coordinates.len() as u32;
        for j in first_row..=last_row {
            let v = self.along_v.place(j);
            patch.coordinates.extend((first_column..=last_column).map(|i| [self.along_u.place(i), v]));
        }
        let width = last_column - first_column + 1;
        let point = |i: u32, j: u32| first + (j - first_row) * width + (i - first_column);
        for j in first_row..last_row {
            for i in first_column..last_column {
                let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
                let rising = self.rises(i, j);
                patch.indices.extend(if rising { [a, b, c, a, c, d] } else { [a, b, d, b, c, d] });
            }
        }
    }

    /// Whether the diagonal of cell (i, j) goes from its first corner to the opposite one. They are mirrored about the centre;
    /// which they are in the middle column and row was found by a recorded picture of 9 x 9 cells.
    fn rises(&self, i: u32, j: u32) -> bool {
        // Twice the distance from the centre.
        let from_centre = |index: u32, edge: &Edge| (2 * index + 1).cmp(&edge.segments());
        let (i, j) = (from_centre(i, &self.along_u), from_centre(j, &self.along_v));
        if i.is_eq() { j.is_ne() } else { i == j }
    }
}
