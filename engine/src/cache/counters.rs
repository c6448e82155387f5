//! Counters of the kernel cache.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::sync::atomic::AtomicU64;

/// Counters, each with a method of its name that reads it.
macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $visibility:vis $name:ident;)+) => {
        /// What the cache has done so far.
        #[derive(Debug, Default)]
        pub struct Counters {
            $(pub(super) $name: AtomicU64,)+
            pub(super) compile_nanoseconds: AtomicU64,
        }

        impl Counters {
            $(
                $(#[doc = $doc])+
                $visibility fn $name(&self) -> u64 {
                    self.$name.load(Relaxed)
                }
            )+
        }
    };
}

counters! {
    /// Look-ups by key. Machines look a kernel up when state changes, not for each draw.
    pub lookups;
    /// Look-ups that found a kernel ready: compiled, known to be unsupported by the compiler, or the interpreter's
    /// where it is the only tier.
    pub hits;
    /// Keys that came from the key file.
    pub recalled;
    /// Kernels compiled; one that tiered up counts again.
    pub compiled;
    /// Of those, kernels with vectors of 256 bits.
    pub wide;
    /// Of those, kernels with loops that could not have vectors of 256 bits, on a host that has these.
    pub not_widened;
    /// Keys that the compiler does not support.
    pub unsupported;
    /// Kernels compiled again by a better tier, because they are called often.
    pub tiered_up;
    /// Kernels removed to make room for others.
    pub evicted;
    /// Machine code held now, in bytes.
    pub code_bytes;
    /// Keys that the tables or scenes hold.
    pub(super) slots;
    /// Kernel calls that the interpreter served.
    pub interpreter_calls;
    /// Kernel calls that compiled code served.
    pub compiled_calls;
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

    /// Time spent compiling, on any thread.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.compile_nanoseconds.load(Relaxed))
    }
}
