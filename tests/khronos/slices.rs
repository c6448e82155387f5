//! Runs cases in several processes at a time, each with a slice of them, and again with what is left when one ends
//! before its time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::console::{Console, End, Outcome};
use crate::program::Programs;
use crate::results::Results;

/// Cases of a slice at most. A process takes some tenths of a second to start.
const SLICE: usize = 100;

/// After such a time a line says how far a run is.
const NEWS: Duration = Duration::from_secs(60);

/// Results as they come, and how far the run is.
struct Progress {
    results: Results,
    left: usize,
    said: Instant,
}

/// A run of slices.
struct Run<'a> {
    programs: &'a Programs<'a>,
    progress: Mutex<Progress>,
    failed: AtomicBool,
}

/// The results of cases: those that are kept, and the others by running them in so many processes at a time.
///
/// # Errors
/// A program that does not start, or ends without running anything, and results that cannot be kept.
pub fn results(programs: &Programs, cases: &[String], processes: usize) -> Result<Results, String> {
    let results = Results::open(&programs.kept(), &programs.made_by()?)?;
    let open: Vec<&str> = cases.iter().map(String::as_str).filter(|case| results.of(case).is_none()).collect();
    let share = open.len().div_ceil(processes.max(1)).clamp(1, SLICE);
    let slices: Vec<&[&str]> = open.chunks(share).collect();
    let progress = Progress { results, left: open.len(), said: Instant::now() };
    let run = Run { programs, progress: Mutex::new(progress), failed: AtomicBool::new(false) };
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Result<(), String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processes.min(slices.len()))
            .map(|number| {
                scope.spawn({
                    let (run, next, slices) = (&run, &next, &slices);
                    move || run.work(number, next, slices)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("workers do not panic")).collect()
    });
    outcomes.into_iter().collect::<Result<(), String>>()?;
    Ok(run.progress.into_inner().expect("workers do not panic").results)
}

impl Run<'_> {
    /// Takes slices until there is none left, or a worker fails.
    fn work(&self, number: usize, next: &AtomicUsize, slices: &[&[&str]]) -> Result<(), String> {
        while let Some(slice) = slices.get(next.fetch_add(1, Ordering::Relaxed)) {
            if self.failed.load(Ordering::Relaxed) {
                break;
            }
            self.slice(number, slice).inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    }

    /// Runs processes until each case of a slice has a result.
    fn slice(&self, number: usize, slice: &[&str]) -> Result<(), String> {
        let (list, errors) = (self.programs.file(number, "list"), self.programs.file(number, "errors"));
        loop {
            let left: Vec<&str> =
                slice.iter().copied().filter(|case| self.progress().results.of(case).is_none()).collect();
            if left.is_empty() {
                return Ok(());
            }
            std::fs::write(&list, left.join("\n") + "\n").map_err(|error| format!("{}: {error}", list.display()))?;
            let (ran, console) = self.process(&list, &errors)?;
            match (ran, console.is_done()) {
                (true, _) => {}
                // It does not know the cases.
                (false, true) => {
                    for case in left {
                        self.keep(case.to_owned(), Outcome::new("Missing", "the program does not have the case"))?;
                    }
                }
                (false, false) => {
                    let (name, end) = (self.programs.name(), end_of(&errors));
                    return Err(format!("{name}: the program ends before it runs {}:\n{end}", left[0]));
                }
            }
        }
    }

    /// Runs a process, and keeps the results of its cases: whether there were any, and what it said at last.
    fn process(&self, list: &Path, errors: &Path) -> Result<(bool, Console), String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.programs.name());
        let errors = File::create(errors).map_err(wrong)?;
        let mut child = self.programs.start(list, errors).map_err(wrong)?;
        let lines = lines(&mut child);
        let (mut console, mut ran) = (Console::default(), false);
        let end = loop {
            match lines.recv_timeout(self.programs.limit) {
                Ok(line) => {
                    if let Some((case, outcome)) = console.line(&line) {
                        self.keep(case, outcome)?;
                        ran = true;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break End::Gone,
                Err(RecvTimeoutError::Timeout) => break End::Silent,
            }
        };
        // A process that has closed its output has nothing more to do.
        let _ = child.kill();
        child.wait().map_err(wrong)?;
        if let Some((case, outcome)) = console.end(end) {
            self.keep(case, outcome)?;
            ran = true;
        }
        Ok((ran, console))
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().expect("no worker panics with it")
    }

    fn keep(&self, case: String, outcome: Outcome) -> Result<(), String> {
        let mut progress = self.progress();
        progress.results.keep(case, outcome)?;
        progress.left = progress.left.saturating_sub(1);
        if progress.said.elapsed() >= NEWS {
            eprintln!("khronos: {}: {} cases are left", self.programs.name(), progress.left);
            progress.said = Instant::now();
        }
        Ok(())
    }
}

/// The lines that a process says, read on a thread: a test may say what is no text.
fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(out) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// The end of what a process said on standard error.
fn end_of(errors: &Path) -> String {
    const BYTES: i64 = 4096;
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(errors)?;
        if file.metadata()?.len() > BYTES as u64 {
            file.seek(SeekFrom::End(-BYTES))?;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_or_else(|error| error.to_string(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}
