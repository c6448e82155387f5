//! The command as a user runs it: exit codes, JSON lines, files written.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use triglyph::capture::{Compression, Expect, Hash, Header, Map, Meta, Picture, Present, Writer};
use triglyph::{Access, GuestAddr, Machine};
use xxhash_rust::xxh3::xxh3_64;

const VRAM: GuestAddr = GuestAddr::new(0, 0x1800_0000);
const VRAM_VIRTUAL: u32 = 0x1F00_0000;

fn triglyph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_triglyph")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn expect_code(output: &Output, code: i32) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "stdout:\n{stdout}\nstderr:\n{stderr}");
}

#[track_caller]
fn json_lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn event<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    lines.iter().find(|line| line["event"] == name).unwrap_or_else(|| panic!("no {name} in {lines:?}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Two frames of an 8x4 picture in one colour, filled by the GPU, the second with a new colour. `expected` is what
/// EXPECT and HASH say of it, RGBA.
fn capture(folder: &Path, name: &str, expected: [u8; 4]) -> PathBuf {
    let mut writer = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::default()).unwrap();
    writer.meta(&Meta::new().with("name", name).with("source", "a test")).unwrap();
    writer.map(&Map { range: VRAM.range(0x1_0000), access: Access::READ_WRITE }).unwrap();
    for colour in [[9, 8, 7, 6], [1, 2, 3, 4]] {
        let words = [2, VRAM_VIRTUAL, u32::from_be_bytes(colour), VRAM_VIRTUAL + 128, 0, 0, 0, 0x201];
        let payload: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        writer.submit(&payload).unwrap();
        let present =
            Present { at: VRAM, format: 1, width: 8, height: 4, pitch: 16, layout: 2, label: "top/left".to_owned() };
        writer.present(&present).unwrap();
    }
    let png = Picture { width: 8, height: 4, rgba: expected.repeat(32) }.to_png(true).unwrap();
    writer.expect(&Expect { tolerance: 0, permille: 0, png: png.as_slice().into() }).unwrap();
    // One pixel 04 03 02 01 repeated; the hash says so when the expectation is the right one.
    let bytes: Vec<u8> = [4, 3, 2, 1].repeat(32);
    let hash = xxh3_64(&bytes) ^ u64::from(expected != [1, 2, 3, 4]);
    writer.hash(&Hash { range: VRAM.range(128), xxh3: hash }).unwrap();
    let path = folder.join(name).with_extension("tgc");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

#[test]
fn usage_mistakes_are_2() {
    let empty = tempfile::tempdir().unwrap();
    for arguments in [&["nonsense"][..], &[], &["verify"], &["bench", "--frames", "0", "x"], &["info"]] {
        expect_code(&triglyph(arguments), 2);
    }
    expect_code(&triglyph(&["verify", "--threads", "0", "x"]), 2);
    expect_code(&triglyph(&["verify", text(empty.path())]), 2);
    expect_code(&triglyph(&["--help"]), 0);
    expect_code(&triglyph(&["--version"]), 0);
}

#[test]
fn unreadable_files_are_3() {
    let folder = tempfile::tempdir().unwrap();
    let out = text(folder.path()).to_owned();
    let missing = folder.path().join("missing.tgc");
    let broken = folder.path().join("broken.tgc");
    let good = capture(folder.path(), "good", [1, 2, 3, 4]);
    let bytes = std::fs::read(&good).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() - 8]).unwrap();
    for path in [&missing, &broken] {
        let path = text(path);
        expect_code(&triglyph(&["info", path]), 3);
        expect_code(&triglyph(&["replay", path, "--out", &out]), 3);
        expect_code(&triglyph(&["bench", path]), 3);
        let verified = triglyph(&["--json", "verify", "--tier", "interp", path, text(&good)]);
        expect_code(&verified, 3);
        let lines = json_lines(&verified);
        assert!(event(&lines, "error")["error"].is_string());
        let summary = event(&lines, "summary");
        assert_eq!((&summary["good"], &summary["unreadable"]), (&1.into(), &1.into()));
    }
    let said = String::from_utf8(triglyph(&["info", text(&broken)]).stderr).unwrap();
    assert!(said.contains("record 7 at file offset"), "{said}");
}

