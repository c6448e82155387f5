//! `triglyph bench`: how long frames take.
//!
//! A frame ends before an output's label comes round again. The first frame runs on a fresh device, so it pays for
//! every kernel that it needs. The steady time is that of the later frames, played over and over once they have all
//! been seen, as a running game draws them: what each frame uploads and submits, until all of it is in memory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use triglyph::capture::{Checks, Player, Prepared, Reader};
use triglyph::{Device, Error, Stats};

use crate::cache::{check_keys, check_written};
use crate::capture_file::{Named, expand};
use crate::exit::{Exit, Failure, is_closed_pipe};
use crate::machine::{HiddenSurfaceChoice, PacketTraceChoice, Setup, SetupArguments};
use crate::output::Output;
use crate::picture_name::capture_names;
use crate::stats::{KernelCounters, milliseconds};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    setup: SetupArguments,
    /// When packets of push buffers and command lists are compiled. With the interpreter they never are.
    #[arg(long, value_enum, default_value = "often")]
    packet_traces: PacketTraceChoice,
    /// When fragments that later ones hide are not shaded.
    #[arg(long, value_enum, default_value = "when-faster")]
    hidden_surfaces: HiddenSurfaceChoice,
    /// How many steady frames to measure.
    #[arg(long, value_name = "N", default_value = "60", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// A file of kernel keys. Its kernels are compiled before the first frame; new keys are added.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

/// What a file costs; one JSON line. Times are milliseconds, of stages those of the first frame and per frame later.
#[derive(Serialize)]
struct Measured {
    event: &'static str,
    file: PathBuf,
    tier: &'static str,
    threads: Option<usize>,
    frames: usize,
    first_ms: f64,
    median_ms: f64,
    p99_ms: f64,
    min_ms: f64,
    first_stages_ms: serde_json::Map<String, serde_json::Value>,
    stages_ms: serde_json::Map<String, serde_json::Value>,
    draws: f64,
    vertices: f64,
    triangles: f64,
    pixel_blocks: f64,
    packet_trace_runs: f64,
    packet_trace_words: f64,
    #[serde(flatten)]
    kernels: KernelCounters,
    interpreter_calls: u64,
    compiled_calls: u64,
}

/// Measures every file; one that fails does not keep the others from being measured.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let files = expand(&arguments.files)?;
    let output = output.with_bar(files.len() as u64);
    let stages = Stats::default().stages.named().map(|(name, _)| format!("{name:>10}")).join("");
    output.line(format_args!(
        "{:<32}{:>9}{:>9}{:>9}{stages}{:>9}{:>10}",
        "milliseconds", "first", "median", "p99", "kernels", "compiling"
    ))?;
    let mut exit = Exit::Good;
    for (path, name) in files.iter().zip(capture_names(&files)) {
        output.working_on(path.display());
        match measure(arguments, path, &output) {
            Ok(measured) => print(&measured, &name, &output)?,
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(path), &error)),
        }
        output.step();
    }
    Ok(exit)
}

fn print(measured: &Measured, name: &str, output: &Output) -> anyhow::Result<()> {
    let Measured { first_ms, median_ms, p99_ms, stages_ms, kernels, .. } = measured;
    let KernelCounters { kernels_compiled, compile_ms, .. } = kernels;
    // In the order of the heading, which the map need not keep.
    let stages = Stats::default().stages.named().map(|(stage, _)| stage);
    let stage = |stage| stages_ms.get(stage).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let stages: String = stages.into_iter().map(|name| format!("{:>10.3}", stage(name))).collect();
    output.line(format_args!(
        "{name:<32}{first_ms:>9.3}{median_ms:>9.3}{p99_ms:>9.3}{stages}{kernels_compiled:>9}{compile_ms:>10.3}"
    ))?;
    Ok(output.object(measured)?)
}

/// A device on its way through a capture.
struct Bench<'p, 'a> {
    capture: &'p Prepared<'a>,
    device: Box<dyn Device>,
}

impl Bench<'_, '_> {
    /// Plays some records and waits until the device is done.
    fn play(&mut self, records: std::ops::Range<usize>) -> Result<Duration, Error> {
        let start = Instant::now();
        Player::part(self.capture, records, Checks::NONE).run(&mut *self.device)?;
        Ok(start.elapsed())
    }
}

