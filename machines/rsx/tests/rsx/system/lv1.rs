//! The hypervisor's calls: pages byte for byte, objects, flags, IO space, errors.

use crate::class_3d::support::{Console, PROGRAM, QUADS};
use crate::support::*;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::{Device, Error};
use triglyph_guest::id::{ChannelId, ContextHandle, MemoryHandle};
use triglyph_guest::rsx::lv1::Status;
use triglyph_guest::rsx::methods::curie as m;
use triglyph_rsx::lv1::{PAGES, XDR};
use triglyph_rsx::{Event, Rsx, RsxMode, lv1_bit, lv2_bit};
use triglyph_testkit::random::noise;

/// The driver information as the documentation has it: words that are not 0.
fn documented_info(flags: u32) -> Vec<(u32, u32)> {
    let mut words = vec![
        (0x000, 0x0000_0211),
        (0x004, 0x0000_005C),
        (0x008, 16 << 20),
        (0x00C, 1),
        (0x010, 500_000_000),
        (0x014, 650_000_000),
        (0x018, 15),
        (0x01C, 8),
        (0x020, 8),
        (0x024, 0x30_0000),
        (0x02C, 0x1000),
        (0x034, 0x1400),
        (0x054, flags),
        (0x058, 0xFEED_0000),
        (0x05C, 0xFEED_0001),
        (0x064, 0x6660_6660),
        (0x068, 0x6661_6661),
        (0x06C, 0x6662_6660),
        (0x070, 0x5661_6660),
        (0x074, 0x5661_6661),
        (0x45C, 0x3133_7000),
        (0x460, 0x3133_7303),
        (0x464, 0x3137_C0DE),
        (0x468, 0x3133_7A73),
        (0x46C, 0x3133_71C3),
        (0x470, 0x3137_AF00),
        (0x474, 0x3133_7808),
        (0x478, 0xCAFE_BABE),
        // Heads 0 and 1: queued, and the word that the dump has as 1.
        (0x10B8 + 0x08, 0x4000_0000),
        (0x10B8 + 0x1C, 1),
        (0x10F8 + 0x08, 0x4000_0000),
        (0x10F8 + 0x1C, 1),
    ];
    words.extend((0..16).map(|i| (0x858 + 4 * i, 0x6660_4200 + i)));
    if flags & 0x20 != 0 {
        words.push((0x078, 0xBAD6_8000));
    }
    if flags & 0x800 == 0 {
        words.push((0x12C0, 0xFFFF_FFFF));
    }
    words.into_iter().filter(|&(_, word)| word != 0).collect()
}

#[test]
fn the_driver_information_is_as_documented() {
    for (mode, flags) in MODES.into_iter().flat_map(|mode| [0, 0x20, 0x800, 0xFFFF_FFFF].map(|flags| (mode, flags))) {
        let mut gpu = lv1_machine(mode);
        let context = context(&mut gpu, u64::from(flags) | 5 << 32);
        let place = gpu.lpar(context.info).unwrap();
        let page = read(&mut gpu, place.space, place.address, 0x4000);
        let mut wanted = vec![0; 0x4000];
        for (offset, word) in documented_info(flags) {
            wanted[offset as usize..offset as usize + 4].copy_from_slice(&word.to_be_bytes());
        }
        let wrong = (0..0x4000).step_by(4).find(|&at| page[at..at + 4] != wanted[at..at + 4]);
        assert_eq!(wrong.map(|at| (at, page[at..at + 4].to_vec(), wanted[at..at + 4].to_vec())), None);
    }
}

