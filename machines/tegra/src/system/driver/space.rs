//! Address spaces: `/dev/nvhost-as-gpu`.

use std::collections::BTreeMap;

use triglyph_guest::id::NvmapHandle;
use triglyph_guest::tegra::driver::layout::{BIG_PAGE, BIG_PAGES, END, REMAP_PAGE, SMALL_PAGE, SPLIT, START_LOG2};
use triglyph_guest::tegra::driver::{Buffer, Layout, MapBuffer, Region, Remap, Status, map_flags, space_flags};

use super::PROCESS;
use super::map::{Handle, get};
use super::place::first_fit;
use crate::core::ADDRESS_MASK;
use crate::system::kinds::Kinds;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};

/// Ranges of a space at most.
const MAX_RANGES: usize = 1 << 16;

/// Space that a client has allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    pub size: u64,
    pub page_size: u64,
    pub sparse: bool,
}

/// A part of a handle that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    /// Bytes, whole pages.
    pub size: u64,
    /// Kind of its handle.
    pub kind: u8,
}

/// An address space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AddressSpace {
    /// 0 until it is initialised.
    pub big_page: u64,
    pub range: [u64; 3],
    /// By first address; disjoint.
    pub reservations: BTreeMap<u64, Reservation>,
    /// By first address; disjoint. What REMAP shows is not among them.
    pub mappings: BTreeMap<u64, Mapping>,
}

/// What calls change besides the books: memory and kinds of one space.
pub(super) struct Pages<'p> {
    pub memory: &'p mut Memory,
    pub kinds: &'p mut Kinds,
    pub space: u32,
}

impl Pages<'_> {
    /// Shows memory of the process.
    fn show(&mut self, address: u64, process: u64, size: u64, kind: u8) -> Result<(), Status> {
        let (to, from) = (GuestAddr::new(self.space, address), GuestRange::new(PROCESS, process, size));
        self.memory.alias(to, from, Access::READ_WRITE).map_err(|_| Status::InvalidAddress)?;
        self.kinds.set(self.space, address, size, kind);
        Ok(())
    }

    /// Shows nothing any more: in sparse space that is no fault.
    fn hide(&mut self, address: u64, size: u64, sparse: bool) -> Result<(), Status> {
        self.kinds.clear(self.space, address, size);
        let range = GuestRange::new(self.space, address, size);
        match sparse {
            true => self.memory.map_sparse(range).map_err(|_| Status::BadValue),
            false => {
                self.memory.unmap(range);
                Ok(())
            }
        }
    }
}

impl AddressSpace {
    pub fn initialize(&mut self, layout: Layout) -> Result<(), Status> {
        let big_page = if layout.big_page == 0 { BIG_PAGE } else { layout.big_page };
        let range = match [layout.start, layout.split, layout.end] {
            [0, 0, 0] => [big_page << START_LOG2, SPLIT, END],
            range => range,
        };
        if self.big_page != 0 {
            return Err(Status::InvalidState);
        }
        let whole = range.iter().all(|address| address.is_multiple_of(big_page));
        if !BIG_PAGES.contains(&big_page) || !whole || !range.is_sorted() || range[2] > ADDRESS_MASK + 1 {
            return Err(Status::BadValue);
        }
        (self.big_page, self.range) = (big_page, range);
        Ok(())
    }

    pub fn is_initialized(&self) -> Result<(), Status> {
        if self.big_page == 0 { Err(Status::NotInitialized) } else { Ok(()) }
    }

    pub fn regions(&self) -> [Region; 2] {
        let [start, split, end] = self.range;
        let region = |offset, end: u64, page_size| Region { offset, page_size, pages: (end - offset) / page_size };
        [region(start, split, SMALL_PAGE), region(split, end, self.big_page)]
    }

