//! Fills of rectangles, in pieces of rows.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{FillRect as Job, FillRectKey, TransferJob, TransferKey};
use triglyph_guest::layout::SurfaceLayout;

use super::pieces::{Want, missing, pieces, rows_of_piece, window};
use super::rearrange::mark_rect;
use super::request::fits;
use super::{FillRect, Outcome, Transfers};

/// Pieces begin where rows of GOBs, and of squares of swizzled images, do.
const ROWS: u32 = 64;

/// Pieces are so many times smaller than those of other transfers: 32 KiB, or 64 rows.
const SMALLER: u32 = 4;

impl Transfers<'_> {
    pub(super) fn is_divisible_rect(&self, request: &FillRect) -> bool {
        request.makes_sense()
            && self.whole_image(request).is_some()
            && request.rows_of_piece().is_some_and(|rows| request.height > rows)
    }

    /// The image up to the end of the rectangle, when it is all in one mapping.
    fn whole_image(&self, request: &FillRect) -> Option<Window<'_>> {
        let extent = request.extent();
        let target = window(self.memory, request.target, Want::Write);
        let whole = extent <= request.limit && extent <= target.len() as u64;
        (whole && fits(&request.to, request.width, request.height)).then_some(target)
    }

    pub(super) fn fill_rect(&self, request: &FillRect) -> Outcome {
        if !request.makes_sense() {
            return Outcome::default();
        }
        let Some(target) = self.whole_image(request) else { return self.fill_units(request) };
        let key = FillRectKey { bytes: request.bytes, layout: request.to.layout.kind() };
        let kernel = self.kernels.transfer(&TransferKey::FillRect(key));
        let rows = request.rows_of_piece().unwrap_or(u32::MAX);
        // The first piece is as much shorter as the rectangle begins after a row where pieces begin.
        let skipped = request.to.y % rows;
        let cost = self.cost(request.row() * u64::from(request.height), &kernel);
        self.for_each((skipped + request.height).div_ceil(rows) as usize, cost, |i| {
            let first = (i as u32 * rows).saturating_sub(skipped);
            let end = (i as u32 * rows).saturating_add(rows - skipped).min(request.height);
            kernel.run(&TransferJob::FillRect(Job {
                target,
                to: request.to,
                width: request.width,
                rows: first..end,
                value: request.value,
                mask: request.mask,
            }));
        });
        mark_rect(self.memory, request.target, &request.to, [request.width, request.height], request.bytes);
        Outcome::default()
    }

    /// Rectangles that are not mapped as a whole: unit by unit.
    fn fill_units(&self, request: &FillRect) -> Outcome {
        let bytes = u64::from(request.bytes);
        let mut outcome = Outcome::default();
        for (x, y) in (0..request.height).flat_map(|y| (0..request.width).map(move |x| (x, y))) {
            let offset = request.to.offset(x, y, request.bytes.into());
            if offset.saturating_add(bytes) > request.limit {
                outcome.dropped += bytes;
                continue;
            }
            let place = request.target.after(offset);
            for piece in pieces(self.memory, place, bytes, Want::Write) {
                let (part, at) = (piece.range.start as usize..piece.range.end as usize, place.after(piece.range.start));
                if piece.window.is_empty() {
                    outcome.dropped += missing(self.memory, at, part.len() as u64);
                    continue;
                }
                let bits = request.value[part.clone()].iter().zip(&request.mask[part.clone()]);
                match request.mask[part.clone()].iter().all(|&mask| mask == 0xFF) {
                    true => piece.window.note_write(0, part.len()),
                    false => piece.window.note_read(0, part.len()),
                }
                for (stored, (value, mask)) in piece.window.bytes().iter().zip(bits) {
                    stored.store(stored.load(Relaxed) & !mask | value & mask, Relaxed);
                }
                self.memory.mark_written(at.range(part.len() as u64));
            }
        }
        outcome
    }
}

impl FillRect {
    fn makes_sense(&self) -> bool {
        matches!(self.bytes, 1 | 2 | 4 | 8 | 16) && self.width != 0 && self.height != 0
    }

    /// Bytes of a row of the rectangle.
    fn row(&self) -> u64 {
        u64::from(self.width) * u64::from(self.bytes)
    }

    /// Rows of a piece; `None` where the rectangle is done as one.
    fn rows_of_piece(&self) -> Option<u32> {
        // Memory that is touched for the first time takes ten times as long, so pieces are small.
        let rows = rows_of_piece(&self.to, self.row())?.div_ceil(SMALLER);
        Some(if self.to.layout == SurfaceLayout::Pitch { rows } else { rows.next_multiple_of(ROWS) })
    }
}
