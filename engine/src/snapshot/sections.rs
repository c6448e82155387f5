//! The frame of a snapshot: header, checksum, sections.

use std::borrow::Cow;

use borsh::{BorshDeserialize, BorshSerialize};
use xxhash_rust::xxh3::Xxh3;

use crate::device::Machine;
use crate::error::Error;
use crate::state;

const MAGIC: [u8; 4] = *b"TGLS";
const VERSION: u32 = 1;
/// A section's bytes as they are.
const ENCODING_RAW: u32 = 0;
/// A section's bytes as one LZ4 block. 1 was a zstd frame, which no published version has written.
const ENCODING_LZ4: u32 = 2;
/// An LZ4 block decodes to at most so many times its bytes (each byte of a length adds up to 255).
const MAX_LZ4_RATIO: u64 = 255;
/// Bytes of a section once decoded; memory is split so that it stays far below.
const LIMIT: u64 = 64 << 20;
/// Sections shorter than this are never compressed.
const WORTHWHILE: usize = 64;

state! {
    struct Header { magic: [u8; 4], version: u32, machine: u32, sections: u32, length: u64, checksum: u64 }
    struct SectionHeader { kind: u32, version: u32, encoding: u32, zero: u32, decoded: u64, stored: u64 }
}

/// Bytes of either header.
const HEADER: usize = 32;
/// Offset of the checksum in a snapshot's header, in bytes.
const CHECKSUM: usize = 24;

/// A kind of section and the version of its contents that is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionKind {
    /// Its number; those from 0x100 on are the same for all machines.
    pub number: u32,
    /// Of its contents.
    pub version: u32,
    /// For people.
    pub name: &'static str,
}

impl SectionKind {
    /// The error of a section whose state a machine cannot be in.
    pub fn impossible(self) -> Error {
        broken(format!("{}: an impossible state", self.name))
    }
}

/// An error about a snapshot.
pub fn broken(what: impl Into<String>) -> Error {
    Error::Snapshot { what: what.into() }
}

/// A snapshot in the making.
#[derive(Debug)]
pub struct Writer {
    machine: Machine,
    compressed: bool,
    bytes: Vec<u8>,
    sections: u32,
}

impl Writer {
    /// An empty snapshot of a machine.
    pub fn new(machine: Machine, compressed: bool) -> Self {
        Writer { machine, compressed, bytes: vec![0; HEADER], sections: 0 }
    }

    /// Appends a section.
    pub fn section(&mut self, kind: SectionKind, contents: &impl BorshSerialize) {
        let raw = encode(contents);
        let worthwhile = self.compressed && raw.len() >= WORTHWHILE;
        let packed = worthwhile.then(|| lz4_flex::block::compress(&raw));
        // A section that does not get shorter is stored as it is.
        let packed = packed.filter(|packed| packed.len() < raw.len());
        let encoding = if packed.is_some() { ENCODING_LZ4 } else { ENCODING_RAW };
        let decoded = raw.len() as u64;
        let stored = packed.unwrap_or(raw);
        let header = SectionHeader {
            kind: kind.number,
            version: kind.version,
            encoding,
            zero: 0,
            decoded,
            stored: stored.len() as u64,
        };
        self.bytes.extend(encode(&header));
        self.bytes.extend(stored);
        self.sections += 1;
    }

    /// The snapshot.
    pub fn finish(mut self) -> Vec<u8> {
        let mut header = Header {
            magic: MAGIC,
            version: VERSION,
            machine: self.machine as u32,
            sections: self.sections,
            length: (self.bytes.len() - HEADER) as u64,
            checksum: 0,
        };
        self.bytes[..HEADER].copy_from_slice(&encode(&header));
        header.checksum = checksum(&self.bytes);
        self.bytes[..HEADER].copy_from_slice(&encode(&header));
        self.bytes
    }
}

fn encode(value: &impl BorshSerialize) -> Vec<u8> {
    // Fails only for values that no structure here has: sequences of more than 2^32 elements, and NaN.
    borsh::to_vec(value).expect("a vector takes everything")
}

/// XXH3 of everything but the place of the checksum itself.
fn checksum(snapshot: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&snapshot[..CHECKSUM]);
    hasher.update(&snapshot[HEADER..]);
    hasher.digest()
}

/// A section as it is stored in the snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    header: u32,
    version: u32,
    encoding: u32,
    decoded: u64,
    stored: &'a [u8],
}

