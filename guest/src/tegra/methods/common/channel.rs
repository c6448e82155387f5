//! Methods that the 3D, compute, inline and 2D classes share: the channel, notifiers, the condition of all classes.

use std::convert::Infallible;

use super::trigger::Common;
use crate::table::regs::regs;
use crate::tegra::methods::Class;
use crate::tegra::methods::table::Effect;
use crate::tegra::methods::values::{NotifyType, RenderEnableMode};

regs! {
    effect Effect<Infallible>;

    /// Tells the class of the subchannel; the host checks it.
    set_object @ 0x000 { class_id 0:15 Class, engine_id 16:20 };
    /// Nothing.
    no_operation @ 0x040 { v 0:31 bits };
    /// Address of the notifier, bits 31:0.
    set_notify_b @ 0x042 { address_lower 0:31 address };
    /// Writes the notifier, 16 bytes. Hardly used.
    notify @ 0x043 { type_ 0:31 NotifyType } Common(Common::Notify);
    /// Waits until everything earlier is finished.
    wait_for_idle @ 0x044 { v 0:31 bits } Common(Common::WaitForIdle);
    /// Condition of all classes: address, upper bits.
    set_global_render_enable_a @ 0x04C { offset_upper 0:7 address(32) };
    /// Condition of all classes: address, bits 31:0.
    set_global_render_enable_b @ 0x04D { offset_lower 0:31 address };
    /// Condition of all classes: evaluates it, see SET_RENDER_ENABLE_C.
    set_global_render_enable_c @ 0x04E { mode 0:2 RenderEnableMode } Common(Common::RenderEnable);
    /// Without effect.
    send_go_idle @ 0x04F { v 0:31 bits };
    /// Performance monitor; without effect.
    pm_trigger @ 0x050 { v 0:31 bits };
    /// Instrumentation; without effect.
    set_instrumentation_method @ [
        0x054 set_instrumentation_method_header, 0x055 set_instrumentation_method_data,
    ] { v 0:31 bits };
    /// Plain storage for macros and drivers.
    set_mme_shadow_scratch @ [0xD00; 256 step 1] { v 0:31 bits };
}
