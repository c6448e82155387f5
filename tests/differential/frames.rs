//! The same part of a capture on every tier and number of threads: what they leave in memory, and the faults they
//! count.

use std::fmt::Write as _;
use std::ops::Range;

use triglyph::capture::{Checks, Player, Prepared, Reader, Record};
use triglyph::{Device, GuestRange, Machine, Options, Tier, new_device};

use super::Outcome;
use std::path::PathBuf;
use triglyph_testkit::data;
use triglyph_testkit::random::Random;

/// What is compared, the first being the reference.
const RUNS: [(&str, Tier, usize); 4] = [
    ("interpreter, 1 thread", Tier::InterpreterOnly, 1),
    ("compiled, 1 thread", Tier::JitOnly, 1),
    ("compiled, 2 threads", Tier::JitOnly, 2),
    ("interpreter, 2 threads", Tier::InterpreterOnly, 2),
];

/// The bundled captures of a machine, by name.
pub fn captures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let named = |path: PathBuf| {
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), std::fs::read(&path).expect("a file"))
    };
    data::captures(folder).into_iter().map(named).collect()
}

/// One way through a capture.
pub struct Run {
    name: &'static str,
    pub device: Box<dyn Device>,
    /// What was changed, for the report.
    pub changes: Vec<String>,
    written: Vec<GuestRange>,
}

impl Run {
    /// A device of each tier and number of threads.
    fn all(machine: Machine) -> Vec<Run> {
        let run = |&(name, tier, threads): &(&'static str, Tier, usize)| {
            let device = new_device(machine, &Options::new(tier, threads)).expect("a machine");
            Run { name, device, changes: Vec::new(), written: Vec::new() }
        };
        RUNS.iter().map(run).collect()
    }

    /// Plays some records; `before` sees each of them before it is played.
    fn play(&mut self, capture: &Prepared<'_>, records: Range<usize>, mut before: impl FnMut(&mut Run, &Record<'_>)) {
        for at in records {
            before(self, &capture.entries()[at].record);
            Player::part(capture, at..at + 1, Checks::NONE).run(&mut *self.device).expect("a record that plays");
        }
        self.written = self.device.take_written();
    }

    /// Compares faults and everything that either run wrote.
    fn differs_from(&mut self, other: &mut Run) -> Option<String> {
        let names = format!("{} / {}", self.name, other.name);
        for range in self.written.iter().chain(&other.written) {
            let [mut want, mut got] = [vec![0; range.size as usize], vec![0; range.size as usize]];
            self.device.read(range.start, &mut want).expect("written memory is mapped");
            other.device.read(range.start, &mut got).expect("written memory is mapped");
            if let Some(at) = want.iter().zip(&got).position(|(want, got)| want != got) {
                let wrong = want.iter().zip(&got).filter(|(want, got)| want != got).count();
                let (want, got) = (want[at], got[at]);
                let address = range.start.address + at as u64;
                return Some(format!("{names}: {wrong} bytes differ, first at {address:#x}: {want:02x} / {got:02x}"));
            }
        }
        let [want, got] = [&self.device, &other.device].map(|device| device.faults().clone());
        (want != got).then(|| format!("{names}: faults {want:?} / {got:?}"))
    }
}

/// Plays the first frame of a capture on every device and compares what that leaves. `change` may change memory before
/// each submission; it gets the same random numbers for all devices.
pub fn first_frame(
    (name, capture): (&str, &Prepared<'_>),
    random: &Random,
    change: impl Fn(&mut Run, &[u8], &mut Random),
) -> Outcome {
    let end = capture.frames().first().map_or(capture.entries().len(), |frame| frame.end);
    let mut runs = Run::all(capture.header().machine);
    for run in &mut runs {
        let mut random = random.clone();
        run.play(capture, 0..end, |run, record| {
            if let Record::Submit(payload) = record {
                change(run, payload, &mut random);
            }
        });
    }
    compare(name, runs)
}

/// A word that differs from the one before, by a bit or two in most cases.
pub fn changed(old: u32, random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.word(),
        1 => old ^ 1 << random.below(32) ^ 1 << random.below(32),
        _ => old ^ 1 << random.below(32),
    }
}

/// One of some captures.
pub fn pick<'a>(captures: &'a [(String, Vec<u8>)], random: &mut Random) -> (&'a str, Prepared<'a>) {
    let (name, file) = &captures[random.below(captures.len() as u32) as usize];
    (name, Prepared::new(&Reader::new(file).expect("a capture")).expect("a sound capture"))
}

/// Compares runs that have played the same.
fn compare(name: &str, mut runs: Vec<Run>) -> Outcome {
    let (reference, others) = runs.split_first_mut().expect("there are runs");
    for run in &mut *others {
        if let Some(difference) = reference.differs_from(run) {
            let mut report = format!("capture {name}\n");
            for change in &reference.changes {
                let _ = writeln!(report, "  {change}");
            }
            return Outcome::Different(report + &difference);
        }
    }
    let stats = others[0].device.stats();
    let calls = stats.compiled_calls + stats.interpreter_calls;
    Outcome::Equal(if calls == 0 { 1.0 } else { stats.compiled_calls as f64 / calls as f64 })
}
