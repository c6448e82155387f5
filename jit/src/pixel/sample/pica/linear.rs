//! Linear filtering in two steps: computing a footprint, then loading and weighing its texels.
//!
//! Away from the seams of a texture the four texels of a pixel are two pairs of neighbours in memory. At a seam, and
//! where the border begins, the first step loads the texels one by one and stores them as pairs of neighbours in the
//! footprint, so that the second step needs no distinction.

use std::mem::size_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16X8, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::Wrap;
use triglyph_guest::num::ops::Ops;

use super::footprint::{FootprintAt, field};
use super::{Level, Sampler, unit_at};
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};

impl Sampler<'_, '_> {
    /// Computes the footprint of coordinates.
    pub fn footprint(&mut self, uv: [F32x4; 2], at: FootprintAt) {
        let [(i, fx), (j, fy)] = [0, 1].map(|axis| {
            let size = self.size(axis, true);
            let scaled = self.e.mul(uv[axis], size);
            let limit = (1u32 << 28) as f32;
            let scaled = self.e.clamp(scaled, -limit, limit);
            let whole = self.e.floor(scaled);
            let fixed = self.e.truncate_to_int(whole);
            let half = self.e.i(128);
            let fixed = self.e.isub(fixed, half);
            (self.e.ishr(fixed, 8), self.e.low_bytes_twice(fixed))
        });
        let (base, fractions) = at.field(field!(fractions));
        self.e.store(fx.0, base, fractions);
        self.e.store(fy.0, base, fractions + 16);

        let (x, x_inside) = self.inner(0, i);
        let (y, y_inside) = self.inner(1, j);
        let inside = self.e.and(x_inside, y_inside);
        let inside = self.e.mask_bits(inside);
        let row = self.row(y);
        let lower = self.e.iadd(row, x);
        let (base, left) = at.field(field!(left));
        self.e.store(lower.0, base, left);
        if let Level::Lanes { width, .. } = self.level {
            let upper = self.e.isub(lower, width);
            self.e.store(upper.0, base, left + 16);
        }
        self.store_rows(at);

        let all = self.e.b.ins().icmp_imm_u(IntCC::Equal, inside, 15);
        let (seam, done) = (self.e.cold_block(&[]), self.e.block(&[]));
        self.e.branch_if_all(all, (done, &[]), (seam, &[]));
        self.e.switch_to(seam);
        self.seam([i, j], at);
        self.e.jump(done, &[]);
        self.e.switch_to(done);
    }

    /// Uses the texture's rows.
    fn store_rows(&mut self, at: FootprintAt) {
        let (args, unit) = (self.e.args, self.unit);
        let from = match self.level {
            Level::First => unit_at!(unit, texels),
            Level::Lanes { .. } => unit_at!(unit, texels_twice),
        };
        let rows = self.e.load_ints(args, from);
        let (base, offset) = at.field(field!(rows));
        self.e.store(rows.0, base, offset);
    }

    /// An index and the lanes in which it and the next one need no wrapping.
    fn inner(&mut self, axis: usize, index: I32x4) -> (I32x4, Mask) {
        let last = self.last(axis);
        if self.key.wrap[axis] == Wrap::Repeat {
            let index = self.e.iand(index, last);
            return (index, self.e.ilt(index, last));
        }
        // Below the last one, unsigned; a level has at least two texels a side.
        let ones = self.e.i(-1);
        let limit = self.e.iadd(last, ones);
        let inside = self.e.umin(index, limit);
        (index, self.e.ieq(inside, index))
    }

    /// Reads texels (i, j), (i+1, j), then (i, j+1), (i+1, j+1), each wrapped on its own.
    fn seam(&mut self, [i, j]: [I32x4; 2], at: FootprintAt) {
        let one = self.e.i(1);
        let next = self.e.iadd(i, one);
        let [left, right] = [i, next].map(|i| self.wrap(0, i));
        let (base, pairs) = at.field(field!(seam));
        let texels = self.texels();
        let size = size_of::<[u32; 12]>() as i32;
        let above = self.e.iadd(j, one);
        for (j, at) in [(j, pairs), (above, pairs + size)] {
            let (wrapped, in_rows) = self.wrap(1, j);
            let words = self.row(wrapped);
            let [left, right] = [left, right].map(|column| self.texel(texels, words, column, in_rows));
            const FIRST: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
            const SECOND: [u8; 16] = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
            for (order, offset) in [(FIRST, 0), (SECOND, 16)] {
                let two = self.e.shuffle(left.0, right.0, order);
                self.e.store(two, base, at + offset);
            }
        }
        let first = self.e.b.ins().iadd_imm_s(base, i64::from(pairs));
        let second = self.e.b.ins().iadd_imm_s(base, i64::from(pairs + size));
        let (base, rows) = at.field(field!(rows));
        self.e.store(first, base, rows);
        self.e.store(second, base, rows + 8);
        let pairs = self.e.ints([0, 2, 4, 6]);
        let (base, left) = at.field(field!(left));
        self.e.store(pairs.0, base, left);
        if let Level::Lanes { .. } = self.level {
            self.e.store(pairs.0, base, left + 16);
        }
    }
}

