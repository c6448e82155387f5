//! The renderer: kernels, threads, textures and the scene in the making. Machines drive it, it knows none of them.
//!
//! A machine draws scenes of one kind: of fixed-function fragments, or of programs ([`program`]).

mod background;
mod clock;
mod closed;
mod inputs;
mod judge;
mod open;
pub mod program;
mod setup;
mod transfer;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use triglyph_guest::kernel::Accuracy;

use crate::cache::image::ImageSource;
use crate::cache::store::KeyStore;
use crate::cache::texture::TextureSource;
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Kernels, Removal, TierMode, Tiers, WarmStart};
use crate::device::{StageTimes, Stats};
use crate::draw::program::{ProjectedVertices, Records};
use crate::draw::{Assembler, Batch, Setup, Shaded, shade};
use crate::error::Error;
use crate::log::LogHandler;
use crate::mem::{Epoch, Footprint, GuestAddr, GuestRange, Memory};
use crate::probe::{self, Effect, Probe};
use crate::raster::{self, DrawContext, PreparedProgramState, PreparedState, RasterStats, Undo};
use crate::scene::program::{ProgramScene, ProgramTarget, Surfaces};
use crate::scene::{Allowance, DrawState, Scene, SceneTarget};
use crate::sched::{Executor, Interrupter, Scheduler, Timeline};
use crate::trace;
use background::Background;
pub use clock::ScopedTimer;
use clock::StageClock;
use closed::ClosedWork;
use open::OpenDrawing;
pub use setup::Account;
use setup::FixedDraw;

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The tiers.
    pub tiers: Tiers,
    /// Which of them serves calls.
    pub mode: TierMode,
    /// Threads, the caller's included; 0 takes one for each core.
    pub threads: usize,
    /// Threads of the host's to use instead of our own; `threads` counts nothing then.
    pub executor: Option<Arc<dyn Executor>>,
    /// Machine code the kernel cache may hold, in bytes.
    pub code_budget: usize,
    /// A file that remembers which kernels were needed, for the next start.
    pub key_file: Option<KeyFile>,
    /// How near to the console.
    pub accuracy: Accuracy,
    /// How often packets of a push buffer have to come with the same headers before code is made of them; 0 for never.
    pub packet_traces: u32,
    /// When hidden surfaces are removed.
    pub removal: Removal,
}

/// Where kernel keys are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    /// The file; made when it is not there, with its folder.
    pub path: PathBuf,
    /// Bytes beyond which the least used keys are forgotten.
    pub limit: u64,
}

impl KeyFile {
    /// Room for some ten thousand keys.
    pub const LIMIT: u64 = 32 << 20;

    /// A file of the usual size.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        KeyFile { path: path.into(), limit: Self::LIMIT }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Renderer {
    /// All kernels.
    pub kernels: Kernels,
    warm_start: WarmStart,
    /// All threads.
    pub scheduler: Scheduler,
    /// Submissions, and which of them are complete.
    pub timeline: Timeline,
    textures: TextureCache<TextureSource>,
    scene: Scene,
    scratch: Shaded,
    images: TextureCache<Arc<ImageSource>>,
    programs: ProgramScene,
    closed: ClosedWork,
    background: Background,
    /// Who may interrupt the bounded run that is in progress.
    interrupter: Option<Interrupter>,
    /// Counts the targets of scenes.
    target_number: u64,
    /// The memory that drawing to them can touch, for a number and a time.
    target_memory: Option<(u64, Epoch, Footprint)>,
    /// What the programs in the scene read: images, and whether other memory as well.
    reads: program::Reads,
    state_cache_disabled: bool,
    /// Surfaces that the scene of programs touches.
    touched: Surfaces,
    record_scratch: Records,
    projected: ProjectedVertices,
    setup_scenes: Vec<ProgramScene>,
    /// Vertices of a segment of a draw, at most.
    max_segment: usize,
    /// Samples that passed the tests of draws that count them.
    samples: u64,
    /// Pixels that programs were run for.
    pixels: u64,
    troubles: program::Troubles,
    stats: Stats,
    vertex_clock: StageClock,
    setup_clock: StageClock,
    /// What of the scene in the making somebody has looked at.
    open: OpenDrawing<PreparedState>,
    open_programs: OpenDrawing<PreparedProgramState>,
    /// Who hears of commands.
    pub(crate) probe: Option<Box<Probe>>,
    /// [`RenderOptions::accuracy`].
    pub accuracy: Accuracy,
    removal: Removal,
    undo: Undo,
    /// [`RenderOptions::packet_traces`], or 0 where nothing is compiled.
    pub packet_traces: u32,
}

