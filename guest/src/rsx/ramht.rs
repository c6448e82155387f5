//! RAMHT: from handles to objects.
//!
//! A hash table in instance memory, shared by all channels: an entry is found by handle and channel. Collisions go on
//! to the next place. Sources: nouveau's `nvkm/core/ramht`, `nvkm/engine/fifo/nv40`; envytools "RAMHT"; Nucleus for the
//! widths of the fields.

/// Bytes of an entry.
pub const ENTRY_BYTES: u32 = 8;

/// Engines that objects belong to (envytools).
pub mod engine {
    /// Executed by the processor: every method interrupts.
    pub const SOFTWARE: u32 = 0;
    /// PGRAPH: 2D and 3D.
    pub const GRAPH: u32 = 1;
}

/// Where the table lies and how it is searched: register 0x2210.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ramht(pub u32);

impl Ramht {
    /// 32 KiB at 0x10000, 128 places searched: what drivers of this generation set up (nouveau). Where LV1 puts it is
    /// not known.
    pub const DEFAULT: Ramht = Ramht(0x0303_0100);

    /// First byte in instance memory, a multiple of 4096.
    pub const fn address(self) -> u32 {
        (self.0 >> 4 & 0x1F) << 12
    }

    /// log2 of the number of entries: 9 to 12.
    pub const fn bits(self) -> u32 {
        9 + (self.0 >> 16 & 3)
    }

    /// Entries.
    pub const fn entries(self) -> u32 {
        1 << self.bits()
    }

    /// Places that are searched before the hardware gives up.
    pub const fn depth(self) -> u32 {
        16 << (self.0 >> 24 & 3)
    }

    /// The entry at which the search for a handle begins.
    pub const fn hash(self, handle: u32, channel: u32) -> u32 {
        let bits = self.bits();
        let (mut hash, mut rest) = (0, handle);
        while rest != 0 {
            hash ^= rest & (self.entries() - 1);
            rest >>= bits;
        }
        (hash ^ channel << (bits - 4)) & (self.entries() - 1)
    }
}

/// An entry of the table.
///
/// | word | bits | field |
/// |---|---|---|
/// | 0 | 31:0 | handle |
/// | 1 | 31:23 | channel |
/// | 1 | 22:20 | engine; 0 for DMA objects |
/// | 1 | 19:0 | where the object lies in instance memory, in units of 16 bytes |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The object's name.
    pub handle: u32,
    /// The channel that owns it, 0 to 511.
    pub channel: u32,
    /// The engine that executes it: [`engine`].
    pub engine: u32,
    /// Address in instance memory / 16.
    pub instance: u32,
}

impl Entry {
    /// The entry of two words; `None` for an empty place, whose second word is 0.
    pub const fn decode(words: [u32; 2]) -> Option<Entry> {
        let [handle, context] = words;
        if context == 0 {
            return None;
        }
        Some(Entry { handle, channel: context >> 23, engine: context >> 20 & 7, instance: context & 0xF_FFFF })
    }

    /// The words of the entry.
    pub const fn encode(self) -> [u32; 2] {
        let Entry { handle, channel, engine, instance } = self;
        [handle, (channel & 0x1FF) << 23 | (engine & 7) << 20 | instance & 0xF_FFFF]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_says_where_and_how_much() {
        let table = Ramht::DEFAULT;
        assert_eq!((table.address(), table.bits(), table.entries(), table.depth()), (0x1_0000, 12, 4096, 128));
        assert_eq!(Ramht(0x100).bits(), 9);
        for bits in 0..=u32::MAX / 0x0101_0101 {
            let table = Ramht(bits.wrapping_mul(0x0101_0101));
            assert!(table.hash(0xFFFF_FFFF, 0x1FF) < table.entries());
        }
    }

    #[test]
    fn entries_come_back() {
        let entry = Entry { handle: 0xFEED_0000, channel: 1, engine: 1, instance: 0x5000 };
        assert_eq!(entry.encode(), [0xFEED_0000, 0x0090_5000]);
        assert_eq!(Entry::decode(entry.encode()), Some(entry));
        assert_eq!(Entry::decode([5, 0]), None);
    }
}
