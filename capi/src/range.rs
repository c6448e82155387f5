//! A range of guest memory as C sees it.

use triglyph::{GuestAddr, GuestRange};

/// Bytes of guest memory in an address space.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_range {
    /// The address space: `TRIGLYPH_N3DS_SPACE_PHYSICAL` and the other on the 3DS; `TRIGLYPH_RSX_SPACE_LOCAL` and the
    /// others on the PS3; on the Tegra X1 0 for captures, `TRIGLYPH_TEGRA_SPACE_PROCESS`, and those that the driver
    /// opens.
    pub space: u32,
    /// 0.
    pub reserved: u32,
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

impl From<GuestRange> for triglyph_range {
    fn from(range: GuestRange) -> Self {
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        triglyph_range { space, reserved: 0, address, size }
    }
}
