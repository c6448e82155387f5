//! The registers.

use super::Trigger;
use super::values::{ReportOperation, ScgType, SmSelection};
use crate::table::regs::regs;
use crate::tegra::methods::values::{CacheLines, ReductionFormat, ReductionOp, StructSize};
use crate::tegra::methods::{Common, Effect};

pub use crate::tegra::methods::common::{channel::*, inline::*, shader::*};

regs! {
    effect Effect<Trigger>;

    /// Without effect.
    set_valid_span_overflow_area_a @ 0x080 { address_upper 0:7 address(32) };
    /// Without effect.
    set_valid_span_overflow_area_b @ 0x081 { address_lower 0:31 address };
    /// Without effect.
    set_valid_span_overflow_area_c @ 0x082 { size 0:31 count };
    /// Without effect.
    set_coalesce_waiting_period_unit @ 0x083 { clocks 0:31 count };
    /// Performance monitor; without effect.
    perfmon_transfer @ 0x084 { v 0:31 bits };
    /// Base of shared memory in generic addresses.
    set_shader_shared_memory_window @ 0x085 { base_address 0:31 address };
    /// 1: headers of this generation, the only ones supported.
    set_select_maxwell_texture_headers @ 0x086 = 1 { v 0:0 bool };
    /// Without effect.
    set_reserved_sw_method @ [
        0x088 set_reserved_sw_method00, 0x089 set_reserved_sw_method01, 0x08A set_reserved_sw_method02,
        0x08B set_reserved_sw_method03, 0x08C set_reserved_sw_method04, 0x08D set_reserved_sw_method05,
        0x08E set_reserved_sw_method06, 0x08F set_reserved_sw_method07, 0x093 set_reserved_sw_method08,
        0x094 set_reserved_sw_method09, 0x095 set_reserved_sw_method10, 0x096 set_reserved_sw_method11,
        0x097 set_reserved_sw_method12, 0x098 set_reserved_sw_method13, 0x099 set_reserved_sw_method14,
        0x09A set_reserved_sw_method15,
    ] { v 0:31 bits };
    /// Scheduling; without visible effect.
    set_cwd_control @ 0x090 { sm_selection 0:0 SmSelection };
    /// Texture headers may have changed.
    invalidate_texture_header_cache_no_wfi @ 0x091 {
        lines 0:0 CacheLines, tag 4:25,
    } Common(Common::InvalidateHeaders);
    /// Scheduling; without visible effect.
    set_cwd_ref_counter @ 0x092 { select 0:5, value 8:23 };
    /// Scheduling; without visible effect.
    set_gwc_scg_type @ 0x09B { scg_type 0:0 ScgType };
    /// Scheduling; without visible effect.
    set_scg_control @ 0x09C { compute1_max_sm_count 0:8 };
    /// Constants that may have changed: address, upper bits.
    invalidate_constant_buffer_cache_a @ 0x09D { address_upper 0:7 address(32) };
    /// Constants that may have changed: address, bits 31:0.
    invalidate_constant_buffer_cache_b @ 0x09E { address_lower 0:31 address };
    /// Constants that may have changed: bytes.
    invalidate_constant_buffer_cache_c @ 0x09F { byte_count 0:16, thru_l2 31:31 bool };
    /// Version check; without effect.
    compute_class_version @ [
        0x0A0 set_compute_class_version, 0x0A1 check_compute_class_version,
    ] { current 0:15, oldest_supported 16:31 };
    /// Version check of launch descriptors; without effect.
    qmd_version @ [0x0A2 set_qmd_version, 0x0A4 check_qmd_version] { current 0:15, oldest_supported 16:31 };
    /// Scheduling; without visible effect.
    set_wfi_config @ 0x0A3 { enable_scg_type_wfi 0:0 bool };
    /// Waits until everything earlier is finished.
    wait_for_idle_scg_type @ 0x0A5 { v 0:31 bits } Common(Common::WaitForIdle);
    /// Scheduling; without visible effect.
    invalidate_sked_caches @ 0x0A6 { v 0:0 };
    /// Scheduling; without visible effect.
    set_scg_render_enable_control @ 0x0A7 { compute1_uses_render_enable 0:0 bool };
    /// Scheduling; without visible effect.
    set_cwd_slot_count @ 0x0AC { v 0:7 };
    /// Address of the launch descriptor >> 8.
    send_pcas_a @ 0x0AD { qmd_address_shifted8 0:31 address(8) };
    /// Not used.
    send_pcas_b @ 0x0AE { from 0:23, delta 24:31 };
    /// `schedule` launches the descriptor.
    send_signaling_pcas_b @ 0x0AF { invalidate 0:0 bool, schedule 1:1 bool } Trigger(Trigger::Launch);
    /// Size of local memory, upper bits.
    set_shader_local_memory_size_a @ [
        0x0B9 set_shader_local_memory_non_throttled_a, 0x0BC set_shader_local_memory_throttled_a,
    ] { size_upper 0:7 };
    /// Size of local memory, bits 31:0.
    set_shader_local_memory_size_b @ [
        0x0BA set_shader_local_memory_non_throttled_b, 0x0BD set_shader_local_memory_throttled_b,
    ] { size_lower 0:31 count };
    /// Without effect.
    set_shader_local_memory_size_c @ [
        0x0BB set_shader_local_memory_non_throttled_c, 0x0BE set_shader_local_memory_throttled_c,
    ] { max_sm_count 0:8 };
    /// Version of the instruction set.
    set_spa_version @ 0x0C4 { minor 0:7, major 8:15 };
    /// Calls into firmware; not used.
    set_falcon @ [0x140; 32 step 1] { v 0:31 bits };
    /// Base of local memory in generic addresses.
    set_shader_local_memory_window @ 0x1DF { base_address 0:31 address };
    /// Without effect.
    set_sm_timeout_interval @ 0x379 { counter_bit 0:5 };
    /// Without effect.
    set_spare_noop @ [
        0x3D1 set_spare_noop12, 0x3D2 set_spare_noop13, 0x3D3 set_spare_noop14, 0x3D4 set_spare_noop15,
        0x410 set_spare_noop00, 0x411 set_spare_noop01, 0x412 set_spare_noop02, 0x413 set_spare_noop03,
        0x414 set_spare_noop04, 0x415 set_spare_noop05, 0x416 set_spare_noop06, 0x417 set_spare_noop07,
        0x418 set_spare_noop08, 0x419 set_spare_noop09, 0x41A set_spare_noop10, 0x41B set_spare_noop11,
    ] { v 0:31 bits };
    /// Without effect.
    activate_perf_settings_for_compute_context @ 0x4AA { all 0:0 bool };
    /// Samplers: address, upper bits.
    set_tex_sampler_pool_a @ 0x557 { offset_upper 0:7 address(32) };
    /// Samplers: address, bits 31:0.
    set_tex_sampler_pool_b @ 0x558 { offset_lower 0:31 address };
    /// Samplers: largest index.
    set_tex_sampler_pool_c @ 0x559 { maximum_index 0:19 };
    /// Texture headers: address, upper bits.
    set_tex_header_pool_a @ 0x55D { offset_upper 0:7 address(32) };
    /// Texture headers: address, bits 31:0.
    set_tex_header_pool_b @ 0x55E { offset_lower 0:31 address };
    /// Texture headers: largest index.
    set_tex_header_pool_c @ 0x55F { maximum_index 0:21 };
    /// Base of all programs, upper bits.
    set_program_region_a @ 0x582 { address_upper 0:7 address(32) };
    /// Base of all programs, bits 31:0.
    set_program_region_b @ 0x583 { address_lower 0:31 address };
    /// As INVALIDATE_SHADER_CACHES, without waiting.
    invalidate_shader_caches_no_wfi @ 0x5A6 {
        instruction 0:0 bool, global_data 4:4 bool, constant 12:12 bool,
    } Common(Common::InvalidateShaders);
    /// Releases the semaphore.
    set_report_semaphore_d @ 0x6C3 {
        operation 0:1 ReportOperation, flush_disable 2:2 bool, reduction_enable 3:3 bool,
        reduction_op 9:11 ReductionOp, reduction_format 17:18 ReductionFormat, awaken_enable 20:20 bool,
        structure_size 28:28 StructSize,
    } Common(Common::Report);
    /// Slot of the constant buffer with texture handles.
    set_bindless_texture @ 0x982 { constant_buffer_slot_select 0:2 };
}
