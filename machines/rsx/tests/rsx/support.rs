//! A PS3 with the reference tier, push buffers for it, and contexts of the hypervisor.

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Access, FaultKind, ObjectEntry, Replay};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::objects::class;
use triglyph_options::Options;
use triglyph_rsx::lv1::{ContextAllocation, XDR};
use triglyph_rsx::{Rsx, RsxMode};

pub const MODES: [RsxMode; 2] = [RsxMode::Exact, RsxMode::Fast];

/// Spaces.
pub const LOCAL: u32 = 0;
pub const MAIN: u32 = 1;

/// Objects that [`capture_machine`] enters.
pub const DMA_LOCAL: u32 = 0xBEEF_0201;
pub const DMA_MAIN: u32 = 0xBEEF_0202;
pub const SEMAPHORES: u32 = 0xBEEF_1E00;
pub const NOTIFIER: u32 = 0xBEEF_0301;
pub const M2MF: u32 = 0xBEEF_3901;
pub const M2MF_2: u32 = 0xBEEF_3902;
pub const SURFACES: u32 = 0xBEEF_6201;
pub const SWIZZLED: u32 = 0xBEEF_5201;
pub const SCALED: u32 = 0xBEEF_7701;
pub const FROM_CPU: u32 = 0xBEEF_8A01;
pub const CURIE: u32 = 0xBEEF_4097;

/// Where semaphores are in main memory.
pub const SEMAPHORE_AT: u64 = 0x1_0000;
/// Where notifiers are in main memory.
pub const NOTIFIER_AT: u64 = 0x1_0020;
/// Where push buffers are in main memory.
pub const PUSH_AT: u64 = 0x10_0000;
/// Bytes mapped of either memory.
pub const BYTES: u64 = 0x40_0000;

pub fn options(threads: usize) -> Options {
    Options::new(TierMode::InterpreterOnly, threads)
}

/// A machine of either mode.
pub fn new(threads: usize, mode: RsxMode) -> Rsx {
    let mut options = options(threads);
    options.accuracy = match mode {
        RsxMode::Exact => triglyph_options::Accuracy::Exact,
        RsxMode::Fast => triglyph_options::Accuracy::Fast,
    };
    Rsx::new(&options).unwrap()
}

pub fn machine(mode: RsxMode) -> Rsx {
    new(1, mode)
}

/// One little-endian machine of each mode, see [`capture_machine`].
pub fn capture_machines() -> [Rsx; 2] {
    MODES.map(|mode| capture_machine(mode, false))
}

/// A machine as captures set it up: both memories from 0, objects with handles of their own.
pub fn capture_machine(mode: RsxMode, big_endian: bool) -> Rsx {
    let mut gpu = machine(mode);
    gpu.set_big_endian(big_endian).unwrap();
    for space in [LOCAL, MAIN] {
        gpu.map(GuestRange::new(space, 0, BYTES), Access::READ_WRITE).unwrap();
    }
    for (handle, space, base, limit) in [
        (DMA_LOCAL, LOCAL, 0, 0x0FFF_FFFF),
        (DMA_MAIN, MAIN, 0, 0x1FFF_FFFF),
        (SEMAPHORES, MAIN, SEMAPHORE_AT, 0x1F),
        (NOTIFIER, MAIN, NOTIFIER_AT, 0x1F),
    ] {
        gpu.object(ObjectEntry { handle, class: class::DMA_IN_MEMORY, space, base, limit }).unwrap();
    }
    for (handle, class) in [
        (0, class::NULL),
        (M2MF, class::MEMORY_TO_MEMORY),
        (M2MF_2, class::MEMORY_TO_MEMORY),
        (SURFACES, class::SURFACES_2D),
        (SWIZZLED, class::SURFACE_SWIZZLED),
        (SCALED, class::SCALED_IMAGE),
        (FROM_CPU, class::IMAGE_FROM_CPU),
        (CURIE, class::CURIE),
    ] {
        gpu.object(ObjectEntry { handle, class, space: 0, base: 0, limit: 0 }).unwrap();
    }
    gpu
}

/// Words of a push buffer.
#[derive(Clone, Debug, Default)]
pub struct Push(pub Vec<u32>);

impl Push {
    pub fn new() -> Self {
        Push::default()
    }

    /// Data for `method` and those after it.
    pub fn methods(mut self, subchannel: u32, method: u32, data: &[u32]) -> Self {
        let header = Methods { method, subchannel, count: data.len() as u32, increasing: true };
        self.0.push(header.encode());
        self.0.extend(data);
        self
    }

