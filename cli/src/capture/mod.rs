//! `triglyph capture`: cuts, compares, joins, reduces and imports captures.

mod align;
mod cut;
mod diff;
mod import;
mod merge;
mod minimize;

use std::path::Path;

use anyhow::Context;
use clap::Subcommand;
use triglyph::capture::{CaptureFile, Kind};
use triglyph_fuzz::Document;

use crate::capture_file::{Named, write};
use crate::exit::Exit;
use crate::output::Output;

/// Arguments of `capture`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a capture of a part of another one. It begins with the memory and registers at that point.
    Cut(cut::Arguments),
    /// Compare two captures: records, commands by register or method, memory by range.
    Diff(diff::Arguments),
    /// Join captures of one machine; each begins on a new GPU.
    Merge(merge::Arguments),
    /// Make a capture of another emulator's: .ctf of Citra and its successors, .rrc and .rrc.gz of RPCS3.
    Import(import::Arguments),
    /// Reduce a capture as long as a condition holds: delta debugging over records, entries of submissions, commands
    /// and memory.
    Minimize(minimize::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Cut(arguments) => cut::run(arguments, output),
        Command::Diff(arguments) => diff::run(arguments, output),
        Command::Merge(arguments) => merge::run(arguments, output),
        Command::Import(arguments) => import::run(arguments, output),
        Command::Minimize(arguments) => minimize::run(arguments, output),
    }
}

/// Reads a capture's bytes.
fn open(path: &Path) -> anyhow::Result<CaptureFile> {
    Ok(Named::open(path).bytes?)
}

/// Reads a capture's records, with the path in the error.
fn read(path: &Path) -> anyhow::Result<Document> {
    Document::parse(&open(path)?).with_context(|| path.display().to_string())
}

/// The META of a capture, empty without one.
fn meta(document: &Document) -> serde_json::Map<String, serde_json::Value> {
    let first = document.blocks.first().filter(|block| block.kind == Kind::Meta as u32);
    first.and_then(|block| serde_json::from_slice(&block.payload).ok()).unwrap_or_default()
}

/// Writes a capture and says what is in it.
fn finish(document: &Document, path: &Path, output: &Output) -> anyhow::Result<()> {
    #[derive(serde::Serialize)]
    struct Written<'a> {
        event: &'static str,
        file: &'a Path,
        records: usize,
        submits: usize,
        pictures: usize,
        bytes: usize,
    }
    let bytes = document.to_small_bytes();
    write(path, &bytes)?;
    let count = |kind: Kind| document.blocks.iter().filter(|block| block.kind == kind as u32).count();
    let (submits, pictures, records) = (count(Kind::Submit), count(Kind::Present), document.blocks.len());
    let bytes = bytes.len();
    output.line(format_args!(
        "{}: {records} records, {submits} submissions, {pictures} pictures, {bytes} bytes",
        path.display()
    ))?;
    Ok(output.object(&Written { event: "written", file: path, records, submits, pictures, bytes })?)
}
