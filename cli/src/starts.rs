//! `triglyph starts`: times of the first frame of a start, without and with a file of kernel keys.
//!
//! Every first frame is that of a process of its own, this program's `bench`: a start finds no memory that another one
//! has touched, no threads and no kernels. *Warm* starts get a file of kernel keys that an earlier process has left,
//! and have compiled what is in it when the frame begins. What is *steady* is measured in later frames of cold starts:
//! a capture with a single picture is played again from its beginning, and in warm starts the memory that it maps is
//! prefaulted in the background each time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};
use triglyph::capture::Reader;

use crate::capture_file::{Named, expand};
use crate::exit::{Exit, Failure, is_closed_pipe};
use crate::machine::{AccuracyChoice, TierChoice, parse_threads};
use crate::output::Output;
use crate::picture_name::capture_names;

/// Arguments of `starts`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,
    /// Number of threads.
    #[arg(long, default_value = "2", value_parser = parse_threads)]
    threads: usize,
    /// Accuracy of the arithmetic.
    #[arg(long, value_enum, default_value = "fast")]
    accuracy: AccuracyChoice,
    /// Processes that are started for each number; their median counts.
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    starts: u32,
    /// Take the smallest time of all processes instead: for machines that do other things as well.
    #[arg(long)]
    smallest: bool,
    /// Only `auto`, without compiled code alone and the interpreter alone.
    #[arg(long)]
    auto_only: bool,
}

/// A line of `bench`.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Said {
    Measured(Run),
    Error { error: String },
}

/// What `bench` says of a run, as far as it matters here.
#[derive(Deserialize)]
struct Run {
    first_ms: f64,
    median_ms: f64,
}

/// The times of a capture in milliseconds; one JSON line.
#[derive(Serialize)]
struct Times {
    event: &'static str,
    file: PathBuf,
    console: &'static str,
    threads: usize,
    auto: Tier,
    jit: Option<Tier>,
    interp: Option<Tier>,
}

/// The times of a tier.
#[derive(Serialize)]
struct Tier {
    cold_ms: f64,
    warm_ms: f64,
    steady_ms: f64,
}

impl Tier {
    /// Warm first frames in steady ones.
    fn ratio(&self) -> f64 {
        self.warm_ms / self.steady_ms
    }
}

/// What a warm first frame should be at most, in steady ones.
const GOAL: f64 = 1.5;

/// Steady frames after each first one. The interpreter takes up to seconds for each.
const FRAMES: u32 = 40;
const INTERPRETED_FRAMES: u32 = 3;

/// Measures every file; one that fails does not keep the others from being measured.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let files = expand(&arguments.files)?;
    let keys = tempfile::tempdir()?;
    let output = output.with_bar(files.len() as u64);
    let mut heading = "| console | capture | auto: cold | warm | steady | warm / steady |".to_owned();
    let mut rule = "|---|---|---:|---:|---:|---:|".to_owned();
    if !arguments.auto_only {
        heading += " jit: cold | warm | steady | interp: first | steady |";
        rule += "---:|---:|---:|---:|---:|";
    }
    output.line(heading)?;
    output.line(rule)?;
    let mut ratios = Vec::new();
    let mut exit = Exit::Good;
    for (number, (path, name)) in files.iter().zip(capture_names(&files)).enumerate() {
        output.working_on(path.display());
        match measure(arguments, path, &keys.path().join(number.to_string())) {
            Ok(times) => {
                print(&times, &name, &output)?;
                ratios.push((times.auto.ratio(), name));
            }
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(path), &error)),
        }
        output.step();
    }
    let summary = Summary::of(ratios);
    output.line("")?;
    output.line(&summary)?;
    output.object(&summary)?;
    Ok(exit)
}

/// How much longer warm first frames are than steady ones, all captures together; one JSON line.
#[derive(Debug, PartialEq, Serialize)]
struct Summary {
    event: &'static str,
    measured: usize,
    /// The ratio in the middle, and the largest one with its capture.
    middle: Option<f64>,
    largest: Option<f64>,
    slowest: Option<String>,
    /// How many are within the goal.
    within: usize,
    goal: f64,
}

