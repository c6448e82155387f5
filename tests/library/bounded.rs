//! Bounded runs: however work is cut, the same bytes; and devices on threads of their own.

use std::time::Duration;

use triglyph::capture::{CaptureFile, Checks, Event, Player, Prepared, Reader, hash_memory};
use triglyph::{
    Access, Device, DeviceWorker, GuestAddr, GuestRange, N3ds, Options, RunEnd, RunLimit, SnapshotOptions, Ticket,
    Tier, Waiting, WorkerError, WorkerOptions, new_device,
};
use triglyph_engine::snapshot;
use triglyph_testkit::data::file;
use triglyph_testkit::random::Random;

const LONG: Duration = Duration::from_secs(120);

/// What memory holds, range by range, and the faults.
fn outcome(device: &mut dyn Device) -> (Vec<u64>, String) {
    let state = device.snapshot(SnapshotOptions::default()).expect("a snapshot");
    let mappings = snapshot::mappings(&state).expect("sections").expect("memory");
    let hashes = mappings.iter().map(|m| hash_memory(device, m.range).expect("mapped")).collect();
    (hashes, format!("{:?}", device.faults()))
}

fn limit(random: &mut Random) -> RunLimit {
    match random.below(3) {
        0 => RunLimit::of_words(1 + u64::from(random.below(40))),
        1 => RunLimit::of_time(Duration::from_nanos(1 + u64::from(random.below(3_000)))),
        _ => {
            let words = 1 + u64::from(random.below(500));
            RunLimit::of_time(Duration::from_nanos(random.below(100_000).into())).with_words(words)
        }
    }
}

/// Does everything that was submitted, in slices. Returns how many there were.
fn in_slices(device: &mut Box<dyn Device>, options: &Options, random: &mut Random) -> u64 {
    let mut slices = 0;
    loop {
        slices += 1;
        if random.one_in(20) {
            device.interrupter().interrupt();
        }
        match device.run_for(limit(random)) {
            RunEnd::BudgetUsed | RunEnd::Interrupted => {}
            RunEnd::Done | RunEnd::Waiting(_) => return slices,
            other => panic!("{other:?}"),
        }
        if random.one_in(500) {
            let state = device.snapshot(SnapshotOptions::default()).expect("a snapshot");
            let mut next = new_device(device.machine(), options).expect("a machine");
            next.set_deferred(true);
            next.restore(&state).expect("what was just taken");
            if device.faults().total() == 0 {
                *device = next;
            }
        }
    }
}

fn compare(name: &str, options: &Options, seed: u64) -> u64 {
    let path = file(&format!("captures/{name}.tgc"));
    let capture = CaptureFile::open(&path).expect("a bundled capture");
    let prepared = Prepared::new(&Reader::new(&capture).expect("a header")).expect("sound records");
    let mut whole = new_device(prepared.header().machine, options).expect("a machine");
    Player::prepared(&prepared, Checks::NONE).run(&mut *whole).expect("a sound capture");

    let mut cut = new_device(prepared.header().machine, options).expect("a machine");
    cut.set_deferred(true);
    let (mut random, mut slices) = (Random::new(seed), 0);
    let mut player = Player::prepared(&prepared, Checks::NONE);
    while let Some(event) = player.next(&mut *cut).expect("a sound capture") {
        if matches!(event, Event::Submitted { .. }) {
            slices += in_slices(&mut cut, options, &mut random);
        }
    }
    assert_eq!(outcome(&mut *cut), outcome(&mut *whole), "{name}");
    slices
}

#[test]
fn slices_of_random_budgets_equal_one_run() {
    let mut slices = 0;
    for (name, seed) in [
        ("3ds/20-vertex-formats", 1),
        ("3ds/26-ribbons", 2),
        ("3ds/29-transfer-engine", 3),
        ("rsx/01-triangle", 4),
        ("rsx/07-fbo", 5),
        ("rsx/13-prims", 6),
        ("tegra/01-triangle", 7),
        ("tegra/07-fbo", 8),
        ("tegra/36-streams", 9),
    ] {
        slices += compare(name, &Options::new(Tier::Auto, 2), seed);
    }
    assert!(slices > 300, "{slices} slices");
    for (name, seed) in [("3ds/29-transfer-engine", 10), ("rsx/01-triangle", 11), ("tegra/01-triangle", 12)] {
        compare(name, &Options::new(Tier::InterpreterOnly, 1), seed);
    }
}

