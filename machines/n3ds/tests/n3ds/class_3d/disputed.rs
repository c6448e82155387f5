//! What the 3DS does with lists, vertices and programs, where sources disagree or software renderers are known to err:
//! one small draw or list each. `docs/reference/3ds.md` lists them by name.

use crate::support::*;
use triglyph_engine::device::{Access, Device};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::pica::regs;

fn register(console: &mut Console, id: usize) -> u32 {
    console.gpu.with_gsp(|_, hardware| hardware.read_register(0x40_1000 + 4 * id as u32))
}

// Lists.

#[test]
fn lists_have_21_bits_of_size_and_29_of_address() {
    let mut console = Console::new();
    let far = 0x9000_0000_u32;
    console.gpu.map(GuestRange::new(0, far.into(), 0xA0_0000), Access::READ).unwrap();
    // Zeros write nothing to register 0. The end lies beyond the first 8 MiB.
    let end: Vec<u8> = [5, 0xF_0000 | regs::blend_color::ID as u32, 0x1234_5678, 0xF_0010]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    Device::write(&mut console.gpu, GuestAddr::new(0, u64::from(far) + 0x80_0100), &end).unwrap();
    let mut list = List::default();
    list.set(regs::cmdbuf_size::IDS[0], 0x80_0110 >> 3).set(regs::cmdbuf_addr::IDS[0], far >> 3);
    list.set(regs::cmdbuf_jump0::ID, 1);
    assert!(console.run(&list.0));
    assert_eq!(register(&mut console, regs::blend_color::ID), 5);
}

#[test]
fn jumps_need_a_value_and_drop_what_follows() {
    let mut console = Console::new();
    let mut target = List::default();
    console.write(HEAP + 0x3_0000, &list_bytes(target.end()));
    for (channel, jump) in [(0, regs::cmdbuf_jump0::ID), (1, regs::cmdbuf_jump1::ID)] {
        for value in [0, 1, 2] {
            let mut list = List::default();
            list.set(regs::blend_color::ID, 0);
            list.set(regs::cmdbuf_size::IDS[channel], 2).set(regs::cmdbuf_addr::IDS[channel], (HEAP + 0x3_0000) >> 3);
            // Further parameters of the packet go to the same register.
            list.feed(jump, &[value, 0, 0]).set(regs::blend_color::ID, 7);
            assert_eq!(console.run(&list.0), value != 0);
            assert_eq!(register(&mut console, regs::blend_color::ID), if value == 0 { 7 } else { 0 });
        }
    }
}

#[test]
fn lists_of_odd_length_are_executed_to_the_end() {
    let mut console = Console::new();
    let mut list = List::default();
    list.set(regs::irq_mask::ID, 0).set(regs::irq_mask::ID, 0).end();
    console.write(LISTS, &list_bytes(&list.0));
    assert_eq!(list.0.len() * 4 % 16, 8);
    assert!(console.run_at(LISTS, 4 * list.0.len() as u32));
}

#[test]
fn any_equal_byte_requests_the_interrupt() {
    let mut console = Console::new();
    for (value, raised) in [(0x1234_5678, true), (0x0000_0078, true), (0x1200_0000, true), (0x7856_3412, false)] {
        for autostop in [0, 1] {
            let mut list = List::default();
            list.set(regs::irq_autostop::ID, autostop).set(regs::blend_color::ID, 0);
            list.set(regs::irq_request::ID, value).set(regs::blend_color::ID, 7);
            assert_eq!(console.run(&list.0), raised, "{value:#x}");
            let went_on = !raised || autostop == 0;
            assert_eq!(register(&mut console, regs::blend_color::ID), if went_on { 7 } else { 0 });
        }
    }
}

#[test]
fn byte_masks_hold_for_all_words_of_a_packet_but_not_for_ports() {
    let mut console = Console::new();
    let mut list = List::default();
    list.feed(regs::fog_color::ID, &[0x1122_3344]);
    list.0.extend([0x5566_7788, 0x9_0000 | regs::fog_color::ID as u32]);
    list.set(regs::fixed_attr_index::ID, 2).set(regs::vsh_float_index::ID, 0x8000_0000);
    // Consecutive registers under one mask: what is not let through stays.
    list.0.extend([0xFFFF_FFFF, 0x8012_0000 | regs::scissor_pos::ID as u32, 0xFFFF_FFFF, 0]);
    for word in List::packed([1.0, 0.5, 0.25, 1.0]) {
        list.masked(regs::fixed_attr_data::IDS[0], word, 1);
    }
    console.run(&list.0);
    assert_eq!(register(&mut console, regs::fog_color::ID), 0x5522_3388);
    assert_eq!(register(&mut console, regs::scissor_pos::ID), 0xFF00);
    assert_eq!(register(&mut console, regs::scissor_dim::ID), 0xFF00);
    assert_eq!(register(&mut console, regs::fixed_attr_index::ID) & 15, 3);
}

