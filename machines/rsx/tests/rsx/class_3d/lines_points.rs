//! The RSX's 3D class: lines, points, stipples, polygons drawn as either.

use crate::class_3d::support::*;
use triglyph_guest::rsx::methods::curie as m;

const WHOLE: [f32; 4] = [0.0, 0.0, 16.0, 16.0];

fn drawn(console: &mut Console) -> Vec<String> {
    assert_eq!(console.faults(), 0);
    console.drawn(0)
}

/// The columns that are drawn in row `y`.
fn columns(console: &mut Console, y: usize) -> Vec<usize> {
    drawn(console)[y].chars().enumerate().filter(|(_, pixel)| *pixel == '#').map(|(x, _)| x).collect()
}

fn pixels(console: &mut Console) -> usize {
    (0..16).map(|y| columns(console, y).len()).sum()
}

#[test]
fn polygon_modes_draw_edges_and_corners() {
    for (mode, row2, row5, count) in [(0x1B01, 8, 2, 28), (0x1B00, 2, 0, 4), (0x1B02, 7, 7, 49)] {
        let mut console = Console::new();
        console.set(m::set_back_polygon_mode::ID, mode);
        console.rect(RED, [2.5, 2.5, 9.5, 9.5], 0.5);
        // Lines without their last pixels, points of a pixel: no diagonal, each corner once.
        assert_eq!((columns(&mut console, 2).len(), columns(&mut console, 5).len()), (row2, row5), "{mode:#x}");
        assert_eq!(pixels(&mut console), count, "{mode:#x}");
    }
    // Without edges nothing is left; the mode of the other side does not matter.
    for (front, edges, expected) in [(0x1B01, 1, 49), (0x1B02, 0, 49)] {
        let mut console = Console::new();
        console.set(m::set_front_polygon_mode::ID, front);
        console.set(m::set_edge_flag::ID, edges);
        console.rect(RED, [2.5, 2.5, 9.5, 9.5], 0.5);
        assert_eq!(pixels(&mut console), expected);
        console.set(m::set_back_polygon_mode::ID, 0x1B00);
        console.clear(0);
        console.rect(RED, [2.5, 2.5, 9.5, 9.5], 0.5);
        assert_eq!(pixels(&mut console), if edges == 1 { 4 } else { 0 });
    }
}

#[test]
fn polygon_offset_moves_depth_by_slope_and_units() {
    let depth = |factor: f32, units: f32, enable: usize| {
        let mut console = Console::new();
        console.clear(0);
        console.set(m::set_depth_test_enable::ID, 1);
        console.set(enable, 1);
        console.floats(m::set_polygon_offset_scale_factor::ID, &[factor, units]);
        // From 0.25 to 0.75 over 16 columns.
        let corners = [at(0.0, 0.0, 0.25), at(16.0, 0.0, 0.75), at(16.0, 16.0, 0.75), at(0.0, 16.0, 0.25)];
        console.draw(QUADS, RED, &corners);
        f64::from(console.depth(7, 7) >> 8) / 16_777_215.0
    };
    let plain = 0.25 + 7.5 / 32.0;
    let fill = m::set_poly_offset_fill_enable::ID;
    let near = |a: f64, b: f64| (a - b).abs() < 2.0 / 16_777_216.0;
    assert!(near(depth(0.0, 0.0, fill), plain));
    assert!(near(depth(2.0, 0.0, fill), plain + 2.0 / 32.0));
    assert!(near(depth(0.0, 2048.0, fill), plain + 2048.0 / 16_777_216.0));
    assert!(near(depth(2.0, 2048.0, m::set_poly_offset_line_enable::ID), plain));
}

#[test]
fn points_are_squares_around_their_vertex() {
    for (size, expected) in [(1.0, vec![5]), (2.0, vec![4, 5]), (3.0, vec![4, 5, 6]), (0.0, vec![])] {
        let mut console = Console::new();
        console.floats(m::set_point_size::ID, &[size]);
        console.draw(POINTS, RED, &[at(5.5 - if size == 2.0 { 0.5 } else { 0.0 }, 7.5, 0.5)]);
        assert_eq!(columns(&mut console, 7), expected, "{size}");
    }
    // A point whose middle is outside is not drawn, however large it is.
    let mut console = Console::new();
    console.floats(m::set_point_size::ID, &[9.0]);
    console.draw(POINTS, RED, &[[0.0, 0.0, 1.5, 1.0]]);
    assert_eq!(pixels(&mut console), 0);
}

