//! Texture units: wrapping, filters, levels of detail, cubes, comparison, swizzle and conversion.

use triglyph_guest::kernel::program::sampler::{
    Compare, Convert, Filter, LEVELS, Level, PADDING, Reduction, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_interp::program::sampler::{LodSource, TextureUnit};
use triglyph_testkit::fragment::NEAREST;
use triglyph_testkit::random::Random;

const AT_LEVEL_0: LodSource = LodSource::Level(0.0);

/// A texture of one level and its words.
struct Image {
    words: Vec<u32>,
    size: [u32; 3],
    layers: u32,
}

impl Image {
    /// Texels of four floats; `texel` gives them for (x, y, z) of a layer.
    fn floats(size: [u32; 3], layers: u32, texel: impl Fn(u32, [u32; 3]) -> [f32; 4]) -> Self {
        let mut words = Vec::new();
        for layer in 0..layers {
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        words.extend(texel(layer, [x, y, z]).map(f32::to_bits));
                    }
                }
            }
        }
        words.extend([0; PADDING]);
        Image { words, size, layers }
    }

    /// Texels of four bytes.
    fn bytes(width: u32, texels: &[[u8; 4]]) -> Self {
        let mut words: Vec<u32> = texels.iter().map(|&texel| u32::from_le_bytes(texel)).collect();
        words.extend([0; PADDING]);
        Image { words, size: [width, texels.len() as u32 / width, 1], layers: 1 }
    }

    fn texture(&self) -> Texture<'_> {
        let [width, height, depth] = self.size;
        let level = Level { offset: 0, width, height, depth };
        Texture {
            texels: &self.words,
            layer_texels: width * height * depth,
            layers: self.layers,
            levels: [level; LEVELS],
            lod_max: 15.0,
            ..Default::default()
        }
    }

    fn sample(&self, key: &TextureKey, at: [f32; 4]) -> [f32; 4] {
        TextureUnit { key, texture: &self.texture() }.sample(at, &AT_LEVEL_0)
    }
}

/// The texel that index `i` leads to, found by walking; `None`: the border.
fn walked(wrap: Wrap, i: i32, n: i32) -> Option<i32> {
    let there: Vec<i32> = (0..n).collect();
    let back: Vec<i32> = (0..n).rev().collect();
    // The texels from 0 on to the right, and from -1 on to the left.
    let (right, left): (Vec<i32>, Vec<i32>) = match wrap {
        Wrap::Repeat => (there.clone(), back),
        Wrap::Mirror => ([there.clone(), back.clone()].concat(), [there, back].concat()),
        Wrap::ClampToEdge | Wrap::Clamp => ([there, vec![n - 1; 100]].concat(), vec![0; 100]),
        Wrap::Border => ([there, vec![-1; 100]].concat(), vec![-1; 100]),
        Wrap::MirrorOnceToEdge | Wrap::MirrorOnceClamp => {
            let row = [there, vec![n - 1; 100]].concat();
            (row.clone(), row)
        }
        Wrap::MirrorOnceBorder => {
            let row = [there, vec![-1; 100]].concat();
            (row.clone(), row)
        }
    };
    let texel = if i >= 0 { right[i as usize % right.len()] } else { left[(-1 - i) as usize % left.len()] };
    (texel >= 0).then_some(texel)
}

#[test]
fn nearest_texels_wrap_as_named() {
    for n in [1, 2, 3, 8] {
        let image = Image::floats([n, 1, 1], 1, |_, [x, ..]| [x as f32, 0.0, 0.0, 1.0]);
        let mut texture = image.texture();
        texture.border = [99.0; 4];
        for wrap in Wrap::ALL {
            let key = TextureKey { shape: Shape::D1, wrap: [wrap, Wrap::Border, Wrap::Border], ..NEAREST };
            for i in -20..20 {
                let s = (i as f32 + 0.5) / n as f32;
                let [red, ..] = TextureUnit { key: &key, texture: &texture }.sample([s, 7.0, 7.0, 7.0], &AT_LEVEL_0);
                let expected = walked(wrap, i, n as i32).map_or(99.0, |texel| texel as f32);
                assert_eq!(red, expected, "{wrap:?}, texel {i} of {n}");
            }
        }
    }
}

