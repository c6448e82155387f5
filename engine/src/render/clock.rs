//! Times of stages. Reading the clock takes about as long as the setup of a small draw, so of many small pieces of work
//! in a row only some are measured, and count for the others as well.

use std::time::{Duration, Instant};

/// Small pieces of work at the start that are all measured.
const ALL: u32 = 16;
/// Of those after them one in so many is measured.
const ONE_IN: u32 = 17;
/// Work on so many vertices is always measured.
const LARGE: usize = 64;

/// Decides which pieces of work of a stage are measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageClock {
    /// Small pieces of work so far.
    small: u32,
}

/// Measures a piece of work: when it began, and for how many pieces it counts.
#[derive(Clone, Copy, Debug)]
pub struct ScopedTimer(Option<(Instant, u32)>);

impl StageClock {
    /// Measures all of the next pieces.
    pub fn restart(&mut self) {
        self.small = 0;
    }

    /// Starts to measure work on so many vertices.
    pub fn start(&mut self, vertices: usize) -> ScopedTimer {
        ScopedTimer(self.weight(vertices).map(|weight| (Instant::now(), weight)))
    }

    /// For how many pieces this one counts; `None` when it is not measured.
    fn weight(&mut self, vertices: usize) -> Option<u32> {
        if vertices >= LARGE {
            return Some(1);
        }
        self.small = self.small.wrapping_add(1);
        match self.small.checked_sub(ALL + 1) {
            None => Some(1),
            // In the middle of those it counts for.
            Some(after) => (after % ONE_IN == ONE_IN / 2).then_some(ONE_IN),
        }
    }
}

impl ScopedTimer {
    /// The time since the start, times the pieces that this one counts for.
    pub fn time(self) -> Duration {
        self.0.map_or(Duration::ZERO, |(start, weight)| start.elapsed() * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_works_count() {
        let mut clock = StageClock::default();
        let mut weigh = |count: u32, vertices: usize| -> (u32, u32) {
            let weights: Vec<u32> = (0..count).filter_map(|_| clock.weight(vertices)).collect();
            (weights.len() as u32, weights.iter().sum())
        };
        assert_eq!(weigh(ALL, 3), (ALL, ALL));
        assert_eq!(weigh(100 * ONE_IN, 3), (100, 100 * ONE_IN));
        assert_eq!(weigh(5, LARGE), (5, 5));
        clock.restart();
        assert_eq!((0..ALL).filter_map(|_| clock.weight(1)).sum::<u32>(), ALL);
    }
}
