//! The calls themselves, as a host makes them.

use triglyph_guest::rsx::lv1::attribute::Operation;
use triglyph_guest::rsx::lv1::page::{self, bar, control, lpar, reports};
use triglyph_guest::rsx::lv1::{CONTEXTS, Call, DEVICES, SEMAPHORE_DEVICE, Status, memory as limits};
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
use crate::dma::space;
use crate::recorded::Recorded;
use triglyph_engine::device::calls::RecordsCalls;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::rsx::lv1::info::{head as head_field, interrupt};

/// What `lv1_gpu_memory_allocate` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAllocation {
    /// Names the allocation.
    pub handle: u32,
    /// Address of its first byte; [`Rsx::lpar`] says where that is.
    pub lpar: u64,
}

/// What `lv1_gpu_context_allocate` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextAllocation {
    /// Names the context.
    pub handle: u32,
    /// Address of its control page, as [`MemoryAllocation::lpar`].
    pub control: u64,
    /// Address of its driver information.
    pub info: u64,
    /// Address of its reports area.
    pub reports: u64,
    /// Bytes of the reports area.
    pub reports_size: u64,
}

/// What a call leaves in registers: r3, then r4 and the ones behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// 0, or why it failed.
    pub status: i64,
    /// r4 and up.
    pub outputs: [u64; 5],
}

impl Rsx {
    /// [`RecordsCalls::record`] of a hypercall; a recording has all eight parameters.
    fn record_hypercall<T>(&mut self, call: Call, parameters: &[u64], make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut arguments = [0; 9];
        arguments[0] = call as u64;
        arguments[1..=parameters.len()].copy_from_slice(parameters);
        self.record(Recorded::Hypercall, &arguments, make)
    }

    /// `lv1_gpu_memory_allocate`: `size` bytes of local memory, a multiple of 1 MiB, and four limited resources. Memory
    /// that the host has not mapped is mapped.
    ///
    /// # Errors
    /// [`Status::IllegalParameterValue`] for sizes and resources beyond the limits, [`Status::ResourceShortage`] when
    /// there is not enough left.
    pub fn memory_allocate(&mut self, size: u64, resources: [u64; 4]) -> Result<MemoryAllocation, Status> {
        if let Some(answer) = self.record_hypercall(
            Call::MemoryAllocate,
            &[size, resources[0], resources[1], resources[2], resources[3]],
            |machine| machine.memory_allocate(size, resources),
        ) {
            return answer;
        }
        let allocation = self.outside.lv1.allocate(size, resources)?;
        let mapped =
            fill_holes(&mut self.core.memory, GuestRange::new(space::LOCAL, allocation.start, allocation.size));
        if let Err(status) = mapped {
            self.outside.lv1.free(allocation.handle)?;
            return Err(status);
        }
        Ok(MemoryAllocation { handle: allocation.handle, lpar: lpar::LOCAL + allocation.start })
    }

    /// `lv1_gpu_memory_free`.
    ///
    /// # Errors
    /// [`Status::NoEntry`] for a handle without an allocation, [`Status::Busy`] while a context works on it.
    pub fn memory_free(&mut self, handle: u32) -> Result<(), Status> {
        if let Some(answer) =
            self.record_hypercall(Call::MemoryFree, &[handle.into()], |machine| machine.memory_free(handle))
        {
            return answer;
        }
        self.outside.lv1.free(handle)
    }

    /// `lv1_gpu_context_allocate`: a channel with its objects and pages. For `flags` see
    /// [`triglyph_guest::rsx::lv1::flags`].
    ///
    /// # Errors
    /// [`Status::IllegalParameterValue`] for an unknown memory handle; [`Status::ResourceShortage`] when there are
    /// three contexts (one in fast mode).
    pub fn context_allocate(&mut self, memory: u32, flags: u64) -> Result<ContextAllocation, Status> {
        if let Some(answer) = self.record_hypercall(Call::ContextAllocate, &[memory.into(), flags], |machine| {
            machine.context_allocate(memory, flags)
        }) {
            return answer;
        }
        // What a run has drawn and left in the scene goes to the memory that was mapped then.
        self.core.flush();
        let slot = self.outside.lv1.allocate_context(&mut self.core, &mut self.fifo, memory, flags)?;
        Ok(ContextAllocation {
            handle: Lv1::handle(slot),
            control: control_page(slot).address,
            info: info_page(slot).address,
            reports: lpar::REPORTS + slot as u64 * u64::from(reports::BYTES),
            reports_size: reports::BYTES.into(),
        })
    }

    /// `lv1_gpu_context_free`.
    ///
    /// # Errors
    /// [`Status::NoEntry`] for a handle without a context, as for all calls below that take one.
    pub fn context_free(&mut self, context: u32) -> Result<(), Status> {
        if let Some(answer) =
            self.record_hypercall(Call::ContextFree, &[context.into()], |machine| machine.context_free(context))
        {
            return answer;
        }
        let slot = self.outside.lv1.slot(context)?;
        self.core.flush();
        self.outside.lv1.free_context(&mut self.core, &mut self.fifo, slot);
        Ok(())
    }

