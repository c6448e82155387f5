//! The content of memory before the first store.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;

use triglyph_guest::kernel::Window;

use super::{lock, place};
use crate::mem::{append_copy, copy_in};

/// Bytes that are kept at once, at multiples of them.
pub(super) const PIECE: usize = 1 << 16;

/// Bytes that are kept at most.
const MAX_KEPT: usize = 64 << 20;

/// Memory for the copies, reused from grid to grid.
#[derive(Debug, Default)]
pub struct KeptRoom(Mutex<Vec<Vec<u8>>>);

/// Pieces of memory that stay for the next grid: 32 MB.
const MAX_ROOM: usize = (32 << 20) / PIECE;

/// Copies of memory before the first store.
#[derive(Debug, Default)]
pub(super) struct SavedMemory<'m> {
    pieces: Vec<(Window<'m>, Vec<u8>)>,
    /// Their host addresses and lengths.
    known: HashSet<(usize, usize)>,
    size: usize,
}

impl<'m> SavedMemory<'m> {
    /// Copies the content of a window, unless it was copied before. Fails if it is too large.
    pub(super) fn keep(&mut self, window: Window<'m>, room: &KeptRoom) -> bool {
        if !self.known.insert((window.as_ptr().addr(), window.len())) {
            return true;
        }
        self.size += window.len();
        if self.size > MAX_KEPT {
            return false;
        }
        let mut bytes = lock(&room.0).pop().unwrap_or_default();
        append_copy(window, &mut bytes);
        self.pieces.push((window, bytes));
        true
    }

    /// Lets the next grid have the memory.
    pub(super) fn give_back(self, room: &KeptRoom) {
        let mut room = lock(&room.0);
        let free = MAX_ROOM.saturating_sub(room.len());
        room.extend(self.pieces.into_iter().take(free).map(|(_, mut bytes)| {
            bytes.clear();
            bytes
        }));
    }

    /// Restores some sorted ranges of host addresses. The copy that was made first is right.
    pub(super) fn put_back(&self, stored: &[Range<u64>]) {
        for (window, bytes) in self.pieces.iter().rev() {
            let own = place(*window);
            let first = stored.partition_point(|range| range.end <= own.start);
            for range in stored[first..].iter().take_while(|range| range.start < own.end) {
                let start = range.start.max(own.start) - own.start;
                let end = range.end.min(own.end) - own.start;
                let part = start as usize..end as usize;
                copy_in(&bytes[part.clone()], window.from(part.start).first(part.len()));
            }
        }
    }
}

/// The parts of a window at multiples of [`PIECE`] on the host.
pub(super) fn pieces(window: Window<'_>) -> impl Iterator<Item = Window<'_>> {
    let mut rest = window;
    std::iter::from_fn(move || {
        let piece = rest.first(PIECE - rest.as_ptr().addr() % PIECE);
        rest = rest.from(piece.len());
        (!piece.is_empty()).then_some(piece)
    })
}
