//! Packets that come again and again with the same headers: finding them, counting them, having them compiled.
//!
//! ```text
//! words ─► machine ── a place where a sequence may begin? ──► Sequences::at, by the first header
//!            │                                                   ├─ seen often: shape.rs ─► cache ─► code
//!            │◄── packets one by one, as always ◄── nothing yet ─┤
//!            │◄── behind the packets that were done ◄── run ◄────┴─ code is there
//! ```
//! Sequences begin where segments and lists begin, behind draws, behind sequences, and otherwise every
//! [`MOST_WORDS`] words: at the same words whether code runs or not. Nothing is hashed on the way; code
//! looks at its headers itself, and where one is another the machine goes on word by word. A header that makes code end early
//! may begin a sequence of its own, so that what is common to several is compiled once.
//!
//! A machine's table has a bounded number of places, each with what one sequence is known by, or with a header that is being
//! counted. Places of one first header are a list. The sequence that followed last time is tried before the list is.
//! Whoever is not met any more loses its place to what is.

pub mod shape;

use std::fmt;
use std::sync::Arc;

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::packet_trace::PacketTraceKernel;

use crate::cache::{Handle, Kernels, kinds};
use shape::{MOST_WORDS, Sequence};

/// How often a first header is met, as a rule, before what follows it is compiled: compiling pays for itself after some thousand
/// runs at the earliest.
pub const THRESHOLD: u32 = 4096;

/// Places of a table, and lists by first headers.
const PLACES: usize = 1024;
const LISTS: usize = 256;

/// Places of a list: sequences that begin alike.
const LONGEST: usize = 64;

/// How often others may want the place of what is not met meanwhile, before they get it.
const PATIENCE: u8 = 4;

/// Sequences of fewer words that are stored are not worth a call.
const LEAST_STORED: usize = 8;

/// Fewer words than this are not looked at.
const LEAST_WORDS: usize = 2 * LEAST_STORED;

/// How often what follows a header is looked at until it is twice the same.
const TRIES: u32 = 64;

/// Runs that end early before a sequence is looked at once more, and how often that is done.
const MISSES: u32 = 64;
const RENEWALS: u32 = 8;

/// A sequence with its code.
pub struct Ready {
    /// The sequence.
    pub sequence: Sequence,
    /// Its code.
    pub kernel: Arc<dyn PacketTraceKernel>,
    /// Has the cache know that the code is in use.
    _handle: Handle<kinds::PacketTrace>,
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

/// What there is for a first header.
#[derive(Debug, Default)]
enum State {
    /// It is counted.
    #[default]
    Counted,
    /// It is being compiled.
    Compiling(Box<(Sequence, Handle<kinds::PacketTrace>)>),
    /// It is compiled.
    Ready(Box<Ready>),
    /// It runs.
    Running,
    /// It is not worth it.
    Never,
}

/// A place: what is known about a first header, or a sequence.
#[derive(Debug, Default)]
struct Slot {
    header: u32,
    /// The next place of the list, and one more; 0 at its end.
    next: u16,
    /// What came behind it last.
    follower: u16,
    /// How often others may still want the place.
    patience: u8,
    /// How often it was met.
    count: u32,
    /// What followed it last, once it was met often.
    candidate: Option<ContentHash>,
    tries: u32,
    /// Runs that ended early, less those that did not.
    misses: u32,
    renewals: u32,
    state: State,
}

/// What can be done where a sequence may begin.
#[derive(Debug)]
pub enum Next {
    /// Nothing but to go on packet by packet.
    Nothing,
    /// What stands here was met often: [`Sequences::learn`] wants to know it, for this place.
    Look(usize),
    /// To run this, and give it back to [`Sequences::ran`].
    Run(Box<Ready>),
}

/// The sequences of a channel.
#[derive(Debug, Default)]
pub struct Sequences {
    slots: Vec<Slot>,
    /// The first place of each list, and one more.
    lists: Vec<u16>,
    /// The place that is wanted next.
    hand: usize,
    /// The place of what runs, or ran last.
    last: usize,
    /// Words until a sequence may begin, if nothing else lets one begin before.
    room: usize,
}

impl Sequences {
    /// Whether a sequence may begin here.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.room == 0
    }

