//! Drawing a scene: tiles in parallel, primitives of a tile in submission order.
//!
//! ```text
//! scene ─► prepare (kernels, decoded textures) ─► tiles ─► coverage ─► blocks of one state ─► pixel kernel
//! ```
//!
//! **Invariant**: tiles are independent. Where two would share memory they are drawn one after the other instead.

mod coverage;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::pixel::{PixelBlock, PixelJob, Target, Texture};

use crate::cache::PixelChoice;
use crate::cache::texture::{Decoded, TextureCache};
use crate::mem::Memory;
use crate::scene::{DrawState, Rect, Scene, Scissor, TILE};
use crate::sched::Scheduler;

/// What drawing a scene took.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterStats {
    /// 8x8 blocks given to kernels.
    pub blocks: u64,
    /// Time in tiles, all threads added up.
    pub raster: Duration,
    /// Time for decoded textures.
    pub texture: Duration,
}

/// Pixels below which a scene is not worth waking threads for.
const SMALL: u64 = 4096;

/// Draws `scene` into `memory`.
pub fn draw(scene: &Scene, memory: &Memory, scheduler: &Scheduler, textures: &mut TextureCache) -> RasterStats {
    let mut stats = RasterStats::default();
    if scene.is_empty() {
        return stats;
    }
    let start = Instant::now();
    textures.start_scene();
    let prepared: Vec<Prepared> =
        scene.states.iter().map(|span| Prepared::new(&span.state, memory, textures)).collect();
    stats.texture = start.elapsed();

    let tiles = Tiles {
        scene,
        target: target(scene, memory),
        textures: scene.states.iter().zip(&prepared).map(|(span, p)| p.bind(&span.state, memory)).collect(),
        prepared: &prepared,
    };
    let busy: Vec<usize> = (0..scene.bins.len()).filter(|&tile| !scene.bins[tile].is_empty()).collect();
    let blocks = AtomicU64::new(0);
    let nanoseconds = AtomicU64::new(0);
    let work = |i: usize| {
        let start = Instant::now();
        blocks.fetch_add(tiles.draw(busy[i]), Ordering::Relaxed);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    };
    let serial = scene.target.tiles_alias() || scene.states.iter().any(|span| span.state.feedback);
    if serial || pixels(scene) < SMALL {
        (0..busy.len()).for_each(work);
    } else {
        scheduler.for_each(busy.len(), work);
    }
    mark_written(scene, memory);
    stats.blocks = blocks.into_inner();
    stats.raster = Duration::from_nanos(nanoseconds.into_inner());
    stats
}

/// An upper bound of the pixels a scene touches, as far as it matters.
fn pixels(scene: &Scene) -> u64 {
    scene.bounds.iter().map(|b| u64::from(b.x1 - b.x0 + 1) * u64::from(b.y1 - b.y0 + 1)).take(SMALL as usize).sum()
}

fn target<'m>(scene: &Scene, memory: &'m Memory) -> Target<'m> {
    let target = &scene.target;
    let surface = |address: Option<u64>, bytes: u32| {
        address.map_or(Window::default(), |address| {
            memory.writable(target.space, address).first(target.surface_bytes(bytes) as usize)
        })
    };
    Target {
        color: surface(target.color, target.color_bytes),
        depth: surface(target.depth, target.depth_bytes),
        width: target.width,
        rows: target.rows,
    }
}

fn mark_written(scene: &Scene, memory: &Memory) {
    let target = &scene.target;
    let Some((first, last)) = scene.touched_rows() else { return };
    let edge = target.block.edge();
    let (first, end) = (u64::from(first / edge * edge), u64::from((last / edge + 1) * edge));
    for (address, bytes) in [(target.color, target.color_bytes), (target.depth, target.depth_bytes)] {
        let Some(address) = address else { continue };
        let row = u64::from(target.width) * u64::from(bytes);
        let overhang = target.surface_bytes(bytes) - u64::from(target.rows.next_multiple_of(edge)) * row;
        let start = address + first * row;
        let mapped = memory.writable(target.space, start).len() as u64;
        memory.mark_written(target.space, start, ((end - first) * row + overhang).min(mapped));
    }
}

/// A state, ready to be drawn with.
struct Prepared {
    choice: PixelChoice,
    decoded: [Option<Arc<Decoded>>; 3],
}

