//! Control: macros, synchronisation.

use super::Trigger;
use super::values::{MacroReductionFormat, MacroReductionSize};
use crate::table::regs::regs;
use crate::tegra::methods::values::{CacheLines, ReductionOp, RenderEnableMode, RenderEnableOverride};
use crate::tegra::methods::{Common, Effect};

regs! {
    effect Effect<Trigger>;

    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:24 address(32) };
    /// Macros that save and restore state; not used.
    set_mme_switch_state @ 0x07B { valid 0:0 bool, save_macro 4:11, restore_macro 12:19 };
    /// Without effect.
    flush_and_invalidate_rop_mini_cache @ 0x08A { v 0:0 };
    /// Without effect.
    set_spare_noop @ [
        0x08B set_spare_noop06, 0x097 set_spare_noop12, 0x09C set_spare_noop08, 0x09D set_spare_noop01,
        0x09E set_spare_noop11, 0x09F set_spare_noop07, 0x0AF set_spare_noop04, 0x0B0 set_spare_noop15,
        0x0B1 set_spare_noop13, 0x0B2 set_spare_noop03, 0x0B3 set_spare_noop14, 0x0B4 set_spare_noop02,
        0x0B6 set_spare_noop09, 0x0B9 set_spare_noop10,
    ] { v 0:31 bits };
    /// Without effect.
    set_num_processing_clusters @ 0x098 { v 0:0 CacheLines };
    /// Condition of blits and primitives: address, upper bits.
    set_render_enable_a @ 0x099 { offset_upper 0:7 address(32) };
    /// Condition of blits and primitives: address, bits 31:0.
    set_render_enable_b @ 0x09A { offset_lower 0:31 address };
    /// Evaluates the condition, as in the 3D class.
    set_render_enable_c @ 0x09B { mode 0:2 RenderEnableMode } Common(Common::RenderEnable);
    /// Without effect.
    set_compression @ 0x0B5 { enable 0:0 bool };
    /// Ignores the condition.
    set_render_enable_override @ 0x0B7 { mode 0:1 RenderEnableOverride } Common(Common::RenderEnable);
    /// Macro memory transfers; not used.
    set_mme_mem_address_a @ 0x154 { upper 0:24 address(32) };
    /// Macro memory transfers; not used.
    set_mme_mem_address_b @ 0x155 { lower 0:31 address };
    /// Macro memory transfers; not used.
    set_mme_data_ram_address @ 0x156 { word 0:31 bits };
    /// Macro memory transfers; not used.
    mme_dma @ [0x157 mme_dma_read, 0x158 mme_dma_read_fifoed, 0x159 mme_dma_write] { length 0:31 count };
    /// Macro memory transfers; not used.
    mme_dma_reduction @ 0x15A {
        reduction_op 0:2 ReductionOp, reduction_format 4:5 MacroReductionFormat,
        reduction_size 8:8 MacroReductionSize,
    };
    /// Macro memory transfers; not used.
    mme_dma_sysmembar @ 0x15B { v 0:0 };
    /// Macro memory transfers; not used.
    mme_dma_sync @ 0x15C { value 0:31 bits };
    /// Macro memory transfers; not used.
    set_mme_data_fifo_config @ 0x15D { fifo_size 0:2 };
    /// Calls into firmware; not used.
    set_falcon @ [0x238; 32 step 1] { v 0:31 bits };
    /// Macro memory transfers; not used.
    mme_dma_write_method_barrier @ 0x37B { v 0:0 };
}
