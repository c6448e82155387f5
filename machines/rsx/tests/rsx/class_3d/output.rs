//! The RSX's 3D class: tests, blending, masks, formats of targets, clears.

use crate::class_3d::support::*;
use triglyph_guest::rsx::methods::curie as m;

const WHOLE: [f32; 4] = [0.0, 0.0, 16.0, 16.0];
const LEFT: [f32; 4] = [0.0, 0.0, 8.0, 16.0];

#[test]
fn the_alpha_test_looks_at_the_fragment() {
    for (function, drawn) in [(0x204, false), (0x202, true), (0x203, true), (0x200, false), (0x207, true)] {
        let mut console = Console::new();
        console.set(m::set_alpha_test_enable::ID, 1);
        console.set(m::set_alpha_func::ID, function);
        console.set(m::set_alpha_ref::ID, 51);
        console.rect([1.0, 0.0, 0.0, 51.0 * (1.0 / 255.0)], WHOLE, 0.5);
        assert_eq!(console.count(0x33FF_0000) == 256, drawn, "{function:#x}");
    }
}

#[test]
fn the_alpha_test_compares_bytes_on_targets_of_bytes() {
    // 0.4 is not the float 102 / 255, and 0.4009 is stored as 102.
    for (alpha, equal) in [(0.4, true), (0.4009, true), (0.403, false), (-1.0, false)] {
        let mut console = Console::new();
        console.set(m::set_alpha_test_enable::ID, 1);
        console.set(m::set_alpha_func::ID, 0x202);
        console.set(m::set_alpha_ref::ID, 102);
        console.rect([1.0, 0.0, 0.0, alpha], WHOLE, 0.5);
        assert_eq!(console.count(0x66FF_0000) == 256, equal, "{alpha}");
    }
}

#[test]
fn singles_are_not_tested_for_alpha() {
    let mut console = Console::new();
    // One single a pixel.
    console.surface_format(13, 2, 1);
    console.set(m::set_alpha_test_enable::ID, 1);
    console.set(m::set_alpha_func::ID, 0x200);
    console.fill(RED);
    assert_eq!(console.count(1.0f32.to_bits()), 256);
}

