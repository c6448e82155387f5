//! Functions of all machines: creation, submissions, waiting.

use super::error::{Failure, guard, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::options::{self, triglyph_options};
use super::pointer::{Out, copied, give, required, store};

/// Makes a machine, named by a `triglyph_machine`, for hosts that need only what all machines have, such as players of
/// captures. It belongs to the caller, who destroys it with `triglyph_device_destroy`. Use `triglyph_n3ds_create`,
/// `triglyph_rsx_create` or `triglyph_tegra_create` for a machine's own calls.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the
/// host gives no threads, or has no code generator and `TRIGLYPH_TIER_JIT` was asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_device_create(
    machine: u32,
    options: *const triglyph_options,
    device: Out<'_, *mut triglyph_device>,
) -> triglyph_status {
    guard(|| {
        let out = required(device, "device")?;
        // SAFETY: the header asks callers for null or a structure that begins with its size.
        let options = unsafe { options::read(options) }?;
        let device = triglyph_device::new(options::machine(machine)?, &options, false)?;
        give(device, out);
        Ok(())
    })
}

/// Destroys a device made by `triglyph_device_create`. Memory of the host's that was mapped is not used any more when
/// this returns. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a device that was
/// borrowed from a machine's handle. The device stays as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_device_destroy(device: *mut triglyph_device) -> triglyph_status {
    let check = |device: &triglyph_device| match device.is_borrowed() {
        true => Err(Failure::invalid("the device belongs to a machine's handle: destroy that")),
        false => device.check_idle(),
    };
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(device, check) }
}

/// Which `triglyph_machine` a device is.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_get_machine(device: Option<&triglyph_device>, machine: Out<'_, u32>) -> triglyph_status {
    with_device(device, |state| store(machine, options::number(state.gpu.device_ref().machine()), "machine"))
}

/// Gives the GPU work in the form of a capture's SUBMIT record, all little-endian: on the 3DS the eight words of a GX
/// command; on the PS3 `u32 channel`, `u32 space`, then `u64 start`, `u64 bytes` for each segment of the push buffer;
/// on the Tegra X1 `u32 channel`, `u32 0`, then GPFIFO entries of 8 bytes. Hosts that use a machine's own calls need
/// it only for what they record.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` when the bytes do not have that form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_submit(
    device: Option<&triglyph_device>,
    payload: *const u8,
    size: usize,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for an array of that size.
        let payload = unsafe { copied(payload, size, "payload") }?;
        Ok(state.gpu.device().submit(&payload)?)
    })
}

/// Returns once everything that was submitted is done and its results are in guest memory.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_finish(device: Option<&triglyph_device>) -> triglyph_status {
    with_device(device, |state| state.gpu.device().finish())
}

/// Returns once no kernel is being compiled or waits for it, for benchmarks and tests.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_wait_for_compiler(device: Option<&triglyph_device>) -> triglyph_status {
    with_device(device, |state| state.gpu.device_ref().wait_for_compiler())
}
