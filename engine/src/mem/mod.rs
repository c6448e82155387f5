//! Guest memory as the GPU sees it: ranges of address spaces, and what was written to them.
//!
//! ```text
//! map / map_host ──► regions (sorted, disjoint) ──► window at an address ──► kernels
//!                                               └─► mark_written ─┬─► take_written (the host)
//!                                                                 └─► changed_since (values derived from memory)
//! ```
//!
//! **Invariant**: guest memory is only ever touched through [`Window`](triglyph_guest::kernel::Window)s, whose bytes
//! are atomics; `raw.rs` and `copy.rs` alone know pointers.

mod access;
mod anonymous;
mod changes;
mod copy;
mod footprint;
mod global;
mod mapping;
mod on_demand;
mod raw;
mod region;
mod remap;
mod rights;
mod shadow;
mod shared;
mod speculation;
#[cfg(test)]
mod tests;
mod views;
mod written;

use std::sync::{Arc, Mutex};

use triglyph_guest::kernel::access::AccessListener;

pub use crate::address::{GuestAddr, GuestRange};
use changes::Clock;
pub use changes::{Epoch, FoundPages};
pub use copy::{append_copy, copy_in, copy_out, for_each_chunk, read_words};
pub use footprint::Footprint;
pub use global::{ProgramMemory, UnmappedAccesses, Watch};
use on_demand::OnDemand;
pub use on_demand::RecordedWords;
use raw::PrefaultPool;
pub use raw::atomic_bytes;
use region::Region;
pub use remap::Mapping;
pub use rights::Access;
use shadow::Journal;
pub(crate) use shadow::ShadowMemory;
pub use shared::SharedMemory;
pub use speculation::{ChunkMemory, KeptRoom, Speculation};
pub use views::View;
pub use written::WrittenHandler;
use written::{Listener, WrittenSet};

/// The memory of one machine.
#[derive(Debug, Default)]
pub struct Memory {
    /// Sorted by space and address, disjoint.
    regions: Vec<Region>,
    /// Whether memory was ever mapped at a second place.
    aliased: bool,
    /// Whether memory of the host's was ever mapped twice by the host itself.
    host_aliased: bool,
    written: Mutex<WrittenSet>,
    listener: Listener,
    on_demand: OnDemand,
    clock: Clock,
    /// The prefaulted pool of the first mappings, if there is one.
    prefault_pool: Option<PrefaultPool>,
    /// In shadow memory, the journal of its writes.
    journal: Option<Journal>,
    /// The observer of accesses by windows and copies.
    access_listener: Option<Arc<dyn AccessListener>>,
}

impl Memory {
    /// Every range that is mapped, aliased or sparse, in order.
    pub fn ranges(&self) -> impl Iterator<Item = GuestRange> + '_ {
        self.regions.iter().map(|region| region.range)
    }
}
