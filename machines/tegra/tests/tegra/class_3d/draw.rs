//! Draws of the Tegra X1's 3D class: every form of them, clipping, instances, depth.

use crate::support::threed::{self, *};
use crate::support::{DATA, Machine};
use triglyph_engine::device::FaultKind;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_testkit::random::{noise, words};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const WHOLE: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

fn fill(m: &mut Machine, color: [f32; 4]) {
    vertices(m, &rectangle(WHOLE, 0.5, color));
    draw(m, Topology::TriangleStrip, 0, 4);
}

#[test]
fn a_triangle_covers_its_pixels_and_interpolates() {
    let mut m = ready();
    vertices(
        &mut m,
        &[
            vertex(-1.0, -1.0, 0.0, [0.0, 0.0, 0.0, 1.0]),
            vertex(1.0, -1.0, 0.0, [1.0, 0.0, 0.0, 1.0]),
            vertex(-1.0, 1.0, 0.0, [0.0, 1.0, 0.0, 1.0]),
        ],
    );
    draw(&mut m, Topology::Triangles, 0, 3);
    m.expect_no_faults();
    // Centres on the long edge belong to the triangle on its other side.
    assert_eq!(covered(&mut m), (0..64).sum::<usize>());
    let at = |v: u32| ((v as f32 + 0.5) / 64.0 * 255.0 + 0.5) as u8;
    for (x, y) in [(0, 0), (10, 3), (40, 20), (0, 62)] {
        assert_eq!(threed::pixel(&mut m, x, y), [at(x), at(y), 0, 255], "{x} {y}");
    }
}

#[test]
fn rectangles_limit_what_is_drawn() {
    let cases: [(&[(usize, u32)], usize); 7] = [
        (&[], 64 * 64),
        (&[(r::set_scissor_enable::id(0), 1), (r::set_scissor_horizontal::id(0), 8 | 24 << 16)], 16 * 64),
        (&[(r::set_viewport_clip_vertical::id(0), 4 | 10 << 16)], 64 * 10),
        (&[(r::set_surface_clip_horizontal::ID, 60 | 100 << 16)], 4 * 64),
        (
            &[
                (r::set_window_clip_enable::ID, 1),
                (r::set_window_clip_horizontal::id(3), 2 | 4 << 16),
                (r::set_window_clip_vertical::id(3), 2 | 4 << 16),
            ],
            4,
        ),
        (
            &[
                (r::set_window_clip_enable::ID, 1),
                (r::set_window_clip_type::ID, 1),
                (r::set_window_clip_horizontal::id(3), 2 | 4 << 16),
                (r::set_window_clip_vertical::id(3), 2 | 4 << 16),
            ],
            64 * 64 - 4,
        ),
        (&[(r::set_window_clip_enable::ID, 1), (r::set_window_clip_type::ID, 2)], 0),
    ];
    for (registers, expected) in cases {
        let mut m = ready();
        m.threed(registers);
        fill(&mut m, RED);
        assert_eq!(covered(&mut m), expected, "{registers:x?}");
        m.expect_no_faults();
    }
}

