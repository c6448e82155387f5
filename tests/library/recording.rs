//! The calls that only one machine has, recorded and replayed on both tiers.
#![allow(unsafe_code)]

use std::time::Duration;

use triglyph::capture::{Checks, Compression, Event, Meta, Player, Reader, RecordingDevice};
use triglyph::n3ds::gsp::Session;
use triglyph::n3ds::{BadAddress, Screen};
use triglyph::rsx::{LOCAL, PAGES, XDR};
use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, submit_flags};
use triglyph::{
    Access, Device, GuestAddr, GuestRange, N3ds, Options, Rsx, RunEnd, RunLimit, TegraX1, Tier, new_device,
};
use triglyph_guest::rsx::lv1::page::bar;
use triglyph_guest::tegra::fifo::Stepping::{Each, Never};
use triglyph_testkit::tegra::methods;

mod dma;
mod on_demand;

fn options() -> Options {
    Options::new(Tier::InterpreterOnly, 1)
}

/// Memory of the host's, which only pointers lead to while a device has it.
struct HostMemory {
    words: Vec<u64>,
    pointer: *mut u8,
}

impl HostMemory {
    fn new(bytes: usize) -> Self {
        let mut words = vec![0; bytes / 8];
        HostMemory { pointer: words.as_mut_ptr().cast(), words }
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= 8 * self.words.len());
        // SAFETY: within the memory, and no device works now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer.add(at), bytes.len()) }
    }

    fn words(&self, at: usize, words: &[u32], store: fn(u32) -> [u8; 4]) {
        let bytes: Vec<u8> = words.iter().flat_map(|&word| store(word)).collect();
        self.write(at, &bytes);
    }

    fn word(&self, at: usize) -> [u8; 4] {
        assert!(at + 4 <= 8 * self.words.len());
        let mut word = [0; 4];
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(self.pointer.add(at), word.as_mut_ptr(), 4) }
        word
    }

    /// Where a word is.
    fn find(&self, word: &[u8; 4]) -> usize {
        (0..8 * self.words.len()).step_by(4).find(|&at| self.word(at) == *word).expect("the word")
    }

    fn map(&self, memory: &mut triglyph::Memory, space: u32, address: u64) {
        let range = GuestRange::new(space, address, 8 * self.words.len() as u64);
        // SAFETY: tests drop their devices before this memory.
        unsafe { memory.map_host(range, self.pointer, Access::READ_WRITE) }.expect("memory");
    }
}

/// Replays a capture on both tiers: all its hashes hold. Returns how many there were.
fn replay(file: &[u8]) -> usize {
    let reader = Reader::new(file).expect("a capture");
    let mut counts = Vec::new();
    for tier in [Tier::InterpreterOnly, Tier::JitOnly] {
        let mut device = new_device(reader.header().machine, &Options::new(tier, 2)).expect("a machine");
        let mut player = Player::new(&reader, Checks::ALL);
        let mut hashes = 0;
        while let Some(event) = player.next(&mut *device).expect("a sound capture") {
            if let Event::Hash(hashed) = event {
                assert!(hashed.ok(), "{tier:?}: {:?}", hashed.hash);
                hashes += 1;
            }
        }
        assert_eq!(device.faults().total(), 0, "{:?}", device.faults());
        counts.push(hashes);
    }
    assert_eq!(counts[0], counts[1]);
    counts[0]
}

type Recording<D> = RecordingDevice<D, Vec<u8>>;

fn start<D: Device>(device: &mut Recording<D>) {
    device.start(Vec::new(), Compression::default(), Meta::new()).expect("readable memory");
}

fn stop<D: Device>(device: &mut Recording<D>) -> Vec<u8> {
    device.stop().expect("a sink in memory").expect("a recording")
}

