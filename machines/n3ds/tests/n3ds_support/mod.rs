//! A 3DS with the reference tier and little memory, and command lists for it.
#![allow(dead_code, missing_docs)]

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::Access;
use triglyph_guest::num::F24;
use triglyph_guest::pica::{Program, regs};
use triglyph_n3ds::N3ds;
use triglyph_n3ds::gsp::{FramebufferInfo, Session};
use triglyph_n3ds::lcd::Screen;
use triglyph_options::Options;

pub const VRAM: u32 = 0x1800_0000;
pub const HEAP: u32 = 0x2000_0000;
/// Bytes mapped of each.
pub const SIZE: u32 = 0x4_0000;
/// Where vertices stand.
pub const VERTICES: u32 = HEAP;
/// Where textures stand.
pub const TEXTURE: u32 = HEAP + 0x1_0000;
/// Where lists stand.
pub const LISTS: u32 = HEAP + 0x2_0000;
/// The target: 16 x 16 pixels of RGBA8, then its depth buffer.
pub const COLOR: u32 = VRAM;
pub const DEPTH: u32 = VRAM + 0x1000;
pub const EDGE: u32 = 16;

/// A machine with nothing mapped.
pub fn machine() -> N3ds {
    let options = Options::new(TierMode::InterpreterOnly, 1);
    N3ds::new(&options).unwrap()
}

pub struct Console {
    pub gpu: N3ds,
}

impl Console {
    pub fn new() -> Self {
        let mut gpu = machine();
        for start in [VRAM, HEAP] {
            gpu.map(0, start.into(), SIZE.into(), Access::READ_WRITE).unwrap();
        }
        Console { gpu }
    }

    /// Executes a list as it is; returns whether it raised P3D.
    pub fn run(&mut self, words: &[u32]) -> bool {
        let bytes: Vec<u8> = words.iter().copied().flat_map(u32::to_le_bytes).collect();
        self.write(LISTS, &bytes);
        self.run_at(LISTS, bytes.len() as u32)
    }

    /// Executes the list at a physical address.
    pub fn run_at(&mut self, address: u32, bytes: u32) -> bool {
        let address = address - HEAP + 0x3000_0000;
        self.gpu.execute(&[1, address, bytes, 0, 0, 0, 0, 0]).event.is_some()
    }

    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        Device::write(&mut self.gpu, 0, address.into(), bytes).unwrap();
    }

    pub fn read(&mut self, address: u32, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        Device::read(&mut self.gpu, 0, address.into(), &mut bytes).unwrap();
        bytes
    }

    /// Everything mapped.
    pub fn memory(&mut self) -> Vec<u8> {
        [VRAM, HEAP].map(|start| self.read(start, SIZE as usize)).concat()
    }

    pub fn write_floats(&mut self, address: u32, floats: &[f32]) {
        let bytes: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.write(address, &bytes);
    }

    /// Red, green, blue, alpha of the target's pixel, y upwards.
    pub fn pixel(&mut self, x: u32, y: u32) -> [u8; 4] {
        let offset = 4 * tiled(x, EDGE - 1 - y, EDGE);
        let bytes = self.read(COLOR + offset, 4);
        [bytes[3], bytes[2], bytes[1], bytes[0]]
    }

    /// Draws a rectangle over the whole target and returns its first pixel.
    pub fn fill(&mut self, list: List, color: [f32; 4]) -> [u8; 4] {
        self.quad(list, color, [[0.0, 0.0]; 4]);
        self.pixel(0, 0)
    }

    /// Draws a rectangle over the whole target, texture coordinates from the lower left on, counter-clockwise.
    pub fn quad(&mut self, list: List, color: [f32; 4], coordinates: [[f32; 2]; 4]) {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let vertex = |i: usize| {
            let ([x, y], [u, v]) = (corners[i], coordinates[i]);
            [[x, y, -0.5, 1.0], color, [u, v, 0.0, 0.0]]
        };
        self.draw(list, &[0, 1, 2, 0, 2, 3].map(vertex));
    }

    /// Draws triangles with the state of `list`.
    pub fn draw(&mut self, mut list: List, vertices: &[Vertex]) {
        let floats: Vec<f32> = vertices.iter().flatten().flatten().copied().collect();
        self.write_floats(VERTICES, &floats);
        list.set(regs::num_vertices::ID, vertices.len() as u32).set(regs::draw_arrays::ID, 1);
        assert!(self.run(list.end()));
    }
}

