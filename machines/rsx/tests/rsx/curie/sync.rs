//! The RSX's 3D class: reports, conditions, semaphores, notifiers, methods that make no sense, snapshots.

use crate::curie::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::rsx::methods::curie as m;

const WHOLE: [f32; 4] = [0.0, 0.0, 16.0, 16.0];

/// The value of the report at an offset.
fn report(console: &mut Console, offset: u32) -> u32 {
    console.word(1, REPORTS + offset + 8)
}

#[test]
fn samples_that_pass_are_counted_while_counting_is_on() {
    let mut console = Console::new();
    console.clear(0);
    console.set(m::set_depth_test_enable::ID, 1);
    console.set(m::clear_report_value::ID, 1);
    console.rect(RED, [0.0, 0.0, 8.0, 16.0], 0.25);
    console.set(m::set_zpass_pixel_count_enable::ID, 1);
    // Half of it is behind what is there.
    console.push_draw(QUADS, GREEN, &rect(WHOLE, 0.5));
    console.set(m::set_zpass_pixel_count_enable::ID, 0);
    console.push_draw(QUADS, GREEN, &rect(WHOLE, 0.4));
    console.set(m::get_report::ID, 1 << 24 | 0x40);
    console.set(m::set_zpass_pixel_count_enable::ID, 1);
    console.push_draw(QUADS, GREEN, &rect([0.0, 0.0, 4.0, 4.0], 0.1));
    console.set(m::get_report::ID, 1 << 24 | 0x50);
    console.set(m::clear_report_value::ID, 1);
    console.set(m::get_report::ID, 1 << 24 | 0x60);
    // Depth culling counts nothing.
    console.set(m::get_report::ID, 3 << 24 | 0x70);
    console.write_main(REPORTS + 0x70, &[0xFF; 16]);
    console.run();
    assert_eq!([0x40, 0x50, 0x60, 0x70].map(|at| report(&mut console, at)), [128, 144, 0, 0]);
    assert_eq!(console.word(1, REPORTS + 0x7C), 0);
    let time = |console: &mut Console, at: u32| {
        u64::from(console.word(1, REPORTS + at)) << 32 | u64::from(console.word(1, REPORTS + at + 4))
    };
    assert!(time(&mut console, 0x50) > time(&mut console, 0x40));
    assert_eq!(console.faults(), 0);
    console.set(m::get_report::ID, 9 << 24);
    console.run();
    assert_eq!(console.faults_of(FaultKind::BadMethod), 1);
}

#[test]
fn without_tests_and_targets_samples_are_counted_all_the_same() {
    let mut console = Console::new();
    console.set(m::set_surface_color_target::ID, 0);
    console.set(m::set_zpass_pixel_count_enable::ID, 1);
    console.push_draw(QUADS, GREEN, &rect([0.0, 0.0, 4.0, 4.0], 0.1));
    console.set(m::get_report::ID, 1 << 24);
    console.run();
    assert_eq!(report(&mut console, 0), 16);
}

#[test]
fn draws_and_clears_depend_on_a_report() {
    let mut console = Console::new();
    console.set(m::set_render_enable::ID, 2 << 24 | 0x20);
    console.run();
    for (value, drawn) in [(0, false), (7, true), (0, false)] {
        console.write_main(REPORTS + 0x28, &u32::to_be_bytes(value));
        console.fill(RED);
        assert_eq!(console.count(0xFFFF_0000) == 256, drawn);
        console.clear(0x0101_0101);
        assert_eq!(console.count(0x0101_0101) == 256, drawn);
        console.write_local(COLOR, &[0; 1024]);
    }
    // Counters go on.
    console.set(m::get_report::ID, 1 << 24 | 0x40);
    console.set(m::set_render_enable::ID, 1 << 24);
    console.fill(GREEN);
    assert_eq!((console.count(0xFF00_FF00), console.faults()), (256, 0));
}

