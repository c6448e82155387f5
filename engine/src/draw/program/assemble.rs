//! Primitive assembly: how vertices form points, lines and triangles.

use super::split::Split;
pub use super::topology::Topology;
use crate::draw::vertex_reuse::RESTART;

/// Which vertex of a primitive provides flat values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Provoking {
    /// The first one.
    First,
    /// The first one; of quads the last.
    FirstExceptQuads,
    /// The last one; of a polygon the first all the same (OpenGL's rule).
    #[default]
    Last,
}

/// A primitive of vertex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A point.
    Point(u32),
    /// A line.
    Line {
        /// From and to.
        ends: [u32; 2],
        /// The provoking vertex.
        provoking: u32,
        /// Whether a stipple goes on from the line before.
        continues: bool,
    },
    /// A triangle, or a part of a larger polygon.
    Triangle {
        /// Corners.
        corners: [u32; 3],
        /// The provoking vertex.
        provoking: u32,
        /// Bit i: the edge from corner i to the next is one of the polygon's.
        edges: u8,
    },
}

impl Shape {
    /// Vertices that it has.
    pub fn vertices(self) -> u32 {
        match self {
            Shape::Point(_) => 1,
            Shape::Line { .. } => 2,
            Shape::Triangle { .. } => 3,
        }
    }
}

/// Calls `emit` with every complete primitive of `order`.
pub fn primitives(topology: Topology, provoking: Provoking, order: &[u32], emit: impl FnMut(Shape)) {
    segment_primitives(topology, provoking, Split::NONE, order, emit);
}

/// Calls `emit` with every complete primitive of a segment of an order.
pub fn segment_primitives(
    topology: Topology,
    provoking: Provoking,
    split: Split,
    segment: &[u32],
    mut emit: impl FnMut(Shape),
) {
    for run in segment.split(|&vertex| vertex == RESTART) {
        form(topology, provoking, split, run, &mut emit);
    }
}

/// Vertices of a piece of an order, about: whole primitives of every list, an even number for strips.
const PIECE: usize = 192;

/// The first piece of an order, whose primitives are those that [`primitives`] begins with: how many of its vertices
/// belong to it, and which of them the rest begins with. There are no pieces of loops, of what shares its first vertex,
/// and of strips of lines, whose stipple goes on.
pub(super) fn first_piece(topology: Topology, order: &[u32]) -> (usize, usize) {
    if order.len() <= PIECE {
        return (order.len(), order.len());
    }
    let is_restart = |&vertex: &u32| vertex == RESTART;
    // Few orders have any; this tests several vertices at once.
    let has_restart = order[..PIECE].iter().fold(false, |any, vertex| any | is_restart(vertex));
    if has_restart && let Some(restart) = order[..PIECE].iter().rposition(is_restart) {
        return (restart, restart + 1);
    }
    match topology {
        Topology::Points | Topology::Lines | Topology::Triangles => (PIECE, PIECE),
        Topology::Quads | Topology::QuadsByFourth => (PIECE, PIECE),
        Topology::TriangleStrip | Topology::QuadStrip | Topology::QuadStripAsTriangles => (PIECE, PIECE - 2),
        Topology::LineLoop | Topology::LineStrip | Topology::TriangleFan | Topology::Polygon => {
            let end = order.iter().position(is_restart);
            end.map_or((order.len(), order.len()), |restart| (restart, restart + 1))
        }
    }
}

