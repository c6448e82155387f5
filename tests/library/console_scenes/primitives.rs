//! Every kind of primitive, with points, lines and polygons in their modes.

use triglyph_guest::rsx::methods::curie as m;
use triglyph_testkit::rsx::{
    Console, LINE_LOOP, LINE_STRIP, LINES, POINTS, QUADS, TRIANGLE_FAN, TRIANGLE_STRIP, TRIANGLES,
};

use super::{DATA, Recorded};

const QUAD_STRIP: u32 = 9;
const POLYGON: u32 = 10;

/// Modes of polygons, as OpenGL numbers them.
const POINT_MODE: u32 = 0x1B00;
const LINE_MODE: u32 = 0x1B01;
const FILL_MODE: u32 = 0x1B02;

/// Bytes of a vertex: three floats, and four bytes of colour.
const STRIDE: u32 = 16;

/// Sixteen runs of four pixels, as the picture shows them.
const LINE_PATTERN: u32 = 0x1234;
/// Pixels that a bit of it is for, less one.
const LINE_FACTOR: u32 = 3;

/// Steps by which a console's colours are off exact planes, and some of its own pixels from each other.
const COLOR_STEPS: u32 = 2;

/// Objects in a row, from the lower left one on: cells of four vertices, then of six.
fn vertices() -> Vec<([f32; 2], u32)> {
    const QUAD: [(f32, f32, u32); 4] =
        [(0.0, 0.0, 0x00FF_0000), (1.0, 0.0, 0x0000_FF00), (0.0, 1.0, 0xFF00_0000), (1.0, 1.0, 0)];
    const HEXAGON: [(f32, f32, u32); 6] = [
        (0.0, 1.0, 0xFF00_0000),
        (1.0, 1.0, 0x00FF_0000),
        (1.2, 0.5, 0x0000_FF00),
        (1.0, 0.0, 0xFFFF_0000),
        (0.0, 0.0, 0x00FF_FF00),
        (-0.2, 0.5, 0xFF00_FF00),
    ];
    let place = |x: f64, y: f64| [(x - 1.0) as f32, (y - 1.0) as f32];
    let mut all = Vec::new();
    for (row, column) in (0..3).flat_map(|row| (0..6).map(move |column| (f64::from(row), f64::from(column)))) {
        all.extend(QUAD.map(|(x, y, color)| {
            let x = 0.1 * (column + 1.0) + 0.2 * (column + f64::from(x));
            (place(x, 0.15 * (row + 1.0) + 0.3 * (row + f64::from(y))), color)
        }));
    }
    for (row, column) in (2..4).flat_map(|row| (0..3).map(move |column| (f64::from(row), f64::from(column)))) {
        all.extend(HEXAGON.map(|(x, y, color)| {
            let x = 0.3 * (column + 1.0) + 0.3 * (column + f64::from(x));
            (place(x, 0.15 * (row + 1.0) + 0.3 * (row + f64::from(y))), color)
        }));
    }
    all
}

fn draw_arrays(console: &mut Console<Recorded>, primitive: u32, first: u32, count: u32) {
    console.begin(primitive);
    console.set(m::draw_arrays::ID, first | (count - 1) << 24);
    console.end();
}

/// Draws with a switch on.
fn with(console: &mut Console<Recorded>, switch: usize, primitive: u32, first: u32, count: u32) {
    console.set(switch, 1);
    draw_arrays(console, primitive, first, count);
    console.set(switch, 0);
}

fn draw(console: &mut Console<Recorded>) {
    let stored: Vec<u8> = vertices()
        .into_iter()
        .flat_map(|([x, y], color)| [x.to_bits(), y.to_bits(), (-1f32).to_bits(), color])
        .flat_map(u32::to_be_bytes)
        .collect();
    console.write_local(DATA, &stored);
    console.vertex_program("mov o[HPOS], v[0]\n mov o[COL0], v[3]  [end]");
    console.set(m::set_vertex_data_array_offset::id(0), DATA);
    console.set(m::set_vertex_data_array_format::id(0), 2 | 3 << 4 | STRIDE << 8);
    console.set(m::set_vertex_data_array_offset::id(3), DATA + 12);
    console.set(m::set_vertex_data_array_format::id(3), 4 | 4 << 4 | STRIDE << 8);

    // Objects that cover themselves show what was drawn first: depths are equal.
    console.set(m::set_depth_test_enable::ID, 1);

    console.floats(m::set_point_size::ID, &[5.0]);
    draw_arrays(console, POINTS, 0, 4);
    console.floats(m::set_point_size::ID, &[1.0]);
    console.set(m::set_line_stipple_pattern::ID, LINE_FACTOR | LINE_PATTERN << 16);
    with(console, m::set_line_stipple::ID, LINES, 4, 4);
    console.set(m::set_line_width::ID, 5 * 8);
    draw_arrays(console, LINE_STRIP, 8, 4);
    console.set(m::set_line_width::ID, 8);
    with(console, m::set_line_smooth_enable::ID, LINE_LOOP, 12, 4);
    for (primitive, first) in [(TRIANGLES, 16), (TRIANGLE_STRIP, 24), (TRIANGLE_FAN, 32), (QUAD_STRIP, 40), (QUADS, 48)]
    {
        draw_arrays(console, primitive, first, 8);
    }
    draw_arrays(console, POLYGON, 78, 6);
    with(console, m::set_poly_smooth_enable::ID, POLYGON, 84, 6);
    for (mode, first) in [(POINT_MODE, 90), (LINE_MODE, 96)] {
        console.set(m::set_back_polygon_mode::ID, mode);
        draw_arrays(console, POLYGON, first, 6);
    }
    console.set(m::set_back_polygon_mode::ID, FILL_MODE);
    console.method(m::set_polygon_stipple_pattern::ID, &(0..32).map(|word| 1 << word).collect::<Vec<u32>>());
    with(console, m::set_polygon_stipple::ID, POLYGON, 102, 6);
}

#[test]
fn primitives() {
    super::check("primitives", COLOR_STEPS, draw);
}
