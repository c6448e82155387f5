//! Mapped memory: the library's own and the host's.

use std::collections::HashMap;
use std::sync::Arc;

use super::anonymous::MAX_IN_USE;
use super::raw::{Arena, PrefaultPool};
use super::region::{Region, RegionKind};
use super::{GuestAddr, GuestRange, Memory};
use crate::error::Error;
use crate::mem::rights::Access;

impl Memory {
    /// Bytes that may be mapped, those of the host's own included, aliases not: 16 GiB, four times what the largest of
    /// the consoles has.
    pub const MAX_MAPPED: u64 = 16 << 30;

    /// Maps zero-filled bytes of the library's own; what was mapped there before is replaced.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0 or a range that wraps, [`Error::Unsupported`] when more than
    /// [`Self::MAX_MAPPED`] bytes would be mapped, or more memory than the host has.
    pub fn map(&mut self, range: GuestRange, access: Access) -> Result<(), Error> {
        check_range(range)?;
        self.check_room(range)?;
        let arena = match self.prefault_pool.as_mut().and_then(|pool| pool.take(range.size)) {
            Some(arena) => arena,
            None => Arena::anonymous(range.size)?,
        };
        self.insert(Region::mapping(range, access, arena));
        Ok(())
    }

    /// Maps memory of the host's: as many bytes from `pointer` on as the range has. What was mapped there before is
    /// replaced.
    ///
    /// # Errors
    /// As [`Self::map`].
    ///
    /// # Safety
    /// `pointer` must be valid for reads and writes of that many bytes until the range is unmapped (aliases of it go
    /// with it) or the memory dropped. Others may write these bytes at the same time only in ways that do not race in
    /// the sense of the host's memory model with relaxed atomic byte accesses (guest CPUs writing plain bytes are fine
    /// in practice). No reference to them, `&[u8]` or `&mut [u8]`, may be used meanwhile, nor be handed to this
    /// library.
    ///
    /// The same bytes may be mapped several times: they are recognised by their address on the host. Memory that has
    /// two addresses on the host as well must be mapped by one of them, else the results of drawing to it depend on
    /// threads.
    #[allow(unsafe_code)]
    pub unsafe fn map_host(&mut self, range: GuestRange, pointer: *mut u8, access: Access) -> Result<(), Error> {
        check_range(range)?;
        if pointer.is_null() {
            return Err(Error::InvalidArgument("a null pointer for guest memory".into()));
        }
        self.check_room(range)?;
        // SAFETY: the caller promises that the bytes are valid until they are unmapped; the arena lives no longer.
        let arena = unsafe { Arena::host(pointer, range.size)? };
        if self.regions.iter().any(|region| region.arena.overlaps(&arena)) {
            (self.aliased, self.host_aliased) = (true, true);
        }
        self.insert(Region::mapping(range, access, arena));
        Ok(())
    }

    /// Removes whatever is mapped in a range, and the aliases of memory that is gone then.
    pub fn unmap(&mut self, range: GuestRange) {
        let removed = self.cut(range);
        for gone in removed.iter().filter(|region| region.is_mapping()) {
            self.drop_aliases(gone);
        }
    }

    /// As [`Self::unmap`], but memory of the host's stays mapped.
    #[doc(hidden)]
    pub fn unmap_own(&mut self, range: GuestRange) {
        let (start, end) = (range.start, range.start.after(range.size));
        let own = |region: &Region| {
            let (start, end) = (region.range.start.max(start), region.end().min(end));
            let size = end.address.saturating_sub(start.address);
            let ours = start.space == end.space && size != 0 && region.is_mapping() && !region.arena.is_host();
            ours.then(|| start.range(size))
        };
        let own: Vec<GuestRange> = self.regions.iter().filter_map(own).collect();
        own.into_iter().for_each(|range| self.unmap(range));
    }

    /// Memory without mappings, of which the first ones, 8 MiB in all, are taken from prefaulted pages; and the work
    /// that prefaults them, to be done on any thread at any time.
    pub(crate) fn with_prefault_pool() -> (Self, Option<impl FnOnce() + Send + 'static>) {
        // On a host without memory mapping reports the error.
        let prefault_pool = PrefaultPool::new().ok();
        let work = prefault_pool.as_ref().map(PrefaultPool::populating);
        (Memory { prefault_pool, ..Memory::default() }, work)
    }

