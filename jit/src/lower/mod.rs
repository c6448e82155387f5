//! Shader programs to machine code.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::VertexKey;
use triglyph_guest::kernel::{Refused, VertexKernel};

use crate::code::Compiler;

/// The vertex kernel of `key`.
pub fn vertex(_compiler: &Compiler, _key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Refused> {
    Err(Refused("vertex kernels are not compiled"))
}
