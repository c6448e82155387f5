//! Control: macros, inline transfers, synchronisation, firmware.

use super::Trigger;
use super::output_values::SyncPointCondition;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;
use crate::tegra::methods::values::{
    CompletionType, InlineInterrupt, MemoryLayout, NotifyType, ReductionFormat, ReductionOp, RenderEnableMode,
    ShadowMode, StructSize,
};

regs! {
    effect Effect<Trigger>;

    /// Tells the class of the subchannel; the host checks it.
    set_object @ 0x000 { class_id 0:15, engine_id 16:20 };
    /// Nothing.
    no_operation @ 0x040 { v 0:31 };
    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:7 };
    /// Address of the notifier, bits 31:0.
    set_notify_b @ 0x042 { address_lower 0:31 };
    /// Writes the notifier, 16 bytes. Hardly used.
    notify @ 0x043 { type_ 0:31 NotifyType } Trigger(Trigger::Notify);
    /// Waits until everything earlier is finished.
    wait_for_idle @ 0x044 { v 0:31 } Trigger(Trigger::WaitForIdle);
    /// Word of macro memory that the next load goes to.
    load_mme_instruction_ram_pointer @ 0x045 { v 0:31 };
    /// Stores a word of macro memory; the pointer goes up by 1.
    load_mme_instruction_ram @ 0x046 { v 0:31 } Trigger(Trigger::MacroCode);
    /// Macro that the next start address is for.
    load_mme_start_address_ram_pointer @ 0x047 { v 0:31 };
    /// Word that the macro begins at; the pointer goes up by 1.
    load_mme_start_address_ram @ 0x048 { v 0:31 } Trigger(Trigger::MacroStart);
    /// What happens to the copies of registers that macros read, and whether they replace the datum.
    set_mme_shadow_ram_control @ 0x049 { mode 0:1 ShadowMode } Trigger(Trigger::ShadowControl);
    /// Without use on one GPU.
    peer_semaphore_release_offset_upper @ 0x04A { v 0:7 };
    /// Without use on one GPU.
    peer_semaphore_release_offset @ 0x04B { v 0:31 };
    /// Condition of all classes: address, upper bits.
    set_global_render_enable_a @ 0x04C { offset_upper 0:7 };
    /// Condition of all classes: address, bits 31:0.
    set_global_render_enable_b @ 0x04D { offset_lower 0:31 };
    /// Condition of all classes: evaluates it, see SET_RENDER_ENABLE_C.
    set_global_render_enable_c @ 0x04E { mode 0:2 RenderEnableMode } Trigger(Trigger::RenderEnable);
    /// Without effect.
    send_go_idle @ 0x04F { v 0:31 };
    /// Performance monitor; without effect.
    pm_trigger @ 0x050 { v 0:31 };
    /// Performance monitor; without effect.
    pm_trigger_wfi @ 0x051 { v 0:31 };
    /// Instrumentation; without effect.
    set_instrumentation_method_header @ 0x054 { v 0:31 };
    /// Instrumentation; without effect.
    set_instrumentation_method_data @ 0x055 { v 0:31 };
    /// Inline transfer: bytes of a line.
    line_length_in @ 0x060 { value 0:31 };
    /// Inline transfer: lines.
    line_count @ 0x061 { value 0:31 };
    /// Inline transfer: destination, upper bits.
    offset_out_upper @ 0x062 { value 0:7 };
    /// Inline transfer: destination, bits 31:0.
    offset_out @ 0x063 { value 0:31 };
    /// Inline transfer: bytes from line to line of a pitch destination.
    pitch_out @ 0x064 { value 0:31 };
    /// Inline transfer: block of a block-linear destination, log2 of GOBs.
    set_dst_block_size @ 0x065 { width 0:3, height 4:7, depth 8:11 };
    /// Inline transfer: bytes of a row of a block-linear destination.
    set_dst_width @ 0x066 { v 0:31 };
    /// Inline transfer: rows of a block-linear destination.
    set_dst_height @ 0x067 { v 0:31 };
    /// Inline transfer: slices of a block-linear destination.
    set_dst_depth @ 0x068 { v 0:31 };
    /// Inline transfer: slice that is written.
    set_dst_layer @ 0x069 { v 0:31 };
    /// Inline transfer: first byte of each row.
    set_dst_origin_bytes_x @ 0x06A { v 0:19 };
    /// Inline transfer: first row.
    set_dst_origin_samples_y @ 0x06B { v 0:15 };
    /// Inline transfer: begins; LOAD_INLINE_DATA follows.
    launch_dma @ 0x06C {
        dst_memory_layout 0:0 MemoryLayout, reduction_enable 1:1 bool, reduction_format 2:3 ReductionFormat,
        completion_type 4:5 CompletionType, sysmembar_disable 6:6 bool, interrupt_type 8:9 InlineInterrupt,
        semaphore_struct_size 12:12 StructSize, reduction_op 13:15 ReductionOp,
    } Trigger(Trigger::InlineLaunch);
    /// Inline transfer: four bytes. Each line begins at a new word (unverified).
    load_inline_data @ 0x06D { v 0:31 } Trigger(Trigger::InlineData);
    /// Inline transfer: semaphore address, upper bits.
    set_i2m_semaphore_a @ 0x077 { offset_upper 0:7 };
    /// Inline transfer: semaphore address, bits 31:0.
    set_i2m_semaphore_b @ 0x078 { offset_lower 0:31 };
    /// Inline transfer: semaphore payload.
    set_i2m_semaphore_c @ 0x079 { payload 0:31 };
    /// Without effect.
    set_i2m_spare_noop @ [
        0x07C set_i2m_spare_noop00, 0x07D set_i2m_spare_noop01, 0x07E set_i2m_spare_noop02,
        0x07F set_i2m_spare_noop03,
    ] { v 0:31 };
    /// Without effect.
    run_ds_now @ 0x080 { v 0:31 };
    /// Code (`instruction`), global data and constants may have changed in memory.
    invalidate_shader_caches @ 0x087 {
        instruction 0:0 bool, locks 1:1 bool, flush_data 2:2 bool, data 4:4 bool, constant 12:12 bool,
    } Trigger(Trigger::InvalidateShaders);
    /// Increments a syncpoint when earlier work has reached `condition`.
    increment_sync_point @ 0x0B2 {
        index 0:11, clean_l2 16:16 bool, condition 20:20 SyncPointCondition,
    } Trigger(Trigger::IncrementSyncpoint);
    /// Without effect.
    flush_and_invalidate_rop_mini_cache @ 0x0B5 { v 0:0 };
    /// Without use on one GPU.
    peer_semaphore_release @ 0x0BC { v 0:31 };
    /// Without effect.
    force_transition_to_beta @ 0x366 { v 0:0 };
    /// As INVALIDATE_SHADER_CACHES, without waiting.
    invalidate_shader_caches_no_wfi @ 0x369 {
        instruction 0:0 bool, global_data 4:4 bool, constant 12:12 bool,
    } Trigger(Trigger::InvalidateShaders);
    /// Orders pixel programs' memory accesses before and after it.
    pixel_shader_barrier @ 0x378 { sysmembar_enable 0:0 bool } Trigger(Trigger::FlushWrites);
    /// Performance monitor; without effect.
    pm_local_trigger @ 0x3C6 { bookmark 0:15 };
    /// Without effect.
    set_reserved_sw_method @ [
        0x405 set_reserved_sw_method00, 0x40A set_reserved_sw_method01, 0x40B set_reserved_sw_method02,
        0x42C set_reserved_sw_method03, 0x42D set_reserved_sw_method04, 0x42E set_reserved_sw_method05,
        0x42F set_reserved_sw_method06, 0x430 set_reserved_sw_method07, 0x431 set_reserved_sw_method08,
        0x432 set_reserved_sw_method09, 0x434 set_reserved_sw_method10, 0x435 set_reserved_sw_method11,
        0x436 set_reserved_sw_method12, 0x437 set_reserved_sw_method13, 0x440 set_reserved_sw_method14,
        0x441 set_reserved_sw_method15,
    ] { v 0:31 };
    /// Without effect.
    set_spare_noop @ [
        0x411 set_spare_noop01, 0x412 set_spare_noop02, 0x413 set_spare_noop03, 0x414 set_spare_noop04,
        0x415 set_spare_noop05, 0x416 set_spare_noop06, 0x417 set_spare_noop07, 0x418 set_spare_noop08,
        0x419 set_spare_noop09, 0x41A set_spare_noop10, 0x41B set_spare_noop11, 0x41C set_spare_noop12,
        0x41D set_spare_noop13, 0x41E set_spare_noop14, 0x41F set_spare_noop15,
    ] { v 0:31 };
    /// Without effect.
    no_operation_data_hi @ 0x443 { v 0:31 };
    /// Performance monitor; without effect.
    pm_trigger_end @ 0x445 { v 0:31 };
    /// Makes earlier writes of programs visible.
    flush_pending_writes @ 0x451 { sm_does_global_store 0:0 } Trigger(Trigger::FlushWrites);
    /// Without effect.
    force_heavyweight_method_sync @ 0x47D { v 0:31 };
    /// Version check of the class; without effect.
    set_class_version @ 0x58E { current 0:15, oldest_supported 16:31 };
    /// Version check of the class; without effect.
    check_class_version @ 0x5A8 { current 0:15, oldest_supported 16:31 };
    /// Versions of program headers in use; without effect.
    set_sph_version @ 0x5A9 { current 0:15, oldest_supported 16:31 };
    /// Newest and oldest version of program headers in use; without effect.
    check_sph_version @ 0x5AA { current 0:15, oldest_supported 16:31 };
    /// Version check; without effect.
    set_aam_version @ 0x5E4 { current 0:15, oldest_supported 16:31 };
    /// Version check; without effect.
    check_aam_version @ 0x5E5 { current 0:15, oldest_supported 16:31 };
    /// Nothing.
    pipe_nop @ 0x68B { v 0:31 };
    /// Without effect.
    set_spare @ [0x68C set_spare00, 0x68D set_spare01, 0x68E set_spare02, 0x68F set_spare03] { v 0:31 };
    /// Calls into firmware. Number 4 makes macros wait: scratch 0 must then read 1.
    set_falcon @ [
        0x8C0 set_falcon00, 0x8C1 set_falcon01, 0x8C2 set_falcon02, 0x8C3 set_falcon03, 0x8C4 set_falcon04,
        0x8C5 set_falcon05, 0x8C6 set_falcon06, 0x8C7 set_falcon07, 0x8C8 set_falcon08, 0x8C9 set_falcon09,
        0x8CA set_falcon10, 0x8CB set_falcon11, 0x8CC set_falcon12, 0x8CD set_falcon13, 0x8CE set_falcon14,
        0x8CF set_falcon15, 0x8D0 set_falcon16, 0x8D1 set_falcon17, 0x8D2 set_falcon18, 0x8D3 set_falcon19,
        0x8D4 set_falcon20, 0x8D5 set_falcon21, 0x8D6 set_falcon22, 0x8D7 set_falcon23, 0x8D8 set_falcon24,
        0x8D9 set_falcon25, 0x8DA set_falcon26, 0x8DB set_falcon27, 0x8DC set_falcon28, 0x8DD set_falcon29,
        0x8DE set_falcon30, 0x8DF set_falcon31,
    ] { v 0:31 } Trigger(Trigger::Firmware);
    /// Plain storage for macros and drivers.
    set_mme_shadow_scratch @ [0xD00; 256 step 1] { v 0:31 };
    /// Starts a macro; the datum is its first parameter.
    call_mme_macro @ [0xE00; 128 step 2] { v 0:31 } Trigger(Trigger::MacroCall);
    /// A further parameter of the macro.
    call_mme_data @ [0xE01; 128 step 2] { v 0:31 } Trigger(Trigger::MacroData);
}
