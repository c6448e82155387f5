//! The shader's part of the test vectors, and the programs of `tests/data/3ds/shaders`, on both tiers. `vectors.rs` has
//! the list of what is tested where.

use triglyph_guest::kernel::vertex::{Numbers, Uniforms};
use triglyph_guest::num::F24;
use triglyph_guest::pica::isa::{decode, disassemble};
use triglyph_guest::pica::{Program, shbin::Shbin};
use triglyph_interp::pica_shader::{self, Constants, Ending, Machine, NestedLoop, Slots, Unit};
use triglyph_testkit::data::{Value, file, floats, items, json, number, numbers, text};
use triglyph_testkit::number::same;
use triglyph_testkit::pica::flow::flows;
use triglyph_testkit::pica::vertex::VertexCase;
use triglyph_testkit::tiers::tiers;

/// The vectors' text of an instruction, as the listing has it.
fn in_our_words(text: &str) -> String {
    let mut out = text.to_lowercase().replace("[al]", "[aL]").replace(".xyzw", "");
    for flag in ["cmp.x", "cmp.y", "b4"] {
        out = out.replace(&format!("{flag}==1"), flag).replace(&format!("{flag}==0"), &format!("!{flag}"));
    }
    if let Some((head, block)) = out.split_once(" dst=") {
        let numbers: Vec<u32> = block.split(" num=").map(|n| n.parse().expect("a number")).collect();
        let comma = if head.contains(' ') { "," } else { "" };
        let end = numbers.get(1).map(|count| format!("..{}", numbers[0] + count)).unwrap_or_default();
        out = format!("{head}{comma} {}{end}", numbers[0]);
    }
    out.replace(" vtx=", " ")
        .replace(" prim=1", ", prim")
        .replace(" winding=1", ", inv")
        .replace(" prim=0", "")
        .replace(" winding=0", "")
}

#[test]
fn instructions() {
    for case in items(&json("3ds/vectors/shader.json")["instructions"]) {
        let (word, descriptor) = (number(&case["word"]) as u32, number(&case["opdesc"]) as u32);
        let want = in_our_words(text(&case["text"]));
        assert_eq!(disassemble(word, &[descriptor; 128]), want);
        let index = decode(word).expect("a known instruction").info().pattern.field(b'p') as u32;
        let place = if index == 0 { String::new() } else { format!(" @{}", word & index) };
        let again = Program::assemble(&format!("{want}{place}")).unwrap_or_else(|error| panic!("{want}: {error}"));
        assert_eq!(again.code, [word], "{want}");
    }
}

/// o0 to o15 of a program on every tier, which have to agree.
fn run(case: &VertexCase) -> Vec<[f32; 4]> {
    let mut outputs: Option<Vec<[f32; 4]>> = None;
    for (name, tier) in tiers() {
        let got = case.outputs(&*tier).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        let want = outputs.get_or_insert_with(|| got.clone());
        let equal = got.iter().flatten().zip(want.iter().flatten()).all(|(&a, &b)| same(a, b));
        assert!(equal, "{name} gives {got:?}, not {want:?}");
    }
    outputs.expect("the reference")
}

#[test]
fn relative_addressing() {
    let registers = |n: usize| [n as f32 + 100.0; 4];
    for case in items(&json("3ds/vectors/shader.json")["relative_addressing"]) {
        let want = match text(&case["result"]) {
            "ones" => [1.0; 4],
            register => registers(register[1..].parse().expect("a register")),
        };
        for index in ["x", "y"] {
            let base = text(&case["base"]);
            let mut program =
                VertexCase::assemble(&format!("mova a0.{index}, v0\nnop\nmov o0, {base}[a0.{index}]\nend"), 0);
            for (n, value) in program.uniforms.floats[..96].iter_mut().enumerate() {
                *value = registers(n);
            }
            // The fraction is cut toward zero.
            let offset = number(&case["offset"]) as f32;
            program.fixed[0] = [offset + 0.75f32.copysign(offset); 4];
            assert_eq!(run(&program)[0], want, "{case}");
        }
    }
}

#[test]
fn special_values() {
    let value = |value: &Value| match text(value) {
        "inf" => f32::INFINITY,
        "-inf" => f32::NEG_INFINITY,
        "nan" => f32::NAN,
        hexadecimal if hexadecimal.starts_with("0x") => F24::decode(number(value) as u32),
        decimal => decimal.parse().expect("a number"),
    };
    for case in items(&json("3ds/vectors/shader.json")["alu_special_cases"]) {
        // Registers here have 32 bits: what is subnormal in 24 bits is an ordinary number.
        if case["note"].as_str().is_some_and(|note| note.contains("subnormal")) {
            continue;
        }
        let operands = if case.get("b").is_some() { "v0, v1" } else { "v0" };
        let mut program = VertexCase::assemble(&format!("{} o0, {operands}\nend", text(&case["op"]).to_lowercase()), 0);
        program.fixed[0] = [value(&case["a"]); 4];
        program.fixed[1] = case.get("b").map_or([0.0; 4], |b| [value(b); 4]);
        let (got, want) = (run(&program)[0], value(&case["r"]));
        assert!(got.iter().all(|&got| same(got, want)), "{case}: {got:?}");
    }
}

