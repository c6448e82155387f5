//! A fixed number of mutants of the bundled captures, the same in every run: every oracle holds for each of them.
//!
//! | variable | |
//! |---|---|
//! | `TRIGLYPH_CASES` | cases of each machine, 120 if it is not set |
//! | `TRIGLYPH_SEED` | the first number; the following cases have the following numbers |
//! | `TRIGLYPH_CASE` | one number, to run that case alone |

use std::collections::{BTreeMap, BTreeSet};

use triglyph::{Machine, Options, Tier, new_device};
use triglyph_fuzz::mutate::{self, Base};
use triglyph_fuzz::oracle::{Allowed, Oracle};
use triglyph_fuzz::run::Fuel;
use triglyph_fuzz::{Case, Choices, Edit, Verdict, corpus};

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// One test after the other: panics are noted for the whole process.
static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn check(machine: Machine) {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let bases = corpus::bundled().expect("all machines").into_iter();
    let bases: Vec<Base> = bases.filter(|base| base.document.header.machine == machine).collect();
    assert!(bases.iter().any(|base| base.name.ends_with("+snapshot")), "there are mutants of snapshots");
    let (first, count) = match setting("TRIGLYPH_CASE") {
        Some(seed) => (seed, 1),
        None => (setting("TRIGLYPH_SEED").unwrap_or(1), setting("TRIGLYPH_CASES").unwrap_or(120)),
    };
    let mut asked: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let mut slowest = (0, 0);
    let mut findings = Vec::new();
    for seed in first..first + count {
        // Every machine has cases of its own.
        let case = Case::new(&bases, seed << 2 | machine as u64, None).expect("bases");
        let report = case.check(Allowed::default());
        slowest = slowest.max((report.slowest, seed));
        let held = asked.entry(case.oracle.name()).or_default();
        match report.verdict {
            Verdict::Holds => held[0] += 1,
            Verdict::Skipped(_) => held[1] += 1,
            Verdict::Fails(what) => {
                let edits: Vec<String> = case.edits.iter().map(|edit| format!("  {edit}")).collect();
                let (base, oracle) = (&case.base.name, case.oracle.name());
                findings.push(format!(
                    "to run this case alone: TRIGLYPH_CASE={seed}, {machine}; {base}, {oracle}: {what}\n{}",
                    edits.join("\n")
                ));
            }
        }
    }
    eprintln!("{machine}: held and skipped {asked:?}; slowest {} ms, case {}", slowest.0, slowest.1);
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn sites_of_all_kinds_are_found() {
    for base in corpus::bundled().expect("all machines") {
        let sites = base.sites();
        let found = [sites.data.len(), sites.headers.len(), sites.instructions.len(), sites.numbers.len()];
        match base.name.split_once('+') {
            None if base.name.ends_with("-calls") => assert!(found[3] > 50, "{}: {found:?}", base.name),
            None => assert!(found.iter().all(|&found| found > 10), "{}: {found:?}", base.name),
            Some(_) => assert!(!sites.sealed.is_empty() && !sites.memory.is_empty(), "{}", base.name),
        }
    }
}

/// As many vertices as a draw may have, and more, are found by themselves on all machines.
#[test]
fn some_mutants_draw_as_many_vertices_as_there_may_be() {
    const DRAWS: [&str; 3] = ["NUM_VERTICES", "DRAW_ARRAYS", "DRAW_VERTEX_ARRAY"];
    for (machine, most) in [(Machine::N3ds, 1 << 20), (Machine::Ps3, 255), (Machine::TegraX1, 1 << 24)] {
        let bases = corpus::bundled().expect("all machines").into_iter();
        let bases: Vec<Base> = bases.filter(|base| base.document.header.machine == machine).collect();
        let mut found = 0;
        for seed in 0..3000 {
            let case = Case::new(&bases, seed, None).expect("bases");
            for edit in &case.edits {
                let Edit::Bytes { bytes, what, .. } = edit else { continue };
                let Some(&word) = bytes.first_chunk() else { continue };
                let word =
                    if machine == Machine::Ps3 { u32::from_be_bytes(word) >> 24 } else { u32::from_le_bytes(word) };
                found += u32::from(DRAWS.iter().any(|draw| what.starts_with(draw)) && word >= most);
            }
        }
        assert!(found > 2, "{machine}: {found}");
    }
}

/// Calls of every number that a machine takes are made.
#[test]
fn all_calls_are_made() {
    const NUMBERS: u64 = 64;
    for machine in Machine::ALL {
        let options = Options::new(Tier::InterpreterOnly, 1);
        let taken = (0..NUMBERS).filter(|&number| {
            (0..16).any(|count| {
                let mut device = new_device(machine, &options).expect("a device");
                device.as_replay().replay_call(&triglyph_fuzz::document::call(number, &vec![0; count])).is_ok()
            })
        });
        let taken: Vec<u64> = taken.collect();
        let mut choices = Choices::new(1);
        let mut made = BTreeSet::new();
        for _ in 0..4000 {
            let call = match machine {
                Machine::N3ds => mutate::hardware_call(&mut choices),
                Machine::Ps3 => mutate::hypervisor_call(&mut choices),
                Machine::TegraX1 => mutate::driver_call(&mut choices),
                other => panic!("no calls of the {other}"),
            };
            made.insert(triglyph_fuzz::document::long(&call, 0));
        }
        assert!(taken.len() >= 10, "{machine}: {taken:?}");
        assert_eq!(made.into_iter().collect::<Vec<_>>(), taken, "{machine}");
    }
}

/// Oracles of time and memory give submissions the fuel that hosts give them: a macro of draws takes no sixteenth of
/// what it may.
#[test]
fn time_and_memory_are_asked_with_the_usual_fuel() {
    for oracle in [Oracle::Time, Oracle::Memory] {
        assert_eq!(oracle.fuel(), Fuel::Usual, "{oracle:?}");
    }
    assert_eq!(Oracle::Tiers.fuel(), Fuel::Reduced);
}

#[test]
fn the_same_number_is_the_same_mutant() {
    let bases = corpus::bundled().expect("all machines");
    for seed in 0..20 {
        let [one, two] = [(); 2].map(|()| Case::new(&bases, seed, None).expect("bases"));
        assert_eq!((&one.edits, one.oracle), (&two.edits, two.oracle));
        assert!(one.mutant() == two.mutant());
    }
}

/// Mutants for which something did not hold once: `found/MACHINE-ORACLE-SEED.tgc`, as `triglyph fuzz` keeps them.
#[test]
fn what_was_found_holds() {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("found");
    let files = std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        let (rest, seed) = name.rsplit_once('-').expect("a seed");
        let oracle = Oracle::ALL.into_iter().find(|oracle| rest.ends_with(&format!("-{}", oracle.name())));
        let mutant = std::fs::read(&file).expect("a capture");
        // The findings took much longer than allowed; hosts that run the tests may be slow, and busy.
        let allowed = Allowed { time: 4 * Allowed::default().time, ..Allowed::default() };
        let report = oracle.expect("an oracle").check(&mutant, seed.parse().expect("a number"), allowed);
        assert_eq!(report.verdict, Verdict::Holds, "{name}");
    }
}

#[test]
fn mutants_of_the_3ds() {
    check(Machine::N3ds);
}

#[test]
fn mutants_of_the_ps3() {
    check(Machine::Ps3);
}

#[test]
fn mutants_of_the_tegra_x1() {
    check(Machine::TegraX1);
}
