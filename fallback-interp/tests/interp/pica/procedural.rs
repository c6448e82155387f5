//! The procedural texture unit.

use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::Filter;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use triglyph_testkit::data::{items, json, number};
use triglyph_testkit::pica::block::{COORDINATES, Scene};
use triglyph_testkit::pica::{procedural, procedural_data, take};

const KEY: ProceduralKey = procedural([COORDINATES[0], COORDINATES[1]]);

/// Maps that give their input, and colours of which red is the index, 0 to 255, at a width of 255.
fn data() -> Box<ProceduralData> {
    Box::new(ProceduralData {
        color: std::array::from_fn(|i| [i as f32, 10.0, 20.0, 30.0]),
        difference: [[1.0, 2.0, -40.0, 0.0]; 256],
        ..procedural_data()
    })
}

/// A scene that shows the unit.
fn scene(key: ProceduralKey, data: Box<ProceduralData>) -> Scene<'static> {
    let mut scene = Scene { procedural: Some(data), ..Scene::default() };
    scene.key.procedural = Some(key);
    scene.key.combiners.stages[0] = take(Source::Texture(3));
    scene
}

fn at(scene: &mut Scene<'_>, uv: [f32; 2]) -> [u8; 4] {
    scene.vary(0, &uv);
    scene.pixel()
}

/// What the colour is looked up by at u, v: in steps of 1/254.
fn position(key: ProceduralKey, uv: [f32; 2]) -> f32 {
    f32::from(at(&mut scene(key, data()), uv)[0]) / 254.0
}

#[track_caller]
fn close(got: f32, want: f32) {
    assert!((got - want).abs() <= 0.5 / 254.0 + 1e-4, "{got} for {want}");
}

#[test]
fn off_it_gives_nothing() {
    let mut scene = scene(KEY, data());
    scene.key.procedural = None;
    assert_eq!(at(&mut scene, [0.5, 0.5]), [0; 4]);
}

#[test]
fn clamp_modes() {
    use Clamp::{Edge, MirroredRepeat, Pulse, Repeat, Zero};
    for (mode, cases) in [
        (Zero, [(0.25, 0.25), (1.0, 1.0), (1.01, 0.0), (7.0, 0.0), (-0.25, 0.25)]),
        (Edge, [(0.25, 0.25), (1.0, 1.0), (1.01, 1.0), (7.0, 1.0), (-0.25, 0.25)]),
        (Repeat, [(0.25, 0.25), (1.0, 0.0), (1.25, 0.25), (7.75, 0.75), (-1.25, 0.25)]),
        (MirroredRepeat, [(0.25, 0.25), (1.0, 1.0), (1.25, 0.75), (2.25, 0.25), (-1.25, 0.75)]),
        (Pulse, [(0.25, 0.0), (0.5, 0.0), (0.51, 1.0), (7.0, 1.0), (-0.75, 1.0)]),
    ] {
        for (value, want) in cases {
            close(position(ProceduralKey { clamp: [mode, Edge], ..KEY }, [value, 0.0]), want);
            let v = ProceduralKey { clamp: [Edge, mode], rgb_map: Combine::V, ..KEY };
            close(position(v, [0.0, value]), want);
        }
    }
}

#[test]
fn shifts_go_by_the_other_coordinate() {
    for (shift, values) in [
        (Shift::None, [0.0; 6]),
        (Shift::Odd, [0.0, 0.0, 0.5, 0.5, 0.0, 0.0]),
        (Shift::Even, [0.0, 0.5, 0.5, 0.0, 0.0, 0.5]),
    ] {
        for (other, moved) in (0..).zip(values) {
            let other = other as f32 + 0.25;
            let u = ProceduralKey { clamp: [Clamp::Repeat; 2], shift: [shift, Shift::None], ..KEY };
            close(position(u, [0.125, other]), 0.125 + moved);
            close(position(u, [0.125, -other]), 0.125 + moved);
            let v = ProceduralKey { shift: [Shift::None, shift], rgb_map: Combine::V, ..u };
            close(position(v, [other, 0.125]), 0.125 + moved);
            // By a whole one where the coordinate is mirrored.
            let mirrored = ProceduralKey { clamp: [Clamp::MirroredRepeat, Clamp::Repeat], ..u };
            close(position(mirrored, [0.125, other]), if moved == 0.0 { 0.125 } else { 0.875 });
        }
    }
}

#[test]
fn map_functions() {
    for (function, want) in [
        (Combine::U, 0.5),
        (Combine::U2, 0.25),
        (Combine::V, 0.75),
        (Combine::V2, 0.5625),
        (Combine::Average, 0.625),
        (Combine::Average2, 0.40625),
        (Combine::Root, 0.901_39),
        (Combine::Min, 0.5),
        (Combine::Max, 0.75),
        (Combine::AverageRoot, 0.763_19),
    ] {
        close(position(ProceduralKey { rgb_map: function, ..KEY }, [0.5, 0.75]), want);
        let separate = ProceduralKey { rgb_map: Combine::Min, alpha_map: Some(function), ..KEY };
        let [red, _, _, alpha] = at(&mut scene(separate, data()), [0.5, 0.75]);
        assert_eq!((red, alpha), (127, (want * 255.0) as u8));
    }
    for function in [Combine::Root, Combine::AverageRoot] {
        close(position(ProceduralKey { rgb_map: function, ..KEY }, [1.0, 1.0]), 1.0);
    }
}

