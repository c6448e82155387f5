//! Checks of jobs, of any machine, on which the validity of addresses in compiled code depends.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::window::Window;

/// Checks that blocks are on the grid, and that `fits` says so of their primitives. `visit` gets each of them.
#[inline(always)]
pub fn blocks<'b>(
    blocks: impl Iterator<Item = &'b PixelBlock>,
    fits: impl Fn(usize) -> bool,
    mut visit: impl FnMut(&PixelBlock),
) -> Result<(), Unsupported> {
    let (mut previous, mut bits) = (u32::MAX, 0);
    for block in blocks {
        if block.primitive != previous {
            if !fits(block.primitive as usize) {
                return Err(Unsupported("a primitive that compiled code does not take"));
            }
            previous = block.primitive;
        }
        bits |= block.x | block.row;
        visit(block);
    }
    if bits & 7 == 0 { Ok(()) } else { Err(Unsupported("a block off the grid")) }
}

/// The memory of surfaces that a job touches, of at most `N` surfaces.
pub struct Spans<const N: usize> {
    spans: [(u64, u64); N],
    count: usize,
}

impl<const N: usize> Spans<N> {
    pub fn new() -> Self {
        Spans { spans: [(0, 0); N], count: 0 }
    }

    /// Adds bytes `first..end` of a surface. They have to be there, and apart from those of the other surfaces: four
    /// pixels are read before they are written, and only the interpreter keeps the order for overlapping surfaces.
    pub fn add(&mut self, window: Window<'_>, first: u64, end: u64) -> Result<(), Unsupported> {
        if end > window.len() as u64 {
            return Err(Unsupported("a surface that is too small"));
        }
        let base = window.as_ptr() as u64;
        let span = (base + first, base + end);
        if self.spans[..self.count].iter().any(|other| span.0 < other.1 && other.0 < span.1) {
            return Err(Unsupported("overlapping surfaces"));
        }
        self.spans[self.count] = span;
        self.count += 1;
        Ok(())
    }
}
