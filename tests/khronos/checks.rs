//! Checks of this runner that need no dEQP: what it reads of a process and of lists, what it keeps, how it judges.

use std::path::PathBuf;

use libtest_mimic::{Failed, Trial};

use crate::CHIPS;
use crate::binaries::Api;
use crate::cases::{self, Case, matches};
use crate::console::{Console, End, Outcome};
use crate::known;
use crate::results::Results;
use crate::verdict::{self, Verdict};

/// The checks as tests.
pub fn trials() -> Vec<Trial> {
    let checks: [(&str, fn()); 8] = [
        ("a_process_says_what_its_cases_end_with", a_process_says_what_its_cases_end_with),
        ("a_case_that_does_not_end_has_the_blame", a_case_that_does_not_end_has_the_blame),
        ("stars_are_anything", stars_are_anything),
        ("lists_of_lists_are_read", lists_of_lists_are_read),
        ("listed_cases_exist_and_are_listed_once", listed_cases_exist_and_are_listed_once),
        ("results_are_kept_until_the_programs_change", results_are_kept_until_the_programs_change),
        ("failures_are_wrong_unless_listed_or_everywhere", failures_are_wrong_unless_listed_or_everywhere),
        ("the_lists_can_be_read", the_lists_can_be_read),
    ];
    let passed = |check: fn()| {
        move || -> Result<(), Failed> {
            check();
            Ok(())
        }
    };
    checks.into_iter().map(|(name, check)| Trial::test(format!("runner/{name}"), passed(check))).collect()
}

/// What a process says, with what tests and drivers may say in between.
const SAID: &str = "dEQP Core git-0 (0x00000000) starting..
  target implementation = 'Surfaceless'

Test case 'dEQP-GLES2.info.vendor'..
  Pass (Pass)

Test case 'dEQP-GLES2.functional.a'..
nouveau: a line of a driver
  (not a result)
  Fail (Image comparison failed: (1, 2)
and more)

Test case 'dEQP-GLES2.functional.b'..
  NotSupported (needs an extension at es2fTest.cpp:17)
";

fn read(text: &str) -> (Console, Vec<(String, Outcome)>) {
    let mut console = Console::default();
    let outcomes = text.lines().filter_map(|line| console.line(line)).collect();
    (console, outcomes)
}

fn a_process_says_what_its_cases_end_with() {
    let (mut console, outcomes) = read(SAID);
    let expected = [
        ("dEQP-GLES2.info.vendor", "Pass", "Pass"),
        ("dEQP-GLES2.functional.a", "Fail", "Image comparison failed: (1, 2"),
        ("dEQP-GLES2.functional.b", "NotSupported", "needs an extension at es2fTest.cpp:17"),
    ];
    let expected = expected.map(|(case, result, detail)| (case.to_owned(), Outcome::new(result, detail)));
    assert_eq!(outcomes, expected);
    assert_eq!(console.end(End::Gone), None);
    assert!(!console.is_done());
    let (console, _) = read(&format!("{SAID}\nDONE!\n\nTest run totals:\n  Passed:        1/3 (33.3%)\n"));
    assert!(console.is_done());
}

fn a_case_that_does_not_end_has_the_blame() {
    for (how, result) in [(End::Gone, "Crash"), (End::Silent, "Timeout")] {
        let (mut console, outcomes) = read(&format!("{SAID}\nTest case 'dEQP-GLES2.functional.c'..\n"));
        assert_eq!(outcomes.len(), 3);
        let (case, outcome) = console.end(how).expect("a case");
        assert_eq!((case.as_str(), outcome.result.as_str()), ("dEQP-GLES2.functional.c", result));
    }
    let (_, outcomes) = read("Test case 'a'..\nTest case 'b'..\n  Pass (Pass)\n");
    let results: Vec<_> = outcomes.iter().map(|(case, outcome)| (case.as_str(), outcome.result.as_str())).collect();
    assert_eq!(results, [("a", "InternalError"), ("b", "Pass")]);
}

