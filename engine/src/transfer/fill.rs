//! Fills, in pieces of whole patterns.

use smallvec::SmallVec;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Fill as FillJob, TransferJob, TransferKey};

use super::pieces::{Want, missing, pieces, window};
use super::{Fill, Outcome, Transfers};

/// Bytes of a piece: a multiple of every pattern's length.
const PIECE: usize = 12 << 13;

impl Transfers<'_> {
    pub(super) fn is_divisible_fill(&self, request: &Fill) -> bool {
        let target = window(self.memory, request.target, Want::Write);
        request.size > PIECE as u64 && target.len() as u64 >= request.size
    }

    pub(super) fn fill(&self, request: &Fill) -> Outcome {
        let bytes = request.bytes.clamp(2, 4);
        let mut outcome = Outcome::default();
        let mut jobs: SmallVec<[FillJob<'_>; 8]> = SmallVec::new();
        for piece in pieces(self.memory, request.target, request.size, Want::Write) {
            let length = piece.range.end - piece.range.start;
            if piece.window.is_empty() {
                outcome.dropped += missing(self.memory, request.target.after(piece.range.start), length);
                continue;
            }
            let value = rotate(request.value, bytes, piece.range.start);
            jobs.extend(split(piece.window).map(|target| FillJob { target, value }));
            self.memory.mark_written(request.target.after(piece.range.start).range(length));
        }
        let kernel = self.kernels.transfer(&TransferKey::Fill { bytes });
        let cost = self.cost(request.size, &kernel);
        self.for_each(jobs.len(), cost, |i| kernel.run(&TransferJob::Fill(jobs[i])));
        outcome
    }
}

/// The parts of a window that one call each fills.
fn split(window: Window<'_>) -> impl Iterator<Item = Window<'_>> {
    (0..window.len()).step_by(PIECE).map(move |start| window.from(start).first(PIECE))
}

/// The pattern as it looks `offset` bytes after its start.
fn rotate(value: u32, bytes: u8, offset: u64) -> u32 {
    let pattern = &value.to_le_bytes()[..usize::from(bytes)];
    let start = (offset % u64::from(bytes)) as usize;
    let mut rotated = [0; 4];
    for (i, byte) in rotated.iter_mut().take(pattern.len()).enumerate() {
        *byte = pattern[(start + i) % pattern.len()];
    }
    u32::from_le_bytes(rotated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_rotate_by_bytes() {
        assert_eq!(rotate(0x0033_2211, 3, 0), 0x0033_2211);
        assert_eq!(rotate(0x0033_2211, 3, 4), 0x0011_3322);
        assert_eq!(rotate(0x4433_2211, 4, 3), 0x3322_1144);
        assert_eq!(rotate(0xFFFF_2211, 2, 1), 0x1122);
    }
}
