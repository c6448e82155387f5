//! Texture units: texel formats, coordinates, wrapping, filters, levels.

use std::sync::atomic::AtomicU8;

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::{Filter, Primitive, Texture, TextureConstants, TextureKey, TextureKind, Wrap};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::layout::morton;
use triglyph_interp::pixel::texel;
use triglyph_testkit::data::{bytes, color, items, json, numbers};
use triglyph_testkit::pica::block::{COORDINATES, Scene};
use triglyph_testkit::pica::nearest;
use triglyph_testkit::pica::scene::set_up;
use triglyph_testkit::pica::take;

#[test]
fn texels_of_every_format() {
    // Column 3, row 2 is the texel at Morton index 13; the second tile of a level of 16 texels a row begins at 64.
    let index = 64 + morton(3, 2) as usize;
    for (format, stored, want) in [
        (TexelFormat::Rgba8, &[4, 3, 2, 1][..], [1, 2, 3, 4]),
        (TexelFormat::Rgb8, &[3, 2, 1], [1, 2, 3, 255]),
        (TexelFormat::Rgb5A1, &[0x01, 0xF8], [255, 0, 0, 255]),
        (TexelFormat::Rgb565, &[0xE0, 0x07], [0, 255, 0, 255]),
        (TexelFormat::Rgba4, &[0x34, 0x12], [17, 34, 51, 68]),
        (TexelFormat::Ia8, &[9, 8], [8, 8, 8, 9]),
        (TexelFormat::Rg8, &[9, 8], [8, 9, 0, 255]),
        (TexelFormat::I8, &[9], [9, 9, 9, 255]),
        (TexelFormat::A8, &[9], [0, 0, 0, 9]),
        (TexelFormat::Ia4, &[0x3F], [51, 51, 51, 255]),
    ] {
        let mut memory = vec![0xEE; 128 * stored.len()];
        memory[index * stored.len()..][..stored.len()].copy_from_slice(stored);
        let memory = window::buffer(&memory);
        assert_eq!(texel(format, Window::new(&memory), 11, 2, 16), want, "{format:?}");
        // Beyond the window everything is zero bytes.
        let _ = texel(format, Window::new(&memory[..index * stored.len() + 1]), 11, 2, 16);
    }
    let mut memory = vec![0xEE; 64];
    memory[index / 2] = 0x21;
    let memory = window::buffer(&memory);
    let level = Window::new(&memory);
    // An even index is the low nibble.
    assert_eq!(texel(TexelFormat::I4, level, 11, 2, 16), [34, 34, 34, 255]);
    assert_eq!(texel(TexelFormat::I4, level, 10, 2, 16), [17, 17, 17, 255]);
    assert_eq!(texel(TexelFormat::A4, level, 10, 2, 16), [0, 0, 0, 17]);
}

#[test]
fn compressed_blocks() {
    let vectors = json("3ds/vectors/etc1.json");
    let groups =
        [("etc1", TexelFormat::Etc1, "block_bytes_in_memory"), ("etc1a4", TexelFormat::Etc1A4, "bytes_in_memory")];
    for (group, format, field) in groups {
        for case in items(&vectors[group]) {
            let block = bytes(&case[field]);
            // As each of the four blocks of the second tile.
            for (number, (left, top)) in [(8, 0), (12, 0), (8, 4), (12, 4)].into_iter().enumerate() {
                let mut memory = vec![0; 8 * block.len()];
                memory[(4 + number) * block.len()..][..block.len()].copy_from_slice(&block);
                let memory = window::buffer(&memory);
                for (y, row) in items(&case["texels_rgba_row_by_row"]).iter().enumerate() {
                    for (x, want) in items(row).iter().enumerate() {
                        let got = texel(format, Window::new(&memory), left + x as u32, top + y as u32, 16);
                        assert_eq!(got, color(want), "{} block {number} {x} {y}", case["name"]);
                    }
                }
            }
        }
    }
}

