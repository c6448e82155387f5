//! `triglyph starts`: what the first frame of a start costs, without remembered kernels and with them.
//!
//! Every first frame is that of a process of its own, this program's `bench`: a start finds no memory that another one
//! has touched, no threads and no kernels. *Warm* starts get a file of kernel keys that an earlier process has left, and
//! have compiled what is in it when the frame begins; what is *steady* is measured behind the first frame of a warm start.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::capture_file::{Named, expand, stem};
use crate::exit::{Exit, UsageError, is_closed_pipe};
use crate::machine::{AccuracyChoice, TierChoice, parse_threads};
use crate::output::Output;

/// Arguments of `starts`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Number of threads.
    #[arg(long, default_value = "2", value_parser = parse_threads)]
    threads: usize,
    /// How near to the console.
    #[arg(long, value_enum, default_value = "fast")]
    accuracy: AccuracyChoice,
    /// Starts of each sort; the medians of them count.
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    starts: u32,
    /// Leave out the tiers by themselves.
    #[arg(long)]
    auto_only: bool,
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

/// Steady frames behind each first one. The interpreter takes up to seconds for each.
const FRAMES: u32 = 40;
const INTERPRETED_FRAMES: u32 = 3;

/// A folder for files of keys that goes when this does.
struct Keys(PathBuf);

impl Keys {
    fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("triglyph-starts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Keys(folder))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // What is left of it in a folder for temporary files hurts nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Measures every file; one that fails does not keep the others from being measured.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let files = expand(&arguments.files)?;
    if files.is_empty() {
        return Err(UsageError("no captures there".to_owned()).into());
    }
    let keys = Keys::new()?;
    let output = output.with_bar(files.len() as u64);
    let mut heading = "| capture | cold | warm | steady | warm / steady |".to_owned();
    let mut rule = "|---|---:|---:|---:|---:|".to_owned();
    if !arguments.auto_only {
        heading += " compiled only: cold | warm | steady | interpreter: first | steady |";
        rule += "---:|---:|---:|---:|---:|";
    }
    output.line(heading)?;
    output.line(rule)?;
    let mut exit = Exit::Good;
    for (number, path) in files.iter().enumerate() {
        output.working_on(path.display());
        match measure(arguments, path, &keys.0.join(number.to_string())) {
            Ok(times) => print(&times, &output)?,
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(path), &error)),
        }
        output.step();
    }
    Ok(exit)
}

fn print(times: &Times, output: &Output) -> anyhow::Result<()> {
    let Tier { cold_ms, warm_ms, steady_ms } = &times.auto;
    let (name, ratio) = (stem(&times.file), warm_ms / steady_ms);
    let mut line = format!("| {name} | {cold_ms:.2} | {warm_ms:.2} | {steady_ms:.2} | {ratio:.2} |");
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
    // One that cannot be read at all is no matter for other processes.
    Named::open(path).bytes?;
    let alone = !arguments.auto_only;
    let tier = |choice| measure_tier(arguments, path, choice, &keys.with_extension(TierChoice::name(choice)));
    Ok(Times {
        event: "starts",
        file: path.to_owned(),
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
        cold_ms: median(&cold, |run| run.first_ms),
        warm_ms: median(&warm, |run| run.first_ms),
        steady_ms: median(&warm, |run| run.median_ms),
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
    command.arg(path).stdin(Stdio::null()).stderr(Stdio::piped());
    if let Some(keys) = keys {
        command.arg("--keys").arg(keys);
    }
    let done = command.output().context("cannot start this program once more")?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    serde_json::from_slice(&done.stdout).context("a bench that says something else")
}

fn median(runs: &[Run], time: impl Fn(&Run) -> f64) -> f64 {
    let mut times: Vec<f64> = runs.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        let runs = [3.0, 1.0, 9.0].map(|first_ms| Run { first_ms, median_ms: -first_ms });
        assert_eq!(median(&runs, |run| run.first_ms), 3.0);
        assert_eq!(median(&runs, |run| run.median_ms), -3.0);
        assert_eq!(median(&runs[..2], |run| run.first_ms), 3.0);
        assert!(median(&[], |run| run.first_ms).is_nan());
    }
}
