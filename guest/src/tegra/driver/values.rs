//! Arguments and results of the driver's calls.

use std::time::Duration;

use super::layout::BIG_PAGE;
use super::{Status, map_flags};
use crate::argument;
use crate::id::{EventSlot, NvmapHandle, SyncpointId};

/// How an address space is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a big page, 0x10000 or 0x20000; 0 takes the latter.
    pub big_page: u64,
    /// First address; this and the two that follow all 0 take what the driver takes.
    pub start: u64,
    /// Where big pages begin.
    pub split: u64,
    /// The end, exclusive.
    pub end: u64,
}
argument!(Layout { big_page, start, split, end });

impl Default for Layout {
    fn default() -> Self {
        Layout { big_page: BIG_PAGE, start: 0, split: 0, end: 0 }
    }
}

/// Arguments of MAP_BUFFER_EX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapBuffer {
    /// [`map_flags`].
    pub flags: u32,
    /// Page kind; [`map_flags::DEFAULT_KIND`] is that of the handle.
    pub kind: u32,
    /// The handle; not used with [`map_flags::MODIFY`].
    pub handle: NvmapHandle,
    /// First byte of it that is shown; with [`map_flags::MODIFY`] the first byte of the mapping that changes.
    pub buffer_offset: u64,
    /// Bytes; 0 for all.
    pub size: u64,
    /// With [`map_flags::FIXED`] or [`map_flags::MODIFY`] the GPU address.
    pub offset: u64,
}
argument!(MapBuffer { flags, kind, handle, buffer_offset, size, offset });

impl Default for MapBuffer {
    fn default() -> Self {
        MapBuffer {
            flags: 0,
            kind: map_flags::DEFAULT_KIND,
            handle: NvmapHandle::default(),
            buffer_offset: 0,
            size: 0,
            offset: 0,
        }
    }
}

/// Where MAP_BUFFER_EX has mapped a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// GPU address.
    pub offset: u64,
    /// Bytes of its pages.
    pub page_size: u64,
}

/// One entry of the REMAP call, in pages of 64 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remap {
    /// Page kind; 0xFF and above say that of the handle.
    pub kind: u16,
    /// The handle; 0 shows nothing any more.
    pub handle: NvmapHandle,
    /// First page of the handle.
    pub handle_page: u32,
    /// First page of the address space.
    pub space_page: u32,
    /// Pages.
    pub pages: u32,
}
argument!(Remap { kind, handle, handle_page, space_page, pages });

/// One answer of GET_VA_REGIONS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub offset: u64,
    /// Bytes of a page.
    pub page_size: u64,
    /// Pages.
    pub pages: u64,
}

/// Memory that the ALLOC call attaches to a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapMemory {
    /// Address in the process; 0 leaves the handle without memory.
    pub address: u64,
    /// Alignment in bytes, a power of two; below 4 KiB it is 4 KiB.
    pub align: u32,
    /// Mask of heaps; only told.
    pub heap: u32,
    /// Bit 0: the processor's caches. Nothing that the GPU sees depends on it.
    pub flags: u32,
    /// Page kind; 0xFF says none.
    pub kind: u8,
}
argument!(MapMemory { address, align, heap, flags, kind });

/// Answer of FREE to the last owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// Address of the memory in the process, 0 for none.
    pub address: u64,
    /// Bytes, as it was created.
    pub size: u32,
    /// Whether others still have the handle. Address spaces keep what they show either way.
    pub in_use: bool,
}

/// A value that a syncpoint reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// The syncpoint.
    pub syncpoint: SyncpointId,
    /// The value.
    pub value: u32,
}
argument!(Fence { syncpoint, value });

/// A timeout in microseconds, as clients pass it; a negative one is none: they wait for as long as it takes.
pub fn timeout(microseconds: i32) -> Option<Duration> {
    u64::try_from(microseconds).ok().map(Duration::from_micros)
}

/// Answer of EVENT_WAIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The fence has been reached; the syncpoint's value.
    Reached(u32),
    /// TIMEOUT: the event of this slot is armed; the value names it to QueryEvent.
    Armed {
        /// The slot.
        slot: EventSlot,
        /// The result of the call.
        value: u32,
    },
}

impl Wait {
    /// Puts the value that the client is told in its place, and the status that it is told with.
    ///
    /// # Errors
    /// [`Status::Timeout`] where an event is armed.
    pub fn answer(self, place: &mut u32) -> Result<(), Status> {
        let (value, status) = match self {
            Wait::Reached(value) => (value, Ok(())),
            Wait::Armed { value, .. } => (value, Err(Status::Timeout)),
        };
        *place = value;
        status
    }
}
