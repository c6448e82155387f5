//! Packet traces of the 3DS: packets of a command list that run as code.
//!
//! Code executes packets that are only stored. Uploads, and packets that may change memory, end the list or draw, end a
//! trace before them.

use triglyph_guest::kernel::packet_trace::{Store, TraceRegisters};
use triglyph_guest::pica::command::Header;

use super::registers::{UPLOADS, WRITES};
use crate::class_3d::{Host, Pica};
use triglyph_engine::frontend::packet_trace::{Guard, Packet, PacketSource, PacketTrace, PacketTraces};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::Fixed;

/// A command list at word `at`.
pub(super) struct Source<'r, 'h> {
    pub pica: &'r mut Pica,
    pub host: &'r mut Host<'h>,
    pub at: u64,
    /// Packets that may be executed.
    pub left: u64,
}

/// The registers that a packet writes: the first one, and how many.
#[inline(always)]
pub(super) fn registers(header: Header) -> (usize, usize) {
    (header.id(), if header.consecutive() { 1 + header.extra() } else { 1 })
}

/// Whether a packet only stores words, or uploads them.
#[inline]
pub(super) fn is_quiet(header: Header) -> bool {
    let (first, count) = registers(header);
    UPLOADS.get(first..first + count).is_some_and(|uploads| uploads.iter().all(|&upload| upload))
}

/// The packet that `words` begin with: its parameter, its header, the others.
#[inline(always)]
pub(super) fn whole(words: &[u32]) -> Option<(u32, Header, &[u32])> {
    let &[value, header, ref rest @ ..] = words else { return None };
    let header = Header(header);
    let extra = rest.get(..header.packet_words() - 2)?;
    Some((value, header, &extra[..header.extra()]))
}

impl Source<'_, '_> {
    /// Executes a packet if it uploads something. Otherwise nothing has happened: false.
    pub fn upload(&mut self, (value, header, extra): (u32, Header, &[u32])) -> bool {
        let uploads = self.pica.upload_packet(self.host, value, header, extra, self.at);
        if uploads {
            self.passed(header.packet_words(), 1);
        }
        uploads
    }

    fn passed(&mut self, words: usize, packets: usize) {
        self.at += words as u64;
        self.left -= packets as u64;
    }
}

impl PacketSource for Source<'_, '_> {
    const BEFORE_HEADER: usize = 1;

    type Pipeline = Fixed;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Fixed>) {
        (&mut self.pica.packet_traces, self.host.renderer)
    }

    fn store(&mut self, words: &[u32]) -> usize {
        let mut done = 0;
        while self.left != 0
            && let Some((value, header, extra)) = whole(&words[done..])
            && self.pica.store_packet(value, header, extra, self.at)
        {
            done += header.packet_words();
            self.passed(header.packet_words(), 1);
        }
        done
    }

    fn analyze(&self, words: &[u32], at: usize) -> Option<Packet> {
        let (_, header, _) = whole(&words[at..])?;
        let (first, count) = registers(header);
        let word = |i: usize| (at + i) as u32;
        let store = |at: u32, register: usize, count: usize| {
            let groups = (register..register + count).map(|register| WRITES.groups(register)).collect();
            Store { mask: header.bit_mask(), ..Store::words(at, register as u32, groups) }
        };
        if WRITES.plain_from(first) < count {
            return None;
        }
        // The first data word precedes the header.
        let mut stores = vec![store(word(0), first, 1)];
        match header.consecutive() {
            true if count > 1 => stores.push(store(word(2), first + 1, count - 1)),
            true => {}
            false => stores.extend((0..header.extra()).map(|i| store(word(2 + i), first, 1))),
        }
        let guards = vec![Guard { at: word(1), mask: u32::MAX, word: header.0 }];
        Some(Packet { words: header.packet_words(), bank: 0, guards, stores })
    }

    fn is_ready(&self, trace: Option<&PacketTrace>) -> bool {
        self.left >= trace.map_or(1, |trace| trace.packets as u64)
    }

    fn registers(&mut self, _: usize) -> TraceRegisters<'_> {
        self.pica.registers.trace_registers()
    }

    fn stored(&mut self, words: &[u32], trace: &PacketTrace) {
        let extra = Header(words[trace.last + 1]).extra() as u64;
        self.pica.position = 4 * (self.at + trace.last as u64 + if extra == 0 { 0 } else { 1 + extra });
        self.passed(words.len(), trace.packets);
    }
}
