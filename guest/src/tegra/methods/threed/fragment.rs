//! Tests, blending and writing of fragments.

use super::output_values::{
    BlendFactor, BlendMask, BlendNoop, BlendOp, BlendOperand, BlendOperandB, BlendOperandD, BlendPassOutput,
    BlendProgramOp, BlendSwizzle, BlendTest, CompareFunc, DitherFootprint, LogicOp, SaturateRange, StencilOp,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Depth and stencil tests before the pixel program.
    set_api_mandated_early_z @ 0x084 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// When the blend program changes nothing; an optimisation.
    set_iterated_blend_optimization @ 0x0BD { noop 0:1 BlendNoop };
    /// Without visible effect.
    set_reduce_color_thresholds_enable @ 0x367 = 1 { v 0:0 bool };
    /// Blending by a program instead.
    set_iterated_blend @ 0x374 { enable 0:0 bool, alpha_enable 1:1 bool } Dirty(dirty::FRAGMENT);
    /// Passes of the blend program.
    set_iterated_blend_pass @ 0x375 = 1 { count 0:7 } Dirty(dirty::FRAGMENT);
    /// Where the next instruction of the blend program goes.
    load_iterated_blend_instruction_pointer @ 0x37C { v 0:7 };
    /// An instruction of the blend program, `A * B op C * D` on triples; the pointer goes up by 1.
    load_iterated_blend_instruction @ 0x37D {
        test_cc 0:2 BlendTest, operation 3:5 BlendProgramOp, constant_input_select 6:8,
        operand_a_select 9:11 BlendOperand, operand_b_select 12:15 BlendOperandB,
        operand_c_select 16:18 BlendOperand, operand_d_select 19:22 BlendOperandD,
        output_swizzle 23:25 BlendSwizzle, output_write_mask 26:27 BlendMask, pass_output 28:29 BlendPassOutput,
        set_cc 31:31 bool,
    } Trigger(Trigger::BlendInstruction);
    /// Mask of target 0 for all.
    set_single_ct_write_control @ 0x3E4 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Smallest stored depth, f32.
    set_depth_bounds_min @ 0x3E7 { v 0:31 f32 } Dirty(dirty::FRAGMENT);
    /// Largest stored depth, f32.
    set_depth_bounds_max @ 0x3E8 { v 0:31 f32 } Dirty(dirty::FRAGMENT);
    /// An optimisation; without visible effect.
    set_blend_opt_control @ 0x3F7 { allow_float_pixel_kills 0:0 bool };
    /// Without visible effect.
    set_reduce_color_thresholds @ [
        0x433 set_reduce_color_thresholds_unorm8, 0x438 set_reduce_color_thresholds_unorm10,
        0x439 set_reduce_color_thresholds_unorm16, 0x43B set_reduce_color_thresholds_fp16,
        0x43C set_reduce_color_thresholds_srgb8,
    ] { all_covered_all_hit_once 0:7, all_covered 16:23 };
    /// Without visible effect.
    set_reduce_color_thresholds_fp11 @ 0x43A { all_covered_all_hit_once 0:5, all_covered 16:21 };
    /// Whether SNORM8, UNORM16 and SNORM16 blend. Drivers switch it on (Mesa's NVK).
    set_blend_per_format_enable @ 0x450 { snorm8_unorm16_snorm16 4:4 bool } Dirty(dirty::FRAGMENT);
    /// Depth test.
    set_depth_test @ 0x4B3 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Dither of alpha to coverage.
    set_alpha_to_coverage_dither_control @ 0x4B8 { dither_footprint 0:3 DitherFootprint } Dirty(dirty::FRAGMENT);
    /// Blend state per target or common.
    set_blend_state_per_target @ 0x4B9 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Whether a passing fragment stores its depth.
    set_depth_write @ 0x4BA { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Alpha test of output 0.
    set_alpha_test @ 0x4BB { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// `fragment FUNC stored`.
    set_depth_func @ 0x4C3 = 1 { v 0:31 CompareFunc } Dirty(dirty::FRAGMENT);
    /// Reference, f32.
    set_alpha_ref @ 0x4C4 { v 0:31 f32 } Dirty(dirty::FRAGMENT);
    /// `alpha FUNC reference`.
    set_alpha_func @ 0x4C5 = 1 { v 0:31 CompareFunc } Dirty(dirty::FRAGMENT);
    /// Blend constant, f32.
    set_blend_const @ [
        0x4C7 set_blend_const_red, 0x4C8 set_blend_const_green, 0x4C9 set_blend_const_blue,
        0x4CA set_blend_const_alpha,
    ] { v 0:31 f32 } Dirty(dirty::FRAGMENT);
    /// Common: alpha has its own operation and factors.
    set_blend_separate_for_alpha @ 0x4CF = 1 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Common: operation of colours.
    set_blend_color_op @ 0x4D0 = 1 { v 0:31 BlendOp } Dirty(dirty::FRAGMENT);
    /// Common: factor of source colours.
    set_blend_color_source_coeff @ 0x4D1 = 2 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Common: factor of destination colours.
    set_blend_color_dest_coeff @ 0x4D2 = 1 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Common: operation of alpha.
    set_blend_alpha_op @ 0x4D3 = 1 { v 0:31 BlendOp } Dirty(dirty::FRAGMENT);
    /// Common: factor of source alpha.
    set_blend_alpha_source_coeff @ 0x4D4 = 2 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Not supported.
    set_global_color_key @ 0x4D5 { enable 0:0 bool };
    /// Common: factor of destination alpha.
    set_blend_alpha_dest_coeff @ 0x4D6 = 1 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Blend state of target 0 for all.
    set_single_rop_control @ 0x4D7 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Blending of a target.
    set_blend @ [0x4D8; 8 step 1] { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Stencil test.
    set_stencil_test @ 0x4E0 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// The operations on the stencil value: front, back, each when the stencil test fails; when it passes and the depth
    /// test fails; when both pass.
    stencil_op @ [
        0x4E1 set_stencil_op_fail, 0x4E2 set_stencil_op_zfail, 0x4E3 set_stencil_op_zpass,
        0x566 set_back_stencil_op_fail, 0x567 set_back_stencil_op_zfail, 0x568 set_back_stencil_op_zpass,
    ] = 1 { v 0:31 StencilOp } Dirty(dirty::FRAGMENT);
    /// Front, back: `reference & mask FUNC stored & mask`.
    stencil_func @ [0x4E4 set_stencil_func, 0x569 set_back_stencil_func] = 1 {
        v 0:31 CompareFunc,
    } Dirty(dirty::FRAGMENT);
    /// Front, back: reference.
    stencil_func_ref @ [0x4E5 set_stencil_func_ref, 0x3D5 set_back_stencil_func_ref] {
        v 0:7,
    } Dirty(dirty::FRAGMENT);
    /// Front, back: mask of the comparison.
    stencil_func_mask @ [0x4E6 set_stencil_func_mask, 0x3D7 set_back_stencil_func_mask] {
        v 0:7 bits,
    } Dirty(dirty::FRAGMENT);
    /// Front, back: bits that are written.
    stencil_mask @ [0x4E7 set_stencil_mask, 0x3D6 set_back_stencil_mask] { v 0:7 bits } Dirty(dirty::FRAGMENT);
    /// Clamps outputs of the pixel program before the alpha test.
    set_ps_saturate @ 0x4EA {
        output0 0:0 bool, clamp_range0 1:1 SaturateRange, output1 4:4 bool, clamp_range1 5:5 SaturateRange,
        output2 8:8 bool, clamp_range2 9:9 SaturateRange, output3 12:12 bool, clamp_range3 13:13 SaturateRange,
        output4 16:16 bool, clamp_range4 17:17 SaturateRange, output5 20:20 bool, clamp_range5 21:21 SaturateRange,
        output6 24:24 bool, clamp_range6 25:25 SaturateRange, output7 28:28 bool, clamp_range7 29:29 SaturateRange,
    } Dirty(dirty::FRAGMENT);
    /// Constants of the blend program, halves.
    set_iterated_blend_constant_red @ [0x520; 8 step 4] { v 0:15 f16 } Dirty(dirty::FRAGMENT);
    /// Constants of the blend program, halves.
    set_iterated_blend_constant_green @ [0x521; 8 step 4] { v 0:15 f16 } Dirty(dirty::FRAGMENT);
    /// Constants of the blend program, halves.
    set_iterated_blend_constant_blue @ [0x522; 8 step 4] { v 0:15 f16 } Dirty(dirty::FRAGMENT);
    /// Alpha to coverage, alpha to one.
    set_anti_alias_alpha_control @ 0x54F { alpha_to_coverage 0:0 bool, alpha_to_one 4:4 bool } Dirty(dirty::FRAGMENT);
    /// Back faces have their own state.
    set_two_sided_stencil_test @ 0x565 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// sRGB targets are encoded when written. The firmware's list has 0 here, but Mesa's nvc0 never writes it and draws
    /// to sRGB targets.
    set_srgb_write @ 0x56E = 1 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// When alpha to coverage counts: only with multisampling, which drivers ask for (Mesa's NVK); only without a
    /// sample mask of the program.
    set_alpha_to_coverage_override @ 0x5AD = 3 {
        qualify_by_anti_alias_enable 0:0 bool, qualify_by_ps_sample_mask_output 1:1 bool,
    } Dirty(dirty::FRAGMENT);
    /// Test of the stored depth.
    set_depth_bounds_test @ 0x66F { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// In blending 0 times anything is 0.
    set_blend_float_option @ 0x670 { zero_times_anything_is_zero 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Logic operation instead of blending.
    set_logic_op @ 0x671 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// The logic operation.
    set_logic_op_func @ 0x672 = 0x1500 { v 0:31 LogicOp } Dirty(dirty::FRAGMENT);
    /// Components of a target that are written.
    set_ct_write @ [0x680; 8 step 1] {
        r_enable 0:0 bool, g_enable 4:4 bool, b_enable 8:8 bool, a_enable 12:12 bool,
    } Dirty(dirty::FRAGMENT);
    /// Alpha has its own operation and factors.
    set_blend_per_target_separate_for_alpha @ [0x780; 8 step 8] = 1 { enable 0:0 bool } Dirty(dirty::FRAGMENT);
    /// Operation of colours.
    set_blend_per_target_color_op @ [0x781; 8 step 8] = 1 { v 0:31 BlendOp } Dirty(dirty::FRAGMENT);
    /// Factor of source colours.
    set_blend_per_target_color_source_coeff @ [0x782; 8 step 8] = 2 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Factor of destination colours.
    set_blend_per_target_color_dest_coeff @ [0x783; 8 step 8] = 1 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Operation of alpha.
    set_blend_per_target_alpha_op @ [0x784; 8 step 8] = 1 { v 0:31 BlendOp } Dirty(dirty::FRAGMENT);
    /// Factor of source alpha.
    set_blend_per_target_alpha_source_coeff @ [0x785; 8 step 8] = 2 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
    /// Factor of destination alpha.
    set_blend_per_target_alpha_dest_coeff @ [0x786; 8 step 8] = 1 { v 0:31 BlendFactor } Dirty(dirty::FRAGMENT);
}
