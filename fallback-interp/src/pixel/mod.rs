//! Pixel kernels, one pixel at a time.
//!
//! ```text
//! Kernel::shade -> every covered pixel of every block
//!   interpolate  edge functions -> weights, W, depth, varyings
//!   texture      coordinates, level, filter -> texel -> etc1, or shadow
//!   procedural   the fourth texture unit
//!   lighting     normal, lights, tables -> two colours
//!   combine      six stages
//!   shadow, gas  a pixel of a shadow map or of densities, instead of everything below
//!   tests        alpha; stencil and depth
//!   fog          or gas
//!   blend        factors, equations, logic operations
//!   target       addresses, reading and writing of the two surfaces
//! ```
//!
//! The formulas are in `guest::kernel::{pixel, lighting, procedural, combine}`.

mod blend;
mod combine;
mod etc1;
mod fog;
mod gas;
mod interpolate;
mod lighting;
mod procedural;
mod shadow;
mod target;
mod tests;
mod texel;
mod texture;
mod traced;
mod vector;

use triglyph_guest::kernel::combine::{Source, Stage};
use triglyph_guest::kernel::pixel::{Compare, PixelJob, PixelKey, Primitive};
use triglyph_guest::kernel::trace::Tracing;
use triglyph_guest::kernel::{PixelKernel, Unsupported};
use triglyph_guest::layout::unmorton;

pub use texel::fetch as texel;

use crate::operations::compare;
use interpolate::Point;
use lighting::Lighting;
use procedural::Procedural;
use target::Pixel;

/// A colour, r, g, b, a.
type Color = [u8; 4];

/// A pixel kernel: its key and derived facts.
#[derive(Clone, Debug)]
pub struct Kernel {
    key: PixelKey,
    /// Texture units that some combiner stage or the lighting reads.
    units: [bool; 4],
    /// Combiner stages up to the last that does something.
    stages: usize,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &PixelKey) -> Self {
        let gas = key.fog.is_some_and(|fog| fog.gas.is_some());
        let units = [0, 1, 2, 3].map(|unit| {
            (unit == 0 && gas)
                || combine::uses(&key.combiners, Source::Texture(unit))
                || key.lighting.as_ref().is_some_and(|lighting| lighting::uses(lighting, unit))
        });
        Kernel { key: key.clone(), units, stages: combine::length(&key.combiners) }
    }

    /// One pixel from interpolation to the write. Whether it passes all tests.
    fn pixel(&self, job: &PixelJob<'_>, primitive: &Primitive, x: u32, row: u32) -> bool {
        let key = &self.key;
        let point = Point::new(key, job, primitive, x, row);
        let pixel = Pixel::new(key, &job.target, x, row);
        let depth = point.depth(job.constants, key.w_buffer);
        if key.shadow.is_some() {
            shadow::write(&pixel, job.constants, depth, || self.combine(job, &point));
            return false;
        }

        if let Some(density) = key.density {
            let gas = &job.constants.gas;
            gas::add(density, gas, job.densest, &pixel, depth, || self.combine(job, &point));
            return false;
        }

        // Shading has no side effects. So where the alpha test cannot fail, the later tests may come first.
        let early =
            (key.alpha_test == Compare::Always).then(|| tests::depth_stencil(key, job.constants, &pixel, depth));
        if let Some(verdict) = early.filter(|verdict| !verdict.passed) {
            verdict.store(&pixel);
            return false;
        }
        let textures = self.textures(job, &point);
        let color = self.combined(job, &point, textures);
        if !compare(key.alpha_test, u32::from(color[3]), job.constants.alpha_reference) {
            return false;
        }
        let color = self.fogged(job, depth, textures, color);
        let verdict = early.unwrap_or_else(|| tests::depth_stencil(key, job.constants, &pixel, depth));
        verdict.store(&pixel);
        if verdict.passed && pixel.writes_color() {
            let destination = pixel.color();
            let result = blend::output(&key.output, color, destination, job.constants.blend_color.to_be_bytes());
            pixel.store_color(result, destination);
        }
        verdict.passed
    }

    /// Applies fog or gas to a colour.
    #[inline(always)]
    fn fogged(&self, job: &PixelJob<'_>, depth: f32, textures: [Color; 4], color: Color) -> Color {
        let (Some(fog), Some(table)) = (&self.key.fog, job.fog) else { return color };
        match fog.gas {
            Some(gas) => gas::color(fog, gas, &job.constants.gas, table, textures[0]),
            None => fog::apply(fog, table, job.constants.fog_color, depth, color),
        }
    }

    /// The result of the combiner stages.
    fn combine(&self, job: &PixelJob<'_>, point: &Point<'_>) -> Color {
        self.combined(job, point, self.textures(job, point))
    }

    fn combined(&self, job: &PixelJob<'_>, point: &Point<'_>, textures: [Color; 4]) -> Color {
        combine::run(self.stages(), job.constants, &self.sources(job, point, textures), &mut ())
    }

    /// The combiner stages that do something.
    #[inline(always)]
    fn stages(&self) -> &[Stage] {
        &self.key.combiners.stages[..self.stages]
    }

    /// The inputs of the stages.
    #[inline(always)]
    fn sources(&self, job: &PixelJob<'_>, point: &Point<'_>, textures: [Color; 4]) -> combine::Sources {
        let lighting = match (&self.key.lighting, job.lighting) {
            (Some(key), Some((constants, tables))) => Lighting { key, constants, tables }.shade(point, &textures),
            _ => [[0; 4]; 2],
        };
        combine::Sources { primary: point.color(self.key.color_slots), lighting, textures }
    }

    /// Samples the texture units that are read.
    fn textures(&self, job: &PixelJob<'_>, point: &Point<'_>) -> [Color; 4] {
        let mut colors = [[0; 4]; 4];
        for unit in (0..3).filter(|&unit| self.units[unit]) {
            let texture = texture::Unit {
                key: &self.key.textures[unit],
                constants: &job.constants.texture[unit],
                texture: &job.textures[unit],
            };
            colors[unit] = texture.sample(point);
        }
        if let (true, Some(key), Some(data)) = (self.units[3], &self.key.procedural, job.procedural) {
            colors[3] = Procedural { key, data }.sample(point);
        }
        colors
    }
}

