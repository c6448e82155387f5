//! Instance memory: the hash table of handles, the objects, the channels that are not current.
//!
//! It is the last 512 KiB of local memory, words in the chip's own (little-endian) order. (The hardware counts instance
//! memory backwards from the end of local memory; nothing that runs on a guest's side of the hypervisor sees that, so
//! here it counts forwards.) The places inside are Nucleus' for objects and nouveau's for the tables.

use triglyph_guest::rsx::lv1::LOCAL_BYTES;
use triglyph_guest::rsx::objects::{DMA_BYTES, DmaWords, ENGINE_BYTES, Target, class, engine_class};
use triglyph_guest::rsx::ramfc::Ramfc;
use triglyph_guest::rsx::ramht::{ENTRY_BYTES, Entry, Ramht};

use super::dma::{DmaObject, space};
use triglyph_engine::device::Access;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};

/// Bytes of instance memory.
pub const BYTES: u32 = 0x8_0000;
/// Where it begins in local memory.
pub const START: u64 = (LOCAL_BYTES - BYTES) as u64;
/// Where it is.
pub const RANGE: GuestRange =
    GuestRange { start: GuestAddr { space: space::LOCAL, address: START }, size: BYTES as u64 };

/// A table of objects of one size: first address, how many.
#[derive(Clone, Copy, Debug)]
struct Slots {
    start: u32,
    bytes: u32,
    count: u32,
}

/// DMA objects (Nucleus).
const DMA: Slots = Slots { start: 0x4_0000, bytes: DMA_BYTES, count: 256 };
/// Engine objects (Nucleus).
const ENGINE: Slots = Slots { start: 0x5_0000, bytes: ENGINE_BYTES, count: 128 };

/// Where the tables lie. The contents are in guest memory.
#[derive(Clone, Debug)]
pub struct Ramin {
    /// The hash table.
    pub ramht: Ramht,
    /// Channels.
    pub ramfc: Ramfc,
}

impl Ramin {
    /// Maps instance memory and lays out its tables.
    pub(crate) fn new(memory: &mut Memory) -> Result<Self, Error> {
        memory.map(GuestRange::new(space::LOCAL, START, BYTES.into()), Access::READ_WRITE)?;
        Ok(Ramin { ramht: Ramht::DEFAULT, ramfc: Ramfc::DEFAULT })
    }

    /// With tables where two registers say, in memory that is mapped.
    pub(crate) fn with([ramht, ramfc]: [u32; 2]) -> Self {
        Ramin { ramht: Ramht(ramht), ramfc: Ramfc(ramfc) }
    }

    /// The word at an address, 0 beyond the end.
    pub fn read(&self, memory: &Memory, address: u32) -> u32 {
        match address {
            0..BYTES => u32::from_le_bytes(
                memory.readable(GuestAddr::new(space::LOCAL, START + u64::from(address & !3))).read(0),
            ),
            _ => 0,
        }
    }

    /// Stores a word; nothing happens beyond the end.
    pub fn write(&self, memory: &Memory, address: u32, word: u32) {
        if address < BYTES {
            let address = START + u64::from(address & !3);
            memory.writable(GuestAddr::new(space::LOCAL, address)).write(0, &word.to_le_bytes());
            memory.mark_changed(GuestRange::new(space::LOCAL, address, 4));
        }
    }

    fn entry(&self, memory: &Memory, index: u32) -> [u32; 2] {
        let address = self.ramht.address() + ENTRY_BYTES * index;
        [self.read(memory, address), self.read(memory, address + 4)]
    }

    fn set_entry(&self, memory: &Memory, index: u32, words: [u32; 2]) {
        let address = self.ramht.address() + ENTRY_BYTES * index;
        self.write(memory, address, words[0]);
        self.write(memory, address + 4, words[1]);
    }

    /// The places that a handle may be at, in order.
    fn places(&self, handle: u32, channel: u32) -> impl Iterator<Item = u32> + use<> {
        let (first, entries) = (self.ramht.hash(handle, channel), self.ramht.entries());
        (0..self.ramht.depth()).map(move |step| (first + step) & (entries - 1))
    }

    /// What the hash table says about a handle. The search ends at the first empty place.
    pub fn find(&self, memory: &Memory, handle: u32, channel: u32) -> Option<Entry> {
        self.place(memory, handle, channel).map(|(_, entry)| entry)
    }

