//! `triglyph capture diff`: the differences of two captures of a machine.
//!
//! Records of the same kind and place are compared with each other; then the words of their command lists and push
//! buffers, those that go to the same register or method with each other. A word that differs is in both: as bytes of
//! the MEM that stores it, and by name.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use triglyph::capture::{Kind, Reader, Record};
use triglyph_fuzz::Document;

use super::align::{Step, align};
use super::open;
use crate::exit::{Exit, Failure};
use crate::listing::records::{describe, kind_name};
use crate::listing::{Line, Listing};
use crate::output::Output;

/// Arguments of `capture diff`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A capture.
    #[arg(value_name = "LEFT")]
    left: PathBuf,
    /// Another one of the same machine.
    #[arg(value_name = "RIGHT")]
    right: PathBuf,
    /// Compare META, too.
    #[arg(long)]
    meta: bool,
}

/// A difference; one JSON line.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Difference {
    /// A record that one of them does not have.
    OnlyIn { side: Side, record: usize, kind: String, what: String },
    /// Records with different contents.
    Record { left: usize, right: usize, kind: String, left_what: String, right_what: String },
    /// Bytes of records that are alike otherwise.
    Bytes {
        left: usize,
        right: usize,
        kind: String,
        place: String,
        count: usize,
        left_bytes: String,
        right_bytes: String,
    },
    /// A word of a command list or push buffer.
    Command { left: usize, right: usize, left_word: Word, right_word: Word },
    /// A word that one of them does not have.
    CommandOnlyIn { side: Side, record: usize, word: Word },
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Side {
    Left,
    Right,
}

#[derive(Serialize)]
struct Word {
    address: u64,
    class: String,
    method: String,
    value: u32,
    fields: String,
}

impl From<&Line> for Word {
    fn from(line: &Line) -> Self {
        let Line { address, class, method, value, fields, .. } = line;
        let [class, method, fields] = [class, method, fields].map(Clone::clone);
        Word { address: *address, class, method, value: *value, fields }
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Word { address, class, method, value, fields } = self;
        let comma = if fields.is_empty() { "" } else { "  " };
        write!(f, "{address:#010x} {class} {method} {value:#010x}{comma}{fields}")
    }
}

impl Difference {
    /// One line, or one for each side.
    fn lines(&self) -> Vec<String> {
        let sign = |side: &Side| match side {
            Side::Left => '-',
            Side::Right => '+',
        };
        match self {
            Difference::OnlyIn { side, record, kind, what } => {
                vec![format!("{} {record:>5} {kind} {what}", sign(side))]
            }
            Difference::Record { left, right, kind, left_what, right_what } => {
                vec![format!("- {left:>5} {kind} {left_what}"), format!("+ {right:>5} {kind} {right_what}")]
            }
            Difference::Bytes { left, right, kind, place, count, left_bytes, right_bytes } => {
                let records = if left == right { left.to_string() } else { format!("{left}/{right}") };
                vec![format!("! {records:>5} {kind} {place}: {count} bytes, {left_bytes} / {right_bytes}")]
            }
            Difference::Command { left, right, left_word, right_word } => {
                vec![format!("- {left:>5} {left_word}"), format!("+ {right:>5} {right_word}")]
            }
            Difference::CommandOnlyIn { side, record, word } => vec![format!("{} {record:>5} {word}", sign(side))],
        }
    }
}

/// The last JSON line.
#[derive(Default, Serialize)]
struct Summary {
    event: &'static str,
    records: usize,
    commands: usize,
    bytes: usize,
    header: bool,
}

