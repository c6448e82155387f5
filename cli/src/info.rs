//! `triglyph info`: the contents of a capture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use triglyph::Machine;
use triglyph::capture::{Entry, Kind, RawRecord, Reader, Record};

use crate::capture_file::{Named, expand};
use crate::exit::{Exit, is_closed_pipe};
use crate::listing::Listing;
use crate::listing::records::{access, describe, kind_name};
use crate::listing::work::{self, Work};
use crate::output::Output;

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, and folders of captures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// List every record, with the index that error messages use.
    #[arg(long)]
    records: bool,
    /// List every word of command lists and push buffers: registers (3DS) and methods by name.
    #[arg(long, conflicts_with = "records")]
    methods: bool,
}

/// Sizes of the records of a kind.
#[derive(Clone, Copy, Default, Serialize)]
struct Sizes {
    count: u64,
    stored: u64,
    decoded: u64,
}

/// One JSON line of `--records`.
#[derive(Serialize)]
struct RecordLine {
    event: &'static str,
    index: usize,
    offset: u64,
    kind: String,
    encoding: u32,
    stored: usize,
    decoded: usize,
    what: String,
}

/// What is collected on the way through the file.
#[derive(Default)]
struct Contents {
    meta: Option<Value>,
    kinds: BTreeMap<u32, Sizes>,
    maps: Vec<Value>,
    outputs: BTreeMap<String, u64>,
    commands: BTreeMap<&'static str, u64>,
    work: Vec<(usize, Work)>,
}

/// Shows every file; one that is broken does not keep the others from being shown.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let files = expand(&arguments.paths)?;
    let mut exit = Exit::Good;
    for path in &files {
        // The overview says itself whose it is.
        if files.len() > 1 && (arguments.records || arguments.methods) {
            output.line(format_args!("{}:", path.display()))?;
        }
        match show(arguments, path, output) {
            Ok(()) => {}
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(path), &error)),
        }
    }
    Ok(exit)
}

/// Shows a capture. A broken one is shown up to where it breaks.
fn show(arguments: &Arguments, path: &Path, output: &Output) -> anyhow::Result<()> {
    let bytes = Named::open(path).bytes?;
    let reader = Reader::new(&bytes)?;
    let machine = reader.header().machine;
    let mut contents = Contents::default();
    let mut listing = arguments.methods.then(|| Listing::new(machine, reader.header().big_endian));
    let mut broken = None;
    for (raw, entry) in reader.raw_records().zip(reader.records()) {
        match (raw, entry) {
            (Ok(raw), Ok(entry)) => {
                let line = contents.add(machine, &raw, &entry);
                if arguments.records {
                    output.line(&line)?;
                    output.object(&Of { file: path, line })?;
                }
                for line in listing.iter_mut().flat_map(|listing| listing.add(raw.index, &entry.record)) {
                    output.line(&line)?;
                    output.object(&Of { file: path, line })?;
                }
            }
            (Err(error), _) | (_, Err(error)) => broken = Some(error),
        }
    }
    if !arguments.records && !arguments.methods {
        contents.print(path, &reader, bytes.len(), output)?;
    }
    match broken {
        None => Ok(()),
        Some(error) => Err(error.into()),
    }
}

/// A JSON line of a file.
#[derive(Serialize)]
struct Of<'a, T> {
    file: &'a Path,
    #[serde(flatten)]
    line: T,
}

impl std::fmt::Display for RecordLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RecordLine { index, offset, kind, stored, decoded, what, .. } = self;
        write!(f, "{index:>5} {offset:#010x} {kind:<10} {stored:>9} {decoded:>9}  {what}")
    }
}