/// A linearly filtered value of a row whose texel i is `value(i)`, in f64, with the weight's eight bits.
fn filtered(wrap: Wrap, c: f64, n: i32, value: impl Fn(Option<i32>) -> f64) -> f64 {
    let (wrap, c) = match wrap {
        Wrap::Clamp => (Wrap::Border, c.clamp(0.0, n.into())),
        Wrap::MirrorOnceClamp => (Wrap::Border, c.abs().clamp(0.0, n.into())),
        other => (other, c),
    };
    let c = c - 0.5;
    let i = c.floor() as i32;
    let weight = ((c - c.floor()) * 256.0).floor() / 256.0;
    value(walked(wrap, i, n)) * (1.0 - weight) + value(walked(wrap, i + 1, n)) * weight
}

#[test]
fn linear_filters_weigh_neighbours_along_each_axis() {
    let size = [4u32, 3, 5];
    let texel = |[x, y, z]: [i32; 3]| f64::from(x * x + 10 * y + 7 * z * x);
    let image = Image::floats(size, 1, |_, at| [texel(at.map(|c| c as i32)) as f32; 4]);
    let border = 50.0;
    let mut texture = image.texture();
    texture.border = [border as f32; 4];
    let mut noise = Random::new(3);
    for _ in 0..4000 {
        let wraps = [0; 3].map(|_| Wrap::ALL[noise.below(8) as usize]);
        let axes = 1 + noise.below(3) as usize;
        let shape = [Shape::D1, Shape::D2, Shape::D3][axes - 1];
        let linear = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..NEAREST };
        let key = TextureKey { shape, wrap: wraps, unnormalized: true, ..linear };
        let texels = [0; 3].map(|_| f64::from(noise.below(6000)) / 512.0 - 5.0);
        let got = TextureUnit { key: &key, texture: &texture }
            .sample([texels[0] as f32, texels[1] as f32, texels[2] as f32, 0.0], &AT_LEVEL_0);
        let at = |c: [Option<i32>; 3]| match c {
            [Some(x), Some(y), Some(z)] => texel([x, y, z]),
            _ => border,
        };
        let n = size.map(|n| n as i32);
        let along_x = |y, z| filtered(wraps[0], texels[0], n[0], |x| at([x, y, z]));
        let along_y = |z| filtered(wraps[1], texels[1], n[1], |y| along_x(y, z));
        let expected = match axes {
            1 => along_x(Some(0), Some(0)),
            2 => along_y(Some(0)),
            _ => filtered(wraps[2], texels[2], n[2], along_y),
        };
        assert!((f64::from(got[0]) - expected).abs() < 1e-3, "{got:?} instead of {expected} at {texels:?}, {wraps:?}");
    }
}

#[test]
fn filters_may_take_the_minimum_or_maximum() {
    // Texels 3, 1, 2 in a row, and 5 more in the row below.
    let image = Image::floats([3, 2, 1], 1, |_, [x, y, _]| [[3.0, 1.0, 2.0][x as usize] + 5.0 * y as f32; 4]);
    let texture = image.texture();
    let key = |reduction| TextureKey {
        magnify: Filter::Linear,
        minify: Filter::Linear,
        unnormalized: true,
        wrap: [Wrap::ClampToEdge; 3],
        reduction,
        ..NEAREST
    };
    let cases = [
        // Between all four, on a texel's middle across and down, and on both.
        ([1.1, 1.2], 1.0, 8.0),
        ([1.5, 1.0], 1.0, 6.0),
        ([0.7, 0.5], 1.0, 3.0),
        ([2.5, 1.5], 7.0, 7.0),
    ];
    for ([s, t], least, most) in cases {
        for (reduction, expected) in [(Reduction::Minimum, least), (Reduction::Maximum, most)] {
            let got = TextureUnit { key: &key(reduction), texture: &texture }.sample([s, t, 0.0, 0.0], &AT_LEVEL_0);
            assert_eq!(got, [expected; 4], "{reduction:?} at {s}, {t}");
        }
    }
}

