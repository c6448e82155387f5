//! The Switch's driver: handles, address spaces, channels with fences, events.

use std::time::Duration;

use crate::support::threed::{self, EDGE, PIXEL, TARGET};
use crate::support::{BUFFER, BUFFER_SIZE, COPY, DATA, HOST, Machine, header, methods, options, signalled};
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_engine::{Device, Error};
use triglyph_guest::id::{ChannelId, EventSlot, NvmapHandle, SpaceId, SyncpointId};
use triglyph_guest::layout::surface::gob_offset;
use triglyph_guest::tegra::driver::{Status, map_flags, map_param, space_flags, submit_flags};
use triglyph_guest::tegra::fifo::{Entry, Segment, Stepping};
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_tegra::TegraX1;
use triglyph_tegra::driver::{Buffer, Fence, Layout, MapBuffer, MapMemory, PROCESS, Remap, Wait};
use triglyph_testkit::random::{noise, words};

/// Memory of the process.
const MEMORY: u64 = 0x7_0000_0000;
const SIZE: u64 = 0x40_0000;

const BIG: u64 = 0x1_0000;
const SMALL: u64 = 0x1000;

/// The first address space that a client opens.
const FIRST: SpaceId = SpaceId::new(2);

/// A machine whose process has memory, and an address space with big pages of 64 KiB.
fn machine() -> (TegraX1, SpaceId) {
    let mut gpu = TegraX1::new(&options()).expect("a machine");
    gpu.with_memory(|memory| memory.map(GuestRange::new(PROCESS, MEMORY, SIZE), Access::READ_WRITE)).expect("memory");
    let space = gpu.space_open().expect("a space");
    gpu.space_initialize(space, Layout { big_page: BIG, ..Layout::default() }).expect("a layout");
    (gpu, space)
}

/// A handle for memory of the process.
fn handle(gpu: &mut TegraX1, offset: u64, size: u64, align: u64) -> NvmapHandle {
    let handle = gpu.nvmap_create(size as u32).expect("a handle");
    let memory = MapMemory { address: MEMORY + offset, align: align as u32, heap: 1, flags: 1, kind: 0xFE };
    gpu.nvmap_alloc(handle, memory).expect("memory");
    handle
}

fn map(gpu: &mut TegraX1, space: SpaceId, handle: NvmapHandle) -> Buffer {
    gpu.space_map_buffer(space, MapBuffer { handle, ..MapBuffer::default() }).expect("room")
}

/// A machine with a channel, and a push buffer of its process's at GPU address `offset`.
struct Client {
    gpu: TegraX1,
    channel: ChannelId,
    offset: u64,
}

impl Client {
    fn new() -> Client {
        let (mut gpu, space) = machine();
        let pages = handle(&mut gpu, 0, 0x1_0000, SMALL);
        let offset = map(&mut gpu, space, pages).offset;
        let channel = gpu.channel_open().expect("a channel");
        gpu.channel_bind(channel, space).expect("a space");
        Client { gpu, channel, offset }
    }

    fn submit(&mut self, words: &[u32], flags: u32, fence: Fence) -> Result<Fence, Status> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.gpu.write(GuestAddr::new(PROCESS, MEMORY), &bytes).expect("mapped memory");
        let words = words.len() as u32;
        let segment = Segment { address: self.offset, words, sync: false, subroutine: false, conditional: false };
        self.gpu.channel_submit(self.channel, &[Entry::Segment(segment).encode()], flags, fence)
    }

    fn value(&self, syncpoint: u32) -> u32 {
        self.gpu.core().syncpoint(syncpoint).expect("a syncpoint")
    }
}

#[test]
fn handles_have_memory_once() {
    let (mut gpu, _) = machine();
    assert_eq!(gpu.nvmap_create(0), Err(Status::BadValue));
    let (first, second) = (gpu.nvmap_create(0x1001).unwrap(), gpu.nvmap_create(1).unwrap());
    assert_eq!((first.get(), second.get()), (4, 8));
    let memory = MapMemory { address: MEMORY, align: 3, heap: 7, flags: 0, kind: 0xDB };
    assert_eq!(gpu.nvmap_alloc(first, memory), Err(Status::BadValue), "no alignment of three bytes below a page");
    assert_eq!(gpu.nvmap_alloc(first, MapMemory { align: 0x3000, ..memory }), Err(Status::BadValue));
    assert_eq!(
        gpu.nvmap_alloc(first, MapMemory { align: 0, address: MEMORY + 1, ..memory }),
        Err(Status::InvalidAddress)
    );
    assert_eq!(gpu.nvmap_alloc(first, MapMemory { align: 0x10, ..memory }), Ok(()));
    assert_eq!(gpu.nvmap_alloc(first, MapMemory { align: 0x10, ..memory }), Err(Status::AlreadyAllocated));
    assert_eq!(gpu.nvmap_alloc(NvmapHandle::new(12), memory), Err(Status::BadValue));
    let asked = [map_param::SIZE, map_param::ALIGNMENT, map_param::HEAP, map_param::KIND, map_param::BASE, 7];
    let answers = asked.map(|parameter| gpu.nvmap_param(first, parameter).ok());
    assert_eq!(answers, [Some(0x1001), Some(0x1000), Some(7), Some(0xDB), Some(0), None]);
    assert_eq!(gpu.nvmap_from_id(first), Ok(first));
    assert!(gpu.nvmap_free(first).is_ok_and(|freed| freed.in_use));
    let freed = gpu.nvmap_free(first).unwrap();
    assert_eq!((freed.address, freed.size, freed.in_use), (MEMORY, 0x1001, false));
    assert_eq!(gpu.nvmap_free(first), Err(Status::BadValue));
}

