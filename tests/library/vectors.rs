//! The test vectors of `tests/data/3ds/vectors`, on both tiers where a kernel is involved. Their values were computed
//! from the documentation by others (see the README there). The shader's part is in `vectors_shader.rs`.

use std::collections::BTreeSet;

use triglyph::n3ds::gsp::{Interrupt, RelayQueue, SharedPage};
use triglyph_guest::format::{PixelFormat, TexelFormat};
use triglyph_guest::kernel::combine::{Function, Source};
use triglyph_guest::kernel::pixel::{BlendFactor, Filter, Output, TextureConstants, TextureKey, TextureKind, Wrap};
use triglyph_guest::kernel::procedural::{Clamp, ProceduralData, ProceduralKey};
use triglyph_guest::layout::{Block, morton, unmorton};
use triglyph_guest::num::{F16, F20, F24, F31};
use triglyph_guest::pica::command::{Packets, unpack_f24};
use triglyph_guest::pica::regs;
use triglyph_testkit::data::{Value, bytes, color, file, floats, items, json, number, numbers, text};
use triglyph_testkit::n3ds::{Console, draw};
use triglyph_testkit::number::same;
use triglyph_testkit::pica::list::{HEAP, HEAP_VIRTUAL, VRAM, VRAM_VIRTUAL, Vertex, clip_space, draw_state};
use triglyph_testkit::pica::scene::{COORDINATES, Scene, TextureData};
use triglyph_testkit::pica::{blend, format_named, procedural, procedural_data, stage_of_three, take};
use triglyph_testkit::tiers::tiers;

/// Which tests use which file. What is not in this list has been forgotten.
const FILES: [(&str, &[&str]); 24] = [
    ("vectors/color_convert.json", &["colours_expand_and_are_cut"]),
    ("vectors/combiner_blend.json", &["combiner_functions", "blend_equations"]),
    ("vectors/command_list.json", &["packets", "packed_floats"]),
    ("vectors/display_transfer.json", &["display_transfers"]),
    ("vectors/etc1.json", &["compressed_texels"]),
    ("vectors/float24.json", &["small_floats"]),
    ("vectors/gsp_queue.json", &["interrupt_queue"]),
    ("vectors/interpolation.json", &["interpolation_weights", "texels_where_edges_lie_under_pixel_centres"]),
    ("vectors/morton.json", &["morton_order"]),
    ("vectors/proctex_noise.json", &["procedural_noise"]),
    ("vectors/raster.json", &["coverage"]),
    ("vectors/shader.json", &["instructions", "relative_addressing", "special_values"]),
    ("vectors/shader_control_flow.json", &["control_flow"]),
    ("vectors/texture_copy.json", &["texture_copies"]),
    ("shaders/alu.json", &["vertex_programs"]),
    ("shaders/branch.json", &["vertex_programs"]),
    ("shaders/fan.json", &["geometry_programs"]),
    ("shaders/flat.json", &["vertex_programs"]),
    ("shaders/loops.json", &["vertex_programs"]),
    ("shaders/madrel.json", &["vertex_programs"]),
    ("shaders/nested.json", &["nested_loops"]),
    ("shaders/special.json", &["vertex_programs"]),
    ("shaders/uniformflow.json", &["vertex_programs"]),
    ("shaders/distance.shbin", &["a_program_without_results"]),
];

#[test]
fn every_file_is_used() {
    let source = concat!(include_str!("vectors.rs"), include_str!("vectors_shader.rs"));
    for (name, tests) in FILES {
        for test in tests {
            assert!(source.contains(&format!("fn {test}()")), "{name}: there is no test {test}");
        }
    }
    let mut found = BTreeSet::new();
    for (folder, extension) in [("vectors", "json"), ("shaders", "json"), ("shaders", "shbin")] {
        for entry in std::fs::read_dir(file("data/3ds").join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            // A program with results is read by their name.
            let results = extension == "shbin" && path.with_extension("json").exists();
            if path.extension().is_some_and(|e| e == extension) && !results {
                found.insert(format!("{folder}/{}", path.file_name().expect("a name").to_string_lossy()));
            }
        }
    }
    assert_eq!(found, FILES.map(|(name, _)| name.to_owned()).into());
}

