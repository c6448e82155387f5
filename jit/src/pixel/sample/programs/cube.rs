//! Faces of cubes.

use triglyph_guest::num::ops::Ops;

use super::Sampler;
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// Projection of directions on a cube.
#[derive(Clone)]
pub(super) struct Cube {
    pub direction: [F32x4; 3],
    /// 0 to 5: +x, -x, +y, -y, +z, -z.
    pub face: I32x4,
    is_z: Mask,
    is_y: Mask,
    negative: Mask,
}

impl Sampler<'_, '_> {
    /// Chooses faces, and takes the coordinates on them.
    pub(super) fn choose_face(&mut self, direction: [F32x4; 3]) {
        let e = &mut *self.e;
        let [x, y, z] = direction.map(|c| e.abs(c));
        let (x_below, y_below) = (e.le(x, z), e.le(y, z));
        let is_z = e.and(x_below, y_below);
        let x_below = e.le(x, y);
        let is_y = e.and_not(x_below, is_z);
        let major = e.select(is_y, direction[1], direction[0]);
        let major = e.select(is_z, direction[2], major);
        let zero = e.f(0.0);
        let negative = e.lt(major, zero);
        let (two, four, none) = (e.i(2), e.i(4), e.i(0));
        let face = e.iselect(is_y, two, none);
        let face = e.iselect(is_z, four, face);
        // The mask is -1.
        let one = e.mask_ints(negative);
        let face = e.isub(face, one);
        let cube = Cube { direction, face, is_z, is_y, negative };
        let [s, t] = [0, 1].map(|k| cube.project(e, direction, k));
        self.coordinates = [s, t, zero];
        self.cube = Some(cube);
    }
}

impl Cube {
    /// Coordinate s (`k` is 0) or t of a direction on these faces.
    pub fn project(&self, e: &mut Emit<'_>, [x, y, z]: [F32x4; 3], k: usize) -> F32x4 {
        let major = e.select(self.is_y, y, x);
        let major = e.select(self.is_z, z, major);
        let sign = e.i(i32::MIN);
        let sign = e.iand(I32x4(self.negative.0), sign);
        let flip = |e: &mut Emit<'_>, value: F32x4| {
            let bits = e.bits(value);
            let bits = e.ixor(bits, sign);
            e.float_of_bits(bits)
        };
        let magnitude = flip(e, major);
        let along = if k == 0 {
            // +x: -z, -x: z; y: x; +z: x, -z: -x.
            let z = flip(e, z);
            let z = e.neg(z);
            let flipped = flip(e, x);
            let other = e.select(self.is_y, x, z);
            e.select(self.is_z, flipped, other)
        } else {
            // +y: z, -y: -z; others -y.
            let z = flip(e, z);
            let y = e.neg(y);
            e.select(self.is_y, z, y)
        };
        let quotient = e.div(along, magnitude);
        let (one, half) = (e.f(1.0), e.f(0.5));
        let moved = e.add(quotient, one);
        e.mul(moved, half)
    }
}
