//! The interpreter: kernels executed as the hardware manuals read, one vertex, pixel or byte run at a time.
//!
//! ```text
//! Interpreter: Tier
//!   vertex    fetch -> pica_shader::Machine -> output map -> clip codes, screen position
//!   pixel     interpolate -> texture -> lighting -> combine -> tests -> fog -> blend -> target
//!   geometry  values -> pica_shader::Machine -> emitted triangles as vertex records
//!   transfer  fill, copy, convert
//!   mme       macros
//!   sequence  packets of push buffers
//!   vertex    fetch -> rsx_vertex::Machine -> record
//!   fragment  rsx_fragment::Quad (interpolate, sampler) -> output
//!   shader    maxwell::Warp
//! ```
//!
//! [`trace`] is how each of them is watched, instruction by instruction.
//!
//! The interpreter defines the results: the compiler is compared with it bit for bit. It supports every key and every
//! call.
#![forbid(unsafe_code)]

use std::sync::Arc;

use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::mme::{MmeKernel, MmeKey};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey};
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program as contract;
use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentKey};
use triglyph_guest::kernel::program::stage::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, Tier, TransferKernel, Unsupported, VertexKernel};

pub mod geometry;
pub mod maxwell;
pub mod mme;
mod operations;
pub mod packet_trace;
pub mod pica_shader;
pub mod pixel;
pub mod program;
pub mod rsx_fragment;
pub mod rsx_vertex;
pub mod trace;
pub mod transfer;
pub mod vertex;

/// The interpreting tier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Tier for Interpreter {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        Ok(Arc::new(vertex::Kernel::new(key)))
    }

    fn geometry(&self, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
        Ok(Arc::new(geometry::Kernel::new(key)))
    }

    fn pixel(&self, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
        Ok(Arc::new(pixel::Kernel::new(key)))
    }

    fn transfer(&self, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        Ok(Arc::new(transfer::Kernel::new(key)))
    }

    fn mme(&self, key: &MmeKey) -> Result<Arc<dyn MmeKernel>, Unsupported> {
        Ok(Arc::new(mme::Kernel::new(key)))
    }

    fn packet_trace(&self, key: &PacketTraceKey) -> Result<Arc<dyn PacketTraceKernel>, Unsupported> {
        Ok(Arc::new(packet_trace::Kernel(key.clone())))
    }

    fn program_vertex(
        &self,
        key: &contract::vertex::VertexKey,
    ) -> Result<Arc<dyn contract::VertexKernel>, Unsupported> {
        Ok(Arc::new(program::vertex::Kernel::new(key)))
    }

    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn contract::FragmentKernel>, Unsupported> {
        match &key.code {
            FragmentCode::Rsx(code) => Ok(Arc::new(program::fragment::Kernel::new(key, code))),
            FragmentCode::Maxwell(code) => Ok(Arc::new(maxwell::stage::pixel::Kernel::new(key, code))),
        }
    }

    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
        Ok(Arc::new(maxwell::Kernel::new(key)))
    }
}
