//! Fragment kernels: interpolation, quads, textures, and the words of the specification's vectors executed.

use serde_json::Value;
use triglyph_guest::kernel::program::fragment::{FragmentInput, Interpolation, PixelBlock};
use triglyph_guest::kernel::program::output::{ColorKey, TARGETS};
use triglyph_guest::kernel::program::sampler::{Filter, LEVELS, Level, Texture, TextureKey};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::num::F16;
use triglyph_guest::rsx::fragment::{assemble_program, program};
use triglyph_testkit::data::{items, json, number};
use triglyph_testkit::fragment::{NEAREST, RGBA32F, Scene, bit, copy_input};
use triglyph_testkit::random::Random;

#[test]
fn a_varying_is_the_value_of_its_plane() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.primitive.origin = [2, -1];
    scene.planes[..4].copy_from_slice(&[[10.0, 1.0, 0.0], [20.0, 0.0, 1.0], [30.0, 0.5, 0.25], [0.0, 0.0, 0.0]]);
    scene.blocks[0].coverage = !bit(3, 4);
    assert_eq!(scene.draw(), 63);
    assert_eq!(scene.floats(0, 0), [8.0, 21.0, 29.25, 0.0]);
    assert_eq!(scene.floats(7, 5), [15.0, 26.0, 34.0, 0.0]);
    assert_eq!(scene.floats(3, 4), [0.0; 4]);
}

#[test]
fn perspective_is_what_a_projection_gives() {
    // A plane of values over screen x and y whose w changes: value = 3u + 2, u/w and 1/w linear on the screen.
    let (slope, offset) = (3.0f64, 2.0f64);
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.code().inputs[4] =
        FragmentInput::Varying { group: 1, interpolation: Interpolation::Perspective, clamp: false };
    let inv_w = |x: f64, y: f64| 0.5 + 0.03 * x + 0.05 * y;
    let u_over_w = |x: f64, y: f64| 0.1 + 0.07 * x - 0.02 * y;
    scene.primitive.inv_w = [0.5, 0.03, 0.05];
    let over_w = |x, y| (slope * u_over_w(x, y) + offset * inv_w(x, y)) as f32;
    scene.planes[4] = [over_w(0.0, 0.0), over_w(1.0, 0.0) - over_w(0.0, 0.0), over_w(0.0, 1.0) - over_w(0.0, 0.0)];
    scene.draw();
    for (x, y) in [(0, 0), (7, 0), (0, 7), (5, 3)] {
        let (fx, fy) = (f64::from(x), f64::from(y));
        let exact = slope * u_over_w(fx, fy) / inv_w(fx, fy) + offset;
        let got = f64::from(scene.floats(x as usize, y as usize)[0]);
        assert!((got - exact).abs() < 1e-5, "({x}, {y}): {got} instead of {exact}");
    }
}

#[test]
fn planes_that_do_not_exist_are_zero_and_primitives_are_skipped() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.planes = vec![[1.0, 0.0, 0.0]; 2];
    assert_eq!(scene.draw(), 64);
    assert_eq!(scene.floats(1, 1), [1.0, 1.0, 0.0, 0.0]);
    scene.primitive.first_plane = u32::MAX;
    scene.draw();
    assert_eq!(scene.floats(1, 1), [0.0; 4]);
    scene.blocks[0].primitive = 1;
    assert_eq!(scene.draw(), 0);
}

#[test]
fn distances_wrap_like_integers() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.primitive.origin = [i32::MIN, i32::MAX];
    scene.planes[0] = [0.0, 1.0, 0.0];
    scene.planes[1] = [0.0, 0.0, 1.0];
    scene.draw();
    // 5 - (-2^31) wraps to 5 - 2^31, 2 - (2^31 - 1) does not.
    assert_eq!(scene.floats(5, 2)[..2], [-2_147_483_643i32 as f32, -2_147_483_645i32 as f32]);
}

#[test]
fn blocks_are_drawn_in_order() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.planes[0] = [0.0, 1.0, 0.0];
    let block = |x, coverage| PixelBlock { primitive: 0, x, row: 0, coverage };
    scene.blocks = vec![block(8, u64::MAX), block(16, 0), block(0, bit(1, 0) | bit(7, 7))];
    assert_eq!(scene.draw(), 66);
    assert_eq!([1, 2, 8, 15, 16].map(|x| scene.floats(x, 0)[0]), [1.0, 0.0, 8.0, 15.0, 0.0]);
}

