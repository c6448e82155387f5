//! Guest memory in snapshots: mappings, and the pages that are not zero.

use super::SnapshotOptions;
use super::sections::{SectionKind, Sections, Writer, broken};
use crate::device::Access;
use crate::error::Error;
use crate::mem::{GuestAddr, GuestRange, Mapping, Memory};
use crate::state;

/// The mappings; at most once.
pub const MAPS: SectionKind = SectionKind { number: 0x100, version: 1, name: "MAPS" };
/// Bytes; any number of times, in ascending order.
pub const PAGES: SectionKind = SectionKind { number: 0x101, version: 1, name: "PAGES" };

/// Runs of zeros are left out by pages of so many bytes.
const PAGE: usize = 4096;
/// Bytes of guest memory that are encoded together.
const PIECE: usize = 64 * PAGE;
/// Bytes from which on a section of pages is full.
const FULL: usize = 16 << 20;
/// Ranges that a snapshot may map.
const MAPPINGS: usize = 4096;

state! {
    struct Maps { maps: Vec<SavedMap> }
    struct SavedMap { space: u32, access: u32, address: u64, size: u64 }
    struct Pages { space: u32, runs: Vec<Run> }
    struct Run { address: u64, bytes: Vec<u8> }
}

/// The mappings of a snapshot; `None` when it has no guest memory.
///
/// # Errors
/// [`Error::Snapshot`] when it is none.
pub fn mappings(snapshot: &[u8]) -> Result<Option<Vec<Mapping>>, Error> {
    read_mappings(&Sections::new(snapshot)?)
}

fn read_mappings(sections: &Sections<'_>) -> Result<Option<Vec<Mapping>>, Error> {
    let Some(Maps { maps }) = sections.find::<Maps>(MAPS)? else { return Ok(None) };
    let sound = |map: &SavedMap| map.size != 0 && map.address.checked_add(map.size).is_some() && map.access < 4;
    if maps.len() > MAPPINGS || !maps.iter().all(sound) {
        return Err(broken("maps that make no sense"));
    }
    let mapping = |SavedMap { space, access, address, size }| {
        let range = GuestRange::new(space, address, size);
        Mapping { range, access: Access::from_bits(access) }
    };
    let maps: Vec<Mapping> = maps.into_iter().map(mapping).collect();
    if !maps.is_sorted_by(|a, b| a.range.start.after(a.range.size) <= b.range.start) {
        return Err(broken("maps that overlap"));
    }
    Ok(Some(maps))
}

impl Writer {
    /// The snapshot, with guest memory if `options` say so.
    pub fn finish_with(mut self, memory: &Memory, options: SnapshotOptions) -> Vec<u8> {
        if options.memory {
            save_memory(memory, &mut self);
        }
        self.finish()
    }
}

