//! Counters and times of drawing.

use std::time::Duration;

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
    /// Units of fuel that programs have taken from the scene's reserve.
    pub units: u64,
    /// Time in tiles, all threads added up.
    pub raster: Duration,
    /// Time for decoded textures.
    pub texture: Duration,
}

impl RasterStats {
    /// The counters without the times.
    pub fn without_work(self) -> Self {
        let RasterStats { samples, pixels, unmapped, exhausted, units, .. } = self;
        RasterStats { samples, pixels, unmapped, exhausted, units, ..RasterStats::default() }
    }

    /// Adds the counts of another part of the same scene.
    pub fn add(&mut self, other: &RasterStats) {
        self.blocks += other.blocks;
        self.hidden += other.hidden;
        self.samples = self.samples.wrapping_add(other.samples);
        self.pixels = self.pixels.wrapping_add(other.pixels);
        self.unmapped = self.unmapped.join(other.unmapped);
        self.exhausted = self.exhausted.wrapping_add(other.exhausted);
        self.units = self.units.wrapping_add(other.units);
        self.raster += other.raster;
        self.texture += other.texture;
    }
}
