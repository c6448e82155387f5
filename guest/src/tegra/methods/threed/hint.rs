//! Registers without visible effect: scheduling, buffers, caches, counters. They keep their values, since macros may
//! read them.

use super::Trigger;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Scheduling and buffers; without visible effect.
    set_opportunistic_early_z_hysteresis @ 0x081 = 6 { accumulated_prim_area_threshold 0:4 };
    /// Scheduling and buffers; without visible effect.
    set_gs_dm_fifo @ 0x085 { size_raster_on 0:12, size_raster_off 16:28, spill_enabled 31:31 bool };
    /// Cache policy; without visible effect.
    set_l2_cache_control_for_rop_prefetch_read_requests @ 0x086 = 0x10 { policy 4:5 };
    /// Scheduling and buffers; without visible effect.
    set_prim_circular_buffer_throttle @ 0x0B4 = 0x003F_FFFF { prim_area 0:21 };
    /// Scheduling and buffers; without visible effect.
    set_alpha_circular_buffer_size @ 0x0B7 { cache_lines_per_sm 0:13 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_rop_bypass @ 0x0B9 = 0xB001 {
        enable 0:0 bool, no_stall 4:4 bool, cull_everything 8:8 bool, threshold 12:15,
    };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_subregion @ 0x0BA { enable 0:0 bool, normalized_aliquots 4:27 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_subregion_allocation @ 0x0BE { subregion_id 0:7, aliquots 8:23, format 24:27 };
    /// Hierarchical depth culling; without visible effect.
    assign_zcull_subregions @ 0x0BF { algorithm 0:1 };
    /// Scheduling and buffers; without visible effect.
    set_l1_configuration @ 0x0C2 { directly_addressable_memory 0:2 };
    /// Scheduling and buffers; without visible effect.
    set_subtiling_perf_knob_a @ 0x0D8 = 0x2016_4010 {
        fraction_of_spm_register_file_per_subtile 0:7, fraction_of_spm_pixel_output_buffer_per_subtile 8:15,
        fraction_of_spm_triangle_ram_per_subtile 16:23, fraction_of_max_quads_per_subtile 24:31,
    };
    /// Scheduling and buffers; without visible effect.
    set_subtiling_perf_knob_b @ 0x0D9 = 0x20 { fraction_of_max_primitives_per_subtile 0:7 };
    /// Scheduling and buffers; without visible effect.
    set_subtiling_perf_knob_c @ 0x0DA { reserved 0:0 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_subregion_to_report @ 0x0DB { enable 0:0 bool, subregion_id 4:11 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_subregion_report_type @ 0x0DC { enable 0:0 bool, type_ 4:6 };
    /// Scheduling and buffers; without visible effect.
    set_balanced_primitive_workload @ 0x0DD { in_unpartitioned_mode 0:0 bool, in_timesliced_mode 4:4 bool };
    /// Scheduling and buffers; without visible effect.
    set_max_patches_per_batch @ 0x0DE = 0xC { v 0:5 };
    /// Scheduling and buffers; without visible effect.
    set_alpha_fraction @ 0x1D3 = 0x55 { v 0:7 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_size_a @ 0x1F0 { width 0:15 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_size_b @ 0x1F1 { height 0:15 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_c @ [0x1F2 set_zcull_region_size_c, 0x1F3 set_zcull_region_pixel_offset_c] { depth 0:15 };
    /// Scheduling and buffers; without visible effect.
    set_cull_before_fetch @ 0x1F7 { fetch_streams_once 0:0 bool };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_location @ 0x1F8 { start_aliquot 0:15, aliquot_count 16:31 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_aliquots @ 0x1F9 { per_layer 0:15 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_storage_a @ 0x1FA { address_upper 0:7 address(32) };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_storage_b @ 0x1FB { address_lower 0:31 address };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_storage_c @ 0x1FC { limit_address_upper 0:7 address(32) };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_storage_d @ 0x1FD { limit_address_lower 0:31 address };
    /// Scheduling and buffers; without visible effect.
    set_max_stream_output_gs_instances_per_task @ 0x358 = 0x40 { v 0:10 };
    /// Scheduling and buffers; without visible effect.
    set_api_visible_call_limit @ 0x359 { v 0:3 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_serialization @ 0x36A = 0x30 { enable 0:0 bool, applied 4:5 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_dir_format @ 0x36F { zdir 0:15, zformat 16:31 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_criterion @ 0x376 {
        sfunc 0:7, no_invalidate 8:8 bool, force_match 9:9 bool, sref 16:23, smask 24:31,
    };
    /// Scheduling and buffers; without visible effect.
    set_sm_timeout_interval @ 0x379 { counter_bit 0:5 };
    /// Scheduling and buffers; without visible effect.
    set_vpc_perf_knob @ 0x3C5 {
        culled_small_lines 0:7, culled_small_triangles 8:15, nonculled_lines_and_points 16:23,
        nonculled_triangles 24:31,
    };
    /// Scheduling and buffers; without visible effect.
    set_post_z_ps_imask @ 0x3C7 { enable 0:0 bool };
    /// Tiled caching (names of deko3d); without visible effect.
    set_tiled_cache_enable @ 0x3D8 { v 0:0 bool };
    /// Tiled caching; without visible effect.
    set_tiled_cache_tile_size @ 0x3D9 = 0x0040_0040 { width 0:15, height 16:31 };
    /// Tiled caching, settings whose meaning is not known; without visible effect.
    set_tiled_cache_unknown @ [
        0x3DA set_tiled_cache_unknown_a, 0x3DB set_tiled_cache_unknown_b, 0x3DC set_tiled_cache_unknown_c,
        0x442 set_tiled_cache_unknown_d,
    ] { v 0:31 bits };
    /// A target need not keep what it has, which it does here; without visible effect.
    discard_render_target @ 0x3DE { depth_stencil 0:0 bool, color 4:6 };
    /// Tiled caching; without visible effect.
    tiled_cache_barrier @ 0x3DF { v 0:31 bits };
    /// Tiled caching; without visible effect.
    tiled_cache_flush @ 0x3E0 { v 0:31 bits };
    /// Scheduling and buffers; without visible effect.
    set_vtg_warp_watermarks @ 0x3E6 = 0x0040_0008 { low 0:15, high 16:31 };
    /// Scheduling and buffers; without visible effect.
    set_tiled_cache_bundle_control @ 0x3FF { treat_heavyweight_as_lightweight 0:0 bool };
    /// Cache policy; without visible effect.
    set_l2_cache_control_for_vaf_requests @ 0x400 = 0x10 { system_memory_volatile 0:0 bool, policy 4:5 };
    /// Scheduling and buffers; without visible effect.
    set_tessellation_cut_height @ 0x402 = 8 { v 0:4 };
    /// Scheduling and buffers; without visible effect.
    set_max_gs_instances_per_task @ 0x403 = 0x40 { v 0:10 };
    /// Scheduling and buffers; without visible effect.
    set_max_gs_output_vertices_per_task @ 0x404 = 0x12C { v 0:15 };
    /// Scheduling and buffers; without visible effect.
    set_gs_output_cb_storage_multiplier @ 0x406 = 0x20 { v 0:9 };
    /// Scheduling and buffers; without visible effect.
    set_beta_cb_storage_constraint @ 0x407 = 1 { enable 0:0 bool };
    /// Scheduling and buffers; without visible effect.
    set_ti_output_cb_storage_multiplier @ 0x408 = 0x20 { v 0:9 };
    /// Scheduling and buffers; without visible effect.
    set_alpha_cb_storage_constraint @ 0x409 = 1 { enable 0:0 bool };
    /// Cache policy; without visible effect.
    set_l2_cache_control_for_rop_noninterlocked_read_requests @ 0x43F { policy 4:5 };
    /// Scheduling and buffers; without visible effect.
    set_mutable_method_control @ 0x44D { treat_mutable_as_heavyweight 0:0 bool };
    /// Scheduling and buffers; without visible effect.
    set_pixel_shader_interlock_control @ 0x489 {
        tile_coalescer_mode 0:1, tile_coalescer_tile_size 2:2, tile_coalescer_fragment_order 3:3,
    };
    /// Scheduling and buffers; without visible effect.
    set_pixel_shader_ticket_dispenser_value @ 0x498 { ticket_dispenser_index 0:7, ticket_dispenser_value 8:23 };
    /// Scheduling and buffers; without visible effect.
    set_circular_buffer_size @ 0x4A0 { cache_lines_per_sm 0:13 };
    /// Scheduling and buffers; without visible effect.
    set_vtg_register_watermarks @ 0x4A1 = 0x0800_0080 { low 0:15, high 16:31 };
    /// Cache policy; without visible effect.
    set_l2_cache_control_for_rop_interlocked_read_requests @ 0x4A4 { policy 4:5 };
    /// Hierarchical depth culling; without visible effect.
    clear_zcull_region @ 0x4B2 {
        z_enable 0:0 bool, use_clear_rect 1:1 bool, use_rt_array_index 2:2 bool, make_conservative 3:3 bool,
        stencil_enable 4:4 bool, rt_array_index 5:20,
    };
    /// Cache policy; without visible effect.
    set_l2_cache_control_for_rop @ [
        0x4B6 set_l2_cache_control_for_rop_noninterlocked_write_requests,
        0x4B7 set_l2_cache_control_for_rop_interlocked_write_requests,
    ] { policy 4:5 };
    /// Scheduling and buffers; without visible effect.
    set_alpha_hysteresis @ 0x508 = 3 { rounds_of_alpha 0:7 };
    /// Scheduling and buffers; without visible effect.
    set_ps_watermarks @ [0x514 set_ps_warp_watermarks, 0x515 set_ps_register_watermarks] { low 0:15, high 16:31 };
    /// Hierarchical depth culling; without visible effect.
    move_zcull @ [0x519 store_zcull, 0x540 load_zcull] { v 0:0 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_stats @ 0x547 { enable 0:0 bool };
    /// Hierarchical depth culling; without visible effect.
    set_active_zcull_region @ 0x564 = 0x3F { id 0:5 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_format @ 0x572 { type_ 0:3 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_pixel_offset_a @ 0x57F { width 0:15 };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_region_pixel_offset_b @ 0x580 { height 0:15 };
    /// Scheduling and buffers; without visible effect.
    set_shader_based_cull @ 0x58B = 3 { before_fetch_enable 0:0 bool, batch_cull_enable 1:1 bool };
    /// Hierarchical depth culling; without visible effect.
    invalidate_zcull @ 0x656 { v 0:31 bits };
    /// Hierarchical depth culling; without visible effect.
    set_zcull @ 0x65A { z_enable 0:0 bool, stencil_enable 4:4 bool };
    /// Hierarchical depth culling; without visible effect.
    set_zcull_bounds @ 0x65B = 0x11 { z_min_unbounded_enable 0:0 bool, z_max_unbounded_enable 4:4 bool };
    /// Hierarchical depth culling; without visible effect.
    zcull_sync @ 0x65E { v 0:31 bits };
}
