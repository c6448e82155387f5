//! Background jobs of workers, while their caller goes on.

use std::sync::Arc;

use super::executor::Executor;
use super::worker_pool::WorkerPool;

/// The workers of a scheduler, for work in the background. Jobs of their caller come first: a worker leaves the
/// background for them.
#[derive(Clone, Debug)]
pub struct BackgroundWorkers {
    pool: Arc<WorkerPool>,
    /// The host's threads, where they are not the engine's own.
    threads: Option<Arc<dyn Executor>>,
    count: usize,
}

impl BackgroundWorkers {
    pub(super) fn new(pool: Arc<WorkerPool>, threads: Option<Arc<dyn Executor>>, count: usize) -> Self {
        BackgroundWorkers { pool, threads, count }
    }

    /// Runs `main` on the caller. Each time that it [wants](Self::want) workers they call `work`, which does some of
    /// what there is until there is no more, or until what it is given says to leave, and returns whether there is
    /// more. It does not panic. No worker is in it when this returns.
    pub fn run<R>(&self, work: &(dyn Fn(&dyn Fn() -> bool) -> bool + Sync), main: impl FnOnce() -> R) -> R {
        self.pool.with_background(work, main)
    }

    /// Notifies workers of work. It may be that no worker comes.
    pub fn want(&self) {
        self.pool.want(self.count);
        if let Some(threads) = &self.threads {
            for _ in 0..self.count {
                let pool = self.pool.clone();
                threads.execute(Box::new(move || pool.help_in_background()));
            }
        }
    }

    /// Waits until no worker does anything in the background.
    pub fn clear(&self) {
        self.pool.clear_background();
    }
}
