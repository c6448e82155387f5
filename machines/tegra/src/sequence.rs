//! Sequences of the Tegra X1: packets of a push buffer with code.
//!
//! Words are stored by code in the registers of one class, that of the first packet that only stores; only while copies
//! follow, and while no macro waits for parameters: the packet behind a macro's is the machine's, for it ends the parameters.
//! Host methods, masks of sub-devices and whatever is no header of a run end a sequence before.

use triglyph_guest::kernel::mme::METHODS;
use triglyph_guest::kernel::packet_trace::{
    Act, Packet, PacketTraceJob, PacketTraceKey, PacketTraceMachine, Store, TraceRegisters,
};
use triglyph_guest::tegra::fifo::{Command, METHOD_MASK, Run, SUBCHANNELS, Stepping, host};
use triglyph_guest::tegra::methods::{Class, threed};

use super::channel::{Bound, Channel, Step};
use super::core::{ADDRESS_MASK, Core};
use super::unit::MACROS;
use triglyph_engine::sequence::shape::{Seen, Sequence};
use triglyph_engine::sequence::{Next, Ready};

/// Bits of a header that has its datum in it, but for those of the datum.
const IMMEDIATE: u32 = 0xE000_FFFF;

/// Words of a packet by its header; 1 for what is no header of a run.
pub(super) fn packet_words(header: u32) -> usize {
    match Command::decode(header) {
        Command::Run(run) | Command::Legacy(run) => 1 + run.count as usize,
        _ => 1,
    }
}

/// Whether a header's packet ends a draw.
fn ends_draw(class: Class, method: u32) -> bool {
    class == Class::ThreeD && method as usize == threed::regs::end::ID
}

/// What packets are looked at with.
struct Look {
    bound: [Bound; SUBCHANNELS],
    /// The class whose registers are stored in.
    class: Option<Class>,
    /// The packet before may have left a macro waiting.
    macro_waits: bool,
}

impl Channel {
    /// What a class's sequences have in common.
    fn key() -> PacketTraceKey {
        PacketTraceKey { registers: METHODS as u32, copies: true, ..PacketTraceKey::default() }
    }

    /// Notes that a word was executed, with data behind it. A sequence may begin behind a draw, and behind what cannot stand in
    /// one.
    #[inline]
    pub(super) fn note_passed(&mut self, header: Option<u32>, words: usize) {
        self.sequences.passed(words);
        if header.is_some_and(|header| !self.may_stand_in_a_sequence(header) || self.ends_draw(header)) {
            self.sequences.begin();
        }
    }

    fn may_stand_in_a_sequence(&self, header: u32) -> bool {
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

    /// The class that a sequence stores in.
    fn sequence_class(&self, sequence: &Sequence) -> Class {
        let stores = sequence.key.packets.iter().find(|packet| !matches!(packet.act, Act::Call));
        match stores.map(|packet| self.bound(packet.word >> 13 & 7)) {
            Some(Bound::Class(class)) => class,
            _ => Class::ThreeD,
        }
    }

    /// Runs sequences from word `first` of a chunk at `address` on, one after the other.
    #[inline(never)]
    pub(super) fn run_sequences(&mut self, core: &mut Core, address: u64, words: &[u32], first: usize) -> Step {
        self.sequences.looked();
        let threshold = core.renderer.sequences;
        let (mut done, mut runs) = (first, 0);
        let mut end = None;
        while let Some(&header) = words.get(done) {
            if self.stream.pending.is_some() || !self.stream.active() || self.units.waits_for_parameters() {
                break;
            }
            let ready = match self.sequences.at(header, &words[done..], threshold) {
                Next::Nothing => break,
                Next::Run(ready) => ready,
                Next::Look(place) => {
                    let seen = self.observe(&words[done..]);
                    self.sequences.learn(place, threshold, seen, &core.renderer.kernels);
                    match self.sequences.at(header, &words[done..], threshold) {
                        Next::Run(ready) => ready,
                        _ => break,
                    }
                }
            };
            let class = self.sequence_class(&ready.sequence);
            let length = ready.sequence.words();
            let possible =
                words.len() - done >= length && core.fuel() >= length as u64 && self.units.registers(class).is_direct();
            if !possible {
                self.sequences.ran(ready, true);
                break;
            }
            let mut runner =
                Runner { channel: self, core, address, words, first: done, class, ready: &ready, spent: 0, end: None };
            let packets = runner.run();
            let (taken, over) = (runner.spent, runner.end);
            let all = packets == ready.sequence.key.packets.len();
            let differs = ready.sequence.differs(packets, &words[done..]);
            let distance = ready.sequence.start(differs).saturating_sub(taken);
            done += taken;
            runs += 1;
            self.sequences.ran(ready, all);
            if over.is_some() {
                end = over;
                break;
            }
            if all && taken == length {
                continue;
            }
            // What differs may begin a sequence. Or the machine had to stop: nothing differs then.
            if distance != 0 {
                self.sequences.begin_behind(distance);
                break;
            }
            if taken == 0 {
                break;
            }
        }
        core.renderer.note_sequences(runs, (done - first) as u64);
        end.map_or(Step::On(done - first), Step::Over)
    }

    fn observe(&self, words: &[u32]) -> Option<Sequence> {
        let mut look = Look { bound: std::array::from_fn(|i| self.bound(i as u32)), class: None, macro_waits: false };
        Sequence::observe(Channel::key(), words, |words, at| look.packet(self, words, at))
    }
}

impl Look {
    fn packet(&mut self, channel: &Channel, words: &[u32], at: usize) -> Option<Seen> {
        let header = *words.get(at)?;
        let (run, mask) = match Command::decode(header) {
            Command::Run(run) | Command::Legacy(run) if run.count != 0 => (run, u32::MAX),
            Command::Immediate { subchannel, method, .. } => {
                (Run { subchannel, method, count: 0, stepping: Stepping::Each }, IMMEDIATE)
            }
            _ => return None,
        };
        let Run { subchannel, method, count, stepping } = run;
        let Bound::Class(class) = self.bound[subchannel as usize % SUBCHANNELS] else { return None };
        // The last method that is written.
        let last = match stepping {
            Stepping::Each => method + count.max(1) - 1,
            Stepping::Never => method,
            Stepping::Once => method + u32::from(count > 1),
        };
        if method < host::END || last > METHOD_MASK {
            return None;
        }
        let stores = if self.macro_waits { None } else { self.stores(channel, class, run, at as u32) };
        let calls_macro = last >= MACROS && matches!(class, Class::ThreeD | Class::TwoD);
        self.macro_waits = calls_macro;
        let data = at as u32 + 1 + u32::from(stepping == Stepping::Once && count > 1);
        Some(Seen {
            packet: Packet { header: at as u32, mask, word: header & mask, act: stores.map_or(Act::Call, Act::Store) },
            words: 1 + count as usize,
            position: if count == 0 { at as u32 } else { data },
            last: ends_draw(class, method),
        })
    }

