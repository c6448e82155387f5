//! Running the kernel of a vertex program over a batch, in pieces on all threads when it is large.

use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::vertex::{ROOM, Stream, VertexJob};

use crate::cache::{Handle, kinds};
use crate::draw::shade::shade_pieces;
use crate::sched::Scheduler;

/// Vertices of one piece, a multiple of [`ROOM`]: some microseconds of compiled code, so that waking a thread pays.
const PIECE: usize = 512;

/// Nanoseconds that a vertex takes, compiled and interpreted, roughly.
const COST: (u64, u64) = (20, 2000);

/// Vertices to shade.
#[derive(Debug)]
pub struct ProgramBatch<'a> {
    /// The kernel.
    pub kernel: &'a Handle<kinds::ProgramVertex>,
    /// Floats of its records.
    pub stride: usize,
    /// Vertex arrays.
    pub streams: &'a [Stream<'a>; 16],
    /// Values of registers without array.
    pub fixed: &'a [[f32; 4]; 16],
    /// Constants.
    pub constants: &'a [[f32; 4]],
    /// Textures.
    pub textures: &'a [Texture<'a>; 4],
    /// Instructions one invocation may execute.
    pub fuel: u32,
    /// Array elements to shade.
    pub vertices: &'a [u32],
    /// The largest of them.
    pub last_vertex: u32,
}

/// Shaded vertices: outputs of the program, the position first.
#[derive(Debug, Default)]
pub struct Records {
    /// One record of `stride` floats each, as [`VertexJob::records`].
    pub floats: Vec<f32>,
    /// Floats of a record.
    pub stride: usize,
    /// Invocations of the program that did not end.
    pub exhausted: u32,
}

impl Records {
    /// The record of vertex `index`.
    pub fn get(&self, index: u32) -> &[f32] {
        &self.floats[index as usize * self.stride..][..self.stride]
    }
}

/// Shades a batch, in the allocation of `out`.
pub fn shade_programs(scheduler: &Scheduler, batch: &ProgramBatch<'_>, mut out: Records) -> Records {
    let (stride, count) = (batch.stride, batch.vertices.len());
    out.stride = stride;
    // The kernel writes all of it.
    out.floats.resize(count.next_multiple_of(ROOM) * stride, 0.0);
    let shade = |(vertices, records): (&[u32], &mut [f32])| {
        let mut piece = VertexJob {
            streams: batch.streams,
            fixed: batch.fixed,
            constants: batch.constants,
            textures: batch.textures,
            vertices,
            last_vertex: batch.last_vertex,
            fuel: batch.fuel,
            records,
            exhausted: 0,
        };
        batch.kernel.shade(&mut piece);
        piece.exhausted
    };
    out.exhausted = if count <= PIECE {
        shade((batch.vertices, &mut out.floats))
    } else {
        let pieces = batch.vertices.chunks(PIECE).zip(out.floats.chunks_mut(PIECE * stride)).collect();
        let vertex = if batch.kernel.is_compiled() { COST.0 } else { COST.1 };
        shade_pieces(scheduler, pieces, count as u64 * vertex, shade)
    };
    out.floats.truncate(count * stride);
    out
}
