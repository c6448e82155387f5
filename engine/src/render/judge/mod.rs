//! What becomes of fragments, and why: the primitives of a draw are drawn one by one, with some of the tests left out,
//! and what they have written is put back.
//!
//! A fragment passes if it stores anything in the pixel or in its complement: then at least one bit has the same value
//! after both, which it did not have before. Tests are left in one after the other, in the order of the pipeline; the
//! first with which nothing is stored is the one that the fragment fails.

mod area;
mod pixel;
mod pixels;

use std::sync::Arc;

use triglyph_guest::kernel::operations::{Compare, LogicOp};
use triglyph_guest::kernel::pixel::{Output, PixelBlock};
use triglyph_guest::kernel::program::fragment::Samples;

use super::Renderer;
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Kernels, Removal};
use crate::mem::Memory;
use crate::probe::{Counting, Fragment, FragmentCounts, Judged, Role, Surface, Verdict};
use crate::raster::{self, DrawContext, Drawing};
use crate::scene::program::{ProgramState, Programs};
use crate::scene::{DrawState, Fixed, Kind, Rect, Scene, StateSpan};
use pixels::Pixels;

/// How many of the tests are left in: alpha, depth bounds, stencil, depth.
const TESTS: [Verdict; 4] = [Verdict::Alpha, Verdict::Bounds, Verdict::Stencil, Verdict::Depth];

/// Primitives of the largest draw that is judged as a whole.
const MAX_PRIMITIVES: usize = 1 << 16;

/// Draws a scene.
type DrawScene<'r, K> = Box<dyn FnMut(&Scene<K>) + 'r>;

/// Draws the primitives of the last draw of a scene one by one.
struct Judge<'r, K: Kind> {
    memory: &'r Memory,
    scene: &'r Scene<K>,
    /// The first primitive of the draw.
    first: usize,
    /// The scene of one primitive.
    trial: Scene<K>,
    samples: Samples,
    /// As the draw has it.
    own: Arc<K::State>,
    /// With the first so many tests, colours stored as they are.
    tested: [Arc<K::State>; TESTS.len() + 1],
    /// Whether each test can fail.
    can_fail: [bool; TESTS.len()],
    draw: DrawScene<'r, K>,
    /// The blocks of an area that a primitive covers, each for every sample.
    cover: fn(&Scene<K>, u32, Rect) -> Vec<PixelBlock>,
}

/// What became of the fragments of a primitive at some pixels.
struct JudgedPixels {
    verdicts: Vec<Verdict>,
    /// What each stores as its colour without tests, blending and masks, if it is not discarded.
    shaded: Vec<u8>,
}

/// Whether fragments can be seen by the first surface of a draw.
fn shows_fragments(surfaces: &[Surface]) -> bool {
    surfaces.first().is_some_and(|surface| matches!(surface.role, Role::Color(_)) && surface.is_known())
}

