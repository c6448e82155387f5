//! Documented cases of single instructions and programs, compiled.

use serde_json::Value;
use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_jit::Jit;
use triglyph_testkit::maxwell::units::Units;
use triglyph_testkit::maxwell::{OUTPUTS, SEEN, World, constants, harness, key, listing, run};

fn json(name: &str) -> Value {
    let path = format!("{}/../tests/data/tegra/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(&path).expect(&path)).expect(&path)
}

fn number(value: &Value) -> u32 {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::String(text) => u32::from_str_radix(text.trim_start_matches("0x"), 16).expect(text),
        other => panic!("{other}"),
    }
}

/// Bits of flags in P2R's order.
fn flags(text: &str) -> u32 {
    text.chars().fold(0, |bits, flag| bits | 1 << "ZSCO".find(flag).expect("a flag"))
}

/// Instructions that put registers, predicates and flags where the case wants them.
fn prologue(state: &Value) -> String {
    let mut text = String::new();
    let (mut predicates, mut condition) = (0, None);
    for (name, value) in state.as_object().expect("registers") {
        match name.split_at(1) {
            ("R", n) => text.push_str(&format!("mov32i r{n}, {:#x}, 0xf\n", number(value))),
            ("P", n) => predicates |= number(value) << n.parse::<u32>().expect(name),
            _ => condition = value.as_str().map(flags),
        }
    }
    text.push_str(&format!("mov32i r250, {predicates:#x}, 0xf\nr2p r250, 0x7f, 0x0\n"));
    if let Some(condition) = condition {
        text.push_str(&format!("mov32i r250, {condition:#x}, 0xf\nr2p.to_cc r250, 0xf, 0x0\n"));
    }
    text
}

fn buffers(case: &Value) -> Vec<Vec<std::sync::atomic::AtomicU8>> {
    let mut all: Vec<_> = (0..18).map(|_| Vec::new()).collect();
    for (name, words) in case.get("cbuf").and_then(Value::as_object).into_iter().flatten() {
        let slot: usize = name.trim_start_matches("c[").trim_end_matches(']').parse().expect(name);
        let at = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("an offset");
        let words: Vec<(u32, u32)> = words.as_object().unwrap().iter().map(|(o, w)| (at(o), number(w))).collect();
        all[slot] = constants(&words);
    }
    all
}

/// Differences of a lane's outputs from what is expected.
fn differences(expected: &Value, record: &[u32], tolerance: f64) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, value) in expected.as_object().expect("results") {
        let (got, want) = match name.split_at(1) {
            ("R", n) => (record[n.parse::<usize>().expect(name)], number(value)),
            ("P", n) => (record[SEEN] >> n.parse::<u32>().expect(name) & 1, number(value)),
            _ => (record[SEEN + 1], flags(value.as_str().expect(name))),
        };
        let [a, b] = [got, want].map(|bits| f64::from(f32::from_bits(bits)));
        if got != want && !(tolerance > 0.0 && (a - b).abs() <= tolerance * b.abs()) {
            wrong.push(format!("{name}: {got:#010x}, expected {want:#010x}"));
        }
    }
    wrong
}

#[test]
fn single_instructions() {
    let jit = Jit::new().unwrap();
    let cases = json("exec.json");
    let (mut wrong, mut unsupported) = (Vec::new(), Vec::new());
    for case in cases["cases"].as_array().unwrap() {
        let word = u64::from_str_radix(case["word"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
        let words = harness(&prologue(&case["in"]), &[word]);
        let world = World {
            constants: buffers(case),
            memory: Vec::new(),
            inputs: Vec::new(),
            count: 5,
            units: Units::default(),
        };
        match run(&jit, &key(Code { words, accuracy: Accuracy::Exact, ..Code::default() }, 0), &world) {
            Ok(results) => {
                for record in results.outputs.chunks_exact(OUTPUTS) {
                    let differences = differences(&case["out"], record, 0.0);
                    if !differences.is_empty() {
                        wrong.push(format!("{} of {}: {}", case["text"], case["in"], differences.join(", ")));
                        break;
                    }
                }
            }
            Err(why) => unsupported.push(format!("{}: {why}", case["text"])),
        }
    }
    println!("unsupported:\n{}", unsupported.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unsupported.len() < 40, "{} unsupported", unsupported.len());
}

#[test]
fn programs() {
    let jit = Jit::new().unwrap();
    let mut done = Vec::new();
    for program in json("programs.json")["programs"].as_array().unwrap() {
        if program["stage"] != "any" {
            continue;
        }
        let name = program["name"].as_str().unwrap();
        let code: Vec<u64> = program["code"].as_array().unwrap().iter().map(word_of).collect();
        let body: Vec<u64> = code.iter().enumerate().filter(|(n, _)| n % 4 != 0).map(|(_, &word)| word).collect();
        for case in program["cases"].as_array().unwrap() {
            let lanes = case["lanes_in"].as_array().unwrap();
            // Programs of several lanes depend on which lane they are in.
            if lanes.len() > 1 {
                continue;
            }
            // The last instruction is the EXIT, whose place the stores take.
            let exit = body.iter().rposition(|&word| word == 0xE300_0000_0007_000F).expect(name);
            let words = moved(&prologue(&lanes[0]), &body[..exit]);
            let text = listing(&words);
            let world = World {
                constants: buffers(case),
                memory: Vec::new(),
                inputs: Vec::new(),
                count: 6,
                units: Units::default(),
            };
            let key = key(Code { words, accuracy: Accuracy::Exact, ..Code::default() }, 0);
            let results = run(&jit, &key, &world).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
            let tolerance = program["relative_tolerance"].as_f64().unwrap_or(0.0);
            for record in results.outputs.chunks_exact(OUTPUTS) {
                let wrong = differences(&case["expect"][0], record, tolerance);
                assert!(wrong.is_empty(), "{name}: {}\n{text}", wrong.join(", "));
            }
            done.push(name.to_owned());
        }
    }
    assert!(done.len() > 30, "{done:?}");
}

fn word_of(line: &Value) -> u64 {
    u64::from_str_radix(line["word"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// A program after others: distances stay what they are when it moves by whole bundles.
fn moved(prologue: &str, body: &[u64]) -> Vec<u64> {
    let mut prologue = prologue.to_owned();
    while !prologue.lines().count().is_multiple_of(3) {
        prologue.push_str("mov r250, rz, 0xf\n");
    }
    harness(&prologue, body)
}
