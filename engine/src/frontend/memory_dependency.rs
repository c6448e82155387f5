//! The guest memory that a value was derived from, and whether it still has the same bytes.
//!
//! ```text
//! reads of a derivation ──► MemoryDependency::is_valid ─┬─► no draw since writes them, no page has changed: a few comparisons
//!                                                       └─► a page has changed: the bytes are compared
//! ```

use crate::mem::{Epoch, FoundPages, GuestAddr, Memory};
use crate::render::{Pipeline, Renderer};

/// The ranges that a derivation read, with their bytes. It is never valid before [`Self::finish`].
#[derive(Debug, Default)]
pub struct MemoryDependency {
    /// Start and size in bytes of each range.
    ranges: Vec<(GuestAddr, usize)>,
    /// The bytes of all ranges, in their order.
    bytes: Vec<u8>,
    /// The pages of the ranges, as they were mapped at `validated`.
    pages: FoundPages,
    /// When memory was last known to have these bytes.
    validated: Epoch,
    /// The number of a target that draws cannot write the ranges through.
    clear_of: Option<u64>,
    /// Whether the bytes are complete and the derivation was sound.
    finished: bool,
}

/// Bytes that are compared at a time.
const CHUNK: usize = 1024;

impl MemoryDependency {
    /// A dependency without ranges; reads are added with [`Self::note`]. It has the allocations of another one.
    pub fn begin(before: MemoryDependency, memory: &Memory) -> Self {
        let MemoryDependency { mut ranges, mut bytes, mut pages, .. } = before;
        ranges.clear();
        bytes.clear();
        pages.clear();
        ranges.reserve(16);
        bytes.reserve(512);
        MemoryDependency { ranges, bytes, pages, validated: memory.epoch(), clear_of: None, finished: false }
    }

    /// Reuses the allocations for a single range, which [`Self::read_again`] has to read.
    pub fn retarget(mut self, place: GuestAddr, size: usize) -> Self {
        self.ranges.clear();
        self.ranges.push((place, size));
        self.pages.clear();
        self.bytes.resize(size, 0);
        MemoryDependency { clear_of: None, finished: false, ..self }
    }

    /// Reads all ranges again, after the scene was drawn if it writes any of them. Unmapped bytes read as zero, and the
    /// dependency is not valid then; returns the address of the first such range and how many of its bytes are
    /// unmapped.
    pub fn read_again<P: Pipeline>(&mut self, renderer: &mut Renderer<P>, memory: &Memory) -> Option<(u64, usize)> {
        self.flush_writers(renderer, memory);
        if self.pages.is_empty() || memory.mapped_since(self.validated) {
            self.find_pages(memory);
        }
        self.validated = memory.epoch();
        let (mut missing, mut rest) = (None, &mut self.bytes[..]);
        for &(place, size) in &self.ranges {
            let (range, after) = rest.split_at_mut(size);
            let absent = memory.read_pieces(place, range);
            missing = missing.or((absent != 0).then_some((place.address, absent)));
            rest = after;
        }
        self.finished = missing.is_none();
        missing
    }

    /// Notes that `bytes` were read at a place.
    pub fn note(&mut self, place: GuestAddr, bytes: &[u8]) {
        match self.ranges.last_mut() {
            Some((last, size)) if last.space == place.space && last.address + *size as u64 == place.address => {
                *size += bytes.len();
            }
            _ => self.ranges.push((place, bytes.len())),
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends the reads. With `sound` false the dependency is never valid: the derivation reported a fault, which has to
    /// be reported again each time.
    pub fn finish<P: Pipeline>(mut self, renderer: &mut Renderer<P>, memory: &Memory, sound: bool) -> Self {
        self.finished = sound;
        self.find_pages(memory);
        self.check_target(renderer, memory);
        self
    }

    /// The bytes of all ranges, in their order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether draws to the current target cannot change what was read. Then the dependency is valid until memory
    /// changes or scenes have another target.
    pub fn is_clear<P: Pipeline>(&self, renderer: &Renderer<P>) -> bool {
        self.finished && self.clear_of == Some(renderer.target_number())
    }

    /// Whether a derivation would read the same bytes now, with all earlier draws done.
    pub fn is_valid<P: Pipeline>(&mut self, renderer: &mut Renderer<P>, memory: &Memory) -> bool {
        if !self.finished || renderer.state_cache_disabled() {
            return false;
        }
        self.flush_writers(renderer, memory);
        let now = memory.epoch();
        if now == self.validated {
            return true;
        }
        if self.pages.changed_since(memory, self.validated) {
            if !self.is_same(memory) {
                self.finished = false;
                return false;
            }
            if memory.mapped_since(self.validated) {
                self.find_pages(memory);
            }
        }
        self.validated = now;
        true
    }

    fn find_pages(&mut self, memory: &Memory) {
        self.pages.clear();
        for &(place, size) in &self.ranges {
            self.pages.add(memory, place.range(size as u64));
        }
    }

    /// Draws the scene if it writes any of the ranges. Usually it is known that it writes none.
    fn flush_writers<P: Pipeline>(&mut self, renderer: &mut Renderer<P>, memory: &Memory) {
        if self.clear_of == Some(renderer.target_number()) && !memory.mapped_since(self.validated) {
            return;
        }
        for &(place, size) in &self.ranges {
            renderer.flush_overlapping(memory, place.range(size as u64));
        }
        self.check_target(renderer, memory);
    }

    /// Checks whether draws to the current target can write any of the ranges.
    fn check_target<P: Pipeline>(&mut self, renderer: &mut Renderer<P>, memory: &Memory) {
        let touched = self.ranges.iter().any(|&(place, size)| renderer.may_touch(memory, place.range(size as u64)));
        self.clear_of = (!touched).then(|| renderer.target_number());
    }

    fn is_same(&self, memory: &Memory) -> bool {
        let mut chunk = [0; CHUNK];
        let mut rest = &self.bytes[..];
        self.ranges.iter().all(|&(place, size)| {
            let (range, after) = rest.split_at(size);
            rest = after;
            range.chunks(CHUNK).zip((place.address..).step_by(CHUNK)).all(|(held, address)| {
                let now = &mut chunk[..held.len()];
                memory.read_pieces(GuestAddr::new(place.space, address), now) == 0 && now == held
            })
        })
    }
}
