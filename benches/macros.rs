//! The macro calls of captures of the Tegra X1, on either tier.
//!
//! `cargo bench --bench macros`, with `TRIGLYPH_CAPTURES` naming a folder of captures instead of those that come with
//! the library.
//!
//! Every call of every capture is recorded with its parameters and with the registers that the first one found, and
//! played as the machine plays them, over and over. What methods do besides being stored is left out: it is the same on
//! both tiers.

mod support;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use criterion::{Criterion, Throughput};
use triglyph::capture::{CaptureFile, Checks, Player, Prepared, Reader};
use triglyph::{Options, TegraX1, Tier as Mode};
use triglyph_engine::cache::{Kernels, MacroCaller};
use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::mme::{BRANCHES, METHODS, MmeEnd, MmeJob, MmeKernel, MmeKey, MmeMachine};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program;
use triglyph_guest::kernel::program::stage::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, Unsupported, VertexKernel};

/// A call as a capture makes it.
struct Call {
    key: MmeKey,
    parameters: Vec<u32>,
    /// Where the groups of its class are: which class it is.
    groups: &'static [u32; METHODS],
    live: Vec<u32>,
}

type Calls = Arc<Mutex<Vec<Call>>>;

/// A tier that writes down the calls of macros.
struct Recorder {
    inner: Arc<dyn Tier>,
    calls: Calls,
}

struct Recorded {
    inner: Arc<dyn MmeKernel>,
    key: MmeKey,
    calls: Calls,
}

impl Tier for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }
    fn vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        self.inner.vertex(key)
    }
    fn geometry(&self, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
        self.inner.geometry(key)
    }
    fn pixel(&self, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
        self.inner.pixel(key)
    }
    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        self.inner.transfer(key)
    }
    fn mme(&self, key: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported> {
        Ok(Arc::new(Recorded { inner: self.inner.mme(key)?, key: key.clone(), calls: self.calls.clone() }))
    }
    fn program_vertex(&self, key: &program::vertex::VertexKey) -> Result<Arc<dyn program::VertexKernel>, Unsupported> {
        self.inner.program_vertex(key)
    }
    fn fragment(&self, key: &program::fragment::FragmentKey) -> Result<Arc<dyn program::FragmentKernel>, Unsupported> {
        self.inner.fragment(key)
    }
    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
        self.inner.shader(key)
    }
    fn packet_trace(&self, key: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported> {
        self.inner.packet_trace(key)
    }
}

impl MmeKernel for Recorded {
    fn run(&self, job: &mut MmeJob<'_>) -> Result<MmeEnd, Unsupported> {
        let (key, parameters) = (self.key.clone(), job.parameters.to_vec());
        let live = job.live.iter().map(Cell::get).collect();
        // Twice as many tables as there are classes with macros, at most: they may be kept.
        let groups = kept(job.groups);
        self.calls.lock().expect("one thread").push(Call { key, parameters, groups, live });
        self.inner.run(job)
    }
}

/// The same table for ever.
fn kept(groups: &[u32; METHODS]) -> &'static [u32; METHODS] {
    static KEPT: Mutex<Vec<&'static [u32; METHODS]>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().expect("one thread");
    if let Some(known) = kept.iter().find(|known| **known == groups) {
        return known;
    }
    kept.push(Box::leak(Box::new(*groups)));
    kept[kept.len() - 1]
}

/// The calls of a capture.
fn record(path: &Path) -> Option<Vec<Call>> {
    let file = CaptureFile::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let capture = Prepared::new(&Reader::new(&file).expect("a capture")).expect("a capture");
    let mut tiers = triglyph_options::tiers(Mode::JitOnly).map_err(|error| eprintln!("{error}")).ok()?;
    let calls = Calls::default();
    tiers.optimized =
        tiers.optimized.map(|inner| -> Arc<dyn Tier> { Arc::new(Recorder { inner, calls: calls.clone() }) });
    let mut options = Options::new(Mode::JitOnly, 1);
    options.tiers = Some(tiers);
    let mut device = TegraX1::new(&options).expect("a device");
    let all = 0..capture.entries().len();
    Player::part(&capture, all, Checks::NONE).run(&mut device).expect("a capture that plays");
    drop(device);
    let calls = std::mem::take(&mut *calls.lock().expect("one thread"));
    (!calls.is_empty()).then_some(calls)
}

