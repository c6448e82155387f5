//! The triangle of `examples/c/n3ds_triangle.c`, 64 pixels wide and high.

use triglyph::FindingKind::*;
use triglyph::capture::{Compression, Header, Map, Present, Writer};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, N3ds, Options};
use triglyph_guest::num::F24;
use triglyph_guest::pica::{Program, regs};
use triglyph_testkit::data::file;
use triglyph_testkit::pica::list::{self, HEAP, HEAP_VIRTUAL, List, VERTICES, VRAM};

use super::{Mistake, Outcome, Row, Triangle, Vertices, of_vertices, outcome};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 64;
const SIZE: u64 = 0x10_0000;
const LISTS: u32 = HEAP + 0xC_0000;

fn row(name: &'static str, id: usize, value: u32) -> Row {
    let mut list = List::default();
    list.set(id, value);
    Row::new(name, list.0)
}

fn fed(name: &'static str, id: usize, values: &[u32]) -> Row {
    let mut list = List::default();
    list.feed(id, values);
    Row::new(name, list.0)
}

fn rows() -> Vec<Row> {
    let f24 = F24::encode;
    let program = Program::assemble("mov o0, v0\nmov o1, v1\nend").expect("a program");
    let dimensions = WIDTH | (HEIGHT - 1) << 12 | 1 << 24;
    let mut rows = vec![
        row("vsh_entry", regs::vsh_entry::ID, 0x7FFF_0000),
        row("vsh_code_index", regs::vsh_code_index::ID, 0),
        fed("vsh_code_data", regs::vsh_code_data::ID, &program.code).finds(NoProgram),
        row("vsh_opdesc_index", regs::vsh_opdesc_index::ID, 0),
        fed("vsh_opdesc_data", regs::vsh_opdesc_data::ID, &program.descriptors).finds(SamePosition),
        row("vsh_input_config", regs::vsh_input_config::ID, 0xA000_0001).finds(UnlinkedInput),
        row("vsh_perm_lo", regs::vsh_perm_lo::ID, 0x7654_3210).finds(UnlinkedInput),
        row("vsh_outmap_mask", regs::vsh_outmap_mask::ID, 3).finds(NoPosition),
        row("vsh_outmap_total1", regs::vsh_outmap_total1::ID, 1),
        row("vsh_outmap_total2", regs::vsh_outmap_total2::ID, 1),
        row("vsh_num_attr", regs::vsh_num_attr::ID, 1),
        row("outmap_total", regs::outmap_total::ID, 2).finds(NoPosition),
        row("outmap_o0", regs::outmap::IDS[0], 0x0302_0100).finds(NoPosition),
        row("outmap_o1", regs::outmap::IDS[1], 0x0B0A_0908).finds(UnlinkedInput),
        row("viewport_half_w", regs::viewport_half_w::ID, f24(WIDTH as f32 / 2.0)).finds(EmptyViewport),
        row("viewport_half_h", regs::viewport_half_h::ID, f24(HEIGHT as f32 / 2.0)).finds(EmptyViewport),
        row("viewport_xy", regs::viewport_xy::ID, 0),
        row("depth_scale", regs::depth_scale::ID, f24(-1.0)),
        row("depth_offset", regs::depth_offset::ID, 0),
        row("depthmap_mode", regs::depthmap_mode::ID, 1),
        row("cull", regs::cull::ID, 0),
        row("fb_dim", regs::fb_dim::ID, dimensions).finds(TargetSize),
        row("renderbuf_dim", regs::renderbuf_dim::ID, dimensions),
        row("color_addr", regs::color_addr::ID, VRAM >> 3).finds(NoTarget),
        row("color_format", regs::color_format::ID, 2),
        row("color_write_allow", regs::color_write_allow::ID, 15).finds(WritesMasked),
        row("color_operation", regs::color_operation::ID, 0x00E4_0100).finds(ConstantZero),
        row("blend_func", regs::blend_func::ID, 0x0101_0000).finds(ConstantZero),
        row("depth_color_mask", regs::depth_color_mask::ID, 0xF00).finds(WritesMasked),
        row("tex_config", regs::tex_config::ID, 0x1000),
    ];
    for (name, id) in ["tev1", "tev2", "tev3", "tev4", "tev5"].into_iter().zip(&regs::tev_source::IDS[1..]) {
        rows.push(row(name, *id, 0x000F_000F));
    }
    rows.extend([
        row("attr_base", regs::attr_base::ID, VERTICES >> 3).faults(),
        row("attr_format_lo", regs::attr_format_lo::ID, 0xFF).finds(UnusualState),
        row("attr_format_hi", regs::attr_format_hi::ID, 1 << 28).finds(UnlinkedInput),
        row("attrbuf_offset0", regs::attrbuf_offset::id(0), 0),
        row("attrbuf_config1_0", regs::attrbuf_config1::id(0), 0x10).finds(ConstantAttribute),
        row("attrbuf_config2_0", regs::attrbuf_config2::id(0), 2 << 28 | 32 << 16).finds(ConstantAttribute),
        row("primitive_config", regs::primitive_config::ID, 1),
        row("primitive_restart", regs::primitive_restart::ID, 1),
        row("num_vertices", regs::num_vertices::ID, 3).finds(NoVertices),
        row("draw_arrays", regs::draw_arrays::ID, 1).finds(NoDraw),
        row("irq_request", regs::irq_request::ID, 0x1234_5678),
    ]);
    rows
}

