//! Recomputes checksums of snapshots and key files after their bytes were changed: otherwise the first check would
//! reject nearly every change.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::document::word;

/// Makes the checksums of a snapshot or a key file right; anything else stays as it is.
pub fn seal(bytes: &mut [u8]) {
    if bytes.starts_with(b"TGLS") {
        seal_snapshot(bytes);
    } else if bytes.starts_with(b"TRIGKEYS") {
        seal_keys(bytes);
    }
}

/// Bytes of a snapshot's header; the last eight are the checksum of all others.
const SNAPSHOT_HEADER: usize = 32;

fn seal_snapshot(bytes: &mut [u8]) {
    let Some(body) = bytes.len().checked_sub(SNAPSHOT_HEADER) else { return };
    bytes[16..24].copy_from_slice(&(body as u64).to_le_bytes());
    let mut hasher = Xxh3::new();
    hasher.update(&bytes[..24]);
    hasher.update(&bytes[SNAPSHOT_HEADER..]);
    bytes[24..SNAPSHOT_HEADER].copy_from_slice(&hasher.digest().to_le_bytes());
}

/// Bytes of a key file's header, and of the header of each of its records.
const KEYS_HEADER: usize = 16;
const KEY_HEADER: usize = 24;

fn seal_keys(bytes: &mut [u8]) {
    let mut at = KEYS_HEADER;
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(b"KEY\n")) {
        let length = word(bytes, at + 4) as usize;
        let size = KEY_HEADER.saturating_add(length).saturating_add(7) & !7;
        let Some(record) = bytes.get_mut(at..at.saturating_add(size)) else { return };
        let checksum = xxh3_64(&record[16..]) ^ (length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        record[8..16].copy_from_slice(&checksum.to_le_bytes());
        at += size;
    }
}
