//! Compiled kernels that fall back to the interpreter, as the engine runs them.

use std::ops::Range;

use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP, VertexJob};
use triglyph_guest::kernel::{VertexKernel, program};

/// Does the `total` elements of a job: `compiled` goes on from an element and tells how far it came, `reference` does
/// the group that it stopped at, and all the rest once too many programs do not end. Returns how many elements the
/// reference did.
pub fn run<J>(
    job: &mut J,
    total: usize,
    exhausted: impl Fn(&J) -> u32,
    mut compiled: impl FnMut(&mut J, usize) -> usize,
    mut reference: impl FnMut(&mut J, Range<usize>),
) -> usize {
    let mut interpreted = 0;
    let mut done = compiled(job, 0);
    while done < total {
        let end = if exhausted(job) >= EXHAUSTED_LIMIT { total } else { (done + GROUP).min(total) };
        reference(job, done..end);
        interpreted += end - done;
        done = if end < total { compiled(job, end) } else { end };
        assert!((end..=total).contains(&done), "a kernel went from element {end} to {done} of {total}");
    }
    interpreted
}

/// Shades vertices whose records have `stride` floats. Returns how many the reference did.
pub fn vertices(
    kernel: &dyn VertexKernel,
    reference: &dyn VertexKernel,
    stride: usize,
    job: &mut VertexJob<'_>,
) -> usize {
    let total = job.vertices.len();
    let compiled = |job: &mut VertexJob<'_>, first| kernel.shade(job, first);
    run(
        job,
        total,
        |job| job.exhausted,
        compiled,
        |job, Range { start, end }| {
            let mut part = VertexJob {
                vertices: &job.vertices[start..end],
                records: &mut job.records[start * stride..end * stride],
                clip: &mut job.clip[start..end],
                ..*job
            };
            assert_eq!(reference.shade(&mut part, 0), end - start);
            job.exhausted = part.exhausted;
        },
    )
}

/// The same of a shader pipeline's vertices.
pub fn program_vertices(
    kernel: &dyn program::VertexKernel,
    reference: &dyn program::VertexKernel,
    stride: usize,
    job: &mut program::vertex::VertexJob<'_>,
) -> usize {
    let total = job.vertices.len();
    let compiled = |job: &mut program::vertex::VertexJob<'_>, first| kernel.shade(job, first);
    run(
        job,
        total,
        |job| job.exhausted,
        compiled,
        |job, Range { start, end }| {
            let mut part = program::vertex::VertexJob {
                vertices: &job.vertices[..end],
                records: &mut job.records[..end * stride],
                ..*job
            };
            assert_eq!(reference.shade(&mut part, start), end);
            (job.exhausted, job.excess) = (part.exhausted, part.excess);
        },
    )
}