#[test]
fn differential_bases_wrap_in_five_bits() {
    // Both halves take modifier +2 of table 0. (first base, difference) of red; 5 bits widened to 8.
    for (first, difference, second) in [(31, 3, 2), (0, -4, 28), (1, -2, 31), (29, 2, 31), (7, -3, 4)] {
        let bits = (first as u64) << 3 | (difference & 7) as u64;
        let block = (bits << 56 | 1 << 33).to_le_bytes();
        let memory = window::buffer(&[block; 4].concat());
        let red = |x| i32::from(texel(TexelFormat::Etc1, Window::new(&memory), x, 0, 8)[0]);
        let wide = |base: i32| ((base << 3 | base >> 2) + 2).min(255);
        assert_eq!([red(1), red(2)], [wide(first), wide(second)], "{first} {difference}");
    }
}

#[test]
fn every_compressed_block_has_colors() {
    let mut noise = triglyph_testkit::random::Random::new(7);
    for _ in 0..500 {
        let block: Vec<u8> = (0..32).map(|_| noise.word() as u8).collect();
        let memory = window::buffer(&block);
        for index in 0..64 {
            texel(TexelFormat::Etc1, Window::new(&memory), index % 8, index / 8, 8);
        }
    }
}

/// An I8 level: the texel of column x, `row` from the bottom, is `value(x, row)`.
fn level(width: u32, height: u32, value: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut out = vec![0; (width * height) as usize];
    for row in 0..height {
        for x in 0..width {
            let y = height - 1 - row;
            let index = (y & !7) * width + (x & !7) * 8 + morton(x & 7, y & 7);
            out[index as usize] = value(x, row);
        }
    }
    out
}

const UNIT: TextureKey = nearest(COORDINATES);

/// A scene that shows texture unit 1, an I8 texture in `memory`.
fn textured(memory: &[AtomicU8], width: u32, height: u32, unit: TextureKey) -> Scene<'_> {
    let mut scene = Scene::default();
    scene.key.combiners.stages[0] = take(Source::Texture(1));
    scene.key.textures[1] = unit;
    scene.constants.texture[1] = TextureConstants { border: 0x0A0B_0C0D, width, height, ..Default::default() };
    scene.textures[1] = Texture { format: TexelFormat::I8, faces: [Window::new(memory); 6], ..Texture::default() };
    scene
}

/// What a scene shows at u, v, w.
fn at(scene: &mut Scene<'_>, coordinates: [f32; 3]) -> [u8; 4] {
    for (varying, value) in scene.varyings.iter_mut().zip(coordinates) {
        *varying = [value; 3];
    }
    scene.pixel()
}

#[test]
fn nearest_texels_with_v_upwards() {
    let memory = window::buffer(&level(16, 8, |x, row| (x + 16 * row) as u8));
    let mut scene = textured(&memory, 16, 8, UNIT);
    for (u, v, want) in [(0.0, 0.0, 0), (0.999, 0.0, 15), (0.0, 0.999, 112), (0.5, 0.5, 72), (-0.01, 1.01, 15)] {
        assert_eq!(at(&mut scene, [u, v, 1.0])[0], want, "{u} {v}");
    }
    // The products are kept within 2^20; NaN is the low end.
    assert_eq!(at(&mut scene, [f32::NAN, f32::INFINITY, 1.0]), [0, 0, 0, 255]);
}

#[test]
fn disabled_and_null_units() {
    let memory = window::buffer(&[9; 64]);
    let mut scene = textured(&memory, 8, 8, TextureKey::DISABLED);
    assert_eq!(scene.pixel(), [0; 4]);
    scene.key.textures[1].kind = TextureKind::Null;
    assert_eq!(scene.pixel(), [0, 0, 0, 255]);
}

