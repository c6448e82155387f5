//! The one claim: same capture, same bytes, whichever tier executes it and on however many threads.
//!
//! One test a capture: those of `tests/captures`, and those below the folder that `TRIGLYPH_CAPTURES` names. Every run
//! of [`RUNS`] goes through the capture in step with the others. At each picture the pictures and the memory written so
//! far are compared, at the end all memory; EXPECT and HASH records say what is right.
//!
//! `tests/captures/known-failures.txt` lists captures that need what is not built yet. They still have to replay to the
//! end, equal on all runs; one that comes out right has to leave the list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use triglyph::capture::{CaptureFile, Checks, Event, Header, Player, Prepared, Reader};
use triglyph::{Device, FaultKind, GuestAddr, GuestRange, HiddenSurfaceRemoval, Machine, Options, Tier, new_device};
use triglyph_engine::frontend::packet_trace::THRESHOLD;
use triglyph_testkit::data::all_captures;

/// A way to play a capture.
struct Setup {
    name: &'static str,
    tier: Tier,
    threads: usize,
    packet_traces: u32,
    removal: HiddenSurfaceRemoval,
    /// Kernels are compiled at once as those that have run for long.
    steady: bool,
}

const fn setup(name: &'static str, tier: Tier, threads: usize) -> Setup {
    Setup { name, tier, threads, packet_traces: THRESHOLD, removal: HiddenSurfaceRemoval::WhenFaster, steady: false }
}

