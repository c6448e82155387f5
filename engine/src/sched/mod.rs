//! Threads: the only place that knows about them.
//!
//! Tiles, vertex batches and transfer stripes run through [`Scheduler::for_each`]; kernels are compiled beside them
//! by [`Worker`]. The caller always takes part in its own work, so an engine of one thread starts none for it.

mod crew;
mod worker;

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rayon::ThreadPool;

use crate::error::Error;
use crew::Crew;
pub use worker::Worker;

/// Work below this is done before a helper that is awake has understood it.
const TINY: Duration = Duration::from_micros(4);

/// Work below this is done by the caller alone while helpers sleep: waking one takes as long as half of it.
const SMALL: Duration = Duration::from_micros(80);

/// Runs independent pieces of work on threads of the engine's own, or on the host's.
#[derive(Debug)]
pub struct Scheduler {
    helpers: Helpers,
    threads: usize,
}

/// Who helps the caller.
#[derive(Debug)]
enum Helpers {
    Nobody,
    Own(Own),
    Host { pool: Arc<ThreadPool>, crew: Arc<Crew> },
}

/// Threads of the engine's own; they end with it.
#[derive(Debug, Default)]
struct Own {
    crew: Arc<Crew>,
    threads: Vec<JoinHandle<()>>,
}

impl Own {
    fn start(count: usize) -> std::io::Result<Self> {
        let cores = cores();
        let mut own = Own::default();
        for i in 1..=count {
            let crew = own.crew.clone();
            let thread = std::thread::Builder::new().name(format!("triglyph-{i}"));
            // Helpers without a core to themselves would look out for work at the expense of those who do it.
            own.threads.push(thread.spawn(move || crew.serve(i < cores))?);
        }
        Ok(own)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.crew.dismiss();
        for thread in self.threads.drain(..) {
            // A helper does not panic: work's panics are its caller's.
            let _ = thread.join();
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Scheduler {
    /// A scheduler of `threads` threads, the caller's included; 0 takes one for each core.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let threads = if threads == 0 { cores() } else { threads };
        let helpers = match threads {
            1 => Helpers::Nobody,
            _ => Helpers::Own(
                Own::start(threads - 1).map_err(|e| Error::Unsupported(format!("{threads} threads: {e}")))?,
            ),
        };
        Ok(Scheduler { helpers, threads })
    }

    /// A scheduler on a pool of the host's: its threads and the caller.
    pub fn with_pool(pool: Arc<ThreadPool>) -> Self {
        let threads = pool.current_num_threads() + 1;
        Scheduler { helpers: Helpers::Host { pool, crew: Arc::default() }, threads }
    }

    /// Threads that work at once, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether work that takes a single thread about `cost` would be shared now. Not sharing is a decision of the
    /// moment: helpers that are awake take smaller work than those that have to be woken.
    pub fn shares(&self, cost: Duration) -> bool {
        match &self.helpers {
            Helpers::Nobody => false,
            Helpers::Own(own) => cost >= if own.crew.is_watching() { TINY } else { SMALL },
            Helpers::Host { .. } => cost >= SMALL,
        }
    }

    /// Calls `work` once with each number below `count`, in any order and, where `cost` makes it worth while, on any
    /// thread; returns when all are done. `cost` is about what all of it takes a single thread. A panic in `work`
    /// is passed on.
    pub fn for_each(&self, count: usize, cost: Duration, work: impl Fn(usize) + Sync) {
        if count < 2 || !self.shares(cost) {
            return (0..count).for_each(work);
        }
        let helpers = self.threads.min(count) - 1;
        match &self.helpers {
            Helpers::Nobody => (0..count).for_each(work),
            Helpers::Own(Own { crew, .. }) => crew.share(count, &work, || crew.wake(helpers)),
            Helpers::Host { pool, crew } => crew.share(count, &work, || {
                for _ in 0..helpers {
                    let crew = crew.clone();
                    pool.spawn(move || crew.help());
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

#[cfg(test)]
mod tests;
