//! `triglyph capture import`: captures of other emulators.

use std::path::PathBuf;

use clap::Args;
use triglyph_fuzz::Document;

use super::{finish, open};
use crate::capture_file::stem;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Arguments of `capture import`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The other emulator's file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The new capture.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Imports, and says what the file lacks.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let Arguments { file, output: path } = arguments;
    let imported = triglyph_import::import(&stem(file), &open(file)?)
        .map_err(|error| Failure::file(format!("{}: {error}", file.display())))?;
    output.line(format_args!("{}: {}", file.display(), imported.format))?;
    for lack in &imported.lacks {
        output.warning(&file.display().to_string(), lack)?;
    }
    finish(&Document::parse(&imported.capture)?, path, output)?;
    Ok(Exit::Good)
}
