//! One key's kernels, and the table of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Instant;

use borsh::{BorshDeserialize, BorshSerialize};
use triglyph_guest::kernel::{ContentHash, Tier};

use super::store::KeyKind;
use super::warm::{self, UsedKey};
use super::{Counters, Shared, TierMode};

/// Calls after which a kernel is worth compiling again with more effort. A call is a batch of vertices, a tile's
/// share of a draw or a transfer: some thousand of them pay back a few milliseconds in the background.
const PROMOTE_AFTER: u32 = 2048;

/// A kind of kernel.
pub(super) trait Kind: 'static {
    /// What its keys are in files.
    const STORED: KeyKind;
    type Key: Clone + Eq + Hash + Send + Sync + std::fmt::Debug + BorshSerialize + BorshDeserialize;
    type Kernel: ?Sized + Send + Sync;
    fn make(tier: &dyn Tier, key: &Self::Key) -> Option<Arc<Self::Kernel>>;
    fn code_bytes(kernel: &Self::Kernel) -> usize;
}

/// The kernels of one key.
pub(super) struct Slot<K: Kind> {
    key: K::Key,
    shared: Arc<Shared>,
    reference: OnceLock<Arc<K::Kernel>>,
    compiled: RwLock<Option<Arc<K::Kernel>>>,
    /// Whether the first compilation is done; held while it is going on.
    started: Mutex<bool>,
    /// A compilation that can wait is queued.
    deferred: AtomicBool,
    calls: AtomicU32,
    promoted: AtomicBool,
    last_used: AtomicU64,
}

impl<K: Kind> std::fmt::Debug for Slot<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("key", &self.key).field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<K: Kind> Slot<K> {
    /// The reference kernel; made when first needed.
    pub(super) fn reference(&self) -> &Arc<K::Kernel> {
        self.reference.get_or_init(|| {
            let kernel = K::make(&*self.shared.tiers.reference, &self.key);
            kernel.expect("the reference takes every key")
        })
    }

    /// The compiled kernel, when there is one.
    pub(super) fn compiled(&self) -> Option<Arc<K::Kernel>> {
        self.compiled.read().unwrap_or_else(|e| e.into_inner()).clone()
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Notes a call, and has a busy kernel compiled again.
    pub(super) fn note_call(self: &Arc<Self>) {
        let calls = self.calls.fetch_add(1, Relaxed);
        if calls >= PROMOTE_AFTER && self.shared.mode == TierMode::Auto && !self.promoted.swap(true, Relaxed) {
            let slot = self.clone();
            self.shared.worker.spawn(move || {
                if slot.compile(slot.shared.tiers.hot.as_deref()) {
                    Counters::add(&slot.shared.counters.promoted, 1);
                }
            });
        }
    }

    /// Compiles for the first time, unless somebody has.
    fn compile_first(&self, tier: Option<&dyn Tier>) {
        let mut started = self.started.lock().unwrap_or_else(|e| e.into_inner());
        if !std::mem::replace(&mut *started, true) {
            self.compile(tier);
        }
    }

    /// Has the file of keys know this one, if there is a file and the compiler took the key.
    fn remember(self: &Arc<Self>) {
        if self.shared.log.is_none() || self.compiled().is_none() {
            return;
        }
        let slot = self.clone();
        self.shared.worker.spawn_later(move || {
            if let Some(log) = &slot.shared.log {
                log.add(K::STORED, &slot.key);
            }
        });
    }

    fn compile(&self, tier: Option<&dyn Tier>) -> bool {
        let Some(tier) = tier else { return false };
        let start = Instant::now();
        let kernel = K::make(tier, &self.key);
        let counters = &self.shared.counters;
        Counters::add(&counters.compile_nanoseconds, start.elapsed().as_nanos() as u64);
        let Some(kernel) = kernel else {
            Counters::add(&counters.refused, 1);
            return false;
        };
        Counters::add(&counters.compiled, 1);
        let new = K::code_bytes(&kernel);
        let old = self.compiled.write().unwrap_or_else(|e| e.into_inner()).replace(kernel);
        let old = old.map_or(0, |kernel| K::code_bytes(&kernel));
        Counters::add(&counters.code_bytes, new as u64);
        counters.code_bytes.fetch_sub(old as u64, Relaxed);
        true
    }
}

impl<K: Kind> Drop for Slot<K> {
    fn drop(&mut self) {
        if let Some(kernel) = self.compiled.get_mut().unwrap_or_else(|e| e.into_inner()) {
            self.shared.counters.code_bytes.fetch_sub(K::code_bytes(kernel) as u64, Relaxed);
        }
    }
}

/// Slots by content hash.
pub(super) struct Table<K: Kind> {
    slots: Mutex<HashMap<ContentHash, Arc<Slot<K>>>>,
    clock: AtomicU64,
}

impl<K: Kind> Default for Table<K> {
    fn default() -> Self {
        Table { slots: Mutex::default(), clock: AtomicU64::new(0) }
    }
}

impl<K: Kind> std::fmt::Debug for Table<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<K: Kind> Table<K> {
    pub(super) fn len(&self) -> usize {
        self.slots.lock().unwrap_or_else(|e| e.into_inner()).len()
    }

