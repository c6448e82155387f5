//! Plays a capture on a device, record by record, and reports the results.
//!
//! One player goes through a capture once; make another, and a fresh device, to play it again. A [`Prepared`]
//! capture has every payload decoded in advance, so that playing it costs the device's time only.

use std::iter::Peekable;

use xxhash_rust::xxh3::Xxh3;

use super::expect::{Comparison, Expected};
use super::format::{Expect, Hash, Header, Map, Present, Record};
use super::picture::Picture;
use super::ranges::Ranges;
use super::reader::{Entry, Reader, Records};
use triglyph_engine::device::{Access, Device};
use triglyph_engine::error::Error;
use triglyph_engine::mem::GuestRange;
use triglyph_guest::machine::Machine;

/// What a player checks besides executing; what is off costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Read finished pictures.
    pub pictures: bool,
    /// Decode EXPECT records and compare the pictures with them; needs `pictures`.
    pub expectations: bool,
    /// Check HASH records.
    pub hashes: bool,
}

impl Checks {
    /// Everything.
    pub const ALL: Checks = Checks { pictures: true, expectations: true, hashes: true };
    /// Pictures only.
    pub const PICTURES: Checks = Checks { pictures: true, expectations: false, hashes: false };
    /// Nothing: a PRESENT only waits for the device.
    pub const NONE: Checks = Checks { pictures: false, expectations: false, hashes: false };

    /// The same with pictures read or not.
    pub const fn with_pictures(self, pictures: bool) -> Self {
        Checks { pictures, ..self }
    }

    /// The same with pictures compared with EXPECT records or not.
    pub const fn with_expectations(self, expectations: bool) -> Self {
        Checks { expectations, ..self }
    }

    /// The same with HASH records checked or not.
    pub const fn with_hashes(self, hashes: bool) -> Self {
        Checks { hashes, ..self }
    }
}

/// The event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A SUBMIT was handed to the device.
    Submitted {
        /// Index of the record.
        record: usize,
    },
    /// A picture is finished.
    Picture(Finished),
    /// A HASH was checked.
    Hash(Hashed),
}

/// A finished picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finished {
    /// Index of the PRESENT.
    pub record: usize,
    /// Counts the pictures of the capture from 0.
    pub index: usize,
    /// The position and layout of the picture, and the output's label.
    pub present: Present,
    /// The picture, when pictures are asked for.
    pub picture: Option<Picture>,
    /// The expected picture and the comparison, when the capture has it and it is asked for.
    pub expectation: Option<(Expected, Comparison)>,
}

/// A checked HASH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hashed {
    /// Index of the HASH.
    pub record: usize,
    /// The range, and the hash wanted.
    pub hash: Hash,
    /// The hash found.
    pub got: u64,
}

impl Hashed {
    /// Whether the bytes are the expected ones.
    pub fn ok(&self) -> bool {
        self.got == self.hash.xxh3
    }
}

/// A capture with all its payloads decoded.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    header: Header,
    entries: Vec<Entry<'a>>,
}

impl<'a> Prepared<'a> {
    /// Decodes and checks every record.
    ///
    /// # Errors
    /// The first malformed record, or the one with which the reader's total limit is exceeded.
    pub fn new(reader: &Reader<'a>) -> Result<Self, Error> {
        let (mut entries, mut total) = (Vec::new(), 0u64);
        for entry in reader.records() {
            let entry = entry?;
            total = total.saturating_add(match &entry.record {
                Record::Mem(mem) => mem.bytes.len() as u64,
                Record::Submit(payload) => payload.len() as u64,
                Record::Expect(expect) => expect.png.len() as u64,
                _ => 0,
            });
            if total > reader.limits().total {
                return Err(entry.error("the decoded capture is larger than allowed"));
            }
            entries.push(entry);
        }
        Ok(Prepared { header: reader.header(), entries })
    }

    /// The capture's header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The records.
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// How many records come before the first SUBMIT: the memory that the program begins with.
    pub fn setup_len(&self) -> usize {
        let submit = |entry: &Entry<'_>| matches!(entry.record, Record::Submit(_) | Record::Call(_));
        self.entries.iter().position(submit).unwrap_or(self.entries.len())
    }

    /// The frames, as ranges of [`entries`](Self::entries), without what comes before the first SUBMIT. A frame ends
    /// after its last PRESENT (and EXPECT), before a label comes round again. What follows the last PRESENT is
    /// in no frame.
    pub fn frames(&self) -> Vec<std::ops::Range<usize>> {
        let mut frames = Vec::new();
        let mut labels: Vec<&str> = Vec::new();
        let (mut start, mut end) = (self.setup_len(), None);
        for (at, entry) in self.entries.iter().enumerate() {
            match &entry.record {
                Record::Present(present) => {
                    if labels.contains(&present.label.as_str())
                        && let Some(end) = end
                    {
                        frames.push(start..end);
                        start = end;
                        labels.clear();
                    }
                    labels.push(&present.label);
                    end = Some(at + 1);
                }
                Record::Expect(_) => end = Some(at + 1),
                _ => {}
            }
        }
        frames.extend(end.map(|end| start.min(end)..end));
        frames
    }
}

