//! What becomes of the fragments of one pixel, and why: the primitives of a draw that cover it are drawn to it one by
//! one, with some of the tests left out, and the pixel is put back.
//!
//! A fragment passes if it stores anything in the pixel or in its complement: then at least one bit has the same value
//! after both, which it did not have before. Tests are left in one after the other, in the order of the pipeline; the
//! first with which nothing is stored is the one that the fragment fails.

use std::sync::Arc;

use triglyph_guest::kernel::operations::{Compare, LogicOp};
use triglyph_guest::kernel::pixel::Output;

use super::Renderer;
use crate::cache::Removal;
use crate::cache::texture_cache::TextureCache;
use crate::mem::{GuestAddr, Memory};
use crate::probe::{Fragment, Role, Surface, Verdict};
use crate::raster::{self, DrawContext, Drawing};
use crate::scene::program::ProgramState;
use crate::scene::{DrawState, Kind, Rect, Scene, StateSpan};

/// How many of the tests are left in: alpha, depth bounds, stencil, depth.
const TESTS: [Verdict; 4] = [Verdict::Alpha, Verdict::Bounds, Verdict::Stencil, Verdict::Depth];

/// The pixel in the surfaces of a draw.
struct Pixel<'m> {
    memory: &'m Memory,
    /// Where it is in each surface, and its bytes; a colour is first.
    stored: Vec<(GuestAddr, Vec<u8>)>,
}

impl<'m> Pixel<'m> {
    /// `None` if there is no colour to see the fragment by, or the pixel is not in a surface.
    fn new(memory: &'m Memory, surfaces: &[Surface], [x, y]: [u32; 2]) -> Option<Self> {
        let color = |surface: &&Surface| matches!(surface.role, Role::Color(_)) && surface.is_known();
        surfaces.first().filter(color)?;
        let pixel = |surface: &Surface| {
            let at = surface.start.after(surface.offset(x, y));
            let bytes = read(memory, at, surface.bytes as usize);
            (x < surface.width && y < surface.rows && bytes.len() == surface.bytes as usize).then_some((at, bytes))
        };
        let stored: Option<Vec<_>> = surfaces.iter().map(pixel).collect();
        Some(Pixel { memory, stored: stored? })
    }

    /// The colour that is there now.
    fn color(&self) -> Vec<u8> {
        let (at, bytes) = &self.stored[0];
        read(self.memory, *at, bytes.len())
    }

    fn put_back(&self) {
        self.stored.iter().for_each(|(at, bytes)| self.memory.writable(*at).write(0, bytes));
    }

    /// Takes what is there now as what is to be put back.
    fn keep(&mut self) {
        for (at, bytes) in &mut self.stored {
            *bytes = read(self.memory, *at, bytes.len());
        }
    }

    /// What a fragment stores as its colour, drawn by `draw`; `None` if it stores nothing.
    fn stored_by(&self, mut draw: impl FnMut()) -> Option<Vec<u8>> {
        let (at, before) = &self.stored[0];
        draw();
        let plain = self.color();
        self.put_back();
        let inverse: Vec<u8> = before.iter().map(|byte| !byte).collect();
        self.memory.writable(*at).write(0, &inverse);
        draw();
        let inverted = self.color();
        self.put_back();
        (plain != *before || inverted != inverse).then_some(plain)
    }

    /// What becomes of a fragment. `draw` draws it with the first so many tests, or with `None` as it is.
    fn judge(&mut self, primitive: u32, mut draw: impl FnMut(Option<usize>)) -> Fragment {
        let shaded = self.stored_by(|| draw(Some(0)));
        let failed = (1..=TESTS.len()).find(|&tests| self.stored_by(|| draw(Some(tests))).is_none());
        let verdict = match (&shaded, failed) {
            (None, _) => Verdict::Discarded,
            (_, Some(tests)) => TESTS[tests - 1],
            (_, None) => Verdict::Passed,
        };
        draw(None);
        self.keep();
        Fragment { primitive, shaded, verdict }
    }
}

/// Bytes that the GPU may write; fewer where less is mapped.
fn read(memory: &Memory, at: GuestAddr, count: usize) -> Vec<u8> {
    let window = memory.writable(at).first(count);
    (0..window.len()).map(|at| window.read::<1>(at)[0]).collect()
}

