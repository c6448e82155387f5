//! The RSX's 3D class: which pixels primitives cover, and which values they have there.

use crate::class_3d::support::*;
use triglyph_guest::rsx::methods::curie as m;

const WHOLE: [f32; 4] = [0.0, 0.0, 16.0, 16.0];

/// Rows of the target in which something other than black was drawn.
fn drawn(console: &mut Console) -> Vec<String> {
    assert_eq!(console.faults(), 0);
    console.drawn(0)
}

/// How many pixels were drawn.
fn pixels(console: &mut Console) -> usize {
    drawn(console).iter().flat_map(|row| row.chars()).filter(|&pixel| pixel == '#').count()
}

#[test]
fn left_and_top_edges_belong_to_a_triangle() {
    let mut console = Console::new();
    // Edges run through the middles of pixels.
    console.rect(RED, [2.5, 3.5, 5.5, 6.5], 0.5);
    let rows = drawn(&mut console);
    assert_eq!(rows[3], "..###...........");
    assert_eq!(rows.iter().filter(|row| row.contains('#')).count(), 3);
    // A diagonal through the middles belongs to exactly one of two triangles.
    let mut console = Console::new();
    console.set(m::set_blend_enable::ID, 1);
    console.set(m::set_blend_func_sfactor::ID, 0x0001_0001);
    console.set(m::set_blend_func_dfactor::ID, 0x0001_0001);
    console.rect([0.2, 0.2, 0.2, 0.2], WHOLE, 0.5);
    assert_eq!(console.count(0x3333_3333), 256);
}

#[test]
fn facing_follows_the_winding_in_memory() {
    // (front face, culled side, drawn) for a clockwise rectangle.
    let cases = [
        (0x900, 0x405, true),
        (0x900, 0x404, false),
        (0x901, 0x405, false),
        (0x901, 0x404, true),
        (0x900, 0x408, false),
    ];
    for (front, culled, expected) in cases {
        let mut console = Console::new();
        console.set(m::set_cull_face_enable::ID, 1);
        console.set(m::set_front_face::ID, front);
        console.set(m::set_cull_face::ID, culled);
        console.rect(RED, WHOLE, 0.5);
        assert_eq!(pixels(&mut console) == 256, expected, "{front:#x} {culled:#x}");
    }
}

#[test]
fn two_sided_light_takes_the_back_colours() {
    for (two_sided, expected) in [(1, 0xFF00_FF00), (0, 0xFFFF_0000)] {
        let mut console = Console::new();
        console.set(m::set_two_side_light_en::ID, two_sided);
        console.set(m::set_vertex_attrib_output_mask::ID, 0xF);
        console.attribute(5, GREEN);
        console.rect(RED, [0.0, 0.0, 8.0, 16.0], 0.5);
        // The front faces counter-clockwise.
        let mut corners = rect([8.0, 0.0, 16.0, 16.0], 0.5);
        corners.reverse();
        console.draw(QUADS, BLUE, &corners);
        assert_eq!([console.pixel(0, 0), console.pixel(15, 0)], [expected, 0xFF00_00FF]);
    }
}

#[test]
fn the_facing_input_is_one_or_minus_one() {
    let mut console = Console::new();
    console.fragment_program("mul r0, f[SSA].x, {-1, 1, 0, 0}  [end]");
    console.rect(RED, [0.0, 0.0, 8.0, 16.0], 0.5);
    let mut corners = rect([8.0, 0.0, 16.0, 16.0], 0.5);
    corners.reverse();
    console.draw(QUADS, RED, &corners);
    assert_eq!([console.pixel(0, 0), console.pixel(15, 0)], [0x00FF_0000, 0x0000_FF00]);
}

