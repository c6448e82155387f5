//! A 3D engine with a target, programs and vertices, for tests.

use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_guest::tegra::shader::assemble_program;

use super::{DATA, Machine};

/// Where things are in the data.
pub const PROGRAMS: u64 = 0;
pub const VERTICES: u64 = 0x1_0000;
pub const INDICES: u64 = 0x1_8000;
pub const CONSTANTS: u64 = 0x2_0000;
pub const CAPTURED: u64 = 0x3_0000;
pub const REPORT: u64 = 0x4_0000;
pub const DEPTH: u64 = 0x8_0000;
pub const TARGET: u64 = 0x10_0000;

/// Pixels of the target's edge.
pub const EDGE: u32 = 64;

/// Stages as registers number them.
pub const VERTEX: usize = 1;
pub const EVALUATION: usize = 3;
pub const GEOMETRY: usize = 4;
pub const PIXEL: usize = 5;

/// Passes generic 0 on as position and generic 1 as generic 0.
pub const PASS: &str = "
    ald.w4 r0, [rz+0x80], rz
    ald.w4 r4, [rz+0x90], rz
    ast.w4 r0, [rz+0x70], rz
    ast.w4 r4, [rz+0x80], rz
    exit
";

/// Colours pixels with generic 0.
pub const COLOR: &str = "
    ipa.pass r4, a[rz+0x7c], rz, rz, pt
    mufu.rcp r4, r4
    ipa.mul r0, a[rz+0x80], r4, rz, pt
    ipa.mul r1, a[rz+0x84], r4, rz, pt
    ipa.mul r2, a[rz+0x88], r4, rz, pt
    ipa.mul r3, a[rz+0x8c], r4, rz, pt
    exit
";

/// A pixel program that counts up to the first component of the colour, and then writes white. An iteration has three
/// instructions.
pub const ROUNDS: &str = "
    ipa.pass r0, a[rz+0x80], rz, rz, pt
    f2i.signed.b32.f32.rz r5, r0
    mov r0, rz, 0xf
again:
    iadd r4, r4, 0x1
    isetp.s32.lt.and p0, pt, r4, r5, pt
    @p0 bra again
    mov32i r0, 0x3f800000, 0xf
    mov r1, r0, 0xf
    mov r2, r0, 0xf
    mov r3, r0, 0xf
    exit
";

/// A vertex: position and colour.
pub type Vertex = [f32; 8];

/// A header of a stage that is not the pixels', with maps of these byte addresses.
pub fn header(stage: u32, inputs: &[u32], outputs: &[u32]) -> [u32; 20] {
    let mut words = [0; 20];
    words[0] = 1 | 3 << 5 | stage << 10;
    let mut set = |bit: u32| words[bit as usize / 32] |= 1 << (bit % 32);
    inputs.iter().for_each(|address| set(160 + address / 4));
    outputs.iter().for_each(|address| set(400 + address / 4));
    words
}

/// Addresses of `count` words from an address on.
pub fn words(address: u32, count: u32) -> Vec<u32> {
    (0..count).map(|i| address + 4 * i).collect()
}

/// A pixel program's header: generic 0 with one mode for all components, target 0 written.
pub fn pixel_header(mode: u32) -> [u32; 20] {
    let mut words = [0; 20];
    words[0] = 2 | 3 << 5 | 5 << 10 | 1 << 14 | 1 << 15;
    words[5] = 1 << 31;
    words[6] = mode * 0x55;
    words[18] = 0xF;
    words
}

/// The header of a texture of `edge` by `edge` texels A8B8G8R8 in rows, unsigned normalised, at an address of the data.
pub fn texture_header(texels: u64, edge: u32) -> [u32; 8] {
    let components = 0x08 | 2 << 7 | 2 << 10 | 2 << 13 | 2 << 16 | 2 << 19 | 3 << 22 | 4 << 25 | 5 << 28;
    let pitch = (4 * edge).div_ceil(32);
    let address = (DATA + texels) as u32;
    [components, address, 2 << 21, pitch, (edge - 1) | 7 << 23, (edge - 1) | 1 << 31, 0, 0]
}

/// A machine that is ready to draw: 64x64 pixels of A8B8G8R8, positions and colours, everything in the window's middle.
pub fn ready() -> Machine {
    ready_on(Machine::new())
}

