//! Texels in guest memory: 8x8 tiles in Morton order (3dbrew: GPU/Internal Registers, 0x08E).

use triglyph_guest::format::pixel::expand4;
use triglyph_guest::format::{PixelFormat, TexelFormat};
use triglyph_guest::kernel::Window;
use triglyph_guest::layout::Block;

use super::etc1;

/// The texel in column `x` of stored row `y` of a level of `width` texels a row that starts at `level`.
pub fn fetch(format: TexelFormat, level: Window<'_>, x: u32, y: u32, width: u32) -> [u8; 4] {
    let index = Block::B8.index(x, y, width) as usize;
    let word = |bytes: u32| level.read_word(index * bytes as usize, bytes);
    let byte = || word(1) as u8;
    let nibble = || {
        let [pair] = level.read(index / 2);
        expand4(u32::from(pair) >> (4 * (index & 1)))
    };
    match format {
        TexelFormat::Rgba8 => PixelFormat::Rgba8.decode(word(4)),
        TexelFormat::Rgb8 => PixelFormat::Rgb8.decode(word(3)),
        TexelFormat::Rgb5A1 => PixelFormat::Rgb5A1.decode(word(2)),
        TexelFormat::Rgb565 => PixelFormat::Rgb565.decode(word(2)),
        TexelFormat::Rgba4 => PixelFormat::Rgba4.decode(word(2)),
        TexelFormat::Ia8 => {
            let [alpha, intensity] = level.read(index * 2);
            gray(intensity, alpha)
        }
        TexelFormat::Rg8 => {
            let [green, red] = level.read(index * 2);
            [red, green, 0, 255]
        }
        TexelFormat::I8 => gray(byte(), 255),
        TexelFormat::A8 => [0, 0, 0, byte()],
        TexelFormat::Ia4 => gray(expand4(word(1) >> 4), expand4(word(1))),
        TexelFormat::I4 => gray(nibble(), 255),
        TexelFormat::A4 => [0, 0, 0, nibble()],
        TexelFormat::Etc1 => compressed(level, x, y, width, false),
        TexelFormat::Etc1A4 => compressed(level, x, y, width, true),
    }
}

fn gray(intensity: u8, alpha: u8) -> [u8; 4] {
    [intensity, intensity, intensity, alpha]
}

/// A texel of a compressed level: tiles as in the other formats, each four blocks of 4x4 texels, left before right,
/// then top before bottom. With alpha a block begins with 64 bits of it, texel 4*x + y in nibble 4*x + y.
fn compressed(level: Window<'_>, x: u32, y: u32, width: u32, has_alpha: bool) -> [u8; 4] {
    let block_bytes = if has_alpha { 16 } else { 8 };
    let tile = Block::B8.index(x & !7, y & !7, width) as usize / 64;
    let block = (x >> 2 & 1) + 2 * (y >> 2 & 1);
    let at = tile * 4 * block_bytes + block as usize * block_bytes;
    let (x, y) = (x & 3, y & 3);
    let half = |offset: usize| u64::from_le_bytes(level.read(at + offset));
    let alpha = if has_alpha { expand4((half(0) >> (4 * (4 * x + y))) as u32) } else { 255 };
    let [r, g, b] = etc1::texel(half(block_bytes - 8), x, y);
    [r, g, b, alpha]
}
