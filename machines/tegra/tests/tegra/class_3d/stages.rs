//! Stages of the Tegra X1's 3D class: vertex fetch, transform feedback, geometry and tessellation programs.

use crate::support::Machine;
use crate::support::threed::{self, *};
use triglyph_engine::Device;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Words of generic 0.
const GENERIC: [u8; 4] = [0x20, 0x21, 0x22, 0x23];

/// The words that attribute 0 of one vertex has.
fn fetched(widths: u32, kind: u32, exchanged: bool, bytes: &[u8]) -> [u32; 4] {
    let mut m = ready();
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ast.w4 r0, [rz+0x80], rz
        exit
    ";
    let generic = words(attribute::GENERIC, 4);
    program(&mut m, VERTEX, header(1, &generic, &generic), text);
    m.write(VERTICES, bytes);
    m.threed(&[
        (r::set_vertex_attribute_a::id(0), widths << 21 | kind << 27 | u32::from(exchanged) << 31),
        (r::set_raster_enable::ID, 0),
    ]);
    capture(&mut m, &GENERIC, 0x100);
    draw(&mut m, Topology::Points, 0, 1);
    m.expect_no_faults();
    m.words(CAPTURED)
}

#[test]
fn vertex_formats_become_words() {
    let f = |v: [f32; 4]| v.map(f32::to_bits);
    let bytes = [0x80, 0x7F, 0xFF, 0x01, 0x00, 0x3C, 0x00, 0xC0, 1, 2, 3, 4, 5, 6, 7, 8];
    // Widths, type (snorm 1, unorm 2, sint 3, uint 4, uscaled 5, sscaled 6, float 7).
    let cases = [
        (0x0A, 1, false, f([-1.0, 1.0, -1.0 / 127.0, 1.0 / 127.0])),
        (0x0A, 2, false, f([128.0 / 255.0, 127.0 / 255.0, 1.0, 1.0 / 255.0])),
        (0x0A, 2, true, f([1.0, 127.0 / 255.0, 128.0 / 255.0, 1.0 / 255.0])),
        (0x0A, 3, false, [0xFFFF_FF80, 0x7F, 0xFFFF_FFFF, 1]),
        (0x0A, 4, false, [0x80, 0x7F, 0xFF, 1]),
        (0x13, 5, false, f([128.0, 127.0, 255.0, 1.0])),
        (0x18, 6, false, f([-128.0, 127.0, 0.0, 1.0])),
        (0x1D, 4, false, [0x80, 0, 0, 1]),
        (0x34, 2, false, f([0.0, 0.0, 0.0, 128.0 / 255.0])),
        (0x0F, 3, false, [0x7F80, 0x1FF, 0, 1]),
        (0x30, 4, false, [0x380, 0x3DF, 0x01F, 0]),
        (0x30, 1, false, f([-128.0 / 511.0, -33.0 / 511.0, 31.0 / 511.0, 0.0])),
        (0x01, 7, false, [0x01FF_7F80, 0xC000_3C00, 0x0403_0201, 0x0807_0605]),
        (0x12, 7, false, [0x01FF_7F80, 0, 0, 1f32.to_bits()]),
        // One and two components are not exchanged, three are.
        (0x12, 7, true, [0x01FF_7F80, 0, 0, 1f32.to_bits()]),
        (0x04, 7, true, [0x01FF_7F80, 0xC000_3C00, 0, 1f32.to_bits()]),
        (0x0F, 3, true, [0x7F80, 0x1FF, 0, 1]),
        (0x1B, 3, true, [0x7F80, 0, 0, 1]),
        (0x18, 4, true, [0x80, 0x7F, 0, 1]),
        (0x1D, 4, true, [0x80, 0, 0, 1]),
        (0x02, 7, true, [0x0403_0201, 0xC000_3C00, 0x01FF_7F80, 1f32.to_bits()]),
        (0x13, 4, true, [0xFF, 0x7F, 0x80, 1]),
        // 11, 11 and 10 bits of all types.
        (0x31, 1, false, f([-128.0 / 1023.0, -17.0 / 1023.0, 7.0 / 511.0, 1.0])),
        (0x31, 2, false, f([1920.0 / 2047.0, 2031.0 / 2047.0, 7.0 / 1023.0, 1.0])),
        (0x31, 3, false, [-128i32 as u32, -17i32 as u32, 7, 1]),
        (0x31, 4, false, [1920, 2031, 7, 1]),
        (0x31, 4, true, [7, 2031, 1920, 1]),
        (0x31, 5, false, f([1920.0, 2031.0, 7.0, 1.0])),
        (0x31, 6, false, f([-128.0, -17.0, 7.0, 1.0])),
    ];
    let close = |a: u32, b: u32| a == b || a.abs_diff(b) <= 1 && a > 0xFFFF && f32::from_bits(a).is_finite();
    for (widths, kind, exchanged, expected) in cases {
        let found = fetched(widths, kind, exchanged, &bytes);
        assert!(found.iter().zip(expected).all(|(&a, b)| close(a, b)), "{widths:#x} {kind}: {found:x?} {expected:x?}");
    }
    assert_eq!(
        fetched(0x03, 7, false, &[0x00, 0x3C, 0x00, 0xC0, 0x01, 0x00, 0x00, 0x7C]),
        f([1.0, -2.0, 2f32.powi(-24), f32::INFINITY])
    );
    let packed: u32 = 0x3C0 | 0x400 << 11 | 0x1E0 << 22;
    assert_eq!(fetched(0x31, 7, false, &packed.to_le_bytes()), f([1.0, 2.0, 1.0, 1.0]));
    let least: u32 = 0x400 | 0x3FF << 11 | 0x200 << 22;
    assert_eq!(fetched(0x31, 1, false, &least.to_le_bytes()), f([-1.0, 1.0, -1.0, 1.0]), "-1 at least");
}

