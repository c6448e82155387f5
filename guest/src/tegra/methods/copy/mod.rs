//! MAXWELL_DMA_COPY_A (0xB0B5), the copy engine.
//!
//! Source of names, positions and values: NVIDIA clb0b5.h.

pub mod regs;
pub mod values;

pub use values::*;

use super::{ADDRESSES, ClassTrigger, MethodTable};

/// The immediate effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Starts the work.
    Launch,
}

impl ClassTrigger for Trigger {}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// The initial value of each register of a channel.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(regs::REGISTERS).reset();