impl Section<'_> {
    /// Decodes it as `kind`, which it must be.
    fn read<T: BorshDeserialize>(&self, kind: SectionKind) -> Result<T, Error> {
        let SectionKind { version, name, .. } = kind;
        if self.version != version {
            return Err(broken(format!("version {} of {name}, only {version} is known", self.version)));
        }
        let bytes = match self.encoding {
            ENCODING_RAW => Cow::Borrowed(self.stored),
            ENCODING_LZ4 => {
                Cow::Owned(decode_block(self.stored, self.decoded).map_err(|what| broken(format!("{name}: {what}")))?)
            }
            other => return Err(broken(format!("{name}: unknown encoding {other}"))),
        };
        if bytes.len() as u64 != self.decoded {
            return Err(broken(format!("{name}: {} bytes instead of {}", bytes.len(), self.decoded)));
        }
        borsh::from_slice(&bytes).map_err(|error| broken(format!("{name}: {error}")))
    }
}

/// The sections of a snapshot whose frame and checksum are good.
#[derive(Debug)]
pub struct Sections<'a> {
    machine: u32,
    sections: Vec<Section<'a>>,
}

impl<'a> Sections<'a> {
    /// Checks the frame.
    ///
    /// # Errors
    /// [`Error::Snapshot`].
    pub fn new(snapshot: &'a [u8]) -> Result<Self, Error> {
        let (header, body) = split::<Header>(snapshot).ok_or_else(|| broken("too short"))?;
        if header.magic != MAGIC {
            return Err(broken("it does not begin with TGLS"));
        }
        if header.version != VERSION {
            return Err(broken(format!("version {}, only {VERSION} is known", header.version)));
        }
        if header.length != body.len() as u64 {
            return Err(broken(format!("{} bytes instead of {}", body.len(), header.length)));
        }
        if header.checksum != checksum(snapshot) {
            return Err(broken("the checksum does not hold"));
        }
        let (mut sections, mut rest) = (Vec::new(), body);
        while let Some((header, after)) = split::<SectionHeader>(rest) {
            let stored = usize::try_from(header.stored).ok().and_then(|length| after.split_at_checked(length));
            let Some((stored, next)) = stored.filter(|_| header.zero == 0 && header.decoded <= LIMIT) else {
                return Err(broken(format!("section {}: bad lengths", sections.len())));
            };
            let SectionHeader { kind, version, encoding, decoded, .. } = header;
            sections.push(Section { header: kind, version, encoding, decoded, stored });
            rest = next;
        }
        if !rest.is_empty() || sections.len() != header.sections as usize {
            return Err(broken(format!("{} sections instead of {}", sections.len(), header.sections)));
        }
        Ok(Sections { machine: header.machine, sections })
    }

    /// Checks that it is `machine`'s and has no sections but those of `kinds`.
    ///
    /// # Errors
    /// [`Error::Snapshot`].
    pub fn check(&self, machine: Machine, kinds: &[SectionKind]) -> Result<(), Error> {
        if self.machine != machine as u32 {
            return Err(broken(match Machine::from_number(self.machine) {
                Some(other) => format!("of a {}, not of a {}", other.full_name(), machine.full_name()),
                None => format!("of an unknown machine {}", self.machine),
            }));
        }
        match self.sections.iter().find(|section| kinds.iter().all(|kind| kind.number != section.header)) {
            Some(section) => Err(broken(format!("unknown section {:#x}", section.header))),
            None => Ok(()),
        }
    }

    /// The one section of a kind, decoded, if there is one.
    ///
    /// # Errors
    /// [`Error::Snapshot`] when there are several, or when it does not decode.
    pub fn find<T: BorshDeserialize>(&self, kind: SectionKind) -> Result<Option<T>, Error> {
        let mut found = self.each(kind);
        let one = found.next().transpose()?;
        match found.next() {
            None => Ok(one),
            Some(_) => Err(broken(format!("{} occurs twice", kind.name))),
        }
    }

    /// As [`Self::find`], for sections that no snapshot goes without.
    ///
    /// # Errors
    /// [`Error::Snapshot`].
    pub fn get<T: BorshDeserialize>(&self, kind: SectionKind) -> Result<T, Error> {
        self.find(kind)?.ok_or_else(|| broken(format!("{} is missing", kind.name)))
    }

