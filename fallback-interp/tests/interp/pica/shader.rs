//! The shader unit against the number tests of the hardware, its control flow against traces, and whole programs.

use std::collections::BTreeMap;

use serde_json::Value;
use triglyph_guest::kernel::vertex::{Numbers, Uniforms};
use triglyph_guest::num::F24;
use triglyph_guest::pica::asm;
use triglyph_guest::pica::shbin::Shbin;
use triglyph_interp::pica_shader::{Constants, Ending, Machine, NestedLoop, Program, Slots, Unit, Vector};
use triglyph_testkit::data::{file, floats, items, json, number, numbers};
use triglyph_testkit::pica::flow::flows;

/// Assembles a program for `unit`.
fn assemble(text: &str, unit: Unit) -> Program {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    Program::decode(&program.code, &program.descriptors, unit, Numbers::F32)
}

/// Runs a vertex program on inputs v0, v1, ... and gives o0.
fn run(text: &str, inputs: &[Vector], uniforms: &Uniforms) -> Vector {
    let mut machine = Machine::new(Unit::Vertex);
    machine.inputs[..inputs.len()].copy_from_slice(inputs);
    let ending = machine.run(&assemble(text, Unit::Vertex), &Constants { uniforms, bools: 0 }, 0, &mut |_| {});
    assert_eq!(ending, Ending::Finished, "{text}");
    machine.outputs()[0]
}

fn run_plain(text: &str, inputs: &[Vector]) -> Vector {
    run(text, inputs, &Uniforms::default())
}

/// A number of the vectors: decimal, inf, nan or the bits of a 24-bit float.
fn special(value: &Value) -> f32 {
    match value.as_str().expect("text") {
        "inf" => f32::INFINITY,
        "-inf" => f32::NEG_INFINITY,
        "nan" => f32::NAN,
        hex if hex.starts_with("0x") => F24::decode(number(value) as u32),
        decimal => decimal.parse().expect("a number"),
    }
}

#[test]
fn special_values_of_arithmetic() {
    let mut tried = 0;
    for case in items(&json("3ds/vectors/shader.json")["alu_special_cases"]) {
        // Flushing of subnormal 24-bit floats is no rule of 32-bit registers.
        if case["note"].as_str().is_some_and(|note| note.contains("subnormal")) {
            continue;
        }
        let mnemonic = case["op"].as_str().expect("a mnemonic").to_lowercase();
        let (a, want) = (special(&case["a"]), special(&case["r"]));
        let (text, b) = match case.get("b") {
            Some(b) => (format!("{mnemonic} o0, v0, v1\nend"), special(b)),
            None => (format!("{mnemonic} o0, v0\nend"), 0.0),
        };
        for got in run_plain(&text, &[[a; 4], [b; 4]]) {
            assert!(
                got == want && got.is_sign_positive() == want.is_sign_positive() || got.is_nan() && want.is_nan(),
                "{case}: {got}"
            );
        }
        tried += 1;
    }
    assert_eq!(tried, 18);
}

#[test]
fn zero_times_infinity_is_zero_wherever_there_is_a_product() {
    let (zero, infinity, nan) = ([0.0; 4], [f32::INFINITY; 4], [f32::NAN; 4]);
    for text in ["mul o0, v0, v1", "mad o0, v0, v1, v2", "dp3 o0, v0, v1", "dp4 o0, v0, v1"] {
        let text = format!("{text}\nend");
        assert_eq!(run_plain(&text, &[zero, infinity, zero]), zero, "{text}");
        assert_eq!(run_plain(&text, &[infinity, zero, zero]), zero, "{text}");
        assert!(run_plain(&text, &[zero, nan, zero])[0].is_nan(), "{text}");
    }
    assert_eq!(
        run_plain("dst o0, v0, v1\nend", &[zero, [f32::INFINITY, f32::INFINITY, 3.0, 4.0]]),
        [1.0, 0.0, 0.0, 4.0]
    );
    assert_eq!(run_plain("dph o0, v0, v1\nend", &[zero, [f32::INFINITY, f32::INFINITY, 1.0, 4.0]]), [4.0; 4]);
}

