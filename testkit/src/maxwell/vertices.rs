//! Random Maxwell programs as vertex programs, on both tiers.

use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::window;
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, program};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

use crate::random::Random;

use super::units::Units;
use super::{OUTPUTS, Outcome, World, accuracy, key_with, listing, run, surrounded};

/// Vertices of a run: two whole groups, which may be done at once, and a part of one.
const COUNT: usize = 11;
/// Registers that begin with random values.
pub const REGISTERS: usize = 16;

fn world(rng: &mut Random, units: bool) -> World {
    let constants = (0..3).map(|n| {
        let bytes: Vec<u8> = (0..64 - 7 * n).flat_map(|_| rng.value().to_le_bytes()).collect();
        window::buffer(&bytes[..bytes.len() - n])
    });
    let constants = constants.collect();
    let memory = (0..1024).map(|_| rng.word() as u8).collect();
    let mut world = World { constants, memory, inputs: Vec::new(), count: COUNT, units: Units::default() };
    if units {
        world.units = Units::new(4, 3, &mut || rng.word());
    }
    // Where there are units many numbers are small: coordinates, handles.
    let mut value = || if units && rng.word() & 1 != 0 { rng.word() % 7 } else { rng.value() };
    world.inputs = (0..COUNT * (REGISTERS + 2)).map(|_| value()).collect();
    world
}

/// Whether a test makes sense of an operation: control flow is the generator's.
pub fn tested(op: Op) -> bool {
    op.info().family != "ControlVisitor"
}

/// Whether an instruction has a texture or an image.
fn has_unit(word: u64) -> bool {
    decode(word).is_some_and(|op| matches!(op.info().family, "TextureVisitor" | "SurfaceVisitor"))
}

pub fn compare(jit: &Jit, seed: u64, words: &[u64], rng: &mut Random) -> Outcome {
    let world = world(rng, words.iter().any(|&word| has_unit(word)));
    let words = surrounded(REGISTERS, words);
    let units = world.units.uses(&words, &mut || rng.word());
    let code = Code { words, units, local_bytes: 64, accuracy: accuracy(rng), ..Code::default() };
    let key = key_with(code, REGISTERS + 2, &world.units);
    let got = match run(jit, &key, &world) {
        Ok(got) => got,
        Err(unsupported) => return Outcome::Unsupported(unsupported),
    };
    let want = run(&Interpreter, &key, &world).expect("the reference supports everything");
    if got == want {
        return Outcome::Same;
    }
    let mut report = format!("seed {seed}\n{}", listing(&key.code.words));
    for (at, (got, want)) in got.outputs.iter().zip(&want.outputs).enumerate().filter(|(_, (a, b))| a != b).take(8) {
        let (vertex, output) = (at / OUTPUTS, at % OUTPUTS);
        report.push_str(&format!("vertex {vertex} output {output}: jit {got:#010x}, interp {want:#010x}\n"));
    }
    if got.memory != want.memory || got.images != want.images {
        report.push_str("memory differs\n");
    }
    if got.counted != want.counted {
        report.push_str(&format!("exhausted and excess: {:?} and {:?}\n", got.counted, want.counted));
    }
    for vertex in 0..COUNT {
        let inputs = &world.inputs[vertex * (REGISTERS + 2)..][..REGISTERS + 2];
        report.push_str(&format!("inputs of {vertex}: {inputs:08x?}\n"));
    }
    if std::env::var_os("TRIGLYPH_DUMP").is_some() {
        report.push_str(&jit.dump_shader(&key));
    }
    Outcome::Different(report)
}

/// Operations on registers and on what is around a program.
pub fn usual(op: Op) -> bool {
    tested(op) && op.info().family != "AttributeVisitor"
}

/// A program of random structure.
pub fn check(jit: &Jit, seed: u64, options: Options<'_>) -> Outcome {
    let mut rng = Random::new(seed);
    let words = program(&mut || rng.word(), options);
    let words: Vec<u64> = words.iter().enumerate().filter(|(n, _)| n % 4 != 0).map(|(_, &word)| word).collect();
    compare(jit, seed, &words, &mut rng)
}
