//! Memory that commands have written.

use crate::mem::GuestRange;
use crate::probe::Effect;

/// Memory that commands have written: ranges that do not overlap, sorted.
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
        let (space, mut start, mut end) = (new.start.space, new.start.address, new.end());
        self.0.retain(|range| {
            let touches = range.start.space == space && range.start.address <= end && range.end() >= start;
            if touches {
                (start, end) = (start.min(range.start.address), end.max(range.end()));
            }
            !touches
        });
        let at = self.0.partition_point(|range| (range.start.space, range.start.address) < (space, start));
        self.0.insert(at, GuestRange::new(space, start, end - start));
    }

    /// Whether any byte of a range is in them.
    pub fn overlap(&self, range: GuestRange) -> bool {
        self.0.iter().any(|written| written.overlaps(range))
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
    }
}
