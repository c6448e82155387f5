//! Shadow memory, whose writes are undone: the memory of a machine at the same addresses, and a range of its own.
//!
//! Code that draws to surfaces restores them. Programs also store by address and in images: when one asks for a mapping
//! to write to, the journal copies that mapping first. Listeners for written memory are not called during a trial.

use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::{Mutex, PoisonError};

use triglyph_guest::kernel::Window;

use super::raw::Arena;
use super::region::Region;
use super::{GuestAddr, GuestRange, Memory, append_copy, copy_in};
use crate::error::Error;
use crate::mem::rights::Access;

/// Shadow memory. Writes of programs to it are undone when it is dropped.
#[derive(Debug)]
pub struct ShadowMemory<'m> {
    memory: Memory,
    of: PhantomData<&'m Memory>,
}

/// Mappings as they were before they were written, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<Vec<SavedRegion>>);

#[derive(Debug)]
struct SavedRegion {
    region: Region,
    /// Before the trial in progress.
    before: Vec<u8>,
    /// Before all trials, if one of them was accepted that has written here.
    first: Option<Vec<u8>>,
    /// Whether the trial in progress was the first to map it: other mappings may have been used to write these bytes in
    /// it.
    is_new: bool,
}

impl SavedRegion {
    fn window(&self) -> Window<'_> {
        self.region.window(self.region.range.start)
    }

    /// Restores memory as it was before the trial.
    fn undo(&self, written: Window<'_>) {
        if let Some((window, at)) = self.part(written) {
            copy_in(&self.before[at], window);
        }
    }

    /// Makes the written memory the content before the next trials.
    fn accept(&mut self, written: Window<'_>) {
        let Some((window, at)) = self.part(written) else { return };
        let mut now = Vec::new();
        append_copy(window, &mut now);
        if self.first.is_none() {
            self.first = Some(self.before.clone());
        }
        self.before[at].copy_from_slice(&now);
    }

    /// The part of the mapping that was written, and which of its bytes it is; by where it is on the host, as memory
    /// may have several addresses.
    fn part(&self, written: Window<'_>) -> Option<(Window<'_>, Range<usize>)> {
        let own = self.window();
        let place = |window: Window<'_>| (window.as_ptr().addr(), window.as_ptr().addr() + window.len());
        let ((own_start, own_end), (start, end)) = (place(own), place(written));
        let (start, end) = (start.max(own_start), end.min(own_end));
        (start < end).then(|| (own.from(start - own_start).first(end - start), start - own_start..end - own_start))
    }
}

impl Journal {
    /// Copies a region before its first write.
    pub(super) fn keep(&self, region: &Region) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.iter().all(|kept| kept.region.range != region.range) {
            let mut before = Vec::new();
            append_copy(region.window(region.range.start), &mut before);
            kept.push(SavedRegion { region: region.clone(), before, first: None, is_new: true });
        }
    }
}

impl Memory {
    /// Shadow memory, with `size` zeros from `own` on, where nothing is mapped.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the host has no such memory.
    pub(crate) fn shadow(&self, own: GuestAddr, size: u64) -> Result<ShadowMemory<'_>, Error> {
        let mut memory = Memory {
            regions: self.regions.clone(),
            aliased: self.aliased,
            host_aliased: self.host_aliased,
            clock: self.clock.go_on(),
            journal: Some(Journal::default()),
            ..Memory::default()
        };
        if size != 0 {
            memory.insert(Region::mapping(own.range(size), Access::READ_WRITE, Arena::anonymous(size)?));
        }
        Ok(ShadowMemory { memory, of: PhantomData })
    }
}

impl Deref for ShadowMemory<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl ShadowMemory<'_> {
    /// Programs may write a range without asking for it.
    pub fn keep(&self, range: GuestRange) {
        self.memory.walk(range, |region, _, _| {
            if let Some((region, journal)) = region.filter(|region| region.access.write).zip(self.journal.as_ref()) {
                journal.keep(region);
            }
        });
    }

    /// Undoes the writes of programs since the previous trial.
    pub fn undo(&self) {
        self.end_trial(|kept, written| {
            // Of memory with several addresses, the copy that was made first is right.
            for kept in kept.iter().rev() {
                written.iter().for_each(|window| kept.undo(*window));
            }
            for kept in kept.iter_mut().filter(|kept| kept.is_new) {
                kept.before.clear();
                append_copy(kept.region.window(kept.region.range.start), &mut kept.before);
            }
        });
    }

    /// Accepts the writes of programs since the previous trial: the next trials begin with them.
    pub fn accept(&self) {
        self.end_trial(|kept, written| {
            kept.iter_mut().for_each(|kept| written.iter().for_each(|window| kept.accept(*window)));
        });
    }

    fn end_trial(&self, end: impl FnOnce(&mut [SavedRegion], &[Window<'_>])) {
        let ranges = self.memory.written.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Journal(kept)) = &self.memory.journal else { return };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_empty() {
            return;
        }
        let mut written = Vec::new();
        for range in ranges {
            self.memory.walk(range, |region, at, piece| {
                written.extend(region.map(|region| region.window(at).first(piece.len())));
            });
        }
        end(&mut kept, &written);
        kept.iter_mut().for_each(|kept| kept.is_new = false);
    }
}

