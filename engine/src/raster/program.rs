//! Scenes of fragment programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{FragmentJob, MAX_SAMPLES, UNITS};
use triglyph_guest::kernel::program::output::{Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::Texture;

use super::{Painter, RasterStats, coverage, walk};
use crate::cache::image::{DecodedImage, ImageSource};
use crate::cache::texture_cache::TextureCache;
use crate::cache::{PixelCost, SelectedFragment};
use crate::mem::{GuestRange, Memory, Misses, ProgramMemory};
use crate::scene::Rect;
use crate::scene::program::{
    Edges, ProgramScene, ProgramState, Programs, SamplePosition, Surfaces, TargetSurface, TextureBinding, Windows,
};
use crate::scene::reach::Ready;
use crate::sched::Scheduler;

/// Draws `scene` into `memory`.
pub fn draw_programs(
    scene: &ProgramScene,
    memory: &Memory,
    scheduler: &Scheduler,
    images: &mut TextureCache<Arc<ImageSource>>,
) -> RasterStats {
    if scene.is_empty() {
        return RasterStats::default();
    }
    let start = Instant::now();
    images.start_scene();
    let mut image = |source: &Arc<ImageSource>| images.get(memory, scheduler, source, ());
    let prepared: Vec<Prepared> = scene.states.iter().map(|span| Prepared::new(&span.state, &mut image)).collect();
    let texture = start.elapsed();
    let states = || scene.states.iter().map(|span| &span.state).zip(&prepared);
    // Each space that a program reaches; nearly always there is one.
    let spaces: Vec<(u32, ProgramMemory<'_>)> = states().fold(Vec::new(), |mut spaces, (state, _)| {
        let space = state.reach.as_ref().map(|reach| reach.space);
        if let Some(space) = space.filter(|space| spaces.iter().all(|(known, _)| known != space)) {
            spaces.push((space, ProgramMemory::new(memory, space)));
        }
        spaces
    });
    let exhausted = AtomicU32::new(0);
    let ready: Vec<Option<Ready<'_>>> =
        states().map(|(state, p)| Some(state.reach.as_ref()?.ready(&p.reached, memory))).collect();

    let surface = |surface: &Option<TargetSurface>| surface.map_or(Surface::default(), |s| window(&s, memory));
    let tiles = Tiles {
        scene,
        colors: std::array::from_fn(|i| surface(&scene.target.colors[i])),
        depth: surface(&scene.target.depth),
        textures: states().map(|(state, p)| p.bind(state)).collect(),
        environments: states().zip(&ready).map(|((s, _), r)| environment(s, r.as_ref(), &spaces, &exhausted)).collect(),
        prepared: &prepared,
        samples: AtomicU64::new(0),
        pixels: AtomicU64::new(0),
    };
    let touched = surfaces(scene);
    let ordered = scene.target.tiles_alias(touched, memory)
        || scene.states.iter().any(|span| span.state.tiles_depend(&scene.target, memory));
    let stats = walk(scene, &tiles, scheduler, !ordered);
    let (samples, pixels) = (tiles.samples.load(Ordering::Relaxed), tiles.pixels.load(Ordering::Relaxed));
    drop(tiles);
    mark_written(scene, touched, memory);
    states().filter_map(|(state, _)| state.reach.as_ref()).for_each(|reach| reach.mark_written(memory));
    let misses = spaces.iter().fold(Misses::default(), |all, (_, memory)| all.join(memory.misses()));
    RasterStats { texture, samples, pixels, misses, exhausted: exhausted.load(Ordering::Relaxed), ..stats }
}

/// What a state's program gets.
fn environment<'e>(
    state: &ProgramState,
    ready: Option<&'e Ready<'e>>,
    spaces: &'e [(u32, ProgramMemory<'e>)],
    exhausted: &'e AtomicU32,
) -> Environment<'e> {
    let space = state.reach.as_ref().and_then(|reach| spaces.iter().find(|(space, _)| *space == reach.space));
    match (ready, space) {
        (Some(ready), Some((_, memory))) => ready.environment(memory, exhausted),
        _ => Environment::NONE,
    }
}

/// Surfaces that the draws of a scene touch.
fn surfaces(scene: &ProgramScene) -> Surfaces {
    scene.states.iter().fold(Surfaces::default(), |all, span| all.union(span.state.surfaces))
}

