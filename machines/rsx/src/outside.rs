//! What is outside of the chip: interrupts, the driver that answers them, and the host that hears of it.
//!
//! ```text
//! puller ──► software methods ──► LV1's driver, if the channel is one of its contexts' ──► flips, queues, user commands
//!                             └─► a handler of the host's, or an event
//! pusher ──► errors ──► interrupt bits, events
//! ```

use std::collections::VecDeque;

use triglyph_guest::rsx::fifo::PusherError;
use triglyph_guest::rsx::lv1::event::{lv1, lv2};
use triglyph_guest::rsx::registers::pfifo_interrupt;

use super::core::Core;
use super::lv1::Lv1;

/// A method of the software engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SoftwareMethod {
    /// The channel.
    pub channel: u32,
    /// The subchannel.
    pub subchannel: u32,
    /// Byte address of the method in the subchannel.
    pub method: u32,
    /// Its data.
    pub data: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// The pusher of a channel met an error and stands still.
    GraphicsError {
        /// The channel.
        channel: u32,
        /// What is wrong.
        error: PusherError,
    },
    /// A head has begun to show a frame.
    Vblank {
        /// The context's handle.
        context: u32,
        /// The head.
        head: u32,
    },
    /// The second handler's frame.
    SecondVblank {
        /// The context's handle.
        context: u32,
        /// The head.
        head: u32,
    },
    /// A head shows another buffer.
    Flip {
        /// The context's handle.
        context: u32,
        /// The head.
        head: u32,
        /// Number of the buffer.
        buffer: u32,
        /// Where it is in local memory.
        offset: u32,
    },
    /// A buffer was queued.
    Queue {
        /// The context's handle.
        context: u32,
        /// The head.
        head: u32,
        /// Number of the buffer.
        buffer: u32,
    },
    /// A user command was executed.
    UserCommand {
        /// The context's handle.
        context: u32,
        /// Its parameter.
        value: u32,
    },
    /// An engine touched an IO address that is not mapped.
    UnmappedIo {
        /// The address, as the chip has it.
        address: u64,
    },
    /// A method of the software engine that no driver answered.
    Software(SoftwareMethod),
    /// PFIFO interrupts, and the guest has asked for it.
    Interrupt {
        /// Bits of `PFIFO_INTR` that are new.
        bits: u32,
    },
}

impl Event {
    /// The bit of the hypervisor's interrupt status, for events that have one.
    pub const fn lv1_bit(self) -> u64 {
        match self {
            Event::Vblank { head, .. } => lv1::vblank(head),
            Event::Flip { head, .. } => lv1::flip(head),
            Event::Queue { head, .. } => lv1::queue(head),
            _ => 0,
        }
    }

    /// The bit of the word that Lv-2 sends to event ports, for events that have one.
    pub const fn lv2_bit(self) -> u64 {
        match self {
            Event::GraphicsError { .. } => lv2::GRAPHICS_ERROR,
            Event::Vblank { .. } => lv2::VBLANK,
            Event::SecondVblank { head, .. } => lv2::second_vblank(head),
            Event::Flip { head, .. } => lv2::flip(head),
            Event::Queue { head, .. } => lv2::queue(head),
            Event::UserCommand { .. } => lv2::USER_COMMAND,
            Event::UnmappedIo { .. } => lv2::UNMAPPED_IO,
            Event::Software(_) | Event::Interrupt { .. } => 0,
        }
    }
}

/// Events that wait for the host. Of more than the host takes, the oldest go.
#[derive(Debug, Default)]
pub(super) struct Events(VecDeque<Event>);

/// Events that are kept.
const KEPT: usize = 4096;

impl Events {
    pub(super) fn push(&mut self, event: Event) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(event);
    }

    pub(super) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.0).into()
    }
}

/// Executes software methods of channels that are none of LV1's.
pub type SoftwareHandler = Box<dyn FnMut(SoftwareMethod) + Send>;

/// See the module's documentation.
#[derive(Default)]
pub struct Outside {
    pub(super) events: Events,
    pub(super) lv1: Lv1,
    /// Interrupts of PFIFO that have happened, and those that the guest has asked for: `PFIFO_INTR`, `PFIFO_INTR_EN`.
    pub(super) interrupts: u32,
    pub(super) enabled: u32,
    /// The method that the puller has stopped at, and whether its handle was not found.
    pub(super) stalled: Option<(SoftwareMethod, bool)>,
    pub(super) handler: Option<SoftwareHandler>,
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outside { events, lv1, interrupts, enabled, stalled, handler } = self;
        f.debug_struct("Outside")
            .field("events", events)
            .field("lv1", lv1)
            .field("interrupts", interrupts)
            .field("enabled", enabled)
            .field("stalled", stalled)
            .field("handler", &handler.is_some())
            .finish()
    }
}

impl Outside {
    /// Whether the guest itself handles an interrupt: then the puller waits for it. Otherwise it is the hypervisor's,
    /// which is us, and things go on at once.
    pub(super) fn handles(&self, interrupt: u32) -> bool {
        self.enabled & interrupt != 0
    }

    /// Raises an interrupt.
    pub(super) fn raise(&mut self, interrupt: u32) {
        let new = interrupt & !self.interrupts & self.enabled;
        self.interrupts |= interrupt;
        if new != 0 {
            self.events.push(Event::Interrupt { bits: new });
        }
    }

    /// Executes a software method.
    pub(super) fn software(&mut self, core: &mut Core, call: SoftwareMethod) {
        if self.lv1.driver_method(core, &mut self.events, call) {
            return;
        }
        match &mut self.handler {
            Some(handler) => handler(call),
            None => self.events.push(Event::Software(call)),
        }
    }

    /// A channel's REF_CNT method was executed: the guest may be looking.
    pub(super) fn reference(&mut self, core: &mut Core, channel: u32, value: u32) {
        self.lv1.reference(core, channel, value);
    }

    /// A pusher has stopped with an error.
    pub(super) fn pusher_error(&mut self, core: &Core, channel: u32, error: PusherError) {
        self.raise(pfifo_interrupt::DMA_PUSHER);
        self.lv1.graphics_error(core, channel, error as u32);
        self.events.push(Event::GraphicsError { channel, error });
    }
}