/// Slopes at the points of the lattice, by row and column.
fn slopes() -> Vec<Vec<f32>> {
    let vectors = json("3ds/vectors/proctex_noise.json");
    let value = |raw: &serde_json::Value| -1.0 + number(raw) as f32 * 2.0 / 15.0;
    items(&vectors["rand2_raw_rows_y_cols_x_8x8"]).iter().map(|row| items(row).iter().map(value).collect()).collect()
}

#[test]
fn noise_moves_the_coordinates() {
    let slopes = slopes();
    let key = ProceduralKey { noise: true, clamp: [Clamp::Repeat; 2], ..KEY };
    let mut data = data();
    data.frequency = [1.0 / 9.0; 2];
    data.amplitude = [0.5, -0.25];
    data.phase = [0.25, -6.5];
    for y in 0..6 {
        for x in 0..6 {
            // The phases bring u to x + 0.75 and v to y + 0.5; |v - 6.5| goes back from 6.5.
            let (u, v) = (x as f32 + 0.5, 6.0 - y as f32);
            let (xf, yf) = (0.75, 0.5);
            let corner = |i: usize, j: usize| slopes[y + j][x + i] * (xf + yf - i as f32 - j as f32);
            let low = corner(0, 0) * 0.25 + corner(1, 0) * 0.75;
            let high = corner(0, 1) * 0.25 + corner(1, 1) * 0.75;
            let noise = low * 0.5 + high * 0.5;
            for (map, want) in [(Combine::U, (u + noise * 0.5).abs()), (Combine::V, (v - noise * 0.25).abs())] {
                let mut scene = scene(ProceduralKey { rgb_map: map, ..key }, data.clone());
                let got = f32::from(at(&mut scene, [u, -v])[0]) / 254.0;
                close(got, want - want.floor());
            }
        }
    }
    // Off, the values of the noise do nothing.
    let mut scene = scene(ProceduralKey { noise: false, ..key }, data);
    assert_eq!(at(&mut scene, [0.5, 0.5])[0], 127);
}

#[test]
fn noise_does_not_shift() {
    let mut data = data();
    data.amplitude = [0.0, 1000.0];
    data.frequency = [1.0; 2];
    data.phase = [0.3; 2];
    let key = ProceduralKey { noise: true, shift: [Shift::Odd, Shift::None], ..KEY };
    for (v, want) in [(1.5, 32), (2.5, 159)] {
        assert_eq!(at(&mut scene(key, data.clone()), [0.125, v])[0], want);
    }
}

#[test]
fn nearest_and_mixed_colors() {
    let mut data = data();
    data.width = 11;
    data.offset[0] = 250;
    let mut nearest = scene(KEY, data.clone());
    for (u, want) in [(0.0, 250), (0.0499, 250), (0.0501, 251), (0.5, 255), (0.56, 0), (1.0, 4)] {
        assert_eq!(at(&mut nearest, [u, 0.0]), [want, 10, 20, 30], "{u}");
    }
    let mut linear = scene(ProceduralKey { linear: true, ..KEY }, data.clone());
    // Colours are clamped to 0..255, the entries are counted modulo 256.
    for (u, want) in
        [(0.0, [250, 10, 20, 30]), (0.05, [250, 11, 0, 30]), (0.575, [255, 11, 0, 30]), (0.6, [0, 10, 20, 30])]
    {
        assert_eq!(at(&mut linear, [u, 0.0]), want, "{u}");
    }
    data.color[255][0] = 255.0;
    data.difference[255][0] = 9.0;
    assert_eq!(at(&mut scene(ProceduralKey { linear: true, ..KEY }, data), [0.59, 0.0])[0], 255);
}

#[test]
fn maps_are_lines_between_entries() {
    let mut data = data();
    data.rgb_map[0] = [0.5, 0.25];
    data.rgb_map[127] = [0.0, 2.0];
    data.alpha_map[64] = [-1.0, 0.0];
    let mut scene = scene(ProceduralKey { alpha_map: Some(Combine::V), ..KEY }, data);
    for (u, want) in [(0.0, 127), (0.5 / 128.0, 159), (1.0 / 128.0, 2), (127.25 / 128.0, 127), (1.0, 254)] {
        assert_eq!(at(&mut scene, [u, 0.0])[0], want, "{u}");
    }
    assert_eq!(at(&mut scene, [0.0, 0.5])[3], 0);
}

