//! Methods that the 3D and compute classes share: memory and caches of programs, reports, performance counters; the
//! addresses of notifiers and inline transfers.

use std::convert::Infallible;

use super::trigger::Common;
use crate::table::regs::regs;
use crate::tegra::methods::table::Effect;
use crate::tegra::methods::values::CacheLines;

regs! {
    effect Effect<Infallible>;

    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:7 address(32) };
    /// Inline transfer: destination, upper bits.
    offset_out_upper @ 0x062 { value 0:7 address(32) };
    /// Inline transfer: first byte of each row.
    set_dst_origin_bytes_x @ 0x06A { v 0:19 };
    /// Inline transfer: first row.
    set_dst_origin_samples_y @ 0x06B { v 0:15 };
    /// Inline transfer: semaphore address, upper bits.
    set_i2m_semaphore_a @ 0x077 { offset_upper 0:7 address(32) };
    /// Code (`instruction`), global data and constants may have changed in memory.
    invalidate_shader_caches @ 0x087 {
        instruction 0:0 bool, locks 1:1 bool, flush_data 2:2 bool, data 4:4 bool, constant 12:12 bool,
    } Common(Common::InvalidateShaders);
    /// Address of local memory's storage, upper bits.
    set_shader_local_memory_a @ 0x1E4 { address_upper 0:7 address(32) };
    /// Address of local memory's storage, bits 31:0.
    set_shader_local_memory_b @ 0x1E5 { address_lower 0:31 address };
    /// Without effect.
    set_shader_cache_control @ 0x365 { icache_prefetch_enable 0:0 bool };
    /// Samplers may have changed.
    invalidate_sampler_cache_all @ 0x483 { v 0:0 } Common(Common::InvalidateSamplers);
    /// Texture headers may have changed.
    invalidate_texture_header_cache_all @ 0x484 { v 0:0 } Common(Common::InvalidateHeaders);
    /// Texels may have changed.
    invalidate_texture_data_cache_no_wfi @ 0x4A2 {
        lines 0:0 CacheLines, tag 4:25,
    } Common(Common::InvalidateTexels);
    /// Samplers may have changed.
    invalidate_sampler_cache @ 0x4CC { lines 0:0 CacheLines, tag 4:25 } Common(Common::InvalidateSamplers);
    /// Texture headers may have changed.
    invalidate_texture_header_cache @ 0x4CD { lines 0:0 CacheLines, tag 4:25 } Common(Common::InvalidateHeaders);
    /// Texels may have changed.
    invalidate_texture_data_cache @ 0x4CE { lines 0:0 CacheLines, tag 4:25 } Common(Common::InvalidateTexels);
    /// Samplers may have changed.
    invalidate_sampler_cache_no_wfi @ 0x509 { lines 0:0 CacheLines, tag 4:25 } Common(Common::InvalidateSamplers);
    /// Without effect.
    set_shader_exceptions @ 0x54A { enable 0:0 bool };
    /// Nothing.
    pipe_nop @ 0x68B { v 0:31 bits };
    /// Without effect.
    set_spare @ [0x68C set_spare00, 0x68D set_spare01, 0x68E set_spare02, 0x68F set_spare03] { v 0:31 bits };
    /// Address of reports and semaphores, upper bits.
    set_report_semaphore_a @ 0x6C0 { offset_upper 0:7 address(32) };
    /// Address of reports and semaphores, bits 31:0.
    set_report_semaphore_b @ 0x6C1 { offset_lower 0:31 address };
    /// Payload.
    set_report_semaphore_c @ 0x6C2 { payload 0:31 bits };
    /// Without effect.
    set_trap_handler @ 0x983 { offset 0:31 address };
    /// Performance counters; without effect.
    set_shader_performance_counter_value_upper @ [0xCCF; 8 step 1] { v 0:31 bits };
    /// Performance counters; without effect.
    set_shader_performance_counter_value @ [0xCD7; 8 step 1] { v 0:31 bits };
    /// Performance counters; without effect.
    set_shader_performance_counter_event @ [0xCDF; 8 step 1] { event 0:7 };
    /// Performance counters; without effect.
    set_shader_performance_counter_control_a @ [0xCE7; 8 step 1] {
        event0 0:1, bit_select0 2:4, event1 5:6, bit_select1 7:9, event2 10:11, bit_select2 12:14, event3 15:16,
        bit_select3 17:19, event4 20:21, bit_select4 22:24, event5 25:26, bit_select5 27:29, spare 30:31,
    };
    /// Performance counters; without effect.
    set_shader_performance_counter_control_b @ [0xCEF; 8 step 1] { edge 0:0, mode 1:2, windowed 3:3, func 4:19 };
    /// Performance counters; without effect.
    set_shader_performance_counter_trap_control @ 0xCF7 { mask 0:7 };
    /// Performance counters; without effect.
    shader_performance_counter @ [
        0xCF8 start_shader_performance_counter, 0xCF9 stop_shader_performance_counter,
    ] { counter_mask 0:7 };
}
