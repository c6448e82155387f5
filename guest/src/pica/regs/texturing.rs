//! Texture units, the procedural texture, the texture combiner and fog. 0x080 to 0x0FD.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::texture_values::{
    AlphaOperand, ColorOperand, CombinerFunction, CombinerScale, CombinerSource, FogMode, GasSource, ProcTexClamp,
    ProcTexFilter, ProcTexMap, ProcTexShift, ProcTexTable, ShadowProjection, TexCoord2, TexCoord3, TextureFilter,
    TextureFormat, TextureType, TextureWrap,
};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Texture units on or off and coordinates of units 2 and 3. Bit 16 empties the texture cache.
    tex_config @ 0x080 {
        enable0 0:0 bool, enable1 1:1 bool, enable2 2:2 bool, coord3 8:9 TexCoord3, enable3 10:10 bool, one 12:12,
        coord2 13:13 TexCoord2, clear_cache 16:16 bool,
    } Trigger(TextureCacheClear);
    /// Border colours.
    tex_border @ [
        0x081 tex0_border, 0x091 tex1_border, 0x099 tex2_border,
    ] { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(TEXTURE);
    /// Dimensions of level 0, texels.
    tex_dim @ [0x082 tex0_dim, 0x092 tex1_dim, 0x09A tex2_dim] { height 0:10, width 16:26 } Dirty(TEXTURE);
    /// Filters, wrapping of t and s, etc (2 for ETC1). Unit 0 only: shadow, kind.
    tex_param @ [0x083 tex0_param, 0x093 tex1_param, 0x09B tex2_param] {
        mag 1:1 TextureFilter, min 2:2 TextureFilter, etc 4:5, wrap_t 8:10 TextureWrap, wrap_s 12:14 TextureWrap,
        shadow 20:20 bool, mip 24:24 TextureFilter, kind 28:30 TextureType,
    } Dirty(TEXTURE);
    /// Level of detail: bias s4.8, largest and smallest level.
    tex_lod @ [
        0x084 tex0_lod, 0x094 tex1_lod, 0x09C tex2_lod,
    ] { bias 0:12 sfixed(8), max 16:19, min 24:27 } Dirty(TEXTURE);
    /// Physical address. Of a cube the face +X.
    tex_addr @ [0x085 tex0_addr1, 0x095 tex1_addr1, 0x09D tex2_addr1] { address 0:27 address(3) } Dirty(TEXTURE);
    /// Low 25 bits of the physical addresses of the cube faces -X, +Y, -Y, +Z, -Z; the upper bits are those of
    /// TEX0_ADDR1.
    tex0_face_addr @ [
        0x086 tex0_addr2, 0x087 tex0_addr3, 0x088 tex0_addr4, 0x089 tex0_addr5, 0x08A tex0_addr6,
    ] { low 0:21 address(3) } Dirty(TEXTURE);
    /// Shadow texture: projection; bits 1 to 23 of a 24-bit depth bias.
    tex0_shadow @ 0x08B { projection 0:0 ShadowProjection, bias 1:23 } Dirty(TEXTURE);
    /// Texel formats.
    tex_format @ [0x08E tex0_format, 0x096 tex1_format, 0x09E tex2_format] { format 0:3 TextureFormat } Dirty(TEXTURE);
    /// Fragment lighting on or off, first of two switches.
    lighting_enable0 @ 0x08F { enable 0:0 bool } Dirty(LIGHTING);

    // Procedural texture (unit 3).

    /// Clamping, map functions, noise, shift; low 8 bits of the bias (f16).
    proctex0 @ 0x0A8 {
        clamp_u 0:2 ProcTexClamp, clamp_v 3:5 ProcTexClamp, rgb_map 6:9 ProcTexMap, alpha_map 10:13 ProcTexMap,
        separate_alpha 14:14 bool, noise 15:15 bool, shift_u 16:17 ProcTexShift, shift_v 18:19 ProcTexShift,
        bias_low 20:27 bits,
    } Dirty(PROCTEX);
    /// Noise along u: amplitude s3.12, phase f16.
    proctex1_noise_u @ 0x0A9 { amplitude 0:15 sfixed(12), phase 16:31 f16 } Dirty(PROCTEX);
    /// Noise along v: amplitude s3.12, phase f16.
    proctex2_noise_v @ 0x0AA { amplitude 0:15 sfixed(12), phase 16:31 f16 } Dirty(PROCTEX);
    /// Noise frequencies, f16.
    proctex3_noise_freq @ 0x0AB { u 0:15 f16, v 16:31 f16 } Dirty(PROCTEX);
    /// Filter, levels, width of the colour table; high 8 bits of the bias.
    proctex4 @ 0x0AC {
        filter 0:2 ProcTexFilter, lod_min 3:6, lod_max 7:10, width 11:18, bias_high 19:26 bits,
    } Dirty(PROCTEX);
    /// Where each level begins in the colour table.
    proctex5 @ 0x0AD { level0 0:7, level1 8:15, level2 16:23, level3 24:31 } Dirty(PROCTEX);
    /// Table and entry that PROCTEX_LUT_DATA writes.
    proctex_lut_index @ 0x0AF { index 0:7, table 8:11 ProcTexTable };
    /// Port of the procedural texture tables.
    proctex_lut_data @ [
        0x0B0 proctex_lut_data0, 0x0B1 proctex_lut_data1, 0x0B2 proctex_lut_data2, 0x0B3 proctex_lut_data3,
        0x0B4 proctex_lut_data4, 0x0B5 proctex_lut_data5, 0x0B6 proctex_lut_data6, 0x0B7 proctex_lut_data7,
    ] { entry 0:31 bits } Trigger(ProcTexData);

    // Texture combiner, fog and gas colouring.

    /// Sources of each combiner stage.
    tev_source @ [
        0x0C0 tev0_source, 0x0C8 tev1_source, 0x0D0 tev2_source, 0x0D8 tev3_source, 0x0F0 tev4_source,
        0x0F8 tev5_source,
    ] {
        rgb1 0:3 CombinerSource, rgb2 4:7 CombinerSource, rgb3 8:11 CombinerSource, alpha1 16:19 CombinerSource,
        alpha2 20:23 CombinerSource, alpha3 24:27 CombinerSource,
    } Dirty(COMBINER);
    /// The components that each stage takes of its sources.
    tev_operand @ [
        0x0C1 tev0_operand, 0x0C9 tev1_operand, 0x0D1 tev2_operand, 0x0D9 tev3_operand, 0x0F1 tev4_operand,
        0x0F9 tev5_operand,
    ] {
        rgb1 0:3 ColorOperand, rgb2 4:7 ColorOperand, rgb3 8:11 ColorOperand, alpha1 12:14 AlphaOperand,
        alpha2 16:18 AlphaOperand, alpha3 20:22 AlphaOperand,
    } Dirty(COMBINER);
    /// Operation of each stage; undefined ones replace.
    tev_combiner @ [
        0x0C2 tev0_combiner, 0x0CA tev1_combiner, 0x0D2 tev2_combiner, 0x0DA tev3_combiner, 0x0F2 tev4_combiner,
        0x0FA tev5_combiner,
    ] { rgb 0:3 CombinerFunction, alpha 16:19 CombinerFunction } Dirty(COMBINER);
    /// Constant colour of each stage.
    tev_color @ [
        0x0C3 tev0_color, 0x0CB tev1_color, 0x0D3 tev2_color, 0x0DB tev3_color, 0x0F3 tev4_color,
        0x0FB tev5_color,
    ] { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(COMBINER);
    /// Scale of each stage's result.
    tev_scale @ [
        0x0C4 tev0_scale, 0x0CC tev1_scale, 0x0D4 tev2_scale, 0x0DC tev3_scale, 0x0F4 tev4_scale,
        0x0FC tev5_scale,
    ] { rgb 0:1 CombinerScale, alpha 16:17 CombinerScale } Dirty(COMBINER);
    /// Fog mode, gas density source, which of stages 0 to 3 update the combiner buffer (bit per stage), fog on 1 -
    /// depth.
    tev_update_fog @ 0x0E0 {
        fog_mode 0:2 FogMode, gas_source 3:3 GasSource, update_rgb 8:11 bits, update_alpha 12:15 bits,
        fog_flip 16:16 bool,
    } Dirty(COMBINER);
    /// Fog colour.
    fog_color @ 0x0E1 { r 0:7, g 8:15, b 16:23 } Dirty(COMBINER);
    /// Gas attenuation, f16.
    gas_attenuation @ 0x0E4 { value 0:15 f16 } Dirty(COMBINER);
    /// Reciprocal of the largest accumulated gas density, f16.
    gas_accmax @ 0x0E5 { value 0:15 f16 } Dirty(COMBINER);
    /// Entry that FOG_LUT_DATA writes; 7 bits count.
    fog_lut_index @ 0x0E6 { index 0:15 };
    /// Port of the fog table: value u0.11, difference to the next s1.11.
    fog_lut_data @ [
        0x0E8 fog_lut_data0, 0x0E9 fog_lut_data1, 0x0EA fog_lut_data2, 0x0EB fog_lut_data3, 0x0EC fog_lut_data4,
        0x0ED fog_lut_data5, 0x0EE fog_lut_data6, 0x0EF fog_lut_data7,
    ] { difference 0:12 sfixed(11), value 13:23 ufixed(11) } Trigger(FogData);
    /// Combiner buffer before the first stage.
    tev_buffer_color @ 0x0FD { r 0:7, g 8:15, b 16:23, a 24:31 } Dirty(COMBINER);
}
