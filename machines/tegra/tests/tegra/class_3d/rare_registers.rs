//! Registers of the Tegra X1's 3D class that few programs write: what they do, or the fault that an
//! unimplemented one is.

use crate::support::threed::{self, *};
use crate::support::{DATA, Machine};
use triglyph_engine::Device;
use triglyph_engine::device::FaultKind;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const WHOLE: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];
/// Pixels of the multisampled target's edge.
const PIXELS: u32 = 16;

fn fill(m: &mut Machine, color: [f32; 4]) {
    vertices(m, &rectangle(WHOLE, 0.5, color));
    draw(m, Topology::TriangleStrip, 0, 4);
}

/// A target of 16 by 16 pixels with samples of a mode, in rows.
fn multisampled(m: &mut Machine, mode: u32, [across, down]: [u32; 2]) {
    m.threed(&[
        (r::set_color_target_width::id(0), 4 * PIXELS * across),
        (r::set_color_target_height::id(0), PIXELS * down),
        (r::set_surface_clip_horizontal::ID, PIXELS << 16),
        (r::set_surface_clip_vertical::ID, PIXELS << 16),
        (r::set_anti_alias::ID, mode),
        (r::set_anti_alias_enable::ID, 1),
        // On the diagonal.
        (r::set_anti_alias_sample_positions::id(0), 0xEEAA_6622),
        (r::set_anti_alias_sample_positions::id(1), 0xEEAA_6622),
        (r::set_anti_alias_sample_positions::id(2), 0xEEAA_6622),
        (r::set_anti_alias_sample_positions::id(3), 0xEEAA_6622),
        (r::set_zpass_pixel_count::ID, 1),
    ]);
    viewport(m, 0, [0.0, 0.0, PIXELS as f32, PIXELS as f32]);
}

/// Samples that have passed.
fn passed(m: &mut Machine) -> u64 {
    report(m, 0x15, 0)
}

/// What alpha leaves of the four samples of each pixel.
fn left_by_alpha(alpha: f32, registers: &[(usize, u32)]) -> u64 {
    let mut m = ready();
    multisampled(&mut m, 2, [2, 2]);
    m.threed(&[(r::set_anti_alias_alpha_control::ID, 1)]);
    m.threed(registers);
    fill(&mut m, [1.0, 1.0, 1.0, alpha]);
    m.expect_no_faults();
    passed(&mut m)
}

#[test]
fn alpha_to_coverage_may_differ_from_pixel_to_pixel() {
    let dithered = [(r::set_alpha_to_coverage_dither_control::ID, 1)];
    // Alpha, samples of a 2x2 without and with dither.
    for (alpha, plain, mixed) in [(0.0, 0, 0), (0.4, 8, 6), (0.45, 8, 7), (0.6, 8, 10), (1.0, 16, 16)] {
        assert_eq!(left_by_alpha(alpha, &[]), 64 * plain, "{alpha}");
        assert_eq!(left_by_alpha(alpha, &dithered), 64 * mixed, "{alpha} with dither");
        // Samples that are not stored are none to spread it over.
        let others = [(r::set_alpha_to_coverage_dither_control::ID, 2)];
        assert_eq!(left_by_alpha(alpha, &others), 64 * plain, "{alpha}");
    }
}

