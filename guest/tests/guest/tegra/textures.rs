//! Texture headers and samplers of the Tegra X1 as units of the shared samplers.

use std::collections::BTreeSet;

use triglyph_guest::format::{Arrangement, Coding, Form};
use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::kernel::program::sampler::{
    Compare, Filter, LINEAR, PADDING, Reduction, Shape, Source, Texels, Wrap,
};
use triglyph_guest::layout::Blocks;
use triglyph_guest::tegra::format::{Coding as FormatCoding, TextureFormat};
use triglyph_guest::tegra::header::sampler::MinFilter;
use triglyph_guest::tegra::header::texture::{ComponentSource, ComponentType};
use triglyph_guest::tegra::header::{Sampler, TextureHeader};
use triglyph_guest::tegra::texture::{TextureImage, TextureProblem, image, unit};
use triglyph_testkit::data::json;
use triglyph_testkit::random::words;

fn documented(list: &str, name: &str) -> [u32; 8] {
    let json = json("tegra/vectors/tic_tsc.json");
    let found = json[list].as_array().expect("a list").iter().find(|entry| entry["name"] == name);
    let words = found.unwrap_or_else(|| panic!("no {name}"))["words"].as_array().expect("a list").clone();
    std::array::from_fn(|i| {
        let word = words[i].as_str().expect("a word").trim_start_matches("0x");
        u32::from_str_radix(word, 16).expect("hexadecimal digits")
    })
}

fn header(name: &str) -> TextureHeader {
    TextureHeader::decode(&documented("texture_headers", name)).expect("a version that exists")
}

fn sampler(name: &str) -> Sampler {
    Sampler::decode(&documented("samplers", name))
}

fn plain(header: &TextureHeader, shape: Shape) -> TextureImage {
    image(header, shape, false, false).unwrap_or_else(|problem| panic!("{problem}: {header:?}"))
}

fn blocks(arrangement: Arrangement) -> Blocks {
    let Arrangement::Blocks(blocks) = arrangement else { panic!("{arrangement:?}") };
    blocks
}

#[test]
fn documented_headers_are_images() {
    let found = plain(&header("rgba8_2d"), Shape::D2);
    assert_eq!((found.address, found.layout.bytes()), (0x5_0001_0000, 0x3C_0000));
    assert_eq!((found.layout.levels.len(), found.layout.levels[0].size), (1, [1280, 720, 1]));

    // 100x60 with seven levels; offsets of the worked example in the documentation.
    let found = plain(&header("bgra8_view_of_rgba8_memory_srgb"), Shape::D2);
    let offsets: Vec<u32> = found.layout.levels.iter().map(|level| level.offset).collect();
    assert_eq!(offsets, [0, 0x7000, 0x9000, 0x9800, 0x9A00, 0x9C00, 0x9E00]);
    assert_eq!((found.address, found.layout.coding.texels()), (0x4_FFFF_F200, Texels::Srgb8));

    // Levels 1 to 4 of six layers; the address stays that of level 0.
    let found = plain(&header("bc1_array_level_subset"), Shape::D2Array);
    let levels: Vec<_> = found.layout.levels.iter().map(|level| (level.offset, level.size[0])).collect();
    assert_eq!(levels, [(0x20000, 256), (0x28000, 128), (0x2A000, 64), (0x2A800, 32)]);
    assert_eq!((found.layout.layers, found.layout.layer_stride), (6, 0x2C000));

    assert_eq!(plain(&header("cube"), Shape::Cube).layout.layers, 6);
    assert_eq!(plain(&header("cube_array"), Shape::CubeArray).layout.layers, 24);
    assert_eq!(plain(&header("cube"), Shape::D2Array).layout.layers, 6);

    let found = plain(&header("3d"), Shape::D3);
    assert_eq!((found.layout.levels[0].size, found.layout.levels[5].size), ([32; 3], [1; 3]));

    let found = plain(&header("msaa4"), Shape::D2);
    assert_eq!(found.layout.form, Form::Samples(vec![[0, 0], [1, 0], [0, 1], [1, 1]]));
    assert_eq!((found.layout.levels[0].size, found.layout.sampler_levels()[0].width), ([1280, 720, 1], 640));
    assert_eq!(found.layout.decoded_layers(), 4);

    let found = plain(&header("pitch_640x480"), Shape::D2);
    assert_eq!(found.layout.levels[0].arrangement, Arrangement::Rows { pitch: 2560, slice: 0 });
    let found = plain(&header("buffer_r32f"), Shape::D1);
    assert_eq!((found.layout.levels[0].size, found.layout.bytes()), ([100_000, 1, 1], 400_000));
}

