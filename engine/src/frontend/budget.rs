//! The budget of a command front end: how much work it may still do, and how much time has passed with that work.
//!
//! Two things bound work. *Fuel* ends guests that run away: work that does not fit into it is not done. A *slice* ends
//! a bounded run between two commands: everything is done, later.
//!
//! *Time* is the time of the work on the console; the guest sees it. *Fuel* is the cost of the work on the host: a unit
//! is about a nanosecond of a core that runs compiled code ([`cost`]). What the console does in no time, but a host
//! does not, takes fuel alone.

pub use crate::cost;
use crate::device::run::RunLimit;
use crate::sched::Interrupter;
use triglyph_guest::num::nanoseconds;

/// The default fuel of a submission. Whatever a submission asks for, it ends after some seconds of compiled code; the
/// heaviest of the captures here use a tenth of it.
pub const FUEL: u64 = 1 << 31;

/// Fuel that a slice may use for each nanosecond of its time.
const FUEL_PER_NANOSECOND: u64 = 16;

/// The fuel of a submission, the slice of a bounded run, and the machine's clock. The clock moves with the work, not
/// with the host's clock, so that runs can be repeated.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Work that may still be done before the guest counts as running away.
    fuel: u64,
    /// Fuel at the beginning of a submission.
    tank: u64,
    /// Nanoseconds since power on.
    clock: u64,
    /// What is left of a bounded run.
    slice: Option<Slice>,
    /// Words that the last bounded run might do, then those that it did.
    words: u64,
    /// Whether the last bounded run was cut.
    was_cut: bool,
    interrupter: Interrupter,
}

/// What is left of a bounded run.
#[derive(Clone, Copy, Debug)]
struct Slice {
    nanoseconds: u64,
    words: u64,
    /// Fuel that all of it may use.
    fuel: u64,
    /// Whether it ends here.
    is_cut: bool,
}

impl Slice {
    fn is_used(&self) -> bool {
        self.is_cut || self.nanoseconds == 0 || self.words == 0 || self.fuel == 0
    }
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceEnd {
    /// There was more of it.
    Unused,
    /// It is used up.
    Used,
    /// It was interrupted, or cut.
    Interrupted,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(FUEL)
    }
}

impl Budget {
    /// A budget at power on, of so much fuel for each submission.
    pub fn new(fuel: u64) -> Self {
        Budget {
            fuel,
            tank: fuel,
            clock: 0,
            slice: None,
            words: 0,
            was_cut: false,
            interrupter: Interrupter::default(),
        }
    }

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

    /// The fuel of each submission.
    pub fn tank(&self) -> u64 {
        self.tank
    }

    /// Sets the fuel of each submission.
    pub fn set_tank(&mut self, fuel: u64) {
        (self.tank, self.fuel) = (fuel, fuel);
    }

    /// Begins a submission, or another call of the host's.
    pub fn refuel(&mut self) {
        self.fuel = self.tank;
    }