fn window<'m>(surface: &TargetSurface, memory: &'m Memory) -> Surface<'m> {
    let window = memory.writable(surface.place);
    let limit = usize::try_from(surface.limit).unwrap_or(usize::MAX);
    Surface { window: window.first(limit), pitch: surface.pitch }
}

fn mark_written(scene: &ProgramScene, which: Surfaces, memory: &Memory) {
    let Some((first, last)) = scene.touched_rows() else { return };
    for GuestRange { start, size } in scene.target.ranges(which, first, last) {
        let mapped = memory.writable(start).len() as u64;
        memory.mark_written(start.range(size.min(mapped)));
    }
}

/// A state, ready to be drawn with.
struct Prepared {
    kernel: SelectedFragment,
    images: [Option<Arc<DecodedImage>>; UNITS],
    reached: Vec<Option<Arc<DecodedImage>>>,
}

impl Prepared {
    fn new(state: &ProgramState, decoded: &mut impl FnMut(&Arc<ImageSource>) -> Option<Arc<DecodedImage>>) -> Self {
        let mut image = |binding: &Option<TextureBinding>| decoded(&binding.as_ref()?.image);
        let reached = state.reach.iter().flat_map(|reach| &*reach.textures);
        Prepared {
            kernel: state.kernel.select(),
            reached: reached.map(&mut image).collect(),
            images: std::array::from_fn(|unit| image(&state.textures[unit])),
        }
    }

    fn bind(&self, state: &ProgramState) -> [Texture<'_>; UNITS] {
        std::array::from_fn(|unit| match (&state.textures[unit], &self.images[unit]) {
            (Some(binding), Some(image)) => binding.texture(image),
            _ => Texture::default(),
        })
    }
}

/// A scene in the course of being drawn.
struct Tiles<'a> {
    scene: &'a ProgramScene,
    colors: [Surface<'a>; TARGETS],
    depth: Surface<'a>,
    prepared: &'a [Prepared],
    textures: Vec<[Texture<'a>; UNITS]>,
    environments: Vec<Environment<'a>>,
    samples: AtomicU64,
    /// Pixels of draws whose programs reach anything.
    pixels: AtomicU64,
}

impl Painter for Tiles<'_> {
    type Kind = Programs;

    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>) {
        let Some(clip) = area.intersect(self.scene.bounds[index as usize]) else { return };
        let state = &*self.scene.states[state].state;
        let samples = self.scene.target.samples.count();
        let (left, top) = (clip.x0 & !7, clip.y0 & !7);
        let near = NearEdges::new(&self.scene.edges[index as usize]);
        let (mut line, mut masks) = ([[0; 3]; MAX_SAMPLES], [0; MAX_SAMPLES]);
        for sample in 0..samples {
            line[sample] = near.at(left, top, state.sample_positions[sample]);
            masks[sample] = masked(&state.sample_masks, sample);
        }
        for row in (top..clip.y1 + 1).step_by(8) {
            let mut at = line;
            for x in (left..clip.x1 + 1).step_by(8) {
                let mut covered = [0; MAX_SAMPLES];
                let mut any = 0;
                for ((covered, at), mask) in covered.iter_mut().zip(&mut at[..samples]).zip(masks) {
                    *covered = near.coverage(*at) & mask;
                    any |= *covered;
                    add(at, near.right);
                }
                // Most blocks of a long thin triangle's box are empty: what else decides comes after.
                let allowed = if any == 0 { 0 } else { allowed(state, x, row, clip) };
                if any & allowed != 0 {
                    let block = PixelBlock { primitive: index, x: x as u16, row: row as u16, coverage: 0 };
                    blocks.extend(covered[..samples].iter().map(|c| PixelBlock { coverage: c & allowed, ..block }));
                }
            }
            line[..samples].iter_mut().for_each(|line| add(line, near.down));
        }
    }

    fn pixel_cost(&self, state: usize) -> (&PixelCost, bool) {
        let kernel = &self.prepared[state].kernel;
        (kernel.pixel_cost(), kernel.is_compiled())
    }

    fn note_time(&self, state: usize, nanoseconds: u64) {
        self.prepared[state].kernel.note_time(nanoseconds);
    }

    fn shade(&self, state: usize, blocks: &[PixelBlock]) {
        let draw = &*self.scene.states[state].state;
        let passed = self.prepared[state].kernel.shade(&FragmentJob {
            colors: &self.colors,
            depth: self.depth,
            constants: &draw.constants,
            program_constants: &draw.program_constants,
            textures: &self.textures[state],
            environment: self.environments[state],
            primitives: &self.scene.primitives,
            planes: &self.scene.varyings,
            blocks,
        });
        if draw.reach.is_some() {
            let samples = self.scene.target.samples.count();
            let pixels = |block: &[PixelBlock]| block.iter().fold(0, |any, sample| any | sample.coverage).count_ones();
            let pixels: u64 = blocks.chunks(samples).map(|block| u64::from(pixels(block))).sum();
            self.pixels.fetch_add(pixels, Ordering::Relaxed);
        }
        if draw.count_samples {
            self.samples.fetch_add(passed, Ordering::Relaxed);
        }
    }
}

