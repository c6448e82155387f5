//! A swizzled target of 2D operations (0x309E). Sources: envytools nv30_surf.xml, RPCS3; values after GCM's initialisation.

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
    /// Object of the target.
    set_context_dma_image @ 0x184 = 0xFEED_0000 { handle 0:31 };
    /// Format and dimensions.
    set_format @ 0x300 = 0x0001_000A { format 0:7 Surface2d, log2_width 16:23, log2_height 24:31 };
    /// Offset in bytes.
    set_offset @ 0x304 { offset 0:31 };
}
