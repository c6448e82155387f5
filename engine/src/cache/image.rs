//! Decoded images for samplers of programs, validated by content where memory has changed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use triglyph_guest::format::image::{Coding, ImageLayout, Piece};
use triglyph_guest::kernel::program::sampler::{LEVELS, Level, Texture};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::mem::{self, Memory, Moment};
use crate::sched::Scheduler;
use crate::transfer::Place;

/// Where an image stands and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageSource {
    /// Its first byte.
    pub place: Place,
    /// Bytes from there on that may be read; what lies beyond reads zero.
    pub size: u64,
    /// How it stands there.
    pub layout: ImageLayout,
}

/// An image as plain rows of texels.
#[derive(Debug)]
pub struct DecodedImage {
    texels: Vec<u32>,
    layer_texels: u32,
    layers: u32,
    samples: u32,
    level_count: u32,
    levels: [Level; LEVELS],
}

/// What a decoded word costs, about, in nanoseconds: of texels by themselves, and of compressed ones.
const WORD: (u64, u64) = (1, 3);

/// Words of a piece of an image, about: some ten microseconds.
const PIECE: usize = 1 << 13;

impl DecodedImage {
    fn new(layout: &ImageLayout, source: &[u8], scheduler: &Scheduler) -> Self {
        let mut texels = vec![0; layout.words() as usize];
        let word = if matches!(layout.coding, Coding::Packed(_)) { WORD.0 } else { WORD.1 };
        let cost = Duration::from_nanos(texels.len() as u64 * word);
        layout.decode_pieces(source, &mut texels, PIECE, |pieces| scheduler.for_each_item(pieces, cost, Piece::decode));
        DecodedImage {
            texels,
            layer_texels: layout.layer_texels() as u32,
            layers: layout.decoded_layers(),
            samples: layout.form.samples(),
            level_count: layout.levels.len() as u32,
            levels: layout.sampler_levels(),
        }
    }

    /// The image as a texture; the values of the sampler are still the defaults.
    pub fn texture(&self) -> Texture<'_> {
        Texture {
            texels: &self.texels,
            layer_texels: self.layer_texels,
            layers: self.layers,
            samples: self.samples,
            level_count: self.level_count,
            levels: self.levels,
            ..Texture::default()
        }
    }

    fn bytes(&self) -> usize {
        self.texels.len() * 4
    }
}

#[derive(Debug)]
struct Entry {
    content: u64,
    /// When memory was known to hold this.
    seen: Moment,
    decoded: Arc<DecodedImage>,
    scene: u64,
}

/// Decoded images by source. Once per scene memory is asked whether it has changed; if so, its content hash is compared.
#[derive(Debug, Default)]
pub struct ImageCache {
    entries: HashMap<Arc<ImageSource>, Entry>,
    scene: u64,
    bytes: usize,
    scratch: Vec<u8>,
    looked_at: u64,
    /// Compares whether or not memory has changed.
    pub(crate) forgetful: bool,
}

/// Decoded texels that may be held, in bytes, before those go that were not used for a while.
const BUDGET: usize = 512 << 20;

/// Scenes after which an image may go.
const OLD: u64 = 64;

/// Words of the largest image that is decoded: 8192x8192 texels of bytes or 4096x4096 of floats, with all their levels.
pub const LARGEST: u64 = 3 << 25;

impl ImageCache {
    /// Starts a scene: every image is validated again when it is first used.
    pub fn start_scene(&mut self) {
        self.scene += 1;
        if self.bytes > BUDGET {
            self.evict(OLD);
        }
    }

    /// Bytes of guest memory that images looked at were made of since the last call, each once per scene.
    pub fn take_looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }

    /// Lets go of images that were not used in the last `scenes` scenes.
    fn evict(&mut self, scenes: u64) {
        let oldest = self.scene.saturating_sub(scenes);
        self.entries.retain(|_, entry| entry.scene > oldest);
        self.bytes = self.entries.values().map(|entry| entry.decoded.bytes()).sum();
    }

    /// The decoded copy of `source`; `None` when it would be larger than [`LARGEST`].
    pub fn get(
        &mut self,
        memory: &Memory,
        scheduler: &Scheduler,
        source: &Arc<ImageSource>,
    ) -> Option<Arc<DecodedImage>> {
        let words = source.layout.words();
        if words > LARGEST {
            return None;
        }
        if let Some(entry) = self.entries.get(source).filter(|entry| entry.scene == self.scene) {
            return Some(entry.decoded.clone());
        }
        let Place { space, address } = source.place;
        let window = memory.readable(space, address).first(source.size as usize);
        // Whether or not they are: what the guest pays for must not depend on what the host does.
        self.looked_at += window.len() as u64;
        let now = memory.moment();
        if let Some(entry) = self.entries.get_mut(source)
            && !self.forgetful
            && !memory.changed_since(entry.seen, space, address, source.size)
        {
            (entry.scene, entry.seen) = (self.scene, now);
            return Some(entry.decoded.clone());
        }
        let hash = self.entries.contains_key(source).then(|| {
            let mut hasher = Xxh3::new();
            mem::for_each_chunk(window, |bytes| hasher.update(bytes));
            hasher.digest()
        });
        if let Some(entry) = self.entries.get_mut(source).filter(|entry| Some(entry.content) == hash) {
            (entry.scene, entry.seen) = (self.scene, now);
            return Some(entry.decoded.clone());
        }
        // A single scene may use more than the budget, but not without bound.
        if self.bytes + words as usize * 4 > 2 * BUDGET {
            self.evict(1);
            if self.bytes + words as usize * 4 > 2 * BUDGET {
                return None;
            }
        }
        mem::copy_all(window, &mut self.scratch);
        // Memory that nobody has met before is read once.
        let content = hash.unwrap_or_else(|| xxh3_64(&self.scratch));
        let decoded = Arc::new(DecodedImage::new(&source.layout, &self.scratch, scheduler));
        self.bytes += decoded.bytes();
        let entry = Entry { content, seen: now, decoded: decoded.clone(), scene: self.scene };
        if let Some(old) = self.entries.insert(source.clone(), entry) {
            self.bytes -= old.decoded.bytes();
        }
        Some(decoded)
    }
}
