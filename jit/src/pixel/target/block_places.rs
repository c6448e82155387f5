//! Addresses of blocks of 8x8 pixels in a surface, and of quads and samples in them: the formulas of layouts, with
//! their constant parts precomputed.

use triglyph_guest::kernel::program::fragment::{MAX_SAMPLES, Samples};
use triglyph_guest::layout::surface::gob_offset;
use triglyph_guest::layout::{SurfaceLayout, unmorton};

use crate::pixel::plan::programs::SurfacePlan;

/// The places of blocks in a surface. The offset of a block is the sum of its column's and its row's.
#[derive(Clone, Copy, Debug)]
pub struct BlockPlaces {
    layout: SurfaceLayout,
    /// Bytes of a stored pixel.
    bytes: u32,
    samples: Samples,
    /// Of each 8 bytes of a GOB's row where they are.
    within: [u32; 8],
    /// log2 of the bytes from a column of GOBs to the next.
    column: u32,
    /// log2 of the stored rows of a row of blocks of GOBs, or of a row.
    rows: u32,
    /// log2 of the bytes that a unit of the pitch is in a row of those.
    pitch: u32,
    /// GOBs on top of each other, minus 1.
    gobs: u32,
    quads: Steps<16>,
    steps: Steps<MAX_SAMPLES>,
}

/// Offsets: a part that does not depend on the pitch, and how often the pitch is added.
#[derive(Clone, Copy, Debug)]
struct Steps<const N: usize> {
    fixed: [u32; N],
    pitches: [u32; N],
}

impl<const N: usize> Steps<N> {
    /// Those of stored pixels of a surface.
    fn new(surface: &SurfacePlan, pixel: impl Fn(u32) -> (u32, u32)) -> Self {
        let offset = |i: usize, pitch: u32| {
            let (x, y) = pixel(i as u32);
            surface.layout.offset(x, y, surface.grid.bytes, pitch) as u32
        };
        let fixed = std::array::from_fn(|i| offset(i, 0));
        Steps { fixed, pitches: std::array::from_fn(|i| offset(i, 1) - offset(i, 0)) }
    }

    #[inline]
    fn with(&self, pitch: u32) -> [u32; N] {
        std::array::from_fn(|i| self.fixed[i].wrapping_add(self.pitches[i].wrapping_mul(pitch)))
    }
}

impl BlockPlaces {
    /// Those of a surface with so many samples a pixel.
    pub fn new(surface: &SurfacePlan, samples: Samples) -> BlockPlaces {
        let (layout, bytes) = (surface.layout, surface.grid.bytes);
        let (across, down) = (u32::from(samples.across), u32::from(samples.down));
        let quad = |i: u32| {
            let (x, y) = unmorton(i);
            (2 * x * across, 2 * y * down)
        };
        let rows = BlockPlaces {
            layout,
            bytes,
            samples,
            within: std::array::from_fn(|i| 8 * i as u32),
            column: 6,
            rows: 0,
            pitch: 0,
            gobs: 0,
            quads: Steps::new(surface, quad),
            steps: Steps::new(surface, |i| if i < across * down { (i % across, i / across) } else { (0, 0) }),
        };
        let (log2_gobs, log2_slices) = match layout {
            SurfaceLayout::Pitch | SurfaceLayout::Swizzled { .. } => return rows,
            SurfaceLayout::BlockLinear { log2_gobs } => (u32::from(log2_gobs), 0),
            SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => (u32::from(log2_gobs), u32::from(log2_slices)),
        };
        let column = 9 + log2_gobs + log2_slices;
        let within = std::array::from_fn(|i| gob_offset(8 * i as u32, 0));
        BlockPlaces { within, column, rows: 3 + log2_gobs, pitch: column, gobs: (1 << log2_gobs) - 1, ..rows }
    }

    /// Offset of the column of blocks that begins with pixel `x`.
    #[inline]
    pub fn column(&self, x: u16) -> u64 {
        let x = u32::from(x) * u32::from(self.samples.across);
        if let SurfaceLayout::Swizzled { .. } = self.layout {
            return self.layout.offset(x, 0, self.bytes, 0);
        }
        let byte = x * self.bytes;
        (u64::from(byte >> 6) << self.column) + u64::from(self.within[(byte >> 3 & 7) as usize])
    }

    /// Offset of the first sample of each quad of a block, in a surface of this pitch.
    pub fn quads(&self, pitch: u32) -> [u32; 16] {
        self.quads.with(pitch)
    }

    /// Bytes from the first sample of a pixel to each of them, in a surface of this pitch.
    pub fn samples(&self, pitch: u32) -> [u32; MAX_SAMPLES] {
        if self.samples == Samples::ONE { [0; MAX_SAMPLES] } else { self.steps.with(pitch) }
    }

    /// Offset of the row of blocks that begins with row `y`, in a surface of this pitch.
    #[inline]
    pub fn row(&self, y: u16, pitch: u32) -> u64 {
        let y = u32::from(y) * u32::from(self.samples.down);
        if let SurfaceLayout::Swizzled { .. } = self.layout {
            return self.layout.offset(0, y, self.bytes, pitch);
        }
        u64::from(y >> self.rows) * (u64::from(pitch) << self.pitch) + 512 * u64::from(y >> 3 & self.gobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixel::target::surface::Grid;

    #[test]
    fn places_are_those_of_the_layouts() {
        let layouts = [
            SurfaceLayout::Pitch,
            SurfaceLayout::Swizzled { log2_width: 9, log2_height: 7 },
            SurfaceLayout::BlockLinear { log2_gobs: 0 },
            SurfaceLayout::BlockLinear { log2_gobs: 4 },
            SurfaceLayout::BlockSlice { log2_gobs: 2, log2_slices: 3 },
        ];
        for (layout, bytes) in layouts.into_iter().flat_map(|layout| [1, 2, 4, 8, 16].map(|bytes| (layout, bytes))) {
            for samples in [Samples::ONE, Samples { across: 2, down: 1 }, Samples { across: 4, down: 2 }] {
                let surface = SurfacePlan::new(0, Grid::new(layout, bytes, samples).unwrap(), layout);
                let places = BlockPlaces::new(&surface, samples);
                for (x, y) in (0..16u16).flat_map(|x| (0..16u16).map(move |y| (8 * x, 8 * y))) {
                    let stored = (u32::from(x) * u32::from(samples.across), u32::from(y) * u32::from(samples.down));
                    let want = layout.offset(stored.0, stored.1, bytes, 4096);
                    assert_eq!(places.column(x) + places.row(y, 4096), want, "{layout:?} {bytes} {x} {y}");
                }
            }
        }
    }
}