/// x (up), y, z, w; red, green, blue, alpha.
const CORNERS: Vertices = [
    [0.8, 0.0, -0.5, 1.0, 1.0, 0.0, 0.0, 1.0],
    [-0.8, -0.8, -0.5, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, 0.8, -0.5, 1.0, 0.0, 0.0, 1.0, 1.0],
];

fn mistake(name: &'static str, finds: triglyph::FindingKind, writes: &[(usize, u32)]) -> Mistake {
    let mut list = List::default();
    writes.iter().for_each(|(id, value)| _ = list.set(*id, *value));
    Mistake { name, words: list.0, change: None, finds }
}

/// Where nothing is mapped, divided by 8.
const NOWHERE: u32 = 0x0E00_0000;
const DEPTH: (usize, u32) = (regs::depth_addr::ID, (VRAM + 0x2_0000) >> 3);

fn mistakes() -> Vec<Mistake> {
    vec![
        mistake("culled", AllCulled, &[(regs::cull::ID, 2)]),
        mistake("no such target", UnmappedTarget, &[(regs::color_addr::ID, NOWHERE)]),
        mistake("no such format", TargetFormat, &[(regs::color_format::ID, 7 << 16)]),
        mistake("scissor", EmptyScissor, &[(regs::scissor_mode::ID, 3), (regs::scissor_pos::ID, 100)]),
        mistake("no array", UnmappedArray, &[(regs::attr_base::ID, NOWHERE)]),
        mistake("depth never", TestNever, &[DEPTH, (regs::depth_format::ID, 2), (regs::depth_color_mask::ID, 0xF01)]),
        mistake(
            "depth less than 0",
            DepthFailed,
            &[DEPTH, (regs::depth_format::ID, 2), (regs::depth_color_mask::ID, 0xF41)],
        ),
        mistake(
            "stencil",
            StencilFailed,
            &[DEPTH, (regs::depth_format::ID, 3), (regs::stencil_test::ID, 1 | 2 << 4 | 7 << 16 | 0xFF << 24)],
        ),
        mistake("alpha less than 0", AlphaFailed, &[(regs::alpha_test::ID, 1 | 4 << 4)]),
        mistake(
            "depth not cleared",
            UnwrittenDepth,
            &[DEPTH, (regs::depth_format::ID, 2), (regs::depth_color_mask::ID, 0xF41)],
        ),
        mistake("stride of half a vertex", UnusualState, &[(regs::attrbuf_config2::id(0), 2 << 28 | 16 << 16)]),
        mistake("two vertices", IncompletePrimitive, &[(regs::num_vertices::ID, 2)]),
        mistake("no operation", NothingChanged, &[(regs::color_operation::ID, 0x00E4_0000), (regs::logic_op::ID, 6)]),
        mistake("blending", BlendKeepsTarget, &[(regs::blend_func::ID, 0x1010_0000)]),
        mistake("texture", UnmappedTexture, &[(regs::tex_config::ID, 0x1001), (regs::tex_addr::IDS[0], NOWHERE)]),
        mistake(
            "scissor beside the triangle",
            NoPixels,
            &[(regs::scissor_mode::ID, 3), (regs::scissor_pos::ID, 0), (regs::scissor_dim::ID, 1 | 1 << 16)],
        ),
        of_vertices("no numbers", BadPosition, |vertex| vertex[0] = f32::NAN),
        of_vertices("w is 0", BadPosition, |vertex| vertex[3] = 0.0),
        of_vertices("far away", OutsideView, |vertex| vertex[0] = 5.0),
        of_vertices("a line", Degenerate, |vertex| vertex[0] = 0.0),
        of_vertices("no colour", ZeroAttribute, |vertex| vertex[4..].fill(0.0)),
    ]
}