#[test]
fn registers_say_when_alpha_to_coverage_counts() {
    const OVERRIDE: usize = r::set_alpha_to_coverage_override::ID;
    let off = (r::set_anti_alias_enable::ID, 0);
    // Without multisampling it does not, unless it may.
    assert_eq!(left_by_alpha(0.5, &[off]), 1024);
    assert_eq!(left_by_alpha(0.5, &[off, (OVERRIDE, 1)]), 1024);
    assert_eq!(left_by_alpha(0.5, &[off, (OVERRIDE, 0)]), 512);
    // A program that writes a sample mask, three of four here, has that instead, if asked.
    for (when, expected) in [(1, 2), (3, 3)] {
        let mut m = ready();
        multisampled(&mut m, 2, [2, 2]);
        let mut header = pixel_header(0);
        header[19] = 1;
        let half = 0.5f32.to_bits();
        program(&mut m, PIXEL, header, &format!("mov32i r3, {half:#x}, 0xf\nmov32i r4, 0x7, 0xf\nexit\n"));
        m.threed(&[
            (r::set_anti_alias_alpha_control::ID, 1),
            (OVERRIDE, when),
            (r::set_ps_output_sample_mask_usage::ID, 1),
        ]);
        fill(&mut m, RED);
        m.expect_no_faults();
        assert_eq!(passed(&mut m), 256 * expected, "{when}");
    }
}

#[test]
fn samples_may_have_the_depth_of_the_centre() {
    for (center, equal) in [(0, false), (1, true)] {
        let mut m = ready();
        multisampled(&mut m, 2, [2, 2]);
        m.threed(&[
            (r::set_zt_select::ID, 1),
            (r::set_zt_b::ID, (DATA + DEPTH) as u32),
            (r::set_zt_format::ID, 0x0A),
            (r::set_zt_size_a::ID, 2 * PIXELS),
            (r::set_zt_size_b::ID, 2 * PIXELS),
            (r::set_zt_size_c::ID, 1 << 16),
            (r::set_depth_test::ID, 1),
            (r::set_depth_write::ID, 1),
            (r::set_depth_func::ID, 8),
            (r::set_nonmultisampled_z::ID, center),
        ]);
        // Depth goes from 0 to 1 across.
        let corners = [(-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, -1.0, 1.0), (1.0, 1.0, 1.0)];
        vertices(&mut m, &corners.map(|(x, y, z)| vertex(x, y, z, RED)));
        draw(&mut m, Topology::TriangleStrip, 0, 4);
        m.expect_no_faults();
        let mut sample = |x: u32, y: u32| {
            let pitch = 8 * PIXELS;
            let place = SurfaceLayout::BlockLinear { log2_gobs: 0 }.offset(x, y, 4, pitch.div_ceil(64));
            f32::from_bits(m.words::<1>(DEPTH + place)[0])
        };
        let depths = [(10, 6), (11, 6), (10, 7), (11, 7)].map(|(x, y)| sample(x, y));
        let expected = if equal { [8.0; 4] } else { [2.0, 6.0, 10.0, 14.0] };
        assert_eq!(depths, expected.map(|at| (5.0 + at / 16.0) / 16.0), "{center}");
    }
}

#[test]
fn coverage_may_be_a_colour() {
    let mut m = ready();
    multisampled(&mut m, 6, [4, 4]);
    m.threed(&[
        // R32_UINT
        (r::set_color_target_format::id(0), 0xE4),
        (r::set_coverage_to_color::ID, 1),
        (r::set_anti_alias_sample_positions::id(0), 0x3322_1100),
        (r::set_anti_alias_sample_positions::id(1), 0x7766_5544),
        (r::set_anti_alias_sample_positions::id(2), 0xBBAA_9988),
        (r::set_anti_alias_sample_positions::id(3), 0xFFEE_DDCC),
    ]);
    // The right edge lies 5.5/16 of pixel 8: samples 0 to 5 are to the left of it.
    let edge = (8.0 + 5.5 / 16.0) / 8.0 - 1.0;
    vertices(&mut m, &rectangle([-1.0, -1.0, edge, 1.0], 0.5, RED));
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    let mut sample =
        |x: u32, y: u32, k: u32| m.words::<1>(TARGET + u64::from(4 * ((4 * y + k / 4) * 64 + 4 * x + k % 4)))[0];
    for k in 0..16 {
        assert_eq!(sample(7, 3, k), 0xFFFF, "sample {k}");
        assert_eq!(sample(8, 3, k), if k < 6 { 0x3F } else { 0 }, "sample {k}");
        assert_eq!(sample(9, 3, k), 0, "sample {k}");
    }
    assert_eq!(passed(&mut m), 16 * (8 * 16 + 6));
}

