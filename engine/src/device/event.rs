//! Events of a device for its host: interrupts, fences, flips, VBlanks.

use std::collections::VecDeque;
use std::time::Duration;

use triglyph_guest::id::{ChannelId, ContextHandle, EventSlot, SyncpointId};

use crate::sched::Timeline;

/// A method of the software engine: the host's processor executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SoftwareMethod {
    /// The channel.
    pub channel: ChannelId,
    /// The subchannel.
    pub subchannel: u32,
    /// Byte address of the method in the subchannel.
    pub method: u32,
    /// Its data.
    pub data: u32,
}

/// Something that happened in a device and concerns the host or the guest's processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A unit asks for an interrupt of the guest's processor.
    Interrupt {
        /// Which interrupt, as the machine's documentation numbers them: the number of a GSP interrupt on the 3DS, the
        /// new bits of PFIFO_INTR on the PS3, 0 on the Tegra X1.
        source: u32,
        /// How many of them, at least 1.
        count: u64,
        /// Time from the call that caused it until the hardware would raise it, in whole nanoseconds; an estimate, 0
        /// where there is none.
        delay: Duration,
    },
    /// A fence with a waiter was reached.
    Fence {
        /// The waiter: on the Tegra X1 the slot of the event.
        slot: EventSlot,
        /// The counter, on the Tegra X1 the syncpoint.
        counter: SyncpointId,
        /// The value that it was to reach.
        value: u32,
    },
    /// A display has begun to show a frame.
    Vblank {
        /// The display's owner: the handle of an LV1 context, 0 on other machines.
        context: ContextHandle,
        /// Number of the display.
        head: u32,
    },
    /// As [`Self::Vblank`], for the second handler of the PS3's driver.
    SecondVblank {
        /// The handle of the LV1 context.
        context: ContextHandle,
        /// Number of the display.
        head: u32,
    },
    /// A display shows another buffer.
    Flip {
        /// The display's owner: the handle of an LV1 context, 0 on other machines.
        context: ContextHandle,
        /// Number of the display.
        head: u32,
        /// Number of the buffer.
        buffer: u32,
        /// Where the buffer begins: an offset in local memory on the PS3, a physical address on the 3DS.
        offset: u32,
    },
    /// A buffer waits to be shown.
    Queue {
        /// The handle of the LV1 context.
        context: ContextHandle,
        /// Number of the display.
        head: u32,
        /// Number of the buffer.
        buffer: u32,
    },
    /// A user command was executed.
    UserCommand {
        /// The handle of the LV1 context.
        context: ContextHandle,
        /// Its parameter.
        value: u32,
    },
    /// The pusher of a channel met an error and has stopped.
    GraphicsError {
        /// The channel.
        channel: ChannelId,
        /// The number that a program's handler gets: 1, or 0x200 where the push buffer is not mapped.
        error: u32,
    },
    /// The GPU touched an IO address that is not mapped.
    UnmappedIo {
        /// The address as the GPU sees it.
        address: u64,
    },
    /// A method of the software engine that no driver or handler has executed.
    Software(SoftwareMethod),
}

/// Events that the host has not taken yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    events: VecDeque<Event>,
    timeline: Timeline,
}

impl EventQueue {
    /// Events that are kept for a host that takes none; then the oldest are dropped.
    pub const MAX: usize = 4096;

    /// Counts events on a device's timeline, for threads that wait for them.
    pub fn count_on(&mut self, timeline: &Timeline) {
        self.timeline = timeline.clone();
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        if self.events.len() == Self::MAX {
            self.events.pop_front();
        }
        self.events.push_back(event);
        self.timeline.note_event();
    }

    /// All events since the last call.
    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_events_are_dropped() {
        let mut queue = EventQueue::default();
        for head in 0..EventQueue::MAX as u32 + 2 {
            queue.push(Event::Vblank { context: ContextHandle::default(), head });
        }
        let events = queue.take();
        assert_eq!(
            (events.len(), events[0]),
            (EventQueue::MAX, Event::Vblank { context: ContextHandle::default(), head: 2 })
        );
        assert!(queue.take().is_empty());
    }
}
