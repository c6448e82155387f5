//! The procedural texture unit: coordinates, maps, colours.

use std::mem::offset_of;

use cranelift_codegen::ir::types::I16X8;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};
use crate::pixel::args::pica::{at, quad_scratch_at};
use crate::pixel::quad::pica::Quad;

pub mod args;
mod color;
pub mod flat;
mod noise;
pub mod plan;

use plan::Uses;

/// Offset of a field of the tables.
macro_rules! table {
    ($field:ident) => {
        offset_of!(ProceduralData, $field) as i32
    };
}

impl Quad<'_, '_> {
    /// The colour of unit 3.
    pub fn procedural(&mut self) -> Pair {
        let Some(key) = self.key.procedural else { return self.zero() };
        match self.plan.has_flat_procedural {
            true => self.flat_or(flat::AT, |quad| quad.procedural_of_pixels(&key)),
            false => self.procedural_of_pixels(&key),
        }
    }

    fn procedural_of_pixels(&mut self, key: &ProceduralKey) -> Pair {
        let mut color = self.zero();
        let uses = Uses::new(key, self.plan.procedural);
        let uv = self.procedural_coordinates(key, &uses);
        if uses.color {
            let coordinate = combine(self.e, key.rgb_map, uv);
            let position = lookup(self.e, table!(rgb_map), coordinate).1;
            color = self.procedural_levels(key, position);
        }
        if let Some(map) = uses.alpha {
            let coordinate = combine(self.e, map, uv);
            let alpha = lookup(self.e, table!(alpha_map), coordinate).1;
            let alpha = alpha_channel(self.e, alpha);
            color.ag = self.e.merge16(alpha, color.ag);
        }
        color
    }

    /// The coordinates, shifted, displaced by noise and clamped. An unused axis is 0.
    fn procedural_coordinates(&mut self, key: &ProceduralKey, uses: &Uses) -> [F32x4; 2] {
        let varyings = uses.varyings(key);
        let uv = [0, 1].map(|axis| {
            if !varyings[axis] {
                return self.e.f(0.0);
            }
            let varying = self.varying(key.coordinates[axis]);
            self.e.abs(varying)
        });
        let noise = (key.noise && uses.axes != [false; 2]).then(|| self.noise(uv));
        [0, 1].map(|axis| {
            if !uses.axes[axis] {
                return self.e.f(0.0);
            }
            let e = &mut *self.e;
            let args = e.args;
            let mut coordinate = uv[axis];
            if let Some(noise) = noise {
                let amplitude = e.load_floats(args, at!(procedural.amplitude) + 16 * axis as i32);
                let offset = e.mul(noise, amplitude);
                let moved = e.add(coordinate, offset);
                coordinate = e.abs(moved);
            }
            let offset = if key.clamp[axis] == Clamp::MirroredRepeat { 1.0 } else { 0.5 };
            if let Some(shift) = shift(e, key.shift[axis], uv[1 - axis], offset) {
                coordinate = e.add(coordinate, shift);
            }
            clamped(e, key.clamp[axis], coordinate)
        })
    }
}

/// The entry of a map of 128 entries and the value at `coordinate`, which is clamped to 0..1.
fn lookup(e: &mut Emit<'_>, table: i32, coordinate: F32x4) -> (I32x4, F32x4) {
    let clamped = e.clamp(coordinate, 0.0, 1.0);
    let scale = e.f(128.0);
    let x = e.mul(clamped, scale);
    let index = e.truncate_to_int(x);
    let last = e.i(127);
    let index = e.imin(index, last);
    let whole = e.to_float(index);
    let fraction = e.sub(x, whole);
    let args = e.args;
    let data = e.load_i64(args, at!(procedural.data));
    // The colours follow the maps.
    let [value, difference] = e.gather_pairs(data, index, table, quad_scratch_at!(indices));
    let product = e.mul(fraction, difference);
    (index, e.add(value, product))
}

/// Separate alpha as a channel, in even lanes; the odd ones are zero.
fn alpha_channel(e: &mut Emit<'_>, alpha: F32x4) -> I16x8 {
    let alpha = e.clamp(alpha, 0.0, 1.0);
    let scale = e.f(255.0);
    let alpha = e.mul(alpha, scale);
    let alpha = e.truncate_to_int(alpha);
    I16x8(e.cast(alpha.0, I16X8))
}

/// The whole part of a value clamped to 0..2^20.
fn trunc(e: &mut Emit<'_>, value: F32x4) -> I32x4 {
    let clamped = e.clamp(value, 0.0, (1 << 20) as f32);
    e.truncate_to_int(clamped)
}

/// Lanes where bit `bit` is set.
fn bit_set(e: &mut Emit<'_>, value: I32x4, bit: u32) -> Mask {
    let bit = e.i(1 << bit);
    let masked = e.iand(value, bit);
    e.ieq(masked, bit)
}

/// `offset` where the other coordinate is in every second pair of rows, else 0.
fn shift(e: &mut Emit<'_>, mode: Shift, other: F32x4, offset: f32) -> Option<F32x4> {
    let mut row = match mode {
        Shift::None => return None,
        Shift::Odd | Shift::Even => trunc(e, other),
    };
    if mode == Shift::Even {
        let one = e.i(1);
        row = e.iadd(row, one);
    }
    let shifted = bit_set(e, row, 1);
    let (offset, zero) = (e.f(offset), e.f(0.0));
    Some(e.select(shifted, offset, zero))
}

fn clamped(e: &mut Emit<'_>, mode: Clamp, x: F32x4) -> F32x4 {
    let (zero, one) = (e.f(0.0), e.f(1.0));
    match mode {
        Clamp::Zero => {
            let beyond = e.lt(one, x);
            e.select(beyond, zero, x)
        }
        Clamp::Edge => e.min(x, one),
        Clamp::Repeat => {
            let whole = e.floor(x);
            e.sub(x, whole)
        }
        Clamp::MirroredRepeat => {
            let index = trunc(e, x);
            let whole = e.to_float(index);
            let fraction = e.sub(x, whole);
            let backwards = e.sub(one, fraction);
            let odd = bit_set(e, index, 0);
            e.select(odd, backwards, fraction)
        }
        Clamp::Pulse => {
            let half = e.f(0.5);
            let beyond = e.lt(half, x);
            e.select(beyond, one, zero)
        }
    }
}

/// The coordinate of a map.
fn combine(e: &mut Emit<'_>, function: Combine, [u, v]: [F32x4; 2]) -> F32x4 {
    let half = |e: &mut Emit<'_>, x| {
        let half = e.f(0.5);
        e.mul(x, half)
    };
    let squares = |e: &mut Emit<'_>| {
        let (u, v) = (e.mul(u, u), e.mul(v, v));
        e.add(u, v)
    };
    match function {
        Combine::U => u,
        Combine::U2 => e.mul(u, u),
        Combine::V => v,
        Combine::V2 => e.mul(v, v),
        Combine::Average => {
            let sum = e.add(u, v);
            half(e, sum)
        }
        Combine::Average2 => {
            let sum = squares(e);
            half(e, sum)
        }
        Combine::Root => {
            let sum = squares(e);
            let (root, one) = (e.sqrt(sum), e.f(1.0));
            e.min(root, one)
        }
        Combine::Min => e.min(u, v),
        Combine::Max => e.max(u, v),
        Combine::AverageRoot => {
            let sum = e.add(u, v);
            let average = half(e, sum);
            let sum = squares(e);
            let root = e.sqrt(sum);
            let both = e.add(average, root);
            let (both, one) = (half(e, both), e.f(1.0));
            e.min(both, one)
        }
    }
}
