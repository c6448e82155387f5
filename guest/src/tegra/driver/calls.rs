//! The calls of the Switch's GPU driver and of its hosts: one row each.
//!
//! Rows are those of [`table::calls`](crate::table::calls), each followed by the ioctls that make the call.
//!
//! An ioctl is `@ device request | request { fields } (machine, object, buffer, io) => what it does;`: the buffer as
//! the guest has it, little-endian, in and out, and a call of methods. `object` is what the file is: an address space,
//! a channel; `io` has what follows the fields and what Ioctl2 and Ioctl3 bring
//! (`machines/tegra/src/system/driver/ioctl.rs`). Of requests with a list that clients pass, the size is that without
//! the list, or with one entry.
//!
//! [`tegra_calls!`](crate::tegra_calls) hands the rows to a macro. Sources of requests and fields: the switchbrew wiki
//! ("NV services"), libnx `nvidia/ioctl`, what yuzu and Ryujinx read, where they agree.

use std::time::Duration;

use super::{Fence, Layout, MapBuffer, MapMemory, Remap};
use crate::id::{ChannelId, NvmapHandle, SpaceId, SyncpointId};
use crate::listed;
use crate::table::calls::describe_calls;

/// Hands the rows of the table to the macro `$then`.
#[macro_export]
macro_rules! tegra_calls {
    ($then:ident) => {
        $then! {
            /// CREATE: a handle of `size` bytes, without memory yet.
            ///
            /// # Errors
            /// [`Status::BadValue`] for size 0; [`Status::InsufficientMemory`] when there are too many.
            call 0 nvmap_create(size: u32) -> Result<NvmapHandle, Status> as handle;
                @ Nvmap 0xC008_0101 { size: u32, handle: u32 }
                    (gpu, _file, b, _io) => b.handle = gpu.nvmap_create(b.size)?.get();

            /// FROM_ID: another owner of a handle; ids are the handles.
            ///
            /// # Errors
            /// [`Status::BadValue`] for a handle that does not exist, as for all calls of handles.
            call 1 nvmap_from_id(id: NvmapHandle) -> Result<NvmapHandle, Status> as handle;
                @ Nvmap 0xC008_0103 { id: u32, handle: u32 }
                    (gpu, _file, b, _io) => b.handle = gpu.nvmap_from_id(b.id.into())?.get();

            /// FREE: one owner less. What address spaces show of it stays.
            ///
            /// # Errors
            /// See [`Self::nvmap_from_id`].
            call 2 nvmap_free(handle: NvmapHandle) -> Result<Freed, Status> as freed;
                @ Nvmap 0xC018_0105 { handle: u32, pad: u32, address: u64, size: u32, in_use: u32 }
                    (gpu, _file, b, _io) => {
                        let freed = gpu.nvmap_free(b.handle.into())?;
                        (b.address, b.size, b.in_use) = (freed.address, freed.size, freed.in_use.into());
                    };

            /// ALLOC: attaches memory of the process.
            ///
            /// # Errors
            /// [`Status::AlreadyAllocated`] when it has some; [`Status::BadValue`] for an alignment that is no power of
            /// two; [`Status::InvalidAddress`] beyond the process's addresses.
            call 3 nvmap_alloc(handle: NvmapHandle, memory: MapMemory) -> Result<(), Status>;
                @ Nvmap 0xC020_0104 {
                    handle: u32, heap: u32, flags: u32, align: u32, kind: u8, pad: [u8; 7], address: u64
                }
                    (gpu, _file, b, _io) => {
                        let (address, align, heap, flags, kind) = (b.address, b.align, b.heap, b.flags, b.kind);
                        gpu.nvmap_alloc(b.handle.into(), MapMemory { address, align, heap, flags, kind })?
                    };

            /// PARAM: see [`map_param`](triglyph_guest::tegra::driver::map_param).
            ///
            /// # Errors
            /// [`Status::BadValue`] for other parameters.
            ask - nvmap_param(handle: NvmapHandle, parameter: u32) -> Result<u32, Status> as value;
                @ Nvmap 0xC00C_0109 { handle: u32, parameter: u32, value: u32 }
                    (gpu, _file, b, _io) => b.value = gpu.nvmap_param(b.handle.into(), b.parameter)?;

            /// Opens an address space, as opening `/dev/nvhost-as-gpu` does. Its number is what
            /// [`GuestRange`](triglyph_engine::mem::GuestRange)s and faults name.
            ///
            /// # Errors
            /// [`Status::InsufficientMemory`] when there are too many.
            call 4 space_open() -> Result<SpaceId, Status> as space;

            /// Closes an address space: nothing is mapped in it any more.
            ///
            /// # Errors
            /// [`Status::Busy`] while a channel is bound to it; [`Status::BadParameter`] for a space that is not open,
            /// as for all calls of spaces.
            call 5 space_close(space: SpaceId) -> Result<(), Status>;

            /// INITIALIZE and INITIALIZE_EX.
            ///
            /// # Errors
            /// [`Status::InvalidState`] when it was initialised; [`Status::BadValue`] for other sizes of pages and for
            /// ranges that are not in order or no whole big pages.
            call 6 space_initialize(space: SpaceId, layout: Layout) -> Result<(), Status>;
                @ AsGpu 0x4010_4107 { big_page: u32, file: u32, reserved: u64 }
                    (gpu, space, b, _io) => {
                        let big_page = b.big_page.into();
                        gpu.space_initialize(space.into(), Layout { big_page, ..Layout::default() })?
                    };
                @ AsGpu 0x4028_4109 {
                    flags: u32, file: u32, big_page: u32, reserved: u32, start: u64, end: u64, split: u64
                }
                    (gpu, space, b, _io) => {
                        let (big_page, start, split, end) = (b.big_page.into(), b.start, b.split, b.end);
                        gpu.space_initialize(space.into(), Layout { big_page, start, split, end })?
                    };

            /// ALLOC_SPACE: `pages` pages of address space for fixed mappings, see
            /// [`space_flags`](triglyph_guest::tegra::driver::space_flags). `at` is the address with the fixed flag,
            /// else an alignment or 0.
            ///
            /// # Errors
            /// [`Status::NotInitialized`] before INITIALIZE, as for all calls below; [`Status::BadValue`] for other
            /// sizes of pages, and for fixed space that is taken; [`Status::InsufficientMemory`] without room.
            call 7 space_allocate(space: SpaceId, pages: u32, page_size: u64, flags: u32, at: u64)
                -> Result<u64, Status> as offset;
                @ AsGpu 0xC018_4102 { pages: u32, page_size: u32, flags: u32, pad: u32, at: u64 }
                    (gpu, space, b, _io) =>
                        b.at = gpu.space_allocate(space.into(), b.pages, b.page_size.into(), b.flags, b.at)?;

            /// FREE_SPACE, with everything that is mapped there.
            ///
            /// # Errors
            /// [`Status::BadValue`] unless it was allocated with this size.
            call 8 space_free(space: SpaceId, offset: u64, pages: u32, page_size: u64) -> Result<(), Status>;
                @ AsGpu 0xC010_4103 { offset: u64, pages: u32, page_size: u32 }
                    (gpu, space, b, _io) => gpu.space_free(space.into(), b.offset, b.pages, b.page_size.into())?;

            /// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. Memory of the
            /// process is what the host has mapped in [`PROCESS`](super::PROCESS) by then.
            ///
            /// # Errors
            /// [`Status::BadValue`] for a handle that does not exist, parts beyond it, fixed addresses without space or
            /// with something mapped; [`Status::InvalidState`] for a handle without memory; [`Status::InvalidAddress`]
            /// when the host has not mapped it; [`Status::InsufficientMemory`] without room.
            call 9 space_map_buffer(space: SpaceId, call: MapBuffer) -> Result<Buffer, Status> as (offset, page_size);
                @ AsGpu 0xC018_4104 { flags: u32, pad: u32, handle: u32, page_size: u32, offset: u64 }
                    (gpu, space, b, _io) => {
                        let (flags, handle, offset) = (b.flags, b.handle, b.offset);
                        let call = MapBuffer { flags, handle: handle.into(), offset, ..MapBuffer::default() };
                        let mapped = gpu.space_map_buffer(space.into(), call)?;
                        (b.offset, b.page_size) = (mapped.offset, mapped.page_size as u32);
                    };
                @ AsGpu 0xC028_4106 | 0xC038_410A {
                    flags: u32, kind: u32, handle: u32, page_size: u32, buffer_offset: u64, size: u64, offset: u64
                }
                    (gpu, space, b, _io) => {
                        let (flags, kind, handle) = (b.flags, b.kind, b.handle.into());
                        let (buffer_offset, size, offset) = (b.buffer_offset, b.size, b.offset);
                        let call = MapBuffer { flags, kind, handle, buffer_offset, size, offset };
                        let mapped = gpu.space_map_buffer(space.into(), call)?;
                        (b.offset, b.page_size) = (mapped.offset, mapped.page_size as u32);
                    };

            /// UNMAP_BUFFER.
            ///
            /// # Errors
            /// None but those of all calls: what is not mapped is unmapped.
            call 10 space_unmap_buffer(space: SpaceId, offset: u64) -> Result<(), Status>;
                @ AsGpu 0xC008_4105 { offset: u64 }
                    (gpu, space, b, _io) => gpu.space_unmap_buffer(space.into(), b.offset)?;

            /// REMAP: entry by entry, up to the first that cannot be.
            ///
            /// # Errors
            /// [`Status::BadValue`] outside of sparse space and beyond a handle, otherwise as
            /// [`Self::space_map_buffer`].
            call 11 space_remap(space: SpaceId, entries: [Remap]) -> Result<(), Status>;
                @ AsGpu 0xC014_4114 { }
                    (gpu, space, _b, io) => {
                        let entries = io.list(|[flags_kind, handle, from, to, pages]| {
                            let kind = (flags_kind >> 16) as u16;
                            Remap { kind, handle: handle.into(), handle_page: from, space_page: to, pages }
                        })?;
                        gpu.space_remap(space.into(), &entries)?
                    };

            /// GET_VA_REGIONS: small pages, big pages.
            ///
            /// # Errors
            /// See [`Self::space_allocate`].
            ask - space_regions(space: SpaceId) -> Result<[Region; 2], Status> as (small, big);
                @ AsGpu 0xC040_4108 { address: u64, size: u32, pad: u32 }
                    (gpu, space, b, io) => {
                        let regions = gpu.space_regions(space.into())?;
                        b.size = 48;
                        io.answer(&regions.map(|region| [region.offset, region.page_size, region.pages]));
                    };

            /// Opens a channel with a syncpoint of its own, as opening `/dev/nvhost-gpu` does.
            ///
            /// # Errors
            /// [`Status::InsufficientMemory`] when there are no channels or syncpoints left.
            call 12 channel_open() -> Result<ChannelId, Status> as channel;

            /// Closes a channel, with everything it had still to do.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a channel that is not open, as for all calls of channels.
            call 13 channel_close(channel: ChannelId) -> Result<(), Status>;

            /// BIND_CHANNEL: the address space of a channel, once.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a space that is not open; [`Status::InvalidState`] when the channel has
            /// one.
            call 14 channel_bind(channel: ChannelId, space: SpaceId) -> Result<(), Status>;
                @ AsGpu 0x4004_4101 { file: u32 }
                    (gpu, space, b, _io) => {
                        let channel = gpu.channel_of_file(b.file)?;
                        gpu.channel_bind(channel, space.into())?
                    };

            /// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`:
            /// [`submit_flags`](triglyph_guest::tegra::driver::submit_flags). Returns the fence after everything that
            /// was submitted.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a fence that is both waited for and a number of increments, or that names
            /// no syncpoint; [`Status::InvalidState`] for a channel without an address space.
            work 15 channel_submit(channel: ChannelId, entries: [u64], flags: u32, fence: Fence)
                -> Result<Fence, Status> as after;
                @ Gpu 0xC018_4808 | 0xC018_481B { address: u64, count: u32, flags: u32, syncpoint: u32, value: u32 }
                    (gpu, channel, b, io) => {
                        let entries = io.entries(b.count)?;
                        let fence = Fence { syncpoint: b.syncpoint.into(), value: b.value };
                        let fence = gpu.channel_submit(channel.into(), &entries, b.flags, fence)?;
                        (b.syncpoint, b.value, b.flags) = (fence.syncpoint.get(), fence.value, 0);
                    };
            /// The syncpoint of a channel, and the value that it has when everything submitted is done.
            ///
            /// # Errors
            /// See [`Self::channel_close`].
            ask - channel_fence(channel: ChannelId) -> Result<Fence, Status> as fence;
                @ Gpu 0xC020_4818 | 0xC020_481A {
                    entries: u32, jobs: u32, flags: u32, syncpoint: u32, value: u32, reserved: [u32; 3]
                }
                    (gpu, channel, b, _io) => {
                        let fence = gpu.channel_fence(channel.into())?;
                        (b.syncpoint, b.value) = (fence.syncpoint.get(), fence.value);
                    };
            /// Adds 1 to a syncpoint, as other hardware does, and goes on with channels that waited for it: with the
            /// next bounded run if submissions are deferred. For an index beyond the syncpoints it does nothing but a
            /// fault.
            work 16 increment_syncpoint(index: SyncpointId);
                @ Ctrl 0x4004_0015 { index: u32 }
                    (gpu, _file, b, _io) => gpu.increment_syncpoint(b.index.into());

            /// Lets time pass that the GPU does not work in, in nanoseconds, so that timestamps keep up with the host's
            /// idea of time.
            call 17 advance_time(time: Duration);

            /// Goes on with channels that waited: for a word that the host has written since, or for a syncpoint.
            ///
            /// Work without an end is stopped, with a fault;
            /// [`Device::run_for`](triglyph_engine::device::Device::run_for) bounds it instead.
            work 18 run();

            /// A bounded run, by the words that it did; all ones if it went on until nothing could.
            device_work 19 run_for(words: u64);

            /// Whether submissions wait for a bounded run.
            device 20 set_deferred(deferred: bool);

            /// Sets what each submission may cost, in units of fuel: see
            /// [`Options::fuel`](triglyph_options::Options::fuel), with which it begins. A recording has it.
            call 21 set_fuel(fuel: u64);

            /// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a slot beyond 63; [`Status::Busy`] for one that is armed and goes.
            ask - event_register(slot: EventSlot, registered: bool) -> Result<(), Status>;
                @ Ctrl 0xC004_001F { slot: u32 }
                    (gpu, _file, b, _io) => gpu.event_register((b.slot & 0xFF).into(), true)?;
                @ Ctrl 0xC004_0020 { slot: u32 }
                    (gpu, _file, b, _io) => gpu.event_register((b.slot & 0xFF).into(), false)?;
                @ Ctrl 0x4008_0021 { slots: u64 }
                    (gpu, _file, b, _io) =>
                        (0..64).filter(|slot| b.slots >> slot & 1 != 0)
                            .try_for_each(|slot| gpu.event_register(EventSlot::new(slot), false))?;

            /// EVENT_WAIT, and EVENT_WAIT_ASYNC if the client chooses the slot: waits for a fence. A threshold of 0 has
            /// been reached. The host keeps the time: 0 asks whether the fence has been reached; any other timeout, or
            /// none, arms an event, which is an [`Event::Fence`](triglyph_engine::device::Event::Fence) when it has
            /// been.
            ///
            /// # Errors
            /// [`Status::Timeout`] with timeout 0 when it has not been reached; [`Status::Busy`] for a slot that is
            /// armed; [`Status::BadParameter`] for syncpoints and slots that do not exist;
            /// [`Status::InsufficientMemory`] without a slot.
            ask - event_wait(fence: Fence, timeout: (Option<Duration>), slot: (Option<EventSlot>))
                -> Result<Wait, Status> as wait;
                @ Ctrl 0xC010_001D { syncpoint: u32, threshold: u32, timeout: i32, value: u32 }
                    (gpu, _file, b, _io) => {
                        let fence = Fence { syncpoint: b.syncpoint.into(), value: b.threshold };
                        b.value = 0;
                        gpu.event_wait(fence, timeout(b.timeout), None)?.answer(&mut b.value)?
                    };
                @ Ctrl 0xC010_001E { syncpoint: u32, threshold: u32, timeout: i32, value: u32 }
                    (gpu, _file, b, _io) => {
                        let fence = Fence { syncpoint: b.syncpoint.into(), value: b.threshold };
                        let slot = EventSlot::new(b.value & 0xFF);
                        gpu.event_wait(fence, timeout(b.timeout), Some(slot))?.answer(&mut b.value)?
                    };

            /// EVENT_SIGNAL: the client waits for this event no more.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a slot beyond 63.
            ask - event_cancel(slot: EventSlot) -> Result<(), Status>;
                @ Ctrl 0xC004_001C { slot: u32 }
                    (gpu, _file, b, _io) => gpu.event_cancel((b.slot & 0xFF).into())?;

            /// SYNCPT_READ: the value of a syncpoint.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for an index beyond the syncpoints.
            ask - syncpoint_value(index: SyncpointId) -> Result<u32, Status> as value;
                @ Ctrl 0xC008_0014 { index: u32, value: u32 }
                    (gpu, _file, b, _io) => b.value = gpu.syncpoint_value(b.index.into())?;
                @ Ctrl 0xC00C_0016 { index: u32, threshold: u32, timeout: i32 }
                    (gpu, _file, b, _io) => gpu.syncpoint_reached(b.index.into(), b.threshold)?;
                @ Ctrl 0xC010_0019 { index: u32, threshold: u32, timeout: i32, value: u32 }
                    (gpu, _file, b, _io) => {
                        b.value = gpu.syncpoint_value(b.index.into())?;
                        gpu.syncpoint_reached(b.index.into(), b.threshold)?
                    };

            /// SYNCPT_READ_MAX: the value that a syncpoint has when everything submitted is done.
            ///
            /// # Errors
            /// See [`Self::syncpoint_value`].
            ask - syncpoint_maximum(index: SyncpointId) -> Result<u32, Status> as value;
                @ Ctrl 0xC008_001A { index: u32, value: u32 }
                    (gpu, _file, b, _io) => b.value = gpu.syncpoint_maximum(b.index.into())?;

            /// GET_ID: ids are the handles.
            none - nvmap_get_id();
                @ Nvmap 0xC008_010E { id: u32, handle: u32 }
                    (gpu, _file, b, _io) => {
                        gpu.nvmap_param(b.handle.into(), map_param::SIZE)?;
                        b.id = b.handle;
                    };

            /// Settings of a channel that change nothing that is drawn: SET_NVMAP_FD, SET_TIMEOUT, ALLOC_GPFIFO,
            /// EVENT_ID_CONTROL, ZCULL_BIND, SET_ERROR_NOTIFIER, ENABLE, DISABLE.
            none - channel_settings();
                @ Gpu 0x4004_4801 | 0x4004_4803 { value: u32 }
                    (_gpu, _channel, _b, _io) => ();
                @ Gpu 0x4008_4805 | 0x4008_4812 { values: [u32; 2] } (_gpu, _channel, _b, _io) => ();
                @ Gpu 0xC010_480B { address: u64, mode: u32, pad: u32 } (_gpu, _channel, _b, _io) => ();
                @ Gpu 0xC018_480C { offset: u64, size: u64, memory: u32, pad: u32 } (_gpu, _channel, _b, _io) => ();
                @ Gpu 0x0000_480E | 0x0000_480F { } (_gpu, _channel, _b, _io) => ();

            /// SET_PRIORITY and SET_TIMESLICE, which change nothing that is drawn either.
            ///
            /// # Errors
            /// [`Status::BadParameter`] for another priority than
            /// [`PRIORITIES`](triglyph_guest::tegra::driver::PRIORITIES), and for a time outside of
            /// [`TIMESLICES`](triglyph_guest::tegra::driver::TIMESLICES) (Ryujinx, Eden; the latter's limits are those
            /// of Linux' nvgpu, Eden ends at 5,000).
            none - channel_schedule();
                @ Gpu 0x4004_480D { priority: u32 }
                    (_gpu, _channel, b, _io) => if !PRIORITIES.contains(&b.priority) { Err(Status::BadParameter)? };
                @ Gpu 0x4004_481D { microseconds: u32 }
                    (_gpu, _channel, b, _io) => if !TIMESLICES.contains(&b.microseconds) { Err(Status::BadParameter)? };

            /// ALLOC_OBJ_CTX: the number of a class, which is there already. It may come before the channel's address
            /// space (Citron c16895c7e: applets of the system do so).
            ///
            /// # Errors
            /// [`Status::BadParameter`] for a number that is no class of the chip (Linux' nvgpu; Eden 46ddbea71c).
            none - channel_class();
                @ Gpu 0xC010_4809 { class: u32, flags: u32, object: u64 }
                    (_gpu, _channel, b, _io) => {
                        let mut classes = Class::ALL.iter().map(|class| class.id()).chain(OTHER_CLASSES);
                        if !classes.any(|class| class == b.class) { Err(Status::BadParameter)? }
                        b.object = 0
                    };

            /// GET_ERROR_INFO and GET_ERROR_NOTIFICATION: channels do not fail.
            none - channel_errors();
                @ Gpu 0x8080_4816 { kind: u32, info: [u32; 31] }
                    (_gpu, _channel, b, _io) => (b.kind, b.info) = (0, [0; 31]);
                @ Gpu 0xC010_4817 { time: u64, info: u32, info16: u16, status: u16 }
                    (_gpu, _channel, b, _io) => (b.time, b.info, b.info16, b.status) = (0, 0, 0, 0xFFFF);

            /// SET_USER_DATA and GET_USER_DATA: a number that a client keeps with the file.
            none - channel_user_data();
                @ Gpu 0x4008_4714 { data: u64 } (gpu, _channel, b, io) => gpu.set_user_data(io.file, b.data)?;
                @ Gpu 0x8008_4715 { data: u64 } (gpu, _channel, b, io) => b.data = gpu.user_data(io.file)?;

            /// GET_CONFIG: none, as on consoles that are sold.
            none - config();
                @ Ctrl 0xC183_001B { domain: [u8; 0x41], name: [u8; 0x41], value: [u8; 0x101] }
                    (_gpu, _file, _b, _io) => Err(Status::NoConfiguration)?;

            /// ZCULL_GET_CTX_SIZE and ZCULL_GET_INFO.
            none - zcull();
                @ CtrlGpu 0x8004_4701 { size: u32 } (_gpu, _file, b, _io) => b.size = 1;
                @ CtrlGpu 0x8028_4702 { info: [u32; 10] } (_gpu, _file, b, _io) => b.info = ZCULL_INFO;

            /// ZBC_SET_TABLE, ZBC_QUERY_TABLE, ZBC_GET_ACTIVE_SLOT_MASK: colours of fast clears, which change no byte.
            none - zbc();
                @ CtrlGpu 0x402C_4703 {
                    color: [u32; 4], cached: [u32; 4], depth: u32, format: u32, kind: u32
                } (_gpu, _file, _b, _io) => ();
                @ CtrlGpu 0xC034_4704 { entry: [u32; 12], index: u32 } (_gpu, _file, b, _io) => b.entry = [0; 12];
                @ CtrlGpu 0x8008_4714 { slot: u32, mask: u32 } (_gpu, _file, b, _io) => (b.slot, b.mask) = (7, 1);

            /// GET_CHARACTERISTICS: see [`CHARACTERISTICS`](triglyph_guest::tegra::driver::CHARACTERISTICS).
            none - characteristics();
                @ CtrlGpu 0xC0B0_4705 { size: u64, address: u64 }
                    (gpu, _file, b, io) => {
                        b.size = size_of::<Characteristics>() as u64;
                        io.answer(gpu.characteristics());
                    };

            /// GET_TPC_MASKS: both texture processing clusters are there.
            none - tpc_masks();
                @ CtrlGpu 0xC018_4706 { size: u32, pad: u32, address: u64 }
                    (_gpu, _file, _b, io) => io.answer(&3u64);

            /// NUM_VSMS and VSMS_MAPPING: the multiprocessors, and for each the numbers of its graphics and of its
            /// texture processing cluster (Linux' nvgpu; Ryujinx #6313).
            none - multiprocessors();
                @ CtrlGpu 0x8008_4712 { count: u32, reserved: u32 }
                    (_gpu, _file, b, _io) => b.count = MULTIPROCESSORS.len() as u32;
                @ CtrlGpu 0xC008_4713 { clusters: [[u8; 2]; 2], reserved: u32 }
                    (_gpu, _file, b, io) => {
                        b.clusters = MULTIPROCESSORS;
                        io.answer(&MULTIPROCESSORS);
                    };

            /// FLUSH_L2: memory is what the processor sees.
            none - flush_l2();
                @ CtrlGpu 0x4008_4707 { flush: u32, reserved: u32 } (_gpu, _file, _b, _io) => ();

            /// GET_GPU_TIME: nanoseconds of the machine's clock.
            none - gpu_time();
                @ CtrlGpu 0xC010_471C { time: u64, reserved: u64 }
                    (gpu, _file, b, _io) => b.time = gpu.core.now();
        }
    };
}