#[test]
fn formats_of_sixteen_bits_blend_unless_registers_forbid_it() {
    // RGBA16_UNORM, and RGBA8_UNORM, which the register does not speak of; the sum with what is there, or not.
    for (format, bytes, asked, blends) in
        [(0xC6, 8, None, true), (0xC6, 8, Some(0x10), true), (0xC6, 8, Some(0), false), (0xD5, 4, Some(0), true)]
    {
        let mut m = ready();
        m.write(TARGET, &vec![0x40; 64 * 64 * bytes]);
        m.threed(&[
            (r::set_color_target_format::id(0), format),
            (r::set_color_target_width::id(0), 64 * bytes as u32),
            (r::set_blend::id(0), 1),
            (r::set_blend_color_source_coeff::ID, 2),
            (r::set_blend_color_dest_coeff::ID, 2),
        ]);
        if let Some(value) = asked {
            m.threed(&[(r::set_blend_per_format_enable::ID, value)]);
        }
        fill(&mut m, [0.5; 4]);
        m.expect_no_faults();
        // The highest byte of red.
        let red = m.read(TARGET, bytes)[bytes / 4 - 1];
        let expected = if blends { 0xC0 } else { 0x80 };
        assert!(red.abs_diff(expected) <= 1, "{format:#x} {asked:?}: {red:#x}");
    }
}

#[test]
fn registers_say_what_nobody_writes() {
    // What a register says of an input, and its r, g, b, a.
    let cases = [
        (None, attribute::GENERIC + 0x20, [0, 0, 0, 255]),
        (None, attribute::FRONT_DIFFUSE, [0, 0, 0, 255]),
        (None, attribute::TEXTURE_COORDINATE, [0, 0, 0, 255]),
        (Some(0), attribute::GENERIC + 0x20, [0; 4]),
        (Some(0), attribute::FRONT_DIFFUSE, [0, 0, 0, 255]),
        (Some(0), attribute::FRONT_DIFFUSE + 0x10, [0; 4]),
        (Some(1), attribute::FRONT_DIFFUSE, [255; 4]),
        (Some(1), attribute::FRONT_DIFFUSE + 0x10, [0; 4]),
        (Some(2), attribute::FRONT_DIFFUSE + 0x10, [0, 0, 0, 255]),
        (Some(4), attribute::GENERIC + 0x20, [0, 0, 0, 255]),
        (Some(4), attribute::TEXTURE_COORDINATE, [0; 4]),
        (Some(8), attribute::TEXTURE_COORDINATE, [0, 0, 0, 255]),
    ];
    for (word, address, expected) in cases {
        let mut m = ready();
        let mut header = pixel_header(0);
        // All inputs of these groups are there, linear on the screen.
        header[6..14].fill(u32::MAX);
        header[14] = 0xFFFF;
        header[15..18].fill(u32::MAX);
        let loads: String =
            (0..4).map(|i| format!("ipa.pass r{i}, a[rz+{:#x}], rz, rz, pt\n", address + 4 * i)).collect();
        program(&mut m, PIXEL, header, &format!("{loads}exit\n"));
        if let Some(word) = word {
            m.threed(&[(r::set_attribute_default::ID, word)]);
        }
        m.write(TARGET, &[0x55; 4 * 64 * 64]);
        fill(&mut m, RED);
        m.expect_no_faults();
        assert_eq!(threed::pixel(&mut m, 20, 30), expected, "{word:?} {address:#x}");
    }
}

