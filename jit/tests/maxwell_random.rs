//! Random Maxwell programs: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many programs, `TRIGLYPH_OPS=1` prints which operations are refused.

mod maxwell_support;

use std::collections::BTreeMap;

use maxwell_support::rng::Rng;
use maxwell_support::vertices::{check, compare, tested, usual};
use maxwell_support::{Outcome, all_same, compiler, seeds};
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, instruction};

/// Whether the code of single operations is what the reference does.
fn single(seeds: u64) -> (u64, BTreeMap<String, u64>) {
    let (mut same, mut refused) = (0, BTreeMap::new());
    let mut failures: BTreeMap<Op, (u64, String)> = BTreeMap::new();
    for op in Op::all().filter(|&op| tested(op)) {
        for seed in 0..seeds {
            let mut rng = Rng(seed << 16 | u64::from(op as u16));
            let options = Options { constant_buffers: 4, constant_bytes: 300, ..Options::default() };
            let words: Vec<u64> = (0..4).map(|_| instruction(op, &mut || rng.word(), &options)).collect();
            debug_assert!(words.iter().all(|&word| decode(word) == Some(op)));
            match compare(&compiler(seed), seed, &words, &mut rng) {
                Outcome::Same => same += 1,
                Outcome::Unsupported(why) => {
                    *refused.entry(format!("{:10} {}", op.info().name, why.0)).or_insert(0) += 1
                }
                Outcome::Different(report) => {
                    failures.entry(op).or_insert((0, report)).0 += 1;
                }
            }
        }
    }
    for (op, (count, report)) in &failures {
        println!("{} differs in {count} programs; one of them:\n{report}", op.info().name);
    }
    assert!(failures.is_empty(), "{:?}", failures.keys().map(|op| op.info().name).collect::<Vec<_>>());
    (same, refused)
}

#[test]
fn single_operations() {
    let (same, refused) = single(12);
    if std::env::var_os("TRIGLYPH_OPS").is_some() {
        refused.iter().for_each(|(why, count)| println!("{count:6} {why}"));
    }
    let refusals: u64 = refused.values().sum();
    assert!(20 * refusals < same, "{refusals} of {} refused: {refused:?}", same + refusals);
}

fn programs(name: &str, count: u64, options: Options<'_>) {
    all_same(name, seeds(count), 4, |jit, seed| check(jit, seed, options));
}

/// Operations that are never refused: programs of them say most about control flow.
fn plain(op: Op) -> bool {
    matches!(
        op,
        Op::mov
            | Op::sel
            | Op::iadd
            | Op::lop
            | Op::isetp
            | Op::fadd
            | Op::fmul
            | Op::fsetp
            | Op::shl
            | Op::imnmx
            | Op::psetp
    )
}

#[test]
fn structured_programs() {
    programs("structured", 150, Options { allowed: &plain, length: 50, ..Options::default() });
}

#[test]
fn ragged_programs() {
    let options = Options { allowed: &plain, length: 30, ragged: true, ..Options::default() };
    programs("ragged", 100, options);
}

#[test]
fn programs_of_all_operations() {
    programs("all operations", 150, Options { allowed: &usual, length: 25, ..Options::default() });
}