/// What a driver sets up once: no depth, nothing that clears respect, tests that pass, all masks.
const DRIVER: [(usize, u32); 19] = [
    (r::set_zt_select::ID, 0),
    (r::set_zt_block_size::ID, 0),
    (r::set_clear_surface_control::ID, 0),
    (r::set_depth_func::ID, 8),
    (r::set_alpha_func::ID, 8),
    (r::set_stencil_func::ID, 8),
    (r::set_stencil_func_mask::ID, 0xFF),
    (r::set_stencil_mask::ID, 0xFF),
    (r::set_two_sided_stencil_test::ID, 1),
    (r::set_back_stencil_func::ID, 8),
    (r::set_back_stencil_func_mask::ID, 0xFF),
    (r::set_back_stencil_mask::ID, 0xFF),
    (r::set_point_center_mode::ID, 0),
    (r::set_edge_flag::ID, 1),
    (r::draw_texture_du_dx_high::ID, 0),
    (r::draw_texture_dv_dy_high::ID, 0),
    (r::set_blend_per_format_enable::ID, 0x10),
    (r::set_attribute_default::ID, 0xE),
    (r::set_alpha_to_coverage_override::ID, 1),
];

/// The same of a machine with options of its own.
pub fn ready_on(mut m: Machine) -> Machine {
    let at = |offset: u64| (DATA + offset) as u32;
    m.threed(&DRIVER);
    m.threed(&[1, 2, 3, 4, 5, 6, 7].map(|target| (r::set_ct_write::id(target), 0x1111)));
    m.threed(&[1, 2, 3, 4, 5, 6, 7].map(|target| (r::set_color_target_memory::id(target), 0)));
    m.threed(&[(r::set_blend_separate_for_alpha::ID, 0)]);
    for rectangle in 0..8 {
        let clips = [r::set_window_clip_horizontal::id(rectangle), r::set_window_clip_vertical::id(rectangle)];
        m.threed(&clips.map(|clip| (clip, 0)));
    }
    let every = 0xFFFF_0000;
    for viewport in 0..16 {
        let clips = [r::set_viewport_clip_horizontal::id(viewport), r::set_viewport_clip_vertical::id(viewport)];
        m.threed(&clips.map(|clip| (clip, every)));
    }
    m.threed(&[
        (r::set_color_target_b::id(0), at(TARGET)),
        (r::set_color_target_width::id(0), 4 * EDGE),
        (r::set_color_target_height::id(0), EDGE),
        (r::set_color_target_format::id(0), 0xD5),
        (r::set_color_target_memory::id(0), 1 << 12),
        (r::set_color_target_third_dimension::id(0), 1),
        (r::set_ct_select::ID, 1),
        (r::set_surface_clip_horizontal::ID, EDGE << 16),
        (r::set_surface_clip_vertical::ID, EDGE << 16),
        (r::set_viewport_scale_offset::ID, 1),
        (r::set_viewport_clip_control::ID, 2),
        (r::set_program_region_b::ID, at(PROGRAMS)),
        (r::set_vertex_stream_a_format::id(0), 32 | 1 << 12),
        (r::set_vertex_stream_a_location_b::id(0), at(VERTICES)),
        (r::set_vertex_stream_limit_a_b::id(0), at(INDICES) - 1),
        (r::set_vertex_attribute_a::id(0), 0x01 << 21 | 7 << 27),
        (r::set_vertex_attribute_a::id(1), 16 << 7 | 0x01 << 21 | 7 << 27),
    ]);
    viewport(&mut m, 0, [0.0, 0.0, EDGE as f32, EDGE as f32]);
    let inputs = words(attribute::GENERIC, 8);
    let outputs = [words(attribute::POSITION, 4), words(attribute::GENERIC, 4)].concat();
    program(&mut m, VERTEX, header(1, &inputs, &outputs), PASS);
    program(&mut m, PIXEL, pixel_header(2), COLOR);
    m
}

/// A viewport over a rectangle of pixels: x, y, width, height; y of clip space downwards, depth 0 to 1.
pub fn viewport(m: &mut Machine, n: usize, [x, y, width, height]: [f32; 4]) {
    let float = |id: usize, v: f32| (id, v.to_bits());
    m.threed(&[
        float(r::set_viewport_scale_x::id(n), width / 2.0),
        float(r::set_viewport_scale_y::id(n), height / 2.0),
        float(r::set_viewport_scale_z::id(n), 1.0),
        float(r::set_viewport_offset_x::id(n), x + width / 2.0),
        float(r::set_viewport_offset_y::id(n), y + height / 2.0),
        (r::set_viewport_clip_horizontal::id(n), x as u32 | (width as u32) << 16),
        (r::set_viewport_clip_vertical::id(n), y as u32 | (height as u32) << 16),
    ]);
}

