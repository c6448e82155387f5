//! Finds the record that the bytes of guest memory come from.

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

    /// The records that stored the bytes from an address on, in order: `length` bytes, or those before the first that
    /// nothing has stored.
    pub fn pieces(&self, at: GuestAddr, length: u64) -> Vec<Stretch> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < length {
            let Some(newest) = self.newest(at.after(done), length - done) else { break };
            done += newest.length as u64;
            pieces.push(newest);
        }
        pieces
    }

    /// As [`stretch`](Self::stretch), up to where a later store begins.
    fn newest(&self, at: GuestAddr, length: u64) -> Option<Stretch> {
        let mut stretch = self.stretch(at, length)?;
        for later in self.0.iter().rev().take_while(|store| store.record != stretch.record) {
            let offset = later.start.address.wrapping_sub(at.address);
            if later.start.space == at.space && later.size > 0 && offset < stretch.length as u64 {
                stretch.length = offset as usize;
            }
        }
        Some(stretch)
    }

    /// The record that stored the byte at an address last, and at most `length` bytes from there on. Later stores into
    /// the middle of them are ignored.
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
        let pieces = image.pieces(GuestAddr::new(0, 0x170), 0x30);
        let piece = |record, at, length| Stretch { record, at, length };
        assert_eq!(pieces, [piece(3, 16 + 0x70, 0x10), piece(4, 16, 0x10), piece(3, 16 + 0x90, 0x10)]);
        assert_eq!(image.pieces(GuestAddr::new(0, 0x1F0), 0x20), [piece(3, 16 + 0xF0, 0x10)]);
        assert_eq!((stretch(0x200), image.stretch(GuestAddr::new(1, 0x100), 1)), (None, None));
    }
}
