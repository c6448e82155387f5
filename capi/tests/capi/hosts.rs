//! Hosts that behave as emulators do, in `tests/hosts`: each plays a recorded stream through its own entry points, on
//! both tiers, with a save state in the middle and work that is cut and interrupted, and shows the pictures of the
//! capture to the byte. Each records what it does; the recording is verified, and so is what trimming leaves of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use triglyph::capture::{CaptureFile, Checks, Event, Kind, Player, Reader};
use triglyph::{Options, Tier, new_device};

use crate::folder;
use crate::programs::{Link, compile, passes, succeed};

/// A host, and what it plays.
struct Host {
    source: &'static str,
    capture: &'static str,
    /// The submission after which the state is saved.
    save_at: usize,
    /// What makes bounded runs, or a thread, of it.
    background: &'static [&'static str],
    /// Kinds of records that its recording is made of, and how many of them at least: its entry points.
    recorded: &'static [(Kind, usize)],
}

const PANDA3DS: Host = Host {
    source: "panda3ds",
    capture: "3ds/28-render-to-texture.tgc",
    save_at: 4,
    background: &["--thread"],
    recorded: &[(Kind::Submit, 14), (Kind::Call, 14)],
};
const AZAHAR: Host = Host {
    source: "azahar",
    capture: "3ds/28-render-to-texture.tgc",
    save_at: 4,
    background: &["--cut", "100"],
    recorded: &[(Kind::Submit, 14)],
};
const RPCS3: Host = Host {
    source: "rpcs3",
    capture: "rsx/console-texture-formats.tgc",
    save_at: 2,
    background: &["--cut", "40"],
    recorded: &[(Kind::Call, 8)],
};
const YUZU: Host = Host {
    source: "yuzu",
    capture: "tegra/03-cubes.tgc",
    save_at: 5,
    background: &["--thread", "--cut", "40"],
    recorded: &[(Kind::Call, 34)],
};
const RYUJINX: Host = Host {
    source: "ryujinx",
    capture: "tegra/03-cubes.tgc",
    save_at: 4,
    background: &["--thread", "--cut", "40"],
    recorded: &[(Kind::Call, 34)],
};

/// What a capture has for a host.
struct Stream {
    /// Its records as `stream.hpp` reads them.
    records: Vec<(u32, Vec<u8>)>,
    /// The pixels of its pictures, as the façade plays it.
    pixels: Vec<u8>,
    pictures: u64,
    submissions: u64,
    mappings: u64,
}

impl Stream {
    fn of(capture: &str) -> Stream {
        let path = folder().join("../tests/captures").join(capture);
        let file = CaptureFile::open(&path).unwrap();
        let reader = Reader::new(&file).unwrap();
        let (mut records, mut counts) = (Vec::new(), BTreeMap::new());
        for record in reader.raw_records() {
            let record = record.unwrap();
            let kind = record.known_kind().unwrap();
            if let Kind::Map | Kind::Mem | Kind::Submit | Kind::Present = kind {
                records.push((record.kind, record.decode(u64::MAX).unwrap().into_owned()));
                *counts.entry(kind).or_default() += 1;
            }
        }
        let pixels = checked_pixels(&path, &Options::default());
        let [pictures, submissions, mappings] = [Kind::Present, Kind::Submit, Kind::Map].map(|kind| counts[&kind]);
        Stream { records, pixels, pictures, submissions, mappings }
    }

    /// The stream's file with as many of its submissions.
    fn store(&self, path: &Path, submissions: u64) {
        let mut bytes = Vec::new();
        let mut left = submissions;
        for (kind, payload) in &self.records {
            if *kind == Kind::Submit as u32 {
                if left == 0 {
                    continue;
                }
                left -= 1;
            }
            bytes.extend(kind.to_le_bytes());
            bytes.extend((payload.len() as u32).to_le_bytes());
            bytes.extend(payload);
        }
        std::fs::write(path, bytes).unwrap();
    }
}

/// The pixels of all pictures of a capture, each of which is as the capture expects.
fn checked_pixels(capture: &Path, options: &Options) -> Vec<u8> {
    let file = CaptureFile::open(capture).unwrap();
    let reader = Reader::new(&file).unwrap();
    let mut device = new_device(reader.header().machine, options).unwrap();
    let mut player = Player::new(&reader, Checks::ALL);
    let mut pixels = Vec::new();
    while let Some(event) = player.next(&mut *device).unwrap() {
        match event {
            Event::Picture(finished) => {
                let (_, comparison) = finished.expectation.expect("the capture has an expectation");
                assert!(comparison.ok, "{}: {comparison:?}", capture.display());
                pixels.extend(finished.picture.unwrap().rgba);
            }
            Event::Hash(hashed) => assert!(hashed.ok(), "{}: {hashed:x?}", capture.display()),
            _ => {}
        }
    }
    assert!(!pixels.is_empty() && device.faults().total() == 0, "{}", capture.display());
    pixels
}