/// One run through a capture.
#[derive(Debug)]
pub struct Player<'p, 'a> {
    header: Header,
    source: Source<'p, 'a>,
    checks: Checks,
    maps: Option<Ranges<Access>>,
    /// Whether a call of the machine's own was made, which may have mapped memory: the device knows of it.
    called: bool,
    started: bool,
    /// Whether the end waits for what was submitted.
    finishes: bool,
    done: bool,
    pictures: usize,
}

#[derive(Debug)]
enum Source<'p, 'a> {
    File(Box<Peekable<Records<'a>>>),
    Prepared(&'p [Entry<'a>]),
}

impl<'p, 'a> Player<'p, 'a> {
    /// Plays a file, decoding as it goes.
    pub fn new(reader: &Reader<'a>, checks: Checks) -> Self {
        let source = Source::File(Box::new(reader.records().peekable()));
        Self::over(reader.header(), source, checks, Some(Ranges::default()))
    }

    /// Plays a prepared capture.
    pub fn prepared(capture: &'p Prepared<'a>, checks: Checks) -> Self {
        Self::over(capture.header, Source::Prepared(&capture.entries), checks, Some(Ranges::default()))
    }

    /// Plays some records of a prepared capture on a device that has been brought that far already. A range past
    /// the end is cut.
    pub fn part(capture: &'p Prepared<'a>, range: std::ops::Range<usize>, checks: Checks) -> Self {
        let entries = capture.entries.get(range.start..).unwrap_or(&[]);
        let entries = &entries[..range.len().min(entries.len())];
        let mut player = Self::over(capture.header, Source::Prepared(entries), checks, None);
        player.started = range.start > 0;
        player
    }

    /// Leaves what was submitted since the last PRESENT to the device at the end: for parts that others follow.
    pub fn unfinished(mut self) -> Self {
        self.finishes = false;
        self
    }

    fn over(header: Header, source: Source<'p, 'a>, checks: Checks, maps: Option<Ranges<Access>>) -> Self {
        Player { header, source, checks, maps, called: false, started: false, finishes: true, done: false, pictures: 0 }
    }

    /// The mappings so far, by space and address; empty for a [`part`](Self::part).
    pub fn maps(&self) -> Vec<(GuestRange, Access)> {
        self.maps.iter().flat_map(Ranges::iter).collect()
    }

    /// Executes up to and including the next record that has something to tell. `None` at the end of the capture;
    /// the work submitted since the last PRESENT has then finished, unless it waits for bounded runs.
    ///
    /// # Errors
    /// A malformed record, or one that the device refused, by index and offset. Nothing after it is executed:
    /// further calls yield `None`.
    pub fn next(&mut self, device: &mut dyn Device) -> Result<Option<Event>, Error> {
        if self.done {
            return Ok(None);
        }
        let event = self.advance(device);
        self.done = !matches!(event, Ok(Some(_)));
        event
    }

