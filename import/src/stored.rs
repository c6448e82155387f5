//! The bytes that a recording has last stored in memory.

use std::collections::BTreeMap;

use triglyph::GuestRange;

/// Disjoint ranges with what they hold: a recording names the same bytes by the same number.
#[derive(Debug, Default)]
pub struct Stored {
    /// (space, first byte) -> (end, what)
    ranges: BTreeMap<(u32, u64), (u64, u64)>,
    bytes: u64,
}

impl Stored {
    /// Most bytes that all new contents have together: a few bytes of a file may name the same large piece of it again
    /// and again.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// Notes that a range holds something. `Some(false)` when that is what was stored there last, and nothing else in
    /// any part of it since; `None` when it is new and there would be too many bytes.
    pub fn is_new(&mut self, range: GuestRange, what: u64) -> Option<bool> {
        let (space, start, end) = (range.start.space, range.start.address, range.end());
        if self.ranges.get(&(space, start)) == Some(&(end, what)) {
            return Some(false);
        }
        self.bytes = self.bytes.saturating_add(range.size);
        if self.bytes > Self::MAX_BYTES {
            return None;
        }
        let before = self.ranges.range((space, 0)..(space, end)).rev();
        let overlapping: Vec<_> = before.take_while(|(_, (old, _))| *old > start).map(|(key, _)| *key).collect();
        for key in overlapping {
            self.ranges.remove(&key);
        }
        self.ranges.insert((space, start), (end, what));
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_new() {
        let mut stored = Stored::default();
        let mut is_new = |address, size, what| stored.is_new(GuestRange::new(0, address, size), what);
        assert_eq!([is_new(0, 100, 1), is_new(0, 100, 1)], [Some(true), Some(false)]);
        assert_eq!([is_new(200, 10, 2), is_new(0, 100, 1)], [Some(true), Some(false)]);
        // A part has changed: all of it is new.
        assert_eq!([is_new(50, 10, 3), is_new(0, 100, 1)], [Some(true), Some(true)]);
        assert_eq!([is_new(50, 10, 3), is_new(200, 10, 2)], [Some(true), Some(false)]);
        assert_eq!(is_new(0, Stored::MAX_BYTES, 4), None);
    }
}
