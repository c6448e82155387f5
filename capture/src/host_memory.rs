//! Memory that the host writes to without a call: pages that have changed since they were recorded.
//!
//! ```text
//! call that gives work ──► all pages ──────────► those that the host has changed are recorded
//! bounded run ──► words that the GPU reads ──► as recorded? ─► yes: the run goes on
//!                                              └─► no: it ends; all pages, and a run for the rest
//! ```
//! Pages are known by hashes. During bounded runs the GPU writes pages that the host may have written as well; so of a
//! page that it writes a part of there is a copy from then on, in which both are told apart.

use super::known_pages::{KnownPages, PAGE, PIECE, parts, pieces};
use super::ranges::Ranges;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{Epoch, GuestAddr, GuestRange, Memory};

/// Memory of the host's that is mapped, and while a recording is under way what is recorded of it.
#[derive(Debug, Default)]
pub(super) struct HostMemory {
    ranges: Ranges<()>,
    pages: KnownPages,
    /// The epoch up to which marks of changed pages were handled.
    seen: Epoch,
    /// Memory was mapped, or a run has asked for what it read, since all of it was compared.
    is_new: bool,
    is_behind: bool,
    /// Bytes that were compared so far.
    compared: u64,
}

impl HostMemory {
    /// A range is memory of the host's, or is no longer.
    pub fn note(&mut self, range: GuestRange, mapped: bool) {
        match mapped {
            true => self.ranges.insert(range, ()),
            false => self.ranges.remove(range),
        }
        self.is_new |= mapped;
        // Whatever is mapped there next begins with other bytes.
        self.pages.forget(range);
    }

    /// Whether all of a range is known to be the host's.
    pub fn has(&self, range: GuestRange) -> bool {
        self.ranges.covers(range)
    }

    /// Nothing is the host's.
    pub fn clear(&mut self) {
        *self = HostMemory::default();
    }

    /// Bytes that were compared so far.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Brings what is known up to date and calls `changed` with each page that is another one.
    ///
    /// # Errors
    /// The error of the device when memory cannot be read.
    pub fn update(
        &mut self,
        mut read: impl FnMut(GuestAddr, &mut [u8]) -> Result<(), Error>,
        mut changed: impl FnMut(GuestAddr, &[u8]),
    ) -> Result<(), Error> {
        let HostMemory { ranges, pages, compared, .. } = self;
        let mut bytes = vec![0; PIECE as usize];
        for piece in ranges.iter().flat_map(|(range, ())| pieces(range)) {
            *compared += piece.size;
            let bytes = &mut bytes[..piece.size as usize];
            read(piece.start, bytes)?;
            pages.replace(piece.start, bytes, &mut changed);
        }
        (self.is_new, self.is_behind) = (false, false);
        Ok(())
    }

    /// What is known is as memory is now: earlier marks of changes are handled.
    pub fn has_seen(&mut self, memory: &Memory) {
        self.seen = memory.epoch();
    }

    /// As [`Self::update`] for what the host may have written. If it announces its writes, only announced ranges are
    /// checked.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn update_written(&mut self, memory: &Memory, changed: impl FnMut(GuestAddr, &[u8])) -> Result<(), Error> {
        let before = memory.epoch();
        match memory.are_host_writes_announced() && !self.is_behind {
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
        let HostMemory { ranges, pages, seen, compared, .. } = self;
        let (since, mut done, mut bytes) = (*seen, Ok(()), [0; PAGE]);
        *seen = memory.epoch();
        if since == *seen {
            return Ok(());
        }
        for (range, ()) in ranges.iter() {
            memory.for_each_marked(since, range, |page| {
                let bytes = &mut bytes[..page.size as usize];
                if done.is_ok() {
                    *compared += page.size;
                    done = memory.read(page.start, bytes);
                }
                if done.is_ok() {
                    pages.replace(page.start, bytes, &mut changed);
                }
            });
        }
        done
    }

    /// Whether a bounded run may begin without a comparison, as its front ends ask for what they read. Of hosts that
    /// announce their writes it is known what to compare, and of memory with two addresses not what the GPU writes.
    pub fn may_ask(&self, memory: &Memory) -> bool {
        !memory.are_host_writes_announced() && !memory.is_host_aliased() && !self.is_new
    }

