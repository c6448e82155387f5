//! Random Maxwell programs: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many programs, `TRIGLYPH_OPS=1` prints which operations are refused.

mod maxwell_support;

use std::collections::BTreeMap;

use maxwell_support::Outcome;
use maxwell_support::rng::Rng;
use maxwell_support::vertices::{check, compare, tested, usual};
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, instruction};
use triglyph_jit::Jit;

/// Whether the code of single operations is what the reference does.
fn single(jit: &Jit, seeds: u64) -> (u64, BTreeMap<String, u64>) {
    let (mut same, mut refused) = (0, BTreeMap::new());
    let mut failures: BTreeMap<Op, (u64, String)> = BTreeMap::new();
    for op in Op::all().filter(|&op| tested(op)) {
        for seed in 0..seeds {
            let mut rng = Rng(seed << 16 | u64::from(op as u16));
            let options = Options { constant_buffers: 4, constant_bytes: 300, ..Options::default() };
            let words: Vec<u64> = (0..4).map(|_| instruction(op, &mut || rng.word(), &options)).collect();
            debug_assert!(words.iter().all(|&word| decode(word) == Some(op)));
            match compare(jit, seed, &words, &mut rng) {
                Outcome::Same => same += 1,
                Outcome::Refused(why) => *refused.entry(format!("{:10} {}", op.info().name, why.0)).or_insert(0) += 1,
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
    let (same, refused) = single(&Jit::new().unwrap(), 12);
    if std::env::var_os("TRIGLYPH_OPS").is_some() {
        refused.iter().for_each(|(why, count)| println!("{count:6} {why}"));
    }
    let refusals: u64 = refused.values().sum();
    assert!(20 * refusals < same, "{refusals} of {} refused: {refused:?}", same + refusals);
}

fn programs(jit: &Jit, seeds: std::ops::Range<u64>, options: Options<'_>) {
    let (mut same, mut refused) = (0u64, BTreeMap::new());
    for seed in seeds {
        match check(jit, seed, options) {
            Outcome::Same => same += 1,
            Outcome::Refused(why) => *refused.entry(why.0).or_insert(0) += 1,
            Outcome::Different(report) => panic!("{report}"),
        }
    }
    println!("{same} the same, refused {refused:?}");
    let refusals: u64 = refused.values().sum();
    assert!(4 * refusals < same, "{same} the same, refused {refused:?}");
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("TRIGLYPH_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(':'));
    let given = given.and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let (first, count): (u64, u64) = given.unwrap_or((0, count));
    first..first + count
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
    programs(&Jit::new().unwrap(), seeds(150), Options { allowed: &plain, length: 50, ..Options::default() });
}

#[test]
fn ragged_programs() {
    let options = Options { allowed: &plain, length: 30, ragged: true, ..Options::default() };
    programs(&Jit::new().unwrap(), seeds(100), options);
}

#[test]
fn programs_of_all_operations() {
    programs(&Jit::new().unwrap(), seeds(150), Options { allowed: &usual, length: 25, ..Options::default() });
}
