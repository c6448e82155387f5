//! `triglyph fuzz`: mutants of captures, each asked in a process of its own kind, so that one that kills it is a
//! finding like any other.
//!
//! ```text
//! this process: cases, findings, shrinking ──► worker (this program again): one mutant at a time, a verdict each
//! ```

pub mod findings;
pub mod worker;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use triglyph::Machine;
use triglyph_fuzz::mutate::Base;
use triglyph_fuzz::{Case, Oracle, Verdict, corpus};

use crate::capture_file::{expand, make_folder};
use crate::exit::{Exit, Failure};
use crate::machine::parse_threads;
use crate::minutes::parse_minutes;
use crate::output::{Output, message};
use findings::{Found, Tally};
use worker::{Answer, Worker};

/// The machines, as the command line writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MachineChoice {
    /// Nintendo 3DS.
    #[value(name = "3ds")]
    N3ds,
    /// PlayStation 3.
    Ps3,
    /// Tegra X1.
    TegraX1,
}

impl MachineChoice {
    fn machine(self) -> Machine {
        match self {
            MachineChoice::N3ds => Machine::N3ds,
            MachineChoice::Ps3 => Machine::Ps3,
            MachineChoice::TegraX1 => Machine::TegraX1,
        }
    }
}

/// Arguments of `fuzz`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures, to make mutants of; without any, the built-in ones.
    #[arg(value_name = "PATH")]
    captures: Vec<PathBuf>,
    /// Minutes to run, for example 0.5; 10 if neither this nor --cases is given.
    #[arg(long, value_name = "MINUTES", value_parser = parse_minutes)]
    minutes: Option<Duration>,
    /// How many mutants at most.
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// The number of the first mutant; the following ones have the following numbers.
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// How many mutants at once.
    #[arg(long, value_name = "J", default_value = "1", value_parser = parse_threads)]
    jobs: usize,
    /// Only captures of this machine.
    #[arg(long, value_enum)]
    machine: Option<MachineChoice>,
    /// Check this of every mutant, instead of the oracle that its number chooses.
    #[arg(long, value_name = "ORACLE", value_parser = parse_oracle)]
    oracle: Option<Oracle>,
    /// Folder for findings, made when missing.
    #[arg(long, value_name = "DIR", default_value = "fuzz-findings")]
    keep: PathBuf,
    /// Check the captures themselves (kept mutants), instead of making mutants of them.
    #[arg(long, requires = "captures")]
    replay: bool,
    /// Answer questions on standard input, for another process of this program.
    #[arg(long, hide = true)]
    worker: bool,
}

fn parse_oracle(text: &str) -> Result<Oracle, String> {
    let names: Vec<&str> = Oracle::ALL.iter().map(|oracle| oracle.name()).collect();
    let found = Oracle::ALL.into_iter().find(|oracle| oracle.name() == text);
    found.ok_or_else(|| format!("one of {} is needed", names.join(", ")))
}

/// Looks for mutants for which something does not hold.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    if arguments.worker {
        return worker::serve();
    }
    if arguments.replay {
        return replay(arguments, output);
    }
    let bases = bases(arguments, output)?;
    make_folder(&arguments.keep)?;
    let session = Session::new(arguments, &bases);
    let length = arguments.cases.unwrap_or(0);
    let output = output.with_bar(length);
    // Nothing is lost without it but the summary.
    let _ = ctrlc::set_handler(|| STOP.store(true, Relaxed));
    let results: Vec<anyhow::Result<()>> = std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..arguments.jobs).map(|_| scope.spawn(|| session.job(&output))).collect();
        jobs.into_iter().map(|job| job.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let tally = session.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.print(&output)?;
    results.into_iter().collect::<anyhow::Result<()>>()?;
    Ok(if tally.findings == 0 { Exit::Good } else { Exit::Difference })
}

/// What mutants are made of.
fn bases(arguments: &Arguments, output: &Output) -> anyhow::Result<Vec<Base>> {
    let mut bases = Vec::new();
    if arguments.captures.is_empty() {
        bases = corpus::bundled()?;
    } else {
        bases.extend(Machine::ALL.into_iter().map(corpus::calls));
        for path in expand(&arguments.captures)? {
            let made = crate::capture_file::Named::open(&path)
                .bytes
                .and_then(|bytes| corpus::bases(&corpus::name_of(&path), &bytes));
            match made {
                Ok(made) => bases.extend(made),
                // It is of no use here, which says nothing about the others.
                Err(error) => output.warning(&path.display().to_string(), error)?,
            }
        }
    }
    let machine = arguments.machine.map(MachineChoice::machine);
    bases.retain(|base| machine.is_none_or(|machine| base.document.header.machine == machine));
    match bases.is_empty() {
        true => Err(Failure::usage("no captures of that machine").into()),
        false => Ok(bases),
    }
}

