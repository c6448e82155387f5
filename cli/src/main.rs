//! The `triglyph` command: replays captures, verifies them, measures them and shows what is in them.
//!
//! Exit codes: 0 good, 1 a difference was found, 2 wrong usage, 3 a file that cannot be read or replayed, 4 an
//! internal error.
#![forbid(unsafe_code)]

mod bench;
mod cache;
mod capture_file;
mod disasm;
mod exit;
mod gx;
mod info;
mod machine;
mod output;
mod push_buffer;
mod replay;
mod report;
mod starts;
mod stats;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::Output;

/// The GPUs of three consoles: replay, verify and measure captures.
#[derive(Debug, Parser)]
#[command(name = "triglyph", version, about, after_help = exit::HELP)]
struct Arguments {
    /// Print one JSON object per line on standard output.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replay captures and write every picture as a PNG.
    Replay(replay::Arguments),
    /// Check captures: expected pictures, hashes, and that every tier and thread count gives the same bytes.
    Verify(verify::Arguments),
    /// Measure how long frames take.
    Bench(bench::Arguments),
    /// Measure what first frames take, without remembered kernels and with them; prints a table.
    Starts(starts::Arguments),
    /// Show what is in a capture.
    Info(info::Arguments),
    /// Turn 3DS shader binaries into text and back.
    Disasm(disasm::Arguments),
    /// Look at a file of remembered kernels, or make it smaller.
    Cache(cache::Arguments),
}

fn main() -> ExitCode {
    exit::install_panic_hook();
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json);
    let result = match &arguments.command {
        Command::Replay(arguments) => replay::run(arguments, &output),
        Command::Verify(arguments) => verify::run(arguments, &output),
        Command::Bench(arguments) => bench::run(arguments, &output),
        Command::Starts(arguments) => starts::run(arguments, &output),
        Command::Info(arguments) => info::run(arguments, &output),
        Command::Disasm(arguments) => disasm::run(arguments, &output),
        Command::Cache(arguments) => cache::run(arguments, &output),
    };
    result.unwrap_or_else(|error| output.error(None, &error)).into()
}
