//! Words that registers are known to take.

use triglyph_guest::rsx::fifo::METHOD_SPACE;

/// Pairs that are remembered.
const PAIRS: usize = 256;

/// Words that registers with enumerated values are known to take. Looking them up in the tables costs as much as ten
/// methods.
#[derive(Debug)]
pub(crate) struct ValidWords(Box<[(u32, u32); PAIRS]>);

impl Default for ValidWords {
    fn default() -> Self {
        // No register is at the end of the method space.
        ValidWords(Box::new([(METHOD_SPACE, 0); PAIRS]))
    }
}

impl ValidWords {
    fn place(method: u32, word: u32) -> usize {
        ((method >> 2 ^ word).wrapping_mul(0x9E37_79B1) >> 24) as usize % PAIRS
    }

    /// Notes that a register takes a word.
    pub fn remember(&mut self, method: u32, word: u32) {
        self.0[ValidWords::place(method, word)] = (method, word);
    }

    #[inline(always)]
    pub fn knows(&self, method: u32, word: u32) -> bool {
        self.0[ValidWords::place(method, word)] == (method, word)
    }
}
