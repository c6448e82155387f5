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

use super::common::{TWOD, joined};
use super::{ADDRESSES, ClassTrigger, MethodInfo, MethodTable};
use crate::table::regs::total;

/// The registers, as modules.
pub mod regs {
    pub use super::super::common::channel::*;
    pub use super::super::common::macros::*;
    pub use super::blit::*;
    pub use super::control::*;
    pub use super::operation::*;
    pub use super::primitive::*;
    pub use super::surface::*;

    use super::{MethodInfo, TWOD, Trigger, joined, total};

    const PARTS: &[&[MethodInfo<Trigger>]] = &[
        super::control::REGISTERS,
        super::surface::REGISTERS,
        super::operation::REGISTERS,
        super::primitive::REGISTERS,
        super::blit::REGISTERS,
    ];

    /// All registers, part by part.
    pub const REGISTERS: &[MethodInfo<Trigger>] = &joined::<_, { total(TWOD) + total(PARTS) }>(TWOD, PARTS);
}

/// The immediate effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A point of a solid primitive.
    SolidPoint,
    /// Begins an image from the push buffer.
    CpuBegin,
    /// Pixels from the push buffer.
    CpuData,
    /// Copies a rectangle between surfaces.
    Blit,
}

impl ClassTrigger for Trigger {
    fn is_stream(self) -> bool {
        self == Trigger::CpuData
    }
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// The initial value of each register of a channel.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(regs::REGISTERS).reset();
