//! Fragment history: which test each fragment of a draw fails. The primitives are drawn one by one, with some of the
//! tests disabled, and their writes are undone.
//!
//! Trials draw to the observed surface, a colour surface outside of guest memory. It has the format and layout of the
//! draw's first colour surface, or RGBA8 if the draw has none. Each trial is drawn twice, over some bytes and over
//! their complement: where a fragment has stored anything, at least one bit is the same after both. Tests are enabled
//! one after the other, in the order of the pipeline; the first with which nothing is stored is the one that fails.

mod area;
mod fixed;
mod observed_surface;
mod pixel;
mod pixels;
mod programs;

use std::sync::Arc;

use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::fragment::Samples;

use super::Renderer;
use super::pipeline::Pipeline;
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Kernels, Removal};
use crate::mem::{Memory, ShadowMemory};
use crate::probe::{AskedPixel, Counting, Fragment, FragmentCounts, Surface, Verdict};
use crate::raster::{self, DrawContext, Drawing, RasterKind};
use crate::scene::{Rect, Scene, SceneKind};
use crate::sched::Scheduler;
use observed_surface::ObservedSurface;
use pixels::Pixels;

/// How many of the tests are left in: alpha, depth bounds, stencil, depth.
const TESTS: [Verdict; 4] = [Verdict::Alpha, Verdict::Bounds, Verdict::Stencil, Verdict::Depth];

/// Primitives of the largest draw that is replayed as a whole.
const MAX_PRIMITIVES: usize = 1 << 16;

/// The last draw of a scene.
pub struct LastDraw<'r, K: RasterKind> {
    memory: &'r ShadowMemory<'r>,
    kernels: &'r Kernels,
    scene: &'r Scene<K>,
    observed: &'r ObservedSurface,
}

/// Draws the primitives of the last draw of a scene one by one.
pub struct FragmentReplay<'r, K: RasterKind> {
    draw: LastDraw<'r, K>,
    scheduler: &'r Scheduler,
    textures: TextureCache<K::Texture>,
    /// The first primitive of the draw.
    first: usize,
    /// The scene of one primitive.
    scratch: Scene<K>,
    trials: Trials<K>,
}

/// The states with which the primitives of a draw are drawn.
pub struct Trials<K: SceneKind> {
    samples: Samples,
    /// The target with the observed surface.
    target: K::Target,
    /// The state of the draw.
    own: Arc<K::State>,
    /// With the first so many tests, colours stored as they are, and without tests depth as well.
    tested: [Arc<K::State>; TESTS.len() + 1],
    /// Whether each test can fail.
    can_fail: [bool; TESTS.len()],
    /// Values of surfaces that are not colours.
    special: Option<Special<K>>,
}

/// Makes pixels of others.
type MakeOver = fn(&[u8]) -> Vec<u8>;

/// A surface whose pixels are no colours (3DS).
pub struct Special<K: SceneKind> {
    /// Stores what a fragment has without tests ...
    shade: Arc<K::State>,
    /// ... in pixels of these bytes.
    shade_over: u8,
    /// Converts pixels so that each fragment which passes the depth test changes them; `None`: as for colours.
    over: Option<MakeOver>,
}

/// Results of the fragments of a primitive at some pixels.
struct ReplayedPixels {
    verdicts: Vec<Verdict>,
    /// What each stores in the surface that is asked about without tests, blending and masks, if it is not discarded.
    shaded: Option<Vec<u8>>,
}

