//! The Tegra X1's command submission: push buffers, macros, semaphores, syncpoints, inline transfers.

use std::time::Duration;

use crate::support::{
    COMPUTE, COPY, DATA, HOST, INLINE, Machine, SOFTWARE, THREED, TWOD, header, interrupts, methods, semaphore,
};
use triglyph_engine::Device;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;
use triglyph_guest::id::ChannelId;
use triglyph_guest::layout::Blocks;
use triglyph_guest::layout::surface::block_linear;
use triglyph_guest::tegra::fifo::{Command, Entry, Segment, Stepping};
use triglyph_guest::tegra::methods::Class;
use triglyph_tegra::{Blocked, Bound};
use triglyph_testkit::random::words;

const ACQUIRE: u32 = 1;
const RELEASE_WORD: u32 = 2 | 1 << 24;
const ACQUIRE_GEQUAL: u32 = 4;

#[test]
fn methods_reach_the_class_of_their_subchannel() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0xD10, &[1, 2, 3]));
    machine.run(&[header(THREED, 0xD20, 3, Stepping::Once), 4, 5, 6, header(THREED, 0xD30, 2, Stepping::Never), 7, 8]);
    let immediate = Command::Immediate { subchannel: THREED, method: 0xD40, data: 9 }.encode().expect("a word");
    machine.run(&[immediate]);
    let threed = |method| machine.register(Class::ThreeD, method);
    assert_eq!([0xD10, 0xD11, 0xD12, 0xD20, 0xD21, 0xD30, 0xD40].map(threed), [1, 2, 3, 4, 6, 8, 9]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
    // Rebound, the same subchannel feeds another class.
    machine.run(&methods(THREED, 0, &[Class::Inline.id()]));
    machine.run(&methods(THREED, 0x60, &[44]));
    assert_eq!(machine.register(Class::Inline, 0x60), 44);
    assert_ne!(machine.register(Class::ThreeD, 0x60), 44);
    // The number of an engine in bits 20:16 makes no difference (Mesa's Vulkan driver has such numbers).
    machine.run(&methods(THREED, 0, &[1 << 16 | Class::ThreeD.id()]));
    machine.run(&methods(THREED, 0xD10, &[45]));
    assert_eq!(machine.register(Class::ThreeD, 0xD10), 45);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn headers_wait_for_their_data_across_segments_and_submissions() {
    let mut machine = Machine::new();
    let [first, second] = [machine.entry(&[header(THREED, 0xD10, 3, Stepping::Each), 1]), machine.entry(&[2])];
    machine.gpu.submit_entries(ChannelId::new(0), [first, second]).expect("a submission");
    machine.run(&[3]);
    assert_eq!([0xD10, 0xD11, 0xD12].map(|method| machine.register(Class::ThreeD, method)), [1, 2, 3]);
}

/// Writes its parameters to consecutive scratch registers, as many as the first one says.
const STORE: &str = "addi.addr r0, r0, 0x1d50
    next: addi.fetch r2, r0, 0
    addi.send r0, r2, 0
    addi r1, r1, -1
    bnz.annul r1, next
    addi.exit r0, r0, 0
    addi r0, r0, 0";

#[test]
fn macros_get_parameters_from_wherever_they_stand() {
    let mut machine = Machine::new();
    machine.upload(5, 0x40, STORE);
    let call = 0xE00 + 2 * 5;
    // All in one header.
    machine.run(&[header(THREED, call, 4, Stepping::Once), 3, 10, 11, 12]);
    let scratch = |machine: &Machine| [0xD50, 0xD51, 0xD52].map(|method| machine.register(Class::ThreeD, method));
    assert_eq!(scratch(&machine), [10, 11, 12]);
    // The header in one segment, the data in another, as indirect draws have them.
    let parts = [machine.entry(&[header(THREED, call, 4, Stepping::Once)]), machine.entry(&[3, 20, 21, 22])];
    machine.gpu.submit_entries(ChannelId::new(0), parts).expect("a submission");
    assert_eq!(scratch(&machine), [20, 21, 22]);
    // Parameters in headers of their own; the macro runs before the method after them.
    machine.run(
        &[methods(THREED, call, &[2]), methods(THREED, call + 1, &[30]), methods(THREED, call + 1, &[31])].concat(),
    );
    assert_eq!(scratch(&machine), [30, 31, 22]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
    // Overwritten code is new code.
    machine.upload(6, 0x40, "addi.addr r0, r0, 0xd50\naddi.send.exit r0, r1, 1\naddi r0, r0, 0");
    machine.run(&methods(THREED, call, &[77]));
    assert_eq!(scratch(&machine)[0], 78);
}

#[test]
fn macros_that_go_wrong_are_counted() {
    let mut machine = Machine::new();
    machine.upload(0, 0, ".word 6");
    machine.run(&methods(THREED, 0xE00, &[1]));
    assert_eq!(machine.faults(FaultKind::BadShader), 1);
    machine.upload(0, 0, "here: bz.annul r0, here");
    machine.run(&methods(THREED, 0xE00, &[1]));
    assert_eq!(machine.faults(FaultKind::OutOfFuel), 1);
    machine.upload(0, 0, "addi.exit r0, r0, 0\naddi r0, r0, 0");
    machine.run(&[header(THREED, 0xE00, 2, Stepping::Once), 1, 2]);
    machine.run(&methods(THREED, 0xE03, &[1]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 2);
}

#[test]
fn firmware_answers() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0xD00, &[0]));
    machine.run(&methods(THREED, 0x8C4, &[0x41_8800]));
    assert_eq!(machine.register(Class::ThreeD, 0xD00), 1);
}

