//! Stored pixels as colours and as text.

use triglyph::probe::{Bits, Channel, ColorFormat, DepthFormat, PicaDepthFormat, Stored};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::num::F16;

/// A stored pixel as RGBA of 8 bits, for people to look at: colours are clamped to 0..1; depth is in r, g and b, 24
/// bits with the highest in r; densities are the colours that samplers take them for. Bytes that are missing count as
/// 0.
pub fn to_rgba(stored: &Stored, bytes: &[u8]) -> [u8; 4] {
    match stored {
        Stored::PicaColor(format) => format.decode(word(bytes, format.bytes() as usize) as u32),
        Stored::PicaDensities => PixelFormat::Rgba8.decode(word(bytes, 4) as u32),
        Stored::Color(format) => channels(format, bytes).map(|value| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8),
        _ => match depth_stencil(stored, bytes) {
            Some((depth, _)) => {
                let bits = (depth.clamp(0.0, 1.0) * 16_777_215.0) as u32;
                [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8, 255]
            }
            None => [bytes.first().copied().unwrap_or(0); 4],
        },
    }
}

/// Whether a component of a stored pixel is no number.
pub(crate) fn is_nan(stored: &Stored, bytes: &[u8]) -> bool {
    match stored {
        Stored::Color(format) => channels(format, bytes).iter().any(|value| value.is_nan()),
        Stored::Depth(..) => depth_stencil(stored, bytes).is_some_and(|(depth, _)| depth.is_nan()),
        _ => false,
    }
}

/// A stored pixel as text: its value, and its bytes.
pub fn pixel_text(stored: &Stored, bytes: &[u8]) -> String {
    let raw: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let value = match stored {
        Stored::PicaColor(_) => to_rgba(stored, bytes).map(|value| value.to_string()).join(" "),
        Stored::Color(format) => channels(format, bytes).map(|value| format!("{value:.4}")).join(" "),
        Stored::PicaShadow => {
            let shadow = bytes.get(3).copied().unwrap_or(0);
            format!("depth {:.7} shadow {shadow:#04x}", shadow_depth(bytes))
        }
        Stored::PicaDensities => {
            let both = word(bytes, 4);
            format!("density {} by depth {}", both & 0xFFFF, both >> 16)
        }
        _ => match depth_stencil(stored, bytes) {
            Some((depth, Some(stencil))) => format!("depth {depth:.7} stencil {stencil:#04x}"),
            Some((depth, None)) => format!("depth {depth:.7}"),
            None => String::new(),
        },
    };
    format!("{value} [{raw}]")
}

/// The little-endian number in up to 16 bytes.
fn word(bytes: &[u8], count: usize) -> u128 {
    bytes.iter().take(count.min(16)).rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
}

/// r, g, b, a as the format decodes them; without what encodes them as sRGB.
fn channels(format: &ColorFormat, bytes: &[u8]) -> [f32; 4] {
    let mut ordered = bytes.to_vec();
    ordered.resize(format.bytes.into(), 0);
    ordered.chunks_mut(usize::from(format.swap).max(1)).for_each(<[u8]>::reverse);
    let pixel = word(&ordered, format.bytes.into());
    let bits = |bits: Bits| (pixel >> bits.shift) as u32 & u32::MAX >> (32 - u32::from(bits.bits));
    let signed = |at: Bits| ((bits(at) << (32 - at.bits)) as i32) >> (32 - at.bits);
    std::array::from_fn(|index| match format.channels[index] {
        Channel::Absent | Channel::Zeros(_) => f32::from(u8::from(index == 3)),
        Channel::Ones(_) => 1.0,
        Channel::Unorm(at) | Channel::UnormHalfUp(at) | Channel::UnormRsx(at) | Channel::Srgb(at) => {
            (f64::from(bits(at)) / ((1u64 << at.bits) - 1) as f64) as f32
        }
        Channel::Snorm(at) => (f64::from(signed(at)) / ((1u64 << (at.bits - 1)) - 1) as f64).max(-1.0) as f32,
        Channel::Uint(at) => bits(at) as f32,
        Channel::Sint(at) => signed(at) as f32,
        Channel::Float(at) | Channel::FloatCut(at) => match at.bits {
            32 => f32::from_bits(bits(at)),
            16 => F16::decode(bits(at)),
            // The mantissa of a half is longer.
            small => F16::decode(bits(at) << (15 - small)),
        },
    })
}

fn unorm(value: u128, bits: u32) -> f32 {
    (value as f64 / ((1u64 << bits) - 1) as f64) as f32
}

/// Depth in a shadow map.
fn shadow_depth(bytes: &[u8]) -> f32 {
    unorm(bytes.iter().take(3).fold(0, |depth, &byte| depth << 8 | u128::from(byte)), 24)
}

/// Depth from 0 to 1 (floats as they are) and stencil.
fn depth_stencil(stored: &Stored, bytes: &[u8]) -> Option<(f32, Option<u8>)> {
    match *stored {
        Stored::PicaShadow => Some((shadow_depth(bytes), None)),
        Stored::PicaDepth(PicaDepthFormat::D16) => Some((unorm(word(bytes, 2), 16), None)),
        Stored::PicaDepth(PicaDepthFormat::D24) => Some((unorm(word(bytes, 3), 24), None)),
        Stored::PicaDepth(PicaDepthFormat::D24S8) => {
            let pixel = word(bytes, 4);
            Some((unorm(pixel & 0xFF_FFFF, 24), Some((pixel >> 24) as u8)))
        }
        Stored::Depth(format, big_endian) => {
            let mut ordered = bytes.to_vec();
            ordered.resize(format.bytes() as usize, 0);
            if big_endian {
                ordered.chunks_mut(4.min(format.bytes() as usize)).for_each(<[u8]>::reverse);
            }
            let pixel = word(&ordered, 8);
            let (low, stencil) = ((pixel & 0xFF_FFFF), (pixel >> 32) as u8);
            Some(match format {
                DepthFormat::Z16 => (unorm(pixel, 16), None),
                DepthFormat::F16 => (F16::decode(pixel as u32), None),
                DepthFormat::Z24S8 => (unorm(pixel >> 8, 24), Some(pixel as u8)),
                DepthFormat::S8Z24 => (unorm(low, 24), Some((pixel >> 24) as u8)),
                DepthFormat::F24S8 => (f32::from_bits((pixel >> 8 << 7) as u32), Some(pixel as u8)),
                DepthFormat::F32 => (f32::from_bits(pixel as u32), None),
                DepthFormat::F32S8 => (f32::from_bits(pixel as u32), Some(stencil)),
                DepthFormat::Z24X8S8 => (unorm(low, 24), Some(stencil)),
                DepthFormat::S8 => (0.0, Some(pixel as u8)),
            })
        }
        _ => None,
    }
}
