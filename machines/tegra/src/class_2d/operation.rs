//! Raster operations: source and destination to result.
//!
//! | operation | result |
//! |---|---|
//! | SRCCOPY, SRCCOPY_AND | source |
//! | ROP, ROP_AND | bit by bit: bit `4 * pattern + 2 * source + destination` of SET_ROP |
//! | BLEND_AND | `source * beta1 + destination * (1 - beta1)` |
//! | SRCCOPY_PREMULT | `source * beta4` |
//! | BLEND_PREMULT | `source * beta4 + destination * (1 - source alpha * beta4 alpha)` |
//!
//! Everything but SRCCOPY comes from descriptions of NV04 (envytools), where AND means the clip rectangle, which counts
//! always here; nothing but SRCCOPY is known to be used. BETA1 is 1.31 fixed, of which deko3d knows only the low byte,
//! 0xFF being 1: values below 0x100 are read that way, for they would be nothing otherwise. Integers are copied.

use triglyph_guest::tegra::methods::twod::regs;
use triglyph_guest::tegra::methods::twod::{ColorKeyFormat, Operation as Kind};

use super::pattern::Pattern;
use super::pixel::{Codec, Color, Words};
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;

/// What a pixel is to become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// It stays as it is.
    Nothing,
    /// These bits of the destination's format.
    Bits(Words),
    /// This colour.
    Color(Color),
}

/// Source pixels of this colour are not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    format: ColorKeyFormat,
    value: u32,
}

impl Key {
    /// Whether a source pixel has this colour. Alpha does not count.
    pub fn matches(&self, codec: &Codec, pixel: Words) -> bool {
        let bits = |value: f32, bits: u32, shift: u32| {
            let most = ((1u32 << bits) - 1) as f32;
            ((value.clamp(0.0, 1.0) * most + 0.5) as u32) << shift
        };
        let [r, g, b, _] = codec.decode(pixel);
        let (found, mask) = match self.format {
            ColorKeyFormat::A16R5G6B5 => (bits(r, 5, 11) | bits(g, 6, 5) | bits(b, 5, 0), 0xFFFF),
            ColorKeyFormat::A1R5G5B5 => (bits(r, 5, 10) | bits(g, 5, 5) | bits(b, 5, 0), 0x7FFF),
            ColorKeyFormat::A8R8G8B8 => (bits(r, 8, 16) | bits(g, 8, 8) | bits(b, 8, 0), 0xFF_FFFF),
            ColorKeyFormat::A2R10G10B10 => (bits(r, 10, 20) | bits(g, 10, 10) | bits(b, 10, 0), 0x3FFF_FFFF),
            ColorKeyFormat::Y8 => (bits(r, 8, 0), 0xFF),
            ColorKeyFormat::Y16 => (bits(r, 16, 0), 0xFFFF),
            ColorKeyFormat::Y32 => (pixel[0], u32::MAX),
        };
        found == self.value & mask
    }
}

/// The operation with everything that it needs.
#[derive(Clone, Debug)]
pub struct Operation {
    kind: Kind,
    key: Option<Key>,
    rop: u8,
    beta1: f32,
    beta4: Color,
    pattern: Option<Pattern>,
}

