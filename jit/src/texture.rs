//! Texture decoding: every format, tile by tile, in plain Rust.

use triglyph_guest::format::TexelFormat;
use triglyph_guest::format::pixel::{expand4, expand5};
use triglyph_guest::format::texel::ETC1_MODIFIERS;
use triglyph_guest::kernel::tier::TextureDecoder;

/// Decodes textures to the words that compiled pixel kernels sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder;

/// Texels of a tile in the order of its rows.
type Tile = [u32; 64];

impl TextureDecoder for Decoder {
    fn decode(&self, format: TexelFormat, width: u32, height: u32, source: &[u8], out: &mut [u32]) {
        let level = Level { width: width as usize, height: height as usize, source };
        match format {
            TexelFormat::Rgba8 => level.texels::<4>(out, u32::from_le_bytes),
            TexelFormat::Rgb8 => level.texels::<3>(out, |[b, g, r]| u32::from_le_bytes([255, b, g, r])),
            TexelFormat::Rgb5A1 => level.texels::<2>(out, rgb5a1),
            TexelFormat::Rgb565 => level.texels::<2>(out, rgb565),
            TexelFormat::Rgba4 => level.texels::<2>(out, rgba4),
            TexelFormat::Ia8 => level.texels::<2>(out, |[a, i]| gray(i, a)),
            TexelFormat::Rg8 => level.texels::<2>(out, |[g, r]| u32::from_le_bytes([255, 0, g, r])),
            TexelFormat::I8 => level.texels::<1>(out, |[i]| gray(i, 255)),
            TexelFormat::A8 => level.texels::<1>(out, |[a]| u32::from(a)),
            TexelFormat::Ia4 => level.texels::<1>(out, ia4),
            TexelFormat::I4 => level.nibbles(out, |v| gray(expand4(v), 255)),
            TexelFormat::A4 => level.nibbles(out, |v| u32::from(expand4(v))),
            TexelFormat::Etc1 => level.tiles::<32>(out, |bytes| etc1_tile::<8>(bytes)),
            TexelFormat::Etc1A4 => level.tiles::<64>(out, |bytes| etc1_tile::<16>(bytes)),
        }
    }
}

/// A grey with alpha as a word.
fn gray(i: u8, a: u8) -> u32 {
    (u32::from(i) * 0x0101_0100) | u32::from(a)
}

/// The channel of `bits` bits at bit `at`, widened to 8 by repeating its high bits and moved to bit `to`. Words only,
/// so that hosts do several texels at once.
#[inline(always)]
fn channel(word: u32, at: u32, bits: u32, to: u32) -> u32 {
    let value = word >> at & ((1 << bits) - 1);
    (value << (8 - bits) | value >> (2 * bits - 8)) << to
}

fn rgb5a1(bytes: [u8; 2]) -> u32 {
    let w = u32::from(u16::from_le_bytes(bytes));
    channel(w, 11, 5, 24) | channel(w, 6, 5, 16) | channel(w, 1, 5, 8) | (w & 1).wrapping_neg() & 0xFF
}

fn rgb565(bytes: [u8; 2]) -> u32 {
    let w = u32::from(u16::from_le_bytes(bytes));
    channel(w, 11, 5, 24) | channel(w, 5, 6, 16) | channel(w, 0, 5, 8) | 0xFF
}

fn rgba4(bytes: [u8; 2]) -> u32 {
    let w = u32::from(u16::from_le_bytes(bytes));
    channel(w, 12, 4, 24) | channel(w, 8, 4, 16) | channel(w, 4, 4, 8) | channel(w, 0, 4, 0)
}

fn ia4([v]: [u8; 1]) -> u32 {
    channel(v.into(), 4, 4, 24) | channel(v.into(), 4, 4, 16) | channel(v.into(), 4, 4, 8) | channel(v.into(), 0, 4, 0)
}

/// A level to decode.
struct Level<'m> {
    width: usize,
    height: usize,
    source: &'m [u8],
}

