//! Tests and blending.

use crate::rsx::enums::{BlendEquation, BlendFactor, Compare, LogicOp, StencilOp};
use crate::rsx::methods::effect::Effect;
use crate::rsx::methods::effect::dirty::{DEPTH_STENCIL, OUTPUT, SURFACE};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Dithers where a channel has less than 8 bits.
    set_dither_enable @ 0x0300 = 0x0000_0001 { enable 0:0 bool } Dirty(OUTPUT);
    /// Alpha test of colour output 0.
    set_alpha_test_enable @ 0x0304 { enable 0:0 bool } Dirty(OUTPUT);
    /// Alpha on the left, reference on the right.
    set_alpha_func @ 0x0308 = 0x0000_0207 { function 0:31 Compare } Dirty(OUTPUT);
    /// Reference of the alpha test: 8-bit unorm or half, as the target is.
    set_alpha_ref @ 0x030C { reference 0:15 } Dirty(OUTPUT);
    /// Blending of colour target A.
    set_blend_enable @ 0x0310 { a 0:0 bool } Dirty(OUTPUT);
    /// Factors of the source.
    set_blend_func_sfactor @ 0x0314 = 0x0001_0001 { rgb 0:15 BlendFactor, alpha 16:31 BlendFactor } Dirty(OUTPUT);
    /// Factors of the destination.
    set_blend_func_dfactor @ 0x0318 { rgb 0:15 BlendFactor, alpha 16:31 BlendFactor } Dirty(OUTPUT);
    /// Constant colour; of half targets r in bits 0 to 15 and g in 16 to 31.
    set_blend_color @ 0x031C { b 0:7, g 8:15, r 16:23, a 24:31 } Dirty(OUTPUT);
    /// How the terms are combined.
    set_blend_equation @ 0x0320 = 0x8006_8006 { rgb 0:15 BlendEquation, alpha 16:31 BlendEquation } Dirty(OUTPUT);
    /// Channels of colour target A that are written. A word with other bits set is rejected.
    set_color_mask @ 0x0324 = 0x0101_0101 { b 0:0 bool, g 8:8 bool, r 16:16 bool, a 24:24 bool } Dirty(OUTPUT);
    /// Stencil test of the front, or of both sides.
    set_stencil_test_enable @ 0x0328 { enable 0:0 bool } Dirty(DEPTH_STENCIL);
    /// Front, back: bits that are written.
    stencil_mask @ [0x032C set_stencil_mask, 0x034C set_back_stencil_mask] = 0x0000_00FF {
        mask 0:7 bits,
    } Dirty(DEPTH_STENCIL);
    /// Front, back: masked reference on the left, masked stencil on the right.
    stencil_func @ [0x0330 set_stencil_func, 0x0350 set_back_stencil_func] = 0x0000_0207 {
        function 0:31 Compare,
    } Dirty(DEPTH_STENCIL);
    /// Front, back: reference.
    stencil_func_ref @ [0x0334 set_stencil_func_ref, 0x0354 set_back_stencil_func_ref] {
        reference 0:7,
    } Dirty(DEPTH_STENCIL);
    /// Front, back: bits that are compared.
    stencil_func_mask @ [0x0338 set_stencil_func_mask, 0x0358 set_back_stencil_func_mask] = 0x0000_00FF {
        mask 0:7 bits,
    } Dirty(DEPTH_STENCIL);
    /// The operations on the stencil value: front, back, each when the stencil test fails; when it passes and the depth
    /// test fails; when both pass.
    stencil_op @ [
        0x033C set_stencil_op_fail, 0x0340 set_stencil_op_zfail, 0x0344 set_stencil_op_zpass,
        0x035C set_back_stencil_op_fail, 0x0360 set_back_stencil_op_zfail, 0x0364 set_back_stencil_op_zpass,
    ] = 0x0000_1E00 { op 0:31 StencilOp } Dirty(DEPTH_STENCIL);
    /// The back has a test of its own.
    set_two_sided_stencil_test_enable @ 0x0348 { enable 0:0 bool } Dirty(DEPTH_STENCIL);
    /// Blending of colour targets B to D.
    set_blend_enable_mrt @ 0x036C { b 1:1 bool, c 2:2 bool, d 3:3 bool } Dirty(OUTPUT);
    /// Channels of colour targets B to D that are written.
    set_color_mask_mrt @ 0x0370 {
        b_a 4:4 bool, b_r 5:5 bool, b_g 6:6 bool, b_b 7:7 bool, c_a 8:8 bool, c_r 9:9 bool, c_g 10:10 bool, c_b
        11:11 bool, d_a 12:12 bool, d_r 13:13 bool, d_g 14:14 bool, d_b 15:15 bool,
    } Dirty(OUTPUT);
    /// Logic operation instead of blending.
    set_logic_op_enable @ 0x0374 { enable 0:0 bool } Dirty(OUTPUT);
    /// Which one.
    set_logic_op @ 0x0378 = 0x0000_1503 { op 0:31 LogicOp } Dirty(OUTPUT);
    /// Constant colour of half targets, second half.
    set_blend_color2 @ 0x037C { b 0:15, a 16:31 } Dirty(OUTPUT);
    /// Drops samples whose stored depth is out of bounds.
    set_depth_bounds_test_enable @ 0x0380 { enable 0:0 bool } Dirty(DEPTH_STENCIL);
    /// Lower bound, f32.
    set_depth_bounds_min @ 0x0384 { value 0:31 f32 } Dirty(DEPTH_STENCIL);
    /// Upper bound, f32.
    set_depth_bounds_max @ 0x0388 = 0x3F80_0000 { value 0:31 f32 } Dirty(DEPTH_STENCIL);
    /// Whether stored depth is a small float. The other bits are unknown.
    set_control0 @ 0x03B0 = 0x0010_0000 {
        depth_float 12:12 bool, mipmap_round_down 20:20 bool,
    } Dirty(SURFACE | DEPTH_STENCIL);
    /// Incoming depth on the left, stored on the right.
    set_depth_func @ 0x0A6C = 0x0000_0201 { function 0:31 Compare } Dirty(DEPTH_STENCIL);
    /// Depth is written.
    set_depth_mask @ 0x0A70 = 0x0000_0001 { enable 0:0 bool } Dirty(DEPTH_STENCIL);
    /// Depth test; without it depth is not written either.
    set_depth_test_enable @ 0x0A74 { enable 0:0 bool } Dirty(DEPTH_STENCIL);
    /// Stores the sRGB values of colours.
    set_shader_packer @ 0x1FEC { srgb 0:0 bool } Dirty(OUTPUT);
}
