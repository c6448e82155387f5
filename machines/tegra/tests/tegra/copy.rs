//! The Tegra X1's copy class against plain loops over bytes.

use crate::support::{BUFFER, COPY, DATA, Machine, SIZE, interrupts, methods};
use triglyph_engine::Device;
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::layout::Blocks;
use triglyph_testkit::random::{noise, words};

/// Where sources and targets lie, from the beginning of the data on.
const SOURCE: u64 = 0x2_0000;
const TARGET: u64 = 0x18_0000;

/// One side of a rectangle.
#[derive(Clone, Copy, Debug)]
enum Side {
    Pitch(i32),
    Blocks { blocks: Blocks, width: u32, layer: u32, x: u32, y: u32 },
}

impl Side {
    fn random(word: &mut impl FnMut() -> u32, element: u32, width: u32, rows: u32) -> Side {
        if word().is_multiple_of(3) {
            let pitch = (width * element + word() % 40) as i32;
            return Side::Pitch(if word().is_multiple_of(4) { -pitch } else { pitch });
        }
        // Columns and rows that begin at multiples of 16 bytes, or anywhere.
        let (x, y) = (if word() & 1 == 0 { 16 * (word() % 3) } else { word() % 30 }, word() % 20);
        let across = x + width + word() % 9;
        let blocks = Blocks {
            gobs_across: (across * element).div_ceil(64),
            rows: y + rows + word() % 9,
            slices: 1 + word() % 3,
            log2_gobs: (word() % 4) as u8,
            log2_slices: (word() % 2) as u8,
        };
        Side::Blocks { blocks, width: across, layer: word() % blocks.slices, x, y }
    }

    /// Offset of a byte of the rectangle.
    fn offset(&self, column: u32, row: u32, element: u32) -> i64 {
        match *self {
            Side::Pitch(pitch) => i64::from(row) * i64::from(pitch) + i64::from(column),
            Side::Blocks { blocks, layer, x, y, .. } => blocks.offset(x * element + column, y + row, layer) as i64,
        }
    }

    /// Block size, width, height, depth, layer, origin.
    fn registers(&self) -> [u32; 6] {
        match *self {
            Side::Pitch(_) => [0; 6],
            Side::Blocks { blocks, width, layer, x, y } => {
                let size = u32::from(blocks.log2_gobs) << 4 | u32::from(blocks.log2_slices) << 8 | 1 << 12;
                [size, width, blocks.rows, blocks.slices, layer, x | y << 16]
            }
        }
    }

    fn pitch(&self) -> u32 {
        if let Side::Pitch(pitch) = *self { pitch as u32 } else { 0 }
    }
}

/// Words that copy `rows` rows of `width` elements; `launch` has further bits of LAUNCH_DMA.
fn rectangle(from: &Side, to: &Side, width: u32, rows: u32, launch: u32) -> Vec<u32> {
    let bits = |side: &Side, bit: u32| if matches!(side, Side::Pitch(_)) { 1 << bit } else { 0 };
    let launch = 2 | 1 << 9 | bits(from, 7) | bits(to, 8) | launch;
    let places = [0, (DATA + SOURCE) as u32, 0, (DATA + TARGET) as u32, from.pitch(), to.pitch(), width, rows];
    [
        methods(COPY, 0x100, &places),
        methods(COPY, 0x1C3, &to.registers()),
        methods(COPY, 0x1CA, &from.registers()),
        methods(COPY, 0xC0, &[launch]),
    ]
    .concat()
}

/// Whether a rectangle stays in its half of the data.
fn fits(side: &Side, width: u32, rows: u32, element: u32) -> bool {
    let ends = [(0, 0), (width * element - 1, 0), (0, rows - 1), (width * element - 1, rows - 1)];
    ends.iter().all(|&(x, y)| (-0x2_0000..0x14_0000).contains(&side.offset(x, y, element)))
}

#[test]
fn rectangles_of_all_layouts() {
    let mut word = words(77);
    let mut machine = Machine::new();
    for case in 0..300 {
        // Elements of one byte, or of several with components in order.
        let (size, count) = (1 + word() % 4, 1 + word() % 4);
        let remap = word().is_multiple_of(2);
        let element = if remap { size * count } else { 1 };
        let (width, rows) = (1 + word() % 90, 1 + word() % 50);
        let (from, to) = (Side::random(&mut word, element, width, rows), Side::random(&mut word, element, width, rows));
        assert!(fits(&from, width, rows, element) && fits(&to, width, rows, element));
        machine.write(0, &noise(SIZE as usize, case));
        let mut expected = machine.data();
        for y in 0..rows {
            for x in 0..width * element {
                let at = |start: u64, side: &Side| (start as i64 + side.offset(x, y, element)) as usize;
                expected[at(TARGET, &to)] = expected[at(SOURCE, &from)];
            }
        }
        machine.run(&methods(COPY, 0x1C2, &[0x3210 | (size - 1) << 16 | ((count - 1) * 0x0110_0000)]));
        machine.run(&rectangle(&from, &to, width, rows, if remap { 1 << 10 } else { 0 }));
        assert!(machine.data() == expected, "case {case}: {from:?} {to:?} {width} x {rows} of {element}");
    }
    machine.expect_no_faults();
}

