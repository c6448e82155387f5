//! Kernels by content hash: who has which, compiled or not yet.
//!
//! ```text
//! key ──hash──► Slot ──► Handle (held by scenes) ──► compiled kernel, if there and willing
//!                 │                              └─► reference kernel, always
//!                 └─► worker: compile quickly, later again with more effort
//! ```
//!
//! A handle keeps its kernels alive, so eviction needs no fence: a slot leaves the table, and its code is freed when
//! the last scene lets go.

mod handle;
pub mod image;
mod program;
mod recent;
mod slot;
pub mod store;
pub mod texture;
mod warm;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::maxwell::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::mme::{MmeKernel, MmeKey};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program::{self as programs, fragment::FragmentKey};
use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, VertexKernel};

use crate::sched::Worker;
pub use handle::{GeometryHandle, MmeHandle, PixelChoice, PixelHandle, SequenceHandle, TransferHandle, VertexHandle};
pub use program::{FragmentChoice, FragmentHandle, ProgramVertexHandle, ShaderHandle};
pub use recent::Recent;
use slot::{AnyTable, Evicted, Kind, Slot, Table};
use store::{KeyKind, KeyStore};
use warm::KeyLog;
pub use warm::WarmStart;

/// Which tier serves kernel calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TierMode {
    /// The interpreter at once, compiled code as soon as it is there.
    #[default]
    Auto,
    /// The reference interpreter only.
    InterpreterOnly,
    /// Compiled code from the first call on: callers wait for the compiler. What the compiler refuses still goes to
    /// the reference.
    JitOnly,
}

/// The tiers an engine works with.
#[derive(Clone)]
pub struct Tiers {
    /// The reference; takes every key and every call.
    pub reference: Arc<dyn Tier>,
    /// Compiles fast.
    pub quick: Option<Arc<dyn Tier>>,
    /// Compiles well; for kernels that are used a lot.
    pub hot: Option<Arc<dyn Tier>>,
}

impl std::fmt::Debug for Tiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |tier: &Option<Arc<dyn Tier>>| tier.as_ref().map(|t| t.name());
        f.debug_struct("Tiers")
            .field("reference", &self.reference.name())
            .field("quick", &name(&self.quick))
            .field("hot", &name(&self.hot))
            .finish()
    }
}

/// All kernels of an engine.
#[derive(Debug)]
pub struct Kernels {
    shared: Arc<Shared>,
    vertex: Table<VertexKind>,
    geometry: Table<GeometryKind>,
    pixel: Table<PixelKind>,
    transfer: Table<TransferKind>,
    program_vertex: Table<ProgramVertexKind>,
    fragment: Table<FragmentKind>,
    shader: Table<ShaderKind>,
    mme: Table<MmeKind>,
    sequence: Table<SequenceKind>,
}

/// What tables, slots and compile jobs share.
#[derive(Debug)]
struct Shared {
    tiers: Tiers,
    mode: TierMode,
    /// Bytes of machine code the tables may hold.
    budget: usize,
    worker: Worker,
    counters: Counters,
    /// Code came that the budget has no room for: the next look-up makes room.
    overfull: AtomicBool,
    /// Counts look-ups: the age of slots. Starts at 1.
    clock: AtomicU64,
    /// The file that keys are remembered in.
    log: Option<KeyLog>,
}

/// Keys that an engine holds at most, whether or not there is code for them. A game has some thousand.
const MOST_KEYS: usize = 1 << 15;

impl Shared {
    fn new(tiers: Tiers, mode: TierMode, budget: usize, log: Option<KeyLog>) -> Self {
        let (worker, counters, clock) = (Worker::default(), Counters::default(), AtomicU64::new(1));
        Shared { tiers, mode, budget, worker, counters, overfull: AtomicBool::new(false), clock, log }
    }

    fn is_over_budget(&self) -> bool {
        self.counters.code_bytes() > self.budget as u64
    }
}

/// What the cache has done so far.
#[derive(Debug, Default)]
pub struct Counters {
    lookups: AtomicU64,
    hits: AtomicU64,
    recalled: AtomicU64,
    compiled: AtomicU64,
    compile_nanoseconds: AtomicU64,
    refused: AtomicU64,
    promoted: AtomicU64,
    evicted: AtomicU64,
    code_bytes: AtomicU64,
    slots: AtomicU64,
    reference_calls: AtomicU64,
    compiled_calls: AtomicU64,
}

