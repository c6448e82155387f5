//! Random packet traces for differential tests, and a machine that records its calls.

use std::cell::Cell;

use super::packet_trace::{
    Act, Packet, PacketTraceJob, PacketTraceKernel, PacketTraceKey, PacketTraceMachine, Store, TraceRegisters,
};
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
    pub registers: [Vec<u32>; 2],
    /// The dirty groups after it.
    pub dirty: u32,
}

struct Machine {
    registers: [Vec<Cell<u32>>; 2],
    dirty: Cell<u32>,
    calls: Vec<(u32, u32)>,
    last_call: usize,
}

impl PacketTraceMachine for Machine {
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
        let mut machine = Machine {
            registers: [cells(), cells()],
            dirty: Cell::new(0),
            calls: Vec::new(),
            last_call: self.last_call,
        };
        let done = kernel.run(&mut PacketTraceJob { words: &self.words, machine: &mut machine })?;
        Ok(Outcome {
            done,
            calls: machine.calls,
            registers: machine.registers.map(|cells| cells.iter().map(Cell::get).collect()),
            dirty: machine.dirty.get(),
        })
    }
}

/// A random case; `random` gives 32 bits.
pub fn case(random: &mut dyn FnMut() -> u32) -> Case {
    let mut key = PacketTraceKey {
        words: 0,
        registers: REGISTERS,
        copies: random() & 1 != 0,
        changes: random() & 1 != 0,
        packets: Vec::new(),
    };
    let mut words = Vec::new();
    // Few values, so that registers keep theirs at times.
    let value = |random: &mut dyn FnMut() -> u32| if random() & 3 == 0 { random() } else { random() & 1 };
    let damage = random() & 3 == 0;
    for _ in 0..random() % 40 {
        let header = words.len() as u32;
        let mask = if random() & 3 == 0 { 0xFFFF_0000 } else { u32::MAX };
        let word = random() & mask;
        words.push(word | random() & !mask);
        let mut stores = Vec::new();
        for _ in 0..1 + random() % 2 {
            stores.push(store(random, &mut words));
        }
        let act = match random() % 8 {
            0 => Act::Call,
            1 => {
                let at = header + 1;
                let expected = words[at as usize] ^ u32::from(random() & 3 == 0);
                Act::Checked { expected: vec![(at, expected)], stores }
            }
            _ => Act::Store(stores),
        };
        if damage && random() & 31 == 0 {
            words[header as usize] ^= 1 << (16 + random() % 16);
        }
        key.packets.push(Packet { header, mask, word, act });
    }
    key.words = words.len() as u32;
    let registers = (0..REGISTERS).map(|_| value(random)).collect();
    Case { key, words, registers, last_call: (random() % 8) as usize }
}

fn store(random: &mut dyn FnMut() -> u32, words: &mut Vec<u32>) -> Store {
    let at = words.len() as u32;
    if random() & 7 == 0 {
        let bits = 1 + (random() % 31) as u8;
        let shift = (random() % (33 - u32::from(bits))) as u8;
        words.push(random());
        return Store::Field { at, shift, bits, register: random() % REGISTERS, groups: groups(random) };
    }
    let count = 1 + random() % 11;
    words.extend((0..count).map(|_| if random() & 3 == 0 { random() } else { random() & 1 }));
    let mask = if random() & 3 == 0 { random() | 1 } else { u32::MAX };
    let same = groups(random);
    let mixed = random() & 3 == 0;
    let groups = (0..count).map(|_| if mixed { groups(random) } else { same }).collect();
    Store::Words { at, register: random() % (REGISTERS - count + 1), mask, groups }
}

/// None, one or several of a few groups.
fn groups(random: &mut dyn FnMut() -> u32) -> u32 {
    match random() % 4 {
        0 => 0,
        1 => 1 << (random() % 31) | 1 << (random() % 31),
        _ => 1 << (random() % 5),
    }
}
