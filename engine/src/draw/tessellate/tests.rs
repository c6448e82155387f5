use super::*;

const SPACINGS: [Spacing; 3] = [Spacing::Integer, Spacing::FractionalOdd, Spacing::FractionalEven];

fn tessellate(domain: Domain, spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) -> Patch {
    Tessellator { domain, spacing, output: Output::CounterClockwise }.divide(&Levels { outer, inner })
}

/// Twice the area of a triangle.
fn area(patch: &Patch, corners: [u32; 3]) -> f64 {
    let [a, b, c] = corners.map(|index| patch.coordinates[index as usize].map(f64::from));
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

/// Triangles are counter-clockwise, cover the patch, and every edge inside has two of them.
fn check(patch: &Patch, whole: f64) {
    let mut total = 0.0;
    let mut edges = std::collections::HashMap::new();
    for &corners in patch.indices.as_chunks::<3>().0 {
        let part = area(patch, corners);
        assert!(part > -1e-6, "{corners:?} is clockwise by {part}");
        total += part;
        for [from, to] in [[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]] {
            assert!(edges.insert([from, to], ()).is_none(), "edge {from} {to} twice");
        }
    }
    assert!((total - whole).abs() < 1e-5, "{total} of {whole}");
    let on_rim = |index: u32| {
        let [u, v] = patch.coordinates[index as usize];
        let w = 1.0 - u - v;
        [u, v].contains(&0.0) || whole == 2.0 && (u == 1.0 || v == 1.0) || whole == 1.0 && w.abs() < 1e-6
    };
    for [from, to] in edges.keys() {
        let inside = !(on_rim(*from) && on_rim(*to));
        assert!(!inside || edges.contains_key(&[*to, *from]), "edge {from} {to} has a hole beside it");
    }
    let mut used: Vec<u32> = patch.indices.clone();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), patch.coordinates.len(), "vertices without primitives");
}

#[test]
fn quads_and_triangles_are_covered_whatever_the_levels() {
    let levels = [1.0, 1.3, 2.0, 2.7, 3.0, 4.5, 5.0, 8.0, 9.0];
    for spacing in SPACINGS {
        for (i, &a) in levels.iter().enumerate() {
            for (j, &b) in levels.iter().enumerate() {
                let outer = [a, b, levels[(i + 2 * j) % 9], levels[(3 * i + j) % 9]];
                for &inner in &levels {
                    check(&tessellate(Domain::Quad, spacing, outer, [inner, b]), 2.0);
                    check(&tessellate(Domain::Triangle, spacing, outer, [inner, b]), 1.0);
                }
            }
        }
        check(&tessellate(Domain::Quad, spacing, [64.0; 4], [64.0; 2]), 2.0);
        check(&tessellate(Domain::Triangle, spacing, [1e9; 4], [f32::INFINITY; 2]), 1.0);
    }
}

#[test]
fn levels_of_one_are_not_divided() {
    let quad = tessellate(Domain::Quad, Spacing::Integer, [1.0; 4], [1.0; 2]);
    assert_eq!((quad.coordinates.len(), quad.indices.len()), (4, 6));
    let triangle = tessellate(Domain::Triangle, Spacing::FractionalOdd, [1.0; 4], [1.0; 2]);
    assert_eq!((triangle.coordinates.len(), triangle.indices.len()), (3, 3));
    // A divided edge makes an inside.
    let triangle = tessellate(Domain::Triangle, Spacing::Integer, [2.0, 1.0, 1.0, 1.0], [1.0; 2]);
    assert_eq!((triangle.coordinates.len(), triangle.indices.len() / 3), (5, 4));
}

#[test]
fn numbers_of_vertices() {
    let quad = tessellate(Domain::Quad, Spacing::Integer, [9.0; 4], [9.0; 2]);
    assert_eq!((quad.coordinates.len(), quad.indices.len()), (100, 81 * 6));
    // Rings of 12 and 6 points and the centre... of a level of 4.
    let triangle = tessellate(Domain::Triangle, Spacing::Integer, [4.0; 4], [4.0; 2]);
    assert_eq!(triangle.coordinates.len(), 12 + 6 + 1);
}

#[test]
fn void_outer_levels_drop_the_patch_where_they_count() {
    let none = Patch::default();
    for bad in [0.0, -1.0, f32::NAN] {
        assert_eq!(tessellate(Domain::Quad, Spacing::Integer, [1.0, 1.0, 1.0, bad], [1.0; 2]), none);
        assert_ne!(tessellate(Domain::Triangle, Spacing::Integer, [1.0, 1.0, 1.0, bad], [1.0; 2]), none);
        assert_ne!(tessellate(Domain::Quad, Spacing::Integer, [1.0; 4], [bad; 2]), none);
    }
}