#[test]
fn spaces_are_divided_into_small_and_big_pages() {
    let mut gpu = TegraX1::new(&options()).expect("a machine");
    let space = gpu.space_open().unwrap();
    assert_eq!(gpu.space_regions(space), Err(Status::NotInitialized));
    assert_eq!(gpu.space_initialize(space, Layout { big_page: 0x8000, ..Layout::default() }), Err(Status::BadValue));
    let crossed = Layout { big_page: 0, start: 1 << 27, split: 1 << 30, end: 1 << 29 };
    assert_eq!(gpu.space_initialize(space, crossed), Err(Status::BadValue));
    gpu.space_initialize(space, Layout { big_page: 0, ..Layout::default() }).unwrap();
    assert_eq!(gpu.space_initialize(space, Layout::default()), Err(Status::InvalidState));
    let [small, big] = gpu.space_regions(space).unwrap();
    assert_eq!((small.offset, small.page_size, small.pages), (0x800_0000, SMALL, ((1 << 34) - 0x800_0000) / SMALL));
    assert_eq!((big.offset, big.page_size, big.pages), (1 << 34, 0x2_0000, ((1u64 << 37) - (1 << 34)) / 0x2_0000));
    assert_eq!(gpu.space_regions(SpaceId::new(9)), Err(Status::BadParameter));
    let other = gpu.space_open().unwrap();
    gpu.space_initialize(other, Layout { big_page: BIG, start: 1 << 27, split: 1 << 28, end: 1 << 29 }).unwrap();
    let [small, big] = gpu.space_regions(other).unwrap();
    assert_eq!((small.offset, small.pages, big.pages), (1 << 27, (1 << 27) / SMALL, (1 << 28) / BIG));
    assert_eq!((gpu.space_close(other), gpu.space_close(other)), (Ok(()), Err(Status::BadParameter)));
}

/// The alignment of a handle chooses the pages, and these the half of the space.
#[test]
fn buffers_get_places_of_their_page_size() {
    let (mut gpu, space) = machine();
    let (small, big) = (handle(&mut gpu, 0, 0x1800, SMALL), handle(&mut gpu, 0x1_0000, 0x2_8000, BIG));
    let (first, second) = (map(&mut gpu, space, small), map(&mut gpu, space, big));
    assert_eq!(first, Buffer { offset: BIG << 10, page_size: SMALL });
    assert_eq!(second, Buffer { offset: 1 << 34, page_size: BIG });
    // Whole pages are taken: 0x2000 bytes, three pages of 64 KiB.
    assert_eq!(map(&mut gpu, space, small).offset, first.offset + 0x2000);
    assert_eq!(map(&mut gpu, space, big).offset, second.offset + 0x3_0000);
    // A part of a handle goes to the first gap that is large enough.
    gpu.space_unmap_buffer(space, first.offset).unwrap();
    let part = MapBuffer { handle: big, buffer_offset: 0x3000, size: 0x1000, ..MapBuffer::default() };
    assert_eq!(gpu.space_map_buffer(space, part).map(|buffer| buffer.offset), Ok((1 << 34) + 0x6_0000));
    assert_eq!(map(&mut gpu, space, small).offset, first.offset);
    for (size, buffer_offset) in [(0x2_8001, 0), (0x1000, 0x2_8000), (0x1000, 0x10)] {
        let call = MapBuffer { handle: big, size, buffer_offset, ..MapBuffer::default() };
        assert_eq!(gpu.space_map_buffer(space, call), Err(Status::BadValue));
    }
    let bare = gpu.nvmap_create(0x1000).unwrap();
    let call = MapBuffer { handle: bare, ..MapBuffer::default() };
    assert_eq!(gpu.space_map_buffer(space, call), Err(Status::InvalidState));
    let away = handle(&mut gpu, SIZE, 0x1000, SMALL);
    let call = MapBuffer { handle: away, ..call };
    assert_eq!(gpu.space_map_buffer(space, call), Err(Status::InvalidAddress));
    // What was not mapped is not there; what is unmapped twice is unmapped.
    assert_eq!(gpu.space_unmap_buffer(space, 0x1234), Ok(()));
}

