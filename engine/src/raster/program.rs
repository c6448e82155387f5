//! Scenes of fragment programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use smallvec::SmallVec;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{BACK_FACING, FragmentJob, Primitive, UNITS};
use triglyph_guest::kernel::program::output::{Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::Texture;

use super::context::DrawContext;
use super::cost::cost;
use super::cover::Cover;
use super::divided::Divided;
use super::drawing::Drawing;
use super::runaway::Runaways;
use super::stats::RasterStats;
use super::tile_renderer::{TileRenderer, TileRendererUser};
use super::walk::{Order, Progress, walk};
use super::{RasterKind, arena};
use crate::cache::image::{DecodedImage, ImageSource};
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Division, Kernels, Removal, SceneKernel, SelectedFragment};
use crate::mem::{GuestRange, Memory, ProgramMemory, UnmappedAccesses, Watch};
use crate::scene::program::{
    ProgramScene, ProgramState, ProgramTarget, Programs, Surfaces, TargetSurface, TextureBinding,
};
use crate::scene::resources::{DeclaredResources, MappedResources};
use crate::scene::{Rect, SceneKind};

impl RasterKind for Programs {
    type Texture = Arc<ImageSource>;
    type Prepared = PreparedProgramState;

    fn draw(
        scene: &ProgramScene,
        drawing: &mut Drawing<PreparedProgramState>,
        context: &DrawContext<'_>,
        images: &mut TextureCache<Arc<ImageSource>>,
    ) -> RasterStats {
        let memory = context.memory;
        let start = Instant::now();
        let is_ready = Self::prepare(scene, drawing, context, images);
        let texture = start.elapsed();
        if !is_ready {
            return RasterStats { texture, ..RasterStats::default() };
        }
        let ordered = Self::is_ordered(scene, memory);
        let Drawing { prepared, walk, before, tiles } = drawing;
        let mut progress = Progress { walk, before, tiles };
        let watched = if ordered { draw_watched(scene, prepared, &mut progress, context) } else { None };
        let stats = watched.unwrap_or_else(|| {
            let order = if ordered { Order::Numbers } else { Order::Any(None) };
            arena::with(|arena| {
                BoundResources::new(scene, prepared, memory, None, arena).draw(&mut progress, context, order)
            })
        });
        Self::mark_written(scene, memory);
        RasterStats { texture, ..stats }
    }

    fn prepare(
        scene: &ProgramScene,
        drawing: &mut Drawing<PreparedProgramState>,
        context: &DrawContext<'_>,
        images: &mut TextureCache<Arc<ImageSource>>,
    ) -> bool {
        let DrawContext { memory, scheduler, .. } = *context;
        if drawing.prepared.is_empty() {
            images.start_scene(memory, scene.is_continued());
        }
        let mut image = |source: &Arc<ImageSource>| images.get(memory, scheduler, source, ());
        let (removal, kernels) = (context.removal_of(scene, !Self::is_ordered(scene, memory)), context.removal.1);
        drawing.prepare(&scene.states, context, |span| {
            let replaces = has_formats_of(&scene.states[0].state, &span.state);
            let removal = if replaces { removal } else { Removal::Never };
            PreparedProgramState::new(&span.state, (removal, kernels), &mut image)
        })
    }

    fn is_ordered(scene: &ProgramScene, memory: &Memory) -> bool {
        let loads = |state: &ProgramState| state.reach.as_ref().is_some_and(|reach| reach.loads);
        share_memory(scene, memory) || scene.states.iter().any(|span| loads(&span.state))
    }

    fn with_tile_renderer<U: TileRendererUser<Self>>(
        scene: &ProgramScene,
        prepared: &[PreparedProgramState],
        memory: &Memory,
        user: U,
    ) -> (U::Output, RasterStats) {
        arena::with(|arena| {
            let bound = BoundResources::new(scene, prepared, memory, None, arena);
            let tiles = bound.tiles();
            (user.call(&tiles), bound.counted(&tiles))
        })
    }

