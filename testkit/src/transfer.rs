//! Memory, reference kernels and threads for tests of transfers.

use std::sync::Arc;

use triglyph_engine::cache::{Kernels, TierMode, Tiers};
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::sched::Scheduler;
use triglyph_engine::transfer::{Outcome, Request, Transfers};
use triglyph_interp::Interpreter;

/// An executor of transfers, with the reference tier.
pub struct Bench {
    pub memory: Memory,
    pub kernels: Kernels,
    pub scheduler: Scheduler,
}

impl Bench {
    /// Maps the given (address, size) ranges of space 0.
    pub fn new(threads: usize, ranges: &[(u64, u64)]) -> Self {
        let tiers = Tiers::interpreter_only(Arc::new(Interpreter));
        let mut memory = Memory::default();
        for &(address, size) in ranges {
            memory.map(GuestRange::new(0, address, size), Access::READ_WRITE).unwrap();
        }
        Bench {
            memory,
            kernels: Kernels::new(tiers, TierMode::InterpreterOnly, 1 << 20),
            scheduler: Scheduler::new(threads).unwrap(),
        }
    }

    pub fn transfers(&self) -> Transfers<'_> {
        Transfers::new(&self.memory, &self.kernels, &self.scheduler)
    }

    pub fn run(&self, request: &Request) -> Outcome {
        self.transfers().run(request)
    }

    pub fn write(&self, address: u64, bytes: &[u8]) {
        self.memory.write(GuestAddr::new(0, address), bytes).unwrap();
    }

    pub fn read(&self, address: u64, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        self.memory.read(GuestAddr::new(0, address), &mut bytes).unwrap();
        bytes
    }

    /// The written ranges since the last call, as (address, size).
    pub fn written(&mut self) -> Vec<(u64, u64)> {
        self.memory.take_written().into_iter().map(|range| (range.start.address, range.size)).collect()
    }
}

pub fn at(address: u64) -> GuestAddr {
    GuestAddr::new(0, address)
}
