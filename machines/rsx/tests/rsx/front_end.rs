//! Pusher, puller and switcher: every form of a word, errors, semaphores, channels.

use crate::support::*;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::{Device, Error};
use triglyph_guest::id::ChannelId;
use triglyph_guest::rsx::fifo::PusherError;
use triglyph_rsx::{Event, Rsx, RsxMode};

/// A register of the M2MF object on subchannel 2.
fn register(gpu: &Rsx, channel: u32, method: u32) -> u32 {
    gpu.fifo().graph(channel).and_then(|graph| graph.registers(2)).map_or(0, |registers| registers.get(method))
}

/// Binds the copies, then stores words at 0x30C and on.
fn bound() -> Push {
    Push::new().bind(2, M2MF)
}

#[test]
fn runs_reach_registers_whatever_their_byte_order() {
    for (mode, big_endian) in MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        let mut gpu = capture_machine(mode, big_endian);
        let push = bound().methods(2, 0x30C, &[1, 2, 3]).same(2, 0x318, &[7, 8, 9]).methods(2, 0x31C, &[]);
        submit_on(&mut gpu, 1, &push, big_endian);
        let found = [0x30C, 0x310, 0x314, 0x318, 0x31C].map(|method| register(&gpu, 1, method));
        assert_eq!(found, [1, 2, 3, 9, 0]);
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn packets_go_on_where_they_were_cut() {
    for mode in MODES {
        let push = bound().methods(2, 0x30C, &[11, 12, 13, 14]).same(2, 0x31C, &[15, 16]).methods(2, 0x320, &[1]);
        let words = push.bytes(false);
        // Cut at every word, into two and into single words, in one submission or in several.
        for cut in 0..=push.0.len() as u64 {
            let mut gpu = capture_machine(mode, false);
            gpu.write(GuestAddr::new(MAIN, PUSH_AT), &words).unwrap();
            let end = words.len() as u64;
            gpu.submit(&payload(1, &[(PUSH_AT, 4 * cut)])).unwrap();
            gpu.submit(&payload(1, &[(PUSH_AT + 4 * cut, end - 4 * cut)])).unwrap();
            let found = [0x30C, 0x310, 0x314, 0x318, 0x31C, 0x320].map(|method| register(&gpu, 1, method));
            assert_eq!(found, [11, 12, 13, 14, 16, 1], "cut at {cut}");
        }
        let mut gpu = capture_machine(mode, false);
        gpu.write(GuestAddr::new(MAIN, PUSH_AT), &words).unwrap();
        let segments: Vec<(u64, u64)> = (0..push.0.len() as u64).map(|i| (PUSH_AT + 4 * i, 4)).collect();
        gpu.submit(&payload(1, &segments)).unwrap();
        assert_eq!((register(&gpu, 1, 0x318), register(&gpu, 1, 0x31C)), (14, 16));
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn jumps_calls_and_returns_are_followed() {
    for (mode, jump) in MODES.into_iter().flat_map(|mode| [(mode, 0x2000_0000), (mode, 1)]) {
        let mut gpu = capture_machine(mode, false);
        let far = PUSH_AT + 0x1_0000;
        // main: bind, call sub, jump over an invalid word, last method
        let sub = Push::new().methods(2, 0x310, &[2]).word(0x0002_0050);
        gpu.write(GuestAddr::new(MAIN, far), &sub.bytes(false)).unwrap();
        // The upper three bits of calls and bits 15:2 of returns do not count.
        let start = bound().methods(2, 0x30C, &[1]).word(far as u32 | 0xE000_0002);
        let after = PUSH_AT as u32 + 4 * start.0.len() as u32 + 8;
        let push = start.word(after | jump).word(0xFFFF_FFFF).methods(2, 0x314, &[3]);
        submit(&mut gpu, &push);
        assert_eq!([0x30C, 0x310, 0x314].map(|method| register(&gpu, 1, method)), [1, 2, 3]);
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn methods_wrap_inside_of_their_subchannel() {
    for mut gpu in capture_machines() {
        // The word after 0x1FFC is method 0: another object.
        let push = Push::new().bind(2, CURIE).methods(2, 0x1FF8, &[5, 6, M2MF]).methods(2, 0x30C, &[9]);
        submit(&mut gpu, &push);
        let graph = gpu.fifo().graph(1).unwrap();
        assert_eq!(graph.class(2), Some(0x0039));
        assert_eq!((graph.curie.registers().get(0x1FF8), graph.curie.registers().get(0x1FFC)), (5, 6));
        assert_eq!(register(&gpu, 1, 0x30C), 9);
    }
}

#[test]
fn errors_stop_the_channel_with_their_code() {
    let far = PUSH_AT as u32 + 0x1_0000;
    // Where the word that is an error is.
    let at = PUSH_AT as u32 + 16;
    // GET stays at illegal words and is after others (elad335/myps3tests: unaligned commands, RET command opcode, call
    // stack limit). Memory that is not mapped holds illegal words (iomap overwrite).
    for (words, error, kind, get, number) in [
        (vec![0xFFFF_FFFF], PusherError::InvalidCommand, FaultKind::BadCommand, at, 1),
        (vec![0x0001_0000], PusherError::InvalidCommand, FaultKind::BadCommand, at, 1),
        (vec![0x0004_0053], PusherError::InvalidCommand, FaultKind::BadCommand, at, 1),
        (vec![0x0002_0050], PusherError::ReturnInactive, FaultKind::BadCommand, at + 4, 1),
        (vec![far | 2], PusherError::CallActive, FaultKind::BadCommand, far + 4, 1),
        (vec![0x3000_0000], PusherError::InvalidCommand, FaultKind::UnmappedRead, 0x1000_0000, 0x200),
    ] {
        for mode in MODES {
            let mut gpu = capture_machine(mode, false);
            gpu.write(GuestAddr::new(MAIN, far.into()), &(far | 2).to_le_bytes()).unwrap();
            let mut push = bound().methods(2, 0x30C, &[1]);
            push.0.extend(&words);
            submit(&mut gpu, &push.methods(2, 0x30C, &[2]));
            assert_eq!(register(&gpu, 1, 0x30C), 1, "{error:?}");
            assert_eq!((gpu.fifo().live().error, gpu.fifo().live().get), (Some(error), get), "{words:x?}");
            assert_eq!(faults(&gpu), [(kind, 1)], "{error:?}");
            assert!(
                gpu.take_events().contains(&Event::GraphicsError { channel: ChannelId::new(1), error: number }),
                "{error:?}"
            );
            if mode == RsxMode::Exact {
                assert_eq!(gpu.mmio_read(0x3228) >> 29, error as u32);
                assert_eq!(gpu.mmio_read(0x2100) & 1 << 12, 1 << 12);
                assert_eq!(gpu.mmio_read(0x3220) & 1 << 12, 1 << 12);
                gpu.mmio_write(0x2100, 1 << 12);
                assert_eq!(gpu.mmio_read(0x2100), 0);
            }
            // The next segment is another matter.
            submit(&mut gpu, &Push::new().methods(2, 0x30C, &[3]));
            assert_eq!(register(&gpu, 1, 0x30C), 3, "{error:?}");
        }
    }
}

#[test]
fn jumps_to_themselves_park_and_loops_end() {
    for mode in MODES {
        let mut gpu = capture_machine(mode, false);
        submit(&mut gpu, &bound().methods(2, 0x30C, &[1]).word((PUSH_AT as u32 + 16) | 0x2000_0000).word(0xFFFF_FFFF));
        assert_eq!((register(&gpu, 1, 0x30C), faults(&gpu)), (1, vec![]));
        let mut gpu = capture_machine(mode, false);
        submit(&mut gpu, &bound().methods(2, 0x30C, &[1]).word(PUSH_AT as u32 | 0x2000_0000));
        assert_eq!(faults(&gpu), [(FaultKind::OutOfFuel, 1)]);
        submit(&mut gpu, &Push::new().methods(2, 0x30C, &[4]));
        assert_eq!(register(&gpu, 1, 0x30C), 4);
    }
}

/// A console's dumps (elad335/myps3tests): bit 17 of the state is set inside of a subroutine, and the return address
/// stays when it was used.
#[test]
fn the_registers_know_the_subroutine() {
    let mut gpu = capture_machine(RsxMode::Exact, false);
    let far = PUSH_AT as u32 + 0x1_0000;
    gpu.write(GuestAddr::new(MAIN, far.into()), &(far | 0x2000_0000).to_le_bytes()).unwrap();
    let back = PUSH_AT as u32 + 12;
    submit(&mut gpu, &bound().word(far | 2).word(back | 0x2000_0000));
    assert_eq!((gpu.mmio_read(0x3228) >> 17 & 1, gpu.mmio_read(0x324C)), (1, back | 1));
    submit(&mut gpu, &Push::new().word(0x0002_0000));
    assert_eq!((gpu.mmio_read(0x3228) >> 17 & 1, gpu.mmio_read(0x324C)), (0, back));
    assert_eq!(faults(&gpu), []);
}

/// Acquire and release of the semaphore at an offset.
fn semaphore(offset: u32) -> Push {
    Push::new().methods(0, 0x60, &[SEMAPHORES, offset])
}

#[test]
fn semaphores_are_words_of_the_channels_byte_order() {
    for (mode, big_endian) in MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        let mut gpu = capture_machine(mode, big_endian);
        submit_on(&mut gpu, 1, &semaphore(0x10).methods(0, 0x6C, &[0x1234_5678]), big_endian);
        assert_eq!(word(&mut gpu, MAIN, SEMAPHORE_AT + 0x10, big_endian), 0x1234_5678);
        // Beyond its object nothing is written.
        submit_on(&mut gpu, 1, &semaphore(0x20).methods(0, 0x6C, &[1]), big_endian);
        assert_eq!(faults(&gpu), [(FaultKind::UnmappedWrite, 1)]);
    }
}

/// A console's log (elad335/myps3tests, FIFO Semaphores data).
#[test]
fn after_a_bad_offset_nothing_is_released() {
    for mode in MODES {
        for bad in [0x11, 0x12, 0x1000] {
            let mut gpu = capture_machine(mode, false);
            let words = |gpu: &mut Rsx| [0, 0x10, 0x14].map(|offset| word(gpu, MAIN, SEMAPHORE_AT + offset, false));
            let before = words(&mut gpu);
            let release = semaphore(0x10).methods(0, 0x6C, &[0x1234_567A]).methods(0, 0x64, &[bad]);
            submit(&mut gpu, &release.methods(0, 0x6C, &[0x1234_567B]));
            assert_eq!(words(&mut gpu), [before[0], 0x1234_567A, before[2]], "{bad:#x}");
            assert_eq!(faults(&gpu), [(FaultKind::BadMethod, 1)]);
            // Other channels do not change that; nothing is waited for; the next good offset is taken.
            if mode == RsxMode::Exact {
                submit_on(&mut gpu, 2, &bound(), false);
            }
            submit(&mut gpu, &Push::new().methods(0, 0x6C, &[1]).methods(0, 0x68, &[2]).methods(0, 0x64, &[0x14]));
            assert_eq!(words(&mut gpu), [before[0], 0x1234_567A, before[2]]);
            submit(&mut gpu, &Push::new().methods(0, 0x6C, &[3]));
            assert_eq!(words(&mut gpu), [before[0], 0x1234_567A, 3]);
            assert_eq!(gpu.faults().total(), 1);
        }
    }
}

#[test]
fn acquires_wait_for_the_processor() {
    for mut gpu in capture_machines() {
        let push = bound().methods(2, 0x30C, &[1]).methods(0, 0x60, &[SEMAPHORES, 0]).methods(0, 0x68, &[77]);
        submit(&mut gpu, &push.methods(2, 0x30C, &[2]));
        assert_eq!(register(&gpu, 1, 0x30C), 1);
        assert_eq!(faults(&gpu), [(FaultKind::OutOfFuel, 1)]);
        // Still not: work queues up behind, and it is said once.
        gpu.submit(&payload(1, &[(PUSH_AT + 0x8000, 0)])).unwrap();
        assert_eq!((register(&gpu, 1, 0x30C), faults(&gpu)), (1, vec![(FaultKind::OutOfFuel, 1)]));
        set_word(&mut gpu, MAIN, SEMAPHORE_AT, 77, false);
        gpu.submit(&payload(1, &[])).unwrap();
        assert_eq!((register(&gpu, 1, 0x30C), gpu.faults().total()), (2, 1));
    }
}

#[test]
fn channels_wait_for_each_other() {
    let mut gpu = capture_machine(RsxMode::Exact, false);
    // Channel 1 waits for 5 and then releases 6; channel 2 releases 5 and waits for 6.
    let first = bound().methods(0, 0x60, &[SEMAPHORES, 0]).methods(0, 0x68, &[5]).methods(2, 0x30C, &[10]);
    let first = first.methods(0, 0x6C, &[6]).methods(2, 0x310, &[11]);
    let second = bound().methods(0, 0x60, &[SEMAPHORES, 0]).methods(0, 0x6C, &[5]).methods(0, 0x68, &[6]);
    let second = second.methods(2, 0x30C, &[20]);
    submit_on(&mut gpu, 1, &first, false);
    assert_eq!(register(&gpu, 1, 0x30C), 0);
    let far = PUSH_AT + 0x1_0000;
    gpu.write(GuestAddr::new(MAIN, far), &second.bytes(false)).unwrap();
    gpu.submit(&payload(2, &[(far, 4 * second.0.len() as u64)])).unwrap();
    assert_eq!([0x30C, 0x310].map(|method| register(&gpu, 1, method)), [10, 11]);
    assert_eq!(register(&gpu, 2, 0x30C), 20);
    // It was said once that the first waits for a semaphore that is not released.
    assert_eq!(faults(&gpu), [(FaultKind::OutOfFuel, 1)]);
}

#[test]
fn channels_keep_their_state_in_instance_memory() {
    let mut gpu = capture_machine(RsxMode::Exact, false);
    // Channel 3 stops in the middle of a packet, with a reference and a semaphore.
    let push = bound().methods(0, 0x50, &[0xABCD]).methods(0, 0x60, &[SEMAPHORES, 0x14]);
    submit_on(&mut gpu, 3, &push.word(4 << 18 | 2 << 13 | 0x30C).word(1), false);
    submit_on(&mut gpu, 5, &bound(), false);
    let slot = 0x2_0000 + 3 * 0x80;
    assert_eq!(gpu.pramin_read(slot + 0x08), 0xABCD);
    assert_eq!(gpu.pramin_read(slot + 0x14), 3 << 18 | 2 << 13 | 0x310);
    assert_eq!(gpu.pramin_read(slot + 0x30) & 0xFFF, 0x14 | 1);
    assert_eq!(gpu.pramin_read(slot + 0x1C), 1 << 8);
    let semaphores = gpu.core().lookup(3, SEMAPHORES).unwrap().name;
    assert_eq!(gpu.pramin_read(slot + 0x30) >> 12, semaphores);
    // Changed there, the channel goes on with the change.
    gpu.pramin_write(slot + 0x14, 3 << 18 | 2 << 13 | 0x314);
    submit_on(&mut gpu, 3, &Push::new().word(7).word(8).word(9), false);
    assert_eq!([0x310, 0x314, 0x318].map(|method| register(&gpu, 3, method)), [0, 7, 8]);
    assert_eq!(faults(&gpu), []);
}

#[test]
fn each_word_that_no_object_takes_is_a_fault_wherever_packets_are_cut() {
    for mode in MODES {
        // Nothing is bound to subchannel 1; there are no primitives 0x66 and 0x77.
        let push = Push::new().methods(1, 0x30C, &[1, 2, 3]).same(1, 0x310, &[4, 5]).bind(3, CURIE);
        let push = push.same(3, 0x1808, &[0x66, 0, 0x77]).same(3, 0x0110, &[0, 0]);
        // Nor constants from 468 on.
        let push = push.methods(3, 0x1EFC, &[467, 1, 2, 3, 4, 5, 6]);
        let words = push.bytes(false);
        let mut found = Vec::new();
        for cut in 1..push.0.len() as u64 {
            let mut gpu = capture_machine(mode, false);
            gpu.write(GuestAddr::new(MAIN, PUSH_AT), &words).unwrap();
            let end = words.len() as u64;
            gpu.submit(&payload(1, &[(PUSH_AT, 4 * cut)])).unwrap();
            gpu.submit(&payload(1, &[(PUSH_AT + 4 * cut, end - 4 * cut)])).unwrap();
            found.push(gpu.faults().first().iter().map(|fault| (fault.kind, fault.address)).collect::<Vec<_>>());
        }
        let unbound: Vec<u64> = found[0].iter().map(|(_, address)| *address).collect();
        assert_eq!(unbound, [0x30C, 0x310, 0x314, 0x310, 0x310, 0x66, 0x77, 468, 468], "{:?}", found[0]);
        assert!(found.iter().all(|faults| *faults == found[0]), "{found:?}");
    }
}

#[test]
fn yielding_goes_on() {
    for mut gpu in capture_machines() {
        submit(&mut gpu, &bound().methods(0, 0x80, &[0]).methods(2, 0x30C, &[1]).methods(0, 0x80, &[0]));
        assert_eq!((register(&gpu, 1, 0x30C), faults(&gpu)), (1, vec![]));
    }
}

#[test]
fn unknown_handles_and_methods_are_faults() {
    for mode in MODES {
        let mut gpu = capture_machine(mode, false);
        let push = bound().bind(2, 0x1234).methods(2, 0x30C, &[1]).methods(0, 0x04, &[1]).methods(1, 0x200, &[1]);
        submit(&mut gpu, &push);
        // The object stays bound; nothing is bound to subchannel 1.
        assert_eq!((register(&gpu, 1, 0x30C), faults(&gpu)), (1, vec![(FaultKind::BadMethod, 3)]));
        // Object methods: in exact mode an unknown handle does not reach the object.
        submit(&mut gpu, &Push::new().methods(2, 0x184, &[DMA_LOCAL, 0x4321]));
        let dma = register(&gpu, 1, 0x184);
        match mode {
            RsxMode::Exact => {
                assert_eq!(gpu.core().resolve(dma).map(|memory| memory.space), Some(LOCAL));
                assert_ne!(dma, DMA_LOCAL);
                assert_eq!((register(&gpu, 1, 0x188), gpu.faults().total()), (0, 4));
            }
            RsxMode::Fast => {
                assert_eq!((dma, register(&gpu, 1, 0x188), gpu.faults().total()), (DMA_LOCAL, 0x4321, 3));
            }
        }
    }
}

#[test]
fn captures_without_objects_find_those_of_gcm() {
    for mode in MODES {
        let mut gpu = machine(mode);
        gpu.map(GuestRange::new(MAIN, PUSH_AT, 0x1000), triglyph_engine::device::Access::READ_WRITE).unwrap();
        submit(&mut gpu, &Push::new().methods(1, 0x30C, &[1]).methods(2, 0x30C, &[2]).methods(6, 0x308, &[3]));
        let graph = gpu.fifo().graph(1).unwrap();
        let classes: Vec<_> = (0..8).map(|subchannel| graph.class(subchannel)).collect();
        let wanted = [0x4097, 0x0039, 0x0039, 0x3062, 0x309E, 0x308A, 0x3089, 0xCAFE_BABE];
        assert_eq!(classes, wanted.map(Some));
        // Up and downloads are two objects.
        let offset = |subchannel| graph.registers(subchannel).unwrap().get(0x30C);
        assert_eq!((offset(1), offset(2)), (1, 2));
        // With GCM's values in their registers.
        let memory = |subchannel, method| gpu.core().resolve(graph.registers(subchannel).unwrap().get(method));
        assert_eq!(memory(1, 0x184).map(|memory| memory.space), Some(MAIN));
        assert_eq!(memory(1, 0x188).map(|memory| memory.space), Some(LOCAL));
        assert_eq!(faults(&gpu), []);
    }
}

#[test]
fn submissions_have_a_form() {
    for mode in MODES {
        let mut gpu = capture_machine(mode, false);
        for bad in [&[][..], &[0; 7], &[0; 12], &payload(8, &[])[..], &[&payload(0, &[])[..4], &[2, 0, 0, 0]].concat()]
        {
            assert!(matches!(gpu.submit(bad), Err(Error::InvalidArgument(_))), "{bad:?}");
        }
        gpu.submit(&payload(1, &[(1 << 32, 4), (0xFFFF_FFFC, 8), (4, u64::MAX)])).unwrap();
        assert_eq!(faults(&gpu), [(FaultKind::BadCommand, 3)]);
        let second = gpu.submit(&payload(2, &[]));
        assert_eq!(second.is_ok(), mode == RsxMode::Exact, "fast mode has one channel");
    }
}
