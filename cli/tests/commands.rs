//! The command as a user runs it: exit codes, JSON lines, files written.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use triglyph::capture::{Compression, Expect, Hash, Header, Map, Picture, Present, Writer};
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
    let meta = serde_json::json!({ "name": name, "source": "a test" });
    writer.meta(meta.as_object().unwrap()).unwrap();
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

    // A folder stands for what is in it; one difference is enough.
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
fn replay_has_a_capture_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let replayed = triglyph(&["replay", "--out", text(folder.path())]);
    expect_code(&replayed, 0);
    let pictures = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(pictures, String::from_utf8(replayed.stdout).unwrap().lines().count());
    assert!(pictures > 0);
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
    // A table of one row, and a summary behind it.
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

#[test]
fn info_names_the_methods_of_push_buffers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures/rsx/02-quad.tgc");
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
    assert!(String::from_utf8(refused.stderr).unwrap().contains("line 1"));
}
