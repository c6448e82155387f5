//! The bytes of a capture: header, record kinds, and the typed form of every record.
//!
//! All integers are little-endian. Parsing here handles one payload at a time; the reader checks the order of records.

use std::borrow::Cow;
use triglyph_guest::listed;

use super::meta::Meta;
use triglyph_engine::device::{Access, Machine, ObjectEntry};
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange};

/// The first four bytes of a file.
pub const MAGIC: [u8; 4] = *b"TGLC";
/// The version read and written here.
pub const VERSION: u32 = 1;
/// Bytes of the file header, and of the header of each record.
pub const HEADER_SIZE: usize = 16;
/// Records start at multiples of this.
pub const ALIGNMENT: usize = 8;
/// Header flag: guest words in memory are big-endian.
pub const FLAG_BIG_ENDIAN: u32 = 1;
/// A kind with this bit may be skipped by a reader that does not know it.
pub const KIND_SKIPPABLE: u32 = 1 << 31;
/// Payload encoding: as it is.
pub const ENCODING_RAW: u32 = 0;
/// Payload encoding: one zstd frame.
pub const ENCODING_ZSTD: u32 = 1;

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The machine of the commands.
    pub machine: Machine,
    /// Guest words in memory are big-endian.
    pub big_endian: bool,
}

impl Header {
    /// A header of a little-endian capture.
    pub const fn new(machine: Machine) -> Self {
        Header { machine, big_endian: false }
    }

    /// Reads the first [`HEADER_SIZE`] bytes of a file.
    ///
    /// # Errors
    /// [`Error::Header`] when they are no header of this version.
    pub fn parse(file: &[u8]) -> Result<Self, Error> {
        let bad = |what: String| Err(Error::Header { what });
        let Some(bytes) = file.first_chunk::<HEADER_SIZE>() else {
            return bad(format!("it ends at offset {:#x}, a header has {HEADER_SIZE} bytes", file.len()));
        };
        if bytes[..4] != MAGIC {
            return bad("no TGLC at offset 0x0".to_owned());
        }
        let (version, machine, flags) = (word(bytes, 4), word(bytes, 8), word(bytes, 12));
        if version != VERSION {
            return bad(format!("version {version} at offset 0x4, only {VERSION} is known"));
        }
        let Some(machine) = Machine::from_number(machine) else {
            return bad(format!("unknown machine {machine} at offset 0x8"));
        };
        if flags & !FLAG_BIG_ENDIAN != 0 {
            return bad(format!("unknown flags {flags:#x} at offset 0xc"));
        }
        Ok(Header { machine, big_endian: flags & FLAG_BIG_ENDIAN != 0 })
    }

    /// The header as bytes.
    pub fn to_bytes(self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..12].copy_from_slice(&(self.machine as u32).to_le_bytes());
        bytes[12..].copy_from_slice(&(if self.big_endian { FLAG_BIG_ENDIAN } else { 0 }).to_le_bytes());
        bytes
    }
}

listed! {
    /// The record kinds of version 1, and its extensions, which a reader may skip.
    #[derive(PartialOrd, Ord)]
    pub enum Kind: u32 {
        /// Facts about the capture, JSON.
        Meta = 1,
        /// Declares memory.
        Map = 2,
        /// Stores bytes.
        Mem = 3,
        /// Enters an RSX object.
        Object = 4,
        /// Work for the GPU.
        Submit = 5,
        /// A picture is finished.
        Present = 6,
        /// The expected picture.
        Expect = 7,
        /// The expected hash of memory.
        Hash = 8,
        /// The state of the device; an extension.
        Snapshot = KIND_SKIPPABLE | 1,
        /// A call of the machine's own; an extension.
        Call = KIND_SKIPPABLE | 2,
    }
}

