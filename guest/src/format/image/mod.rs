//! Images in memory, for all machines: encoding and layout of texels, and decoding to plain rows of texels
//! ([`crate::kernel::program::sampler`]).
//!
//! ```text
//! mod.rs      coding, arrangement, extents
//! packed.rs   texels of one or more words with a field for each channel
//! blocks.rs   compressed blocks and other texels that share bits
//! form.rs     signs, borders of cubes, samples as layers
//! ```
//! Decoding is total: any bytes give texels, and bytes that are missing count as zero.

mod blocks;
mod form;
mod packed;

use std::ops::Range;

use super::block::BlockCodec;
use crate::kernel::program::output::{Bits, Channel, ColorFormat};
use crate::kernel::program::sampler::{LEVELS, Level, PADDING, Texels};
use crate::layout::Blocks;
use crate::layout::surface::swizzle3;
pub use form::Form;

/// How texels are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Words with a field for each channel; channels may share fields. Unorm fields of up to 8 bits become bytes, `v *
    /// 255 / max` rounded to nearest, and so do red, green and blue of 8 bits that are sRGB; with any other field
    /// texels become floats: unorm and snorm as [`Channel`] says, floats exactly, integers as their bits. A float of 24
    /// bits is an f32 without its sign and the low seven bits of its mantissa.
    Packed(ColorFormat),
    /// Compressed.
    Block(BlockCoding),
    /// Two texels side by side, four bytes, which share channels. The fields say which byte is red, green, blue of the
    /// even and of the odd texel; alpha is 1.
    Pair {
        /// Red.
        red: [u8; 2],
        /// Green.
        green: [u8; 2],
        /// Blue.
        blue: [u8; 2],
    },
    /// Eight texels a byte, red, the first one lowest; alpha is 1.
    Bits,
    /// A word of three channels of 9 bits and an exponent of 5: `v * 2^(exponent - 24)`, red lowest; alpha is 1.
    SharedExponent,
    /// Halfwords of depth, see [`crate::num::depth16`], in all four channels.
    Depth16 {
        /// The order of their bytes.
        big_endian: bool,
    },
}

/// Compressed texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockCoding {
    /// How blocks are coded.
    pub codec: BlockCodec,
    /// Whether red, green and blue are sRGB. Only where [`BlockCodec::texels`] are bytes.
    pub srgb: bool,
}

impl Coding {
    /// Texels of a block across and down, bytes of a block.
    pub const fn block(&self) -> (u32, u32, u32) {
        match self {
            Coding::Packed(format) => (1, 1, format.bytes as u32),
            Coding::Block(coding) => {
                let (across, down) = coding.codec.size();
                (across, down, coding.codec.bytes())
            }
            Coding::Pair { .. } => (2, 1, 4),
            Coding::Bits => (8, 1, 1),
            Coding::SharedExponent => (1, 1, 4),
            Coding::Depth16 { .. } => (1, 1, 2),
        }
    }

    /// The format of decoded texels.
    pub fn texels(&self) -> Texels {
        match self {
            Coding::Packed(format) if format.channels.iter().all(fits_byte) => Texels::Rgba8,
            Coding::Packed(format) if is_srgb(format) => Texels::Srgb8,
            Coding::Packed(_) => Texels::Float4,
            Coding::Block(coding) if coding.srgb => Texels::Srgb8,
            Coding::Block(coding) => coding.codec.texels(),
            Coding::SharedExponent | Coding::Depth16 { .. } => Texels::Float4,
            _ => Texels::Rgba8,
        }
    }
}

/// Whether red, green and blue are bytes of sRGB, as far as they are there, and alpha is one of its own.
fn is_srgb(format: &ColorFormat) -> bool {
    let [red, green, blue, alpha] = &format.channels;
    let is_byte = |channel: &Channel| match channel {
        Channel::Srgb(at) => at.bits == 8,
        other => *other == Channel::Absent,
    };
    [red, green, blue].into_iter().all(is_byte) && fits_byte(alpha)
}

fn fits_byte(channel: &Channel) -> bool {
    match channel {
        Channel::Absent | Channel::Zeros(_) | Channel::Ones(_) => true,
        Channel::Unorm(Bits { bits, .. }) | Channel::UnormRsx(Bits { bits, .. }) => *bits <= 8,
        _ => false,
    }
}

