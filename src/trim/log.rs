//! Log of the bytes of memory that are read before they are overwritten.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use triglyph_guest::kernel::access::AccessListener;

/// The state of a byte: unknown, or not stored by a record.
const UNKNOWN: u8 = 0;
/// It is as a record has stored it, and nothing has read it.
const STORED: u8 = 1;
/// The same, and something has read it.
const READ: u8 = 2;

/// The bytes of some stretch of the host's memory.
#[derive(Debug)]
struct Stretch {
    start: usize,
    states: Vec<u8>,
}

/// Logs accesses to guest memory.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
    /// The latest last: memory may go and other come to the same addresses.
    stretches: Mutex<Vec<Stretch>>,
}

impl ReadLog {
    fn lock(&self) -> MutexGuard<'_, Vec<Stretch>> {
        self.stretches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs accesses to new memory from now on, at these addresses of the host's.
    pub fn cover(&self, range: Range<usize>) {
        let mut stretches = self.lock();
        // A vector of zeros costs no memory before it is written.
        match with_states(&mut stretches, range.start, range.len()) {
            Some(states) => states.fill(UNKNOWN),
            None => stretches.push(Stretch { start: range.start, states: vec![UNKNOWN; range.len()] }),
        }
    }

    /// A record has stored these bytes.
    pub fn mark_stored(&self, range: Range<usize>) {
        if let Some(states) = with_states(&mut self.lock(), range.start, range.len()) {
            states.fill(STORED);
        }
    }

    fn change(&self, address: usize, bytes: usize, change: impl Fn(&mut u8)) {
        if let Some(states) = with_states(&mut self.lock(), address, bytes) {
            states.iter_mut().for_each(change);
        }
    }

    /// Whether each of some bytes was read.
    fn read_of(&self, range: Range<usize>) -> Vec<bool> {
        let states = &mut *self.lock();
        let states = with_states(states, range.start, range.len());
        states.map_or_else(Vec::new, |states| states.iter().map(|&state| state == READ).collect())
    }
}

/// The states of bytes that are all in one stretch.
fn with_states(stretches: &mut [Stretch], address: usize, bytes: usize) -> Option<&mut [u8]> {
    let holds =
        |stretch: &&mut Stretch| stretch.start <= address && address + bytes <= stretch.start + stretch.states.len();
    let stretch = stretches.iter_mut().rev().find(holds)?;
    let first = address - stretch.start;
    Some(&mut stretch.states[first..first + bytes])
}

impl AccessListener for ReadLog {
    fn read(&self, address: usize, bytes: usize) {
        self.change(address, bytes, |state| {
            if *state == STORED {
                *state = READ;
            }
        });
    }

    fn written(&self, address: usize, bytes: usize) {
        self.change(address, bytes, |state| {
            if *state == STORED {
                *state = UNKNOWN;
            }
        });
    }
}

/// Which record has stored what is in memory, and what of each record was read.
pub(super) struct Stored {
    /// Where stretches begin: their ends, whose they are, and the first byte's place in the record.
    owners: BTreeMap<usize, (usize, usize, usize)>,
    kept: Vec<Vec<bool>>,
}

impl Stored {
    /// Of so many records.
    pub fn new(records: usize) -> Self {
        Stored { owners: BTreeMap::new(), kept: vec![Vec::new(); records] }
    }

    /// A record has so many bytes.
    pub fn note_length(&mut self, record: usize, bytes: usize) {
        self.kept[record].resize(bytes, false);
    }

    /// The bytes from `at` on of a record were stored there, where [`Self::take`] has taken what was before.
    pub fn put(&mut self, range: Range<usize>, record: usize, at: usize) {
        if !range.is_empty() {
            self.owners.insert(range.start, (range.end, record, at));
        }
    }

    /// Other bytes are about to come there: what is there was read by now, or never.
    pub fn take(&mut self, range: Range<usize>, log: &ReadLog) {
        let before = self.owners.range(..range.start).next_back().map(|(&start, _)| start);
        let touched: Vec<usize> =
            before.into_iter().chain(self.owners.range(range.clone()).map(|(&start, _)| start)).collect();
        for start in touched {
            let Some(&(end, record, at)) = self.owners.get(&start) else { continue };
            let part = start.max(range.start)..end.min(range.end);
            if part.is_empty() {
                continue;
            }
            self.owners.remove(&start);
            self.put(start..part.start, record, at);
            self.put(part.end..end, record, at + (part.end - start));
            self.keep(record, at + (part.start - start), &log.read_of(part));
        }
    }

    fn keep(&mut self, record: usize, at: usize, read: &[bool]) {
        let kept = &mut self.kept[record];
        kept.resize(kept.len().max(at + read.len()), false);
        kept[at..].iter_mut().zip(read).for_each(|(kept, &read)| *kept |= read);
    }

    /// The bytes of each record that were read.
    pub fn into_kept(mut self, log: &ReadLog) -> Vec<Vec<bool>> {
        self.take(0..usize::MAX, log);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_that_are_read_before_they_are_overwritten() {
        let log = ReadLog::default();
        let mut stored = Stored::new(3);
        log.cover(1000..2000);
        log.read(1000, 100);
        for (record, range) in [(0, 1000..1100), (1, 1050..1060)] {
            stored.take(range.clone(), &log);
            log.mark_stored(range.clone());
            stored.put(range.clone(), record, 0);
            stored.note_length(record, range.len());
            // Of the first record bytes 48 to 52 are read, of the second those that were in the way.
            log.read(1048, 4);
            log.written(1058, 50);
            log.read(1058, 50);
        }
        let kept = stored.into_kept(&log);
        let read = |record: usize| (0..kept[record].len()).filter(|&at| kept[record][at]).collect::<Vec<_>>();
        assert_eq!((read(0), read(1)), (vec![48, 49, 50, 51], vec![0, 1]));
        assert_eq!((kept[0].len(), kept[1].len(), kept[2].len()), (100, 10, 0));
    }
}
