//! Fragment lighting. 0x140 to 0x1D9. In colours 255 is 1.0 and more is brighter.

use super::effect::{Effect, Trigger::*, dirty::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// First specular colour of each light.
    light_specular0 @ [0x140; 8 step 16] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Second specular colour of each light.
    light_specular1 @ [0x141; 8 step 16] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Diffuse colour of each light.
    light_diffuse @ [0x142; 8 step 16] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Ambient colour of each light.
    light_ambient @ [0x143; 8 step 16] { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Position or direction of each light, f16.
    light_xy @ [0x144; 8 step 16] { x 0:15, y 16:31 } Dirty(LIGHTING);
    /// Position or direction of each light, f16.
    light_z @ [0x145; 8 step 16] { z 0:15 } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_xy @ [0x146; 8 step 16] { x 0:12 signed, y 16:28 signed } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_z @ [0x147; 8 step 16] { z 0:12 signed } Dirty(LIGHTING);
    /// Kind of each light: directional, two-sided diffuse, geometric factors of the two specular terms.
    light_config @ [0x149; 8 step 16] { directional 0:0, two_sided 1:1, geometric0 2:2, geometric1 3:3 } Dirty(LIGHTING);
    /// Distance attenuation bias of each light, f20.
    light_dist_bias @ [0x14A; 8 step 16] { value 0:19 } Dirty(LIGHTING);
    /// Distance attenuation scale of each light, f20.
    light_dist_scale @ [0x14B; 8 step 16] { value 0:19 } Dirty(LIGHTING);
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