/// Compares.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let side = |path: &Path| {
        let file = open(path)?;
        Capture::new(&file, arguments.meta).with_context(|| path.display().to_string())
    };
    let sides = [side(&arguments.left)?, side(&arguments.right)?];
    let headers = sides.each_ref().map(|side| side.document.header);
    if headers[0].machine != headers[1].machine {
        let [left, right] = headers.map(|header| header.machine.full_name());
        let what = format!("a capture of the {left} and one of the {right}");
        return Err(Failure::file(what).into());
    }
    let mut summary = Summary { event: "summary", header: headers[0] != headers[1], ..Summary::default() };
    if summary.header {
        output.line("the byte order of words differs")?;
    }
    for difference in differences(&sides[0], &sides[1]) {
        match &difference {
            Difference::OnlyIn { .. } | Difference::Record { .. } => summary.records += 1,
            Difference::Bytes { count, .. } => summary.bytes += count,
            Difference::Command { .. } | Difference::CommandOnlyIn { .. } => summary.commands += 1,
        }
        difference.lines().iter().try_for_each(|line| output.line(line))?;
        output.object(&difference)?;
    }
    let Summary { records, commands, bytes, header, .. } = summary;
    let same = records + commands + bytes == 0 && !header;
    output.line(match same {
        true => "no difference".to_owned(),
        false => format!("{records} records, {bytes} bytes of others and {commands} words of commands differ"),
    })?;
    output.object(&summary)?;
    Ok(if same { Exit::Good } else { Exit::Difference })
}

/// A capture, and what its submissions consist of.
struct Capture {
    document: Document,
    /// Indices of the records that are compared.
    compared: Vec<usize>,
    /// The words of each of them.
    lines: Vec<Vec<Line>>,
}

impl Capture {
    fn new(file: &[u8], meta: bool) -> anyhow::Result<Self> {
        let reader = Reader::new(file)?;
        let document = Document::parse(file)?;
        let mut listing = Listing::new(document.header.machine, document.header.big_endian);
        let (mut compared, mut lines) = (Vec::new(), Vec::new());
        for entry in reader.records() {
            let entry = entry?;
            let words = listing.add(entry.index, &entry.record);
            if meta || !matches!(entry.record, Record::Meta(_)) {
                compared.push(entry.index);
                lines.push(words);
            }
        }
        Ok(Capture { document, compared, lines })
    }

    /// What records of the two sides are paired by.
    fn key(&self, record: usize) -> (u32, String) {
        let block = &self.document.blocks[record];
        let machine = self.document.header.machine;
        let place = match self.document.record(record) {
            Some(Record::Mem(mem)) => mem.at.range(mem.bytes.len() as u64).to_string(),
            Some(Record::Map(map)) => map.range.to_string(),
            Some(Record::Submit(payload)) => crate::listing::work::describe(machine, &payload).name.to_owned(),
            Some(Record::Present(present)) => present.label,
            _ => String::new(),
        };
        (block.kind, place)
    }

    fn what(&self, record: usize) -> String {
        let machine = self.document.header.machine;
        self.document.record(record).map_or_else(String::new, |record| describe(machine, &record))
    }
}

fn differences(left: &Capture, right: &Capture) -> Vec<Difference> {
    let [left_keys, right_keys] =
        [left, right].map(|side| side.compared.iter().map(|record| side.key(*record)).collect::<Vec<_>>());
    let mut found = Vec::new();
    for step in align(&left_keys, &right_keys) {
        match step {
            Step::Both(a, b) => {
                records(left, right, left.compared[a], right.compared[b], &mut found);
                let ids = [left.compared[a], right.compared[b]];
                commands(&left.lines[a], &right.lines[b], ids, &mut found);
            }
            Step::Left(at) => found.push(only_in(Side::Left, left, left.compared[at])),
            Step::Right(at) => found.push(only_in(Side::Right, right, right.compared[at])),
        }
    }
    found
}

fn only_in(side: Side, capture: &Capture, record: usize) -> Difference {
    let kind = kind_name(capture.document.blocks[record].kind);
    Difference::OnlyIn { side, record, kind, what: capture.what(record) }
}