/// The registers of a class.
struct Registers {
    groups: &'static [u32; METHODS],
    live: Box<[Cell<u32>; METHODS]>,
    shadow: Box<[Cell<u32>; METHODS]>,
}

/// Where methods go that do more than being stored.
#[derive(Default)]
struct Counter(u64);

impl MmeMachine for Counter {
    fn send(&mut self, method: u32, datum: u32) {
        self.0 = self.0.rotate_left(5) ^ u64::from(method) << 32 ^ u64::from(datum);
    }
}

/// A capture's calls, ready to be played on one tier.
struct Replay<'c> {
    registers: Vec<Registers>,
    /// Kernel, parameters, and which registers.
    calls: Vec<(usize, &'c [u32], usize)>,
    handles: Vec<MacroCaller>,
    machine: Counter,
    dirty: Cell<u32>,
}

impl<'c> Replay<'c> {
    fn new(calls: &'c [Call], kernels: &Kernels) -> Self {
        let (dirty, machine) = (Cell::new(0), Counter::default());
        let mut replay = Replay { registers: Vec::new(), calls: Vec::new(), handles: Vec::new(), machine, dirty };
        let mut keys: Vec<&MmeKey> = Vec::new();
        for call in calls {
            let set = replay.registers.iter().position(|set| std::ptr::eq(set.groups, call.groups));
            let set = set.unwrap_or_else(|| {
                let words = || Box::new(std::array::from_fn(|i| Cell::new(call.live[i])));
                replay.registers.push(Registers { groups: call.groups, live: words(), shadow: words() });
                replay.registers.len() - 1
            });
            let kernel = keys.iter().position(|key| **key == call.key).unwrap_or_else(|| {
                keys.push(&call.key);
                replay.handles.push(kernels.mme(&call.key).into());
                keys.len() - 1
            });
            replay.calls.push((kernel, &call.parameters, set));
        }
        replay
    }

    fn play(&mut self) {
        let (direct, branches) = (Cell::new(true), Cell::new(0));
        for &(kernel, parameters, set) in &self.calls {
            let Registers { groups, live, shadow } = &self.registers[set];
            branches.set(BRANCHES);
            let (dirty, direct, branches, machine) = (&self.dirty, &direct, &branches, &mut self.machine);
            self.handles[kernel].run(&mut MmeJob {
                parameters,
                live,
                shadow,
                groups,
                dirty,
                direct,
                branches,
                machine,
            });
        }
    }

    /// What there is to compare.
    fn state(&self) -> (Vec<u32>, u64, u32) {
        let words = self.registers.iter().flat_map(|set| set.live.iter().chain(&*set.shadow).map(Cell::get));
        (words.collect(), self.machine.0, self.dirty.get())
    }
}

fn main() {
    let mut criterion = support::criterion();
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    let folder = std::env::var_os("TRIGLYPH_CAPTURES").map_or(bundled, PathBuf::from).join("tegra");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tgc"));
    files.sort();
    let recorded: Vec<Vec<Call>> = files.iter().filter_map(|path| record(path)).collect();
    bench(&mut criterion, &recorded);
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, recorded: &[Vec<Call>]) {
    let calls: usize = recorded.iter().map(Vec::len).sum();
    let mut group = criterion.benchmark_group(format!("macros/{calls} calls of {} captures", recorded.len()));
    group.throughput(Throughput::Elements(calls as u64));
    let mut states = Vec::new();
    for (name, mode) in [("interpreter", Mode::InterpreterOnly), ("compiled", Mode::JitOnly)] {
        let Some(kernels) = support::pixels::kernels(mode) else { continue };
        let mut replays: Vec<Replay<'_>> = recorded.iter().map(|calls| Replay::new(calls, &kernels)).collect();
        replays.iter_mut().for_each(Replay::play);
        states.push(replays.iter().map(Replay::state).collect::<Vec<_>>());
        group.bench_function(name, |b| b.iter(|| replays.iter_mut().for_each(Replay::play)));
    }
    assert!(states.windows(2).all(|two| two[0] == two[1]), "the tiers differ");
    group.finish();
}
