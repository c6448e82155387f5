//! Threads of the host's that help with the work of a device.

use std::fmt::Debug;

/// A host's job system, used instead of threads of the engine's own: a pool of rayon's,
/// for one, with the feature `rayon`.
pub trait Executor: Send + Sync + Debug {
    /// How many of its threads may help at a time, besides the one that makes a call.
    fn threads(&self) -> usize;

    /// Has `job` called on one of its threads, soon. A job takes pieces of the work that its caller is doing, and the
    /// caller does not wait for it to begin: one that comes too late, even after the device is gone, finds nothing to
    /// do. Jobs neither wait for each other nor for the host, and do not panic.
    fn execute(&self, job: Box<dyn FnOnce() + Send>);
}

#[cfg(any(feature = "rayon", test))]
impl Executor for rayon::ThreadPool {
    fn threads(&self) -> usize {
        self.current_num_threads()
    }

    fn execute(&self, job: Box<dyn FnOnce() + Send>) {
        self.spawn(job);
    }
}
