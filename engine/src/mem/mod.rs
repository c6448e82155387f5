//! Guest memory as the GPU sees it: ranges of address spaces, and what was written to them.
//!
//! ```text
//! map / map_host ──► ranges (sorted, disjoint) ──► window(space, address) ──► kernels
//!                                              └─► mark_written ─┬─► take_written (the host)
//!                                                                └─► changed_since (what was derived from memory)
//! ```
//!
//! **Invariant**: guest memory is only ever touched through [`Window`]s, whose bytes are atomics; `raw.rs` alone
//! knows pointers.

mod changes;
mod footprint;
mod global;
mod raw;
mod remap;
mod written;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use triglyph_guest::kernel::Window;

pub use crate::address::{GuestAddr, GuestRange};
use crate::device::Access;
use crate::error::Error;
use changes::Clock;
pub use changes::{Epoch, FoundPages};
pub use footprint::Footprint;
pub use global::{Misses, ProgramMemory};
use raw::{Arena, PrefaultPool};
pub use raw::{copy_all, copy_in, copy_out};
pub use raw::{for_each_chunk, read_words};
pub use remap::Mapping;
use written::WrittenSet;

/// The memory of one machine.
#[derive(Debug, Default)]
pub struct Memory {
    /// Sorted by space and address, disjoint.
    ranges: Vec<Range>,
    /// Whether memory was ever mapped at a second place.
    aliased: bool,
    /// Whether memory of the host's was ever mapped twice by the host itself.
    host_aliased: bool,
    written: Mutex<WrittenSet>,
    clock: Clock,
    /// Where the first mappings come from, if pages were to be found in advance.
    prefault_pool: Option<PrefaultPool>,
}

/// A stretch of an address space that has no memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Address space.
    pub space: u32,
    /// First byte.
    pub address: u64,
    /// Bytes, at least 1.
    pub size: u64,
    /// What the GPU may do there.
    pub access: Access,
    /// Space and address of the memory that it shows; `None` for a sparse range.
    pub from: Option<(u32, u64)>,
}

/// A stretch of an address space backed by a stretch of an arena.
#[derive(Clone, Debug)]
struct Range {
    space: u32,
    start: u64,
    size: u64,
    access: Access,
    arena: Arc<Arena>,
    /// Where in the arena `start` stands.
    offset: usize,
    /// Whether the memory is another place's.
    alias: bool,
    /// Whether there is no memory, and nothing wrong with that.
    sparse: bool,
}

impl Range {
    fn end(&self) -> u64 {
        self.start + self.size
    }

    /// The part of the range from `start` to `end`, both inside it.
    fn part(&self, start: u64, end: u64) -> Range {
        let offset = self.offset + (start - self.start) as usize;
        Range { start, size: end - start, offset, ..self.clone() }
    }

    /// Whether it is a mapping of its own.
    fn is_mapping(&self) -> bool {
        !self.alias && !self.sparse
    }

    /// Whether `next` is no mapping of its own but goes on where this one ends.
    fn goes_on_in(&self, next: &Range) -> bool {
        let same =
            (self.space, self.access, self.alias, self.sparse) == (next.space, next.access, next.alias, next.sparse);
        let memory = Arc::ptr_eq(&self.arena, &next.arena) && self.offset + self.size as usize == next.offset;
        same && self.end() == next.start && (self.sparse || self.alias && memory)
    }

    /// The piece of a stretch at `address` that lies in this range.
    fn window_at(&self, address: u64, piece: &std::ops::Range<usize>) -> Window<'_> {
        self.window(address + piece.start as u64).first(piece.len())
    }

    /// Where in the arena the piece of a stretch at `address` stands, and its bytes.
    fn place(&self, address: u64, piece: &std::ops::Range<usize>) -> (usize, usize) {
        (self.offset + (address + piece.start as u64 - self.start) as usize, piece.len())
    }

    fn window(&self, address: u64) -> Window<'_> {
        let skip = (address - self.start) as usize;
        Window::new(&self.arena.bytes()[self.offset + skip..self.offset + self.size as usize])
    }
}

impl Memory {
    /// Bytes that may be mapped, those of the host's own included, aliases not: 16 GiB, four times what the largest of
    /// the consoles has.
    pub const MAX_MAPPED: u64 = 16 << 30;

