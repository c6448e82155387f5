//! Epochs of memory changes, by which values derived from memory are validated.
//!
//! A counter of changes gives epochs, and each page of an arena knows the epoch of its last change. Code that derives
//! something from memory takes the epoch first; the result is valid as long as none of the pages has changed since.
//! Memory of the host's changes without a call: there, everything derived before the host could write counts as
//! changed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use bytemuck::allocation::try_zeroed_slice_box;

use super::{GuestRange, Memory};
use crate::error::Error;

/// A count of changes of a [`Memory`](super::Memory).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(u64);

/// Bytes whose changes are noted together.
const PAGE: usize = 4096;

/// The epoch of the last change of each page of an arena.
#[derive(Debug, Default)]
pub(super) struct Pages(Box<[AtomicU64]>);

impl Pages {
    /// Those of an arena; the table costs no memory where it is never written.
    pub(super) fn new(bytes: usize) -> Result<Self, Error> {
        let full = |()| Error::Unsupported(format!("{bytes:#x} bytes of guest memory: no memory for its pages"));
        try_zeroed_slice_box(bytes.div_ceil(PAGE)).map(Pages).map_err(full)
    }

    /// The pages that `size` bytes from `start` on lie in.
    fn of(&self, start: usize, size: usize) -> &[AtomicU64] {
        &self.0[self.numbers(start, size)]
    }

    fn numbers(&self, start: usize, size: usize) -> Range<usize> {
        let end = (start + size).div_ceil(PAGE).min(self.0.len());
        (start / PAGE).min(end)..end
    }

    pub(super) fn mark(&self, start: usize, size: usize, now: Epoch) {
        self.of(start, size).iter().for_each(|page| page.store(now.0, Relaxed));
    }

    pub(super) fn changed_since(&self, start: usize, size: usize, since: Epoch) -> bool {
        self.of(start, size).iter().any(|page| page.load(Relaxed) > since.0)
    }
}

/// The pages of some stretches of address spaces, found once: whether one of them has changed is a few comparisons
/// then.
#[derive(Debug, Default)]
pub struct FoundPages(Vec<PageRun>);

/// Pages one after another.
#[derive(Debug)]
struct PageRun {
    pages: Arc<Pages>,
    numbers: Range<usize>,
    /// Whether they are the host's own.
    host: bool,
}

impl FoundPages {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the pages of a range as it is mapped now.
    pub fn add(&mut self, memory: &Memory, range: GuestRange) {
        memory.walk(range, |region, at, piece| {
            let Some(region) = region else { return };
            let pages = region.arena.changes();
            let numbers = pages.numbers(region.offset_of(at), piece.len());
            let joins = |run: &&mut PageRun| {
                let near = run.numbers.start <= numbers.end && numbers.start <= run.numbers.end;
                near && Arc::ptr_eq(&run.pages, pages)
            };
            match self.0.iter_mut().find(joins) {
                Some(PageRun { numbers: known, .. }) => {
                    *known = known.start.min(numbers.start)..known.end.max(numbers.end);
                }
                None => self.0.push(PageRun { pages: pages.clone(), numbers, host: region.arena.is_host() }),
            }
        });
    }

    /// As [`Memory::changed_since`] for all of the stretches, found at or after `since`.
    pub fn changed_since(&self, memory: &Memory, since: Epoch) -> bool {
        let clock = &memory.clock;
        if since == clock.now() {
            return false;
        }
        let host = clock.host_since(since);
        let changed = |PageRun { pages, numbers, host: own }: &PageRun| {
            host && *own || pages.0[numbers.clone()].iter().any(|page| page.load(Relaxed) > since.0)
        };
        clock.mapped_since(since) || self.0.iter().any(changed)
    }
}

impl Memory {
    /// Notes that the host or the guest's processor has written a range.
    pub fn mark_changed(&self, range: GuestRange) {
        self.on_demand.note_change(range);
        let now = self.clock.tick();
        self.walk(range, |region, at, piece| {
            let Some(region) = region else { return };
            region.arena.changes().mark(region.offset_of(at), piece.len(), now);
            if self.host_aliased && region.arena.is_host() {
                // Other mappings of these bytes have pages of their own.
                self.clock.note_host();
            }
        });
    }
}