#[test]
fn broken_captures_say_what_is_wrong_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(capture(folder.path(), "good", [1, 2, 3, 4])).unwrap();
    let broken = folder.path().join("broken.tgc");
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, what) in [
        (Vec::new(), "not a capture: it ends at offset 0x0,"),
        (good[..3].to_vec(), "not a capture: it ends at offset 0x3,"),
        (with(0, b'X'), "not a capture: no TGLC at offset 0x0"),
        (with(4, 9), "not a capture: version 9 at offset 0x4,"),
        (with(8, 77), "not a capture: unknown machine 77 at offset 0x8"),
        (with(12, 4), "not a capture: unknown flags 0x4 at offset 0xc"),
        (with(16, 77), "record 0 at file offset 0x10: unknown kind 0x4d"),
        (with(20, 7), "record 0 at file offset 0x10: unknown payload encoding 7"),
        (good[..good.len() - 8].to_vec(), "record 7 at file offset "),
    ] {
        std::fs::write(&broken, bytes).unwrap();
        for command in [&["info"][..], &["disasm"], &["replay", "--out", text(folder.path())]] {
            let failed = triglyph(&[command, &[text(&broken)]].concat());
            expect_code(&failed, 3);
            let said = String::from_utf8(failed.stderr).unwrap();
            assert!(said.starts_with(&format!("triglyph: {}: {what}", broken.display())), "{command:?}: {said}");
        }
    }
    // Neither one nor the other.
    let other = folder.path().join("notes.txt");
    std::fs::write(&other, "nothing of the kind").unwrap();
    let said = String::from_utf8(triglyph(&["disasm", text(&other)]).stderr).unwrap();
    assert_eq!(said, format!("triglyph: {}: not a shader binary: no DVLB at offset 0x0\n", other.display()));
}

#[test]
fn verify_tells_good_from_different() {
    let folder = tempfile::tempdir().unwrap();
    let good = capture(folder.path(), "good", [1, 2, 3, 4]);
    let bad = capture(folder.path(), "bad", [1, 2, 30, 4]);
    let arguments = ["--json", "verify", "--tier", "interp", "--threads", "1,2"];
    let verified = triglyph(&[&arguments[..], &[text(&good)]].concat());
    expect_code(&verified, 0);
    let lines = json_lines(&verified);
    let line = event(&lines, "verified");
    assert_eq!(line["ok"], true);
    let counts = ["pictures", "expected", "hashes", "runs"].map(|key| line[key].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1, 2]);

    let report = folder.path().join("report");
    let verified = triglyph(&[&arguments[..], &[text(&bad), "--report", text(&report)]].concat());
    expect_code(&verified, 1);
    let lines = json_lines(&verified);
    let differences = event(&lines, "verified")["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2, "{differences:?}");
    assert!(differences[0].as_str().unwrap().contains("32 of 32 pixels differ by more than 0, at most by 27"));
    assert!(differences[1].as_str().unwrap().contains("hash to"));
    for what in ["want", "got", "difference"] {
        assert!(report.join(format!("bad-1-top_left-{what}.png")).is_file(), "{what}");
    }

    // A folder is all captures in it; one difference is enough.
    let all = triglyph(&["verify", "--tier", "interp", text(folder.path())]);
    expect_code(&all, 1);
    let said = String::from_utf8(all.stdout).unwrap();
    assert!(said.lines().last().unwrap().starts_with("2 files: 1 good, 1 different, 0 unreadable"), "{said}");
}

#[test]
fn replay_writes_every_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two frames", [1, 2, 3, 4]);
    let out = folder.path().join("new/pictures");
    let replayed = triglyph(&["--json", "replay", text(&path), "--out", text(&out), "--tier", "interp", "--alpha"]);
    expect_code(&replayed, 0);
    for (index, colour) in [[9, 8, 7, 6], [1, 2, 3, 4]].into_iter().enumerate() {
        let png = std::fs::read(out.join(format!("two frames-{index}-top_left.png"))).unwrap();
        let (picture, alpha) = triglyph::capture::decode_png(&png).unwrap();
        assert!(alpha);
        assert_eq!((picture.width, picture.height, picture.pixel(7, 3)), (8, 4, Some(colour)));
    }
    let lines = json_lines(&replayed);
    assert_eq!(lines.iter().filter(|line| line["event"] == "picture").count(), 2);
    assert_eq!(event(&lines, "replayed")["submits"], 2);
}

