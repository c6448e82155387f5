//! Packets of push buffers: cutting them apart, changing them, making new ones.

use triglyph::Machine;
use triglyph_guest::pica::command::{Header, Packets};
use triglyph_guest::pica::regs::{self, Effect, Trigger};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::tegra::fifo::{Command, Run, Stepping};
use triglyph_guest::tegra::methods::threed;

use triglyph_testkit::random::Random;

/// The packets of a segment, whole ones; a word that is no header is one of its own.
pub fn packets(machine: Machine, words: &[u32]) -> Vec<Vec<u32>> {
    if machine == Machine::N3ds {
        let ends = Packets::new(words).map(|packet| (packet.offset, packet.offset + packet.header.packet_words()));
        return ends.filter_map(|(start, end)| words.get(start..end)).map(<[u32]>::to_vec).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let count = match machine {
            Machine::Ps3 => Methods::decode(words[at]).map_or(0, |packet| packet.count),
            _ => match Command::decode(words[at]) {
                Command::Run(run) | Command::Legacy(run) => run.count,
                _ => 0,
            },
        };
        let end = (at + 1 + count as usize).min(words.len());
        found.push(words[at..end].to_vec());
        at = end;
    }
    found
}

/// Whether a packet draws, clears or leads elsewhere: little of that, for it takes long and is the same either way.
pub fn is_heavy(machine: Machine, packet: &[u32]) -> bool {
    match machine {
        Machine::N3ds => {
            let id = Header(packet[1]).id();
            let effect = regs::EFFECTS.get(id);
            use Trigger::{DrawArrays, DrawElements, FixedAttributeData};
            matches!(effect, Some(Effect::Trigger(DrawArrays | DrawElements | FixedAttributeData)))
        }
        Machine::Ps3 => Methods::decode(packet[0]).is_none_or(|header| {
            [curie::set_begin_end::ID, curie::clear_surface::ID].contains(&(header.method as usize))
        }),
        _ => {
            let method = packet[0] & 0xFFF;
            let draws = [threed::regs::begin::ID, threed::regs::clear_surface::ID].contains(&(method as usize));
            // Host methods wait; words whose highest bits are 0 may be masks of sub-devices. Macros have no code here.
            draws || !(0x40..0xE00).contains(&method) || packet[0] >> 29 == 0
        }
    }
}

/// Another word: random, or with one bit turned over.
pub fn changed(word: u32, random: &mut Random) -> u32 {
    if random.one_in(4) { random.word() } else { word ^ 1 << random.below(32) }
}

/// A packet for some registers that are not far from each other, so that traces overlap in what they store.
pub fn made(machine: Machine, random: &mut Random) -> Vec<u32> {
    let count = random.pick(&[1, 1, 1, 2, 3, 4, 5, 7, 8, 16, 33]);
    let data: Vec<u32> = (0..count).map(|_| if random.one_in(2) { random.below(3) } else { random.word() }).collect();
    match machine {
        Machine::N3ds => {
            let first =
                random.pick(&[0x40, 0x80, 0xC0, 0xE0, 0x100, 0x110, 0x140, 0x1C0, 0x200, 0x2B0]) + random.below(16);
            let mask = random.pick(&[0xF, 0xF, 0xF, 0x5, 0x1, 0x0]);
            let header = first | mask << 16 | (count - 1) << 20 | u32::from(!random.one_in(4)) << 31;
            let mut words = vec![data[0], header];
            words.extend(&data[1..]);
            words.resize(words.len().next_multiple_of(2), 0);
            words
        }
        Machine::Ps3 => {
            let method = 4 * (random.pick(&[0x80, 0xC0, 0x280, 0x500, 0x600, 0x680]) + random.below(64));
            let subchannel = random.pick(&[7, 7, 7, 7, 0]);
            let header = Methods { method, subchannel, count, increasing: !random.one_in(6) };
            [&[header.encode()][..], &data].concat()
        }
        _ => {
            let method = random.pick(&[0x80, 0x200, 0x280, 0x400, 0x4D0, 0x670, 0x8E0, 0x900]) + random.below(64);
            let subchannel = random.pick(&[0, 0, 0, 0, 0, 1, 2, 3]);
            if random.one_in(4) {
                let data = random.below(0x2000);
                return Command::Immediate { subchannel, method, data }.encode().into_iter().collect();
            }
            let stepping =
                random.pick(&[Stepping::Each, Stepping::Each, Stepping::Each, Stepping::Never, Stepping::Once]);
            let run = Run { subchannel, method, count, stepping };
            let command = if random.one_in(8) && method < 0x800 { Command::Legacy(run) } else { Command::Run(run) };
            let header = command.encode().or(Command::Run(run).encode());
            header.into_iter().chain(data).collect()
        }
    }
}