pub const TRIANGLE: Triangle = Triangle { vertices: CORNERS, draw: "draw_arrays", rows, mistakes, run };

fn run(options: &Options, words: &[u32], vertices: &Vertices) -> Outcome {
    let mut gpu = N3ds::new(options).expect("a 3DS");
    for start in [VRAM, HEAP] {
        gpu.map(GuestRange::new(0, start.into(), SIZE), Access::READ_WRITE).expect("memory");
    }
    let at = |address: u32| GuestAddr::new(0, address.into());
    let vertices: Vec<u8> = vertices.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    gpu.write(at(VERTICES), &vertices).expect("memory");
    gpu.write(at(VRAM), &[0xFF, 0x40, 0x30, 0x20].repeat((WIDTH * HEIGHT) as usize)).expect("memory");
    let bytes = list::bytes(words);
    gpu.write(at(LISTS), &bytes).expect("memory");
    let command = [1, LISTS - HEAP + HEAP_VIRTUAL, bytes.len() as u32, 0, 0, 0, 0, 0];
    let payload: Vec<u8> = command.into_iter().flat_map(u32::to_le_bytes).collect();
    gpu.submit(&payload).expect("32 bytes are a command");
    gpu.finish();
    let mut picture = vec![0; (4 * WIDTH * HEIGHT) as usize];
    gpu.read(at(VRAM), &mut picture).expect("memory");
    outcome(&mut gpu, picture)
}

/// A capture of the triangle without one of its writes, whose picture is at an address.
fn capture(left_out: &str, shown: u32) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::default()).expect("memory");
    for start in [VRAM, HEAP] {
        let range = GuestRange::new(0, start.into(), SIZE);
        writer.map(&Map { range, access: Access::READ_WRITE }).expect("memory");
    }
    let vertices: Vec<u8> = CORNERS.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    writer.mem(GuestAddr::new(0, VERTICES.into()), &vertices).expect("memory");
    let words: Vec<u32> = rows().into_iter().filter(|row| row.name != left_out).flat_map(|row| row.words).collect();
    let bytes = list::bytes(&words);
    writer.mem(GuestAddr::new(0, LISTS.into()), &bytes).expect("memory");
    let command = [1, LISTS - HEAP + HEAP_VIRTUAL, bytes.len() as u32, 0, 0, 0, 0, 0];
    writer.submit(&command.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).expect("memory");
    let at = GuestAddr::new(0, shown.into());
    let (width, height, label) = (WIDTH, HEIGHT, "top".to_owned());
    writer.present(&Present { at, format: 1, width, height, pitch: 4 * WIDTH, layout: 2, label }).expect("memory");
    writer.finish().expect("memory")
}

/// The captures of the guide and of the tests of `triglyph explain`. `TRIGLYPH_BLESS=1` writes them.
#[test]
fn captures_of_the_guide_are_these_triangles() {
    for (name, left_out, shown) in [("invisible", "viewport_half_w", VRAM), ("elsewhere", "", HEAP + 0x1_0000)] {
        let path = file(&format!("findings/{name}.tgc"));
        let expected = capture(left_out, shown);
        if std::env::var_os("TRIGLYPH_BLESS").is_some() {
            std::fs::write(&path, &expected).expect("the file can be written");
        }
        assert!(std::fs::read(&path).expect("a capture") == expected, "{}", path.display());
    }
}
