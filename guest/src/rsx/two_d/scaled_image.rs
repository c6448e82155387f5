//! NV30_SCALED_IMAGE_FROM_MEMORY (0x3089).

use super::format::{ColorConversion, ImageFilter, ImageFormat, ImageOrigin, Operation};
use super::{Effect, Trigger::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 { value 0:31 bits };
    /// The next image leaves a record at the notifier.
    notify @ 0x104 { value 0:31 bits } Trigger(Notify);
    /// Memory of the notifier.
    dma_notify @ 0x180 { handle 0:31 bits };
    /// Memory of the source.
    dma_image @ 0x184 = 0xFEED_0000 { handle 0:31 bits };
    /// Pattern, raster operation and beta objects; none exists on the RSX.
    pattern @ 0x188 { handle 0:31 bits };
    /// See `PATTERN`.
    rop @ 0x18C { handle 0:31 bits };
    /// See `PATTERN`.
    beta1 @ 0x190 { handle 0:31 bits };
    /// See `PATTERN`.
    beta4 @ 0x194 { handle 0:31 bits };
    /// The surface object that the image goes to.
    surface @ 0x198 = 0x3133_71C3 { handle 0:31 bits };
    /// How channels lose bits.
    color_conversion @ 0x2FC = 1 { mode 0:1 ColorConversion };
    /// Format of pixels.
    color_format @ 0x300 = 3 { format 0:7 ImageFormat };
    /// How the image and the old content are combined.
    operation @ 0x304 = 3 { operation 0:2 Operation };
    /// First pixel of the target that may be written.
    clip_point @ 0x308 { x 0:15 signed, y 16:31 signed };
    /// Size of the part of the target that may be written.
    clip_size @ 0x30C { width 0:15, height 16:31 };
    /// Where the image goes.
    out_point @ 0x310 { x 0:15 signed, y 16:31 signed };
    /// How large it is there.
    out_size @ 0x314 { width 0:15, height 16:31 };
    /// Step in the source for a column of the target, 12.20.
    ds_dx @ 0x318 { step 0:31 sfixed(20) };
    /// Step in the source for a row of the target, 12.20.
    dt_dy @ 0x31C { step 0:31 sfixed(20) };
    /// Size of the source.
    in_size @ 0x400 = 0x0001_0002 { width 0:15, height 16:31 };
    /// Pitch in bytes, origin, filter.
    in_format @ 0x404 = 0x0001_0000 { pitch 0:15, origin 16:23 ImageOrigin, filter 24:31 ImageFilter };
    /// First byte of the source.
    in_offset @ 0x408 { offset 0:31 address };
    /// Where in the source the image begins, 12.4. Starts the operation.
    in_point @ 0x40C { u 0:15 ufixed(4), v 16:31 ufixed(4) } Trigger(Start);
}
