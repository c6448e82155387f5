//! Per-fragment operations, the framebuffer, gas and shadow accumulation. 0x100 to 0x130.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::fragment_values::{
    BlendEquation, BlendFactor, ColorFormat, Compare, DepthFormat, FragmentMode, GasCompare, GasLookup, LogicOp,
    PixelSize, StencilOp,
};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Fragment mode, and blending instead of a logic operation.
    color_operation @ 0x100 { mode 0:1 FragmentMode, blend 8:8 bool, constant 16:25 bits } Dirty(FRAGMENT);
    /// Blend equations and factors.
    blend_func @ 0x101 {
        rgb_equation 0:2 BlendEquation, alpha_equation 8:10 BlendEquation, rgb_src 16:19 BlendFactor,
        rgb_dst 20:23 BlendFactor, alpha_src 24:27 BlendFactor, alpha_dst 28:31 BlendFactor,
    } Dirty(FRAGMENT);
    /// Logic operation.
    logic_op @ 0x102 { op 0:3 LogicOp } Dirty(FRAGMENT);
    /// Constant colour of blending.
    blend_color @ 0x103 { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(FRAGMENT);
    /// Alpha test.
    alpha_test @ 0x104 { enable 0:0 bool, func 4:6 Compare, reference 8:15 } Dirty(FRAGMENT);
    /// Stencil test.
    stencil_test @ 0x105 {
        enable 0:0 bool, func 4:6 Compare, write_mask 8:15 bits, reference 16:23, input_mask 24:31 bits,
    } Dirty(FRAGMENT);
    /// The operation on the stencil value.
    stencil_op @ 0x106 { fail 0:2 StencilOp, depth_fail 4:6 StencilOp, depth_pass 8:10 StencilOp } Dirty(FRAGMENT);
    /// Depth test and write masks.
    depth_color_mask @ 0x107 {
        depth_test 0:0 bool, depth_func 4:6 Compare, write_r 8:8 bool, write_g 9:9 bool, write_b 10:10 bool,
        write_a 11:11 bool, write_depth 12:12 bool,
    } Dirty(FRAGMENT);
    /// Empties the framebuffer caches without writing them back.
    fb_invalidate @ 0x110 { trigger 0:0 bool } Trigger(FramebufferInvalidate);
    /// Writes the framebuffer caches back.
    fb_flush @ 0x111 { trigger 0:0 bool } Trigger(FramebufferFlush);
    /// Colour buffer may be read: 0 no, 15 yes.
    color_read_allow @ 0x112 { allow 0:3 bits } Dirty(FRAGMENT);
    /// Colour buffer may be written: anything but 0. Not a mask (tested on hardware).
    color_write_allow @ 0x113 { allow 0:3 bits } Dirty(FRAGMENT);
    /// Stencil and depth may be read.
    depth_read_allow @ 0x114 { stencil 0:0 bool, depth 1:1 bool } Dirty(FRAGMENT);
    /// Stencil and depth may be written; on hardware anything but 0 allows both.
    depth_write_allow @ 0x115 { stencil 0:0 bool, depth 1:1 bool } Dirty(FRAGMENT);
    /// Depth format.
    depth_format @ 0x116 { format 0:1 DepthFormat } Dirty(TARGET);
    /// Colour format, and bits of a pixel.
    color_format @ 0x117 { size 0:1 PixelSize, format 16:18 ColorFormat } Dirty(TARGET);
    /// Early depth test on or off, second of two switches.
    earlydepth_test2 @ 0x118 { enable 0:0 bool } Dirty(FRAGMENT);
    /// Blocks of 32x32 pixels instead of 8x8.
    fb_block32 @ 0x11B { enable 0:0 bool } Dirty(TARGET);
    /// Physical address of the depth buffer.
    depth_addr @ 0x11C { address 0:27 address(3) } Dirty(TARGET);
    /// Physical address of the colour buffer.
    color_addr @ 0x11D { address 0:27 address(3) } Dirty(TARGET);
    /// Dimensions, pixels; flip is 1 normally.
    fb_dim @ 0x11E { width 0:10, height_minus_1 12:21, flip 24:24 bool } Dirty(TARGET);
    /// Planar light of gas.
    gas_light_xy @ 0x120 { min 0:7, max 8:15, attenuation 16:23 } Dirty(COMBINER);
    /// View light of gas.
    gas_light_z @ 0x121 { min 0:7, max 8:15, attenuation 16:23 } Dirty(COMBINER);
    /// Line-of-sight effect; input of the gas table.
    gas_light_z_color @ 0x122 { effect 0:7, lut_input 8:8 GasLookup } Dirty(COMBINER);
    /// Entry that GAS_LUT_DATA writes; 4 bits count.
    gas_lut_index @ 0x123 { index 0:15 };
    /// Port of the gas table: eight signed differences, then eight colours.
    gas_lut_data @ 0x124 { r 0:7, g 8:15, b 16:23 } Trigger(GasData);
    /// Writing 0 below starts accumulation; above the largest density met, f16.
    gas_accmax_feedback @ 0x125 { start 0:15, density 16:31 f16 } Trigger(GasStart);
    /// Depth attenuation of gas u16.8 and depth function of gas.
    gas_deltaz_depth @ 0x126 { attenuation 0:23 ufixed(8), func 24:25 GasCompare } Dirty(FRAGMENT);
    /// Shadow: constant f16 (penumbra scale + bias), linear f16 (negated penumbra scale).
    shadow_attenuation @ 0x130 { constant 0:15 f16, linear 16:31 f16 } Dirty(FRAGMENT);
}
