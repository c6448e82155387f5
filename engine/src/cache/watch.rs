//! Watching kernels while a command is executed: which of them are called, and what programs do.
//!
//! While nobody watches, a call costs one comparison.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::stage::Work;
use triglyph_guest::kernel::trace::{Trace, Tracer, Tracing, Wanted};

use super::handle::Handle;
use super::kernels::Kernels;
use super::kinds::{KernelKey, Kind};

/// What kernels have said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Those that were called, each once, in the order of their first calls.
    pub keys: Vec<(ContentHash, KernelKey)>,
    /// The runs that were asked about.
    pub traces: Vec<Trace>,
}

/// Who watches, if anybody does.
#[derive(Debug, Default)]
pub(super) struct Watch {
    on: AtomicBool,
    current: Mutex<Option<Arc<Watching>>>,
}

/// What is known so far.
#[derive(Debug)]
pub(super) struct Watching {
    keys: Mutex<Vec<(ContentHash, KernelKey)>>,
    tracer: Option<Tracer>,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Watching>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who watches.
    #[inline(always)]
    fn current(&self) -> Option<Arc<Watching>> {
        if self.on.load(Relaxed) { self.lock().clone() } else { None }
    }
}

impl Watching {
    fn keys(&self) -> MutexGuard<'_, Vec<(ContentHash, KernelKey)>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kernels {
    /// From now on calls of kernels are noted; those of programs that are `wanted` are the interpreter's, and traced.
    pub fn watch(&self, wanted: Option<Wanted>) {
        let watch = &self.shared.watch;
        *watch.lock() = Some(Arc::new(Watching { keys: Mutex::default(), tracer: wanted.map(Tracer::new) }));
        watch.on.store(true, Relaxed);
    }

    /// Whether calls are noted now.
    pub(crate) fn is_watched(&self) -> bool {
        self.shared.watch.on.load(Relaxed)
    }

    /// Whether calls are noted. Calls that are for a look alone are not.
    pub fn set_watching(&self, on: bool) {
        self.shared.watch.on.store(on && self.shared.watch.lock().is_some(), Relaxed);
    }

    /// Nobody watches any more. Returns what was noted.
    pub fn end_watch(&self) -> Watched {
        self.shared.watch.on.store(false, Relaxed);
        let Some(watching) = self.shared.watch.lock().take() else { return Watched::default() };
        let keys = std::mem::take(&mut *watching.keys());
        Watched { keys, traces: watching.tracer.as_ref().map(Tracer::take).unwrap_or_default() }
    }
}

/// Which of a job's blocks have the wanted pixel: from the first to the last one that has.
pub(super) fn blocks(blocks: &[PixelBlock], wanted: Wanted) -> Option<Range<usize>> {
    let Wanted::Pixel([x, row]) = wanted else { return None };
    let has = |block: &PixelBlock| u32::from(block.x) == x & !7 && u32::from(block.row) == row & !7;
    let first = blocks.iter().position(has)?;
    Some(first..blocks.iter().rposition(has)? + 1)
}

/// Says whether work of programs of warps has the wanted run.
pub(super) fn runs<'a>(work: &Work<'a>) -> impl Fn(Wanted) -> Option<()> + use<'a> {
    let (of_vertices, places) = match work {
        Work::Vertices(_) => (true, None),
        Work::Blocks(blocks) => (false, Some(blocks.places)),
        Work::Patches(_) | Work::Evaluations(_) | Work::Primitives(_) => (false, None),
    };
    move |wanted| {
        let has = match wanted {
            Wanted::Vertex(_) => of_vertices,
            Wanted::Primitive(_) => !of_vertices && places.is_none(),
            Wanted::Thread(block, _) => places.is_some_and(|places| places.contains(&block)),
            Wanted::Pixel(_) => false,
        };
        has.then_some(())
    }
}

impl<K: Kind> Handle<K> {
    /// Notes that the kernel serves a draw, if somebody watches.
    #[inline]
    pub(crate) fn note_use(&self) {
        if let Some(watching) = self.slot().watch().current() {
            self.note(&watching);
        }
    }

    /// If somebody wants a trace that `wants` finds in a job, has the interpreter do it with a tracer: what `run` does
    /// with what `wants` returns comes back.
    #[inline]
    pub(super) fn traced<P, T>(
        &self,
        wants: impl FnOnce(Wanted) -> Option<P>,
        run: impl FnOnce(&K::Kernel, Tracing<'_>, P) -> T,
    ) -> Option<T> {
        let watching = self.slot().watch().current()?;
        let kernel = self.note(&watching);
        let tracer = watching.tracer.as_ref()?;
        let part = wants(tracer.wanted())?;
        Some(run(self.slot().interpreter(), Tracing { tracer, kernel }, part))
    }

    #[cold]
    fn note(&self, watching: &Watching) -> ContentHash {
        let hash = ContentHash::of(self.key());
        let mut keys = watching.keys();
        if keys.iter().all(|(known, _)| *known != hash) {
            keys.push((hash, K::any(self.key())));
        }
        hash
    }
}
