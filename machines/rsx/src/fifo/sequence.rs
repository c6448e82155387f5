//! Sequences of the RSX: packets of a push buffer with code.
//!
//! Code stores words in the registers of the 3D object, between draws. Registers with enumerated values are stored in while the
//! words are those that were seen when the sequence was. Whatever else the 3D object is given is its own business, packet by
//! packet; everything else (other objects, the puller's methods, object methods, jumps, calls) ends a sequence before.

use triglyph_guest::kernel::packet_trace::{
    Act, Packet, PacketTraceJob, PacketTraceKey, PacketTraceMachine, Store, TraceRegisters,
};
use triglyph_guest::rsx::fifo::{METHOD_SPACE, METHODS, Methods};
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::rsx::ramht::engine;

use super::puller::OBJECTS;
use super::pusher::{WORD, header};
use super::{Channel, Puller, Stop};
use crate::curie::{Known, known};
use triglyph_engine::sequence::shape::{Seen, Sequence};
use triglyph_engine::sequence::{Next, Ready};

const BEGIN_END: u32 = curie::set_begin_end::ID as u32;

/// What packets are looked at with.
struct Look {
    /// Where the 3D object stands.
    subchannels: u32,
    /// Between BEGIN and END.
    drawing: bool,
}

/// The words that a packet writes to the method that opens and closes draws.
fn begin_ends(packet: Methods, data: &[u32]) -> &[u32] {
    let Methods { method, increasing, .. } = packet;
    let at = (BEGIN_END.wrapping_sub(method) / 4) as usize;
    match increasing {
        true if method <= BEGIN_END => data.get(at..=at).unwrap_or(&[]),
        false if method == BEGIN_END => data,
        _ => &[],
    }
}

/// Whether the packet at the beginning of `words` closes a draw, should it be the 3D object's.
pub(super) fn ends_draw(words: &[u32]) -> bool {
    let Some(packet) = words.first().and_then(|&word| Methods::decode(word)) else { return false };
    let data = &words[1..words.len().min(1 + packet.count as usize)];
    begin_ends(packet, data).contains(&0)
}

/// Whether a header's packet can be part of a sequence.
pub(super) fn may_stand_in_one(puller: &Puller<'_>, header: u32) -> bool {
    let ours = |packet: Methods| puller.curie_subchannels() >> packet.subchannel & 1 != 0;
    Methods::decode(header).is_some_and(|packet| packet.count != 0 && packet.method >= OBJECTS.end && ours(packet))
}

impl Look {
    fn packet(&mut self, words: &[u32], at: usize) -> Option<Seen> {
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
        Some(Seen {
            packet: Packet { header: at as u32, mask: u32::MAX, word: packet.encode(), act },
            words: 1 + data.len(),
            position: at as u32,
            last: begin_ends.contains(&0),
        })
    }
}

/// What is done with a packet between draws; its data stand at word `at` of the sequence.
fn act(packet: Methods, data: &[u32], at: u32) -> Act {
    let Methods { method, count, increasing, .. } = packet;
    // Of words for one method the last one stays.
    let (at, data) = if increasing { (at, data) } else { (at + count - 1, &data[data.len() - 1..]) };
    let store = |groups| vec![Store::Words { at, register: method / 4, mask: u32::MAX, groups }];
    match known(method, data) {
        Known::Stored(groups) => Act::Store(store(groups)),
        Known::Taken(places, groups) if increasing || count == 1 => {
            let expected = places.into_iter().map(|place| (at + place as u32, data[place])).collect();
            Act::Checked { expected, stores: store(groups) }
        }
        Known::Taken(..) | Known::More => Act::Call,
    }
}

