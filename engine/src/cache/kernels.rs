//! All kernels of an engine: look-up by key, the key file, the budget.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::divided::Divided;
use triglyph_guest::kernel::pixel::PixelKey;

use super::counters::Counters;
use super::division::{DividedKernels, Division, Removal};
use super::handle::Handle;
use super::key_log::{KeyLog, WarmStart};
use super::kinds::{self, Fragment, KernelKind, Pixel, Shades, kernel_kinds};
use super::shared::Shared;
use super::slot::Slot;
use super::store::{Contents, KeyStore};
use super::tables::{Table, Tables};
use super::tiers::{TierMode, Tiers};
use crate::log::{Log, LogHandler, LogLevel};

/// All kernels of an engine.
#[derive(Debug)]
pub struct Kernels {
    pub(super) shared: Arc<Shared>,
    tables: Tables,
}

macro_rules! define_look_ups {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $method:ident: $key:ty => $kernel:ty;)*) => {
        /// Look-ups by key.
        impl Kernels {
            $(
                $(#[$doc])*
                pub fn $method(&self, key: &<kinds::$kind as KernelKind>::Key) -> Handle<kinds::$kind> {
                    self.find(&self.tables.$method, key)
                }
            )*
        }
    };
}
kernel_kinds!(define_look_ups);

impl Kernels {
    /// Empty tables, which may hold `budget` bytes of machine code.
    pub fn new(tiers: Tiers, mode: TierMode, budget: usize) -> Self {
        Kernels::with(Shared::new(tiers, mode, budget, None, Arc::default()))
    }

    /// Tables with the keys of a key file, to which new keys are added. The kernels of known keys are compiled in the
    /// background, most used first, until they fill the budget; one that is looked up before is compiled at once. The
    /// file is pruned when it exceeds `limit` bytes. A file that cannot be read or written is not used, and
    /// [`WarmStart::error`] says why; one that cannot be written later is counted ([`Self::key_file_errors`]).
    pub fn with_key_file(
        tiers: Tiers,
        mode: TierMode,
        budget: usize,
        store: KeyStore,
        limit: u64,
    ) -> (Self, WarmStart) {
        let writes = mode != TierMode::InterpreterOnly;
        let read = store.read().and_then(|contents| match writes {
            true => store.check_writable().map(|()| contents),
            false => Ok(contents),
        });
        let (contents, error) = match read {
            Ok(contents) => (contents, None),
            Err(error) => (Contents::default(), Some(error)),
        };
        let usable = error.is_none() && writes;
        let known = contents.keys.iter().map(|key| key.hash).collect();
        let lines: Arc<Log> = Arc::default();
        let log = usable.then(|| KeyLog::new(store, known, limit, lines.clone()));
        let kernels = Kernels::with(Shared::new(tiers, mode, budget, log, lines));
        let mut start = WarmStart { damage: contents.damage, error, ..WarmStart::default() };
        if !usable {
            return (kernels, start);
        }
        for key in &contents.keys {
            let recalled = kernels.tables.of(key.kind).recall(&kernels.shared, &key.bytes, key.uses);
            if recalled { start.keys += 1 } else { start.undecodable += 1 }
        }
        Counters::add(&kernels.shared.counters.recalled, start.keys as u64);
        if contents.bytes > limit {
            let shared = kernels.shared.clone();
            kernels.shared.worker.spawn_later(move || shared.log.iter().for_each(KeyLog::prune));
        }
        (kernels, start)
    }

    fn with(shared: Shared) -> Self {
        Kernels { shared: Arc::new(shared), tables: Tables::default() }
    }

    /// The kernel of a key. A new key, and code that came since the last look-up, may evict others.
    fn find<K: KernelKind>(&self, table: &Table<K>, key: &K::Key) -> Handle<K> {
        self.find_and(table, key, Slot::start_compiling)
    }

    fn find_and<K: KernelKind>(&self, table: &Table<K>, key: &K::Key, start: fn(&Arc<Slot<K>>)) -> Handle<K> {
        let (slot, new) = table.get(&self.shared, key, start);
        if new || self.shared.overfull.load(Relaxed) && self.shared.overfull.swap(false, Relaxed) {
            self.tables.evict(&self.shared);
        }
        Handle::new(slot)
    }

