//! Events for the host: interrupts, the driver that answers them, and software methods.
//!
//! ```text
//! puller ──► software methods ──► LV1's driver, if the channel is one of its contexts' ──► flips, queues, user commands
//!                             └─► a handler of the host's, or an event
//! pusher ──► errors ──► interrupt bits, events
//! ```

use std::time::Duration;

use triglyph_guest::rsx::lv1::event::{lv1, lv2};
use triglyph_guest::rsx::registers::pfifo_interrupt;

use super::lv1::Lv1;
use crate::core::Core;
use triglyph_engine::device::{Event, EventQueue, SoftwareMethod};

/// The bit of the hypervisor's interrupt status, for events that have one; otherwise 0.
pub const fn lv1_bit(event: Event) -> u64 {
    match event {
        Event::Vblank { head, .. } => lv1::vblank(head),
        Event::Flip { head, .. } => lv1::flip(head),
        Event::Queue { head, .. } => lv1::queue(head),
        _ => 0,
    }
}

/// The bit of the word that Lv-2 sends to event ports, for events that have one; otherwise 0.
pub const fn lv2_bit(event: Event) -> u64 {
    match event {
        Event::GraphicsError { .. } => lv2::GRAPHICS_ERROR,
        Event::Vblank { .. } => lv2::VBLANK,
        Event::SecondVblank { head, .. } => lv2::second_vblank(head),
        Event::Flip { head, .. } => lv2::flip(head),
        Event::Queue { head, .. } => lv2::queue(head),
        Event::UserCommand { .. } => lv2::USER_COMMAND,
        Event::UnmappedIo { .. } => lv2::UNMAPPED_IO,
        _ => 0,
    }
}

/// Executes software methods of channels that are none of LV1's.
pub type SoftwareHandler = Box<dyn FnMut(SoftwareMethod) + Send>;

/// See the module's documentation.
#[derive(Default)]
pub struct HostEvents {
    pub(crate) events: EventQueue,
    pub(crate) lv1: Lv1,
    /// Interrupts of PFIFO that have happened, and those that the guest has asked for: `PFIFO_INTR`, `PFIFO_INTR_EN`.
    pub(crate) interrupts: u32,
    pub(crate) enabled: u32,
    /// The method that the puller has stopped at, and whether its handle was not found.
    pub(crate) stalled: Option<(SoftwareMethod, bool)>,
    pub(crate) handler: Option<SoftwareHandler>,
}

impl std::fmt::Debug for HostEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let HostEvents { events, lv1, interrupts, enabled, stalled, handler } = self;
        f.debug_struct("HostEvents")
            .field("events", events)
            .field("lv1", lv1)
            .field("interrupts", interrupts)
            .field("enabled", enabled)
            .field("stalled", stalled)
            .field("handler", &handler.is_some())
            .finish()
    }
}

impl HostEvents {
    /// Whether the guest itself handles an interrupt: then the puller waits for it. Otherwise it is the hypervisor's,
    /// which is us, and things go on at once.
    pub(crate) fn handles(&self, interrupt: u32) -> bool {
        self.enabled & interrupt != 0
    }

    /// Raises an interrupt.
    pub(crate) fn raise(&mut self, interrupt: u32) {
        let new = interrupt & !self.interrupts & self.enabled;
        self.interrupts |= interrupt;
        if new != 0 {
            self.events.push(Event::Interrupt { source: new, count: 1, delay: Duration::ZERO });
        }
    }

    /// Executes a software method.
    pub(crate) fn software(&mut self, core: &mut Core, call: SoftwareMethod) {
        if self.lv1.driver_method(core, &mut self.events, call) {
            return;
        }
        match &mut self.handler {
            Some(handler) => handler(call),
            None => self.events.push(Event::Software(call)),
        }
    }

    /// A channel's REF_CNT method was executed: the guest may be looking.
    pub(crate) fn reference(&mut self, core: &mut Core, channel: u32, value: u32) {
        self.lv1.reference(core, channel, value);
        core.renderer.timeline.set_fence(channel, value);
    }

    /// A pusher has stopped with an error, whose number programs get.
    pub(crate) fn pusher_error(&mut self, core: &Core, channel: u32, number: u32) {
        self.raise(pfifo_interrupt::DMA_PUSHER);
        self.lv1.graphics_error(core, channel, number);
        self.events.push(Event::GraphicsError { channel: channel.into(), error: number });
    }
}