#[test]
fn both_see_the_same_memory() {
    let (mut gpu, space) = machine();
    let pages = handle(&mut gpu, 0x2000, 0x2000, SMALL);
    let offset = map(&mut gpu, space, pages).offset;
    gpu.write(GuestAddr::new(PROCESS, MEMORY + 0x3FFF), &[7]).unwrap();
    let mut byte = [0];
    gpu.read(GuestAddr::new(space.get(), offset + 0x1FFF), &mut byte).unwrap();
    assert_eq!(byte, [7]);
    assert_eq!(gpu.process_address(space, offset + 0x1FFF), Some(MEMORY + 0x3FFF));
    assert_eq!(gpu.process_address(space, offset + 0x2000), None);
    // Freeing the handle leaves it; unmapping the process's memory does not.
    gpu.nvmap_free(pages).unwrap();
    assert!(gpu.read(GuestAddr::new(space.get(), offset), &mut byte).is_ok());
    gpu.with_memory(|memory| memory.unmap(GuestRange::new(PROCESS, MEMORY + 0x2000, 0x1000)));
    assert!(
        gpu.read(GuestAddr::new(space.get(), offset), &mut byte).is_err()
            && gpu.read(GuestAddr::new(space.get(), offset + 0x1000), &mut byte).is_ok()
    );
}

#[test]
fn fixed_buffers_need_space_that_is_free() {
    let (mut gpu, space) = machine();
    let pages = handle(&mut gpu, 0, 0x2_0000, BIG);
    let at = 0x4_0000_0000;
    let fixed = |offset| MapBuffer { flags: map_flags::FIXED, handle: pages, offset, ..MapBuffer::default() };
    assert_eq!(gpu.space_map_buffer(space, fixed(at)), Err(Status::BadValue));
    assert_eq!(gpu.space_allocate(space, 4, 0x2000, 0, 0), Err(Status::BadValue));
    assert_eq!(gpu.space_allocate(space, 8, BIG, space_flags::FIXED, at), Ok(at));
    assert_eq!(gpu.space_allocate(space, 1, BIG, space_flags::FIXED, at + 7 * BIG), Err(Status::BadValue));
    assert_eq!(gpu.space_allocate(space, 8, BIG, 0, 0x10_0000), Ok(at + 0x10_0000), "aligned, behind");
    assert_eq!(gpu.space_map_buffer(space, fixed(at)), Ok(Buffer { offset: at, page_size: BIG }));
    // Linux: overlapping buffers are refused.
    assert_eq!(gpu.space_map_buffer(space, fixed(at + BIG)), Err(Status::BadValue));
    assert!(gpu.space_map_buffer(space, fixed(at + 2 * BIG)).is_ok());
    assert_eq!(gpu.space_map_buffer(space, fixed(at + 7 * BIG)), Err(Status::BadValue), "it ends beyond");
    // Small pages in a reservation of small pages, however the handle is aligned.
    let small = gpu.space_allocate(space, 0x20, SMALL, 0, 0).unwrap();
    assert_eq!(gpu.space_map_buffer(space, fixed(small)), Ok(Buffer { offset: small, page_size: SMALL }));
    assert_eq!(gpu.space_free(space, at, 7, BIG), Err(Status::BadValue));
    assert_eq!(gpu.space_free(space, at, 8, BIG), Ok(()));
    let mut byte = [0];
    assert!(
        gpu.read(GuestAddr::new(space.get(), at), &mut byte).is_err()
            && gpu.read(GuestAddr::new(space.get(), small), &mut byte).is_ok()
    );
    assert_eq!(gpu.space_allocate(space, 8, BIG, space_flags::FIXED, at), Ok(at));
}

#[test]
fn sparse_space_reads_zeros_until_something_is_shown() {
    let (mut gpu, space) = machine();
    let pages = handle(&mut gpu, 0, 4 * BIG, BIG);
    gpu.write(GuestAddr::new(PROCESS, MEMORY + BIG), &[5]).unwrap();
    let at = gpu.space_allocate(space, 16, BIG, space_flags::SPARSE, 0).unwrap();
    let page = |pages: u64| (at / BIG + pages) as u32;
    let entry = Remap { kind: 0xFFFF, handle: pages, handle_page: 1, space_page: page(2), pages: 2 };
    gpu.space_remap(space, &[entry, Remap { handle_page: 0, space_page: page(8), pages: 1, ..entry }]).unwrap();
    let memory = |gpu: &mut TegraX1, offset| {
        let mut byte = [9];
        gpu.with_memory(|memory| (memory.read_pieces(GuestAddr::new(space.get(), at + offset), &mut byte), byte[0]))
    };
    assert_eq!([0, 2 * BIG, 4 * BIG].map(|offset| memory(&mut gpu, offset)), [(0, 0), (0, 5), (0, 0)]);
    assert_eq!(memory(&mut gpu, 16 * BIG), (1, 0), "behind it nothing is there");
    gpu.space_remap(space, &[Remap { handle: NvmapHandle::new(0), pages: 1, ..entry }]).unwrap();
    assert_eq!(memory(&mut gpu, 2 * BIG), (0, 0));
    assert_eq!(gpu.process_address(space, at + 3 * BIG), Some(MEMORY + 2 * BIG));
    for wrong in [
        Remap { pages: 4, ..entry },
        Remap { pages: 0, ..entry },
        Remap { handle: NvmapHandle::new(99), ..entry },
        Remap { space_page: page(15), ..entry },
        Remap { space_page: 1, ..entry },
    ] {
        assert_eq!(gpu.space_remap(space, &[wrong]), Err(Status::BadValue), "{wrong:?}");
    }
    // A buffer in sparse space leaves it sparse when it goes.
    let fixed = MapBuffer { flags: map_flags::FIXED, handle: pages, offset: at + 12 * BIG, ..MapBuffer::default() };
    gpu.space_map_buffer(space, fixed).unwrap();
    assert_eq!(memory(&mut gpu, 13 * BIG), (0, 5));
    gpu.space_unmap_buffer(space, at + 12 * BIG).unwrap();
    assert_eq!(memory(&mut gpu, 13 * BIG), (0, 0));
    assert_eq!(gpu.faults().total(), 0);
}