fn format(name: &Value) -> PixelFormat {
    format_named(text(name))
}

/// Colours go through the transfer engine: eight by eight times the same pixel.
#[test]
fn colours_expand_and_are_cut() {
    let vectors = json("3ds/vectors/color_convert.json");
    let number_of = |format| PixelFormat::ALL.iter().position(|other| *other == format).expect("a format") as u32;
    for (_, mut console) in Console::both() {
        let mut convert = |from: PixelFormat, to: PixelFormat, stored: &[u8]| {
            console.write(HEAP, &stored.repeat(64));
            let flags = number_of(from) << 8 | number_of(to) << 12;
            console.gx([3, HEAP_VIRTUAL, VRAM_VIRTUAL, 0x0008_0008, 0x0008_0008, flags, 0, 0]);
            let size = to.bytes() as usize;
            let pixels = console.read(VRAM, 64 * size);
            assert_eq!(pixels, pixels[..size].repeat(64), "all pixels are alike");
            pixels[..size].to_vec()
        };
        for case in items(&vectors["expand"]) {
            let word = (number(&case["word"]) as u32).to_le_bytes();
            let [r, g, b, a] = color(&case["rgba8"]);
            assert_eq!(convert(format(&case["format"]), PixelFormat::Rgba8, &word[..2]), [a, b, g, r], "{case}");
        }
        for case in items(&vectors["encode_memory_bytes"]) {
            let [r, g, b, a] = color(&case["rgba8"]);
            let got = convert(PixelFormat::Rgba8, format(&case["format"]), &[a, b, g, r]);
            assert_eq!(got, bytes(&case["bytes"]), "{case}");
        }
    }
}

/// The function of the second stage's constant, the combiner buffer and the primary colour, on every tier.
fn combine(function: Function, [a, b, c]: [[u8; 4]; 3], want: [u8; 4], what: &Value) {
    let mut scene = Scene::default();
    let sources = [Source::Constant, Source::Buffer, Source::Previous];
    scene.key.combiners.stages[1] = stage_of_three(function, sources);
    scene.constants.stage_color[1] = u32::from_be_bytes(a);
    scene.constants.buffer_color = u32::from_be_bytes(b);
    scene.primary(c);
    for (name, tier) in tiers() {
        let surfaces = scene.draw(&*tier).expect("a combiner stage is compiled");
        assert_eq!(scene.color_at(&surfaces, 5, 2), want, "{name}: {what}");
    }
}

#[test]
fn combiner_functions() {
    let vectors = json("3ds/vectors/combiner_blend.json");
    for case in items(&vectors["tev"]) {
        let function = Function::ALL[number(&case["op"]) as usize];
        let operands = ["a", "b", "c"].map(|name| [number(&case[name]) as u8; 4]);
        combine(function, operands, [number(&case["result"]) as u8; 4], case);
    }
    for case in items(&vectors["dot3"]) {
        let [a, b] = ["a", "b"].map(|name| {
            let [r, g, b] = numbers::<3>(&case[name]).map(|channel| channel as u8);
            [r, g, b, 99]
        });
        let want = number(&case["result"]) as u8;
        combine(Function::Dot3Rgb, [a, b, [0; 4]], [want, want, want, 0], case);
        combine(Function::Dot3Rgba, [a, b, [0; 4]], [want; 4], case);
    }
}

