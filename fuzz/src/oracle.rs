//! Oracles: the properties that must hold for every mutant.
//!
//! Panics are findings of every oracle, and so is a mutant that is neither a sound capture nor an error. The parent
//! process detects what kills the process, an access to a guard page or an abort: see `triglyph fuzz`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use triglyph::capture::Record;
use triglyph::{Error, FaultKind, HiddenSurfaceRemoval, Tier};
use triglyph_guest::listed;

use super::choices::Choices;
use super::host::Host;
use super::panics;
use super::run::{Bounds, Compared, Cuts, Faults, Fuel, Run, Setup, Subject, play};
use super::usage::{CpuTime, PeakMemory};

listed! {
    /// An oracle for a mutant.
    pub enum Oracle: u32 {
        /// The interpreter and compiled code leave the same bytes and faults, also without hidden surfaces.
        Tiers = 0,
        /// One, two and four threads do.
        Threads = 1,
        /// Packets that are compiled before they are executed, and packets that never are.
        PacketTraces = 2,
        /// A device that goes on with a snapshot from the middle.
        Snapshot = 3,
        /// A device that remembers no derived state.
        StateCache = 4,
        /// Work that is cut into bounded runs.
        Slices = 5,
        /// Work that is interrupted.
        Interrupts = 6,
        /// Mappings between guard pages.
        Guard = 7,
        /// No submission takes longer than it may.
        Time = 8,
        /// No device ever has more memory than it may.
        Memory = 9,
        /// Pictures of any place, size, stride and format: no panic, no more time or memory than there may be.
        Present = 10,
        /// Calls of the machine's system with any arguments: the same.
        Calls = 11,
    }
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It could not be asked: no sound container, or work without end that cannot be cut.
    Skipped(String),
    /// It does not hold.
    Fails(String),
}

/// An answer, and what it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Ways through the mutant.
    pub runs: u32,
    /// Milliseconds of the slowest record.
    pub slowest: u64,
}

/// The limit.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// Of one record, on a quiet machine.
    pub time: Duration,
    /// Bytes that the process may have beside what is mapped.
    pub memory: u64,
}

impl Default for Allowed {
    /// Three seconds, 1 GiB.
    fn default() -> Self {
        Allowed { time: Duration::from_secs(3), memory: 1 << 30 }
    }
}

impl Oracle {
    /// As the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Oracle::Tiers => "tiers",
            Oracle::Threads => "threads",
            Oracle::PacketTraces => "packet-traces",
            Oracle::Snapshot => "snapshot",
            Oracle::StateCache => "state-cache",
            Oracle::Slices => "slices",
            Oracle::Interrupts => "interrupts",
            Oracle::Guard => "guard",
            Oracle::Time => "time",
            Oracle::Memory => "memory",
            Oracle::Present => "present",
            Oracle::Calls => "calls",
        }
    }

    /// The fuel of submissions when this is asked. Compiled code has it; the interpreter never has more than a part.
    pub const fn fuel(self) -> Fuel {
        match self {
            Oracle::Time | Oracle::Memory => Fuel::Usual,
            _ => Fuel::Reduced,
        }
    }

    /// One that is chosen for a case: the cheap and sharp ones most often, never [`Oracle::Time`]: the slowest record
    /// of any run is reported anyway, and a loaded machine must not decide what a case finds.
    pub fn chosen(choices: &mut Choices) -> Oracle {
        const CHOICE: [Oracle; 18] = [
            Oracle::Tiers,
            Oracle::Tiers,
            Oracle::Tiers,
            Oracle::Tiers,
            Oracle::Threads,
            Oracle::Threads,
            Oracle::PacketTraces,
            Oracle::PacketTraces,
            Oracle::Snapshot,
            Oracle::Snapshot,
            Oracle::StateCache,
            Oracle::Slices,
            Oracle::Interrupts,
            Oracle::Guard,
            Oracle::Guard,
            Oracle::Memory,
            Oracle::Present,
            Oracle::Calls,
        ];
        CHOICE[choices.below(CHOICE.len())]
    }

    /// Asks about a mutant. The seed chooses where work is cut.
    pub fn check(self, mutant: &[u8], seed: u64, allowed: Allowed) -> Report {
        panics::watch();
        panics::take();
        let mut asked = Asked { seed, allowed, runs: 0, slowest: Duration::ZERO, slowest_at: 0 };
        let answer = catch_unwind(AssertUnwindSafe(|| asked.ask(self, mutant)));
        let seen = panics::take();
        let verdict = match answer {
            Ok(verdict) if seen.is_empty() => verdict,
            _ => Verdict::Fails(format!("panics: {}", seen.join("; "))),
        };
        Report { verdict, runs: asked.runs, slowest: asked.slowest.as_millis() as u64 }
    }
}