    /// What a packet stores, if that is all it does.
    fn stores(&mut self, channel: &Channel, class: Class, run: Run, at: u32) -> Option<Vec<Store>> {
        let Run { method, count, stepping, .. } = run;
        let registers = channel.units.registers(class);
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
            // Only the last word stays.
            Stepping::Never => vec![word(at + count, method, groups(method)?)],
            Stepping::Once if count == 1 => vec![word(at + 1, method, groups(method)?)],
            Stepping::Once => {
                vec![word(at + 1, method, groups(method)?), word(at + count, method + 1, groups(method + 1)?)]
            }
        };
        (*self.class.get_or_insert(class) == class).then_some(stores)
    }
}

/// A sequence on its way.
struct Runner<'r> {
    channel: &'r mut Channel,
    core: &'r mut Core,
    /// Where the chunk stands.
    address: u64,
    words: &'r [u32],
    /// The word of the chunk at which the sequence begins.
    first: usize,
    class: Class,
    ready: &'r Ready,
    /// Words of the sequence that are done and that fuel was taken for.
    spent: usize,
    /// The segment ended.
    end: Option<bool>,
}

impl Runner<'_> {
    /// Returns how many packets were done; `spent` is behind the last word then.
    fn run(&mut self) -> usize {
        let ready = self.ready;
        let words = &self.words[self.first..];
        let Ok(packets) = ready.kernel.run(&mut PacketTraceJob { words, machine: self }) else { return 0 };
        let packets = packets as usize;
        if let Some(last) = packets.checked_sub(1)
            && self.spent < ready.sequence.start(packets)
            && ready.sequence.stores(last)
        {
            self.spend(ready.sequence.start(packets));
            self.core.position = self.place_of(ready.sequence.position(last));
        }
        packets
    }

    /// Accounts for words up to `to`. There was enough fuel when it was looked at last.
    fn spend(&mut self, to: usize) {
        let _ = self.core.spend((to - self.spent) as u64);
        self.spent = to;
    }

    fn place_of(&self, word: usize) -> u64 {
        self.address.wrapping_add(4 * (self.first + word) as u64) & ADDRESS_MASK
    }
}

impl PacketTraceMachine for Runner<'_> {
    fn registers(&mut self) -> TraceRegisters<'_> {
        self.channel.units.registers(self.class).trace_registers()
    }

    /// Executes a packet as if there were no sequences.
    fn call(&mut self, packet: u32) -> bool {
        let (packet, sequence) = (packet as usize, &self.ready.sequence);
        let (start, end) = (sequence.start(packet), sequence.start(packet + 1));
        self.spend(start);
        while self.spent < end && self.channel.blocked.is_none() {
            match self.channel.step(self.core, self.address, self.words, self.first + self.spent) {
                Step::On(taken) => self.spent += taken,
                Step::Over(on) => {
                    self.end = Some(on);
                    return false;
                }
            }
        }
        let channel = &*self.channel;
        self.spent == end
            && channel.blocked.is_none()
            && channel.stream.pending.is_none()
            && channel.units.registers(self.class).is_direct()
            && self.core.fuel() >= (sequence.words() - end) as u64
            && !(channel.units.waits_for_parameters() && sequence.stores(packet + 1))
    }
}
