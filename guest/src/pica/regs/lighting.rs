//! Fragment lighting. 0x140 to 0x1D9. In colours 255 is 1.0 and more is brighter.

use super::effect::{Effect, Trigger::*, dirty::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// First specular colour of each light.
    light_specular0 @ [
        0x140 light0_specular0, 0x150 light1_specular0, 0x160 light2_specular0, 0x170 light3_specular0,
        0x180 light4_specular0, 0x190 light5_specular0, 0x1A0 light6_specular0, 0x1B0 light7_specular0,
    ] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Second specular colour of each light.
    light_specular1 @ [
        0x141 light0_specular1, 0x151 light1_specular1, 0x161 light2_specular1, 0x171 light3_specular1,
        0x181 light4_specular1, 0x191 light5_specular1, 0x1A1 light6_specular1, 0x1B1 light7_specular1,
    ] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Diffuse colour of each light.
    light_diffuse @ [
        0x142 light0_diffuse, 0x152 light1_diffuse, 0x162 light2_diffuse, 0x172 light3_diffuse,
        0x182 light4_diffuse, 0x192 light5_diffuse, 0x1A2 light6_diffuse, 0x1B2 light7_diffuse,
    ] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Ambient colour of each light.
    light_ambient @ [
        0x143 light0_ambient, 0x153 light1_ambient, 0x163 light2_ambient, 0x173 light3_ambient,
        0x183 light4_ambient, 0x193 light5_ambient, 0x1A3 light6_ambient, 0x1B3 light7_ambient,
    ] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Position or direction of each light, f16.
    light_xy @ [
        0x144 light0_xy, 0x154 light1_xy, 0x164 light2_xy, 0x174 light3_xy, 0x184 light4_xy, 0x194 light5_xy,
        0x1A4 light6_xy, 0x1B4 light7_xy,
    ] { x 0:15, y 16:31 } Dirty(LIGHTING);
    /// Position or direction of each light, f16.
    light_z @ [
        0x145 light0_z, 0x155 light1_z, 0x165 light2_z, 0x175 light3_z, 0x185 light4_z, 0x195 light5_z,
        0x1A5 light6_z, 0x1B5 light7_z,
    ] { z 0:15 } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_xy @ [
        0x146 light0_spotdir_xy, 0x156 light1_spotdir_xy, 0x166 light2_spotdir_xy, 0x176 light3_spotdir_xy,
        0x186 light4_spotdir_xy, 0x196 light5_spotdir_xy, 0x1A6 light6_spotdir_xy, 0x1B6 light7_spotdir_xy,
    ] { x 0:12 signed, y 16:28 signed } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_z @ [
        0x147 light0_spotdir_z, 0x157 light1_spotdir_z, 0x167 light2_spotdir_z, 0x177 light3_spotdir_z,
        0x187 light4_spotdir_z, 0x197 light5_spotdir_z, 0x1A7 light6_spotdir_z, 0x1B7 light7_spotdir_z,
    ] { z 0:12 signed } Dirty(LIGHTING);
    /// Kind of each light: directional, two-sided diffuse, geometric factors of the two specular terms.
    light_config @ [
        0x149 light0_config, 0x159 light1_config, 0x169 light2_config, 0x179 light3_config, 0x189 light4_config,
        0x199 light5_config, 0x1A9 light6_config, 0x1B9 light7_config,
    ] { directional 0:0, two_sided 1:1, geometric0 2:2, geometric1 3:3 } Dirty(LIGHTING);
    /// Distance attenuation bias of each light, f20.
    light_dist_bias @ [
        0x14A light0_dist_bias, 0x15A light1_dist_bias, 0x16A light2_dist_bias, 0x17A light3_dist_bias,
        0x18A light4_dist_bias, 0x19A light5_dist_bias, 0x1AA light6_dist_bias, 0x1BA light7_dist_bias,
    ] { value 0:19 } Dirty(LIGHTING);
    /// Distance attenuation scale of each light, f20.
    light_dist_scale @ [
        0x14B light0_dist_scale, 0x15B light1_dist_scale, 0x16B light2_dist_scale, 0x17B light3_dist_scale,
        0x18B light4_dist_scale, 0x19B light5_dist_scale, 0x1AB light6_dist_scale, 0x1BB light7_dist_scale,
    ] { value 0:19 } Dirty(LIGHTING);
    /// Global ambient colour.
    lighting_ambient @ 0x1C0 { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Number of lights - 1.
    lighting_num_lights @ 0x1C2 { count_minus_1 0:2 } Dirty(LIGHTING);
    /// Configuration (0 to 6, 8), shadow, Fresnel, bump mapping (0 none, 1 bump, 2 tangent), highlights.
    lighting_config0 @ 0x1C3 {
        shadow 0:0, fresnel_primary 2:2, fresnel_secondary 3:3, config 4:7, four 8:11, shadow_primary 16:16,
        shadow_secondary 17:17, shadow_invert 18:18, shadow_alpha 19:19, bump_texture 22:23, shadow_texture 24:25,
        clamp_highlights 27:27, bump_mode 28:29, no_renormalize 30:30, one 31:31,
    } Dirty(LIGHTING);
    /// Terms switched off (1): per light shadow, spot and distance attenuation; tables.
    lighting_config1 @ 0x1C4 {
        shadow_off 0:7, spot_off 8:15, d0_off 16:16, d1_off 17:17, one 18:18, fr_off 19:19, rb_off 20:20,
        rg_off 21:21, rr_off 22:22, one2 23:23, distance_off 24:31,
    } Dirty(LIGHTING);
    /// Table (0 D0, 1 D1, 3 FR, 4 RB, 5 RG, 6 RR, 8 to 15 spot, 16 to 23 distance) and entry that LIGHTING_LUT_DATA
    /// writes.
    lighting_lut_index @ 0x1C5 { index 0:7, table 8:12 };
    /// Fragment lighting off, second of two switches.
    lighting_disable @ 0x1C6 { disable 0:0 } Dirty(LIGHTING);
    /// Port of the light tables: value u0.12, difference u0.11 and its sign.
    lighting_lut_data @ [
        0x1C8 lighting_lut_data0, 0x1C9 lighting_lut_data1, 0x1CA lighting_lut_data2, 0x1CB lighting_lut_data3,
        0x1CC lighting_lut_data4, 0x1CD lighting_lut_data5, 0x1CE lighting_lut_data6, 0x1CF lighting_lut_data7,
    ] { value 0:11, difference 12:22, negative 23:23 } Trigger(LightLutData);
    /// Table inputs: 1 signed, 0 absolute value.
    lighting_lutinput_abs @ 0x1D0 { d0 1:1, d1 5:5, sp 9:9, fr 13:13, rb 17:17, rg 21:21, rr 25:25 } Dirty(LIGHTING);
    /// Table inputs: 0 N.H, 1 V.H, 2 N.V, 3 L.N, 4 -L.P, 5 cos phi.
    lighting_lutinput_select @ 0x1D1 {
        d0 0:2, d1 4:6, sp 8:10, fr 12:14, rb 16:18, rg 20:22, rr 24:26,
    } Dirty(LIGHTING);
    /// Scale of table outputs: 0 1, 1 2, 2 4, 3 8, 6 1/4, 7 1/2.
    lighting_lut_scale @ 0x1D2 { d0 0:2, d1 4:6, sp 8:10, fr 12:14, rb 16:18, rg 20:22, rr 24:26 } Dirty(LIGHTING);
    /// Which light each of the lighting slots computes.
    lighting_permutation @ 0x1D9 {
        slot0 0:2, slot1 4:6, slot2 8:10, slot3 12:14, slot4 16:18, slot5 20:22, slot6 24:26, slot7 28:30,
    } Dirty(LIGHTING);
}
