//! Source and target of 2D operations (0x3062, and 0x0062 before it). Sources: envytools nv4_surf.xml, RPCS3; values after
//! GCM's initialisation.

use super::effect::{Effect, Trigger};
use crate::rsx::enums::Surface2d;
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Binds an object. The puller takes this one.
    set_object @ 0x000 { handle 0:31 } Trigger(Trigger::Object);
    /// Nothing.
    no_operation @ 0x100 { value 0:31 } Ignored;
    /// Writes a notifier record.
    notify @ 0x104 { style 0:31 } Trigger(Trigger::Notify);
    /// Object of notifiers.
    set_context_dma_notifies @ 0x180 { handle 0:31 };
    /// Object of the source.
    set_context_dma_image_source @ 0x184 = 0xFEED_0000 { handle 0:31 };
    /// Object of the target.
    set_context_dma_image_destin @ 0x188 = 0xFEED_0000 { handle 0:31 };
    /// Format of both.
    set_color_format @ 0x300 = 0xA { format 0:31 Surface2d };
    /// Bytes from row to row.
    set_pitch @ 0x304 = 0x0040_0040 { source 0:15, destination 16:31 };
    /// Offset of the source in bytes.
    set_offset_source @ 0x308 { offset 0:31 };
    /// Offset of the target in bytes.
    set_offset_destin @ 0x30C { offset 0:31 };
}