    /// Data for `method` alone.
    pub fn same(mut self, subchannel: u32, method: u32, data: &[u32]) -> Self {
        let header = Methods { method, subchannel, count: data.len() as u32, increasing: false };
        self.0.push(header.encode());
        self.0.extend(data);
        self
    }

    pub fn word(mut self, word: u32) -> Self {
        self.0.push(word);
        self
    }

    pub fn bind(self, subchannel: u32, handle: u32) -> Self {
        self.methods(subchannel, 0, &[handle])
    }

    pub fn bytes(&self, big_endian: bool) -> Vec<u8> {
        bytes(&self.0, big_endian)
    }
}

pub fn bytes(words: &[u32], big_endian: bool) -> Vec<u8> {
    let store = |word: &u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
    words.iter().flat_map(store).collect()
}

/// The payload of a SUBMIT.
pub fn payload(channel: u32, segments: &[(u64, u64)]) -> Vec<u8> {
    let mut payload = [channel.to_le_bytes(), MAIN.to_le_bytes()].concat();
    for (start, length) in segments {
        payload.extend(start.to_le_bytes());
        payload.extend(length.to_le_bytes());
    }
    payload
}

/// Stores a push buffer at [`PUSH_AT`] and submits it on a channel.
pub fn submit_on(gpu: &mut Rsx, channel: u32, push: &Push, big_endian: bool) {
    let words = push.bytes(big_endian);
    gpu.write(GuestAddr::new(MAIN, PUSH_AT), &words).unwrap();
    gpu.submit(&payload(channel, &[(PUSH_AT, words.len() as u64)])).unwrap();
}

pub fn submit(gpu: &mut Rsx, push: &Push) {
    submit_on(gpu, 1, push, false);
}

pub fn read(gpu: &mut Rsx, space: u32, address: u64, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    gpu.read(GuestAddr::new(space, address), &mut bytes).unwrap();
    bytes
}

pub fn word(gpu: &mut Rsx, space: u32, address: u64, big_endian: bool) -> u32 {
    let bytes: [u8; 4] = read(gpu, space, address, 4).try_into().unwrap();
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

pub fn set_word(gpu: &mut Rsx, space: u32, address: u64, word: u32, big_endian: bool) {
    gpu.write(GuestAddr::new(space, address), &bytes(&[word], big_endian)).unwrap();
}

/// Faults by kind, of those that occurred.
pub fn faults(gpu: &Rsx) -> Vec<(FaultKind, u64)> {
    let count = |kind: FaultKind| (kind, gpu.faults().count(kind));
    FaultKind::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
}

/// Main memory's address, as guests of the hypervisor pass it.
pub const XDR_AT: u64 = 0x1000_0000;

/// A machine with main memory for the hypervisor's guests.
pub fn lv1_machine(mode: RsxMode) -> Rsx {
    let mut gpu = machine(mode);
    gpu.with_memory(|memory| memory.map(GuestRange::new(XDR, XDR_AT, 16 << 20), Access::READ_WRITE)).unwrap();
    gpu
}

/// One machine of each mode, and a context in each, see [`context`].
pub fn contexts(flags: u64) -> [(Rsx, ContextAllocation); 2] {
    MODES.map(|mode| {
        let mut gpu = lv1_machine(mode);
        let context = context(&mut gpu, flags);
        (gpu, context)
    })
}

/// A context with 16 MiB of local memory and 8 MiB of main memory at IO offset 0.
pub fn context(gpu: &mut Rsx, flags: u64) -> ContextAllocation {
    let memory = gpu.memory_allocate(16 << 20, [8, 0x30_0000, 15, 8]).unwrap();
    let context = gpu.context_allocate(memory.handle, flags).unwrap();
    gpu.context_iomap(context.handle, 0, XDR_AT, 8 << 20, 0xF000_0000_0000_0800).unwrap();
    context
}

/// A big-endian word at an address that the hypervisor has returned.
pub fn lpar_word(gpu: &mut Rsx, address: u64) -> u32 {
    let place = gpu.lpar(address).expect("a page");
    word(gpu, place.space, place.address, true)
}

pub fn set_lpar_word(gpu: &mut Rsx, address: u64, word: u32) {
    let place = gpu.lpar(address).expect("a page");
    gpu.memory().write(place, &word.to_be_bytes()).unwrap();
}

/// Stores words at an IO offset of the first context and lets the channel run up to their end.
pub fn kick(gpu: &mut Rsx, context: &ContextAllocation, io: u32, push: &Push) {
    gpu.memory().write(GuestAddr::new(XDR, XDR_AT + u64::from(io)), &push.bytes(true)).unwrap();
    set_lpar_word(gpu, context.control + 0x40, io + 4 * push.0.len() as u32);
    gpu.run();
}