    /// The kernel of a key of 3DS pixels that may never be called: it starts to be compiled when a scene selects it.
    pub fn pixel_when_used(&self, key: &PixelKey) -> Handle<Pixel> {
        self.find_and(&self.tables.pixel, key, Slot::defer)
    }

    /// The kernels of the parts of a key of 3DS pixels, if it can be divided.
    pub(crate) fn divide_pixel(&self, kernel: &Handle<Pixel>, when: Removal) -> Option<DividedKernels<Pixel>> {
        self.divide(&self.tables.pixel, kernel, when)
    }

    /// The same of a key of a fragment program.
    pub(crate) fn divide_fragment(&self, kernel: &Handle<Fragment>, when: Removal) -> Option<DividedKernels<Fragment>> {
        self.divide(&self.tables.fragment, kernel, when)
    }

    /// The kernels of a key's parts, once the kernel has run long; they are compiled in the background. With
    /// [`Removal::Always`] they are compiled as any kernel.
    fn divide<K: Shades>(&self, table: &Table<K>, kernel: &Handle<K>, when: Removal) -> Option<DividedKernels<K>> {
        let slot = kernel.slot();
        let is_wanted = match when {
            Removal::Never => false,
            Removal::WhenFaster => slot.has_run_long() && slot.hidden_surfaces.is_due(),
            Removal::Always => true,
        };
        if !is_wanted {
            return None;
        }
        let divided = slot.divided.get_or_init(|| K::divide(&slot.key)).as_ref()?;
        let start = if when == Removal::Always { Slot::start_compiling } else { Slot::start_optimizing };
        let find = |key: &Option<K::Key>| key.as_ref().map(|key| self.find_and(table, key, start));
        let Divided { discards, written, replaced, .. } = *divided;
        let division = Division {
            has_tests: divided.tests.is_some(),
            has_shading: divided.shading.is_some(),
            discards,
            written,
            replaced,
        };
        Some(DividedKernels { tests: find(&divided.tests), shading: find(&divided.shading), division })
    }

    /// Calls `handler` with each line of the cache's log: see [`crate::log`].
    pub fn set_log_handler(&self, handler: Option<LogHandler>) {
        self.shared.lines.set_handler(handler);
    }

    /// Adds a line to the log.
    #[cold]
    pub(crate) fn log_line(&self, level: LogLevel, text: impl fmt::Display) {
        self.shared.lines.line(level, text);
    }

    /// How often writing the key file has failed.
    pub fn key_file_errors(&self) -> u64 {
        self.shared.log.as_ref().map_or(0, KeyLog::errors)
    }

    /// How many jobs of the compiler's thread have panicked.
    pub fn compiler_panics(&self) -> u64 {
        self.shared.worker.panics()
    }

    /// Whether there is a key file. Then first frames are to be fast, see [`Self::prepare`].
    pub fn has_key_file(&self) -> bool {
        self.shared.log.is_some()
    }

    /// Does work that makes a first frame faster on the compiler's thread, after the kernels of the key file. Without a
    /// key file it does nothing.
    pub fn prepare(&self, work: impl FnOnce() + Send + 'static) {
        if self.has_key_file() {
            self.shared.worker.spawn_later(work);
        }
    }

    /// Waits until every queued compilation has ended.
    pub fn wait_for_compiler(&self) {
        self.shared.worker.wait_idle();
    }

    /// The counters so far.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Number of keys held.
    pub fn len(&self) -> usize {
        self.tables.all().iter().map(|table| table.len()).sum()
    }

    /// Whether no key is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tier that serves calls.
    pub fn mode(&self) -> TierMode {
        self.shared.mode
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        // Queued jobs keep their slots alive: without this they would still be compiled, for no caller.
        self.shared.worker.cancel();
        if let Some(log) = &self.shared.log {
            let mut used = Vec::new();
            self.tables.all().iter().for_each(|table| table.compiled_keys(&mut used));
            log.note_used(used);
        }
    }
}
