//! What calls do. Their rows, with documentation, are `triglyph_guest::rsx::lv1::calls`.

use std::time::Duration;

use triglyph_engine::device::{Device, RunLimit};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::id::{ChannelId, ContextHandle, MemoryHandle};
use triglyph_guest::num::nanoseconds;
use triglyph_guest::rsx::lv1::attribute::Operation;
use triglyph_guest::rsx::lv1::info::{head as head_field, interrupt};
use triglyph_guest::rsx::lv1::page::{self, bar, control, lpar, reports};
use triglyph_guest::rsx::lv1::{
    Answer, CONTEXTS, ContextAllocation, DEVICES, MemoryAllocation, SEMAPHORE_DEVICE, Status, memory as limits,
};
use triglyph_guest::rsx::ramfc::Field;

use super::context::device_ready;
use super::frame_buffer::{self, Blit};
use super::info::Info;
use super::io;
use super::memory::fill_holes;
use super::{
    DISPLAY_BUFFERS, FrameBuffer, HEADS, IoMap, Lv1, PAGES, channel, control_page, info_page, reports_area, set_word,
    word,
};
use crate::Rsx;
use crate::front_end::dma::space;
use crate::recorded::Calls;

impl Calls for Rsx {
    fn memory_allocate(&mut self, size: u64, resources: [u64; 4]) -> Result<MemoryAllocation, Status> {
        let allocation = self.host_events.lv1.allocate(size, resources)?;
        let mapped =
            fill_holes(&mut self.core.memory, GuestRange::new(space::LOCAL, allocation.start, allocation.size));
        if let Err(status) = mapped {
            self.host_events.lv1.free(allocation.handle)?;
            return Err(status);
        }
        Ok(MemoryAllocation { handle: allocation.handle.into(), lpar: lpar::LOCAL + allocation.start })
    }

    fn memory_free(&mut self, handle: MemoryHandle) -> Result<(), Status> {
        self.host_events.lv1.free(handle.get())
    }

    fn context_allocate(&mut self, memory: MemoryHandle, flags: u64) -> Result<ContextAllocation, Status> {
        // What a run has drawn and left in the scene goes to the memory that was mapped then.
        self.core.flush();
        let slot = self.host_events.lv1.allocate_context(&mut self.core, &mut self.fifo, memory.get(), flags)?;
        Ok(ContextAllocation {
            handle: Lv1::handle(slot),
            control: control_page(slot).address,
            info: info_page(slot).address,
            reports: lpar::REPORTS + slot as u64 * u64::from(reports::BYTES),
            reports_size: reports::BYTES.into(),
        })
    }

    fn context_free(&mut self, context: ContextHandle) -> Result<(), Status> {
        let slot = self.host_events.lv1.slot(context)?;
        self.core.flush();
        self.host_events.lv1.free_context(&mut self.core, &mut self.fifo, slot);
        Ok(())
    }

    fn context_iomap(
        &mut self,
        context: ContextHandle,
        io: u64,
        lpar: u64,
        size: u64,
        flags: u64,
    ) -> Result<(), Status> {
        let slot = self.host_events.lv1.slot(context)?;
        let io = u32::try_from(io).map_err(|_| Status::IllegalParameterValue)?;
        if u64::from(io).checked_add(size).is_none() {
            return Err(Status::IllegalParameterValue);
        }
        self.core.flush();
        match &mut self.host_events.lv1.contexts[slot] {
            Some(context) => {
                let map = IoMap { io, lpar, size, access: io::access(flags) };
                context.map_io(&mut self.core, slot, map)
            }
            None => Err(Status::NoEntry),
        }
    }

    fn context_intr(&mut self, context: ContextHandle) -> Result<u64, Status> {
        let slot = self.host_events.lv1.slot(context)?;
        let Some(context) = &mut self.host_events.lv1.contexts[slot] else { return Err(Status::NoEntry) };
        let bits = std::mem::take(&mut context.interrupts);
        Info::of(slot).set_interrupt(&self.core, interrupt::STATUS, 0);
        Ok(bits)
    }

    fn device_map(&mut self, device: u64) -> Result<(u64, u64), Status> {
        let known = DEVICES.iter().find(|known| known.id == device).ok_or(Status::IllegalParameterValue)?;
        let address = lpar::DEVICES + device * lpar::DEVICE_BYTES;
        if device == SEMAPHORE_DEVICE {
            fill_holes(&mut self.core.memory, GuestRange::new(space::LOCAL, page::DEVICE.into(), known.size))?;
            device_ready(&self.core);
        } else {
            fill_holes(&mut self.core.memory, GuestRange::new(PAGES, address, known.size))?;
        }
        self.host_events.lv1.devices |= 1 << device;
        Ok((address, known.size))
    }

