//! Memory as programs reach it by address, while others do the same.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::program::environment::{GlobalMemory, Span};

use super::{GuestAddr, GuestRange, Memory};

/// The bits of an address that count.
const ADDRESS_MASK: u64 = (1 << 40) - 1;

/// An address space for programs, and what they missed in it.
#[derive(Debug)]
pub struct ProgramMemory<'m> {
    memory: &'m Memory,
    space: u32,
    unread: Missing,
    dropped: Missing,
}

/// Accesses to what is not mapped.
#[derive(Debug, Default)]
struct Missing {
    count: AtomicU64,
    /// One of the addresses: the lowest, so that threads make no difference.
    address: AtomicU64,
}

/// How often programs read and wrote what is not mapped, and the lowest addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Reads and the lowest address.
    pub reads: (u64, u64),
    /// Writes and the lowest address.
    pub writes: (u64, u64),
}

impl Misses {
    /// Those of both.
    pub fn join(self, other: Misses) -> Misses {
        let join = |a: (u64, u64), b: (u64, u64)| match (a.0, b.0) {
            (0, _) => b,
            (_, 0) => a,
            _ => (a.0.wrapping_add(b.0), a.1.min(b.1)),
        };
        Misses { reads: join(self.reads, other.reads), writes: join(self.writes, other.writes) }
    }
}

impl Missing {
    fn new() -> Self {
        Missing { count: AtomicU64::new(0), address: AtomicU64::new(u64::MAX) }
    }

    fn add(&self, missing: usize, address: u64) {
        if missing != 0 {
            self.count.fetch_add(1, Relaxed);
            self.address.fetch_min(address, Relaxed);
        }
    }

    fn get(&self) -> (u64, u64) {
        (self.count.load(Relaxed), self.address.load(Relaxed))
    }
}

impl<'m> ProgramMemory<'m> {
    /// The memory of an address space.
    pub fn new(memory: &'m Memory, space: u32) -> Self {
        ProgramMemory { memory, space, unread: Missing::new(), dropped: Missing::new() }
    }

    /// Where an address of a program is.
    fn at(&self, address: u64) -> GuestAddr {
        GuestAddr::new(self.space, address & ADDRESS_MASK)
    }

    /// What was missed so far.
    pub fn misses(&self) -> Misses {
        Misses { reads: self.unread.get(), writes: self.dropped.get() }
    }
}

impl GlobalMemory for ProgramMemory<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        let at = self.at(address);
        self.unread.add(self.memory.read_pieces(at, bytes), at.address);
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let at = self.at(address);
        self.dropped.add(self.memory.write_pieces(at, bytes), at.address);
    }

    fn span(&self, address: u64, stores: bool) -> Option<Span<'_>> {
        let (start, window) = self.memory.mapping_at(self.at(address), stores)?;
        Some(Span { start, window })
    }

    fn note_written(&self, address: u64, size: u64) {
        self.memory.mark_written(GuestRange::new(self.space, address, size));
    }
}
