//! The `triglyph` command: replays, verifies, measures and shows captures.
//!
//! Exit codes: 0 good, 1 a difference was found, 2 wrong usage, 3 a file that cannot be read or replayed, 4 an
//! internal error.
#![forbid(unsafe_code)]

mod bench;
mod cache;
mod capture;
mod capture_file;
mod disasm;
mod exit;
mod explain;
mod fuzz;
mod generate;
#[cfg(target_os = "linux")]
mod gpu;
mod info;
mod inspect;
mod isa;
mod jobs;
mod junit;
mod listing;
mod machine;
mod minutes;
mod output;
mod picture_name;
mod programs;
mod range;
mod replay;
mod report;
mod starts;
mod stats;
mod terminal;
mod vectors;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};

use exit::Exit;
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
    /// Measure first frames of cold starts, and of warm ones with a file of kernel keys.
    ///
    /// Prints a table (Markdown) of milliseconds. Every number is that of processes started for it. For each tier:
    ///
    /// cold: the first frame when nothing is compiled and there is no file of keys.
    ///
    /// warm: the first frame with the file of keys that an earlier run has left, begun when all that is in it is
    /// compiled.
    ///
    /// steady: the median of 40 later frames of the warm process.
    ///
    /// Tiers are auto (the default: the interpreter until compiled code is there), jit (compiled code only: a frame
    /// waits for its compiler) and interp (nothing is compiled, so that cold and warm are the same). The first frame
    /// holds all that a capture submits from its first submission to its first picture, mapping memory and uploading
    /// textures too.
    Starts(starts::Arguments),
    /// Cut, compare, join, reduce and import captures.
    Capture(capture::Arguments),
    /// Show what is in captures.
    Info(info::Arguments),
    /// Inspect a capture: events, state, pictures before and after each, the history of pixels.
    Inspect(inspect::Arguments),
    /// Say what makes the draws of captures invisible or suspicious.
    ///
    /// Plays each capture, checks every draw, and says in sentences which register or method is the reason, what its
    /// value is, and what to write instead. Also says when a picture is of memory that no draw and no copy wrote.
    ///
    /// Exit code 1: a draw changed nothing for a reason that was found, or such a picture was shown.
    Explain(explain::Arguments),
    /// Show the programs of captures as text; turn 3DS shader binaries into text and back.
    Disasm(disasm::Arguments),
    /// List or check a file of kernel keys, or make it smaller.
    Cache(cache::Arguments),
    /// Print the results of every operation of an instruction set for special values, or compare them with the log of a
    /// console.
    Vectors(vectors::Arguments),
    /// Mutate captures and check what must hold for every mutant; findings are kept and reduced.
    ///
    /// Mutants are named by numbers: the same captures and the same number are the same mutant. Of each, one of these
    /// is checked:
    ///
    /// tiers, threads, packet-traces, state-cache: the same memory, with every tier, thread count and cache.
    ///
    /// snapshot, slices, interrupts: the same memory, wherever the work is cut.
    ///
    /// guard: no access outside of guest memory, whose mappings lie between guard pages.
    ///
    /// time, memory: no record takes longer than 3 s, nor more than 1 GiB besides mapped memory.
    ///
    /// A panic, even a caught one, and the end of the process are findings of each of them.
    Fuzz(fuzz::Arguments),
    /// A GPU for programs of this system.
    #[cfg(target_os = "linux")]
    Gpu(gpu::Arguments),
    /// Print a script with which a shell completes this command's arguments.
    Completions(generate::Completions),
    /// Print the manual page, or write one for each command into a folder.
    Man(generate::Man),
}

fn main() -> ExitCode {
    exit::install_panic_hook();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&escaped(error)).into(),
    };
    let output = Output::new(arguments.json);
    let result = exit::catch_panic(|| run(&arguments.command, &output));
    result.unwrap_or_else(|error| output.error(None, &error)).into()
}

fn run(command: &Command, output: &Output) -> anyhow::Result<Exit> {
    match command {
        Command::Replay(arguments) => replay::run(arguments, output),
        Command::Verify(arguments) => verify::run(arguments, output),
        Command::Bench(arguments) => bench::run(arguments, output),
        Command::Starts(arguments) => starts::run(arguments, output),
        Command::Capture(arguments) => capture::run(arguments, output),
        Command::Info(arguments) => info::run(arguments, output),
        Command::Inspect(arguments) => inspect::run(arguments, output),
        Command::Explain(arguments) => explain::run(arguments, output),
        Command::Disasm(arguments) => disasm::run(arguments, output),
        Command::Cache(arguments) => cache::run(arguments, output),
        Command::Vectors(arguments) => vectors::run(arguments, output),
        Command::Fuzz(arguments) => fuzz::run(arguments, output),
        #[cfg(target_os = "linux")]
        Command::Gpu(arguments) => gpu::run(arguments, output),
        Command::Completions(arguments) => generate::completions(arguments, output),
        Command::Man(arguments) => generate::man(arguments, output),
    }
}

/// A mistake whose arguments are shown without control characters: they may be names of files.
fn escaped(mut error: clap::Error) -> clap::Error {
    let shown = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(terminal::line(text).into_owned()))),
        _ => None,
    };
    for (kind, value) in error.context().filter_map(shown).collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

/// What the argument parser says: help and version on standard output, mistakes as errors, with `--json` as an object,
/// too.
fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        // Nothing is left to do when the stream is closed.
        let _ = error.print();
        return Exit::Good;
    }
    // Its own lines; nothing is left to do when the stream is closed.
    let text = error.to_string();
    text.lines().for_each(|line| _ = writeln!(std::io::stderr(), "{}", terminal::line(line)));
    let json = std::env::args_os().any(|argument| argument == "--json");
    let first = error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let _ = Output::new(json).error_object(None, first);
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use clap::{Arg, CommandFactory};

    use super::*;

    /// The arguments of all commands, with the command's name.
    fn arguments() -> Vec<(String, Arg)> {
        let mut found = Vec::new();
        let mut commands = vec![Arguments::command()];
        while let Some(command) = commands.pop() {
            found.extend(command.get_arguments().map(|argument| (command.get_name().to_owned(), argument.clone())));
            commands.extend(command.get_subcommands().cloned());
        }
        found
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ranges_are_explained_alike() {
        let help = |argument: &Arg| argument.get_help().map(ToString::to_string).unwrap_or_default();
        let ranges: Vec<_> = arguments()
            .into_iter()
            .filter(|(_, argument)| argument.get_value_names().is_some_and(|names| names[0].contains("..")))
            .collect();
        assert!(ranges.len() >= 3, "{ranges:?}");
        for (command, range) in ranges {
            assert_eq!(help(&range), range::help(help(&range).split(". ").next().unwrap()), "{command} {range:?}");
        }
    }

    #[test]
    fn tiers_are_named_and_explained_alike() {
        let tiers: Vec<_> =
            arguments().into_iter().filter(|(_, argument)| argument.get_id().as_str().ends_with("tier")).collect();
        assert!(tiers.len() >= 6, "{tiers:?}");
        let mut explained = std::collections::BTreeMap::<String, String>::new();
        for (command, tier) in tiers {
            assert_eq!(tier.get_value_names().unwrap(), ["TIER"], "{command}");
            for value in tier.get_possible_values() {
                let help = value.get_help().expect("an explanation").to_string();
                let first = explained.entry(value.get_name().to_owned()).or_insert_with(|| help.clone());
                assert_eq!(*first, help, "{command} {}", value.get_name());
            }
        }
        assert_eq!(explained.into_keys().collect::<Vec<_>>(), ["auto", "both", "interp", "jit"]);
    }
}
