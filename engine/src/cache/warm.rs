//! Keys that outlive the process: which are in the file, which have to go there.

use std::collections::HashSet;
use std::sync::Mutex;

use borsh::{BorshDeserialize, BorshSerialize};

use super::store::{Damage, KeyKind, KeyStore, StoreError, identity};

/// The file of an engine's keys.
#[derive(Debug)]
pub(super) struct KeyLog {
    store: KeyStore,
    /// Bytes beyond which the file is made smaller.
    limit: u64,
    /// Identities of keys that are in the file already.
    known: Mutex<HashSet<u128>>,
    /// What went wrong since the start.
    trouble: Mutex<Option<StoreError>>,
}

/// What a start found in its file of keys.
#[derive(Debug, Default)]
pub struct WarmStart {
    /// Keys whose kernels are compiled in the background.
    pub keys: usize,
    /// Records that were skipped.
    pub damage: Vec<Damage>,
    /// Whole records that are no keys of this version.
    pub undecodable: usize,
    /// Why the file cannot serve, if so.
    pub error: Option<StoreError>,
}

impl KeyLog {
    pub(super) fn new(store: KeyStore, known: HashSet<u128>, limit: u64) -> Self {
        KeyLog { store, limit, known: Mutex::new(known), trouble: Mutex::new(None) }
    }

    /// Appends a key that is not in the file yet.
    pub(super) fn add(&self, kind: KeyKind, key: &impl BorshSerialize) {
        let Ok(bytes) = borsh::to_vec(key) else { return };
        let new = self.known.lock().unwrap_or_else(|e| e.into_inner()).insert(identity(kind, &bytes));
        if new {
            self.append(&[(kind, bytes)], &[]);
        }
    }

    /// Appends what is not in the file yet, and how often keys were used.
    pub(super) fn note_used(&self, used: Vec<UsedKey>) {
        let (mut keys, mut uses) = (Vec::new(), Vec::new());
        {
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
        }
        self.append(&keys, &uses);
    }

    fn append(&self, keys: &[(KeyKind, Vec<u8>)], uses: &[(u128, u64)]) {
        match self.store.append(keys, uses) {
            Ok(bytes) if bytes > self.limit => self.prune(),
            Ok(_) => {}
            Err(error) => self.note(error),
        }
    }

    /// Makes the file so much smaller that it does not have to be done again soon.
    pub(super) fn prune(&self) {
        if let Err(error) = self.store.prune(self.limit / 4 * 3) {
            self.note(error);
        }
    }

    /// The first thing that went wrong.
    pub(super) fn take_trouble(&self) -> Option<StoreError> {
        self.trouble.lock().unwrap_or_else(|e| e.into_inner()).take()
    }

    /// A file that cannot be written costs the next start time, nothing else.
    fn note(&self, error: StoreError) {
        self.trouble.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
    }
}

/// A key as it is stored.
pub(super) struct UsedKey {
    pub(super) kind: KeyKind,
    pub(super) bytes: Vec<u8>,
    /// Kernel calls that the file does not know of.
    pub(super) calls: u64,
}

/// A key from a file.
pub(super) fn decode<K: BorshDeserialize>(bytes: &[u8]) -> Option<K> {
    borsh::from_slice(bytes).ok()
}
