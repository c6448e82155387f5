//! The workers of a caller: one job at a time, shared by the workers that are awake.
//!
//! Waking a thread costs the caller about ten microseconds, and it takes forty until the thread runs (measured on a
//! virtual machine; a third of that on a bare one): as long as a whole frame of a small scene. So a worker without work
//! spins for [`SPIN`] before it goes to sleep, and a caller does not wait for workers that come too late: it closes the
//! job and waits only for those inside.
//!
//! This is why the file needs `unsafe`: the job borrows from the caller's stack, and threads that outlive the call see
//! it through a pointer.
#![allow(unsafe_code)]

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::{Duration, Instant};

use super::pieces::{End, Pieces};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use crate::sync::{Condvar, Mutex, MutexGuard};

/// How long a worker without work spins. It bounds what a worker takes from the host's other threads after each burst
/// of work. Lists of small draws bring the next job within some tens of microseconds.
const SPIN: Duration = Duration::from_micros(100);

/// How long a caller spins for workers that are still inside before it goes to sleep.
const CALLER_SPIN: Duration = Duration::from_micros(100);

/// A job in pieces, on the stack of the caller that waits for it.
struct Job<'a> {
    piece: &'a (dyn Fn(usize) + Sync),
    pieces: Pieces,
    /// The first panic.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Job<'_> {
    /// Takes pieces until there are none left.
    fn take_part(&self, end: End) {
        let take = || {
            while let Some(piece) = self.pieces.take(end) {
                (self.piece)(piece);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(take)) {
            self.pieces.close();
            lock(&self.panic).get_or_insert(panic);
        }
    }
}

/// What workers do in the background of a caller, on the stack of that caller: some of it, until there is none or they
/// are asked to leave. Returns whether there is more.
struct Background<'a>(&'a (dyn Fn(&dyn Fn() -> bool) -> bool + Sync));

/// State that the caller and its workers share.
///
/// **Invariant**: `job` points to a live job or is null, and a worker dereferences it only between incrementing and
/// decrementing `inside`. The caller clears the pointer, then waits until `inside` is 0, then drops the job. Every
/// access is sequentially consistent, so a worker is either counted before the caller checks, or finds the pointer
/// cleared. The same holds for `background` and `in_background`.
#[derive(Debug, Default)]
pub(super) struct WorkerPool {
    job: AtomicPtr<Job<'static>>,
    inside: AtomicUsize,
    background: AtomicPtr<Background<'static>>,
    in_background: AtomicUsize,
    /// How many more workers are wanted in the background.
    wanted: AtomicUsize,
    /// Workers that spin.
    spinning: AtomicUsize,
    /// Workers that sleep.
    asleep: AtomicUsize,
    /// Callers that sleep until no worker is inside.
    waiting: AtomicUsize,
    /// Whether there is a job.
    busy: AtomicBool,
    /// Set when workers have to end; sleeping workers and callers wait with it.
    stop: Mutex<bool>,
    wake: Condvar,
    left: Condvar,
}

impl WorkerPool {
    /// Whether a worker spins, so that it would start at once.
    pub(super) fn is_spinning(&self) -> bool {
        self.spinning.load(Relaxed) != 0
    }

    /// Does `count` pieces together with the workers that come; `wake` is called once they can. A panic in a piece is
    /// passed on. A job that starts while there is another one is done by its caller alone.
    pub(super) fn share(&self, count: usize, piece: &(dyn Fn(usize) + Sync), wake: impl FnOnce()) {
        let Ok(pieces) = u32::try_from(count).map(Pieces::new) else { return (0..count).for_each(piece) };
        if self.busy.swap(true, SeqCst) {
            return (0..count).for_each(piece);
        }
        let job = Job { piece, pieces, panic: Mutex::new(None) };
        self.job.store((&raw const job).cast_mut().cast(), SeqCst);
        {
            // No worker is inside when the job is dropped, also after a panic.
            let _closing = Closing(self);
            wake();
            job.take_part(End::Back);
        }
        if let Some(panic) = job.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }

    /// Takes part in the job, if there is one.
    pub(super) fn help(&self) {
        self.inside.fetch_add(1, SeqCst);
        let pointer = self.job.load(SeqCst);
        // SAFETY: the invariant of `WorkerPool`. This thread is counted in `inside`, so the job stays until that is
        // undone.
        if let Some(job) = unsafe { pointer.as_ref() } {
            job.take_part(End::Front);
            // No piece is left, so no other worker needs to come. This cannot be another job at the same address, as
            // this one has not been dropped yet.
            let _ = self.job.compare_exchange(pointer, null_mut(), SeqCst, SeqCst);
        }
        self.leave(&self.inside);
    }

    /// A worker that was counted in `inside` is done.
    fn leave(&self, inside: &AtomicUsize) {
        inside.fetch_sub(1, SeqCst);
        if self.waiting.load(SeqCst) != 0 {
            drop(lock(&self.stop));
            self.left.notify_all();
        }
    }