#[test]
fn semaphores_are_released_and_waited_for() {
    let mut machine = Machine::new();
    machine.run(&semaphore(0x10, 5, RELEASE_WORD));
    machine.run(&semaphore(0x20, 6, 2));
    assert_eq!(machine.words(0x10), [5]);
    let [payload, zero, low, high] = machine.words(0x20);
    assert_eq!([payload, zero, high], [6, 0, 0]);
    assert!(low > 0, "time passes with the work");

    // 9 is not written yet: what follows waits.
    machine.run(&[semaphore(0x30, 9, ACQUIRE), methods(THREED, 0xD10, &[1])].concat());
    assert!(matches!(machine.gpu.channel(0).and_then(|channel| channel.blocked()), Some(Blocked::Semaphore { .. })));
    assert_ne!(machine.register(Class::ThreeD, 0xD10), 1);
    machine.gpu.finish();
    assert_eq!(machine.faults(FaultKind::OutOfFuel), 1);
    machine.gpu.write(GuestAddr::new(0, DATA + 0x30), &9u32.to_le_bytes()).expect("mapped memory");
    machine.gpu.run();
    assert_eq!(machine.register(Class::ThreeD, 0xD10), 1);
}

#[test]
fn channels_wait_for_each_other() {
    let mut machine = Machine::new();
    machine.run_on(0, &[semaphore(0, 1, ACQUIRE), semaphore(8, 2, RELEASE_WORD)].concat());
    machine.run_on(
        1,
        &[semaphore(0, 1, RELEASE_WORD), semaphore(8, 2, ACQUIRE_GEQUAL), semaphore(4, 3, RELEASE_WORD)].concat(),
    );
    assert_eq!(machine.words(0), [1, 3, 2]);
    // Syncpoint 7 becomes 1 on one channel while another one waits for it.
    machine.run_on(0, &methods(HOST, 0x1C, &[1, 7 << 8]));
    assert_eq!(
        machine.gpu.channel(0).and_then(|channel| channel.blocked()),
        Some(Blocked::Syncpoint { index: 7, threshold: 1 })
    );
    machine.run_on(1, &methods(HOST, 0x1D, &[7 << 8 | 1]));
    assert_eq!(machine.gpu.channel(0).and_then(|channel| channel.blocked()), None);
    assert_eq!(machine.gpu.core().syncpoint(7), Some(1));
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn reductions() {
    let mut machine = Machine::new();
    let mut reduce = |start: u32, payload: u32, how: u32| {
        machine.gpu.write(GuestAddr::new(0, DATA), &start.to_le_bytes()).expect("mapped memory");
        machine.run(&semaphore(0, payload, 0x10 | how << 27));
        machine.words::<1>(0)[0]
    };
    const UNSIGNED: u32 = 16;
    assert_eq!([reduce(3, u32::MAX, 0), reduce(3, u32::MAX, UNSIGNED)], [u32::MAX, 3]);
    assert_eq!([reduce(3, u32::MAX, 1), reduce(3, u32::MAX, 1 | UNSIGNED)], [3, u32::MAX]);
    assert_eq!([reduce(6, 3, 2), reduce(6, 3, 3), reduce(6, 3, 4), reduce(6, 3, 5)], [5, 2, 7, 9]);
    assert_eq!([reduce(2, 3, 6), reduce(3, 3, 6), reduce(2, 3, 7), reduce(0, 3, 7), reduce(4, 3, 7)], [3, 0, 1, 3, 3]);
}

/// A fence as programs write it: report semaphore, released after writes, one word (switchbrew: GPU).
#[test]
fn fences_of_command_lists() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0x6C0, &[0, DATA as u32 + 0x40, 0x1234, 0x1000_F010]));
    assert_eq!(machine.words(0x40), [0x1234]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn inline_data_go_to_rows_and_to_blocks() {
    let mut machine = Machine::new();
    // Two lines of six bytes, 16 apart; each begins at a word of its own. A semaphore afterwards.
    machine.run(&methods(INLINE, 0x77, &[0, DATA as u32 + 0x80, 77]));
    machine.run(&methods(INLINE, 0x60, &[6, 2, 0, DATA as u32, 16]));
    machine.run(&methods(INLINE, 0x6C, &[1 | 2 << 4 | 1 << 12]));
    machine.run(&[header(INLINE, 0x6D, 4, Stepping::Never), 0x0403_0201, 0xFFFF_0605, 0x1413_1211, 0xFFFF_1615]);
    assert_eq!(machine.words(0), [0x0403_0201, 0x0605, 0, 0, 0x1413_1211, 0x1615]);
    assert_eq!(machine.words(0x80), [77]);

    // A block-linear image of 128 bytes a row and 40 rows, blocks of two GOBs, from byte 20, row 9 on.
    let line: Vec<u32> = (0..24).map(|i| 0x0101_0101 * (i + 1)).collect();
    machine.run(&methods(INLINE, 0x60, &[96, 1, 0, DATA as u32 + 0x1000, 0, 1 << 4, 128, 40, 1, 0, 20, 9]));
    machine.run(&methods(INLINE, 0x6C, &[0]));
    machine.run(&[&[header(INLINE, 0x6D, 24, Stepping::Never)], &line[..]].concat());
    for (i, byte) in line.iter().flat_map(|word| word.to_le_bytes()).enumerate() {
        let mut found = [0];
        let at = block_linear(20 + i as u32, 9, 2, 1);
        machine.gpu.read(GuestAddr::new(0, DATA + 0x1000 + at), &mut found).expect("mapped memory");
        assert_eq!(found[0], byte, "byte {i}");
    }
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

/// Blocks that are several slices deep, from the inline class, in words that come with two headers.
#[test]
fn inline_data_go_to_slices() {
    let mut machine = Machine::new();
    let blocks = Blocks { gobs_across: 2, rows: 24, slices: 5, log2_gobs: 0, log2_slices: 2 };
    let line: Vec<u32> = (0..25 * 20).map(|i| 0x9E37_79B9u32.wrapping_mul(i)).collect();
    let launch = [98, 20, 0, DATA as u32, 0, 2 << 8, 128, 24, 5, 3, 7, 2];
    machine.run(&methods(INLINE, 0x60, &launch));
    machine.run(&methods(INLINE, 0x6C, &[0]));
    machine.run(&[&[header(INLINE, 0x6D, 300, Stepping::Never)], &line[..300]].concat());
    assert_eq!(machine.words(blocks.offset(0, 2, 3)), [0]);
    machine.run(&[&[header(INLINE, 0x6D, 210, Stepping::Never)], &line[300..], &[7; 10]].concat());
    let bytes: Vec<u8> = line.iter().flat_map(|word| word.to_le_bytes()).collect();
    let all = machine.data();
    for (y, row) in bytes.chunks(100).enumerate() {
        for (x, &byte) in row[..98].iter().enumerate() {
            assert_eq!(all[blocks.offset(x as u32 + 7, y as u32 + 2, 3) as usize], byte, "({x}, {y})");
        }
    }
    machine.expect_no_faults();
    // With a reduction instead of a plain semaphore, and nothing to transfer.
    machine.run(&methods(INLINE, 0x77, &[0, DATA as u32 + 0x8_0000, 5]));
    for _ in 0..3 {
        machine.run(&methods(INLINE, 0x60, &[0, 0]));
        machine.run(&methods(INLINE, 0x6C, &[1 | 1 << 1 | 2 << 4 | 1 << 8]));
    }
    assert_eq!((machine.words(0x8_0000), interrupts(&mut machine.gpu)), ([15], 3));
}

#[test]
fn constants_go_to_their_buffer() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0x8E0, &[0x20, 0, DATA as u32 + 0x100, 8]));
    // Through one method, through several, from a macro.
    machine.run(&[header(THREED, 0x8E4, 2, Stepping::Never), 1, 2]);
    machine.run(&methods(THREED, 0x8E4, &[3, 4]));
    assert_eq!(machine.words(0x100), [0, 0, 1, 2, 3, 4, 0, 0]);
    machine.upload(1, 0, "addi.addr r0, r0, 0x8e4\naddi.send.exit r0, r1, 0\naddi r0, r0, 0");
    machine.run(&methods(THREED, 0xE02, &[9]));
    assert_eq!((machine.words(0x118), machine.register(Class::ThreeD, 0x8E3)), ([9, 0], 0x1C));
    machine.expect_no_faults();
    // Beyond the size nothing is stored, and each word is a fault.
    machine.run(&methods(THREED, 0x8E4, &[5, 6, 7]));
    assert_eq!(machine.words(0x118), [9, 5, 0, 0]);
    assert_eq!(machine.faults(FaultKind::BadMethod), 2);
}

