//! Surfaces as arrays.

use triglyph::probe::{DepthFormat, PicaDepthFormat, Stored, Surface};
use triglyph_inspect::to_rgba;

/// The stored pixels of a surface, row by row, from the bytes of its range. Bytes that are missing count as 0.
pub fn stored(surface: &Surface, bytes: &[u8]) -> Vec<u8> {
    let size = surface.bytes as usize;
    let mut pixels = Vec::with_capacity(surface.width as usize * surface.rows as usize * size);
    for y in 0..surface.rows {
        for x in 0..surface.width {
            let at = usize::try_from(surface.offset(x, y)).unwrap_or(usize::MAX);
            let end = pixels.len() + size;
            let found = bytes.get(at..).unwrap_or_default();
            pixels.extend_from_slice(&found[..found.len().min(size)]);
            pixels.resize(end, 0);
        }
    }
    pixels
}

/// RGBA of 8 bits of each stored pixel.
pub fn rgba(surface: &Surface, pixels: &[u8]) -> Vec<u8> {
    let size = surface.bytes.max(1) as usize;
    pixels.chunks_exact(size).flat_map(|pixel| to_rgba(&surface.stored, pixel)).collect()
}

/// Where depth is in a stored pixel, read as a little-endian number, and what it means.
struct Depth {
    shift: u32,
    bits: u32,
    kind: Number,
    big_endian: bool,
}

enum Number {
    /// 0 to 1.
    Unorm,
    /// A float of 32 bits; of one with fewer, the highest of them.
    Float,
    /// A float of 16 bits.
    Half,
}

fn depth_of(stored: &Stored) -> Option<Depth> {
    let unorm = |shift, bits, big_endian| Some(Depth { shift, bits, kind: Number::Unorm, big_endian });
    match *stored {
        Stored::PicaDepth(PicaDepthFormat::D16) => unorm(0, 16, false),
        Stored::PicaDepth(_) => unorm(0, 24, false),
        Stored::PicaShadow => unorm(8, 24, true),
        Stored::Depth(format, big_endian) => match format {
            DepthFormat::Z16 => unorm(0, 16, big_endian),
            DepthFormat::Z24S8 => unorm(8, 24, big_endian),
            DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => unorm(0, 24, big_endian),
            DepthFormat::F16 => Some(Depth { shift: 0, bits: 16, kind: Number::Half, big_endian }),
            DepthFormat::F24S8 => Some(Depth { shift: 8, bits: 24, kind: Number::Float, big_endian }),
            DepthFormat::F32 | DepthFormat::F32S8 => {
                Some(Depth { shift: 0, bits: 32, kind: Number::Float, big_endian })
            }
            DepthFormat::S8 => None,
        },
        _ => None,
    }
}

/// The bits of each pixel's depth; `None` for a surface without.
pub fn depth_bits(surface: &Surface, pixels: &[u8]) -> Option<Vec<u32>> {
    let Depth { shift, bits, big_endian, .. } = depth_of(&surface.stored)?;
    let bits_of = |pixel: &[u8]| {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(pixel) {
            *to = *from;
        }
        if big_endian {
            word[..pixel.len().min(4)].reverse();
        }
        u32::from_le_bytes(word) >> shift & u32::MAX >> (32 - bits)
    };
    Some(pixels.chunks_exact(surface.bytes.max(1) as usize).map(bits_of).collect())
}

/// Each pixel's depth, from 0 to 1 or as the float that is stored; `None` for a surface without.
pub fn depth(surface: &Surface, pixels: &[u8]) -> Option<Vec<f32>> {
    let Depth { bits, kind, .. } = depth_of(&surface.stored)?;
    let value = |word: u32| match kind {
        Number::Unorm => (f64::from(word) / ((1u64 << bits) - 1) as f64) as f32,
        // The exponent of a float of 24 bits is as long, and there is no sign.
        Number::Float if bits == 24 => f32::from_bits(word << 7),
        Number::Float => f32::from_bits(word),
        Number::Half => half(word),
    };
    Some(depth_bits(surface, pixels)?.into_iter().map(value).collect())
}

/// A float of 16 bits.
fn half(bits: u32) -> f32 {
    let (sign, exponent, mantissa) = (bits >> 15 & 1, bits >> 10 & 31, bits & 1023);
    let size = match exponent {
        0 => mantissa as f32 / (1 << 24) as f32,
        31 if mantissa == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | mantissa << 13),
    };
    if sign == 1 { -size } else { size }
}
