//! Decoded copies of textures, with one policy for all machines.
//!
//! * A texture is looked at once per scene. While none of its pages has changed since the last look, the copy is valid;
//!   else the content hash of its bytes is compared, and only other content is decoded.
//! * Copies take at most [`MAX_BYTES`]; the least recently used ones are removed.
//! * Large textures are decoded in pieces, on all threads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3;

use crate::mem::{self, Epoch, GuestRange, Memory};
use crate::sched::Scheduler;

/// A texture in guest memory: where it is and how it is stored.
pub trait Source: Clone + Eq + Hash {
    /// A decoded copy.
    type Decoded;
    /// What decodes it.
    type Decoder<'d>: Copy;

    /// The memory that its texels are in. What is not mapped reads 0.
    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange>;

    /// Bytes of a decoded copy.
    fn decoded_bytes(&self) -> u64;

    /// Bytes of guest memory that a machine pays for when it uses the texture for the first time in a scene.
    fn charge(&self, memory: &Memory) -> u64;

    /// A decoded copy, and the content hash: `content` if the caller knows it. `scratch` is memory for any use.
    fn decode(
        &self,
        memory: &Memory,
        scheduler: &Scheduler,
        decoder: Self::Decoder<'_>,
        scratch: &mut Vec<u8>,
        content: Option<u64>,
    ) -> (Self::Decoded, u64);
}

/// Bytes of decoded textures that are never exceeded. A single scene may need as many; textures beyond are not decoded.
pub const MAX_BYTES: u64 = 1 << 30;

/// Above so many bytes, textures that have not been used for [`IDLE_SCENES`] are removed.
const TARGET_BYTES: u64 = MAX_BYTES / 2;

const IDLE_SCENES: u64 = 64;

/// Bytes of the largest texture that is decoded: 8192x8192 texels of bytes or 4096x4096 of floats, with all their
/// levels.
pub const MAX_TEXTURE_BYTES: u64 = 3 << 27;

/// Texels of a piece of a texture, about: decoding it takes some ten microseconds.
pub(super) const PIECE: u32 = 1 << 13;

/// About how long a thread takes to decode so many texels.
pub(super) fn decoding_time(texels: u64, compressed: bool) -> Duration {
    Duration::from_nanos(texels * if compressed { 3 } else { 1 })
}

/// The content hash of a texture as it is in memory now.
pub(super) fn content_hash(memory: &Memory, source: &impl Source) -> u64 {
    let mut hasher = Xxh3::new();
    for range in source.memory_ranges() {
        mem::for_each_chunk(memory.readable(range.start).first(range.size as usize), |bytes| hasher.update(bytes));
    }
    hasher.digest()
}

#[derive(Debug)]
struct Entry<D> {
    content: u64,
    /// When memory was known to have this content.
    seen: Epoch,
    decoded: Arc<D>,
    bytes: u64,
    /// The scene that used it last.
    scene: u64,
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
        let mut content = None;
        if let Some(entry) = self.entries.get_mut(source) {
            let changed = |range| memory.changed_since(entry.seen, range);
            if self.state_cache_disabled || source.memory_ranges().any(changed) {
                content = Some(content_hash(memory, source));
            }
            if content.is_none_or(|content| content == entry.content) {
                (entry.scene, entry.seen) = (self.scene, now);
                return Some(entry.decoded.clone());
            }
        }
        if !self.make_room(bytes) {
            return None;
        }
        let (decoded, content) = source.decode(memory, scheduler, decoder, &mut self.scratch, content);
        let decoded = Arc::new(decoded);
        self.bytes += bytes;
        let entry = Entry { content, seen: now, decoded: decoded.clone(), bytes, scene: self.scene };
        if let Some(old) = self.entries.insert(source.clone(), entry) {
            self.bytes -= old.bytes;
        }
        Some(decoded)
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

    /// A texture of one page that decodes to its first byte, and counts how often.
    #[derive(Clone)]
    struct Page {
        number: u64,
        bytes: u64,
        decoded: Rc<Cell<u32>>,
    }