/// Titles have headers with more levels than halving gives: a level after that of one texel is one texel, too.
#[test]
fn headers_may_count_more_levels_than_there_are_sizes() {
    let header = TextureHeader { width: 4, height: 2, levels: 16, last_level: 15, ..header("rgba8_2d") };
    let found = plain(&header, Shape::D2);
    assert_eq!(found.layout.levels.len(), 16);
    assert_eq!(found.layout.levels.iter().map(|level| level.size[0]).take(4).collect::<Vec<_>>(), [4, 2, 1, 1]);
    assert_eq!(found.layout.levels[15].size, [1; 3]);
    assert!(found.layout.levels.windows(2).all(|pair| pair[0].offset < pair[1].offset));
}

#[test]
fn what_is_not_there_is_a_problem() {
    assert_eq!(image(&header("null"), Shape::D2, false, false), Err(TextureProblem::Null));
    let cube = header("cube");
    for shape in [Shape::D1, Shape::D1Array, Shape::D3] {
        assert!(matches!(image(&cube, shape, false, false), Err(TextureProblem::Shape { .. })), "{shape:?}");
    }
    let flat = header("rgba8_2d");
    assert!(matches!(image(&flat, Shape::Cube, false, false), Err(TextureProblem::Shape { .. })));
    let untyped = TextureHeader { types: [None; 4], ..flat };
    assert!(matches!(image(&untyped, Shape::D2, false, false), Err(TextureProblem::Format { format: 8, .. })));
}

/// The texels of a row, one after the other and all at once.
#[test]
fn texels_of_every_format_are_decoded_side_by_side() {
    const WIDTH: usize = 5;
    let mut random = words(7);
    let mut sizes = BTreeSet::new();
    let kinds: Vec<ComponentType> = (0..8).filter_map(ComponentType::from_register).collect();
    for (&format, &kind) in TextureFormat::ALL.iter().flat_map(|f| kinds.iter().map(move |kind| (f, kind))) {
        let header = TextureHeader { format: Some(format), types: [Some(kind); 4], ..header("buffer_r32f") };
        let Ok(found) = image(&header, Shape::D1, false, false) else { continue };
        let bytes = usize::from(format.row().bytes);
        if format.row().width != 1 {
            continue;
        }
        sizes.insert(bytes);
        let source: Vec<u8> = (0..WIDTH * bytes).map(|_| random() as u8).collect();
        let decoded = |source: &[u8], width: usize| {
            let mut layout = found.layout.clone();
            layout.levels[0].size[0] = width as u32;
            let mut out = vec![0; layout.words() as usize];
            layout.decode(source, &mut out);
            out.truncate(out.len() - PADDING);
            out
        };
        let each: Vec<u32> = source.chunks(bytes).flat_map(|texel| decoded(texel, 1)).collect();
        assert_eq!(decoded(&source, WIDTH), each, "{format:?} {kind:?}");
    }
    assert_eq!(sizes, BTreeSet::from([1, 2, 4, 8, 12, 16]));
}

#[test]
fn components_are_routed() {
    use Source::{Alpha, Blue, Green, One, Red, Zero};
    let linear = sampler("trilinear_wrap_aniso16");
    let swizzle = |name: &str, shape| unit(&header(name), &linear, shape, false).expect("it exists").key.swizzle;
    assert_eq!(swizzle("rgba8_2d", Shape::D2), [Red, Green, Blue, Alpha]);
    assert_eq!(swizzle("bgra8_view_of_rgba8_memory_srgb", Shape::D2), [Blue, Green, Red, Alpha]);
    assert_eq!(swizzle("depth_stencil_as_depth", Shape::D2), [Green; 4]);
    assert_eq!(swizzle("buffer_r32f", Shape::D1), [Red, Zero, Zero, One]);
    let stencil = unit(&header("depth_stencil_as_stencil"), &linear, Shape::D2, false).expect("it exists");
    assert_eq!(stencil.key.swizzle[0], Red);
    // Integers are not filtered, neither in a level nor between levels.
    assert_eq!((stencil.key.magnify, stencil.key.minify, stencil.key.mipmap), {
        let nearest = Filter::Nearest;
        (nearest, nearest, Some(nearest))
    });
    let color = unit(&header("rgba8_2d"), &linear, Shape::D2, false).expect("it exists");
    assert_eq!((color.key.magnify, color.key.mipmap), (Filter::Linear, Some(Filter::Linear)));
}

