//! The methods of an object as registers, written in runs.

use std::cell::Cell;

use triglyph_guest::kernel::packet_trace::TraceRegisters;
use triglyph_guest::rsx::fifo::METHODS;

/// In a table of effects: writing this method does something at once; the object has to see it.
pub const TRIGGER: u32 = 1 << 31;

/// What writes to methods do: bits 0 to 30 are groups of state that become stale, bit 31 is [`TRIGGER`].
pub type Effects = [u32; METHODS];

/// The registers of an object, by method number (byte address / 4).
#[derive(Clone, Debug)]
pub struct Registers {
    words: Box<[u32; METHODS]>,
    stale: u32,
}

impl Default for Registers {
    /// All zero, and every group stale.
    fn default() -> Self {
        Registers { words: Box::new([0; METHODS]), stale: !TRIGGER }
    }
}

impl Registers {
    /// What stands in a register, by the byte address of its method; addresses wrap at 0x2000.
    #[inline]
    pub fn get(&self, method: u32) -> u32 {
        self.words[index(method)]
    }

    /// Stores one word without looking at its effect, by the byte address of its method.
    #[inline]
    pub fn set(&mut self, method: u32, word: u32) {
        self.words[index(method)] = word;
    }

    /// All registers, by number.
    pub fn words(&self) -> &[u32; METHODS] {
        &self.words
    }

    /// What packet traces store to.
    pub fn trace_registers(&mut self) -> TraceRegisters<'_> {
        TraceRegisters {
            registers: Cell::from_mut(&mut self.words[..]).as_slice_of_cells(),
            copies: &[],
            dirty: Cell::from_mut(&mut self.stale),
        }
    }

    /// What a snapshot holds of them.
    pub(super) fn save(&self) -> Box<[u32; METHODS]> {
        self.words.clone()
    }

    /// Registers that were not written one by one: what is derived from them has to be derived anew.
    pub(super) fn restore(words: Box<[u32; METHODS]>) -> Self {
        Registers { words, ..Registers::default() }
    }

    /// Groups of state that have changed since [`Self::take_stale`].
    pub fn stale(&self) -> u32 {
        self.stale
    }

    /// Returns the groups that have changed, and forgets them.
    pub fn take_stale(&mut self) -> u32 {
        std::mem::take(&mut self.stale)
    }

    /// Declares groups stale.
    pub fn mark(&mut self, groups: u32) {
        self.stale |= groups & !TRIGGER;
    }

    /// Stores one word, and notes groups if that changes the register.
    #[inline(always)]
    pub fn store_word(&mut self, method: u32, word: u32, groups: u32) {
        let register = &mut self.words[index(method)];
        self.stale |= groups & !TRIGGER & unlike(word, *register);
        *register = word;
    }

    /// Stores `words` at `method` (a byte address) and the methods behind it, up to the first that is a trigger or to
    /// the end of the method space, and notes the groups of those that changed. Returns how many were stored: with
    /// less than all, the next method is a trigger, or 0x2000.
    #[inline]
    pub fn store_plain(&mut self, effects: &Effects, method: u32, words: &[u32]) -> usize {
        let first = index(method);
        let mut count = words.len().min(METHODS - first);
        let stops = effects[first..first + count].iter().position(|effect| effect & TRIGGER != 0);
        count = stops.unwrap_or(count);
        self.store_all(effects, method, &words[..count]);
        count
    }

    /// As [`Self::store_plain`] where the caller knows that no trigger is among the methods and that their space does not end
    /// between them; nothing is stored if it does.
    #[inline(always)]
    pub fn store_all(&mut self, effects: &Effects, method: u32, words: &[u32]) {
        let first = index(method);
        let end = first + words.len();
        let (Some(effects), Some(registers)) = (effects.get(first..end), self.words.get_mut(first..end)) else {
            return;
        };
        // Most runs are shorter than two vectors: pieces of four words, then words.
        let (words4, words) = words.as_chunks::<4>();
        let (effects4, effects) = effects.as_chunks::<4>();
        let (registers4, registers) = registers.as_chunks_mut::<4>();
        let mut stale = self.stale;
        if !words4.is_empty() {
            let mut stale4 = [0; 4];
            for ((new, effects), registers) in words4.iter().zip(effects4).zip(registers4) {
                for i in 0..4 {
                    stale4[i] |= effects[i] & unlike(new[i], registers[i]);
                }
                *registers = *new;
            }
            stale |= stale4[0] | stale4[1] | stale4[2] | stale4[3];
        }
        for ((&new, &effect), register) in words.iter().zip(effects).zip(registers) {
            stale |= effect & unlike(new, *register);
            *register = new;
        }
        self.stale = stale;
    }
}

/// All ones if two words differ, else 0. Whether they do is as good as random, so this is no branch.
#[inline(always)]
fn unlike(a: u32, b: u32) -> u32 {
    let bits = a ^ b;
    ((bits | bits.wrapping_neg()) as i32 >> 31) as u32
}

fn index(method: u32) -> usize {
    (method >> 2) as usize % METHODS
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFECTS: Effects = {
        let mut effects = [0; METHODS];
        effects[4] = 1;
        effects[5] = 2;
        effects[7] = TRIGGER;
        effects[8] = 4;
        effects
    };

    #[test]
    fn runs_stop_at_triggers_and_at_the_end() {
        let mut registers = Registers::default();
        registers.take_stale();
        assert_eq!(registers.store_plain(&EFFECTS, 0x10, &[1, 2, 3, 4, 5]), 3);
        assert_eq!(registers.words()[4..9], [1, 2, 3, 0, 0]);
        assert_eq!(registers.take_stale(), 3);
        assert_eq!(registers.store_plain(&EFFECTS, 0x1C, &[9]), 0);
        assert_eq!(registers.store_plain(&EFFECTS, 0x1FF8, &[1, 2, 3]), 2);
        assert_eq!((registers.get(0x1FF8), registers.get(0x1FFC), registers.get(0)), (1, 2, 0));
    }

    #[test]
    fn only_what_changes_becomes_stale() {
        let mut registers = Registers::default();
        registers.set(0x10, 7);
        registers.take_stale();
        assert_eq!(registers.store_plain(&EFFECTS, 0x10, &[7, 8]), 2);
        assert_eq!(registers.take_stale(), 2);
        // Behind a trigger nothing was stored, so nothing there is stale.
        assert_eq!(registers.store_plain(&EFFECTS, 0x14, &[8, 0, 0, 5]), 2);
        assert_eq!(registers.stale(), 0);
        registers.mark(TRIGGER | 16);
        assert_eq!(registers.stale(), 16);
    }
}