#[test]
fn products_of_mad_are_rounded_before_the_sum() {
    let a = 1.0 + f32::EPSILON;
    let product = a * a;
    assert_eq!(run_plain("mad o0, v0, v0, -v1\nend", &[[a; 4], [product; 4]]), [0.0; 4]);
}

#[test]
fn no_negative_zero_out_of_reciprocals() {
    let got =
        run_plain("rcp r0, v0\nrcp o0.x, r0\nrcp o0.y, v0\nrsq o0.zw, v1\nend", &[[f32::NEG_INFINITY; 4], [-0.0; 4]]);
    assert_eq!(got[0], f32::INFINITY);
    assert_eq!(got[1].to_bits(), 0);
    assert_eq!(got[2..], [f32::INFINITY; 2]);
}

#[test]
fn flags_and_values_of_litp() {
    const BOUND: f32 = 127.0 + 255.0 / 256.0;
    let text = "litp o0, v0\nend";
    assert_eq!(run_plain(text, &[[2.0, 200.0, 9.0, -3.0]]), [2.0, BOUND, 0.0, 0.0]);
    assert_eq!(run_plain(text, &[[-2.0, -200.0, 9.0, 3.0]]), [0.0, -BOUND, 0.0, 3.0]);
    let text = "litp r0, v0\nifc cmp.x && !cmp.y, 3..4\nmov o0, v1\nmov o0.x, v2\nend";
    assert_eq!(run_plain(text, &[[2.0, 0.0, 0.0, -3.0], [5.0; 4], [6.0; 4]]), [5.0; 4]);
}

#[test]
fn comparisons_six_and_seven_are_true_and_nan_is_unequal() {
    for (comparison, number, nan) in [
        ("eq", false, false),
        ("ne", true, true),
        ("lt", true, false),
        ("le", true, false),
        ("gt", false, false),
        ("ge", false, false),
        ("t6", true, true),
        ("t7", true, true),
    ] {
        for (b, want) in [(2.0, number), (f32::NAN, nan)] {
            let text = format!("cmp v0, {comparison}, {comparison}, v1\nifc cmp.x, 3..4\nmov o0, v0\nnop\nend");
            let got = run_plain(&text, &[[1.0; 4], [b; 4]]);
            assert_eq!(got == [1.0; 4], want, "1 {comparison} {b}");
        }
    }
}

#[test]
fn relative_addressing() {
    let mut uniforms = Uniforms::default();
    for (n, value) in uniforms.floats[..96].iter_mut().enumerate() {
        *value = [n as f32 + 100.0; 4];
    }
    let register = |name: &str| name[1..].parse::<usize>().map(|n| [n as f32 + 100.0; 4]);
    for case in items(&json("3ds/vectors/shader.json")["relative_addressing"]) {
        let base = case["base"].as_str().expect("a register");
        let offset = number(&case["offset"]) as f32;
        let want = match case["result"].as_str().expect("a register") {
            "ones" => [1.0; 4],
            name => register(name).expect("a register"),
        };
        for index in ["x", "y"] {
            // The fraction is cut toward zero.
            let fraction = if offset < 0.0 { -0.75 } else { 0.75 };
            let text = format!("mova a0.{index}, v0\nnop\nmov o0, {base}[a0.{index}]\nend");
            assert_eq!(run(&text, &[[offset + fraction; 4]], &uniforms), want, "{case}");
        }
    }
    for (value, want) in [(f32::NAN, 140.0), (1e20, 140.0), (-1e20, 140.0), (1.5, 141.0), (-1.5, 139.0)] {
        let text = "mova a0.x, v0\nnop\nmov o0, c40[a0.x]\nend";
        assert_eq!(run(text, &[[value; 4]], &uniforms), [want; 4], "{value}");
    }
}

