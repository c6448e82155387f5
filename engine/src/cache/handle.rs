//! A kernel, as scenes hold it.

use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP};

use super::counters::Counters;
use super::kinds::KernelKind;
use super::slot::Slot;

/// The kernel of a key: calls go to compiled code where there is some and it supports the call, else to the
/// interpreter. Methods that call it are in `calls`.
pub struct Handle<K: KernelKind>(Arc<Slot<K>>);

impl<K: KernelKind> Clone for Handle<K> {
    fn clone(&self) -> Self {
        Handle(self.0.clone())
    }
}

impl<K: KernelKind> std::fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Handle").field(&self.0).finish()
    }
}

/// A job of items (vertices, primitives) that a kernel does in order. Compiled code may stop before the end: the next
/// [`GROUP`] items are then the interpreter's.
pub(super) trait Batch<Kernel: ?Sized> {
    /// Items.
    fn len(&self) -> usize;
    /// Programs that ran away so far.
    fn exhausted(&self) -> u32;
    /// Does items from `first` on; returns how many of all are done.
    fn run(&mut self, kernel: &Kernel, first: usize) -> usize;
    /// Does some of the items.
    fn run_range(&mut self, kernel: &Kernel, items: Range<usize>);
}

impl<K: KernelKind> Handle<K> {
    pub(super) fn new(slot: Arc<Slot<K>>) -> Self {
        Handle(slot)
    }

    pub(super) fn slot(&self) -> &Arc<Slot<K>> {
        &self.0
    }

    /// The key that the kernel is specialised to.
    pub fn key(&self) -> &K::Key {
        &self.0.key
    }

    /// The current estimate of a pixel's cost, in [parts of a nanosecond](super::PixelCost::PARTS).
    pub fn expected_pixel_cost(&self) -> u64 {
        self.0.pixel_cost.get(self.0.compiled().is_some())
    }

    /// The compiled kernel, if there is one by now.
    pub fn compiled(&self) -> Option<Arc<K::Kernel>> {
        self.0.compiled()
    }

    /// Whether there is compiled code by now.
    pub fn is_compiled(&self) -> bool {
        self.0.compiled().is_some()
    }

    /// Whether the compiler does not support the key: there never will be compiled code.
    pub fn is_unsupported(&self) -> bool {
        self.0.is_settled() && !self.is_compiled()
    }

    /// Calls `run` with `compiled`; where there is none or it does not support the call, with the interpreter's kernel.
    #[inline]
    pub(super) fn call<T: Default>(
        &self,
        compiled: Option<&K::Kernel>,
        run: impl FnMut(&K::Kernel) -> Result<T, Unsupported>,
    ) -> T {
        self.call_for(1, compiled, run)
    }

    /// The same for work that counts as so many calls.
    #[inline]
    pub(super) fn call_for<T: Default>(
        &self,
        count: u32,
        compiled: Option<&K::Kernel>,
        mut run: impl FnMut(&K::Kernel) -> Result<T, Unsupported>,
    ) -> T {
        self.0.note_calls(count);
        let counters = self.0.counters();
        if let Some(compiled) = compiled {
            match run(compiled) {
                Ok(result) => {
                    Counters::add(&counters.compiled_calls, count.into());
                    return result;
                }
                Err(why) => self.0.note_refusal(why),
            }
        }
        Counters::add(&counters.interpreter_calls, count.into());
        // The interpreter supports every call.
        run(self.0.interpreter()).unwrap_or_default()
    }

    /// Does a whole job: with compiled code, but for the items that it leaves to the interpreter.
    #[inline]
    pub(super) fn run_batch(&self, job: &mut impl Batch<K::Kernel>) {
        self.0.note_calls(1);
        let counters = self.0.counters();
        let Some(compiled) = self.0.compiled() else {
            Counters::add(&counters.interpreter_calls, 1);
            job.run(self.0.interpreter(), 0);
            return;
        };
        Counters::add(&counters.compiled_calls, 1);
        let total = job.len();
        let mut done = job.run(&compiled, 0);
        while done < total {
            // When programs run away again and again, only the interpreter defines the results of the other lanes.
            let give_up = job.exhausted() >= EXHAUSTED_LIMIT;
            let end = if give_up { total } else { (done + GROUP).min(total) };
            Counters::add(&counters.interpreter_calls, 1);
            job.run_range(self.0.interpreter(), done..end);
            done = if end < total { job.run(&compiled, end) } else { end };
        }
    }
}
