//! Texture units of the 3DS: texels of decoded textures as 8-bit channels.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | coordinates, cubes, wrap modes, nearest texels |
//! | `linear.rs` | filters; `footprint.rs` what they read |
//! | `lod.rs` | level of detail |
//! | `shadow.rs` | shadow maps, sampled and drawn |
//! | `procedural.rs` | the fourth unit, noise |

pub mod footprint;
mod linear;
pub mod lod;
pub mod procedural;
mod shadow;

use std::mem::offset_of;

use cranelift_codegen::ir::types::I16X8;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::{Filter, TextureKey, TextureKind, Wrap};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};
use crate::pixel::args::pica::{QuadScratch, quad_scratch_at};
use crate::pixel::quad::pica::Quad;
use footprint::FootprintAt;

/// Offset of a field of unit `$unit`.
macro_rules! unit_at {
    ($unit:expr, $($field:tt)+) => {{
        use $crate::pixel::args::pica::{TextureArgs, texture_at};
        texture_at($unit, std::mem::offset_of!(TextureArgs, $($field)+))
    }};
}
pub(crate) use unit_at;

/// Coordinates of a unit.
#[derive(Clone, Copy)]
pub struct Coordinates {
    /// u and v of the two-dimensional picture, v upwards.
    pub uv: [F32x4; 2],
    /// Words from the texture's start to the face.
    pub face: Option<I32x4>,
    /// Of a cube: which axis is the major one and whether it is positive.
    pub cube: Option<Cube>,
}

/// Projection of a direction on a cube.
#[derive(Clone, Copy)]
pub struct Cube {
    major_x: Mask,
    major_y: Mask,
    positive: Mask,
}

/// The level of a texture that each lane samples.
#[derive(Clone, Copy)]
enum Level {
    /// Level 0.
    First,
    /// A level for each lane.
    Lanes { size: [F32x4; 2], last: [I32x4; 2], width: I32x4, offset: I32x4 },
}

/// A texel index inside of the level, and the lanes where it is not on the border, if there is one.
pub type Wrapped = (I32x4, Option<Mask>);

impl Quad<'_, '_> {
    /// The colour of unit `unit`.
    pub fn sample(&mut self, unit: usize) -> Pair {
        let key = self.key.textures[unit];
        let coordinates = self.coordinates(unit);
        if let TextureKind::Shadow { form, .. } | TextureKind::ShadowCube { form } = key.kind {
            return self.sample_shadow(unit, form, &coordinates);
        }
        if !key.needs_lod() {
            return self.filtered(unit, key.magnify, Level::First, &coordinates);
        }
        let lod = self.lod(unit, &coordinates);
        let zero = self.e.f(0.0);
        let magnified = self.e.le(lod, zero);
        match key.mipmap {
            None => self.level(unit, magnified, Level::First, &coordinates),
            Some(Filter::Nearest) => {
                let half = self.e.f(0.5);
                let level = self.e.add(lod, half);
                let level = self.e.floor(level);
                let level = self.e.truncate_to_int(level);
                let level = self.mipmap(unit, level);
                self.level(unit, magnified, level, &coordinates)
            }
            Some(Filter::Linear) => {
                let whole = self.e.floor(lod);
                let fraction = self.e.sub(lod, whole);
                let scale = self.e.f(256.0);
                let fraction = self.e.mul(fraction, scale);
                let fraction = self.e.truncate_to_int(fraction);
                let first = self.e.truncate_to_int(whole);
                let one = self.e.i(1);
                let second = self.e.iadd(first, one);
                let args = self.e.args;
                let max = self.e.load_ints(args, unit_at!(unit, lod_max_int));
                let second = self.e.imin(second, max);
                let [a, b] = [first, second].map(|level| {
                    let level = self.mipmap(unit, level);
                    self.level(unit, magnified, level, &coordinates)
                });
                mix_levels(self.e, a, b, fraction)
            }
        }
    }

