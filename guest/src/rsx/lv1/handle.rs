//! Handles of the objects that every context is given.

use crate::rsx::objects::class;

/// The memory that a DMA object of a context covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// The local memory that the context was allocated with.
    Memory,
    /// The IO space.
    Io,
    /// Bytes of the context's reports area, by offset.
    Reports(u32),
    /// Bytes of local memory that all contexts share, by offset.
    Local(u32),
    /// Bytes of the IO space, by offset.
    Main(u32),
    /// Bytes at this address of the bus in main memory, which is outside of the IO space.
    Bus(u32),
}

/// A DMA object that a context is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DmaHandle {
    /// Its name.
    pub handle: u32,
    /// Its class.
    pub class: u32,
    /// Where it lies.
    pub range: Range,
    /// Its bytes; 0 when `range` says them.
    pub size: u32,
}

const fn dma(handle: u32, class: u32, range: Range, size: u32) -> DmaHandle {
    DmaHandle { handle, class, range, size }
}

/// Local memory.
pub const LOCAL: u32 = 0xFEED_0000;
/// Main memory: the IO space.
pub const MAIN: u32 = 0xFEED_0001;
/// Semaphores, read and written.
pub const SEMAPHORES: u32 = 0x6660_6660;
/// Reports.
pub const REPORTS: u32 = 0x6662_6660;
/// The page of device 8, read and written.
pub const DEVICE_SEMAPHORES: u32 = 0x5661_6660;
/// Reports in main memory.
pub const MAIN_REPORTS: u32 = 0xBAD6_8000;
/// The first of 16 notifiers.
pub const NOTIFIERS: u32 = 0x6660_4200;

/// The objects that every context has, in the order of the driver information (hardware dump; 0xBAD68000: emulators).
pub const DMA: [DmaHandle; 7] = [
    dma(LOCAL, class::DMA_IN_MEMORY, Range::Memory, 0),
    dma(MAIN, class::DMA_IN_MEMORY, Range::Io, 0),
    dma(SEMAPHORES, class::DMA_IN_MEMORY, Range::Reports(0), 0x1000),
    dma(0x6661_6661, class::DMA_FROM_MEMORY, Range::Reports(0), 0x1000),
    dma(REPORTS, class::DMA_IN_MEMORY, Range::Reports(0x1400), 0x8000),
    dma(DEVICE_SEMAPHORES, class::DMA_IN_MEMORY, Range::Local(super::page::DEVICE), 0x1000),
    dma(0x5661_6661, class::DMA_FROM_MEMORY, Range::Local(super::page::DEVICE), 0x1000),
];

/// Made with [`super::flags::MAIN_REPORTS`].
pub const DMA_MAIN_REPORTS: DmaHandle = dma(MAIN_REPORTS, class::DMA_IN_MEMORY, Range::Main(0x0E00_0000), 0x0100_0000);

/// Made with [`super::flags::GRAPHICS_SYNTHESIZER`].
pub const DMA_GRAPHICS_SYNTHESIZER: [DmaHandle; 2] = [
    dma(0xFEED_0003, class::DMA_FROM_MEMORY, Range::Local(0x0400_0000), 0x1000),
    dma(0xFEED_0004, class::DMA_IN_MEMORY, Range::Local(0x0400_0000), 0x1000),
];

/// Made with [`super::flags::SYSTEM_SEMAPHORES`], for the first context or another one.
pub const fn dma_system_semaphores(first: bool) -> [DmaHandle; 2] {
    let address = Range::Bus(if first { 0x8F03_F000 } else { 0x9F03_F000 });
    [dma(0x1337_8080, class::DMA_FROM_MEMORY, address, 0x1000), dma(0x1337_8086, class::DMA_IN_MEMORY, address, 0x1000)]
}

/// Notifier `index`, 0 to 15. All lie in the reports area (hardware dump of a context without
/// [`super::flags::MAIN_REPORTS`]); with that flag the last eight are taken to lie where RPCS3 has them, in main
/// memory.
pub const fn dma_notifier(index: u32, main_reports: bool) -> DmaHandle {
    let range = match index >= 8 && main_reports {
        true => Range::Main(0x0F10_0000 + ((index & 7) ^ 7) * 0x40),
        false => Range::Reports(0x1000 + index * 0x40),
    };
    dma(NOTIFIERS + index, class::DMA_IN_MEMORY, range, 0x40)
}

/// An engine object that a context is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EngineHandle {
    /// Its name.
    pub handle: u32,
    /// Its class.
    pub class: u32,
    /// The subchannel that GCM binds it to (Nucleus).
    pub subchannel: u32,
}

const fn object(handle: u32, class: u32, subchannel: u32) -> EngineHandle {
    EngineHandle { handle, class, subchannel }
}

/// The software object: methods that the driver executes.
pub const SOFTWARE: u32 = 0xCAFE_BABE;
/// Surfaces of 2D operations.
pub const SURFACES_2D: u32 = 0x3133_71C3;
/// Scaled image.
pub const SCALED_IMAGE: u32 = 0x3137_AF00;

/// The engine objects that every context has, in the order of the driver information (hardware dump).
pub const ENGINE: [EngineHandle; 8] = [
    object(0x3133_7000, class::CURIE, 0),
    object(0x3133_7303, class::MEMORY_TO_MEMORY, 1),
    object(0x3137_C0DE, class::MEMORY_TO_MEMORY, 2),
    object(0x3133_7A73, class::SURFACE_SWIZZLED, 4),
    object(SURFACES_2D, class::SURFACES_2D, 3),
    object(SCALED_IMAGE, class::SCALED_IMAGE, 6),
    object(0x3133_7808, class::IMAGE_FROM_CPU, 5),
    object(SOFTWARE, class::SOFTWARE, 7),
];
