//! Handles, classes and DMA objects.
//!
//! Programs name objects by 32-bit handles; a hash table in instance memory leads from a handle to an object: a DMA object
//! (a range of memory) or an engine object (a class that subchannels are bound to).

/// Class numbers.
pub mod class {
    /// Null: nothing behind the handle.
    pub const NULL: u32 = 0x30;
    /// A range that engines read.
    pub const DMA_FROM_MEMORY: u32 = 0x02;
    /// A range that engines write.
    pub const DMA_TO_MEMORY: u32 = 0x03;
    /// A range that engines read and write.
    pub const DMA_IN_MEMORY: u32 = 0x3D;
    /// Copies lines of bytes.
    pub const MEMORY_TO_MEMORY: u32 = 0x0039;
    /// Source and target of 2D operations, as drivers of the generation before name it; same methods.
    pub const SURFACES_2D_NV10: u32 = 0x0062;
    /// Source and target of 2D operations.
    pub const SURFACES_2D: u32 = 0x3062;
    /// A swizzled target of 2D operations.
    pub const SURFACE_SWIZZLED: u32 = 0x309E;
    /// Pixels from the push buffer.
    pub const IMAGE_FROM_CPU: u32 = 0x308A;
    /// A scaled image from memory.
    pub const SCALED_IMAGE: u32 = 0x3089;
    /// 3D.
    pub const CURIE: u32 = 0x4097;

    /// Whether objects of this class are ranges of memory.
    pub const fn is_dma(class: u32) -> bool {
        matches!(class, DMA_FROM_MEMORY | DMA_TO_MEMORY | DMA_IN_MEMORY)
    }

    /// A short name for people, if the class is known.
    pub const fn name(class: u32) -> Option<&'static str> {
        Some(match class {
            NULL => "null",
            DMA_FROM_MEMORY => "dma-from-memory",
            DMA_TO_MEMORY => "dma-to-memory",
            DMA_IN_MEMORY => "dma-in-memory",
            MEMORY_TO_MEMORY => "memory-to-memory",
            SURFACES_2D_NV10 | SURFACES_2D => "surfaces-2d",
            SURFACE_SWIZZLED => "surface-swizzled",
            IMAGE_FROM_CPU => "image-from-cpu",
            SCALED_IMAGE => "scaled-image",
            CURIE => "curie",
            _ => return None,
        })
    }
}