/// Asks about captures as they are.
fn replay(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let mut worker = Worker::start()?;
    let mut exit = Exit::Good;
    let asked: Vec<Oracle> = arguments.oracle.map_or_else(|| Oracle::ALL.to_vec(), |oracle| vec![oracle]);
    for path in expand(&arguments.captures)? {
        for &oracle in &asked {
            let verdict = worker.ask(&path, oracle, arguments.seed)?.verdict();
            let line = findings::Replayed::new(&path, oracle, &verdict);
            if matches!(verdict, Verdict::Fails(_)) {
                exit = Exit::Difference;
            }
            output.line(&line)?;
            output.object(&line)?;
        }
    }
    Ok(exit)
}

/// What all jobs share.
struct Session<'a> {
    arguments: &'a Arguments,
    bases: &'a [Base],
    next: AtomicU64,
    end: Option<Instant>,
    tally: Mutex<Tally>,
}

/// Set by Ctrl-C: no further case is begun.
static STOP: AtomicBool = AtomicBool::new(false);

impl<'a> Session<'a> {
    fn new(arguments: &'a Arguments, bases: &'a [Base]) -> Self {
        const USUAL: Duration = Duration::from_secs(600);
        let minutes = arguments.minutes.or(arguments.cases.is_none().then_some(USUAL));
        Session {
            arguments,
            bases,
            next: AtomicU64::new(0),
            end: minutes.map(|minutes| Instant::now() + minutes),
            tally: Mutex::new(Tally::new(arguments.seed)),
        }
    }

    fn is_over(&self) -> bool {
        STOP.load(Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One case after the other.
    fn job(&self, output: &Output) -> anyhow::Result<()> {
        let mut worker = Worker::start()?;
        let file = tempfile::Builder::new().suffix(".tgc").tempfile()?;
        while !self.is_over() {
            let number = self.next.fetch_add(1, Relaxed);
            if self.arguments.cases.is_some_and(|cases| number >= cases) {
                break;
            }
            let seed = self.arguments.seed.wrapping_add(number);
            let Some(case) = Case::new(self.bases, seed, self.arguments.oracle) else { break };
            output.working_on(format_args!("{} {}", case.base.name, case.oracle.name()));
            std::fs::write(file.path(), case.mutant())?;
            let answer = worker.ask(file.path(), case.oracle, seed)?;
            let is_new = self.tally().add(&case, &answer);
            if is_new && let Verdict::Fails(what) = answer.verdict() {
                let found = self.shrink(&case, what, &mut worker, file.path())?;
                self.tally().findings += 1;
                found.print(output)?;
            }
            output.step();
        }
        Ok(())
    }

    /// Reduces a finding and keeps it.
    fn shrink(
        &self,
        case: &Case<'_>,
        what: String,
        worker: &mut Worker,
        file: &std::path::Path,
    ) -> anyhow::Result<Found> {
        const QUESTIONS: usize = 400;
        const MAX_TIME: Duration = Duration::from_secs(180);
        let begun = Instant::now();
        let kind = findings::kind(&what);
        let mut trouble = None;
        let mut fails = |mutant: &[u8]| {
            if begun.elapsed() > MAX_TIME || STOP.load(Relaxed) || trouble.is_some() {
                return false;
            }
            let answer = std::fs::write(file, mutant)
                .map_err(anyhow::Error::from)
                .and_then(|()| worker.ask(file, case.oracle, case.seed));
            match answer.map(Answer::verdict) {
                Ok(Verdict::Fails(now)) => findings::kind(&now) == kind,
                Ok(_) => false,
                Err(error) => {
                    trouble = Some(message(&error));
                    false
                }
            }
        };
        let small = triglyph_fuzz::shrink::shrink(case.base, &case.edits, QUESTIONS, &mut fails);
        if let Some(trouble) = trouble {
            anyhow::bail!("a finding could not be made small: {trouble}");
        }
        Found::keep(&self.arguments.keep, case, what, &small)
    }
}
