//! Mapping exactly what a snapshot maps.

use std::sync::Arc;

use super::raw::Arena;
use super::{Memory, Range, check_range, check_total};
use crate::device::Access;
use crate::error::Error;

/// A mapped range of guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Address space.
    pub space: u32,
    /// First byte.
    pub address: u64,
    /// Bytes, at least 1.
    pub size: u64,
    /// What the GPU may do there.
    pub access: Access,
}

impl Mapping {
    /// The address behind the last byte.
    pub fn end(&self) -> u64 {
        self.address + self.size
    }
}

impl Memory {
    /// Every mapped range with its access, in order; aliases and sparse ranges are not among them.
    pub fn mappings(&self) -> impl Iterator<Item = Mapping> + '_ {
        self.ranges.iter().filter(|r| r.is_mapping()).map(|r| Mapping {
            space: r.space,
            address: r.start,
            size: r.size,
            access: r.access,
        })
    }

    /// Maps exactly `wanted`, which is sorted and disjoint. A range that lies within one that is mapped keeps its bytes
    /// and their owner; the others are made anew, zero-filled. Returns for each range whether it was kept.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when memory of the host's lies partly within a wanted range, or as in [`Self::map`];
    /// [`Error::InvalidArgument`] for ranges that wrap. Nothing has changed then.
    pub(crate) fn remap(&mut self, wanted: &[Mapping]) -> Result<Vec<bool>, Error> {
        check_total(wanted.iter().map(|mapping| mapping.size))?;
        let found: Vec<_> = wanted.iter().map(|mapping| self.take(mapping)).collect::<Result<_, _>>()?;
        let kept = found.iter().map(|(_, kept)| *kept).collect();
        self.clock.note_mapping(false);
        self.ranges = found.into_iter().map(|(range, _)| range).collect();
        Ok(kept)
    }

    /// The range for a mapping, and whether it is one that is mapped already.
    fn take(&self, &Mapping { space, address, size, access }: &Mapping) -> Result<(Range, bool), Error> {
        check_range(address, size)?;
        let end = address + size;
        if let Some(range) = self.find(space, address).filter(|range| end <= range.end() && range.is_mapping()) {
            return Ok((Range { access, ..range.part(address, end) }, true));
        }
        let overlaps = |r: &&Range| r.space == space && r.start < end && address < r.end() && r.is_mapping();
        if self.ranges.iter().filter(overlaps).any(|range| range.arena.is_host()) {
            let what = format!("{size:#x} bytes at {address:#x}: the host has mapped its memory otherwise");
            return Err(Error::Unsupported(what));
        }
        let arena = Arc::new(Arena::anonymous(size)?);
        Ok((Range { space, start: address, size, access, arena, offset: 0, alias: false, sparse: false }, false))
    }
}
