//! Sequences of the 3DS: packets of a command list with code.
//!
//! A packet that is only stored is code's, an upload the machine's; whatever may change memory, end the list or draw ends a
//! sequence before.

use std::cell::Cell;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::packet_trace::{
    Act, Packet, PacketTraceJob, PacketTraceKey, PacketTraceMachine, Store, TraceRegisters,
};
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs;

use super::packets::{Ahead, WRITES};
use super::{Host, Pica};
use triglyph_engine::sequence::shape::{Seen, Sequence};
use triglyph_engine::sequence::{Next, Ready};

/// A packet at word `at` of a sequence.
fn see(words: &[u32], at: usize) -> Option<Seen> {
    let header = Header(*words.get(at + 1)?);
    let extra = header.extra();
    words.get(at..at + 2 + extra)?;
    let first = header.id();
    let count = if header.consecutive() { 1 + extra } else { 1 };
    let writes = WRITES.get(first..first + count)?;
    let act = match usize::from(writes[0].plain) >= count {
        true => Act::Store(stores(header, at as u32)),
        false if writes.iter().all(|write| write.upload) => Act::Call,
        false => return None,
    };
    Some(Seen {
        packet: Packet { header: at as u32 + 1, mask: u32::MAX, word: header.0, act },
        words: header.packet_words(),
        position: (at + if extra == 0 { 0 } else { 1 + extra }) as u32,
        last: false,
    })
}

/// What a packet at word `at` stores: its first word stands before the header.
fn stores(header: Header, at: u32) -> Vec<Store> {
    let (first, extra, mask) = (header.id(), header.extra(), header.bit_mask());
    let store = |at: u32, register: usize, count: usize| {
        let groups = WRITES[register..register + count].iter().map(|write| write.groups).collect();
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
    /// Runs sequences from word `at` of `list` on, `most` packets at most. Returns how many words and packets were done.
    #[inline(never)]
    pub(super) fn run_sequences(
        &mut self,
        host: &mut Host<'_>,
        list: Window<'_>,
        ahead: &mut Ahead,
        at: u64,
        most: u64,
    ) -> (u64, u64) {
        self.sequences.looked();
        let threshold = host.renderer.sequences;
        let (mut done, mut packets, mut runs) = (0, 0, 0);
        loop {
            let words = ahead.sequence(list, at + done);
            let &[_, header, ..] = words else { break };
            let ready = match self.sequences.at(header, words, threshold) {
                Next::Nothing => break,
                Next::Run(ready) => ready,
                Next::Look(place) => {
                    let key =
                        PacketTraceKey { registers: regs::COUNT as u32, changes: true, ..PacketTraceKey::default() };
                    let seen = Sequence::observe(key, words, see);
                    self.sequences.learn(place, threshold, seen, &host.renderer.kernels);
                    match self.sequences.at(header, words, threshold) {
                        Next::Run(ready) => ready,
                        _ => break,
                    }
                }
            };
            if words.len() < ready.sequence.words() || most - packets < ready.sequence.key.packets.len() as u64 {
                self.sequences.ran(ready, true);
                break;
            }
            let mut runner = Runner { pica: self, host, words, first: at + done, ready: &ready };
            let count = runner.run();
            let taken = ready.sequence.start(count);
            let distance = ready.sequence.start(ready.sequence.differs(count, words)) - taken;
            let all = count == ready.sequence.key.packets.len();
            (done, packets, runs) = (done + taken as u64, packets + count as u64, runs + 1);
            self.sequences.ran(ready, all);
            if distance != 0 {
                // What differs there may begin a sequence.
                self.sequences.begin_behind(distance);
                break;
            }
            if taken == 0 {
                break;
            }
        }
        host.renderer.note_sequences(runs, done);
        (done, packets)
    }
}

/// A sequence on its way.
struct Runner<'r, 'h> {
    pica: &'r mut Pica,
    host: &'r mut Host<'h>,
    /// From its first word on.
    words: &'r [u32],
    /// Which word of the list that is.
    first: u64,
    ready: &'r Ready,
}

impl Runner<'_, '_> {
    /// Returns how many packets were done.
    fn run(&mut self) -> usize {
        let (ready, words) = (self.ready, self.words);
        let Ok(packets) = ready.kernel.run(&mut PacketTraceJob { words, machine: self }) else { return 0 };
        if let Some(last) = (packets as usize).checked_sub(1) {
            self.pica.position = 4 * (self.first + ready.sequence.position(last) as u64);
        }
        packets as usize
    }
}

impl PacketTraceMachine for Runner<'_, '_> {
    fn registers(&mut self) -> TraceRegisters<'_> {
        TraceRegisters {
            registers: Cell::from_mut(&mut self.pica.registers[..]).as_slice_of_cells(),
            copies: &[],
            dirty: Cell::from_mut(&mut self.pica.stale),
        }
    }

    /// Uploads what a packet brings.
    fn call(&mut self, packet: u32) -> bool {
        let start = self.ready.sequence.start(packet as usize);
        let &[value, header, ref rest @ ..] = &self.words[start..] else { return false };
        let header = Header(header);
        let Some(extra) = rest.get(..header.extra()) else { return false };
        self.pica.upload_packet(self.host, value, header, extra, self.first + start as u64)
    }
}
