//! How many fragments a draw has at each pixel.

use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::layout::morton;

use super::Surface;

/// The fragments of a draw at each pixel, before any test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentCounts {
    /// Surfaces of the draw, colours first.
    pub surfaces: Vec<Surface>,
    /// Pixels of a row, whatever the samples.
    pub width: u32,
    /// Rows of pixels, in the order in which they are stored.
    pub rows: u32,
    /// Fragments of each pixel, row after row.
    pub counts: Vec<u32>,
}

impl FragmentCounts {
    /// No fragments at any pixel of a target.
    pub(crate) fn new(surfaces: &[Surface], (width, rows): (u32, u32)) -> Self {
        let counts = vec![0; width as usize * rows as usize];
        FragmentCounts { surfaces: surfaces.to_vec(), width, rows, counts }
    }

    /// Adds the fragments of blocks, each of which is there for every sample.
    pub(crate) fn add(&mut self, blocks: &[PixelBlock], samples: usize) {
        for block in blocks.chunks(samples.max(1)) {
            let Some(&PixelBlock { x, row, .. }) = block.first() else { continue };
            let covered = block.iter().fold(0, |any, sample| any | sample.coverage);
            for (dx, dy) in (0..8).flat_map(|dy| (0..8).map(move |dx| (dx, dy))) {
                let (x, y) = (u32::from(x) + dx, u32::from(row) + dy);
                if covered >> morton(dx, dy) & 1 != 0 && x < self.width && y < self.rows {
                    self.counts[(y * self.width + x) as usize] += 1;
                }
            }
        }
    }
}
