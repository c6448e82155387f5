//! Push buffers with packet traces compiled from the first packet on against push buffers without: the same registers,
//! memory and faults, after every submission.
//!
//! Packets are random ones for registers that are near each other, so that traces overlap in what they store. Each
//! segment is submitted again and again, sometimes with another word in it, so that code runs, ends early and
//! continues. Bundled captures are compared in `tests/captures.rs`, their mutants in `fuzz`.
//!
//! `TRIGLYPH_SEEDS=start:count` chooses seeds, 300 of each machine if it is not set.

use triglyph::{
    Access, Device, GuestAddr, GuestRange, Machine, ObjectEntry, Options, SnapshotOptions, Tier, new_device,
};
use triglyph_guest::pica::regs;
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_guest::tegra::methods::threed;
use triglyph_testkit::random::{Random, seeds};

/// Address of the words, and the size of memory in bytes.
const START: u64 = 0x2000_0000;
const SIZE: u64 = 0x1_0000;

/// The same of a PS3's main memory. Nothing is mapped at the beginning: data words that turn out to be jumps mostly
/// lead there, and would go round in circles until the fuel is used up.
const MAIN: u64 = 0x10_0000;

/// Words of a segment at most.
const MAX_WORDS: usize = 3000;

/// Seeds that one device is used for.
const SEEDS_A_DEVICE: u64 = 5;

/// A device with packet traces and one without.
struct Pair {
    machine: Machine,
    devices: [Box<dyn Device>; 2],
}

impl Pair {
    fn new(machine: Machine) -> Pair {
        let devices = [1, 0].map(|packet_traces| {
            let mut options = Options::new(Tier::JitOnly, 1);
            options.packet_traces = packet_traces;
            let mut device = new_device(machine, &options).expect("a machine");
            if machine == Machine::Ps3 {
                let object = ObjectEntry { handle: 3, class: class::CURIE, space: 0, base: 0, limit: 0 };
                device.as_replay().object(object).expect("room");
                device.as_replay().set_big_endian(true).expect("a PS3");
                device.map(GuestRange::new(0, 0, SIZE), Access::READ_WRITE).expect("memory");
                device.map(GuestRange::new(1, MAIN, SIZE), Access::READ_WRITE).expect("memory");
            } else {
                device.map(GuestRange::new(0, START, SIZE), Access::READ_WRITE).expect("memory");
            }
            device
        });
        let mut pair = Pair { machine, devices };
        if machine == Machine::Ps3 {
            let header = Methods { method: 0, subchannel: 7, count: 1, increasing: true };
            pair.submit(&[header.encode(), 3]);
        }
        pair
    }

    /// Submits words to both.
    fn submit(&mut self, words: &[u32]) {
        let mut words = words.to_vec();
        if self.machine == Machine::N3ds {
            words.extend([0x1234_5678, regs::irq_request::ID as u32 | 0xF << 16]);
        }
        let length = words.len() as u64;
        let big_endian = self.machine == Machine::Ps3;
        let to_bytes = |word: &u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
        let bytes: Vec<u8> = words.iter().flat_map(to_bytes).collect();
        let (space, address) = if big_endian { (1, MAIN + 0x1000) } else { (0, START + 0x1000) };
        let payload = match self.machine {
            Machine::N3ds => vec![0x1400_1000 << 32 | 1, 4 * length, 0, 0],
            Machine::Ps3 => vec![1 << 32, address, 4 * length],
            _ => {
                let words = length as u32;
                let segment = Segment { address, words, sync: false, subroutine: false, conditional: false };
                vec![0, Entry::Segment(segment).encode()]
            }
        };
        let payload: Vec<u8> = payload.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        for device in &mut self.devices {
            device.write(GuestAddr::new(space, address), &bytes).expect("mapped memory");
            device.submit(&payload).expect("a submission");
        }
    }