    /// What is not free any more.
    fn taken(&self) -> BTreeMap<u64, u64> {
        let reserved = self.reservations.iter().map(|(&start, range)| (start, start + range.size));
        let mapped = self.mappings.iter().map(|(&start, range)| (start, start + range.size));
        // Mappings within reservations come first and are replaced.
        mapped.filter(|&(start, _)| self.reservation(start, 1).is_none()).chain(reserved).collect()
    }

    fn place(&self, size: u64, align: u64, page_size: u64) -> Result<u64, Status> {
        if self.reservations.len() + self.mappings.len() >= MAX_RANGES {
            return Err(Status::InsufficientMemory);
        }
        let [start, split, end] = self.range;
        let (from, to) = if page_size == SMALL_PAGE { (start, split) } else { (split, end) };
        first_fit(&self.taken(), from, to, size, align).ok_or(Status::InsufficientMemory)
    }

    /// The allocated space that holds `size` bytes at an address.
    fn reservation(&self, address: u64, size: u64) -> Option<(u64, Reservation)> {
        let (&start, &range) = self.reservations.range(..=address).next_back()?;
        let inside = address.checked_add(size).is_some_and(|end| end <= start + range.size);
        inside.then_some((start, range))
    }

    /// ALLOC_SPACE. `at` is the address with the fixed flag, else an alignment or 0.
    pub fn allocate(
        &mut self,
        pages: &mut Pages<'_>,
        count: u32,
        page_size: u64,
        flags: u32,
        at: u64,
    ) -> Result<u64, Status> {
        if ![SMALL_PAGE, self.big_page].contains(&page_size) || count == 0 {
            return Err(Status::BadValue);
        }
        let size = u64::from(count) * page_size;
        let fixed = flags & space_flags::FIXED != 0;
        let start = if fixed {
            let free = |end| self.taken().iter().all(|(&start, &stop)| stop <= at || end <= start);
            let end = at.checked_add(size).filter(|&end| end <= ADDRESS_MASK + 1);
            let sound = at.is_multiple_of(page_size) && end.is_some_and(free);
            if sound { at } else { return Err(Status::BadValue) }
        } else {
            let align = at.max(page_size);
            if !align.is_power_of_two() {
                return Err(Status::BadValue);
            }
            self.place(size, align, page_size)?
        };
        let sparse = flags & space_flags::SPARSE != 0;
        if sparse {
            pages.hide(start, size, true)?;
        }
        self.reservations.insert(start, Reservation { size, page_size, sparse });
        Ok(start)
    }

    /// FREE_SPACE.
    pub fn free(&mut self, pages: &mut Pages<'_>, offset: u64, count: u32, page_size: u64) -> Result<(), Status> {
        let range = *self.reservations.get(&offset).ok_or(Status::BadValue)?;
        if range.page_size != page_size || u64::from(count).saturating_mul(page_size) != range.size {
            return Err(Status::BadValue);
        }
        self.mappings.retain(|&start, _| start < offset || start >= offset + range.size);
        self.reservations.remove(&offset);
        pages.hide(offset, range.size, false)
    }

