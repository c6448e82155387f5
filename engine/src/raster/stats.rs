//! Counters and times of drawing.

use std::time::Duration;

#[cfg(doc)]
use triglyph_guest::kernel::program::environment::Environment;

use crate::mem::UnmappedAccesses;

/// Counters and times of drawing a scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterStats {
    /// 8x8 blocks given to kernels.
    pub blocks: u64,
    /// Pixels that passed their tests but were left out.
    pub hidden: u64,
    /// Samples that passed the tests of draws that count them.
    pub samples: u64,
    /// Covered pixels of draws whose programs declare their resources.
    pub pixels: u64,
    /// Accesses of programs to unmapped memory.
    pub unmapped: UnmappedAccesses,
    /// Programs that did not end.
    pub exhausted: u32,
    /// Instructions that programs with loops have executed beyond what was paid before ([`Environment::excess`]).
    pub excess: u64,
    /// Tiles whose programs with loops had no instructions left.
    pub unfinished: u32,
    /// Time in tiles, all threads added up.
    pub raster: Duration,
    /// Time for decoded textures.
    pub texture: Duration,
}

impl RasterStats {
    /// The counters without the times.
    pub fn without_work(self) -> Self {
        let RasterStats { samples, pixels, unmapped, exhausted, excess, unfinished, .. } = self;
        RasterStats { samples, pixels, unmapped, exhausted, excess, unfinished, ..RasterStats::default() }
    }

    /// Adds the counts of another part of the same scene.
    pub fn add(&mut self, other: &RasterStats) {
        self.blocks += other.blocks;
        self.hidden += other.hidden;
        self.samples = self.samples.wrapping_add(other.samples);
        self.pixels = self.pixels.wrapping_add(other.pixels);
        self.unmapped = self.unmapped.join(other.unmapped);
        self.exhausted = self.exhausted.wrapping_add(other.exhausted);
        self.excess = self.excess.wrapping_add(other.excess);
        self.unfinished = self.unfinished.wrapping_add(other.unfinished);
        self.raster += other.raster;
        self.texture += other.texture;
    }
}