#[test]
fn pictures_of_several_captures_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    capture(&folder.path().join("one"), "same", [1, 2, 3, 4]);
    let bad = capture(&folder.path().join("two"), "same", [1, 2, 30, 4]);
    let names = |out: &Path| -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    };
    let out = folder.path().join("out");
    let replayed = triglyph(&["replay", text(folder.path()), "--out", text(&out), "--tier", "interp"]);
    expect_code(&replayed, 0);
    let pictures = ["one-same-0-top_left.png", "one-same-1-top_left.png"];
    assert_eq!(names(&out)[..2], pictures);
    assert_eq!(names(&out)[2..], pictures.map(|name| name.replace("one", "two")));
    let report = folder.path().join("report");
    let verify = ["verify", "--tier", "interp", "--report", text(&report), text(folder.path())];
    expect_code(&triglyph(&verify), 1);
    assert_eq!(names(&report)[0], "two-same-1-top_left-difference.png");
    // A shard gives the pictures the names that the whole would.
    std::fs::remove_dir_all(&report).unwrap();
    expect_code(&triglyph(&[&verify[..], &["--shard", "2/2"]].concat()), 1);
    assert_eq!(names(&report)[0], "two-same-1-top_left-difference.png");
    expect_code(&triglyph(&["verify", "--tier", "interp", text(&bad), text(&bad)]), 1);
}

#[test]
fn verify_divides_its_work() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..5).map(|number| format!("capture-{number}")).collect();
    for name in &names {
        capture(folder.path(), name, [1, 2, 3, 4]);
    }
    std::fs::write(folder.path().join("broken.tgc"), "TGLC").unwrap();
    let junit = folder.path().join("results.xml");
    let verify = ["--json", "verify", "--tier", "interp", text(folder.path())];
    let verified = |more: &[&str]| -> Vec<String> {
        let lines = json_lines(&triglyph(&[&verify[..], more].concat()));
        let files = lines.iter().filter(|line| line["event"] == "verified");
        files
            .map(|line| Path::new(line["file"].as_str().unwrap()).file_stem().unwrap().to_str().unwrap().into())
            .collect()
    };
    assert_eq!(verified(&["--jobs", "3", "--junit", text(&junit)]), names, "in order, whichever is done first");
    let shards: Vec<_> = ["1/2", "2/2"].iter().map(|shard| verified(&["--shard", shard])).collect();
    // The broken one is the first of all.
    assert_eq!(shards, [["capture-1", "capture-3"].to_vec(), ["capture-0", "capture-2", "capture-4"].to_vec()]);
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains(r#"tests="6" skipped="0" failures="0" errors="1""#), "{xml}");
    for shard in ["0/2", "3/2", "1", "x/y"] {
        expect_code(&triglyph(&["verify", "--shard", shard, text(folder.path())]), 2);
    }
}

#[test]
fn every_message_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.tgc");
    let broken = folder.path().join("broken.tgc");
    let bytes = std::fs::read(capture(folder.path(), "good", [1, 2, 3, 4])).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() - 8]).unwrap();
    let out = text(folder.path());
    let commands: [&[&str]; 6] = [
        &["info"],
        &["verify", "--tier", "interp"],
        &["bench"],
        &["starts", "--starts", "1", "--auto-only"],
        &["disasm"],
        &["replay", "--out", out],
    ];
    for command in commands {
        for path in [&missing, &broken] {
            let failed = triglyph(&[command, &[text(path)]].concat());
            expect_code(&failed, 3);
            let said = String::from_utf8(failed.stderr).unwrap();
            assert!(said.starts_with(&format!("triglyph: {}: ", path.display())), "{command:?}: {said}");
            assert_eq!(said.matches("triglyph: ").count(), 1, "{said}");
            let failed = triglyph(&[&["--json"], command, &[text(path)]].concat());
            expect_code(&failed, 3);
            assert_eq!(event(&json_lines(&failed), "error")["file"], text(path), "{command:?}");
        }
    }
    let good = text(&folder.path().join("good.tgc")).to_owned();
    let cut = text(&folder.path().join("cut.tgc")).to_owned();
    let of_one_file: [&[&str]; 7] = [
        &["inspect"],
        &["inspect", &good, "--compare"],
        &["capture", "cut", "--records", "0..1", "--output", &cut],
        &["capture", "merge", "--output", &cut, &good],
        &["capture", "diff"],
        &["capture", "diff", &good],
        &["capture", "minimize", "--while", "fault", "--output", &cut],
    ];
    for command in of_one_file {
        for path in [&missing, &broken] {
            let other = if command == ["capture", "diff"] { &[good.as_str()][..] } else { &[] };
            let failed = triglyph(&[command, &[text(path)], other].concat());
            expect_code(&failed, 3);
            let said = String::from_utf8(failed.stderr).unwrap();
            assert!(said.starts_with(&format!("triglyph: {}: ", path.display())), "{command:?}: {said}");
        }
    }
    let usage = triglyph(&["--json", "verify", "--threads", "none", "x"]);
    expect_code(&usage, 2);
    assert!(event(&json_lines(&usage), "error")["error"].as_str().unwrap().contains("none"));
}

