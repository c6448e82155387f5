//! What the 3DS does from primitives on, where sources disagree or software renderers are known to err: one small draw
//! each. `docs/reference/3ds.md` lists them by name.

use crate::support::*;
use triglyph_engine::device::{Device, FaultKind};
use triglyph_guest::num::F24;
use triglyph_guest::pica::{Program, regs};

// Primitives.

#[test]
fn immediate_triangles_are_drawn_as_they_complete() {
    let mut list = plain().with(regs::fixed_attr_index::ID, 15);
    let [a, b, c] = half(RED);
    list.vertex(&a).vertex(&b).vertex(&c);
    // From here on nothing is drawn any more.
    list.set(regs::color_write_allow::ID, 0);
    let mut console = Console::new();
    console.run(list.end());
    assert_eq!(console.pixel(0, 0), [255, 0, 0, 255]);
    // The other way round the state of the third vertex counts, not that of the first.
    let mut list = plain().with(regs::fixed_attr_index::ID, 15);
    list.vertex(&a).vertex(&b).set(regs::color_write_allow::ID, 0).vertex(&c);
    let mut console = Console::new();
    console.run(list.end());
    assert_eq!(console.pixel(0, 0), [0; 4]);
}

#[test]
fn an_index_write_drops_a_half_built_vertex() {
    let [a, b, c] = half(RED);
    let mut list = plain().with(regs::fixed_attr_index::ID, 15);
    list.vertex(&a).feed(regs::fixed_attr_data::IDS[0], &List::packed(c[0]));
    list.set(regs::fixed_attr_index::ID, 15).vertex(&b).vertex(&c);
    let mut console = Console::new();
    console.run(list.end());
    assert_eq!(console.pixel(0, 0), [255, 0, 0, 255]);
}

#[test]
fn primitives_outlive_draws_until_a_topology_register_is_written() {
    let vertices = half(RED);
    for (id, value, drawn) in [
        (regs::blend_color::ID, 2, true),
        (regs::primitive_restart::ID, 0, true),
        (regs::primitive_restart::ID, 2, false),
        (regs::primitive_config::ID, 2, false),
    ] {
        let mut console = Console::new();
        console.write_floats(VERTICES, &vertices.concat().concat());
        let mut list = plain().with(regs::num_vertices::ID, 2).with(regs::draw_arrays::ID, 1);
        // One byte alone, and the topology unchanged: it resets all the same.
        list.masked(id, value, 1);
        list.set(regs::vertex_offset::ID, 2).set(regs::num_vertices::ID, 1).set(regs::draw_arrays::ID, 1);
        console.run(list.end());
        assert_eq!(console.pixel(0, 0) != [0; 4], drawn, "{id:#x} {value}");
    }
}

#[test]
fn topology_three_without_a_geometry_program_is_a_list() {
    let list = plain().with(regs::primitive_config::ID, 3 << 8 | 2);
    assert_eq!(Console::new().fill(list, RED), [255, 0, 0, 255]);
}

/// A program for the geometry unit that is fed vertex by vertex.
fn geometry(text: &str) -> List {
    let program = Program::assemble(text).unwrap();
    let mut list = plain().with(regs::primitive_config::ID, 3 << 8 | 2).with(regs::vsh_com_mode::ID, 1);
    list.set(regs::geostage_config::ID, 2).set(regs::gsh_misc0::ID, 0).set(regs::gsh_misc1::ID, 0);
    list.set(regs::gsh_input_config::ID, 0x0800_0002).set(regs::gsh_perm_lo::ID, 0x7654_3210);
    list.set(regs::gsh_outmap_mask::ID, 7).set(regs::gsh_entry::ID, 0x7FFF_0000).set(regs::gsh_bool::ID, 0x7FFF_0000);
    list.set(regs::gsh_code_index::ID, 0).feed(regs::gsh_code_data::ID, &program.code);
    list.set(regs::gsh_opdesc_index::ID, 0).feed(regs::gsh_opdesc_data::ID, &program.descriptors);
    list
}