const VRAM: u64 = 0x1800_0000;

/// A GX command that fills 64 bytes of VRAM from `at` on.
fn fill(at: u64, value: u32) -> Vec<u8> {
    let start = at as u32 - 0x1800_0000 + 0x1F00_0000;
    [2, start, value, start + 64, 0, 0, 0, 0x201_u32].iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn n3ds() -> N3ds {
    let mut gpu = N3ds::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a 3DS");
    gpu.map(GuestRange::new(0, VRAM, 0x10_0000), Access::READ_WRITE).expect("memory");
    gpu
}

#[test]
fn a_device_on_its_own_thread_executes_commands_in_order() {
    let worker = DeviceWorker::new(n3ds(), WorkerOptions::default()).expect("a thread");
    let (events, mut last) = (worker.timeline().events(), Ticket::new(0));
    std::thread::scope(|scope| {
        let timeline = worker.timeline().clone();
        let waiting = scope.spawn(move || timeline.wait_for_event(events, LONG));
        for i in 0..500 {
            last =
                worker.send(move |gpu| gpu.submit(&fill(VRAM + 64 * i, i as u32)).expect("a command")).expect("room");
        }
        assert!(waiting.join().expect("a thread") > events);
    });
    assert!(worker.wait(last, LONG));
    assert_eq!(worker.wait_idle(LONG), Some(RunEnd::Done));
    let read = |gpu: &mut N3ds, at: u64| {
        let mut word = [0; 4];
        gpu.read(GuestAddr::new(0, at), &mut word).expect("mapped");
        u32::from_le_bytes(word)
    };
    assert_eq!(worker.call(move |gpu| read(gpu, VRAM + 64 * 499)), Ok(499));
    let mut gpu = worker.stop().expect("the device");
    assert_eq!(read(&mut gpu, VRAM + 64 * 498), 498);
    // Submissions are still deferred.
    gpu.submit(&fill(VRAM, 7)).expect("a command");
    assert_eq!(read(&mut gpu, VRAM), 0);
    gpu.finish();
    assert_eq!(read(&mut gpu, VRAM), 7);
}

#[test]
fn a_full_queue_holds_senders_back() {
    let options = WorkerOptions::default().with_capacity(2);
    let worker = DeviceWorker::new(n3ds(), options).expect("a thread");
    let (begun, has_begun) = std::sync::mpsc::channel::<()>();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    worker
        .send(move |_| {
            begun.send(()).expect("a waiter");
            wait.recv().expect("a message");
        })
        .expect("room");
    has_begun.recv().expect("a thread");
    assert_eq!((worker.try_send(|_| ()), worker.try_send(|_| ())), (Ok(Ticket::new(2)), Ok(Ticket::new(3))));
    assert_eq!(worker.try_send(|_| ()), Err(WorkerError::Full));
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| worker.send(|_| ()));
        assert!(!worker.wait(Ticket::new(1), Duration::ZERO));
        go.send(()).expect("a waiter");
        assert_eq!(sender.join().expect("a thread"), Ok(Ticket::new(4)));
    });
    assert!(worker.wait(Ticket::new(4), LONG));
}