    /// Plays to the end and ignores what there is to tell.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn run(mut self, device: &mut dyn Device) -> Result<(), Error> {
        while self.next(device)?.is_some() {}
        Ok(())
    }

    fn advance(&mut self, device: &mut dyn Device) -> Result<Option<Event>, Error> {
        if !self.started {
            self.start(device)?;
        }
        loop {
            let entry = match &mut self.source {
                Source::Prepared(entries) => match entries.split_first() {
                    Some((first, rest)) => {
                        *entries = rest;
                        Some(std::borrow::Cow::Borrowed(first))
                    }
                    None => None,
                },
                Source::File(records) => records.next().transpose()?.map(std::borrow::Cow::Owned),
            };
            let Some(entry) = entry else {
                if self.finishes {
                    finish(device);
                }
                return Ok(None);
            };
            if let Some(event) =
                self.execute(&entry, device).map_err(|error| error.at_record(entry.index, entry.offset))?
            {
                return Ok(Some(event));
            }
        }
    }

    fn start(&mut self, device: &mut dyn Device) -> Result<(), Error> {
        self.started = true;
        if device.machine() != self.header.machine {
            let [want, got] = [self.header.machine, device.machine()].map(Machine::full_name);
            return Err(Error::InvalidArgument(format!("a capture of the {want} on a device of the {got}")));
        }
        device.as_replay().set_big_endian(self.header.big_endian)
    }

    fn execute(&mut self, entry: &Entry<'_>, device: &mut dyn Device) -> Result<Option<Event>, Error> {
        match &entry.record {
            Record::Meta(_) | Record::Skipped(_) | Record::Expect(_) => {}
            &Record::Map(Map { range, access }) => {
                device.map(range, access)?;
                if let Some(maps) = &mut self.maps {
                    maps.insert(range, access);
                }
            }
            Record::Mem(mem) => {
                self.check_mapped(mem.at.range(mem.bytes.len() as u64))?;
                device.write(mem.at, &mem.bytes)?;
            }
            Record::Object(object) => device.as_replay().object(*object)?,
            Record::Snapshot(snapshot) => {
                device.restore(snapshot)?;
                if let (Some(maps), Some(restored)) = (&mut self.maps, Ranges::of_snapshot(snapshot)?) {
                    *maps = restored;
                }
            }
            Record::Call(call) => {
                self.called = true;
                device.as_replay().replay_call(call)?;
            }
            Record::Submit(payload) => {
                device.submit(payload)?;
                return Ok(Some(Event::Submitted { record: entry.index }));
            }
            Record::Present(present) => return self.finished(entry, present, device).map(Some),
            Record::Hash(hash) => {
                if self.checks.hashes {
                    self.check_mapped(hash.range)?;
                    let got = hash_memory(device, hash.range)?;
                    return Ok(Some(Event::Hash(Hashed { record: entry.index, hash: *hash, got })));
                }
            }
        }
        Ok(None)
    }

    fn check_mapped(&self, range: GuestRange) -> Result<(), Error> {
        match &self.maps {
            Some(maps) if !self.called && !maps.covers(range) => Err(Error::Unmapped(range)),
            _ => Ok(()),
        }
    }

    fn finished(&mut self, entry: &Entry<'_>, present: &Present, device: &mut dyn Device) -> Result<Event, Error> {
        finish(device);
        let index = self.pictures;
        self.pictures += 1;
        let mut finished =
            Finished { record: entry.index, index, present: present.clone(), picture: None, expectation: None };
        if self.checks.pictures {
            self.check_mapped(present.at.range(Picture::extent(present)? as u64))?;
            let picture = Picture::read(device, present, self.header.big_endian)?;
            if self.checks.expectations
                && let Some(expected) = self.following_expectation()?
            {
                let comparison = expected.compare(&picture);
                finished.expectation = Some((expected, comparison));
            }
            finished.picture = Some(picture);
        }
        Ok(Event::Picture(finished))
    }

    /// The EXPECT that belongs to the PRESENT just taken. It stays in the source and is passed over later.
    fn following_expectation(&mut self) -> Result<Option<Expected>, Error> {
        let decode = |entry: &Entry<'_>, expect: &Expect<'_>| {
            Expected::decode(expect).map(Some).map_err(|what| entry.error(what))
        };
        match &mut self.source {
            Source::Prepared(entries) => {
                let next = entries.iter().find(|entry| !matches!(entry.record, Record::Skipped(_)));
                match next.map(|entry| (entry, &entry.record)) {
                    Some((entry, Record::Expect(expect))) => decode(entry, expect),
                    _ => Ok(None),
                }
            }
            Source::File(records) => {
                let skipped =
                    |entry: &Result<Entry<'_>, Error>| matches!(entry, Ok(Entry { record: Record::Skipped(_), .. }));
                while records.next_if(skipped).is_some() {}
                match records.peek() {
                    Some(Ok(entry)) => match &entry.record {
                        Record::Expect(expect) => decode(entry, expect),
                        _ => Ok(None),
                    },
                    // A broken record is reported in its turn, after the picture.
                    _ => Ok(None),
                }
            }
        }
    }
}

/// Waits for what was submitted. A deferred device shows what it has done so far, as it did when it was recorded.
fn finish(device: &mut dyn Device) {
    if !device.is_deferred() {
        device.finish();
    }
}

/// XXH3 (64 bits) of guest memory, read piece by piece.
///
/// # Errors
/// [`Error::Unmapped`] when a byte of the range is not mapped.
pub fn hash_memory(device: &mut dyn Device, range: GuestRange) -> Result<u64, Error> {
    const PIECE: u64 = 1 << 16;
    let mut hasher = Xxh3::new();
    let mut piece = vec![0; PIECE.min(range.size) as usize];
    let mut done = 0;
    while done < range.size {
        let length = PIECE.min(range.size - done) as usize;
        device.read(range.start.after(done), &mut piece[..length])?;
        hasher.update(&piece[..length]);
        done += length as u64;
    }
    Ok(hasher.digest())
}