/// The layout of the blocks of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// Rows of blocks.
    Rows {
        /// Bytes from one row of blocks to the next.
        pitch: u32,
        /// Bytes from one slice to the next.
        slice: u32,
    },
    /// Bits of coordinates interleaved ([`swizzle3`]): those of blocks, or of equal parts of them, which lie beside
    /// each other.
    Interleaved {
        /// log2 of the stored size in parts, of x, y, z.
        log2: [u8; 3],
        /// Bytes of a part.
        part: u8,
    },
    /// Rows without gaps of groups of up to four slices, in which the blocks that lie on top of each other are
    /// neighbours (NV_texture_compression_vtc).
    GroupedSlices,
    /// GOBs in blocks, in units of texel blocks; nothing may be skipped.
    Blocks(Blocks),
}

/// A level as memory holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelLayout {
    /// Bytes from the image's start.
    pub offset: u32,
    /// Texels across, down, deep; at least 1 each.
    pub size: [u32; 3],
    /// Stored texels before the first one, in each direction; multiples of a block. Those of a border.
    pub skip: [u32; 3],
    /// The layout of its blocks.
    pub arrangement: Arrangement,
}

impl LevelLayout {
    /// Blocks across, down, deep.
    fn blocks(&self, coding: &Coding) -> [u32; 3] {
        let (across, down, _) = coding.block();
        [self.size[0].div_ceil(across), self.size[1].div_ceil(down), self.size[2]]
    }

    /// Byte offset from the image's start of the first block of a row.
    fn row(&self, coding: &Coding, y: u32, z: u32) -> u64 {
        self.block_offset(coding, [0, y, z])
    }

    /// Byte offset from the image's start of the block with these coordinates.
    fn block_offset(&self, coding: &Coding, at: [u32; 3]) -> u64 {
        let (across, down, bytes) = coding.block();
        let x = u64::from(at[0] + self.skip[0] / across);
        let y = u64::from(at[1] + self.skip[1] / down);
        let z = u64::from(at[2] + self.skip[2]);
        let bytes = u64::from(bytes);
        let inside = match self.arrangement {
            Arrangement::Rows { pitch, slice } => z * u64::from(slice) + y * u64::from(pitch) + x * bytes,
            Arrangement::Interleaved { log2, part } => {
                let part = u64::from(part);
                let at = [x * (bytes / part), y, z].map(|c| c as u32);
                u64::from(swizzle3(at, log2.map(u32::from))) * part
            }
            Arrangement::GroupedSlices => {
                let [w, h, d] = self.blocks(coding).map(u64::from);
                let first = z & !3;
                let group = (d - first).min(4);
                ((first * h + y * group) * w + x * group + (z - first)) * bytes
            }
            Arrangement::Blocks(blocks) => blocks.offset((x * bytes) as u32, y as u32, z as u32),
        };
        u64::from(self.offset) + inside
    }

    /// Bytes from the image's start to the end of the level.
    pub fn end(&self, coding: &Coding) -> u64 {
        let [w, h, d] = self.blocks(coding);
        let bytes = u64::from(coding.block().2);
        match self.arrangement {
            Arrangement::Rows { .. } => self.block_offset(coding, [w - 1, h - 1, d - 1]) + bytes,
            Arrangement::Interleaved { log2, part } => {
                u64::from(self.offset) + (u64::from(part) << log2.iter().map(|&l| u32::from(l)).sum::<u32>())
            }
            Arrangement::GroupedSlices => {
                u64::from(self.offset) + [w, h, d].map(u64::from).iter().product::<u64>() * bytes
            }
            Arrangement::Blocks(blocks) => u64::from(self.offset).saturating_add(blocks.bytes()),
        }
    }

    fn texels(&self) -> u64 {
        self.size.map(u64::from).iter().product()
    }
}

/// An image with all its levels and layers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageLayout {
    /// How texels are coded.
    pub coding: Coding,
    /// The levels of layer 0, 1 to [`LEVELS`].
    pub levels: Vec<LevelLayout>,
    /// Layers, at least 1; six are a cube.
    pub layers: u32,
    /// Bytes from one layer to the next.
    pub layer_stride: u32,
    /// Further conversions of the texels.
    pub form: Form,
}