impl Counters {
    fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    /// [`Self::add`] of 1 where no other thread adds meanwhile.
    fn add_alone(counter: &AtomicU64) {
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Times that a key's kernel was asked for; machines do that when state changes, not for each draw.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Ordering::Relaxed)
    }
    /// Look-ups that found a kernel ready: compiled, refused by the compiler, or the reference's where it is the only tier.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
    /// Keys that came from the file of keys.
    pub fn recalled(&self) -> u64 {
        self.recalled.load(Ordering::Relaxed)
    }
    /// Kernels compiled, promotions included.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }
    /// Time spent compiling, on whichever thread.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.compile_nanoseconds.load(Ordering::Relaxed))
    }
    /// Keys that the compiler left to the reference.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
    /// Kernels compiled again with more effort.
    pub fn promoted(&self) -> u64 {
        self.promoted.load(Ordering::Relaxed)
    }
    /// Kernels that had to leave for others.
    pub fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }
    /// Machine code held now, in bytes.
    pub fn code_bytes(&self) -> u64 {
        self.code_bytes.load(Ordering::Relaxed)
    }
    /// Keys that the tables or scenes hold.
    fn slots(&self) -> u64 {
        self.slots.load(Ordering::Relaxed)
    }
    /// Kernel calls that the reference served.
    pub fn reference_calls(&self) -> u64 {
        self.reference_calls.load(Ordering::Relaxed)
    }
    /// Kernel calls that compiled code served.
    pub fn compiled_calls(&self) -> u64 {
        self.compiled_calls.load(Ordering::Relaxed)
    }
}

impl Kernels {
    /// Empty tables. `budget` is the machine code they may hold, in bytes.
    pub fn new(tiers: Tiers, mode: TierMode, budget: usize) -> Self {
        Kernels::with(Shared::new(tiers, mode, budget, None))
    }

    /// Tables that know the keys in a file and add to it. Kernels of known keys are compiled in the background, most used first,
    /// unless somebody asks for them sooner, until they fill the budget. The file is made smaller when it exceeds `limit` bytes. One
    /// that cannot be read or written costs nothing but the time it would have saved.
    pub fn remembering(tiers: Tiers, mode: TierMode, budget: usize, store: KeyStore, limit: u64) -> (Self, WarmStart) {
        let read = store.read();
        let (contents, error) = match read {
            Ok(contents) => (contents, None),
            Err(error) => (store::Contents::default(), Some(error)),
        };
        let usable = error.is_none() && mode != TierMode::InterpreterOnly;
        let known = contents.keys.iter().map(|key| key.hash).collect();
        let log = usable.then(|| KeyLog::new(store, known, limit));
        let kernels = Kernels::with(Shared::new(tiers, mode, budget, log));
        let mut start = WarmStart { damage: contents.damage, error, ..WarmStart::default() };
        if !usable {
            return (kernels, start);
        }
        for key in &contents.keys {
            if kernels.recall(key) { start.keys += 1 } else { start.undecodable += 1 }
        }
        Counters::add(&kernels.shared.counters.recalled, start.keys as u64);
        if contents.bytes > limit {
            let shared = kernels.shared.clone();
            kernels.shared.worker.spawn_later(move || shared.log.iter().for_each(KeyLog::prune));
        }
        (kernels, start)
    }

    fn recall(&self, key: &store::StoredKey) -> bool {
        let table: &dyn AnyTable = match key.kind {
            KeyKind::Vertex => &self.vertex,
            KeyKind::Geometry => &self.geometry,
            KeyKind::Pixel => &self.pixel,
            KeyKind::Transfer => &self.transfer,
            KeyKind::ProgramVertex => &self.program_vertex,
            KeyKind::Fragment => &self.fragment,
            KeyKind::Macro => &self.mme,
            KeyKind::Sequence => &self.sequence,
            KeyKind::Shader => &self.shader,
        };
        table.recall(&self.shared, &key.bytes, key.uses)
    }

    /// The tables of all kinds.
    fn tables(&self) -> [&dyn AnyTable; KeyKind::ALL.len()] {
        [
            &self.vertex,
            &self.geometry,
            &self.pixel,
            &self.transfer,
            &self.program_vertex,
            &self.fragment,
            &self.shader,
            &self.mme,
            &self.sequence,
        ]
    }

    /// The slot of a key. A new one makes room for itself first, and any one for code that came since.
    fn find<K: Kind>(&self, table: &Table<K>, key: &K::Key) -> Arc<Slot<K>> {
        let (slot, new) = table.get(&self.shared, key);
        if new || self.shared.overfull.load(Ordering::Relaxed) && self.shared.overfull.swap(false, Ordering::Relaxed) {
            self.make_room();
        }
        slot
    }