#[test]
fn pages_are_where_a_console_has_them() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    let memory = gpu.memory_allocate(2 << 20, [0; 4]).unwrap();
    let contexts = [0, 1, 2].map(|_| gpu.context_allocate(memory.handle, 0).unwrap());
    for (slot, context) in (0..).zip(contexts) {
        assert_eq!(context.control, 0x4400_0022_0000 + slot * 0x1000);
        assert_eq!(context.info, 0x4000_000F_0000 + slot * 0x4000);
        assert_eq!(context.reports, 0x4800_0041_0000 + slot * 0x1_0000);
        assert_eq!(context.reports_size, 0x1_0000);
        assert_eq!(gpu.lpar(context.reports).unwrap().address, 0x0FE0_0000 + slot * 0x1_0000);
        assert_eq!(lpar_word(&mut gpu, context.info + 0xC), slot as u32 + 1);
        // Nothing is in the control page.
        for offset in (0..0x1000).step_by(4) {
            assert_eq!(lpar_word(&mut gpu, context.control + offset), 0);
        }
    }
    assert_eq!(gpu.context_allocate(memory.handle, 0), Err(Status::ResourceShortage));
    gpu.context_free(contexts[1].handle).unwrap();
    assert_eq!(gpu.context_free(contexts[1].handle), Err(Status::NoEntry));
    assert_eq!(gpu.context_allocate(memory.handle, 0).map(|context| context.control), Ok(contexts[1].control));
    assert_eq!(gpu.context_allocate(MemoryHandle::new(0x1234), 0), Err(Status::IllegalParameterValue));
    assert_eq!(gpu.memory_free(memory.handle), Err(Status::Busy));
}

#[test]
fn reports_begin_with_their_patterns() {
    for (mut gpu, context) in contexts(0) {
        let words: Vec<u32> = (0..0x1_0000).step_by(4).map(|at| lpar_word(&mut gpu, context.reports + at)).collect();
        let semaphores = [0x1337_C0D3, 0x1337_BABE, 0x1337_BEEF, 0x1337_F001];
        assert!(words[..0x400].chunks(4).all(|record| record == semaphores));
        assert!(words[0x400..0x500].chunks(4).all(|record| record == [u32::MAX, u32::MAX, 0, 0]));
        assert!(words[0x500..0x2500].chunks(4).all(|record| record == [u32::MAX, u32::MAX, 0, u32::MAX]));
        assert!(words[0x2500..].iter().all(|&word| word == 0));
        // The device page says that the driver is ready.
        let (device, size) = gpu.device_map(8).unwrap();
        assert_eq!((lpar_word(&mut gpu, device + 0x30), size), (1, 0x1000));
    }
}

/// What an object covers: space, first byte, last byte's offset, whether it can be read and written.
type Range = (u32, u64, u64, bool, bool);

fn object(gpu: &Rsx, channel: u32, handle: u32) -> Option<Range> {
    let memory = gpu.core().resolve(gpu.core().lookup(channel, handle)?.name)?;
    Some((memory.space, memory.base, memory.limit, memory.read, memory.write))
}

