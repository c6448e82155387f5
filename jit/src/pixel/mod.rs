//! Fused pixel kernels.

use std::sync::Arc;

use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::{PixelKernel, Refused};

use crate::code::Compiler;

/// The pixel kernel of `key`.
pub fn pixel(_compiler: &Compiler, _key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Refused> {
    Err(Refused("not yet"))
}

/// What the kernel of `key` compiles to, as text.
pub fn dump(_compiler: &Compiler, _key: &PixelKey) -> String {
    String::new()
}
