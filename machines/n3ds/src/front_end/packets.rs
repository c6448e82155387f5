//! Packets that are only stored, and uploads: most words of a list. They can neither end a list nor change memory, so
//! they are executed from words that were read ahead.

use triglyph_guest::kernel::Window;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs::{self, Effect, Trigger};

use super::packet_trace::{Source, is_quiet, registers, whole};
use super::registers::WRITES;
use crate::class_3d::{Host, Pica};
use triglyph_engine::frontend::packet_trace::{MAX_WORDS, advance};
use triglyph_engine::mem::read_words;

/// Words that are read at once.
const WORDS: usize = 512;

/// Words that are there to be executed if the list has them: more than a trace or a packet.
const MIN_AHEAD: usize = MAX_WORDS + 2;

/// Words of a list from some word on. They have to be read again after everything that may change memory.
pub(crate) struct Ahead {
    words: [u32; WORDS],
    start: u64,
    count: usize,
}

impl Default for Ahead {
    fn default() -> Self {
        Ahead { words: [0; WORDS], start: 0, count: 0 }
    }
}

impl Ahead {
    /// Forgets what was read.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// The words from word `at` of a list on that were read.
    #[inline]
    fn from(&self, at: u64) -> &[u32] {
        let skipped = usize::try_from(at.wrapping_sub(self.start)).unwrap_or(usize::MAX);
        self.words[..self.count].get(skipped..).unwrap_or(&[])
    }

    /// The words from word `at` of a list on, at least a whole packet and as many as a trace has if the list has them.
    pub fn words(&mut self, list: Window<'_>, at: u64) -> &[u32] {
        let has_more = self.start + (self.count as u64) < (list.len() / 4) as u64;
        if self.count == 0 || self.from(at).len() < MIN_AHEAD && has_more {
            self.count = read_words(list.from(4 * at as usize), &mut self.words, false);
            self.start = at;
        }
        self.from(at)
    }
}

impl Pica {
    /// Executes packets from word `at` of `list` on as long as they are only stored or upload something, `most` of them
    /// at most. Returns the word after them, how many there were, and whether the packet there is another one.
    pub(crate) fn quiet_packets(
        &mut self,
        host: &mut Host<'_>,
        list: Window<'_>,
        ahead: &mut Ahead,
        at: u64,
        most: u64,
    ) -> (u64, u64, bool) {
        let left = if self.immediate.is_empty() { most } else { 0 };
        let mut source = Source { pica: self, host, at, left };
        let mut other = false;
        while source.left != 0 && !other {
            let words = ahead.words(list, source.at);
            let rest = &words[advance(&mut source, words)..];
            match whole(rest) {
                _ if source.left == 0 => {}
                Some(packet) => other = !source.upload(packet),
                None if rest.len() == words.len() => break,
                None => {}
            }
        }
        (source.at, left - source.left, other)
    }

    /// A packet that is only stored, at word `at`. Otherwise nothing has happened: false.
    #[inline(always)]
    pub(super) fn store_packet(&mut self, value: u32, header: Header, extra: &[u32], at: u64) -> bool {
        let ((first, count), mask) = (registers(header), header.bit_mask());
        if extra.is_empty() {
            let stored = self.registers.store_plain(first, value, mask);
            if stored {
                self.position = 4 * at;
            }
            return stored;
        }
        if WRITES.plain_from(first) < count {
            return false;
        }
        self.registers.store_word(first, value, mask);
        if header.consecutive() {
            self.registers.store_words(first + 1, extra, mask);
        } else {
            extra.iter().for_each(|&value| self.registers.store_word(first, value, mask));
        }
        self.position = 4 * (at + 1 + extra.len() as u64);
        true
    }

    /// A packet of uploads, at word `at`. Otherwise nothing has happened: false.
    pub(super) fn upload_packet(
        &mut self,
        host: &mut Host<'_>,
        value: u32,
        header: Header,
        extra: &[u32],
        at: u64,
    ) -> bool {
        if !is_quiet(header) {
            return false;
        }
        let (first, count) = registers(header);
        let mask = header.bit_mask();
        self.position = 4 * at;
        let floats = regs::EFFECTS[first] == Effect::Trigger(Trigger::ShaderFloatData);
        if count == 1 && floats && regs::is_vertex_unit(first) {
            self.float_uniforms(first, value, extra, mask);
            self.position += if extra.is_empty() { 0 } else { 4 * (1 + extra.len() as u64) };
            return true;
        }
        self.write_register(host, first, value, mask);
        for (i, &value) in extra.iter().enumerate() {
            self.position = 4 * (at + 2 + i as u64);
            self.write_register(host, header.register(i + 1), value, mask);
        }
        true
    }
}
