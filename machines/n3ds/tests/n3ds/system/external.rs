//! The external registers of the 3DS: fills, display transfers, texture copies, against the vectors and the rules.

use crate::system::support::{Console, FCRAM, VRAM};
use triglyph_engine::device::FaultKind;
use triglyph_guest::format::PixelFormat;
use triglyph_guest::layout::{Block, morton, unmorton};
use triglyph_n3ds::external::FreezePolicy;
use triglyph_n3ds::gsp::Interrupt;
use triglyph_n3ds::lcd::{Eye, Screen};
use triglyph_testkit::data::{self, Value, bytes, json};
use triglyph_testkit::pica::format_named;
use triglyph_testkit::random::noise;

fn number(value: &Value) -> u32 {
    data::number(value) as u32
}

/// Starts a transfer with the given flags; both addresses are physical.
fn transfer(
    console: &mut Console,
    source: u64,
    target: u64,
    input: (u32, u32),
    output: (u32, u32),
    flags: u32,
) -> bool {
    console.poke(0xC00, (source >> 3) as u32);
    console.poke(0xC04, (target >> 3) as u32);
    console.poke(0xC08, output.0 | output.1 << 16);
    console.poke(0xC0C, input.0 | input.1 << 16);
    console.poke(0xC10, flags);
    let event = console.poke(0xC18, 1);
    event.is_some_and(|event| event.interrupt == Interrupt::Ppf)
}

fn copy(console: &mut Console, size: u32, input: (u32, u32), output: (u32, u32)) -> bool {
    console.poke(0xC20, size);
    console.poke(0xC24, input.0 | input.1 << 16);
    console.poke(0xC28, output.0 | output.1 << 16);
    transfer(console, FCRAM, VRAM, (0, 0), (0, 0), 8)
}

#[test]
fn display_transfer_vectors() {
    for case in json("3ds/vectors/display_transfer.json")["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let dim = |key: &str| (number(&case[key][0]), number(&case[key][1]));
        let (source, target) = (bytes(&case["src"]), bytes(&case["dst"]));
        let mut console = Console::new();
        console.core.bench.write(FCRAM, &source);
        assert!(transfer(&mut console, FCRAM, VRAM, dim("in_dim"), dim("out_dim"), number(&case["flags"])), "{name}");
        assert_eq!(console.core.bench.read(VRAM, target.len()), target, "{name}");
        assert_eq!(console.peek(0xC18), 0x100, "{name}");
        assert_eq!(console.core.faults.total(), 0, "{name}");
    }
}

#[test]
fn texture_copy_vectors() {
    for case in json("3ds/vectors/texture_copy.json")["cases"].as_array().unwrap() {
        let size = number(&case["size"]);
        let [input, output] =
            ["in", "out"].map(|side| (number(&case[&format!("{side}_width")]), number(&case[&format!("{side}_gap")])));
        let mut console = Console::new();
        let source = noise(0x400, 3);
        console.core.bench.write(FCRAM, &source);
        assert!(copy(&mut console, size, input, output), "{case}");
        let mut expected = vec![0; 0x400];
        let runs = case["runs"].as_array();
        for run in runs.into_iter().flatten() {
            let [to, from, length] = [0, 1, 2].map(|i| number(&run[i]) as usize);
            expected[to..to + length].copy_from_slice(&source[from..from + length]);
        }
        assert_eq!(console.core.bench.read(VRAM, 0x400), expected, "{case}");
        assert_eq!(console.core.faults.count(FaultKind::BadCommand), u64::from(runs.is_none()), "{case}");

        let mut console = Console::new();
        console.external.set_freeze_policy(FreezePolicy::Hang);
        assert_eq!(copy(&mut console, size, input, output), runs.is_some(), "{case}");
        assert_eq!(console.peek(0x034), if runs.is_some() { 0 } else { 1 << 30 });
    }
}

