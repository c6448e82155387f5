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
mod slot;
pub mod store;
pub mod texture;
mod warm;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::maxwell::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::mme::{MmeKernel, MmeKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program::{self as programs, fragment::FragmentKey};
use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, VertexKernel};

use crate::sched::Worker;
pub use handle::{GeometryHandle, MmeHandle, PixelChoice, PixelHandle, TransferHandle, VertexHandle};
pub use program::{FragmentChoice, FragmentHandle, ProgramVertexHandle, ShaderHandle};
use slot::{Kind, Table};
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
    /// The file that keys are remembered in.
    log: Option<KeyLog>,
}

/// What the cache has done so far.
#[derive(Debug, Default)]
pub struct Counters {
    compiled: AtomicU64,
    compile_nanoseconds: AtomicU64,
    refused: AtomicU64,
    promoted: AtomicU64,
    evicted: AtomicU64,
    code_bytes: AtomicU64,
    reference_calls: AtomicU64,
    compiled_calls: AtomicU64,
}

impl Counters {
    fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
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
        let (worker, counters) = (Worker::default(), Counters::default());
        Kernels::with(Shared { tiers, mode, budget, worker, counters, log: None })
    }

    /// Tables that know the keys in a file and add to it. Kernels of known keys are compiled in the background, most used first,
    /// unless somebody asks for them sooner. The file is made smaller when it exceeds `limit` bytes. One that cannot be read or written costs
    /// nothing but the time it would have saved.
    pub fn remembering(tiers: Tiers, mode: TierMode, budget: usize, store: KeyStore, limit: u64) -> (Self, WarmStart) {
        let read = store.read();
        let (contents, error) = match read {
            Ok(contents) => (contents, None),
            Err(error) => (store::Contents::default(), Some(error)),
        };
        let usable = error.is_none() && mode != TierMode::InterpreterOnly;
        let known = contents.keys.iter().map(|key| key.hash).collect();
        let log = usable.then(|| KeyLog::new(store, known));
        let (worker, counters) = (Worker::default(), Counters::default());
        let kernels = Kernels::with(Shared { tiers, mode, budget, worker, counters, log });
        let mut start = WarmStart { damage: contents.damage, error, ..WarmStart::default() };
        if !usable {
            return (kernels, start);
        }
        for key in &contents.keys {
            if kernels.recall(key) { start.keys += 1 } else { start.undecodable += 1 }
        }
        if contents.bytes > limit {
            let shared = kernels.shared.clone();
            let prune = move || shared.log.iter().for_each(|log| log.prune(limit / 4 * 3));
            kernels.shared.worker.spawn_later(prune);
        }
        (kernels, start)
    }

    fn recall(&self, key: &store::StoredKey) -> bool {
        let (shared, bytes, uses) = (&self.shared, &key.bytes[..], key.uses);
        match key.kind {
            KeyKind::Vertex => self.vertex.recall(shared, bytes, uses),
            KeyKind::Geometry => self.geometry.recall(shared, bytes, uses),
            KeyKind::Pixel => self.pixel.recall(shared, bytes, uses),
            KeyKind::Transfer => self.transfer.recall(shared, bytes, uses),
            KeyKind::ProgramVertex => self.program_vertex.recall(shared, bytes, uses),
            KeyKind::Fragment => self.fragment.recall(shared, bytes, uses),
            KeyKind::Macro => self.mme.recall(shared, bytes, uses),
            KeyKind::Shader => self.shader.recall(shared, bytes, uses),
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
        }
    }

    /// The kernel of a vertex key.
    pub fn vertex(&self, key: &VertexKey) -> VertexHandle {
        VertexHandle(self.vertex.get(&self.shared, key))
    }

    /// The kernel of a geometry key.
    pub fn geometry(&self, key: &GeometryKey) -> GeometryHandle {
        GeometryHandle(self.geometry.get(&self.shared, key))
    }

    /// The kernel of a pixel key.
    pub fn pixel(&self, key: &PixelKey) -> PixelHandle {
        PixelHandle(self.pixel.get(&self.shared, key))
    }

    /// The kernel of a transfer key.
    pub fn transfer(&self, key: &TransferKey) -> TransferHandle {
        TransferHandle(self.transfer.get(&self.shared, key))
    }

    /// The kernel of a vertex program's key.
    pub fn program_vertex(&self, key: &programs::vertex::VertexKey) -> ProgramVertexHandle {
        ProgramVertexHandle(self.program_vertex.get(&self.shared, key))
    }

    /// The kernel of a fragment program's key.
    pub fn fragment(&self, key: &FragmentKey) -> FragmentHandle {
        FragmentHandle(self.fragment.get(&self.shared, key))
    }

    /// The kernel of a program's key, one that is no fragment's.
    pub fn shader(&self, key: &ShaderKey) -> ShaderHandle {
        ShaderHandle(self.shader.get(&self.shared, key))
    }

    /// The kernel of a macro's key.
    pub fn mme(&self, key: &MmeKey) -> MmeHandle {
        MmeHandle(self.mme.get(&self.shared, key))
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
        let fixed = self.vertex.len() + self.geometry.len() + self.pixel.len();
        let programs = self.program_vertex.len() + self.fragment.len() + self.shader.len();
        fixed + programs + self.transfer.len() + self.mme.len()
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
            let mut used = self.vertex.known_keys();
            used.extend(self.geometry.known_keys());
            used.extend(self.pixel.known_keys());
            used.extend(self.transfer.known_keys());
            used.extend(self.program_vertex.known_keys());
            used.extend(self.fragment.known_keys());
            used.extend(self.shader.known_keys());
            used.extend(self.mme.known_keys());
            log.finish(used);
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

#[cfg(test)]
mod tests;
