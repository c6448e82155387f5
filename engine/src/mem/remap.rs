//! Maps exactly the ranges of a snapshot.

use super::mapping::{check_range, check_total};
use super::raw::Arena;
use super::region::Region;
use super::{GuestRange, Memory};
use crate::error::Error;
use crate::mem::rights::Access;

/// A mapped range of guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Where it is; at least one byte.
    pub range: GuestRange,
    /// The GPU's access rights.
    pub access: Access,
}

impl Memory {
    /// Every mapped range of the host's memory, in order.
    pub fn host_ranges(&self) -> impl Iterator<Item = GuestRange> + '_ {
        self.regions.iter().filter(|region| region.is_mapping() && region.arena.is_host()).map(|region| region.range)
    }

    /// Every mapped range with its access, in order; aliases and sparse ranges are not among them.
    pub fn mappings(&self) -> impl Iterator<Item = Mapping> + '_ {
        let mappings = self.regions.iter().filter(|region| region.is_mapping());
        mappings.map(|region| Mapping { range: region.range, access: region.access })
    }

    /// Maps exactly `wanted`, which is sorted and disjoint. A range that lies within one that is mapped keeps its bytes
    /// and their owner; the others are mapped as new memory, zero-filled. Returns for each range whether it was kept.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when memory of the host's lies partly within a wanted range, or as in [`Self::map`];
    /// [`Error::InvalidArgument`] for ranges that wrap. Nothing has changed then.
    pub(crate) fn remap(&mut self, wanted: &[Mapping]) -> Result<Vec<bool>, Error> {
        check_total(wanted.iter().map(|mapping| mapping.range.size))?;
        let found: Vec<_> = wanted.iter().map(|mapping| self.take(mapping)).collect::<Result<_, _>>()?;
        let kept = found.iter().map(|(_, kept)| *kept).collect();
        let mapped = self.clock.note_mapping(false);
        self.regions = found.into_iter().map(|(region, _)| Region { mapped, ..region }).collect();
        Ok(kept)
    }

    /// The region for a mapping, and whether it is one that is mapped already.
    fn take(&self, &Mapping { range, access }: &Mapping) -> Result<(Region, bool), Error> {
        check_range(range)?;
        let (start, end) = (range.start, range.start.after(range.size));
        if let Some(region) = self.find(start).filter(|region| end <= region.end() && region.is_mapping()) {
            return Ok((Region { access, ..region.part(start, end) }, true));
        }
        let overlaps = |r: &&Region| r.range.start < end && start < r.end() && r.is_mapping();
        if self.regions.iter().filter(overlaps).any(|region| region.arena.is_host()) {
            let (size, address) = (range.size, start.address);
            let what = format!("{size:#x} bytes at {address:#x}: the host has mapped its memory otherwise");
            return Err(Error::Unsupported(what));
        }
        Ok((Region::mapping(range, access, Arena::anonymous(range.size)?), false))
    }
}
