//! Addresses and loads of texels.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use super::wrap::Index;
use super::{Channels, Sampler, Size, field};
use crate::lane::{Emit, F32x4, I32x4, Mask};
use crate::pixel::sample::programs::args::TextureArgs;

/// Lane `k` in all four.
const SPLAT: [[u8; 16]; 4] = [
    [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3],
    [4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7],
    [8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11],
    [12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15],
];

/// Lane `k` of a vector in all four.
pub(super) fn splat_lane(e: &mut Emit<'_>, a: F32x4, k: usize) -> F32x4 {
    F32x4(e.shuffle(a.0, a.0, SPLAT[k]))
}

impl Sampler<'_, '_> {
    /// Address that indices of texels count from.
    pub(super) fn base(&mut self, size: &Size) -> Value {
        let offset = if size.offset.is_some() { field!(texels) } else { field!(first) };
        self.e.load_i64(self.unit.args, offset)
    }

    /// Index of the first texel of a row.
    pub(super) fn row(&mut self, size: &Size, y: Option<I32x4>, z: Option<I32x4>) -> Option<I32x4> {
        let mut across = size.counts[0];
        if self.key.seamless {
            let border = self.e.i(2);
            across = self.e.iadd(across, border);
        }
        let rows = match (y, z) {
            (Some(y), Some(z)) => {
                let slices = self.e.imul_small(z, size.counts[1]);
                let rows = self.e.iadd(slices, y);
                Some(self.e.imul(rows, across))
            }
            (Some(y), None) => Some(self.e.imul_small(y, across)),
            _ => None,
        };
        [rows, self.layer, size.offset].into_iter().flatten().reduce(|a, b| self.e.iadd(a, b))
    }

    /// Index of a texel of a row.
    pub(super) fn texel(&mut self, row: Option<I32x4>, x: I32x4) -> I32x4 {
        match row {
            Some(row) => self.e.iadd(row, x),
            None => x,
        }
    }

    /// Words of texels of one word each, or the border's.
    pub(super) fn words(&mut self, base: Value, index: I32x4, border: Option<Mask>) -> I32x4 {
        let words = self.e.gather32_padded(base, index, self.unit.scratch);
        match border {
            Some(border) => {
                let color = self.splat_i32(field!(border_word));
                self.e.iselect(border, color, words)
            }
            None => words,
        }
    }

    /// Linear values of texels of sRGB, as far as they are wanted, or the border's.
    pub(super) fn linear_values(&mut self, base: Value, index: I32x4, border: Option<Mask>) -> Channels {
        let words = self.e.gather32_padded(base, index, self.unit.scratch);
        let table = self.e.load_i64(self.unit.args, field!(linear));
        std::array::from_fn(|c| {
            if !self.wanted[c] {
                return None;
            }
            let low = self.e.i(0xFF);
            let byte = self.e.ushr(words, 8 * c as u32);
            let byte = self.e.iand(byte, low);
            let value = if c < 3 {
                let bits = self.e.gather32_unclamped(table, byte);
                self.e.float_of_bits(bits)
            } else {
                let (value, scale) = (self.e.to_float(byte), self.e.f(1.0 / 255.0));
                self.e.mul(value, scale)
            };
            Some(match border {
                Some(border) => {
                    let color = self.splat_f32(field!(border) + 4 * c as i32);
                    self.e.select(border, color, value)
                }
                None => value,
            })
        })
    }

    /// The words at these indices and the ones after them; may read two words beyond.
    pub(super) fn pairs(&mut self, base: Value, index: I32x4) -> [I32x4; 2] {
        let [a, b, c, d] = self.e.lanes_through_memory(index, self.unit.scratch).map(|index| {
            let offset = self.e.b.ins().ishl_imm_u(index, 2);
            let address = self.e.b.ins().iadd(base, offset);
            self.e.load_floats(address, 0)
        });
        const JOIN: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
        let ab = self.e.shuffle(a.0, b.0, JOIN);
        let cd = self.e.shuffle(c.0, d.0, JOIN);
        self.e.unzip(ab, cd).map(|words| self.e.bits(words))
    }

    /// A channel of texels of four words, or the border's.
    pub(super) fn channel(&mut self, base: Value, index: I32x4, border: Option<Mask>, channel: usize) -> F32x4 {
        let index = self.e.ishl(index, 2);
        let index = if channel == 0 {
            index
        } else {
            let channel = self.e.i(channel as i32);
            self.e.ior(index, channel)
        };
        let words = self.e.gather32_padded(base, index, self.unit.scratch);
        let value = self.e.float_of_bits(words);
        match border {
            Some(border) => {
                let color = self.splat_f32(field!(border) + 4 * channel as i32);
                self.e.select(border, color, value)
            }
            None => value,
        }
    }

    /// Texels of four words, each as it is in memory, or the border's.
    pub(super) fn quadruples(&mut self, base: Value, index: I32x4, border: Option<Mask>) -> [F32x4; 4] {
        let texels = self.e.lanes_through_memory(index, self.unit.scratch).map(|index| {
            let offset = self.e.b.ins().ishl_imm_u(index, 4);
            let address = self.e.b.ins().iadd(base, offset);
            self.e.load_floats(address, 0)
        });
        let Some(border) = border else { return texels };
        let color = self.e.load_floats(self.unit.args, field!(border));
        std::array::from_fn(|lane| {
            let mask = I32x4(self.e.shuffle(border.0, border.0, SPLAT[lane]));
            self.e.select(Mask(mask.0), color, texels[lane])
        })
    }

    /// Lanes in which an index along any axis is the border's.
    pub(super) fn border(&mut self, axes: &[Option<Index>]) -> Option<Mask> {
        axes.iter().flatten().filter_map(|axis| axis.border).reduce(|a, b| self.e.or(a, b))
    }

    /// Whether in all lanes the second column follows the first one and none is the border's: a scalar.
    pub(super) fn side_by_side(&mut self, [first, second]: [Index; 2], border: Option<Mask>) -> Value {
        let one = self.e.i(1);
        let next = self.e.iadd(first.index, one);
        let mut fine = self.e.ieq(next, second.index);
        if let Some(border) = border {
            fine = self.e.and_not(fine, border);
        }
        let bits = self.e.mask_bits(fine);
        self.e.b.ins().icmp_imm_u(IntCC::Equal, bits, 15)
    }
}