/// Its name, indices in memory, methods.
type Form = (&'static str, Vec<u8>, Vec<(usize, u32)>);

/// Each draws a rectangle of four vertices.
#[test]
fn all_forms_of_draws_are_the_same_draw() {
    let at = |offset: u64| (DATA + offset) as u32;
    let strip = Topology::TriangleStrip.bits();
    let buffer = |size: u32, limit: u64| {
        [
            (r::set_index_buffer_b::ID, at(INDICES)),
            (r::set_index_buffer_d::ID, at(INDICES + limit)),
            (r::set_index_buffer_e::ID, size),
        ]
    };
    let indexed =
        [(r::begin::ID, strip), (r::set_index_buffer_f::ID, 0), (r::draw_index_buffer::ID, 4), (r::end::ID, 0)];
    let once = |method: usize| [(method, 4 << 16 | strip << 28)];
    let inline = |words: &[(usize, u32)]| [&[(r::begin::ID, strip)], words, &[(r::end::ID, 0)]].concat();
    let forms: Vec<Form> = vec![
        ("array", vec![], vec![(r::begin::ID, strip), (r::draw_vertex_array::ID, 4), (r::end::ID, 0)]),
        ("array once", vec![], once(r::draw_vertex_array_begin_end_instance_first::ID).to_vec()),
        ("bytes", vec![0, 1, 2, 3], [&buffer(0, 3)[..], &indexed].concat()),
        ("halves", vec![0, 0, 1, 0, 2, 0, 3, 0], [&buffer(1, 7)[..], &indexed].concat()),
        ("words", (0..4u32).flat_map(u32::to_le_bytes).collect(), [&buffer(2, 15)[..], &indexed].concat()),
        (
            "bytes once",
            vec![0, 1, 2, 3],
            [&buffer(2, 3)[..], &once(r::draw_index_buffer8_begin_end_instance_first::ID)].concat(),
        ),
        (
            "halves once",
            vec![0, 0, 1, 0, 2, 0, 3, 0],
            [&buffer(2, 7)[..], &once(r::draw_index_buffer16_begin_end_instance_first::ID)].concat(),
        ),
        (
            "words once",
            (0..4u32).flat_map(u32::to_le_bytes).collect(),
            [&buffer(0, 15)[..], &once(r::draw_index_buffer32_begin_end_instance_subsequent::ID)].concat(),
        ),
        ("inline", vec![], inline(&[0, 1, 2, 3].map(|i| (r::draw_inline_index::ID, i)))),
        (
            "inline pairs",
            vec![],
            inline(&[(r::draw_inline_index2x16::ID, 1 << 16), (r::draw_inline_index2x16::ID, 3 << 16 | 2)]),
        ),
        (
            "inline from the odd one",
            vec![],
            inline(&[
                (r::set_inline_index2x16_align::ID, 1 << 31),
                (r::draw_inline_index2x16::ID, 9),
                (r::draw_inline_index2x16::ID, 2 << 16 | 1),
                (r::draw_inline_index::ID, 3),
            ]),
        ),
        ("inline fours", vec![], inline(&[(r::draw_inline_index4x8::ID, 0x0302_0100)])),
        (
            "restart",
            vec![9, 0, 1, 2, 3],
            [
                &buffer(0, 4)[..],
                &[
                    (r::set_da_primitive_restart::ID, 1),
                    (r::set_da_primitive_restart_index::ID, 9),
                    (r::begin::ID, strip),
                    (r::draw_index_buffer::ID, 5),
                    (r::end::ID, 0),
                ],
            ]
            .concat(),
        ),
        (
            "bases",
            vec![5, 6, 7, 8],
            [&buffer(0, 3)[..], &[(r::set_global_base_vertex_index::ID, -5i32 as u32)], &indexed].concat(),
        ),
        (
            "another topology",
            vec![],
            vec![
                (r::set_primitive_topology_control::ID, 1),
                (r::set_primitive_topology::ID, 5),
                (r::begin::ID, 0),
                (r::draw_vertex_array::ID, 4),
                (r::end::ID, 0),
            ],
        ),
    ];
    for (name, indices, registers) in forms {
        let mut m = ready();
        vertices(&mut m, &rectangle([-0.5, -0.5, 0.5, 0.5], 0.5, GREEN));
        m.write(INDICES, &indices);
        m.threed(&registers);
        assert_eq!(covered(&mut m), 32 * 32, "{name}");
        assert_eq!(threed::pixel(&mut m, 20, 30), [0, 255, 0, 255], "{name}");
        m.expect_no_faults();
    }
}

#[test]
fn instances_count_and_their_streams_advance() {
    let mut m = ready();
    // Positions come from instances: every second one a rectangle one pixel further right.
    let points: Vec<Vertex> =
        (0..8).map(|i| vertex((i as f32 + 0.5) / 32.0 - 1.0, -1.0 + 1.0 / 64.0, 0.5, RED)).collect();
    vertices(&mut m, &points);
    m.threed(&[
        (r::set_vertex_stream_instance_a::id(0), 1),
        (r::set_vertex_stream_a_frequency::id(0), 2),
        (r::set_global_base_instance_index::ID, 1),
    ]);
    for instance in 0..6u32 {
        let how = u32::from(instance != 0);
        m.threed(&[(r::begin::ID, how << 26), (r::draw_vertex_array::ID, 1), (r::end::ID, 0)]);
    }
    m.expect_no_faults();
    // Elements 1 + 0 / 2 to 1 + 5 / 2.
    assert_eq!(covered(&mut m), 3);
    assert!((1..4).all(|x| threed::pixel(&mut m, x, 0) == [255, 0, 0, 255]));
}

#[test]
fn depth_out_of_range_is_lost_or_clamped() {
    // A ramp of depth from -1 to 2: the middle third is within 0 to 1.
    let ramp = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
        .map(|(x, y)| vertex(x, y, if x < 0.0 { -1.0 } else { 2.0 }, RED));
    for (control, lost) in [(0x0002, true), (0x101A, false), (0x181D, true), (0x0003, true)] {
        let mut m = ready();
        m.threed(&[(r::set_viewport_clip_control::ID, control), (r::set_viewport_z_clip::ID, 1)]);
        vertices(&mut m, &ramp);
        draw(&mut m, Topology::TriangleStrip, 0, 4);
        let columns = (0..64).filter(|&x| threed::pixel(&mut m, x, 9) != [0; 4]).count();
        assert_eq!(columns, if lost { 22 } else { 64 }, "{control:#x}");
        m.expect_no_faults();
    }
}

#[test]
fn samples_that_pass_are_counted() {
    let mut m = ready();
    m.threed(&[(r::set_zpass_pixel_count::ID, 1)]);
    fill(&mut m, RED);
    assert_eq!(report(&mut m, 0x15, 0), 64 * 64);
    m.threed(&[(r::clear_report_value::ID, 1)]);
    assert_eq!(report(&mut m, 0x15, 0), 0);
    assert_eq!(report(&mut m, 0x13, 0), 64 * 64);
    assert_eq!(report(&mut m, 0x05, 0), 4);
    assert_eq!(report(&mut m, 0x03, 0), 2);
}

#[test]
fn facing_culls_and_mirrors() {
    // Positions run counter-clockwise in a window whose rows count downwards.
    let cases: [(&[(usize, u32)], bool); 5] = [
        (&[], true),
        (&[(r::ogl_set_front_face::ID, 0x900)], false),
        (&[(r::ogl_set_front_face::ID, 0x901)], true),
        (&[(r::ogl_set_front_face::ID, 0x901), (r::set_window_origin::ID, 0x10)], false),
        (&[(r::ogl_set_front_face::ID, 0x901), (r::set_window_origin::ID, 1)], false),
    ];
    for (i, (registers, drawn)) in cases.into_iter().enumerate() {
        let mut m = ready();
        m.threed(registers);
        m.threed(&[(r::ogl_set_cull::ID, u32::from(i != 0))]);
        fill(&mut m, RED);
        assert_eq!(covered(&mut m) != 0, drawn, "{registers:x?}");
    }
}

#[test]
fn constants_are_those_of_the_draw() {
    let mut m = ready();
    let text = "
        mov r0, c[3][0x10], 0xf
        mov r1, c[3][0x14], 0xf
        mov r2, rz, 0xf
        mov32i r3, 0x3f800000, 0xf
        exit
    ";
    program(&mut m, PIXEL, pixel_header(0), text);
    let select = [
        (r::set_constant_buffer_selector_a::ID, 0x100),
        (r::set_constant_buffer_selector_c::ID, (DATA + CONSTANTS) as u32),
    ];
    m.threed(&select);
    m.threed(&[(r::bind_group_constant_buffer::id(4), 3 << 4 | 1)]);
    // Both draws wait in one scene while the constants change.
    vertices(
        &mut m,
        &[rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, RED), rectangle([0.0, -1.0, 1.0, 1.0], 0.5, RED)].concat(),
    );
    let load = |value: f32| {
        [
            (r::load_constant_buffer_offset::ID, 0x10),
            (r::load_constant_buffer::id(0), value.to_bits()),
            (r::load_constant_buffer::id(1), (1.0 - value).to_bits()),
        ]
    };
    let draw = |start| {
        [
            (r::begin::ID, Topology::TriangleStrip.bits()),
            (r::set_vertex_array_start::ID, start),
            (r::draw_vertex_array::ID, 4),
            (r::end::ID, 0),
        ]
    };
    m.threed(&[&load(1.0)[..], &draw(0), &load(0.0), &draw(4)].concat());
    assert_eq!(threed::pixel(&mut m, 5, 5), [255, 0, 0, 255]);
    assert_eq!(threed::pixel(&mut m, 60, 5), [0, 255, 0, 255]);
    m.expect_no_faults();
}

