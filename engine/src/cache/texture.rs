//! Decoded textures, validated by content where memory has changed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::tier::TextureDecoder;
use xxhash_rust::xxh3::Xxh3;

use crate::mem::{Memory, Moment};
use crate::sched::Scheduler;

/// Where a texture stands and what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureSource {
    /// Texel format.
    pub format: TexelFormat,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0.
    pub height: u32,
    /// Levels, at least 1.
    pub levels: u32,
    /// Addresses of the faces; all zero but the first unless a cube.
    pub faces: [u32; 6],
    /// Faces in use, 1 or 6.
    pub face_count: u32,
}

impl TextureSource {
    /// Dimensions of a level, at least 8 (a level is at least one tile).
    pub fn level(&self, level: u32) -> (u32, u32) {
        ((self.width >> level).max(8), (self.height >> level).max(8))
    }

    /// Texels of a face, all levels.
    pub fn face_texels(&self) -> usize {
        (0..self.levels).map(|k| self.level(k)).map(|(w, h)| w as usize * h as usize).sum()
    }

    /// Bytes of a face in guest memory, all levels.
    pub fn face_bytes(&self) -> u32 {
        (0..self.levels).map(|k| self.level(k)).map(|(w, h)| self.format.size(w, h)).fold(0, u32::wrapping_add)
    }

    /// The address ranges a sampler may read, as (address, bytes).
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let size = u64::from(self.face_bytes());
        self.faces[..self.face_count as usize].iter().map(move |&face| (u64::from(face), size))
    }
}

/// A texture decoded for compiled kernels.
#[derive(Debug)]
pub struct Decoded {
    /// All faces and levels as `0xRRGGBBAA`, then four words of padding.
    pub words: Vec<u32>,
    /// Words of one face.
    pub face_words: usize,
}

/// Words after the texels, so that a wide load of the last texel stays inside.
const PADDING: usize = 4;

#[derive(Debug)]
struct Entry {
    content: u64,
    /// When memory was known to hold this.
    seen: Moment,
    decoded: Arc<Decoded>,
    scene: u64,
}

/// Decoded copies by source. Once per scene memory is asked whether it has changed; if so, its content hash is compared.
#[derive(Debug, Default)]
pub struct TextureCache {
    entries: HashMap<TextureSource, Entry>,
    scene: u64,
    bytes: usize,
    /// Compares whether or not memory has changed.
    pub(crate) forgetful: bool,
}

/// Decoded texels that may be held, in bytes.
const BUDGET: usize = 256 << 20;

impl TextureCache {
    /// Starts a scene: every texture is validated again when it is first used.
    pub fn start_scene(&mut self) {
        self.scene += 1;
        if self.bytes > BUDGET {
            let oldest = self.scene.saturating_sub(64);
            self.entries.retain(|_, entry| entry.scene >= oldest);
            self.bytes = self.entries.values().map(|e| e.decoded.words.len() * 4).sum();
        }
    }

    /// The decoded copy of `source`, made by `decoder` unless one of the same content is there.
    pub fn get(
        &mut self,
        memory: &Memory,
        scheduler: &Scheduler,
        source: &TextureSource,
        decoder: &dyn TextureDecoder,
    ) -> Arc<Decoded> {
        if let Some(entry) = self.entries.get(source).filter(|entry| entry.scene == self.scene) {
            return entry.decoded.clone();
        }
        let now = memory.moment();
        let changed = |since| source.ranges().any(|(address, size)| memory.changed_since(since, 0, address, size));
        if let Some(entry) = self.entries.get_mut(source).filter(|entry| !self.forgetful && !changed(entry.seen)) {
            (entry.scene, entry.seen) = (self.scene, now);
            return entry.decoded.clone();
        }
        let content = content_hash(memory, source);
        if let Some(entry) = self.entries.get_mut(source).filter(|entry| entry.content == content) {
            (entry.scene, entry.seen) = (self.scene, now);
            return entry.decoded.clone();
        }
        let decoded = Arc::new(decode(memory, scheduler, source, decoder));
        self.bytes += decoded.words.len() * 4;
        let entry = Entry { content, seen: now, decoded: decoded.clone(), scene: self.scene };
        if let Some(old) = self.entries.insert(*source, entry) {
            self.bytes -= old.decoded.words.len() * 4;
        }
        decoded
    }
}

fn content_hash(memory: &Memory, source: &TextureSource) -> u64 {
    let mut hasher = Xxh3::new();
    for (address, size) in source.ranges() {
        crate::mem::for_each_chunk(memory.readable(0, address).first(size as usize), |bytes| hasher.update(bytes));
    }
    hasher.digest()
}

/// What a decoded texel costs, about, in nanoseconds: simple ones, and compressed ones.
const TEXEL: (u64, u64) = (1, 3);

/// Texels of a piece of a texture, about: some ten microseconds.
const PIECE: u32 = 1 << 13;

fn decode(memory: &Memory, scheduler: &Scheduler, source: &TextureSource, decoder: &dyn TextureDecoder) -> Decoded {
    let face_words = source.face_texels();
    let mut words = vec![0; face_words * source.face_count as usize + PADDING];
    let mut pieces = Vec::new();
    let mut out = &mut words[..];
    for (address, _) in source.ranges() {
        let mut window = memory.readable(0, address);
        for level in 0..source.levels {
            let (width, height) = source.level(level);
            // Tiles follow one another in rows, so that every few rows of them are a texture of their own.
            let most = (PIECE / width).next_multiple_of(8).max(8);
            let row_of_tiles = width / 8 * source.format.size(8, 8);
            for first in (0..height).step_by(most as usize) {
                let rows = most.min(height - first);
                let (texels, rest) = out.split_at_mut((width * rows) as usize);
                pieces.push((width, rows, window.from((first / 8 * row_of_tiles) as usize), texels));
                out = rest;
            }
            window = window.from(source.format.size(width, height) as usize);
        }
    }
    let texel = if matches!(source.format, TexelFormat::Etc1 | TexelFormat::Etc1A4) { TEXEL.1 } else { TEXEL.0 };
    let cost = Duration::from_nanos((face_words * source.face_count as usize) as u64 * texel);
    scheduler.for_each_item(pieces, cost, |(width, rows, window, texels)| {
        decoder.decode(source.format, width, rows, window, texels);
    });
    Decoded { words, face_words }
}