#[test]
fn normalised_coordinates_span_the_texture() {
    let image = Image::bytes(2, &[[0, 0, 0, 0], [255, 0, 0, 0], [0, 255, 0, 0], [255, 255, 0, 255]]);
    let key = TextureKey { texels: Texels::Rgba8, wrap: [Wrap::ClampToEdge; 3], ..NEAREST };
    assert_eq!(image.sample(&key, [0.49, 0.49, 0.0, 0.0]), [0.0; 4]);
    assert_eq!(image.sample(&key, [0.51, 0.49, 0.0, 0.0]), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(image.sample(&key, [0.0, 1.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 0.0]);
    let key = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..key };
    assert_eq!(image.sample(&key, [0.5, 0.5, 0.0, 0.0]), [127.5 * (1.0 / 255.0), 127.5 * (1.0 / 255.0), 0.0, 0.25]);
    // Bytes are filtered as integers: half way from 0 to 255 is 127.5, a quarter 63.75.
    assert_eq!(image.sample(&key, [0.375, 0.0, 0.0, 0.0])[0], 63.75 * (1.0 / 255.0));
    let key = TextureKey { unnormalized: true, ..key };
    assert_eq!(image.sample(&key, [1.0, 0.0, 0.0, 0.0])[0], 127.5 * (1.0 / 255.0));
}

#[test]
fn clamped_coordinates_reach_half_into_the_border() {
    let image = Image::floats([2, 1, 1], 1, |_, _| [1.0; 4]);
    let mut texture = image.texture();
    texture.border = [3.0; 4];
    let linear = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..NEAREST };
    for (wrap, expected) in [(Wrap::Clamp, 2.0), (Wrap::Border, 3.0), (Wrap::ClampToEdge, 1.0)] {
        let key = TextureKey { shape: Shape::D1, wrap: [wrap; 3], ..linear };
        for s in [-5.0, 5.0, f32::INFINITY, f32::NEG_INFINITY] {
            let got = TextureUnit { key: &key, texture: &texture }.sample([s, 0.0, 0.0, 0.0], &AT_LEVEL_0);
            assert_eq!(got[0], expected, "{wrap:?} at {s}");
        }
    }
}

/// A texture of five levels, 16x16 and smaller, level k being k everywhere.
fn levels() -> (Vec<u32>, [Level; LEVELS]) {
    let (mut words, mut levels) = (Vec::new(), [Level::default(); LEVELS]);
    for (k, level) in levels.iter_mut().enumerate() {
        let size = 16 >> k.min(4);
        let offset = if k < 5 { words.len() as u32 / 4 } else { words.len() as u32 / 4 - 1 };
        *level = Level { offset, width: size, height: size, depth: 1 };
        if k < 5 {
            words.extend([(k as f32).to_bits()].repeat(4 * (size * size) as usize));
        }
    }
    words.extend([0; PADDING]);
    (words, levels)
}

/// A texture of such levels, all of them in use.
fn mipmapped((words, levels): &(Vec<u32>, [Level; LEVELS])) -> Texture<'_> {
    Texture {
        texels: words,
        layer_texels: words.len() as u32 / 4,
        level_count: 5,
        levels: *levels,
        lod_max: 15.0,
        ..Default::default()
    }
}

#[test]
fn levels_follow_from_the_level_of_detail() {
    let levels = levels();
    let texture = mipmapped(&levels);
    let at = |key: &TextureKey, texture: &Texture<'_>, lod_source| {
        TextureUnit { key, texture }.sample([0.4; 4], &lod_source)[0]
    };
    let nearest = TextureKey { mipmap: Some(Filter::Nearest), ..NEAREST };
    let linear = TextureKey { mipmap: Some(Filter::Linear), ..NEAREST };
    for (lod, expected_nearest, expected_linear) in [
        (-3.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.25, 0.0, 0.25),
        (0.5, 1.0, 0.5),
        (1.49, 1.0, 1.0 + 125.0 / 256.0),
        (3.75, 4.0, 3.75),
        (4.5, 4.0, 4.0),
        (99.0, 4.0, 4.0),
        (f32::INFINITY, 4.0, 4.0),
        (f32::NEG_INFINITY, 0.0, 0.0),
        (f32::NAN, 0.0, 0.0),
    ] {
        assert_eq!(at(&nearest, &texture, LodSource::Level(lod)), expected_nearest, "nearest, {lod}");
        assert_eq!(at(&linear, &texture, LodSource::Level(lod)), expected_linear, "linear, {lod}");
        assert_eq!(at(&NEAREST, &texture, LodSource::Level(lod)), 0.0, "none, {lod}");
    }

    // The unit's bias, then the limits.
    let biased = Texture { lod_bias: 1.5, ..texture };
    assert_eq!(at(&linear, &biased, LodSource::Level(1.0)), 2.5);
    let limited = Texture { lod_min: 1.0, lod_max: 2.5, ..texture };
    assert_eq!([-9.0, 2.0, 9.0].map(|lod| at(&linear, &limited, LodSource::Level(lod))), [1.0, 2.0, 2.5]);
    assert_eq!(at(&linear, &limited, LodSource::Level(f32::NAN)), 1.0);
    // Equal limits ask for one level, also where the texture is magnified.
    let fixed = Texture { lod_min: 3.0, lod_max: 3.0, ..texture };
    assert_eq!([-9.0, 2.0, 9.0].map(|lod| at(&nearest, &fixed, LodSource::Level(lod))), [3.0; 3]);
}

