//! Traced pixels: the inputs and the result of each combiner stage.

use triglyph_guest::kernel::pixel::PixelJob;
use triglyph_guest::kernel::trace::{Item, Tracing, Wanted, WordForm};

use super::combine::{self, State};
use super::interpolate::Point;
use super::{Color, Kernel};
use crate::trace::Recorder;

impl Kernel {
    /// Runs the stages for a pixel if it is asked about. Shading has no side effects.
    pub(super) fn trace(&self, tracing: &Tracing<'_>, job: &PixelJob<'_>, number: u32, [x, row]: [u32; 2]) {
        let Some(primitive) = job.primitives.get(number as usize) else { return };
        if tracing.wanted() != Wanted::Pixel([x, row]) {
            return;
        }
        let point = Point::new(&self.key, job, primitive, x, row);
        let textures = self.textures(job, &point);
        let sources = self.sources(job, &point, textures);
        let item = Item::Pixel { x, row, primitive: number };
        let mut recorder = Recorder::new(tracing, item, 0, &State::START);
        let color = combine::run(self.stages(), job.constants, &sources, &mut recorder);
        let mut note = |name: String, color: Color| recorder.result(name, WordForm::Int, &color.map(u32::from));
        note("primary".to_owned(), sources.primary);
        if self.key.lighting.is_some() {
            note("light primary".to_owned(), sources.lighting[0]);
            note("light secondary".to_owned(), sources.lighting[1]);
        }
        for unit in (0..4).filter(|&unit| self.units[unit]) {
            note(format!("texture {unit}"), sources.textures[unit]);
        }
        note("combined".to_owned(), color);
        let depth = point.depth(job.constants, self.key.w_buffer);
        note("color0".to_owned(), self.fogged(job, depth, textures, color));
        tracing.add(recorder.finish());
    }
}
