//! State of the Tegra X1's 3D class that few programs use: formats of depth, samples, what triangles and points fill.

use crate::support::threed::{self, *};
use crate::support::{DATA, Machine};
use triglyph_engine::Device;
use triglyph_guest::layout::{Blocks, SurfaceLayout};
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const WHOLE: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

fn fill(m: &mut Machine, depth: f32, color: [f32; 4]) {
    vertices(m, &rectangle(WHOLE, depth, color));
    draw(m, Topology::TriangleStrip, 0, 4);
}

/// A pixel program that writes constants to output 0 and, with eight of them, to output 1.
fn constants<const N: usize>(m: &mut Machine, values: [f32; N]) {
    let moves: String =
        values.iter().enumerate().map(|(i, v)| format!("mov32i r{i}, {:#x}, 0xf\n", v.to_bits())).collect();
    let mut header = pixel_header(0);
    header[18] = (1 << N) - 1;
    program(m, PIXEL, header, &format!("{moves}exit\n"));
}

/// Over grey: source times 1, destination times one minus the second source, channel by channel.
fn blend_with_second_source(m: &mut Machine) {
    m.write(TARGET, &vec![128; 4 * 64 * 64]);
    m.threed(&[
        (r::set_blend::id(0), 1),
        (r::set_blend_color_source_coeff::ID, 2),
        (r::set_blend_color_dest_coeff::ID, 0x11),
        (r::set_blend_separate_for_alpha::ID, 1),
        (r::set_blend_alpha_source_coeff::ID, 0x12),
        (r::set_blend_alpha_dest_coeff::ID, 0xC901),
    ]);
}

/// Titles blend with a second source that their program does not have (Ryujinx a32a87e0c).
#[test]
fn a_second_source_that_is_not_written_is_zero() {
    let mut m = ready();
    constants(&mut m, [0.25, 0.0, 0.0, 0.5]);
    blend_with_second_source(&mut m);
    fill(&mut m, 0.5, RED);
    m.expect_no_faults();
    assert_eq!(threed::pixel(&mut m, 9, 9), [192, 128, 128, 128]);
}

/// Of X8B8G8R8: nothing of the source and the destination times its alpha (Citron 220c06b5e).
#[test]
fn the_alpha_of_a_target_without_alpha_is_one() {
    let mut m = ready();
    m.write(TARGET, &vec![64; 4 * 64 * 64]);
    constants(&mut m, [1.0; 4]);
    m.threed(&[
        (r::set_color_target_format::id(0), 0xF9),
        (r::set_blend::id(0), 1),
        (r::set_blend_color_source_coeff::ID, 1),
        (r::set_blend_color_dest_coeff::ID, 7),
    ]);
    fill(&mut m, 0.5, RED);
    m.expect_no_faults();
    assert_eq!(threed::pixel(&mut m, 9, 9)[..3], [64; 3]);
}

#[test]
fn second_sources_scale_both_terms() {
    let mut m = ready();
    constants(&mut m, [0.25, 0.0, 0.0, 0.5, 0.25, 0.5, 2.0, 1.0]);
    blend_with_second_source(&mut m);
    fill(&mut m, 0.5, RED);
    m.expect_no_faults();
    // 64/255 + 128/255 * 0.75; 128/255 * 0.5; the second source is limited to 1; alpha: half, and nothing of the
    // destination.
    assert_eq!(threed::pixel(&mut m, 9, 9), [160, 64, 0, 127]);
}

#[test]
fn outputs_are_limited_before_they_are_tested() {
    // SET_PS_SATURATE, alpha of the output, whether it passes "alpha > 1".
    for (saturate, alpha, passes) in [(0, 1.5, true), (1, 1.5, false), (3, 1.5, false), (1 << 4, 1.5, true)] {
        let mut m = ready();
        constants(&mut m, [1.0, 1.0, 1.0, alpha, 0.0, 0.0, 0.0, 0.0]);
        m.threed(&[
            (r::set_ps_saturate::ID, saturate),
            (r::set_alpha_test::ID, 1),
            (r::set_alpha_func::ID, 5),
            (r::set_alpha_ref::ID, 1f32.to_bits()),
        ]);
        fill(&mut m, 0.5, RED);
        m.expect_no_faults();
        assert_eq!(covered(&mut m) != 0, passes, "{saturate:#x}");
    }
    // A target of floats holds what is left.
    for (saturate, expected) in [(0, [-3.0, -0.5, 0.5, 7.0]), (1, [0.0, 0.0, 0.5, 1.0]), (3, [-1.0, -0.5, 0.5, 1.0])] {
        let mut m = ready();
        constants(&mut m, [-3.0, -0.5, 0.5, 7.0, 0.0, 0.0, 0.0, 0.0]);
        m.threed(&[
            (r::set_ps_saturate::ID, saturate),
            (r::set_color_target_format::id(0), 0xC0),
            (r::set_color_target_width::id(0), 16 * 64),
        ]);
        fill(&mut m, 0.5, RED);
        m.expect_no_faults();
        assert_eq!(m.words::<4>(TARGET + 1024).map(f32::from_bits), expected, "{saturate}");
    }
}

