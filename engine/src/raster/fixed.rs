//! Scenes of fixed-function fragments.

use std::sync::Arc;
use std::time::Instant;

use bumpalo::Bump;
use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::{CLOCKWISE, PixelBlock, PixelJob, Primitive, Target, Texture};
use triglyph_guest::kernel::tier::TextureDecoder;

use super::context::DrawContext;
use super::divided::Divided;
use super::drawing::Drawing;
use super::runaway::Runaways;
use super::stats::RasterStats;
use super::tile_renderer::{TileRenderer, TileRendererUser};
use super::walk::{self, Order, Progress};
use super::{RasterKind, arena, coverage};
use crate::cache::texture::{Decoded, TextureSource};
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Division, Kernels, Removal, SceneKernel, SelectedPixel};
use crate::mem::{GuestAddr, Memory};
use crate::scene::{DrawState, Fixed, Rect, Scene, SceneTarget, Scissor};

impl RasterKind for Fixed {
    type Texture = TextureSource;
    type Prepared = PreparedState;

    fn draw(
        scene: &Scene,
        drawing: &mut Drawing<PreparedState>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<TextureSource>,
    ) -> RasterStats {
        let start = Instant::now();
        let memory = context.memory;
        let is_ready = Self::prepare(scene, drawing, context, textures);
        let texture = start.elapsed();
        if !is_ready {
            return RasterStats { texture, ..RasterStats::default() };
        }

        let Drawing { prepared, walk, before, tiles } = drawing;
        let mut progress = Progress { walk, before, tiles };
        let order = if Self::is_ordered(scene, memory) { Order::Numbers } else { Order::Any(None) };
        let stats = arena::with(|arena| {
            let renderer = Tiles::new(scene, prepared, memory, arena);
            walk::walk(scene, &renderer, &mut progress, context, order)
        });
        Self::mark_written(scene, memory);
        RasterStats { texture, ..stats }
    }

    fn prepare(
        scene: &Scene,
        drawing: &mut Drawing<PreparedState>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<TextureSource>,
    ) -> bool {
        let DrawContext { memory, scheduler, removal: (_, kernels), .. } = *context;
        let removal = context.removal_of(scene, !Self::is_ordered(scene, memory));
        if drawing.prepared.is_empty() {
            textures.start_scene(memory, scene.is_continued());
        }
        let mut texture =
            |source: &TextureSource, decoder: &dyn TextureDecoder| textures.get(memory, scheduler, source, decoder);
        drawing
            .prepare(&scene.states, context, |span| PreparedState::new(&span.state, (removal, kernels), &mut texture))
    }

    /// A draw that reads its own target has a scene of its own.
    fn is_ordered(scene: &Scene, memory: &Memory) -> bool {
        scene.target.tiles_alias(memory) || scene.states.iter().any(|span| span.state.feedback)
    }

    fn with_tile_renderer<U: TileRendererUser<Self>>(
        scene: &Scene,
        prepared: &[PreparedState],
        memory: &Memory,
        user: U,
    ) -> (U::Output, RasterStats) {
        let output = arena::with(|arena| user.call(&Tiles::new(scene, prepared, memory, arena)));
        (output, RasterStats::default())
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
            let start = GuestAddr::new(target.space, address + first * row);
            let mapped = memory.writable(start).len() as u64;
            memory.mark_written(start.range(((end - first) * row + overhang).min(mapped)));
        }
    }

    fn expected_pixel_cost(state: &DrawState) -> u64 {
        state.drawn_with().expected_pixel_cost()
    }

    fn cover(scene: &Scene, index: u32, area: Rect) -> Vec<PixelBlock> {
        let mut blocks = Vec::new();
        if let Some(span) = scene.states.last() {
            cover(scene, &span.state.scissor, (index, area), &mut blocks);
        }
        blocks
    }

    fn is_back(primitive: &Primitive) -> bool {
        primitive.flags & CLOCKWISE != 0
    }

    fn samples(_target: &SceneTarget) -> usize {
        1
    }
}

fn target<'m>(scene: &Scene, memory: &'m Memory) -> Target<'m> {
    let target = &scene.target;
    Target {
        color: target.window(memory, target.color, target.color_bytes),
        depth: target.window(memory, target.depth, target.depth_bytes),
        width: target.width,
        rows: target.rows,
    }
}

/// A state, ready to be drawn with.
#[derive(Debug)]
pub struct PreparedState {
    kernel: SelectedPixel,
    divided: Option<Divided<SelectedPixel>>,
    decoded: [Option<Arc<Decoded>>; 3],
}

impl PreparedState {
    fn new(
        state: &DrawState,
        removal: (Removal, &Kernels),
        texture: &mut impl FnMut(&TextureSource, &dyn TextureDecoder) -> Option<Arc<Decoded>>,
    ) -> Self {
        let kernel = if state.feedback { state.kernel.select_interpreter() } else { state.drawn_with().select() };
        let Some(decoder) = kernel.texture_decoder() else {
            let divided = if kernel.is_compiled() { divide(removal, state) } else { None };
            return PreparedState { kernel, divided, decoded: [None, None, None] };
        };
        let decoded = state.textures.map(|source| source.and_then(|source| texture(&source, decoder)));
        if decoded.iter().zip(&state.textures).any(|(decoded, source)| decoded.is_none() && source.is_some()) {
            // No room for all textures of this scene: the interpreter samples guest memory in place.
            let kernel = state.kernel.select_interpreter();
            return PreparedState { kernel, divided: None, decoded: [None, None, None] };
        }
        PreparedState { kernel, divided: divide(removal, state), decoded }
    }