#[test]
fn depth_is_compared_wherever_the_format_has_it() {
    let shadow = sampler("shadow_lequal_edge");
    let header = header("depth_stencil_as_depth");
    let found = unit(&header, &shadow, Shape::D2, true).expect("it exists");
    // reference <= texel
    assert_eq!((found.key.compare, found.key.clamp_reference), (Some(Compare::GreaterEqual), true));
    let Coding::Packed(format) = found.image.layout.coding else { panic!("{:?}", found.image.layout.coding) };
    assert_eq!(format.channels[0], Channel::Unorm(Bits { shift: 8, bits: 24 }));
    assert_eq!(format.channels[1], Channel::Uint(Bits { shift: 0, bits: 8 }));
    assert_eq!(found.key.swizzle, [Source::Red; 4]);
    let without = unit(&header, &shadow, Shape::D2, false).expect("it exists");
    assert_eq!((without.key.compare, without.key.swizzle), (None, [Source::Green; 4]));
}

#[test]
fn samplers_say_the_rest() {
    let rgba = header("rgba8_2d");
    let border = unit(&rgba, &sampler("point_clamp_border"), Shape::D2, false).expect("it exists");
    assert_eq!(border.border, [255.0, 127.0, 64.0, 255.0]);
    assert!(border.key.wrap.contains(&Wrap::Border) && !border.key.unnormalized);
    // It does not go through the routing of components: b, a, 0, r of the result are what it says.
    let sources = [Some(ComponentSource::B), Some(ComponentSource::A), None, Some(ComponentSource::R)];
    let routed = unit(&TextureHeader { sources, ..rgba }, &sampler("point_clamp_border"), Shape::D2, false);
    let [red, _, blue, alpha] = routed.expect("it exists").border;
    assert_eq!([blue, alpha, red], [255.0, 127.0, 255.0]);
    // The colour of nxgputests' sampler_clamp_to_border_custom; nothing is below black.
    let of = |color: [f32; 4]| {
        let sampler = Sampler { border: color.map(f32::to_bits), ..sampler("point_clamp_border") };
        unit(&rgba, &sampler, Shape::D2, false).expect("it exists").border.map(f32::to_bits)
    };
    assert_eq!(of([0.2, 0.8, 0.3, 0.5]), [51.0, 204.0, 76.0, 127.0].map(f32::to_bits));
    assert_eq!(of([-1.0, f32::NAN, 2.0, 0.001]), [0.0, 0.0, 255.0, 0.0].map(f32::to_bits));
    let biased = sampler("bias_plus_1_25_lod_1_to_3_5");
    let found = unit(&rgba, &biased, Shape::D2, false).expect("it exists");
    assert_eq!((found.lod_bias, found.lod_range), (1.25, [1.0, 3.5]));
    assert_eq!(found.key.wrap[..2], [Wrap::Mirror, Wrap::MirrorOnceToEdge]);
    let subset = unit(&header("bc1_array_level_subset"), &biased, Shape::D2Array, false).expect("it exists");
    assert_eq!(subset.lod_range, [1.5, 3.5]);
    let pixels = sampler("bias_minus_2_unnormalised_max_reduction");
    let pixels = unit(&rgba, &pixels, Shape::D2, false).expect("it exists");
    assert!(pixels.key.unnormalized && pixels.key.reduction == Reduction::Maximum);
    let pitch = unit(&header("pitch_640x480"), &biased, Shape::D2, false).expect("it exists");
    assert!(pitch.key.unnormalized);
    // Anisotropy is for linear filters of two axes.
    let anisotropic = |shape, min| unit(&rgba, &Sampler { max_anisotropy: 6, min, ..biased }, shape, false);
    for (min, expected) in [(MinFilter::Anisotropic, 6), (MinFilter::Linear, 6), (MinFilter::Point, 1)] {
        assert_eq!(anisotropic(Shape::D2, min).expect("it exists").key.anisotropy, expected, "{min:?}");
    }
    // A header may ask for more: Mesa's resolve of 8 samples, four by two texels, takes two taps so.
    let own = header("negative_lod_bias");
    let linear = Sampler { max_anisotropy: 2, min: MinFilter::Linear, ..biased };
    assert_eq!(unit(&own, &linear, Shape::D2, false).expect("it exists").key.anisotropy, 8);
    let ignored = TextureHeader { uses_own_lod: false, ..own };
    assert_eq!(unit(&ignored, &linear, Shape::D2, false).expect("it exists").key.anisotropy, 2);
}