#[test]
fn kinds_change_and_bytes_stay() {
    let (mut gpu, space) = machine();
    let pages = handle(&mut gpu, 0, 0x4000, SMALL);
    gpu.write(GuestAddr::new(PROCESS, MEMORY), &[3]).unwrap();
    let offset = map(&mut gpu, space, pages).offset;
    let kind = |gpu: &TegraX1, at| gpu.core().kinds.at(space.get(), offset + at).0;
    assert_eq!(kind(&gpu, 0), 0xFE);
    let handle = NvmapHandle::default();
    let modify = MapBuffer { flags: map_flags::MODIFY, kind: 0, offset, buffer_offset: 0x1000, size: 0x2000, handle };
    gpu.space_map_buffer(space, modify).unwrap();
    assert_eq!([0, 0x1000, 0x2FFF, 0x3000].map(|at| kind(&gpu, at)), [0xFE, 0, 0, 0xFE]);
    let mut byte = [0];
    gpu.read(GuestAddr::new(space.get(), offset), &mut byte).unwrap();
    assert_eq!(byte, [3]);
    gpu.space_map_buffer(space, MapBuffer { kind: map_flags::DEFAULT_KIND, ..modify }).unwrap();
    assert_eq!(kind(&gpu, 0x1000), 0xFE);
    for wrong in [MapBuffer { size: 0x3001, ..modify }, MapBuffer { offset: offset + 0x1000, ..modify }] {
        assert_eq!(gpu.space_map_buffer(space, wrong), Err(Status::BadValue));
    }
}

/// Lines that the copy engine moves between pages of a pitch kind and others: rows of 64 bytes become GOBs, and back.
#[test]
fn lines_between_kinds_change_their_order() {
    let mut client = Client::new();
    let buffer = |gpu: &mut TegraX1, at: u64, kind: u8| {
        let handle = gpu.nvmap_create(0x1000).expect("a handle");
        let memory = MapMemory { address: MEMORY + at, align: 0x1000, heap: 0, flags: 1, kind };
        gpu.nvmap_alloc(handle, memory).expect("memory");
        map(gpu, FIRST, handle).offset as u32
    };
    let places = [(0x10_0000, 0), (0x10_1000, 0xFE), (0x10_2000, 0xFD), (0x10_3000, 0xDB)];
    let [pitch, blocks, back, other] = places.map(|(at, kind)| buffer(&mut client.gpu, at, kind));
    let source = noise(1024, 5);
    client.gpu.write(GuestAddr::new(PROCESS, MEMORY + 0x10_0000), &source).unwrap();
    for (from, to) in [(pitch, blocks), (blocks, back), (blocks, other)] {
        client.submit(&methods(COPY, 0x100, &[0, from, 0, to, 0, 0, 1024, 1]), 0, Fence::default()).unwrap();
        client.submit(&methods(COPY, 0xC0, &[0x182]), 0, Fence::default()).unwrap();
    }
    let mut read = |at: u64| {
        let mut bytes = vec![0; 1024];
        client.gpu.read(GuestAddr::new(PROCESS, MEMORY + at), &mut bytes).unwrap();
        bytes
    };
    let [stored, linear, same] = [0x10_1000, 0x10_2000, 0x10_3000].map(&mut read);
    for (at, &byte) in source.iter().enumerate() {
        let gob = at / 512 * 512 + gob_offset(at as u32 % 64, at as u32 / 64 % 8) as usize;
        assert_eq!(stored[gob], byte, "byte {at}");
    }
    assert!(linear == source && same == stored);
    assert_eq!(client.gpu.faults().total(), 0, "{:?}", client.gpu.faults().first());
}

