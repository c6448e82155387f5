//! A range of an address space, and the memory that it is mapped to.

use std::sync::Arc;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::access::AccessListener;

use super::raw::Arena;
use super::{Epoch, GuestAddr, GuestRange};
use crate::mem::rights::Access;

/// A stretch of an address space backed by a stretch of an arena.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub range: GuestRange,
    pub access: Access,
    pub kind: RegionKind,
    pub arena: Arc<Arena>,
    /// Offset of the first byte in the arena.
    pub offset: usize,
    /// When it was mapped, or the last of its parts.
    pub mapped: Epoch,
    /// The observer of accesses to it.
    pub listener: Option<Arc<dyn AccessListener>>,
}

/// The owner of a region's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// Its own.
    Mapping,
    /// Another region's, which is a mapping.
    Alias,
    /// No memory, on purpose.
    Sparse,
}

impl Region {
    /// A mapping that begins where its arena does, still to be put among the regions.
    pub fn mapping(range: GuestRange, access: Access, arena: Arena) -> Region {
        let (kind, arena, mapped) = (RegionKind::Mapping, Arc::new(arena), Epoch::default());
        Region { range, access, kind, arena, offset: 0, mapped, listener: None }
    }

    /// The address after the last byte, in the same space.
    pub fn end(&self) -> GuestAddr {
        self.range.start.after(self.range.size)
    }

    pub fn is_mapping(&self) -> bool {
        self.kind == RegionKind::Mapping
    }

    pub fn is_sparse(&self) -> bool {
        self.kind == RegionKind::Sparse
    }

    /// Bytes in the arena.
    pub fn bytes(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.range.size as usize
    }

    /// Where in the arena an address inside the region is.
    pub fn offset_of(&self, at: GuestAddr) -> usize {
        self.offset + (at.address - self.range.start.address) as usize
    }

    /// The part of the region from `start` to `end`, both inside it.
    pub fn part(&self, start: GuestAddr, end: GuestAddr) -> Region {
        let range = start.range(end.address - start.address);
        Region { range, offset: self.offset_of(start), ..self.clone() }
    }

    /// Whether `next` is no mapping of its own but goes on where this one ends.
    pub fn goes_on_in(&self, next: &Region) -> bool {
        let memory = || Arc::ptr_eq(&self.arena, &next.arena) && self.bytes().end == next.offset;
        let same = match self.kind {
            RegionKind::Mapping => false,
            RegionKind::Alias => memory(),
            RegionKind::Sparse => true,
        };
        same && (self.kind, self.access, self.end()) == (next.kind, next.access, next.range.start)
    }

    /// The memory from an address inside the region to its end.
    pub fn window(&self, at: GuestAddr) -> Window<'_> {
        let bytes = &self.arena.bytes()[self.offset_of(at)..self.bytes().end];
        Window::new(bytes).heard_by(self.listener.as_ref())
    }
}
