//! The memory and images that programs report as used.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use triglyph_guest::kernel::program::environment::Usage;

/// Bytes that a program has loaded and stored, by its own account.
#[derive(Debug, Default)]
pub struct Noted(Mutex<BTreeSet<NotedByte>>);

/// A byte of an image as if its rows came one after the other, or of memory; whether it was stored.
type NotedByte = (Option<usize>, u64, bool);

impl Noted {
    /// Adds bytes of an image or of memory.
    pub fn add(&self, image: Option<usize>, bytes: Range<u64>, stores: bool) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.extend(bytes.map(|byte| (image, byte, stores)));
    }

    /// Adds bytes of memory.
    pub fn add_memory(&self, address: u64, size: u64, usage: Usage) {
        self.add(None, address..address.saturating_add(size), usage != Usage::Load);
    }

    /// A byte that another one has noted and this one has not. Who says that it stores may load as well.
    pub fn misses(self, other: Noted) -> Option<String> {
        let [own, other] = [self, other].map(|noted| noted.0.into_inner().unwrap_or_else(PoisonError::into_inner));
        let is_known = |&(image, byte, stores): &NotedByte| {
            own.contains(&(image, byte, true)) || !stores && own.contains(&(image, byte, false))
        };
        let missed = other.into_iter().find(|byte| !is_known(byte));
        missed.map(|(image, byte, stores)| format!("image {image:?}, byte {byte:#x}, stores: {stores}"))
    }
}