/// Two spaces, the same addresses, other memory: channels work in their own.
#[test]
fn channels_work_in_their_address_space() {
    let mut client = Client::new();
    let other = client.gpu.space_open().unwrap();
    client.gpu.space_initialize(other, Layout { big_page: BIG, ..Layout::default() }).unwrap();
    let pages = handle(&mut client.gpu, 0x10_0000, 0x1_0000, SMALL);
    assert_eq!(map(&mut client.gpu, other, pages).offset, client.offset);
    let channel = client.gpu.channel_open().unwrap();
    assert_eq!(client.gpu.channel_submit(channel, &[], 0, Fence::default()), Err(Status::InvalidState));
    assert_eq!(client.gpu.channel_bind(channel, SpaceId::new(99)), Err(Status::BadParameter));
    client.gpu.channel_bind(channel, other).unwrap();
    assert_eq!(client.gpu.channel_bind(channel, other), Err(Status::InvalidState));
    assert_eq!(client.gpu.space_close(other), Err(Status::Busy));
    // The same words at the same address, for each channel from its memory.
    let target = client.offset + 0x8000;
    let words = methods(HOST, 4, &[(target >> 32) as u32, target as u32, 77, 2 | 1 << 24]);
    client.submit(&words, 0, Fence::default()).unwrap();
    let mut both = [0; 2];
    client.gpu.read(GuestAddr::new(PROCESS, MEMORY + 0x8000), &mut both[..1]).unwrap();
    client.gpu.read(GuestAddr::new(PROCESS, MEMORY + 0x10_8000), &mut both[1..]).unwrap();
    assert_eq!(both, [77, 0]);
    assert_eq!(client.gpu.take_written(), [GuestRange::new(2, target, 4)]);
    let mut copy = [0; 0x40];
    client.gpu.read(GuestAddr::new(PROCESS, MEMORY), &mut copy).unwrap();
    client.gpu.write(GuestAddr::new(PROCESS, MEMORY + 0x10_0000), &copy).unwrap();
    let words = words.len() as u32;
    let segment = Segment { address: client.offset, words, sync: false, subroutine: false, conditional: false };
    client.gpu.channel_submit(channel, &[Entry::Segment(segment).encode()], 0, Fence::default()).unwrap();
    client.gpu.read(GuestAddr::new(PROCESS, MEMORY + 0x10_8000), &mut both[1..]).unwrap();
    assert_eq!((both, client.gpu.faults().total()), ([77, 77], 0));
    client.gpu.channel_close(channel).unwrap();
    client.gpu.space_close(other).unwrap();
}

#[test]
fn unmapped_addresses_are_faults_with_their_place() {
    let mut client = Client::new();
    let words = methods(HOST, 4, &[0, 0x1000, 77, 2 | 1 << 24]);
    client.submit(&words, 0, Fence::default()).unwrap();
    let faults = client.gpu.faults();
    assert_eq!((faults.count(FaultKind::UnmappedWrite), faults.total()), (1, 1));
    let fault = &faults.first()[0];
    assert_eq!((fault.address, fault.command), (0x1000, client.offset + 16));
}

#[test]
fn fences_say_what_the_stream_really_counts() {
    let mut client = Client::new();
    let syncpoint = client.gpu.channel_fence(client.channel).unwrap().syncpoint;
    assert_eq!(syncpoint, SyncpointId::new(1));
    let nothing = client.submit(&[0], 0, Fence::default()).unwrap();
    assert_eq!((nothing, client.value(1)), (Fence { syncpoint, value: 0 }, 0));
    let counted = client.submit(&[0], submit_flags::FENCE_GET | submit_flags::SUPPRESS_WFI, Fence::default()).unwrap();
    assert_eq!((counted, client.value(1)), (Fence { syncpoint, value: 2 }, 2));
    // Words of the client's own, one increment, and those of the driver.
    let own = methods(HOST, 0x1D, &[1 | syncpoint.get() << 8]);
    let flags = submit_flags::INCREMENT_VALUE | submit_flags::FENCE_GET | submit_flags::HARDWARE_FORMAT;
    let counted = client.submit(&own, flags, Fence { syncpoint: SyncpointId::new(0), value: 1 }).unwrap();
    assert_eq!((counted, client.value(1)), (Fence { syncpoint, value: 5 }, 5));
    let both = submit_flags::INCREMENT_VALUE | submit_flags::FENCE_WAIT;
    assert_eq!(client.submit(&own, both, Fence { syncpoint, value: 1 }), Err(Status::BadParameter));
    let beyond = Fence { syncpoint: SyncpointId::new(192), value: 1 };
    assert_eq!(client.submit(&own, submit_flags::FENCE_WAIT, beyond), Err(Status::BadParameter));
    // Waiting: the driver's words come before the client's.
    let wait = Fence { syncpoint: SyncpointId::new(50), value: 3 };
    let set = methods(0, 0xD00, &[1]);
    let flags = submit_flags::FENCE_WAIT | submit_flags::FENCE_GET;
    assert_eq!(client.submit(&set, flags, wait).map(|fence| fence.value), Ok(7));
    let scratch = |client: &Client| {
        client.gpu.channel(client.channel.get()).expect("a channel").units().registers(Class::ThreeD).get(0xD00)
    };
    assert_eq!((scratch(&client), client.value(1)), (0, 5));
    (0..3).for_each(|_| client.gpu.increment_syncpoint(SyncpointId::new(50)));
    assert_eq!((scratch(&client), client.value(1)), (1, 7));
    // Another channel has another syncpoint, and channels that close give theirs back.
    let other = client.gpu.channel_open().unwrap();
    assert_eq!(client.gpu.channel_fence(other).map(|fence| fence.syncpoint), Ok(SyncpointId::new(2)));
    client.gpu.channel_close(client.channel).unwrap();
    assert_eq!(client.gpu.channel_close(client.channel), Err(Status::BadParameter));
    let again = client.gpu.channel_open().unwrap();
    let syncpoint = client.gpu.channel_fence(again).map(|fence| fence.syncpoint);
    assert_eq!((again, syncpoint), (client.channel, Ok(SyncpointId::new(1))));
}