#[test]
fn texture_copies_cut_their_addresses() {
    let source = noise(0x100, 3);
    let mut console = Console::new();
    console.core.bench.write(FCRAM, &source);
    console.poke(0xC20, 64);
    assert!(transfer(&mut console, FCRAM + 0x18, VRAM + 0x28, (0, 0), (0, 0), 8));
    assert_eq!(console.core.bench.written(), [(VRAM + 0x20, 64)]);
    assert_eq!(console.core.bench.read(VRAM + 0x20, 64), source[0x10..0x50]);
    // The registers keep what was written.
    assert_eq!([console.peek(0xC00), console.peek(0xC04)], [FCRAM + 0x18, VRAM + 0x28].map(|at| (at >> 3) as u32));
}

#[test]
fn a_frozen_engine_stays_frozen() {
    let mut console = Console::new();
    console.external.set_freeze_policy(FreezePolicy::Hang);
    assert!(!copy(&mut console, 0, (0, 0), (0, 0)));
    assert_eq!(console.peek(0xC18), 1);
    assert!(!copy(&mut console, 64, (0, 0), (0, 0)));
    assert_eq!(console.peek(0xC18), 1);
}

#[test]
fn color_vectors() {
    let file = json("3ds/vectors/color_convert.json");
    let format = |case: &Value| format_named(case["format"].as_str().unwrap());
    let number_of = |format: PixelFormat| PixelFormat::ALL.iter().position(|&f| f == format).unwrap() as u32;
    let color = |case: &Value| [0, 1, 2, 3].map(|i| number(&case["rgba8"][i]) as u8);
    for case in file["expand"].as_array().unwrap() {
        let mut console = Console::new();
        let pixel = number(&case["word"]).to_le_bytes();
        console.core.bench.write(FCRAM, &pixel[..format(case).bytes() as usize]);
        transfer(&mut console, FCRAM, VRAM, (8, 8), (8, 8), number_of(format(case)) << 8);
        let [r, g, b, a] = color(case);
        assert_eq!(console.core.bench.read(VRAM, 4), [a, b, g, r], "{case}");
    }
    for case in file["encode_memory_bytes"].as_array().unwrap() {
        let mut console = Console::new();
        let [r, g, b, a] = color(case);
        console.core.bench.write(FCRAM, &[a, b, g, r]);
        transfer(&mut console, FCRAM, VRAM, (8, 8), (8, 8), number_of(format(case)) << 12);
        let expected = bytes(&case["bytes"]);
        assert_eq!(console.core.bench.read(VRAM, expected.len()), expected, "{case}");
    }
}

#[test]
fn morton_vectors() {
    let file = json("3ds/vectors/morton.json");
    for (y, row) in file["tile8x8_rows_y_then_x"].as_array().unwrap().iter().enumerate() {
        for (x, index) in row.as_array().unwrap().iter().enumerate() {
            assert_eq!(morton(x as u32, y as u32), number(index));
        }
    }
    for (index, xy) in file["inverse_index_to_xy"].as_array().unwrap().iter().enumerate() {
        assert_eq!(unmorton(index as u32), (number(&xy[0]), number(&xy[1])));
    }
    for case in file["byte_offsets"].as_array().unwrap() {
        let [x, y, width, bytes, offset] =
            ["x", "y", "width", "bytes_per_pixel", "offset"].map(|key| number(&case[key]));
        assert_eq!(Block::B8.index(x, y, width) * bytes, offset);
    }
}

#[test]
fn layouts_of_all_flag_combinations() {
    let pixels = noise(64 * 64 * 4, 5);
    let pixel = |index: u32| &pixels[index as usize * 4..][..4];
    for (flags, input, output) in [
        (0x00, Some(Block::B8), None),
        (0x02, None, Some(Block::B8)),
        (0x20, Some(Block::B8), Some(Block::B8)),
        // Leaving tiles as they are wins.
        (0x22, Some(Block::B8), Some(Block::B8)),
        (0x1_0000, Some(Block::B32), None),
        (0x1_0002, None, Some(Block::B32)),
    ] {
        let mut console = Console::new();
        console.core.bench.write(FCRAM, &pixels);
        assert!(transfer(&mut console, FCRAM, VRAM, (64, 64), (64, 64), flags));
        let index = |layout: Option<Block>, x, y| layout.map_or(y * 64 + x, |block| block.index(x, y, 64));
        let found = console.core.bench.read(VRAM, pixels.len());
        for (x, y) in [(0, 0), (1, 0), (0, 1), (9, 3), (63, 63), (40, 21)] {
            let at = index(output, x, y) as usize * 4;
            assert_eq!(&found[at..at + 4], pixel(index(input, x, y)), "{flags:#x} {x} {y}");
        }
    }
}

