//! Shadow maps: sampling them and drawing them.

use triglyph_guest::kernel::pixel::{ShadowForm, TextureKind};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I32x4, Mask, Pair};
use crate::pixel::args::pica::at;
use crate::pixel::quad::pica::{COLOR, Quad};
use crate::pixel::sample::pica::{Coordinates, Sampler, unit_at};

/// The farthest depth, as a number of 24 bits.
const FARTHEST: f32 = 0xFF_FFFF as f32;

/// The depth of texels or pixels `0xRRGGBBAA`: alpha is its most significant byte. And the reverse, with red 0.
fn turn_depth(e: &mut Emit<'_>, words: I32x4) -> I32x4 {
    const NONE: u8 = Emit::NO_BYTE;
    I32x4(e.pick_bytes(words.0, [2, 1, 0, NONE, 6, 5, 4, NONE, 10, 9, 8, NONE, 14, 13, 12, NONE]))
}

impl Quad<'_, '_> {
    /// The light that reaches a pixel, in all channels.
    pub fn sample_shadow(&mut self, unit: usize, form: ShadowForm, coordinates: &Coordinates) -> Pair {
        let distance = self.shadow_distance(unit, coordinates);
        let e = &mut *self.e;
        let clamped = e.clamp(distance, 0.0, 1.0);
        let max = e.f(FARTHEST);
        let depth = e.mul(clamped, max);
        let depth = e.truncate_to_int(depth);
        let args = e.args;
        let bias = e.load_ints(args, unit_at!(unit, shadow_bias));
        let depth = e.isub(depth, bias);
        let mut sampler = Sampler::first_level(self, unit, coordinates);
        let light = match form {
            ShadowForm::Nearest => sampler.nearest_shadow(coordinates.uv, depth),
            ShadowForm::Filtered => sampler.filtered_shadow(coordinates.uv, depth),
        };
        let both = self.e.join_ints(light, light);
        Pair { br: both, ag: both }
    }

    /// The pixel's distance from the light.
    fn shadow_distance(&mut self, unit: usize, coordinates: &Coordinates) -> F32x4 {
        let key = self.key.textures[unit];
        let w = self.varying(key.coordinates[2]);
        let distance = match coordinates.cube {
            Some(cube) => {
                let [u, v] = [key.coordinates[0], key.coordinates[1]].map(|slot| self.varying(slot));
                let [_, _, major] = cube.turn(self.e, [u, v, w]);
                major
            }
            None => w,
        };
        self.e.abs(distance)
    }

    // Drawing.

    fn shadow_depth(&mut self) -> I32x4 {
        let depth = self.depth();
        let max = self.e.f(FARTHEST);
        let depth = self.e.mul(depth, max);
        self.e.truncate_to_int(depth)
    }

    /// Removes pixels that are no nearer than the stored ones.
    pub fn shadow_test(&mut self) {
        let Some(place) = self.address(COLOR) else { return };
        let stored = place.load(self.e)[0];
        let stored = turn_depth(self.e, stored);
        let depth = self.shadow_depth();
        let nearer = self.e.ilt(depth, stored);
        self.keep(nearer);
        self.skip_unless_alive();
    }

    /// Stores depth where the combined green is 0, how much light a soft shadow lets through elsewhere.
    pub fn write_shadow(&mut self, color: Pair) {
        let Some(place) = self.address(COLOR) else { return };
        let stored = place.load(self.e)[0];
        let depth = self.shadow_depth();
        let args = self.e.args;
        let e = &mut *self.e;

        let fresh = turn_depth(e, depth);
        let high = e.i(0xFF00_0000_u32 as i32);
        let kept = e.iand(stored, high);
        let fresh = e.ior(fresh, kept);

        let softness = e.odd_ints(color.ag);
        let stored_depth = turn_depth(e, stored);
        let (near, far) = (e.to_float(depth), e.to_float(stored_depth));
        let nearness = e.div(near, far);
        let linear = e.load_floats(args, at!(shadow_linear));
        let product = e.mul(linear, nearness);
        let constant = e.load_floats(args, at!(shadow_constant));
        let distance = e.add(constant, product);
        let light = e.to_float(softness);
        let light = e.div(light, distance);
        let light = e.clamp(light, 0.0, 255.0);
        let light = e.truncate_to_int(light);
        let stored_light = e.ushr(stored, 24);
        let light = e.imin(light, stored_light);
        let light = e.ishl(light, 24);
        let low = e.i(0xFF_FFFF);
        let kept = e.iand(stored, low);
        let soft = e.ior(light, kept);

        let zero = e.i(0);
        let hard = e.ieq(softness, zero);
        let words = e.iselect(hard, fresh, soft);
        let words = self.e.iselect(self.mask, words, stored);
        place.store_all(self.e, &[words]);
    }
}

