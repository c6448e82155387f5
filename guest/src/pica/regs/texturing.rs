//! Texture units, the procedural texture, the texture combiner and fog. 0x080 to 0x0FD.

use super::effect::{Effect, Trigger::*, dirty::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Texture units on or off and their coordinates: unit 2 takes 0 texcoord2, 1 texcoord1; unit 3 takes texcoord 0, 1
    /// or 2. Bit 16 empties the texture cache.
    tex_config @ 0x080 {
        enable0 0:0, enable1 1:1, enable2 2:2, coord3 8:9, enable3 10:10, one 12:12, coord2 13:13,
        clear_cache 16:16,
    } Trigger(TextureCacheClear);
    /// Border colours.
    tex_border @ [
        0x081 tex0_border, 0x091 tex1_border, 0x099 tex2_border,
    ] { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(TEXTURE);
    /// Dimensions of level 0, texels.
    tex_dim @ [0x082 tex0_dim, 0x092 tex1_dim, 0x09A tex2_dim] { height 0:10, width 16:26 } Dirty(TEXTURE);
    /// Filters (1 linear), wrapping of t and s (0 clamp to edge, 1 clamp to border, 2 repeat, 3 mirror, 4 and 5 clamp
    /// above and repeat below zero, 6 and 7 repeat), etc (2 for ETC1). Unit 0 only: shadow, kind 0 2D, 1 cube, 2 shadow
    /// 2D, 3 projection, 4 shadow cube, 5 disabled.
    tex_param @ [0x083 tex0_param, 0x093 tex1_param, 0x09B tex2_param] {
        mag_linear 1:1, min_linear 2:2, etc 4:5, wrap_t 8:10, wrap_s 12:14, shadow 20:20, mip_linear 24:24,
        kind 28:30,
    } Dirty(TEXTURE);
    /// Level of detail: bias s4.8, largest and smallest level.
    tex_lod @ [
        0x084 tex0_lod, 0x094 tex1_lod, 0x09C tex2_lod,
    ] { bias 0:12 signed, max 16:19, min 24:27 } Dirty(TEXTURE);
    /// Physical address / 8. Of a cube the face +X.
    tex_addr @ [0x085 tex0_addr1, 0x095 tex1_addr1, 0x09D tex2_addr1] { address 0:27 } Dirty(TEXTURE);
    /// Low 22 bits of physical address / 8 of the cube faces -X, +Y, -Y, +Z, -Z; the upper bits are those of
    /// TEX0_ADDR1.
    tex0_face_addr @ [
        0x086 tex0_addr2, 0x087 tex0_addr3, 0x088 tex0_addr4, 0x089 tex0_addr5, 0x08A tex0_addr6,
    ] { low 0:21 } Dirty(TEXTURE);
    /// Shadow texture: 1 orthographic, 0 perspective; bits 1 to 23 of a 24-bit depth bias.
    tex0_shadow @ 0x08B { orthographic 0:0, bias 1:23 } Dirty(TEXTURE);
    /// Texel formats: 0 RGBA8, 1 RGB8, 2 RGB5A1, 3 RGB565, 4 RGBA4, 5 IA8, 6 HILO8, 7 I8, 8 A8, 9 IA4, 10 I4, 11 A4, 12
    /// ETC1, 13 ETC1A4.
    tex_format @ [0x08E tex0_format, 0x096 tex1_format, 0x09E tex2_format] { format 0:3 } Dirty(TEXTURE);
    /// Fragment lighting on or off, first of two switches.
    lighting_enable0 @ 0x08F { enable 0:0 } Dirty(LIGHTING);

    // Procedural texture (unit 3).

    /// Clamping, map functions, noise, shift; low 8 bits of the bias (f16).
    proctex0 @ 0x0A8 {
        clamp_u 0:2, clamp_v 3:5, rgb_map 6:9, alpha_map 10:13, separate_alpha 14:14, noise 15:15, shift_u 16:17,
        shift_v 18:19, bias_low 20:27,
    } Dirty(PROCTEX);
    /// Noise along u: amplitude s3.12, phase f16.
    proctex1_noise_u @ 0x0A9 { amplitude 0:15 signed, phase 16:31 } Dirty(PROCTEX);
    /// Noise along v: amplitude s3.12, phase f16.
    proctex2_noise_v @ 0x0AA { amplitude 0:15 signed, phase 16:31 } Dirty(PROCTEX);
    /// Noise frequencies, f16.
    proctex3_noise_freq @ 0x0AB { u 0:15, v 16:31 } Dirty(PROCTEX);
    /// Filter, levels, width of the colour table; high 8 bits of the bias.
    proctex4 @ 0x0AC { filter 0:2, lod_min 3:6, lod_max 7:10, width 11:18, bias_high 19:26 } Dirty(PROCTEX);
    /// Where each level begins in the colour table.
    proctex5 @ 0x0AD { level0 0:7, level1 8:15, level2 16:23, level3 24:31 } Dirty(PROCTEX);
    /// Table (0 noise, 2 rgb map, 3 alpha map, 4 colour, 5 colour difference) and entry that PROCTEX_LUT_DATA writes.
    proctex_lut_index @ 0x0AF { index 0:7, table 8:11 };
    /// Port of the procedural texture tables.
    proctex_lut_data @ [
        0x0B0 proctex_lut_data0, 0x0B1 proctex_lut_data1, 0x0B2 proctex_lut_data2, 0x0B3 proctex_lut_data3,
        0x0B4 proctex_lut_data4, 0x0B5 proctex_lut_data5, 0x0B6 proctex_lut_data6, 0x0B7 proctex_lut_data7,
    ] { entry 0:31 } Trigger(ProcTexData);

    // Texture combiner, fog and gas colouring.

    /// Sources of each combiner stage: 0 vertex colour, 1 and 2 primary and secondary lighting, 3 to 6 textures, 13
    /// combiner buffer, 14 constant, 15 previous stage.
    tev_source @ [
        0x0C0 tev0_source, 0x0C8 tev1_source, 0x0D0 tev2_source, 0x0D8 tev3_source, 0x0F0 tev4_source,
        0x0F8 tev5_source,
    ] { rgb1 0:3, rgb2 4:7, rgb3 8:11, alpha1 16:19, alpha2 20:23, alpha3 24:27 } Dirty(COMBINER);
    /// What each stage takes of its sources. Colour: 0 rgb, 1 inverted, 2 alpha, 3 inverted, 4 red, 5 inverted, 8
    /// green, 9 inverted, 12 blue, 13 inverted. Alpha: 0 alpha, 1 inverted, 2 red, 3 inverted, 4 green, 5 inverted, 6
    /// blue, 7 inverted.
    tev_operand @ [
        0x0C1 tev0_operand, 0x0C9 tev1_operand, 0x0D1 tev2_operand, 0x0D9 tev3_operand, 0x0F1 tev4_operand,
        0x0F9 tev5_operand,
    ] { rgb1 0:3, rgb2 4:7, rgb3 8:11, alpha1 12:14, alpha2 16:18, alpha3 20:22 } Dirty(COMBINER);
    /// Operation of each stage: 0 replace, 1 modulate, 2 add, 3 add signed, 4 interpolate, 5 subtract, 6 and 7 dot
    /// product, 8 multiply then add, 9 add then multiply.
    tev_combiner @ [
        0x0C2 tev0_combiner, 0x0CA tev1_combiner, 0x0D2 tev2_combiner, 0x0DA tev3_combiner, 0x0F2 tev4_combiner,
        0x0FA tev5_combiner,
    ] { rgb 0:3, alpha 16:19 } Dirty(COMBINER);
    /// Constant colour of each stage.
    tev_color @ [
        0x0C3 tev0_color, 0x0CB tev1_color, 0x0D3 tev2_color, 0x0DB tev3_color, 0x0F3 tev4_color,
        0x0FB tev5_color,
    ] { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(COMBINER);
    /// Scale of each stage's result: 0 1, 1 2, 2 4.
    tev_scale @ [
        0x0C4 tev0_scale, 0x0CC tev1_scale, 0x0D4 tev2_scale, 0x0DC tev3_scale, 0x0F4 tev4_scale,
        0x0FC tev5_scale,
    ] { rgb 0:1, alpha 16:17 } Dirty(COMBINER);
    /// Fog mode (0 off, 5 fog, 7 gas), gas density source, which of stages 0 to 3 update the combiner buffer (bit per
    /// stage), fog on 1 - depth.
    tev_update_fog @ 0x0E0 {
        fog_mode 0:2, gas_source 3:3, update_rgb 8:11, update_alpha 12:15, fog_flip 16:16,
    } Dirty(COMBINER);
    /// Fog colour.
    fog_color @ 0x0E1 { r 0:7, g 8:15, b 16:23 } Dirty(COMBINER);
    /// Gas attenuation, f16.
    gas_attenuation @ 0x0E4 { value 0:15 } Dirty(COMBINER);
    /// Reciprocal of the largest accumulated gas density, f16.
    gas_accmax @ 0x0E5 { value 0:15 } Dirty(COMBINER);
    /// Entry that FOG_LUT_DATA writes; 7 bits count.
    fog_lut_index @ 0x0E6 { index 0:15 };
    /// Port of the fog table: value u0.11, difference to the next s1.11.
    fog_lut_data @ [
        0x0E8 fog_lut_data0, 0x0E9 fog_lut_data1, 0x0EA fog_lut_data2, 0x0EB fog_lut_data3, 0x0EC fog_lut_data4,
        0x0ED fog_lut_data5, 0x0EE fog_lut_data6, 0x0EF fog_lut_data7,
    ] { difference 0:12 signed, value 13:23 } Trigger(FogData);
    /// Combiner buffer before the first stage.
    tev_buffer_color @ 0x0FD { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(COMBINER);
}
