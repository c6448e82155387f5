//! The set of ranges that the GPU wrote.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::{GuestRange, Memory};

/// Is called with ranges of whole pages that the GPU has written.
pub type WrittenHandler = Box<dyn FnMut(GuestRange) + Send>;

/// The handler that is called with what the GPU has written.
#[derive(Default)]
pub(super) struct Listener(Option<Mutex<WrittenHandler>>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a handler" } else { "no handler" })
    }
}

/// Bytes of a page; handlers are called with whole pages.
const PAGE: u64 = 4096;

impl Memory {
    /// Calls `handler` with what the GPU has written, in whole pages, each once, when work is done; then
    /// [`Self::take_written`] has nothing. `None` removes the handler.
    pub fn set_written_handler(&mut self, handler: Option<WrittenHandler>) {
        self.listener = Listener(handler.map(Mutex::new));
    }

    /// Calls the handler, if there is one, with what finished work has written.
    #[doc(hidden)]
    pub fn tell_written(&mut self) {
        if self.listener.0.is_none() {
            return;
        }
        let mut pages = WrittenSet::default();
        for GuestRange { start, size } in self.take_written() {
            let first = start.address / PAGE * PAGE;
            let end = start.address.saturating_add(size).checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
            pages.insert(GuestRange::new(start.space, first, end - first));
        }
        if let Some(handler) = &mut self.listener.0 {
            pages.take().into_iter().for_each(handler.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Functions for machines.
#[doc(hidden)]
impl Memory {
    /// Notes that the GPU has written a range.
    pub fn mark_written(&self, range: GuestRange) {
        if range.size != 0 {
            self.written.lock().unwrap_or_else(|e| e.into_inner()).insert(range);
            self.mark_changed(range);
        }
    }

    /// The ranges that the GPU wrote since the last call: sorted, merged.
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

    /// The ranges so far: sorted, merged.
    pub(super) fn merged(&mut self) -> &[GuestRange] {
        self.merge();
        &self.ranges
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