    /// A sequence may begin at the next word.
    #[inline]
    pub fn begin(&mut self) {
        self.room = 0;
    }

    /// Where a sequence may begin was looked at; the next ones are behind it.
    #[inline]
    pub fn looked(&mut self) {
        self.room = MOST_WORDS;
    }

    /// A sequence may begin behind so many words.
    #[inline]
    pub fn begin_behind(&mut self, words: usize) {
        self.room = words;
    }

    /// Words that can pass before a sequence may begin.
    #[inline]
    pub fn room(&self) -> usize {
        self.room
    }

    /// So many words have passed.
    #[inline]
    pub fn passed(&mut self, words: usize) {
        self.room = self.room.saturating_sub(words);
    }

    /// A packet of so many words is next. If it does not fit behind those that have passed, a sequence may begin here: true.
    #[inline]
    pub fn crosses(&mut self, words: usize) -> bool {
        let crosses = words > self.room && self.room < MOST_WORDS;
        if crosses {
            self.room = 0;
        }
        crosses
    }

    /// Forgets everything: headers mean something else from now on.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.lists.clear();
        (self.hand, self.last) = (0, 0);
    }

    /// What to do where `words` begin, `header` being the first one there. `threshold`: how often it has to be met. Sequences that
    /// are longer than `words` are none.
    #[inline]
    pub fn at(&mut self, header: u32, words: &[u32], threshold: u32) -> Next {
        if let Some(last) = self.slots.get(self.last) {
            let follower = usize::from(last.follower);
            if let Some(next) = self.slots.get_mut(follower).and_then(|slot| slot.take(header, words)) {
                self.last = follower;
                return next;
            }
        }
        self.search(header, words, threshold)
    }

    /// What to do, by the list of the header.
    fn search(&mut self, header: u32, words: &[u32], threshold: u32) -> Next {
        let (mut counted, mut length, mut end) = (None, 0, None);
        let mut place = self.lists.get(list(header)).copied().unwrap_or(0);
        while let Some(at) = usize::from(place).checked_sub(1) {
            let slot = &mut self.slots[at];
            if let Some(next) = slot.take(header, words) {
                self.runs(at);
                return next;
            }
            if slot.header == header && !matches!(slot.state, State::Ready(_)) {
                counted = Some(at);
            }
            place = slot.next;
            (length, end) = (length + 1, Some(at));
        }
        // What is cut off says nothing about a header.
        if counted.is_none() && words.len() < LEAST_WORDS && threshold != 1 {
            return Next::Nothing;
        }
        let crowded = end.filter(|_| length >= LONGEST);
        let Some(at) = counted.or_else(|| self.insert(header, crowded)) else { return Next::Nothing };
        let next = self.slots[at].met(at, threshold);
        if let Next::Run(_) = next {
            self.runs(at);
        }
        next
    }

    /// Notes that the sequence of a place runs behind the one that ran last.
    fn runs(&mut self, at: usize) {
        if let Some(last) = self.slots.get_mut(self.last) {
            last.follower = at as u16;
        }
        self.last = at;
    }

    /// A place for a header: a new one, or that of another which nobody has met for long. `crowded`: the end of its list, if that
    /// is not to become any longer.
    #[cold]
    fn insert(&mut self, header: u32, crowded: Option<usize>) -> Option<usize> {
        self.lists.resize(LISTS, 0);
        let at = if crowded.is_none() && self.slots.len() < PLACES {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        } else {
            let at = crowded.unwrap_or(self.hand);
            if crowded.is_none() {
                self.hand = (at + 1) % PLACES;
            }
            let slot = &mut self.slots[at];
            slot.patience = slot.patience.saturating_sub(1);
            let stays = slot.patience != 0 || matches!(slot.state, State::Running);
            if stays && crowded.is_none() {
                return None;
            }
            self.unlink(at);
            if stays {
                // Another one is the list's end next time.
                self.link(at);
                return None;
            }
            at
        };
        self.slots[at] = Slot { header, patience: PATIENCE, ..Slot::default() };
        self.link(at);
        Some(at)
    }

    /// Puts a place at the front of its list.
    fn link(&mut self, at: usize) {
        let first = &mut self.lists[list(self.slots[at].header)];
        self.slots[at].next = std::mem::replace(first, at as u16 + 1);
    }

    /// Takes a place out of its list.
    fn unlink(&mut self, at: usize) {
        let Slot { header, next, .. } = self.slots[at];
        let mut place = self.lists[list(header)];
        if usize::from(place) == at + 1 {
            self.lists[list(header)] = next;
            return;
        }
        while let Some(before) = usize::from(place).checked_sub(1) {
            place = self.slots[before].next;
            if usize::from(place) == at + 1 {
                self.slots[before].next = next;
                return;
            }
        }
    }

    /// Takes what stands where [`Self::at`] wanted it to be looked at; `None` where no sequence can begin. What comes twice is
    /// compiled.
    #[cold]
    pub fn learn(&mut self, place: usize, threshold: u32, sequence: Option<Sequence>, kernels: &Kernels) {
        let counted = |slot: &&mut Slot| matches!(slot.state, State::Counted);
        let Some(slot) = self.slots.get_mut(place).filter(counted) else { return };
        let least = if threshold == 1 { 1 } else { LEAST_STORED };
        let Some(sequence) = sequence.filter(|sequence| sequence.key.stored() >= least) else {
            slot.state = State::Never;
            return;
        };
        let hash = sequence.hash();
        slot.tries += 1;
        if slot.candidate.replace(hash) == Some(hash) || threshold == 1 || slot.tries >= TRIES {
            let handle = kernels.packet_trace(&sequence.key);
            slot.state = State::Compiling(Box::new((sequence, handle)));
        }
    }

    /// Gives back what [`Self::at`] gave out last. `whole`: all of it was done.
    #[inline]
    pub fn ran(&mut self, ready: Box<Ready>, whole: bool) {
        // Running: nobody has forgotten everything meanwhile.
        let Some(slot) = self.slots.get_mut(self.last).filter(|slot| matches!(slot.state, State::Running)) else {
            return;
        };
        slot.misses = if whole { slot.misses.saturating_sub(1) } else { slot.misses + 1 };
        if slot.misses > MISSES && slot.renewals < RENEWALS {
            let Slot { header, next, patience, renewals, .. } = *slot;
            *slot = Slot { header, next, patience, count: 1, renewals: renewals + 1, ..Slot::default() };
        } else {
            slot.state = State::Ready(ready);
        }
    }
}

