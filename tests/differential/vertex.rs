//! Random shader programs on random vertices.

use std::fmt::Write as _;
use std::sync::Arc;

use triglyph_guest::kernel::random_vertex::{Batch, Mix, case};
use triglyph_guest::kernel::vertex::{GROUP, Numbers, PicaProgram, Program as Microcode, SCREEN, VertexKey};
use triglyph_guest::kernel::{Tier, VertexKernel};
use triglyph_guest::pica::Program;
use triglyph_guest::pica::random::Options;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

use super::{Outcome, effort, microcode, minimising};
use triglyph_testkit::fallback;
use triglyph_testkit::number::same;
use triglyph_testkit::random::Random;

/// Programs as compilers write them: scopes that nest, stacks that fit, an end.
pub fn structured(seed: u64) -> Outcome {
    structured_in(seed, Numbers::F32)
}

fn structured_in(seed: u64, numbers: Numbers) -> Outcome {
    let mut random = Random::new(seed);
    let program = Options {
        length: 1 + random.pick(&[2, 5, 10, 20, 40, 80, 160]).min(random.below(200)) as usize,
        flow: !random.one_in(3),
        relative: !random.one_in(3),
        ..Options::default()
    };
    // Where special numbers are frequent, most groups are replayed: any NaN may be 0 * infinity.
    let special = random.pick(&[0, 0, 0, 0, 400, 400, 30, 6]);
    // Reads after the end of an array fall back to the interpreter as well.
    let holes = random.one_in(8);
    check(&mut random, Mix { program, special, holes, numbers, ..Mix::default() })
}

/// As [`structured`], in 24-bit floats.
pub fn console(seed: u64) -> Outcome {
    structured_in(seed, Numbers::F24)
}

/// Programs that break every rule: scopes that end together, jumps to anywhere, words that are no instructions.
pub fn ragged(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let program = Options {
        length: 1 + random.below(80) as usize,
        ragged: true,
        garbage: random.one_in(2),
        geometry: random.one_in(8),
        ..Options::default()
    };
    let holes = random.one_in(8);
    check(&mut random, Mix { program, special: 100, vertices: 11, holes, numbers: Numbers::F32 })
}

/// A batch after a tier has shaded it.
struct Shaded {
    records: Vec<f32>,
    clip: Vec<u8>,
    /// Groups that compiled code left to the reference, and all.
    replayed: usize,
    groups: usize,
}

impl Shaded {
    fn equals(&self, other: &Self) -> bool {
        self.clip == other.clip && self.records.iter().zip(&other.records).all(|(&a, &b)| same(a, b))
    }
}

fn check(random: &mut Random, mix: Mix) -> Outcome {
    let (mut key, batch) = case(&mut || random.word(), mix);
    if !random.one_in(4) {
        key = prepared(&key);
    }
    let effort = effort(random);
    minimising(&key, |key| compare(key, &batch, effort), |key| minimised(key, &batch, effort))
}

/// Shades a batch with both tiers.
fn compare(key: &VertexKey, batch: &Batch, effort: Effort) -> Outcome {
    let kernel = match Jit::with_effort(effort).and_then(|jit| jit.vertex(key)) {
        Ok(kernel) => kernel,
        Err(refused) => return Outcome::refused(refused, || describe(key, batch, effort)),
    };
    let reference = Interpreter.vertex(key).expect("the reference never refuses");
    let want = shade(key, batch, &*reference, &*reference);
    let mut got = shade(key, batch, &*kernel, &*reference);
    let share = 1.0 - got.replayed as f64 / got.groups as f64;
    if got.equals(&want) && got.replayed > 0 {
        // Once more, now that it knows that there are many of those.
        weary(key, batch, &*kernel);
        got = shade(key, batch, &*kernel, &*reference);
    }
    if got.equals(&want) {
        return Outcome::Equal(share);
    }
    Outcome::Different(describe(key, batch, effort) + &differences(key, batch, &want, &got))
}

