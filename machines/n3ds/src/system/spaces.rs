//! The address spaces of guest memory.

/// The address space of physical addresses.
pub const PHYSICAL: u32 = 0;

/// The address space of the process whose commands are executed, by its virtual addresses: what the host maps of it is
/// for DMA. Linear heap, QTM memory and VRAM need not be there, as they are physical memory.
pub const PROCESS: u32 = 1;