/// Index of a pixel in blocks of 8 x 8; y downwards.
pub fn tiled(x: u32, y: u32, width: u32) -> u32 {
    let morton = (0..3).fold(0, |m, bit| m | (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1));
    (y & !7) * width + (x & !7) * 8 + morton
}

/// A vertex: position in clip space, colour, first texture coordinates.
pub type Vertex = [[f32; 4]; 3];

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const WHITE: [f32; 4] = [1.0; 4];

/// A triangle over the lower left half of the target.
pub fn half(color: [f32; 4]) -> [Vertex; 3] {
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]].map(|[x, y]| [[x, y, -0.5, 1.0], color, [0.0; 4]])
}

/// A command list in the making.
#[derive(Clone, Debug, Default)]
pub struct List(pub Vec<u32>);

impl List {
    /// Writes a register.
    pub fn set(&mut self, id: usize, value: u32) -> &mut Self {
        self.masked(id, value, 15)
    }

    /// Writes the bytes under `mask`.
    pub fn masked(&mut self, id: usize, value: u32, mask: u32) -> &mut Self {
        self.0.extend([value, mask << 16 | id as u32]);
        self
    }

    /// As [`Self::set`], in passing.
    pub fn with(mut self, id: usize, value: u32) -> Self {
        self.set(id, value);
        self
    }

    /// Writes all of `values` to one register.
    pub fn feed(&mut self, id: usize, values: &[u32]) -> &mut Self {
        for piece in values.chunks(256) {
            self.0.extend([piece[0], 0xF_0000 | (piece.len() as u32 - 1) << 20 | id as u32]);
            self.0.extend(&piece[1..]);
            if self.0.len() % 2 == 1 {
                self.0.push(0);
            }
        }
        self
    }

    /// Uploads a program for the vertex units; it begins at its first instruction.
    pub fn program(&mut self, text: &str) -> &mut Self {
        let program = Program::assemble(text).unwrap();
        self.set(regs::vsh_entry::ID, 0x7FFF_0000);
        self.set(regs::vsh_code_index::ID, 0).feed(regs::vsh_code_data::IDS[0], &program.code);
        self.set(regs::vsh_opdesc_index::ID, 0).feed(regs::vsh_opdesc_data::IDS[0], &program.descriptors)
    }