/// Where pictures differ, if they do.
fn difference(found: &[u8], expected: &[u8]) -> Option<usize> {
    let first = found.iter().zip(expected).position(|(found, expected)| found != expected);
    first.or_else(|| (found.len() != expected.len()).then(|| found.len().min(expected.len())))
}

/// A host that was compiled, with the stream that it plays.
struct Emulator {
    host: &'static Host,
    stream: Stream,
    program: PathBuf,
    scratch: TempDir,
}

impl Emulator {
    /// `None` without a compiler.
    fn new(host: &'static Host) -> Option<Emulator> {
        let scratch = TempDir::new().unwrap();
        let program = compile(&format!("tests/hosts/{}.cpp", host.source), Link::Shared, &scratch)?;
        let stream = Stream::of(host.capture);
        stream.store(&scratch.path().join("stream"), u64::MAX);
        Some(Emulator { host, stream, program, scratch })
    }

    /// The pictures that the host shows, and what it counts.
    fn play(&self, stream: &str, arguments: &[&str]) -> (Vec<u8>, BTreeMap<String, u64>) {
        let pictures = self.scratch.path().join("pictures");
        let mut command = Command::new(&self.program);
        command.arg(self.scratch.path().join(stream)).arg(&pictures).args(arguments);
        let run = succeed(command.current_dir(self.scratch.path()));
        let counts = String::from_utf8(run.stdout).unwrap();
        let count = |line: &str| {
            let (name, count) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), count.parse().unwrap())
        };
        (std::fs::read(&pictures).unwrap(), counts.lines().map(count).collect())
    }

    /// Plays the whole stream and compares its pictures with the capture's.
    fn check(&self, arguments: &[&str]) -> BTreeMap<String, u64> {
        let (found, counts) = self.play("stream", arguments);
        let different = difference(&found, &self.stream.pixels);
        assert_eq!(different, None, "{} {arguments:?}: other pictures from this byte on", self.host.source);
        assert_eq!(counts["pictures"], self.stream.pictures, "{}", self.host.source);
        counts
    }

    /// The stream at once and in the background, with a save state in the middle, on both tiers; then the recording.
    /// Returns what was counted: at once, in the background.
    fn check_all(&self) -> [BTreeMap<String, u64>; 2] {
        let save_at = self.host.save_at.to_string();
        let background = self.host.background;
        for tier in ["interpreter", "jit"] {
            let at_once = self.check(&["--tier", tier, "--save", &save_at]);
            assert_eq!(at_once["saves"], 1, "{}", self.host.source);
            let counts = self.check(&[&["--tier", tier, "--save", &save_at], background].concat());
            assert_eq!(counts["saves"], 1, "{}", self.host.source);
        }
        let counts = [
            self.check(&["--tier", "jit", "--record", "recording"]),
            self.check(&[&["--tier", "jit"], background].concat()),
        ];
        self.check_recording();
        // The pictures depend on what the host submits: half of it gives other pictures.
        self.stream.store(&self.scratch.path().join("half"), self.stream.submissions / 2);
        assert_ne!(difference(&self.play("half", &["--tier", "jit"]).0, &self.stream.pixels), None);
        counts
    }

    /// What the host has recorded: what it did, by its own entry points, with the same pictures; trimmed as well.
    fn check_recording(&self) {
        let recording = self.scratch.path().join("recording");
        let trimmed = self.scratch.path().join("recording.trimmed");
        let file = CaptureFile::open(&recording).unwrap();
        let mut kinds = BTreeMap::<Kind, usize>::new();
        for record in Reader::new(&file).unwrap().raw_records() {
            *kinds.entry(record.unwrap().known_kind().unwrap()).or_default() += 1;
        }
        for &(kind, least) in self.host.recorded {
            assert!(kinds[&kind] >= least, "{}: {kinds:?}", self.host.source);
        }
        if !self.host.recorded.iter().any(|(kind, _)| *kind == Kind::Submit) {
            assert!(!kinds.contains_key(&Kind::Submit), "{} has submitted by another way", self.host.source);
        }
        for path in [&recording, &trimmed] {
            for tier in [Tier::InterpreterOnly, Tier::JitOnly] {
                let found = checked_pixels(path, &Options::new(tier, 2));
                assert_eq!(difference(&found, &self.stream.pixels), None, "{} on {tier:?}", path.display());
            }
        }
        let [before, after] = [&recording, &trimmed].map(|path| path.metadata().unwrap().len());
        println!("{}: a recording of {before} bytes, {after} trimmed", self.host.source);
        assert!(after <= before, "{}", self.host.source);
    }
}

