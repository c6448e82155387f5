//! BAR0, PRAMIN, BAR1: channels driven by registers alone, interrupts that the guest handles, methods by the processor.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::id::ChannelId;
use triglyph_guest::rsx::objects::{DmaWords, Target, class};
use triglyph_guest::rsx::ramht::{Entry, Ramht};
use triglyph_rsx::{Event, Rsx, RsxMode, SoftwareMethod};

const USER: u32 = 0xC0_0000;

/// Enters an object as a driver does: words in instance memory, an entry in the hash table.
fn enter(gpu: &mut Rsx, handle: u32, channel: u32, engine: u32, address: u32, words: &[u32]) {
    for (at, &word) in (address..).step_by(4).zip(words) {
        gpu.pramin_write(at, word);
    }
    let index = Ramht::DEFAULT.hash(handle, channel);
    let entry = Entry { handle, channel, engine, instance: address >> 4 }.encode();
    gpu.pramin_write(0x1_0000 + 8 * index, entry[0]);
    gpu.pramin_write(0x1_0000 + 8 * index + 4, entry[1]);
}

/// A machine that a driver has set up by registers: channel 2 with a push buffer in main memory and two objects.
fn driven() -> Rsx {
    let mut gpu = machine(RsxMode::Exact);
    gpu.map(GuestRange::new(LOCAL, 0, 0x1_0000), Access::READ_WRITE).unwrap();
    gpu.map(GuestRange::new(MAIN, 0, 0x1_0000), Access::READ_WRITE).unwrap();
    let main = DmaWords::new(class::DMA_IN_MEMORY, Target::Agp, 0, 0xFFFF).encode();
    enter(&mut gpu, 0xA1, 2, 0, 0x4_0000, &main);
    let local = DmaWords::new(class::DMA_IN_MEMORY, Target::Local, 0x100, 0xFEFF).encode();
    enter(&mut gpu, 0xA2, 2, 0, 0x4_0010, &local);
    enter(&mut gpu, 0xB0, 2, 1, 0x5_0000, &[class::MEMORY_TO_MEMORY]);
    enter(&mut gpu, 0xB7, 2, 0, 0x5_0020, &[0]);
    // RAMFC: push buffer and byte order.
    gpu.pramin_write(0x2_0100 + 0x0C, 0x4000);
    gpu.pramin_write(0x2_0100 + 0x18, 1 << 31 | 0x0007_8078);
    gpu
}

/// Stores big-endian words at an offset of the push buffer and moves PUT behind them.
fn put(gpu: &mut Rsx, at: u32, push: &Push) {
    gpu.write(GuestAddr::new(MAIN, at.into()), &push.bytes(true)).unwrap();
    gpu.mmio_write(USER + 0x2000 + 0x40, at + 4 * push.0.len() as u32);
    gpu.run();
}

#[test]
fn channels_are_driven_by_registers_alone() {
    let mut gpu = driven();
    gpu.write(GuestAddr::new(MAIN, 0x8000), b"pattern!").unwrap();
    let push = Push::new().bind(3, 0xB0).methods(3, 0x184, &[0xA1, 0xA2]);
    let push = push.methods(3, 0x30C, &[0x8000, 0x40, 8, 8, 8, 1, 0x101, 0]).methods(3, 0x50, &[0x55]);
    put(&mut gpu, 0, &push);
    assert_eq!(read(&mut gpu, LOCAL, 0x140, 8), b"pattern!");
    let end = 4 * push.0.len() as u32;
    let user = [0x40, 0x44, 0x48, 0x54].map(|offset| gpu.mmio_read(USER + 0x2000 + offset));
    assert_eq!(user, [end, end, 0x55, end]);
    // It is the current channel, reads a push buffer, and the cache is empty.
    assert_eq!((gpu.mmio_read(0x3204), gpu.mmio_read(0x3214)), (2 | 1 << 16, 1 << 4));
    assert_eq!(gpu.mmio_read(0x3210), gpu.mmio_read(0x3270));
    assert_eq!((gpu.mmio_read(0x3280), gpu.mmio_read(0x2508)), (1 << 12, 0));
    // Another one comes: what the first had is in RAMFC.
    gpu.mmio_write(0x3204, 5);
    assert_eq!((gpu.mmio_read(0x3244), gpu.pramin_read(0x2_0100 + 4)), (0, end));
    assert_eq!(gpu.mmio_read(USER + 0x2000 + 0x44), end);
    assert_eq!(faults(&gpu), []);
}