impl Drop for ShadowMemory<'_> {
    fn drop(&mut self) {
        self.undo();
        self.end_trial(|kept, _| {
            for kept in kept.iter().rev() {
                if let Some(first) = &kept.first {
                    copy_in(first, kept.window());
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use triglyph_guest::kernel::program::environment::{GlobalMemory, Usage};

    use super::*;
    use crate::mem::ProgramMemory;
    use crate::mem::tests::{at, range};

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.map(range(0, 0x1000, 0x2000), Access::READ_WRITE).unwrap();
        memory.map(range(0, 0x8000, 0x1000), Access::READ).unwrap();
        memory.alias(at(0, 0x10_0000), range(0, 0x1800, 0x800), Access::READ_WRITE).unwrap();
        memory.write(at(0, 0x1800), b"guest").unwrap();
        memory
    }

    fn found(memory: &Memory, address: u64) -> [u8; 5] {
        let mut bytes = [0; 5];
        memory.read(at(0, address), &mut bytes).unwrap();
        bytes
    }

    /// As compiled programs do.
    fn write_directly(memory: &Memory, address: u64, bytes: &[u8]) {
        let programs = ProgramMemory::new(memory, 0);
        let span = programs.span(address, Usage::Store).unwrap();
        copy_in(bytes, span.window.from((address - span.start) as usize).first(bytes.len()));
        programs.note(address, bytes.len() as u64, Usage::Store);
    }

    #[test]
    fn what_is_tried_is_undone() {
        let mut memory = memory();
        let epoch = memory.epoch();
        memory.take_written();
        {
            let shadow = memory.shadow(at(7, 0), 0x1000).unwrap();
            ProgramMemory::new(&shadow, 0).write(0x1800, b"wrong");
            assert_eq!((found(&shadow, 0x1800), found(&shadow, 0x10_0000)), (*b"wrong", *b"wrong"));
            shadow.undo();
            assert_eq!(found(&shadow, 0x1800), *b"guest");
            write_directly(&shadow, 0x1800, b"first");
            shadow.accept();
            // The same bytes by another address, then by both.
            write_directly(&shadow, 0x10_0000, b"again");
            shadow.undo();
            assert_eq!(found(&shadow, 0x1800), *b"first");
            write_directly(&shadow, 0x1800, b"third");
            write_directly(&shadow, 0x10_0001, b"more");
            shadow.undo();
            assert_eq!((found(&shadow, 0x1800), found(&shadow, 0x10_0000)), (*b"first", *b"first"));
            shadow.keep(range(0, 0x1800, 1));
            shadow.write(at(7, 0xFFB), b"scrap").unwrap();
            assert_eq!(found(&shadow, 0x8000), [0; 5]);
        }
        assert_eq!(found(&memory, 0x1800), *b"guest");
        assert!(memory.take_written().is_empty() && memory.epoch() == epoch && memory.find(at(7, 0)).is_none());
    }

    #[test]
    fn memory_with_two_addresses_is_put_back_whichever_was_written_first() {
        let memory = memory();
        {
            let shadow = memory.shadow(at(7, 0), 0).unwrap();
            write_directly(&shadow, 0x10_0000, b"first");
            write_directly(&shadow, 0x1802, b"then");
            shadow.undo();
            assert_eq!(found(&shadow, 0x1800), *b"guest");
            write_directly(&shadow, 0x1800, b"third");
            shadow.accept();
            write_directly(&shadow, 0x10_0000, b"wrong");
            shadow.undo();
            assert_eq!(found(&shadow, 0x1800), *b"third");
            write_directly(&shadow, 0x10_0000, b"after");
            shadow.accept();
            write_directly(&shadow, 0x1800, b"wrong");
            shadow.undo();
            assert_eq!(found(&shadow, 0x1800), *b"after");
        }
        assert_eq!(found(&memory, 0x1800), *b"guest");
    }
}