#[test]
fn transfers_that_move_nothing_complete() {
    let full = (16, 16);
    for (input, output, flags, faults) in [
        ((0, 16), full, 0, 0),
        ((16, 0), full, 0, 0),
        (full, (0, 16), 0, 0),
        (full, (16, 0), 0, 0),
        (full, full, 3 << 24, 1),
        (full, full, 5 << 8, 1),
        (full, full, 7 << 12, 1),
        // Scaled to nothing.
        (full, (1, 1), 2 << 24, 0),
    ] {
        let mut console = Console::new();
        console.core.bench.write(FCRAM, &noise(0x400, 1));
        assert!(transfer(&mut console, FCRAM, VRAM, input, output, flags));
        assert_eq!(console.peek(0xC18), 0x100);
        assert!(console.core.bench.written().is_empty());
        assert_eq!(console.core.faults.total(), faults);
    }
}

#[test]
fn flip_and_crop_displace_the_target() {
    for (flags, displacement) in [(0x1, 0), (0x4, 0), (0x5, (32 - 16) * (8 - 1) * 3)] {
        let mut console = Console::new();
        console.core.bench.write(FCRAM, &noise(32 * 8 * 4, 1));
        transfer(&mut console, FCRAM, VRAM + 0x1000, (32, 8), (16, 8), flags | 1 << 12);
        assert_eq!(console.core.bench.written(), [(VRAM + 0x1000 + displacement, 16 * 8 * 3)]);
    }
    // A target wider than the source moves the other way.
    let mut console = Console::new();
    transfer(&mut console, FCRAM, VRAM + 0x1000, (16, 8), (32, 8), 0x5);
    assert_eq!(console.core.bench.written(), [(VRAM + 0x1000 - 16 * 7 * 4, 32 * 8 * 4)]);
}

#[test]
fn rows_longer_than_the_target_are_skipped_with_the_crop_bit_alone() {
    let source = noise(32 * 8 * 4, 1);
    // With the bit the first 16 of 32 pixels of each row, else rows of 16 pixels.
    for (crop, width) in [(4, 32), (0, 16)] {
        let mut console = Console::new();
        console.core.bench.write(FCRAM, &source);
        assert!(transfer(&mut console, FCRAM, VRAM, (32, 8), (16, 8), crop));
        let pixel = |at: u32| &source[4 * Block::B8.index(at % 16, at / 16, width) as usize..][..4];
        let expected: Vec<u8> = (0..16 * 8).flat_map(pixel).copied().collect();
        assert_eq!(console.core.bench.read(VRAM, 16 * 8 * 4), expected);
        assert_eq!(console.core.bench.written(), [(VRAM, 16 * 8 * 4)]);
    }
}

/// Pairs of formats of which 3dbrew says that no interrupt comes.
#[test]
fn conversions_between_some_formats_freeze() {
    let count = PixelFormat::ALL.len() as u32;
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        let [input, output] = [from, to].map(|number| PixelFormat::ALL[number as usize]);
        let ends =
            input == PixelFormat::Rgba8 || input == output || [input, output].iter().all(|format| format.bytes() == 2);
        // From tiles to rows, from tiles to tiles, from rows to tiles.
        for (layout, ends) in [(0, ends), (0x20, ends), (2, true)] {
            let flags = layout | from << 8 | to << 12;
            let mut console = Console::new();
            assert!(transfer(&mut console, FCRAM, VRAM, (16, 16), (16, 16), flags));
            assert_eq!(console.core.faults.count(FaultKind::BadCommand), u64::from(!ends), "{input:?} {output:?}");
            let mut console = Console::new();
            console.external.set_freeze_policy(FreezePolicy::Hang);
            assert_eq!(transfer(&mut console, FCRAM, VRAM, (16, 16), (16, 16), flags), ends, "{input:?} {output:?}");
            assert_eq!(console.peek(0x034), if ends { 0 } else { 1 << 30 });
        }
    }
}

