//! The registers of a class: words that are stored in runs, and the groups of state that the stores make dirty.
//!
//! ```text
//! words of a packet ──► plain_from: how many are only stored ──► store_words ──► registers, dirty groups
//!                                                          └──► the first trigger is the machine's
//! take_dirty ──► derived state ──deriving──► get: with debug assertions, registers of the declared groups only
//! ```

use std::cell::Cell;
use std::marker::PhantomData;

use triglyph_guest::kernel::packet_trace::TraceRegisters;

use super::write_effects::{TRIGGER, WriteEffects};

/// Which stores make the groups of a register dirty.
pub trait DirtyPolicy {
    /// Whether only those do that change the register.
    const ON_CHANGE: bool;
}

/// Only stores that change a register make its groups dirty.
#[derive(Debug)]
pub struct DirtyOnChange;

impl DirtyPolicy for DirtyOnChange {
    const ON_CHANGE: bool = true;
}

/// Every store makes groups dirty. Derived state compares the registers later ([`RegisterFile::renew`]).
#[derive(Debug)]
pub struct DirtyOnWrite;

impl DirtyPolicy for DirtyOnWrite {
    const ON_CHANGE: bool = false;
}

/// `N` registers of 32 bits, each with a number of shadow copies (one or none) that plain stores write as well. They
/// are cells, because code of macros and the methods that it calls write them in turns.
#[derive(Debug)]
pub struct RegisterFile<const N: usize, P: DirtyPolicy, const COPIES: usize = 0> {
    live: Box<[Cell<u32>; N]>,
    shadow: Box<[[Cell<u32>; N]; COPIES]>,
    effects: &'static WriteEffects<N>,
    dirty: Cell<u32>,
    /// Groups that the derivation in progress has declared; all ones if there is none.
    #[cfg(debug_assertions)]
    readable: Cell<u32>,
    policy: PhantomData<P>,
}

/// The registers of some groups at the time of [`RegisterFile::renew`].
#[derive(Debug, Default)]
pub struct RegisterSnapshot(Vec<u32>);

impl<const N: usize, P: DirtyPolicy, const COPIES: usize> RegisterFile<N, P, COPIES> {
    /// Registers and copies with these words; all groups are dirty.
    pub fn new(effects: &'static WriteEffects<N>, words: &[u32; N]) -> Self {
        let cells = || std::array::from_fn(|register| Cell::new(words[register]));
        RegisterFile {
            live: Box::new(cells()),
            shadow: Box::new(std::array::from_fn(|_| cells())),
            effects,
            dirty: Cell::new(!TRIGGER),
            #[cfg(debug_assertions)]
            readable: Cell::new(u32::MAX),
            policy: PhantomData,
        }
    }

    /// The registers, for a snapshot.
    pub fn save(&self) -> Box<[u32; N]> {
        Box::new(std::array::from_fn(|register| self.live[register].get()))
    }

