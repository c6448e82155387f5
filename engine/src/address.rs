//! Guest addresses and ranges of them, as values.

use std::fmt;

/// The address of a byte of guest memory; sorted by space, then by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuestAddr {
    /// Address space, as the machine and its captures number them; 0 where there is only one.
    pub space: u32,
    /// Address in it, in bytes.
    pub address: u64,
}

impl GuestAddr {
    /// An address of a space.
    #[inline]
    pub const fn new(space: u32, address: u64) -> GuestAddr {
        GuestAddr { space, address }
    }

    /// The address `bytes` further on; beyond the last address nothing is mapped, so the sum saturates.
    #[inline]
    pub const fn after(self, bytes: u64) -> GuestAddr {
        GuestAddr { space: self.space, address: self.address.saturating_add(bytes) }
    }

    /// The `size` bytes from here on.
    #[inline]
    pub const fn range(self, size: u64) -> GuestRange {
        GuestRange { start: self, size }
    }
}

/// `space 0 0x1000`.
impl fmt::Display for GuestAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "space {} {:#x}", self.space, self.address)
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
    #[inline]
    pub const fn new(space: u32, address: u64, size: u64) -> GuestRange {
        GuestAddr { space, address }.range(size)
    }

    /// The address after the last byte, in the range's space; saturates.
    #[inline]
    pub const fn end(self) -> u64 {
        self.start.address.saturating_add(self.size)
    }

    /// Whether both have an address in common; the same memory at other addresses does not count.
    #[inline]
    pub fn overlaps(self, other: GuestRange) -> bool {
        let (a, b) = (self.start, other.start);
        a.space == b.space && a.address < other.end() && b.address < self.end()
    }
}

/// `space 0 0x1000, 0x40 bytes`.
impl fmt::Display for GuestRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:#x} bytes", self.start, self.size)
    }
}