/// Loads and weighs the texels of a footprint; `levels` if they may belong to different levels.
pub fn filter(e: &mut Emit<'_>, at: FootprintAt, levels: bool) -> Pair {
    let (base, rows) = at.field(field!(rows));
    let (_, left) = at.field(field!(left));
    let lanes = |e: &mut Emit<'_>, from: i32| [0, 4, 8, 12].map(|lane| e.load_u32(base, from + lane));
    let lower = lanes(e, left);
    let row = e.load_i64(base, rows);
    let [c00, c10] = side_by_side(e, row, lower);
    let upper = if levels { lanes(e, left + 16) } else { lower };
    let row = e.load_i64(base, rows + 8);
    let [c01, c11] = side_by_side(e, row, upper);
    let (base, fractions) = at.field(field!(fractions));
    let fx = e.load_shorts(base, fractions);
    let fy = e.load_shorts(base, fractions + 16);
    bilinear(e, [c00, c10, c01, c11], fx, fy)
}

/// The words at `index` and at `index` + 1. Reads two words beyond; decoded textures end in four words of padding.
fn side_by_side(e: &mut Emit<'_>, row: Value, index: [Value; 4]) -> [I32x4; 2] {
    let mut pair = |a: Value, b: Value| {
        let [a, b] = [a, b].map(|index| {
            let offset = e.b.ins().ishl_imm_u(index, 2);
            let address = e.b.ins().iadd(row, offset);
            e.load_floats(address, 0)
        });
        const JOIN: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
        e.shuffle(a.0, b.0, JOIN)
    };
    let (ab, cd) = (pair(index[0], index[1]), pair(index[2], index[3]));
    const EVEN: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
    const ODD: [u8; 16] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
    [EVEN, ODD].map(|order| {
        let words = e.shuffle(ab, cd, order);
        I32x4(e.cast(words, I32X4))
    })
}

/// `(c00*(256-fx)*(256-fy) + c10*fx*(256-fy) + c01*(256-fx)*fy + c11*fx*fy + 0x8000) >> 16` of each channel; the
/// fractions are in both halves of each pixel.
fn bilinear(e: &mut Emit<'_>, texels: [I32x4; 4], fx: I16x8, fy: I16x8) -> Pair {
    let one = e.short(256);
    let gx = e.sub16(one, fx);
    // 256 - fy = 255 ^ fy + 1 in the even, fy in the odd half, for the two channels of two pixels each.
    let fy = I32x4(e.cast(fy.0, I32X4));
    let low = e.i(255);
    let weights = e.ixor(fy, low);
    let one = e.i(1);
    let weights = e.iadd(weights, one);
    const FIRST: [u8; 16] = [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7];
    const SECOND: [u8; 16] = [8, 9, 10, 11, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15];
    let weights = [FIRST, SECOND].map(|order| {
        let weights = e.shuffle(weights.0, weights.0, order);
        I16x8(e.cast(weights, I16X8))
    });
    let texels = texels.map(|word| I16x8(e.cast(word.0, I16X8)));
    // Two channels at a time: fewer values are live at once.
    let mut channels = |part: fn(&mut Emit<'_>, I16x8) -> I16x8| {
        let [c00, c10, c01, c11] = texels.map(|words| part(e, words));
        // Rows are at most 255 * 256. Subtracting 0x8000 makes them signed; the weights, which sum to 256, make up for
        // it.
        let [top, bottom] = [(c00, c10), (c01, c11)].map(|(left, right)| {
            let left = e.mul16(left, gx);
            let right = e.mul16(right, fx);
            let row = e.add16(left, right);
            let sign = e.short(0x8000);
            e.xor16(row, sign)
        });
        let [first, second] = e.interleave16(top, bottom);
        let [first, second] = [(first, weights[0]), (second, weights[1])].map(|(rows, weights)| {
            let sum = e.madd16(rows, weights);
            let rest = e.i(0x8000 * 256 + 0x8000);
            let sum = e.iadd(sum, rest);
            e.ushr(sum, 16)
        });
        I16x8(e.b.ins().unarrow(first.0, second.0))
    };
    Pair { br: channels(|e, words| e.shr16(words, 8)), ag: channels(|e, words| e.low_bytes(words)) }
}