#[test]
fn draws_need_a_value() {
    for (trigger, value, drawn) in [
        (regs::draw_arrays::ID, 0, false),
        (regs::draw_arrays::ID, 2, true),
        (regs::draw_elements::ID, 0, false),
        (regs::draw_elements::ID, 2, true),
    ] {
        let mut console = Console::new();
        console.write_floats(VERTICES, &half(RED).concat().concat());
        console.write(HEAP + 0x8000, &[0, 0, 1, 0, 2, 0]);
        let mut list = plain().with(regs::index_buffer::ID, 1 << 31 | 0x8000).with(regs::num_vertices::ID, 3);
        list.set(trigger, value);
        console.run(list.end());
        assert_eq!(console.pixel(0, 0) != [0; 4], drawn, "{trigger:#x} {value}");
    }
}

/// Bits that a console ignores (Citra #2703 and #2658).
#[test]
fn fields_have_the_widths_of_the_console() {
    let fields = [
        (regs::attr_base::ID, VERTICES >> 3, 0xE000_0001),
        (regs::attrbuf_offset::id(0), 0, 0xF000_0000),
        (regs::scissor_pos::ID, 1 << 16 | 2, 0xFC00_FC00),
        (regs::scissor_dim::ID, 12 << 16 | 13, 0xFC00_FC00),
        (regs::color_addr::ID, COLOR >> 3, 0xF000_0000),
        (regs::depth_addr::ID, DEPTH >> 3, 0xF000_0000),
        (regs::depth_format::ID, 3, 0xFFFF_FFFC),
        (regs::blend_func::ID, 0x0616_0001, 0xF8F8),
        (regs::tex_dim::IDS[0], 8 << 16 | 8, 0xF800_F800),
        (regs::tex_param::IDS[0], 2 << 12 | 2 << 8, 0x8000_8800),
        (regs::tex_addr::IDS[0], TEXTURE >> 3, 0xF000_0000),
    ];
    let picture = |around: bool| {
        let mut console = Console::new();
        console.write(TEXTURE, &triglyph_testkit::random::noise(8 * 8 * 4, 1));
        let mut list = plain().with(regs::scissor_mode::ID, 3).with(regs::tex_config::ID, 0x1001);
        list.set(regs::tev_source::IDS[0], 0x0003_0003).set(regs::depth_color_mask::ID, 0x1F10);
        list.set(regs::depth_write_allow::ID, 3);
        for (id, value, outside) in fields {
            list.set(id, if around { value | outside } else { value });
        }
        console.quad(list, RED, [[-1.0, -1.0], [2.0, -1.0], [2.0, 2.0], [-1.0, 2.0]]);
        console.read(VRAM, SIZE as usize)
    };
    let plain = picture(false);
    assert!(plain.iter().any(|byte| *byte != 0));
    assert!(picture(true) == plain);
}

// Vertex input.

/// Where a console finds the last of three attributes: two floats, some bytes, and three numbers, with padding between
/// them (JayFoxRox, 3ds-tests, attrib-align, its table).
#[test]
fn attributes_are_aligned_as_on_the_console() {
    const FLOAT: u32 = 3;
    const SHORT: u32 = 2;
    for (mode, (codes, count, bytes, stride, kind, at)) in [
        (0x210, 3, 4, 0x18, FLOAT, 0x0C),
        (0x210, 3, 3, 0x18, FLOAT, 0x0C),
        (0x21C0, 4, 4, 0x1C, FLOAT, 0x10),
        (0x2C10, 4, 3, 0x1C, FLOAT, 0x10),
        (0x21C10, 5, 3, 0x1C, SHORT, 0x14),
        (0x2D10, 4, 3, 0x20, FLOAT, 0x14),
        (0x2C110, 5, 3, 0x1C, SHORT, 0x14),
    ]
    .into_iter()
    .enumerate()
    {
        let mut console = Console::new();
        for (number, [[x, y, ..], ..]) in (0..).zip(half(RED)) {
            let vertex = VERTICES + stride * number;
            console.write_floats(vertex, &[x, y]);
            match kind {
                FLOAT => console.write_floats(vertex + at, &[0.0, 1.0, 0.0]),
                _ => console.write(vertex + at, &[0, 0, 1, 0, 0, 0]),
            }
        }
        let formats = (FLOAT | 1 << 2) | (1 | (bytes - 1) << 2) << 4 | (kind | 2 << 2) << 8;
        // The last one is the colour.
        let mut list = plain().with(regs::attr_format_lo::ID, formats).with(regs::vsh_perm_lo::ID, 0x7654_3120);
        list.set(regs::attrbuf_config1::id(0), codes).set(regs::attrbuf_config2::id(0), count << 28 | stride << 16);
        list.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
        console.run(list.end());
        assert_eq!(console.pixel(0, 0), [0, 255, 0, 255], "mode {mode}");
    }
}

