//! Packet traces of the Tegra X1: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of one class, that of the first packet that only stores. It does so only while
//! writes also go to the copies of registers, and while no macro waits for parameters: the packet after a macro call is
//! executed by the machine, because it ends the parameters. Host methods, masks of sub-devices and words that are no
//! header of a run end a trace before them.

use triglyph_guest::kernel::mme::METHODS;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store, TraceRegisters};
use triglyph_guest::tegra::fifo::{Command, METHOD_MASK, Run, Stepping, host};
use triglyph_guest::tegra::methods::{Class, threed};

use super::channel::{Bound, Channel, Step};
use super::work::MACROS;
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::frontend::packet_trace::{
    AnalyzedPacket, Executed, PacketSource, PacketTrace, PacketTraces, Progress, TracedPacket, run_traces,
};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;

/// Bits of a header with an immediate datum, without those of the datum.
const IMMEDIATE: u32 = 0xE000_FFFF;

/// Whether a header's packet ends a draw.
fn ends_draw(class: Class, method: u32) -> bool {
    class == Class::ThreeD && method as usize == threed::regs::end::ID
}

impl Channel {
    /// Notes that a packet, or data of one, of so many words was executed. A trace may begin after a draw, and after a
    /// packet that cannot be part of a trace.
    #[inline]
    pub(crate) fn note_passed(&mut self, header: Option<u32>, words: usize) {
        self.packet_traces.passed(words);
        if header.is_some_and(|header| !self.may_be_traced(header) || self.ends_draw(header)) {
            self.packet_traces.begin_here();
        }
    }

    fn may_be_traced(&self, header: u32) -> bool {
        let (subchannel, method) = match Command::decode(header) {
            Command::Run(run) | Command::Legacy(run) if run.count != 0 => (run.subchannel, run.method),
            Command::Immediate { subchannel, method, .. } => (subchannel, method),
            _ => return false,
        };
        method >= host::END && matches!(self.bound(subchannel), Bound::Class(_))
    }

    fn ends_draw(&self, header: u32) -> bool {
        let method = header & METHOD_MASK;
        let ends = |class| ends_draw(class, method);
        method as usize == threed::regs::end::ID
            && matches!(self.bound(header >> 13 & 7), Bound::Class(class) if ends(class))
    }

    /// The class whose registers a trace stores to.
    fn class_of_trace(&self, trace: &PacketTrace) -> Class {
        let stores = trace.key.packets.iter().find(|packet| !matches!(packet.act, Act::Call));
        match stores.map(|packet| self.bound(packet.word >> 13 & 7)) {
            Some(Bound::Class(class)) => class,
            _ => Class::ThreeD,
        }
    }

    /// Runs traces from word `first` of a chunk at `address` on.
    #[inline(never)]
    pub(crate) fn run_packet_traces(&mut self, core: &mut Core, address: u64, words: &[u32], first: usize) -> Step {
        let class = Class::ThreeD;
        let mut source = Source { channel: self, core, address, words, at: first, class, end: None };
        let done = run_traces(&mut source, &mut &words[first..]);
        source.end.map_or(Step::On(done.words), Step::Over)
    }
}

/// What headers and earlier packets of a trace say about the next one.
struct Analyzer<'c> {
    channel: &'c Channel,
    /// The class whose registers are stored to.
    class: Option<Class>,
    /// The packet before may have left a macro waiting for parameters.
    macro_waits: bool,
}

