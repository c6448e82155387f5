//! What runs of programs pay. Before they run it is one price for all instructions that the program has, once for each
//! run; when they have run, what they have counted beyond that. Runs begin a few at a time, so that they end soon after
//! the fuel does.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_engine::frontend::budget::cost;
use triglyph_guest::kernel::maxwell::FUEL;
use triglyph_guest::kernel::program::environment::Environment;

/// Runs of programs without end after which the rest of a draw or grid is given up.
pub(crate) const EXHAUSTED_LIMIT: u32 = 16;

/// Runs that begin at once, however little fuel is left: four of them take compiled code hardly longer than one.
const MIN_RUNS: u64 = 16;

/// What runs of a program may begin, and with what around them.
pub(crate) struct Meter<'e> {
    /// What is around the program. It counts for this meter.
    pub environment: Environment<'e>,
    /// The fuel that there was before they ran.
    pub fuel: u64,
    /// The price of an instruction beyond those that the program has.
    pub price: u64,
    /// Whether a run may execute more instructions than the program has.
    pub exceeds: bool,
}

impl Meter<'_> {
    /// How many runs may begin, `most` at most: as many as can be paid whatever they execute. None if the fuel is used
    /// up, or too many runs had no end.
    pub fn runs(&self, most: usize) -> usize {
        let left = self.fuel.saturating_sub(self.environment.excess.load(Relaxed).saturating_mul(self.price));
        match (is_endless(&self.environment), self.exceeds) {
            (true, _) => 0,
            (false, false) => most,
            (false, true) => affordable(left, u64::from(FUEL) * self.price, MIN_RUNS, most),
        }
    }
}

/// Whether so many runs of a program had no end that the rest of a draw or grid is given up.
pub(crate) fn is_endless(environment: &Environment<'_>) -> bool {
    environment.exhausted.load(Relaxed) >= EXHAUSTED_LIMIT
}

/// How many pieces of work may begin with so much fuel, which each may cost `longest`: `least` as long as there is any.
pub(crate) fn affordable(fuel: u64, longest: u64, least: u64, most: usize) -> usize {
    if fuel == 0 { 0 } else { (fuel / longest.max(1)).max(least).min(most as u64) as usize }
}

/// The price of an instruction for the lanes of a warp together, and for one lane that is a warp of its own.
pub(crate) fn price(lanes: u32) -> u64 {
    if lanes == 1 { cost::INSTRUCTION } else { cost::WARP_INSTRUCTION }
}
