//! Files of buffers, by which processes share them: what the kernel calls PRIME descriptors.
//!
//! A shared buffer moves from the GPU's memory to a file of its own: its bytes, and a page with its size and layout.
//! Every process with a descriptor of the file maps the same pages. The file is sealed against shrinking: a process
//! that truncated it would make the others fault.

#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use bytemuck::{Pod, Zeroable};
use libc::c_int;

use crate::drm::argument::{Answer, Errno};
use crate::errno;
use crate::memory::{Identity, Memory, PAGE, moved_up};

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
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: a system call on a name that is terminated; no other code has the descriptor.
        let low = unsafe {
            let low = libc::memfd_create(c"triglyph-vgpu-buffer".as_ptr(), flags);
            if low < 0 {
                return Err(errno());
            }
            OwnedFd::from_raw_fd(low)
        };
        let length = description.size + PAGE;
        // SAFETY: a system call on a descriptor.
        if unsafe { libc::ftruncate(low.as_raw_fd(), length as i64) } < 0 {
            return Err(errno());
        }
        memory.copy_to(low.as_raw_fd(), offset, description.size).map_err(|error| failed(&error))?;
        let (words, length) = ((&raw const description).cast(), size_of::<Description>());
        // SAFETY: bytes of a structure.
        if unsafe { libc::pwrite(low.as_raw_fd(), words, length, description.size as i64) } != length as isize {
            return Err(errno());
        }
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: a system call on a descriptor.
        if unsafe { libc::syscall(libc::SYS_fcntl, low.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
            return Err(errno());
        }
        Self::kept(low, description)
    }

    /// The file of a buffer of any process.
    ///
    /// # Errors
    /// `EBADF` if the descriptor is not open, `EINVAL` if it is of another file.
    pub fn received(descriptor: c_int) -> Answer<SharedFile> {
        let mut status = MaybeUninit::<libc::stat>::uninit();
        let mut description = Description::zeroed();
        // SAFETY: the system calls write to a `stat` and to the bytes of a structure, and the path is empty and
        // terminated.
        let low = unsafe {
            let (path, flags) = (c"".as_ptr(), libc::AT_EMPTY_PATH);
            if libc::syscall(libc::SYS_newfstatat, descriptor, path, status.as_mut_ptr(), flags) < 0 {
                return Err(Errno(libc::EBADF));
            }
            let (length, at) = (size_of::<Description>(), status.assume_init().st_size - PAGE as i64);
            let read = libc::pread(descriptor, (&raw mut description).cast(), length, at.max(0));
            let seals = libc::syscall(libc::SYS_fcntl, descriptor, libc::F_GET_SEALS);
            let is_whole = description.size == at as u64 && description.size.is_multiple_of(PAGE);
            let is_sealed = seals > 0 && seals as c_int & libc::F_SEAL_SHRINK != 0;
            if read != length as isize || description.magic != MAGIC || !is_whole || at <= 0 || !is_sealed {
                return Err(Errno(libc::EINVAL));
            }
            let low = libc::syscall(libc::SYS_fcntl, descriptor, libc::F_DUPFD_CLOEXEC, 0) as c_int;
            if low < 0 {
                return Err(errno());
            }
            OwnedFd::from_raw_fd(low)
        };
        Self::kept(low, description)
    }

    fn kept(low: OwnedFd, description: Description) -> Answer<SharedFile> {
        let descriptor = moved_up(low).map_err(|error| failed(&error))?;
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
        let command = match flags & libc::O_CLOEXEC as u32 {
            0 => libc::F_DUPFD,
            _ => libc::F_DUPFD_CLOEXEC,
        };
        // SAFETY: a system call on a descriptor that is open.
        let copy = unsafe { libc::syscall(libc::SYS_fcntl, self.descriptor(), command, 0) as c_int };
        if copy < 0 { Err(errno()) } else { Ok(copy) }
    }
}