    /// The slot of `key`; a new one starts to be compiled.
    pub(super) fn get(&self, shared: &Arc<Shared>, key: &K::Key) -> Arc<Slot<K>> {
        let now = self.clock.fetch_add(1, Relaxed);
        let hash = ContentHash::of(key);
        let (slot, new) = {
            let mut slots = self.slots.lock().unwrap_or_else(|e| e.into_inner());
            match slots.get(&hash) {
                Some(slot) => (slot.clone(), false),
                None => {
                    self.evict(shared, &mut slots);
                    let slot = Arc::new(new_slot(shared, key));
                    slots.insert(hash, slot.clone());
                    (slot, true)
                }
            }
        };
        debug_assert_eq!(slot.key, *key, "two keys of one content hash");
        slot.last_used.store(now, Relaxed);
        if new || slot.deferred.swap(false, Relaxed) {
            start_compiling(&slot);
        }
        slot
    }

    /// Takes a key that an earlier start has used, unless it is here already; it is compiled when nothing else is to do.
    /// False when the bytes are no key.
    pub(super) fn recall(&self, shared: &Arc<Shared>, bytes: &[u8], uses: u64) -> bool {
        let Some(key) = warm::decode::<K::Key>(bytes) else { return false };
        let mut slots = self.slots.lock().unwrap_or_else(|e| e.into_inner());
        slots.entry(ContentHash::of(&key)).or_insert_with(|| {
            let slot = Arc::new(new_slot(shared, &key));
            slot.deferred.store(true, Relaxed);
            let job = slot.clone();
            let much = uses >= u64::from(PROMOTE_AFTER) || shared.mode == TierMode::JitOnly;
            shared.worker.spawn_later(move || {
                let tiers = &job.shared.tiers;
                job.promoted.store(much, Relaxed);
                job.compile_first(if much { tiers.hot.as_deref() } else { tiers.quick.as_deref() });
            });
            slot
        });
        true
    }

    /// Every key that there is code for, and its calls.
    pub(super) fn known_keys(&self) -> Vec<UsedKey> {
        let slots = self.slots.lock().unwrap_or_else(|e| e.into_inner());
        let compiled = slots.values().filter(|slot| slot.compiled().is_some());
        let used = |slot: &Arc<Slot<K>>| {
            let bytes = borsh::to_vec(&slot.key).ok()?;
            Some(UsedKey { kind: K::STORED, bytes, calls: slot.calls.load(Relaxed).into() })
        };
        compiled.filter_map(used).collect()
    }

    /// Makes room: while the code of all tables exceeds the budget, the quarter of the slots that was used longest
    /// ago goes.
    fn evict(&self, shared: &Shared, slots: &mut HashMap<ContentHash, Arc<Slot<K>>>) {
        if shared.counters.code_bytes() as usize <= shared.budget || slots.is_empty() {
            return;
        }
        let mut ages: Vec<u64> = slots.values().map(|slot| slot.last_used.load(Relaxed)).collect();
        ages.sort_unstable();
        let limit = ages[ages.len() / 4];
        let before = slots.len();
        slots.retain(|_, slot| slot.last_used.load(Relaxed) > limit);
        Counters::add(&shared.counters.evicted, (before - slots.len()) as u64);
    }
}

fn new_slot<K: Kind>(shared: &Arc<Shared>, key: &K::Key) -> Slot<K> {
    Slot {
        key: key.clone(),
        shared: shared.clone(),
        reference: OnceLock::new(),
        compiled: RwLock::new(None),
        started: Mutex::new(false),
        deferred: AtomicBool::new(false),
        calls: AtomicU32::new(0),
        promoted: AtomicBool::new(false),
        last_used: AtomicU64::new(0),
    }
}

fn start_compiling<K: Kind>(slot: &Arc<Slot<K>>) {
    match slot.shared.mode {
        TierMode::InterpreterOnly => {}
        TierMode::JitOnly => {
            slot.compile_first(slot.shared.tiers.hot.as_deref());
            slot.remember();
        }
        TierMode::Auto => {
            let job = slot.clone();
            slot.shared.worker.spawn(move || {
                job.compile_first(job.shared.tiers.quick.as_deref());
                job.remember();
            });
        }
    }
}