struct Asked {
    seed: u64,
    allowed: Allowed,
    runs: u32,
    slowest: Duration,
    slowest_at: usize,
}

/// Compiled code on so many threads.
const fn compiled(threads: usize) -> Setup {
    Setup::new(Tier::JitOnly, threads)
}

impl Asked {
    fn ask(&mut self, oracle: Oracle, mutant: &[u8]) -> Verdict {
        let subject = match Subject::new(mutant) {
            Ok(subject) => subject,
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        // Every page would be compared several times.
        let is_large = subject.mapped() > 2 << 30;
        if is_large && matches!(oracle, Oracle::Snapshot | Oracle::Slices | Oracle::Interrupts) {
            return Verdict::Skipped("more memory than snapshots are taken of".into());
        }
        let verdict = match oracle {
            Oracle::Tiers => {
                let without_hidden = Setup { hidden_surfaces: HiddenSurfaceRemoval::Always, ..compiled(1) };
                let interpreted = Setup::new(Tier::InterpreterOnly, 1);
                self.same(&subject, interpreted, &[compiled(1), without_hidden], Compared::ALL)
            }
            Oracle::Threads => self.threads(&subject),
            Oracle::PacketTraces => {
                let [forced, never] = [1, 0].map(|packet_traces| Setup { packet_traces, ..compiled(1) });
                self.same(&subject, never, &[forced], Compared::ALL)
            }
            Oracle::Snapshot => self.snapshot(&subject),
            Oracle::StateCache => {
                let forgetful = Setup { state_cache: false, ..compiled(1) };
                self.same(&subject, compiled(1), &[forgetful], Compared { faults: Faults::Counts, registers: true })
            }
            Oracle::Slices => self.cut(&subject, Cuts::Slices(self.seed)),
            Oracle::Interrupts => self.cut(&subject, Cuts::Interrupts(self.seed)),
            Oracle::Guard => {
                let guarded = Setup { guarded: true, ..compiled(2) };
                self.same(&subject, compiled(1), &[guarded], Compared::ALL)
            }
            Oracle::Time => self.time(&subject),
            Oracle::Memory => self.memory(&subject),
            Oracle::Present => self.host(&subject, |host| {
                host.present();
            }),
            Oracle::Calls => self.host(&subject, |host| host.call()),
        };
        verdict.unwrap_or_else(|error| Verdict::Skipped(error.to_string()))
    }

    fn run(&mut self, subject: &Subject<'_>, setup: Setup, bounds: Bounds) -> Result<Run, Error> {
        let run = play(subject, setup, Setup::new(Tier::InterpreterOnly, 2), bounds)?;
        self.runs += 1;
        if run.slowest > self.slowest {
            (self.slowest, self.slowest_at) = (run.slowest, run.slowest_at);
        }
        Ok(run)
    }

    /// Whether other runs leave what the first one does.
    fn same(
        &mut self,
        subject: &Subject<'_>,
        first: Setup,
        others: &[Setup],
        compared: Compared,
    ) -> Result<Verdict, Error> {
        let mut reference = self.run(subject, first, Bounds::default())?;
        let bounds = bounds_of(&reference);
        for &setup in others {
            let mut run = self.run(subject, setup, bounds)?;
            if run.endless || run.stopped != reference.stopped {
                return Ok(Verdict::Skipped("work without end".into()));
            }
            if let Some(difference) = reference.difference(&mut run, compared) {
                return Ok(Verdict::Fails(format!("{difference}; with {first:?} / {setup:?}")));
            }
        }
        Ok(Verdict::Holds)
    }

    fn threads(&mut self, subject: &Subject<'_>) -> Result<Verdict, Error> {
        let tier = if self.seed.is_multiple_of(4) { Tier::InterpreterOnly } else { Tier::JitOnly };
        let others = [2, 4].map(|threads| Setup::new(tier, threads));
        self.same(subject, Setup::new(tier, 1), &others, Compared::ALL)
    }

    /// Which faults are kept in full depends on where one device's list ends, so that counts are compared.
    fn snapshot(&mut self, subject: &Subject<'_>) -> Result<Verdict, Error> {
        let changed = Setup { cuts: Cuts::Snapshot(self.seed), ..compiled(2) };
        self.same(subject, compiled(1), &[changed], Compared { faults: Faults::Counts, registers: true })
    }

    /// A submission that runs out of what it may take has no end that bounded runs would come to. Recorded calls say
    /// themselves what is deferred and how work is cut.
    fn cut(&mut self, subject: &Subject<'_>, cuts: Cuts) -> Result<Verdict, Error> {
        if subject.capture.entries().iter().any(|entry| matches!(entry.record, Record::Call(_))) {
            return Ok(Verdict::Skipped("calls that a recording has heard".into()));
        }
        let mut reference = self.run(subject, compiled(2), Bounds::default())?;
        if reference.faults.count(FaultKind::OutOfFuel) > 0 {
            return Ok(Verdict::Skipped("a submission that runs out of fuel".into()));
        }
        let mut run = self.run(subject, Setup { cuts, ..compiled(2) }, bounds_of(&reference))?;
        if run.endless || run.stopped != reference.stopped {
            return Ok(Verdict::Skipped("work without end".into()));
        }
        let difference = reference.difference(&mut run, Compared { faults: Faults::Counts, registers: true });
        Ok(difference.map_or(Verdict::Holds, |what| Verdict::Fails(format!("{what}; with {cuts:?}"))))
    }

    /// Compiled code with the usual fuel, and the interpreter with a part of it.
    fn time(&mut self, subject: &Subject<'_>) -> Result<Verdict, Error> {
        let bounds = Bounds { time: Duration::from_secs(60), ..Bounds::default() };
        let usual = Setup { fuel: Oracle::Time.fuel(), ..compiled(1) };
        for setup in [usual, Setup::new(Tier::InterpreterOnly, 1)] {
            self.run(subject, setup, bounds)?;
            if self.slowest > self.allowed.time {
                let what = format!("record {} takes {:?} with {:?}", self.slowest_at, self.slowest, setup.tier);
                return Ok(Verdict::Fails(what));
            }
        }
        Ok(Verdict::Holds)
    }

    /// Compiled code with the usual fuel. Two threads: what they share may be there twice.
    fn memory(&mut self, subject: &Subject<'_>) -> Result<Verdict, Error> {
        let peak = PeakMemory::start();
        let run = self.run(subject, Setup { fuel: Oracle::Memory.fuel(), ..compiled(2) }, Bounds::default())?;
        drop(run);
        Ok(self.bounded_memory(subject, &peak))
    }

    fn bounded_memory(&self, subject: &Subject<'_>, peak: &PeakMemory) -> Verdict {
        let (more, allowed) = (peak.more(), self.allowed.memory + subject.mapped());
        match more > allowed {
            true => Verdict::Fails(format!("{} MiB more than before, {} are allowed", more >> 20, allowed >> 20)),
            false => Verdict::Holds,
        }
    }

    /// Actions of hosts after the mutant, which the seed chooses.
    fn host(&mut self, subject: &Subject<'_>, act: fn(&mut Host<'_>)) -> Result<Verdict, Error> {
        const ACTS: usize = 48;
        let peak = PeakMemory::start();
        let tier = if self.seed.is_multiple_of(4) { Tier::InterpreterOnly } else { Tier::JitOnly };
        let mut run = self.run(subject, Setup::new(tier, 2), Bounds::default())?;
        let places = subject.places();
        let mut host = Host::new(&mut run.device, &places, self.seed);
        for number in 0..ACTS {
            let start = CpuTime::now();
            act(&mut host);
            let time = start.elapsed();
            if time > self.allowed.time {
                return Ok(Verdict::Fails(format!("act {number} takes {time:?} with {tier:?}")));
            }
        }
        drop(run);
        Ok(self.bounded_memory(subject, &peak))
    }
}

/// Another run ends where this one did.
fn bounds_of(run: &Run) -> Bounds {
    Bounds { time: Duration::from_secs(120), record: run.stopped.unwrap_or(usize::MAX), ..Bounds::default() }
}