    fn mark_written(scene: &ProgramScene, memory: &Memory) {
        if let Some((first, last)) = scene.touched_rows() {
            for GuestRange { start, size } in scene.target.ranges(surfaces(scene), first, last) {
                let mapped = memory.writable(start).len() as u64;
                memory.mark_written(start.range(size.min(mapped)));
            }
        }
        scene.states.iter().filter_map(|span| span.state.reach.as_ref()).for_each(|reach| reach.mark_written(memory));
    }

    fn expected_pixel_cost(state: &ProgramState) -> u64 {
        state.kernel.expected_pixel_cost()
    }

    fn cover(scene: &ProgramScene, index: u32, area: Rect) -> Vec<PixelBlock> {
        let mut blocks = Vec::new();
        let Some(span) = scene.states.last() else { return blocks };
        let (state, edges, samples) = (&*span.state, &scene.edges[index as usize], scene.target.samples.count());
        let start = |at: u32| at / Self::TILE * Self::TILE;
        for y0 in (start(area.y0)..=area.y1).step_by(Self::TILE as usize) {
            for x0 in (start(area.x0)..=area.x1).step_by(Self::TILE as usize) {
                let tile = Rect { x0, y0, x1: x0 + Self::TILE - 1, y1: y0 + Self::TILE - 1 };
                if let Some(clip) = tile.intersect(area) {
                    Cover { index, edges, state, clip, samples }.add(&mut blocks);
                }
            }
        }
        blocks
    }

    fn is_back(primitive: &Primitive) -> bool {
        primitive.flags & BACK_FACING != 0
    }

    fn samples(target: &ProgramTarget) -> usize {
        target.samples.count()
    }
}

/// Draws a scene with programs that load from memory in any order of its tiles. `None` if it has to be drawn in order:
/// they have loaded what it draws, which is undone, or tiles share memory anyway, or that gains nothing. Undoing it
/// must not undo what the host writes meanwhile, so nothing else may lie between the rows of the surfaces.
fn draw_watched(
    scene: &ProgramScene,
    prepared: &[PreparedProgramState],
    progress: &mut Progress<'_>,
    context: &DrawContext<'_>,
) -> Option<RasterStats> {
    let DrawContext { memory, scheduler, .. } = *context;
    let (touched, rows) = (surfaces(scene), scene.touched_rows()?);
    let is_begun = progress.walk.is_some() || !progress.before.is_empty();
    let may_undo = || !is_begun && scene.target.is_dense(touched) && !share_memory(scene, memory);
    let undo = context.undo.filter(|_| scheduler.threads() > 1 && may_undo())?;
    let windows: Vec<Window<'_>> = scene.target.windows_of_rows(touched, rows, memory).collect();
    let watch = Watch::new(windows.clone());
    let (kept, stats) = arena::with(|arena| {
        let bound = BoundResources::new(scene, prepared, memory, Some(&watch), arena);
        let kept = undo.keep(&windows, cost(scene, &bound.tiles()), scheduler)?;
        Some((kept, bound.draw(progress, context, Order::Any(Some(watch.is_read())))))
    })?;
    let is_complete = progress.walk.as_ref().is_some_and(|walk| walk.tiles.is_empty());
    if is_complete && !watch.is_read().load(Ordering::Relaxed) {
        return Some(stats);
    }
    kept.put_back(scheduler);
    *progress.walk = None;
    if watch.is_read().load(Ordering::Relaxed) {
        undo.pause();
    }
    None
}

/// Whether the tiles of a scene share memory, whatever programs load.
fn share_memory(scene: &ProgramScene, memory: &Memory) -> bool {
    let depends = |state: &ProgramState| state.tiles_depend(&scene.target, memory);
    scene.target.tiles_alias(surfaces(scene), memory) || scene.states.iter().any(|span| depends(&span.state))
}

type Spaces<'a> = SmallVec<[(u32, ProgramMemory<'a>); 1]>;

/// The resources that the programs of a scene use.
struct BoundResources<'a> {
    scene: &'a ProgramScene,
    prepared: &'a [PreparedProgramState],
    memory: &'a Memory,
    /// Each space that a program reaches; nearly always there is one.
    spaces: Spaces<'a>,
    mapped: ArenaVec<'a, Option<MappedResources<'a>>>,
    /// Quads without end.
    exhausted: AtomicU32,
    /// What quads have counted in excess.
    excess: AtomicU64,
    /// Tiles that had no instructions left.
    unfinished: AtomicU32,
}

