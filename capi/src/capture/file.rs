//! Capture files.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;

use triglyph::capture::{CaptureFile, Reader, TrimUnit, trim};

use crate::error::{Failure, guard, numbered, triglyph_status};
use crate::handle::destroy;
use crate::options;
use crate::pointer::{self, Out, put, required};

/// A capture that was opened. It does not change: any number of threads and players may use it.
pub struct triglyph_capture {
    pub(super) file: Arc<CaptureFile>,
}

/// Opens a capture file, by its path (UTF-8). It belongs to the caller, who destroys it with
/// `triglyph_capture_destroy`; players that were made from it keep what they need. The file must not be changed
/// meanwhile.
///
/// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_capture_open(
    path: *const c_char,
    capture: Out<'_, *mut triglyph_capture>,
) -> triglyph_status {
    guard(|| {
        let out = required(capture, "capture")?;
        // SAFETY: the header asks callers for text that ends with 0.
        let path = unsafe { pointer::path(path, "path") }?;
        give(CaptureFile::open(&path)?, out)
    })
}

/// Makes a capture from the bytes of a file, which are copied.
///
/// Errors: `TRIGLYPH_STATUS_BAD_CAPTURE` when it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_capture_from_bytes(
    bytes: *const u8,
    size: usize,
    capture: Out<'_, *mut triglyph_capture>,
) -> triglyph_status {
    guard(|| {
        let out = required(capture, "capture")?;
        // SAFETY: the header asks callers for that many bytes.
        let bytes = unsafe { pointer::slice(bytes, size, "bytes") }?;
        give(CaptureFile::from(bytes.to_vec()), out)
    })
}

fn give(file: CaptureFile, out: &mut MaybeUninit<*mut triglyph_capture>) -> Result<(), Failure> {
    Reader::new(&file)?;
    pointer::give(triglyph_capture { file: Arc::new(file) }, out);
    Ok(())
}

/// Which `triglyph_machine` a capture is for, and whether its guest's words are big-endian. Either pointer may be null.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_capture_header(
    capture: Option<&triglyph_capture>,
    machine: Out<'_, u32>,
    big_endian: Out<'_, bool>,
) -> triglyph_status {
    guard(|| {
        let header = Reader::new(&required(capture, "capture")?.file)?.header();
        put(machine, options::number(header.machine));
        put(big_endian, header.big_endian);
        Ok(())
    })
}

/// In what pieces `triglyph_capture_trim` keeps memory.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_trim_unit {
    /// The bytes that are read.
    Bytes = 0,
    /// Pages of 4 KiB of which a byte is read.
    Pages = 1,
}

/// Writes a capture to another file, or to the same one, without the memory that neither the GPU nor a picture reads:
/// of a recording made in an emulator mostly a small part is left, and little of the program. `unit` is a
/// `triglyph_trim_unit`. The capture is replayed by the interpreter for that and compared, which takes some seconds.
/// Meant for recordings after `triglyph_stop_recording`.
///
/// Errors: `TRIGLYPH_STATUS_IO`; `TRIGLYPH_STATUS_BAD_CAPTURE`; `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a unit without a
/// meaning; `TRIGLYPH_STATUS_UNSUPPORTED` when the smaller capture shows something else. Nothing is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_capture_trim(from: *const c_char, to: *const c_char, unit: u32) -> triglyph_status {
    guard(|| {
        // SAFETY: the header asks callers for texts that end with 0.
        let (from, to) = unsafe { (pointer::path(from, "from")?, pointer::path(to, "to")?) };
        let unit = numbered(unit, &[TrimUnit::Bytes, TrimUnit::Pages], "unit")?;
        let trimmed = trim(&CaptureFile::open(&from)?, unit)?;
        std::fs::write(&to, trimmed).map_err(|error| triglyph::Error::io(to.display().to_string(), error))?;
        Ok(())
    })
}

/// Destroys a capture. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_capture_destroy(capture: *mut triglyph_capture) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(capture, |_| Ok(())) }
}
