//! Copies of lines of bytes (0x0039). Sources: envytools nv3_m2mf.xml, RPCS3 nv0039.cpp; values after GCM's
//! initialisation.

use super::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Binds an object. The puller takes this one.
    set_object @ 0x000 { handle 0:31 } Trigger(Trigger::Object);
    /// Nothing.
    no_operation @ 0x100 { value 0:31 } Ignored;
    /// The next operation writes a notifier record.
    notify @ 0x104 { style 0:31 } Trigger(Trigger::Notify);
    /// Object of notifiers.
    set_context_dma_notifies @ 0x180 { handle 0:31 };
    /// Object that is read.
    set_context_dma_buffer_in @ 0x184 = 0xFEED_0001 { handle 0:31 };
    /// Object that is written.
    set_context_dma_buffer_out @ 0x188 = 0xFEED_0000 { handle 0:31 };
    /// Offset of the first byte that is read.
    offset_in @ 0x30C { offset 0:31 };
    /// Offset of the first byte that is written.
    offset_out @ 0x310 { offset 0:31 };
    /// Bytes from line to line that are read.
    pitch_in @ 0x314 { bytes 0:31 signed };
    /// Bytes from line to line that are written.
    pitch_out @ 0x318 { bytes 0:31 signed };
    /// Bytes of a line.
    line_length_in @ 0x31C { bytes 0:31 };
    /// Lines.
    line_count @ 0x320 { lines 0:31 };
    /// Bytes from one byte to the next, 1, 2 or 4: read and written.
    format @ 0x324 = 0x101 { step_in 0:7, step_out 8:15 };
    /// Copies the lines; with 1 a notifier record follows.
    buffer_notify @ 0x328 { style 0:31 } Trigger(Trigger::CopyLines);
}