#[test]
fn b15_tells_a_geometry_program_that_it_has_run() {
    // Vertices go through in threes, red before b15 is set and green after it.
    let text = "mov r1, v1\nifu b15, other..last\nmov r1, v1.yxyw\nother:\nnop\nlast:\nmov o0, v0\nmov o1, r1\nmov o2, v2\n\
                setemit 0\nemit\nadd r0, v0, v2\nmov o0, r0\nmov o1, r1\nmov o2, v2\nsetemit 1\nemit\n\
                add r0, v0, v2.yxzw\nmov o0, r0\nmov o1, r1\nmov o2, v2\nsetemit 2, prim\nemit\nend";
    let point = |x: f32, y: f32| [[x, y, -0.5, 1.0], RED, [1.0, 0.0, 0.0, 0.0]];
    let mut console = Console::new();
    console.draw(geometry(text), &[point(-1.0, -1.0), point(0.0, 0.0)]);
    assert_eq!(console.pixel(1, 1), [255, 0, 0, 255]);
    assert_eq!(console.pixel(9, 9), [0, 255, 0, 255]);
    // It stays set in later draws, until the register is written.
    console.draw(List::default(), &[point(-1.0, -1.0)]);
    assert_eq!(console.pixel(1, 1), [0, 255, 0, 255]);
    console.draw(List::default().with(regs::gsh_bool::ID, 0x7FFF_0000), &[point(-1.0, -1.0)]);
    assert_eq!(console.pixel(1, 1), [255, 0, 0, 255]);
}

/// The colour of input 1, or of r1 where there is one, over the lower left of what lies above and to the right of input
/// 0; input 2 is the unit vector in x.
const CORNER: &str = "mov r0, v0\nmov o0, r0\nmov o1, r1\nmov o2, v2\nsetemit 0\nemit\nadd r0, v0, v2\nmov o0, r0\n\
                      mov o1, r1\nmov o2, v2\nsetemit 1\nemit\nadd r0, v0, v2.yxzw\nmov o0, r0\nmov o1, r1\nmov o2, v2\n";

#[test]
fn immediate_vertices_of_a_geometry_program_belong_together_until_the_index_is_written() {
    // Two vertices to a primitive. r5 counts primitives: the first one is yellow, those after it are green.
    let text = format!("mov r1, v4\nslt r1.x, r5.x, v0.w\nadd r5, r5, v5\n{CORNER}setemit 2, prim\nemit\nend");
    let begin = || geometry(&text).with(regs::gsh_input_config::ID, 0x0800_0005).with(regs::fixed_attr_index::ID, 15);
    let point = |x: f32| [[x, x, -0.5, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]];
    let (yellow, green, none) = ([255, 255, 0, 255], [0, 255, 0, 255], [0; 4]);
    let mut console = Console::new();
    let mut seen = |list: &mut List| {
        console.write(COLOR, &[0; 0x400]);
        console.run(list.end());
        [console.pixel(1, 1), console.pixel(9, 9)]
    };
    for (between, colors) in [(regs::blend_color::ID, [yellow, green]), (regs::fixed_attr_index::ID, [yellow; 2])] {
        let mut list = begin();
        // Writes within a primitive, and after it.
        list.vertex(&point(-1.0)).set(regs::stencil_test::ID, 0).vertex(&point(-1.0)).set(between, 15);
        list.vertex(&point(0.0)).set(regs::stencil_test::ID, 0).vertex(&point(0.0));
        assert_eq!(seen(&mut list), colors, "{between:#x}");
    }
    // A vertex that waits goes with a write of the index, and with a draw.
    let mut list = begin();
    list.vertex(&point(-1.0)).set(regs::fixed_attr_index::ID, 15).vertex(&point(0.0));
    assert_eq!(seen(&mut list), [none; 2]);
    let mut list = begin();
    list.vertex(&point(-1.0)).set(regs::num_vertices::ID, 1).set(regs::draw_arrays::ID, 1).vertex(&point(-1.0));
    assert_eq!(seen(&mut list), [none; 2]);
    // It does not go with the list that it is in.
    let mut list = begin();
    assert_eq!(seen(list.vertex(&point(-1.0))), [none; 2]);
    assert_eq!(seen(List::default().vertex(&point(-1.0))), [yellow, none]);
}