/// The state of [`plain`] without an array for the colour, attribute 1.
fn without_color_array() -> List {
    plain().with(regs::attrbuf_config1::id(0), 0x2F0)
}

fn fixed(index: u32, value: [f32; 4]) -> List {
    let mut list = List::default();
    list.set(regs::fixed_attr_index::ID, index).feed(regs::fixed_attr_data::IDS[0], &List::packed(value));
    list
}

fn joined(mut first: List, second: &List) -> List {
    first.0.extend(&second.0);
    first
}

#[test]
fn arrays_win_over_fixed_attributes() {
    let flag = 2 << 28 | 1 << (16 + 1);
    let green = fixed(1, [0.0, 1.0, 0.0, 1.0]);
    let both = joined(plain(), &green).with(regs::attr_format_hi::ID, flag);
    assert_eq!(Console::new().fill(both, RED), [255, 0, 0, 255]);
    let only_fixed = joined(without_color_array(), &green).with(regs::attr_format_hi::ID, flag);
    assert_eq!(Console::new().fill(only_fixed, RED), [0, 255, 0, 255]);
}

#[test]
fn attributes_without_a_source_are_black() {
    let list = joined(without_color_array(), &fixed(1, [0.0, 1.0, 0.0, 0.0]));
    assert_eq!(Console::new().fill(list, RED), [0, 0, 0, 255]);
}

#[test]
fn strides_are_what_their_field_says() {
    for stride in [48u32, 56, 64] {
        let mut console = Console::new();
        for (i, vertex) in half(RED).iter().enumerate() {
            console.write_floats(VERTICES + i as u32 * stride, &vertex.concat());
        }
        let mut list = plain().with(regs::attrbuf_config2::id(0), 3 << 28 | stride << 16);
        list.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
        console.run(list.end());
        assert_eq!(console.pixel(0, 0), [255, 0, 0, 255], "{stride}");
    }
}

#[test]
fn indexed_draws_know_no_vertex_offset() {
    let mut console = Console::new();
    let vertices: Vec<Vertex> = half(RED).into_iter().chain(half(WHITE)).collect();
    console.write_floats(VERTICES, &vertices.concat().concat());
    // Indices are relative to the same base as vertices.
    console.write(VERTICES + 0x1000, &[3, 4, 5]);
    console.write(VERTICES + 0x1010, &[3, 0, 4, 0, 5, 0]);
    for (index_buffer, indexed) in [(0x1000, true), (1 << 31 | 0x1010, true), (1 << 31, false)] {
        let mut list = plain().with(regs::index_buffer::ID, index_buffer).with(regs::vertex_offset::ID, 3);
        let draw = if indexed { regs::draw_elements::ID } else { regs::draw_arrays::ID };
        list.set(regs::num_vertices::ID, 3).set(draw, 1);
        console.write(COLOR, &[0; 0x400]);
        console.run(list.end());
        assert_eq!(console.pixel(0, 0), [255; 4], "{index_buffer:#x}");
    }
}

#[test]
fn draws_from_nowhere_are_dropped_and_ends_read_zero() {
    let nowhere = plain().with(regs::attr_base::ID, 0x1000_0000 >> 3);
    assert_eq!(Console::new().fill(nowhere, RED), [0; 4]);
    let indices = plain().with(regs::index_buffer::ID, 0x0800_0000).with(regs::num_vertices::ID, 3);
    assert_eq!(
        Console::new().fill(indices.with(regs::draw_elements::ID, 1).with(regs::num_vertices::ID, 0), RED),
        [255, 0, 0, 255]
    );
    // The array begins in memory and ends outside: what is missing is 0, and a triangle of such vertices has no w.
    let mut console = Console::new();
    let mut list = plain().with(regs::attrbuf_offset::id(0), SIZE - 48);
    list.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
    assert!(console.run(list.end()));
    assert_eq!(console.pixel(0, 0), [0; 4]);
}

#[test]
fn fixed_attributes_count_up_and_an_index_write_aborts() {
    let mut console = Console::new();
    let port = regs::fixed_attr_data::IDS[0];
    let mut list = joined(without_color_array(), &fixed(0, [0.0; 4]));
    list.set(regs::attr_format_hi::ID, 2 << 28 | 1 << (16 + 1));
    // Two words of a value that is never completed, then attribute 1 through all three ports.
    list.feed(port, &List::packed(RED)[..2]).set(regs::fixed_attr_index::ID, 1);
    for (i, word) in List::packed([0.0, 0.0, 1.0, 1.0]).into_iter().enumerate() {
        list.set(regs::fixed_attr_data::IDS[i], word);
    }
    assert_eq!(console.fill(list, RED), [0, 0, 255, 255]);
    assert_eq!(register(&mut console, regs::fixed_attr_index::ID) & 15, 2);
}