#[test]
fn keys_that_cannot_be_written_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    // A file in the place of a folder: not even root can write below it.
    let keys = path.join("keys");
    let out = text(folder.path());
    for command in [&["replay", "--out", out][..], &["bench", "--frames", "1"]] {
        let failed = triglyph(&[command, &[text(&path), "--keys", text(&keys)]].concat());
        expect_code(&failed, 3);
        let said = String::from_utf8(failed.stderr).unwrap();
        assert!(said.contains(text(&keys)), "{said}");
    }
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = triglyph(&["completions", shell]);
        expect_code(&script, 0);
        assert!(String::from_utf8(script.stdout).unwrap().contains("junit"), "{shell}");
    }
    for command in [&["completions", "bash"][..], &["man"]] {
        let lines = json_lines(&triglyph(&[&["--json"], command].concat()));
        assert!(lines.len() == 1 && lines[0]["text"].as_str().is_some_and(|text| text.contains("triglyph")));
    }
    let page = triglyph(&["man"]);
    expect_code(&page, 0);
    assert!(String::from_utf8(page.stdout).unwrap().contains(".TH triglyph 1"));
    expect_code(&triglyph(&["man", "--out", text(folder.path())]), 0);
    for page in ["triglyph.1", "triglyph-verify.1", "triglyph-cache-prune.1"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
}

#[test]
fn replay_has_a_capture_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let replayed = triglyph(&["replay", "--out", text(folder.path())]);
    expect_code(&replayed, 0);
    let pictures = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(pictures, String::from_utf8(replayed.stdout).unwrap().lines().count());
    assert!(pictures > 0);
}

/// A published package has files of its own folder only.
#[test]
fn the_bundled_capture_is_one_of_the_tests() {
    let (name, own) = ("28-render-to-texture.tgc", Path::new(env!("CARGO_MANIFEST_DIR")).join("bundled"));
    assert_eq!(std::fs::read(own.join(name)).unwrap(), std::fs::read(bundled("3ds").join(name)).unwrap());
}

#[test]
fn code_of_remembered_kernels_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    expect_code(&triglyph(&["replay", "--out", text(folder.path()), "--keys", text(&keys), "--tier", "jit"]), 0);
    let all = json_lines(&triglyph(&["--json", "cache", "code", text(&keys)]));
    assert!(all.iter().all(|line| line["code"].as_str().unwrap().contains("function")));
    let pixel = event_of_kind(&all, "pixel");
    let one = json_lines(&triglyph(&["--json", "cache", "code", text(&keys), pixel["hash"].as_str().unwrap()]));
    assert_eq!(one, [pixel]);
}

/// The first line about a kernel of a kind.
fn event_of_kind(lines: &[serde_json::Value], kind: &str) -> serde_json::Value {
    lines.iter().find(|line| line["kind"] == kind).unwrap().clone()
}

#[test]
fn bench_measures_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    let measured = triglyph(&["--json", "bench", text(&path), "--tier", "interp", "--frames", "5"]);
    expect_code(&measured, 0);
    let lines = json_lines(&measured);
    let line = event(&lines, "measured");
    assert_eq!(line["frames"], 5);
    assert!(line["median_ms"].as_f64().unwrap() <= line["p99_ms"].as_f64().unwrap());
    assert!(line["stages_ms"]["raster"].is_number());
    expect_code(&triglyph(&["bench", text(&path), "--tier", "interp", "--frames", "2"]), 0);
}

#[test]
fn starts_are_measured_in_processes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    let measured = triglyph(&["--json", "starts", text(&path), "--starts", "1"]);
    expect_code(&measured, 0);
    let lines = json_lines(&measured);
    let line = event(&lines, "starts");
    for (tier, time) in [("auto", "cold_ms"), ("auto", "warm_ms"), ("jit", "steady_ms"), ("interp", "steady_ms")] {
        assert!(line[tier][time].as_f64().unwrap() > 0.0, "{tier} {time}");
    }
    let table = triglyph(&["starts", text(&path), "--starts", "1", "--auto-only"]);
    expect_code(&table, 0);
    let table = String::from_utf8(table.stdout).unwrap();
    let columns: Vec<_> = table.lines().map(|line| line.matches('|').count()).collect();
    // A table of one row, and a summary after it.
    assert_eq!(columns, [7, 7, 7, 0, 0], "{table}");
    expect_code(&triglyph(&["starts", text(&folder.path().join("missing.tgc"))]), 3);
}