#[test]
fn elements_beyond_the_limit_read_zero() {
    let mut m = ready();
    vertices(&mut m, &[vertex(0.0, 0.0, 0.5, RED); 2]);
    m.threed(&[
        (r::set_vertex_stream_limit_a_b::id(0), (crate::support::DATA + VERTICES) as u32 + 32 + 30),
        (r::set_raster_enable::ID, 0),
    ]);
    capture(&mut m, &GENERIC, 0x100);
    draw(&mut m, Topology::Points, 0, 2);
    assert_eq!(m.words::<8>(CAPTURED), [1f32.to_bits(), 0, 0, 1f32.to_bits(), 0, 0, 0, 0]);
}

#[test]
fn feedback_takes_whole_primitives_that_fit() {
    let mut m = ready();
    let numbered: Vec<Vertex> = (0..6).map(|i| vertex(0.0, 0.0, 0.5, [i as f32, 0.0, 0.0, 0.0])).collect();
    vertices(&mut m, &numbered);
    m.threed(&[(r::set_raster_enable::ID, 0)]);
    // Room for two triangles and a vertex.
    capture(&mut m, &GENERIC[..1], 4 * 7);
    draw(&mut m, Topology::TriangleStrip, 0, 5);
    let found: [u32; 7] = m.words(CAPTURED);
    assert_eq!(found.map(f32::from_bits), [0.0, 1.0, 2.0, 1.0, 3.0, 2.0, 0.0], "the first vertex provokes");
    assert_eq!((report(&mut m, 0x0B, 0), report(&mut m, 0x0D, 0), report(&mut m, 0x06, 0)), (2, 3, 1));
    assert_eq!(report(&mut m, 0x1A, 0), 24 << 32);
    // The pointer stays until it is set.
    m.threed(&[(r::set_stream_out_buffer_load_write_pointer::id(0), 4)]);
    draw(&mut m, Topology::Points, 5, 1);
    assert_eq!(m.words::<2>(CAPTURED).map(f32::from_bits), [0.0, 5.0]);
    m.expect_no_faults();
}