#[test]
fn offsets_and_pitches_of_targets_lose_low_bits() {
    let mut console = Console::new();
    console.set(m::set_surface_color_aoffset::ID, COLOR | 0xC000_003F);
    console.set(m::set_surface_pitch_a::ID, 64 | 63 | 1 << 17);
    console.set(m::set_surface_zeta_offset::ID, DEPTH | 0x4000_0001);
    console.set(m::set_surface_pitch_z::ID, 64 | 1);
    console.clear(0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.fill(RED);
    assert_eq!((console.count(0xFFFF_0000), console.depth(15, 15), console.faults()), (256, 0x8000_0000, 0));
}

#[test]
fn depth_and_its_mask() {
    let mut console = Console::new();
    console.clear(0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.rect(RED, LEFT, 0.25);
    console.set(m::set_depth_mask::ID, 0);
    console.rect(GREEN, WHOLE, 0.5);
    assert_eq!([console.pixel(0, 0), console.pixel(15, 0)], [0xFFFF_0000, 0xFF00_FF00]);
    assert_eq!([console.depth(0, 0), console.depth(15, 0)], [0x3FFF_FF00 + 0x100, 0xFFFF_FF00]);
    // Without test nothing is written, whatever the mask says.
    console.set(m::set_depth_mask::ID, 1);
    console.set(m::set_depth_test_enable::ID, 0);
    console.rect(BLUE, WHOLE, 0.75);
    assert_eq!(console.depth(15, 0), 0xFFFF_FF00);
}

#[test]
fn sixteen_bits_of_depth_and_floats() {
    for (format, float, expected) in [(1, 0, 0x8000_u32), (1, 1, 0x6000), (2, 1, (0.5f32.to_bits() >> 7) << 8)] {
        let mut console = Console::new();
        console.surface_format(3, format, 1);
        if format == 2 {
            console.surface_format(8, format, 1);
        }
        console.set(m::set_control0::ID, float << 12);
        console.set(m::set_depth_test_enable::ID, 1);
        console.set(m::set_depth_func::ID, 0x207);
        console.fill(RED);
        let stored = if format == 1 { u32::from(console.half(0, DEPTH)) } else { console.depth(0, 0) };
        assert_eq!(stored, expected, "{format} {float}");
        assert_eq!(console.faults(), 0);
    }
}

#[test]
fn depth_bounds_look_at_what_is_stored() {
    let mut console = Console::new();
    console.clear(0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.rect(RED, LEFT, 0.25);
    console.set(m::set_depth_test_enable::ID, 0);
    console.set(m::set_depth_bounds_test_enable::ID, 1);
    console.floats(m::set_depth_bounds_min::ID, &[0.2, 0.3]);
    console.rect(GREEN, WHOLE, 0.9);
    assert_eq!([console.pixel(0, 0), console.pixel(15, 0)], [0xFF00_FF00, 0]);
}

#[test]
fn stencil_of_two_sides() {
    for (two_sided, expected) in [(1, [0x11, 0x0F]), (0, [0x11, 0x11])] {
        let mut console = Console::new();
        console.set(m::set_zstencil_clear_value::ID, 0xFFFF_FF10);
        console.set(m::clear_surface::ID, 3);
        console.set(m::set_stencil_test_enable::ID, 1);
        console.set(m::set_two_sided_stencil_test_enable::ID, two_sided);
        // Front: increment; back: decrement. Both compare everything.
        for (function, masks, op) in [
            (m::set_stencil_func::ID, [m::set_stencil_mask::ID, m::set_stencil_func_mask::ID], 0x1E02),
            (m::set_back_stencil_func::ID, [m::set_back_stencil_mask::ID, m::set_back_stencil_func_mask::ID], 0x1E03),
        ] {
            console.set(function, 0x207);
            masks.into_iter().for_each(|mask| console.set(mask, 0xFF));
            // Fail, depth fail, pass follow the function's reference and mask.
            console.method(function + 12, &[0x1E00, 0x1E00, op]);
        }
        console.set(m::set_front_face::ID, 0x900);
        console.rect(RED, LEFT, 0.5);
        let mut back = rect([8.0, 0.0, 16.0, 16.0], 0.5);
        back.reverse();
        console.draw(QUADS, RED, &back);
        assert_eq!([console.depth(0, 0) & 0xFF, console.depth(15, 0) & 0xFF], expected);
        assert_eq!(console.faults(), 0);
    }
}

#[test]
fn stencil_operations_follow_the_tests() {
    // (function, depth passes, stored after)
    for (function, depth, expected) in [(0x200, true, 0x5A), (0x207, false, 0xAF), (0x207, true, 0x00)] {
        let mut console = Console::new();
        console.set(m::set_zstencil_clear_value::ID, 0x8000_0050);
        console.set(m::clear_surface::ID, 3);
        console.set(m::set_stencil_test_enable::ID, 1);
        console.method(m::set_stencil_func::ID, &[function, 0x5A, 0xFF]);
        // Replace, invert, zero.
        console.method(m::set_stencil_op_fail::ID, &[0x1E01, 0x150A, 0x0000]);
        console.set(m::set_depth_test_enable::ID, 1);
        console.rect(RED, WHOLE, if depth { 0.25 } else { 0.75 });
        assert_eq!(console.depth(3, 3) & 0xFF, expected);
        assert_eq!(console.count(0xFFFF_0000) == 256, function == 0x207 && depth);
    }
    // Only bits of the mask are written.
    let mut console = Console::new();
    console.set(m::set_stencil_test_enable::ID, 1);
    console.set(m::set_stencil_mask::ID, 0x0F);
    console.method(m::set_stencil_func::ID, &[0x207, 0xFF, 0xFF]);
    console.method(m::set_stencil_op_fail::ID, &[0x1E01, 0x1E01, 0x1E01]);
    console.fill(RED);
    assert_eq!(console.depth(0, 0), 0x0F);
}

#[test]
fn blending_and_the_constant_colour() {
    let mut console = Console::new();
    console.clear(0x8040_4040);
    console.set(m::set_blend_enable::ID, 1);
    // Constant colour times source plus destination; alpha subtracted the other way round.
    console.set(m::set_blend_func_sfactor::ID, 0x0001_8001);
    console.set(m::set_blend_func_dfactor::ID, 0x0001_0001);
    console.set(m::set_blend_equation::ID, 0x800B_8006);
    console.set(m::set_blend_color::ID, 0xFF20_1000);
    console.rect([1.0, 1.0, 1.0, 0x20 as f32 / 255.0], WHOLE, 0.5);
    assert_eq!(console.pixel(0, 0), 0x6060_5040);
    // A logic operation replaces blending.
    console.set(m::set_logic_op_enable::ID, 1);
    console.set(m::set_logic_op::ID, 0x1506);
    console.fill(WHITE);
    assert_eq!(console.pixel(0, 0), !0x6060_5040);
}

#[test]
fn the_colour_mask_is_rejected_whole() {
    let mut console = Console::new();
    console.set(m::set_color_mask::ID, 0x0001_0000);
    console.fill(WHITE);
    assert_eq!(console.pixel(0, 0), 0x00FF_0000);
    console.set(m::set_color_mask::ID, 0x0101_0102);
    console.fill([0.0; 4]);
    assert_eq!((console.pixel(0, 0), console.faults()), (0, 1));
}

#[test]
fn formats_of_targets() {
    // (format, stored bytes of (1, 0.5, 0.25, 0.75), fixed bits are written)
    let cases: [(u32, &[u8]); 14] = [
        (1, &[0x7E, 0x08]),
        (2, &[0xFE, 0x08]),
        (3, &[0xFC, 0x08]),
        (4, &[0x00, 0xFF, 0x80, 0x40]),
        (5, &[0xFF, 0xFF, 0x80, 0x40]),
        (8, &[0xBF, 0xFF, 0x80, 0x40]),
        (9, &[0x40]),
        (10, &[0x80, 0x40]),
        (11, &[0x3C, 0, 0x38, 0, 0x34, 0, 0x3A, 0]),
        (12, &[0x3F, 0x80, 0, 0, 0x3F, 0, 0, 0, 0x3E, 0x80, 0, 0, 0x3F, 0x40, 0, 0]),
        (13, &[0x3F, 0x80, 0, 0]),
        (14, &[0x00, 0x40, 0x80, 0xFF]),
        (15, &[0xFF, 0x40, 0x80, 0xFF]),
        (16, &[0xBF, 0x40, 0x80, 0xFF]),
    ];
    for (format, expected) in cases {
        let mut console = Console::new();
        console.surface_format(format, 2, 1);
        console.set(m::set_surface_pitch_a::ID, 256);
        console.write_local(COLOR, &[0x55; 32]);
        console.rect([1.0, 0.5, 0.25, 0.75], WHOLE, 0.5);
        let size = expected.len();
        assert_eq!(console.read(0, COLOR + 3 * size as u32, size), expected, "{format}");
        assert_eq!(console.faults(), 0);
    }
}

#[test]
fn single_floats_do_not_blend() {
    for (format, expected) in [(11, 0x4000), (12, 0x3F80)] {
        let mut console = Console::new();
        console.surface_format(format, 2, 1);
        console.set(m::set_surface_pitch_a::ID, 256);
        console.set(m::set_blend_enable::ID, 1);
        console.set(m::set_blend_func_sfactor::ID, 0x0001_0001);
        console.set(m::set_blend_func_dfactor::ID, 0x0001_0001);
        console.fill(WHITE);
        console.fill(WHITE);
        assert_eq!(console.half(0, COLOR), expected);
    }
}

#[test]
fn the_packer_encodes_colours() {
    for (format, expected) in [(8, 0xFFBC_BCBC), (3, 0x8410)] {
        let mut console = Console::new();
        console.surface_format(format, 2, 1);
        console.set(m::set_shader_packer::ID, 1);
        console.rect([0.5, 0.5, 0.5, 1.0], WHOLE, 0.5);
        let stored = if format == 8 { console.pixel(0, 0) } else { console.half(0, COLOR).into() };
        assert_eq!(stored, expected);
    }
}

#[test]
fn several_targets_take_several_outputs() {
    const FOUR: &str =
        "mov r0, {1, 0, 0, 1}\n mov r2, {0, 1, 0, 1}\n mov r3, {0, 0, 1, 1}\n mov r4, {1, 1, 1, 1}  [end]";
    let targets = |bits: u32| {
        let mut console = Console::new();
        console.fragment_program(FOUR);
        console.set(m::set_shader_control::ID, 0x0500_0040);
        console.set(m::set_surface_color_target::ID, bits);
        console.set(m::set_surface_pitch_c::ID, 64);
        console.set(m::set_surface_pitch_d::ID, 64);
        console.set(m::set_surface_color_coffset::ID, 0x2000);
        console.set(m::set_surface_color_doffset::ID, 0x3000);
        // B without red, C without alpha, D all.
        console.set(m::set_color_mask_mrt::ID, 0xF << 12 | 0xE << 8 | 0xD << 4);
        console.fill(WHITE);
        [0, 0x1000, 0x2000, 0x3000].map(|offset| console.word(0, offset + 64 * 5 + 4 * 5))
    };
    assert_eq!(targets(0x1F), [0xFFFF_0000, 0xFF00_FF00, 0x0000_00FF, 0xFFFF_FFFF]);
    assert_eq!(targets(0x13), [0xFFFF_0000, 0xFF00_FF00, 0, 0]);
    assert_eq!(targets(1), [0xFFFF_0000, 0, 0, 0]);
    // B alone takes output 0, with the mask of A.
    assert_eq!(targets(2), [0, 0xFFFF_0000, 0, 0]);
    assert_eq!(targets(0), [0; 4]);
}

#[test]
fn swizzled_targets() {
    let mut console = Console::new();
    console.surface_format(8, 2, 2);
    console.set(m::set_surface_pitch_a::ID, 0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.set(m::set_depth_func::ID, 0x207);
    console.rect(RED, [5.0, 3.0, 6.0, 4.0], 0.5);
    // x = 0101, y = 0011: bits y3 x3 y2 x2 y1 x1 y0 x0.
    let index = 0b0001_1011;
    assert_eq!(console.word(0, COLOR + 4 * index), 0xFFFF_0000);
    assert_eq!(console.word(0, DEPTH + 4 * index) >> 8, 0x80_0000);
    assert_eq!(console.count(0xFFFF_0000), 1);
}

#[test]
fn pitches_that_are_too_small() {
    // 64 is that of an unused target; others make the target narrower.
    for (pitch, expected) in [(64, 0), (192, 8 * 12), (256, 16 * 8)] {
        let mut console = Console::new();
        console.surface_format(12, 2, 1);
        console.method(m::set_surface_clip_horizontal::ID, &[16 << 16, 8 << 16]);
        console.set(m::set_surface_pitch_a::ID, pitch);
        console.set(m::set_surface_pitch_z::ID, 256);
        console.fill(WHITE);
        let bytes = console.read(0, COLOR, 256 * 8);
        assert_eq!(bytes.chunks(16).filter(|pixel| pixel[0] != 0).count(), expected, "{pitch}");
    }
}

#[test]
fn samples_lie_beside_each_other() {
    for (mode, across, down) in [(3, 2, 1), (4, 2, 2), (5, 2, 2)] {
        let mut console = Console::new();
        console.set(m::set_surface_format::ID, 8 | 2 << 5 | 1 << 8 | mode << 12);
        console.method(m::set_surface_clip_horizontal::ID, &[8 << 16, 8 << 16]);
        console.set(m::set_anti_aliasing_control::ID, 0xFFFF_0001);
        // The left half of pixel 2.
        console.rect(RED, [0.0, 0.0, 2.5, 8.0], 0.5);
        let row: Vec<bool> = (0..16).map(|x| console.pixel(x, 0) != 0).collect();
        let covered = row.iter().filter(|&&on| on).count();
        // Two whole pixels, and of the third the samples left of its middle.
        assert_eq!(covered, 2 * across + 1, "{mode}: {row:?}");
        assert_ne!(console.pixel(0, 8 * down - 1), 0);
        assert_eq!(console.pixel(0, 8 * down), 0);
        // The mask takes samples away; without multisampling all samples are those of the middle.
        console.clear(0);
        console.set(m::set_anti_aliasing_control::ID, 0x0001_0001);
        console.rect(RED, [0.0, 0.0, 8.0, 8.0], 0.5);
        assert_eq!([console.pixel(0, 0) != 0, console.pixel(1, 0) != 0], [true, false]);
        console.clear(0);
        console.set(m::set_anti_aliasing_control::ID, 0x0001_0000);
        console.rect(RED, [0.0, 0.0, 2.4, 8.0], 0.5);
        assert_eq!((0..16).filter(|&x| console.pixel(x, 0) != 0).count(), 2 * across);
    }
}

#[test]
fn alpha_covers_samples() {
    let mut console = Console::new();
    console.set(m::set_surface_format::ID, 8 | 2 << 5 | 1 << 8 | 4 << 12);
    console.method(m::set_surface_clip_horizontal::ID, &[8 << 16, 8 << 16]);
    console.set(m::set_anti_aliasing_control::ID, 0xFFFF_0111);
    console.rect([1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 8.0, 8.0], 0.5);
    // Two of four samples, with an alpha of 1.
    let pixel = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| console.pixel(x, y));
    assert_eq!(pixel, [0xFFFF_0000, 0xFFFF_0000, 0, 0]);
}
