//! Level of detail.

use triglyph_guest::num::ops::{Scalar, log2};

use super::{Lookup, Spot, Unit, cube};
use crate::program::{Vector, limit};

/// What the level of detail follows from.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// Differences between the lanes of the quad.
    Neighbours {
        /// Coordinates of the left and of the right lane of the lane's own row; `None`: there is no difference.
        row: Option<[Vector; 2]>,
        /// Coordinates of the upper and of the lower lane of the lane's own column.
        column: Option<[Vector; 2]>,
        /// Of the instruction.
        bias: f32,
    },
    /// A level that the instruction says.
    Level(f32),
    /// Differences that the instruction says, by x and by y.
    Gradients([Vector; 2]),
}

impl Unit<'_> {
    /// The level of detail: with mipmaps within its limits, then 0 or below for magnification.
    pub(super) fn clamped_lod(&self, spot: &Spot, lookup: &Lookup) -> f32 {
        let lod = self.lod(spot, lookup);
        match self.key.mipmap {
            Some(_) => limit(lod, self.texture.lod_min, self.texture.lod_max),
            None => lod,
        }
    }

    /// The level of detail, whatever it is.
    pub(super) fn lod(&self, spot: &Spot, lookup: &Lookup) -> f32 {
        let at = lookup.at;
        let (level, bias) = match lookup.detail {
            Detail::Level(level) => (level, 0.0),
            Detail::Neighbours { row, column, bias } => {
                let steps = [row, column].map(|pair| pair.map_or([0.0; 3], |[a, b]| self.step(spot, a, b)));
                (self.level_of(steps), bias)
            }
            Detail::Gradients(gradients) if self.is_cube() => {
                let steps = gradients.map(|gradient| self.step(spot, at, std::array::from_fn(|i| at[i] + gradient[i])));
                (self.level_of(steps), 0.0)
            }
            Detail::Gradients(gradients) => {
                let steps = gradients.map(|[x, y, z, _]| self.in_texels([x, y, z], &self.texture.levels[0]));
                (self.level_of(steps), 0.0)
            }
        };
        (level + self.texture.lod_bias) + bias
    }

    /// `log2` of the longer one of two steps in texels.
    fn level_of(&self, steps: [[f32; 3]; 2]) -> f32 {
        let [a, b] = steps.map(|step| {
            let squares = step[..self.axes()].iter().map(|d| d * d);
            squares.reduce(|sum, square| sum + square).unwrap_or(0.0)
        });
        let rho2 = if a > b { a } else { b };
        log2(&mut Scalar, rho2) * 0.5
    }

    /// The step from one lane to another in texels of level 0, on the face of `spot`.
    fn step(&self, spot: &Spot, from: Vector, to: Vector) -> [f32; 3] {
        let [from, to] = [from, to].map(|[x, y, z, _]| {
            let coordinates = if self.is_cube() {
                let [s, t] = cube::on_face(spot.face, [x, y, z]);
                [s, t, 0.0]
            } else {
                [x, y, z]
            };
            self.in_texels(coordinates, &self.texture.levels[0])
        });
        std::array::from_fn(|i| to[i] - from[i])
    }
}
