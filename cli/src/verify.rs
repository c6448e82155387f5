//! `triglyph verify`: checks that a capture leaves the same bytes on every tier and any number of threads, and the
//! expected ones.
//!
//! The runs asked for go through a capture in step. After each picture, and at the end, everything that the capture
//! has mapped is compared with what the first run has there.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use triglyph::capture::{Checks, Event, Finished, Hashed, Player, Prepared, Reader};
use triglyph::{Device, GuestAddr, GuestRange};

use crate::capture_file::{Named, expand, write};
use crate::exit::{Exit, is_closed_pipe};
use crate::jobs::in_order;
use crate::junit::{Junit, Outcome};
use crate::machine::{
    AccuracyChoice, HiddenSurfaceChoice, PacketTraceChoice, Setup, TierChoice, Tiers, parse_threads, parse_tiers,
};
use crate::output::{Output, message};
use crate::picture_name::capture_names;
use crate::report::Report;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Which tiers to run and to compare.
    #[arg(long, value_name = "TIER", value_parser = parse_tiers(), default_value = "both")]
    tier: Tiers,
    /// Numbers of threads to run with and to compare.
    #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "1,2")]
    threads: Vec<usize>,
    /// Accuracy of the arithmetic.
    #[arg(long, value_enum, default_value = "fast")]
    accuracy: AccuracyChoice,
    /// When packets of push buffers and command lists are compiled. With the interpreter they never are.
    #[arg(long, value_enum, default_value = "often")]
    packet_traces: PacketTraceChoice,
    /// When fragments that later ones hide are not shaded. With the interpreter all are.
    #[arg(long, value_enum, default_value = "when-faster")]
    hidden_surfaces: HiddenSurfaceChoice,
    /// Folder for wanted, found and difference pictures, made when missing.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// How many captures to verify at once; each takes the memory of all its runs.
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value = "1")]
    jobs: usize,
    /// Only every N-th capture, beginning with the K-th (from 1): for machines that share the work.
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Write the results to this file as well, in JUnit's form; with --report the pictures that differ are
    /// attachments.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// A capture without an expected picture and without a hash (`unchecked`) counts as different.
    #[arg(long)]
    require_checks: bool,
}

/// One part of `count` parts.
#[derive(Clone, Copy, Debug)]
struct Shard {
    number: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('/').and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
            _ => Err("two numbers like 1/4 are needed, the first at least 1 and at most the second"),
        }
    }
}

impl Shard {
    fn of<T>(self, files: Vec<T>) -> Vec<T> {
        files.into_iter().skip(self.number - 1).step_by(self.count).collect()
    }
}

/// How a capture was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// Everything that the capture expects holds, and all runs leave the same bytes.
    #[default]
    Good,
    /// All runs leave the same bytes, and the capture expects nothing.
    Unchecked,
    /// Something is not as expected, or runs differ.
    Different,
}

/// The result of a file; one JSON line.
#[derive(Default, Serialize)]
struct Verified {
    event: &'static str,
    file: PathBuf,
    /// The name of its pictures, and of the file in text.
    name: String,
    status: Status,
    ok: bool,
    runs: usize,
    pictures: usize,
    expected: usize,
    hashes: usize,
    faults: u64,
    first_fault: Option<String>,
    seconds: f64,
    differences: Vec<String>,
    /// Pictures of the report that show a difference.
    report: Vec<PathBuf>,
}

#[derive(Default, Serialize)]
struct Summary {
    event: &'static str,
    files: usize,
    good: usize,
    different: usize,
    unreadable: usize,
    unchecked: usize,
    pictures: usize,
    expected: usize,
    hashes: usize,
}

