//! Reading a capture: a walk over its records that borrows from the file and decodes on demand.

use std::borrow::Cow;
use std::io::Read;

use super::format::{
    ALIGNMENT, ENCODING_RAW, ENCODING_ZSTD, HEADER_SIZE, Header, KIND_SKIPPABLE, Kind, Record, long, word,
};
use triglyph_engine::error::Error;

/// How much a file may make its reader allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one decoded payload.
    pub payload: u64,
    /// Bytes of all decoded payloads of a [`Prepared`](super::Prepared) capture together.
    pub total: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

impl Limits {
    /// The default: 256 MiB a record, 2 GiB in all.
    pub const DEFAULT: Limits = Limits { payload: 256 << 20, total: 2 << 30 };

    /// The same with another limit of the bytes of one decoded payload.
    pub const fn with_payload(self, payload: u64) -> Self {
        Limits { payload, ..self }
    }

    /// The same with another limit of the bytes of all decoded payloads together.
    pub const fn with_total(self, total: u64) -> Self {
        Limits { total, ..self }
    }
}

/// A capture in memory, its header read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    header: Header,
    limits: Limits,
    file: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads the header of a capture with the default [`Limits`].
    ///
    /// # Errors
    /// [`Error::Header`] when it is none.
    pub fn new(file: &'a [u8]) -> Result<Self, Error> {
        Self::with_limits(file, Limits::default())
    }

    /// Reads the header of a capture.
    ///
    /// # Errors
    /// [`Error::Header`] when it is none.
    pub fn with_limits(file: &'a [u8], limits: Limits) -> Result<Self, Error> {
        Ok(Reader { header: Header::parse(file)?, limits, file })
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The limits that decoding keeps.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Walks the records as they are stored, without decoding payloads. The walk ends after the first error.
    pub fn raw_records(&self) -> RawRecords<'a> {
        RawRecords { file: self.file, at: HEADER_SIZE, index: 0, failed: false }
    }

    /// Walks the records, decoded and checked. The walk ends after the first error.
    pub fn records(&self) -> Records<'a> {
        Records { reader: *self, raw: self.raw_records(), order: Order::default(), failed: false }
    }
}

/// A record as it is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawRecord<'a> {
    /// Its index, counted from 0.
    pub index: usize,
    /// Offset of its header in the file, in bytes.
    pub offset: u64,
    /// Kind, known or not.
    pub kind: u32,
    /// Encoding of the payload.
    pub encoding: u32,
    /// The payload as stored.
    pub stored: &'a [u8],
}

impl<'a> RawRecord<'a> {
    /// The kind, when this version has it.
    pub fn known_kind(&self) -> Option<Kind> {
        Kind::from_number(self.kind)
    }

    /// The payload, decoded to at most `limit` bytes.
    ///
    /// # Errors
    /// [`Error::Capture`] when the encoding is unknown, the data are broken or too much would come out.
    pub fn decode(&self, limit: u64) -> Result<Cow<'a, [u8]>, Error> {
        let bytes = match self.encoding {
            ENCODING_RAW if self.stored.len() as u64 > limit => Err(too_large(limit)),
            ENCODING_RAW => Ok(Cow::Borrowed(self.stored)),
            ENCODING_ZSTD => decode_frame(self.stored, limit).map(Cow::Owned),
            other => Err(format!("unknown payload encoding {other}")),
        };
        bytes.map_err(|what| self.error(what))
    }

    /// An error about this record.
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::Capture { record: self.index, offset: self.offset, what: what.into() }
    }
}

/// See [`Reader::raw_records`].
#[derive(Clone, Debug)]
pub struct RawRecords<'a> {
    file: &'a [u8],
    at: usize,
    index: usize,
    failed: bool,
}

