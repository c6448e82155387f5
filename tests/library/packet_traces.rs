//! Push buffers with packet traces compiled from the first packet on against push buffers without: the same registers,
//! memory and faults, after every submission.
//!
//! Segments are those of the bundled captures, cut, spliced and changed, with packets of our own in between. Each is
//! submitted again and again, sometimes with another word in it, so that code runs, ends early and continues.
//!
//! `TRIGLYPH_SEEDS=start:count` chooses seeds, `start` alone one of them; 300 of each machine if it is not set.

mod packets;
mod recorded;

use packets::{changed, is_heavy, made, packets};
use recorded::{Recorded, recorded};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, SnapshotOptions, Tier, new_device};
use triglyph_guest::pica::regs;
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::tegra::fifo::{Entry, Segment};
use triglyph_testkit::random::Random;

/// Address of the words, and the size of memory in bytes. Addresses of captures lie elsewhere: what they draw is lost.
const START: u64 = 0x2000_0000;
const SIZE: u64 = 0x4_0000;

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
    fn new(machine: Machine, recorded: &Recorded) -> Pair {
        let devices = [1, 0].map(|packet_traces| {
            let mut options = Options::new(Tier::JitOnly, 1);
            options.packet_traces = packet_traces;
            let mut device = new_device(machine, &options).expect("a machine");
            if machine == Machine::Ps3 {
                device.as_replay().set_big_endian(true).expect("a PS3");
                recorded.objects.iter().for_each(|&object| device.as_replay().object(object).expect("room"));
                device.map(GuestRange::new(0, 0, SIZE), Access::READ_WRITE).expect("memory");
                device.map(GuestRange::new(1, MAIN, SIZE), Access::READ_WRITE).expect("memory");
            } else {
                device.map(GuestRange::new(0, START, SIZE), Access::READ_WRITE).expect("memory");
            }
            device
        });
        let mut pair = Pair { machine, devices };
        if machine == Machine::Ps3 {
            let curie = recorded.objects.iter().find(|object| object.class == class::CURIE).expect("a 3D object");
            let header = Methods { method: 0, subchannel: 7, count: 1, increasing: true };
            pair.submit(&[header.encode(), curie.handle]);
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
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() }).collect();
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
        let [with, without] = &mut self.devices;
        if with.faults() != without.faults() {
            return Some(format!("faults: {:?} / {:?}", with.faults(), without.faults()));
        }
        let options = SnapshotOptions::REGISTERS.with_compression(false);
        let states = [with.snapshot(options).expect("a snapshot"), without.snapshot(options).expect("a snapshot")];
        if states[0] != states[1] {
            let at = states[0].iter().zip(&states[1]).position(|(a, b)| a != b);
            return Some(format!("snapshots of {} and {} bytes, from {at:?} on", states[0].len(), states[1].len()));
        }
        let mut written = with.take_written();
        written.extend(without.take_written());
        for range in written {
            let [mut a, mut b] = [vec![0; range.size as usize], vec![0; range.size as usize]];
            with.read(range.start, &mut a).expect("written memory");
            without.read(range.start, &mut b).expect("written memory");
            if let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) {
                return Some(format!("memory at {:#x}", range.start.address + at as u64));
            }
        }
        None
    }
}

/// A segment that consists of pieces of others.
fn segment(machine: Machine, recorded: &Recorded, random: &mut Random) -> Vec<u32> {
    let mut words = Vec::new();
    let draws = random.one_in(8);
    for _ in 0..1 + random.below(4) {
        let source = &recorded.segments[random.below(recorded.segments.len() as u32) as usize];
        let packets = packets(machine, source);
        let first = random.below(packets.len() as u32) as usize;
        for packet in packets.iter().skip(first).take(1 + random.below(120) as usize) {
            if random.one_in(12) {
                words.extend(made(machine, random));
            }
            if (draws && random.one_in(4)) || !is_heavy(machine, packet) {
                words.extend(packet);
            }
        }
    }
    if random.one_in(4) {
        words = (0..random.below(60)).flat_map(|_| made(machine, random)).collect();
    }
    if random.one_in(3) {
        // The same again, after the other words.
        words.extend(words.clone());
    }
    words.truncate(MAX_WORDS / 2 * 2);
    words
}

fn case(pair: &mut Pair, recorded: &Recorded, seed: u64) -> Option<String> {
    let mut random = Random::new(seed);
    let machine = pair.machine;
    let base = segment(machine, recorded, &mut random);
    for round in 0..3 + random.below(3) {
        let mut words = base.clone();
        if round > 1 && !words.is_empty() {
            for _ in 0..random.below(4) {
                let at = random.below(words.len() as u32) as usize;
                match random.below(4) {
                    0 => words.truncate(at / 2 * 2),
                    1 => words = [&words[..at / 2 * 2], &made(machine, &mut random), &words[at / 2 * 2..]].concat(),
                    _ => {
                        let word = changed(words[at], &mut random);
                        // Jumps go round in circles until the fuel is used up: few of them.
                        let jumps = machine == Machine::Ps3 && Methods::decode(word).is_none();
                        if !jumps || random.one_in(30) {
                            words[at] = word;
                        }
                    }
                }
                if words.is_empty() {
                    break;
                }
            }
        }
        if words.is_empty() {
            continue;
        }
        pair.submit(&words);
        if let Some(difference) = pair.differs() {
            return Some(format!("seed {seed}, round {round}: {difference}\n{words:#010x?}"));
        }
    }
    None
}

/// The seeds that the environment wants.
fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("TRIGLYPH_SEEDS") else { return 1..301 };
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|error| panic!("TRIGLYPH_SEEDS={text}: {error}"));
    match text.split_once(':') {
        Some((start, count)) => number(start)..number(start) + number(count),
        None => number(&text)..number(&text) + 1,
    }
}

fn check(machine: Machine) {
    if triglyph_jit::Jit::new().is_err() {
        return;
    }
    let recorded = recorded(machine);
    assert!(recorded.segments.len() > 10, "{} segments", recorded.segments.len());
    let (mut pair, mut runs, mut words) = (Pair::new(machine, &recorded), 0, 0);
    let seeds = seeds();
    let count = seeds.end - seeds.start;
    for seed in seeds {
        if seed % SEEDS_A_DEVICE == 0 {
            pair = Pair::new(machine, &recorded);
        }
        let before = pair.devices[0].stats();
        if let Some(difference) = case(&mut pair, &recorded, seed) {
            // Once more alone: what came before may be part of it.
            let alone = case(&mut Pair::new(machine, &recorded), &recorded, seed);
            let alone = if alone.is_some() { "the same alone" } else { "not alone" };
            panic!("{machine}: {difference}\n({alone})");
        }
        let done = pair.devices[0].stats().since(&before);
        (runs, words) = (runs + done.packet_trace_runs, words + done.packet_trace_words);
        assert_eq!(pair.devices[1].stats().packet_trace_runs, 0);
    }
    println!("{machine}: {count} seeds, {runs} runs of packet traces, {words} words in them");
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
