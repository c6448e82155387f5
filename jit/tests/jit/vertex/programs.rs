//! Whole programs with known results, and where compiled code bails out.

use std::sync::Arc;

use crate::vertex::support::{Tally, compare, shade};
use serde_json::Value;
use triglyph_guest::kernel::random_vertex::{Batch, Mix, batch};
use triglyph_guest::kernel::vertex::{
    Component, Input, OutputComponent, OutputMap, PicaProgram, Program, SCREEN, Uniforms, VertexKey,
};
use triglyph_guest::kernel::{Tier, VertexKernel};
use triglyph_guest::pica::asm;
use triglyph_guest::pica::shbin::Shbin;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::random::Random;

/// A key whose record has o0 to o15 after the screen position.
fn key(code: Vec<u32>, descriptors: Vec<u32>, bools: u16, inputs: [Input; 16]) -> VertexKey {
    let slots = (0..64).map(|slot| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false }));
    VertexKey {
        program: Program::Pica(Arc::new(PicaProgram { code, descriptors, bools, ..Default::default() })),
        inputs,
        outputs: OutputMap { slots: slots.collect() },
        user_clip: false,
    }
}

/// A key for a program text; v0 is one float of stream 0.
fn text_key(text: &str) -> VertexKey {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let mut inputs = std::array::from_fn(|n| Input::Fixed(n as u8));
    inputs[0] = Input::Array { stream: 0, component: Component::F32, count: 1 };
    key(program.code, program.descriptors, 0, inputs)
}

/// A batch of vertices with these values of v0.x.
fn values(key: &VertexKey, x: &[f32]) -> Batch {
    let mut noise = Random::new(1);
    let mut batch = batch(&mut || noise.word(), Mix { special: 0, holes: false, ..Mix::default() }, key);
    batch.set_stream(0, x.iter().flat_map(|x| x.to_le_bytes()).collect(), 4);
    batch.vertices = (0..x.len() as u32).collect();
    batch.uniforms = Uniforms::default();
    batch
}

fn kernel(key: &VertexKey) -> Arc<dyn VertexKernel> {
    Jit::new().expect("a code generator").vertex(key).expect("a kernel")
}

/// Compares both tiers on a program and says how many vertices compiled code did.
fn check(text: &str, x: &[f32], ints: [[u8; 4]; 4]) -> Tally {
    let key = text_key(text);
    let mut batch = values(&key, x);
    batch.uniforms.ints = ints;
    let mut tally = Tally::default();
    for effort in [Effort::Baseline, Effort::Optimized] {
        tally = Tally::default();
        compare(&key, &batch, effort, &mut tally);
    }
    assert_eq!(tally.unsupported, 0);
    tally
}

const NO_INTS: [[u8; 4]; 4] = [[0; 4]; 4];

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn vector(value: &Value) -> [f32; 4] {
    std::array::from_fn(|i| items(value)[i].as_f64().expect("a float") as f32)
}

