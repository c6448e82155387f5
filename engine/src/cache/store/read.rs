//! Reading key files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};

use xxhash_rust::xxh3::xxh3_128;

use super::record::{FILE_HEADER, MAGIC, Parsed, USES, VERSION, parse};
use super::{KeyKind, KeyStore, MAX_FILE_BYTES, StoreError};
use crate::cache::decode;
pub use crate::cache::decode::KeyError;
use crate::cache::kinds::KernelKind;

/// Contents of a key file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The keys, each once, most used first, then in the order they were appended.
    pub keys: Vec<StoredKey>,
    /// Records that were skipped.
    pub damage: Vec<Damage>,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A key as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// Its kind.
    pub kind: KeyKind,
    /// xxh3-128 of kind and bytes.
    pub hash: u128,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Calls of its kernels that were noted in the file.
    pub uses: u64,
}

impl StoredKey {
    /// The key, if it is of this kind, and sound.
    pub fn decode<K: KernelKind>(&self) -> Option<K::Key> {
        (self.kind == K::STORED).then(|| decode::decode(&self.bytes).ok()).flatten()
    }

    /// Checks the key, whatever its kind.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self) -> Result<(), KeyError> {
        self.kind.check(&self.bytes)
    }
}

/// A part of a file that is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// Another version wrote the file; nothing in it was read.
    #[error("written by version {0:#x}, not {VERSION:#x}")]
    Version(u64),
    /// Bytes that are not a record, or one that was cut off or changed.
    #[error("{bytes} bytes at {at:#x} are no whole record")]
    Bytes {
        /// Offset of the first one.
        at: u64,
        /// How many.
        bytes: u64,
    },
    /// An intact record of a kind that this version does not have.
    #[error("the record at {at:#x} is of unknown kind {kind}")]
    Kind {
        /// Its offset.
        at: u64,
        /// Its kind.
        kind: u8,
    },
}

/// The identity of a key in a file.
pub fn identity(kind: KeyKind, bytes: &[u8]) -> u128 {
    xxh3_128(bytes) ^ kind as u128
}

impl KeyStore {
    /// Reads the file; one that does not exist has no keys.
    ///
    /// # Errors
    /// When it cannot be read or is of another kind. Damage is not an error, see [`Contents::damage`].
    pub fn read(&self) -> Result<Contents, StoreError> {
        // So that no half-written record is read. Without a lock it would be reported as damage, nothing worse.
        let _lock = self.lock(false).ok();
        self.read_unlocked()
    }

    pub(super) fn read_unlocked(&self) -> Result<Contents, StoreError> {
        let mut bytes = Vec::new();
        match self.open(OpenOptions::new().read(true)) {
            Err(StoreError::Io { error, .. }) if error.kind() == ErrorKind::NotFound => {}
            // The file may grow while it is read.
            opened => drop(opened?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| self.io(error))?),
        }
        if bytes.is_empty() {
            return Ok(Contents::default());
        }
        decode(&bytes).ok_or_else(|| StoreError::Foreign(self.path().to_owned()))
    }
}

/// Decodes the bytes of a file; `None` when it is of another kind.
pub fn decode(bytes: &[u8]) -> Option<Contents> {
    let mut contents = Contents { bytes: bytes.len() as u64, ..Contents::default() };
    let whole = bytes.first_chunk::<FILE_HEADER>();
    let Some(header) = whole.filter(|header| header.starts_with(&MAGIC)) else {
        // A crash may have left the first part of a header.
        let cut = bytes.len() < FILE_HEADER && MAGIC.starts_with(&bytes[..bytes.len().min(8)]);
        contents.damage.push(Damage::Bytes { at: 0, bytes: contents.bytes });
        return cut.then_some(contents);
    };
    let version = u64::from_le_bytes(std::array::from_fn(|i| header[8 + i]));
    if version != VERSION {
        contents.damage.push(Damage::Version(version));
        return Some(contents);
    }
    let hashing_left = MAX_HASHED_PER_BYTE.saturating_mul(bytes.len());
    let mut reader = Reader { bytes, at: FILE_HEADER, bad: None, hashing_left, contents: &mut contents };
    let (mut keys, mut uses) = (HashMap::new(), HashMap::<u128, u64>::new());
    while let Some((kind, payload)) = reader.next() {
        if let (USES, Some((hash, times))) = (kind, split_uses(payload)) {
            let total = uses.entry(hash).or_default();
            *total = total.saturating_add(times);
            continue;
        }
        let Some(known) = KeyKind::from_byte(kind) else {
            reader.unknown(kind, payload.len());
            continue;
        };
        let hash = identity(known, payload);
        if let Entry::Vacant(entry) = keys.entry(hash) {
            entry.insert(());
            reader.contents.keys.push(StoredKey { kind: known, hash, bytes: payload.to_owned(), uses: 0 });
        }
    }
    for key in &mut contents.keys {
        key.uses = uses.get(&key.hash).copied().unwrap_or(0);
    }
    contents.keys.sort_by_key(|key| std::cmp::Reverse(key.uses));
    Some(contents)
}

fn split_uses(payload: &[u8]) -> Option<(u128, u64)> {
    let (hash, times) = payload.split_first_chunk::<16>()?;
    Some((u128::from_le_bytes(*hash), u64::from_le_bytes(times.try_into().ok()?)))
}

/// Bytes that are hashed for each byte of a file at most. Sound records are hashed once; starts of records in damaged
/// parts can overlap, and would be hashed without end.
const MAX_HASHED_PER_BYTE: usize = 8;

/// Iterates over records.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where bytes start that are not a record.
    bad: Option<usize>,
    /// Bytes of damaged records that may still be hashed. Then the rest of the file is damaged.
    hashing_left: usize,
    contents: &'a mut Contents,
}

impl<'a> Reader<'a> {
    /// The next intact record.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        while self.at < self.bytes.len() {
            match parse(&self.bytes[self.at..]) {
                Parsed::Record(kind, payload, size) => {
                    self.end_of_bad();
                    self.at += size;
                    return Some((kind, payload));
                }
                Parsed::Damaged { hashed } => self.hashing_left = self.hashing_left.saturating_sub(hashed),
                Parsed::Nothing => {}
            }
            self.bad.get_or_insert(self.at);
            if self.hashing_left == 0 {
                break;
            }
            self.at += 8;
        }
        self.at = self.bytes.len();
        self.end_of_bad();
        None
    }

    fn end_of_bad(&mut self) {
        if let Some(start) = self.bad.take() {
            self.contents.damage.push(Damage::Bytes { at: start as u64, bytes: (self.at - start) as u64 });
        }
    }

    fn unknown(&mut self, kind: u8, payload: usize) {
        let size = super::record::RECORD_HEADER + payload.next_multiple_of(8);
        self.contents.damage.push(Damage::Kind { at: (self.at - size) as u64, kind });
    }
}
