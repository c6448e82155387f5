//! KEPLER_INLINE_TO_MEMORY_B (0xA140), the class for data from the push buffer.
//!
//! Source of names, positions and values: NVIDIA cla140.h.

pub mod regs;

use super::common::{INLINE, joined};
use super::{ADDRESSES, MethodInfo, MethodTable};
use crate::table::regs::total;

/// This class has only methods that others have too.
pub type Trigger = std::convert::Infallible;

const OWN: &[&[MethodInfo<Trigger>]] = &[regs::REGISTERS];
const ROWS: &[MethodInfo<Trigger>] = &joined::<_, { total(INLINE) + total(OWN) }>(INLINE, OWN);

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(ROWS);

/// The initial value of each register of a channel.
pub static RESET: [u32; ADDRESSES] = MethodTable::new(ROWS).reset();