impl Kind {
    /// The name that the documentation uses.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Meta => "META",
            Kind::Map => "MAP",
            Kind::Mem => "MEM",
            Kind::Object => "OBJECT",
            Kind::Submit => "SUBMIT",
            Kind::Present => "PRESENT",
            Kind::Expect => "EXPECT",
            Kind::Hash => "HASH",
            Kind::Snapshot => "SNAPSHOT",
            Kind::Call => "CALL",
        }
    }

    /// Bytes before the part of variable length.
    pub const fn fixed_size(self) -> usize {
        match self {
            Kind::Meta | Kind::Submit | Kind::Snapshot | Kind::Call => 0,
            Kind::Expect => 8,
            Kind::Mem => 16,
            Kind::Map => 24,
            Kind::Object | Kind::Present | Kind::Hash => 32,
        }
    }
}

/// A payload without its fixed part, borrowed from the file or decoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes<'a> {
    payload: Cow<'a, [u8]>,
    start: usize,
}

impl<'a> Bytes<'a> {
    /// `payload` from `start` on; `start` past the end leaves nothing.
    pub fn new(payload: Cow<'a, [u8]>, start: usize) -> Self {
        Bytes { start: start.min(payload.len()), payload }
    }
}

impl std::ops::Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.payload[self.start..]
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Bytes::new(Cow::Borrowed(bytes), 0)
    }
}

impl std::fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}

/// MAP: a range of memory, zero-filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// Where; at least one byte.
    pub range: GuestRange,
    /// The GPU's access rights.
    pub access: Access,
}

/// MEM: bytes to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mem<'a> {
    /// Where the first goes.
    pub at: GuestAddr,
    /// The bytes.
    pub bytes: Bytes<'a>,
}

/// PRESENT: a finished picture is in guest memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Present {
    /// Its first byte.
    pub at: GuestAddr,
    /// Pixel format, 1 to 10; see [`crate::picture::Format`].
    pub format: u32,
    /// Pixels from left to right as a person sees it.
    pub width: u32,
    /// Pixels from top to bottom as a person sees it.
    pub height: u32,
    /// Bytes from one stored row (or stored column) to the next.
    pub pitch: u32,
    /// How pixels are arranged, 0 to 6 and parameters; see [`crate::picture::Layout`].
    pub layout: u32,
    /// The output: `top`, `top-right`, `bottom`, `main`.
    pub label: String,
}

/// EXPECT: what the picture before it should look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect<'a> {
    /// Largest difference allowed per channel, in 8-bit steps.
    pub tolerance: u32,
    /// How many pixels in a thousand may exceed it.
    pub permille: u32,
    /// The picture, a PNG file.
    pub png: Bytes<'a>,
}

/// HASH: what a range should hash to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// The range.
    pub range: GuestRange,
    /// XXH3, 64 bits, seed 0.
    pub xxh3: u64,
}

