//! A 3DS with little memory, and command lists for it.

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::pica::regs;
use triglyph_n3ds::N3ds;
use triglyph_options::Options;

use crate::pica::list::{self, HEAP, HEAP_VIRTUAL, List, VERTICES, VRAM, Vertex};

/// Bytes mapped of video memory and of the linear heap.
pub const SIZE: u32 = 0x10_0000;
/// Where [`Console::list`] puts command lists.
pub const LISTS: u32 = HEAP + 0xC_0000;

/// A 3DS.
pub struct Console {
    pub gpu: Box<dyn Device>,
}

impl Console {
    pub fn new(tier: TierMode, threads: usize) -> Self {
        let mut gpu: Box<dyn Device> = Box::new(N3ds::new(&Options::new(tier, threads)).expect("a 3DS"));
        for start in [VRAM, HEAP] {
            gpu.map(GuestRange::new(0, start.into(), SIZE.into()), Access::READ_WRITE).expect("memory");
        }
        Console { gpu }
    }

    /// The reference, and compiled code where the host has it.
    pub fn both() -> Vec<(&'static str, Console)> {
        let mut consoles = vec![("interp", Console::new(TierMode::InterpreterOnly, 1))];
        if triglyph_jit::Jit::new().is_ok() {
            consoles.push(("jit", Console::new(TierMode::JitOnly, 1)));
        }
        consoles
    }

    /// Submits a GX command.
    pub fn gx(&mut self, words: [u32; 8]) {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.gpu.submit(&bytes).expect("32 bytes are a command");
        self.gpu.finish();
    }

    /// Executes a command list.
    pub fn list(&mut self, words: &[u32]) {
        let bytes = list::bytes(words);
        self.write(LISTS, &bytes);
        self.gx([1, LISTS - HEAP + HEAP_VIRTUAL, bytes.len() as u32, 0, 0, 0, 0, 0]);
    }

    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        self.gpu.write(GuestAddr::new(0, address.into()), bytes).expect("mapped memory");
    }

    pub fn read(&mut self, address: u32, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.gpu.read(GuestAddr::new(0, address.into()), &mut bytes).expect("mapped memory");
        bytes
    }
}

/// Puts vertices where [`crate::pica::list::draw_state`] expects them and draws them as triangles.
pub fn draw(console: &mut Console, mut list: List, vertices: &[Vertex]) {
    let bytes: Vec<u8> = vertices.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
    console.write(VERTICES, &bytes);
    list.set(regs::num_vertices::ID, vertices.len() as u32).set(regs::draw_arrays::ID, 1);
    console.list(list.end());
}
