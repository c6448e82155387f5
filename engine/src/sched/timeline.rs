//! Waiting for completed work from another thread.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Counts the work of a device: submissions are numbered from 1, and each is complete once its results are in guest
/// memory. Clones share the count, so that any thread can wait.
#[derive(Clone, Debug, Default)]
pub struct Timeline(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    submitted: u64,
    completed: u64,
}

impl Timeline {
    /// The number of the last submission; 0 before the first.
    pub fn submitted(&self) -> u64 {
        self.counts().submitted
    }

    /// All submissions up to this number are complete.
    pub fn completed(&self) -> u64 {
        self.counts().completed
    }

    /// Waits until submission `number` is complete, at most for `timeout`. Returns whether it is. A number that has not
    /// been submitted yet is waited for as well.
    pub fn wait(&self, number: u64, timeout: Duration) -> bool {
        let counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let pending = |counts: &mut Counts| counts.completed < number;
        let waited = self.0.changed.wait_timeout_while(counts, timeout, pending);
        waited.unwrap_or_else(PoisonError::into_inner).0.completed >= number
    }

    /// A submission begins. Returns its number.
    #[doc(hidden)]
    pub fn submit(&self) -> u64 {
        self.change(|counts| counts.submitted += 1).submitted
    }

    /// Everything submitted so far is complete.
    #[doc(hidden)]
    pub fn complete(&self) {
        self.change(|counts| counts.completed = counts.submitted);
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) -> Counts {
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counts);
        self.0.changed.notify_all();
        *counts
    }

    fn counts(&self) -> Counts {
        *self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_thread_sees_completed_work() {
        let timeline = Timeline::default();
        assert!(timeline.wait(0, Duration::ZERO) && !timeline.wait(1, Duration::ZERO));
        let seen = timeline.clone();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || seen.wait(2, Duration::from_secs(60)));
            assert_eq!((timeline.submit(), timeline.submit()), (1, 2));
            timeline.complete();
            assert!(waiting.join().unwrap());
        });
        assert_eq!((timeline.submitted(), timeline.completed()), (2, 2));
    }
}