/// A record, its payload decoded and taken apart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record<'a> {
    /// Facts about the capture; always a JSON object.
    Meta(Meta),
    /// Declares memory.
    Map(Map),
    /// Stores bytes.
    Mem(Mem<'a>),
    /// Enters an RSX object.
    Object(ObjectEntry),
    /// Work for the GPU, in the machine's form.
    Submit(Bytes<'a>),
    /// A picture is finished.
    Present(Present),
    /// The expected picture.
    Expect(Expect<'a>),
    /// The expected hash of memory.
    Hash(Hash),
    /// The state that the device takes over; see [`triglyph_engine::snapshot`].
    Snapshot(Bytes<'a>),
    /// A call of the machine's own, in its encoding.
    Call(Bytes<'a>),
    /// A kind that is not known and may be skipped.
    Skipped(u32),
}

impl<'a> Record<'a> {
    /// Takes apart the decoded payload of a record of `kind`. The error says what is wrong with it.
    pub fn parse(machine: Machine, kind: Kind, payload: Cow<'a, [u8]>) -> Result<Self, String> {
        let fixed = kind.fixed_size();
        if payload.len() < fixed {
            return Err(format!(
                "the payload of {} bytes is shorter than the {fixed} of its fixed part",
                payload.len()
            ));
        }
        let p = &payload[..];
        let record = match kind {
            Kind::Meta => Record::Meta(Meta::from_json(text(p, "META")?)?),
            Kind::Map => {
                let range = check_range(machine, GuestRange::new(word(p, 16), long(p, 0), long(p, 8)))?;
                if range.size == 0 {
                    return Err("a MAP of size 0".to_owned());
                }
                Record::Map(Map { range, access: Access::from_bits(word(p, 20)) })
            }
            Kind::Mem => {
                check_zero(word(p, 12))?;
                let at = GuestAddr::new(word(p, 8), long(p, 0));
                let bytes = Bytes::new(payload, fixed);
                check_range(machine, at.range(bytes.len() as u64))?;
                Record::Mem(Mem { at, bytes })
            }
            Kind::Object => {
                if machine != Machine::Ps3 {
                    return Err(format!("an OBJECT in a capture of the {}", machine.full_name()));
                }
                check_zero(word(p, 12))?;
                Record::Object(ObjectEntry {
                    handle: word(p, 0),
                    class: word(p, 4),
                    space: check_space(machine, word(p, 8))?,
                    base: long(p, 16),
                    limit: long(p, 24),
                })
            }
            Kind::Submit => {
                check_submit(machine, p)?;
                Record::Submit(Bytes::new(payload, 0))
            }
            Kind::Present => Record::Present(Present {
                at: GuestAddr::new(check_space(machine, word(p, 8))?, long(p, 0)),
                format: word(p, 12),
                width: word(p, 16),
                height: word(p, 20),
                pitch: word(p, 24),
                layout: word(p, 28),
                label: text(&p[fixed..], "the label")?.to_owned(),
            }),
            Kind::Expect => {
                Record::Expect(Expect { tolerance: word(p, 0), permille: word(p, 4), png: Bytes::new(payload, fixed) })
            }
            Kind::Hash => {
                check_zero(word(p, 12))?;
                let range = check_range(machine, GuestRange::new(word(p, 8), long(p, 0), long(p, 16)))?;
                Record::Hash(Hash { range, xxh3: long(p, 24) })
            }
            Kind::Snapshot => Record::Snapshot(Bytes::new(payload, 0)),
            Kind::Call => Record::Call(Bytes::new(payload, 0)),
        };
        Ok(record)
    }
}

fn check_submit(machine: Machine, payload: &[u8]) -> Result<(), String> {
    let fits = match machine {
        Machine::N3ds => payload.len() == 32,
        Machine::Ps3 => payload.len() >= 8 && (payload.len() - 8).is_multiple_of(16),
        Machine::TegraX1 => payload.len() >= 8 && payload.len().is_multiple_of(8),
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err(format!("{} bytes are no SUBMIT of the {}", payload.len(), machine.full_name())),
    }
}

fn check_space(machine: Machine, space: u32) -> Result<u32, String> {
    match space < machine.host_spaces() {
        true => Ok(space),
        false => Err(format!("the {} has no space {space}", machine.full_name())),
    }
}

fn check_range(machine: Machine, range: GuestRange) -> Result<GuestRange, String> {
    let GuestRange { start: GuestAddr { space, address }, size } = range;
    match address.checked_add(size) {
        Some(_) => check_space(machine, space).map(|_| range),
        None => Err(format!("{size:#x} bytes at {address:#x} end past the last address")),
    }
}

fn check_zero(reserved: u32) -> Result<(), String> {
    match reserved {
        0 => Ok(()),
        other => Err(format!("a reserved word is {other:#x}, not 0")),
    }
}

fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("{what} is not UTF-8: {error}"))
}

/// The `u32` at `offset`; 0 where there is none.
pub(crate) fn word(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// The `u64` at `offset`; 0 where there is none.
pub(crate) fn long(bytes: &[u8], offset: usize) -> u64 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}