    fn place(&self, memory: &Memory, handle: u32, channel: u32) -> Option<(u32, Entry)> {
        for index in self.places(handle, channel) {
            let entry = Entry::decode(self.entry(memory, index))?;
            if (entry.handle, entry.channel) == (handle, channel) {
                return Some((index, entry));
            }
        }
        None
    }

    /// Enters an object, at the place of the same handle or at the first empty one. Returns whether there was one.
    pub fn insert(&self, memory: &Memory, entry: Entry) -> bool {
        for index in self.places(entry.handle, entry.channel) {
            let free = match Entry::decode(self.entry(memory, index)) {
                Some(other) => (other.handle, other.channel) == (entry.handle, entry.channel),
                None => true,
            };
            if free {
                self.set_entry(memory, index, entry.encode());
                return true;
            }
        }
        false
    }

    /// Removes all entries of a channel. What was entered after them at a later place has to be entered again: an empty
    /// place ends a search.
    pub fn remove_channel(&self, memory: &Memory, channel: u32) {
        let entries: Vec<Entry> =
            (0..self.ramht.entries()).filter_map(|index| Entry::decode(self.entry(memory, index))).collect();
        for index in 0..self.ramht.entries() {
            self.set_entry(memory, index, [0; 2]);
        }
        for entry in entries.into_iter().filter(|entry| entry.channel != channel) {
            self.insert(memory, entry);
        }
    }

    /// The range of a DMA object at an instance address / 16.
    pub fn dma(&self, memory: &Memory, instance: u32) -> Option<DmaObject> {
        let address = instance.checked_mul(16)?;
        let words = [0, 4, 8].map(|offset| self.read(memory, address + offset));
        let object = DmaWords::decode(words)?;
        let space = if object.target.is_local() { space::LOCAL } else { space::MAIN };
        let DmaWords { base, limit, read, write, .. } = object;
        Some(DmaObject { space, base: base.into(), limit: limit.into(), read, write })
    }

    /// The class of the object at an instance address / 16.
    pub fn class(&self, memory: &Memory, instance: u32) -> u32 {
        let word = self.read(memory, instance.saturating_mul(16));
        if class::is_dma(word & 0xFFF) { word & 0xFFF } else { engine_class(word) }
    }

    /// Makes a DMA object and returns its address / 16; `None` when there is no room.
    pub fn make_dma(&self, memory: &Memory, words: DmaWords) -> Option<u32> {
        self.make(memory, DMA, &words.encode())
    }

    /// The address / 16 of a DMA object that says the same.
    pub fn find_dma(&self, memory: &Memory, words: DmaWords) -> Option<u32> {
        let wanted = words.encode();
        let mut addresses = (0..DMA.count).map(|slot| DMA.start + slot * DMA.bytes);
        let same = |address: &u32| (0..4).all(|word| self.read(memory, address + 4 * word) == wanted[word as usize]);
        addresses.find(same).map(|address| address / 16)
    }

    /// Makes an engine object and returns its address / 16; `None` when there is no room.
    pub fn make_engine(&self, memory: &Memory, class: u32) -> Option<u32> {
        self.make(memory, ENGINE, &[class])
    }

    /// The first free slot: one whose first word is 0, which no object has.
    fn make(&self, memory: &Memory, slots: Slots, words: &[u32]) -> Option<u32> {
        let mut addresses = (0..slots.count).map(|slot| slots.start + slot * slots.bytes);
        let address = addresses.find(|&address| self.read(memory, address) == 0)?;
        for (at, &word) in (address..).step_by(4).zip(words) {
            self.write(memory, at, word);
        }
        Some(address / 16)
    }

    /// Frees the slot of an object.
    pub fn free(&self, memory: &Memory, instance: u32) {
        let address = instance.saturating_mul(16);
        let bytes = if address >= ENGINE.start { ENGINE.bytes } else { DMA.bytes };
        for at in (address..address.saturating_add(bytes)).step_by(4) {
            self.write(memory, at, 0);
        }
    }

    /// Frees every object that the hash table has for a channel, and its entries. Objects that other channels name
    /// as well stay.
    pub fn free_channel(&self, memory: &Memory, channel: u32) {
        let entries: Vec<Entry> =
            (0..self.ramht.entries()).filter_map(|index| Entry::decode(self.entry(memory, index))).collect();
        self.remove_channel(memory, channel);
        let shared = |instance: u32| entries.iter().any(|other| other.channel != channel && other.instance == instance);
        for entry in entries.iter().filter(|entry| entry.channel == channel && !shared(entry.instance)) {
            let address = entry.instance * 16;
            let slots = |slots: Slots| (slots.start..slots.start + slots.bytes * slots.count).contains(&address);
            if slots(DMA) || slots(ENGINE) {
                self.free(memory, entry.instance);
            }
        }
    }
}

