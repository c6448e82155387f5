//! Comparing a capture's run with another one.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use triglyph::Tier;
use triglyph_inspect::{Comparison, Hashes, Session, SessionOptions, first_difference, first_unlike, hashes};

use triglyph::capture::CaptureFile;

use crate::capture_file::{Named, write};
use crate::exit::Failure;
use crate::output::Output;

/// With what to compare.
#[derive(Debug, Args)]
#[group(id = "comparison", multiple = false)]
pub struct CompareArguments {
    /// Compare with another capture, event by event; the page opens at the first event that differs.
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Compare with the same capture on one tier alone.
    #[arg(long, value_enum, value_name = "TIER")]
    compare_tier: Option<OtherTier>,
    /// Compare with what another build has written by --hashes.
    #[arg(long, value_name = "FILE")]
    compare_hashes: Option<PathBuf>,
}

/// A tier to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OtherTier {
    /// The reference interpreter.
    Interpreter,
    /// Compiled code.
    Jit,
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    comparison: &'a Comparison,
}

/// A comparison, and the other run if it has pictures.
pub type Compared<'a> = Option<(Comparison, Option<Session<'a>>)>;

impl CompareArguments {
    /// The file of the other capture, if there is one.
    pub fn other_file(&self) -> anyhow::Result<Option<CaptureFile>> {
        Ok(match &self.compare {
            Some(path) => Some(Named::open(path).bytes?),
            None => None,
        })
    }

    /// Compares a session with what is asked for. `bytes` are its capture, `other` those of the other file.
    pub fn compare<'a>(
        &self,
        session: &mut Session<'_>,
        bytes: &'a [u8],
        other: Option<&'a [u8]>,
    ) -> anyhow::Result<Compared<'a>> {
        if let Some(path) = &self.compare_hashes {
            let text = Named::open(path).bytes?;
            let other: Hashes = serde_json::from_slice(&text)
                .map_err(|error| Failure::file(format!("{}: no hashes of a run: {error}", path.display())))?;
            let first = first_unlike(session, &other)?;
            let comparison = Comparison { other: path.display().to_string(), has_pictures: false, first };
            return Ok(Some((comparison, None)));
        }
        let mut options = SessionOptions::default();
        let (name, bytes) = match (self.compare_tier, &self.compare, other) {
            (Some(tier), ..) => {
                let (name, tier) = match tier {
                    OtherTier::Interpreter => ("the interpreter", Tier::InterpreterOnly),
                    OtherTier::Jit => ("compiled code", Tier::JitOnly),
                };
                options.device.tier = tier;
                (name.to_owned(), bytes)
            }
            (None, Some(path), Some(other)) => (path.display().to_string(), other),
            _ => return Ok(None),
        };
        let mut other = Session::open(bytes, &options).with_context(|| name.clone())?;
        if other.machine() != session.machine() {
            return Err(Failure::usage(format!("{name} is a capture of another machine")).into());
        }
        let first = first_difference(session, &mut other)?;
        Ok(Some((Comparison { other: name, has_pictures: true, first }, Some(other))))
    }
}

/// Says what was found.
pub fn tell(comparison: &Comparison, output: &Output) -> anyhow::Result<()> {
    match &comparison.first {
        None => output.line(format_args!("compared with {}: no event differs", comparison.other))?,
        Some(first) => {
            output.line(format_args!(
                "compared with {}: event {} is the first that differs ({} looks)",
                comparison.other, first.event, first.looks
            ))?;
            first.what.iter().try_for_each(|line| output.line(format_args!("  {line}")))?;
        }
    }
    Ok(output.object(&Line { event: "compared", comparison })?)
}

/// Writes the hashes of a run.
pub fn write_hashes(session: &mut Session<'_>, path: &Path) -> anyhow::Result<()> {
    let found = hashes(session)?;
    write(path, &serde_json::to_vec(&found)?)
}
