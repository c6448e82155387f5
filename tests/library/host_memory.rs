//! Memory of the host's: reports of written pages, and when mappings may change.
#![allow(unsafe_code)]

use std::sync::mpsc;

use triglyph::rsx::{LOCAL, PAGES, XDR};
use triglyph::tegra::{Layout, MapBuffer, MapMemory, PROCESS};
use triglyph::{
    Access, Device, GuestAddr, GuestRange, HostFormat, HostRows, N3ds, Options, Presented, Rsx, TegraX1, Tier,
};

fn options() -> Options {
    Options::new(Tier::InterpreterOnly, 1)
}

/// Words of the host's that a device has mapped, without references to them meanwhile.
struct HostMemory(Box<[u64]>);

impl HostMemory {
    fn new(bytes: usize) -> Self {
        HostMemory(vec![0; bytes / 8].into())
    }

    fn pointer(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

#[test]
fn the_control_page_stays_the_hosts() {
    let mut page = HostMemory::new(0x1000);
    let mut gpu = Rsx::new(&options()).expect("a PS3");
    let memory = gpu.memory_allocate(16 << 20, [8, 0x30_0000, 15, 8]).expect("memory");
    let control = {
        // Where the page will be.
        let first = gpu.context_allocate(memory.handle, 0).expect("a context");
        gpu.context_free(first.handle).expect("a context");
        first.control
    };
    let range = GuestRange::new(PAGES, control & !0xFFF, 0x1000);
    gpu.check_mapping(range).expect("no pending work uses it");
    let pointer = page.pointer();
    // SAFETY: the page lives longer than the device, and is only read through the pointer until then.
    gpu.with_memory(|memory| unsafe { memory.map_host(range, pointer, Access::READ_WRITE) }).expect("a page");
    for put in [0x100, 0x200_u32] {
        let context = gpu.context_allocate(memory.handle, 0).expect("a context");
        assert_eq!(context.control, control);
        let refused = gpu.check_mapping(range).expect_err("the context uses it").to_string();
        assert!(refused.contains("control page of context 0"), "{refused}");
        gpu.context_attribute(context.handle, 1, [put.into(), put.into(), 0, 0]).expect("a FIFO");
        // SAFETY: the page is as long as this, and nothing writes it now.
        let word = unsafe { pointer.add((control & 0xFFF) as usize + 0x40).cast::<u32>().read() };
        assert_eq!(u32::from_be(word), put);
        gpu.context_free(context.handle).expect("a context");
        gpu.check_mapping(range).expect("no pending work uses it");
    }
    drop(gpu);
    drop(page);
}

#[test]
fn what_guests_have_mapped_is_not_pulled_away() {
    let mut gpu = Rsx::new(&options()).expect("a PS3");
    let memory = gpu.memory_allocate(16 << 20, [8, 0x30_0000, 15, 8]).expect("memory");
    let context = gpu.context_allocate(memory.handle, 0).expect("a context");
    let access = 0xF000_0000_0000_0800;
    // An access to unmapped main memory is a fault that says so.
    assert!(gpu.context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, access).is_err());
    let fault = gpu.faults().first().last().expect("a fault").what.clone();
    assert!(fault.contains("lv1_gpu_context_iomap") && fault.contains("0x10000000"), "{fault}");
    let xdr = GuestRange::new(XDR, 0x1000_0000, 1 << 20);
    gpu.with_memory(|memory| memory.map(xdr, Access::READ_WRITE)).expect("memory");
    gpu.context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, access).expect("an IO space");
    assert!(gpu.check_mapping(xdr).is_err());
    gpu.context_iomap(context.handle, 0, 0, 1 << 20, access).expect("an IO space");
    gpu.check_mapping(xdr).expect("no display shows it");
    assert!(gpu.check_mapping(GuestRange::new(4, 0, 0x1000)).is_err());
    assert!(gpu.check_mapping(GuestRange::new(LOCAL, u64::MAX, 2)).is_err());