#[test]
fn instance_memory_is_the_end_of_local_memory() {
    let mut gpu = driven();
    assert_eq!(word(&mut gpu, LOCAL, 0x0FFC_0000, false), gpu.pramin_read(0x4_0000));
    assert_eq!(gpu.bus_read(0x280_0204_0000), Some(gpu.pramin_read(0x4_0000)));
    assert_eq!(gpu.bus_read(0x280_8FFC_0000), Some(gpu.pramin_read(0x4_0000)));
    assert_eq!(gpu.bus_read(0x280_0000_0000), Some(gpu.mmio_read(0)));
    assert_eq!((gpu.bus_read(0x280_0300_0000), gpu.bus_read(0)), (None, None));
    assert!(gpu.bus_write(0x280_0204_0004, 0x1234) && gpu.bus_write(0x280_8000_0010, 0xABCD));
    assert!(gpu.bus_write(0x280_0000_2044, 7) && !gpu.bus_write(0x281_0000_0000, 1));
    assert_eq!((gpu.pramin_read(0x4_0004), word(&mut gpu, LOCAL, 0x10, false)), (0x1234, 0xABCD));
    assert_eq!((gpu.mmio_read(0x2044), gpu.pramin_read(0x8_0000), gpu.pramin_read(0xFF_FFFC)), (7, 0, 0));
    // The tables are where the registers say.
    gpu.mmio_write(0x2210, 0x0303_0180);
    put(&mut gpu, 0, &Push::new().bind(3, 0xB0));
    assert_eq!(faults(&gpu), [(FaultKind::BadMethod, 1)]);
}

#[test]
fn switches_stop_parts_of_pfifo() {
    for (register, off) in [(0x2500, 0), (0x3200, 0), (0x3220, 0), (0x3250, 0), (0x2504, !4)] {
        let mut gpu = driven();
        let before = gpu.mmio_read(register);
        gpu.mmio_write(register, off);
        put(&mut gpu, 0, &Push::new().bind(3, 0xB0).methods(3, 0x50, &[9]));
        assert_eq!(gpu.mmio_read(USER + 0x2048), 0, "{register:#x}");
        assert_eq!(gpu.mmio_read(0x2508), 4, "{register:#x}");
        gpu.mmio_write(register, before);
        gpu.run();
        assert_eq!((gpu.mmio_read(USER + 0x2048), gpu.mmio_read(0x2508)), (9, 0), "{register:#x}");
    }
}

#[test]
fn guests_handle_their_own_interrupts() {
    let mut gpu = driven();
    gpu.mmio_write(0x2140, 1);
    // A software method, and one after it that has to wait.
    let push = Push::new().bind(3, 0xB0).bind(6, 0xB7).methods(6, 0x500, &[0x77]).methods(3, 0x50, &[9]);
    put(&mut gpu, 0, &push);
    assert_eq!(gpu.take_events(), [Event::Interrupt { source: 1, count: 1, delay: Duration::ZERO }]);
    assert_eq!((gpu.mmio_read(0x2100), gpu.mmio_read(0x100), gpu.mmio_read(0x3250)), (1, 1 << 8, 0));
    let get = gpu.mmio_read(0x3270);
    let entry = [0, 4].map(|offset| gpu.mmio_read(0x9_0000 + 2 * get + offset));
    assert_eq!((entry, gpu.mmio_read(0x3210)), ([6 << 13 | 0x500, 0x77], get + 4));
    gpu.run();
    assert_eq!(gpu.mmio_read(USER + 0x2048), 0);
    // Done: the handler goes on after it.
    gpu.mmio_write(0x3270, get + 4);
    gpu.mmio_write(0x2100, 1);
    gpu.mmio_write(0x3250, 1);
    gpu.run();
    assert_eq!((gpu.mmio_read(USER + 0x2048), gpu.mmio_read(0x2100), gpu.mmio_read(0x100)), (9, 0, 0));
    // A handle that is not there yet: the handler enters it and has the method tried again.
    put(&mut gpu, 0x100, &Push::new().methods(3, 0x184, &[0xA3]).methods(3, 0x50, &[10]));
    assert_eq!((gpu.mmio_read(0x3250), gpu.mmio_read(USER + 0x2048)), (1 << 4, 9));
    let words = DmaWords::new(class::DMA_IN_MEMORY, Target::Agp, 0x8000, 0xFF).encode();
    enter(&mut gpu, 0xA3, 2, 0, 0x4_0020, &words);
    gpu.mmio_write(0x2100, 1);
    gpu.mmio_write(0x3250, 1);
    gpu.run();
    assert_eq!((gpu.mmio_read(0x3250), gpu.mmio_read(USER + 0x2048)), (1, 10));
    let registers = gpu.fifo().graph(2).unwrap().registers(3).unwrap();
    assert_eq!(gpu.core().resolve(registers.get(0x184)).map(|memory| memory.base), Some(0x8000));
}

