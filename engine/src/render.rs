//! The renderer: kernels, threads, textures and pending work. Machines call it; it depends on none of them.
//!
//! A machine has one pipeline, and draws scenes of one kind: of fixed-function fragments (`fixed`), or of programs
//! ([`program`]). Code for both is here, generic over [`Pipeline`].

mod background;
mod clock;
mod draw_effects;
mod fixed;
mod fragment_history;
mod inputs;
mod observe;
mod open;
mod pending;
mod pipeline;
pub mod program;
mod setup;
mod transfer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use triglyph_guest::kernel::Accuracy;

use crate::cache::store::KeyStore;
use crate::cache::texture_cache::TextureCache;
use crate::cache::{Kernels, Removal, TierMode, Tiers, WarmStart};
use crate::device::{DroppedPrimitives, StageTimes, Stats};
use crate::error::Error;
use crate::log::LogHandler;
use crate::mem::{Epoch, Footprint, GuestAddr, GuestRange, Memory};
use crate::probe::Probe;
use crate::raster::{RasterStats, Undo};
use crate::scene::Scene;
use crate::sched::{Executor, Interrupter, Scheduler, Timeline};
use background::Background;
pub use clock::ScopedTimer;
use clock::StageClock;
pub use fixed::DrawCall;
use pending::Pending;
pub use pipeline::Pipeline;
use program::ShaderFaults;
pub use setup::DeferredDrawCost;

/// Options of an engine.
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
    /// Which contract of arithmetic programs follow.
    pub accuracy: Accuracy,
    /// How often packets of a push buffer have to occur with the same headers before they are compiled; 0 for never.
    pub packet_traces: u32,
    /// When hidden surfaces are removed.
    pub removal: Removal,
}

/// The file that kernel keys are stored in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyFile {
    /// The file; it is created with its folder if it does not exist.
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

    /// The same with another limit, in bytes.
    pub fn with_limit(self, limit: u64) -> Self {
        KeyFile { limit, ..self }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Renderer<P: Pipeline> {
    /// All kernels.
    pub kernels: Kernels,
    warm_start: WarmStart,
    /// All threads.
    pub scheduler: Scheduler,
    /// Submissions, and which of them are complete.
    pub timeline: Timeline,
    textures: TextureCache<P::Texture>,
    /// The open scene.
    scene: Scene<P>,
    /// The pipeline's state beside it.
    extra: P::Extra,
    pending: Pending<P>,
    /// Interrupts the bounded run that is in progress.
    interrupter: Option<Interrupter>,
    /// Counts the targets of scenes.
    target_number: u64,
    /// The memory that drawing to them can touch, for a number and a time.
    target_memory: Option<(u64, Epoch, Footprint)>,
    state_cache_disabled: bool,
    /// Samples that passed the tests of draws that count them.
    samples: u64,
    /// Pixels that programs were run for.
    pixels: u64,
    shader_faults: ShaderFaults,
    stats: Stats,
    vertex_clock: StageClock,
    setup_clock: StageClock,
    /// The observer of commands, and the effects that it will get.
    pub(crate) probe: Option<Box<Probe>>,
    /// [`RenderOptions::accuracy`].
    pub accuracy: Accuracy,
    removal: Removal,
    undo: Undo,
    /// [`RenderOptions::packet_traces`], or 0 where nothing is compiled.
    pub packet_traces: u32,
}

impl<P: Pipeline> Renderer<P> {
    /// A renderer without anything compiled yet.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &RenderOptions) -> Result<Self, Error> {
        let scheduler = match &options.executor {
            Some(executor) => Scheduler::with_executor(executor.clone()),
            None => Scheduler::new(options.threads)?,
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
            scene: Scene::new(P::NOWHERE),
            extra: P::Extra::default(),
            pending: Pending::default(),
            interrupter: None,
            target_number: 0,
            target_memory: None,
            state_cache_disabled: false,
            samples: 0,
            pixels: 0,
            shader_faults: ShaderFaults::default(),
            stats: Stats::default(),
            vertex_clock: StageClock::default(),
            setup_clock: StageClock::default(),
            probe: None,
            accuracy: options.accuracy,
            removal: options.removal,
            undo: Undo::default(),
            packet_traces: if mode == TierMode::InterpreterOnly { 0 } else { options.packet_traces },
        })
    }

    /// Calls `handler` with each line of the log, first with the problems found in the key file when it was read.
    pub fn set_log_handler(&self, mut handler: Option<LogHandler>) {
        if let Some(handler) = &mut handler {
            self.warm_start.tell(handler);
        }
        self.kernels.set_log_handler(handler);
    }

    /// What was read from the key file at the start.
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

    /// Begins to measure fetching and shading of so many vertices.
    pub fn start_vertices(&mut self, count: usize) -> ScopedTimer {
        self.vertex_clock.start(count)
    }

    /// Ends the measurement.
    pub fn end_vertices(&mut self, timer: ScopedTimer, count: usize) {
        self.stats.vertices += count as u64;
        self.stats.stages.vertex += timer.time();
    }

    /// Turns the caches of derived state on or off. Without them state is derived again for each draw and textures are
    /// compared with memory for each scene. The results are the same; tests compare the two.
    pub fn set_state_cache_enabled(&mut self, enabled: bool) {
        self.state_cache_disabled = !enabled;
        self.textures.state_cache_disabled = !enabled;
    }

    /// Whether state has to be derived again for each draw.
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
            P::surfaces(&self.scene.target).for_each(|range| footprint.add(memory, range));
            self.target_memory = Some((self.target_number, made, footprint));
        }
        self.target_memory.as_ref().is_some_and(|(.., footprint)| footprint.touches(memory, range))
    }

    fn restart_clocks(&mut self) {
        self.vertex_clock.restart();
        self.setup_clock.restart();
    }

    /// Counts what was drawn.
    fn add_raster(&mut self, done: &RasterStats) {
        self.add_work(done);
        self.samples = self.samples.wrapping_add(done.samples);
        self.pixels = self.pixels.wrapping_add(done.pixels);
        let RasterStats { unmapped, exhausted, excess, unfinished, .. } = *done;
        self.shader_faults.add(ShaderFaults { unmapped, exhausted, excess, unfinished });
    }

    /// Counts the work that drawing was.
    fn add_work(&mut self, done: &RasterStats) {
        self.stats.pixels_blocks += done.blocks;
        self.stats.pixels_hidden += done.hidden;
        self.stats.stages.raster += done.raster;
        self.stats.stages.texture += done.texture;
    }

    /// Notes that code was run for packets of a push buffer, and the words they had.
    pub fn note_packet_trace(&mut self, words: u64) {
        self.stats.packet_trace_runs += 1;
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
        std::mem::take(&mut self.scene.taken)
    }

    /// Primitives of the open scene that were dropped since the last call. They are counted.
    fn take_dropped(&mut self) -> DroppedPrimitives {
        let dropped = std::mem::take(&mut self.scene.dropped);
        self.stats.dropped.add(&dropped);
        dropped
    }

    /// Counts a draw without any pixel that may be drawn to.
    #[cold]
    pub fn note_draw_without_target(&mut self) {
        self.stats.draws_without_target += 1;
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
