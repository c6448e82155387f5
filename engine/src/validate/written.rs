//! Memory that commands have written.

use crate::mem::GuestRange;
use crate::probe::Effect;

/// Ranges that are kept. Beyond, a range is joined with its neighbour, and what lies between counts as written.
const MAX_RANGES: usize = 1 << 12;

/// From the beginning of the first of two ranges of a space to the end of the last.
fn joined(a: GuestRange, b: GuestRange) -> GuestRange {
    let start = a.start.address.min(b.start.address);
    GuestRange::new(a.start.space, start, a.end().max(b.end()) - start)
}

/// Memory that commands have written: ranges that do not touch, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRanges(Vec<GuestRange>);

impl WrittenRanges {
    /// Adds what a command has written: surfaces of draws as a whole, targets of transfers, stores.
    pub fn add_effects(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Draw(draw) => draw.surfaces.iter().for_each(|surface| self.add(surface.range())),
                Effect::Transfer(transfer) => transfer.target.into_iter().for_each(|range| self.add(range)),
                Effect::Store(range) => self.add(*range),
                _ => {}
            }
        }
    }

    /// Adds a range.
    pub fn add(&mut self, new: GuestRange) {
        if new.size == 0 {
            return;
        }
        let space = new.start.space;
        let first = self.0.partition_point(|range| (range.start.space, range.end()) < (space, new.start.address));
        let end = self.0.partition_point(|range| (range.start.space, range.start.address) <= (space, new.end()));
        let merged = self.0[first..end].iter().fold(new, |all, range| joined(all, *range));
        self.0.splice(first..end, [merged]);
        if self.0.len() > MAX_RANGES {
            self.join_neighbours(first);
        }
    }

    /// Joins the range at a place with one beside it in its space, and takes what is between them as written.
    fn join_neighbours(&mut self, at: usize) {
        let is_beside =
            |first: &usize| self.0.get(*first + 1).is_some_and(|next| next.start.space == self.0[*first].start.space);
        let Some(first) = [Some(at), at.checked_sub(1)].into_iter().flatten().find(is_beside) else { return };
        let both = joined(self.0[first], self.0[first + 1]);
        self.0.splice(first..first + 2, [both]);
    }

    /// Whether any byte of a range is in them.
    pub fn overlap(&self, range: GuestRange) -> bool {
        let first = self
            .0
            .partition_point(|known| (known.start.space, known.end()) <= (range.start.space, range.start.address));
        self.0.get(first).is_some_and(|written| written.overlaps(range))
    }

    /// The ranges.
    pub fn ranges(&self) -> &[GuestRange] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged() {
        let mut written = WrittenRanges::default();
        for (space, address, size) in [(0, 100, 10), (0, 130, 10), (1, 105, 10), (0, 110, 20), (0, 7, 0)] {
            written.add(GuestRange::new(space, address, size));
        }
        assert_eq!(written.ranges(), [GuestRange::new(0, 100, 40), GuestRange::new(1, 105, 10)]);
        assert!(written.overlap(GuestRange::new(0, 139, 10)) && !written.overlap(GuestRange::new(1, 100, 5)));
        assert!(!written.overlap(GuestRange::new(0, 140, 10)) && !written.overlap(GuestRange::new(0, 90, 10)));
    }

    #[test]
    fn the_number_of_ranges_is_bounded() {
        let mut written = WrittenRanges::default();
        let ranges = || (0..3 * MAX_RANGES as u64).map(|at| GuestRange::new((at % 3) as u32, 16 * at, 4));
        ranges().for_each(|range| written.add(range));
        assert_eq!(written.ranges().len(), MAX_RANGES);
        assert!(ranges().all(|range| written.overlap(range)));
    }
}