    let mut gpu = TegraX1::new(&options()).expect("a Tegra X1");
    let process = GuestRange::new(PROCESS, 0x10_0000, 0x1_0000);
    let map = gpu.nvmap_create(0x1_0000).expect("a handle");
    gpu.nvmap_alloc(map, MapMemory { address: 0x10_0000, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })
        .expect("memory");
    let space = gpu.space_open().expect("a space");
    gpu.space_initialize(space, Layout::default()).expect("a layout");
    let call = MapBuffer { handle: map, ..MapBuffer::default() };
    assert!(gpu.space_map_buffer(space, call).is_err());
    assert!(gpu.faults().first()[0].what.contains("the host has not mapped"));
    gpu.map(process, Access::READ_WRITE).expect("memory");
    let buffer = gpu.space_map_buffer(space, call).expect("room");
    assert!(gpu.map(process, Access::READ_WRITE).is_err());
    gpu.space_unmap_buffer(space, buffer.offset).expect("a mapping");
    gpu.map(process, Access::READ_WRITE).expect("memory");
}

/// A GX command that fills bytes of VRAM.
fn fill(start: u32, end: u32, value: u32) -> Vec<u8> {
    [2, start, value, end, 0, 0, 0, 0x201_u32].iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn written_pages_are_heard_of_once() {
    let mut gpu = N3ds::new(&options()).expect("a 3DS");
    gpu.map(GuestRange::new(0, 0x1800_0000, 0x10_0000), Access::READ_WRITE).expect("memory");
    gpu.submit(&fill(0x1F00_0000, 0x1F00_0010, 1)).expect("a command");
    let (sender, heard) = mpsc::channel();
    gpu.set_written_handler(Some(Box::new(move |range| sender.send(range).expect("a receiver"))));
    for _ in 0..2 {
        gpu.submit(&fill(0x1F00_2FF8, 0x1F00_3008, 1)).expect("a command");
    }
    let ranges: Vec<GuestRange> = heard.try_iter().collect();
    // What was written before the handler was set comes first.
    let two = GuestRange::new(0, 0x1800_2000, 0x2000);
    assert_eq!(ranges, [GuestRange::new(0, 0x1800_0000, 0x1000), two, two]);
    assert!(gpu.take_written().is_empty());
    gpu.set_written_handler(None);
    gpu.submit(&fill(0x1F00_0000, 0x1F00_0010, 1)).expect("a command");
    assert!(heard.try_iter().next().is_none());
    assert_eq!(gpu.take_written(), [GuestRange::new(0, 0x1800_0000, 0x10)]);
}

#[test]
fn announced_writes_are_all_that_is_looked_at() {
    let mut memory = HostMemory::new(0x1000);
    let pointer = memory.pointer();
    let mut gpu = N3ds::new(&options()).expect("a 3DS");
    let range = GuestRange::new(0, 0x1800_0000, 0x1000);
    // SAFETY: the memory lives longer than the device, and is only written through the pointer until then.
    gpu.with_memory(|memory| unsafe { memory.map_host(range, pointer, Access::READ_WRITE) }).expect("memory");
    let layout = triglyph::ScanLayout::Rows { pitch: 64 };
    let format = triglyph::scan_format::A8B8G8R8;
    let scan = triglyph::ScanOut { at: GuestAddr::new(0, 0x1800_0000), width: 16, height: 16, format, layout };
    let mut presented = Presented::default();
    let mut is_new = |gpu: &mut N3ds, value: u8| {
        // SAFETY: the byte is the host's, and the device does nothing now.
        unsafe { pointer.write(value) };
        let mut bytes = vec![0; 1024];
        let mut rows = HostRows::new(&mut bytes, 64, HostFormat::Rgba8);
        gpu.present(&scan, &mut rows, &mut presented).expect("a picture").changed
    };
    assert!(is_new(&mut gpu, 1) && is_new(&mut gpu, 2));
    gpu.set_host_writes_announced(true);
    assert!(is_new(&mut gpu, 3) && !is_new(&mut gpu, 4));
    gpu.host_wrote(range);
    assert!(is_new(&mut gpu, 4));
    gpu.set_host_writes_announced(false);
    assert!(is_new(&mut gpu, 5) && is_new(&mut gpu, 6));
    drop(gpu);
    drop(memory);
}
