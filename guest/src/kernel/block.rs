//! Blocks of 8x8 pixels.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// 8x8 pixels of one primitive.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PixelBlock {
    /// Index into [`PixelJob::primitives`](super::pixel::PixelJob::primitives).
    pub primitive: u32,
    /// Left edge in pixels, a multiple of 8.
    pub x: u16,
    /// First stored row, a multiple of 8.
    pub row: u16,
    /// Covered pixels, in the order in which the target stores them: bit i is the pixel at Morton index i.
    pub coverage: u64,
}

/// Which pixels of a block have passed all tests: a byte for each quad, in the order in which the target stores them,
/// bit k its pixel k. A kernel writes those of quads with a pixel that passes; the others keep what they had.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Survivors([AtomicU64; 2]);

impl Survivors {
    /// Adds the pixels of `passed`, which are bits as in [`PixelBlock::coverage`].
    pub fn add(&self, passed: u64) {
        for (quads, passed) in self.0.iter().zip([passed as u32, (passed >> 32) as u32]) {
            quads.fetch_or(spread(passed).to_le(), Relaxed);
        }
    }

    /// All of them, as bits of a coverage.
    pub fn coverage(&self) -> u64 {
        let [low, high] = &self.0;
        let gathered = |quads: &AtomicU64| u64::from(gather(u64::from_le(quads.load(Relaxed))));
        gathered(low) | gathered(high) << 32
    }
}

/// Eight times four bits, each in a byte.
fn spread(nibbles: u32) -> u64 {
    let halves = u64::from(nibbles);
    let halves = (halves | halves << 16) & 0x0000_FFFF_0000_FFFF;
    let bytes = (halves | halves << 8) & 0x00FF_00FF_00FF_00FF;
    (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F
}

/// The inverse of [`spread`].
fn gather(bytes: u64) -> u32 {
    let bytes = (bytes | bytes >> 4) & 0x00FF_00FF_00FF_00FF;
    let halves = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF;
    (halves | halves >> 16) as u32
}
