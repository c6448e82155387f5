//! Ending a bounded run from another thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sync::atomic::AtomicU32;

/// Interrupts the bounded runs of a device. Clones interrupt the same device; any thread may, at any time, also after
/// the device is gone.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<AtomicU32>);

/// There is no interrupt.
const NONE: u32 = 0;
/// An interrupt is set. A larger number counts the remaining queries until it is set.
const SET: u32 = 1;

impl Interrupter {
    /// Ends the bounded run in progress before its next command, or in the middle of drawing, or else the next one
    /// before its first command. What is not drawn then is drawn by the next run, or by the first call that reads
    /// memory. Runs without bounds go on.
    pub fn interrupt(&self) {
        self.0.store(SET, Ordering::Release);
    }

    /// Interrupts when the device looks for an interrupt for the `looks`th time from now on, so that tests can
    /// interrupt it anywhere.
    #[doc(hidden)]
    pub fn interrupt_at_look(&self, looks: u32) {
        self.0.store(looks.saturating_add(SET).max(SET), Ordering::Release);
    }

    /// Whether an interrupt has not been taken yet.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        match self.0.load(Ordering::Relaxed) {
            NONE => false,
            SET => true,
            _ => self.count_look(),
        }
    }

    #[cold]
    fn count_look(&self) -> bool {
        let fewer = |looks: u32| (looks > SET).then(|| looks - 1);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer) {
            Ok(before) => before == SET + 1,
            Err(now) => now == SET,
        }
    }

    /// Takes the interrupt, and returns whether there was one.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(NONE, Ordering::Acquire) == SET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_stays_until_it_is_taken() {
        let interrupter = Interrupter::default();
        assert!(!interrupter.is_set() && !interrupter.take());
        interrupter.interrupt();
        assert!(interrupter.is_set() && interrupter.is_set() && interrupter.take() && !interrupter.is_set());
        interrupter.interrupt_at_look(3);
        assert_eq!([(); 4].map(|()| interrupter.is_set()), [false, false, true, true]);
        assert!(interrupter.take());
        interrupter.interrupt_at_look(3);
        assert!(!interrupter.is_set() && !interrupter.take() && !interrupter.is_set());
    }
}
