//! Snapshots of the PS3: a machine that is restored goes on as the first would.

use crate::support::*;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_engine::{Device, Error};
use triglyph_rsx::lv1::XDR;
use triglyph_rsx::{Rsx, RsxMode};
use triglyph_testkit::random::noise;

/// Work in two halves: the first leaves a packet, a call, a semaphore and half an image open.
fn halves() -> [Push; 2] {
    let first = Push::new()
        .bind(1, M2MF)
        .methods(1, 0x180, &[NOTIFIER, DMA_MAIN, DMA_LOCAL])
        .methods(1, 0x30C, &[0x2_0000, 0x1000, 64, 128, 64, 16])
        .bind(3, SURFACES)
        .methods(3, 0x184, &[DMA_LOCAL, DMA_LOCAL])
        .methods(3, 0x300, &[0xA, 0x100 << 16, 0, 0x8000])
        .bind(6, FROM_CPU)
        .methods(6, 0x19C, &[SURFACES])
        .methods(6, 0x2FC, &[3, 4, 0x0001_0001, 0x0008_0008, 0x0008_0008])
        .methods(6, 0x400, &[0xAAAA_AAAA; 13])
        .methods(0, 0x60, &[SEMAPHORES, 0x10])
        .methods(0, 0x50, &[77])
        .word(2 << 18 | 1 << 13 | 0x324)
        .word(0x101);
    let second = Push::new().word(1).methods(6, 0x400, &[0x5555_5555; 51]).methods(0, 0x6C, &[0x1234]);
    [first, second]
}

/// All of memory but instance memory, and the state that shows.
fn shown(gpu: &mut Rsx) -> (Vec<u8>, Vec<u8>, u32, u64) {
    let live = gpu.fifo().live().clone();
    (read(gpu, LOCAL, 0, 0x2_0000), read(gpu, MAIN, 0, 0x4_0000), live.reference, gpu.core().budget.now())
}

#[test]
fn captures_go_on_in_another_machine() {
    for mode in MODES {
        let [first, second] = halves();
        let mut gpu = capture_machine(mode, true);
        gpu.write(GuestAddr::new(MAIN, 0x2_0000), &noise(0x1000, 9)).unwrap();
        submit_on(&mut gpu, 1, &first, true);
        let snapshot = Device::snapshot(&mut gpu, SnapshotOptions::default()).unwrap();
        let mut other = machine(mode);
        other.restore(&snapshot).unwrap();
        assert_eq!(Device::snapshot(&mut other, SnapshotOptions::default()).unwrap(), snapshot);
        for gpu in [&mut gpu, &mut other] {
            submit_on(gpu, 1, &second, true);
            assert_eq!(faults(gpu), []);
        }
        assert!(shown(&mut gpu) == shown(&mut other));
        assert_eq!(word(&mut other, MAIN, SEMAPHORE_AT + 0x10, true), 0x1234);
        assert_eq!(read(&mut other, LOCAL, 0x1000, 64), noise(0x1000, 9)[..64]);
        assert_eq!(word(&mut other, LOCAL, 0x8000 + 8 * 0x100 + 32, true), 0x5555_5555);
        // One of the other mode is refused.
        let other_mode = if mode == RsxMode::Exact { RsxMode::Fast } else { RsxMode::Exact };
        assert!(matches!(machine(other_mode).restore(&snapshot), Err(Error::Snapshot { .. })));
    }
}

#[test]
fn waiting_segments_are_state() {
    for mode in MODES {
        let mut gpu = capture_machine(mode, false);
        let push = Push::new().methods(0, 0x60, &[SEMAPHORES, 0]).methods(0, 0x68, &[5]).methods(0, 0x50, &[6]);
        submit(&mut gpu, &push);
        let snapshot = gpu.snapshot(SnapshotOptions::default()).unwrap();
        let mut other = machine(mode);
        Device::restore(&mut other, &snapshot).unwrap();
        set_word(&mut other, MAIN, SEMAPHORE_AT, 5, false);
        other.submit(&payload(1, &[])).unwrap();
        assert_eq!((other.fifo().live().reference, gpu.fifo().live().reference), (6, 0));
    }
}

