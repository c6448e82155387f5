//! Memory that the host writes to without a call: pages that have changed since they were recorded.

use std::collections::BTreeMap;

use super::ranges::Ranges;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{Epoch, GuestAddr, GuestRange, Memory};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page, by which changes are found.
const PAGE: usize = 4096;
/// Pages that are read at a time, and have one entry in the table.
const PAGES: usize = 256;
/// Bytes of these.
const PIECE: u64 = (PAGE * PAGES) as u64;

/// Memory of the host's that is mapped, and while a recording is under way what its pages hash to.
#[derive(Debug, Default)]
pub(super) struct HostMemory {
    ranges: Ranges<()>,
    /// Hashes of the pages of each piece, by space and number; 0 where nothing is known.
    hashes: BTreeMap<(u32, u64), Box<[u64; PAGES]>>,
    /// The epoch up to which marks of changed pages were handled.
    seen: Epoch,
    /// Bytes that were compared so far.
    #[cfg(test)]
    compared: u64,
}

impl HostMemory {
    /// A range is memory of the host's, or is no longer.
    pub fn note(&mut self, range: GuestRange, mapped: bool) {
        match mapped {
            true => self.ranges.insert(range, ()),
            false => self.ranges.remove(range),
        }
        // Whatever is mapped there next begins with other bytes.
        let GuestRange { start, size } = range;
        let Some(last) = size.checked_sub(1).map(|last| start.address.saturating_add(last)) else { return };
        // Of the pieces that have hashes, as a range may have any size.
        let [first_piece, last_piece] = [start.address, last].map(|address| (start.space, address / PIECE));
        for (&(space, piece), hashes) in self.hashes.range_mut(first_piece..=last_piece) {
            let at = GuestAddr::new(space, start.address.max(piece * PIECE));
            let end = last.min(piece * PIECE + (PIECE - 1));
            hashes[pages(at, end - at.address + 1)].fill(0);
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
    /// The error of the device when memory cannot be read.
    pub fn update(
        &mut self,
        mut read: impl FnMut(GuestAddr, &mut [u8]) -> Result<(), Error>,
        mut changed: impl FnMut(GuestAddr, &[u8]),
    ) -> Result<(), Error> {
        let HostMemory { ranges, hashes, .. } = self;
        let mut bytes = vec![0; PIECE as usize];
        ranges
            .iter()
            .flat_map(|(range, ())| pieces(range))
            .try_for_each(|piece| compare(hashes, piece, &mut bytes, &mut read, &mut changed))
    }

    /// As [`Self::update`] for what the host may have written. If it announces its writes, only announced ranges are
    /// checked.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn update_written(&mut self, memory: &Memory, changed: impl FnMut(GuestAddr, &[u8])) -> Result<(), Error> {
        let before = memory.epoch();
        match memory.are_host_writes_announced() {
            true => self.update_marked(memory, changed)?,
            false => self.update(|at, out| memory.read(at, out), changed)?,
        }
        self.seen = before;
        Ok(())
    }

    /// As [`Self::update`] for the pages of which the GPU or a call has said that they change.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn update_marked(&mut self, memory: &Memory, mut changed: impl FnMut(GuestAddr, &[u8])) -> Result<(), Error> {
        #[cfg(test)]
        let mut compared = 0;
        let HostMemory { ranges, hashes, seen, .. } = self;
        let (since, mut done, mut bytes) = (*seen, Ok(()), vec![0; PAGE]);
        *seen = memory.epoch();
        for (range, ()) in ranges.iter() {
            memory.for_each_marked(since, range, |page| {
                #[cfg(test)]
                {
                    compared += page.size;
                }
                if done.is_ok() {
                    done = compare(hashes, page, &mut bytes, &mut |at, out| memory.read(at, out), &mut changed);
                }
            });
        }
        #[cfg(test)]
        {
            self.compared += compared;
        }
        done
    }
}

/// A range cut where entries of the table begin.
fn pieces(range: GuestRange) -> impl Iterator<Item = GuestRange> {
    let mut rest = range;
    std::iter::from_fn(move || {
        let length = (PIECE - rest.start.address % PIECE).min(rest.size);
        let piece = rest.start.range(length);
        rest = rest.start.after(length).range(rest.size - length);
        (length != 0).then_some(piece)
    })
}

/// Which pages of its piece some bytes lie in.
fn pages(start: GuestAddr, size: u64) -> std::ops::Range<usize> {
    let first = (start.address % PIECE) as usize;
    first / PAGE..(first + size as usize).div_ceil(PAGE)
}