impl Analyzer<'_> {
    fn packet(&mut self, words: &[u32], at: usize) -> Option<AnalyzedPacket> {
        let header = *words.get(at)?;
        let (run, mask) = match Command::decode(header) {
            Command::Run(run) | Command::Legacy(run) if run.count != 0 => (run, u32::MAX),
            Command::Immediate { subchannel, method, .. } => {
                (Run { subchannel, method, count: 0, stepping: Stepping::Each }, IMMEDIATE)
            }
            _ => return None,
        };
        let Run { subchannel, method, count, stepping } = run;
        let Bound::Class(class) = self.channel.bound(subchannel) else { return None };
        // The last method that is written.
        let last = match stepping {
            Stepping::Each => method + count.max(1) - 1,
            Stepping::Never => method,
            Stepping::Once => method + u32::from(count > 1),
        };
        if method < host::END || last > METHOD_MASK {
            return None;
        }
        let stores = if self.macro_waits { None } else { self.stores(class, run, at as u32) };
        let calls_macro = last >= MACROS && matches!(class, Class::ThreeD | Class::TwoD);
        self.macro_waits = calls_macro;
        let data = at as u32 + 1 + u32::from(stepping == Stepping::Once && count > 1);
        Some(AnalyzedPacket {
            packet: Packet { header: at as u32, mask, word: header & mask, act: stores.map_or(Act::Call, Act::Store) },
            words: 1 + count as usize,
            position: if count == 0 { at as u32 } else { data },
            ends_trace: ends_draw(class, method),
        })
    }

    /// What a packet stores, if that is all it does.
    fn stores(&mut self, class: Class, run: Run, at: u32) -> Option<Vec<Store>> {
        let Run { method, count, stepping, .. } = run;
        let registers = self.channel.units.registers(class);
        let groups = |method: u32| registers.plain_groups(method);
        let word =
            |at: u32, register: u32, groups: u32| Store::Words { at, register, mask: u32::MAX, groups: vec![groups] };
        let stores = match stepping {
            _ if count == 0 => {
                vec![Store::Field { at, shift: 16, bits: 13, register: method, groups: groups(method)? }]
            }
            Stepping::Each => {
                let groups: Option<Vec<u32>> = (method..method + count).map(groups).collect();
                vec![Store::Words { at: at + 1, register: method, mask: u32::MAX, groups: groups? }]
            }
            // Each word overwrites the one before.
            Stepping::Never => vec![word(at + count, method, groups(method)?)],
            Stepping::Once if count == 1 => vec![word(at + 1, method, groups(method)?)],
            Stepping::Once => {
                vec![word(at + 1, method, groups(method)?), word(at + count, method + 1, groups(method + 1)?)]
            }
        };
        (*self.class.get_or_insert(class) == class).then_some(stores)
    }
}

/// A chunk of a push buffer at some word.
struct Source<'r> {
    channel: &'r mut Channel,
    core: &'r mut Core,
    /// GPU address of the chunk.
    address: u64,
    /// Its words.
    words: &'r [u32],
    /// The cursor: the next word.
    at: usize,
    /// The class whose registers the prepared trace stores to.
    class: Class,
    /// The segment ended.
    end: Option<bool>,
}

impl PacketSource for Source<'_> {
    type Pipeline = Programs;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Programs>) {
        (&mut self.channel.packet_traces, &mut self.core.renderer)
    }

    fn is_ready(&self) -> bool {
        let Channel { stream, units, blocked, .. } = &*self.channel;
        blocked.is_none() && stream.pending.is_none() && stream.active() && !units.waits_for_parameters()
    }

    fn analyze(&self, words: &[u32]) -> Option<PacketTrace> {
        let key = PacketTraceKey { registers: METHODS as u32, copies: true, ..PacketTraceKey::default() };
        let mut analyzer = Analyzer { channel: self.channel, class: None, macro_waits: false };
        PacketTrace::record(key, words, |words, at| analyzer.packet(words, at))
    }

    fn prepare(&mut self, trace: &PacketTrace, _done: Progress) -> bool {
        self.class = self.channel.class_of_trace(trace);
        self.core.budget.affordable_words(1) >= trace.words() as u64
            && self.channel.units.registers(self.class).is_direct()
    }

    fn registers(&mut self) -> TraceRegisters<'_> {
        self.channel.units.registers(self.class).trace_registers()
    }

    fn stored(&mut self, words: usize) {
        // There was enough when the trace was prepared, and after each packet that the machine executed.
        let _ = self.core.budget.spend_words(words as u64, words as u64);
        self.at += words;
    }

    fn ended_after(&mut self, _words: &[u32], trace: &PacketTrace, last: usize) {
        let after = trace.start(last + 1) - trace.position(last);
        self.core.position = self.address.wrapping_add(4 * (self.at - after) as u64) & ADDRESS_MASK;
    }

    fn execute(&mut self, _words: &[u32], packet: TracedPacket) -> Executed {
        let mut done = 0;
        while done < packet.words && self.channel.blocked.is_none() {
            match self.channel.step(self.core, self.address, self.words, self.at + done) {
                // A bounded run was interrupted.
                Step::On(0) => break,
                Step::On(words) => done += words,
                Step::Over(on) => {
                    self.end = Some(on);
                    break;
                }
            }
        }
        self.at += done;
        let Channel { stream, units, blocked, .. } = &*self.channel;
        let may_continue = done == packet.words
            && blocked.is_none()
            && stream.pending.is_none()
            && units.registers(self.class).is_direct()
            && self.core.budget.affordable_words(1) >= packet.words_left as u64
            && !self.core.budget.is_over()
            && !(units.waits_for_parameters() && packet.next_is_stored);
        Executed { words: done, may_continue, stops: self.end.is_some() }
    }
}