#[test]
fn events_are_signalled_when_their_fence_is_reached() {
    let mut client = Client::new();
    let gpu = &mut client.gpu;
    let fence = Fence { syncpoint: SyncpointId::new(60), value: 2 };
    assert_eq!(gpu.event_wait(Fence { value: 0, ..fence }, None, None), Ok(Wait::Reached(0)));
    assert_eq!(gpu.event_wait(fence, Some(Duration::ZERO), None), Err(Status::Timeout));
    assert_eq!(
        gpu.event_wait(Fence { syncpoint: SyncpointId::new(192), ..fence }, Some(Duration::ZERO), None),
        Err(Status::BadParameter)
    );
    gpu.event_register(EventSlot::new(3), true).unwrap();
    assert_eq!(gpu.event_register(EventSlot::new(64), true), Err(Status::BadParameter));
    // A registered slot first, then others; or the one that the client names.
    assert_eq!(gpu.event_wait(fence, None, None), Ok(Wait::Armed { slot: EventSlot::new(3), value: 0x103C_0003 }));
    assert_eq!(gpu.event_wait(fence, None, None), Ok(Wait::Armed { slot: EventSlot::new(0), value: 0x103C_0000 }));
    assert_eq!(
        gpu.event_wait(fence, None, Some(EventSlot::new(5))),
        Ok(Wait::Armed { slot: EventSlot::new(5), value: 0x3C5 })
    );
    assert_eq!(gpu.event_wait(fence, None, Some(EventSlot::new(5))), Err(Status::Busy));
    assert_eq!(gpu.event_register(EventSlot::new(5), false), Err(Status::Busy));
    gpu.event_cancel(EventSlot::new(0)).unwrap();
    gpu.increment_syncpoint(SyncpointId::new(60));
    assert!(gpu.take_events().is_empty());
    gpu.increment_syncpoint(SyncpointId::new(60));
    assert_eq!((signalled(gpu), gpu.take_events()), (vec![3, 5], vec![]));
    assert_eq!(gpu.event_wait(fence, None, None), Ok(Wait::Reached(2)));
    let slots: Vec<_> = (0..65).map(|_| gpu.event_wait(Fence { value: 9, ..fence }, None, None)).collect();
    assert_eq!(slots[64], Err(Status::InsufficientMemory));
}

#[test]
fn characteristics_are_those_of_the_chip() {
    let (gpu, _) = machine();
    let told = gpu.characteristics();
    assert_eq!((told.arch, told.implementation, told.va_bit_count, told.num_tpc_per_gpc), (0x120, 0xB, 40, 2));
}

/// A client's state in the middle of its work, in a machine that knew nothing of it.
#[test]
fn clients_go_on_after_a_snapshot() {
    let work = |client: &mut Client| {
        let words = [methods(0, 0xD00, &[1]), vec![header(0, 0xD01, 1, Stepping::Each)]].concat();
        let flags = submit_flags::FENCE_WAIT | submit_flags::FENCE_GET;
        client.submit(&words, flags, Fence { syncpoint: SyncpointId::new(50), value: 1 }).unwrap();
        let gpu = &mut client.gpu;
        gpu.event_wait(Fence { syncpoint: SyncpointId::new(1), value: 2 }, None, None).unwrap();
        let sparse = gpu.space_allocate(FIRST, 16, BIG, space_flags::SPARSE, 0).unwrap();
        let pages = handle(gpu, 0x10_0000, 2 * BIG, BIG);
        let entry = Remap { kind: 0, handle: pages, handle_page: 1, space_page: (sparse / BIG) as u32 + 1, pages: 1 };
        gpu.space_remap(FIRST, &[entry]).unwrap();
        sparse
    };
    let mut whole = Client::new();
    let sparse = work(&mut whole);
    for memory in [true, false] {
        let snapshot = whole.gpu.snapshot(SnapshotOptions::default().with_memory(memory)).unwrap();
        let mut gpu = TegraX1::new(&options()).expect("a machine");
        if !memory {
            gpu.with_memory(|memory| memory.map(GuestRange::new(PROCESS, MEMORY, SIZE), Access::READ_WRITE))
                .expect("memory");
            let mut bytes = vec![0; SIZE as usize];
            whole.gpu.read(GuestAddr::new(PROCESS, MEMORY), &mut bytes).unwrap();
            gpu.write(GuestAddr::new(PROCESS, MEMORY), &bytes).unwrap();
        }
        gpu.restore(&snapshot).expect("a good snapshot");
        assert!(gpu.snapshot(SnapshotOptions::default().with_memory(memory)).unwrap() == snapshot);
        let mut client = Client { gpu, channel: whole.channel, offset: whole.offset };
        assert_eq!(client.gpu.process_address(FIRST, sparse + BIG), Some(MEMORY + 0x10_0000 + BIG));
        client.gpu.increment_syncpoint(SyncpointId::new(50));
        assert_eq!((client.value(1), signalled(&mut client.gpu)), (2, vec![0]));
        client.submit(&[5], 0, Fence::default()).unwrap();
        assert_eq!(client.gpu.channel(client.channel.get()).unwrap().units().registers(Class::ThreeD).get(0xD01), 5);
        assert!(
            client.gpu.nvmap_free(NvmapHandle::new(8)).is_ok() && client.gpu.space_free(FIRST, sparse, 16, BIG).is_ok()
        );
        assert_eq!(client.gpu.faults().total(), 0, "{:?}", client.gpu.faults().first());
    }
}

