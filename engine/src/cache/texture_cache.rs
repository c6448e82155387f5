//! Decoded copies of textures, with one policy for all machines.
//!
//! * A texture is looked at once per scene. While none of its pages has changed since the last look, the copy is valid.
//!   Else each part of it (a level of a layer, a face) whose pages have changed is hashed, and parts with other content
//!   are decoded again: who draws to one layer of an array pays for that layer.
//! * Copies take at most [`MAX_BYTES`]; the least recently used ones are removed.
//! * Large textures are decoded in pieces, on all threads.

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use triglyph_guest::kernel::Window;
use xxhash_rust::xxh3::Xxh3;

use crate::mem::{self, Epoch, GuestRange, Memory};
use crate::sched::Scheduler;

/// A texture in guest memory: where it is and how it is stored.
pub trait Source: Clone + Eq + Hash {
    /// A decoded copy.
    type Decoded: Clone;
    /// What decodes it.
    type Decoder<'d>: Copy;

    /// Parts that are compared and decoded each by itself.
    fn parts(&self) -> usize;

    /// The memory that its texels are in. What is not mapped reads 0.
    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange>;

    /// The memory of a part.
    fn part_range(&self, part: usize) -> GuestRange;

    /// The bytes of a part, as far as they are mapped.
    fn part_window<'m>(&self, memory: &'m Memory, part: usize) -> Window<'m>;

    /// Bytes of a decoded copy.
    fn decoded_bytes(&self) -> u64;

    /// Bytes of guest memory that a machine pays for when it uses the texture for the first time in a scene.
    fn charge(&self, memory: &Memory) -> u64;

    /// A copy of zeros.
    fn blank(&self) -> Self::Decoded;

    /// Decodes parts, in ascending order, into a copy, and hashes those whose content is not known. `scratch` is memory
    /// for any use.
    fn decode(
        &self,
        memory: &Memory,
        scheduler: &Scheduler,
        decoder: Self::Decoder<'_>,
        scratch: &mut Vec<u8>,
        parts: &mut [Part],
        decoded: &mut Self::Decoded,
    );
}

/// A part of a texture that is decoded.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Which one.
    pub number: usize,
    /// The hash of its bytes, once it is known.
    pub content: Option<u64>,
}

/// Bytes of decoded textures that are never exceeded. A single scene may need as many; textures beyond are not decoded.
pub const MAX_BYTES: u64 = 3 << 29;

/// Above so many bytes, textures that have not been used for [`IDLE_SCENES`] are removed.
const TARGET_BYTES: u64 = 1 << 29;

const IDLE_SCENES: u64 = 64;

/// Bytes of the largest texture that is decoded: 16384x16384 texels of bytes or 8192x8192 of floats, with all their
/// levels.
pub const MAX_TEXTURE_BYTES: u64 = 11 << 27;

/// Texels of a piece of a texture, about: decoding it takes some ten microseconds.
pub(super) const PIECE: u32 = 1 << 13;

/// About how long a thread takes to decode so many texels.
pub(super) fn decoding_time(texels: u64, compressed: bool) -> Duration {
    Duration::from_nanos(texels * if compressed { 3 } else { 1 })
}

/// The content hash of a part as it is in memory now.
pub(super) fn content_hash(window: Window<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    mem::for_each_chunk(window, |bytes| hasher.update(bytes));
    hasher.digest()
}

#[derive(Debug)]
struct Entry<D> {
    /// Content hashes of the parts.
    contents: Vec<u64>,
    /// When memory was known to have this content.
    seen: Epoch,
    decoded: Arc<D>,
    bytes: u64,
    /// The scene that used it last.
    scene: u64,
}

impl<D> Entry<D> {
    /// The parts that have other content now. With `all`, also pages that have not changed are compared.
    fn changed_parts<S: Source>(&self, memory: &Memory, source: &S, all: bool) -> Vec<Part> {
        let changed = |range| all || memory.changed_since(self.seen, range);
        if !source.memory_ranges().any(changed) {
            return Vec::new();
        }
        let parts = (0..source.parts()).filter(|&number| changed(source.part_range(number)));
        let parts = parts.map(|number| (number, content_hash(source.part_window(memory, number))));
        let other = parts.filter(|&(number, content)| self.contents[number] != content);
        other.map(|(number, content)| Part { number, content: Some(content) }).collect()
    }
}

/// Decoded copies by source.
#[derive(Debug)]
pub struct TextureCache<S: Source> {
    entries: HashMap<S, Entry<S::Decoded>>,
    scene: u64,
    /// Bytes of all copies.
    bytes: u64,
    scratch: Vec<u8>,
    charged: u64,
    /// Compares contents whether or not pages have changed.
    pub(crate) state_cache_disabled: bool,
}

impl<S: Source> Default for TextureCache<S> {
    fn default() -> Self {
        TextureCache {
            entries: HashMap::new(),
            scene: 0,
            bytes: 0,
            scratch: Vec::new(),
            charged: 0,
            state_cache_disabled: false,
        }
    }
}

