//! Levels of detail.

use triglyph_guest::num::ops::{Ops, log2};

use super::{Detail, Lookup, Sampler, dimensions, field};
use crate::lane::{F32x4, I32x4, Mask};
use crate::program::args::TextureArgs;
use std::mem::offset_of;

/// Lanes as neighbours see each other: the other one of the row, and of the column.
const PARTNER: [[u8; 16]; 2] =
    [[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11], [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]];

impl Sampler<'_, '_> {
    /// The level of detail of each lane, clamped where there are mipmaps.
    pub(super) fn detail(&mut self, lookup: &Lookup) -> F32x4 {
        let lod = self.unclamped(lookup);
        if self.key.mipmap.is_some() { self.limited(lod) } else { lod }
    }

    /// Within the limits of the unit.
    pub(super) fn limited(&mut self, lod: F32x4) -> F32x4 {
        let low = self.splat_f32(field!(lod_min));
        let lod = self.e.max(lod, low);
        let high = self.splat_f32(field!(lod_max));
        self.e.min(lod, high)
    }

    /// The level of detail of each lane, whatever it is.
    pub(super) fn unclamped(&mut self, lookup: &Lookup) -> F32x4 {
        let mut lod = match lookup.detail {
            Detail::Level(level) => level,
            _ => {
                let [a, b] = [0, 1].map(|axis| self.squared_difference(lookup, axis));
                let rho = self.e.max(a, b);
                let log = log2(self.e, rho);
                let half = self.e.f(0.5);
                self.e.mul(log, half)
            }
        };
        let bias = self.splat_f32(field!(lod_bias));
        lod = self.e.add(lod, bias);
        if let Detail::Implicit { bias: Some(bias) } = lookup.detail {
            lod = self.e.add(lod, bias);
        }
        lod
    }

    /// The square of how far the picture moves, in texels of level 0, from a pixel to the next one along an axis.
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

    /// How far coordinate `k` moves. The sign may be the other one.
    fn difference(&mut self, lookup: &Lookup, axis: usize, k: usize, size: Option<F32x4>) -> F32x4 {
        let here = self.coordinates[k];
        let there = match (lookup.detail, self.cube.clone()) {
            (Detail::Gradients(gradients), None) => return self.sized(gradients[axis][k], size),
            (Detail::Gradients(gradients), Some(cube)) => {
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
                return self.where_together(lookup.together, axis, difference);
            }
        };
        let (there, here) = (self.sized(there, size), self.sized(here, size));
        let difference = self.e.sub(there, here);
        match lookup.detail {
            Detail::Gradients(_) => difference,
            _ => self.where_together(lookup.together, axis, difference),
        }
    }

    fn sized(&mut self, coordinate: F32x4, size: Option<F32x4>) -> F32x4 {
        match size {
            Some(size) => self.e.mul(coordinate, size),
            None => coordinate,
        }
    }

    /// 0 unless both lanes are at it.
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