impl Slot {
    /// Takes code to run, if this is where `words` begin.
    #[inline]
    fn take(&mut self, header: u32, words: &[u32]) -> Option<Next> {
        let State::Ready(ready) = &self.state else { return None };
        if self.header != header || !ready.sequence.begins(words) {
            return None;
        }
        self.patience = PATIENCE;
        match std::mem::replace(&mut self.state, State::Running) {
            State::Ready(ready) => Some(Next::Run(ready)),
            _ => None,
        }
    }

    /// Notes that the header of place `at`, without code, was met.
    fn met(&mut self, at: usize, threshold: u32) -> Next {
        self.patience = PATIENCE;
        self.count = self.count.saturating_add(1);
        match &self.state {
            State::Counted if self.count >= threshold => Next::Look(at),
            State::Compiling(_) => self.compiled(),
            _ => Next::Nothing,
        }
    }

    #[cold]
    fn compiled(&mut self) -> Next {
        let State::Compiling(waiting) = std::mem::replace(&mut self.state, State::Running) else {
            return Next::Nothing;
        };
        match waiting.1.compiled() {
            Some(kernel) => Next::Run(Box::new(Ready { sequence: waiting.0, kernel, _handle: waiting.1 })),
            None if waiting.1.is_unsupported() => {
                self.state = State::Never;
                Next::Nothing
            }
            None => {
                self.state = State::Compiling(waiting);
                Next::Nothing
            }
        }
    }
}

/// The list of a first header.
#[inline]
fn list(header: u32) -> usize {
    (header.wrapping_mul(0x9E37_79B1) >> 24) as usize % LISTS
}

#[cfg(test)]
mod tests;
