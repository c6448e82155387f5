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
    count: usize,
    /// The next piece to take. One shared counter instead of a split: pieces differ a lot in size.
    next: AtomicUsize,
    /// The first panic.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Job<'_> {
    /// Takes pieces until there are none left.
    fn take_part(&self) {
        let take = || {
            loop {
                let piece = self.next.fetch_add(1, Relaxed);
                if piece >= self.count {
                    break;
                }
                (self.piece)(piece);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(take)) {
            self.next.store(self.count, Relaxed);
            lock(&self.panic).get_or_insert(panic);
        }
    }
}

/// What the caller and its workers share.
///
/// **Invariant**: `job` points to a live job or is null, and a worker dereferences it only between incrementing and
/// decrementing `inside`. The caller clears the pointer, then waits until `inside` is 0, then drops the job. Every
/// access is sequentially consistent, so a worker is either counted before the caller checks, or finds the pointer
/// cleared.
#[derive(Debug, Default)]
pub(super) struct WorkerPool {
    job: AtomicPtr<Job<'static>>,
    inside: AtomicUsize,
    /// Workers that spin.
    spinning: AtomicUsize,
    /// Workers that sleep.
    asleep: AtomicUsize,
    /// Whether the caller sleeps until no worker is inside.
    waiting: AtomicBool,
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
        if self.busy.swap(true, SeqCst) {
            return (0..count).for_each(piece);
        }
        let job = Job { piece, count, next: AtomicUsize::new(0), panic: Mutex::new(None) };
        self.job.store((&raw const job).cast_mut().cast(), SeqCst);
        {
            // No worker is inside when the job is dropped, also after a panic.
            let _closing = Closing(self);
            wake();
            job.take_part();
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
            job.take_part();
            // No piece is left, so no other worker needs to come. This cannot be another job at the same address, as
            // this one has not been dropped yet.
            let _ = self.job.compare_exchange(pointer, null_mut(), SeqCst, SeqCst);
        }
        self.inside.fetch_sub(1, SeqCst);
        if self.waiting.load(SeqCst) {
            drop(lock(&self.stop));
            self.left.notify_all();
        }
    }

    /// Wakes up to `count` sleeping workers.
    pub(super) fn wake(&self, count: usize) {
        let asleep = self.asleep.load(SeqCst).min(count);
        if asleep != 0 {
            drop(lock(&self.stop));
            (0..asleep).for_each(|_| self.wake.notify_one());
        }
    }

    /// What a worker does until [`Self::stop`]. Without `spin` it sleeps whenever there is no job.
    pub(super) fn run(&self, spin: bool) {
        while self.wait_for_job(spin) {
            self.help();
        }
    }

    /// Ends all workers.
    pub(super) fn stop(&self) {
        *lock(&self.stop) = true;
        self.wake.notify_all();
    }

    /// Returns true when there is a job, false when workers have to end.
    fn wait_for_job(&self, spin: bool) -> bool {
        if spin {
            self.spinning.fetch_add(1, SeqCst);
            let found = spin_until(SPIN, || self.has_job());
            self.spinning.fetch_sub(1, SeqCst);
            if found {
                return true;
            }
        }
        let mut stop = lock(&self.stop);
        self.asleep.fetch_add(1, SeqCst);
        while !*stop && !self.has_job() {
            stop = self.wake.wait(stop).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, SeqCst);
        !*stop
    }

    fn has_job(&self) -> bool {
        !self.job.load(SeqCst).is_null()
    }

    fn is_empty(&self) -> bool {
        self.inside.load(SeqCst) == 0
    }
}

/// Closes the job when dropped, and waits for the workers inside.
struct Closing<'a>(&'a WorkerPool);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let pool = self.0;
        pool.job.store(null_mut(), SeqCst);
        if !spin_until(CALLER_SPIN, || pool.is_empty()) {
            let mut guard = lock(&pool.stop);
            pool.waiting.store(true, SeqCst);
            while !pool.is_empty() {
                guard = pool.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            pool.waiting.store(false, SeqCst);
        }
        pool.busy.store(false, SeqCst);
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