#[test]
fn gsp_queues_and_registers_replay() {
    let (vram, heap) = (HostMemory::new(0x1_0000), HostMemory::new(0x1_0000));
    let mut device = Recording::new(N3ds::new(&options()).expect("a 3DS"));
    device.device_mut().with_memory(|memory| vram.map(memory, 0, 0x1800_0000));
    device.device_mut().with_memory(|memory| heap.map(memory, 0, 0x2000_0000));
    let ranges = [GuestRange::new(0, 0x1800_0000, 0x1_0000), GuestRange::new(0, 0x2000_0000, 0x1_0000)];
    let submit = |device: &mut Recording<N3ds>, words: &[u32; 8]| {
        device.device_mut().with_gsp(|gsp, hardware| {
            gsp.command_queue(0).submit(words).expect("room");
            gsp.trigger(hardware);
        });
    };
    device.device_mut().with_gsp(|gsp, _| {
        gsp.register_relay_queue(Session(1), 1, 0x10).expect("room");
        gsp.acquire_right(Session(1));
    });
    // Before the recording: a fill, and a register that later commands use.
    submit(&mut device, &[2, 0x1F00_0000, 0x1234_5678, 0x1F00_4000, 0, 0, 0, 0x201]);
    start(&mut device);
    for frame in 0..3_u32 {
        // The guest's processor writes a list: it stores to a register of the PICA and requests the interrupt.
        let list = [frame, 0xF_00E1, 0x1234_5678, 0xF_0010];
        heap.words(0x1000, &list, u32::to_le_bytes);
        heap.write(0x2000, &[frame as u8; 256]);
        submit(&mut device, &[1, 0x3000_1000, 16, 0, 0, 0, 0, 0]);
        // DMA of what it wrote, and a texture copy of what the GPU filled.
        submit(&mut device, &[0, 0x3000_2000, 0x1F00_8000 + 0x100 * frame, 0x100, 0, 0, 0, 0]);
        submit(&mut device, &[4, 0x1F00_0000, 0x3000_4000 + 0x100 * frame, 0x100, 0, 0, 8, 0]);
        device.device_mut().with_gsp(|gsp, hardware| {
            // A fill by its registers, a colour for the screen, a VBlank.
            for (offset, value) in [(0x40_0010, 0x300_0A00), (0x40_0014, 0x300_0A20), (0x40_0018, frame)] {
                hardware.write_register(offset, value);
            }
            hardware.write_register(0x40_001C, 0x201);
            gsp.set_lcd_force_black(hardware, frame == 1);
            gsp.vblank(hardware, Screen::Top);
        });
        ranges.iter().for_each(|&range| device.hash(range).expect("mapped"));
    }
    let file = stop(&mut device);
    assert_eq!(replay(&file), 6);
    let kinds: Vec<u32> =
        Reader::new(&file).expect("a capture").raw_records().map(|raw| raw.expect("a record").kind).collect();
    assert_eq!(kinds.iter().filter(|&&kind| kind == 5).count(), 9);
    assert!(kinds.contains(&0x8000_0002));
}