impl<S: Source> TextureCache<S> {
    /// Starts a scene: every texture is looked at again when it is first used.
    pub fn start_scene(&mut self) {
        self.scene += 1;
        if self.bytes > TARGET_BYTES {
            self.evict(TARGET_BYTES, self.scene.saturating_sub(IDLE_SCENES));
        }
    }

    /// The sum of what sources have charged since the last call.
    pub fn take_charged(&mut self) -> u64 {
        std::mem::take(&mut self.charged)
    }

    /// The decoded copy of `source`; `None` when it is larger than [`MAX_TEXTURE_BYTES`], or the scene needs more than
    /// [`MAX_BYTES`].
    pub fn get(
        &mut self,
        memory: &Memory,
        scheduler: &Scheduler,
        source: &S,
        decoder: S::Decoder<'_>,
    ) -> Option<Arc<S::Decoded>> {
        let bytes = source.decoded_bytes();
        if bytes > MAX_TEXTURE_BYTES {
            return None;
        }
        if let Some(entry) = self.entries.get(source).filter(|entry| entry.scene == self.scene) {
            return Some(entry.decoded.clone());
        }
        // Charged whether or not the copy is valid: what a machine pays for must not depend on what the host does.
        self.charged += source.charge(memory);
        let now = memory.epoch();
        if !self.entries.contains_key(source) && !self.make_room(bytes) {
            return None;
        }
        let known = self.entries.entry(source.clone());
        let mut parts = match &known {
            Occupied(known) => known.get().changed_parts(memory, source, self.state_cache_disabled),
            Vacant(_) => (0..source.parts()).map(|number| Part { number, content: None }).collect(),
        };
        let entry = known.or_insert_with(|| {
            self.bytes += bytes;
            let (contents, decoded) = (vec![0; parts.len()], Arc::new(source.blank()));
            Entry { contents, seen: now, decoded, bytes, scene: self.scene }
        });
        if !parts.is_empty() {
            // Scenes that are still to be drawn keep the copy that they have.
            let decoded = Arc::make_mut(&mut entry.decoded);
            source.decode(memory, scheduler, decoder, &mut self.scratch, &mut parts, decoded);
        }
        for Part { number, content } in parts {
            entry.contents[number] = content.unwrap_or_default();
        }
        (entry.scene, entry.seen) = (self.scene, now);
        Some(entry.decoded.clone())
    }

    /// Makes room for so many bytes; false if this scene has used up all of it.
    fn make_room(&mut self, bytes: u64) -> bool {
        if self.bytes + bytes > MAX_BYTES {
            self.evict(TARGET_BYTES.saturating_sub(bytes), self.scene);
        }
        self.bytes + bytes <= MAX_BYTES
    }

    /// Removes the least recently used of the textures that were last used before scene `first_kept`, until copies take
    /// at most `target` bytes.
    fn evict(&mut self, target: u64, first_kept: u64) {
        let old = self.entries.values().filter(|entry| entry.scene < first_kept);
        let mut old: Vec<_> = old.map(|entry| (entry.scene, entry.bytes)).collect();
        old.sort_unstable();
        let mut limit = None;
        for (scene, bytes) in old {
            if self.bytes <= target && limit != Some(scene) {
                break;
            }
            self.bytes -= bytes;
            limit = Some(scene);
        }
        if let Some(limit) = limit {
            self.entries.retain(|_, entry| entry.scene > limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::device::Access;
    use crate::mem::GuestAddr;

    /// A texture of two pages, its parts, that decode to their first bytes. Counts how many parts were decoded.
    #[derive(Clone)]
    struct Pages {
        number: u64,
        bytes: u64,
        decoded: Rc<Cell<u32>>,
    }

    impl PartialEq for Pages {
        fn eq(&self, other: &Pages) -> bool {
            self.number == other.number
        }
    }

    impl Eq for Pages {}

    impl Hash for Pages {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.number.hash(state);
        }
    }

    impl Source for Pages {
        type Decoded = [u8; 2];
        type Decoder<'d> = ();

        fn parts(&self) -> usize {
            2
        }

        fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
            std::iter::once(GuestRange::new(0, self.number << 13, 1 << 13))
        }

        fn part_range(&self, part: usize) -> GuestRange {
            GuestRange::new(0, (self.number << 13) + ((part as u64) << 12), 1 << 12)
        }

        fn part_window<'m>(&self, memory: &'m Memory, part: usize) -> Window<'m> {
            memory.readable(self.part_range(part).start).first(1 << 12)
        }

        fn decoded_bytes(&self) -> u64 {
            self.bytes
        }

        fn charge(&self, _: &Memory) -> u64 {
            3
        }

        fn blank(&self) -> [u8; 2] {
            [0; 2]
        }

