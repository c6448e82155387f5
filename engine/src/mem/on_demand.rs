//! Bounded runs of a recording that compares memory of the host's only where the GPU learns what the host has done.
//!
//! Between two runs the host may write anything. The GPU gets to know of it by a word: of a push buffer, of a control
//! page, a semaphore. Front ends ask before they read such a word whether the recording has it; if not, the run ends
//! there, and all memory is compared before it goes on. What nothing has told the GPU of, it does not look at.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::written::WrittenSet;
use super::{GuestRange, Memory};

/// A recording of memory of the host's.
pub trait RecordedWords: Send + Sync {
    /// Whether a range, which is memory of the host's at the address where it was mapped, is another one than the
    /// recording has.
    fn differ(&self, memory: &Memory, range: GuestRange) -> bool;
}

/// The run that is under way, if it compares on demand.
#[derive(Default)]
pub(super) struct OnDemand {
    is_on: AtomicBool,
    run: Mutex<Run>,
}

#[derive(Default)]
struct Run {
    words: Option<Arc<dyn RecordedWords>>,
    /// What the GPU and calls have changed.
    changes: WrittenSet,
}

impl fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDemand").field("is_on", &self.is_on).finish_non_exhaustive()
    }
}

impl OnDemand {
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a range has changed, not by the host.
    #[inline]
    pub(super) fn note_change(&self, range: GuestRange) {
        if self.is_on.load(Relaxed) {
            self.lock().changes.insert(range);
        }
    }
}

/// Functions for machines and recordings.
#[doc(hidden)]
impl Memory {
    /// Begins a run that asks `words` what is recorded.
    pub fn begin_on_demand(&self, words: Arc<dyn RecordedWords>) {
        *self.on_demand.lock() = Run { words: Some(words), changes: WrittenSet::default() };
        self.on_demand.is_on.store(true, Relaxed);
    }

    /// Ends it. Returns what was changed, not by the host, as far as it is memory of the host's: sorted, merged.
    pub fn end_on_demand(&self) -> Vec<GuestRange> {
        self.on_demand.is_on.store(false, Relaxed);
        let changes = std::mem::take(&mut *self.on_demand.lock()).changes.take();
        self.of_host(changes)
    }

    /// The same so far.
    pub fn changed_on_demand(&self) -> Vec<GuestRange> {
        let changes = self.on_demand.lock().changes.merged().to_vec();
        self.of_host(changes)
    }

    /// Whether such a run is under way.
    #[inline]
    pub fn compares_on_demand(&self) -> bool {
        self.on_demand.is_on.load(Relaxed)
    }

    /// Whether words that are about to be read are not as the recording has them: the run has to end before.
    #[inline]
    pub fn is_unrecorded(&self, range: GuestRange) -> bool {
        self.compares_on_demand() && self.differs(range)
    }

    #[cold]
    fn differs(&self, range: GuestRange) -> bool {
        let Some(words) = self.on_demand.lock().words.clone() else { return false };
        self.of_host(vec![range]).into_iter().any(|range| words.differ(self, range))
    }

    /// Whether the host has mapped memory of its own twice: then its changes are not found by address.
    pub fn is_host_aliased(&self) -> bool {
        self.host_aliased
    }

    /// The ranges as far as they are memory of the host's, where the host has mapped it: sorted, merged.
    fn of_host(&self, ranges: Vec<GuestRange>) -> Vec<GuestRange> {
        let mut found = WrittenSet::default();
        for range in ranges {
            self.walk(range, |region, at, piece| {
                let Some(region) = region.filter(|region| region.arena.is_host()) else { return };
                let (start, end) = (region.offset_of(at), region.offset_of(at) + piece.len());
                let mappings = self.regions.iter().filter(|other| other.is_mapping());
                for mapping in mappings.filter(|mapping| Arc::ptr_eq(&mapping.arena, &region.arena)) {
                    let bytes = mapping.bytes();
                    let (start, end) = (start.max(bytes.start), end.min(bytes.end));
                    if start < end {
                        let at = mapping.range.start.after((start - bytes.start) as u64);
                        found.insert(at.range((end - start) as u64));
                    }
                }
            });
        }
        found.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::rights::Access;
    use crate::mem::tests::{at, range};

    struct Differs(GuestRange);

    impl RecordedWords for Differs {
        fn differ(&self, _: &Memory, range: GuestRange) -> bool {
            range.overlaps(self.0)
        }
    }

    #[test]
    #[allow(unsafe_code)]
    fn places_are_those_where_the_host_has_mapped_them() {
        let mut page = vec![0; 0x2000];
        let mut memory = Memory::default();
        memory.map(range(0, 0x8000, 0x1000), Access::READ_WRITE).unwrap();
        // SAFETY: the bytes outlive the memory, and nothing else accesses them.
        unsafe { memory.map_host(range(1, 0x4000, 0x2000), page.as_mut_ptr(), Access::READ_WRITE).unwrap() };
        memory.alias(at(0, 0x10_0000), range(1, 0x4800, 0x1000), Access::READ_WRITE).unwrap();
        assert!(!memory.is_unrecorded(range(1, 0x4000, 0x2000)));
        memory.mark_changed(range(1, 0x4000, 4));
        memory.begin_on_demand(Arc::new(Differs(range(1, 0x5000, 4))));
        assert!(memory.is_unrecorded(range(0, 0x10_0800, 4)) && !memory.is_unrecorded(range(0, 0x10_0700, 4)));
        assert!(!memory.is_unrecorded(range(0, 0x8000, 0x1000)));
        memory.mark_changed(range(0, 0x10_0010, 8));
        memory.mark_written(range(1, 0x4818, 8));
        memory.mark_written(range(0, 0x8000, 8));
        assert_eq!(memory.changed_on_demand(), [range(1, 0x4810, 16)]);
        assert_eq!(memory.end_on_demand(), [range(1, 0x4810, 16)]);
        memory.mark_changed(range(1, 0x4000, 4));
        assert!(!memory.compares_on_demand() && memory.end_on_demand().is_empty());
    }
}