fn form(topology: Topology, provoking: Provoking, split: Split, run: &[u32], emit: &mut impl FnMut(Shape)) {
    let first = provoking != Provoking::Last;
    let quads_first = provoking == Provoking::First;
    let line = |ends: [u32; 2], continues: bool| Shape::Line { ends, provoking: ends[usize::from(!first)], continues };
    match topology {
        Topology::Points => run.iter().for_each(|&vertex| emit(Shape::Point(vertex))),
        Topology::Lines => run.as_chunks().0.iter().for_each(|&ends| emit(line(ends, false))),
        Topology::LineStrip | Topology::LineLoop => {
            for (i, &ends) in run.array_windows().enumerate() {
                emit(line(ends, i > 0 || split.before));
            }
            // The last segment of a loop that is split ends with the vertex that closes it.
            if let (Topology::LineLoop, Split::NONE, [start, .., end]) = (topology, split, run) {
                emit(line([*end, *start], true));
            }
        }
        Topology::Triangles => {
            for &corners in run.as_chunks().0 {
                emit(Shape::Triangle { corners, provoking: corners[if first { 0 } else { 2 }], edges: 7 });
            }
        }
        Topology::TriangleStrip => {
            for (i, &[a, b, c]) in run.array_windows().enumerate() {
                // The provoking vertex stays in its place.
                let corners = match (i % 2, first) {
                    (0, _) => [a, b, c],
                    (_, true) => [a, c, b],
                    (_, false) => [b, a, c],
                };
                emit(Shape::Triangle { corners, provoking: if first { a } else { c }, edges: 7 });
            }
        }
        Topology::TriangleFan => {
            let [hub, rim @ ..] = run else { return };
            for &[a, b] in rim.array_windows() {
                emit(Shape::Triangle { corners: [*hub, a, b], provoking: if first { a } else { b }, edges: 7 });
            }
        }
        Topology::Polygon => {
            let [hub, rim @ ..] = run else { return };
            for (i, &[a, b]) in rim.array_windows().enumerate() {
                let ends = [i == 0 && !split.before, true, i + 2 == rim.len() && !split.after];
                let edges = (0..3).filter(|&k| ends[k]).fold(0, |set, k| set | 1 << k);
                emit(Shape::Triangle { corners: [*hub, a, b], provoking: *hub, edges });
            }
        }
        Topology::Quads => {
            for &[a, b, c, d] in run.as_chunks().0 {
                quad([a, b, c, d], if quads_first { a } else { d }, emit);
            }
        }
        Topology::QuadsByFourth => {
            for &[a, b, c, d] in run.as_chunks().0 {
                let provoking = if quads_first { a } else { d };
                emit(Shape::Triangle { corners: [a, b, d], provoking, edges: 0b101 });
                emit(Shape::Triangle { corners: [d, b, c], provoking, edges: 0b110 });
            }
        }
        Topology::QuadStrip => {
            for &[a, b, c, d] in run.array_windows().step_by(2) {
                quad([a, b, d, c], if quads_first { a } else { d }, emit);
            }
        }
        Topology::QuadStripAsTriangles => {
            for &[a, b, c, d] in run.array_windows().step_by(2) {
                let provoking = if quads_first { a } else { d };
                emit(Shape::Triangle { corners: [a, b, c], provoking, edges: 0b101 });
                emit(Shape::Triangle { corners: [b, d, c], provoking, edges: 0b011 });
            }
        }
    }
}

