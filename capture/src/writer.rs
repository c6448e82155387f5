//! Writing a capture, record by record.

use std::io::{self, Write};

use super::format::{ALIGNMENT, ENCODING_RAW, ENCODING_ZSTD, Expect, Hash, Header, Kind, Map, Present};
use super::meta::Meta;
use triglyph_engine::device::ObjectEntry;
use triglyph_engine::mem::{GuestAddr, GuestRange};

/// Whether payloads are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Never.
    None,
    /// zstd at this level (1 to 22), where it makes a payload shorter.
    Zstd(i32),
}

impl Default for Compression {
    fn default() -> Self {
        Compression::Zstd(3)
    }
}

/// Writes a capture to anything that takes bytes. Give it a buffered sink. It does not check that the records make
/// sense together.
#[derive(Debug)]
pub struct Writer<W: Write> {
    sink: W,
    compression: Compression,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// Payloads shorter than this are never compressed.
    const WORTHWHILE: usize = 64;

    /// Writes the file header.
    pub fn new(mut sink: W, header: Header, compression: Compression) -> io::Result<Self> {
        sink.write_all(&header.to_bytes())?;
        Ok(Writer { sink, compression, written: 16 })
    }

    /// META. It must be the first record and an object.
    pub fn meta(&mut self, meta: &Meta) -> io::Result<()> {
        self.record(Kind::Meta as u32, &[meta.to_json().as_bytes()])
    }

    /// MAP.
    pub fn map(&mut self, map: &Map) -> io::Result<()> {
        let GuestRange { start, size } = map.range;
        let fixed = Fixed::default().long(start.address).long(size).word(start.space).word(map.access.bits());
        self.record(Kind::Map as u32, &[&fixed.0])
    }

    /// MEM.
    pub fn mem(&mut self, at: GuestAddr, bytes: &[u8]) -> io::Result<()> {
        let fixed = Fixed::default().long(at.address).word(at.space).word(0);
        self.record(Kind::Mem as u32, &[&fixed.0, bytes])
    }

    /// OBJECT.
    pub fn object(&mut self, object: &ObjectEntry) -> io::Result<()> {
        let ObjectEntry { handle, class, space, base, limit } = *object;
        let fixed = Fixed::default().word(handle).word(class).word(space).word(0).long(base).long(limit);
        self.record(Kind::Object as u32, &[&fixed.0])
    }

    /// SUBMIT.
    pub fn submit(&mut self, payload: &[u8]) -> io::Result<()> {
        self.record(Kind::Submit as u32, &[payload])
    }

    /// PRESENT.
    pub fn present(&mut self, present: &Present) -> io::Result<()> {
        let Present { at, format, width, height, pitch, layout, label } = present;
        let fixed = Fixed::default().long(at.address).word(at.space).word(*format);
        let fixed = fixed.word(*width).word(*height).word(*pitch).word(*layout);
        self.record(Kind::Present as u32, &[&fixed.0, label.as_bytes()])
    }

    /// EXPECT. It must follow its PRESENT.
    pub fn expect(&mut self, expect: &Expect<'_>) -> io::Result<()> {
        let fixed = Fixed::default().word(expect.tolerance).word(expect.permille);
        self.record(Kind::Expect as u32, &[&fixed.0, &expect.png])
    }

    /// HASH.
    pub fn hash(&mut self, hash: &Hash) -> io::Result<()> {
        let GuestRange { start, size } = hash.range;
        let fixed = Fixed::default().long(start.address).word(start.space).word(0).long(size).long(hash.xxh3);
        self.record(Kind::Hash as u32, &[&fixed.0])
    }

    /// SNAPSHOT: what [`Device::snapshot`](triglyph_engine::Device::snapshot) gave.
    pub fn snapshot(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.record(Kind::Snapshot as u32, &[snapshot])
    }

    /// CALL: a call of the machine's own, as a [`CallRecorder`](triglyph_engine::device::CallRecorder) receives it.
    pub fn call(&mut self, call: &[u8]) -> io::Result<()> {
        self.record(Kind::Call as u32, &[call])
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// A record of any kind, its payload in parts.
    pub fn record(&mut self, kind: u32, parts: &[&[u8]]) -> io::Result<()> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        if let Compression::Zstd(level) = self.compression
            && length >= Self::WORTHWHILE
        {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
            encoder.set_pledged_src_size(Some(length as u64))?;
            for part in parts {
                encoder.write_all(part)?;
            }
            let packed = encoder.finish()?;
            if packed.len() < length {
                return self.stored(kind, ENCODING_ZSTD, &[&packed]);
            }
        }
        self.stored(kind, ENCODING_RAW, parts)
    }

    fn stored(&mut self, kind: u32, encoding: u32, parts: &[&[u8]]) -> io::Result<()> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        self.written += 16 + length.next_multiple_of(ALIGNMENT) as u64;
        self.sink.write_all(&Fixed::default().word(kind).word(encoding).long(length as u64).0)?;
        for part in parts {
            self.sink.write_all(part)?;
        }
        self.sink.write_all(&[0; ALIGNMENT][..length.next_multiple_of(ALIGNMENT) - length])
    }

    /// Flushes and returns the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

/// Builds the fixed part of a payload.
#[derive(Default)]
struct Fixed(Vec<u8>);

impl Fixed {
    fn word(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn long(mut self, value: u64) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }
}
