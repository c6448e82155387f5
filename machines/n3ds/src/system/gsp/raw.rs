//! The memory of a shared page: an array of our own, or a pointer to a page of the host's.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

/// Words of the page: 4 KiB.
pub const WORDS: usize = 1024;

/// A page of the host's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostPage(NonNull<[AtomicU32; WORDS]>);

// SAFETY: the page is only handed out as atomics, which any thread may use; `HostPage::new` has its caller promise
// that it stays valid.
unsafe impl Send for HostPage {}
// SAFETY: as above; the pointer itself never changes.
unsafe impl Sync for HostPage {}

impl HostPage {
    /// `None` for a null pointer or one that is not aligned to 4 bytes.
    ///
    /// # Safety
    /// `page` must be valid for reads and writes of 4096 bytes while the value or a copy of it lives.
    pub(super) unsafe fn new(page: *mut u8) -> Option<Self> {
        let words = NonNull::new(page.cast::<[AtomicU32; WORDS]>())?;
        words.is_aligned().then_some(HostPage(words))
    }

    pub(super) fn words(&self) -> &[AtomicU32; WORDS] {
        // SAFETY: the pointer is aligned and valid for the whole array, as promised to `new`; the guest's processors
        // may change the words at any time, which atomics allow.
        unsafe { self.0.as_ref() }
    }
}

/// The page: of our own or memory of the host's.
#[derive(Debug)]
pub struct SharedPage(Backing);

#[derive(Debug)]
enum Backing {
    Own(Box<[AtomicU32; WORDS]>),
    Host(HostPage),
}

impl Default for SharedPage {
    /// A zeroed page of our own.
    fn default() -> Self {
        SharedPage(Backing::Own(Box::new([const { AtomicU32::new(0) }; WORDS])))
    }
}

impl SharedPage {
    /// The words of the page, in the guest's byte order.
    pub fn words(&self) -> &[AtomicU32; WORDS] {
        match &self.0 {
            Backing::Own(words) => words,
            Backing::Host(page) => page.words(),
        }
    }

    /// Uses 4 KiB of the host's memory, which may be mapped for the GPU as well; `None` for a null pointer or one that
    /// is not aligned to 4 bytes.
    ///
    /// # Safety
    /// `page` must be valid for reads and writes of 4096 bytes while the result lives. Others may access it at the
    /// same time the way guest processors do.
    pub unsafe fn from_host(page: *mut u8) -> Option<Self> {
        // SAFETY: the caller promises that the page is valid while the result, which keeps the value, lives.
        unsafe { HostPage::new(page) }.map(|page| SharedPage(Backing::Host(page)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Acquire;

    #[test]
    fn the_hosts_page_is_used_in_place() {
        let words = [const { AtomicU32::new(0) }; WORDS];
        let pointer = words.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: `words` outlives the page.
        let page = unsafe { SharedPage::from_host(pointer) }.unwrap();
        page.store(0x804, 7);
        assert_eq!(words[0x201].load(Acquire), 7_u32.to_le());
        for page in [pointer.wrapping_add(1), std::ptr::null_mut()] {
            // SAFETY: refused before use.
            let refused = unsafe { SharedPage::from_host(page) };
            assert!(refused.is_none());
        }
    }
}
