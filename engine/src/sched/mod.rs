//! Threads: the only place that knows about them.
//!
//! Tiles, vertex batches and transfer stripes run through [`Scheduler::for_each`]; kernels are compiled beside them
//! by [`Worker`]. The caller always takes part in its own work, so an engine of one thread starts none for it.

mod worker;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
pub use worker::Worker;

/// Runs independent pieces of work on a pool of the engine's own, or the host's.
#[derive(Debug)]
pub struct Scheduler {
    /// The helpers of the caller; `None` when it works alone.
    pool: Option<Arc<ThreadPool>>,
    threads: usize,
}

impl Scheduler {
    /// A scheduler of `threads` threads, the caller's included; 0 takes one for each core.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        if threads == 1 {
            return Ok(Scheduler { pool: None, threads });
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads - 1)
            .thread_name(|i| format!("triglyph-{i}"))
            .build()
            .map_err(|e| Error::Unsupported(format!("{threads} threads: {e}")))?;
        Ok(Scheduler { pool: Some(Arc::new(pool)), threads })
    }

    /// A scheduler on a pool of the host's: its threads and the caller.
    pub fn with_pool(pool: Arc<ThreadPool>) -> Self {
        let threads = pool.current_num_threads() + 1;
        Scheduler { pool: Some(pool), threads }
    }

    /// Threads that work at once, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` once with each number below `count`, in any order and on any thread, and returns when all are
    /// done. A panic in `work` is passed on.
    pub fn for_each(&self, count: usize, work: impl Fn(usize) + Sync) {
        let Some(pool) = self.pool.as_deref().filter(|_| count > 1) else {
            return (0..count).for_each(work);
        };
        // One shared counter instead of a split: pieces differ a lot in size, and taking the next is one atomic add.
        let next = AtomicUsize::new(0);
        let run = || {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= count {
                    break;
                }
                work(piece);
            }
        };
        pool.in_place_scope(|scope| {
            for _ in 1..self.threads.min(count) {
                scope.spawn(|_| run());
            }
            run();
        });
    }

    /// Calls `work` once with each item, as [`Self::for_each`].
    pub fn for_each_item<T: Send>(&self, items: Vec<T>, work: impl Fn(T) + Sync) {
        if self.pool.is_none() || items.len() < 2 {
            return items.into_iter().for_each(work);
        }
        let cells: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.for_each(cells.len(), |i| {
            let item = cells[i].lock().unwrap_or_else(|e| e.into_inner()).take();
            if let Some(item) = item {
                work(item);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn every_piece_is_done_once() {
        for threads in [1, 2, 4] {
            let scheduler = Scheduler::new(threads).unwrap();
            for count in [0, 1, 2, 63] {
                let seen: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
                scheduler.for_each(count, |i| {
                    seen[i].fetch_add(1, Ordering::Relaxed);
                });
                assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn items_are_moved_into_the_work() {
        let scheduler = Scheduler::new(3).unwrap();
        let mut numbers = vec![0u32; 100];
        scheduler.for_each_item(numbers.iter_mut().enumerate().collect(), |(i, n)| *n = i as u32);
        assert!(numbers.iter().enumerate().all(|(i, &n)| n == i as u32));
    }
}
