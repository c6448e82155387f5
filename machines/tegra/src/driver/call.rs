//! The driver's calls.

use std::collections::BTreeMap;

use triglyph_engine::device::FaultKind;
use triglyph_engine::device::calls::RecordsCalls;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::tegra::driver::{CHARACTERISTICS, Characteristics, Status};

use super::map::{self, Freed, Handle, MapMemory};
use super::queue::{Fence, Submission, Wait};
use super::space::{AddressSpace, Buffer, Layout, MapBuffer, Pages, Region, Remap};
use super::{FIRST_SPACE, NO_SPACE, PROCESS, SPACES};
use crate::channel::{Channel, Work};
use crate::device::{CHANNELS, TegraX1};
use crate::recorded::Recorded;

/// `/dev/nvmap`.
impl TegraX1 {
    /// CREATE: a handle of `size` bytes, without memory yet.
    ///
    /// # Errors
    /// [`Status::BadValue`] for size 0.
    pub fn nvmap_create(&mut self, size: u32) -> Result<u32, Status> {
        if let Some(answer) = self.record(Recorded::NvmapCreate, &[size.into()], |machine| machine.nvmap_create(size)) {
            return answer;
        }
        map::create(&mut self.driver.maps, size)
    }

    /// FROM_ID: another owner of a handle; ids are the handles.
    ///
    /// # Errors
    /// [`Status::BadValue`] for a handle that does not exist, as for all calls below.
    pub fn nvmap_from_id(&mut self, id: u32) -> Result<u32, Status> {
        if let Some(answer) = self.record(Recorded::NvmapFromId, &[id.into()], |machine| machine.nvmap_from_id(id)) {
            return answer;
        }
        map::get(&mut self.driver.maps, id)?.owners += 1;
        Ok(id)
    }

    /// ALLOC: attaches memory of the process.
    ///
    /// # Errors
    /// [`Status::AlreadyAllocated`] when it has some; [`Status::BadValue`] for an odd alignment;
    /// [`Status::InvalidAddress`] beyond the process's addresses.
    pub fn nvmap_alloc(&mut self, handle: u32, memory: MapMemory) -> Result<(), Status> {
        if let Some(answer) = self.record(
            Recorded::NvmapAlloc,
            &[
                handle.into(),
                memory.address,
                memory.align.into(),
                memory.heap.into(),
                memory.flags.into(),
                memory.kind.into(),
            ],
            |machine| machine.nvmap_alloc(handle, memory),
        ) {
            return answer;
        }
        map::get(&mut self.driver.maps, handle)?.attach(memory)
    }

    /// PARAM: see [`triglyph_guest::tegra::driver::map_param`].
    ///
    /// # Errors
    /// [`Status::BadValue`] for other parameters.
    pub fn nvmap_param(&mut self, handle: u32, parameter: u32) -> Result<u32, Status> {
        map::get(&mut self.driver.maps, handle)?.parameter(parameter)
    }

    /// FREE: one owner less. What address spaces show of it stays.
    ///
    /// # Errors
    /// See above.
    pub fn nvmap_free(&mut self, handle: u32) -> Result<Freed, Status> {
        if let Some(answer) = self.record(Recorded::NvmapFree, &[handle.into()], |machine| machine.nvmap_free(handle)) {
            return answer;
        }
        Handle::free(&mut self.driver.maps, handle)
    }
}

/// `/dev/nvhost-as-gpu`. All calls but the first answer [`Status::BadParameter`] for a space that is not open.
impl TegraX1 {
    /// Opens an address space. Its number is what [`GuestRange`](triglyph_engine::mem::GuestRange)s and faults name.
    ///
    /// # Errors
    /// [`Status::InsufficientMemory`] when there are too many.
    pub fn space_open(&mut self) -> Result<u32, Status> {
        if let Some(answer) = self.record(Recorded::SpaceOpen, &[], |machine| machine.space_open()) {
            return answer;
        }
        let spaces = &mut self.driver.spaces;
        let number = (FIRST_SPACE..FIRST_SPACE + SPACES).find(|number| !spaces.contains_key(number));
        let number = number.ok_or(Status::InsufficientMemory)?;
        spaces.insert(number, AddressSpace::default());
        Ok(number)
    }

