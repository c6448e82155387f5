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
//! A machine's table has a bounded number of places, a few for each first header, so that sequences may begin alike. What meets
//! in a place wears each other out.

pub mod shape;

use std::fmt;
use std::sync::Arc;

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::sequence::SequenceKernel;

use crate::cache::{Kernels, SequenceHandle};
use shape::{MOST_WORDS, Sequence};

/// How often a first header should be met before what follows it is compiled, for hosts that want that: compiling pays for itself
/// after some thousand runs at the earliest.
pub const THRESHOLD: u32 = 4096;

/// Places of a table: sets, and places of a set.
const SETS: usize = 128;
const WAYS: usize = 4;

/// Sequences of fewer words that are stored are not worth a call.
const LEAST_STORED: usize = 8;

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
    pub kernel: Arc<dyn SequenceKernel>,
    /// Has the cache know that the code is in use.
    _handle: SequenceHandle,
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
    Compiling(Box<(Sequence, SequenceHandle)>),
    /// It is compiled.
    Ready(Box<Ready>),
    /// It runs.
    Running,
    /// It is not worth it.
    Never,
}

/// What is known about a first header.
#[derive(Debug, Default)]
struct Slot {
    header: u32,
    /// How often it was met; 0 in places that are free.
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
    /// What stands here was met often: [`Sequences::learn`] wants to know it.
    Look,
    /// To run this, and give it back to [`Sequences::ran`].
    Run(Box<Ready>),
}

/// The sequences of a channel.
#[derive(Debug, Default)]
pub struct Sequences {
    places: Vec<[Slot; WAYS]>,
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
        self.places.clear();
    }

    /// What to do where `words` begin, `header` being the first one there. `threshold`: how often it has to be met.
    #[inline]
    pub fn at(&mut self, header: u32, words: &[u32], threshold: u32) -> Next {
        if self.places.is_empty() {
            self.places.resize_with(SETS, Default::default);
        }
        let set = &mut self.places[set(header)];
        let mut counted = None;
        for (way, slot) in set.iter_mut().enumerate().filter(|(_, slot)| slot.header == header && slot.count != 0) {
            if let State::Ready(ready) = &slot.state {
                if ready.sequence.begins(words) {
                    slot.count = slot.count.saturating_add(1);
                    return slot.take();
                }
            } else {
                counted = Some(way);
            }
        }
        match counted {
            Some(way) => set[way].met(threshold),
            None => insert(set, header, threshold),
        }
    }

    /// Takes what follows a header that [`Self::at`] wanted to be looked at; `None` where no sequence can begin. What comes
    /// twice is compiled.
    #[cold]
    pub fn learn(&mut self, header: u32, threshold: u32, sequence: Option<Sequence>, kernels: &Kernels) {
        let mut slots = self.places.get_mut(set(header)).into_iter().flatten();
        let counted = |slot: &&mut Slot| slot.header == header && matches!(slot.state, State::Counted);
        let Some(slot) = slots.find(counted) else { return };
        let least = if threshold == 1 { 1 } else { LEAST_STORED };
        let Some(sequence) = sequence.filter(|sequence| sequence.key.stored() >= least) else {
            slot.state = State::Never;
            return;
        };
        let hash = sequence.hash();
        slot.tries += 1;
        if slot.candidate.replace(hash) == Some(hash) || threshold == 1 || slot.tries >= TRIES {
            let handle = kernels.sequence(&sequence.key);
            slot.state = State::Compiling(Box::new((sequence, handle)));
        }
    }

    /// Gives back what [`Self::at`] gave out. `whole`: all of it was done.
    #[inline]
    pub fn ran(&mut self, header: u32, ready: Box<Ready>, whole: bool) {
        let mut slots = self.places.get_mut(set(header)).into_iter().flatten();
        let running = |slot: &&mut Slot| slot.header == header && matches!(slot.state, State::Running);
        let Some(slot) = slots.find(running) else { return };
        slot.misses = if whole { slot.misses.saturating_sub(1) } else { slot.misses + 1 };
        if slot.misses > MISSES && slot.renewals < RENEWALS {
            let renewals = slot.renewals + 1;
            *slot = Slot { header, count: 1, renewals, ..Slot::default() };
        } else {
            slot.state = State::Ready(ready);
        }
    }
}

impl Slot {
    /// Takes code to run.
    #[inline]
    fn take(&mut self) -> Next {
        match std::mem::replace(&mut self.state, State::Running) {
            State::Ready(ready) => Next::Run(ready),
            other => {
                self.state = other;
                Next::Nothing
            }
        }
    }

    /// Notes that a header without code was met.
    fn met(&mut self, threshold: u32) -> Next {
        self.count = self.count.saturating_add(1);
        match &self.state {
            State::Counted if self.count >= threshold => Next::Look,
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
            None if waiting.1.is_refused() => {
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

/// A header that has no place yet: whoever of its set was met least wears out, and goes in the end.
#[cold]
fn insert(set: &mut [Slot; WAYS], header: u32, threshold: u32) -> Next {
    let Some(slot) = set.iter_mut().min_by_key(|slot| slot.count.min(threshold)) else { return Next::Nothing };
    slot.count = slot.count.min(threshold).saturating_sub(1);
    if slot.count != 0 {
        return Next::Nothing;
    }
    *slot = Slot { header, ..Slot::default() };
    slot.met(threshold)
}

/// The set of a first header.
#[inline]
fn set(header: u32) -> usize {
    (header.wrapping_mul(0x9E37_79B1) >> 25) as usize % SETS
}

#[cfg(test)]
mod tests;
