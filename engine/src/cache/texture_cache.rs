//! Decoded copies of textures, with one policy for all machines.
//!
//! * A texture is checked once per scene. While none of its pages has changed since the last check, the copy is valid.
//!   Else each part of it (a level of a layer, a face) whose pages have changed is hashed, and parts with other content
//!   are decoded again: a draw to one layer of an array costs one layer.
//! * Copies take at most [`MAX_BYTES`]; the least recently used ones are removed.
//! * A copy whose memory is not mapped any more, or is other memory by now, is kept for a while only: a host that maps
//!   memory again keeps its textures, and copies of freed memory are dropped.
//! * Large textures are decoded in pieces, on all threads.

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use triglyph_guest::kernel::Window;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::mem::{self, Epoch, GuestRange, Memory};
use crate::sched::Scheduler;

/// A texture in guest memory: where it is and how it is stored.
pub trait Source: Clone + Debug + Eq + Hash {
    /// A decoded copy.
    type Decoded: Clone + Debug;
    /// The decoder.
    type Decoder<'d>: Copy;

    /// Parts that are compared and decoded each by itself.
    fn parts(&self) -> usize;

    /// The memory of its texels. Unmapped bytes read 0.
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
    /// The texture.
    pub number: usize,
    /// The hash of its bytes, once it is known.
    pub content: Option<u64>,
}

/// Bytes of decoded textures that are never exceeded. A single scene may need as many; textures beyond are not decoded.
pub const MAX_BYTES: u64 = 3 << 29;

/// Above so many bytes, textures that have not been used for [`IDLE_SCENES`] are removed.
const TARGET_BYTES: u64 = 1 << 29;

const IDLE_SCENES: u64 = 64;

/// How long an unused copy is kept after its memory has been unmapped, in scenes: some frames of a game, a few seconds
/// of a program that draws one scene a frame.
const UNMAPPED_SCENES: u64 = 512;

/// Scenes from one search for such copies to the next.
const LOOK_SCENES: u64 = 64;

/// Bytes of the largest texture that is decoded: 16384x16384 texels of bytes or 8192x8192 of floats, with all their
/// levels.
pub const MAX_TEXTURE_BYTES: u64 = 11 << 27;

/// Texels of a piece of a texture, about: decoding it takes some ten microseconds.
pub(super) const PIECE: u32 = 1 << 13;

/// Estimated time in which a thread decodes so many texels.
pub(super) fn decoding_time(texels: u64, compressed: bool) -> Duration {
    Duration::from_nanos(texels * if compressed { 3 } else { 1 })
}

/// The content hash of a part as it is in memory now.
pub(super) fn content_hash(window: Window<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    mem::for_each_chunk(window, |bytes| hasher.update(bytes));
    hasher.digest()
}

/// Copies parts to `scratch`, one after the other, and hashes those that have not been. Their numbers and places there.
pub(super) fn copy_parts<S: Source>(
    source: &S,
    memory: &Memory,
    scratch: &mut Vec<u8>,
    parts: &mut [Part],
) -> Vec<(usize, Range<usize>)> {
    scratch.clear();
    let mut copy = |part: &mut Part| {
        let start = scratch.len();
        mem::append_copy(source.part_window(memory, part.number), scratch);
        part.content.get_or_insert_with(|| xxh3_64(&scratch[start..]));
        (part.number, start..scratch.len())
    };
    parts.iter_mut().map(&mut copy).collect()
}

#[derive(Debug)]
struct Entry<D> {
    /// Content hashes of the parts.
    contents: Vec<u64>,
    /// The epoch at which memory had this content.
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

/// The textures of a scene.
#[derive(Clone, Debug)]
struct Uses<S> {
    /// Whether there is room for a copy of each.
    sources: HashMap<S, bool>,
    /// Bytes of the copies that have room.
    bytes: u64,
}

impl<S> Default for Uses<S> {
    fn default() -> Self {
        Uses { sources: HashMap::new(), bytes: 0 }
    }
}

impl<S: Source> Uses<S> {
    /// Adds a use of a texture whose copy has so many bytes. Returns whether there is room for it, and whether it is
    /// the first use.
    fn add(&mut self, source: &S, bytes: u64) -> (bool, bool) {
        if let Some(&has_room) = self.sources.get(source) {
            return (has_room, false);
        }
        let has_room = self.bytes + bytes <= MAX_BYTES;
        self.bytes += if has_room { bytes } else { 0 };
        self.sources.insert(source.clone(), has_room);
        (has_room, true)
    }