#[test]
fn kernels_are_remembered_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    let keys = folder.path().join("some").join("keys");
    let (keys, out) = (text(&keys), text(folder.path()));
    let replay = || {
        let replayed =
            triglyph(&["--json", "replay", text(&path), "--out", out, "--keys", keys, "--stats", "--tier", "jit"]);
        expect_code(&replayed, 0);
        event(&json_lines(&replayed), "replayed")["kernels"].clone()
    };
    let first = replay();
    assert_eq!((&first["kernels_recalled"], &first["kernel_hits"]), (&0.into(), &1.into()), "{first}");
    assert_eq!((&first["kernel_lookups"], &first["kernels_compiled"]), (&2.into(), &1.into()), "{first}");
    let second = replay();
    assert_eq!((&second["kernels_recalled"], &second["kernels_compiled"]), (&1.into(), &1.into()), "{second}");

    let listed = triglyph(&["--json", "cache", "list", keys]);
    expect_code(&listed, 0);
    let lines = json_lines(&listed);
    assert_eq!((&event(&lines, "key")["kind"], &event(&lines, "key")["uses"]), (&"transfer".into(), &4.into()));
    assert_eq!(lines.len(), 1);
    expect_code(&triglyph(&["cache", "verify", keys]), 0);

    // A bit flips: one record is lost, and said to be.
    let mut bytes = std::fs::read(keys).unwrap();
    bytes[40] ^= 4;
    std::fs::write(keys, &bytes).unwrap();
    let verified = triglyph(&["--json", "cache", "verify", keys]);
    expect_code(&verified, 1);
    let lines = json_lines(&verified);
    assert_eq!(event(&lines, "verify")["damage"].as_array().unwrap().len(), 1);
    expect_code(&triglyph(&["cache", "prune", keys]), 0);
    expect_code(&triglyph(&["cache", "verify", keys]), 0);
    assert_eq!(json_lines(&triglyph(&["--json", "cache", "list", keys])).len(), 0);
}

#[test]
fn other_files_are_not_taken_for_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (other, missing) = (folder.path().join("notes.txt"), folder.path().join("no").join("keys"));
    std::fs::write(&other, "not a file of keys at all").unwrap();
    for command in ["list", "verify", "prune"] {
        for file in [&other, &missing] {
            expect_code(&triglyph(&["cache", command, text(file)]), 3);
        }
    }
    assert_eq!(std::fs::read(&other).unwrap(), b"not a file of keys at all");
    assert!(!missing.parent().unwrap().exists());
}

#[test]
fn info_shows_what_is_inside() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    let shown = triglyph(&["info", text(&path)]);
    expect_code(&shown, 0);
    let said = String::from_utf8(shown.stdout).unwrap();
    assert!(said.contains("MemoryFill") && said.contains("with 0x1020304, 32 bits"), "{said}");
    let lines = json_lines(&triglyph(&["--json", "info", text(&path)]));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["machine"], "3ds");
    assert_eq!(lines[0]["records"]["PRESENT"]["count"], 2);
    assert_eq!(lines[0]["maps"][0]["address"], VRAM.address);
    let records = json_lines(&triglyph(&["--json", "info", "--records", text(&path)]));
    let kinds: Vec<_> = records.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["META", "MAP", "SUBMIT", "PRESENT", "SUBMIT", "PRESENT", "EXPECT", "HASH"]);
    assert!(records.iter().enumerate().all(|(index, line)| line["index"] == index));
}

/// A bundled capture.
fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures").join(name)
}

#[test]
fn info_names_what_every_machine_is_told() {
    for (capture, parts) in [
        (
            "3ds/21-scaled-transfer.tgc",
            ["TEV5_SOURCE", "RENDERBUF_DIM", "width 480", "VSH_FLOAT_DATA[0]", "bytes 1011"],
        ),
        ("tegra/02-quad.tgc", ["ThreeD", "SET_OBJECT", "LOAD_MME_INSTRUCTION_RAM", "v SRCCOPY", "1.3 TwoD"]),
    ] {
        let path = bundled(capture);
        let shown = triglyph(&["info", "--methods", text(&path)]);
        expect_code(&shown, 0);
        let said = String::from_utf8(shown.stdout).unwrap();
        for part in parts {
            assert!(said.contains(part), "{capture}: {part}");
        }
        let lines = json_lines(&triglyph(&["--json", "info", "--methods", text(&path)]));
        assert_eq!(lines.len(), said.lines().count());
        assert!(lines.iter().all(|line| line["event"] == "method" && line["file"] == text(&path)));
        let named = lines.iter().filter(|line| !line["method"].as_str().unwrap().starts_with("0x")).count();
        assert!(named * 10 > lines.len() * 9, "{named} of {} have names", lines.len());
    }
}

