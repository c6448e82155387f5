//! Global memory of programs, which several threads access at the same time.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::environment::{GlobalMemory, Span, Usage};

use super::{GuestAddr, GuestRange, Memory};

/// The bits of an address that count.
const ADDRESS_MASK: u64 = (1 << 40) - 1;

/// Where an address of a program is.
pub(super) fn at(space: u32, address: u64) -> GuestAddr {
    GuestAddr::new(space, address & ADDRESS_MASK)
}

/// An address space for programs, and their unmapped accesses.
#[derive(Debug)]
pub struct ProgramMemory<'m> {
    memory: &'m Memory,
    space: u32,
    unread: Missing,
    dropped: Missing,
    watch: Option<&'m Watch<'m>>,
}

/// Memory that programs should not load from while others write it.
#[derive(Debug)]
pub struct Watch<'m> {
    windows: Vec<Window<'m>>,
    is_read: AtomicBool,
}

impl<'m> Watch<'m> {
    /// Of some memory, wherever the guest has it.
    pub fn new(windows: Vec<Window<'m>>) -> Self {
        Watch { windows, is_read: AtomicBool::new(false) }
    }

    /// Set once a program has loaded from it: the loaded value is unreliable.
    pub fn is_read(&self) -> &AtomicBool {
        &self.is_read
    }

    /// Notes a read of a program.
    fn note(&self, window: Window<'_>) {
        if self.windows.iter().any(|watched| watched.overlaps(window)) {
            self.is_read.store(true, Relaxed);
        }
    }

    /// The bytes around byte `at` of a window of which none is watched; empty if that one is.
    fn gap(&self, window: Window<'_>, at: usize) -> Range<usize> {
        let start = window.as_ptr().addr();
        self.windows.iter().filter(|watched| watched.overlaps(window)).fold(0..window.len(), |gap, watched| {
            let first = watched.as_ptr().addr().saturating_sub(start);
            let end = (watched.as_ptr().addr() + watched.len()).saturating_sub(start);
            if at < first {
                gap.start..gap.end.min(first)
            } else if at >= end {
                gap.start.max(end)..gap.end
            } else {
                at..at
            }
        })
    }
}

/// Counter of unmapped accesses.
#[derive(Debug, Default)]
pub(super) struct Missing {
    count: AtomicU64,
    /// One of the addresses: the lowest, so that threads make no difference.
    address: AtomicU64,
}

/// Counts of reads and writes of programs to unmapped memory, and the lowest addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnmappedAccesses {
    /// Reads and the lowest address.
    pub reads: (u64, u64),
    /// Writes and the lowest address.
    pub writes: (u64, u64),
}

impl UnmappedAccesses {
    /// The counts of reads and writes to unmapped memory.
    pub(super) fn of(unread: &Missing, dropped: &Missing) -> UnmappedAccesses {
        UnmappedAccesses { reads: unread.get(), writes: dropped.get() }
    }

    /// Those of both.
    pub fn join(self, other: UnmappedAccesses) -> UnmappedAccesses {
        let join = |a: (u64, u64), b: (u64, u64)| match (a.0, b.0) {
            (0, _) => b,
            (_, 0) => a,
            _ => (a.0.wrapping_add(b.0), a.1.min(b.1)),
        };
        UnmappedAccesses { reads: join(self.reads, other.reads), writes: join(self.writes, other.writes) }
    }
}

impl Missing {
    pub(super) fn new() -> Self {
        Missing { count: AtomicU64::new(0), address: AtomicU64::new(u64::MAX) }
    }

    pub(super) fn add(&self, missing: usize, address: u64) {
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
        ProgramMemory { memory, space, unread: Missing::new(), dropped: Missing::new(), watch: None }
    }

    /// The same for programs that only load, and are watched.
    pub fn watched(self, watch: Option<&'m Watch<'m>>) -> Self {
        ProgramMemory { watch, ..self }
    }

    /// The unmapped accesses so far.
    pub fn unmapped(&self) -> UnmappedAccesses {
        UnmappedAccesses::of(&self.unread, &self.dropped)
    }
}

impl GlobalMemory for ProgramMemory<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        let at = at(self.space, address);
        if let Some(watch) = self.watch {
            self.memory.walk(at.range(bytes.len() as u64), |region, at, piece| {
                region.into_iter().for_each(|region| watch.note(region.window(at).first(piece.len())));
            });
        }
        self.unread.add(self.memory.read_pieces(at, bytes), at.address);
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let at = at(self.space, address);
        self.dropped.add(self.memory.write_pieces(at, bytes), at.address);
    }

    fn span(&self, address: u64, usage: Usage) -> Option<Span<'_>> {
        let at = at(self.space, address);
        let (start, window) = self.memory.mapping_at(at, usage != Usage::Load)?;
        let Some(watch) = self.watch else { return Some(Span { start, window }) };
        let gap = watch.gap(window, usize::try_from(at.address - start).ok()?);
        (!gap.is_empty())
            .then(|| Span { start: start + gap.start as u64, window: window.from(gap.start).first(gap.len()) })
    }

    fn note(&self, address: u64, size: u64, usage: Usage) {
        if usage != Usage::Load {
            self.memory.mark_written(GuestRange::new(self.space, address, size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::kernel::window::buffer;

    #[test]
    fn spans_end_where_memory_is_watched() {
        let bytes = buffer(&[0; 100]);
        let all = Window::new(&bytes);
        let watch = Watch::new(vec![all.from(20).first(10), all.from(60).first(20), all.from(99)]);
        let gaps = [(0, 0..20), (19, 0..20), (30, 30..60), (59, 30..60), (80, 80..99), (98, 80..99)];
        for (at, gap) in gaps {
            assert_eq!(watch.gap(all, at), gap, "{at}");
        }
        assert!([20, 29, 60, 79, 99].iter().all(|&at| watch.gap(all, at).is_empty()));
        assert_eq!(watch.gap(all.from(30).first(10), 3), 0..10);
        assert_eq!(watch.gap(all.from(25).first(10), 7), 5..10);
    }

    #[test]
    fn reads_of_what_is_watched_are_noted() {
        let bytes = buffer(&[0; 100]);
        let all = Window::new(&bytes);
        let is_read = |from: usize, length: usize| {
            let watch = Watch::new(vec![all.from(20).first(10)]);
            watch.note(all.from(from).first(length));
            watch.is_read().load(Relaxed)
        };
        assert!(is_read(20, 1) && is_read(29, 4) && is_read(17, 4) && is_read(0, 100));
        assert!(!is_read(16, 4) && !is_read(30, 70) && !is_read(25, 0));
    }
}
