//! Footprints: the memory that ranges of guest addresses are mapped to, so that aliases are found.
//!
//! Memory is identified by its address on the host: so memory of the host that is mapped twice is the same memory, too.

use std::ops::Range;

use super::{GuestRange, Memory};

/// Ranges of host addresses: sorted, disjoint.
#[derive(Debug, Default)]
pub struct Footprint {
    pieces: Vec<Range<usize>>,
}

impl Footprint {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Adds the mapped parts of a range.
    pub fn add(&mut self, memory: &Memory, range: GuestRange) {
        memory.for_each_piece(range, |piece| self.insert(piece));
    }

    /// Whether it has a byte of a range as that is mapped now.
    pub fn touches(&self, memory: &Memory, range: GuestRange) -> bool {
        let mut touches = false;
        if !self.pieces.is_empty() {
            memory.for_each_piece(range, |piece| {
                let first = self.pieces.partition_point(|p| p.end <= piece.start);
                touches |= self.pieces.get(first).is_some_and(|p| p.start < piece.end);
            });
        }
        touches
    }

    fn insert(&mut self, new: Range<usize>) {
        let first = self.pieces.partition_point(|p| p.end < new.start);
        let joined = self.pieces[first..].iter().take_while(|p| p.start <= new.end).count();
        match &self.pieces[first..first + joined] {
            [only] if only.start <= new.start && new.end <= only.end => {}
            [front, ..] => {
                let back = &self.pieces[first + joined - 1];
                self.pieces[first] = front.start.min(new.start)..back.end.max(new.end);
                self.pieces.drain(first + 1..first + joined);
            }
            [] => self.pieces.insert(first, new),
        }
    }
}

/// Functions for machines.
#[doc(hidden)]
impl Memory {
    /// Calls `f` with the host addresses that a range is mapped to.
    pub fn for_each_piece(&self, range: GuestRange, mut f: impl FnMut(Range<usize>)) {
        self.walk(range, |region, at, piece| {
            if let Some(region) = region.filter(|region| !region.is_sparse()) {
                let start = region.arena.address() + region.offset_of(at);
                f(start..start + piece.len());
            }
        });
    }

    /// Whether two ranges have memory in common. While no memory has ever been mapped at a second place, only equal
    /// addresses are the same memory, and the mappings are not searched.
    pub fn share(&self, a: GuestRange, b: GuestRange) -> bool {
        let mut share = false;
        if self.aliased {
            self.for_each_piece(a, |a| self.for_each_piece(b, |b| share |= a.start < b.end && b.start < a.end));
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::rights::Access;
    use crate::mem::tests::{at, range};

    #[test]
    fn memory_is_the_same_at_all_addresses() {
        let mut memory = Memory::default();
        memory.map(range(0, 0x1000, 0x4000), Access::READ_WRITE).unwrap();
        memory.alias(at(1, 0x8000), range(0, 0x2000, 0x1000), Access::READ).unwrap();
        let mut footprint = Footprint::default();
        assert!(!footprint.touches(&memory, range(0, 0, 0x10_0000)));
        footprint.add(&memory, range(1, 0x8800, 0x1000));
        assert!(footprint.touches(&memory, range(0, 0x27FF, 2)) && footprint.touches(&memory, range(0, 0x2FFF, 0x100)));
        assert!(
            !footprint.touches(&memory, range(0, 0x2700, 0x100))
                && !footprint.touches(&memory, range(0, 0x3000, 0x100))
        );
        assert!(footprint.touches(&memory, range(1, 0x8FFF, 1)) && !footprint.touches(&memory, range(2, 0x8FFF, 1)));
        footprint.clear();
        assert!(!footprint.touches(&memory, range(1, 0x8FFF, 1)));
    }

    #[test]
    #[allow(unsafe_code)]
    fn memory_of_the_host_is_the_same_in_all_mappings() {
        let mut bytes = vec![0; 0x3000];
        let pointer = bytes.as_mut_ptr();
        let mut memory = Memory::default();
        // SAFETY: the bytes outlive the memory, and nothing else touches them.
        unsafe { memory.map_host(range(0, 0x1000, 0x2000), pointer, Access::READ_WRITE).unwrap() };
        assert!(!memory.share(range(0, 0x1000, 1), range(0, 0x1000, 1)), "nothing is mapped twice yet");
        // SAFETY: as above; 0x1000 + 0x2000 bytes are all there are.
        unsafe { memory.map_host(range(1, 0x8000, 0x2000), pointer.add(0x1000), Access::READ_WRITE).unwrap() };
        assert!(memory.share(range(0, 0x2800, 0x100), range(1, 0x8000, 0x1000)));
        assert!(!memory.share(range(0, 0x1000, 0x1000), range(1, 0x8000, 0x2000)));
        assert!(memory.writable(at(0, 0x2000)).overlaps(memory.writable(at(1, 0x8FFF))));
        assert!(!memory.writable(at(0, 0x2000)).overlaps(memory.writable(at(1, 0x9000))));
        let mut footprint = Footprint::default();
        footprint.add(&memory, range(0, 0x2800, 4));
        assert!(
            footprint.touches(&memory, range(1, 0x8803, 1)) && !footprint.touches(&memory, range(1, 0x8804, 0x100))
        );
        // A write through one mapping is a change of the other.
        let before = memory.epoch();
        memory.mark_written(range(0, 0x2800, 4));
        assert!(memory.changed_since(before, range(1, 0x8800, 4)));
    }

    #[test]
    fn pieces_join() {
        let mut memory = Memory::default();
        memory.map(range(0, 0, 0x1000), Access::READ_WRITE).unwrap();
        let mut footprint = Footprint::default();
        for (address, pieces) in [(0x100, 1), (0x300, 2), (0x500, 3), (0x310, 3), (0x200, 2), (0x380, 2), (0x400, 1)] {
            footprint.add(&memory, range(0, address, 0x100));
            assert_eq!(footprint.pieces.len(), pieces, "{address:#x}: {footprint:x?}");
        }
        assert_eq!(footprint.pieces[0].len(), 0x500);
    }
}
