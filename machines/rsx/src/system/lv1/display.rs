//! Display: buffers, flips, vertical blanks, and the driver's methods that ask for them.

use triglyph_guest::rsx::lv1::attribute::{FlipBuffer, VblankRate};
use triglyph_guest::rsx::lv1::info::{HEAD_COUNT, head as field, interrupt};
use triglyph_guest::rsx::lv1::page::reports;
use triglyph_guest::rsx::methods::{SOFTWARE, software};

use super::context::device_ready;
use super::{DisplayBuffer, HEADS, Info, Lv1, reports_area, set_word};
use crate::core::Core;
use crate::system::host_events::lv1_bit;
use triglyph_engine::device::{Event, EventQueue, SoftwareMethod};

/// A head shows a new buffer with the next line.
const HSYNC: u32 = 1;

impl Lv1 {
    /// Puts an event to those that wait, and its bit into the interrupts of its context that the guest lets through.
    fn signal(&mut self, core: &Core, events: &mut EventQueue, slot: usize, event: Event) {
        let info = Info::of(slot);
        let bits = lv1_bit(event) & u64::from(info.interrupt(core, interrupt::MASK));
        if let Some(context) = &mut self.contexts[slot] {
            context.interrupts |= bits;
            info.set_interrupt(core, interrupt::STATUS, context.interrupts as u32);
        }
        events.push(event);
    }

    /// The next buffer of a head: with the next line it is shown at once, otherwise with the next frame.
    pub(super) fn flip(
        &mut self,
        core: &Core,
        events: &mut EventQueue,
        slot: usize,
        head: u32,
        buffer: FlipBuffer,
    ) -> bool {
        let Some(context) = self.contexts[slot].as_mut().filter(|_| (head as usize) < HEADS) else { return false };
        let queued = Info::of(slot).head(core, head, field::QUEUED_BUFFER);
        let offset_of = |id: u32| context.buffers.get(id as usize).copied().flatten().map_or(0, |buffer| buffer.offset);
        let (id, offset) = match buffer {
            FlipBuffer::Id(id) => (id, offset_of(id)),
            FlipBuffer::LastQueued => (queued, offset_of(queued)),
            FlipBuffer::Offset(offset) => {
                let of = |known: &Option<_>| known.is_some_and(|known: super::DisplayBuffer| known.offset == offset);
                (context.buffers.iter().position(of).unwrap_or(0) as u32, offset)
            }
        };
        let Some(pending) = context.heads.get_mut(head as usize) else { return false };
        pending.pending = Some((id, offset));
        if pending.sync == HSYNC {
            self.flip_pending(core, events, slot, head);
        }
        true
    }

    /// Shows what a head is to show next.
    fn flip_pending(&mut self, core: &Core, events: &mut EventQueue, slot: usize, head: u32) {
        let pending = self.contexts[slot].as_mut().and_then(|context| context.heads.get_mut(head as usize));
        let Some((buffer, offset)) = pending.and_then(|head| head.pending.take()) else { return };
        self.flipped(core, events, slot, head, buffer, offset);
    }

    /// A head shows a buffer now.
    pub(super) fn flipped(
        &mut self,
        core: &Core,
        events: &mut EventQueue,
        slot: usize,
        head: u32,
        buffer: u32,
        offset: u32,
    ) {
        let info = Info::of(slot);
        info.set_head_long(core, head, field::FLIP_TIME, self.time);
        info.set_head(core, head, field::FLAGS, info.head(core, head, field::FLAGS) | field::FLIPPED);
        info.set_head(core, head, field::OFFSET, offset);
        info.set_head(core, head, field::FLIPPED_BUFFER, buffer);
        // The label that programs wait for, all 16 bytes of it, and the driver's own.
        for word in 0..4 {
            set_word(core, reports_area(slot), reports::FLIP_LABEL + 4 * word, 0);
        }
        device_ready(core);
        if let Some(shown) = self.shown.get_mut(head as usize) {
            *shown = offset;
        }
        self.signal(core, events, slot, Event::Flip { context: Lv1::handle(slot), head, buffer, offset });
    }

