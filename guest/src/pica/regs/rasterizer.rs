//! Interrupts and the rasterizer: viewport, clipping, output map, scissor, early depth. 0x000 to 0x06F.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::fragment_values::EarlyDepthCompare;
use super::geometry_values::{CullMode, DepthMode, OutputSemantic, ScissorMode};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Written with 0 by the system before a command list; some call it interrupt acknowledge.
    misc_000 @ 0x000 { value 0:31 bits };
    /// Request of an interrupt: compared with IRQ_COMPARE byte by byte, one equal byte raises P3D.
    irq_request @ 0x010 { token 0:31 bits } Trigger(Interrupt);
    /// The reference of IRQ_REQUEST. The system writes the reset value.
    irq_compare @ 0x020 = 0x12345678 { token 0:31 bits };
    /// Interrupt mask; not modelled. The system writes the reset value.
    irq_mask @ 0x030 = 0xFFFFFFF0 { mask 0:31 bits };
    /// Whether list processing stops when P3D is raised. The system writes the reset value.
    irq_autostop @ 0x034 = 1 { stop 0:0 bool };
    /// Faces that are dropped.
    cull @ 0x040 { mode 0:1 CullMode } Dirty(RASTER);
    /// Half the viewport's width in pixels, f24.
    viewport_half_w @ 0x041 { value 0:23 f24 } Dirty(RASTER);
    /// 2 / width, f31. A helper of the hardware.
    viewport_inv_w @ 0x042 { value 1:31 f31 } Dirty(RASTER);
    /// Half the viewport's height in pixels, f24.
    viewport_half_h @ 0x043 { value 0:23 f24 } Dirty(RASTER);
    /// 2 / height, f31. A helper of the hardware.
    viewport_inv_h @ 0x044 { value 1:31 f31 } Dirty(RASTER);
    /// User clip plane on or off.
    clip_enable @ 0x047 { enable 0:0 bool } Dirty(RASTER);
    /// Coefficients x, y, z, w of the user clip plane, f24.
    clip_coef @ [
        0x048 clip_coef_x, 0x049 clip_coef_y, 0x04A clip_coef_z, 0x04B clip_coef_w,
    ] { value 0:23 f24 } Dirty(RASTER);
    /// Depth scale (near - far), f24.
    depth_scale @ 0x04D { value 0:23 f24 } Dirty(RASTER);
    /// Depth offset, f24.
    depth_offset @ 0x04E { value 0:23 f24 } Dirty(RASTER);
    /// Number of shader output registers that are mapped.
    outmap_total @ 0x04F { count 0:2 } Dirty(RASTER);
    /// Meaning of the components of each shader output.
    outmap @ [
        0x050 outmap_o0, 0x051 outmap_o1, 0x052 outmap_o2, 0x053 outmap_o3, 0x054 outmap_o4, 0x055 outmap_o5,
        0x056 outmap_o6,
    ] {
        x 0:4 OutputSemantic, y 8:12 OutputSemantic, z 16:20 OutputSemantic, w 24:28 OutputSemantic,
    } Dirty(RASTER);
    /// Comparison of the early depth test.
    earlydepth_func @ 0x061 { func 0:1 EarlyDepthCompare } Dirty(FRAGMENT);
    /// Early depth test on or off, first of two switches.
    earlydepth_test1 @ 0x062 { enable 0:0 bool } Dirty(FRAGMENT);
    /// Writing 1 sets the early depth memory to EARLYDEPTH_DATA.
    earlydepth_clear @ 0x063 { trigger 0:0 bool } Trigger(EarlyDepthClear);
    /// Whether texture coordinates are in use.
    outattr_mode @ 0x064 { texcoords 0:0 bool } Dirty(RASTER);
    /// Which pixels the scissor drops.
    scissor_mode @ 0x065 { mode 0:1 ScissorMode } Dirty(RASTER);
    /// First pixel of the scissor rectangle.
    scissor_pos @ 0x066 { x1 0:9, y1 16:25 } Dirty(RASTER);
    /// Last pixel of the scissor rectangle, inclusive.
    scissor_dim @ 0x067 { x2 0:9, y2 16:25 } Dirty(RASTER);
    /// First pixel of the viewport.
    viewport_xy @ 0x068 { x 0:9 signed, y 16:25 signed } Dirty(RASTER);
    /// Value for EARLYDEPTH_CLEAR.
    earlydepth_data @ 0x06A { value 0:23 bits };
    /// The definition of depth.
    depthmap_mode @ 0x06D { mode 0:0 DepthMode } Dirty(RASTER);
    /// FB_DIM for the rasterizer, pixels.
    renderbuf_dim @ 0x06E { width 0:10, height_minus_1 12:21, one 24:24 } Dirty(TARGET);
    /// Clocks of interpolated attributes. Gated ones are undefined; emulators ignore it.
    outattr_clock @ 0x06F {
        position_z 0:0 bool, color 1:1 bool, texcoord0 8:8 bool, texcoord1 9:9 bool, texcoord2 10:10 bool,
        texcoord0_w 16:16 bool, quaternion_or_view 24:24 bool,
    } Dirty(RASTER);
}
