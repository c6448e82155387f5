//! Vectors of operations: the published tables are those of both tiers, and logs that differ are found to the row.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SETS: [&str; 5] = ["rsx-fragment", "rsx-vertex", "pica-vertex", "maxwell", "maxwell-macro"];

fn triglyph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_triglyph")).arg("vectors").args(arguments).output().expect("the command runs")
}

fn table(arguments: &[&str]) -> String {
    let output = triglyph(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Where a table is published.
fn published(set: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/vectors/{set}.txt"))
}

/// `TRIGLYPH_BLESS=1` writes them.
#[test]
fn published_tables_are_those_of_both_tiers() {
    for set in SETS {
        let reference = table(&[set]);
        if std::env::var_os("TRIGLYPH_BLESS").is_some() {
            std::fs::write(published(set), &reference).expect("the file can be written");
        }
        let text = std::fs::read_to_string(published(set)).expect("a published table").replace('\r', "");
        assert!(reference == text, "{set}: not what is published");
        let compiled = triglyph(&[set, "--tier", "jit"]);
        // Hosts without a code generator have one tier.
        if compiled.status.success() {
            assert!(compiled.stdout == reference.as_bytes(), "{set}: the tiers differ");
            let fallbacks = String::from_utf8_lossy(&compiled.stderr);
            assert!(fallbacks.is_empty(), "{set}: {fallbacks}");
        }
    }
}

#[test]
fn planted_errors_are_found_to_the_row() {
    let folder = tempfile::tempdir().expect("a folder");
    for set in SETS {
        let text = std::fs::read_to_string(published(set)).expect("a published table").replace('\r', "");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let rows: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains(" = ")).collect();
        let mut planted = Vec::new();
        for i in rows.iter().step_by(rows.len() / 10).take(10) {
            let (operands, _) = lines[*i].split_once(" = ").expect("a row");
            planted.push(operands.to_owned());
            lines[*i] = format!("{operands} = 12345678 12345678 12345678 12345678");
        }
        let log = folder.path().join(set);
        std::fs::write(&log, lines.join("\n") + "\n# the end\n").expect("the file can be written");
        let output = triglyph(&[set, "--check", log.to_str().expect("a path")]);
        assert_eq!(output.status.code(), Some(1), "{set}");
        let shown = String::from_utf8(output.stdout).expect("text");
        let found: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        let found: Vec<&str> = found.iter().step_by(3).copied().collect();
        assert_eq!(found, planted, "{set}");
        assert!(shown.contains(", 10 different, 0 not in the log, 0 of the log unknown"), "{shown}");
    }
}

#[test]
fn logs_that_cannot_be_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let code = |text: &str| {
        std::fs::write(&log, text).expect("the file can be written");
        triglyph(&["rsx-vertex", "--check", log.to_str().expect("a path")]).status.code()
    };
    assert_eq!(code("triglyph vectors 1\nset rsx-vertex\n"), Some(0), "a log may miss anything");
    assert_eq!(code("triglyph vectors 1\nset rsx-fragment\n"), Some(2));
    assert_eq!(code("something else"), Some(3));
    assert_eq!(triglyph(&["rsx-vertex", "--check", "/does/not/exist"]).status.code(), Some(3));
}