/// The condition of each class: the words at an address, looked at when the mode is written.
#[test]
fn conditions_hold_or_do_not() {
    let mut machine = Machine::new();
    let copied = |machine: &mut Machine, setup: &[u32]| {
        machine.write(0x200, &[0; 4]);
        machine.run(setup);
        // A copy of one word with a semaphore.
        machine.run(&methods(COPY, 0x90, &[0, DATA as u32 + 0x300, 8]));
        machine.run(&methods(COPY, 0x100, &[0, DATA as u32 + 0x100, 0, DATA as u32 + 0x200, 0, 0, 4]));
        machine.run(&methods(COPY, 0xC0, &[0x18A]));
        assert_eq!(machine.words(0x300), [8]);
        machine.words(0x200) == [7]
    };
    machine.write(0x100, &7u32.to_le_bytes());
    let at = |offset: u32, mode| methods(COPY, 0x95, &[0, DATA as u32 + offset, mode]);
    // At 0: 1, 0 and 16 bytes later the same; at 0x40 zeros, and 16 bytes later 1.
    for offset in [0u64, 16, 0x50] {
        machine.write(offset, &1u32.to_le_bytes());
    }
    let modes = [(0, 0), (0, 1), (0, 2), (0x40, 2), (0, 3), (0x40, 3), (0, 4), (0x40, 4)];
    let found = modes.map(|(offset, mode)| copied(&mut machine, &at(offset, mode)));
    assert_eq!(found, [false, true, true, false, true, false, false, true]);
    // What is written to memory later does not count.
    machine.run(&at(0x40, 2));
    machine.write(0x40, &[1]);
    assert!(!copied(&mut machine, &[]));
    machine.run(&at(0, 1));
    // The condition of all classes; the copy class is told by another.
    assert!(!copied(&mut machine, &methods(THREED, 0x4C, &[0, 0, 0])));
    assert!(copied(&mut machine, &methods(INLINE, 0x4E, &[1])));
    machine.expect_no_faults();
    machine.run(&at(0, 5));
    assert_eq!(machine.faults(FaultKind::BadMethod), 1);
}

