//! Texture instructions of Maxwell programs, against values worked out by hand.

use triglyph_guest::kernel::program::sampler::{
    Compare, Filter, LEVELS, LINEAR, Level, PADDING, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_interp::program::sampler::{GatherOffsets, LodSource, Lookup, Reference, TextureUnit};
use triglyph_testkit::fragment::NEAREST;

const PLAIN: TextureKey = TextureKey { unnormalized: true, wrap: [Wrap::ClampToEdge; 3], ..NEAREST };

/// Texels whose red is their number, green ten times as much, and so on.
fn numbered(count: u32) -> Vec<u32> {
    let texel = |n: u32| [1.0, 10.0, 100.0, 1000.0].map(|scale| (n as f32 * scale).to_bits());
    (0..count).flat_map(texel).chain([0; PADDING]).collect()
}

fn texture<'a>(texels: &'a [u32], levels: &[Level], layers: u32) -> Texture<'a> {
    let last = levels[levels.len() - 1];
    Texture {
        texels,
        layers,
        layer_texels: last.offset + last.width * last.height * last.depth,
        level_count: levels.len() as u32,
        levels: std::array::from_fn::<_, LEVELS, _>(|i| *levels.get(i).unwrap_or(&last)),
        border: [-1.0; 4],
        lod_max: 15.0,
        ..Texture::default()
    }
}

const FOUR: [Level; 1] = [Level { offset: 0, width: 4, height: 4, depth: 1 }];

fn at(s: f32, t: f32) -> Lookup {
    Lookup { reference: Reference::Missing, ..Lookup::new([s, t, 0.0, 0.0], LodSource::Level(0.0)) }
}

#[test]
fn offsets_move_the_texel_before_it_is_wrapped() {
    let texels = numbered(16);
    let texture = texture(&texels, &FOUR, 1);
    let red = |wrap: Wrap, offset: [i32; 3]| {
        let key = TextureKey { wrap: [wrap; 3], ..PLAIN };
        TextureUnit { key: &key, texture: &texture }.look_up(&Lookup { offset, ..at(1.5, 1.5) })[0]
    };
    assert_eq!(red(Wrap::ClampToEdge, [0; 3]), 5.0);
    assert_eq!(red(Wrap::ClampToEdge, [1, -1, 7]), 2.0);
    assert_eq!(red(Wrap::ClampToEdge, [-8, 8, 0]), 12.0);
    assert_eq!(red(Wrap::Repeat, [-2, 3, 0]), 3.0);
    assert_eq!(red(Wrap::Border, [-2, 0, 0]), -1.0);
    let linear = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..PLAIN };
    let unit = TextureUnit { key: &linear, texture: &texture };
    assert_eq!(unit.look_up(&Lookup { offset: [1, 1, 0], ..at(1.0, 1.0) })[0], 7.5);
}

#[test]
fn a_gather_goes_around_its_place() {
    let texels = numbered(16);
    let texture = texture(&texels, &FOUR, 1);
    let unit = TextureUnit { key: &PLAIN, texture: &texture };
    assert_eq!(unit.gather(&at(2.0, 2.0), 0, GatherOffsets::Common), [9.0, 10.0, 6.0, 5.0]);
    assert_eq!(unit.gather(&at(2.0, 2.0), 1, GatherOffsets::Common), [90.0, 100.0, 60.0, 50.0]);
    let moved = Lookup { offset: [1, -1, 0], ..at(2.0, 2.0) };
    assert_eq!(unit.gather(&moved, 0, GatherOffsets::Common), [6.0, 7.0, 3.0, 2.0]);
    let each = GatherOffsets::Each([[0, 0], [2, 0], [0, 2], [-1, -1]]);
    assert_eq!(unit.gather(&at(2.0, 2.0), 0, each), [5.0, 7.0, 13.0, 0.0]);
    let swizzled = TextureKey { swizzle: [Source::Blue, Source::One, Source::Zero, Source::Red], ..PLAIN };
    let unit = TextureUnit { key: &swizzled, texture: &texture };
    assert_eq!(unit.gather(&at(2.0, 2.0), 0, GatherOffsets::Common), [900.0, 1000.0, 600.0, 500.0]);
    assert_eq!(unit.gather(&at(2.0, 2.0), 1, GatherOffsets::Common), [1.0; 4]);
}

