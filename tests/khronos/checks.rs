//! Checks of this runner that need no dEQP: what it reads of a process and of lists, what it keeps, how it judges.

use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

use crate::CHIPS;
use crate::binaries::{self, Api, Binary};
use crate::cases::{self, Case, matches};
use crate::console::{Console, End, Outcome};
use crate::known;
use crate::program::{Device, Programs};
use crate::results::Results;
use crate::slices;
use crate::verdict::{self, Verdict};

/// The checks as tests.
pub fn trials() -> Vec<Trial> {
    let checks: [(&str, fn()); 11] = [
        ("a_process_says_what_its_cases_end_with", a_process_says_what_its_cases_end_with),
        ("a_case_that_does_not_end_has_the_blame", a_case_that_does_not_end_has_the_blame),
        ("programs_and_lists_are_found", programs_and_lists_are_found),
        ("stars_are_anything", stars_are_anything),
        ("lists_of_lists_are_read", lists_of_lists_are_read),
        ("listed_cases_exist_and_are_listed_once", listed_cases_exist_and_are_listed_once),
        ("results_are_kept_until_the_programs_change", results_are_kept_until_the_programs_change),
        ("failures_are_wrong_unless_listed_or_everywhere", failures_are_wrong_unless_listed_or_everywhere),
        ("the_lists_can_be_read", the_lists_can_be_read),
        ("cases_after_a_crash_or_a_hang_are_run", cases_after_a_crash_or_a_hang_are_run),
        ("programs_that_do_not_start_are_errors", programs_that_do_not_start_are_errors),
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

fn programs_and_lists_are_found() {
    let (sources, flat) = (folder("sources"), folder("flat"));
    let build = sources.join("build");
    let lists = sources.join("external/openglcts/data/gl_cts/data/mustpass/gles/aosp_mustpass/main");
    let write = |path: PathBuf, text: &str| {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write(build.join("modules/gles3/deqp-gles3"), "");
    write(flat.join("deqp-gles3"), "");
    let find = |folder: &Path, named: Option<&Path>| binaries::find(folder, named, Api::Gles3);
    for folder in [&build, &flat] {
        assert!(find(folder, None).err().expect("no list").contains("TRIGLYPH_DEQP_LISTS"));
        assert!(find(folder, Some(&lists)).is_err());
    }
    write(build.join("CMakeCache.txt"), &format!("A:B=c\nCMAKE_HOME_DIRECTORY:INTERNAL={}\n", sources.display()));
    write(lists.join("gles3-main.txt"), "");
    let found = find(&build, None).expect("a program");
    assert_eq!(found.list, lists.join("gles3-main.txt"));
    assert!(found.path.ends_with("build/modules/gles3/deqp-gles3"));
    assert_eq!(find(&flat, Some(&lists)).expect("a program").list, lists.join("gles3-main.txt"));
    write(flat.join("gles3-main.txt"), "");
    assert_eq!(find(&flat, None).expect("a program").list, flat.join("gles3-main.txt"));
    assert!(binaries::find(&flat, None, Api::Vulkan).err().expect("no program").contains("deqp-vk"));
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

/// A program as dEQP's: it passes the cases of the file that it is given, but for those that say what they do.
const PROGRAM: &str = r#"#!/bin/sh
for argument; do
  case $argument in --deqp-caselist-file=*) list=${argument#*=} ;; esac
done
for name in $(cat "$list"); do
  case $name in *.none) continue ;; esac
  printf "\nTest case '%s'..\n" "$name"
  case $name in
  *.crash) kill -9 $$ ;;
  *.hang) exec sleep 60 ;;
  esac
  echo "  Pass (Pass)"
done
echo DONE!
"#;

/// The program of a check, if this system has a shell.
fn program(folder: &Path, text: &str) -> Option<Binary> {
    let path = folder.join("deqp-gles2");
    std::fs::write(&path, text).expect("a program");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
        Some(Binary { api: Api::Gles2, path, list: PathBuf::new() })
    }
    #[cfg(not(unix))]
    None
}

fn cases_after_a_crash_or_a_hang_are_run() {
    let folder = folder("program");
    let Some(binary) = program(&folder, PROGRAM) else { return };
    let mut programs = Programs::new(&binary, Device::Software, &folder).expect("programs");
    programs.limit = Duration::from_secs(2);
    let names = ["a.one", "a.crash", "a.two", "b.hang", "b.none", "b.crash", "b.three"].map(str::to_owned);
    let results = slices::results(&programs, &names, 2).expect("results");
    let found = names.each_ref().map(|name| results.of(name).expect(name).result.clone());
    assert_eq!(found, ["Pass", "Crash", "Pass", "Timeout", "Missing", "Crash", "Pass"]);
    drop(results);
    // What is kept is there without a process.
    let kept = slices::results(&programs, &names[..2], 2).expect("results");
    assert_eq!(kept.of("a.crash").expect("a result").result, "Crash");
}

fn programs_that_do_not_start_are_errors() {
    let folder = folder("no-program");
    let Some(binary) = program(&folder, "#!/bin/sh\necho no driver >&2\nexit 1\n") else { return };
    let programs = Programs::new(&binary, Device::Software, &folder).expect("programs");
    let error = slices::results(&programs, &["a.one".into()], 2).err().expect("an error");
    assert!(error.contains("ends before it runs a.one") && error.contains("no driver"), "{error}");
}

/// An empty folder for a check.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("khronos-checks").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
