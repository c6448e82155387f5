//! MAXWELL_COMPUTE_B (0xB1C0), the compute class.
//!
//! Source of names, positions and values: NVIDIA clb1c0.h.

pub mod regs;
pub mod values;

pub use values::*;

use super::common::{COMPUTE, joined};
use super::{ADDRESSES, ClassTrigger, MethodInfo, MethodTable};
use crate::table::regs::total;

/// The immediate effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Starts the work.
    Launch,
}

const OWN: &[&[MethodInfo<Trigger>]] = &[regs::REGISTERS];
const ROWS: &[MethodInfo<Trigger>] = &joined::<_, { total(COMPUTE) + total(OWN) }>(COMPUTE, OWN);

impl ClassTrigger for Trigger {
    fn shows_drawing(self) -> bool {
        self == Trigger::Launch
    }
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(ROWS);

/// The initial value of each register of a channel.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(ROWS).reset();
