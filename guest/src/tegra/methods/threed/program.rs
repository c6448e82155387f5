//! Programs, constant buffers, textures, samplers.

use super::values::{
    DefaultPartial, F2iNanBehavior, NanBehavior, SamplerBinding, ShaderStage, TessellationDomain, TessellationOutput,
    TessellationSpacing,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::methods::values::CacheLines;
use crate::tegra::methods::{Common, Effect};

regs! {
    effect Effect<Trigger>;

    /// Version of the instruction set.
    set_spa_version @ 0x0C4 { minor 0:7, major 8:15 } Dirty(dirty::PROGRAM);
    /// Without effect.
    set_ieee_clean_update @ 0x0C5 { enable 0:0 bool };
    /// Domain, spacing and output of the tessellator.
    set_tessellation_parameters @ 0x0C8 {
        domain_type 0:1 TessellationDomain, spacing 4:5 TessellationSpacing,
        output_primitives 8:9 TessellationOutput,
    } Dirty(dirty::PROGRAM);
    /// Levels without a control program, f32: outer 0 to 3, inner 0 and 1.
    set_tessellation_lod @ [
        0x0C9 set_tessellation_lod_u0_or_density, 0x0CA set_tessellation_lod_v0_or_detail,
        0x0CB set_tessellation_lod_u1_or_w0, 0x0CC set_tessellation_lod_v1, 0x0CD set_tg_lod_interior_u,
        0x0CE set_tg_lod_interior_v,
    ] = 0x3F80_0000 { v 0:31 f32 } Dirty(dirty::PROGRAM);
    /// Without effect.
    reserved_tg @ [
        0x0CF reserved_tg07, 0x0D0 reserved_tg08, 0x0D1 reserved_tg09, 0x0D2 reserved_tg10, 0x0D3 reserved_tg11,
        0x0D4 reserved_tg12, 0x0D5 reserved_tg13, 0x0D6 reserved_tg14, 0x0D7 reserved_tg15,
    ] { v 0:0 };
    /// Base of local memory in generic addresses.
    set_shader_local_memory_window @ 0x1DF { base_address 0:31 address } Dirty(dirty::PROGRAM);
    /// Its size, upper bits.
    set_shader_local_memory_c @ 0x1E6 { size_upper 0:5 };
    /// Its size, bits 31:0.
    set_shader_local_memory_d @ 0x1E7 { size_lower 0:31 count };
    /// Bytes of it per warp.
    set_shader_local_memory_e @ 0x1E8 { default_size_per_warp 0:25 };
    /// Without effect.
    set_isbe_save_restore_program @ 0x1EB { offset 0:31 address };
    /// 1: headers of this generation, the only ones supported.
    set_select_maxwell_texture_headers @ 0x3C4 = 1 { v 0:0 bool } Dirty(dirty::TEXTURE);
    /// Unbinds all constant buffers.
    unbind_all @ 0x43D { constant_buffers 8:8 bool } Trigger(Trigger::UnbindAll);
    /// Sampler by its own index, or by the header's.
    set_sampler_binding @ 0x48D { v 0:0 SamplerBinding } Dirty(dirty::TEXTURE);
    /// Texture headers may have changed.
    invalidate_texture_header_cache_no_wfi @ 0x50A {
        lines 0:0 CacheLines, tag 4:25,
    } Common(Common::InvalidateHeaders);
    /// Samplers: address, upper bits.
    set_tex_sampler_pool_a @ 0x557 { offset_upper 0:7 address(32) } Dirty(dirty::TEXTURE);
    /// Samplers: address, bits 31:0.
    set_tex_sampler_pool_b @ 0x558 { offset_lower 0:31 address } Dirty(dirty::TEXTURE);
    /// Samplers: largest index.
    set_tex_sampler_pool_c @ 0x559 = 0xFFF { maximum_index 0:19 } Dirty(dirty::TEXTURE);
    /// Texture headers: address, upper bits.
    set_tex_header_pool_a @ 0x55D { offset_upper 0:7 address(32) } Dirty(dirty::TEXTURE);
    /// Texture headers: address, bits 31:0.
    set_tex_header_pool_b @ 0x55E { offset_lower 0:31 address } Dirty(dirty::TEXTURE);
    /// Texture headers: largest index.
    set_tex_header_pool_c @ 0x55F = 0x000F_FFFF { maximum_index 0:21 } Dirty(dirty::TEXTURE);
    /// Base of all programs, upper bits.
    set_program_region_a @ 0x582 { address_upper 0:7 address(32) } Dirty(dirty::PROGRAM);
    /// Base of all programs, bits 31:0.
    set_program_region_b @ 0x583 { address_lower 0:31 address } Dirty(dirty::PROGRAM);
    /// Details of number handling in programs.
    set_shader_control @ 0x5A4 {
        default_partial 0:0 DefaultPartial, fp32_nan_behavior 1:1 NanBehavior,
        fp32_f2i_nan_behavior 2:2 F2iNanBehavior,
    } Dirty(dirty::PROGRAM);
    /// A program: on or off, stage. Programs are vertex A, vertex B, tessellation control, evaluation, geometry, pixel.
    set_pipeline_shader @ [0x800; 6 step 16] { enable 0:0 bool, type_ 4:7 ShaderStage } Dirty(dirty::PROGRAM);
    /// Where its header is, bytes from the program region.
    set_pipeline_program @ [0x801; 6 step 16] { offset 0:31 address } Dirty(dirty::PROGRAM);
    /// Without effect.
    set_pipeline_reserved_a @ [0x802; 6 step 16] { v 0:0 };
    /// Registers that it uses.
    set_pipeline_register_count @ [0x803; 6 step 16] = 1 { v 0:7 } Dirty(dirty::PROGRAM);
    /// Group of constant buffers that it reads; see `RESET` for what it begins with.
    set_pipeline_binding @ [0x804; 6 step 16] { group 0:2 } Dirty(dirty::PROGRAM);
    /// Without effect.
    set_pipeline_reserved_b @ [0x805; 6 step 16] { v 0:0 };
    /// Without effect.
    set_pipeline_reserved_c @ [0x806; 6 step 16] { v 0:0 };
    /// Without effect.
    set_pipeline_reserved_d @ [0x807; 6 step 16] { v 0:0 };
    /// Without effect.
    set_pipeline_reserved_e @ [0x808; 6 step 16] { v 0:0 };
    /// The selected constant buffer: bytes, at most 0x10000.
    set_constant_buffer_selector_a @ 0x8E0 { size 0:16 };
    /// The selected constant buffer: address, upper bits.
    set_constant_buffer_selector_b @ 0x8E1 { address_upper 0:7 address(32) };
    /// The selected constant buffer: address, bits 31:0, a multiple of 256.
    set_constant_buffer_selector_c @ 0x8E2 { address_lower 0:31 address };
    /// Byte of the selected constant buffer that the next load goes to.
    load_constant_buffer_offset @ 0x8E3 { v 0:15 };
    /// Stores a word in the selected constant buffer; the offset goes up by 4.
    load_constant_buffer @ [0x8E4; 16 step 1] { v 0:31 bits } Trigger(Trigger::LoadConstant);
    /// Without effect.
    bind_group_reserved_a @ [0x900; 5 step 8] { v 0:0 };
    /// Without effect.
    bind_group_reserved_b @ [0x901; 5 step 8] { v 0:0 };
    /// Without effect.
    bind_group_reserved_c @ [0x902; 5 step 8] { v 0:0 };
    /// Without effect.
    bind_group_reserved_d @ [0x903; 5 step 8] { v 0:0 };
    /// Binds the selected constant buffer to a slot of a group, 0 to 17, or unbinds it.
    bind_group_constant_buffer @ [0x904; 5 step 8] { valid 0:0 bool, shader_slot 4:8 } Trigger(Trigger::BindConstant);
    /// Slot of the constant buffer with texture handles.
    set_bindless_texture @ 0x982 { constant_buffer_slot_select 0:4 } Dirty(dirty::TEXTURE);
}