    /// Work that prefaults the mapping that begins at an address, to be done on any thread at any time; it ends early
    /// when the mapping is removed. The first access to a page costs about a microsecond, and a first frame touches all
    /// of its surfaces. `None` for the host's own memory, for memory of the prefault pool, and for mappings too large
    /// to be in use as a whole.
    pub(crate) fn populating(&self, start: GuestAddr) -> Option<impl FnOnce() + Send + 'static> {
        const STEP: usize = 2 << 20;
        let region = self.find(start).filter(|region| region.range.start == start && region.is_mapping())?;
        let pooled = self.prefault_pool.as_ref().is_some_and(|pool| region.arena.is_from(pool));
        let fit = region.range.size <= MAX_IN_USE as u64 && !region.arena.is_host() && !pooled;
        let (arena, size) = (Arc::downgrade(&region.arena), region.range.size as usize);
        fit.then_some(move || {
            for offset in (0..size).step_by(STEP) {
                let Some(arena) = arena.upgrade() else { return };
                arena.populate(offset, STEP);
            }
        })
    }

    /// Whether a range may be mapped as well: [`Self::MAX_MAPPED`]. Memory of which only a part is still mapped counts
    /// as a whole.
    pub(super) fn check_room(&self, range: GuestRange) -> Result<(), Error> {
        let end = range.start.after(range.size);
        let stays = |r: &&Region| r.is_mapping() && !(range.start <= r.range.start && r.end() <= end);
        let regions = || self.regions.iter().filter(stays);
        // Each region counted with its whole arena is at least as much as each arena once, and is nearly always enough.
        if check_total(regions().map(|r| r.arena.size()).chain([range.size])).is_ok() {
            return Ok(());
        }
        let arenas: HashMap<usize, u64> = regions().map(|r| (r.arena.address(), r.arena.size())).collect();
        check_total(arenas.into_values().chain([range.size]))
    }

    /// Replaces the mappings of a region's range by the region.
    pub(super) fn insert(&mut self, mut region: Region) {
        self.unmap(region.range);
        region.mapped = self.clock.note_mapping(region.arena.is_host());
        region.listener.clone_from(&self.access_listener);
        let at = self.regions.partition_point(|r| r.range.start < region.range.start);
        // Windows go on where pieces of the same memory follow each other.
        let mut replaced = at..at;
        if let Some(before) = at.checked_sub(1).map(|i| &self.regions[i]).filter(|before| before.goes_on_in(&region)) {
            let range = before.range.start.range(before.range.size + region.range.size);
            region = Region { range, mapped: region.mapped, ..before.clone() };
            replaced.start = at - 1;
        }
        if let Some(after) = self.regions.get(at).filter(|after| region.goes_on_in(after)) {
            region.range.size += after.range.size;
            replaced.end = at + 1;
        }
        self.regions.splice(replaced, [region]);
    }

    /// Removes the mappings of a range from the regions.
    fn cut(&mut self, range: GuestRange) -> Vec<Region> {
        let (start, end) = (range.start, range.start.after(range.size));
        let first = self.regions.partition_point(|r| r.end() <= start);
        let last = self.regions.partition_point(|r| r.range.start < end);
        if first >= last || range.size == 0 {
            return Vec::new();
        }
        self.clock.note_mapping(false);
        let (front, back) = (&self.regions[first], &self.regions[last - 1]);
        let front = (front.range.start < start).then(|| front.part(front.range.start, start));
        let back = (end < back.end()).then(|| back.part(end, back.end()));
        let inside = |r: Region| r.part(r.range.start.max(start), r.end().min(end));
        self.regions.splice(first..last, front.into_iter().chain(back)).map(inside).collect()
    }

    /// Removes all that shows the memory of a region that was a mapping.
    fn drop_aliases(&mut self, gone: &Region) {
        let gone_bytes = gone.bytes();
        let shown = |r: &Region| {
            let bytes = r.bytes();
            let (start, end) = (bytes.start.max(gone_bytes.start), bytes.end.min(gone_bytes.end));
            let shows = r.kind == RegionKind::Alias && Arc::ptr_eq(&r.arena, &gone.arena) && start < end;
            shows.then(|| r.range.start.after((start - bytes.start) as u64).range((end - start) as u64))
        };
        let dangling: Vec<GuestRange> = self.regions.iter().filter_map(shown).collect();
        for range in dangling {
            self.cut(range);
        }
    }
}

/// Whether memory of these sizes may be mapped together.
pub(super) fn check_total(sizes: impl Iterator<Item = u64>) -> Result<(), Error> {
    let total = sizes.fold(0, u64::saturating_add);
    if total > Memory::MAX_MAPPED {
        let most = Memory::MAX_MAPPED;
        return Err(Error::Unsupported(format!("{total:#x} bytes of guest memory, of which there may be {most:#x}")));
    }
    Ok(())
}

/// Whether a range can be mapped at all.
pub(super) fn check_range(range: GuestRange) -> Result<(), Error> {
    let GuestRange { start: GuestAddr { address, .. }, size } = range;
    if size == 0 || address.checked_add(size).is_none() || usize::try_from(size).is_err() {
        return Err(Error::InvalidArgument(format!("{size:#x} bytes of guest memory at {address:#x}")));
    }
    Ok(())
}
