//! Points, lines, polygons: rasterisation.

use super::values::{
    CullFace, D3dCullMode, FillMode, FillViaTriangle, FrontFace, GeneratedEdge, LineFalloff, PointCenter,
    PointSpriteOrigin, PointSpriteR, PointSpriteTexture, PolygonMode, RasterBoundingBox, ShadeMode, SnapGrid,
    SnapRounding,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Whether the two widths are separate.
    set_aliased_line_width_enable @ 0x083 { v 0:0 bool } Dirty(dirty::RASTER);
    /// Area a primitive is limited to.
    set_raster_bounding_box @ 0x0BB { mode 0:0 RasterBoundingBox, pad 4:11 } Dirty(dirty::RASTER);
    /// Grid of line positions.
    set_snap_grid_line @ 0x0C6 = 8 {
        locations_per_pixel 0:3 SnapGrid, rounding_mode 8:8 SnapRounding,
    } Dirty(dirty::RASTER);
    /// Grid of all other positions.
    set_snap_grid_non_line @ 0x0C7 = 8 {
        locations_per_pixel 0:3 SnapGrid, rounding_mode 8:8 SnapRounding,
    } Dirty(dirty::RASTER);
    /// 0 drops primitives after transform feedback.
    set_raster_enable @ 0x0DF = 1 { v 0:0 bool } Dirty(dirty::RASTER);
    /// Front faces as points, lines or filled.
    set_front_polygon_mode @ 0x36B = 0x1B02 { v 0:31 PolygonMode } Dirty(dirty::RASTER);
    /// Back faces as points, lines or filled.
    set_back_polygon_mode @ 0x36C = 0x1B02 { v 0:31 PolygonMode } Dirty(dirty::RASTER);
    /// Smooth edges of polygons on targets without samples; may be ignored.
    set_poly_smooth @ 0x36D { enable 0:0 bool };
    /// Depth bias of points.
    set_poly_offset_point @ 0x370 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Depth bias of lines.
    set_poly_offset_line @ 0x371 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Depth bias of filled polygons.
    set_poly_offset_fill @ 0x372 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Not supported.
    set_constant_color_rendering @ 0x3D0 { enable 0:0 bool };
    /// Not used.
    set_constant_color_rendering_color @ [
        0x3D1 set_constant_color_rendering_red, 0x3D2 set_constant_color_rendering_green,
        0x3D3 set_constant_color_rendering_blue, 0x3D4 set_constant_color_rendering_alpha,
    ] { v 0:31 f32 };
    /// Whether edges that clipping made are drawn in line mode; they are not.
    set_line_mode_polygon_clip @ 0x3E3 { generated_edge 0:0 GeneratedEdge } Dirty(dirty::RASTER);
    /// Whether the unit of the bias depends on the depth format, which is what OpenGL and D3D ask for.
    set_depth_bias_control @ 0x444 = 1 { depth_format_dependent 0:0 bool } Dirty(dirty::RASTER);
    /// Triangles are filled as the rectangle around them.
    set_fill_via_triangle @ 0x44F { mode 0:1 FillViaTriangle } Dirty(dirty::RASTER);
    /// Pixels that are touched at all count.
    set_conservative_raster @ 0x452 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// D3D numbers; not used.
    set_fill_mode @ 0x4B4 = 3 { v 0:31 FillMode };
    /// Flat shading of colours.
    set_shade_mode @ 0x4B5 = 2 { v 0:31 ShadeMode } Dirty(dirty::RASTER);
    /// Not used.
    d3d_set_cull_mode @ 0x4C2 = 1 { v 0:31 D3dCullMode };
    /// Width of smooth lines, f32.
    set_line_width_float @ 0x4EC = 0x3F800000 { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Width of other lines, f32.
    set_aliased_line_width_float @ 0x4ED = 0x3F800000 { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Lines without samples on targets with samples.
    set_line_multisample_override @ 0x506 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Size of points, f32, pixels.
    set_point_size @ 0x546 { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Points get generated coordinates.
    set_point_sprite @ 0x548 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Depth bias: factor of the slope, f32.
    set_slope_scale_depth_bias @ 0x55B { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Smooth lines.
    set_anti_aliased_line @ 0x55C { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Depth bias: twice the constant of the API, f32.
    set_depth_bias @ 0x56F { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Which texture coordinates points generate, and from where t counts.
    set_point_sprite_select @ 0x581 {
        rmode 0:1 PointSpriteR, origin 2:2 PointSpriteOrigin, texture0 3:3 PointSpriteTexture,
        texture1 4:4 PointSpriteTexture, texture2 5:5 PointSpriteTexture, texture3 6:6 PointSpriteTexture,
        texture4 7:7 PointSpriteTexture, texture5 8:8 PointSpriteTexture, texture6 9:9 PointSpriteTexture,
        texture7 10:10 PointSpriteTexture, texture8 11:11 PointSpriteTexture, texture9 12:12 PointSpriteTexture,
    } Dirty(dirty::RASTER);
    /// Smooth points.
    set_anti_aliased_point @ 0x596 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Points centred as in OpenGL or D3D.
    set_point_center_mode @ 0x597 = 1 { v 0:31 PointCenter } Dirty(dirty::RASTER);
    /// Falloff of smooth lines.
    set_line_smooth_parameters @ 0x59A { falloff 0:31 LineFalloff } Dirty(dirty::RASTER);
    /// Stippled lines.
    set_line_stipple @ 0x59B { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Falloff of smooth lines.
    set_line_smooth_edge_table @ [0x59C; 4 step 1] { v0 0:7, v1 8:15, v2 16:23, v3 24:31 } Dirty(dirty::RASTER);
    /// Stipple: repetitions of each bit, pattern of 16 bits.
    set_line_stipple_parameters @ 0x5A0 = 0x00FF_FF00 { factor 0:7, pattern 8:23 bits } Dirty(dirty::RASTER);
    /// Back faces take the back colours.
    set_two_sided_light @ 0x5A2 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Stippled polygons.
    set_polygon_stipple @ 0x5A3 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// 32 rows of 32 pixels.
    set_polygon_stipple_pattern @ [0x5C0; 32 step 1] { v 0:31 bits } Dirty(dirty::RASTER);
    /// Depth bias: limit, f32; 0 none.
    set_depth_bias_clamp @ 0x61F { v 0:31 f32 } Dirty(dirty::RASTER);
    /// Whether the program's output gives the size, and which.
    set_attribute_point_size @ 0x644 = 0x290 { enable 0:0 bool, slot 4:11 } Dirty(dirty::RASTER);
    /// Culling on or off.
    ogl_set_cull @ 0x646 { enable 0:0 bool } Dirty(dirty::RASTER);
    /// Winding of front faces.
    ogl_set_front_face @ 0x647 = 0x900 { v 0:31 FrontFace } Dirty(dirty::RASTER);
    /// Faces that are dropped.
    ogl_set_cull_face @ 0x648 = 0x405 { v 0:31 CullFace } Dirty(dirty::RASTER);
    /// Clamps the fixed-function colours of vertices to 0 to 1.
    set_color_clamp @ 0x980 { enable 0:0 bool } Dirty(dirty::RASTER);
}
