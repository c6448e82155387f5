//! Compiled code against the reference on random work, to the bit.
//!
//! Every case is named by a seed:
//!
//! | variable | |
//! |---|---|
//! | `TRIGLYPH_CASES` | cases of each kind, 2,000 if it is not set |
//! | `TRIGLYPH_SEED` | the first seed; the following cases have the following seeds |
//! | `TRIGLYPH_CASE` | one seed, to run that case alone |
//!
//! A failure prints what was run and both results side by side, a star at each difference, and the seed. Each kind
//! counts what was refused or replayed by the reference: a compiler that always refuses does not pass.

mod frames;
mod geometry;
mod lists;
mod maxwell;
mod microcode;
mod pixel;
mod program;
mod push;
mod transfer;
mod vertex;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, Trial};
use triglyph_guest::kernel::Unsupported;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::number::setting;
use triglyph_testkit::random::Random;

/// The result of a case.
enum Outcome {
    /// Both results are equal; what share of the work, 0 to 1, was done by compiled code.
    Equal(f64),
    /// The compiler left the whole case to the reference.
    Unsupported(Unsupported),
    /// The report on the difference.
    Different(String),
}

impl Outcome {
    /// What a comparison of surfaces is, or why there are none.
    fn compared(compared: Result<Option<String>, Unsupported>, effort: Effort) -> Self {
        match compared {
            Err(refused) => Outcome::Unsupported(refused),
            Ok(None) => Outcome::Equal(1.0),
            Ok(Some(report)) => Outcome::Different(format!("{effort:?}\n{report}")),
        }
    }

    /// What a refusal is: a difference if the compiler panicked.
    fn refused(refused: Unsupported, describe: impl FnOnce() -> String) -> Self {
        if refused.0.contains("panicked") {
            return Outcome::Different(format!("{}{refused}", describe()));
        }
        Outcome::Unsupported(refused)
    }
}

/// Compares both tiers on a key; where they differ, on the key that `minimised` makes of it.
fn minimising<K>(key: &K, compare: impl Fn(&K) -> Outcome, minimised: impl FnOnce(&K) -> K) -> Outcome {
    match compare(key) {
        Outcome::Different(_) => compare(&minimised(key)),
        other => other,
    }
}

/// Baseline code for most cases, which is what most kernels are.
fn effort(random: &mut Random) -> Effort {
    if random.one_in(4) { Effort::Optimized } else { Effort::Baseline }
}

/// A compiler as most hosts have it, or one for hosts without wide vectors.
fn compiler(random: &mut Random) -> (Result<Jit, Unsupported>, Effort) {
    let effort = if random.one_in(8) { Effort::Optimized } else { Effort::Baseline };
    let jit = if random.one_in(3) { Jit::with_narrow_vectors(effort) } else { Jit::with_effort(effort) };
    (jit, effort)
}

/// A kind of random cases.
struct Kind {
    name: &'static str,
    /// How many times fewer cases than of the cheapest kind.
    price: u64,
    /// In how many of a hundred cases compiled code has to have finished some of the work.
    compiled: f64,
    check: fn(u64) -> Outcome,
}

const RSX_VERTICES: &str = "RSX vertex programs";

const KINDS: [Kind; 16] = [
    Kind { name: "vertex programs", price: 1, compiled: 80.0, check: vertex::structured },
    Kind { name: "vertex programs without structure", price: 4, compiled: 60.0, check: vertex::ragged },
    // Numbers out of range are the reference's until there were many of them.
    Kind { name: "vertex programs in 24-bit floats", price: 2, compiled: 80.0, check: vertex::console },
    Kind { name: "geometry programs", price: 1, compiled: 80.0, check: geometry::structured },
    Kind { name: "geometry programs without structure", price: 4, compiled: 60.0, check: geometry::ragged },
    Kind { name: "geometry programs in 24-bit floats", price: 2, compiled: 80.0, check: geometry::console },
    Kind { name: "pixel states", price: 1, compiled: 95.0, check: pixel::states },
    // Copies and conversions that leave their memory are the reference's.
    Kind { name: "transfers", price: 1, compiled: 70.0, check: transfer::transfers },
    Kind { name: RSX_VERTICES, price: 1, compiled: 70.0, check: program::vertices },
    Kind { name: "RSX fragment programs", price: 1, compiled: 70.0, check: program::fragments },
    Kind { name: "Maxwell vertex programs", price: 4, compiled: 95.0, check: maxwell::vertices },
    Kind { name: "Maxwell pixel programs", price: 10, compiled: 90.0, check: maxwell::pixels },
    Kind { name: "Maxwell compute programs", price: 4, compiled: 95.0, check: maxwell::threads },
    Kind { name: "Maxwell programs between", price: 4, compiled: 95.0, check: maxwell::between },
    Kind { name: "command lists", price: 50, compiled: 90.0, check: lists::mutated_captures },
    Kind { name: "push buffers", price: 100, compiled: 80.0, check: push::mutated_captures },
];

