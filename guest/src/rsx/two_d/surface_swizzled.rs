//! NV30_CONTEXT_SURFACE_SWIZZLED (0x309E): a swizzled target.

use super::Effect;
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Nothing.
    no_operation @ 0x100 {};
    /// Notifies: no operation belongs to this class, so nothing does.
    notify @ 0x104 {};
    /// Memory of the notifier.
    dma_notify @ 0x180 {};
    /// Memory of the surface.
    dma_image @ 0x184 = 0xFEED_0000 {};
    /// [`super::format::SurfaceFormat`] and size.
    format @ 0x300 = 0x0001_000A { format 0:7, log2_width 16:23, log2_height 24:31 };
    /// First byte, see [`super::SURFACE_OFFSET_BITS`].
    offset @ 0x304 {};
}
