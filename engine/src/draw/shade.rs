//! Running the vertex kernel over a batch, in pieces on all threads when it is large.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use triglyph_guest::kernel::vertex::{OutputMap, Stream, Uniforms, VertexConstants, VertexJob};

use crate::cache::{Handle, kinds};
use crate::sched::Scheduler;

/// Vertices of one piece: some microseconds of compiled code.
const PIECE: usize = 512;

/// Estimated cost of a vertex in nanoseconds: compiled and by the interpreter.
const COST: (u64, u64) = (10, 500);

/// Vertices to shade.
#[derive(Debug)]
pub struct Batch<'a> {
    /// The kernel.
    pub kernel: &'a Handle<kinds::Vertex>,
    /// Its output map.
    pub outputs: &'a OutputMap,
    /// Vertex arrays.
    pub streams: &'a [Stream<'a>; 16],
    /// Fixed attributes.
    pub fixed: &'a [[f32; 4]; 16],
    /// Uniforms.
    pub uniforms: &'a Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// Array elements to shade.
    pub vertices: &'a [u32],
}

/// Shaded vertices.
#[derive(Clone, Debug, Default)]
pub struct Shaded {
    /// One record of `stride` floats each, as [`VertexJob::records`].
    pub records: Vec<f32>,
    /// One clip code each.
    pub clip: Vec<u8>,
    /// Floats of a record.
    pub stride: usize,
    /// Invocations of the program that did not end.
    pub exhausted: u32,
    /// Bit g: group g of the slots is written, otherwise it reads 1.0.
    pub groups: u32,
}

impl Shaded {
    /// The groups that a kernel with these outputs writes, as [`Self::groups`].
    pub fn groups_of(outputs: &OutputMap) -> u32 {
        (0..outputs.slots.len() / 4)
            .filter(|&group| outputs.group_written(group))
            .fold(0, |set, group| set | 1 << group)
    }

    /// The record of vertex `index`.
    pub fn record(&self, index: u32) -> &[f32] {
        &self.records[index as usize * self.stride..][..self.stride]
    }

    /// Writes 1.0 to every group that was not written, so that records of several batches have the same groups.
    pub fn complete(&mut self) {
        let groups = std::mem::replace(&mut self.groups, u32::MAX);
        for record in self.records.chunks_exact_mut(self.stride) {
            let slots = record[4..].chunks_exact_mut(4).enumerate();
            slots.filter(|(group, _)| groups & 1 << group == 0).for_each(|(_, values)| values.fill(1.0));
        }
    }
}

/// Shades a batch.
pub fn shade(scheduler: &Scheduler, batch: &Batch<'_>, mut out: Shaded) -> Shaded {
    let (stride, count) = (batch.outputs.stride(), batch.vertices.len());
    out.stride = stride;
    out.groups = Shaded::groups_of(batch.outputs);
    // The kernel writes every group it promises; what it does not write is never read.
    out.records.resize(count * stride, 0.0);
    out.clip.resize(count, 0);
    let last_vertex = batch.vertices.iter().copied().max().unwrap_or(0);
    let shade = |(vertices, records, clip): (&[u32], &mut [f32], &mut [u8])| {
        let mut piece = VertexJob {
            exhausted: 0,
            streams: batch.streams,
            fixed: batch.fixed,
            uniforms: batch.uniforms,
            constants: batch.constants,
            vertices,
            last_vertex,
            records,
            clip,
        };
        batch.kernel.shade(&mut piece);
        piece.exhausted
    };
    out.exhausted = if count <= PIECE {
        shade((batch.vertices, &mut out.records, &mut out.clip))
    } else {
        let records = out.records.chunks_mut(PIECE * stride).zip(out.clip.chunks_mut(PIECE));
        let pieces =
            batch.vertices.chunks(PIECE).zip(records).map(|(vertices, (records, clip))| (vertices, records, clip));
        let vertex = if batch.kernel.is_compiled() { COST.0 } else { COST.1 };
        shade_pieces(scheduler, pieces.collect(), count as u64 * vertex, shade)
    };
    out
}

/// Shades the pieces of a batch, which together take so many nanoseconds. `shade` tells how many programs did not end;
/// so does this, of all.
pub(super) fn shade_pieces<P: Send>(
    scheduler: &Scheduler,
    pieces: Vec<P>,
    nanoseconds: u64,
    shade: impl Fn(P) -> u32 + Sync,
) -> u32 {
    let exhausted = AtomicU32::new(0);
    scheduler.for_each_item(pieces, Duration::from_nanos(nanoseconds), |piece| {
        exhausted.fetch_add(shade(piece), Relaxed);
    });
    exhausted.into_inner()
}
