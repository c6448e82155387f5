//! What something was derived from: stretches of guest memory, and what they held.
//!
//! ```text
//! reads of a derivation ──► Watch ──holds?──► nothing drawn since touches them, no page has changed: a few comparisons
//!                                        └──► pages have changed: the bytes are compared
//! ```

use super::Renderer;
use crate::mem::{Memory, Moment};
use crate::transfer::Place;

/// Reads of a derivation. One that was never finished holds for nothing.
#[derive(Debug, Default)]
pub struct Watch {
    /// Where, and how many of the bytes below.
    stretches: Vec<(Place, usize)>,
    /// What was read, stretch after stretch.
    bytes: Vec<u8>,
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
        Watch { seen: memory.moment(), ..Watch::default() }
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
    pub fn finish(mut self, sound: bool) -> Self {
        self.finished = sound;
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
        if self.clear_of != Some(renderer.target_number()) || memory.mapped_since(self.seen) {
            self.settle(renderer, memory);
        }
        let now = memory.moment();
        if now == self.seen {
            return true;
        }
        let changed = |&(Place { space, address }, size): &(Place, usize)| {
            memory.changed_since(self.seen, space, address, size as u64)
        };
        if self.stretches.iter().any(changed) && !self.is_same(memory) {
            self.finished = false;
            return false;
        }
        self.seen = now;
        true
    }

    /// Has what the scene writes of the stretches in memory; often that is nothing, whatever is drawn to the target.
    #[cold]
    fn settle(&mut self, renderer: &mut Renderer, memory: &Memory) {
        let mut clear = true;
        for &(place, size) in &self.stretches {
            renderer.flush_overlapping(memory, place.space, place.address, size as u64);
            clear &= !renderer.may_touch(memory, place, size as u64);
        }
        self.clear_of = clear.then(|| renderer.target_number());
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
