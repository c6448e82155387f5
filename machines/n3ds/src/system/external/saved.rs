//! The external registers in a snapshot.

use super::{External, OWN};
use crate::system::lcd::{Lcd, SavedLcd, Screen};
use triglyph_engine::snapshot::state;

state! {
    /// See the module's documentation.
    pub(in crate) struct SavedExternal {
        words: Box<[u32; OWN as usize / 4]>,
        lcds: [SavedLcd; 2],
    }
}

impl External {
    /// The registers; what happens where the hardware freezes is the host's choice and no state.
    pub(crate) fn save(&self) -> SavedExternal {
        let External { words, lcds, freeze_policy: _ } = self;
        SavedExternal { words: words.clone(), lcds: lcds.each_ref().map(Lcd::save) }
    }

    /// Puts the registers back.
    pub(crate) fn restore(&mut self, saved: SavedExternal) {
        let SavedExternal { words, lcds: [top, bottom] } = saved;
        self.words = words;
        self.lcds = [Lcd::restore(Screen::Top, top), Lcd::restore(Screen::Bottom, bottom)];
    }
}
