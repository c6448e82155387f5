//! Functions that only the Tegra X1 has.

pub mod calls;
pub mod channel;
pub mod nvdrv;
pub mod nvmap;
pub mod space;

use triglyph::tegra::{Fence, Status};
use triglyph::{Machine, TegraX1};

use super::error::triglyph_status;
use super::forward::{CallResult, Tell};
use super::handle::{
    Gpu, MachineHandle, Recording, create, destroy_machine, device_of, machine_handle, triglyph_device, with_machine,
};
use super::options::triglyph_options;
use super::pointer::{Out, put_found};

/// A Tegra X1's GPU, and the Switch's driver (nvdrv) in front of it.
pub struct triglyph_tegra {
    device: triglyph_device,
}

machine_handle!(triglyph_tegra: TegraX1, Tegra, TegraX1);

/// The address space of the process's own memory, by the addresses that it passes to the driver; the host maps it.
pub const TRIGLYPH_TEGRA_SPACE_PROCESS: u32 = 1;

const _: () = assert!(TRIGLYPH_TEGRA_SPACE_PROCESS == triglyph::tegra::PROCESS);

/// The results of the driver's calls for the guest.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_tegra_result {
    /// Done.
    Success = 0,
    /// There is no such call.
    NotImplemented = 1,
    /// Not for this device.
    NotSupported = 2,
    /// The address space was not initialised.
    NotInitialized = 3,
    /// A parameter that no call takes.
    BadParameter = 4,
    /// It has not happened yet.
    Timeout = 5,
    /// No room.
    InsufficientMemory = 6,
    /// Not now.
    InvalidState = 8,
    /// Memory that is not there.
    InvalidAddress = 9,
    /// A size that cannot be.
    InvalidSize = 10,
    /// A value that cannot be.
    BadValue = 11,
    /// It exists already.
    AlreadyAllocated = 13,
    /// Others use it.
    Busy = 14,
    /// There is no such setting.
    NoConfiguration = 0x30006,
    /// There is no such device, or no file of this number.
    NoFile = 0x30013,
}

/// A value that a syncpoint reaches.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_fence {
    /// The syncpoint.
    pub syncpoint: u32,
    /// The value.
    pub value: u32,
}

impl From<triglyph_tegra_fence> for Fence {
    fn from(fence: triglyph_tegra_fence) -> Self {
        Fence { syncpoint: fence.syncpoint.into(), value: fence.value }
    }
}

impl CallResult for Status {
    type C = u32;

    fn number(&self) -> u32 {
        *self as u32
    }
}

impl Tell<(triglyph_tegra_fence,)> for Fence {
    fn tell(self) -> (triglyph_tegra_fence,) {
        (triglyph_tegra_fence { syncpoint: self.syncpoint.get(), value: self.value },)
    }
}

/// Makes a Tegra X1 with nothing mapped and no channels. It belongs to the caller, who destroys it with
/// `triglyph_tegra_destroy`.
///
/// Errors: as `triglyph_device_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_create(
    options: *const triglyph_options,
    tegra: Out<'_, *mut triglyph_tegra>,
) -> triglyph_status {
    // SAFETY: the header asks callers for null or a structure that begins with its size.
    unsafe { create(options, tegra, "tegra", |_| Ok(())) }
}

/// Destroys a Tegra X1, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_destroy(tegra: *mut triglyph_tegra) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy_machine(tegra) }
}

/// The device of a Tegra X1, for the calls that all machines have; null for null. It is borrowed: it is destroyed with
/// the Tegra X1.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_device(tegra: Option<&triglyph_tegra>) -> *const triglyph_device {
    device_of(tegra)
}

/// The process's address of what the GPU sees at `address` of an address space; `found` is false where nothing of the
/// process is mapped.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_process_address(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    address: u64,
    process: Out<'_, u64>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(tegra, |tegra| put_found(tegra.process_address(space.into(), address), process, found))
}