/// Runs sequences from GET on, where `words` begin, and moves GET behind them. Returns why not to go on if there is a reason.
#[inline(never)]
pub(super) fn run(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    puller.graph.sequences.looked();
    let threshold = puller.core.renderer.sequences;
    let valid = (channel.put.wrapping_sub(channel.get) / 4) as usize;
    let words = &words[..words.len().min(valid)];
    let (mut done, mut runs, mut stop) = (0, 0, None);
    while let Some(&first) = words.get(done) {
        if !puller.graph.curie.is_between_draws() {
            break;
        }
        let ready = match puller.graph.sequences.at(first, &words[done..], threshold) {
            Next::Nothing => break,
            Next::Run(ready) => ready,
            Next::Look(place) => {
                let mut look = Look { subchannels: puller.curie_subchannels(), drawing: false };
                let key = PacketTraceKey { registers: METHODS as u32, changes: true, ..PacketTraceKey::default() };
                let seen = Sequence::observe(key, &words[done..], |words, at| look.packet(words, at));
                puller.graph.sequences.learn(place, threshold, seen, &puller.core.renderer.kernels);
                match puller.graph.sequences.at(first, &words[done..], threshold) {
                    Next::Run(ready) => ready,
                    _ => break,
                }
            }
        };
        let length = ready.sequence.words();
        if words.len() - done < length || puller.core.fuel() < WORD * length as u64 {
            puller.graph.sequences.ran(ready, true);
            break;
        }
        let get = channel.get;
        let mut runner =
            Runner { channel, puller, words: &words[done..], get, ready: &ready, spent: 0, called: None, stop: None };
        let packets = runner.run();
        let taken = runner.spent;
        stop = runner.stop;
        let all = packets == ready.sequence.key.packets.len();
        let differs = ready.sequence.differs(packets, &words[done..]);
        let distance = ready.sequence.start(differs) - taken;
        done += taken;
        runs += 1;
        puller.graph.sequences.ran(ready, all);
        if stop.is_some() {
            break;
        }
        if distance != 0 {
            // What differs there may begin a sequence.
            puller.graph.sequences.begin_behind(distance);
            break;
        }
        if taken == 0 {
            break;
        }
    }
    puller.core.renderer.note_sequences(runs, done as u64);
    stop
}

/// A sequence on its way.
struct Runner<'r, 'p> {
    channel: &'r mut Channel,
    puller: &'r mut Puller<'p>,
    /// From its first word on.
    words: &'r [u32],
    /// Where that stands.
    get: u32,
    ready: &'r Ready,
    /// Words that are done and that fuel was taken for.
    spent: usize,
    /// The last packet that was not stored by code.
    called: Option<usize>,
    stop: Option<Stop>,
}

impl Runner<'_, '_> {
    /// Returns how many packets were done; the channel is behind them then.
    fn run(&mut self) -> usize {
        let (ready, words) = (self.ready, self.words);
        let Ok(packets) = ready.kernel.run(&mut PacketTraceJob { words, machine: self }) else { return 0 };
        let packets = packets as usize;
        if let Some(last) = packets.checked_sub(1).filter(|&last| self.called != Some(last)) {
            self.spend(ready.sequence.start(packets));
            let start = ready.sequence.start(last);
            let packet = Methods::decode(words[start]).unwrap_or_default();
            self.puller.core.position = u64::from(self.place_of(start));
            self.channel.get = self.place_of(self.spent);
            self.channel.packet = packet.after(packet.count);
            self.channel.fetched = packet.count;
            self.channel.engine = engine::GRAPH as u8;
        }
        packets
    }

    /// Accounts for words up to `to`. There was enough fuel when it was looked at last.
    fn spend(&mut self, to: usize) {
        let _ = self.puller.core.spend(WORD * (to - self.spent) as u64);
        self.spent = to;
    }

    fn place_of(&self, word: usize) -> u32 {
        self.get.wrapping_add(4 * word as u32)
    }
}

impl PacketTraceMachine for Runner<'_, '_> {
    fn registers(&mut self) -> TraceRegisters<'_> {
        self.puller.graph.curie.trace_registers()
    }

    /// Executes a packet as if there were no sequences.
    fn call(&mut self, packet: u32) -> bool {
        let (packet, sequence) = (packet as usize, &self.ready.sequence);
        let (start, end) = (sequence.start(packet), sequence.start(packet + 1));
        self.spend(start);
        self.channel.get = self.place_of(start);
        let &[word, ref rest @ ..] = &self.words[start..] else { return false };
        self.stop = header(self.channel, self.puller, word, rest);
        (self.spent, self.called) = (end, Some(packet));
        self.stop.is_none()
            && self.channel.get == self.place_of(end)
            && self.puller.core.fuel() >= WORD * (sequence.words() - end) as u64
            && (self.puller.graph.curie.is_between_draws() || !sequence.stores(packet + 1))
    }
}
