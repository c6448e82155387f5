//! Positions of an image's pixels: extents and runs, in pixels from its first.

use std::ops::Range;

use triglyph_guest::kernel::transfer::Layout;
use triglyph_guest::layout::unmorton;

/// Rows and columns of blocks have this edge; 1 without blocks.
pub(super) const fn edge(layout: Layout) -> u32 {
    match layout {
        Layout::Linear => 1,
        Layout::Tiled(block) => block.edge(),
    }
}

/// Index of the first pixel of row `y`, a multiple of the layout's edge.
pub(super) fn row_start(y: u32, stride: u32) -> u64 {
    u64::from(y) * u64::from(stride)
}

/// One more than the largest index among pixels with x up to `last_x` and y up to `last_y`.
pub(super) fn end(layout: Layout, last_x: u32, last_y: u32, stride: u32) -> u64 {
    let edge = edge(layout);
    let inside = edge - 1;
    let of = |y: u32| row_start(y & !inside, stride) + u64::from(layout.index(last_x, y & inside, 0)) + 1;
    match layout {
        Layout::Linear => row_start(last_y, stride) + u64::from(last_x) + 1,
        // The last full row of blocks may reach further than a part of the next when the stride is odd.
        Layout::Tiled(_) => of(last_y).max((last_y & !inside).checked_sub(1).map_or(0, of)),
    }
}

/// Calls `f` with the runs of indices of the pixels with x below `width` and y in `rows`, joined where they touch.
pub(super) fn runs(layout: Layout, width: u32, rows: Range<u32>, stride: u32, f: impl FnMut(Range<u64>)) {
    let mut join = Join { run: 0..0, f };
    match layout {
        Layout::Linear => {
            for y in rows {
                let start = row_start(y, stride);
                join.push(start..start + u64::from(width));
            }
        }
        Layout::Tiled(block) => {
            let edge = block.edge();
            let mut y = rows.start;
            while y < rows.end {
                let top = y & !(edge - 1);
                let bottom = rows.end.min(top.saturating_add(edge));
                let start = row_start(top, stride);
                for x in (0..width).step_by(edge as usize) {
                    let start = start + u64::from(x) * u64::from(edge);
                    block_runs(edge, edge.min(width - x), y - top..bottom - top, start, &mut join);
                }
                y = bottom;
            }
        }
    }
    join.flush();
}

/// The runs of one block that begins at `start`.
fn block_runs<F: FnMut(Range<u64>)>(edge: u32, width: u32, rows: Range<u32>, start: u64, join: &mut Join<F>) {
    let pixels = u64::from(edge) * u64::from(edge);
    if width == edge && rows == (0..edge) {
        return join.push(start..start + pixels);
    }
    for (index, at) in (0..edge * edge).zip(start..) {
        let (x, y) = unmorton(index);
        if x < width && rows.contains(&y) {
            join.push(at..at + 1);
        }
    }
}

/// Joins runs that touch.
struct Join<F> {
    run: Range<u64>,
    f: F,
}

impl<F: FnMut(Range<u64>)> Join<F> {
    fn push(&mut self, run: Range<u64>) {
        if run.start == self.run.end {
            self.run.end = run.end;
        } else {
            self.flush();
            self.run = run;
        }
    }

    fn flush(&mut self) {
        if !self.run.is_empty() {
            (self.f)(self.run.clone());
        }
        self.run = 0..0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::layout::Block;

    const LAYOUTS: [Layout; 3] = [Layout::Linear, Layout::Tiled(Block::B8), Layout::Tiled(Block::B32)];

    #[test]
    fn runs_and_ends_agree_with_the_address_formula() {
        for layout in LAYOUTS {
            for (width, rows, stride) in
                [(1, 0..1, 1), (8, 0..8, 8), (13, 3..21, 13), (16, 8..16, 24), (64, 0..64, 64), (5, 0..40, 4)]
            {
                let mut expected: Vec<u64> = (rows.clone())
                    .flat_map(|y| (0..width).map(move |x| u64::from(layout.index(x, y, stride))))
                    .collect();
                expected.sort_unstable();
                expected.dedup();
                let mut found = Vec::new();
                runs(layout, width, rows.clone(), stride, |run| found.extend(run));
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, expected, "{layout:?} {width} {rows:?} {stride}");
                let limit = end(layout, width - 1, rows.end - 1, stride);
                let all = (0..rows.end).flat_map(|y| (0..width).map(move |x| u64::from(layout.index(x, y, stride))));
                assert_eq!(all.max(), Some(limit - 1));
            }
        }
    }

    #[test]
    fn whole_images_are_one_run() {
        for layout in LAYOUTS {
            let mut found = Vec::new();
            runs(layout, 64, 0..64, 64, |run| found.push(run));
            assert_eq!((found.len(), found[0].clone()), (1, 0..64 * 64));
        }
    }
}
