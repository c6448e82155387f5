//! The GPU's memory: a file without a name, which program and device map.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;

use libc::c_int;

use crate::chip::Chip;

/// The smallest unit of memory.
pub const PAGE: u64 = 4096;

/// The first bytes of the page after a GPU's memory. Other processes recognise a descriptor of the node by them.
static MARK: u64 = 0x7570_6776_2D74_6774;

/// Descriptors below are left to programs that count theirs.
const FIRST_DESCRIPTOR: c_int = 500;

/// A sparse file of memory, mapped as a whole, and a page that marks it. It lives as long as the process.
#[derive(Debug)]
pub struct Memory {
    descriptor: c_int,
    first: NonNull<u8>,
    size: u64,
    file: FileStatus,
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
    kept(low.as_raw_fd())
}

/// A copy of a descriptor for the program, which `exec` closes if `is_closed_by_exec`.
///
/// # Errors
/// What the system says.
pub fn hand_out(descriptor: c_int, is_closed_by_exec: bool) -> io::Result<c_int> {
    let command = if is_closed_by_exec { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
    // SAFETY: a system call on a number.
    checked(unsafe { libc::syscall(libc::SYS_fcntl, descriptor, command, 0) as c_int })
}

/// A copy of a program's descriptor, for this library.
///
/// # Errors
/// `EBADF` if it is not open, and what else the system says.
pub fn kept(descriptor: c_int) -> io::Result<OwnedFd> {
    let (command, first) = (libc::F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    // SAFETY: a system call on a number; no other code has the new descriptor.
    unsafe {
        let high = checked(libc::syscall(libc::SYS_fcntl, descriptor, command, first) as c_int)?;
        Ok(OwnedFd::from_raw_fd(high))
    }
}

/// A file without a name of `size` bytes, all zero. Processes that have it cannot shrink it: one that did would make
/// the others fault.
///
/// # Errors
/// What the system says.
pub fn file_to_share(name: &CStr, size: u64) -> io::Result<OwnedFd> {
    // SAFETY: system calls on a name that is terminated and on a descriptor that no other code has.
    unsafe {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        let low = OwnedFd::from_raw_fd(checked(libc::memfd_create(name.as_ptr(), flags))?);
        checked(libc::ftruncate(low.as_raw_fd(), size.try_into().map_err(io::Error::other)?))?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        checked(libc::syscall(libc::SYS_fcntl, low.as_raw_fd(), libc::F_ADD_SEALS, seals) as c_int)?;
        moved_up(low)
    }
}

/// Whether a file is one whose bytes cannot go away while they are mapped.
pub fn is_sealed(descriptor: c_int) -> bool {
    // SAFETY: a system call on a number.
    let seals = unsafe { libc::syscall(libc::SYS_fcntl, descriptor, libc::F_GET_SEALS) };
    seals > 0 && seals as c_int & libc::F_SEAL_SHRINK != 0
}

/// What tells a file from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

impl Identity {
    /// That of an open file.
    pub fn of(descriptor: c_int) -> Option<Identity> {
        FileStatus::of(descriptor).map(|status| status.identity)
    }
}

/// What is asked of a file to know whether it is a GPU's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStatus {
    pub identity: Identity,
    pub size: u64,
}

impl FileStatus {
    /// That of an open file.
    pub fn of(descriptor: c_int) -> Option<FileStatus> {
        let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the system call writes a `stat` to the address, and the path is empty and terminated. `fstat` itself
        // is a function that this library replaces.
        let failed = unsafe {
            libc::syscall(libc::SYS_newfstatat, descriptor, c"".as_ptr(), status.as_mut_ptr(), libc::AT_EMPTY_PATH)
        };
        // SAFETY: it has been written.
        (failed == 0).then(|| FileStatus::new(unsafe { status.assume_init_ref() }))
    }

    /// What the system said of a file.
    pub fn new(status: &libc::stat) -> FileStatus {
        let identity = Identity { device: status.st_dev, inode: status.st_ino };
        FileStatus { identity, size: status.st_size as u64 }
    }

    /// Whether an open file of this status is the memory of a chip's GPU, of any process.
    pub fn is_memory(&self, descriptor: c_int) -> bool {
        let Some(end) = self.size.checked_sub(PAGE) else { return false };
        let mut mark = 0u64;
        // Most files differ in their sizes.
        Chip::ALL.iter().any(|chip| chip.file_size() == end)
            // SAFETY: the system writes to the bytes of a number.
            && unsafe { libc::pread(descriptor, (&raw mut mark).cast(), 8, end as i64) } == 8
            && mark == MARK
    }
}

/// A mapping of a file, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapping {
    address: usize,
    size: u64,
    protection: c_int,
    /// Into the file.
    offset: u64,
    inode: u64,
}

impl Mapping {
    /// A line of `/proc/self/maps`: addresses, permissions, offset, device, inode, path.
    fn parse(line: &str) -> Option<Mapping> {
        let mut words = line.split_ascii_whitespace();
        let (addresses, permissions, offset) = (words.next()?, words.next()?, words.next()?);
        let (start, end) = addresses.split_once('-')?;
        let [start, end, offset] = [start, end, offset].map(|number| u64::from_str_radix(number, 16).ok());
        let bits = [('r', libc::PROT_READ), ('w', libc::PROT_WRITE), ('x', libc::PROT_EXEC)];
        let protection = bits.into_iter().filter(|(letter, _)| permissions.contains(*letter)).map(|(_, bit)| bit).sum();
        let (address, size, inode) = (start? as usize, end?.checked_sub(start?)?, words.nth(1)?.parse().ok()?);
        Some(Mapping { address, size, protection, offset: offset?, inode })
    }

