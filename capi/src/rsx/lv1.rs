//! The hypervisor's calls. `result` is what the guest finds in r3: 0, or why the call failed. Hosts that dispatch on
//! r11 use `triglyph_rsx_hypercall`.

use triglyph::Rsx;
use triglyph::rsx::{Answer, Status};

use super::{triglyph_rsx, with_rsx};
use crate::error::triglyph_status;
use crate::pointer::{Out, array, put, slice_mut};

/// What the hypervisor's calls answer in r3.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_rsx_result {
    /// Done.
    Success = 0,
    /// Something is used up.
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

/// What `lv1_gpu_context_allocate` returns. `triglyph_rsx_lpar` says where the pages are in guest memory.
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

/// Stores what a call came to: its answer, or the default, and the value of r3.
fn answer<T, U>(call: Result<T, Status>, result: Out<'_, i64>, store: impl FnOnce(T) -> U) -> Option<U> {
    put(result, call.as_ref().err().map_or(0, |status| status.code()));
    call.ok().map(store)
}

/// A call that answers with its result alone.
fn lv1_call(
    rsx: Option<&triglyph_rsx>,
    result: Out<'_, i64>,
    call: impl FnOnce(&mut Rsx) -> Result<(), Status>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        answer(call(rsx), result, |()| ());
        Ok(())
    })
}

/// `lv1_gpu_memory_allocate` (214): `size` bytes of local memory, a multiple of 1 MiB, and four limited resources.
/// Memory that the host has not mapped is mapped. Returns the allocation's handle and the address of its first byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_memory_allocate(
    rsx: Option<&triglyph_rsx>,
    size: u64,
    resources: *const u64,
    handle: Out<'_, u32>,
    lpar: Out<'_, u64>,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        // SAFETY: the header asks callers for four values.
        let resources = unsafe { array(resources, "resources") }?;
        let got = answer(rsx.memory_allocate(size, resources), result, |memory| (memory.handle, memory.lpar));
        let (got_handle, got_lpar) = got.unwrap_or_default();
        put(handle, got_handle);
        put(lpar, got_lpar);
        Ok(())
    })
}

/// `lv1_gpu_memory_free` (216).
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_memory_free(
    rsx: Option<&triglyph_rsx>,
    handle: u32,
    result: Out<'_, i64>,
) -> triglyph_status {
    lv1_call(rsx, result, |rsx| rsx.memory_free(handle))
}

/// `lv1_gpu_context_allocate` (217): a channel with its objects and pages. `flags`: `TRIGLYPH_RSX_CONTEXT_*`, others
/// are stored and do nothing.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_context_allocate(
    rsx: Option<&triglyph_rsx>,
    memory: u32,
    flags: u64,
    context: Out<'_, triglyph_rsx_context>,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        let got = answer(rsx.context_allocate(memory, flags), result, |context| triglyph_rsx_context {
            handle: context.handle,
            reserved: 0,
            control: context.control,
            info: context.info,
            reports: context.reports,
            reports_size: context.reports_size,
        });
        put(context, got.unwrap_or_default());
        Ok(())
    })
}

/// `lv1_gpu_context_free` (218).
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_context_free(
    rsx: Option<&triglyph_rsx>,
    context: u32,
    result: Out<'_, i64>,
) -> triglyph_status {
    lv1_call(rsx, result, |rsx| rsx.context_free(context))
}

/// `lv1_gpu_context_iomap` (221): `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0
/// unmaps. Main memory is what the host has mapped in `TRIGLYPH_RSX_SPACE_XDR`, by the same addresses. `flags`:
/// `TRIGLYPH_RSX_IOMAP_READ`, `TRIGLYPH_RSX_IOMAP_WRITE`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_context_iomap(
    rsx: Option<&triglyph_rsx>,
    context: u32,
    io: u64,
    lpar: u64,
    size: u64,
    flags: u64,
    result: Out<'_, i64>,
) -> triglyph_status {
    lv1_call(rsx, result, |rsx| rsx.context_iomap(context, io, lpar, size, flags))
}

/// `lv1_gpu_context_attribute` (225): an operation with four parameters, such as 0x001, which sets GET and PUT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_context_attribute(
    rsx: Option<&triglyph_rsx>,
    context: u32,
    operation: u64,
    parameters: *const u64,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        // SAFETY: the header asks callers for four values.
        let parameters = unsafe { array(parameters, "parameters") }?;
        answer(rsx.context_attribute(context, operation, parameters), result, |()| ());
        Ok(())
    })
}

/// `lv1_gpu_context_intr` (227): the interrupts that have happened since the last call.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_context_intr(
    rsx: Option<&triglyph_rsx>,
    context: u32,
    interrupts: Out<'_, u64>,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        let bits = answer(rsx.context_intr(context), result, |bits| bits);
        put(interrupts, bits.unwrap_or(0));
        Ok(())
    })
}

/// `lv1_gpu_device_map` (212): the address of a device's page, and its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_device_map(
    rsx: Option<&triglyph_rsx>,
    device: u64,
    lpar: Out<'_, u64>,
    size: Out<'_, u64>,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        let (address, bytes) = answer(rsx.device_map(device), result, |page| page).unwrap_or_default();
        put(lpar, address);
        put(size, bytes);
        Ok(())
    })
}

/// `lv1_gpu_device_unmap` (213).
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_device_unmap(
    rsx: Option<&triglyph_rsx>,
    device: u64,
    result: Out<'_, i64>,
) -> triglyph_status {
    lv1_call(rsx, result, |rsx| rsx.device_unmap(device))
}

/// `lv1_gpu_attribute` (228): succeeds, what its operations do is not documented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_attribute(
    rsx: Option<&triglyph_rsx>,
    operation: u64,
    parameters: *const u64,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        // SAFETY: the header asks callers for four values.
        let parameters = unsafe { array(parameters, "parameters") }?;
        answer(rsx.attribute(operation, parameters), result, |()| ());
        Ok(())
    })
}

/// Makes a call by its number (r11): `arguments` are r3 to r10, `outputs`, which may be null, five values for r4 to r8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_hypercall(
    rsx: Option<&triglyph_rsx>,
    number: u32,
    arguments: *const u64,
    outputs: *mut u64,
    result: Out<'_, i64>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        // SAFETY: the header asks callers for eight values.
        let arguments = unsafe { array(arguments, "arguments") }?;
        let Answer { status, outputs: got } = rsx.hypercall(number, arguments);
        if !outputs.is_null() {
            // SAFETY: the header asks callers for room for five values.
            unsafe { slice_mut(outputs, got.len(), "outputs") }?.copy_from_slice(&got);
        }
        put(result, status);
        Ok(())
    })
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
    with_rsx(rsx, |rsx| {
        let at = rsx.lpar(lpar);
        put(space, at.map_or(0, |at| at.space));
        put(address, at.map_or(0, |at| at.address));
        put(found, at.is_some());
        Ok(())
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
    with_rsx(rsx, |rsx| {
        let at = rsx.io_to_lpar(context, io);
        put(lpar, at.unwrap_or(0));
        put(found, at.is_some());
        Ok(())
    })
}
