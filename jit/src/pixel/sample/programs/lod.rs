//! Levels of detail, from footprints.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::fast::half_log2;
use triglyph_guest::num::ops::{Ops, log2};

use super::texel::splat_lane;
use super::{LodSource, Lookup, Sampler, dimensions, field};
use crate::lane::{F32x4, I32x4, Mask};
use crate::pixel::sample::programs::args::TextureArgs;
use std::mem::offset_of;

/// Shuffles of lanes with their neighbours in the row, and in the column.
const PARTNER: [[u8; 16]; 2] =
    [[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11], [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]];

/// Sign masks of the lanes that are second along an axis.
const IS_SECOND: [[i32; 4]; 2] = [[0, i32::MIN, 0, i32::MIN], [0, 0, i32::MIN, i32::MIN]];

/// Taps along the longer axis of each lane's footprint.
#[derive(Clone, Copy)]
pub(super) struct Taps {
    /// Their number, at least 1.
    pub count: F32x4,
    /// Lanes whose longer axis is that of x.
    along_x: Mask,
}

impl Sampler<'_, '_> {
    /// The level of detail of each lane, clamped where there are mipmaps, and taps where there may be several.
    pub(super) fn lod(&mut self, lookup: &Lookup) -> (F32x4, Option<Taps>) {
        let (lod, taps) = self.unclamped(lookup);
        (if self.key.mipmap.is_some() { self.limited(lod) } else { lod }, taps)
    }

    /// Clamps to the limits of the unit.
    pub(super) fn limited(&mut self, lod: F32x4) -> F32x4 {
        let low = self.splat_f32(field!(lod_min));
        let lod = self.e.max(lod, low);
        let high = self.splat_f32(field!(lod_max));
        self.e.min(lod, high)
    }

    /// The level of detail of each lane, unclamped, and taps where there may be several.
    pub(super) fn unclamped(&mut self, lookup: &Lookup) -> (F32x4, Option<Taps>) {
        let (mut lod, taps) = match lookup.lod_source {
            LodSource::Level(level) => (level, None),
            _ => {
                let (rho, taps) = self.footprint(lookup);
                let lod = match self.key.accuracy {
                    Accuracy::Fast => half_log2(self.e, rho),
                    Accuracy::Exact => {
                        let (log, half) = (log2(self.e, rho), self.e.f(0.5));
                        self.e.mul(log, half)
                    }
                };
                (lod, taps)
            }
        };
        let bias = self.splat_f32(field!(lod_bias));
        lod = self.e.add(lod, bias);
        if let LodSource::Implicit { bias: Some(bias) } = lookup.lod_source {
            lod = self.e.add(lod, bias);
        }
        (lod, taps)
    }

    /// The square of the longer side of each lane's footprint, of one tap, and the taps where there may be several.
    fn footprint(&mut self, lookup: &Lookup) -> (F32x4, Option<Taps>) {
        if self.shares_differences(lookup) && lookup.together.is_none() && self.is_plain() {
            return (self.footprint_of_quad(), None);
        }
        let [a, b] = [0, 1].map(|axis| self.squared_difference(lookup, axis));
        let taps = (self.key.anisotropy > 1).then(|| self.taps(a, b));
        let mut rho = self.e.max(a, b);
        if let Some(Taps { count, .. }) = taps {
            let square = self.e.mul(count, count);
            rho = self.e.div(rho, square);
        }
        (rho, taps)
    }

    /// Whether footprints have two sides and one tap.
    fn is_plain(&self) -> bool {
        dimensions(self.key.shape) == 2 && self.key.anisotropy <= 1 && !self.key.unnormalized
    }