    fn device_unmap(&mut self, device: u64) -> Result<(), Status> {
        let mapped = device < 64 && self.host_events.lv1.devices >> device & 1 != 0;
        if !mapped {
            return Err(Status::NoEntry);
        }
        self.core.flush();
        self.host_events.lv1.devices &= !(1 << device);
        if device != SEMAPHORE_DEVICE {
            let size = DEVICES.iter().find(|known| known.id == device).map_or(0, |known| known.size);
            self.core.memory.unmap_own(GuestRange::new(PAGES, lpar::DEVICES + device * lpar::DEVICE_BYTES, size));
        }
        Ok(())
    }

    fn attribute(&mut self, operation: u64, parameters: [u64; 4]) -> Result<(), Status> {
        let _ = (operation, parameters);
        Ok(())
    }

    fn context_attribute(
        &mut self,
        context: ContextHandle,
        operation: u64,
        parameters: [u64; 4],
    ) -> Result<(), Status> {
        let slot = self.host_events.lv1.slot(context)?;
        let operation = Operation::decode(operation, parameters).ok_or(Status::NoEntry)?;
        match operation {
            Operation::FifoSetup { get, put } => {
                self.set_up_fifo(slot, get, put);
                Ok(())
            }
            Operation::FrameBufferBlit { local, io, size, pitch } => {
                self.frame_buffer_blit(slot, &Blit { local, io, size, pitch })
            }
            Operation::DisplayFlip { .. }
            | Operation::DisplayQueue { .. }
            | Operation::VblankTick { .. }
            | Operation::FlipDone { .. }
            | Operation::UserCommand { .. } => self.display_operation(slot, operation),
            _ => self.context_operation(slot, operation),
        }
    }

    fn hypercall(&mut self, number: u32, arguments: [u64; 8]) -> Answer {
        Rsx::hypercall(self, number, arguments)
    }

    fn run(&mut self) {
        self.run_contexts();
    }

    fn run_for(&mut self, words: u64) {
        Device::run_for(self, RunLimit::of_words(words));
    }

    fn vblank(&mut self, head: u32, time: u64) {
        for slot in self.host_events.lv1.slots() {
            self.host_events.lv1.vblank(&self.core, &mut self.host_events.events, slot, head, time);
        }
    }

    fn second_vblank(&mut self, head: u32, time: u64) {
        for slot in self.host_events.lv1.slots() {
            self.host_events.lv1.second_vblank(&self.core, &mut self.host_events.events, slot, head, time);
        }
    }

    fn set_clock(&mut self, time: Duration) {
        self.core.budget.set_clock(nanoseconds(time));
    }

    fn mmio_write(&mut self, address: u32, word: u32) {
        self.write_register(address, word);
    }

    fn mmio_read(&mut self, address: u32) -> u32 {
        self.read_register(address)
    }

    fn pramin_write(&mut self, offset: u32, word: u32) {
        if let Some(ramin) = self.core.ramin() {
            ramin.write(&self.core.memory, offset, word);
        }
    }

    fn clear_error(&mut self, channel: ChannelId) {
        if self.fifo.select(&self.core, channel.get()) {
            let put = self.fifo.live.put;
            self.fifo.live.set_up(put, put);
        }
    }

    fn set_deferred(&mut self, deferred: bool) {
        Device::set_deferred(self, deferred);
    }

    fn finish(&mut self) {
        Device::finish(self);
    }

    fn bus_write(&mut self, address: u64, word: u32) -> bool {
        Rsx::bus_write(self, address, word)
    }

    fn set_fuel(&mut self, fuel: u64) {
        self.core.budget.set_tank(fuel);
    }
}