    /// Closes an address space: nothing is mapped in it any more.
    ///
    /// # Errors
    /// [`Status::Busy`] while a channel is bound to it.
    pub fn space_close(&mut self, space: u32) -> Result<(), Status> {
        if let Some(answer) = self.record(Recorded::SpaceClose, &[space.into()], |machine| machine.space_close(space)) {
            return answer;
        }
        if self.channels.values().any(|channel| channel.space() == space) {
            return Err(Status::Busy);
        }
        self.driver.spaces.remove(&space).ok_or(Status::BadParameter)?;
        self.core.flush();
        self.core.memory.unmap(GuestRange::new(space, 0, u64::MAX));
        self.core.kinds.clear(space, 0, u64::MAX);
        Ok(())
    }

    /// INITIALIZE and INITIALIZE_EX.
    ///
    /// # Errors
    /// [`Status::InvalidState`] when it was initialised; [`Status::BadValue`] for other sizes of pages and for ranges
    /// that are not in order or no whole big pages.
    pub fn space_initialize(&mut self, space: u32, layout: Layout) -> Result<(), Status> {
        if let Some(answer) = self.record(
            Recorded::SpaceInitialize,
            &[space.into(), layout.big_page, layout.range[0], layout.range[1], layout.range[2]],
            |machine| machine.space_initialize(space, layout),
        ) {
            return answer;
        }
        self.driver.spaces.get_mut(&space).ok_or(Status::BadParameter)?.initialize(layout)
    }

    /// GET_VA_REGIONS: small pages, big pages.
    ///
    /// # Errors
    /// [`Status::NotInitialized`], as for all calls below.
    pub fn space_regions(&mut self, space: u32) -> Result<[Region; 2], Status> {
        self.in_space(space, |space, _, _| Ok(space.regions()))
    }

    /// ALLOC_SPACE: `pages` pages of address space for fixed mappings, see
    /// [`triglyph_guest::tegra::driver::space_flags`]. `at` is the address with the fixed flag, else an alignment or 0.
    ///
    /// # Errors
    /// [`Status::BadValue`] for other sizes of pages, and for fixed space that is taken;
    /// [`Status::InsufficientMemory`] without room.
    pub fn space_allocate(
        &mut self,
        space: u32,
        pages: u32,
        page_size: u64,
        flags: u32,
        at: u64,
    ) -> Result<u64, Status> {
        if let Some(answer) = self.record(
            Recorded::SpaceAllocate,
            &[space.into(), pages.into(), page_size, flags.into(), at],
            |machine| machine.space_allocate(space, pages, page_size, flags, at),
        ) {
            return answer;
        }
        self.in_space(space, |space, memory, _| space.allocate(memory, pages, page_size, flags, at))
    }

    /// FREE_SPACE, with everything that is mapped there.
    ///
    /// # Errors
    /// [`Status::BadValue`] unless it was allocated with this size.
    pub fn space_free(&mut self, space: u32, offset: u64, pages: u32, page_size: u64) -> Result<(), Status> {
        if let Some(answer) =
            self.record(Recorded::SpaceFree, &[space.into(), offset, pages.into(), page_size], |machine| {
                machine.space_free(space, offset, pages, page_size)
            })
        {
            return answer;
        }
        self.in_space(space, |space, memory, _| space.free(memory, offset, pages, page_size))
    }

    /// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. Memory of the process
    /// is what the host has mapped in [`PROCESS`](super::PROCESS) by then.
    ///
    /// # Errors
    /// [`Status::BadValue`] for a handle that does not exist, parts beyond it, fixed addresses without space or with
    /// something mapped; [`Status::InvalidState`] for a handle without memory; [`Status::InvalidAddress`] when the host
    /// has not mapped it; [`Status::InsufficientMemory`] without room.
    pub fn space_map_buffer(&mut self, space: u32, call: MapBuffer) -> Result<Buffer, Status> {
        if let Some(answer) = self.record(
            Recorded::SpaceMapBuffer,
            &[
                space.into(),
                call.flags.into(),
                call.kind.into(),
                call.handle.into(),
                call.buffer_offset,
                call.size,
                call.offset,
            ],
            |machine| machine.space_map_buffer(space, call),
        ) {
            return answer;
        }
        let mapped = self.in_space(space, |space, memory, maps| space.map(memory, maps, call));
        if mapped == Err(Status::InvalidAddress) {
            let handle = call.handle;
            let what =
                format_args!("MAP_BUFFER_EX of handle {handle}: the host has not mapped its memory of the process");
            self.core.fault(FaultKind::UnmappedRead, call.offset, what);
        }
        mapped
    }

