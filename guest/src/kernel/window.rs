//! Windows: ranges of guest memory that kernels access.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::access::AccessListener;

/// Guest memory from some address to the end of the mapping it lies in, or an empty window.
///
/// The guest's CPU and other tiles may write the same bytes at any time, so the bytes are atomics: reading a torn
/// value is possible, undefined behaviour is not. Reads beyond the end give zero, writes beyond it are dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window<'m> {
    bytes: &'m [AtomicU8],
    /// The observer of accesses.
    listener: Option<&'m Arc<dyn AccessListener>>,
}

impl<'m> Window<'m> {
    /// A window over `bytes`.
    pub const fn new(bytes: &'m [AtomicU8]) -> Self {
        Window { bytes, listener: None }
    }

    /// The same window with a listener, which is called for each access. Without one an access costs a comparison.
    pub const fn heard_by(self, listener: Option<&'m Arc<dyn AccessListener>>) -> Self {
        Window { listener, ..self }
    }

    /// Length in bytes.
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the window has no bytes, as that of an unmapped address.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes themselves.
    pub const fn bytes(&self) -> &'m [AtomicU8] {
        self.bytes
    }

    /// The window from `offset` on; empty when `offset` lies beyond the end.
    #[inline]
    pub fn from(&self, offset: usize) -> Window<'m> {
        Window { bytes: self.bytes.get(offset..).unwrap_or(&[]), ..*self }
    }

    /// At most the first `length` bytes.
    #[inline]
    pub fn first(&self, length: usize) -> Window<'m> {
        Window { bytes: &self.bytes[..length.min(self.bytes.len())], ..*self }
    }

    /// Address of the first byte on the host, for compiled code.
    pub const fn as_ptr(&self) -> *mut u8 {
        self.bytes.as_ptr() as *mut u8
    }

    /// Whether two windows have bytes in common, whatever the guest's addresses of them are.
    pub fn overlaps(&self, other: Window<'_>) -> bool {
        let (first, second) = (self.as_ptr().addr(), other.as_ptr().addr());
        let both = !self.is_empty() && !other.is_empty();
        both && first < second + other.len() && second < first + self.len()
    }

    /// Tells who listens that bytes are read by other means; those beyond the end do not count.
    #[inline]
    pub fn note_read(&self, offset: usize, bytes: usize) {
        if let Some(listener) = self.listener {
            let (address, bytes) = self.place(offset, bytes);
            listener.read(address, bytes);
        }
    }

    /// The same of bytes that are written.
    #[inline]
    pub fn note_write(&self, offset: usize, bytes: usize) {
        if let Some(listener) = self.listener {
            let (address, bytes) = self.place(offset, bytes);
            listener.written(address, bytes);
        }
    }

    /// The address on the host of bytes, and how many of them there are.
    #[cold]
    fn place(&self, offset: usize, bytes: usize) -> (usize, usize) {
        (self.as_ptr().addr().wrapping_add(offset), bytes.min(self.len().saturating_sub(offset)))
    }

    /// `N` bytes at `offset`; those beyond the end are zero.
    #[inline]
    pub fn read<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.note_read(offset, N);
        let mut out = [0; N];
        if let Some(bytes) = offset.checked_add(N).and_then(|end| self.bytes.get(offset..end)) {
            for (o, b) in out.iter_mut().zip(bytes) {
                *o = b.load(Relaxed);
            }
        } else {
            for (i, o) in out.iter_mut().enumerate() {
                *o = offset.checked_add(i).and_then(|at| self.bytes.get(at)).map_or(0, |b| b.load(Relaxed));
            }
        }
        out
    }

    /// A little-endian word of the `size` low bytes (1 to 4) at `offset`.
    #[inline]
    pub fn read_word(&self, offset: usize, size: u32) -> u32 {
        match size {
            1 => u32::from(self.read::<1>(offset)[0]),
            2 => u32::from(u16::from_le_bytes(self.read(offset))),
            3 => {
                let [a, b, c] = self.read(offset);
                u32::from_le_bytes([a, b, c, 0])
            }
            _ => u32::from_le_bytes(self.read(offset)),
        }
    }

    /// Stores `bytes` at `offset`; what lies beyond the end is dropped.
    #[inline]
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.note_write(offset, bytes.len());
        if let Some(target) = self.bytes.get(offset..) {
            for (t, &b) in target.iter().zip(bytes) {
                t.store(b, Relaxed);
            }
        }
    }

    /// Stores the `size` low bytes (1 to 4) of `word` at `offset`, little-endian.
    #[inline]
    pub fn write_word(&self, offset: usize, size: u32, word: u32) {
        self.write(offset, &word.to_le_bytes()[..size as usize]);
    }
}

/// A host buffer with these bytes, from which windows can be taken, for data that is not in guest memory.
pub fn buffer(bytes: &[u8]) -> Vec<AtomicU8> {
    bytes.iter().map(|&b| AtomicU8::new(b)).collect()
}