#[test]
fn feedback_has_the_provoking_vertex_where_it_is_in_primitives() {
    for (topology, last, expected) in [
        (Topology::Polygon, 0, [0.0, 1.0, 2.0, 0.0, 2.0, 3.0]),
        (Topology::Polygon, 1, [1.0, 2.0, 0.0, 2.0, 3.0, 0.0]),
        (Topology::Quads, 0, [0.0, 1.0, 2.0, 0.0, 2.0, 3.0]),
        (Topology::Quads, 1, [0.0, 1.0, 3.0, 1.0, 2.0, 3.0]),
    ] {
        let mut m = ready();
        let numbered: Vec<Vertex> = (0..4).map(|i| vertex(0.0, 0.0, 0.5, [i as f32, 0.0, 0.0, 0.0])).collect();
        vertices(&mut m, &numbered);
        m.threed(&[(r::set_raster_enable::ID, 0), (r::set_provoking_vertex::ID, last)]);
        capture(&mut m, &GENERIC[..1], 4 * 6);
        draw(&mut m, topology, 0, 4);
        assert_eq!(m.words::<6>(CAPTURED).map(f32::from_bits), expected, "{topology:?}, last {last}");
    }
}

#[test]
fn points_alone_have_coordinates_made_for_them() {
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        ast.w4 r0, [rz+0x70], rz
        ast.w4 r4, [rz+0x300], rz
        exit
    ";
    let shown = "
        ipa.pass r0, a[rz+0x300], rz, rz, pt
        ipa.pass r1, a[rz+0x304], rz, rz, pt
        mov r2, rz, 0xf
        mov32i r3, 0x3f800000, 0xf
        exit
    ";
    let outputs = [words(attribute::POSITION, 4), words(attribute::TEXTURE_COORDINATE, 4)].concat();
    for (topology, expected) in [(Topology::TriangleStrip, [255, 0]), (Topology::Points, [66, 193])] {
        let mut m = ready();
        program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 8), &outputs), text);
        let mut head = pixel_header(0);
        // Linear.
        head[15] = 0x0F;
        program(&mut m, PIXEL, head, shown);
        m.threed(&[
            (r::set_point_sprite::ID, 1),
            (r::set_point_sprite_select::ID, 1 << 3),
            (r::set_point_size::ID, 64f32.to_bits()),
        ]);
        // Of points the first one covers the target.
        let mut corners = rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, RED);
        if topology == Topology::Points {
            corners = [vertex(0.0, 0.0, 0.5, RED); 4];
        }
        vertices(&mut m, &corners);
        draw(&mut m, topology, 0, 4);
        m.expect_no_faults();
        let [red, green, ..] = threed::pixel(&mut m, 16, 15);
        assert_eq!([red, green], expected, "{topology:?}");
    }
}

fn geometry(m: &mut Machine, text: &str, outputs: &[u32], topology: u32, most: u32) {
    let mut head = header(4, &words(attribute::GENERIC, 4), outputs);
    head[2] |= 1 << 24;
    head[3] |= topology << 24;
    head[4] |= most;
    program(m, GEOMETRY, head, text);
}