#[test]
fn flat_shading_takes_colours_of_the_provoking_vertex_only() {
    for (first, expected) in [(0, 0xFF00_00FF), (1, 0xFFFF_0000)] {
        let mut console = Console::new();
        console.set(m::set_shade_mode::ID, 0x1D00);
        console.set(m::set_flat_shade_op::ID, first);
        console.fragment_program("mov r0, f[COL0]\n mov r0.w, f[TC0].x  [end]");
        console.begin(TRIANGLES);
        for (i, (color, position)) in
            [(RED, [-1.0, -1.0, 0.0, 1.0]), (GREEN, [3.0, -1.0, 0.0, 1.0]), (BLUE, [-1.0, 3.0, 0.0, 1.0])]
                .into_iter()
                .enumerate()
        {
            console.attribute(3, color);
            console.attribute(8, [(i == 1) as u32 as f32, 0.0, 0.0, 0.0]);
            console.attribute(0, position);
        }
        console.end();
        console.run();
        assert_eq!(console.pixel(3, 7) & 0xFFFFFF, expected & 0xFFFFFF);
        // The texture coordinate goes from 0 to 1 over 32 pixels.
        assert_eq!([console.pixel(0, 7) >> 24, console.pixel(15, 7) >> 24], [4, 124]);
    }
}

#[test]
fn the_last_vertex_of_a_quad_provokes_in_either_convention() {
    for first in [0, 1] {
        let mut console = Console::new();
        console.set(m::set_shade_mode::ID, 0x1D00);
        console.set(m::set_flat_shade_op::ID, first);
        console.begin(QUADS);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        for (color, [x, y]) in [RED, GREEN, WHITE, BLUE].into_iter().zip(corners) {
            console.attribute(3, color);
            console.attribute(0, [x, y, 0.0, 1.0]);
        }
        console.end();
        console.run();
        assert_eq!(console.count(0xFF00_00FF), 256, "first {first}");
    }
}

#[test]
fn positions_in_the_window_have_its_offset() {
    // Programs that leave the division to the GPU are moved.
    for (mode, drawn) in [(0x103, 256), (0x13, 13 * 14)] {
        let mut console = Console::new();
        console.set(m::set_window_offset::ID, 3 << 16 | 2);
        console.set(m::set_transform_execution_mode::ID, mode);
        console.rect(RED, WHOLE, 0.5);
        assert_eq!(pixels(&mut console), drawn, "{mode:#x}");
    }
}

#[test]
fn depth_is_clipped_or_clamped() {
    // (control, depth range, drawn columns of a plane from -1 at the left to 2 at the right, clip space)
    for (control, range, expected) in
        [(1, [0.0, 1.0], 8), (0x10, [0.0, 1.0], 16), (1, [-1.0, 1.0], 16), (0, [0.0, 1.0], 16)]
    {
        let mut console = Console::new();
        console.set(m::set_zmin_max_control::ID, control);
        console.floats(m::set_clip_min::ID, &range);
        // Window depth -0.5 to 0.5.
        let corners = [[-1.0, -1.0, -2.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, -2.0, 1.0]];
        console.draw(QUADS, RED, &corners);
        assert_eq!(pixels(&mut console), expected * 16, "{control:#x} {range:?}");
    }
}

#[test]
fn what_is_behind_the_eye_is_clipped() {
    let mut console = Console::new();
    console.set(m::set_zmin_max_control::ID, 0x10);
    // From w = 1 at the left edge of the target through infinity on the right to w = -1.
    let corners = [[-1.0, -1.0, 0.0, 1.0], [3.0, 1.0, 0.0, -1.0], [3.0, -1.0, 0.0, -1.0], [-1.0, 1.0, 0.0, 1.0]];
    console.draw(QUADS, RED, &corners);
    assert_eq!(pixels(&mut console), 256);
    // A triangle wholly behind is not drawn, unless the sign of w is ignored.
    for (control, expected) in [(0x10, 0), (0x110, 256)] {
        let mut console = Console::new();
        console.set(m::set_zmin_max_control::ID, control);
        console.draw(QUADS, RED, &rect(WHOLE, 0.5).map(|position| position.map(|v| -v)));
        assert_eq!(pixels(&mut console), expected);
    }
}

#[test]
fn enormous_triangles_are_cut_at_the_guard_band() {
    let mut console = Console::new();
    let far = 1e9;
    console.draw(TRIANGLES, RED, &[[-far, -far, 0.0, 1.0], [3.0 * far, -far, 0.0, 1.0], [-far, 3.0 * far, 0.0, 1.0]]);
    assert_eq!(pixels(&mut console), 256);
    console.clear(0);
    let nan = f32::NAN;
    console.draw(TRIANGLES, RED, &[[nan, 0.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, nan]]);
    assert_eq!(pixels(&mut console), 0);
}

