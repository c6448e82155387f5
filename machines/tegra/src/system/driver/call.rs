//! The driver's calls: what each does. Their rows, with documentation, are `triglyph_guest::tegra::driver::calls`.

use std::collections::BTreeMap;
use std::time::Duration;

use triglyph_engine::device::{Device, FaultKind, RunLimit};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::trace;
use triglyph_guest::id::{ChannelId, EventSlot, NvmapHandle, SpaceId, SyncpointId};
use triglyph_guest::num::nanoseconds;
use triglyph_guest::tegra::driver::{
    Buffer, CHARACTERISTICS, Characteristics, Fence, Freed, Layout, MapBuffer, MapMemory, Region, Remap, Status, Wait,
};

use super::map::{self, Handle};
use super::queue::Submission;
use super::space::{AddressSpace, Pages};
use super::{FIRST_SPACE, NO_SPACE, PROCESS, SPACES};
use crate::device::{CHANNELS, TegraX1};
use crate::front_end::channel::{Channel, Work};
use crate::recorded::Calls;

impl Calls for TegraX1 {
    fn nvmap_create(&mut self, size: u32) -> Result<NvmapHandle, Status> {
        map::create(&mut self.driver.maps, size).map(NvmapHandle::new)
    }

    fn nvmap_from_id(&mut self, id: NvmapHandle) -> Result<NvmapHandle, Status> {
        map::get(&mut self.driver.maps, id)?.owners += 1;
        Ok(id)
    }

    fn nvmap_free(&mut self, handle: NvmapHandle) -> Result<Freed, Status> {
        Handle::free(&mut self.driver.maps, handle)
    }

    fn nvmap_alloc(&mut self, handle: NvmapHandle, memory: MapMemory) -> Result<(), Status> {
        map::get(&mut self.driver.maps, handle)?.attach(memory)
    }

    fn nvmap_param(&mut self, handle: NvmapHandle, parameter: u32) -> Result<u32, Status> {
        map::get(&mut self.driver.maps, handle)?.parameter(parameter)
    }

    fn space_open(&mut self) -> Result<SpaceId, Status> {
        let spaces = &mut self.driver.spaces;
        let number = (FIRST_SPACE..FIRST_SPACE + SPACES).find(|number| !spaces.contains_key(number));
        let number = number.ok_or(Status::InsufficientMemory)?;
        spaces.insert(number, AddressSpace::default());
        Ok(SpaceId::new(number))
    }

    fn space_close(&mut self, space: SpaceId) -> Result<(), Status> {
        let space = space.get();
        if self.channels.values().any(|channel| channel.space() == space) {
            return Err(Status::Busy);
        }
        self.driver.spaces.remove(&space).ok_or(Status::BadParameter)?;
        self.core.flush();
        self.core.memory.unmap(GuestRange::new(space, 0, u64::MAX));
        self.core.kinds.clear(space, 0, u64::MAX);
        Ok(())
    }

    fn space_initialize(&mut self, space: SpaceId, layout: Layout) -> Result<(), Status> {
        self.driver.spaces.get_mut(&space.get()).ok_or(Status::BadParameter)?.initialize(layout)
    }

    fn space_allocate(
        &mut self,
        space: SpaceId,
        pages: u32,
        page_size: u64,
        flags: u32,
        at: u64,
    ) -> Result<u64, Status> {
        self.in_space(space, |space, memory, _| space.allocate(memory, pages, page_size, flags, at))
    }

    fn space_free(&mut self, space: SpaceId, offset: u64, pages: u32, page_size: u64) -> Result<(), Status> {
        self.in_space(space, |space, memory, _| space.free(memory, offset, pages, page_size))
    }

    fn space_map_buffer(&mut self, space: SpaceId, call: MapBuffer) -> Result<Buffer, Status> {
        let mapped = self.in_space(space, |space, memory, maps| space.map(memory, maps, call));
        if mapped == Err(Status::InvalidAddress) {
            let handle = call.handle;
            let what =
                format_args!("MAP_BUFFER_EX of handle {handle}: the host has not mapped its memory of the process");
            self.core.fault(FaultKind::UnmappedRead, call.offset, what);
        }
        mapped
    }

    fn space_unmap_buffer(&mut self, space: SpaceId, offset: u64) -> Result<(), Status> {
        self.in_space(space, |space, memory, _| space.unmap(memory, offset))
    }

    fn space_remap(&mut self, space: SpaceId, entries: &[Remap]) -> Result<(), Status> {
        self.in_space(space, |space, memory, maps| {
            entries.iter().try_for_each(|&entry| space.remap(memory, maps, entry))
        })
    }

    fn space_regions(&mut self, space: SpaceId) -> Result<[Region; 2], Status> {
        self.in_space(space, |space, _, _| Ok(space.regions()))
    }

