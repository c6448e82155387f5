//! Memory from the system, for guest memory of the library's own.
#![allow(unsafe_code)]

use crate::error::Error;

/// Zero-filled memory in one piece, whose pages are allocated when they are touched.
#[derive(Debug)]
pub(super) struct Anonymous(system::Memory);

impl Anonymous {
    pub(super) fn new(size: usize) -> Result<Self, Error> {
        let refused = |e| Error::Unsupported(format!("{size:#x} bytes of guest memory: {e}"));
        system::Memory::new(size).map(Anonymous).map_err(refused)
    }

    /// Its first byte. The memory stays where it is until the value is dropped.
    pub(super) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Prefaults the pages of `size` bytes from `offset` on, which keep their content. Does nothing on systems without
    /// such a call.
    pub(super) fn populate(&self, offset: usize, size: usize) {
        self.0.populate(offset, size);
    }
}

/// Bytes of the largest mapping that is taken to be in use as a whole.
pub(super) const MAX_IN_USE: usize = 64 << 20;

#[cfg(not(miri))]
mod system {
    use memmap2::{MmapMut, MmapOptions};

    #[derive(Debug)]
    pub struct Memory(MmapMut);

    impl Memory {
        pub fn new(size: usize) -> std::io::Result<Self> {
            let map = MmapOptions::new().len(size).no_reserve_swap().map_anon()?;
            // A fault for one page of 2 MiB costs as much as eighty for small ones, and one TLB entry covers more
            // memory. Mappings of which only parts may be in use keep small ones.
            #[cfg(target_os = "linux")]
            if (HUGE..=super::MAX_IN_USE).contains(&size) {
                // Where it is refused pages are small.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            Ok(Memory(map))
        }

        pub fn as_mut_ptr(&mut self) -> *mut u8 {
            self.0.as_mut_ptr()
        }

        pub fn populate(&self, offset: usize, size: usize) {
            // Old kernels refuse: pages come one by one then, as everywhere else.
            #[cfg(target_os = "linux")]
            let _ = self.0.advise_range(memmap2::Advice::PopulateWrite, offset, size);
            #[cfg(not(target_os = "linux"))]
            let _ = (offset, size);
        }
    }

    /// Bytes of a large page.
    #[cfg(target_os = "linux")]
    const HUGE: usize = 2 << 20;
}

/// Miri has no mappings with options: memory of the allocator, as aligned as pages.
#[cfg(miri)]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::io::{Error, ErrorKind};
    use std::ptr::NonNull;

    #[derive(Debug)]
    pub struct Memory(NonNull<u8>, Layout);

    // SAFETY: an allocation belongs to no thread, and only `drop` uses it here.
    unsafe impl Send for Memory {}
    // SAFETY: as above.
    unsafe impl Sync for Memory {}

    impl Memory {
        pub fn new(size: usize) -> std::io::Result<Self> {
            // Large sizes that tests hardly touch fail: memory is not allocated on demand here.
            let layout =
                Layout::from_size_align(size, 4096).ok().filter(|layout| (1..1 << 32).contains(&layout.size()));
            let layout = layout.ok_or(ErrorKind::OutOfMemory)?;
            // SAFETY: the size is not 0.
            let memory = NonNull::new(unsafe { alloc_zeroed(layout) });
            memory.map(|memory| Memory(memory, layout)).ok_or_else(|| Error::from(ErrorKind::OutOfMemory))
        }

        pub fn as_mut_ptr(&mut self) -> *mut u8 {
            self.0.as_ptr()
        }

        pub fn populate(&self, _: usize, _: usize) {}
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: it was allocated with this layout, and is freed here alone: arenas keep the value alive.
            unsafe { dealloc(self.0.as_ptr(), self.1) };
        }
    }
}
