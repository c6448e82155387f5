//! Ranges of guest memory cut at the borders of mappings.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::SurfaceLayout;

use crate::mem::{GuestAddr, Memory};

/// The requested access to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Read,
    Write,
}

/// A part of a range: all in one mapping, or all outside any that allows the access.
#[derive(Clone, Debug)]
pub(super) struct Piece<'m> {
    /// The part, relative to the range.
    pub range: Range<u64>,
    /// Its bytes; empty for a hole.
    pub window: Window<'m>,
}

/// The pieces of `size` bytes at `place`, in order, without gaps.
pub(super) fn pieces(memory: &Memory, place: GuestAddr, size: u64, want: Want) -> impl Iterator<Item = Piece<'_>> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= size {
            return None;
        }
        let at = place.after(done);
        let window = window(memory, at, want).first(usize::try_from(size - done).unwrap_or(usize::MAX));
        let length = match window.len() as u64 {
            0 => memory.border_after(at).map_or(size - done, |border| (border - at.address).min(size - done)),
            length => length,
        };
        let range = done..done + length;
        done += length;
        Some(Piece { range, window })
    })
}

/// Rows of a piece of a rectangle whose rows have `row` bytes, 1 or more; `None` where rows of a pitch that is too
/// short share bytes: the last one has to be written last.
pub(super) fn rows_of_piece(to: &Corner, row: u64) -> Option<u32> {
    /// Bytes of a piece, about.
    const PIECE: u64 = 128 << 10;
    let apart = to.layout != SurfaceLayout::Pitch || row <= u64::from(to.pitch);
    apart.then(|| ((PIECE / row) as u32).max(1))
}

/// Memory from `place` to the end of its mapping.
pub(super) fn window(memory: &Memory, place: GuestAddr, want: Want) -> Window<'_> {
    match want {
        Want::Read => memory.readable(place),
        Want::Write => memory.writable(place),
    }
}

/// Bytes of a hole that count as missing: all, unless there is no memory on purpose.
pub(super) fn missing(memory: &Memory, place: GuestAddr, bytes: u64) -> u64 {
    if memory.is_sparse(place) { 0 } else { bytes }
}

/// Reads a range into `out`; holes give zeros. Returns how many bytes were not there.
pub(super) fn gather(memory: &Memory, place: GuestAddr, out: Window<'_>) -> u64 {
    let mut missing = 0;
    for piece in pieces(memory, place, out.len() as u64, Want::Read) {
        let target = &out.bytes()[piece.range.start as usize..piece.range.end as usize];
        if piece.window.is_empty() {
            missing += self::missing(memory, place.after(piece.range.start), piece.range.end - piece.range.start);
            target.iter().for_each(|byte| byte.store(0, Relaxed));
        } else {
            piece.window.note_read(0, target.len());
            target.iter().zip(piece.window.bytes()).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
        }
    }
    missing
}

/// Writes a range from `bytes` and notes what was written. Returns how many bytes had no place.
pub(super) fn scatter(memory: &Memory, place: GuestAddr, bytes: Window<'_>) -> u64 {
    let mut missing = 0;
    for piece in pieces(memory, place, bytes.len() as u64, Want::Write) {
        let length = piece.range.end - piece.range.start;
        if piece.window.is_empty() {
            missing += self::missing(memory, place.after(piece.range.start), length);
        } else {
            let source = &bytes.bytes()[piece.range.start as usize..piece.range.end as usize];
            piece.window.note_write(0, source.len());
            piece.window.bytes().iter().zip(source).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
            memory.mark_written(place.after(piece.range.start).range(length));
        }
    }
    missing
}