macro_rules! describe {
    ($($row:tt)+) => {
        describe_calls!($($row)+);
    };
}
tegra_calls!(describe);

macro_rules! list_ioctls {
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $device:ident $($request:literal)|+ { $($fields:tt)* } ($($names:tt)*) => $body:expr;)*
    )+) => {
        /// Every ioctl: the device, the request and the name of its row.
        pub const IOCTLS: &[(DeviceFile, u32, &str)] = &[
            $($($((DeviceFile::$device, $request, stringify!($name)),)+)*)+
        ];
    };
}
tegra_calls!(list_ioctls);

listed! {
    /// A device that a client opens.
    pub enum DeviceFile {
        /// `/dev/nvmap`.
        Nvmap,
        /// `/dev/nvhost-as-gpu`: an address space for each file.
        AsGpu,
        /// `/dev/nvhost-gpu`: a channel for each file.
        Gpu,
        /// `/dev/nvhost-ctrl`.
        Ctrl,
        /// `/dev/nvhost-ctrl-gpu`.
        CtrlGpu,
    }
}

impl DeviceFile {
    /// The device of a path; `None` for others.
    pub fn of_path(path: &str) -> Option<Self> {
        DeviceFile::ALL.into_iter().find(|device| device.path() == path)
    }

    /// Its path.
    pub const fn path(self) -> &'static str {
        match self {
            DeviceFile::Nvmap => "/dev/nvmap",
            DeviceFile::AsGpu => "/dev/nvhost-as-gpu",
            DeviceFile::Gpu => "/dev/nvhost-gpu",
            DeviceFile::Ctrl => "/dev/nvhost-ctrl",
            DeviceFile::CtrlGpu => "/dev/nvhost-ctrl-gpu",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_and_requests_are_of_one_row() {
        let numbers: Vec<u64> = CALLS.iter().filter_map(|call| call.recorded_number()).collect();
        assert_eq!(BTreeSet::from_iter(&numbers).len(), numbers.len());
        assert!(numbers.len() > 20);
        // A device tells its calls apart by the low half: group and number.
        let requests: BTreeSet<_> =
            IOCTLS.iter().map(|(device, request, _)| (device.path(), request & 0xFFFF)).collect();
        assert_eq!(requests.len(), IOCTLS.len());
        assert!(IOCTLS.len() > 40);
    }

    #[test]
    fn lists_are_recorded_last() {
        let submit = call("channel_submit");
        let text = "channel_submit(channel 0x1, flags 0x2, syncpoint 0x3, value 0x4, 2 entries)";
        assert_eq!(submit.text(&[1, 2, 3, 4, 5, 6]), text);
    }

    #[test]
    fn devices_have_paths() {
        assert_eq!(DeviceFile::of_path("/dev/nvhost-gpu"), Some(DeviceFile::Gpu));
        assert_eq!(DeviceFile::of_path("/dev/nvhost"), None);
    }
}
