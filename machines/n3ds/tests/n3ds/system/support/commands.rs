//! GX commands that tests submit, and the numbers of interrupts.

use triglyph_n3ds::gsp::command::{FillUnit, Header};
use triglyph_n3ds::gsp::{Command, Interrupt};

pub const VRAM_VA: u32 = 0x1F00_0000;
pub const HEAP_VA: u32 = 0x1400_0000;

pub const PSC0: u8 = Interrupt::Psc0 as u8;
pub const PSC1: u8 = Interrupt::Psc1 as u8;
pub const PDC0: u8 = Interrupt::Pdc0 as u8;
pub const PPF: u8 = Interrupt::Ppf as u8;
pub const P3D: u8 = Interrupt::P3d as u8;
pub const DMA: u8 = Interrupt::Dma as u8;

pub fn plain(command: Command) -> [u32; 8] {
    command.to_words(Header::default())
}

pub fn unit(start: u32, end: u32) -> FillUnit {
    FillUnit { start, value: 0x0403_0201, end, control: 0x201 }
}

pub fn fill(units: [FillUnit; 2]) -> [u32; 8] {
    plain(Command::MemoryFill { units })
}

pub fn good_fill() -> [u32; 8] {
    fill([unit(VRAM_VA, VRAM_VA + 0x40), FillUnit::default()])
}

pub fn bad_fill() -> [u32; 8] {
    fill([unit(VRAM_VA + 0x40, VRAM_VA), FillUnit::default()])
}

pub fn list() -> [u32; 8] {
    plain(Command::ProcessCommandList { address: HEAP_VA + 0x100, size: 0x40, update_gas: false, flush: false })
}

pub fn display_transfer() -> [u32; 8] {
    let size = 8 | 8 << 16;
    plain(Command::DisplayTransfer {
        source: HEAP_VA,
        target: VRAM_VA,
        source_size: size,
        target_size: size,
        flags: 0x22,
    })
}

pub fn texture_copy(flags: u32) -> [u32; 8] {
    plain(Command::TextureCopy { source: HEAP_VA, target: VRAM_VA, size: 64, source_lines: 0, target_lines: 0, flags })
}

pub fn dma() -> [u32; 8] {
    plain(Command::RequestDma { source: HEAP_VA, target: VRAM_VA, size: 33, flush: true })
}
