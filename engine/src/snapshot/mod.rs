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
//! | 8 | `u32` machine, as in captures | `u32` encoding: 0 raw, 1 one zstd frame |
//! | 12 | `u32` number of sections | `u32` 0 |
//! | 16 | `u64` bytes behind the header | `u64` bytes once decoded |
//! | 24 | `u64` XXH3 of all bytes but these eight | `u64` bytes stored; they follow |
//!
//! What is inside of a section is encoded by `borsh`: integers little-endian, lengths as `u32` in front. Floats are
//! kept as their bits. What a host chooses (tiers, threads, limits, policies), counters and compiled kernels are no
//! state.

mod encode;
mod memory;
mod sections;

pub use crate::mem::Mapping;
pub(crate) use encode::{bits, floats, state};
pub use memory::mappings;
pub(crate) use memory::{MAPS, MemoryImage, PAGES, save_memory};
pub(crate) use sections::{SectionKind, Sections, Writer, broken};

use crate::capture::Compression;

/// What goes into a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Guest memory: what is mapped and what it holds, pages of zeros left out. Without it the host keeps guest memory,
    /// and puts it back before [`restore`](crate::Device::restore).
    pub memory: bool,
    /// Whether sections are compressed.
    pub compression: Compression,
}

impl Default for SnapshotOptions {
    /// Everything, compressed at the fastest level.
    fn default() -> Self {
        SnapshotOptions { memory: true, compression: Compression::Zstd(1) }
    }
}

impl SnapshotOptions {
    /// Without guest memory.
    pub const REGISTERS: SnapshotOptions = SnapshotOptions { memory: false, compression: Compression::Zstd(1) };
}