impl Rsx {
    /// Operations that leave events.
    fn display_operation(&mut self, slot: usize, operation: Operation) -> Result<(), Status> {
        let (core, events) = (&self.core, &mut self.host_events.events);
        let lv1 = &mut self.host_events.lv1;
        let done = match operation {
            Operation::DisplayFlip { head, buffer } => lv1.flip(core, events, slot, head, buffer),
            Operation::DisplayQueue { head, buffer } => {
                let exist = (head as usize) < HEADS && (buffer as usize) < DISPLAY_BUFFERS;
                exist && lv1.queue(core, events, slot, head, buffer)
            }
            Operation::VblankTick { head, time } => lv1.vblank(core, events, slot, head, time),
            Operation::FlipDone { buffer } => {
                let buffers = lv1.contexts[slot].as_ref().map(|context| context.buffers);
                let known = buffers.and_then(|buffers| buffers.get(buffer as usize).copied().flatten());
                let offset = known.map_or(0, |buffer| buffer.offset);
                lv1.flipped(core, events, slot, 1, buffer, offset);
                true
            }
            Operation::UserCommand { value } => {
                lv1.user_command(core, events, slot, value);
                true
            }
            _ => false,
        };
        if done { Ok(()) } else { Err(Status::IllegalParameterValue) }
    }

    /// Operations that change the context alone.
    fn context_operation(&mut self, slot: usize, operation: Operation) -> Result<(), Status> {
        const ILLEGAL: Status = Status::IllegalParameterValue;
        let allocation =
            self.host_events.lv1.contexts[slot].as_ref().map(|context| context.memory).ok_or(Status::NoEntry)?;
        let limits = self.host_events.lv1.allocation(allocation)?.parameters;
        let Some(context) = &mut self.host_events.lv1.contexts[slot] else { return Err(Status::NoEntry) };
        match operation {
            Operation::FifoPause => context.paused = true,
            Operation::FifoResume => context.paused = false,
            Operation::DisplayMode { head, mode } => context.heads.get_mut(head as usize).ok_or(ILLEGAL)?.mode = mode,
            Operation::DisplaySync { head, mode } => {
                let head = context.heads.get_mut(head as usize).ok_or(ILLEGAL)?;
                head.sync = matches!(mode, 1 | 2).then_some(mode).ok_or(ILLEGAL)?;
            }
            Operation::DisplayBuffer { id, buffer } => {
                *context.buffers.get_mut(id as usize).ok_or(ILLEGAL)? = Some(buffer);
            }
            Operation::DisplayBufferDestroy { id } => *context.buffers.get_mut(id as usize).ok_or(ILLEGAL)? = None,
            Operation::VblankFrequency { head, rate, handler } => {
                let head = context.heads.get_mut(head as usize).ok_or(ILLEGAL)?;
                let handler = (handler as usize).checked_sub(1).ok_or(ILLEGAL)?;
                *head.rates.get_mut(handler).ok_or(ILLEGAL)? = rate;
            }
            Operation::FlipStatus { head, and, or } => {
                if head as usize >= HEADS {
                    return Err(ILLEGAL);
                }
                let info = Info::of(slot);
                let flags = info.head(&self.core, head, head_field::FLAGS) & and | or;
                info.set_head(&self.core, head, head_field::FLAGS, flags);
            }
            Operation::CursorInit { head } => context.heads.get_mut(head as usize).ok_or(ILLEGAL)?.cursor = [0; 3],
            Operation::CursorImage { head, value } => {
                context.heads.get_mut(head as usize).ok_or(ILLEGAL)?.cursor[1] = value;
            }
            Operation::CursorFunction { head, value } => {
                context.heads.get_mut(head as usize).ok_or(ILLEGAL)?.cursor[2] = value;
            }
            Operation::Tile { index, tile } => {
                if u64::from(index) >= limits[2] {
                    return Err(ILLEGAL);
                }
                *context.tiles.get_mut(index as usize).ok_or(ILLEGAL)? = tile;
                self.mmio.set_tile(index as usize, tile);
            }
            Operation::Zcull { index, zcull } => {
                if u64::from(index) >= limits[3] {
                    return Err(ILLEGAL);
                }
                *context.zculls.get_mut(index as usize).ok_or(ILLEGAL)? = zcull;
            }
            Operation::FrameBufferSetup { size, io, .. } => {
                let size = u32::try_from(size).ok().filter(|&size| size > 0).ok_or(ILLEGAL)?;
                context.lpar(io).ok_or(ILLEGAL)?;
                context.frame_buffer = Some(FrameBuffer { io, size });
            }
            Operation::FrameBufferClose => context.frame_buffer = None,
            // Every copy is done when its call returns. The rest succeeds, nothing more is known.
            _ => {}
        }
        Ok(())
    }

    /// GET and PUT from the host: the pusher begins anew.
    fn set_up_fifo(&mut self, slot: usize, get: u32, put: u32) {
        if self.fifo.select(&self.core, channel(slot)) {
            self.fifo.live.set_up(get, put);
        }
        set_word(&self.core, control_page(slot), control::PUT, put & !3);
        self.show_control(slot);
    }