#[test]
fn loop_counters_have_more_than_eight_bits() {
    let mut uniforms = Uniforms::default();
    for (n, value) in uniforms.floats[..96].iter_mut().enumerate() {
        *value = [n as f32; 4];
    }
    // aL in the last of two rounds; from 128 on it adds nothing, and at 256 it does not begin again.
    for (start, step, number) in [(3, 4, 12), (120, 7, 132 & 0x7F), (120, 8, 5), (250, 10, 5), (255, 255, 5)] {
        uniforms.ints[0] = [1, start, step, 0];
        let text = "loop i0, last\nmov o0, c5[aL]\nlast:\nnop\nend";
        assert_eq!(run(text, &[], &uniforms), [number as f32; 4], "{start} {step}");
    }
}

/// Runs a program and notes the address of each instruction and aL before it.
fn trace(program: &Program, constants: &Constants<'_>) -> (Vec<i64>, Vec<i64>) {
    let mut machine = Machine::new(Unit::Vertex);
    let (mut addresses, mut counters) = (Vec::new(), Vec::new());
    let mut next = Some(0);
    while let Some(pc) = next {
        addresses.push(i64::from(pc));
        counters.push(i64::from(machine.loop_counter()));
        assert!(addresses.len() < 1000, "runs away");
        next = machine.step(program, constants, pc, &mut |_| {});
    }
    (addresses, counters)
}

#[test]
fn control_flow_traces() {
    for flow in flows() {
        let (program, ints) = flow.plain();
        let uniforms = Uniforms { ints, ..Uniforms::default() };
        let constants = Constants { uniforms: &uniforms, bools: 2 };
        let (addresses, counters) = trace(&assemble(&program, Unit::Vertex), &constants);
        assert_eq!((addresses, counters), (flow.trace, flow.counters), "{}", flow.name);
    }
}

/// The addresses a program without uniforms visits.
fn addresses(text: &str) -> Vec<i64> {
    trace(&assemble(text, Unit::Vertex), &Constants { uniforms: &Uniforms::default(), bools: 1 }).0
}

#[test]
fn fourth_return_in_a_row_is_not_followed() {
    // Each call is the last instruction of its block, so all blocks end together.
    let three = "call 2..3\nend\ncall 4..5\nend\ncall 6..7\nend\nnop\nend";
    assert_eq!(addresses(three), [0, 2, 4, 6, 1]);
    let four = "call 2..3\nend\ncall 4..5\nend\ncall 6..7\nend\ncall 8..9\nend\nnop\nend";
    assert_eq!(addresses(four), [0, 2, 4, 6, 8, 3]);
}

#[test]
fn a_full_call_stack_forgets_the_oldest() {
    let text = "call 2..4\nend\ncall 4..6\nnop\ncall 6..8\nnop\ncall 8..10\nnop\ncall 10..11\nnop\nnop\nend";
    // Four calls return; after 3 the first one should, too, but the program runs into 4.
    assert_eq!(addresses(text)[..11], [0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 4]);
}

#[test]
fn break_without_a_loop_ends() {
    assert_eq!(addresses("nop\nbreak\nnop\nend"), [0, 1]);
}

#[test]
fn programs_end_with_code_memory_and_with_fuel() {
    let uniforms = Uniforms::default();
    let constants = Constants { uniforms: &uniforms, bools: 1 };
    for (unit, jump) in [(Unit::Vertex, "jmpu b0, 512"), (Unit::Geometry, "jmpu b0, 4095")] {
        let mut machine = Machine::new(unit);
        assert_eq!(machine.run(&assemble(jump, unit), &constants, 0, &mut |_| {}), Ending::Finished);
    }
    let mut machine = Machine::new(Unit::Vertex);
    machine.inputs[0] = [1.0; 4];
    let endless = assemble("add r0, r0, v0\nmov o0, r0\njmpu b0, 0", Unit::Vertex);
    assert_eq!(machine.run(&endless, &constants, 0, &mut |_| {}), Ending::OutOfFuel);
    assert_eq!(machine.outputs()[0], [21845.0; 4]);
    assert_eq!(machine.run(&endless, &constants, u16::MAX, &mut |_| {}), Ending::Finished);
}