impl<K: Kind<Primitive: Copy, Edges: Copy>> Judge<'_, K> {
    /// Draws the pixels of a primitive that lie in `bounds`, with the first so many tests, or with `None` as it is.
    fn draw_alone(&mut self, index: usize, bounds: Rect, tests: Option<usize>) {
        let state = tests.map_or(&self.own, |tests| &self.tested[tests]);
        self.trial.set_only(state.clone(), self.scene.primitives[index], self.scene.edges[index], bounds);
        (self.draw)(&self.trial);
    }

    /// What becomes of the fragments of one primitive at pixels, all that it covers in `bounds`. Then it is drawn.
    fn judge(&mut self, index: usize, bounds: Rect, pixels: &Pixels<'_>) -> JudgedPixels {
        let (color, size, can_fail) = (pixels.color(), pixels.color().size, self.can_fail);
        let before = &color.kept;
        let mut draw = |tests: usize, over: &[u8]| {
            color.write(over);
            self.draw_alone(index, bounds, Some(tests));
            let drawn = color.read();
            pixels.put_back();
            drawn
        };
        let inverse: Vec<u8> = before.iter().map(|byte| !byte).collect();
        let (plain, inverted) = (draw(0, before), draw(0, &inverse));
        // What differs in every bit from what each fragment stores.
        let over: Vec<u8> = plain.iter().map(|byte| !byte).collect();
        let pixel = |at: usize| at * size..(at + 1) * size;
        let is_stored = |at: usize| plain[pixel(at)] != before[pixel(at)] || inverted[pixel(at)] != inverse[pixel(at)];
        let mut verdicts: Vec<Verdict> =
            (0..pixels.len()).map(|at| if is_stored(at) { Verdict::Passed } else { Verdict::Discarded }).collect();
        for (tests, test) in (1..).zip(TESTS) {
            if !can_fail[tests - 1] || !verdicts.contains(&Verdict::Passed) {
                continue;
            }
            let drawn = draw(tests, &over);
            for (at, verdict) in verdicts.iter_mut().enumerate() {
                if *verdict == Verdict::Passed && drawn[pixel(at)] == over[pixel(at)] {
                    *verdict = test;
                }
            }
        }
        self.draw_alone(index, bounds, None);
        JudgedPixels { verdicts, shaded: plain }
    }

    /// The stored pixels of an area that a primitive covers.
    fn covered(&self, index: usize, area: Rect) -> impl Iterator<Item = (u32, u32)> {
        let (across, count) = (u32::from(self.samples.across), self.samples.count());
        let down = u32::from(self.samples.down);
        let blocks = (self.cover)(self.scene, index as u32, area);
        let samples = blocks.into_iter().enumerate().map(move |(at, block)| ((at % count) as u32, block));
        samples.flat_map(move |(sample, PixelBlock { x, row, coverage, .. })| {
            let pixels = crate::probe::covered_pixels(x, row, coverage);
            pixels.map(move |(x, y)| (x * across + sample % across, y * down + sample / across))
        })
    }
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
        self.fixed_judge(memory, first).map_or_else(Vec::new, |judge| judge.at_pixel(surfaces, at))
    }

    /// The same for draws of programs. Those that reach memory are not drawn again.
    pub(super) fn judge_programs(
        &mut self,
        memory: &Memory,
        surfaces: &[Surface],
        at: [u32; 2],
        first: usize,
    ) -> Vec<Fragment> {
        self.program_judge(memory, first).map_or_else(Vec::new, |judge| judge.at_pixel(surfaces, at))
    }

    /// Tells the observer of the fragments of the primitives from `first` on, if it asks for them.
    pub(super) fn count_fixed(&mut self, memory: &Memory, surfaces: &[Surface], first: usize) {
        let count = |renderer: &Self| {
            let mut counts = FragmentCounts::new(surfaces, renderer.scene.bounds_from(first));
            raster::count_fixed(&renderer.scene, first, &mut counts);
            counts
        };
        self.count(count, |renderer| renderer.fixed_judge(memory, first)?.everywhere(surfaces));
    }

    /// The same for a draw of fragment programs.
    pub(super) fn count_programs(&mut self, memory: &Memory, surfaces: &[Surface], first: usize) {
        let count = |renderer: &Self| {
            let mut counts = FragmentCounts::new(surfaces, renderer.programs.bounds_from(first));
            raster::count_programs(&renderer.programs, first, &mut counts);
            counts
        };
        self.count(count, |renderer| renderer.program_judge(memory, first)?.everywhere(surfaces));
    }

    fn count(&mut self, count: impl FnOnce(&Self) -> FragmentCounts, judge: impl FnOnce(&Self) -> Option<Judged>) {
        let counting = self.probe.as_deref().map_or(Counting::Nothing, |probe| probe.counting());
        if counting == Counting::Nothing {
            return;
        }
        let mut counts = count(self);
        if counting == Counting::Verdicts {
            counts.judged = judge(self);
        }
        if let Some(probe) = &mut self.probe {
            probe.counts(&counts);
        }
    }

    /// Of scenes whose tiles share memory, memory does not show what comes before. Shadow maps and densities have tests
    /// of their own.
    fn fixed_judge<'r>(&'r self, memory: &'r Memory, first: usize) -> Option<Judge<'r, Fixed>> {
        let (scene, scheduler, kernels) = (&self.scene, &self.scheduler, &self.kernels);
        let is_ordered = scene.target.tiles_alias(memory);
        let span = scene.states.last().filter(|_| !is_ordered)?;
        let key = span.state.kernel.key();
        if key.shadow.is_some() || key.density.is_some() {
            return None;
        }
        let can_fail =
            [key.alpha_test != Compare::Always, false, key.stencil.is_some(), key.depth_test != Compare::Always];
        let mut textures = TextureCache::default();
        Some(Judge {
            memory,
            scene,
            first,
            trial: trial_of(scene),
            samples: Samples::ONE,
            own: span.state.clone(),
            tested: std::array::from_fn(|tests| fixed_with(kernels, &span.state, tests)),
            can_fail,
            draw: Box::new(move |trial| {
                let removal = (Removal::Never, kernels);
                let context = DrawContext { memory, scheduler, interrupter: None, removal };
                raster::draw(trial, &mut Drawing::default(), &context, &mut textures);
            }),
            cover: raster::cover_fixed,
        })
    }

    fn program_judge<'r>(&'r self, memory: &'r Memory, first: usize) -> Option<Judge<'r, Programs>> {
        let (scene, scheduler, kernels) = (&self.programs, &self.scheduler, &self.kernels);
        let is_ordered = raster::is_ordered(scene, memory);
        let usable = |span: &&StateSpan<ProgramState>| !is_ordered && !span.state.reaches_memory();
        let span = scene.states.last().filter(usable)?;
        let own = Arc::new(ProgramState { count_samples: false, ..(*span.state).clone() });
        let output = &own.kernel.key().output;
        let depth = output.depth.as_ref();
        let can_fail = [
            output.alpha_test != Compare::Always,
            depth.is_some_and(|depth| depth.bounds),
            depth.is_some_and(|depth| depth.stencil.is_some()),
            depth.is_some_and(|depth| depth.test.is_some()),
        ];
        let mut images = TextureCache::default();
        Some(Judge {
            memory,
            scene,
            first,
            trial: trial_of(scene),
            samples: scene.target.samples,
            tested: std::array::from_fn(|tests| program_with(kernels, &own, tests)),
            own,
            can_fail,
            draw: Box::new(move |trial| {
                let removal = (Removal::Never, kernels);
                let context = DrawContext { memory, scheduler, interrupter: None, removal };
                raster::draw_programs(trial, &mut Drawing::default(), &context, &mut images);
            }),
            cover: raster::cover_programs,
        })
    }
}

fn trial_of<K: Kind>(scene: &Scene<K>) -> Scene<K> {
    let mut trial = Scene::new(scene.target);
    trial.varyings.clone_from(&scene.varyings);
    trial
}

/// A state with the first so many tests, which stores colours as they are.
fn fixed_with(kernels: &Kernels, state: &DrawState, tests: usize) -> Arc<DrawState> {
    let mut key = state.kernel.key().clone();
    (key.output, key.color_mask, key.depth_write) = (Output::Logic(LogicOp::Copy), 15, false);
    key.alpha_test = if tests > 0 { key.alpha_test } else { Compare::Always };
    key.stencil = key.stencil.filter(|_| tests > 2);
    key.depth_test = if tests > 3 { key.depth_test } else { Compare::Always };
    Arc::new(DrawState { kernel: kernels.pixel(&key), simpler: None, ..state.clone() })
}

fn program_with(kernels: &Kernels, state: &ProgramState, tests: usize) -> Arc<ProgramState> {
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
    Arc::new(ProgramState { kernel: kernels.fragment(&key), ..state.clone() })
}
