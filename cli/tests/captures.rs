//! `triglyph capture`: what it cuts, merges and makes small replays as it should; it finds what was planted.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use triglyph::capture::{Checks, Event, Kind, Picture, Player, Reader, Record};
use triglyph::{GuestRange, Options, Tier};
use triglyph_fuzz::Document;
use triglyph_fuzz::sites::Sites;

fn triglyph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_triglyph")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn run(arguments: &[&str], code: i32) -> Vec<Value> {
    let output = triglyph(&[&["--json"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\nstdout:\n{stdout}\nstderr:\n{stderr}");
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What a replay leaves: pictures with the index of their record, all mapped memory, faults.
struct Replayed {
    pictures: Vec<(usize, Picture)>,
    memory: Vec<(GuestRange, Vec<u8>)>,
    faults: u64,
}

/// Replays the first `records` of a capture.
fn replay(file: &[u8], records: usize) -> Replayed {
    let mut document = Document::parse(file).unwrap();
    document.blocks.truncate(records);
    let bytes = document.to_bytes();
    let reader = Reader::new(&bytes).unwrap();
    let mut device = triglyph::new_device(reader.header().machine, &Options::new(Tier::Auto, 2)).unwrap();
    let mut player = Player::new(&reader, Checks::ALL);
    let mut pictures = Vec::new();
    while let Some(event) = player.next(&mut *device).unwrap() {
        match event {
            Event::Picture(finished) => pictures.push((finished.record, finished.picture.unwrap())),
            Event::Hash(hashed) => assert!(hashed.ok()),
            _ => {}
        }
    }
    let mut memory = Vec::new();
    for (range, _) in player.maps() {
        let mut bytes = vec![0; range.size as usize];
        device.read(range.start, &mut bytes).unwrap();
        memory.push((range, bytes));
    }
    Replayed { pictures, memory, faults: device.faults().total() }
}

/// One of each machine, with a few submissions at least.
const CAPTURES: [&str; 3] = ["3ds/28-render-to-texture.tgc", "rsx/07-fbo.tgc", "tegra/07-fbo.tgc"];

#[test]
fn a_part_of_a_capture_leaves_the_bytes_that_the_whole_does() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cut.tgc");
    for name in CAPTURES {
        let path = capture(name);
        let file = std::fs::read(&path).unwrap();
        let whole = Document::parse(&file).unwrap();
        let submits: Vec<usize> =
            (0..whole.blocks.len()).filter(|&at| whole.blocks[at].kind == Kind::Submit as u32).collect();
        // From the middle of the work to some records before the end.
        let (start, end) = (submits[submits.len() / 2], whole.blocks.len() - 2);
        run(&["capture", "cut", text(&path), "--records", &format!("{start}..{end}"), "-o", text(&out)], 0);
        let (want, got) = (replay(&file, end), replay(&std::fs::read(&out).unwrap(), usize::MAX));
        assert!(want.memory == got.memory, "{name}: memory differs");
        let wanted: Vec<&Picture> =
            want.pictures.iter().filter(|(at, _)| *at >= start).map(|(_, picture)| picture).collect();
        assert!(wanted.into_iter().eq(got.pictures.iter().map(|(_, picture)| picture)), "{name}: pictures differ");
    }
}

#[test]
fn a_part_may_begin_with_any_event() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cut.tgc");
    for name in CAPTURES {
        let path = capture(name);
        let file = std::fs::read(&path).unwrap();
        let want = replay(&file, usize::MAX);
        let submits = Document::parse(&file).unwrap();
        let (head, size) = submits.entry_form();
        let submits = submits.blocks.iter().filter(|block| block.kind == Kind::Submit as u32);
        let count: usize = submits.map(|block| (block.payload.len() - head) / size).sum();
        for event in [1, count - 1] {
            run(&["capture", "cut", text(&path), "--events", &format!("{event}.."), "-o", text(&out)], 0);
            let cut = std::fs::read(&out).unwrap();
            let got = replay(&cut, usize::MAX);
            assert!(want.memory == got.memory, "{name} from event {event}: memory differs");
            let first = Document::parse(&cut).unwrap();
            assert!(matches!(first.record(0), Some(Record::Meta(meta)) if meta.text("starts") == Some("mid-run")));
        }
    }
    let all = text(&capture(CAPTURES[0])).to_owned();
    run(&["capture", "cut", &all, "--events", "100000..", "-o", text(&out)], 2);
    run(&["capture", "cut", &all, "-o", text(&out)], 2);
}

#[test]
fn captures_one_after_the_other_give_the_pictures_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("merged.tgc");
    let names = ["3ds/28-render-to-texture.tgc", "3ds/25-shadow-map.tgc", "3ds/28-render-to-texture.tgc"];
    let paths = names.map(capture);
    let [a, b, c] = paths.each_ref().map(|path| text(path));
    run(&["capture", "merge", a, b, c, "-o", text(&out)], 0);
    let merged = replay(&std::fs::read(&out).unwrap(), usize::MAX);
    let wanted = paths.iter().flat_map(|path| replay(&std::fs::read(path).unwrap(), usize::MAX).pictures);
    assert!(wanted.map(|(_, picture)| picture).eq(merged.pictures.into_iter().map(|(_, picture)| picture)));
    run(&["verify", text(&out)], 0);
    run(&["capture", "merge", a, text(&capture("rsx/01-triangle.tgc")), "-o", text(&out)], 3);
}

