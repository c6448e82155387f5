//! The RSX's 3D class: where vertices come from.

use crate::class_3d::support::*;
use crate::support::faults;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::FaultKind;
use triglyph_guest::rsx::methods::curie as m;
use triglyph_options::Options;
use triglyph_rsx::Rsx;

/// Location bit of array offsets: main memory.
const IN_MAIN: u32 = 1 << 31;

fn format(kind: u32, count: u32, stride: u32) -> u32 {
    kind | count << 4 | stride << 8
}

/// Sets where an array is and the form of its elements.
fn array(console: &mut Console, number: usize, offset: u32, format: u32) {
    console.set(m::set_vertex_data_array_offset::id(number), offset);
    console.set(m::set_vertex_data_array_format::id(number), format);
}

/// Sets where indices are and what they are.
fn index_array(console: &mut Console, address: u32, dma: u32) {
    console.set(m::set_index_array_address::ID, address);
    console.set(m::set_index_array_dma::ID, dma);
}

/// Draws a range of elements of the arrays.
fn draw_arrays(console: &mut Console, primitive: u32, range: u32) {
    console.begin(primitive);
    console.set(m::draw_arrays::ID, range);
    console.end();
}

/// Draws a range of indices.
fn draw_indices(console: &mut Console, primitive: u32, range: u32) {
    console.begin(primitive);
    console.set(m::draw_index_array::ID, range);
    console.end();
}

/// Array 0: positions of four corners of all pixels, f32.
fn positions(console: &mut Console) {
    let corners = rect([0.0, 0.0, 16.0, 16.0], 0.5);
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|v| word(console, v.to_bits())).collect();
    console.write_main(ARRAYS, &bytes);
    array(console, 0, ARRAYS | IN_MAIN, format(2, 4, 16));
}

fn word(console: &Console, word: u32) -> [u8; 4] {
    if console.big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
}

/// Draws the four corners with a colour array of one element for all of them.
fn with_color(kind: u32, count: u32, bytes: &[u8], big_endian: bool) -> u32 {
    let mut console = Console::of_order(big_endian);
    positions(&mut console);
    console.write_main(ARRAYS + 0x1000, bytes);
    array(&mut console, 3, (ARRAYS + 0x1000) | IN_MAIN, format(kind, count, 0));
    draw_arrays(&mut console, QUADS, 3 << 24);
    console.run();
    assert_eq!(console.faults(), 0);
    let pixel = console.pixel(0, 0);
    assert_eq!(console.count(pixel), 256);
    pixel
}

#[test]
fn components_of_arrays() {
    let half = |v: u16| v.to_be_bytes();
    // Bytes are in the order of addresses whatever the channel's order is.
    assert_eq!(with_color(4, 4, &[0x10, 0x20, 0x30, 0x40], true), 0x4010_2030);
    assert_eq!(with_color(4, 4, &[0x10, 0x20, 0x30, 0x40], false), 0x4010_2030);
    assert_eq!(with_color(7, 4, &[1, 0, 1, 0], true), 0x00FF_00FF);
    // Missing components are 0, 0, 1.
    assert_eq!(with_color(4, 1, &[0x80], true), 0xFF80_0000);
    assert_eq!(with_color(4, 3, &[0x80, 0x40, 0x20, 0x99], true), 0xFF80_4020);
    let ones: Vec<u8> = [0x3C00, 0x3800].into_iter().flat_map(half).collect();
    assert_eq!(with_color(3, 2, &ones, true), 0xFFFF_8000);
    let little: Vec<u8> = ones.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    assert_eq!(with_color(3, 2, &little, false), 0xFFFF_8000);
    let signed: Vec<u8> = [0x7FFF, 0, 0x8000].into_iter().flat_map(half).collect();
    assert_eq!(with_color(1, 3, &signed, true), 0xFFFF_0000);
    let integers: Vec<u8> = [1, 0, 1, 1].into_iter().flat_map(half).collect();
    assert_eq!(with_color(5, 4, &integers, true), 0xFFFF_00FF);
    // 11, 11 and 10 bits, signed: the largest value of x, half of that of z.
    assert_eq!(with_color(6, 1, &(0x3FFu32 | 0x100 << 22).to_be_bytes(), true), 0xFFFF_0080);
}

