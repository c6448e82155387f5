//! A thread for work in the background: compiling kernels.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::own_thread::OwnThread;
use crate::sync::atomic::AtomicU64;
use crate::sync::{Condvar, Mutex, MutexGuard, thread_local};

type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs in order on its own thread, which starts with the first job. Jobs that can wait run when there are no
/// others.
#[derive(Default)]
pub struct Worker {
    thread: Mutex<Option<OwnThread<()>>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    /// Notified when a job is queued, and when the worker stops.
    changed: Condvar,
    idle: Condvar,
    /// Jobs that panicked.
    panics: AtomicU64,
}

thread_local! {
    /// The worker whose jobs this thread runs, if any.
    static RUNS: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
}

#[derive(Default)]
struct Queues {
    soon: VecDeque<Job>,
    later: VecDeque<Job>,
    running: bool,
    /// Jobs that have not started are dropped.
    cancelled: bool,
    /// No more jobs will be queued.
    stopped: bool,
}

impl Queues {
    fn pending(&self) -> usize {
        self.soon.len() + self.later.len() + usize::from(self.running)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn run(&self) {
        RUNS.with(|runs| runs.set(self));
        let mut queues = self.lock();
        loop {
            let job = queues.soon.pop_front().or_else(|| queues.later.pop_front());
            let Some(job) = job else {
                if queues.stopped {
                    return;
                }
                queues = self.changed.wait(queues).unwrap_or_else(|e| e.into_inner());
                continue;
            };
            queues.running = true;
            drop(queues);
            // A job that panics has ended as well. The hook has reported it; waiters get no result.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
                self.panics.fetch_add(1, Relaxed);
            }
            queues = self.lock();
            queues.running = false;
            if queues.pending() == 0 {
                self.idle.notify_all();
            }
        }
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("pending", &self.pending()).finish_non_exhaustive()
    }
}

impl Worker {
    /// Queues a job. Returns false when the host has no thread for it or jobs were cancelled; the job is dropped then.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) -> bool {
        self.queue(Box::new(job), |queues| &mut queues.soon)
    }

    /// Queues a job that can wait for those of [`Worker::spawn`].
    pub fn spawn_later(&self, job: impl FnOnce() + Send + 'static) -> bool {
        self.queue(Box::new(job), |queues| &mut queues.later)
    }

    fn queue(&self, job: Job, which: impl FnOnce(&mut Queues) -> &mut VecDeque<Job>) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        if thread.is_none() {
            let shared = self.shared.clone();
            match OwnThread::start("triglyph-compile".into(), move || shared.run()) {
                Ok(started) => *thread = Some(started),
                Err(_) => return false,
            }
        }
        let mut queues = self.shared.lock();
        if queues.cancelled {
            return false;
        }
        which(&mut queues).push_back(job);
        self.shared.changed.notify_one();
        true
    }

    /// Drops every job that has not started, and those that are queued later.
    pub fn cancel(&self) {
        let dropped = {
            let mut queues = self.shared.lock();
            queues.cancelled = true;
            let dropped = (std::mem::take(&mut queues.soon), std::mem::take(&mut queues.later));
            if queues.pending() == 0 {
                self.shared.idle.notify_all();
            }
            dropped
        };
        // Outside of the lock: a job may hold the last reference to the owner of this worker.
        drop(dropped);
    }

    /// Jobs queued or running.
    pub fn pending(&self) -> usize {
        self.shared.lock().pending()
    }

    /// Jobs that panicked so far.
    pub fn panics(&self) -> u64 {
        self.shared.panics.load(Relaxed)
    }

    /// Waits until there is no job left.
    pub fn wait_idle(&self) {
        let mut queues = self.shared.lock();
        while queues.pending() != 0 {
            queues = self.shared.idle.wait(queues).unwrap_or_else(|e| e.into_inner());
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(|e| e.into_inner()).take();
        if thread.as_ref().is_none_or(OwnThread::is_here) {
            self.cancel();
            self.shared.lock().stopped = true;
            self.shared.changed.notify_all();
        }
        if let Some(thread) = thread
            // Waits for the job that runs now. When that job is the last owner, its thread cannot be joined.
            && !std::ptr::eq(RUNS.with(Cell::get), &*self.shared)
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn jobs_run_in_order_and_can_be_awaited() {
        let worker = Worker::default();
        let log = Arc::new(Mutex::new(Vec::new()));
        for i in 0..10 {
            let log = log.clone();
            assert!(worker.spawn(move || log.lock().unwrap().push(i)));
        }
        worker.wait_idle();
        assert_eq!(*log.lock().unwrap(), (0..10).collect::<Vec<_>>());
        assert_eq!(worker.pending(), 0);
    }

    #[test]
    fn jobs_that_can_wait_do() {
        let worker = Worker::default();
        let log = Arc::new(Mutex::new(Vec::new()));
        // Holds the worker until everything is queued.
        let gate = Arc::new(Mutex::new(()));
        let held = gate.lock().unwrap();
        let wait = gate.clone();
        worker.spawn(move || drop(wait.lock().unwrap()));
        for i in 0..4 {
            let log = log.clone();
            worker.spawn_later(move || log.lock().unwrap().push(10 + i));
        }
        for i in 0..4 {
            let log = log.clone();
            worker.spawn(move || log.lock().unwrap().push(i));
        }
        drop(held);
        worker.wait_idle();
        assert_eq!(*log.lock().unwrap(), [0, 1, 2, 3, 10, 11, 12, 13]);
    }

    #[test]
    fn a_job_that_panics_is_done() {
        let worker = Worker::default();
        worker.spawn(|| panic!("on purpose"));
        let done = Arc::new(AtomicUsize::new(0));
        let count = done.clone();
        worker.spawn(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        worker.wait_idle();
        assert_eq!((done.load(Ordering::Relaxed), worker.panics()), (1, 1));
    }

    #[test]
    fn dropping_does_not_run_what_is_queued() {
        let done = Arc::new(AtomicUsize::new(0));
        let worker = Worker::default();
        for _ in 0..1000 {
            let done = done.clone();
            worker.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(1));
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        drop(worker);
        assert!(done.load(Ordering::Relaxed) < 1000);
    }
}