    /// Four f24 as the three words that ports take.
    pub fn packed(value: [f32; 4]) -> [u32; 3] {
        let [x, y, z, w] = value.map(F24::encode);
        [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
    }

    /// An immediate vertex, as [`plain`] wants it.
    pub fn vertex(&mut self, vertex: &Vertex) -> &mut Self {
        for attribute in vertex {
            self.feed(regs::fixed_attr_data::IDS[0], &Self::packed(*attribute));
        }
        self
    }

    /// Ends with the request of an interrupt.
    pub fn end(&mut self) -> &[u32] {
        self.set(regs::irq_request::ID, 0x1234_5678);
        &self.0
    }
}

/// The state of a plain draw: the target, the viewport over all of it, primary colour to colour, no tests, no textures,
/// the program passing v0 to v2 on as position, colour and texture coordinates.
pub fn plain() -> List {
    let f24 = F24::encode;
    let mut list = List::default();
    list.program("mov o0, v0\nmov o1, v1\nmov o2, v2\nend");
    for (id, value) in [
        (regs::vsh_input_config::ID, 0xA000_0002),
        (regs::vsh_perm_lo::ID, 0x7654_3210),
        (regs::vsh_outmap_mask::ID, 7),
        (regs::vsh_outmap_total1::ID, 2),
        (regs::vsh_outmap_total2::ID, 2),
        (regs::vsh_num_attr::ID, 2),
        (regs::outmap_total::ID, 3),
        (regs::outmap::IDS[0], 0x0302_0100),
        (regs::outmap::IDS[1], 0x0B0A_0908),
        (regs::outmap::IDS[2], 0x1F10_0D0C),
        (regs::viewport_half_w::ID, f24(EDGE as f32 / 2.0)),
        (regs::viewport_half_h::ID, f24(EDGE as f32 / 2.0)),
        (regs::viewport_xy::ID, 0),
        (regs::depth_scale::ID, f24(-1.0)),
        (regs::depth_offset::ID, 0),
        (regs::depthmap_mode::ID, 1),
        (regs::cull::ID, 0),
        (regs::fb_dim::ID, EDGE | (EDGE - 1) << 12 | 1 << 24),
        (regs::renderbuf_dim::ID, EDGE | (EDGE - 1) << 12 | 1 << 24),
        (regs::color_addr::ID, COLOR >> 3),
        (regs::color_format::ID, 2),
        (regs::color_write_allow::ID, 15),
        (regs::color_operation::ID, 0x00E4_0100),
        (regs::blend_func::ID, 0x0101_0000),
        (regs::depth_color_mask::ID, 0xF00),
        (regs::tex_config::ID, 0x1000),
        (regs::attr_base::ID, VERTICES >> 3),
        (regs::attr_format_lo::ID, 0xFFF),
        (regs::attr_format_hi::ID, 2 << 28),
        (regs::attrbuf_offset::IDS[0], 0),
        (regs::attrbuf_config1::IDS[0], 0x210),
        (regs::attrbuf_config2::IDS[0], 3 << 28 | 48 << 16),
        (regs::index_buffer::ID, 1 << 31),
        (regs::primitive_config::ID, 2),
        (regs::primitive_restart::ID, 1),
    ] {
        list.set(id, value);
    }
    for stage in 1..6 {
        list.set(regs::tev_source::IDS[stage], 0x000F_000F);
    }
    list
}

/// A narrow triangle from `x` on.
pub fn triangle(x: f32, color: [f32; 4]) -> [Vertex; 3] {
    [[x, -1.0], [x + 0.5, -1.0], [x, 1.0]].map(|[x, y]| [[x, y, -0.5, 1.0], color, [0.0; 4]])
}

/// A machine with work in every part of GSP.
pub fn busy() -> Console {
    let mut console = Console::new();
    console.gpu.with_gsp(|gsp, hardware| {
        let (a, b, c) = (Session(1), Session(2), Session(3));
        gsp.set_shared_memory_handle(0x55);
        gsp.register_relay_queue(a, 1, 0x10).unwrap();
        gsp.register_relay_queue(b, 0, 0x20).unwrap();
        gsp.acquire_right(a);
        gsp.acquire_right(b);
        gsp.acquire_right(c);
        let fill = [2, 0x1F00_0000, 0x0102_0304, 0x1F00_0100, 0, 0, 0, 0x201];
        for _ in 0..3 {
            gsp.command_queue(0).submit(&fill).unwrap();
        }
        gsp.trigger(hardware);
        let info = FramebufferInfo { left: 0x1F00_1000, stride: 720, format: 1, select: 1, ..Default::default() };
        gsp.framebuffer_slot(0, Screen::Top).present(&info);
        gsp.vblank(hardware, Screen::Top);
        gsp.framebuffer_slot(0, Screen::Bottom).present(&info);
        gsp.command_queue(0).submit(&fill).unwrap();
        gsp.command_queue(0).request_halt();
        hardware.write_register(0x40_0480, 7);
        hardware.write_register(0x40_0484, 0x11_2233);
        hardware.write_register(0x20_2204, 0x0100_00FF);
    });
    console
}
