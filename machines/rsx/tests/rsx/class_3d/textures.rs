//! The RSX's 3D class: textures, from registers to what a program reads.

use crate::class_3d::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::layout::surface::swizzle;
use triglyph_guest::rsx::methods::curie as m;

/// Linear rows.
const LINEAR: u32 = 0x20;

/// Unit 0: a two-dimensional image in local memory, nearest texels, everything clamped.
struct Unit {
    format: u32,
    size: [u32; 3],
    dimension: u32,
    cube: bool,
    levels: u32,
    pitch: u32,
    remap: u32,
    address: u32,
    control0: u32,
    filter: u32,
    border: u32,
}

impl Unit {
    fn new(format: u32, width: u32, height: u32) -> Self {
        Unit {
            format,
            size: [width, height, 1],
            dimension: 2,
            cube: false,
            levels: 1,
            pitch: 64,
            remap: 0xAAE4,
            address: 0x3_0303,
            control0: 0x8000_0000,
            filter: 0x0101_0000,
            border: 0,
        }
    }

    fn set(&self, console: &mut Console) {
        let format = 1 | u32::from(self.cube) << 2 | 8 | self.dimension << 4 | self.format << 8 | self.levels << 16;
        console.method(
            m::set_texture_offset::id(0),
            &[
                TEXTURE,
                format,
                self.address,
                self.control0,
                self.remap,
                self.filter,
                self.size[0] << 16 | self.size[1],
                self.border,
            ],
        );
        console.set(m::set_texture_control3::id(0), self.pitch | self.size[2] << 20);
    }
}

/// Draws all pixels with the texture at the coordinates of `corners` (of the pixels' top left, top right, bottom right,
/// bottom left).
fn draw(console: &mut Console, corners: [[f32; 4]; 4]) {
    console.begin(QUADS);
    for (position, coordinate) in rect([0.0, 0.0, 16.0, 16.0], 0.5).into_iter().zip(corners) {
        console.attribute(8, coordinate);
        console.attribute(0, position);
    }
    console.end();
    console.run();
}

/// The same coordinate everywhere.
fn sample(unit: &Unit, texels: &[u8], coordinate: [f32; 4]) -> u32 {
    let mut console = Console::new();
    console.fragment_program("tex r0, f[TC0], tex0  [end]");
    console.write_local(TEXTURE, texels);
    unit.set(&mut console);
    draw(&mut console, [coordinate; 4]);
    assert_eq!(console.faults(), 0);
    console.pixel(7, 7)
}

#[test]
fn texel_formats() {
    let half = |v: u16| v.to_be_bytes().to_vec();
    let cases: Vec<(u32, Vec<u8>, u32)> = vec![
        (0x81, vec![0x42], 0xFF42_4242),
        (0x82, half(0b1_11111_00000_10000), 0xFFFF_0084),
        (0x82, half(0b0_11111_00000_10000), 0x00FF_0084),
        (0x83, half(0x8F0A), 0x88FF_00AA),
        (0x84, half(0b11111_100000_00000), 0xFFFF_8200),
        (0x85, vec![0x11, 0x22, 0x33, 0x44], 0x1122_3344),
        // High byte green, low byte blue: (A, R, G, B) = (G, R, G, R).
        (0x8B, vec![0x80, 0x40], 0x8040_8040),
        (0x8F, half(0b111111_00000_11111), 0xFFFF_00FF),
        (0x94, half(0x8080), 0x80FF_80FF),
        (0x95, vec![0x80, 0x80, 0x40, 0x40], 0x4080_4080),
        (0x97, half(0b00000_11111_00000_1), 0xFF00_FF00),
        (0x98, vec![0x80, 0x40], 0x4080_4080),
        (0x99, vec![0x7F, 0x80], 0x00FF_00FF),
        (0x9A, vec![0x3C, 0, 0x38, 0, 0, 0, 0x3A, 0], 0xBFFF_8000),
        (0x9C, vec![0x3F, 0, 0, 0], 0x8080_8080),
        (0x9D, half(0b0_11111_00000_11111), 0xFFFF_00FF),
        (0x9E, vec![0x11, 0x22, 0x33, 0x44], 0xFF22_3344),
        (0x9F, vec![0x38, 0, 0x3C, 0], 0x80FF_80FF),
        // Depth without comparison.
        (0x90, vec![0x80, 0, 0, 0x12], 0x8080_8080),
        (0x91, ((0.5f32.to_bits() >> 7) << 8).to_be_bytes().to_vec(), 0x8080_8080),
        (0x92, half(0x8080), 0x8080_8080),
        (0x93, half(0x6000), 0x8080_8080),
    ];
    for (format, texel, expected) in cases {
        for linear in [0, LINEAR] {
            let unit = Unit::new(format | linear, 1, 1);
            assert_eq!(sample(&unit, &texel, [0.5; 4]), expected, "{format:#x}");
        }
    }
    let [r, g, b, a] = [1.0f32, 0.25, 0.5, 0.75].map(f32::to_be_bytes);
    assert_eq!(sample(&Unit::new(0x9B, 1, 1), &[r, g, b, a].concat(), [0.5; 4]), 0xBFFF_4080);
}

