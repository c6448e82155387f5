//! Random values, programs and command lists of a 3DS guest.

use triglyph::FaultKind;
use triglyph_guest::num::F24;
use triglyph_guest::pica::random::{Options, program};
use triglyph_guest::pica::regs::{self, Effect};
use triglyph_guest::pica::{Program, isa};

use super::arena::{LISTS, Machine, RANGES};
use triglyph_testkit::pica::list::{List, VERTICES, draw_state};
use triglyph_testkit::random::Random;

/// A number: random, small, a size, a float, or an address near the beginning or end of a range, as registers have it.
fn value(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.word(),
        1 => random.below(16),
        2 => 1 << random.below(32),
        3 => random.pick(&[0, 1, 7, 8, 63, 64, 1023, 1024, 2047]) << random.pick(&[0, 11, 12, 16]) | random.below(2048),
        4 => F24::encode(random.float()),
        5 => u32::MAX << random.below(32),
        6 => physical(random) >> 3,
        _ => random.word() & 0x0101_0101,
    }
}

/// An address in, or shortly before or after, what is mapped.
fn physical(random: &mut Random) -> u32 {
    let (start, size, _) = random.pick(&RANGES);
    match random.below(4) {
        0 => start.wrapping_sub(random.below(0x100)),
        1 => start + size as u32 - random.below(0x100),
        _ => start + random.below(size as u32),
    }
}

/// Registers in a list, one entry for each; draws come up as often as everything else together in `DRAWS` packets.
fn register(random: &mut Random) -> usize {
    const DRAWS: u32 = 24;
    match random.below(DRAWS) {
        0 => regs::draw_arrays::ID,
        1 => regs::draw_elements::ID,
        2 => regs::fixed_attr_data::IDS[0],
        3 => random.below(0x400) as usize,
        // A list that jumps to itself runs until its budget is used up: rarely.
        _ => match random.pick(regs::REGISTERS).id {
            regs::cmdbuf_jump0::ID | regs::cmdbuf_jump1::ID if !random.one_in(16) => regs::draw_mode::ID,
            id => id,
        },
    }
}

/// The numbers of vertices stay small: what large ones do is a test of its own.
fn sensible(id: usize, value: u32) -> u32 {
    if id == regs::num_vertices::ID { value % 64 } else { value }
}

/// Words as they come.
pub fn random_words(machine: &mut Machine<'_>, random: &mut Random) {
    for _ in 0..4 {
        let mut words: Vec<u32> = (0..random.below(600)).map(|_| random.word()).collect();
        // Headers of registers that exist, now and then.
        for word in words.iter_mut().skip(1).step_by(2) {
            if random.one_in(2) {
                *word = *word & 0x81FF_0000 | random.below(0x300);
            }
        }
        // Large draws are left to another test.
        words.insert(0, 0xF_0000 | regs::num_vertices::ID as u32);
        words.insert(0, 40);
        machine.list(&words);
    }
}

/// Packets that are well formed, in any order, with any value.
pub fn random_packets(machine: &mut Machine<'_>, random: &mut Random) {
    let mut list = List::default();
    if random.one_in(2) {
        list = draw_state(1 + random.below(64), 1 + random.below(64));
    }
    for _ in 0..random.below(300) {
        let id = register(random);
        let extra = if random.one_in(8) { random.below(16) } else { 0 };
        let masks = random.pick(&[15, 15, 15, 15, 1, 2, 4, 8, 0, 6]);
        let consecutive = random.below(2) << 31;
        list.0.extend([sensible(id, value(random)), id as u32 | masks << 16 | extra << 20 | consecutive]);
        for index in 1..=extra {
            let of = id + if consecutive != 0 { index as usize } else { 0 };
            list.0.push(sensible(of, value(random)));
        }
        if list.0.len() % 2 == 1 {
            list.0.push(random.word());
        }
    }
    machine.list(list.end());
}

/// A draw that works, with some of its state registers changed: formats, sizes, addresses, viewports.
pub fn random_draws(machine: &mut Machine<'_>, random: &mut Random) {
    let vertices: Vec<u8> = (0..64 * 12).flat_map(|_| random.float().to_le_bytes()).collect();
    machine.write(VERTICES, &vertices);
    for _ in 0..3 {
        let (width, height) = (8 + random.below(120), 8 + random.below(120));
        let mut list = draw_state(width, height);
        let state: Vec<usize> =
            (0..regs::COUNT).filter(|&id| matches!(regs::EFFECTS[id], Effect::Dirty(_) | Effect::None)).collect();
        for _ in 0..random.below(24) {
            let id = random.pick(&state);
            list.set(id, sensible(id, value(random)));
        }
        // Texture sizes that are no power of two, and none at all.
        if random.one_in(2) {
            let size = |random: &mut Random| random.pick(&[0, 1, 7, 8, 9, 24, 64, 1023, 1024, 2047]);
            list.set(regs::tex_config::ID, 0x1007);
            for unit in 0..3 {
                list.set(regs::tex_dim::IDS[unit], size(random) << 16 | size(random));
                list.set(regs::tex_addr::IDS[unit], physical(random) >> 3);
                list.set(regs::tex_format::IDS[unit], random.below(16));
                list.set(regs::tex_param::IDS[unit], random.word());
                list.set(regs::tex_lod::IDS[unit], random.word());
            }
            list.set(regs::tev_source::IDS[0], 0x0054_0543 & random.word() | 3);
        }
        if random.one_in(3) {
            let (width, height) = (random.below(2048), random.below(1024));
            list.set(regs::fb_dim::ID, width | height << 12 | random.below(2) << 24);
        }
        list.set(regs::num_vertices::ID, random.below(40));
        list.set(random.pick(&[regs::draw_arrays::ID, regs::draw_elements::ID]), 1);
        machine.list(list.end());
    }
}

