//! Packets that are only stored, and uploads: most words of a list. They can neither end a list nor change memory, so
//! they are executed from words that were read ahead.

use triglyph_guest::kernel::Window;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs::{self, Effect, Trigger};

use super::registers::{UPLOADS, WRITES};
use crate::class_3d::{Host, Pica};
use triglyph_engine::frontend::packet_trace::MAX_WORDS;
use triglyph_engine::mem::read_words;

/// Words that are read at once.
const WORDS: usize = 512;

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
    pub fn from(&self, at: u64) -> &[u32] {
        let skipped = usize::try_from(at.wrapping_sub(self.start)).unwrap_or(usize::MAX);
        self.words[..self.count].get(skipped..).unwrap_or(&[])
    }

    /// The words from word `at` of a list on: at least as many as a trace has, if the list has them.
    pub fn trace_words(&mut self, list: Window<'_>, at: u64) -> &[u32] {
        let end = (list.len() / 4) as u64;
        if self.from(at).len() < MAX_WORDS && self.start + (self.count as u64) < end || self.count == 0 {
            self.fill(list, at);
        }
        self.from(at)
    }

    /// Reads words of a list from word `at` on.
    pub fn fill(&mut self, list: Window<'_>, at: u64) {
        self.count = read_words(list.from(4 * at as usize), &mut self.words, false);
        self.start = at;
    }
}

impl Pica {
    /// Executes packets from word `at` of `list` on as long as they are only stored or upload something, `most` of them
    /// at most. Returns the word after them and how many there were.
    pub(crate) fn quiet_packets(
        &mut self,
        host: &mut Host<'_>,
        list: Window<'_>,
        ahead: &mut Ahead,
        mut at: u64,
        most: u64,
    ) -> (u64, u64) {
        let mut packets = 0;
        if !self.immediate.is_empty() {
            return (at, packets);
        }
        let has_traces = host.renderer.packet_traces != 0;
        let mut room = if has_traces { self.packet_traces.room() } else { usize::MAX };
        while packets < most {
            if room == 0 {
                let done = self.run_packet_traces(host, list, ahead, at, most - packets);
                (at, packets) = (at + done.words as u64, packets + done.packets as u64);
                room = self.packet_traces.room();
            }
            if ahead.from(at).len() < 2 {
                ahead.fill(list, at);
            }
            let &[value, header, ref rest @ ..] = ahead.from(at) else { break };
            let header = Header(header);
            let Some(extra) = rest.get(..header.extra()) else {
                if ahead.start == at {
                    break;
                }
                ahead.fill(list, at);
                continue;
            };
            let words = header.packet_words();
            if words > room && room < MAX_WORDS {
                // A trace may begin here.
                room = 0;
                continue;
            }
            if !self.store_packet(value, header, extra, at) && !self.upload_packet(host, value, header, extra, at) {
                break;
            }
            at += words as u64;
            room = room.saturating_sub(words);
            packets += 1;
        }
        if has_traces {
            self.packet_traces.begin_after(room);
        }
        (at, packets)
    }

    /// A packet that is only stored, at word `at`. Otherwise nothing has happened: false.
    #[inline(always)]
    fn store_packet(&mut self, value: u32, header: Header, extra: &[u32], at: u64) -> bool {
        let (first, mask) = (header.id(), header.bit_mask());
        if extra.is_empty() {
            let stored = self.registers.store_plain(first, value, mask);
            if stored {
                self.position = 4 * at;
            }
            return stored;
        }
        let count = if header.consecutive() { 1 + extra.len() } else { 1 };
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
    pub(crate) fn upload_packet(
        &mut self,
        host: &mut Host<'_>,
        value: u32,
        header: Header,
        extra: &[u32],
        at: u64,
    ) -> bool {
        let first = header.id();
        let count = if header.consecutive() { 1 + extra.len() } else { 1 };
        if !UPLOADS.get(first..first + count).is_some_and(|uploads| uploads.iter().all(|&upload| upload)) {
            return false;
        }
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
