//! Colour and zeta targets, samples, clears.

use super::output_values::{TirFunction, TirModulation};
use super::values::{
    DepthSampling, HybridCentroid, LayerControl, RasterSampleMode, SampleMode, SparseCompare, TargetIndependentRaster,
    ThirdDimension, ZetaLayers,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::format::{ColorFormat, ZetaFormat};
use crate::tegra::methods::Effect;
use crate::tegra::methods::values::MemoryLayout;

regs! {
    effect Effect<Trigger>;

    /// Without effect without compression.
    decompress_surface @ 0x0B8 { mrt_select 0:2, rt_array_index 4:19 };
    /// Whether the program's sample mask counts.
    set_ps_output_sample_mask_usage @ 0x0C0 = 1 {
        enable 0:0 bool, qualify_by_anti_alias_enable 1:1 bool,
    } Dirty(dirty::FRAGMENT);
    /// Runs of the program per fragment with multisampling: passes.
    set_hybrid_anti_alias_control @ 0x1D5 = 1 {
        passes 0:3, centroid 4:4 HybridCentroid, passes_extended 5:5,
    } Dirty(dirty::TARGET);
    /// Without visible effect.
    set_zero_bandwidth_clear @ [
        0x1E9 set_color_zero_bandwidth_clear, 0x1EA set_z_zero_bandwidth_clear,
    ] { slot_disable_mask 0:14 bits };
    /// Hints that nothing is written.
    set_zt_read_only @ 0x1FE { enable_z 0:0 bool, enable_stencil 4:4 bool };
    /// Address of a colour target, upper bits.
    set_color_target_a @ [0x200; 8 step 16] { offset_upper 0:7 address(32) } Dirty(dirty::TARGET);
    /// Address of a colour target, bits 31:0.
    set_color_target_b @ [0x201; 8 step 16] { offset_lower 0:31 address } Dirty(dirty::TARGET);
    /// Width in samples; of a pitch target its pitch in bytes.
    set_color_target_width @ [0x202; 8 step 16] = 0x400 { v 0:27 } Dirty(dirty::TARGET);
    /// Height in samples.
    set_color_target_height @ [0x203; 8 step 16] = 0x300 { v 0:16 } Dirty(dirty::TARGET);
    /// Format of a colour target; 0 none.
    set_color_target_format @ [0x204; 8 step 16] { v 0:7 ColorFormat } Dirty(dirty::TARGET);
    /// Layout: log2 of GOBs of a block, pitch or block-linear, whether the third dimension is layers or depth.
    set_color_target_memory @ [0x205; 8 step 16] = 0x40 {
        block_width 0:3, block_height 4:7, block_depth 8:11, layout 12:12 MemoryLayout,
        third_dimension_control 16:16 ThirdDimension,
    } Dirty(dirty::TARGET);
    /// Layers or slices.
    set_color_target_third_dimension @ [0x206; 8 step 16] = 1 { v 0:27 } Dirty(dirty::TARGET);
    /// Distance of layers in units of 4 bytes.
    set_color_target_array_pitch @ [0x207; 8 step 16] { v 0:31 address(2) } Dirty(dirty::TARGET);
    /// Layer that is added to the primitive's.
    set_color_target_layer @ [0x208; 8 step 16] { offset 0:15 } Dirty(dirty::TARGET);
    /// Without effect.
    set_color_target_mark @ [0x209; 8 step 16] { ieee_clean 0:0 bool };
    /// Rectangle of clears, pixels: xmin, xmax exclusive.
    set_clear_rect_horizontal @ 0x35B = 0xFFFF_0000 { xmin 0:15, xmax 16:31 };
    /// Rectangle of clears, pixels: ymin, ymax exclusive.
    set_clear_rect_vertical @ 0x35C = 0xFFFF_0000 { ymin 0:15, ymax 16:31 };
    /// Clear colour r, g, b, a: floats, or integers for integer targets.
    set_color_clear_value @ [0x360; 4 step 1] { v 0:31 f32 };
    /// Clear depth, f32.
    set_z_clear_value @ 0x364 { v 0:31 f32 };
    /// Clear stencil.
    set_stencil_clear_value @ 0x368 { v 0:7 };
    /// Without effect.
    set_zt_mark @ 0x36E { ieee_clean 0:0 bool };
    /// Where the sample masks count.
    set_sample_mask @ 0x3E9 = 1 { raster_out_enable 0:0 bool, color_target_enable 4:4 bool } Dirty(dirty::TARGET);
    /// Samples of the targets that are written.
    set_color_target_sample_mask @ 0x3EA = 0xFFFF { v 0:15 bits } Dirty(dirty::TARGET);
    /// With the program header's bit: each output to its own target; otherwise output 0 to all.
    set_ct_mrt_enable @ 0x3EB = 1 { v 0:0 bool } Dirty(dirty::TARGET);
    /// Depth per sample, or that of the pixel's centre.
    set_nonmultisampled_z @ 0x3EC { v 0:0 DepthSampling } Dirty(dirty::TARGET);
    /// Rasteriser samples independent of the targets'.
    set_tir @ 0x3ED { mode 0:1 TargetIndependentRaster } Dirty(dirty::TARGET);
    /// Sample mode of the rasteriser when it is not the targets'.
    set_anti_alias_raster @ 0x3EE = 2 { samples 0:2 RasterSampleMode } Dirty(dirty::TARGET);
    /// Samples that are covered at most, in pixel (0, 0) of each 2x2.
    set_sample_mask_x0_y0 @ 0x3EF = 0xFFFF { v 0:15 bits } Dirty(dirty::TARGET);
    /// As before, pixel (1, 0).
    set_sample_mask_x1_y0 @ 0x3F0 = 0xFFFF { v 0:15 bits } Dirty(dirty::TARGET);
    /// As before, pixel (0, 1).
    set_sample_mask_x0_y1 @ 0x3F1 = 0xFFFF { v 0:15 bits } Dirty(dirty::TARGET);
    /// As before, pixel (1, 1).
    set_sample_mask_x1_y1 @ 0x3F2 = 0xFFFF { v 0:15 bits } Dirty(dirty::TARGET);
    /// Outputs scaled by coverage with independent samples.
    set_tir_modulation @ 0x3F5 { component_select 0:1 TirModulation } Dirty(dirty::FRAGMENT);
    /// Linear, or by table.
    set_tir_modulation_function @ 0x3F6 { select 0:0 TirFunction } Dirty(dirty::FRAGMENT);
    /// Address of the zeta target, upper bits.
    set_zt_a @ 0x3F8 { offset_upper 0:7 address(32) } Dirty(dirty::TARGET);
    /// Address of the zeta target, bits 31:0.
    set_zt_b @ 0x3F9 { offset_lower 0:31 address } Dirty(dirty::TARGET);
    /// Format of the zeta target.
    set_zt_format @ 0x3FA = 0x14 { v 0:4 ZetaFormat } Dirty(dirty::TARGET);
    /// Block of the zeta target, log2 of GOBs; always block-linear.
    set_zt_block_size @ 0x3FB = 0x40 { width 0:3, height 4:7, depth 8:11 } Dirty(dirty::TARGET);
    /// Distance of layers in units of 4 bytes.
    set_zt_array_pitch @ 0x3FC { v 0:31 address(2) } Dirty(dirty::TARGET);
    /// Area that is rendered to, pixels: x, width.
    set_surface_clip_horizontal @ 0x3FD { x 0:15, width 16:31 } Dirty(dirty::TARGET);
    /// Area that is rendered to, pixels: y, height.
    set_surface_clip_vertical @ 0x3FE { y 0:15, height 16:31 } Dirty(dirty::TARGET);
    /// Table of factors.
    set_tir_modulation_coefficient_table @ [0x40C; 4 step 1] {
        v0 0:7, v1 8:15, v2 16:23, v3 24:31,
    } Dirty(dirty::FRAGMENT);
    /// The limits of a clear besides the surface clip.
    set_clear_surface_control @ 0x43E = 0x1010 {
        respect_stencil_mask 0:0 bool, use_clear_rect 4:4 bool, use_scissor0 8:8 bool,
        use_viewport_clip0 12:12 bool,
    };
    /// Without visible effect.
    set_stencil_compression @ 0x447 = 1 { enable 0:0 bool };
    /// Details of independent samples.
    set_tir_control @ 0x44C = 2 {
        z_pass_pixel_count_use_raster_samples 0:0 bool, reduce_coverage 1:1 bool,
        alpha_to_coverage_use_raster_samples 4:4 bool,
    } Dirty(dirty::TARGET);
    /// Coverage after the pixel program begins with that before it, as drivers have it (Mesa's NVK); otherwise a sample
    /// mask replaces it.
    set_post_ps_initial_coverage @ 0x44E = 1 { use_pre_ps_coverage 0:0 bool } Dirty(dirty::TARGET);
    /// Positions of samples inside a pixel, in sixteenths.
    set_anti_alias_sample_positions @ [0x478; 4 step 1] = 0x8888_8888 {
        x0 0:3 ufixed(4), y0 4:7 ufixed(4), x1 8:11 ufixed(4), y1 12:15 ufixed(4), x2 16:19 ufixed(4),
        y2 20:23 ufixed(4), x3 24:27 ufixed(4), y3 28:31 ufixed(4),
    } Dirty(dirty::TARGET);
    /// Adds the viewport's index to the layer.
    set_offset_render_target_index @ 0x47C { by_viewport_index 0:0 bool } Dirty(dirty::TARGET);
    /// Writes coverage to a colour target.
    set_coverage_to_color @ 0x47E { enable 0:0 bool, ct_select 4:6 } Dirty(dirty::FRAGMENT);
    /// Without effect without compression.
    decompress_zeta_surface @ 0x47F { z_enable 0:0 bool, stencil_enable 4:4 bool };
    /// The result of comparisons with unmapped zeta pages; not supported.
    set_zt_sparse @ 0x482 { enable 0:0 bool, unmapped_compare 1:1 SparseCompare };
    /// Colour targets in use and which target each output of the program goes to.
    set_ct_select @ 0x487 = 0x0FAC_6881 {
        target_count 0:3, target0 4:6, target1 7:9, target2 10:12, target3 13:15, target4 16:18, target5 19:21,
        target6 22:24, target7 25:27,
    } Dirty(dirty::TARGET);
    /// Without visible effect.
    set_compression_threshold @ 0x488 = 5 { samples 0:3 };
    /// Width of the zeta target in samples.
    set_zt_size_a @ 0x48A = 0x400 { width 0:27 } Dirty(dirty::TARGET);
    /// Height of the zeta target in samples.
    set_zt_size_b @ 0x48B = 0x300 { height 0:16 } Dirty(dirty::TARGET);
    /// Layers of the zeta target, or one.
    set_zt_size_c @ 0x48C = 0x0001_0001 { third_dimension 0:15, control 16:16 ZetaLayers } Dirty(dirty::TARGET);
    /// Multisampling.
    set_anti_alias_enable @ 0x54D { v 0:0 bool } Dirty(dirty::TARGET);
    /// Zeta targets in use, 0 or 1.
    set_zt_select @ 0x54E = 1 { target_count 0:0 } Dirty(dirty::TARGET);
    /// Coverage samples; drivers write 0. In no vendor list; source: envytools, Mesa.
    set_csaa @ 0x56D = 1 { enable 0:0 bool };
    /// The layer rendered to, or the last vertex-side program's output says it.
    set_rt_layer @ 0x573 { v 0:15, control 16:16 LayerControl } Dirty(dirty::TARGET);
    /// Sample mode of the targets.
    set_anti_alias @ 0x574 { samples 0:3 SampleMode } Dirty(dirty::TARGET);
    /// Layer that is added to the primitive's.
    set_zt_layer @ 0x5E7 { offset 0:15 } Dirty(dirty::TARGET);
    /// Without visible effect.
    set_z_compression @ 0x673 = 1 { enable 0:0 bool };
    /// Clears components of one layer of a colour target, and zeta.
    clear_surface @ 0x674 {
        z_enable 0:0 bool, stencil_enable 1:1 bool, r_enable 2:2 bool, g_enable 3:3 bool, b_enable 4:4 bool,
        a_enable 5:5 bool, mrt_select 6:9, rt_array_index 10:25,
    } Trigger(Trigger::Clear);
    /// Without visible effect.
    set_color_compression @ [0x678; 8 step 1] = 1 { enable 0:0 bool };
}
