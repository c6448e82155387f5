//! Packet traces of the 3DS: packets of a command list that run as code.
//!
//! Code executes packets that are only stored, the machine executes uploads. A packet that may change memory, end the
//! list or draw ends a trace before it.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store, TraceRegisters};
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs;

use super::packets::Ahead;
use super::registers::{UPLOADS, WRITES};
use crate::class_3d::{Host, Pica};
use triglyph_engine::frontend::packet_trace::{
    AnalyzedPacket, Executed, PacketSource, PacketTrace, PacketTraces, Progress, TracedPacket, WordsAhead, run_traces,
};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::Fixed;

/// The packet at word `at` of a trace.
fn analyze(words: &[u32], at: usize) -> Option<AnalyzedPacket> {
    let header = Header(*words.get(at + 1)?);
    let extra = header.extra();
    words.get(at..at + 2 + extra)?;
    let first = header.id();
    let count = if header.consecutive() { 1 + extra } else { 1 };
    let uploads = UPLOADS.get(first..first + count)?;
    let act = match WRITES.plain_from(first) >= count {
        true => Act::Store(stores(header, at as u32)),
        false if uploads.iter().all(|&upload| upload) => Act::Call,
        false => return None,
    };
    Some(AnalyzedPacket {
        packet: Packet { header: at as u32 + 1, mask: u32::MAX, word: header.0, act },
        words: header.packet_words(),
        position: (at + if extra == 0 { 0 } else { 1 + extra }) as u32,
        ends_trace: false,
    })
}

/// What a packet at word `at` stores. Its first data word precedes the header.
fn stores(header: Header, at: u32) -> Vec<Store> {
    let (first, extra, mask) = (header.id(), header.extra(), header.bit_mask());
    let store = |at: u32, register: usize, count: usize| {
        let groups = (register..register + count).map(|register| WRITES.groups(register)).collect();
        Store::Words { at, register: register as u32, mask, groups }
    };
    let mut stores = vec![store(at, first, 1)];
    match header.consecutive() {
        _ if mask == 0 => stores.clear(),
        true if extra != 0 => stores.push(store(at + 2, first + 1, extra)),
        true => {}
        false => stores.extend((0..extra as u32).map(|i| store(at + 2 + i, first, 1))),
    }
    stores
}

impl Pica {
    /// Runs traces from word `at` of `list` on, `most` packets at most.
    #[inline(never)]
    pub(crate) fn run_packet_traces(
        &mut self,
        host: &mut Host<'_>,
        list: Window<'_>,
        ahead: &mut Ahead,
        at: u64,
        most: u64,
    ) -> Progress {
        run_traces(&mut Source { pica: self, host, at, most }, &mut ListWords { list, ahead, at })
    }
}

/// The words of a list from word `at` on, read ahead.
struct ListWords<'r, 'w> {
    list: Window<'w>,
    ahead: &'r mut Ahead,
    at: u64,
}

impl WordsAhead for ListWords<'_, '_> {
    fn from(&mut self, at: usize) -> &[u32] {
        self.ahead.trace_words(self.list, self.at + at as u64)
    }
}

/// A command list at word `at`.
struct Source<'r, 'h> {
    pica: &'r mut Pica,
    host: &'r mut Host<'h>,
    at: u64,
    /// Packets at most.
    most: u64,
}

impl PacketSource for Source<'_, '_> {
    const HEADER: usize = 1;

    type Pipeline = Fixed;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Fixed>) {
        (&mut self.pica.packet_traces, self.host.renderer)
    }

    fn is_ready(&self) -> bool {
        true
    }

    fn analyze(&self, words: &[u32]) -> Option<PacketTrace> {
        let key = PacketTraceKey { registers: regs::COUNT as u32, changes: true, ..PacketTraceKey::default() };
        PacketTrace::record(key, words, analyze)
    }

    fn prepare(&mut self, trace: &PacketTrace, done: Progress) -> bool {
        self.most - done.packets as u64 >= trace.packets() as u64
    }

    fn registers(&mut self) -> TraceRegisters<'_> {
        self.pica.registers.trace_registers()
    }

    fn stored(&mut self, words: usize) {
        self.at += words as u64;
    }

    fn ended_after(&mut self, _words: &[u32], trace: &PacketTrace, last: usize) {
        let after = trace.start(last + 1) - trace.position(last);
        self.pica.position = 4 * (self.at - after as u64);
    }

    /// Uploads what a packet brings.
    fn execute(&mut self, words: &[u32], packet: TracedPacket) -> Executed {
        let at = self.at;
        self.at += packet.words as u64;
        let uploaded = match words {
            &[value, header, ref rest @ ..] => {
                let header = Header(header);
                let upload = |extra| self.pica.upload_packet(self.host, value, header, extra, at);
                rest.get(..header.extra()).is_some_and(upload)
            }
            _ => false,
        };
        Executed { words: packet.words, may_continue: uploaded, stops: false }
    }
}
