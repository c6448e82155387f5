//! Packing and unpacking of bits.

use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::rsx::fragment::Op;

use super::Lower;
use super::alu::Operands;
use super::registers::Number;
use crate::lane::{F32x4, I32x4};

impl Lower<'_, '_, '_> {
    /// The bits that a packing operation gives.
    pub fn pack(&mut self, of: Operands<'_>) -> Number {
        let (count, bits) = match of.compute.op {
            Op::Pk2 | Op::Pk16 => (2, 16),
            _ => (4, 8),
        };
        let mut word: Option<I32x4> = None;
        for c in 0..count {
            let a = self.a(of, c).value;
            let part = self.packed(of.compute.op, c, a);
            let e = &mut *self.quad.e;
            word = Some(match word {
                None => part,
                Some(word) => {
                    let part = e.ishl(part, bits * c as u32);
                    e.ior(word, part)
                }
            });
        }
        let e = &mut *self.quad.e;
        let word = word.unwrap_or_else(|| e.i(0));
        Number { exact: true, ..Number::new(e.float_of_bits(word)) }
    }

    /// Component `c` as the low bits of a word; bits above its own are zero.
    fn packed(&mut self, op: Op, c: usize, a: F32x4) -> I32x4 {
        let e = &mut *self.quad.e;
        if op == Op::Pk2 {
            return e.half_of(a);
        }
        let (low, max) = match op {
            Op::Pk4 => (-1.0, 127.0),
            Op::Pk16 => (0.0, 65535.0),
            _ => (0.0, 255.0),
        };
        let mut value = e.clamp(a, low, 1.0);
        if op == Op::Pkg && c < 3 {
            value = ops::linear_to_srgb(e, value);
        }
        let (scale, half) = (e.f(max), e.f(0.5));
        let scaled = e.mul(value, scale);
        let scaled = e.add(scaled, half);
        let whole = e.floor(scaled);
        let whole = e.truncate_to_int(whole);
        if op != Op::Pk4 {
            return whole;
        }
        let byte = e.i(0xFF);
        e.iand(whole, byte)
    }

    /// The components `wanted` of an unpacking operation.
    pub fn unpack(&mut self, of: Operands<'_>, wanted: [bool; 4]) -> [Option<Number>; 4] {
        let word = self.source_bits(of.step, of.compute);
        let word = self.quad.e.bits(word);
        std::array::from_fn(|c| wanted[c].then(|| self.unpacked(of.compute.op, c, word)))
    }

    fn unpacked(&mut self, op: Op, c: usize, word: I32x4) -> Number {
        let e = &mut *self.quad.e;
        let (bits, place) = match op {
            Op::Up2 | Op::Up16 => (16, c as u32 % 2),
            _ => (8, c as u32),
        };
        // Its bits at the top, then at the bottom.
        let above = 32 - bits * (place + 1);
        let top = if above == 0 { word } else { e.ishl(word, above) };
        let bottom = if op == Op::Up4 { e.ishr(top, 32 - bits) } else { e.ushr(top, 32 - bits) };
        if op == Op::Up2 {
            return Number { half: true, ..Number::new(e.float_of_half(bottom)) };
        }
        let value = e.to_float(bottom);
        let scale = e.f(match op {
            Op::Up4 => 1.0 / 127.0,
            Op::Up16 => 1.0 / 65535.0,
            _ => 1.0 / 255.0,
        });
        let mut value = e.mul(value, scale);
        if op == Op::Up4 {
            let least = e.f(-1.0);
            value = e.max(value, least);
        }
        if op == Op::Upg && c < 3 {
            value = ops::srgb_to_linear(e, value);
        }
        Number::new(value).within(1.001)
    }
}