#[test]
fn programs_of_captures_are_shown() {
    for (capture, kinds) in [
        ("3ds/21-scaled-transfer.tgc", &["PICA vertex"][..]),
        ("rsx/02-quad.tgc", &["RSX vertex", "RSX fragment"]),
        ("tegra/02-quad.tgc", &["Maxwell Vertex", "Maxwell pixel", "MME macro"]),
    ] {
        let path = bundled(capture);
        let shown = triglyph(&["disasm", text(&path)]);
        expect_code(&shown, 0);
        let said = String::from_utf8(shown.stdout).unwrap();
        let lines = json_lines(&triglyph(&["--json", "disasm", text(&path)]));
        for kind in kinds {
            assert!(said.contains(&format!("; {kind} program, ")), "{capture}: {kind}");
            let line = lines.iter().find(|line| line["kind"] == *kind).unwrap();
            assert!(said.contains(line["text"].as_str().unwrap().trim_end()), "{capture}: {kind}");
        }
    }
}

#[test]
fn info_names_the_methods_of_push_buffers() {
    let path = bundled("rsx/02-quad.tgc");
    let shown = triglyph(&["info", "--methods", text(&path)]);
    expect_code(&shown, 0);
    let said = String::from_utf8(shown.stdout).unwrap();
    for part in ["SET_OBJECT", "curie", "SET_SURFACE_FORMAT", "BUF_NOTIFY", "width 64, height 64", "LINE_COUNT"] {
        assert!(said.contains(part), "{part}");
    }
    let lines = json_lines(&triglyph(&["--json", "info", "--methods", text(&path)]));
    assert_eq!(lines.len(), said.lines().count());
    assert!(lines.iter().all(|line| line["event"] == "method" && line["channel"] == 1));
    assert!(lines.iter().all(|line| !line["method"].as_str().unwrap().starts_with("0x")), "all methods have names");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    for arguments in [&["info", "--records"][..], &["verify", "--tier", "interp"], &["--json", "bench"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_triglyph"))
            .args(arguments)
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn disasm_goes_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("a.pica"), "main:\n    mov r0, c95.x\n    mov o0, r0\n    nop\n    end\n").unwrap();
    let (source, binary, listing) = (file("a.pica"), file("a.shbin"), file("b.pica"));
    expect_code(&triglyph(&["disasm", "--assemble", text(&source), "--out", text(&binary)]), 0);
    expect_code(&triglyph(&["disasm", text(&binary), "--out", text(&listing)]), 0);
    let code = |source: &Path| {
        let assembled = triglyph(&["--json", "disasm", "--assemble", text(source)]);
        expect_code(&assembled, 0);
        json_lines(&assembled)[0]["code"].clone()
    };
    assert_eq!(code(&source), code(&listing));
    expect_code(&triglyph(&["disasm", text(&source)]), 3);
    std::fs::write(&source, "frobnicate r0\n").unwrap();
    let refused = triglyph(&["disasm", "--assemble", text(&source)]);
    expect_code(&refused, 3);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("line 1, column 1"));
}

/// Every program of the bundled captures, of every instruction set.
#[test]
fn programs_of_captures_assemble_to_the_same_words() {
    let folder = tempfile::tempdir().unwrap();
    let (source, mut sets) = (folder.path().join("program"), std::collections::BTreeMap::<String, usize>::new());
    for machine in ["3ds", "rsx", "tegra"] {
        for entry in std::fs::read_dir(bundled(machine)).unwrap() {
            let path = entry.unwrap().path();
            for line in json_lines(&triglyph(&["--json", "disasm", text(&path)])) {
                let isa = line["isa"].as_str().unwrap();
                std::fs::write(&source, line["text"].as_str().unwrap()).unwrap();
                let assembled = triglyph(&["--json", "disasm", "--assemble", "--isa", isa, text(&source)]);
                expect_code(&assembled, 0);
                assert_eq!(json_lines(&assembled)[0]["code"], line["words"], "{}: {isa}", path.display());
                *sets.entry(isa.to_owned()).or_default() += 1;
            }
        }
    }
    let found: Vec<_> = sets.iter().filter(|(_, count)| **count > 3).map(|(isa, _)| isa.as_str()).collect();
    assert_eq!(found, ["maxwell", "mme", "pica", "rsx-fragment", "rsx-vertex"], "{sets:?}");
}

#[test]
fn programs_of_every_set_become_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("a"), folder.path().join("b"));
    std::fs::write(&source, "mov r0, f[COL0]  [end]\n").unwrap();
    let arguments = ["disasm", "--assemble", "--isa", "rsx-fragment", text(&source), "--out", text(&binary)];
    expect_code(&triglyph(&arguments), 0);
    // The halves of words are exchanged, and bytes are big-endian.
    assert_eq!(std::fs::read(&binary).unwrap()[..4], [0x3E, 0x01, 0x01, 0x00]);
    expect_code(&triglyph(&["disasm", "--isa", "mme", text(&source)]), 2);
}

