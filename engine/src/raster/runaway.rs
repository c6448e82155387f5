//! Programs with loops in a tile: they share its part of the scene's fuel, and after some without end the rest of the
//! tile is given up, as far as such programs would draw it.
//!
//! How many blocks a kernel gets at once depends on the clock. The decision to give up must not, so it is made before
//! blocks of fixed numbers, counted in the order of the tile.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Quads without end after which a tile is given up.
const GIVEN_UP: u32 = 16;

/// The blocks of programs with loops that a tile has had, and the quads in them that did not end. One thread at a time
/// draws a tile.
#[derive(Debug, Default)]
pub struct Runaways {
    blocks: AtomicU32,
    /// The counter that kernels increment.
    pub(super) exhausted: AtomicU32,
    /// Units of fuel that quads may still take, beyond what each has. What one may take depends on what those before it
    /// in the tile have left, and on nothing else.
    pub(super) reserve: AtomicU32,
}

impl Runaways {
    /// Gives blocks to `shade`, in parts, until the tile is given up. A block has `samples` items.
    pub(super) fn shade<T>(&self, mut blocks: &[T], samples: usize, mut shade: impl FnMut(&[T])) {
        while !blocks.is_empty() {
            let done = self.blocks.load(Relaxed);
            // A tile that is given up has no more blocks, so that this stays so.
            if is_look(done) && self.exhausted.load(Relaxed) >= GIVEN_UP {
                return;
            }
            let count = (blocks.len() / samples).min((next_look(done) - done) as usize).max(1);
            let (part, rest) = blocks.split_at((count * samples).min(blocks.len()));
            shade(part);
            self.blocks.store(done.wrapping_add(count as u32), Relaxed);
            blocks = rest;
        }
    }
}

/// Whether the count is checked before the block after `done` ones: soon at first, then about once for a primitive that
/// covers the tile.
fn is_look(done: u32) -> bool {
    matches!(done, 1 | 4 | 16) || done.is_multiple_of(64)
}

/// The number of blocks before the next check.
fn next_look(done: u32) -> u32 {
    match done {
        0 => 1,
        1..4 => 4,
        4..16 => 16,
        _ => (done | 63).saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Block numbers that were shaded, with calls of so many blocks, if those that `endless` says have four quads each
    /// that do not end.
    fn shaded(at_once: usize, samples: usize, endless: impl Fn(usize) -> bool) -> Vec<usize> {
        let items: Vec<usize> = (0..300 * samples).map(|item| item / samples).collect();
        let runaways = Runaways::default();
        let mut all = Vec::new();
        for blocks in items.chunks(at_once * samples) {
            runaways.shade(blocks, samples, |part| {
                assert!(part.len() % samples == 0);
                let numbers: Vec<usize> = part.iter().step_by(samples).copied().collect();
                let count = numbers.iter().filter(|&&number| endless(number)).count();
                runaways.exhausted.fetch_add(4 * count as u32, Relaxed);
                all.extend(numbers);
            });
        }
        all
    }

    #[test]
    fn what_is_given_up_does_not_depend_on_calls() {
        for samples in [1, 4] {
            for at_once in [1, 3, 64, 300] {
                let first = |count: usize| (0..count).collect::<Vec<_>>();
                assert_eq!(shaded(at_once, samples, |_| true), first(4));
                assert_eq!(shaded(at_once, samples, |number| number >= 10), first(16));
                assert_eq!(shaded(at_once, samples, |number| number % 40 == 0), first(128));
                assert_eq!(shaded(at_once, samples, |number| number == 7), first(300));
            }
        }
    }
}
