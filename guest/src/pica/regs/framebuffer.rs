//! Per-fragment operations, the framebuffer, gas and shadow accumulation. 0x100 to 0x130.

use super::effect::{Effect, Trigger::*, dirty::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Fragment mode (0 default, 1 gas, 3 shadow) and 1 blending or 0 logic operation.
    color_operation @ 0x100 { mode 0:1, blend 8:8, constant 16:25 } Dirty(FRAGMENT);
    /// Blend equations (0 add, 1 subtract, 2 reverse subtract, 3 min, 4 max) and factors.
    blend_func @ 0x101 {
        rgb_equation 0:2, alpha_equation 8:10, rgb_src 16:19, rgb_dst 20:23, alpha_src 24:27, alpha_dst 28:31,
    } Dirty(FRAGMENT);
    /// Logic operation.
    logic_op @ 0x102 { op 0:3 } Dirty(FRAGMENT);
    /// Constant colour of blending.
    blend_color @ 0x103 { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(FRAGMENT);
    /// Alpha test; functions 0 never, 1 always, 2 ==, 3 !=, 4 <, 5 <=, 6 >, 7 >=.
    alpha_test @ 0x104 { enable 0:0, func 4:6, reference 8:15 } Dirty(FRAGMENT);
    /// Stencil test.
    stencil_test @ 0x105 { enable 0:0, func 4:6, write_mask 8:15, reference 16:23, input_mask 24:31 } Dirty(FRAGMENT);
    /// Stencil operations: 0 keep, 1 zero, 2 replace, 3 increment, 4 decrement, 5 invert, 6 increment and wrap, 7
    /// decrement and wrap.
    stencil_op @ 0x106 { fail 0:2, depth_fail 4:6, depth_pass 8:10 } Dirty(FRAGMENT);
    /// Depth test and write masks.
    depth_color_mask @ 0x107 {
        depth_test 0:0, depth_func 4:6, write_r 8:8, write_g 9:9, write_b 10:10, write_a 11:11, write_depth 12:12,
    } Dirty(FRAGMENT);
    /// Empties the framebuffer caches without writing them back.
    fb_invalidate @ 0x110 { trigger 0:0 } Trigger(FramebufferInvalidate);
    /// Writes the framebuffer caches back.
    fb_flush @ 0x111 { trigger 0:0 } Trigger(FramebufferFlush);
    /// Colour buffer may be read: 0 no, 15 yes.
    color_read_allow @ 0x112 { allow 0:3 } Dirty(FRAGMENT);
    /// Colour buffer may be written: anything but 0. Not a mask (tested on hardware).
    color_write_allow @ 0x113 { allow 0:3 } Dirty(FRAGMENT);
    /// Stencil and depth may be read.
    depth_read_allow @ 0x114 { stencil 0:0, depth 1:1 } Dirty(FRAGMENT);
    /// Stencil and depth may be written; on hardware anything but 0 allows both.
    depth_write_allow @ 0x115 { stencil 0:0, depth 1:1 } Dirty(FRAGMENT);
    /// Depth format: 0 D16, 2 D24, 3 D24S8.
    depth_format @ 0x116 { format 0:1 } Dirty(TARGET);
    /// Colour format (0 RGBA8, 1 RGB8, 2 RGB5A1, 3 RGB565, 4 RGBA4) and pixel size (0 16, 1 24, 2 32 bits).
    color_format @ 0x117 { size 0:1, format 16:18 } Dirty(TARGET);
    /// Early depth test on or off, second of two switches.
    earlydepth_test2 @ 0x118 { enable 0:0 } Dirty(FRAGMENT);
    /// Blocks of 32x32 pixels instead of 8x8.
    fb_block32 @ 0x11B { enable 0:0 } Dirty(TARGET);
    /// Physical address / 8 of the depth buffer.
    depth_addr @ 0x11C { address 0:27 } Dirty(TARGET);
    /// Physical address / 8 of the colour buffer.
    color_addr @ 0x11D { address 0:27 } Dirty(TARGET);
    /// Dimensions, pixels; flip is 1 normally.
    fb_dim @ 0x11E { width 0:10, height_minus_1 12:21, flip 24:24 } Dirty(TARGET);
    /// Planar light of gas.
    gas_light_xy @ 0x120 { min 0:7, max 8:15, attenuation 16:23 } Dirty(COMBINER);
    /// View light of gas.
    gas_light_z @ 0x121 { min 0:7, max 8:15, attenuation 16:23 } Dirty(COMBINER);
    /// Line-of-sight effect; input of the gas table, 0 density, 1 light factor.
    gas_light_z_color @ 0x122 { effect 0:7, lut_input 8:8 } Dirty(COMBINER);
    /// Entry that GAS_LUT_DATA writes; 4 bits count.
    gas_lut_index @ 0x123 { index 0:15 };
    /// Port of the gas table: eight signed differences, then eight colours.
    gas_lut_data @ 0x124 { r 0:7, g 8:15, b 16:23 } Trigger(GasData);
    /// Writing 0 below starts accumulation; above the largest density met, f16.
    gas_accmax_feedback @ 0x125 { start 0:15, density 16:31 } Trigger(GasStart);
    /// Depth attenuation of gas u16.8 and depth function of gas.
    gas_deltaz_depth @ 0x126 { attenuation 0:23, func 24:25 } Dirty(FRAGMENT);
    /// Shadow: constant f16 (penumbra scale + bias), linear f16 (negated penumbra scale).
    shadow_attenuation @ 0x130 { constant 0:15, linear 16:31 } Dirty(FRAGMENT);
}