impl Memory {
    /// Says whether the host announces what it writes in memory of its own, by [`Self::mark_changed`], before the work
    /// that is to see it. Otherwise, as at first, such memory counts as changed whenever work is submitted.
    pub fn set_host_writes_announced(&self, announced: bool) {
        self.clock.announced.store(announced, Relaxed);
        // Earlier writes were not announced.
        self.clock.note_host();
    }
}

/// Functions for machines.
#[doc(hidden)]
impl Memory {
    /// Notes that the host may have written memory of its own without an announcement: values derived from there have
    /// to be compared. Machines call it when work is submitted, when a scene has been drawn and after they waited for
    /// the processor. Between two such points a guest cannot tell whether the GPU sees what it writes.
    pub fn note_host_writes(&self) {
        if !self.clock.announced.load(Relaxed) {
            self.clock.note_host();
        }
    }

    /// The count of changes so far, for [`Self::changed_since`].
    #[inline]
    pub fn epoch(&self) -> Epoch {
        self.clock.now()
    }

    /// Whether any byte of a range may have changed since, or is other memory than then. May be true although none has:
    /// pages are large.
    pub fn changed_since(&self, since: Epoch, range: GuestRange) -> bool {
        if since == self.epoch() {
            return false;
        }
        let (mut changed, remapped) = (false, self.clock.mapped_since(since));
        let host = self.clock.host_since(since);
        self.walk(range, |region, at, piece| {
            changed |= match region {
                // The range may have been mapped then.
                None => remapped,
                Some(region) => {
                    let host = host && region.arena.is_host();
                    let marked = || region.arena.changes().changed_since(region.offset_of(at), piece.len(), since);
                    host || remapped && region.mapped > since || marked()
                }
            };
        });
        changed
    }

    /// Whether any byte of a range is other memory than then, or none. May be true for a range that was not mapped then
    /// either.
    pub fn remapped_since(&self, since: Epoch, range: GuestRange) -> bool {
        let mut remapped = false;
        if self.clock.mapped_since(since) {
            self.walk(range, |region, _, _| remapped |= region.is_none_or(|region| region.mapped > since));
        }
        remapped
    }

    /// Calls `found` with each page of a range, whole or in part, that was marked as changed since then, and perhaps
    /// with others. Unannounced writes of the host to memory of its own are left out.
    pub fn for_each_marked(&self, since: Epoch, range: GuestRange, mut found: impl FnMut(GuestRange)) {
        let all = self.clock.mapped_since(since);
        self.walk(range, |region, at, piece| {
            let Some(region) = region else { return };
            // Marks of other mappings of the same bytes are elsewhere.
            let all = all || self.host_aliased && region.arena.is_host();
            let mut done = 0;
            while done < piece.len() {
                let at = at.after(done as u64);
                let length = (PAGE - at.address as usize % PAGE).min(piece.len() - done);
                if all || region.arena.changes().changed_since(region.offset_of(at), length, since) {
                    found(at.range(length as u64));
                }
                done += length;
            }
        });
    }

    /// Whether the host announces what it writes in memory of its own.
    pub fn are_host_writes_announced(&self) -> bool {
        self.clock.announced.load(Relaxed)
    }

    /// Whether something was mapped or unmapped since.
    pub fn mapped_since(&self, since: Epoch) -> bool {
        self.clock.mapped_since(since)
    }
}

/// The clock, and the epochs of changes that pages do not have.
#[derive(Debug, Default)]
pub(super) struct Clock {
    now: AtomicU64,
    /// When the host may have written memory of its own last.
    host: AtomicU64,
    /// Whether any memory is the host's own.
    has_host: AtomicBool,
    /// Whether the host announces its writes.
    announced: AtomicBool,
    /// The epoch of the last change of mappings.
    mapped: AtomicU64,
}