impl Prepared {
    fn new(state: &DrawState, memory: &Memory, textures: &mut TextureCache) -> Self {
        let choice = if state.feedback { state.kernel.reference() } else { state.kernel.choose() };
        let decoded = match choice.texture_decoder() {
            Some(decoder) => state.textures.map(|source| source.map(|source| textures.get(memory, &source, decoder))),
            None => [None, None, None],
        };
        Prepared { choice, decoded }
    }

    fn bind<'a>(&'a self, state: &DrawState, memory: &'a Memory) -> [Texture<'a>; 3] {
        let mut textures = [Texture::default(); 3];
        for (unit, texture) in textures.iter_mut().enumerate() {
            let Some(source) = &state.textures[unit] else { continue };
            texture.format = source.format;
            for (window, (address, _)) in texture.faces.iter_mut().zip(source.ranges()) {
                *window = memory.readable(0, address);
            }
            if let Some(decoded) = &self.decoded[unit] {
                texture.decoded = &decoded.words;
                texture.face_words = decoded.face_words;
            }
        }
        textures
    }
}

/// A scene in the course of being drawn.
struct Tiles<'a> {
    scene: &'a Scene,
    target: Target<'a>,
    prepared: &'a [Prepared],
    textures: Vec<[Texture<'a>; 3]>,
}

impl Tiles<'_> {
    /// Draws one tile and returns the number of blocks.
    fn draw(&self, tile: usize) -> u64 {
        let area = self.scene.tile(tile);
        let mut bin = &self.scene.bins[tile][..];
        let mut blocks = Vec::with_capacity(256);
        let mut total = 0;
        let mut state = 0;
        while let Some(&first) = bin.first() {
            while self.scene.states.get(state + 1).is_some_and(|next| next.first <= first) {
                state += 1;
            }
            let end = self.scene.states.get(state + 1).map_or(u32::MAX, |next| next.first);
            let (now, rest) = bin.split_at(bin.partition_point(|&primitive| primitive < end));
            bin = rest;
            let scissor = &self.scene.states[state].state.scissor;
            for &primitive in now {
                self.collect(primitive, area, scissor, &mut blocks);
            }
            total += blocks.len() as u64;
            self.shade(state, &blocks);
            blocks.clear();
        }
        total
    }

    /// Adds the blocks of a primitive within `area`.
    fn collect(&self, index: u32, area: Rect, scissor: &Scissor, blocks: &mut Vec<PixelBlock>) {
        let bounds = &self.scene.bounds[index as usize];
        let mut clip = intersect(area, *bounds);
        if let Scissor::Inside(rect) = scissor {
            clip = clip.zip(*rect).and_then(|(a, b)| intersect(a, b));
        }
        let Some(clip) = clip else { return };
        let limits = [clip.x0, clip.y0, clip.x1, clip.y1];
        let primitive = &self.scene.primitives[index as usize];
        for row in (clip.y0 & !7..=clip.y1).step_by(8) {
            for x in (clip.x0 & !7..=clip.x1).step_by(8) {
                let mut covered = coverage::coverage(primitive, x, row);
                if covered == 0 {
                    continue;
                }
                covered &= coverage::inside(x, row, limits);
                if let Scissor::Outside(rect) = scissor {
                    covered &= !coverage::inside(x, row, [rect.x0, rect.y0, rect.x1, rect.y1]);
                }
                if covered != 0 {
                    blocks.push(PixelBlock { primitive: index, x: x as u16, row: row as u16, coverage: covered });
                }
            }
        }
    }

    fn shade(&self, state: usize, blocks: &[PixelBlock]) {
        if blocks.is_empty() {
            return;
        }
        let draw = &*self.scene.states[state].state;
        self.prepared[state].choice.shade(&PixelJob {
            target: self.target,
            textures: &self.textures[state],
            constants: &draw.constants,
            fog: draw.fog.as_deref(),
            lighting: draw.lighting.as_deref().zip(draw.light_tables.as_deref()),
            procedural: draw.procedural.as_deref(),
            primitives: &self.scene.primitives,
            varyings: &self.scene.varyings,
            blocks,
        });
    }
}

fn intersect(a: Rect, b: Rect) -> Option<Rect> {
    let rect = Rect { x0: a.x0.max(b.x0), y0: a.y0.max(b.y0), x1: a.x1.min(b.x1), y1: a.y1.min(b.y1) };
    (rect.x0 <= rect.x1 && rect.y0 <= rect.y1).then_some(rect)
}

const _: () = assert!(TILE.is_multiple_of(8));
