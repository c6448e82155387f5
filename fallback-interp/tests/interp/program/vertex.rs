//! Vertex kernels of programs: arrays, batches, and the words of the specification's vectors executed.

use std::sync::Arc;

use serde_json::Value;
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::vertex::{
    Component, Input, RSX_CONSTANTS, RsxVertexCode, Step, Stream, VertexCode, VertexJob, VertexKey,
};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::num::F16;
use triglyph_guest::rsx::attribute::{snorm16, unorm8};
use triglyph_guest::rsx::vertex::assemble_program;
use triglyph_interp::Interpreter;
use triglyph_testkit::data::{items, json, number};

/// What a batch reads.
struct Batch {
    bytes: Vec<u8>,
    stride: u32,
    divisor: u32,
    fixed: [[f32; 4]; 16],
    constants: Vec<[f32; 4]>,
    fuel: u32,
}

impl Default for Batch {
    fn default() -> Self {
        let constants = vec![[0.0; 4]; RSX_CONSTANTS];
        Batch { bytes: Vec::new(), stride: 0, divisor: 1, fixed: [[0.0; 4]; 16], constants, fuel: 65_536 }
    }
}

impl Batch {
    /// Records of `vertices` and how many ran out of fuel. Array 0 has the bytes; records are -77 before.
    fn shade(&self, key: &VertexKey, vertices: &[u32], first: usize) -> (Vec<Vec<f32>>, u32) {
        let memory = window::buffer(&self.bytes);
        let mut streams = [Stream::default(); 16];
        streams[0] = Stream { window: Window::new(&memory), stride: self.stride, divisor: self.divisor };
        let mut records = vec![-77.0; key.stride() * vertices.len()];
        let mut job = VertexJob {
            streams: &streams,
            fixed: &self.fixed,
            constants: &self.constants,
            textures: &[Texture::default(); 4],
            vertices,
            last_vertex: vertices.iter().copied().max().unwrap_or(0),
            fuel: self.fuel,
            free: u32::MAX,
            records: &mut records,
            exhausted: 0,
            excess: 0,
        };
        let finished = Interpreter.program_vertex(key).unwrap().shade(&mut job, first);
        assert_eq!(finished, vertices.len());
        let exhausted = job.exhausted;
        (records.chunks(key.stride()).map(<[f32]>::to_vec).collect(), exhausted)
    }
}

fn key(text: &str, outputs: u32) -> VertexKey {
    let (start, code) = assemble_program(text).unwrap();
    let code = [vec![[0; 4]; start], code].concat();
    let code = RsxVertexCode { code, start: start as u16, branch_bits: 0 };
    VertexKey {
        code: VertexCode::Rsx(Arc::new(code)),
        inputs: [Input::Fixed; 16],
        big_endian: true,
        outputs,
        clamped: 0,
        textures: [None; 4],
    }
}

/// What input 0 reads of `bytes`.
fn fetched(component: Component, count: u8, big_endian: bool, bytes: &[u8]) -> Vec<f32> {
    let mut key = key("mov o[HPOS], v[0] [end]", 1);
    key.inputs[0] = Input::Array { component, count, step: Step::Vertex };
    key.big_endian = big_endian;
    let batch = Batch { bytes: bytes.to_vec(), ..Batch::default() };
    batch.shade(&key, &[0], 0).0.remove(0)
}

