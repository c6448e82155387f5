//! The trait of a tier: kernels for keys.

use std::sync::Arc;

use super::code::MachineCode;
use super::geometry::{GeometryJob, GeometryKey};
use super::mme::{MmeKernel, MmeKey};
use super::packet_trace::{PacketTraceKernel, PacketTraceKey};
use super::pixel::{PixelJob, PixelKey};
use super::program;
use super::program::stage::{ShaderKernel, ShaderKey};
use super::trace::Tracing;
use super::transfer::{TransferJob, TransferKey};
use super::vertex::{VertexJob, VertexKey};
use crate::format::TexelFormat;
use crate::kernel::unsupported::Unsupported;

/// One way to execute kernels: the interpreter, which supports every key, or a compiler.
///
/// Each method makes the kernel of a key, or says that it does not support the key.
pub trait Tier: Send + Sync {
    /// A short name for reports: `interp`, `jit`.
    fn name(&self) -> &'static str;
    /// A vertex program of the 3DS.
    fn vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported>;
    /// A geometry program of the 3DS.
    fn geometry(&self, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported>;
    /// The pixel pipeline of the 3DS in one state.
    fn pixel(&self, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported>;
    /// A fill, a copy or a conversion.
    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported>;
    /// A vertex program of a shader pipeline.
    fn program_vertex(&self, key: &program::vertex::VertexKey) -> Result<Arc<dyn program::VertexKernel>, Unsupported>;
    /// A fragment program of a shader pipeline and the state it runs in.
    fn fragment(&self, key: &program::fragment::FragmentKey) -> Result<Arc<dyn program::FragmentKernel>, Unsupported>;
    /// A program of warps other than a fragment program.
    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported>;
    /// A macro.
    fn mme(&self, key: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported>;
    /// A packet trace of a push buffer.
    fn packet_trace(&self, key: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported>;
}

/// Shades a batch of vertices.
pub trait VertexKernel: Send + Sync {
    /// Processes the vertices of `job` from `first` on and returns how many of *all* of them are finished. When that is
    /// less than the length of the batch, the kernel has met something it leaves to the interpreter (a NaN that may
    /// hide 0 * infinity, a program that runs away): the caller has the interpreter do the next [`GROUP`] vertices and
    /// calls again.
    ///
    /// [`GROUP`]: super::vertex::GROUP
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize;
    /// As [`shade`](Self::shade), with a tracer.
    fn shade_traced(&self, job: &mut VertexJob<'_>, tracing: Tracing<'_>) -> usize {
        let _ = tracing;
        self.shade(job, 0)
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}

/// Runs a geometry program.
pub trait GeometryKernel: Send + Sync {
    /// Processes the primitives of `job` from `first` on, appending to its output, and returns how many of *all* of
    /// them are done. Less than all of them means what it means for [`VertexKernel::shade`]: the interpreter is to do
    /// the next [`GROUP`] primitives. State, uniforms and output are then as the last finished primitive left them.
    ///
    /// [`GROUP`]: super::vertex::GROUP
    fn run(&self, job: &mut GeometryJob<'_>, first: usize) -> usize;
    /// As [`run`](Self::run), with a tracer.
    fn run_traced(&self, job: &mut GeometryJob<'_>, tracing: Tracing<'_>) -> usize {
        let _ = tracing;
        self.run(job, 0)
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}

/// Shades blocks of pixels.
pub trait PixelKernel: Send + Sync {
    /// Processes all blocks of `job` in order.
    ///
    /// # Errors
    /// When the kernel does not support the job; nothing has been written then.
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Unsupported>;
    /// As [`shade`](Self::shade), with a tracer.
    ///
    /// # Errors
    /// As there.
    fn shade_traced(&self, job: &PixelJob<'_>, tracing: Tracing<'_>) -> Result<(), Unsupported> {
        let _ = tracing;
        self.shade(job)
    }
    /// How this kernel samples textures: `None` reads guest memory in place, `Some` decodes copies for it.
    fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        None
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}

/// Decodes texels of guest memory to the words that compiled kernels sample.
pub trait TextureDecoder: Send + Sync {
    /// Decodes one level of `width` x `height` texels (multiples of 8) at the start of `source`, a copy of guest
    /// memory, rows as stored (first stored row first), into `0xRRGGBBAA` words, `width` a row. `out` holds exactly the
    /// level. Bytes that `source` lacks are zero.
    fn decode(&self, format: TexelFormat, width: u32, height: u32, source: &[u8], out: &mut [u32]);
}

/// Fills, copies and converts.
pub trait TransferKernel: Send + Sync {
    /// Does the job.
    ///
    /// # Errors
    /// When the kernel does not support the job; nothing has been written then.
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported>;
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
