//! State methods of recorded push buffers and command lists, on all three machines.
//!
//! `cargo bench --bench packet_traces`
//!
//! The stream of a capture, without what draws, uploads or waits, is a segment (3DS: a list that jumps to the next one)
//! that recurs, as the shapes of frames do; every capture has a device of its own. Methods count, headers do not.
//! *cold* is the loop over packets, *hot* has all packet traces compiled. A last stream has long packets only.

mod support;

use std::time::Instant;

use criterion::{Criterion, Throughput};
use support::recorded::{Stream, long_packets, streams};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, ObjectEntry, Options, Stats, Tier, new_device};
use triglyph_guest::pica::regs;
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::tegra::fifo::{Entry, Segment};

/// Address of the words, and the memory around them.
const MEMORY: u64 = 0x2000_0000;
const SIZE: u64 = 16 << 20;

/// Methods of one run, of each capture.
const METHODS: u64 = 8 << 10;

/// Methods of long packets.
const LONG: u64 = 6;

/// A machine and the submission that executes a stream again and again.
struct Setup {
    device: Box<dyn Device>,
    payload: Vec<u8>,
}

impl Setup {
    fn new(machine: Machine, stream: &Stream, options: &Options) -> Self {
        let mut device = new_device(machine, options).expect("a machine");
        let address = if machine == Machine::Ps3 { 0 } else { MEMORY };
        device
            .map(GuestRange::new(u32::from(machine == Machine::Ps3), address, SIZE), Access::READ_WRITE)
            .expect("memory");
        let mut setup = Setup { device, payload: Vec::new() };
        let times = stream.times(METHODS);
        match machine {
            Machine::N3ds => setup.lists(&stream.words, times),
            Machine::Ps3 => setup.channel(&stream.words, times),
            Machine::TegraX1 => setup.entries(&stream.words, times),
            other => panic!("no packets of the {other}"),
        }
        (0..3).for_each(|_| setup.run());
        setup.device.wait_for_compiler();
        setup
    }

    fn lists(&mut self, words: &[u32], times: u64) {
        let jump = |size: u32, address: u32| {
            let write = |register: usize, value: u32| [value, register as u32 | 0xF << 16];
            let [size, address] =
                [write(regs::cmdbuf_size::IDS[0], size / 8), write(regs::cmdbuf_addr::IDS[0], address / 8)];
            [size, address, write(regs::cmdbuf_jump0::ID, 1)].concat()
        };
        let padded = |words: &[u32], end: &[u32]| {
            let mut words = [words, end].concat();
            words.resize(words.len().next_multiple_of(4), 0);
            words
        };
        let bytes = 4 * padded(words, &jump(0, 0)).len() as u32;
        let lists = (1..times as u32).map(|n| padded(words, &jump(bytes, MEMORY as u32 + n * bytes)));
        let mut all = lists.collect::<Vec<_>>().concat();
        let last = padded(words, &[0x1234_5678, regs::irq_request::ID as u32 | 0xF << 16, 0, 0]);
        all.extend(&last);
        self.write(GuestAddr::new(0, MEMORY), all.iter().flat_map(|word| word.to_le_bytes()).collect());
        // Linear memory as programs see it.
        let first = if times > 1 { bytes } else { 4 * last.len() as u32 };
        self.submission([0x1400_0000 << 32 | 1, first.into(), 0, 0]);
    }

    fn channel(&mut self, words: &[u32], times: u64) {
        let object = ObjectEntry { handle: 3, class: class::CURIE, space: 0, base: 0, limit: 0 };
        self.device.as_replay().object(object).expect("room");
        self.device.as_replay().set_big_endian(true).expect("a PS3");
        let header = Methods { method: 0, subchannel: 0, count: 1, increasing: true };
        let bound = [header.encode(), 3];
        let bytes: Vec<u8> = bound.iter().chain(words).flat_map(|word| word.to_be_bytes()).collect();
        let [first, rest] = [8, bytes.len() as u64 - 8];
        self.write(GuestAddr::new(1, 0), bytes);
        self.submission([1 << 32, 0, first]);
        self.run();
        self.submission([1 << 32].into_iter().chain((0..times).flat_map(|_| [first, rest])));
    }