fn measure(arguments: &Arguments, path: &Path, output: &Output) -> anyhow::Result<Measured> {
    // Rounds played before measuring begins: enough for a tier that compiles beside the work to settle.
    const WARM_UP_ROUNDS: usize = 20;
    let bytes = Named::open(path).bytes?;
    let capture = Prepared::new(&Reader::new(&bytes)?)?;
    let frames = capture.frames();
    let Some((first_frame, later)) = frames.split_first() else {
        return Err(Failure::file("the capture shows no picture").into());
    };
    let setup = Setup {
        packet_traces: arguments.packet_traces,
        hidden_surfaces: arguments.hidden_surfaces,
        ..arguments.setup.setup()
    };
    let device = setup.device_with_keys(capture.header().machine, arguments.keys.as_deref())?;
    check_keys(device.warm_start(), output)?;
    let mut bench = Bench { capture: &capture, device };
    bench.play(0..first_frame.start)?;
    bench.device.wait_for_compiler();
    let setup = bench.device.stats();
    let first = First { time: bench.play(first_frame.clone())?, stats: bench.device.stats().since(&setup) };
    let steady = if later.is_empty() { std::slice::from_ref(first_frame) } else { later };
    for _ in 0..WARM_UP_ROUNDS {
        let before = bench.device.stats().compiled_calls;
        let interpreted = bench.device.stats().interpreter_calls;
        for frame in steady {
            bench.play(frame.clone())?;
        }
        let now = bench.device.stats();
        // Nothing changes any more once only one of the tiers works.
        if now.compiled_calls == before || now.interpreter_calls == interpreted {
            break;
        }
    }
    let warm = bench.device.stats();
    let mut times = Vec::with_capacity(arguments.frames as usize);
    for frame in steady.iter().cycle().take(arguments.frames as usize) {
        times.push(bench.play(frame.clone())?);
    }
    let all = bench.device.stats();
    check_written(arguments.keys.as_deref(), &all)?;
    times.sort_unstable();
    Ok(summarise(arguments, path, &first, &times, &all, &all.since(&warm)))
}

/// The first frame.
struct First {
    time: Duration,
    stats: Stats,
}

/// `times` sorted and not empty.
fn summarise(
    arguments: &Arguments,
    path: &Path,
    first: &First,
    times: &[Duration],
    all: &Stats,
    steady: &Stats,
) -> Measured {
    let frames = times.len();
    let per_frame = |count: u64| count as f64 / frames as f64;
    let stages = |stats: &Stats, frames: usize| {
        let stage = |(name, time): (&str, Duration)| (name.to_owned(), (milliseconds(time) / frames as f64).into());
        stats.stages.named().into_iter().map(stage).collect()
    };
    Measured {
        event: "measured",
        file: path.to_owned(),
        tier: arguments.setup.tier.name(),
        threads: arguments.setup.threads,
        frames,
        first_ms: milliseconds(first.time),
        median_ms: milliseconds(percentile(times, 50)),
        p99_ms: milliseconds(percentile(times, 99)),
        min_ms: milliseconds(percentile(times, 0)),
        first_stages_ms: stages(&first.stats, 1),
        stages_ms: stages(steady, frames),
        draws: per_frame(steady.draws),
        vertices: per_frame(steady.vertices),
        triangles: per_frame(steady.triangles),
        pixel_blocks: per_frame(steady.pixels_blocks),
        packet_trace_runs: per_frame(steady.packet_trace_runs),
        packet_trace_words: per_frame(steady.packet_trace_words),
        kernels: KernelCounters::of(all),
        interpreter_calls: steady.interpreter_calls,
        compiled_calls: steady.compiled_calls,
    }
}

/// The smallest time that `percent` per cent of the (sorted) times do not exceed.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    let rank = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<_> = (1..=100).map(Duration::from_millis).collect();
        let found = [0, 50, 99, 100].map(|percent| percentile(&times, percent).as_millis());
        assert_eq!(found, [1, 50, 99, 100]);
        assert_eq!(percentile(&times[..1], 99).as_millis(), 1);
        assert_eq!(percentile(&times[..3], 50).as_millis(), 2);
    }
}
