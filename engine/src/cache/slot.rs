//! One key's kernels, and the table of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock};
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
    /// One more with each kernel that `compiled` gets, so that callers who keep one see that there is a better one.
    version: AtomicU32,
    /// Whether the first compilation was begun; held while one is going on.
    started: Mutex<bool>,
    /// The first compilation is over, with or without a kernel.
    settled: AtomicBool,
    /// A compilation that can wait is queued.
    deferred: AtomicBool,
    calls: AtomicU32,
    /// Calls that the file of keys knows of.
    reported: AtomicU32,
    /// Compiled with all effort, or about to be.
    promoted: AtomicBool,
    /// When it was asked for last; 0 for a key that nobody has asked for since it was recalled.
    last_used: AtomicU64,
}

impl<K: Kind> std::fmt::Debug for Slot<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("key", &self.key).field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<K: Kind> Slot<K> {
    fn new(shared: &Arc<Shared>, key: &K::Key) -> Self {
        shared.counters.slots.fetch_add(1, Relaxed);
        Slot {
            key: key.clone(),
            shared: shared.clone(),
            reference: OnceLock::new(),
            compiled: RwLock::new(None),
            version: AtomicU32::new(0),
            started: Mutex::new(false),
            settled: AtomicBool::new(false),
            deferred: AtomicBool::new(false),
            calls: AtomicU32::new(0),
            reported: AtomicU32::new(0),
            promoted: AtomicBool::new(false),
            last_used: AtomicU64::new(0),
        }
    }

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