#[test]
fn bit_31_of_an_offset_does_nothing() {
    for (bit, color) in [(0, 0x1122_3344), (1 << 31, 0x1122_3344), (1 << 30, 0)] {
        let mut console = Console::new();
        console.fragment_program("tex r0, f[TC0], tex0  [end]");
        console.write_local(TEXTURE, &[0x11, 0x22, 0x33, 0x44]);
        Unit::new(0x85 | LINEAR, 1, 1).set(&mut console);
        console.set(m::set_texture_offset::id(0), TEXTURE | bit);
        console.set(m::set_shader_program::ID, PROGRAM | 1 | 1 << 31);
        draw(&mut console, [[0.5; 4]; 4]);
        assert_eq!((console.pixel(7, 7), console.faults() == 0), (color, bit != 1 << 30), "{bit:#x}");
    }
}

#[test]
fn pairs_of_texels_share_colour() {
    for (format, bytes) in [(0x8D, [0x0B, 0x10, 0x0C, 0x20]), (0x8E, [0x10, 0x0B, 0x20, 0x0C])] {
        let unit = Unit::new(format | LINEAR, 2, 1);
        assert_eq!(sample(&unit, &bytes, [0.25; 4]), 0xFF20_0C0B);
        assert_eq!(sample(&unit, &bytes, [0.75; 4]), 0xFF10_0C0B);
    }
}

#[test]
fn swizzled_and_linear_rows() {
    let (width, height) = (8, 4);
    let texel = |x: u32, y: u32| [0xFF, x as u8, y as u8, 0];
    let mut swizzled = vec![0; 128];
    let mut linear = vec![0; 64 * 4];
    for y in 0..height {
        for x in 0..width {
            let at = 4 * swizzle(x, y, 3, 2) as usize;
            swizzled[at..at + 4].copy_from_slice(&texel(x, y));
            let at = (64 * y + 4 * x) as usize;
            linear[at..at + 4].copy_from_slice(&texel(x, y));
        }
    }
    for (format, texels) in [(0x85, swizzled), (0x85 | LINEAR, linear)] {
        let mut console = Console::new();
        console.fragment_program("tex r0, f[TC0], tex0  [end]");
        console.write_local(TEXTURE, &texels);
        Unit::new(format, width, height).set(&mut console);
        draw(&mut console, [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]);
        for (x, y) in [(0, 0), (15, 0), (4, 9), (11, 14)] {
            let [a, r, g, b] = texel(x / 2, y / 4);
            assert_eq!(console.pixel(x, y), u32::from_be_bytes([a, r, g, b]), "{x} {y}");
        }
    }
}

#[test]
fn levels_follow_each_other() {
    // Swizzled 4x4, 2x2, 1x1 of bytes; linear ones of the same pitch.
    for linear in [0, LINEAR] {
        let mut texels = vec![0; 64 * 8];
        let starts = if linear == 0 { [0, 16, 20] } else { [0, 256, 384] };
        for (level, start) in starts.into_iter().enumerate() {
            texels[start] = 0x11 * (level as u8 + 1);
        }
        for level in 0..3 {
            // Equal limits choose the level.
            let mut unit = Unit::new(0x81 | linear, 4, 4);
            unit.levels = 3;
            unit.filter = 0x0103_0000;
            unit.control0 |= (level * 256) << 7 | (level * 256) << 19;
            assert_eq!(sample(&unit, &texels, [0.0; 4]) & 0xFF, 0x11 * (level + 1), "{linear} {level}");
        }
    }
}

