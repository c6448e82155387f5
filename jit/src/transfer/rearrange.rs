//! Changes of layout.
//!
//! An address in any layout is the sum of a column's and a row's contribution. So the columns of one row are tabulated
//! once, units that are neighbours in both layouts joined, and each row is a walk over the table.

use triglyph_guest::kernel::transfer::{Corner, Rearrange, RearrangeKey, TransferJob};
use triglyph_guest::kernel::{TransferKernel, Unsupported, Window};
use triglyph_guest::layout::SurfaceLayout;

use super::copy::Columns;
use super::{WRONG_JOB, fits, overlap};

/// Most bytes moved at a time.
const MAX_MOVE: u32 = 64;

/// A change of layout.
pub(super) struct CompiledRearrange {
    key: RearrangeKey,
}

impl CompiledRearrange {
    pub fn new(key: &RearrangeKey) -> Result<CompiledRearrange, Unsupported> {
        match key.bytes {
            1 | 2 | 4 | 8 | 16 => Ok(CompiledRearrange { key: *key }),
            _ => Err(Unsupported("units of an odd size")),
        }
    }
}

impl TransferKernel for CompiledRearrange {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Rearrange(job) = job else { return Err(WRONG_JOB) };
        if (job.from.layout.kind(), job.to.layout.kind()) != (self.key.source, self.key.target) {
            return Err(WRONG_JOB);
        }
        if job.width == 0 || job.rows.is_empty() {
            return Ok(());
        }
        let bytes = u32::from(self.key.bytes);
        check(job, bytes)?;
        match bytes * together(job, bytes) {
            1 => rows::<1>(job, bytes),
            2 => rows::<2>(job, bytes),
            4 => rows::<4>(job, bytes),
            8 => rows::<8>(job, bytes),
            16 => rows::<16>(job, bytes),
            32 => rows::<32>(job, bytes),
            _ => rows::<64>(job, bytes),
        }
        Ok(())
    }
}

/// Checks that the job stays within its windows and that the windows do not overlap. A layout's offsets only grow with
/// x and with y.
fn check(job: &Rearrange<'_>, bytes: u32) -> Result<(), Unsupported> {
    let part = |window: Window<'_>, corner: &Corner| {
        if !fits(corner, job.width, job.rows.end) {
            return None;
        }
        let start = corner.offset(0, job.rows.start, bytes) as usize;
        let end = corner.offset(job.width - 1, job.rows.end - 1, bytes) as usize + bytes as usize;
        (end <= window.len()).then(|| (window.as_ptr().cast_const().wrapping_add(start), end - start))
    };
    match (part(job.source, &job.from), part(job.target, &job.to)) {
        (Some(source), Some(target)) if overlap(source, target) => Err(Unsupported("images that overlap")),
        (Some(_), Some(_)) => Ok(()),
        _ => Err(Unsupported("a change of layout beyond its windows")),
    }
}

/// Number of units that are neighbours in both layouts, wherever such a group begins: a power of two.
fn together(job: &Rearrange<'_>, bytes: u32) -> u32 {
    let of = |corner: &Corner| match corner.layout {
        SurfaceLayout::Pitch => MAX_MOVE,
        // Bit 0 of x comes first, then one of y.
        SurfaceLayout::Swizzled { log2_width: 0, .. } => 1,
        SurfaceLayout::Swizzled { .. } => 2,
        SurfaceLayout::BlockLinear { .. } | SurfaceLayout::BlockSlice { .. } => 16 / bytes,
    };
    let mut most = of(&job.from).min(of(&job.to)).min(MAX_MOVE / bytes);
    while most > 1 && !(job.width.is_multiple_of(most) && aligned(&job.from, most) && aligned(&job.to, most)) {
        most /= 2;
    }
    most
}

/// Whether groups of `units` are aligned with the layout's.
fn aligned(corner: &Corner, units: u32) -> bool {
    corner.layout == SurfaceLayout::Pitch || corner.x.is_multiple_of(units)
}

/// Moves all rows, `N` bytes at a time.
fn rows<const N: usize>(job: &Rearrange<'_>, bytes: u32) {
    let start = |corner: &Corner, y: u32| corner.offset(0, y, bytes);
    let column = |corner: &Corner, x: u32| (corner.offset(x, 0, bytes) - start(corner, 0)) as u32;
    let step = N / bytes as usize;
    let columns = (0..job.width).step_by(step).map(|x| [column(&job.from, x), column(&job.to, x)]);
    let columns = Columns::new(columns);
    for y in job.rows.clone() {
        let (from, to) = (start(&job.from, y) as usize, start(&job.to, y) as usize);
        columns.copy::<N>(job.source.from(from), job.target.from(to));
    }
}
