//! Bounded runs of hosts that do not announce their writes: what the host writes between two of them is recorded before
//! the GPU reads it, without comparing all memory before each.

use std::io::{self, Write};

use super::*;

/// FCRAM and VRAM of a 3DS.
const FCRAM: usize = 128 << 20;
const VRAM: usize = 6 << 20;

/// Writes of a register that has no effect, and the interrupt at the end of a list.
fn long_list(words: usize) -> Vec<u32> {
    let mut list: Vec<u32> = (0..words as u32 / 2 - 1).flat_map(|value| [value, 0xF_00E1]).collect();
    list.extend([0x1234_5678, 0xF_0010]);
    list
}

#[test]
fn runs_that_go_on_do_not_compare_all_memory() {
    const RUNS: usize = 800;
    const WORDS: usize = 100;
    let (fcram, vram) = (HostMemory::new(FCRAM), HostMemory::new(VRAM));
    let mut device = Recording::new(N3ds::new(&options()).expect("a 3DS"));
    device.device_mut().with_memory(|memory| fcram.map(memory, 0, 0x2000_0000));
    device.device_mut().with_memory(|memory| vram.map(memory, 0, 0x1800_0000));
    device.set_deferred(true);
    device.device_mut().with_gsp(|gsp, _| {
        gsp.register_relay_queue(Session(1), 1, 0x10).expect("room");
        gsp.acquire_right(Session(1));
    });
    let queue = |device: &mut Recording<N3ds>, words: &[u32; 8]| {
        // As programs do while the queue is not empty: without a trigger.
        device.device_mut().with_gsp(|gsp, _| gsp.command_queue(0).submit(words).expect("room"));
    };
    start(&mut device);
    let before = device.compared();
    fcram.words(0x10_0000, &long_list(RUNS * WORDS), u32::to_le_bytes);
    queue(&mut device, &[1, 0x3010_0000, 4 * (RUNS * WORDS) as u32, 0, 0, 0, 0, 0]);
    for run in 0..RUNS - 1 {
        assert_eq!(device.run_for(RunLimit::of_words(WORDS as u64)), RunEnd::BudgetUsed, "{run}");
        // The program prepares what a later command reads.
        fcram.words(0x4_0000 + 4 * run, &[run as u32 + 1], u32::to_le_bytes);
    }
    queue(&mut device, &[4, 0x3004_0000, 0x1F00_0000, 0x1000, 0, 0, 8, 0]);
    while device.run_for(RunLimit::of_words(WORDS as u64)) == RunEnd::BudgetUsed {}
    let compared = device.compared() - before;
    device.hash(GuestRange::new(0, 0x1800_0000, 0x1_0000)).expect("mapped");
    let mut last = [0; 4];
    device.read(GuestAddr::new(0, 0x1800_0000 + 4 * (RUNS as u64 - 2)), &mut last).expect("mapped");
    assert_eq!(u32::from_le_bytes(last), RUNS as u32 - 1);
    let all = (FCRAM + VRAM) as u64;
    println!("{RUNS} runs with {all} bytes of the host's compare {compared} bytes");
    // All of it as each of the commands begins; pages of the list as runs come to them.
    assert!((2 * all..2 * all + (RUNS as u64 + 8) * 0x4000).contains(&compared), "{compared}");
    let file = stop(&mut device);
    assert_eq!(replay(&file), 1);
    drop(device);
}

#[test]
fn a_semaphore_that_the_host_releases_between_runs_is_recorded() {
    let (xdr, reports) = (HostMemory::new(0x10_0000), HostMemory::new(0x1000));
    let mut device = Recording::new(Rsx::new(&options()).expect("a PS3"));
    let gpu = device.device_mut();
    gpu.with_memory(|memory| xdr.map(memory, XDR, 0x1000_0000));
    gpu.with_memory(|memory| reports.map(memory, LOCAL, 0x0FE0_0000));
    let memory = gpu.memory_allocate(1 << 20, [0; 4]).expect("memory");
    let context = gpu.context_allocate(memory.handle, 0).expect("a context");
    gpu.context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, 0xF000_0000_0000_0800).expect("an IO space");
    let reference = |count: u32| (0..count).flat_map(|value| [1 << 18 | 0x50, value]);
    let mut words: Vec<u32> = release(0x20, 0x0BAD_CAFE).to_vec();
    words.extend(reference(20));
    words.extend([1 << 18 | 0x64, 0x20, 1 << 18 | 0x68, 7]);
    words.extend(release(0x30, 9));
    words.extend(reference(20));
    xdr.words(0x1000, &words, u32::to_be_bytes);
    let put = 0x1000 + 4 * words.len() as u64;
    device.set_deferred(true);
    start(&mut device);
    device.device_mut().context_attribute(context.handle, 1, [0x1000, put, 0, 0]).expect("a FIFO");
    assert_eq!(device.run_for(RunLimit::of_words(8)), RunEnd::BudgetUsed);
    let label = reports.find(&0x0BAD_CAFE_u32.to_be_bytes());
    let before = device.compared();
    // Long before the GPU comes to it, so that it never waits.
    reports.write(label, &7_u32.to_be_bytes());
    let mut runs = 0;
    while device.run_for(RunLimit::of_words(5)) == RunEnd::BudgetUsed {
        runs += 1;
    }
    assert!(runs > 10);
    assert_eq!(reports.word(label + 0x10), 9_u32.to_be_bytes());
    let compared = device.compared() - before;
    assert!((0x10_0000..0x20_0000).contains(&compared), "once, where the GPU finds the semaphore: {compared:#x}");
    device.hash(GuestRange::new(LOCAL, 0x0FE0_0000, 0x1000)).expect("mapped");
    let file = stop(&mut device);
    assert_eq!(replay(&file), 1);
    drop(device);
}