#[test]
fn the_level_of_detail_follows_from_differences() {
    let levels = levels();
    let texture = mipmapped(&levels);
    let key = TextureKey { mipmap: Some(Filter::Linear), ..NEAREST };
    let at = |key: &TextureKey, lod_source: &LodSource| {
        TextureUnit { key, texture: &texture }.sample([0.4; 4], lod_source)[0]
    };
    // 16 texels: a quarter of the texture is four of them, level 2.
    let quarter = Some([[0.25, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]);
    let eighth = Some([[0.5, 0.0, 0.0, 0.0], [0.5, -0.125, 0.0, 0.0]]);
    assert_eq!(at(&key, &LodSource::Neighbours { row: quarter, column: eighth, bias: 0.0 }), 2.0);
    assert_eq!(at(&key, &LodSource::Neighbours { row: eighth, column: quarter, bias: 0.0 }), 2.0);
    assert_eq!(at(&key, &LodSource::Neighbours { row: None, column: eighth, bias: 0.0 }), 1.0);
    assert_eq!(at(&key, &LodSource::Neighbours { row: None, column: eighth, bias: 1.5 }), 2.5);
    assert_eq!(at(&key, &LodSource::Neighbours { row: None, column: None, bias: 0.0 }), 0.0);
    // 3 and 4 texels along two axes are 5.
    let gradients = LodSource::Gradients([[3.0 / 16.0, 4.0 / 16.0, 9.0, 9.0], [0.0; 4]]);
    assert!((at(&key, &gradients) - 5f32.log2()).abs() < 1.0 / 128.0);
    let gradients = LodSource::Gradients([[0.0; 4], [-0.5, 0.0, 0.0, 0.0]]);
    assert_eq!(at(&key, &gradients), 3.0);
    // A one-dimensional texture uses one axis, a volume three.
    let line = TextureKey { shape: Shape::D1, ..key };
    assert_eq!(at(&line, &LodSource::Gradients([[0.125, 0.5, 0.0, 0.0], [0.0; 4]])), 1.0);
    let volume = TextureKey { shape: Shape::D3, ..key };
    assert_eq!(at(&volume, &LodSource::Gradients([[0.0, 0.0, 4.0, 0.0], [0.0; 4]])), 2.0);
}

#[test]
fn anisotropy_takes_finer_levels() {
    let levels = levels();
    let texture = mipmapped(&levels);
    // Sixteenths are texels of level 0. Most taps, the footprint's axes, and the level.
    let cases = [
        (4, [8.0, 2.0], 1.0),
        (2, [8.0, 2.0], 2.0),
        (16, [2.0, 8.0], 1.0),
        // A footprint is a texel across at least: eight taps, not thirty-two.
        (16, [0.25, 8.0], 0.0),
        (6, [0.0, 12.0], 1.0),
        // What is magnified has one tap, and so has what is as long as it is wide.
        (16, [0.5, 0.25], 0.0),
        (16, [4.0, 4.0], 2.0),
    ];
    for (most, [x, y], expected) in cases {
        let key = TextureKey { mipmap: Some(Filter::Linear), anisotropy: most, ..NEAREST };
        let unit = TextureUnit { key: &key, texture: &texture };
        let gradients = [[x / 16.0, 0.0, 0.0, 0.0], [0.0, y / 16.0, 0.0, 0.0]];
        let got = unit.sample([0.4; 4], &LodSource::Gradients(gradients));
        assert_eq!(got[0], expected, "{x} by {y} texels with {most} taps at most");
        // An explicit level is what it says.
        assert_eq!(unit.sample([0.4; 4], &LodSource::Level(3.0))[0], 3.0);
    }
}

#[test]
fn taps_stand_along_the_longer_axis() {
    // Texel x + 100 y; four taps of a footprint of four texels are at -1.5, -0.5, 0.5 and 1.5.
    let image = Image::floats([16, 16, 1], 1, |_, [x, y, _]| [(x + 100 * y) as f32; 4]);
    let texture = image.texture();
    let texels = |n: f32| n / 16.0;
    let cases = [
        ([[texels(4.0), 0.0], [0.0, texels(1.0)]], Reduction::Average, 807.5),
        ([[texels(1.0), 0.0], [0.0, texels(4.0)]], Reduction::Average, 758.0),
        // The other way round it is the same.
        ([[texels(-4.0), 0.0], [0.0, texels(1.0)]], Reduction::Average, 807.5),
        ([[texels(4.0), 0.0], [0.0, 0.0]], Reduction::Minimum, 806.0),
        ([[texels(4.0), 0.0], [0.0, 0.0]], Reduction::Maximum, 809.0),
    ];
    for ([x, y], reduction, expected) in cases {
        let key = TextureKey { anisotropy: 4, reduction, ..NEAREST };
        let unit = TextureUnit { key: &key, texture: &texture };
        let at = [0.5, 0.5, 0.0, 0.0];
        let [x, y] = [x, y].map(|[s, t]| [s, t, 0.0, 0.0]);
        assert_eq!(unit.sample(at, &LodSource::Gradients([x, y]))[0], expected, "{x:?}, {y:?}");
        // The left and the right lane, the upper and the lower one have the same differences.
        let neighbours = [x, y].map(|step| Some([at, std::array::from_fn(|i| at[i] + step[i])]));
        let lod_source = LodSource::Neighbours { row: neighbours[0], column: neighbours[1], bias: 0.0 };
        assert_eq!(unit.sample(at, &lod_source)[0], expected, "{neighbours:?}");
    }
    // Comparisons are averaged as well: three of four texels are below.
    let key = TextureKey { anisotropy: 4, compare: Some(Compare::Less), ..NEAREST };
    let along = LodSource::Gradients([[texels(4.0), 0.0, 0.0, 0.0], [0.0; 4]]);
    assert_eq!(TextureUnit { key: &key, texture: &texture }.sample([0.5, 0.5, 808.5, 0.0], &along)[0], 0.75);
}

#[test]
fn each_lane_has_the_filter_of_its_own_level_of_detail() {
    let image = Image::floats([2, 1, 1], 1, |_, [x, ..]| [x as f32; 4]);
    let key = TextureKey { magnify: Filter::Linear, minify: Filter::Nearest, wrap: [Wrap::ClampToEdge; 3], ..NEAREST };
    let texture = image.texture();
    let at =
        |lod| TextureUnit { key: &key, texture: &texture }.sample([0.375, 0.0, 0.0, 0.0], &LodSource::Level(lod))[0];
    assert_eq!([at(-1.0), at(0.0), at(0.01), at(f32::NAN)], [0.25, 0.25, 0.0, 0.25]);
    // Without mipmaps the limits of levels do not count.
    let texture = Texture { lod_min: 0.0, lod_max: 0.0, ..texture };
    let minified = TextureUnit { key: &key, texture: &texture }.sample([0.375, 0.0, 0.0, 0.0], &LodSource::Level(2.0));
    assert_eq!(minified[0], 0.0);
}

#[test]
fn a_level_without_weight_is_not_looked_at() {
    let image = Image::floats([2, 2, 1], 1, |_, _| [f32::NEG_INFINITY; 4]);
    let key = TextureKey { texels: Texels::Float4, mipmap: Some(Filter::Linear), ..NEAREST };
    let texture = image.texture();
    let at = |lod: f32| TextureUnit { key: &key, texture: &texture }.sample([0.5; 4], &LodSource::Level(lod))[0];
    assert_eq!([at(0.0), at(0.003)], [f32::NEG_INFINITY; 2]);
    assert!(at(0.5).is_nan(), "the difference of two infinities");
}

/// The direction through the middle of texel (x, y) of a face, n texels wide: the table of the OpenGL specification
/// read backwards.
fn through(face: u32, x: u32, y: u32, n: u32) -> [f32; 3] {
    let [s, t] = [x, y].map(|c| 2.0 * (c as f32 + 0.5) / n as f32 - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

#[test]
fn directions_lead_to_the_texels_of_a_cube() {
    let n = 4;
    let code = |layer: u32, [x, y, _]: [u32; 3]| [(layer * 100 + y * 10 + x) as f32; 4];
    let image = Image::floats([n, n, 1], 12, code);
    let key = TextureKey { shape: Shape::Cube, wrap: [Wrap::Border; 3], ..NEAREST };
    let array = TextureKey { shape: Shape::CubeArray, ..key };
    for face in 0..6 {
        for (x, y) in (0..n * n).map(|i| (i % n, i / n)) {
            for length in [1.0, 0.01, 300.0] {
                let [a, b, c] = through(face, x, y, n).map(|v| v * length);
                assert_eq!(image.sample(&key, [a, b, c, 1.0]), code(face, [x, y, 0]), "face {face}, {x}, {y}");
                assert_eq!(image.sample(&array, [a, b, c, 1.2]), code(6 + face, [x, y, 0]), "face {face}, {x}, {y}");
                assert_eq!(image.sample(&array, [a, b, c, -9.0]), code(face, [x, y, 0]));
            }
        }
    }
    // z comes first where components are equal, then y.
    assert_eq!(image.sample(&key, [1.0, -1.0, 1.0, 0.0])[0], 433.0);
    assert_eq!(image.sample(&key, [0.5, -1.0, 1.0, 0.0])[0] as u32 / 100, 4);
    assert_eq!(image.sample(&key, [1.0, -1.0, 0.5, 0.0])[0] as u32 / 100, 3);
    // Faces are filtered alone, clamped to their edges.
    let linear = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..key };
    assert_eq!(image.sample(&linear, [1.0, 0.0, 1.0, 0.0])[0], 418.0);
}

#[test]
fn a_cubes_differences_are_those_on_the_lanes_own_face() {
    let (words, levels) = levels();
    let texture = Texture { texels: &words, level_count: 5, levels, lod_max: 15.0, ..Default::default() };
    let key = TextureKey { shape: Shape::Cube, mipmap: Some(Filter::Linear), ..NEAREST };
    let at = |at, lod_source: &LodSource| TextureUnit { key: &key, texture: &texture }.sample(at, lod_source)[0];
    // On a face of 16 texels s goes from -1 to 1: half of that is 8 texels, level 3.
    let own = [1.0, 0.0, 0.0, 0.0];
    let row = Some([own, [2.0, 0.0, -2.0, 0.0]]);
    assert_eq!(at(own, &LodSource::Neighbours { row, column: None, bias: 0.0 }), 3.0);
    // The right neighbour samples another face, but counts on this one: z is twice x, so a whole face away.
    let row = Some([own, [1.0, 0.0, -2.0, 0.0]]);
    assert_eq!(at(own, &LodSource::Neighbours { row, column: None, bias: 0.0 }), 4.0);
    // A gradient leads to another direction: (1, 0, 0) + (1, 1, 0) is (1, 0.5, 0).
    assert_eq!(at(own, &LodSource::Gradients([[1.0, 1.0, 0.0, 0.0], [0.0; 4]])), 2.0);
    // On a negative face as well.
    let own = [0.0, -4.0, 0.0, 0.0];
    assert_eq!(at(own, &LodSource::Gradients([[0.0; 4], [2.0, 0.0, 0.0, 0.0]])), 2.0);
}

#[test]
fn layers_are_rounded_and_limited() {
    let image = Image::floats([1, 1, 1], 3, |layer, _| [layer as f32; 4]);
    for (shape, place) in [(Shape::D1Array, 1), (Shape::D2Array, 2)] {
        let key = TextureKey { shape, ..NEAREST };
        for (layer, expected) in
            [(0.0, 0.0), (0.49, 0.0), (0.5, 1.0), (1.7, 2.0), (9.0, 2.0), (-3.0, 0.0), (f32::NAN, 0.0), (1e30, 2.0)]
        {
            let mut at = [0.3; 4];
            at[place] = layer;
            assert_eq!(image.sample(&key, at)[0], expected, "{shape:?}, layer {layer}");
        }
    }
}

#[test]
fn comparisons_have_the_texel_on_the_left() {
    let operations = [
        (Compare::Never, [0.0, 0.0, 0.0]),
        (Compare::Always, [1.0, 1.0, 1.0]),
        (Compare::Less, [1.0, 0.0, 0.0]),
        (Compare::LessEqual, [1.0, 1.0, 0.0]),
        (Compare::Equal, [0.0, 1.0, 0.0]),
        (Compare::NotEqual, [1.0, 0.0, 1.0]),
        (Compare::Greater, [0.0, 0.0, 1.0]),
        (Compare::GreaterEqual, [0.0, 1.0, 1.0]),
    ];
    let image = Image::floats([3, 1, 1], 6, |_, [x, ..]| [0.25 * (x + 1) as f32, 9.0, 9.0, 9.0]);
    // The reference is the coordinate after the shape's own.
    let references = [(Shape::D1, 1), (Shape::D2, 2), (Shape::D3, 3), (Shape::D1Array, 2), (Shape::D2Array, 3)];
    for (operation, expected) in operations {
        for (shape, place) in references {
            let key = TextureKey { shape, compare: Some(operation), ..NEAREST };
            let got = [0, 1, 2].map(|x| {
                let mut at = [0.0; 4];
                at[0] = (x as f32 + 0.5) / 3.0;
                at[place] = 0.5;
                image.sample(&key, at)
            });
            assert_eq!(got, expected.map(|value| [value; 4]), "{operation:?}, {shape:?}");
        }
    }
    let cube = TextureKey { shape: Shape::Cube, compare: Some(Compare::Less), ..NEAREST };
    assert_eq!(image.sample(&cube, [0.0, 0.0, 1.0, 0.6])[0], 1.0);
    assert_eq!(image.sample(&cube, [0.0, 0.0, 1.0, 0.4])[0], 0.0);
    let array = TextureKey { shape: Shape::CubeArray, compare: Some(Compare::Less), ..NEAREST };
    assert_eq!(image.sample(&array, [0.0, 0.0, 1.0, 0.6])[0], 0.0);
}

#[test]
fn comparisons_come_before_the_filter() {
    let image = Image::bytes(2, &[[51, 0, 0, 0], [102, 0, 0, 0]]);
    let key = TextureKey {
        texels: Texels::Rgba8,
        wrap: [Wrap::Border; 3],
        magnify: Filter::Linear,
        minify: Filter::Linear,
        compare: Some(Compare::Greater),
        ..NEAREST
    };
    // 51 and 102 are 0.2 and 0.4.
    assert_eq!(image.sample(&key, [0.375, 0.5, 0.3, 0.0]), [0.25; 4]);
    assert_eq!(image.sample(&key, [0.375, 0.5, 0.1, 0.0]), [1.0; 4]);
    assert_eq!(image.sample(&key, [0.375, 0.5, 0.5, 0.0]), [0.0; 4]);
    // The border colour is compared, too.
    let texture = Texture { border: [204.0, 0.0, 0.0, 0.0], ..image.texture() };
    let at = |z| TextureUnit { key: &key, texture: &texture }.sample([-9.0, 0.0, z, 0.0], &AT_LEVEL_0)[0];
    assert_eq!([at(0.7), at(0.9)], [1.0, 0.0]);
}

#[test]
fn channels_are_exchanged_and_converted() {
    let image = Image::floats([1, 1, 1], 1, |_, _| [0.125, 0.25, 0.5, 0.75]);
    use Source::{Alpha, Blue, Green, One, Red, Zero};
    let key = TextureKey { swizzle: [Alpha, Blue, Green, Red], ..NEAREST };
    assert_eq!(image.sample(&key, [0.0; 4]), [0.75, 0.5, 0.25, 0.125]);
    let key = TextureKey { swizzle: [One, Zero, Red, Red], ..NEAREST };
    assert_eq!(image.sample(&key, [0.0; 4]), [1.0, 0.0, 0.125, 0.125]);

    for byte in 0..=255u8 {
        let image = Image::bytes(1, &[[byte; 4]]);
        use Convert::{Biased, Expanded, None, Signed, Srgb};
        let key = TextureKey { texels: Texels::Rgba8, convert: [None, Signed, Biased, Srgb], ..NEAREST };
        let got = image.sample(&key, [0.0; 4]).map(f64::from);
        let value = f64::from(byte) / 255.0;
        let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        let signed = (f64::from(byte) - 128.0) / 127.0;
        let expected = [value, signed, signed, linear];
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-6, "{byte}: {got} instead of {expected}");
        }
        let key = TextureKey { expanded: [Expanded, Signed, None, Expanded], ..key };
        let got = image.sample(&key.for_instruction(true), [0.0; 4]).map(f64::from);
        for (got, expected) in got.iter().zip([2.0 * value - 1.0, signed, value, 2.0 * value - 1.0]) {
            assert!((got - expected).abs() < 1e-6, "{byte}: {got} instead of {expected}");
        }
    }
}

