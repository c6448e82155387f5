//! Copies of surfaces before a scene that may have to be drawn again.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use triglyph_guest::kernel::Window;

use crate::mem::{copy_in, copy_out};
use crate::sched::Scheduler;

/// Scenes for which nothing is kept after one that had to be drawn again: the next ones are likely to be like it.
const PAUSE: u32 = 64;

/// Bytes that a thread copies in a nanosecond, from and to memory that is in no cache.
const BYTES_PER_NANOSECOND: u64 = 6;

/// Bytes that a thread copies at once.
const PIECE: usize = 1 << 16;

/// Room of so many bytes is kept from scene to scene.
const MAX_KEPT: usize = 32 << 20;

/// Where surfaces are kept.
#[derive(Debug, Default)]
pub struct Undo {
    room: Mutex<Vec<u8>>,
    /// Scenes for which nothing is to be kept.
    pause: AtomicU32,
}

/// The content of some windows.
#[derive(Debug)]
pub(super) struct SavedWindows<'a, 'm> {
    undo: &'a Undo,
    windows: &'a [Window<'m>],
    bytes: Vec<u8>,
}

impl Undo {
    /// Keeps what is in some windows, if several threads gain by that in a scene whose drawing takes one thread so many
    /// nanoseconds.
    pub(super) fn keep<'a, 'm>(
        &'a self,
        windows: &'a [Window<'m>],
        drawing: u64,
        scheduler: &Scheduler,
    ) -> Option<SavedWindows<'a, 'm>> {
        let size: usize = windows.iter().map(Window::len).sum();
        let copying = size as u64 / BYTES_PER_NANOSECOND;
        let gain = drawing - drawing / scheduler.threads() as u64;
        let is_worth_it = gain > 2 * copying && scheduler.shares(Duration::from_nanos(drawing));
        if !is_worth_it || self.pause.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
            return None;
        }
        let mut bytes = std::mem::take(&mut *self.room.lock().unwrap_or_else(PoisonError::into_inner));
        bytes.resize(size, 0);
        let pieces = pieces(windows, &mut bytes);
        scheduler.for_each_item(pieces, Duration::from_nanos(copying), |(window, bytes)| copy_out(window, bytes));
        Some(SavedWindows { undo: self, windows, bytes })
    }

    /// Notes that a scene had to be drawn again, so that the next ones are drawn in order at once.
    pub(super) fn pause(&self) {
        self.pause.store(PAUSE, Relaxed);
    }
}

impl SavedWindows<'_, '_> {
    /// Restores the content.
    pub(super) fn put_back(mut self, scheduler: &Scheduler) {
        let copying = self.bytes.len() as u64 / BYTES_PER_NANOSECOND;
        let pieces = pieces(self.windows, &mut self.bytes);
        scheduler.for_each_item(pieces, Duration::from_nanos(copying), |(window, bytes)| copy_in(bytes, window));
    }
}

impl Drop for SavedWindows<'_, '_> {
    fn drop(&mut self) {
        if self.bytes.capacity() <= MAX_KEPT {
            *self.undo.room.lock().unwrap_or_else(PoisonError::into_inner) = std::mem::take(&mut self.bytes);
        }
    }
}

/// Parts of windows, and of as many bytes as all of them have.
fn pieces<'m, 'b>(windows: &[Window<'m>], mut bytes: &'b mut [u8]) -> Vec<(Window<'m>, &'b mut [u8])> {
    let starts = windows.iter().flat_map(|window| (0..window.len()).step_by(PIECE).map(|start| window.from(start)));
    starts
        .map(|rest| {
            let window = rest.first(PIECE);
            let part = bytes.split_off_mut(..window.len()).unwrap_or_default();
            (window, part)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::kernel::window::buffer;

    #[test]
    fn what_is_kept_comes_back() {
        let old: Vec<u8> = (0..3 * PIECE).map(|n| (n * 7) as u8 ^ (n >> 5) as u8).collect();
        let bytes = buffer(&old);
        let all = Window::new(&bytes);
        let windows = [all.from(5).first(PIECE + 9), all.from(2 * PIECE).first(70)];
        let now = || (0..all.len()).map(|at| all.read::<1>(at)[0]).collect::<Vec<_>>();
        let scheduler = Scheduler::new(2).expect("two threads");
        let undo = Undo::default();
        for _ in 0..2 {
            let kept = undo.keep(&windows, u64::MAX / 2, &scheduler).expect("worth it");
            windows.iter().for_each(|window| (0..window.len()).for_each(|at| window.write(at, &[0x55])));
            assert!(now() != old);
            kept.put_back(&scheduler);
            assert!(now() == old);
            undo.pause();
            assert!((0..PAUSE).all(|_| undo.keep(&windows, u64::MAX / 2, &scheduler).is_none()));
        }
    }

    #[test]
    fn what_is_cheap_is_not_worth_it() {
        let bytes = buffer(&[0; 1 << 20]);
        let windows = [Window::new(&bytes)];
        let is_kept = |threads: usize, drawing: u64| {
            let scheduler = Scheduler::new(threads).expect("threads");
            Undo::default().keep(&windows, drawing, &scheduler).is_some()
        };
        assert!(is_kept(2, 5_000_000));
        assert!(!is_kept(1, 5_000_000) && !is_kept(2, 100_000));
    }
}
