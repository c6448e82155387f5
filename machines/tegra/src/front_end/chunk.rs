//! Words of a push buffer that were read at once: packets that are only stored or run as code, and the others word by
//! word.

use super::channel::{Channel, Step};
use super::packet_trace::Source;
use crate::core::Core;
use triglyph_engine::frontend::packet_trace::advance;

impl Channel {
    /// Executes some words of the segment, those at `address`. False when the fuel is used up: the rest of what was
    /// submitted is dropped.
    pub(super) fn chunk(&mut self, core: &mut Core, address: u64, words: &[u32]) -> bool {
        let mut at = 0;
        while at < words.len() {
            if self.stream.pending.is_none() {
                let address = address.wrapping_add(4 * at as u64);
                at += advance(&mut Source { channel: self, core, address }, &words[at..]);
            }
            if at == words.len() {
                break;
            }
            match self.step(core, address, words, at) {
                Step::On(done) => at += done,
                Step::Over(on) => return on,
            }
            if self.blocked.is_some() || core.budget.is_over() {
                break;
            }
        }
        self.advance(at);
        true
    }
}