#[test]
fn type_0_is_that_of_the_chip() {
    // Bytes from 0 to 255 on the PlayStation 3, which are clamped as colours; B G R A on the PC.
    assert_eq!(with_color(0, 4, &[1, 0, 0, 1], true), 0xFFFF_0000);
    assert_eq!(with_color(0, 4, &[0x30, 0x20, 0x10, 0x40], true), 0xFFFF_FFFF);
    assert_eq!(with_color(0, 4, &[0x30, 0x20, 0x10, 0x40], false), 0x4010_2030);
    for big_endian in [true, false] {
        assert_eq!(with_color(0, 3, &[0, 1, 0], big_endian), 0xFF00_FF00);
    }
}

#[test]
fn bit_3_of_a_type_does_nothing() {
    let ones: Vec<u8> = [1.0f32, 0.0, 1.0, 0.0].into_iter().flat_map(f32::to_be_bytes).collect();
    let elements: [(u32, u32, &[u8]); 8] = [
        (0, 4, &[1, 0, 1, 0]),
        (1, 2, &[0x7F, 0xFF, 0x80, 0]),
        (2, 4, &ones),
        (3, 2, &[0x3C, 0, 0x38, 0]),
        (4, 4, &[0x10, 0x20, 0x30, 0x40]),
        (5, 2, &[0, 1, 0, 0]),
        (6, 1, &[0x40, 0, 3, 0xFF]),
        (7, 4, &[0, 1, 1, 0]),
    ];
    for (kind, count, bytes) in elements {
        assert_eq!(with_color(kind | 8, count, bytes, true), with_color(kind, count, bytes, true), "{kind}");
    }
}

/// Two quads side by side, their vertices in array 0; colours of array 3 are `colors`, bytes r, g, b, a.
fn two_quads(console: &mut Console, colors: &[[u8; 4]]) {
    let quads = [rect([0.0, 0.0, 8.0, 16.0], 0.5), rect([8.0, 0.0, 16.0, 16.0], 0.5)].concat();
    let bytes: Vec<u8> = quads.iter().flatten().flat_map(|v| v.to_be_bytes()).collect();
    console.write_main(ARRAYS, &bytes);
    array(console, 0, ARRAYS | IN_MAIN, format(2, 4, 16));
    console.write_main(ARRAYS + 0x1000, colors.as_flattened());
    array(console, 3, (ARRAYS + 0x1000) | IN_MAIN, format(4, 4, 4));
}

/// The colours of the left and the right half.
fn halves(console: &mut Console) -> [u32; 2] {
    console.run();
    assert_eq!(console.faults(), 0);
    [console.pixel(0, 0), console.pixel(15, 15)]
}

const R: [u8; 4] = [255, 0, 0, 255];
const G: [u8; 4] = [0, 255, 0, 255];

#[test]
fn dividers_choose_elements() {
    let mut console = Console::new();
    two_quads(&mut console, &[R, G]);
    // An element for four vertices each.
    console.set(m::set_vertex_data_array_format::id(3), format(4, 4, 4) | 4 << 16);
    draw_arrays(&mut console, QUADS, 7 << 24);
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFF00_FF00]);

    // The same four elements again after four vertices.
    let mut console = Console::new();
    two_quads(&mut console, &[R, R, R, R, G, G, G, G]);
    console.set(m::set_vertex_data_array_format::id(3), format(4, 4, 4) | 4 << 16);
    console.set(m::set_frequency_divider_operation::ID, 1 << 3);
    draw_arrays(&mut console, QUADS, 7 << 24);
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFFFF_0000]);
}

#[test]
fn base_offset_and_base_index_move_all_arrays() {
    let mut console = Console::new();
    two_quads(&mut console, &[R, R, R, R, G, G, G, G]);
    console.set(m::set_vertex_data_array_offset::id(0), (ARRAYS - 0x100) | IN_MAIN);
    console.set(m::set_vertex_data_array_offset::id(3), (ARRAYS + 0xF00) | IN_MAIN);
    console.set(m::set_vertex_data_base_offset::ID, 0x100);
    console.begin(QUADS);
    // Ranges that follow each other with another base are still one draw.
    console.set(m::draw_arrays::ID, 3 << 24);
    console.set(m::set_vertex_data_base_index::ID, 4);
    console.set(m::draw_arrays::ID, 3 << 24);
    console.end();
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFF00_FF00]);
    assert_eq!(triglyph_engine::Device::stats(&console.gpu).draws, 1);
}

