//! The Tegra X1's front end and its copying engines: from words of a push buffer to registers, macros, and what copies
//! cost.
//!
//! `cargo bench --bench gpfifo`
//!
//! Words are data words of runs: headers cost as well and count nothing.

mod support;

use criterion::{Criterion, Throughput};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, Tier, new_device};
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_guest::tegra::mme::assemble_program;

/// Addresses of the push buffer and of data to copy.
const PUSH: u64 = 0x10_0000;
const DATA: u32 = 0x100_0000;
const SIZE: u64 = 0x400_0000;

const THREED: u32 = 0;
const INLINE: u32 = 2;
const TWOD: u32 = 3;
const COPY: u32 = 4;

/// Words of a push buffer.
#[derive(Default)]
struct Push {
    words: Vec<u32>,
    data: u64,
}

impl Push {
    fn run(&mut self, subchannel: u32, method: u32, stepping: Stepping, data: &[u32]) -> &mut Self {
        let run = Run { subchannel, method, count: data.len() as u32, stepping };
        self.words.extend(Command::Run(run).encode());
        self.words.extend(data);
        self.data += data.len() as u64;
        self
    }

    fn methods(&mut self, subchannel: u32, method: u32, data: &[u32]) -> &mut Self {
        self.run(subchannel, method, Stepping::Each, data)
    }
}

/// A Tegra X1 with a push buffer in its memory.
struct Setup {
    device: Box<dyn Device>,
    payload: Vec<u8>,
}

impl Setup {
    /// `None` where there is no such tier.
    fn new(tier: Tier, first: &Push, push: &Push) -> Option<Self> {
        let mut device = new_device(Machine::TegraX1, &Options::new(tier, 1)).ok()?;
        device.map(GuestRange::new(0, PUSH, DATA as u64 - PUSH + SIZE), Access::READ_WRITE).expect("memory");
        let mut setup = Setup { device, payload: Vec::new() };
        for push in [first, push] {
            setup.load(push);
            setup.run();
        }
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults().first());
        Some(setup)
    }

    /// With the tier that hosts use.
    fn compiled(push: &Push) -> Self {
        let setup = [Tier::JitOnly, Tier::InterpreterOnly].into_iter();
        setup.filter_map(|tier| Setup::new(tier, &Push::default(), push)).next().expect("a tier")
    }

    fn load(&mut self, push: &Push) {
        let bytes: Vec<u8> = push.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.write(GuestAddr::new(0, PUSH), &bytes).expect("mapped memory");
        let words = push.words.len() as u32;
        let segment = Segment { address: PUSH, words, sync: false, subroutine: false, conditional: false };
        self.payload = [0u64, Entry::Segment(segment).encode()].iter().flat_map(|word| word.to_le_bytes()).collect();
    }

    fn run(&mut self) {
        self.device.submit(&self.payload).expect("a submission");
    }
}

fn main() {
    let mut criterion = support::criterion();
    methods(&mut criterion);
    macros(&mut criterion);
    copies(&mut criterion);
    images(&mut criterion);
    criterion.final_summary();
}