/// A capture without EXPECT and HASH: one fill.
fn unchecked_capture(folder: &Path, name: &str) -> PathBuf {
    let mut writer = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::default()).unwrap();
    writer.map(&Map { range: VRAM.range(0x1_0000), access: Access::READ_WRITE }).unwrap();
    let words = [2, VRAM_VIRTUAL, 7, VRAM_VIRTUAL + 128, 0, 0, 0, 0x201];
    writer.submit(&words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    let path = folder.join(name).with_extension("tgc");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

#[test]
fn a_capture_that_checks_nothing_is_unchecked() {
    let folder = tempfile::tempdir().unwrap();
    let good = capture(folder.path(), "good", [1, 2, 3, 4]);
    let plain = unchecked_capture(folder.path(), "plain");
    let junit = folder.path().join("results.xml");
    let verify = ["--json", "verify", "--tier", "interp", "--junit", text(&junit), text(&good), text(&plain)];
    let verified = triglyph(&verify);
    expect_code(&verified, 0);
    let lines = json_lines(&verified);
    let statuses: Vec<_> =
        lines.iter().filter(|line| line["event"] == "verified").map(|line| &line["status"]).collect();
    assert_eq!(statuses, ["good", "unchecked"]);
    let summary = event(&lines, "summary");
    assert_eq!(["good", "unchecked", "different"].map(|key| summary[key].as_u64().unwrap()), [1, 1, 0]);
    assert!(std::fs::read_to_string(&junit).unwrap().contains(r#"tests="2" skipped="1" failures="0" errors="0""#));
    let said = String::from_utf8(triglyph(&verify[1..]).stdout).unwrap();
    assert!(said.contains("\nunchecked plain ") && said.contains("0 unreadable, 1 unchecked; "), "{said}");

    let required = triglyph(&[&verify[..], &["--require-checks"]].concat());
    expect_code(&required, 1);
    let lines = json_lines(&required);
    let verified = lines.iter().filter(|line| line["event"] == "verified").nth(1).unwrap();
    assert_eq!((&verified["status"], &verified["ok"]), (&"different".into(), &false.into()));
    assert_eq!(verified["differences"][0], "the capture expects no picture and no hash");
}

#[test]
fn junit_has_classes_and_the_pictures_that_differ() {
    let folder = tempfile::tempdir().unwrap();
    let captures = folder.path().join("console");
    std::fs::create_dir(&captures).unwrap();
    capture(&captures, "bad", [1, 2, 30, 4]);
    capture(&captures, "good", [1, 2, 3, 4]);
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
        command.args(["verify", "--tier", "interp", "console", "--junit", "results.xml"]).args(more);
        expect_code(&command.current_dir(folder.path()).stdin(Stdio::null()).output().unwrap(), 1);
        std::fs::read_to_string(folder.path().join("results.xml")).unwrap()
    };
    let xml = run(&["--report", "pictures"]);
    for part in [
        r#"<testcase name="bad" classname="console" time="#,
        r#" file="console/bad.tgc">"#,
        "[[ATTACHMENT|pictures/bad-1-top_left-want.png]]",
        "[[ATTACHMENT|pictures/bad-1-top_left-got.png]]",
        "[[ATTACHMENT|pictures/bad-1-top_left-difference.png]]",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
    assert_eq!(xml.matches("ATTACHMENT").count(), 3, "{xml}");
    assert!(folder.path().join("pictures/bad-1-top_left-got.png").is_file());
    assert!(!run(&[]).contains("ATTACHMENT"));
}

#[test]
fn files_of_one_name_are_listed_with_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        capture(&folder.path().join(name), "same", [1, 2, 3, 4]);
    }
    let bench = ["bench", "--tier", "interp", "--frames", "1"];
    for command in [&["verify", "--tier", "interp"][..], &bench, &["starts", "--starts", "1", "--auto-only"]] {
        let done = triglyph(&[command, &[text(folder.path())]].concat());
        expect_code(&done, 0);
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(said.contains("one-same ") && said.contains("two-same "), "{command:?}: {said}");
    }
}

#[test]
fn ranges_tiers_and_minutes_are_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), "two", [1, 2, 3, 4]);
    let (path, part, page) = (text(&path), folder.path().join("part.tgc"), folder.path().join("page.html"));
    let records = |range: &str| {
        expect_code(&triglyph(&["capture", "cut", path, "--records", range, "-o", text(&part)]), 0);
        json_lines(&triglyph(&["--json", "info", "--records", text(&part)])).len()
    };
    assert_eq!(records("2..4"), records("2..=3"));
    assert_eq!(records("2..=4"), records("2..4") + 1);
    let inspect = |range: &str| triglyph(&["inspect", path, "--html", text(&page), "--events", range]);
    for good in ["0..1", "..=1", "1..", ".."] {
        expect_code(&inspect(good), 0);
    }
    for bad in ["2..", "1", "1..1", "1..="] {
        expect_code(&inspect(bad), 2);
    }
    for tier in ["interp", "interpreter", "jit"] {
        expect_code(&triglyph(&["inspect", path, "--html", text(&page), "--compare-tier", tier]), 0);
    }
    expect_code(&triglyph(&["verify", "--tier", "interpreter", path]), 0);
    for wrong in [&["vectors", "maxwell", "--tier", "auto"][..], &["verify", "--tier", "none", path]] {
        expect_code(&triglyph(wrong), 2);
    }
    let keep = folder.path().join("findings");
    let fuzz = |minutes: &str| {
        let bounds = ["--minutes", minutes, "--cases", "1", "--keep", text(&keep)];
        triglyph(&[&["fuzz"], &bounds[..], &[path]].concat())
    };
    expect_code(&fuzz("0.5"), 0);
    expect_code(&fuzz("0"), 2);
}