#[test]
fn contexts_have_the_documented_objects() {
    for mode in MODES {
        let mut gpu = lv1_machine(mode);
        // The memory of another allocation comes first.
        gpu.memory_allocate(2 << 20, [0; 4]).unwrap();
        context(&mut gpu, 0);
        let local = |base, size: u64, write| Some((LOCAL, base, size - 1, true, write));
        let main = |base, size: u64| Some((MAIN, base, size - 1, true, true));
        assert_eq!(object(&gpu, 1, 0xFEED_0000), local(2 << 20, 16 << 20, true));
        assert_eq!(object(&gpu, 1, 0xFEED_0001), main(0, 256 << 20));
        assert_eq!(object(&gpu, 1, 0x6660_6660), local(0x0FE0_0000, 0x1000, true));
        assert_eq!(object(&gpu, 1, 0x6661_6661), local(0x0FE0_0000, 0x1000, false));
        assert_eq!(object(&gpu, 1, 0x6662_6660), local(0x0FE0_1400, 0x8000, true));
        assert_eq!(object(&gpu, 1, 0x5661_6660), local(0x0FF1_0000, 0x1000, true));
        assert_eq!(object(&gpu, 1, 0x5661_6661), local(0x0FF1_0000, 0x1000, false));
        for i in 0..16 {
            assert_eq!(object(&gpu, 1, 0x6660_4200 + i as u32), local(0x0FE0_1000 + 0x40 * i, 0x40, true));
        }
        let class = |handle| gpu.core().lookup(1, handle).map(|named| (named.class, named.engine));
        for (handle, number) in [
            (0x3133_7000, 0x4097),
            (0x3133_7303, 0x0039),
            (0x3137_C0DE, 0x0039),
            (0x3133_7A73, 0x309E),
            (0x3133_71C3, 0x3062),
            (0x3137_AF00, 0x3089),
            (0x3133_7808, 0x308A),
            (0, 0x30),
        ] {
            assert_eq!(class(handle), Some((number, 1)), "{handle:#x}");
        }
        assert_eq!(class(0xCAFE_BABE), Some((0xCAFE_BABE, 0)));
        // Those of flags are not there.
        for handle in [0xBAD6_8000, 0xFEED_0003, 0xFEED_0004, 0x1337_8080, 0x1337_8086] {
            assert_eq!(class(handle), None, "{handle:#x}");
        }
    }
}

#[test]
fn flags_make_objects_and_change_sizes() {
    for mode in MODES {
        let with = |flags: u64| {
            let mut gpu = lv1_machine(mode);
            context(&mut gpu, flags);
            gpu
        };
        let gpu = with(0x04);
        assert_eq!(object(&gpu, 1, 0xFEED_0003), Some((LOCAL, 0x0400_0000, 0xFFF, true, false)));
        assert_eq!(object(&gpu, 1, 0xFEED_0004), Some((LOCAL, 0x0400_0000, 0xFFF, true, true)));
        let gpu = with(0x08);
        assert_eq!(object(&gpu, 1, 0x1337_8080), Some((MAIN, 0x8F03_F000, 0xFFF, true, false)));
        assert_eq!(object(&gpu, 1, 0x1337_8086), Some((MAIN, 0x8F03_F000, 0xFFF, true, true)));
        // The push buffer is in local memory.
        let gpu = with(0x10);
        let local = gpu.core().lookup(1, 0xFEED_0000).unwrap().name;
        assert_eq!(format!("{:?}", gpu.fifo().live().buffer), format!("Object({local})"));
        let gpu = with(0x20);
        assert_eq!(object(&gpu, 1, 0xBAD6_8000), Some((MAIN, 0x0E00_0000, 0x00FF_FFFF, true, true)));
        assert_eq!(object(&gpu, 1, 0x6660_4207), Some((LOCAL, 0x0FE0_11C0, 0x3F, true, true)));
        for (i, place) in [(8, 7), (9, 6), (15, 0)] {
            assert_eq!(object(&gpu, 1, 0x6660_4200 + i), Some((MAIN, 0x0F10_0000 + place * 0x40, 0x3F, true, true)));
        }
        let gpu = with(0x400);
        assert_eq!(object(&gpu, 1, 0xFEED_0001), Some((MAIN, 0, 0x1FFF_FFFF, true, true)));
    }
    // The second context's system semaphores lie elsewhere, and so do its reports and its IO space.
    let mut gpu = lv1_machine(RsxMode::Exact);
    let memory = gpu.memory_allocate(2 << 20, [0; 4]).unwrap();
    for _ in 0..2 {
        gpu.context_allocate(memory.handle, 0x08).unwrap();
    }
    assert_eq!(object(&gpu, 2, 0x1337_8080), Some((MAIN, 0x9F03_F000, 0xFFF, true, false)));
    assert_eq!(object(&gpu, 2, 0x6660_6660), Some((LOCAL, 0x0FE1_0000, 0xFFF, true, true)));
    assert_eq!(object(&gpu, 2, 0x6660_4201), Some((LOCAL, 0x0FE1_1040, 0x3F, true, true)));
    assert_eq!(object(&gpu, 2, 0x5661_6660), Some((LOCAL, 0x0FF1_0000, 0xFFF, true, true)));
    assert_eq!(object(&gpu, 2, 0xFEED_0001), Some((MAIN, 0x2000_0000, 0x0FFF_FFFF, true, true)));
}

