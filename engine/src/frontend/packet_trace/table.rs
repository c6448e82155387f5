//! The table of a channel's packet traces: counting headers, and finding the trace that begins at some words.
//!
//! A table has a bounded number of entries, each for one trace or for a header that is being counted. Entries of the
//! same first header form a list. The trace that followed last time is tried before the list is searched. Replacement
//! is similar to LRU, with a patience counter in each entry.

use std::fmt;
use std::sync::Arc;

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::packet_trace::PacketTraceKernel;

use super::trace::{MAX_WORDS, PacketTrace};
use crate::cache::{Handle, Kernels, kinds};

/// How often a first header is met by default before what follows it is compiled: compiling pays for itself after some
/// thousand runs at the earliest.
pub const THRESHOLD: u32 = 4096;

/// Most entries of a table, and lists by first headers.
pub(super) const MAX_ENTRIES: usize = 1024;
const LISTS: usize = 256;

/// Most entries of a list.
pub(super) const MAX_LIST: usize = 64;

/// How many requests for its space an entry outlives since it was last met.
pub(super) const PATIENCE: u8 = 4;

/// Traces that store fewer words are not worth a call.
const MIN_STORED: usize = 8;

/// Fewer words than this are not analyzed.
pub(super) const MIN_WORDS: usize = 2 * MIN_STORED;

/// How often what follows a header is analyzed until it is the same twice in a row.
const MAX_TRIES: u32 = 64;

/// Runs that may end early before a trace is recorded again, and how often that happens.
const MAX_MISSES: u32 = 64;
const MAX_RENEWALS: u32 = 8;

/// A trace with its code.
pub struct Compiled {
    /// The trace.
    pub trace: PacketTrace,
    /// Its code.
    pub kernel: Arc<dyn PacketTraceKernel>,
    /// Tells the cache that the code is in use.
    _handle: Handle<kinds::PacketTrace>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("trace", &self.trace).finish_non_exhaustive()
    }
}

/// The state of an entry.
#[derive(Debug, Default)]
enum State {
    /// Its header is counted.
    #[default]
    Counted,
    /// It is being compiled.
    Compiling(Box<(PacketTrace, Handle<kinds::PacketTrace>)>),
    /// It is compiled.
    Ready(Box<Compiled>),
    /// It is running: the driver has the code.
    Running,
    /// It is not worth compiling, or unsupported by the compiler.
    Never,
}

/// An entry: what is known about a first header, or a trace.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) header: u32,
    /// Index of the next entry of the list plus 1; 0 at its end.
    next: u16,
    /// Index of the entry that followed it last time.
    follower: u16,
    /// How many requests for its space it still outlives.
    patience: u8,
    /// How often it was met.
    count: u32,
    /// Hash of the trace that was recorded last.
    candidate: Option<ContentHash>,
    tries: u32,
    /// Runs that ended early, less those that did not.
    misses: u32,
    renewals: u32,
    state: State,
}

/// The result of a look-up where a trace may begin.
#[derive(Debug)]
pub enum Lookup {
    /// Continue packet by packet.
    Nothing,
    /// This header was met often: the packets are to be analyzed for [`PacketTraces::learn`], for this entry.
    Analyze(usize),
    /// Code to run, and to return with [`PacketTraces::give_back`].
    Run(Box<Compiled>),
}

/// The packet traces of a channel.
#[derive(Debug, Default)]
pub struct PacketTraces {
    pub(super) entries: Vec<Entry>,
    /// Index of the first entry of each list plus 1; 0 for an empty list.
    lists: Vec<u16>,
    /// The next candidate for eviction.
    hand: usize,
    /// The entry that is running, or ran last.
    last: usize,
    /// Words until a trace may begin, if nothing else lets one begin before.
    room: usize,
}