    /// While the tables hold more code than the budget or more keys than [`MOST_KEYS`], what was used longest ago goes, of all
    /// kinds alike, down to three quarters. The slot used last stays.
    fn make_room(&self) {
        let shared = &self.shared;
        if !shared.is_over_budget() && shared.counters.slots() <= MOST_KEYS as u64 {
            return;
        }
        let mut ages = Vec::new();
        self.tables().iter().for_each(|table| table.ages(&mut ages));
        ages.sort_unstable();
        // What scenes hold beyond the tables' life is not the tables'.
        let mut bytes: u64 = ages.iter().map(|(_, bytes)| bytes).sum();
        let budget = shared.budget as u64;
        let crowded = ages.len() > MOST_KEYS;
        if bytes <= budget && !crowded {
            return;
        }
        let mut count = ages.len();
        let mut limit = None;
        for &(age, code) in &ages[..ages.len() - 1] {
            if bytes <= budget / 4 * 3 && (!crowded || count <= MOST_KEYS / 4 * 3) {
                break;
            }
            (bytes, count, limit) = (bytes - code, count - 1, Some(age));
        }
        let Some(limit) = limit else { return };
        let mut evicted = Evicted::default();
        self.tables().iter().for_each(|table| table.evict(limit, crowded, &mut evicted));
        Counters::add(&shared.counters.evicted, evicted.count as u64);
        if shared.log.is_some() && !evicted.keys.is_empty() {
            let owner = shared.clone();
            shared.worker.spawn_later(move || {
                if let Some(log) = &owner.log {
                    log.note_used(evicted.keys);
                }
            });
        }
    }

    /// Whether first frames are to be made faster by what [`Self::prepare`] does.
    pub fn prepares(&self) -> bool {
        self.shared.log.is_some()
    }

    /// Does work beside everything else that makes a first frame faster, if there is a file of keys: whoever names one wants
    /// that. It comes after the kernels that are known.
    pub fn prepare(&self, work: impl FnOnce() + Send + 'static) {
        if self.prepares() {
            self.shared.worker.spawn_later(work);
        }
    }

    /// What went wrong with the file of keys since this was asked last.
    pub fn key_file_trouble(&self) -> Option<store::StoreError> {
        self.shared.log.as_ref()?.take_trouble()
    }

    fn with(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        Kernels {
            shared,
            vertex: Table::default(),
            geometry: Table::default(),
            pixel: Table::default(),
            transfer: Table::default(),
            program_vertex: Table::default(),
            fragment: Table::default(),
            shader: Table::default(),
            mme: Table::default(),
            sequence: Table::default(),
        }
    }

    /// The kernel of a vertex key.
    pub fn vertex(&self, key: &VertexKey) -> VertexHandle {
        VertexHandle(self.find(&self.vertex, key))
    }

    /// The kernel of a geometry key.
    pub fn geometry(&self, key: &GeometryKey) -> GeometryHandle {
        GeometryHandle(self.find(&self.geometry, key))
    }

    /// The kernel of a pixel key.
    pub fn pixel(&self, key: &PixelKey) -> PixelHandle {
        PixelHandle(self.find(&self.pixel, key))
    }

    /// The kernel of a transfer key.
    pub fn transfer(&self, key: &TransferKey) -> TransferHandle {
        TransferHandle(self.find(&self.transfer, key))
    }

    /// The kernel of a vertex program's key.
    pub fn program_vertex(&self, key: &programs::vertex::VertexKey) -> ProgramVertexHandle {
        ProgramVertexHandle(self.find(&self.program_vertex, key))
    }

    /// The kernel of a fragment program's key.
    pub fn fragment(&self, key: &FragmentKey) -> FragmentHandle {
        FragmentHandle(self.find(&self.fragment, key))
    }

    /// The kernel of a program's key, one that is no fragment's.
    pub fn shader(&self, key: &ShaderKey) -> ShaderHandle {
        ShaderHandle(self.find(&self.shader, key))
    }

    /// The kernel of a macro's key.
    pub fn mme(&self, key: &MmeKey) -> MmeHandle {
        MmeHandle::new(self.find(&self.mme, key))
    }

    /// The kernel of a sequence's key.
    pub fn sequence(&self, key: &PacketTraceKey) -> SequenceHandle {
        SequenceHandle(self.find(&self.sequence, key))
    }

    /// Waits until every queued compilation is done.
    pub fn wait_for_compiler(&self) {
        self.shared.worker.wait_idle();
    }

    /// What has been done so far.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Number of keys held.
    pub fn len(&self) -> usize {
        self.tables().iter().map(|table| table.len()).sum()
    }