/// A pixel is four texels wide and one high: taps along the row take a level that is as much finer as there are taps.
#[test]
fn anisotropy_takes_finer_levels() {
    let texels: Vec<u8> = [(64, 0x10), (16, 0x20), (4, 0x30), (1, 0x40)].map(|(n, v)| vec![v; n]).concat();
    const LINEAR_NEAREST: u32 = 0x0204_0000;
    const NEAREST_NEAREST: u32 = 0x0103_0000;
    for (filter, most, value) in [
        (LINEAR_NEAREST, 0, 0x30),
        (LINEAR_NEAREST, 1, 0x20),
        (LINEAR_NEAREST, 2, 0x10),
        (LINEAR_NEAREST, 7, 0x10),
        (NEAREST_NEAREST, 7, 0x30),
    ] {
        let mut unit = Unit::new(0x81, 8, 8);
        (unit.levels, unit.filter, unit.address) = (4, filter, 0x1_0101);
        unit.control0 |= (3 * 256) << 7 | most << 4;
        let mut console = Console::new();
        console.fragment_program("tex r0, f[TC0], tex0  [end]");
        console.write_local(TEXTURE, &texels);
        unit.set(&mut console);
        let corner = |s, t| [s, t, 0.0, 1.0];
        draw(&mut console, [corner(0.0, 0.0), corner(8.0, 0.0), corner(8.0, 2.0), corner(0.0, 2.0)]);
        assert_eq!(console.pixel(7, 7) & 0xFF, value, "{filter:#x} {most}");
    }
}

#[test]
fn coordinates_in_texels() {
    let unit = Unit::new(0x81 | LINEAR | 0x40, 4, 1);
    assert_eq!(sample(&unit, &[1, 2, 3, 4], [2.5, 0.5, 0.0, 0.0]) & 0xFF, 3);
}

#[test]
fn cubes_have_six_faces() {
    // 2x2 texels of a byte: faces are 128 bytes apart.
    let mut texels = vec![0; 6 * 128];
    (0..6).for_each(|face| texels[128 * face..128 * face + 4].fill(face as u8 + 1));
    let mut unit = Unit::new(0x81, 2, 2);
    unit.cube = true;
    let directions =
        [[1.0, 0.1, 0.1], [-1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, -1.0, 0.1], [0.1, 0.1, 1.0], [0.1, 0.1, -1.0]];
    for (face, [x, y, z]) in directions.into_iter().enumerate() {
        assert_eq!(sample(&unit, &texels, [x, y, z, 0.0]) & 0xFF, face as u32 + 1);
    }
}

#[test]
fn volumes_interleave_three_axes() {
    let mut unit = Unit::new(0x81, 2, 2);
    (unit.dimension, unit.size[2]) = (3, 2);
    let texels = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(sample(&unit, &texels, [0.75, 0.25, 0.75, 0.0]) & 0xFF, 5);
    unit.format |= LINEAR;
    unit.pitch = 2;
    assert_eq!(sample(&unit, &texels, [0.25, 0.75, 0.75, 0.0]) & 0xFF, 6);
}

#[test]
fn the_crossbar_exchanges_channels() {
    let texel = [0xAA, 0x11, 0x22, 0x33];
    let read = |remap: u32| {
        let mut unit = Unit::new(0x85, 1, 1);
        unit.remap = remap;
        sample(&unit, &texel, [0.5; 4])
    };
    assert_eq!(read(0xAAE4), 0xAA11_2233);
    // b, g, r, a in the places of a, r, g, b.
    assert_eq!(read(0xAA1B), 0x3322_11AA);
    // a is 1, r is 0.
    assert_eq!(read(0xA1E4), 0xFF00_2233);
    // Formats of two components have words of their own.
    let pair = |remap: u32| {
        let mut unit = Unit::new(0x95, 1, 1);
        unit.remap = remap;
        sample(&unit, &[0x80, 0x80, 0x40, 0x40], [0.5; 4])
    };
    assert_eq!(pair(0xAAE4), 0x4080_4080);
    assert_eq!(pair(0x1_AAE4), 0x4080_8080);
    assert_eq!(pair(0xAA44), 0x8080_8080);
    assert_eq!(pair(0xAAEE), 0x4040_4040);
    // As Mesa reads depth: the upper half everywhere, alpha 1.
    assert_eq!(pair(0xA900), 0xFF80_8080);
}

