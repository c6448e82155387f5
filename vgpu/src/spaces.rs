//! Address spaces that drivers manage themselves: which buffers they have bound where. Each has a board of its own.

use std::collections::BTreeMap;

use crate::buffers::Buffers;
use crate::drm::argument::Answer;

/// The end of the addresses of a space.
pub const END: u64 = 1 << 40;

/// A part of a buffer that is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    pub buffer: u32,
    /// In the buffer.
    pub offset: u64,
    pub size: u64,
}

impl Binding {
    /// The part of it from an offset on.
    fn part(self, from: u64, size: u64) -> Binding {
        Binding { offset: self.offset + from, size, ..self }
    }
}

/// What a change asks of a board, and the buffers that were let go of: each has to be closed once.
pub type Changed = (Vec<Change>, Vec<u32>);

/// What a board has to do after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Map a binding at an address.
    Map(u64, Binding),
    /// Unmap bytes from an address on.
    Unmap(u64, u64),
    /// Let bytes from an address on be without memory: reads find zeros, writes are dropped.
    Sparse(u64, u64),
}

/// An address space.
#[derive(Debug)]
pub struct Space {
    /// By address; disjoint. Each holds its buffer.
    bindings: BTreeMap<u64, Binding>,
    /// Sizes of ranges that are sparse where nothing is bound, by address; disjoint.
    sparse: BTreeMap<u64, u64>,
    /// Addresses that the kernel keeps for itself, as start and end.
    kept: (u64, u64),
    /// The last command of the board.
    pub last: u64,
}

/// The part of a range that is in another one, as start and end.
fn common(a: (u64, u64), b: (u64, u64)) -> Option<(u64, u64)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 < both.1).then_some(both)
}

impl Space {
    /// A space without bindings.
    pub fn new(kept: (u64, u64)) -> Space {
        Space { bindings: BTreeMap::new(), sparse: BTreeMap::new(), kept, last: 0 }
    }

    /// Whether a driver may bind something in a range.
    pub fn is_free_for(&self, address: u64, size: u64) -> bool {
        let end = address.checked_add(size).filter(|&end| end <= END);
        size > 0 && end.is_some_and(|end| common((address, end), self.kept).is_none())
    }

