//! `lv1_gpu_context_iomap`: main memory in a context's IO space.

use triglyph_guest::rsx::lv1::{Status, flags};

use super::{Context, IoMap, XDR, io_base};
use crate::core::Core;
use crate::front_end::dma::space;
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};

/// Bits of the call's flags that let the GPU read and write (Linux: the entries of the IO page table).
mod bits {
    pub const WRITE: u64 = 1 << 63;
    pub const READ: u64 = 1 << 62;
}

/// What the flags of the call let the GPU do.
pub(super) fn access(io_flags: u64) -> Access {
    Access { read: io_flags & bits::READ != 0, write: io_flags & bits::WRITE != 0 }
}

/// Ranges that a context may map: as many as its pages of 64 KiB.
const MAX_RANGES: usize = 8192;

/// Bytes of a context's IO space.
pub(super) const fn io_bytes(context_flags: u64) -> u32 {
    if context_flags & flags::LARGE_IO_SPACE != 0 { 512 << 20 } else { 256 << 20 }
}

/// Bytes of an IO page.
pub(super) fn page(context_flags: u64) -> u64 {
    if context_flags & flags::SMALL_PAGES != 0 { 64 << 10 } else { 1 << 20 }
}

impl Context {
    /// Maps `size` bytes of main memory at `lpar` to IO offset `io`, replacing what was there; without size or address
    /// what is mapped there goes.
    pub(super) fn map_io(&mut self, core: &mut Core, slot: usize, map: IoMap) -> Result<(), Status> {
        let unit = page(self.flags);
        let IoMap { io, lpar, size, access } = map;
        if ![io.into(), lpar, size].iter().all(|number: &u64| number.is_multiple_of(unit)) {
            return Err(Status::AlignmentError);
        }
        if size == 0 || lpar == 0 {
            return self.unmap_io(core, slot, io, size);
        }
        if u64::from(io) + size > io_bytes(self.flags).into() {
            return Err(Status::IllegalParameterValue);
        }
        let target = u64::from(io_base(slot)) + u64::from(io);
        let shown = core.memory.alias(GuestAddr::new(space::MAIN, target), GuestRange::new(XDR, lpar, size), access);
        if shown.is_err() {
            let what =
                format_args!("lv1_gpu_context_iomap: {size:#x} bytes of main memory at {lpar:#x} are not mapped");
            core.fault(FaultKind::UnmappedRead, lpar, what);
            return Err(Status::IllegalParameterValue);
        }
        self.cut(io, size);
        if self.io.len() >= MAX_RANGES {
            core.memory.unmap(GuestRange::new(space::MAIN, target, size));
            return Err(Status::ResourceShortage);
        }
        self.io.push(map);
        self.io.sort_by_key(|map| map.io);
        Ok(())
    }

    /// Unmaps `size` bytes at an IO offset, with size 0 the whole range that begins there.
    fn unmap_io(&mut self, core: &mut Core, slot: usize, io: u32, size: u64) -> Result<(), Status> {
        let size = match size {
            0 => self.io.iter().find(|map| map.io == io).map_or(0, |map| map.size),
            size => size,
        };
        core.memory.unmap(GuestRange::new(space::MAIN, u64::from(io_base(slot)) + u64::from(io), size));
        self.cut(io, size);
        Ok(())
    }

    /// Takes a range out of the list.
    fn cut(&mut self, io: u32, size: u64) {
        let (start, end) = (u64::from(io), u64::from(io) + size);
        let mut rest = Vec::with_capacity(self.io.len() + 1);
        for map in &self.io {
            let (first, last) = (u64::from(map.io), u64::from(map.io) + map.size);
            if first < start {
                rest.push(IoMap { size: last.min(start) - first, ..*map });
            }
            if end < last {
                let skipped = end.max(first) - first;
                let (io, lpar, size) = ((first + skipped) as u32, map.lpar + skipped, map.size - skipped);
                rest.push(IoMap { io, lpar, size, ..*map });
            }
        }
        self.io = rest;
    }

    /// Where in main memory an IO offset lies.
    pub(super) fn lpar(&self, io: u32) -> Option<u64> {
        let map = self.io.iter().find(|map| io.checked_sub(map.io).is_some_and(|past| u64::from(past) < map.size))?;
        Some(map.lpar + u64::from(io - map.io))
    }
}

/// Unmaps all of a context's IO space.
pub(super) fn unmap_all(core: &mut Core, slot: usize, context: &Context) {
    for map in &context.io {
        core.memory.unmap(GuestRange::new(space::MAIN, u64::from(io_base(slot)) + u64::from(map.io), map.size));
    }
}