    /// Interpolated and projected coordinates.
    pub fn coordinates(&mut self, unit: usize) -> Coordinates {
        let key = self.key.textures[unit];
        let [u, v] = [key.coordinates[0], key.coordinates[1]].map(|slot| self.varying(slot));
        match key.kind {
            TextureKind::Projected | TextureKind::Shadow { perspective: true, .. } => {
                let w = self.varying(key.coordinates[2]);
                Coordinates { uv: [u, v].map(|c| self.e.div(c, w)), face: None, cube: None }
            }
            TextureKind::Cube | TextureKind::ShadowCube { .. } => {
                let w = self.varying(key.coordinates[2]);
                self.cube_coordinates(unit, [u, v, w])
            }
            _ => Coordinates { uv: [u, v], face: None, cube: None },
        }
    }

    fn cube_coordinates(&mut self, unit: usize, [u, v, w]: [F32x4; 3]) -> Coordinates {
        let e = &mut *self.e;
        let [x, y, z] = [u, v, w].map(|c| e.abs(c));
        let (y_below, z_below) = (e.lt(y, x), e.lt(z, x));
        let major_x = e.and(y_below, z_below);
        let z_below = e.lt(z, y);
        let major_y = e.and_not(z_below, major_x);
        let m = e.select(major_y, v, w);
        let m = e.select(major_x, u, m);
        let zero = e.f(0.0);
        let positive = e.lt(zero, m);
        let cube = Cube { major_x, major_y, positive };
        let [s, t, m] = cube.turn(e, [u, v, w]);
        let double = e.add(m, m);
        let uv = [s, t].map(|c| {
            let quotient = e.div(c, double);
            let half = e.f(0.5);
            e.add(quotient, half)
        });

        let (two, four) = (e.i(2), e.i(4));
        let face = e.iselect(major_y, two, four);
        let face = I32x4(e.b.ins().band_not(face.0, major_x.0));
        // The mask is -1 where the face is positive: 1 is added elsewhere.
        let one = e.i(1);
        let face = e.iadd(face, one);
        let sign = e.mask_ints(positive);
        let face = e.iadd(face, sign);
        let args = e.args;
        let words = e.load_splat_i32(args, unit_at!(unit, face_words));
        let face = e.imul(face, words);
        Coordinates { uv, face: Some(face), cube: Some(cube) }
    }

    /// Level `level` of each lane.
    fn mipmap(&mut self, unit: usize, level: I32x4) -> Level {
        let args = self.e.args;
        let e = &mut *self.e;
        // width >> k is width * 2^-k: the exponent less k.
        let exponent = e.ishl(level, 23);
        let mut size = [e.f(0.0); 2];
        let mut last = [e.i(0); 2];
        let mut width = e.i(0);
        for axis in 0..2 {
            let full = e.load_ints(args, unit_at!(unit, size) + 16 * axis as i32);
            let scaled = e.isub(full, exponent);
            size[axis] = e.float_of_bits(scaled);
            let count = e.truncate_to_int(size[axis]);
            let one = e.i(1);
            last[axis] = e.isub(count, one);
            if axis == 0 {
                width = count;
            }
        }
        let offsets = e.b.ins().iadd_imm_u(args, i64::from(unit_at!(unit, level_offset)));
        let max = e.load_ints(args, unit_at!(unit, lod_max_int));
        let offset = e.gather32(offsets, level, max);
        Level::Lanes { size, last, width, offset }
    }

    /// Samples one level with each lane's filter.
    fn level(&mut self, unit: usize, magnified: Mask, level: Level, coordinates: &Coordinates) -> Pair {
        let key = self.key.textures[unit];
        let large = self.filtered(unit, key.magnify, level, coordinates);
        if key.magnify == key.minify {
            return large;
        }
        let small = self.filtered(unit, key.minify, level, coordinates);
        let mask = self.e.cast(magnified.0, I16X8);
        let mut select = |a: I16x8, b: I16x8| I16x8(self.e.b.ins().bitselect(mask, a.0, b.0));
        Pair { br: select(large.br, small.br), ag: select(large.ag, small.ag) }
    }

