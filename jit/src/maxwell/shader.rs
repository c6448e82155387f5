//! The compiler of each stage.

use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::stage::{ShaderKernel, ShaderKey, Stage};

use super::{compute, geometry, patch, stage};
use crate::code::Compiler;

/// The kernel of `key`.
pub fn shader(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
    match key.stage {
        Stage::Compute => compute::compute(compiler, key),
        Stage::TessControl => patch::control(compiler, key),
        Stage::Geometry => geometry::geometry(compiler, key),
        Stage::Vertex | Stage::TessEvaluation => stage::vertex(compiler, key),
    }
}

/// The CLIF and the host instructions of [`shader`]'s result.
pub fn dump(compiler: &Compiler, key: &ShaderKey) -> String {
    match key.stage {
        Stage::Compute | Stage::TessControl => compute::dump(compiler, key),
        Stage::Geometry => geometry::dump(compiler, key),
        Stage::Vertex | Stage::TessEvaluation => stage::dump(compiler, key),
    }
}
