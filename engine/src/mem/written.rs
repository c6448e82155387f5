//! The set of ranges that the GPU wrote.

use super::{GuestRange, Memory};

/// What machines need.
#[doc(hidden)]
impl Memory {
    /// Notes that the GPU has written a range.
    pub fn mark_written(&self, range: GuestRange) {
        if range.size != 0 {
            self.written.lock().unwrap_or_else(|e| e.into_inner()).insert(range);
            self.mark_changed(range);
        }
    }

    /// What the GPU wrote since the last call: sorted, merged.
    pub fn take_written(&mut self) -> Vec<GuestRange> {
        self.written.get_mut().unwrap_or_else(|e| e.into_inner()).take()
    }
}

/// Ranges are collected cheaply and merged when asked for, or when there are many.
#[derive(Debug, Default)]
pub(super) struct WrittenSet {
    ranges: Vec<GuestRange>,
    merged: usize,
}

/// Unmerged ranges that are tolerated before merging.
const SLACK: usize = 1024;

impl WrittenSet {
    pub(super) fn insert(&mut self, range: GuestRange) {
        if self.ranges.last() != Some(&range) {
            self.ranges.push(range);
        }
        if self.ranges.len() > 2 * self.merged + SLACK {
            self.merge();
        }
    }

    pub(super) fn take(&mut self) -> Vec<GuestRange> {
        self.merge();
        self.merged = 0;
        std::mem::take(&mut self.ranges)
    }

    /// Sorts the ranges and joins those that touch.
    fn merge(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, kept| {
            let touches = next.start.space == kept.start.space && next.start.address <= kept.end();
            if touches {
                kept.size = kept.size.max(next.end() - kept.start.address);
            }
            touches
        });
        self.merged = self.ranges.len();
    }
}