    fn filtered(&mut self, unit: usize, filter: Filter, level: Level, coordinates: &Coordinates) -> Pair {
        let storage = self.storage();
        let mut sampler = Sampler { e: self.e, key: self.key.textures[unit], unit, level, face: coordinates.face };
        match filter {
            Filter::Nearest => {
                let words = sampler.nearest(coordinates.uv);
                self.e.unpack(words)
            }
            Filter::Linear => {
                let levels = matches!(level, Level::Lanes { .. });
                let at = FootprintAt(storage, offset_of!(QuadScratch, footprint) as i32);
                sampler.footprint(coordinates.uv, at);
                linear::filter(self.e, at, levels)
            }
        }
    }
}

impl Cube {
    /// s, t and m of a direction, or of the derivative of one.
    pub fn turn(self, e: &mut Emit<'_>, [u, v, w]: [F32x4; 3]) -> [F32x4; 3] {
        let (minus_u, minus_v, minus_w) = (e.neg(u), e.neg(v), e.neg(w));
        let s = e.select(self.positive, u, minus_u);
        let s = e.select(self.major_y, s, u);
        let s = e.select(self.major_x, minus_w, s);
        let t = e.select(self.positive, minus_v, v);
        let t = e.select(self.major_y, w, t);
        let m = e.select(self.major_y, v, w);
        let m = e.select(self.major_x, u, m);
        [s, t, m]
    }
}

/// Samples one level with one filter.
pub struct Sampler<'s, 'a> {
    pub e: &'s mut Emit<'a>,
    pub key: TextureKey,
    unit: usize,
    level: Level,
    face: Option<I32x4>,
}

impl<'s, 'a> Sampler<'s, 'a> {
    /// A sampler of level 0.
    pub fn first_level(quad: &'s mut Quad<'_, 'a>, unit: usize, coordinates: &Coordinates) -> Self {
        let key = quad.key.textures[unit];
        Sampler { e: &mut *quad.e, key, unit, level: Level::First, face: coordinates.face }
    }
}

impl Sampler<'_, '_> {
    /// The words of the nearest texels.
    pub fn nearest(&mut self, uv: [F32x4; 2]) -> I32x4 {
        let [i, j] = self.closest(uv);
        let texels = self.texels();
        let row = self.row(j.0);
        self.texel(texels, row, i, j.1)
    }

    /// The indices of the nearest texels.
    fn closest(&mut self, uv: [F32x4; 2]) -> [Wrapped; 2] {
        let mut axis = 0;
        uv.map(|c| {
            let size = self.size(axis, false);
            let scaled = self.e.mul(c, size);
            let limit = (1u32 << 20) as f32;
            let scaled = self.e.clamp(scaled, -limit, limit);
            let whole = self.e.floor(scaled);
            let index = self.e.truncate_to_int(whole);
            axis += 1;
            self.wrap(axis - 1, index)
        })
    }

    /// Width (axis 0) or height as a float, times 256 when `fixed`.
    pub fn size(&mut self, axis: usize, fixed: bool) -> F32x4 {
        let (args, unit, at) = (self.e.args, self.unit, 16 * axis as i32);
        match self.level {
            Level::First if fixed => self.e.load_floats(args, unit_at!(unit, size256) + at),
            Level::First => self.e.load_floats(args, unit_at!(unit, size) + at),
            Level::Lanes { size, .. } if fixed => {
                let scale = self.e.f(256.0);
                self.e.mul(size[axis], scale)
            }
            Level::Lanes { size, .. } => size[axis],
        }
    }

    /// Width or height minus 1.
    pub fn last(&mut self, axis: usize) -> I32x4 {
        let (args, unit) = (self.e.args, self.unit);
        match self.level {
            Level::First => self.e.load_ints(args, unit_at!(unit, last) + 16 * axis as i32),
            Level::Lanes { last, .. } => last[axis],
        }
    }