/// Appends the mappings and their contents.
fn save_memory(memory: &Memory, writer: &mut Writer) {
    let mappings: Vec<Mapping> = memory.mappings().collect();
    let saved = |mapping: &Mapping| {
        let GuestRange { start: GuestAddr { space, address }, size } = mapping.range;
        SavedMap { space, access: mapping.access.bits(), address, size }
    };
    writer.section(MAPS, &Maps { maps: mappings.iter().map(saved).collect() });
    let mut piece = vec![0; PIECE];
    for Mapping { range, .. } in mappings {
        let mut pages = Pages { space: range.start.space, runs: Vec::new() };
        let mut held = 0;
        for (at, size) in pieces(range) {
            let bytes = &mut piece[..size];
            if memory.read(at, bytes).is_err() {
                continue;
            }
            // Neighbouring pages that are not zero become one run.
            let mut end = 0;
            while let Some(first) = (end..size).step_by(PAGE).find(|&page| !is_zero(page_at(bytes, page))) {
                end = (first..size).step_by(PAGE).find(|&page| is_zero(page_at(bytes, page))).unwrap_or(size);
                held += end - first;
                pages.runs.push(Run { address: at.address + first as u64, bytes: bytes[first..end].to_vec() });
            }
            if held >= FULL {
                writer.section(PAGES, &pages);
                pages.runs.clear();
                held = 0;
            }
        }
        if held > 0 {
            writer.section(PAGES, &pages);
        }
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    // Compared as a whole: much faster than byte by byte.
    bytes.chunks(PAGE).all(|page| page == &[0; PAGE][..page.len()])
}

/// The page at `at`, which may be cut short by the end.
fn page_at(bytes: &[u8], at: usize) -> &[u8] {
    &bytes[at..bytes.len().min(at + PAGE)]
}

/// A range in pieces: where each begins, and its bytes.
fn pieces(range: GuestRange) -> impl Iterator<Item = (GuestAddr, usize)> {
    let size = move |done: u64| (range.size - done).min(PIECE as u64) as usize;
    (0..range.size).step_by(PIECE).map(move |done| (range.start.after(done), size(done)))
}

/// The guest memory of a snapshot, checked from end to end.
#[derive(Debug)]
pub struct MemoryImage<'s, 'a> {
    sections: &'s Sections<'a>,
    mappings: Vec<Mapping>,
}

impl<'s, 'a> MemoryImage<'s, 'a> {
    /// Decodes everything once; `None` when the snapshot has no guest memory. The machine, by its name for people, has
    /// memory where it `may_map` some.
    ///
    /// # Errors
    /// [`Error::Snapshot`].
    pub fn check(
        sections: &'s Sections<'a>,
        machine: &str,
        may_map: impl Fn(GuestRange) -> bool,
    ) -> Result<Option<Self>, Error> {
        let image = Self::check_pages(sections)?;
        match image.iter().flat_map(|image| &image.mappings).all(|mapping| may_map(mapping.range)) {
            true => Ok(image),
            false => Err(broken(format!("memory that a {machine} does not have"))),
        }
    }

    fn check_pages(sections: &'s Sections<'a>) -> Result<Option<Self>, Error> {
        let Some(mappings) = read_mappings(sections)? else {
            return match sections.each::<Pages>(PAGES).next() {
                None => Ok(None),
                Some(_) => Err(broken("pages without maps")),
            };
        };
        let image = MemoryImage { sections, mappings };
        let mut end = (0, 0);
        image.for_each_run(|space, run| {
            let last = run.address.checked_add(run.bytes.len() as u64);
            let after = last.filter(|_| (space, run.address) >= end && !run.bytes.is_empty());
            let range = image.range_of(GuestAddr::new(space, run.address));
            let inside = |last| range.is_some_and(|range| last <= range.end());
            end = (space, after.filter(|&last| inside(last)).ok_or_else(|| broken("pages outside of the maps"))?);
            Ok(())
        })?;
        Ok(Some(image))
    }

    /// Maps exactly the mappings of the snapshot, with its contents.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host cannot map what was mapped; nothing has changed then.
    pub fn restore(&self, memory: &mut Memory) -> Result<(), Error> {
        let kept = memory.remap(&self.mappings)?;
        // New memory is zero already.
        let clear = |memory: &Memory, range: GuestRange| {
            let at = self.mappings.partition_point(|mapping| mapping.range.start <= range.start);
            if kept.get(at.wrapping_sub(1)) == Some(&true) { clear(memory, range) } else { Ok(()) }
        };
        let mut ranges = self.mappings.iter().map(|mapping| mapping.range);
        let mut rest = ranges.next();
        self.for_each_run(|space, run| {
            // Everything before the run is zero.
            while let Some(range) = rest.filter(|range| range.start.space != space || range.end() <= run.address) {
                clear(memory, range)?;
                rest = ranges.next();
            }
            let Some(range) = rest else { return Err(broken("pages outside of the maps")) };
            clear(memory, range.start.range(run.address - range.start.address))?;
            memory.write(GuestAddr::new(space, run.address), &run.bytes)?;
            let done = run.address + run.bytes.len() as u64;
            rest = Some(GuestRange::new(space, done, range.end() - done));
            Ok(())
        })?;
        rest.into_iter().chain(ranges).try_for_each(|range| clear(memory, range))?;
        self.mappings.iter().for_each(|mapping| memory.mark_written(mapping.range));
        Ok(())
    }

    /// Decodes the pages section by section: no more than one is in memory.
    fn for_each_run(&self, mut f: impl FnMut(u32, &Run) -> Result<(), Error>) -> Result<(), Error> {
        for pages in self.sections.each::<Pages>(PAGES) {
            let Pages { space, runs } = pages?;
            runs.iter().try_for_each(|run| f(space, run))?;
        }
        Ok(())
    }

    /// The mapped range that an address lies in.
    fn range_of(&self, at: GuestAddr) -> Option<GuestRange> {
        let after = self.mappings.partition_point(|mapping| mapping.range.start <= at);
        let range = self.mappings[..after].last()?.range;
        range.overlaps(at.range(1)).then_some(range)
    }
}

/// Makes a range zero. Bytes that are zero already are not written, so that the system need not allocate untouched
/// pages.
fn clear(memory: &Memory, range: GuestRange) -> Result<(), Error> {
    let mut piece = vec![0; PIECE.min(usize::try_from(range.size).unwrap_or(PIECE))];
    for (at, size) in pieces(range) {
        let bytes = &mut piece[..size];
        memory.read(at, bytes)?;
        if !is_zero(bytes) {
            bytes.fill(0);
            memory.write(at, bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Machine;

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.map(GuestRange::new(0, 0x1000, 0x8_0800), Access::READ_WRITE).unwrap();
        memory.map(GuestRange::new(0, 0x10_0000, 0x3000), Access::READ).unwrap();
        memory.map(GuestRange::new(1, 0x1000, 0x1000), Access::READ_WRITE).unwrap();
        for (space, address, byte) in
            [(0, 0x1FFF, 1), (0, 0x2000, 2), (0, 0x5_0000, 3), (0, 0x8_17FF, 4), (0, 0x10_1000, 5), (1, 0x1000, 6)]
        {
            memory.write(GuestAddr::new(space, address), &[byte]).unwrap();
        }
        memory
    }

    fn saved(memory: &Memory) -> Vec<u8> {
        Writer::new(Machine::Ps3, true).finish_with(memory, SnapshotOptions::default())
    }

    fn restore(snapshot: &[u8], memory: &mut Memory) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        MemoryImage::check_pages(&sections)?.ok_or_else(|| broken("no memory"))?.restore(memory)
    }

    fn contents(memory: &Memory) -> Vec<(Mapping, Vec<u8>)> {
        let read = |mapping: Mapping| {
            let mut bytes = vec![0; mapping.range.size as usize];
            memory.read(mapping.range.start, &mut bytes).unwrap();
            (mapping, bytes)
        };
        memory.mappings().map(read).collect()
    }

    #[test]
    fn memory_comes_back_and_nothing_else_is_left() {
        let snapshot = saved(&memory());
        assert!(snapshot.len() < 1000, "{}", snapshot.len());
        assert_eq!(mappings(&snapshot).unwrap().unwrap(), memory().mappings().collect::<Vec<_>>());
        let mut dirty = Memory::default();
        dirty.map(GuestRange::new(0, 0, 0x20_0000), Access::READ).unwrap();
        dirty.write(GuestAddr::new(0, 0), &[9; 0x20_0000]).unwrap();
        for target in [&mut Memory::default(), &mut memory(), &mut dirty] {
            restore(&snapshot, target).unwrap();
            assert_eq!(contents(target), contents(&memory()));
            let written = target.take_written();
            assert_eq!(written.iter().map(|range| range.size).sum::<u64>(), 0x8_4800);
        }
    }

    #[test]
    fn the_hosts_memory_stays_in_place_or_is_refused() {
        let mut page = vec![7u8; 0x1000];
        let map = |page: &mut Vec<u8>, address| {
            let mut memory = Memory::default();
            #[allow(unsafe_code)]
            // SAFETY: the page outlives the memory, and nothing else uses it meanwhile.
            unsafe {
                memory.map_host(GuestRange::new(1, address, 0x1000), page.as_mut_ptr(), Access::READ).unwrap();
            }
            memory
        };
        let mut memory = map(&mut page, 0x1000);
        restore(&saved(&self::memory()), &mut memory).unwrap();
        assert_eq!((page[0], page[1]), (6, 0));
        let mut elsewhere = map(&mut page, 0x1800);
        assert!(matches!(restore(&saved(&self::memory()), &mut elsewhere), Err(Error::Unsupported(_))));
        assert_eq!(elsewhere.mappings().count(), 1);
        assert_eq!(page[0], 6);
    }

    #[test]
    fn pages_have_to_lie_in_order_within_the_maps() {
        let map = SavedMap { space: 0, access: 3, address: 0x1000, size: 0x1000 };
        let run = |address, length| Run { address, bytes: vec![1; length] };
        let check = |maps: Vec<SavedMap>, pages: Vec<Pages>| {
            let mut writer = Writer::new(Machine::Ps3, false);
            writer.section(MAPS, &Maps { maps });
            pages.iter().for_each(|pages| writer.section(PAGES, pages));
            let bytes = writer.finish();
            MemoryImage::check_pages(&Sections::new(&bytes).unwrap()).map(|image| image.is_some())
        };
        let pages = |runs| vec![Pages { space: 0, runs }];
        assert!(check(vec![map.clone()], pages(vec![run(0x1000, 0x800), run(0x1FFF, 1)])).unwrap());
        for runs in [
            vec![run(0xFFF, 2)],
            vec![run(0x1FFF, 2)],
            vec![run(0x1800, 0)],
            vec![run(0x1800, 2), run(0x1801, 1)],
            vec![run(u64::MAX, 2)],
        ] {
            assert!(check(vec![map.clone()], pages(runs.clone())).is_err(), "{runs:?}");
        }
        assert!(check(vec![map.clone()], vec![Pages { space: 1, runs: vec![run(0x1000, 1)] }]).is_err());
        for maps in [
            vec![map.clone(), map.clone()],
            vec![SavedMap { size: 0, ..map.clone() }],
            vec![SavedMap { address: u64::MAX, ..map.clone() }],
            vec![SavedMap { access: 4, ..map.clone() }],
            vec![map; MAPPINGS + 1],
        ] {
            assert!(check(maps, vec![]).is_err());
        }
        let mut writer = Writer::new(Machine::Ps3, false);
        writer.section(PAGES, &Pages { space: 0, runs: vec![] });
        let bytes = writer.finish();
        assert!(MemoryImage::check_pages(&Sections::new(&bytes).unwrap()).is_err());
    }
}
