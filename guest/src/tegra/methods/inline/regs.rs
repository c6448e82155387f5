//! The registers.

use super::Trigger;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

pub use crate::tegra::methods::common::{channel::*, inline::*};

regs! {
    effect Effect<Trigger>;

    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:24 };
    /// Inline transfer: destination, upper bits.
    offset_out_upper @ 0x062 { value 0:24 };
    /// Inline transfer: first byte of each row.
    set_dst_origin_bytes_x @ 0x06A { v 0:20 };
    /// Inline transfer: first row.
    set_dst_origin_samples_y @ 0x06B { v 0:16 };
    /// Inline transfer: semaphore address, upper bits.
    set_i2m_semaphore_a @ 0x077 { offset_upper 0:24 };
    /// Calls into firmware; not used.
    set_falcon @ [
        0x080 set_falcon00, 0x081 set_falcon01, 0x082 set_falcon02, 0x083 set_falcon03, 0x084 set_falcon04,
        0x085 set_falcon05, 0x086 set_falcon06, 0x087 set_falcon07, 0x088 set_falcon08, 0x089 set_falcon09,
        0x08A set_falcon10, 0x08B set_falcon11, 0x08C set_falcon12, 0x08D set_falcon13, 0x08E set_falcon14,
        0x08F set_falcon15, 0x090 set_falcon16, 0x091 set_falcon17, 0x092 set_falcon18, 0x093 set_falcon19,
        0x094 set_falcon20, 0x095 set_falcon21, 0x096 set_falcon22, 0x097 set_falcon23, 0x098 set_falcon24,
        0x099 set_falcon25, 0x09A set_falcon26, 0x09B set_falcon27, 0x09C set_falcon28, 0x09D set_falcon29,
        0x09E set_falcon30, 0x09F set_falcon31,
    ] { v 0:31 };
}
