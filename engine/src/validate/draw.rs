//! A draw as checks see it, and the rules of a machine.

use std::cell::Cell;
use std::fmt::Display;

use triglyph_guest::machine::Machine;

use super::{Facts, FindingKind, Found, RegisterValue, WrittenRanges};
use crate::mem::{GuestAddr, GuestRange, Memory};
use crate::probe::Command;

/// What a command has to do with draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    Other,
    /// It begins a draw.
    Begin,
    /// It gives vertices to the draw that was begun, or draws them on its own; whether there are any.
    Vertices(bool),
    /// It ends a draw.
    End,
    /// It is a draw.
    Draw,
    /// It may draw what waits.
    MayDraw,
}

/// The rules of a machine.
#[derive(Debug)]
pub struct Rules {
    /// The machine.
    pub machine: Machine,
    /// What a command has to do with draws.
    pub role: fn(&Command) -> Role,
    /// The name of a register or method by its number.
    pub name: fn(u32) -> String,
    /// Where its value is among the registers of its class.
    pub index: fn(u32) -> usize,
    /// The register or method that decides about an outcome, and what to write instead.
    pub remedy: fn(FindingKind) -> Option<(u32, &'static str)>,
    /// Checks over registers, in the order of their findings.
    pub checks: &'static [Check],
}

/// One check: a kind of finding, and how it is found.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The kind.
    pub kind: FindingKind,
    /// Finds it.
    pub find: fn(&Draw<'_>) -> Option<Found>,
}

/// A draw as checks see it.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// The rules of its machine.
    pub rules: &'static Rules,
    /// The command.
    pub command: &'a Command,
    /// Registers of the command's class.
    pub registers: &'a [Cell<u32>],
    /// Guest memory, with the draw in it.
    pub memory: &'a Memory,
    /// The address space of the machine's registers that name addresses, as far as it is known.
    pub space: u32,
    /// Whether commands gave it vertices.
    pub has_vertices: bool,
    /// What was noted of it.
    pub facts: &'a Facts,
    /// Memory that commands wrote before it.
    pub written: &'a WrittenRanges,
}

impl Draw<'_> {
    /// The value of a register.
    pub fn get(&self, number: usize) -> u32 {
        self.registers.get((self.rules.index)(number as u32)).map_or(0, Cell::get)
    }

    /// A register with its name and value.
    pub fn register(&self, number: u32) -> RegisterValue {
        RegisterValue { number, name: (self.rules.name)(number), value: self.get(number as usize) }
    }

    /// `NAME (0x41) is 0x0`, for sentences.
    pub fn show(&self, number: usize) -> String {
        self.register(number as u32).to_string()
    }

    /// What a check has found about a register, which follows `what`, the beginning of a sentence.
    pub fn found(&self, register: usize, what: impl Display, advice: impl Into<String>) -> Found {
        Found::at(register, format!("{what}: {}.", self.show(register)), advice)
    }

    /// The first test of these that is on and never passes: a name, and the registers of its switch and its function.
    pub fn test_never(
        &self,
        tests: [(&str, usize, usize); 3],
        is_never: impl Fn(u32) -> bool,
        advice: &str,
    ) -> Option<Found> {
        let mut tests = tests.into_iter();
        let (test, _, register) =
            tests.find(|&(_, switch, function)| self.get(switch) & 1 != 0 && is_never(self.get(function)))?;
        Some(self.found(register, format!("The {test} test is on, and its function is NEVER"), advice))
    }

    /// Whether the GPU may read a byte of the address space that registers name.
    pub fn is_readable(&self, address: u64) -> bool {
        !self.memory.readable(GuestAddr::new(self.space, address)).is_empty()
    }

    /// Whether it may write one.
    pub fn is_writable(&self, address: u64) -> bool {
        !self.memory.writable(GuestAddr::new(self.space, address)).is_empty()
    }

    /// Little-endian words of memory, zeros where nothing is mapped.
    pub fn words<const N: usize>(&self, address: u64) -> [u32; N] {
        let mut bytes = vec![0; 4 * N];
        self.memory.read_pieces(GuestAddr::new(self.space, address), &mut bytes);
        let (words, _) = bytes.as_chunks::<4>();
        std::array::from_fn(|at| u32::from_le_bytes(words[at]))
    }

    /// Whether a command, or the draw itself, has written any byte of a range.
    pub fn was_written(&self, range: GuestRange) -> bool {
        self.written.overlap(range)
    }
}
