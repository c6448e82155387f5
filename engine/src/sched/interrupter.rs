//! Ending a bounded run from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Interrupts the bounded runs of a device. Clones interrupt the same device; any thread may, at any time, also after
/// the device is gone.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<AtomicBool>);

impl Interrupter {
    /// Ends the bounded run in progress before its next command, or else the next one before its first. Runs without
    /// bounds go on. What a device drew so far stays in its scene, so that nothing has to be waited for.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether an interrupt has not been taken yet.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes the interrupt, and returns whether there was one.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Acquire)
    }
}