    /// As [`Self::footprint`] where it is the same for all lanes, which execute together: both sides in one vector.
    fn footprint_of_quad(&mut self) -> F32x4 {
        /// Lanes 2 and 3 of the first vector, 0 and 1 of the second.
        const MIDDLE: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
        /// Lanes 0 and 1 twice, neighbours exchanged, halves exchanged.
        const LOW: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7];
        const PAIRS: [u8; 16] = PARTNER[0];
        const HALVES: [u8; 16] = PARTNER[1];
        let sizes = self.first_level().sizes;
        let [u, v] = [0, 1].map(|k| self.e.mul(self.coordinates[k], sizes[k]));
        // u0 v0 u1 v1, u2 v2 u3 v3
        let [upper, lower] = self.e.zip(u.0, v.0);
        let e = &mut *self.e;
        let (there, here) = (F32x4(e.shuffle(upper, lower, MIDDLE)), F32x4(e.shuffle(upper, upper, LOW)));
        let difference = e.sub(there, here);
        let square = e.mul(difference, difference);
        let other = F32x4(e.shuffle(square.0, square.0, PAIRS));
        let sides = e.add(square, other);
        let down = F32x4(e.shuffle(sides.0, sides.0, HALVES));
        let longer = e.max(sides, down);
        splat_lane(e, longer, 0)
    }

    /// Whether differences between neighbours are those of the whole quad.
    fn shares_differences(&self, lookup: &Lookup) -> bool {
        let neighbours = matches!(lookup.lod_source, LodSource::Implicit { .. });
        self.key.accuracy == Accuracy::Fast && self.cube.is_none() && neighbours
    }

    /// Whether all lanes have the same level of detail.
    pub(super) fn shares_level(&self, lookup: &Lookup) -> bool {
        self.shares_differences(lookup) && matches!(lookup.lod_source, LodSource::Implicit { bias: None })
    }

    /// Taps along footprints with these squares of their lengths.
    fn taps(&mut self, a: F32x4, b: F32x4) -> Taps {
        let most = f32::from(self.key.anisotropy);
        let e = &mut *self.e;
        let along_x = e.lt(b, a);
        let (longer, shorter) = (e.select(along_x, a, b), e.select(along_x, b, a));
        let one = e.f(1.0);
        let across = e.max(shorter, one);
        let ratio = e.div(longer, across);
        let root = e.sqrt(ratio);
        let up = e.neg(root);
        let up = e.floor(up);
        let up = e.neg(up);
        Taps { count: e.clamp(up, 1.0, most), along_x }
    }

    /// The difference of coordinates along the longer axis of each footprint, 0 where there is one tap.
    pub(super) fn longer_axis(&mut self, lookup: &Lookup, taps: Taps) -> Vec<F32x4> {
        let one = self.e.f(1.0);
        let several = self.e.lt(one, taps.count);
        let several = self.e.mask_ints(several);
        (0..dimensions(self.key.shape))
            .map(|k| {
                let [x, y] = [0, 1].map(|axis| self.signed_difference(lookup, axis, k));
                let step = self.e.select(taps.along_x, x, y);
                let bits = self.e.bits(step);
                let bits = self.e.iand(bits, several);
                self.e.float_of_bits(bits)
            })
            .collect()
    }

    /// The derivative of coordinate `k` to the right or downwards.
    fn signed_difference(&mut self, lookup: &Lookup, axis: usize, k: usize) -> F32x4 {
        let difference = self.difference(lookup, axis, k, None);
        if self.cube.is_none() || matches!(lookup.lod_source, LodSource::Gradients(_)) {
            return difference;
        }
        // From each lane to its neighbour, which may precede it.
        let second = self.e.ints(IS_SECOND[axis]);
        let bits = self.e.bits(difference);
        let bits = self.e.ixor(bits, second);
        self.e.float_of_bits(bits)
    }

    /// The squared distance in texels of level 0 from a pixel to the next one along an axis.
    fn squared_difference(&mut self, lookup: &Lookup, axis: usize) -> F32x4 {
        let sizes = (!self.key.unnormalized).then(|| self.first_level().sizes);
        let mut sum = None;
        for k in 0..dimensions(self.key.shape) {
            let size = sizes.map(|sizes| sizes[k]);
            let difference = self.difference(lookup, axis, k, size);
            let square = self.e.mul(difference, difference);
            sum = Some(match sum {
                Some(sum) => self.e.add(sum, square),
                None => square,
            });
        }
        sum.unwrap_or_else(|| self.e.f(0.0))
    }

    /// The derivative of coordinate `k`, up to its sign.
    fn difference(&mut self, lookup: &Lookup, axis: usize, k: usize, size: Option<F32x4>) -> F32x4 {
        let here = self.coordinates[k];
        let there = match (lookup.lod_source, self.cube.clone()) {
            (LodSource::Gradients(gradients), None) => return self.sized(gradients[axis][k], size),
            (LodSource::Gradients(gradients), Some(cube)) => {
                let direction = cube.direction;
                let moved = [0, 1, 2].map(|i| self.e.add(direction[i], gradients[axis][i]));
                cube.project(self.e, moved, k)
            }
            (_, Some(cube)) => {
                let moved = cube.direction.map(|c| F32x4(self.e.shuffle(c.0, c.0, PARTNER[axis])));
                cube.project(self.e, moved, k)
            }
            (_, None) => {
                let scaled = self.sized(here, size);
                let difference = if axis == 0 { self.e.difference_x(scaled) } else { self.e.difference_y(scaled) };
                let difference = self.where_together(lookup.together, axis, difference);
                return match self.shares_differences(lookup) {
                    true => self.of_quad(lookup.together, axis, difference),
                    false => difference,
                };
            }
        };
        let (there, here) = (self.sized(there, size), self.sized(here, size));
        let difference = self.e.sub(there, here);
        match lookup.lod_source {
            LodSource::Gradients(_) => difference,
            _ => self.where_together(lookup.together, axis, difference),
        }
    }

    fn sized(&mut self, coordinate: F32x4, size: Option<F32x4>) -> F32x4 {
        match size {
            Some(size) => self.e.mul(coordinate, size),
            None => coordinate,
        }
    }

    /// A difference, 0 where it is not known, of the upper row or the left column, else of the others: in all lanes.
    fn of_quad(&mut self, together: Option<Mask>, axis: usize, difference: F32x4) -> F32x4 {
        let first = splat_lane(self.e, difference, 0);
        let Some(together) = together else { return first };
        let e = &mut *self.e;
        let partner = I32x4(e.shuffle(together.0, together.0, PARTNER[axis]));
        let both = e.iand(I32x4(together.0), partner);
        let both = e.float_of_bits(both);
        let known = splat_lane(e, both, 0);
        let known = e.bits(known);
        let second = splat_lane(e, difference, if axis == 0 { 2 } else { 1 });
        e.select(Mask(known.0), first, second)
    }

    /// 0 unless both lanes are active.
    fn where_together(&mut self, together: Option<Mask>, axis: usize, difference: F32x4) -> F32x4 {
        let Some(together) = together else { return difference };
        both_together(self.e, together, axis, difference)
    }
}

/// `difference` along an axis where both of its lanes are in `together`, else 0.
pub fn both_together(e: &mut crate::lane::Emit<'_>, together: Mask, axis: usize, difference: F32x4) -> F32x4 {
    let partner = I32x4(e.shuffle(together.0, together.0, PARTNER[axis]));
    let both = e.iand(I32x4(together.0), partner);
    let bits = e.bits(difference);
    let bits = e.iand(bits, both);
    e.float_of_bits(bits)
}