/// Components from other places, from constants and from nowhere, between all layouts.
#[test]
fn elements_are_put_together_anew() {
    let mut word = words(5);
    let mut machine = Machine::new();
    for case in 0..200 {
        let (size, count, made) = (1 + word() % 4, 1 + word() % 4, 1 + word() % 4);
        let (width, rows) = (1 + word() % 40, 1 + word() % 30);
        // Only components that the source has.
        let from_where: [u32; 4] = std::array::from_fn(|_| match word() % 4 {
            0 => 4 + word() % 3,
            _ => word() % count,
        });
        let constants = [word(), word()];
        let (read, written) = (size * count, size * made);
        let (from, to) = (Side::random(&mut word, read, width, rows), Side::random(&mut word, written, width, rows));
        machine.write(0, &noise(SIZE as usize, case));
        let before = machine.data();
        let mut expected = before.clone();
        for (y, x) in (0..rows).flat_map(|y| (0..width).map(move |x| (y, x))) {
            for (component, byte) in (0..made).flat_map(|component| (0..size).map(move |byte| (component, byte))) {
                let target = TARGET as i64 + to.offset(x * written + component * size + byte, y, written);
                let source = |component: u32| {
                    before[(SOURCE as i64 + from.offset(x * read + component * size + byte, y, read)) as usize]
                };
                expected[target as usize] = match from_where[component as usize] {
                    component @ 0..4 => source(component),
                    6 => continue,
                    constant => constants[constant as usize - 4].to_le_bytes()[byte as usize],
                };
            }
        }
        let map = from_where.iter().rev().fold(0, |map, from| map << 4 | from);
        let remap = map | (size - 1) << 16 | (count - 1) << 20 | (made - 1) << 24;
        machine.run(&methods(COPY, 0x1C0, &[constants[0], constants[1], remap]));
        machine.run(&rectangle(&from, &to, width, rows, 1 << 10));
        assert!(machine.data() == expected, "case {case}: {remap:#x} {from:?} {to:?} {width} x {rows}");
    }
    machine.expect_no_faults();
}

/// The wiki's fill: all components are constant A, of four bytes, one of them.
#[test]
fn one_line_is_filled_or_copied() {
    let mut machine = Machine::new();
    machine.run(&methods(COPY, 0x1C0, &[0x1234_5678, 0, 0x3_4444]));
    machine.run(&methods(COPY, 0x100, &[0, 0, 0, (DATA + TARGET) as u32, 0, 0, 3, 9]));
    machine.run(&methods(COPY, 0xC0, &[0x586]));
    assert_eq!(machine.words(TARGET), [0x1234_5678, 0x1234_5678, 0x1234_5678, 0]);
    // Three bytes to an element, both layout bits block-linear: one line is one line.
    machine.run(&methods(COPY, 0x1C0, &[0x11, 0x22, 0x0200_0454]));
    machine.run(&methods(COPY, 0xC0, &[0x402]));
    assert_eq!(machine.read(TARGET, 10), [0x11, 0x22, 0x11, 0x11, 0x22, 0x11, 0x11, 0x22, 0x11, 0x56]);
    machine.write(SOURCE, &[9, 8, 7, 6, 5]);
    machine.run(&methods(COPY, 0x100, &[0, (DATA + SOURCE) as u32, 0, (DATA + TARGET + 1) as u32, 0, 0, 5]));
    machine.run(&methods(COPY, 0xC0, &[0x186]));
    assert_eq!(machine.read(TARGET, 7), [0x11, 9, 8, 7, 6, 5, 0x11]);
    machine.expect_no_faults();
}

