//! The hypervisor's side of the GPU (Cell OS Lv-1): calls, handles, pages. Everything in memory is big-endian.
//!
//! Sources: the PS3 developer wiki's `lv1_gpu_*` pages (dumps of consoles); Linux `ps3fb.c`, `lv1call.h`; Nucleus
//! `docs/technical/ps3/gpu.md` and `lv1_gpu`; RPCS3 `sys_rsx` for what Lv-2 programs see.

mod answer;
pub mod attribute;
pub mod calls;
pub mod event;
pub mod handle;
pub mod info;
pub mod page;

pub use answer::{Answer, ContextAllocation, MemoryAllocation, Outputs};

/// Why a call failed: the values of r3 that are not 0 (Linux `lv1call.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[repr(i32)]
#[non_exhaustive]
pub enum Status {
    /// A resource is used up.
    #[error("LV1_RESOURCE_SHORTAGE (-2): a resource is used up")]
    ResourceShortage = -2,
    /// The caller has no right to make the call.
    #[error("LV1_NO_PRIVILEGE (-3): the caller has no right to make the call")]
    NoPrivilege = -3,
    /// The object does not exist.
    #[error("LV1_NO_ENTRY (-6): the object does not exist")]
    NoEntry = -6,
    /// The object exists already.
    #[error("LV1_DUPLICATE_ENTRY (-7): the object exists already")]
    DuplicateEntry = -7,
    /// The object is in use.
    #[error("LV1_BUSY (-9): the object is in use")]
    Busy = -9,
    /// The object is not in a state that allows the call.
    #[error("LV1_WRONG_STATE (-11): the object is not in a state that allows the call")]
    WrongState = -11,
    /// A parameter has a value that is not supported.
    #[error("LV1_UNSUPPORTED_PARAMETER_VALUE (-15): a parameter has a value that is not supported")]
    UnsupportedParameterValue = -15,
    /// A parameter has a value that does not exist.
    #[error("LV1_ILLEGAL_PARAMETER_VALUE (-17): a parameter has a value that does not exist")]
    IllegalParameterValue = -17,
    /// An address or a size is not aligned.
    #[error("LV1_ALIGNMENT_ERROR (-23): an address or a size is not aligned")]
    AlignmentError = -23,
}

impl Status {
    /// The value of r3.
    pub const fn code(self) -> i64 {
        self as i32 as i64
    }
}

/// Flags of `context_allocate`. Bits without a name are stored and do nothing.
pub mod flags {
    /// The IO space is mapped by pages of 64 KiB instead of 1 MiB (Nucleus).
    pub const SMALL_PAGES: u64 = 0x02;
    /// Makes DMA objects for the emulation of the PlayStation 2's graphics synthesiser (hardware dump).
    pub const GRAPHICS_SYNTHESIZER: u64 = 0x04;
    /// Makes DMA objects of system semaphores (hardware dump).
    pub const SYSTEM_SEMAPHORES: u64 = 0x08;
    /// The push buffer lies in local memory (Nucleus).
    pub const LOCAL_PUSH_BUFFER: u64 = 0x10;
    /// Makes the DMA object of reports in main memory (hardware dump).
    pub const MAIN_REPORTS: u64 = 0x20;
    /// The IO space has 512 MiB instead of 256 (Nucleus).
    pub const LARGE_IO_SPACE: u64 = 0x400;
    /// No interrupt is let through at first (Nucleus).
    pub const MASK_INTERRUPTS: u64 = 0x800;
}

/// Limits of `memory_allocate`.
pub mod memory {
    /// Sizes are multiples of this.
    pub const UNIT: u64 = 1 << 20;
    /// Local memory that guests can have: the hypervisor has the top 4 MiB.
    pub const MAX_SIZE: u64 = 252 << 20;
    /// Most of the first resource; that these are compression tags is a guess.
    pub const P1: u64 = 512 << 10;
    /// Most of the second resource, memory for hierarchical depth (likely).
    pub const P2: u64 = 3075 << 10;
    /// Most tiles.
    pub const P3: u64 = 15;
    /// Most depth culling regions.
    pub const P4: u64 = 8;
}

/// Contexts that exist at a time: the hypervisor has three objects of the software class (Nucleus).
pub const CONTEXTS: usize = 3;

/// Local memory of the console.
pub const LOCAL_BYTES: u32 = 256 << 20;

/// Devices that `device_map` maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceInfo {
    /// Its number.
    pub id: u64,
    /// Bytes that are mapped.
    pub size: u64,
}

/// Devices that can be mapped (wiki). 0 (the registers) and 4 cannot; the sizes of 9 to 12, the performance counters,
/// are not documented and taken to be a page.
pub const DEVICES: [DeviceInfo; 11] = [
    DeviceInfo { id: 1, size: 0x1000 },
    DeviceInfo { id: 2, size: 0x8000 },
    DeviceInfo { id: 3, size: 0x1000 },
    DeviceInfo { id: 5, size: 0x1000 },
    DeviceInfo { id: 6, size: 0x1000 },
    DeviceInfo { id: 7, size: 0x1_0000 },
    DeviceInfo { id: 8, size: 0x1000 },
    DeviceInfo { id: 9, size: 0x1000 },
    DeviceInfo { id: 10, size: 0x1000 },
    DeviceInfo { id: 11, size: 0x1000 },
    DeviceInfo { id: 12, size: 0x1000 },
];

/// The device whose page GCM keeps semaphores in.
pub const SEMAPHORE_DEVICE: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_values_of_r3() {
        assert_eq!(Status::IllegalParameterValue.code(), -17);
    }
}