impl Summary {
    fn of(mut ratios: Vec<(f64, String)>) -> Self {
        ratios.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        Summary {
            event: "summary",
            measured: ratios.len(),
            middle: ratios.get(ratios.len() / 2).map(|(ratio, _)| *ratio),
            largest: ratios.last().map(|(ratio, _)| *ratio),
            within: ratios.iter().filter(|(ratio, _)| *ratio <= GOAL).count(),
            slowest: ratios.pop().map(|(_, name)| name),
            goal: GOAL,
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Summary { measured, within, goal, .. } = self;
        let (Some(middle), Some(largest), Some(name)) = (self.middle, self.largest, &self.slowest) else {
            return f.write_str("nothing was measured");
        };
        write!(f, "warm / steady of auto: {middle:.2} in the middle, at most {largest:.2} ({name}); ")?;
        write!(f, "{within} of {measured} within {goal}")
    }
}

fn print(times: &Times, name: &str, output: &Output) -> anyhow::Result<()> {
    let Tier { cold_ms, warm_ms, steady_ms } = &times.auto;
    let (console, ratio) = (times.console, times.auto.ratio());
    let mut line = format!("| {console} | {name} | {cold_ms:.2} | {warm_ms:.2} | {steady_ms:.2} | {ratio:.2} |");
    if let Some(Tier { cold_ms, warm_ms, steady_ms }) = &times.jit {
        line += &format!(" {cold_ms:.2} | {warm_ms:.2} | {steady_ms:.2} |");
    }
    if let Some(Tier { cold_ms, steady_ms, .. }) = &times.interp {
        line += &format!(" {cold_ms:.1} | {steady_ms:.1} |");
    }
    output.line(line)?;
    Ok(output.object(times)?)
}

fn measure(arguments: &Arguments, path: &Path, keys: &Path) -> anyhow::Result<Times> {
    // A file that cannot be read is an error before any process is started.
    let machine = Reader::new(&Named::open(path).bytes?)?.header().machine;
    let alone = !arguments.auto_only;
    let tier = |choice| measure_tier(arguments, path, choice, &keys.with_extension(TierChoice::name(choice)));
    Ok(Times {
        event: "starts",
        file: path.to_owned(),
        console: machine.name(),
        threads: arguments.threads,
        auto: tier(TierChoice::Auto)?,
        jit: alone.then(|| tier(TierChoice::Jit)).transpose()?,
        interp: alone.then(|| interpreted(arguments, path)).transpose()?,
    })
}

fn measure_tier(arguments: &Arguments, path: &Path, choice: TierChoice, keys: &Path) -> anyhow::Result<Tier> {
    let times = |keys| -> anyhow::Result<Vec<Run>> {
        (0..arguments.starts).map(|_| start(arguments, path, choice, keys, FRAMES)).collect()
    };
    let cold = times(None)?;
    // Leaves the keys, and how much they were used.
    start(arguments, path, choice, Some(keys), FRAMES)?;
    let warm = times(Some(keys))?;
    Ok(Tier {
        cold_ms: arguments.of(&cold, |run| run.first_ms),
        warm_ms: arguments.of(&warm, |run| run.first_ms),
        steady_ms: arguments.of(&cold, |run| run.median_ms),
    })
}

/// Nothing is compiled, so no start is warmer than another.
fn interpreted(arguments: &Arguments, path: &Path) -> anyhow::Result<Tier> {
    let run = start(arguments, path, TierChoice::Interp, None, INTERPRETED_FRAMES)?;
    Ok(Tier { cold_ms: run.first_ms, warm_ms: run.first_ms, steady_ms: run.median_ms })
}

/// One process.
fn start(
    arguments: &Arguments,
    path: &Path,
    choice: TierChoice,
    keys: Option<&Path>,
    frames: u32,
) -> anyhow::Result<Run> {
    let program = std::env::current_exe().context("where is this program?")?;
    let mut command = Command::new(program);
    command.args(["--json", "bench", "--tier", choice.name(), "--accuracy", arguments.accuracy.name()]);
    command.args(["--threads", &arguments.threads.to_string(), "--frames", &frames.to_string()]);
    command.arg(path).stdin(Stdio::null()).stderr(Stdio::null());
    if let Some(keys) = keys {
        command.arg("--keys").arg(keys);
    }
    let done = command.output().context("cannot start this program once more")?;
    let lines = String::from_utf8_lossy(&done.stdout);
    match lines.lines().find_map(|line| serde_json::from_str(line).ok()) {
        Some(Said::Measured(run)) => Ok(run),
        Some(Said::Error { error }) => Err(Failure::new(Exit::of_code(done.status.code()), error).into()),
        None => Err(Failure::new(Exit::Internal, format!("bench ended with {} and said nothing", done.status)).into()),
    }
}

impl Arguments {
    /// The time of all runs that counts.
    fn of(&self, runs: &[Run], time: impl Fn(&Run) -> f64) -> f64 {
        let mut times: Vec<f64> = runs.iter().map(time).collect();
        times.sort_by(f64::total_cmp);
        let rank = if self.smallest { 0 } else { times.len() / 2 };
        times.get(rank).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(line: &[&str]) -> Arguments {
        Line::parse_from([&["starts", "x.tgc"], line].concat()).arguments
    }

    #[test]
    fn the_time_that_counts_is_in_the_middle_or_the_smallest() {
        let runs = [3.0, 1.0, 9.0].map(|first_ms| Run { first_ms, median_ms: first_ms + 1.0 });
        let (middle, smallest) = (arguments(&[]), arguments(&["--smallest"]));
        let of = |arguments: &Arguments, runs: &[Run]| arguments.of(runs, |run| run.first_ms);
        assert_eq!((of(&middle, &runs), of(&smallest, &runs)), (3.0, 1.0));
        assert_eq!(middle.of(&runs, |run| run.median_ms), 4.0);
        assert_eq!(of(&middle, &runs[..2]), 3.0);
        assert!(of(&middle, &[]).is_nan());
    }

    #[test]
    fn the_summary_counts_what_is_within_the_goal() {
        let ratios = [("a", 1.25), ("b", 3.0), ("c", 1.5)].map(|(name, ratio)| (ratio, name.to_owned()));
        assert_eq!(
            Summary::of(ratios.to_vec()).to_string(),
            "warm / steady of auto: 1.50 in the middle, at most 3.00 (b); 2 of 3 within 1.5"
        );
        assert_eq!(Summary::of(Vec::new()).to_string(), "nothing was measured");
    }
}
