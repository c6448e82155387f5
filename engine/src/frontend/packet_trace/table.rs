//! The table of a channel's packet traces: counting headers, and finding the trace that begins at some words.
//!
//! A table has a bounded number of entries, each for one trace or for a header that is being counted. Entries of the
//! same first header are in one list. The trace that followed last time is tried before the list is searched.

use std::sync::Arc;

use triglyph_guest::kernel::packet_trace::PacketTraceKernel;

use super::trace::PacketTrace;
use crate::cache::{Handle, kinds};

/// How often a first header is met by default before what follows it is compiled: compiling pays for itself after some
/// thousand runs at the earliest.
pub const THRESHOLD: u32 = 4096;

/// Most entries of a table, and lists by first headers.
pub(super) const MAX_ENTRIES: usize = 1024;
const LISTS: usize = 256;

/// Most entries of a list.
pub(super) const MAX_LIST: usize = 64;

/// Requests without room after which entries that were not met lose patience, and how often they do until they go.
pub(super) const REQUESTS: usize = MAX_ENTRIES;
pub(super) const PATIENCE: u8 = 4;

/// Traces that store fewer words are not worth a call.
pub(super) const MIN_STORED: usize = 8;

/// A trace, and its code when it is compiled.
pub(super) type Compiling = (PacketTrace, Handle<kinds::PacketTrace>);

/// Compiled code, or what will be.
#[derive(Default)]
enum Code {
    /// The header is counted.
    #[default]
    None,
    /// It is being compiled.
    Compiling(Compiling),
    /// It is compiled. The handle tells the cache that the code is in use.
    Ready { trace: PacketTrace, kernel: Arc<dyn PacketTraceKernel>, _handle: Handle<kinds::PacketTrace> },
}

/// An entry: what is known about a first header, or a trace.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) header: u32,
    /// The entry that followed it last time.
    follower: usize,
    /// How long it stays without being met.
    patience: u8,
    /// How often it was met since there was nothing to compile.
    count: u32,
    code: Code,
}

/// The packet traces of a channel.
#[derive(Default)]
pub struct PacketTraces {
    pub(super) entries: Vec<Entry>,
    /// Numbers of entries by first headers.
    lists: Vec<Vec<u16>>,
    /// Requests for which there was no room.
    denied: usize,
    /// The entry that ran last.
    last: usize,
}

impl std::fmt::Debug for PacketTraces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PacketTraces").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

impl PacketTraces {
    /// Drops all entries, because the meaning of headers changes.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.lists.iter_mut().for_each(Vec::clear);
    }

    /// The trace that `words` begin with, whose first header is `header`, if there is code for it. `compile` is called
    /// for what follows a header that was met `threshold` times, with the number of words that have to be stored.
    #[inline]
    pub(super) fn find(
        &mut self,
        header: u32,
        words: &[u32],
        threshold: u32,
        compile: impl FnOnce(usize) -> Option<Compiling>,
    ) -> Option<(&PacketTrace, &dyn PacketTraceKernel)> {
        let follower = self.entries.get(self.last).map_or(0, |last| last.follower);
        let at = match self.entries.get(follower) {
            Some(entry) if entry.begins(header, words) => follower,
            _ => self.search(header, words, threshold, compile)?,
        };
        if let Some(last) = self.entries.get_mut(self.last) {
            last.follower = at;
        }
        self.last = at;
        self.entries[at].patience = PATIENCE;
        match &self.entries[at].code {
            Code::Ready { trace, kernel, .. } => Some((trace, &**kernel)),
            _ => None,
        }
    }

    /// As [`Self::find`], in the list of the header.
    fn search(
        &mut self,
        header: u32,
        words: &[u32],
        threshold: u32,
        compile: impl FnOnce(usize) -> Option<Compiling>,
    ) -> Option<usize> {
        let entries = self.lists.get(list(header)).map_or(&[][..], Vec::as_slice);
        let mut counted = None;
        for at in entries.iter().rev().map(|&at| usize::from(at)) {
            let entry = &self.entries[at];
            if entry.begins(header, words) {
                return Some(at);
            }
            if entry.header == header && !matches!(entry.code, Code::Ready { .. }) {
                counted = Some(at);
            }
        }
        let least = if threshold == 1 { 1 } else { MIN_STORED };
        // A few words at the end of a segment say nothing about a header.
        if counted.is_none() && words.len() < 2 * least {
            return None;
        }
        let at = counted.or_else(|| self.insert(header))?;
        let entry = &mut self.entries[at];
        (entry.patience, entry.count) = (PATIENCE, entry.count.saturating_add(1));
        if matches!(entry.code, Code::None) && entry.count >= threshold {
            entry.count = 0;
            entry.code = compile(least).map_or(Code::None, Code::Compiling);
        }
        entry.poll();
        entry.begins(header, words).then_some(at)
    }

    /// A new entry for a header, if there is room.
    #[cold]
    fn insert(&mut self, header: u32) -> Option<usize> {
        self.lists.resize_with(LISTS, Vec::new);
        if self.entries.len() == MAX_ENTRIES || self.lists[list(header)].len() == MAX_LIST {
            self.denied += 1;
            if self.denied.is_multiple_of(REQUESTS) {
                self.make_room();
            }
            return None;
        }
        let at = self.entries.len();
        self.entries.push(Entry { header, patience: PATIENCE, ..Entry::default() });
        self.lists[list(header)].push(at as u16);
        Some(at)
    }

    /// Removes entries that have no patience left. Followers are only hints, so their numbers may be wrong afterwards.
    fn make_room(&mut self) {
        self.entries.retain_mut(|entry| {
            entry.patience -= 1;
            entry.patience != 0
        });
        self.lists.iter_mut().for_each(Vec::clear);
        for (at, entry) in self.entries.iter().enumerate() {
            self.lists[list(entry.header)].push(at as u16);
        }
    }
}

impl Entry {
    /// Whether there is code, and `words` begin with its trace.
    #[inline]
    fn begins(&self, header: u32, words: &[u32]) -> bool {
        self.header == header && matches!(&self.code, Code::Ready { trace, .. } if trace.begins(words))
    }

    /// Looks whether the compiler is done.
    fn poll(&mut self) {
        if let Code::Compiling((trace, handle)) = &mut self.code {
            if let Some(kernel) = handle.compiled() {
                self.code = Code::Ready { trace: std::mem::take(trace), kernel, _handle: handle.clone() };
            } else if handle.is_unsupported() {
                self.code = Code::None;
            }
        }
    }
}

/// The list of a first header.
#[inline]
pub(super) fn list(header: u32) -> usize {
    (header.wrapping_mul(0x9E37_79B1) >> 24) as usize % LISTS
}