#[test]
fn winding_turns_the_triangle_that_is_completed_next() {
    // Two vertices wait from a draw without a geometry program. With them the first vertex that is emitted makes a
    // triangle, and it is that one which is turned over; what follows of the emission waits in its turn.
    for (winding, cull, drawn) in [("", 1, false), ("", 2, true), (", inv", 1, true), (", inv", 2, false)] {
        let mut console = Console::new();
        let [a, b, c] = half(RED);
        let mut list = plain().with(regs::primitive_config::ID, 3 << 8 | 2).with(regs::cull::ID, cull);
        list.set(regs::fixed_attr_index::ID, 15).vertex(&a).vertex(&b);
        let text = format!("mov r1, v1\n{CORNER}setemit 2, prim{winding}\nemit\nend");
        // What topology registers there are has been written.
        let program = geometry(&text).0[plain().with(regs::primitive_config::ID, 0).0.len()..].to_vec();
        list.0.extend(program);
        list.set(regs::fixed_attr_index::ID, 15).vertex(&[c[0], c[1], [1.0, 0.0, 0.0, 0.0]]);
        console.run(list.end());
        assert_eq!(console.pixel(1, 1) != [0; 4], drawn, "{winding} {cull}");
    }
}

#[test]
fn primitives_of_variable_size_come_from_index_buffers_only() {
    // c0 says how many vertices there are; the first stores all of its attributes, the second its position alone.
    let corner = CORNER.replace("v0", "r3").replace("v2", "r4");
    let text = format!("mov r3, c4\nmov r4, c3\nmov r1, c2\nmul r1.y, c0, r1\n{corner}setemit 2, prim\nemit\nend");
    let list = || {
        let mut list = geometry(&text).with(regs::gsh_misc0::ID, 1).with(regs::gsh_misc1::ID, 0);
        list.set(regs::gsh_input_config::ID, 0x0800_0102).set(regs::index_buffer::ID, 0x1000);
        list.set(regs::num_vertices::ID, 3);
        list
    };
    let point = |x: f32| [[x, x, -0.5, 1.0], [1.0, 0.5, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]];
    let vertices = [point(-1.0), point(0.0), point(0.0)];
    for (draw, seen) in [(regs::draw_elements::ID, [[0; 4], [255, 255, 0, 255]]), (regs::draw_arrays::ID, [[0; 4]; 2])]
    {
        let mut console = Console::new();
        console.write_floats(VERTICES, vertices.as_flattened().as_flattened());
        console.write(VERTICES + 0x1000, &[2, 0, 1]);
        console.run(list().with(draw, 1).end());
        assert_eq!([console.pixel(1, 1), console.pixel(9, 9)], seen, "{draw:#x}");
    }
    let mut console = Console::new();
    let mut immediate = list().with(regs::fixed_attr_index::ID, 15);
    for vertex in &vertices {
        immediate.vertex(vertex);
    }
    console.run(immediate.end());
    assert_eq!(console.pixel(9, 9), [0; 4]);
}

#[test]
fn geometry_modes_that_do_not_exist_draw_nothing() {
    for mode in [0, 3, 0xFF] {
        let mut console = Console::new();
        let text = format!("mov r1, v1\n{CORNER}setemit 2, prim\nemit\nend");
        let list = geometry(&text).with(regs::gsh_misc0::ID, mode);
        console.draw(list, &[[[-1.0, -1.0, -0.5, 1.0], RED, [1.0, 0.0, 0.0, 0.0]]]);
        assert_eq!(console.pixel(1, 1) != [0; 4], mode == 0);
        assert_eq!(console.gpu.faults().count(FaultKind::BadMethod), u64::from(mode != 0));
    }
}

#[test]
fn the_stage_register_alone_switches_geometry_programs_on() {
    // Whatever the input register says that has a mode of its own; outputs beyond o6 get through as well.
    for (stage, config, drawn) in [(2, 0x0800_0002, true), (2, 0xA000_0002, true), (0, 0x0800_0002, false)] {
        let text = format!("mov r1, v1\n{}setemit 2, prim\nemit\nend", CORNER.replace("o2", "o15"));
        let mut list = geometry(&text).with(regs::gsh_outmap_mask::ID, 0x8003);
        list.set(regs::gsh_input_config::ID, config).set(regs::geostage_config::ID, stage);
        let mut console = Console::new();
        // Without a program these are no triangle.
        console.draw(list, &[[[-1.0, -1.0, -0.5, 1.0], RED, [1.0, 0.0, 0.0, 0.0]]]);
        assert_eq!(console.pixel(1, 1) != [0; 4], drawn, "{stage} {config:#x}");
    }
}