    /// All sections of a kind, decoded one by one.
    pub fn each<T: BorshDeserialize>(&self, kind: SectionKind) -> impl Iterator<Item = Result<T, Error>> {
        self.sections.iter().filter(move |section| section.header == kind.number).map(move |section| section.read(kind))
    }
}

/// Decodes an LZ4 block of `decoded` bytes. A header's size is accepted only as far as the block can have it.
fn decode_block(stored: &[u8], decoded: u64) -> Result<Vec<u8>, String> {
    if decoded > LIMIT.min(MAX_LZ4_RATIO.saturating_mul(stored.len() as u64)) {
        return Err(format!("{} bytes of LZ4 cannot hold {decoded}", stored.len()));
    }
    lz4_flex::block::decompress(stored, decoded as usize).map_err(|error| error.to_string())
}

/// A header and the data after it.
fn split<T: BorshDeserialize>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    Some((borsh::from_slice(header).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: SectionKind = SectionKind { number: 1, version: 3, name: "NUMBERS" };
    const TEXT: SectionKind = SectionKind { number: 2, version: 1, name: "TEXT" };

    fn snapshot(compressed: bool) -> Vec<u8> {
        let mut writer = Writer::new(Machine::Ps3, compressed);
        writer.section(NUMBERS, &vec![5u32; 1000]);
        writer.section(TEXT, &String::from("short"));
        writer.finish()
    }

    /// As [`snapshot`], changed by `f`, the checksum made to hold again.
    fn forged(f: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = snapshot(false);
        f(&mut bytes);
        let sum = checksum(&bytes);
        bytes[CHECKSUM..HEADER].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn sections_come_back() {
        for compressed in [false, true] {
            let bytes = snapshot(compressed);
            assert_eq!(bytes.len() < 1000, compressed);
            let sections = Sections::new(&bytes).unwrap();
            sections.check(Machine::Ps3, &[NUMBERS, TEXT]).unwrap();
            assert_eq!(sections.get::<Vec<u32>>(NUMBERS).unwrap(), [5; 1000]);
            assert_eq!(sections.get::<String>(TEXT).unwrap(), "short");
            assert!(sections.check(Machine::N3ds, &[NUMBERS, TEXT]).is_err());
            assert!(sections.check(Machine::Ps3, &[TEXT]).is_err());
            let newer = SectionKind { version: 4, ..NUMBERS };
            assert!(sections.get::<Vec<u32>>(newer).is_err());
            let absent = SectionKind { number: 9, ..TEXT };
            assert_eq!(sections.find::<String>(absent).unwrap(), None);
            assert!(sections.get::<String>(absent).is_err());
        }
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let bytes = snapshot(true);
        for length in 0..bytes.len() {
            assert!(Sections::new(&bytes[..length]).is_err(), "{length}");
        }
        assert!(Sections::new(&[&bytes[..], &[0]].concat()).is_err());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let sections = Sections::new(&flipped);
            assert!(sections.is_err(), "{bit}");
        }
    }

    type Change = fn(&mut Vec<u8>);

    #[test]
    fn lies_under_a_good_checksum_are_noticed() {
        const FIRST: usize = HEADER;
        let refused: [(&str, Change); 6] = [
            ("count", |b| b[12] = 3),
            ("reserved word", |b| b[FIRST + 12] = 1),
            ("length", |b| b[FIRST + 24..FIRST + 32].fill(0xFF)),
            ("decoded length", |b| b[FIRST + 16..FIRST + 24].fill(0xFF)),
            ("another length", |b| b[FIRST + 24] ^= 1),
            ("half a header", |b| {
                b.extend([0; 20]);
                let length: u64 = b[16..24].iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
                b[16..24].copy_from_slice(&(length + 20).to_le_bytes());
            }),
        ];
        for (what, change) in refused {
            assert!(Sections::new(&forged(change)).is_err(), "{what}");
        }
        for (what, change) in [
            ("encoding", (|b| b[FIRST + 8] = 7) as Change),
            ("no block", |b| b[FIRST + 8] = 2),
            ("decoded length", |b| b[FIRST + 16] ^= 1),
            ("contents", |b| b[FIRST + 32] ^= 1),
        ] {
            let bytes = forged(change);
            assert!(Sections::new(&bytes).unwrap().get::<Vec<u32>>(NUMBERS).is_err(), "{what}");
        }
    }
}