#[test]
fn what_nobody_does_is_counted() {
    let bias = [(r::set_depth_bias::ID, 4f32.to_bits()), (r::set_poly_offset_fill::ID, 1)];
    let depth = [
        (r::set_zt_select::ID, 1),
        (r::set_zt_b::ID, (DATA + DEPTH) as u32),
        (r::set_zt_format::ID, 0x0A),
        (r::set_zt_size_a::ID, 64),
        (r::set_zt_size_b::ID, 64),
        (r::set_zt_size_c::ID, 1 << 16),
    ];
    let old_unit = [(r::set_depth_bias_control::ID, 0)];
    let pad = (r::set_raster_bounding_box::ID, 3 << 4);
    let points = [(r::set_front_polygon_mode::ID, 0x1B00), (r::set_back_polygon_mode::ID, 0x1B00)];
    let precise = (r::set_viewport_increase_snap_grid_precision::id(3), 1);
    // Registers, and how many faults a draw with them is.
    let cases: Vec<(Vec<(usize, u32)>, u64)> = vec![
        (vec![], 0),
        (vec![(r::set_tir::ID, 1)], 1),
        (vec![(r::set_global_color_key::ID, 1)], 1),
        (vec![(r::set_constant_color_rendering::ID, 1)], 1),
        (vec![(r::set_clip_id_test::ID, 1)], 1),
        (vec![(r::set_zt_sparse::ID, 1)], 1),
        // Points alone have a centre.
        (vec![(r::set_point_center_mode::ID, 1)], 0),
        ([&points[..], &[(r::set_point_center_mode::ID, 1)]].concat(), 1),
        (points.to_vec(), 0),
        (vec![(r::set_shader_control::ID, 4)], 1),
        (vec![(r::d3d_set_cull_mode::ID, 1)], 0),
        (vec![(r::d3d_set_cull_mode::ID, 3)], 1),
        (vec![(r::set_fill_mode::ID, 3)], 0),
        (vec![(r::set_fill_mode::ID, 2)], 1),
        (vec![(r::set_snap_grid_line::ID, 8), (r::set_snap_grid_non_line::ID, 8)], 0),
        (vec![(r::set_snap_grid_line::ID, 4), (r::set_snap_grid_non_line::ID, 0x104)], 3),
        // A colour that is not an integer.
        (vec![(r::set_coverage_to_color::ID, 1)], 1),
        (vec![pad], 0),
        (vec![pad, (r::set_fill_via_triangle::ID, 2)], 1),
        (vec![precise], 0),
        (vec![precise, (r::set_conservative_raster::ID, 1)], 1),
        // Without depth, with one whose unit counts, and with 24 bits.
        ([&bias[..], &old_unit].concat(), 0),
        ([&bias[..], &depth].concat(), 0),
        ([&bias[..], &old_unit, &depth].concat(), 1),
        ([&bias[..], &old_unit, &depth, &[(r::set_zt_format::ID, 0x14)]].concat(), 0),
        (vec![(r::set_post_ps_initial_coverage::ID, 0)], 0),
    ];
    for (registers, expected) in cases {
        let mut m = ready();
        m.threed(&registers);
        fill(&mut m, RED);
        assert_eq!(m.faults(FaultKind::Unimplemented), expected, "{registers:x?}");
        assert_eq!(m.gpu.faults().total(), expected, "{registers:x?}");
        // Another draw, another fault: what is remembered does not hide it.
        fill(&mut m, RED);
        assert_eq!(m.faults(FaultKind::Unimplemented), 2 * expected, "{registers:x?}");
    }
    // A program that writes a sample mask.
    let mut m = ready();
    let mut header = pixel_header(0);
    header[19] = 1;
    program(&mut m, PIXEL, header, "mov32i r4, 0x7, 0xf\nexit\n");
    let replaces = (r::set_post_ps_initial_coverage::ID, 0);
    m.threed(&[replaces, (r::set_ps_output_sample_mask_usage::ID, 1)]);
    fill(&mut m, RED);
    assert_eq!(m.faults(FaultKind::Unimplemented), 1);
}