/// State methods in runs of some length, each word another one than before.
fn methods(criterion: &mut Criterion) {
    const WORDS: u64 = 64 << 10;
    let mut group = criterion.benchmark_group("gpfifo/methods");
    // Targets, viewports and vertex streams; 512 are scratch registers and constants.
    for (name, method, length, stepping) in [
        ("runs of 1", 0x4D8, 1, Stepping::Each),
        ("runs of 4", 0x280, 4, Stepping::Each),
        ("runs of 16", 0x280, 16, Stepping::Each),
        ("runs of 64", 0x280, 64, Stepping::Each),
        ("runs of 256", 0xD00, 256, Stepping::Each),
        ("constants, runs of 256", 0x8E4, 256, Stepping::Never),
    ] {
        let mut push = Push::default();
        push.methods(THREED, 0x8E0, &[0x1_0000, 0, DATA]);
        push.data = 0;
        let mut value = 0;
        while push.data < WORDS {
            value += 1;
            if stepping == Stepping::Never {
                push.words.extend(Command::Immediate { subchannel: THREED, method: 0x8E3, data: 0 }.encode());
            }
            push.run(THREED, method, stepping, &vec![value; length]);
        }
        group.throughput(Throughput::Elements(push.data));
        let mut setup = Setup::compiled(&push);
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    group.finish();
}

/// A macro that writes plain registers in a loop, and one of a few instructions that is called again and again.
fn macros(criterion: &mut Criterion) {
    // Parameters: how often. Five instructions a pass, three of them sends.
    const LOOP: &str = "addi.addr r0, r0, 0xd00\nagain: addi r1, r1, -1\naddi.send r2, r2, 1\n\
                        addi.send r0, r2, 3\nbnz r1, again\nxor.send r0, r2, r1\naddi.exit r0, r0, 0\naddi r0, r0, 0";
    const SHORT: &str = "addi.addr r0, r0, 0x1d80\naddi.fetch r2, r0, 0\nadd.send.exit r0, r1, r2\nadd.send r0, r1, r1";
    const PASSES: u32 = 20_000;
    const CALLS: u32 = 4096;
    let mut upload = Push::default();
    for (index, text) in [(0, LOOP), (1, SHORT)] {
        let code = assemble_program(text).expect("a macro");
        let at = 0x40 * index;
        upload.run(THREED, 0x45, Stepping::Once, &[&[at][..], &code].concat()).methods(THREED, 0x47, &[index, at]);
    }
    let (mut long, mut short) = (Push::default(), Push::default());
    long.methods(THREED, 0xE00, &[PASSES]);
    for i in 0..CALLS {
        short.run(THREED, 0xE02, Stepping::Once, &[i, 5]);
    }
    let mut group = criterion.benchmark_group("gpfifo/macros");
    for (tier_name, tier) in [("interpreter", Tier::InterpreterOnly), ("compiled", Tier::JitOnly)] {
        let cases = [("instructions of a loop", &long, 5 * PASSES), ("calls of 4 instructions", &short, CALLS)];
        for (name, push, count) in cases {
            let Some(mut setup) = Setup::new(tier, &upload, push) else { continue };
            group.throughput(Throughput::Elements(count.into()));
            group.bench_function(format!("{name}, {tier_name}"), |b| b.iter(|| setup.run()));
        }
    }
    group.finish();
}

/// One image of 4 bytes a pixel by the copy engine, from one layout to another.
fn copies(criterion: &mut Criterion) {
    const BLOCKS: u32 = 0x1000 | 4 << 4;
    let mut group = criterion.benchmark_group("gpfifo/copies");
    for (name, [from, to]) in [
        ("pitch to pitch", [1, 1]),
        ("pitch to blocks", [1, 0]),
        ("blocks to pitch", [0, 1]),
        ("blocks to blocks", [0, 0]),
    ] {
        for edge in [64, 256, 1024] {
            let row = 4 * edge;
            let mut push = Push::default();
            push.methods(COPY, 0x100, &[0, DATA, 0, DATA + 0x200_0000, row, row, row, edge]);
            let image = [BLOCKS, row, edge, 1, 0, 0];
            push.methods(COPY, 0x1C3, &image).methods(COPY, 0x1CA, &image);
            push.methods(COPY, 0xC0, &[0x202 | from << 7 | to << 8]);
            group.throughput(Throughput::Bytes(u64::from(row * edge)));
            let mut setup = Setup::compiled(&push);
            group.bench_function(format!("{name}, {edge}x{edge}"), |b| b.iter(|| setup.run()));
        }
    }
    for size in [4 << 10, 64 << 10] {
        let mut push = Push::default();
        push.methods(INLINE, 0x60, &[size, 1, 0, DATA, 0]).methods(INLINE, 0x6C, &[1]);
        let words: Vec<u32> = (0..size / 4).collect();
        for words in words.chunks(4096) {
            push.run(INLINE, 0x6D, Stepping::Never, words);
        }
        group.throughput(Throughput::Bytes(size.into()));
        let mut setup = Setup::compiled(&push);
        group.bench_function(format!("inline, {} KiB", size >> 10), |b| b.iter(|| setup.run()));
    }
    group.finish();
}

/// One image by the 2D engine.
fn images(criterion: &mut Criterion) {
    const RGBA8: u32 = 0xD5;
    const BGRA8: u32 = 0xCF;
    const EDGE: u32 = 512;
    let surface =
        |format: u32, layout: u32, address: u32| [format, layout, 4 << 4, 1, 0, 4 * EDGE, EDGE, EDGE, 0, address];
    let mut group = criterion.benchmark_group("gpfifo/2D, 512x512");
    group.throughput(Throughput::Elements(u64::from(EDGE * EDGE)));
    // Sample mode, texels of the source per pixel in 1/2^32 and whole ones, formats.
    for (name, mode, step, source, target) in [
        ("same pixels", 0, [0, 1], RGBA8, RGBA8),
        ("other format", 0, [0, 1], RGBA8, BGRA8),
        ("half of each size, closest", 0, [1 << 31, 0], RGBA8, RGBA8),
        ("half of each size, bilinear", 0x11, [1 << 31, 0], RGBA8, RGBA8),
    ] {
        let mut push = Push::default();
        push.methods(TWOD, 0x80, &surface(target, 0, DATA + 0x200_0000));
        let from = surface(source, 0, DATA);
        push.methods(TWOD, 0x8C, &from[..4]).methods(TWOD, 0x91, &from[5..]);
        push.methods(TWOD, 0xAB, &[3]).methods(TWOD, 0x223, &[mode]);
        push.methods(TWOD, 0x22C, &[0, 0, EDGE, EDGE, step[0], step[1], step[0], step[1], 0, 0, 0, 0]);
        let mut setup = Setup::compiled(&push);
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    let mut push = Push::default();
    push.methods(TWOD, 0x80, &surface(RGBA8, 0, DATA)).methods(TWOD, 0xAB, &[3]);
    push.methods(TWOD, 0x160, &[4, RGBA8, 0x1234_5678]).methods(TWOD, 0x180, &[0, 0, EDGE, EDGE]);
    let mut setup = Setup::compiled(&push);
    group.bench_function("rectangle", |b| b.iter(|| setup.run()));
    group.finish();
}