#[test]
fn channels_are_converted() {
    let texel = [0x00, 0xBC, 0x40, 0x80];
    let read = |address: u32, filter: u32| {
        let mut unit = Unit::new(0x85, 1, 1);
        unit.address |= address;
        unit.filter |= filter;
        sample(&unit, &texel, [0.5; 4])
    };
    // Gamma of red and green.
    assert_eq!(read(0x30_0000, 0), 0x0080_0D80);
    // Signed red: -0x44 is below 0; signed green: 0x40 / 127, of which 12 bits are stored.
    assert_eq!(read(0, 0x6000_0000), 0x0000_8080);
    // Biased: (v - 128) / 127.
    assert_eq!(read(0x1000, 0), 0x0078_0000);
}

#[test]
fn constants_of_the_crossbar_are_not_converted() {
    let read = |remap: u32, address: u32, filter: u32| {
        let mut unit = Unit::new(0x85, 1, 1);
        unit.remap = remap;
        unit.address |= address;
        unit.filter |= filter;
        sample(&unit, &[0x40, 0x20, 0x10, 0x08], [0.5; 4])
    };
    // Alpha 1, red 0, the others from the texel; all signed: 0x20 / 127 and 0x10 / 127.
    let [green, blue] = [0x10, 0x08].map(|byte| (f64::from(byte) * 255.0 / 127.0 + 0.5) as u32);
    assert_eq!(read(0xA1E4, 0, 0xF000_0000), 0xFF00_0000 | green << 8 | blue);
    // Biased ones that stay above 0.
    assert_eq!(read(0x51E4, 0x1000, 0) >> 16, 0xFF00);
    // Signed belongs to the channel of the texel: green from red, which alone is signed.
    assert_eq!(read(0xAAA4 & !0x30 | 0x10, 0, 0x4000_0000) >> 8 & 0xFF, 0x20);
}

#[test]
fn borders_and_wraps() {
    let read = |wrap: u32, x: f32| {
        let mut unit = Unit::new(0x81 | LINEAR, 4, 1);
        unit.address = wrap | 3 << 8 | 3 << 16;
        unit.border = 0x99AA_BBCC;
        sample(&unit, &[1, 2, 3, 4], [x, 0.5, 0.0, 0.0]) & 0xFF
    };
    assert_eq!([read(1, 1.3), read(2, 1.3), read(3, 1.3), read(4, 1.3), read(5, 1.3)], [2, 3, 4, 0xCC, 4]);
    assert_eq!([read(6, -0.3), read(7, -0.3), read(7, -1.3), read(8, -1.3)], [2, 2, 0xCC, 4]);
}

#[test]
fn linear_filters_weigh_texels() {
    let mut unit = Unit::new(0x81 | LINEAR, 2, 1);
    unit.filter = 0x0202_0000;
    assert_eq!(sample(&unit, &[0, 200], [0.5, 0.5, 0.0, 0.0]) & 0xFF, 100);
    // Singles are never filtered.
    let mut unit = Unit::new(0x9C | LINEAR, 2, 1);
    unit.filter = 0x0202_0000;
    assert_eq!(sample(&unit, &[0, 0, 0, 0, 0x3F, 0x80, 0, 0], [0.6, 0.5, 0.0, 0.0]) & 0xFF, 255);
}

#[test]
fn depth_textures_compare() {
    // (function, reference, passes): texel OP reference, the texel being one half.
    for (function, reference, passes) in [
        (1, 0.6, true),
        (1, 0.4, false),
        (3, 0.6, true),
        (4, 0.4, true),
        (6, 0.4, true),
        (6, 0.6, false),
        (7, 9.0, true),
    ] {
        let mut unit = Unit::new(0x90, 1, 1);
        unit.address |= function << 28;
        let found = sample(&unit, &[0x80, 0, 0, 0], [0.5, 0.5, reference, 1.0]);
        assert_eq!(found, if passes { 0xFFFF_FFFF } else { 0 }, "{function} {reference}");
    }
    // Other formats do not.
    let mut unit = Unit::new(0x85, 1, 1);
    unit.address |= 1 << 28;
    assert_eq!(sample(&unit, &[1, 2, 3, 4], [0.5; 4]), 0x0102_0304);
}

#[test]
fn alpha_kill_drops_fragments() {
    for (texel, drawn) in [([0x00, 1, 2, 3], false), ([0x01, 1, 2, 3], true)] {
        let mut unit = Unit::new(0x85, 1, 1);
        unit.control0 |= 4;
        assert_eq!(sample(&unit, &texel, [0.5; 4]) != 0, drawn);
    }
}