/// How many components of a program's results are too far from the expected ones.
fn wrong_components(name: &str) -> usize {
    let file = |name: &str| format!("{}/../tests/data/3ds/shaders/{name}", env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(file(&format!("{name}.json"))).expect("results");
    let header: Value = serde_json::from_str(&header).expect("JSON");
    let shbin = Shbin::parse(&std::fs::read(file(&format!("{name}.shbin"))).expect("a program")).expect("SHBIN");
    let mut wrong = 0;
    for case in items(&header["cases"]) {
        let bools = items(&case["bool_uniforms"]);
        let bools = (0..bools.len()).filter(|&n| bools[n] == Value::Bool(true)).fold(0, |all, n| all | 1 << n);
        let inputs = std::array::from_fn(|n| Input::Fixed(n as u8));
        let mut key = key(shbin.program.code.clone(), shbin.program.descriptors.clone(), bools, inputs);
        let Program::Pica(program) = &mut key.program;
        Arc::make_mut(program).entry = header["main_offset"].as_u64().expect("an address") as u16;
        let mut batch = values(&key, &[]);
        batch.vertices = vec![0];
        for (register, value) in batch.fixed.iter_mut().zip(items(&case["inputs"])) {
            *register = vector(value);
        }
        for (n, value) in case["float_uniforms"].as_object().expect("an object") {
            batch.uniforms.floats[n.parse::<usize>().expect("a register")] = vector(value);
        }
        for (to, value) in batch.uniforms.ints.iter_mut().zip(items(&case["int_uniforms"])) {
            *to = std::array::from_fn(|i| items(value)[i].as_u64().expect("a number") as u8);
        }
        compare(&key, &batch, Effort::Baseline, &mut Tally::default());
        let kernel = kernel(&key);
        let (records, _, done) = batch.run(key.outputs.stride(), |job| kernel.shade(job, 0));
        assert_eq!(done, 1, "{name}");
        for (register, want) in case["outputs"].as_object().expect("an object") {
            let at = SCREEN + 4 * register.parse::<usize>().expect("a register");
            let far = |(got, want): (&f32, f32)| (got - want).abs() > 1e-5 * want.abs().max(1.0);
            wrong += records[at..at + 4].iter().zip(vector(want)).filter(|&pair| far(pair)).count();
        }
    }
    wrong
}

#[test]
fn programs_give_the_known_results() {
    for name in ["alu", "special", "branch", "loops", "madrel", "flat", "uniformflow"] {
        assert_eq!(wrong_components(name), 0, "{name}");
    }
    // Its results assume another aL after an inner loop; the number is the reference's.
    assert_eq!(wrong_components("nested"), 67);
}

#[test]
fn lanes_that_disagree_are_done_one_by_one() {
    let text = "cmp v0, gt, lt, r0\nifc cmp.x, 4..5\nadd r0, v0, v2\nnop\nmul r0, v0, v2\nmov o0, r0\nend";
    let x: Vec<f32> = (0..23).map(|i| ((i * 7) % 5) as f32 - 2.0).collect();
    let tally = check(text, &x, NO_INTS);
    assert_eq!((tally.compiled, tally.reference), (23, 0));
}

#[test]
fn endless_programs_are_left_to_the_reference() {
    let text = "mov o0, v0\nadd r0, r0, v0\njmpu !b0, 1\nend";
    let tally = check(text, &[1.0, 2.0, 3.0, 4.0, 5.0], NO_INTS);
    assert_eq!((tally.compiled, tally.reference), (0, 5));
    let key = text_key(text);
    let (_, _, done) = values(&key, &[0.0; 8]).run(key.outputs.stride(), |job| kernel(&key).shade(job, 4));
    assert_eq!(done, 4);
}

#[test]
fn one_block_that_is_not_straight() {
    let tally = check("jmpu !b0, 0", &[1.0], NO_INTS);
    assert_eq!((tally.compiled, tally.reference), (0, 1));
    // The end of the loop is never reached, but aL is set.
    let tally = check("loop i0, 400\nmov o0, c0[aL]\nend", &[1.0], [[3, 100, 1, 0]; 4]);
    assert_eq!((tally.compiled, tally.reference), (1, 0));
}

#[test]
fn long_loops_run_out_of_fuel_with_the_reference() {
    // About 256 * 3 instructions for each iteration of the outer loop.
    let text = "loop i0, 6\nloop i1, 4\nadd r0, r0, v0\nnop\nnop\nnop\nnop\nmov o0, r0\nend";
    for outer in [80, 83, 84, 85, 86, 127] {
        let tally = check(text, &[1.0, 2.0, 3.0, 4.0], [[outer, 0, 1, 0], [255, 0, 1, 0], [0; 4], [0; 4]]);
        assert!(outer > 80 || tally.reference == 0, "{tally:?}");
        assert!(outer < 127 || tally.compiled == 0, "{tally:?}");
    }
}

#[test]
fn zero_times_infinity_is_left_to_the_reference() {
    let text = "rcp r0, v0.x\nmul r0, r0, v0.x\nadd o0, r0, v1\nend";
    let tally = check(text, &[1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 7.0, 8.0, 9.0, 1.0, 1.0, 1.0, 0.0], NO_INTS);
    assert_eq!((tally.compiled, tally.reference), (8, 5));
    // Nobody reads it.
    let text = "rcp r0, v0.x\nmul r0, r0, v0.x\nmov o0, v0\nend";
    let tally = check(text, &[0.0; 7], NO_INTS);
    assert_eq!((tally.compiled, tally.reference), (7, 0));
    // A comparison would hide it.
    let text = "rcp r0, v0.x\nmul r0, r0, v0.x\nmax o0, r0, v1\nend";
    assert_eq!(check(text, &[0.0; 7], NO_INTS).compiled, 0);
}

#[test]
fn vertices_beyond_a_window_are_left_to_the_reference() {
    let key = text_key("mov o0, v0\nend");
    let mut batch = values(&key, &[1.0; 10]);
    batch.vertices = vec![0, 9, 3, 4, 5, 6, 10, 7, 8, 9, 1, 2, 3];
    let mut tally = Tally::default();
    compare(&key, &batch, Effort::Baseline, &mut tally);
    assert_eq!((tally.compiled, tally.reference), (9, 4));
    batch.set_stream(0, Vec::new(), 4);
    tally = Tally::default();
    compare(&key, &batch, Effort::Baseline, &mut tally);
    assert_eq!(tally.compiled, 0);
}

#[test]
fn zero_times_infinity_is_compiled_once_it_is_common() {
    // All products there are, with factors of either sign; in the second program lanes disagree as well.
    let products = "mov r0, c0\nmul r1, v0.x, r0\nmad r2, -v0.x, r0, v1\nmad r2.y, -v0.x, r0, -v0.x\ndp3 r3.x, v0.x, r0\n\
                    dp4 r3.y, -v0.x, r0\ndph r3.z, v0.x, -r0\ndst r3.w, v0.x, r0\ndst r4, v0.x, r0\n\
                    mov o0, r1\nmov o1, r2\nmov o2, r3\nmov o3, r4\n";
    let fork = "cmp c1, gt, gt, v0.x\nifc cmp.x, there..there\nmul o4, v0.x, r0\nnop\nthere:\n";
    for text in [format!("{products}end"), format!("{products}{fork}end")] {
        let key = text_key(&text);
        let x: Vec<f32> = (0..53u8).map(|i| if i % 5 == 0 { 0.0 } else { f32::from(i % 7) }).collect();
        let mut batch = values(&key, &x);
        batch.uniforms.floats[0] = [f32::INFINITY, 1.0, f32::NEG_INFINITY, -2.0];
        batch.uniforms.floats[1] = [3.0; 4];
        let (kernel, reference) = (kernel(&key), Interpreter.vertex(&key).expect("a kernel"));
        let stride = key.outputs.stride();
        let (want, want_clip, _) = batch.run(stride, |job| reference.shade(job, 0));
        let mut before = 0;
        for round in 0..100 {
            let mut tally = Tally::default();
            let (got, clip, ()) = batch.run(stride, |job| shade(&*kernel, &*reference, stride, job, &mut tally));
            let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(clip == want_clip && got.iter().zip(&want).all(same), "round {round}");
            if tally.reference == 0 {
                before = round;
                break;
            }
        }
        assert!(before > 4, "exact products before they paid, or never");
    }
}
