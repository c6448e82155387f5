//! Buffers: where they are, who may use them, and for how long.

use std::collections::HashMap;
use std::sync::Arc;

use crate::chip::{Chip, Domain};
use crate::drm::argument::{Answer, Errno};
use crate::heap::Heap;
use crate::memory::{Identity, PAGE};
use crate::shared_file::SharedFile;

/// Alignment of buffers with a layout: the largest page of the GPU's that one may be in.
const LAYOUT_ALIGN: u64 = 64 << 10;

/// A command of a channel's board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The channel.
    pub board: u32,
    /// The command's number.
    pub number: u64,
}

/// The last uses of something, one for each board.
#[derive(Clone, Debug, Default)]
pub struct Uses(Vec<Use>);

impl Uses {
    /// Notes a later use.
    pub fn note(&mut self, later: Use) {
        match self.0.iter_mut().find(|earlier| earlier.board == later.board) {
            Some(earlier) => *earlier = later,
            None => self.0.push(later),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Use> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Use> for Uses {
    fn from_iter<T: IntoIterator<Item = Use>>(uses: T) -> Self {
        let mut all = Uses::default();
        uses.into_iter().for_each(|later| all.note(later));
        all
    }
}

/// Where something lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose heap it is from.
    pub domain: Domain,
    /// File offset.
    pub offset: u64,
}

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Where its bytes are.
    pub home: Place,
    /// Where the GPU finds them: the kernel moves buffers to other domains, which changes the address and nothing that
    /// the program sees.
    pub place: Place,
    /// In whole pages.
    pub size: u64,
    pub align: u64,
    pub tile_mode: u32,
    pub tile_flags: u32,
    /// Whether it can be opened by name.
    pub named: bool,
    /// Whether the program may write it without a call: it was mapped once.
    pub mapped: bool,
    /// The file of its bytes, if other processes may have it: they may write it at any time, and see at once what a
    /// submission has done.
    pub file: Option<Arc<SharedFile>>,
    /// Commands that may read or write it, and those that may write it.
    pub used: Uses,
    pub written: Uses,
    handles: u32,
}

/// Memory that is free once the commands that may use it are done.
#[derive(Debug)]
struct Leaving {
    places: Vec<Place>,
    home: u64,
    size: u64,
    is_shared: bool,
    uses: Uses,
}

/// All buffers of a process. Handles are the same for all descriptors of the node.
#[derive(Debug)]
pub struct Buffers {
    chip: Chip,
    vram: Heap,
    gart: Heap,
    buffers: HashMap<u32, Buffer>,
    last_handle: u32,
    leaving: Vec<Leaving>,
}

/// What a new buffer is asked to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Bits of [`Domain`]; none of them is both.
    pub domains: u32,
    pub size: u64,
    /// Of the GPU's address; 0 is a page's.
    pub align: u32,
    pub tile_mode: u32,
    pub tile_flags: u32,
}

impl Buffers {
    /// No buffers, and all memory of a chip.
    pub fn new(chip: Chip) -> Self {
        let heap = |domain| {
            let (start, end) = chip.places(domain);
            Heap::new(start, end)
        };
        let (vram, gart) = (heap(Domain::Vram), heap(Domain::Gart));
        Buffers { chip, vram, gart, buffers: HashMap::new(), last_handle: 0, leaving: Vec::new() }
    }

    /// The buffer of a handle.
    pub fn get(&self, handle: u32) -> Option<&Buffer> {
        self.buffers.get(&handle)
    }