/// Verifies every file; one that fails does not keep the others from being verified.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let files = expand(&arguments.paths)?;
    // Names for pictures are those of the whole, so that the folders of all shards can be put together.
    let names = capture_names(&files);
    let all: Vec<(PathBuf, String)> = files.into_iter().zip(names).collect();
    let files = match arguments.shard {
        Some(shard) => shard.of(all),
        None => all,
    };
    let report = Report::new(arguments.report.as_deref())?;
    let output = output.with_bar(files.len() as u64);
    let mut totals = Totals::new(files.len());
    let work = |(path, name): &(PathBuf, String)| {
        output.working_on(path.display());
        let start = Instant::now();
        let result = verify(arguments, path, name, &report);
        (result, start.elapsed())
    };
    in_order(&files, arguments.jobs, work, |(path, name), (result, time)| {
        totals.add(path, name, result, time, &output)?;
        output.step();
        Ok(())
    })?;
    totals.print(&output)?;
    if let Some(file) = &arguments.junit {
        write(file, &totals.junit.to_xml()?)?;
    }
    Ok(totals.exit)
}

/// The result of all files.
struct Totals {
    summary: Summary,
    exit: Exit,
    junit: Junit,
}

impl Totals {
    fn new(files: usize) -> Self {
        let summary = Summary { event: "summary", files, ..Summary::default() };
        Totals { summary, exit: Exit::Good, junit: Junit::new() }
    }

    /// Prints and counts the result of a file.
    fn add(
        &mut self,
        path: &Path,
        name: &str,
        result: anyhow::Result<Verified>,
        time: Duration,
        output: &Output,
    ) -> anyhow::Result<()> {
        let summary = &mut self.summary;
        match result {
            Ok(mut verified) => {
                verified.seconds = time.as_secs_f64();
                print(&verified, output)?;
                summary.pictures += verified.pictures;
                summary.expected += verified.expected;
                summary.hashes += verified.hashes;
                let (count, exit, outcome) = match verified.status {
                    Status::Good => (&mut summary.good, Exit::Good, Outcome::Good),
                    Status::Unchecked => (&mut summary.unchecked, Exit::Good, Outcome::Unchecked),
                    Status::Different => {
                        (&mut summary.different, Exit::Difference, Outcome::Failed(&verified.differences))
                    }
                };
                *count += 1;
                self.exit = self.exit.max(exit);
                self.junit.add(path, &outcome, time, &verified.report);
            }
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                self.exit = self.exit.max(output.error(Some(path), &error));
                let error = message(&error);
                output.line(format_args!("ERROR     {name:<32} {error}"))?;
                summary.unreadable += 1;
                self.junit.add(path, &Outcome::Unreadable(&error), time, &[]);
            }
        }
        Ok(())
    }

    fn print(&self, output: &Output) -> anyhow::Result<()> {
        let Summary { files, good, different, unreadable, unchecked, pictures, expected, hashes, .. } = self.summary;
        let unchecked = if unchecked > 0 { format!(", {unchecked} unchecked") } else { String::new() };
        output.line(format_args!(
            "{files} files: {good} good, {different} different, {unreadable} unreadable{unchecked}; \
             {pictures} pictures, {expected} of them with an expectation, {hashes} hashes"
        ))?;
        Ok(output.object(&self.summary)?)
    }
}

fn setups(arguments: &Arguments) -> Vec<Setup> {
    let threads = |tier: &TierChoice| {
        let setup = Setup {
            tier: *tier,
            threads: None,
            accuracy: arguments.accuracy,
            packet_traces: arguments.packet_traces,
            hidden_surfaces: arguments.hidden_surfaces,
        };
        arguments.threads.iter().map(move |&threads| Setup { threads: Some(threads), ..setup })
    };
    arguments.tier.0.iter().flat_map(threads).collect()
}

fn print(verified: &Verified, output: &Output) -> anyhow::Result<()> {
    let Verified { name, status, runs, pictures, expected, hashes, faults, seconds, .. } = verified;
    let word = match status {
        Status::Good => "ok",
        Status::Unchecked => "unchecked",
        Status::Different => "DIFFERS",
    };
    let faults = if *faults > 0 { format!(", {faults} guest faults") } else { String::new() };
    output.line(format_args!(
        "{word:<9} {name:<32} {pictures} pictures ({expected} expected), {hashes} hashes, {runs} runs{faults}, \
         {seconds:.2} s"
    ))?;
    if let Some(fault) = &verified.first_fault {
        output.line(format_args!("          first fault: {fault}"))?;
    }
    for difference in &verified.differences {
        output.line(format_args!("          {difference}"))?;
    }
    Ok(output.object(verified)?)
}

