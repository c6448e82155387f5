//! Scenes of fragment programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use triglyph_guest::kernel::maxwell::Environment;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::fragment::{FragmentJob, UNITS};
use triglyph_guest::kernel::program::output::{Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::Texture;

use super::{Painter, RasterStats, coverage, walk};
use crate::cache::FragmentChoice;
use crate::cache::image::{DecodedImage, ImageCache};
use crate::mem::Memory;
use crate::scene::Rect;
use crate::scene::program::{Edges, ProgramScene, ProgramState, Programs, Surfaces, TargetSurface, Windows};
use crate::sched::Scheduler;

/// Draws `scene` into `memory`.
pub fn draw_programs(
    scene: &ProgramScene,
    memory: &Memory,
    scheduler: &Scheduler,
    images: &mut ImageCache,
) -> RasterStats {
    if scene.is_empty() {
        return RasterStats::default();
    }
    let start = Instant::now();
    images.start_scene();
    let prepared: Vec<Prepared> = scene.states.iter().map(|span| Prepared::new(&span.state, memory, images)).collect();
    let texture = start.elapsed();

    let surface = |surface: &Option<TargetSurface>| surface.map_or(Surface::default(), |s| window(&s, memory));
    let tiles = Tiles {
        scene,
        colors: std::array::from_fn(|i| surface(&scene.target.colors[i])),
        depth: surface(&scene.target.depth),
        textures: scene.states.iter().zip(&prepared).map(|(span, p)| p.bind(&span.state)).collect(),
        prepared: &prepared,
        samples: AtomicU64::new(0),
    };
    let touched = surfaces(scene);
    let stats = walk(scene, &tiles, scheduler, !scene.target.tiles_alias(touched));
    let samples = tiles.samples.into_inner();
    mark_written(scene, touched, memory);
    RasterStats { texture, samples, ..stats }
}

/// Surfaces that the draws of a scene touch.
fn surfaces(scene: &ProgramScene) -> Surfaces {
    scene.states.iter().fold(Surfaces::default(), |all, span| all.union(span.state.surfaces))
}

fn window<'m>(surface: &TargetSurface, memory: &'m Memory) -> Surface<'m> {
    let window = memory.writable(surface.place.space, surface.place.address);
    let limit = usize::try_from(surface.limit).unwrap_or(usize::MAX);
    Surface { window: window.first(limit), pitch: surface.pitch }
}

fn mark_written(scene: &ProgramScene, which: Surfaces, memory: &Memory) {
    let Some((first, last)) = scene.touched_rows() else { return };
    for (place, bytes) in scene.target.ranges(which, first, last) {
        let mapped = memory.writable(place.space, place.address).len() as u64;
        memory.mark_written(place.space, place.address, bytes.min(mapped));
    }
}

/// A state, ready to be drawn with.
struct Prepared {
    choice: FragmentChoice,
    images: [Option<Arc<DecodedImage>>; UNITS],
}

impl Prepared {
    fn new(state: &ProgramState, memory: &Memory, images: &mut ImageCache) -> Self {
        let image = |unit: usize| {
            let binding = state.textures[unit].as_ref()?;
            images.get(memory, &binding.image)
        };
        let mut image = image;
        Prepared { choice: state.kernel.choose(), images: std::array::from_fn(&mut image) }
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
    samples: AtomicU64,
}

impl Painter for Tiles<'_> {
    type Kind = Programs;

    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>) {
        let Some(clip) = area.intersect(self.scene.bounds[index as usize]) else { return };
        let edges = &self.scene.edges[index as usize];
        let state = &*self.scene.states[state].state;
        let samples = self.scene.target.samples.count();
        for row in (clip.y0 & !7..=clip.y1).step_by(8) {
            for x in (clip.x0 & !7..=clip.x1).step_by(8) {
                let block = PixelBlock { primitive: index, x: x as u16, row: row as u16, coverage: 0 };
                let before = blocks.len();
                let mut any = 0;
                for sample in 0..samples {
                    let coverage = match state.sample_mask >> sample & 1 {
                        0 => 0,
                        _ => near(edges, x, row, state.sample_positions[sample]).coverage(),
                    };
                    any |= coverage;
                    blocks.push(PixelBlock { coverage, ..block });
                }
                // Most blocks of a long thin triangle's box are empty: what else decides comes after.
                let allowed = if any == 0 { 0 } else { allowed(state, x, row, clip) };
                if any & allowed == 0 {
                    blocks.truncate(before);
                } else if allowed != !0 {
                    blocks[before..].iter_mut().for_each(|block| block.coverage &= allowed);
                }
            }
        }
    }

    fn is_compiled(&self) -> bool {
        self.prepared.iter().all(|state| state.choice.is_compiled())
    }

    fn shade(&self, state: usize, blocks: &[PixelBlock]) {
        let draw = &*self.scene.states[state].state;
        let passed = self.prepared[state].choice.shade(&FragmentJob {
            colors: &self.colors,
            depth: self.depth,
            constants: &draw.constants,
            program_constants: &draw.program_constants,
            textures: &self.textures[state],
            environment: Environment::NONE,
            primitives: &self.scene.primitives,
            planes: &self.scene.varyings,
            blocks,
        });
        if draw.count_samples {
            self.samples.fetch_add(passed, Ordering::Relaxed);
        }
    }
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

/// The edge functions of one sample in the block at (`x`, `row`).
///
/// Steps from pixel to pixel are multiples of 256, so values may be divided by 256, rounding down, without any sign
/// changing. What still does not fit 32 bits is so far away from 0 that clamping it changes no sign in the block either.
fn near(edges: &Edges, x: u32, row: u32, sample: [u8; 2]) -> coverage::Edges {
    let [right, down] = sample.map(i64::from);
    let at = [0, 1, 2].map(|k| {
        let (dx, dy) = (i64::from(edges.dx[k]), i64::from(edges.dy[k]));
        let inside = (edges.corner[k] + dx * right + dy * down) >> 8;
        (inside + dx * i64::from(x) + dy * i64::from(row)).clamp(-FAR, FAR) as i32
    });
    coverage::Edges { at, dx: edges.dx, dy: edges.dy }
}

/// More than the steps across a block can make up for: those are at most 2^25 each.
const FAR: i64 = 1 << 29;
