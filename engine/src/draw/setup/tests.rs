use triglyph_guest::layout::Block;

use super::*;
use crate::scene::SceneTarget;

fn scene() -> Scene {
    Scene::new(SceneTarget {
        space: 0,
        color: Some(0),
        depth: None,
        color_bytes: 4,
        depth_bytes: 0,
        width: 8,
        rows: 8,
        block: Block::B8,
    })
}

fn setup(flip: Option<u32>) -> Setup {
    Setup {
        cull: Cull::Off,
        flip,
        slots: SmallVec::new(),
        orientation: None,
        colors: None,
        constants: VertexConstants::default(),
        opaque: None,
    }
}

/// A record at a screen position, w = 1, inside of every plane.
fn shaded(points: &[[f32; 2]]) -> Shaded {
    let records = points.iter().flat_map(|p| [p[0], p[1], -0.5, 1.0, 0.0, 0.0, -0.5, 1.0]).collect();
    Shaded { exhausted: 0, records, clip: vec![0; points.len()], stride: 8, groups: 1 }
}

fn covered(scene: &Scene) -> Vec<[u32; 2]> {
    let p = &scene.primitives[0];
    let inside = |x: u32, y: u32| {
        (0..3).all(|k| p.edge[k] + i64::from(p.dx[k]) * i64::from(x) + i64::from(p.dy[k]) * i64::from(y) >= 0)
    };
    (0..8).flat_map(|y| (0..8).map(move |x| [x, y])).filter(|&[x, y]| inside(x, y)).collect()
}

#[test]
fn the_fill_rule_gives_each_shared_pixel_to_one_triangle() {
    let square = shaded(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
    for flip in [None, Some(7)] {
        let mut pixels = Vec::new();
        for triangle in [[0, 1, 2], [0, 2, 3]] {
            let mut scene = scene();
            assert_eq!(setup(flip).triangle(&square, triangle, &mut scene), 1);
            pixels.extend(covered(&scene));
        }
        pixels.sort_unstable();
        let mut distinct = pixels.clone();
        distinct.dedup();
        assert_eq!(pixels.len(), 16);
        assert_eq!(distinct.len(), 16);
    }
}

#[test]
fn positions_round_to_the_nearest_sixteenth() {
    let values =
        [0.0f32, -0.0, 0.5, 1.5, 2.5, -0.5, -2.5, 0.499_999_97, -0.499_999_97, 0.500_000_06, 524_287.5, 524_288.0];
    let more = (0..200_000u32).map(|i| f32::from_bits(i.wrapping_mul(0x9E37_79B1)));
    for scaled in values.into_iter().chain(more).chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30]) {
        let v = scaled / 16.0;
        let want = ((v * 16.0).round() as i32).clamp(-0x8000, 0x7FFF);
        assert_eq!(to_fixed([v, 0.0, v]), [want, 0, want], "{v}");
    }
}

#[test]
fn weights_carry_the_bias() {
    let mut scene = scene();
    setup(None).triangle(&shaded(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]), [0, 1, 2], &mut scene);
    let p = &scene.primitives[0];
    assert_eq!(p.sum, 4095.0);
    assert_eq!([0, 1, 2].map(|k| p.edge[k]), [3071, 512, 512]);
}

#[test]
fn culling_looks_at_the_winding() {
    let points = shaded(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]);
    for (cull, counter_clockwise, clockwise) in
        [(Cull::Off, 1, 1), (Cull::CounterClockwise, 0, 1), (Cull::Clockwise, 1, 0)]
    {
        let setup = Setup { cull, ..setup(None) };
        assert_eq!(setup.triangle(&points, [0, 1, 2], &mut scene()), counter_clockwise);
        assert_eq!(setup.triangle(&points, [0, 2, 1], &mut scene()), clockwise);
    }
}

#[test]
fn triangles_without_area_draw_nothing() {
    let points = shaded(&[[0.0, 0.0], [4.0, 4.0], [2.0, 2.0]]);
    assert_eq!(setup(None).triangle(&points, [0, 1, 2], &mut scene()), 0);
    let nowhere = shaded(&[[f32::NAN, 0.0], [4.0, f32::NAN], [2.0, 2.0]]);
    setup(None).triangle(&nowhere, [0, 1, 2], &mut scene());
}

#[test]
fn triangles_outside_of_one_plane_are_dropped_and_others_clipped() {
    // w - x < 0 for the second vertex.
    let position = |x: f32| [0.0, 0.0, 0.0, 0.0, x, 0.5 * x, -0.5, 1.0];
    let mut shaded = Shaded {
        exhausted: 0,
        records: [position(-1.0), position(3.0), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -0.5, 1.0]].concat(),
        clip: vec![0, 1, 0],
        stride: 8,
        groups: 1,
    };
    let setup = Setup { constants: VertexConstants { half: [4.0; 2], ..Default::default() }, ..setup(None) };
    assert!(setup.triangle(&shaded, [0, 1, 2], &mut scene()) >= 1);
    shaded.clip = vec![1, 1, 1];
    assert_eq!(setup.triangle(&shaded, [0, 1, 2], &mut scene()), 0);
}