#[test]
fn contexts_keep_their_pages_and_io_spaces() {
    for mode in MODES {
        let mut gpu = lv1_machine(mode);
        let context = context(&mut gpu, 0x20);
        gpu.context_attribute(context.handle, 0x001, [0x1000, 0x1000, 0, 0]).unwrap();
        gpu.context_attribute(context.handle, 0x104, [2, 1280 << 32 | 720, 5120 << 32 | 0x4000, 0]).unwrap();
        gpu.context_attribute(context.handle, 0x102, [1, 0x8000_0102, 0, 0]).unwrap();
        gpu.context_attribute(context.handle, 0x300, [1, 5, 6, 0]).unwrap();
        kick(&mut gpu, &context, 0x1000, &Push::new().methods(0, 0x50, &[9]));
        gpu.mmio_write(0x2140, 0);
        let snapshot = gpu.snapshot(SnapshotOptions::default()).unwrap();
        let mut other = machine(mode);
        Device::restore(&mut other, &snapshot).unwrap();
        for gpu in [&mut gpu, &mut other] {
            gpu.take_events();
            // The IO space is main memory again, not a copy.
            gpu.with_memory(|memory| memory.write(GuestAddr::new(XDR, XDR_AT + 0x2000), &[7])).unwrap();
            assert_eq!(read(gpu, MAIN, 0x2000, 1), [7]);
            kick(gpu, &context, 0x100C, &Push::new().methods(0, 0x50, &[10]));
            gpu.vblank(1, 5);
            assert_eq!(lpar_word(gpu, context.control + 0x48), 10);
            assert_eq!(lpar_word(gpu, context.info + 0x10F8 + 0x0C), 0x4000);
        }
        assert_eq!(gpu.take_events(), other.take_events());
        assert_eq!(gpu.context_free(context.handle), other.context_free(context.handle));
    }
}

#[test]
fn registers_alone_leave_memory_to_the_host() {
    let mut gpu = capture_machine(RsxMode::Exact, false);
    submit(&mut gpu, &halves()[0]);
    let snapshot = gpu.snapshot(SnapshotOptions::REGISTERS).unwrap();
    let before = gpu.memory().ranges().count();
    submit(&mut gpu, &Push::new().word(0).methods(0, 0x50, &[99]));
    gpu.write(GuestAddr::new(LOCAL, 0), &[9]).unwrap();
    Device::restore(&mut gpu, &snapshot).unwrap();
    assert_eq!((gpu.fifo().live().reference, read(&mut gpu, LOCAL, 0, 1)), (77, vec![9]));
    assert_eq!(gpu.memory().ranges().count(), before);
}

#[test]
fn broken_snapshots_change_nothing() {
    let mut gpu = capture_machine(RsxMode::Exact, false);
    submit(&mut gpu, &halves()[0]);
    let snapshot = gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut other = capture_machine(RsxMode::Exact, false);
    let before = other.snapshot(SnapshotOptions::default()).unwrap();
    for length in (0..snapshot.len()).step_by(97) {
        assert!(Device::restore(&mut other, &snapshot[..length]).is_err());
    }
    assert_eq!(other.snapshot(SnapshotOptions::default()).unwrap(), before);
    // Memory of the host's that does not fit is an error as well.
    let mut hosted = machine(RsxMode::Exact);
    hosted.with_memory(|memory| memory.map(GuestRange::new(MAIN, 0x100, 0x100), Access::READ_WRITE)).unwrap();
    Device::restore(&mut hosted, &snapshot).unwrap();
    assert_eq!(hosted.snapshot(SnapshotOptions::default()).unwrap(), snapshot);
}
