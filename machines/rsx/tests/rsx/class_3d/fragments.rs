//! The RSX's 3D class: fragment programs in memory, their inputs and outputs.

use crate::class_3d::support::*;
use triglyph_engine::device::FaultKind;
use triglyph_guest::rsx::fragment::assemble_program;
use triglyph_guest::rsx::fragment::memory::{Order, bytes};
use triglyph_guest::rsx::methods::curie as m;

const WHOLE: [f32; 4] = [0.0, 0.0, 16.0, 16.0];

#[test]
fn programs_are_stored_in_halves() {
    for big_endian in [true, false] {
        let mut console = Console::of_order(big_endian);
        console.fragment_program("mov r0, {1, 0.5, 0.25, 0.125}  [end]");
        console.fill(RED);
        assert_eq!((console.count(0x20FF_8040), console.faults()), (256, 0));
        // In main memory, at location 2.
        let code = assemble_program("mov r0, {0, 1, 0, 1}  [end]").unwrap();
        let order = if big_endian { Order::Big } else { Order::Little };
        let stored: Vec<u8> = code.as_chunks().0.iter().flat_map(|slot: &[u32; 4]| bytes(*slot, order)).collect();
        console.write_main(ARRAYS, &stored);
        console.set(m::set_shader_program::ID, ARRAYS | 2);
        console.fill(RED);
        assert_eq!((console.count(0xFF00_FF00), console.faults()), (256, 0));
    }
}

#[test]
fn patched_constants_are_seen() {
    let mut console = Console::new();
    console.fragment_program("mov r0, {1, 0, 0, 1}  [end]");
    console.fill(RED);
    assert_eq!(console.count(0xFFFF_0000), 256);
    // Green of the inline constant: its halves exchanged.
    let [a, b, c, d] = 1.0f32.to_be_bytes();
    console.write_local(PROGRAM + 20, &[c, d, a, b]);
    console.fill(RED);
    assert_eq!(console.count(0xFFFF_FF00), 256);
    let kernels = triglyph_engine::Device::stats(&console.gpu).kernels_cached;
    console.write_local(PROGRAM + 24, &[c, d, a, b]);
    console.fill(RED);
    assert_eq!(console.count(0xFFFF_FFFF), 256);
    // Constants are no part of a kernel.
    assert_eq!(triglyph_engine::Device::stats(&console.gpu).kernels_cached, kernels);
}

#[test]
fn programs_without_end_draw_nothing() {
    let mut console = Console::new();
    console.fill(RED);
    let end = SIZE as u32 - 64;
    console.set(m::set_shader_program::ID, end | 1);
    console.fill(GREEN);
    assert_eq!((console.count(0xFFFF_0000), console.faults_of(FaultKind::BadShader)), (256, 1));
    console.set(m::set_shader_program::ID, end | 3);
    console.fill(GREEN);
    assert_eq!((console.count(0xFFFF_0000), console.faults_of(FaultKind::BadMethod)), (256, 1));
}

#[test]
fn halves_and_singles_are_results() {
    for (control, expected) in [(0x0200_0000, 0xFF00_FF00), (0x0200_0040, 0xFFFF_0000)] {
        let mut console = Console::new();
        console.fragment_program("mov r0, {1, 0, 0, 1}\n mov h0, {0, 1, 0, 1}  [end]");
        if control == 0x0200_0040 {
            console.fragment_program("mov h0, {0, 1, 0, 1}\n mov r0, {1, 0, 0, 1}  [end]");
        }
        console.set(m::set_shader_control::ID, control);
        console.fill(BLUE);
        assert_eq!(console.pixel(0, 0), expected);
    }
}

#[test]
fn depth_can_be_exported() {
    for (control, expected) in [(0x0200_004E, 0x0040_0000), (0x0200_0040, 0x0080_0000)] {
        let mut console = Console::new();
        console.fragment_program("mov r0, f[COL0]\n mov r1.z, {0, 0, 0.25, 0}  [end]");
        console.set(m::set_shader_control::ID, control);
        console.set(m::set_depth_test_enable::ID, 1);
        console.set(m::set_depth_func::ID, 0x207);
        console.fill(RED);
        assert_eq!(console.depth(4, 4) >> 8, expected);
    }
}

#[test]
fn colours_are_clamped_and_coordinates_are_not() {
    let mut console = Console::new();
    console.fragment_program("mul r0, f[COL0], {0.25, 0.25, 0.25, 0.25}  [end]");
    console.rect([2.0, -1.0, 1.0, 4.0], WHOLE, 0.5);
    assert_eq!(console.pixel(0, 0), 0x4040_0040);
    console.fragment_program("mul r0, f[TC0], {0.25, 0.25, 0.25, 0.25}  [end]");
    console.attribute(8, [2.0, -1.0, 1.0, 4.0]);
    console.fill(RED);
    assert_eq!(console.pixel(0, 0), 0xFF80_0040);
}

