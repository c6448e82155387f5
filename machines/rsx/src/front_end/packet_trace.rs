//! Packet traces of the RSX: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of the 3D object, between draws; in registers with enumerated values only if the
//! words are the same as when the trace was recorded. Everything else ends a trace before it.

use triglyph_guest::kernel::packet_trace::{Store, TraceRegisters};
use triglyph_guest::rsx::fifo::{METHOD_SPACE, Methods};
use triglyph_guest::rsx::ramht::engine;

use super::header::spend_words;
use super::packets::expected_words;
use super::puller::OBJECTS;
use super::registers::index;
use super::{Channel, Puller};
use crate::class_3d::effects::WRITES;
use crate::core::WORD;
use triglyph_engine::frontend::packet_trace::{Guard, Packet, PacketSource, PacketTrace, PacketTraces};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;

/// A push buffer at GET.
pub(super) struct Source<'r, 'p> {
    pub channel: &'r mut Channel,
    pub puller: &'r mut Puller<'p>,
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

    fn analyze(&self, words: &[u32], at: usize) -> Option<Packet> {
        let packet = Methods::decode(*words.get(at)?)?;
        let Methods { method, subchannel, count, increasing } = packet;
        let data = words[at + 1..].get(..count as usize)?;
        let is_ours = self.puller.graph.curie_subchannels() >> subchannel & 1 != 0;
        if data.is_empty() || method < OBJECTS.end || !is_ours || method + 4 * count > METHOD_SPACE {
            return None;
        }
        // Each word for the same method overwrites the one before.
        let skipped = if increasing { 0 } else { data.len() - 1 };
        let (first, stored) = ((at + 1 + skipped) as u32, &data[skipped..]);
        let expected = expected_words(method, stored).filter(|indices| indices.is_empty() || skipped == 0)?;
        let groups = (0..stored.len() as u32).map(|i| WRITES.groups(index(method + 4 * i)));
        let stores = vec![Store::words(first, method / 4, groups.collect())];
        let guard = |at: u32, word: u32| Guard { at, mask: u32::MAX, word };
        let expected = expected.into_iter().map(|i| guard(first + i as u32, stored[i]));
        let guards = [guard(at as u32, packet.encode())].into_iter().chain(expected).collect();
        Some(Packet { words: 1 + data.len(), bank: 0, guards, stores })
    }

    fn is_ready(&self, trace: Option<&PacketTrace>) -> bool {
        self.puller.graph.curie.is_between_draws() && self.affordable() >= trace.map_or(0, PacketTrace::words)
    }

    fn registers(&mut self, _: usize) -> TraceRegisters<'_> {
        self.puller.graph.curie.registers().file().trace_registers()
    }

    fn stored(&mut self, words: &[u32], trace: &PacketTrace) {
        self.passed(words.len(), Methods::decode(words[trace.last]).unwrap_or_default());
    }
}