impl Sampler<'_, '_> {
    /// depth >= the pixel's, signed ? shadow : 0
    fn nearest_shadow(&mut self, uv: [F32x4; 2], depth: I32x4) -> I32x4 {
        let words = self.nearest(uv);
        let stored = turn_depth(self.e, words);
        let lit = self.e.ilt(stored, depth);
        let light = self.e.ushr(words, 24);
        let zero = self.e.i(0);
        self.e.iselect(lit, zero, light)
    }

    /// The weighted mean of the shadows of four texels at `depth`.
    fn filtered_shadow(&mut self, uv: [F32x4; 2], depth: I32x4) -> I32x4 {
        let zero = self.e.i(0);
        let depth = self.e.imax(depth, zero);
        let [(columns, fx), (rows, fy)] = [0, 1].map(|axis| self.shadow_axis(axis, uv[axis]));
        let texels = self.texels();
        let mut light = |j: (I32x4, Mask), i: (I32x4, Mask)| {
            let row = self.row(j.0);
            let words = self.texel(texels, row, (i.0, None), None);
            let inside = self.e.and(i.1, j.1);
            self.light(words, depth, inside)
        };
        let [[s00, s10], [s01, s11]] = rows.map(|j| columns.map(|i| light(j, i)));
        let e = &mut *self.e;
        let one = e.f(1.0);
        let (gx, gy) = (e.sub(one, fx), e.sub(one, fy));
        let [low, high] = [(s00, s10), (s01, s11)].map(|(left, right)| {
            let (left, right) = (e.mul(left, gx), e.mul(right, fx));
            e.add(left, right)
        });
        let (low, high) = (e.mul(low, gy), e.mul(high, fy));
        let sum = e.add(low, high);
        let (scale, half) = (e.f(255.0), e.f(0.5));
        let scaled = e.mul(sum, scale);
        let rounded = e.add(scaled, half);
        e.truncate_to_int(rounded)
    }

    /// The two texel indices along an axis, clamped, with the lanes where they are inside; and the fraction.
    fn shadow_axis(&mut self, axis: usize, coordinate: F32x4) -> ([(I32x4, Mask); 2], F32x4) {
        let size = self.size(axis, false);
        let e = &mut *self.e;
        let scaled = e.mul(coordinate, size);
        let half = e.f(0.5);
        let x = e.sub(scaled, half);
        let limit = (1u32 << 20) as f32;
        let x = e.clamp(x, -limit, limit);
        let whole = e.floor(x);
        let fraction = e.sub(x, whole);
        let first = e.truncate_to_int(whole);
        let one = e.i(1);
        let second = e.iadd(first, one);
        let sides = [first, second].map(|index| {
            let last = self.last(axis);
            let zero = self.e.i(0);
            let clamped = self.e.imax(index, zero);
            let clamped = self.e.imin(clamped, last);
            (clamped, self.e.ieq(clamped, index))
        });
        (sides, fraction)
    }

    /// 1 outside of a two-dimensional map; depth <= the pixel's ? 0 : shadow/255
    fn light(&mut self, words: I32x4, depth: I32x4, inside: Mask) -> F32x4 {
        let e = &mut *self.e;
        let stored = turn_depth(e, words);
        let lit = e.ilt(depth, stored);
        let light = e.ushr(words, 24);
        let light = e.to_float(light);
        let max = e.f(255.0);
        let light = e.div(light, max);
        let zero = e.f(0.0);
        let light = e.select(lit, light, zero);
        if matches!(self.key.kind, TextureKind::ShadowCube { .. }) {
            return light;
        }
        let one = e.f(1.0);
        e.select(inside, light, one)
    }
}