    /// UNMAP_BUFFER.
    ///
    /// # Errors
    /// None but those of all calls: what is not mapped is unmapped.
    pub fn space_unmap_buffer(&mut self, space: u32, offset: u64) -> Result<(), Status> {
        if let Some(answer) = self.record(Recorded::SpaceUnmapBuffer, &[space.into(), offset], |machine| {
            machine.space_unmap_buffer(space, offset)
        }) {
            return answer;
        }
        self.in_space(space, |space, memory, _| space.unmap(memory, offset))
    }

    /// REMAP: entry by entry, up to the first that cannot be.
    ///
    /// # Errors
    /// [`Status::BadValue`] outside of sparse space and beyond a handle, otherwise as [`Self::space_map_buffer`].
    pub fn space_remap(&mut self, space: u32, entries: &[Remap]) -> Result<(), Status> {
        if self.calls.is_recording() {
            let words = |&Remap { kind, handle, handle_page, space_page, pages }: &Remap| {
                [kind.into(), handle.into(), handle_page.into(), space_page.into(), pages.into()]
            };
            let arguments: Vec<u64> = [u64::from(space)].into_iter().chain(entries.iter().flat_map(words)).collect();
            if let Some(answer) =
                self.record(Recorded::SpaceRemap, &arguments, |machine| machine.space_remap(space, entries))
            {
                return answer;
            }
        }
        self.in_space(space, |space, memory, maps| {
            entries.iter().try_for_each(|&entry| space.remap(memory, maps, entry))
        })
    }

    /// The process's address of what the GPU sees at `address`; `None` where nothing of the process is mapped.
    pub fn process_address(&self, space: u32, address: u64) -> Option<u64> {
        let origin = self.core.memory.origin(GuestAddr::new(space, address))?;
        (origin.space == PROCESS).then_some(origin.address)
    }

    fn in_space<T>(
        &mut self,
        number: u32,
        f: impl FnOnce(&mut AddressSpace, &mut Pages<'_>, &mut BTreeMap<u32, Handle>) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let space = self.driver.spaces.get_mut(&number).ok_or(Status::BadParameter)?;
        space.is_initialized()?;
        // What was drawn goes to the memory that was shown then.
        self.core.flush();
        let mut pages = Pages { memory: &mut self.core.memory, kinds: &mut self.core.kinds, space: number };
        f(space, &mut pages, &mut self.driver.maps)
    }
}

/// `/dev/nvhost-gpu`, `/dev/nvhost-ctrl` and `/dev/nvhost-ctrl-gpu`.
impl TegraX1 {
    /// Opens a channel with a syncpoint of its own.
    ///
    /// # Errors
    /// [`Status::InsufficientMemory`] when there are no channels or syncpoints left.
    pub fn channel_open(&mut self) -> Result<u32, Status> {
        if let Some(answer) = self.record(Recorded::ChannelOpen, &[], |machine| machine.channel_open()) {
            return answer;
        }
        let free = (0..CHANNELS).filter(|channel| !self.channels.contains_key(channel));
        let channel = self.driver.queues.open(&self.core, free)?;
        let mut opened = Channel::default();
        opened.bind_space(NO_SPACE);
        self.channels.insert(channel, opened);
        Ok(channel)
    }

    /// Closes a channel, with everything it had still to do.
    ///
    /// # Errors
    /// [`Status::BadParameter`] for a channel that is not open, as for all calls below.
    pub fn channel_close(&mut self, channel: u32) -> Result<(), Status> {
        if let Some(answer) =
            self.record(Recorded::ChannelClose, &[channel.into()], |machine| machine.channel_close(channel))
        {
            return answer;
        }
        self.driver.queues.syncpoint(channel)?;
        self.driver.queues.channels.remove(&channel);
        self.channels.remove(&channel);
        Ok(())
    }

