//! Coordinates to texel indices.

use triglyph_guest::kernel::program::sampler::{Rounding, Shape, Wrap};
use triglyph_guest::num::ops::Ops;

use super::{Sampler, Size};
use crate::lane::{F32x4, I32x4, Mask};

/// A texel's index along an axis, and the lanes in which it is outside, on the border.
#[derive(Clone, Copy)]
pub(super) struct Index {
    pub index: I32x4,
    pub border: Option<Mask>,
}

/// Two texels along an axis, and the weight of the second one, 0 to 256.
#[derive(Clone, Copy)]
pub(super) struct Two {
    pub texels: [Index; 2],
    pub weight: I32x4,
}

/// Coordinates are limited to this.
const LIMIT: f32 = 16_777_216.0;

/// Linear filters' coordinates are limited to this where 256 times as much has to be an integer.
const SUBTEXEL_LIMIT: f32 = 8_388_607.0;

impl Sampler<'_, '_> {
    /// How an axis wraps; `None`: clamped to the border around a seamless cube's face.
    fn mode(&self, axis: usize) -> Option<Wrap> {
        match self.key.shape {
            _ if self.key.seamless => None,
            Shape::Cube | Shape::CubeArray => Some(Wrap::ClampToEdge),
            _ => Some(self.key.wrap[axis]),
        }
    }

    /// The coordinate in texels of the level, not limited yet.
    fn scaled(&mut self, axis: usize, size: &Size) -> F32x4 {
        let coordinate = self.coordinates[axis];
        let place = if self.key.unnormalized { coordinate } else { self.e.mul(coordinate, size.sizes[axis]) };
        if self.key.rounding != Rounding::Coordinates {
            return place;
        }
        let (steps, half, step) = (self.e.f(4096.0), self.e.f(0.5), self.e.f(1.0 / 4096.0));
        let moved = self.e.mul(place, steps);
        let moved = self.e.add(moved, half);
        let whole = self.e.floor(moved);
        self.e.mul(whole, step)
    }

    /// The texel that a coordinate lies in.
    pub(super) fn nearest_index(&mut self, axis: usize, size: &Size) -> Index {
        let c = self.scaled(axis, size);
        let c = self.e.clamp(c, -LIMIT, LIMIT);
        let mode = match self.mode(axis) {
            Some(Wrap::Clamp) | None => Wrap::ClampToEdge,
            Some(Wrap::MirrorOnceClamp) => Wrap::MirrorOnceToEdge,
            Some(other) => other,
        };
        let whole = self.e.floor(c);
        let index = self.e.truncate_to_int(whole);
        let index = self.shifted(axis, index);
        let [only, _] = self.wrap(mode, [index, index], size.counts[axis], false);
        only
    }

    /// The two texels around a coordinate.
    pub(super) fn linear_indices(&mut self, axis: usize, size: &Size) -> Two {
        let mut c = self.scaled(axis, size);
        let mut mode = self.mode(axis);
        if mode == Some(Wrap::MirrorOnceClamp) {
            c = self.e.abs(c);
        }
        let limit = if self.key.rounding == Rounding::Subtexels { SUBTEXEL_LIMIT } else { LIMIT };
        c = self.e.clamp(c, -limit, limit);
        if matches!(mode, Some(Wrap::Clamp | Wrap::MirrorOnceClamp)) {
            let zero = self.e.f(0.0);
            c = self.e.max(c, zero);
            c = self.e.min(c, size.sizes[axis]);
            mode = Some(Wrap::Border);
        }
        let half = self.e.f(0.5);
        let c = self.e.sub(c, half);
        let (first, weight) = self.split(c);
        let first = self.shifted(axis, first);
        let one = self.e.i(1);
        let second = self.e.iadd(first, one);
        let texels = match mode {
            Some(mode) => self.wrap(mode, [first, second], size.counts[axis], true),
            None => [first, second].map(|index| self.within_border(index, size.counts[axis])),
        };
        Two { texels, weight }
    }