    fn frame_buffer_blit(&mut self, slot: usize, blit: &Blit) -> Result<(), Status> {
        let buffer = self.host_events.lv1.contexts[slot].as_ref().and_then(|context| context.frame_buffer);
        let Some(FrameBuffer { io, size }) = buffer else { return Err(Status::WrongState) };
        self.run();
        if self.fifo.has_work(&self.core, channel(slot)) {
            return Err(Status::WrongState);
        }
        let words = blit.commands();
        let bytes = 4 * words.len() as u32;
        if bytes > size {
            return Err(Status::IllegalParameterValue);
        }
        frame_buffer::store(&self.core, slot, io, &words)?;
        self.set_up_fifo(slot, io, io + bytes);
        self.run();
        Ok(())
    }

    /// Takes PUT of every context from its control page. A PUT with low bits is soon read without them (a console's
    /// log, elad335/myps3tests FIFO PUT masking).
    pub(crate) fn look_at_control(&mut self) {
        for slot in self.host_events.lv1.slots() {
            let put = word(&self.core, control_page(slot), control::PUT);
            if put & 3 != 0 {
                set_word(&self.core, control_page(slot), control::PUT, put & !3);
            }
            self.fifo.set_field(&self.core, channel(slot), Field::DmaPut, put);
        }
    }

    /// Ends a bounded run whose recording has another PUT in a control page than the page. False if it may go on.
    pub(crate) fn cut_before_control(&mut self) -> bool {
        let put = |slot| control_page(slot).after(u64::from(control::PUT)).range(4);
        let is_unrecorded = self.host_events.lv1.slots().any(|slot| self.core.memory.is_unrecorded(put(slot)));
        if is_unrecorded {
            self.core.budget.cut();
        }
        is_unrecorded
    }

    /// PUT of a channel was written through its registers: a context's control page is the same.
    pub(crate) fn tell_control(&mut self, channel: u32, put: u32) {
        if let Some(slot) = self.host_events.lv1.slot_of_channel(channel) {
            set_word(&self.core, control_page(slot), control::PUT, put & !3);
        }
    }

    /// Shows the state of every context's channel in its control page, and IO addresses that were not mapped in its
    /// driver information.
    pub(crate) fn show_controls(&mut self) {
        self.host_events.lv1.unmapped_io(&self.core, self.core.unmapped_io());
        for slot in self.host_events.lv1.slots() {
            self.show_control(slot);
        }
    }

    fn show_control(&self, slot: usize) {
        let [get, reference, subroutine] = [Field::DmaGet, Field::RefCnt, Field::DmaSubroutine]
            .map(|field| self.fifo.field(&self.core, channel(slot), field));
        let main = if subroutine & 1 != 0 { subroutine & !3 } else { get };
        for (offset, value) in [(control::GET, get), (control::REF, reference), (control::CGET, main)] {
            set_word(&self.core, control_page(slot), offset, value);
        }
    }

    /// Guest address of an address that a call has returned: pages, reports, local memory, devices, BAR1.
    pub fn lpar(&self, address: u64) -> Option<GuestAddr> {
        let within = |start: u64, size: u64| address.checked_sub(start).filter(|&past| past < size);
        let local = |address: u64| Some(GuestAddr::new(space::LOCAL, address));
        let reports_bytes = u64::from(reports::BYTES);
        if let Some(past) = within(lpar::REPORTS, CONTEXTS as u64 * reports_bytes) {
            return local(reports_area(0).address + past);
        }
        if let Some(past) = within(lpar::LOCAL, limits::MAX_SIZE) {
            return local(past);
        }
        if let Some(past) = within(lpar::DEVICES + SEMAPHORE_DEVICE * lpar::DEVICE_BYTES, 0x1000) {
            return local(u64::from(page::DEVICE) + past);
        }
        if let Some(past) = within(bar::LOCAL, bar::LOCAL_BYTES) {
            return local(past);
        }
        let pages = GuestAddr::new(PAGES, address);
        (!self.core.memory.readable(GuestAddr::new(PAGES, address)).is_empty()).then_some(pages)
    }

    /// Where in main memory an IO offset of a context lies.
    pub fn io_to_lpar(&self, context: ContextHandle, io: u32) -> Option<u64> {
        self.host_events.lv1.contexts[self.host_events.lv1.slot(context).ok()?].as_ref()?.lpar(io)
    }
}
