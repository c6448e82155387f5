//! Waiting for completed work, events and fences from another thread.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::sync::{Condvar, Mutex};

/// The completed work of a device. Any thread can wait on it without access to the device; clones share it.
///
/// * Submissions are numbered from 1, and each is complete once its results are in guest memory.
/// * Events are counted as they happen: what [`Device::take_events`](crate::device::Device::take_events) returns, and
///   on the Tegra X1 each step of a syncpoint, whether an event waits for it or not.
/// * Fences are counters of the guest's: on the Tegra X1 its syncpoints, on the PS3 the reference values of channels.
#[derive(Clone, Debug, Default)]
pub struct Timeline(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Counts {
    submitted: u64,
    completed: u64,
    events: u64,
    /// Values of the fences, by number.
    fences: Vec<u32>,
    /// Threads that wait for a change.
    waiting: usize,
}

/// Fences at most.
const MAX_FENCES: usize = 1024;

impl Counts {
    fn fence(&self, number: u32) -> u32 {
        self.fences.get(number as usize).copied().unwrap_or(0)
    }
}

impl Timeline {
    /// The number of the last submission; 0 before the first.
    pub fn submitted(&self) -> u64 {
        self.read(|counts| counts.submitted)
    }

    /// All submissions up to this number are complete.
    pub fn completed(&self) -> u64 {
        self.read(|counts| counts.completed)
    }

    /// Waits until submission `number` is complete, at most for `timeout`. Returns whether it is. A number that has not
    /// been submitted yet is waited for as well.
    pub fn wait(&self, number: u64, timeout: Duration) -> bool {
        self.wait_until(timeout, |counts| counts.completed >= number, |counts| counts.completed >= number)
    }

    /// How many events have happened so far.
    pub fn events(&self) -> u64 {
        self.read(|counts| counts.events)
    }

    /// Waits until more than `seen` events have happened, at most for `timeout`. Returns how many have.
    pub fn wait_for_event(&self, seen: u64, timeout: Duration) -> u64 {
        self.wait_until(timeout, |counts| counts.events > seen, |counts| counts.events)
    }

    /// The value of a fence; 0 for one that nothing has counted yet.
    pub fn fence(&self, number: u32) -> u32 {
        self.read(|counts| counts.fence(number))
    }

    /// Waits until a fence has reached `value`, modulo 2^32, at most for `timeout`. Returns whether it has.
    pub fn wait_for_fence(&self, number: u32, value: u32, timeout: Duration) -> bool {
        let reached = |counts: &Counts| counts.fence(number).wrapping_sub(value) as i32 >= 0;
        self.wait_until(timeout, reached, reached)
    }

    /// A submission begins. Returns its number.
    #[doc(hidden)]
    pub fn submit(&self) -> u64 {
        self.change(|counts| {
            counts.submitted += 1;
            counts.submitted
        })
    }

    /// Everything submitted so far is complete.
    #[doc(hidden)]
    pub fn complete(&self) {
        self.change(|counts| counts.completed = counts.submitted);
    }

    /// An event has happened.
    #[doc(hidden)]
    pub fn note_event(&self) {
        self.change(|counts| counts.events += 1);
    }

    /// A fence has a new value.
    #[doc(hidden)]
    pub fn set_fence(&self, number: u32, value: u32) {
        let number = number as usize;
        self.change(|counts| {
            if number < MAX_FENCES {
                counts.fences.resize(counts.fences.len().max(number + 1), 0);
                counts.fences[number] = value;
            }
        });
    }

    /// Waking is a call of the system's even if no thread waits, and calls such as reads of registers change the counts
    /// twice.
    fn change<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut counts);
        if counts.waiting != 0 {
            self.0.changed.notify_all();
        }
        changed
    }

    fn read<T>(&self, read: impl FnOnce(&Counts) -> T) -> T {
        read(&self.0.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wait_until<T>(&self, timeout: Duration, over: impl Fn(&Counts) -> bool, then: impl FnOnce(&Counts) -> T) -> T {
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.waiting += 1;
        let waited = self.0.changed.wait_timeout_while(counts, timeout, |counts| !over(counts));
        let (mut counts, _) = waited.unwrap_or_else(PoisonError::into_inner);
        counts.waiting -= 1;
        then(&counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn another_thread_sees_completed_work() {
        let timeline = Timeline::default();
        assert!(timeline.wait(0, Duration::ZERO) && !timeline.wait(1, Duration::ZERO));
        let seen = timeline.clone();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || seen.wait(2, LONG));
            assert_eq!((timeline.submit(), timeline.submit()), (1, 2));
            timeline.complete();
            assert!(waiting.join().unwrap());
        });
        assert_eq!((timeline.submitted(), timeline.completed()), (2, 2));
    }

    #[test]
    fn another_thread_sees_events_and_fences() {
        let timeline = Timeline::default();
        assert_eq!(timeline.wait_for_event(0, Duration::ZERO), 0);
        assert!(timeline.wait_for_fence(7, 0, Duration::ZERO) && !timeline.wait_for_fence(7, 1, Duration::ZERO));
        let seen = timeline.clone();
        std::thread::scope(|scope| {
            let waiting =
                scope.spawn(move || (seen.wait_for_event(1, LONG), seen.wait_for_fence(7, 0xFFFF_FFF0, LONG)));
            timeline.note_event();
            timeline.note_event();
            // Values are compared modulo 2^32.
            timeline.set_fence(7, 0xFFFF_FFF0);
            assert_eq!(waiting.join().unwrap(), (2, true));
        });
        timeline.set_fence(7, 5);
        assert!(timeline.wait_for_fence(7, 0xFFFF_FFFF, Duration::ZERO));
        timeline.set_fence(u32::MAX, 5);
        assert_eq!((timeline.fence(7), timeline.fence(8), timeline.fence(u32::MAX)), (5, 0, 0));
    }
}