impl Level<'_> {
    /// Formats of `N` whole bytes a texel.
    fn texels<const N: usize>(&self, out: &mut [u32], decode: impl Fn([u8; N]) -> u32) {
        let at = |bytes: &[u8], index: usize| {
            let mut value = [0; N];
            value.copy_from_slice(&bytes[index * N..index * N + N]);
            decode(value)
        };
        match N {
            1 => self.tiles::<64>(out, |bytes| tile(|index| at(bytes, index))),
            2 => self.tiles::<128>(out, |bytes| tile(|index| at(bytes, index))),
            3 => self.tiles::<192>(out, |bytes| tile(|index| at(bytes, index))),
            _ => self.tiles::<256>(out, |bytes| tile(|index| at(bytes, index))),
        }
    }

    /// Formats of half a byte a texel, even texels in the low nibble.
    fn nibbles(&self, out: &mut [u32], decode: impl Fn(u32) -> u32) {
        let at = |bytes: &[u8; 32], index: usize| decode(u32::from(bytes[index / 2]) >> (index % 2 * 4) & 15);
        self.tiles::<32>(out, |bytes| tile(|index| at(bytes, index)));
    }

    /// Decodes tiles of `BYTES` bytes each, which follow one another in rows.
    fn tiles<const BYTES: usize>(&self, out: &mut [u32], decode: impl Fn(&[u8; BYTES]) -> Tile) {
        let mut offset = 0;
        let rows = out.chunks_exact_mut((self.width * 8).max(1)).take(self.height / 8);
        for row in rows {
            for column in 0..self.width / 8 {
                let bytes = self.read::<BYTES>(offset);
                offset += BYTES;
                let tile = decode(&bytes);
                let lines = row.chunks_exact_mut(self.width).zip(tile.chunks_exact(8));
                for (line, texels) in lines {
                    line[column * 8..column * 8 + 8].copy_from_slice(texels);
                }
            }
        }
    }

    /// The bytes of a tile; zero beyond the end of memory.
    fn read<const BYTES: usize>(&self, offset: usize) -> [u8; BYTES] {
        let rest = self.source.get(offset..).unwrap_or_default();
        rest.first_chunk().copied().unwrap_or_else(|| {
            let mut bytes = [0; BYTES];
            bytes[..rest.len()].copy_from_slice(rest);
            bytes
        })
    }
}

/// A tile from the texel at each Morton index.
#[inline(always)]
fn tile(texel: impl Fn(usize) -> u32) -> Tile {
    /// Contributions of x; those of y are twice as large.
    const SPREAD: [usize; 8] = [0, 1, 4, 5, 16, 17, 20, 21];
    // In Morton order first: neighbours are decoded together.
    let mut morton = [0; 64];
    for (index, to) in morton.iter_mut().enumerate() {
        *to = texel(index);
    }
    let mut texels = [0; 64];
    for (y, row) in texels.chunks_exact_mut(8).enumerate() {
        for (to, x) in row.iter_mut().zip(SPREAD) {
            *to = morton[2 * SPREAD[y] + x];
        }
    }
    texels
}

/// A tile of four ETC1 blocks of `BYTES` bytes (8, or 16 with alpha).
fn etc1_tile<const BYTES: usize>(bytes: &[u8]) -> Tile {
    let mut texels = [0; 64];
    for (number, block) in bytes.chunks_exact(BYTES).enumerate() {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&block[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let (alpha, colors) = if BYTES == 16 { (word(0), word(8)) } else { (u64::MAX, word(0)) };
        let palette = palette(colors);
        // Texels of the second sub-block, bit 4*x + y: the right half, or the lower one when flipped.
        let second = if colors >> 32 & 1 == 0 { 0xFF00 } else { 0xCCCC };
        let corner = number / 2 * 32 + number % 2 * 4;
        for y in 0..4 {
            for x in 0..4 {
                let n = 4 * x + y;
                let index = colors >> n & 1 | (colors >> (16 + n) & 1) << 1 | (second >> n & 1) << 2;
                let alpha = (alpha >> (4 * n)) as u32 & 15;
                texels[corner + y * 8 + x] = palette[index as usize & 7] | (alpha * 17);
            }
        }
    }
    texels
}

/// The colours of an ETC1 block, alpha 0: four of the first sub-block, four of the second.
fn palette(block: u64) -> [u32; 8] {
    let field = |at: u32, bits: u32| (block >> at) as u32 & ((1 << bits) - 1);
    let bases = if block >> 33 & 1 == 0 {
        [[60, 52, 44], [56, 48, 40]].map(|half| half.map(|at| i32::from(expand4(field(at, 4)))))
    } else {
        // The second base is a signed difference, modulo 32.
        let second = [(59, 56), (51, 48), (43, 40)].map(|(at, difference)| {
            let difference = field(difference, 3);
            field(at, 5).wrapping_add(difference).wrapping_sub((difference & 4) << 1)
        });
        [[59, 51, 43].map(|at| field(at, 5)), second].map(|half| half.map(|v| i32::from(expand5(v))))
    };
    let mut colors = [0; 8];
    for (half, (base, table)) in bases.iter().zip([37, 34]).enumerate() {
        let [small, large] = ETC1_MODIFIERS[field(table, 3) as usize];
        for (color, modifier) in colors[4 * half..].iter_mut().zip([small, large, -small, -large]) {
            let [r, g, b] = base.map(|v| (v + modifier).clamp(0, 255) as u32);
            *color = r << 24 | g << 16 | b << 8;
        }
    }
    colors
}
