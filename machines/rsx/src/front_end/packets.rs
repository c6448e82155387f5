//! Packets that are only stored: most words of a push buffer.

use triglyph_guest::rsx::fifo::{METHOD_SPACE, Methods};

use super::registers::index;
use crate::class_3d::Curie;
use crate::class_3d::effects::{METHOD_EFFECTS, WRITES, is_unknown, takes};

/// Which words for consecutive methods have to stay the same for all of them to be only stored between draws, by their
/// indices; `None` if they do more than that.
pub(crate) fn expected_words(method: u32, words: &[u32]) -> Option<Vec<usize>> {
    let at = |i: usize| method + 4 * i as u32;
    let checked: Vec<usize> = (0..words.len()).filter(|&i| WRITES.is_trigger(index(at(i)))).collect();
    let is_taken =
        |&i: &usize| !METHOD_EFFECTS[index(at(i))].is_trigger() && !is_unknown(at(i)) && takes(at(i), words[i]);
    checked.iter().all(is_taken).then_some(checked)
}

impl Curie {
    /// Whether words may be stored without drawing first what waits for them.
    pub(crate) fn is_between_draws(&self) -> bool {
        self.gather.is_none()
    }

    /// Executes packets that are only stored, as many whole ones as `words` begins with, for the subchannels of a set
    /// and methods from `lowest` on. Returns how many words that were, headers included, and the last header.
    pub(crate) fn store_packets(&mut self, words: &[u32], subchannels: u32, lowest: u32) -> (usize, Methods) {
        let (mut done, mut last) = (0, 0);
        // What waits between BEGIN and END may have to be drawn before.
        let words = if self.gather.is_some() { &[] } else { words };
        while let [header, rest @ ..] = &words[done..] {
            let Some(packet) = Methods::decode(*header) else { break };
            let Methods { method, subchannel, count, increasing } = packet;
            let Some(data) = rest.get(..count as usize) else { break };
            if subchannels >> subchannel & 1 == 0 || method < lowest || method + 4 * count > METHOD_SPACE {
                break;
            }
            let stored = match data {
                [] => false,
                &[word] => self.store_word(method, word),
                &[.., word] if !increasing => self.registers.store_plain(method, word),
                data => self.registers.store_all(method, data) || self.store_known(method, data),
            };
            if !stored {
                break;
            }
            last = *header;
            done += 1 + count as usize;
        }
        (done, Methods::decode(last).unwrap_or_default())
    }

    /// Words for a few consecutive methods if they are only stored. Otherwise nothing has happened: false.
    fn store_known(&mut self, method: u32, data: &[u32]) -> bool {
        const FEW: usize = 4;
        let known = |(&word, at): (&u32, u32)| !WRITES.is_trigger(index(at)) || self.valid_words.knows(at, word);
        let methods = || (method..).step_by(4);
        let stored = data.len() <= FEW && data.iter().zip(methods()).all(known);
        if stored {
            data.iter().zip(methods()).for_each(|(&word, at)| self.registers.store_word(at, word));
        }
        stored
    }

    /// A word for one method if it is only stored. Otherwise nothing has happened: false.
    #[inline(always)]
    fn store_word(&mut self, method: u32, word: u32) -> bool {
        if self.registers.store_plain(method, word) {
            return true;
        }
        let known = self.valid_words.knows(method, word);
        if known {
            self.registers.store_word(method, word);
        }
        known
    }
}