    /// Applies the wrap mode of an axis; sizes are powers of two.
    fn wrap(&mut self, axis: usize, index: I32x4) -> Wrapped {
        match self.key.wrap[axis] {
            Wrap::Edge => {
                let zero = self.e.i(0);
                let index = self.e.imax(index, zero);
                let last = self.last(axis);
                (self.e.imin(index, last), None)
            }
            Wrap::Border => {
                let last = self.last(axis);
                let inside = self.e.umin(index, last);
                (inside, Some(self.e.ieq(inside, index)))
            }
            Wrap::Repeat => {
                let last = self.last(axis);
                (self.e.iand(index, last), None)
            }
            Wrap::Mirror => {
                // Bit n decides whether the low bits are mirrored.
                let last = self.last(axis);
                let one = self.e.i(1);
                let size = self.e.iadd(last, one);
                let odd = self.e.iand(index, size);
                let odd = self.e.ieq(odd, size);
                let flip = self.e.mask_ints(odd);
                let index = self.e.ixor(index, flip);
                (self.e.iand(index, last), None)
            }
            Wrap::RepeatThenEdge => {
                let last = self.last(axis);
                let index = self.e.imin(index, last);
                (self.e.iand(index, last), None)
            }
            Wrap::RepeatThenBorder => {
                let last = self.last(axis);
                let least = self.e.imin(index, last);
                let inside = self.e.ieq(least, index);
                (self.e.iand(index, last), Some(inside))
            }
        }
    }

    /// Words from the texture's start to the row that holds texel row `j`: rows are stored from the top.
    pub fn row(&mut self, j: I32x4) -> I32x4 {
        let last = self.last(1);
        let stored = self.e.ixor(j, last);
        let (args, unit) = (self.e.args, self.unit);
        let mut offset = match self.level {
            Level::First => {
                let width = self.e.load_ints(args, unit_at!(unit, width));
                self.e.imul_small(stored, width)
            }
            Level::Lanes { width, offset, .. } => {
                let rows = self.e.imul_small(stored, width);
                self.e.iadd(rows, offset)
            }
        };
        if let Some(face) = self.face {
            offset = self.e.iadd(offset, face);
        }
        offset
    }

    /// Address of the decoded words.
    pub fn texels(&mut self) -> Value {
        let (args, unit) = (self.e.args, self.unit);
        self.e.load_i64(args, unit_at!(unit, texels))
    }

    /// The texels of column `i` in the rows at `row`. Every index is inside: wrapped coordinates are below the
    /// level's size.
    pub fn texel(&mut self, texels: Value, row: I32x4, i: Wrapped, in_rows: Option<Mask>) -> I32x4 {
        let index = self.e.iadd(row, i.0);
        let words = self.e.gather32_padded(texels, index, quad_scratch_at!(indices));
        let inside = match (i.1, in_rows) {
            (Some(a), Some(b)) => Some(self.e.and(a, b)),
            (a, b) => a.or(b),
        };
        match inside {
            Some(inside) => {
                let (args, unit) = (self.e.args, self.unit);
                let border = self.e.load_ints(args, unit_at!(unit, border));
                self.e.iselect(inside, words, border)
            }
            None => words,
        }
    }
}

/// The same 0..256 in both halves of each lane.
fn both_halves(e: &mut Emit<'_>, a: I32x4) -> I16x8 {
    e.join_ints(a, a)
}

/// `(a*(256-f) + b*f + 128) >> 8` of each channel.
pub fn mix_levels(e: &mut Emit<'_>, a: Pair, b: Pair, f: I32x4) -> Pair {
    let f = both_halves(e, f);
    let one = e.short(256);
    let g = e.sub16(one, f);
    let mut channel = |a, b| {
        let a = e.mul16(a, g);
        let b = e.mul16(b, f);
        let sum = e.add16(a, b);
        let half = e.short(128);
        let sum = e.add16(sum, half);
        e.shr16(sum, 8)
    };
    Pair { br: channel(a.br, b.br), ag: channel(a.ag, b.ag) }
}