#[test]
fn point_sizes_come_from_the_program_where_the_mask_says_so() {
    for (mask, expected) in [(1, 1), (1 | 1 << 5, 16)] {
        let mut console = Console::new();
        console.set(m::set_vertex_attrib_output_mask::ID, mask);
        console.attribute(7, [4.0, 0.0, 0.0, 0.0]);
        console.draw(POINTS, RED, &[at(8.0, 8.0, 0.5)]);
        assert_eq!(pixels(&mut console), expected);
    }
}

#[test]
fn sprites_replace_texture_coordinates_of_points() {
    let mut console = Console::new();
    console.floats(m::set_point_size::ID, &[4.0]);
    console.fragment_program("mov r0, f[TC0]\n mov r0.w, f[TC1].x  [end]");
    console.set(m::set_point_sprite_control::ID, 1 | 1 << 8);
    console.attribute(8, [0.5; 4]);
    console.attribute(9, [0.25; 4]);
    console.draw(POINTS, RED, &[at(8.0, 8.0, 0.5)]);
    // s to the right, t downwards, r 0; coordinate 1 is not replaced.
    let byte = |v: f32| (v * 255.0 + 0.5) as u32;
    let expected = |s: f32, t: f32| byte(0.25) << 24 | byte(s) << 16 | byte(t) << 8;
    assert_eq!(console.pixel(6, 6), expected(0.125, 0.125));
    assert_eq!(console.pixel(9, 7), expected(0.875, 0.375));
    // Other primitives keep theirs.
    console.rect(RED, WHOLE, 0.5);
    assert_eq!(console.pixel(6, 6), byte(0.25) << 24 | 0x80_8080);
    // r may be the coordinate's own, or s.
    for (mode, r) in [(1, 0.5), (2, 0.125)] {
        console.set(m::set_point_sprite_control::ID, 1 | mode << 1 | 1 << 8);
        console.draw(POINTS, RED, &[at(8.0, 8.0, 0.5)]);
        assert_eq!(console.pixel(6, 6), expected(0.125, 0.125) | byte(r));
    }
    // Two-dimensional coordinates have 0 there.
    console.set(m::set_tex_coord_control::id(0), 1);
    console.draw(POINTS, RED, &[at(8.0, 8.0, 0.5)]);
    assert_eq!(console.pixel(6, 6), expected(0.125, 0.125));
}

#[test]
fn sprites_have_a_last_coordinate_to_divide_by() {
    // 1, or w of two-dimensional ones.
    for (control, last) in [(0, 1.0), (1, 2.0)] {
        let mut console = Console::new();
        console.floats(m::set_point_size::ID, &[4.0]);
        console.fragment_program("mul r0, f[TC0].w, {0.25, 0.25, 0.25, 0.25}  [end]");
        console.set(m::set_point_sprite_control::ID, 1 | 1 << 8);
        console.set(m::set_tex_coord_control::id(0), control);
        console.attribute(8, [0.5; 4]);
        let [x, y, z, _] = at(8.0, 8.0, 0.5);
        console.draw(POINTS, RED, &[[2.0 * x, 2.0 * y, 2.0 * z, 2.0]]);
        let byte = (last * 0.25 * 255.0 + 0.5) as u32;
        assert_eq!(console.pixel(7, 7), byte * 0x0101_0101, "{control}");
    }
}

#[test]
fn lines_are_parallelograms() {
    let mut console = Console::new();
    console.draw(LINES, RED, &[at(2.5, 3.5, 0.5), at(10.5, 3.5, 0.5), at(4.5, 6.5, 0.5), at(4.5, 12.5, 0.5)]);
    assert_eq!(columns(&mut console, 3), [2, 3, 4, 5, 6, 7, 8, 9]);
    let rows: Vec<usize> = (0..16).filter(|&y| columns(&mut console, y) == [4]).collect();
    assert_eq!(rows, [6, 7, 8, 9, 10, 11]);
    // Width in eighths; 0 is a pixel wide.
    for (width, rows) in [(24, 3), (0, 1), (8, 1)] {
        let mut console = Console::new();
        console.set(m::set_line_width::ID, width);
        console.draw(LINES, RED, &[at(2.5, 8.5, 0.5), at(10.5, 8.5, 0.5)]);
        assert_eq!(pixels(&mut console), 8 * rows, "{width}");
    }
    // A diagonal has a pixel for each step along its longer side.
    let mut console = Console::new();
    console.draw(LINES, RED, &[at(1.5, 1.5, 0.5), at(13.5, 7.5, 0.5)]);
    assert_eq!(pixels(&mut console), 12);
}

