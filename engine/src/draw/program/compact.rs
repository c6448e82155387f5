//! Copies some shapes of a draw with the records that they need, so that drawing them does not depend on the number of
//! other vertices.

use super::assemble::Shape;
use super::shade::Records;

/// Vertices besides four for each shape that are copied whether they are needed or not.
const SMALL: usize = 64;

/// The lowest and the highest vertex of some shapes, if not many lie between that none of them has.
fn near(shapes: &[(Shape, u32)]) -> Option<(u32, u32)> {
    let vertices = shapes.iter().flat_map(|(shape, _)| shape.all_vertices());
    let (low, high) = vertices.fold((u32::MAX, 0), |(low, high), vertex| (low.min(vertex), high.max(vertex)));
    (low <= high && (high - low) as usize <= 4 * shapes.len() + SMALL).then_some((low, high))
}

/// Whether some shapes need so many of the records that a copy of those takes as long as leaving out the others saves.
pub fn has_most(records: &Records, shapes: &[(Shape, u32)]) -> bool {
    near(shapes).is_some_and(|(low, high)| 2 * (high - low + 1) as usize * records.stride > records.floats.len())
}

/// Copies of some shapes and of the records of their vertices.
pub fn compact(records: &Records, shapes: &[(Shape, u32)]) -> (Records, Vec<(Shape, u32)>) {
    let stride = records.stride;
    let mut floats = Vec::new();
    let moved = if let Some((low, high)) = near(shapes) {
        floats.extend_from_slice(&records.floats[low as usize * stride..(high as usize + 1) * stride]);
        shapes.iter().map(|&(shape, id)| (shape.map(|vertex| vertex - low), id)).collect()
    } else {
        let mut copied = 0;
        let mut copy = |vertex| {
            floats.extend_from_slice(records.get(vertex));
            copied += 1;
            copied - 1
        };
        shapes.iter().map(|&(shape, id)| (shape.map(&mut copy), id)).collect()
    };
    (Records { floats, stride, exhausted: 0, excess: 0 }, moved)
}

impl Shape {
    /// Its corners and the provoking vertex.
    fn all_vertices(self) -> impl Iterator<Item = u32> {
        let (corners, count, provoking) = match self {
            Shape::Point(vertex) => ([vertex; 3], 1, vertex),
            Shape::Line { ends: [a, b], provoking, .. } => ([a, b, b], 2, provoking),
            Shape::Triangle { corners, provoking, .. } => (corners, 3, provoking),
        };
        corners.into_iter().take(count).chain([provoking])
    }

    /// The same of other vertices.
    pub fn map(self, mut to: impl FnMut(u32) -> u32) -> Shape {
        /// The provoking vertex is one of the corners, or one of the quadrilateral's that is none of the triangle's.
        fn provoking<const N: usize>(from: [u32; N], moved: [u32; N], vertex: u32, to: impl FnOnce(u32) -> u32) -> u32 {
            from.iter().position(|&corner| corner == vertex).map_or_else(|| to(vertex), |at| moved[at])
        }
        match self {
            Shape::Point(vertex) => Shape::Point(to(vertex)),
            Shape::Line { ends: from, provoking: vertex, continues } => {
                let ends = from.map(&mut to);
                Shape::Line { ends, provoking: provoking(from, ends, vertex, to), continues }
            }
            Shape::Triangle { corners: from, provoking: vertex, edges } => {
                let corners = from.map(&mut to);
                Shape::Triangle { corners, provoking: provoking(from, corners, vertex, to), edges }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_keep_their_records() {
        let records = Records { floats: (0..2000).map(|i| i as f32).collect(), stride: 2, exhausted: 0, excess: 0 };
        let triangle = |corners: [u32; 3], provoking| (Shape::Triangle { corners, provoking, edges: 3 }, 7);
        let line = (Shape::Line { ends: [31, 30], provoking: 30, continues: true }, 8);
        for (shapes, vertices) in [
            (vec![triangle([40, 41, 42], 42), line, (Shape::Point(33), 9)], 13),
            // Far apart: each corner by itself, and a provoking vertex that is none.
            (vec![triangle([900, 1, 500], 1), triangle([900, 1, 2], 999), line], 9),
        ] {
            let (part, moved) = compact(&records, &shapes);
            assert_eq!(part.floats.len(), 2 * vertices);
            for (&(from, id), &(to, moved_id)) in shapes.iter().zip(&moved) {
                let of = |shape: Shape, records: &Records| -> Vec<Vec<f32>> {
                    shape.all_vertices().map(|vertex| records.get(vertex).to_vec()).collect()
                };
                assert_eq!((of(from, &records), id), (of(to, &part), moved_id));
                assert_eq!(std::mem::discriminant(&from), std::mem::discriminant(&to));
            }
        }
        assert!(compact(&records, &[]).1.is_empty());
    }

    #[test]
    fn most_records_are_more_than_half_of_them() {
        let records = Records { floats: vec![0.0; 2 * 100], stride: 2, exhausted: 0, excess: 0 };
        let points = |range: std::ops::Range<u32>| range.map(|at| (Shape::Point(at), 0)).collect::<Vec<_>>();
        assert!(has_most(&records, &points(20..71)) && !has_most(&records, &points(20..70)));
        // Two points far apart have two.
        assert!(!has_most(&records, &[(Shape::Point(0), 0), (Shape::Point(99), 0)]) && !has_most(&records, &[]));
    }
}