/// Seeds of a kind's cases that have failed in some runs only, as code depended on the order of a hash table.
const UNSTEADY: (&str, [u64; 2]) = ("vertex programs without structure", [37519, 78680]);
/// How often each of them is run.
const REPETITIONS: usize = 16;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Each kind uses every core by itself.
    arguments.test_threads = Some(1);
    let trials = KINDS.into_iter().map(|kind| {
        // Shown as ignored where the compiler has no such kernels.
        let ignored = kind.name == RSX_VERTICES && !program::has_vertices();
        Trial::test(kind.name, move || run(&kind)).with_ignored_flag(ignored)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The results of all cases so far.
#[derive(Default)]
struct Tally {
    cases: u64,
    /// Cases in which compiled code finished something.
    compiled: u64,
    /// The sum of the shares of work that it did.
    share: f64,
    refused: BTreeMap<&'static str, u64>,
    failure: Option<(u64, String)>,
}

fn run(kind: &Kind) -> Result<(), Failed> {
    if std::env::var_os("TRIGLYPH_CASE").is_some() {
        let seed = setting("TRIGLYPH_CASE", 0);
        return match (kind.check)(seed) {
            Outcome::Equal(share) => {
                println!("{}, seed {seed}: equal, {:.0} % compiled", kind.name, share * 100.0);
                Ok(())
            }
            Outcome::Unsupported(refused) => {
                println!("{}, seed {seed}: {refused}", kind.name);
                Ok(())
            }
            Outcome::Different(report) => Err(format!("seed {seed}\n{report}").into()),
        };
    }
    let cases = (setting("TRIGLYPH_CASES", 2_000) / kind.price).max(1);
    let first = setting("TRIGLYPH_SEED", 1);
    let unsteady = if kind.name == UNSTEADY.0 { UNSTEADY.1.repeat(REPETITIONS) } else { Vec::new() };
    let cases = cases + unsteady.len() as u64;
    let (next, tally, start) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    let worker = || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= cases {
                return;
            }
            let repeated = unsteady.get(number as usize).copied();
            let seed = repeated.unwrap_or(first.wrapping_add(number.wrapping_sub(unsteady.len() as u64)));
            let outcome = catch_unwind(AssertUnwindSafe(|| (kind.check)(seed)));
            let mut tally = tally.lock().expect("no thread panics with the tally");
            tally.cases += u64::from(repeated.is_none());
            let failure = match outcome {
                // Shares are those of random cases.
                Ok(Outcome::Equal(_)) if repeated.is_some() => continue,
                Ok(Outcome::Equal(share)) => {
                    tally.compiled += u64::from(share > 0.0);
                    tally.share += share;
                    continue;
                }
                Ok(Outcome::Unsupported(Unsupported(why))) => {
                    *tally.refused.entry(why).or_default() += 1;
                    continue;
                }
                Ok(Outcome::Different(report)) => report,
                Err(panic) => format!("panic: {}", message(&*panic)),
            };
            // The first in the order of seeds, whichever thread met it; no further cases.
            next.store(cases, Relaxed);
            if tally.failure.as_ref().is_none_or(|(earlier, _)| seed < *earlier) {
                tally.failure = Some((seed, failure));
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        (0..threads).for_each(|_| drop(scope.spawn(worker)));
    });
    let tally = tally.into_inner().expect("no thread panics with the tally");
    let seconds = start.elapsed().as_secs_f64();
    let per_cent = |part: f64| 100.0 * part / tally.cases as f64;
    let compiled = per_cent(tally.compiled as f64);
    println!(
        "{}: {} cases from seed {first}, {:.0} a second, {compiled:.1} % compiled, {:.1} % of the work, refused {:?}",
        kind.name,
        tally.cases,
        tally.cases as f64 / seconds,
        per_cent(tally.share),
        tally.refused
    );
    if let Some((seed, report)) = tally.failure {
        return Err(format!("{report}\nto run this case alone: TRIGLYPH_CASE={seed}, test `{}`", kind.name).into());
    }
    // A host without a code generator compares the reference with itself.
    if Jit::new().is_ok() && compiled < kind.compiled {
        return Err(format!("only {compiled:.1} % of the cases were compiled, not {} %", kind.compiled).into());
    }
    Ok(())
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}
