//! Compiled kernels with the reference behind them, as the engine runs them.

use std::ops::Range;

use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP};

/// Does the `total` elements of a job: `compiled` goes on from an element and tells how far it came, `reference` does
/// the group that it stopped at, and all the rest once too many programs do not end. Returns how many elements the
/// reference did.
pub fn run<J>(
    job: &mut J,
    total: usize,
    exhausted: impl Fn(&J) -> u32,
    mut compiled: impl FnMut(&mut J, usize) -> usize,
    mut reference: impl FnMut(&mut J, Range<usize>),
) -> usize {
    let mut interpreted = 0;
    let mut done = compiled(job, 0);
    while done < total {
        let end = if exhausted(job) >= EXHAUSTED_LIMIT { total } else { (done + GROUP).min(total) };
        reference(job, done..end);
        interpreted += end - done;
        done = if end < total { compiled(job, end) } else { end };
        assert!((end..=total).contains(&done), "a kernel went from element {end} to {done} of {total}");
    }
    interpreted
}
