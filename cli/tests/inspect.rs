//! `triglyph inspect` as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures").join(name)
}

fn inspect(arguments: &[&str]) -> Output {
    inspect_of(&["--json"], &capture("tegra/07-fbo.tgc"), arguments)
}

fn inspect_of(before: &[&str], capture: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
    command.args(before).arg("inspect").arg(capture).args(arguments).output().unwrap()
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
    for events in ["5..4", "1000000..", "five", "3"] {
        let output = inspect(&["--html", "/nowhere/page.html", "--events", events]);
        assert_eq!(output.status.code(), Some(2), "{events}");
    }
}

#[test]
fn limits_are_more_than_nothing() {
    for limit in ["--time-limit", "--size-limit"] {
        let output = inspect(&["--html", "/nowhere/page.html", limit, "0"]);
        assert_eq!(output.status.code(), Some(2), "{limit}");
    }
}

/// What is not compared is printed, by who writes hashes and by who compares with them.
#[test]
fn what_is_not_compared_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let hashes = folder.path().join("hashes.json");
    let path = hashes.to_str().unwrap();
    let output = inspect(&["--hashes", path]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["event"], &line["left_out"]), (&Value::from("hashed"), &serde_json::json!([])));
    let mut written: Value = serde_json::from_slice(&std::fs::read(&hashes).unwrap()).unwrap();
    assert_eq!(line["events"], written["events"].as_array().unwrap().len());
    written["left_out"] = serde_json::json!(["the second half"]);
    std::fs::write(&hashes, written.to_string()).unwrap();
    let page = folder.path().join("page.html");
    let output = inspect(&["--compare-hashes", path, "--html", page.to_str().unwrap()]);
    let line: Value = serde_json::from_slice(output.stdout.split(|&byte| byte == b'\n').next().unwrap()).unwrap();
    let comparison = &line["comparison"];
    assert_eq!((&comparison["first"], &line["event"]), (&Value::Null, &Value::from("compared")));
    assert_eq!(comparison["left_out"], serde_json::json!(["The other run: the second half"]));
    assert!(std::fs::read_to_string(&page).unwrap().contains("The other run: the second half"));
    // The text output says so as well. Hashes of a form that is never written are refused.
    let told = |path: &str| {
        let arguments = ["--compare-hashes", path, "--html", page.to_str().unwrap()];
        inspect_of(&[], &capture("tegra/07-fbo.tgc"), &arguments)
    };
    let text = String::from_utf8(told(path).stdout).unwrap();
    assert!(
        text.contains("no event differs as far as they were compared\n  The other run: the second half\n"),
        "{text}"
    );
    written["ranges"] = serde_json::json!([[0, 0, u64::MAX]]);
    std::fs::write(&hashes, written.to_string()).unwrap();
    let output = told(path);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A trace of another emulator: a frame that fills a buffer.
#[test]
fn captures_of_other_emulators_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, page] = ["frame.ctf", "page.html"].map(|name| folder.path().join(name));
    // A header of 25 words, no sections, and a stream right after it.
    let mut words = vec![u32::from_le_bytes(*b"CiTr"), 1, 100];
    words.resize(23, 0);
    let writes = [(0x10, 0x1800_0000 >> 3), (0x14, 0x1805_DC00 >> 3), (0x18, 0x1122_3344), (0x1C, 0x201)];
    words.extend([100, writes.len() as u32 + 1]);
    for (offset, value) in writes {
        words.extend([0xE3, 0x1040_0000 + offset, 0xD3, value, 0]);
    }
    words.extend([0xE1, 0, 0, 0, 0]);
    std::fs::write(&trace, words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    let html = ["--html", page.to_str().unwrap()];
    let output = inspect_of(&["--json"], &trace, &html);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let line: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(line["event"], "inspected");
    assert!(line["events"].as_u64() > Some(0));
    assert!(std::fs::read_to_string(&page).unwrap().contains("clear"));
    // A broken one says where.
    std::fs::write(&trace, b"CiTr\x02\0\0\0").unwrap();
    let output = inspect_of(&[], &trace, &html);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at offset 0x4"));
}

#[test]
fn an_event_is_drawn_again_with_another_register() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("again.png");
    let run = |edits: &[&str]| {
        let output = inspect_of(&["--json"], &capture("rsx/03-cubes.tgc"), edits);
        let line: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), line)
    };
    let mut changed = 0;
    for event in 0..8 {
        let event = event.to_string();
        let mask = ["--redraw", &event, "--set", "set_color_mask=0", "--picture", picture.to_str().unwrap()];
        let (code, line) = run(&mask);
        if code == Some(0) {
            assert_eq!((line["event"].as_str(), line["agree"].as_bool()), (Some("redrawn"), Some(true)), "{line}");
            changed += u64::from(line["differ"].as_u64() > Some(0));
            assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
        }
        assert_eq!(run(&["--redraw", &event, "--set", "no_such_register=0"]).0, Some(2));
    }
    assert!(changed > 0);
}
