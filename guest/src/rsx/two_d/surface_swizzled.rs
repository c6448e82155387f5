//! NV30_CONTEXT_SURFACE_SWIZZLED (0x309E): a swizzled target.

use super::Effect;
use super::format::SurfaceFormat;
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 { value 0:31 bits };
    /// Notifies: no operation belongs to this class, so nothing does.
    notify @ 0x104 { value 0:31 bits };
    /// Memory of the notifier.
    dma_notify @ 0x180 { handle 0:31 bits };
    /// Memory of the surface.
    dma_image @ 0x184 = 0xFEED_0000 { handle 0:31 bits };
    /// Format and size.
    format @ 0x300 = 0x0001_000A { format 0:7 SurfaceFormat, log2_width 16:23, log2_height 24:31 };
    /// First byte, see [`super::SURFACE_OFFSET_BITS`].
    offset @ 0x304 { offset 0:31 address };
}