/// The target of a range in an address space.
pub(crate) fn target(space: u32) -> Target {
    if space == space::LOCAL { Target::Local } else { Target::Agp }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramin() -> (Memory, Ramin) {
        let mut memory = Memory::default();
        let ramin = Ramin::new(&mut memory).expect("memory");
        (memory, ramin)
    }

    fn entry(handle: u32, channel: u32, instance: u32) -> Entry {
        Entry { handle, channel, engine: 1, instance }
    }

    #[test]
    fn collisions_go_on_to_the_next_place() {
        let (memory, ramin) = ramin();
        let first = 0x0000_1FED;
        let index = ramin.ramht.hash(first, 1);
        assert!(ramin.insert(&memory, entry(first, 1, 0x4000)));
        let second = (1..).find(|&handle| ramin.ramht.hash(handle, 1) == index && handle != first).expect("another");
        assert!(ramin.insert(&memory, entry(second, 1, 0x4001)));
        assert_eq!(ramin.find(&memory, second, 1).map(|entry| entry.instance), Some(0x4001));
        assert_eq!(ramin.entry(&memory, index + 1)[0], second);
        // Taking out what is elsewhere changes nothing.
        ramin.insert(&memory, entry(first, 2, 0x4002));
        ramin.remove_channel(&memory, 2);
        assert_eq!(ramin.find(&memory, second, 1).map(|entry| entry.instance), Some(0x4001));
        assert_eq!(ramin.find(&memory, first, 2), None);
        assert!(ramin.insert(&memory, entry(first, 1, 0x4003)));
        assert_eq!(ramin.find(&memory, first, 1).map(|entry| entry.instance), Some(0x4003));
    }

    #[test]
    fn full_tables_say_so() {
        let (memory, ramin) = ramin();
        let inserted = (0..5000).filter(|&handle| ramin.insert(&memory, entry(handle, 0, 0x4000))).count();
        assert_eq!(inserted, 4096);
        assert_eq!(ramin.find(&memory, 99_999, 0), None);
        let object = DmaWords::new(class::DMA_IN_MEMORY, Target::Local, 0, 0xFFF);
        assert_eq!((0..300).filter_map(|_| ramin.make_dma(&memory, object)).count(), 256);
        assert_eq!((0..300).filter_map(|_| ramin.make_engine(&memory, class::CURIE)).count(), 128);
        ramin.free(&memory, 0x5_0020 / 16);
        assert_eq!(ramin.make_engine(&memory, class::NULL), Some(0x5_0020 / 16));
    }

    #[test]
    fn objects_are_what_stands_in_memory() {
        let (memory, ramin) = ramin();
        let words = DmaWords::new(class::DMA_FROM_MEMORY, Target::Agp, 0x0D01_2345, 0xFF);
        let instance = ramin.make_dma(&memory, words).expect("room");
        assert_eq!(instance, 0x4000);
        let object = ramin.dma(&memory, instance).expect("an object");
        assert_eq!((object.space, object.base, object.limit), (space::MAIN, 0x0D01_2345, 0xFF));
        assert!(object.read && !object.write);
        ramin.write(&memory, 0x4_0000, 0x4097);
        assert_eq!(ramin.dma(&memory, instance), None);
        assert_eq!(ramin.class(&memory, instance), class::CURIE);
        assert_eq!(ramin.dma(&memory, u32::MAX), None);
        assert_eq!(ramin.read(&memory, BYTES), 0);
    }

    #[test]
    fn channels_free_what_is_theirs_alone() {
        let (memory, ramin) = ramin();
        let object = DmaWords::new(class::DMA_IN_MEMORY, Target::Local, 0, 0xFFF);
        let [own, shared] = [0, 1].map(|_| ramin.make_dma(&memory, object).expect("room"));
        ramin.insert(&memory, entry(1, 1, own));
        ramin.insert(&memory, entry(2, 1, shared));
        ramin.insert(&memory, entry(2, 2, shared));
        ramin.free_channel(&memory, 1);
        assert_eq!((ramin.dma(&memory, own), ramin.dma(&memory, shared).is_some()), (None, true));
        assert_eq!(ramin.find(&memory, 2, 2).map(|entry| entry.instance), Some(shared));
        assert_eq!(ramin.find(&memory, 2, 1), None);
    }
}