#[test]
fn blend_equations() {
    for case in items(&json("3ds/vectors/combiner_blend.json")["blend"]) {
        let field = |name: &str| number(&case[name]) as u8;
        let equation = regs::BlendEquation::from_register(number(&case["equation"]) as u32).unwrap().into();
        // The factors are in the colour and the alpha of the constant.
        let (source, destination) = (BlendFactor::ConstantColor, BlendFactor::ConstantAlpha);
        let mut scene = Scene::default();
        scene.key.output = Output::Blend(blend(equation, source, destination));
        let factor = field("src_factor");
        scene.constants.blend_color = u32::from_be_bytes([factor, factor, factor, field("dst_factor")]);
        scene.primary([field("src"); 4]);
        scene.background([field("dst"); 4]);
        for (name, tier) in tiers() {
            let surfaces = scene.draw(&*tier).expect("blending is compiled");
            let [r, g, b, _] = scene.color_at(&surfaces, 0, 0);
            assert_eq!([r, g, b], [field("result"); 3], "{name}: {case}");
        }
    }
}

#[test]
fn packets() {
    for case in items(&json("3ds/vectors/command_list.json")["packets"]) {
        let words: Vec<u32> = items(&case["words"]).iter().map(|word| number(word) as u32).collect();
        let packets: Vec<_> = Packets::new(&words).collect();
        assert_eq!(packets.len(), 1, "{case}");
        assert_eq!(packets[0].header.packet_words(), words.len(), "{case}");
        let writes: Vec<_> = packets[0].writes().map(|w| [w.id as i64, w.value.into(), w.mask.into()]).collect();
        let want: Vec<_> = items(&case["writes"]).iter().map(numbers::<3>).collect();
        assert_eq!(writes, want, "{case}");
    }
}

#[test]
fn packed_floats() {
    for case in items(&json("3ds/vectors/command_list.json")["f24_packing"]) {
        let words = numbers::<3>(&case["words"]).map(|word| word as u32);
        assert_eq!(unpack_f24(words).map(i64::from), numbers::<4>(&case["xyzw_f24"]), "{case}");
    }
}

#[test]
fn display_transfers() {
    for case in items(&json("3ds/vectors/display_transfer.json")["cases"]) {
        let size = |name: &str| numbers::<2>(&case[name]).map(|n| n as u32);
        let ([in_width, in_height], [out_width, out_height]) = (size("in_dim"), size("out_dim"));
        let (source, want) = (bytes(&case["src"]), bytes(&case["dst"]));
        for (name, mut console) in Console::both() {
            console.write(HEAP, &source);
            let (from, to) = (in_height << 16 | in_width, out_height << 16 | out_width);
            console.gx([3, HEAP_VIRTUAL, VRAM_VIRTUAL, from, to, number(&case["flags"]) as u32, 0, 0]);
            // Nothing after the picture is written.
            let got = console.read(VRAM, want.len() + 64);
            assert_eq!(got[..want.len()], want, "{name}: {}", case["name"]);
            assert_eq!(got[want.len()..], [0; 64], "{name}: {}", case["name"]);
        }
    }
}

#[test]
fn texture_copies() {
    for case in items(&json("3ds/vectors/texture_copy.json")["cases"]) {
        let field = |name: &str| number(&case[name]) as u32;
        let source: Vec<u8> = (0..512).map(|at| (at * 7 + at / 256) as u8).collect();
        let mut want = vec![0xEE; 512];
        // Where the hardware freezes nothing is copied.
        for run in case["runs"].as_array().into_iter().flatten() {
            let [to, from, length] = numbers::<3>(run).map(|v| v as usize);
            want[to..to + length].copy_from_slice(&source[from..from + length]);
        }
        for (name, mut console) in Console::both() {
            console.write(HEAP, &source);
            console.write(VRAM, &[0xEE; 512]);
            let (from, to) = (field("in_gap") << 16 | field("in_width"), field("out_gap") << 16 | field("out_width"));
            console.gx([4, HEAP_VIRTUAL, VRAM_VIRTUAL, field("size"), from, to, 8, 0]);
            assert_eq!(console.read(VRAM, 512), want, "{name}: {case}");
            assert_eq!(console.gpu.faults().total(), u64::from(case["runs"].is_null()), "{name}: {case}");
        }
    }
}

