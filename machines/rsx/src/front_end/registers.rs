//! The methods of an object as registers, by their byte addresses.

use triglyph_guest::rsx::fifo::METHODS;

use triglyph_engine::frontend::{DirtyOnChange, RegisterFile, WriteEffects as Effects};

/// What writes to the methods of an object do.
pub type WriteEffects = Effects<METHODS>;

/// The registers of an object. Methods are byte addresses, multiples of 4, which wrap at 0x2000.
#[derive(Debug)]
pub struct Registers(RegisterFile<METHODS, DirtyOnChange>);

impl Registers {
    /// Registers that are zero, with every group dirty.
    pub fn new(effects: &'static WriteEffects) -> Self {
        Self::with_words(effects, &[0; METHODS])
    }

    /// Registers with these words, by address / 4, with every group dirty.
    pub fn with_words(effects: &'static WriteEffects, words: &[u32; METHODS]) -> Self {
        Registers(RegisterFile::new(effects, words))
    }

    /// All words, by address / 4.
    pub(crate) fn save(&self) -> Box<[u32; METHODS]> {
        self.0.save()
    }

    /// The register of a method.
    #[inline]
    pub fn get(&self, method: u32) -> u32 {
        self.0.get(index(method))
    }

    /// Stores one word whatever its effect; no group becomes dirty.
    #[inline]
    pub fn set(&self, method: u32, word: u32) {
        self.0.set(index(method), word);
    }

    /// The register file, for what is derived from it.
    #[inline]
    pub fn file(&self) -> &RegisterFile<METHODS, DirtyOnChange> {
        &self.0
    }

    /// Returns the groups that are dirty; none is afterwards.
    pub fn take_dirty(&self) -> u32 {
        self.0.take_dirty()
    }

    /// Makes groups dirty.
    pub fn mark(&self, groups: u32) {
        self.0.mark(groups);
    }

    /// Stores one word whatever its effect; its groups become dirty if that changes the register.
    #[inline(always)]
    pub fn store_word(&self, method: u32, word: u32) {
        self.0.store_word(index(method), word, u32::MAX);
    }

    /// Stores one word if its method is no trigger. Otherwise nothing happens: false.
    #[inline(always)]
    pub fn store_plain(&self, method: u32, word: u32) -> bool {
        self.0.store_plain(index(method), word, u32::MAX)
    }

    /// Stores words of consecutive methods up to the first trigger or the end of the method space. Returns how many
    /// were stored: with less than all, the next method is a trigger, or 0x2000.
    #[inline]
    pub fn store_run(&self, method: u32, words: &[u32]) -> usize {
        self.0.store_run(index(method), words)
    }

    /// Stores words of consecutive methods if none of these is a trigger or at the end of the method space. Otherwise
    /// nothing happens: false.
    #[inline(always)]
    pub fn store_all(&self, method: u32, words: &[u32]) -> bool {
        self.0.store_all(index(method), words)
    }
}

/// The number of a method's register.
#[inline(always)]
pub(crate) fn index(method: u32) -> usize {
    (method >> 2) as usize % METHODS
}