    fn bind<'a>(&'a self, state: &DrawState, memory: &'a Memory) -> [Texture<'a>; 3] {
        let mut textures = [Texture::default(); 3];
        for (unit, texture) in textures.iter_mut().enumerate() {
            let Some(source) = &state.textures[unit] else { continue };
            texture.format = source.format;
            for (window, range) in texture.faces.iter_mut().zip(source.ranges()) {
                *window = memory.readable(range.start);
            }
            if let Some(decoded) = &self.decoded[unit] {
                texture.decoded = &decoded.words;
                texture.face_words = decoded.face_words;
            }
        }
        textures
    }
}

/// The compiled kernels of a state's tests and shading, if there are any.
fn divide((removal, kernels): (Removal, &Kernels), state: &DrawState) -> Option<Divided<SelectedPixel>> {
    let divided = kernels.divide_pixel(state.drawn_with(), removal)?;
    Divided::new(&divided, |kernel| kernel.select())
}

/// Adds the blocks of an area that a primitive covers.
#[inline]
fn cover(scene: &Scene, scissor: &Scissor, (index, area): (u32, Rect), blocks: &mut Vec<PixelBlock>) {
    let mut clip = area.intersect(scene.bounds[index as usize]);
    if let Scissor::Inside(rect) = scissor {
        clip = clip.zip(*rect).and_then(|(a, b)| a.intersect(b));
    }
    let Some(clip) = clip else { return };
    let primitive = &scene.primitives[index as usize];
    let (left, top) = (clip.x0 & !7, clip.y0 & !7);
    let mut line = coverage::near(primitive, left, top);
    for row in (top..clip.y1 + 1).step_by(8) {
        let mut edges = line;
        if let Some(line) = &mut line {
            line.step_down();
        }
        for x in (left..clip.x1 + 1).step_by(8) {
            let mut covered = match &mut edges {
                Some(edges) => {
                    let covered = edges.coverage();
                    edges.step_right();
                    covered
                }
                None => coverage::wide(primitive, x, row),
            };
            if covered == 0 {
                continue;
            }
            covered &= coverage::inside(x, row, clip);
            if let Scissor::Outside(rect) = scissor {
                covered &= !coverage::inside(x, row, *rect);
            }
            if covered != 0 {
                blocks.push(PixelBlock { primitive: index, x: x as u16, row: row as u16, coverage: covered });
            }
        }
    }
}

/// A scene in the course of being drawn.
struct Tiles<'a> {
    scene: &'a Scene,
    target: Target<'a>,
    prepared: &'a [PreparedState],
    textures: &'a [[Texture<'a>; 3]],
}

impl TileRenderer for Tiles<'_> {
    type Kind = Fixed;

    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>) {
        cover(self.scene, &self.scene.states[state].state.scissor, (index, area), blocks);
    }

    fn kernel(&self, state: usize) -> &dyn SceneKernel {
        &self.prepared[state].kernel
    }

    /// Combiners have no loops.
    fn shade(&self, state: usize, blocks: &[PixelBlock], _runaways: &Runaways) {
        self.call(&self.prepared[state].kernel, state, blocks, &[]);
    }

    fn division(&self, state: usize) -> Option<Division> {
        self.prepared[state].divided.as_ref().map(|divided| divided.division)
    }

    fn test(&self, state: usize, blocks: &[PixelBlock], survivors: &[Survivors]) {
        if let Some(tests) = self.prepared[state].divided.as_ref().and_then(|divided| divided.tests.as_ref()) {
            self.call(tests, state, blocks, survivors);
        }
    }

    /// The 3DS counts no fragments.
    fn count(&self, _state: usize, _blocks: &[PixelBlock]) {}

    fn shade_survivors(&self, state: usize, blocks: &[PixelBlock]) {
        if let Some(shading) = self.prepared[state].divided.as_ref().and_then(|divided| divided.shading.as_ref()) {
            self.call(shading, state, blocks, &[]);
        }
    }

    fn note_times_of_parts(&self, state: usize, tests: u64, shading: u64) {
        if let Some(divided) = &self.prepared[state].divided {
            divided.note_times(tests, shading);
        }
    }
}

impl<'a> Tiles<'a> {
    fn new(scene: &'a Scene, prepared: &'a [PreparedState], memory: &'a Memory, arena: &'a Bump) -> Self {
        let textures = scene.states.iter().zip(prepared).map(|(span, state)| state.bind(&span.state, memory));
        Tiles { scene, target: target(scene, memory), textures: arena.alloc_slice_fill_iter(textures), prepared }
    }

    fn call(&self, kernel: &SelectedPixel, state: usize, blocks: &[PixelBlock], survivors: &[Survivors]) {
        let draw = &*self.scene.states[state].state;
        kernel.shade(&PixelJob {
            survivors,
            densest: draw.densest.as_deref(),
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
