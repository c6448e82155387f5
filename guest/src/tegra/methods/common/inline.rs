//! Methods that the 3D, compute and inline classes share: inline transfers, the condition of a class.

use std::convert::Infallible;

use super::trigger::Common;
use crate::table::regs::regs;
use crate::tegra::methods::table::Effect;
use crate::tegra::methods::values::{
    CompletionType, InlineInterrupt, MemoryLayout, ReductionFormat, ReductionOp, RenderEnableMode,
    RenderEnableOverride, StructSize,
};

regs! {
    effect Effect<Infallible>;

    /// Performance monitor; without effect.
    pm_trigger_wfi @ 0x051 { v 0:31 bits };
    /// Inline transfer: bytes of a line.
    line_length_in @ 0x060 { value 0:31 count };
    /// Inline transfer: lines.
    line_count @ 0x061 { value 0:31 count };
    /// Inline transfer: destination, bits 31:0.
    offset_out @ 0x063 { value 0:31 address };
    /// Inline transfer: bytes from line to line of a pitch destination.
    pitch_out @ 0x064 { value 0:31 count };
    /// Inline transfer: block of a block-linear destination, log2 of GOBs.
    set_dst_block_size @ 0x065 { width 0:3, height 4:7, depth 8:11 };
    /// Inline transfer to a block-linear destination: bytes of a row, rows, slices, slice that is written.
    set_dst_extent @ [0x066 set_dst_width, 0x067 set_dst_height, 0x068 set_dst_depth, 0x069 set_dst_layer] { v 0:31 count };
    /// Inline transfer: begins; LOAD_INLINE_DATA follows.
    launch_dma @ 0x06C {
        dst_memory_layout 0:0 MemoryLayout, reduction_enable 1:1 bool, reduction_format 2:3 ReductionFormat,
        completion_type 4:5 CompletionType, sysmembar_disable 6:6 bool, interrupt_type 8:9 InlineInterrupt,
        semaphore_struct_size 12:12 StructSize, reduction_op 13:15 ReductionOp,
    } Common(Common::InlineLaunch);
    /// Inline transfer: four bytes. Each line begins at a new word (unverified).
    load_inline_data @ 0x06D { v 0:31 bits } Common(Common::InlineData);
    /// Inline transfer: semaphore address, bits 31:0.
    set_i2m_semaphore_b @ 0x078 { offset_lower 0:31 address };
    /// Inline transfer: semaphore payload.
    set_i2m_semaphore_c @ 0x079 { payload 0:31 bits };
    /// Without effect.
    set_i2m_spare_noop @ [
        0x07C set_i2m_spare_noop00, 0x07D set_i2m_spare_noop01, 0x07E set_i2m_spare_noop02,
        0x07F set_i2m_spare_noop03,
    ] { v 0:31 bits };
    /// Condition of draws, clears, launches, transfers: address, upper bits.
    set_render_enable_a @ 0x554 { offset_upper 0:7 address(32) };
    /// Condition of draws, clears, launches, transfers: address, bits 31:0.
    set_render_enable_b @ 0x555 { offset_lower 0:31 address };
    /// Evaluates the condition: the 64 bits there are not zero, or equal or differ from those 16 bytes later.
    set_render_enable_c @ 0x556 { mode 0:2 RenderEnableMode } Common(Common::RenderEnable);
    /// Ignores the condition.
    set_render_enable_override @ 0x651 { mode 0:1 RenderEnableOverride } Common(Common::RenderEnable);
}
