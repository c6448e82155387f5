//! Primitives of vertices: for the geometry stage with the vertices next to them, for everything after as shapes.

use triglyph_guest::tegra::methods::threed::Topology as T;

use triglyph_engine::draw::program::{Provoking, RESTART, Shape, Topology, primitives};

/// Vertices of a primitive, and those of its own among them without the vertices next to it.
pub(super) const fn vertices(topology: T, patch: u32) -> u32 {
    match topology {
        T::Points => 1,
        T::Lines | T::LineLoop | T::LineStrip => 2,
        T::LinesAdjacency | T::LineStripAdjacency => 4,
        T::TrianglesAdjacency | T::TriangleStripAdjacency => 6,
        T::Patches => patch,
        _ => 3,
    }
}

/// The topology without the vertices next to primitives; `None` if it has such vertices, or is that of patches. Both
/// triangles of a quad have its provoking vertex: transform feedback stores them with that one last, and what is drawn
/// of them is the quad (piglit's ext_transform_feedback-tessellation, which passes on a GM206).
const fn plain(topology: T, provoking: Provoking) -> Option<Topology> {
    Some(match topology {
        T::Points => Topology::Points,
        T::Lines => Topology::Lines,
        T::LineLoop => Topology::LineLoop,
        T::LineStrip => Topology::LineStrip,
        T::Triangles => Topology::Triangles,
        T::TriangleStrip => Topology::TriangleStrip,
        T::TriangleFan => Topology::TriangleFan,
        T::Quads if matches!(provoking, Provoking::Last) => Topology::QuadsByFourth,
        T::Quads => Topology::Quads,
        T::QuadStrip => Topology::QuadStrip,
        T::Polygon => Topology::Polygon,
        _ => return None,
    })
}

/// The shapes of a draw without a geometry stage.
pub(super) fn shapes(topology: T, provoking: Provoking, order: &[u32], mut emit: impl FnMut(Shape)) {
    if let Some(plain) = plain(topology, provoking) {
        return primitives(plain, provoking, order, emit);
    }
    let first = provoking == Provoking::First;
    groups(topology, 0, order, |group| match *group {
        [_, a, b, _] => emit(Shape::Line { ends: [a, b], provoking: if first { a } else { b }, continues: false }),
        [a, _, b, _, c, _] => {
            emit(Shape::Triangle { corners: [a, b, c], provoking: if first { a } else { c }, edges: 7 });
        }
        _ => {}
    });
}

/// The vertices of each primitive as the geometry stage gets them.
pub(super) fn groups(topology: T, patch: u32, order: &[u32], mut emit: impl FnMut(&[u32])) {
    for run in order.split(|&vertex| vertex == RESTART) {
        match topology {
            T::Patches => run.chunks_exact(patch.max(1) as usize).for_each(&mut emit),
            T::LinesAdjacency => run.chunks_exact(4).for_each(&mut emit),
            T::TrianglesAdjacency => run.chunks_exact(6).for_each(&mut emit),
            T::LineStripAdjacency => run.windows(4).for_each(&mut emit),
            T::TriangleStripAdjacency => strip_adjacency(run, &mut emit),
            _ => {
                let Some(plain) = plain(topology, Provoking::Last) else { return };
                primitives(plain, Provoking::Last, run, |shape| match shape {
                    Shape::Point(vertex) => emit(&[vertex]),
                    Shape::Line { ends, .. } => emit(&ends),
                    Shape::Triangle { corners, .. } => emit(&corners),
                });
            }
        }
    }
}

/// A strip of triangles with the vertices next to them (OpenGL 4.5, table 10.1). Primitive i has the vertices 2i, 2i+2,
/// 2i+4.
fn strip_adjacency(run: &[u32], emit: &mut impl FnMut(&[u32])) {
    let count = (run.len() / 2).saturating_sub(2);
    for i in 0..count {
        let v = |k: usize| run[2 * i + k];
        let (first, last) = (i == 0, i + 1 == count);
        let before = if first { v(1) } else { run[2 * i - 2] };
        let after = if last { v(5) } else { v(6) };
        if i % 2 == 0 {
            emit(&[v(0), before, v(2), after, v(4), v(3)]);
        } else {
            emit(&[v(2), before, v(0), v(3), v(4), after]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(topology: T, order: &[u32]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        groups(topology, 3, order, |group| found.push(group.to_vec()));
        found
    }

    #[test]
    fn strips_with_adjacency_follow_the_specification() {
        let order: Vec<u32> = (1..=6).collect();
        assert_eq!(all(T::TriangleStripAdjacency, &order), [[1, 2, 3, 6, 5, 4]]);
        let order: Vec<u32> = (1..=10).collect();
        // Table 10.1, numbers from 1: first, middle (even and odd), last.
        let expected = [[1, 2, 3, 7, 5, 4], [5, 1, 3, 6, 7, 9], [5, 3, 7, 10, 9, 8]];
        assert_eq!(all(T::TriangleStripAdjacency, &order), expected);
        assert_eq!(all(T::LineStripAdjacency, &order[..5]), [[1, 2, 3, 4], [2, 3, 4, 5]]);
        assert!(all(T::TriangleStripAdjacency, &order[..5]).is_empty());
    }

    #[test]
    fn groups_have_as_many_vertices_as_their_topology() {
        let order = [0, 1, 2, 3, 4, 5, 6, RESTART, 7, 8];
        for topology in [T::Points, T::Lines, T::LineLoop, T::Triangles, T::TriangleFan, T::LinesAdjacency, T::Patches]
        {
            let count = vertices(topology, 3) as usize;
            assert!(all(topology, &order).iter().all(|group| group.len() == count), "{topology:?}");
        }
        assert_eq!(all(T::Patches, &order), [[0, 1, 2], [3, 4, 5]]);
    }
}
