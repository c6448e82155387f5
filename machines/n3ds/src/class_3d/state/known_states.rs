//! States of pixels by the registers that they are derived from: a frame has much the same states as the one before.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use triglyph_engine::frontend::{Recycled, TRIGGER};
use xxhash_rust::xxh3::xxh3_64;

use super::pixel::PixelState;
use crate::class_3d::draw::PIXEL_GROUPS;
use crate::front_end::registers::{Registers, WRITES};

/// States that are kept; when there are more, all go.
const MAX_STATES: usize = 512;

/// Consecutive misses after which lookups pause.
const MAX_MISSES: u32 = 32;

/// States that are derived without a look, at most.
const MAX_WAIT: u32 = 512;

/// The registers that states are derived from.
static REGISTERS: LazyLock<Vec<Range<usize>>> = LazyLock::new(|| {
    let depends = |groups: u32| groups != u32::MAX && groups & !TRIGGER & PIXEL_GROUPS != 0;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (register, _) in WRITES.entries().iter().enumerate().filter(|(_, groups)| depends(**groups)) {
        match ranges.last_mut() {
            Some(last) if last.end == register => last.end += 1,
            _ => ranges.push(register..register + 1),
        }
    }
    ranges
});

/// States that were derived lately. What they depend on besides registers is the caller's to look at.
#[derive(Debug)]
pub(crate) struct KnownStates<T = PixelState> {
    /// By a hash of their registers.
    states: HashMap<u64, KnownState<T>>,
    /// Room for registers.
    words: Vec<u32>,
    misses: u32,
    wait: u32,
    last_wait: u32,
    recycled: Recycled<T>,
}

#[derive(Debug)]
struct KnownState<T> {
    words: Vec<u32>,
    state: Arc<T>,
}

impl<T> Default for KnownStates<T> {
    fn default() -> Self {
        KnownStates {
            states: HashMap::new(),
            words: Vec::new(),
            misses: 0,
            wait: 0,
            last_wait: 0,
            recycled: Recycled::default(),
        }
    }
}

impl<T> KnownStates<T> {
    /// Something has changed that states depend on besides registers.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
    }

    /// The state of these registers: a known one that is `usable`, or else what `derive` returns, which is known from
    /// then on if it is `usable` as well.
    pub(crate) fn get(
        &mut self,
        registers: &Registers,
        usable: impl Fn(&T) -> bool,
        derive: impl FnOnce() -> T,
    ) -> Arc<T> {
        if self.wait > 0 {
            self.wait -= 1;
            return self.recycled.share(derive());
        }
        let KnownStates { states, words, .. } = self;
        words.clear();
        REGISTERS.iter().for_each(|range| words.extend(registers.live()[range.clone()].iter().map(Cell::get)));
        let hash = xxh3_64(bytemuck::cast_slice(words));
        if let Some(known) = states.get(&hash).filter(|known| known.words == *words && usable(&known.state)) {
            (self.misses, self.last_wait) = (0, 0);
            return known.state.clone();
        }
        let state = self.recycled.share(derive());
        if usable(&state) {
            if states.len() == MAX_STATES {
                states.clear();
            }
            states.insert(hash, KnownState { words: words.clone(), state: state.clone() });
        }
        self.misses += 1;
        if self.misses == MAX_MISSES {
            self.misses = 0;
            self.last_wait = (2 * self.last_wait).clamp(MAX_MISSES, MAX_WAIT);
            self.wait = self.last_wait;
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use triglyph_guest::pica::regs;

    use super::*;
    use crate::front_end::registers;

    #[test]
    fn states_are_known_by_their_registers() {
        let registers = registers::at_reset();
        let mut known = KnownStates::default();
        let mut get = |color: u32, usable: bool, derived: u32| {
            registers.set(regs::blend_color::ID, color);
            *known.get(&registers, |_| usable, || derived)
        };
        assert_eq!([get(1, true, 10), get(2, true, 20), get(1, true, 30), get(2, true, 40)], [10, 20, 10, 20]);
        assert_eq!([get(1, false, 50), get(1, true, 60)], [50, 10]);
        registers.set(regs::num_vertices::ID, 7);
        assert_eq!(*known.get(&registers, |_| true, || 70), 10);
        known.clear();
        assert_eq!(*known.get(&registers, |_| true, || 80), 80);
    }

    #[test]
    fn states_that_do_not_recur_are_not_looked_for_each_time() {
        let registers = registers::at_reset();
        let mut known = KnownStates::default();
        let mut looks = 0;
        for color in 0..4000 {
            registers.set(regs::blend_color::ID, color);
            known.get(&registers, |_| true, || color);
            looks += u32::from(known.wait == 0);
        }
        assert!(looks < 600, "{looks}");
    }
}
