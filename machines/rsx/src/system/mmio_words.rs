//! The registers of the bus that only keep what is written.

use std::collections::BTreeMap;

use triglyph_guest::rsx::lv1::attribute::Tile;
use triglyph_guest::rsx::registers as regs;

use triglyph_engine::snapshot::state;

/// Registers that only keep a word, by address. Those that were not written have their reset value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mmio {
    words: BTreeMap<u32, u32>,
}

impl Mmio {
    pub(super) fn get(&self, address: u32, reset: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(reset)
    }

    pub(super) fn set(&mut self, address: u32, word: u32) {
        self.words.insert(address, word);
    }

    /// A tile that the hypervisor sets.
    pub(crate) fn set_tile(&mut self, index: usize, tile: Tile) {
        let Tile { tile, limit, pitch, format } = tile;
        for (id, word) in [
            (regs::pfb_tile::id(index), tile),
            (regs::pfb_tlimit::id(index), limit),
            (regs::pfb_tsize::id(index), pitch),
            (regs::pfb_tstatus::id(index), format),
        ] {
            self.set(id as u32, word);
        }
    }
}

state! {
    /// Stored registers in a snapshot.
    pub(crate) struct SavedMmio { words: Vec<(u32, u32)> }
}

impl Mmio {
    pub(crate) fn save(&self) -> SavedMmio {
        SavedMmio { words: self.words.iter().map(|(&address, &word)| (address, word)).collect() }
    }

    /// `None` for registers that there are not.
    pub(crate) fn restore(saved: SavedMmio) -> Option<Self> {
        let known = |&(address, _): &(u32, u32)| regs::info(address).is_some();
        saved.words.iter().all(known).then(|| Mmio { words: saved.words.into_iter().collect() })
    }
}
