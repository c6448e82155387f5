//! Control: macros, inline transfers, synchronisation, firmware.

use super::Trigger;
use super::output_values::SyncPointCondition;
use crate::table::regs::regs;
use crate::tegra::methods::values::CacheLines;
use crate::tegra::methods::{Common, Effect};

regs! {
    effect Effect<Trigger>;

    /// Without use on one GPU.
    peer_semaphore_release_offset_upper @ 0x04A { v 0:7 };
    /// Without use on one GPU.
    peer_semaphore_release_offset @ 0x04B { v 0:31 bits };
    /// Without effect.
    run_ds_now @ 0x080 { v 0:31 bits };
    /// Increments a syncpoint when earlier work has reached `condition`.
    increment_sync_point @ 0x0B2 {
        index 0:11, clean_l2 16:16 bool, condition 20:20 SyncPointCondition,
    } Trigger(Trigger::IncrementSyncpoint);
    /// Without effect.
    flush_and_invalidate_rop_mini_cache @ 0x0B5 { v 0:0 };
    /// Without use on one GPU.
    peer_semaphore_release @ 0x0BC { v 0:31 bits };
    /// Without effect.
    force_transition_to_beta @ 0x366 { v 0:0 };
    /// As INVALIDATE_SHADER_CACHES, without waiting.
    invalidate_shader_caches_no_wfi @ 0x369 {
        instruction 0:0 bool, global_data 4:4 bool, constant 12:12 bool,
    } Common(Common::InvalidateShaders);
    /// Orders pixel programs' memory accesses before and after it.
    pixel_shader_barrier @ 0x378 { sysmembar_enable 0:0 bool } Trigger(Trigger::FlushWrites);
    /// Performance monitor; without effect.
    pm_local_trigger @ 0x3C6 { bookmark 0:15 };
    /// Texels may have changed; waits, which INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI does not (deko3d).
    invalidate_texture_data_cache_wfi @ 0x3DD {
        lines 0:0 CacheLines, tag 4:25,
    } Common(Common::InvalidateTexels);
    /// Without effect.
    set_reserved_sw_method @ [
        0x405 set_reserved_sw_method00, 0x40A set_reserved_sw_method01, 0x40B set_reserved_sw_method02,
        0x42C set_reserved_sw_method03, 0x42D set_reserved_sw_method04, 0x42E set_reserved_sw_method05,
        0x42F set_reserved_sw_method06, 0x430 set_reserved_sw_method07, 0x431 set_reserved_sw_method08,
        0x432 set_reserved_sw_method09, 0x434 set_reserved_sw_method10, 0x435 set_reserved_sw_method11,
        0x436 set_reserved_sw_method12, 0x437 set_reserved_sw_method13, 0x440 set_reserved_sw_method14,
        0x441 set_reserved_sw_method15,
    ] { v 0:31 bits };
    /// Without effect.
    set_spare_noop @ [
        0x411 set_spare_noop01, 0x412 set_spare_noop02, 0x413 set_spare_noop03, 0x414 set_spare_noop04,
        0x415 set_spare_noop05, 0x416 set_spare_noop06, 0x417 set_spare_noop07, 0x418 set_spare_noop08,
        0x419 set_spare_noop09, 0x41A set_spare_noop10, 0x41B set_spare_noop11, 0x41C set_spare_noop12,
        0x41D set_spare_noop13, 0x41E set_spare_noop14, 0x41F set_spare_noop15,
    ] { v 0:31 bits };
    /// Without effect.
    no_operation_data_hi @ 0x443 { v 0:31 bits };
    /// Performance monitor; without effect.
    pm_trigger_end @ 0x445 { v 0:31 bits };
    /// Makes earlier writes of programs visible.
    flush_pending_writes @ 0x451 { sm_does_global_store 0:0 } Trigger(Trigger::FlushWrites);
    /// Without effect.
    force_heavyweight_method_sync @ 0x47D { v 0:31 bits };
    /// Version check of the class; without effect.
    class_version @ [0x58E set_class_version, 0x5A8 check_class_version] { current 0:15, oldest_supported 16:31 };
    /// Versions of program headers in use; without effect.
    set_sph_version @ 0x5A9 { current 0:15, oldest_supported 16:31 };
    /// Newest and oldest version of program headers in use; without effect.
    check_sph_version @ 0x5AA { current 0:15, oldest_supported 16:31 };
    /// Version check; without effect.
    aam_version @ [0x5E4 set_aam_version, 0x5E5 check_aam_version] { current 0:15, oldest_supported 16:31 };
    /// Calls into firmware. Number 4 makes macros wait: scratch 0 must then read 1.
    set_falcon @ [0x8C0; 32 step 1] { v 0:31 bits } Trigger(Trigger::Firmware);
}
