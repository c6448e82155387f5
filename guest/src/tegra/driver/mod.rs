//! The Switch's GPU driver (nvdrv) as its clients see it: answers, flags, sizes.
//!
//! | device | here |
//! |---|---|
//! | `/dev/nvmap` | handles of process memory: [`map_param`] |
//! | `/dev/nvhost-as-gpu` | address spaces: [`space_flags`], [`map_flags`], [`layout`] |
//! | `/dev/nvhost-gpu` | channels: [`submit_flags`] |
//! | `/dev/nvhost-ctrl` | syncpoints, events: [`event`] |
//! | `/dev/nvhost-ctrl-gpu` | [`CHARACTERISTICS`], [`ZCULL_INFO`] |
//!
//! [`calls`] is the table of all calls.
//!
//! Sources: the switchbrew wiki (NV services, GPU); what the emulators yuzu and Ryujinx answer, where they agree; the
//! Linux driver nvgpu, of which nvdrv is a port, for what overlaps.

pub mod calls;
mod values;

pub use calls::DeviceFile;
pub use values::{Buffer, Fence, Freed, Layout, MapBuffer, MapMemory, Region, Remap, Wait, timeout};

/// The result of a call that fails. Success is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[repr(u32)]
#[non_exhaustive]
pub enum Status {
    /// The call does not exist.
    #[error("nvdrv NotImplemented (1): the call does not exist")]
    NotImplemented = 1,
    /// The device does not support the call.
    #[error("nvdrv NotSupported (2): the device does not support the call")]
    NotSupported = 2,
    /// The address space is not initialised.
    #[error("nvdrv NotInitialized (3): the address space is not initialised")]
    NotInitialized = 3,
    /// A parameter names no object.
    #[error("nvdrv BadParameter (4): a parameter names no object")]
    BadParameter = 4,
    /// The event did not happen within the timeout.
    #[error("nvdrv Timeout (5): the event did not happen within the timeout")]
    Timeout = 5,
    /// The memory or the address space is used up.
    #[error("nvdrv InsufficientMemory (6): the memory or the address space is used up")]
    InsufficientMemory = 6,
    /// The object is not in a state that allows the call.
    #[error("nvdrv InvalidState (8): the object is not in a state that allows the call")]
    InvalidState = 8,
    /// The memory at the address does not exist.
    #[error("nvdrv InvalidAddress (9): the memory at the address does not exist")]
    InvalidAddress = 9,
    /// The size is not allowed.
    #[error("nvdrv InvalidSize (0xA): the size is not allowed")]
    InvalidSize = 0xA,
    /// A value is not allowed.
    #[error("nvdrv BadValue (0xB): a value is not allowed")]
    BadValue = 0xB,
    /// The object exists already.
    #[error("nvdrv AlreadyAllocated (0xD): the object exists already")]
    AlreadyAllocated = 0xD,
    /// The object is in use.
    #[error("nvdrv Busy (0xE): the object is in use")]
    Busy = 0xE,
    /// The setting does not exist.
    #[error("nvdrv ConfigVarNotFound (0x30006): the setting does not exist")]
    NoConfiguration = 0x3_0006,
    /// The device does not exist, or no file has this number.
    #[error("nvdrv FileNotFound (0x30013): the device or the file does not exist")]
    NoFile = 0x3_0013,
}

/// Sizes and places of address spaces.
pub mod layout {
    /// Bytes of a small page.
    pub const SMALL_PAGE: u64 = 0x1000;
    /// Bytes of a big page, unless a client asks otherwise.
    pub const BIG_PAGE: u64 = 0x2_0000;
    /// The sizes of big pages that there are.
    pub const BIG_PAGES: [u64; 2] = [0x1_0000, 0x2_0000];
    /// First address of a space: so many big pages, log2.
    pub const START_LOG2: u32 = 10;
    /// Small pages are below, big ones above.
    pub const SPLIT: u64 = 1 << 34;
    /// End of the addresses that the driver gives out.
    pub const END: u64 = 1 << 37;
    /// Bytes of a page of the REMAP call, whatever the size of big pages (wiki; yuzu scales by the latter).
    pub const REMAP_PAGE: u64 = 0x1_0000;
}