#[test]
fn references_are_operands() {
    let texels = numbered(16);
    let texture = texture(&texels, &FOUR, 1);
    let key = TextureKey {
        magnify: Filter::Linear,
        minify: Filter::Linear,
        compare: Some(Compare::GreaterEqual),
        swizzle: [Source::Red, Source::Zero, Source::Alpha, Source::One],
        ..PLAIN
    };
    let unit = TextureUnit { key: &key, texture: &texture };
    let with = |reference: f32| Lookup { reference: Reference::Operand(reference), ..at(2.0, 2.0) };
    // Texels 5, 6, 9, 10, half of each row.
    assert_eq!(unit.look_up(&with(6.0)), [0.75, 0.0, 0.75, 1.0]);
    assert_eq!(unit.gather(&with(6.0), 3, GatherOffsets::Common), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(unit.look_up(&at(2.0, 2.0)), [7.5, 0.0, 7500.0, 1.0]);
    let clamped = TextureKey { clamp_reference: true, ..key };
    let unit = TextureUnit { key: &clamped, texture: &texture };
    assert_eq!(unit.look_up(&with(6.0)), [1.0, 0.0, 1.0, 1.0]);
    let without = TextureKey { compare: None, ..key };
    assert_eq!(TextureUnit { key: &without, texture: &texture }.look_up(&with(6.0))[0], 7.5);
}

#[test]
fn fetches_are_by_number() {
    let levels = [FOUR[0], Level { offset: 16, width: 2, height: 2, depth: 1 }];
    let texels = numbered(40);
    let texture = Texture { samples: 2, ..texture(&texels, &levels, 2) };
    let key = TextureKey {
        shape: Shape::D2Array,
        swizzle: [Source::One, Source::Red, Source::OneInteger, Source::Zero],
        ..PLAIN
    };
    let unit = TextureUnit { key: &key, texture: &texture };
    let one = f32::from_bits(1);
    assert_eq!(unit.fetch([3, 2, 9], 0, 0), [1.0, 11.0, one, 0.0]);
    assert_eq!(unit.fetch([1, 1, 0], 1, 1), [1.0, 39.0, one, 0.0]);
    for (place, layer, level) in [
        ([4, 0, 0], 0, 0),
        ([-1, 0, 0], 0, 0),
        ([0, i32::MIN, 0], 0, 0),
        ([0, 0, 0], 2, 0),
        ([0, 0, 0], u32::MAX, 0),
        ([0, 0, 0], 0, 2),
        ([0, 0, 0], 0, -1),
        ([2, 0, 0], 0, 1),
    ] {
        assert_eq!(unit.fetch(place, layer, level), [0.0; 4], "{place:?} of layer {layer}, level {level}");
    }
    assert_eq!(
        (unit.query_size(1), unit.query_size(2), unit.query_size(-1)),
        ([2, 2, 1, 2], [0, 0, 0, 2], [0, 0, 0, 2])
    );
    let sizes = |shape| TextureUnit { key: &TextureKey { shape, ..key }, texture: &texture }.query_size(1);
    assert_eq!([Shape::D1, Shape::D1Array].map(sizes), [[2, 0, 0, 2], [2, 1, 0, 2]]);
    assert_eq!([Shape::D2, Shape::Cube, Shape::D3].map(sizes), [[2, 2, 0, 2], [2, 2, 0, 2], [2, 2, 1, 2]]);
}

#[test]
fn levels_can_be_asked_for() {
    let levels = [
        Level { offset: 0, width: 8, height: 8, depth: 1 },
        Level { offset: 64, width: 4, height: 4, depth: 1 },
        Level { offset: 80, width: 2, height: 2, depth: 1 },
    ];
    let texels = numbered(84);
    let texture = Texture { lod_bias: 0.5, lod_max: 1.75, ..texture(&texels, &levels, 1) };
    let query = |mipmap, level: f32| {
        let key = TextureKey { mipmap, ..PLAIN };
        let lookup = Lookup { lod_source: LodSource::Level(level), ..at(0.0, 0.0) };
        TextureUnit { key: &key, texture: &texture }.query_level(&lookup)
    };
    assert_eq!(query(Some(Filter::Linear), 0.75), [320, 320]);
    assert_eq!(query(Some(Filter::Nearest), 0.75), [320, 256]);
    assert_eq!(query(Some(Filter::Linear), 9.0), [2432, 448]);
    assert_eq!(query(Some(Filter::Linear), -3.0), [-640, 0]);
    assert_eq!(query(None, 9.0), [2432, 0]);
    assert_eq!(query(Some(Filter::Linear), f32::NAN), [-32768, 0]);
    assert_eq!(query(Some(Filter::Linear), f32::INFINITY), [32767, 448]);
}

#[test]
fn srgb_is_linear_before_it_is_filtered() {
    let texels = [0x8000_0000, 0xFFFF_80FF, 0, 0, 0, 0];
    let levels = [Level { offset: 0, width: 2, height: 1, depth: 1 }];
    let texture = texture(&texels, &levels, 1);
    let key = TextureKey { texels: Texels::Srgb8, magnify: Filter::Linear, minify: Filter::Linear, ..PLAIN };
    let unit = TextureUnit { key: &key, texture: &texture };
    let [r, g, b, a] = unit.look_up(&at(1.0, 0.5));
    assert_eq!((r, g, b), (0.5, LINEAR[0x80] * 0.5, 0.5));
    let low = 128.0 * (1.0 / 255.0);
    assert_eq!(a, low + (255.0 * (1.0 / 255.0) - low) * 0.5);
    assert_eq!(unit.fetch([1, 0, 0], 0, 0), [1.0, LINEAR[0x80], 1.0, 1.0]);
}

/// A cube whose faces are single texels with a border that says which one it is.
#[test]
fn seamless_cubes_read_their_border() {
    // Rows of three texels; the face's own is the middle one.
    let texels = numbered(6 * 9);
    let levels = [Level { offset: 4, width: 1, height: 1, depth: 1 }];
    let texture = Texture { layer_texels: 9, ..texture(&texels, &levels, 6) };
    let key = TextureKey {
        shape: Shape::Cube,
        unnormalized: false,
        magnify: Filter::Linear,
        minify: Filter::Linear,
        seamless: true,
        ..PLAIN
    };
    let unit = TextureUnit { key: &key, texture: &texture };
    let lookup = |direction: [f32; 3]| {
        let [x, y, z] = direction;
        unit.look_up(&Lookup { at: [x, y, z, 0.0], ..at(0.0, 0.0) })[0]
    };
    // The middle of +x is its texel; at an edge half of the border's; s is -z, t is -y.
    assert_eq!(lookup([1.0, 0.0, 0.0]), 4.0);
    // At the edges of two faces z comes first, then y.
    assert_eq!(lookup([1.0, 0.0, 1.0]), 40.5);
    assert_eq!(lookup([1.0, 0.0, -1.0]), 48.5);
    assert_eq!(lookup([1.0, 1.0, 0.0]), 22.5);
    assert_eq!(lookup([1.0, -1.0, -1.0]), 5.0 * 9.0 + (3.0 + 4.0 + 6.0 + 7.0) / 4.0);
    assert_eq!(lookup([0.0, 0.0, -2.0]), 5.0 * 9.0 + 4.0);
}
