//! Guest memory as a capture has stored it so far.

use std::collections::HashMap;

use triglyph::{GuestAddr, GuestRange};

const PAGE: u64 = 0x1000;

/// What is mapped, and the pages that something was stored in; all others are zero.
pub struct CaptureMemory {
    big_endian: bool,
    maps: Vec<GuestRange>,
    /// By space and number of the page.
    pages: HashMap<(u32, u64), Box<[u8; PAGE as usize]>>,
}

impl CaptureMemory {
    /// No memory.
    pub fn new(big_endian: bool) -> Self {
        CaptureMemory { big_endian, maps: Vec::new(), pages: HashMap::new() }
    }

    /// Maps a range, which is zero now.
    pub fn map(&mut self, range: GuestRange) {
        self.pages.retain(|&(space, page), bytes| {
            let start = page * PAGE;
            let piece = GuestAddr::new(space, start).range(PAGE);
            if piece.overlaps(range) {
                let end = range.start.address.saturating_add(range.size);
                let clip = |address: u64| address.saturating_sub(start).min(PAGE) as usize;
                bytes[clip(range.start.address)..clip(end)].fill(0);
            }
            true
        });
        self.maps.push(range);
    }

    /// Stores bytes.
    pub fn store(&mut self, at: GuestAddr, mut bytes: &[u8]) {
        let mut address = at.address;
        while !bytes.is_empty() {
            let (page, offset) = (address / PAGE, (address % PAGE) as usize);
            let (piece, rest) = bytes.split_at(bytes.len().min(PAGE as usize - offset));
            let stored = self.pages.entry((at.space, page)).or_insert_with(|| Box::new([0; PAGE as usize]));
            stored[offset..offset + piece.len()].copy_from_slice(piece);
            address = address.wrapping_add(piece.len() as u64);
            bytes = rest;
        }
    }

    /// The word at an address that is a multiple of 4; `None` where nothing is mapped.
    pub fn word(&self, at: GuestAddr) -> Option<u32> {
        let offset = (at.address % PAGE) as usize;
        let bytes = match self.pages.get(&(at.space, at.address / PAGE)) {
            Some(page) => *page.get(offset..)?.first_chunk()?,
            None => self.maps.iter().any(|range| range.overlaps(at.range(4))).then_some([0; 4])?,
        };
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_last_is_there() {
        let mut memory = CaptureMemory::new(true);
        let at = |address| GuestAddr::new(1, address);
        assert_eq!(memory.word(at(0xFFC)), None);
        memory.map(at(0x800).range(0x1000));
        memory.store(at(0xFFE), &[1, 2, 3, 4]);
        assert_eq!(
            [0xFFC, 0x1000, 0x1004].map(|address| memory.word(at(address))),
            [Some(0x102), Some(0x0304_0000), Some(0)]
        );
        assert_eq!(memory.word(GuestAddr::new(0, 0xFFC)), None);
        memory.map(at(0x1000).range(2));
        assert_eq!([0xFFC, 0x1000].map(|address| memory.word(at(address))), [Some(0x102), Some(0)]);
    }
}
