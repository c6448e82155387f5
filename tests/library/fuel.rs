//! Fuel, the limit of a submission's cost: the same on both tiers, with any number of threads, with packet traces and
//! without; usual work is far from using it up, and what runs away is ended by it. Nothing here is measured in seconds.

use std::path::{Path, PathBuf};

use triglyph::capture::{CaptureFile, Checks, Event, Player, Prepared, Reader};
use triglyph::{Device, FaultKind, Machine, N3ds, Options, Rsx, SnapshotOptions, TegraX1, Tier};
use triglyph_engine::frontend::budget::{Budget, FUEL, cost};
use triglyph_testkit::data::{all_captures, file};

/// A machine whose budget can be read.
trait Budgeted: Device {
    fn budget(&self) -> &Budget;
}

impl Budgeted for N3ds {
    fn budget(&self) -> &Budget {
        N3ds::budget(self)
    }
}

impl Budgeted for Rsx {
    fn budget(&self) -> &Budget {
        &self.core().budget
    }
}

impl Budgeted for TegraX1 {
    fn budget(&self) -> &Budget {
        &self.core().budget
    }
}

fn machine(machine: Machine, options: &Options) -> Box<dyn Budgeted> {
    match machine {
        Machine::N3ds => Box::new(N3ds::new(options).expect("a 3DS")),
        Machine::Ps3 => Box::new(Rsx::new(options).expect("a PS3")),
        Machine::TegraX1 => Box::new(TegraX1::new(options).expect("a Tegra X1")),
        other => panic!("no fuel of the {other}"),
    }
}

/// What a submission came to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spent {
    fuel: u64,
    clock: u64,
    faults: u64,
    vertices: u64,
    triangles: u64,
}

/// Plays a capture. Returns the result of each submission; `after` is called after it.
fn play(
    path: &Path,
    options: &Options,
    mut after: impl FnMut(&mut Box<dyn Budgeted>),
) -> (Vec<Spent>, Box<dyn Budgeted>) {
    let capture = CaptureFile::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let prepared = Prepared::new(&Reader::new(&capture).expect("a header")).expect("sound records");
    let mut gpu = machine(prepared.header().machine, options);
    let mut player = Player::prepared(&prepared, Checks::NONE);
    let mut spent = Vec::new();
    while let Some(event) = player.next(&mut *gpu).expect("a sound capture") {
        if matches!(event, Event::Submitted { .. }) {
            let stats = gpu.stats();
            spent.push(Spent {
                fuel: gpu.budget().used(),
                clock: gpu.budget().now(),
                faults: gpu.faults().total(),
                vertices: stats.vertices,
                triangles: stats.triangles,
            });
            after(&mut gpu);
        }
    }
    (spent, gpu)
}

fn runaways() -> Vec<PathBuf> {
    let names = ["3ds-geometry", "rsx-loop", "rsx-loop-in-draws", "rsx-loop-with-clears", "tegra-macro"];
    names.map(|name| file(&format!("data/runaway/{name}.tgc"))).into()
}

fn options(tier: Tier, threads: usize, packet_traces: u32, fuel: u64) -> Options {
    let mut options = Options::new(tier, threads);
    (options.packet_traces, options.fuel) = (packet_traces, fuel);
    options
}

/// Fuel for runaways in tests: what they would do with more of it is the same for longer.
const LITTLE: u64 = FUEL / 64;

#[test]
fn usual_submissions_have_enough_fuel() {
    for path in all_captures().0 {
        let (spent, _) = play(&path, &options(Tier::JitOnly, 2, 0, FUEL), |_| {});
        let most = spent.iter().map(|spent| spent.fuel).max().unwrap_or(0);
        assert!(most < FUEL / 2, "{}: {most} of {FUEL}", path.display());
    }
}

#[test]
fn fuel_is_the_same_however_work_is_done() {
    for path in all_captures().0.into_iter().chain(runaways()) {
        let (wanted, gpu) = play(&path, &options(Tier::JitOnly, 1, 0, LITTLE), |_| {});
        for options in [options(Tier::Auto, 2, 4, LITTLE), options(Tier::JitOnly, 2, 1, LITTLE)] {
            let (found, other) = play(&path, &options, |_| {});
            assert_eq!(found, wanted, "{}", path.display());
            assert_eq!(other.faults().first(), gpu.faults().first(), "{}", path.display());
        }
    }
    for path in runaways() {
        let (wanted, _) = play(&path, &options(Tier::JitOnly, 1, 0, LITTLE), |_| {});
        assert_eq!(play(&path, &options(Tier::InterpreterOnly, 1, 0, LITTLE), |_| {}).0, wanted, "{}", path.display());
    }
}

#[test]
fn what_runs_away_is_ended_after_a_bounded_number_of_operations() {
    for path in runaways() {
        let (spent, gpu) = play(&path, &options(Tier::JitOnly, 2, 0, LITTLE), |_| {});
        assert!(gpu.faults().count(FaultKind::OutOfFuel) > 0, "{}", path.display());
        let mut before = Spent { fuel: 0, clock: 0, faults: 0, vertices: 0, triangles: 0 };
        for after in spent {
            assert!(after.faults - before.faults <= LITTLE / cost::FAULT + 100, "{}: {after:?}", path.display());
            assert!(after.vertices - before.vertices <= LITTLE / cost::VERTEX, "{}: {after:?}", path.display());
            assert!(
                after.triangles - before.triangles <= 16 * LITTLE / cost::PRIMITIVE,
                "{}: {after:?}",
                path.display()
            );
            assert!(after.clock - before.clock <= 2 * LITTLE, "{}: {after:?}", path.display());
            before = after;
        }
    }
}

/// A snapshot after a submission changes no count.
#[test]
fn snapshots_find_everything_accounted_for() {
    for path in all_captures().0.into_iter().chain(runaways()) {
        let options = options(Tier::JitOnly, 1, 0, LITTLE);
        let (wanted, _) = play(&path, &options, |_| {});
        let mut number = 0;
        let (found, _) = play(&path, &options, |gpu| {
            number += 1;
            if number % 2 == 0 {
                let (clock, faults) = (gpu.budget().now(), gpu.faults().clone());
                let state = gpu.snapshot(SnapshotOptions::default()).expect("a snapshot");
                gpu.restore(&state).expect("what was just taken");
                gpu.finish();
                assert_eq!((gpu.budget().now(), gpu.faults()), (clock, &faults), "{}", path.display());
            }
        });
        assert_eq!(found, wanted, "{}", path.display());
    }
}

/// A host's choice bounds submissions from then on; zero lets nothing be done that costs anything.
#[test]
fn hosts_choose_how_much_there_is() {
    let path = file("captures/3ds/18-texture-formats.tgc");
    let usual = play(&path, &options(Tier::JitOnly, 1, 0, FUEL), |_| {}).0;
    let (more, gpu) = play(&path, &options(Tier::JitOnly, 1, 0, 1 << 40), |_| {});
    assert_eq!((&more, gpu.faults().total()), (&usual, 0));
    let (less, gpu) = play(&path, &options(Tier::JitOnly, 1, 0, 1000), |_| {});
    assert!(less.iter().all(|spent| spent.fuel <= 1000) && gpu.faults().count(FaultKind::OutOfFuel) > 0);
    let mut gpu = N3ds::new(&options(Tier::JitOnly, 1, 0, FUEL)).expect("a 3DS");
    gpu.set_fuel(5);
    assert_eq!((gpu.budget().tank(), gpu.budget().fuel()), (5, 5));
}
