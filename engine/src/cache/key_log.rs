//! The key log: which keys are in the key file, and appending those that are not.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use borsh::BorshSerialize;

use super::kinds::KeyKind;
use super::store::{Damage, KeyStore, StoreError, identity};
use crate::log::{Log, LogHandler, LogLevel};
use crate::trace;

/// The key file of an engine. A write that fails costs the next start time and nothing else, so it is counted and
/// told to the log.
#[derive(Debug)]
pub(super) struct KeyLog {
    store: KeyStore,
    /// The file is pruned when it exceeds so many bytes.
    limit: u64,
    /// Identities of the keys in the file. The lock is held until a new one is written: a thread that finds a key here
    /// finds it in the file, also when the process ends right after that.
    known: Mutex<HashSet<u128>>,
    /// Writes that have failed.
    errors: AtomicU64,
    lines: Arc<Log>,
}

/// Result of reading the key file at the start.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct WarmStart {
    /// Keys whose kernels are compiled in the background.
    pub keys: usize,
    /// Records that were skipped.
    pub damage: Vec<Damage>,
    /// Intact records that are no keys of this version, or keys that no machine makes.
    pub undecodable: usize,
    /// Why the file cannot be read or written, if it cannot; it is not used then.
    pub error: Option<StoreError>,
}

impl WarmStart {
    /// Calls a new handler with the lines about the key file.
    pub(crate) fn tell(&self, handler: &mut LogHandler) {
        if let Some(error) = &self.error {
            handler(LogLevel::Warning, &format!("the key file is not used: {error}"));
        }
        if !self.damage.is_empty() {
            handler(LogLevel::Warning, &format!("{} damaged parts of the key file were skipped", self.damage.len()));
        }
        if self.undecodable != 0 {
            handler(LogLevel::Warning, &format!("{} records of the key file are no keys", self.undecodable));
        }
    }
}

impl KeyLog {
    pub(super) fn new(store: KeyStore, known: HashSet<u128>, limit: u64, lines: Arc<Log>) -> Self {
        KeyLog { store, limit, known: Mutex::new(known), errors: AtomicU64::new(0), lines }
    }

    /// Appends a key that is not in the file yet.
    pub(super) fn add(&self, kind: KeyKind, key: &impl BorshSerialize) {
        let Ok(bytes) = borsh::to_vec(key) else { return };
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        if known.insert(identity(kind, &bytes)) {
            self.append(&[(kind, bytes)], &[]);
        }
    }

    /// Appends keys that are not in the file yet, and how often keys were used.
    pub(super) fn note_used(&self, used: Vec<UsedKey>) {
        let (mut keys, mut uses) = (Vec::new(), Vec::new());
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        for UsedKey { kind, bytes, calls } in used {
            let identity = identity(kind, &bytes);
            if calls != 0 {
                uses.push((identity, calls));
            }
            if known.insert(identity) {
                keys.push((kind, bytes));
            }
        }
        self.append(&keys, &uses);
    }

    /// Appends keys; the caller holds the lock of `known`.
    fn append(&self, keys: &[(KeyKind, Vec<u8>)], uses: &[(u128, u64)]) {
        if self.noted(self.store.append(keys, uses)).is_some_and(|bytes| bytes > self.limit) {
            self.prune();
        }
    }

    /// Counts an error.
    fn noted<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .inspect_err(|error| {
                trace::key_file(error);
                self.lines.line(LogLevel::Warning, format_args!("the key file was not written: {error}"));
                self.errors.fetch_add(1, Relaxed);
            })
            .ok()
    }

    /// Writes that have failed.
    pub(super) fn errors(&self) -> u64 {
        self.errors.load(Relaxed)
    }

    /// Makes the file smaller than its limit by a quarter, so that it is not pruned again soon.
    pub(super) fn prune(&self) {
        self.noted(self.store.prune(self.limit / 4 * 3));
    }
}

/// A key as it is stored.
pub(super) struct UsedKey {
    pub(super) kind: KeyKind,
    pub(super) bytes: Vec<u8>,
    /// Kernel calls that are not counted in the file yet.
    pub(super) calls: u64,
}