#[test]
fn semaphores_follow_what_was_drawn() {
    for (big_endian, expected) in [(true, 0x1144_3322), (false, 0x1122_3344)] {
        let mut console = Console::of_order(big_endian);
        console.set(m::set_semaphore_offset::ID, 0x30);
        console.set(m::back_end_write_semaphore_release::ID, 0x1122_3344);
        console.set(m::set_semaphore_offset::ID, 0x40);
        console.set(m::texture_read_semaphore_release::ID, 0x1122_3344);
        console.run();
        // The back end exchanges two bytes on the console.
        assert_eq!([0x30, 0x40].map(|at| console.word(1, REPORTS + at)), [expected, 0x1122_3344]);
        console.set(m::set_semaphore_offset::ID, 0x34);
        console.set(m::back_end_write_semaphore_release::ID, 1);
        console.run();
        assert_eq!((console.word(1, REPORTS + 0x34), console.faults_of(FaultKind::BadMethod)), (0, 1));
    }
}

#[test]
fn notifiers_are_records() {
    let mut console = Console::new();
    console.write_main(REPORTS, &[0xFF; 16]);
    console.fill(RED);
    console.set(m::notify::ID, 0);
    console.run();
    assert_ne!(console.word(1, REPORTS + 4), u32::MAX);
    assert_eq!([8, 12].map(|at| console.word(1, REPORTS + at)), [0, 0]);
}

#[test]
fn registers_keep_what_they_have_when_a_value_is_none() {
    let mut console = Console::new();
    console.set(m::set_depth_test_enable::ID, 1);
    console.clear(0);
    console.set(m::set_depth_func::ID, 0x200);
    console.set(m::set_depth_func::ID, 0x999);
    console.fill(RED);
    assert_eq!((console.count(0xFFFF_0000), console.faults_of(FaultKind::BadMethod)), (0, 1));
    // In the middle of a run the others are stored.
    console.method(m::set_depth_func::ID, &[3, 0, 0]);
    console.fill(RED);
    assert_eq!((console.count(0xFFFF_0000), console.faults_of(FaultKind::BadMethod)), (256, 2));
}

#[test]
fn methods_without_a_row_are_faults_and_others_are_not() {
    let mut console = Console::new();
    for known in [m::invalidate_vertex_file::ID, m::set_zcull_en::ID, 0x240, m::pipe_nop::ID, m::no_operation::ID] {
        console.set(known, 0x12);
    }
    console.run();
    assert_eq!(console.faults(), 0);
    console.set(0x114, 1);
    console.method(0x118, &[1, 2]);
    console.run();
    assert_eq!(console.faults_of(FaultKind::BadMethod), 3);
}

#[test]
fn a_snapshot_goes_on_in_the_middle_of_a_draw() {
    let mut console = Console::new();
    console.vertex_program("mov o[HPOS], v[0]\n mul o[COL0], v[3], c[3]  [end]");
    console.set(m::set_transform_constant_load::ID, 3);
    console.floats(m::set_transform_constant::id(0), &[1.0, 0.5, 1.0, 1.0]);
    console.set(m::set_zpass_pixel_count_enable::ID, 1);
    console.fill(WHITE);
    console.attribute(3, [0.0, 1.0, 1.0, 1.0]);
    console.begin(QUADS);
    let corners = rect([0.0, 0.0, 8.0, 16.0], 0.5);
    corners[..2].iter().for_each(|position| console.attribute(0, *position));
    console.run();
    let snapshot = Device::snapshot(&mut console.gpu, SnapshotOptions::default()).unwrap();

    let mut other = Console::new();
    other.fill(BLUE);
    Device::restore(&mut other.gpu, &snapshot).unwrap();
    for console in [&mut console, &mut other] {
        corners[2..].iter().for_each(|position| console.attribute(0, *position));
        console.end();
        console.set(m::get_report::ID, 1 << 24);
        console.run();
        assert_eq!([console.pixel(0, 0), console.pixel(15, 0)], [0xFF00_80FF, 0xFFFF_80FF]);
        assert_eq!(report(console, 0), 256 + 128);
    }
    assert_eq!(console.read(0, 0, SIZE as usize), other.read(0, 0, SIZE as usize));
}
