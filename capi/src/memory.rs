//! Guest memory by address spaces: mapping, reading, writing, what the GPU wrote.

use std::ffi::c_void;

use triglyph::{Access, GuestRange, Mapping, WrittenHandler};

use super::callback::Callback;
use super::error::{Failure, triglyph_status};
use super::handle::{recording, triglyph_device, with_device};
use super::pointer::{self, Out, put, required};
use super::range::triglyph_range;

/// The GPU may read a range. The host may always read and write.
pub const TRIGLYPH_ACCESS_READ: u32 = 0x1;
/// The GPU may write a range.
pub const TRIGLYPH_ACCESS_WRITE: u32 = 0x2;
/// Both.
pub const TRIGLYPH_ACCESS_READ_WRITE: u32 = 0x3;

/// A mapped range.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_mapping {
    /// Where.
    pub range: triglyph_range,
    /// `TRIGLYPH_ACCESS_READ`, `TRIGLYPH_ACCESS_WRITE`.
    pub access: u32,
    /// 0.
    pub reserved: u32,
}

pub(crate) fn range(space: u32, address: u64, size: u64) -> Result<GuestRange, Failure> {
    match address.checked_add(size) {
        Some(_) => Ok(GuestRange::new(space, address, size)),
        None => Err(Failure::invalid(format!("{size:#x} bytes at {address:#x}"))),
    }
}

pub(crate) fn access(bits: u32) -> Result<Access, Failure> {
    match bits & !TRIGLYPH_ACCESS_READ_WRITE {
        0 => Ok(Access::from_bits(bits)),
        _ => Err(Failure::invalid(format!("access {bits:#x}"))),
    }
}

/// Maps zero-filled memory of the library's own; what was mapped there before is replaced.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for size 0, a range past the end of the space, an unknown space or
/// access; `TRIGLYPH_STATUS_UNSUPPORTED` for more memory than the host has, or than 16 GiB in all.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_map(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
    access: u32,
) -> triglyph_status {
    with_device(device, |state| Ok(state.gpu.device().map(range(space, address, size)?, self::access(access)?)?))
}

/// Maps memory of the host's: `size` bytes from `pointer` on. It stays the host's, and has to stay where it is until
/// the range is unmapped or replaced, or the device destroyed. Guest processors may use the bytes at the same time, as
/// they would on the console. The same bytes may be mapped several times, by the same addresses on the host. They must
/// not be passed to other calls of this library as input or output.
///
/// Errors: as `triglyph_map`; `TRIGLYPH_STATUS_NULL_POINTER`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for memory that the
/// guest has mapped elsewhere, and for pages that a context of the PS3 uses since it was allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_map_host(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
    pointer: *mut c_void,
    access: u32,
) -> triglyph_status {
    with_device(device, |state| {
        let (range, access) = (range(space, address, size)?, self::access(access)?);
        if pointer.is_null() {
            return Err(Failure::null("pointer"));
        }
        state.gpu.device_ref().check_mapping(range)?;
        // SAFETY: the header asks callers for memory that stays valid until it is unmapped, and which no Rust code
        // holds references to.
        state.gpu.with_memory(|memory| unsafe { memory.map_host(range, pointer.cast(), access) })?;
        recording!(&mut state.gpu, device => device.note_host_memory(range, Some(access)));
        Ok(())
    })
}

/// Shows mapped memory at a second place, in the same or another space.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` or `TRIGLYPH_STATUS_INVALID_ARGUMENT` when there is nothing to show.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_map_alias(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    source: Option<&triglyph_range>,
    access: u32,
) -> triglyph_status {
    with_device(device, |state| {
        let source = required(source, "source")?;
        let from = range(source.space, source.address, source.size)?;
        let (to, access) = (range(space, address, source.size)?.start, self::access(access)?);
        Ok(state.gpu.with_memory(|memory| memory.alias(to, from, access))?)
    })
}

/// Removes whatever is mapped in a range, and the aliases of memory that is gone then. Memory of the host's is not
/// used any more when this returns.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_unmap(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
) -> triglyph_status {
    with_device(device, |state| {
        let range = range(space, address, size)?;
        state.gpu.with_memory(|memory| memory.unmap(range));
        recording!(&mut state.gpu, device => device.note_host_memory(range, None));
        Ok(())
    })
}

