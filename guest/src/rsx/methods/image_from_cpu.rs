//! Pixels from the push buffer (0x308A). Sources: envytools nv1_ifc.xml, RPCS3 nv308a.cpp; values after GCM's
//! initialisation.

use super::effect::{Effect, Trigger};
use crate::rsx::enums::{Conversion2d, CpuColor, Operation2d};
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
    /// Colour key object, may be 0.
    set_context_color_key @ 0x184 { handle 0:31 };
    /// Clip rectangle object, may be 0.
    set_context_clip_rectangle @ 0x188 { handle 0:31 };
    /// Pattern object, may be 0.
    set_context_pattern @ 0x18C { handle 0:31 };
    /// Raster operation object, may be 0.
    set_context_rop @ 0x190 { handle 0:31 };
    /// Blend factor object, may be 0.
    set_context_beta1 @ 0x194 { handle 0:31 };
    /// Blend colour object, may be 0.
    set_context_beta4 @ 0x198 { handle 0:31 };
    /// Object of the target: of the class of linear or of swizzled surfaces.
    set_context_surface @ 0x19C = 0x3133_71C3 { handle 0:31 };
    /// How colours lose bits.
    set_color_conversion @ 0x2F8 { conversion 0:31 Conversion2d };
    /// How pixels are combined with the target.
    set_operation @ 0x2FC = 3 { operation 0:31 Operation2d };
    /// Format of the pixels.
    set_color_format @ 0x300 = 4 { format 0:31 CpuColor };
    /// Where they go.
    point @ 0x304 { x 0:15 signed, y 16:31 signed };
    /// Dimensions of what is written.
    size_out @ 0x308 { width 0:15, height 16:31 };
    /// Dimensions of the pixels that come.
    size_in @ 0x30C { width 0:15, height 16:31 };
    /// Pixels, row by row; a row of 16-bit pixels is a whole number of words.
    color @ [0x400; 1792 step 4] { word 0:31 } Trigger(Trigger::ImageColor);
}
