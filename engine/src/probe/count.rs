//! Number of fragments of a draw at each pixel, by their results.

use std::collections::HashMap;

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
    /// Where the borders of primitives are, and which ones show their backs, too.
    Shapes,
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
    /// Of each pixel of the area [`Self::BORDER`] and [`Self::BACK`], if they were requested; none if the area has no
    /// counts or the observer's deadline is over.
    pub shapes: Vec<u8>,
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
    /// The pixel is of a primitive that has no fragment at one of its four neighbours.
    pub const BORDER: u8 = 1;
    /// The pixel is of a primitive that shows its back: on the 3DS, where no register says which side is the front, of
    /// one that is clockwise with y upwards.
    pub const BACK: u8 = 2;

    /// No fragments at any pixel within bounds, if there are any.
    pub(crate) fn new(surfaces: &[Surface], bounds: Option<Rect>) -> Self {
        let area = bounds.map_or([0; 4], area_of);
        let pixels = area[2] as usize * area[3] as usize;
        let counts = vec![0; if pixels <= MAX_PIXELS { pixels } else { 0 }];
        FragmentCounts { surfaces: surfaces.to_vec(), area, counts, judged: None, shapes: Vec::new() }
    }

    /// Whether there is room for fragments.
    pub(crate) fn has_pixels(&self) -> bool {
        !self.counts.is_empty()
    }

    /// Adds the shape of a primitive.
    pub(crate) fn add_shape(&mut self, blocks: &[PixelBlock], is_back: bool) {
        let [x0, y0, width, rows] = self.area;
        for (x, y, is_border) in Cover::new(blocks).pixels() {
            let (Some(dx), Some(dy)) = (x.checked_sub(x0), y.checked_sub(y0)) else { continue };
            if dx < width && dy < rows {
                let shape = if is_border { Self::BORDER } else { 0 } | if is_back { Self::BACK } else { 0 };
                self.shapes[(dy * width + dx) as usize] |= shape;
            }
        }
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

/// The fragments of one primitive, by blocks.
pub(crate) struct Cover(HashMap<(u32, u32), u64>);

impl Cover {
    /// Those of blocks, each of which is there for every sample.
    pub(crate) fn new(blocks: &[PixelBlock]) -> Self {
        let mut found = HashMap::new();
        for block in blocks {
            *found.entry((u32::from(block.x), u32::from(block.row))).or_insert(0) |= block.coverage;
        }
        Cover(found)
    }

    fn has(&self, x: u32, y: u32) -> bool {
        let coverage = self.0.get(&(x & !7, y & !7)).copied().unwrap_or(0);
        coverage >> morton(x & 7, y & 7) & 1 != 0
    }

    /// Its pixels, and whether each is at the border.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = (u32, u32, bool)> {
        let all = self.0.iter().flat_map(|(&(x, row), &coverage)| covered_pixels(x as u16, row as u16, coverage));
        all.map(|(x, y)| {
            let neighbours = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            (x, y, neighbours.into_iter().any(|(x, y)| !self.has(x, y)))
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_of_a_primitive_goes_across_blocks() {
        // Two whole blocks side by side: 16x8 pixels, of which 14x6 are inside.
        let block = |x| PixelBlock { x, row: 8, coverage: !0, ..PixelBlock::default() };
        let blocks = [block(0), block(8)];
        let bounds = Rect { x0: 0, y0: 8, x1: 15, y1: 15 };
        let mut counts = FragmentCounts::new(&[], Some(bounds));
        counts.shapes = vec![0; counts.counts.len()];
        counts.add_shape(&blocks, true);
        assert!(counts.shapes.iter().all(|shape| shape & FragmentCounts::BACK != 0));
        for (at, shape) in (0u32..).zip(&counts.shapes) {
            let (x, y) = (at % 16, at / 16);
            let is_border = x == 0 || x == 15 || y == 0 || y == 7;
            assert_eq!(shape & FragmentCounts::BORDER != 0, is_border, "({x}, {y})");
        }
    }
}
