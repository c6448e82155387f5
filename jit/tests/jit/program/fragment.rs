//! Random fragment programs and states: compiled kernels against the reference, bit for bit.

use std::collections::BTreeMap;

use crate::program::support::Case;
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::random_fragment::RandomFragment;
use triglyph_guest::rsx::fragment::random::Options;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::random::Random;

fn compare(jit: &Jit, seed: u64, options: Options) -> Result<(), Unsupported> {
    let case = Case::new(seed, options);
    let kernel = jit.fragment(&case.key)?;
    let got = case.run(&*kernel)?;
    let reference = Interpreter.fragment(&case.key).expect("the reference supports everything");
    let want = case.run(&*reference).expect("the reference supports everything");
    if let Some(report) = case.compare(&got, &want) {
        let key = case.key.clone();
        let bare = case.bare();
        let results = |tier: &dyn Tier| tier.fragment(&bare.key).and_then(|kernel| bare.run(&*kernel));
        let difference = match (results(jit), results(&Interpreter)) {
            (Ok(got), Ok(want)) => bare.first_difference(&got, &want),
            _ => String::new(),
        };
        let dump = std::env::var_os("TRIGLYPH_DUMP").map(|_| jit.dump_fragment(&key)).unwrap_or_default();
        panic!(
            "seed {seed}: compiled and interpreted fragments differ (TRIGLYPH_DUMP=1 for the code)\n{report}\n{difference}\n{dump}"
        );
    }
    Ok(())
}

/// The same with the states of the reference's own tests, which have several samples as well.
fn compare_states(jit: &Jit, seed: u64, options: Options) -> Result<(), Unsupported> {
    let mut rng = Random::new(seed);
    let case = RandomFragment::new(&mut || rng.word(), options);
    let kernel = jit.fragment(&case.key)?;
    let got = case.run(&*kernel)?;
    let reference = Interpreter.fragment(&case.key).expect("the reference supports everything");
    let want = case.run(&*reference).expect("the reference supports everything");
    if let Some(report) = case.compare(["jit", "interp"], [&got, &want]) {
        panic!("seed {seed}: compiled and interpreted fragments differ\n{report}");
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Compares cases; `TRIGLYPH_CASES` and `TRIGLYPH_SEED` say others than these few.
fn run(effort: Effort, first: u64, count: u64, options: Options) {
    run_with(compare, effort, first, count, options);
}

fn run_with(
    compare: impl Fn(&Jit, u64, Options) -> Result<(), Unsupported>,
    effort: Effort,
    first: u64,
    count: u64,
    options: Options,
) {
    let jit = Jit::with_effort(effort).expect("a host with a code generator");
    let (first, count) = (setting("TRIGLYPH_SEED", first), setting("TRIGLYPH_CASES", count));
    let mut unsupported = BTreeMap::new();
    for seed in first..first + count {
        if let Err(Unsupported(why)) = compare(&jit, seed, options) {
            eprintln!("seed {seed}: {why}");
            *unsupported.entry(why).or_insert(0) += 1;
        }
    }
    println!("{count} cases, unsupported: {unsupported:?}");
    assert!(unsupported.values().sum::<u64>() * 4 < count, "too many unsupported: {unsupported:?}");
}

#[test]
fn straight_programs() {
    run(Effort::Baseline, 0, 200, Options::PLAIN);
}

#[test]
fn halves_and_packing() {
    run(
        Effort::Baseline,
        1 << 32,
        200,
        Options { halves: true, packing: true, kill: true, length: 20, ..Options::PLAIN },
    );
}

#[test]
fn transcendental_functions() {
    run(Effort::Optimized, 2 << 32, 100, Options { transcendental: true, halves: true, ..Options::PLAIN });
}

#[test]
fn textures() {
    run(Effort::Baseline, 3 << 32, 200, Options { textures: 0xFFFF, length: 8, ..Options::PLAIN });
}

#[test]
fn flow_control() {
    run(
        Effort::Baseline,
        4 << 32,
        200,
        Options { flow: true, kill: true, relative: true, length: 30, ..Options::PLAIN },
    );
}

#[test]
fn everything() {
    run(Effort::Optimized, 5 << 32, 100, Options::default());
}

#[test]
fn ragged_programs() {
    let options = Options { ragged: true, garbage: true, ..Options::default() };
    run(Effort::Baseline, 6 << 32, 100, options);
}

#[test]
fn states() {
    run_with(compare_states, Effort::Baseline, 7 << 32, 300, Options::default());
}