    /// MAP_BUFFER_EX.
    pub fn map(
        &mut self,
        pages: &mut Pages<'_>,
        maps: &mut BTreeMap<u32, Handle>,
        call: MapBuffer,
    ) -> Result<Buffer, Status> {
        if call.flags & map_flags::MODIFY != 0 {
            return self.modify(pages, call);
        }
        let handle = *get(maps, call.handle)?;
        let memory = handle.memory.filter(|memory| memory.address != 0).ok_or(Status::InvalidState)?;
        let size = if call.size == 0 { handle.size.saturating_sub(call.buffer_offset) } else { call.size };
        let end = call.buffer_offset.checked_add(size).filter(|&end| end <= handle.size);
        if size == 0 || end.is_none() || !call.buffer_offset.is_multiple_of(SMALL_PAGE) {
            return Err(Status::BadValue);
        }
        let big = u64::from(memory.align).is_multiple_of(self.big_page);
        let kind = kind(call.kind, memory.kind);
        let (offset, page_size) = if call.flags & map_flags::FIXED != 0 {
            let inside = self.reservation(call.offset, size).ok_or(Status::BadValue)?;
            let overlaps =
                |(&start, other): (&u64, &Mapping)| start < call.offset + size && call.offset < start + other.size;
            if !call.offset.is_multiple_of(SMALL_PAGE) || self.mappings.iter().any(overlaps) {
                return Err(Status::BadValue);
            }
            let big = big && inside.1.page_size == self.big_page;
            (call.offset, if big { self.big_page } else { SMALL_PAGE })
        } else {
            let page_size = if big { self.big_page } else { SMALL_PAGE };
            (self.place(size.next_multiple_of(page_size), page_size, page_size)?, page_size)
        };
        pages.show(offset, memory.address + call.buffer_offset, size, kind)?;
        // Room is taken in whole pages; of small ones, within a reservation, there may be more mappings in a big one.
        let size = size.next_multiple_of(page_size);
        self.mappings.insert(offset, Mapping { size, kind: memory.kind });
        Ok(Buffer { offset, page_size })
    }

    /// MAP_BUFFER_EX of what is mapped: a part gets another kind; its bytes stay.
    fn modify(&mut self, pages: &mut Pages<'_>, call: MapBuffer) -> Result<Buffer, Status> {
        let mapping = *self.mappings.get(&call.offset).ok_or(Status::BadValue)?;
        let end = call.buffer_offset.checked_add(call.size).filter(|&end| end <= mapping.size);
        if end.is_none() || ![call.buffer_offset, call.size].iter().all(|n| n.is_multiple_of(SMALL_PAGE)) {
            return Err(Status::BadValue);
        }
        let kind = kind(call.kind, mapping.kind);
        pages.kinds.set(pages.space, call.offset + call.buffer_offset, call.size, kind);
        Ok(Buffer { offset: call.offset, page_size: SMALL_PAGE })
    }

    /// UNMAP_BUFFER. What is not mapped counts as unmapped.
    pub fn unmap(&mut self, pages: &mut Pages<'_>, offset: u64) -> Result<(), Status> {
        let Some(mapping) = self.mappings.remove(&offset) else { return Ok(()) };
        let inside = self.reservation(offset, 1);
        let room = inside.map_or(u64::MAX, |(start, range)| start + range.size - offset);
        pages.hide(offset, mapping.size.min(room), inside.is_some_and(|(_, range)| range.sparse))
    }

    /// REMAP: shows parts of handles in sparse space, or nothing.
    pub fn remap(
        &mut self,
        pages: &mut Pages<'_>,
        maps: &mut BTreeMap<u32, Handle>,
        call: Remap,
    ) -> Result<(), Status> {
        let [offset, from, size] = [call.space_page, call.handle_page, call.pages].map(|n| u64::from(n) * REMAP_PAGE);
        let inside = self.reservation(offset, size).is_some_and(|(_, range)| range.sparse);
        if !inside || size == 0 {
            return Err(Status::BadValue);
        }
        if call.handle == NvmapHandle::default() {
            return pages.hide(offset, size, true);
        }
        let handle = *get(maps, call.handle)?;
        let memory = handle.memory.filter(|memory| memory.address != 0).ok_or(Status::InvalidState)?;
        if from + size > handle.size {
            return Err(Status::BadValue);
        }
        pages.show(offset, memory.address + from, size, kind(call.kind.into(), memory.kind))
    }
}

/// The kind that a call asks for, or else that of the handle. Without either it is that of block-linear surfaces.
fn kind(wanted: u32, handle: u8) -> u8 {
    let kind = u8::try_from(wanted).ok().filter(|&kind| kind != INVALID_KIND).unwrap_or(handle);
    if kind == INVALID_KIND { crate::system::kinds::GENERIC_16BX2 } else { kind }
}

/// No kind.
const INVALID_KIND: u8 = 0xFF;