/// A scene whose program is text, its constants in place.
fn assembled(text: &str) -> Scene {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    set_program(&mut scene, &assemble_program(text).unwrap());
    scene
}

fn set_program(scene: &mut Scene, words: &[u32]) {
    let mut words = words.to_vec();
    scene.program_constants = program::constants(&words).map(|c| c.map(f32::from_bits)).collect();
    program::clear_constants(&mut words);
    scene.code().code = words;
}

#[test]
fn constants_come_with_the_job() {
    let mut scene = assembled("mov r0, {1, 2, 3, 4}\nadd r0, r0, {10, 20, 30, 40} [end]");
    scene.draw();
    assert_eq!(scene.floats(0, 0), [11.0, 22.0, 33.0, 44.0]);
    scene.program_constants[1] = [5.0; 4];
    scene.draw();
    assert_eq!(scene.floats(0, 0), [6.0, 7.0, 8.0, 9.0]);
    scene.program_constants.clear();
    scene.draw();
    assert_eq!(scene.floats(0, 0), [0.0; 4]);
}

#[test]
fn four_targets_take_four_registers() {
    for (float, names) in [(true, ["r0", "r2", "r3", "r4"]), (false, ["h0", "h4", "h6", "h8"])] {
        let text: String =
            names.iter().zip(1..).map(|(name, n)| format!("mov {name}, {{{n}, {n}, {n}, {n}}}\n")).collect();
        for source in 0..8u8 {
            let mut scene = assembled(&format!("{text}nop [end]"));
            scene.code().export_float = float;
            let mut colors = [None; TARGETS];
            colors[0] = Some(ColorKey { format: RGBA32F, layout: SurfaceLayout::Pitch, source, mask: 15, blend: None });
            scene.key.output.colors = colors;
            scene.draw();
            let expected = if source < 4 { f32::from(source) + 1.0 } else { 0.0 };
            assert_eq!(scene.floats(2, 2), [expected; 4], "output {source} of {names:?}");
        }
    }
}

#[test]
fn programs_that_do_not_end_are_stopped() {
    // Four loops of 255 passes within each other: 4 * 10^9 instructions.
    let mut scene = assembled(
        "rep 255, a\nrep 255, b\nrep 255, c\nrep 255, d\nadd r0, r0, {1, 1, 1, 1}\nd:\nnop\nc:\nnop\nb:\nnop\na:\nnop [end]",
    );
    scene.blocks[0].coverage = bit(0, 0);
    assert_eq!(scene.draw(), 1);
    assert!(scene.floats(0, 0)[0] < 65_536.0);
    // A routine that calls itself four times over.
    let mut scene = assembled("a:\nadd r0, r0, {1, 1, 1, 1}\ncal a\ncal a\ncal a\nret");
    scene.blocks[0].coverage = bit(0, 0);
    assert_eq!(scene.draw(), 1);
    assert!(scene.floats(0, 0)[0] > 10.0);
}

#[test]
fn lanes_wait_for_each_other_behind_loops_and_calls() {
    // Lanes make different numbers of passes; after the loop they are together again, so differences are right.
    let mut scene = assembled(
        "rep 9, end\nadd r1, r1, {1, 0, 0, 0}\nadd _, r1, -f[TC0] [set]\nbrk [if ge.x]\ncal inner\nend:\n\
         ddx r0.x, r1\nddy r0.y, r1.x\nmov r0.zw, r2.xxxx [end]\ninner:\nddx r2, r1\nadd r2, r2, {1, 1, 1, 1}\nret",
    );
    scene.planes[0] = [1.0, 2.0, 3.0];
    scene.blocks[0].coverage = bit(0, 0) | bit(1, 0) | bit(0, 1) | bit(1, 1);
    scene.draw();
    // 1, 3, 4 and 6 passes.
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        assert_eq!(scene.floats(x, y)[..2], [2.0, 3.0]);
    }
    assert_eq!(scene.floats(0, 0)[2], 0.0);
    assert_eq!(scene.floats(1, 1)[2], 1.0);
}