/// Flags of ALLOC_SPACE.
pub mod space_flags {
    /// The caller names the address.
    pub const FIXED: u32 = 1;
    /// All of it reads 0 and swallows writes until something is mapped there.
    pub const SPARSE: u32 = 2;
}

/// Flags of MAP_BUFFER_EX.
pub mod map_flags {
    /// The caller names the address, which lies in allocated space.
    pub const FIXED: u32 = 1;
    /// Caches; without visible effect.
    pub const CACHEABLE: u32 = 1 << 2;
    /// Changes the kind of what is mapped.
    pub const MODIFY: u32 = 1 << 8;
    /// The kind that says: that of the handle.
    pub const DEFAULT_KIND: u32 = u32::MAX;
}

/// Parameters of a handle that clients can ask for.
pub mod map_param {
    /// Bytes.
    pub const SIZE: u32 = 1;
    /// Alignment.
    pub const ALIGNMENT: u32 = 2;
    /// Base; 0.
    pub const BASE: u32 = 3;
    /// Heap mask.
    pub const HEAP: u32 = 4;
    /// Page kind.
    pub const KIND: u32 = 5;
    /// Compression; 0.
    pub const COMPRESSION: u32 = 6;
}

/// Flags of SUBMIT_GPFIFO.
pub mod submit_flags {
    /// The work begins when the given fence has been reached.
    pub const FENCE_WAIT: u32 = 1;
    /// The channel's syncpoint counts the end of the work.
    pub const FENCE_GET: u32 = 1 << 1;
    /// Fences are syncpoints.
    pub const HARDWARE_FORMAT: u32 = 1 << 2;
    /// The end does not wait for the engines.
    pub const SUPPRESS_WFI: u32 = 1 << 4;
    /// The value of the given fence says how often the work itself counts the channel's syncpoint.
    pub const INCREMENT_VALUE: u32 = 1 << 8;
    /// How often the end of the work is counted with [`FENCE_GET`].
    pub const INCREMENTS: u32 = 2;
}

/// Events that syncpoints signal.
pub mod event {
    /// Slots for events.
    pub const SLOTS: u32 = 64;

    /// The result of EVENT_WAIT with TIMEOUT when it has armed a slot that it chose itself.
    pub const fn allocated(syncpoint: u32, slot: u32) -> u32 {
        (syncpoint & 0xFFF) << 16 | 1 << 28 | slot & 0xFFFF
    }

    /// The result when the client chose the slot.
    pub const fn chosen(syncpoint: u32, slot: u32) -> u32 {
        syncpoint << 4 | slot & 0xF
    }

    /// The slot that such a value names to QueryEvent.
    pub const fn slot(value: u32) -> u32 {
        if value >> 28 == 1 { value & 0xFFFF } else { value & 0xF }
    }
}

/// Priorities that SET_PRIORITY takes: low, medium, high (libnx).
pub const PRIORITIES: [u32; 3] = [50, 100, 150];

/// Microseconds that SET_TIMESLICE takes.
pub const TIMESLICES: std::ops::RangeInclusive<u32> = 1000..=50_000;

/// Classes that ALLOC_OBJ_CTX takes besides those that have methods: KEPLER_DMA_COPY_A (nvgpu) and
/// MAXWELL_CHANNEL_GPFIFO_A (Eden), the class of channels themselves.
pub const OTHER_CLASSES: [u32; 2] = [0xA0B5, 0xB06F];

/// Of each multiprocessor the numbers of its graphics and of its texture processing cluster.
pub const MULTIPROCESSORS: [[u8; 2]; 2] = [[0, 0], [0, 1]];

/// Syncpoints that displays count and that no channel gets (yuzu, from the Tegra's display driver).
pub const VBLANK_SYNCPOINTS: [u32; 2] = [26, 27];

