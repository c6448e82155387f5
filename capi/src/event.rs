//! An event of a device as C sees it.

use triglyph::{Event, SoftwareMethod};
use triglyph_guest::num::nanoseconds;

use super::pointer::SizedStruct;

/// The kind of an event. The fields of an event that each kind has are named here; the others are 0.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_event_kind {
    /// A kind that this version cannot describe.
    Unknown = 0,
    /// An interrupt of the guest's processor: `source` as the machine numbers them (a GSP interrupt on the 3DS, new
    /// bits of PFIFO_INTR on the PS3, 0 on the Tegra X1), `count`, `delay`.
    Interrupt = 1,
    /// A fence with a waiter was reached: `slot`, `counter` (the syncpoint), `value`.
    Fence = 2,
    /// A display has begun to show a frame: `context`, `head`.
    Vblank = 3,
    /// As before, for the second handler of the PS3's driver: `context`, `head`.
    SecondVblank = 4,
    /// A display shows another buffer: `context`, `head`, `buffer`, `offset`.
    Flip = 5,
    /// A buffer waits to be shown: `context`, `head`, `buffer`.
    Queue = 6,
    /// A user command was executed: `context`, `value`.
    UserCommand = 7,
    /// The pusher of a channel met an error and has stopped: `channel`, `error`.
    GraphicsError = 8,
    /// The GPU touched an IO address that is not mapped: `address`.
    UnmappedIo = 9,
    /// A method of the software engine that no driver or handler has executed: `channel`, `subchannel`, `method`,
    /// `value`.
    Software = 10,
}

/// Something that happened in a device and concerns the host or the guest's processor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_event {
    /// Bytes of this structure: `sizeof(triglyph_event)`. A callback gets the library's; of an array the caller sets
    /// that of the first, which is the distance from each to the next.
    pub size: u32,
    /// A `triglyph_event_kind`: it says which fields mean something.
    pub kind: u32,
    /// Which interrupt.
    pub source: u32,
    /// The display's owner: the handle of an LV1 context, 0 on other machines.
    pub context: u32,
    /// Number of the display; on the 3DS 0 the top and 1 the bottom screen.
    pub head: u32,
    /// Number of the buffer.
    pub buffer: u32,
    /// Where the buffer begins: an offset in local memory on the PS3, a physical address on the 3DS.
    pub offset: u32,
    /// The waiter of the fence: the slot of the event.
    pub slot: u32,
    /// The syncpoint of the fence.
    pub counter: u32,
    /// The value of the fence, the parameter of the user command, the data of the method.
    pub value: u32,
    /// The channel.
    pub channel: u32,
    /// The subchannel.
    pub subchannel: u32,
    /// Byte address of the method in the subchannel.
    pub method: u32,
    /// The hardware's number of the error.
    pub error: u32,
    /// How many interrupts, at least 1.
    pub count: u64,
    /// Nanoseconds from the call that caused the interrupt until the hardware would raise it: an estimate, 0 without.
    pub delay: u64,
    /// The IO address as the GPU sees it.
    pub address: u64,
}

// SAFETY: fourteen words, then eight bytes each: no padding, only numbers, the size first.
unsafe impl SizedStruct for triglyph_event {}

impl From<Event> for triglyph_event {
    fn from(event: Event) -> Self {
        let size = size_of::<triglyph_event>() as u32;
        let of = |kind: triglyph_event_kind| triglyph_event { size, kind: kind as u32, ..Default::default() };
        match event {
            Event::Interrupt { source, count, delay } => {
                let delay = nanoseconds(delay);
                triglyph_event { source, count, delay, ..of(triglyph_event_kind::Interrupt) }
            }
            Event::Fence { slot, counter, value } => {
                let (slot, counter) = (slot.get(), counter.get());
                triglyph_event { slot, counter, value, ..of(triglyph_event_kind::Fence) }
            }
            Event::Vblank { context, head } => {
                triglyph_event { context: context.get(), head, ..of(triglyph_event_kind::Vblank) }
            }
            Event::SecondVblank { context, head } => {
                triglyph_event { context: context.get(), head, ..of(triglyph_event_kind::SecondVblank) }
            }
            Event::Flip { context, head, buffer, offset } => {
                triglyph_event { context: context.get(), head, buffer, offset, ..of(triglyph_event_kind::Flip) }
            }
            Event::Queue { context, head, buffer } => {
                triglyph_event { context: context.get(), head, buffer, ..of(triglyph_event_kind::Queue) }
            }
            Event::UserCommand { context, value } => {
                triglyph_event { context: context.get(), value, ..of(triglyph_event_kind::UserCommand) }
            }
            Event::GraphicsError { channel, error } => {
                triglyph_event { channel: channel.get(), error, ..of(triglyph_event_kind::GraphicsError) }
            }
            Event::UnmappedIo { address } => triglyph_event { address, ..of(triglyph_event_kind::UnmappedIo) },
            Event::Software(SoftwareMethod { channel, subchannel, method, data }) => {
                let (channel, value) = (channel.get(), data);
                triglyph_event { channel, subchannel, method, value, ..of(triglyph_event_kind::Software) }
            }
            _ => of(triglyph_event_kind::Unknown),
        }
    }
}
