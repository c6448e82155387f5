//! Comparing a capture's run with another one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use triglyph::{Error, Tier};
use triglyph_inspect::{Comparison, Hashes, Outcome, Session, SessionOptions, first_difference, first_unlike, hashes};

use triglyph::capture::CaptureFile;

use crate::capture_file::{Named, write};
use crate::exit::Failure;
use crate::machine::{TierChoice, parse_tier};
use crate::output::Output;

/// With what to compare.
#[derive(Debug, Args)]
#[group(id = "comparison", multiple = false)]
pub struct CompareArguments {
    /// Compare with another capture, event by event; the page opens at the first event that differs.
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Compare with the same capture on one tier alone.
    #[arg(long, value_name = "TIER", value_parser = parse_tier(&[TierChoice::Interp, TierChoice::Jit]))]
    compare_tier: Option<TierChoice>,
    /// Compare with what another build has written by --hashes.
    #[arg(long, value_name = "FILE")]
    compare_hashes: Option<PathBuf>,
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
            Some(path) => Some(Named::open_any(path)?.0),
            None => None,
        })
    }

    /// Compares a session with what is asked for, for so long. `bytes` are its capture, `other` those of the other
    /// file.
    pub fn compare<'a>(
        &self,
        session: &mut Session<'_>,
        time: Duration,
        bytes: &'a [u8],
        other: Option<&'a [u8]>,
    ) -> anyhow::Result<Compared<'a>> {
        if let Some(path) = &self.compare_hashes {
            let text = Named::open(path).bytes?;
            let other: Hashes = serde_json::from_slice(&text)
                .map_err(|error| Failure::file(format!("{}: no hashes of a run: {error}", path.display())))?;
            session.set_deadline(Instant::now().checked_add(time));
            let found = first_unlike(session, &other);
            session.set_deadline(None);
            let Outcome { first, left_out } = found.map_err(|error| match error {
                Error::InvalidArgument(why) => Failure::file(format!("{}: {why}", path.display())).into(),
                error => anyhow::Error::from(error),
            })?;
            let comparison = Comparison { other: path.display().to_string(), has_pictures: false, first, left_out };
            return Ok(Some((comparison, None)));
        }
        let mut options = SessionOptions::default();
        let (name, bytes) = match (self.compare_tier, &self.compare, other) {
            (Some(tier), ..) => {
                let (name, tier) = match tier {
                    TierChoice::Interp => ("the interpreter", Tier::InterpreterOnly),
                    TierChoice::Auto | TierChoice::Jit => ("compiled code", Tier::JitOnly),
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
        let deadline = Instant::now().checked_add(time);
        session.set_deadline(deadline);
        other.set_deadline(deadline);
        let found = first_difference(session, &mut other);
        session.set_deadline(None);
        other.set_deadline(None);
        let Outcome { first, left_out } = found?;
        Ok(Some((Comparison { other: name, has_pictures: true, first, left_out }, Some(other))))
    }
}

/// Says what was found.
pub fn tell(comparison: &Comparison, output: &Output) -> anyhow::Result<()> {
    match &comparison.first {
        None => {
            let as_far = if comparison.left_out.is_empty() { "" } else { " as far as they were compared" };
            output.line(format_args!("compared with {}: no event differs{as_far}", comparison.other))?;
        }
        Some(first) => {
            output.line(format_args!(
                "compared with {}: event {} is the first that differs ({} looks)",
                comparison.other, first.event, first.looks
            ))?;
            first.what.iter().try_for_each(|line| output.line(format_args!("  {line}")))?;
        }
    }
    comparison.left_out.iter().try_for_each(|what| output.line(format_args!("  {what}")))?;
    Ok(output.object(&Line { event: "compared", comparison })?)
}

#[derive(Serialize)]
struct HashesLine<'a> {
    event: &'static str,
    hashes: &'a Path,
    events: usize,
    /// What limits have left out of the hashes, in words.
    left_out: &'a [String],
}

/// Writes the hashes of a run, which may take so long.
pub fn write_hashes(session: &mut Session<'_>, time: Duration, path: &Path, output: &Output) -> anyhow::Result<()> {
    session.set_deadline(Instant::now().checked_add(time));
    let found = hashes(session);
    session.set_deadline(None);
    let found = found?;
    write(path, &serde_json::to_vec(&found)?)?;
    let events = found.events.len();
    output.line(format_args!("{}: hashes of {events} events", path.display()))?;
    found.left_out.iter().try_for_each(|what| output.line(format_args!("  {what}")))?;
    Ok(output.object(&HashesLine { event: "hashed", hashes: path, events, left_out: &found.left_out })?)
}
