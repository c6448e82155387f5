//! Images for the samplers of shader pipelines.

use std::sync::Arc;

use triglyph_guest::format::image::{Coding, ImageLayout, Piece};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::sampler::{LEVELS, Level, Texture};
use xxhash_rust::xxh3::xxh3_64;

use super::texture_cache::{MAX_TEXTURE_BYTES, PIECE, Source, decoding_time};
use crate::mem::{self, GuestAddr, GuestRange, Memory};
use crate::sched::Scheduler;

/// Where an image is and how it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageSource {
    /// Its first byte.
    pub place: GuestAddr,
    /// Bytes from there on that may be read; bytes after them read 0.
    pub size: u64,
    /// How it is stored.
    pub layout: ImageLayout,
}

impl ImageSource {
    /// The memory that it may lie in.
    pub fn range(&self) -> GuestRange {
        self.place.range(self.size)
    }

    fn window<'m>(&self, memory: &'m Memory) -> Window<'m> {
        memory.readable(self.place).first(self.size as usize)
    }
}

/// Words of the largest image that is decoded.
pub const MAX_WORDS: u64 = MAX_TEXTURE_BYTES / 4;

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

impl DecodedImage {
    fn new(layout: &ImageLayout, source: &[u8], scheduler: &Scheduler) -> Self {
        let mut texels = vec![0; layout.words() as usize];
        let cost = decoding_time(texels.len() as u64, !matches!(layout.coding, Coding::Packed(_)));
        layout.decode_pieces(source, &mut texels, PIECE as usize, |pieces| {
            scheduler.for_each_item(pieces, cost, Piece::decode)
        });
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
}

impl Source for Arc<ImageSource> {
    type Decoded = DecodedImage;
    type Decoder<'d> = ();

    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
        std::iter::once(self.range())
    }

    fn decoded_bytes(&self) -> u64 {
        self.layout.words() * 4
    }

    fn charge(&self, memory: &Memory) -> u64 {
        self.window(memory).len() as u64
    }

    /// Copies memory before it is decoded: an image that is new is then read only once for its hash and its texels.
    fn decode(
        &self,
        memory: &Memory,
        scheduler: &Scheduler,
        (): (),
        scratch: &mut Vec<u8>,
        content: Option<u64>,
    ) -> (DecodedImage, u64) {
        mem::copy_all(self.window(memory), scratch);
        let content = content.unwrap_or_else(|| xxh3_64(scratch));
        (DecodedImage::new(&self.layout, scratch, scheduler), content)
    }
}
