//! Textures to words: every format, tile by tile, in plain Rust.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use triglyph_guest::format::pixel::expand4;
use triglyph_guest::format::texel::ETC1_MODIFIERS;
use triglyph_guest::format::{PixelFormat, TexelFormat};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::layout::unmorton;

/// Decodes textures to the words that compiled pixel kernels sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder;

/// Texels of a tile in the order of its rows.
type Tile = [u32; 64];

impl TextureDecoder for Decoder {
    fn decode(&self, format: TexelFormat, width: u32, height: u32, source: Window<'_>, out: &mut [u32]) {
        let level = Level { width: width as usize, height: height as usize, source };
        match format {
            TexelFormat::Rgba8 => level.texels::<4>(out, u32::from_le_bytes),
            TexelFormat::Rgb8 => level.texels::<3>(out, |[b, g, r]| u32::from_le_bytes([255, b, g, r])),
            TexelFormat::Rgb5A1 => level.texels::<2>(out, |b| color(PixelFormat::Rgb5A1, b)),
            TexelFormat::Rgb565 => level.texels::<2>(out, |b| color(PixelFormat::Rgb565, b)),
            TexelFormat::Rgba4 => level.texels::<2>(out, |b| color(PixelFormat::Rgba4, b)),
            TexelFormat::Ia8 => level.texels::<2>(out, |[a, i]| gray(i, a)),
            TexelFormat::Rg8 => level.texels::<2>(out, |[g, r]| u32::from_le_bytes([255, 0, g, r])),
            TexelFormat::I8 => level.texels::<1>(out, |[i]| gray(i, 255)),
            TexelFormat::A8 => level.texels::<1>(out, |[a]| u32::from(a)),
            TexelFormat::Ia4 => level.texels::<1>(out, |[v]| gray(expand4(u32::from(v) >> 4), expand4(u32::from(v)))),
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

/// A 16-bit colour as a word.
fn color(format: PixelFormat, bytes: [u8; 2]) -> u32 {
    u32::from_be_bytes(format.decode(u32::from(u16::from_le_bytes(bytes))))
}

/// Row-major position of each texel of a tile, by Morton index.
const POSITION: [u8; 64] = {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 64 {
        let (x, y) = unmorton(index as u32);
        table[index] = (y * 8 + x) as u8;
        index += 1;
    }
    table
};

/// A level to decode.
struct Level<'m> {
    width: usize,
    height: usize,
    source: Window<'m>,
}

impl Level<'_> {
    /// Formats of `N` whole bytes a texel.
    fn texels<const N: usize>(&self, out: &mut [u32], decode: impl Fn([u8; N]) -> u32) {
        let tile = |bytes: &[u8]| {
            let mut texels = [0; 64];
            for (texel, &at) in bytes.chunks_exact(N).zip(&POSITION) {
                let mut value = [0; N];
                value.copy_from_slice(texel);
                texels[usize::from(at)] = decode(value);
            }
            texels
        };
        match N {
            1 => self.tiles::<64>(out, |bytes| tile(bytes)),
            2 => self.tiles::<128>(out, |bytes| tile(bytes)),
            3 => self.tiles::<192>(out, |bytes| tile(bytes)),
            _ => self.tiles::<256>(out, |bytes| tile(bytes)),
        }
    }

    /// Formats of half a byte a texel, even texels in the low nibble.
    fn nibbles(&self, out: &mut [u32], decode: impl Fn(u32) -> u32) {
        self.tiles::<32>(out, |bytes| {
            let mut texels = [0; 64];
            for (&byte, at) in bytes.iter().zip(POSITION.chunks_exact(2)) {
                texels[usize::from(at[0])] = decode(u32::from(byte) & 15);
                texels[usize::from(at[1])] = decode(u32::from(byte) >> 4);
            }
            texels
        });
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
        let end = offset.saturating_add(BYTES);
        let Some(source) = self.source.bytes().get(offset..end) else { return self.source.read(offset) };
        let mut bytes = [0; BYTES];
        copy(source, &mut bytes);
        bytes
    }
}

/// Reads atomics one by one: the compiler may not join them.
fn copy(source: &[AtomicU8], target: &mut [u8]) {
    for (to, from) in target.iter_mut().zip(source) {
        *to = from.load(Relaxed);
    }
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
        let corner = number / 2 * 32 + number % 2 * 4;
        let palette = Palette::new(colors);
        for x in 0..4 {
            for y in 0..4 {
                let n = 4 * x + y;
                let alpha = u32::from(expand4((alpha >> (4 * n)) as u32));
                texels[corner + y * 8 + x] = palette.color(colors, x, y) | alpha;
            }
        }
    }
    texels
}

/// The eight colours of an ETC1 block, alpha 0: four of each sub-block.
struct Palette([[u32; 4]; 2]);

impl Palette {
    fn new(block: u64) -> Self {
        let field = |at: u32, bits: u32| (block >> at) as u32 & ((1 << bits) - 1);
        let bases = if block >> 33 & 1 == 0 {
            [[60, 52, 44], [56, 48, 40]].map(|at| at.map(|at| i32::from(expand4(field(at, 4)))))
        } else {
            let expand = |v: u32| i32::from(triglyph_guest::format::pixel::expand5(v));
            let first = [59, 51, 43].map(|at| field(at, 5));
            let mut channel = 0;
            let second = [56, 48, 40].map(|at| {
                let difference = field(at, 3);
                // Signed, modulo 32.
                let signed = difference | if difference & 4 != 0 { !7 } else { 0 };
                channel += 1;
                first[channel - 1].wrapping_add(signed)
            });
            [first.map(expand), second.map(expand)]
        };
        let tables = [field(37, 3), field(34, 3)];
        let colors = |half: usize| {
            let [small, large] = ETC1_MODIFIERS[tables[half] as usize];
            [small, large, -small, -large].map(|modifier| {
                let [r, g, b] = bases[half].map(|v| (v + modifier).clamp(0, 255) as u32);
                r << 24 | g << 16 | b << 8
            })
        };
        Palette([colors(0), colors(1)])
    }

    fn color(&self, block: u64, x: usize, y: usize) -> u32 {
        let n = 4 * x + y;
        let index = (block >> n & 1 | (block >> (16 + n) & 1) << 1) as usize;
        let second = if block >> 32 & 1 == 0 { x >= 2 } else { y >= 2 };
        self.0[usize::from(second)][index]
    }
}
