//! Fragment lighting. 0x140 to 0x1D9. In colours 255 is 1.0 and more is brighter.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::light_values::{BumpMode, LightInput, LightInputRange, LightScale, LightTable, LightingConfig};
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
    light_xy @ [0x144; 8 step 16] { x 0:15 f16, y 16:31 f16 } Dirty(LIGHTING);
    /// Position or direction of each light, f16.
    light_z @ [0x145; 8 step 16] { z 0:15 f16 } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_xy @ [0x146; 8 step 16] { x 0:12 sfixed(11), y 16:28 sfixed(11) } Dirty(LIGHTING);
    /// Spot direction of each light, s1.11, negated.
    light_spotdir_z @ [0x147; 8 step 16] { z 0:12 sfixed(11) } Dirty(LIGHTING);
    /// Unknown; libraries write it with its neighbours.
    light_unknown @ [0x148; 8 step 16] { word 0:31 bits };
    /// Kind of each light: directional, two-sided diffuse, geometric factors of the two specular terms.
    light_config @ [0x149; 8 step 16] {
        directional 0:0 bool, two_sided 1:1 bool, geometric0 2:2 bool, geometric1 3:3 bool,
    } Dirty(LIGHTING);
    /// Distance attenuation bias of each light, f20.
    light_dist_bias @ [0x14A; 8 step 16] { value 0:19 f20 } Dirty(LIGHTING);
    /// Distance attenuation scale of each light, f20.
    light_dist_scale @ [0x14B; 8 step 16] { value 0:19 f20 } Dirty(LIGHTING);
    /// Global ambient colour.
    lighting_ambient @ 0x1C0 { b 0:9, g 10:19, r 20:29 } Dirty(LIGHTING);
    /// Number of lights - 1.
    lighting_num_lights @ 0x1C2 { count_minus_1 0:2 } Dirty(LIGHTING);
    /// Configuration, shadow, Fresnel, bump mapping, highlights.
    lighting_config0 @ 0x1C3 {
        shadow 0:0 bool, fresnel_primary 2:2 bool, fresnel_secondary 3:3 bool, config 4:7 LightingConfig, four 8:11,
        shadow_primary 16:16 bool, shadow_secondary 17:17 bool, shadow_invert 18:18 bool, shadow_alpha 19:19 bool,
        bump_texture 22:23, shadow_texture 24:25, clamp_highlights 27:27 bool, bump_mode 28:29 BumpMode,
        no_renormalize 30:30 bool, one 31:31,
    } Dirty(LIGHTING);
    /// Terms switched off (1): per light shadow, spot and distance attenuation; tables.
    lighting_config1 @ 0x1C4 {
        shadow_off 0:7 bits, spot_off 8:15 bits, d0_off 16:16 bool, d1_off 17:17 bool, one 18:18, fr_off 19:19 bool,
        rb_off 20:20 bool, rg_off 21:21 bool, rr_off 22:22 bool, one2 23:23, distance_off 24:31 bits,
    } Dirty(LIGHTING);
    /// Table and entry that LIGHTING_LUT_DATA writes.
    lighting_lut_index @ 0x1C5 { index 0:7, table 8:12 LightTable };
    /// Fragment lighting off, second of two switches.
    lighting_disable @ 0x1C6 { disable 0:0 bool } Dirty(LIGHTING);
    /// Port of the light tables: value u0.12, difference u0.11 and its sign.
    lighting_lut_data @ [
        0x1C8 lighting_lut_data0, 0x1C9 lighting_lut_data1, 0x1CA lighting_lut_data2, 0x1CB lighting_lut_data3,
        0x1CC lighting_lut_data4, 0x1CD lighting_lut_data5, 0x1CE lighting_lut_data6, 0x1CF lighting_lut_data7,
    ] { value 0:11 ufixed(12), difference 12:22 ufixed(11), negative 23:23 bool } Trigger(LightLutData);
    /// Ranges of table inputs.
    lighting_lutinput_abs @ 0x1D0 {
        d0 1:1 LightInputRange, d1 5:5 LightInputRange, sp 9:9 LightInputRange, fr 13:13 LightInputRange,
        rb 17:17 LightInputRange, rg 21:21 LightInputRange, rr 25:25 LightInputRange,
    } Dirty(LIGHTING);
    /// Table inputs.
    lighting_lutinput_select @ 0x1D1 {
        d0 0:2 LightInput, d1 4:6 LightInput, sp 8:10 LightInput, fr 12:14 LightInput, rb 16:18 LightInput,
        rg 20:22 LightInput, rr 24:26 LightInput,
    } Dirty(LIGHTING);
    /// Scale of table outputs.
    lighting_lut_scale @ 0x1D2 {
        d0 0:2 LightScale, d1 4:6 LightScale, sp 8:10 LightScale, fr 12:14 LightScale, rb 16:18 LightScale,
        rg 20:22 LightScale, rr 24:26 LightScale,
    } Dirty(LIGHTING);
    /// Which light each of the lighting slots computes.
    lighting_permutation @ 0x1D9 {
        slot0 0:2, slot1 4:6, slot2 8:10, slot3 12:14, slot4 16:18, slot5 20:22, slot6 24:26, slot7 28:30,
    } Dirty(LIGHTING);
}
