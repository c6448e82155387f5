//! Procedural textures of one colour in all of a primitive: many sprites have a coordinate that is constant.
//!
//! Where the vertices have the same coordinates and the same w, those of pixels differ from them by rounding alone: by
//! less than 2^-20 ([`CONSTANT_W`]). What is made of a coordinate grows or shrinks with it, but for jumps from an entry
//! of a table to the next. So if the least and the largest that a pixel can have find the same entries and result in
//! the same colour, all between them do.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::{CONSTANT_W, PixelKey, Primitive};
use triglyph_guest::kernel::procedural::{ProceduralData, ProceduralKey};
use triglyph_guest::num::ops::Ops;

use super::color::color_of_first_level;
use super::plan::Uses;
use super::{alpha_channel, combine, lookup};
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};
use crate::pixel::args::pica::scratch_at;
use crate::pixel::plan::pica::Plan;
use crate::pixel::shade::pica::combine::FlatAt;

/// Where the colour of a primitive is.
pub(super) const AT: FlatAt = FlatAt { flag: scratch_at!(has_flat_procedural), color: scratch_at!(flat_procedural) };

/// How far the coordinates of pixels are from those of the vertices at most, as a part of them.
const ROUNDING: f32 = 1.0 / (1 << 20) as f32;

/// Sizes of varyings over w for which products and quotients neither overflow nor vanish.
const USUAL: [f32; 2] = [1e-18, 1e18];

/// Notes whether the colour of a primitive is the same in all pixels, and which it is then.
pub fn set_up(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, primitive: Value, varyings: Value) {
    let Some(procedural) = &key.procedural else { return };
    let args = e.args;
    let flags = e.load_i32(primitive, offset_of!(Primitive, flags) as i32);
    let has_constant_w = e.b.ins().band_imm_u(flags, i64::from(CONSTANT_W));
    e.store(has_constant_w, args, AT.flag);
    let (constant, done) = (e.block(&[]), e.block(&[]));
    e.branch(has_constant_w, (constant, &[]), (done, &[]));

    e.switch_to(constant);
    let uses = Uses::new(procedural, plan.procedural);
    let inv_w = e.load_splat_f32(primitive, offset_of!(Primitive, inv_w) as i32);
    let mut found = Found { e, is_flat: None };
    let uv = [0, 1].map(|axis| match (uses.axes[axis], key.varying(procedural.coordinates[axis])) {
        (false, _) => found.e.f(0.0),
        (true, Some(number)) => found.bounds(varyings, number, inv_w),
        (true, None) => found.e.f(1.0),
    });
    let color = found.color(procedural, &uses, uv);
    AT.store(found.e, color);
    let is_flat = found.answer();
    e.store(is_flat, args, AT.flag);
    e.jump(done, &[]);
    e.switch_to(done);
}

/// Finds a colour twice: even lanes have the least coordinates of pixels, odd ones the largest.
struct Found<'f, 'a> {
    e: &'f mut Emit<'a>,
    /// Lanes in which nothing speaks against one colour.
    is_flat: Option<Mask>,
}

impl Found<'_, '_> {
    fn note(&mut self, is_flat: Mask) {
        self.is_flat = Some(match self.is_flat {
            Some(before) => self.e.and(before, is_flat),
            None => is_flat,
        });
    }

    /// Notes whether even and odd lanes are the same.
    fn note_same(&mut self, value: I32x4) {
        let others = self.e.shuffle(value.0, value.0, [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]);
        let same = self.e.ieq(value, I32x4(others));
        self.note(same);
    }

    /// Not zero if nothing speaks against one colour.
    fn answer(&mut self) -> Value {
        let Some(is_flat) = self.is_flat else { return self.e.i32(0) };
        let lanes = self.e.mask_bits(is_flat);
        let all = self.e.b.ins().icmp_imm_u(IntCC::Equal, lanes, 0b1111);
        self.e.b.ins().uextend(I32, all)
    }

    /// The least and the largest size of a coordinate. Notes whether the vertices have the same, a usual one.
    fn bounds(&mut self, varyings: Value, number: usize, inv_w: F32x4) -> F32x4 {
        let first = (number * size_of::<[f32; 3]>()) as i32;
        let [a, b, c] = [0, 4, 8].map(|k| self.e.load_splat_f32(varyings, first + k));
        for other in [b, c] {
            let same = self.e.feq(a, other);
            self.note(same);
        }
        let e = &mut *self.e;
        let size = e.abs(a);
        let [least, largest] = USUAL.map(|size| e.f(size));
        let (above, below) = (e.le(least, size), e.le(size, largest));
        let usual = e.and(above, below);
        let zero = e.f(0.0);
        let is_zero = e.feq(size, zero);
        let usual = e.or(usual, is_zero);
        let around = e.floats([1.0 - ROUNDING, 1.0 + ROUNDING, 1.0 - ROUNDING, 1.0 + ROUNDING]);
        let coordinate = e.div(size, inv_w);
        let coordinate = e.mul(coordinate, around);
        let one = e.f(1.0);
        let bounds = e.min(coordinate, one);
        self.note(usual);
        bounds
    }

    /// The colour at coordinates. Notes whether both computations agree.
    fn color(&mut self, key: &ProceduralKey, uses: &Uses, uv: [F32x4; 2]) -> Pair {
        let zero = self.e.short(0);
        let mut color = Pair { br: zero, ag: zero };
        if uses.color {
            let coordinate = combine(self.e, key.rgb_map, uv);
            let (entry, position) = lookup(self.e, offset_of!(ProceduralData, rgb_map) as i32, coordinate);
            self.note_same(entry);
            let position = self.e.clamp(position, 0.0, 1.0);
            let (entry, found) = color_of_first_level(self.e, key.linear, position);
            self.note_same(entry);
            color = found;
            self.note_same_channels(color.br);
        }
        if let Some(map) = uses.alpha {
            let coordinate = combine(self.e, map, uv);
            let (entry, alpha) = lookup(self.e, offset_of!(ProceduralData, alpha_map) as i32, coordinate);
            self.note_same(entry);
            let alpha = alpha_channel(self.e, alpha);
            color.ag = self.e.merge16(alpha, color.ag);
        }
        self.note_same_channels(color.ag);
        color
    }

    fn note_same_channels(&mut self, channels: I16x8) {
        let pixels = self.e.cast(channels.0, I32X4);
        self.note_same(I32x4(pixels));
    }
}