    /// Waits until no worker is counted in `inside`.
    fn wait_until_empty(&self, inside: &AtomicUsize) {
        let is_empty = || inside.load(SeqCst) == 0;
        if spin_until(CALLER_SPIN, is_empty) {
            return;
        }
        let mut guard = lock(&self.stop);
        self.waiting.fetch_add(1, SeqCst);
        while !is_empty() {
            guard = self.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.waiting.fetch_sub(1, SeqCst);
    }

    /// Runs `main`, during which workers that are [wanted](Self::want) do `work`.
    pub(super) fn with_background<R>(
        &self,
        work: &(dyn Fn(&dyn Fn() -> bool) -> bool + Sync),
        main: impl FnOnce() -> R,
    ) -> R {
        let background = Background(work);
        let pointer = (&raw const background).cast_mut().cast();
        if self.background.compare_exchange(null_mut(), pointer, SeqCst, SeqCst).is_err() {
            // Another caller's.
            return main();
        }
        // No worker is in the background when it is dropped, also after a panic.
        let _closing = ClosingBackground(self);
        main()
    }

    /// There is work in the background for so many workers.
    pub(super) fn want(&self, count: usize) {
        self.wanted.store(count, SeqCst);
        self.wake(count);
    }

    /// No more worker goes to the background; returns when those who are there have left.
    pub(super) fn clear_background(&self) {
        self.wanted.store(0, SeqCst);
        self.wait_until_empty(&self.in_background);
    }

    /// Does work of the background, which does not panic, if a worker is wanted there.
    pub(super) fn help_in_background(&self) {
        self.in_background.fetch_add(1, SeqCst);
        let is_wanted = self.wanted.fetch_update(SeqCst, SeqCst, |wanted| wanted.checked_sub(1)).is_ok();
        // SAFETY: the invariant of `WorkerPool`. This thread is counted in `in_background`, so the work stays until
        // that is undone.
        if let Some(Background(work)) = unsafe { self.background.load(SeqCst).as_ref() }.filter(|_| is_wanted) {
            while work(&|| self.has_job()) {
                self.help();
            }
        }
        self.leave(&self.in_background);
    }

    /// Wakes up to `count` sleeping workers.
    pub(super) fn wake(&self, count: usize) {
        let asleep = self.asleep.load(SeqCst).min(count);
        if asleep != 0 {
            drop(lock(&self.stop));
            (0..asleep).for_each(|_| self.wake.notify_one());
        }
    }

    /// The loop of a worker until [`Self::stop`]. Without `spin` it sleeps whenever there is no job.
    pub(super) fn run(&self, spin: bool) {
        while self.wait_for_work(spin) {
            if self.has_job() {
                self.help();
            } else {
                self.help_in_background();
            }
        }
    }

    /// Ends all workers.
    pub(super) fn stop(&self) {
        *lock(&self.stop) = true;
        self.wake.notify_all();
    }

    /// Returns true when there is work, false when workers have to end.
    fn wait_for_work(&self, spin: bool) -> bool {
        if spin {
            self.spinning.fetch_add(1, SeqCst);
            let found = spin_until(SPIN, || self.has_work());
            self.spinning.fetch_sub(1, SeqCst);
            if found {
                return true;
            }
        }
        let mut stop = lock(&self.stop);
        self.asleep.fetch_add(1, SeqCst);
        while !*stop && !self.has_work() {
            stop = self.wake.wait(stop).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, SeqCst);
        !*stop
    }

    fn has_job(&self) -> bool {
        !self.job.load(SeqCst).is_null()
    }

    fn has_work(&self) -> bool {
        self.has_job() || self.wanted.load(SeqCst) != 0
    }
}

/// Closes the job when dropped, and waits for the workers inside.
struct Closing<'a>(&'a WorkerPool);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let pool = self.0;
        pool.job.store(null_mut(), SeqCst);
        pool.wait_until_empty(&pool.inside);
        pool.busy.store(false, SeqCst);
    }
}

/// Clears the background when dropped, and waits for the workers there.
struct ClosingBackground<'a>(&'a WorkerPool);

impl Drop for ClosingBackground<'_> {
    fn drop(&mut self) {
        self.0.background.store(null_mut(), SeqCst);
        self.0.clear_background();
    }
}

/// Spins until the condition holds or `time` is over; returns whether it holds. In models time is over at once.
fn spin_until(time: Duration, condition: impl Fn() -> bool) -> bool {
    if cfg!(shuttle) {
        return condition();
    }
    let mut start = None;
    loop {
        for _ in 0..64 {
            if condition() {
                return true;
            }
            spin_loop();
        }
        // The clock is read only when the condition does not hold at once.
        if start.get_or_insert_with(Instant::now).elapsed() >= time {
            return condition();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
