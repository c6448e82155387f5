//! Random Maxwell programs: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many programs, `TRIGLYPH_OPS=1` prints which operations are unsupported.

use std::collections::BTreeMap;

use triglyph_guest::tegra::shader::assemble_program;
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, instruction};
use triglyph_testkit::maxwell::vertices::{check, compare, tested, usual};
use triglyph_testkit::maxwell::{Outcome, all_same, compiler, plain};
use triglyph_testkit::random::{Random, seeds};

/// Instructions that make a NaN of most registers, with bits that are not those of the canonical one.
fn made_nans(rng: &mut Random) -> Vec<u64> {
    let lines: Vec<String> = (0..15)
        .map(|n| match rng.word() % 4 {
            0 => format!("fadd r{n}, r{n}, 0x7fc00000"),
            1 => format!("fadd r{n}, -r{n}, 0x7f800000\nfadd r{n}, r{n}, 0xff800000"),
            2 => format!("fmul r{n}, rz, 0x7f800000"),
            _ => format!("mov r{n}, r{n}, 0xf"),
        })
        .collect();
    let mut text = lines.join("\n");
    while !text.lines().count().is_multiple_of(3) {
        text.push_str("\nmov r15, r15, 0xf");
    }
    let words = assemble_program(&text).expect("a prologue");
    words.into_iter().enumerate().filter(|(n, _)| n % 4 != 0).map(|(_, word)| word).collect()
}

/// Whether the code of single operations is what the reference does, on inputs as they come or on NaNs that
/// instructions make.
fn single(seeds: u64, nans: bool) -> (u64, BTreeMap<String, u64>) {
    let (mut same, mut unsupported) = (0, BTreeMap::new());
    let mut failures: BTreeMap<Op, (u64, String)> = BTreeMap::new();
    for op in Op::all().filter(|&op| tested(op)) {
        for seed in 0..seeds {
            let mut rng = Random::new(seed << 16 | u64::from(op as u16));
            let options = Options { constant_buffers: 4, constant_bytes: 300, ..Options::default() };
            let mut words = if nans { made_nans(&mut rng) } else { Vec::new() };
            let first = words.len();
            words.extend((0..4).map(|_| instruction(op, &mut || rng.word(), &options)));
            debug_assert!(words[first..].iter().all(|&word| decode(word) == Some(op)));
            match compare(&compiler(seed), seed, &words, &mut rng) {
                Outcome::Same => same += 1,
                Outcome::Unsupported(why) => {
                    *unsupported.entry(format!("{:10} {}", op.info().name, why.0)).or_insert(0) += 1
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
    (same, unsupported)
}

#[test]
fn single_operations() {
    let (same, unsupported) = single(12, false);
    if std::env::var_os("TRIGLYPH_OPS").is_some() {
        unsupported.iter().for_each(|(why, count)| println!("{count:6} {why}"));
    }
    let unsupported_count: u64 = unsupported.values().sum();
    assert!(
        20 * unsupported_count < same,
        "{unsupported_count} of {} unsupported: {unsupported:?}",
        same + unsupported_count
    );
}

#[test]
fn operations_on_nans_that_the_program_made() {
    single(6, true);
}

fn programs(name: &str, count: u64, options: Options<'_>) {
    all_same(name, seeds(count), 4, |jit, seed| check(jit, seed, options));
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