#[test]
fn lines_have_their_first_pixel_and_not_their_last_in_any_direction() {
    for (from, to, expected) in [([2, 3], [6, 3], 2..6), ([6, 3], [2, 3], 3..7)] {
        let mut console = Console::new();
        let end = |[x, y]: [u8; 2]| at(f32::from(x) + 0.5, f32::from(y) + 0.5, 0.5);
        console.draw(LINES, RED, &[end(from), end(to)]);
        assert_eq!(columns(&mut console, 3), expected.clone().collect::<Vec<_>>(), "{from:?} to {to:?}");
        let turned = |[x, y]: [u8; 2]| [y, x];
        let mut console = Console::new();
        console.draw(LINES, RED, &[end(turned(from)), end(turned(to))]);
        let rows: Vec<usize> = (0..16).filter(|&y| columns(&mut console, y) == [3]).collect();
        assert_eq!(rows, expected.collect::<Vec<_>>(), "{from:?} to {to:?}");
    }
}

#[test]
fn lines_interpolate_along_themselves() {
    let mut console = Console::new();
    console.begin(LINES);
    for (color, x) in [([0.0; 4], 0.0), (WHITE, 16.0)] {
        console.attribute(3, color);
        console.attribute(0, at(x, 8.5, 0.5));
    }
    console.end();
    console.run();
    let values: Vec<u32> = [0, 7, 15].map(|x| console.pixel(x, 8) & 0xFF).to_vec();
    assert_eq!(values, [8, 120, 247]);
}

#[test]
fn loops_close_and_strips_do_not() {
    for (primitive, expected) in [(LINE_STRIP, 18), (LINE_LOOP, 24), (LINES, 12)] {
        let mut console = Console::new();
        let square = [at(2.5, 2.5, 0.5), at(8.5, 2.5, 0.5), at(8.5, 8.5, 0.5), at(2.5, 8.5, 0.5)];
        console.draw(primitive, RED, &square);
        assert_eq!(pixels(&mut console), expected, "{primitive}: corners count once");
    }
}

#[test]
fn line_stipples_go_on_along_a_strip() {
    let mut console = Console::new();
    console.set(m::set_line_stipple::ID, 1);
    // The register holds one less than the pixels of a bit.
    console.set(m::set_line_stipple_pattern::ID, 1 | 0b0101 << 16);
    console.draw(LINES, RED, &[at(0.5, 3.5, 0.5), at(14.5, 3.5, 0.5)]);
    assert_eq!(columns(&mut console, 3), [0, 1, 4, 5]);
    // Backwards the pattern begins on the right.
    console.draw(LINES, RED, &[at(14.5, 5.5, 0.5), at(0.5, 5.5, 0.5)]);
    assert_eq!(columns(&mut console, 5), [9, 10, 13, 14]);
    // Three pixels, then the next line of the strip.
    console.draw(LINE_STRIP, RED, &[at(0.5, 7.5, 0.5), at(3.5, 7.5, 0.5), at(12.5, 7.5, 0.5)]);
    assert_eq!(columns(&mut console, 7), [0, 1, 4, 5]);
    console.draw(LINES, RED, &[at(0.5, 9.5, 0.5), at(3.5, 9.5, 0.5), at(3.5, 9.5, 0.5), at(12.5, 9.5, 0.5)]);
    assert_eq!(columns(&mut console, 9), [0, 1, 3, 4, 7, 8]);
}

#[test]
fn words_of_the_polygon_stipple_are_those_of_opengl() {
    let mut console = Console::new();
    console.set(m::set_polygon_stipple::ID, 1);
    let mut words = [0; 32];
    // Rows from below, and in a byte the highest bit first.
    (words[28], words[27]) = (0b1101_0000, 0x0100);
    console.method(m::set_polygon_stipple_pattern::id(0), &words);
    console.rect(RED, WHOLE, 0.5);
    assert_eq!((columns(&mut console, 3), columns(&mut console, 4)), (vec![0, 1, 3], vec![15]));
    assert_eq!(pixels(&mut console), 4);
}

#[test]
fn the_polygon_stipple_is_for_filled_polygons() {
    let stippled = || {
        let mut console = Console::new();
        console.set(m::set_polygon_stipple::ID, 1);
        console
    };
    let mut console = stippled();
    console.draw(LINES, RED, &[at(2.5, 3.5, 0.5), at(10.5, 3.5, 0.5)]);
    console.draw(POINTS, RED, &[at(5.5, 7.5, 0.5)]);
    assert_eq!((columns(&mut console, 3).len(), columns(&mut console, 7)), (8, vec![5]));
    for (mode, count) in [(0x1B01, 28), (0x1B00, 4), (0x1B02, 0)] {
        let mut console = stippled();
        console.set(m::set_back_polygon_mode::ID, mode);
        console.rect(RED, [2.5, 2.5, 9.5, 9.5], 0.5);
        assert_eq!(pixels(&mut console), count, "{mode:#x}");
    }
}