    /// The buffer of a handle.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn get_mut(&mut self, handle: u32) -> Answer<&mut Buffer> {
        self.buffers.get_mut(&handle).ok_or(Errno(libc::ENOENT))
    }

    /// Each buffer.
    pub fn iter(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.values()
    }

    /// Bytes of a domain that buffers have.
    pub fn taken(&self, domain: Domain) -> u64 {
        self.iter().filter(|buffer| buffer.place.domain == domain).map(|buffer| buffer.size).sum()
    }

    /// Makes a buffer and returns its handle.
    ///
    /// # Errors
    /// `EINVAL` for no bytes, `ENOMEM` when there is no room.
    pub fn create(&mut self, wanted: Wanted) -> Answer<u32> {
        let size = wanted.size.checked_next_multiple_of(PAGE).filter(|&size| size > 0).ok_or(Errno(libc::EINVAL))?;
        let has_layout = wanted.tile_mode != 0 || wanted.tile_flags & 0xFF00 != 0;
        let align = u64::from(wanted.align).max(if has_layout { LAYOUT_ALIGN } else { PAGE });
        let align = align.checked_next_power_of_two().ok_or(Errno(libc::EINVAL))?;
        let both = wanted.domains & (Domain::Vram.bit() | Domain::Gart.bit()) == 0;
        let allowed = |domain: Domain| both || wanted.domains & domain.bit() != 0;
        let mut domains = [Domain::Vram, Domain::Gart].into_iter().filter(|&domain| allowed(domain));
        // A chip without VRAM has everything in GART, whatever the program asks for.
        let place = domains
            .find_map(|domain| self.take(domain, size, align))
            .or_else(|| if self.chip.vram() == 0 { self.take(Domain::Gart, size, align) } else { None })
            .ok_or(Errno(libc::ENOMEM))?;
        let Wanted { tile_mode, tile_flags, .. } = wanted;
        let (used, written) = (Uses::default(), Uses::default());
        let (home, handles) = (place, 1);
        let buffer = Buffer {
            home,
            place,
            size,
            align,
            tile_mode,
            tile_flags,
            named: false,
            mapped: false,
            file: None,
            used,
            written,
            handles,
        };
        while self.last_handle == 0 || self.buffers.contains_key(&self.last_handle) {
            self.last_handle = self.last_handle.wrapping_add(1);
        }
        self.buffers.insert(self.last_handle, buffer);
        Ok(self.last_handle)
    }

    fn take(&mut self, domain: Domain, size: u64, align: u64) -> Option<Place> {
        self.heap(domain).take(size, align).map(|offset| Place { domain, offset })
    }

    fn heap(&mut self, domain: Domain) -> &mut Heap {
        match domain {
            Domain::Vram => &mut self.vram,
            Domain::Gart => &mut self.gart,
        }
    }

    /// Notes that the program maps the GPU's memory from an offset on, where a buffer is. Returns the file that has the
    /// buffer's bytes, if it is one of its own, and where they are in it.
    pub fn note_mapping(&mut self, offset: u64) -> Option<(Arc<SharedFile>, u64)> {
        let at = |buffer: &&mut Buffer| (buffer.home.offset..buffer.home.offset + buffer.size).contains(&offset);
        let buffer = self.buffers.values_mut().find(at)?;
        buffer.mapped = true;
        Some((buffer.file.clone()?, offset - buffer.home.offset))
    }

    /// The handle of the buffer whose bytes a file has.
    pub fn of_file(&self, file: Identity) -> Option<u32> {
        let has = |buffer: &Buffer| buffer.file.as_ref().is_some_and(|shared| shared.identity == file);
        self.buffers.iter().find(|(_, buffer)| has(buffer)).map(|(&handle, _)| handle)
    }

    /// Another handle of the same buffer, which is the same number.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn open(&mut self, handle: u32) -> Answer {
        self.get_mut(handle)?.handles += 1;
        Ok(())
    }

    /// Closes a handle. Returns the buffer if it was the last one: it has to be unmapped, and then [left](Self::leave).
    ///
    /// # Errors
    /// `EINVAL` if there is no such handle.
    pub fn close(&mut self, handle: u32) -> Answer<Option<Buffer>> {
        let buffer = self.buffers.get_mut(&handle).ok_or(Errno(libc::EINVAL))?;
        buffer.handles -= 1;
        Ok(if buffer.handles == 0 { self.buffers.remove(&handle) } else { None })
    }

    /// Gives a buffer's memory back once its uses are over.
    pub fn leave(&mut self, buffer: Buffer, uses: Uses) {
        let mut places = vec![buffer.home];
        places.extend((buffer.place != buffer.home).then_some(buffer.place));
        let (home, size, is_shared) = (buffer.home.offset, buffer.size, buffer.file.is_some());
        self.leaving.push(Leaving { places, home, size, is_shared, uses });
    }

    /// Gives back memory whose uses are over, as `over` says; `clear` makes it zero, given its offset, its size, and
    /// whether a file of its own had its bytes.
    pub fn reap(&mut self, over: impl Fn(Use) -> bool, clear: impl Fn(u64, u64, bool)) {
        let is_over = |leaving: &mut Leaving| leaving.uses.iter().all(&over);
        let gone: Vec<Leaving> = self.leaving.extract_if(.., is_over).collect();
        for leaving in gone {
            clear(leaving.home, leaving.size, leaving.is_shared);
            for place in leaving.places {
                self.heap(place.domain).give_back(place.offset, leaving.size);
            }
        }
    }

    /// Gives a buffer a place in another domain. Returns the old one, `None` if it is there already.
    ///
    /// # Errors
    /// `ENOENT`, and `ENOMEM` when there is no room.
    pub fn move_to(&mut self, handle: u32, domain: Domain) -> Answer<Option<Place>> {
        let &Buffer { home, place: old, size, align, .. } = self.get(handle).ok_or(Errno(libc::ENOENT))?;
        if old.domain == domain {
            return Ok(None);
        }
        let new = if home.domain == domain { Some(home) } else { self.take(domain, size, align) };
        self.get_mut(handle)?.place = new.ok_or(Errno(libc::ENOMEM))?;
        if old != home {
            self.heap(old.domain).give_back(old.offset, size);
        }
        Ok(Some(old))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(domains: u32, size: u64) -> Wanted {
        Wanted { domains, size, ..Wanted::default() }
    }

    #[test]
    fn memory_is_free_when_its_uses_are_over() {
        let mut buffers = Buffers::new(Chip::Nv47);
        let whole = Chip::Nv47.gart() - (64 << 10);
        let handle = buffers.create(wanted(Domain::Gart.bit(), whole)).unwrap();
        assert_eq!(buffers.create(wanted(Domain::Gart.bit(), 1)), Err(Errno(libc::ENOMEM)));
        buffers.open(handle).unwrap();
        assert!(buffers.close(handle).unwrap().is_none());
        let buffer = buffers.close(handle).unwrap().expect("the last handle");
        let mut uses = Uses::default();
        uses.note(Use { board: 1, number: 5 });
        uses.note(Use { board: 1, number: 7 });
        buffers.leave(buffer, uses);
        for (done, free) in [(6, false), (7, true)] {
            buffers.reap(|last| last.number <= done, |_, size, _| assert_eq!(size, whole));
            assert_eq!(buffers.create(wanted(Domain::Gart.bit(), whole)).is_ok(), free, "{done}");
        }
    }

    #[test]
    fn a_buffer_moves_and_comes_home() {
        let mut buffers = Buffers::new(Chip::Nv47);
        let handle = buffers.create(wanted(Domain::Gart.bit(), 3 * PAGE + 1)).unwrap();
        let home = buffers.get(handle).unwrap().place;
        assert_eq!(buffers.get(handle).unwrap().size, 4 * PAGE);
        assert_eq!(buffers.move_to(handle, Domain::Vram), Ok(Some(home)));
        assert_eq!(buffers.get(handle).unwrap().place.domain, Domain::Vram);
        assert_eq!(buffers.move_to(handle, Domain::Vram), Ok(None));
        assert!(buffers.move_to(handle, Domain::Gart).unwrap().is_some());
        assert_eq!(buffers.get(handle).unwrap().place, home);
    }

    #[test]
    fn a_chip_without_vram_has_everything_in_gart() {
        let mut buffers = Buffers::new(Chip::Gm20b);
        let handle = buffers.create(wanted(Domain::Vram.bit(), 1)).unwrap();
        assert_eq!(buffers.get(handle).unwrap().place.domain, Domain::Gart);
    }
}