impl<K: RasterKind> FragmentReplay<'_, K> {
    /// Draws the pixels of a primitive that lie in `bounds`.
    fn draw_alone(&mut self, (index, bounds): (usize, Rect), target: K::Target, state: Arc<K::State>) {
        (self.scratch.target, self.scratch.reserve) = (target, self.draw.scene.reserve);
        self.scratch.set_only(state, self.draw.scene.primitives[index], self.draw.scene.edges[index], bounds);
        let (memory, scheduler, removal) = (self.draw.memory, self.scheduler, (Removal::Never, self.draw.kernels));
        let context = DrawContext { memory, scheduler, interrupter: None, removal, undo: None };
        K::draw(&self.scratch, &mut Drawing::default(), &context, &mut self.textures);
    }

    /// Draws to the observed surface, which holds `over` before. Returns what it holds then, and what the other surface
    /// that is asked about holds. Everything else is restored.
    fn attempt(
        &mut self,
        what: (usize, Rect),
        state: &Arc<K::State>,
        pixels: &Pixels<'_>,
        over: &[u8],
    ) -> (Vec<u8>, Vec<u8>) {
        pixels.observed.write(over);
        self.draw_alone(what, self.trials.target, state.clone());
        let drawn = (pixels.observed.read(), pixels.read_other());
        pixels.put_back();
        self.draw.memory.undo();
        drawn
    }

    /// Finds the results of the fragments of one primitive at pixels, all that it covers in `bounds`. Then draws it.
    fn replay(&mut self, index: usize, bounds: Rect, asked: Option<&Surface>, pixels: &Pixels<'_>) -> ReplayedPixels {
        let (what, size, before) = ((index, bounds), pixels.observed.size, &pixels.observed.kept);
        let tested = self.trials.tested.clone();
        let inverse: Vec<u8> = before.iter().map(|byte| !byte).collect();
        let (plain, other) = self.attempt(what, &tested[0], pixels, before);
        let (inverted, _) = self.attempt(what, &tested[0], pixels, &inverse);
        let pixel = |at: usize| at * size..(at + 1) * size;
        let is_stored = |at: usize| plain[pixel(at)] != before[pixel(at)] || inverted[pixel(at)] != inverse[pixel(at)];
        let mut verdicts: Vec<Verdict> =
            (0..pixels.len()).map(|at| if is_stored(at) { Verdict::Passed } else { Verdict::Discarded }).collect();
        // Bytes that differ in every bit from what each fragment stores.
        let over = match &self.trials.special {
            Some(Special { over: Some(over), .. }) => over(before),
            _ => plain.iter().map(|byte| !byte).collect(),
        };
        for (tests, test) in (1..).zip(TESTS) {
            if !self.trials.can_fail[tests - 1] || !verdicts.contains(&Verdict::Passed) {
                continue;
            }
            let (drawn, _) = self.attempt(what, &tested[tests], pixels, &over);
            for (at, verdict) in verdicts.iter_mut().enumerate() {
                if *verdict == Verdict::Passed && drawn[pixel(at)] == over[pixel(at)] {
                    *verdict = test;
                }
            }
        }
        let shaded = asked.filter(|surface| surface.is_known()).map(|_| match &self.trials.special {
            _ if pixels.other.is_some() => other,
            None => plain,
            Some(Special { shade, shade_over, .. }) => {
                let (shade, over) = (shade.clone(), vec![*shade_over; before.len()]);
                self.attempt(what, &shade, pixels, &over).0
            }
        });
        self.draw_alone(what, self.draw.scene.target, self.trials.own.clone());
        self.draw.memory.accept();
        ReplayedPixels { verdicts, shaded }
    }

    /// The stored pixels of an area that a primitive covers.
    fn covered(&self, index: usize, area: Rect) -> impl Iterator<Item = (u32, u32)> {
        let (across, count) = (u32::from(self.trials.samples.across), self.trials.samples.count());
        let down = u32::from(self.trials.samples.down);
        let blocks = K::cover(self.draw.scene, index as u32, area);
        let samples = blocks.into_iter().enumerate().map(move |(at, block)| ((at % count) as u32, block));
        samples.flat_map(move |(sample, PixelBlock { x, row, coverage, .. })| {
            let pixels = crate::probe::covered_pixels(x, row, coverage);
            pixels.map(move |(x, y)| (x * across + sample % across, y * down + sample / across))
        })
    }
}

/// A pipeline whose draws can be replayed.
pub trait ReplaysFragments: Pipeline {
    /// An observed surface in a form of its own.
    fn plain_surface(target: &Self::Target) -> Surface;

    /// Those of a draw. `None` where memory does not have the results of earlier draws: tiles share memory.
    fn trials(draw: &LastDraw<'_, Self>) -> Option<Trials<Self>>;
}

impl<P: ReplaysFragments> Renderer<P> {
    /// The last draw of the open scene, whose first primitive is `first`.
    fn replay<'r>(
        &'r self,
        memory: &'r ShadowMemory<'r>,
        observed: &'r ObservedSurface,
        first: usize,
    ) -> Option<FragmentReplay<'r, P>> {
        let draw = LastDraw { memory, kernels: &self.kernels, scene: &self.scene, observed };
        let trials = P::trials(&draw)?;
        let mut scratch = Scene::new(self.scene.target);
        scratch.varyings.clone_from(&self.scene.varyings);
        let textures = TextureCache::default();
        Some(FragmentReplay { draw, scheduler: &self.scheduler, textures, first, scratch, trials })
    }

    /// The results of the fragments that the primitives from `first` on have at a stored pixel.
    pub(super) fn fragment_history(
        &self,
        memory: &Memory,
        surfaces: &[Surface],
        at: AskedPixel,
        first: usize,
    ) -> Vec<Fragment> {
        let observed = ObservedSurface::new(surfaces, Some(at.surface), P::plain_surface(&self.scene.target));
        observed
            .with(memory, |memory| {
                Some(self.replay(memory, &observed, first)?.at_pixel(surfaces, at, || self.is_late()))
            })
            .unwrap_or_default()
    }

    /// Tells the observer of the fragments of the primitives from `first` on, if it asks for them.
    pub(super) fn count_fragments(&mut self, memory: &Memory, surfaces: &[Surface], first: usize) {
        let counting = self.probe.as_deref().map_or(Counting::Nothing, |probe| probe.counting());
        if counting == Counting::Nothing {
            return;
        }
        let mut counts = FragmentCounts::new(surfaces, self.scene.bounds_from(first));
        if counts.has_pixels() {
            raster::count_fragments(&self.scene, first, &mut counts);
        }
        if counting == Counting::Shapes && counts.has_pixels() {
            self.note_shapes(first, &mut counts);
        }
        let max_judged = self.probe.as_deref().map_or(0, |probe| probe.max_judged());
        let is_small = self.scene.primitives.len().saturating_sub(first) <= max_judged;
        if counting >= Counting::Verdicts && is_small && !self.is_late() {
            let observed = ObservedSurface::new(surfaces, None, P::plain_surface(&self.scene.target));
            counts.judged = observed
                .with(memory, |memory| self.replay(memory, &observed, first)?.everywhere(surfaces, || self.is_late()));
        }
        if let Some(probe) = &mut self.probe {
            probe.counts(memory, &counts);
        }
    }
}

impl<P: ReplaysFragments> Renderer<P> {
    /// Notes the shapes of the primitives from `first` on, if there is time for all.
    fn note_shapes(&self, first: usize, counts: &mut FragmentCounts) {
        counts.shapes = vec![0; counts.counts.len()];
        for index in first..self.scene.primitives.len() {
            if self.is_late() {
                counts.shapes.clear();
                return;
            }
            raster::add_shape(&self.scene, index, counts);
        }
    }
}
