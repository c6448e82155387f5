//! Number of fragments of a draw at each pixel, by their results.

use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::layout::morton;

use super::{Surface, Verdict};
use crate::rect::Rect;

/// Pixels of the largest area whose fragments are counted. With their results, counts take some 60 bytes each.
pub(crate) const MAX_PIXELS: usize = 1 << 23;

/// The requested details of draws' fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counting {
    /// Nothing.
    #[default]
    Nothing,
    /// How many there are at each pixel.
    Fragments,
    /// The result of each fragment, too: primitives are drawn one by one, several times each.
    Verdicts,
}

/// The fragments of a draw at each pixel, before any test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentCounts {
    /// Surfaces of the draw, colours first.
    pub surfaces: Vec<Surface>,
    /// Pixels outside of which there are no fragments, whatever the samples: the first of a row, the first row in the
    /// order in which they are stored, pixels of a row, rows.
    pub area: [u32; 4],
    /// Fragments of each pixel of the area, row after row; none if it has more than 2^23 pixels.
    pub counts: Vec<u32>,
    /// Their results, if they were requested; `None` where they are not determined: where tiles share memory, surfaces
    /// are not all there, draws have more than 2^16 primitives or 2^23 stored pixels, or the observer's deadline is
    /// over.
    pub judged: Option<Judged>,
}

/// Results of the fragments of a draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// By [`Verdict::ALL`]: fragments of each stored pixel of the area, row after row. With several samples each of
    /// them is a pixel.
    pub verdicts: [Vec<u32>; Verdict::ALL.len()],
    /// Primitives with fragments, in the order in which they are drawn.
    pub primitives: Vec<JudgedPrimitive>,
}

/// A primitive, and the results of its fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgedPrimitive {
    /// Which one of the draw it is, in the order in which they were set up.
    pub primitive: u32,
    /// Stored pixels outside of which it has none: the first of a row, the first row, pixels of a row, rows.
    pub area: [u32; 4],
    /// How many there are, by [`Verdict::ALL`].
    pub verdicts: [u32; Verdict::ALL.len()],
}

impl FragmentCounts {
    /// No fragments at any pixel within bounds, if there are any.
    pub(crate) fn new(surfaces: &[Surface], bounds: Option<Rect>) -> Self {
        let area = bounds.map_or([0; 4], area_of);
        let pixels = area[2] as usize * area[3] as usize;
        let counts = vec![0; if pixels <= MAX_PIXELS { pixels } else { 0 }];
        FragmentCounts { surfaces: surfaces.to_vec(), area, counts, judged: None }
    }

    /// Whether there is room for fragments.
    pub(crate) fn has_pixels(&self) -> bool {
        !self.counts.is_empty()
    }

    /// Adds the fragments of blocks, each of which is there for every sample.
    pub(crate) fn add(&mut self, blocks: &[PixelBlock], samples: usize) {
        let [x0, y0, width, rows] = self.area;
        for block in blocks.chunks(samples.max(1)) {
            let Some(&PixelBlock { x, row, .. }) = block.first() else { continue };
            let covered = block.iter().fold(0, |any, sample| any | sample.coverage);
            for (x, y) in covered_pixels(x, row, covered) {
                let (Some(dx), Some(dy)) = (x.checked_sub(x0), y.checked_sub(y0)) else { continue };
                if dx < width && dy < rows {
                    self.counts[(dy * width + dx) as usize] += 1;
                }
            }
        }
    }
}

/// The pixels that a block at (`x`, `row`) covers.
pub(crate) fn covered_pixels(x: u16, row: u16, coverage: u64) -> impl Iterator<Item = (u32, u32)> {
    let all = (0..8).flat_map(|dy| (0..8).map(move |dx| (dx, dy)));
    let covered = all.filter(move |&(dx, dy)| coverage >> morton(dx, dy) & 1 != 0);
    covered.map(move |(dx, dy)| (u32::from(x) + dx, u32::from(row) + dy))
}

/// Its first pixel and row, pixels of a row, rows.
pub(crate) fn area_of(rect: Rect) -> [u32; 4] {
    [rect.x0, rect.y0, rect.width(), rect.height()]
}
