//! The triangle of `examples/rust/switch_triangle.rs`, 64 pixels wide and high.

use triglyph::FindingKind::*;
use triglyph::{Access, Device, GuestAddr, GuestRange, Options, TegraX1};
use triglyph_guest::tegra::fifo::{Entry, Segment};
use triglyph_guest::tegra::methods::threed::regs as r;
use triglyph_guest::tegra::shader::asm::assemble_program;

use super::{CORNERS, Mistake, Outcome, Row, Triangle, Vertices, of_vertices, outcome};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 64;
const PUSH: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;
const SIZE: u64 = 0x10_0000;
const PROGRAMS: u64 = DATA + 0x1_0000;
const VERTICES: u64 = DATA + 0x2_0000;
const TARGET: u64 = DATA + 0x4_0000;

const VERTEX_HEADER: [u32; 20] =
    [0x461, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0xF << 12 | 0xF << 16, 0, 0, 0, 0, 0, 0];
const VERTEX_CODE: [u64; 7] = [
    0x001F_8000_FC00_07E0,
    0xEFD9_FF80_0807_FF00,
    0xEFD9_FF80_0907_FF04,
    0xEFF1_FF80_0707_FF00,
    0x001F_8000_FC00_07E0,
    0xEFF1_FF80_0807_FF04,
    0xE300_0000_0007_000F,
];
/// A program without fragments, and one whose texture has the handle 0.
const OTHER_PIXELS: [&str; 2] = ["kil\n exit", "tex.d2 r0, r0, rz, 0x0, 0xf, pt\n exit"];
const PIXEL_HEADER: [u32; 20] = [0xD462, 0, 0, 0, 0, 1 << 31, 2 * 0x55, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF, 0];
const PIXEL_CODE: [u64; 10] = [
    0x001F_8000_FC00_07E0,
    0xE003_FF87_CFF7_FF04,
    0x5080_0000_0047_0404,
    0xE043_FF88_0047_FF00,
    0x001F_8000_FC00_07E0,
    0xE043_FF88_4047_FF01,
    0xE043_FF88_8047_FF02,
    0xE043_FF88_C047_FF03,
    0x001F_8000_FC00_07E0,
    0xE300_0000_0007_000F,
];
fn row(name: &'static str, method: u32, data: &[u32]) -> Row {
    let header = 1 << 29 | (data.len() as u32) << 16 | method;
    Row::new(name, std::iter::once(header).chain(data.iter().copied()).collect())
}

