//! The pointer behind a shared page of the host's.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

use super::shared::WORDS;

/// A page of the host's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostPage(NonNull<[AtomicU32; WORDS]>);

// SAFETY: the page is only handed out as atomics, which any thread may use; `HostPage::new` has its caller promise
// that it stays valid.
unsafe impl Send for HostPage {}
// SAFETY: as above.
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