#[test]
fn allocations_of_nothing_cover_everything() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    let memory = gpu.memory_allocate(0, [0; 4]).unwrap();
    gpu.context_allocate(memory.handle, 0).unwrap();
    assert_eq!(object(&gpu, 1, 0xFEED_0000), Some((LOCAL, 0, 0xFFFF_FFFF, true, true)));
}

#[test]
fn io_maps_show_main_memory() {
    for (mode, flags, unit) in MODES.into_iter().flat_map(|mode| [(mode, 0, 1 << 20), (mode, 2, 64 << 10)]) {
        let mut gpu = lv1_machine(mode);
        let memory = gpu.memory_allocate(1 << 20, [0; 4]).unwrap();
        let context = gpu.context_allocate(memory.handle, flags).unwrap().handle;
        let all = 0xF000_0000_0000_0800;
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 2 * unit + 5), &[42]).unwrap();
        gpu.context_iomap(context, 4 * unit, XDR_AT, 4 * unit, all).unwrap();
        assert_eq!(read(&mut gpu, MAIN, 6 * unit + 5, 1), [42]);
        assert_eq!(gpu.io_to_lpar(context, (6 * unit + 5) as u32), Some(XDR_AT + 2 * unit + 5));
        // A page in the middle goes, another one comes.
        gpu.context_iomap(context, 6 * unit, 0, unit, 0).unwrap();
        assert_eq!(gpu.io_to_lpar(context, (6 * unit) as u32), None);
        assert!(gpu.memory().readable(GuestAddr::new(MAIN, 6 * unit)).is_empty());
        gpu.context_iomap(context, 5 * unit, XDR_AT + 8 * unit, unit, 1 << 62).unwrap();
        assert_eq!(gpu.io_to_lpar(context, (5 * unit + 1) as u32), Some(XDR_AT + 8 * unit + 1));
        assert!(gpu.memory().writable(GuestAddr::new(MAIN, 5 * unit)).is_empty());
        assert_eq!(gpu.io_to_lpar(context, (7 * unit) as u32), Some(XDR_AT + 3 * unit));
        // Without a size the whole range that begins there.
        gpu.context_iomap(context, 4 * unit, XDR_AT, 0, 0).unwrap();
        assert_eq!(gpu.io_to_lpar(context, (4 * unit) as u32), None);
        for (io, lpar, size, status) in [
            (1, XDR_AT, unit, Status::AlignmentError),
            (0, XDR_AT + 1, unit, Status::AlignmentError),
            (0, XDR_AT, unit + 1, Status::AlignmentError),
            (255 << 20, XDR_AT, 2 << 20, Status::IllegalParameterValue),
            (1 << 40, XDR_AT, unit, Status::IllegalParameterValue),
            (0, 0x7000_0000, unit, Status::IllegalParameterValue),
        ] {
            assert_eq!(gpu.context_iomap(context, io, lpar, size, all), Err(status), "{io:#x} {lpar:#x} {size:#x}");
        }
        assert_eq!(gpu.context_iomap(ContextHandle::new(5), 0, XDR_AT, unit, all), Err(Status::NoEntry));
        gpu.context_iomap(context, 0, XDR_AT, unit, all).unwrap();
        gpu.context_free(context).unwrap();
        assert!(
            gpu.memory().readable(GuestAddr::new(MAIN, 0)).is_empty()
                && gpu.memory().readable(GuestAddr::new(PAGES, 0x4000_000F_0000)).is_empty()
        );
    }
}

