//! The cache between pusher and puller. It only ever holds methods that wait: everything else passes at once.

use triglyph_guest::rsx::registers::cache::{ENTRIES, method};

use triglyph_engine::snapshot::state;

/// A method with its data: method at 12:2 and subchannel at 15:13 of the first word.
pub type Entry = [u32; 2];

/// A ring of methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    entries: Box<[Entry; ENTRIES]>,
    /// Index of the next entry to leave, and of the next one to enter.
    get: usize,
    put: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Cache { entries: Box::new([[0; 2]; ENTRIES]), get: 0, put: 0 }
    }
}

impl Cache {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.get == self.put
    }

    /// Whether nothing more may enter.
    pub fn is_full(&self) -> bool {
        (self.put + 1) % ENTRIES == self.get
    }

    /// How many methods may enter.
    pub fn free(&self) -> usize {
        (self.get + ENTRIES - self.put - 1) % ENTRIES
    }

    /// Enters a method; false when the cache is full.
    pub fn push(&mut self, subchannel: u32, address: u32, data: u32) -> bool {
        let room = !self.is_full();
        if room {
            self.entries[self.put] = [method(subchannel, address), data];
            self.put = (self.put + 1) % ENTRIES;
        }
        room
    }

    /// The next method to leave.
    pub fn first(&self) -> Option<Entry> {
        (!self.is_empty()).then(|| self.entries[self.get])
    }

    /// Lets it go.
    pub fn drop_first(&mut self) {
        if !self.is_empty() {
            self.get = (self.get + 1) % ENTRIES;
        }
    }

    /// GET, as its register has it.
    pub fn get(&self) -> u32 {
        4 * self.get as u32
    }

    /// PUT, as its register has it.
    pub fn put(&self) -> u32 {
        4 * self.put as u32
    }

    /// Sets GET from its register.
    pub fn set_get(&mut self, word: u32) {
        self.get = word as usize / 4 % ENTRIES;
    }

    /// Sets PUT from its register.
    pub fn set_put(&mut self, word: u32) {
        self.put = word as usize / 4 % ENTRIES;
    }

    /// A word of the entries, by its offset in bytes; 0 beyond the end.
    pub fn word(&self, offset: u32) -> u32 {
        self.entries.get(offset as usize / 8).map_or(0, |entry| entry[offset as usize / 4 % 2])
    }

    /// Sets a word of the entries.
    pub fn set_word(&mut self, offset: u32, word: u32) {
        if let Some(entry) = self.entries.get_mut(offset as usize / 8) {
            entry[offset as usize / 4 % 2] = word;
        }
    }
}

state! {
    /// The cache in a snapshot.
    pub(in crate) struct SavedCache { entries: Vec<Entry>, get: u32, put: u32 }
}

impl Cache {
    pub(super) fn save(&self) -> SavedCache {
        SavedCache { entries: self.entries.to_vec(), get: self.get(), put: self.put() }
    }

    /// `None` when it has another size.
    pub(super) fn restore(saved: SavedCache) -> Option<Self> {
        let entries = saved.entries.try_into().ok()?;
        let mut cache = Cache { entries: Box::new(entries), get: 0, put: 0 };
        cache.set_get(saved.get);
        cache.set_put(saved.put);
        Some(cache)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_leave_in_order() {
        let mut cache = Cache::default();
        assert_eq!((cache.first(), cache.free()), (None, ENTRIES - 1));
        for i in 0..2000 {
            assert!(cache.push(i & 7, 4 * i, i));
            if i % 4 == 3 {
                for j in i - 3..=i {
                    assert_eq!(cache.first(), Some([(j & 7) << 13 | ((4 * j) & 0x1FFC), j]));
                    cache.drop_first();
                }
                assert!(cache.is_empty());
            }
        }
        assert!((0..ENTRIES as u32 - 1).all(|i| cache.push(0, 0, i)));
        assert!(cache.is_full() && !cache.push(0, 0, 0) && cache.free() == 0);
        assert_eq!(Cache::restore(cache.save()), Some(cache));
    }
}
