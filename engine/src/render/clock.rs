//! Times of stages. Reading the clock takes about as long as the setup of a small draw, so of many small works one after another
//! only some are measured, and count for the others as well.

use std::time::{Duration, Instant};

/// Works in a row that are all measured.
const ALL: u32 = 16;
/// Of those behind, one in so many.
const ONE_IN: u32 = 17;
/// Vertices from which on a work is measured in any case.
const LARGE: usize = 64;

/// Decides which works of a stage are measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageClock {
    /// Small works so far.
    small: u32,
}

/// A work that is being done: when it began, and for how many it counts.
#[derive(Clone, Copy, Debug)]
pub struct Lap(Option<(Instant, u32)>);

impl StageClock {
    /// Lets everything be measured for a while.
    pub fn restart(&mut self) {
        self.small = 0;
    }

    /// A work on so many vertices begins.
    pub fn start(&mut self, vertices: usize) -> Lap {
        Lap(self.weight(vertices).map(|weight| (Instant::now(), weight)))
    }

    /// For how many works this one counts.
    fn weight(&mut self, vertices: usize) -> Option<u32> {
        if vertices >= LARGE {
            return Some(1);
        }
        self.small = self.small.wrapping_add(1);
        match self.small.checked_sub(ALL + 1) {
            None => Some(1),
            // In the middle of those it counts for.
            Some(behind) => (behind % ONE_IN == ONE_IN / 2).then_some(ONE_IN),
        }
    }
}

impl Lap {
    /// The time until now, for all that the work counts for.
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
