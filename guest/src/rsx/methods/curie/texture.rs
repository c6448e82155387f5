//! Textures of fragment and vertex programs. A unit is eight registers.

use crate::rsx::enums::{
    Aniso, Convolution, MagFilter, MinFilter, RemapFrom, RemapKind, RemapOrder, TexZfunc, TextureDimension,
    TextureLocation, UnsignedRemap, Wrap,
};
use crate::rsx::methods::effect::Effect;
use crate::rsx::methods::effect::dirty::{TEXTURE, VERTEX_TEXTURE};
use crate::rsx::texel::TextureFormat;
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Tuning of anisotropic filters.
    set_aniso_spread @ [0x03C0; 16 step 4] = 0x0001_0101 { spread0 0:2, spread1 8:10, spread2 16:18 } Ignored;
    /// Unknown, initialised by GCM.
    unknown_0400 @ [0x0400; 16 step 4] = 0x0000_7421 { value 0:31 bits };
    /// Unknown, a table that GCM initialises, perhaps of filters.
    unknown_0440 @ [0x0440; 16 step 4] { value 0:31 bits };
    /// Vertex texture: address; see `SET_TEXTURE_OFFSET`.
    set_vertex_texture_offset @ [0x0900; 4 step 32] { offset 0:30 address } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: format.
    set_vertex_texture_format @ [0x0904; 4 step 32] = 0x0001_BC21 {
        location 0:1 TextureLocation, cube 2:2 bool, no_border 3:3 bool, dimension 4:7 TextureDimension,
        format 8:12 TextureFormat, linear 13:13 bool, unnormalized 14:14 bool, is_format 15:15 bool, levels 16:19,
    } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: addressing.
    set_vertex_texture_address @ [0x0908; 4 step 32] = 0x0000_0101 {
        wrap_s 0:3 Wrap, wrap_t 8:11 Wrap,
    } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: levels of detail, u4.8.
    set_vertex_texture_control0 @ [0x090C; 4 step 32] = 0x0006_0000 {
        alpha_kill 2:2 bool, max_aniso 4:6 Aniso, max_lod 7:18 ufixed(8), min_lod 19:30 ufixed(8), enable 31:31 bool,
    } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: bytes from row to row.
    set_vertex_texture_control3 @ [0x0910; 4 step 32] = 0x0000_0008 { pitch 0:17 } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: filter; they are read with the nearest one.
    set_vertex_texture_filter @ [0x0914; 4 step 32] {
        bias 0:12 sfixed(8), convolution 13:15 Convolution, min 16:19 MinFilter, mag 24:27 MagFilter,
        signed_flags 28:31 bits,
    } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: dimensions.
    set_vertex_texture_image_rect @ [0x0918; 4 step 32] = 0x0008_0008 {
        height 0:15, width 16:31,
    } Dirty(VERTEX_TEXTURE);
    /// Vertex texture: colour of the border.
    set_vertex_texture_border_color @ [0x091C; 4 step 32] { b 0:7, g 8:15, r 16:23, a 24:31 } Dirty(VERTEX_TEXTURE);
    /// Tuning of filters.
    set_texture_control2 @ [0x0B00; 16 step 4] = 0x0000_2DC8 { flags 0:7 bits } Ignored;
    /// Bytes from row to row, slices.
    set_texture_control3 @ [0x1840; 16 step 4] = 0x0010_0008 { pitch 0:17, depth 20:29 } Dirty(TEXTURE);
    /// Address in bytes. Bit 31 does nothing, bit 30 counts (a console's test: RPCS3 #5137).
    set_texture_offset @ [0x1A00; 16 step 32] { offset 0:30 address } Dirty(TEXTURE);
    /// Location, shape and format: rows instead of interleaved coordinates (`linear`), coordinates in texels
    /// (`unnormalized`); without `is_format` there is none. Fields: envytools nv30-40_3d.xml.
    set_texture_format @ [0x1A04; 16 step 32] = 0x0001_8429 {
        location 0:1 TextureLocation, cube 2:2 bool, no_border 3:3 bool, dimension 4:7 TextureDimension,
        format 8:12 TextureFormat, linear 13:13 bool, unnormalized 14:14 bool, is_format 15:15 bool, levels 16:19,
    } Dirty(TEXTURE);
    /// Addressing, conversion of channels, comparison of depth.
    set_texture_address @ [0x1A08; 16 step 32] = 0x0003_0101 {
        wrap_s 0:3 Wrap, aniso_bias 4:7, wrap_t 8:11 Wrap, unsigned_remap 12:12 UnsignedRemap, wrap_r 16:19 Wrap, gamma_r 20:20
        bool, gamma_g 21:21 bool, gamma_b 22:22 bool, gamma_a 23:23 bool, signed_remap 24:25, compare 28:31
        TexZfunc,
    } Dirty(TEXTURE);
    /// Levels of detail, u4.8, and whether the unit is on.
    set_texture_control0 @ [0x1A0C; 16 step 32] = 0x0006_0000 {
        alpha_kill 2:2 bool, max_aniso 4:6 Aniso, max_lod 7:18 ufixed(8), min_lod 19:30 ufixed(8), enable 31:31 bool,
    } Dirty(TEXTURE);
    /// Where channels come from and what they are; the order means something for formats of two components.
    set_texture_control1 @ [0x1A10; 16 step 32] = 0x0000_AAE4 {
        a_from 0:1 RemapFrom, r_from 2:3 RemapFrom, g_from 4:5 RemapFrom, b_from 6:7 RemapFrom, a_kind 8:9 RemapKind,
        r_kind 10:11 RemapKind, g_kind 12:13 RemapKind, b_kind 14:15 RemapKind, order 16:16 RemapOrder,
    } Dirty(TEXTURE);
    /// Filters and bias, s4.8.
    set_texture_filter @ [0x1A14; 16 step 32] = 0x0205_2000 {
        bias 0:12 sfixed(8), convolution 13:15 Convolution, min 16:19 MinFilter, mag 24:27 MagFilter,
        signed_flags 28:31 bits,
    } Dirty(TEXTURE);
    /// Dimensions, texels.
    set_texture_image_rect @ [0x1A18; 16 step 32] = 0x0008_0008 { height 0:15, width 16:31 } Dirty(TEXTURE);
    /// Colour of the border.
    set_texture_border_color @ [0x1A1C; 16 step 32] { b 0:7, g 8:15, r 16:23, a 24:31 } Dirty(TEXTURE);
    /// Colour key, unused.
    set_color_key_color @ [0x1D00; 16 step 4] { value 0:31 bits } Ignored;
}
