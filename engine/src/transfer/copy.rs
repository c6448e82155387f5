//! Copies: whole where both sides are one mapping each, run by run otherwise.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Copy as CopyJob, TransferJob, TransferKey};
use triglyph_guest::kernel::window::buffer;

use super::pieces::{Want, gather, missing, scatter, window};
use super::{Copy, Lines, Outcome, Transfers};
use crate::mem::{GuestAddr, Memory};

/// Payload of a piece, about.
const PIECE: u64 = 128 << 10;

/// Bytes that are held between reading and writing where mappings do not suffice.
const STAGE: u64 = 64 << 10;

impl Transfers<'_> {
    pub(super) fn copy(&self, request: &Copy) -> Outcome {
        if !request.makes_sense() {
            return Outcome::default();
        }
        match (self.whole(request, Want::Read), self.whole(request, Want::Write)) {
            (Some(source), Some(target)) => self.copy_mapped(request, source, target),
            _ => copy_runs(self.memory, request),
        }
    }

    pub(super) fn is_divisible_copy(&self, request: &Copy) -> bool {
        let sides = self.whole(request, Want::Read).zip(self.whole(request, Want::Write));
        request.makes_sense()
            && sides.is_some_and(|(source, target)| !source.overlaps(target) && request.piece() < request.size)
    }

    /// One side of the copy, when it is all in one mapping.
    fn whole(&self, request: &Copy, want: Want) -> Option<Window<'_>> {
        let (place, lines) = match want {
            Want::Read => (request.source, request.source_lines),
            Want::Write => (request.target, request.target_lines),
        };
        let extent = usize::try_from(lines.extent(request.size)).ok()?;
        let window = window(self.memory, place, want);
        (window.len() >= extent).then(|| window.first(extent))
    }

    fn copy_mapped(&self, request: &Copy, source: Window<'_>, target: Window<'_>) -> Outcome {
        let Copy { size, source_lines, target_lines, .. } = *request;
        let piece = if source.overlaps(target) { size } else { request.piece() };
        let kernel = self.kernels.transfer(&TransferKey::Copy);
        self.for_each(size.div_ceil(piece) as usize, self.cost(size, &kernel), |i| {
            let first = i as u64 * piece;
            let size = piece.min(size - first);
            let line = |lines: Lines| if lines.gap == 0 { size } else { lines.line } as usize;
            kernel.run(&TransferJob::Copy(CopyJob {
                source: source.from(source_lines.offset(first) as usize),
                target: target.from(target_lines.offset(first) as usize),
                size: size as usize,
                source_line: line(source_lines),
                source_gap: source_lines.gap as usize,
                target_line: line(target_lines),
                target_gap: target_lines.gap as usize,
            }));
        });
        mark_lines(self.memory, request);
        Outcome::default()
    }
}

impl Copy {
    fn makes_sense(&self) -> bool {
        let gap_without_line = |lines: Lines| lines.gap != 0 && lines.line == 0;
        self.size != 0 && !gap_without_line(self.source_lines) && !gap_without_line(self.target_lines)
    }

    /// Payload of a piece: whole lines on either side.
    fn piece(&self) -> u64 {
        let unit = least_common_multiple(self.source_lines.unit(), self.target_lines.unit());
        unit.saturating_mul((PIECE / unit).max(1)).min(self.size)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).saturating_mul(b)
}

/// Notes every line that was written.
fn mark_lines(memory: &Memory, request: &Copy) {
    let Lines { line, gap } = request.target_lines;
    if gap == 0 {
        return memory.mark_written(request.target.range(request.size));
    }
    for index in 0..request.size.div_ceil(line) {
        let length = line.min(request.size - index * line);
        memory.mark_written(request.target.after(index * (line + gap)).range(length));
    }
}

/// One side of a copy that goes run by run.
struct Side {
    place: GuestAddr,
    lines: Lines,
    /// Bytes up to the next gap.
    rest: u64,
}

impl Side {
    fn new(place: GuestAddr, lines: Lines, size: u64) -> Self {
        let lines = if lines.gap == 0 { Lines { line: size, gap: 0 } } else { lines };
        Side { place, lines, rest: lines.line }
    }

    fn advance(&mut self, bytes: u64) {
        self.place = self.place.after(bytes);
        self.rest -= bytes;
        if self.rest == 0 {
            self.rest = self.lines.line;
            self.place = self.place.after(self.lines.gap);
        }
    }
}

/// Copies run by run, each at most [`STAGE`] bytes.
fn copy_runs(memory: &Memory, request: &Copy) -> Outcome {
    let mut outcome = Outcome::default();
    let mut source = Side::new(request.source, request.source_lines, request.size);
    let mut target = Side::new(request.target, request.target_lines, request.size);
    let stage = buffer(&vec![0; STAGE.min(request.size) as usize]);
    let mut left = request.size;
    let mut hole_end = 0;
    while left > 0 {
        let bytes = left.min(source.rest).min(target.rest).min(STAGE);
        if target.place.address >= hole_end && window(memory, target.place, Want::Write).is_empty() {
            // No border ahead: nothing is mapped from here on.
            let Some(border) = memory.border_after(target.place) else {
                outcome.dropped += left;
                break;
            };
            hole_end = border;
        }
        if target.place.address.saturating_add(bytes) <= hole_end {
            outcome.dropped += missing(memory, target.place, bytes);
        } else {
            let run = Window::new(&stage).first(bytes as usize);
            outcome.unread += gather(memory, source.place, run);
            outcome.dropped += scatter(memory, target.place, run);
        }
        source.advance(bytes);
        target.advance(bytes);
        left -= bytes;
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples() {
        assert_eq!(least_common_multiple(1, 16), 16);
        assert_eq!(least_common_multiple(32, 48), 96);
        assert_eq!(least_common_multiple(u64::MAX, u64::MAX - 1), u64::MAX);
    }

    #[test]
    fn extents_count_inner_gaps_only() {
        let lines = Lines { line: 32, gap: 16 };
        assert_eq!(lines.extent(0), 0);
        assert_eq!(lines.extent(32), 32);
        assert_eq!(lines.extent(33), 49);
        assert_eq!(lines.extent(64), 80);
        assert_eq!(Lines::CONTIGUOUS.extent(64), 64);
    }
}