    /// BIND_CHANNEL: the address space of a channel, once.
    ///
    /// # Errors
    /// [`Status::BadParameter`] for a space that is not open; [`Status::InvalidState`] when the channel has one.
    pub fn channel_bind(&mut self, channel: u32, space: u32) -> Result<(), Status> {
        if let Some(answer) = self.record(Recorded::ChannelBind, &[channel.into(), space.into()], |machine| {
            machine.channel_bind(channel, space)
        }) {
            return answer;
        }
        self.driver.queues.syncpoint(channel)?;
        let open = self.driver.spaces.contains_key(&space);
        let bound = self.channels.get_mut(&channel).filter(|_| open).ok_or(Status::BadParameter)?;
        if bound.space() != NO_SPACE {
            return Err(Status::InvalidState);
        }
        bound.bind_space(space);
        Ok(())
    }

    /// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`:
    /// [`triglyph_guest::tegra::driver::submit_flags`]. Returns the fence behind everything that was submitted.
    ///
    /// # Errors
    /// [`Status::BadParameter`] for a fence that is both waited for and a number of increments, or that names no
    /// syncpoint; [`Status::InvalidState`] for a channel without an address space.
    pub fn channel_submit(&mut self, channel: u32, entries: &[u64], flags: u32, fence: Fence) -> Result<Fence, Status> {
        if self.calls.is_recording() {
            let head = [channel, flags, fence.syncpoint, fence.value].map(u64::from);
            let arguments = [&head[..], entries].concat();
            let submit = |machine: &mut Self| machine.channel_submit(channel, entries, flags, fence);
            if let Some(answer) = self.record(Recorded::ChannelSubmit, &arguments, submit) {
                return answer;
            }
        }
        let queue = self.channels.get_mut(&channel).ok_or(Status::BadParameter)?;
        if queue.space() == NO_SPACE {
            return Err(Status::InvalidState);
        }
        let Submission { before, behind, fence } = self.driver.queues.submit(&self.core, channel, flags, fence)?;
        let entries = entries.iter().map(|&entry| Work::Entry(entry));
        queue.submit(before.into_iter().chain(entries).chain(behind));
        self.submitted();
        Ok(fence)
    }

    /// The syncpoint of a channel.
    ///
    /// # Errors
    /// See above.
    pub fn channel_syncpoint(&self, channel: u32) -> Result<u32, Status> {
        self.driver.queues.syncpoint(channel)
    }

    /// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
    ///
    /// # Errors
    /// [`Status::BadParameter`] for a slot beyond 63; [`Status::Busy`] for one that is armed and goes.
    pub fn event_register(&mut self, slot: u32, registered: bool) -> Result<(), Status> {
        self.driver.queues.register(slot, registered)
    }

    /// EVENT_WAIT, and EVENT_WAIT_ASYNC if the client chooses the slot: waits for a fence. A threshold of 0 has been
    /// reached.
    ///
    /// # Errors
    /// [`Status::Timeout`] with timeout 0 when it has not been reached; [`Status::Busy`] for a slot that is armed;
    /// [`Status::BadParameter`] for syncpoints and slots that do not exist; [`Status::InsufficientMemory`] without a
    /// slot.
    pub fn event_wait(&mut self, fence: Fence, timeout: i32, slot: Option<u32>) -> Result<Wait, Status> {
        self.driver.queues.wait(&self.core, fence, timeout, slot)
    }

    /// EVENT_SIGNAL: nobody waits for this event any more.
    ///
    /// # Errors
    /// [`Status::BadParameter`] for a slot beyond 63.
    pub fn event_cancel(&mut self, slot: u32) -> Result<(), Status> {
        self.driver.queues.cancel(slot)
    }

    /// The slots whose fences were reached since the last call, with the fences: their events are to be signalled.
    pub(crate) fn take_signalled(&mut self) -> Vec<(u32, Fence)> {
        self.driver.queues.take_signalled(&self.core)
    }

    /// GET_CHARACTERISTICS.
    pub fn characteristics(&self) -> &'static Characteristics {
        &CHARACTERISTICS
    }
}
