//! The Switch's GPU driver (nvdrv), for hosts that emulate what is above it.
//!
//! ```text
//! nvmap_create, nvmap_alloc ─► handle: memory of the process, which the host maps in space PROCESS
//! space_open, space_initialize ─► address space ◄─ space_map_buffer, space_remap … : shows handles at GPU addresses
//! channel_open, channel_bind ─► channel in that address space
//! channel_submit ─► entries, and fences around them ─► syncpoints ─► events
//! ```
//! ```text
//! let process = GuestRange::new(PROCESS, address, size);
//! gpu.with_memory(|memory| unsafe { memory.map_host(process, pointer, Access::READ_WRITE) })?;
//! let map = gpu.nvmap_create(0x10_0000)?;
//! gpu.nvmap_alloc(map, MapMemory { address, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })?;
//! let space = gpu.space_open()?;
//! gpu.space_initialize(space, Layout::default())?;
//! let buffer = gpu.space_map_buffer(space, MapBuffer { handle: map, ..MapBuffer::default() })?;
//! let channel = gpu.channel_open()?;
//! gpu.channel_bind(channel, space)?;
//! let fence = gpu.channel_submit(channel, &entries, submit_flags::FENCE_GET, Fence::default())?;
//! ```
//! A host that emulates the `nvdrv` service hands over what its guest passes instead: `nvdrv_open` and `nvdrv_ioctl`
//! take a path, the number of a request and its bytes, and make the same calls.
//!
//! Sources: see [`triglyph_guest::tegra::driver`]. Facts and choices are in `docs/reference/tegra.md`.

mod call;
mod file;
mod ioctl;
mod map;
mod place;
mod queue;
mod saved;
mod space;

use std::collections::BTreeMap;

pub use file::Transfer;
pub(crate) use saved::SavedDriver;
pub use triglyph_guest::tegra::driver::{Buffer, Fence, Freed, Layout, MapBuffer, MapMemory, Region, Remap, Wait};

use file::File;
use map::Handle;
use queue::Queues;
use space::AddressSpace;

/// Address space of the process's own memory, by the addresses that it passes to the driver.
pub const PROCESS: u32 = 1;

/// Bits of an address of the process.
pub const PROCESS_MASK: u64 = (1 << 48) - 1;

/// The first of the address spaces that clients open; 0 is that of captures.
const FIRST_SPACE: u32 = 2;

/// Of channels that no client has bound yet.
pub(crate) const NO_SPACE: u32 = u32::MAX;

/// Address spaces at most.
const SPACES: u32 = 256;

/// What clients of the driver have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driver {
    maps: BTreeMap<u32, Handle>,
    spaces: BTreeMap<u32, AddressSpace>,
    queues: Queues,
    /// Devices that clients have opened, by the number of the file.
    files: BTreeMap<u32, File>,
}