/// One way through the capture, with its own device.
struct Run<'p, 'a> {
    name: String,
    device: Box<dyn Device>,
    player: Player<'p, 'a>,
    /// Its memory differs from the first run's already: what follows from that is not worth a line.
    strayed: bool,
}

impl Run<'_, '_> {
    fn next(&mut self) -> anyhow::Result<Option<Event>> {
        self.player.next(&mut *self.device).with_context(|| format!("with {}", self.name))
    }
}

/// Verifies a capture whose pictures are called `name`.
fn verify(arguments: &Arguments, path: &Path, name: &str, report: &Report) -> anyhow::Result<Verified> {
    let bytes = Named::open(path).bytes?;
    let capture = Prepared::new(&Reader::new(&bytes)?)?;
    let mut runs = Vec::new();
    for setup in setups(arguments) {
        let device =
            setup.device_with_steady_code(capture.header().machine).with_context(|| format!("with {setup}"))?;
        let player = Player::prepared(&capture, Checks::ALL);
        runs.push(Run { name: setup.to_string(), device, player, strayed: false });
    }
    let mut verified = Verified {
        event: "verified",
        file: path.to_owned(),
        name: name.to_owned(),
        runs: runs.len(),
        ..Verified::default()
    };
    loop {
        let events = runs.iter_mut().map(Run::next).collect::<anyhow::Result<Vec<_>>>()?;
        match &events[0] {
            None => break,
            Some(Event::Picture(_)) => {
                let finished: Vec<&Finished> = events
                    .iter()
                    .filter_map(|event| match event {
                        Some(Event::Picture(finished)) => Some(finished),
                        _ => None,
                    })
                    .collect();
                pictures(&mut verified, &runs, &finished, name, report)?;
                let label = &finished[0].present.label;
                memory(&mut verified, &mut runs, &format!("picture {} ({label})", finished[0].index))?;
            }
            Some(Event::Hash(_)) => hashes(&mut verified, &runs, &events),
            Some(_) => {}
        }
    }
    memory(&mut verified, &mut runs, "the end")?;
    let faults = runs[0].device.faults();
    verified.faults = faults.total();
    verified.first_fault = faults.first().first().map(|fault| format!("{}: {}", fault.kind.name(), fault.what));
    let is_unchecked = verified.expected + verified.hashes == 0;
    if is_unchecked && arguments.require_checks {
        verified.differences.push("the capture expects no picture and no hash".to_owned());
    }
    verified.status = match (verified.differences.is_empty(), is_unchecked) {
        (false, _) => Status::Different,
        (true, true) => Status::Unchecked,
        (true, false) => Status::Good,
    };
    verified.ok = verified.status != Status::Different;
    Ok(verified)
}

/// Checks a picture's expectation once for all runs that drew the same, and that they did.
fn pictures(
    verified: &mut Verified,
    runs: &[Run<'_, '_>],
    finished: &[&Finished],
    name: &str,
    report: &Report,
) -> anyhow::Result<()> {
    verified.pictures += 1;
    verified.expected += usize::from(finished[0].expectation.is_some());
    let written = report.expectation(name, finished[0])?;
    if finished[0].expectation.as_ref().is_some_and(|(_, comparison)| !comparison.ok) {
        verified.report.extend(written);
    }
    let mut drawn_alike = true;
    for (run, picture) in runs.iter().zip(finished) {
        let same = picture.picture == finished[0].picture;
        let what = format!("record {}: picture {} ({})", picture.record, picture.index, picture.present.label);
        if !same {
            drawn_alike = false;
            verified.report.extend(report.run(name, picture, &run.name)?);
            if !run.strayed {
                let line = format!("{what} as drawn by {} is not the picture drawn by {}", run.name, runs[0].name);
                verified.differences.push(line);
            }
        }
        let first_of_its_kind = !same || std::ptr::eq(*picture, finished[0]);
        if let Some((expected, comparison)) = &picture.expectation
            && !comparison.ok
            && first_of_its_kind
        {
            verified.differences.push(format!("{what}, {}: {}", run.name, describe(expected.tolerance, comparison)));
        }
    }
    if !drawn_alike {
        verified.report.extend(report.run(name, finished[0], &runs[0].name)?);
    }
    Ok(())
}