/// Programs of random words, of valid instructions in no order, and ragged ones, entered anywhere.
pub fn random_microcode(machine: &mut Machine<'_>, random: &mut Random) {
    let vertices: Vec<u8> = (0..64 * 12).flat_map(|_| random.float().to_le_bytes()).collect();
    machine.write(VERTICES, &vertices);
    let mut list = draw_state(32, 32);
    let length = 1 + random.below(512) as usize;
    let options =
        Options { length: length.min(200), ragged: true, garbage: true, geometry: true, ..Options::default() };
    let made = match random.below(3) {
        0 => Program { code: (0..length).map(|_| random.word()).collect(), ..Program::default() },
        1 => {
            let ops: Vec<_> = isa::Op::all().collect();
            let code = (0..length).map(|_| {
                let op = random.pick(&ops);
                isa::random_word(op, &mut || random.word())
            });
            Program { code: code.collect(), ..Program::default() }
        }
        _ => program(&mut || random.word(), options),
    };
    let descriptors = (0..128).map(|_| random.word()).collect();
    list.program(&Program { descriptors, ..made });
    list.set(regs::vsh_entry::ID, random.pick(&[0, 0, 0, random.clone().below(600), 0xFFFF]));
    list.set(regs::vsh_bool::ID, random.word());
    for integer in (0..regs::vsh_int::COUNT).map(regs::vsh_int::id) {
        list.set(integer, random.word());
    }
    if random.one_in(4) {
        // The geometry unit runs the same.
        list.set(regs::geostage_config::ID, 2).set(regs::gsh_misc0::ID, random.word() & 0xFF_FF03);
        list.set(regs::gsh_input_config::ID, 0x0800_0000 | random.below(16));
        list.set(regs::gsh_entry::ID, random.below(64));
    }
    list.set(regs::num_vertices::ID, 9).set(regs::draw_arrays::ID, 1);
    machine.list(list.end());
}

/// GX commands with numbers that mean something more often than chance.
pub fn random_commands(machine: &mut Machine<'_>, random: &mut Random) {
    for _ in 0..6 {
        let words: [u32; 8] = std::array::from_fn(|_| match random.below(6) {
            0 => random.word(),
            1 => random.below(0x8000),
            2 => random.below(200) << 16 | random.below(200),
            3 => 0x1F00_0000 + (physical(random) & 0xFF_FFFF),
            4 => 0x3000_0000 + (physical(random) & 0xFF_FFFF),
            _ => random.word() & 0x0301_732F,
        });
        let header = if random.one_in(8) { words[0] } else { random.below(7) };
        machine.gx([header, words[1], words[2], words[3], words[4], words[5], words[6], words[7]]);
    }
}

/// A list that jumps to its own beginning.
pub fn endless_jumps(machine: &mut Machine<'_>) {
    let mut list = List::default();
    list.set(regs::cmdbuf_size::IDS[0], 0x40 >> 3).set(regs::cmdbuf_addr::IDS[0], LISTS.0 >> 3);
    list.set(regs::cmdbuf_jump0::ID, 1);
    machine.list(&list.0);
    assert!(machine.faults().total() > 0, "it was noted that the list does not end");
}

/// Draws of more vertices than there is memory for, and of more than may be.
pub fn huge_counts(machine: &mut Machine<'_>) {
    let mut list = draw_state(8, 8);
    for count in [1 << 20, (1 << 20) + 1, u32::MAX] {
        list.set(regs::num_vertices::ID, count).set(regs::draw_arrays::ID, 1).set(regs::draw_elements::ID, 1);
    }
    machine.list(list.end());
    assert!(machine.faults().total() > 0, "it was noted that there are too many");
}

/// A program that never ends, in thousands of small draws and in immediate vertices.
pub fn endless_programs(machine: &mut Machine<'_>) {
    let mut list = draw_state(8, 8);
    list.program(&Program::assemble("forever: add r0, r0, v0\njmpu !b0, forever").expect("a program"));
    list.set(regs::num_vertices::ID, 3);
    list.feed(regs::draw_arrays::ID, &[1; 2_000]);
    list.set(regs::fixed_attr_index::ID, 15);
    list.feed(regs::fixed_attr_data::IDS[0], &[0x3F_0000; 9 * 1_000]);
    machine.list(list.end());
    let faults = machine.faults();
    assert!(faults.count(FaultKind::OutOfFuel) > 1_000, "it was noted that the program does not end: {faults:?}");
}
