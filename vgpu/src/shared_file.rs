//! Files of buffers, by which processes share them: what the kernel calls PRIME descriptors.
//!
//! A shared buffer moves from the GPU's memory to a file of its own: its bytes, and a page with its size and layout.
//! Every process with a descriptor of the file maps the same pages.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use bytemuck::{Pod, Zeroable};
use libc::c_int;

use crate::drm::argument::{Answer, Errno};
use crate::errno;
use crate::memory::{FileStatus, Identity, Memory, PAGE, file_to_share, hand_out, is_sealed, kept};

/// The first bytes of the page after the buffer's bytes.
const MAGIC: u32 = 0x5647_5442;

/// What a process has to know of another one's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Description {
    /// Bytes, whole pages.
    pub size: u64,
    /// The number of the chip set: layouts are a chip's own.
    pub chip: u32,
    pub tile_mode: u32,
    pub tile_flags: u32,
    magic: u32,
}

impl Description {
    /// Of a buffer.
    pub const fn new(chip: u16, size: u64, tile_mode: u32, tile_flags: u32) -> Self {
        Description { size, chip: chip as u32, tile_mode, tile_flags, magic: MAGIC }
    }
}

/// The file of a buffer.
#[derive(Debug)]
pub struct SharedFile {
    descriptor: OwnedFd,
    pub identity: Identity,
    pub description: Description,
}

fn failed(error: &io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(libc::ENOMEM))
}

impl SharedFile {
    /// A file with a copy of the bytes of a buffer, which is at an offset of the GPU's memory.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(description: Description, memory: &Memory, offset: u64) -> Answer<SharedFile> {
        let file = file_to_share(c"triglyph-vgpu-buffer", description.size + PAGE).map_err(|error| failed(&error))?;
        memory.copy_to(file.as_raw_fd(), offset, description.size).map_err(|error| failed(&error))?;
        let (words, length) = ((&raw const description).cast(), size_of::<Description>());
        // SAFETY: bytes of a structure.
        if unsafe { libc::pwrite(file.as_raw_fd(), words, length, description.size as i64) } != length as isize {
            return Err(errno());
        }
        Self::of(file, description)
    }

    /// The file of a buffer of any process.
    ///
    /// # Errors
    /// `EBADF` if the descriptor is not open, `EINVAL` if it is of another file.
    pub fn received(descriptor: c_int) -> Answer<SharedFile> {
        let description = Self::description(descriptor)?;
        Self::of(kept(descriptor).map_err(|error| failed(&error))?, description)
    }

    /// What the file of a buffer of any process says.
    ///
    /// # Errors
    /// Those of [`Self::received`].
    pub fn description(descriptor: c_int) -> Answer<Description> {
        let status = FileStatus::of(descriptor).ok_or(Errno(libc::EBADF))?;
        let invalid = Errno(libc::EINVAL);
        let at = status.size.checked_sub(PAGE).filter(|&at| at > 0).ok_or(invalid)?;
        let mut description = Description::zeroed();
        let (to, length) = ((&raw mut description).cast(), size_of::<Description>());
        // SAFETY: the system writes to the bytes of a structure.
        let read = unsafe { libc::pread(descriptor, to, length, at as i64) };
        let is_whole = description.size == at && description.size.is_multiple_of(PAGE);
        if read != length as isize || description.magic != MAGIC || !is_whole || !is_sealed(descriptor) {
            return Err(invalid);
        }
        Ok(description)
    }

    fn of(descriptor: OwnedFd, description: Description) -> Answer<SharedFile> {
        let identity = Identity::of(descriptor.as_raw_fd()).ok_or_else(errno)?;
        Ok(SharedFile { descriptor, identity, description })
    }

    /// The descriptor of this process's own.
    pub fn descriptor(&self) -> c_int {
        self.descriptor.as_raw_fd()
    }

    /// A descriptor for the program, closed by `exec` if `flags` have `O_CLOEXEC`.
    ///
    /// # Errors
    /// What the system says.
    pub fn hand_out(&self, flags: u32) -> Answer<c_int> {
        let is_closed_by_exec = flags & libc::O_CLOEXEC as u32 != 0;
        hand_out(self.descriptor(), is_closed_by_exec).map_err(|error| failed(&error))
    }
}