#[test]
fn geometry_programs_make_primitives() {
    let mut m = ready();
    vertices(&mut m, &[vertex(0.0, 0.0, 0.5, RED)]);
    // Three corners of the window's left half: (-1, -1), (-1, 3), (1, -1) covers half of it.
    let text = "
        mov r9, rz, 0xf
        ald.w4 r4, [rz+0x80], r9
        mov32i r0, 0xbf800000, 0xf
        mov32i r1, 0xbf800000, 0xf
        mov32i r2, 0x3f000000, 0xf
        mov32i r3, 0x3f800000, 0xf
        ast.w4 r0, [rz+0x70], r9
        ast.w4 r4, [rz+0x80], r9
        out.emit r9, r9, rz
        mov32i r1, 0x3f800000, 0xf
        ast.w4 r0, [rz+0x70], r9
        out.emit r9, r9, rz
        mov32i r0, 0x3f800000, 0xf
        mov32i r1, 0xbf800000, 0xf
        ast.w4 r0, [rz+0x70], r9
        out.emit r9, r9, rz
        mov32i r1, 0x3f800000, 0xf
        ast.w4 r0, [rz+0x70], r9
        out.emit_cut r9, r9, rz
        exit
    ";
    let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    geometry(&mut m, text, &outputs, 7, 4);
    draw(&mut m, Topology::Points, 0, 1);
    m.expect_no_faults();
    assert_eq!(covered(&mut m), 64 * 64);
    assert_eq!(threed::pixel(&mut m, 33, 7), [255, 0, 0, 255]);
    assert_eq!(report(&mut m, 0x07, 0), 1);
    // With room for three vertices the second triangle is not made.
    m.write(TARGET, &vec![0; 4 * 64 * 64]);
    geometry(&mut m, text, &outputs, 7, 3);
    draw(&mut m, Topology::Points, 0, 1);
    assert_eq!(covered(&mut m), (0..64).sum::<usize>());
}

#[test]
fn layers_and_viewports_are_chosen_by_programs() {
    let mut m = ready();
    // The vertex program writes the layer and the viewport that generic 1 says.
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        ast r4, [rz+0x64], rz
        ast r5, [rz+0x68], rz
        ast.w4 r0, [rz+0x70], rz
        ast.w4 r4, [rz+0x80], rz
        exit
    ";
    let outputs = [vec![0x64, 0x68], words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 8), &outputs), text);
    viewport(&mut m, 3, [16.0, 16.0, 8.0, 8.0]);
    m.threed(&[
        (r::set_rt_layer::ID, 1 << 16),
        (r::set_color_target_third_dimension::id(0), 2),
        (r::set_color_target_array_pitch::id(0), 64 * 64),
    ]);
    vertices(&mut m, &rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [f32::from_bits(1), f32::from_bits(3), 0.0, 1.0]));
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    assert_eq!(covered(&mut m), 0);
    let layer = m.read(TARGET + 4 * 64 * 64, 4 * 64 * 64);
    assert_eq!(layer.chunks_exact(4).filter(|pixel| **pixel != [0; 4]).count(), 64);
    // A layer that does not exist is the first one.
    vertices(&mut m, &rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [f32::from_bits(2), 0.0, 0.0, 1.0]));
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    assert_eq!(covered(&mut m), 64 * 64);
}

#[test]
fn a_mask_repeats_primitives_in_viewports_that_programs_see() {
    let mut m = ready();
    // The vertex program writes the mask that generic 1 says; the pixel program shows its viewport in red.
    let text = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        ast r4, [rz+0x3a0], rz
        ast.w4 r0, [rz+0x70], rz
        exit
    ";
    let outputs = [vec![attribute::VIEWPORT_MASK], words(attribute::POSITION, 4)].concat();
    program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 8), &outputs), text);
    let shown = "
        ipa.constant r0, a[rz+0x68], rz, rz, pt
        i2f.f32.b32 r0, r0, 0x0
        fmul32i r0, r0, 0x3e000000
        mov r1, rz, 0xf
        mov r2, rz, 0xf
        mov32i r3, 0x3f800000, 0xf
        exit
    ";
    let mut header = pixel_header(0);
    header[5] |= 1 << (attribute::VIEWPORT / 4);
    program(&mut m, PIXEL, header, shown);
    for n in 0..4 {
        viewport(&mut m, n, [16.0 * n as f32, 0.0, 16.0, 64.0]);
    }
    vertices(&mut m, &rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [f32::from_bits(0b1011), 0.0, 0.0, 1.0]));
    draw(&mut m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    // Eighths of 255.
    let seen = [8, 24, 40, 56].map(|x| threed::pixel(&mut m, x, 8)[0]);
    assert_eq!(seen, [0, 32, 0, 96]);
    assert_eq!(covered(&mut m), 3 * 16 * 64);
}