#[test]
fn large_primitives_of_one_color_are_marked() {
    // Slots 0 to 3 are the position, 4 to 7 the colour; groups have four slots.
    let flags = |colors: [[f32; 4]; 3], size: f32, groups| {
        let corners = [[0.0, 0.0], [size, 0.0], [0.0, size]].into_iter().zip(colors);
        let record = |([x, y], color): ([f32; 2], [f32; 4])| {
            [&[x, y, -0.5, 0.5, 0.0, 0.0, -0.5, 2.0], &color[..], &[0.0; 4]].concat()
        };
        let records = corners.flat_map(record).collect::<Vec<f32>>();
        let shaded = Shaded { exhausted: 0, records, clip: vec![0; 3], stride: 16, groups };
        let mut scene = scene();
        let setup = Setup { colors: Some([4, 5, 6, 7]), slots: SmallVec::from_slice(&[4, 5, 6, 7]), ..setup(None) };
        assert_eq!(setup.triangle(&shaded, [0, 1, 2], &mut scene), 1);
        scene.primitives[0].flags
    };
    let color = [0.0, 1.0, 37.0 / 255.0, 1.5];
    let mut other = color;
    other[2] = 0.1;
    // Halfway between two of the 256 steps: the rounding of interpolation decides which of them a pixel has.
    let between = [2.5 / 255.0, 1.0, 1.0, 1.0];
    assert_eq!(flags([color; 3], 40.0, 7), FLAT_COLOR | CONSTANT_W);
    assert_eq!(flags([color; 3], 4.0, 7), 0, "too small to be looked at");
    assert_eq!(flags([color, color, other], 40.0, 7), CONSTANT_W);
    assert_eq!(flags([color, other, color], 40.0, 7), CONSTANT_W);
    assert_eq!(flags([between; 3], 40.0, 7), CONSTANT_W);
    assert_eq!(flags([[-0.1; 4]; 3], 40.0, 7), CONSTANT_W);
    assert_eq!(flags([[f32::NAN; 4]; 3], 40.0, 7), CONSTANT_W);
    assert_eq!(flags([color, color, other], 40.0, 5), FLAT_COLOR | CONSTANT_W, "no vertex has a colour");
}

#[test]
fn large_primitives_of_one_w_are_marked() {
    let flags = |inv_w: [f32; 3], size: f32| {
        let corners = [[0.0, 0.0], [size, 0.0], [0.0, size]].into_iter().zip(inv_w);
        let records = corners.flat_map(|([x, y], inv_w)| [x, y, -0.5, inv_w, 0.0, 0.0, -0.5, 1.0]).collect();
        let shaded = Shaded { exhausted: 0, records, clip: vec![0; 3], stride: 8, groups: 1 };
        let mut scene = scene();
        assert_eq!(setup(None).triangle(&shaded, [0, 1, 2], &mut scene), 1);
        scene.primitives[0].flags
    };
    assert_eq!(flags([0.25; 3], 40.0), CONSTANT_W);
    assert_eq!(flags([0.25; 3], 4.0), 0, "too small to be looked at");
    assert_eq!(flags([0.25, 0.25, 0.5], 40.0), 0);
    assert_eq!(flags([0.5, 0.25, 0.25], 40.0), 0);
    assert_eq!(flags([1e-30; 3], 40.0), 0, "so small that products vanish");
}

#[test]
fn quaternions_agree_with_that_of_the_first_vertex() {
    let slots = [4, 5, 6, 7];
    let record = |q: [f32; 4], rest: f32| {
        let mut record = vec![rest; 16];
        record[SCREEN + 4..SCREEN + 8].copy_from_slice(&q);
        record
    };
    let records =
        [record([0.0, 0.0, 0.6, 0.8], 1.0), record([0.0, 0.1, -0.6, -0.8], 2.0), record([0.6, 0.0, 0.0, 0.8], 3.0)];
    let borrowed = records.each_ref().map(|record| &record[..]);
    assert!(disagree(&borrowed, slots, u32::MAX) && !disagree(&borrowed, slots, 1));
    let turned = orient(borrowed, slots);
    assert_eq!(
        turned.map(SmallVec::into_vec),
        [records[0].clone(), record([0.0, -0.1, 0.6, 0.8], 2.0), records[2].clone()]
    );
}