impl PixelKernel for Kernel {
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Unsupported> {
        self.blocks(job, |_, _, _| {});
        Ok(())
    }

    fn shade_traced(&self, job: &PixelJob<'_>, tracing: Tracing<'_>) -> Result<(), Unsupported> {
        self.blocks(job, |number, x, row| self.trace(&tracing, job, number, [x, row]));
        Ok(())
    }
}

impl Kernel {
    /// Shades every covered pixel of every block; calls `before` for each, with the number of its primitive.
    #[inline(always)]
    fn blocks(&self, job: &PixelJob<'_>, before: impl Fn(u32, u32, u32)) {
        for (index, block) in job.blocks.iter().enumerate() {
            let mut passed = 0;
            let Some(primitive) = job.primitives.get(block.primitive as usize) else { continue };
            let mut left = block.coverage;
            while left != 0 {
                let bit = left.trailing_zeros();
                let (x, y) = unmorton(bit);
                left &= left - 1;
                let (x, row) = (u32::from(block.x) + x, u32::from(block.row) + y);
                before(block.primitive, x, row);
                passed |= u64::from(self.pixel(job, primitive, x, row)) << bit;
            }
            if let Some(survivors) = job.survivors.get(index) {
                survivors.add(passed);
            }
        }
    }
}

/// `v` between `low` and `high`; NaN becomes `low`.
fn clamp(v: f32, low: f32, high: f32) -> f32 {
    let v = if low < v { v } else { low };
    if v < high { v } else { high }
}

/// The smaller one; `b` when either is NaN.
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger one; `b` when either is NaN.
fn max(a: f32, b: f32) -> f32 {
    if b < a { a } else { b }
}
