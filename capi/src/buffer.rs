//! Buffers that the library returns to the host.

use super::error::{guard, triglyph_status};
use super::handle::destroy;
use super::pointer::{Out, give, put, required};

/// Bytes that belong to the host: a snapshot, a PNG file. They do not change, so any number of threads may read them.
pub struct triglyph_buffer {
    bytes: Vec<u8>,
}

impl triglyph_buffer {
    /// Puts bytes into a buffer of the host's.
    pub(crate) fn give(bytes: Vec<u8>, out: &mut std::mem::MaybeUninit<*mut triglyph_buffer>) {
        give(triglyph_buffer { bytes }, out);
    }
}

/// Where the bytes of a buffer are, and how many. They stay there until the buffer is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_buffer_bytes(
    buffer: Option<&triglyph_buffer>,
    data: Out<'_, *const u8>,
    size: Out<'_, usize>,
) -> triglyph_status {
    guard(|| {
        let buffer = required(buffer, "buffer")?;
        put(data, buffer.bytes.as_ptr());
        put(size, buffer.bytes.len());
        Ok(())
    })
}

/// Destroys a buffer. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_buffer_destroy(buffer: *mut triglyph_buffer) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(buffer, |_| Ok(())) }
}
