//! The pattern of raster operations: 8x8, 64x1 or 1x64 bits of two colours, or 8x8 colours.
//!
//! Colours can be given in four formats, each with registers of its own; those count that are as wide as the
//! destination's pixels (unverified, as is where the pattern begins).

use triglyph_guest::tegra::format::ColorFormat;
use triglyph_guest::tegra::methods::twod::regs;
use triglyph_guest::tegra::methods::twod::{BitOrder, PatternColorFormat, PatternSelect};

use super::pixel::{Codec, Words};
use crate::front_end::registers::Registers;

/// A pattern in the destination's format: 64 pixels.
#[derive(Clone, Debug)]
pub struct Pattern {
    select: PatternSelect,
    offset: [i64; 2],
    pixels: Vec<Words>,
}

impl Pattern {
    /// What the registers say.
    pub fn of(registers: &Registers, codec: &Codec) -> Pattern {
        let get = |id: usize| registers.get(id);
        let select = regs::set_pattern_select::v(get(regs::set_pattern_select::ID));
        let select = select.unwrap_or(PatternSelect::Monochrome8x8);
        let offset = get(regs::set_pattern_offset::ID);
        let (x, y) = (regs::set_pattern_offset::x(offset), regs::set_pattern_offset::y(offset));
        let pixels = match select {
            PatternSelect::Color => (0..64).map(|i| colored(registers, codec, i)).collect(),
            _ => monochrome(registers, codec),
        };
        Pattern { select, offset: [x.into(), y.into()], pixels }
    }

    /// The pixel at a place of the destination.
    pub fn at(&self, at: [i64; 2]) -> Words {
        let [x, y] = [0, 1].map(|axis| (at[axis] - self.offset[axis]).rem_euclid(64) as usize);
        self.pixels[match self.select {
            PatternSelect::Monochrome64x1 => x,
            PatternSelect::Monochrome1x64 => y,
            PatternSelect::Monochrome8x8 | PatternSelect::Color => y % 8 * 8 + x % 8,
        }]
    }
}

/// A word in some format as a pixel of the destination.
fn pixel(codec: &Codec, format: ColorFormat, word: u32) -> Words {
    codec.convert(&Codec::of(format), [word, 0, 0, 0], [0; 4])
}

fn monochrome(registers: &Registers, codec: &Codec) -> Vec<Words> {
    let get = |id: usize| registers.get(id);
    let format = get(regs::set_monochrome_pattern_color_format::ID);
    let color = |word: u32| match regs::set_monochrome_pattern_color_format::v(format) {
        Some(PatternColorFormat::A8X8R5G6B5) => pixel(codec, ColorFormat::R5G6B5Unorm, word & 0xFFFF),
        Some(PatternColorFormat::A1R5G5B5) => pixel(codec, ColorFormat::A1R5G5B5Unorm, word & 0xFFFF),
        Some(PatternColorFormat::A8Y8) => pixel(codec, ColorFormat::R8Unorm, word & 0xFF),
        Some(PatternColorFormat::A8X8Y16) => pixel(codec, ColorFormat::R16Unorm, word & 0xFFFF),
        Some(PatternColorFormat::Y32) => [word; 4],
        Some(PatternColorFormat::ByteExpand) => [(word & 0xFF) * 0x0101_0101; 4],
        Some(PatternColorFormat::A8R8G8B8) | None => pixel(codec, ColorFormat::A8R8G8B8Unorm, word),
    };
    let colors =
        [regs::set_monochrome_pattern_color0::ID, regs::set_monochrome_pattern_color1::ID].map(|id| color(get(id)));
    let words = [regs::set_monochrome_pattern0::ID, regs::set_monochrome_pattern1::ID].map(get);
    let reversed = regs::set_monochrome_pattern_format::v(get(regs::set_monochrome_pattern_format::ID));
    let reversed = reversed == Some(BitOrder::Cga6);
    let bit = |i: usize| {
        // CGA6 has the leftmost pixel in the highest bit of a byte.
        let place = if reversed { i ^ 7 } else { i };
        words[place / 32] >> (place % 32) & 1
    };
    (0..64).map(|i| colors[bit(i) as usize]).collect()
}

fn colored(registers: &Registers, codec: &Codec, i: usize) -> Words {
    let part = |id: usize, per_word: usize| {
        let bits = 32 / per_word;
        registers.get(id + i / per_word) >> (i % per_word * bits) & (u32::MAX >> (32 - bits))
    };
    match codec.bytes {
        1 => pixel(codec, ColorFormat::R8Unorm, part(regs::color_pattern_y8::id(0), 4)),
        2 if Codec::of(ColorFormat::R5G6B5Unorm) == *codec => {
            pixel(codec, ColorFormat::R5G6B5Unorm, part(regs::color_pattern_r5g6b5::id(0), 2))
        }
        2 => pixel(codec, ColorFormat::X1R5G5B5Unorm, part(regs::color_pattern_x1r5g5b5::id(0), 2)),
        _ => pixel(codec, ColorFormat::X8R8G8B8Unorm, part(regs::color_pattern_x8r8g8b8::id(0), 1)),
    }
}
