//! Appending to key files, and pruning them.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use super::read::{StoredKey, decode, identity};
use super::record::{FILE_HEADER, MAGIC, USES, VERSION, file_header, push};
use super::{KeyKind, KeyStore, StoreError};

/// Result of pruning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Keys kept.
    pub kept: usize,
    /// Keys removed.
    pub dropped: usize,
    /// Bytes of the file before and after.
    pub bytes: [u64; 2],
}

impl KeyStore {
    /// Checks that keys can be appended: creates the folder, and opens an existing file for writing.
    ///
    /// # Errors
    /// When it cannot be written, is too large or not a regular file.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        self.open_lock(true)?;
        match self.open(OpenOptions::new().append(true)) {
            Err(StoreError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            opened => opened.map(drop),
        }
    }

    /// Appends keys, and how often some were used, by hash. A file that does not exist is created, and so is its
    /// folder; one of another version is replaced. Returns the bytes of the file after that, 0 when there was nothing
    /// to append.
    ///
    /// # Errors
    /// When it cannot be written, is of another kind or too large, or another process keeps it locked.
    pub fn append(&self, keys: &[(KeyKind, Vec<u8>)], uses: &[(u128, u64)]) -> Result<u64, StoreError> {
        let mut records = Vec::new();
        for (kind, bytes) in keys {
            push(&mut records, *kind as u8, bytes);
        }
        for (hash, times) in uses {
            let mut payload = hash.to_le_bytes().to_vec();
            payload.extend(times.to_le_bytes());
            push(&mut records, USES, &payload);
        }
        if records.is_empty() {
            return Ok(0);
        }
        let _lock = self.lock(true)?;
        let file = self.open(OpenOptions::new().read(true).append(true).create(true))?;
        self.write_records(file, &records).map_err(|error| self.io(error))?
    }

    /// Appends with one write. The caller has the lock.
    fn write_records(&self, mut file: File, records: &[u8]) -> std::io::Result<Result<u64, StoreError>> {
        let length = file.metadata()?.len();
        let bytes = match header(&mut file, length)? {
            Header::Ours => {
                // After a crash in the middle of a write the length may not be a multiple of 8.
                let padding = (length.next_multiple_of(8) - length) as usize;
                let mut bytes = vec![0; padding];
                bytes.extend_from_slice(records);
                bytes
            }
            Header::Other => return Ok(Err(StoreError::Foreign(self.path().to_owned()))),
            Header::Empty => [&file_header()[..], records].concat(),
            Header::Unreadable => return self.replace(records).map(Ok),
        };
        file.write_all(&bytes)?;
        Ok(Ok(length + bytes.len() as u64))
    }

    /// Replaces the file by a new one with these records, atomically. Returns its bytes. The caller has the lock.
    fn replace(&self, records: &[u8]) -> std::io::Result<u64> {
        let mut name = self.path().as_os_str().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let written = File::create(&name).and_then(|mut file| {
            file.write_all(&file_header())?;
            file.write_all(records)?;
            file.sync_all()
        });
        let result = written.and_then(|()| std::fs::rename(&name, self.path()));
        if result.is_err() {
            let _ = std::fs::remove_file(&name);
        }
        result.map(|()| (FILE_HEADER + records.len()) as u64)
    }

    /// Makes the file smaller: removes damage, repetitions and, while it would exceed `limit` bytes, the least used
    /// keys.
    ///
    /// # Errors
    /// When it cannot be read or written, is of another kind, or another process keeps it locked.
    pub fn prune(&self, limit: u64) -> Result<Pruned, StoreError> {
        // Held until the file is replaced: otherwise keys that other processes append in between would be lost.
        let _lock = self.lock(true)?;
        let contents = self.read_unlocked()?;
        let mut records = Vec::new();
        let mut kept = 0;
        for key in &contents.keys {
            let before = records.len();
            push_key(&mut records, key);
            if (FILE_HEADER + records.len()) as u64 > limit {
                records.truncate(before);
                break;
            }
            kept += 1;
        }
        let after = match contents.bytes {
            0 => 0,
            _ => self.replace(&records).map_err(|error| self.io(error))?,
        };
        Ok(Pruned { kept, dropped: contents.keys.len() - kept, bytes: [contents.bytes, after] })
    }
}

fn push_key(records: &mut Vec<u8>, key: &StoredKey) {
    push(records, key.kind as u8, &key.bytes);
    if key.uses != 0 {
        let mut payload = identity(key.kind, &key.bytes).to_le_bytes().to_vec();
        payload.extend(key.uses.to_le_bytes());
        push(records, USES, &payload);
    }
}

/// How a file begins.
enum Header {
    Ours,
    Empty,
    /// A part of a header, or the header of another version.
    Unreadable,
    /// A file of another kind.
    Other,
}

fn header(file: &mut File, length: u64) -> std::io::Result<Header> {
    use std::io::Read;
    let mut bytes = vec![0; length.min(FILE_HEADER as u64) as usize];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut bytes)?;
    if bytes.len() < FILE_HEADER {
        return Ok(match decode(&bytes) {
            _ if bytes.is_empty() => Header::Empty,
            Some(_) => Header::Unreadable,
            None => Header::Other,
        });
    }
    Ok(match (bytes.starts_with(&MAGIC), bytes[8..16] == VERSION.to_le_bytes()) {
        (true, true) => Header::Ours,
        (true, false) => Header::Unreadable,
        (false, _) => Header::Other,
    })
}
