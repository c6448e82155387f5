//! Copies of runs, and of columns at offsets from a table.

#![allow(unsafe_code)]

use smallvec::SmallVec;
use triglyph_guest::kernel::transfer::Copy;
use triglyph_guest::kernel::{Unsupported, Window};

use super::overlap;

/// Bytes from the first to the last one of `size` bytes in lines of `line` bytes with gaps between them. `None` if that
/// overflows.
fn extent(size: usize, line: usize, gap: usize) -> Option<usize> {
    let lines_before = (size - 1).checked_div(line)?;
    lines_before.checked_mul(gap)?.checked_add(size)
}

/// Copies run by run; a run ends where a line of either side does. Each is read before it is written.
pub(super) fn copy(job: &Copy<'_>) -> Result<(), Unsupported> {
    if job.size == 0 {
        return Ok(());
    }
    let reads = extent(job.size, job.source_line, job.source_gap).filter(|&reads| reads <= job.source.len());
    let writes = extent(job.size, job.target_line, job.target_gap).filter(|&writes| writes <= job.target.len());
    let (Some(reads), Some(writes)) = (reads, writes) else { return Err(Unsupported("a copy beyond its windows")) };
    let (source, target) = (job.source.as_ptr().cast_const(), job.target.as_ptr());
    if overlap((source, reads), (target, writes)) {
        runs(job, |from, to, bytes| {
            // SAFETY: `runs` stays within the first `reads` and `writes` bytes, which the windows have; the copy may
            // overlap.
            unsafe { target.add(to).copy_from(source.add(from), bytes) }
        });
    } else {
        runs(&joined(job), |from, to, bytes| {
            // SAFETY: as above; by the comparison before, no byte that is read is among those that are written.
            unsafe { target.add(to).copy_from_nonoverlapping(source.add(from), bytes) }
        });
    }
    Ok(())
}

/// The same copy with lines joined that have no gaps between them.
fn joined<'m>(job: &Copy<'m>) -> Copy<'m> {
    let whole = |line, gap| if gap == 0 { job.size } else { line };
    Copy {
        source_line: whole(job.source_line, job.source_gap),
        target_line: whole(job.target_line, job.target_gap),
        ..*job
    }
}

/// Calls `run` with source offset, target offset and size of each run.
fn runs(job: &Copy<'_>, mut run: impl FnMut(usize, usize, usize)) {
    let (mut from, mut to, mut left) = (0, 0, job.size);
    let (mut source_rest, mut target_rest) = (job.source_line, job.target_line);
    loop {
        let bytes = left.min(source_rest).min(target_rest);
        run(from, to, bytes);
        left -= bytes;
        if left == 0 {
            return;
        }
        (from, to) = (from + bytes, to + bytes);
        (source_rest, target_rest) = (source_rest - bytes, target_rest - bytes);
        if source_rest == 0 {
            (from, source_rest) = (from + job.source_gap, job.source_line);
        }
        if target_rest == 0 {
            (to, target_rest) = (to + job.target_gap, job.target_line);
        }
    }
}

/// Those of a row of a thousand pixels of 32 bits, 16 bytes at a time, are on the stack.
type Offsets = SmallVec<[[u32; 2]; 256]>;

/// Offsets of the columns of a row, in source and target: bytes from the beginning of the row.
pub(super) struct Columns {
    offsets: Offsets,
    /// The largest on either side.
    last: [usize; 2],
}

impl Columns {
    pub(super) fn new(offsets: impl IntoIterator<Item = [u32; 2]>) -> Columns {
        let offsets: Offsets = offsets.into_iter().collect();
        let last = |side: usize| offsets.iter().map(|offset| offset[side] as usize).max().unwrap_or(0);
        Columns { last: [last(0), last(1)], offsets }
    }

    /// Copies `N` bytes at each column. The windows begin where the row does, and do not overlap.
    ///
    /// # Panics
    /// When a column lies beyond its window.
    pub(super) fn copy<const N: usize>(&self, source: Window<'_>, target: Window<'_>) {
        assert!(self.last[0] + N <= source.len() && self.last[1] + N <= target.len());
        let (from, to) = (source.as_ptr().cast_const(), target.as_ptr());
        for &[source, target] in &self.offsets {
            // SAFETY: no offset is larger than the largest, for which the windows are long enough by the assertion;
            // their bytes are mapped for as long as they are borrowed, and an array of bytes may begin anywhere.
            unsafe {
                let unit = from.add(source as usize).cast::<[u8; N]>().read();
                to.add(target as usize).cast::<[u8; N]>().write(unit);
            }
        }
    }
}
