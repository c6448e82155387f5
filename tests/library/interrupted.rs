//! Interrupts in the middle of drawing: they end it soon, and what is drawn later is the same.

use triglyph::capture::{
    CaptureFile, Checks, Compression, Event, Meta, Player, Prepared, Reader, RecordingDevice, hash_memory,
};
use triglyph::{Device, GuestRange, Options, RunEnd, RunLimit, SnapshotOptions, Tier, new_device};
use triglyph_engine::snapshot;
use triglyph_testkit::data::file;
use triglyph_testkit::random::Random;

/// Captures that draw with all kinds of scenes: render to texture, reports, semaphores, programs that write memory.
const CAPTURES: [&str; 15] = [
    "3ds/22-city",
    "3ds/23-lighting",
    "3ds/25-shadow-map",
    "3ds/28-render-to-texture",
    "rsx/05-blend",
    "rsx/07-fbo",
    "rsx/10-stencil",
    "rsx/13-prims",
    "rsx/18-shadow",
    "tegra/04-lit",
    "tegra/07-fbo",
    "tegra/18-shadow",
    "tegra/25-msaa",
    "tegra/32-image-loads",
    "tegra/37-volume-target",
];

fn capture(name: &str) -> CaptureFile {
    CaptureFile::open(&file(&format!("captures/{name}.tgc"))).expect("a bundled capture")
}

fn prepared(capture: &CaptureFile) -> Prepared<'_> {
    Prepared::new(&Reader::new(capture).expect("a header")).expect("sound records")
}

fn machine(prepared: &Prepared<'_>, options: &Options) -> Box<dyn Device> {
    new_device(prepared.header().machine, options).expect("a machine")
}

/// The mapped ranges.
fn ranges(device: &mut dyn Device) -> Vec<GuestRange> {
    let state = device.snapshot(SnapshotOptions::default()).expect("a snapshot");
    let mappings = snapshot::mappings(&state).expect("sections").expect("memory");
    mappings.iter().map(|mapping| mapping.range).collect()
}

/// What memory holds, range by range, and the faults.
fn outcome(device: &mut dyn Device) -> (Vec<u64>, String) {
    let ranges = ranges(device);
    let hashes = ranges.into_iter().map(|range| hash_memory(device, range).expect("mapped")).collect();
    (hashes, format!("{:?}", device.faults()))
}

/// Plays a capture; `work` does what each submission has queued.
fn play<D: Device>(prepared: &Prepared<'_>, device: &mut D, mut work: impl FnMut(&mut D)) {
    device.set_deferred(true);
    let mut player = Player::prepared(prepared, Checks::NONE);
    while let Some(event) = player.next(device).expect("a sound capture") {
        if matches!(event, Event::Submitted { .. }) {
            work(device);
        }
    }
}

/// A bounded run without limit. False when it was interrupted.
fn run(device: &mut dyn Device) -> bool {
    match device.run_for(RunLimit::NONE) {
        RunEnd::Interrupted => false,
        RunEnd::Done | RunEnd::Waiting(_) => true,
        other => panic!("{other:?}"),
    }
}

/// 8x8 blocks that the device has drawn.
fn blocks(device: &dyn Device) -> u64 {
    device.stats().pixels_blocks
}

#[test]
fn interrupts_anywhere_leave_the_same_bytes() {
    let mut interrupts = 0;
    for (seed, name) in CAPTURES.into_iter().enumerate() {
        let capture = capture(name);
        let prepared = prepared(&capture);
        for (tier, threads) in [(Tier::JitOnly, 1), (Tier::Auto, 2), (Tier::InterpreterOnly, 2)] {
            if tier == Tier::InterpreterOnly && seed % 4 != 2 {
                continue;
            }
            let options = Options::new(tier, threads);
            let mut whole = machine(&prepared, &options);
            Player::prepared(&prepared, Checks::NONE).run(&mut *whole).expect("a sound capture");
            let mut random = Random::new(seed as u64);
            let mut interrupted = machine(&prepared, &options);
            play(&prepared, &mut interrupted, |device| {
                loop {
                    device.interrupter().interrupt_at_look(8 + random.below(60));
                    if run(&mut **device) {
                        break;
                    }
                    interrupts += 1;
                    match random.below(40) {
                        // A read of memory in between draws all of it.
                        0 => drop(device.take_written()),
                        1 => {
                            let state = device.snapshot(SnapshotOptions::default()).expect("a snapshot");
                            let mut next = machine(&prepared, &options);
                            next.set_deferred(true);
                            next.restore(&state).expect("what was just taken");
                            if device.faults().total() == 0 {
                                *device = next;
                            }
                        }
                        _ => {}
                    }
                }
            });
            assert_eq!(outcome(&mut *interrupted), outcome(&mut *whole), "{name}, {tier:?}, {threads} threads");
        }
    }
    assert!(interrupts > 300, "{interrupts} interrupts");
}