/// A quadrilateral, corners in order around it.
fn quad([a, b, c, d]: [u32; 4], provoking: u32, emit: &mut impl FnMut(Shape)) {
    emit(Shape::Triangle { corners: [a, b, c], provoking, edges: 0b011 });
    emit(Shape::Triangle { corners: [a, c, d], provoking, edges: 0b110 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(topology: Topology, provoking: Provoking, order: &[u32]) -> Vec<Shape> {
        let mut shapes = Vec::new();
        primitives(topology, provoking, order, |shape| shapes.push(shape));
        shapes
    }

    fn all(topology: Topology, order: &[u32]) -> Vec<Shape> {
        with(topology, Provoking::Last, order)
    }

    fn corners_of(shapes: Vec<Shape>) -> Vec<[u32; 3]> {
        let corner = |shape: Shape| match shape {
            Shape::Triangle { corners, .. } => corners,
            other => panic!("{other:?}"),
        };
        shapes.into_iter().map(corner).collect()
    }

    fn corners(topology: Topology, order: &[u32]) -> Vec<[u32; 3]> {
        corners_of(all(topology, order))
    }

    fn provoking(topology: Topology, which: Provoking) -> Vec<u32> {
        let mut vertices = Vec::new();
        primitives(topology, which, &[0, 1, 2, 3, 4], |shape| {
            vertices.push(match shape {
                Shape::Point(vertex) => vertex,
                Shape::Line { provoking, .. } | Shape::Triangle { provoking, .. } => provoking,
            });
        });
        vertices
    }

    #[test]
    fn triangles_of_every_topology() {
        let six = [0, 1, 2, 3, 4, 5];
        assert_eq!(corners(Topology::Triangles, &six[..5]), [[0, 1, 2]]);
        assert_eq!(corners(Topology::TriangleStrip, &six[..5]), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(corners(Topology::TriangleFan, &six[..4]), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(corners(Topology::Polygon, &six[..4]), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(corners(Topology::Quads, &six), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(corners(Topology::QuadsByFourth, &six), [[0, 1, 3], [3, 1, 2]]);
        assert_eq!(corners(Topology::QuadStrip, &six), [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]);
        let like_strips = corners(Topology::QuadStripAsTriangles, &six);
        assert_eq!(like_strips, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
        let first = with(Topology::TriangleStrip, Provoking::First, &six[..5]);
        assert_eq!(corners_of(first), [[0, 1, 2], [1, 3, 2], [2, 3, 4]], "the first vertex stays the first");
        for topology in [
            Topology::TriangleFan,
            Topology::Polygon,
            Topology::Quads,
            Topology::QuadsByFourth,
            Topology::QuadStrip,
            Topology::QuadStripAsTriangles,
        ] {
            for count in 0..3 {
                assert!(all(topology, &six[..count]).is_empty());
            }
        }
    }

    #[test]
    fn lines_of_every_topology() {
        let ends = |topology, order: &[u32]| -> Vec<([u32; 2], bool)> {
            let end = |shape| match shape {
                Shape::Line { ends, continues, .. } => (ends, continues),
                other => panic!("{other:?}"),
            };
            all(topology, order).into_iter().map(end).collect()
        };
        assert_eq!(ends(Topology::Lines, &[0, 1, 2]), [([0, 1], false)]);
        assert_eq!(ends(Topology::LineStrip, &[0, 1, 2]), [([0, 1], false), ([1, 2], true)]);
        assert_eq!(ends(Topology::LineLoop, &[0, 1, 2]), [([0, 1], false), ([1, 2], true), ([2, 0], true)]);
        assert_eq!(ends(Topology::LineLoop, &[0, 1]), [([0, 1], false), ([1, 0], true)]);
        assert!(all(Topology::LineLoop, &[0]).is_empty());
    }

    #[test]
    fn a_restart_begins_anew() {
        let order = [0, 1, 2, 3, RESTART, 4, 5, RESTART, 6, 7, 8];
        assert_eq!(corners(Topology::TriangleStrip, &order), [[0, 1, 2], [2, 1, 3], [6, 7, 8]]);
        assert_eq!(all(Topology::Points, &[1, RESTART, 2]), [Shape::Point(1), Shape::Point(2)]);
    }

    #[test]
    fn pieces_have_the_primitives_of_the_whole() {
        use Topology::{
            LineLoop, LineStrip, Lines, Points, Polygon, QuadStrip, QuadStripAsTriangles, Quads, QuadsByFourth,
            TriangleFan, TriangleStrip, Triangles,
        };
        let lists = [Points, Lines, Triangles, Quads, QuadsByFourth];
        let strips = [LineLoop, LineStrip, TriangleStrip, TriangleFan, QuadStrip, QuadStripAsTriangles, Polygon];
        for (count, restarts) in [(PIECE, 0), (PIECE + 1, 0), (PIECE + 2, 0), (1000, 0), (1001, 7), (999, 300)] {
            let number = |i: usize| if restarts != 0 && i % restarts == restarts - 1 { RESTART } else { i as u32 };
            let order: Vec<u32> = (0..count).map(number).collect();
            for topology in lists.into_iter().chain(strips) {
                let (mut rest, mut found, mut pieces) = (&order[..], Vec::new(), 0);
                while !rest.is_empty() {
                    let (end, next) = first_piece(topology, rest);
                    found.extend(all(topology, &rest[..end]));
                    rest = &rest[next..];
                    pieces += 1;
                }
                assert_eq!(found, all(topology, &order), "{topology:?} of {count}, {restarts}");
                assert!(count < 999 || restarts == 0 && strips.contains(&topology) || pieces > 2, "{topology:?}");
            }
        }
    }

    #[test]
    fn provoking_vertices() {
        use Provoking::{First, FirstExceptQuads, Last};
        assert_eq!(provoking(Topology::LineStrip, Last), [1, 2, 3, 4]);
        assert_eq!(provoking(Topology::LineLoop, First), [0, 1, 2, 3, 4]);
        assert_eq!(provoking(Topology::TriangleStrip, Last), [2, 3, 4]);
        assert_eq!(provoking(Topology::TriangleStrip, First), [0, 1, 2]);
        assert_eq!(provoking(Topology::TriangleFan, First), [1, 2, 3]);
        assert_eq!(provoking(Topology::Quads, Last), [3, 3]);
        assert_eq!(provoking(Topology::QuadStrip, Last), [3, 3]);
        assert_eq!(provoking(Topology::QuadStripAsTriangles, Last), [3, 3]);
        assert_eq!(provoking(Topology::Quads, First), [0, 0]);
        assert_eq!(provoking(Topology::Quads, FirstExceptQuads), [3, 3]);
        assert_eq!(provoking(Topology::QuadStrip, FirstExceptQuads), [3, 3]);
        assert_eq!(provoking(Topology::TriangleFan, FirstExceptQuads), [1, 2, 3]);
        assert_eq!(provoking(Topology::Polygon, Last), [0, 0, 0]);
    }

    #[test]
    fn edges_inside_of_a_polygon_are_none_of_its_own() {
        let edges = |topology| -> Vec<u8> {
            let edge = |shape| match shape {
                Shape::Triangle { edges, .. } => edges,
                other => panic!("{other:?}"),
            };
            all(topology, &[0, 1, 2, 3]).into_iter().map(edge).collect()
        };
        assert_eq!(edges(Topology::Quads), [0b011, 0b110]);
        assert_eq!(edges(Topology::QuadsByFourth), [0b101, 0b110]);
        assert_eq!(edges(Topology::Polygon), [0b011, 0b110]);
        assert_eq!(edges(Topology::QuadStripAsTriangles), [0b101, 0b011]);
        assert_eq!(edges(Topology::TriangleFan), [7, 7]);
    }
}