/// Sets pools of texture headers and of samplers, and the last number of both.
pub fn texture_pools(m: &mut Machine, headers: u64, samplers: u64, last: u32) {
    m.threed(&[
        (r::set_tex_header_pool_b::ID, (DATA + headers) as u32),
        (r::set_tex_header_pool_c::ID, last),
        (r::set_tex_sampler_pool_b::ID, (DATA + samplers) as u32),
        (r::set_tex_sampler_pool_c::ID, last),
    ]);
}

/// Stores a program and switches its stage on.
pub fn program(m: &mut Machine, stage: usize, header: [u32; 20], text: &str) {
    let offset = PROGRAMS + 0x1000 * stage as u64;
    let code = assemble_program(text).unwrap_or_else(|error| panic!("{error}"));
    let header = header.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = header.chain(code.iter().flat_map(|word| word.to_le_bytes())).collect();
    m.write(offset, &bytes);
    let switch = [
        (r::set_pipeline_shader::id(stage), 1 | (stage as u32) << 4),
        (r::set_pipeline_program::id(stage), offset as u32),
    ];
    m.threed(&switch);
}

/// Has pixels show the number of their primitive, times `scale`, in red.
pub fn number_pixels(m: &mut Machine, scale: f32) {
    let text = format!(
        "
        ipa.pass r0, a[rz+0x60], rz, rz, pt
        i2f.f32.b32 r0, r0, 0x0
        fmul32i r0, r0, {:#x}
        mov r1, rz, 0xf
        mov r2, rz, 0xf
        mov32i r3, 0x3f800000, 0xf
        exit
        ",
        scale.to_bits()
    );
    let mut head = pixel_header(2);
    head[5] |= 1 << 24;
    program(m, PIXEL, head, &text);
}

/// Stores vertices.
pub fn vertices(m: &mut Machine, vertices: &[Vertex]) {
    let bytes: Vec<u8> = vertices.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
    m.write(VERTICES, &bytes);
}

/// A vertex at a place of clip space.
pub fn vertex(x: f32, y: f32, z: f32, [r, g, b, a]: [f32; 4]) -> Vertex {
    [x, y, z, 1.0, r, g, b, a]
}

/// A strip of two triangles over a rectangle of clip space.
pub fn rectangle([x0, y0, x1, y1]: [f32; 4], z: f32, color: [f32; 4]) -> [Vertex; 4] {
    [(x0, y0), (x0, y1), (x1, y0), (x1, y1)].map(|(x, y)| vertex(x, y, z, color))
}

/// BEGIN, DRAW_VERTEX_ARRAY, END.
pub fn draw(m: &mut Machine, topology: Topology, start: u32, count: u32) {
    m.threed(&[
        (r::begin::ID, topology.bits()),
        (r::set_vertex_array_start::ID, start),
        (r::draw_vertex_array::ID, count),
        (r::end::ID, 0),
    ]);
}

/// A pixel of the target: bytes r, g, b, a.
pub fn pixel(m: &mut Machine, x: u32, y: u32) -> [u8; 4] {
    m.read(TARGET + u64::from(4 * (y * EDGE + x)), 4).try_into().expect("four bytes")
}

/// How many pixels of the target are not 0.
pub fn covered(m: &mut Machine) -> usize {
    m.read(TARGET, (4 * EDGE * EDGE) as usize).chunks_exact(4).filter(|pixel| **pixel != [0; 4]).count()
}

/// Captures words of vertices in buffer 0 from now on.
pub fn capture(m: &mut Machine, words: &[u8], size: u32) {
    let layout = words.chunks(4).enumerate().map(|(i, words)| {
        let word = words.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        (r::set_stream_out_layout_select_buffer0::id(i), word)
    });
    m.threed(&layout.collect::<Vec<_>>());
    m.threed(&[
        (r::set_stream_out_buffer_enable::id(0), 1),
        (r::set_stream_out_buffer_address_b::id(0), (DATA + CAPTURED) as u32),
        (r::set_stream_out_buffer_size::id(0), size),
        (r::set_stream_out_buffer_load_write_pointer::id(0), 0),
        (r::set_stream_out_control_component_count::id(0), words.len() as u32),
        (r::set_stream_out_control_stride::id(0), 4 * words.len() as u32),
        (r::set_stream_output::ID, 1),
    ]);
}

/// What a report says: 64 bits.
pub fn report(m: &mut Machine, kind: u32, sub: u32) -> u64 {
    m.threed(&[
        (r::set_report_semaphore_b::ID, (DATA + REPORT) as u32),
        (r::set_report_semaphore_d::ID, 2 | sub << 5 | 0xF << 12 | kind << 23),
    ]);
    let [low, high] = m.words(REPORT);
    u64::from(high) << 32 | u64::from(low)
}
