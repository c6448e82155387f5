//! A thread for work that nobody waits for: compiling kernels.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs in order on a thread of its own, started with the first job.
#[derive(Default)]
pub struct Worker {
    thread: Mutex<Option<(Sender<Job>, JoinHandle<()>)>>,
    pending: Arc<Pending>,
}

#[derive(Default)]
struct Pending {
    jobs: Mutex<usize>,
    idle: Condvar,
    /// Set when the work is of no use any more: what has not started is given up.
    stop: std::sync::atomic::AtomicBool,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("pending", &self.pending()).finish_non_exhaustive()
    }
}

impl Worker {
    /// Queues a job. Returns false when the host gives no thread; the job is dropped then.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        if thread.is_none() {
            let (sender, receiver) = channel::<Job>();
            let run = move || receiver.into_iter().for_each(|job| job());
            match std::thread::Builder::new().name("triglyph-compile".into()).spawn(run) {
                Ok(handle) => *thread = Some((sender, handle)),
                Err(_) => return false,
            }
        }
        let Some((sender, _)) = thread.as_ref() else { return false };
        *self.pending.jobs.lock().unwrap_or_else(|e| e.into_inner()) += 1;
        let pending = Done(self.pending.clone());
        sender
            .send(Box::new(move || {
                let pending = pending;
                if !pending.0.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    job();
                }
            }))
            .is_ok()
    }

    /// Gives up every job that has not started.
    pub fn cancel(&self) {
        self.pending.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// Jobs queued or running.
    pub fn pending(&self) -> usize {
        *self.pending.jobs.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Waits until there is no job left.
    pub fn wait_idle(&self) {
        let mut jobs = self.pending.jobs.lock().unwrap_or_else(|e| e.into_inner());
        while *jobs != 0 {
            jobs = self.pending.idle.wait(jobs).unwrap_or_else(|e| e.into_inner());
        }
    }
}

/// Counts a job as done when it ends, also by a panic.
struct Done(Arc<Pending>);

impl Drop for Done {
    fn drop(&mut self) {
        *self.0.jobs.lock().unwrap_or_else(|e| e.into_inner()) -= 1;
        self.0.idle.notify_all();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        let thread = self.thread.get_mut().unwrap_or_else(|e| e.into_inner()).take();
        if let Some((sender, handle)) = thread {
            drop(sender);
            // The job that runs now is finished, nothing else. When the last owner is a job, there is no joining.
            if handle.thread().id() != std::thread::current().id() {
                let _ = handle.join();
            }
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
