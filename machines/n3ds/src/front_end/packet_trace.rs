//! Packet traces of the 3DS: packets of a command list that run as code.
//!
//! Code executes packets that are only stored, the machine executes uploads: most words of a list. They can neither end
//! a list nor change memory, so they are executed from words that were read ahead. A packet that may change memory, end
//! the list or draw ends a trace before it.

use triglyph_guest::kernel::packet_trace::{Packet, Store, TraceRegisters};
use triglyph_guest::pica::command::Header;

use super::registers::{UPLOADS, WRITES};
use crate::class_3d::{Host, Pica};
use triglyph_engine::frontend::packet_trace::{Before, PacketSource, PacketTraces, Shape};
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
fn whole(words: &[u32]) -> Option<(u32, Header, &[u32])> {
    let &[value, header, ref rest @ ..] = words else { return None };
    let header = Header(header);
    let extra = rest.get(..header.packet_words() - 2)?;
    Some((value, header, &extra[..header.extra()]))
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
            && (self.pica.store_packet(value, header, extra, self.at)
                || self.pica.upload_packet(self.host, value, header, extra, self.at))
        {
            done += header.packet_words();
            self.at += header.packet_words() as u64;
            self.left -= 1;
        }
        done
    }

    fn shape(&self, words: &[u32]) -> Option<Shape> {
        let (_, header, _) = whole(words).filter(|_| self.left != 0)?;
        Some(Shape { words: header.packet_words(), ends: !is_quiet(header) })
    }

    fn analyze(&self, words: &[u32], at: usize, _: &mut Before) -> Option<Packet> {
        let (header, at) = (Header(words[at + 1]), at as u32);
        let (first, count) = registers(header);
        let store = |at: u32, register: usize, count: usize| {
            let groups = (register..register + count).map(|register| WRITES.groups(register)).collect();
            Store { mask: header.bit_mask(), ..Store::words(at, register as u32, groups) }
        };
        let mut stores = Vec::new();
        if WRITES.plain_from(first) >= count {
            // The first data word precedes the header.
            stores.push(store(at, first, 1));
            match header.consecutive() {
                true if count > 1 => stores.push(store(at + 2, first + 1, count - 1)),
                true => {}
                false => stores.extend((0..header.extra() as u32).map(|i| store(at + 2 + i, first, 1))),
            }
        }
        let packet = Packet { header: at + 1, mask: u32::MAX, word: header.0, expected: Vec::new(), stores };
        is_quiet(header).then_some(packet)
    }

    fn is_ready(&self, _: Option<usize>) -> bool {
        self.left != 0
    }

    fn affords(&self, _: usize, packets: usize) -> bool {
        self.left >= packets as u64
    }

    fn registers(&mut self, _: usize) -> TraceRegisters<'_> {
        self.pica.registers.trace_registers()
    }

    fn stored(&mut self, words: &[u32], packets: usize, last: usize) {
        let extra = Header(words[last + 1]).extra() as u64;
        self.pica.position = 4 * (self.at + last as u64 + if extra == 0 { 0 } else { 1 + extra });
        self.at += words.len() as u64;
        self.left -= packets as u64;
    }

    fn execute(&mut self, words: &[u32], packet: usize) -> usize {
        let Some((value, header, extra)) = whole(words) else { return 0 };
        if !self.pica.upload_packet(self.host, value, header, extra, self.at) {
            return 0;
        }
        self.at += packet as u64;
        self.left -= 1;
        packet
    }
}
