//! Images for the samplers of shader pipelines.

use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::format::image::{Coding, ImageLayout, Piece};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::sampler::{LEVELS, Level, Texture};

use super::texture_cache::{MAX_TEXTURE_BYTES, PIECE, Part, Source, copy_parts, decoding_time};
use crate::mem::{GuestAddr, GuestRange, Memory};
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
#[derive(Clone, Debug)]
pub struct DecodedImage {
    texels: Vec<u32>,
    layer_texels: u32,
    layers: u32,
    samples: u32,
    level_count: u32,
    levels: [Level; LEVELS],
}

impl DecodedImage {
    /// An image of zeros.
    fn blank(layout: &ImageLayout) -> Self {
        DecodedImage {
            texels: vec![0; layout.words() as usize],
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

    fn parts(&self) -> usize {
        self.layout.parts()
    }

    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
        std::iter::once(self.range())
    }

    fn part_range(&self, part: usize) -> GuestRange {
        let Range { start, end } = self.layout.part_bytes(part);
        let (start, end) = (start.min(self.size), end.min(self.size));
        self.place.after(start).range(end - start)
    }

    fn part_window<'m>(&self, memory: &'m Memory, part: usize) -> Window<'m> {
        let Range { start, end } = self.layout.part_bytes(part);
        self.window(memory).from(start as usize).first((end - start) as usize)
    }

    fn decoded_bytes(&self) -> u64 {
        self.layout.words() * 4
    }

    fn charge(&self, memory: &Memory) -> u64 {
        self.window(memory).len() as u64
    }

    fn blank(&self) -> DecodedImage {
        DecodedImage::blank(&self.layout)
    }

    /// Copies memory before it is decoded: what is new is then read only once for its hash and its texels.
    fn decode(
        &self,
        memory: &Memory,
        scheduler: &Scheduler,
        (): (),
        scratch: &mut Vec<u8>,
        parts: &mut [Part],
        decoded: &mut DecodedImage,
    ) {
        let places = copy_parts(self, memory, scratch, parts);
        let sources: Vec<_> = places.into_iter().map(|(number, place)| (number, &scratch[place])).collect();
        let layout = &self.layout;
        let texels = decoded.texels.len() as u64 / layout.parts() as u64 * parts.len() as u64;
        let cost = decoding_time(texels, !matches!(layout.coding, Coding::Packed(_)));
        layout.decode_parts(&sources, &mut decoded.texels, PIECE as usize, |pieces| {
            scheduler.for_each_item(pieces, cost, Piece::decode)
        });
    }
}