/// The key with a few instructions in front that load temporaries and outputs, so that less is zero: a position whose w
/// is 0 alone has vertices replayed. They are placed after the program, whose jumps stay as they are.
fn prepared(key: &VertexKey) -> VertexKey {
    const CODE_WORDS: usize = 512;
    let program = microcode::program(&key.program);
    let mut text = String::new();
    for register in 0..16 {
        let _ = writeln!(text, "mov r{register}, v{register} @0\nmov o{register}, v{} @0", 15 - register);
    }
    // One of the two jumps is taken.
    let _ = writeln!(text, "jmpu b0, {0}\njmpu !b0, {0}", program.entry);
    let front = Program::assemble(&text).expect("a program").code;
    if program.code.len() + front.len() > CODE_WORDS {
        return key.clone();
    }
    // Descriptor 0 of random programs takes everything as it is.
    let entry = program.code.len() as u16;
    let program = PicaProgram { code: [&program.code[..], &front].concat(), entry, ..program.clone() };
    VertexKey { program: Microcode::Pica(Arc::new(program)), ..key.clone() }
}

/// Shades a batch as the engine does.
fn shade(key: &VertexKey, batch: &Batch, kernel: &dyn VertexKernel, reference: &dyn VertexKernel) -> Shaded {
    let stride = key.outputs.stride();
    let (records, clip, interpreted) = batch.run(stride, |job| fallback::vertices(kernel, reference, stride, job));
    let groups = batch.vertices.len().div_ceil(GROUP);
    Shaded { records, clip, replayed: interpreted.div_ceil(GROUP), groups }
}

/// Has a kernel meet what it leaves to the reference so often that it compiles exact products.
fn weary(key: &VertexKey, batch: &Batch, kernel: &dyn VertexKernel) {
    batch.run(key.outputs.stride(), |job| {
        let mut at = 0;
        for _ in 0..OFTEN {
            at = kernel.shade(job, at);
        }
    });
}

/// More groups than a kernel leaves to the reference.
pub const OFTEN: usize = 200;

/// The key with as many instructions as possible made NOP, the tiers still differing.
fn minimised(key: &VertexKey, batch: &Batch, effort: Effort) -> VertexKey {
    let with = |program| VertexKey { program, ..key.clone() };
    microcode::minimised(&key.program, with, |key| compare(key, batch, effort))
}

/// Program and inputs.
fn describe(key: &VertexKey, batch: &Batch, effort: Effort) -> String {
    let mut report = microcode::report(&key.program, effort);
    let _ = writeln!(report, "inputs {:?}\noutputs {:?}", key.inputs, key.outputs.slots);
    let _ = writeln!(report, "integers {:?}\nfixed {:?}", batch.uniforms.ints, batch.fixed);
    report + &microcode::constants(&batch.uniforms.floats)
}

/// The vertices on which both tiers differ.
fn differences(key: &VertexKey, batch: &Batch, want: &Shaded, got: &Shaded) -> String {
    let mut report = String::new();
    let stride = key.outputs.stride();
    let pairs = want.records.chunks(stride).zip(got.records.chunks(stride));
    for (vertex, (want_record, got_record)) in pairs.enumerate() {
        let clip = [want.clip[vertex], got.clip[vertex]];
        if clip[0] == clip[1] && want_record.iter().zip(got_record).all(|(&a, &b)| same(a, b)) {
            continue;
        }
        let star = |equal: bool| if equal { ' ' } else { '*' };
        let _ = writeln!(report, "vertex {vertex}, element {}: interp, jit", batch.vertices[vertex]);
        let _ = writeln!(report, "  {} clip code  {:02x} {:02x}", star(clip[0] == clip[1]), clip[0], clip[1]);
        for (at, (&want, &got)) in want_record.iter().zip(got_record).enumerate() {
            let name = at.checked_sub(SCREEN).map_or(format!("screen {at}"), |slot| format!("slot {slot}"));
            let (star, want_bits, got_bits) = (star(same(want, got)), want.to_bits(), got.to_bits());
            let _ = writeln!(report, "  {star} {name:<10} {want:>14e} {want_bits:08x}   {got:>14e} {got_bits:08x}");
        }
    }
    report
}
