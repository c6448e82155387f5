//! Free ranges of a memory.

use std::collections::BTreeMap;

/// The free ranges of a memory: the first that is large enough is taken.
#[derive(Debug, Default)]
pub struct Heap {
    /// Ends, by starts. No range is empty, and none begins where another one ends.
    free: BTreeMap<u64, u64>,
}

impl Heap {
    /// All of a range is free.
    pub fn new(start: u64, end: u64) -> Self {
        Heap { free: (start < end).then_some((start, end)).into_iter().collect() }
    }

    /// Takes `size` bytes whose start is a multiple of `align`, a power of two; `None` if there is no room.
    pub fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        let room = |(&start, &end): (&u64, &u64)| {
            let first = start.checked_next_multiple_of(align)?;
            (first.checked_add(size)? <= end).then_some((start, first, end))
        };
        let (start, first, end) = self.free.iter().find_map(room)?;
        self.free.remove(&start);
        let pieces = [(start, first), (first + size, end)];
        self.free.extend(pieces.into_iter().filter(|(start, end)| start < end));
        Some(first)
    }

    /// Gives back what was taken.
    pub fn give_back(&mut self, start: u64, size: u64) {
        let (mut start, mut end) = (start, start + size);
        if let Some(after) = self.free.remove(&end) {
            end = after;
        }
        if let Some((&before, _)) = self.free.range(..start).next_back().filter(|&(_, &end)| end == start) {
            start = before;
        }
        self.free.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn what_is_given_back_is_whole_again() {
        let mut heap = Heap::new(0x1000, 0x9000);
        let taken: Vec<u64> = [0x1000, 0x800, 0x2000].into_iter().filter_map(|size| heap.take(size, 0x1000)).collect();
        assert_eq!(taken, [0x1000, 0x2000, 0x3000]);
        assert_eq!(heap.take(0x4001, 1), None);
        heap.give_back(0x2000, 0x800);
        assert_eq!(heap.take(0x1000, 0x1000), Some(0x2000));
        heap.give_back(0x2000, 0x1000);
        heap.give_back(0x3000, 0x2000);
        heap.give_back(0x1000, 0x1000);
        assert_eq!(heap.free.into_iter().collect::<Vec<_>>(), [(0x1000, 0x9000)]);
    }

    #[test]
    fn ranges_are_aligned_and_do_not_wrap() {
        let mut heap = Heap::new(1, u64::MAX);
        assert_eq!(heap.take(u64::MAX, 1), None);
        assert_eq!(heap.take(2, 0x10), Some(0x10));
        assert_eq!(heap.take(0xF, 1), Some(1));
    }
}