    /// Maps `size` zero-filled bytes of the library's own; what was mapped there before is replaced.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0 or a range that wraps, [`Error::Unsupported`] when more than
    /// [`Self::MAX_MAPPED`] bytes would be mapped, or more memory than the host has.
    pub fn map(&mut self, space: u32, address: u64, size: u64, access: Access) -> Result<(), Error> {
        check_range(address, size)?;
        self.check_room((space, address), size)?;
        let arena = match self.prefault_pool.as_mut().and_then(|pool| pool.take(size)) {
            Some(arena) => arena,
            None => Arena::anonymous(size)?,
        };
        self.insert(Range {
            space,
            start: address,
            size,
            access,
            arena: Arc::new(arena),
            offset: 0,
            alias: false,
            sparse: false,
        });
        Ok(())
    }

    /// Memory without mappings, of which the first ones, 8 MiB in all, are taken from prefaulted pages; and the work
    /// that prefaults them, to be done on any thread at any time.
    pub(crate) fn with_prefault_pool() -> (Self, Option<impl FnOnce() + Send + 'static>) {
        // On a host without memory mapping reports the error.
        let prefault_pool = PrefaultPool::new().ok();
        let work = prefault_pool.as_ref().map(PrefaultPool::populating);
        (Memory { prefault_pool, ..Memory::default() }, work)
    }

