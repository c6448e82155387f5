//! Targets and clears.

use crate::rsx::enums::{Antialias, SurfaceColor, SurfaceDepth, SurfaceLayout};
use crate::rsx::methods::effect::dirty::{SURFACE, VIEWPORT};
use crate::rsx::methods::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Drawable columns, pixels.
    set_surface_clip_horizontal @ 0x0200 { x 0:15, width 16:31 } Dirty(SURFACE);
    /// Drawable rows, pixels.
    set_surface_clip_vertical @ 0x0204 { y 0:15, height 16:31 } Dirty(SURFACE);
    /// Formats and layout of the targets. The dimensions count for swizzled ones.
    set_surface_format @ 0x0208 = 0x0000_0121 {
        color 0:4 SurfaceColor, depth 5:7 SurfaceDepth, layout 8:11 SurfaceLayout, antialias 12:15 Antialias,
        log2_width 16:23, log2_height 24:31,
    } Dirty(SURFACE);
    /// Bytes from row to row of colour target A; the low six bits are dropped.
    set_surface_pitch_a @ 0x020C = 0x0000_0040 { bytes 0:16 } Dirty(SURFACE);
    /// Offset in bytes in DMA_COLOR_A; the low six bits are dropped.
    set_surface_color_aoffset @ 0x0210 { offset 0:29 address } Dirty(SURFACE);
    /// Offset in bytes in DMA_ZETA; the low six bits are dropped.
    set_surface_zeta_offset @ 0x0214 { offset 0:29 address } Dirty(SURFACE);
    /// Offset in bytes in DMA_COLOR_B; the low six bits are dropped.
    set_surface_color_boffset @ 0x0218 { offset 0:29 address } Dirty(SURFACE);
    /// Bytes from row to row of colour target B; the low six bits are dropped.
    set_surface_pitch_b @ 0x021C = 0x0000_0040 { bytes 0:16 } Dirty(SURFACE);
    /// Colour targets in use: 0 none, 1 A, 2 B, 0x13 A and B, 0x17 A to C, 0x1F all. B alone takes colour output 0.
    set_surface_color_target @ 0x0220 = 0x0000_0001 {
        a 0:0 bool, b 1:1 bool, c 2:2 bool, d 3:3 bool, several 4:4 bool,
    } Dirty(SURFACE);
    /// Bytes from row to row of the depth target; the low six bits are dropped.
    set_surface_pitch_z @ 0x022C = 0x0000_0040 { bytes 0:16 } Dirty(SURFACE);
    /// Bytes from row to row of colour target C; the low six bits are dropped.
    set_surface_pitch_c @ 0x0280 = 0x0000_0040 { bytes 0:16 } Dirty(SURFACE);
    /// Bytes from row to row of colour target D; the low six bits are dropped.
    set_surface_pitch_d @ 0x0284 = 0x0000_0040 { bytes 0:16 } Dirty(SURFACE);
    /// Offset in bytes in DMA_COLOR_C; the low six bits are dropped.
    set_surface_color_coffset @ 0x0288 { offset 0:29 address } Dirty(SURFACE);
    /// Offset in bytes in DMA_COLOR_D; the low six bits are dropped.
    set_surface_color_doffset @ 0x028C { offset 0:29 address } Dirty(SURFACE);
    /// Added to window coordinates after scissor and viewport rectangle, before surface clip and window clip.
    set_window_offset @ 0x02B8 { x 0:15 signed, y 16:31 signed } Dirty(VIEWPORT);
    /// Pixels inside, or outside, of the eight rectangles pass.
    set_window_clip_type @ 0x02BC { outside 0:0 bool } Dirty(VIEWPORT);
    /// Columns of a clip rectangle, inclusive.
    set_window_clip_horizontal @ [0x02C0; 8 step 8] = 0x0FFF_0000 { min 0:15, max 16:31 } Dirty(VIEWPORT);
    /// Rows of a clip rectangle, inclusive.
    set_window_clip_vertical @ [0x02C4; 8 step 8] = 0x0FFF_0000 { min 0:15, max 16:31 } Dirty(VIEWPORT);
    /// The values that clears store: depth and stencil; with 16-bit depth it is bits 0 to 15.
    set_zstencil_clear_value @ 0x1D8C = 0xFFFF_FF00 { stencil 0:7, depth 8:31 bits };
    /// The values that clears store in colour targets.
    set_color_clear_value @ 0x1D90 { b 0:7, g 8:15, r 16:23, a 24:31 };
    /// Clears what the bits name, within surface clip, scissor and clear rectangle.
    clear_surface @ 0x1D94 {
        depth 0:0 bool, stencil 1:1 bool, r 4:4 bool, g 5:5 bool, b 6:6 bool, a 7:7 bool,
    } Trigger(Trigger::ClearSurface);
    /// Columns that clears touch.
    set_clear_rect_horizontal @ 0x1D98 = 0x0FFF_0000 { min 0:15, max 16:31 };
    /// Rows that clears touch.
    set_clear_rect_vertical @ 0x1D9C = 0x0FFF_0000 { min 0:15, max 16:31 };
}
