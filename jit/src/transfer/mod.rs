//! Fills, copies and conversions as machine code.

use std::sync::Arc;

use triglyph_guest::kernel::transfer::TransferKey;
use triglyph_guest::kernel::{Refused, TransferKernel};

use crate::code::Compiler;

/// The transfer kernel of `key`.
pub fn transfer(_compiler: &Compiler, _key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Refused> {
    Err(Refused("transfer kernels are not compiled"))
}
