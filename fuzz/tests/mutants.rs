//! A fixed number of mutants of the bundled captures, the same in every run: every oracle holds for each of them.
//!
//! | variable | |
//! |---|---|
//! | `TRIGLYPH_CASES` | cases of each machine, 120 if it is not set |
//! | `TRIGLYPH_SEED` | the first number; the following cases have the following numbers |
//! | `TRIGLYPH_CASE` | one number, to look at that case alone |

use std::collections::BTreeMap;

use triglyph::Machine;
use triglyph_fuzz::mutate::Base;
use triglyph_fuzz::oracle::{Allowed, Oracle};
use triglyph_fuzz::{Case, Verdict, corpus};

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
        // What was found took much longer than is allowed; hosts that run the tests may be slow, and busy.
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
