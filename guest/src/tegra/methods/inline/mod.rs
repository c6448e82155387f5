//! KEPLER_INLINE_TO_MEMORY_B (0xA140), the class for data from the push buffer.
//!
//! Source of names, positions and values: NVIDIA cla140.h.

pub mod regs;

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
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// What each register holds when a channel is made.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(regs::REGISTERS).reset();
