//! Results of the hypervisor's calls.

use super::Status;
use crate::id::{ContextHandle, MemoryHandle};

/// The results of `lv1_gpu_memory_allocate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAllocation {
    /// Names the allocation.
    pub handle: MemoryHandle,
    /// Address of its first byte, which the machine's `lpar` finds in guest memory.
    pub lpar: u64,
}

/// The results of `lv1_gpu_context_allocate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextAllocation {
    /// Names the context.
    pub handle: ContextHandle,
    /// Address of its control page, as [`MemoryAllocation::lpar`].
    pub control: u64,
    /// Address of its driver information.
    pub info: u64,
    /// Address of its reports area.
    pub reports: u64,
    /// Bytes of the reports area.
    pub reports_size: u64,
}

/// The registers after a call: r3, then r4 and those that follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// 0, or why it failed.
    pub status: i64,
    /// r4 and up.
    pub outputs: [u64; 5],
}

impl<T: Outputs> From<Result<T, Status>> for Answer {
    fn from(result: Result<T, Status>) -> Self {
        match result {
            Ok(value) => Answer { status: 0, outputs: value.outputs() },
            Err(status) => Answer { status: status.code(), outputs: [0; 5] },
        }
    }
}

/// The results of a call beside its status, as registers from r4 on.
pub trait Outputs {
    /// r4 to r8; 0 where there is nothing.
    fn outputs(self) -> [u64; 5];
}

impl Outputs for () {
    fn outputs(self) -> [u64; 5] {
        [0; 5]
    }
}

impl Outputs for u64 {
    fn outputs(self) -> [u64; 5] {
        [self, 0, 0, 0, 0]
    }
}

impl Outputs for (u64, u64) {
    fn outputs(self) -> [u64; 5] {
        [self.0, self.1, 0, 0, 0]
    }
}

impl Outputs for MemoryAllocation {
    fn outputs(self) -> [u64; 5] {
        [self.handle.get().into(), self.lpar, 0, 0, 0]
    }
}

impl Outputs for ContextAllocation {
    fn outputs(self) -> [u64; 5] {
        [self.handle.get().into(), self.control, self.info, self.reports, self.reports_size]
    }
}
