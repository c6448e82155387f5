//! Level of detail, and the footprint that determines it.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::fast::half_log2;
use triglyph_guest::num::ops::{Scalar, log2};

use super::{Lookup, SamplePoint, TextureUnit, cube};
use crate::program::{Vector, limit};

/// The inputs of the level of detail.
#[derive(Clone, Copy, Debug)]
pub enum LodSource {
    /// Differences between the lanes of the quad.
    Neighbours {
        /// Coordinates of the left and of the right lane of the lane's own row; `None`: no difference.
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

/// The inputs of a lane's texture lookup.
#[derive(Clone, Copy)]
pub(super) struct Footprint {
    /// The level of detail, whatever it is.
    pub lod: f32,
    /// Taps along the longer axis, a whole number.
    pub taps: f32,
    /// The difference of coordinates along it, 0 for one tap.
    pub axis: [f32; 3],
}

/// A difference, of coordinates and in texels of level 0.
#[derive(Clone, Copy, Default)]
struct Step {
    coordinates: [f32; 3],
    texels: [f32; 3],
}

impl TextureUnit<'_> {
    /// Whether differences between neighbours are those of the whole quad.
    pub fn shares_differences(&self) -> bool {
        self.key.accuracy == Accuracy::Fast && !self.is_cube()
    }

    /// A level of detail: with mipmaps within its limits, then 0 or below for magnification.
    pub(super) fn clamped(&self, lod: f32) -> f32 {
        match self.key.mipmap {
            Some(_) => limit(lod, self.texture.lod_min, self.texture.lod_max),
            None => lod,
        }
    }

    /// The inputs of a lookup.
    pub(super) fn footprint(&self, point: &SamplePoint, lookup: &Lookup) -> Footprint {
        let at = lookup.at;
        let (footprint, bias) = match lookup.lod_source {
            LodSource::Level(level) => (Footprint { lod: level, taps: 1.0, axis: [0.0; 3] }, 0.0),
            LodSource::Neighbours { row, column, bias } => {
                let steps = [row, column].map(|pair| pair.map_or(Step::default(), |[a, b]| self.step(point, a, b)));
                (self.footprint_of(steps), bias)
            }
            LodSource::Gradients(gradients) if self.is_cube() => {
                let steps =
                    gradients.map(|gradient| self.step(point, at, std::array::from_fn(|i| at[i] + gradient[i])));
                (self.footprint_of(steps), 0.0)
            }
            LodSource::Gradients(gradients) => {
                let steps = gradients.map(|[x, y, z, _]| Step {
                    coordinates: [x, y, z],
                    texels: self.in_texels([x, y, z], &self.texture.levels[0]),
                });
                (self.footprint_of(steps), 0.0)
            }
        };
        Footprint { lod: (footprint.lod + self.texture.lod_bias) + bias, ..footprint }
    }

    /// `log2` of the longer one of two steps in texels, a tap's share of it where there are several.
    fn footprint_of(&self, steps: [Step; 2]) -> Footprint {
        let [a, b] = steps.map(|step| {
            let squares = step.texels[..self.axes()].iter().map(|d| d * d);
            squares.reduce(|sum, square| sum + square).unwrap_or(0.0)
        });
        let (longer, shorter, axis) = if a > b { (a, b, steps[0]) } else { (b, a, steps[1]) };
        let taps = self.taps(longer, shorter);
        let axis = if taps > 1.0 { axis.coordinates } else { [0.0; 3] };
        let square = longer / (taps * taps);
        let lod = match self.key.accuracy {
            Accuracy::Exact => log2(&mut Scalar, square) * 0.5,
            Accuracy::Fast => half_log2(&mut Scalar, square),
        };
        Footprint { lod, taps, axis }
    }

    /// Taps along a footprint with these squares of its lengths, one of anything less than a texel across.
    fn taps(&self, longer: f32, shorter: f32) -> f32 {
        if self.key.anisotropy <= 1 {
            return 1.0;
        }
        let across = if 1.0 < shorter { shorter } else { 1.0 };
        limit((longer / across).sqrt().ceil(), 1.0, f32::from(self.key.anisotropy))
    }

    /// The step from one lane to another, on the face of `point`.
    fn step(&self, point: &SamplePoint, from: Vector, to: Vector) -> Step {
        let on_face = |[x, y, z, _]: Vector| {
            if self.is_cube() {
                let [s, t] = cube::on_face(point.face, [x, y, z]);
                [s, t, 0.0]
            } else {
                [x, y, z]
            }
        };
        let [from, to] = [from, to].map(on_face);
        let between = |[from, to]: [[f32; 3]; 2]| std::array::from_fn(|i| to[i] - from[i]);
        let texels = [from, to].map(|place| self.in_texels(place, &self.texture.levels[0]));
        Step { coordinates: between([from, to]), texels: between(texels) }
    }
}
