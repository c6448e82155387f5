//! The RSX's 3D class: clears.

use crate::class_3d::support::*;
use triglyph_engine::device::FaultKind;
use triglyph_guest::rsx::methods::curie as m;

#[test]
fn clears_store_the_word_in_the_channels_they_name() {
    let mut console = Console::new();
    console.clear(0x1122_3344);
    assert_eq!(console.count(0x1122_3344), 256);
    assert_eq!(console.depth(15, 15), 0xFFFF_FF00);
    console.set(m::set_color_clear_value::ID, 0xAABB_CCDD);
    // Red and alpha.
    console.set(m::clear_surface::ID, 0x90);
    console.run();
    assert_eq!(console.count(0xAABB_3344), 256);
    // Masks of colours and depth do not count, the stencil mask does.
    console.set(m::set_color_mask::ID, 0);
    console.set(m::set_depth_mask::ID, 0);
    console.set(m::set_stencil_mask::ID, 0xF0);
    console.set(m::set_zstencil_clear_value::ID, 0x1234_56FF);
    console.set(m::clear_surface::ID, 0xF3);
    console.run();
    assert_eq!((console.pixel(4, 4), console.depth(4, 4)), (0xAABB_CCDD, 0x1234_56F0));
    // Depth alone, stencil alone.
    console.set(m::set_zstencil_clear_value::ID, 0xFFFF_FF0F);
    console.set(m::clear_surface::ID, 1);
    console.run();
    assert_eq!(console.depth(4, 4), 0xFFFF_FFF0);
    console.set(m::set_stencil_mask::ID, 0xFF);
    console.set(m::clear_surface::ID, 2);
    console.run();
    assert_eq!(console.depth(4, 4), 0xFFFF_FF0F);
    assert_eq!(console.faults(), 0);
}

#[test]
fn clears_stay_within_rectangles() {
    let cleared = |write: &dyn Fn(&mut Console)| {
        let mut console = Console::new();
        write(&mut console);
        console.clear(0xFFFF_FFFF);
        let rows = console.drawn(0);
        let lines = rows.iter().filter(|row| row.contains('#')).count();
        (lines, rows.into_iter().find(|row| row.contains('#')).unwrap_or_default())
    };
    let inner = (4, "...#####........".to_owned());
    assert_eq!(cleared(&|c| c.method(m::set_scissor_horizontal::ID, &[5 << 16 | 3, 4 << 16 | 2])), inner);
    assert_eq!(cleared(&|c| c.method(m::set_surface_clip_horizontal::ID, &[5 << 16 | 3, 4 << 16 | 2])), inner);
    assert_eq!(cleared(&|c| c.method(m::set_clear_rect_horizontal::ID, &[7 << 16 | 3, 5 << 16 | 2])), inner);
    // The viewport rectangle is for primitives.
    assert_eq!(cleared(&|c| c.method(m::set_viewport_horizontal::ID, &[5 << 16 | 3, 4 << 16 | 2])).0, 16);
}

#[test]
fn clears_of_other_formats() {
    for (format, depth, stored) in
        [(3, 1, vec![0x33, 0x44]), (9, 2, vec![0x44]), (11, 2, vec![0x30, 0x44]), (16, 2, vec![0x11, 0x22, 0x33, 0x44])]
    {
        let mut console = Console::new();
        console.surface_format(format, depth, 1);
        console.set(m::set_surface_pitch_a::ID, 256);
        console.set(m::set_zstencil_clear_value::ID, 0x1234_5678);
        console.set(m::set_color_clear_value::ID, 0x1122_3344);
        console.set(m::clear_surface::ID, 0xF3);
        console.run();
        let size = stored.len() as u32;
        let pixel = if format == 11 { 8 } else { size };
        assert_eq!(console.read(0, COLOR + 256 * 15 + 15 * pixel, stored.len()), stored, "{format}");
        // Pixels beside the surface are left alone.
        assert_eq!(console.read(0, COLOR + 16 * pixel, 4), [0; 4]);
        let bytes = if depth == 1 { vec![0x56, 0x78] } else { vec![0x12, 0x34, 0x56, 0x78] };
        assert_eq!(console.read(0, DEPTH, bytes.len()), bytes);
    }
}

#[test]
fn clears_of_swizzled_targets_and_samples() {
    let mut console = Console::new();
    console.surface_format(8, 2, 2);
    console.clear(0x1122_3344);
    assert_eq!(console.count(0x1122_3344), 256);
    console.method(m::set_scissor_horizontal::ID, &[1 << 16 | 5, 1 << 16 | 3]);
    console.clear(0x5566_7788);
    assert_eq!(console.word(0, COLOR + 4 * 0b0001_1011), 0x5566_7788);
    assert_eq!(console.count(0x1122_3344), 255);

    let mut console = Console::new();
    console.set(m::set_surface_format::ID, 8 | 2 << 5 | 1 << 8 | 4 << 12);
    console.method(m::set_surface_clip_horizontal::ID, &[1 << 16 | 2, 1 << 16 | 3]);
    console.clear(0x1122_3344);
    let samples = [(4, 6), (5, 6), (4, 7), (5, 7)].map(|(x, y)| console.pixel(x, y));
    assert_eq!((samples, console.count(0x1122_3344)), ([0x1122_3344; 4], 4));
}

#[test]
fn clears_come_after_what_was_drawn_before() {
    let mut console = Console::new();
    console.push_draw(QUADS, RED, &rect([0.0, 0.0, 16.0, 16.0], 0.5));
    console.method(m::set_clear_rect_horizontal::ID, &[7 << 16, 15 << 16]);
    console.clear(0x1234_5678);
    console.push_draw(QUADS, GREEN, &rect([0.0, 0.0, 4.0, 16.0], 0.5));
    console.run();
    assert_eq!(
        [console.pixel(0, 0), console.pixel(4, 0), console.pixel(8, 0)],
        [0xFF00_FF00, 0x1234_5678, 0xFFFF_0000]
    );
}

#[test]
fn targets_outside_memory_are_faults() {
    let mut console = Console::new();
    console.set(m::set_surface_color_aoffset::ID, SIZE as u32);
    console.clear(1);
    console.fill(RED);
    assert!(console.faults_of(FaultKind::UnmappedWrite) >= 1);
    // A target that begins in memory and ends outside.
    console.set(m::set_surface_color_aoffset::ID, SIZE as u32 - 512);
    console.clear(0x1122_3344);
    assert_eq!(console.word(0, SIZE as u32 - 4), 0x1122_3344);
    console.fill(RED);
    assert_eq!(console.word(0, SIZE as u32 - 4), 0xFFFF_0000);
    // An object that does not exist is no target.
    let before = console.faults();
    console.set(m::set_context_dma_color_a::ID, 0);
    console.fill(GREEN);
    assert_eq!((console.word(0, SIZE as u32 - 4), console.faults()), (0xFFFF_0000, before));
}
