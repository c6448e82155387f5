//! Packet traces of the RSX: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of the 3D object, between draws; in registers with enumerated values only if the
//! words are the same as when the trace was recorded. Other methods of the 3D object are executed by it, packet by
//! packet. Everything else (other objects, the puller's methods, object methods, jumps, calls) ends a trace before it.

use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store, TraceRegisters};
use triglyph_guest::rsx::fifo::{METHOD_SPACE, METHODS, Methods};
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::rsx::ramht::engine;

use super::header::{header, spend_words};
use super::packets::{PacketEffect, packet_effect};
use super::puller::OBJECTS;
use super::{Channel, Puller, Stop};
use crate::core::WORD;
use triglyph_engine::frontend::packet_trace::{
    AnalyzedPacket, Executed, PacketSource, PacketTrace, PacketTraces, Progress, TracedPacket, run_traces,
};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;

const BEGIN_END: u32 = curie::set_begin_end::ID as u32;

/// What bindings and earlier packets of a trace say about the next one.
struct Analyzer {
    /// Subchannels that the 3D object is bound to, one bit each.
    subchannels: u32,
    /// Between BEGIN and END.
    drawing: bool,
}

/// The words that a packet writes to the method that opens and closes draws.
#[inline]
fn begin_ends(packet: Methods, data: &[u32]) -> &[u32] {
    let Methods { method, increasing, .. } = packet;
    let at = (BEGIN_END.wrapping_sub(method) / 4) as usize;
    match increasing {
        true if method <= BEGIN_END => data.get(at..=at).unwrap_or(&[]),
        false if method == BEGIN_END => data,
        _ => &[],
    }
}

/// Whether a packet with data at the beginning of `rest` closes a draw, should it be the 3D object's.
#[inline]
pub(super) fn ends_draw(packet: Methods, rest: &[u32]) -> bool {
    begin_ends(packet, &rest[..rest.len().min(packet.count as usize)]).contains(&0)
}

/// Whether a packet can be part of a trace.
#[inline]
pub(super) fn may_be_traced(puller: &Puller<'_>, packet: Methods) -> bool {
    let is_ours = puller.graph.curie_subchannels() >> packet.subchannel & 1 != 0;
    packet.count != 0 && packet.method >= OBJECTS.end && is_ours
}

impl Analyzer {
    fn packet(&mut self, words: &[u32], at: usize) -> Option<AnalyzedPacket> {
        let packet = Methods::decode(*words.get(at)?)?;
        let Methods { method, subchannel, count, .. } = packet;
        let data = words.get(at + 1..at + 1 + count as usize)?;
        let ours = self.subchannels >> subchannel & 1 != 0 && method >= OBJECTS.end;
        if data.is_empty() || !ours || method + 4 * count > METHOD_SPACE {
            return None;
        }
        let act = if self.drawing { Act::Call } else { act(packet, data, at as u32 + 1) };
        let begin_ends = begin_ends(packet, data);
        if let Some(&last) = begin_ends.last() {
            self.drawing = last != 0;
        }
        Some(AnalyzedPacket {
            packet: Packet { header: at as u32, mask: u32::MAX, word: packet.encode(), act },
            words: 1 + data.len(),
            position: at as u32,
            ends_trace: begin_ends.contains(&0),
        })
    }
}

/// What is done with a packet between draws whose data begin at word `at` of the trace.
fn act(packet: Methods, data: &[u32], at: u32) -> Act {
    let Methods { method, count, increasing, .. } = packet;
    // Each word for the same method overwrites the one before.
    let (at, data) = if increasing { (at, data) } else { (at + count - 1, &data[data.len() - 1..]) };
    let store = |groups| vec![Store::Words { at, register: method / 4, mask: u32::MAX, groups }];
    match packet_effect(method, data) {
        PacketEffect::Stored(groups) => Act::Store(store(groups)),
        PacketEffect::Validated(checked, groups) if increasing || count == 1 => {
            let expected = checked.into_iter().map(|word| (at + word as u32, data[word])).collect();
            Act::Checked { expected, stores: store(groups) }
        }
        PacketEffect::Validated(..) | PacketEffect::Triggers => Act::Call,
    }
}

/// Runs traces from GET on, where `words` begin. Returns the reason to stop, if there is one.
#[inline(never)]
pub(super) fn run(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    let valid = (channel.put.wrapping_sub(channel.get) / 4) as usize;
    let mut words = &words[..words.len().min(valid)];
    let mut source = Source { channel, puller, stop: None };
    run_traces(&mut source, &mut words);
    source.stop
}

/// A push buffer at GET.
struct Source<'r, 'p> {
    channel: &'r mut Channel,
    puller: &'r mut Puller<'p>,
    stop: Option<Stop>,
}

impl PacketSource for Source<'_, '_> {
    type Pipeline = Programs;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Programs>) {
        (&mut self.puller.graph.packet_traces, &mut self.puller.core.renderer)
    }

    fn is_ready(&self) -> bool {
        self.puller.graph.curie.is_between_draws()
    }

    fn analyze(&self, words: &[u32]) -> Option<PacketTrace> {
        let key = PacketTraceKey { registers: METHODS as u32, changes: true, ..PacketTraceKey::default() };
        let mut analyzer = Analyzer { subchannels: self.puller.graph.curie_subchannels(), drawing: false };
        PacketTrace::record(key, words, |words, at| analyzer.packet(words, at))
    }

    fn prepare(&mut self, trace: &PacketTrace, _done: Progress) -> bool {
        self.puller.core.budget.affordable_words(WORD) >= trace.words() as u64
    }

    fn registers(&mut self) -> TraceRegisters<'_> {
        self.puller.graph.curie.trace_registers()
    }

    fn stored(&mut self, words: usize) {
        // There was enough when the trace was prepared, and after each packet that the machine executed.
        let _ = spend_words(self.puller, words);
        self.channel.get = self.channel.get.wrapping_add(4 * words as u32);
    }

    fn ended_after(&mut self, words: &[u32], trace: &PacketTrace, last: usize) {
        let packet = Methods::decode(words[trace.start(last)]).unwrap_or_default();
        let after = trace.start(last + 1) - trace.position(last);
        self.puller.core.position = u64::from(self.channel.get.wrapping_sub(4 * after as u32));
        self.channel.packet = packet.after(packet.count);
        self.channel.fetched = packet.count;
        self.channel.engine = engine::GRAPH as u8;
    }

    fn execute(&mut self, words: &[u32], packet: TracedPacket) -> Executed {
        let end = self.channel.get.wrapping_add(4 * packet.words as u32);
        let &[word, ref rest @ ..] = words else {
            return Executed { words: 0, may_continue: false, stops: false };
        };
        self.stop = header(self.channel, self.puller, word, rest);
        let may_continue = self.stop.is_none()
            && self.channel.get == end
            && self.puller.core.budget.affordable_words(WORD) >= packet.words_left as u64
            && !self.puller.core.budget.is_over()
            && (self.puller.graph.curie.is_between_draws() || !packet.next_is_stored);
        Executed { words: packet.words, may_continue, stops: self.stop.is_some() }
    }
}
