//! NV30_IMAGE_FROM_CPU (0x308A): pixels from the push buffer.

use super::{Effect, Trigger::*};
use crate::table::regs::regs;

/// The first of the methods that take pixels; all behind it do.
pub const COLORS: u32 = 0x400;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 {};
    /// The next image leaves a record at the notifier.
    notify @ 0x104 {} Trigger(Notify);
    /// Memory of the notifier.
    dma_notify @ 0x180 {};
    /// Colour key, clip rectangle, pattern, raster operation and beta objects; none exists on the RSX.
    color_key @ 0x184 {};
    /// See `COLOR_KEY`.
    clip_rectangle @ 0x188 {};
    /// See `COLOR_KEY`.
    pattern @ 0x18C {};
    /// See `COLOR_KEY`.
    rop @ 0x190 {};
    /// See `COLOR_KEY`.
    beta1 @ 0x194 {};
    /// See `COLOR_KEY`.
    beta4 @ 0x198 {};
    /// The surface object that the image goes to.
    surface @ 0x19C = 0x3133_71C3 {};
    /// 0 dither, 1 truncate, 2 sub-truncate.
    color_conversion @ 0x2F8 { mode 0:1 };
    /// [`super::format::Operation`].
    operation @ 0x2FC = 3 { operation 0:2 };
    /// [`super::format::Bits::of_cpu_image`].
    color_format @ 0x300 = 4 { format 0:7 };
    /// Where the image goes.
    point @ 0x304 { x 0:15 signed, y 16:31 signed } Trigger(Begin);
    /// Pixels that are written.
    size_out @ 0x308 { width 0:15, height 16:31 } Trigger(Begin);
    /// Pixels that come.
    size_in @ 0x30C { width 0:15, height 16:31 } Trigger(Begin);
    /// Pixels, packed from the low bits; rows begin with a word of their own.
    color @ 0x400 {} Trigger(Start);
}