    fn entries(&mut self, words: &[u32], times: u64) {
        self.write(GuestAddr::new(0, MEMORY), words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let words = words.len() as u32;
        let segment = Segment { address: MEMORY, words, sync: false, subroutine: false, conditional: false };
        self.submission([0].into_iter().chain((0..times).map(|_| Entry::Segment(segment).encode())));
    }

    fn write(&mut self, at: GuestAddr, bytes: Vec<u8>) {
        self.device.write(at, &bytes).expect("mapped memory");
    }

    fn submission(&mut self, words: impl IntoIterator<Item = u64>) {
        self.payload = words.into_iter().flat_map(u64::to_le_bytes).collect();
    }

    fn run(&mut self) {
        self.device.submit(&self.payload).expect("a submission");
    }
}

fn main() {
    let mut criterion = support::criterion();
    for (name, machine) in [("3ds", Machine::N3ds), ("ps3", Machine::Ps3), ("tegra", Machine::TegraX1)] {
        methods(&mut criterion, name, machine);
    }
    criterion.final_summary();
}

fn methods(criterion: &mut Criterion, name: &str, machine: Machine) {
    let streams = streams(machine);
    let mut options = Options::new(Tier::JitOnly, 1);
    let mut setups = [0, 1].map(|packet_traces| {
        options.packet_traces = packet_traces;
        streams.iter().map(|(_, stream)| Setup::new(machine, stream, &options)).collect::<Vec<_>>()
    });
    let mut group = criterion.benchmark_group(format!("packet_traces/{name}"));
    group.throughput(Throughput::Elements(
        streams.iter().map(|(_, stream)| stream.times(METHODS) * stream.methods).sum(),
    ));
    for (name, setups) in ["cold", "hot"].into_iter().zip(&mut setups) {
        group.bench_function(name, |b| b.iter(|| setups.iter_mut().for_each(Setup::run)));
    }
    group.finish();
    let [cold, hot] = &mut setups;
    println!(
        "{name}: words a packet; ns a method cold and hot; words a run and share of words that code did; runs that pay for compiling"
    );
    let mut total = Totals::default();
    for (((capture, stream), cold), hot) in streams.iter().zip(cold).zip(hot) {
        total.add(capture, stream, cold, hot);
    }
    total.print("all");
    let long = long_packets(machine, &streams, LONG);
    let [mut cold, mut hot] = [0, 1].map(|packet_traces| {
        options.packet_traces = packet_traces;
        Setup::new(machine, &long, &options)
    });
    Totals::default().add("long packets only", &long, &mut cold, &mut hot);
}

/// Counts of a run over streams.
#[derive(Default)]
struct Totals {
    methods: u64,
    headers: u64,
    words: u64,
    cold: f64,
    hot: f64,
    runs: u64,
    run_words: u64,
    compiled: u64,
    compiling: f64,
}

impl Totals {
    /// Measures cold and hot runs in turns.
    fn add(&mut self, name: &str, stream: &Stream, cold: &mut Setup, hot: &mut Setup) {
        const TURNS: usize = 41;
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..TURNS {
            for (setup, times) in [&mut *cold, &mut *hot].into_iter().zip(&mut times) {
                let start = Instant::now();
                setup.run();
                times.push(start.elapsed().as_secs_f64() * 1e9);
            }
        }
        let [cold, hot_time] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[TURNS / 2]
        });
        let before = hot.device.stats();
        hot.run();
        let stats = hot.device.stats();
        let run: Stats = stats.since(&before);
        let times = stream.times(METHODS);
        let own = Totals {
            methods: times * stream.methods,
            headers: times * stream.headers(),
            words: times * stream.words.len() as u64,
            cold,
            hot: hot_time,
            runs: run.packet_trace_runs,
            run_words: run.packet_trace_words,
            compiled: stats.kernels_compiled,
            compiling: stats.compile_time.as_secs_f64() * 1e9,
        };
        own.print(name);
        self.methods += own.methods;
        self.headers += own.headers;
        self.words += own.words;
        self.cold += own.cold;
        self.hot += own.hot;
        self.runs += own.runs;
        self.run_words += own.run_words;
        self.compiled += own.compiled;
        self.compiling += own.compiling;
    }

    fn print(&self, name: &str) {
        let methods = self.methods as f64;
        let gain = (self.cold - self.hot) / self.runs.max(1) as f64;
        let price = self.compiling / self.compiled.max(1) as f64;
        println!(
            "{name:24} {:5.2} words, {:5.2} and {:5.2} ns; {:4.0} words, {:3.0} %; {:.0} us to compile, gain {gain:.0} ns: {:.0} runs",
            self.words as f64 / self.headers as f64,
            self.cold / methods,
            self.hot / methods,
            self.run_words as f64 / self.runs.max(1) as f64,
            100.0 * self.run_words as f64 / self.words as f64,
            price / 1e3,
            price / gain
        );
    }
}
