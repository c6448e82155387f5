//! Access rights of the GPU to memory.

/// Access rights of the GPU to a mapped range. The host may always read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The GPU may read.
    pub read: bool,
    /// The GPU may write.
    pub write: bool,
}

impl Access {
    /// Readable and writable.
    pub const READ_WRITE: Access = Access { read: true, write: true };
    /// Readable only.
    pub const READ: Access = Access { read: true, write: false };

    /// From a MAP record's flags: bit 0 readable, bit 1 writable, others ignored.
    pub const fn from_bits(bits: u32) -> Self {
        Access { read: bits & 1 != 0, write: bits & 2 != 0 }
    }

    /// The inverse of [`Self::from_bits`].
    pub const fn bits(self) -> u32 {
        self.read as u32 | (self.write as u32) << 1
    }
}