/// Pixels of a block whose sample may be covered.
fn masked(masks: &[u16; 4], sample: usize) -> u64 {
    const FIRST: u64 = 0x1111_1111_1111_1111;
    (0..4).fold(0, |set, i| set | (u64::from(masks[i] >> sample & 1) * FIRST) << i)
}

/// Pixels of a block that clip, windows and stipple let pass.
fn allowed(state: &ProgramState, x: u32, row: u32, clip: Rect) -> u64 {
    let mut allowed = coverage::inside(x, row, clip);
    if let Some(Windows { rects, outside }) = &state.windows {
        let any = rects.iter().fold(0, |any, rect| any | coverage::inside(x, row, *rect));
        allowed &= if *outside { !any } else { any };
    }
    if let Some(stipple) = &state.stipple {
        allowed &= coverage::stipple(x, row, stipple);
    }
    allowed
}

/// Edge functions of a primitive in whole pixels.
///
/// Steps from pixel to pixel are multiples of 256, so values may be divided by 256, rounding down, without any sign
/// changing.
struct NearEdges<'e> {
    edges: &'e Edges,
    /// Steps to the block to the right, and to the one below.
    right: [i64; 3],
    down: [i64; 3],
    /// The most and the least that is added anywhere in a block.
    most: [i64; 3],
    least: [i64; 3],
}

impl<'e> NearEdges<'e> {
    fn new(edges: &'e Edges) -> Self {
        let (dx, dy) = (edges.dx.map(i64::from), edges.dy.map(i64::from));
        NearEdges {
            edges,
            right: dx.map(|dx| 8 * dx),
            down: dy.map(|dy| 8 * dy),
            most: std::array::from_fn(|k| 7 * (dx[k].max(0) + dy[k].max(0))),
            least: std::array::from_fn(|k| 7 * (dx[k].min(0) + dy[k].min(0))),
        }
    }

    /// Values of one sample at the pixel (`x`, `row`).
    fn at(&self, x: u32, row: u32, sample: SamplePosition) -> [i64; 3] {
        let [right, down] = sample.map(i64::from);
        std::array::from_fn(|k| {
            let (dx, dy) = (i64::from(self.edges.dx[k]), i64::from(self.edges.dy[k]));
            let inside = (self.edges.corner[k] + dx * right + dy * down) >> 8;
            inside + dx * i64::from(x) + dy * i64::from(row)
        })
    }

    /// The pixels of a block that are covered where the values at its first pixel are these.
    #[inline]
    fn coverage(&self, at: [i64; 3]) -> u64 {
        // Below 0 where one of them is.
        let lowest = |plus: &[i64; 3]| (at[0] + plus[0]) | (at[1] + plus[1]) | (at[2] + plus[2]);
        if lowest(&self.most) < 0 {
            return 0;
        }
        if lowest(&self.least) >= 0 {
            return !0;
        }
        // What does not fit 32 bits is so far away from 0 that clamping it changes no sign in the block.
        let at = at.map(|at| at.clamp(-FAR, FAR) as i32);
        coverage::Edges { at, dx: self.edges.dx, dy: self.edges.dy }.coverage()
    }
}

#[inline]
fn add(values: &mut [i64; 3], steps: [i64; 3]) {
    values.iter_mut().zip(steps).for_each(|(value, step)| *value += step);
}

/// More than the steps across a block can make up for: those are at most 2^25 each.
const FAR: i64 = 1 << 29;