impl PacketTraces {
    /// Whether a trace may begin here.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.room == 0
    }

    /// A trace may begin at the next word.
    #[inline]
    pub fn begin_here(&mut self) {
        self.room = 0;
    }

    /// Traces were looked up here; unless something else lets one begin, the next one begins as many words later as the
    /// longest trace has.
    #[inline]
    pub fn looked(&mut self) {
        self.room = MAX_WORDS;
    }

    /// A trace may begin after so many words.
    #[inline]
    pub fn begin_after(&mut self, words: usize) {
        self.room = words;
    }

    /// Words that can pass before a trace may begin.
    #[inline]
    pub fn room(&self) -> usize {
        self.room
    }

    /// So many words have passed.
    #[inline]
    pub fn passed(&mut self, words: usize) {
        self.room = self.room.saturating_sub(words);
    }

    /// The next packet has so many words. If a trace may begin within it, one may begin at its header instead: true.
    #[inline]
    pub fn crosses(&mut self, words: usize) -> bool {
        let crosses = words > self.room && self.room < MAX_WORDS;
        if crosses {
            self.room = 0;
        }
        crosses
    }

    /// Drops all entries, because the meaning of headers changes.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.lists.clear();
        (self.hand, self.last) = (0, 0);
    }

    /// Looks up a trace that begins with `words`, whose first header is `header`. `threshold`: how often it has to
    /// occur. Traces that are longer than `words` are not found.
    #[inline]
    pub fn lookup(&mut self, header: u32, words: &[u32], threshold: u32) -> Lookup {
        if let Some(last) = self.entries.get(self.last) {
            let follower = usize::from(last.follower);
            if let Some(next) = self.entries.get_mut(follower).and_then(|entry| entry.take(header, words)) {
                self.last = follower;
                return next;
            }
        }
        self.search(header, words, threshold)
    }

    /// As [`Self::lookup`], in the list of the header.
    fn search(&mut self, header: u32, words: &[u32], threshold: u32) -> Lookup {
        let (mut counted, mut length, mut end) = (None, 0, None);
        let mut link = self.lists.get(list(header)).copied().unwrap_or(0);
        while let Some(at) = usize::from(link).checked_sub(1) {
            let entry = &mut self.entries[at];
            if let Some(next) = entry.take(header, words) {
                self.note_run(at);
                return next;
            }
            if entry.header == header && !matches!(entry.state, State::Ready(_)) {
                counted = Some(at);
            }
            link = entry.next;
            (length, end) = (length + 1, Some(at));
        }
        // A few words at the end of a segment say nothing about a header.
        if counted.is_none() && words.len() < MIN_WORDS && threshold != 1 {
            return Lookup::Nothing;
        }
        let crowded = end.filter(|_| length >= MAX_LIST);
        let Some(at) = counted.or_else(|| self.insert(header, crowded)) else { return Lookup::Nothing };
        let next = self.entries[at].met(at, threshold);
        if let Lookup::Run(_) = next {
            self.note_run(at);
        }
        next
    }

    /// Notes that the trace of an entry runs after the one that ran last.
    fn note_run(&mut self, at: usize) {
        if let Some(last) = self.entries.get_mut(self.last) {
            last.follower = at as u16;
        }
        self.last = at;
    }

    /// An entry for a header: a new one, or one whose patience is used up. `crowded`: the last entry of the header's
    /// list, if the list may not become any longer.
    #[cold]
    fn insert(&mut self, header: u32, crowded: Option<usize>) -> Option<usize> {
        self.lists.resize(LISTS, 0);
        let at = if crowded.is_none() && self.entries.len() < MAX_ENTRIES {
            self.entries.push(Entry::default());
            self.entries.len() - 1
        } else {
            let at = crowded.unwrap_or(self.hand);
            if crowded.is_none() {
                self.hand = (at + 1) % MAX_ENTRIES;
            }
            let entry = &mut self.entries[at];
            entry.patience = entry.patience.saturating_sub(1);
            let stays = entry.patience != 0 || matches!(entry.state, State::Running);
            if stays && crowded.is_none() {
                return None;
            }
            self.unlink(at);
            if stays {
                // Next time another entry is the last one.
                self.link(at);
                return None;
            }
            at
        };
        self.entries[at] = Entry { header, patience: PATIENCE, ..Entry::default() };
        self.link(at);
        Some(at)
    }

    /// Puts an entry at the front of its list.
    fn link(&mut self, at: usize) {
        let first = &mut self.lists[list(self.entries[at].header)];
        self.entries[at].next = std::mem::replace(first, at as u16 + 1);
    }

    /// Takes an entry out of its list.
    fn unlink(&mut self, at: usize) {
        let Entry { header, next, .. } = self.entries[at];
        let mut link = self.lists[list(header)];
        if usize::from(link) == at + 1 {
            self.lists[list(header)] = next;
            return;
        }
        while let Some(before) = usize::from(link).checked_sub(1) {
            link = self.entries[before].next;
            if usize::from(link) == at + 1 {
                self.entries[before].next = next;
                return;
            }
        }
    }

    /// Takes the trace recorded after `Lookup::Analyze`; `None` where no trace can begin. One that is the same twice
    /// in a row is compiled.
    #[cold]
    pub fn learn(&mut self, entry: usize, threshold: u32, trace: Option<PacketTrace>, kernels: &Kernels) {
        let counted = |entry: &&mut Entry| matches!(entry.state, State::Counted);
        let Some(entry) = self.entries.get_mut(entry).filter(counted) else { return };
        let least = if threshold == 1 { 1 } else { MIN_STORED };
        let Some(trace) = trace.filter(|trace| trace.key.stored() >= least) else {
            entry.state = State::Never;
            return;
        };
        let hash = trace.hash();
        entry.tries += 1;
        if entry.candidate.replace(hash) == Some(hash) || threshold == 1 || entry.tries >= MAX_TRIES {
            let handle = kernels.packet_trace(&trace.key);
            entry.state = State::Compiling(Box::new((trace, handle)));
        }
    }

    /// Takes back what [`Self::lookup`] lent last. `whole`: all of its packets were done, or none was tried.
    #[inline]
    pub fn give_back(&mut self, compiled: Box<Compiled>, whole: bool) {
        // It is not running if the table was cleared meanwhile.
        let Some(entry) = self.entries.get_mut(self.last).filter(|entry| matches!(entry.state, State::Running)) else {
            return;
        };
        entry.misses = if whole { entry.misses.saturating_sub(1) } else { entry.misses + 1 };
        if entry.misses > MAX_MISSES && entry.renewals < MAX_RENEWALS {
            let Entry { header, next, patience, renewals, .. } = *entry;
            *entry = Entry { header, next, patience, count: 1, renewals: renewals + 1, ..Entry::default() };
        } else {
            entry.state = State::Ready(compiled);
        }
    }
}