    /// Effects of writes to the registers.
    #[inline(always)]
    pub fn effects(&self) -> &'static WriteEffects<N> {
        self.effects
    }

    /// The registers as cells. Stores to them note no groups.
    pub fn live(&self) -> &[Cell<u32>; N] {
        &self.live
    }

    /// The shadow copies.
    #[inline(always)]
    pub fn shadow(&self) -> &[[Cell<u32>; N]; COPIES] {
        &self.shadow
    }

    /// The dirty groups, for kernels.
    pub fn dirty_cell(&self) -> &Cell<u32> {
        &self.dirty
    }

    /// Where packet traces store.
    pub fn trace_registers(&self) -> TraceRegisters<'_> {
        TraceRegisters { registers: &*self.live, copies: self.shadow.as_flattened(), dirty: &self.dirty }
    }

    /// A register.
    ///
    /// # Panics
    /// When `register` is not below `N`; with debug assertions also during a derivation that did not declare a group of
    /// the register ([`Self::deriving`]).
    #[inline]
    pub fn get(&self, register: usize) -> u32 {
        #[cfg(debug_assertions)]
        self.assert_readable(register);
        self.live[register].get()
    }

    #[cfg(debug_assertions)]
    fn assert_readable(&self, register: usize) {
        let (entry, readable) = (self.effects.entries()[register], self.readable.get());
        // An entry of all ones is a trigger without groups.
        let declared = readable == u32::MAX || entry != u32::MAX && entry & !TRIGGER & readable != 0;
        assert!(declared, "register {register:#x} is read, but the derived state does not depend on its groups");
    }

    /// Calls `derive`, whose result depends on registers of `groups` alone: with debug assertions others cannot be
    /// read.
    #[inline]
    pub fn deriving<T>(&self, groups: u32, derive: impl FnOnce() -> T) -> T {
        #[cfg(debug_assertions)]
        let before = self.readable.replace(groups);
        let derived = derive();
        #[cfg(debug_assertions)]
        self.readable.set(before);
        #[cfg(not(debug_assertions))]
        let _ = groups;
        derived
    }

    /// Sets a register, whatever its effect; no group becomes dirty and its copy stays.
    #[inline]
    pub fn set(&self, register: usize, word: u32) {
        self.live[register].set(word);
    }

    /// Changes a register, whatever its effect; no group becomes dirty and its copy stays.
    #[inline]
    pub fn update<T>(&self, register: usize, change: impl FnOnce(&mut u32) -> T) -> T {
        let mut word = self.live[register].get();
        let result = change(&mut word);
        self.live[register].set(word);
        result
    }

    /// Stores the bits of a word under `mask`, whatever the effect of the register, and makes its groups dirty.
    #[inline(always)]
    pub fn store_word(&self, register: usize, word: u32, mask: u32) {
        self.store_entry(register, self.effects.entries()[register], word, mask);
    }

    /// Stores the bits of a word under `mask` if `register` is no trigger and in the file. Otherwise nothing happens:
    /// false.
    #[inline(always)]
    pub fn store_plain(&self, register: usize, word: u32, mask: u32) -> bool {
        let Some(&entry) = self.effects.entries().get(register) else { return false };
        let plain = entry & TRIGGER == 0;
        if plain {
            self.store_entry(register, entry, word, mask);
        }
        plain
    }

    #[inline(always)]
    fn store_entry(&self, register: usize, entry: u32, word: u32, mask: u32) {
        let old = self.live[register].get();
        let new = old ^ (old ^ word) & mask;
        self.live[register].set(new);
        self.shadow.iter().for_each(|shadow| shadow[register].set(new));
        self.mark(entry & dirtied::<P>(old, new));
    }

    /// Stores the bits of `words` under `mask` in consecutive registers, which are not to be triggers, and makes their
    /// groups dirty. Nothing happens if they are more than the file has from `first` on.
    #[inline(always)]
    pub fn store_words(&self, first: usize, words: &[u32], mask: u32) {
        let run = first..first + words.len();
        // Without copies the registers take their place in the loops, and nothing is stored there.
        let shadow = self.shadow.first().unwrap_or(&self.live).get(run.clone());
        let (Some(entries), Some(live), Some(shadow)) =
            (self.effects.entries().get(run.clone()), self.live.get(run), shadow)
        else {
            return;
        };
        let mut dirty = self.dirty.get();
        // Most runs are shorter than two vectors: pieces of four words, then words.
        let (words4, words) = words.as_chunks::<4>();
        let (entries4, entries) = entries.as_chunks::<4>();
        let (live4, live) = live.as_chunks::<4>();
        let (shadow4, shadow) = shadow.as_chunks::<4>();
        if !words4.is_empty() {
            let mut dirty4 = [0; 4];
            for (((words, entries), live), shadow) in words4.iter().zip(entries4).zip(live4).zip(shadow4) {
                // All loads before all stores, so that they become vectors.
                let old = [live[0].get(), live[1].get(), live[2].get(), live[3].get()];
                let mut new = *words;
                for i in 0..4 {
                    new[i] = old[i] ^ (old[i] ^ words[i]) & mask;
                    dirty4[i] |= entries[i] & dirtied::<P>(old[i], new[i]);
                }
                for i in 0..4 {
                    live[i].set(new[i]);
                }
                if COPIES != 0 {
                    for i in 0..4 {
                        shadow[i].set(new[i]);
                    }
                }
            }
            dirty |= dirty4[0] | dirty4[1] | dirty4[2] | dirty4[3];
        }
        for (((&word, entry), live), shadow) in words.iter().zip(entries).zip(live).zip(shadow) {
            let old = live.get();
            let new = old ^ (old ^ word) & mask;
            dirty |= entry & dirtied::<P>(old, new);
            live.set(new);
            if COPIES != 0 {
                shadow.set(new);
            }
        }
        self.dirty.set(dirty);
    }

    /// Stores words of consecutive registers up to the first trigger or the end of the file. Returns how many were
    /// stored: with less than all, the next register is a trigger or beyond the file.
    #[inline]
    pub fn store_run(&self, first: usize, words: &[u32]) -> usize {
        let count = words.len().min(self.effects.plain_from(first));
        self.store_words(first, &words[..count], u32::MAX);
        count
    }

    /// Stores words of consecutive registers if none of these is a trigger or beyond the file. Otherwise nothing
    /// happens: false. Nearly all words of a push buffer are stored here.
    #[inline(always)]
    pub fn store_all(&self, first: usize, words: &[u32]) -> bool {
        let all = words.len() <= self.effects.plain_from(first);
        if all {
            self.store_words(first, words, u32::MAX);
        }
        all
    }

    /// Makes groups dirty; [`TRIGGER`] is ignored.
    #[inline(always)]
    pub fn mark(&self, groups: u32) {
        self.dirty.set(self.dirty.get() | groups & !TRIGGER);
    }

    /// The groups that are dirty.
    #[inline]
    pub fn dirty(&self) -> u32 {
        self.dirty.get()
    }

    /// Returns the groups that are dirty; none is afterwards.
    #[inline]
    pub fn take_dirty(&self) -> u32 {
        self.dirty.replace(0)
    }

    /// Compares the registers of those of `groups` that are `dirty` with a snapshot of `groups`, and updates it.
    /// Returns whether any has changed; a snapshot that was never taken has.
    pub fn renew(&self, groups: u32, dirty: u32, snapshot: &mut RegisterSnapshot) -> bool {
        let ranges = || self.effects.ranges(groups);
        if snapshot.0.is_empty() {
            snapshot.0 = ranges().flat_map(|range| &self.live[range.registers.clone()]).map(Cell::get).collect();
            return true;
        }
        let (mut changed, mut rest) = (0, &mut snapshot.0[..]);
        for range in ranges() {
            let (words, after) = std::mem::take(&mut rest).split_at_mut(range.registers.len());
            rest = after;
            if range.groups & dirty != 0 {
                for (word, cell) in words.iter_mut().zip(&self.live[range.registers.clone()]) {
                    changed |= *word ^ cell.get();
                    *word = cell.get();
                }
            }
        }
        changed != 0
    }
}

