//! Programs with loops in a tile: they share its part of the scene's fuel, and after some without end, or too many
//! instructions, the rest of the tile is given up, as far as such programs would draw it.
//!
//! How many blocks a kernel gets at once depends on the clock. The decision to give up must not, so it is made before
//! blocks whose numbers, counted in the order of the tile, depend on what was drawn alone.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::program::environment::FUEL_UNIT;

/// Quads without end after which a tile is given up.
const GIVEN_UP: u32 = 16;

/// Instructions that the quads of a block may count without a reserve.
const OF_BLOCK: u64 = 16 * FUEL_UNIT as u64;

/// Blocks between two looks at most: about as many as a primitive has that covers the tile.
const MAX_BLOCKS: u64 = 64;

/// What programs with loops have done in a tile. One thread at a time draws a tile.
#[derive(Debug)]
pub struct Runaways {
    /// Blocks so far.
    blocks: AtomicU32,
    /// How many there are when the next look is due.
    next_look: AtomicU32,
    /// The counter that kernels increment for quads without end.
    pub(super) exhausted: AtomicU32,
    /// The counter of instructions beyond those that are paid before.
    pub(super) excess: AtomicU64,
    /// What the tile may have of these.
    allowance: u64,
    /// Whether it has had them.
    pub(super) is_used_up: AtomicBool,
    /// Units of fuel that quads may still take, beyond what each has. What one may take depends on what those before it
    /// in the tile have left, and on nothing else.
    pub(super) reserve: AtomicU32,
}

impl Runaways {
    /// A tile with so many instructions, and units in reserve.
    pub(super) fn new(allowance: u64, reserve: u32) -> Self {
        Runaways {
            blocks: AtomicU32::new(0),
            next_look: AtomicU32::new(0),
            exhausted: AtomicU32::new(0),
            excess: AtomicU64::new(0),
            allowance,
            is_used_up: AtomicBool::new(false),
            reserve: AtomicU32::new(reserve),
        }
    }

    /// Gives blocks to `shade`, in parts, until the tile is given up. A block has `samples` items.
    pub(super) fn shade<T>(&self, mut blocks: &[T], samples: usize, mut shade: impl FnMut(&[T])) {
        while !blocks.is_empty() {
            let done = self.blocks.load(Relaxed);
            if done == self.next_look.load(Relaxed) {
                // A tile that is given up has no more blocks, so that this stays so.
                if self.is_given_up() {
                    return;
                }
                self.next_look.store(self.look_after(done), Relaxed);
            }
            let left = self.next_look.load(Relaxed).wrapping_sub(done) as usize;
            let count = (blocks.len() / samples).min(left).max(1);
            let (part, rest) = blocks.split_at((count * samples).min(blocks.len()));
            shade(part);
            self.blocks.store(done.wrapping_add(count as u32), Relaxed);
            blocks = rest;
        }
    }

    fn is_given_up(&self) -> bool {
        if self.excess.load(Relaxed) >= self.allowance {
            self.is_used_up.store(true, Relaxed);
            return true;
        }
        self.exhausted.load(Relaxed) >= GIVEN_UP
    }

    /// The number of blocks before the look after this one: soon at first, later as many as the tile can afford.
    fn look_after(&self, done: u32) -> u32 {
        let left = self.allowance.saturating_sub(self.excess.load(Relaxed));
        let affordable = (left / OF_BLOCK).clamp(1, MAX_BLOCKS) as u32;
        let next = match done {
            0 => 1,
            1..4 => 4,
            4..16 => 16,
            _ => (done | (MAX_BLOCKS as u32 - 1)).wrapping_add(1),
        };
        next.min(done.saturating_add(affordable))
    }
}

impl Default for Runaways {
    fn default() -> Self {
        Runaways::new(u64::MAX, 0)
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

    #[test]
    fn instructions_are_limited() {
        // Blocks of half of what they may count, in a tile that has three times as much as one.
        for at_once in [1, 3, 300] {
            let runaways = Runaways::new(3 * OF_BLOCK, 0);
            let mut count = 0;
            for blocks in [(); 300].chunks(at_once) {
                runaways.shade(blocks, 1, |part| {
                    count += part.len();
                    runaways.excess.fetch_add(part.len() as u64 * OF_BLOCK / 2, Relaxed);
                });
            }
            assert!(runaways.is_used_up.load(Relaxed));
            assert_eq!(count, 6, "{at_once} at once");
        }
    }
}
