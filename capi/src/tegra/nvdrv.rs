//! The driver as the `nvdrv` service has it: for hosts that hand the guest's bytes on.

use std::ffi::c_char;

use triglyph::EventSlot;
use triglyph::tegra::Transfer;

use super::triglyph_tegra;
use crate::error::{Failure, triglyph_status};
use crate::forward::{Outputs, answer};
use crate::handle::with_machine;
use crate::pointer::{Out, slice, slice_mut, text};

/// Open: a device by its path, `/dev/nvmap`, `/dev/nvhost-as-gpu`, `/dev/nvhost-gpu`, `/dev/nvhost-ctrl` or
/// `/dev/nvhost-ctrl-gpu`. A file of the second one is an address space, one of the third a channel. `result` is a
/// `triglyph_tegra_result`: `TRIGLYPH_TEGRA_RESULT_NO_FILE` for other paths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_nvdrv_open(
    tegra: Option<&triglyph_tegra>,
    path: *const c_char,
    file: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_machine(tegra, |tegra| {
        // SAFETY: the header asks callers for null or text.
        let path = unsafe { text(path, "path") }?.ok_or_else(|| Failure::null("path"))?;
        (file,).put(answer(tegra.nvdrv_open(path), result));
        Ok(())
    })
}

/// Close: a file, and its channel or address space. `result` is `TRIGLYPH_TEGRA_RESULT_BUSY` for an address space that
/// channels are bound to; it stays open then.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvdrv_close(
    tegra: Option<&triglyph_tegra>,
    file: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_machine(tegra, |tegra| answer(tegra.nvdrv_close(file), result))
}

/// Ioctl, Ioctl2 and Ioctl3: `request` is its number, `buffer` its argument, in which the answer takes the request's
/// place. Ioctl2 has a second buffer `inline_in`, Ioctl3 one `inline_out`; null with size 0 without one. `result` is
/// what the guest is told beside the buffers, `TRIGLYPH_TEGRA_RESULT_TIMEOUT` among it where an event is armed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_nvdrv_ioctl(
    tegra: Option<&triglyph_tegra>,
    file: u32,
    request: u32,
    buffer: *mut u8,
    size: usize,
    inline_in: *const u8,
    inline_in_size: usize,
    inline_out: *mut u8,
    inline_out_size: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_machine(tegra, |tegra| {
        // SAFETY: the header asks callers for that many bytes.
        let (mut fields, inline, mut output) = unsafe {
            (
                slice(buffer.cast_const(), size, "buffer")?.to_vec(),
                slice(inline_in, inline_in_size, "inline_in")?.to_vec(),
                slice(inline_out.cast_const(), inline_out_size, "inline_out")?.to_vec(),
            )
        };
        let transfer = Transfer { buffer: &mut fields, inline_in: &inline, inline_out: &mut output };
        answer(tegra.nvdrv_ioctl(file, request, transfer), result);
        // SAFETY: as above, and the bytes may be written.
        unsafe {
            slice_mut(buffer, size, "buffer")?.copy_from_slice(&fields);
            slice_mut(inline_out, inline_out_size, "inline_out")?.copy_from_slice(&output);
        }
        Ok(())
    })
}

/// QueryEvent: the slot of the event that `event` names, a value that EVENT_WAIT has answered. It is signalled by a
/// `TRIGLYPH_EVENT_KIND_FENCE` event of that slot.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvdrv_query_event(
    tegra: Option<&triglyph_tegra>,
    file: u32,
    event: u32,
    slot: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_machine(tegra, |tegra| (slot,).put(answer(tegra.nvdrv_query_event(file, event).map(EventSlot::get), result)))
}
