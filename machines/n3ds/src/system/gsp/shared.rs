//! The page that GSP shares with its clients.
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0x000 + client * 0x40 | 0x40 | interrupt relay queue |
//! | 0x200 + client * 0x80 | 0x40 | framebuffer information, top screen |
//! | 0x240 + client * 0x80 | 0x40 | framebuffer information, bottom screen |
//! | 0x800 + client * 0x200 | 0x200 | GX command queue |
//!
//! Source: 3dbrew GSP Shared Memory. The guest's processors use the page at the same time, so every access is one
//! atomic word, and fields that share a word are changed by compare-and-swap.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

pub use super::raw::{SharedPage, WORDS};

/// How many clients there can be.
pub const CLIENTS: usize = 4;

impl SharedPage {
    /// The word at byte `offset`, a multiple of 4 below 0x1000.
    pub fn load(&self, offset: usize) -> u32 {
        u32::from_le(self.word(offset).load(Acquire))
    }

    /// Stores the word at byte `offset`.
    pub fn store(&self, offset: usize, value: u32) {
        self.word(offset).store(value.to_le(), Release);
    }

    /// The byte at `offset`.
    pub fn load_byte(&self, offset: usize) -> u8 {
        self.load(offset & !3).to_le_bytes()[offset & 3]
    }

    /// Stores one byte and leaves the others of its word alone.
    pub fn store_byte(&self, offset: usize, value: u8) {
        self.change(offset & !3, |word| {
            let mut bytes = word.to_le_bytes();
            bytes[offset & 3] = value;
            Some(u32::from_le_bytes(bytes))
        });
    }

    /// Replaces the word at `offset` by what `f` makes of it, in one step; `f` may be called again when others were
    /// faster, and gives up with `None`. Returns the old word.
    pub fn change(&self, offset: usize, mut f: impl FnMut(u32) -> Option<u32>) -> u32 {
        let word = self.word(offset);
        let mut old = word.load(Acquire);
        loop {
            let Some(new) = f(u32::from_le(old)) else { return u32::from_le(old) };
            match word.compare_exchange_weak(old, new.to_le(), AcqRel, Acquire) {
                Ok(_) => return u32::from_le(old),
                Err(now) => old = now,
            }
        }
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        &self.words()[offset / 4 % WORDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_share_words() {
        let page = SharedPage::default();
        page.store(0x10, 0x4433_2211);
        assert_eq!(page.load_byte(0x12), 0x33);
        page.store_byte(0x12, 0xFF);
        assert_eq!(page.load(0x10), 0x44FF_2211);
        assert_eq!(page.change(0x10, |_| None), 0x44FF_2211);
        assert_eq!(page.load(0xFFC), 0);
    }
}
