//! Vertex and fragment programs.

use crate::rsx::enums::{FogMode, PixelCenters, TextureLocation, WindowOrigin};
use crate::rsx::methods::effect::dirty::{FOG, FRAGMENT_PROGRAM, RASTER, VERTEX_PROGRAM, VIEWPORT};
use crate::rsx::methods::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// How the fog factor follows from the fog coordinate.
    set_fog_mode @ 0x08CC = 0x0000_0800 { mode 0:31 FogMode } Dirty(FOG);
    /// Parameters p0, p1 and one that is not used, f32.
    set_fog_params @ [0x08D0; 3 step 4] { value 0:31 f32 } Dirty(FOG);
    /// Fragment program: location and address, aligned to 64 bytes. Bit 31 does nothing,
    /// as with textures (titles, RPCS3 #6167).
    set_shader_program @ 0x08E4 = 0x0000_0001 { location 0:1 TextureLocation, address 2:30 address(2) } Dirty(FRAGMENT_PROGRAM);
    /// The texture coordinate that the fragment program reads.
    set_tex_coord_control @ [0x0B40; 10 step 4] { is_2d 0:0 bool, is_3d 4:4 bool } Dirty(FRAGMENT_PROGRAM);
    /// Vertex program: words at the load pointer, four make an instruction and move it on.
    set_transform_program @ [0x0B80; 32 step 4] { word 0:31 bits } Trigger(Trigger::TransformProgram);
    /// Fragment program: 0xE exports depth from R1.z, results in R instead of H registers, number of R registers.
    set_shader_control @ 0x1D60 {
        depth_export 0:3 bits, export_float 6:6 bool, kills 7:7 bool, gcm 10:10 bool, unknown 15:15 bool, registers
        24:29,
    } Dirty(FRAGMENT_PROGRAM);
    /// Vertex program: constants that relative numbers reach.
    set_indexed_constant_read_limits @ 0x1D64 = 0x0200_0000 { low 0:9, high 16:25 } Dirty(VERTEX_PROGRAM);
    /// The position that fragment programs read.
    set_shader_window @ 0x1D88 = 0x0000_1000 {
        height 0:11, origin 12:12 WindowOrigin, pixel_center 16:16 PixelCenters,
    } Dirty(VIEWPORT | FRAGMENT_PROGRAM);
    /// Programs instead of fixed functions; always so. With `divided` positions are x/w, y/w, z/w, 1/w (Mesa, where it
    /// transforms vertices itself).
    set_transform_execution_mode @ 0x1E94 = 0x0000_0011 { mode 0:0, write 4:4, divided 8:8 bool } Dirty(VIEWPORT);
    /// Vertex program: the load pointer, an instruction of the store.
    set_transform_program_load @ 0x1E9C { index 0:31 count };
    /// Vertex program: the first instruction.
    set_transform_program_start @ 0x1EA0 { index 0:31 count } Dirty(VERTEX_PROGRAM);
    /// Vertex program: instructions that a vertex may execute, and a class of register numbers.
    set_transform_timeout @ 0x1EF8 { instructions 0:15, registers 16:31 } Dirty(VERTEX_PROGRAM);
    /// Vertex program: the constant that words are stored from.
    set_transform_constant_load @ 0x1EFC { index 0:31 count };
    /// Vertex program: word n is component n % 4 of constant load + n / 4.
    set_transform_constant @ [0x1F00; 32 step 4] { value 0:31 f32 } Trigger(Trigger::TransformConstant);
    /// Unknown, initialised by GCM.
    set_attrib_color @ 0x1FC4 = 0x0614_4321 { routing 0:31 bits };
    /// Unknown, initialised by GCM.
    set_attrib_tex_coord @ 0x1FC8 = 0xEDCB_A987 { routing 0:31 bits };
    /// Unknown, initialised by GCM.
    set_attrib_tex_coord_ex @ 0x1FCC = 0x0000_006F { routing 0:31 bits };
    /// Unknown, initialised by GCM.
    set_attrib_uclip0 @ 0x1FD0 = 0x0017_1615 { routing 0:31 bits };
    /// Unknown, initialised by GCM.
    set_attrib_uclip1 @ 0x1FD4 = 0x001B_1A19 { routing 0:31 bits };
    /// Outputs of the vertex program that are used.
    set_vertex_attrib_output_mask @ 0x1FF4 = 0x003F_FFFF {
        color0 0:0 bool, color1 1:1 bool, back_color0 2:2 bool, back_color1 3:3 bool, fog 4:4 bool, point_size 5:5
        bool, clip_distances 6:11 bits, coordinate8 12:12 bool, coordinate9 13:13 bool, coordinates 14:21 bits,
    } Dirty(VERTEX_PROGRAM | RASTER);
    /// Vertex program: booleans of BRB and CLB.
    set_transform_branch_bits @ 0x1FF8 { bits 0:31 bits } Dirty(VERTEX_PROGRAM);
}
