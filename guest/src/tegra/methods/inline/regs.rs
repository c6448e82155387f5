//! The registers.

use super::Trigger;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

pub use crate::tegra::methods::common::{channel::*, inline::*};

regs! {
    effect Effect<Trigger>;

    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:24 address(32) };
    /// Inline transfer: destination, upper bits.
    offset_out_upper @ 0x062 { value 0:24 address(32) };
    /// Inline transfer: first byte of each row.
    set_dst_origin_bytes_x @ 0x06A { v 0:20 };
    /// Inline transfer: first row.
    set_dst_origin_samples_y @ 0x06B { v 0:16 };
    /// Inline transfer: semaphore address, upper bits.
    set_i2m_semaphore_a @ 0x077 { offset_upper 0:24 address(32) };
    /// Calls into firmware; not used.
    set_falcon @ [0x080; 32 step 1] { v 0:31 bits };
}