/// A unit with eight levels whose colours are 16 times the level in red, and 255 - that in green.
fn leveled(mipmap: Filter, slope: f32) -> Scene<'static> {
    let mut data = data();
    data.width = 128;
    data.bias = 1.0;
    data.lod = [0.0, 6.0];
    data.offset = [0, 128, 192, 224, 240, 248, 252, 254];
    for level in 0..7 {
        for i in data.offset[level]..data.offset[level + 1] {
            data.color[i as usize] = [16.0 * level as f32, 255.0 - 16.0 * level as f32, 0.0, 255.0];
        }
    }
    let mut scene = scene(ProceduralKey { mipmap: Some(mipmap), ..KEY }, data);
    scene.primitive.edge = [8, 0, 0];
    scene.primitive.sum = 8.0;
    scene.primitive.dx = [-1, 1, 0];
    scene.primitive.dy = [-1, 0, 1];
    // 1/8 of the difference is what a pixel adds.
    scene.varyings[0] = [0.25, 0.25 + 8.0 * slope, 0.25];
    scene.varyings[1] = [0.25; 3];
    scene
}

#[test]
fn levels_by_the_slopes() {
    for (slope, nearest, linear) in [
        (0.0, 0, 0),
        (1.0 / 256.0, 0, 0),
        (1.0 / 128.0, 0, 0),
        (2.0 / 128.0, 16, 16),
        (2.5 / 128.0, 16, 21),
        (3.0 / 128.0, 32, 25),
        (-4.0 / 128.0, 32, 32),
        (100.0, 96, 96),
    ] {
        assert_eq!(leveled(Filter::Nearest, slope).pixel()[0], nearest, "{slope}");
        assert_eq!(leveled(Filter::Linear, slope).pixel()[0], linear, "{slope}");
    }
    let level = |change: &dyn Fn(&mut Scene<'_>, &mut ProceduralData)| {
        let mut scene = leveled(Filter::Nearest, 2.0 / 128.0);
        let mut data = scene.procedural.take().unwrap();
        change(&mut scene, &mut data);
        scene.procedural = Some(data);
        scene.pixel()[0] / 16
    };
    assert_eq!(level(&|_, data| data.bias = -4.0), 3);
    assert_eq!(level(&|_, data| data.bias = 0.0), 0);
    assert_eq!(level(&|_, data| (data.bias, data.lod[0]) = (0.0, 2.0)), 2);
    assert_eq!(level(&|_, data| data.lod[1] = 0.0), 0);
    // The larger slope of u plus the larger one of v.
    assert_eq!(level(&|scene, _| scene.varyings[0][2] = 0.25 - 32.0 / 128.0), 2);
    assert_eq!(level(&|scene, _| scene.varyings[1][2] = 0.25 + 16.0 / 128.0), 2);
    assert_eq!(level(&|scene, _| scene.varyings[1] = [f32::NAN; 3]), 0);
}

#[test]
fn levels_get_narrower() {
    let mut data = data();
    data.width = 5;
    data.lod = [0.0, 7.0];
    data.offset = [0, 10, 20, 30, 40, 50, 60, 70];
    for (level, want) in [(0.0, 4), (1.0, 11), (2.0, 20), (3.0, 30), (7.0, 70)] {
        data.lod = [level, level];
        let mut scene = scene(ProceduralKey { mipmap: Some(Filter::Nearest), ..KEY }, data.clone());
        assert_eq!(at(&mut scene, [1.0, 0.0])[0], want);
        // The level after the last one is the last one.
        scene.key.procedural = Some(ProceduralKey { mipmap: Some(Filter::Linear), ..KEY });
        assert_eq!(at(&mut scene, [1.0, 0.0])[0], want);
    }
    data.width = 0;
    assert_eq!(at(&mut scene(KEY, data), [1.0, 0.0])[0], 0);
}

#[test]
fn no_number_is_too_strange() {
    let clamps = [Clamp::Zero, Clamp::Edge, Clamp::Repeat, Clamp::MirroredRepeat, Clamp::Pulse];
    let values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, 1e-40];
    let mut data = data();
    data.frequency = [1.0, f32::INFINITY];
    data.phase = [f32::NAN, 1e30];
    for clamp in clamps {
        for shift in [Shift::None, Shift::Odd, Shift::Even] {
            for noise in [false, true] {
                for u in values {
                    for v in values {
                        let key = ProceduralKey { clamp: [clamp; 2], shift: [shift; 2], noise, linear: true, ..KEY };
                        at(&mut scene(key, data.clone()), [u, v]);
                    }
                }
            }
        }
    }
    // NaN is the low end of a map, except where a minimum takes the other side.
    for (clamp, want) in [(Clamp::Zero, 0.0), (Clamp::Edge, 1.0), (Clamp::Repeat, 0.0), (Clamp::Pulse, 0.0)] {
        close(position(ProceduralKey { clamp: [clamp; 2], ..KEY }, [f32::NAN, 0.0]), want);
    }
}
