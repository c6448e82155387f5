//! Shader programs of Tegra X1: the vectors of single instructions and of whole programs, lane by lane.

use std::collections::HashMap;

use serde_json::{Map, Value};
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::kernel::{Accuracy, Window};
use triglyph_guest::tegra::shader::isa::{Pred, PredSource, Reg};
use triglyph_guest::tegra::shader::program::NEUTRAL_CONTROL;
use triglyph_interp::maxwell::context::{Attribute, Context, Interpolated, InterpolationPoint, Surroundings};
use triglyph_interp::maxwell::lane::{Condition, Lane};
use triglyph_interp::maxwell::program::Program;
use triglyph_interp::maxwell::warp::Warp;
use triglyph_testkit::data::json;

/// Attributes and planes by lane.
#[derive(Default)]
struct Attributes {
    inputs: Vec<HashMap<u8, u32>>,
    outputs: Vec<HashMap<u8, u32>>,
    planes: Vec<HashMap<u8, u32>>,
}

impl Surroundings for Attributes {
    fn load(&self, lane: &Lane, _: &Attribute, word: u8) -> u32 {
        self.inputs.get(lane.id as usize).and_then(|words| words.get(&word)).copied().unwrap_or(0)
    }

    fn store(&mut self, lane: &Lane, _: &Attribute, word: u8, value: u32) {
        self.outputs[lane.id as usize].insert(word, value);
    }

    fn interpolate(&self, lane: &Lane, word: u8, _: InterpolationPoint) -> Interpolated {
        let flat = self.planes.get(lane.id as usize).and_then(|words| words.get(&word)).copied().unwrap_or(0);
        Interpolated::Value { value: f32::from_bits(flat), flat }
    }

    fn kills(&self) -> bool {
        true
    }
}

fn data(name: &str) -> Value {
    json(&format!("tegra/vectors/{name}"))
}

fn wide(value: &Value) -> u64 {
    let text = value.as_str().expect("hexadecimal text");
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal number")
}

