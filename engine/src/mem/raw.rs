//! The pointers to guest memory.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::anonymous::Anonymous;
use super::changes::Pages;
use crate::error::Error;

/// Bytes that live as long as the arena.
#[derive(Debug)]
pub(super) struct Arena {
    pointer: *mut u8,
    size: usize,
    /// Keeps memory of the library's own alive; `None` for memory of the host's.
    own: Option<Arc<Anonymous>>,
    /// Where in it the arena begins.
    start: usize,
    changes: Arc<Pages>,
}

/// Pages for future mappings, which can be prefaulted.
#[derive(Debug)]
pub(super) struct PrefaultPool {
    own: Arc<Anonymous>,
    /// Its first byte.
    pointer: *mut u8,
    used: usize,
}

// SAFETY: the pointer is to memory that `own` keeps mapped wherever the value is, and is only used to make arenas.
unsafe impl Send for PrefaultPool {}
// SAFETY: as above; making an arena takes `&mut self`.
unsafe impl Sync for PrefaultPool {}

impl PrefaultPool {
    const SIZE: usize = 8 << 20;

    pub(super) fn new() -> Result<Self, Error> {
        let mut own = Anonymous::new(Self::SIZE)?;
        Ok(PrefaultPool { pointer: own.as_mut_ptr(), own: Arc::new(own), used: 0 })
    }

    /// Prefaults all pages, unless the memory was dropped before.
    pub(super) fn populating(&self) -> impl FnOnce() + Send + 'static + use<> {
        let own = Arc::downgrade(&self.own);
        move || own.upgrade().iter().for_each(|own| own.populate(0, Self::SIZE))
    }

    /// An arena of `size` zero-filled bytes; `None` when it would leave too little for others.
    pub(super) fn take(&mut self, size: u64) -> Option<Arena> {
        let size = usize::try_from(size).ok().filter(|&size| size <= Self::SIZE / 4)?;
        let start = self.used;
        let end = start + size.next_multiple_of(PAGE);
        if end > Self::SIZE {
            return None;
        }
        let changes = Arc::new(Pages::new(size).ok()?);
        self.used = end;
        // SAFETY: `start..end` lies inside of the SIZE bytes that `own` has mapped, as was just checked.
        let pointer = unsafe { self.pointer.add(start) };
        Some(Arena { pointer, size, own: Some(self.own.clone()), start, changes })
    }
}

/// Arenas begin at multiples of it.
const PAGE: usize = 4096;

// SAFETY: the bytes do not belong to a thread, and are only handed out as atomics, which any thread may use.
unsafe impl Send for Arena {}
// SAFETY: as above; nothing else in an arena changes.
unsafe impl Sync for Arena {}

impl Arena {
    /// `size` zero-filled bytes; pages that are never touched cost nothing.
    pub(super) fn anonymous(size: u64) -> Result<Self, Error> {
        let size =
            usize::try_from(size).map_err(|e| Error::Unsupported(format!("{size:#x} bytes of guest memory: {e}")))?;
        let changes = Arc::new(Pages::new(size)?);
        let mut own = Anonymous::new(size)?;
        Ok(Arena { pointer: own.as_mut_ptr(), size, own: Some(Arc::new(own)), start: 0, changes })
    }

    /// Prefaults `size` bytes from `offset` on.
    pub(super) fn populate(&self, offset: usize, size: usize) {
        if let Some(own) = &self.own {
            own.populate(self.start + offset, size.min(self.size.saturating_sub(offset)));
        }
    }

    /// Whether its pages are those of `pool`, which are prefaulted without [`Self::populate`].
    pub(super) fn is_from(&self, pool: &PrefaultPool) -> bool {
        self.own.as_ref().is_some_and(|own| Arc::ptr_eq(own, &pool.own))
    }

    /// No bytes at all.
    pub(super) fn empty() -> Self {
        Arena { pointer: std::ptr::dangling_mut(), size: 0, own: None, start: 0, changes: Arc::default() }
    }

    /// Memory of the host's.
    ///
    /// # Safety
    /// `pointer` must be valid for reads and writes of `size` bytes while the arena lives.
    pub(super) unsafe fn host(pointer: *mut u8, size: u64) -> Result<Self, Error> {
        let size = usize::try_from(size).map_err(|e| Error::Unsupported(e.to_string()))?;
        Ok(Arena { pointer, size, own: None, start: 0, changes: Arc::new(Pages::new(size)?) })
    }

    /// Whether the bytes are the host's.
    pub(super) fn is_host(&self) -> bool {
        self.own.is_none() && self.size != 0
    }

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.size as u64
    }

    /// Where the bytes are on the host.
    pub(super) fn address(&self) -> usize {
        self.pointer.addr()
    }

    /// Whether two arenas have bytes in common.
    pub(super) fn overlaps(&self, other: &Arena) -> bool {
        self.address() < other.address() + other.size && other.address() < self.address() + self.size
    }

    /// When its pages changed.
    pub(super) fn changes(&self) -> &Arc<Pages> {
        &self.changes
    }

    pub(super) fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: `pointer` is valid for `size` bytes as long as self lives: `own` maps them, the caller of `host` has
        // promised it, or there are none and it dangles. AtomicU8 has the layout of u8. This library makes no plain
        // reference to these bytes, and a caller that maps memory of the host's promises not to use one meanwhile.
        unsafe { std::slice::from_raw_parts(self.pointer.cast::<AtomicU8>(), self.size) }
    }
}

/// Bytes of the host's as kernels see memory.
pub fn atomic_bytes(bytes: &mut [u8]) -> &[AtomicU8] {
    // SAFETY: atomics have the layout of the values that they hold, and the bytes are borrowed exclusively.
    unsafe { &*(std::ptr::from_mut(bytes) as *const [AtomicU8]) }
}