const BASES: [f32; 4] = [1.0, 2.0, 3.0, 5.0];

/// What is left of a row of numbers that are added to (0, 0, 0, 0), each after a multiplication by [`BASES`].
fn trail(steps: impl Iterator<Item = i64>) -> [f32; 4] {
    let add = |sum: [f32; 4], step| std::array::from_fn(|component| sum[component] * BASES[component] + step as f32);
    steps.fold([0.0; 4], add)
}

/// Kernels do not tell which instructions they execute, so each NOP is replaced by one that leaves a trail in r0: once
/// of addresses, which are the values of the inputs, once of aL, which is read through c0\[aL\]. END jumps to where r0
/// is written out.
#[test]
fn control_flow() {
    const LAST: usize = 40;
    for flow in flows() {
        let steps = flow.trace.iter().zip(&flow.counters);
        let nops: Vec<_> = steps.filter(|&(&address, _)| flow.lines[address as usize] == "NOP").collect();
        let outcome = |mark: fn(usize) -> String| {
            let (mut program, ints) = flow.program(mark, &format!("jmpu b1, {LAST}"));
            program += &"nop\n".repeat(LAST - flow.lines.len());
            let mut case = VertexCase::assemble(&(program + "mov o0, r0\nend"), 2);
            case.uniforms.ints = ints;
            case.uniforms.floats = std::array::from_fn(|n| [n as f32; 4]);
            case.uniforms.floats[95] = BASES;
            case.fixed = std::array::from_fn(|n| [n as f32; 4]);
            case.fixed[15] = BASES;
            run(&case)[0]
        };
        let name = &flow.name;
        let got = outcome(|address| format!("mad r0, r0, c95, v{address}"));
        assert_eq!(got, trail(nops.iter().map(|(address, _)| **address)), "addresses, {name}");
        let got = outcome(|_| "madi r0, r0, v15, c0[aL]".to_owned());
        assert_eq!(got, trail(nops.iter().map(|(_, counter)| **counter)), "aL, {name}");
    }
}

/// The sixteen runs of one entry point of a program.
struct Runs {
    header: Value,
    program: Program,
}

impl Runs {
    fn new(name: &str) -> Self {
        let bytes = std::fs::read(file("data/3ds/shaders").join(name).with_extension("shbin")).expect("a program file");
        let program = Shbin::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).program;
        let header = json(&format!("3ds/shaders/{name}.json"));
        assert_eq!(items(&header["cases"]).len(), 16, "{name}");
        Runs { header, program }
    }

    /// The registers that the program may write.
    fn registers(&self) -> Vec<usize> {
        let mask = number(&self.header["output_mask"]);
        (0..16).filter(|n| mask >> n & 1 != 0).collect()
    }

    fn entry(&self) -> u16 {
        number(&self.header["main_offset"]) as u16
    }

    /// What a run reads: inputs, uniforms, bools.
    fn inputs(case: &Value) -> ([[f32; 4]; 16], Uniforms, u16) {
        let mut uniforms = Uniforms::default();
        for (name, value) in case["float_uniforms"].as_object().expect("an object") {
            uniforms.floats[name.parse::<usize>().expect("a register")] = floats(value);
        }
        for (integer, value) in uniforms.ints.iter_mut().zip(items(&case["int_uniforms"])) {
            *integer = numbers::<4>(value).map(|v| v as u8);
        }
        let bools = items(&case["bool_uniforms"]).iter().enumerate();
        let bools = bools.fold(0, |all, (n, value)| all | u16::from(value == &Value::Bool(true)) << n);
        (std::array::from_fn(|n| floats(&items(&case["inputs"])[n])), uniforms, bools)
    }

    /// A run on the reference's machine, which has more to say than a kernel: outputs, and triangles with whether they
    /// are inverted.
    fn on_machine(&self, case: &Value, unit: Unit, nested_loop: NestedLoop) -> (Vec<[f32; 4]>, Vec<Emitted>) {
        let (inputs, uniforms, bools) = Self::inputs(case);
        let mut machine = Machine::new(unit);
        (machine.inputs, machine.nested_loop) = (inputs, nested_loop);
        let program = pica_shader::Program::decode(&self.program.code, &self.program.descriptors, unit, Numbers::F32);
        let mut emitted = Vec::new();
        let constants = Constants { uniforms: &uniforms, bools };
        let mut slots = Slots::default();
        let ending = machine.run(&program, &constants, self.entry(), &mut |emission| {
            let Some(triangle) = slots.store(emission) else { return };
            let vertex = |outputs: &[[f32; 4]; 16]| self.registers().iter().map(|&n| outputs[n]).collect();
            emitted.push((triangle.vertices.map(vertex).to_vec(), triangle.inverted));
        });
        assert_eq!(ending, Ending::Finished);
        (machine.outputs().to_vec(), emitted)
    }
}

