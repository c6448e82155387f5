//! Reading and writing the colour target.

use cranelift_codegen::ir::types::I16X8;
use cranelift_codegen::ir::types::I32X4;
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::pixel::Output;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, I16x8, I32x4, Pair};
use crate::pixel::quad::pica::{COLOR, Quad};
use crate::pixel::target::surface::QuadAddress;

impl Quad<'_, '_> {
    /// Blends `color` into the target.
    pub fn write(&mut self, color: Pair) {
        let (Some(format), Some(place)) = (self.key.color_format, self.address(COLOR)) else { return };
        let partial = self.plan.color_mask != if format.has_alpha() { 15 } else { 7 };
        let stored = (self.plan.destination || partial).then(|| place.load(self.e)[0]);
        let key = self.key;
        let color = match (&key.output, stored.filter(|_| self.plan.destination)) {
            (Output::Blend(blend), Some(stored)) => {
                let destination = decode(self.e, format, stored);
                self.blend(blend, color, destination)
            }
            (Output::Logic(op), Some(stored)) => {
                let destination = decode(self.e, format, stored);
                self.logic(*op, color, destination)
            }
            // Without a destination no operand reads the second colour.
            (Output::Logic(op), None) => self.logic(*op, color, color),
            (Output::Blend(_), None) => color,
        };
        let mut words = encode(self.e, format, color);
        if let Some(stored) = stored.filter(|_| partial) {
            let written = format.encode([0, 1, 2, 3].map(|c| if self.plan.color_mask >> c & 1 != 0 { 255 } else { 0 }));
            let change = self.e.ixor(words, stored);
            let written = self.e.i(written as i32);
            let change = self.e.iand(change, written);
            words = self.e.ixor(stored, change);
        }
        match (stored, self.full) {
            (Some(stored), _) => self.store_masked(place, words, stored),
            // Lanes that are not covered repeat the first one.
            (None, Some(_)) if self.place.picked.is_some() => place.store_all(self.e, &[words]),
            (None, None) => {
                let stored = place.load(self.e)[0];
                self.store_masked(place, words, stored);
            }
            (None, Some(full)) => {
                let (whole, masked, done) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&[]));
                self.e.branch_together(full, (whole, &[]), (masked, &[]));
                self.e.switch_to(whole);
                place.store_all(self.e, &[words]);
                self.e.jump(done, &[]);
                self.e.switch_to(masked);
                let stored = place.load(self.e)[0];
                self.store_masked(place, words, stored);
                self.e.jump(done, &[]);
                self.e.switch_to(done);
            }
        }
    }

    /// Stores the live pixels, and writes the others back unchanged.
    fn store_masked(&mut self, place: QuadAddress, words: I32x4, stored: I32x4) {
        let words = self.e.iselect(self.mask, words, stored);
        place.store_all(self.e, &[words]);
    }
}

/// The bits of `word`, shifted left by `shift` (right when negative), that `mask` names.
fn field(e: &mut Emit<'_>, word: I32x4, shift: i32, mask: i32) -> I32x4 {
    let moved = match shift {
        0 => word,
        1.. => e.ishl(word, shift as u32),
        _ => e.ushr(word, shift.unsigned_abs()),
    };
    let mask = e.i(mask);
    e.iand(moved, mask)
}

/// Two fields side by side as 16-bit lanes.
fn lanes(e: &mut Emit<'_>, even: I32x4, odd: I32x4) -> I16x8 {
    let both = e.ior(even, odd);
    I16x8(e.cast(both.0, I16X8))
}

/// Widens channels of `bits` bits to 8 by repeating their high bits.
fn expand(e: &mut Emit<'_>, a: I16x8, bits: u32) -> I16x8 {
    let high = e.shl16(a, 8 - bits);
    let low = if bits == 4 { a } else { e.shr16(a, 2 * bits - 8) };
    e.or16(high, low)
}

/// Stored words to 8 bits a channel; alpha is 255 without one.
pub(crate) fn decode(e: &mut Emit<'_>, format: PixelFormat, word: I32x4) -> Pair {
    match format {
        PixelFormat::Rgba8 => e.unpack(word),
        PixelFormat::Rgb8 => {
            // As 0xRRGGBBAA.
            let shifted = e.ishl(word, 8);
            let alpha = e.i(255);
            let word = e.ior(shifted, alpha);
            e.unpack(word)
        }
        PixelFormat::Rgb565 => {
            let (b, r) = (field(e, word, 0, 0x1F), field(e, word, 5, 0x1F_0000));
            let br = lanes(e, b, r);
            let g = field(e, word, 11, 0x3F_0000);
            let g = I16x8(e.cast(g.0, I16X8));
            let (br, g) = (expand(e, br, 5), expand(e, g, 6));
            let alpha = e.i(255);
            let alpha = I16x8(e.cast(alpha.0, I16X8));
            Pair { br, ag: e.or16(g, alpha) }
        }
        PixelFormat::Rgb5A1 => {
            let (b, r) = (field(e, word, -1, 0x1F), field(e, word, 5, 0x1F_0000));
            let br = lanes(e, b, r);
            let g = field(e, word, 10, 0x1F_0000);
            let g = I16x8(e.cast(g.0, I16X8));
            let (br, g) = (expand(e, br, 5), expand(e, g, 5));
            let bit = field(e, word, 0, 1);
            let eight = e.ishl(bit, 8);
            let alpha = e.isub(eight, bit);
            let alpha = I16x8(e.cast(alpha.0, I16X8));
            Pair { br, ag: e.or16(g, alpha) }
        }
        PixelFormat::Rgba4 => {
            let (b, r) = (field(e, word, -4, 0xF), field(e, word, 4, 0xF_0000));
            let (a, g) = (field(e, word, 0, 0xF), field(e, word, 8, 0xF_0000));
            let (br, ag) = (lanes(e, b, r), lanes(e, a, g));
            Pair { br: expand(e, br, 4), ag: expand(e, ag, 4) }
        }
    }
}

/// Channels cut to the format's width, as words with zeros above.
pub(crate) fn encode(e: &mut Emit<'_>, format: PixelFormat, pair: Pair) -> I32x4 {
    let mut cut = |bits: u32, channels: I16x8, even: (i32, i32), odd: (i32, i32)| {
        let cut = if bits == 8 { channels } else { e.shr16(channels, 8 - bits) };
        let cut = I32x4(e.cast(cut.0, I32X4));
        let (even, odd) = (field(e, cut, even.0, even.1), field(e, cut, odd.0, odd.1));
        e.ior(even, odd)
    };
    match format {
        PixelFormat::Rgba8 => e.pack(pair),
        PixelFormat::Rgb8 => {
            let word = e.pack(pair);
            e.ushr(word, 8)
        }
        PixelFormat::Rgb565 => {
            let br = cut(5, pair.br, (0, 0x1F), (-5, 0xF800));
            let g = I32x4(e.cast(pair.ag.0, I32X4));
            let g = field(e, g, -13, 0x7E0);
            e.ior(br, g)
        }
        PixelFormat::Rgb5A1 => {
            let br = cut(5, pair.br, (1, 0x3E), (-5, 0xF800));
            let ag = I32x4(e.cast(pair.ag.0, I32X4));
            let (a, g) = (field(e, ag, -7, 1), field(e, ag, -13, 0x7C0));
            let ag = e.ior(a, g);
            e.ior(br, ag)
        }
        PixelFormat::Rgba4 => {
            let br = cut(4, pair.br, (4, 0xF0), (-4, 0xF000));
            let ag = cut(4, pair.ag, (0, 0xF), (-8, 0xF00));
            e.ior(br, ag)
        }
    }
}
