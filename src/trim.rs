//! Captures without the memory that nothing reads.
//!
//! ```text
//! MEM ─► bytes of that record ─► read before they are overwritten? ─► kept
//!                                 └─ by the interpreter, which tells what it reads, or for a PRESENT
//! ```
//! Emulators record all memory that is not zero; a frame needs a small part of it.

mod log;

use std::sync::Arc;

use log::{ReadLog, Stored};
use triglyph_capture::format::{Hash, Kind, Mem, Record};
use triglyph_capture::player::{Checks, Event, Player, Prepared};
use triglyph_capture::reader::{Limits, Reader};
use triglyph_capture::writer::{Compression, Writer};
use triglyph_engine::error::Error;
use triglyph_options::Options;

use crate::{Device, Tier, new_device};

/// In what pieces memory is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrimUnit {
    /// Pages of 4 KiB of which a byte is read.
    Pages,
    /// The bytes that are read.
    Bytes,
}

/// Bytes of a page.
const PAGE: usize = 4096;
/// Bytes between two runs that are not worth a record of their own; they are zeros.
const GAP: usize = 256;

/// A capture that leaves the same pictures and faults, without the bytes of memory that neither the GPU nor a PRESENT
/// reads before they are overwritten. It is replayed by the interpreter for that, and once more by both for
/// comparison. HASH records have the hashes of the memory as it is then; records of unknown kinds stay.
///
/// # Errors
/// A malformed record, or one that the device refuses; [`Error::Unsupported`] when the pictures or faults would differ,
/// which has been seen of none.
pub fn trim(file: &[u8], unit: TrimUnit) -> Result<Vec<u8>, Error> {
    let reader = Reader::with_limits(file, Limits::default().with_total(u64::MAX))?;
    let prepared = Prepared::new(&reader)?;
    let kept = kept(&prepared)?;
    let trimmed = written(&reader, &kept, unit, &[])?;
    let (before, after) = (Played::of(file)?, Played::of(&trimmed)?);
    if (before.pictures, before.faults) != (after.pictures, after.faults) {
        return Err(Error::Unsupported("the capture without what is not read shows something else".into()));
    }
    written(&reader, &kept, unit, &after.hashes)
}

/// Which bytes of each MEM are read, by the number of the record; empty for other records.
fn kept(capture: &Prepared<'_>) -> Result<Vec<Vec<bool>>, Error> {
    let mut device = new_device(capture.header().machine, &Options::new(Tier::InterpreterOnly, 1))?;
    let log = Arc::new(ReadLog::default());
    device.set_access_listener(log.clone());
    let entries = capture.entries();
    let mut stored = Stored::new(entries.len());
    for (record, entry) in entries.iter().enumerate() {
        let overwritten = match &entry.record {
            Record::Mem(mem) => Some(mem.at.range(mem.bytes.len() as u64)),
            Record::Map(map) => Some(map.range),
            // It would read everything.
            Record::Hash(_) => continue,
            _ => None,
        };
        // Earlier draws read the content before.
        device.read(crate::GuestAddr::new(0, 0), &mut [])?;
        if let (Some(range), Some(memory)) = (overwritten, device.recorded_memory()) {
            memory.for_each_piece(range, |piece| stored.take(piece, &log));
        }
        let checks = if matches!(entry.record, Record::Present(_)) { Checks::PICTURES } else { Checks::NONE };
        let part = Player::part(capture, record..record + 1, checks).unfinished();
        part.run(&mut *device)?;
        let Some(memory) = device.recorded_memory() else { continue };
        match &entry.record {
            Record::Map(map) => memory.for_each_piece(map.range, |piece| log.cover(piece)),
            Record::Mem(mem) => {
                let mut at = 0;
                memory.for_each_piece(mem.at.range(mem.bytes.len() as u64), |piece| {
                    log.mark_stored(piece.clone());
                    let bytes = piece.len();
                    stored.put(piece, record, at);
                    at += bytes;
                });
                stored.note_length(record, mem.bytes.len());
            }
            _ => {}
        }
    }
    device.finish();
    Ok(stored.into_kept(&log))
}

/// The capture with what is kept of its memory. `hashes` are those of its HASH records, as far as they are known.
fn written(reader: &Reader<'_>, kept: &[Vec<bool>], unit: TrimUnit, hashes: &[u64]) -> Result<Vec<u8>, Error> {
    let io = |error| Error::io("a trimmed capture", error);
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::default()).map_err(io)?;
    let mut hashes = hashes.iter();
    for (raw, kept) in reader.raw_records().zip(kept) {
        let raw = raw?;
        let payload = raw.decode(reader.limits().payload)?.into_owned();
        let record =
            Kind::from_number(raw.kind).map(|kind| Record::parse(reader.header().machine, kind, (&payload[..]).into()));
        match record {
            Some(Ok(Record::Mem(mem))) => write_kept(&mut writer, &mem, kept, unit).map_err(io)?,
            Some(Ok(Record::Hash(Hash { range, xxh3 }))) => {
                let xxh3 = hashes.next().copied().unwrap_or(xxh3);
                writer.hash(&Hash { range, xxh3 }).map_err(io)?;
            }
            _ => writer.record(raw.kind, &[&payload]).map_err(io)?,
        }
    }
    writer.finish().map_err(io)
}

/// Writes runs of bytes that are kept, each as a record.
fn write_kept(writer: &mut Writer<Vec<u8>>, mem: &Mem<'_>, kept: &[bool], unit: TrimUnit) -> std::io::Result<()> {
    let is_kept = |at: usize| kept.get(at) == Some(&true);
    let bytes = &mem.bytes;
    match unit {
        TrimUnit::Pages => {
            // Pages as the guest has them: the first of a record may begin before it.
            let before = (mem.at.address % PAGE as u64) as usize;
            let mut at = 0;
            while at < bytes.len() {
                let end = ((at + before) / PAGE * PAGE + PAGE - before).min(bytes.len());
                if (at..end).any(is_kept) {
                    writer.mem(mem.at.after(at as u64), &bytes[at..end])?;
                }
                at = end;
            }
        }
        TrimUnit::Bytes => {
            let mut at = 0;
            while let Some(start) = (at..bytes.len()).find(|&at| is_kept(at)) {
                let mut end = start + 1;
                while let Some(next) = (end..bytes.len().min(end + GAP)).find(|&at| is_kept(at)) {
                    end = next + 1;
                }
                let run: Vec<u8> = (start..end).map(|at| if is_kept(at) { bytes[at] } else { 0 }).collect();
                writer.mem(mem.at.after(start as u64), &run)?;
                at = end;
            }
        }
    }
    Ok(())
}

/// The results of a capture.
struct Played {
    pictures: Vec<Option<Vec<u8>>>,
    faults: u64,
    hashes: Vec<u64>,
}

impl Played {
    fn of(file: &[u8]) -> Result<Self, Error> {
        let reader = Reader::with_limits(file, Limits::default().with_total(u64::MAX))?;
        let mut device = new_device(reader.header().machine, &Options::new(Tier::Auto, 0))?;
        let checks = Checks::PICTURES.with_hashes(true);
        let mut player = Player::new(&reader, checks);
        let (mut pictures, mut hashes) = (Vec::new(), Vec::new());
        while let Some(event) = player.next(&mut *device)? {
            match event {
                Event::Picture(finished) => pictures.push(finished.picture.map(|picture| picture.rgba)),
                Event::Hash(hashed) => hashes.push(hashed.got),
                _ => {}
            }
        }
        Ok(Played { pictures, faults: device.faults().total(), hashes })
    }
}
