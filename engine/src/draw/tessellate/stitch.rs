//! The triangles between two rows of points, and the order of their corners.
//!
//! Rows run alongside each other, the outside one on the right: triangles are counter-clockwise. Which corner comes
//! last decides what flat inputs are; the orders are those of D3D11's tessellator, found by what llvmpipe, which has
//! it, hands to transform feedback.

use super::edge::Edge;

/// Triangles of a patch.
pub type Triangles = Vec<u32>;

/// Between a divided edge and the row inside of it, which the division of the inside makes. The edges' halves are
/// mirror images; in the first one steps come in the order in which a growing level makes points.
pub fn transition(edges: [&Edge; 2], outside: &[u32], inside: &[u32], triangles: &mut Triangles) {
    let [outer, inner] = edges.map(Edge::segments);
    // The corner's point is no step of the inside: its row begins after it.
    let mut steps: Vec<(u32, bool)> = (0..outer / 2).map(|point| (rank(point), true)).collect();
    steps.extend((1..inner / 2).map(|point| (rank(point), false)));
    steps.sort_unstable();
    let mut seam = Seam { outside, inside, triangles };
    steps.iter().for_each(|&(_, is_outside)| seam.step(is_outside));
    match (!outer.is_multiple_of(2), !inner.is_multiple_of(2)) {
        (true, true) => {
            seam.inside_step();
            seam.turned_outside_step();
        }
        (true, false) => seam.turned_outside_step(),
        (false, true) => seam.inside_step(),
        (false, false) => {}
    }
    steps.iter().rev().for_each(|&(_, is_outside)| seam.step(is_outside));
}

/// Between two rows with the same division, of which the inside one has a segment less at either end. The diagonals of
/// the cells are mirrored.
pub fn ring(outside: &[u32], inside: &[u32], triangles: &mut Triangles) {
    let cells = inside.len() - 1;
    let mut seam = Seam { outside, inside, triangles };
    seam.step(true);
    for cell in 0..cells {
        let [a, b, c, d] = [seam.outside[0], seam.outside[1], seam.inside[1], seam.inside[0]];
        let first_half = cell < cells.div_ceil(2);
        seam.triangles.extend(if first_half { [a, c, d, a, b, c] } else { [d, a, b, d, b, c] });
        seam.advance();
    }
    seam.step(true);
}

/// The cells of the middle, between two rows of as many points. `mirrored`: the middle one of an odd number has the
/// other diagonal.
pub fn middle(outside: &[u32], inside: &[u32], mirrored: bool, triangles: &mut Triangles) {
    let cells = inside.len() - 1;
    for cell in 0..cells {
        let [a, b, c, d] = [outside[cell], outside[cell + 1], inside[cell + 1], inside[cell]];
        triangles.extend(match mirrored && !cells.is_multiple_of(2) {
            true if cell == cells / 2 => [a, c, d, a, b, c],
            true => [a, b, d, d, b, c],
            false => [d, a, b, d, b, c],
        });
    }
}

/// Where the points of an edge's first half lie, the corner first: in order, the nodes of a heap.
fn rank(point: u32) -> u32 {
    match point.checked_ilog2() {
        Some(level) => (2 * (point - (1 << level)) + 1) << (6 - level),
        None => 0,
    }
}

/// The rest of two rows.
struct Seam<'s> {
    outside: &'s [u32],
    inside: &'s [u32],
    triangles: &'s mut Triangles,
}

impl Seam<'_> {
    fn step(&mut self, is_outside: bool) {
        if !is_outside {
            return self.inside_step();
        }
        self.triangles.extend([self.outside[0], self.outside[1], self.inside[0]]);
        self.outside = &self.outside[1..];
    }

    /// The same as a step of the outside, from another corner on.
    fn turned_outside_step(&mut self) {
        self.triangles.extend([self.inside[0], self.outside[0], self.outside[1]]);
        self.outside = &self.outside[1..];
    }

    fn inside_step(&mut self) {
        self.triangles.extend([self.inside[0], self.outside[0], self.inside[1]]);
        self.inside = &self.inside[1..];
    }

    fn advance(&mut self) {
        (self.outside, self.inside) = (&self.outside[1..], &self.inside[1..]);
    }
}
