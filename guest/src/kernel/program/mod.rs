//! Kernels of shader pipelines, in which every stage is a program: RSX and Tegra X1.
//!
//! The contracts of the PICA200, whose fragments are fixed-function, are in the modules next to this one. Here a
//! fragment runs a program, reads textures through [`sampler`] and ends in [`output`]; a vertex runs a program and
//! leaves clip-space positions and output registers, viewport and clipping are the engine's.
//!
//! Both tiers are written from what these modules say, in words and formulas. All arithmetic is f32, IEEE, rounded to
//! nearest, nothing fused, sums from left to right, unless it says otherwise. `clamp(v)` to 0..1 is
//! `0 < v ? v : 0`, then `v < 1 ? v : 1`: NaN becomes 0.
//!
//! | module | what |
//! |---|---|
//! | [`vertex`] | fetch and program of a batch of vertices |
//! | [`stage`] | programs of all other stages, as warps execute them |
//! | [`environment`] | what programs reach: constants, images, memory |
//! | [`reduction`] | atomics whose order makes no difference |
//! | [`words`] | records of attributes |
//! | [`fragment`] | interpolation, program, and everything after it, of 8x8 blocks |
//! | [`sampler`] | texels, filters, levels of detail |
//! | [`output`] | tests, blending, storing; [`blend_program`] what some blend states run |

pub mod blend_program;
pub mod environment;
pub mod fragment;
pub mod output;
#[cfg(feature = "random")]
pub mod random_fragment;
#[cfg(feature = "random")]
mod random_output;
#[cfg(feature = "random")]
pub mod random_texture;
#[cfg(feature = "random")]
pub mod random_vertex;
pub mod reduction;
pub mod sampler;
pub mod stage;
pub mod vertex;
pub mod words;

use super::code::MachineCode;
use super::trace::Tracing;
use super::unsupported::Unsupported;

/// Shades a batch of vertices with a program.
pub trait VertexKernel: Send + Sync {
    /// Processes the vertices of `job` from `first` on and returns how many of *all* of them are finished. When that is
    /// less than the length of the batch, the kernel leaves the next [`GROUP`](super::vertex::GROUP) vertices to the
    /// interpreter; the caller has it do them and calls again.
    fn shade(&self, job: &mut vertex::VertexJob<'_>, first: usize) -> usize;
    /// As [`shade`](Self::shade), with a tracer.
    fn shade_traced(&self, job: &mut vertex::VertexJob<'_>, tracing: Tracing<'_>) -> usize {
        let _ = tracing;
        self.shade(job, 0)
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}

/// Shades blocks of pixels with a program.
pub trait FragmentKernel: Send + Sync {
    /// Processes all blocks of `job` in order and returns the number of samples that passed all tests.
    ///
    /// # Errors
    /// When the kernel does not support the job; nothing has been written then.
    fn shade(&self, job: &fragment::FragmentJob<'_>) -> Result<u64, Unsupported>;
    /// As [`shade`](Self::shade), with a tracer.
    ///
    /// # Errors
    /// As there.
    fn shade_traced(&self, job: &fragment::FragmentJob<'_>, tracing: Tracing<'_>) -> Result<u64, Unsupported> {
        let _ = tracing;
        self.shade(job)
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
