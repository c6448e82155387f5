//! Guest addresses and ranges of them, as values.

/// The address of a byte of guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuestAddr {
    /// Address space.
    pub space: u32,
    /// Address in it, in bytes.
    pub address: u64,
}

impl GuestAddr {
    /// The address `bytes` further on; beyond the last address nothing is mapped, so the sum saturates.
    pub const fn after(self, bytes: u64) -> GuestAddr {
        GuestAddr { space: self.space, address: self.address.saturating_add(bytes) }
    }
}

/// A range of guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuestRange {
    /// First byte.
    pub start: GuestAddr,
    /// Bytes.
    pub size: u64,
}

impl GuestRange {
    /// `size` bytes at an address of a space.
    pub const fn new(space: u32, address: u64, size: u64) -> GuestRange {
        GuestRange { start: GuestAddr { space, address }, size }
    }

    /// The address after the last byte, in the range's space; saturates.
    pub const fn end(self) -> u64 {
        self.start.address.saturating_add(self.size)
    }
}