impl Contents {
    fn add(&mut self, machine: Machine, raw: &RawRecord<'_>, entry: &Entry<'_>) -> RecordLine {
        let mut decoded = raw.stored.len();
        let fixed = raw.known_kind().map_or(0, Kind::fixed_size);
        let what = describe(machine, &entry.record);
        match &entry.record {
            Record::Meta(meta) => self.meta = serde_json::from_str(&meta.to_string()).ok(),
            Record::Map(map) => self.maps.push(json!({
                "record": raw.index,
                "space": map.range.start.space,
                "address": map.range.start.address,
                "size": map.range.size,
                "access": access(map),
            })),
            Record::Mem(mem) => decoded = fixed + mem.bytes.len(),
            Record::Submit(payload) => {
                decoded = payload.len();
                let work = work::describe(machine, payload);
                *self.commands.entry(work.name).or_default() += 1;
                self.work.push((raw.index, work));
            }
            Record::Present(present) => *self.outputs.entry(present.label.clone()).or_default() += 1,
            Record::Expect(expect) => decoded = fixed + expect.png.len(),
            Record::Snapshot(payload) | Record::Call(payload) => decoded = payload.len(),
            _ => {}
        }
        let sizes = self.kinds.entry(raw.kind).or_default();
        sizes.count += 1;
        sizes.stored += raw.stored.len() as u64;
        sizes.decoded += decoded as u64;
        RecordLine {
            event: "record",
            index: raw.index,
            offset: raw.offset,
            kind: kind_name(raw.kind),
            encoding: raw.encoding,
            stored: raw.stored.len(),
            decoded,
            what,
        }
    }

    fn print(&self, path: &Path, reader: &Reader<'_>, size: usize, output: &Output) -> anyhow::Result<()> {
        let header = reader.header();
        let words: u64 = self.work.iter().map(|(_, work)| work.words).fold(0, u64::saturating_add);
        let order = if header.big_endian { "big-endian" } else { "little-endian" };
        output.line(format_args!("{}: {}, {order}, {size} bytes", path.display(), header.machine))?;
        for (key, value) in self.meta.iter().filter_map(Value::as_object).flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            output.line(format_args!("  {key}: {value}"))?;
        }
        output.line("")?;
        output.line(format_args!("{:<10} {:>7} {:>12} {:>12}", "records", "count", "stored", "decoded"))?;
        for (kind, Sizes { count, stored, decoded }) in &self.kinds {
            output.line(format_args!("{:<10} {count:>7} {stored:>12} {decoded:>12}", kind_name(*kind)))?;
        }
        output.line("")?;
        output.line("maps")?;
        for map in &self.maps {
            let number = |key: &str| map[key].as_u64().unwrap_or_default();
            let (address, size) = (number("address"), number("size"));
            let access = map["access"].as_str().unwrap_or_default();
            output.line(format_args!("  space {} {address:#x}, {size:#x} bytes, {access}", number("space")))?;
        }
        let outputs: Vec<_> = self.outputs.iter().map(|(label, count)| format!("{label} {count}")).collect();
        output.line("")?;
        output.line(format_args!("pictures: {}", outputs.join(", ")))?;
        let counts: Vec<_> = self.commands.iter().map(|(name, count)| format!("{name} {count}")).collect();
        output.line(format_args!("commands: {}; {words} words in command lists", counts.join(", ")))?;
        for (index, work) in &self.work {
            let words = if work.words > 0 { format!("  ({} words)", work.words) } else { String::new() };
            output.line(format_args!("{index:>5} {:<19} {}{words}", work.name, work.parameters))?;
        }
        let kinds: BTreeMap<_, _> = self.kinds.iter().map(|(kind, sizes)| (kind_name(*kind), sizes)).collect();
        let command = |(record, work): &(usize, Work)| {
            let Work { name, parameters, words } = work;
            json!({ "record": record, "name": name, "parameters": parameters, "words": words })
        };
        Ok(output.object(&json!({
            "event": "capture",
            "file": path,
            "machine": header.machine.name(),
            "big_endian": header.big_endian,
            "size": size,
            "meta": self.meta,
            "records": kinds,
            "maps": self.maps,
            "pictures": self.outputs,
            "words": words,
            "commands": self.work.iter().map(command).collect::<Vec<_>>(),
        }))?)
    }
}