    /// Work that prefaults the mapping at `address`, to be done on any thread at any time; it ends early when the
    /// mapping is removed. The first access to a page costs about a microsecond, and a first frame touches all of its
    /// surfaces. `None` for the host's own memory, for memory of the prefault pool, and for mappings too large to be in
    /// use as a whole.
    pub(crate) fn populating(&self, space: u32, address: u64) -> Option<impl FnOnce() + Send + 'static> {
        const STEP: usize = 2 << 20;
        let range = self.ranges.iter().find(|range| range.space == space && range.start == address)?;
        let pooled = self.prefault_pool.as_ref().is_some_and(|pool| range.arena.is_from(pool));
        let fit = range.is_mapping() && range.size <= raw::LARGEST_IN_USE as u64 && !range.arena.is_host() && !pooled;
        let (arena, size) = (Arc::downgrade(&range.arena), range.size as usize);
        fit.then_some(move || {
            for offset in (0..size).step_by(STEP) {
                let Some(arena) = arena.upgrade() else { return };
                arena.populate(offset, STEP);
            }
        })
    }

    /// Maps memory of the host's; what was mapped there before is replaced.
    ///
    /// # Errors
    /// As [`Self::map`].
    ///
    /// # Safety
    /// `pointer` must be valid for reads and writes of `size` bytes until the range is unmapped (aliases of it go with
    /// it) or the memory dropped. Others may write these bytes at the same time only in ways that do not race in the
    /// sense of the host's memory model with relaxed atomic byte accesses (guest CPUs writing plain bytes are fine in
    /// practice). No reference to them, `&[u8]` or `&mut [u8]`, may be used meanwhile, nor be handed to this library.
    ///
    /// The same bytes may be mapped several times: they are recognised by their address on the host. Memory that has
    /// two addresses on the host as well must be mapped by one of them, else what is drawn to it depends on threads.
    #[allow(unsafe_code)]
    pub unsafe fn map_host(
        &mut self,
        space: u32,
        address: u64,
        pointer: *mut u8,
        size: u64,
        access: Access,
    ) -> Result<(), Error> {
        check_range(address, size)?;
        if pointer.is_null() {
            return Err(Error::InvalidArgument("a null pointer for guest memory".into()));
        }
        self.check_room((space, address), size)?;
        // SAFETY: the caller promises that the bytes are valid until they are unmapped; the arena lives no longer.
        let arena = unsafe { Arena::host(pointer, size)? };
        if self.ranges.iter().any(|range| range.arena.overlaps(&arena)) {
            (self.aliased, self.host_aliased) = (true, true);
        }
        self.insert(Range {
            space,
            start: address,
            size,
            access,
            arena: Arc::new(arena),
            offset: 0,
            alias: false,
            sparse: false,
        });
        Ok(())
    }

    /// Whether `size` bytes at a place may be mapped as well: [`Self::MAX_MAPPED`]. Memory of which only a part is
    /// still mapped counts as a whole.
    fn check_room(&self, (space, address): (u32, u64), size: u64) -> Result<(), Error> {
        let end = address.saturating_add(size);
        let stays = |r: &&Range| r.is_mapping() && !(r.space == space && address <= r.start && r.end() <= end);
        let ranges = || self.ranges.iter().filter(stays);
        // Each range counted with its whole arena is at least as much as each arena once, and is nearly always enough.
        if check_total(ranges().map(|r| r.arena.size()).chain([size])).is_ok() {
            return Ok(());
        }
        let arenas: HashMap<usize, u64> = ranges().map(|r| (r.arena.address(), r.arena.size())).collect();
        check_total(arenas.into_values().chain([size]))
    }

    /// Removes whatever is mapped in `size` bytes at `address`, and the aliases of memory that is gone then.
    pub fn unmap(&mut self, space: u32, address: u64, size: u64) {
        let removed = self.cut(space, address, size);
        for gone in removed.iter().filter(|range| range.is_mapping()) {
            self.drop_aliases(gone);
        }
    }

    /// Takes what is mapped in `size` bytes at `address` out of the ranges.
    fn cut(&mut self, space: u32, address: u64, size: u64) -> Vec<Range> {
        let end = address.saturating_add(size);
        let first = self.ranges.partition_point(|r| (r.space, r.end()) <= (space, address));
        let last = self.ranges.partition_point(|r| (r.space, r.start) < (space, end));
        if first >= last {
            return Vec::new();
        }
        self.clock.note_mapping(false);
        let (front, back) = (&self.ranges[first], &self.ranges[last - 1]);
        let front = (front.start < address).then(|| front.part(front.start, address));
        let back = (end < back.end()).then(|| back.part(end, back.end()));
        let inside = |r: Range| r.part(r.start.max(address), r.end().min(end));
        self.ranges.splice(first..last, front.into_iter().chain(back)).map(inside).collect()
    }

    /// Removes all that shows the memory of a range that was a mapping.
    fn drop_aliases(&mut self, gone: &Range) {
        let (from, to) = (gone.offset, gone.offset + gone.size as usize);
        let shows = |r: &&Range| {
            r.alias && Arc::ptr_eq(&r.arena, &gone.arena) && r.offset < to && from < r.offset + r.size as usize
        };
        let stale: Vec<(u32, u64, u64)> = self
            .ranges
            .iter()
            .filter(shows)
            .map(|r| {
                let skipped = from.saturating_sub(r.offset) as u64;
                let end = (r.size).min((to - r.offset) as u64);
                (r.space, r.start + skipped, end - skipped)
            })
            .collect();
        for (space, address, size) in stale {
            self.cut(space, address, size);
        }
    }

    /// The space and address of the mapping whose memory stands at an address; `None` where there is no memory.
    pub fn origin(&self, space: u32, address: u64) -> Option<(u32, u64)> {
        let range = self.find(space, address).filter(|range| !range.sparse)?;
        self.mapped_at(&range.arena, range.offset + (address - range.start) as usize)
    }

    /// Where memory is mapped, aliases left out.
    fn mapped_at(&self, arena: &Arc<Arena>, offset: usize) -> Option<(u32, u64)> {
        let holds = |r: &&Range| {
            r.is_mapping() && Arc::ptr_eq(&r.arena, arena) && r.offset <= offset && offset - r.offset < r.size as usize
        };
        let found = self.ranges.iter().find(holds)?;
        Some((found.space, found.start + (offset - found.offset) as u64))
    }

    /// Aliases and sparse ranges, in order.
    pub fn views(&self) -> impl Iterator<Item = View> + '_ {
        let views = self.ranges.iter().filter(|r| !r.is_mapping());
        views.filter_map(|&Range { space, start, size, access, sparse, ref arena, offset, .. }| {
            let from = if sparse { None } else { Some(self.mapped_at(arena, offset)?) };
            Some(View { space, address: start, size, access, from })
        })
    }

    /// Makes an alias or a sparse range that was one before.
    ///
    /// # Errors
    /// As [`Self::alias`] and [`Self::map_sparse`].
    pub fn restore_view(&mut self, view: &View) -> Result<(), Error> {
        match view.from {
            Some(from) => self.alias((view.space, view.address), from, view.size, view.access),
            None => self.map_sparse(view.space, view.address, view.size),
        }
    }

    /// Declares that `size` bytes at `address` have no memory on purpose: the GPU reads zeros, what it writes is
    /// dropped, and neither counts as missing. What was mapped there before is replaced. To the host they are not
    /// mapped, and snapshots do not know of them.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0 or a range that wraps.
    pub fn map_sparse(&mut self, space: u32, address: u64, size: u64) -> Result<(), Error> {
        check_range(address, size)?;
        let access = Access { read: false, write: false };
        let arena = Arc::new(Arena::empty());
        self.insert(Range { space, start: address, size, access, arena, offset: 0, alias: false, sparse: true });
        Ok(())
    }

    /// Whether an address has no memory on purpose.
    pub fn is_sparse(&self, space: u32, address: u64) -> bool {
        self.find(space, address).is_some_and(|range| range.sparse)
    }

    /// The next address where a mapping begins or ends; from one to the next all is the same.
    pub fn border_after(&self, space: u32, address: u64) -> Option<u64> {
        let next = self.ranges.partition_point(|r| (r.space, r.end()) <= (space, address));
        let range = self.ranges.get(next).filter(|range| range.space == space)?;
        Some(if range.start > address { range.start } else { range.end() })
    }

    /// Shows `size` bytes of one place at another as well: both are the same memory then. What was mapped there before
    /// is replaced. Writes are noted where they were made only, and snapshots do not know of it.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the source is not mapped, [`Error::InvalidArgument`] for size 0 and ranges
    /// that wrap; nothing has changed then.
    pub fn alias(&mut self, to: (u32, u64), from: (u32, u64), size: u64, access: Access) -> Result<(), Error> {
        check_range(to.1, size)?;
        check_range(from.1, size)?;
        let mut parts = Vec::new();
        let mut done = 0;
        while done < size {
            let unmapped = || Error::Unmapped { space: from.0, address: from.1, size };
            let range = self.find(from.0, from.1 + done).filter(|range| !range.sparse).ok_or_else(unmapped)?;
            let end = range.end().min(from.1 + size);
            let part = range.part(from.1 + done, end);
            parts.push(Range { space: to.0, start: to.1 + done, access, alias: true, ..part });
            done = end - from.1;
        }
        self.aliased = true;
        parts.into_iter().for_each(|part| self.insert(part));
        Ok(())
    }

    fn insert(&mut self, range: Range) {
        self.unmap(range.space, range.start, range.size);
        self.clock.note_mapping(range.arena.is_host());
        let at = self.ranges.partition_point(|r| (r.space, r.start) < (range.space, range.start));
        // Windows go on where pieces of the same memory follow each other.
        let (mut range, mut replaced) = (range, at..at);
        if let Some(before) = at.checked_sub(1).map(|i| &self.ranges[i]).filter(|before| before.goes_on_in(&range)) {
            range = Range { size: before.size + range.size, ..before.clone() };
            replaced.start = at - 1;
        }
        if let Some(after) = self.ranges.get(at).filter(|after| range.goes_on_in(after)) {
            range.size += after.size;
            replaced.end = at + 1;
        }
        self.ranges.splice(replaced, [range]);
    }

    fn find(&self, space: u32, address: u64) -> Option<&Range> {
        let after = self.ranges.partition_point(|r| (r.space, r.start) <= (space, address));
        let range = &self.ranges[after.checked_sub(1)?];
        (range.space == space && address < range.end()).then_some(range)
    }

    /// Memory the GPU may read from `address` to the end of its mapping; empty when there is none.
    pub fn readable(&self, space: u32, address: u64) -> Window<'_> {
        match self.find(space, address) {
            Some(range) if range.access.read => range.window(address),
            _ => Window::default(),
        }
    }

    /// Memory the GPU may read and write from `address` to the end of its mapping; empty when there is none.
    pub fn writable(&self, space: u32, address: u64) -> Window<'_> {
        match self.find(space, address) {
            Some(range) if range.access.write => range.window(address),
            _ => Window::default(),
        }
    }

    /// The mapping that an address lies in, from its first byte on, if the GPU may read it, and with `stores` write it.
    pub fn mapping_at(&self, space: u32, address: u64, stores: bool) -> Option<(u64, Window<'_>)> {
        let range = self.find(space, address)?;
        let allowed = range.access.read && (range.access.write || !stores) && !range.sparse;
        allowed.then(|| (range.start, range.window(range.start)))
    }

    /// Notes that the GPU has written `size` bytes at `address`.
    pub fn mark_written(&self, space: u32, address: u64, size: u64) {
        if size != 0 {
            self.written.lock().unwrap_or_else(|e| e.into_inner()).insert(GuestRange::new(space, address, size));
            self.mark_changed(space, address, size);
        }
    }

    /// Notes that somebody other than the GPU has written `size` bytes at `address`.
    pub fn mark_changed(&self, space: u32, address: u64, size: u64) {
        let now = self.clock.tick();
        self.walk(space, address, usize::try_from(size).unwrap_or(usize::MAX), |range, piece| {
            if let Some((range, (start, length))) = range.map(|range| (range, range.place(address, &piece))) {
                range.arena.changes().mark(start, length, now);
                if self.host_aliased && range.arena.is_host() {
                    // Other mappings of these bytes have pages of their own.
                    self.clock.note_host();
                }
            }
        });
    }

    /// Notes that the host may have written memory of its own without saying so: what was derived from there has to be
    /// compared. Machines call it when work is submitted, when a scene has been drawn and when they waited for
    /// somebody. Between two such points a guest cannot tell whether the GPU sees what it writes.
    pub fn note_host_writes(&self) {
        self.clock.note_host();
    }

    /// The count of changes so far, for [`Self::changed_since`].
    #[inline]
    pub fn epoch(&self) -> Epoch {
        self.clock.now()
    }

    /// Whether any of `size` bytes at `address` may have changed since. It may say so when they have not: pages are
    /// large, and who maps or unmaps anything changes everything.
    pub fn changed_since(&self, since: Epoch, space: u32, address: u64, size: u64) -> bool {
        if since == self.epoch() {
            return false;
        }
        let mut changed = self.clock.mapped_since(since);
        if !changed {
            let host = self.clock.host_since(since);
            self.walk(space, address, usize::try_from(size).unwrap_or(usize::MAX), |range, piece| {
                let Some(range) = range else { return };
                let (start, length) = range.place(address, &piece);
                changed |= host && range.arena.is_host() || range.arena.changes().changed_since(start, length, since);
            });
        }
        changed
    }

    /// Whether something was mapped or unmapped since.
    pub fn mapped_since(&self, since: Epoch) -> bool {
        self.clock.mapped_since(since)
    }

    /// What the GPU wrote since the last call: sorted, merged.
    pub fn take_written(&mut self) -> Vec<GuestRange> {
        self.written.get_mut().unwrap_or_else(|e| e.into_inner()).take()
    }

    /// Stores `bytes` for the host, whatever the access of the range.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte is not mapped; nothing is stored then.
    pub fn write(&self, space: u32, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.pieces(space, address, bytes.len(), |window, piece| copy_in(&bytes[piece], window))?;
        self.mark_changed(space, address, bytes.len() as u64);
        Ok(())
    }

    /// Reads bytes for the host, whatever the access of the range.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte is not mapped.
    pub fn read(&self, space: u32, address: u64, out: &mut [u8]) -> Result<(), Error> {
        self.pieces(space, address, out.len(), |window, piece| copy_out(window, &mut out[piece]))
    }

    /// Reads what the GPU may read of a range; zeros elsewhere. Returns how many bytes were not there.
    pub fn read_pieces(&self, space: u32, address: u64, out: &mut [u8]) -> usize {
        let mut missing = 0;
        self.walk(space, address, out.len(), |range, piece| match range {
            Some(range) if range.access.read => copy_out(range.window_at(address, &piece), &mut out[piece]),
            other => {
                missing += if other.is_some_and(|range| range.sparse) { 0 } else { piece.len() };
                out[piece].fill(0);
            }
        });
        missing
    }

    /// Stores into what the GPU may write of a range, and notes it. Returns how many bytes had no place.
    pub fn write_pieces(&self, space: u32, address: u64, bytes: &[u8]) -> usize {
        let mut missing = 0;
        self.walk(space, address, bytes.len(), |range, piece| match range {
            Some(range) if range.access.write => {
                copy_in(&bytes[piece.clone()], range.window_at(address, &piece));
                self.mark_written(space, address + piece.start as u64, piece.len() as u64);
            }
            Some(range) if range.sparse => {}
            _ => missing += piece.len(),
        });
        missing
    }

    /// Calls `f` with each piece of a range that lies in one mapping, or in none.
    fn walk(&self, space: u32, address: u64, size: usize, mut f: impl FnMut(Option<&Range>, std::ops::Range<usize>)) {
        let mut done = 0;
        while done < size {
            let at = address.saturating_add(done as u64);
            // The first range that ends behind this byte: the byte lies in it or before it.
            let next = self.ranges.partition_point(|r| (r.space, r.end()) <= (space, at));
            let (range, end) = match self.ranges.get(next).filter(|range| range.space == space) {
                Some(range) if range.start <= at => (Some(range), range.end()),
                Some(range) => (None, range.start),
                None => (None, u64::MAX),
            };
            let length = usize::try_from(end - at).unwrap_or(usize::MAX).clamp(1, size - done);
            f(range, done..done + length);
            done += length;
        }
    }

    /// Calls `f` with each mapped piece of a range, after making sure that there is no hole.
    fn pieces(
        &self,
        space: u32,
        address: u64,
        size: usize,
        mut f: impl FnMut(Window<'_>, std::ops::Range<usize>),
    ) -> Result<(), Error> {
        let unmapped = || Error::Unmapped { space, address, size: size as u64 };
        let mut found = Vec::new();
        let mut done = 0;
        while done < size {
            let at = address.checked_add(done as u64).ok_or_else(unmapped)?;
            let range = self.find(space, at).filter(|range| !range.sparse).ok_or_else(unmapped)?;
            let window = range.window(at).first(size - done);
            found.push((window, done..done + window.len()));
            done += window.len();
        }
        found.into_iter().for_each(|(window, piece)| f(window, piece));
        Ok(())
    }

    /// Every mapped range as (space, address, size), in order.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        self.ranges.iter().map(|r| (r.space, r.start, r.size))
    }
}