    /// Whether a range is another one than is recorded, in a run that is under way.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn differs(&mut self, memory: &Memory, range: GuestRange) -> Result<bool, Error> {
        if !self.differs_yet(memory, range)? {
            return Ok(false);
        }
        // The run itself may have written it.
        for (page, part) in self.in_pages(&memory.changed_on_demand()) {
            self.pages.take_over(memory, page, &[part])?;
        }
        self.differs_yet(memory, range)
    }

    fn differs_yet(&mut self, memory: &Memory, range: GuestRange) -> Result<bool, Error> {
        for part in parts(range) {
            if let Some(page) = self.page_of(part.start) {
                self.compared += page.size;
                if self.pages.differs(memory, page, part)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Ends a run whose front ends have asked. `changes` is what it has written. Calls `host` with bytes that may be
    /// the host's, of pages that the run has written parts of for the first time.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn end_run(
        &mut self,
        memory: &Memory,
        changes: &[GuestRange],
        mut host: impl FnMut(GuestAddr, &[u8]),
    ) -> Result<(), Error> {
        self.is_behind = true;
        for changes in self.in_pages(changes).chunk_by(|(a, _), (b, _)| a == b) {
            let page = changes[0].0;
            let parts: Vec<GuestRange> = changes.iter().map(|&(_, part)| part).collect();
            if !self.pages.take_over(memory, page, &parts)? {
                self.pages.copy(memory, page, &parts, &mut host)?;
            }
        }
        self.has_seen(memory);
        Ok(())
    }

    /// Ranges cut into parts of pages, each with its page.
    fn in_pages(&self, ranges: &[GuestRange]) -> Vec<(GuestRange, GuestRange)> {
        let mut found = Vec::new();
        for mut rest in ranges.iter().copied().flat_map(parts) {
            // Where a mapping ends within a page another one may begin.
            while let Some(page) = self.page_of(rest.start).filter(|_| rest.size != 0) {
                let part = rest.start.range(rest.end().min(page.end()) - rest.start.address);
                found.push((page, part));
                rest = rest.start.after(part.size).range(rest.size - part.size);
            }
        }
        found
    }

    /// The page that an address lies in, as far as it is the host's.
    fn page_of(&self, at: GuestAddr) -> Option<GuestRange> {
        let range = self.ranges.at(at)?;
        let first = at.address - at.address % PAGE as u64;
        let (start, end) = (first.max(range.start.address), (first + PAGE as u64).min(range.end()));
        Some(GuestRange::new(at.space, start, end - start))
    }
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

    /// Never asked.
    struct Unasked;

    impl triglyph_engine::mem::RecordedWords for Unasked {
        fn differ(&self, _: &Memory, _: GuestRange) -> bool {
            false
        }
    }

    #[test]
    #[allow(unsafe_code)]
    fn pages_that_host_and_gpu_write_between_comparisons_are_told_apart() {
        let range = GuestRange::new(0, 0x1000, 0x3000);
        let mut words = vec![0_u64; range.size as usize / 8];
        let pointer = words.as_mut_ptr().cast::<u8>();
        let mut memory = Memory::default();
        // SAFETY: the bytes outlive the memory, and one thread accesses them.
        unsafe { memory.map_host(range, pointer, Access::READ_WRITE).unwrap() };
        // SAFETY: within the memory.
        let by_host = |at: usize, byte: u8| unsafe { pointer.add(at).write(byte) };
        let by_gpu = |at: u64, bytes: &[u8]| memory.write(range.start.after(at), bytes).unwrap();
        let mut host = HostMemory::default();
        host.note(range, true);
        assert!(!host.may_ask(&memory), "nothing is known of it");
        assert_eq!(changes(&mut host, &memory).len(), 3);
        assert!(host.may_ask(&memory));
        let run = |host: &mut HostMemory, work: &dyn Fn(&mut HostMemory)| {
            memory.begin_on_demand(std::sync::Arc::new(Unasked));
            work(host);
            let mut found = Vec::new();
            host.end_run(&memory, &memory.end_on_demand(), |at, bytes| found.push((at.address, bytes.len()))).unwrap();
            found
        };
        let word = |at: u64| range.start.after(at).range(4);
        // The first time both write a page it is not known who has written the rest.
        by_host(0x900, 1);
        let found = run(&mut host, &|host| {
            assert!(host.differs(&memory, word(0x100)).unwrap());
            by_gpu(0x100, &[2; 0x100]);
            by_gpu(0x1000, &[2; 0x1000]);
        });
        assert_eq!(found, [(0x1000, 0x100), (0x1200, 0xE00)]);
        // Then it is; and what the run itself writes is no surprise to it.
        by_host(0x904, 1);
        let found = run(&mut host, &|host| {
            by_gpu(0x100, &[3; 0x100]);
            assert!(!host.differs(&memory, word(0x1FC)).unwrap() && !host.differs(&memory, word(0x900)).unwrap());
            assert!(host.differs(&memory, word(0x904)).unwrap() && !host.differs(&memory, word(0x1004)).unwrap());
        });
        assert_eq!(found, []);
        assert_eq!(changes(&mut host, &memory), [(0x1000, 0x1000)]);
        assert!(!host.differs(&memory, word(0x904)).unwrap());
        assert_eq!(changes(&mut host, &memory), []);
        // Writes that were not announced are found by a host that begins to announce.
        by_host(0x2000, 1);
        assert_eq!(run(&mut host, &|_| {}), []);
        memory.set_host_writes_announced(true);
        assert_eq!(changes(&mut host, &memory), [(0x3000, 0x1000)]);
        host.note(range, false);
        assert!(!host.differs(&memory, word(0x900)).unwrap(), "it is not the host's");
    }
}