/// Calls with arbitrary numbers answer or refuse.
#[test]
fn random_calls_are_answered() {
    for seed in 1..30 {
        let mut word = words(seed * 77);
        let (mut gpu, _) = machine();
        for _ in 0..300 {
            let mut pick = |values: &[u64]| {
                if word().is_multiple_of(8) {
                    u64::from(word()) << (word() % 32)
                } else {
                    values[word() as usize % values.len()]
                }
            };
            let space = SpaceId::new(pick(&[2, 2, 2, 3]) as u32);
            let handle = NvmapHandle::new(pick(&[0, 4, 8, 12, 16]) as u32);
            let at = pick(&[0, 0x400_0000, 0x400_1000, 0x401_0000, 1 << 34, (1 << 34) + BIG, (1 << 40) - 1]);
            let size = pick(&[0, 1, 0x1000, 0x1800, BIG, 2 * BIG, 5 * BIG]);
            let count = pick(&[0, 1, 2, 16, 0x1000]) as u32;
            // Whether a call succeeds does not matter here.
            let _answered = match pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8]) {
                0 => gpu.nvmap_create(size as u32).is_ok(),
                1 => {
                    let (align, kind) = (pick(&[0, 0x1000, BIG]) as u32, pick(&[0, 0xFE, 0xFF]) as u8);
                    let address = pick(&[MEMORY, MEMORY + BIG, MEMORY + SIZE - 0x1000, 0]);
                    gpu.nvmap_alloc(handle, MapMemory { address, align, heap: 0, flags: 0, kind }).is_ok()
                }
                2 => gpu.nvmap_free(handle).is_ok(),
                3 => {
                    let (page, flags) = (pick(&[SMALL, BIG]), pick(&[0, 1, 2, 3]) as u32);
                    gpu.space_allocate(space, count, page, flags, at).is_ok()
                }
                4 => gpu.space_free(space, at, count, pick(&[SMALL, BIG])).is_ok(),
                5 | 6 => {
                    let (flags, kind) = (pick(&[0, 1, 4, 0x100]) as u32, pick(&[0, 0xFE, 0xFFFF_FFFF]) as u32);
                    let buffer_offset = pick(&[0, 0x1000, BIG]);
                    let call = MapBuffer { flags, kind, handle, buffer_offset, size, offset: at };
                    gpu.space_map_buffer(space, call).is_ok()
                }
                7 => gpu.space_unmap_buffer(space, at).is_ok(),
                _ => {
                    let (space_page, handle_page) = ((at / BIG) as u32, pick(&[0, 1, 2]) as u32);
                    let entry = Remap { kind: 0, handle, handle_page, space_page, pages: count };
                    gpu.space_remap(space, &[entry]).is_ok()
                }
            };
        }
        // The result can be saved and comes back.
        let options = SnapshotOptions::default();
        let snapshot = gpu.snapshot(options).unwrap();
        let mut other = TegraX1::new(&crate::support::options()).expect("a machine");
        other.restore(&snapshot).expect("a good snapshot");
        assert!(other.snapshot(options).unwrap() == snapshot, "seed {seed}");
    }
}

/// What captures use is there as well.
#[test]
fn captures_have_a_space_of_their_own() {
    let mut machine = Machine::new();
    machine.run(&methods(HOST, 0x14, &[5]));
    assert_eq!(machine.gpu.channel(0).map(|channel| (channel.space(), channel.reference())), Some((0, 5)));
    assert_eq!(machine.gpu.channel_submit(ChannelId::new(7), &[], 0, Fence::default()), Err(Status::BadParameter));
    assert!(machine.gpu.map(GuestRange::new(2, 0, 0x1000), Access::READ_WRITE).is_err());
    assert!(machine.gpu.map(GuestRange::new(PROCESS, MEMORY, 0x1000), Access::READ_WRITE).is_ok());
}

/// Where a part of the data appears again.
const AGAIN: u64 = DATA + crate::support::SIZE;