/// Whether memory of these sizes may be mapped together.
fn check_total(sizes: impl Iterator<Item = u64>) -> Result<(), Error> {
    let total = sizes.fold(0, u64::saturating_add);
    if total > Memory::MAX_MAPPED {
        let most = Memory::MAX_MAPPED;
        return Err(Error::Unsupported(format!("{total:#x} bytes of guest memory, of which there may be {most:#x}")));
    }
    Ok(())
}

fn check_range(address: u64, size: u64) -> Result<(), Error> {
    if size == 0 || address.checked_add(size).is_none() || usize::try_from(size).is_err() {
        return Err(Error::InvalidArgument(format!("{size:#x} bytes of guest memory at {address:#x}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.map(0, 0x1000, 0x1000, Access::READ_WRITE).unwrap();
        memory.map(0, 0x2000, 0x1000, Access::READ).unwrap();
        memory
    }

    #[test]
    fn reads_what_was_written_across_ranges() {
        let memory = memory();
        let bytes: Vec<u8> = (0..=255).collect();
        memory.write(0, 0x1F80, &bytes).unwrap();
        let mut back = vec![0; 256];
        memory.read(0, 0x1F80, &mut back).unwrap();
        assert_eq!(back, bytes);
    }

    #[test]
    fn holes_are_errors_and_nothing_is_stored() {
        let memory = memory();
        assert!(matches!(memory.write(0, 0x2FFF, &[1, 2]), Err(Error::Unmapped { .. })));
        let mut byte = [9];
        memory.read(0, 0x2FFF, &mut byte).unwrap();
        assert_eq!(byte, [0]);
        assert!(memory.read(1, 0x1000, &mut byte).is_err());
    }

    #[test]
    fn windows_respect_access() {
        let memory = memory();
        assert_eq!(memory.writable(0, 0x1800).len(), 0x800);
        assert!(memory.writable(0, 0x2000).is_empty());
        assert_eq!(memory.readable(0, 0x2000).len(), 0x1000);
        assert!(memory.readable(0, 0x3000).is_empty());
        assert!(memory.readable(0, 0xFFF).is_empty());
    }

    #[test]
    fn aliases_are_the_same_memory() {
        let mut memory = memory();
        memory.alias((1, 0x8000), (0, 0x1800), 0x1000, Access::READ_WRITE).unwrap();
        memory.write(1, 0x8000, &[1, 2, 3]).unwrap();
        let mut bytes = [0; 3];
        memory.read(0, 0x1800, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3]);
        assert_eq!(memory.writable(1, 0x8800).len(), 0x800);
        assert!(memory.alias((1, 0), (0, 0x2800), 0x1000, Access::READ).is_err());
        assert_eq!(memory.mappings().filter(|mapping| mapping.space == 1).count(), 0);
        assert_eq!(memory.ranges().filter(|range| range.0 == 1).count(), 2);
    }

    #[test]
    fn mapping_over_a_range_replaces_that_part_only() {
        let mut memory = memory();
        memory.write(0, 0x1000, &[7; 0x1000]).unwrap();
        memory.map(0, 0x1400, 0x400, Access::READ_WRITE).unwrap();
        let mut all = vec![1; 0x1000];
        memory.read(0, 0x1000, &mut all).unwrap();
        assert!(all[..0x400].iter().all(|&b| b == 7));
        assert!(all[0x400..0x800].iter().all(|&b| b == 0));
        assert!(all[0x800..].iter().all(|&b| b == 7));
    }

    #[test]
    fn pieces_leave_holes_out() {
        let mut memory = memory();
        memory.map(0, 0x4000, 0x10, Access::READ_WRITE).unwrap();
        memory.write(0, 0x2FFE, &[5, 6]).unwrap();
        memory.write(0, 0x4000, &[7]).unwrap();
        let mut out = vec![9; 0x1010];
        assert_eq!(memory.read_pieces(0, 0x2FFE, &mut out), 0x1000);
        assert_eq!((&out[..4], &out[0x1000..0x1004]), (&[5, 6, 0, 0][..], &[0, 0, 7, 0][..]));
        // The second range may not be written.
        assert_eq!(memory.write_pieces(0, 0x1FF0, &[1; 0x2030]), 0x2010);
        assert_eq!(memory.take_written().iter().map(|range| range.size).sum::<u64>(), 0x20);
        assert_eq!(memory.read_pieces(1, 0, &mut out[..8]), 8);
        assert_eq!(memory.read_pieces(0, u64::MAX, &mut out[..8]), 8);
    }

    #[test]
    fn sparse_ranges_read_zeros_and_swallow_writes() {
        let mut memory = memory();
        memory.write(0, 0x1FF0, &[9; 0x20]).unwrap();
        memory.map_sparse(0, 0x1800, 0x400).unwrap();
        memory.map_sparse(0, 0x1C00, 0x400).unwrap();
        assert_eq!(memory.ranges().collect::<Vec<_>>(), [(0, 0x1000, 0x800), (0, 0x1800, 0x800), (0, 0x2000, 0x1000)]);
        let mut out = [1; 0x20];
        assert_eq!(memory.read_pieces(0, 0x1FF0, &mut out), 0);
        assert_eq!((out[0xF], out[0x10]), (0, 9));
        assert_eq!(memory.write_pieces(0, 0x17FF, &[5; 2]), 0);
        assert_eq!(memory.take_written(), [GuestRange::new(0, 0x17FF, 1)]);
        assert!(memory.write(0, 0x17FF, &[5; 2]).is_err() && memory.read(0, 0x1800, &mut out).is_err());
        assert!(memory.readable(0, 0x1800).is_empty() && memory.writable(0, 0x1800).is_empty());
        assert!(memory.is_sparse(0, 0x1FFF) && !memory.is_sparse(0, 0x2000) && !memory.is_sparse(0, 0x4000));
        assert!(memory.alias((1, 0), (0, 0x1700), 0x200, Access::READ).is_err());
        assert_eq!(memory.mappings().count(), 2);
        let borders = [0, 0x1000, 0x17FF, 0x1800, 0x2FFF, 0x3000].map(|at| memory.border_after(0, at));
        assert_eq!(borders, [Some(0x1000), Some(0x1800), Some(0x1800), Some(0x2000), Some(0x3000), None]);
    }

    #[test]
    fn aliases_of_the_same_memory_join() {
        let mut memory = memory();
        for part in [0, 2, 1] {
            memory.alias((1, 0x100 * part), (0, 0x1000 + 0x100 * part), 0x100, Access::READ_WRITE).unwrap();
        }
        assert_eq!(memory.writable(1, 0).len(), 0x300);
        memory.alias((1, 0x300), (0, 0x1000), 0x100, Access::READ_WRITE).unwrap();
        assert_eq!((memory.writable(1, 0).len(), memory.writable(1, 0x300).len()), (0x300, 0x100));
        memory.unmap(1, 0x180, 0x10);
        assert_eq!((memory.writable(1, 0).len(), memory.writable(1, 0x190).len()), (0x180, 0x170));
    }

    #[test]
    fn aliases_go_with_their_memory() {
        let mut memory = memory();
        memory.alias((1, 0), (0, 0x1000), 0x2000, Access::READ_WRITE).unwrap();
        memory.alias((2, 0x800), (1, 0x800), 0x400, Access::READ_WRITE).unwrap();
        assert!(memory.share((1, 0x900, 1), (2, 0x900, 1)) && memory.share((0, 0x1000, 0x900), (2, 0, 0x801)));
        assert!(!memory.share((0, 0x1000, 0x100), (2, 0x800, 0x400)) && !memory.share((0, 0, 1), (1, 0, 1)));
        assert_eq!([memory.origin(2, 0x801), memory.origin(2, 0)], [Some((0, 0x1801)), None]);
        memory.map_sparse(2, 0x4000, 0x1000).unwrap();
        let views: Vec<View> = memory.views().collect();
        memory.unmap(1, 0, u64::MAX);
        memory.unmap(2, 0, u64::MAX);
        views.iter().for_each(|view| memory.restore_view(view).unwrap());
        assert_eq!(memory.views().collect::<Vec<_>>(), views);
        memory.unmap(2, 0x4000, 0x1000);
        memory.map(0, 0x1900, 0x100, Access::READ_WRITE).unwrap();
        let left = |space| memory.ranges().filter(|range| range.0 == space).map(|r| (r.1, r.2)).collect::<Vec<_>>();
        assert_eq!(left(1), [(0, 0x900), (0xA00, 0x600), (0x1000, 0x1000)]);
        assert_eq!(left(2), [(0x800, 0x100), (0xA00, 0x200)]);
        memory.unmap(0, 0, u64::MAX);
        assert_eq!(memory.ranges().count(), 0);
    }

    #[test]
    fn written_ranges_are_merged() {
        let mut memory = memory();
        memory.mark_written(0, 0x1100, 0x10);
        memory.mark_written(0, 0x1000, 0x100);
        memory.mark_written(0, 0x1800, 4);
        memory.mark_written(0, 0x1108, 0x20);
        let range = |address, size| GuestRange::new(0, address, size);
        assert_eq!(memory.take_written(), [range(0x1000, 0x128), range(0x1800, 4)]);
        assert!(memory.take_written().is_empty());
    }

    #[test]
    fn prefaulted_mappings_are_like_others() {
        let (mut memory, work) = Memory::with_prefault_pool();
        let work = work.unwrap();
        // More than the pool has, sizes that are not whole pages, and one that is too large for it.
        let sizes = [0x1000, 0x801, 0x20_0000, 0x20_0000, 0x20_0000, 0x1F_0000, 0x20_0000, 0x1, 0x40_0000];
        let all = |memory: &Memory, space, size| {
            let mut bytes = vec![9; size as usize];
            memory.read(space, 0x1000, &mut bytes).unwrap();
            bytes
        };
        for (space, size) in sizes.into_iter().enumerate() {
            let space = space as u32;
            memory.map(space, 0x1000, size, Access::READ_WRITE).unwrap();
            assert!(all(&memory, space, size).iter().all(|&byte| byte == 0), "{space}");
            memory.write(space, 0x1000, &vec![space as u8 + 1; size as usize]).unwrap();
            assert_eq!(memory.populating(space, 0x1000).is_none(), size <= 0x20_0000 && space != 6, "{space}");
        }
        work();
        memory.populating(6, 0x1000).unwrap()();
        for (space, size) in sizes.into_iter().enumerate() {
            assert!(all(&memory, space as u32, size).iter().all(|&byte| usize::from(byte) == space + 1), "{space}");
        }
        memory.map(0, 0x1000, 0x1000, Access::READ_WRITE).unwrap();
        assert!(all(&memory, 0, 0x1000).iter().all(|&byte| byte == 0));
    }

    #[test]
    #[allow(unsafe_code)]
    fn more_memory_than_may_be_mapped_is_refused() {
        let most = Memory::MAX_MAPPED;
        let unsupported = |result| matches!(result, Err(Error::Unsupported(_)));
        let mut memory = Memory::default();
        memory.map(0, 0, 0x1000, Access::READ_WRITE).unwrap();
        assert!(unsupported(memory.map(0, 0x10_0000, 1 << 44, Access::READ)));
        assert!(unsupported(memory.map(0, 0x10_0000, most - 0xFFF, Access::READ)));
        let pointer = std::ptr::NonNull::<u8>::dangling().as_ptr();
        // SAFETY: this is refused before anything is read.
        assert!(unsupported(unsafe { memory.map_host(0, 0x10_0000, pointer, 1 << 44, Access::READ) }));
        let wanted = [0, 1].map(|space| Mapping { space, address: 0, size: most - 0x1000, access: Access::READ });
        assert!(unsupported(memory.remap(&wanted).map(|_| ())));
        assert_eq!(memory.ranges().collect::<Vec<_>>(), [(0, 0, 0x1000)], "nothing has changed");
        // What is replaced makes room; what is still mapped in part does not.
        memory.map(0, 0, 1 << 30, Access::READ).unwrap();
        memory.unmap(0, 0x1000, 1 << 30);
        assert!(unsupported(memory.map(1, 0, most - 0x1000, Access::READ)));
        memory.unmap(0, 0, 0x1000);
        assert!(!unsupported(memory.check_room((1, 0), most)));
    }

    #[test]
    fn sizes_that_wrap_are_refused() {
        let mut memory = Memory::default();
        assert!(memory.map(0, u64::MAX, 2, Access::READ).is_err());
        assert!(memory.map(0, 0, 0, Access::READ).is_err());
    }
}
