//! The kernels of one key: the interpreter's, and the compiled one, which is compiled in the background, again when it
//! is called often, and once more when it is hot.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use triglyph_guest::kernel::divided::Divided;
use triglyph_guest::kernel::{Tier, Unsupported, Vectors};

use super::counters::Counters;
use super::hidden_surfaces::HiddenSurfaces;
use super::key_log::UsedKey;
use super::kinds::KernelKind;
use super::pixel_cost::PixelCost;
use super::shared::Shared;
use super::tiers::TierMode;
use super::watch::Watch;
use crate::log::LogLevel;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use crate::sync::{Mutex, MutexGuard, RwLock};
use crate::trace;

/// Calls after which a kernel tiers up. A call is a batch of vertices, a tile's share of a draw or a transfer: some
/// thousand of them pay for a few milliseconds of compiling in the background.
const TIER_UP_AFTER: u32 = if cfg!(shuttle) { 2 } else { 2048 };

/// Calls after which a kernel is hot: it has run for seconds, so that compiling it a third time may take a tenth of
/// one.
const HOT_AFTER: u32 = if cfg!(shuttle) { 4 } else { 16_384 };

/// No number of calls.
const NEVER: u32 = u32::MAX;

/// Nanoseconds of compiled code after which a kernel tiers up, however few its calls: as long as compiling takes.
const TIER_UP_AFTER_TIME: u64 = 2_000_000;

/// Nanoseconds after which it is hot: the gain in as much time again, about a quarter, pays for compiling.
const HOT_AFTER_TIME: u64 = 25_000_000;

/// The kernels of one key.
pub(super) struct Slot<K: KernelKind> {
    pub(super) key: K::Key,
    shared: Arc<Shared>,
    interpreter: OnceLock<Arc<K::Kernel>>,
    compiled: RwLock<Option<Arc<K::Kernel>>>,
    /// Increases with each kernel that `compiled` gets, so that callers who keep one notice that there is a better one.
    version: AtomicU32,
    /// Progress of compiling; locked while a compilation runs.
    progress: Mutex<Progress>,
    /// Whether the first compilation has ended, with or without a kernel.
    settled: AtomicBool,
    /// Whether compiling it can wait: the key came from the key file and has not been looked up yet, or no scene has
    /// selected it.
    pub(super) deferred: AtomicBool,
    calls: AtomicU32,
    /// Calls with which the next promotion is due: [`TIER_UP_AFTER`], [`HOT_AFTER`] or [`NEVER`].
    promotion: AtomicU32,
    /// Nanoseconds that compiled code has run, of kernels that shade pixels.
    time: AtomicU64,
    /// Calls that the key file includes.
    reported: AtomicU32,
    /// Whether it was compiled by the optimizing tier, or is about to be.
    tiered_up: AtomicBool,
    /// Whether the log has a line which says that compiled code does not support a call.
    refusal_told: AtomicBool,
    /// Time of the last use, in uses of all kernels; 0 for a key of the key file that was not used yet.
    pub(super) last_used: AtomicU64,
    /// For kernels that shade pixels.
    pub(super) pixel_cost: PixelCost,
    /// The same.
    pub(super) hidden_surfaces: HiddenSurfaces,
    /// The key divided into tests and shading, for kernels that shade pixels; computed at the first request.
    pub(super) divided: OnceLock<Option<Divided<K::Key>>>,
}

/// Progress of compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing was compiled.
    None,
    /// The first compilation has begun.
    Begun,
    /// The kernel of the hot tier is there, and is not replaced. The optimizing tier may come later: its job is queued
    /// by the thread that takes that promotion, while another thread takes the next one.
    Hot,
}

/// A compilation under way. If it panics there is no kernel to wait for: the interpreter or the previous kernel serves.
struct Ending<'s, K: KernelKind>(&'s Slot<K>);

impl<K: KernelKind> Drop for Ending<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.settled.store(true, Release);
            let kind = K::STORED.name();
            self.0.shared.lines.line(LogLevel::Error, format_args!("the compiler panicked on a {kind} kernel"));
        }
    }
}

