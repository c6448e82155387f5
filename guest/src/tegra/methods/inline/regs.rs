//! The registers.

use super::Trigger;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;
use crate::tegra::methods::values::{
    CompletionType, InlineInterrupt, MemoryLayout, NotifyType, ReductionFormat, ReductionOp, RenderEnableMode,
    RenderEnableOverride, StructSize,
};

regs! {
    effect Effect<Trigger>;

    /// Tells the class of the subchannel; the host checks it.
    set_object @ 0x000 { class_id 0:15, engine_id 16:20 };
    /// Nothing.
    no_operation @ 0x040 { v 0:31 };
    /// Address of the notifier, upper bits.
    set_notify_a @ 0x041 { address_upper 0:24 };
    /// Address of the notifier, bits 31:0.
    set_notify_b @ 0x042 { address_lower 0:31 };
    /// Writes the notifier, 16 bytes. Hardly used.
    notify @ 0x043 { type_ 0:31 NotifyType } Trigger(Trigger::Notify);
    /// Waits until everything earlier is finished.
    wait_for_idle @ 0x044 { v 0:31 } Trigger(Trigger::WaitForIdle);
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
    offset_out_upper @ 0x062 { value 0:24 };
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
    set_dst_origin_bytes_x @ 0x06A { v 0:20 };
    /// Inline transfer: first row.
    set_dst_origin_samples_y @ 0x06B { v 0:16 };
    /// Inline transfer: begins; LOAD_INLINE_DATA follows.
    launch_dma @ 0x06C {
        dst_memory_layout 0:0 MemoryLayout, reduction_enable 1:1 bool, reduction_format 2:3 ReductionFormat,
        completion_type 4:5 CompletionType, sysmembar_disable 6:6 bool, interrupt_type 8:9 InlineInterrupt,
        semaphore_struct_size 12:12 StructSize, reduction_op 13:15 ReductionOp,
    } Trigger(Trigger::InlineLaunch);
    /// Inline transfer: four bytes. Each line begins at a new word (unverified).
    load_inline_data @ 0x06D { v 0:31 } Trigger(Trigger::InlineData);
    /// Inline transfer: semaphore address, upper bits.
    set_i2m_semaphore_a @ 0x077 { offset_upper 0:24 };
    /// Inline transfer: semaphore address, bits 31:0.
    set_i2m_semaphore_b @ 0x078 { offset_lower 0:31 };
    /// Inline transfer: semaphore payload.
    set_i2m_semaphore_c @ 0x079 { payload 0:31 };
    /// Without effect.
    set_i2m_spare_noop @ [
        0x07C set_i2m_spare_noop00, 0x07D set_i2m_spare_noop01, 0x07E set_i2m_spare_noop02,
        0x07F set_i2m_spare_noop03,
    ] { v 0:31 };
    /// Calls into firmware; not used.
    set_falcon @ [
        0x080 set_falcon00, 0x081 set_falcon01, 0x082 set_falcon02, 0x083 set_falcon03, 0x084 set_falcon04,
        0x085 set_falcon05, 0x086 set_falcon06, 0x087 set_falcon07, 0x088 set_falcon08, 0x089 set_falcon09,
        0x08A set_falcon10, 0x08B set_falcon11, 0x08C set_falcon12, 0x08D set_falcon13, 0x08E set_falcon14,
        0x08F set_falcon15, 0x090 set_falcon16, 0x091 set_falcon17, 0x092 set_falcon18, 0x093 set_falcon19,
        0x094 set_falcon20, 0x095 set_falcon21, 0x096 set_falcon22, 0x097 set_falcon23, 0x098 set_falcon24,
        0x099 set_falcon25, 0x09A set_falcon26, 0x09B set_falcon27, 0x09C set_falcon28, 0x09D set_falcon29,
        0x09E set_falcon30, 0x09F set_falcon31,
    ] { v 0:31 };
    /// Condition of transfers: address, upper bits.
    set_render_enable_a @ 0x554 { offset_upper 0:7 };
    /// Condition of transfers: address, bits 31:0.
    set_render_enable_b @ 0x555 { offset_lower 0:31 };
    /// Evaluates the condition, as in the 3D class.
    set_render_enable_c @ 0x556 { mode 0:2 RenderEnableMode } Trigger(Trigger::RenderEnable);
    /// Ignores the condition.
    set_render_enable_override @ 0x651 { mode 0:1 RenderEnableOverride } Trigger(Trigger::RenderEnable);
    /// Plain storage for macros and drivers.
    set_mme_shadow_scratch @ [0xD00; 256 step 1] { v 0:31 };
}
