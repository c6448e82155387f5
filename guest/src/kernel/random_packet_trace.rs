//! Random packet traces for differential tests.

use std::cell::Cell;

use super::packet_trace::{PacketTraceKernel, PacketTraceKey, Store, TraceRegisters};
use super::unsupported::Unsupported;

/// Registers of the test machine.
const REGISTERS: u32 = 64;

/// The input of one run.
#[derive(Clone, Debug)]
pub struct Case {
    /// The trace.
    pub key: PacketTraceKey,
    /// Its words.
    pub words: Vec<u32>,
    /// Registers before the run.
    pub registers: Vec<u32>,
}

/// The result of a run: registers, copies and dirty groups after it.
pub type Outcome = ([Vec<Cell<u32>>; 2], Cell<u32>);

impl Case {
    /// Runs `kernel`.
    pub fn run(&self, kernel: &dyn PacketTraceKernel) -> Result<Outcome, Unsupported> {
        let cells = || self.registers.iter().copied().map(Cell::new).collect();
        let outcome: Outcome = ([cells(), cells()], Cell::new(0));
        let ([registers, copies], dirty) = &outcome;
        kernel.run(&self.words, TraceRegisters { registers, copies, dirty })?;
        Ok(outcome)
    }
}

/// A random case; `random` gives 32 bits.
pub fn case(random: &mut dyn FnMut() -> u32) -> Case {
    let mut key = PacketTraceKey { registers: REGISTERS, copies: random() & 1 != 0, ..PacketTraceKey::default() };
    // The first header.
    let mut words = vec![random()];
    for _ in 0..random() % 40 {
        key.stores.push(store(random, &mut words));
        words.extend((0..random() % 2).map(|_| random()));
    }
    key.words = words.len() as u32;
    let registers = (0..REGISTERS).map(|_| value(random)).collect();
    Case { key, words, registers }
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