fn number(value: &Value) -> u32 {
    wide(value) as u32
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// `R12`, `P3`, `CC`: sets it.
fn set(lane: &mut Lane, name: &str, value: &Value) {
    match (&name[..1], name) {
        (_, "CC") => lane.condition = condition(value.as_str().expect("flags")),
        ("R", _) => lane.write(Reg(name[1..].parse().expect("a register")), number(value)),
        ("P", _) => lane.set_pred(Pred(name[1..].parse().expect("a predicate")), value.as_bool().expect("a truth")),
        _ => panic!("no {name}"),
    }
}

fn condition(flags: &str) -> Condition {
    let has = |flag| flags.contains(flag);
    Condition { zero: has('Z'), sign: has('S'), carry: has('C'), overflow: has('O') }
}

/// Whether two words are equal, as floats within a relative tolerance.
fn close(got: u32, want: u32, tolerance: f64) -> bool {
    let [a, b] = [got, want].map(|bits| f64::from(f32::from_bits(bits)));
    got == want || tolerance != 0.0 && (a - b).abs() <= tolerance * b.abs().max(1e-3)
}

/// What the lane has differs from what is wanted.
fn check(lane: &Lane, attributes: &Attributes, name: &str, want: &Value, tolerance: f64) -> Option<String> {
    let differs = match (&name[..1], name) {
        (_, "CC") => {
            let want = condition(want.as_str().expect("flags"));
            (lane.condition != want).then(|| format!("{:?}", lane.condition))
        }
        (_, "killed") => (lane.helper != want.as_bool().expect("a truth")).then(|| lane.helper.to_string()),
        ("R", _) => {
            let got = lane.read(Reg(name[1..].parse().expect("a register")));
            (!close(got, number(want), tolerance)).then(|| format!("{got:#010x}"))
        }
        ("P", _) => {
            let pred = PredSource { pred: Pred(name[1..].parse().expect("a predicate")), not: false };
            (lane.pred(pred) != want.as_bool().expect("a truth")).then(|| lane.pred(pred).to_string())
        }
        ("a", _) => {
            let address = number(&Value::from(name.trim_start_matches("a[").trim_end_matches(']')));
            let got = attributes.outputs[lane.id as usize].get(&((address >> 2) as u8)).copied().unwrap_or(0);
            (!close(got, number(want), tolerance)).then(|| format!("{got:#010x}"))
        }
        _ => panic!("no {name}"),
    };
    differs.map(|got| format!("lane {}: {name} is {got}, not {want}", lane.id))
}

/// Constant buffers: `c[1]` to byte offsets to words.
fn constants(value: Option<&Value>) -> Vec<(usize, Vec<u8>)> {
    let mut buffers = Vec::new();
    for (name, words) in value.map(object).into_iter().flatten() {
        let slot = name.trim_start_matches("c[").trim_end_matches(']').parse().expect("a slot");
        let mut bytes = vec![0; 1024];
        for (offset, word) in object(words) {
            let offset = number(&Value::from(offset.as_str())) as usize;
            bytes[offset..offset + 4].copy_from_slice(&number(word).to_le_bytes());
        }
        buffers.push((slot, bytes));
    }
    buffers
}

fn words_of(value: Option<&Value>) -> Vec<HashMap<u8, u32>> {
    let lane = |words: &Value| {
        let pair =
            |(address, word): (&String, &Value)| ((number(&Value::from(address.as_str())) >> 2) as u8, number(word));
        object(words).iter().map(pair).collect()
    };
    value.map(list).unwrap_or(&[]).iter().map(lane).collect()
}

/// Runs code for lanes and gives what is not as expected.
fn run(code: &[u64], case: &Value, inputs: &[Value], expect: &[Value], tolerance: f64) -> Vec<String> {
    let program = Program::new(&Code { words: code.to_vec(), accuracy: Accuracy::Exact, ..Code::default() });
    let buffers = constants(case.get("cbuf"));
    let stored: Vec<_> = buffers.iter().map(|(slot, bytes)| (*slot, buffer(bytes))).collect();
    let mut windows = [Window::default(); 18];
    for (slot, bytes) in &stored {
        windows[*slot] = Window::new(bytes);
    }
    let mut attributes = Attributes {
        inputs: words_of(case.get("attributes_in")),
        outputs: vec![HashMap::new(); inputs.len()],
        planes: words_of(case.get("interpolated")),
    };
    let environment = Environment { constants: &windows, ..Environment::NONE };
    let mut warp = Warp::default();
    warp.start(inputs.len(), &program);
    for (lane, values) in warp.lanes.iter_mut().zip(inputs) {
        object(values).iter().for_each(|(name, value)| set(lane, name, value));
    }
    let mut context =
        Context { environment: &environment, textures: &[], images: &[], stage: &mut attributes, executed: 0 };
    warp.finish(&program, &mut context, &mut ());
    let lanes = warp.lanes.iter().zip(expect);
    let values = lanes.flat_map(|(lane, expect)| object(expect).iter().map(move |(name, want)| (lane, name, want)));
    values.filter_map(|(lane, name, want)| check(lane, &attributes, name, want, tolerance)).collect()
}

#[test]
fn single_instructions() {
    const EXIT: u64 = 0xE300_0000_0007_000F;
    let cases = data("exec.json");
    let mut failures = Vec::new();
    for case in list(&cases["cases"]) {
        let code = [NEUTRAL_CONTROL, wide(&case["word"]), EXIT, EXIT];
        let differences = run(&code, case, &[case["in"].clone()], &[case["out"].clone()], 0.0);
        failures.extend(differences.iter().map(|difference| format!("{} {}: {difference}", case["text"], case["in"])));
    }
    assert_eq!(list(&cases["cases"]).len(), 200);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn whole_programs() {
    let programs = data("programs.json");
    let mut failures = Vec::new();
    for program in list(&programs["programs"]) {
        let code: Vec<u64> = list(&program["code"]).iter().map(|line| wide(&line["word"])).collect();
        let tolerance = program["relative_tolerance"].as_f64().expect("a tolerance");
        for case in list(&program["cases"]) {
            let differences = run(&code, case, list(&case["lanes_in"]), list(&case["expect"]), tolerance);
            failures.extend(differences.iter().map(|difference| format!("{}: {difference}", program["name"])));
        }
    }
    assert_eq!(list(&programs["programs"]).len(), 12);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