/// Wrap modes 4 to 7: hardware tests.
#[test]
fn wrap_modes() {
    const BORDER: i32 = -1;
    let memory = window::buffer(&level(8, 8, |x, row| (x + 8 * row) as u8));
    let edges = [-9, -8, -1, 0, 7, 8, 15, 16, 17];
    for (mode, wants) in [
        (Wrap::Edge, [0, 0, 0, 0, 7, 7, 7, 7, 7]),
        (Wrap::Border, [BORDER, BORDER, BORDER, 0, 7, BORDER, BORDER, BORDER, BORDER]),
        (Wrap::Repeat, [7, 0, 7, 0, 7, 0, 7, 0, 1]),
        (Wrap::Mirror, [7, 7, 0, 0, 7, 7, 0, 0, 1]),
        (Wrap::RepeatThenEdge, [7, 0, 7, 0, 7, 7, 7, 7, 7]),
        (Wrap::RepeatThenBorder, [7, 0, 7, 0, 7, BORDER, BORDER, BORDER, BORDER]),
    ] {
        for (i, want) in edges.into_iter().zip(wants) {
            let coordinate = (i as f32 + 0.5) / 8.0;
            for axis in 0..2 {
                let mut unit = UNIT;
                unit.wrap[axis] = mode;
                let mut uv = [0.0, 0.0, 1.0];
                uv[axis] = coordinate;
                let got = at(&mut textured(&memory, 8, 8, unit), uv);
                let value = (want * if axis == 0 { 1 } else { 8 }) as u8;
                let want = if want == BORDER { [10, 11, 12, 13] } else { [value, value, value, 255] };
                assert_eq!(got, want, "{mode:?} {i}");
            }
        }
    }
}

#[test]
fn bilinear_weights() {
    let memory = window::buffer(&level(8, 8, |x, row| (30 * x + row) as u8));
    let unit = TextureKey { magnify: Filter::Linear, minify: Filter::Linear, ..UNIT };
    let mut scene = textured(&memory, 8, 8, unit);
    // In the middle of a texel, then a quarter towards the next.
    assert_eq!(at(&mut scene, [1.5 / 8.0, 1.5 / 8.0, 1.0])[0], 31);
    assert_eq!(at(&mut scene, [1.75 / 8.0, 1.5 / 8.0, 1.0])[0], 39);
    // Halfway between the last and the first column: (210 + 0) / 2; the wrap is each texel's own.
    assert_eq!(at(&mut scene, [0.0, 0.5 / 8.0, 1.0])[0], 105);
    scene.key.textures[1].wrap = [Wrap::Border, Wrap::Repeat];
    assert_eq!(at(&mut scene, [0.0, 0.5 / 8.0, 1.0]), [5, 6, 6, 134]);
}

#[test]
fn projected_coordinates() {
    let memory = window::buffer(&level(8, 8, |x, row| (x + 8 * row) as u8));
    let mut scene = textured(&memory, 8, 8, TextureKey { kind: TextureKind::Projected, ..UNIT });
    assert_eq!(at(&mut scene, [1.0, 3.0, 4.0])[0], 2 + 8 * 6);
}

#[test]
fn cube_faces() {
    let faces: Vec<_> =
        (0..6).map(|face| window::buffer(&level(8, 8, |x, row| (64 * (face % 4) + x + 8 * row) as u8))).collect();
    let mut scene = textured(&faces[0], 8, 8, TextureKey { kind: TextureKind::Cube, ..UNIT });
    for (window, memory) in scene.textures[1].faces.iter_mut().zip(&faces) {
        *window = Window::new(memory);
    }
    // s and t of 0.25 and -0.5 against a major axis of 1: columns and rows 5 and 2, mirrored as the face has it.
    for (direction, face, column, row) in [
        ([1.0, 0.25, -0.5], 0, 6, 3),
        ([-1.0, 0.25, -0.5], 1, 2, 3),
        ([0.25, 1.0, -0.5], 2, 5, 2),
        ([0.25, -1.0, -0.5], 3, 5, 6),
        ([0.25, -0.5, 1.0], 4, 5, 6),
        ([0.25, -0.5, -1.0], 5, 3, 6),
        // Equal axes go to the later one.
        ([0.25, 1.0, 1.0], 4, 5, 0),
    ] {
        let got = at(&mut scene, direction)[0];
        assert_eq!(got, (64 * (face % 4) + column + 8 * row) as u8, "{direction:?}");
    }
}

