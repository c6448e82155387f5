//! Handles of the process's memory: `/dev/nvmap`.

use triglyph::tegra::{Freed, MapMemory, map_param};

use crate::error::Failure;
use crate::forward::{Take, Tell};

/// The properties that the ALLOC call attaches to a handle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_memory {
    /// Address in the process; 0 leaves the handle without memory.
    pub address: u64,
    /// Alignment in bytes, a power of two; below 4 KiB it is 4 KiB.
    pub align: u32,
    /// Mask of heaps; only told.
    pub heap: u32,
    /// Bit 0: the processor's caches.
    pub flags: u32,
    /// Page kind, up to 255; 0xFF says none.
    pub kind: u32,
}

/// The result of the FREE call for the last owner of a handle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_freed {
    /// Address of the memory in the process, 0 for none.
    pub address: u64,
    /// Bytes, as it was created.
    pub size: u32,
    /// Whether others still have the handle: 1 or 0.
    pub in_use: u32,
}

/// A parameter of a handle: bytes.
pub const TRIGLYPH_TEGRA_PARAM_SIZE: u32 = 1;
/// Alignment.
pub const TRIGLYPH_TEGRA_PARAM_ALIGNMENT: u32 = 2;
/// Base.
pub const TRIGLYPH_TEGRA_PARAM_BASE: u32 = 3;
/// Heap mask.
pub const TRIGLYPH_TEGRA_PARAM_HEAP: u32 = 4;
/// Page kind.
pub const TRIGLYPH_TEGRA_PARAM_KIND: u32 = 5;
/// Compression.
pub const TRIGLYPH_TEGRA_PARAM_COMPRESSION: u32 = 6;

const _: () = {
    assert!(TRIGLYPH_TEGRA_PARAM_SIZE == map_param::SIZE && TRIGLYPH_TEGRA_PARAM_ALIGNMENT == map_param::ALIGNMENT);
    assert!(TRIGLYPH_TEGRA_PARAM_BASE == map_param::BASE && TRIGLYPH_TEGRA_PARAM_HEAP == map_param::HEAP);
    assert!(TRIGLYPH_TEGRA_PARAM_KIND == map_param::KIND);
    assert!(TRIGLYPH_TEGRA_PARAM_COMPRESSION == map_param::COMPRESSION);
};

impl Take<triglyph_tegra_memory> for MapMemory {
    fn take(memory: triglyph_tegra_memory) -> Result<Self, Failure> {
        let triglyph_tegra_memory { address, align, heap, flags, kind } = memory;
        let kind = u8::try_from(kind).map_err(|_| Failure::invalid(format!("page kind {kind:#x}")))?;
        Ok(MapMemory { address, align, heap, flags, kind })
    }
}

impl Tell<(triglyph_tegra_freed,)> for Freed {
    fn tell(self) -> (triglyph_tegra_freed,) {
        let Freed { address, size, in_use } = self;
        (triglyph_tegra_freed { address, size, in_use: in_use.into() },)
    }
}