#[test]
fn colours_are_clamped_before_they_are_interpolated() {
    let mut console = Console::new();
    console.begin(QUADS);
    for (x, y, color) in [(0.0, 0.0, -1.0), (16.0, 0.0, 3.0), (16.0, 16.0, 3.0), (0.0, 16.0, -1.0)] {
        console.attribute(3, [color, 0.0, 0.0, 1.0]);
        console.attribute(0, at(x, y, 0.5));
    }
    console.end();
    console.run();
    // From 0 to 1 across the whole width, a sixteenth a pixel.
    let red = |console: &mut Console, x: u32| console.pixel(x, 8) >> 16 & 0xFF;
    assert_eq!([0, 7, 8, 15].map(|x| red(&mut console, x)), [8, 120, 135, 247]);
}

#[test]
fn outputs_that_the_mask_takes_away_read_the_initial_value() {
    let mut console = Console::new();
    console.set(m::set_vertex_attrib_output_mask::ID, 1 << 14);
    console.attribute(8, [1.0; 4]);
    console.fragment_program("mov r0, f[COL0]\n add r0.xy, r0, f[TC1].xyxy  [end]");
    console.fill(WHITE);
    assert_eq!(console.pixel(0, 0), 0xFF00_0000);
}

#[test]
fn two_dimensional_coordinates_have_the_depth_of_their_vertex_in_w() {
    // Two at the vertex's w everywhere: 1/4 of it is one half.
    let mut console = Console::new();
    console.set(m::set_tex_coord_control::id(0), 1);
    console.fragment_program("mul r0, f[TC0], {0.25, 0.25, 0.25, 0.25}  [end]");
    console.attribute(8, [4.0, 2.0, 4.0, 4.0]);
    console.draw(QUADS, RED, &rect(WHOLE, 0.5).map(|position| position.map(|v| 2.0 * v)));
    assert_eq!(console.pixel(0, 0), 0x80FF_8000);
}

#[test]
fn the_position_has_its_origin_where_the_window_says() {
    // (window word, (x, y) of pixel (3, 5) times 16)
    for (window, expected) in [(0x1010, [56, 168]), (0x0010, [56, 88]), (0x1_0010, [48, 80]), (0x1_1010, [48, 160])] {
        let mut console = Console::new();
        console.set(m::set_shader_window::ID, window);
        console.fragment_program("mul r0, f[WPOS], {0.0627451, 0.0627451, 1, 1}  [end]");
        console.fill(RED);
        let pixel = console.pixel(3, 5);
        assert_eq!([pixel >> 16 & 0xFF, pixel >> 8 & 0xFF], expected, "{window:#x}");
        assert_eq!([pixel & 0xFF, pixel >> 24], [128, 255]);
    }
    // The window offset does not show.
    let mut console = Console::new();
    console.set(m::set_window_offset::ID, 5 << 16 | 3);
    console.fragment_program("mul r0, f[WPOS], {0.0627451, 0.0627451, 1, 1}  [end]");
    console.fill(RED);
    assert_eq!(console.pixel(3, 5) >> 8 & 0xFFFF, 0x0808);
}

#[test]
fn fog_factors() {
    // (mode, p0, p1, coordinate, factor)
    let cases = [
        (0x2601, 1.0, 0.25, 2.0, 0.5),
        (0x2601, 1.0, 0.25, -2.0, 0.0),
        (0x0804, 1.0, 0.25, -2.0, 0.5),
        (0x0800, 1.5, -0.0625, 1.0, (-0.0625f32 * 11.084).exp()),
        (0x0802, 1.5, -0.0625, -1.0, (-0.0625f32 * 11.084).exp()),
        (0x0801, 1.5, -0.125, 1.0, (-(0.125f32 * 4.709).powi(2)).exp()),
        (0x0803, 1.5, -0.125, -1.0, (-(0.125f32 * 4.709).powi(2)).exp()),
    ];
    for (mode, p0, p1, coordinate, factor) in cases {
        let mut console = Console::new();
        console.set(m::set_vertex_attrib_output_mask::ID, 1 << 4);
        console.set(m::set_fog_mode::ID, mode);
        console.floats(m::set_fog_params::id(0), &[p0, p1, 0.0]);
        console.fragment_program("mov r0, f[FOGC].xyzw\n mul r0.x, r0.x, {0.25, 0, 0, 0}  [end]");
        console.attribute(6, [coordinate, 0.0, 0.0, 1.0]);
        console.fill(RED);
        let pixel = console.pixel(0, 0);
        assert_eq!(pixel >> 8 & 0xFF, (factor * 255.0 + 0.5) as u32, "{mode:#x} {coordinate}");
        assert_eq!([pixel >> 16 & 0xFF, pixel & 0xFF], [(coordinate.max(0.0) * 0.25 * 255.0 + 0.5) as u32, 0]);
    }
}

#[test]
fn killed_fragments_leave_no_trace() {
    let mut console = Console::new();
    console.clear(0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.set(m::set_shader_control::ID, 0x0200_00C0);
    console.fragment_program(
        "mov r0, f[COL0]\n slt _.x, f[WPOS].x, {8, 0, 0, 0}  [set]\n kil  [if gt.x]\n mov r0, r0  [end]",
    );
    console.fill(RED);
    assert_eq!(console.drawn(0)[3], "........########");
    assert_eq!([console.depth(0, 3), console.depth(8, 3) >> 8], [0xFFFF_FF00, 0x80_0000]);
}
