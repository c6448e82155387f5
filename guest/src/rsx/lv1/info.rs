//! The driver information: what a guest reads about its context. 16 KiB, big-endian words.
//!
//! Source of offsets and values up to 0x894: dump of a console (wiki). Heads and interrupts: Linux `ps3gpu.h` for
//! names, RPCS3 for what Lv-2 does with them.

use super::handle::{DMA, ENGINE};

/// Version of the structure; Linux refuses any other.
pub const VERSION_DRIVER: (u32, u32) = (0x000, 0x0000_0211);
/// Version of the chip: 0x0C in the dump of an early console, 0x5C on later ones.
pub const VERSION_GPU: (u32, u32) = (0x004, 0x0000_005C);
/// Local memory of the context, bytes.
pub const MEMORY_SIZE: u32 = 0x008;
/// Channel of the context.
pub const HARDWARE_CHANNEL: u32 = 0x00C;
/// Clock of the chip, Hz.
pub const CORE_FREQUENCY: (u32, u32) = (0x010, 500_000_000);
/// Clock of local memory, Hz.
pub const MEMORY_FREQUENCY: (u32, u32) = (0x014, 650_000_000);
/// Parameters of `memory_allocate`: p3, p4, p1, p2.
pub const MEMORY_PARAMETERS: [u32; 4] = [0x018, 0x01C, 0x020, 0x024];
/// Where notifiers, semaphores and reports begin in the reports area.
pub const REPORTS_OFFSETS: [(u32, u32); 3] = [(0x02C, 0x1000), (0x030, 0), (0x034, 0x1400)];
/// Low half of the flags of `context_allocate`.
pub const CONTEXT_FLAGS: u32 = 0x054;
/// Handles of DMA objects, [`DMA_HANDLES`].
pub const HANDLES: u32 = 0x058;
/// The handle of the reports in main memory, or 0.
pub const MAIN_REPORTS_HANDLE: u32 = 0x078;
/// Handles of engine objects, [`ENGINE_HANDLES`].
pub const ENGINE_HANDLES_AT: u32 = 0x458;
/// The 16 handles of notifiers.
pub const NOTIFIER_HANDLES: u32 = 0x858;
/// Display heads, 8 of [`head::BYTES`]. An array aligned to 64 bits after 24 + 4252 bytes: 0x10B8 (Linux, RPCS3);
/// Nucleus has 0x10C0.
pub const HEADS: u32 = 0x10B8;
/// How many heads there are; the first two are real.
pub const HEAD_COUNT: usize = 8;
/// Interrupts, after the heads.
pub const INTERRUPTS: u32 = HEADS + HEAD_COUNT as u32 * head::BYTES;

/// The words at [`HANDLES`]: the DMA objects of every context, with a null handle among them.
pub const DMA_HANDLES: [u32; 8] =
    [DMA[0].handle, DMA[1].handle, 0, DMA[2].handle, DMA[3].handle, DMA[4].handle, DMA[5].handle, DMA[6].handle];

/// The words at [`ENGINE_HANDLES_AT`]: a null handle, then the engine objects of every context.
pub const ENGINE_HANDLES: [u32; 9] = {
    let mut handles = [0; 9];
    let mut i = 0;
    while i < ENGINE.len() {
        handles[i + 1] = ENGINE[i].handle;
        i += 1;
    }
    handles
};

/// A display head: offsets in its structure.
pub mod head {
    /// Bytes of a head.
    pub const BYTES: u32 = 0x40;
    /// `u64`: when the last flip was done, in ticks of the processor's time base.
    pub const FLIP_TIME: u32 = 0x00;
    /// Flags: [`FLIPPED`], [`QUEUED`], and in the low bits the queued buffer's.
    pub const FLAGS: u32 = 0x08;
    /// Offset of the buffer that is shown.
    pub const OFFSET: u32 = 0x0C;
    /// Number of the buffer that was flipped to.
    pub const FLIPPED_BUFFER: u32 = 0x10;
    /// Number of the buffer that was queued last.
    pub const QUEUED_BUFFER: u32 = 0x14;
    /// Field of interlaced output.
    pub const FIELD: u32 = 0x18;
    /// Low word of the last frame's time; 1 at first.
    pub const VBLANK_TIME_LOW: u32 = 0x1C;
    /// `u64`: the second handler's last time.
    pub const SECOND_VBLANK_TIME: u32 = 0x20;
    /// Line that is being shown.
    pub const RASTER: u32 = 0x28;
    /// `u64`: frames shown.
    pub const VBLANK_COUNT: u32 = 0x30;
    /// Field at the last frame.
    pub const FIELD_VSYNC: u32 = 0x38;
    /// High word of the last frame's time.
    pub const VBLANK_TIME_HIGH: u32 = 0x3C;

    /// In the flags: a flip is done.
    pub const FLIPPED: u32 = 1 << 31;
    /// In the flags: a buffer was queued, or nothing has happened yet.
    pub const QUEUED: u32 = 1 << 30;
}

/// The interrupt block: offsets from [`INTERRUPTS`].
pub mod interrupt {
    /// Bits that have happened.
    pub const STATUS: u32 = 0x04;
    /// Bits that are let through.
    pub const MASK: u32 = 0x08;
    /// Why the last graphics error happened (named by Linux, otherwise unknown).
    pub const GRAPH_CAUSE: u32 = 0x10;
    /// The parameter of the last user command.
    pub const USER_CAUSE: u32 = 0x14;
    /// The last error (RPCS3).
    pub const LAST_ERROR: u32 = 0x3C;
    /// Bytes of the block: the structure ends after it.
    pub const BYTES: u32 = 0x40;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_the_documented_ones() {
        assert_eq!(INTERRUPTS, 0x12B8);
        assert_eq!(INTERRUPTS + interrupt::MASK, 0x12C0);
        assert_eq!(INTERRUPTS + interrupt::USER_CAUSE, 0x12CC);
        assert_eq!(INTERRUPTS + interrupt::LAST_ERROR, 0x12F4);
        assert_eq!(INTERRUPTS + interrupt::BYTES, 0x12F8);
        assert_eq!(ENGINE_HANDLES_AT + 4 * ENGINE_HANDLES.len() as u32, 0x47C);
        assert_eq!(ENGINE_HANDLES[8], 0xCAFE_BABE);
        assert_eq!(HANDLES + 4 * DMA_HANDLES.len() as u32, MAIN_REPORTS_HANDLE);
    }
}