/// A draw call after shading: state, and the order in which vertices form primitives.
#[derive(Debug)]
pub struct DrawCall<'a> {
    /// Surfaces.
    pub target: SceneTarget,
    /// What its pixels need.
    pub state: Arc<DrawState>,
    /// What its primitives need.
    pub setup: &'a Setup,
    /// Numbers of the shaded vertices, in drawing order.
    pub order: &'a [u32],
    /// Triangles of the order whose winding is turned over, by number, ascending; only geometry programs have any.
    pub turned: &'a [u32],
    /// Fuel for its primitives.
    pub allowance: Allowance,
}

/// Vertices of a draw that are set up before it is seen whether its scene is full.
const AT_ONCE: usize = 1 << 14;

impl DrawCall<'_> {
    /// Calls `triangle` with the vertices of each triangle that is complete with the vertices in a range.
    #[inline(always)]
    fn assemble(&self, range: Range<usize>, assembler: &mut Assembler, mut triangle: impl FnMut([u32; 3])) {
        let before = self.turned.partition_point(|&turned| 3 * (turned as usize) < range.start);
        let mut turned = self.turned[before..].iter().peekable();
        for (number, &vertex) in range.clone().zip(&self.order[range]) {
            if turned.next_if(|&&turned| 3 * turned as usize == number).is_some() {
                assembler.turn();
            }
            assembler.submit(vertex, &mut triangle);
        }
    }
}