/// What a console gives: citra-emu/hwtests, RGBA8_To_RGB8_Different_Sizes.
#[test]
fn without_the_crop_bit_a_narrower_target_takes_rows_of_its_own_length() {
    let (from, to) = ((0x200, 0x190), (0xF0, 0x190));
    let (last_of_target, last_of_source) = (0xF0 * 0x190 - 1, 0x200 * 0x190 - 1);
    let mut console = Console::with_memory(&[(VRAM, 0x10_0000), (FCRAM, 0x10_0000)]);
    for (pixel, word) in [(0, 0xFF00_0000_u32), (last_of_target, 0x00FF_0000), (last_of_source, 0x0000_FF00)] {
        console.core.bench.write(FCRAM + 4 * pixel, &word.to_le_bytes());
    }
    assert!(transfer(&mut console, FCRAM, VRAM, from, to, 1 << 12));
    let word = |index: u64| console.core.bench.read(VRAM + 4 * index, 4);
    assert_eq!(word(0), 0x00FF_0000_u32.to_le_bytes());
    assert_eq!(word(0x1193F), 0x00FF_0000_u32.to_le_bytes());
    assert_eq!(word(0xF0 * 0x190 - 1), [0; 4]);
}

#[test]
fn transfers_read_on_behind_the_source_and_stop_at_the_end_of_memory() {
    let mut console = Console::with_memory(&[(VRAM, 0x1000), (FCRAM, 0x1000)]);
    console.core.bench.write(FCRAM, &noise(0x1000, 1));
    // 64 rows are asked for of 16; 0x1000 bytes are 16 rows of 64 pixels, 4 bytes each.
    assert!(transfer(&mut console, FCRAM, VRAM, (64, 16), (64, 64), 0x22));
    assert_eq!(console.core.bench.read(VRAM, 0x1000), noise(0x1000, 1));
    assert_eq!(console.core.bench.written(), [(VRAM, 0x1000)]);
    assert_eq!(console.core.faults.count(FaultKind::UnmappedWrite), 1);
    // Nothing mapped at all.
    assert!(transfer(&mut console, 0, 0, (64, 16), (64, 16), 0));
    assert!(console.core.bench.written().is_empty());
}

#[test]
fn fills_of_every_width() {
    for (width, pattern) in
        [(0, &[0x11, 0x22][..]), (1, &[0x11, 0x22, 0x33]), (2, &[0x11, 0x22, 0x33, 0x44]), (3, &[0x11, 0x22, 0x33])]
    {
        for (unit, interrupt) in [(0x10, Interrupt::Psc0), (0x20, Interrupt::Psc1)] {
            let mut console = Console::new();
            console.poke(unit, (VRAM as u32 + 0x100) >> 3);
            console.poke(unit + 4, (VRAM as u32 + 0x140) >> 3);
            console.poke(unit + 8, 0x4433_2211);
            assert_eq!(console.poke(unit + 12, width << 8), None);
            assert_eq!(console.poke(unit + 12, width << 8 | 1).unwrap().interrupt, interrupt);
            assert_eq!(console.peek(unit + 12), width << 8 | 2);
            let expected: Vec<u8> = pattern.iter().copied().cycle().take(0x40).collect();
            assert_eq!(console.core.bench.read(VRAM + 0x100, 0x40), expected);
            assert_eq!(console.core.bench.written(), [(VRAM + 0x100, 0x40)]);
            assert_eq!(console.core.bench.read(VRAM + 0x140, 8), [0; 8]);
            // The finished bit stays until it is written.
            console.poke(unit + 12, 0);
            assert_eq!(console.peek(unit + 12), 0);
        }
    }
}