/// A texture unit that samples the nearest texel of a texture of 8x8.
fn texture(scene: &mut Scene, data: TextureData) {
    scene.key.textures[0] = TextureKey {
        kind: TextureKind::Plain,
        coordinates: COORDINATES,
        wrap: [Wrap::Edge; 2],
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        mipmap: None,
        power_of_two: true,
    };
    scene.key.combiners.stages[0] = take(Source::Texture(0));
    scene.constants.texture[0] = TextureConstants { width: 8, height: 8, ..TextureConstants::default() };
    scene.textures[0] = data;
}

#[test]
fn compressed_texels() {
    let vectors = json("3ds/vectors/etc1.json");
    let order: Vec<_> = items(&vectors["tile_block_order"]).iter().map(text).collect();
    assert_eq!(order, ["(0,0)", "(4,0)", "(0,4)", "(4,4)"]);
    for (format, cases, field) in
        [(TexelFormat::Etc1, "etc1", "block_bytes_in_memory"), (TexelFormat::Etc1A4, "etc1a4", "bytes_in_memory")]
    {
        for case in items(&vectors[cases]) {
            let block = bytes(&case[field]);
            for (index, (left, top)) in [(0, 0), (4, 0), (0, 4), (4, 4)].into_iter().enumerate() {
                let mut memory = vec![0; 4 * block.len()];
                memory[index * block.len()..][..block.len()].copy_from_slice(&block);
                let mut scene = Scene::default();
                texture(&mut scene, TextureData { format, levels: 1, faces: vec![memory] });
                for (x, y) in (0..16).map(|i| (i % 4, i / 4)) {
                    scene.set(COORDINATES[0], [(left + x) as f32 / 8.0 + 0.0625; 3]);
                    // v points upwards, rows are stored from the top.
                    scene.set(COORDINATES[1], [(7 - top - y) as f32 / 8.0 + 0.0625; 3]);
                    let want = color(&items(&items(&case["texels_rgba_row_by_row"])[y as usize])[x as usize]);
                    for (name, tier) in tiers() {
                        let surfaces = scene.draw(&*tier).expect("a texture unit is compiled");
                        assert_eq!(scene.color_at(&surfaces, 0, 0), want, "{name}: {} ({x}, {y})", case["name"]);
                    }
                }
            }
        }
    }
}

#[test]
fn small_floats() {
    let vectors = json("3ds/vectors/float24.json");
    let check = |list: &str, field: &str, decode: fn(u32) -> f32| {
        for case in items(&vectors[list]) {
            let (got, want) = (decode(number(&case[field]) as u32), f32::from_bits(number(&case["f32"]) as u32));
            assert!(same(got, want), "{case}: {got}");
        }
    };
    check("decode", "f24", F24::decode);
    check("f16_decode", "f16", F16::decode);
    check("f20_decode", "f20", F20::decode);
    check("f31_decode", "f31", F31::decode);
    for case in items(&vectors["f31_decode"]) {
        assert_eq!(number(&case["reg"]) >> 1, number(&case["f31"]), "the register holds it from bit 1 on");
    }
    for case in items(&vectors["encode"]) {
        let got = F24::encode(f32::from_bits(number(&case["f32"]) as u32));
        assert_eq!(i64::from(got), number(&case["f24_truncated"]), "{case}");
    }
}

#[test]
fn interrupt_queue() {
    let page = SharedPage::default();
    let queue = RelayQueue::new(&page, 0);
    let mut last = 0;
    for case in items(&json("3ds/vectors/gsp_queue.json")["sequence"]) {
        let mut words = text(&case["steps"]).trim_start_matches("then ").split(' ');
        let first = words.next().expect("a step");
        let (times, name) = match first.parse() {
            Ok(times) => (times, words.nth(1).expect("what is queued")),
            Err(_) => (1, first),
        };
        for _ in 0..times {
            let slot = queue.header();
            last = (u32::from(slot.first) + u32::from(slot.count)) % 0x34;
            match name {
                "PDC0" => drop(queue.push(Interrupt::Pdc0)),
                "PDC1" => drop(queue.push(Interrupt::Pdc1)),
                "PPF" => drop(queue.push(Interrupt::Ppf)),
                "P3D" => drop(queue.push(Interrupt::P3d)),
                "the" => assert_eq!(queue.pop(), Some(Interrupt::Pdc0 as u8)),
                other => panic!("{other}"),
            }
        }
        let (header, state) = (queue.header(), &case["state"]);
        let got = [header.first, header.count, header.missed_other].map(i64::from);
        assert_eq!(got, ["first", "count", "missed_other"].map(|name| number(&state[name])), "{case}");
        let missed = [0, 1].map(|screen| i64::from(queue.missed_vblanks(screen)));
        assert_eq!(missed, ["missed_pdc0", "missed_pdc1"].map(|name| number(&state[name])), "{case}");
        if let Some(slot) = case.get("slot_written") {
            assert_eq!(i64::from(last), number(slot));
            assert_eq!(i64::from(page.load_byte(0xC + last as usize)), number(&case["value"]));
        }
    }
}

