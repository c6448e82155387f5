//! Devices that clients have open, and what their ioctls bring.

use triglyph_guest::tegra::driver::DeviceFile;

/// A device that a client has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub device: DeviceFile,
    /// Its address space or channel; 0 for other devices.
    pub object: u32,
    /// What the client keeps with it.
    pub user_data: u64,
}

/// The bytes that an ioctl brings, and where its answers go.
#[derive(Debug, Default)]
pub struct Transfer<'t> {
    /// The argument of the ioctl, in and out.
    pub buffer: &'t mut [u8],
    /// The second buffer of Ioctl2; empty otherwise.
    pub inline_in: &'t [u8],
    /// The second buffer of Ioctl3; empty otherwise.
    pub inline_out: &'t mut [u8],
}
