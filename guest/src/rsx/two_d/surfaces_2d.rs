//! NV30_CONTEXT_SURFACES_2D (0x3062) and its predecessor (0x0062): the linear surfaces that 2D operations work on.

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
    /// Memory of the source surface.
    dma_image_source @ 0x184 = 0xFEED_0000 { handle 0:31 bits };
    /// Memory of the target surface.
    dma_image_destin @ 0x188 = 0xFEED_0000 { handle 0:31 bits };
    /// Format of both.
    format @ 0x300 = 0xA { format 0:7 SurfaceFormat };
    /// Bytes from a row to the next, see [`super::SURFACE_PITCH_BITS`].
    pitch @ 0x304 = 0x0040_0040 { source 0:15, destin 16:31 };
    /// First byte of the source surface.
    offset_source @ 0x308 { offset 0:31 address };
    /// First byte of the target surface, see [`super::SURFACE_OFFSET_BITS`].
    offset_destin @ 0x30C { offset 0:31 address };
}