    /// What differs between the two.
    fn differs(&mut self) -> Option<String> {
        let options = SnapshotOptions::default().with_compression(false);
        let [with, without] = &mut self.devices;
        if with.faults() != without.faults() {
            return Some(format!("faults: {:?} / {:?}", with.faults(), without.faults()));
        }
        let states = [with, without].map(|device| device.snapshot(options).expect("a snapshot"));
        let at = states[0].iter().zip(&states[1]).position(|(a, b)| a != b);
        (states[0] != states[1]).then(|| format!("snapshots, from {at:?} on"))
    }
}

/// A packet.
fn made(machine: Machine, random: &mut Random) -> Vec<u32> {
    let count = random.pick(&[1, 1, 1, 2, 3, 4, 5, 7, 8, 16, 33]);
    let data: Vec<u32> = (0..count).map(|_| if random.one_in(2) { random.below(3) } else { random.word() }).collect();
    let ends_draw = random.one_in(12);
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
        Machine::Ps3 if ends_draw => {
            let method = curie::set_begin_end::ID as u32;
            let header = Methods { method, subchannel: 7, count: 1, increasing: true };
            vec![header.encode(), random.below(2)]
        }
        Machine::Ps3 => {
            let method = 4 * (random.pick(&[0x80, 0xC0, 0x280, 0x500, 0x600, 0x680, 0x7C0]) + random.below(64));
            let subchannel = random.pick(&[7, 7, 7, 7, 0]);
            let header = Methods { method, subchannel, count, increasing: !random.one_in(6) };
            [&[header.encode()][..], &data].concat()
        }
        _ => {
            let method = random.pick(&[0x80, 0x200, 0x280, 0x400, 0x4D0, 0x670, 0x8E0, 0x900]) + random.below(64);
            let method = if ends_draw { threed::regs::end::ID as u32 } else { method };
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

/// Changes up to three places of a segment.
fn change(machine: Machine, words: &mut Vec<u32>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let at = random.below(words.len() as u32) as usize;
        let even = at / 2 * 2;
        match random.below(4) {
            0 if even != 0 => words.truncate(even),
            1 => drop(words.splice(even..even, made(machine, random))),
            _ => {
                let word = if random.one_in(4) { random.word() } else { words[at] ^ 1 << random.below(32) };
                // Jumps go round in circles until the fuel is used up: few of them.
                let jumps = machine == Machine::Ps3 && Methods::decode(word).is_none();
                if !jumps || random.one_in(30) {
                    words[at] = word;
                }
            }
        }
    }
}

fn case(pair: &mut Pair, seed: u64) -> Option<String> {
    let mut random = Random::new(seed);
    let packets = 1 + random.below(120);
    let mut base: Vec<u32> = (0..packets).flat_map(|_| made(pair.machine, &mut random)).collect();
    if random.one_in(3) {
        // The same again, after the other words.
        base.extend(base.clone());
    }
    base.truncate(MAX_WORDS);
    for round in 0..3 + random.below(3) {
        let mut words = base.clone();
        if round > 1 {
            change(pair.machine, &mut words, &mut random);
        }
        pair.submit(&words);
        if let Some(difference) = pair.differs() {
            return Some(format!("seed {seed}, round {round}: {difference}\n{words:#010x?}"));
        }
    }
    None
}

fn check(machine: Machine) {
    if triglyph_jit::Jit::new().is_err() {
        return;
    }
    let (mut pair, mut words) = (Pair::new(machine), 0);
    let seeds = seeds(300);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        if seed % SEEDS_A_DEVICE == 0 {
            pair = Pair::new(machine);
        }
        let before = pair.devices[0].stats();
        let difference = case(&mut pair, seed);
        assert_eq!(difference, None, "{machine}");
        words += pair.devices[0].stats().since(&before).packet_trace_words;
        assert_eq!(pair.devices[1].stats().packet_trace_runs, 0);
    }
    println!("{machine}: {count} seeds, {words} words in packet traces");
    assert!(words > 100 * count, "hardly any packet traces were run");
}

#[test]
fn tegra_x1() {
    check(Machine::TegraX1);
}

#[test]
fn ps3() {
    check(Machine::Ps3);
}

#[test]
fn n3ds() {
    check(Machine::N3ds);
}