#[test]
fn morton_order() {
    let vectors = json("3ds/vectors/morton.json");
    for (y, row) in items(&vectors["tile8x8_rows_y_then_x"]).iter().enumerate() {
        for (x, index) in items(row).iter().enumerate() {
            assert_eq!(i64::from(morton(x as u32, y as u32)), number(index));
        }
    }
    for (index, place) in items(&vectors["inverse_index_to_xy"]).iter().enumerate() {
        let (x, y) = unmorton(index as u32);
        assert_eq!([x, y].map(i64::from), numbers::<2>(place));
    }
    for case in items(&vectors["byte_offsets"]) {
        let field = |name: &str| number(&case[name]) as u32;
        let offset = Block::B8.index(field("x"), field("y"), field("width")) * field("bytes_per_pixel");
        assert_eq!(offset, field("offset"), "{case}");
    }
}

/// The slopes of the noise at the points of its lattice, seen by how far it moves u: a quarter of a cell from each
/// point, where it is a mean of four slopes by known weights. (The hash of one number, from which the slopes are
/// computed, shows nowhere else.)
#[test]
fn procedural_noise() {
    let vectors = json("3ds/vectors/proctex_noise.json");
    let slope = |x: usize, y: usize| -> f32 {
        -1.0 + number(&items(&items(&vectors["rand2_raw_rows_y_cols_x_8x8"])[y])[x]) as f32 * 2.0 / 15.0
    };
    let data = ProceduralData { amplitude: [0.5, 0.0], frequency: [1.0 / 9.0; 2], ..procedural_data() };
    let mut scene = Scene { procedural: Some(Box::new(data)), ..Scene::default() };
    scene.key.combiners.stages[0] = take(Source::Texture(3));
    scene.key.procedural =
        Some(ProceduralKey { clamp: [Clamp::Repeat; 2], noise: true, ..procedural([COORDINATES[0], COORDINATES[1]]) });
    for (x, y) in (0..7).flat_map(|y| (0..7).map(move |x| (x, y))) {
        let (fx, fy) = (0.25, 0.75);
        let corner = |i: usize, j: usize| slope(x + i, y + j) * (fx + fy - i as f32 - j as f32);
        let row = |j: usize| corner(0, j) * (1.0 - fx) + corner(1, j) * fx;
        let noise = row(0) * (1.0 - fy) + row(1) * fy;
        let (u, v) = (x as f32 + fx, y as f32 + fy);
        let moved = (u + noise * 0.5).abs();
        scene.set(COORDINATES[0], [u; 3]);
        scene.set(COORDINATES[1], [v; 3]);
        for (name, tier) in tiers() {
            let surfaces = scene.draw(&*tier).expect("the procedural texture is compiled");
            let got = f32::from(scene.color_at(&surfaces, 0, 0)[0]) / 254.0;
            assert!((got - moved.fract()).abs() < 0.003, "{name}: ({x}, {y}) moves to {got}, not to {moved}");
        }
    }
}

/// A triangle given in pixels of an 8x8 target.
fn triangle(case: &Value) -> [Vertex; 3] {
    std::array::from_fn(|k| {
        let corner = floats::<2>(&items(&case["triangle"])[k]);
        [clip_space(corner, 8, 8), [1.0; 4], [0.0; 4]]
    })
}