/// What is compared, the first run being the reference.
const RUNS: [Setup; 6] = [
    setup("interpreter, 1 thread", Tier::InterpreterOnly, 1),
    setup("interpreter, 2 threads", Tier::InterpreterOnly, 2),
    setup("compiled, 1 thread", Tier::JitOnly, 1),
    Setup { steady: true, ..setup("compiled for long runs, 2 threads", Tier::JitOnly, 2) },
    Setup {
        packet_traces: 1,
        removal: HiddenSurfaceRemoval::Always,
        ..setup("compiled, packet traces from the first packet on, hidden surfaces always removed", Tier::JitOnly, 2)
    },
    setup("both as it comes, 2 threads", Tier::Auto, 2),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let known = Arc::new(KnownFailures::read());
    let (captures, everything) = captures();
    let names: BTreeSet<String> = captures.keys().cloned().collect();
    let mut trials: Vec<Trial> = captures
        .into_iter()
        .map(|(name, path)| {
            let known = known.clone();
            Trial::test(name.clone(), move || check(&name, &path, &known))
        })
        .collect();
    trials.push(Trial::test("the list of known failures names captures that exist", move || {
        let gone: Vec<_> = known.captures.keys().filter(|name| everything && !names.contains(*name)).collect();
        if gone.is_empty() { Ok(()) } else { Err(format!("no such captures: {gone:?}").into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Captures by name, `machine/file`, and whether a folder of further ones was given. A file that is in both folders is
/// taken once.
fn captures() -> (BTreeMap<String, PathBuf>, bool) {
    let mut captures = BTreeMap::new();
    let (paths, further) = all_captures();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let machine = std::fs::read(&path).ok().and_then(|bytes| Header::parse(&bytes).ok());
        let name = format!("{}/{stem}", machine.map_or("unreadable", |header| header.machine.name()));
        let same = |other: &PathBuf| std::fs::read(other).ok() == std::fs::read(&path).ok();
        match captures.get(&name) {
            Some(other) if same(other) => {}
            Some(_) => drop(captures.insert(format!("{name} in {}", path.display()), path)),
            None => drop(captures.insert(name, path)),
        }
    }
    (captures, further)
}

/// The contents of `known-failures.txt`: failures with their reasons.
struct KnownFailures {
    machines: BTreeMap<String, String>,
    captures: BTreeMap<String, String>,
}

impl KnownFailures {
    fn read() -> Self {
        let mut known = KnownFailures { machines: BTreeMap::new(), captures: BTreeMap::new() };
        let text = include_str!("captures/known-failures.txt");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, reason) = line.split_once(' ').unwrap_or_else(|| panic!("no reason: {line}"));
            let list = if name.contains('/') { &mut known.captures } else { &mut known.machines };
            let earlier = list.insert(name.to_owned(), reason.trim().to_owned());
            assert!(earlier.is_none(), "{name} is listed twice");
        }
        known
    }
}

/// One way through the capture.
struct Run<'p, 'a> {
    name: &'static str,
    device: Box<dyn Device>,
    player: Player<'p, 'a>,
    /// Its memory differs from the reference's; what follows from that is not worth a line.
    strayed: bool,
}

/// The results of a capture.
#[derive(Default)]
struct Outcome {
    /// Runs that differ from the reference: never tolerated.
    unequal: Vec<String>,
    /// EXPECT and HASH records that do not hold.
    wrong: Vec<String>,
    /// Faults of the reference that say something is not emulated.
    unimplemented: u64,
}

fn check(name: &str, path: &Path, known: &KnownFailures) -> Result<(), Failed> {
    let file = CaptureFile::open(path)?;
    let capture = Prepared::new(&Reader::new(&file)?)?;
    let machine = capture.header().machine;
    if let Some(reason) = known.machines.get(machine.name()) {
        return match new_device(machine, &Options::default()) {
            Err(_) => Ok(()),
            Ok(_) => Err(format!("the {machine} is emulated: remove it from the list ({reason})").into()),
        };
    }
    let outcome = compare(&capture, machine)?;
    let text = |lines: &[String]| lines.join("\n");
    if !outcome.unequal.is_empty() {
        return Err(format!("the runs are not equal\n{}", text(&outcome.unequal)).into());
    }
    match known.captures.get(name) {
        None if outcome.wrong.is_empty() => Ok(()),
        None => Err(format!("not as expected\n{}", text(&outcome.wrong)).into()),
        Some(reason) if outcome.wrong.is_empty() && outcome.unimplemented == 0 => {
            Err(format!("everything is as expected: remove it from the list ({reason})").into())
        }
        Some(_) => Ok(()),
    }
}

fn compare(capture: &Prepared<'_>, machine: Machine) -> Result<Outcome, Failed> {
    let mut runs = Vec::new();
    for Setup { name, tier, threads, packet_traces, removal, steady } in RUNS {
        let mut options = Options::new(tier, threads);
        options.packet_traces = packet_traces;
        options.hidden_surface_removal = removal;
        if steady {
            options.tiers = Some(triglyph_options::tiers(Tier::Auto)?);
        }
        let device = new_device(machine, &options)?;
        runs.push(Run { name, device, player: Player::prepared(capture, Checks::ALL), strayed: false });
    }
    let mut outcome = Outcome::default();
    loop {
        let mut events = Vec::new();
        for run in &mut runs {
            events.push(run.player.next(&mut *run.device).map_err(|error| format!("{}: {error}", run.name))?);
        }
        match &events[0] {
            None => break,
            Some(Event::Picture(reference)) => {
                let what =
                    format!("picture {} ({}), record {}", reference.index, reference.present.label, reference.record);
                for (run, event) in runs.iter().zip(&events) {
                    if event.as_ref() != events[0].as_ref() && !run.strayed {
                        outcome.unequal.push(format!("{what}: {} draws another picture", run.name));
                    }
                }
                if let Some((expected, found)) = &reference.expectation
                    && !found.ok
                {
                    let (over, pixels, most) = (found.over, found.pixels, found.max_difference);
                    let tolerance = expected.tolerance;
                    let line =
                        format!("{what}: {over} of {pixels} pixels differ by more than {tolerance}, at most by {most}");
                    outcome.wrong.push(line);
                }
                let written: Vec<_> = runs.iter_mut().flat_map(|run| run.device.take_written()).collect();
                compare_memory(&mut runs, &merged(written), &what, &mut outcome);
            }
            Some(Event::Hash(reference)) if !reference.ok() => {
                outcome.wrong.push(format!("record {}: the hash is {:016x}", reference.record, reference.got));
            }
            Some(_) => {}
        }
    }
    let all: Vec<_> = runs[0].player.maps().into_iter().map(|(range, _)| range).collect();
    compare_memory(&mut runs, &all, "the end", &mut outcome);
    outcome.unimplemented = runs[0].device.faults().count(FaultKind::Unimplemented);
    for run in &runs[1..] {
        let [want, got] = [&runs[0], run].map(|run| run.device.faults().total());
        if want != got {
            outcome.unequal.push(format!("{} counts {got} guest faults, not {want}", run.name));
        }
    }
    Ok(outcome)
}

/// What all runs wrote together, without overlaps.
fn merged(mut written: Vec<GuestRange>) -> Vec<GuestRange> {
    written.sort();
    let mut ranges: Vec<GuestRange> = Vec::new();
    for range in written {
        match ranges.last_mut() {
            Some(last) if last.start.space == range.start.space && range.start.address <= last.end() => {
                last.size = last.size.max(range.end() - last.start.address);
            }
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Compares ranges of every run's memory with the reference's.
fn compare_memory(runs: &mut [Run<'_, '_>], ranges: &[GuestRange], when: &str, outcome: &mut Outcome) {
    const PIECE: u64 = 1 << 18;
    let Some((reference, others)) = runs.split_first_mut() else { return };
    let mut buffers = [vec![0; PIECE as usize], vec![0; PIECE as usize]];
    for &GuestRange { start: GuestAddr { space, address }, size } in ranges {
        for offset in (0..size).step_by(PIECE as usize) {
            let (at, length) = (address + offset, PIECE.min(size - offset) as usize);
            let [want, got] = buffers.each_mut().map(|buffer| &mut buffer[..length]);
            reference.device.read(GuestAddr::new(space, at), want).expect("written memory is mapped");
            for run in others.iter_mut().filter(|run| !run.strayed) {
                run.device.read(GuestAddr::new(space, at), got).expect("written memory is mapped");
                let Some(first) = want.iter().zip(&*got).position(|(want, got)| want != got) else { continue };
                run.strayed = true;
                let (name, want, got) = (run.name, want[first], got[first]);
                let at = at + first as u64;
                outcome.unequal.push(format!("memory at {when}: {at:#x} is {want:02x}, with {name} {got:02x}"));
            }
        }
    }
}