/// Compares the pages of a range, which lies in one piece, with their hashes.
fn compare(
    hashes: &mut BTreeMap<(u32, u64), Box<[u64; PAGES]>>,
    GuestRange { start, size }: GuestRange,
    bytes: &mut [u8],
    read: &mut impl FnMut(GuestAddr, &mut [u8]) -> Result<(), Error>,
    changed: &mut impl FnMut(GuestAddr, &[u8]),
) -> Result<(), Error> {
    let mut rest = &mut bytes[..size as usize];
    read(start, rest)?;
    let known = hashes.entry((start.space, start.address / PIECE)).or_insert_with(|| Box::new([0; PAGES]));
    let mut at = start;
    for known in &mut known[pages(start, size)] {
        let length = (PAGE - at.address as usize % PAGE).min(rest.len());
        let (page, others) = rest.split_at_mut(length);
        let hash = xxh3_64(page).max(1);
        if std::mem::replace(known, hash) != hash {
            changed(at, page);
        }
        (at, rest) = (at.after(length as u64), others);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_engine::device::Access;

    fn changes(host: &mut HostMemory, memory: &Memory) -> Vec<(u64, usize)> {
        let mut found = Vec::new();
        host.update_written(memory, |at, page| found.push((at.address, page.len()))).unwrap();
        found
    }

    #[test]
    fn pages_that_differ_are_found() {
        let range = GuestRange::new(0, 0x1F_F800, 0x1000);
        let mut memory = Memory::default();
        memory.map(range, Access::READ_WRITE).unwrap();
        let mut host = HostMemory::default();
        host.note(range, true);
        assert!(host.has(range));
        assert_eq!(changes(&mut host, &memory), [(0x1F_F800, 0x800), (0x20_0000, 0x800)]);
        assert_eq!(changes(&mut host, &memory), []);
        memory.write(GuestAddr::new(0, 0x20_07FF), &[1]).unwrap();
        assert_eq!(changes(&mut host, &memory), [(0x20_0000, 0x800)]);
        // Writes of the GPU are not the host's.
        memory.write(GuestAddr::new(0, 0x1F_F800), &[1]).unwrap();
        host.update_marked(&memory, |_, _| {}).unwrap();
        assert_eq!(changes(&mut host, &memory), []);
        host.note(range, false);
        host.note(range, true);
        assert_eq!(changes(&mut host, &memory).len(), 2);
    }

    #[test]
    fn any_range_may_be_unmapped() {
        let range = GuestRange::new(0, 0x1F_F800, 0x1000);
        let mut memory = Memory::default();
        memory.map(range, Access::READ_WRITE).unwrap();
        let mut host = HostMemory::default();
        host.note(range, true);
        assert_eq!(changes(&mut host, &memory).len(), 2);
        for everything in [GuestRange::new(0, 0, 1 << 50), GuestRange::new(0, 0x1000, u64::MAX), range] {
            host.note(everything, false);
            assert!(!host.has(range));
            host.note(range, true);
            assert_eq!(changes(&mut host, &memory).len(), 2);
        }
        host.note(GuestRange::new(1, 0, u64::MAX), false);
        host.note(GuestRange::new(0, 0x20_0000, u64::MAX), false);
        host.note(GuestRange::new(0, 0x20_0000, 0x800), true);
        assert_eq!(changes(&mut host, &memory), [(0x20_0000, 0x800)]);
    }

    /// Bounded runs of a submission, with a page written between two of them.
    #[test]
    fn announced_pages_are_all_that_is_compared() {
        const RUNS: u64 = 800;
        let range = GuestRange::new(0, 0x1000_0000, 64 << 20);
        let mut memory = Memory::default();
        memory.map(range, Access::READ_WRITE).unwrap();
        memory.set_host_writes_announced(true);
        let mut host = HostMemory::default();
        host.note(range, true);
        changes(&mut host, &memory);
        assert_eq!(host.compared, range.size, "all of it once");
        for run in 0..RUNS {
            let page = range.start.after(run * PAGE as u64);
            memory.write(page, &[1]).unwrap();
            assert_eq!(changes(&mut host, &memory), [(page.address, PAGE)]);
            // The run itself writes nothing.
            host.update_marked(&memory, |_, _| {}).unwrap();
        }
        assert_eq!(host.compared - range.size, RUNS * PAGE as u64);
    }

    #[test]
    fn announced_writes_are_all_that_is_looked_at() {
        let range = GuestRange::new(0, 0x1000, 0x4000);
        let mut memory = Memory::default();
        memory.map(range, Access::READ_WRITE).unwrap();
        memory.set_host_writes_announced(true);
        let mut host = HostMemory::default();
        host.note(range, true);
        assert_eq!(changes(&mut host, &memory).len(), 4);
        memory.write(GuestAddr::new(0, 0x2000), &[1]).unwrap();
        assert_eq!(changes(&mut host, &memory), [(0x2000, 0x1000)]);
        assert_eq!(changes(&mut host, &memory), []);
    }
}