#[test]
fn geometry_programs_without_end_are_given_up() {
    let text = "here:\nmov o0, v0\nsetemit 2, prim\nemit\njmpu !b0, here\nend";
    let mut console = Console::new();
    let points = vec![[[0.0; 4]; 3]; 1024];
    console.draw(geometry(text), &points);
    let faults = console.gpu.faults();
    let what = "a geometry program that does not end, 4 times";
    assert!(faults.first().iter().any(|fault| fault.kind == FaultKind::OutOfFuel && fault.what == what));
}

// Raster.

fn covered(console: &mut Console) -> Vec<(u32, u32)> {
    let all = (0..EDGE).flat_map(|y| (0..EDGE).map(move |x| (x, y)));
    all.filter(|&(x, y)| console.pixel(x, y) != [0; 4]).collect()
}

#[test]
fn scissor_corners_are_inclusive() {
    let list = |mode: u32, last: u32| {
        plain()
            .with(regs::scissor_mode::ID, mode)
            .with(regs::scissor_pos::ID, 2 | 3 << 16)
            .with(regs::scissor_dim::ID, last)
    };
    for (mode, last, count) in
        [(3, 5 | 4 << 16, 8), (3, 1 | 4 << 16, 0), (1, 5 | 4 << 16, 248), (0, 0, 256), (2, 0, 256)]
    {
        let mut console = Console::new();
        console.fill(list(mode, last), WHITE);
        let covered = covered(&mut console);
        assert_eq!(covered.len(), count, "{mode} {last:#x}");
        if count == 8 {
            assert_eq!((covered[0], covered[7]), ((2, 3), (5, 4)));
        }
    }
}

#[test]
fn rows_are_stored_from_the_top_if_the_flip_bit_is_set() {
    for (flip, row) in [(1, EDGE - 1), (0, 0)] {
        let mut console = Console::new();
        let list = plain()
            .with(regs::fb_dim::ID, EDGE | (EDGE - 1) << 12 | flip << 24)
            .with(regs::scissor_mode::ID, 3)
            .with(regs::scissor_pos::ID, 0)
            .with(regs::scissor_dim::ID, 0);
        console.fill(list, WHITE);
        let bytes = console.read(COLOR, 0x400);
        let written: Vec<usize> = (0..256).filter(|&i| bytes[4 * i] != 0).collect();
        assert_eq!(written, [tiled(0, row, EDGE) as usize]);
    }
}

#[test]
fn visible_depths_lie_between_minus_w_and_zero() {
    for (z, visible) in [(-1.0, true), (-1.01, false), (0.0, true), (0.01, false)] {
        let mut console = Console::new();
        console.draw(plain(), &half(WHITE).map(|[[x, y, _, w], color, t]| [[x, y, z, w], color, t]));
        assert_eq!(console.pixel(1, 1) != [0; 4], visible, "{z}");
    }
}

// Combiners.

#[test]
fn the_first_stage_takes_its_third_source_for_the_previous_one() {
    // Sources 1 and 2 are "previous", source 3 is the constant.
    let source = 0x0EFF | 0x0EFF << 16;
    let list = plain().with(regs::tev_source::IDS[0], source).with(regs::tev_color::IDS[0], 0x8040_2010);
    assert_eq!(Console::new().fill(list.clone(), RED), [0x10, 0x20, 0x40, 0x80]);
    let nothing = list.with(regs::tev_source::IDS[0], 0x0FFF | 0x0FFF << 16);
    assert_eq!(Console::new().fill(nothing, RED), [0; 4]);
}

#[test]
fn color_operand_codes_are_sparse() {
    let color = [1.0, 0.5, 0.25, 0.75];
    for (code, want) in [
        (0, [255, 128, 64]),
        (1, [0, 127, 191]),
        (2, [191; 3]),
        (3, [64; 3]),
        (4, [255; 3]),
        (5, [0; 3]),
        (6, [0; 3]),
        (7, [0; 3]),
        (8, [128; 3]),
        (9, [127; 3]),
        (12, [64; 3]),
        (13, [191; 3]),
        (15, [0; 3]),
    ] {
        let [r, g, b, a] = Console::new().fill(plain().with(regs::tev_operand::IDS[0], code), color);
        assert_eq!(([r, g, b], a), (want, 191), "{code}");
    }
}

// Targets.