#[test]
fn clocks_go_on_from_draw_to_draw() {
    let mut m = ready();
    let text = "
        cs2r r0, sr_clocklo
        cs2r r1, sr_clocklo
        ast.w2 r0, [rz+0x80], rz
        exit
    ";
    program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 4), &words(attribute::GENERIC, 2)), text);
    m.threed(&[(r::set_raster_enable::ID, 0)]);
    capture(&mut m, &GENERIC[..2], 0x100);
    for _ in 0..2 {
        draw(&mut m, Topology::Points, 0, 2);
    }
    m.expect_no_faults();
    // Every vertex is a warp of its own, and those of a draw begin together.
    let [a, b, c, d, e, f, g, h] = m.words(CAPTURED);
    assert_eq!((b, d, f, h), (a + 1, a + 1, e + 1, e + 1));
    assert_eq!((c, g), (a, e));
    assert!(e > b, "{e} after {b}");
}

#[test]
fn patches_are_divided() {
    let mut m = ready();
    vertices(&mut m, &[vertex(0.0, 0.0, 0.5, RED); 4]);
    // Positions are 2 * (u, v) - 1.
    let text = "
        ald.o.w2 r0, [rz+0x2f0], rz
        mov32i r4, 0xbf800000, 0xf
        fadd r0, r0, r0
        fadd r1, r1, r1
        fadd r0, r0, r4
        fadd r1, r1, r4
        mov32i r2, 0x3f000000, 0xf
        mov32i r3, 0x3f800000, 0xf
        ast.w4 r0, [rz+0x70], rz
        mov r9, rz, 0xf
        ald.w4 r4, [rz+0x80], r9
        ast.w4 r4, [rz+0x80], rz
        exit
    ";
    let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    program(&mut m, EVALUATION, header(3, &words(attribute::GENERIC, 4), &outputs), text);
    let levels = r::set_tessellation_lod::IDS;
    m.threed(&levels.map(|id| (id, 3f32.to_bits())));
    // Quads, integer, triangles.
    m.threed(&[(r::set_patch::ID, 4), (r::set_tessellation_parameters::ID, 2 | 3 << 8)]);
    draw(&mut m, Topology::Patches, 0, 4);
    m.expect_no_faults();
    assert_eq!(covered(&mut m), 64 * 64);
    assert_eq!((report(&mut m, 0x1F, 0), report(&mut m, 0x1D, 0)), (18, 16));
    // A level of 0 drops the patch, an incomplete patch is none.
    m.write(TARGET, &vec![0; 4 * 64 * 64]);
    draw(&mut m, Topology::Patches, 0, 3);
    m.threed(&[(levels[1], 0)]);
    draw(&mut m, Topology::Patches, 0, 4);
    assert_eq!(covered(&mut m), 0);
}

/// Programs without end: a draw of many vertices ends all the same, and so does a submission of many draws.
#[test]
fn programs_without_end_are_stopped() {
    let endless = "again: bra again";
    let mut m = ready();
    program(&mut m, VERTEX, header(1, &words(attribute::GENERIC, 4), &words(attribute::POSITION, 4)), endless);
    draw(&mut m, Topology::Triangles, 0, 1 << 19);
    let said: Vec<String> = m.gpu.faults().first().iter().map(|fault| fault.what.clone()).collect();
    let stopped = said.iter().find_map(|what| what.strip_suffix(" programs without end")?.parse::<u32>().ok());
    assert!(stopped.is_some_and(|stopped| (16..=1 << 12).contains(&stopped)), "{said:?}");
}