/// The results of GET_CHARACTERISTICS about the GPU, in its order; numbers that are 64 bits wide in the structure are
/// here, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Characteristics {
    /// Architecture, 0x120 for GM20x.
    pub arch: u32,
    /// Implementation, 0xB for the GM20B; the later revision of the console has 0xE.
    pub implementation: u32,
    /// Revision.
    pub revision: u32,
    /// Graphics processing clusters.
    pub num_gpc: u32,
    /// Bytes of the second cache.
    pub l2_cache_size: u64,
    /// Bytes of memory of its own.
    pub video_memory_size: u64,
    /// Texture processing clusters of a GPC.
    pub num_tpc_per_gpc: u32,
    /// 0x20: AXI.
    pub bus_type: u32,
    /// Bytes of a big page.
    pub big_page_size: u32,
    /// Bytes of a page of compressed memory.
    pub compression_page_size: u32,
    /// Bits of an address that an entry of the page directory covers.
    pub pde_coverage_bit_count: u32,
    /// Sizes of big pages that can be asked for.
    pub available_big_page_sizes: u32,
    /// Mask of GPCs.
    pub gpc_mask: u32,
    /// Version of the multiprocessors.
    pub sm_version: u32,
    /// Version of shader programs.
    pub spa_version: u32,
    /// Warps of a multiprocessor.
    pub warp_count: u32,
    /// Bits of a GPU virtual address.
    pub va_bit_count: u32,
    /// Padding.
    pub reserved: u32,
    /// Flags.
    pub flags: u64,
    /// Class numbers: 2D, 3D, compute, GPFIFO, inline transfers, copies.
    pub classes: [u32; 6],
    /// Frame buffer partitions that are there.
    pub max_fbps_count: u32,
    /// Mask of them.
    pub fbp_en_mask: u32,
    /// Slices of the second cache.
    pub max_ltc_per_fbp: u32,
    /// Slices of such a slice.
    pub max_lts_per_ltc: u32,
    /// Texture units of a TPC.
    pub max_tex_per_tpc: u32,
    /// GPCs at most.
    pub max_gpc_count: u32,
    /// Mask of render output units.
    pub rop_l2_en_mask: [u32; 2],
    /// Name: `gm20b`.
    pub chip_name: u64,
    /// Base of the compression bits' store; 0.
    pub compbit_store_base: u64,
}

/// The Tegra X1's (wiki; both emulators answer so).
pub const CHARACTERISTICS: Characteristics = Characteristics {
    arch: 0x120,
    implementation: 0xB,
    revision: 0xA1,
    num_gpc: 1,
    l2_cache_size: 0x4_0000,
    video_memory_size: 0,
    num_tpc_per_gpc: 2,
    bus_type: 0x20,
    big_page_size: 0x2_0000,
    compression_page_size: 0x2_0000,
    pde_coverage_bit_count: 0x1B,
    available_big_page_sizes: 0x3_0000,
    gpc_mask: 1,
    sm_version: 0x503,
    spa_version: 0x503,
    warp_count: 0x80,
    va_bit_count: 0x28,
    reserved: 0,
    flags: 0x55,
    classes: [0x902D, 0xB197, 0xB1C0, 0xB06F, 0xA140, 0xB0B5],
    max_fbps_count: 1,
    fbp_en_mask: 0,
    max_ltc_per_fbp: 2,
    max_lts_per_ltc: 1,
    max_tex_per_tpc: 0,
    max_gpc_count: 1,
    rop_l2_en_mask: [0x2_1D70, 0],
    chip_name: 0x62_3032_6D67,
    compbit_store_base: 0,
};

const _: () = assert!(size_of::<Characteristics>() == 0xA0);

/// The results of ZCULL_GET_INFO: width and height alignment in pixels, pixel squares by aliquots, aliquots, bytes of a
/// region's multiplier, header and subregion header, width and height alignment and count of subregions (libnx).
pub const ZCULL_INFO: [u32; 10] = [0x20, 0x20, 0x400, 0x800, 0x20, 0x20, 0xC0, 0x20, 0x40, 0x10];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_name_their_slots() {
        assert_eq!((event::allocated(5, 63), event::slot(event::allocated(5, 63))), (0x1005_003F, 63));
        assert_eq!((event::chosen(5, 9), event::slot(event::chosen(5, 9))), (0x59, 9));
    }

    #[test]
    fn the_chip_has_its_name() {
        assert_eq!(&CHARACTERISTICS.chip_name.to_le_bytes(), b"gm20b\0\0\0");
        assert_eq!(CHARACTERISTICS.available_big_page_sizes as u64, layout::BIG_PAGES.iter().sum::<u64>());
    }
}
