//! A scaled image from memory (0x3089). Sources: envytools nv4_sifm.xml, RPCS3 nv3089.cpp; values after GCM's
//! initialisation.

use super::effect::{Effect, Trigger};
use crate::rsx::enums::{Conversion2d, Filter2d, Operation2d, Origin2d, ScaledColor};
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
    /// Object of the source.
    set_context_dma_image @ 0x184 = 0xFEED_0000 { handle 0:31 };
    /// Pattern object, may be 0.
    set_context_pattern @ 0x188 { handle 0:31 };
    /// Raster operation object, may be 0.
    set_context_rop @ 0x18C { handle 0:31 };
    /// Blend factor object, may be 0.
    set_context_beta1 @ 0x190 { handle 0:31 };
    /// Blend colour object, may be 0.
    set_context_beta4 @ 0x194 { handle 0:31 };
    /// Object of the target: of the class of linear or of swizzled surfaces.
    set_context_surface @ 0x198 = 0x3133_71C3 { handle 0:31 };
    /// How colours lose bits.
    set_color_conversion @ 0x2FC = 1 { conversion 0:31 Conversion2d };
    /// Format of the source.
    set_color_format @ 0x300 = 3 { format 0:31 ScaledColor };
    /// How pixels are combined with the target.
    set_operation @ 0x304 = 3 { operation 0:31 Operation2d };
    /// Top left of what may be written.
    clip_point @ 0x308 { x 0:15 signed, y 16:31 signed };
    /// Dimensions of what may be written.
    clip_size @ 0x30C { width 0:15, height 16:31 };
    /// Where the picture goes.
    image_out_point @ 0x310 { x 0:15 signed, y 16:31 signed };
    /// Dimensions of the picture.
    image_out_size @ 0x314 { width 0:15, height 16:31 };
    /// Texels from pixel to pixel, 12.20 fixed point.
    ds_dx @ 0x318 { step 0:31 signed };
    /// Texels from row to row, 12.20 fixed point.
    dt_dy @ 0x31C { step 0:31 signed };
    /// Dimensions of the source.
    image_in_size @ 0x400 = 0x0001_0002 { width 0:15, height 16:31 };
    /// Bytes from row to row of the source, where its first sample lies, filter.
    image_in_format @ 0x404 = 0x0001_0000 { pitch 0:15, origin 16:23 Origin2d, filter 24:31 Filter2d };
    /// Offset of the source in bytes.
    image_in_offset @ 0x408 { offset 0:31 };
    /// First sample, 12.4 fixed point. Copies the picture.
    image_in @ 0x40C { u 0:15, v 16:31 } Trigger(Trigger::ScaleImage);
}
