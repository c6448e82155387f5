//! MAXWELL_COMPUTE_B (0xB1C0), the compute class.
//!
//! Source of names, positions and values: NVIDIA clb1c0.h.

pub mod regs;
pub mod values;

pub use values::*;

use super::{ADDRESSES, MethodTable};

/// What a write does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Writes the notifier.
    Notify,
    /// Waits until everything earlier is finished.
    WaitForIdle,
    /// Evaluates the condition of conditional rendering.
    RenderEnable,
    /// Begins an inline transfer.
    InlineLaunch,
    /// Four bytes of an inline transfer.
    InlineData,
    /// Code or constants may have changed in memory.
    InvalidateShaders,
    /// Texture headers may have changed in memory.
    InvalidateHeaders,
    /// Starts the work.
    Launch,
    /// Samplers may have changed in memory.
    InvalidateSamplers,
    /// Texels may have changed in memory.
    InvalidateTexels,
    /// Writes a report or semaphore, or waits for one.
    Report,
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// What each register holds when a channel is made.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(regs::REGISTERS).reset();
