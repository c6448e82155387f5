//! Ranges that have no memory of their own: aliases and sparse ranges.

use std::sync::Arc;

use super::mapping::check_range;
use super::raw::Arena;
use super::region::{Region, RegionKind};
use super::{GuestAddr, GuestRange, Memory};
use crate::error::Error;
use crate::mem::rights::Access;

/// A stretch of an address space that has no memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Where it is; at least one byte.
    pub range: GuestRange,
    /// The GPU's access rights.
    pub access: Access,
    /// Where the memory that it shows begins; `None` for a sparse range.
    pub from: Option<GuestAddr>,
}

impl Memory {
    /// Shows the memory of one range at another address as well: both are the same memory then. What was mapped there
    /// before is replaced. Writes are noted where they were made only, and snapshots do not know of it.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the source is not mapped, [`Error::InvalidArgument`] for size 0 and ranges
    /// that wrap; nothing has changed then.
    pub fn alias(&mut self, to: GuestAddr, from: GuestRange, access: Access) -> Result<(), Error> {
        check_range(to.range(from.size))?;
        check_range(from)?;
        let end = from.start.after(from.size);
        let mut parts = Vec::new();
        let mut at = from.start;
        while at < end {
            let region = self.find(at).filter(|region| !region.is_sparse()).ok_or(Error::Unmapped(from))?;
            let part = region.part(at, region.end().min(end));
            let range = to.after(at.address - from.start.address).range(part.range.size);
            at = part.end();
            parts.push(Region { range, access, kind: RegionKind::Alias, ..part });
        }
        self.aliased = true;
        parts.into_iter().for_each(|part| self.insert(part));
        Ok(())
    }
}

/// Functions for machines.
#[doc(hidden)]
impl Memory {
    /// Declares that a range has no memory on purpose: the GPU reads zeros, what it writes is dropped, and neither
    /// counts as missing. What was mapped there before is replaced. To the host it is not mapped, and snapshots do not
    /// know of it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0 or a range that wraps.
    pub fn map_sparse(&mut self, range: GuestRange) -> Result<(), Error> {
        check_range(range)?;
        let access = Access { read: false, write: false };
        let region = Region { kind: RegionKind::Sparse, ..Region::mapping(range, access, Arena::empty()) };
        self.insert(region);
        Ok(())
    }

    /// Whether an address has no memory on purpose.
    pub fn is_sparse(&self, at: GuestAddr) -> bool {
        self.find(at).is_some_and(Region::is_sparse)
    }

    /// Where in a mapping the memory of an address is; `None` where there is no memory.
    pub fn origin(&self, at: GuestAddr) -> Option<GuestAddr> {
        let region = self.find(at).filter(|region| !region.is_sparse())?;
        self.mapped_at(&region.arena, region.offset_of(at))
    }

    /// Where memory is mapped, aliases left out.
    fn mapped_at(&self, arena: &Arc<Arena>, offset: usize) -> Option<GuestAddr> {
        let holds = |r: &&Region| r.is_mapping() && Arc::ptr_eq(&r.arena, arena) && r.bytes().contains(&offset);
        let found = self.regions.iter().find(holds)?;
        Some(found.range.start.after((offset - found.offset) as u64))
    }

    /// Aliases and sparse ranges, in order.
    pub fn views(&self) -> impl Iterator<Item = View> + '_ {
        self.regions.iter().filter_map(|region| {
            let from = match region.kind {
                RegionKind::Mapping => return None,
                RegionKind::Alias => Some(self.mapped_at(&region.arena, region.offset)?),
                RegionKind::Sparse => None,
            };
            Some(View { range: region.range, access: region.access, from })
        })
    }

    /// Whether the host may map memory in a range now: nothing there has an alias elsewhere.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it has one, with its address: the alias would lose its memory.
    pub fn check_unshown(&self, range: GuestRange) -> Result<(), Error> {
        let end = range.start.after(range.size);
        let shows = |view: &View| view.from.is_some_and(|from| from < end && range.start < from.after(view.range.size));
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        match self.views().find(shows) {
            None => Ok(()),
            Some(View { range: shown, .. }) => Err(Error::InvalidArgument(format!(
                "{size:#x} bytes at {address:#x} in space {space}: the guest has mapped them at {:#x} in space {}, and \
                 has to unmap them before others take their place",
                shown.start.address, shown.start.space
            ))),
        }
    }

    /// Makes an alias or a sparse range that was one before.
    ///
    /// # Errors
    /// As [`Self::alias`] and [`Self::map_sparse`].
    pub fn restore_view(&mut self, view: &View) -> Result<(), Error> {
        match view.from {
            Some(from) => self.alias(view.range.start, from.range(view.range.size), view.access),
            None => self.map_sparse(view.range),
        }
    }
}
