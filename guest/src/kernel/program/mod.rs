//! Kernels of the machines whose stages are all programs: RSX, and the machines after it.
//!
//! The PICA200 has its own contracts beside this folder: its fragments are fixed-function. Here a fragment runs
//! a program, reads textures through [`sampler`] and ends in [`output`]; a vertex runs a program and leaves clip-space
//! positions and output registers, viewport and clipping are the engine's.
//!
//! What is stated here, in words and formulas, is what both tiers are written from. All arithmetic is f32, IEEE, rounded to
//! nearest, nothing fused, sums from left to right, unless it says otherwise. `clamp(v)` to 0..1 is
//! `0 < v ? v : 0`, then `v < 1 ? v : 1`: NaN becomes 0.
//!
//! | module | what |
//! |---|---|
//! | [`vertex`] | fetch and program of a batch of vertices |
//! | [`fragment`] | interpolation, program, and everything after it, of 8x8 blocks |
//! | [`sampler`] | texels, filters, levels of detail |
//! | [`output`] | tests, blending, storing; [`blend_program`] what some blend states run |

pub mod blend_program;
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
pub mod sampler;
pub mod vertex;

use std::sync::Arc;

use super::maxwell::{ShaderKernel, ShaderKey};
use super::tier::Unsupported;

/// Shades a batch of vertices with a program.
pub trait VertexKernel: Send + Sync {
    /// Processes the vertices of `job` from `first` on and returns how many of *all* of them are finished. When that
    /// is less than the length of the batch the kernel leaves the next [`GROUP`](super::vertex::GROUP) vertices to the
    /// reference; the caller has it do them and calls again.
    fn shade(&self, job: &mut vertex::VertexJob<'_>, first: usize) -> usize;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}

/// Shades blocks of pixels with a program.
pub trait FragmentKernel: Send + Sync {
    /// Processes all blocks of `job` in order and returns the number of samples that passed all tests, or refuses the
    /// whole job before touching anything.
    fn shade(&self, job: &fragment::FragmentJob<'_>) -> Result<u64, Unsupported>;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}

/// What a tier offers for programs.
pub trait ProgramTier {
    /// Makes the vertex kernel of `key`.
    fn program_vertex(&self, key: &vertex::VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported>;
    /// Makes the fragment kernel of `key`.
    fn fragment(&self, key: &fragment::FragmentKey) -> Result<Arc<dyn FragmentKernel>, Unsupported>;
    /// Makes the kernel of a Maxwell program that is not a fragment's.
    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported>;
}