#[test]
fn products_with_zero_are_zero_if_asked() {
    for (asked, expected) in [(0, f32::NAN.to_bits()), (1, 2f32.to_bits())] {
        let mut m = ready();
        m.threed(&[
            (r::set_color_target_format::id(0), 0xC0),
            (r::set_color_target_width::id(0), 16 * 64),
            (r::set_blend_float_option::ID, asked),
            (r::set_blend::id(0), 1),
            (r::set_blend_color_source_coeff::ID, 2),
            (r::set_blend_color_dest_coeff::ID, 1),
        ]);
        m.write(TARGET, &[f32::INFINITY; 4].map(f32::to_le_bytes).concat());
        constants(&mut m, [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        fill(&mut m, 0.5, RED);
        assert_eq!(m.words::<1>(TARGET), [expected], "{asked}");
    }
}

/// Of each format: its code, bytes, the bytes of a sample after depth 0.5 and stencil 0x5A went over ones, the same
/// after clears.
#[test]
fn every_format_of_depth_is_drawn_to_and_cleared() {
    let half = 0.5f32.to_le_bytes();
    let float = |rest: [u8; 4]| [half, rest].concat();
    let cases: [(u32, Vec<u8>); 11] = [
        (0x0A, half.to_vec()),
        (0x13, vec![0x00, 0x80]),
        (0x14, vec![0x5A, 0x00, 0x00, 0x80]),
        (0x15, vec![0x00, 0x00, 0x80, 0xFF]),
        (0x16, vec![0x00, 0x00, 0x80, 0x5A]),
        (0x17, vec![0x5A]),
        (0x18, vec![0x00, 0x00, 0x80, 0xFF]),
        (0x19, float([0x5A, 0xFF, 0xFF, 0xFF])),
        (0x1D, vec![0x00, 0x00, 0x80, 0xFF, 0x5A, 0xFF, 0xFF, 0xFF]),
        (0x1E, float([0xFF; 4])),
        (0x1F, float([0x5A, 0xFF, 0xFF, 0xFF])),
    ];
    for (format, expected) in cases {
        let bytes = expected.len() as u32;
        let place = |x: u32, y: u32| DEPTH + SurfaceLayout::BlockLinear { log2_gobs: 0 }.offset(x, y, bytes, bytes);
        let bound = |m: &mut Machine| {
            m.write(DEPTH, &vec![0xFF; (64 * 64 * bytes) as usize]);
            m.threed(&[
                (r::set_zt_select::ID, 1),
                (r::set_zt_b::ID, (DATA + DEPTH) as u32),
                (r::set_zt_format::ID, format),
                (r::set_zt_size_a::ID, 64),
                (r::set_zt_size_b::ID, 64),
                (r::set_zt_size_c::ID, 1 << 16),
                (r::set_depth_test::ID, 1),
                (r::set_depth_write::ID, 1),
                (r::set_depth_func::ID, 8),
                (r::set_stencil_test::ID, 1),
                (r::set_stencil_op_zpass::ID, 3),
                (r::set_stencil_func_ref::ID, 0x5A),
                (r::set_two_sided_stencil_test::ID, 0),
            ]);
        };
        let mut m = ready();
        bound(&mut m);
        fill(&mut m, 0.5, RED);
        m.expect_no_faults();
        assert_eq!(m.read(place(13, 50), bytes as usize), expected, "{format:#x}");
        assert_eq!(covered(&mut m), 64 * 64, "{format:#x}");
        // What is there decides the next draw: nothing is less than itself.
        if format != 0x17 {
            m.threed(&[(r::set_depth_func::ID, 2), (r::set_stencil_test::ID, 0)]);
            m.write(TARGET, &vec![0; 4 * 64 * 64]);
            fill(&mut m, 0.5, RED);
            assert_eq!(covered(&mut m), 0, "{format:#x}");
        }
        // A stencil that is not the reference fails.
        let has_stencil = !matches!(format, 0x0A | 0x13 | 0x15 | 0x18 | 0x1E);
        m.threed(&[
            (r::set_depth_func::ID, 8),
            (r::set_stencil_test::ID, 1),
            (r::set_stencil_func::ID, 3),
            (r::set_stencil_func_ref::ID, 0x11),
        ]);
        m.write(TARGET, &vec![0; 4 * 64 * 64]);
        fill(&mut m, 0.5, RED);
        assert_eq!(covered(&mut m) == 0, has_stencil, "{format:#x}");

        let mut m = ready();
        bound(&mut m);
        m.threed(&[
            (r::set_z_clear_value::ID, 0.5f32.to_bits()),
            (r::set_stencil_clear_value::ID, 0x5A),
            (r::clear_surface::ID, 3),
        ]);
        m.expect_no_faults();
        assert_eq!(m.read(place(13, 50), bytes as usize), expected, "cleared {format:#x}");
    }
}

/// A target of 16 by 16 pixels with so many samples, in rows; positions on the diagonal from the left top.
fn multisampled(m: &mut Machine, mode: u32, [across, down]: [u32; 2]) {
    m.threed(&[
        (r::set_color_target_width::id(0), 4 * 16 * across),
        (r::set_color_target_height::id(0), 16 * down),
        (r::set_surface_clip_horizontal::ID, 16 << 16),
        (r::set_surface_clip_vertical::ID, 16 << 16),
        (r::set_anti_alias::ID, mode),
        (r::set_anti_alias_enable::ID, 1),
        (r::set_anti_alias_sample_positions::id(0), 0x3322_1100),
        (r::set_anti_alias_sample_positions::id(1), 0x7766_5544),
        (r::set_anti_alias_sample_positions::id(2), 0xBBAA_9988),
        (r::set_anti_alias_sample_positions::id(3), 0xFFEE_DDCC),
    ]);
    viewport(m, 0, [0.0, 0.0, 16.0, 16.0]);
}

#[test]
fn values_stay_between_those_of_the_corners() {
    // A fan of narrow triangles whose values are their barycentric coordinates, shaded at a covered sample.
    const CENTROID: &str = "
        ipa.pass.centroid r0, a[rz+0x80], rz, rz, pt
        ipa.pass.centroid r1, a[rz+0x84], rz, rz, pt
        ipa.pass.centroid r2, a[rz+0x88], rz, rz, pt
        ipa.pass.centroid r3, a[rz+0x8c], rz, rz, pt
        exit
    ";
    for first in (0..200).step_by(50) {
        let mut m = ready();
        multisampled(&mut m, 2, [2, 2]);
        m.threed(&[
            (r::set_color_target_format::id(0), 0xC0),
            (r::set_color_target_width::id(0), 16 * 16 * 2),
            (r::set_anti_alias_sample_positions::id(0), 0xEAA2_6E26),
        ]);
        program(&mut m, PIXEL, pixel_header(3), CENTROID);
        let corner = |n: u32| (n as f32 / 200.0 * std::f32::consts::TAU).sin_cos();
        let fan: Vec<_> = (first..first + 50)
            .flat_map(|n| {
                let ((y0, x0), (y1, x1)) = (corner(n), corner(n + 1));
                [
                    vertex(0.2, -0.3, 0.5, [1.0, 0.0, 0.0, 1.0]),
                    vertex(2.0 * x0, 2.0 * y0, 0.5, [0.0, 1.0, 0.0, 1.0]),
                    vertex(2.0 * x1, 2.0 * y1, 0.5, [0.0, 0.0, 1.0, 1.0]),
                ]
            })
            .collect();
        vertices(&mut m, &fan);
        draw(&mut m, Topology::Triangles, 0, 150);
        m.expect_no_faults();
        let values = m.read(TARGET, 16 * 32 * 32);
        for (at, value) in values.chunks(4).enumerate() {
            let value = f32::from_le_bytes(value.try_into().expect("four bytes"));
            assert!((0.0..=1.0).contains(&value), "{value} at {at} of the triangles from {first} on");
        }
    }
}

#[test]
fn values_of_multisampled_lines_depend_on_the_place_along_them() {
    let mut m = ready();
    multisampled(&mut m, 2, [2, 2]);
    let at = |v: f32| v / 8.0 - 1.0;
    let ends = [(2.0, [0.0, 0.0, 0.0, 1.0]), (14.0, [1.0, 0.0, 0.0, 1.0])];
    vertices(&mut m, &ends.map(|(v, color)| vertex(at(v), at(v), 0.5, color)));
    m.threed(&[(r::set_line_width_float::ID, 6f32.to_bits())]);
    draw(&mut m, Topology::Lines, 0, 2);
    m.expect_no_faults();
    let red = |m: &mut Machine, x: u32, y: u32| m.read(TARGET + u64::from(4 * (2 * y * 32 + 2 * x)), 1)[0];
    // Pixels across the line from each other, and those that a step along the line brings.
    for (x, y) in [(7, 7), (6, 8), (8, 6), (5, 9), (9, 5)] {
        assert_eq!(red(&mut m, x, y), (5.5f32 / 12.0 * 255.0).round() as u8, "{x} {y}");
        assert_eq!(red(&mut m, x + 1, y + 1), (6.5f32 / 12.0 * 255.0).round() as u8, "{x} {y}");
    }
}

#[test]
fn sixteen_samples_are_stored_row_by_row() {
    let mut m = ready();
    multisampled(&mut m, 6, [4, 4]);
    // The right edge lies 5.5/16 of pixel 8: samples 0 to 5 are to the left of it.
    let edge = (8.0 + 5.5 / 16.0) / 8.0 - 1.0;
    vertices(&mut m, &rectangle([-1.0, -1.0, edge, 1.0], 0.5, RED));
    m.threed(&[(r::set_zpass_pixel_count::ID, 1)]);
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    assert_eq!(report(&mut m, 0x15, 0), 16 * (8 * 16 + 6));
    let sample = |m: &mut Machine, x: u32, y: u32, k: u32| {
        m.words::<1>(TARGET + u64::from(4 * ((4 * y + k / 4) * 64 + 4 * x + k % 4)))[0] != 0
    };
    for k in 0..16 {
        assert!(sample(&mut m, 7, 3, k));
        assert_eq!(sample(&mut m, 8, 3, k), k < 6, "sample {k}");
    }
    // Masks of coverage and of colours; the latter leaves the count alone.
    m.write(TARGET, &vec![0; 4 * 64 * 64]);
    m.threed(&[
        (r::clear_report_value::ID, 1),
        (r::set_sample_mask_x1_y1::ID, 0x8001),
        (r::set_sample_mask::ID, 0x10),
        (r::set_color_target_sample_mask::ID, 0xFF00),
    ]);
    fill(&mut m, 0.5, RED);
    assert_eq!(report(&mut m, 0x15, 0), 64 * (3 * 16 + 2));
    for k in 0..16 {
        assert_eq!(sample(&mut m, 4, 4, k), k >= 8, "sample {k}");
        assert_eq!(sample(&mut m, 5, 5, k), k == 15, "sample {k}");
    }
}

#[test]
fn programs_number_samples_as_the_mode_does() {
    // Mode, samples across and down, and the number of the sample at each place of a pixel's cell.
    let modes: [(u32, [u32; 2], &[u32]); 3] =
        [(3, [4, 2], &[0, 1, 4, 5, 2, 3, 6, 7]), (4, [4, 2], &[5, 3, 0, 7, 4, 1, 6, 2]), (5, [2, 1], &[1, 0])];
    for (mode, [across, down], numbers) in modes {
        let ready = || {
            let mut m = ready();
            multisampled(&mut m, mode, [across, down]);
            m.threed(&[(r::set_color_target_format::id(0), 0xE5), (r::set_ps_output_sample_mask_usage::ID, 1)]);
            m
        };
        let sample = |m: &mut Machine, x: u32, y: u32, k: u32| {
            let (column, row) = (across * x + k % across, down * y + k / across);
            f32::from_bits(m.words::<1>(TARGET + u64::from(4 * (row * 16 * across + column)))[0])
        };
        let samples = (0..).zip(numbers.iter().copied());
        // Red is what PIXLD says of the sample, or of those that are covered: the first two in pixel 8.
        let shown = |mode: &str| format!("pixld.{mode} r0, pt, [rz]\ni2f.f32.b32 r0, r0, 0x0\nexit\n");
        let mut m = ready();
        program(&mut m, PIXEL, pixel_header(0), &shown("my_index"));
        m.threed(&[(r::set_hybrid_anti_alias_control::ID, 2)]);
        fill(&mut m, 0.5, RED);
        for (k, number) in samples.clone() {
            assert_eq!(sample(&mut m, 5, 9, k), number as f32, "{mode} {k}");
        }
        let mut m = ready();
        program(&mut m, PIXEL, pixel_header(0), &shown("covmask"));
        let edge = (8.0 + 1.5 / 16.0) / 8.0 - 1.0;
        vertices(&mut m, &rectangle([-1.0, -1.0, edge, 1.0], 0.5, RED));
        draw(&mut m, Topology::TriangleStrip, 0, 4);
        for (k, number) in samples.clone() {
            assert_eq!(sample(&mut m, 8, 3, k), if number < 2 { 3.0 } else { 0.0 }, "{mode} {k}");
        }
        // The program's mask.
        for chosen in 0..numbers.len() {
            let mut m = ready();
            let mut header = pixel_header(0);
            header[19] = 1;
            let text = format!("mov32i r0, {:#x}, 0xf\nmov32i r4, {:#x}, 0xf\nexit\n", 1f32.to_bits(), 1 << chosen);
            program(&mut m, PIXEL, header, &text);
            fill(&mut m, 0.5, RED);
            m.expect_no_faults();
            for (k, number) in samples.clone() {
                assert_eq!(sample(&mut m, 2, 2, k), f32::from(u8::from(number as usize == chosen)), "{mode} {k}");
            }
        }
    }
}

#[test]
fn triangles_fill_what_registers_say() {
    // A small triangle: 256ths of pixels matter to those that it only touches.
    let pixel = |v: f32| v / 32.0 - 1.0;
    let corners = [(10.4, 10.4), (13.6, 10.4), (10.4, 13.6)];
    let triangle = corners.map(|(x, y)| vertex(pixel(x), pixel(y), 0.5, RED));
    // Conservative, fill mode, pixels. The diagonal runs through (12, 12): pixels it touches count.
    let cases = [(0, 0, 6), (1, 0, 10), (0, 2, 16), (1, 2, 16), (0, 1, 64 * 64)];
    for (conservative, mode, expected) in cases {
        let mut m = ready();
        m.threed(&[(r::set_conservative_raster::ID, conservative), (r::set_fill_via_triangle::ID, mode)]);
        vertices(&mut m, &triangle);
        draw(&mut m, Topology::Triangles, 0, 3);
        m.expect_no_faults();
        assert_eq!(covered(&mut m), expected, "{conservative} {mode}");
    }
}

#[test]
fn smooth_points_are_round_unless_they_are_sprites() {
    for (smooth, sprite, round) in [(0, 0, false), (1, 0, true), (1, 1, false)] {
        let mut m = ready();
        m.threed(&[
            (r::set_anti_aliased_point::ID, smooth),
            (r::set_point_sprite::ID, sprite),
            (r::set_point_size::ID, 20f32.to_bits()),
        ]);
        vertices(&mut m, &[vertex(0.0, 0.0, 0.5, RED)]);
        draw(&mut m, Topology::Points, 0, 1);
        m.expect_no_faults();
        let inside = |x: i32, y: i32| (2 * x + 1).pow(2) + (2 * y + 1).pow(2) < 4 * 100;
        let disc = (-10..10).flat_map(|y| (-10..10).map(move |x| (x, y))).filter(|&(x, y)| inside(x, y)).count();
        assert_eq!(covered(&mut m), if round { disc } else { 400 }, "{smooth} {sprite}");
        assert_eq!(threed::pixel(&mut m, 22, 22) == [0; 4], round);
    }
}

#[test]
fn smooth_lines_cover_parts_of_pixels() {
    // Along the border of rows 31 and 32.
    let ends = [vertex(-0.5, 0.0, 0.5, RED), vertex(0.5, 0.0, 0.5, RED)];
    for (width, expected) in
        [(1.0f32, [0, 0, 127, 127, 0, 0]), (3.0, [0, 127, 255, 255, 127, 0]), (0.5, [0, 0, 64, 64, 0, 0])]
    {
        let mut m = ready();
        m.threed(&[(r::set_anti_aliased_line::ID, 1), (r::set_line_width_float::ID, width.to_bits())]);
        vertices(&mut m, &ends);
        draw(&mut m, Topology::Lines, 0, 2);
        m.expect_no_faults();
        assert_eq!([29, 30, 31, 32, 33, 34].map(|y| threed::pixel(&mut m, 20, y)[3]), expected, "{width}");
        assert_eq!([15, 16, 47, 48].map(|x| threed::pixel(&mut m, x, 31)[3] != 0), [false, true, true, false]);
        // What has no blending keeps its colours, and pixels beside the line keep theirs.
        assert_eq!(covered(&mut m), 32 * expected.iter().filter(|&&alpha| alpha != 0).count());
        // Other primitives are whole.
        vertices(&mut m, &[vertex(-0.9, -0.9, 0.5, RED), vertex(0.9, -0.9, 0.5, RED), vertex(0.0, 0.9, 0.5, RED)]);
        draw(&mut m, Topology::Triangles, 0, 3);
        assert_eq!([20, 31, 32, 40].map(|y| threed::pixel(&mut m, 32, y)[3]), [255; 4]);
    }
}

#[test]
fn vertex_numbers_are_copied_to_any_attribute() {
    for (enable, expected) in [(0, [0, 0, 0]), (1, [3, 4, 5])] {
        let mut m = ready();
        let inputs = [words(attribute::GENERIC, 4), words(0x1F0, 1)].concat();
        let outputs = [words(attribute::POSITION, 4), words(0x90, 1)].concat();
        let text = "
            ald.w1 r4, [rz+0x1f0], rz
            ast.w1 r4, [rz+0x90], rz
            exit
        ";
        program(&mut m, VERTEX, header(1, &inputs, &outputs), text);
        m.threed(&[(r::set_vertex_id_copy::ID, enable | 0x7C << 4)]);
        m.threed(&[(r::set_da_output::ID, 1 << 12)]);
        capture(&mut m, &[0x24], 64);
        draw(&mut m, Topology::Points, 3, 3);
        m.expect_no_faults();
        assert_eq!(m.words::<3>(CAPTURED), expected, "{enable}");
    }
}

#[test]
fn slices_of_deep_blocks_are_targets() {
    let mut m = ready();
    // 64 x 64 pixels, 6 slices, blocks of two GOBs and four slices.
    let blocks = Blocks { gobs_across: 4, rows: 64, slices: 6, log2_gobs: 1, log2_slices: 2 };
    m.threed(&[
        (r::set_color_target_width::id(0), 64),
        (r::set_color_target_memory::id(0), 1 << 4 | 2 << 8 | 1 << 16),
        (r::set_color_target_third_dimension::id(0), 6),
    ]);
    for slice in [0u32, 3, 5] {
        let color = slice as f32 * 16.0 / 255.0;
        m.threed(&[(r::set_rt_layer::ID, slice)]);
        fill(&mut m, 0.5, [color, 1.0, 1.0, 1.0]);
    }
    m.expect_no_faults();
    let mut pixel = |x: u32, y: u32, z: u32| m.words::<1>(TARGET + blocks.offset(4 * x, y, z))[0];
    for (x, y) in [(0, 0), (17, 16), (63, 63), (40, 33)] {
        for z in 0..6 {
            let expected = if [0, 3, 5].contains(&z) { 0xFFFF_FF00 + 16 * z } else { 0 };
            assert_eq!(pixel(x, y, z), expected, "{x} {y} {z}");
        }
    }
}

#[test]
fn geometry_programs_let_primitives_pass() {
    let mut m = ready();
    // Layers of 64 x 64 pixels.
    m.threed(&[
        (r::set_color_target_third_dimension::id(0), 3),
        (r::set_color_target_array_pitch::id(0), 64 * 64),
        (r::set_rt_layer::ID, 1 << 16),
    ]);
    // The layer is the number of the primitive, plus one.
    let mut head = header(4, &words(attribute::PRIMITIVE_ID, 1), &words(attribute::LAYER, 1));
    head[0] |= 1 << 24;
    let text = "
        ald.w1 r0, [rz+0x60], rz
        iadd32i r0, r0, 0x1
        ast.w1 r0, [rz+0x64], rz
        exit
    ";
    program(&mut m, GEOMETRY, head, text);
    let left = rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, RED);
    vertices(&mut m, &left);
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    let mut layer = |n: u64| {
        let bytes = m.read(TARGET + n * 4 * 64 * 64, 4 * 64 * 64);
        bytes.chunks_exact(4).filter(|pixel| **pixel == [255, 0, 0, 255]).count()
    };
    // Two triangles of half of the left half each.
    let counts = [layer(0), layer(1), layer(2)];
    assert_eq!(counts[0], 0);
    assert_eq!(counts[1] + counts[2], 32 * 64, "{counts:?}");
    assert!(counts[1].abs_diff(counts[2]) <= 64, "{counts:?}");
}

#[test]
fn edges_without_flag_are_not_drawn() {
    // Corner indices with the flag of each, and the pixels on the middle of the edges from corners 0, 1, 2 of a large
    // triangle.
    let corners = [(-0.75, -0.75), (0.75, -0.75), (-0.75, 0.75)].map(|(x, y)| vertex(x, y, 0.5, RED));
    let middles = [(32, 8), (32, 32), (8, 32)];
    let near = |m: &mut Machine, (x, y): (u32, u32)| {
        (y - 1..=y + 1).any(|y| (x - 1..=x + 1).any(|x| threed::pixel(m, x, y) != [0; 4]))
    };
    for flags in 0..8u32 {
        let mut m = ready();
        m.threed(&[(r::set_front_polygon_mode::ID, 0x1B01), (r::set_back_polygon_mode::ID, 0x1B01)]);
        vertices(&mut m, &corners);
        let indices = (0..3).flat_map(|i| [(r::set_edge_flag::ID, flags >> i & 1), (r::draw_inline_index::ID, i)]);
        let begin = [(r::begin::ID, Topology::Triangles.bits())];
        m.threed(&begin.into_iter().chain(indices).chain([(r::end::ID, 0)]).collect::<Vec<_>>());
        m.expect_no_faults();
        for (i, middle) in middles.into_iter().enumerate() {
            assert_eq!(near(&mut m, middle), flags >> i & 1 != 0, "{flags:03b} {i}");
        }
    }
    // A polygon that comes in three pieces, of which the second one is an index: it is one polygon.
    let corners = [(-0.75, -0.75), (0.75, -0.75), (0.75, 0.75), (-0.75, 0.75)].map(|(x, y)| vertex(x, y, 0.5, RED));
    let middles = [(32, 8), (56, 32), (32, 56), (8, 32)];
    for flags in 0..16u32 {
        let mut m = ready();
        m.threed(&[(r::set_front_polygon_mode::ID, 0x1B01), (r::set_back_polygon_mode::ID, 0x1B01)]);
        vertices(&mut m, &corners);
        let array = |start: u32, count: u32| {
            let flag = (r::set_edge_flag::ID, flags >> start & 1);
            [flag, (r::set_vertex_array_start::ID, start), (r::draw_vertex_array::ID, count)]
        };
        let index = [(r::set_edge_flag::ID, flags >> 1 & 1), (r::draw_inline_index::ID, 1)];
        let begin = [(r::begin::ID, Topology::Polygon.bits())];
        let last = [array(2, 1), array(3, 1)].concat();
        m.threed(&[&begin[..], &array(0, 1), &index, &last, &[(r::end::ID, 0)]].concat());
        m.expect_no_faults();
        for (i, middle) in middles.into_iter().enumerate() {
            assert_eq!(near(&mut m, middle), flags >> i & 1 != 0, "{flags:04b} {i}");
        }
    }
    let corners = &corners[..3];
    // The register counts for all vertices of other draws; strips have all edges.
    for (topology, drawn) in [(Topology::Triangles, false), (Topology::TriangleStrip, true)] {
        let mut m = ready();
        m.threed(&[(r::set_front_polygon_mode::ID, 0x1B01), (r::set_back_polygon_mode::ID, 0x1B01)]);
        m.threed(&[(r::set_edge_flag::ID, 0)]);
        vertices(&mut m, corners);
        draw(&mut m, topology, 0, 3);
        assert_eq!(covered(&mut m) != 0, drawn, "{topology:?}");
    }
}

#[test]
fn quads_count_as_one_primitive() {
    let columns = [-1.0, -0.5, 0.0, 0.5, 1.0];
    let at = |x: usize, y: f32| vertex(columns[x], y, 0.5, RED);
    let quads = (0..4).flat_map(|x| [at(x, -1.0), at(x + 1, -1.0), at(x + 1, 1.0), at(x, 1.0)]).collect::<Vec<_>>();
    let strip = (0..5).flat_map(|x| [at(x, -1.0), at(x, 1.0)]).collect::<Vec<_>>();
    for (topology, corners) in [(Topology::Quads, quads), (Topology::QuadStrip, strip)] {
        let mut m = ready();
        number_pixels(&mut m, 1.0);
        vertices(&mut m, &corners);
        // One float a pixel.
        m.threed(&[(r::set_color_target_format::id(0), 0xE5)]);
        draw(&mut m, topology, 0, corners.len() as u32);
        m.expect_no_faults();
        for (x, y) in [(1, 1), (14, 62), (17, 9), (30, 50), (40, 20), (63, 63), (63, 0)] {
            let number = m.words::<1>(TARGET + u64::from(4 * (y * EDGE + x)))[0];
            assert_eq!(f32::from_bits(number), (x / 16) as f32, "{topology:?} {x} {y}");
        }
    }
}

/// A depth target of a format that every fragment is stored in, with so many units added.
fn depth_with_bias(format: u32, bias: f32) -> [(usize, u32); 11] {
    [
        (r::set_zt_b::ID, (DATA + DEPTH) as u32),
        (r::set_zt_format::ID, format),
        (r::set_zt_size_a::ID, EDGE),
        (r::set_zt_size_b::ID, EDGE),
        (r::set_zt_size_c::ID, 1 | 1 << 16),
        (r::set_zt_select::ID, 1),
        (r::set_depth_test::ID, 1),
        (r::set_depth_write::ID, 1),
        (r::set_depth_func::ID, 0x207),
        (r::set_poly_offset_fill::ID, 1),
        (r::set_depth_bias::ID, bias.to_bits()),
    ]
}

#[test]
fn depth_bias_is_in_units_of_the_format() {
    // Formats Z24S8, Z16 and ZF32; where the depth of the first pixel begins in its word, and what 0.375 is.
    for (format, shift, plain) in [(0x14, 8, 0x60_0000), (0x13, 0, 0x6000), (0x0A, 0, 0.375f32.to_bits())] {
        for bias in [0.0f32, 4.0, -2.0] {
            let mut m = ready();
            m.threed(&depth_with_bias(format, bias));
            fill(&mut m, 0.375, RED);
            m.expect_no_faults();
            let stored = m.words::<1>(DEPTH)[0];
            let stored = if format == 0x13 { stored & 0xFFFF } else { stored >> shift };
            assert_eq!(stored, plain.wrapping_add_signed(bias as i32), "{format:#x} {bias}");
        }
    }
}

#[test]
fn depth_bias_counts_on_steep_planes() {
    // A triangle strip of two columns of pixels, far from the window's origin, across which depth goes from 0 to 1.
    let strip = [(0.9f32, 0.0), (0.9, 0.0), (0.97, 1.0), (0.97, 1.0)];
    let strip: Vec<_> = strip.iter().zip([-1.0f32, 1.0].repeat(2)).map(|(&(x, z), y)| vertex(x, y, z, RED)).collect();
    let drawn = |format: u32, bias: f32| {
        let mut m = ready();
        m.threed(&depth_with_bias(format, bias));
        vertices(&mut m, &strip);
        draw(&mut m, Topology::TriangleStrip, 0, 4);
        m.expect_no_faults();
        let words = m.read(DEPTH, (if format == 0x13 { 2 } else { 4 } * EDGE * EDGE) as usize);
        words.chunks(if format == 0x13 { 2 } else { 4 }).map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    for format in [0x14u32, 0x13] {
        let value = |bytes: &Vec<u8>| match format {
            0x13 => i32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            _ => (u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) >> 8) as i32,
        };
        let plain: Vec<i32> = drawn(format, 0.0).iter().map(value).collect();
        let covered = plain.iter().filter(|&&depth| depth != 0).count();
        assert!(covered >= 2 * EDGE as usize, "{covered}");
        // OpenGL's unit is two; what lies between two steps may go to either.
        for bias in [2.0f32, 4.0, -2.0] {
            let moved: Vec<i32> = drawn(format, bias).iter().map(value).collect();
            for (at, (before, after)) in plain.iter().zip(&moved).filter(|pair| *pair.0 != 0).enumerate() {
                let moved = after - before;
                assert!(moved != 0 && (moved - bias as i32).abs() <= 1, "{format:#x} {bias} pixel {at}: {moved}");
            }
        }
    }
}

#[test]
fn instructions_for_other_shapes_of_an_image_are_no_mistake() {
    const POOL: u64 = 0x5_0000;
    // A two-dimensional texture, which one instruction reads as what it is and another one, that never runs, as a
    // volume.
    let text = "
        mov r4, rz, 0xf
        mov r5, rz, 0xf
        mov r6, rz, 0xf
        @!pt tex.d3 r0, r4, rz, 0x0, 0xf, pt
        tex.d2 r0, r4, rz, 0x0, 0xf, pt
        exit
    ";
    let only = "
        mov r4, rz, 0xf
        mov r5, rz, 0xf
        mov r6, rz, 0xf
        tex.d3 r0, r4, rz, 0x0, 0xf, pt
        exit
    ";
    for (text, faults) in [(text, false), (only, true)] {
        let mut m = ready();
        m.write(POOL, &texture_header(TARGET, 4).map(u32::to_le_bytes).concat());
        m.threed(&[
            (r::set_tex_header_pool_b::ID, (DATA + POOL) as u32),
            (r::set_tex_sampler_pool_b::ID, (DATA + POOL + 0x1000) as u32),
        ]);
        program(&mut m, PIXEL, pixel_header(0), text);
        fill(&mut m, 0.5, RED);
        assert_eq!(m.gpu.faults().total() != 0, faults);
    }
}

/// A word of a blend program: test, operation, constant, A to D, route, register (3: none), whether conditions are set.
fn blend_word(test: u32, operation: u32, [a, b, c, d]: [u32; 4], route: u32, output: u32, sets: bool) -> u32 {
    test | operation << 3 | a << 9 | b << 12 | c << 16 | d << 19 | route << 23 | output << 28 | u32::from(sets) << 31
}

#[test]
fn programs_blend() {
    const ALWAYS: u32 = 1;
    let (source, destination) = ([0.8f32, 0.2, 0.4, 0.8], [100u8, 200, 50, 204]);
    let [ar, ag, ab, aa] = destination.map(|v| f32::from(v) / 255.0);
    let bytes = |values: [f32; 4]| values.map(|v| (v * 255.0).round() as u8);
    // Multiply of premultiplied colours: s*d + s*(1-da) + d*(1-sa); alpha as the fixed state has it.
    let multiply = vec![
        blend_word(ALWAYS, 0, [0, 5, 0, 0], 0, 1, false),
        blend_word(ALWAYS, 0, [0, 7, 1, 4], 0, 0, false),
        blend_word(ALWAYS, 5, [0, 9, 0, 0xA], 0, 0, false),
    ];
    let product = |s: f32, d: f32| s * d + s * (1.0 - aa) + d * (1.0 - source[3]);
    let multiplied = bytes([
        product(source[0], ar),
        product(source[1], ag),
        product(source[2], ab),
        source[3] + aa * (1.0 - source[3]),
    ]);
    // Channels above a half become 1, others the destination; alpha is red's share of it: the last result goes on.
    let threshold = vec![
        blend_word(ALWAYS, 6, [0, 2, 0, 0xD], 0, 3, true),
        blend_word(6, 5, [0, 1, 0, 0], 0, 0, false),
        blend_word(5, 5, [0, 5, 0, 0], 0, 0, false),
        blend_word(ALWAYS, 0, [0, 0xC, 7, 0xE], 0, 1, false),
        blend_word(ALWAYS, 0, [5, 3, 0, 0], 5, 0, false),
    ];
    // Step 4 is source red times the last result, which is T0; step 5 that times the source's alpha.
    let limited = bytes([1.0, ag, ab, source[0] * 1.0 * source[3]]);
    for (words, control, expected) in [(multiply, 1, multiplied), (threshold, 3, limited)] {
        let mut m = ready();
        m.write(TARGET, &destination.repeat(64 * 64));
        constants(&mut m, [source[0], source[1], source[2], source[3], 0.0, 0.0, 0.0, 0.0]);
        m.threed(&[
            (r::set_blend::id(0), 1),
            (r::set_blend_separate_for_alpha::ID, 1),
            (r::set_blend_alpha_source_coeff::ID, 2),
            (r::set_blend_alpha_dest_coeff::ID, 6),
            (r::set_iterated_blend::ID, control),
            (r::set_iterated_blend_pass::ID, words.len() as u32),
            (r::set_iterated_blend_constant_red::id(0), 0x3800),
            (r::set_iterated_blend_constant_green::id(0), 0x3800),
            (r::set_iterated_blend_constant_blue::id(0), 0x3800),
            (r::load_iterated_blend_instruction_pointer::ID, 0),
        ]);
        // A draw before has another program: it must not be remembered.
        fill(&mut m, 0.5, RED);
        m.write(TARGET, &destination.repeat(64 * 64));
        m.threed(&words.iter().map(|&word| (r::load_iterated_blend_instruction::ID, word)).collect::<Vec<_>>());
        fill(&mut m, 0.5, RED);
        m.expect_no_faults();
        let got = threed::pixel(&mut m, 40, 7);
        assert!((0..4).all(|i| got[i].abs_diff(expected[i]) <= 1), "{got:?} instead of {expected:?}");
    }
}
