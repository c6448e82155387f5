//! Tiled textures: tiles of 8x8 texels, up to six faces (the 3DS's).

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::tier::TextureDecoder;

use super::texture_cache::{PIECE, Part, Source, copy_parts, decoding_time};
use crate::mem::{GuestRange, Memory};
use crate::sched::Scheduler;

/// Where a texture is and how it is stored.
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

    /// The ranges a sampler may read.
    pub fn ranges(&self) -> impl Iterator<Item = GuestRange> + '_ {
        let size = u64::from(self.face_bytes());
        self.faces[..self.face_count as usize].iter().map(move |&face| GuestRange::new(0, u64::from(face), size))
    }

    /// Texels of all faces and levels.
    fn texels(&self) -> usize {
        self.face_texels() * self.face_count as usize
    }
}

impl Source for TextureSource {
    type Decoded = Decoded;
    type Decoder<'d> = &'d dyn TextureDecoder;

    /// Faces.
    fn parts(&self) -> usize {
        self.face_count as usize
    }

    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
        self.ranges()
    }

    fn part_range(&self, part: usize) -> GuestRange {
        GuestRange::new(0, u64::from(self.faces[part]), u64::from(self.face_bytes()))
    }

    fn part_window<'m>(&self, memory: &'m Memory, part: usize) -> Window<'m> {
        let range = self.part_range(part);
        memory.readable(range.start).first(range.size as usize)
    }

    fn decoded_bytes(&self) -> u64 {
        (self.texels() + PADDING) as u64 * 4
    }

    /// Time of this machine does not depend on textures.
    fn charge(&self, _: &Memory) -> u64 {
        0
    }

    fn blank(&self) -> Decoded {
        Decoded { words: vec![0; self.texels() + PADDING], face_words: self.face_texels() }
    }

    /// Copies memory before it is decoded: what is new is then read only once for its hash and its texels.
    fn decode(
        &self,
        memory: &Memory,
        scheduler: &Scheduler,
        decoder: &dyn TextureDecoder,
        scratch: &mut Vec<u8>,
        parts: &mut [Part],
        decoded: &mut Decoded,
    ) {
        let places = copy_parts(self, memory, scratch, parts);
        let face_words = self.face_texels();
        let mut faces: Vec<_> = decoded.words.chunks_exact_mut(face_words.max(1)).map(Some).collect();
        let mut pieces = Vec::new();
        for (number, place) in places {
            if let Some(face) = faces.get_mut(number).and_then(Option::take) {
                pieces.extend(self.pieces_of_face(&scratch[place], face));
            }
        }
        let compressed = matches!(self.format, TexelFormat::Etc1 | TexelFormat::Etc1A4);
        let cost = decoding_time((face_words * parts.len()) as u64, compressed);
        scheduler.for_each_item(pieces, cost, |(width, rows, source, texels)| {
            decoder.decode(self.format, width, rows, source, texels);
        });
    }
}

/// A texture decoded for compiled kernels.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// All faces and levels as `0xRRGGBBAA`, then four words of padding.
    pub words: Vec<u32>,
    /// Words of one face.
    pub face_words: usize,
}

/// Words after the texels, so that a wide load of the last texel stays inside.
const PADDING: usize = 4;

impl TextureSource {
    /// Rows of tiles of a face's levels: their size, their bytes and what follows them, their texels.
    fn pieces_of_face<'m, 'o>(
        &self,
        mut bytes: &'m [u8],
        face: &'o mut [u32],
    ) -> Vec<(u32, u32, &'m [u8], &'o mut [u32])> {
        let from = |bytes: &'m [u8], offset: u32| bytes.get(offset as usize..).unwrap_or_default();
        let mut pieces = Vec::new();
        let mut out = face;
        for level in 0..self.levels {
            let (width, height) = self.level(level);
            // Tiles are stored row by row, so some rows of them are a texture of their own.
            let piece_rows = (PIECE / width).next_multiple_of(8).max(8);
            let row_of_tiles = width / 8 * self.format.size(8, 8);
            for first in (0..height).step_by(piece_rows as usize) {
                let rows = piece_rows.min(height - first);
                let (texels, rest) = out.split_at_mut((width * rows) as usize);
                pieces.push((width, rows, from(bytes, first / 8 * row_of_tiles), texels));
                out = rest;
            }
            bytes = from(bytes, self.format.size(width, height));
        }
        pieces
    }
}
