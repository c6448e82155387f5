//! State methods of recorded push buffers and command lists, on all three machines.
//!
//! `cargo bench --bench sequences`
//!
//! A stream of one capture after the other, without what draws, uploads or waits; methods count, headers do not.

mod support;

use std::time::Instant;

use criterion::{Criterion, Throughput};
use support::recorded::{Stream, streams};
use triglyph::device::ObjectEntry;
use triglyph::guest::rsx::fifo::Methods;
use triglyph::guest::rsx::objects::class;
use triglyph::{Access, Device, Machine, Options, Tier, new_device};
use triglyph_guest::pica::regs;
use triglyph_guest::tegra::fifo::{Entry, Segment};

/// Where the words stand, and the memory around them.
const MEMORY: u64 = 0x2000_0000;
const SIZE: u64 = 16 << 20;

/// Methods of one run.
const METHODS: u64 = 64 << 10;

/// A machine and the submission that executes a stream.
struct Setup {
    device: Box<dyn Device>,
    payload: Vec<u8>,
}

impl Setup {
    fn new(machine: Machine, stream: &Stream, options: &Options) -> Self {
        let mut device = new_device(machine, options).expect("a machine");
        let address = if machine == Machine::Ps3 { 0 } else { MEMORY };
        device.map(u32::from(machine == Machine::Ps3), address, SIZE, Access::READ_WRITE).expect("memory");
        let mut setup = Setup { device, payload: Vec::new() };
        if machine == Machine::Ps3 {
            let object = ObjectEntry { handle: 3, class: class::CURIE, space: 0, base: 0, limit: 0 };
            setup.device.object(object).expect("room");
            setup.device.set_big_endian(true).expect("a PS3");
            let header = Methods { method: 0, subchannel: 0, count: 1, increasing: true };
            setup.load(machine, vec![header.encode(), 3]);
            setup.run();
        }
        let mut words = stream.words.clone();
        if machine == Machine::N3ds {
            words.extend([0x1234_5678, regs::irq_request::ID as u32 | 0xF << 16, 0, 0]);
            words.resize(words.len().next_multiple_of(4), 0);
        }
        setup.load(machine, words);
        (0..3).for_each(|_| setup.run());
        setup.device.wait_for_compiler();
        setup
    }

    fn load(&mut self, machine: Machine, words: Vec<u32>) {
        let big = machine == Machine::Ps3;
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| if big { word.to_be_bytes() } else { word.to_le_bytes() }).collect();
        let payload: Vec<u64> = match machine {
            Machine::N3ds => {
                // Linear memory as programs see it.
                vec![0x1400_0000 << 32 | 1, bytes.len() as u64, 0, 0]
            }
            Machine::Ps3 => vec![1 << 32, 0, bytes.len() as u64],
            Machine::TegraX1 => {
                let words = words.len() as u32;
                let segment = Segment { address: MEMORY, words, sync: false, subroutine: false, conditional: false };
                vec![0, Entry::Segment(segment).encode()]
            }
        };
        let (space, address) = if big { (1, 0) } else { (0, MEMORY) };
        self.device.write(space, address, &bytes).expect("mapped memory");
        self.payload = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
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
    let mut all = Stream::default();
    for stream in streams(machine) {
        all.words.extend(stream.words);
        all.methods += stream.methods;
        all.headers += stream.headers;
    }
    println!("{name}: {} methods behind {} headers, again and again", all.methods, all.headers);
    let stream = all.repeated(METHODS);
    let mut group = criterion.benchmark_group(format!("sequences/{name}"));
    group.throughput(Throughput::Elements(stream.methods));
    let mut options = Options::new(Tier::JitOnly, 1);
    let mut setups = [0, 1].map(|sequences| {
        options.sequences = sequences;
        Setup::new(machine, &stream, &options)
    });
    for (name, setup) in ["cold", "hot"].into_iter().zip(&mut setups) {
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    group.finish();
    break_even(name, &stream, &mut setups);
}

/// How often the stream has to be executed until compiling its sequences has paid for itself. What is compared is measured in
/// turns.
fn break_even(name: &str, stream: &Stream, setups: &mut [Setup; 2]) {
    const TURNS: usize = 41;
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..TURNS {
        for (setup, times) in setups.iter_mut().zip(&mut times) {
            let start = Instant::now();
            setup.run();
            times.push(start.elapsed());
        }
    }
    let [cold, hot] = times.map(|mut times| {
        times.sort();
        times[TURNS / 2].as_secs_f64() * 1e9
    });
    let before = setups[1].device.stats();
    setups[1].run();
    let stats = setups[1].device.stats();
    let run = stats.since(&before);
    let compiling = stats.compile_time.as_secs_f64() * 1e9;
    println!(
        "{name}: {:.2} and {:.2} ns a method; {} sequences compiled in {:.0} us each, {} runs of {:.0} words, {:.0} % of all words",
        cold / stream.methods as f64,
        hot / stream.methods as f64,
        stats.kernels_compiled,
        compiling / 1e3 / stats.kernels_compiled.max(1) as f64,
        run.sequence_runs,
        run.sequence_words as f64 / run.sequence_runs.max(1) as f64,
        100.0 * run.sequence_words as f64 / stream.words.len() as f64
    );
    // The stream is the same capture again and again, so each sequence runs that often.
    let gain = (cold - hot) / run.sequence_runs.max(1) as f64;
    let price = compiling / stats.kernels_compiled.max(1) as f64;
    println!("{name}: a run gains {gain:.0} ns, which pays for compiling after {:.0} runs", price / gain);
}
