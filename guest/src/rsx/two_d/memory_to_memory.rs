//! NV03_MEMORY_TO_MEMORY_FORMAT (0x0039): copies lines of bytes.

use super::{Effect, Trigger::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 { value 0:31 bits };
    /// The next copy leaves a record at the notifier.
    notify @ 0x104 { value 0:31 bits } Trigger(Notify);
    /// Memory of the notifier.
    dma_notify @ 0x180 { handle 0:31 bits };
    /// Memory of the source.
    dma_buffer_in @ 0x184 = 0xFEED_0001 { handle 0:31 bits };
    /// Memory of the target.
    dma_buffer_out @ 0x188 = 0xFEED_0000 { handle 0:31 bits };
    /// First byte of the source.
    offset_in @ 0x30C { offset 0:31 address };
    /// First byte of the target.
    offset_out @ 0x310 { offset 0:31 address };
    /// From a line of the source to the next, bytes.
    pitch_in @ 0x314 { bytes 0:31 signed };
    /// From a line of the target to the next, bytes.
    pitch_out @ 0x318 { bytes 0:31 signed };
    /// Bytes copied in a line.
    line_length_in @ 0x31C { bytes 0:31 count };
    /// Lines; the field has 11 bits (envytools).
    line_count @ 0x320 { lines 0:10 };
    /// From a byte of a line to the next, in source and target: 1, 2 or 4.
    format @ 0x324 = 0x101 { input 0:7, output 8:15 };
    /// Starts the copy; 1 leaves a record at the notifier.
    buf_notify @ 0x328 { write 0:0 } Trigger(Start);
}