impl<K: KernelKind> std::fmt::Debug for Slot<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("key", &self.key).field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<K: KernelKind> Slot<K> {
    pub(super) fn new(shared: &Arc<Shared>, key: &K::Key) -> Self {
        Counters::add(&shared.counters.slots, 1);
        Slot {
            key: key.clone(),
            shared: shared.clone(),
            interpreter: OnceLock::new(),
            compiled: RwLock::new(None),
            version: AtomicU32::new(0),
            progress: Mutex::new(Progress::None),
            settled: AtomicBool::new(false),
            deferred: AtomicBool::new(false),
            calls: AtomicU32::new(0),
            promotion: AtomicU32::new(match shared.mode {
                TierMode::Auto => TIER_UP_AFTER,
                TierMode::JitOnly => HOT_AFTER,
                TierMode::InterpreterOnly => NEVER,
            }),
            time: AtomicU64::new(0),
            reported: AtomicU32::new(0),
            tiered_up: AtomicBool::new(false),
            refusal_told: AtomicBool::new(false),
            last_used: AtomicU64::new(0),
            pixel_cost: PixelCost::default(),
            hidden_surfaces: HiddenSurfaces::default(),
            divided: OnceLock::new(),
        }
    }

    /// The interpreter's kernel; made when it is first needed.
    pub(super) fn interpreter(&self) -> &Arc<K::Kernel> {
        self.interpreter.get_or_init(|| {
            let kernel = K::make(&*self.shared.tiers.interpreter, &self.key);
            kernel.expect("the interpreter supports every key")
        })
    }

