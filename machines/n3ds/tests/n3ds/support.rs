//! A 3DS with the reference tier and little memory, and command lists for it.

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::pica::regs;
use triglyph_n3ds::N3ds;
use triglyph_n3ds::gsp::{FramebufferInfo, Session};
use triglyph_n3ds::lcd::Screen;
use triglyph_options::Options;
use triglyph_testkit::pica::list::draw_state;
pub use triglyph_testkit::pica::list::{HEAP, List, VERTICES, VRAM, Vertex, bytes as list_bytes, tiled};

/// Bytes mapped of each.
pub const SIZE: u32 = 0x4_0000;
/// Where textures are.
pub const TEXTURE: u32 = HEAP + 0x1_0000;
/// Where lists are.
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
            gpu.map(GuestRange::new(0, start.into(), SIZE.into()), Access::READ_WRITE).unwrap();
        }
        Console { gpu }
    }

    /// Executes a list; returns whether it raised P3D.
    pub fn run(&mut self, words: &[u32]) -> bool {
        let bytes = list_bytes(words);
        self.write(LISTS, &bytes);
        self.run_at(LISTS, bytes.len() as u32)
    }

    /// Executes the list at a physical address.
    pub fn run_at(&mut self, address: u32, bytes: u32) -> bool {
        let address = address - HEAP + 0x3000_0000;
        self.gpu.execute(&[1, address, bytes, 0, 0, 0, 0, 0]).event.is_some()
    }

    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        Device::write(&mut self.gpu, GuestAddr::new(0, address.into()), bytes).unwrap();
    }

    pub fn read(&mut self, address: u32, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        Device::read(&mut self.gpu, GuestAddr::new(0, address.into()), &mut bytes).unwrap();
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

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const WHITE: [f32; 4] = [1.0; 4];

/// A triangle over the lower left half of the target.
pub fn half(color: [f32; 4]) -> [Vertex; 3] {
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]].map(|[x, y]| [[x, y, -0.5, 1.0], color, [0.0; 4]])
}

/// The state of a plain draw over all of the target.
pub fn plain() -> List {
    draw_state(EDGE, EDGE)
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
