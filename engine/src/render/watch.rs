//! What something was derived from: stretches of guest memory, and what they held.
//!
//! ```text
//! reads of a derivation ──► Watch ──holds?──► nothing drawn since touches them, no page has changed: a few comparisons
//!                                        └──► pages have changed: the bytes are compared
//! ```

use super::Renderer;
use crate::mem::{FoundPages, Memory, Moment};
use crate::transfer::Place;

/// Reads of a derivation. One that was never finished holds for nothing.
#[derive(Debug, Default)]
pub struct Watch {
    /// Where, and how many of the bytes below.
    stretches: Vec<(Place, usize)>,
    /// What was read, stretch after stretch.
    bytes: Vec<u8>,
    /// The pages that this lies in, as mapped when it was seen.
    pages: FoundPages,
    /// When it was known to be in memory.
    seen: Moment,
    /// The number of the target whose scenes are known not to touch the stretches.
    clear_of: Option<u64>,
    /// Whether there is anything to hold.
    finished: bool,
}

/// Bytes that are compared at a time.
const CHUNK: usize = 1024;

impl Watch {
    /// To be filled with what is read from now on.
    pub fn begin(memory: &Memory) -> Self {
        let (stretches, bytes) = (Vec::with_capacity(16), Vec::with_capacity(512));
        Watch { stretches, bytes, seen: memory.moment(), ..Watch::default() }
    }

    /// The same, but of a single stretch, still to be read.
    pub fn aimed(mut self, place: Place, size: usize) -> Self {
        self.stretches.clear();
        self.stretches.push((place, size));
        self.pages.clear();
        self.bytes.resize(size, 0);
        Watch { clear_of: None, finished: false, ..self }
    }

    /// Reads everything anew; what is drawn is in memory before. What is not mapped reads zero, and such a watch never holds.
    /// Returns the address and the number of such bytes.
    pub fn read_again(&mut self, renderer: &mut Renderer, memory: &Memory) -> Option<(u64, usize)> {
        self.settle(renderer, memory);
        if self.pages.is_empty() || memory.mapped_since(self.seen) {
            self.find_pages(memory);
        }
        self.seen = memory.moment();
        let (mut missing, mut rest) = (None, &mut self.bytes[..]);
        for &(Place { space, address }, size) in &self.stretches {
            let (stretch, after) = rest.split_at_mut(size);
            let absent = memory.read_pieces(space, address, stretch);
            missing = missing.or((absent != 0).then_some((address, absent)));
            rest = after;
        }
        self.finished = missing.is_none();
        missing
    }

    /// Notes that `bytes` were read at a place.
    pub fn note(&mut self, place: Place, bytes: &[u8]) {
        match self.stretches.last_mut() {
            Some((last, size)) if last.space == place.space && last.address + *size as u64 == place.address => {
                *size += bytes.len();
            }
            _ => self.stretches.push((place, bytes.len())),
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Everything was read. Without `sound`, something was wrong with it: it never holds, so that what is wrong is found
    /// again each time.
    pub fn finish(mut self, renderer: &mut Renderer, memory: &Memory, sound: bool) -> Self {
        self.finished = sound;
        self.find_pages(memory);
        self.look_for_target(renderer, memory);
        self
    }

    /// What was read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether nothing that is drawn to the target of scenes can change what was read. Then it holds until memory changes or
    /// scenes have another target.
    pub fn is_clear(&self, renderer: &Renderer) -> bool {
        self.finished && self.clear_of == Some(renderer.target_number())
    }

    /// Whether a derivation would read the same now, after everything drawn before.
    pub fn holds(&mut self, renderer: &mut Renderer, memory: &Memory) -> bool {
        if !self.finished || renderer.is_forgetful() {
            return false;
        }
        self.settle(renderer, memory);
        let now = memory.moment();
        if now == self.seen {
            return true;
        }
        if self.pages.changed_since(memory, self.seen) {
            if !self.is_same(memory) {
                self.finished = false;
                return false;
            }
            if memory.mapped_since(self.seen) {
                self.find_pages(memory);
            }
        }
        self.seen = now;
        true
    }

    fn find_pages(&mut self, memory: &Memory) {
        self.pages.clear();
        for &(Place { space, address }, size) in &self.stretches {
            self.pages.add(memory, space, address, size);
        }
    }

    /// Has what the scene writes of the stretches in memory. Mostly it is known that it writes none of them.
    fn settle(&mut self, renderer: &mut Renderer, memory: &Memory) {
        if self.clear_of == Some(renderer.target_number()) && !memory.mapped_since(self.seen) {
            return;
        }
        for &(place, size) in &self.stretches {
            renderer.flush_overlapping(memory, place.space, place.address, size as u64);
        }
        self.look_for_target(renderer, memory);
    }

    /// Finds out whether the stretches are clear of the target of scenes.
    fn look_for_target(&mut self, renderer: &mut Renderer, memory: &Memory) {
        let touched = self.stretches.iter().any(|&(place, size)| renderer.may_touch(memory, place, size as u64));
        self.clear_of = (!touched).then(|| renderer.target_number());
    }

    fn is_same(&self, memory: &Memory) -> bool {
        let mut chunk = [0; CHUNK];
        let mut rest = &self.bytes[..];
        self.stretches.iter().all(|&(place, size)| {
            let (stretch, after) = rest.split_at(size);
            rest = after;
            stretch.chunks(CHUNK).zip((place.address..).step_by(CHUNK)).all(|(held, address)| {
                let now = &mut chunk[..held.len()];
                memory.read_pieces(place.space, address, now) == 0 && now == held
            })
        })
    }
}

/// Elements of arrays that draws read again and again: how many are known to be clear of all that is drawn to the target of scenes.
#[derive(Debug, Default)]
pub struct Clearance(Option<(u64, Moment, u32)>);

impl Clearance {
    /// Whether the elements up to `last` are clear.
    pub fn covers(&self, renderer: &Renderer, memory: &Memory, last: u32) -> bool {
        let current =
            |(target, made, most)| last <= most && target == renderer.target_number() && !memory.mapped_since(made);
        self.0.is_some_and(current) && !renderer.is_forgetful()
    }

    /// Looks how many are, from `last` on: some more, so that draws that go through arrays need not look again. `bytes` gives
    /// the stretches that elements up to a number lie in, `None` for one that does not count.
    pub fn looking<I: Iterator<Item = Option<(Place, u64)>>>(
        renderer: &mut Renderer,
        memory: &Memory,
        last: u32,
        bytes: impl Fn(u32) -> I,
    ) -> Self {
        let more = last.saturating_add(1).checked_next_power_of_two().map_or(last, |power| 2 * (power - 1));
        let mut clear = |stretch: Option<(Place, u64)>| {
            stretch.is_some_and(|(place, size)| !renderer.may_touch(memory, place, size))
        };
        let most = [more.max(last), last].into_iter().find(|&most| bytes(most).all(&mut clear));
        Clearance(most.map(|most| (renderer.target_number(), memory.moment(), most)))
    }
}