#[test]
fn words_are_converted_to_signed_numbers() {
    use Convert::{BiasedWord, None, SignedWord};
    for word in [0u16, 1, 2, 0x7FFF, 0x8000, 0x8001, 0xABCD, 0xFFFE, 0xFFFF] {
        let value = f32::from(word) * (1.0 / 65535.0);
        let image = Image::floats([1, 1, 1], 1, |_, _| [value; 4]);
        let key = TextureKey { convert: [SignedWord, BiasedWord, None, None], ..NEAREST };
        let signed = (f64::from(word) - 32768.0) / 32767.0;
        let [exact, near, plain, _] = image.sample(&key, [0.0; 4]);
        assert!((f64::from(exact) - signed).abs() < 1e-7, "{word}: {exact} instead of {signed}");
        assert!((f64::from(near) - signed).abs() < 4e-7, "{word}: {near} instead of {signed}");
        assert_eq!(plain, value);
    }
}

#[test]
fn whatever_the_coordinates_the_result_is_a_texel_or_the_border() {
    let image = Image::floats([3, 2, 2], 6, |_, _| [1.0; 4]);
    let mut texture = Texture { border: [1.0; 4], level_count: 16, ..image.texture() };
    let mut noise = Random::new(11);
    let wild = |noise: &mut Random| match noise.below(8) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        3 => -0.0,
        4 => f32::from_bits(noise.word()),
        _ => (noise.below(4000) as f32 - 2000.0) / 300.0,
    };
    const SHAPES: [Shape; 7] =
        [Shape::D1, Shape::D2, Shape::D3, Shape::Cube, Shape::D1Array, Shape::D2Array, Shape::CubeArray];
    let filter = |noise: &mut Random| if noise.below(2) == 0 { Filter::Nearest } else { Filter::Linear };
    for _ in 0..50_000 {
        let key = TextureKey {
            shape: SHAPES[noise.below(7) as usize],
            unnormalized: noise.below(4) == 0,
            wrap: [0; 3].map(|_| Wrap::ALL[noise.below(8) as usize]),
            magnify: filter(&mut noise),
            minify: filter(&mut noise),
            mipmap: if noise.below(3) == 0 { None } else { Some(filter(&mut noise)) },
            ..NEAREST
        };
        texture.lod_bias = (noise.below(100) as f32 - 50.0) / 8.0;
        texture.lod_min = noise.below(100) as f32 / 8.0;
        texture.lod_max = noise.below(100) as f32 / 8.0;
        let mut vector = || [0; 4].map(|_| wild(&mut noise));
        let at = vector();
        let (a, b, c) = (vector(), vector(), vector());
        let lod_source = match noise.below(3) {
            0 => LodSource::Level(a[0]),
            1 => LodSource::Gradients([a, b]),
            _ => LodSource::Neighbours { row: Some([at, a]), column: Some([b, at]), bias: c[0] },
        };
        assert_eq!(
            TextureUnit { key: &key, texture: &texture }.sample(at, &lod_source),
            [1.0; 4],
            "{key:?} at {at:?}, {lod_source:?}"
        );
    }
}