#[test]
fn work_that_waits_and_choices_replay() {
    let heap = HostMemory::new(0x1_0000);
    let mut device = Recording::new(N3ds::new(&options()).expect("a 3DS"));
    device.map(GuestRange::new(0, 0x1800_0000, 0x1_0000), Access::READ_WRITE).expect("memory");
    device.device_mut().with_memory(|memory| heap.map(memory, 0, 0x2000_0000));
    device.set_deferred(true);
    device.set_host_writes_announced(true);
    let gpu = device.device_mut();
    gpu.with_gsp(|gsp, _| {
        gsp.register_relay_queue(Session(1), 1, 0x10).expect("room");
        gsp.acquire_right(Session(1));
        gsp.set_bad_address(BadAddress::Fail);
    });
    // A list that jumps to itself, and a copy after it.
    let list = [7, 0xF_00E1, 40 >> 3, 0xF_0238, 0x2000_1000 >> 3, 0xF_023A, 1, 0xF_023C, 0, 0];
    heap.words(0x1000, &list, u32::to_le_bytes);
    gpu.with_gsp(|gsp, _| {
        gsp.command_queue(0).submit(&[1, 0x3000_1000, 40, 0, 0, 0, 0, 0]).expect("room");
        gsp.command_queue(0).submit(&[4, 0x3000_2000, 0x1F00_0000, 0x100, 0, 0, 8, 0]).expect("room");
    });
    assert_eq!(device.run_for(RunLimit::of_time(Duration::from_micros(1))), RunEnd::BudgetUsed);
    start(&mut device);
    let vram = GuestRange::new(0, 0x1800_0000, 0x1_0000);
    let fill = |at: u32| [2, at, 0x99, at + 0x40, 0, 0, 0, 0x201_u32].map(u32::to_le_bytes);
    for i in 0..3 {
        assert_eq!(device.run_for(RunLimit::of_words(100 + i)), RunEnd::BudgetUsed);
        // Commands without the queue wait for the list; one of them fails.
        device.submit(fill(0x1F00_1000 + 0x100 * i as u32).as_flattened()).expect("a command");
    }
    device.submit(fill(0x1234_5670).as_flattened()).expect("a command");
    heap.write(0x2000, &[0xAB; 0x100]);
    heap.words(0x1018, &[0x1234_5678, 0xF_0010], u32::to_le_bytes);
    for page in [0x2000_1000, 0x2000_2000] {
        device.host_wrote(GuestRange::new(0, page, 0x100));
    }
    assert_eq!(device.run_for(RunLimit::NONE), RunEnd::Done);
    device.hash(vram).expect("mapped");
    // At once, while others wait; then these, without bounds.
    device.submit(fill(0x1F00_2000).as_flattened()).expect("a command");
    device.device_mut().execute(&[4, 0x1F00_1000, 0x1F00_3000, 0x40, 0, 0, 8, 0]);
    device.hash(vram).expect("mapped");
    device.finish();
    device.hash(vram).expect("mapped");
    let file = stop(&mut device);
    let reader = Reader::new(&file).expect("a capture");
    let mut other = new_device(reader.header().machine, &options()).expect("a 3DS");
    let mut player = Player::new(&reader, Checks::ALL);
    let mut hashes = 0;
    while let Some(event) = player.next(&mut *other).expect("a sound capture") {
        let Event::Hash(hashed) = event else { continue };
        assert!(hashed.ok(), "{hashed:?}");
        hashes += 1;
    }
    assert_eq!((hashes, other.is_deferred()), (3, true));
    assert_eq!(format!("{:?}", other.faults()), format!("{:?}", device.faults()));
    assert_eq!(other.faults().total(), 1);
    drop(device);
}

#[test]
fn words_of_the_bus_replay() {
    let mut device = Recording::new(Rsx::new(&options()).expect("a PS3"));
    device.device_mut().memory_allocate(1 << 20, [0; 4]).expect("memory");
    start(&mut device);
    assert!(device.device_mut().bus_write(bar::LOCAL + 0x100, 0x1234_5678));
    device.hash(GuestRange::new(LOCAL, 0, 0x1000)).expect("mapped");
    let file = stop(&mut device);
    assert_eq!(replay(&file), 1);
}

/// Methods of the puller: the semaphore at an offset becomes a value.
fn release(offset: u32, value: u32) -> [u32; 6] {
    let header = |method: u32| 1 << 18 | method;
    [header(0x60), 0x6660_6660, header(0x64), offset, header(0x6C), value]
}

