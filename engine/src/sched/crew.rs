//! The helpers of a caller: one piece of work at a time, shared by whoever is awake.
//!
//! Waking a thread costs its caller about ten microseconds and the work forty until the thread is there (measured on
//! a virtual machine; a third of it on bare ones), a whole frame of a small scene. So a helper that has run out of
//! work looks out for more for [`WATCH`] before it goes to sleep, and a caller does not wait for helpers that come too
//! late: it closes the work and waits for those inside only.
//!
//! This is why the file needs `unsafe`: the work borrows from the caller's stack, and threads that outlive the call
//! see it through a pointer.
#![allow(unsafe_code)]

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a helper without work stays awake. It bounds what a helper takes from the host's other threads: this much
/// after each burst of work. Lists of small draws come back within some tens of microseconds.
const WATCH: Duration = Duration::from_micros(100);

/// How long a caller looks out for helpers that are still inside before it goes to sleep.
const PATIENCE: Duration = Duration::from_micros(100);

/// Work in pieces, on the stack of the caller that waits for it.
struct Work<'a> {
    piece: &'a (dyn Fn(usize) + Sync),
    count: usize,
    /// The next piece to take. One shared counter instead of a split: pieces differ a lot in size.
    next: AtomicUsize,
    /// The first panic.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Work<'_> {
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

/// What the caller and its helpers share.
///
/// **Invariant**: `work` points to live work or to nothing, and a helper looks at it only between adding itself to
/// `inside` and taking itself off. The caller clears the pointer, then waits until nobody is inside, then lets the
/// work go. Every access is sequentially consistent, so a helper is counted before the caller looks, or finds the
/// pointer cleared.
#[derive(Debug, Default)]
pub(super) struct Crew {
    work: AtomicPtr<Work<'static>>,
    inside: AtomicUsize,
    /// Helpers that look out for work.
    watching: AtomicUsize,
    /// Helpers that sleep.
    asleep: AtomicUsize,
    /// Whether the caller sleeps until helpers are out.
    waiting: AtomicBool,
    /// Whether somebody's work is under way.
    taken: AtomicBool,
    /// Set when helpers are to end; what sleepers sleep on.
    stop: Mutex<bool>,
    wake: Condvar,
    left: Condvar,
}

impl Crew {
    /// Whether a helper would be there at once.
    pub(super) fn is_watching(&self) -> bool {
        self.watching.load(Relaxed) != 0
    }

    /// Does `count` pieces of work together with whatever helpers come; `call` is called when they can. A panic in a
    /// piece is passed on. Work that is begun while other work is under way is the caller's alone.
    pub(super) fn share(&self, count: usize, piece: &(dyn Fn(usize) + Sync), call: impl FnOnce()) {
        if self.taken.swap(true, SeqCst) {
            return (0..count).for_each(piece);
        }
        let work = Work { piece, count, next: AtomicUsize::new(0), panic: Mutex::new(None) };
        self.work.store((&raw const work).cast_mut().cast(), SeqCst);
        {
            // Whatever happens, nobody is inside of `work` when it goes.
            let _closing = Closing(self);
            call();
            work.take_part();
        }
        if let Some(panic) = work.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }

    /// Takes part in the work there is, if any.
    pub(super) fn help(&self) {
        self.inside.fetch_add(1, SeqCst);
        let pointer = self.work.load(SeqCst);
        // SAFETY: the invariant of `Crew`. This thread is counted, so what the pointer shows now stays.
        if let Some(work) = unsafe { pointer.as_ref() } {
            work.take_part();
            // There is nothing left to take: nobody else needs to come. This cannot be other work at the same
            // address, as this one has not gone yet.
            let _ = self.work.compare_exchange(pointer, null_mut(), SeqCst, SeqCst);
        }
        self.inside.fetch_sub(1, SeqCst);
        if self.waiting.load(SeqCst) {
            drop(lock(&self.stop));
            self.left.notify_all();
        }
    }

    /// Wakes up to `count` helpers that sleep.
    pub(super) fn wake(&self, count: usize) {
        let asleep = self.asleep.load(SeqCst).min(count);
        if asleep != 0 {
            drop(lock(&self.stop));
            (0..asleep).for_each(|_| self.wake.notify_one());
        }
    }

    /// The life of a helper, until [`Self::dismiss`]. One that may not `watch` sleeps whenever there is no work.
    pub(super) fn serve(&self, watch: bool) {
        while self.await_work(watch) {
            self.help();
        }
    }

    /// Lets all helpers end.
    pub(super) fn dismiss(&self) {
        *lock(&self.stop) = true;
        self.wake.notify_all();
    }

    /// Returns true when there is work, false when helpers are dismissed.
    fn await_work(&self, watch: bool) -> bool {
        if watch {
            self.watching.fetch_add(1, SeqCst);
            let found = look_out(WATCH, || self.has_work());
            self.watching.fetch_sub(1, SeqCst);
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

    fn has_work(&self) -> bool {
        !self.work.load(SeqCst).is_null()
    }

    fn is_empty(&self) -> bool {
        self.inside.load(SeqCst) == 0
    }
}

/// Closes the work under way when dropped, and waits for those inside.
struct Closing<'a>(&'a Crew);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let crew = self.0;
        crew.work.store(null_mut(), SeqCst);
        if !look_out(PATIENCE, || crew.is_empty()) {
            let mut guard = lock(&crew.stop);
            crew.waiting.store(true, SeqCst);
            while !crew.is_empty() {
                guard = crew.left.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            crew.waiting.store(false, SeqCst);
        }
        crew.taken.store(false, SeqCst);
    }
}

/// Asks until the answer is yes or `patience` is over; returns the answer.
fn look_out(patience: Duration, yes: impl Fn() -> bool) -> bool {
    let mut start = None;
    loop {
        for _ in 0..64 {
            if yes() {
                return true;
            }
            spin_loop();
        }
        // The clock is asked only when the answer is not there at once.
        if start.get_or_insert_with(Instant::now).elapsed() >= patience {
            return yes();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
