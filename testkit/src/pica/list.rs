//! Command lists of the 3DS, and the state of a plain draw.

use triglyph_guest::layout::morton;
use triglyph_guest::num::F24;
use triglyph_guest::pica::command::pack_f24;
use triglyph_guest::pica::{Program, regs};

/// Video memory by physical address, and where processes see it.
pub const VRAM: u32 = 0x1800_0000;
pub const VRAM_VIRTUAL: u32 = 0x1F00_0000;
/// The linear heap by physical address, and where processes see it.
pub const HEAP: u32 = 0x2000_0000;
pub const HEAP_VIRTUAL: u32 = 0x3000_0000;
/// Where [`draw_state`] expects vertices.
pub const VERTICES: u32 = HEAP;

/// A command list in the making.
#[derive(Clone, Debug, Default)]
pub struct List(pub Vec<u32>);

impl List {
    /// Writes a register.
    pub fn set(&mut self, id: usize, value: u32) -> &mut Self {
        self.masked(id, value, 15)
    }

    /// Writes the bytes of a register under `mask`.
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
            self.pad()
        }
        self
    }

    fn pad(&mut self) {
        if self.0.len() % 2 == 1 {
            self.0.push(0);
        }
    }

    /// Uploads a program for the vertex units; it begins at its first instruction.
    pub fn program(&mut self, program: &Program) -> &mut Self {
        self.set(regs::vsh_entry::ID, 0x7FFF_0000);
        self.set(regs::vsh_code_index::ID, 0).feed(regs::vsh_code_data::ID, &program.code);
        if !program.descriptors.is_empty() {
            self.set(regs::vsh_opdesc_index::ID, 0).feed(regs::vsh_opdesc_data::ID, &program.descriptors);
        }
        self
    }

    /// As [`Self::program`], from text.
    pub fn assemble(&mut self, text: &str) -> &mut Self {
        self.program(&Program::assemble(text).expect("a program"))
    }

    /// Four f24 as the three words that ports take.
    pub fn packed(value: [f32; 4]) -> [u32; 3] {
        pack_f24(value.map(F24::encode))
    }

    /// An immediate vertex of three attributes, as [`draw_state`] wants it.
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

/// A list in memory: filled up to a multiple of 16 bytes, as libctru's are, with packets that write nothing.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    let padding = words.len().next_multiple_of(4) - words.len();
    words.iter().copied().chain(std::iter::repeat_n(0, padding)).flat_map(u32::to_le_bytes).collect()
}

/// A vertex: position in clip space, colour, first texture coordinates.
pub type Vertex = [[f32; 4]; 3];

/// The state of a plain draw: a target of `width` x `height` RGBA8 pixels at the start of VRAM, the viewport over all
/// of it, primary colour to colour, no tests, no textures, the program passing v0 to v2 on as position, colour and
/// texture coordinates.
pub fn draw_state(width: u32, height: u32) -> List {
    const PASS: &str = "mov o0, v0\nmov o1, v1\nmov o2, v2\nend";
    let f24 = F24::encode;
    let mut list = List::default();
    list.assemble(PASS);
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
        (regs::viewport_half_w::ID, f24(width as f32 / 2.0)),
        (regs::viewport_half_h::ID, f24(height as f32 / 2.0)),
        (regs::viewport_xy::ID, 0),
        (regs::depth_scale::ID, f24(-1.0)),
        (regs::depth_offset::ID, 0),
        (regs::depthmap_mode::ID, 1),
        (regs::cull::ID, 0),
        (regs::fb_dim::ID, width | (height - 1) << 12 | 1 << 24),
        (regs::renderbuf_dim::ID, width | (height - 1) << 12 | 1 << 24),
        (regs::color_addr::ID, VRAM >> 3),
        (regs::color_format::ID, 2),
        (regs::color_write_allow::ID, 15),
        (regs::color_operation::ID, 0x00E4_0100),
        (regs::blend_func::ID, 0x0101_0000),
        (regs::depth_color_mask::ID, 0xF00),
        (regs::tex_config::ID, 0x1000),
        (regs::attr_base::ID, VERTICES >> 3),
        (regs::attr_format_lo::ID, 0xFFF),
        (regs::attr_format_hi::ID, 2 << 28),
        (regs::attrbuf_offset::id(0), 0),
        (regs::attrbuf_config1::id(0), 0x210),
        (regs::attrbuf_config2::id(0), 3 << 28 | 48 << 16),
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

/// Clip coordinates of a point given in pixels of a target of `width` x `height`, y upwards, w being 1.
pub fn clip_space([x, y]: [f32; 2], width: u32, height: u32) -> [f32; 4] {
    [2.0 * x / width as f32 - 1.0, 2.0 * y / height as f32 - 1.0, -0.5, 1.0]
}

/// Index of a pixel in blocks of 8 x 8; y downwards.
pub fn tiled(x: u32, y: u32, width: u32) -> u32 {
    (y & !7) * width + (x & !7) * 8 + morton(x & 7, y & 7)
}
