//! Random states and scenes: compiled pixel kernels against the reference, bit for bit.

use triglyph_guest::kernel::random_pixel::RandomPixel;
use triglyph_guest::kernel::{Tier, Unsupported};
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::random::words;

/// Compares one case; whether the compiler took it.
fn compare(jit: &Jit, seed: u64) -> Result<(), Unsupported> {
    let case = RandomPixel::new(&mut words(seed));
    let kernel = jit.pixel(&case.key)?;
    let got = case.run(&*kernel)?;
    let reference = Interpreter.pixel(&case.key).expect("the reference supports everything");
    let want = case.run(&*reference).expect("the reference supports everything");
    if let Some(report) = case.compare(["jit", "interp"], [&got, &want]) {
        let dump = std::env::var_os("TRIGLYPH_DUMP").map(|_| jit.dump_pixel(&case.key)).unwrap_or_default();
        panic!("seed {seed}: compiled and interpreted pixels differ (TRIGLYPH_DUMP=1 for the code)\n{report}\n{dump}");
    }
    Ok(())
}

fn run(effort: Effort, first: u64, count: u64) {
    let jit = Jit::with_effort(effort).expect("a host with a code generator");
    let mut unsupported = std::collections::BTreeMap::new();
    for seed in first..first + count {
        if let Err(Unsupported(why)) = compare(&jit, seed) {
            *unsupported.entry(why).or_insert(0) += 1;
        }
    }
    println!("{count} cases, unsupported: {unsupported:?}");
    assert!(unsupported.values().sum::<u64>() * 4 < count, "too many unsupported: {unsupported:?}");
}

/// Cases from the environment (`TRIGLYPH_CASES`, `TRIGLYPH_SEED`) or a few.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_states_quick() {
    run(Effort::Baseline, setting("TRIGLYPH_SEED", 0), setting("TRIGLYPH_CASES", 2000));
}

#[test]
fn random_states_hot() {
    run(Effort::Optimized, setting("TRIGLYPH_SEED", 1 << 32), setting("TRIGLYPH_CASES", 500));
}