    /// `lv1_gpu_context_iomap`: `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or address 0
    /// unmaps. Main memory is what the host has mapped in the space of main memory, by the same addresses.
    ///
    /// # Errors
    /// [`Status::AlignmentError`] unless all are multiples of 1 MiB (64 KiB with that flag);
    /// [`Status::IllegalParameterValue`] beyond the IO space or where there is no main memory.
    pub fn context_iomap(&mut self, context: u32, io: u64, lpar: u64, size: u64, flags: u64) -> Result<(), Status> {
        if let Some(answer) =
            self.record_hypercall(Call::ContextIomap, &[context.into(), io, lpar, size, flags], |machine| {
                machine.context_iomap(context, io, lpar, size, flags)
            })
        {
            return answer;
        }
        let slot = self.outside.lv1.slot(context)?;
        let io = u32::try_from(io).map_err(|_| Status::IllegalParameterValue)?;
        if u64::from(io).checked_add(size).is_none() {
            return Err(Status::IllegalParameterValue);
        }
        self.core.flush();
        match &mut self.outside.lv1.contexts[slot] {
            Some(context) => {
                let map = IoMap { io, lpar, size, access: io::access(flags) };
                context.map_io(&mut self.core, slot, map)
            }
            None => Err(Status::NoEntry),
        }
    }

    /// `lv1_gpu_context_intr`: the interrupts that have happened since the last call.
    ///
    /// # Errors
    /// As [`Self::context_free`].
    pub fn context_intr(&mut self, context: u32) -> Result<u64, Status> {
        if let Some(answer) =
            self.record_hypercall(Call::ContextIntr, &[context.into()], |machine| machine.context_intr(context))
        {
            return answer;
        }
        let slot = self.outside.lv1.slot(context)?;
        let Some(context) = &mut self.outside.lv1.contexts[slot] else { return Err(Status::NoEntry) };
        let bits = std::mem::take(&mut context.interrupts);
        Info::of(slot).set_interrupt(&self.core, interrupt::STATUS, 0);
        Ok(bits)
    }

    /// `lv1_gpu_device_map`: the address of a device's page, and its bytes. Device 8 is a page of local memory;
    /// what the others hold is not documented, they read 0.
    ///
    /// # Errors
    /// [`Status::IllegalParameterValue`] for devices that cannot be mapped.
    pub fn device_map(&mut self, device: u64) -> Result<(u64, u64), Status> {
        if let Some(answer) = self.record_hypercall(Call::DeviceMap, &[device], |machine| machine.device_map(device)) {
            return answer;
        }
        let known = DEVICES.iter().find(|known| known.id == device).ok_or(Status::IllegalParameterValue)?;
        let address = lpar::DEVICES + device * lpar::DEVICE_BYTES;
        if device == SEMAPHORE_DEVICE {
            fill_holes(&mut self.core.memory, GuestRange::new(space::LOCAL, page::DEVICE.into(), known.size))?;
            device_ready(&self.core);
        } else {
            fill_holes(&mut self.core.memory, GuestRange::new(PAGES, address, known.size))?;
        }
        self.outside.lv1.devices |= 1 << device;
        Ok((address, known.size))
    }

    /// `lv1_gpu_device_unmap`.
    ///
    /// # Errors
    /// [`Status::NoEntry`] for a device that is not mapped.
    pub fn device_unmap(&mut self, device: u64) -> Result<(), Status> {
        if let Some(answer) =
            self.record_hypercall(Call::DeviceUnmap, &[device], |machine| machine.device_unmap(device))
        {
            return answer;
        }
        let mapped = device < 64 && self.outside.lv1.devices >> device & 1 != 0;
        if !mapped {
            return Err(Status::NoEntry);
        }
        self.core.flush();
        self.outside.lv1.devices &= !(1 << device);
        if device != SEMAPHORE_DEVICE {
            let size = DEVICES.iter().find(|known| known.id == device).map_or(0, |known| known.size);
            self.core.memory.unmap_own(GuestRange::new(PAGES, lpar::DEVICES + device * lpar::DEVICE_BYTES, size));
        }
        Ok(())
    }

    /// `lv1_gpu_attribute`: what its operations do is not documented; they succeed, as with RPCS3.
    ///
    /// # Errors
    /// None so far.
    pub fn attribute(&mut self, operation: u64, parameters: [u64; 4]) -> Result<(), Status> {
        let _ = (operation, parameters);
        Ok(())
    }