#[test]
fn samplers_say_what_srgb_means() {
    let rgba = header("rgba8_2d");
    let srgb = TextureHeader { srgb: true, ..rgba };
    // Bytes of sRGB that have nothing to do with the other colour.
    let sampler = Sampler { srgb_border: [0x80, 0xFF, 1], ..sampler("point_clamp_border") };
    let found = unit(&srgb, &sampler, Shape::D2, false).expect("it exists");
    assert_eq!((found.key.texels, found.border), (Texels::Srgb8, [LINEAR[0x80], 1.0, LINEAR[1], 1.0]));
    assert!((0.2..0.22).contains(&found.border[0]));
    let half = Sampler { border: [0x3F00_0000; 4], ..sampler };
    assert_eq!(unit(&srgb, &half, Shape::D2, false).expect("it exists").border[3], 127.0 * (1.0 / 255.0));
    // Others have the colour in floats.
    let other = unit(&rgba, &sampler, Shape::D2, false).expect("it exists");
    assert_eq!((other.key.texels, other.border), (Texels::Rgba8, [255.0, 127.0, 64.0, 255.0]));
    // Without conversion the texels are those of the same format that is not sRGB, of compressed ones too.
    for (name, shape) in [("rgba8_2d", Shape::D2), ("bc1_array_level_subset", Shape::D2Array)] {
        let [plain, srgb] = [false, true].map(|srgb| TextureHeader { srgb, ..header(name) });
        let of = |header: &TextureHeader, srgb| unit(header, &Sampler { srgb, ..sampler }, shape, false);
        assert_eq!(of(&srgb, false), of(&plain, true), "{name}");
        assert_ne!(of(&srgb, true), of(&plain, true), "{name}");
    }
}

/// A header of a format with one type for all components.
fn formatted(format: TextureFormat, kind: u32) -> TextureHeader {
    let mut words = documented("texture_headers", "rgba8_2d");
    words[0] = words[0] & !0x7_FFFF | format.bits() | [7, 10, 13, 16].iter().map(|shift| kind << shift).sum::<u32>();
    // 37 by 21 texels in blocks of two GOBs.
    words[3] = words[3] & !0x38 | 1 << 3;
    words[4] = words[4] & !0xFFFF | 36;
    words[5] = words[5] & !0xFFFF | 20;
    TextureHeader::decode(&words).expect("a version that exists")
}

/// Every format in every type decodes to as many texels as the image has, and block-linear images to the same ones as
/// rows.
#[test]
fn every_format_decodes() {
    let mut rng = words(0x7E6);
    let mut decoded = 0;
    for &format in TextureFormat::ALL {
        for kind in 1..8 {
            let header = formatted(format, kind);
            let found = match image(&header, Shape::D2, false, false) {
                Ok(found) => found,
                Err(problem) => {
                    assert_eq!(format.row().coding, FormatCoding::Coverage, "{problem}");
                    continue;
                }
            };
            let mut layout = found.layout;
            let source: Vec<u8> = (0..layout.bytes()).map(|_| rng() as u8).collect();
            let mut texels = vec![0; layout.words() as usize];
            layout.decode(&source, &mut texels);
            assert_eq!(texels.len(), 37 * 21 * layout.coding.texels().words() + PADDING);
            let (across, down, bytes) = layout.coding.block();
            let (columns, rows) = (37u32.div_ceil(across), 21u32.div_ceil(down));
            let place = blocks(layout.levels[0].arrangement);
            let mut in_rows = Vec::new();
            for (y, x) in (0..rows).flat_map(|y| (0..columns * bytes).map(move |x| (y, x))) {
                in_rows.push(source[place.offset(x, y, 0) as usize]);
            }
            layout.levels[0].arrangement = Arrangement::Rows { pitch: columns * bytes, slice: 0 };
            let mut expected = vec![0; layout.words() as usize];
            layout.decode(&in_rows, &mut expected);
            assert!(texels == expected, "{} of type {kind}", format.name());
            decoded += 1;
        }
    }
    assert!(decoded > 400, "{decoded} formats and types");
}

/// Whatever words a header and a sampler hold, there is an image or a problem.
#[test]
fn random_headers() {
    let mut rng = words(0xC0DE);
    let shapes = [Shape::D1, Shape::D2, Shape::D3, Shape::Cube, Shape::D1Array, Shape::D2Array, Shape::CubeArray];
    let mut images = 0;
    for i in 0..20_000 {
        let mut words: [u32; 8] = std::array::from_fn(|_| rng());
        if i % 2 == 0 {
            // Kinds, blocks and samples that are mostly valid.
            words[2] = words[2] & !0xE0_0000 | 3 << 21;
            words[3] &= !0x1CB4;
            words[4] &= !0x600_0000;
            words[7] &= !0xC00;
        }
        let sampler = Sampler::decode(&std::array::from_fn(|_| rng()));
        let Ok(header) = TextureHeader::decode(&words) else { continue };
        for shape in shapes {
            if let Ok(unit) = unit(&header, &sampler, shape, rng() & 1 != 0) {
                let layout = &unit.image.layout;
                assert!(!layout.levels.is_empty() && layout.layers > 0);
                let _ = (layout.bytes(), layout.words(), layout.sampler_levels());
                images += 1;
            }
        }
    }
    assert!(images > 1000, "{images} images");
}
