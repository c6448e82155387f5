//! Solid primitives.

use super::Trigger;
use super::values::SolidPrimitive;
use crate::table::regs::regs;
use crate::tegra::format::ColorFormat;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Words of a colour of 64 or 128 bits.
    set_render_solid_prim_colors @ [
        0x150 set_render_solid_prim_color0, 0x151 set_render_solid_prim_color1, 0x152 set_render_solid_prim_color2,
        0x153 set_render_solid_prim_color3,
    ] { v 0:31 bits };
    /// Kind of primitives.
    render_solid_prim_mode @ 0x160 { v 0:2 SolidPrimitive };
    /// Format of the colour.
    set_render_solid_prim_color_format @ 0x161 { v 0:7 ColorFormat };
    /// Colour.
    set_render_solid_prim_color @ 0x162 { v 0:31 bits };
    /// Which of two pixels lines take.
    set_render_solid_line_tie_break_bits @ 0x163 {
        xmaj_xinc_yinc 0:0, xmaj_xdec_yinc 4:4, ymaj_xinc_yinc 8:8, ymaj_xdec_yinc 12:12,
    };
    /// A point, both coordinates; completes primitives.
    render_solid_prim_point_x_y @ 0x178 { x 0:15, y 16:31 } Trigger(Trigger::SolidPoint);
    /// A point, x.
    render_solid_prim_point_set_x @ [0x180; 64 step 2] { v 0:31 signed };
    /// A point, y; completes primitives. A rectangle is `[x0, x1) x [y0, y1)`.
    render_solid_prim_point_y @ [0x181; 64 step 2] { v 0:31 signed } Trigger(Trigger::SolidPoint);
}
