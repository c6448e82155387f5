//! NV30_IMAGE_FROM_CPU (0x308A): pixels from the push buffer.

use super::format::{ColorConversion, CpuImageFormat, Operation};
use super::{Effect, Trigger::*};
use crate::table::regs::regs;

/// The first of the methods that take pixels; all after it do.
pub const COLORS: u32 = 0x400;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 { value 0:31 bits };
    /// The next image leaves a record at the notifier.
    notify @ 0x104 { value 0:31 bits } Trigger(Notify);
    /// Memory of the notifier.
    dma_notify @ 0x180 { handle 0:31 bits };
    /// Colour key, clip rectangle, pattern, raster operation and beta objects; none exists on the RSX.
    color_key @ 0x184 { handle 0:31 bits };
    /// See `COLOR_KEY`.
    clip_rectangle @ 0x188 { handle 0:31 bits };
    /// See `COLOR_KEY`.
    pattern @ 0x18C { handle 0:31 bits };
    /// See `COLOR_KEY`.
    rop @ 0x190 { handle 0:31 bits };
    /// See `COLOR_KEY`.
    beta1 @ 0x194 { handle 0:31 bits };
    /// See `COLOR_KEY`.
    beta4 @ 0x198 { handle 0:31 bits };
    /// The surface object that the image goes to.
    surface @ 0x19C = 0x3133_71C3 { handle 0:31 bits };
    /// How channels lose bits.
    color_conversion @ 0x2F8 { mode 0:1 ColorConversion };
    /// How the image and the old content are combined.
    operation @ 0x2FC = 3 { operation 0:2 Operation };
    /// Format of pixels.
    color_format @ 0x300 = 4 { format 0:7 CpuImageFormat };
    /// Where the image goes.
    point @ 0x304 { x 0:15 signed, y 16:31 signed } Trigger(Begin);
    /// Pixels that are written.
    size_out @ 0x308 { width 0:15, height 16:31 } Trigger(Begin);
    /// Pixels that come.
    size_in @ 0x30C { width 0:15, height 16:31 } Trigger(Begin);
    /// Pixels, packed from the low bits; rows begin with a word of their own.
    color @ 0x400 { pixels 0:31 bits } Trigger(Start);
}
