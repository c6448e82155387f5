//! Fills of rectangles, in pieces of rows.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::transfer::{FillRect as Job, FillRectKey, TransferJob, TransferKey};
use triglyph_guest::layout::SurfaceLayout;

use super::pieces::{Want, missing, pieces, window};
use super::rearrange::{fits, mark_rect};
use super::{FillRect, Outcome, Transfers};

/// Bytes of a piece, about.
const PIECE: u64 = 128 << 10;

/// Pieces begin where rows of GOBs, and of squares of swizzled images, do.
const ROWS: u32 = 64;

impl Transfers<'_> {
    pub(super) fn fill_rect(&self, request: &FillRect) -> Outcome {
        if !matches!(request.bytes, 1 | 2 | 4 | 8 | 16) || request.width == 0 || request.height == 0 {
            return Outcome::default();
        }
        let extent = request.extent();
        let target = window(self.memory, request.target, Want::Write);
        if !fits(&request.to, request.width, request.height) || extent > request.limit || (target.len() as u64) < extent
        {
            return self.fill_units(request);
        }
        let key = FillRectKey { bytes: request.bytes, layout: request.to.layout.kind() };
        let kernel = self.kernels.transfer(&TransferKey::FillRect(key));
        // Rows of a pitch that is too short share bytes: the last one has to come last.
        let row = u64::from(request.width) * u64::from(request.bytes);
        let apart = request.to.layout != SurfaceLayout::Pitch || row <= u64::from(request.to.pitch);
        let rows = if apart { ((PIECE / row) as u32).max(1).next_multiple_of(ROWS) } else { u32::MAX };
        // The first piece is as much shorter as the rectangle begins after a row where pieces begin.
        let skipped = request.to.y % rows;
        let cost = self.cost(row * u64::from(request.height), &kernel);
        self.scheduler.for_each((skipped + request.height).div_ceil(rows) as usize, cost, |i| {
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

    /// What does not lie in memory as a whole: unit by unit.
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
                for (stored, (value, mask)) in piece.window.bytes().iter().zip(bits) {
                    stored.store(stored.load(Relaxed) & !mask | value & mask, Relaxed);
                }
                self.memory.mark_written(at.range(part.len() as u64));
            }
        }
        outcome
    }
}
