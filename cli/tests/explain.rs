//! `triglyph explain`: what it prints, and its exit code.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use triglyph::capture::{Compression, Header, Map, Present, Writer};
use triglyph::{Access, GuestAddr, GuestRange, Machine};

fn explain(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
    command.arg("explain").args(arguments).current_dir(root).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json_lines(output: &Output) -> Vec<Value> {
    text(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_guide_shows_what_it_prints() {
    let output = explain(&["tests/findings/invisible.tgc"]);
    assert_eq!(output.status.code(), Some(1));
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/wrong-picture.md"));
    let page = page.unwrap();
    let (_, block) = page.split_once("$ triglyph explain tests/findings/invisible.tgc\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    assert_eq!(text(&output), block);
}

#[test]
fn a_register_is_an_object() {
    let output = explain(&["tests/findings/invisible.tgc", "--json", "--event", "0"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output);
    let finding = &lines[0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["register"]["number"]), (&"empty-viewport".into(), &0x41.into()));
    assert_eq!((&lines[0]["dropped"]["without area"], &lines[0]["changed"]), (&1.into(), &false.into()));
    assert_eq!((&lines[1]["event"], &lines[1]["invisible"]), (&"explained".into(), &1.into()));
}

#[test]
fn explain_says_when_a_picture_is_not_drawn() {
    let output = explain(&["tests/findings/elsewhere.tgc"]);
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(text.contains("unwritten-picture") && text.contains("0x20010000") && text.contains("0x18000000"), "{text}");
}

#[test]
fn good_captures_are_0_and_events_without_draws_2() {
    let output = explain(&["tests/captures/3ds/28-render-to-texture.tgc", "--all", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let lines = json_lines(&output);
    assert!(lines.iter().filter(|line| line["event"] == "draw").count() > 1, "{lines:?}");
    assert_eq!(explain(&["tests/findings/invisible.tgc", "--event", "7"]).status.code(), Some(2));
    assert_eq!(explain(&["no-such-file.tgc"]).status.code(), Some(3));
}

#[test]
fn faults_are_shown() {
    let file = "tests/captures/3ds/29-transfer-engine.tgc";
    let text = text(&explain(&[file]));
    assert!(text.contains("\n16 faults of the guest\n  bad-command: display transfer: the hardware freezes"), "{text}");
    let lines = json_lines(&explain(&[file, "--json"]));
    let faults: Vec<&Value> = lines.iter().filter(|line| line["event"] == "fault").collect();
    assert_eq!((faults.len(), &faults[0]["kind"]), (4, &"bad-command".into()));
}

#[test]
fn captures_without_commands_say_so() {
    let mut writer = Writer::new(Vec::new(), Header::new(Machine::Ps3), Compression::default()).unwrap();
    let range = GuestRange::new(0, 0, 0x1000);
    writer.map(&Map { range, access: Access::READ_WRITE }).unwrap();
    let label = "main".to_owned();
    let at = GuestAddr::new(0, 0);
    writer.present(&Present { at, format: 9, width: 4, height: 4, pitch: 16, layout: 0, label }).unwrap();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing.tgc");
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    let text = text(&explain(&[file.to_str().unwrap()]));
    assert!(text.contains("no command has run: write PUT to the control page"), "{text}");
}
