//! `triglyph capture cut`: makes a capture of a part of another one.
//!
//! What is before the part is replayed; memory and registers as they are then begin the new capture, in the form that
//! recordings which begin mid-run have. The records of the part follow as they were.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use triglyph::capture::{
    Checks, Compression, Kind, Limits, Meta, Player, Prepared, Reader, RecordingDevice, TrimUnit, trim,
};
use triglyph_fuzz::Document;

use super::{finish, meta, read};
use crate::exit::{Exit, Failure};
use crate::machine::SetupArguments;
use crate::output::Output;
use crate::range::{self, NumberRange};

/// What `--records` counts.
const RECORDS: &str = "The records, by the index that `info --records` shows";

/// What `--events` counts.
const EVENTS: &str = "The events: GX commands (3DS), segments of push buffers (PS3), GPFIFO entries (Tegra X1), \
                      with the records up to the next event";

/// Arguments of `capture cut`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("part").required(true))]
pub struct Arguments {
    /// The capture.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "A..B", group = "part", help = range::help(RECORDS))]
    records: Option<NumberRange>,
    #[arg(long, value_name = "A..B", group = "part", help = range::help(EVENTS))]
    events: Option<NumberRange>,
    /// Keep only the memory that is read: bytes, or pages of 4 KiB. The interpreter replays the part to find it.
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "bytes")]
    trim: Option<Unit>,
    /// The new capture.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    setup: SetupArguments,
}

/// In what pieces memory is kept.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Unit {
    /// Pages of 4 KiB.
    Pages,
    /// Bytes.
    Bytes,
}

impl From<Unit> for TrimUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Pages => TrimUnit::Pages,
            Unit::Bytes => TrimUnit::Bytes,
        }
    }
}

/// Cuts.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let mut document = read(&arguments.file)?;
    let part = match (arguments.records, arguments.events) {
        (Some(records), _) => records.within(document.blocks.len()).map(|range| (range, records, "records")),
        (_, Some(events)) => split(&mut document, events).map(|range| (range, events, "events")),
        (None, None) => None,
    };
    let Some((range, asked, unit)) = part else {
        return Err(Failure::usage(format!("{}: nothing is in that range", arguments.file.display())).into());
    };
    let mut cut = start(&document, range.start, arguments.setup)?;
    cut.blocks.extend(rest(&document, range).iter().cloned());
    if let Some(unit) = arguments.trim {
        cut = Document::parse(&trim(&cut.to_bytes(), unit.into())?)?;
    }
    let mut facts = meta(&cut);
    facts.insert("cut".to_owned(), serde_json::json!({ unit: asked.to_string() }));
    cut.blocks[0].payload = serde_json::to_vec_pretty(&facts)?;
    finish(&cut, &arguments.output, output)?;
    Ok(Exit::Good)
}

/// A capture of the state before a record.
fn start(document: &Document, at: usize, setup: SetupArguments) -> anyhow::Result<Document> {
    let before = Document { header: document.header, blocks: document.blocks[..at].to_vec() }.to_bytes();
    let reader = Reader::with_limits(&before, Limits::default().with_total(u64::MAX))?;
    let device = setup.setup().device_with_keys(document.header.machine, None)?;
    let mut device = RecordingDevice::new(device);
    Player::prepared(&Prepared::new(&reader)?, Checks::NONE).run(&mut device)?;
    let facts = Meta::from_json(&serde_json::to_string(&meta(document))?).map_err(anyhow::Error::msg)?;
    device.start(Vec::new(), Compression::None, facts)?;
    // What was recorded is in memory, so that there always is something.
    Ok(Document::parse(&device.stop()?.unwrap_or_default())?)
}

/// The records of the part, without a META, and without an EXPECT whose PRESENT is not there.
fn rest(document: &Document, range: Range<usize>) -> &[triglyph_fuzz::document::Block] {
    let blocks = &document.blocks[range];
    let belongs = |kind: u32| kind == Kind::Meta as u32 || kind == Kind::Expect as u32;
    let first = blocks.iter().position(|block| !belongs(block.kind)).unwrap_or(blocks.len());
    &blocks[first..]
}

/// The records of some events. Submissions that have events inside and outside of the range become two.
fn split(document: &mut Document, events: NumberRange) -> Option<Range<usize>> {
    let (head, size) = document.entry_form();
    let count = |payload: &[u8]| payload.len().saturating_sub(head) / size;
    let submits = document.blocks.iter().filter(|block| block.kind == Kind::Submit as u32);
    let total = submits.map(|block| count(&block.payload)).sum();
    let range = events.within(total)?;
    let start = split_before(document, range.start, head, size);
    let end = split_before(document, range.end, head, size);
    Some(start..end)
}

/// The record with which an event begins, or the end. A submission with events before it becomes two.
fn split_before(document: &mut Document, event: usize, head: usize, size: usize) -> usize {
    let mut first = 0;
    for at in 0..document.blocks.len() {
        let block = &mut document.blocks[at];
        if block.kind != Kind::Submit as u32 {
            continue;
        }
        let events = block.payload.len().saturating_sub(head) / size;
        if event == first {
            return at;
        }
        if event < first + events {
            let mut second = block.clone();
            let kept = head + (event - first) * size;
            second.payload.drain(head..kept);
            block.payload.truncate(kept);
            document.blocks.insert(at + 1, second);
            return at + 1;
        }
        first += events;
    }
    document.blocks.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::Machine;

    #[test]
    fn submissions_are_split_at_events() {
        let mut document = Document::new(Machine::TegraX1);
        document.push_map(0, 0x1000, 0x1000, 3);
        let submit = |entries: &[u8]| {
            let entries = entries.iter().flat_map(|byte| [*byte; 8]);
            [7; 8].into_iter().chain(entries).collect::<Vec<u8>>()
        };
        document.push(Kind::Submit as u32, submit(&[1, 2, 3]));
        document.push(Kind::Submit as u32, submit(&[4]));
        document.push_mem(0, 0x1000, &[5]);
        document.push(Kind::Submit as u32, submit(&[5, 6]));
        let range = split(&mut document, "1..5".parse().unwrap()).unwrap();
        let payloads: Vec<Vec<u8>> =
            document.blocks[range].iter().filter(|b| b.kind == 5).map(|b| b.payload.clone()).collect();
        assert_eq!(payloads, [submit(&[2, 3]), submit(&[4]), submit(&[5])]);
        assert_eq!(split(&mut document, "6..".parse().unwrap()), None);
    }
}