#[test]
fn hypercalls_and_control_pages_replay() {
    let xdr = HostMemory::new(0x10_0000);
    let page = HostMemory::new(0x1000);
    let mut device = Recording::new(Rsx::new(&options()).expect("a PS3"));
    device.device_mut().with_memory(|memory| xdr.map(memory, XDR, 0x1000_0000));
    // Where the control page will be is known from a context before.
    let memory = device.device_mut().memory_allocate(1 << 20, [0; 4]).expect("memory");
    let first = device.device_mut().context_allocate(memory.handle, 0).expect("a context");
    device.device_mut().context_free(first.handle).expect("a context");
    let control = (first.control & 0xFFF) as usize;
    device.device_mut().with_memory(|memory| page.map(memory, PAGES, first.control & !0xFFF));
    for from_reset in [true, false] {
        if from_reset {
            start(&mut device);
        }
        let context = device.device_mut().context_allocate(memory.handle, 0).expect("a context");
        let access = 0xF000_0000_0000_0800;
        device.device_mut().context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, access).expect("an IO space");
        device.device_mut().context_attribute(context.handle, 1, [0x1000, 0x1000, 0, 0]).expect("a FIFO");
        if !from_reset {
            start(&mut device);
        }
        let mut put = 0x1000;
        for frame in 0..4_u32 {
            let mut words = Vec::new();
            (0..8).for_each(|i| words.extend(release(16 * i, frame << 8 | i)));
            // The reference value, and a report's worth of time.
            words.extend([1 << 18 | 0x50, frame]);
            xdr.words(put as usize, &words, u32::to_be_bytes);
            put += 4 * words.len() as u32;
            page.words(control + 0x40, &[put], u32::to_be_bytes);
            // In slices, each of which is a call of the capture.
            while device.run_for(RunLimit::of_words(7 + u64::from(frame))) == RunEnd::BudgetUsed {}
            device.device_mut().vblank(0, 1000 + u64::from(frame));
            device.hash(GuestRange::new(LOCAL, 0x0FE0_0000, 0x1000)).expect("mapped");
            device.hash(GuestRange::new(PAGES, first.control & !0xFFF, 0x1000)).expect("mapped");
        }
        let file = stop(&mut device);
        assert_eq!(replay(&file), 8);
        device.device_mut().context_free(context.handle).expect("a context");
    }
    drop(device);
}

/// The pages of a context are memory that a call maps: what is written there replays, although no MAP names them.
#[test]
fn pages_that_calls_map_replay() {
    let mut device = Recording::new(Rsx::new(&options()).expect("a PlayStation 3"));
    device.map(GuestRange::new(LOCAL, 0, 1 << 20), Access::READ_WRITE).expect("memory");
    start(&mut device);
    let memory = device.device_mut().memory_allocate(1 << 20, [0; 4]).expect("memory");
    let context = device.device_mut().context_allocate(memory.handle, 0).expect("a context");
    let control = device.device_mut().lpar(context.control).expect("a control page");
    device.write(GuestAddr::new(control.space, control.address + 0x40), &[0; 4]).expect("PUT");
    device.hash(GuestRange::new(control.space, control.address, 0x80)).expect("mapped");
    assert_eq!(replay(&stop(&mut device)), 1);
}

#[test]
fn a_recording_may_begin_in_the_middle_of_a_loop() {
    let xdr = HostMemory::new(0x10_0000);
    let mut device = Recording::new(Rsx::new(&options()).expect("a PS3"));
    device.set_deferred(true);
    let gpu = device.device_mut();
    gpu.with_memory(|memory| xdr.map(memory, XDR, 0x1000_0000));
    let memory = gpu.memory_allocate(1 << 20, [0; 4]).expect("memory");
    let context = gpu.context_allocate(memory.handle, 0).expect("a context");
    gpu.context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, 0xF000_0000_0000_0800).expect("an IO space");
    gpu.context_attribute(context.handle, 1, [0x1000, 0x8000, 0, 0]).expect("a FIFO");
    let mut words = release(0x20, 5).to_vec();
    words.push(0x2000_1000);
    xdr.words(0x1000, &words, u32::to_be_bytes);
    for _ in 0..3 {
        assert_eq!(device.run_for(RunLimit::of_time(Duration::from_nanos(777))), RunEnd::BudgetUsed);
    }
    start(&mut device);
    let pages = GuestRange::new(PAGES, context.control & !0xFFF, 0x1000);
    for i in 0..5_u32 {
        // Between two runs the guest's processor changes what the loop stores.
        xdr.words(0x1014, &[0x100 + i], u32::to_be_bytes);
        assert_eq!(device.run_for(RunLimit::of_time(Duration::from_nanos(500 + u64::from(i)))), RunEnd::BudgetUsed);
        device.interrupter().interrupt();
        assert_eq!(device.run_for(RunLimit::NONE), RunEnd::Interrupted);
        device.hash(pages).expect("mapped");
        device.hash(GuestRange::new(LOCAL, 0x0FE0_0000, 0x1000)).expect("mapped");
    }
    let file = stop(&mut device);
    assert_eq!(replay(&file), 10);
    assert_eq!(device.faults().total(), 0);
    drop(device);
}