#[test]
fn emit_is_nothing_to_a_vertex_unit() {
    let text = "mov o0, v0\nsetemit 0, prim\nemit\nmov o0.x, v1\nend";
    assert_eq!(run_plain(text, &[[1.0; 4], [2.0; 4]]), [2.0, 1.0, 1.0, 1.0]);
}

#[test]
fn outputs_have_two_banks() {
    let mut machine = Machine::new(Unit::Geometry);
    machine.inputs[0] = [1.0; 4];
    machine.inputs[1] = [2.0; 4];
    let text = "mov o0, v0\nsetemit 0\nemit\nmov o0, v1\nsetemit 1\nemit\nsetemit 2, prim\nemit\nend";
    let program = assemble(text, Unit::Geometry);
    let mut seen = Vec::new();
    let uniforms = Uniforms::default();
    let mut slots = Slots::default();
    machine.run(&program, &Constants { uniforms: &uniforms, bools: 0 }, 0, &mut |emitted| {
        seen.extend(slots.store(emitted).map(|triangle| triangle.vertices.map(|outputs| outputs[0][0])));
    });
    assert_eq!(seen, [[1.0, 2.0, 1.0]]);
}

/// The program of a file as its unit would run it.
fn read_shbin(name: &str, unit: Unit) -> Program {
    let bytes = std::fs::read(file(&format!("data/3ds/shaders/{name}.shbin"))).expect("a program file");
    let program = Shbin::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).program;
    Program::decode(&program.code, &program.descriptors, unit, Numbers::F32)
}

/// What a run gave: outputs by register, and each triangle with whether it is inverted.
type Outcome = (BTreeMap<String, Vector>, Vec<(Vec<Vec<Vector>>, bool)>);

fn run_case(program: &Program, header: &Value, case: &Value, nested_loop: NestedLoop) -> Outcome {
    let unit = if header["entry"] == "geometry" { Unit::Geometry } else { Unit::Vertex };
    let mask = number(&header["output_mask"]);
    let registers: Vec<usize> = (0..16).filter(|n| mask >> n & 1 != 0).collect();
    let mut machine = Machine::new(unit);
    machine.nested_loop = nested_loop;
    for (register, value) in machine.inputs.iter_mut().zip(items(&case["inputs"])) {
        *register = floats(value);
    }
    let mut uniforms = Uniforms::default();
    for (name, value) in case["float_uniforms"].as_object().expect("an object") {
        uniforms.floats[name.parse::<usize>().expect("a register")] = floats(value);
    }
    for (integer, value) in uniforms.ints.iter_mut().zip(items(&case["int_uniforms"])) {
        *integer = numbers::<4>(value).map(|v| v as u8);
    }
    let bools = items(&case["bool_uniforms"]);
    let bools = bools.iter().enumerate().fold(0, |all, (n, value)| all | u16::from(value == &Value::Bool(true)) << n);
    let mut triangles = Vec::new();
    let constants = Constants { uniforms: &uniforms, bools };
    let mut slots = Slots::default();
    let ending = machine.run(program, &constants, number(&header["main_offset"]) as u16, &mut |emitted| {
        let Some(triangle) = slots.store(emitted) else { return };
        let vertices = triangle.vertices.map(|outputs| registers.iter().map(|&n| outputs[n]).collect());
        triangles.push((vertices.to_vec(), triangle.inverted));
    });
    assert_eq!(ending, Ending::Finished);
    let outputs = registers.iter().map(|&n| (n.to_string(), machine.outputs()[n])).collect();
    (outputs, triangles)
}

