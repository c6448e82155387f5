//! Colours of the procedural texture: levels, interpolation.

use std::mem::offset_of;

use cranelift_codegen::ir::types::I32X4;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::Filter;
use triglyph_guest::kernel::procedural::{ProceduralData, ProceduralKey};
use triglyph_guest::num::ops::{Ops, log2};

use super::args::LAST_LEVEL;
use crate::lane::{Emit, F32x4, I32x4, Pair};
use crate::pixel::args::pica::{at, quad_scratch_at};
use crate::pixel::quad::pica::Quad;
use crate::pixel::sample::pica::mix_levels;

/// Offset of a field of the tables.
macro_rules! table {
    ($field:ident) => {
        offset_of!(ProceduralData, $field) as i32
    };
}

impl Quad<'_, '_> {
    /// The colour at `position`, from the selected levels.
    pub(super) fn procedural_levels(&mut self, key: &ProceduralKey, position: F32x4) -> Pair {
        let clamped = self.e.clamp(position, 0.0, 1.0);
        let Some(filter) = key.mipmap else {
            return color_of_first_level(self.e, key.linear, clamped).1;
        };
        let lod = self.procedural_lod(key);
        match filter {
            Filter::Nearest => {
                let half = self.e.f(0.5);
                let level = self.e.add(lod, half);
                let level = self.e.truncate_to_int(level);
                self.procedural_level(key, clamped, level)
            }
            Filter::Linear => {
                let level = self.e.truncate_to_int(lod);
                let whole = self.e.to_float(level);
                let fraction = self.e.sub(lod, whole);
                let scale = self.e.f(256.0);
                let fraction = self.e.mul(fraction, scale);
                let fraction = self.e.truncate_to_int(fraction);
                let one = self.e.i(1);
                let next = self.e.iadd(level, one);
                let args = self.e.args;
                let max = self.e.load_ints(args, at!(procedural.last_level));
                let next = self.e.imin(next, max);
                let [a, b] = [level, next].map(|level| self.procedural_level(key, clamped, level));
                mix_levels(self.e, a, b, fraction)
            }
        }
    }

    /// clamp(log2(|width * bias| * (du + dv)), min, max)
    fn procedural_lod(&mut self, key: &ProceduralKey) -> F32x4 {
        let [du, dv] = key.coordinates.map(|slot| {
            let [right, down] = [0, 1].map(|axis| {
                let derivative = self.derivative(slot, axis);
                self.e.abs(derivative)
            });
            self.e.max(right, down)
        });
        let e = &mut *self.e;
        let args = e.args;
        let sum = e.add(du, dv);
        let scale = e.load_floats(args, at!(procedural.lod_scale));
        let rho = e.mul(scale, sum);
        let lod = log2(e, rho);
        let min = e.load_floats(args, at!(procedural.lod_min));
        let lod = e.max(lod, min);
        let max = e.load_floats(args, at!(procedural.lod_max));
        e.min(lod, max)
    }

    /// The colour of a level for each lane.
    fn procedural_level(&mut self, key: &ProceduralKey, position: F32x4, level: I32x4) -> Pair {
        let e = &mut *self.e;
        let max = e.i(LAST_LEVEL as i32);
        let [last, offset] = [at!(procedural.last), at!(procedural.offset)].map(|at| {
            let table = e.b.ins().iadd_imm_u(e.args, i64::from(at));
            e.gather32(table, level, max)
        });
        let last = e.float_of_bits(last);
        color_at(self.e, key.linear, position, last, offset).1
    }
}

/// The entry and the colour at `position` of a level that begins at `offset` and has `last` + 1 colours.
pub(super) fn color_at(e: &mut Emit<'_>, linear: bool, position: F32x4, last: F32x4, offset: I32x4) -> (I32x4, Pair) {
    let x = e.mul(position, last);
    let (index, fraction) = if linear {
        let index = e.truncate_to_int(x);
        let whole = e.to_float(index);
        (index, Some(e.sub(x, whole)))
    } else {
        let half = e.f(0.5);
        let rounded = e.add(x, half);
        (e.truncate_to_int(rounded), None)
    };
    let index = e.iadd(offset, index);
    let low = e.i(255);
    let index = e.iand(index, low);
    let args = e.args;
    let data = e.load_i64(args, at!(procedural.data));
    let mut lane = 0;
    let rows = e.lanes_through_memory(index, quad_scratch_at!(indices)).map(|index| {
        let row = color_row(e, data, index, fraction, lane);
        lane += 1;
        e.truncate_to_int(row)
    });
    (index, rows_to_pair(e, rows))
}

/// The entry and the colour at `position`, 0 to 1, of the first level.
pub(super) fn color_of_first_level(e: &mut Emit<'_>, linear: bool, position: F32x4) -> (I32x4, Pair) {
    let args = e.args;
    let last = e.load_floats(args, at!(procedural.first_last));
    let offset = e.load_ints(args, at!(procedural.first_offset));
    color_at(e, linear, position, last, offset)
}

/// r, g, b, a of a colour: `color + fraction * difference`, the fraction being that of lane `lane`.
fn color_row(e: &mut Emit<'_>, data: Value, index: Value, fraction: Option<F32x4>, lane: u8) -> F32x4 {
    let offset = e.b.ins().ishl_imm_u(index, 4);
    let entry = e.b.ins().iadd(data, offset);
    let Some(fraction) = fraction else { return e.load_floats(entry, table!(color)) };
    let order = std::array::from_fn(|byte| 4 * lane + byte as u8 % 4);
    let fraction = F32x4(e.shuffle(fraction.0, fraction.0, order));
    let difference = e.load_floats(entry, table!(difference));
    let product = e.mul(fraction, difference);
    let color = e.load_floats(entry, table!(color));
    e.add(color, product)
}

/// Four pixels of r, g, b, a, clamped to 0..255.
fn rows_to_pair(e: &mut Emit<'_>, rows: [I32x4; 4]) -> Pair {
    let [a, b, c, d] = rows.map(|row| row.0);
    let (first, second) = (e.b.ins().snarrow(a, b), e.b.ins().snarrow(c, d));
    let bytes = e.b.ins().unarrow(first, second);
    let words = e.shuffle(bytes, bytes, [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
    let words = I32x4(e.cast(words, I32X4));
    e.unpack(words)
}
