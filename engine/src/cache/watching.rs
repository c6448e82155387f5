//! The use of a [`Watch`](super::watch::Watch) by [`Kernels`] and [`Handle`]s.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::trace::{Tracer, Tracing, Wanted};

use super::handle::Handle;
use super::kernels::Kernels;
use super::kinds::KernelKind;
use super::watch::{Watched, Watching};

impl Kernels {
    /// From now on calls of kernels are noted; those of programs that are `wanted` are the interpreter's, and traced.
    pub fn watch(&self, wanted: Option<Wanted>) {
        let watch = &self.shared.watch;
        *watch.lock() = Some(Arc::new(Watching::new(wanted.map(Tracer::new))));
        watch.on.store(true, Relaxed);
    }

    /// Whether calls are noted now.
    pub(crate) fn is_watched(&self) -> bool {
        self.shared.watch.on.load(Relaxed)
    }

    /// Whether calls are noted. Calls for observers alone are not.
    pub fn set_watching(&self, on: bool) {
        self.shared.watch.on.store(on && self.shared.watch.lock().is_some(), Relaxed);
    }

    /// Stops watching. Returns what was noted.
    pub fn end_watch(&self) -> Watched {
        self.shared.watch.on.store(false, Relaxed);
        let Some(watching) = self.shared.watch.lock().take() else { return Watched::default() };
        let keys = std::mem::take(&mut *watching.keys());
        Watched { keys, traces: watching.tracer.as_ref().map(Tracer::take).unwrap_or_default() }
    }
}

impl<K: KernelKind> Handle<K> {
    /// Notes that the kernel serves a draw, if there is a watcher.
    #[inline]
    pub(crate) fn note_use(&self) {
        if let Some(watching) = self.slot().watch().current() {
            self.note(&watching);
        }
    }

    /// If the watcher wants a trace of an invocation which `wants` finds in a job, runs the job in the interpreter with
    /// a tracer. Returns the result of `run`, which gets what `wants` returned.
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
