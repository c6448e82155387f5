//! The GPU's memory: a file without a name, which program and device map.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;

use libc::c_int;

/// Descriptors below are left to programs that count theirs.
const FIRST_DESCRIPTOR: c_int = 500;

/// A sparse file of memory, mapped as a whole. It lives as long as the process.
#[derive(Debug)]
pub struct Memory {
    descriptor: c_int,
    first: NonNull<u8>,
    size: u64,
    identity: Identity,
}

// SAFETY: the mapping is shared memory, which is only accessed as such: by the program, by devices, and here word by
// word.
unsafe impl Send for Memory {}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// The same file with a descriptor that is none of those left to programs.
///
/// # Errors
/// What the system says.
pub fn moved_up(low: OwnedFd) -> io::Result<OwnedFd> {
    let (command, first) = (libc::F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    // SAFETY: a system call on a descriptor that is open; the new one is nobody else's.
    unsafe {
        let high = checked(libc::syscall(libc::SYS_fcntl, low.as_raw_fd(), command, first) as c_int)?;
        Ok(OwnedFd::from_raw_fd(high))
    }
}

/// What tells a file from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

impl Identity {
    /// That of an open file.
    pub fn of(descriptor: c_int) -> Option<Identity> {
        let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the system call writes a `stat` to the address, and the path is empty and terminated. `fstat` itself
        // is a function that this library replaces.
        let failed = unsafe {
            libc::syscall(libc::SYS_newfstatat, descriptor, c"".as_ptr(), status.as_mut_ptr(), libc::AT_EMPTY_PATH)
        };
        // SAFETY: it has been written.
        (failed == 0).then(|| unsafe { status.assume_init() }).map(|s| Identity { device: s.st_dev, inode: s.st_ino })
    }
}

impl Memory {
    /// A file of `size` bytes, all zero.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(size: u64) -> io::Result<Memory> {
        // SAFETY: system calls on a name that is terminated and on a descriptor that is nobody else's.
        let low = unsafe {
            let low = checked(libc::memfd_create(c"triglyph-vgpu".as_ptr(), libc::MFD_CLOEXEC))?;
            checked(libc::ftruncate(low, size.try_into().map_err(io::Error::other)?))?;
            OwnedFd::from_raw_fd(low)
        };
        let descriptor = moved_up(low)?.into_raw_fd();
        let length = usize::try_from(size).map_err(io::Error::other)?;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
        // SAFETY: a new mapping of a file of that size.
        let first = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, descriptor, 0) };
        if first == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let first = NonNull::new(first.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let identity = Identity::of(descriptor).ok_or_else(io::Error::last_os_error)?;
        Ok(Memory { descriptor, first, size, identity })
    }

    /// What tells descriptors of this file from others.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> c_int {
        self.descriptor
    }

    /// Address of the byte at an offset.
    ///
    /// # Panics
    /// When it lies beyond the end: buffers are handed out inside.
    pub fn at(&self, offset: u64) -> *mut u8 {
        assert!(offset <= self.size, "{offset:#x} lies beyond the GPU's memory");
        self.first.as_ptr().wrapping_add(offset as usize)
    }

    /// Writes a word.
    pub fn write_word(&self, offset: u64, word: u32) {
        let address: *mut u32 = self.at(offset).cast();
        if offset + 4 <= self.size {
            // SAFETY: inside of the mapping. It is the program's memory, and the program waits for the call.
            unsafe { address.write_unaligned(word) };
        }
    }

    /// Makes a range zero and gives its memory back to the system.
    pub fn clear(&self, offset: u64, size: u64) {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: a system call on this library's own file.
        unsafe { libc::fallocate(self.descriptor, mode, offset as i64, size as i64) };
    }
}
