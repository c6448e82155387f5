//! A Tegra X1 with little memory, and push buffers for it.

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_options::Options;
use triglyph_tegra::TegraX1;

/// Addresses of push buffers and data.
pub const PUSH: u64 = 0x10_0000;
pub const DATA: u64 = 0x20_0000;
/// Bytes mapped for data.
pub const SIZE: u64 = 0x10_0000;

/// A Tegra X1.
pub struct Console {
    pub gpu: Box<dyn Device>,
}

impl Console {
    pub fn new(tier: TierMode, threads: usize) -> Self {
        let mut gpu: Box<dyn Device> = Box::new(TegraX1::new(&Options::new(tier, threads)).expect("a Tegra X1"));
        gpu.map(GuestRange::new(0, PUSH, DATA + SIZE - PUSH), Access::READ_WRITE).expect("memory");
        Console { gpu }
    }

    /// Executes words on channel 0.
    pub fn run(&mut self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.gpu.write(GuestAddr::new(0, PUSH), &bytes).expect("room for a push buffer");
        let words = words.len() as u32;
        let segment = Segment { address: PUSH, words, sync: false, subroutine: false, conditional: false };
        let payload = [0, Entry::Segment(segment).encode()];
        let payload: Vec<u8> = payload.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        self.gpu.submit(&payload).expect("a channel and an entry");
    }

    /// All data.
    pub fn data(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; SIZE as usize];
        self.gpu.read(GuestAddr::new(0, DATA), &mut bytes).expect("mapped memory");
        bytes
    }
}

/// Words for consecutive methods, or for one.
pub fn methods(subchannel: u32, method: u32, stepping: Stepping, data: &[u32]) -> Vec<u32> {
    let run = Run { subchannel, method, count: data.len() as u32, stepping };
    Command::Run(run).encode().into_iter().chain(data.iter().copied()).collect()
}
