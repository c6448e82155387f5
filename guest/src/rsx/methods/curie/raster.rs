//! Viewport, rasterisation, lines and points.

use crate::rsx::enums::{ClipPlane, CullFace, FrontFace, PolygonMode, ShadeMode};
use crate::rsx::methods::effect::Effect;
use crate::rsx::methods::effect::dirty::{FRAGMENT_PROGRAM, OUTPUT, RASTER, VIEWPORT};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Cylindrical wrap of texture coordinates 0 to 7.
    set_cylindrical_wrap @ 0x0238 { flags 0:31 bits } Ignored;
    /// Cylindrical wrap of texture coordinates 8 and 9.
    set_cylindrical_wrap1 @ 0x023C { flags 0:31 bits } Ignored;
    /// Flat takes the colours of the provoking vertex.
    set_shade_mode @ 0x0368 = 0x0000_1D01 { mode 0:31 ShadeMode } Dirty(RASTER);
    /// Near end of the depth range, f32, may be negative.
    set_clip_min @ 0x0394 { value 0:31 f32 } Dirty(VIEWPORT);
    /// Far end of the depth range, f32.
    set_clip_max @ 0x0398 = 0x3F80_0000 { value 0:31 f32 } Dirty(VIEWPORT);
    /// Width of lines in eighths of a pixel.
    set_line_width @ 0x03B8 = 0x0000_0008 { width 0:8 ufixed(3) } Dirty(RASTER);
    /// Smooth lines.
    set_line_smooth_enable @ 0x03BC { enable 0:0 bool } Dirty(RASTER);
    /// Columns of the scissor, always active.
    set_scissor_horizontal @ 0x08C0 = 0x1000_0000 { x 0:15, width 16:31 } Dirty(VIEWPORT);
    /// Rows of the scissor, always active.
    set_scissor_vertical @ 0x08C4 = 0x1000_0000 { y 0:15, height 16:31 } Dirty(VIEWPORT);
    /// Columns of the viewport rectangle, which clips.
    set_viewport_horizontal @ 0x0A00 = 0x1000_0000 { x 0:15, width 16:31 } Dirty(VIEWPORT);
    /// Rows of the viewport rectangle, which clips.
    set_viewport_vertical @ 0x0A04 = 0x1000_0000 { y 0:15, height 16:31 } Dirty(VIEWPORT);
    /// Unknown; 0 has the vertex in the middle of the point.
    set_point_center_mode @ 0x0A0C { value 0:31 bits } Ignored;
    /// Where the origin of clip space lies: x, y, z, w, f32.
    set_viewport_offset @ [0x0A20; 4 step 4] { value 0:31 f32 } Dirty(VIEWPORT);
    /// Half the size of the viewport: x, y, z, w, f32. Negative y puts the origin at the top left.
    set_viewport_scale @ [0x0A30; 4 step 4] { value 0:31 f32 } Dirty(VIEWPORT);
    /// Polygon offset where polygons are points.
    set_poly_offset_point_enable @ 0x0A60 { enable 0:0 bool } Dirty(RASTER);
    /// Polygon offset where polygons are lines.
    set_poly_offset_line_enable @ 0x0A64 { enable 0:0 bool } Dirty(RASTER);
    /// Polygon offset where polygons are filled.
    set_poly_offset_fill_enable @ 0x0A68 { enable 0:0 bool } Dirty(RASTER);
    /// Factor of the slope, f32.
    set_polygon_offset_scale_factor @ 0x0A78 { value 0:31 f32 } Dirty(RASTER);
    /// Units, f32; Mesa writes twice their number.
    set_polygon_offset_bias @ 0x0A7C { value 0:31 f32 } Dirty(RASTER);
    /// Unused.
    set_specular_enable @ 0x1428 = 0x0000_0001 { enable 0:0 bool } Ignored;
    /// The back shows the back colours.
    set_two_side_light_en @ 0x142C { enable 0:0 bool } Dirty(RASTER);
    /// The provoking vertex is the first one, else the last.
    set_flat_shade_op @ 0x1454 { first 0:0 bool } Dirty(RASTER);
    /// Edges that are drawn where polygons are lines or points.
    set_edge_flag @ 0x145C = 0x0000_0001 { enable 0:0 bool } Dirty(RASTER);
    /// Which sign of a clip distance is kept.
    set_user_clip_plane_control @ 0x1478 {
        plane0 0:3 ClipPlane, plane1 4:7 ClipPlane, plane2 8:11 ClipPlane, plane3 12:15 ClipPlane,
        plane4 16:19 ClipPlane, plane5 20:23 ClipPlane,
    } Dirty(RASTER);
    /// Polygon stipple.
    set_polygon_stipple @ 0x147C { enable 0:0 bool } Dirty(RASTER);
    /// A row of the polygon stipple.
    set_polygon_stipple_pattern @ [0x1480; 32 step 4] { bits 0:31 bits } Dirty(RASTER);
    /// How fronts are drawn.
    set_front_polygon_mode @ 0x1828 = 0x0000_1B02 { mode 0:31 PolygonMode } Dirty(RASTER);
    /// How backs are drawn.
    set_back_polygon_mode @ 0x182C = 0x0000_1B02 { mode 0:31 PolygonMode } Dirty(RASTER);
    /// Which side is dropped.
    set_cull_face @ 0x1830 = 0x0000_0405 { face 0:31 CullFace } Dirty(RASTER);
    /// Which winding is the front.
    set_front_face @ 0x1834 = 0x0000_0901 { winding 0:31 FrontFace } Dirty(RASTER);
    /// Smooth polygons.
    set_poly_smooth_enable @ 0x1838 { enable 0:0 bool } Dirty(RASTER);
    /// Whether a side is dropped.
    set_cull_face_enable @ 0x183C { enable 0:0 bool } Dirty(RASTER);
    /// Whether near and far ends clip, and whether depth is clamped to them.
    set_zmin_max_control @ 0x1D78 = 0x0000_0001 { clip 0:3, clamp 4:7, ignore_w 8:11 } Dirty(VIEWPORT);
    /// Multisampling.
    set_anti_aliasing_control @ 0x1D7C = 0xFFFF_0000 {
        enable 0:0 bool, alpha_to_coverage 4:4 bool, alpha_to_one 8:8 bool, sample_mask 16:31 bits,
    } Dirty(RASTER | OUTPUT);
    /// Line stipple.
    set_line_stipple @ 0x1DB4 { enable 0:0 bool } Dirty(RASTER);
    /// Line stipple: pixels of a bit of the pattern less one (Mesa), and the pattern.
    set_line_stipple_pattern @ 0x1DB8 { factor_minus_1 0:7, pattern 16:31 bits } Dirty(RASTER);
    /// Size of points, pixels, f32, where the vertex program does not give one.
    set_point_size @ 0x1EE0 = 0x3F80_0000 { value 0:31 f32 } Dirty(RASTER);
    /// Sizes of points from vertices, perhaps.
    set_point_params_enable @ 0x1EE4 { enable 0:0 bool } Dirty(RASTER);
    /// Point sprites: bit n of `replace` makes texture coordinate n run across the point.
    set_point_sprite_control @ 0x1EE8 { enable 0:0 bool, r_mode 1:2, replace 8:17 } Dirty(RASTER | FRAGMENT_PROGRAM);
}