/// 22-city with the indices of a draw, in the middle of its command lists, where nothing is mapped; and that word's
/// record and offset.
fn planted() -> (Document, usize, usize) {
    let mut document = Document::parse(&std::fs::read(capture("3ds/22-city.tgc")).unwrap()).unwrap();
    let sites = Sites::of(&document);
    let writes: Vec<_> = sites.data.iter().filter(|site| site.name == "INDEX_BUFFER").collect();
    let site = writes[writes.len() / 2];
    let (record, at) = (site.record, site.at);
    document.blocks[record].payload[at..at + 4].copy_from_slice(&BAD_INDICES.to_le_bytes());
    (document, record, at)
}

/// 16-bit indices so far from the base of all arrays.
const BAD_INDICES: u32 = 0x8FFF_FF00;

#[test]
fn a_planted_fault_is_found_by_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let (document, record, _) = planted();
    let bad = folder.path().join("bad.tgc");
    std::fs::write(&bad, document.to_small_bytes()).unwrap();
    let good = capture("3ds/22-city.tgc");
    let lines = run(&["capture", "diff", text(&good), text(&bad)], 1);
    let of = |name: &str| lines.iter().filter(|line| line["event"] == name).collect::<Vec<_>>();
    let [bytes] = of("bytes")[..] else { panic!("{lines:?}") };
    assert_eq!((bytes["left"].as_u64(), bytes["kind"].as_str()), (Some(record as u64), Some("MEM")));
    let commands = of("command");
    assert!(!commands.is_empty() && lines.len() == commands.len() + 2, "{lines:?}");
    for command in commands {
        assert_eq!(command["right_word"]["method"], "INDEX_BUFFER");
        assert_eq!(command["right_word"]["value"], BAD_INDICES);
    }
    run(&["capture", "diff", text(&good), text(&good)], 0);
}

#[test]
fn a_planted_fault_is_what_is_left_of_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let (document, ..) = planted();
    let [bad, small] = ["bad.tgc", "small.tgc"].map(|name| folder.path().join(name));
    std::fs::write(&bad, document.to_small_bytes()).unwrap();
    run(&["capture", "minimize", text(&bad), "--while", "fault=unmapped-read", "-o", text(&small)], 0);
    let file = std::fs::read(&small).unwrap();
    assert!(replay(&file, usize::MAX).faults > 0);
    let lines = run(&["info", "--methods", text(&small)], 0);
    let words: Vec<&Value> = lines.iter().filter(|line| line["value"] != 0).collect();
    assert!(words.iter().any(|line| line["method"] == "INDEX_BUFFER" && line["value"] == BAD_INDICES), "{words:?}");
    // Of some 30,000 words in 23 KB.
    assert!(words.len() <= 4 && file.len() < 400, "{} bytes, {words:?}", file.len());
    // There is no such fault.
    run(&["capture", "minimize", text(&bad), "--while", "fault=bad-shader", "-o", text(&small)], 1);
    run(&["capture", "minimize", text(&bad), "--while", "tiers-differ", "-o", text(&small)], 1);
}