/// All ones if a store makes the groups of its register dirty, else 0. Whether a word changes is as good as random, so
/// this is no branch.
#[inline(always)]
fn dirtied<P: DirtyPolicy>(old: u32, new: u32) -> u32 {
    let bits = old ^ new;
    if P::ON_CHANGE { ((bits | bits.wrapping_neg()) as i32 >> 31) as u32 } else { u32::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    static EFFECTS: WriteEffects<16> = WriteEffects::new([0, 0, 0, 0, 1, 2, 0, TRIGGER, 4, 1, 1, 1, 1, 1, 1, 8]);

    type OnChange = RegisterFile<16, DirtyOnChange>;

    fn clean<P: DirtyPolicy, const COPIES: usize>() -> RegisterFile<16, P, COPIES> {
        let registers = RegisterFile::new(&EFFECTS, &[0; 16]);
        assert_eq!(registers.take_dirty(), !TRIGGER);
        registers
    }

    #[test]
    fn runs_stop_at_triggers_and_at_the_end() {
        let registers: OnChange = clean();
        assert_eq!(registers.store_run(4, &[1, 2, 3, 4, 5]), 3);
        assert_eq!(registers.save()[4..9], [1, 2, 3, 0, 0]);
        assert_eq!(registers.take_dirty(), 3);
        assert_eq!((registers.store_run(7, &[9]), registers.store_run(16, &[9])), (0, 0));
        assert_eq!(registers.store_run(14, &[1, 2, 3]), 2);
        assert!(!registers.store_all(14, &[1, 2, 3]) && !registers.store_all(6, &[1, 2]));
        assert!(!registers.store_plain(7, 5, u32::MAX) && !registers.store_plain(16, 5, u32::MAX));
        assert_eq!(registers.get(7), 0);
        assert_eq!((registers.get(14), registers.get(15), registers.get(0)), (1, 2, 0));
    }

    #[test]
    fn runs_of_any_length_store_what_single_words_do() {
        for count in 0..=8 {
            let words: Vec<u32> = (1..).take(count).collect();
            let (one, all) = (clean::<DirtyOnWrite, 1>(), clean::<DirtyOnWrite, 1>());
            words.iter().zip(8..).for_each(|(&word, register)| one.store_word(register, word, u32::MAX));
            assert!(all.store_all(8, &words));
            assert_eq!((all.save(), all.shadow(), all.dirty()), (one.save(), one.shadow(), one.dirty()));
            assert_eq!(all.save()[8..][..words.len()], words);
        }
    }

    #[test]
    fn only_changes_under_the_mask_make_groups_dirty() {
        let registers: OnChange = clean();
        registers.set(4, 7);
        assert!(registers.store_all(4, &[7, 8]));
        assert_eq!(registers.take_dirty(), 2);
        // Nothing is stored after a trigger, so nothing there is dirty.
        assert_eq!(registers.store_run(5, &[8, 0, 0, 5]), 2);
        assert_eq!(registers.dirty(), 0);
        registers.store_words(8, &[0x1200, 0x12], 0xFF);
        assert_eq!((registers.get(8), registers.get(9), registers.take_dirty()), (0, 0x12, 1));
        registers.store_word(8, 0x1234, 0xFF00);
        assert_eq!((registers.get(8), registers.take_dirty()), (0x1200, 4));
        registers.mark(TRIGGER | 16);
        assert_eq!(registers.dirty(), 16);
    }

    #[test]
    #[cfg(debug_assertions)]
    fn derivations_read_what_they_declare() {
        let registers: OnChange = clean();
        assert_eq!(registers.deriving(1 | 8, || registers.get(4) + registers.get(15)), 0);
        let undeclared = std::panic::AssertUnwindSafe(|| registers.deriving(1 | 8, || registers.get(5)));
        assert!(std::panic::catch_unwind(undeclared).is_err());
    }
}
