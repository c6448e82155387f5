//! Watching kernels while a command is executed: which of them are called, and what programs do.
//!
//! Without a watcher, a call costs one comparison.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use triglyph_guest::kernel::ContentHash;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::stage::Work;
use triglyph_guest::kernel::trace::{Trace, Tracer, Wanted};

use super::kinds::KernelKey;

/// Reports of kernels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Those that were called, each once, in the order of their first calls.
    pub keys: Vec<(ContentHash, KernelKey)>,
    /// The traced runs.
    pub traces: Vec<Trace>,
}

/// The watcher, if there is one.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) on: AtomicBool,
    current: Mutex<Option<Arc<Watching>>>,
}

/// The reports so far.
#[derive(Debug)]
pub(super) struct Watching {
    keys: Mutex<Vec<(ContentHash, KernelKey)>>,
    pub(super) tracer: Option<Tracer>,
}

impl Watch {
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Arc<Watching>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The watcher.
    #[inline(always)]
    pub(super) fn current(&self) -> Option<Arc<Watching>> {
        if self.on.load(Relaxed) { self.lock().clone() } else { None }
    }
}

impl Watching {
    pub(super) fn new(tracer: Option<Tracer>) -> Self {
        Watching { keys: Mutex::default(), tracer }
    }

    pub(super) fn keys(&self) -> MutexGuard<'_, Vec<(ContentHash, KernelKey)>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The blocks of a job from the first to the last one with the wanted pixel.
pub(super) fn blocks(blocks: &[PixelBlock], wanted: Wanted) -> Option<Range<usize>> {
    let Wanted::Pixel([x, row]) = wanted else { return None };
    let has = |block: &PixelBlock| u32::from(block.x) == x & !7 && u32::from(block.row) == row & !7;
    let first = blocks.iter().position(has)?;
    Some(first..blocks.iter().rposition(has)? + 1)
}

/// Returns a function that tests whether a job of warps has the wanted run.
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