#[test]
fn semaphores_follow_the_data() {
    let mut machine = Machine::new();
    let release = |machine: &mut Machine, payload: u32, bits: u32| {
        machine.run(&methods(COPY, 0x90, &[0, DATA as u32, payload]));
        machine.run(&methods(COPY, 0xC0, &[bits]));
    };
    release(&mut machine, 5, 1 << 3);
    assert_eq!(machine.words(0), [5, 0, 0, 0]);
    release(&mut machine, 6, 2 << 3);
    let [payload, zero, time, _] = machine.words(0);
    assert!(payload == 6 && zero == 0 && time > 0);
    const ENABLE: u32 = 1 << 19;
    const UNSIGNED: u32 = 1 << 18;
    release(&mut machine, 4, 1 << 3 | 5 << 14 | ENABLE);
    release(&mut machine, u32::MAX, 1 << 3 | ENABLE | UNSIGNED);
    assert_eq!(machine.words(0), [10]);
    release(&mut machine, u32::MAX, 1 << 3 | ENABLE);
    assert_eq!(machine.words(0), [u32::MAX]);
    machine.write(0, &1.5f32.to_le_bytes());
    release(&mut machine, 2.25f32.to_bits(), 1 << 3 | 0xA << 14 | ENABLE | 2 << 5);
    assert_eq!(machine.words(0), [3.75f32.to_bits()]);
    assert_eq!(interrupts(&mut machine.gpu), 1);
    machine.expect_no_faults();
}

/// What is not mapped is a fault and nothing else; what is there is copied.
#[test]
fn copies_over_borders_of_memory() {
    let mut machine = Machine::new();
    let (end, bytes) = (BUFFER - 0x1_0000, noise(0x2000, 3));
    // Two mappings that touch, and nothing after them.
    machine.gpu.map(GuestRange::new(0, end - 0x2000, 0x1000), Access::READ_WRITE).expect("memory");
    machine.gpu.map(GuestRange::new(0, end - 0x1000, 0x1000), Access::READ_WRITE).expect("memory");
    machine.gpu.write(GuestAddr::new(0, end - 0x2000), &bytes).expect("mapped memory");
    let blocks = Blocks { gobs_across: 8, rows: 16, slices: 1, log2_gobs: 1, log2_slices: 0 };
    let image = Side::Blocks { blocks, width: 512, layer: 0, x: 0, y: 0 };
    let mut words = rectangle(&image, &Side::Pitch(512), 512, 16, 0);
    words[2] = (end - 0x2000) as u32;
    machine.run(&words);
    let found = machine.read(TARGET, 0x2000);
    for (y, x) in (0..16).flat_map(|y| (0..512).map(move |x| (y, x))) {
        assert_eq!(found[512 * y + x], bytes[blocks.offset(x as u32, y as u32, 0) as usize], "({x}, {y})");
    }
    machine.expect_no_faults();
    words[2] = (end - 0x1000) as u32;
    machine.run(&words);
    assert_eq!((machine.faults(FaultKind::UnmappedRead), machine.gpu.faults().total()), (1, 1));
    // The image of 8 KiB begins in the second mapping: of its 16 blocks of two GOBs the last half is missing.
    let found = machine.read(TARGET, 0x2000);
    for (y, x) in (0..16).flat_map(|y| (0..512).map(move |x| (y, x))) {
        let expected = bytes.get(0x1000 + blocks.offset(x as u32, y as u32, 0) as usize).copied().unwrap_or(0);
        assert_eq!(found[512 * y + x], expected, "({x}, {y})");
    }
    // Nothing at all there: the same for a line, on either side.
    machine.run(&methods(COPY, 0x100, &[0xFF, 0, 0, (DATA + TARGET) as u32, 0, 0, 16]));
    machine.run(&methods(COPY, 0xC0, &[0x186]));
    assert_eq!(machine.read(TARGET, 16), [0; 16]);
    machine.run(&methods(COPY, 0x100, &[0, DATA as u32, 0xFF, 0xFFFF_FFF0, 0, 0, 64]));
    machine.run(&methods(COPY, 0xC0, &[0x186]));
    assert_eq!((machine.faults(FaultKind::UnmappedRead), machine.faults(FaultKind::UnmappedWrite)), (2, 1));
}

/// Sizes that would take for ever end with the fuel.
#[test]
fn copies_without_end_are_stopped() {
    let mut machine = Machine::new();
    let blocks = Blocks { gobs_across: 1 << 20, rows: 1 << 20, slices: 1, log2_gobs: 5, log2_slices: 5 };
    let image = Side::Blocks { blocks, width: u32::MAX, layer: u32::MAX, x: 0xFFFF, y: 0xFFFF };
    for (from, to) in [(image, Side::Pitch(i32::MIN)), (Side::Pitch(i32::MAX), image), (image, image)] {
        machine.run(&rectangle(&from, &to, u32::MAX, u32::MAX, 0));
        machine.run(&methods(COPY, 0x1C2, &[0x0333_6543]));
        machine.run(&rectangle(&from, &to, u32::MAX, u32::MAX, 1 << 10));
    }
    machine.run(&methods(COPY, 0x1C0, &[1, 2, 0x3_4444]));
    machine.run(&methods(COPY, 0xC0, &[0x586 | 1 << 9]));
    assert!(machine.faults(FaultKind::OutOfFuel) >= 6);
}
