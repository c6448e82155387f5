//! FERMI_TWOD_A (0x902D), the 2D class.
//!
//! ```text
//! control.rs     macros, synchronisation
//! surface.rs     source and destination
//! operation.rs   operation, pattern, colour key
//! primitive.rs   solid primitives
//! blit.rs        blits from memory and from the push buffer
//! ```
//! Source of names, positions and values: NVIDIA cl902d.h.

mod blit;
mod control;
mod operation;
mod primitive;
mod surface;
pub mod values;

pub use values::*;

use super::{ADDRESSES, MethodInfo, MethodTable};
use crate::table::regs::{flatten, total};

/// The registers, as modules.
pub mod regs {
    pub use super::blit::*;
    pub use super::control::*;
    pub use super::operation::*;
    pub use super::primitive::*;
    pub use super::surface::*;

    use super::{MethodInfo, Trigger, flatten, total};

    const PARTS: &[&[MethodInfo<Trigger>]] = &[
        super::control::REGISTERS,
        super::surface::REGISTERS,
        super::operation::REGISTERS,
        super::primitive::REGISTERS,
        super::blit::REGISTERS,
    ];

    /// All registers, part by part.
    pub const REGISTERS: &[MethodInfo<Trigger>] = &flatten::<_, { total(PARTS) }>(PARTS);
}

/// What a write does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Writes the notifier.
    Notify,
    /// Waits until everything earlier is finished.
    WaitForIdle,
    /// Stores a word of macro memory.
    MacroCode,
    /// Stores where a macro begins.
    MacroStart,
    /// Changes what happens to the copies of registers.
    ShadowControl,
    /// Evaluates the condition of conditional rendering.
    RenderEnable,
    /// A point of a solid primitive.
    SolidPoint,
    /// Begins an image from the push buffer.
    CpuBegin,
    /// Pixels from the push buffer.
    CpuData,
    /// Copies a rectangle between surfaces.
    Blit,
    /// Starts a macro.
    MacroCall,
    /// A parameter of a macro.
    MacroData,
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// What each register holds when a channel is made.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(regs::REGISTERS).reset();
