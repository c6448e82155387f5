//! Random vertex programs and batches: compiled kernels against the reference, bit for bit.

use std::collections::BTreeMap;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::VertexKernel;
use triglyph_guest::kernel::program::random_vertex::{self, Mix};
use triglyph_guest::kernel::program::vertex::{VertexCode, VertexJob, VertexKey};
use triglyph_guest::rsx::vertex::random::Options;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::fallback;
use triglyph_testkit::random::words;

/// Vertices that each tier finished.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    compiled: usize,
    reference: usize,
}

/// Shades a job with compiled code, and with the reference where that bails out.
fn shade(
    kernel: &dyn VertexKernel,
    reference: &dyn VertexKernel,
    stride: usize,
    job: &mut VertexJob<'_>,
    tally: &mut Tally,
) {
    let interpreted = fallback::program_vertices(kernel, reference, stride, job);
    tally.compiled += job.vertices.len() - interpreted;
    tally.reference += interpreted;
}

fn report(jit: &Jit, key: &VertexKey, seed: u64) -> String {
    let VertexCode::Rsx(code) = &key.code;
    let dump = std::env::var_os("TRIGLYPH_DUMP").map(|_| jit.dump_program_vertex(key)).unwrap_or_default();
    format!(
        "seed {seed}: compiled and interpreted vertices differ (TRIGLYPH_DUMP=1 for the code)\n{}\n{:?} outputs {:#x}\n{:?}\n{dump}",
        triglyph_guest::rsx::vertex::disassemble_program(&code.code, code.start.into()),
        key.inputs,
        key.outputs,
        key.textures
    )
}

fn compare(jit: &Jit, seed: u64, mix: Mix, tally: &mut Tally) -> Result<(), Unsupported> {
    let (key, batch) = random_vertex::case(&mut words(seed), mix);
    let kernel = jit.program_vertex(&key)?;
    let reference = Interpreter.program_vertex(&key).expect("the reference supports everything");
    let (want, _) = batch.run(&key, |job| reference.shade(job, 0));
    let (got, ()) = batch.run(&key, |job| shade(&*kernel, &*reference, key.stride(), job, tally));
    if !got.same(&want) {
        let stride = key.stride();
        let mut text = report(jit, &key, seed);
        for (i, (got, want)) in got.values.chunks(stride).zip(want.values.chunks(stride)).enumerate() {
            if got.iter().zip(want).any(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan())) {
                text += &format!("vertex {i} (element {}):\n  got  {got:?}\n  want {want:?}\n", batch.vertices[i]);
            }
        }
        panic!("exhausted {} and {}\n{text}", got.exhausted, want.exhausted);
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Compares cases; `TRIGLYPH_CASES` and `TRIGLYPH_SEED` say others than these few. At least the part `least` of all
/// vertices must be compiled code's: it bails out of reads beyond the end of memory and of programs short of fuel.
fn run(effort: Effort, first: u64, count: u64, mix: Mix, least: f64) {
    let jit = Jit::with_effort(effort).expect("a host with a code generator");
    let (first, count) = (setting("TRIGLYPH_SEED", first), setting("TRIGLYPH_CASES", count));
    let (mut unsupported, mut tally) = (BTreeMap::new(), Tally::default());
    for seed in first..first + count {
        if let Err(Unsupported(why)) = compare(&jit, seed, mix, &mut tally) {
            eprintln!("seed {seed}: {why}");
            *unsupported.entry(why).or_insert(0u64) += 1;
        }
    }
    println!("{count} cases, unsupported: {unsupported:?}, {tally:?}");
    assert!(unsupported.values().sum::<u64>() * 6 < count, "too many unsupported: {unsupported:?}");
    let part = tally.compiled as f64 / (tally.compiled + tally.reference) as f64;
    assert!(part >= least, "{part} of all vertices are compiled");
}

#[test]
fn straight_programs() {
    let program = Options { flow: false, ..Mix::default().program };
    run(Effort::Baseline, 0, 300, Mix { program, holes: false, short_of_fuel: false, ..Mix::default() }, 0.95);
}

#[test]
fn branches_and_calls() {
    run(Effort::Baseline, 1 << 32, 300, Mix { holes: false, short_of_fuel: false, ..Mix::default() }, 0.95);
}

#[test]
fn holes_and_little_fuel() {
    run(Effort::Optimized, 2 << 32, 200, Mix::default(), 0.3);
}

#[test]
fn ragged_programs() {
    let program = Options { ragged: true, garbage: true, ..Mix::default().program };
    run(Effort::Baseline, 3 << 32, 200, Mix { program, ..Mix::default() }, 0.25);
}