#[test]
fn clip_distances_keep_either_side() {
    // Distance of plane 1 is z of the fog output: from -1 to 1 across the target.
    for (control, expected) in [(0x00, "################"), (0x20, "........########"), (0x10, "########........")] {
        let mut console = Console::new();
        console.vertex_program(
            "mov o[HPOS], v[0]\n mov o[COL0], v[3]\n mov o[FOGC].z, v[0].x\n mov o[PSIZ].w, v[0].y  [end]",
        );
        console.set(m::set_vertex_attrib_output_mask::ID, 1 | 1 << 7 | 1 << 11);
        console.set(m::set_user_clip_plane_control::ID, control);
        console.rect(RED, WHOLE, 0.5);
        assert_eq!(drawn(&mut console)[5], expected);
        // Plane 5 is w of the point size output.
        console.clear(0);
        console.set(m::set_user_clip_plane_control::ID, 0x20_0000);
        console.rect(RED, WHOLE, 0.5);
        assert_eq!(drawn(&mut console).iter().filter(|row| row.contains('#')).count(), 8);
    }
}

#[test]
fn divided_positions_keep_their_perspective() {
    let mut pictures = Vec::new();
    for divided in [false, true] {
        let mut console = Console::new();
        console.set(m::set_transform_execution_mode::ID, if divided { 0x103 } else { 0x13 });
        console.begin(TRIANGLES);
        for (color, [x, y, z, w]) in
            [(RED, [-1.0, -1.0, 0.0, 1.0]), (GREEN, [12.0, -4.0, 0.0, 4.0]), (BLUE, [-2.0, 6.0, 0.0, 2.0])]
        {
            console.attribute(3, color);
            console.attribute(0, if divided { [x / w, y / w, z / w, 1.0 / w] } else { [x, y, z, w] });
        }
        console.end();
        console.run();
        pictures.push(console.read(0, COLOR, 1024));
    }
    assert!(pictures[0].iter().any(|&byte| byte != 0));
    assert_eq!(pictures[0], pictures[1]);
}

#[test]
fn rectangles_that_clip() {
    let count = |write: &dyn Fn(&mut Console)| {
        let mut console = Console::new();
        write(&mut console);
        console.rect(RED, WHOLE, 0.5);
        drawn(&mut console)
    };
    let cut = |rows: Vec<String>| -> (usize, String) {
        let lines = rows.iter().filter(|row| row.contains('#')).count();
        (lines, rows.into_iter().find(|row| row.contains('#')).unwrap_or_default())
    };
    let inner = "..###...........".to_owned();
    assert_eq!(
        cut(count(&|c| c.method(m::set_scissor_horizontal::ID, &[3 << 16 | 2, 5 << 16 | 4]))),
        (5, inner.clone())
    );
    assert_eq!(
        cut(count(&|c| c.method(m::set_viewport_horizontal::ID, &[3 << 16 | 2, 5 << 16 | 4]))),
        (5, inner.clone())
    );
    assert_eq!(
        cut(count(&|c| c.method(m::set_surface_clip_horizontal::ID, &[3 << 16 | 2, 5 << 16 | 4]))),
        (5, inner.clone())
    );
    // Window clip rectangles have inclusive ends; the others are switched off by being empty.
    let windows = |outside: u32| {
        move |c: &mut Console| {
            c.set(m::set_window_clip_type::ID, outside);
            for i in 0..8 {
                c.set(m::set_window_clip_horizontal::id(i), if i == 2 { 4 << 16 | 2 } else { 1 });
                c.set(m::set_window_clip_vertical::id(i), if i == 2 { 8 << 16 | 4 } else { 1 });
            }
        }
    };
    assert_eq!(cut(count(&windows(0))), (5, inner));
    let outside = count(&windows(1));
    assert_eq!((outside[3].as_str(), outside[4].as_str()), ("################", "##...###########"));
    // The window offset moves everything but the surface clip and the window clip rectangles.
    let moved = count(&|c| {
        c.set(m::set_window_offset::ID, 3 << 16 | 2);
        c.method(m::set_scissor_horizontal::ID, &[3 << 16, 5 << 16]);
    });
    assert_eq!(cut(moved.clone()), (5, "..###...........".to_owned()));
    assert_eq!(moved.iter().position(|row| row.contains('#')), Some(3));
}