    fn clear(&mut self) {
        self.sources.clear();
        self.bytes = 0;
    }
}

/// Decoded copies by source.
#[derive(Debug)]
pub struct TextureCache<S: Source> {
    entries: HashMap<S, Entry<S::Decoded>>,
    /// The scene in progress, or its part.
    scene: u64,
    /// Bytes of all copies.
    bytes: u64,
    scratch: Vec<u8>,
    charged: u64,
    /// Of the scene in progress, in all of its parts.
    uses: Uses<S>,
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
            uses: Uses::default(),
            state_cache_disabled: false,
        }
    }
}

impl<S: Source> TextureCache<S> {
    /// Starts a scene, or a part of one that is continued: every texture is checked again when it is first used. The
    /// parts of a scene are charged for it once.
    pub fn start_scene(&mut self, memory: &Memory, is_continued: bool) {
        self.scene += 1;
        if !is_continued {
            self.uses.clear();
        }
        if self.scene.is_multiple_of(LOOK_SCENES) {
            self.drop_unmapped(memory);
        }
        if self.bytes > TARGET_BYTES {
            self.evict(TARGET_BYTES, self.scene.saturating_sub(IDLE_SCENES));
        }
    }

    /// Charges so many bytes.
    pub fn charge(&mut self, bytes: u64) {
        self.charged += bytes;
    }

    /// The sum of what sources have charged since the last call.
    pub fn take_charged(&mut self) -> u64 {
        std::mem::take(&mut self.charged)
    }

    /// The decoded copy of a texture that belongs to no scene.
    pub fn get_alone(
        &mut self,
        memory: &Memory,
        scheduler: &Scheduler,
        source: &S,
        decoder: S::Decoder<'_>,
    ) -> Option<Arc<S::Decoded>> {
        let uses = std::mem::take(&mut self.uses);
        self.start_scene(memory, false);
        let decoded = self.get(memory, scheduler, source, decoder);
        self.uses = uses;
        decoded
    }

    /// Calls `draw`, which charges nothing.
    pub fn without_charges(&mut self, draw: impl FnOnce(&mut Self)) {
        let (charged, uses) = (self.charged, self.uses.clone());
        draw(self);
        (self.charged, self.uses) = (charged, uses);
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
        // Charged whether or not the copy is valid: a machine's costs must not depend on the host.
        let (has_room, is_first) = self.uses.add(source, bytes);
        if is_first {
            self.charged += source.charge(memory);
        }
        if !has_room {
            return None;
        }
        let now = memory.epoch();
        if !self.entries.contains_key(source) {
            self.make_room(bytes);
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

    /// Makes room for so many bytes of a scene that has room for them.
    fn make_room(&mut self, bytes: u64) {
        if self.bytes + bytes > MAX_BYTES {
            self.evict(TARGET_BYTES.saturating_sub(bytes), self.scene);
        }
    }

    /// Removes the copies that were not used for [`UNMAPPED_SCENES`] and whose memory has been unmapped since.
    fn drop_unmapped(&mut self, memory: &Memory) {
        let first_kept = self.scene.saturating_sub(UNMAPPED_SCENES);
        let bytes = &mut self.bytes;
        self.entries.retain(|source, entry| {
            let remapped = |range| memory.remapped_since(entry.seen, range);
            let kept = entry.scene >= first_kept || !source.memory_ranges().any(remapped);
            *bytes -= if kept { 0 } else { entry.bytes };
            kept
        });
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
mod tests;