/// Does in an address space of the driver's what was done to a machine of captures, with the same addresses, and
/// returns the target. The target's memory is mapped a second time.
fn replayed(mut m: Machine, threads: usize) -> Vec<u8> {
    let mut pushed = vec![0; (m.end - BUFFER) as usize];
    m.gpu.read(GuestAddr::new(0, BUFFER), &mut pushed).expect("mapped memory");
    let mut data = m.data();
    data[TARGET as usize..].fill(0);

    let mut options = options();
    options.threads = threads;
    let mut gpu = TegraX1::new(&options).expect("a machine");
    gpu.with_memory(|memory| memory.map(GuestRange::new(PROCESS, MEMORY, SIZE), Access::READ_WRITE)).expect("memory");
    gpu.write(GuestAddr::new(PROCESS, MEMORY), &pushed).expect("mapped memory");
    gpu.write(GuestAddr::new(PROCESS, MEMORY + BUFFER_SIZE), &data).expect("mapped memory");
    let space = gpu.space_open().expect("a space");
    let layout = Layout { big_page: BIG, start: BUFFER, split: 0x10_0000_0000, end: 0x20_0000_0000 };
    gpu.space_initialize(space, layout).expect("a layout");
    let [buffer, data] = [(0, BUFFER_SIZE), (BUFFER_SIZE, crate::support::SIZE)]
        .map(|(offset, size)| handle(&mut gpu, offset, size, SMALL));
    let again = MapBuffer { handle: data, buffer_offset: TARGET, size: 0x1_0000, ..MapBuffer::default() };
    let places = [buffer, data].map(|handle| map(&mut gpu, space, handle).offset);
    let again = gpu.space_map_buffer(space, again).expect("room").offset;
    assert_eq!((places, again), ([BUFFER, DATA], AGAIN));
    let channel = gpu.channel_open().expect("a channel");
    gpu.channel_bind(channel, space).expect("a space");
    let words = (pushed.len() / 4) as u32;
    let segment = Segment { address: BUFFER, words, sync: false, subroutine: false, conditional: false };
    gpu.channel_submit(channel, &[Entry::Segment(segment).encode()], 0, Fence::default()).expect("a submission");
    assert_eq!(gpu.faults().total(), 0, "{:?}", gpu.faults().first());
    let mut target = vec![0; (4 * EDGE * EDGE) as usize];
    gpu.read(GuestAddr::new(PROCESS, MEMORY + BUFFER_SIZE + TARGET), &mut target).expect("mapped memory");
    target
}

fn same_on_all_threads(machine: impl Fn() -> Machine) {
    let expected = replayed(machine(), 1);
    assert!(expected.chunks(0x400).all(|part| part.iter().any(|&byte| byte != 0)));
    for threads in [2, 4] {
        for _ in 0..8 {
            assert!(replayed(machine(), threads) == expected, "{threads} threads");
        }
    }
}

/// Rectangles over all of the target.
fn draw_rectangles(m: &mut Machine, count: u32) {
    let all = (0..count).flat_map(|i| {
        let part = |n: u32| ((i * 7 + n * 13) % 50) as f32 / 50.0;
        threed::rectangle([-1.0, -1.0, 1.0, 1.0], part(0), [part(1), part(2), part(3), 1.0])
    });
    threed::vertices(m, &all.collect::<Vec<_>>());
    m.hold();
    (0..count).for_each(|i| threed::draw(m, Topology::TriangleStrip, 4 * i, 4));
    m.release();
}

#[test]
fn a_handle_mapped_twice_is_drawn_to_in_order() {
    same_on_all_threads(|| {
        let mut m = threed::ready();
        // In rows of gobs depth lies elsewhere than colours in rows of pixels.
        let depth = [
            (r::set_zt_select::ID, 1),
            (r::set_zt_b::ID, AGAIN as u32),
            (r::set_zt_format::ID, 0x14),
            (r::set_zt_size_a::ID, EDGE),
            (r::set_zt_size_b::ID, EDGE),
            (r::set_zt_size_c::ID, 1 << 16),
            (r::set_depth_test::ID, 1),
            (r::set_depth_write::ID, 1),
            (r::set_depth_func::ID, 8),
        ];
        m.threed(&depth);
        draw_rectangles(&mut m, 40);
        m
    });
}

#[test]
fn a_program_that_loads_from_its_own_target_sees_it_in_order() {
    for target in [DATA + TARGET, AGAIN] {
        same_on_all_threads(|| {
            let mut m = threed::ready();
            // The last pixel of the first tile.
            let last = target + u64::from(4 * (31 * EDGE + 31));
            let text = format!(
                "mov32i r5, {last:#x}, 0xf
                ldg.b32 r6, [r5]
                i2f.f32.b8 r1, r6, 0x0
                ipa.pass r0, a[rz+0x80], rz, rz, pt
                fadd r0, r0, 0x3f000000
                mov r2, rz, 0xf
                mov32i r3, 0x3f800000, 0xf
                exit"
            );
            threed::program(&mut m, PIXEL, threed::pixel_header(3), &text);
            draw_rectangles(&mut m, 1);
            m
        });
    }
}

#[test]
fn more_memory_than_may_be_mapped_is_unsupported() {
    let (mut gpu, _) = machine();
    assert!(matches!(gpu.map(GuestRange::new(0, 0, 1 << 39), Access::READ), Err(Error::Unsupported(_))));
    assert!(gpu.map(GuestRange::new(0, 0, 1 << 20), Access::READ).is_ok());
}

#[test]
fn samples_are_counted_when_a_snapshot_is_taken() {
    let mut m = threed::ready();
    m.threed(&[(r::set_zpass_pixel_count::ID, 1)]);
    draw_rectangles(&mut m, 2);
    let snapshot = m.gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut other = Machine::new();
    other.gpu.restore(&snapshot).expect("what was just taken");
    other.end = m.end;
    let reports = [&mut m, &mut other].map(|m| threed::report(m, 0x15, 0));
    assert_eq!(reports, [2 * u64::from(EDGE * EDGE); 2]);
}