    impl PartialEq for Page {
        fn eq(&self, other: &Page) -> bool {
            self.number == other.number
        }
    }

    impl Eq for Page {}

    impl Hash for Page {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.number.hash(state);
        }
    }

    impl Source for Page {
        type Decoded = u8;
        type Decoder<'d> = ();

        fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
            std::iter::once(GuestRange::new(0, self.number << 12, 1 << 12))
        }

        fn decoded_bytes(&self) -> u64 {
            self.bytes
        }

        fn charge(&self, _: &Memory) -> u64 {
            3
        }

        fn decode(&self, memory: &Memory, _: &Scheduler, (): (), _: &mut Vec<u8>, content: Option<u64>) -> (u8, u64) {
            self.decoded.set(self.decoded.get() + 1);
            let [byte] = memory.readable(GuestAddr::new(0, self.number << 12)).read(0);
            (byte, content.unwrap_or_else(|| content_hash(memory, self)))
        }
    }

    struct Textures {
        memory: Memory,
        scheduler: Scheduler,
        cache: TextureCache<Page>,
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
            let page = Page { number, bytes, decoded: self.decoded.clone() };
            let found = self.cache.get(&self.memory, &self.scheduler, &page, ());
            (found.map(|byte| *byte), self.decoded.get() != before)
        }
    }

    #[test]
    fn only_other_content_is_decoded_again() {
        let mut textures = Textures::new();
        assert_eq!(textures.look(5, 8), (Some(0), true));
        assert_eq!(textures.look(5, 8), (Some(0), false));
        textures.memory.write(GuestAddr::new(0, 5 << 12), &[0]).unwrap();
        assert_eq!(textures.look(5, 8), (Some(0), false), "written, but the same");
        textures.memory.write(GuestAddr::new(0, 5 << 12), &[7]).unwrap();
        assert_eq!(textures.look_again(5, 8), (Some(0), false), "one look for a scene");
        assert_eq!(textures.look(5, 8), (Some(7), true));
        assert_eq!((textures.cache.bytes, textures.cache.entries.len()), (8, 1));
        assert_eq!((textures.cache.take_charged(), textures.cache.take_charged()), (12, 0));
    }

    #[test]
    fn the_least_recently_used_leave_when_there_is_no_room() {
        let mut textures = Textures::new();
        const QUARTER: u64 = MAX_BYTES / 4;
        for number in 0..4 {
            assert_eq!(textures.look(number, QUARTER), (Some(0), true));
        }
        assert_eq!(textures.look(0, QUARTER), (Some(0), false), "all of them fit");
        assert_eq!(textures.look(4, QUARTER), (Some(0), true));
        assert_eq!(textures.cache.bytes, 2 * QUARTER);
        assert_eq!([0, 4].map(|number| textures.look(number, QUARTER).1), [false, false]);
        assert!(textures.look(1, QUARTER).1);
    }

    #[test]
    fn a_scene_has_no_more_than_there_is_room_for() {
        let mut textures = Textures::new();
        textures.cache.start_scene();
        for number in 0..4 {
            assert_eq!(textures.look_again(number, MAX_BYTES / 4).0, Some(0));
        }
        assert_eq!(textures.look_again(4, 4), (None, false));
        assert_eq!(textures.look_again(3, MAX_BYTES / 4), (Some(0), false));
        assert_eq!(textures.look(4, 4).0, Some(0), "the next scene has room");
        assert_eq!(textures.look(5, MAX_TEXTURE_BYTES + 1), (None, false));
    }

    #[test]
    fn what_is_not_used_for_long_leaves_above_the_target() {
        let mut textures = Textures::new();
        for number in 0..3 {
            textures.look(number, MAX_BYTES / 4);
        }
        for _ in 0..IDLE_SCENES {
            textures.look(2, MAX_BYTES / 4);
        }
        assert_eq!(textures.cache.bytes, TARGET_BYTES, "the first one has left");
        assert_eq!([1, 2, 0].map(|number| textures.look(number, MAX_BYTES / 4).1), [false, false, true]);
    }
}