    /// The compiled kernel, when there is one.
    pub(super) fn compiled(&self) -> Option<Arc<K::Kernel>> {
        self.compiled.read().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Whether the first compilation has ended, with or without a kernel.
    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Acquire)
    }

    /// Number of kernels that [`Self::compiled`] has returned so far, or could have.
    pub(super) fn version(&self) -> u32 {
        self.version.load(Acquire)
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.shared.watch
    }

    /// Notes that compiled code does not support a call, so that the interpreter serves it. The log gets a line for the
    /// first such call.
    #[cold]
    pub(super) fn note_refusal(&self, Unsupported(why): Unsupported) {
        if !self.refusal_told.swap(true, Relaxed) {
            let kind = K::STORED.name();
            let line = format_args!("the interpreter serves calls of a {kind} kernel that is compiled: {why}");
            self.shared.lines.line(LogLevel::Information, line);
        }
    }

    /// Counts calls; a kernel with many of them is promoted.
    #[inline]
    pub(super) fn note_calls(self: &Arc<Self>, count: u32) {
        let calls = self.calls.fetch_add(count, Relaxed);
        if calls >= self.promotion.load(Relaxed) {
            self.promote();
        }
    }

    /// [`Self::note_calls`] for kernels that only one thread at a time calls: without an exclusive access to memory,
    /// which costs more than a short call.
    #[inline]
    pub(super) fn note_call_alone(self: &Arc<Self>) {
        let calls = self.calls.load(Relaxed);
        self.calls.store(calls.wrapping_add(1), Relaxed);
        if calls >= self.promotion.load(Relaxed) {
            self.promote();
        }
    }

    /// Counts time that compiled code has run; a kernel with much of it is promoted.
    pub(super) fn note_time(self: &Arc<Self>, nanoseconds: u64) {
        let time = self.time.fetch_add(nanoseconds, Relaxed).saturating_add(nanoseconds);
        let due = match self.promotion.load(Relaxed) {
            TIER_UP_AFTER => time >= TIER_UP_AFTER_TIME,
            HOT_AFTER => time >= HOT_AFTER_TIME,
            _ => false,
        };
        if due {
            self.promote();
        }
    }

    /// Whether it has run long enough that faster kernels for its parts pay off.
    pub(super) fn has_run_long(&self) -> bool {
        self.time.load(Relaxed) >= TIER_UP_AFTER_TIME || self.calls.load(Relaxed) >= TIER_UP_AFTER
    }

    /// Takes the promotion that is due, unless another caller does.
    #[cold]
    fn promote(self: &Arc<Self>) {
        let due = self.promotion.load(Relaxed);
        let next = if due == TIER_UP_AFTER { HOT_AFTER } else { NEVER };
        if self.promotion.compare_exchange(due, next, Relaxed, Relaxed).is_err() {
            return;
        }
        match due {
            TIER_UP_AFTER if !self.tiered_up.swap(true, Relaxed) => self.queue_tier_up(),
            HOT_AFTER if self.shared.tiers.hot.is_some() => self.queue_hot(),
            _ => {}
        }
    }

    /// Queues the third compilation after all other work of the compiler's thread.
    fn queue_hot(self: &Arc<Self>) {
        let slot = self.clone();
        self.shared.worker.spawn_later(move || {
            if !slot.is_abandoned() && !slot.shared.is_over_budget() {
                slot.compile_hot();
            }
        });
    }

    fn queue_tier_up(self: &Arc<Self>) {
        let slot = self.clone();
        self.shared.worker.spawn(move || {
            if slot.is_abandoned() {
                return;
            }
            slot.compile_optimized();
            // Noted now, so that the next start knows even if this process is killed.
            slot.note_in_key_file();
        });
    }

    /// Starts the first compilation, as the mode requires.
    pub(super) fn start_compiling(self: &Arc<Self>) {
        match self.shared.mode {
            TierMode::InterpreterOnly => {}
            TierMode::JitOnly => {
                self.tiered_up.store(true, Relaxed);
                self.compile_first(self.shared.tiers.optimized.as_deref());
                self.add_to_key_file();
            }
            TierMode::Auto => {
                let slot = self.clone();
                self.shared.worker.spawn(move || {
                    if slot.is_abandoned() {
                        return;
                    }
                    slot.compile_first(slot.shared.tiers.baseline.as_deref());
                    slot.add_to_key_file();
                });
            }
        }
    }

    /// Puts the first compilation off until [`Self::start_if_deferred`].
    pub(super) fn defer(self: &Arc<Self>) {
        self.deferred.store(true, Relaxed);
    }

    /// Notes a use, a look-up or a scene: the least recently used slot is evicted first.
    #[inline]
    pub(super) fn note_use(&self) {
        self.last_used.store(self.shared.clock.fetch_add(1, Relaxed), Relaxed);
    }

    /// Starts the first compilation if it was put off.
    #[inline]
    pub(super) fn start_if_deferred(self: &Arc<Self>) {
        if self.deferred.load(Relaxed) && self.deferred.swap(false, Relaxed) {
            self.start_compiling();
        }
    }

    /// Starts the first compilation for callers that do not wait but will call often: by the optimizing tier.
    pub(super) fn start_optimizing(self: &Arc<Self>) {
        if self.shared.mode == TierMode::InterpreterOnly || self.tiered_up.swap(true, Relaxed) {
            return;
        }
        let slot = self.clone();
        self.shared.worker.spawn(move || {
            if !slot.is_abandoned() {
                slot.compile_first(slot.shared.tiers.optimized.as_deref());
                slot.add_to_key_file();
            }
        });
    }

    /// Queues the first compilation of a key of the key file, which was called `uses` times in earlier runs, after all
    /// other work of the compiler's thread.
    pub(super) fn compile_later(self: &Arc<Self>, uses: u64) {
        let slot = self.clone();
        let optimize = uses >= u64::from(TIER_UP_AFTER) || self.shared.mode == TierMode::JitOnly;
        self.shared.worker.spawn_later(move || {
            // Beyond the budget it would evict kernels that are in use, or used more often.
            if slot.is_abandoned() || slot.shared.is_over_budget() {
                return;
            }
            if !optimize {
                slot.compile_first(slot.shared.tiers.baseline.as_deref());
            } else if !slot.tiered_up.swap(true, Relaxed) {
                slot.compile_optimized();
            }
        });
    }

    fn lock_progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether the caller, a compile job, is the last owner, so that the kernel can no longer be called.
    pub(super) fn is_abandoned(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1
    }

    /// The first compilation, unless there has been one.
    fn compile_first(&self, tier: Option<&dyn Tier>) {
        let mut progress = self.lock_progress();
        if *progress == Progress::None {
            *progress = Progress::Begun;
            self.compile(tier);
            self.settled.store(true, Release);
        }
    }

    /// Compiles with the optimizing tier, unless the key is known to be unsupported. The caller has set `tiered_up`.
    fn compile_optimized(&self) {
        let mut progress = self.lock_progress();
        let first = *progress == Progress::None;
        if first {
            *progress = Progress::Begun;
        }
        if first || *progress != Progress::Hot && self.compiled().is_some() {
            let compiled = self.compile(self.shared.tiers.optimized.as_deref());
            Counters::add(&self.shared.counters.tiered_up, (compiled && !first).into());
        }
        self.settled.store(true, Release);
    }

    /// Compiles with the tier for hot kernels, which does not support those that it would not improve.
    fn compile_hot(&self) {
        let mut progress = self.lock_progress();
        if let (Some(hot), Some(_)) = (self.shared.tiers.hot.as_deref(), self.compiled())
            && let Ok(kernel) = self.make(hot)
        {
            *progress = Progress::Hot;
            self.install(kernel);
            Counters::add(&self.shared.counters.tiered_up, 1);
        }
    }

    /// Adds the key to the key file, if there is one and the compiler supports the key.
    fn add_to_key_file(self: &Arc<Self>) {
        if self.shared.log.is_none() || self.compiled().is_none() {
            return;
        }
        let slot = self.clone();
        self.shared.worker.spawn_later(move || {
            if let Some(log) = &slot.shared.log {
                log.add(K::STORED, &slot.key);
            }
        });
    }

    /// Adds the calls so far to the key file, if there is one.
    fn note_in_key_file(&self) {
        if let Some(log) = &self.shared.log
            && let Some(used) = self.used()
        {
            log.note_used(vec![used]);
        }
    }

    /// The key and the calls since the last query.
    pub(super) fn used(&self) -> Option<UsedKey> {
        let calls = self.calls.load(Relaxed);
        let reported = self.reported.swap(calls, Relaxed);
        let bytes = borsh::to_vec(&self.key).ok()?;
        Some(UsedKey { kind: K::STORED, bytes, calls: calls.wrapping_sub(reported).into() })
    }

    /// Whether there is a new kernel now.
    fn compile(&self, tier: Option<&dyn Tier>) -> bool {
        let Some(tier) = tier else { return false };
        let kernel = self.make(tier);
        let compiled = kernel.is_ok();
        match kernel {
            Ok(kernel) => self.install(kernel),
            Err(Unsupported(why)) => {
                Counters::add(&self.shared.counters.unsupported, 1);
                let line = format_args!("the interpreter serves a {} kernel: {why}", K::STORED.name());
                self.shared.lines.line(LogLevel::Information, line);
            }
        }
        compiled
    }

    /// A new kernel.
    fn make(&self, tier: &dyn Tier) -> Result<Arc<K::Kernel>, Unsupported> {
        let _span = trace::compile(K::STORED.name());
        let _ending = Ending(self);
        let start = Instant::now();
        let kernel = K::make(tier, &self.key);
        Counters::add(&self.shared.counters.compile_nanoseconds, start.elapsed().as_nanos() as u64);
        kernel
    }

    /// Replaces the kernel.
    fn install(&self, kernel: Arc<K::Kernel>) {
        let counters = &self.shared.counters;
        Counters::add(&counters.compiled, 1);
        let code = K::code(&kernel);
        // Added before anyone can subtract it again.
        Counters::add(&counters.code_bytes, code.bytes as u64);
        self.note_vectors(&code.vectors);
        if self.shared.is_over_budget() {
            self.shared.overfull.store(true, Relaxed);
        }
        let old = {
            let mut compiled = self.compiled.write().unwrap_or_else(|e| e.into_inner());
            self.version.fetch_add(1, Release);
            compiled.replace(kernel)
        };
        // The old kernel is freed here, outside of the lock, unless a scene holds it.
        let old = old.map_or(0, |kernel| K::code(&kernel).bytes);
        Counters::subtract(&counters.code_bytes, old as u64);
    }

    /// Counts the vectors of new code. Code that could have wider vectors is logged, since it is slower than possible.
    fn note_vectors(&self, vectors: &Vectors) {
        let counters = &self.shared.counters;
        match vectors {
            Vectors::Narrow => {}
            Vectors::Wide => Counters::add(&counters.wide, 1),
            Vectors::NotWidened(why) => {
                Counters::add(&counters.not_widened, 1);
                let line = format_args!("a {} kernel is without vectors of 256 bits: {why}", K::STORED.name());
                self.shared.lines.line(LogLevel::Information, line);
            }
        }
    }

    pub(super) fn code_bytes(&self) -> u64 {
        let compiled = self.compiled.read().unwrap_or_else(|e| e.into_inner());
        compiled.as_ref().map_or(0, |kernel| K::code(kernel).bytes as u64)
    }
}

impl<K: KernelKind> Drop for Slot<K> {
    fn drop(&mut self) {
        Counters::subtract(&self.shared.counters.slots, 1);
        if let Some(kernel) = self.compiled.get_mut().unwrap_or_else(|e| e.into_inner()) {
            Counters::subtract(&self.shared.counters.code_bytes, K::code(kernel).bytes as u64);
        }
    }
}
