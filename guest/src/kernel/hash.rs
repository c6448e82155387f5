//! Content hashes of keys.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3;

/// The identity of a kernel: xxh3-128 over everything its code depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub u128);

impl ContentHash {
    /// Hashes a key through its `Hash` implementation.
    pub fn of<K: Hash + ?Sized>(key: &K) -> Self {
        let mut hasher = KeyHasher(Xxh3::new());
        key.hash(&mut hasher);
        ContentHash(hasher.0.digest128())
    }
}

/// Feeds xxh3 with fixed-width little-endian integers, so that a hash does not depend on the host.
struct KeyHasher(Xxh3);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0.digest()
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn write_u16(&mut self, i: u16) {
        self.write(&i.to_le_bytes());
    }
    fn write_u32(&mut self, i: u32) {
        self.write(&i.to_le_bytes());
    }
    fn write_u64(&mut self, i: u64) {
        self.write(&i.to_le_bytes());
    }
    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }
    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as u64);
    }
}
