//! The PS3's front end: from words of a push buffer to registers, and what copies cost.
//!
//! `cargo bench --bench fifo`
//!
//! Words are data words of packets: headers cost as well and count nothing.

mod support;

use criterion::{Criterion, Throughput};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, ObjectEntry, Options, Tier, new_device};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::objects::class;

/// Objects.
const LOCAL: u32 = 1;
const MAIN: u32 = 2;
const CURIE: u32 = 3;
const COPY: u32 = 4;
const SWIZZLED: u32 = 5;
const SCALED: u32 = 6;

/// Addresses of the push buffer and of data to copy, in main memory.
const PUSH: u64 = 0x10_0000;
const DATA: u32 = 0x100_0000;

/// Words of a push buffer.
#[derive(Default)]
struct Push {
    words: Vec<u32>,
    data: u64,
}

impl Push {
    fn methods(&mut self, subchannel: u32, method: u32, data: &[u32]) -> &mut Self {
        let header = Methods { method, subchannel, count: data.len() as u32, increasing: true };
        self.words.push(header.encode());
        self.words.extend(data);
        self.data += data.len() as u64;
        self
    }
}

/// A PS3 with a push buffer in its memory.
struct Setup {
    device: Box<dyn Device>,
    payload: Vec<u8>,
}

impl Setup {
    fn new(accuracy: triglyph::Accuracy, push: &Push) -> Self {
        let tier = match new_device(Machine::Ps3, &Options::new(Tier::JitOnly, 1)) {
            Ok(_) => Tier::JitOnly,
            Err(_) => Tier::InterpreterOnly,
        };
        let mut options = Options::new(tier, 1);
        options.accuracy = accuracy;
        let mut device = new_device(Machine::Ps3, &options).expect("a PS3");
        device.as_replay().set_big_endian(true).expect("a PS3");
        for space in 0..2 {
            device.map(GuestRange::new(space, 0, 32 << 20), Access::READ_WRITE).expect("memory");
        }
        let objects = [
            (LOCAL, class::DMA_IN_MEMORY, 0, 0x0FFF_FFFF),
            (MAIN, class::DMA_IN_MEMORY, 1, 0x1FFF_FFFF),
            (CURIE, class::CURIE, 0, 0),
            (COPY, class::MEMORY_TO_MEMORY, 0, 0),
            (SWIZZLED, class::SURFACE_SWIZZLED, 0, 0),
            (SCALED, class::SCALED_IMAGE, 0, 0),
        ];
        for (handle, class, space, limit) in objects {
            device.as_replay().object(ObjectEntry { handle, class, space, base: 0, limit }).expect("room");
        }
        let mut setup = Setup { device, payload: Vec::new() };
        let mut first = Push::default();
        for (subchannel, object) in [(0, CURIE), (2, COPY), (4, SWIZZLED), (5, SCALED)] {
            first.methods(subchannel, 0, &[object]);
        }
        first.methods(2, 0x184, &[MAIN, LOCAL]).methods(4, 0x184, &[LOCAL]).methods(5, 0x184, &[MAIN]);
        first.methods(5, 0x198, &[SWIZZLED]);
        setup.load(&first);
        setup.run();
        setup.load(push);
        setup.run();
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults().first());
        setup
    }

    fn load(&mut self, push: &Push) {
        let bytes: Vec<u8> = push.words.iter().flat_map(|word| word.to_be_bytes()).collect();
        self.device.write(GuestAddr::new(1, PUSH), &bytes).expect("mapped memory");
        let words = [0, 1, PUSH as u32, 0, bytes.len() as u32, 0];
        self.payload = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    }

    fn run(&mut self) {
        self.device.submit(&self.payload).expect("a submission");
    }
}

fn main() {
    let mut criterion = support::criterion();
    methods(&mut criterion);
    copies(&mut criterion);
    criterion.final_summary();
}

/// State methods in packets of some length, each word another one than before.
fn methods(criterion: &mut Criterion) {
    const WORDS: u64 = 64 << 10;
    let mut group = criterion.benchmark_group("fifo/methods");
    for (name, method, length) in [
        ("packets of 1", 0x1A00, 1),
        ("packets of 4", 0xA20, 4),
        ("packets of 8", 0x1A00, 8),
        ("packets of 32", 0x1A00, 32),
    ] {
        let mut push = Push::default();
        let mut value = 0;
        while push.data < WORDS {
            value += 1;
            push.methods(0, method, &vec![value & 0x7FF; length]);
        }
        for (mode, accuracy) in [("exact", triglyph::Accuracy::Exact), ("fast", triglyph::Accuracy::Fast)] {
            group.throughput(Throughput::Elements(push.data));
            let mut setup = Setup::new(accuracy, &push);
            group.bench_function(format!("{name}, {mode}"), |b| b.iter(|| setup.run()));
        }
    }
    group.finish();
}

/// Copies of lines, and images that become swizzled.
fn copies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fifo/copies");
    for (name, length, lines) in [("64 bytes", 64, 1), ("64 KiB in lines", 1024, 64), ("1 MiB", 2048, 512)] {
        let mut push = Push::default();
        push.methods(2, 0x30C, &[DATA, 0, length, 2 * length, length, lines, 0x101, 0]);
        group.throughput(Throughput::Bytes(u64::from(length * lines)));
        let mut setup = Setup::new(triglyph::Accuracy::Fast, &push);
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    for log2 in [5, 8, 10] {
        let edge = 1 << log2;
        let size = edge | edge << 16;
        let mut push = Push::default();
        push.methods(4, 0x300, &[0xA | log2 << 16 | log2 << 24, 0]).methods(5, 0x2FC, &[1, 3, 3]);
        push.methods(5, 0x308, &[0, size, 0, size, 1 << 20, 1 << 20]);
        push.methods(5, 0x400, &[size, (4 * edge) | 1 << 16, DATA, 0]);
        group.throughput(Throughput::Bytes(4 << (2 * log2)));
        let mut setup = Setup::new(triglyph::Accuracy::Fast, &push);
        group.bench_function(format!("{edge}x{edge} pixels to swizzled"), |b| b.iter(|| setup.run()));
    }
    group.finish();
}
