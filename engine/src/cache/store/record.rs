//! The bytes of a file of keys; all numbers little-endian, records on multiples of 8.
//!
//! ```text
//! file    0  8 "TRIGKEYS"      8  8 version      16  records
//! record  0  4 "KEY\n"         4  4 bytes of the payload
//!         8  8 xxh3-64 of everything behind it, padding included
//!        16  1 kind           17  7 zero         24  payload, padded with zeros to a multiple of 8
//! ```

use xxhash_rust::xxh3::xxh3_64;

/// What a file begins with.
pub const MAGIC: [u8; 8] = *b"TRIGKEYS";

/// The form of the file, and what the fields of keys mean: one more with every change of either.
const FORM: u32 = 2;

/// A hash of how keys are encoded. A test takes it from samples of all kinds and says what it has to be, so nobody can
/// change a key's fields and forget the version.
pub const ENCODING: u32 = 0xf106_1390;

/// Version of a file: `FORM` and `ENCODING`.
pub const VERSION: u64 = (ENCODING as u64) << 32 | FORM as u64;

/// Bytes before the first record.
pub const FILE_HEADER: usize = 16;

/// What a record begins with.
const MARK: [u8; 4] = *b"KEY\n";

/// Bytes of a record before its payload.
pub const RECORD_HEADER: usize = 24;

/// Longest payload: no program comes near.
pub const LARGEST: usize = 8 << 20;

/// Kind of a record that says how often a key was used: payload hash (16 bytes), times (8 bytes).
pub const USES: u8 = 0;

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyKind {
    /// 3DS vertex programs.
    Vertex = 1,
    /// 3DS geometry programs.
    Geometry = 2,
    /// 3DS pixels.
    Pixel = 3,
    /// Fills, copies, conversions.
    Transfer = 4,
    /// Vertex programs of the machines whose stages are all programs.
    ProgramVertex = 5,
    /// Fragment programs of those.
    Fragment = 6,
    /// Macros.
    Macro = 7,
    /// Maxwell programs other than fragments.
    Shader = 8,
    /// Packets of push buffers.
    Sequence = 9,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [KeyKind; 9] = [
        KeyKind::Vertex,
        KeyKind::Geometry,
        KeyKind::Pixel,
        KeyKind::Transfer,
        KeyKind::ProgramVertex,
        KeyKind::Fragment,
        KeyKind::Macro,
        KeyKind::Shader,
        KeyKind::Sequence,
    ];

    /// Its name in listings.
    pub const fn name(self) -> &'static str {
        match self {
            KeyKind::Vertex => "vertex",
            KeyKind::Geometry => "geometry",
            KeyKind::Pixel => "pixel",
            KeyKind::Transfer => "transfer",
            KeyKind::ProgramVertex => "program-vertex",
            KeyKind::Fragment => "fragment",
            KeyKind::Macro => "macro",
            KeyKind::Shader => "shader",
            KeyKind::Sequence => "sequence",
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<KeyKind> {
        KeyKind::ALL.into_iter().find(|&kind| kind as u8 == byte)
    }
}

/// The header of a new file.
pub fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..16].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// Appends a record to `bytes`. Payloads above [`LARGEST`] are not stored.
pub fn push(bytes: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    if payload.len() > LARGEST {
        return;
    }
    let start = bytes.len();
    bytes.extend(MARK);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend([kind, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(payload);
    bytes.resize(start + (bytes.len() - start).next_multiple_of(8), 0);
    let checksum = checksum(&bytes[start..]);
    bytes[start + 8..start + 16].copy_from_slice(&checksum.to_le_bytes());
}

/// What stands at the beginning of `bytes`.
pub enum Parsed<'a> {
    /// A record of this kind and payload, and its bytes.
    Record(u8, &'a [u8], usize),
    /// No record begins here.
    Nothing,
    /// One begins, but what follows is not it: cut off or damaged.
    Damaged,
}

/// Reads the record at the beginning of `bytes`.
pub fn parse(bytes: &[u8]) -> Parsed<'_> {
    if !bytes.starts_with(&MARK) {
        return Parsed::Nothing;
    }
    let Some(header) = bytes.first_chunk::<RECORD_HEADER>() else { return Parsed::Damaged };
    let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
    let size = RECORD_HEADER + length.min(LARGEST).next_multiple_of(8);
    let Some(record) = bytes.get(..size).filter(|_| length <= LARGEST) else { return Parsed::Damaged };
    if header[8..16] != checksum(record).to_le_bytes() {
        return Parsed::Damaged;
    }
    Parsed::Record(header[16], &record[RECORD_HEADER..RECORD_HEADER + length], size)
}

/// The length is part of it: a record may be cut at zeros.
fn checksum(record: &[u8]) -> u64 {
    let length = u64::from(u32::from_le_bytes([record[4], record[5], record[6], record[7]]));
    xxh3_64(&record[16..]) ^ length.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
