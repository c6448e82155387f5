//! What a recording knows of pages: hashes of most, copies of some.

use std::collections::BTreeMap;

use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page, by which changes are found.
pub(super) const PAGE: usize = 4096;
/// Pages that are read at a time, and have one entry in the table.
const PAGES: usize = 256;
/// Bytes of these.
pub(super) const PIECE: u64 = (PAGE * PAGES) as u64;

/// See the module's documentation. Pages are whole or, where a mapping begins or ends in one, parts of pages.
#[derive(Debug, Default)]
pub(super) struct KnownPages {
    /// Hashes of the pages of each piece, by space and number; 0 where nothing is known.
    hashes: BTreeMap<(u32, u64), Box<[u64; PAGES]>>,
    /// Copies, by space and first byte; a page that has one needs no hash.
    copies: BTreeMap<(u32, u64), Box<[u8; PAGE]>>,
}

impl KnownPages {
    /// Forgets a range, which may have any size.
    pub fn forget(&mut self, range: GuestRange) {
        let GuestRange { start, size } = range;
        let Some(last) = size.checked_sub(1).map(|last| start.address.saturating_add(last)) else { return };
        // Of the pieces that have hashes.
        let [first_piece, last_piece] = [start.address, last].map(|address| (start.space, address / PIECE));
        for (&(space, piece), hashes) in self.hashes.range_mut(first_piece..=last_piece) {
            let at = GuestAddr::new(space, start.address.max(piece * PIECE));
            let end = last.min(piece * PIECE + (PIECE - 1));
            hashes[numbers(at, end - at.address + 1)].fill(0);
        }
        let [first, last] = [start.address, last].map(|address| address / PAGE as u64);
        self.copies.retain(|&(space, at), _| space != start.space || !(first..=last).contains(&(at / PAGE as u64)));
    }

    /// Takes over the bytes of some pages, which lie in one piece, and calls `changed` with those that were others.
    pub fn replace(&mut self, start: GuestAddr, mut bytes: &[u8], changed: &mut impl FnMut(GuestAddr, &[u8])) {
        let KnownPages { hashes, copies } = self;
        let known = hashes.entry(piece_of(start)).or_insert_with(|| Box::new([0; PAGES]));
        let mut at = start;
        for known in &mut known[numbers(start, bytes.len() as u64)] {
            let length = (PAGE - offset(at)).min(bytes.len());
            let (page, others) = bytes.split_at(length);
            let is_changed = match copies.get_mut(&page_of(at)) {
                Some(copy) => replace_bytes(&mut copy[offset(at)..][..length], page),
                None => replace_hash(known, page),
            };
            if is_changed {
                changed(at, page);
            }
            (at, bytes) = (at.after(length as u64), others);
        }
    }

    /// Whether a part of a page is another one than is known, or perhaps another part of it.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn differs(&self, memory: &Memory, page: GuestRange, part: GuestRange) -> Result<bool, Error> {
        let mut bytes = [0; PAGE];
        match self.copies.get(&page_of(page.start)) {
            Some(copy) => {
                let bytes = &mut bytes[..part.size as usize];
                memory.read(part.start, bytes)?;
                Ok(*bytes != copy[offset(part.start)..][..bytes.len()])
            }
            None => {
                let bytes = &mut bytes[..page.size as usize];
                memory.read(page.start, bytes)?;
                let known = self.hashes.get(&piece_of(page.start));
                Ok(known.is_none_or(|known| known[numbers(page.start, page.size)] != [hash(bytes)]))
            }
        }
    }

    /// Takes over parts of a page, sorted, if the rest of it is known apart from them: by a copy, or as there is no
    /// rest.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn take_over(&mut self, memory: &Memory, page: GuestRange, parts: &[GuestRange]) -> Result<bool, Error> {
        if let Some(copy) = self.copies.get_mut(&page_of(page.start)) {
            for part in parts {
                memory.read(part.start, &mut copy[offset(part.start)..][..part.size as usize])?;
            }
            return Ok(true);
        }
        let is_whole = parts == [page];
        if is_whole {
            let mut bytes = [0; PAGE];
            let bytes = &mut bytes[..page.size as usize];
            memory.read(page.start, bytes)?;
            self.replace(page.start, bytes, &mut |_, _| {});
        }
        Ok(is_whole)
    }

    /// Makes a copy of a page. Calls `rest` with the bytes outside of some parts of it, sorted.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn copy(
        &mut self,
        memory: &Memory,
        page: GuestRange,
        parts: &[GuestRange],
        rest: &mut impl FnMut(GuestAddr, &[u8]),
    ) -> Result<(), Error> {
        let mut copy = Box::new([0; PAGE]);
        memory.read(page.start, &mut copy[offset(page.start)..][..page.size as usize])?;
        let mut at = page.start;
        for part in parts.iter().copied().chain([page.start.after(page.size).range(0)]) {
            let bytes = &copy[offset(at)..][..(part.start.address - at.address) as usize];
            if !bytes.is_empty() {
                rest(at, bytes);
            }
            at = part.start.after(part.size);
        }
        self.copies.insert(page_of(page.start), copy);
        Ok(())
    }
}

/// A range cut where entries of the table begin.
pub(super) fn pieces(range: GuestRange) -> impl Iterator<Item = GuestRange> {
    cut(range, PIECE)
}

/// A range cut into pages.
pub(super) fn parts(range: GuestRange) -> impl Iterator<Item = GuestRange> {
    cut(range, PAGE as u64)
}

fn cut(range: GuestRange, unit: u64) -> impl Iterator<Item = GuestRange> {
    let mut rest = range;
    std::iter::from_fn(move || {
        let length = (unit - rest.start.address % unit).min(rest.size);
        let piece = rest.start.range(length);
        rest = rest.start.after(length).range(rest.size - length);
        (length != 0).then_some(piece)
    })
}

fn page_of(at: GuestAddr) -> (u32, u64) {
    (at.space, at.address)
}

fn piece_of(at: GuestAddr) -> (u32, u64) {
    (at.space, at.address / PIECE)
}

fn offset(at: GuestAddr) -> usize {
    at.address as usize % PAGE
}

/// Which pages of its piece some bytes lie in.
fn numbers(start: GuestAddr, size: u64) -> std::ops::Range<usize> {
    let first = (start.address % PIECE) as usize;
    first / PAGE..(first + size as usize).div_ceil(PAGE)
}

fn hash(page: &[u8]) -> u64 {
    xxh3_64(page).max(1)
}

fn replace_hash(known: &mut u64, page: &[u8]) -> bool {
    let hash = hash(page);
    std::mem::replace(known, hash) != hash
}

fn replace_bytes(known: &mut [u8], page: &[u8]) -> bool {
    let is_changed = known != page;
    known.copy_from_slice(page);
    is_changed
}
