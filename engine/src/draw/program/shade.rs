//! Running the kernel of a vertex program over a batch, in pieces on all threads when it is large.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::vertex::{ROOM, Stream, VertexJob};

use crate::cache::{Handle, kinds};
use crate::cost;
use crate::draw::shade::shade_pieces;
use crate::sched::Scheduler;

/// Vertices of one piece, a multiple of [`ROOM`]: some microseconds of compiled code, so that waking a thread pays.
const PIECE: usize = 512;

/// Pieces between two looks at what programs with loops have executed.
const MAX_PIECES: u64 = 16;

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
    /// Instructions of each that are paid.
    pub paid: u32,
    /// Whether an invocation may execute more.
    pub exceeds: bool,
    /// Fuel for these.
    pub allowance: u64,
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
    /// Instructions that are still to be paid.
    pub excess: u64,
}

impl Records {
    /// The record of vertex `index`.
    pub fn get(&self, index: u32) -> &[f32] {
        &self.floats[index as usize * self.stride..][..self.stride]
    }
}

/// Shades a batch, in the allocation of `out`. When the fuel is used up, records of 0 are left.
pub fn shade_programs(scheduler: &Scheduler, batch: &ProgramBatch<'_>, mut out: Records) -> Records {
    let (stride, count) = (batch.stride, batch.vertices.len());
    out.stride = stride;
    // The kernel writes all of it.
    out.floats.resize(count.next_multiple_of(ROOM) * stride, 0.0);
    let excess = AtomicU64::new(0);
    let shade = |(vertices, records): (&[u32], &mut [f32])| {
        let mut piece = VertexJob {
            streams: batch.streams,
            fixed: batch.fixed,
            constants: batch.constants,
            textures: batch.textures,
            vertices,
            last_vertex: batch.last_vertex,
            fuel: batch.fuel,
            free: batch.paid,
            records,
            exhausted: 0,
            excess: 0,
        };
        batch.kernel.shade(&mut piece);
        excess.fetch_add(piece.excess, Relaxed);
        piece.exhausted
    };
    out.exhausted = 0;
    let (mut vertices, mut records) = (batch.vertices, &mut out.floats[..]);
    while !vertices.is_empty() {
        let round = batch.round(excess.load(Relaxed)).min(vertices.len());
        if round == 0 {
            records.fill(0.0);
            break;
        }
        let (first, rest) = vertices.split_at(round);
        // Records of the last round include the spare room at the end.
        let words = if rest.is_empty() { records.len() } else { round * stride };
        let (written, unwritten) = records.split_at_mut(words);
        (vertices, records) = (rest, unwritten);
        out.exhausted += if round <= PIECE {
            shade((first, written))
        } else {
            let pieces = first.chunks(PIECE).zip(written.chunks_mut(PIECE * stride)).collect();
            let vertex = if batch.kernel.is_compiled() { COST.0 } else { COST.1 };
            shade_pieces(scheduler, pieces, round as u64 * vertex, shade)
        };
    }
    out.excess = excess.into_inner();
    out.floats.truncate(count * stride);
    out
}

impl ProgramBatch<'_> {
    /// How many vertices may be shaded next: whole pieces, as many as can be paid whatever they execute, and one as
    /// long as there is any fuel.
    fn round(&self, excess: u64) -> usize {
        if !self.exceeds {
            return self.vertices.len();
        }
        let left = self.allowance.saturating_sub(excess.saturating_mul(cost::INSTRUCTION));
        let piece = PIECE as u64 * u64::from(self.fuel).max(1) * cost::INSTRUCTION;
        if left == 0 { 0 } else { PIECE * (left / piece).clamp(1, MAX_PIECES) as usize }
    }
}
