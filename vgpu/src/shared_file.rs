//! Descriptors of buffers: small files that hold a handle. Only the process that made one can import it.

#![allow(unsafe_code)]

use libc::c_int;

use crate::drm::argument::{Answer, Errno};
use crate::errno;

/// What such a file begins with.
const MAGIC: u32 = 0x5647_5442;

/// A file for a buffer.
///
/// # Errors
/// What the system says.
pub fn create(handle: u32) -> Answer<c_int> {
    let words = [MAGIC, std::process::id(), handle];
    // SAFETY: a name that is terminated, and bytes of an array.
    unsafe {
        let descriptor = libc::memfd_create(c"triglyph-vgpu-buffer".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(errno());
        }
        if libc::pwrite(descriptor, words.as_ptr().cast(), size_of_val(&words), 0) != size_of_val(&words) as isize {
            let failed = errno();
            libc::close(descriptor);
            return Err(failed);
        }
        Ok(descriptor)
    }
}

/// The buffer of a file.
///
/// # Errors
/// `EBADF` if the descriptor is not open, `EINVAL` if the file is no buffer's of this process.
pub fn handle(descriptor: c_int) -> Answer<u32> {
    let mut words = [0u32; 3];
    // SAFETY: bytes of an array.
    let read = unsafe { libc::pread(descriptor, words.as_mut_ptr().cast(), size_of_val(&words), 0) };
    match words {
        _ if read < 0 => Err(Errno(libc::EBADF)),
        [MAGIC, process, handle] if process == std::process::id() => Ok(handle),
        _ => Err(Errno(libc::EINVAL)),
    }
}