#[test]
fn fills_without_a_range() {
    let mut console = Console::new();
    let mut fill = |start: u64, end: u64| {
        console.poke(0x10, (start >> 3) as u32);
        console.poke(0x14, (end >> 3) as u32);
        let event = console.poke(0x1C, 0x201);
        assert_eq!(console.peek(0x1C), 0x202);
        assert!(console.core.bench.written().is_empty());
        event.is_some()
    };
    assert!(!fill(0, VRAM + 8));
    assert!(fill(VRAM + 8, VRAM + 8));
    assert!(fill(VRAM + 8, VRAM));
    assert_eq!(console.core.faults.total(), 0);
}

#[test]
fn fills_outside_memory_are_faults() {
    let mut console = Console::with_memory(&[(VRAM, 0x100)]);
    console.poke(0x10, (VRAM as u32) >> 3);
    console.poke(0x14, (VRAM as u32 + 0x200) >> 3);
    console.poke(0x18, u32::MAX);
    assert!(console.poke(0x1C, 0x201).is_some());
    assert_eq!(console.core.bench.written(), [(VRAM, 0x100)]);
    assert_eq!(console.core.faults.count(FaultKind::UnmappedWrite), 1);
}

#[test]
fn lists_start_through_either_channel() {
    for channel in [0, 4] {
        let mut console = Console::new();
        console.poke(0x18E0 + channel, 0xFFE0_0000 | 0x40 >> 3);
        console.poke(0x18E8 + channel, 0x2000_1000 >> 3);
        assert_eq!(console.poke(0x18F0 + channel, 0), None);
        assert_eq!(console.poke(0x18F0 + channel, 1).unwrap().interrupt, Interrupt::P3d);
        assert_eq!(console.core.lists, [(0x2000_1000, 0x40)]);
        assert_eq!(console.peek(0x18F0 + channel), 0);
        assert_eq!(console.core.registers[0x238 + channel as usize / 4] & 0x1F_FFFF, 8);
        console.core.lists_end = false;
        assert_eq!(console.poke(0x18F0 + channel, 1), None);
    }
}

#[test]
fn internal_registers_appear_behind_the_block() {
    let mut console = Console::new();
    assert_eq!(console.poke(0x1000 + 0x47 * 4, 0xABCD), None);
    assert_eq!(console.core.registers[0x47], 0xABCD);
    assert_eq!(console.peek(0x1000 + 0x47 * 4), 0xABCD);
    assert_eq!(console.poke(0x1040, 0x1234_5678).unwrap().interrupt, Interrupt::P3d);
    assert_eq!(console.poke(0x1040, 0), None);
    for offset in [0x1C00, 0x2000, u32::MAX] {
        assert_eq!(console.poke(offset, 1), None);
        assert_eq!(console.peek(offset), 0);
    }
    assert_eq!(console.core.faults.count(FaultKind::BadMethod), 6);
}

#[test]
fn bits_that_do_not_exist_read_zero() {
    let mut console = Console::new();
    for (offset, expected) in [
        (0x000, 0),
        (0x004, u32::MAX),
        (0x010, 0x1FFF_FFFF),
        (0x024, 0x1FFF_FFFF),
        (0x034, 0),
        (0x038, u32::MAX),
        (0xC00, 0x1FFF_FFFF),
        (0xC10, 0x0301_772F),
        (0xC20, u32::MAX),
        (0x468, u32::MAX),
        (0x450, 0),
    ] {
        console.poke(offset, u32::MAX);
        assert_eq!(console.peek(offset), expected, "{offset:#x}");
    }
    console.external.set_new_model(true);
    assert_eq!(console.peek(0), 4);
}

#[test]
fn lcd_registers_reach_their_screens() {
    let mut console = Console::new();
    console.poke(0x46C, 0x1830_0000);
    console.poke(0x478, 1);
    console.poke(0x568, 0x1840_0000);
    console.poke(0x580, 3);
    console.poke(0x584, 0x0102_0304);
    assert_eq!(console.external.lcd(Screen::Top).picture(Eye::Left).unwrap().address, 0x1830_0000);
    assert_eq!(console.external.lcd(Screen::Bottom).picture(Eye::Left).unwrap().address, 0x1840_0000);
    assert_eq!(console.external.lcd(Screen::Bottom).gamma([3, 3, 3]), [4, 3, 2]);
    assert_eq!(console.peek(0x584), 0x0004_0404);
}
