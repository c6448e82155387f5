//! The triangle of `examples/c/ps3_triangle.c`, 64 pixels wide and high.

use triglyph::FindingKind::*;
use triglyph::{Access, Device, GuestAddr, GuestRange, ObjectEntry, Options, Rsx};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::objects::class;
use triglyph_testkit::rsx::{LOCAL, MAIN, SIZE};

use super::{CORNERS, Mistake, Outcome, Row, Triangle, Vertices, of_vertices, outcome};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 64;
const CURIE: u32 = 0x3133_7000;
const COLOR: u32 = 0;
const DEPTH: u32 = 0x4_0000;
const PROGRAM: u32 = 0x8_0000;
const PUSH: u32 = 0;
const VERTICES: u32 = 0x4_0000;

fn row(name: &'static str, method: usize, data: &[u32]) -> Row {
    Row::new(name, std::iter::once((data.len() as u32) << 18 | method as u32).chain(data.iter().copied()).collect())
}

fn floats(name: &'static str, method: usize, data: &[f32]) -> Row {
    row(name, method, &data.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
}

fn rows() -> Vec<Row> {
    let half = [WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0];
    let mut rows = vec![
        row("object", 0, &[CURIE]).faults(),
        row("dma_a", m::set_context_dma_a::ID, &[LOCAL]).faults(),
        row("dma_b", m::set_context_dma_b::ID, &[MAIN]),
        row("dma_color_a", m::set_context_dma_color_a::ID, &[LOCAL]).finds(NoTarget),
        row("dma_zeta", m::set_context_dma_zeta::ID, &[LOCAL]),
        row("dma_vertex_a", m::set_context_dma_vertex_a::ID, &[LOCAL]),
        row("dma_vertex_b", m::set_context_dma_vertex_b::ID, &[MAIN]).faults(),
        row("surface_format", m::set_surface_format::ID, &[8 | 2 << 5 | 1 << 8]).finds(TargetFormat),
        row("surface_clip_h", m::set_surface_clip_horizontal::ID, &[WIDTH << 16]).finds(TargetSize),
        row("surface_clip_v", m::set_surface_clip_vertical::ID, &[HEIGHT << 16]).finds(TargetSize),
        row("pitch_a", m::set_surface_pitch_a::ID, &[4 * WIDTH]).finds(TargetSize),
        row("color_aoffset", m::set_surface_color_aoffset::ID, &[COLOR]),
        row("zeta_offset", m::set_surface_zeta_offset::ID, &[DEPTH]),
        row("pitch_z", m::set_surface_pitch_z::ID, &[4 * WIDTH]),
        row("color_target", m::set_surface_color_target::ID, &[1]).finds(NoTarget),
        row("color_mask", m::set_color_mask::ID, &[0x0101_0101]).finds(WritesMasked),
        row("scissor_h", m::set_scissor_horizontal::ID, &[WIDTH << 16]).finds(EmptyScissor),
        row("scissor_v", m::set_scissor_vertical::ID, &[HEIGHT << 16]).finds(EmptyScissor),
        row("viewport_h", m::set_viewport_horizontal::ID, &[WIDTH << 16]).finds(EmptyViewport),
        row("viewport_v", m::set_viewport_vertical::ID, &[HEIGHT << 16]).finds(EmptyViewport),
        floats("viewport_offset", m::set_viewport_offset::ID, &[half[0], half[1], 0.5, 0.0]).finds(UnusualState),
        floats("viewport_scale", m::set_viewport_scale::ID, &[half[0], -half[1], 0.5, 0.0]).finds(EmptyViewport),
        floats("clip_min_max", m::set_clip_min::ID, &[0.0, 1.0]).finds(OutsideView),
        row("zmin_max_control", m::set_zmin_max_control::ID, &[1]),
        row("front_face", m::set_front_face::ID, &[0x901]),
        row("shade_mode", m::set_shade_mode::ID, &[0x1D01]),
        row("render_enable", m::set_render_enable::ID, &[0x0100_0000]),
        row("anti_aliasing", m::set_anti_aliasing_control::ID, &[0xFFFF_0000]),
        row("program_load", m::set_transform_program_load::ID, &[0]),
        row("program_word_0", m::set_transform_program::ID, &[0x401F_9C6C, 0x0040_000D, 0x8106_C083, 0x6041_FF80])
            .finds(NoPosition),
        row("program_word_1", m::set_transform_program::ID, &[0x401F_9C6C, 0x0040_030D, 0x8106_C083, 0x6041_FF85])
            .finds(UnlinkedInput),
        row("program_start", m::set_transform_program_start::ID, &[0]),
        row("transform_timeout", m::set_transform_timeout::ID, &[0x20_FFFF]),
        row("input_mask", m::set_vertex_attrib_input_mask::ID, &[1 | 1 << 3]).finds(UnlinkedInput),
        row("output_mask", m::set_vertex_attrib_output_mask::ID, &[1]).finds(UnlinkedInput),
        row("shader_program", m::set_shader_program::ID, &[PROGRAM | 1]).faults(),
        row("shader_control", m::set_shader_control::ID, &[0x0200_0040]).finds(UnusualState),
    ];
    let offset = |i: usize, at: u32| (m::set_vertex_data_array_offset::id(i), [at | 1 << 31]);
    let format = |i: usize| (m::set_vertex_data_array_format::id(i), [2 | 4 << 4 | 32 << 8]);
    let ((position, position_at), (color, color_at)) = (offset(0, VERTICES), offset(3, VERTICES + 16));
    rows.extend([
        row("array_offset_0", position, &position_at).finds(UnusualState),
        row("array_format_0", format(0).0, &format(0).1).finds(ConstantAttribute),
        row("array_offset_3", color, &color_at).finds(UnusualState),
        row("array_format_3", format(3).0, &format(3).1).finds(ConstantAttribute),
    ]);
    rows.extend([
        row("begin", m::set_begin_end::ID, &[5]).faults(),
        row("draw_arrays", m::draw_arrays::ID, &[2 << 24]).finds(NoVertices),
        row("end", m::set_begin_end::ID, &[0]).finds(OpenDraw),
    ]);
    rows
}

fn mistake(name: &'static str, finds: triglyph::FindingKind, writes: &[(usize, u32)]) -> Mistake {
    let words = writes.iter().flat_map(|(method, value)| [1 << 18 | *method as u32, *value]).collect();
    Mistake { name, words, change: None, finds }
}

fn mistakes() -> Vec<Mistake> {
    let bounds = [
        (m::set_depth_bounds_test_enable::ID, 1),
        (m::set_depth_bounds_min::ID, 0.5_f32.to_bits()),
        (m::set_depth_bounds_max::ID, 1.0_f32.to_bits()),
    ];
    let stencil = [
        (m::set_stencil_test_enable::ID, 1),
        (m::set_stencil_func::ID, 0x202),
        (m::set_stencil_func_ref::ID, 7),
        (m::set_stencil_func_mask::ID, 0xFF),
    ];
    // The upper half fails the alpha test, the lower one passes it and fails the depth test.
    let alpha_then_depth = [
        (m::set_alpha_test_enable::ID, 1),
        (m::set_alpha_func::ID, 0x204),
        (m::set_alpha_ref::ID, 0x80),
        (m::set_depth_test_enable::ID, 1),
        (m::set_depth_func::ID, 0x201),
    ];
    vec![
        Mistake {
            change: Some(|vertex| vertex[7] = f32::from(vertex[1] < 0.0)),
            ..mistake("alpha, then depth", TestsFailed, &alpha_then_depth)
        },
        mistake("culled", AllCulled, &[(m::set_cull_face_enable::ID, 1), (m::set_cull_face::ID, 0x408)]),
        mistake("depth never", TestNever, &[(m::set_depth_test_enable::ID, 1), (m::set_depth_func::ID, 0x200)]),
        mistake("depth less than 0", DepthFailed, &[(m::set_depth_test_enable::ID, 1), (m::set_depth_func::ID, 0x201)]),
        mistake("short stride", UnusualState, &[(m::set_vertex_data_array_format::id(3), 2 | 4 << 4 | 12 << 8)]),
        mistake("depth bounds", BoundsFailed, &bounds),
        mistake("stencil", StencilFailed, &stencil),
        mistake("alpha less than 0", AlphaFailed, &[(m::set_alpha_test_enable::ID, 1), (m::set_alpha_func::ID, 0x201)]),
        mistake(
            "blending",
            BlendKeepsTarget,
            &[
                (m::set_blend_enable::ID, 1),
                (m::set_blend_equation::ID, 0x8006_8006),
                (m::set_blend_func_sfactor::ID, 0),
                (m::set_blend_func_dfactor::ID, 0x0001_0001),
            ],
        ),
        of_vertices("no numbers", BadPosition, |vertex| vertex[0] = f32::NAN),
        of_vertices("far away", OutsideView, |vertex| vertex[2] = 5.0),
        of_vertices("a line", Degenerate, |vertex| vertex[0] = 0.0),
        of_vertices("one point", SamePosition, |vertex| vertex[..2].fill(0.5)),
        of_vertices("no colour", ZeroAttribute, |vertex| vertex[4..].fill(0.0)),
    ]
}

pub const TRIANGLE: Triangle = Triangle { vertices: CORNERS, draw: "begin", rows, mistakes, run };

fn run(options: &Options, words: &[u32], vertices: &Vertices) -> Outcome {
    let mut gpu = Rsx::new(options).expect("an RSX");
    gpu.as_replay().set_big_endian(true).expect("nothing has run");
    for space in 0..2 {
        gpu.map(GuestRange::new(space, 0, SIZE), Access::READ_WRITE).expect("memory");
    }
    for (handle, class, space, limit) in [
        (LOCAL, class::DMA_IN_MEMORY, 0, SIZE - 1),
        (MAIN, class::DMA_IN_MEMORY, 1, SIZE - 1),
        (CURIE, class::CURIE, 0, 0),
    ] {
        gpu.as_replay().object(ObjectEntry { handle, class, space, base: 0, limit }).expect("an object");
    }
    let big = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let vertices: Vec<u32> = vertices.as_flattened().iter().map(|value| value.to_bits()).collect();
    gpu.write(GuestAddr::new(1, VERTICES.into()), &big(&vertices)).expect("memory");
    let program = [0x0100_3E01u32, 0x1C9D_C801, 0x0001_C800, 0x0001_C800].map(|word| word.rotate_left(16));
    gpu.write(GuestAddr::new(0, PROGRAM.into()), &big(&program)).expect("memory");
    let background = vec![0xFF20_3040; (WIDTH * HEIGHT) as usize];
    gpu.write(GuestAddr::new(0, COLOR.into()), &big(&background)).expect("memory");
    let bytes = big(words);
    gpu.write(GuestAddr::new(1, PUSH.into()), &bytes).expect("memory");
    let mut payload = Vec::new();
    payload.extend(0u32.to_le_bytes());
    payload.extend(1u32.to_le_bytes());
    payload.extend(u64::from(PUSH).to_le_bytes());
    payload.extend((bytes.len() as u64).to_le_bytes());
    gpu.submit(&payload).expect("a push buffer");
    gpu.finish();
    let mut picture = vec![0; (4 * WIDTH * HEIGHT) as usize];
    gpu.read(GuestAddr::new(0, COLOR.into()), &mut picture).expect("memory");
    outcome(&mut gpu, picture)
}