/// How many components of `got` are too far from the expected ones.
fn differences(got: &Vector, want: &Value) -> usize {
    let far = |(got, want): (&f32, f32)| (got - want).abs() > 1e-5 * want.abs().max(1.0);
    got.iter().zip(floats::<4>(want)).filter(|&pair| far(pair)).count()
}

/// The number of wrong components in all runs of a program.
fn check_program(name: &str, nested_loop: NestedLoop) -> usize {
    let header = json(&format!("3ds/shaders/{name}.json"));
    let unit = if header["entry"] == "geometry" { Unit::Geometry } else { Unit::Vertex };
    let program = read_shbin(name, unit);
    let cases = items(&header["cases"]);
    assert_eq!(cases.len(), 16, "{name}");
    let mut wrong = 0;
    for case in cases {
        let (outputs, triangles) = run_case(&program, &header, case, nested_loop);
        if let Some(want) = case["outputs"].as_object() {
            assert_eq!(outputs.len(), want.len(), "{name}");
            wrong += want.iter().map(|(register, want)| differences(&outputs[register], want)).sum::<usize>();
        }
        if let Some(want) = case["emitted"].as_array() {
            let mut want = want.iter().peekable();
            for (vertices, inverted) in &triangles {
                let marked = want.next_if(|&item| item == "invert").is_some();
                assert_eq!(marked, *inverted, "{name}");
                for vertex in vertices {
                    let want = items(want.next().expect("a vertex"));
                    wrong += vertex.iter().zip(want).map(|(got, want)| differences(got, want)).sum::<usize>();
                }
            }
            assert!(want.next().is_none() && !triangles.is_empty(), "{name}: triangles are missing");
        }
    }
    wrong
}

#[test]
fn whole_programs() {
    for name in ["alu", "special", "branch", "loops", "madrel", "fan", "flat", "uniformflow"] {
        assert_eq!(check_program(name, NestedLoop::Intended), 0, "{name}");
    }
}

/// The results come from an interpreter that assumes another aL after an inner loop.
#[test]
fn nested_loops_both_ways() {
    assert_eq!(check_program("nested", NestedLoop::InnerStart), 0);
    assert_eq!(check_program("nested", NestedLoop::Intended), 67);
}

/// Uses DST and LITP, for which there are no results; it has to run through.
#[test]
fn distance_runs() {
    let program = read_shbin("distance", Unit::Vertex);
    let mut machine = Machine::new(Unit::Vertex);
    machine.inputs = std::array::from_fn(|n| [n as f32 * 0.25 - 1.0; 4]);
    let uniforms = Uniforms::default();
    let ending = machine.run(&program, &Constants { uniforms: &uniforms, bools: 0 }, 0, &mut |_| {});
    assert_eq!(ending, Ending::Finished);
}

#[test]
fn arbitrary_programs_stop() {
    let mut noise = triglyph_testkit::random::Random::new(1);
    for _ in 0..60 {
        let code: Vec<u32> = (0..200).map(|_| noise.word()).collect();
        let descriptors: Vec<u32> = (0..128).map(|_| noise.word()).collect();
        let ints = std::array::from_fn(|_| noise.word().to_le_bytes());
        let uniforms = Uniforms { ints, ..Uniforms::default() };
        let constants = Constants { uniforms: &uniforms, bools: noise.word() as u16 };
        for unit in [Unit::Vertex, Unit::Geometry] {
            let program = Program::decode(&code, &descriptors, unit, Numbers::F32);
            let mut machine = Machine::new(unit);
            machine.inputs = std::array::from_fn(|_| std::array::from_fn(|_| f32::from_bits(noise.word())));
            machine.run(&program, &constants, noise.below(256) as u16, &mut |_| {});
        }
    }
}