impl Clock {
    /// A clock that goes on from here.
    pub(super) fn go_on(&self) -> Clock {
        let copy = |value: &AtomicU64| AtomicU64::new(value.load(Relaxed));
        let copy_flag = |value: &AtomicBool| AtomicBool::new(value.load(Relaxed));
        Clock {
            now: copy(&self.now),
            host: copy(&self.host),
            has_host: copy_flag(&self.has_host),
            announced: copy_flag(&self.announced),
            mapped: copy(&self.mapped),
        }
    }

    /// The time.
    pub(super) fn now(&self) -> Epoch {
        Epoch(self.now.load(Relaxed))
    }

    /// Lets a change happen and returns its time.
    pub(super) fn tick(&self) -> Epoch {
        Epoch(self.now.fetch_add(1, Relaxed) + 1)
    }

    /// Notes that other memory is mapped than before, and returns the time.
    pub(super) fn note_mapping(&self, is_host: bool) -> Epoch {
        self.has_host.fetch_or(is_host, Relaxed);
        let now = self.tick();
        self.mapped.store(now.0, Relaxed);
        now
    }

    /// Notes that the host may have written memory of its own.
    pub(super) fn note_host(&self) {
        if self.has_host.load(Relaxed) {
            self.host.store(self.tick().0, Relaxed);
        }
    }

    /// Whether the host may have written memory of its own since.
    pub(super) fn host_since(&self, since: Epoch) -> bool {
        self.host.load(Relaxed) > since.0
    }

    /// Whether something was mapped or unmapped since.
    pub(super) fn mapped_since(&self, since: Epoch) -> bool {
        self.mapped.load(Relaxed) > since.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::rights::Access;
    use crate::mem::tests::{at, range};

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.map(range(0, 0x1000, 0x4000), Access::READ_WRITE).unwrap();
        memory.map(range(0, 0x5000, 0x1000), Access::READ).unwrap();
        memory.map(range(1, 0, 0x800), Access::READ_WRITE).unwrap();
        memory
    }

    #[test]
    fn pages_know_who_wrote_them() {
        let memory = memory();
        let before = memory.epoch();
        assert!(!memory.changed_since(before, range(0, 0x1000, 0x5000)));
        memory.write(at(0, 0x2FFF), &[1, 2]).unwrap();
        memory.mark_written(range(0, 0x4000, 1));
        assert!(memory.changed_since(before, range(0, 0x2000, 1)) && memory.changed_since(before, range(0, 0x3FFF, 1)));
        assert!(
            memory.changed_since(before, range(0, 0x1FFF, 2)) && memory.changed_since(before, range(0, 0x4FFF, 0x1000))
        );
        assert!(
            !memory.changed_since(before, range(0, 0x1000, 0x1000))
                && !memory.changed_since(before, range(1, 0, 0x800))
        );
        assert!(!memory.changed_since(before, range(0, 0x5000, 0x1000)));
        assert!(!memory.changed_since(memory.epoch(), range(0, 0x1000, 0x5000)));
        let later = memory.epoch();
        assert_eq!(memory.write_pieces(at(1, 0x7FF), &[1, 2]), 1);
        assert!(memory.changed_since(later, range(1, 0, 1)) && !memory.changed_since(later, range(0, 0x1000, 0x5000)));
    }

    #[test]
    fn marked_pages_are_found() {
        let memory = memory();
        let found = |since, stretch| {
            let mut pages = Vec::new();
            memory.for_each_marked(since, stretch, |page| pages.push((page.start.address, page.size)));
            pages
        };
        let before = memory.epoch();
        assert_eq!(found(before, range(0, 0x1000, 0x5000)), []);
        memory.mark_changed(range(0, 0x1FFF, 2));
        memory.mark_written(range(0, 0x5800, 1));
        assert_eq!(found(before, range(0, 0, 0x9000)), [(0x1000, 0x1000), (0x2000, 0x1000), (0x5000, 0x1000)]);
        assert_eq!(found(before, range(0, 0x1FF0, 0x20)), [(0x1FF0, 0x10), (0x2000, 0x10)]);
        assert_eq!(found(memory.epoch(), range(0, 0, 0x9000)), []);
    }