        fn decode(
            &self,
            memory: &Memory,
            _: &Scheduler,
            (): (),
            _: &mut Vec<u8>,
            parts: &mut [Part],
            decoded: &mut [u8; 2],
        ) {
            self.decoded.set(self.decoded.get() + parts.len() as u32);
            for part in parts {
                let window = self.part_window(memory, part.number);
                [decoded[part.number]] = window.read(0);
                part.content.get_or_insert_with(|| content_hash(window));
            }
        }
    }

    /// Half of what copies take that are not used for long.
    const SIXTH: u64 = MAX_BYTES / 6;

    struct Textures {
        memory: Memory,
        scheduler: Scheduler,
        cache: TextureCache<Pages>,
        decoded: Rc<Cell<u32>>,
    }

    impl Textures {
        fn new() -> Self {
            let mut memory = Memory::default();
            memory.map(GuestRange::new(0, 0, 1 << 20), Access::READ_WRITE).unwrap();
            let (scheduler, cache) = (Scheduler::new(1).unwrap(), TextureCache::default());
            Textures { memory, scheduler, cache, decoded: Rc::default() }
        }

        /// The texture of a page in a scene of its own, and whether it was decoded for that.
        fn look(&mut self, number: u64, bytes: u64) -> (Option<u8>, bool) {
            self.cache.start_scene();
            self.look_again(number, bytes)
        }

        fn look_again(&mut self, number: u64, bytes: u64) -> (Option<u8>, bool) {
            let before = self.decoded.get();
            let page = Pages { number, bytes, decoded: self.decoded.clone() };
            let found = self.cache.get(&self.memory, &self.scheduler, &page, ());
            (found.map(|bytes| bytes[0]), self.decoded.get() != before)
        }
    }

    #[test]
    fn only_other_content_is_decoded_again() {
        let mut textures = Textures::new();
        assert_eq!(textures.look(5, 8), (Some(0), true));
        assert_eq!(textures.look(5, 8), (Some(0), false));
        textures.memory.write(GuestAddr::new(0, 5 << 13), &[0]).unwrap();
        assert_eq!(textures.look(5, 8), (Some(0), false), "written, but the same");
        textures.memory.write(GuestAddr::new(0, 5 << 13), &[7]).unwrap();
        assert_eq!(textures.look_again(5, 8), (Some(0), false), "one look for a scene");
        assert_eq!(textures.look(5, 8), (Some(7), true));
        assert_eq!((textures.cache.bytes, textures.cache.entries.len()), (8, 1));
        assert_eq!((textures.cache.take_charged(), textures.cache.take_charged()), (12, 0));
    }

    #[test]
    fn only_parts_with_other_content_are_decoded_again() {
        let mut textures = Textures::new();
        let second = GuestAddr::new(0, (5 << 13) + (1 << 12));
        assert_eq!(textures.look(5, 8), (Some(0), true));
        let mut look = |first: &[u8], second_byte: u8| {
            textures.memory.write(GuestAddr::new(0, 5 << 13), first).unwrap();
            textures.memory.write(second, &[second_byte]).unwrap();
            textures.cache.start_scene();
            let before = textures.decoded.get();
            let pages = Pages { number: 5, bytes: 8, decoded: textures.decoded.clone() };
            let found = textures.cache.get(&textures.memory, &textures.scheduler, &pages, ()).unwrap();
            (found, textures.decoded.get() - before)
        };
        let (first, count) = look(&[], 7);
        assert_eq!((*first, count), ([0, 7], 1));
        let (next, count) = look(&[9], 7);
        assert_eq!((*next, count), ([9, 7], 1));
        assert_eq!(*first, [0, 7], "who still has the copy of a scene before keeps it");
        assert_eq!(look(&[1], 2).1, 2);
    }

    #[test]
    fn the_least_recently_used_leave_when_there_is_no_room() {
        let mut textures = Textures::new();
        for number in 0..6 {
            assert_eq!(textures.look(number, SIXTH), (Some(0), true));
        }
        assert_eq!(textures.look(0, SIXTH), (Some(0), false), "all of them fit");
        assert_eq!(textures.look(6, SIXTH), (Some(0), true));
        assert_eq!(textures.cache.bytes, TARGET_BYTES);
        assert_eq!([0, 6].map(|number| textures.look(number, SIXTH).1), [false, false]);
        assert!(textures.look(1, SIXTH).1);
    }

    #[test]
    fn a_scene_has_no_more_than_there_is_room_for() {
        let mut textures = Textures::new();
        textures.cache.start_scene();
        for number in 0..6 {
            assert_eq!(textures.look_again(number, SIXTH).0, Some(0));
        }
        assert_eq!(textures.look_again(6, 4), (None, false));
        assert_eq!(textures.look_again(3, SIXTH), (Some(0), false));
        assert_eq!(textures.look(6, 4).0, Some(0), "the next scene has room");
        assert_eq!(textures.look(7, MAX_TEXTURE_BYTES + 1), (None, false));
    }

    #[test]
    fn what_is_not_used_for_long_leaves_above_the_target() {
        let mut textures = Textures::new();
        for number in 0..3 {
            textures.look(number, SIXTH);
        }
        for _ in 0..IDLE_SCENES {
            textures.look(2, SIXTH);
        }
        assert_eq!(textures.cache.bytes, TARGET_BYTES, "the first one has left");
        assert_eq!([1, 2, 0].map(|number| textures.look(number, SIXTH).1), [false, false, true]);
    }
}
