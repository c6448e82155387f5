//! What a tier offers: kernels for keys.

use std::sync::Arc;

use super::geometry::{GeometryJob, GeometryKey};
use super::mme::{MmeKernel, MmeKey};
use super::packet_trace::{PacketTraceKernel, PacketTraceKey};
use super::pixel::{PixelJob, PixelKey};
use super::program::ProgramTier;
use super::transfer::{TransferJob, TransferKey};
use super::vertex::{VertexJob, VertexKey};
use crate::format::TexelFormat;
use crate::kernel::Window;

/// A tier does not support this key, or a kernel bails out of this call: the caller falls back to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported: {0}")]
pub struct Unsupported(
    /// Why, for counters and logs.
    pub &'static str,
);

/// One way to execute kernels. The reference interpreter supports every key.
pub trait Tier: Send + Sync {
    /// A short name for reports: `interp`, `jit`.
    fn name(&self) -> &'static str;
    /// Makes the vertex kernel of `key`.
    fn vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported>;
    /// Makes the geometry kernel of `key`.
    fn geometry(&self, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported>;
    /// Makes the pixel kernel of `key`.
    fn pixel(&self, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported>;
    /// Makes the transfer kernel of `key`.
    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported>;
    /// Makes the macro kernel of `key`.
    fn mme(&self, key: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported> {
        let _ = key;
        Err(Unsupported("macros"))
    }
    /// Makes the packet trace kernel of `key`.
    fn packet_trace(&self, key: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported> {
        let _ = key;
        Err(Unsupported("packet traces"))
    }
    /// Kernels of the machines whose stages are all programs; `None` from a tier that has none at all.
    fn programs(&self) -> Option<&dyn ProgramTier> {
        None
    }
}

/// Shades a batch of vertices.
pub trait VertexKernel: Send + Sync {
    /// Processes the vertices of `job` from `first` on and returns how many of *all* of them are finished. When that
    /// is less than the length of the batch, the kernel bailed out (a NaN that may hide 0 * infinity, a runaway
    /// program): the caller has the interpreter do the next [`GROUP`] vertices and calls again.
    ///
    /// [`GROUP`]: super::vertex::GROUP
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}

/// Runs a geometry program.
pub trait GeometryKernel: Send + Sync {
    /// Processes the primitives of `job` from `first` on, appending to its output, and returns how many of *all* of them
    /// are done. Less than all of them mean what they mean for [`VertexKernel::shade`]: the reference is to do the next
    /// [`GROUP`] primitives. State, uniforms and output are those behind the last primitive that is done.
    ///
    /// [`GROUP`]: super::vertex::GROUP
    fn run(&self, job: &mut GeometryJob<'_>, first: usize) -> usize;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}

/// Shades blocks of pixels.
pub trait PixelKernel: Send + Sync {
    /// Processes all blocks of `job` in order, or refuses the whole job before touching anything.
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Unsupported>;
    /// How this kernel wants its textures: `None` samples guest memory in place, `Some` needs decoded copies.
    fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        None
    }
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}

/// Turns texels of guest memory into the words that compiled kernels sample.
pub trait TextureDecoder: Send + Sync {
    /// Decodes one level of `width` x `height` texels (multiples of 8) at the start of `source`, rows as stored
    /// (first stored row first), into `0xRRGGBBAA` words, `width` a row. `out` holds exactly the level.
    fn decode(&self, format: TexelFormat, width: u32, height: u32, source: Window<'_>, out: &mut [u32]);
}

/// Fills, copies and converts.
pub trait TransferKernel: Send + Sync {
    /// Does the job, or refuses it before touching anything.
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported>;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}