#[test]
fn a_semaphore_of_a_channel_is_recorded_with_what_it_publishes() {
    let process = HostMemory::new(0x4_0000);
    let mut device = Recording::new(TegraX1::new(&options()).expect("a Tegra X1"));
    let gpu = device.device_mut();
    gpu.with_memory(|memory| process.map(memory, PROCESS, 0x10_0000));
    let map = gpu.nvmap_create(0x4_0000).expect("a handle");
    let memory = MapMemory { address: 0x10_0000, align: 0x1000, heap: 0, flags: 1, kind: 0xFE };
    gpu.nvmap_alloc(map, memory).expect("memory");
    let space = gpu.space_open().expect("a space");
    gpu.space_initialize(space, Layout::default()).expect("a layout");
    let buffer = gpu.space_map_buffer(space, MapBuffer { handle: map, ..MapBuffer::default() }).expect("room");
    let channel = gpu.channel_open().expect("a channel");
    gpu.channel_bind(channel, space).expect("a space");
    let (base, semaphore, source, target) = (buffer.offset, 0x2000, 0x3000, 0x5000);
    let halves = |at: u64| [(at >> 32) as u32, at as u32];
    let mut words: Vec<u32> = (0..20).flat_map(|value| [0x2001_0014, value]).collect();
    let [high, low] = halves(base + semaphore as u64);
    words.extend([0x2004_0004, high, low, 7, 1]);
    // The copy engine: 256 bytes in one line.
    let ([from_high, from_low], [to_high, to_low]) = (halves(base + source as u64), halves(base + target as u64));
    words.extend(methods(4, 0x100, Each, &[from_high, from_low, to_high, to_low, 256, 256, 256, 1]));
    words.extend(methods(4, 0xC0, Each, &[0x382]));
    words.extend((0..20).flat_map(|value| [0x2001_0014, value]));
    process.words(0, &words, u32::to_le_bytes);
    device.set_deferred(true);
    start(&mut device);
    let entry = base | (words.len() as u64) << 42;
    device.device_mut().channel_submit(channel, &[entry], submit_flags::FENCE_GET, Fence::default()).expect("a fence");
    assert_eq!(device.run_for(RunLimit::of_words(8)), RunEnd::BudgetUsed);
    process.write(source, &[0xA5; 256]);
    process.words(semaphore, &[7], u32::to_le_bytes);
    while device.run_for(RunLimit::of_words(5)) == RunEnd::BudgetUsed {}
    assert_eq!(process.word(target + 252), [0xA5; 4]);
    device.hash(GuestRange::new(PROCESS, 0x10_0000, 0x4_0000)).expect("mapped");
    let file = stop(&mut device);
    assert_eq!(replay(&file), 1);
    drop(device);
}

/// A sink that does something whenever something is recorded.
struct Sink(Box<dyn Fn() + Send>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn interrupts_during_comparisons_do_not_stop_all_work() {
    let fcram = HostMemory::new(1 << 20);
    let mut device = RecordingDevice::new(N3ds::new(&options()).expect("a 3DS"));
    device.device_mut().with_memory(|memory| fcram.map(memory, 0, 0x2000_0000));
    device.set_deferred(true);
    device.device_mut().with_gsp(|gsp, _| {
        gsp.register_relay_queue(Session(1), 1, 0x10).expect("room");
        gsp.acquire_right(Session(1));
    });
    let interrupter = device.interrupter();
    let sink = Sink(Box::new(move || interrupter.interrupt()));
    device.start(sink, Compression::default(), Meta::new()).expect("readable memory");
    assert_eq!(device.run_for(RunLimit::NONE), RunEnd::Interrupted, "by what was recorded first");
    fcram.words(0x1000, &long_list(100), u32::to_le_bytes);
    device.device_mut().with_gsp(|gsp, _| {
        gsp.command_queue(0).submit(&[1, 0x3000_1000, 400, 0, 0, 0, 0, 0]).expect("room");
    });
    let mut runs = 0;
    while device.run_for(RunLimit::NONE) != RunEnd::Done {
        runs += 1;
        assert!(runs < 300, "a run has to do something");
        fcram.words(0x8000, &[runs], u32::to_le_bytes);
    }
    drop(device);
}
