//! What every part of the Tegra X1 works on: memory, renderer, syncpoints, faults, time.

use std::fmt::Arguments;

use crate::device::{Fault, FaultKind, Faults};
use crate::mem::Memory;
use crate::render::Renderer;

/// Syncpoints of the host (host1x of the Tegra X1).
pub const SYNCPOINTS: usize = 192;

/// The address space that everything is in: 40 bits of GPU virtual addresses.
pub const SPACE: u32 = 0;

/// Mask of a GPU virtual address.
pub const ADDRESS_MASK: u64 = (1 << 40) - 1;

/// What channels and engines share.
#[derive(Debug)]
pub struct Core {
    /// Guest memory, by GPU virtual address.
    pub memory: Memory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer,
    /// What the guest did wrong.
    pub faults: Faults,
    /// GPU address of the push-buffer word that is being executed. Faults name it.
    pub position: u64,
    syncpoints: [u32; SYNCPOINTS],
    /// Work that may still be done before the guest counts as running away, about a nanosecond each.
    fuel: u64,
    /// Nanoseconds since power on. Moves with the work, not with the host's clock, so that runs can be repeated.
    clock: u64,
}

impl Core {
    pub(super) fn new(renderer: Renderer) -> Self {
        Core {
            memory: Memory::default(),
            renderer,
            faults: Faults::default(),
            position: 0,
            syncpoints: [0; SYNCPOINTS],
            fuel: 0,
            clock: 0,
        }
    }

    /// Counts a fault at a GPU address or method; the text is only made when it is kept.
    #[cold]
    pub fn fault(&mut self, kind: FaultKind, address: u64, what: Arguments<'_>) {
        if self.faults.first().len() < Faults::KEPT {
            self.faults.report(Fault { kind, what: what.to_string(), address, command: self.position });
        } else {
            self.faults.count_only(kind, 1);
        }
    }

    /// Nanoseconds since power on.
    pub fn now(&self) -> u64 {
        self.clock
    }

    pub(super) fn refuel(&mut self, units: u64) {
        self.fuel = units;
    }

    /// Takes fuel for work that costs about `nanoseconds`, and lets that time pass. False, once there is not enough
    /// left: the work is not done then.
    #[must_use]
    pub fn spend(&mut self, nanoseconds: u64) -> bool {
        let enough = nanoseconds <= self.fuel;
        self.clock = self.clock.wrapping_add(nanoseconds.min(self.fuel));
        self.fuel = self.fuel.saturating_sub(nanoseconds);
        enough
    }

    /// Draws what is still in the scene, so that memory shows it.
    pub fn flush(&mut self) {
        self.renderer.flush(&self.memory);
    }

    /// The little-endian words at `address`, zeros and a fault where memory is not mapped. Sees everything drawn so far.
    pub fn read_words(&mut self, address: u64, words: &mut [u32], what: &str) {
        let mut bytes = vec![0; 4 * words.len()];
        self.renderer.flush_overlapping(&self.memory, SPACE, address, bytes.len() as u64);
        let missing = self.memory.read_pieces(SPACE, address, &mut bytes);
        if missing != 0 {
            self.fault(FaultKind::UnmappedRead, address, format_args!("{what}: {missing:#x} bytes outside memory"));
        }
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// Stores bytes at `address`; a fault where memory is not mapped. What was drawn before is in memory before.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8], what: &str) {
        self.flush();
        let missing = self.memory.write_pieces(SPACE, address, bytes);
        if missing != 0 {
            self.fault(FaultKind::UnmappedWrite, address, format_args!("{what}: {missing:#x} bytes outside memory"));
        }
    }

    /// Stores what semaphores and reports of four words consist of: payload, zero, time in nanoseconds. The time is
    /// there before the payload says so.
    pub fn write_report(&mut self, address: u64, payload: u64, what: &str) {
        let time = self.now();
        self.write_bytes(address.wrapping_add(8) & ADDRESS_MASK, &time.to_le_bytes(), what);
        self.write_bytes(address, &payload.to_le_bytes(), what);
    }

    /// The value of a syncpoint; `None` for one that does not exist.
    pub fn syncpoint(&self, index: u32) -> Option<u32> {
        self.syncpoints.get(index as usize).copied()
    }

    /// Adds 1 to a syncpoint; a fault for one that does not exist.
    pub fn increment_syncpoint(&mut self, index: u32) {
        match self.syncpoints.get_mut(index as usize) {
            Some(value) => *value = value.wrapping_add(1),
            None => self.fault(FaultKind::BadMethod, index.into(), format_args!("syncpoint {index}")),
        }
    }

    /// Whether a syncpoint has reached `threshold`, modulo 2^32. One that does not exist has.
    pub fn syncpoint_reached(&self, index: u32, threshold: u32) -> bool {
        self.syncpoint(index).is_none_or(|value| value.wrapping_sub(threshold) as i32 >= 0)
    }
}