fn floats(name: &'static str, method: u32, data: &[f32]) -> Row {
    row(name, method, &data.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
}

fn rows() -> Vec<Row> {
    let half = [WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0];
    let address = |name, method, address: u64| row(name, method, &[(address >> 32) as u32, address as u32]);
    vec![
        row("object", 0x000, &[0xB197]),
        address("rt_address", 0x200, TARGET).faults(),
        row("rt_width", 0x202, &[4 * WIDTH]).finds(UnusualState),
        row("rt_height", 0x203, &[HEIGHT]),
        row("rt_format", 0x204, &[0xD5]).finds(UnusualState),
        row("rt_layout", 0x205, &[1 << 12]).finds(UnusualState),
        row("rt_layers", 0x206, &[1]),
        row("rt_control", 0x487, &[1]),
        row("surface_clip_h", 0x3FD, &[WIDTH << 16]).finds(EmptyScissor),
        row("surface_clip_v", 0x3FE, &[HEIGHT << 16]).finds(EmptyScissor),
        row("viewport_scale_enable", 0x64B, &[1]),
        floats("viewport_scale", 0x280, &[half[0], -half[1], 1.0]).finds(EmptyViewport),
        floats("viewport_offset", 0x283, &[half[0], half[1], 0.0]).finds(UnusualState),
        row("viewport_clip_h", 0x300, &[WIDTH << 16]).finds(EmptyScissor),
        row("viewport_clip_v", 0x301, &[HEIGHT << 16]).finds(EmptyScissor),
        address("program_region", 0x582, PROGRAMS).faults(),
        row("vertex_pipeline", 0x810, &[1 | 1 << 4]),
        row("vertex_program", 0x811, &[0]),
        row("pixel_pipeline", 0x850, &[1 | 5 << 4]),
        row("pixel_program", 0x851, &[0x1000]).faults(),
        row("stream_format", 0x700, &[32 | 1 << 12]).finds(ConstantAttribute),
        address("stream_address", 0x701, VERTICES).faults(),
        address("stream_limit", 0x7C0, VERTICES + 3 * 32 - 1).finds(UnmappedArray),
        row("attribute_0", 0x458, &[0x01 << 21 | 7 << 27]).finds(ConstantAttribute),
        row("attribute_1", 0x459, &[16 << 7 | 0x01 << 21 | 7 << 27]).finds(ConstantAttribute),
        row("begin", 0x586, &[4]).faults(),
        row("vertex_start", 0x35D, &[0]),
        row("draw", 0x35E, &[3]).finds(NoVertices),
        row("end", 0x585, &[0]).finds(OpenDraw),
    ]
}

fn mistake(name: &'static str, finds: triglyph::FindingKind, writes: &[(usize, u32)]) -> Mistake {
    let words = writes.iter().flat_map(|(method, value)| [1 << 29 | 1 << 16 | *method as u32, *value]).collect();
    Mistake { name, words, change: None, finds }
}

fn mistakes() -> Vec<Mistake> {
    vec![
        mistake("no targets", NoTarget, &[(r::set_ct_select::ID, 0)]),
        mistake("no rows", TargetSize, &[(r::set_color_target_height::id(0), 0)]),
        mistake("no format", TargetFormat, &[(r::set_color_target_format::id(0), 0)]),
        mistake("no pixel program", NoProgram, &[(r::set_pipeline_shader::id(5), 0)]),
        mistake("rasterizer off", RenderingDisabled, &[(r::set_raster_enable::ID, 0)]),
        mistake("culled", AllCulled, &[(r::ogl_set_cull::ID, 1), (r::ogl_set_cull_face::ID, 0x408)]),
        mistake("stride of half a vertex", UnusualState, &[(r::set_vertex_stream_a_format::id(0), 16 | 1 << 12)]),
        mistake("masked", WritesMasked, &[(r::set_ct_write::id(0), 0)]),
        mistake("alpha never", TestNever, &[(r::set_alpha_test::ID, 1), (r::set_alpha_func::ID, 0x200)]),
        mistake("alpha less than 0", AlphaFailed, &[(r::set_alpha_test::ID, 1), (r::set_alpha_func::ID, 0x201)]),
        mistake("scissor", EmptyScissor, &[(r::set_scissor_enable::id(0), 1), (r::set_scissor_horizontal::id(0), 9)]),
        mistake(
            "scissor beside the triangle",
            NoPixels,
            &[
                (r::set_scissor_enable::id(0), 1),
                (r::set_scissor_horizontal::id(0), 2 << 16),
                (r::set_scissor_vertical::id(0), 2 << 16),
            ],
        ),
        mistake(
            "blending",
            BlendKeepsTarget,
            &[
                (r::set_blend::id(0), 1),
                (r::set_blend_color_op::ID, 0x8006),
                (r::set_blend_color_source_coeff::ID, 0x4000),
                (r::set_blend_color_dest_coeff::ID, 0x4001),
                (r::set_blend_alpha_source_coeff::ID, 0x4000),
                (r::set_blend_alpha_dest_coeff::ID, 0x4001),
            ],
        ),
        mistake("a vertex header without position", NoPosition, &[(r::set_pipeline_program::id(1), 0x2000)]),
        mistake("a header without outputs", NoColorOutput, &[(r::set_pipeline_program::id(5), 0x3000)]),
        mistake("a program that discards", Discarded, &[(r::set_pipeline_program::id(5), 0x4000)]),
        mistake("no texture header", EmptyDescriptor, &[(r::set_pipeline_program::id(5), 0x5000)]),
        of_vertices("no numbers", BadPosition, |vertex| vertex[0] = f32::NAN),
        of_vertices("behind the eye", OutsideView, |vertex| vertex[3] = -1.0),
        of_vertices("a line", Degenerate, |vertex| vertex[0] = 0.0),
    ]
}

pub const TRIANGLE: Triangle = Triangle { vertices: CORNERS, draw: "begin", rows, mistakes, run };

fn run(options: &Options, words: &[u32], vertices: &Vertices) -> Outcome {
    let mut gpu = TegraX1::new(options).expect("a Tegra X1");
    gpu.map(GuestRange::new(0, PUSH, DATA + SIZE - PUSH), Access::READ_WRITE).expect("memory");
    let at = |address: u64| GuestAddr::new(0, address);
    let little = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let code = |code: &[u64]| code.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    gpu.write(at(PROGRAMS), &[little(&VERTEX_HEADER), code(&VERTEX_CODE)].concat()).expect("memory");
    gpu.write(at(PROGRAMS + 0x1000), &[little(&PIXEL_HEADER), code(&PIXEL_CODE)].concat()).expect("memory");
    // The same without outputs.
    let (mut vertex, mut pixel) = (VERTEX_HEADER, PIXEL_HEADER);
    (vertex[13], pixel[18]) = (0xF << 16, 0);
    gpu.write(at(PROGRAMS + 0x2000), &[little(&vertex), code(&VERTEX_CODE)].concat()).expect("memory");
    gpu.write(at(PROGRAMS + 0x3000), &[little(&pixel), code(&PIXEL_CODE)].concat()).expect("memory");
    for (text, place) in OTHER_PIXELS.iter().zip([0x4000, 0x5000]) {
        let words = assemble_program(text).expect("a program");
        gpu.write(at(PROGRAMS + place), &[little(&PIXEL_HEADER), code(&words)].concat()).expect("memory");
    }
    let vertices: Vec<u32> = vertices.as_flattened().iter().map(|value| value.to_bits()).collect();
    gpu.write(at(VERTICES), &little(&vertices)).expect("memory");
    gpu.write(at(TARGET), &[0x20, 0x30, 0x40, 0xFF].repeat((WIDTH * HEIGHT) as usize)).expect("memory");
    gpu.write(at(PUSH), &little(words)).expect("memory");
    let words = words.len() as u32;
    let segment = Segment { address: PUSH, words, sync: false, subroutine: false, conditional: false };
    let payload: Vec<u8> =
        [0, Entry::Segment(segment).encode()].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    gpu.submit(&payload).expect("a channel and an entry");
    gpu.finish();
    let mut picture = vec![0; (4 * WIDTH * HEIGHT) as usize];
    gpu.read(at(TARGET), &mut picture).expect("memory");
    outcome(&mut gpu, picture)
}
