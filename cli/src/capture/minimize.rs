//! `triglyph capture minimize`: the smallest capture for which a condition holds (delta debugging).

mod condition;
mod variant;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use triglyph::capture::{Kind, Reader, TrimUnit, trim};
use triglyph_fuzz::Document;
use triglyph_fuzz::shrink::shrink_document;

use super::{finish, read};
use crate::exit::{Exit, Failure};
use crate::minutes::parse_minutes;
use crate::output::Output;
use condition::{Asked, Condition};

/// Arguments of `capture minimize`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The capture.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What must hold.
    ///
    /// tiers-differ: the interpreter and compiled code leave other bytes or faults.
    ///
    /// fault, fault=KIND: there is a fault like the capture's first one, or its first one of this kind: of that kind
    /// and at the same address, register or method (unmapped-read, unmapped-write, bad-command, bad-method, bad-shader,
    /// out-of-fuel, unimplemented).
    ///
    /// hash, hash=HEX: the last picture is that of this capture; has this XXH3 of its RGBA bytes.
    ///
    /// differs=FILE: the last picture differs from that of FILE, a capture that differs in bytes of memory and commands
    /// only. Both are reduced together.
    ///
    /// "command CMD {}": the shell command succeeds, with the path of a capture in place of {}.
    #[arg(long = "while", value_name = "CONDITION")]
    condition: Condition,
    /// The new capture.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Captures to try at most.
    #[arg(long, value_name = "N", default_value = "20000")]
    tries: usize,
    /// Minutes to try at most, for example 0.5.
    #[arg(long, value_name = "MINUTES", default_value = "60", value_parser = parse_minutes)]
    minutes: Duration,
}

/// What gives a capture's GPU work: submissions, or else calls.
fn work_of(file: &[u8]) -> Work {
    let Ok(reader) = Reader::new(file) else { return Work::None };
    let kinds = reader.raw_records().map_while(Result::ok).map(|record| Kind::from_number(record.kind));
    kinds.fold(Work::None, |work, kind| match kind {
        Some(Kind::Submit) => Work::Submissions,
        Some(Kind::Call) => work.max(Work::Calls),
        _ => work,
    })
}

/// See [`work_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    None,
    Calls,
    Submissions,
}

/// Makes a capture small.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let mut document = read(&arguments.file)?;
    let mut asked = Asked::new(&arguments.condition, &document)?;
    if !asked.holds(&document.to_bytes())? {
        let what = format!("{}: the condition does not hold for it", arguments.file.display());
        return Err(Failure::new(Exit::Difference, what).into());
    }
    // What is drawn over may hold the same picture already: without it the work is needed.
    let trimmed = trim(&document.to_bytes(), TrimUnit::Bytes).and_then(|file| Ok((Document::parse(&file)?, file)));
    if let Ok((trimmed, file)) = trimmed
        && asked.holds(&file)?
    {
        document = trimmed;
    }
    // A picture that nothing draws is no example of anything.
    let work = match arguments.condition {
        Condition::Hash(_) | Condition::Differs(_) => work_of(&document.to_bytes()),
        _ => Work::None,
    };
    let bar = output.with_bar(arguments.tries as u64);
    let end = Instant::now() + arguments.minutes;
    let (mut left, mut trouble) = (arguments.tries, None);
    let small = shrink_document(document, &mut left, &mut |file| {
        bar.step();
        if trouble.is_some() || Instant::now() >= end || work_of(file) < work {
            return false;
        }
        asked.holds(file).unwrap_or_else(|error| {
            trouble = Some(error);
            false
        })
    });
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    finish(&small, &arguments.output, output)?;
    Ok(Exit::Good)
}
