//! The pointers behind guest memory.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU8;

use memmap2::{MmapMut, MmapOptions};
use triglyph_guest::kernel::Window;

use super::changes::Pages;
use crate::error::Error;

/// Bytes that live as long as the arena.
#[derive(Debug)]
pub(super) struct Arena {
    pointer: *mut u8,
    size: usize,
    /// Keeps an own mapping alive; `None` for memory of the host's.
    own: Option<MmapMut>,
    changes: Pages,
}

// SAFETY: the bytes are only handed out as atomics, which any thread may use.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// `size` zero-filled bytes; pages that are never touched cost nothing.
    pub(super) fn anonymous(size: u64) -> Result<Self, Error> {
        let refused = |e: &dyn std::fmt::Display| Error::Unsupported(format!("{size:#x} bytes of guest memory: {e}"));
        let size = usize::try_from(size).map_err(|e| refused(&e))?;
        let mut map = MmapOptions::new().len(size).no_reserve_swap().map_anon().map_err(|e| refused(&e))?;
        Ok(Arena { pointer: map.as_mut_ptr(), size, own: Some(map), changes: Pages::new(size) })
    }

    /// Has the system find pages for `size` bytes from `offset` on now instead of when they are touched first. What they hold
    /// stays. Where the system has no such call nothing happens.
    pub(super) fn populate(&self, offset: usize, size: usize) {
        #[cfg(target_os = "linux")]
        if let Some(map) = &self.own {
            let size = size.min(self.size.saturating_sub(offset));
            // Old kernels refuse: pages come one by one then, as everywhere else.
            let _ = map.advise_range(memmap2::Advice::PopulateWrite, offset, size);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (offset, size);
    }

    /// No bytes at all.
    pub(super) fn empty() -> Self {
        Arena { pointer: std::ptr::dangling_mut(), size: 0, own: None, changes: Pages::new(0) }
    }

    /// Memory of the host's.
    ///
    /// # Safety
    /// `pointer` must be valid for reads and writes of `size` bytes while the arena lives.
    pub(super) unsafe fn host(pointer: *mut u8, size: u64) -> Result<Self, Error> {
        let size = usize::try_from(size).map_err(|e| Error::Unsupported(e.to_string()))?;
        Ok(Arena { pointer, size, own: None, changes: Pages::new(size) })
    }

    /// Whether the bytes are the host's.
    pub(super) fn is_host(&self) -> bool {
        self.own.is_none() && self.size != 0
    }

    /// When its pages changed.
    pub(super) fn changes(&self) -> &Pages {
        &self.changes
    }

    pub(super) fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: `pointer` is valid for `size` bytes as long as self lives (own mapping, or promised by the caller
        // of `host`), AtomicU8 has the layout of u8, and no plain reference to these bytes exists anywhere.
        unsafe { std::slice::from_raw_parts(self.pointer.cast::<AtomicU8>(), self.size) }
    }
}

/// Copies the first `out.len()` bytes of `window`, which must hold that many, at the speed of memcpy.
pub(crate) fn copy_out(window: Window<'_>, out: &mut [u8]) {
    assert!(window.len() >= out.len());
    // SAFETY: both sides are valid for the length; `out` is not guest memory, so they cannot overlap. A guest that
    // writes at the same time can only give torn bytes, as with any DMA.
    unsafe { std::ptr::copy_nonoverlapping(window.as_ptr(), out.as_mut_ptr(), out.len()) }
}

/// Copies `bytes` to the beginning of `window`, which must hold that many, at the speed of memcpy.
pub(crate) fn copy_in(bytes: &[u8], window: Window<'_>) {
    assert!(window.len() >= bytes.len());
    // SAFETY: as in `copy_out`, the other way round; who reads these bytes at the same time may see them torn.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), window.as_ptr(), bytes.len()) }
}

/// Hands the bytes of `window` to `f` in copies of a few KiB, in order: for hashing, where a reference into guest
/// memory would be unsound.
pub fn for_each_chunk(window: Window<'_>, mut f: impl FnMut(&[u8])) {
    const CHUNK: usize = 4096;
    let mut chunk = [0; CHUNK];
    let mut at = 0;
    while at < window.len() {
        let size = CHUNK.min(window.len() - at);
        copy_out(window.from(at), &mut chunk[..size]);
        f(&chunk[..size]);
        at += size;
    }
}

/// Fills `out` with the words at the start of `window`, as far as both reach, and returns how many there were. One copy
/// and one pass: the way command words come in.
pub fn read_words(window: Window<'_>, out: &mut [u32], big_endian: bool) -> usize {
    let count = out.len().min(window.len() / 4);
    let out = &mut out[..count];
    copy_out(window, bytemuck::cast_slice_mut(out));
    for word in out {
        *word = if big_endian { u32::from_be(*word) } else { u32::from_le(*word) };
    }
    count
}
