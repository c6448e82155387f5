//! Numbered pieces of work that threads take from both ends.

use std::sync::atomic::Ordering::Relaxed;

use crate::sync::atomic::AtomicU64;

/// Pieces of work, and which of them are taken.
///
/// They are not divided beforehand, as they differ a lot in size. A caller takes them from the back and its workers
/// from the front: so in one job after the other a thread has about the same part of a surface, which its cache still
/// holds.
#[derive(Debug)]
pub(crate) struct Pieces {
    count: u32,
    /// Calls of [`Self::take`] for the front, in the lower half, and for the back, in the upper one.
    calls: AtomicU64,
}

/// Where pieces are taken from.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Front,
    Back,
}

impl Pieces {
    /// So many pieces.
    pub fn new(count: u32) -> Self {
        Pieces { count, calls: AtomicU64::new(0) }
    }

    /// The next piece from an end. `None` once all are taken.
    pub fn take(&self, end: End) -> Option<usize> {
        let one = match end {
            End::Front => 1,
            End::Back => 1 << 32,
        };
        let (front, back) = halves(self.calls.fetch_add(one, Relaxed));
        // As long as pieces are left, each call before this one has taken a piece.
        let left = self.count.checked_sub(front)?.checked_sub(back).filter(|&left| left != 0)?;
        let piece = match end {
            End::Front => front,
            End::Back => front + left - 1,
        };
        Some(piece as usize)
    }

    /// No more piece is taken.
    pub fn close(&self) {
        self.calls.store(self.count.into(), Relaxed);
    }

    /// Whether no piece is left to take.
    pub fn is_empty(&self) -> bool {
        let (front, back) = halves(self.calls.load(Relaxed));
        u64::from(front) + u64::from(back) >= self.count.into()
    }
}

fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_meet() {
        let pieces = Pieces::new(5);
        let taken = [End::Front, End::Back, End::Back, End::Front, End::Front].map(|end| pieces.take(end));
        assert_eq!(taken, [0, 4, 3, 1, 2].map(Some));
        assert!(pieces.is_empty());
        assert_eq!([pieces.take(End::Back), pieces.take(End::Front)], [None; 2]);
        assert!(pieces.is_empty());
    }

    #[test]
    fn closed_pieces_are_not_taken() {
        let pieces = Pieces::new(3);
        assert_eq!(pieces.take(End::Back), Some(2));
        pieces.close();
        assert!(pieces.is_empty());
        assert_eq!([pieces.take(End::Back), pieces.take(End::Front)], [None; 2]);
    }
}
