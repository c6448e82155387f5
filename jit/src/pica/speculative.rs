//! Speculation on products: code with plain products, recompiled with exact ones when that pays.
//!
//! A plain product costs one instruction and an exact one five, but a group with a NaN that may be 0 * infinity falls
//! back to the interpreter, which is some fifty times slower. So a kernel begins plain, and is compiled a second time
//! after many such groups. Both give the same bytes; only the time differs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use triglyph_guest::kernel::{MachineCode, Unsupported};

use super::Compiled;

/// Doubtful groups of a kernel that fall back to the interpreter: about as many as cost what compiling costs.
const MAX_FALLBACKS: u32 = 128;

/// Both forms of a kernel's code.
pub(super) struct Speculative<A> {
    pub plain: Compiled<A>,
    exact: OnceLock<Result<Compiled<A>, Unsupported>>,
    doubts: AtomicU32,
}

impl<A> Speculative<A> {
    pub fn new(plain: Compiled<A>) -> Self {
        Speculative { plain, exact: OnceLock::new(), doubts: AtomicU32::new(0) }
    }

    /// Notes a doubtful group. The code that can do it, if there is such: `compile` makes it when it is due.
    pub fn doubt(&self, compile: impl FnOnce() -> Result<Compiled<A>, Unsupported>) -> Option<&Compiled<A>> {
        if self.doubts.load(Relaxed) < MAX_FALLBACKS {
            self.doubts.fetch_add(1, Relaxed);
            return None;
        }
        self.exact(compile)
    }

    /// The code for groups that the plain form cannot do, made now if it has not been made.
    pub fn exact(&self, compile: impl FnOnce() -> Result<Compiled<A>, Unsupported>) -> Option<&Compiled<A>> {
        self.exact.get_or_init(compile).as_ref().ok()
    }

    /// The plain form's code.
    pub fn made(&self) -> MachineCode {
        self.plain.code.made()
    }
}

/// Exponential backoff: how long a job stays with slower code after faster code has failed. Failures come in rows, so
/// each one that follows at once doubles the time.
pub(super) struct Backoff {
    first: usize,
    longest: usize,
    row: usize,
    left: usize,
    /// Where the faster code was tried again.
    again: Option<usize>,
}

impl Backoff {
    /// From `first` to `longest` pieces of work.
    pub fn new(first: usize, longest: usize) -> Backoff {
        Backoff { first, longest, row: first, left: 0, again: None }
    }

    /// Pieces that are still to be done by the slower code.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The faster code has failed at place `at` of the job.
    pub fn failed(&mut self, at: usize) {
        self.row = if self.again == Some(at) { (2 * self.row).min(self.longest) } else { self.first };
        self.left = self.row;
    }

    /// The slower code has come to place `at`, with `pieces` more done.
    pub fn done(&mut self, pieces: usize, at: usize) {
        self.left = self.left.saturating_sub(pieces);
        self.again = Some(at);
    }
}