fn stars_are_anything() {
    for (pattern, name) in [("a.b", "a.b"), ("a.*", "a.b.c"), ("a.*_c", "a.b_c_c"), ("*.b.*.d", "a.b.c.d"), ("a*", "a")]
    {
        assert!(matches(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [("a.b", "a.b.c"), ("a.*.c", "a.c"), ("a.*_c", "a.b_cd"), ("a*a", "a"), ("*b*b", "ab")] {
        assert!(!matches(pattern, name), "{pattern} {name}");
    }
}

fn lists_of_lists_are_read() {
    let folder = folder("lists");
    std::fs::create_dir_all(folder.join("more")).expect("a folder");
    std::fs::write(folder.join("main.txt"), "# cases\nmore/b.txt\nc.d\n\n").expect("a list");
    std::fs::write(folder.join("more/b.txt"), "b.x\nb.y\n").expect("a list");
    assert_eq!(cases::read(&folder.join("main.txt")).expect("cases"), ["b.x", "b.y", "c.d"]);
    std::fs::write(folder.join("wrong.txt"), "more/none.txt\n").expect("a list");
    for list in ["none.txt", "wrong.txt"] {
        assert!(cases::read(&folder.join(list)).expect_err(list).contains("none.txt"));
    }
}

/// Cases beside a list, with a release of Mesa.
fn listed(lines: &[&str], mesa: u32) -> Result<Vec<Case>, String> {
    let names = ["dEQP-GLES2.a.one", "dEQP-GLES2.a.two", "dEQP-GLES2.b"];
    let lines: Vec<String> = lines.iter().map(|line| line.replace(' ', "\t").replace('_', " ")).collect();
    cases::with_known(names.map(str::to_owned).into(), known::parse(&lines)?, Api::Gles2, mesa)
}

fn listed_cases_exist_and_are_listed_once() {
    let known = |lines: &[&str], mesa| -> Result<Vec<bool>, String> {
        Ok(listed(lines, mesa)?.iter().map(|case| case.known.is_some()).collect())
    };
    let of_driver = ["dEQP-GLES2.a.* Fail driver_until_24 why", "dEQP-GLES3.c Crash ours why"];
    assert_eq!(known(&of_driver, 24), Ok(vec![true, true, false]));
    assert_eq!(known(&of_driver, 25), Ok(vec![false; 3]));
    for (lines, part) in [
        (&["dEQP-GLES2.c* Fail chip why"][..], "has none of that name"),
        (&["dEQP-GLES2.a.* Fail chip why", "dEQP-GLES2.a.one Fail chip why"], "listed as failing twice"),
        (&["dEQP-GLES2.b Fail chip why", "dEQP-GLES2.b Crash chip why"], "listed twice"),
        (&["dEQP-GLES2.b Fail host why"], "\"host\" is none of"),
        (&["dEQP-GLES2.b Fail chip"], "4 columns"),
    ] {
        let error = known(lines, 24).expect_err(part);
        assert!(error.contains(part), "{error}");
    }
}

fn results_are_kept_until_the_programs_change() {
    let file = folder("results").join("results.txt");
    let open = |made_by| Results::open(&file, made_by).expect("a file of results");
    let mut results = open("# one");
    assert!(Results::open(&file, "# one").err().is_some_and(|error| error.contains("another run")));
    results.keep("a".into(), Outcome::new("Fail", "no (picture)")).expect("a result");
    results.keep("b".into(), Outcome::new("Pass", "")).expect("a result");
    drop(results);
    // A run that is killed while it writes.
    let mut text = std::fs::read_to_string(&file).expect("results");
    text.push_str("c\tPa");
    std::fs::write(&file, text).expect("results");
    let mut results = open("# one");
    assert_eq!(results.of("a"), Some(&Outcome::new("Fail", "no (picture)")));
    assert_eq!((results.of("b"), results.of("c")), (Some(&Outcome::new("Pass", "")), None));
    results.keep("c".into(), Outcome::new("Crash", "")).expect("a result");
    drop(results);
    assert_eq!(open("# one").of("c"), Some(&Outcome::new("Crash", "")));
    let results = open("# two");
    assert_eq!((results.of("a"), results.of("c")), (None, None));
}

fn failures_are_wrong_unless_listed_or_everywhere() {
    let results = |name: &str, outcomes: [&str; 3]| {
        let mut results = Results::open(&folder(name).join("results.txt"), "#").expect("a file of results");
        for (case, result) in ["a.one", "a.two", "b"].iter().zip(outcomes).filter(|(_, result)| !result.is_empty()) {
            results.keep(format!("dEQP-GLES2.{case}"), Outcome::new(result, "why")).expect("a result");
        }
        results
    };
    let judged = |on_chip: [&str; 3], software: [&str; 3], lines: &[&str]| {
        let cases = listed(lines, 24).expect("cases");
        let (on_chip, software) = (results("on-chip", on_chip), results("software", software));
        let needed = cases.iter().filter(|case| verdict::needs_software(case, &on_chip)).count();
        let verdict = Verdict::of(&cases, &on_chip, &software);
        let names: Vec<String> = verdict
            .wrong
            .iter()
            .map(|line| line.split(':').next().unwrap_or_default().replace("dEQP-GLES2.", ""))
            .collect();
        (needed, names.join(" "))
    };
    let wrong = |needed: usize, names: &str| (needed, names.to_owned());
    assert_eq!(judged(["Pass", "NotSupported", "QualityWarning"], ["", "", ""], &[]), wrong(0, ""));
    assert_eq!(judged(["Fail", "Crash", "Timeout"], ["Pass", "Fail", "NotSupported"], &[]), wrong(3, "a.one b"));
    let list = ["dEQP-GLES2.a.* Fail|Crash ours why"];
    assert_eq!(judged(["Fail", "Crash", "Pass"], ["", "", ""], &list), wrong(0, ""));
    assert_eq!(judged(["Pass", "Fail", "Pass"], ["", "", ""], &list), wrong(0, "a.one"));
    assert_eq!(
        judged(["NotSupported", "Timeout", "Missing"], ["", "Timeout", "Pass"], &list),
        wrong(1, "a.one a.two b")
    );
    assert_eq!(judged(["Pass", "Pass", ""], ["", "", ""], &[]), wrong(0, "b"));
}

fn the_lists_can_be_read() {
    for (chip, apis) in CHIPS {
        for case in known::read(&format!("tests/khronos/{chip}.txt")).expect("a list").keys() {
            let drawn = apis.iter().any(|api| case.starts_with(api.package()));
            assert!(drawn, "{chip}.txt: {case} is of no interface of that chip");
        }
    }
}

/// An empty folder for a check.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("khronos-checks").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