    /// The integer below a place between texels, and 256 times the rest.
    fn split(&mut self, c: F32x4) -> (I32x4, I32x4) {
        let scale = self.e.f(256.0);
        if self.key.rounding == Rounding::Subtexels {
            let steps = self.e.mul(c, scale);
            let steps = self.e.nearest(steps);
            let steps = self.e.truncate_to_int(steps);
            let low = self.e.i(255);
            return (self.e.ishr(steps, 8), self.e.iand(steps, low));
        }
        let whole = self.e.floor(c);
        let fraction = self.e.sub(c, whole);
        let fraction = self.e.mul(fraction, scale);
        (self.e.truncate_to_int(whole), self.e.truncate_to_int(fraction))
    }

    /// An index with the instruction's offset.
    fn shifted(&mut self, axis: usize, index: I32x4) -> I32x4 {
        match self.shift[axis] {
            Some(shift) => self.e.iadd(index, shift),
            None => index,
        }
    }

    /// An index from -1 to `count`.
    fn within_border(&mut self, index: I32x4, count: I32x4) -> Index {
        let before = self.e.i(-1);
        let index = self.e.imax(index, before);
        Index { index: self.e.imin(index, count), border: None }
    }

    /// Wraps two neighbouring indices; without `both` only the first one matters.
    fn wrap(&mut self, mode: Wrap, [a, b]: [I32x4; 2], count: I32x4, both: bool) -> [Index; 2] {
        let ones = self.e.i(-1);
        let last = self.e.iadd(count, ones);
        let inside = |index| Index { index, border: None };
        match mode {
            Wrap::Repeat => {
                let a = self.modulo(a, count, last);
                let b = if both { self.next(a, count) } else { a };
                [inside(a), inside(b)]
            }
            Wrap::Mirror => {
                let twice = self.e.ishl(count, 1);
                let far = self.e.iadd(twice, ones);
                let a = self.modulo(a, twice, far);
                let b = if both { self.next(a, twice) } else { a };
                [a, b].map(|index| {
                    let back = self.e.isub(far, index);
                    inside(self.e.imin(index, back))
                })
            }
            Wrap::ClampToEdge | Wrap::MirrorOnceToEdge => {
                let zero = self.e.i(0);
                [a, b].map(|index| {
                    let index = match mode {
                        Wrap::ClampToEdge => self.e.imax(index, zero),
                        _ => self.mirrored_once(index),
                    };
                    inside(self.e.imin(index, last))
                })
            }
            Wrap::Border | Wrap::MirrorOnceBorder | Wrap::Clamp | Wrap::MirrorOnceClamp => [a, b].map(|index| {
                let index = if mode == Wrap::MirrorOnceBorder { self.mirrored_once(index) } else { index };
                let clamped = self.e.umin(index, last);
                let same = self.e.ieq(clamped, index);
                Index { index: clamped, border: Some(self.e.not(same)) }
            }),
        }
    }

    /// i < 0 ? -1 - i : i
    fn mirrored_once(&mut self, index: I32x4) -> I32x4 {
        let sign = self.e.ishr(index, 31);
        self.e.ixor(index, sign)
    }

    /// The index after one that is already below `count`.
    fn next(&mut self, index: I32x4, count: I32x4) -> I32x4 {
        let one = self.e.i(1);
        let next = self.e.iadd(index, one);
        let inside = self.e.ilt(next, count);
        let inside = self.e.mask_ints(inside);
        self.e.iand(next, inside)
    }

    /// Index modulo `count`, `last` being `count - 1`. A mask where all sizes are powers of two, else a division.
    fn modulo(&mut self, index: I32x4, count: I32x4, last: I32x4) -> I32x4 {
        if self.key.power_of_two {
            return self.e.iand(index, last);
        }
        // The quotient is one off at most.
        let e = &mut *self.e;
        let (a, n) = (e.to_float(index), e.to_float(count));
        let quotient = e.div(a, n);
        let quotient = e.floor(quotient);
        let quotient = e.truncate_to_int(quotient);
        let product = e.imul(quotient, count);
        let rest = e.isub(index, product);
        let below = e.ishr(rest, 31);
        let more = e.iand(below, count);
        let rest = e.iadd(rest, more);
        let beyond = e.ilt(last, rest);
        let beyond = e.mask_ints(beyond);
        let less = e.iand(beyond, count);
        e.isub(rest, less)
    }
}
