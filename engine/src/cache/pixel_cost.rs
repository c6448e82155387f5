//! Cost of a pixel of a kernel, measured while it is drawn.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const PARTS: u64 = PixelCost::PARTS;

/// Where estimates start: compiled, and by the interpreter.
const START: [u32; 2] = [4 * PARTS as u32, 40 * PARTS as u32];

/// Estimates stay in this range: a quarter of a nanosecond to a tenth of a millisecond.
const RANGE: (u64, u64) = (PARTS / 4, 100_000 * PARTS);

/// Running estimates of the cost of a pixel of a primitive's bounding box with one kernel, in parts of a nanosecond:
/// compiled, and by the interpreter. They decide how work is divided, and never change a result.
#[derive(Debug)]
pub struct PixelCost([AtomicU32; 2]);

impl Default for PixelCost {
    fn default() -> Self {
        PixelCost(START.map(AtomicU32::new))
    }
}

impl PixelCost {
    /// Parts of a nanosecond that costs are counted in.
    pub const PARTS: u64 = 16;

    fn of(&self, compiled: bool) -> &AtomicU32 {
        &self.0[usize::from(!compiled)]
    }

    /// The estimate.
    pub fn get(&self, compiled: bool) -> u64 {
        self.of(compiled).load(Relaxed).into()
    }

    /// Moves the estimate halfway to a measurement: work with the estimate `expected` has taken `measured`. A thread
    /// that was stopped in between counts 16 times at most.
    pub fn correct(&self, compiled: bool, expected: u64, measured: u64) {
        let estimate = self.of(compiled);
        let old = u64::from(estimate.load(Relaxed));
        let measured = old.saturating_mul(measured.min(16 * expected)) / expected.max(1);
        estimate.store(((old + measured) / 2).clamp(RANGE.0, RANGE.1) as u32, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_follow_what_is_measured() {
        let cost = PixelCost::default();
        let start = cost.get(false);
        for _ in 0..8 {
            cost.correct(true, 1000 * cost.get(true), 1000 * 30 * PARTS);
        }
        assert!((29 * PARTS..=31 * PARTS).contains(&cost.get(true)), "{}", cost.get(true));
        assert_eq!(cost.get(false), start);
        cost.correct(true, 0, 0);
        (0..100).for_each(|_| cost.correct(true, 1, u64::MAX));
        assert_eq!(cost.get(true), RANGE.1);
        (0..100).for_each(|_| cost.correct(true, u64::MAX / 16, 0));
        assert_eq!(cost.get(true), RANGE.0);
    }
}