/// A texture of two by two texels, red 1, 2, 3, 4 and the others 10, 100, 1000 times as much.
static TEXELS: [u32; 20] = {
    let mut words = [0; 20];
    let mut i = 0;
    while i < 16 {
        let factor = [1.0f32, 10.0, 100.0, 1000.0][i % 4];
        words[i] = ((i / 4 + 1) as f32 * factor).to_bits();
        i += 1;
    }
    words
};

fn four_texels() -> (TextureKey, Texture<'static>) {
    let level = Level { offset: 0, width: 2, height: 2, depth: 1 };
    (NEAREST, Texture { texels: &TEXELS, layer_texels: 4, levels: [level; LEVELS], ..Default::default() })
}

/// Values of registers and inputs in the vectors' programs.
fn r(n: usize) -> [f32; 4] {
    [n as f32 + 0.25, 1.5 - n as f32, n as f32 * 0.5 + 2.0, n as f32 + 3.0]
}

fn input(n: usize) -> [f32; 4] {
    [0.75, 0.25, n as f32 / 2.0, 1.0 + n as f32 / 4.0]
}

/// What a vector leaves in R`n`, by its meaning.
fn expected(meaning: &str) -> Option<(usize, [f32; 4])> {
    let multiplied = |a: [f32; 4], b: [f32; 4]| -> [f32; 4] { std::array::from_fn(|i| a[i] * b[i]) };
    let only = |mask: &str, new: [f32; 4], old: [f32; 4]| -> [f32; 4] {
        std::array::from_fn(|i| if mask.contains("xyzw".as_bytes()[i] as char) { new[i] } else { old[i] })
    };
    let halves = |low: f32, high: f32| {
        let bits = |v: f32| F16::encode(v);
        f32::from_bits(bits(low) | bits(high) << 16)
    };
    let dot4 = |a: [f32; 4], b: [f32; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    // TC0, TC1 and TC2 are inputs 4, 5 and 6: (0.75, 0.25) is the second texel; divided by w TC0 is at (0.375, 0.125),
    // the first one, and so is TC2 at (0.3, 0.1).
    let texel = |n: usize| [1.0, 10.0, 100.0, 1000.0].map(|v| v * n as f32);
    Some(match meaning {
        "MOV H0 (fp16), R0.wwww; END" => (0, only("xy", [halves(3.0, 3.0); 4], r(0))),
        "MOV H0 (prec fp16), R0; END" => (0, [halves(0.25, 1.5), halves(2.0, 3.0), r(0)[2], r(0)[3]]),
        "TXP R0.w, f[TC0], unit 0" => (0, only("w", texel(1), r(0))),
        "TXP R0, f[TC0], unit 0" => (0, texel(1)),
        "TEX R0, f[TC0], unit 0" => (0, texel(2)),
        "TXP R1, f[TC2], unit 3" => (1, texel(1)),
        // Both coordinates from x and y: swizzle xyxy, to a half register.
        "TEX H4, f[TC1].xyxy, unit 1" => (2, [halves(2.0, 20.0), halves(200.0, 2000.0), r(2)[2], r(2)[3]]),
        "MOV R0, f[COL0]" => (0, input(1).map(|v| v.clamp(0.0, 1.0))),
        "MOV R1.xy, f[WPOS]" => (1, only("xy", [0.0; 4], r(1))),
        "MUL R2, R0, R1" => (2, multiplied(r(0), r(1))),
        "ADD R2.xyz, R0, -R1" => (2, only("xyz", std::array::from_fn(|i| r(0)[i] - r(1)[i]), r(2))),
        "MAD R3, R0, R1, R2 saturate" => (3, std::array::from_fn(|i| (r(0)[i] * r(1)[i] + r(2)[i]).clamp(0.0, 1.0))),
        "MUL R0, R1, 0.5,0.5,0.5,1 (constant)" => (0, multiplied(r(1), [0.5, 0.5, 0.5, 1.0])),
        "MOV R0, R0 with result scale x2" => (0, r(0).map(|v| v * 2.0)),
        "MOV R0, R0 with result scale /2" => (0, r(0).map(|v| v * 0.5)),
        "MOV R0.x, R1 executed only if condition register 0 is GT" => (0, only("x", r(1), r(0))),
        "RCP R4.w, R3.xxxx" => (4, only("w", [1.0 / r(3)[0]; 4], r(4))),
        "RSQ R4.x, |R3|.y" => (4, only("x", [1.0 / r(3)[1].abs().sqrt(); 4], r(4))),
        "LRP R0, R1, R2, R3" => (0, std::array::from_fn(|i| r(1)[i] * r(2)[i] + (1.0 - r(1)[i]) * r(3)[i])),
        "DP4 R0.xyzw, R1, f[TC0]" => (0, [dot4(r(1), input(4)); 4]),
        "PK2 R0.x, R1" => (0, only("x", [halves(r(1)[0], r(1)[1]); 4], r(0))),
        "END by NOP" => (0, r(0)),
        _ => return None,
    })
}

/// The vectors of the specification: words and meaning, with their constant.
fn vectors() -> Vec<(Vec<u32>, String)> {
    let json = json("rsx/vectors/fragment_program.json");
    let words = |list: &Value| -> Vec<u32> { items(list).iter().map(|word| number(word) as u32).collect() };
    let vector = |vector: &Value| {
        let mut all = words(&vector["words_le"]);
        if !vector["inline_constant_le"].is_null() {
            all.extend(words(&vector["inline_constant_le"]));
        }
        (all, vector["meaning"].as_str().unwrap().to_owned())
    };
    items(&json["vectors"]).iter().map(vector).collect()
}

/// Runs `words` on registers `r` and inputs `input`, condition register 0 being `condition`, and gives what R`register`
/// holds at pixel (0, 0) after `after`; `None`: discarded.
fn executed(words: &[u32], condition: [f32; 4], after: &str, register: usize) -> Option<[f32; 4]> {
    let number = |v: [f32; 4]| format!("{{{}, {}, {}, {}}}", v[0], v[1], v[2], v[3]);
    let mut text = format!("mov _, {} [set]\n", number(condition));
    for n in 0..5 {
        text += &format!("mov r{n}, {}\n", number(r(n)));
    }
    let mut code = assemble_program(&text).unwrap();
    let mut words = words.to_vec();
    // Offsets of flow control count from the start of the program.
    let offset = code.len() as u32;
    if words[2] >> 31 != 0 {
        words[3] += offset;
        if words[0] >> 24 & 0x3F == 2 {
            words[2] += offset;
        }
    }
    words[0] &= !1;
    code.extend(words);
    code.extend(assemble_program(&format!("{after}\nmov r0, r{register} [end]")).unwrap());

    let mut scene = Scene::new(RGBA32F, &copy_input());
    set_program(&mut scene, &code);
    scene.planes = vec![[0.0; 3]; 64];
    for n in 0..16u8 {
        for i in 0..4 {
            scene.planes[4 * usize::from(n) + i] = [input(n.into())[i], 0.0, 0.0];
        }
        let clamp = n == 1;
        scene.code().inputs[usize::from(n)] =
            FragmentInput::Varying { group: n, interpolation: Interpolation::Linear, clamp };
    }
    scene.code().inputs[0] = FragmentInput::Position;
    for unit in [0, 1, 3] {
        let (key, texture) = four_texels();
        scene.set_texture(unit, key, texture);
    }
    scene.blocks[0].coverage = bit(0, 0);
    (scene.draw() == 1).then(|| scene.floats(0, 0))
}

#[test]
fn vectors_compute_what_they_mean() {
    let mut count = 0;
    for (words, meaning) in vectors() {
        let Some((register, expected)) = expected(&meaning) else { continue };
        count += 1;
        assert_eq!(executed(&words, [1.0; 4], "", register), Some(expected), "{meaning}");
    }
    assert_eq!(count, 22);
}

#[test]
fn vectors_decide_what_they_mean() {
    let mut count = 0;
    for (words, meaning) in vectors() {
        let run = |condition, after, register| executed(&words, condition, after, register);
        count += 1;
        match meaning.as_str() {
            "MOV R0.x, R1 executed only if condition register 0 is GT" => assert_eq!(run([-1.0; 4], "", 0), Some(r(0))),
            "KIL if CC.x LT" => {
                assert_eq!(run([-1.0, 1.0, 1.0, 1.0], "", 1), None);
                assert_eq!(run([1.0, 1.0, 1.0, 1.0], "", 1), Some(r(1)));
            }
            "SLT no dest set CC: CC = R0<R1" => {
                // x and w of R0 are below those of R1, z too; y is above.
                assert_eq!(run([0.0; 4], "sfl r2\nstr r2 [if gt]", 2), Some([1.0, 0.0, 1.0, 1.0]));
            }
            "DP3 H2.x, H0, H1 (half destination)" => {
                // Halves lie in registers that hold 1, 2, 3 and 4, 0, 0 by then; H2 is in R1.
                let text = "nop";
                let h = |bits: u32, high: bool| F16::decode(if high { bits >> 16 } else { bits & 0xFFFF });
                let bits = r(0).map(f32::to_bits);
                let a = [h(bits[0], false), h(bits[0], true), h(bits[1], false)];
                let b = [h(bits[2], false), h(bits[2], true), h(bits[3], false)];
                let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                let got = run([0.0; 4], text, 1).unwrap();
                let stored = F16::decode(got[0].to_bits() & 0xFFFF);
                assert!((stored - dot).abs() <= dot.abs() / 1024.0, "{stored} instead of {dot}");
                assert_eq!((got[0].to_bits() >> 16, &got[1..]), (r(1)[0].to_bits() >> 16, &r(1)[1..]));
            }
            "REP 5 times; end offset 24 words (instruction 6)" => {
                // The body are two additions with their constants and a NOP: 20 words after the REP's four.
                let body = "add r1.x, r1, {1, 1, 1, 1}\nadd r1.y, r1, {1, 1, 1, 1}\nnop\nadd r1.z, r1, {1, 1, 1, 1}";
                let [x, y, z, w] = r(1);
                assert_eq!(run([0.0; 4], body, 1), Some([x + 5.0, y + 5.0, z + 1.0, w]));
            }
            "IFE GT: else at word 16 (instr 4), end at word 32 (instr 8)" => {
                let body = "str r1.x\nnop\nnop\nstr r1.y\nnop\nnop\nnop\nstr r1.z";
                let [x, y, _, w] = r(1);
                assert_eq!(run([1.0; 4], body, 1), Some([1.0, y, 1.0, w]));
                assert_eq!(run([-1.0; 4], body, 1), Some([x, 1.0, 1.0, w]));
            }
            _ => count -= 1,
        }
    }
    // All of them with those above, one in both.
    assert_eq!(count, 6);
    assert_eq!(vectors().len(), 22 + 5);
}

#[test]
fn textures_of_a_quad_choose_one_level_of_detail_for_each_lane() {
    let mut scene = assembled("tex r0, f[TC0], tex0 [end]");
    let (key, texture) = four_texels();
    let key = TextureKey { minify: Filter::Linear, ..key };
    scene.set_texture(0, key, texture);
    // Half a texel a pixel magnifies, two texels a pixel are a mean of four.
    scene.planes[0] = [0.25, 0.25, 0.0];
    scene.planes[1] = [0.25, 0.0, 0.25];
    scene.draw();
    assert_eq!(scene.floats(1, 0)[0], 2.0);
    scene.planes[0] = [0.5, 1.0, 0.0];
    scene.planes[1] = [0.5, 0.0, 1.0];
    scene.draw();
    assert_eq!(scene.floats(1, 0)[0], 2.5);
}

#[test]
fn whatever_the_planes_every_covered_pixel_is_written() {
    let mut noise = Random::new(21);
    let text =
        "tex r0, f[TC0], tex0\ntxp r2, f[TC1], tex0\nddx r3, f[WPOS]\nadd r0, r0, r2\nmad r0, r3, f[FOGC], r0 [end]";
    for _ in 0..300 {
        let mut scene = assembled(text);
        let (key, texture) = four_texels();
        scene.set_texture(0, TextureKey { magnify: Filter::Linear, ..key }, texture);
        for plane in &mut scene.planes {
            *plane = [0; 3].map(|_| f32::from_bits(noise.word()));
        }
        scene.primitive.inv_w = [0; 3].map(|_| f32::from_bits(noise.word()));
        scene.primitive.depth = [0; 3].map(|_| f32::from_bits(noise.word()));
        scene.primitive.origin = [noise.word() as i32, noise.word() as i32];
        assert_eq!(scene.draw(), 64);
        let bits = scene.floats(3, 3).map(f32::to_bits);
        assert!(bits.iter().all(|&bits| !f32::from_bits(bits).is_nan() || bits == 0x7FC0_0000), "{bits:x?}");
    }
}