/// Where the pixel (x, y), y upwards, of an 8x8 target is stored, in pixels.
fn stored(x: u32, y: u32) -> usize {
    morton(x, 7 - y) as usize
}

#[test]
fn coverage() {
    for case in items(&json("3ds/vectors/raster.json")["cases"]) {
        let want: BTreeSet<[i64; 2]> = items(&case["covered"]).iter().map(numbers::<2>).collect();
        for (name, mut console) in Console::both() {
            draw(&mut console, draw_state(8, 8), &triangle(case));
            let pixels = console.read(VRAM, 256);
            let places = (0..64).map(|i| (i % 8, i / 8));
            let drawn = places.filter(|&(x, y)| pixels[4 * stored(x, y)..][..4] != [0; 4]);
            let got: BTreeSet<[i64; 2]> = drawn.map(|(x, y)| [x, y].map(i64::from)).collect();
            assert_eq!(got, want, "{name}: {case}");
        }
    }
}

/// The weights are seen through the depth: z/w is -1 at one vertex and 0 at the others, so depth is b/S.
#[test]
fn interpolation_weights() {
    const DEPTH: u32 = VRAM + 0x1000;
    for case in items(&json("3ds/vectors/interpolation.json")["cases"]) {
        for (k, vertex) in numbers::<3>(&case["order"]).into_iter().enumerate() {
            for (name, mut console) in Console::both() {
                let mut list = draw_state(8, 8);
                list.set(regs::depth_addr::ID, DEPTH >> 3).set(regs::depth_format::ID, 2);
                list.set(regs::depth_color_mask::ID, 0x1F00).set(regs::depth_write_allow::ID, 3);
                let mut vertices = triangle(case);
                for (number, [position, ..]) in vertices.iter_mut().enumerate() {
                    position[2] = if number == vertex as usize { -1.0 } else { 0.0 };
                }
                draw(&mut console, list, &vertices);
                let depth = console.read(DEPTH, 192);
                for pixel in items(&case["pixels"]) {
                    let [x, y] = numbers::<2>(&pixel["xy"]).map(|v| v as u32);
                    let word = &depth[3 * stored(x, y)..][..3];
                    let got = u32::from_le_bytes([word[0], word[1], word[2], 0]);
                    let (b, sum) = (numbers::<3>(&pixel["b"])[k] as f32, number(&pixel["S"]) as f32);
                    assert_eq!(got, (b / sum * 16_777_215.0) as u32, "{name}: {case} {pixel} vertex {vertex}");
                }
            }
        }
    }
}

#[test]
fn texels_where_edges_lie_under_pixel_centres() {
    const TEXTURE: u32 = HEAP + 0x1000;
    for case in items(&json("3ds/vectors/interpolation.json")["texel_ties"]["triangles"]) {
        for (name, mut console) in Console::both() {
            // Red is the column.
            let texels: Vec<u8> = (0..64).flat_map(|index| [255, 0, 0, unmorton(index).0 as u8]).collect();
            console.write(TEXTURE, &texels);
            let mut list = draw_state(8, 8);
            list.set(regs::tex_config::ID, 0x1001).set(regs::tex_dim::IDS[0], 8 << 16 | 8);
            list.set(regs::tex_addr::IDS[0], TEXTURE >> 3).set(regs::tev_source::IDS[0], 0x0003_0003);
            let mut vertices = triangle(case);
            for (vertex, u) in vertices.iter_mut().zip(floats::<3>(&case["u"])) {
                vertex[2] = [u, 0.5, 0.0, 0.0];
            }
            draw(&mut console, list, &vertices);
            let pixels = console.read(VRAM, 256);
            for item in items(&case["texels"]) {
                let [x, y] = numbers::<2>(&items(item)[0]).map(|v| v as u32);
                let red = pixels[4 * stored(x, y) + 3];
                assert_eq!(i64::from(red), number(&items(item)[1]), "{name}: {case} ({x}, {y})");
            }
        }
    }
}