impl ImageLayout {
    /// Bytes from the first to the last one that belongs to it.
    pub fn bytes(&self) -> u64 {
        let layer = self.levels.iter().map(|level| level.end(&self.coding)).max().unwrap_or(0);
        let before = u64::from(self.layers.saturating_sub(1)) * u64::from(self.layer_stride);
        before.saturating_add(layer)
    }

    /// Whether widths, heights and depths of all levels are powers of two.
    pub fn has_powers_of_two(&self) -> bool {
        self.levels.iter().all(|level| level.size.iter().all(|size| size.is_power_of_two()))
    }

    /// Texels of one decoded layer, all levels, borders included.
    pub fn layer_texels(&self) -> u64 {
        self.levels.iter().map(|level| self.form.texels(level.size)).sum()
    }

    /// Layers of the decoded image: samples are layers of their own.
    pub fn decoded_layers(&self) -> u32 {
        self.layers * self.form.samples()
    }

    /// Words that the decoded image takes, padding included.
    pub fn words(&self) -> u64 {
        let texels =
            self.layer_texels().saturating_mul(u64::from(self.layers)).saturating_mul(self.form.samples().into());
        texels.saturating_mul(self.coding.texels().words() as u64).saturating_add(PADDING as u64)
    }

    /// The levels as samplers want them; those from the last on repeat it.
    pub fn sampler_levels(&self) -> [Level; LEVELS] {
        let mut levels = [Level { offset: 0, width: 1, height: 1, depth: 1 }; LEVELS];
        let mut offset = 0u32;
        for (i, out) in levels.iter_mut().enumerate() {
            let Some(level) = self.levels.get(i).or(self.levels.last()) else { continue };
            let [width, height, depth] = self.form.size(level.size);
            let last = i + 1 >= self.levels.len();
            *out = Level { offset: offset.saturating_add(self.form.first(level.size)), width, height, depth };
            let texels = if last { 0 } else { self.form.texels(level.size) };
            offset = offset.saturating_add(u32::try_from(texels).unwrap_or(u32::MAX));
        }
        levels
    }

    /// Parts of the image that are decoded each by itself: the levels of a layer one after the other, those of the next
    /// layer after them. An image whose form mixes layers is one part.
    pub fn parts(&self) -> usize {
        if self.form.is_plain() { self.layers as usize * self.levels.len() } else { 1 }
    }

    /// The bytes of a part, from the image's first one on.
    pub fn part_bytes(&self, part: usize) -> Range<u64> {
        if !self.form.is_plain() {
            return 0..self.bytes();
        }
        let level = &self.levels[part % self.levels.len()];
        let layer = (part / self.levels.len()) as u64 * u64::from(self.layer_stride);
        layer + u64::from(level.offset)..layer.saturating_add(level.end(&self.coding))
    }

    /// Decodes the image whose bytes are `source`, missing ones being zero, into [`Self::words`] words.
    pub fn decode(&self, source: &[u8], out: &mut [u32]) {
        let bytes = |part| {
            let Range { start, end } = self.part_bytes(part);
            &source[(start as usize).min(source.len())..(end as usize).min(source.len())]
        };
        let parts: Vec<_> = (0..self.parts()).map(|part| (part, bytes(part))).collect();
        self.decode_parts(&parts, out, usize::MAX, |pieces| pieces.into_iter().for_each(Piece::decode));
    }

