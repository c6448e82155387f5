//! Random sequences for differential tests, and a machine that notes what it is called for.

use std::cell::Cell;

use super::sequence::{Act, Packet, Place, SequenceJob, SequenceKernel, SequenceKey, SequenceMachine, Store};
use super::tier::Refused;

/// Registers of the test machine.
const REGISTERS: u32 = 64;

/// What one run is given.
#[derive(Clone, Debug)]
pub struct Case {
    /// The sequence.
    pub key: SequenceKey,
    /// Its words, some of them not what guards want.
    pub words: Vec<u32>,
    /// Registers before the run.
    pub registers: Vec<u32>,
    /// The call, counted from the first, that ends the run.
    pub last_call: usize,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Packets that were done.
    pub done: u32,
    /// Packets that the machine was called for, and the stale groups at that time.
    pub calls: Vec<(u32, u32)>,
    /// Registers and copies after it.
    pub registers: [Vec<u32>; 2],
    /// The stale groups after it.
    pub stale: u32,
}

struct Machine {
    registers: [Vec<Cell<u32>>; 2],
    stale: Cell<u32>,
    calls: Vec<(u32, u32)>,
    last_call: usize,
}

impl SequenceMachine for Machine {
    fn place(&mut self) -> Place<'_> {
        Place { registers: &self.registers[0], copies: &self.registers[1], stale: &self.stale }
    }

    /// Takes the stale groups, as derived state does, and moves the registers elsewhere.
    fn call(&mut self, packet: u32) -> bool {
        self.calls.push((packet, self.stale.replace(0)));
        let moved = |cells: &Vec<Cell<u32>>| cells.iter().map(|cell| Cell::new(cell.get() ^ packet << 8)).collect();
        self.registers = self.registers.each_ref().map(moved);
        self.calls.len() != self.last_call
    }
}

impl Case {
    /// Does the run.
    pub fn run(&self, kernel: &dyn SequenceKernel) -> Result<Outcome, Refused> {
        let cells = || self.registers.iter().copied().map(Cell::new).collect();
        let mut machine = Machine {
            registers: [cells(), cells()],
            stale: Cell::new(0),
            calls: Vec::new(),
            last_call: self.last_call,
        };
        let done = kernel.run(&mut SequenceJob { words: &self.words, machine: &mut machine })?;
        Ok(Outcome {
            done,
            calls: machine.calls,
            registers: machine.registers.map(|cells| cells.iter().map(Cell::get).collect()),
            stale: machine.stale.get(),
        })
    }
}

/// A random case; `random` gives 32 bits.
pub fn case(random: &mut dyn FnMut() -> u32) -> Case {
    let mut key = SequenceKey {
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