    #[test]
    fn pages_that_were_found_once_say_the_same() {
        let mut memory = memory();
        memory.alias(at(2, 0x10_0000), range(0, 0x2000, 0x2000), Access::READ_WRITE).unwrap();
        let mut found = FoundPages::default();
        let stretches =
            [range(0, 0x1FF0, 0x20), range(0, 0x4FFF, 2), range(2, 0x10_1000, 4), range(1, 0, 4), range(0, 0x9000, 4)];
        stretches.iter().for_each(|&stretch| found.add(&memory, stretch));
        // The first two pages and the third one by its alias are one run.
        assert_eq!(found.0.len(), 4);
        let writes =
            [(0, 0x1000), (0, 0x2FFF), (0, 0x3000), (2, 0x10_1000), (0, 0x4000), (0, 0x5000), (1, 8), (0, 0x0)];
        for (space, address) in writes {
            let before = memory.epoch();
            assert!(!found.changed_since(&memory, before));
            memory.mark_changed(range(space, address, 1));
            let any = stretches.iter().any(|&stretch| memory.changed_since(before, stretch));
            assert_eq!(found.changed_since(&memory, before), any, "{space} {address:#x}");
        }
        let before = memory.epoch();
        memory.map(range(3, 0, 1), Access::READ).unwrap();
        assert!(found.changed_since(&memory, before));
        found.clear();
        assert!(!found.changed_since(&memory, memory.epoch()));
    }

    #[test]
    fn aliases_change_together() {
        let mut memory = memory();
        memory.alias(at(2, 0x10_0000), range(0, 0x2000, 0x2000), Access::READ_WRITE).unwrap();
        let before = memory.epoch();
        memory.mark_written(range(2, 0x10_1000, 8));
        assert!(
            memory.changed_since(before, range(0, 0x3000, 1)) && memory.changed_since(before, range(2, 0x10_1FFF, 1))
        );
        assert!(!memory.changed_since(before, range(0, 0x2000, 0x1000)));
    }

    #[test]
    fn other_mappings_change_what_they_map() {
        let mut memory = memory();
        memory.alias(at(2, 0x10_0000), range(0, 0x2000, 0x2000), Access::READ_WRITE).unwrap();
        let before = memory.epoch();
        memory.unmap(range(0, 0x8000, 0x1000));
        assert!(!memory.changed_since(before, range(0, 0x8000, 1)), "nothing was there");
        memory.unmap(range(0, 0x1000, 0x1000));
        assert!(memory.changed_since(before, range(0, 0x1FFF, 2)) && memory.changed_since(before, range(0, 0x1000, 1)));
        assert!(!memory.changed_since(before, range(0, 0x2000, 1)) && !memory.changed_since(before, range(1, 0, 1)));
        let before = memory.epoch();
        memory.map(range(3, 0, 0x1000), Access::READ).unwrap();
        assert!(memory.changed_since(before, range(3, 0xFFF, 1)) && !memory.changed_since(before, range(1, 0, 1)));
        // A new mapping removes the aliases of the memory that it replaces.
        let before = memory.epoch();
        memory.map(range(0, 0x2000, 0x1000), Access::READ_WRITE).unwrap();
        assert!(
            memory.changed_since(before, range(2, 0x10_0000, 1)) && memory.changed_since(before, range(0, 0x2000, 1))
        );
        assert!(
            !memory.changed_since(before, range(2, 0x10_1000, 1)) && !memory.changed_since(before, range(0, 0x3000, 1))
        );
    }

    #[test]
    #[allow(unsafe_code)]
    fn the_hosts_own_memory_changes_when_the_host_may_write() {
        let mut page = vec![0; 0x1000];
        let mut memory = memory();
        memory.note_host_writes();
        // SAFETY: the bytes outlive the memory, and nothing else accesses them.
        unsafe { memory.map_host(range(2, 0, 0x1000), page.as_mut_ptr(), Access::READ).unwrap() };
        let before = memory.epoch();
        assert!(!memory.changed_since(before, range(2, 0, 0x1000)));
        memory.note_host_writes();
        assert!(memory.changed_since(before, range(2, 0xFFF, 1)) && !memory.changed_since(before, range(0, 0x1000, 1)));
    }
}