/// A draw of 22-city has half its vertices: no fault, but another picture.
#[test]
fn a_planted_difference_is_what_is_left_of_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(capture("3ds/22-city.tgc")).unwrap();
    let document = Document::parse(&good).unwrap();
    let last = |file: &[u8]| replay(file, usize::MAX).pictures.pop().unwrap().1;
    let wanted = last(&good);
    let sites = Sites::of(&document);
    let counts: Vec<_> = sites.data.iter().filter(|site| site.name == "NUM_VERTICES").collect();
    // Of the list of the last frame, from its middle on: boxes may be hidden behind others.
    let mutants = counts.iter().skip(counts.len() * 3 / 4).step_by(7).map(|site| {
        let mut mutant = document.clone();
        mutant.blocks[site.record].payload[site.at] = HALF;
        mutant
    });
    let document = mutants.into_iter().find(|mutant| last(&mutant.to_bytes()) != wanted).unwrap();
    let [bad, small] = ["bad.tgc", "small.tgc"].map(|name| folder.path().join(name));
    std::fs::write(&bad, document.to_small_bytes()).unwrap();
    let condition = format!("differs={}", text(&capture("3ds/22-city.tgc")));
    run(&["capture", "minimize", text(&bad), "--while", &condition, "--tries", "1500", "-o", text(&small)], 0);
    let lines = run(&["info", "--methods", text(&small)], 0);
    let words: Vec<&Value> = lines.iter().filter(|line| line["value"] != 0).collect();
    let counts: Vec<_> = words.iter().filter(|line| line["method"] == "NUM_VERTICES").collect();
    // Of some 30,000 words in 23 KB: a shader, a draw and what makes it visible.
    let bytes = std::fs::metadata(&small).unwrap().len();
    assert!(counts.len() == 1 && words.len() < 64 && bytes < 2000, "{bytes} bytes, {words:?}");
    assert_eq!(counts[0]["value"], HALF);
}

/// Vertices of half a box.
const HALF: u8 = 18;

#[test]
#[cfg(unix)]
fn a_users_command_says_what_matters() {
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small.tgc");
    let condition = format!("command {} info --records {{}} | grep -q PRESENT", env!("CARGO_BIN_EXE_triglyph"));
    let path = capture("3ds/28-render-to-texture.tgc");
    run(&["capture", "minimize", text(&path), "--while", &condition, "--tries", "300", "-o", text(&small)], 0);
    let small = Document::parse(&std::fs::read(small).unwrap()).unwrap();
    assert_eq!(small.blocks.iter().map(|block| block.kind).collect::<Vec<_>>(), [Kind::Present as u32]);
}

#[test]
fn the_last_picture_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small.tgc");
    let path = capture("3ds/28-render-to-texture.tgc");
    run(&["capture", "minimize", text(&path), "--while", "hash", "--tries", "60", "-o", text(&small)], 0);
    let [was, is] = [path, small].map(|path| std::fs::read(path).unwrap());
    assert!(is.len() < was.len());
    let last = |file: &[u8]| replay(file, usize::MAX).pictures.pop().unwrap().1;
    assert!(last(&was) == last(&is));
}