#[test]
fn rectangles_of_texels_need_no_programs() {
    const POOL: u64 = 0x5_0000;
    const TEXELS: u64 = 0x6_0000;
    let mut m = ready();
    // Four by four texels in rows of 32 bytes, red 16 * x, green 16 * y; number 1 of the pool.
    let texels: Vec<u8> = (0..4u8).flat_map(|y| (0..8u8).flat_map(move |x| [16 * x, 16 * y, 0, 255])).collect();
    m.write(TEXELS, &texels);
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    m.write(POOL + 32, &bytes(&threed::texture_header(TEXELS, 4)));
    m.write(POOL + 0x1000, &bytes(&[2 | 2 << 3, 1 | 1 << 4 | 1 << 6, 0, 0, 0, 0, 0, 0]));
    let at = |offset: u64| (DATA + offset) as u32;
    m.threed(&[
        (r::set_tex_header_pool_b::ID, at(POOL)),
        (r::set_tex_header_pool_c::ID, 4),
        (r::set_tex_sampler_pool_b::ID, at(POOL + 0x1000)),
        (r::draw_texture_dst_x0::ID, 8 << 12),
        (r::draw_texture_dst_y0::ID, 16 << 12),
        (r::draw_texture_dst_width::ID, 8 << 12),
        (r::draw_texture_dst_height::ID, 4 << 12),
        (r::draw_texture_du_dx_low::ID, 1 << 31),
        (r::draw_texture_dv_dy_high::ID, 1),
        (r::draw_texture_texture::ID, 1),
        (r::draw_texture_src_y0::ID, 0),
    ]);
    m.expect_no_faults();
    assert_eq!(covered(&mut m), 8 * 4);
    for (x, y) in [(0, 0), (7, 0), (3, 2), (6, 3)] {
        assert_eq!(threed::pixel(&mut m, 8 + x, 16 + y), [16 * (x / 2) as u8, 16 * y as u8, 0, 255], "{x} {y}");
    }
}