/// Three vertices with the registers that count, and whether the winding is inverted.
type Emitted = (Vec<Vec<[f32; 4]>>, bool);

/// How many components are further from the expected ones than 32-bit floats rounded to nearest allow.
fn wrong(got: &[f32; 4], want: &Value) -> usize {
    let far = |(got, want): (&f32, f32)| (got - want).abs() > 1e-5 * want.abs().max(1.0);
    got.iter().zip(floats::<4>(want)).filter(|&pair| far(pair)).count()
}

#[test]
fn vertex_programs() {
    for name in ["alu", "special", "branch", "loops", "madrel", "flat", "uniformflow"] {
        let runs = Runs::new(name);
        for (number, case) in items(&runs.header["cases"]).iter().enumerate() {
            let (inputs, uniforms, bools) = Runs::inputs(case);
            let mut program = VertexCase::new(&runs.program, runs.entry(), bools);
            (program.fixed, program.uniforms) = (inputs, uniforms);
            let outputs = run(&program);
            let want = case["outputs"].as_object().expect("outputs");
            assert_eq!(want.len(), runs.registers().len());
            for (register, want) in want {
                let got = &outputs[register.parse::<usize>().expect("a register")];
                assert_eq!(wrong(got, want), 0, "{name}, run {number}: o{register} is {got:?}, not {want}");
            }
        }
    }
}

#[test]
fn geometry_programs() {
    let runs = Runs::new("fan");
    for (number, case) in items(&runs.header["cases"]).iter().enumerate() {
        let (_, triangles) = runs.on_machine(case, Unit::Geometry, NestedLoop::Intended);
        assert!(!triangles.is_empty());
        let mut want = items(&case["emitted"]).iter().peekable();
        for (vertices, inverted) in &triangles {
            assert_eq!(want.next_if(|&item| item == "invert").is_some(), *inverted, "run {number}");
            for vertex in vertices {
                let want = items(want.next().expect("a vertex"));
                let all: usize = vertex.iter().zip(want).map(|(got, want)| wrong(got, want)).sum();
                assert_eq!(all, 0, "run {number}: {vertex:?}, not {want:?}");
            }
        }
        assert_eq!(want.next(), None, "run {number}: triangles are missing");
    }
}

/// The results come from an interpreter with another value of aL after an inner loop, which an option of the reference
/// selects. By default it does not, and neither does compiled code.
#[test]
fn nested_loops() {
    let runs = Runs::new("nested");
    let (mut others, mut ours, mut kernels) = (0, 0, 0);
    for case in items(&runs.header["cases"]) {
        let differences = |outputs: &[[f32; 4]]| -> usize {
            let want = case["outputs"].as_object().expect("outputs").iter();
            want.map(|(register, want)| wrong(&outputs[register.parse::<usize>().expect("a register")], want)).sum()
        };
        others += differences(&runs.on_machine(case, Unit::Vertex, NestedLoop::InnerStart).0);
        ours += differences(&runs.on_machine(case, Unit::Vertex, NestedLoop::Intended).0);
        let (inputs, uniforms, bools) = Runs::inputs(case);
        let mut program = VertexCase::new(&runs.program, runs.entry(), bools);
        (program.fixed, program.uniforms) = (inputs, uniforms);
        kernels += differences(&run(&program));
    }
    assert_eq!([others, ours, kernels], [0, 67, 67]);
}

/// DST in both forms and LITP, for which there are no results: both tiers have to agree, as [`run`] checks.
#[test]
fn a_program_without_results() {
    let bytes = std::fs::read(file("data/3ds/shaders/distance.shbin")).expect("a program file");
    let program = Shbin::parse(&bytes).expect("a program").program;
    let mut case = VertexCase::new(&program, 0, 0);
    case.fixed = std::array::from_fn(|n| [n as f32 * 0.25 - 1.0; 4]);
    assert_ne!(run(&case), vec![[0.0; 4]; 16], "it writes something");
}