#[test]
fn devices_are_mapped_once_each() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    for (device, size) in [(1, 0x1000), (2, 0x8000), (7, 0x1_0000), (8, 0x1000), (12, 0x1000)] {
        let (address, mapped) = gpu.device_map(device).unwrap();
        assert_eq!(mapped, size);
        assert_eq!(lpar_word(&mut gpu, address), 0);
        gpu.device_unmap(device).unwrap();
        assert_eq!(gpu.device_unmap(device), Err(Status::NoEntry));
    }
    for device in [0, 4, 13, 64, u64::MAX] {
        assert_eq!(gpu.device_map(device), Err(Status::IllegalParameterValue));
        assert_eq!(gpu.device_unmap(device), Err(Status::NoEntry));
    }
}

#[test]
fn calls_by_number_are_the_same() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    let mut call = |number, arguments: &[u64]| {
        let mut all = [0; 8];
        all[..arguments.len()].copy_from_slice(arguments);
        gpu.hypercall(number, all)
    };
    let memory = call(214, &[16 << 20, 0, 0, 15, 8]);
    assert_eq!((memory.status, memory.outputs[0]), (0, 0x5A5A_5A5B));
    let context = call(217, &[memory.outputs[0], 0x20]);
    assert_eq!(context.status, 0);
    assert_eq!(context.outputs[1..], [0x4400_0022_0000, 0x4000_000F_0000, 0x4800_0041_0000, 0x1_0000]);
    let handle = context.outputs[0];
    assert_eq!(call(221, &[handle, 0, XDR_AT, 1 << 20, 0xF000_0000_0000_0000]).status, 0);
    assert_eq!(call(225, &[handle, 0x001, 0x1000, 0x1000]).status, 0);
    assert_eq!(call(225, &[handle, 0x777]).status, -6);
    assert_eq!(call(225, &[handle, 0x103, 0, 99]).status, -17);
    assert_eq!(call(227, &[handle]).status, 0);
    assert_eq!(call(228, &[1, 2, 3]).status, 0);
    assert_eq!(call(212, &[0]).status, -17);
    let device = call(212, &[8]);
    assert_eq!((device.status, device.outputs[1]), (0, 0x1000));
    assert_eq!(call(213, &[8]).status, 0);
    assert_eq!(call(216, &[memory.outputs[0]]).status, -9);
    assert_eq!(call(218, &[handle]).status, 0);
    assert_eq!(call(216, &[memory.outputs[0]]).status, 0);
    assert_eq!(call(215, &[]).status, -6);
}