/// Two levels of 16x16 and 8x8 and what is seen of them when u grows by `step` texels a pixel.
fn leveled(step: f32, change: impl FnOnce(&mut TextureKey, &mut TextureConstants)) -> u8 {
    let memory: Vec<u8> = [level(16, 16, |_, _| 100), level(8, 8, |_, _| 200)].concat();
    let memory = window::buffer(&memory);
    let mut scene = textured(&memory, 16, 16, TextureKey { mipmap: Some(Filter::Nearest), ..UNIT });
    scene.constants.texture[1].lod_max = 1.0;
    // Weights of the first two vertices exchange along x; the sum is 64.
    scene.primitive = Primitive { edge: [64, 0, 0], dx: [-1, 1, 0], sum: 64.0, inv_w: [1.0; 3], ..scene.primitive };
    let (key, constants) = (&mut scene.key.textures[1], &mut scene.constants.texture[1]);
    change(key, constants);
    scene.varyings[0] = [0.0, step / 16.0 * 64.0, 0.0];
    scene.varyings[1] = [0.0; 3];
    scene.varyings[2] = [1.0; 3];
    scene.draw(u64::MAX);
    scene.color_at(3, 0)[0]
}

#[test]
fn levels_of_detail() {
    for (step, want) in [(0.5, 100), (1.0, 100), (1.4, 100), (1.5, 200), (4.0, 200), (0.0, 100)] {
        assert_eq!(leveled(step, |_, _| {}), want, "{step}");
    }
    let linear = |key: &mut TextureKey, _: &mut TextureConstants| key.mipmap = Some(Filter::Linear);
    // log2(sqrt(2)) is half a level.
    for (step, want) in [(1.0, 100), (std::f32::consts::SQRT_2, 150), (2.0, 200), (9.0, 200)] {
        assert_eq!(leveled(step, linear), want, "{step}");
    }
    assert_eq!(leveled(1.0, |_, constants| constants.lod_bias = 1.0), 200);
    assert_eq!(leveled(1.0, |_, constants| constants.lod_min = 1.0), 200);
    assert_eq!(leveled(4.0, |key, _| key.mipmap = None), 100);
    // Levels of less than one texel have nothing to show.
    assert_eq!(leveled(1024.0, |_, constants| constants.lod_max = 15.0), 0);
}

#[test]
fn slopes_of_divided_coordinates() {
    for kind in [TextureKind::Projected, TextureKind::Cube] {
        // u/w is as steep as u: the level stays.
        let change = |key: &mut TextureKey, _: &mut TextureConstants| key.kind = kind;
        let steep = if kind == TextureKind::Cube { 2.0 } else { 1.0 };
        assert_eq!(leveled(1.2 * steep, change), 100, "{kind:?}");
        assert_eq!(leveled(1.9 * steep, change), 200, "{kind:?}");
    }
}

#[test]
fn filters_change_with_the_level_of_detail() {
    let memory = window::buffer(&level(8, 8, |x, _| (x & 1) as u8 * 200));
    let unit = TextureKey { minify: Filter::Linear, ..UNIT };
    for (step, want) in [(0.5, [0, 0]), (2.0, [100, 100])] {
        let mut scene = textured(&memory, 8, 8, unit);
        scene.constants.texture[1].lod_max = 4.0;
        scene.primitive = Primitive { edge: [64, 0, 0], dx: [-1, 1, 0], sum: 64.0, ..scene.primitive };
        scene.varyings[0] = [0.0, step / 8.0 * 64.0, 0.0];
        scene.varyings[1] = [0.0; 3];
        scene.draw(u64::MAX);
        assert_eq!([scene.color_at(0, 0)[0], scene.color_at(4, 3)[0]], want, "{step}");
    }
}