/// What becomes of the fragments that the primitives from `first` on have at a pixel. `state` gives the state with the
/// first so many tests, or with `None` the draw's own; `draw` draws a scene and returns how many blocks were shaded.
fn judge_each<K: Kind<Primitive: Copy, Edges: Copy>>(
    scene: &Scene<K>,
    first: usize,
    [x, y]: [u32; 2],
    pixel: &mut Pixel<'_>,
    state: impl Fn(Option<usize>) -> Arc<K::State>,
    mut draw: impl FnMut(&Scene<K>) -> u64,
) -> Vec<Fragment> {
    let before = Pixel { stored: pixel.stored.clone(), memory: pixel.memory };
    let mut trial = Scene::new(scene.target);
    trial.varyings.clone_from(&scene.varyings);
    let mut fragments = Vec::new();
    for index in first..scene.primitives.len() {
        let bounds = scene.bounds[index].intersect(Rect { x0: x, y0: y, x1: x, y1: y });
        let Some(bounds) = bounds else { continue };
        let mut draw_alone = |tests| {
            trial.set_only(state(tests), scene.primitives[index], scene.edges[index], bounds);
            draw(&trial)
        };
        let is_covered = draw_alone(Some(0)) != 0;
        pixel.put_back();
        if is_covered {
            fragments.push(pixel.judge((index - first) as u32, |tests| {
                draw_alone(tests);
            }));
        }
    }
    before.put_back();
    fragments
}

impl Renderer {
    /// What becomes of the fragments that the primitives from `first` on have at a stored pixel.
    pub(super) fn judge_fixed(
        &mut self,
        memory: &Memory,
        surfaces: &[Surface],
        at: [u32; 2],
        first: usize,
    ) -> Vec<Fragment> {
        // Of scenes whose tiles share memory, memory does not show what comes before.
        let is_ordered = self.scene.target.tiles_alias(memory);
        let Some(span) = self.scene.states.last().filter(|_| !is_ordered) else { return Vec::new() };
        let (state, [x, y]) = (span.state.clone(), at);
        let key = state.kernel.key();
        let Some(mut pixel) =
            Pixel::new(memory, surfaces, at).filter(|_| key.shadow.is_none() && key.density.is_none())
        else {
            return Vec::new();
        };
        let mut textures = TextureCache::default();
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: None,
            removal: (Removal::Never, &self.kernels),
        };
        let with = |tests: Option<usize>| tests.map_or_else(|| state.clone(), |tests| self.fixed_with(&state, tests));
        judge_each(&self.scene, first, [x, y], &mut pixel, with, |trial| {
            raster::draw(trial, &mut Drawing::default(), &context, &mut textures).blocks
        })
    }

    /// A state with the first so many tests, which stores colours as they are.
    fn fixed_with(&self, state: &DrawState, tests: usize) -> Arc<DrawState> {
        let mut key = state.kernel.key().clone();
        (key.output, key.color_mask, key.depth_write) = (Output::Logic(LogicOp::Copy), 15, false);
        key.alpha_test = if tests > 0 { key.alpha_test } else { Compare::Always };
        key.stencil = key.stencil.filter(|_| tests > 2);
        key.depth_test = if tests > 3 { key.depth_test } else { Compare::Always };
        Arc::new(DrawState { kernel: self.kernels.pixel(&key), simpler: None, ..state.clone() })
    }

    /// The same for draws of programs. Those that reach memory are not drawn again.
    pub(super) fn judge_programs(
        &mut self,
        memory: &Memory,
        surfaces: &[Surface],
        at: [u32; 2],
        first: usize,
    ) -> Vec<Fragment> {
        let is_ordered = raster::is_ordered(&self.programs, memory);
        let usable = |span: &&StateSpan<ProgramState>| !is_ordered && !span.state.reaches_memory();
        let Some(span) = self.programs.states.last().filter(usable) else { return Vec::new() };
        let state = Arc::new(ProgramState { count_samples: false, ..(*span.state).clone() });
        let Some(mut pixel) = Pixel::new(memory, surfaces, at) else { return Vec::new() };
        let mut images = TextureCache::default();
        let samples = self.programs.target.samples;
        let (x, y) = (at[0] / u32::from(samples.across), at[1] / u32::from(samples.down));
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: None,
            removal: (Removal::Never, &self.kernels),
        };
        let with = |tests: Option<usize>| tests.map_or_else(|| state.clone(), |tests| self.program_with(&state, tests));
        judge_each(&self.programs, first, [x, y], &mut pixel, with, |trial| {
            raster::draw_programs(trial, &mut Drawing::default(), &context, &mut images).blocks
        })
    }

    fn program_with(&self, state: &ProgramState, tests: usize) -> Arc<ProgramState> {
        let mut key = state.kernel.key().clone();
        let output = &mut key.output;
        output.alpha_test = if tests > 0 { output.alpha_test } else { Compare::Always };
        (output.logic, output.program) = (None, None);
        for color in output.colors.iter_mut().flatten() {
            (color.mask, color.blend) = (15, None);
        }
        if let Some(depth) = &mut output.depth {
            depth.write = false;
            depth.bounds &= tests > 1;
            depth.stencil = depth.stencil.filter(|_| tests > 2);
            depth.test = depth.test.filter(|_| tests > 3);
        }
        Arc::new(ProgramState { kernel: self.kernels.fragment(&key), ..state.clone() })
    }
}