impl Renderer {
    /// A renderer without anything compiled yet.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &RenderOptions) -> Result<Self, Error> {
        let scheduler = match &options.executor {
            Some(executor) => Scheduler::with_executor(executor.clone()),
            None => Scheduler::new(options.threads)?,
        };
        let nowhere = SceneTarget {
            space: 0,
            color: None,
            depth: None,
            color_bytes: 0,
            depth_bytes: 0,
            width: 0,
            rows: 0,
            block: triglyph_guest::layout::Block::B8,
        };
        let (tiers, mode, budget) = (options.tiers.clone(), options.mode, options.code_budget);
        let (kernels, warm_start) = match &options.key_file {
            None => (Kernels::new(tiers, mode, budget), WarmStart::default()),
            Some(file) => Kernels::with_key_file(tiers, mode, budget, KeyStore::new(&file.path), file.limit),
        };
        Ok(Renderer {
            kernels,
            warm_start,
            scheduler,
            timeline: Timeline::default(),
            textures: TextureCache::default(),
            scene: Scene::new(nowhere),
            scratch: Shaded::default(),
            images: TextureCache::default(),
            programs: ProgramScene::new(ProgramTarget::NOWHERE),
            closed: ClosedWork::default(),
            background: Background::default(),
            interrupter: None,
            target_number: 0,
            target_memory: None,
            reads: program::Reads::default(),
            state_cache_disabled: false,
            touched: Surfaces::default(),
            record_scratch: Records::default(),
            projected: ProjectedVertices::default(),
            setup_scenes: Vec::new(),
            max_segment: program::MAX_SEGMENT,
            samples: 0,
            pixels: 0,
            troubles: program::Troubles::default(),
            stats: Stats::default(),
            vertex_clock: StageClock::default(),
            setup_clock: StageClock::default(),
            open: OpenDrawing::default(),
            open_programs: OpenDrawing::default(),
            probe: None,
            accuracy: options.accuracy,
            removal: options.removal,
            undo: Undo::default(),
            packet_traces: if mode == TierMode::InterpreterOnly { 0 } else { options.packet_traces },
        })
    }

    /// Has `handler` hear of what costs time or a file, beginning with what was wrong with the file of keys.
    pub fn set_log_handler(&self, mut handler: Option<LogHandler>) {
        if let Some(handler) = &mut handler {
            self.warm_start.tell(handler);
        }
        self.kernels.set_log_handler(handler);
    }

    /// What the file of keys gave at the start.
    pub fn warm_start(&self) -> &WarmStart {
        &self.warm_start
    }

    /// Memory for a machine; with a file of keys the pages of what is mapped first are there when the first frame
    /// comes.
    pub fn guest_memory(&self) -> Memory {
        if !self.kernels.has_key_file() {
            return Memory::default();
        }
        let (memory, work) = Memory::with_prefault_pool();
        work.into_iter().for_each(|work| self.kernels.prepare(work));
        memory
    }

    /// Guest memory was mapped at `address`: with a file of keys its pages are there when the first frame comes.
    pub fn note_mapping(&self, memory: &Memory, start: GuestAddr) {
        if let Some(work) = memory.populating(start) {
            self.kernels.prepare(work);
        }
    }

    /// Shades a batch of vertices.
    pub fn shade(&mut self, batch: &Batch<'_>) -> Shaded {
        let timer = self.start_vertices(batch.vertices.len());
        let shaded = shade(&self.scheduler, batch, std::mem::take(&mut self.scratch));
        self.end_vertices(timer, batch.vertices.len());
        shaded
    }

    /// Fetching and shading of so many vertices begins.
    pub fn start_vertices(&mut self, count: usize) -> ScopedTimer {
        self.vertex_clock.start(count)
    }

    /// It has ended.
    pub fn end_vertices(&mut self, timer: ScopedTimer, count: usize) {
        self.stats.vertices += count as u64;
        self.stats.stages.vertex += timer.time();
    }

    /// Assembles and bins a draw; the scene before it is over when the target is another one.
    pub fn draw(&mut self, memory: &Memory, call: &DrawCall<'_>, mut shaded: Shaded, assembler: &mut Assembler) {
        self.finish_setup();
        if self.scene.target != call.target || self.scene.is_full() || call.state.feedback {
            self.close_scene(memory);
            self.scene.reset(call.target);
            self.target_number += 1;
        }
        self.scene.set_state(call.state.clone());
        self.scene.allowance = call.allowance;

        if self.needs_drawn_scene() {
            self.show_open(memory, |_| {});
        }
        let mut first = self.scene.primitives.len();
        let _span = trace::draw(call.order.len());
        let timer = self.setup_clock.start(call.order.len());
        assembler.begin(&mut shaded);
        if self.wants_inputs() {
            self.note_fixed_inputs(memory, call, &shaded, assembler.clone());
        }
        self.stats.draws += 1;
        if !call.state.feedback && self.is_setup_left(call.order.len()) {
            let mut triangles = Vec::with_capacity(call.order.len() / 3);
            call.assemble(0..call.order.len(), assembler, |triangle| triangles.push(triangle));
            self.note_fixed_draw(memory, call, triangles.len() as u64, usize::MAX);
            assembler.end(&shaded);
            self.leave_fixed(FixedDraw::new(call.setup, triangles, shaded));
            self.stats.stages.setup += timer.time();
            return;
        }
        let mut triangles = 0;
        for start in (0..call.order.len()).step_by(AT_ONCE) {
            // Who looks at a draw wants all of it. One that reads its own target reads what was there before it.
            if self.scene.is_full() && !self.is_observed() && !call.state.feedback {
                self.close_scene(memory);
                self.scene.set_state(call.state.clone());
                first = 0;
            }
            let (range, scene) = (start..call.order.len().min(start + AT_ONCE), &mut self.scene);
            call.assemble(range, assembler, |t| triangles += u64::from(call.setup.triangle(&shaded, t, scene)));
        }
        assembler.end(&shaded);
        self.scratch = shaded;

        self.stats.triangles += triangles;
        self.stats.stages.setup += timer.time();
        self.note_fixed_draw(memory, call, triangles, first);
        if call.state.feedback {
            self.close_scene(memory);
        } else {
            self.note_drawn(memory, first, &call.state);
        }
    }

    #[inline(always)]
    fn note_fixed_draw(&mut self, memory: &Memory, call: &DrawCall<'_>, primitives: u64, first: usize) {
        if self.is_observed() {
            call.state.drawn_with().note_use();
            let mut draw = probe::fixed_draw(call, primitives);
            if let Some(at) = self.asked_pixel(&draw.surfaces) {
                draw.fragments = self.judge_fixed(memory, &draw.surfaces, at, first);
            }
            self.count_fixed(memory, &draw.surfaces, first);
            self.note_effect(Effect::Draw(draw));
        }
    }

    /// Turns the caches of derived state on or off. Without them state is derived anew for each draw and textures are
    /// compared with memory for each scene. The results are the same; tests compare the two.
    pub fn set_state_cache_enabled(&mut self, enabled: bool) {
        self.state_cache_disabled = !enabled;
        self.textures.state_cache_disabled = !enabled;
        self.images.state_cache_disabled = !enabled;
    }

    /// Whether state has to be derived anew for each draw.
    #[inline]
    pub fn state_cache_disabled(&self) -> bool {
        self.state_cache_disabled
    }

    /// A number that stays as long as scenes have the same target.
    #[inline]
    pub fn target_number(&self) -> u64 {
        self.target_number
    }

    /// Whether drawing to the target of scenes can touch any byte of a range, there or where else it is mapped.
    pub fn may_touch(&mut self, memory: &Memory, range: GuestRange) -> bool {
        let current =
            |&&(number, made, _): &&(u64, Epoch, _)| number == self.target_number && !memory.mapped_since(made);
        if self.target_memory.as_ref().filter(current).is_none() {
            let made = memory.epoch();
            let mut footprint = self.target_memory.take().map_or_else(Footprint::default, |(.., footprint)| footprint);
            footprint.clear();
            let fixed = &self.scene.target;
            fixed.ranges().for_each(|range| footprint.add(memory, range));
            let programs = &self.programs.target;
            if programs.rows != 0 {
                let ranges = programs.ranges(Surfaces::ALL, 0, programs.rows - 1);
                ranges.for_each(|range| footprint.add(memory, range));
            }
            self.target_memory = Some((self.target_number, made, footprint));
        }
        self.target_memory.as_ref().is_some_and(|(.., footprint)| footprint.touches(memory, range))
    }

    /// Draws everything that is not drawn yet, so that memory shows it. Nothing interrupts that.
    #[inline]
    pub fn flush(&mut self, memory: &Memory) {
        self.restart_clocks();
        if self.has_scenes() {
            self.draw_scenes(memory);
        }
    }

    /// Whether anything may not be drawn yet. Scenes of programs also have states without primitives.
    #[inline]
    fn has_scenes(&self) -> bool {
        !self.scene.is_empty() || !self.programs.states.is_empty() || self.has_closed() || !self.background.is_empty()
    }

    #[inline(never)]
    fn draw_scenes(&mut self, memory: &Memory) {
        self.draw_closed_until(memory, None);
        if !self.scene.is_empty() {
            let _span = trace::flush();
            // Who waits for what is drawn may be the host, and answer by writing.
            memory.note_host_writes();
            let mut drawing = self.end_open_fixed();
            let context = DrawContext {
                memory,
                scheduler: &self.scheduler,
                interrupter: None,
                removal: (self.removal, &self.kernels),
                undo: None,
            };
            let done = raster::draw(&self.scene, &mut drawing, &context, &mut self.textures);
            self.add_raster(&done);
            self.keep_fixed(drawing);
            let target = self.scene.target;
            self.scene.reset(target);
        }
        self.flush_programs(memory);
    }

    fn restart_clocks(&mut self) {
        self.vertex_clock.restart();
        self.setup_clock.restart();
    }

    fn add_raster(&mut self, done: &RasterStats) {
        self.stats.pixels_blocks += done.blocks;
        self.stats.pixels_hidden += done.hidden;
        self.stats.stages.raster += done.raster;
        self.stats.stages.texture += done.texture;
    }

    /// Draws the scene if it writes any byte of a range, there or where else it is mapped: someone is about to read it.
    /// Returns whether anything was drawn.
    pub fn flush_overlapping(&mut self, memory: &Memory, range: GuestRange) -> bool {
        let had_closed = self.flush_closed(memory);
        if self.scene.is_empty() && self.background.is_empty() && self.programs.is_empty() {
            return had_closed;
        }
        let touched = self.scene_touches(memory, range);
        if touched {
            self.flush(memory);
        }
        touched || had_closed
    }

    /// Whether the scene writes any byte of a range, there or where else it is mapped.
    fn scene_touches(&mut self, memory: &Memory, range: GuestRange) -> bool {
        self.may_touch(memory, range) && (self.fixed_touches(memory, range) || self.programs_touch(memory, range))
    }

    /// Whether the scene of fixed-function fragments touches any byte of a range, there or where else it is mapped. The
    /// one in the background has the same target.
    fn fixed_touches(&self, memory: &Memory, range: GuestRange) -> bool {
        let is_empty = self.scene.is_empty() && self.background.is_empty();
        !is_empty && self.scene.target.touches(memory, range)
    }

    /// Notes packets of a push buffer that code was run for, and the words they had.
    pub fn note_packet_traces(&mut self, runs: u64, words: u64) {
        self.stats.packet_trace_runs += runs;
        self.stats.packet_trace_words += words;
    }

    /// Adds time spent in the front end.
    pub fn add_front_end(&mut self, time: Duration) {
        self.stats.stages.front_end += time;
    }

    /// Time of the stages inside a draw so far, for callers that measure what is around them.
    pub fn stages(&self) -> &StageTimes {
        &self.stats.stages
    }

    /// Fuel that primitives have cost since the last call. Those of a large draw are set up after its command
    /// ([`Self::draw_closed`]), and cost theirs then.
    pub fn take_primitive_fuel(&mut self) -> u64 {
        std::mem::take(&mut self.scene.taken).saturating_add(std::mem::take(&mut self.programs.taken))
    }

    /// Triangles so far.
    pub fn triangles(&self) -> u64 {
        self.stats.triangles
    }

    /// Counters so far.
    pub fn stats(&self) -> Stats {
        let counters = self.kernels.counters();
        Stats {
            kernel_lookups: counters.lookups(),
            kernel_hits: counters.hits(),
            kernels_recalled: counters.recalled(),
            kernels_compiled: counters.compiled(),
            kernels_wide: counters.wide(),
            kernels_not_widened: counters.not_widened(),
            kernels_tiered_up: counters.tiered_up(),
            kernels_unsupported: counters.unsupported(),
            kernels_evicted: counters.evicted(),
            key_file_errors: self.kernels.key_file_errors(),
            compiler_panics: self.kernels.compiler_panics(),
            compile_time: counters.compile_time(),
            kernels_cached: self.kernels.len() as u64,
            code_bytes: counters.code_bytes(),
            interpreter_calls: counters.interpreter_calls(),
            compiled_calls: counters.compiled_calls(),
            ..self.stats
        }
    }
}