#[test]
fn texels_where_their_edges_lie_under_pixel_centres() {
    let vectors = json("3ds/vectors/interpolation.json");
    for case in items(&vectors["texel_ties"]["triangles"]) {
        let corner =
            |k: usize| [0, 1].map(|axis| items(&items(&case["triangle"])[k])[axis].as_f64().expect("a float") as f32);
        let (primitive, order) = set_up([corner(0), corner(1), corner(2)]);
        let u = numbers::<3>(&case["u"]).map(|v| v as f32);
        let memory = window::buffer(&level(8, 8, |x, _| x as u8));
        let mut scene = textured(&memory, 8, 8, TextureKey { wrap: [Wrap::Edge; 2], ..UNIT });
        scene.primitive = primitive;
        scene.varyings[0] = order.map(|k| u[k]);
        scene.varyings[1] = [0.0; 3];
        for item in items(&case["texels"]) {
            let [x, y] = numbers::<2>(&items(item)[0]).map(|v| v as u32);
            scene.draw(1 << morton(x, y));
            assert_eq!(
                i64::from(scene.color_at(x, y)[0]),
                triglyph_testkit::data::number(&items(item)[1]),
                "{case} {x} {y}"
            );
        }
    }
}

/// The weights of `interpolation.json`, seen through the depth: z/w is 1 at one vertex, so depth is b/S.
#[test]
fn interpolation_weights() {
    use triglyph_guest::format::DepthFormat;
    for case in items(&json("3ds/vectors/interpolation.json")["cases"]) {
        let corner =
            |k: usize| [0, 1].map(|axis| items(&items(&case["triangle"])[k])[axis].as_f64().expect("a float") as f32);
        let (primitive, order) = set_up([corner(0), corner(1), corner(2)]);
        assert_eq!(order.map(|k| k as i64), numbers::<3>(&case["order"]));
        for vertex in 0..3 {
            let mut scene = Scene::default();
            scene.key.depth_format = Some(DepthFormat::D24);
            scene.key.depth_write = true;
            scene.constants.depth_scale = 1.0;
            scene.primitive = primitive;
            scene.primitive.z[vertex] = 1.0;
            for pixel in items(&case["pixels"]) {
                let [x, y] = numbers::<2>(&pixel["xy"]).map(|v| v as u32);
                scene.draw(1 << morton(x, y));
                let (b, sum) =
                    (numbers::<3>(&pixel["b"])[vertex] as f32, triglyph_testkit::data::number(&pixel["S"]) as f32);
                assert_eq!(scene.depth_at(x, y), (b / sum * 16_777_215.0) as u32, "{case} {pixel} {vertex}");
            }
        }
    }
}

#[test]
fn arbitrary_units_do_not_panic() {
    let mut noise = triglyph_testkit::random::Random::new(3);
    let memory = window::buffer(&(0..4096).map(|_| noise.word() as u8).collect::<Vec<_>>());
    let float = |noise: &mut triglyph_testkit::random::Random| f32::from_bits(noise.word());
    let kinds = [TextureKind::Plain, TextureKind::Projected, TextureKind::Cube];
    let filters = [Filter::Nearest, Filter::Linear];
    for _ in 0..3000 {
        let filter = |noise: &mut triglyph_testkit::random::Random| filters[noise.below(2) as usize];
        let unit = TextureKey {
            kind: kinds[noise.below(3) as usize],
            wrap: [(); 2].map(|()| Wrap::ALL[noise.below(6) as usize]),
            magnify: filter(&mut noise),
            minify: filter(&mut noise),
            mipmap: if noise.below(2) == 0 { None } else { Some(filter(&mut noise)) },
            ..UNIT
        };
        let mut scene = textured(&memory, noise.below(2048), noise.below(2048), unit);
        scene.textures[1].format = TexelFormat::ALL[noise.below(14) as usize];
        scene.constants.texture[1].lod_bias = float(&mut noise);
        scene.constants.texture[1].lod_min = noise.below(16) as f32;
        scene.constants.texture[1].lod_max = noise.below(16) as f32;
        scene.varyings = std::array::from_fn(|_| std::array::from_fn(|_| float(&mut noise)));
        scene.primitive = Primitive {
            edge: std::array::from_fn(|_| i64::from(noise.word()) << noise.below(31)),
            dx: std::array::from_fn(|_| noise.word() as i32),
            dy: std::array::from_fn(|_| noise.word() as i32),
            inv_w: std::array::from_fn(|_| float(&mut noise)),
            sum: float(&mut noise),
            ..Primitive::default()
        };
        scene.draw(u64::from(noise.word()) & 0x8000_0101);
    }
}