/// Triangles that the device has set up.
fn triangles(device: &dyn Device) -> u64 {
    device.stats().triangles
}

/// How often a run looks for interrupts before there is one, in tests of how soon it ends. Between two looks a thread
/// draws some blocks of one tile.
const LOOKS: u32 = 6;

#[test]
fn an_interrupt_ends_drawing_after_a_few_blocks() {
    ends_after_a_few(
        blocks,
        &[
            ("3ds/22-city", Tier::JitOnly, 1),
            ("3ds/25-shadow-map", Tier::InterpreterOnly, 2),
            ("rsx/07-fbo", Tier::JitOnly, 2),
            ("rsx/07-fbo", Tier::InterpreterOnly, 1),
            ("tegra/04-lit", Tier::InterpreterOnly, 1),
            ("tegra/04-lit", Tier::InterpreterOnly, 2),
        ],
    );
}

#[test]
fn an_interrupt_ends_setup_after_a_few_triangles() {
    let captures = ["3ds/23-lighting", "rsx/13-prims", "tegra/04-lit"];
    ends_after_a_few(triangles, &captures.map(|name| (name, Tier::JitOnly, 1)));
}

/// Plays captures whose runs are interrupted at some look, and has `counted` tell how much each has done.
fn ends_after_a_few(counted: impl Fn(&dyn Device) -> u64, captures: &[(&str, Tier, usize)]) {
    for &(name, tier, threads) in captures {
        let capture = capture(name);
        let prepared = prepared(&capture);
        let options = Options::new(tier, threads);
        let mut device = machine(&prepared, &options);
        // Of the largest submission, and the most of one run.
        let (mut largest, mut most) = (0, 0);
        play(&prepared, &mut device, |device| {
            let before = counted(&**device);
            let mut last = before;
            loop {
                device.interrupter().interrupt_at_look(LOOKS);
                let is_done = run(&mut **device);
                let now = counted(&**device);
                most = most.max(now - last);
                last = now;
                if is_done {
                    break;
                }
            }
            largest = largest.max(last - before);
        });
        assert!(3 * most < largest, "{name}: {most} of {largest} in one run");
    }
}

#[test]
fn interrupted_runs_are_recorded_as_they_were_cut() {
    for (seed, name) in ["rsx/07-fbo", "tegra/07-fbo", "3ds/28-render-to-texture"].into_iter().enumerate() {
        let capture = capture(name);
        let prepared = prepared(&capture);
        let options = Options::new(Tier::JitOnly, 2);
        let mut random = Random::new(100 + seed as u64);
        let mut device: RecordingDevice<_, Vec<u8>> = RecordingDevice::new(machine(&prepared, &options));
        let mut submissions = 0;
        play(&prepared, &mut device, |device| {
            submissions += 1;
            if submissions == 2 {
                device.start(Vec::new(), Compression::default(), Meta::new()).expect("readable memory");
            }
            loop {
                device.interrupter().interrupt_at_look(8 + random.below(40));
                if run(device) {
                    break;
                }
            }
        });
        let mappings = ranges(&mut device);
        for &range in &mappings {
            device.hash(range).expect("mapped");
        }
        let recorded = device.stop().expect("a sink in memory").expect("a recording");
        let reader = Reader::new(&recorded).expect("a capture");
        let mut replayed = machine(&prepared, &options);
        let mut player = Player::new(&reader, Checks::ALL);
        let mut hashes = 0;
        while let Some(event) = player.next(&mut *replayed).expect("a sound capture") {
            let Event::Hash(hashed) = event else { continue };
            assert!(hashed.ok(), "{name}: {hashed:?}");
            hashes += 1;
        }
        assert_eq!(hashes, mappings.len(), "{name}");
    }
}
