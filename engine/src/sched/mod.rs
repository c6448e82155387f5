//! Threads. No other module starts any.
//!
//! Tiles, vertex batches and transfer stripes run through [`Scheduler::for_each`]; kernels are compiled at the same
//! time by
//! [`Worker`]. The caller always takes part in its own work, so an engine of one thread starts none for it.

mod background;
mod device_worker;
mod executor;
mod interrupter;
mod own_thread;
pub(crate) mod pieces;
mod timeline;
mod worker;
mod worker_pool;

use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::sync::Mutex;
pub use background::BackgroundWorkers;
pub use device_worker::{BoundedWork, DeviceWorker, Ticket, WorkerError, WorkerOptions};
pub use executor::Executor;
pub use interrupter::Interrupter;
use own_thread::OwnThread;
pub use timeline::Timeline;
pub use worker::Worker;
use worker_pool::WorkerPool;

/// Work below this is done before a worker that is awake has started.
const MIN_SHARED_AWAKE: Duration = Duration::from_micros(4);

/// Work below this is done by the caller alone while workers sleep: waking one takes half as long.
const MIN_SHARED: Duration = Duration::from_micros(80);

/// Runs independent pieces of work on threads of the engine's own, or on the host's.
#[derive(Debug)]
pub struct Scheduler {
    helpers: Helpers,
    threads: usize,
}

/// The threads that work besides the caller.
#[derive(Debug)]
enum Helpers {
    None,
    Own(OwnThreads),
    Host { threads: Arc<dyn Executor>, pool: Arc<WorkerPool> },
}

/// Threads of the engine's own; they end with it.
#[derive(Debug, Default)]
struct OwnThreads {
    pool: Arc<WorkerPool>,
    threads: Vec<OwnThread<()>>,
}

impl OwnThreads {
    fn start(count: usize) -> std::io::Result<Self> {
        let cores = cores();
        let mut own = OwnThreads::default();
        for i in 1..=count {
            let pool = own.pool.clone();
            // A worker without a core of its own does not spin: it would take time from those that work.
            own.threads.push(OwnThread::start(format!("triglyph-{i}"), move || pool.run(i < cores))?);
        }
        Ok(own)
    }
}

impl Drop for OwnThreads {
    fn drop(&mut self) {
        if self.threads.iter().all(OwnThread::is_here) {
            self.pool.stop();
        }
        for thread in self.threads.drain(..) {
            // A worker does not panic: panics of its work are passed to the caller.
            let _ = thread.join();
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Scheduler {
    /// Most threads, the caller's included.
    pub const MAX_THREADS: usize = 1024;

    /// A scheduler of `threads` threads, the caller's included, at most [`Self::MAX_THREADS`]; 0 takes one for each
    /// core.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for more, and when the host gives no threads.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let threads = if threads == 0 { cores().min(Self::MAX_THREADS) } else { threads };
        if threads > Self::MAX_THREADS {
            return Err(Error::Unsupported(format!("{threads} threads: at most {}", Self::MAX_THREADS)));
        }
        let helpers = match threads {
            1 => Helpers::None,
            _ => Helpers::Own(
                OwnThreads::start(threads - 1).map_err(|e| Error::Unsupported(format!("{threads} threads: {e}")))?,
            ),
        };
        Ok(Scheduler { helpers, threads })
    }

    /// A scheduler of the caller's thread, for pieces of what another one has shared.
    pub const fn alone() -> Self {
        Scheduler { helpers: Helpers::None, threads: 1 }
    }

    /// A scheduler on threads of the host's: they and the caller.
    pub fn with_executor(threads: Arc<dyn Executor>) -> Self {
        let count = threads.threads() + 1;
        Scheduler { helpers: Helpers::Host { threads, pool: Arc::default() }, threads: count }
    }

    /// Threads that work at once, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The threads besides the caller, for work in the background; `None` where there are none.
    pub fn background_workers(&self) -> Option<BackgroundWorkers> {
        let (pool, threads) = match &self.helpers {
            Helpers::None => return None,
            Helpers::Own(own) => (&own.pool, None),
            Helpers::Host { threads, pool } => (pool, Some(threads.clone())),
        };
        (self.threads > 1).then(|| BackgroundWorkers::new(pool.clone(), threads, self.threads - 1))
    }

    /// Whether work that takes a single thread about `cost` would be shared now. Smaller work is shared while workers
    /// are awake than when they have to be woken.
    pub fn shares(&self, cost: Duration) -> bool {
        match &self.helpers {
            Helpers::None => false,
            Helpers::Own(own) => cost >= if own.pool.is_spinning() { MIN_SHARED_AWAKE } else { MIN_SHARED },
            Helpers::Host { .. } => cost >= MIN_SHARED,
        }
    }

    /// Calls `work` once with each number below `count`, in any order and, when `cost` makes it worth it, on any
    /// thread; returns when all are done. `cost` is about the time a single thread takes for all of it. A panic in
    /// `work` is passed on.
    pub fn for_each(&self, count: usize, cost: Duration, work: impl Fn(usize) + Sync) {
        if count < 2 || !self.shares(cost) {
            return (0..count).for_each(work);
        }
        let helpers = self.threads.min(count) - 1;
        match &self.helpers {
            Helpers::None => (0..count).for_each(work),
            Helpers::Own(OwnThreads { pool, .. }) => pool.share(count, &work, || pool.wake(helpers)),
            Helpers::Host { threads, pool } => pool.share(count, &work, || {
                for _ in 0..helpers {
                    let pool = pool.clone();
                    threads.execute(Box::new(move || pool.help()));
                }
            }),
        }
    }

    /// Calls `work` once with each item, as [`Self::for_each`].
    pub fn for_each_item<T: Send>(&self, items: Vec<T>, cost: Duration, work: impl Fn(T) + Sync) {
        if items.len() < 2 || !self.shares(cost) {
            return items.into_iter().for_each(work);
        }
        let cells: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.for_each(cells.len(), cost, |i| {
            let item = cells[i].lock().unwrap_or_else(|e| e.into_inner()).take();
            if let Some(item) = item {
                work(item);
            }
        });
    }
}

#[cfg(all(test, shuttle))]
mod model;
#[cfg(test)]
mod tests;