/// Commands that say what they touch are waited for by ranges; those that do not, and the work that they defer, by all.
#[test]
fn ranges_are_waited_for() {
    let worker = DeviceWorker::new(n3ds(), WorkerOptions::default()).expect("a thread");
    let range = |at: u64| GuestRange::new(0, VRAM + at, 64);
    assert!(worker.wait_range(range(0), LONG), "nothing was sent");
    let (go, wait) = std::sync::mpsc::channel::<()>();
    worker.send_touching(&[range(0), range(0x100)], move |_| wait.recv().expect("a message")).expect("room");
    worker
        .send_touching(&[range(0x200)], |gpu| {
            gpu.execute(&[0, 0x1F00_0000, 0x1F00_0200, 64, 0, 0, 0, 0]);
        })
        .expect("room");
    for (at, is_free) in [(0, false), (0x13F, false), (0x140, true), (0x1C0, true), (0x1C1, false), (0x400, true)] {
        assert_eq!(worker.wait_range(range(at), Duration::ZERO), is_free, "{at:#x}");
    }
    assert!(worker.wait_range(GuestRange::new(1, VRAM, 64), Duration::ZERO), "another space");
    go.send(()).expect("a waiter");
    assert!(worker.wait_range(range(0x200), LONG));
    // Deferred work is waited for after the command that submits it.
    let number = worker.send(|gpu| gpu.submit(&fill(VRAM, 7)).expect("a command")).expect("room");
    assert!(worker.wait_range(range(0x400), LONG) && worker.wait(number, Duration::ZERO));
    assert_eq!(worker.wait_idle(Duration::ZERO), Some(RunEnd::Done));
}

#[test]
fn a_command_that_panics_ends_the_thread() {
    let worker = DeviceWorker::new(n3ds(), WorkerOptions::default()).expect("a thread");
    assert_eq!(worker.call(|_| -> u32 { panic!("on purpose") }), Err(WorkerError::Ended));
    assert_eq!(worker.wait_idle(LONG), None);
    assert!(matches!(worker.stop(), Err(WorkerError::Ended)));
}

#[test]
fn an_interrupt_ends_the_next_run_once() {
    let mut gpu = n3ds();
    gpu.set_deferred(true);
    gpu.submit(&fill(VRAM, 1)).expect("a command");
    let interrupter = gpu.interrupter();
    std::thread::spawn(move || interrupter.interrupt()).join().expect("a thread");
    assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Interrupted);
    assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Done);
}

#[test]
fn a_worker_waits_for_what_the_host_writes() {
    use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, submit_flags};
    let mut gpu = triglyph::TegraX1::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a Tegra X1");
    gpu.map(GuestRange::new(PROCESS, 0x10_0000, 0x1_0000), Access::READ_WRITE).expect("memory");
    let map = gpu.nvmap_create(0x1_0000).expect("a handle");
    gpu.nvmap_alloc(map, MapMemory { address: 0x10_0000, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })
        .expect("memory");
    let space = gpu.space_open().expect("a space");
    gpu.space_initialize(space, Layout::default()).expect("a layout");
    let buffer = gpu.space_map_buffer(space, MapBuffer { handle: map, ..MapBuffer::default() }).expect("room").offset;
    let channel = gpu.channel_open().expect("a channel");
    gpu.channel_bind(channel, space).expect("a space");
    // SEMAPHORE_A to D: waits until the word at the beginning of the buffer is 5.
    let words = [0x2004_0004, (buffer >> 32) as u32, buffer as u32, 5, 1];
    for (i, word) in words.into_iter().enumerate() {
        gpu.write(GuestAddr::new(PROCESS, 0x10_0100 + 4 * i as u64), &u32::to_le_bytes(word)).expect("mapped");
    }
    let worker = DeviceWorker::new(gpu, WorkerOptions::default()).expect("a thread");
    let entry = (buffer + 0x100) | (words.len() as u64) << 42;
    let fence = worker
        .call(move |gpu| gpu.channel_submit(channel, &[entry], submit_flags::FENCE_GET, Fence::default()))
        .expect("a thread")
        .expect("a fence");
    let waiting = Waiting::Semaphore { channel, place: GuestAddr::new(space.get(), buffer), value: 5 };
    assert_eq!(worker.wait_idle(LONG), Some(RunEnd::Waiting(waiting)));
    assert!(!worker.timeline().wait_for_fence(fence.syncpoint.get(), fence.value, Duration::ZERO));
    worker.send(|gpu| gpu.write(GuestAddr::new(PROCESS, 0x10_0000), &[5, 0, 0, 0]).expect("mapped")).expect("room");
    assert!(worker.timeline().wait_for_fence(fence.syncpoint.get(), fence.value, LONG));
    worker.wake();
    assert_eq!(worker.wait_idle(LONG), Some(RunEnd::Done));
}