    /// Interrupts slices.
    pub fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }

    /// Begins a bounded run. Each command of it may use as much fuel as if it were the first of a submission, so that
    /// slices do all that one run without bounds does.
    pub fn begin_slice(&mut self, limit: RunLimit) {
        self.refuel();
        let (nanoseconds, words) = (nanoseconds(limit.time), limit.words);
        let fuel = nanoseconds.saturating_mul(FUEL_PER_NANOSECOND);
        self.slice = Some(Slice { nanoseconds, words, fuel, is_cut: false });
        self.words = words;
    }

    /// Ends it.
    pub fn end_slice(&mut self) -> SliceEnd {
        self.words -= self.slice.map_or(0, |left| left.words).min(self.words);
        let (is_cut, used) = self.slice.take().map_or((false, false), |left| (left.is_cut, left.is_used()));
        self.was_cut = is_cut;
        self.refuel();
        // An interrupt is for the rest of a run that was cut.
        match (is_cut || self.interrupter.take(), used) {
            (true, _) => SliceEnd::Interrupted,
            (false, true) => SliceEnd::Used,
            (false, false) => SliceEnd::Unused,
        }
    }

    /// Words that the last bounded run did; no more than its limit.
    pub fn words_done(&self) -> u64 {
        self.words
    }

    /// Ends a bounded run before the next command, for a recording that has to look at memory before.
    #[cold]
    pub fn cut(&mut self) {
        if let Some(left) = &mut self.slice {
            left.is_cut = true;
        }
    }

    /// Whether the last bounded run was cut. If it was interrupted as well, so is the next one.
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// Whether this is a bounded run.
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.slice.is_some()
    }

    /// Whether a bounded run is over: before the next command it returns.
    #[inline]
    pub fn is_over(&self) -> bool {
        match &self.slice {
            Some(left) => left.is_used() || self.interrupter.is_set(),
            None => false,
        }
    }

    /// The fuel that is left.
    #[inline]
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// The fuel that was used since [`Self::refuel`].
    pub fn used(&self) -> u64 {
        self.tank.saturating_sub(self.fuel)
    }

    /// Words of commands, of so many nanoseconds each, that may be executed before the next check of the budget.
    #[inline]
    pub fn affordable_words(&self, nanoseconds: u64) -> u64 {
        let fuel = nanoseconds.max(cost::WORD);
        match &self.slice {
            Some(left) => (left.nanoseconds / nanoseconds).min(left.words).min(self.fuel.min(left.fuel) / fuel),
            None => self.fuel / fuel,
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
        self.spend_at(nanoseconds, nanoseconds)
    }

    /// Takes fuel for work that costs the host more than the console: no time passes. False if there was not enough
    /// left: the work is not to be done then.
    #[inline]
    pub fn charge(&mut self, units: u64) -> bool {
        self.spend_at(0, units)
    }

    /// Takes so much fuel, and lets so much time pass. False if there was not enough.
    #[inline]
    pub fn spend_at(&mut self, nanoseconds: u64, units: u64) -> bool {
        let enough = units <= self.fuel;
        self.clock = self.clock.wrapping_add(nanoseconds.min(self.fuel));
        self.fuel = self.fuel.saturating_sub(units);
        if let Some(left) = &mut self.slice {
            left.nanoseconds = left.nanoseconds.saturating_sub(nanoseconds);
            left.fuel = left.fuel.saturating_sub(units);
        }
        enough
    }

    /// As [`Self::spend`], for words of commands.
    #[inline]
    #[must_use]
    pub fn spend_words(&mut self, words: u64, nanoseconds: u64) -> bool {
        if let Some(left) = &mut self.slice {
            left.words = left.words.saturating_sub(words);
            // Only work without bounds counts as running away.
            self.fuel = self.tank;
        }
        self.spend_at(nanoseconds, nanoseconds.max(cost::WORD.saturating_mul(words)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_passes_with_work_until_the_fuel_is_used_up() {
        let mut budget = Budget::new(10);
        budget.advance(5);
        assert!(budget.spend(7));
        assert_eq!((budget.fuel(), budget.now()), (3, 12));
        assert!(!budget.spend(4));
        assert_eq!((budget.fuel(), budget.now()), (0, 15));
        assert!(!budget.is_over());
        budget.refuel();
        assert_eq!(budget.fuel(), 10);
    }

    #[test]
    fn what_takes_the_console_no_time_costs_fuel() {
        let mut budget = Budget::new(7 * cost::WORD);
        assert!(budget.charge(6 * cost::WORD) && !budget.charge(2 * cost::WORD));
        assert_eq!((budget.fuel(), budget.used(), budget.now()), (0, 7 * cost::WORD, 0));
        budget.refuel();
        assert_eq!(budget.affordable_words(1), 7);
        assert!(budget.spend_words(7, 7) && !budget.spend_words(1, 1));
        budget.refuel();
        // Whatever is more: the price of a word, or its time.
        assert!(budget.spend_words(3, 40) && budget.spend_words(1, 2 * cost::WORD));
        assert_eq!((budget.fuel(), budget.now()), (2 * cost::WORD, 7 + 40 + 2 * cost::WORD));
    }

    #[test]
    fn slices_end_by_time_words_fuel_and_interrupts() {
        let mut budget = Budget::new(1000);
        budget.begin_slice(RunLimit::of_time(Duration::from_nanos(100)).with_words(8));
        assert!(budget.is_bounded() && budget.affordable_words(1) == 8);
        assert!(budget.spend_words(7, 7) && !budget.is_over());
        // A piece of work may go beyond the slice, not beyond the fuel.
        assert!(budget.spend(500) && budget.is_over());
        assert_eq!((budget.end_slice(), budget.now(), budget.is_over()), (SliceEnd::Used, 507, false));
        budget.begin_slice(RunLimit::of_words(1));
        assert!(budget.spend_words(3, 3) && budget.is_over());
        assert_eq!(budget.end_slice(), SliceEnd::Used);
        // However many commands there are, none of them lacks fuel.
        budget.begin_slice(RunLimit::of_time(Duration::from_micros(1)));
        (0..16).for_each(|_| assert!(budget.spend_words(1, 1) && budget.charge(900)));
        assert!(!budget.is_over() && !budget.charge(1000));
        assert!(budget.spend_words(1, 1) && budget.charge(900) && budget.is_over());
        assert_eq!(budget.end_slice(), SliceEnd::Used);
        budget.begin_slice(RunLimit::NONE);
        assert!(!budget.is_over());
        budget.interrupter().clone().interrupt();
        assert!(budget.is_over());
        assert_eq!(budget.end_slice(), SliceEnd::Interrupted);
        for is_interrupted in [false, true] {
            budget.begin_slice(RunLimit::NONE);
            budget.cut();
            if is_interrupted {
                budget.interrupter().clone().interrupt();
            }
            assert!(budget.is_over());
            assert_eq!((budget.end_slice(), budget.was_cut()), (SliceEnd::Interrupted, true));
            assert_eq!(budget.interrupter().take(), is_interrupted);
        }
        budget.begin_slice(RunLimit::NONE);
        assert_eq!((budget.end_slice(), budget.was_cut()), (SliceEnd::Unused, false));
    }
}
