//! Viewports, clipping, scissors, window rectangles.

use super::values::{
    CoordinateSource, DepthClipRange, GeometryClip, Guardband, GuardbandZ, MulticastOrder, PixelCenter, PixelZ,
    UserClipOp, WindowClipType, WindowOrigin,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Clip-id surfaces; not used.
    set_surface_clip_id_block_size @ 0x0B6 = 0x40 { width 0:3, height 4:7, depth 8:11 };
    /// `x_window = x_ndc * scale + offset`, f32.
    set_viewport_scale_x @ [0x280; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// As for x.
    set_viewport_scale_y @ [0x281; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// As for x.
    set_viewport_scale_z @ [0x282; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// See the scale, f32.
    set_viewport_offset_x @ [0x283; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// As for x.
    set_viewport_offset_y @ [0x284; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// As for x.
    set_viewport_offset_z @ [0x285; 16 step 8] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// Which component, possibly negated, becomes x, y, z, w before clipping.
    set_viewport_coordinate_swizzle @ [0x286; 16 step 8] = 0x6420 {
        x 0:2 CoordinateSource, y 4:6 CoordinateSource, z 8:10 CoordinateSource, w 12:14 CoordinateSource,
    } Dirty(dirty::VIEWPORT);
    /// More bits of position for conservative rasterisation.
    set_viewport_increase_snap_grid_precision @ [0x287; 16 step 8] { x_bits 0:4, y_bits 8:12 } Dirty(dirty::VIEWPORT);
    /// Pixels the viewport may touch: x, width.
    set_viewport_clip_horizontal @ [0x300; 16 step 4] { x0 0:15, width 16:31 } Dirty(dirty::VIEWPORT);
    /// Pixels the viewport may touch: y, height.
    set_viewport_clip_vertical @ [0x301; 16 step 4] { y0 0:15, height 16:31 } Dirty(dirty::VIEWPORT);
    /// Depth range, f32.
    set_viewport_clip_min_z @ [0x302; 16 step 4] { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// Depth range, f32.
    set_viewport_clip_max_z @ [0x303; 16 step 4] = 0x3F800000 { v 0:31 f32 } Dirty(dirty::VIEWPORT);
    /// Window rectangle: xmin, xmax exclusive.
    set_window_clip_horizontal @ [0x340; 8 step 2] = 0xFFFF_0000 { xmin 0:15, xmax 16:31 } Dirty(dirty::VIEWPORT);
    /// Window rectangle: ymin, ymax exclusive.
    set_window_clip_vertical @ [0x341; 8 step 2] = 0xFFFF_0000 { ymin 0:15, ymax 16:31 } Dirty(dirty::VIEWPORT);
    /// Clip-id surfaces; not used.
    set_clip_id_extent_x @ [0x350; 4 step 2] { minx 0:15, width 16:31 };
    /// Clip-id surfaces; not used.
    set_clip_id_extent_y @ [0x351; 4 step 2] { miny 0:15, height 16:31 };
    /// Clip volume in z: -w to w, or 0 to w.
    set_viewport_z_clip @ 0x35F { range 0:0 DepthClipRange } Dirty(dirty::VIEWPORT);
    /// Added to window x, 17 bits signed.
    set_window_offset_x @ 0x37E { v 0:16 signed } Dirty(dirty::VIEWPORT);
    /// Added to window y, 18 bits signed.
    set_window_offset_y @ 0x37F { v 0:17 signed } Dirty(dirty::VIEWPORT);
    /// Scissor of a viewport on or off.
    set_scissor_enable @ [0x380; 16 step 4] { v 0:0 bool } Dirty(dirty::VIEWPORT);
    /// Scissor, pixels: xmin, xmax exclusive.
    set_scissor_horizontal @ [0x381; 16 step 4] = 0xFFFF0000 { xmin 0:15, xmax 16:31 } Dirty(dirty::VIEWPORT);
    /// Scissor, pixels: ymin, ymax exclusive.
    set_scissor_vertical @ [0x382; 16 step 4] = 0xFFFF0000 { ymin 0:15, ymax 16:31 } Dirty(dirty::VIEWPORT);
    /// Clip-id surfaces; not used.
    set_surface_clip_id_memory_a @ 0x3F3 { offset_upper 0:7 address(32) };
    /// Clip-id surfaces; not used.
    set_surface_clip_id_memory_b @ 0x3F4 { offset_lower 0:31 address };
    /// Order of primitives that go to several viewports.
    set_viewport_multicast @ 0x401 { order 0:0 MulticastOrder } Dirty(dirty::VIEWPORT);
    /// Lower left mirrors y at the surface clip's height; `flip_y` inverts the winding.
    set_window_origin @ 0x4EB { mode 0:0 WindowOrigin, flip_y 4:4 bool } Dirty(dirty::VIEWPORT);
    /// Clip-id surfaces; not used.
    set_surface_clip_id_height @ 0x541 = 0x80 { v 0:31 count };
    /// Clip-id surfaces; not used.
    set_clip_id_clear_rect_horizontal @ 0x542 = 0x8000_0000 { xmin 0:15, xmax 16:31 };
    /// Clip-id surfaces; not used.
    set_clip_id_clear_rect_vertical @ 0x543 = 0x4000_0000 { ymin 0:15, ymax 16:31 };
    /// Clip distances that count, if the program writes them.
    set_user_clip_enable @ 0x544 {
        plane0 0:0 bool, plane1 1:1 bool, plane2 2:2 bool, plane3 3:3 bool, plane4 4:4 bool, plane5 5:5 bool,
        plane6 6:6 bool, plane7 7:7 bool,
    } Dirty(dirty::VIEWPORT);
    /// Whether pixel centres are at half integers.
    set_viewport_pixel @ 0x649 { center 0:0 PixelCenter } Dirty(dirty::VIEWPORT);
    /// Whether positions are transformed; otherwise they are window coordinates.
    set_viewport_scale_offset @ 0x64B = 1 { enable 0:0 bool } Dirty(dirty::VIEWPORT);
    /// Clipping of geometry in z, and whether depth out of range is clamped or the pixel is lost.
    set_viewport_clip_control @ 0x64F = 0x2C1C {
        min_z_zero_max_z_one 0:0 bool, geometry_guardband_z 1:2 GuardbandZ, pixel_min_z 3:3 PixelZ,
        pixel_max_z 4:4 PixelZ, geometry_guardband 7:7 Guardband, line_point_cull_guardband 10:10 Guardband,
        geometry_clip 11:13 GeometryClip,
    } Dirty(dirty::VIEWPORT);
    /// Clip distances cut, or drop whole primitives.
    set_user_clip_op @ 0x650 {
        plane0 0:0 UserClipOp, plane1 4:4 UserClipOp, plane2 8:8 UserClipOp, plane3 12:12 UserClipOp,
        plane4 16:16 UserClipOp, plane5 20:20 UserClipOp, plane6 24:24 UserClipOp, plane7 28:28 UserClipOp,
    } Dirty(dirty::VIEWPORT);
    /// Window rectangles on or off.
    set_window_clip_enable @ 0x653 { v 0:0 bool } Dirty(dirty::VIEWPORT);
    /// Inside of any, outside of all, nothing.
    set_window_clip_type @ 0x654 { v 0:1 WindowClipType } Dirty(dirty::VIEWPORT);
    /// Clip-id surfaces; not used.
    set_clip_id_test @ 0x65F { enable 0:0 bool };
    /// Clip-id surfaces; not used.
    set_surface_clip_id_width @ 0x660 = 0x80 { v 0:31 count };
    /// Clip-id surfaces; not used.
    set_clip_id @ 0x661 { v 0:31 bits };
    /// Clip-id surfaces; not used.
    clear_clip_id_surface @ 0x675 { v 0:31 bits };
}