#[test]
fn calls_of_the_driver_replay_with_their_spaces() {
    let process = HostMemory::new(0x4_0000);
    let mut device = Recording::new(TegraX1::new(&options()).expect("a Tegra X1"));
    device.device_mut().with_memory(|memory| process.map(memory, PROCESS, 0x10_0000));
    start(&mut device);
    let gpu = device.device_mut();
    let mut channels = Vec::new();
    for i in 0..2_u64 {
        let map = gpu.nvmap_create(0x2_0000).expect("a handle");
        let address = 0x10_0000 + 0x2_0000 * i;
        gpu.nvmap_alloc(map, MapMemory { address, align: 0x1000, heap: 0, flags: 1, kind: 0xFE }).expect("memory");
        let space = gpu.space_open().expect("a space");
        gpu.space_initialize(space, Layout::default()).expect("a layout");
        let buffer = gpu.space_map_buffer(space, MapBuffer { handle: map, ..MapBuffer::default() }).expect("room");
        let channel = gpu.channel_open().expect("a channel");
        gpu.channel_bind(channel, space).expect("a space");
        channels.push((channel, buffer.offset, 0x2_0000 * i as usize));
    }
    let range = GuestRange::new(PROCESS, 0x10_0000, 0x4_0000);
    for frame in 0..3_u32 {
        for &(channel, base, at) in &channels {
            // 64 bytes inline, then a semaphore of four words.
            let data: Vec<u32> = (0..16).map(|i| frame << 16 | channel.get() << 8 | i).collect();
            let target = base + 0x1000 + 0x100 * u64::from(frame);
            let mut words = methods(2, 0x60, Each, &[64, 1, (target >> 32) as u32, target as u32, 0]);
            words.extend(methods(2, 0x6C, Each, &[1]));
            words.extend(methods(2, 0x6D, Never, &data));
            let done = base + 0x2000;
            words.extend([0x2004_0004, (done >> 32) as u32, done as u32, frame, 2]);
            process.words(at, &words, u32::to_le_bytes);
            let entry = base | (words.len() as u64) << 42;
            let fence =
                device.device_mut().channel_submit(channel, &[entry], submit_flags::FENCE_GET, Fence::default());
            assert!(device.timeline().wait_for_fence(fence.expect("a fence").syncpoint.get(), 0, Duration::ZERO));
        }
        device.device_mut().advance_time(Duration::from_micros(1));
        device.hash(range).expect("mapped");
        if frame == 0 {
            // What was recorded so far, and another one that begins with clients at work.
            let file = stop(&mut device);
            assert_eq!(replay(&file), 1);
            start(&mut device);
        }
    }
    let file = stop(&mut device);
    assert_eq!(replay(&file), 2);
    drop(device);
}

#[test]
fn a_recording_with_a_limit_is_whole_up_to_there() {
    let mut device = Recording::new(N3ds::new(&options()).expect("a 3DS"));
    device.map(GuestRange::new(0, 0x1800_0000, 0x1_0000), Access::READ_WRITE).expect("memory");
    device.set_limit(2000);
    start(&mut device);
    let mut frames = 0;
    while !device.is_full() {
        device.device_mut().execute(&[2, 0x1F00_0000, frames, 0x1F00_0100, 0, 0, 0, 0x201]);
        device.hash(GuestRange::new(0, 0x1800_0000, 0x1_0000)).expect("mapped");
        frames += 1;
    }
    device.device_mut().execute(&[2, 0x1F00_0000, 77, 0x1F00_0100, 0, 0, 0, 0x201]);
    let file = stop(&mut device);
    assert!((2000..2100).contains(&file.len()), "{}", file.len());
    let replayed = replay(&file) as u32;
    assert!(replayed == frames || replayed + 1 == frames, "{replayed} of {frames}");
    // The device itself went on.
    let mut word = [0; 4];
    device.read(GuestAddr::new(0, 0x1800_0000), &mut word).expect("mapped");
    assert_eq!(u32::from_le_bytes(word), 77);
}
