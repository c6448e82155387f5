//! Methods of the software object, which GCM binds to subchannel 7; the hypervisor carries them out. Source: RPCS3.

use super::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Binds an object. The puller takes this one.
    set_object @ 0x0000 { handle 0:31 bits } Trigger(Trigger::Object);
    /// Shows a buffer on a head, at the next blank.
    driver_flip @ [0x0920; 2 step 4] { buffer 0:31 count } Trigger(Trigger::Flip);
    /// Prepares a buffer to be shown on a head. (A console's log, ps3autotests' methods_sce_driver: eight heads.)
    driver_queue @ [0x0940; 8 step 4] { buffer 0:31 count } Trigger(Trigger::Queue);
    /// Interrupts the CPU with a value.
    user_command @ [0x0B00; 2 step 4] { value 0:31 bits } Trigger(Trigger::UserInterrupt);
    /// The flip of command buffers that RPCS3 records.
    flip_command @ 0x1EAC { buffer 0:31 count } Trigger(Trigger::Flip);
}