#[test]
fn the_push_buffer_runs_up_to_put() {
    for (mut gpu, context) in contexts(0x20) {
        gpu.context_attribute(context.handle, 0x001, [0x1000, 0x1000, 0, 0]).unwrap();
        assert_eq!(lpar_word(&mut gpu, context.control + 0x44), 0x1000);
        // A label, a reference, and a packet that is cut.
        let push = Push::new()
            .methods(0, 0x60, &[0x6660_6660, 0x40])
            .methods(0, 0x6C, &[0xDEAD_BEEF])
            .methods(0, 0x50, &[0x1234])
            .word(2 << 18 | 0x60)
            .word(0x6660_6660);
        kick(&mut gpu, &context, 0x1000, &push);
        let end = 0x1000 + 4 * push.0.len() as u32;
        assert_eq!(lpar_word(&mut gpu, context.reports + 0x40), 0xDEAD_BEEF);
        let control = |gpu: &mut Rsx, offset| lpar_word(gpu, context.control + offset);
        assert_eq!([0x40, 0x44, 0x48, 0x54].map(|offset| control(&mut gpu, offset)), [end, end, 0x1234, end]);
        // Paused, nothing moves.
        gpu.context_attribute(context.handle, 0x002, [0; 4]).unwrap();
        kick(&mut gpu, &context, end, &Push::new().word(0x50));
        assert_eq!(control(&mut gpu, 0x44), end);
        gpu.context_attribute(context.handle, 0x003, [0; 4]).unwrap();
        gpu.run();
        assert_eq!(control(&mut gpu, 0x44), end + 4);
        // Inside of a call CGET is where it returns to.
        let call = Push::new().word(0x2000 | 2);
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 0x2000), &Push::new().word(0x2000_2000).bytes(true)).unwrap();
        kick(&mut gpu, &context, end + 4, &call);
        assert_eq!((control(&mut gpu, 0x44), control(&mut gpu, 0x54)), (0x2000, end + 8));
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn errors_are_events_and_stop_the_channel() {
    for (mut gpu, context) in contexts(0) {
        gpu.context_attribute(context.handle, 0x001, [0; 4]).unwrap();
        kick(&mut gpu, &context, 0, &Push::new().word(0xE000_0000).methods(0, 0x50, &[5]));
        let events = gpu.take_events();
        assert_eq!(events, [Event::GraphicsError { channel: ChannelId::new(1), error: 1 }]);
        assert_eq!(lv2_bit(events[0]), 1);
        // Programs get 1 for all errors of the pusher (elad335/myps3tests: the handler's number in its dumps).
        assert_eq!([0x12C8, 0x12F4].map(|at| lpar_word(&mut gpu, context.info + at)), [1, 1]);
        gpu.run();
        assert_eq!((lpar_word(&mut gpu, context.control + 0x44), lpar_word(&mut gpu, context.control + 0x48)), (0, 0));
        // GET = PUT clears it, as drivers do.
        gpu.clear_error(ChannelId::new(1));
        kick(&mut gpu, &context, 12, &Push::new().methods(0, 0x50, &[6]));
        assert_eq!(lpar_word(&mut gpu, context.control + 0x48), 6);
    }
}

#[test]
fn io_addresses_that_are_not_mapped_are_events() {
    for (mut gpu, context) in contexts(0) {
        gpu.context_attribute(context.handle, 0x001, [0; 4]).unwrap();
        let copy = [0x0C00_0000, 0x100, 64, 64, 64, 1, 0x101, 0];
        let push = Push::new().bind(1, 0x3133_7303).methods(1, 0x184, &[0xFEED_0001, 0xFEED_0000]);
        kick(&mut gpu, &context, 0, &push.methods(1, 0x30C, &copy));
        let events = gpu.take_events();
        assert_eq!(events, [Event::UnmappedIo { address: 0x0C00_0000 }]);
        assert_eq!((lv2_bit(events[0]), lv1_bit(events[0])), (1 << 32, 0));
        assert_eq!([0x12C8, 0x12F4].map(|at| lpar_word(&mut gpu, context.info + at)), [0x200, 0x200]);
    }
}

/// Dumps of a console (elad335/myps3tests: iomap overwrite, driver flip, unknown cull face).
#[test]
fn a_push_buffer_that_runs_into_unmapped_memory_stops_at_an_illegal_word() {
    for (mut gpu, context) in contexts(0) {
        gpu.context_attribute(context.handle, 0x001, [0; 4]).unwrap();
        kick(&mut gpu, &context, 0, &Push::new().word(0x0C00_0020 | 0x2000_0000));
        let events = gpu.take_events();
        let wanted = [
            Event::GraphicsError { channel: ChannelId::new(1), error: 0x200 },
            Event::UnmappedIo { address: 0x0C00_0020 },
        ];
        assert_eq!(events, wanted);
        assert_eq!([0x12C8, 0x12F4].map(|at| lpar_word(&mut gpu, context.info + at)), [0x200, 0x200]);
        assert_eq!(gpu.fifo().live().error.map(|error| error as u32), Some(4));
        assert_eq!(lpar_word(&mut gpu, context.control + 0x44), 0x0C00_0020);
    }
}