// Programs and their outputs.

fn uniforms(f32_mode: bool, index: u32, words: &[u32]) -> List {
    let mut list = List::default();
    list.set(regs::vsh_float_index::ID, u32::from(f32_mode) << 31 | index).feed(regs::vsh_float_data::ID, words);
    list
}

/// [`plain`] with a program that computes the colour in `o1`.
fn coloring(text: &str) -> List {
    let mut list = plain();
    list.assemble(&format!("mov o0, v0\nmov o2, v2\n{text}\nend"));
    list
}

/// The console has 24 bits here and would give black.
#[test]
fn programs_compute_in_f32() {
    let list = coloring("add r0, c0, v1\nadd r0, -v1, r0\nmul o1, c1, r0");
    let small = uniforms(true, 0, &[(-20f32).exp2().to_bits(); 4]);
    let large = uniforms(true, 1, &[20f32.exp2().to_bits(); 4]);
    assert_eq!(Console::new().fill(joined(joined(list, &small), &large), WHITE), [255; 4]);
}

/// By the formula a > b ? a : b; one table of the documentation has minus infinity.
#[test]
fn the_larger_of_zero_and_minus_infinity_is_zero() {
    let list = coloring("mov r1, c1\nmax o1, c0, r1");
    let infinite = joined(list, &uniforms(true, 1, &[f32::NEG_INFINITY.to_bits(); 4]));
    assert_eq!(Console::new().fill(infinite, WHITE), [0; 4]);
}

#[test]
fn half_sent_uniforms_are_dropped_by_an_index_write() {
    let list = coloring("mov o1, c5");
    let dropped = uniforms(true, 5, &[1.0f32.to_bits(); 3]);
    // W comes first.
    let sent = uniforms(true, 5, &[1.0f32, 0.0, 1.0, 0.0].map(f32::to_bits));
    assert_eq!(Console::new().fill(joined(joined(list, &dropped), &sent), RED), [0, 255, 0, 255]);
}

#[test]
fn uniforms_beyond_c95_are_dropped_and_the_index_stays() {
    let mut console = Console::new();
    let list = uniforms(true, 95, &[[1.0f32.to_bits(); 4]; 3].concat());
    console.run(&list.0);
    assert_eq!(register(&mut console, regs::vsh_float_index::ID), 1 << 31 | 96);
}

/// Of a packet that passes the last register those in front of it are written. (Azahar #2412, titles)
#[test]
fn registers_that_do_not_exist_are_passed_over() {
    let mut console = Console::new();
    let consecutive = 1 << 31 | 3 << 20 | 0xF_0000;
    let mut list = List(vec![1, consecutive | 0x2FE, 2, 3, 4, 0]);
    list.0.extend([5, consecutive | 0x300, 6, 7, 8, 0]);
    console.run(&list.with(regs::fog_color::ID, 9).0);
    assert_eq!([0x2FE, 0x2FF, regs::fog_color::ID].map(|id| register(&mut console, id)), [1, 2, 9]);
}

#[test]
fn vertex_colors_lose_their_sign_and_end_at_one() {
    assert_eq!(Console::new().fill(plain(), [-0.5, 2.0, 0.25, -3.0]), [128, 255, 64, 255]);
    assert_eq!(Console::new().fill(plain(), [f32::NAN, f32::NEG_INFINITY, 0.0, 1.0]), [255, 255, 0, 255]);
    // Before interpolation: in the middle between -1 and 1 it is not dark.
    let mut console = Console::new();
    let corners: [Vertex; 3] =
        [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]].map(|[x, y]| [[x, y, -0.5, 1.0], [x; 4], [0.0; 4]]);
    console.draw(plain(), &corners);
    assert_eq!(console.pixel(7, 0), [255; 4]);
}

#[test]
fn components_that_nothing_maps_are_one() {
    let list = plain().with(regs::outmap::IDS[1], 0x0B1F_0908);
    assert_eq!(Console::new().fill(list, [0.0, 0.0, 0.0, 0.0]), [0, 0, 255, 0]);
    let list = plain().with(regs::outmap_total::ID, 1);
    assert_eq!(Console::new().fill(list, [0.0; 4]), [255; 4]);
}

#[test]
fn outputs_are_compacted_before_they_are_mapped() {
    let mut list = plain();
    list.assemble("mov o1, v0\nmov o4, v1\nmov o9, v2\nend");
    list.set(regs::vsh_outmap_mask::ID, 1 << 1 | 1 << 4 | 1 << 9);
    assert_eq!(Console::new().fill(list, RED), [255, 0, 0, 255]);
}
