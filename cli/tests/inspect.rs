//! `triglyph inspect` as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn inspect(arguments: &[&str]) -> Output {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures/tegra/07-fbo.tgc");
    let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
    command.args(["--json", "inspect"]).arg(capture).args(arguments).output().unwrap()
}

#[test]
fn pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let output = inspect(&["--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["event"], "inspected");
    let written = std::fs::read_to_string(&page).unwrap();
    assert_eq!(line["page_bytes"], written.len());
    assert!(line["draws"].as_u64() > Some(0) && written.contains("<title>"));
}

#[test]
fn events_that_there_are_not_are_wrong_usage() {
    for events in ["5..4", "0..1000000", "five", "3"] {
        let output = inspect(&["--html", "/nowhere/page.html", "--events", events]);
        assert_eq!(output.status.code(), Some(2), "{events}");
    }
}