#[test]
fn the_color_gate_is_no_mask() {
    for (gate, mask, want) in [
        (0, 0xF, [0; 4]),
        (1, 0xF, [255, 128, 64, 191]),
        (8, 0xF, [255, 128, 64, 191]),
        (15, 0x5, [255, 0, 64, 0]),
        (2, 0x8, [0, 0, 0, 191]),
    ] {
        let list = plain().with(regs::color_write_allow::ID, gate).with(regs::depth_color_mask::ID, mask << 8);
        assert_eq!(Console::new().fill(list, [1.0, 0.5, 0.25, 0.75]), want, "{gate} {mask}");
    }
}

#[test]
fn any_allowance_lets_depth_and_stencil_through() {
    for (allow, written) in [(0, false), (1, true), (2, true), (4, true)] {
        let mut console = Console::new();
        let list = plain()
            .with(regs::depth_addr::ID, DEPTH >> 3)
            .with(regs::depth_format::ID, 3)
            .with(regs::depth_write_allow::ID, allow)
            // Depth is written although its test is off.
            .with(regs::depth_color_mask::ID, 0x1F00)
            .with(regs::stencil_test::ID, 0xFF5A_FF11)
            .with(regs::stencil_op::ID, 0x222);
        console.fill(list, WHITE);
        let got = console.read(DEPTH, 4);
        assert_eq!(got, if written { vec![0xFF, 0xFF, 0x7F, 0x5A] } else { vec![0; 4] }, "{allow}");
    }
}

#[test]
fn color_formats_of_targets_have_numbers_of_their_own() {
    for (format, want) in [(2, 0xF841), (3, 0xF840), (4, 0xF00F)] {
        let mut console = Console::new();
        let list = plain().with(regs::color_format::ID, format << 16);
        console.quad(list, [1.0, 8.0 / 255.0, 0.0, 1.0], [[0.0; 2]; 4]);
        assert_eq!(console.read(COLOR, 2), (want as u16).to_le_bytes(), "{format}");
    }
    // Red is in the highest bits, so the last byte.
    let mut console = Console::new();
    console.quad(plain(), [1.0, 0.5, 0.25, 0.75], [[0.0; 2]; 4]);
    assert_eq!(console.read(COLOR, 4), [191, 64, 128, 255]);
    console.quad(plain().with(regs::color_format::ID, 1 << 16), [1.0, 0.5, 0.25, 0.75], [[0.0; 2]; 4]);
    assert_eq!(console.read(COLOR, 3), [64, 128, 255]);
}

#[test]
fn blend_equations_beyond_four_add() {
    for equation in [0, 5, 6, 7] {
        let mut console = Console::new();
        console.write(COLOR, &[100; 0x400]);
        let list = plain().with(regs::blend_func::ID, 0x1111_0000 | equation << 8 | equation);
        assert_eq!(console.fill(list, [0.25; 4]), [164; 4], "{equation}");
    }
}

#[test]
fn pixels_outside_of_the_target_are_not_drawn() {
    // The viewport is larger than the target, which ends in the middle of memory.
    let mut console = Console::new();
    let list = plain()
        .with(regs::fb_dim::ID, 8 | 7 << 12 | 1 << 24)
        .with(regs::viewport_half_w::ID, F24::encode(64.0))
        .with(regs::viewport_half_h::ID, F24::encode(64.0));
    console.quad(list, WHITE, [[0.0; 2]; 4]);
    let bytes = console.read(COLOR, 0x200);
    assert_eq!(bytes.iter().filter(|&&byte| byte == 255).count(), 256);
    assert!(bytes[0x100..].iter().all(|&byte| byte == 0));
}

#[test]
fn blocks_of_32_pixels_are_in_morton_order() {
    let mut console = Console::new();
    let list = plain()
        .with(regs::fb_block32::ID, 1)
        .with(regs::fb_dim::ID, 32 | 31 << 12)
        .with(regs::viewport_half_w::ID, F24::encode(16.0))
        .with(regs::viewport_half_h::ID, F24::encode(16.0))
        .with(regs::scissor_mode::ID, 3)
        .with(regs::scissor_pos::ID, 8 | 16 << 16)
        .with(regs::scissor_dim::ID, 8 | 16 << 16);
    console.quad(list, WHITE, [[0.0; 2]; 4]);
    let bytes = console.read(COLOR, 0x1000);
    let written: Vec<usize> = (0..1024).filter(|&i| bytes[4 * i] != 0).collect();
    // x = 8 is bit 6 of the order, y = 16 is bit 9.
    assert_eq!(written, [1 << 6 | 1 << 9]);
}
