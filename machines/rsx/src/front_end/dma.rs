//! DMA objects: the ranges of memory that engines may touch, and how they hold the words of a channel.

use triglyph_guest::rsx::objects::class;

use triglyph_engine::device::ObjectEntry;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::snapshot::state;

/// Address spaces of the machine, as captures number them.
pub mod space {
    /// Local memory (VRAM), offsets from 0.
    pub const LOCAL: u32 = 0;
    /// Main memory as mapped for the GPU, IO offsets from 0.
    pub const MAIN: u32 = 1;
}

/// A range of memory that a handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DmaObject {
    /// Address space.
    pub space: u32,
    /// First byte, an address in the space.
    pub base: u64,
    /// Offset of the last byte from `base`.
    pub limit: u64,
    /// Whether engines may read it.
    pub read: bool,
    /// Whether engines may write it.
    pub write: bool,
}

impl DmaObject {
    /// All of a space that 32 bits can name, to read and to write.
    pub const fn whole(space: u32) -> DmaObject {
        DmaObject { space, base: 0, limit: u32::MAX as u64, read: true, write: true }
    }

    /// The byte at `offset`; `None` beyond the limit.
    #[inline]
    pub const fn place(&self, offset: u32) -> Option<GuestAddr> {
        self.range(offset as u64, 1)
    }

    /// The first of `size` bytes at `offset`; `None` when one of them lies beyond the limit.
    #[inline]
    pub const fn range(&self, offset: u64, size: u64) -> Option<GuestAddr> {
        let Some(end) = offset.checked_add(size) else { return None };
        if end > self.limit.saturating_add(1) {
            return None;
        }
        match self.base.checked_add(offset) {
            Some(address) => Some(GuestAddr::new(self.space, address)),
            None => None,
        }
    }

    /// The range of an object that a capture enters; `None` for engine objects and the null object.
    pub(crate) const fn of_entry(entry: &ObjectEntry) -> Option<DmaObject> {
        if !class::is_dma(entry.class) {
            return None;
        }
        let (read, write) = (entry.class != class::DMA_TO_MEMORY, entry.class != class::DMA_FROM_MEMORY);
        Some(DmaObject { space: entry.space, base: entry.base, limit: entry.limit, read, write })
    }
}

/// Objects by handle, sorted: the table of fast mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandleTable {
    entries: Vec<ObjectEntry>,
}

impl HandleTable {
    /// Enters an object, or replaces the one of the same handle.
    pub(crate) fn insert(&mut self, entry: ObjectEntry) {
        match self.find(entry.handle) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// The object of a handle.
    pub(crate) fn get(&self, handle: u32) -> Option<&ObjectEntry> {
        self.find(handle).ok().map(|at| &self.entries[at])
    }

    fn find(&self, handle: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&handle, |entry| entry.handle)
    }
}

state! {
    /// An object of the table in a snapshot.
    pub(crate) struct SavedEntry { handle: u32, class: u32, space: u32, base: u64, limit: u64 }
}

impl HandleTable {
    pub(crate) fn save(&self) -> Vec<SavedEntry> {
        let save = |&ObjectEntry { handle, class, space, base, limit }: &ObjectEntry| SavedEntry {
            handle,
            class,
            space,
            base,
            limit,
        };
        self.entries.iter().map(save).collect()
    }

    pub(crate) fn restore(saved: Vec<SavedEntry>) -> Self {
        let mut table = HandleTable::default();
        for SavedEntry { handle, class, space, base, limit } in saved {
            table.insert(ObjectEntry { handle, class, space, base, limit });
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive() {
        let object = DmaObject { base: 0x1000, limit: 0x1F, ..DmaObject::whole(1) };
        assert_eq!(object.place(0x1F), Some(GuestAddr::new(1, 0x101F)));
        assert_eq!(object.place(0x20), None);
        assert_eq!(object.range(0x10, 0x10), Some(GuestAddr::new(1, 0x1010)));
        assert_eq!(object.range(0x10, 0x11), None);
        assert_eq!(object.range(u64::MAX, 2), None);
        let all = DmaObject { base: 1, limit: u64::MAX, ..DmaObject::whole(0) };
        assert_eq!(all.range(u64::MAX - 1, 1), Some(GuestAddr::new(0, u64::MAX)));
        assert_eq!(all.range(u64::MAX, 0), None);
    }

    #[test]
    fn handles_find_their_objects() {
        let entry = |handle, base| ObjectEntry { handle, class: class::DMA_IN_MEMORY, space: 0, base, limit: 3 };
        let mut table = HandleTable::default();
        for (handle, base) in [(5, 1), (2, 2), (9, 3), (5, 4)] {
            table.insert(entry(handle, base));
        }
        assert_eq!(table.get(5).map(|entry| entry.base), Some(4));
        assert_eq!(table.get(2).map(|entry| entry.base), Some(2));
        assert_eq!(table.get(3), None);
    }
}
