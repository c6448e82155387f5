//! Random packet traces for differential tests, and a machine that records its calls.

use std::cell::Cell;

use super::packet_trace::{Packet, PacketTraceKernel, PacketTraceKey, PacketTraceMachine, Store, TraceRegisters};
use super::unsupported::Unsupported;

/// Registers of the test machine.
const REGISTERS: u32 = 64;

/// The input of one run.
#[derive(Clone, Debug)]
pub struct Case {
    /// The trace.
    pub key: PacketTraceKey,
    /// Its words, some of which fail a guard.
    pub words: Vec<u32>,
    /// Registers before the run.
    pub registers: Vec<u32>,
    /// The call, counted from the first, that ends the run.
    pub last_call: usize,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Packets that were done.
    pub done: u32,
    /// Packets that the machine was called for, and the dirty groups at that time.
    pub calls: Vec<(u32, u32)>,
    /// Registers and copies after it.
    pub registers: [Vec<Cell<u32>>; 2],
    /// The dirty groups after it.
    pub dirty: Cell<u32>,
    last_call: usize,
}

impl PacketTraceMachine for Outcome {
    fn registers(&mut self) -> TraceRegisters<'_> {
        TraceRegisters { registers: &self.registers[0], copies: &self.registers[1], dirty: &self.dirty }
    }

    /// Clears the dirty groups, as deriving state does, and moves the registers elsewhere.
    fn call(&mut self, packet: u32) -> bool {
        self.calls.push((packet, self.dirty.replace(0)));
        let moved = |cells: &Vec<Cell<u32>>| cells.iter().map(|cell| Cell::new(cell.get() ^ packet << 8)).collect();
        self.registers = self.registers.each_ref().map(moved);
        self.calls.len() != self.last_call
    }
}

impl Case {
    /// Runs `kernel`.
    pub fn run(&self, kernel: &dyn PacketTraceKernel) -> Result<Outcome, Unsupported> {
        let cells = || self.registers.iter().copied().map(Cell::new).collect();
        let registers = [cells(), cells()];
        let mut outcome =
            Outcome { done: 0, calls: Vec::new(), registers, dirty: Cell::new(0), last_call: self.last_call };
        outcome.done = kernel.run(&self.words, &mut outcome)?;
        Ok(outcome)
    }
}

/// A random case; `random` gives 32 bits.
pub fn case(random: &mut dyn FnMut() -> u32) -> Case {
    let mut key = PacketTraceKey { registers: REGISTERS, copies: random() & 1 != 0, ..PacketTraceKey::default() };
    let mut words = Vec::new();
    let damage = random() & 3 == 0;
    for _ in 0..random() % 40 {
        let header = words.len() as u32;
        let mask = if random() & 3 == 0 { 0xFFFF_0000 } else { u32::MAX };
        let word = random() & mask;
        words.push(word | random() & !mask);
        let mut stores: Vec<Store> = (0..1 + random() % 2).map(|_| store(random, &mut words)).collect();
        let mut expected = Vec::new();
        match random() % 8 {
            0 => stores.clear(),
            1 => expected.push((header + 1, words[header as usize + 1] ^ u32::from(random() & 3 == 0))),
            _ => {}
        }
        if damage && random() & 31 == 0 {
            words[header as usize] ^= 1 << (16 + random() % 16);
        }
        key.packets.push(Packet { header, mask, word, expected, stores });
    }
    key.words = words.len() as u32;
    let registers = (0..REGISTERS).map(|_| value(random)).collect();
    Case { key, words, registers, last_call: (random() % 8) as usize }
}

/// Few values, so that registers keep theirs at times.
fn value(random: &mut dyn FnMut() -> u32) -> u32 {
    if random() & 3 == 0 { random() } else { random() & 1 }
}

fn store(random: &mut dyn FnMut() -> u32, words: &mut Vec<u32>) -> Store {
    let at = words.len() as u32;
    let is_field = random() & 7 == 0;
    let bits = if is_field { 1 + random() % 31 } else { 32 };
    let count = if is_field { 1 } else { 1 + random() % 11 };
    words.extend((0..count).map(|_| value(random)));
    let mask = if random() & 3 == 0 { random() | 1 } else { u32::MAX };
    let same = groups(random);
    let mixed = random() & 3 == 0;
    let groups = (0..count).map(|_| if mixed { groups(random) } else { same }).collect();
    let field = ((random() % (33 - bits)) as u8, bits as u8);
    Store { at, field, register: random() % (REGISTERS - count + 1), mask, groups }
}

/// None, one or several of a few groups.
fn groups(random: &mut dyn FnMut() -> u32) -> u32 {
    match random() % 4 {
        0 => 0,
        1 => 1 << (random() % 31) | 1 << (random() % 31),
        _ => 1 << (random() % 5),
    }
}
