//! The memory behind stretches of address spaces, whatever the addresses it is seen at.

use std::sync::Arc;

use super::Memory;

/// Pieces of arenas: sorted, disjoint.
#[derive(Debug, Default)]
pub struct Footprint {
    pieces: Vec<Piece>,
}

/// An arena by its place on the host, first byte, and the byte behind the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    arena: usize,
    start: usize,
    end: usize,
}

impl Footprint {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Adds what is mapped now of `size` bytes at `address`.
    pub fn add(&mut self, memory: &Memory, space: u32, address: u64, size: u64) {
        memory.for_each_piece(space, address, size, |arena, start, end| self.insert(Piece { arena, start, end }));
    }

    /// Whether it has a byte of `size` bytes at `address` as they are mapped now.
    pub fn touches(&self, memory: &Memory, space: u32, address: u64, size: u64) -> bool {
        let mut touches = false;
        if !self.pieces.is_empty() {
            memory.for_each_piece(space, address, size, |arena, start, end| {
                let first = self.pieces.partition_point(|p| (p.arena, p.end) <= (arena, start));
                touches |= self.pieces.get(first).is_some_and(|p| p.arena == arena && p.start < end);
            });
        }
        touches
    }

    fn insert(&mut self, new: Piece) {
        let first = self.pieces.partition_point(|p| (p.arena, p.end) < (new.arena, new.start));
        let joined = self.pieces[first..].iter().take_while(|p| p.arena == new.arena && p.start <= new.end).count();
        match self.pieces[first..first + joined] {
            [only] if only.start <= new.start && new.end <= only.end => {}
            [front, ..] => {
                let back = self.pieces[first + joined - 1];
                self.pieces[first] = Piece { start: front.start.min(new.start), end: back.end.max(new.end), ..new };
                self.pieces.drain(first + 1..first + joined);
            }
            [] => self.pieces.insert(first, new),
        }
    }
}

impl Memory {
    /// Calls `f` with the pieces of arenas that a stretch is mapped to.
    fn for_each_piece(&self, space: u32, address: u64, size: u64, mut f: impl FnMut(usize, usize, usize)) {
        self.walk(space, address, usize::try_from(size).unwrap_or(usize::MAX), |range, piece| {
            if let Some(range) = range.filter(|range| !range.sparse) {
                let (start, length) = range.place(address, &piece);
                f(Arc::as_ptr(&range.arena) as usize, start, start + length);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Access;

    #[test]
    fn memory_is_the_same_at_all_addresses() {
        let mut memory = Memory::default();
        memory.map(0, 0x1000, 0x4000, Access::READ_WRITE).unwrap();
        memory.alias((1, 0x8000), (0, 0x2000), 0x1000, Access::READ).unwrap();
        let mut footprint = Footprint::default();
        assert!(!footprint.touches(&memory, 0, 0, 0x10_0000));
        footprint.add(&memory, 1, 0x8800, 0x1000);
        assert!(footprint.touches(&memory, 0, 0x27FF, 2) && footprint.touches(&memory, 0, 0x2FFF, 0x100));
        assert!(!footprint.touches(&memory, 0, 0x2700, 0x100) && !footprint.touches(&memory, 0, 0x3000, 0x100));
        assert!(footprint.touches(&memory, 1, 0x8FFF, 1) && !footprint.touches(&memory, 2, 0x8FFF, 1));
        footprint.clear();
        assert!(!footprint.touches(&memory, 1, 0x8FFF, 1));
    }

    #[test]
    fn pieces_join() {
        let mut memory = Memory::default();
        memory.map(0, 0, 0x1000, Access::READ_WRITE).unwrap();
        let mut footprint = Footprint::default();
        for (address, pieces) in [(0x100, 1), (0x300, 2), (0x500, 3), (0x310, 3), (0x200, 2), (0x380, 2), (0x400, 1)] {
            footprint.add(&memory, 0, address, 0x100);
            assert_eq!(footprint.pieces.len(), pieces, "{address:#x}: {footprint:x?}");
        }
        let all = footprint.pieces[0];
        assert_eq!((all.start, all.end), (0x100, 0x600));
    }
}
