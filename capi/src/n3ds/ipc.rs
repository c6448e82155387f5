//! GSP's calls as words, for hosts that hand whole requests on.

use std::ffi::c_void;

use triglyph::n3ds::gsp::{self, ProcessMemory, Reply};

use super::{session, triglyph_n3ds, with_gsp};
use crate::error::triglyph_status;
use crate::pointer::{Out, put, required, slice_mut};

/// The memory of the calling process, to which the pointers of a request refer. The functions are called during the
/// call that they are passed to, on its thread; they return false when not all bytes are there. They must not throw or
/// jump out; calls on the same 3DS return `TRIGLYPH_STATUS_BUSY`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_n3ds_process {
    /// Is handed to both functions.
    pub user_data: *mut c_void,
    /// Reads bytes at a virtual address; null for memory that cannot be read.
    pub read:
        Option<unsafe extern "C" fn(user_data: *mut c_void, address: u32, data: *mut c_void, size: usize) -> bool>,
    /// Writes bytes at a virtual address; null for memory that cannot be written.
    pub write:
        Option<unsafe extern "C" fn(user_data: *mut c_void, address: u32, data: *const c_void, size: usize) -> bool>,
}

impl ProcessMemory for triglyph_n3ds_process {
    fn read(&self, address: u32, out: &mut [u8]) -> bool {
        // SAFETY: the host promises functions of these types that take its own pointer.
        self.read.is_some_and(|read| unsafe { read(self.user_data, address, out.as_mut_ptr().cast(), out.len()) })
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        // SAFETY: as in `read`.
        self.write.is_some_and(|write| unsafe { write(self.user_data, address, bytes.as_ptr().cast(), bytes.len()) })
    }
}

/// Handles a request to `gsp::Gpu`: `words` is the caller's command buffer with the receive descriptors after it, 66
/// words, in which the answer takes the request's place. `blocked` says that the caller stays asleep: until its session
/// turns up in `triglyph_n3ds_take_granted`, after which `triglyph_n3ds_ipc_granted` makes the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_ipc(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    words: *mut u32,
    count: usize,
    process: Option<&triglyph_n3ds_process>,
    blocked: Out<'_, bool>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        let mut process = *required(process, "process")?;
        // SAFETY: the header asks callers for that many words.
        let mut request: Vec<u32> = unsafe { crate::pointer::slice(words.cast_const(), count, "words") }?.to_vec();
        let reply = gsp.ipc(hardware, self::session(session), &mut request, &mut process);
        // SAFETY: as above, and the words may be written.
        unsafe { slice_mut(words, count, "words") }?.copy_from_slice(&request);
        put(blocked, reply == Reply::Blocked);
        Ok(())
    })
}

/// Answers an AcquireRight that was blocked, in the caller's command buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_ipc_granted(words: *mut u32, count: usize) -> triglyph_status {
    crate::error::guard(|| {
        // SAFETY: the header asks callers for that many words.
        let mut answer: Vec<u32> = unsafe { crate::pointer::slice(words.cast_const(), count, "words") }?.to_vec();
        gsp::granted(&mut answer);
        // SAFETY: as above, and the words may be written.
        unsafe { slice_mut(words, count, "words") }?.copy_from_slice(&answer);
        Ok(())
    })
}
