use super::super::assemble::{Provoking, Shape, primitives, segment_primitives};
use super::*;

const TOPOLOGIES: [Topology; 12] = [
    Topology::Points,
    Topology::Lines,
    Topology::LineLoop,
    Topology::LineStrip,
    Topology::Triangles,
    Topology::TriangleStrip,
    Topology::TriangleFan,
    Topology::Quads,
    Topology::QuadsByFourth,
    Topology::QuadStrip,
    Topology::QuadStripAsTriangles,
    Topology::Polygon,
];

/// Runs of these lengths, numbered from 0 on.
fn order_of(runs: &[u32]) -> Vec<u32> {
    let mut order = Vec::new();
    for (i, &length) in runs.iter().enumerate() {
        order.extend((i > 0).then_some(RESTART));
        let first = order.len() as u32;
        order.extend(first..first + length);
    }
    order
}

fn shapes_of(topology: Topology, provoking: Provoking, order: &[u32], most: usize) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for segment in Segments::new(order, Sharing::of(topology), most) {
        let mut part = Vec::new();
        segment.copy(order, &mut part);
        assert!(part.len() <= most + 2, "{segment:?}");
        let places: Vec<u32> = segment.places().map(|place| order[place]).collect();
        assert_eq!(places, part);
        segment_primitives(topology, provoking, segment.split, &part, |shape| shapes.push(shape));
    }
    shapes
}

#[test]
fn segments_have_the_primitives_of_the_order() {
    let lengths: Vec<Vec<u32>> = (0..70)
        .map(|length| vec![length])
        .chain([vec![0, 0, 3, 40, 0, 7, 31, 32, 33], vec![16, 16, 17, 1, 1, 90, 2], vec![100, 0]])
        .collect();
    for topology in TOPOLOGIES {
        for runs in &lengths {
            let order = order_of(runs);
            for provoking in [Provoking::First, Provoking::FirstExceptQuads, Provoking::Last] {
                let mut whole = Vec::new();
                primitives(topology, provoking, &order, |shape| whole.push(shape));
                for most in [8, 9, 16, 31] {
                    let split = shapes_of(topology, provoking, &order, most);
                    assert_eq!(split, whole, "{topology:?} {provoking:?} of {runs:?} by {most}");
                }
            }
        }
    }
}

#[test]
fn orders_without_restarts_need_not_be_there() {
    for topology in TOPOLOGIES {
        let order = order_of(&[1000]);
        let known: Vec<Segment> = Segments::new(&order, Sharing::of(topology), 64).collect();
        let counted: Vec<Segment> = Segments::without_restarts(1000, Sharing::of(topology), 64).collect();
        assert_eq!(known, counted);
        assert!(known.len() > 15, "{topology:?}");
    }
}

#[test]
fn segments_are_small() {
    let order = order_of(&[100_000]);
    for topology in TOPOLOGIES {
        for segment in Segments::new(&order, Sharing::of(topology), 1024) {
            assert!(segment.places().count() <= 1026);
        }
    }
}

/// Two of the largest patches are more vertices than a segment may have. Runs end among them.
#[test]
fn few_primitives_may_have_more_vertices_than_a_segment() {
    let order = order_of(&[40, 31, 70, 100, 5, 32]);
    let patches = |order: &[u32]| -> Vec<Vec<u32>> {
        let runs = order.split(|&vertex| vertex == RESTART);
        runs.flat_map(|run| run.chunks_exact(32).map(<[u32]>::to_vec)).collect()
    };
    let mut found = Vec::new();
    let segments: Vec<Segment> = Segments::new(&order, Sharing::new(32, 32), 24).collect();
    for segment in &segments {
        let mut part = Vec::new();
        segment.copy(&order, &mut part);
        assert!(part.len() <= 64 && (segment.split == Split::NONE || !part.contains(&RESTART)), "{segment:?}");
        found.extend(patches(&part));
    }
    assert_eq!((found, segments.len() > 4), (patches(&order), true));
}

#[test]
fn margins_overlap_by_two_primitives_more() {
    let sharing = Sharing { margin: true, ..Sharing::new(6, 2) };
    let ranges: Vec<_> = Segments::without_restarts(40, sharing, 16).map(|segment| segment.range).collect();
    // Primitives 0 to 5, of which the last is not drawn; 4 to 9, of which the ends are not; and so on.
    assert_eq!(ranges, [0..16, 8..24, 16..32, 24..40]);
}