    /// A buffer is queued on a head. (A console's log, ps3autotests' methods_sce_driver: the flags of all eight heads,
    /// of buffers up to 31; higher ones have no bit.)
    pub(super) fn queue(&mut self, core: &Core, events: &mut EventQueue, slot: usize, head: u32, buffer: u32) -> bool {
        if head as usize >= HEAD_COUNT {
            return false;
        }
        let info = Info::of(slot);
        info.set_head(core, head, field::QUEUED_BUFFER, buffer);
        let flags = info.head(core, head, field::FLAGS) | field::QUEUED | 1u32.checked_shl(buffer).unwrap_or(0);
        info.set_head(core, head, field::FLAGS, flags);
        self.signal(core, events, slot, Event::Queue { context: Lv1::handle(slot), head, buffer });
        true
    }

    /// A head has begun to show a frame, at a time of the processor's time base: pending flips are done.
    pub(super) fn vblank(&mut self, core: &Core, events: &mut EventQueue, slot: usize, head: u32, time: u64) -> bool {
        let Some(context) = &self.contexts[slot] else { return false };
        let Some(&state) = context.heads.get(head as usize) else { return false };
        self.time = time;
        let info = Info::of(slot);
        info.set_head(core, head, field::VBLANK_TIME_LOW, time as u32);
        info.set_head(core, head, field::VBLANK_TIME_HIGH, (time >> 32) as u32);
        let count = u64::from(info.head(core, head, field::VBLANK_COUNT)) << 32
            | u64::from(info.head(core, head, field::VBLANK_COUNT + 4));
        info.set_head_long(core, head, field::VBLANK_COUNT, count.wrapping_add(1));
        // The same log: about every 16 ms the flag of the head that is shown is gone.
        info.set_head(core, head, field::FLAGS, info.head(core, head, field::FLAGS) & !field::QUEUED);
        self.flip_pending(core, events, slot, head);
        let context = Lv1::handle(slot);
        let [first, second] = state.rates;
        if first != VblankRate::Off {
            self.signal(core, events, slot, Event::Vblank { context, head });
        }
        if second == VblankRate::ScanOut {
            self.second_vblank(core, events, slot, head, time);
        }
        true
    }

    /// The second handler's frame.
    pub(super) fn second_vblank(&mut self, core: &Core, events: &mut EventQueue, slot: usize, head: u32, time: u64) {
        if (head as usize) < HEADS {
            Info::of(slot).set_head_long(core, head, field::SECOND_VBLANK_TIME, time);
            self.signal(core, events, slot, Event::SecondVblank { context: Lv1::handle(slot), head });
        }
    }

    /// A user command.
    pub(super) fn user_command(&mut self, core: &Core, events: &mut EventQueue, slot: usize, value: u32) {
        Info::of(slot).set_interrupt(core, interrupt::USER_CAUSE, value);
        self.signal(core, events, slot, Event::UserCommand { context: Lv1::handle(slot), value });
    }

    /// The display buffer that a head shows.
    pub(crate) fn shown_buffer(&self, head: usize) -> Option<DisplayBuffer> {
        let offset = *self.shown.get(head)?;
        let buffers = self.contexts.iter().flatten().flat_map(|context| context.buffers).flatten();
        buffers.into_iter().find(|buffer| buffer.offset == offset)
    }

    /// Executes a method of the software object of a context's channel. False when it is none of the driver's.
    pub(crate) fn driver_method(&mut self, core: &Core, events: &mut EventQueue, call: SoftwareMethod) -> bool {
        let Some(slot) = self.slot_of_channel(call.channel.get()) else { return false };
        let SoftwareMethod { method, data, .. } = call;
        let Some(found) = SOFTWARE.find(method) else { return false };
        let head = found.index as u32;
        match found.method.id {
            software::driver_flip::ID => self.flip(core, events, slot, head, flip_argument(data)),
            // As RPCS3's own GCM marks it.
            software::flip_command::ID => self.flip(core, events, slot, 1, flip_argument(data)),
            software::driver_queue::ID => self.queue(core, events, slot, head, data),
            software::user_command::ID => {
                self.user_command(core, events, slot, data);
                true
            }
            _ => false,
        }
    }
}

/// What the data of a flip method name: a buffer by its number, or what the call takes.
fn flip_argument(data: u32) -> FlipBuffer {
    match data {
        0..=7 => FlipBuffer::Id(data),
        _ => FlipBuffer::decode(data),
    }
}
