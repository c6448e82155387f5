//! Gas from registers to pictures: accumulation, the largest density and its way to the scale, colours.

use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::num::F16;
use triglyph_guest::pica::regs;

/// A red of 100.
pub const THIN: [f32; 4] = [100.0 / 255.0, 0.0, 0.0, 1.0];
const GPU: u32 = 0x40_1000;

/// Draws densities; the comparison of depths is `func`, the proportion `proportion` / 256.
pub fn gas(func: u32, proportion: u32) -> List {
    plain().with(regs::color_operation::ID, 0x00E4_0001).with(regs::gas_deltaz_depth::ID, func << 24 | proportion)
}

fn begin() -> List {
    let mut list = gas(1, 0);
    list.masked(regs::gas_accmax_feedback::ID, 0, 3);
    list
}

fn register(console: &mut Console, id: usize) -> u32 {
    console.gpu.with_gsp(|_, hardware| hardware.read_register(GPU + 4 * id as u32))
}

pub fn largest(console: &mut Console) -> f32 {
    F16::decode(register(console, regs::gas_accmax_feedback::ID) >> 16)
}

#[test]
fn densities_accumulate_and_the_largest_is_told() {
    let mut console = Console::new();
    // Without a depth buffer everything counts in full: D1 is blue and alpha, D2 red and green.
    assert_eq!(console.fill(begin(), THIN), [0, 100, 0, 100]);
    assert_eq!(largest(&mut console), 100.0);
    assert_eq!(console.fill(gas(1, 0), [1.0; 4]), [1, 99, 1, 99]);
    assert_eq!(largest(&mut console), 355.0);
    // Half of the target is drawn again; what is less than the largest changes nothing.
    console.write(COLOR, &[0; 4 * 16 * 16]);
    console.draw(gas(1, 0), &half(THIN));
    assert_eq!(largest(&mut console), 355.0);
    // Counted anew.
    console.draw(begin(), &half(THIN));
    assert_eq!(largest(&mut console), 200.0);
    assert_eq!(console.pixel(0, 0), [0, 200, 0, 200]);
    // As f16 there are 11 bits of it.
    let mut list = gas(1, 0);
    for _ in 0..30 {
        list.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
    }
    console.run(list.end());
    assert_eq!(console.pixel(0, 0), [12, 128, 12, 128]);
    assert_eq!(largest(&mut console), 3200.0);
}

#[test]
fn the_scale_follows_when_the_list_asks_for_it() {
    let mut console = Console::new();
    console.write_floats(VERTICES, &half(THIN).concat().concat());
    let mut list = begin();
    list.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
    let bytes = list_bytes(list.end());
    console.write(LISTS, &bytes);
    for (word, want) in [(0, 0), (1, F16::encode(0.01))] {
        let address = LISTS - HEAP + 0x3000_0000;
        console.gpu.execute(&[1, address, bytes.len() as u32, word, 0, 0, 0, 0]);
        // The list begins to count anew, so it is twice the same density: what is drawn adds up.
        console.write(COLOR, &[0; 4 * 16 * 16]);
        assert_eq!(register(&mut console, regs::gas_accmax::ID), want);
    }
}

#[test]
fn depth_makes_gas_thin_or_hides_it() {
    for (func, stored, proportion, want) in [
        // The target's depth is 0.5: a quarter of the range before what is stored.
        (3, 0xBF_FFFFu32, 0x200, [0, 50, 0, 100]),
        (3, 0xBF_FFFF, 0x1000, [0, 100, 0, 100]),
        (3, 0x3F_FFFF, 0x200, [0; 4]),
        (2, 0x3F_FFFF, 0x200, [0, 50, 0, 100]),
        (2, 0xBF_FFFF, 0x200, [0; 4]),
        (1, 0x3F_FFFF, 0x200, [0, 50, 0, 100]),
        (0, 0x3F_FFFF, 0x200, [0; 4]),
    ] {
        let mut console = Console::new();
        console.write(DEPTH, &stored.to_le_bytes().repeat(256));
        // The depth test is another matter.
        let list = gas(func, proportion).with(regs::depth_addr::ID, DEPTH >> 3).with(regs::depth_format::ID, 3);
        let list = list.with(regs::depth_color_mask::ID, 0x1001).with(regs::depth_write_allow::ID, 15);
        assert_eq!(console.fill(list, THIN), want, "{func} {stored:x} {proportion:x}");
        assert_eq!(console.read(DEPTH, 4), stored.to_le_bytes());
    }
}