#[test]
fn bytes_and_shorts() {
    for v in 0..=255u8 {
        assert_eq!(fetched(Component::Uint8, 4, true, &[v, 1, 2, 3]), [f32::from(v), 1.0, 2.0, 3.0]);
        let unorm = fetched(Component::Unorm8, 2, true, &[v, 255]);
        assert_eq!(unorm[0], unorm8(v));
        assert_eq!(unorm[1..], [1.0, 0.0, 1.0]);
        let [r, g, b, a] = [10, 20, 30, v].map(unorm8);
        // Blue comes first.
        assert_eq!(fetched(Component::Bgra8, 3, true, &[30, 20, 10, v]), [r, g, b, a]);
    }
    for v in (i16::MIN..=i16::MAX).step_by(77).chain([-1, 0, 1, i16::MAX]) {
        for big_endian in [false, true] {
            let bytes = if big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
            assert_eq!(fetched(Component::Sint16, 1, big_endian, &bytes), [f32::from(v), 0.0, 0.0, 1.0]);
            let [centered, ..] = fetched(Component::CenteredSnorm16, 1, big_endian, &bytes)[..] else { panic!() };
            assert_eq!(centered, snorm16(v), "{v}");
            let half = F16::decode(u32::from(v as u16));
            let [got, ..] = fetched(Component::F16, 1, big_endian, &bytes)[..] else { panic!() };
            assert!(got == half || got.is_nan() && half.is_nan(), "{v:#x}: {got}");
        }
    }
    // Both ends are exact (specification's vectors).
    assert_eq!(
        fetched(Component::CenteredSnorm16, 3, false, &[0xFF, 0x7F, 0x00, 0x80, 0, 0]),
        [1.0, -1.0, 1.525_902_2e-5, 1.0]
    );
}

#[test]
fn floats_and_packed_words() {
    let values = [1.5f32, -2.25, 1e-40, f32::INFINITY];
    for big_endian in [false, true] {
        let bytes = values.map(|v| if big_endian { v.to_be_bytes() } else { v.to_le_bytes() }).concat();
        for count in 1..=4 {
            let mut expected = [0.0, 0.0, 0.0, 1.0];
            expected[..count].copy_from_slice(&values[..count]);
            assert_eq!(fetched(Component::F32, count as u8, big_endian, &bytes), expected);
        }
    }
    // Fields of 11, 11 and 10 bits: 0x3FF, 0x400, 0x1FF (specification's vectors).
    let expected = [32736.0, -32768.0, 32704.0].map(|v: f32| (v * (1.0 / 32767.0)).max(-1.0));
    assert_eq!(fetched(Component::Packed11, 1, true, &0x7FE0_03FFu32.to_be_bytes())[..3], expected);
    assert_eq!(fetched(Component::Packed11, 1, false, &0x7FE0_03FFu32.to_le_bytes()), [&expected[..], &[1.0]].concat());
}

#[test]
fn elements_follow_from_indices() {
    let mut key = key("mov o[HPOS], v[0] [end]", 1);
    let bytes: Vec<u8> = (0..60).collect();
    let batch = Batch { bytes, stride: 6, divisor: 3, ..Batch::default() };
    for (step, elements) in
        [(Step::Vertex, [0, 1, 5, 9, 2]), (Step::Divide, [0, 0, 1, 3, 0]), (Step::Modulo, [0, 1, 2, 0, 2])]
    {
        key.inputs[0] = Input::Array { component: Component::Uint8, count: 2, step };
        let (records, _) = batch.shade(&key, &[0, 1, 5, 9, 2], 0);
        let expected = elements.map(|element| vec![6.0 * element as f32, 6.0 * element as f32 + 1.0, 0.0, 1.0]);
        assert_eq!(records, expected, "{step:?}");
    }
}

