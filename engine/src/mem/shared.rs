//! Memory that other threads draw to while its owner goes on.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Memory;

/// Guest memory of a machine. Nothing is mapped while it is [shared](Self::share).
#[derive(Debug)]
pub struct SharedMemory(Arc<Memory>);

impl SharedMemory {
    /// Memory that is not shared.
    pub fn new(memory: Memory) -> Self {
        SharedMemory(Arc::new(memory))
    }

    /// The memory, for threads that draw to it until the result is dropped.
    pub fn share(&self) -> Arc<Memory> {
        self.0.clone()
    }
}

impl Deref for SharedMemory {
    type Target = Memory;

    #[inline(always)]
    fn deref(&self) -> &Memory {
        &self.0
    }
}

impl DerefMut for SharedMemory {
    /// Runs share memory and map nothing; what maps memory has the whole device to itself.
    ///
    /// # Panics
    /// While it is shared.
    fn deref_mut(&mut self) -> &mut Memory {
        Arc::get_mut(&mut self.0).expect("nothing is mapped during a run")
    }
}
