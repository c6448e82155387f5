//! Control characters of files do not reach terminals.

use std::path::{Path, PathBuf};
use std::process::Command;

use triglyph::capture::{Compression, Header, Map, Meta, Present, Writer};
use triglyph::{Access, GuestAddr, Machine};

/// Clears the screen, begins another line, erases, in one character and in two, turns the direction of text, and hides
/// some.
const HOSTILE: &str = "\x1b[2J\nb\u{9b}2Kc\x7f\u{202e}\x07d\u{200b}\u{e0041}\r";

const VRAM: GuestAddr = GuestAddr::new(0, 0x1800_0000);

/// A capture of the 3DS whose strings are hostile; the picture's label is also that of a file.
fn capture(folder: &Path, name: &str, label: &str) -> PathBuf {
    let mut writer = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::default()).unwrap();
    let meta = serde_json::json!({ "name": HOSTILE, "title": HOSTILE, HOSTILE: [HOSTILE] });
    writer.meta(&Meta::from_json(&meta.to_string()).unwrap()).unwrap();
    writer.map(&Map { range: VRAM.range(0x1_0000), access: Access::READ_WRITE }).unwrap();
    writer.submit(&[0; 32]).unwrap();
    let label = format!("{HOSTILE}{label}");
    writer.present(&Present { at: VRAM, format: 1, width: 8, height: 4, pitch: 16, layout: 2, label }).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

#[test]
fn strings_of_files_are_printed_without_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let name = if cfg!(unix) { "a\x1b[31m\u{9b}1mb.tgc" } else { "a.tgc" };
    let [first, other] = [capture(folder.path(), name, "a"), capture(folder.path(), "b.tgc", "b")]
        .map(|path| path.to_str().unwrap().to_owned());
    let broken = folder.path().join("c\u{9b}2J.tgc");
    std::fs::write(&broken, "no capture").unwrap();
    let (out, page) = (folder.path().to_str().unwrap(), folder.path().join("page.html"));
    let commands: [&[&str]; 10] = [
        &["info", &first],
        &["info", &first, &other, "--records"],
        &["info", &first, &other, "--methods"],
        &["info", broken.to_str().unwrap()],
        &["verify", &first],
        &["replay", &first, "--out", out],
        &["capture", "diff", &first, &other, "--meta"],
        &["disasm", &first],
        &["inspect", &first, "--html", page.to_str().unwrap()],
        &["inspect", &first, "--port", HOSTILE],
    ];
    for command in commands {
        // What prints no strings of a good capture.
        let is_silent = command.iter().any(|word| ["verify", "disasm", "--methods", "--html"].contains(word));
        for json in [&["--json"][..], &[]] {
            let mut is_escaped = false;
            let output = Command::new(env!("CARGO_BIN_EXE_triglyph")).args(json).args(command).output().unwrap();
            for bytes in [&output.stdout, &output.stderr] {
                let text = std::str::from_utf8(bytes).unwrap();
                let hidden = ['\u{202e}', '\u{200b}', '\u{e0041}'];
                let shown = |c: char| c != '\n' && c.is_control() || hidden.contains(&c);
                assert!(!text.contains(shown), "{json:?} {command:?}: {text:?}");
                is_escaped |= text.contains("2J");
                if json.is_empty() {
                    // Nothing after a label's end of line begins a line.
                    assert!(text.lines().all(|line| !line.starts_with('b')), "{command:?}: {text:?}");
                } else {
                    text.lines().filter(|line| line.starts_with('{')).for_each(|line| {
                        serde_json::from_str::<serde_json::Value>(line).unwrap();
                    });
                }
            }
            assert_eq!(is_escaped, !is_silent, "{json:?} {command:?}");
        }
    }
}