    /// `lv1_gpu_context_attribute`: see [`Operation`].
    ///
    /// # Errors
    /// [`Status::NoEntry`] for an unknown operation or context; [`Status::IllegalParameterValue`] for numbers beyond
    /// what there is; [`Status::WrongState`] for frame-buffer copies without a frame buffer or while the channel is
    /// busy.
    pub fn context_attribute(&mut self, context: u32, operation: u64, parameters: [u64; 4]) -> Result<(), Status> {
        if let Some(answer) = self.record_hypercall(
            Call::ContextAttribute,
            &[context.into(), operation, parameters[0], parameters[1], parameters[2], parameters[3]],
            |machine| machine.context_attribute(context, operation, parameters),
        ) {
            return answer;
        }
        let slot = self.outside.lv1.slot(context)?;
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

    /// Operations that leave events.
    fn display_operation(&mut self, slot: usize, operation: Operation) -> Result<(), Status> {
        let (core, events) = (&self.core, &mut self.outside.events);
        let lv1 = &mut self.outside.lv1;
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
            self.outside.lv1.contexts[slot].as_ref().map(|context| context.memory).ok_or(Status::NoEntry)?;
        let limits = self.outside.lv1.allocation(allocation)?.parameters;
        let Some(context) = &mut self.outside.lv1.contexts[slot] else { return Err(Status::NoEntry) };
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
        let buffer = self.outside.lv1.contexts[slot].as_ref().and_then(|context| context.frame_buffer);
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
        for slot in self.outside.lv1.slots() {
            let put = word(&self.core, control_page(slot), control::PUT);
            if put & 3 != 0 {
                set_word(&self.core, control_page(slot), control::PUT, put & !3);
            }
            self.fifo.set_field(&self.core, channel(slot), Field::DmaPut, put);
        }
    }

    /// PUT of a channel was written through its registers: a context's control page is the same.
    pub(crate) fn tell_control(&mut self, channel: u32, put: u32) {
        if let Some(slot) = self.outside.lv1.slot_of_channel(channel) {
            set_word(&self.core, control_page(slot), control::PUT, put & !3);
        }
    }

    /// Shows the state of every context's channel in its control page, and IO addresses that were not mapped in its
    /// driver information.
    pub(crate) fn show_controls(&mut self) {
        self.outside.lv1.unmapped_io(&self.core, self.core.unmapped_io());
        for slot in self.outside.lv1.slots() {
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

    /// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that wait are
    /// done. For every context; the host calls this as often as its screen shows one.
    pub fn vblank(&mut self, head: u32, time: u64) {
        if let Some(()) = self.record(Recorded::Vblank, &[head.into(), time], |machine| machine.vblank(head, time)) {
            return;
        }
        for slot in self.outside.lv1.slots() {
            self.outside.lv1.vblank(&self.core, &mut self.outside.events, slot, head, time);
        }
    }

    /// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own rate
    /// [`Self::vblank`] does it.
    pub fn second_vblank(&mut self, head: u32, time: u64) {
        if let Some(()) =
            self.record(Recorded::SecondVblank, &[head.into(), time], |machine| machine.second_vblank(head, time))
        {
            return;
        }
        for slot in self.outside.lv1.slots() {
            self.outside.lv1.second_vblank(&self.core, &mut self.outside.events, slot, head, time);
        }
    }

    /// Where an address stands that a call has returned: pages, reports, local memory, devices, BAR1.
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
    pub fn io_to_lpar(&self, context: u32, io: u32) -> Option<u64> {
        self.outside.lv1.contexts[self.outside.lv1.slot(context).ok()?].as_ref()?.lpar(io)
    }

    /// Makes a call by its number, for hosts that dispatch on r11: `arguments` are r3 and up.
    pub fn hypercall(&mut self, number: u32, arguments: [u64; 8]) -> Answer {
        let [a, b, c, d, e, ..] = arguments;
        let no_such_call = Answer { status: Status::NoEntry.code(), outputs: [0; 5] };
        let Some(call) = Call::from_number(number) else { return no_such_call };
        let mut outputs = [0; 5];
        let handle = a as u32;
        let result = match call {
            Call::DeviceMap => self.device_map(a).map(|(address, size)| (outputs[0], outputs[1]) = (address, size)),
            Call::DeviceUnmap => self.device_unmap(a),
            Call::MemoryAllocate => self
                .memory_allocate(a, [b, c, d, e])
                .map(|memory| (outputs[0], outputs[1]) = (memory.handle.into(), memory.lpar)),
            Call::MemoryFree => self.memory_free(handle),
            Call::ContextAllocate => self.context_allocate(handle, b).map(|context| {
                let ContextAllocation { handle, control, info, reports, reports_size } = context;
                outputs = [handle.into(), control, info, reports, reports_size];
            }),
            Call::ContextFree => self.context_free(handle),
            Call::ContextIomap => self.context_iomap(handle, b, c, d, e),
            Call::ContextAttribute => self.context_attribute(handle, b, [c, d, e, arguments[5]]),
            Call::ContextIntr => self.context_intr(handle).map(|bits| outputs[0] = bits),
            Call::Attribute => self.attribute(a, [b, c, d, e]),
        };
        Answer { status: result.err().map_or(0, Status::code), outputs }
    }
}