/// How often a host plays its stream to find the least time that it takes.
const PLAYS: usize = 3;

/// How much of the caller's time is left to it where the GPU's work is done in the background, by `background`, on one
/// thread and on two. Printed, not judged: machines are loaded as they are.
fn print_caller(emulator: &Emulator, background: &[&str]) {
    let least =
        |arguments: &[&str]| (0..PLAYS).map(|_| emulator.check(arguments)["caller"]).min().unwrap() as f64 / 1e6;
    for threads in ["1", "2"] {
        let at_once = ["--tier", "jit", "--threads", threads];
        let [before, after] = [least(&at_once), least(&[&at_once[..], background].concat())];
        let back = 100.0 * (1.0 - after / before);
        println!(
            "{}, threads {threads}: the caller works {before:.2} ms at once, {after:.2} ms in the background: \
             {back:.1} % less",
            emulator.host.source
        );
    }
}

#[test]
fn a_host_like_panda3ds_executes_commands() {
    let Some(emulator) = Emulator::new(&PANDA3DS) else { return };
    let counts = emulator.check_all();
    for counts in &counts {
        // One more: what the host has to copy by itself.
        assert_eq!(counts["execute"] + counts["execute_at"], emulator.stream.submissions + 1);
        assert_eq!(counts["host copies"], 1);
    }
    assert!(counts[0]["execute"] > 0 && counts[0]["execute_at"] > 0 && counts[1]["execute_at"] == 0);
    print_caller(&emulator, PANDA3DS.background);
}

#[test]
fn a_host_like_azahar_leaves_gsp_to_the_library() {
    let Some(emulator) = Emulator::new(&AZAHAR) else { return };
    let counts = emulator.check_all();
    for counts in &counts {
        assert_eq!(counts["submitted"], emulator.stream.submissions);
        assert!(counts["requests"] > 2 && counts["delivered"] >= counts["submitted"]);
        // Two screens for each picture.
        assert_eq!(counts["interrupts"], counts["delivered"] + 2 * counts["pictures"]);
    }
    assert!(counts[0]["cuts"] == 0 && counts[1]["cuts"] > 0);
}

#[test]
fn a_host_like_rpcs3_moves_put_and_polls() {
    let Some(emulator) = Emulator::new(&RPCS3) else { return };
    let counts = emulator.check_all();
    for counts in &counts {
        assert_eq!(counts["puts"], emulator.stream.submissions);
        assert_eq!(counts["reports"], counts["puts"]);
        assert_eq!(counts["flips"], counts["pictures"]);
        assert!(counts["hypercalls"] >= 8 && counts["vblanks"] > 0 && counts["wraps"] > 0);
    }
    assert!(counts[1]["cuts"] > 0);
}

/// Checks what both hosts of the Switch count.
fn check_switch(emulator: &Emulator) -> [BTreeMap<String, u64>; 2] {
    let counts = emulator.check_all();
    for counts in &counts {
        assert_eq!(counts["submits"], emulator.stream.submissions);
        assert!(counts["ioctls"] > counts["submits"] + 3 * emulator.stream.mappings);
    }
    assert!(counts[0]["events"] == 0 && counts[1]["events"] > 0 && counts[1]["events"] == counts[1]["waits"]);
    print_caller(emulator, &["--thread"]);
    counts
}

#[test]
fn a_host_like_ryujinx_has_a_thread_for_requests_as_bytes() {
    let Some(emulator) = Emulator::new(&RYUJINX) else { return };
    check_switch(&emulator);
}

#[test]
fn a_host_like_yuzu_tracks_pages_and_counts_syncpoints() {
    let Some(emulator) = Emulator::new(&YUZU) else { return };
    for counts in check_switch(&emulator) {
        // Each second submission waits for another engine.
        assert_eq!(counts["increments"], counts["submits"] / 2);
        assert!(counts["faults"] > 0 && counts["written"] > 0);
    }
}

#[test]
fn calls_of_a_frame_allocate_no_more_than_they_did() {
    passes("tests/programs/allocations.c", Link::Shared);
}

#[test]
fn pictures_that_differ_in_a_byte_are_noticed() {
    let pixels = [1, 2, 3, 4];
    assert_eq!(difference(&pixels, &pixels), None);
    assert_eq!(difference(&[1, 2, 9, 4], &pixels), Some(2));
    assert_eq!(difference(&pixels[..3], &pixels), Some(3));
    assert_eq!(difference(&[1, 2, 3, 4, 5], &pixels), Some(4));
}
