//! The RSX's 3D class: reports, conditions, semaphores, notifiers, methods that make no sense, snapshots.

use crate::class_3d::support::*;
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
    // Half of it is past the end of memory.
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

/// Sets the report that conditions look at.
fn set_report(console: &mut Console, value: u32) {
    console.write_main(REPORTS + 0x28, &value.to_be_bytes());
}

/// The word that looks at it.
const CONDITION: u32 = 2 << 24 | 0x20;

/// Whether a draw happens, and a clear.
fn renders(console: &mut Console) -> [bool; 2] {
    console.fill(RED);
    let draws = console.count(0xFFFF_0000) == 256;
    console.clear(0x0101_0101);
    let clears = console.count(0x0101_0101) == 256;
    console.write_local(COLOR, &[0; 1024]);
    [draws, clears]
}

#[test]
fn the_report_counts_that_is_there_when_the_condition_is_set() {
    let mut console = Console::new();
    for value in [0, 7, 0] {
        set_report(&mut console, value);
        console.set(m::set_render_enable::ID, CONDITION);
        console.run();
        // Later it may be anything.
        for later in [value, 1, 0] {
            set_report(&mut console, later);
            assert_eq!(renders(&mut console), [value != 0; 2]);
        }
    }
    // Counters go on.
    console.set(m::get_report::ID, 1 << 24 | 0x40);
    console.set(m::set_render_enable::ID, 1 << 24);
    console.fill(GREEN);
    assert_eq!((console.count(0xFF00_FF00), console.faults()), (256, 0));
}

#[test]
fn the_same_condition_is_looked_at_again() {
    let mut console = Console::new();
    set_report(&mut console, 1);
    console.set(m::set_render_enable::ID, CONDITION);
    console.run();
    set_report(&mut console, 0);
    console.set(m::set_render_enable::ID, CONDITION);
    assert_eq!(renders(&mut console), [false; 2]);
    // Another object for reports changes nothing until then.
    console.write_local(0x28, &1u32.to_be_bytes());
    console.set(m::set_context_dma_report::ID, LOCAL);
    assert_eq!(renders(&mut console), [false; 2]);
    console.write_local(0x28, &1u32.to_be_bytes());
    console.set(m::set_render_enable::ID, CONDITION);
    assert_eq!(renders(&mut console), [true; 2]);
}

#[test]
fn a_condition_waits_for_reports_in_front_of_it() {
    for (covered, drawn) in [(0.0, false), (4.0, true)] {
        let mut console = Console::new();
        set_report(&mut console, 0xEE);
        console.set(m::clear_report_value::ID, 1);
        console.set(m::set_zpass_pixel_count_enable::ID, 1);
        console.push_draw(QUADS, GREEN, &rect([0.0, 0.0, covered, 4.0], 0.1));
        console.set(m::get_report::ID, 1 << 24 | 0x20);
        console.set(m::set_render_enable::ID, CONDITION);
        assert_eq!(renders(&mut console), [drawn; 2]);
    }
}

#[test]
fn a_condition_is_that_of_the_vertices_behind_it() {
    let mut console = Console::new();
    set_report(&mut console, 0);
    console.attribute(3, RED);
    console.begin(QUADS);
    rect([0.0, 0.0, 8.0, 16.0], 0.5).into_iter().for_each(|position| console.attribute(0, position));
    console.set(m::set_render_enable::ID, CONDITION);
    rect([8.0, 0.0, 16.0, 16.0], 0.5).into_iter().for_each(|position| console.attribute(0, position));
    console.end();
    console.run();
    assert_eq!(console.drawn(0)[0], "########........");
}

#[test]
fn conditions_without_a_report_or_a_mode_are_faults() {
    let mut console = Console::new();
    set_report(&mut console, 0);
    console.set(m::set_render_enable::ID, CONDITION);
    console.set(m::set_render_enable::ID, 3 << 24);
    assert_eq!(renders(&mut console), [false; 2]);
    assert_eq!(console.faults_of(FaultKind::BadMethod), 1);
    // Beyond the object of reports.
    console.set(m::set_render_enable::ID, 2 << 24 | 0xFF_FFF0);
    assert_eq!(renders(&mut console), [true; 2]);
    assert_eq!(console.faults(), 2);
}

#[test]
fn whether_draws_happen_is_in_snapshots() {
    let mut console = Console::new();
    set_report(&mut console, 0);
    console.set(m::set_render_enable::ID, CONDITION);
    console.run();
    set_report(&mut console, 1);
    let snapshot = Device::snapshot(&mut console.gpu, SnapshotOptions::default()).unwrap();
    let mut other = Console::new();
    Device::restore(&mut other.gpu, &snapshot).unwrap();
    assert_eq!([renders(&mut console), renders(&mut other)], [[false; 2]; 2]);
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
