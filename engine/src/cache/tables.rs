//! The slots of all keys, by kind and content hash.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::ContentHash;

use super::counters::Counters;
use super::decode;
use super::key_log::UsedKey;
use super::kinds::{self, KernelKind, KeyKind, kernel_kinds};
use super::shared::Shared;
use super::slot::Slot;
use super::tiers::TierMode;
use crate::sync::{Mutex, MutexGuard};

macro_rules! define_tables {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $method:ident: $key:ty => $kernel:ty;)*) => {
        /// A table for each kind.
        #[derive(Debug, Default)]
        pub(super) struct Tables {
            $(pub(super) $method: Table<kinds::$kind>,)*
        }

        impl Tables {
            /// The tables of all kinds.
            pub(super) fn all(&self) -> [&dyn AnyTable; KeyKind::ALL.len()] {
                [$(&self.$method),*]
            }

            /// The table of a kind.
            pub(super) fn of(&self, kind: KeyKind) -> &dyn AnyTable {
                match kind {
                    $(KeyKind::$kind => &self.$method,)*
                }
            }
        }
    };
}
kernel_kinds!(define_tables);

/// Slots of one kind, by the content hash of their keys.
pub(super) struct Table<K: KernelKind> {
    slots: Mutex<SlotMap<K>>,
}

type SlotMap<K> = HashMap<ContentHash, Arc<Slot<K>>>;

/// Operations on the tables of all kinds.
pub(super) trait AnyTable {
    /// Number of keys.
    fn len(&self) -> usize;

    /// Adds a key of the key file, unless it is there already; it is compiled when there is nothing else to do. False
    /// when the bytes are not a key, or not one that tiers may see.
    fn recall(&self, shared: &Arc<Shared>, bytes: &[u8], uses: u64) -> bool;

    /// Adds every key that has code, and its calls since the last query.
    fn compiled_keys(&self, keys: &mut Vec<UsedKey>);

    /// Adds the time of each slot's last use, and the bytes of its code.
    fn ages(&self, ages: &mut Vec<(u64, u64)>);

    /// Removes slots last used at `limit` or before; slots without code only when `all` is set.
    fn evict(&self, limit: u64, all: bool, evicted: &mut Evicted);
}

/// The removed slots.
#[derive(Default)]
pub(super) struct Evicted {
    /// Slots removed.
    pub(super) count: usize,
    /// Those with code, for the key file.
    pub(super) keys: Vec<UsedKey>,
}

impl<K: KernelKind> Default for Table<K> {
    fn default() -> Self {
        Table { slots: Mutex::default() }
    }
}

impl<K: KernelKind> std::fmt::Debug for Table<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<K: KernelKind> Table<K> {
    fn lock(&self) -> MutexGuard<'_, SlotMap<K>> {
        self.slots.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The slot of `key`, and whether it is new; a new one starts to be compiled by `start`.
    pub(super) fn get(&self, shared: &Arc<Shared>, key: &K::Key, start: fn(&Arc<Slot<K>>)) -> (Arc<Slot<K>>, bool) {
        let hash = ContentHash::of(key);
        let (slot, new) = match self.lock().entry(hash) {
            Entry::Occupied(entry) => (entry.get().clone(), false),
            Entry::Vacant(entry) => (entry.insert(Arc::new(Slot::new(shared, key))).clone(), true),
        };
        debug_assert_eq!(slot.key, *key, "two keys of one content hash");
        slot.note_use();
        let counters = &shared.counters;
        Counters::add(&counters.lookups, 1);
        // With the interpreter only there is nothing to wait for.
        let hit = !new && (slot.is_settled() || shared.mode == TierMode::InterpreterOnly);
        Counters::add(&counters.hits, hit.into());
        if new || slot.deferred.swap(false, Relaxed) {
            start(&slot);
        }
        (slot, new)
    }
}

impl<K: KernelKind> AnyTable for Table<K> {
    fn len(&self) -> usize {
        self.lock().len()
    }

    fn recall(&self, shared: &Arc<Shared>, bytes: &[u8], uses: u64) -> bool {
        let Ok(key) = decode::decode::<K::Key>(bytes) else { return false };
        self.lock().entry(ContentHash::of(&key)).or_insert_with(|| {
            let slot = Arc::new(Slot::new(shared, &key));
            slot.deferred.store(true, Relaxed);
            slot.compile_later(uses);
            slot
        });
        true
    }

    fn compiled_keys(&self, keys: &mut Vec<UsedKey>) {
        let slots = self.lock();
        let compiled = slots.values().filter(|slot| slot.compiled().is_some());
        keys.extend(compiled.filter_map(|slot| slot.used()));
    }

    fn ages(&self, ages: &mut Vec<(u64, u64)>) {
        ages.extend(self.lock().values().map(|slot| (slot.last_used.load(Relaxed), slot.code_bytes())));
    }

    fn evict(&self, limit: u64, all: bool, evicted: &mut Evicted) {
        let mut removed = Vec::new();
        self.lock().retain(|_, slot| {
            let code = slot.code_bytes() != 0;
            let remove = slot.last_used.load(Relaxed) <= limit && (all || code);
            if remove {
                removed.push((slot.clone(), code));
            }
            !remove
        });
        evicted.count += removed.len();
        // Code is freed at the end of this function, outside of the lock.
        let compiled = removed.iter().filter(|(_, code)| *code);
        evicted.keys.extend(compiled.filter_map(|(slot, _)| slot.used()));
    }
}