impl<'a> RawRecords<'a> {
    fn read(&mut self) -> Result<RawRecord<'a>, Error> {
        let (record, offset) = (self.index, self.at as u64);
        let bad = |what: String| Error::Capture { record, offset, what };
        let rest = &self.file[self.at..];
        let Some((head, body)) = rest.split_first_chunk::<HEADER_SIZE>() else {
            return Err(bad(format!("truncated: {} bytes are left, a record's header has {HEADER_SIZE}", rest.len())));
        };
        let (kind, encoding, length) = (word(head, 0), word(head, 4), long(head, 8));
        if Kind::from_number(kind).is_none() && kind & KIND_SKIPPABLE == 0 {
            return Err(bad(format!("unknown kind {kind:#x}")));
        }
        let past = || bad(format!("truncated: {length} bytes of payload and padding, {} are left", body.len()));
        let length = usize::try_from(length).map_err(|_| past())?;
        let padded = length.checked_next_multiple_of(ALIGNMENT).ok_or_else(past)?;
        if padded > body.len() {
            return Err(past());
        }
        if body[length..padded].iter().any(|byte| *byte != 0) {
            return Err(bad("the padding is not zero".to_owned()));
        }
        self.at += HEADER_SIZE + padded;
        self.index += 1;
        Ok(RawRecord { index: record, offset, kind, encoding, stored: &body[..length] })
    }
}

impl<'a> Iterator for RawRecords<'a> {
    type Item = Result<RawRecord<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.at >= self.file.len() {
            return None;
        }
        let record = self.read();
        self.failed = record.is_err();
        Some(record)
    }
}

/// A record with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// Index of the record, counted from 0.
    pub index: usize,
    /// Offset of its header in the file, in bytes.
    pub offset: u64,
    /// The record.
    pub record: Record<'a>,
}

impl Entry<'_> {
    /// An error about this record.
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::Capture { record: self.index, offset: self.offset, what: what.into() }
    }
}

/// See [`Reader::records`].
#[derive(Clone, Debug)]
pub struct Records<'a> {
    reader: Reader<'a>,
    raw: RawRecords<'a>,
    order: Order,
    failed: bool,
}

impl<'a> Records<'a> {
    fn read(&mut self, raw: RawRecord<'a>) -> Result<Entry<'a>, Error> {
        let record = match raw.known_kind() {
            None => Record::Skipped(raw.kind),
            Some(kind) => {
                self.order.check(kind).map_err(|what| raw.error(what))?;
                let payload = raw.decode(self.reader.limits.payload)?;
                Record::parse(self.reader.header.machine, kind, payload).map_err(|what| raw.error(what))?
            }
        };
        Ok(Entry { index: raw.index, offset: raw.offset, record })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let entry = self.raw.next()?.and_then(|raw| self.read(raw));
        self.failed = entry.is_err();
        Some(entry)
    }
}

/// Rules for the order of records: META first and once, EXPECT right after a PRESENT. Skipped ones do not count.
#[derive(Clone, Debug, Default)]
struct Order {
    last: Option<Kind>,
}

impl Order {
    fn check(&mut self, kind: Kind) -> Result<(), String> {
        match (kind, self.last) {
            (Kind::Meta, Some(_)) => return Err("a META that is not the first record".to_owned()),
            (Kind::Expect, last) if last != Some(Kind::Present) => {
                return Err("an EXPECT that does not follow a PRESENT".to_owned());
            }
            _ => self.last = Some(kind),
        }
        Ok(())
    }
}

fn too_large(limit: u64) -> String {
    format!("the payload is larger than the {limit} bytes allowed")
}

/// Decodes exactly one zstd frame. Memory grows with what really comes out, not with what the frame claims.
pub(crate) fn decode_frame(stored: &[u8], limit: u64) -> Result<Vec<u8>, String> {
    // Windows beyond 128 MiB (2^27) are refused by the decoder.
    const WINDOW_LOG: u32 = 27;
    let broken = |error: std::io::Error| format!("broken zstd frame: {error}");
    if !stored.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        return Err("not a zstd frame".to_owned());
    }
    match zstd::zstd_safe::find_frame_compressed_size(stored) {
        Ok(size) if size == stored.len() => {}
        Ok(size) => return Err(format!("{} bytes follow the zstd frame", stored.len().saturating_sub(size))),
        Err(code) => return Err(format!("broken zstd frame: {}", zstd::zstd_safe::get_error_name(code))),
    }
    let claimed = zstd::zstd_safe::get_frame_content_size(stored).ok().flatten();
    if claimed.is_some_and(|size| size > limit) {
        return Err(too_large(limit));
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(stored).map_err(broken)?.single_frame();
    decoder.window_log_max(WINDOW_LOG).map_err(broken)?;
    let mut bytes = Vec::new();
    decoder.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(broken)?;
    match bytes.len() as u64 > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}