impl Operation {
    /// What the registers say, for a destination of this format.
    pub fn of(core: &mut Core, registers: &Registers, codec: &Codec) -> Operation {
        let get = |id: usize| registers.get(id);
        let word = get(regs::set_operation::ID);
        let kind = regs::set_operation::v(word).unwrap_or_else(|| {
            let what = format_args!("operation {word:#x} of the 2D class");
            core.fault(FaultKind::BadMethod, regs::set_operation::ID as u64, what);
            Kind::SourceCopy
        });
        let kind = match kind {
            Kind::SourceCopyAnd => Kind::SourceCopy,
            Kind::RopAnd => Kind::Rop,
            Kind::BlendAnd | Kind::SourceCopyPremultiplied | Kind::BlendPremultiplied if codec.is_integer() => {
                Kind::SourceCopy
            }
            other => other,
        };
        let format = regs::set_color_key_format::v(get(regs::set_color_key_format::ID));
        let key = format.filter(|_| regs::set_color_key_enable::v(get(regs::set_color_key_enable::ID)));
        let beta4 = get(regs::set_beta4::ID);
        let of_byte = |byte: u32| byte as f32 * (1.0 / 255.0);
        Operation {
            kind,
            key: key.map(|format| Key { format, value: get(regs::set_color_key::ID) }),
            rop: regs::set_rop::v(get(regs::set_rop::ID)) as u8,
            beta1: match get(regs::set_beta1::ID) {
                byte @ 0..=0xFF => of_byte(byte),
                fixed => (fixed as i32).max(0) as f32 * (1.0 / i32::MAX as f32),
            },
            beta4: [
                of_byte(regs::set_beta4::r(beta4)),
                of_byte(regs::set_beta4::g(beta4)),
                of_byte(regs::set_beta4::b(beta4)),
                of_byte(regs::set_beta4::a(beta4)),
            ],
            pattern: (kind == Kind::Rop).then(|| Pattern::of(registers, codec)),
        }
    }

    /// Whether the source is what is stored.
    pub fn is_copy(&self) -> bool {
        self.kind == Kind::SourceCopy
    }

    /// Whether the destination counts.
    pub fn reads_destination(&self) -> bool {
        // Bits of SET_ROP with and without the destination's bit.
        let rop = self.rop & 0x55 != self.rop >> 1 & 0x55;
        match self.kind {
            Kind::Rop => rop,
            Kind::BlendAnd | Kind::BlendPremultiplied => true,
            _ => false,
        }
    }

    /// The colour that is not written.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// What is stored at a place of a destination that holds `old`.
    pub fn apply(&self, codec: &Codec, at: [i64; 2], source: Source, old: Words) -> Words {
        let bits = |old| match source {
            Source::Bits(words) => words,
            Source::Color(color) => codec.encode(color, old),
            Source::Nothing => old,
        };
        let color = || match source {
            Source::Bits(words) => codec.decode(words),
            Source::Color(color) => color,
            Source::Nothing => codec.decode(old),
        };
        let product = |a: Color, b: Color| std::array::from_fn(|i| a[i] * b[i]);
        match (self.kind, &self.pattern) {
            (Kind::Rop, Some(pattern)) => {
                let (pattern, source) = (pattern.at(at), bits(old));
                std::array::from_fn(|i| raster(self.rop, pattern[i], source[i], old[i]))
            }
            (Kind::BlendAnd, _) => {
                let (source, below) = (color(), codec.decode(old));
                let mixed = std::array::from_fn(|i| source[i] * self.beta1 + below[i] * (1.0 - self.beta1));
                codec.encode(mixed, old)
            }
            (Kind::SourceCopyPremultiplied, _) => codec.encode(product(color(), self.beta4), old),
            (Kind::BlendPremultiplied, _) => {
                let (source, below): (Color, Color) = (product(color(), self.beta4), codec.decode(old));
                codec.encode(std::array::from_fn(|i| source[i] + below[i] * (1.0 - source[3])), old)
            }
            _ => bits(old),
        }
    }
}

/// A raster operation with three operands, bit by bit.
fn raster(rop: u8, pattern: u32, source: u32, destination: u32) -> u32 {
    (0..8).filter(|bit| rop >> bit & 1 != 0).fold(0, |result, bit| {
        let pick = |value: u32, set: bool| if set { value } else { !value };
        result | pick(pattern, bit & 4 != 0) & pick(source, bit & 2 != 0) & pick(destination, bit & 1 != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raster_operations() {
        let (p, s, d) = (0xF0F0_F0F0, 0xCCCC_CCCC, 0xAAAA_AAAA);
        assert_eq!(raster(0xCC, p, s, d), s);
        assert_eq!(raster(0xAA, p, s, d), d);
        assert_eq!(raster(0xF0, p, s, d), p);
        assert_eq!(raster(0x66, p, s, d), s ^ d);
        assert_eq!(raster(0xCA, p, s, d), p & s | !p & d);
        assert_eq!((raster(0, p, s, d), raster(0xFF, p, s, d)), (0, u32::MAX));
    }
}