#[test]
fn outputs_go_to_their_targets_or_the_first_to_all() {
    const SECOND: u64 = TARGET + 0x8000;
    // Output 0 is (1, 0, 0, 1), output 1 (0, 1, 0, 1).
    let text = "
        mov32i r0, 0x3f800000, 0xf
        mov r1, rz, 0xf
        mov r2, rz, 0xf
        mov r3, r0, 0xf
        mov r4, rz, 0xf
        mov r5, r0, 0xf
        mov r6, rz, 0xf
        mov r7, r0, 0xf
        exit
    ";
    let (red, green, blue_first) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]);
    // Header's bit, register, targets of outputs 0 and 1: what is in both targets; the second one has blue in its first
    // byte.
    let cases = [
        (true, 1, [0, 1], red, green),
        (true, 1, [1, 0], green, blue_first),
        (true, 0, [0, 1], red, blue_first),
        (false, 1, [0, 1], red, blue_first),
    ];
    for (several, enable, [first, second], expected, expected_second) in cases {
        let mut m = ready();
        let mut head = pixel_header(0);
        head[0] = head[0] & !(1 << 14) | u32::from(several) << 14;
        head[18] = 0xFF;
        program(&mut m, PIXEL, head, text);
        m.threed(&[
            (r::set_color_target_b::id(1), (DATA + SECOND) as u32),
            (r::set_color_target_width::id(1), 4 * EDGE),
            (r::set_color_target_height::id(1), EDGE),
            (r::set_color_target_format::id(1), 0xCF),
            (r::set_color_target_memory::id(1), 1 << 12),
            (r::set_ct_select::ID, 2 | first << 4 | second << 7),
            (r::set_ct_mrt_enable::ID, enable),
        ]);
        fill(&mut m, RED);
        m.expect_no_faults();
        assert_eq!(threed::pixel(&mut m, 3, 3), expected, "{several} {enable} {first}");
        assert_eq!(m.read(SECOND + 4 * 99, 4), expected_second, "{several} {enable} {first}");
    }
}

#[test]
fn nonsense_is_counted() {
    let mut m = ready();
    m.threed(&[(r::set_color_target_format::id(0), 0x77)]);
    fill(&mut m, RED);
    m.threed(&[(r::set_color_target_format::id(0), 0xD5), (r::set_program_region_a::ID, 0x55)]);
    fill(&mut m, RED);
    m.threed(&[(r::begin::ID, 0x99), (r::draw_vertex_array::ID, 3), (r::end::ID, 0), (r::draw_inline_index::ID, 0)]);
    assert!(m.faults(FaultKind::BadMethod) >= 3 && m.faults(FaultKind::UnmappedRead) >= 1);
    assert_eq!(covered(&mut m), 0);
}

/// Whatever is in registers and memory: nothing panics, nothing runs on.
#[test]
fn random_registers_do_no_harm() {
    let mut random = words(0x3D);
    for round in 0..40 {
        let mut m = ready();
        let noise = noise(0x2_0000, round);
        if round % 2 != 0 {
            m.write(PROGRAMS + 0x50, &noise[..0x5000]);
        }
        vertices(&mut m, &rectangle(WHOLE, 0.5, RED));
        for _ in 0..120 {
            let method = 0x40 + random() % 0xA40;
            // Not what waits or calls, and no large draws.
            if (0x45..0x50).contains(&method) || (0x6C0..0x6C4).contains(&method) || (0x60..0x80).contains(&method) {
                continue;
            }
            let datum = if random().is_multiple_of(3) { random() % 0x40 } else { random() & 0xFF_FFFF };
            m.threed(&[(method as usize, datum)]);
        }
        for topology in [Topology::Triangles, Topology::Patches, Topology::LineStrip, Topology::Points] {
            draw(&mut m, topology, 0, 4);
        }
        m.threed(&[(r::clear_surface::ID, 0x3F)]);
    }
}