    /// What it has of a range of the file.
    fn part(self, offset: u64, size: u64) -> Option<Mapping> {
        let first = self.offset.max(offset);
        let end = (self.offset + self.size).min(offset + size);
        let address = self.address + first.checked_sub(self.offset)? as usize;
        (first < end).then(|| Mapping { address, size: end - first, offset: first, ..self })
    }
}

/// Puts a mapping of a file in the place of another one.
///
/// # Safety
/// All of the range is mapped already, and its users accept that its bytes change.
unsafe fn map_over(address: usize, size: u64, protection: c_int, file: c_int, offset: u64) -> io::Result<()> {
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // As a system call: the function of this name is one that this library replaces.
    // SAFETY: as promised.
    let mapped = unsafe { libc::syscall(libc::SYS_mmap, address, size, protection, flags, file, offset) };
    if mapped < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Memory {
    /// A file of `size` bytes, all zero.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(size: u64) -> io::Result<Memory> {
        // SAFETY: system calls on a name that is terminated and on a descriptor that no other code has.
        let low = unsafe {
            let low = checked(libc::memfd_create(c"triglyph-vgpu".as_ptr(), libc::MFD_CLOEXEC))?;
            checked(libc::ftruncate(low, (size + PAGE).try_into().map_err(io::Error::other)?))?;
            OwnedFd::from_raw_fd(low)
        };
        // SAFETY: the bytes of a number.
        if unsafe { libc::pwrite(low.as_raw_fd(), (&raw const MARK).cast(), 8, size as i64) } != 8 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = moved_up(low)?.into_raw_fd();
        let length = usize::try_from(size).map_err(io::Error::other)?;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
        // SAFETY: a new mapping of a file of that size.
        let first = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, descriptor, 0) };
        if first == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let first = NonNull::new(first.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let file = FileStatus::of(descriptor).ok_or_else(io::Error::last_os_error)?;
        Ok(Memory { descriptor, first, size, file })
    }

    /// What tells descriptors of this file from others.
    pub fn file(&self) -> FileStatus {
        self.file
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

    /// Writes a range to the start of another file.
    ///
    /// # Errors
    /// What the system says.
    pub fn copy_to(&self, file: c_int, offset: u64, size: u64) -> io::Result<()> {
        let mut done = 0;
        while done < size {
            let left = self.at(offset + done).cast_const().cast();
            // SAFETY: inside of the mapping; the system reads it as any other process might.
            let written = unsafe { libc::pwrite(file, left, (size - done) as usize, done as i64) };
            match written {
                ..0 => return Err(io::Error::last_os_error()),
                0 => return Err(io::ErrorKind::WriteZero.into()),
                _ => done += written as u64,
            }
        }
        Ok(())
    }

    /// Has a range be the bytes of another file, in this mapping and in those that the program has made of it.
    ///
    /// # Errors
    /// What the system says; some of the mappings may have changed.
    pub fn replace(&self, offset: u64, size: u64, descriptor: c_int) -> io::Result<()> {
        for mapping in self.program_mappings(offset, size)? {
            // SAFETY: a mapping of this file that exists, of which the program sees other pages with the same bytes.
            unsafe {
                map_over(mapping.address, mapping.size, mapping.protection, descriptor, mapping.offset - offset)?
            };
        }
        // SAFETY: inside of this mapping.
        unsafe { map_over(self.at(offset).addr(), size, libc::PROT_READ | libc::PROT_WRITE, descriptor, 0) }
    }

    /// Has a range be this file's own bytes again, in this mapping.
    ///
    /// # Errors
    /// What the system says.
    pub fn restore(&self, offset: u64, size: u64) -> io::Result<()> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: inside of this mapping.
        unsafe { map_over(self.at(offset).addr(), size, protection, self.descriptor, offset) }
    }

    /// The program's mappings of parts of a range of this file: the system knows them.
    fn program_mappings(&self, offset: u64, size: u64) -> io::Result<Vec<Mapping>> {
        let mappings = std::fs::read_to_string("/proc/self/maps")?;
        let own = self.first.addr().get()..self.at(self.size).addr();
        let parts = mappings
            .lines()
            .filter_map(Mapping::parse)
            .filter(|mapping| mapping.inode == self.file.identity.inode && !own.contains(&mapping.address));
        Ok(parts.filter_map(|mapping| mapping.part(offset, size)).collect())
    }

    /// Makes a range zero and gives its memory back to the system.
    pub fn clear(&self, offset: u64, size: u64) {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: a system call on this library's own file.
        unsafe { libc::fallocate(self.descriptor, mode, offset as i64, size as i64) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_parts_of_ranges() {
        let line = "7f00f0000000-7f00f0004000 rw-s 00010000 00:01 1234      /memfd:triglyph-vgpu (deleted)";
        let mapping = Mapping::parse(line).unwrap();
        let (address, protection) = (0x7F00_F000_0000, libc::PROT_READ | libc::PROT_WRITE);
        assert_eq!(mapping, Mapping { address, size: 0x4000, protection, offset: 0x1_0000, inode: 1234 });
        let part = mapping.part(0x1_1000, 0x1000).unwrap();
        assert_eq!((part.address, part.size, part.offset), (address + 0x1000, 0x1000, 0x1_1000));
        let part = mapping.part(0, 0x1_2000).unwrap();
        assert_eq!((part.address, part.size, part.offset), (address, 0x2000, 0x1_0000));
        assert_eq!((mapping.part(0, 0x1_0000), mapping.part(0x1_4000, 0x1000)), (None, None));
    }
}