    /// Decodes parts, in ascending order, whose bytes are given, missing ones being zero, into the words of the whole
    /// image. This is done in pieces of about `words` words that do not depend on each other: `all` decodes them, in
    /// any order and on any thread.
    pub fn decode_parts(
        &self,
        parts: &[(usize, &[u8])],
        out: &mut [u32],
        words: usize,
        all: impl FnOnce(Vec<Piece<'_, '_>>),
    ) {
        let mut pieces = Vec::new();
        if self.form.is_plain() {
            let (mut rest, mut at) = (out, 0);
            for &(part, source) in parts {
                let place = self.part_words(part);
                let (_, from) = rest.split_at_mut(place.start - at);
                let (texels, next) = from.split_at_mut(place.len());
                self.pieces(&self.levels[part % self.levels.len()], source, texels, words, &mut pieces);
                (rest, at) = (next, place.end);
            }
            return all(pieces);
        }
        let Some(&(_, source)) = parts.first() else { return };
        let mut plain = vec![0; self.plain_layer_words() * self.layers as usize];
        let mut rest = &mut plain[..];
        for layer in 0..u64::from(self.layers) {
            for level in &self.levels {
                let start = layer * u64::from(self.layer_stride) + u64::from(level.offset);
                let source = source.get(start as usize..).unwrap_or(&[]);
                let (texels, next) = rest.split_at_mut(self.level_words(level));
                self.pieces(level, source, texels, words, &mut pieces);
                rest = next;
            }
        }
        all(pieces);
        let sizes: Vec<[u32; 3]> = self.levels.iter().map(|level| level.size).collect();
        match self.coding.texels() {
            Texels::Rgba8 | Texels::Srgb8 => self.form.arrange(&sizes, &plain, out),
            Texels::Float4 => self.form.arrange(&sizes, plain.as_chunks::<4>().0, out.as_chunks_mut::<4>().0),
        }
    }

    /// Words of a level without the image's form.
    fn level_words(&self, level: &LevelLayout) -> usize {
        level.texels() as usize * self.coding.texels().words()
    }

    /// Words of all levels of a layer without the image's form.
    fn plain_layer_words(&self) -> usize {
        self.levels.iter().map(|level| self.level_words(level)).sum()
    }

    /// Where a part is among the words of a plain image.
    fn part_words(&self, part: usize) -> Range<usize> {
        let (layer, level) = (part / self.levels.len(), part % self.levels.len());
        let before: usize = self.levels[..level].iter().map(|level| self.level_words(level)).sum();
        let start = layer * self.plain_layer_words() + before;
        start..start + self.level_words(&self.levels[level])
    }

    /// The pieces of about `words` words of a level whose bytes are `source`, and whose texels `out` takes.
    fn pieces<'i, 'o>(
        &'i self,
        level: &LevelLayout,
        source: &'i [u8],
        out: &'o mut [u32],
        words: usize,
        pieces: &mut Vec<Piece<'i, 'o>>,
    ) {
        let level = LevelLayout { offset: 0, ..*level };
        let down = self.coding.block().1;
        let row = level.size[0] as usize * self.coding.texels().words();
        let most = u32::try_from(words / (row * down as usize).max(1)).unwrap_or(u32::MAX).max(1);
        let [_, rows, _] = level.blocks(&self.coding);
        let mut rest = out;
        for z in 0..level.size[2] {
            for first in (0..rows).step_by(most as usize) {
                let end = first.saturating_add(most).min(rows);
                let lines = (end * down).min(level.size[1]) - first * down;
                let (out, next) = rest.split_at_mut(row * lines as usize);
                pieces.push(Piece { coding: &self.coding, form: &self.form, level, source, z, rows: first..end, out });
                rest = next;
            }
        }
    }
}

/// Rows of blocks of one slice of a level, to be decoded.
#[derive(Debug)]
pub struct Piece<'i, 'o> {
    coding: &'i Coding,
    form: &'i Form,
    level: LevelLayout,
    /// The bytes of the level.
    source: &'i [u8],
    z: u32,
    rows: Range<u32>,
    out: &'o mut [u32],
}

impl Piece<'_, '_> {
    /// Does it.
    pub fn decode(mut self) {
        match self.coding {
            Coding::Packed(format) => packed::decode(format, &mut self),
            _ => blocks::decode(&mut self),
        }
        self.form.convert(self.coding.texels(), self.out);
    }
}

/// `N` bytes at `at`, those beyond the end being zero.
#[inline(always)]
fn bytes_at<const N: usize>(source: &[u8], at: u64) -> [u8; N] {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    if let Some(bytes) = source.get(at..).and_then(|rest| rest.first_chunk()) {
        return *bytes;
    }
    let mut out = [0; N];
    for (out, byte) in out.iter_mut().zip(source.get(at..).unwrap_or(&[])) {
        *out = *byte;
    }
    out
}

#[cfg(test)]
mod tests;