    /// Whether the first compilation is over, with or without a kernel.
    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Acquire)
    }

    /// How many kernels [`Self::compiled`] has had so far.
    pub(super) fn version(&self) -> u32 {
        self.version.load(Acquire)
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Notes a call, and has a busy kernel compiled again.
    pub(super) fn note_call(self: &Arc<Self>) {
        let calls = self.calls.fetch_add(1, Relaxed);
        if calls >= PROMOTE_AFTER {
            self.promote();
        }
    }

    /// [`Self::note_call`] for kernels of which one thread at a time does all calls: without exclusive access to memory,
    /// which costs more than a short call.
    pub(super) fn note_call_alone(self: &Arc<Self>) {
        let calls = self.calls.load(Relaxed);
        self.calls.store(calls.wrapping_add(1), Relaxed);
        if calls >= PROMOTE_AFTER {
            self.promote();
        }
    }

    #[inline]
    fn promote(self: &Arc<Self>) {
        if self.shared.mode == TierMode::Auto && !self.promoted.load(Relaxed) && !self.promoted.swap(true, Relaxed) {
            self.queue_promotion();
        }
    }

    #[cold]
    fn queue_promotion(self: &Arc<Self>) {
        let slot = self.clone();
        self.shared.worker.spawn(move || {
            if slot.is_abandoned() {
                return;
            }
            slot.compile_well();
            // The next start is to know, whatever becomes of this process.
            slot.report();
        });
    }

    fn start(&self) -> MutexGuard<'_, bool> {
        self.started.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether nobody can ask for the kernel any more: the caller, a job, is the last owner.
    fn is_abandoned(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1
    }

    /// Compiles for the first time, unless somebody has.
    fn compile_first(&self, tier: Option<&dyn Tier>) {
        let mut started = self.start();
        if !std::mem::replace(&mut *started, true) {
            self.compile(tier);
            self.settled.store(true, Release);
        }
    }

    /// Compiles with all effort, unless the compiler has refused the key. `promoted` is set before.
    fn compile_well(&self) {
        let mut started = self.start();
        let first = !std::mem::replace(&mut *started, true);
        if first || self.compiled().is_some() {
            let compiled = self.compile(self.shared.tiers.hot.as_deref());
            Counters::add(&self.shared.counters.promoted, (compiled && !first).into());
        }
        self.settled.store(true, Release);
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

    /// Has the file of keys know how often this one was called, if there is a file.
    fn report(&self) {
        if let Some(log) = &self.shared.log
            && let Some(used) = self.used()
        {
            log.note_used(vec![used]);
        }
    }

    /// The key and the calls that nobody was told of yet.
    fn used(&self) -> Option<UsedKey> {
        let calls = self.calls.load(Relaxed);
        let reported = self.reported.swap(calls, Relaxed);
        let bytes = borsh::to_vec(&self.key).ok()?;
        Some(UsedKey { kind: K::STORED, bytes, calls: calls.wrapping_sub(reported).into() })
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
        // Added before anybody can take it off again.
        Counters::add(&counters.code_bytes, K::code_bytes(&kernel) as u64);
        if self.shared.is_over_budget() {
            self.shared.overfull.store(true, Relaxed);
        }
        let old = {
            let mut compiled = self.compiled.write().unwrap_or_else(|e| e.into_inner());
            self.version.fetch_add(1, Release);
            compiled.replace(kernel)
        };
        // Freed here, outside of the lock, unless a scene holds it.
        let old = old.map_or(0, |kernel| K::code_bytes(&kernel));
        counters.code_bytes.fetch_sub(old as u64, Relaxed);
        true
    }

    fn code_bytes(&self) -> u64 {
        let compiled = self.compiled.read().unwrap_or_else(|e| e.into_inner());
        compiled.as_ref().map_or(0, |kernel| K::code_bytes(kernel) as u64)
    }
}

impl<K: Kind> Drop for Slot<K> {
    fn drop(&mut self) {
        self.shared.counters.slots.fetch_sub(1, Relaxed);
        if let Some(kernel) = self.compiled.get_mut().unwrap_or_else(|e| e.into_inner()) {
            self.shared.counters.code_bytes.fetch_sub(K::code_bytes(kernel) as u64, Relaxed);
        }
    }
}

/// Slots by content hash.
pub(super) struct Table<K: Kind> {
    slots: Mutex<SlotMap<K>>,
}

type SlotMap<K> = HashMap<ContentHash, Arc<Slot<K>>>;

/// What is done with the tables of all kinds alike.
pub(super) trait AnyTable {
    /// Number of keys.
    fn len(&self) -> usize;

    /// Takes a key that an earlier start has used, unless it is here already; it is compiled when nothing else is to do.
    /// False when the bytes are no key.
    fn recall(&self, shared: &Arc<Shared>, bytes: &[u8], uses: u64) -> bool;

    /// Every key that there is code for, and its calls since that was asked last.
    fn known_keys(&self, keys: &mut Vec<UsedKey>);

    /// When each slot was used last, and the bytes of its code.
    fn ages(&self, ages: &mut Vec<(u64, u64)>);

    /// Lets go of slots last used at `limit` or before, of those without code only when `all` is set.
    fn evict(&self, limit: u64, all: bool, evicted: &mut Evicted);
}

/// What had to leave.
#[derive(Default)]
pub(super) struct Evicted {
    /// How many slots.
    pub(super) count: usize,
    /// Those with code, for the file of keys.
    pub(super) keys: Vec<UsedKey>,
}

impl<K: Kind> Default for Table<K> {
    fn default() -> Self {
        Table { slots: Mutex::default() }
    }
}

impl<K: Kind> std::fmt::Debug for Table<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<K: Kind> Table<K> {
    fn lock(&self) -> MutexGuard<'_, SlotMap<K>> {
        self.slots.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The slot of `key`, and whether it is new; a new one starts to be compiled.
    pub(super) fn get(&self, shared: &Arc<Shared>, key: &K::Key) -> (Arc<Slot<K>>, bool) {
        let hash = ContentHash::of(key);
        let (slot, new) = match self.lock().entry(hash) {
            Entry::Occupied(entry) => (entry.get().clone(), false),
            Entry::Vacant(entry) => (entry.insert(Arc::new(Slot::new(shared, key))).clone(), true),
        };
        debug_assert_eq!(slot.key, *key, "two keys of one content hash");
        slot.last_used.store(shared.clock.fetch_add(1, Relaxed), Relaxed);
        let counters = &shared.counters;
        Counters::add(&counters.lookups, 1);
        // Where nothing is compiled, a slot is all there is to find.
        let found = !new && (slot.settled.load(Acquire) || shared.mode == TierMode::InterpreterOnly);
        Counters::add(&counters.hits, found.into());
        if new || slot.deferred.swap(false, Relaxed) {
            start_compiling(&slot);
        }
        (slot, new)
    }
}

impl<K: Kind> AnyTable for Table<K> {
    fn len(&self) -> usize {
        self.lock().len()
    }

    fn recall(&self, shared: &Arc<Shared>, bytes: &[u8], uses: u64) -> bool {
        let Some(key) = warm::decode::<K::Key>(bytes) else { return false };
        self.lock().entry(ContentHash::of(&key)).or_insert_with(|| {
            let slot = Arc::new(Slot::new(shared, &key));
            slot.deferred.store(true, Relaxed);
            let job = slot.clone();
            let much = uses >= u64::from(PROMOTE_AFTER) || shared.mode == TierMode::JitOnly;
            shared.worker.spawn_later(move || {
                // Beyond the budget it would push out what is in use, or what is used more.
                if job.is_abandoned() || job.shared.is_over_budget() {
                    return;
                }
                if !much {
                    job.compile_first(job.shared.tiers.quick.as_deref());
                } else if !job.promoted.swap(true, Relaxed) {
                    job.compile_well();
                }
            });
            slot
        });
        true
    }

    fn known_keys(&self, keys: &mut Vec<UsedKey>) {
        let slots = self.lock();
        let compiled = slots.values().filter(|slot| slot.compiled().is_some());
        keys.extend(compiled.filter_map(|slot| slot.used()));
    }

    fn ages(&self, ages: &mut Vec<(u64, u64)>) {
        ages.extend(self.lock().values().map(|slot| (slot.last_used.load(Relaxed), slot.code_bytes())));
    }

    fn evict(&self, limit: u64, all: bool, evicted: &mut Evicted) {
        let mut gone = Vec::new();
        self.lock().retain(|_, slot| {
            let code = slot.code_bytes() != 0;
            let goes = slot.last_used.load(Relaxed) <= limit && (all || code);
            if goes {
                gone.push((slot.clone(), code));
            }
            !goes
        });
        evicted.count += gone.len();
        // Code is freed here, outside of the lock.
        let compiled = gone.iter().filter(|(_, code)| *code);
        evicted.keys.extend(compiled.filter_map(|(slot, _)| slot.used()));
    }
}

fn start_compiling<K: Kind>(slot: &Arc<Slot<K>>) {
    match slot.shared.mode {
        TierMode::InterpreterOnly => {}
        TierMode::JitOnly => {
            slot.promoted.store(true, Relaxed);
            slot.compile_first(slot.shared.tiers.hot.as_deref());
            slot.remember();
        }
        TierMode::Auto => {
            let job = slot.clone();
            slot.shared.worker.spawn(move || {
                if job.is_abandoned() {
                    return;
                }
                job.compile_first(job.shared.tiers.quick.as_deref());
                job.remember();
            });
        }
    }
}