/// A dump of a console (elad335/myps3tests, Fragment program address 0 (2)).
#[test]
fn a_push_buffer_beyond_its_object_is_an_error_of_its_own() {
    for (mut gpu, context) in contexts(0) {
        gpu.context_attribute(context.handle, 0x001, [0; 4]).unwrap();
        kick(&mut gpu, &context, 0, &Push::new().word(0xFFFF_FFFD));
        assert_eq!(gpu.take_events(), [Event::GraphicsError { channel: ChannelId::new(1), error: 1 }]);
        assert_eq!(gpu.fifo().live().error.map(|error| error as u32), Some(6));
        assert_eq!(lpar_word(&mut gpu, context.control + 0x44), 0xFFFF_FFFC);
    }
}

/// A console's log (elad335/myps3tests, FIFO PUT masking): the word in front of the masked PUT is the last one.
#[test]
fn low_bits_of_put_are_masked() {
    for (mut gpu, context) in contexts(0) {
        gpu.context_attribute(context.handle, 0x001, [0x1000, 0x1000, 0, 0]).unwrap();
        let push = Push::new().methods(0, 0x50, &[7]).word(0xFFFF_FFFF);
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 0x1000), &push.bytes(true)).unwrap();
        set_lpar_word(&mut gpu, context.control + 0x40, 0x1009);
        gpu.run();
        let control = [0x40, 0x44, 0x48].map(|offset| lpar_word(&mut gpu, context.control + offset));
        assert_eq!((control, faults(&gpu)), ([0x1008, 0x1008, 7], vec![]));
    }
}

#[test]
fn unmapping_what_is_not_mapped_succeeds() {
    for (mut gpu, context) in contexts(0) {
        assert_eq!(gpu.context_iomap(context.handle, 0x0C00_0000, 0, 1 << 20, 0), Ok(()));
    }
}

#[test]
fn frame_buffer_copies_are_commands_of_the_hypervisor() {
    for (mut gpu, context) in contexts(0) {
        let blit = |gpu: &mut Rsx, local, io, size: u64, pitch: u64| {
            gpu.context_attribute(context.handle, 0x601, [local, io, size, pitch])
        };
        assert_eq!(blit(&mut gpu, 0, 0, 1, 1), Err(Status::WrongState));
        gpu.context_attribute(context.handle, 0x600, [XDR_AT, 0x1_0000, 0x10_0000, 0]).unwrap();
        let pixels = noise(640 * 4 * 8, 3);
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 0x11_0000), &pixels).unwrap();
        blit(&mut gpu, 0x8000, 0x11_0000, 1 << 32 | 600 << 16 | 8, 2560 << 32 | 3200).unwrap();
        for row in 0..8 {
            let found = read(&mut gpu, LOCAL, 0x8000 + row * 3200, 2400);
            assert!(found == pixels[row as usize * 2560..][..2400], "row {row}");
        }
        // One pitch only: the source's is the target's.
        blit(&mut gpu, 0x10_0000, 0x11_0000, 640 << 16 | 2, 2560).unwrap();
        assert!(read(&mut gpu, LOCAL, 0x10_0000, 5120) == pixels[..5120]);
        gpu.context_attribute(context.handle, 0x602, [0; 4]).unwrap();
        gpu.context_attribute(context.handle, 0x603, [0; 4]).unwrap();
        assert_eq!(blit(&mut gpu, 0, 0, 1, 1), Err(Status::WrongState));
        // The commands are in the memory that was given for them.
        assert_eq!(word(&mut gpu, MAIN, 0x10_0004, true), 0x3133_71C3);
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn the_hosts_memory_is_used_where_it_is() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    // The host has mapped all of local memory, and pages.
    gpu.with_memory(|memory| {
        memory.map(GuestRange::new(LOCAL, 0, 256 << 20), Access::READ_WRITE).unwrap();
        memory.map(GuestRange::new(PAGES, 0x4000_000F_0000, 0x2_0000), Access::READ_WRITE).unwrap();
    });
    let before = gpu.memory().ranges().count();
    context(&mut gpu, 0);
    // One more for the control page, one for the IO space.
    assert_eq!(gpu.memory().ranges().count(), before + 2);
    assert!(object(&gpu, 1, 0xFEED_0000).is_some());
    // Mapped again, instance memory keeps what it holds.
    gpu.with_memory(|memory| memory.map(GuestRange::new(LOCAL, 0, 256 << 20), Access::READ_WRITE).unwrap());
    assert!(object(&gpu, 1, 0xFEED_0000).is_some());
}

