//! Random programs of the RSX: fragments with their states, batches of vertices.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::program::VertexKernel;
use triglyph_guest::kernel::program::fragment::FragmentKey;
use triglyph_guest::kernel::program::random_fragment::{RandomFragment, Surfaces};
use triglyph_guest::kernel::program::random_vertex::{self, Batch, Mix, Records};
use triglyph_guest::kernel::program::vertex::{VertexCode, VertexJob, VertexKey};
use triglyph_guest::kernel::vertex::GROUP;
use triglyph_guest::rsx::{fragment, vertex};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

use super::{Outcome, compiler};
use triglyph_testkit::fallback;
use triglyph_testkit::number::same;
use triglyph_testkit::random::Random;

/// A state, primitives, textures and a program.
pub fn fragments(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let ragged = random.one_in(8);
    let options = fragment::random::Options {
        length: 4 + random.below(50) as usize,
        flow: random.one_in(2),
        ragged,
        garbage: ragged && random.one_in(2),
        ..Default::default()
    };
    let (jit, effort) = compiler(&mut random);
    let case = RandomFragment::new(&mut || random.word(), options);
    let reference = Interpreter.fragment(&case.key).expect("the reference never refuses");
    let want = case.run(&*reference).expect("the reference never refuses");
    if let Some(divided) = case.key.divide() {
        let jit = jit.as_ref().ok();
        let make = |key: FragmentKey| match jit.and_then(|jit| jit.fragment(&key).ok()) {
            Some(compiled) => compiled,
            None => Interpreter.fragment(&key).expect("the reference never refuses"),
        };
        let (tests, shading) = (divided.tests.map(make), divided.shading.map(make));
        if let Ok(parts) = case.run_divided(tests.as_deref(), shading.as_deref()) {
            let passed = if divided.discards { parts.passed } else { want.passed };
            let whole = Surfaces { survivors: Vec::new(), passed, ..want.clone() };
            if let Some(report) = case.compare(["whole", "divided"], [&whole, &parts]) {
                return Outcome::Different(format!("{effort:?}\n{report}"));
            }
        }
    }
    let compiled = jit.and_then(|jit| jit.fragment(&case.key)).and_then(|kernel| case.run(&*kernel));
    Outcome::compared(compiled.map(|got| case.compare(["interp", "jit"], [&want, &got])), effort)
}

/// A batch, and a program for it.
pub fn vertices(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let ragged = random.one_in(8);
    let program = vertex::random::Options {
        textures: random.one_in(2),
        flow: random.one_in(2),
        ragged,
        garbage: ragged && random.one_in(2),
        ..Default::default()
    };
    let (jit, effort) = compiler(&mut random);
    // Compiled code leaves arrays that end early, and programs that run away, to the reference.
    let mix = Mix { program, holes: random.one_in(4), short_of_fuel: random.one_in(4), ..Mix::default() };
    let (key, batch) = random_vertex::case(&mut || random.word(), mix);
    let kernel = match jit.and_then(|jit| jit.program_vertex(&key)) {
        Err(refused) => return Outcome::Unsupported(refused),
        Ok(kernel) => kernel,
    };
    let reference = Interpreter.program_vertex(&key).expect("the reference never refuses");
    let (want, _) = shade(&key, &batch, &*reference, &*reference);
    let (got, replayed) = shade(&key, &batch, &*kernel, &*reference);
    if want.same(&got) {
        let groups = batch.vertices.len().div_ceil(GROUP);
        return Outcome::Equal(1.0 - replayed as f64 / groups as f64);
    }
    let VertexCode::Rsx(code) = &key.code;
    let listing = vertex::disassemble_program(&code.code, 0);
    Outcome::Different(format!("{effort:?}\n{listing}\n{key:?}\n{}", differences(&key, &want, &got)))
}

/// Shades a batch as the engine does: what the kernel leaves goes to the reference, a group at a time. Gives the number
/// of those groups as well.
fn shade(key: &VertexKey, batch: &Batch, kernel: &dyn VertexKernel, reference: &dyn VertexKernel) -> (Records, usize) {
    let interpret = |job: &mut VertexJob<'_>| fallback::program_vertices(kernel, reference, key.stride(), job);
    let (records, interpreted) = batch.run(key, interpret);
    (records, interpreted.div_ceil(GROUP))
}

/// The records in which two results differ.
fn differences(key: &VertexKey, want: &Records, got: &Records) -> String {
    let counts = [want, got].map(|records| (records.exhausted, records.excess));
    let mut report = format!("exhausted and excess of interp and jit: {counts:?}\n");
    let outputs: Vec<u32> = (0..32).filter(|register| key.outputs >> register & 1 != 0).collect();
    let registers = want.values.chunks(4).zip(got.values.chunks(4)).enumerate();
    let different = registers.filter(|(_, (want, got))| want.iter().zip(*got).any(|(a, b)| !same(*a, *b)));
    for (i, (want, got)) in different.take(16) {
        let (vertex, output) = (i / outputs.len(), outputs[i % outputs.len()]);
        report += &format!("vertex {vertex}, output {output}: interp {want:?}, jit {got:?}\n");
    }
    report
}

/// Whether the compiler makes kernels of vertex programs at all.
pub fn has_vertices() -> bool {
    let mut random = Random::new(1);
    let program = vertex::random::Options { flow: false, ..Default::default() };
    let (key, _) = random_vertex::case(&mut || random.word(), Mix { program, ..Mix::default() });
    Jit::new().is_ok_and(|jit| jit.program_vertex(&key).is_ok())
}
