//! Transfers that are done in several parts, because interrupts end them between two pieces.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::{Outcome, Request, Transfers};
use crate::sched::Interrupter;

/// Progress of a transfer that is done in several parts: whether each of its pieces is done.
#[derive(Debug, Default)]
pub struct Progress(OnceLock<Vec<AtomicBool>>);

impl Progress {
    /// Whether all of the transfer is done.
    pub fn is_complete(&self) -> bool {
        self.0.get().is_some_and(|pieces| pieces.iter().all(|piece| piece.load(Relaxed)))
    }
}

/// The transfer of a part, and the interrupter that may end the part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Go<'a> {
    progress: &'a Progress,
    interrupter: Option<&'a Interrupter>,
}

impl Transfers<'_> {
    /// Whether a request has several pieces that can be done in any order, and all that it touches is in memory: it may
    /// be done in several parts then, and its outcome has no unmapped bytes.
    pub fn is_divisible(&self, request: &Request) -> bool {
        match request {
            Request::Fill(request) => self.is_divisible_fill(request),
            Request::Copy(request) => self.is_divisible_copy(request),
            Request::Rearrange(request) => self.is_divisible_rearrange(request),
            Request::FillRect(request) => self.is_divisible_rect(request),
            Request::Convert(request) => self.is_divisible_convert(request),
        }
    }

    /// Does the rest of a [divisible](Self::is_divisible) request, until that is interrupted. Memory is mapped as it
    /// was at the first go.
    pub fn go_on(&self, request: &Request, progress: &Progress, interrupter: Option<&Interrupter>) {
        let outcome = Transfers { go: Some(Go { progress, interrupter }), ..*self }.run(request);
        debug_assert_eq!(outcome, Outcome::default(), "{request:?}");
    }

    /// Whether work that costs a single thread so much is done in pieces, where it can be.
    pub(super) fn is_divided(&self, cost: Duration) -> bool {
        self.go.is_some() || self.scheduler.shares(cost)
    }

    /// Calls `work` with the number of each piece, on any thread; in a go with those that are not done yet.
    pub(super) fn for_each(&self, count: usize, cost: Duration, work: impl Fn(usize) + Sync) {
        let Some(Go { progress, interrupter }) = self.go else { return self.scheduler.for_each(count, cost, work) };
        let pieces = progress.0.get_or_init(|| (0..count).map(|_| AtomicBool::new(false)).collect());
        self.scheduler.for_each(count, cost, |i| {
            if !pieces[i].load(Relaxed) && !interrupter.is_some_and(Interrupter::is_set) {
                work(i);
                pieces[i].store(true, Relaxed);
            }
        });
    }
}