#[test]
fn what_lies_beyond_an_array_reads_as_zero() {
    let mut key = key("mov o[HPOS], v[0] [end]", 1);
    key.inputs[0] = Input::Array { component: Component::F32, count: 4, step: Step::Vertex };
    let bytes = [1.0f32, 2.0, 3.0, 4.0, 5.0].map(f32::to_be_bytes).concat();
    let batch = Batch { bytes: bytes[..19].to_vec(), stride: 8, ..Batch::default() };
    let (records, _) = batch.shade(&key, &[0, 1, 2, 3, u32::MAX], 0);
    let cut = f32::from_bits(5.0f32.to_bits() & 0xFFFF_FF00);
    assert_eq!(records[0], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(records[1], [3.0, 4.0, cut, 0.0]);
    assert_eq!(records[2], [cut, 0.0, 0.0, 0.0]);
    assert_eq!(records[3..], [[0.0; 4], [0.0; 4]]);
}

#[test]
fn records_hold_the_outputs_that_are_asked_for() {
    let batch = Batch { fixed: [[1.0, 2.0, 3.0, 4.0]; 16], ..Batch::default() };
    let text = "mov o[HPOS], v[0]\nmov o[COL1].x, v[1]\nmov o[TC8], -v[2] [end]";
    let (records, _) = batch.shade(&key(text, 1 | 1 << 2 | 1 << 3 | 1 << 15), &[0, 0], 1);
    assert_eq!(records[0], [-77.0; 16]);
    let expected = [[1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [-1.0, -2.0, -3.0, -4.0]];
    assert_eq!(records[1], expected.concat());
}

#[test]
fn components_of_clamped_outputs_are_from_0_to_1() {
    let batch = Batch { fixed: [[-0.5, 1.5, f32::NAN, 0.25]; 16], ..Batch::default() };
    let text = "mov o[HPOS], v[0]\nmov o[COL0], v[0]\nmov o[COL1], v[0] [end]";
    let key = VertexKey { clamped: 1 << 1, ..key(text, 0b111) };
    let (records, _) = batch.shade(&key, &[0], 0);
    assert_eq!(records[0][4..8], [0.0, 1.0, 0.0, 0.25]);
    assert_eq!(records[0][8..10], [-0.5, 1.5]);
}

#[test]
fn a_batch_whose_programs_do_not_end_is_given_up() {
    let text = "mov o[HPOS], v[0]\nback: bri back";
    let batch = Batch { fixed: [[5.0; 4]; 16], ..Batch::default() };
    let (records, exhausted) = batch.shade(&key(text, 1), &[0; 9], 0);
    assert_eq!(exhausted, 4);
    let expected: Vec<_> = (0..9).map(|i| if i < 4 { [5.0; 4] } else { [0.0; 4] }).collect();
    assert_eq!(records, expected);
}

/// Values of registers in the vectors' programs.
fn v(n: usize) -> [f32; 4] {
    match n {
        // Address register and condition register follow from these.
        15 => [3.75, 5.25, -1.5, 0.0],
        _ => [n as f32 + 0.125, 2.0 * n as f32 - 0.5, -(n as f32), 1.0 + n as f32 / 4.0],
    }
}

fn c(n: usize) -> [f32; 4] {
    [n as f32 / 8.0, 3.0 - n as f32, n as f32 * 1.5, -0.25 * n as f32]
}

fn r(n: usize) -> [f32; 4] {
    [n as f32 - 3.25, n as f32 * 0.75 + 0.5, 2.0 - n as f32, n as f32 + 4.0]
}

/// Where a vector leaves its result.
enum At {
    Temp(usize),
    Output(&'static str),
}

fn dot3(a: [f32; 4], b: [f32; 4]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `new` in the components of `mask`, `old` elsewhere.
fn masked(mask: &str, new: [f32; 4], old: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|i| if mask.contains("xyzw".as_bytes()[i] as char) { new[i] } else { old[i] })
}

/// What a vector without flow leaves, by its meaning.
fn expected(meaning: &str) -> Option<(At, [f32; 4])> {
    use At::{Output, Temp};
    const NEW: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    let [x, y, _, w] = v(9);
    let with_x = |value: f32, old: [f32; 4]| masked("x", [value; 4], old);
    let multiplied = |a: [f32; 4], b: [f32; 4]| -> [f32; 4] { std::array::from_fn(|i| a[i] * b[i]) };
    Some(match meaning {
        "MOV r0.xyw, v[9].xyww" => (Temp(0), masked("xyw", [x, y, w, w], r(0))),
        "MOV r0.xyw, v[8].xyww" => (Temp(0), masked("xyw", [v(8)[0], v(8)[1], 0.0, v(8)[3]], r(0))),
        "DP3 r1.w, r0.xyww, c[2].xyzz" => {
            (Temp(1), masked("w", [r(0)[0] * c(2)[0] + r(0)[1] * c(2)[1] + r(0)[3] * c(2)[2]; 4], r(1)))
        }
        "DP3 r1.y, r0.xyww, c[1].xyzz" => {
            (Temp(1), masked("y", [r(0)[0] * c(1)[0] + r(0)[1] * c(1)[1] + r(0)[3] * c(1)[2]; 4], r(1)))
        }
        "DP3 r1.x, r0.xyww, c[0].xyzz" => {
            (Temp(1), with_x(r(0)[0] * c(0)[0] + r(0)[1] * c(0)[1] + r(0)[3] * c(0)[2], r(1)))
        }
        "MOV o[HPOS].xyzw, v[0] (w3 bit 12 clear)" | "MOV o[HPOS].xyzw, v[0]" => (Output("HPOS"), v(0)),
        "MOV o[TC0].xyzw, v[8]; END" => (Output("TC0"), v(8)),
        "MUL o[TC0].xyw, r1, c[3]" => (Output("TC0"), masked("xyw", multiplied(r(1), c(3)), NEW)),
        "ADD r2.xyz, r0, c[5]" => (Temp(2), masked("xyz", std::array::from_fn(|i| r(0)[i] + c(5)[i]), r(2))),
        "MAD r3, v[1], c[10].xyzw, -r2" => (Temp(3), std::array::from_fn(|i| v(1)[i] * c(10)[i] - r(2)[i])),
        "DP4 o[HPOS].x, v[0], c[0]" => (Output("HPOS"), with_x(dot3(v(0), c(0)) + v(0)[3] * c(0)[3], NEW)),
        "DP4 o[HPOS].w, v[0], c[3]" => (Output("HPOS"), masked("w", [dot3(v(0), c(3)) + v(0)[3] * c(3)[3]; 4], NEW)),
        "DP3 r5.x, r4, r4" => (Temp(5), with_x(dot3(r(4), r(4)), r(5))),
        "DP3 r5.x, |r4|, c[7].xyzz" => (Temp(5), with_x(dot3(r(4).map(f32::abs), c(7)), r(5))),
        "MAX r6, r1, c[20]" => (Temp(6), std::array::from_fn(|i| r(1)[i].max(c(20)[i]))),
        "SLT r7.x, r0.xxxx, c[2].yyyy" => (Temp(7), with_x(f32::from(u8::from(r(0)[0] < c(2)[1])), r(7))),
        "FRC r8, r3.wzyx" => (Temp(8), std::array::from_fn(|i| r(3)[3 - i] - r(3)[3 - i].floor())),
        "MOV r9, c[a0.x + 16]" => (Temp(9), c(16 + 3)),
        "MOV r9, c[a0.y + 32]" => (Temp(9), c(32 + 5)),
        "MUL r0.xy, v[2], c[100] with saturate" => {
            (Temp(0), masked("xy", multiplied(v(2), c(100)).map(|v| v.clamp(0.0, 1.0)), r(0)))
        }
        "RCP r1.x, c[4].wwww" => (Temp(1), with_x(1.0 / c(4)[3], r(1))),
        "RSQ r1.y, |r5|.xxxx (abs via abs2)" => (Temp(1), masked("y", [1.0 / r(5)[0].abs().sqrt(); 4], r(1))),
        // Near enough: the exponent is a whole number.
        "EX2 o[5].x (fog), r2.wwww" => (Output("FOGC"), with_x(r(2)[3].exp2(), NEW)),
        "dual issue: MUL r2, r0, r1 ; MOV o[TC1], c[9]" => (Temp(2), multiplied(r(0), r(1))),
        "MOV r3, r2 and update condition register 0" => (Temp(3), r(2)),
        "MOV r4.x, r5 if EQ" => (Temp(4), with_x(r(5)[0], r(4))),
        "SEQ r3, v[5], c[6] then END" => (Temp(3), [0.0; 4]),
        "STR r0 (set to 1.0)" => (Temp(0), [1.0; 4]),
        _ => return None,
    })
}

/// The vectors of the specification: words and meaning.
fn vectors() -> Vec<([u32; 4], String)> {
    let json = json("rsx/vectors/vertex_program.json");
    let words = |vector: &Value| -> [u32; 4] {
        let words = items(&vector["words"]);
        std::array::from_fn(|i| number(&words[i]) as u32)
    };
    items(&json["vectors"]).iter().map(|v| (words(v), v["meaning"].as_str().unwrap().to_owned())).collect()
}

/// A batch whose registers are `v`, `c` and, from constant 200 on, `r`; condition register 0 becomes `condition`.
fn prepared(condition: [f32; 4]) -> (String, Batch) {
    let mut text = String::from("arl a0, v[15]\nmov _, c[300] [set]\n");
    let mut batch = Batch::default();
    for n in 0..RSX_CONSTANTS {
        batch.constants[n] = c(n);
    }
    batch.constants[300] = condition;
    for n in 0..10 {
        text += &format!("mov r{n}, c[{}]\n", 200 + n);
        batch.constants[200 + n] = r(n);
    }
    batch.fixed = std::array::from_fn(v);
    (text, batch)
}

/// A line that assembles to these words.
fn word_line([a, b, c, d]: [u32; 4]) -> String {
    format!(".word {a}, {b}, {c}, {d}\n")
}

#[test]
fn vectors_compute_what_they_mean() {
    let mut executed = 0;
    for (words, meaning) in vectors() {
        let Some((at, expected)) = expected(&meaning) else { continue };
        executed += 1;
        let (mut text, batch) = prepared([0.0, 1.0, -1.0, 0.0]);
        let end = words[3] & 1;
        // The remaining state is read after the END of the vector's own.
        text += &word_line([words[0], words[1], words[2], words[3] ^ end]);
        let output = match at {
            At::Temp(n) => {
                text += &format!("mov o[TC8], r{n} [end]");
                15
            }
            At::Output(name) => {
                text += "nop [end]";
                triglyph_guest::rsx::vertex::syntax::OUTPUTS.iter().position(|other| *other == name).unwrap()
            }
        };
        let (records, _) = batch.shade(&key(&text, 0xFFFF), &[0], 0);
        assert_eq!(records[0][4 * output..][..4], expected, "{meaning}");
        if meaning.starts_with("dual issue") {
            assert_eq!(records[0][4 * 8..][..4], c(9), "{meaning}");
        }
    }
    // The others are addresses, branches and a return.
    assert_eq!(executed, 29);
}

/// Whether the program of a vector at index 100 goes to `target`.
fn goes(words: [u32; 4], target: usize, condition: [f32; 4], branch_bits: u32) -> bool {
    let (mut text, batch) = prepared(condition);
    text += "bri 100\n";
    let mut key = key(&text, 0xFFFF);
    let (_, shown) = assemble_program("str o[TC0] [end]\nstr o[TC1] [end]").unwrap();
    let VertexCode::Rsx(code) = &mut key.code;
    let code = Arc::make_mut(code);
    code.branch_bits = branch_bits;
    code.code.resize(544, [0; 4]);
    code.code[100] = words;
    code.code[101] = shown[0];
    code.code[target] = shown[1];
    let record = batch.shade(&key, &[0], 0).0.remove(0);
    let [next, there] = [7, 8].map(|output| record[4 * output] == 1.0);
    assert!(next != there, "one of the two is executed");
    there
}

#[test]
fn vectors_go_where_they_mean() {
    let mut executed = 0;
    for (words, meaning) in vectors() {
        let above = [1.0, -1.0, -1.0, -1.0];
        let below = [-1.0, 1.0, 1.0, 1.0];
        executed += 1;
        match meaning.as_str() {
            "BRI instr 40 always" => assert!(goes(words, 40, [0.0; 4], 0)),
            "CLI instr 517 if GT" => {
                assert!(goes(words, 517, above, 0));
                assert!(!goes(words, 517, below, 0));
            }
            "BRB instr 20 if branch bit 3 is set" => {
                assert!(goes(words, 20, [0.0; 4], 8));
                assert!(!goes(words, 20, [0.0; 4], !8));
            }
            "RET" => {
                let [a, b, c, d] = words;
                let text =
                    format!("cli routine\nstr o[TC0] [end]\nroutine:\n.word {a}, {b}, {c}, {d}\nstr o[TC1] [end]");
                let record = Batch::default().shade(&key(&text, 0xFFFF), &[0], 0).0.remove(0);
                assert_eq!([record[4 * 7], record[4 * 8]], [1.0, 0.0]);
            }
            "ARL a0.x, r0.xxxx" => {
                let (mut text, batch) = prepared([0.0; 4]);
                text += &word_line(words);
                text += "mov o[TC0], c[a0.x + 50] [end]";
                let record = batch.shade(&key(&text, 0xFFFF), &[0], 0).0.remove(0);
                // r0.x is -3.25.
                assert_eq!(record[4 * 7..][..4], c(46));
            }
            _ => executed -= 1,
        }
    }
    assert_eq!(executed, 5);
}