/// A trace of one frame that fills the upper screen's buffer.
#[test]
fn traces_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, out] = ["frame.ctf", "frame.tgc"].map(|name| folder.path().join(name));
    // A header of 25 words, no sections, and a stream right after it.
    let mut words = vec![u32::from_le_bytes(*b"CiTr"), 1, 100];
    words.resize(23, 0);
    let writes = [
        (0x10, 0x1800_0000 >> 3),
        (0x14, 0x1805_DC00 >> 3),
        (0x18, 0x1122_3344),
        (0x1C, 0x201),
        (0x45C, 240 | 400 << 16),
        (0x468, 0x1800_0000),
        (0x470, 0),
        (0x490, 960),
    ];
    words.extend([100, writes.len() as u32 + 1]);
    for (offset, value) in writes {
        words.extend([0xE3, 0x1040_0000 + offset, 0xD3, value, 0]);
    }
    words.extend([0xE1, 0, 0, 0, 0]);
    std::fs::write(&trace, words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    let lines = run(&["capture", "import", text(&trace), "-o", text(&out)], 0);
    assert!(lines.iter().filter(|line| line["event"] == "warning").count() >= 6);
    let written = lines.iter().find(|line| line["event"] == "written").unwrap();
    assert_eq!((written["pictures"].as_u64(), written["submits"].as_u64()), (Some(1), Some(2)));
    run(&["verify", text(&out)], 0);
    let pictures = replay(&std::fs::read(&out).unwrap(), usize::MAX).pictures;
    let Picture { width, height, rgba } = &pictures[0].1;
    assert_eq!((*width, *height, &rgba[..4]), (400, 240, &[0x11, 0x22, 0x33, 0x44][..]));
}

#[test]
fn files_that_are_no_captures_are_not_imported() {
    let folder = tempfile::tempdir().unwrap();
    let [bad, out] = ["bad.ctf", "out.tgc"].map(|name| folder.path().join(name));
    for (bytes, what) in [(&b"CiTr\x02\0\0\0"[..], "at offset 0x4: CiTrace version 2"), (b"RIFF", "at offset 0x0")] {
        std::fs::write(&bad, bytes).unwrap();
        let lines = run(&["capture", "import", text(&bad), "-o", text(&out)], 3);
        assert!(lines[0]["error"].as_str().unwrap().contains(what), "{lines:?}");
    }
    assert!(!out.exists());
}

/// An emulator's recording: the picture of the frame before is in memory already, so that it would look the same
/// without any work. What is left draws it.
#[test]
fn recordings_of_emulators_keep_their_work() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, cut, small] = ["whole.tgc", "cut.tgc", "small.tgc"].map(|name| folder.path().join(name));
    // One frame twice: the second begins with the picture of the first.
    let path = capture("3ds/28-render-to-texture.tgc");
    let once = Document::parse(&std::fs::read(&path).unwrap()).unwrap();
    let mut twice = once.clone();
    let first = once.blocks.iter().position(|block| block.kind == Kind::Submit as u32).unwrap();
    twice.blocks.extend_from_slice(&once.blocks[first..]);
    std::fs::write(&whole, twice.to_small_bytes()).unwrap();
    let records = format!("{}..", once.blocks.len());
    let sizes = ["", "--trim=pages", "--trim"].map(|trim| {
        let arguments = ["capture", "cut", text(&whole), "--records", &records, "-o", text(&cut), trim];
        run(&arguments[..if trim.is_empty() { 7 } else { 8 }], 0);
        let document = Document::parse(&std::fs::read(&cut).unwrap()).unwrap();
        let last = |file: &[u8]| replay(file, usize::MAX).pictures.pop().unwrap().1;
        assert!(last(&document.to_bytes()) == last(&twice.to_bytes()), "{trim}");
        let memory = document.blocks.iter().filter(|block| block.kind == Kind::Mem as u32);
        memory.map(|block| block.payload.len()).sum::<usize>()
    });
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    run(&["capture", "cut", text(&whole), "--records", &records, "-o", text(&cut)], 0);
    run(&["capture", "minimize", text(&cut), "--while", "hash", "--tries", "60", "-o", text(&small)], 0);
    let document = Document::parse(&std::fs::read(&small).unwrap()).unwrap();
    assert!(document.has(Kind::Submit as u32));
}
