//! Memory that the host writes to without a call: which of its pages have changed since they were recorded.

use std::collections::BTreeMap;

use super::ranges::Ranges;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page, by which changes are found.
const PAGE: usize = 4096;
/// Bytes that are read at a time.
const PIECE: usize = 256 * PAGE;

/// Memory of the host's that is mapped, and while a recording is under way what its pages hash to.
#[derive(Debug, Default)]
pub(super) struct HostMemory {
    ranges: Ranges<()>,
    pages: BTreeMap<GuestAddr, u64>,
}

impl HostMemory {
    /// A range is memory of the host's, or is no longer.
    pub fn note(&mut self, range: GuestRange, mapped: bool) {
        // Whatever is mapped there next begins with other bytes.
        let end = range.start.after(range.size);
        self.pages.retain(|&at, _| at < range.start || at >= end);
        match mapped {
            true => self.ranges.insert(range, ()),
            false => self.ranges.remove(range),
        }
    }

    /// Whether all of a range is known to be the host's.
    pub fn has(&self, range: GuestRange) -> bool {
        self.ranges.covers(range)
    }

    /// Nothing is the host's.
    pub fn clear(&mut self) {
        *self = HostMemory::default();
    }

    /// Brings the hashes up to date and calls `changed` with each page whose hash is another one.
    ///
    /// # Errors
    /// What the device says when memory cannot be read.
    pub fn update(
        &mut self,
        mut read: impl FnMut(GuestAddr, &mut [u8]) -> Result<(), Error>,
        mut changed: impl FnMut(GuestAddr, &[u8]),
    ) -> Result<(), Error> {
        let mut piece = vec![0; PIECE];
        for (range, ()) in self.ranges.iter() {
            for done in (0..range.size).step_by(PIECE) {
                let piece = &mut piece[..(range.size - done).min(PIECE as u64) as usize];
                let start = range.start.after(done);
                read(start, piece)?;
                for (page, at) in piece.chunks(PAGE).zip((0..).step_by(PAGE)) {
                    let (at, hash) = (start.after(at), xxh3_64(page));
                    if self.pages.insert(at, hash) != Some(hash) {
                        changed(at, page);
                    }
                }
            }
        }
        Ok(())
    }
}