/// The mappings, by space and address, aliases left out. Fills `mappings` as far as it reaches; `count` is how many
/// there are, which may be more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_mappings(
    device: Option<&triglyph_device>,
    mappings: *mut triglyph_mapping,
    capacity: usize,
    count: Out<'_, usize>,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for room for that many.
        let to = unsafe { pointer::slice_mut(mappings, capacity, "mappings") }?;
        let found: Vec<Mapping> = state.gpu.with_memory(|memory| memory.mappings().collect());
        for (to, mapping) in to.iter_mut().zip(&found) {
            let (range, access) = (mapping.range.into(), mapping.access.bits());
            *to = triglyph_mapping { range, access, reserved: 0 };
        }
        put(count, found.len());
        Ok(())
    })
}

/// Fills `data` with `size` bytes of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; `data` is unspecified then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_read(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    data: *mut c_void,
    size: usize,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for room for that many bytes.
        let data = unsafe { pointer::slice_mut(data.cast::<u8>(), size, "data") }?;
        Ok(state.gpu.device().read(range(space, address, size as u64)?.start, data)?)
    })
}

/// Stores `size` bytes in guest memory, after everything that was submitted, whatever access the GPU has there.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED` when a byte of the range is not mapped; nothing is stored then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_write(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    data: *const c_void,
    size: usize,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for that many bytes.
        let data = unsafe { pointer::slice(data.cast::<u8>(), size, "data") }?;
        Ok(state.gpu.device().write(range(space, address, size as u64)?.start, data)?)
    })
}

/// Says that the host has changed bytes of a range by itself, in memory that it has mapped with `triglyph_map_host`.
/// Such memory is checked whenever work is submitted; this call is for changes while work is being done, and for hosts
/// that announce all of them (`triglyph_set_host_writes_announced`).
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_host_wrote(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
) -> triglyph_status {
    with_device(device, |state| {
        let range = range(space, address, size)?;
        state.gpu.with_memory(|memory| memory.mark_changed(range));
        Ok(())
    })
}

/// Says whether `triglyph_host_wrote` is called for all that the host writes to memory of its own, before the work
/// that is to see it: then only announced ranges are checked. Otherwise, which is the default, values derived from such
/// memory are compared with it whenever work is submitted.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_set_host_writes_announced(
    device: Option<&triglyph_device>,
    announced: bool,
) -> triglyph_status {
    with_device(device, |state| state.gpu.device().set_host_writes_announced(announced))
}

/// Is called with what the GPU has written, in whole pages of 4 KiB, each once, on the thread that makes the call which
/// has done the work, before that returns. It must not block for long and not throw or jump out; calls on the same
/// device return `TRIGLYPH_STATUS_BUSY`.
pub type triglyph_written_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, range: *const triglyph_range)>;

/// Sets the callback for written ranges, or removes it with null; `triglyph_take_written` has nothing while there is
/// one. `user_data` is handed to each call and has to stay valid until the callback is replaced or the device
/// destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_set_written_callback(
    device: Option<&triglyph_device>,
    callback: triglyph_written_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_device(device, |state| {
        let handler = Callback::new(callback, user_data)
            .map(|callback| -> WrittenHandler { Box::new(move |written| callback.call(&written.into())) });
        state.gpu.device().set_written_handler(handler);
    })
}

/// Takes the ranges of guest memory that the GPU wrote since they were taken last: merged, by space and address. They
/// may name more bytes than were written, never fewer. `count` is how many were stored in `ranges`; if that is
/// `capacity`, there may be more to take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_take_written(
    device: Option<&triglyph_device>,
    ranges: *mut triglyph_range,
    capacity: usize,
    count: Out<'_, usize>,
) -> triglyph_status {
    with_device(device, |state| {
        let count = required(count, "count")?;
        if state.written.len() < capacity {
            let written = state.gpu.device().take_written();
            state.written.extend(written.into_iter().map(triglyph_range::from));
        }
        // SAFETY: the header asks callers for room for that many.
        count.write(unsafe { pointer::drain(&mut state.written, ranges, capacity, "ranges") }?);
        Ok(())
    })
}