    /// Whether no key is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which tier serves calls.
    pub fn mode(&self) -> TierMode {
        self.shared.mode
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        // Queued jobs own what they work on; without this they would all be compiled for nobody.
        self.shared.worker.cancel();
        if let Some(log) = &self.shared.log {
            let mut used = Vec::new();
            self.tables().iter().for_each(|table| table.known_keys(&mut used));
            log.note_used(used);
        }
    }
}

#[derive(Debug)]
struct VertexKind;
#[derive(Debug)]
struct GeometryKind;
#[derive(Debug)]
struct PixelKind;
#[derive(Debug)]
struct TransferKind;
#[derive(Debug)]
struct ProgramVertexKind;
#[derive(Debug)]
struct FragmentKind;
#[derive(Debug)]
struct ShaderKind;
#[derive(Debug)]
struct MmeKind;
#[derive(Debug)]
struct SequenceKind;

impl Kind for VertexKind {
    const STORED: KeyKind = KeyKind::Vertex;
    type Key = VertexKey;
    type Kernel = dyn VertexKernel;
    fn make(tier: &dyn Tier, key: &VertexKey) -> Option<Arc<dyn VertexKernel>> {
        tier.vertex(key).ok()
    }
    fn code_bytes(kernel: &dyn VertexKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for GeometryKind {
    const STORED: KeyKind = KeyKind::Geometry;
    type Key = GeometryKey;
    type Kernel = dyn GeometryKernel;
    fn make(tier: &dyn Tier, key: &GeometryKey) -> Option<Arc<dyn GeometryKernel>> {
        tier.geometry(key).ok()
    }
    fn code_bytes(kernel: &dyn GeometryKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for PixelKind {
    const STORED: KeyKind = KeyKind::Pixel;
    type Key = PixelKey;
    type Kernel = dyn PixelKernel;
    fn make(tier: &dyn Tier, key: &PixelKey) -> Option<Arc<dyn PixelKernel>> {
        tier.pixel(key).ok()
    }
    fn code_bytes(kernel: &dyn PixelKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for TransferKind {
    const STORED: KeyKind = KeyKind::Transfer;
    type Key = TransferKey;
    type Kernel = dyn TransferKernel;
    fn make(tier: &dyn Tier, key: &TransferKey) -> Option<Arc<dyn TransferKernel>> {
        tier.transfer(key).ok()
    }
    fn code_bytes(kernel: &dyn TransferKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for ProgramVertexKind {
    const STORED: KeyKind = KeyKind::ProgramVertex;
    type Key = programs::vertex::VertexKey;
    type Kernel = dyn programs::VertexKernel;
    fn make(tier: &dyn Tier, key: &Self::Key) -> Option<Arc<Self::Kernel>> {
        tier.programs()?.program_vertex(key).ok()
    }
    fn code_bytes(kernel: &Self::Kernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for FragmentKind {
    const STORED: KeyKind = KeyKind::Fragment;
    type Key = FragmentKey;
    type Kernel = dyn programs::FragmentKernel;
    fn make(tier: &dyn Tier, key: &Self::Key) -> Option<Arc<Self::Kernel>> {
        tier.programs()?.fragment(key).ok()
    }
    fn code_bytes(kernel: &Self::Kernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for ShaderKind {
    const STORED: KeyKind = KeyKind::Shader;
    type Key = ShaderKey;
    type Kernel = dyn ShaderKernel;
    fn make(tier: &dyn Tier, key: &ShaderKey) -> Option<Arc<dyn ShaderKernel>> {
        tier.programs()?.shader(key).ok()
    }
    fn code_bytes(kernel: &dyn ShaderKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for MmeKind {
    const STORED: KeyKind = KeyKind::Macro;
    type Key = MmeKey;
    type Kernel = dyn MmeKernel;
    fn make(tier: &dyn Tier, key: &MmeKey) -> Option<Arc<dyn MmeKernel>> {
        tier.mme(key).ok()
    }
    fn code_bytes(kernel: &dyn MmeKernel) -> usize {
        kernel.code_bytes()
    }
}

impl Kind for SequenceKind {
    const STORED: KeyKind = KeyKind::Sequence;
    type Key = PacketTraceKey;
    type Kernel = dyn PacketTraceKernel;
    fn make(tier: &dyn Tier, key: &PacketTraceKey) -> Option<Arc<dyn PacketTraceKernel>> {
        tier.packet_trace(key).ok()
    }
    fn code_bytes(kernel: &dyn PacketTraceKernel) -> usize {
        kernel.code_bytes()
    }
}

#[cfg(test)]
mod encoding;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod tests;
