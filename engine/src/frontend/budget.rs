//! The budget of a command front end: how much work it may still do, and how much time has passed with that work.
//!
//! Two things bound work. *Fuel* ends guests that run away: what does not fit into it is not done. A *slice* ends a
//! bounded run between two commands: everything is done, later.

use crate::device::RunLimit;
use crate::sched::Interrupter;

/// The fuel of a submission, the slice of a bounded run, and the machine's clock. The clock moves with the work, not
/// with the host's clock, so that runs can be repeated.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Work that may still be done before the guest counts as running away, about a nanosecond each.
    fuel: u64,
    /// Nanoseconds since power on.
    clock: u64,
    /// What is left of a bounded run.
    slice: Option<RunLimit>,
    /// Words that the last bounded run might do, then those that it did.
    words: u64,
    interrupter: Interrupter,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceEnd {
    /// There was more of it.
    Unused,
    /// It is used up.
    Used,
    /// It was interrupted.
    Interrupted,
}

impl Budget {
    /// Nanoseconds since power on.
    pub fn now(&self) -> u64 {
        self.clock
    }

    /// Sets the time, in nanoseconds since power on.
    pub fn set_clock(&mut self, nanoseconds: u64) {
        self.clock = nanoseconds;
    }

    /// Lets time pass without work.
    pub fn advance(&mut self, nanoseconds: u64) {
        self.clock = self.clock.wrapping_add(nanoseconds);
    }

    /// Sets the fuel for a submission.
    pub fn refuel(&mut self, units: u64) {
        self.fuel = units;
    }

    /// Who interrupts slices.
    pub fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }

    /// Begins a bounded run. Each piece of its work may use as much fuel as if it were the first of a submission, so
    /// that slices do all that one run without bounds does.
    pub fn begin_slice(&mut self, limit: RunLimit, fuel: u64) {
        self.fuel = limit.nanoseconds.saturating_add(fuel);
        self.slice = Some(limit);
        self.words = limit.words;
    }

    /// Ends it.
    pub fn end_slice(&mut self) -> SliceEnd {
        self.words -= self.slice.map_or(0, |left| left.words).min(self.words);
        let used = self.slice.take().is_some_and(|left| left.nanoseconds == 0 || left.words == 0);
        match (self.interrupter.take(), used) {
            (true, _) => SliceEnd::Interrupted,
            (false, true) => SliceEnd::Used,
            (false, false) => SliceEnd::Unused,
        }
    }

    /// Words that the last bounded run did; no more than its limit.
    pub fn words_done(&self) -> u64 {
        self.words
    }

    /// Whether this is a bounded run.
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.slice.is_some()
    }

    /// Whether a bounded run is over: before the next command it returns.
    #[inline]
    pub fn is_over(&self) -> bool {
        match self.slice {
            Some(left) => left.nanoseconds == 0 || left.words == 0 || self.interrupter.is_set(),
            None => false,
        }
    }

    /// The fuel that is left.
    #[inline]
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Words of commands, of so many nanoseconds each, that may be executed before anything is to be looked at.
    #[inline]
    pub fn affordable_words(&self, nanoseconds: u64) -> u64 {
        match self.slice {
            Some(left) => (self.fuel.min(left.nanoseconds) / nanoseconds).min(left.words),
            None => self.fuel / nanoseconds,
        }
    }

    /// Words that a bounded run may still do, at least 1: packets are cut there, so that recordings can repeat how runs
    /// were cut by counting words.
    #[inline]
    pub fn words_left(&self) -> usize {
        self.slice.map_or(usize::MAX, |left| usize::try_from(left.words).unwrap_or(usize::MAX).max(1))
    }

    /// Takes fuel for work that costs about `nanoseconds`, and lets that time pass. False if there was not enough left:
    /// the work is not to be done then.
    #[inline]
    #[must_use]
    pub fn spend(&mut self, nanoseconds: u64) -> bool {
        let enough = nanoseconds <= self.fuel;
        self.clock = self.clock.wrapping_add(nanoseconds.min(self.fuel));
        self.fuel = self.fuel.saturating_sub(nanoseconds);
        if let Some(left) = &mut self.slice {
            left.nanoseconds = left.nanoseconds.saturating_sub(nanoseconds);
        }
        enough
    }

    /// Takes back that words of commands were spent: an interrupt has left them for the next run.
    pub fn give_back_words(&mut self, words: u64, nanoseconds: u64) {
        self.clock = self.clock.wrapping_sub(nanoseconds);
        self.fuel = self.fuel.saturating_add(nanoseconds);
        if let Some(left) = &mut self.slice {
            left.words = left.words.saturating_add(words).min(self.words);
            left.nanoseconds = left.nanoseconds.saturating_add(nanoseconds);
        }
    }

    /// As [`Self::spend`], for words of commands.
    #[inline]
    #[must_use]
    pub fn spend_words(&mut self, words: u64, nanoseconds: u64) -> bool {
        if let Some(left) = &mut self.slice {
            left.words = left.words.saturating_sub(words);
        }
        self.spend(nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_with_work_until_the_fuel_is_used_up() {
        let mut budget = Budget::default();
        budget.advance(5);
        budget.refuel(10);
        assert!(budget.spend(7));
        assert_eq!((budget.fuel(), budget.now()), (3, 12));
        assert!(!budget.spend(4));
        assert_eq!((budget.fuel(), budget.now()), (0, 15));
        assert!(!budget.is_over());
    }

    #[test]
    fn slices_end_by_time_words_and_interrupts() {
        let mut budget = Budget::default();
        budget.begin_slice(RunLimit { nanoseconds: 100, words: 8 }, 1000);
        assert!(budget.is_bounded() && budget.affordable_words(1) == 8);
        assert!(budget.spend_words(7, 7) && !budget.is_over());
        // A piece of work may go beyond the slice, not beyond the fuel.
        assert!(budget.spend(500) && budget.is_over());
        assert_eq!((budget.end_slice(), budget.now(), budget.is_over()), (SliceEnd::Used, 507, false));
        budget.begin_slice(RunLimit::of_words(1), 1000);
        assert!(budget.spend_words(3, 3) && budget.is_over());
        assert_eq!(budget.end_slice(), SliceEnd::Used);
        budget.begin_slice(RunLimit::NONE, 1000);
        assert!(!budget.is_over());
        budget.interrupter().clone().interrupt();
        assert!(budget.is_over());
        assert_eq!(budget.end_slice(), SliceEnd::Interrupted);
        budget.begin_slice(RunLimit::NONE, 1000);
        assert_eq!(budget.end_slice(), SliceEnd::Unused);
    }
}
