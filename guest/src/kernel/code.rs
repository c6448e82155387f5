//! Size and vector width of a kernel's machine code, for reports.

use std::sync::Arc;

/// Machine code of a kernel; the default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCode {
    /// Bytes of code and constants.
    pub bytes: usize,
    /// With which vectors it was made.
    pub vectors: Vectors,
}

/// The vectors of machine code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Vectors {
    /// 128 bits: its loops do one iteration at a time, or the host has no others.
    #[default]
    Narrow,
    /// 256 bits: two iterations at a time.
    Wide,
    /// 128 bits, although the host has 256 and the kernel has a loop for them; and why.
    NotWidened(Arc<str>),
}
