//! Handles, classes and DMA objects.
//!
//! Programs name objects by 32-bit handles; a hash table in instance memory leads from a handle to an object: a DMA
//! object (a range of memory) or an engine object (a class that subchannels are bound to).

/// Class numbers.
pub mod class {
    /// Null: the handle of no object.
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
    /// No class of the chip: the class of the software engine's objects in tables that need a class for every object.
    pub const SOFTWARE: u32 = 0xCAFE_BABE;

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
            SOFTWARE => "software",
            _ => return None,
        })
    }
}

/// Bytes of a DMA object in instance memory.
pub const DMA_BYTES: u32 = 16;
/// Bytes of an engine object in instance memory.
pub const ENGINE_BYTES: u32 = 32;

/// Where the memory of a DMA object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Target {
    /// Local memory.
    Local = 0,
    /// Local memory, tiled (envytools). The tiles of the RSX show nowhere in this model, so the same.
    LocalTiled = 1,
    /// Main memory through the IO map.
    Pci = 2,
    /// Main memory through the IO map. Which of the two the RSX uses is not known; both mean the same here.
    Agp = 3,
}

impl Target {
    /// By the bits of the field.
    pub const fn from_bits(bits: u32) -> Target {
        match bits & 3 {
            0 => Target::Local,
            1 => Target::LocalTiled,
            2 => Target::Pci,
            _ => Target::Agp,
        }
    }

    /// Whether it is local memory.
    pub const fn is_local(self) -> bool {
        matches!(self, Target::Local | Target::LocalTiled)
    }
}

/// A DMA object in instance memory. Source: nouveau's `nvkm/engine/dma/nv04`.
///
/// | word | bits | field |
/// |---|---|---|
/// | 0 | 11:0 | class |
/// | 0 | 12 | there is a page table |
/// | 0 | 13 | its entry is that of all pages: the memory is linear |
/// | 0 | 15:14 | access: 0 both, 1 read, 2 write |
/// | 0 | 17:16 | target |
/// | 0 | 31:20 | low 12 bits of the first byte's address |
/// | 1 | 31:0 | offset of the last byte |
/// | 2, 3 | 31:12 | the other bits of the first byte's address |
/// | 2, 3 | 1:0 | 2 writable, 0 read only |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DmaWords {
    /// Class: [`class::is_dma`].
    pub class: u32,
    /// Where the memory is.
    pub target: Target,
    /// First byte.
    pub base: u32,
    /// Offset of the last byte.
    pub limit: u32,
    /// Whether its access field lets engines read.
    pub read: bool,
    /// Whether its access field lets engines write.
    pub write: bool,
}

impl DmaWords {
    /// An object with the access that its class asks for.
    pub const fn new(class: u32, target: Target, base: u32, limit: u32) -> DmaWords {
        let (read, write) = (class != class::DMA_TO_MEMORY, class != class::DMA_FROM_MEMORY);
        DmaWords { class, target, base, limit, read, write }
    }

    /// The object of three words; `None` when the class is no range of memory. Objects with page tables that are not
    /// linear are taken for linear ones: nothing on the RSX makes them.
    pub const fn decode(words: [u32; 3]) -> Option<DmaWords> {
        let [flags, limit, frame] = words;
        let class = flags & 0xFFF;
        if !class::is_dma(class) {
            return None;
        }
        let access = flags >> 14 & 3;
        Some(DmaWords {
            class,
            target: Target::from_bits(flags >> 16),
            base: (frame & !0xFFF).wrapping_add(flags >> 20),
            limit,
            read: access != 2 && class != class::DMA_TO_MEMORY,
            write: access != 1 && class != class::DMA_FROM_MEMORY,
        })
    }

    /// The words of the object.
    pub const fn encode(self) -> [u32; 4] {
        let access = match (self.read, self.write) {
            (true, false) => 1,
            (false, true) => 2,
            _ => 0,
        };
        let flags = self.class & 0xFFF | 3 << 12 | access << 14 | (self.target as u32) << 16 | self.base << 20;
        let frame = self.base & !0xFFF | if self.write { 2 } else { 0 };
        [flags, self.limit, frame, frame]
    }
}

/// The class of an engine object, from its first word. Source: nouveau's `nvkm/engine/gr/nv40`.
pub const fn engine_class(word: u32) -> u32 {
    word & 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dma_objects_come_back() {
        for (class, target) in [(0x02, Target::Local), (0x03, Target::Agp), (0x3D, Target::Pci)] {
            let object = DmaWords::new(class, target, 0x0FE0_1440, 0x3F);
            let words = object.encode();
            assert_eq!(words[2], words[3]);
            assert_eq!(DmaWords::decode([words[0], words[1], words[2]]), Some(object));
        }
        assert_eq!(DmaWords::new(0x3D, Target::Local, 0x0FE0_1440, 0x3F).encode()[0], 0x4400_303D);
        assert_eq!(DmaWords::decode([0x4097, 0, 0]), None);
        assert_eq!(DmaWords::decode([0; 3]), None);
    }

    #[test]
    fn classes_and_access_fields_both_limit() {
        let only = |class: u32, access: u32| {
            let object = DmaWords::decode([class | access << 14, 0, 0]).expect("a DMA object");
            (object.read, object.write)
        };
        assert_eq!(only(0x3D, 0), (true, true));
        assert_eq!(only(0x3D, 1), (true, false));
        assert_eq!(only(0x02, 0), (true, false));
        assert_eq!(only(0x03, 0), (false, true));
        assert_eq!(only(0x02, 2), (false, false));
    }
}