/// Bytes that are mapped twice, by IO offsets of 1 MiB and of 8 MiB.
const TWICE: u64 = 1 << 20;

/// Draws colour and depth, 64x64 pixels of them, into main memory that is mapped at two places: the depth of row y lies
/// where the colour of row y - 16 does.
fn drawn_through_two_io_maps(threads: usize) -> Vec<u8> {
    // The words are those of a machine with other memory.
    let mut console = Console::new();
    for id in [m::set_context_dma_color_a::ID, m::set_context_dma_zeta::ID] {
        console.set(id, crate::class_3d::support::MAIN);
    }
    console.method(m::set_surface_clip_horizontal::ID, &[64 << 16; 2]);
    console.set(m::set_surface_pitch_a::ID, 256);
    console.set(m::set_surface_pitch_z::ID, 256);
    console.set(m::set_surface_color_aoffset::ID, TWICE as u32 + 0x1000);
    console.set(m::set_surface_zeta_offset::ID, 8 << 20);
    console.floats(m::set_viewport_offset::ID, &[32.0, 32.0, 0.5, 0.0]);
    console.floats(m::set_viewport_scale::ID, &[32.0, 32.0, 0.5, 0.0]);
    console.set(m::set_depth_test_enable::ID, 1);
    console.set(m::set_depth_func::ID, 0x207);
    for i in 0..40 {
        let depth = |n: usize| ((i * 7 + n * 13) % 50) as f32 / 50.0;
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let positions: Vec<[f32; 4]> = (0..4).map(|n| [corners[n][0], corners[n][1], depth(n), 1.0]).collect();
        console.push_draw(QUADS, [depth(0), depth(1), depth(2), 1.0], &positions);
    }
    console.run();
    let program = console.read(0, PROGRAM, 0x100);

    let mut gpu = new(threads, RsxMode::Fast);
    gpu.with_memory(|memory| memory.map(GuestRange::new(XDR, XDR_AT, 16 << 20), Access::READ_WRITE)).unwrap();
    let context = context(&mut gpu, 0);
    gpu.context_attribute(context.handle, 0x001, [0x1000, 0x1000, 0, 0]).unwrap();
    gpu.context_iomap(context.handle, 8 << 20, XDR_AT + TWICE, 1 << 20, 0xF000_0000_0000_0800).unwrap();
    gpu.memory().write(GuestAddr::new(LOCAL, PROGRAM.into()), &program).unwrap();
    kick(&mut gpu, &context, 0x1000, &Push(console.executed));
    assert_eq!(faults(&gpu), []);
    read(&mut gpu, XDR, XDR_AT + TWICE, 0x5000)
}

#[test]
fn memory_mapped_twice_is_drawn_to_in_order() {
    let expected = drawn_through_two_io_maps(1);
    assert!(expected.chunks(0x1000).all(|rows| rows.iter().any(|&byte| byte != 0)));
    for threads in [2, 4] {
        for _ in 0..8 {
            assert!(drawn_through_two_io_maps(threads) == expected, "{threads} threads");
        }
    }
}

#[test]
fn more_memory_than_may_be_mapped_is_unsupported() {
    let mut gpu = machine(RsxMode::Fast);
    assert!(matches!(gpu.map(GuestRange::new(MAIN, 0, 1 << 44), Access::READ), Err(Error::Unsupported(_))));
    assert!(gpu.map(GuestRange::new(MAIN, 0, 1 << 20), Access::READ).is_ok());
}
