//! Guest memory of odd sizes in the middle of host memory that must not be touched.
#![allow(unsafe_code)]

use triglyph::{Access, Device, Faults, GuestAddr, GuestRange, Memory, N3ds, Options, Tier};
use triglyph_testkit::pica::list;

/// What is mapped: physical address, bytes, and whether the GPU may write. There is a hole in VRAM, and neither begins
/// nor ends lie on pages.
pub const RANGES: [(u32, usize, bool); 4] = [
    (0x1800_0000, 0x1_0000, true),
    (0x1801_0008, 0x2348, true),
    (0x2000_0000, 0x1_8000, true),
    (0x2002_0000, 0x4000, false),
];

/// Where lists are put, and how much room there is.
pub const LISTS: (u32, usize) = (0x2000_8000, 0x1_0000);

/// Bytes between ranges.
const BETWEEN: usize = 0x3001;

/// Host memory: the ranges, with canaries before, between and after them.
pub struct Arena {
    bytes: Vec<u8>,
    canary: u8,
    read_only: Vec<u8>,
}

impl Arena {
    /// Ranges with something in them, among bytes that are `canary`.
    pub fn new(canary: u8) -> Self {
        let all: usize = RANGES.iter().map(|(_, size, _)| BETWEEN + size).sum();
        let mut arena = Arena { bytes: vec![canary; all + BETWEEN], canary, read_only: Vec::new() };
        for (index, (_, size, write)) in RANGES.into_iter().enumerate() {
            let content: Vec<u8> = (0..size).map(|n| (n * 7 + n / 251 + index) as u8).collect();
            arena.bytes[Self::place(index)].copy_from_slice(&content);
            if !write {
                arena.read_only = content;
            }
        }
        arena
    }

    /// The bytes of a range in the arena.
    fn place(index: usize) -> std::ops::Range<usize> {
        let start = RANGES[..index].iter().map(|(_, size, _)| BETWEEN + size).sum::<usize>() + BETWEEN;
        start..start + RANGES[index].1
    }

    /// A machine with the ranges mapped.
    pub fn machine(&mut self, tier: Tier, threads: usize) -> Machine<'_> {
        let options = Options::new(tier, threads);
        let mut gpu = N3ds::new(&options).expect("a 3DS");
        for (index, (address, size, write)) in RANGES.into_iter().enumerate() {
            let access = Access { read: true, write };
            let pointer = self.bytes[Self::place(index)].as_mut_ptr();
            let range = GuestRange::new(0, address.into(), size as u64);
            // SAFETY: the bytes belong to the arena, which the machine borrows; nothing else uses them meanwhile.
            let map = |memory: &mut Memory| unsafe { memory.map_host(range, pointer, access) };
            gpu.with_memory(map).expect("memory");
        }
        Machine { gpu, arena: std::marker::PhantomData }
    }

    /// Whether only what may be written was written.
    pub fn check(&self) {
        let mut at = 0;
        for (index, (address, _, write)) in RANGES.into_iter().enumerate() {
            let range = Self::place(index);
            let touched = self.bytes[at..range.start].iter().position(|&byte| byte != self.canary);
            assert_eq!(touched, None, "memory before the range at {address:#x} was written");
            assert!(write || self.bytes[range.clone()] == self.read_only, "memory that is read-only was written");
            at = range.end;
        }
        assert!(self.bytes[at..].iter().all(|&byte| byte == self.canary), "memory after the last range was written");
    }

    /// All guest memory.
    pub fn contents(&self) -> Vec<u8> {
        (0..RANGES.len()).flat_map(|index| &self.bytes[Self::place(index)]).copied().collect()
    }
}

/// A 3DS on an arena.
pub struct Machine<'a> {
    gpu: N3ds,
    arena: std::marker::PhantomData<&'a mut Arena>,
}

impl Machine<'_> {
    /// Submits a GX command.
    pub fn gx(&mut self, words: [u32; 8]) {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.gpu.submit(&bytes).expect("32 bytes are a command");
        self.gpu.finish();
    }

    /// Executes a command list, what of it there is room for.
    pub fn list(&mut self, words: &[u32]) {
        let mut bytes = list::bytes(words);
        bytes.truncate(LISTS.1);
        self.gpu.write(GuestAddr::new(0, LISTS.0.into()), &bytes).expect("mapped memory");
        self.gx([1, LISTS.0 + 0x1000_0000, bytes.len() as u32, 0, 0, 0, 0, 0]);
    }

    /// Stores bytes in guest memory.
    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        self.gpu.write(GuestAddr::new(0, address.into()), bytes).expect("mapped memory");
    }

    /// What the guest got wrong; every fault that is kept says what it was.
    pub fn faults(&self) -> Faults {
        let faults = self.gpu.faults().clone();
        assert!(faults.first().iter().all(|fault| !fault.what.is_empty()), "{faults:?}");
        faults
    }
}
