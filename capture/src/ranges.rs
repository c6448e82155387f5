//! A set of address ranges, each in its space: what is mapped.

use std::collections::BTreeMap;

use triglyph_engine::device::Access;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Mapping};
use triglyph_engine::snapshot::mappings;

impl Ranges<Access> {
    /// The mappings after a restored snapshot; `None` when it has no guest memory and what was mapped stays.
    pub(super) fn of_snapshot(snapshot: &[u8]) -> Result<Option<Self>, Error> {
        let Some(mappings) = mappings(snapshot)? else { return Ok(None) };
        let mut ranges = Ranges::default();
        for Mapping { range, access } in mappings {
            ranges.insert(range, access);
        }
        Ok(Some(ranges))
    }
}

/// Disjoint ranges with a value each; a new one takes its place from the old ones.
#[derive(Clone, Debug)]
pub struct Ranges<T> {
    // (space, first byte) -> (end, value)
    map: BTreeMap<(u32, u64), (u64, T)>,
}

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Ranges { map: BTreeMap::new() }
    }
}

impl<T: Copy> Ranges<T> {
    /// Enters a range; parts of earlier ranges that it overlaps are cut off. An empty range changes nothing.
    pub fn insert(&mut self, range: GuestRange, value: T) {
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        let end = address.saturating_add(size);
        if end > address {
            self.remove(range);
            self.map.insert((space, address), (end, value));
        }
    }

    /// Removes whatever is in a range.
    pub fn remove(&mut self, range: GuestRange) {
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        let end = address.saturating_add(size);
        if end <= address {
            return;
        }
        let overlapping = self.map.range((space, 0)..(space, end)).filter(|(_, (old_end, _))| *old_end > address);
        let overlapping: Vec<_> = overlapping.map(|(key, value)| (*key, *value)).collect();
        for ((_, old), (old_end, old_value)) in overlapping {
            self.map.remove(&(space, old));
            if old < address {
                self.map.insert((space, old), (address, old_value));
            }
            if old_end > end {
                self.map.insert((space, end), (old_end, old_value));
            }
        }
    }

    /// The ranges, by space and address, each with its value. Neighbours are not joined.
    pub fn iter(&self) -> impl Iterator<Item = (GuestRange, T)> + '_ {
        let range = |(space, address): (u32, u64), end: u64| GuestRange::new(space, address, end - address);
        self.map.iter().map(move |(key, (end, value))| (range(*key, *end), *value))
    }

    /// The range that an address lies in.
    pub fn at(&self, at: GuestAddr) -> Option<GuestRange> {
        let (&(space, start), &(end, _)) = self.map.range((at.space, 0)..=(at.space, at.address)).next_back()?;
        (at.address < end).then(|| GuestRange::new(space, start, end - start))
    }

    /// Whether every byte of a range is in some range; an empty one is.
    pub fn covers(&self, range: GuestRange) -> bool {
        let Some(end) = range.start.address.checked_add(range.size) else { return false };
        let mut at = range.start.address;
        while at < end {
            match self.map.range((range.start.space, 0)..=(range.start.space, at)).next_back() {
                Some((_, (old_end, _))) if *old_end > at => at = *old_end,
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ranges: &Ranges<u8>) -> Vec<(u64, u64, u8)> {
        ranges.iter().map(|(range, value)| (range.start.address, range.size, value)).collect()
    }

    fn range(address: u64, size: u64) -> GuestRange {
        GuestRange::new(0, address, size)
    }

    #[test]
    fn a_new_range_cuts_the_old_ones() {
        let mut ranges = Ranges::default();
        ranges.insert(range(0, 100), 1);
        ranges.insert(range(200, 100), 2);
        ranges.insert(range(40, 10), 3);
        assert_eq!(list(&ranges), [(0, 40, 1), (40, 10, 3), (50, 50, 1), (200, 100, 2)]);
        ranges.insert(range(45, 200), 4);
        assert_eq!(list(&ranges), [(0, 40, 1), (40, 5, 3), (45, 200, 4), (245, 55, 2)]);
        ranges.remove(range(42, 10));
        ranges.remove(range(60, 0));
        assert_eq!(list(&ranges), [(0, 40, 1), (40, 2, 3), (52, 193, 4), (245, 55, 2)]);
        ranges.insert(range(0, 0), 9);
        ranges.insert(range(0, 1000), 5);
        assert_eq!(list(&ranges), [(0, 1000, 5)]);
    }

    #[test]
    fn cover_spans_neighbours_but_no_gap() {
        let mut ranges = Ranges::default();
        ranges.insert(range(0, 10), 1);
        ranges.insert(range(10, 10), 1);
        ranges.insert(range(21, 10), 1);
        assert!(ranges.covers(range(0, 20)));
        assert!(ranges.covers(range(5, 0)));
        assert!(!ranges.covers(range(0, 21)));
        assert!(!ranges.covers(range(20, 1)));
        assert!(!ranges.covers(GuestRange::new(1, 0, 1)));
        assert!(!ranges.covers(range(u64::MAX, 2)));
    }
}