#[test]
fn indices_of_both_sizes_and_orders() {
    for (big_endian, wide) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut console = Console::of_order(big_endian);
        positions(&mut console);
        let order = [1u16, 2, 3, 0];
        let bytes: Vec<u8> = match wide {
            true => order.iter().flat_map(|&i| word(&console, i.into())).collect(),
            false => order.iter().flat_map(|&i| console.half_bytes(i)).collect(),
        };
        // The first index is the second element of the array.
        let size = if wide { 4 } else { 2 };
        console.write_main(ARRAYS + 0x2000 + size, &bytes);
        index_array(&mut console, ARRAYS + 0x2000, 1 | u32::from(!wide) << 4);
        console.attribute(3, RED);
        draw_indices(&mut console, QUADS, 1 | 3 << 24);
        console.run();
        assert_eq!((console.count(0xFFFF_0000), console.faults()), (256, 0), "{big_endian} {wide}");
    }
}

#[test]
fn addresses_of_indices_are_cut_to_the_size_of_one() {
    // Bits 29 to 31 do nothing.
    let upper = 0xE000_0000;
    for (wide, more) in [(false, 0), (false, 1), (false, upper), (true, 1), (true, 2), (true, 3), (true, upper | 3)] {
        let mut console = Console::new();
        positions(&mut console);
        let indices: Vec<u8> = match wide {
            true => (0..4u32).flat_map(u32::to_be_bytes).collect(),
            false => (0..4u16).flat_map(u16::to_be_bytes).collect(),
        };
        console.write_main(ARRAYS + 0x2000, &indices);
        index_array(&mut console, ARRAYS + 0x2000 + more, 1 | u32::from(!wide) << 4);
        console.attribute(3, RED);
        draw_indices(&mut console, QUADS, 3 << 24);
        console.run();
        assert_eq!((console.count(0xFFFF_0000), console.faults()), (256, 0), "{wide} {more:#x}");
    }
}

#[test]
fn the_location_and_type_of_indices_are_rejected_whole() {
    let mut console = Console::new();
    positions(&mut console);
    console.write_main(ARRAYS + 0x2000, &[0, 0, 0, 1, 0, 2, 0, 3]);
    index_array(&mut console, ARRAYS + 0x2000, 0x11);
    console.set(m::set_index_array_dma::ID, 0x20);
    console.attribute(3, RED);
    draw_indices(&mut console, QUADS, 3 << 24);
    console.run();
    assert_eq!((console.count(0xFFFF_0000), console.faults_of(FaultKind::BadMethod)), (256, 1));
}

#[test]
fn indices_in_the_push_buffer() {
    for sixteen in [true, false] {
        let mut console = Console::new();
        positions(&mut console);
        console.attribute(3, RED);
        console.set(m::set_vertex_data_base_index::ID, 0xFFFF_FFFF);
        console.begin(QUADS);
        // Minus one is the base: the numbers are 0 to 3.
        match sixteen {
            true => console.repeated(m::array_element16::ID, &[1 | 2 << 16, 3 | 4 << 16]),
            false => console.repeated(m::array_element32::ID, &[1, 2, 3, 4]),
        }
        console.end();
        console.run();
        assert_eq!((console.count(0xFFFF_0000), console.faults()), (256, 0));
    }
}

#[test]
fn a_restart_index_begins_a_new_primitive() {
    // (enabled, restart index): strips of three vertices each, or one strip through all.
    for (restart, triangles) in [(Some(0xFFFF), 2), (Some(0xFFFF_FFFF), 5), (None, 5)] {
        let mut console = Console::new();
        positions(&mut console);
        if let Some(restart) = restart {
            console.set(m::set_restart_index_enable::ID, 1);
            console.set(m::set_restart_index::ID, restart);
        }
        let indices: Vec<u8> = [0u16, 1, 2, 0xFFFF, 0, 2, 3].into_iter().flat_map(u16::to_be_bytes).collect();
        console.write_main(ARRAYS + 0x2000, &indices);
        index_array(&mut console, ARRAYS + 0x2000, 1 | 1 << 4);
        console.attribute(3, RED);
        draw_indices(&mut console, TRIANGLE_STRIP, 6 << 24);
        console.run();
        let stats = triglyph_engine::Device::stats(&console.gpu);
        if triangles == 2 {
            assert_eq!((stats.triangles, console.count(0xFFFF_0000)), (2, 256));
        } else {
            // Vertex 0xFFFF reads zeros after the array's content: some triangles, and nothing is restarted.
            assert_eq!(stats.vertices, 7);
        }
    }
}

