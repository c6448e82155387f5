//! Packets that are only stored, and uploads: most words of a list. They can neither end a list nor change memory, so they
//! are executed from words that were read ahead.

use triglyph_guest::kernel::Window;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs::{self, Effect, Trigger};

use super::{Host, Pica};
use triglyph_engine::frontend::packet_trace::MAX_WORDS;
use triglyph_engine::mem::read_words;

/// Words that are read at once.
const WORDS: usize = 512;

/// Words of a list from some word on. They have to be read anew behind everything that may change memory.
pub(super) struct Ahead {
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

/// What is known about a register.
#[derive(Clone, Copy)]
pub(super) struct Write {
    /// Groups that become stale when it changes.
    pub groups: u32,
    /// How many registers from this one on are only stored.
    pub plain: u16,
    /// Whether a write changes no memory, starts and ends nothing.
    pub upload: bool,
}

pub(super) static WRITES: [Write; regs::COUNT] = writes();

const fn writes() -> [Write; regs::COUNT] {
    let mut writes = [Write { groups: 0, plain: 0, upload: false }; regs::COUNT];
    let (mut i, mut behind) = (regs::COUNT, 0);
    while i > 0 {
        i -= 1;
        let (groups, plain) = match regs::EFFECTS[i] {
            Effect::None => (0, true),
            Effect::Dirty(groups) => (groups, true),
            Effect::Trigger(_) => (0, false),
        };
        behind = if plain { behind + 1 } else { 0 };
        let upload = match regs::EFFECTS[i] {
            Effect::Trigger(trigger) => is_upload(trigger),
            _ => true,
        };
        writes[i] = Write { groups, plain: behind, upload };
    }
    writes
}

const fn is_upload(trigger: Trigger) -> bool {
    use Trigger::*;
    !matches!(
        trigger,
        Interrupt | Jump0 | Jump1 | DrawArrays | DrawElements | FixedAttributeIndex | FixedAttributeData | GasStart
    )
}

impl Pica {
    /// Executes packets from word `at` of `list` on as long as they are only stored or upload something, `most` of them at
    /// most. Returns the word behind them and how many they were.
    pub(super) fn quiet_packets(
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
        let Some(write) = WRITES.get(first) else { return false };
        if extra.is_empty() {
            if write.plain == 0 {
                return false;
            }
            self.stale |= write.groups & store(&mut self.registers[first], value, mask);
            self.position = 4 * at;
            return true;
        }
        let count = if header.consecutive() { 1 + extra.len() } else { 1 };
        if usize::from(write.plain) < count {
            return false;
        }
        let (registers, writes) = (&mut self.registers[first..first + count], &WRITES[first..first + count]);
        let mut stale = write.groups & store(&mut registers[0], value, mask);
        if header.consecutive() {
            for ((register, write), &value) in registers[1..].iter_mut().zip(&writes[1..]).zip(extra) {
                stale |= write.groups & store(register, value, mask);
            }
        } else {
            extra.iter().for_each(|&value| stale |= write.groups & store(&mut registers[0], value, mask));
        }
        self.stale |= stale;
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
        let first = header.id();
        let count = if header.consecutive() { 1 + extra.len() } else { 1 };
        if !WRITES.get(first..first + count).is_some_and(|writes| writes.iter().all(|write| write.upload)) {
            return false;
        }
        let mask = header.bit_mask();
        self.position = 4 * at;
        if count == 1 && regs::EFFECTS[first] == Effect::Trigger(Trigger::VshFloatData) {
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

/// Stores the bits of a word under a mask; all ones if that changes the register, else 0. Whether it does is as good as
/// random, so this is no branch.
#[inline(always)]
fn store(register: &mut u32, value: u32, mask: u32) -> u32 {
    let bits = (*register ^ value) & mask;
    *register ^= bits;
    ((bits | bits.wrapping_neg()) as i32 >> 31) as u32
}
