//! `triglyph disasm`: 3DS shader binaries as text, and back.

use std::path::PathBuf;

use clap::Args;

use crate::exit::{Exit, UsageError};
use crate::output::Output;

/// Arguments of `disasm`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A shader binary (`.shbin`), or text with `--assemble`.
    file: PathBuf,
    /// Turn text into a binary.
    #[arg(long)]
    assemble: bool,
}

/// Not there yet.
pub fn run(_: &Arguments, _: &Output) -> anyhow::Result<Exit> {
    Err(UsageError("this build has no disassembler".to_owned()).into())
}
