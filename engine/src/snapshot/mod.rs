//! Snapshots: the whole state of a device as bytes, for save states, rewinding and recordings that begin mid-run.
//!
//! ```text
//! Device::snapshot ─► a section for each part ─► header, checksum ─► bytes
//! bytes ─► header, checksum ─► sections decoded and checked ─► Device::restore: everything or nothing
//! ```
//! | offset | header | section |
//! |---|---|---|
//! | 0 | `TGLS` | `u32` kind |
//! | 4 | `u32` version, 1 | `u32` version of the kind |
//! | 8 | `u32` machine, as in captures | `u32` encoding: 0 raw, 2 one LZ4 block |
//! | 12 | `u32` number of sections | `u32` 0 |
//! | 16 | `u64` bytes after the header | `u64` bytes once decoded |
//! | 24 | `u64` XXH3 of all bytes but these eight | `u64` bytes stored; they follow |
//!
//! The contents of a section are encoded by `borsh`: integers little-endian, lengths as `u32` in front. Floats are kept
//! as their bits. What a host chooses (tiers, threads, limits, policies), counters and compiled kernels are no state.

mod encode;
mod memory;
mod sections;

pub use crate::mem::Mapping;
/// The encoding of structures that [`state!`](crate::state) declares.
pub use borsh;

pub use crate::state;
pub use encode::{bits, floats};
pub use memory::{MAPS, MemoryImage, PAGES, mappings};
pub use sections::{SectionKind, Sections, Writer, broken};

/// The contents of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotOptions {
    /// Guest memory: mappings and their contents, pages of zeros left out. Without it the host keeps guest memory, and
    /// puts it back before [`restore`](crate::Device::restore).
    pub memory: bool,
    /// Whether sections are compressed, with LZ4.
    pub compressed: bool,
}

impl Default for SnapshotOptions {
    /// Everything, compressed.
    fn default() -> Self {
        SnapshotOptions { memory: true, compressed: true }
    }
}

impl SnapshotOptions {
    /// Without guest memory.
    pub const REGISTERS: SnapshotOptions = SnapshotOptions { memory: false, compressed: true };

    /// The same with guest memory or without it.
    pub const fn with_memory(self, memory: bool) -> Self {
        SnapshotOptions { memory, ..self }
    }

    /// The same with sections compressed or as they are.
    pub const fn with_compression(self, compressed: bool) -> Self {
        SnapshotOptions { compressed, ..self }
    }
}
