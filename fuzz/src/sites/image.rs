//! Which record the bytes of guest memory come from.

use triglyph::GuestAddr;

/// Bytes of a MEM's payload before those that it stores.
pub const MEM_HEADER: usize = 16;

/// The stores of a capture so far.
#[derive(Debug, Default)]
pub struct Image(Vec<Store>);

#[derive(Clone, Copy, Debug)]
struct Store {
    start: GuestAddr,
    size: u64,
    record: usize,
}

/// Bytes of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The record.
    pub record: usize,
    /// The first byte of its payload.
    pub at: usize,
    /// Bytes.
    pub length: usize,
}

impl Image {
    /// A record stores bytes.
    pub fn store(&mut self, start: GuestAddr, size: u64, record: usize) {
        self.0.push(Store { start, size, record });
    }

    /// What stored the byte at an address last, and at most `length` bytes from there on. Later stores into the middle
    /// of them are not looked at.
    pub fn stretch(&self, at: GuestAddr, length: u64) -> Option<Stretch> {
        let holds = |store: &&Store| {
            store.start.space == at.space
                && at.address.checked_sub(store.start.address).is_some_and(|offset| offset < store.size)
        };
        let store = self.0.iter().rev().find(holds)?;
        let offset = at.address - store.start.address;
        let length = length.min(store.size - offset) as usize;
        Some(Stretch { record: store.record, at: MEM_HEADER + offset as usize, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_store_counts() {
        let mut image = Image::default();
        image.store(GuestAddr::new(0, 0x100), 0x100, 3);
        image.store(GuestAddr::new(0, 0x180), 0x10, 4);
        let stretch = |address| image.stretch(GuestAddr::new(0, address), 0x20);
        assert_eq!(stretch(0x184), Some(Stretch { record: 4, at: 20, length: 0xC }));
        assert_eq!(stretch(0x1F0), Some(Stretch { record: 3, at: 16 + 0xF0, length: 0x10 }));
        assert_eq!((stretch(0x200), image.stretch(GuestAddr::new(1, 0x100), 1)), (None, None));
    }
}
