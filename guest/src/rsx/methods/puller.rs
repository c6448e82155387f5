//! Methods below 0x100, which the puller takes on every subchannel. Sources: envytools "FIFO puller", RPCS3 nv406e.cpp.

use super::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Binds the object of a handle to the subchannel.
    set_object @ 0x000 { handle 0:31 bits } Trigger(Trigger::Object);
    /// The reference counter, when everything before is done.
    set_reference @ 0x050 { value 0:31 count } Trigger(Trigger::Reference);
    /// Object of semaphores.
    set_context_dma_semaphore @ 0x060 { handle 0:31 bits } Trigger(Trigger::SemaphoreObject);
    /// Offset of the semaphore in it.
    semaphore_offset @ 0x064 { offset 0:31 address };
    /// Waits until the semaphore has the value.
    semaphore_acquire @ 0x068 { value 0:31 bits } Trigger(Trigger::SemaphoreAcquire);
    /// Writes the value to the semaphore.
    semaphore_release @ 0x06C { value 0:31 bits } Trigger(Trigger::SemaphoreRelease);
    /// Gives up the rest of the timeslice.
    channel_yield @ 0x080 { value 0:31 bits } Trigger(Trigger::Yield);
}
