//! Reductions that are gathered apart and then joined with memory.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::reduction::Reduction;

use super::place;
use crate::mem::global::at;
use crate::mem::{GuestRange, Memory};

/// Bytes around an address for which reductions are gathered, at multiples of them.
const GATHERED: u64 = 1 << 14;

/// Maximum number of such pieces on each thread.
const GATHERED_PIECES: usize = 4;

/// Reductions that are to be joined with memory.
#[derive(Debug, Default)]
pub(super) struct Gathered<'m>(pub(super) [OnceLock<GatheredPiece<'m>>; GATHERED_PIECES]);

#[derive(Debug)]
pub(super) struct GatheredPiece<'m> {
    pub(super) reduction: Reduction,
    /// GPU address, and the memory that is there.
    pub(super) start: u64,
    window: Window<'m>,
    pub(super) values: Vec<AtomicU8>,
    /// Offsets that were used.
    low: AtomicU64,
    high: AtomicU64,
}

impl<'m> Gathered<'m> {
    /// The pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &GatheredPiece<'m>> {
        self.0.iter().filter_map(OnceLock::get)
    }

    /// The one that has an address for a reduction.
    pub(super) fn find(&self, address: u64, reduction: Reduction) -> Option<&GatheredPiece<'m>> {
        self.pieces().find(|piece| {
            let is_inside = address.checked_sub(piece.start).is_some_and(|offset| offset < piece.values.len() as u64);
            is_inside && piece.reduction == reduction
        })
    }
}

impl<'m> GatheredPiece<'m> {
    /// Identity values around an address; `None` where memory does not begin with a whole value.
    pub(super) fn new(memory: &'m Memory, space: u32, address: u64, reduction: Reduction) -> Option<Self> {
        let address = at(space, address);
        let (start, window) = memory.mapping_at(address, true)?;
        let first = start.max(address.address / GATHERED * GATHERED);
        let end = (address.address / GATHERED + 1) * GATHERED;
        let bytes = reduction.bytes();
        if !first.is_multiple_of(8) {
            return None;
        }
        let window = window.from((first - start) as usize).first((end - first) as usize);
        let window = window.first(window.len() / bytes * bytes);
        let value = reduction.identity().to_le_bytes();
        let values = value[..bytes].iter().cycle().take(window.len()).map(|&byte| AtomicU8::new(byte)).collect();
        let (low, high) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));
        Some(GatheredPiece { reduction, start: first, window, values, low, high })
    }

    /// Notes that a program has used values.
    pub(super) fn note(&self, address: u64, size: u64) {
        self.low.fetch_min(address - self.start, Relaxed);
        self.high.fetch_max(address - self.start + size, Relaxed);
    }

    /// The host addresses for which something was gathered.
    pub(super) fn used(&self) -> Range<u64> {
        let (start, high) = (place(self.window).start, self.high.load(Relaxed));
        start + self.low.load(Relaxed).min(high)..start + high
    }

    /// Joins the gathered values with memory.
    pub(super) fn join(&self, memory: &Memory, space: u32) {
        let (high, bytes) = (self.high.load(Relaxed), self.reduction.bytes());
        let low = self.low.load(Relaxed).min(high);
        let values = Window::new(&self.values);
        let word = |window: &Window<'_>, at: usize| match self.reduction.wide {
            true => u64::from_le_bytes(window.read(at)),
            false => window.read_word(at, 4).into(),
        };
        for at in (low as usize..high as usize).step_by(bytes) {
            let value = word(&values, at);
            if value != self.reduction.identity() {
                let joined = self.reduction.join(word(&self.window, at), value);
                self.window.write(at, &joined.to_le_bytes()[..bytes]);
            }
        }
        memory.mark_written(GuestRange::new(space, self.start + low, high - low));
    }
}