impl<'a> BoundResources<'a> {
    fn new(
        scene: &'a ProgramScene,
        prepared: &'a [PreparedProgramState],
        memory: &'a Memory,
        watch: Option<&'a Watch<'a>>,
        arena: &'a Bump,
    ) -> Self {
        let states = || scene.states.iter().map(|span| &span.state).zip(prepared);
        let spaces = states().fold(Spaces::new(), |mut spaces: Spaces<'a>, (state, _)| {
            let space = state.reach.as_ref().map(|reach| reach.space);
            if let Some(space) = space.filter(|space| spaces.iter().all(|(known, _)| known != space)) {
                spaces.push((space, ProgramMemory::new(memory, space).watched(watch)));
            }
            spaces
        });
        let mapped = states().map(|(state, p)| Some(state.reach.as_ref()?.map(&p.bound, memory)));
        let mapped = ArenaVec::from_iter_in(mapped, arena);
        BoundResources {
            scene,
            prepared,
            memory,
            spaces,
            mapped,
            exhausted: AtomicU32::new(0),
            excess: AtomicU64::new(0),
            unfinished: AtomicU32::new(0),
        }
    }

    fn tiles(&self) -> Tiles<'_> {
        let BoundResources { scene, prepared, memory, .. } = *self;
        let surface = |surface: &Option<TargetSurface>| surface.map_or(Surface::default(), |s| window(&s, memory));
        let states = || scene.states.iter().map(|span| &span.state);
        let environments = states().zip(&self.mapped).map(|(state, mapped)| self.environment(state, mapped));
        let arena = self.mapped.bump();
        Tiles {
            scene,
            colors: std::array::from_fn(|i| surface(&scene.target.colors[i])),
            depth: surface(&scene.target.depth),
            textures: textures(states().zip(prepared), arena),
            environments: arena.alloc_slice_fill_iter(environments),
            prepared,
            samples: AtomicU64::new(0),
            pixels: AtomicU64::new(0),
            exhausted: &self.exhausted,
            excess: &self.excess,
            unfinished: &self.unfinished,
        }
    }

    /// The environment of a state's program.
    fn environment<'e>(&'e self, state: &ProgramState, mapped: &'e Option<MappedResources<'a>>) -> Environment<'e> {
        let space = state.reach.as_ref().and_then(|reach| self.spaces.iter().find(|(space, _)| *space == reach.space));
        match (mapped, space) {
            (Some(mapped), Some((_, memory))) => {
                mapped.environment(memory, [&self.exhausted, Environment::NONE.reserve])
            }
            _ => Environment::NONE,
        }
    }

    fn draw(&self, progress: &mut Progress<'_>, context: &DrawContext<'_>, order: Order<'_>) -> RasterStats {
        let tiles = self.tiles();
        let mut stats = walk(self.scene, &tiles, progress, context, order);
        stats.add(&self.counted(&tiles));
        stats
    }

    /// What was counted while tiles were drawn.
    fn counted(&self, tiles: &Tiles<'_>) -> RasterStats {
        RasterStats {
            samples: tiles.samples.load(Ordering::Relaxed),
            pixels: tiles.pixels.load(Ordering::Relaxed),
            unmapped: self
                .spaces
                .iter()
                .fold(UnmappedAccesses::default(), |all, (_, memory)| all.join(memory.unmapped())),
            exhausted: self.exhausted.load(Ordering::Relaxed),
            excess: self.excess.load(Ordering::Relaxed),
            unfinished: self.unfinished.load(Ordering::Relaxed),
            ..RasterStats::default()
        }
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

/// A state, ready to be drawn with.
#[derive(Debug)]
pub struct PreparedProgramState {
    kernel: SelectedFragment,
    divided: Option<Divided<SelectedFragment>>,
    images: [Option<Arc<DecodedImage>>; UNITS],
    bound: SmallVec<[Option<Arc<DecodedImage>>; 4]>,
}

impl PreparedProgramState {
    fn new(
        state: &ProgramState,
        removal: (Removal, &Kernels),
        decoded: &mut impl FnMut(&Arc<ImageSource>) -> Option<Arc<DecodedImage>>,
    ) -> Self {
        let mut image = |binding: &Option<TextureBinding>| decoded(&binding.as_ref()?.image);
        let bound = state.reach.iter().flat_map(|reach| &*reach.textures);
        PreparedProgramState {
            kernel: state.kernel.select(),
            divided: divide(removal, state),
            bound: bound.map(&mut image).collect(),
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

/// The compiled kernels of a state's tests and shading, if there are any. Its program has to give colours and nothing
/// else.
fn divide((removal, kernels): (Removal, &Kernels), state: &ProgramState) -> Option<Divided<SelectedFragment>> {
    let does_more = |reach: &Arc<DeclaredResources>| reach.loops || reach.loads || reach.reads || reach.writes;
    if state.reach.as_ref().is_some_and(does_more) {
        return None;
    }
    let divided = kernels.divide_fragment(&state.kernel, removal)?;
    if state.count_samples && divided.division.discards {
        return None;
    }
    Divided::new(&divided, |kernel| kernel.select())
}

/// Whether the colour targets that both states write have the same formats, so that a pixel of one replaces that of the
/// other.
fn has_formats_of(a: &ProgramState, b: &ProgramState) -> bool {
    let [a, b] = [a, b].map(|state| &state.kernel.key().output.colors);
    a.iter().zip(b).all(|targets| match targets {
        (Some(a), Some(b)) => (a.format, a.layout) == (b.format, b.layout),
        _ => true,
    })
}

/// The texture units of each state. They are large, and most states have none or those of the state before.
fn textures<'a>(
    states: impl ExactSizeIterator<Item = (&'a Arc<ProgramState>, &'a PreparedProgramState)>,
    arena: &'a Bump,
) -> &'a [&'a [Texture<'a>; UNITS]] {
    let none: &[Texture<'_>; UNITS] = arena.alloc([Texture::default(); UNITS]);
    let mut last: Option<(&ProgramState, &[Texture<'_>; UNITS])> = None;
    arena.alloc_slice_fill_iter(states.map(|(state, prepared)| {
        let units = match last.filter(|(last, _)| Arc::ptr_eq(&last.textures, &state.textures)) {
            Some((_, units)) => units,
            None if prepared.images.iter().all(Option::is_none) => none,
            None => arena.alloc(prepared.bind(state)),
        };
        last = Some((state, units));
        units
    }))
}

/// A scene in the course of being drawn.
struct Tiles<'a> {
    scene: &'a ProgramScene,
    colors: [Surface<'a>; TARGETS],
    depth: Surface<'a>,
    prepared: &'a [PreparedProgramState],
    textures: &'a [&'a [Texture<'a>; UNITS]],
    environments: &'a [Environment<'a>],
    samples: AtomicU64,
    /// Pixels of draws whose programs declare resources.
    pixels: AtomicU64,
    /// Quads without end.
    exhausted: &'a AtomicU32,
    /// What quads have counted in excess.
    excess: &'a AtomicU64,
    /// Tiles that had no instructions left.
    unfinished: &'a AtomicU32,
}

impl Tiles<'_> {
    /// Calls a kernel of a state. Returns how many samples have passed.
    fn call(
        &self,
        kernel: &SelectedFragment,
        state: usize,
        (blocks, survivors): (&[PixelBlock], &[Survivors]),
        environment: Environment<'_>,
    ) -> u64 {
        let draw = &*self.scene.states[state].state;
        kernel.shade(&FragmentJob {
            survivors,
            colors: &self.colors,
            depth: self.depth,
            constants: &draw.constants,
            program_constants: &draw.program_constants,
            textures: self.textures[state],
            environment,
            primitives: &self.scene.primitives,
            planes: &self.scene.varyings,
            blocks,
        })
    }

    /// Counts blocks of a state whose program declares its resources.
    fn count_pixels(&self, state: usize, blocks: &[PixelBlock]) {
        if self.scene.states[state].state.reach.is_none() {
            return;
        }
        let covered = |block: &[PixelBlock]| block.iter().fold(0, |any, sample| any | sample.coverage);
        let pixels: u64 = match self.scene.target.samples.count() {
            1 => blocks.iter().map(|block| u64::from(block.coverage.count_ones())).sum(),
            samples => blocks.chunks(samples).map(|block| u64::from(covered(block).count_ones())).sum(),
        };
        self.pixels.fetch_add(pixels, Ordering::Relaxed);
    }

    fn count_samples(&self, state: usize, passed: u64) {
        if self.scene.states[state].state.count_samples {
            self.samples.fetch_add(passed, Ordering::Relaxed);
        }
    }
}

impl TileRenderer for Tiles<'_> {
    type Kind = Programs;

    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>) {
        let Some(clip) = area.intersect(self.scene.bounds[index as usize]) else { return };
        let state = &*self.scene.states[state].state;
        let (edges, samples) = (&self.scene.edges[index as usize], self.scene.target.samples.count());
        Cover { index, edges, state, clip, samples }.add(blocks);
    }

    fn kernel(&self, state: usize) -> &dyn SceneKernel {
        &self.prepared[state].kernel
    }

    fn shade(&self, state: usize, blocks: &[PixelBlock], runaways: &Runaways) {
        let draw = &*self.scene.states[state].state;
        let samples = self.scene.target.samples.count();
        let (kernel, environment) = (&self.prepared[state].kernel, self.environments[state]);
        let passed = match draw.loops() {
            false => self.call(kernel, state, (blocks, &[]), environment),
            true => {
                let Runaways { exhausted, excess, reserve, .. } = runaways;
                let before = (exhausted.load(Ordering::Relaxed), excess.load(Ordering::Relaxed));
                let was_used_up = runaways.is_used_up.load(Ordering::Relaxed);
                let environment = Environment { exhausted, excess, reserve, ..environment };
                let mut passed = 0;
                runaways.shade(blocks, samples, |part| passed += self.call(kernel, state, (part, &[]), environment));
                let more = exhausted.load(Ordering::Relaxed).wrapping_sub(before.0);
                self.exhausted.fetch_add(more, Ordering::Relaxed);
                let more = excess.load(Ordering::Relaxed).wrapping_sub(before.1);
                self.excess.fetch_add(more, Ordering::Relaxed);
                let is_used_up = runaways.is_used_up.load(Ordering::Relaxed);
                self.unfinished.fetch_add((is_used_up && !was_used_up).into(), Ordering::Relaxed);
                passed
            }
        };
        self.count_pixels(state, blocks);
        self.count_samples(state, passed);
    }

    fn loops(&self, state: usize) -> bool {
        self.scene.states[state].state.loops()
    }

    fn division(&self, state: usize) -> Option<Division> {
        self.prepared[state].divided.as_ref().map(|divided| divided.division)
    }

    fn test(&self, state: usize, blocks: &[PixelBlock], survivors: &[Survivors]) {
        self.count_pixels(state, blocks);
        if let Some(tests) = self.prepared[state].divided.as_ref().and_then(|divided| divided.tests.as_ref()) {
            let passed = self.call(tests, state, (blocks, survivors), Environment::NONE);
            self.count_samples(state, passed);
        }
    }

    fn count(&self, state: usize, blocks: &[PixelBlock]) {
        self.count_pixels(state, blocks);
        self.count_samples(state, blocks.iter().map(|block| u64::from(block.coverage.count_ones())).sum());
    }

    fn shade_survivors(&self, state: usize, blocks: &[PixelBlock]) {
        if let Some(shading) = self.prepared[state].divided.as_ref().and_then(|divided| divided.shading.as_ref()) {
            self.call(shading, state, (blocks, &[]), self.environments[state]);
        }
    }

    fn note_times_of_parts(&self, state: usize, tests: u64, shading: u64) {
        if let Some(divided) = &self.prepared[state].divided {
            divided.note_times(tests, shading);
        }
    }
}
