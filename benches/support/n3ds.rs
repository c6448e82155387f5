//! A 3DS that runs command lists.

use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, Tier, new_device};
use triglyph_guest::pica::{asm, regs};

use super::list::List;

/// Address of the list: physical, and as programs see it.
const LIST: u64 = 0x2000_0000;
const LIST_VA: u32 = 0x1400_0000;
/// Vertices, and the target.
const VERTICES: u32 = 0x2100_0000;
const TARGET: u32 = 0x1800_0000;

/// Four vertices outside of the clip volume, then three of a triangle of some pixels.
const POSITIONS: [[f32; 4]; 7] = [
    [2.0, 0.0, -0.5, 1.0],
    [3.0, 0.0, -0.5, 1.0],
    [2.0, 1.0, -0.5, 1.0],
    [3.0, 1.0, -0.5, 1.0],
    [0.0, 0.0, -0.5, 1.0],
    [0.05, 0.0, -0.5, 1.0],
    [0.0, 0.05, -0.5, 1.0],
];
/// The first vertex of those that are seen.
pub const SEEN: u32 = 4;

/// A 3DS and a list in its memory.
pub struct Console {
    pub device: Box<dyn Device>,
    /// The GX command that runs the list.
    pub command: Vec<u8>,
}

impl Console {
    /// One whose state is complete, with `list` in its memory, which has run once.
    pub fn new(list: List) -> Self {
        let tiers = [Tier::JitOnly, Tier::InterpreterOnly].into_iter();
        let mut devices = tiers.filter_map(|tier| new_device(Machine::N3ds, &Options::new(tier, 1)).ok());
        let mut device = devices.next().expect("a tier");
        device.map(GuestRange::new(0, TARGET.into(), 0x60_0000), Access::READ_WRITE).expect("VRAM");
        device.map(GuestRange::new(0, LIST, 0x200_0000), Access::READ_WRITE).expect("FCRAM");
        let positions: Vec<u8> = POSITIONS.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        device.write(GuestAddr::new(0, VERTICES.into()), &positions).expect("mapped memory");
        let mut console = Console { device, command: Vec::new() };
        console.load(state());
        console.run();
        console.load(list);
        console.run();
        assert_eq!(console.device.faults().total(), 0, "{:?}", console.device.faults());
        console
    }

    fn load(&mut self, list: List) {
        let bytes = list.finish();
        self.device.write(GuestAddr::new(0, LIST), &bytes).expect("mapped memory");
        let command = [1, LIST_VA, bytes.len() as u32, 0, 0, 0, 0, 0];
        self.command = command.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    }

    /// Runs the list.
    pub fn run(&mut self) {
        self.device.submit(&self.command).expect("a GX command");
    }
}

/// A complete state: a program that passes the position on, one attribute array, a 256x256 target.
fn state() -> List {
    let program = asm::Program::assemble("mov o0, v0\nend").expect("a program");
    let f24 = |v: f32| {
        let bits = v.to_bits();
        (bits >> 8 & 0x80_0000) | ((bits >> 23 & 0xFF) - 64) << 16 | bits >> 7 & 0xFFFF
    };
    let mut list = List::default();
    list.write(regs::vsh_code_index::ID, 0)
        .port(regs::vsh_code_data::ID, &program.code)
        .write(regs::vsh_code_end::ID, 1)
        .write(regs::vsh_opdesc_index::ID, 0)
        .port(regs::vsh_opdesc_data::ID, &program.descriptors)
        .write(regs::vsh_entry::ID, 0x7FFF_0000)
        .write(regs::vsh_input_config::ID, 0xA000_0000)
        .write(regs::vsh_perm_lo::ID, 0x7654_3210)
        .write(regs::vsh_outmap_mask::ID, 1)
        .write(regs::outmap_total::ID, 1)
        .write(regs::outmap_o0::ID, 0x0302_0100)
        .write(regs::viewport_half_w::ID, f24(128.0))
        .write(regs::viewport_half_h::ID, f24(128.0))
        .write(regs::depthmap_mode::ID, 1)
        .write(regs::attr_base::ID, VERTICES >> 3)
        .writes(regs::attr_format_lo::ID, &[0xF, 0])
        .writes(regs::attrbuf_offset::id(0), &[0, 0, 1 << 28 | 16 << 16])
        .write(regs::color_addr::ID, TARGET >> 3)
        .write(regs::color_format::ID, 2)
        .write(regs::fb_dim::ID, 256 | 255 << 12 | 1 << 24)
        .write(regs::color_write_allow::ID, 15)
        .write(regs::depth_color_mask::ID, 0xF00)
        .write(regs::primitive_config::ID, 0);
    list
}

/// Sixteen vectors for the vertex program, as four words of f32 each.
pub fn uniforms(list: &mut List, seed: u32) {
    let words: Vec<u32> = (0..64).map(|i| (1.0 + (seed * 64 + i) as f32 / 1024.0).to_bits()).collect();
    list.write(regs::vsh_float_index::ID, 0x8000_0000).port(regs::vsh_float_data::ID, &words);
}
