//! The fixed-function tessellator: division of a patch, and its primitives.
//!
//! The public rules are those of OpenGL 4.5, chapter 11.2.2, and of the D3D11 functional specification: which levels
//! count, how edges are divided, that edges depend on their own level alone and are symmetric. Where those leave a
//! choice, the places of the two short segments of a fractional edge and of the rings of a triangle are those of
//! D3D11's tessellator.
//!
//! ```text
//! edge.rs   a level and a spacing -> places along an edge
//! quad.rs   grid of cells, ring to the edges        triangle.rs   rings within rings
//! stitch.rs the triangles between two rows of points
//! ```

mod edge;
mod quad;
mod stitch;
#[cfg(test)]
mod tests;
mod triangle;

pub use edge::Spacing;
use edge::{Edge, outer_is_void};

/// What a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Lines along u at several v.
    Isolines,
    /// Barycentric coordinates (u, v), w = 1 - u - v.
    Triangle,
    /// A square in u and v.
    Quad,
}

/// The primitives into which patches are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Each vertex once.
    Points,
    /// The lines, or the edges of triangles.
    Lines,
    /// Clockwise in (u, v), v upwards.
    Clockwise,
    /// Counter-clockwise in (u, v), v upwards.
    CounterClockwise,
}

/// How patches are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tessellator {
    /// The shape of a patch.
    pub domain: Domain,
    /// How edges are divided.
    pub spacing: Spacing,
    /// The primitives of the result.
    pub output: Output,
}

/// Levels of detail of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Of the edges: u = 0, v = 0, u = 1, v = 1 of a quad; u = 0, v = 0, w = 0 of a triangle; number of lines and
    /// segments of each.
    pub outer: [f32; 4],
    /// Of the inside: along u and v; of a triangle the first one.
    pub inner: [f32; 2],
}

/// A divided patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Coordinates u, v of the vertices.
    pub coordinates: Vec<[f32; 2]>,
    /// Vertices of the primitives, one, two or three each.
    pub indices: Vec<u32>,
}

impl Tessellator {
    /// Divides a patch into at most some 10,000 vertices. With an outer level that is not above 0 the result is empty.
    pub fn divide(&self, levels: &Levels) -> Patch {
        let edges = match self.domain {
            Domain::Isolines => 2,
            Domain::Triangle => 3,
            Domain::Quad => 4,
        };
        if levels.outer[..edges].iter().any(|&level| outer_is_void(level)) {
            return Patch::default();
        }
        match self.domain {
            Domain::Isolines => self.isolines(levels),
            Domain::Triangle => self.finish(triangle::divide(self.spacing, levels)),
            Domain::Quad => self.finish(quad::divide(self.spacing, levels)),
        }
    }

    fn isolines(&self, levels: &Levels) -> Patch {
        let across = Edge::new(levels.outer[0], Spacing::Integer);
        let along = Edge::new(levels.outer[1], self.spacing);
        let mut patch = Patch::default();
        // There is none at the end.
        for line in 0..across.segments() {
            let v = across.place(line);
            let first = patch.coordinates.len() as u32;
            patch.coordinates.extend((0..=along.segments()).map(|point| [along.place(point), v]));
            if self.output != Output::Points {
                patch.indices.extend((0..along.segments()).flat_map(|point| [first + point, first + point + 1]));
            }
        }
        if self.output == Output::Points {
            patch.indices = (0..patch.coordinates.len() as u32).collect();
        }
        patch
    }

    /// Converts counter-clockwise triangles to the requested output.
    fn finish(&self, mut patch: Patch) -> Patch {
        match self.output {
            Output::CounterClockwise => {}
            Output::Clockwise => patch.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|corners| corners.swap(1, 2)),
            Output::Points => patch.indices = (0..patch.coordinates.len() as u32).collect(),
            Output::Lines => patch.indices = outlines(&patch.indices),
        }
        patch
    }
}

/// Every edge of some triangles once.
fn outlines(triangles: &[u32]) -> Vec<u32> {
    let mut seen = std::collections::HashSet::new();
    let mut lines = Vec::new();
    for &[a, b, c] in triangles.as_chunks().0 {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if seen.insert([from.min(to), from.max(to)]) {
                lines.extend([from, to]);
            }
        }
    }
    lines
}