impl Entry {
    /// Lends the code, if `words` begin with the trace.
    #[inline]
    fn take(&mut self, header: u32, words: &[u32]) -> Option<Lookup> {
        let State::Ready(ready) = &self.state else { return None };
        if self.header != header || !ready.trace.begins(words) {
            return None;
        }
        self.patience = PATIENCE;
        match std::mem::replace(&mut self.state, State::Running) {
            State::Ready(ready) => Some(Lookup::Run(ready)),
            _ => None,
        }
    }

    /// Notes that the header of entry `at`, which has no code, was met.
    fn met(&mut self, at: usize, threshold: u32) -> Lookup {
        self.patience = PATIENCE;
        self.count = self.count.saturating_add(1);
        match &self.state {
            State::Counted if self.count >= threshold => Lookup::Analyze(at),
            State::Compiling(_) => self.compiled(),
            _ => Lookup::Nothing,
        }
    }

    #[cold]
    fn compiled(&mut self) -> Lookup {
        let State::Compiling(waiting) = std::mem::replace(&mut self.state, State::Running) else {
            return Lookup::Nothing;
        };
        match waiting.1.compiled() {
            Some(kernel) => Lookup::Run(Box::new(Compiled { trace: waiting.0, kernel, _handle: waiting.1 })),
            None if waiting.1.is_unsupported() => {
                self.state = State::Never;
                Lookup::Nothing
            }
            None => {
                self.state = State::Compiling(waiting);
                Lookup::Nothing
            }
        }
    }
}

/// The list of a first header.
#[inline]
pub(super) fn list(header: u32) -> usize {
    (header.wrapping_mul(0x9E37_79B1) >> 24) as usize % LISTS
}