#[test]
fn units_that_are_off_read_zero() {
    let mut unit = Unit::new(0x85, 1, 1);
    unit.control0 = 0;
    assert_eq!(sample(&unit, &[255; 4], [0.5; 4]), 0);
}

#[test]
fn a_texture_is_what_memory_holds_before_the_draw() {
    let mut console = Console::new();
    console.fragment_program("tex r0, f[TC0], tex0\n add r0, r0, {0.25, 0, 0, 0}  [end]");
    // The target itself.
    Unit::new(0x85 | LINEAR, 16, 16).set(&mut console);
    console.set(m::set_texture_offset::id(0), COLOR);
    let corners = [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    console.clear(0xFF00_0000);
    for step in 1..4u32 {
        draw(&mut console, corners);
        // 63.75 more each time, rounded.
        assert_eq!(console.count(0xFF00_0000 | (64 * step) << 16), 256, "{step}");
    }
    // A picture drawn to another target is there when it is read.
    console.set(m::set_surface_color_aoffset::ID, COLOR_B);
    console.clear(0);
    console.fragment_program(FRAGMENT);
    console.fill(GREEN);
    console.fragment_program("tex r0, f[TC0], tex0  [end]");
    console.set(m::set_surface_color_aoffset::ID, COLOR);
    console.set(m::set_texture_offset::id(0), COLOR_B);
    draw(&mut console, corners);
    assert_eq!(console.count(0xFF00_FF00), 256);
}

#[test]
fn changed_texels_are_seen() {
    let mut console = Console::new();
    console.fragment_program("tex r0, f[TC0], tex0  [end]");
    Unit::new(0x85, 1, 1).set(&mut console);
    for color in [0x1122_3344u32, 0x5566_7788] {
        console.write_local(TEXTURE, &color.to_be_bytes());
        draw(&mut console, [[0.5; 4]; 4]);
        assert_eq!(console.count(color), 256);
    }
}

#[test]
fn vertex_programs_read_textures() {
    let mut console = Console::new();
    console.vertex_program("mov o[HPOS], v[0]\n txl o[COL0], v[8], tex1  [end]");
    console.write_local(TEXTURE, &[0xFF, 0x11, 0x22, 0x33, 0xFF, 0x44, 0x55, 0x66]);
    let format = 1 | 8 | 2 << 4 | (0x85 | LINEAR) << 8 | 1 << 16;
    console.method(m::set_vertex_texture_offset::id(1), &[TEXTURE, format, 0x303, 0x8000_0000, 64, 0, 2 << 16 | 1, 0]);
    console.attribute(8, [0.75, 0.5, 0.0, 0.0]);
    console.fill(RED);
    assert_eq!((console.count(0xFF44_5566), console.faults()), (256, 0));
}

#[test]
fn textures_that_make_no_sense_are_faults() {
    for (unit, kind) in [
        (Unit::new(0x80, 1, 1), FaultKind::BadMethod),
        (Unit::new(0x85, 0, 1), FaultKind::BadMethod),
        (Unit::new(0x85, 4097, 1), FaultKind::BadMethod),
        (Unit::new(0x85, 1024, 1024), FaultKind::UnmappedRead),
    ] {
        let mut console = Console::new();
        console.fragment_program("tex r0, f[TC0], tex0  [end]");
        unit.set(&mut console);
        draw(&mut console, [[0.999; 4]; 4]);
        assert_eq!((console.faults_of(kind), console.faults()), (1, 1));
        assert_eq!(console.count(0), 256);
    }
}

#[test]
fn the_time_of_textures_has_passed_when_a_snapshot_is_taken() {
    let mut console = Console::new();
    let unit = Unit { pitch: 256, ..Unit::new(0x05 | LINEAR | 0x80, 64, 64) };
    console.write_local(TEXTURE, &[0x55; 64 * 256]);
    console.fragment_program("tex r0, f[TC0], tex0  [end]");
    unit.set(&mut console);
    let corners = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
    draw(&mut console, corners);
    let snapshot = console.gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut other = Console::new();
    other.run();
    other.gpu.restore(&snapshot).unwrap();
    assert_eq!(other.gpu.core().budget.now(), console.gpu.core().budget.now());
    for console in [&mut console, &mut other] {
        draw(console, corners);
    }
    assert_eq!(other.gpu.core().budget.now(), console.gpu.core().budget.now());
    assert!(
        other.gpu.snapshot(SnapshotOptions::default()).unwrap()
            == console.gpu.snapshot(SnapshotOptions::default()).unwrap()
    );
}