#[test]
fn handlers_of_the_host_execute_software_methods() {
    let mut gpu = driven();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    gpu.set_software_handler(Some(Box::new(move |call| sink.lock().unwrap().push(call))));
    put(&mut gpu, 0, &Push::new().bind(6, 0xB7).methods(6, 0x17C, &[1, 2]).same(6, 0x500, &[3, 4]));
    let call = |method, data| SoftwareMethod { channel: ChannelId::new(2), subchannel: 6, method, data };
    assert_eq!(*heard.lock().unwrap(), [call(0x17C, 1), call(0x180, 2), call(0x500, 3), call(0x500, 4)]);
    gpu.set_software_handler(None);
    put(&mut gpu, 0x100, &Push::new().methods(6, 0x200, &[5]));
    assert_eq!(gpu.take_events(), [Event::Software(call(0x200, 5))]);
    assert_eq!(faults(&gpu), []);
}

#[test]
fn methods_written_by_the_processor_are_executed_as_they_come() {
    let mut gpu = driven();
    gpu.mmio_write(0x2504, !4);
    let window = 0x80_0000 + 2 * 0x1_0000;
    let full = gpu.mmio_read(window + 0x10);
    assert_eq!(full, 4 * 511);
    gpu.write(GuestAddr::new(MAIN, 0x8000), b"by hand!").unwrap();
    for (method, data) in [(0, 0xB0), (0x184, 0xA1), (0x188, 0xA2)] {
        gpu.mmio_write(window + 3 * 0x2000 + method, data);
    }
    for (i, data) in (0..).zip([0x8000, 0x40, 8, 8, 8, 1, 0x101, 0]) {
        gpu.mmio_write(window + 3 * 0x2000 + 0x30C + 4 * i, data);
    }
    assert_eq!(read(&mut gpu, LOCAL, 0x140, 8), b"by hand!");
    assert_eq!((gpu.mmio_read(window + 0x10), gpu.mmio_read(0x3204)), (full, 2));
    // While the puller is off they wait; what finds no room is lost with an interrupt.
    gpu.mmio_write(0x3250, 0);
    for i in 0..600 {
        gpu.mmio_write(window + 0x50, i);
    }
    assert_eq!((gpu.mmio_read(window + 0x10), gpu.mmio_read(0x3214)), (0, 1 << 8));
    assert_eq!(gpu.mmio_read(0x2100) & 1 << 4, 1 << 4);
    gpu.mmio_write(0x3250, 1);
    gpu.run();
    assert_eq!((gpu.mmio_read(0x3248), gpu.mmio_read(window + 0x10)), (510, full));
    assert_eq!(faults(&gpu), []);
}

#[test]
fn registers_keep_what_they_hold() {
    let mut gpu = driven();
    // Plain ones, the timer, acknowledgements, read-only ones.
    gpu.mmio_write(0x200, 0x1234);
    gpu.mmio_write(0x9410, 0x12);
    gpu.mmio_write(0x9400, 0x8000_0010);
    gpu.mmio_write(0x0, 1);
    let words = [0x200, 0x9410, 0x9400, 0x0, 0x2210, 0x2220].map(|address| gpu.mmio_read(address));
    assert_eq!(words, [0x1234, 0x12, 0x8000_0000, 0x0470_00A1, 0x0303_0100, 0x0003_0002]);
    assert_eq!(faults(&gpu), []);
    // Unknown ones read 0.
    gpu.mmio_write(0x70_0000, 1);
    assert_eq!((gpu.mmio_read(0x70_0000), faults(&gpu)), (0, vec![(FaultKind::BadMethod, 2)]));
    // A channel that there is not.
    gpu.mmio_write(0x3204, 9);
    assert_eq!((gpu.mmio_read(0x3204) & 0x1FF, gpu.faults().total()), (0, 3));
    // In fast mode there are none at all.
    let mut gpu = machine(RsxMode::Fast);
    gpu.mmio_write(0x200, 5);
    assert_eq!((gpu.mmio_read(0x200), gpu.pramin_read(0), gpu.faults().total()), (0, 0, 2));
}
