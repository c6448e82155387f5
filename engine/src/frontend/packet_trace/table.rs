//! The table of a channel's packet traces: counting headers, and finding the trace that begins at some words.
//!
//! A table has a bounded number of entries, each for one trace or for a header that is being counted. Entries of the
//! same first header are in one list. The trace that followed last time is tried before the list is searched.

use std::sync::Arc;

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::packet_trace::PacketTraceKernel;

use super::trace::PacketTrace;
use crate::cache::{Handle, Kernels, kinds};

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
const MIN_STORED: usize = 8;

/// Fewer words than this are not recorded.
pub(super) const MIN_WORDS: usize = 2 * MIN_STORED;

/// How often what follows a header is recorded until it is the same twice in a row.
const MAX_TRIES: u32 = 16;

/// Runs that may end early before a trace is recorded again.
const MAX_MISSES: u32 = 64;

/// Compiled code, or what will be.
#[derive(Default)]
enum Code {
    /// The header is counted.
    #[default]
    None,
    /// It is being compiled.
    Compiling(PacketTrace, Handle<kinds::PacketTrace>),
    /// It is compiled. The handle tells the cache that the code is in use.
    Ready { trace: PacketTrace, kernel: Arc<dyn PacketTraceKernel>, _handle: Handle<kinds::PacketTrace> },
    /// It is not worth compiling, or unsupported by the compiler.
    Never,
}

/// An entry: what is known about a first header, or a trace.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) header: u32,
    /// The entry that followed it last time.
    follower: usize,
    /// How long it stays without being met.
    patience: u8,
    /// How often it was met.
    count: u32,
    /// Hash of the trace that was recorded last, and how many were.
    candidate: Option<ContentHash>,
    tries: u32,
    /// Runs that ended early, less those that did not.
    misses: u32,
    code: Code,
}

/// The result of a look-up where a trace may begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Continue packet by packet.
    Nothing,
    /// This header was met often: a trace is to be recorded for [`PacketTraces::learn`], for this entry.
    Record(usize),
    /// There is code to run.
    Ready(usize),
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
    /// Words until a trace may begin, if nothing else lets one begin before.
    pub(super) room: usize,
}

impl std::fmt::Debug for PacketTraces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PacketTraces").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

impl PacketTraces {
    /// A trace may begin at the next word.
    #[inline]
    pub fn begin_here(&mut self) {
        self.room = 0;
    }

    /// Drops all entries, because the meaning of headers changes.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.lists.iter_mut().for_each(Vec::clear);
    }

    /// Looks up a trace that begins with `words`, whose first header is `header`. `threshold`: how often it has to
    /// occur. Traces that are longer than `words` are not found.
    #[inline]
    pub(super) fn find(&mut self, header: u32, words: &[u32], threshold: u32) -> Lookup {
        let follower = self.entries.get(self.last).map_or(0, |last| last.follower);
        if self.entries.get(follower).is_some_and(|entry| entry.begins(header, words)) {
            return self.ready(follower);
        }
        self.search(header, words, threshold)
    }

    /// As [`Self::find`], in the list of the header.
    fn search(&mut self, header: u32, words: &[u32], threshold: u32) -> Lookup {
        let entries = self.lists.get(list(header)).map_or(&[][..], Vec::as_slice);
        let mut counted = None;
        for at in entries.iter().rev().map(|&at| usize::from(at)) {
            let entry = &self.entries[at];
            if entry.begins(header, words) {
                return self.ready(at);
            }
            if entry.header == header && !matches!(entry.code, Code::Ready { .. }) {
                counted = Some(at);
            }
        }
        // A few words at the end of a segment say nothing about a header.
        if counted.is_none() && words.len() < MIN_WORDS && threshold != 1 {
            return Lookup::Nothing;
        }
        let Some(at) = counted.or_else(|| self.insert(header)) else { return Lookup::Nothing };
        let entry = &mut self.entries[at];
        (entry.patience, entry.count) = (PATIENCE, entry.count.saturating_add(1));
        if matches!(entry.code, Code::None) && entry.count >= threshold {
            return Lookup::Record(at);
        }
        if entry.poll() && entry.begins(header, words) { self.ready(at) } else { Lookup::Nothing }
    }

    /// Notes that an entry runs after the one that ran last.
    fn ready(&mut self, at: usize) -> Lookup {
        if let Some(last) = self.entries.get_mut(self.last) {
            last.follower = at;
        }
        self.entries[at].patience = PATIENCE;
        self.last = at;
        Lookup::Ready(at)
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

    /// Takes the trace recorded after [`Lookup::Record`]; `None` where no trace can begin. One that is the same twice
    /// in a row is compiled. Returns whether there is code to run.
    #[cold]
    pub(super) fn learn(&mut self, at: usize, threshold: u32, trace: Option<PacketTrace>, kernels: &Kernels) -> bool {
        let entry = &mut self.entries[at];
        let least = if threshold == 1 { 1 } else { MIN_STORED };
        let Some(trace) = trace.filter(|trace| trace.key.stored() >= least) else {
            entry.code = Code::Never;
            return false;
        };
        let hash = ContentHash::of(&trace.key);
        entry.tries += 1;
        if entry.candidate.replace(hash) != Some(hash) && threshold != 1 && entry.tries < MAX_TRIES {
            return false;
        }
        let handle = kernels.packet_trace(&trace.key);
        entry.code = Code::Compiling(trace, handle);
        let compiled = entry.poll();
        if compiled {
            self.ready(at);
        }
        compiled
    }

    /// The trace of an entry, and its code.
    #[inline]
    pub(super) fn code(&self, at: usize) -> Option<(&PacketTrace, &dyn PacketTraceKernel)> {
        match &self.entries[at].code {
            Code::Ready { trace, kernel, .. } => Some((trace, &**kernel)),
            _ => None,
        }
    }

    /// Notes the end of a run. `whole`: all packets were done. What often ends early is recorded again.
    #[inline]
    pub(super) fn note_end(&mut self, at: usize, whole: bool) {
        let entry = &mut self.entries[at];
        entry.misses = if whole { entry.misses.saturating_sub(1) } else { entry.misses + 1 };
        if entry.misses > MAX_MISSES && entry.tries < MAX_TRIES {
            let Entry { header, patience, tries, .. } = *entry;
            *entry = Entry { header, patience, tries, ..Entry::default() };
        }
    }
}

impl Entry {
    /// Whether there is code, and `words` begin with its trace.
    #[inline]
    fn begins(&self, header: u32, words: &[u32]) -> bool {
        self.header == header && matches!(&self.code, Code::Ready { trace, .. } if trace.begins(words))
    }

    /// Looks whether the compiler is done. Returns whether there is code.
    fn poll(&mut self) -> bool {
        if let Code::Compiling(trace, handle) = &mut self.code {
            if let Some(kernel) = handle.compiled() {
                self.code = Code::Ready { trace: std::mem::take(trace), kernel, _handle: handle.clone() };
            } else if handle.is_unsupported() {
                self.code = Code::Never;
            }
        }
        matches!(self.code, Code::Ready { .. })
    }
}

/// The list of a first header.
#[inline]
pub(super) fn list(header: u32) -> usize {
    (header.wrapping_mul(0x9E37_79B1) >> 24) as usize % LISTS
}
