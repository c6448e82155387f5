//! Synchronisation objects that processes share: a page of memory in a file.
//!
//! GPUs do not know each other's commands, so a fence is waited for before it is set in such an object: all of its
//! points are reached.

#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use libc::c_int;

use crate::drm::argument::{Answer, Errno};
use crate::memory::{FileStatus, PAGE, file_to_share, hand_out, is_sealed, kept};

/// The first word of the page.
const MAGIC: u64 = 0x6A62_6F63_6E79_7374;

/// What all processes see.
#[repr(C)]
struct Page {
    magic: AtomicU64,
    /// Whether the object has a fence that is no point of a timeline: 0 or 1.
    fence: AtomicU64,
    /// The point of the timeline that is reached; 0 is none.
    point: AtomicU64,
}

/// An object. It is mapped as long as this lives.
#[derive(Debug)]
pub struct SharedSyncobj {
    descriptor: OwnedFd,
    page: NonNull<Page>,
}

// SAFETY: the page consists of atomics.
unsafe impl Send for SharedSyncobj {}
// SAFETY: as above.
unsafe impl Sync for SharedSyncobj {}

impl SharedSyncobj {
    /// An object without a fence.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> Answer<SharedSyncobj> {
        let file = file_to_share(c"triglyph-vgpu-syncobj", PAGE);
        let made = Self::map(file.map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::ENOMEM)))?)?;
        made.page().magic.store(MAGIC, SeqCst);
        Ok(made)
    }

    /// The object of any process.
    ///
    /// # Errors
    /// `EBADF` if the descriptor is not open, `EINVAL` if it is of another file.
    pub fn received(descriptor: c_int) -> Answer<SharedSyncobj> {
        let status = FileStatus::of(descriptor).ok_or(Errno(libc::EBADF))?;
        if status.size != PAGE || !is_sealed(descriptor) {
            return Err(Errno(libc::EINVAL));
        }
        let found = Self::map(kept(descriptor).map_err(|_| crate::errno())?)?;
        if found.page().magic.load(SeqCst) == MAGIC { Ok(found) } else { Err(Errno(libc::EINVAL)) }
    }

    fn map(descriptor: OwnedFd) -> Answer<SharedSyncobj> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        let (nowhere, file) = (std::ptr::null_mut::<Page>(), descriptor.as_raw_fd());
        // As a system call: the function of this name is one that this library replaces.
        // SAFETY: a new mapping of a file.
        let mapped = unsafe { libc::syscall(libc::SYS_mmap, nowhere, PAGE, protection, flags, file, 0u64) };
        let page = if mapped < 0 { None } else { NonNull::new(mapped as *mut Page) };
        page.map(|page| SharedSyncobj { descriptor, page }).ok_or_else(crate::errno)
    }

    fn page(&self) -> &Page {
        // SAFETY: mapped, and a page of a file that cannot shrink.
        unsafe { self.page.as_ref() }
    }

    /// Sets a point that is reached; 0 is that of an object that is no timeline.
    pub fn set(&self, point: u64) {
        let page = self.page();
        if point == 0 {
            page.point.store(0, SeqCst);
        } else {
            page.point.fetch_max(point, SeqCst);
        }
        page.fence.store((point == 0).into(), SeqCst);
    }

    /// Takes all fences from the object.
    pub fn reset(&self) {
        self.page().fence.store(0, SeqCst);
        self.page().point.store(0, SeqCst);
    }

    /// The point of the timeline that is reached.
    pub fn value(&self) -> u64 {
        self.page().point.load(SeqCst)
    }

    /// Whether a point is reached; `None` is the last one that was set.
    pub fn is_reached(&self, point: Option<u64>) -> bool {
        match point {
            Some(point) => self.value() >= point,
            None => self.value() > 0 || self.page().fence.load(SeqCst) != 0,
        }
    }

    /// A descriptor for the program.
    ///
    /// # Errors
    /// What the system says.
    pub fn hand_out(&self) -> Answer<c_int> {
        hand_out(self.descriptor.as_raw_fd(), true).map_err(|_| crate::errno())
    }
}

impl Drop for SharedSyncobj {
    fn drop(&mut self) {
        // SAFETY: nothing refers to the page any more.
        unsafe { libc::munmap(self.page.as_ptr().cast(), PAGE as usize) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_sets_the_other_sees() {
        let one = SharedSyncobj::new().unwrap();
        let other = SharedSyncobj::received(one.hand_out().unwrap()).unwrap();
        assert!(!other.is_reached(None) && !other.is_reached(Some(1)));
        one.set(5);
        one.set(3);
        assert!(other.value() == 5 && other.is_reached(Some(5)) && !other.is_reached(Some(6)));
        other.set(0);
        assert!(one.value() == 0 && one.is_reached(None));
        other.reset();
        assert!(!one.is_reached(None));
        let file = file_to_share(c"other", PAGE).unwrap();
        assert_eq!(SharedSyncobj::received(file.as_raw_fd()).unwrap_err(), Errno(libc::EINVAL));
        assert_eq!(SharedSyncobj::received(-1).unwrap_err(), Errno(libc::EBADF));
    }
}
