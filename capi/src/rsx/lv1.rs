//! Arguments, results and address spaces of the hypervisor's calls.

use triglyph::rsx::{ContextAllocation, MemoryAllocation, Status};

use super::triglyph_rsx;
use crate::error::triglyph_status;
use crate::forward::{CallResult, Tell};
use crate::handle::with_machine;
use crate::pointer::{Out, put, put_found};

/// The results of the hypervisor's calls in r3.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_rsx_result {
    /// Done.
    Success = 0,
    /// A resource is used up.
    ResourceShortage = -2,
    /// The caller may not.
    NoPrivilege = -3,
    /// There is no such thing.
    NoEntry = -6,
    /// It is there already.
    DuplicateEntry = -7,
    /// It is in use.
    Busy = -9,
    /// Not in this state.
    WrongState = -11,
    /// A value that is not supported.
    UnsupportedParameterValue = -15,
    /// A value that makes no sense.
    IllegalParameterValue = -17,
    /// An address or a size that is not aligned.
    AlignmentError = -23,
}

/// The results of `lv1_gpu_context_allocate`. `triglyph_rsx_lpar` says where the pages are in guest memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_rsx_context {
    /// Names the context.
    pub handle: u32,
    /// 0.
    pub reserved: u32,
    /// Address of its control page: PUT at 0x40, GET at 0x44, REF at 0x48.
    pub control: u64,
    /// Address of its driver information.
    pub info: u64,
    /// Address of its reports area.
    pub reports: u64,
    /// Bytes of the reports area.
    pub reports_size: u64,
}

/// The context's IO space has pages of 64 KiB instead of 1 MiB.
pub const TRIGLYPH_RSX_CONTEXT_SMALL_PAGES: u64 = 0x02;
/// The push buffer is in local memory.
pub const TRIGLYPH_RSX_CONTEXT_LOCAL_PUSH_BUFFER: u64 = 0x10;
/// Makes the DMA object of reports in main memory.
pub const TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS: u64 = 0x20;
/// The IO space has 512 MiB instead of 256.
pub const TRIGLYPH_RSX_CONTEXT_LARGE_IO_SPACE: u64 = 0x400;

/// The GPU may write what `triglyph_rsx_context_iomap` maps.
pub const TRIGLYPH_RSX_IOMAP_WRITE: u64 = 0x8000000000000000;
/// The GPU may read it.
pub const TRIGLYPH_RSX_IOMAP_READ: u64 = 0x4000000000000000;

const _: () = {
    use triglyph::rsx::flags;
    assert!(TRIGLYPH_RSX_CONTEXT_SMALL_PAGES == flags::SMALL_PAGES);
    assert!(TRIGLYPH_RSX_CONTEXT_LOCAL_PUSH_BUFFER == flags::LOCAL_PUSH_BUFFER);
    assert!(TRIGLYPH_RSX_CONTEXT_MAIN_REPORTS == flags::MAIN_REPORTS);
    assert!(TRIGLYPH_RSX_CONTEXT_LARGE_IO_SPACE == flags::LARGE_IO_SPACE);
};

impl CallResult for Status {
    type C = i64;

    fn number(&self) -> i64 {
        self.code()
    }
}

impl Tell<(u32, u64)> for MemoryAllocation {
    fn tell(self) -> (u32, u64) {
        (self.handle.get(), self.lpar)
    }
}

impl Tell<(triglyph_rsx_context,)> for ContextAllocation {
    fn tell(self) -> (triglyph_rsx_context,) {
        let ContextAllocation { handle, control, info, reports, reports_size } = self;
        let handle = handle.get();
        (triglyph_rsx_context { handle, reserved: 0, control, info, reports, reports_size },)
    }
}

/// Where an address is that a call has returned: the address space and the address in it. `found` is false for
/// addresses of nothing.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_lpar(
    rsx: Option<&triglyph_rsx>,
    lpar: u64,
    space: Out<'_, u32>,
    address: Out<'_, u64>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(rsx, |rsx| {
        let at = rsx.lpar(lpar);
        put(space, at.map_or(0, |at| at.space));
        put_found(at.map(|at| at.address), address, found);
    })
}

/// Where in main memory an IO offset of a context is; `found` is false where nothing is mapped.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_io_to_lpar(
    rsx: Option<&triglyph_rsx>,
    context: u32,
    io: u32,
    lpar: Out<'_, u64>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(rsx, |rsx| put_found(rsx.io_to_lpar(context.into(), io), lpar, found))
}
