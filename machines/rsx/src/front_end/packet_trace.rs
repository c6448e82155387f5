//! Packet traces of the RSX: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of the 3D object, between draws; in registers with enumerated values only if the
//! words are the same as when the trace was recorded. Other methods of the 3D object are executed by it, packet by
//! packet. Everything else (other objects, the puller's methods, object methods, jumps, calls) ends a trace before it.

use triglyph_guest::kernel::packet_trace::{Packet, Store, TraceRegisters};
use triglyph_guest::rsx::fifo::{METHOD_SPACE, Methods};
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::rsx::ramht::engine;

use super::header::{header, spend_words};
use super::packets::expected_words;
use super::puller::OBJECTS;
use super::registers::index;
use super::{Channel, Puller, Stop};
use crate::class_3d::effects::WRITES;
use crate::core::WORD;
use triglyph_engine::frontend::packet_trace::{Before, PacketSource, PacketTraces, Shape};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;

const BEGIN_END: u32 = curie::set_begin_end::ID as u32;

/// The words that a packet writes to the method that opens and closes draws, should it be the 3D object's.
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

/// A push buffer at GET.
pub(super) struct Source<'r, 'p> {
    pub channel: &'r mut Channel,
    pub puller: &'r mut Puller<'p>,
    pub stop: Option<Stop>,
}

impl Source<'_, '_> {
    /// Moves GET over stored words, the last of which are those of a packet.
    fn passed(&mut self, words: usize, last: Methods) {
        // There was enough.
        let _ = spend_words(self.puller, words);
        self.channel.get = self.channel.get.wrapping_add(4 * words as u32);
        self.puller.core.position = u64::from(self.channel.get.wrapping_sub(4 * (last.count + 1)));
        self.channel.packet = last.after(last.count);
        self.channel.fetched = last.count;
        self.channel.engine = engine::GRAPH as u8;
    }

    fn affordable(&self) -> usize {
        usize::try_from(self.puller.core.budget.affordable_words(WORD)).unwrap_or(usize::MAX)
    }
}

impl PacketSource for Source<'_, '_> {
    type Pipeline = Programs;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Programs>) {
        (&mut self.puller.graph.packet_traces, &mut self.puller.core.renderer)
    }

    #[inline]
    fn store(&mut self, words: &[u32]) -> usize {
        let affordable = words.len().min(self.affordable());
        let (stored, last) = self.puller.plain(&words[..affordable]);
        if stored != 0 {
            self.passed(stored, last);
        }
        stored
    }

    fn shape(&self, words: &[u32]) -> Option<Shape> {
        let &[word, ref rest @ ..] = words else { return None };
        let Some(packet) = Methods::decode(word) else { return Some(Shape { words: 1, ends: true }) };
        let data = rest.get(..packet.count as usize)?;
        let is_ours = self.puller.graph.curie_subchannels() >> packet.subchannel & 1 != 0;
        let is_traced = packet.count != 0 && packet.method >= OBJECTS.end && is_ours;
        Some(Shape { words: 1 + data.len(), ends: !is_traced || begin_ends(packet, data).contains(&0) })
    }

    fn analyze(&self, words: &[u32], at: usize, before: &mut Before) -> Option<Packet> {
        let packet = Methods::decode(words[at])?;
        let Methods { method, subchannel, count, increasing } = packet;
        let data = &words[at + 1..at + 1 + count as usize];
        let is_ours = self.puller.graph.curie_subchannels() >> subchannel & 1 != 0;
        if data.is_empty() || method < OBJECTS.end || !is_ours || method + 4 * count > METHOD_SPACE {
            return None;
        }
        // Each word for the same method overwrites the one before.
        let skipped = if increasing { 0 } else { data.len() - 1 };
        let (first, stored) = ((at + 1 + skipped) as u32, &data[skipped..]);
        let mut expected = Vec::new();
        let mut stores = Vec::new();
        if !before.calls
            && let Some(indices) = expected_words(method, stored)
            && (indices.is_empty() || skipped == 0)
        {
            let groups = (0..stored.len() as u32).map(|i| WRITES.groups(index(method + 4 * i)));
            stores.push(Store::words(first, method / 4, groups.collect()));
            expected.extend(indices.into_iter().map(|i| (first + i as u32, stored[i])));
        }
        if let Some(&last) = begin_ends(packet, data).last() {
            before.calls = last != 0;
        }
        Some(Packet { header: at as u32, mask: u32::MAX, word: packet.encode(), expected, stores })
    }

    fn is_ready(&self, _: Option<usize>) -> bool {
        self.puller.graph.curie.is_between_draws()
    }

    fn affords(&self, words: usize, _: usize) -> bool {
        self.affordable() >= words
    }

    fn stops(&self) -> bool {
        self.stop.is_some() || self.puller.core.budget.is_over()
    }

    fn registers(&mut self, _: usize) -> TraceRegisters<'_> {
        self.puller.graph.curie.registers().file().trace_registers()
    }

    fn stored(&mut self, words: &[u32], _: usize, last: usize) {
        self.passed(words.len(), Methods::decode(words[last]).unwrap_or_default());
    }

    fn execute(&mut self, words: &[u32], _: usize) -> usize {
        let get = self.channel.get;
        let &[word, ref rest @ ..] = words else { return 0 };
        self.stop = header(self.channel, self.puller, word, rest);
        (self.channel.get.wrapping_sub(get) / 4) as usize
    }
}
