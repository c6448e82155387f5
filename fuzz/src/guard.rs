//! Host memory between guard pages: inaccessible pages, on which any access is a segmentation fault.
#![allow(unsafe_code)]

use region::{Allocation, Protection, page};

/// Bytes between two guard pages. They end where the second one begins, so that the first byte too many is a
/// segmentation fault; before them there is less than a page that goes unguarded.
pub struct Guarded {
    pages: Allocation,
    start: usize,
}

impl Guarded {
    /// Largest size that is guarded: larger mappings are left alone.
    pub const MAX_SIZE: u64 = 512 << 20;

    /// Zeros between guard pages; `None` for sizes that are 0 or too large, and where the host has no such memory.
    pub fn new(size: u64) -> Option<Self> {
        if size == 0 || size > Self::MAX_SIZE {
            return None;
        }
        let (size, page) = (size as usize, page::size());
        let inside = size.next_multiple_of(page);
        let mut pages = region::alloc(inside + 2 * page, Protection::READ_WRITE).ok()?;
        let base: *mut u8 = pages.as_mut_ptr();
        for guard in [0, page + inside] {
            // SAFETY: both pages lie in the allocation made above, and no reference into it exists yet.
            unsafe { region::protect(base.wrapping_add(guard), page, Protection::NONE).ok()? };
        }
        Some(Guarded { start: page + inside - size, pages })
    }

    /// The first byte.
    pub fn pointer(&mut self) -> *mut u8 {
        self.pages.as_mut_ptr::<u8>().wrapping_add(self.start)
    }
}
