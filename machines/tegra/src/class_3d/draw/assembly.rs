//! Primitives of vertices: for the geometry stage with the vertices next to them, for everything after as shapes.

use triglyph_guest::tegra::methods::threed::Topology as T;

use triglyph_engine::draw::program::{Provoking, RESTART, Shape, Sharing, Split, Topology, segment_primitives};

/// Vertices of a primitive, and those of its own among them without the vertices next to it.
pub(crate) const fn vertices(topology: T, patch: u32) -> u32 {
    match topology {
        T::Points => 1,
        T::Lines | T::LineLoop | T::LineStrip => 2,
        T::LinesAdjacency | T::LineStripAdjacency => 4,
        T::TrianglesAdjacency | T::TriangleStripAdjacency => 6,
        T::Patches => patch,
        _ => 3,
    }
}

/// How primitives share the vertices of a run.
pub(crate) const fn sharing(topology: T, patch: u32) -> Sharing {
    match topology {
        T::LinesAdjacency => Sharing::new(4, 4),
        T::LineStripAdjacency => Sharing::new(4, 1),
        T::TrianglesAdjacency => Sharing::new(6, 6),
        // Primitives at the ends of a strip have other vertices next to them.
        T::TriangleStripAdjacency => Sharing { margin: true, ..Sharing::new(6, 2) },
        T::Patches => {
            let size = if patch == 0 { 1 } else { patch as usize };
            Sharing::new(size, size)
        }
        _ => match plain(topology, Provoking::Last) {
            Some(plain) => Sharing::of(plain),
            None => Sharing::new(1, 1),
        },
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

/// The shapes of a segment of a draw without a geometry stage.
pub(crate) fn shapes(topology: T, split: Split, provoking: Provoking, order: &[u32], mut emit: impl FnMut(Shape)) {
    if let Some(plain) = plain(topology, provoking) {
        return segment_primitives(plain, provoking, split, order, emit);
    }
    let first = provoking == Provoking::First;
    groups(topology, split, 0, order, |group| match *group {
        [_, a, b, _] => emit(Shape::Line { ends: [a, b], provoking: if first { a } else { b }, continues: false }),
        [a, _, b, _, c, _] => {
            emit(Shape::Triangle { corners: [a, b, c], provoking: if first { a } else { c }, edges: 7 });
        }
        _ => {}
    });
}

/// The vertices of each primitive of a segment as the geometry stage gets them.
pub(crate) fn groups(topology: T, split: Split, patch: u32, order: &[u32], mut emit: impl FnMut(&[u32])) {
    for run in order.split(|&vertex| vertex == RESTART) {
        match topology {
            T::Patches => run.chunks_exact(patch.max(1) as usize).for_each(&mut emit),
            T::LinesAdjacency => run.chunks_exact(4).for_each(&mut emit),
            T::TrianglesAdjacency => run.chunks_exact(6).for_each(&mut emit),
            T::LineStripAdjacency => run.windows(4).for_each(&mut emit),
            T::TriangleStripAdjacency => strip_adjacency(run, split, &mut emit),
            _ => {
                let Some(plain) = plain(topology, Provoking::Last) else { return };
                segment_primitives(plain, Provoking::Last, split, run, |shape| match shape {
                    Shape::Point(vertex) => emit(&[vertex]),
                    Shape::Line { ends, .. } => emit(&ends),
                    Shape::Triangle { corners, .. } => emit(&corners),
                });
            }
        }
    }
}

/// A strip of triangles with the vertices next to them (OpenGL 4.5, table 10.1). Primitive i has the vertices 2i, 2i+2,
/// 2i+4. Where the strip is split there is one more, which another segment has.
fn strip_adjacency(run: &[u32], split: Split, emit: &mut impl FnMut(&[u32])) {
    let count = (run.len() / 2).saturating_sub(2);
    for i in usize::from(split.before)..count.saturating_sub(usize::from(split.after)) {
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
    use triglyph_engine::draw::program::Segments;

    use super::*;

    fn all(topology: T, order: &[u32]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        groups(topology, Split::NONE, 3, order, |group| found.push(group.to_vec()));
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

    #[test]
    fn segments_have_the_groups_of_the_order() {
        const TOPOLOGIES: [T; 9] = [
            T::LineLoop,
            T::LineStrip,
            T::TriangleStrip,
            T::Polygon,
            T::LinesAdjacency,
            T::LineStripAdjacency,
            T::TrianglesAdjacency,
            T::TriangleStripAdjacency,
            T::Patches,
        ];
        for topology in TOPOLOGIES {
            for length in 0..100 {
                // A strip of one triangle comes last.
                let order: Vec<u32> = (0..length).chain([RESTART]).chain(1000..1006).collect();
                let mut split = Vec::new();
                for segment in Segments::new(&order, sharing(topology, 3), 16) {
                    let mut part = Vec::new();
                    segment.copy(&order, &mut part);
                    groups(topology, segment.split, 3, &part, |group| split.push(group.to_vec()));
                }
                assert_eq!(split, all(topology, &order), "{topology:?} of {length}");
            }
        }
    }
}