/// The program sees what the library is told.
#[cfg(target_os = "linux")]
#[test]
fn a_program_is_run_with_the_library_and_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("library.so");
    let shell = ["-c", "env; exit 7"];
    let run = |library: &Path| {
        let frames = folder.path().join("frames");
        let settings = ["--chip", "nv47", "--threads", "2", "--stats", "--frames", text(&frames)];
        let start = ["gpu", "run", "--library", text(library)];
        triglyph(&[&start[..], &settings[..], &["--", "sh"][..], &shell[..]].concat())
    };
    let missing = run(&library);
    expect_code(&missing, 3);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("cargo build --release -p triglyph-vgpu"));
    // The loader says that it is no library, and goes on without.
    std::fs::write(&library, "").unwrap();
    let done = run(&library);
    expect_code(&done, 7);
    let environment = String::from_utf8_lossy(&done.stdout).into_owned();
    let preload = format!("LD_PRELOAD={}", text(&library));
    let numbers = ["TRIGLYPH_GPU_THREADS=2", "TRIGLYPH_GPU_STATS=1", "TRIGLYPH_GPU_REQUIRED=1"];
    for line in [&*preload, "TRIGLYPH_GPU_CHIP=nv47"].into_iter().chain(numbers) {
        assert!(environment.lines().any(|other| other == line), "{line} in\n{environment}");
    }
    assert!(folder.path().join("frames").is_dir());
    let start = ["gpu", "run", "--any-renderer", "--library", text(&library), "--", "sh"];
    let any = triglyph(&[&start[..], &shell[..]].concat());
    assert!(String::from_utf8_lossy(&any.stdout).lines().any(|line| line == "TRIGLYPH_GPU_REQUIRED="));
}

#[test]
fn fuzz_counts_what_it_asks() {
    let folder = tempfile::tempdir().unwrap();
    let good = capture(folder.path(), "good", [1, 2, 3, 4]);
    let keep = folder.path().join("findings");
    let (good, keep) = (text(&good), text(&keep));
    let output = triglyph(&["--json", "fuzz", "--cases", "12", "--machine", "3ds", "--keep", keep, good]);
    expect_code(&output, 0);
    let lines = json_lines(&output);
    let summary = event(&lines, "summary");
    assert_eq!((&summary["cases"], &summary["findings"], &summary["seed"]), (&12.into(), &0.into(), &1.into()));
    let asked = lines.iter().filter(|line| line["event"] == "asked");
    assert_eq!(asked.map(|line| line["cases"].as_u64().unwrap()).sum::<u64>(), 12);
    let output = triglyph(&["--json", "fuzz", "--replay", "--oracle", "snapshot", good]);
    expect_code(&output, 0);
    assert_eq!(event(&json_lines(&output), "replayed")["verdict"], "Holds");
    // A machine that none of the captures is of still has its calls.
    expect_code(&triglyph(&["fuzz", "--cases", "3", "--machine", "ps3", "--keep", keep, good]), 0);
    expect_code(&triglyph(&["fuzz", "--oracle", "nothing"]), 2);
    expect_code(&triglyph(&["fuzz", "--replay"]), 2);
}
