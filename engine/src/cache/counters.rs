//! Counters of the kernel cache.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::sync::atomic::AtomicU64;

/// What the cache has done so far.
#[derive(Debug, Default)]
pub struct Counters {
    pub(super) lookups: AtomicU64,
    pub(super) hits: AtomicU64,
    pub(super) recalled: AtomicU64,
    pub(super) compiled: AtomicU64,
    pub(super) wide: AtomicU64,
    pub(super) not_widened: AtomicU64,
    pub(super) compile_nanoseconds: AtomicU64,
    pub(super) unsupported: AtomicU64,
    pub(super) tiered_up: AtomicU64,
    pub(super) evicted: AtomicU64,
    pub(super) code_bytes: AtomicU64,
    pub(super) slots: AtomicU64,
    pub(super) interpreter_calls: AtomicU64,
    pub(super) compiled_calls: AtomicU64,
}

impl Counters {
    pub(super) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Relaxed);
    }

    pub(super) fn subtract(counter: &AtomicU64, amount: u64) {
        counter.fetch_sub(amount, Relaxed);
    }

    /// Adds 1 without an exclusive access to memory. Other threads that add to the same counter at the same time may
    /// lose what they add.
    pub(super) fn increment_alone(counter: &AtomicU64) {
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }

    /// Look-ups by key. Machines look a kernel up when state changes, not for each draw.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Relaxed)
    }

    /// Look-ups that found a kernel ready: compiled, known to be unsupported by the compiler, or the interpreter's
    /// where it is the only tier.
    pub fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    /// Keys that came from the key file.
    pub fn recalled(&self) -> u64 {
        self.recalled.load(Relaxed)
    }

    /// Kernels compiled; one that tiered up counts again.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Relaxed)
    }

    /// Of those, kernels with vectors of 256 bits.
    pub fn wide(&self) -> u64 {
        self.wide.load(Relaxed)
    }

    /// Of those, kernels with loops that could not have vectors of 256 bits, on a host that has these.
    pub fn not_widened(&self) -> u64 {
        self.not_widened.load(Relaxed)
    }

    /// Time spent compiling, on any thread.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.compile_nanoseconds.load(Relaxed))
    }

    /// Keys that the compiler does not support.
    pub fn unsupported(&self) -> u64 {
        self.unsupported.load(Relaxed)
    }

    /// Kernels compiled again by a better tier, because they are called often.
    pub fn tiered_up(&self) -> u64 {
        self.tiered_up.load(Relaxed)
    }

    /// Kernels removed to make room for others.
    pub fn evicted(&self) -> u64 {
        self.evicted.load(Relaxed)
    }

    /// Machine code held now, in bytes.
    pub fn code_bytes(&self) -> u64 {
        self.code_bytes.load(Relaxed)
    }

    /// Keys that the tables or scenes hold.
    pub(super) fn slots(&self) -> u64 {
        self.slots.load(Relaxed)
    }

    /// Kernel calls that the interpreter served.
    pub fn interpreter_calls(&self) -> u64 {
        self.interpreter_calls.load(Relaxed)
    }

    /// Kernel calls that compiled code served.
    pub fn compiled_calls(&self) -> u64 {
        self.compiled_calls.load(Relaxed)
    }
}