#[test]
fn packed_vertices_in_the_push_buffer() {
    for big_endian in [true, false] {
        let mut console = Console::of_order(big_endian);
        // Position: 4 shorts; an array that the program does not read takes place all the same; colour: 3 bytes and one
        // of padding.
        console.set(m::set_vertex_data_array_format::id(0), format(5, 4, 99));
        console.set(m::set_vertex_data_array_format::id(2), format(5, 3, 99));
        console.set(m::set_vertex_data_array_format::id(3), format(4, 3, 99));
        let mut words = Vec::new();
        for [x, y] in [[-1i16, -1], [1, -1], [1, 1], [-1, 1]] {
            let mut bytes: Vec<u8> = [x, y, 0, 1].into_iter().flat_map(|v| console.half_bytes(v as u16)).collect();
            bytes.extend([7; 8]);
            bytes.extend([0x10, 0x20, 0x30, 0x99]);
            let to_word = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
            words.extend(bytes.as_chunks().0.iter().map(|&chunk| to_word(chunk)));
        }
        console.begin(QUADS);
        console.repeated(m::inline_array::ID, &words);
        console.end();
        console.run();
        assert_eq!((console.count(0xFF10_2030), console.faults()), (256, 0), "{big_endian}");
    }
}

#[test]
fn immediate_values_of_every_form() {
    let color = |write: &dyn Fn(&mut Console)| {
        let mut console = Console::new();
        write(&mut console);
        console.begin(QUADS);
        for position in rect([0.0, 0.0, 16.0, 16.0], 0.5) {
            console.attribute(0, position);
        }
        console.end();
        console.run();
        assert_eq!(console.faults(), 0);
        console.pixel(8, 8)
    };
    // Without any value an attribute is (0, 0, 0, 1).
    assert_eq!(color(&|_| ()), 0xFF00_0000);
    assert_eq!(color(&|c| c.floats(m::set_vertex_data4f_m::id(3), &[1.0, 0.0, 1.0, 0.0])), 0x00FF_00FF);
    assert_eq!(color(&|c| c.floats(m::set_vertex_data3f_m::id(3), &[1.0, 0.0, 1.0])), 0xFFFF_00FF);
    assert_eq!(color(&|c| c.floats(m::set_vertex_data2f_m::id(3), &[0.0, 1.0])), 0xFF00_FF00);
    assert_eq!(color(&|c| c.floats(m::set_vertex_data1f_m::id(3), &[1.0])), 0xFFFF_0000);
    assert_eq!(color(&|c| c.set(m::set_vertex_data4ub_m::id(3), 0x4433_2211)), 0x4411_2233);
    assert_eq!(color(&|c| c.set(m::set_vertex_data2s_m::id(3), 1 << 16)), 0xFF00_FF00);
    assert_eq!(color(&|c| c.method(m::set_vertex_data4s_m::id(3), &[1, 1])), 0x00FF_00FF);
    assert_eq!(color(&|c| c.method(m::set_vertex_data_scaled4s_m::id(3), &[0x7FFF, 0x7FFF_8000])), 0xFFFF_0000);
    // What is given last counts, with the defaults of its form.
    let both = |c: &mut Console| {
        c.attribute(3, WHITE);
        c.floats(m::set_vertex_data1f_m::id(3), &[0.0]);
    };
    assert_eq!(color(&both), 0xFF00_0000);
}

#[test]
fn immediate_values_come_back_when_an_array_goes() {
    let mut console = Console::new();
    two_quads(&mut console, &[R; 8]);
    console.attribute(3, GREEN);
    draw_arrays(&mut console, QUADS, 3 << 24);
    console.set(m::set_vertex_data_array_format::id(3), 2);
    draw_arrays(&mut console, QUADS, 4 | 3 << 24);
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFF00_FF00]);
}

#[test]
fn masked_inputs_read_the_initial_value() {
    let mut console = Console::new();
    console.set(m::set_vertex_attrib_input_mask::ID, 0xFFF7);
    console.fill(RED);
    assert_eq!(console.count(0xFF00_0000), 256);
}