fn describe(tolerance: u32, comparison: &triglyph::capture::Comparison) -> String {
    if !comparison.same_size {
        return "the size is not the expected one".to_owned();
    }
    let first = comparison.first.map_or(String::new(), |first| {
        let colour = |[r, g, b, a]: [u8; 4]| format!("#{r:02x}{g:02x}{b:02x}{a:02x}");
        format!(", first at ({}, {}): want {}, got {}", first.x, first.y, colour(first.want), colour(first.got))
    });
    format!(
        "{} of {} pixels differ by more than {tolerance}, at most by {}{first}",
        comparison.over, comparison.pixels, comparison.max_difference
    )
}

fn hashes(verified: &mut Verified, runs: &[Run<'_, '_>], events: &[Option<Event>]) {
    verified.hashes += 1;
    let mut seen: Vec<u64> = Vec::new();
    for (run, event) in runs.iter().zip(events) {
        let Some(Event::Hash(hashed)) = event else { continue };
        if hashed.ok() || seen.contains(&hashed.got) {
            continue;
        }
        seen.push(hashed.got);
        let Hashed { record, hash, got, .. } = hashed;
        let GuestRange { start: GuestAddr { space, address }, size } = hash.range;
        verified.differences.push(format!(
            "record {record}, {}: {size:#x} bytes at {address:#x} in space {space} hash to {got:016x}, not to {:016x}",
            run.name, hash.xxh3
        ));
    }
}

/// Compares every mapped byte of every run with the first run's.
fn memory(verified: &mut Verified, runs: &mut [Run<'_, '_>], when: &str) -> anyhow::Result<()> {
    let Some((first, others)) = runs.split_first_mut() else { return Ok(()) };
    for (range, _) in first.player.maps() {
        if others.iter().all(|run| run.strayed) {
            break;
        }
        let mut pieces = Pieces::new(range);
        while let Some((at, want, got)) = pieces.advance() {
            first.device.read(GuestAddr::new(range.start.space, at), want)?;
            for run in others.iter_mut().filter(|run| !run.strayed) {
                run.device.read(GuestAddr::new(range.start.space, at), got)?;
                let Some(differing) = want.iter().zip(got.iter()).position(|(want, got)| want != got) else { continue };
                run.strayed = true;
                verified.differences.push(format!(
                    "memory at {when}: {:#x} in space {} is {:02x} with {} and {:02x} with {}",
                    at + differing as u64,
                    range.start.space,
                    want[differing],
                    first.name,
                    got[differing],
                    run.name
                ));
            }
        }
    }
    Ok(())
}

/// Walks a range in pieces, with two buffers of a piece's size.
struct Pieces {
    range: GuestRange,
    done: u64,
    buffers: [Vec<u8>; 2],
}

impl Pieces {
    const SIZE: u64 = 1 << 18;

    fn new(range: GuestRange) -> Self {
        let buffer = vec![0; Self::SIZE.min(range.size) as usize];
        Pieces { range, done: 0, buffers: [buffer.clone(), buffer] }
    }

    fn advance(&mut self) -> Option<(u64, &mut [u8], &mut [u8])> {
        let length = Self::SIZE.min(self.range.size - self.done);
        let at = self.range.start.address + self.done;
        self.done += length;
        let [want, got] = &mut self.buffers;
        let length = length as usize;
        (length > 0).then_some((at, &mut want[..length], &mut got[..length]))
    }
}