#[test]
fn edges_are_symmetric_and_depend_on_their_level_alone() {
    for spacing in SPACINGS {
        for level in (0..640).map(|tenth| tenth as f32 / 10.0 + 0.1) {
            let edge = Edge::new(level, spacing);
            let places: Vec<f32> = (0..=edge.segments()).map(|index| edge.place(index)).collect();
            assert_eq!((places[0], *places.last().unwrap()), (0.0, 1.0));
            assert!(places.is_sorted(), "{spacing:?} {level} {places:?}");
            for (a, b) in places.iter().zip(places.iter().rev()) {
                assert!((a + b - 1.0).abs() < 1e-6);
            }
            match spacing {
                Spacing::Integer => assert_eq!(edge.segments(), level.max(1.0).ceil() as u32),
                Spacing::FractionalOdd => assert_eq!(edge.segments() % 2, 1),
                Spacing::FractionalEven => assert_eq!(edge.segments() % 2, 0),
            }
        }
    }
    // Three segments of a level of 2: the first and the last are short.
    let edge = Edge::new(2.0, Spacing::FractionalOdd);
    let short = 10923.0 / 65536.0;
    assert_eq!([0, 1, 2, 3].map(|index| edge.place(index)), [0.0, short, 1.0 - short, 1.0]);
    // Half of the way from no length to a seventh.
    let edge = Edge::new(6.0, Spacing::FractionalOdd);
    let lengths = [0, 1, 2].map(|index| edge.place(index + 1) - edge.place(index));
    assert!((lengths[0] - lengths[2]).abs() < 2e-5 && (lengths[1] - 1.0 / 14.0).abs() < 2e-5, "{lengths:?}");
    let edge = Edge::new(5.0, Spacing::FractionalOdd);
    assert_eq!(edge.place(1), 13107.0 / 65536.0);
}

#[test]
fn isolines_are_symmetric_but_for_the_first() {
    for level in (0..640).map(|tenth| tenth as f32 / 10.0 + 0.1) {
        let lines = tessellate(Domain::Isolines, Spacing::Integer, [level, 1.0, 0.0, 0.0], [0.0; 2]);
        let v: Vec<f32> = lines.coordinates.chunks_exact(2).map(|line| line[0][1]).collect();
        assert_eq!(v[0], 0.0);
        for (a, b) in v[1..].iter().zip(v[1..].iter().rev()).filter(|(a, b)| a < b) {
            assert_eq!(*a, 1.0 - b, "{level}");
        }
    }
}

#[test]
fn outputs() {
    let quad = |output| {
        let tessellator = Tessellator { domain: Domain::Quad, spacing: Spacing::Integer, output };
        tessellator.divide(&Levels { outer: [1.0; 4], inner: [1.0; 2] })
    };
    assert_eq!(quad(Output::Points).indices, [0, 1, 2, 3]);
    assert_eq!(quad(Output::Lines).indices.len(), 2 * 5);
    let clockwise = quad(Output::Clockwise);
    for &corners in clockwise.indices.as_chunks::<3>().0 {
        assert!(area(&clockwise, corners) < 0.0);
    }
    let lines = Tessellator { domain: Domain::Isolines, spacing: Spacing::Integer, output: Output::Lines };
    let lines = lines.divide(&Levels { outer: [2.0, 3.0, 0.0, 0.0], inner: [0.0; 2] });
    assert_eq!(lines.coordinates[4], [0.0, 0.5]);
    assert_eq!(lines.indices[6..], [4, 5, 5, 6, 6, 7]);
}

/// Orders of triangles and of their corners, as llvmpipe, which has D3D11's tessellator, hands them to transform
/// feedback.
#[test]
fn triangles_come_in_the_order_of_d3d11() {
    let corners = |patch: &Patch, scale: f32| -> Vec<[f32; 6]> {
        let place = |index: &u32| patch.coordinates[*index as usize].map(|v| (v * scale).round());
        let triangles = patch.indices.as_chunks::<3>().0.iter();
        triangles.map(|corners| corners.each_ref().map(place).concat().try_into().unwrap()).collect()
    };
    let quad = tessellate(Domain::Quad, Spacing::Integer, [7.0, 5.0, 7.0, 5.0], [5.0, 7.0]);
    let v = quad.coordinates.iter().map(|&[u, v]| [u * 5.0 / 7.0, v]).collect();
    let middle = corners(&Patch { coordinates: v, indices: quad.indices.clone() }, 7.0);
    let expected = [
        [2.0, 5.0, 2.0, 4.0, 3.0, 5.0],
        [3.0, 5.0, 2.0, 4.0, 3.0, 4.0],
        [2.0, 4.0, 3.0, 3.0, 3.0, 4.0],
        [2.0, 4.0, 2.0, 3.0, 3.0, 3.0],
        [2.0, 3.0, 2.0, 2.0, 3.0, 3.0],
        [3.0, 3.0, 2.0, 2.0, 3.0, 2.0],
    ];
    assert_eq!(middle[middle.len() - 6..], expected);
    let triangle = tessellate(Domain::Triangle, Spacing::Integer, [3.0, 3.0, 3.0, 0.0], [3.0, 0.0]);
    let first = [[0.0, 9.0, 0.0, 6.0, 2.0, 5.0], [2.0, 5.0, 0.0, 6.0, 2.0, 2.0], [2.0, 2.0, 0.0, 6.0, 0.0, 3.0]];
    assert_eq!(corners(&triangle, 9.0)[..3], first);
}