/// Colours by the densities of an 8x8 texture.
fn colors(mode: u32) -> List {
    let mut list = plain();
    list.set(regs::tex_config::ID, 0x1001).set(regs::tex_dim::IDS[0], 8 << 16 | 8);
    list.set(regs::tex_param::IDS[0], 0x2200)
        .set(regs::tex_addr::IDS[0], TEXTURE >> 3)
        .set(regs::tex_format::IDS[0], 0);
    list.set(regs::tev_update_fog::ID, mode);
    // The value at x is x.
    list.set(regs::fog_lut_index::ID, 0);
    list.feed(regs::fog_lut_data::IDS[0], &std::array::from_fn::<u32, 128, _>(|i| (i as u32 * 16) << 13 | 16));
    list.set(regs::gas_attenuation::ID, F16::encode(1.0 / 1024.0));
    list.set(regs::gas_accmax::ID, F16::encode(1.0 / 512.0));
    list.set(regs::gas_lut_index::ID, 0);
    // From each colour halfway up in red, halfway down in green.
    list.feed(regs::gas_lut_data::ID, &[0x00_88_08; 8]);
    list.feed(regs::gas_lut_data::ID, &std::array::from_fn::<u32, 8, _>(|i| (i as u32) * 0x0A_10_10));
    list
}

#[test]
fn gas_is_colored_by_its_table() {
    let densities = |word: u32| word.to_le_bytes().repeat(64);
    for (mode, z_color, want) in [
        // d = 208/512, t = 3.25; alpha by 208/1024, entry 26.
        (7, 0, [3 * 16 + 4, 3 * 16 - 4, 30, 203]),
        // d = 96/512, t = 1.5.
        (0xF, 0, [16 + 8, 16 - 8, 10, 231]),
        // By light, all of it across the line of sight: 1 - 0.40625 * 51/255.
        (7, 0x100, [7 * 16 + 5, 7 * 16 - 6, 70, 203]),
        // Along it: as bright everywhere.
        (7, 0x1FF, [4 * 16, 4 * 16 - 1, 40, 203]),
    ] {
        let mut console = Console::new();
        console.write(TEXTURE, &densities(96 << 16 | 208));
        let mut list = colors(mode);
        list.set(regs::gas_light_xy::ID, 51 << 16 | 255 << 8).set(regs::gas_light_z::ID, 0x80_80);
        list.set(regs::gas_light_z_color::ID, z_color);
        assert_eq!(console.fill(list, WHITE), want, "{mode:x} {z_color:x}");
    }
}

#[test]
fn the_largest_density_outlives_a_snapshot() {
    let mut console = Console::new();
    console.fill(begin(), THIN);
    let snapshot = console.gpu.snapshot(SnapshotOptions::default()).unwrap();
    console.fill(begin(), WHITE);
    assert_eq!(largest(&mut console), 355.0);
    console.gpu.restore(&snapshot).unwrap();
    assert_eq!(largest(&mut console), 100.0);
    console.write(COLOR, &[0; 4 * 16 * 16]);
    console.fill(gas(1, 0), [0.2; 4]);
    assert_eq!(largest(&mut console), 100.0);
    console.fill(gas(1, 0), THIN);
    assert_eq!(largest(&mut console), 151.0);
}