/// Compares two records of one kind.
fn records(left: &Capture, right: &Capture, a: usize, b: usize, found: &mut Vec<Difference>) {
    let blocks = [&left.document.blocks[a], &right.document.blocks[b]];
    if blocks[0] == blocks[1] {
        return;
    }
    let kind = kind_name(blocks[0].kind);
    let whats = [left.what(a), right.what(b)];
    if let (Some(Record::Mem(x)), Some(Record::Mem(y))) = (left.document.record(a), right.document.record(b))
        && (x.at, x.bytes.len()) == (y.at, y.bytes.len())
    {
        for run in runs(&x.bytes, &y.bytes) {
            let place = x.at.after(run.start as u64).range(run.len() as u64).to_string();
            found.push(bytes([a, b], &kind, place, &x.bytes[run.clone()], &y.bytes[run]));
        }
        return;
    }
    // Bytes of pictures and snapshots, which are packed, say nothing.
    let has_words = [Kind::Submit as u32, Kind::Call as u32].contains(&blocks[0].kind);
    if !has_words || whats[0] != whats[1] || blocks[0].payload.len() != blocks[1].payload.len() {
        let [left_what, right_what] = whats;
        found.push(Difference::Record { left: a, right: b, kind, left_what, right_what });
        return;
    }
    for run in runs(&blocks[0].payload, &blocks[1].payload) {
        let place = format!("payload byte {:#x}", run.start);
        found.push(bytes([a, b], &kind, place, &blocks[0].payload[run.clone()], &blocks[1].payload[run]));
    }
}

fn bytes(records: [usize; 2], kind: &str, place: String, x: &[u8], y: &[u8]) -> Difference {
    const SHOWN: usize = 16;
    let hex = |bytes: &[u8]| {
        let more = if bytes.len() > SHOWN { ".." } else { "" };
        bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect::<String>() + more
    };
    let count = x.iter().zip(y).filter(|(x, y)| x != y).count();
    let [left, right] = records;
    Difference::Bytes { left, right, kind: kind.to_owned(), place, count, left_bytes: hex(x), right_bytes: hex(y) }
}

/// Where bytes differ: in words, and those that are near each other as one. Where nearly everything differs it is one.
fn runs(x: &[u8], y: &[u8]) -> Vec<std::ops::Range<usize>> {
    const NEAR: usize = 32;
    const MAX_RUNS: usize = 64;
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..x.len()).step_by(4) {
        let end = (at + 4).min(x.len());
        if x[at..end] == y[at..end] {
            continue;
        }
        match runs.last_mut() {
            Some(last) if at - last.end <= NEAR => last.end = end,
            _ => runs.push(at..end),
        }
    }
    match runs[..] {
        [ref first, .., ref last] if runs.len() > MAX_RUNS => std::iter::once(first.start..last.end).collect(),
        _ => runs,
    }
}

/// Compares the words of two submissions.
fn commands(left: &[Line], right: &[Line], records: [usize; 2], found: &mut Vec<Difference>) {
    let [left_keys, right_keys] =
        [left, right].map(|lines| lines.iter().map(|line| (&line.class, &line.method)).collect::<Vec<_>>());
    for step in align(&left_keys, &right_keys) {
        found.extend(match step {
            Step::Both(a, b) if left[a].value == right[b].value => None,
            Step::Both(a, b) => {
                let [left_word, right_word] = [&left[a], &right[b]].map(Word::from);
                Some(Difference::Command { left: records[0], right: records[1], left_word, right_word })
            }
            Step::Left(at) => {
                Some(Difference::CommandOnlyIn { side: Side::Left, record: records[0], word: (&left[at]).into() })
            }
            Step::Right(at) => {
                Some(Difference::CommandOnlyIn { side: Side::Right, record: records[1], word: (&right[at]).into() })
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_differ_near_each_other_are_one_run() {
        let mut other = [0; 200];
        (other[5], other[20], other[120]) = (1, 1, 1);
        assert_eq!(runs(&[0; 200], &other), [4..24, 120..124]);
        assert_eq!(runs(&[0; 200], &[0; 200]), []);
        assert_eq!(runs(&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6]), vec![4..5]);
        let all: Vec<u8> = (0..100 * 64).map(|at| u8::from(at % 64 == 1)).collect();
        assert_eq!(runs(&all, &[0; 100 * 64]), vec![0..99 * 64 + 4]);
    }
}