#[test]
fn attributes_written_between_vertices_belong_to_those_that_follow() {
    let mut console = Console::new();
    console.begin(QUADS);
    for (color, half) in [(RED, 0.0), (GREEN, 8.0)] {
        console.attribute(3, color);
        for position in rect([half, 0.0, half + 8.0, 16.0], 0.5) {
            console.attribute(0, position);
        }
    }
    console.end();
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFF00_FF00]);
}

#[test]
fn state_written_inside_a_draw_is_that_of_the_vertices_behind_it() {
    let mut console = Console::new();
    console.vertex_program("mov o[HPOS], v[0]\n mov o[COL0], c[5]  [end]");
    two_quads(&mut console, &[R; 8]);
    console.set(m::set_transform_constant_load::ID, 5);
    console.floats(m::set_transform_constant::id(0), &RED);
    console.begin(QUADS);
    console.set(m::draw_arrays::ID, 3 << 24);
    console.floats(m::set_transform_constant::id(0), &GREEN);
    console.set(m::draw_arrays::ID, 4 | 3 << 24);
    console.end();
    assert_eq!(halves(&mut console), [0xFFFF_0000, 0xFF00_FF00]);
}

#[test]
fn some_registers_keep_what_they_have_inside_a_draw() {
    let mut console = Console::new();
    two_quads(&mut console, &[R; 8]);
    console.begin(QUADS);
    console.set(m::draw_arrays::ID, 3 << 24);
    // A register that takes any word, one that does not, and one after the other with one between that counts.
    console.set(m::set_blend_color::ID, 0x1234_5678);
    console.set(m::set_color_mask::ID, 0);
    console.method(m::set_shade_mode::ID, &[0x1D00, 0xE, 0, 1]);
    console.repeated(m::set_cull_face_enable::ID, &[1, 1]);
    console.set(m::draw_arrays::ID, 4 | 3 << 24);
    console.end();
    console.run();
    assert_eq!(console.count(0xFFFF_0000), 256);
    assert_eq!(console.faults_of(FaultKind::BadCommand), 6);
    let registers = |console: &Console| {
        let graph = console.gpu.fifo().graph(0).expect("a channel");
        let ids =
            [m::set_blend_color::ID, m::set_shade_mode::ID, m::set_blend_enable_mrt::ID, m::set_cull_face_enable::ID];
        ids.map(|id| graph.curie.registers().get(id as u32))
    };
    assert_eq!(registers(&console), [0, 0x1D01, 0xE, 0]);
    // Between draws they are written.
    console.set(m::set_cull_face_enable::ID, 1);
    console.run();
    assert_eq!(registers(&console)[3], 1);
}

#[test]
fn constants_and_programs_go_to_their_load_pointers() {
    let mut console = Console::new();
    // Constants 465 to 467 exist, the next does not: each of its words is a fault. The pointer stays where it was.
    console.vertex_program(".at 500\n mov o[HPOS], v[0]\n mov o[COL0], c[467]  [end]");
    console.set(m::set_transform_constant_load::ID, 466);
    console.floats(m::set_transform_constant::id(4), &RED);
    console.fill(GREEN);
    assert_eq!((console.count(0xFFFF_0000), console.faults()), (256, 0));
    console.floats(m::set_transform_constant::id(4), &[0.0, 0.0, 1.0, 1.0, 9.0, 9.0]);
    console.fill(GREEN);
    assert_eq!((console.count(0xFF00_00FF), console.faults_of(FaultKind::BadMethod)), (256, 2));
}

#[test]
fn open_draws_are_closed_and_closed_ones_take_nothing() {
    let mut console = Console::new();
    console.attribute(3, RED);
    console.begin(QUADS);
    for position in rect([0.0, 0.0, 8.0, 16.0], 0.5) {
        console.attribute(0, position);
    }
    // Without END.
    console.begin(QUADS);
    console.end();
    console.set(m::draw_arrays::ID, 3 << 24);
    console.run();
    assert_eq!(console.count(0xFFFF_0000), 128);
    assert_eq!(console.faults_of(FaultKind::BadCommand), 1);
    console.begin(11);
    console.run();
    assert_eq!(console.faults_of(FaultKind::BadMethod), 1);
}

