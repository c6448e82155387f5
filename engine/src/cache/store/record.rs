//! The bytes of a file of keys; all numbers little-endian, records on multiples of 8.
//!
//! ```text
//! file    0  8 "TRIGKEYS"      8  8 version      16  records
//! record  0  4 "KEY\n"         4  4 bytes of the payload
//!         8  8 xxh3-64 of everything after it, padding included
//!        16  1 kind           17  7 zero         24  payload, padded with zeros to a multiple of 8
//! ```

use xxhash_rust::xxh3::xxh3_64;

/// Magic number of a file.
pub const MAGIC: [u8; 8] = *b"TRIGKEYS";

/// Increases with every change of the file format or of the meaning of keys' fields.
const FORM: u32 = 3;

/// A hash of how keys are encoded. A test computes it from samples of all kinds and fails if the fields of a key change
/// without a new version.
pub const ENCODING: u32 = 0x8691_B9C3;

/// Version of a file: `FORM` and `ENCODING`.
pub const VERSION: u64 = (ENCODING as u64) << 32 | FORM as u64;

/// Bytes before the first record.
pub const FILE_HEADER: usize = 16;

/// Magic number of a record.
const MARK: [u8; 4] = *b"KEY\n";

/// Bytes of a record before its payload.
pub const RECORD_HEADER: usize = 24;

/// Bytes of the longest payload. No program is nearly as long.
pub const MAX_PAYLOAD: usize = 8 << 20;

/// Kind of a record that says how often a key was used: payload hash (16 bytes), times (8 bytes).
pub const USES: u8 = 0;

/// The header of a new file.
pub fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..16].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// Appends a record to `bytes`. Payloads above [`MAX_PAYLOAD`] are not stored.
pub fn push(bytes: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    if payload.len() > MAX_PAYLOAD {
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

/// Parses the beginning of `bytes`.
pub enum Parsed<'a> {
    /// A record of this kind and payload, and its bytes.
    Record(u8, &'a [u8], usize),
    /// Not the start of a record.
    Nothing,
    /// The start of a record that is cut off or damaged.
    Damaged {
        /// Bytes that were hashed to find that out.
        hashed: usize,
    },
}

/// Reads the record at the beginning of `bytes`.
pub fn parse(bytes: &[u8]) -> Parsed<'_> {
    if !bytes.starts_with(&MARK) {
        return Parsed::Nothing;
    }
    let Some(header) = bytes.first_chunk::<RECORD_HEADER>() else { return Parsed::Damaged { hashed: 0 } };
    let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
    let size = RECORD_HEADER + length.min(MAX_PAYLOAD).next_multiple_of(8);
    let Some(record) = bytes.get(..size).filter(|_| length <= MAX_PAYLOAD) else {
        return Parsed::Damaged { hashed: 0 };
    };
    if header[8..16] != checksum(record).to_le_bytes() {
        return Parsed::Damaged { hashed: size };
    }
    Parsed::Record(header[16], &record[RECORD_HEADER..RECORD_HEADER + length], size)
}

/// Includes the length, as a record could be cut off within zeros.
fn checksum(record: &[u8]) -> u64 {
    let length = u64::from(u32::from_le_bytes([record[4], record[5], record[6], record[7]]));
    xxh3_64(&record[16..]) ^ length.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
