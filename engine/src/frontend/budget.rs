//! The budget of a command front end: how much work it may still do, and how much time has passed with that work.

/// The fuel of a submission, and the machine's clock. The clock moves with the work, not with the host's clock, so that
/// runs can be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Work that may still be done before the guest counts as running away, about a nanosecond each.
    fuel: u64,
    /// Nanoseconds since power on.
    clock: u64,
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

    /// The fuel that is left.
    #[inline]
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Takes fuel for work that costs about `nanoseconds`, and lets that time pass. False if there was not enough left:
    /// the work is not to be done then.
    #[inline]
    #[must_use]
    pub fn spend(&mut self, nanoseconds: u64) -> bool {
        let enough = nanoseconds <= self.fuel;
        self.clock = self.clock.wrapping_add(nanoseconds.min(self.fuel));
        self.fuel = self.fuel.saturating_sub(nanoseconds);
        enough
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
    }
}
