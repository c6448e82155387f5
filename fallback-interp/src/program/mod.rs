//! Kernels of the machines whose stages are all programs, one vertex and one quad at a time.
//!
//! ```text
//! vertex     fetch -> rsx_vertex::Machine -> record
//! fragment   quads of blocks -> rsx_fragment::Quad -> output of each sample
//!              or maxwell::stage::pixel
//!   interpolate  planes -> inputs (RSX)
//!   sampler      coordinates, level, filter -> texel
//!   output       alpha, bounds, stencil, depth -> blend or logic -> surfaces
//! ```
//!
//! The formulas stand in `guest::kernel::program`.

use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{ShaderKernel, ShaderKey};
use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentKey};
use triglyph_guest::kernel::program::output::Compare;
use triglyph_guest::kernel::program::vertex::VertexKey;
use triglyph_guest::kernel::program::{FragmentKernel, ProgramTier, VertexKernel};

pub mod fragment;
pub mod interpolate;
pub mod output;
pub mod sampler;
pub mod vertex;

use crate::{Interpreter, maxwell};

/// Four components.
pub type Vector = [f32; 4];

impl ProgramTier for Interpreter {
    fn program_vertex(&self, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        Ok(Arc::new(vertex::Kernel::new(key)))
    }

    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn FragmentKernel>, Unsupported> {
        match &key.code {
            FragmentCode::Rsx(code) => Ok(Arc::new(fragment::Kernel::new(key, code))),
            FragmentCode::Maxwell(code) => Ok(Arc::new(maxwell::stage::pixel::Kernel::new(key, code))),
        }
    }

    fn shader(&self, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
        Ok(Arc::new(maxwell::Kernel::new(key)))
    }
}

/// `v` between `low` and `high`; NaN becomes `low`.
pub(crate) fn limit(v: f32, low: f32, high: f32) -> f32 {
    let v = if low < v { v } else { low };
    if v < high { v } else { high }
}

/// `a OP b`; with NaN only `Always` and `NotEqual` hold.
pub(crate) fn compare<T: PartialOrd>(operation: Compare, a: T, b: T) -> bool {
    match operation {
        Compare::Never => false,
        Compare::Always => true,
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::Less => a < b,
        Compare::LessEqual => a <= b,
        Compare::Greater => a > b,
        Compare::GreaterEqual => a >= b,
    }
}
