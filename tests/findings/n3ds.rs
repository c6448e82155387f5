//! The triangle of `examples/c/n3ds.c`, 64 pixels wide and high.

use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds, Options, Tier};
use triglyph_guest::num::F24;
use triglyph_guest::pica::{Program, regs};
use triglyph_testkit::pica::list::{self, HEAP, HEAP_VIRTUAL, List, VERTICES, VRAM};

use super::{Outcome, Row, explore};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 64;
const SIZE: u64 = 0x10_0000;
const LISTS: u32 = HEAP + 0xC_0000;

fn row(name: &'static str, id: usize, value: u32) -> Row {
    let mut list = List::default();
    list.set(id, value);
    Row { name, words: list.0 }
}

fn fed(name: &'static str, id: usize, values: &[u32]) -> Row {
    let mut list = List::default();
    list.feed(id, values);
    Row { name, words: list.0 }
}

fn rows() -> Vec<Row> {
    let f24 = F24::encode;
    let program = Program::assemble("mov o0, v0\nmov o1, v1\nend").expect("a program");
    let dimensions = WIDTH | (HEIGHT - 1) << 12 | 1 << 24;
    let mut rows = vec![
        row("vsh_entry", regs::vsh_entry::ID, 0x7FFF_0000),
        row("vsh_code_index", regs::vsh_code_index::ID, 0),
        fed("vsh_code_data", regs::vsh_code_data::ID, &program.code),
        row("vsh_opdesc_index", regs::vsh_opdesc_index::ID, 0),
        fed("vsh_opdesc_data", regs::vsh_opdesc_data::ID, &program.descriptors),
        row("vsh_input_config", regs::vsh_input_config::ID, 0xA000_0001),
        row("vsh_perm_lo", regs::vsh_perm_lo::ID, 0x7654_3210),
        row("vsh_outmap_mask", regs::vsh_outmap_mask::ID, 3),
        row("vsh_outmap_total1", regs::vsh_outmap_total1::ID, 1),
        row("vsh_outmap_total2", regs::vsh_outmap_total2::ID, 1),
        row("vsh_num_attr", regs::vsh_num_attr::ID, 1),
        row("outmap_total", regs::outmap_total::ID, 2),
        row("outmap_o0", regs::outmap::IDS[0], 0x0302_0100),
        row("outmap_o1", regs::outmap::IDS[1], 0x0B0A_0908),
        row("viewport_half_w", regs::viewport_half_w::ID, f24(WIDTH as f32 / 2.0)),
        row("viewport_half_h", regs::viewport_half_h::ID, f24(HEIGHT as f32 / 2.0)),
        row("viewport_xy", regs::viewport_xy::ID, 0),
        row("depth_scale", regs::depth_scale::ID, f24(-1.0)),
        row("depth_offset", regs::depth_offset::ID, 0),
        row("depthmap_mode", regs::depthmap_mode::ID, 1),
        row("cull", regs::cull::ID, 0),
        row("fb_dim", regs::fb_dim::ID, dimensions),
        row("renderbuf_dim", regs::renderbuf_dim::ID, dimensions),
        row("color_addr", regs::color_addr::ID, VRAM >> 3),
        row("color_format", regs::color_format::ID, 2),
        row("color_write_allow", regs::color_write_allow::ID, 15),
        row("color_operation", regs::color_operation::ID, 0x00E4_0100),
        row("blend_func", regs::blend_func::ID, 0x0101_0000),
        row("depth_color_mask", regs::depth_color_mask::ID, 0xF00),
        row("tex_config", regs::tex_config::ID, 0x1000),
    ];
    for (name, id) in ["tev1", "tev2", "tev3", "tev4", "tev5"].into_iter().zip(&regs::tev_source::IDS[1..]) {
        rows.push(row(name, *id, 0x000F_000F));
    }
    rows.extend([
        row("attr_base", regs::attr_base::ID, VERTICES >> 3),
        row("attr_format_lo", regs::attr_format_lo::ID, 0xFF),
        row("attr_format_hi", regs::attr_format_hi::ID, 1 << 28),
        row("attrbuf_offset0", regs::attrbuf_offset::id(0), 0),
        row("attrbuf_config1_0", regs::attrbuf_config1::id(0), 0x10),
        row("attrbuf_config2_0", regs::attrbuf_config2::id(0), 2 << 28 | 32 << 16),
        row("primitive_config", regs::primitive_config::ID, 1),
        row("primitive_restart", regs::primitive_restart::ID, 1),
        row("num_vertices", regs::num_vertices::ID, 3),
        row("draw_arrays", regs::draw_arrays::ID, 1),
        row("irq_request", regs::irq_request::ID, 0x1234_5678),
    ]);
    rows
}

const TRIANGLE: [[f32; 8]; 3] = [
    [0.8, 0.0, -0.5, 1.0, 1.0, 0.0, 0.0, 1.0],
    [-0.8, -0.8, -0.5, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, 0.8, -0.5, 1.0, 0.0, 0.0, 1.0, 1.0],
];

fn run(words: &[u32]) -> Outcome {
    let mut gpu = N3ds::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a 3DS");
    for start in [VRAM, HEAP] {
        gpu.map(GuestRange::new(0, start.into(), SIZE), Access::READ_WRITE).expect("memory");
    }
    let at = |address: u32| GuestAddr::new(0, address.into());
    let vertices: Vec<u8> = TRIANGLE.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
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
    Outcome { picture, faults: gpu.faults().total() }
}

#[test]
fn each_write() {
    explore("3DS", &rows(), run);
}
