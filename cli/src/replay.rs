//! `triglyph replay`: a PNG for every picture of a capture.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use triglyph::Stats;
use triglyph::capture::{Checks, Event, Player, Reader};

use crate::cache::{check_keys, check_written};
use crate::capture_file::{Named, expand, make_folder, write};
use crate::exit::{Exit, is_closed_pipe};
use crate::machine::SetupArguments;
use crate::output::Output;
use crate::picture_name::{capture_names, picture_name};
use crate::stats::KernelCounters;

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures; without any, a bundled capture is replayed.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Folder for the pictures, made when missing.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    #[command(flatten)]
    setup: SetupArguments,
    /// A file of kernel keys. Its kernels are compiled in the background; new keys are added.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Print counts of kernels.
    #[arg(long)]
    stats: bool,
    /// Write the alpha channel, too; screens have none.
    #[arg(long)]
    alpha: bool,
}

#[derive(Serialize)]
struct PictureLine<'a> {
    event: &'static str,
    file: &'a PathBuf,
    record: usize,
    index: usize,
    label: &'a str,
    width: u32,
    height: u32,
    png: PathBuf,
}

#[derive(Serialize)]
struct FileLine<'a> {
    event: &'static str,
    file: &'a PathBuf,
    pictures: usize,
    submits: usize,
    faults: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<ReplayCounters>,
}

/// With `--stats`.
#[derive(Serialize)]
struct ReplayCounters {
    #[serde(flatten)]
    kernels: KernelCounters,
    interpreter_calls: u64,
    compiled_calls: u64,
}

/// Replays every file; one that fails does not keep the others from being replayed.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    make_folder(&arguments.out)?;
    let captures: Vec<Named> = match arguments.paths.as_slice() {
        [] => vec![Named::bundled()],
        paths => expand(paths)?.iter().map(|path| Named::open(path)).collect(),
    };
    let names = capture_names(&captures.iter().map(|capture| capture.path.clone()).collect::<Vec<_>>());
    let output = output.with_bar(captures.len() as u64);
    let mut exit = Exit::Good;
    for (capture, name) in captures.into_iter().zip(&names) {
        output.working_on(capture.path.display());
        let Named { path, bytes } = capture;
        let result =
            bytes.map_err(anyhow::Error::from).and_then(|bytes| replay(arguments, &path, name, &bytes, &output));
        match result {
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(&path), &error)),
            Ok(()) => {}
        }
        output.step();
    }
    Ok(exit)
}

/// Replays a capture whose pictures are called `name`.
fn replay(arguments: &Arguments, path: &PathBuf, name: &str, bytes: &[u8], output: &Output) -> anyhow::Result<()> {
    let reader = Reader::new(bytes)?;
    let setup = arguments.setup.setup();
    let mut device = setup.device_with_keys(reader.header().machine, arguments.keys.as_deref())?;
    check_keys(device.warm_start(), output)?;
    let mut player = Player::new(&reader, Checks::PICTURES);
    let (mut pictures, mut submits) = (0, 0);
    while let Some(event) = player.next(&mut *device)? {
        match event {
            Event::Submitted { .. } => submits += 1,
            Event::Picture(finished) => {
                let Some(picture) = finished.picture else { continue };
                let label = &finished.present.label;
                let png = arguments.out.join(picture_name(name, finished.index, label) + ".png");
                write(&png, &picture.to_png(arguments.alpha)?)?;
                pictures += 1;
                output.line(png.display())?;
                output.object(&PictureLine {
                    event: "picture",
                    file: path,
                    record: finished.record,
                    index: finished.index,
                    label,
                    width: picture.width,
                    height: picture.height,
                    png,
                })?;
            }
            _ => {}
        }
    }
    let faults = device.faults().total();
    check_written(arguments.keys.as_deref(), &device.stats())?;
    let kernels = arguments.stats.then(|| {
        let stats = device.stats();
        let Stats { interpreter_calls, compiled_calls, .. } = stats;
        ReplayCounters { kernels: KernelCounters::of(&stats), interpreter_calls, compiled_calls }
    });
    if let Some(ReplayCounters { kernels, interpreter_calls, compiled_calls }) = &kernels {
        kernels.lines().iter().try_for_each(|line| output.line(line))?;
        output.line(format_args!("calls: {compiled_calls} compiled, {interpreter_calls} interpreted"))?;
    }
    Ok(output.object(&FileLine { event: "replayed", file: path, pictures, submits, faults, kernels })?)
}