    fn channel_open(&mut self) -> Result<ChannelId, Status> {
        let free = (0..CHANNELS).filter(|channel| !self.channels.contains_key(channel));
        let channel = self.driver.queues.open(&self.core, free)?;
        let mut opened = Channel::default();
        opened.bind_space(NO_SPACE);
        self.channels.insert(channel, opened);
        Ok(ChannelId::new(channel))
    }

    fn channel_close(&mut self, channel: ChannelId) -> Result<(), Status> {
        let channel = channel.get();
        self.driver.queues.syncpoint(channel)?;
        self.driver.queues.channels.remove(&channel);
        self.channels.remove(&channel);
        Ok(())
    }

    fn channel_bind(&mut self, channel: ChannelId, space: SpaceId) -> Result<(), Status> {
        let (channel, space) = (channel.get(), space.get());
        self.driver.queues.syncpoint(channel)?;
        let open = self.driver.spaces.contains_key(&space);
        let bound = self.channels.get_mut(&channel).filter(|_| open).ok_or(Status::BadParameter)?;
        if bound.space() != NO_SPACE {
            return Err(Status::InvalidState);
        }
        bound.bind_space(space);
        Ok(())
    }

    fn channel_submit(
        &mut self,
        channel: ChannelId,
        entries: &[u64],
        flags: u32,
        fence: Fence,
    ) -> Result<Fence, Status> {
        let channel = channel.get();
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

    fn channel_fence(&mut self, channel: ChannelId) -> Result<Fence, Status> {
        let syncpoint = self.driver.queues.syncpoint(channel.get())?;
        Ok(Fence { syncpoint: syncpoint.into(), value: self.driver.queues.maximum(syncpoint)? })
    }

    fn increment_syncpoint(&mut self, index: SyncpointId) {
        self.core.increment_syncpoint(index.get());
        if !self.deferred {
            self.run();
        }
    }

    fn advance_time(&mut self, time: Duration) {
        self.core.budget.advance(nanoseconds(time));
    }

    fn run(&mut self) {
        let _span = trace::submit();
        self.core.renderer.timeline.submit();
        self.core.budget.refuel();
        self.core.memory.note_host_writes();
        self.run_rounds();
        self.complete();
    }

    fn run_for(&mut self, words: u64) {
        Device::run_for(self, RunLimit::of_words(words));
    }

    fn set_deferred(&mut self, deferred: bool) {
        Device::set_deferred(self, deferred);
    }

    fn set_fuel(&mut self, fuel: u64) {
        self.core.budget.set_tank(fuel);
    }

    fn event_register(&mut self, slot: EventSlot, registered: bool) -> Result<(), Status> {
        self.driver.queues.register(slot.get(), registered)
    }

    fn event_wait(&mut self, fence: Fence, timeout: Option<Duration>, slot: Option<EventSlot>) -> Result<Wait, Status> {
        self.driver.queues.wait(&self.core, fence, timeout, slot)
    }

    fn event_cancel(&mut self, slot: EventSlot) -> Result<(), Status> {
        self.driver.queues.cancel(slot.get())
    }

    fn syncpoint_value(&mut self, index: SyncpointId) -> Result<u32, Status> {
        self.core.syncpoint(index.get()).ok_or(Status::BadParameter)
    }

    fn syncpoint_maximum(&mut self, index: SyncpointId) -> Result<u32, Status> {
        self.driver.queues.maximum(index.get())
    }
}

impl TegraX1 {
    /// The process's address of what the GPU sees at `address`; `None` where nothing of the process is mapped.
    pub fn process_address(&self, space: SpaceId, address: u64) -> Option<u64> {
        let origin = self.core.memory.origin(GuestAddr::new(space.get(), address))?;
        (origin.space == PROCESS).then_some(origin.address)
    }

    fn in_space<T>(
        &mut self,
        number: SpaceId,
        f: impl FnOnce(&mut AddressSpace, &mut Pages<'_>, &mut BTreeMap<u32, Handle>) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let number = number.get();
        let space = self.driver.spaces.get_mut(&number).ok_or(Status::BadParameter)?;
        space.is_initialized()?;
        // What was drawn goes to the memory that was shown then.
        self.core.flush();
        let mut pages = Pages { memory: &mut self.core.memory, kinds: &mut self.core.kinds, space: number };
        f(space, &mut pages, &mut self.driver.maps)
    }

    /// The slots whose fences were reached since the last call, with the fences: their events are to be signalled.
    pub(crate) fn take_signalled(&mut self) -> Vec<(EventSlot, Fence)> {
        self.driver.queues.take_signalled(&self.core)
    }

    /// GET_CHARACTERISTICS.
    pub fn characteristics(&self) -> &'static Characteristics {
        &CHARACTERISTICS
    }
}