#[test]
fn arrays_and_indices_outside_memory_are_faults() {
    let mut console = Console::new();
    positions(&mut console);
    array(&mut console, 3, 0x00FF_FFF0 | IN_MAIN, format(4, 4, 4));
    draw_arrays(&mut console, QUADS, 3 << 24);
    index_array(&mut console, SIZE as u32 - 4, 1);
    draw_indices(&mut console, QUADS, 3 << 24);
    console.run();
    assert_eq!(console.faults_of(FaultKind::UnmappedRead), 2);
    // The colours read zeros, the draw of indices did not happen.
    assert_eq!(console.count(0), 256);
    assert_eq!(triglyph_engine::Device::stats(&console.gpu).draws, 1);
}

/// What is wrong with a draw is one fault, into however many segments it is split.
#[test]
fn segments_of_a_draw_have_its_faults_once() {
    let faults = |segment: usize, program: Option<&str>, offset: u32| {
        let mut console = Console::new();
        console.gpu.set_max_segment(segment);
        positions(&mut console);
        array(&mut console, 3, offset | IN_MAIN, format(4, 4, 4));
        program.into_iter().for_each(|text| console.vertex_program(text));
        draw_arrays(&mut console, POINTS, 63 << 24);
        console.run();
        let faults = triglyph_engine::Device::faults(&console.gpu).first();
        faults.iter().map(|fault| (fault.kind, fault.address, fault.what.clone())).collect::<Vec<_>>()
    };
    // The colours of the first vertices are there.
    let whole = faults(usize::MAX, None, SIZE as u32 - 16);
    assert_eq!(whole.iter().map(|fault| fault.0).collect::<Vec<_>>(), [FaultKind::UnmappedRead]);
    for segment in [8, 24] {
        assert_eq!(faults(segment, None, SIZE as u32 - 16), whole);
    }
    let endless = "again:\n mov o[HPOS], v[0]\n bri again\n nop [end]";
    let said = |segment| faults(segment, Some(endless), ARRAYS + 0x1000);
    let text = |times: u32| (FaultKind::OutOfFuel, 0, format!("a vertex program that does not end, {times} times"));
    assert_eq!(said(usize::MAX), [text(4)]);
    // Of each segment four are tried.
    assert_eq!(said(16), [text(16)]);
}

/// Programs with loops pay what they execute: the same on both tiers and any number of threads.
#[test]
fn loops_pay_what_they_execute() {
    const COUNT: u32 = 1500;
    const ROUNDS: u32 = 1000;
    let text = "
        mov r0, v[3]
    again:
        add r0.x, r0.x, -v[3].y  [set]
        bri again  [if gt]
        mov o[HPOS], v[0]  [end]";
    let spent = |tier, threads, fuel| {
        let mut options = Options::new(tier, threads);
        options.fuel = fuel;
        let layout = Layout { memory: SIZE, pixels: [EDGE; 2], depth: DEPTH, program: PROGRAM };
        let mut console = Console::with(Rsx::new(&options).unwrap(), true, layout);
        positions(&mut console);
        console.vertex_program(text);
        console.attribute(3, [ROUNDS as f32, 1.0, 0.0, 0.0]);
        console.run();
        console.begin(POINTS);
        let parts: Vec<u32> = (0..COUNT / 100).map(|_| 99 << 24).collect();
        console.repeated(m::draw_arrays::ID, &parts);
        console.end();
        console.run();
        (console.gpu.core().budget.used(), faults(&console.gpu))
    };
    let same = |fuel| {
        let wanted = spent(TierMode::InterpreterOnly, 1, fuel);
        for (tier, threads) in [(TierMode::InterpreterOnly, 2), (TierMode::JitOnly, 1), (TierMode::JitOnly, 4)] {
            assert_eq!(spent(tier, threads, fuel), wanted, "{tier:?}, {threads} threads");
        }
        wanted
    };
    let price = u64::from(COUNT * (2 * ROUNDS + 2));
    let (used, none) = same(1 << 31);
    assert!((price..price + 200 * u64::from(COUNT)).contains(&used) && none.is_empty(), "{used} {none:?}");
    let (used, some) = same(price / 2);
    assert!(used == price / 2 && some.iter().any(|(kind, _)| *kind == FaultKind::OutOfFuel), "{used} {some:?}");
}