    /// Everything that is bound, with its address.
    pub fn bindings(&self) -> impl Iterator<Item = (u64, Binding)> + '_ {
        self.bindings.iter().map(|(&address, &binding)| (address, binding))
    }

    /// What makes a new board as this space is.
    pub fn changes(&self) -> Vec<Change> {
        let sparse = self.sparse.iter().map(|(&address, &size)| Change::Sparse(address, size));
        sparse.chain(self.bindings().map(|(address, binding)| Change::Map(address, binding))).collect()
    }

    /// Binds a part of a buffer in place of what was bound there. Returns the changes, and the buffers that were let go
    /// of: each has to be closed once.
    ///
    /// # Errors
    /// `ENOENT` for a buffer that is not there.
    pub fn bind(&mut self, address: u64, binding: Binding, buffers: &mut Buffers) -> Answer<Changed> {
        buffers.open(binding.buffer)?;
        let gone = self.cut((address, address + binding.size), buffers)?;
        self.bindings.insert(address, binding);
        Ok((vec![Change::Map(address, binding)], gone))
    }

    /// Unbinds what is bound in a range; what is sparse there is so again. Returns as [`Self::bind`].
    ///
    /// # Errors
    /// None but what a damaged list of buffers would give.
    pub fn unbind(&mut self, address: u64, size: u64, buffers: &mut Buffers) -> Answer<Changed> {
        let range = (address, address + size);
        let gone = self.cut(range, buffers)?;
        let mut changes = vec![Change::Unmap(address, size)];
        let sparse = self.sparse.range(..range.1).filter_map(|(&at, &size)| common((at, at + size), range));
        changes.extend(sparse.map(|(at, end)| Change::Sparse(at, end - at)));
        Ok((changes, gone))
    }

    /// Makes a range sparse where nothing is bound.
    pub fn make_sparse(&mut self, address: u64, size: u64) -> Vec<Change> {
        self.end_sparse(address, size);
        self.sparse.insert(address, size);
        let mut changes = vec![Change::Sparse(address, size)];
        let range = (address, address + size);
        let bound = self.bindings.range(..range.1).filter_map(|(&at, &binding)| {
            let (start, end) = common((at, at + binding.size), range)?;
            Some(Change::Map(start, binding.part(start - at, end - start)))
        });
        changes.extend(bound);
        changes
    }

    /// Unbinds a range that is sparse no longer. Returns as [`Self::bind`].
    ///
    /// # Errors
    /// As [`Self::unbind`].
    pub fn unbind_sparse(&mut self, address: u64, size: u64, buffers: &mut Buffers) -> Answer<Changed> {
        self.end_sparse(address, size);
        self.unbind(address, size, buffers)
    }

    fn end_sparse(&mut self, address: u64, size: u64) {
        let end = address + size;
        let overlaps = |(&at, &size): (&u64, &u64)| common((at, at + size), (address, end)).map(|_| (at, size));
        let found: Vec<(u64, u64)> = self.sparse.range(..end).filter_map(overlaps).collect();
        for (at, size) in found {
            self.sparse.remove(&at);
            if at < address {
                self.sparse.insert(at, address - at);
            }
            if end < at + size {
                self.sparse.insert(end, at + size - end);
            }
        }
    }

    /// Takes what is bound in a range out, and returns the buffers that have one binding less.
    fn cut(&mut self, range: (u64, u64), buffers: &mut Buffers) -> Answer<Vec<u32>> {
        let overlaps = |(&at, binding): (&u64, &Binding)| common((at, at + binding.size), range).map(|_| at);
        let found: Vec<u64> = self.bindings.range(..range.1).rev().map_while(overlaps).collect();
        let mut gone = Vec::new();
        for at in found {
            let Some(binding) = self.bindings.remove(&at) else { continue };
            let end = at + binding.size;
            let before = (at < range.0).then(|| (at, binding.part(0, range.0 - at)));
            let after = (range.1 < end).then(|| (range.1, binding.part(range.1 - at, end - range.1)));
            match (before, after) {
                (None, None) => gone.push(binding.buffer),
                (Some(_), Some(_)) => buffers.open(binding.buffer)?,
                _ => {}
            }
            self.bindings.extend(before.into_iter().chain(after));
        }
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Wanted;
    use crate::chip::Chip;

    /// Unwraps a change, whose buffers are closed.
    fn done(buffers: &mut Buffers, changed: Answer<Changed>) -> Vec<Change> {
        let (changes, gone) = changed.unwrap();
        gone.into_iter().for_each(|buffer| drop(buffers.close(buffer).unwrap()));
        changes
    }

    #[test]
    fn bindings_are_cut_and_hold_their_buffers() {
        let mut buffers = Buffers::new(Chip::Gm20b);
        let buffer = buffers.create(Wanted { size: 0x10_0000, ..Wanted::default() }).unwrap();
        let mut space = Space::new((1 << 39, 1 << 40));
        let whole = Binding { buffer, offset: 0, size: 0x10_0000 };
        let changed = space.bind(0x100_0000, whole, &mut buffers);
        assert_eq!(done(&mut buffers, changed), [Change::Map(0x100_0000, whole)]);
        // The program's own handle goes; the binding holds the buffer.
        assert!(buffers.close(buffer).unwrap().is_none());
        let changed = space.unbind(0x104_0000, 0x1_0000, &mut buffers);
        assert_eq!(done(&mut buffers, changed), [Change::Unmap(0x104_0000, 0x1_0000)]);
        let parts = [
            (0x100_0000, Binding { buffer, offset: 0, size: 0x4_0000 }),
            (0x105_0000, Binding { buffer, offset: 0x5_0000, size: 0xB_0000 }),
        ];
        assert_eq!(space.bindings().collect::<Vec<_>>(), parts);
        let changed = space.unbind(0x100_0000, 0x5_0000, &mut buffers);
        done(&mut buffers, changed);
        assert!(buffers.get(buffer).is_some());
        let changed = space.unbind(0, END, &mut buffers);
        done(&mut buffers, changed);
        assert!(buffers.get(buffer).is_none() && space.bindings().next().is_none());
        assert!(space.bind(0, whole, &mut buffers).is_err());
    }

    #[test]
    fn sparse_ranges_show_where_nothing_is_bound() {
        let mut buffers = Buffers::new(Chip::Gm20b);
        let buffer = buffers.create(Wanted { size: 0x2000, ..Wanted::default() }).unwrap();
        let mut space = Space::new((1 << 39, 1 << 40));
        let page = Binding { buffer, offset: 0x1000, size: 0x1000 };
        let changed = space.bind(0x5000, page, &mut buffers);
        done(&mut buffers, changed);
        assert_eq!(space.make_sparse(0x4000, 0x4000), [Change::Sparse(0x4000, 0x4000), Change::Map(0x5000, page)]);
        let changed = space.unbind(0x3000, 0x3000, &mut buffers);
        assert_eq!(done(&mut buffers, changed), [Change::Unmap(0x3000, 0x3000), Change::Sparse(0x4000, 0x2000)]);
        let changed = space.unbind_sparse(0x5000, 0x1000, &mut buffers);
        assert_eq!(done(&mut buffers, changed), [Change::Unmap(0x5000, 0x1000)]);
        assert_eq!(space.changes(), [Change::Sparse(0x4000, 0x1000), Change::Sparse(0x6000, 0x2000)]);
    }

    #[test]
    fn some_addresses_are_not_the_drivers() {
        let space = Space::new((1 << 39, 1 << 40));
        assert!(space.is_free_for(0x1000, (1 << 39) - 0x1000));
        for (address, size) in [(0x1000, 0), ((1 << 39) - 0x1000, 0x2000), (1 << 40, 0x1000), (!0xFFF, 0x1000)] {
            assert!(!space.is_free_for(address, size), "{address:#x}");
        }
    }
}