/// The inline class has a condition, and an override of it.
#[test]
fn overrides_count_more_than_conditions() {
    let mut machine = Machine::new();
    let stored = |machine: &mut Machine, registers: &[(usize, u32)]| {
        machine.write(0, &[0; 4]);
        machine.set(INLINE, registers);
        machine.run(&methods(INLINE, 0x60, &[4, 1, 0, DATA as u32]));
        machine.run(&[methods(INLINE, 0x6C, &[1]), methods(INLINE, 0x6D, &[3])].concat());
        machine.words(0) == [3]
    };
    assert!(stored(&mut machine, &[]));
    assert!(!stored(&mut machine, &[(0x556, 0)]));
    assert!(stored(&mut machine, &[(0x651, 1)]));
    assert!(!stored(&mut machine, &[(0x556, 1), (0x651, 2)]));
    assert!(stored(&mut machine, &[(0x651, 0)]));
    machine.expect_no_faults();
}

#[test]
fn reports_count_reduce_and_are_waited_for() {
    let mut machine = Machine::new();
    let report = |offset: u32, payload, control| methods(THREED, 0x6C0, &[0, DATA as u32 + offset, payload, control]);
    // Time passes with words, whatever they say.
    machine.run(&[0]);
    machine.run(&report(0, 3, 0));
    let [payload, zero, low, high] = machine.words(0);
    assert_eq!([payload, zero, high], [3, 0, 0]);
    assert!(low > 0);
    // Reduction: add 5, then the smaller one of signed numbers.
    machine.run(&report(0, 5, 1 << 3 | 1 << 28));
    assert_eq!(machine.words(0), [8]);
    machine.run(&report(0, u32::MAX, 1 << 3 | 1 << 9 | 1 << 17 | 1 << 20));
    assert_eq!((machine.words(0), interrupts(&mut machine.gpu)), ([u32::MAX], 1));
    // Passed samples in 32 bits follow the payload; nothing has been drawn.
    machine.run(&report(0x20, 77, 2 << 23));
    assert_eq!(machine.words(0x20), [77, 0]);
    machine.run(&report(0x20, 77, 0x15 << 23));
    assert_eq!(machine.words(0x20), [0, 0]);
    machine.expect_no_faults();
    // Counters that exist are cleared, others are not there.
    machine.run(&methods(THREED, 0x54C, &[1]));
    machine.run(&methods(THREED, 0x54C, &[9]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 1);

    // An acquire of the compute class holds its channel until the other one has released.
    let waits = methods(COMPUTE, 0x6C0, &[0, DATA as u32 + 0x40, 5, 1 | 1 << 16]);
    machine.run(&[waits, methods(THREED, 0xD10, &[1])].concat());
    assert!(machine.gpu.channel(0).is_some_and(|channel| channel.blocked().is_some()));
    machine.run_on(1, &report(0x40, 6, 1 << 28));
    assert_eq!(machine.register(Class::ThreeD, 0xD10), 1);
}

#[test]
fn notifiers_hold_the_time() {
    let mut machine = Machine::new();
    for subchannel in [THREED, COMPUTE, INLINE, TWOD] {
        let at = 0x20 * u64::from(subchannel);
        machine.write(at, &[0xFF; 16]);
        machine.run(&methods(subchannel, 0x41, &[0, (DATA + at) as u32, subchannel % 2]));
        let [time, high, info, status] = machine.words(at);
        assert!(time / 1_000_000 == subchannel && high == 0 && info == 0 && status == 0);
        machine.gpu.advance_time(Duration::from_millis(1));
    }
    assert_eq!(interrupts(&mut machine.gpu), 2);
    machine.expect_no_faults();
}

#[test]
fn software_classes_are_silent() {
    let mut machine = Machine::new();
    machine.run(&methods(SOFTWARE, 0x100, &[1, 2, 3]));
    for object in [0x906E, 0x1F_1234, 4] {
        machine.run(&methods(7, 0, &[object]));
        assert_eq!(machine.gpu.channel(0).map(|channel| channel.bound(7)), Some(Bound::Software));
    }
    // A run that goes past the last method goes on with the host's.
    machine.run(&methods(7, 0xFFE, &[1, 2, 0xA140, 0]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 1, "the illegal method");
    assert_eq!(machine.gpu.channel(0).map(|channel| channel.bound(7)), Some(Bound::Class(Class::Inline)));
}

/// Methods that only concern caches, performance and versions.
#[test]
fn methods_without_visible_effect_are_silent() {
    let mut machine = Machine::new();
    let mut silent = 0;
    for (subchannel, class) in [
        (THREED, Class::ThreeD),
        (COMPUTE, Class::Compute),
        (INLINE, Class::Inline),
        (TWOD, Class::TwoD),
        (COPY, Class::Copy),
    ] {
        for method in 0x40..0x1000 {
            let Some(name) = class.method(method) else { continue };
            let doc = name.doc.to_lowercase();
            if ["without effect", "without visible effect", "not used"].iter().any(|words| doc.contains(words)) {
                machine.run(&methods(subchannel, method, &[u32::MAX]));
                silent += 1;
            }
        }
    }
    assert!(silent > 150, "the tables say of {silent} methods only that they have no effect");
    // What deko3d's lists have besides the vendor's.
    for method in (0x3D8..=0x3E0).chain([0x442]) {
        machine.run(&methods(THREED, method, &[0x0080_0080]));
    }
    machine.expect_no_faults();
}

#[test]
fn nonsense_is_counted_and_left_behind() {
    let mut machine = Machine::new();
    machine.run(&[6 << 29]);
    machine.run(&[2 << 29 | 1 << 16]);
    assert_eq!(machine.faults(FaultKind::BadCommand), 2);
    machine.run(&methods(THREED, 0xFFF, &[1]));
    machine.run(&methods(THREED, 0, &[0x1234]));
    assert_eq!(machine.gpu.channel(0).map(|channel| channel.bound(THREED)), Some(Bound::Unknown));
    // Each word that is sent there is a fault of its own.
    machine.run(&methods(THREED, 0x100, &[1, 2]));
    machine.run(&methods(HOST, 0x3F, &[1]));
    machine.run(&methods(HOST, 1, &[1]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 6);
    let missing = Segment { address: 0x1000, words: 8, sync: false, subroutine: false, conditional: false };
    machine
        .gpu
        .submit_entries(ChannelId::new(0), [Entry::Segment(missing).encode(), 1 << 32, 9 << 32])
        .expect("a submission");
    assert_eq!((machine.faults(FaultKind::UnmappedRead), machine.faults(FaultKind::BadCommand)), (1, 4));
}

#[test]
fn random_words_end_and_stay_inside() {
    let mut word = words(0x1234_5678_9ABC_DEF1);
    let mut faults = 0;
    for _ in 0..40 {
        let mut machine = Machine::new();
        // Many headers are plausible, all data are arbitrary.
        let words: Vec<u32> = (0..4000)
            .map(|i| match word() % 4 {
                0 => header(word() % 8, word() % 0x1000, 1 + word() % 4, Stepping::Each),
                1 if i % 7 == 0 => header(THREED, 0x45 + word() % 4, 3, Stepping::Once),
                2 => word() % 0x30_0000,
                _ => word(),
            })
            .collect();
        machine.run(&words);
        machine.gpu.finish();
        faults += machine.gpu.faults().total();
    }
    assert!(faults > 1000, "only {faults} faults");
}
